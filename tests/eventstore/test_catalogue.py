"""The list of games agrees with the logs, whoever appended; names and titles can be corrected."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest
from freezegun import freeze_time

from eventstore.errors import UnknownGame
from eventstore.library import catalogue as module
from eventstore.library import details
from eventstore.recording.amending import HistoryEdit, Insert, Replace
from eventstore.recording.commands import Amend, Check, Record, Redo, Rule, Undo, WriteNote
from eventstore.refusals import AmbiguousGame, BadDetail, UnknownSeat
from eventstore.simulation import save, simulate
from eventstore.store import Store
from games.core.events import Change, RecordClosed, RecordRuled
from games.core.registry import registry_of
from games.examples.high_card import TOY
from tests.eventstore.played import HOSTILE, REGISTRY, begin, damage, play


def ids(tape: Store, **asked: object) -> list[str]:
    return [entry.game for entry in tape.catalogue.list(**asked)]  # type: ignore[arg-type]


def test_an_entry_says_who_played_what_and_how_it_stands(tape: Store) -> None:
    game = begin(tape, title="Friday", place="Home", played_on="2026-09-14", time_zone="Europe/Helsinki")
    play(tape, game, 5)
    (entry,) = tape.catalogue.list()
    assert entry == tape.catalogue.get(game)
    assert (entry.ruleset, entry.version, entry.title, entry.place) == (TOY.id, 2, "Friday", "Home")
    assert [(seat.seat, seat.name) for seat in entry.seats] == [("p1", "Ann"), ("p2", "Bo")]
    assert (entry.steps, entry.seq, entry.status, entry.result, entry.origin) == (
        5,
        6,
        "playing",
        None,
        "table",
    )
    assert entry.created_at == tape.log.events(game)[0].recorded_at


def test_the_list_keeps_up_with_undo_and_closing(tape: Store) -> None:
    game = begin(tape)
    play(tape, game, 5)
    assert tape.catalogue.list()[0].steps == 5
    tape.do(game, Undo(2))
    assert (tape.catalogue.list()[0].steps, tape.catalogue.list()[0].seq) == (3, 8)
    tape.do(game, Record([RecordClosed("conceded", seat="p1")]))
    (entry,) = tape.catalogue.list()
    assert (entry.status, entry.result.reason, entry.result.winners) == ("closed", "conceded", ("p2",))  # type: ignore[union-attr]
    tape.do(game, Undo())
    assert tape.catalogue.list()[0].status == "playing"


def test_a_finished_game_has_its_result(tape: Store) -> None:
    game = begin(tape, options={"rounds": 1})
    play(tape, game, 5)
    assert tape.catalogue.list()[0].status == "over"
    assert tape.catalogue.list()[0].result == tape.game(game).position().outcome()


def test_what_another_process_appended_is_listed(tape: Store, path: Path) -> None:
    game = begin(tape)
    assert ids(tape) == [game]
    with Store.open(path, registry=REGISTRY) as other:
        another = begin(other)
        play(other, game, 4)
        assert ids(tape) == [another, game]
        assert tape.catalogue.list()[1].steps == 4
        assert ids(other) == [another, game]


def test_a_log_that_cannot_be_written_is_listed_as_it_is(
    tape: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(tape, title="Friday")
    assert ids(tape) == [game]
    play(tape, game, 4)
    another = begin(tape)
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        assert ids(reader) == [another, game]
        assert reader.catalogue.list()[1].steps == 4
        assert [entry.game for entry in reader.catalogue.search("friday dealt")] == [game]
    fresh = ids(tape), tape.catalogue.search("dealt")
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        monkeypatch.setattr(
            module, "m3_catalogue", None
        )  # nothing is copied where nothing is to be followed up
        assert (ids(reader), reader.catalogue.search("dealt")) == fresh


def test_simulated_games_hidden_games_and_variations_are_left_out_unless_asked(
    tape: Store, path: Path
) -> None:
    table, dealt = begin(tape), begin(tape, origin="dealt")
    simulated = save(tape, [simulate(TOY.id, 2, 1, 5, registry=REGISTRY)])
    variation = begin(tape, game="variation")
    parent = f'"parent":{{"game":"{table}","head":1,"step":0}}'
    damage(path, "UPDATE events SET payload = replace(payload, '\"parent\":null', ?) WHERE game = 4", parent)
    tape.replays.forget()
    assert ids(tape) == [dealt, table]
    assert ids(tape, variations=True) == [variation, dealt, table]
    assert tape.catalogue.get(variation).parent.game == table  # type: ignore[union-attr]
    assert ids(tape, origin="simulated") == simulated
    assert ids(tape, origin="dealt") == [dealt]
    tape.hide(dealt)
    assert tape.catalogue.get(dealt).hidden
    assert ids(tape) == [table]
    assert ids(tape, hidden=True) == [dealt, table]
    tape.hide(dealt, hidden=False)
    assert ids(tape) == [dealt, table]
    with pytest.raises(UnknownGame):
        tape.hide("nowhere")


def test_a_list_is_narrowed(tape: Store) -> None:
    one = begin(tape, players=("Ann", "Bo"), title="Friday evening")
    two = begin(tape, players=("ÅSA", "Ann"))
    assert ids(tape, player="ann") == [two, one]
    assert ids(tape, player=" åsa ") == [two]
    assert ids(tape, player="An") == [two, one]
    assert ids(tape, player="S") == [two]
    assert ids(tape, player="%") == []
    assert ids(tape, ruleset=TOY.id) == [two, one]
    assert ids(tape, ruleset="chess") == []
    assert ids(tape, text="frid") == [one]
    assert ids(tape, limit=1) == [two]
    assert ids(tape, limit=1, offset=1) == [one]
    assert ids(tape, ruleset=TOY.id, player="bo", text="evening", origin="table") == [one]


def test_words_are_found_in_titles_names_places_notes_tags_and_captions(tape: Store) -> None:
    game = begin(tape, title="Friday", players=("Ann", "Björn"), place="Kalle's")
    begin(tape)
    assert [entry.game for entry in tape.catalogue.search("dealt")] == []
    play(tape, game, 1)
    tape.do(game, WriteNote(2, text="a brilliant opening", tags=("blunder",)))
    for words in ("friday", "bjorn", "kalle's", "brilliant", "blunder", "dealt", "open friday ANN", "brill"):
        assert [entry.game for entry in tape.catalogue.search(words)] == [game], words
    tape.set_details(game, title="Saturday")
    assert tape.catalogue.search("friday") == []
    assert [entry.game for entry in tape.catalogue.search("saturday brilliant dealt")] == [game]


def test_words_of_notes_are_not_looked_for_where_notes_are_not_shown(tape: Store) -> None:
    game = begin(tape, title="Friday night")
    play(tape, game, 1)
    tape.do(game, WriteNote(2, text="a brilliant opening"))
    assert ids(tape, text="brilliant", notes=False) == []
    assert ids(tape, text="friday brilliant", notes=False) == []
    assert ids(tape, text="friday night dealt", notes=False) == [game]
    assert ids(tape, text="brilliant") == [game]


def test_lists_begin_with_the_game_played_last(tape: Store) -> None:
    days = ("2026-09-14", "2026-09-20", "2026-09-14", "2025-01-01")
    first, newest, second, oldest = (begin(tape, played_on=day) for day in days)
    assert ids(tape) == [newest, second, first, oldest]
    assert ids(tape, limit=2, offset=1) == [second, first]
    assert ids(tape, ruleset=TOY.id, limit=1) == [newest]
    tape.set_details(oldest, played_on="2026-10-01")
    assert ids(tape, origin="table") == [oldest, newest, second, first]


@freeze_time("2026-09-15T12:00:00Z")
def test_a_game_without_a_day_stands_where_it_was_begun(tape: Store) -> None:
    before, after = begin(tape, played_on="2026-09-14"), begin(tape, played_on="2026-09-16")
    between = begin(tape)
    tape.set_details(between, played_on=None)
    assert ids(tape) == [after, between, before]


def test_a_search_never_tells_a_hidden_card(tape: Store) -> None:
    game = begin(tape)
    play(tape, game, 4)
    laid = tape.game(game).position().state.laid
    for card in (
        *laid.values(),
        *(known for hand in tape.game(game).position().state.hands.values() for known in hand.known),
    ):
        assert tape.catalogue.search(card) == []
    play(tape, game, 1)
    assert [entry.game for entry in tape.catalogue.search(laid["p1"])] == [game]


@pytest.mark.parametrize(
    "text",
    ["", "  ", "!!", '"', "NEAR(", "a AND", "*", "typed:", "(", "a\x00b", "\udcff", "word " * 5000, *HOSTILE],
)
def test_whatever_is_searched_is_words(tape: Store, text: str) -> None:
    kept = "".join(filter(details.is_text, text)).strip()[:200]
    game = begin(tape, title=kept)
    found = [entry.game for entry in tape.catalogue.search(text)]
    assert found == ([game] if any(map(str.isalnum, text)) else [])
    assert tape.catalogue.list(player=text) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_kept_as_it_is(tape: Store, name: str) -> None:
    game = begin(tape, players=(name, "Bo"), title=name, place=name)
    entry = tape.catalogue.get(game)
    assert (entry.title, entry.place, entry.seats[0].name) == (name, name, name)
    assert ids(tape, player=name) == [game]


def test_names_titles_and_dates_can_be_corrected(tape: Store) -> None:
    game = begin(tape, title="Friday", place="Home")
    tape.set_details(game, played_on="2026-01-31", names={"p2": "  Bosse "})
    entry = tape.catalogue.get(game)
    assert (entry.title, entry.place, entry.played_on) == ("Friday", "Home", "2026-01-31")
    assert [seat.name for seat in entry.seats] == ["Ann", "Bosse"]
    tape.set_details(game, title=None, place="", time_zone="UTC", names={"p1": ""})
    entry = tape.catalogue.get(game)
    assert (entry.title, entry.place, entry.time_zone) == (None, None, "UTC")
    assert [seat.name for seat in entry.seats] == ["Player 1", "Bosse"]
    assert tape.log.head(game).seq == 1  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("given", "refusal"),
    [
        ({"names": {"p3": "Eve"}}, UnknownSeat),
        ({"names": {"p1": "x" * 81}}, BadDetail),
        ({"title": "a\nb"}, BadDetail),
        ({"played_on": "yesterday"}, BadDetail),
        ({"time_zone": "Mars/Olympus"}, BadDetail),
        ({"place": "x" * 201}, BadDetail),
    ],
)
def test_a_correction_that_is_wrong_changes_nothing(
    tape: Store, given: dict[str, object], refusal: type[Exception]
) -> None:
    game = begin(tape, title="Friday")
    before = tape.catalogue.get(game)
    with pytest.raises(refusal):
        tape.set_details(game, **{"title": "Saturday", **given})
    assert tape.catalogue.get(game) == before


def test_the_limits_themselves_are_allowed(tape: Store) -> None:
    game = begin(tape, players=("x" * 80, "😀" * 80), title="y" * 200)
    assert len(tape.catalogue.get(game).seats[1].name) == 80


def test_an_id_may_be_shortened_as_long_as_one_game_has_it(tape: Store) -> None:
    for game in ("alpha-one", "alpha-two", "alpha", "beta-1"):
        begin(tape, game=game)
    tape.do("beta-1", WriteNote(1, text="x"))
    assert tape.catalogue.resolve("b") == "beta-1"
    assert tape.catalogue.resolve(" ALPHA ") == "alpha"
    assert tape.catalogue.resolve("alpha-o") == "alpha-one"
    with pytest.raises(AmbiguousGame, match="alpha-one, alpha-two: write more of the id"):
        tape.catalogue.resolve("alpha-")
    for unknown in ("gamma", "", " ", "%", "beta-1/notes", "\udcff"):
        with pytest.raises(UnknownGame):
            tape.catalogue.resolve(unknown)
    assert tape.catalogue.ids("alp") == ["alpha", "alpha-one", "alpha-two"]
    assert tape.catalogue.ids("alp", limit=1) == ["alpha"]


def test_rulesets_come_and_go(tape: Store, path: Path) -> None:
    game = begin(tape, options={"rounds": 1})
    play(tape, game, 5)
    with Store.open(path, registry=registry_of()) as bare:
        (entry,) = bare.catalogue.list()
        assert (entry.status, entry.result, entry.steps) == ("text-only", None, 5)
        assert bare.catalogue.get(game).status == "text-only"
    assert tape.catalogue.list()[0].status == "over"
    with Store.open(path, registry=registry_of()) as bare:
        assert bare.catalogue.list()[0].status == "text-only"


def test_one_broken_game_does_not_hide_the_others(tape: Store, path: Path) -> None:
    broken, sound = begin(tape), begin(tape)
    play(tape, broken, 4)
    damage(path, "UPDATE events SET payload = '{' WHERE seq = 3")
    tape.replays.forget()
    assert [(entry.game, entry.status) for entry in tape.catalogue.list()] == [
        (sound, "playing"),
        (broken, "text-only"),
    ]


def test_a_game_whose_id_is_damaged_does_not_hide_the_others(tape: Store, path: Path) -> None:
    begin(tape, game="friday")
    sound = begin(tape)
    damage(path, "UPDATE games SET id = 'FRIDAY' WHERE id = 'friday'")
    assert ids(tape) == [sound]
    assert [entry.game for entry in tape.catalogue.search("ann")] == [sound]


@pytest.mark.parametrize(
    "sql", ["result = '{'", "seats = '['", "seats = NULL", "parent = 'x'", "seats = CAST(x'5be3' AS TEXT)"]
)
def test_a_damaged_row_of_the_list_is_found_out_again(tape: Store, path: Path, sql: str) -> None:
    game, other = begin(tape), begin(tape)
    play(tape, game, 3)
    was = {entry.game: entry for entry in tape.catalogue.list()}
    damage(path, f"UPDATE catalogue SET {sql} WHERE game = 1")  # noqa: S608 - those above
    assert {entry.game: entry for entry in tape.catalogue.list(variations=True)} == was
    assert was.keys() == {game, other}


def test_a_listed_game_whose_id_is_damaged_hides_no_other(tape: Store, path: Path) -> None:
    broken, sound = begin(tape, game="friday"), begin(tape)
    tape.do(broken, Check({"deck": 3}))
    assert set(ids(tape)) == {broken, sound}
    damage(path, "UPDATE games SET id = 'FRIDAY' WHERE id = 'friday'")
    assert ids(tape) == [sound]


def test_a_damaged_note_or_a_caption_that_fails_hides_no_other_game(path: Path) -> None:
    def describe(state: Any, event: Any) -> str:
        if getattr(event, "player", "") == "p2":
            raise ZeroDivisionError
        return TOY.describe(state, event)

    with Store.open(path, registry=registry_of((replace(TOY, describe=describe),))) as tape:
        noted, failing = begin(tape), begin(tape)
        play(tape, noted, 1)
        play(tape, failing, 2)
        tape.do(noted, WriteNote(1, text="brilliant"))
        damage(path, "UPDATE events SET payload = '{' WHERE kind = 'note.written'")
        assert {entry.game for entry in tape.catalogue.search("dealt")} == {noted, failing}


def test_an_option_that_is_unknown_for_now_keeps_no_game_text_for_ever(tape: Store, path: Path) -> None:
    game = begin(tape)
    play(tape, game, 2)
    older = msgspec.defstruct("Options", [("scores", str, "higher")], frozen=True, forbid_unknown_fields=True)
    with Store.open(path, registry=registry_of((replace(TOY, options=older),))) as old:
        assert old.catalogue.list()[0].status == "text-only"
        assert old.catalogue.search("dealt") == []
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        assert reader.catalogue.list()[0].status == "playing"
    assert tape.catalogue.list()[0].status == "playing"
    assert ids(tape, text="dealt") == [game]


def test_a_game_searched_without_its_ruleset_is_found_by_its_captions_later(tape: Store, path: Path) -> None:
    game = begin(tape)
    play(tape, game, 2)
    with Store.open(path, registry=registry_of()) as bare:
        assert bare.catalogue.search("hand_dealt") == []
        assert [entry.game for entry in bare.catalogue.search("ann")] == [game]
    assert ids(tape) == [game]
    assert ids(tape, text="dealt") == [game]
    assert ids(tape, text="hand_dealt") == []


@pytest.mark.parametrize("what", ["a caption", "a note"])
def test_an_older_text_that_lands_last_replaces_nothing(
    tape: Store, path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    game = begin(tape)
    write, came = tape.log.write, list[str]()
    with Store.open(path, registry=REGISTRY) as other:

        def late(work: Any) -> Any:
            if not came:
                came.append(game)
                if what == "a note":
                    other.do(game, WriteNote(1, text="dealt"))
                else:
                    play(other, game, 1)
                assert ids(other, text="dealt") == [game]
            return write(work)

        assert ids(tape) == [game]
        monkeypatch.setattr(tape.log, "write", late)
        tape.catalogue.search("ann")
        assert ids(other, text="dealt") == [game]


def test_a_column_more_does_not_keep_a_read_only_list_from_its_copy(tape: Store, path: Path) -> None:
    assert tape.catalogue.search("ann") == []
    game = begin(tape)
    for table in ("catalogue", "names", "followed", "texts"):
        damage(path, f"ALTER TABLE {table} ADD COLUMN later TEXT")
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        assert ids(reader) == [game]
        assert ids(reader, text="ann") == [game]


def test_a_page_of_the_list_passes_over_nothing_else(tape: Store) -> None:
    begin(tape)
    ids(tape)
    with tape.log.reader() as connection:
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN {module._ROW} WHERE seq IS NOT NULL AND hidden = 0 AND origin <> 'simulated'"
            f" AND parent IS NULL ORDER BY {module._PLAYED} LIMIT 50"
        ).fetchall()
    said = " ".join(row[3] for row in plan)
    assert "catalogue_listed" in said
    assert "TEMP B-TREE" not in said


def test_many_games_are_brought_in_in_batches(tape: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCH", 2)
    games = [begin(tape) for _ in range(5)]
    assert ids(tape) == games[::-1]


def test_amended_games_and_rulings_are_marked_as_the_game_stands(tape: Store, path: Path) -> None:
    other = begin(tape)
    game = begin(tape)
    play(tape, game, 6)
    tape.do(game, Rule("a bet", changes=[{"at": "/points/p1", "now": 7}]))
    tape.do(game, Amend([HistoryEdit(7, Insert([RecordRuled("one", (Change("/points/p2", 0, 2),))]))]))

    def marks(opened: Store) -> dict[str, tuple[bool, int]]:
        found = opened.catalogue.list()
        assert [opened.catalogue.get(entry.game) for entry in found] == found
        return {entry.game: (entry.amended, entry.rulings) for entry in found}

    assert marks(tape) == {game: (True, 2), other: (False, 0)}
    with Store.open(path, registry=REGISTRY, read_only=True) as reading:
        assert marks(reading) == {game: (True, 2), other: (False, 0)}
    tape.do(game, Undo())
    assert marks(tape)[game] == (False, 1)
    tape.do(game, Undo())
    assert marks(tape)[game] == (False, 0)
    tape.do(game, Redo(2))
    assert marks(tape)[game] == (True, 2)


def test_failed_table_checks_are_marked_as_the_game_stands(tape: Store, path: Path) -> None:
    other = begin(tape)
    game = begin(tape)
    play(tape, game, 6)
    tape.do(game, Check({"points.p1": tape.game(game).position().state.points["p1"]}))
    tape.do(game, Check({"points.p1": 7}))
    tape.do(game, Check({"points.p1": 7, "points.p2": 9}))

    def failed(opened: Store) -> dict[str, int]:
        found = opened.catalogue.list()
        assert [opened.catalogue.get(entry.game) for entry in found] == found
        return {entry.game: entry.failed_checks for entry in found}

    assert failed(tape) == {game: 2, other: 0}
    with Store.open(path, registry=REGISTRY, read_only=True) as reading:
        assert failed(reading) == {game: 2, other: 0}
    tape.do(game, Undo())
    assert failed(tape)[game] == 1
    first = tape.do(game, Amend([HistoryEdit(7, Insert([RecordRuled("so", (Change("/points/p1", 1, 7),))]))]))
    assert first.result.faults == ()
    assert failed(tape)[game] == 1  # the check that held does not any more, the other does
    seq = tape.game(game).position(7).seq
    tape.do(game, Amend([HistoryEdit(seq, Replace([RecordRuled("so", (Change("/points/p1", 1, 8),))]))]))
    assert failed(tape)[game] == 2  # the same checks at the same steps
