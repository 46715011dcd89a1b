"""The record file: the same bytes there and back, and every fault named with its line."""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from freezegun import freeze_time
from hypothesis import given, settings
from hypothesis import strategies as st

from eventstore.access.actor import Actor
from eventstore.audit.repair import repair
from eventstore.audit.verify import verify
from eventstore.errors import UnknownGame
from eventstore.formats import record_file as module
from eventstore.formats.record_file import ImportedGame, export_record, import_records
from eventstore.library import details
from eventstore.recording.commands import New, Record, RemoveNote, Undo, WriteNote
from eventstore.refusals import BadDetail, BadRecord, TextOnly, UnknownViewer
from eventstore.store import Store
from games.core.events import Change, RecordClosed, RecordRuled
from games.core.registry import registry_of
from games.examples.high_card import CardLaid, HandDealt
from tests.eventstore.played import HOSTILE, REGISTRY, begin, damage, play

Lines = list[bytes]


@pytest.fixture
def other(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "other.db", registry=REGISTRY) as opened:
        yield opened


def file_of(store: Store, game: str, viewer: str = "everything") -> bytes:
    return b"".join(export_record(store, store.game(game, viewer=viewer)))


def bring(store: Store, *files: bytes, copy: bool = False) -> list[ImportedGame]:
    return import_records(store, [(f"file{n}", file) for n, file in enumerate(files, 1)], copy=copy)


def rich(store: Store, **given: Any) -> str:
    """A game with undone events, notes and hostile texts."""
    game = begin(store, game="friday", players=HOSTILE[:2], title=HOSTILE[0], place=HOSTILE[3], **given)
    play(store, game, 8)
    store.do(game, Undo(2))
    play(store, game, 3, seed=5)
    for seq, text in enumerate(HOSTILE, 2):
        store.do(game, WriteNote(seq, text=f"{text}\n{text}", glyph="!?", tags=(text[:40],)))
    return game


def test_the_file_is_as_described(store: Store) -> None:
    with freeze_time("2026-09-14T18:03:05.123456Z"):
        game = begin(store, game="friday", title="Friday", place="Home", time_zone="Europe/Helsinki")
        store.do(game, Record([HandDealt("p1", ("c01", None, None))]), Actor("u3"))
        note = store.do(game, WriteNote(2, text="ä\n", tags=("opening",))).result
    header, started, dealt, noted, end = file_of(store, game).split(b"\n")
    head = store.log.head(game)
    assert header.decode() == (
        '{"format":"tabletape","format_version":1,"game":"friday","ruleset":"high-card","version":2,'
        '"title":"Friday","seats":[{"seat":"p1","name":"Ann"},{"seat":"p2","name":"Bo"}],'
        '"played_on":"2026-09-14","time_zone":"Europe/Helsinki","place":"Home","seen_as":"everything",'
        f'"head":"{head.hash}"}}'  # type: ignore[union-attr]
    )
    assert started.startswith(
        b'{"seq":1,"at":"2026-09-14T18:03:05.123456Z","by":"recorder","event":{"kind":"rec'
    )
    assert dealt.decode() == (
        '{"seq":2,"at":"2026-09-14T18:03:05.123456Z","by":"u3",'
        '"event":{"kind":"hand_dealt","player":"p1","cards":["c01",null,null]}}'
    )
    assert noted.decode() == (
        f'{{"note":{{"id":"{note.id}","seq":2,"at":"2026-09-14T18:03:05.123456Z","by":"recorder",'
        '"text":"ä\\n","glyph":null,"tags":["opening"]}}'
    )
    assert end == b""


def test_a_long_game_comes_in_pieces_of_whole_lines(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    game = rich(store)
    whole = file_of(store, game)
    monkeypatch.setattr(module, "_AT_ONCE", 4)
    pieces = list(export_record(store, store.game(game)))
    assert b"".join(pieces) == whole
    assert all(piece.endswith(b"\n") for piece in pieces)
    assert len(pieces) == 1 + 4 + len(HOSTILE)


def test_anyone_can_check_a_file_with_sha_256_alone(store: Store) -> None:
    header, *lines = file_of(store, rich(store)).splitlines(keepends=True)
    value = bytes(32)
    for line in lines:
        if line.startswith(b'{"seq":'):
            value = hashlib.sha256(value + line).digest()
    assert json.loads(header)["head"] == value.hex()


@pytest.mark.parametrize("viewer", ["everything", "table", "p1", "p2"])
def test_export_import_export_gives_the_same_bytes(store: Store, other: Store, viewer: str) -> None:
    game = rich(store)
    file = file_of(store, game, viewer)
    (done,) = bring(other, file)
    assert done.new
    assert file_of(other, done.game) == file
    assert other.game(done.game).position().state == store.game(game, viewer=viewer).position().state
    assert [done.game] == [entry.game for entry in other.catalogue.list()]
    if viewer == "everything":
        assert len(other.game(game).all_notes) == len(HOSTILE)
        assert [(note.id, note.text) for note in other.game(game).all_notes] == [
            (note.id, note.text) for note in store.game(game).all_notes
        ]


def can_be_a_name(text: str) -> bool:
    try:
        return details.line("name", text, details.TAG) is None or True
    except BadDetail:
        return False


@settings(max_examples=40)
@given(text=st.text(st.characters(exclude_categories=["Cc", "Cs"]), max_size=40).filter(can_be_a_name))
def test_whatever_names_and_notes_contain(text: str) -> None:
    from tempfile import TemporaryDirectory  # noqa: PLC0415 - a fixture is not made anew for each example

    with TemporaryDirectory() as folder:
        places = [Store.open(Path(folder) / name, registry=REGISTRY) for name in ("a.db", "b.db")]
        with places[0] as one, places[1] as two:
            game = begin(one, players=(text, "Bo"), title=text, place=text)
            one.do(game, WriteNote(1, text=f"x{text}", tags=(text,)))
            file = file_of(one, game)
            bring(two, file)
            assert file_of(two, game) == file


def test_a_restricted_file_is_a_record_of_its_own(store: Store) -> None:
    game = begin(store, game="friday")
    store.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    store.do(game, Record([CardLaid("p1", "c01"), CardLaid("p2", "c04")]))
    store.do(game, Undo())
    store.do(game, WriteNote(2, text="the recorder saw c01"))
    mine = store.do(game, WriteNote(4, text="mine"), Actor("p2")).result
    store.do(game, WriteNote(5, text="on an undone event"), Actor("p2"))
    header, *lines = file_of(store, game, "p2").splitlines()
    said = json.loads(header)
    assert (said["game"], said["seen_as"]) == ("friday~p2", "p2")
    head = store.log.head(game)
    assert said["head"] != head.hash  # type: ignore[union-attr]
    assert [json.loads(line).get("seq") for line in lines] == [1, 2, 3, 4, None]
    assert '"cards":[null,null,null]' in lines[1].decode()
    assert json.loads(lines[3])["event"] == {"kind": "card_laid", "player": "p1", "card": None}
    assert json.loads(lines[4])["note"]["id"] == mine.id
    assert [line for line in lines[1:] if b"c01" in line] == []


def test_a_rulings_event_has_no_number_in_a_told_record(store: Store, other: Store) -> None:
    game = begin(store)
    play(store, game, 2)
    ruled = RecordRuled("house rule", (Change("/points/p1", 0, 1),), instead_of=2)
    store.do(game, Record([ruled]))
    assert b'"instead_of":2' in file_of(store, game)
    told = file_of(store, game, "table")
    assert b"instead_of" not in told
    assert bring(other, told)[0].events == 4


def test_a_game_seen_by_one_seat_says_so(store: Store, other: Store) -> None:
    game = begin(store, seen_as="p1")
    file = file_of(store, game)
    assert json.loads(file.splitlines()[0])["seen_as"] == "p1"
    bring(other, file)
    assert file_of(other, game) == file


def test_what_is_not_there_is_not_exported(store: Store, path: Path) -> None:
    game = begin(store)
    with pytest.raises(UnknownGame):
        export_record(store, store.game("nowhere"))
    with pytest.raises(UnknownViewer):
        export_record(store, store.game(game, viewer="p7"))
    with Store.open(path, registry=registry_of()) as bare:
        assert file_of(bare, game) == file_of(store, game)
        with pytest.raises(TextOnly):
            export_record(bare, bare.game(game, viewer="p1"))


def test_a_game_of_an_unknown_ruleset_comes_in_as_text(store: Store, tmp_path: Path) -> None:
    file = file_of(store, rich(store))
    with Store.open(tmp_path / "bare.db", registry=registry_of()) as bare:
        assert bring(bare, file) == [ImportedGame("friday", 14, 6, new=True)]
        assert file_of(bare, "friday") == file
        assert bare.catalogue.list()[0].status == "text-only"


def test_an_option_unknown_here_comes_in_as_text(store: Store, other: Store, path: Path) -> None:
    game = begin(store, game="friday")
    damage(path, 'UPDATE events SET payload = replace(payload, \'"rounds"\', \'"speed":3,"rounds"\')')
    bring(other, again_chained(file_of(store, game)))
    assert other.catalogue.list()[0].status == "text-only"


def verified(store: Store, new: Path) -> None:
    """A game that came in as text is verified as it is, and comes over a repair to the byte."""
    report = verify(store)
    assert (report.faults, report.as_text) == ((), ("friday",))
    before = file_of(store, "friday")
    done = repair(store.log.path, new, registry=store.registry)
    assert (done.faults, done.accounts, done.intact, done.complete) == ((), (), 1, True)
    with Store.open(new, registry=store.registry, create=False) as opened:
        assert file_of(opened, "friday") == before
        assert verify(opened) == report


@pytest.mark.parametrize("was", ['"rounds":', '"seats":'], ids=["an option", "a field"])
def test_what_comes_in_with_a_name_unknown_here_is_verified_and_needs_no_repair(
    store: Store, other: Store, tmp_path: Path, was: str
) -> None:
    file = file_of(store, begin(store, game="friday"))
    assert file.split(b"\n")[1].count(was.encode()) == 1
    first, rest = file.split(b"\n", 1)
    bring(other, again_chained(first + b"\n" + rest.replace(was.encode(), b'"speed":3,' + was.encode(), 1)))
    verified(other, tmp_path / "new.db")


def test_what_comes_in_without_its_rules_is_verified_and_needs_no_repair(
    store: Store, tmp_path: Path
) -> None:
    file = file_of(store, rich(store))
    with Store.open(tmp_path / "bare.db", registry=registry_of()) as bare:
        bring(bare, file)
        verified(bare, tmp_path / "new.db")


def test_a_damaged_record_with_an_option_unknown_here_keeps_its_readable_beginning(
    store: Store, other: Store, tmp_path: Path
) -> None:
    play(store, begin(store, game="friday"), 8)
    file = file_of(store, "friday").replace(b'"rounds":', b'"speed":3,"rounds":', 1)
    bring(other, again_chained(file))
    damage(other.log.path, "UPDATE events SET payload = '{' WHERE seq = 6")
    assert {fault.code for fault in verify(other).faults} == {"changed", "unreadable"}
    done = repair(other.log.path, tmp_path / "new.db", registry=other.registry)
    assert (done.events, done.accounts[0].lost) == (5, 4)


@pytest.mark.parametrize("value", ["true", "0", "-1", '"2"', "[]", "2.5", "null"])
def test_a_value_of_an_option_that_does_not_fit_is_refused_with_its_line(
    store: Store, other: Store, value: str
) -> None:
    file = file_of(store, begin(store, game="friday"))
    wrong = re.sub(rb'"rounds":[0-9]+', f'"rounds":{value}'.encode(), file)
    assert wrong != file
    with pytest.raises(BadRecord, match=r"line 2: Event 1 of game friday .*\$\.options\.rounds") as caught:
        bring(other, again_chained(wrong))
    assert caught.value.line == 2
    assert other.log.games() == []


TEAMS = [f'"A":{value}' for value in ("0", "2.0", "1E400", '"2"', "null", "[]")]
ROUNDS = [f'"max_rounds":{value}' for value in ("true", "0", "-1", '"2"', "[]", "1.5", "1E400")]


@pytest.mark.parametrize("now", [*TEAMS, *ROUNDS])
def test_a_value_that_a_real_title_does_not_take_is_refused(tmp_path: Path, now: str) -> None:
    was = b'"max_rounds":null' if now in ROUNDS else b'"A":"p1"'
    with Store.open(tmp_path / "games.db") as store:
        file = file_of(store, store.do(None, New("monsters-forever", ["Ann", "Bo"])).game.id)
    assert file.count(was) == 1
    wrong = again_chained(file.replace(was, now.encode()))
    with Store.open(tmp_path / "other.db") as other:
        with pytest.raises(BadRecord) as caught:
            bring(other, wrong)
        assert caught.value.line == 2
        assert other.log.games() == []


# --- known games ---


def test_the_same_file_again_is_nothing_to_do(store: Store, other: Store) -> None:
    file = file_of(store, rich(store))
    assert bring(other, file) == [ImportedGame("friday", 14, 6, new=True)]
    assert bring(other, file) == [ImportedGame("friday", 0, 0, new=False)]
    assert bring(store, file, file) == [ImportedGame("friday", 0, 0, new=False)] * 2
    assert file_of(other, "friday") == file


def test_a_longer_file_appends_its_tail(store: Store, other: Store) -> None:
    game = rich(store)
    short = file_of(store, game)
    play(store, game, 4)
    store.do(game, WriteNote(14, text="new"))
    long = file_of(store, game)
    bring(other, short)
    assert bring(other, long) == [ImportedGame("friday", 4, 1, new=False)]
    assert file_of(other, "friday") == long
    assert bring(other, short) == [ImportedGame("friday", 0, 0, new=False)]
    assert file_of(other, "friday") == long


def test_a_short_and_a_long_file_come_in_together(store: Store, other: Store) -> None:
    game = rich(store)
    short = file_of(store, game)
    play(store, game, 4)
    long = file_of(store, game)
    assert bring(other, short, long) == [
        ImportedGame("friday", 14, 6, new=True),
        ImportedGame("friday", 4, 0, new=False),
    ]
    assert file_of(other, "friday") == long


def test_another_game_under_the_same_id_is_refused_or_copied(store: Store, other: Store) -> None:
    game = rich(store)
    mine = begin(other, game="friday", title="mine")
    play(other, mine, 2)
    before = file_of(other, mine)
    with pytest.raises(
        BadRecord, match="file1, line 2: another game friday is here, which differs from event 1 on"
    ):
        bring(other, file_of(store, game))
    assert file_of(other, mine) == before
    (done,) = bring(other, file_of(store, game), copy=True)
    assert done.game != "friday"
    assert (done.events, done.notes, done.new) == (14, 6, True)
    assert file_of(other, mine) == before
    assert file_of(other, done.game).split(b"\n", 1)[1] == file_of(store, game).split(b"\n", 1)[1]


def test_the_later_of_two_versions_of_a_note_stands(store: Store, other: Store) -> None:
    game = begin(store)
    with freeze_time("2026-09-14T10:00:00Z"):
        note = store.do(game, WriteNote(1, text="first")).result
    first = file_of(store, game)
    bring(other, first)
    with freeze_time("2026-09-14T11:00:00Z"):
        store.do(game, WriteNote(1, text="second", note=note.id))
    assert bring(other, file_of(store, game))[0].notes == 1
    assert [item.text for item in other.game(game).all_notes] == ["second"]
    assert bring(other, first)[0].notes == 0
    assert [item.text for item in other.game(game).all_notes] == ["second"]
    with freeze_time("2026-09-14T12:00:00Z"):
        other.do(game, RemoveNote(note.id))
    assert bring(other, file_of(store, game))[0].notes == 0
    assert other.game(game).all_notes == []


def test_names_that_were_corrected_here_stay(store: Store, other: Store) -> None:
    file = file_of(store, rich(store))
    bring(other, file)
    other.set_details("friday", title="Saturday")
    bring(other, file)
    assert other.catalogue.get("friday").title == "Saturday"


# --- files that are cut off or wrong ---


def test_a_cut_off_file_is_read_up_to_its_last_whole_line(store: Store, tmp_path: Path) -> None:
    game = begin(store, game="friday")
    play(store, game, 4)
    file = file_of(store, game)
    ends = [place for place, byte in enumerate(file) if byte == 10]
    for number, cut in enumerate(range(ends[1] + 2, len(file) - 1, 37)):
        if cut - 1 in ends or cut in ends:
            continue
        with Store.open(tmp_path / f"{number}.db", registry=REGISTRY) as place:
            whole = sum(end < cut for end in ends)
            assert [item.cut_off for item in bring(place, file[:cut])] == [whole + 1]
            assert place.log.head(game).seq == whole - 1  # type: ignore[union-attr]
            assert bring(place, file)[0].events == 5 - (whole - 1)
            assert file_of(place, game) == file


def test_a_note_that_is_cut_off_is_left_out_and_told(store: Store, other: Store) -> None:
    game = begin(store, game="friday")
    play(store, game, 4)
    store.do(game, WriteNote(2, text="one"))
    first = len(file_of(store, game))
    store.do(game, WriteNote(3, text="two"))
    file = file_of(store, game)
    assert bring(other, file[: first - 9]) == [ImportedGame("friday", 5, 0, new=True, cut_off=7)]
    assert bring(other, file[:-9]) == [ImportedGame("friday", 0, 1, new=False, cut_off=8)]
    assert bring(other, file) == [ImportedGame("friday", 0, 1, new=False)]
    assert file_of(other, game) == file


def test_a_whole_last_line_needs_no_newline(store: Store, other: Store) -> None:
    file = file_of(store, rich(store))
    assert bring(other, file[:-1]) == [ImportedGame("friday", 14, 6, new=True)]


def test_a_file_cut_off_inside_an_amendment_shows_what_was_before_it(store: Store, other: Store) -> None:
    from tests.eventstore.test_replay import append  # noqa: PLC0415

    game = begin(store, game="friday")
    store.do(game, Record([HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06"))]))
    append(
        store,
        game,
        '{"kind":"record.amended","edits":[{"after":1,"drop":1,"put":1}],"reason":"misread"}',
        '{"kind":"hand_dealt","player":"p1","cards":["c10","c11","c12"]}',
    )
    bring(other, file_of(store, game)[:-20])
    assert other.game(game).position().state.hands["p1"].known == ("c01", "c02", "c03")


def again_chained(file: bytes) -> bytes:
    """A file whose header fits its events again, as if they had been recorded so."""
    header, *lines = file.splitlines(keepends=True)
    value = bytes(32)
    for line in lines:
        if line.startswith(b'{"seq":'):
            value = hashlib.sha256(value + line).digest()
    said = {**json.loads(header), "head": value.hex()}
    return json.dumps(said, ensure_ascii=False, separators=(",", ":")).encode() + b"\n" + b"".join(lines)


def header(**changes: object) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        said = {**json.loads(lines[0]), **changes}
        kept = {key: value for key, value in said.items() if value is not ...}
        return [json.dumps(kept, ensure_ascii=False, separators=(",", ":")).encode() + b"\n", *lines[1:]]

    return change


def line(number: int, was: bytes, now: bytes) -> Callable[[Lines], Lines]:
    def change(lines: Lines) -> Lines:
        assert was in lines[number - 1]
        return [*lines[: number - 1], lines[number - 1].replace(was, now), *lines[number:]]

    return change


def put(number: int, *new: bytes, drop: int = 0) -> Callable[[Lines], Lines]:
    return lambda lines: [*lines[: number - 1], *new, *lines[number - 1 + drop :]]


NOTE = (
    b'{"note":{"id":"n1","seq":2,"at":"2026-09-14T10:00:00.000000Z","by":"recorder",'
    b'"text":"x","glyph":null,"tags":[]}}\n'
)


def noted(was: bytes, now: bytes) -> Callable[[Lines], Lines]:
    return lambda lines: [*lines, NOTE.replace(was, now)]


FAULTS = [
    ("not json", lambda _: [b"hello\n"], 1, "not the first line of a Tabletape record"),
    ("empty", lambda _: [], 1, "no whole line"),
    ("a picture", lambda _: [b"\x89PNG\r\n\x1a\n\x00"], 1, "not the first line of a Tabletape record"),
    ("another jsonl", lambda _: [b'{"seq":1}\n'], 1, "not the first line of a Tabletape record"),
    ("no events", lambda lines: lines[:1], 2, "no events"),
    ("a later format", header(format_version=2), 1, "format version is 2"),
    ("a key too many", header(mood="good"), 1, "unknown field `mood`"),
    ("a key missing", header(title=...), 1, "missing required field `title`"),
    ("an id that cannot be", header(game="A game"), 1, "cannot be a game's id"),
    ("a title too long", header(title="x" * 201), 1, "at most 200"),
    ("a title not trimmed", header(title=" x"), 1, "begins or ends with a space"),
    ("no date", header(played_on="soon"), 1, "no date like 2026-09-14"),
    ("no zone", header(time_zone="Moon"), 1, "no time zone like"),
    ("another head", header(head="0" * 64), 1, "lines were changed or are missing"),
    ("another ruleset", header(ruleset="chess"), 1, "not those of its first event"),
    ("another version", header(version=1), 1, "not those of its first event"),
    ("other eyes", header(seen_as="p1"), 1, "not those of its first event"),
    ("other seats", header(seats=[{"seat": "p1", "name": "Ann"}]), 1, "not those of its first event"),
    ("a changed event", line(4, b"p2", b"p1"), 1, "lines were changed or are missing"),
    ("a changed time", line(4, b"Z", b"1Z"), 4, "no point in time"),
    ("a month too many", line(4, b"2026-09", b"2026-19"), 4, "no point in time"),
    ("a day too many", line(4, b"09-14", b"09-31"), 4, "no point in time"),
    ("a second too many", line(4, b":00.", b":60."), 4, "no point in time"),
    ("a time before which no zone has one", line(4, b"2026-09-14", b"0001-01-01"), 4, "no point in time"),
    ("a time after which no zone has one", line(4, b"2026-09-14", b"9999-12-31"), 4, "no point in time"),
    ("a writer with a space", line(4, b"recorder", b"the recorder"), 4, "no event as Tabletape writes it"),
    ("a number of 4,400 digits", line(4, b'"seq":3', b'"seq":' + b"3" * 4400), 4, "no event as Tabletape"),
    ("a version of twenty digits", header(version=99999999999999999999), 1, "1000000"),
    ("a version of none", header(version=0), 1, ">= 1"),
    ("a space", line(4, b'"seq":3,', b'"seq": 3,'), 4, "no event as Tabletape writes it"),
    ("a line missing", put(4, drop=1), 4, "event 3 should stand here, not 4"),
    ("the last line missing", lambda lines: lines[:-1], 1, "lines were changed or are missing"),
    ("a blank line", put(4, b"\n"), 4, "no event as Tabletape writes it"),
    ("no utf-8", put(4, b"\xff\n"), 4, "no UTF-8 text"),
    ("no object", line(4, b'"event":{', b'"event":{{'), 4, "no JSON object with a kind"),
    ("an event after a note", put(4, NOTE), 5, "no note as Tabletape writes it"),
    ("a note on nothing", noted(b'"seq":2', b'"seq":99'), 7, "on event 99"),
    ("a note twice", lambda lines: [*lines, NOTE, NOTE], 8, "stands here twice"),
    ("a note without text", noted(b'"x"', b'""'), 7, "neither text nor mark nor tag"),
    ("a note with a bell", noted(b'"x"', b'"\\u0007"'), 7, "control character"),
    ("a note with a key", noted(b'"tags"', b'"mood":1,"tags"'), 7, "unknown field `mood`"),
    ("a note by a name", noted(b'"recorder"', b'"Ann S"'), 7, "time or writer"),
    ("a note before time", noted(b"2026-09-14", b"0001-01-01"), 7, "time or writer"),
    ("a note on 4,400 digits", noted(b'"seq":2', b'"seq":' + b"2" * 4400), 7, "no note as Tabletape writes"),
]  # fmt: skip
CHAINED = [
    ("an unknown kind", line(4, b"hand_dealt", b"cake_dealt"), 4, "no event of kind 'cake_dealt'"),
    ("a wrong field", line(4, b'"player"', b'"seat"'), 4, "unknown field `seat`"),
    ("against the rules", line(4, b'"p2"', b'"p1"'), 4, "against the rules"),
    ("an undo of nothing", put(5, b'{"seq":4,"at":"2026-09-14T10:00:00.000000Z","by":"recorder","event":'
     b'{"kind":"record.undone","to":9}}\n', drop=1), 5, "9 is no earlier event"),
    ("no beginning", line(2, b"record.started", b"record.begun!!"), 2, "no event of kind 'record.begun!!'"),
    ("no seats", line(2, b'"seats":["p1","p2"]', b'"seats":"p1"'), 2, "it begins no game"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("change", "number", "says"), [fault[1:] for fault in FAULTS], ids=[fault[0] for fault in FAULTS]
)
def test_each_fault_is_named_with_its_line_and_nothing_is_written(
    store: Store, other: Store, change: Callable[[Lines], Lines], number: int, says: str
) -> None:
    refused(store, other, lambda file: b"".join(change(file.splitlines(keepends=True))), number, says)


@pytest.mark.parametrize(
    ("change", "number", "says"), [fault[1:] for fault in CHAINED], ids=[fault[0] for fault in CHAINED]
)
def test_a_good_chain_does_not_excuse_a_bad_event(
    store: Store, other: Store, change: Callable[[Lines], Lines], number: int, says: str
) -> None:
    refused(
        store,
        other,
        lambda file: again_chained(b"".join(change(file.splitlines(keepends=True)))),
        number,
        says,
    )


def refused(store: Store, other: Store, change: Callable[[bytes], bytes], number: int, says: str) -> None:
    with freeze_time("2026-09-14T10:00:00Z"):
        game = begin(store, game="friday")
        play(store, game, 3)
        store.do(game, Record([RecordClosed("abandoned")]))
        sound = begin(store, game="sound")
    with pytest.raises(BadRecord) as told:
        bring(other, file_of(store, sound), change(file_of(store, game)))
    assert (told.value.file, told.value.line) == ("file2", number), str(told.value)
    assert says in str(told.value)
    assert str(told.value).endswith("; nothing was imported.")
    assert other.log.games() == []


def test_an_import_that_the_log_refuses_leaves_no_names_behind(
    store: Store, other: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    from eventstore.sqlite.tables import changes  # noqa: PLC0415

    file = file_of(store, rich(store))

    def fails(*_: object) -> None:
        raise OSError("the power went")

    monkeypatch.setattr(changes, "put_details", fails)
    with pytest.raises(OSError, match="the power went"):
        bring(other, file)
    assert other.log.games() == []
    with other.log.reader() as connection:
        assert connection.execute("SELECT count(*) FROM names").fetchone() == (0,)


def test_players_of_one_name_stand_in_the_file_as_typed_and_are_told_apart_where_they_are_shown(
    store: Store, other: Store
) -> None:
    game = begin(store, players=("Ann", "ann"))
    file = file_of(store, game)
    assert [seat["name"] for seat in json.loads(file.splitlines()[0])["seats"]] == ["Ann", "ann"]
    assert b'"ann"' in file_of(store, game, "p1").splitlines()[0]
    bring(other, file)
    assert file_of(other, game) == file
    for one in (store, other):
        assert one.game(game).names == {"p1": "Ann (1)", "p2": "ann (2)"}
        assert [seat.name for seat in one.catalogue.get(game).seats] == ["Ann", "ann"]
        assert [entry.game for entry in one.catalogue.list(player="Ann")] == [game]
