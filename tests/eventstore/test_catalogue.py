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
from eventstore.sqlite.tables import list_table
from eventstore.store import Store
from games.core.events import Change, RecordClosed, RecordRuled
from games.core.registry import registry_of
from games.examples.high_card import TOY
from tests.eventstore.played import HOSTILE, REGISTRY, begin, damage, play


def ids(store: Store, **asked: object) -> list[str]:
    return [entry.game for entry in store.catalogue.list(**asked)]  # type: ignore[arg-type]


def test_an_entry_says_who_played_what_and_how_it_stands(store: Store) -> None:
    game = begin(store, title="Friday", place="Home", played_on="2026-09-14", time_zone="Europe/Helsinki")
    play(store, game, 5)
    (entry,) = store.catalogue.list()
    assert entry == store.catalogue.get(game)
    assert (entry.ruleset, entry.version, entry.title, entry.place) == (TOY.id, 2, "Friday", "Home")
    assert [(seat.seat, seat.name) for seat in entry.seats] == [("p1", "Ann"), ("p2", "Bo")]
    assert (entry.steps, entry.seq, entry.status, entry.result, entry.origin) == (
        5,
        6,
        "playing",
        None,
        "table",
    )
    assert entry.created_at == store.log.events(game)[0].recorded_at


def test_the_list_keeps_up_with_undo_and_closing(store: Store) -> None:
    game = begin(store)
    play(store, game, 5)
    assert store.catalogue.list()[0].steps == 5
    store.do(game, Undo(2))
    assert (store.catalogue.list()[0].steps, store.catalogue.list()[0].seq) == (3, 8)
    store.do(game, Record([RecordClosed("conceded", seat="p1")]))
    (entry,) = store.catalogue.list()
    assert (entry.status, entry.result.reason, entry.result.winners) == ("closed", "conceded", ("p2",))  # type: ignore[union-attr]
    store.do(game, Undo())
    assert store.catalogue.list()[0].status == "playing"


def test_a_finished_game_has_its_result(store: Store) -> None:
    game = begin(store, options={"rounds": 1})
    play(store, game, 5)
    assert store.catalogue.list()[0].status == "over"
    assert store.catalogue.list()[0].result == store.game(game).position().outcome()


def test_what_another_process_appended_is_listed(store: Store, path: Path) -> None:
    game = begin(store)
    assert ids(store) == [game]
    with Store.open(path, registry=REGISTRY) as other:
        another = begin(other)
        play(other, game, 4)
        assert ids(store) == [another, game]
        assert store.catalogue.list()[1].steps == 4
        assert ids(other) == [another, game]


def test_a_log_that_cannot_be_written_is_listed_as_it_is(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    game = begin(store, title="Friday")
    assert ids(store) == [game]
    play(store, game, 4)
    another = begin(store)
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        assert ids(reader) == [another, game]
        assert reader.catalogue.list()[1].steps == 4
        assert [entry.game for entry in reader.catalogue.search("friday dealt")] == [game]
    fresh = ids(store), store.catalogue.search("dealt")
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        # Nothing is copied where nothing is to be followed up.
        monkeypatch.setattr(list_table, "m3_catalogue", None)
        assert (ids(reader), reader.catalogue.search("dealt")) == fresh


def test_simulated_games_hidden_games_and_variations_are_left_out_unless_asked(
    store: Store, path: Path
) -> None:
    table, dealt = begin(store), begin(store, origin="dealt")
    simulated = save(store, [simulate(TOY.id, 2, 1, 5, registry=REGISTRY)])
    variation = begin(store, game="variation")
    parent = f'"parent":{{"game":"{table}","head":1,"step":0}}'
    damage(path, "UPDATE events SET payload = replace(payload, '\"parent\":null', ?) WHERE game = 4", parent)
    store.replays.forget()
    assert ids(store) == [dealt, table]
    assert ids(store, variations=True) == [variation, dealt, table]
    assert store.catalogue.get(variation).parent.game == table  # type: ignore[union-attr]
    assert ids(store, origin="simulated") == simulated
    assert ids(store, origin="dealt") == [dealt]
    store.hide(dealt)
    assert store.catalogue.get(dealt).hidden
    assert ids(store) == [table]
    assert ids(store, hidden=True) == [dealt, table]
    store.hide(dealt, hidden=False)
    assert ids(store) == [dealt, table]
    with pytest.raises(UnknownGame):
        store.hide("nowhere")


def test_a_list_is_narrowed(store: Store) -> None:
    one = begin(store, players=("Ann", "Bo"), title="Friday evening")
    two = begin(store, players=("ÅSA", "Ann"))
    assert ids(store, player="ann") == [two, one]
    assert ids(store, player=" åsa ") == [two]
    assert ids(store, player="An") == [two, one]
    assert ids(store, player="S") == [two]
    assert ids(store, player="%") == []
    assert ids(store, ruleset=TOY.id) == [two, one]
    assert ids(store, ruleset="chess") == []
    assert ids(store, text="frid") == [one]
    assert ids(store, limit=1) == [two]
    assert ids(store, limit=1, offset=1) == [one]
    assert ids(store, ruleset=TOY.id, player="bo", text="evening", origin="table") == [one]


def test_words_are_found_in_titles_names_places_notes_tags_and_captions(store: Store) -> None:
    game = begin(store, title="Friday", players=("Ann", "Björn"), place="Kalle's")
    begin(store)
    assert [entry.game for entry in store.catalogue.search("dealt")] == []
    play(store, game, 1)
    store.do(game, WriteNote(2, text="a brilliant opening", tags=("blunder",)))
    for words in ("friday", "bjorn", "kalle's", "brilliant", "blunder", "dealt", "open friday ANN", "brill"):
        assert [entry.game for entry in store.catalogue.search(words)] == [game], words
    store.set_details(game, title="Saturday")
    assert store.catalogue.search("friday") == []
    assert [entry.game for entry in store.catalogue.search("saturday brilliant dealt")] == [game]


def test_words_of_notes_are_not_looked_for_where_notes_are_not_shown(store: Store) -> None:
    game = begin(store, title="Friday night")
    play(store, game, 1)
    store.do(game, WriteNote(2, text="a brilliant opening"))
    assert ids(store, text="brilliant", notes=False) == []
    assert ids(store, text="friday brilliant", notes=False) == []
    assert ids(store, text="friday night dealt", notes=False) == [game]
    assert ids(store, text="brilliant") == [game]


def test_lists_begin_with_the_game_played_last(store: Store) -> None:
    days = ("2026-09-14", "2026-09-20", "2026-09-14", "2025-01-01")
    first, newest, second, oldest = (begin(store, played_on=day) for day in days)
    assert ids(store) == [newest, second, first, oldest]
    assert ids(store, limit=2, offset=1) == [second, first]
    assert ids(store, ruleset=TOY.id, limit=1) == [newest]
    store.set_details(oldest, played_on="2026-10-01")
    assert ids(store, origin="table") == [oldest, newest, second, first]


@freeze_time("2026-09-15T12:00:00Z")
def test_a_game_without_a_day_stands_where_it_was_begun(store: Store) -> None:
    before, after = begin(store, played_on="2026-09-14"), begin(store, played_on="2026-09-16")
    between = begin(store)
    store.set_details(between, played_on=None)
    assert ids(store) == [after, between, before]


def test_a_search_never_tells_a_hidden_card(store: Store) -> None:
    game = begin(store)
    play(store, game, 4)
    laid = store.game(game).position().state.laid
    for card in (
        *laid.values(),
        *(known for hand in store.game(game).position().state.hands.values() for known in hand.known),
    ):
        assert store.catalogue.search(card) == []
    play(store, game, 1)
    assert [entry.game for entry in store.catalogue.search(laid["p1"])] == [game]


@pytest.mark.parametrize(
    "text",
    ["", "  ", "!!", '"', "NEAR(", "a AND", "*", "typed:", "(", "a\x00b", "\udcff", "word " * 5000, *HOSTILE],
)
def test_whatever_is_searched_is_words(store: Store, text: str) -> None:
    kept = "".join(filter(details.is_text, text)).strip()[:200]
    game = begin(store, title=kept)
    found = [entry.game for entry in store.catalogue.search(text)]
    assert found == ([game] if any(map(str.isalnum, text)) else [])
    assert store.catalogue.list(player=text) == []


@pytest.mark.parametrize("name", HOSTILE)
def test_any_name_is_kept_as_it_is(store: Store, name: str) -> None:
    game = begin(store, players=(name, "Bo"), title=name, place=name)
    entry = store.catalogue.get(game)
    assert (entry.title, entry.place, entry.seats[0].name) == (name, name, name)
    assert ids(store, player=name) == [game]


def test_names_titles_and_dates_can_be_corrected(store: Store) -> None:
    game = begin(store, title="Friday", place="Home")
    store.set_details(game, played_on="2026-01-31", names={"p2": "  Bosse "})
    entry = store.catalogue.get(game)
    assert (entry.title, entry.place, entry.played_on) == ("Friday", "Home", "2026-01-31")
    assert [seat.name for seat in entry.seats] == ["Ann", "Bosse"]
    store.set_details(game, title=None, place="", time_zone="UTC", names={"p1": ""})
    entry = store.catalogue.get(game)
    assert (entry.title, entry.place, entry.time_zone) == (None, None, "UTC")
    assert [seat.name for seat in entry.seats] == ["Player 1", "Bosse"]
    assert store.log.head(game).seq == 1  # type: ignore[union-attr]


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
    store: Store, given: dict[str, object], refusal: type[Exception]
) -> None:
    game = begin(store, title="Friday")
    before = store.catalogue.get(game)
    with pytest.raises(refusal):
        store.set_details(game, **{"title": "Saturday", **given})
    assert store.catalogue.get(game) == before


def test_the_limits_themselves_are_allowed(store: Store) -> None:
    game = begin(store, players=("x" * 80, "😀" * 80), title="y" * 200)
    assert len(store.catalogue.get(game).seats[1].name) == 80


def test_an_id_may_be_shortened_as_long_as_one_game_has_it(store: Store) -> None:
    for game in ("alpha-one", "alpha-two", "alpha", "beta-1"):
        begin(store, game=game)
    store.do("beta-1", WriteNote(1, text="x"))
    assert store.catalogue.resolve("b") == "beta-1"
    assert store.catalogue.resolve(" ALPHA ") == "alpha"
    assert store.catalogue.resolve("alpha-o") == "alpha-one"
    with pytest.raises(AmbiguousGame, match="alpha-one, alpha-two: write more of the id"):
        store.catalogue.resolve("alpha-")
    for unknown in ("gamma", "", " ", "%", "beta-1/notes", "\udcff"):
        with pytest.raises(UnknownGame):
            store.catalogue.resolve(unknown)
    assert store.catalogue.ids("alp") == ["alpha", "alpha-one", "alpha-two"]
    assert store.catalogue.ids("alp", limit=1) == ["alpha"]


def test_rulesets_come_and_go(store: Store, path: Path) -> None:
    game = begin(store, options={"rounds": 1})
    play(store, game, 5)
    with Store.open(path, registry=registry_of()) as bare:
        (entry,) = bare.catalogue.list()
        assert (entry.status, entry.result, entry.steps) == ("text-only", None, 5)
        assert bare.catalogue.get(game).status == "text-only"
    assert store.catalogue.list()[0].status == "over"
    with Store.open(path, registry=registry_of()) as bare:
        assert bare.catalogue.list()[0].status == "text-only"


def test_one_broken_game_does_not_hide_the_others(store: Store, path: Path) -> None:
    broken, sound = begin(store), begin(store)
    play(store, broken, 4)
    damage(path, "UPDATE events SET payload = '{' WHERE seq = 3")
    store.replays.forget()
    assert [(entry.game, entry.status) for entry in store.catalogue.list()] == [
        (sound, "playing"),
        (broken, "text-only"),
    ]


def test_a_game_whose_id_is_damaged_does_not_hide_the_others(store: Store, path: Path) -> None:
    begin(store, game="friday")
    sound = begin(store)
    damage(path, "UPDATE games SET id = 'FRIDAY' WHERE id = 'friday'")
    assert ids(store) == [sound]
    assert [entry.game for entry in store.catalogue.search("ann")] == [sound]


@pytest.mark.parametrize(
    "sql", ["result = '{'", "seats = '['", "seats = NULL", "parent = 'x'", "seats = CAST(x'5be3' AS TEXT)"]
)
def test_a_damaged_row_of_the_list_is_found_out_again(store: Store, path: Path, sql: str) -> None:
    game, other = begin(store), begin(store)
    play(store, game, 3)
    was = {entry.game: entry for entry in store.catalogue.list()}
    damage(path, f"UPDATE catalogue SET {sql} WHERE game = 1")  # noqa: S608 - those above
    assert {entry.game: entry for entry in store.catalogue.list(variations=True)} == was
    assert was.keys() == {game, other}


def test_a_listed_game_whose_id_is_damaged_hides_no_other(store: Store, path: Path) -> None:
    broken, sound = begin(store, game="friday"), begin(store)
    store.do(broken, Check({"deck": 3}))
    assert set(ids(store)) == {broken, sound}
    damage(path, "UPDATE games SET id = 'FRIDAY' WHERE id = 'friday'")
    assert ids(store) == [sound]


def test_a_damaged_note_or_a_caption_that_fails_hides_no_other_game(path: Path) -> None:
    def describe(state: Any, event: Any) -> str:
        if getattr(event, "player", "") == "p2":
            raise ZeroDivisionError
        return TOY.describe(state, event)

    with Store.open(path, registry=registry_of((replace(TOY, describe=describe),))) as store:
        noted, failing = begin(store), begin(store)
        play(store, noted, 1)
        play(store, failing, 2)
        store.do(noted, WriteNote(1, text="brilliant"))
        damage(path, "UPDATE events SET payload = '{' WHERE kind = 'note.written'")
        assert {entry.game for entry in store.catalogue.search("dealt")} == {noted, failing}


def test_an_option_that_is_unknown_for_now_keeps_no_game_text_for_ever(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 2)
    older = msgspec.defstruct("Options", [("scores", str, "higher")], frozen=True, forbid_unknown_fields=True)
    with Store.open(path, registry=registry_of((replace(TOY, options=older),))) as old:
        assert old.catalogue.list()[0].status == "text-only"
        assert old.catalogue.search("dealt") == []
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        assert reader.catalogue.list()[0].status == "playing"
    assert store.catalogue.list()[0].status == "playing"
    assert ids(store, text="dealt") == [game]


def test_a_game_searched_without_its_ruleset_is_found_by_its_captions_later(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 2)
    with Store.open(path, registry=registry_of()) as bare:
        assert bare.catalogue.search("hand_dealt") == []
        assert [entry.game for entry in bare.catalogue.search("ann")] == [game]
    assert ids(store) == [game]
    assert ids(store, text="dealt") == [game]
    assert ids(store, text="hand_dealt") == []


@pytest.mark.parametrize("what", ["a caption", "a note"])
def test_an_older_text_that_lands_last_replaces_nothing(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch, what: str
) -> None:
    game = begin(store)
    write, came = store.log.write, list[str]()
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

        assert ids(store) == [game]
        monkeypatch.setattr(store.log, "write", late)
        store.catalogue.search("ann")
        assert ids(other, text="dealt") == [game]


def test_a_column_more_does_not_keep_a_read_only_list_from_its_copy(store: Store, path: Path) -> None:
    assert store.catalogue.search("ann") == []
    game = begin(store)
    for table in ("catalogue", "names", "followed", "texts"):
        damage(path, f"ALTER TABLE {table} ADD COLUMN later TEXT")
    with Store.open(path, registry=REGISTRY, read_only=True) as reader:
        assert ids(reader) == [game]
        assert ids(reader, text="ann") == [game]


@pytest.mark.database
def test_a_page_of_the_list_passes_over_nothing_else(store: Store) -> None:
    begin(store)
    ids(store)
    with store.log.reader() as connection:
        plan = connection.execute(
            f"EXPLAIN QUERY PLAN {list_table.ROW} WHERE seq IS NOT NULL AND hidden = 0"
            f" AND origin <> 'simulated' AND parent IS NULL ORDER BY {list_table.PLAYED} LIMIT 50"
        ).fetchall()
    said = " ".join(row[3] for row in plan)
    assert "catalogue_listed" in said
    assert "TEMP B-TREE" not in said


def test_many_games_are_brought_in_in_batches(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_BATCH", 2)
    games = [begin(store) for _ in range(5)]
    assert ids(store) == games[::-1]


def test_amended_games_and_rulings_are_marked_as_the_game_stands(store: Store, path: Path) -> None:
    other = begin(store)
    game = begin(store)
    play(store, game, 6)
    store.do(game, Rule("a bet", changes=[{"at": "/points/p1", "now": 7}]))
    store.do(game, Amend([HistoryEdit(7, Insert([RecordRuled("one", (Change("/points/p2", 0, 2),))]))]))

    def marks(opened: Store) -> dict[str, tuple[bool, int]]:
        found = opened.catalogue.list()
        assert [opened.catalogue.get(entry.game) for entry in found] == found
        return {entry.game: (entry.amended, entry.rulings) for entry in found}

    assert marks(store) == {game: (True, 2), other: (False, 0)}
    with Store.open(path, registry=REGISTRY, read_only=True) as reading:
        assert marks(reading) == {game: (True, 2), other: (False, 0)}
    store.do(game, Undo())
    assert marks(store)[game] == (False, 1)
    store.do(game, Undo())
    assert marks(store)[game] == (False, 0)
    store.do(game, Redo(2))
    assert marks(store)[game] == (True, 2)


def test_failed_table_checks_are_marked_as_the_game_stands(store: Store, path: Path) -> None:
    other = begin(store)
    game = begin(store)
    play(store, game, 6)
    store.do(game, Check({"points.p1": store.game(game).position().state.points["p1"]}))
    store.do(game, Check({"points.p1": 7}))
    store.do(game, Check({"points.p1": 7, "points.p2": 9}))

    def failed(opened: Store) -> dict[str, int]:
        found = opened.catalogue.list()
        assert [opened.catalogue.get(entry.game) for entry in found] == found
        return {entry.game: entry.failed_checks for entry in found}

    assert failed(store) == {game: 2, other: 0}
    with Store.open(path, registry=REGISTRY, read_only=True) as reading:
        assert failed(reading) == {game: 2, other: 0}
    store.do(game, Undo())
    assert failed(store)[game] == 1
    first = store.do(
        game, Amend([HistoryEdit(7, Insert([RecordRuled("so", (Change("/points/p1", 1, 7),))]))])
    )
    assert first.result.faults == ()
    assert failed(store)[game] == 1  # the check that held does not any more, the other does
    seq = store.game(game).position(7).seq
    store.do(game, Amend([HistoryEdit(seq, Replace([RecordRuled("so", (Change("/points/p1", 1, 8),))]))]))
    assert failed(store)[game] == 2  # the same checks at the same steps
