"""Sittings: from the pauses of the record, in the game's own zone, whatever was undone or corrected since."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from freezegun import freeze_time

from eventstore.formats.record_file import export_record, import_records
from eventstore.library.sittings import Sitting, sittings
from eventstore.log.rows import Details, NewEvent
from eventstore.recording.commands import Undo
from eventstore.store import Store
from tests.eventstore.played import REGISTRY, begin, play

ZONE = "Europe/Helsinki"
PLAYED = {"played_on": "2026-09-14", "time_zone": ZONE}


def evening(store: Store, *pauses: tuple[str, int], **given: Any) -> str:
    """Begin a game, and record so many events at each of these times."""
    (first, count), *rest = pauses
    with freeze_time(first) as clock:
        game = begin(store, **(PLAYED | given))
        play(store, game, count)
        for when, more in rest:
            clock.move_to(when)
            play(store, game, more)
    return game


def found(store: Store, game: str) -> list[str]:
    return [f"{sitting.step}: {sitting.label()}" for sitting in sittings(store.game(game))]


def test_one_evening_is_one_sitting_also_past_midnight(store: Store) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 3), ("2026-09-14T21:59Z", 2), ("2026-09-15T01:50Z", 2))
    assert found(store, game) == ["0: First sitting, 2026-09-14"]


def test_a_pause_of_days_divides_and_days_are_those_of_the_games_own_zone(store: Store) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 3), ("2026-09-15T22:30Z", 2), ("2026-09-17T18:00Z", 2))
    assert found(store, game) == [
        "0: First sitting, 2026-09-14",
        "4: Second sitting, 2026-09-16",
        "6: Third sitting, 2026-09-17",
    ]
    store.set_details(game, time_zone="America/New_York")
    assert found(store, game)[1] == "4: Second sitting, 2026-09-15"


def test_just_four_hours_are_a_long_supper(store: Store) -> None:
    game = evening(store, ("2026-09-14T12:00Z", 1), ("2026-09-14T16:00Z", 1), ("2026-09-14T20:00:01Z", 1))
    assert [line[:2] for line in found(store, game)] == ["0:", "3:"]


def test_the_sessions_own_day_zone_and_place_stay_when_it_is_entered_later_elsewhere(store: Store) -> None:
    given = {"played_on": "2026-09-10", "time_zone": "Asia/Tokyo", "place": "Kyoto"}
    game = evening(store, ("2026-09-14T18:00Z", 3), ("2026-09-20T18:00Z", 2), **given)
    entry = store.catalogue.get(game)
    assert (entry.played_on, entry.time_zone, entry.place) == ("2026-09-10", "Asia/Tokyo", "Kyoto")
    assert found(store, game)[1] == "4: Second sitting, entered 2026-09-21"


def test_an_undone_sitting_is_not_counted(store: Store) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 3), ("2026-09-15T18:00Z", 2))
    with freeze_time("2026-09-17T18:00Z"):
        store.do(game, Undo(2))
        assert found(store, game) == ["0: First sitting, 2026-09-14"]
        play(store, game, 2, seed=5)
    assert found(store, game)[1:] == ["4: Second sitting, 2026-09-17"]


def test_a_sitting_keeps_its_place_when_its_first_steps_are_undone_and_played_anew(store: Store) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 3), ("2026-09-15T18:00Z", 2))
    with freeze_time("2026-09-15T18:30Z"):
        store.do(game, Undo(2))
        play(store, game, 1, seed=5)
    assert found(store, game)[1:] == ["4: Second sitting, 2026-09-15"]


def test_a_correction_made_days_later_is_no_sitting(store: Store) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 6), ("2026-09-15T18:00Z", 2))
    before = found(store, game)
    row = store.log.events(game, 4, 4)[0]
    with freeze_time("2026-09-20T18:00Z"):
        amend(store, game, 3, row.payload)
    assert store.game(game).amended
    assert found(store, game) == before
    with freeze_time("2026-09-20T18:10Z"):
        play(store, game, 1)
    assert found(store, game) == [*before, "9: Third sitting, 2026-09-20"]


def test_step_zero_corrected_later_is_still_the_first_sitting(store: Store) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 6), ("2026-09-15T18:00Z", 2))
    before = found(store, game)
    row = store.log.events(game, 1, 1)[0]
    with freeze_time("2026-09-20T18:00Z"):
        amend(store, game, 0, row.payload)
    assert found(store, game) == before


def amend(store: Store, game: str, after: int, payload: str) -> None:
    """Put an event in the place of the one behind `after`, with rows as the store writes them."""
    head = store.game(game).head
    said = f'{{"after":{after},"drop":1,"put":1}}'
    row = f'{{"kind":"record.amended","edits":[{said}],"reason":"misread"}}'
    kind = payload.split('"')[3]
    rows = [NewEvent("record.amended", row), NewEvent(kind, payload)]
    store.log.append(game, rows, after=head, command_id=f"amend-{head}", request="amend")


def test_a_record_carries_its_sittings_to_another_database(store: Store, tmp_path: Any) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 3), ("2026-09-15T22:30Z", 2))
    lines = b"".join(export_record(store, store.game(game, viewer="everything")))
    with Store.open(tmp_path / "other.db", registry=REGISTRY) as other:
        import_records(other, [("game.tape.jsonl", lines)])
        assert found(other, game) == found(store, game)


def test_a_clock_that_was_set_back_divides_nothing(store: Store) -> None:
    game = evening(store, ("2026-09-14T18:00Z", 3), ("2026-09-12T18:00Z", 2))
    assert len(found(store, game)) == 1


def test_a_zone_that_this_machine_does_not_know_leaves_the_day_that_is_stamped(store: Store) -> None:
    game = evening(store, ("2026-09-14T23:30Z", 3), ("2026-09-15T23:30Z", 2))
    opened = store.game(game)
    for zone in ("Europe/Stockiolm", "Europe", "../x"):
        listed = sittings(replace(opened, details=Details(time_zone=zone)))
        assert [sitting.day for sitting in listed] == ["2026-09-14", "2026-09-15"]


@pytest.mark.parametrize(
    ("number", "called"),
    [(1, "First"), (12, "Twelfth"), (13, "13th"), (21, "21st"), (22, "22nd"), (23, "23rd"), (111, "111th")],
)
def test_sittings_are_counted_in_words(number: int, called: str) -> None:
    assert Sitting(1, number, "2026-09-14", late=False).label() == f"{called} sitting, 2026-09-14"
