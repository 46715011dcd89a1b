"""A record file has one meaning: two meanings or spellings are refused; its wrapping is taken away."""

from __future__ import annotations

import gzip
import json
import re
from collections.abc import Callable, Iterator
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time
from hypothesis import given
from hypothesis import strategies as st

from eventstore.formats import unwrapped
from eventstore.formats.record_file import ImportedGame, export_record, import_records, read_record
from eventstore.recording.commands import WriteNote
from eventstore.refusals import BadRecord
from eventstore.simulation import simulate
from eventstore.store import Store
from games.core.json_text import flaw
from games.core.registry import installed, registry_of
from games.core.ruleset import TABLE
from tests.eventstore.played import REGISTRY, begin, play

SAMPLES = sorted((Path(__file__).parents[3] / "cli" / "samples").glob("*.tape.jsonl"))
BOM = b"\xef\xbb\xbf"
POINTED = re.compile(r"compactly: (?:(?P<text>\S+) at )?column (?P<column>[0-9]+) is ")
Change = Callable[[bytes], bytes]


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "other.db", registry=REGISTRY) as opened:
        yield opened


@pytest.fixture
def file(store: Store) -> bytes:
    """A game of three moves with a note, recorded on 14 September 2026."""
    with freeze_time("2026-09-14T10:00:00Z"):
        game = begin(store, game="friday", title="Fête")
        play(store, game, 3)
        store.do(game, WriteNote(2, text="é", tags=("a",)))
    return b"".join(export_record(store, store.game(game)))


def chained(file: bytes) -> bytes:
    """The file with the head that its events come to, whatever stands in them."""
    head, *lines = file.splitlines(keepends=True)
    value = bytes(32)
    for line in lines:
        if b'"event":' in line:
            value = sha256(value + line).digest()
    was = json.loads(head)["head"].encode()
    return head.replace(was, value.hex().encode()) + b"".join(lines)


def line(number: int, was: bytes, now: bytes) -> Change:
    def change(file: bytes) -> bytes:
        lines = file.splitlines(keepends=True)
        assert was in lines[number - 1]
        lines[number - 1] = lines[number - 1].replace(was, now, 1)
        return b"".join(lines)

    return change


FLAWS = [
    ("a key of the header", line(1, b'"place"', b'"title":null,"place"'), 1, '"title" appears twice'),
    ("a key of a seat", line(1, b'"name"', b'"seat":"p1","name"'), 1, '"seat" appears twice'),
    ("the same format", line(1, b'"game"', b'"format":"tabletape","game"'), 1, '"format" appears twice'),
    ("a blank in the header", line(1, b'"game":', b'"game": '), 1, "the header is not written compactly"),
    ("an escape in the header", line(1, "ê".encode(), b"\\u00ea"), 1, "\\u00ea at column"),
    ("a key of an event", line(4, b'"player"', b'"player":"p1","player"'), 4, '"player" appears twice'),
    ("the same value", line(4, b'"p2"', b'"p2","player":"p2"'), 4, '"player" appears twice'),
    ("a kind", line(4, b'{"kind"', b'{"kind":"card_laid","kind"'), 4, '"kind" appears twice'),
    ("a key in an option", line(2, b'"rounds":', b'"rounds":2,"rounds":'), 2, '"rounds" appears twice'),
    ("an escaped key", line(4, b'"player"', b'"pl\\u0061yer":1,"player"'), 4, '"player" appears twice'),
    ("an event twice", line(4, b'"event":', b'"event":{"kind":1},"event":'), 4, '"event" appears twice'),
    ("a number twice", line(4, b'"at":', b'"seq":3,"at":'), 4, '"seq" appears twice'),
    ("a blank in an event", line(4, b'"player":', b'"player": '), 4, "the event is not written compactly"),
    ("a tab at the end", line(4, b"}\n", b"}\t\n"), 4, "is a blank"),
    ("a blank before the end", line(4, b"}}\n", b"} }\n"), 4, "is a blank"),
    ("a blank around an event", line(4, b'"event":', b'"event": '), 4, "is a blank"),
    ("a letter escaped", line(4, b'"p2"', b'"\\u0070\\u0032"'), 4, "\\u0070\\u0032 at column"),
    ("a number otherwise", line(2, b'"rounds":1000', b'"rounds":1e3'), 2, "1e3 at column"),
    ("a key of a note", line(6, b'"tags"', b'"text":"x","tags"'), 6, '"text" appears twice'),
    ("two notes in one", line(6, b'{"note":', b'{"note":{},"note":'), 6, '"note" appears twice'),
    ("a blank in a note", line(6, b'"tags":', b'"tags": '), 6, "the note is not written compactly"),
    ("an escape in a note", line(6, "é".encode(), b"\\u00e9"), 6, "\\u00e9 at column"),
]  # fmt: skip


@pytest.mark.parametrize("registry", [REGISTRY, registry_of()], ids=["installed", "unknown"])
@pytest.mark.parametrize("planted", FLAWS, ids=lambda planted: planted[0])
def test_what_has_two_meanings_or_two_spellings_is_refused(
    tmp_path: Path, file: bytes, registry: Any, planted: tuple[str, Change, int, str]
) -> None:
    _, change, number, says = planted
    wrong = chained(change(file))
    assert wrong != chained(file)
    with Store.open(tmp_path / "here.db", registry=registry) as here:
        with pytest.raises(BadRecord) as told:
            import_records(here, [("other", file.replace(b"friday", b"sunday")), ("file", wrong)])
        assert here.log.games() == []
        assert [done.new for done in import_records(here, [("file", file)])] == [True]
    assert (told.value.file, told.value.line) == ("file", number)
    assert says in str(told.value)
    shown = POINTED.search(str(told.value))
    assert shown or "appears twice" in says
    if shown:
        here = wrong.decode().splitlines()[number - 1][int(shown["column"]) - 1 :]
        assert here.startswith(shown["text"] or (" ", "\t"))


TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=8)
VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(TEXT, inner, max_size=3),
    max_leaves=8,
)


@given(st.dictionaries(TEXT.filter(lambda key: key != "kind"), VALUES, max_size=4))
def test_whatever_an_unknown_game_has_in_its_events_stays_valid(fields: dict[str, Any]) -> None:
    event = json.dumps({"kind": "odd", **fields}, ensure_ascii=False, separators=(",", ":"))
    assert [row.payload for row in read_record("file", unknown(event), registry_of()).rows][1] == event


def unknown(event: str) -> bytes:
    """A record of a game that is not installed, with one event after its first one."""
    start = '{"kind":"record.started","ruleset":"chess","version":1,"seats":["p1"],"mood":1}'
    lines = [
        f'{{"seq":{seq},"at":"2026-09-14T10:00:00.000000Z","by":"recorder","event":{one}}}\n'
        for seq, one in enumerate((start, event), 1)
    ]
    head = (
        '{"format":"tabletape","format_version":1,"game":"chess","ruleset":"chess","version":1,"title":null,'
        '"seats":[{"seat":"p1","name":"Ann"}],"played_on":null,"time_zone":null,"place":null,'
        f'"seen_as":"everything","head":"{"0" * 64}"}}\n'
    )
    return chained("".join((head, *lines)).encode())


def test_a_file_from_before_an_option_stays_valid(file: bytes, other: Store) -> None:
    (option,) = re.findall(rb'"rounds":[0-9]+,|,"rounds":[0-9]+', file)
    older = chained(line(2, option, b"")(file))
    assert b'"rounds"' not in older
    assert import_records(other, [("file", older)])[0].new
    assert b"".join(export_record(other, other.game("friday"))) == older


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_every_sample_is_written_so_for_every_viewer(tmp_path: Path, sample: Path) -> None:
    with Store.open(tmp_path / "games.db") as here:
        (done,) = import_records(here, [("sample", sample.read_bytes())])
        opened = here.game(done.game)
        viewers = {"everything", TABLE, *opened.seats} if opened.seen_as == "everything" else {opened.seen_as}
        for viewer in viewers:
            told = b"".join(export_record(here, here.game(done.game, viewer=viewer)))
            assert len(read_record(viewer, told, installed()).rows) > 1


@pytest.mark.parametrize("ruleset", sorted(installed().newest()))
@pytest.mark.parametrize("seed", [1, 2])
def test_every_simulated_game_is_written_so(ruleset: str, seed: int) -> None:
    rules = installed().newest()[ruleset]
    game = simulate(ruleset, max(rules.seats), seed, 400)
    assert len(game.events) > 30
    assert [payload for _, payload in game.events if flaw(payload) is not None] == []


# --- on its way -------------------------------------------------------------------------------------------


WRAPPED = [
    ("a mark", lambda file: BOM + file),
    ("Windows", lambda file: file.replace(b"\n", b"\r\n")),
    ("both", lambda file: BOM + file.replace(b"\n", b"\r\n")),
    ("an empty line at the end", lambda file: file + b"\n"),
    ("three empty lines of Windows", lambda file: file + b"\r\n\r\n\r\n"),
    ("no line end", lambda file: file[:-1]),
    ("half a line end", lambda file: file[:-1] + b"\r"),
    ("gzip", gzip.compress),
    ("gzip of all", lambda file: gzip.compress(BOM + file.replace(b"\n", b"\r\n") + b"\r\n")),
    ("gzip in parts", lambda file: gzip.compress(file[:99]) + gzip.compress(file[99:])),
    ("gzip filled up", lambda file: gzip.compress(file) + bytes(512)),
]


@pytest.mark.parametrize("wrap", [wrap[1] for wrap in WRAPPED], ids=[wrap[0] for wrap in WRAPPED])
def test_a_wrapping_is_taken_away_and_then_the_chain_decides(file: bytes, other: Store, wrap: Change) -> None:
    torn = line(4, b'"p2"', b'"p1"')(file)
    with pytest.raises(BadRecord, match=r"line 1: its head is .*: lines were changed or are missing"):
        import_records(other, [("file", wrap(torn))])
    assert import_records(other, [("file", wrap(file))]) == [ImportedGame("friday", 4, 1, new=True)]
    assert b"".join(export_record(other, other.game("friday"))) == file


REFUSED = [
    ("utf-16", lambda file: file.decode().encode("utf-16"), 1, "it is written in UTF-16; save it as UTF-8"),
    ("utf-16-le", lambda file: file.decode().encode("utf-16-le"), 1, "it is written in UTF-16; save it"),
    ("utf-16-be", lambda file: file.decode().encode("utf-16-be"), 1, "it is written in UTF-16; save it"),
    ("utf-32", lambda file: file.decode().encode("utf-32"), 1, "it is written in UTF-32; save it as UTF-8"),
    ("utf-16 in gzip", lambda file: gzip.compress(file.decode().encode("utf-16")), 1, "UTF-16"),
    ("two records", lambda file: file + file, 7, "holds two records, and the second one begins here"),
    ("two with marks", lambda file: (BOM + file) * 2, 7, "holds two records"),
    ("two of Windows", lambda file: file.replace(b"\n", b"\r\n") * 2, 7, "holds two records"),
    ("two with a gap", lambda file: file + b"\n\n" + file, 9, "holds two records"),
    ("two without a line end", lambda file: file[:-1] + file, 6, "holds two records"),
    ("two, the first cut off", lambda file: file[:-9] + b"\n" + file, 7, "holds two records"),
    ("two gzip files", lambda file: gzip.compress(file) * 2, 7, "holds two records"),
    ("two, one odd", lambda file: file + b'{"game":1,"format":"tabletape","format_version":1}\n', 7, "two"),
    ("an empty line", line(4, b'{"seq"', b'\n{"seq"'), 4, "no event as Tabletape writes it"),
    ("gzip cut off", lambda file: gzip.compress(file)[:-12], 1, "its gzip data are cut off: copy"),
    ("gzip damaged", lambda file: gzip.compress(file)[:-8] + bytes(8), 1, "its gzip data are damaged"),
    ("gzip and more", lambda file: gzip.compress(file) + b"more", 1, "its gzip data are damaged"),
    ("gzip of nothing", lambda _: gzip.compress(b""), 1, "no whole line"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "number", "says"), [one[1:] for one in REFUSED], ids=[one[0] for one in REFUSED]
)
def test_what_is_no_record_is_called_what_it_is(
    file: bytes, other: Store, change: Change, number: int, says: str
) -> None:
    with pytest.raises(BadRecord) as told:
        import_records(other, [("file", change(file))])
    assert (told.value.line, other.log.games()) == (number, [])
    assert says in str(told.value)


@pytest.mark.parametrize("added", [b"\n", b"\r\n", b"x\n", b"{\n", b" \n"])
@pytest.mark.parametrize("end", [b"", b"x"])
def test_many_lines_that_no_record_has_are_refused_at_the_first(
    file: bytes, other: Store, added: bytes, end: bytes
) -> None:
    head = file.splitlines(keepends=True)[0]
    many = head + added * 300_000 + end
    assert len(unwrapped.lines(many)) < 12_000
    with pytest.raises(BadRecord) as told:
        import_records(other, [("file", gzip.compress(many, 1))])
    assert (told.value.line, other.log.games()) == (2, [])


def test_an_event_may_speak_of_a_format(other: Store) -> None:
    odd = unknown('{"kind":"odd","of":{"format":"tabletape","format_version":1},"say":"}{\\"format\\":"}')
    assert import_records(other, [("file", odd)])[0].events == 2


def test_a_gzip_file_unpacks_to_no_more_than_there_is_room(
    file: bytes, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    for most, fits in ((len(file), True), (len(file) - 1, False)):
        monkeypatch.setattr(unwrapped, "LARGEST", most)
        for packed in (gzip.compress(file), gzip.compress(file[:99]) + gzip.compress(file[99:])):
            if fits:
                import_records(other, [("file", packed)])
            else:
                with pytest.raises(
                    BadRecord, match="it unpacks to more than 0 MB: unpack it with gunzip first"
                ):
                    import_records(other, [("file", packed)])


# --- dates ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("now", "ahead"),
    [
        ("2026-09-14T10:00:00Z", 0),
        ("2026-09-13T10:00:00Z", 0),
        ("2026-09-13T09:59:59.999999Z", 2),
        ("1990-01-01T00:00:00Z", 2),
    ],
)
def test_a_file_that_is_ahead_of_the_clock_comes_in_and_names_its_line(
    file: bytes, other: Store, now: str, ahead: int
) -> None:
    with freeze_time(now):
        done = import_records(other, [("file", file)])
        again = import_records(other, [("file", file)])
    assert done == [ImportedGame("friday", 4, 1, new=True, ahead=ahead)]
    assert [item.ahead for item in again] == [ahead]
    assert b"".join(export_record(other, other.game("friday"))) == file


@pytest.mark.parametrize("number", [4, 6])
def test_one_line_that_is_ahead_is_named(file: bytes, other: Store, number: int) -> None:
    with freeze_time("2026-09-20T10:00:00Z"):
        done = import_records(other, [("file", chained(line(number, b"2026-", b"2126-")(file)))])
    assert [item.ahead for item in done] == [number]
