"""A clock that shows a time which no event can have: one sentence, and nothing is written."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path
from threading import Thread

import pytest

from eventstore.access.keys import Access
from eventstore.errors import BadClock
from eventstore.formats.record_file import export_record, import_records
from eventstore.log import contract
from eventstore.log.contract import clock, now, stamp
from eventstore.log.in_memory import MemoryLog
from eventstore.log.rows import NewEvent
from eventstore.recording.commands import Branch, Record, Undo, WriteNote
from eventstore.store import Store
from games.core.events import RecordClosed
from tests.eventstore.formats.test_record_file import file_of
from tests.eventstore.played import REGISTRY, ROUND, begin, play

SECOND = 1_000_000_000
LAST = int(datetime(9999, 12, 30, 23, 59, 59, tzinfo=UTC).timestamp())
WRONG = [
    (LAST + 1, "9999-12-31T00:00:00Z"),
    (LAST + 86_401, "a year after 9999"),
    (2**40 * 86_400, "a year after 9999"),
    (-62_135_596_800, "0001-01-01T00:00:00Z"),
    (-(2**40), "a year before 1"),
]


def set_clock(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    monkeypatch.setattr(contract, "time_ns", lambda: seconds * SECOND + 5000)


@pytest.mark.parametrize(("seconds", "shows"), WRONG)
def test_a_clock_that_cannot_be_is_refused(monkeypatch: pytest.MonkeyPatch, seconds: int, shows: str) -> None:
    set_clock(monkeypatch, seconds)
    for ask in (now, clock):
        with pytest.raises(BadClock) as told:
            ask()
        assert str(told.value) == (
            f"The clock of this machine shows {shows}: set it right. Nothing was recorded."
        )


def test_a_clock_that_python_cannot_read_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    def unreadable() -> int:
        raise OverflowError("timestamp too large to convert to C _PyTime_t")

    monkeypatch.setattr(contract, "time_ns", unreadable)
    for ask in (now, clock):
        with pytest.raises(BadClock, match="shows a year before 1678 or after 2261: set it right"):
            ask()


def test_the_list_needs_no_clock(store: Store, game: str, monkeypatch: pytest.MonkeyPatch) -> None:
    play(store, game, 1)
    set_clock(monkeypatch, WRONG[1][0])
    head = store.log.head(game)
    assert head is not None
    assert [entry.seq for entry in store.catalogue.list()] == [head.seq]


@pytest.mark.parametrize("seconds", [LAST, 0, -1, -62_135_510_400])
def test_a_clock_that_every_time_zone_has_is_taken(monkeypatch: pytest.MonkeyPatch, seconds: int) -> None:
    set_clock(monkeypatch, seconds)
    assert now().endswith("00.000005Z" if seconds not in {LAST, -1} else "59.000005Z")
    assert stamp(clock()) == now()


WRITES: list[Callable[[Store, str], object]] = [
    lambda store, _: begin(store),
    lambda store, game: play(store, game, 1),
    lambda store, game: store.do(game, Undo()),
    lambda store, game: store.do(game, Branch(2)),
    lambda store, game: store.do(game, Record([RecordClosed("abandoned")])),
    lambda store, game: store.do(game, WriteNote(1, text="x")).result,
    lambda store, game: import_records(store, [("file", file_of(store, game))], copy=True),
    lambda store, _: Access(store.log.keys).add("phone"),
]


@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("seconds", [WRONG[0][0], WRONG[1][0]])
def test_nothing_is_written_under_such_a_clock(
    store: Store, game: str, monkeypatch: pytest.MonkeyPatch, seconds: int, write: Callable[..., object]
) -> None:
    play(store, game, 1)
    before = (
        b"".join(export_record(store, store.game(game))),
        store.log.games(),
        Access(store.log.keys).list(),
    )
    with monkeypatch.context() as patch:
        set_clock(patch, seconds)
        with pytest.raises(BadClock):
            write(store, game)
        assert (
            b"".join(export_record(store, store.game(game))),
            store.log.games(),
            Access(store.log.keys).list(),
        ) == before
    write(store, game)


def test_the_log_in_memory_refuses_it_too(monkeypatch: pytest.MonkeyPatch) -> None:
    event = NewEvent("odd", '{"kind":"odd"}', "recorder")
    with MemoryLog() as here:
        with monkeypatch.context() as patch:
            set_clock(patch, WRONG[1][0])
            with pytest.raises(BadClock):
                here.append("friday", [event], after=0, command_id="a", request="a")
        assert here.games() == []
        assert here.append("friday", [event], after=0, command_id="a", request="a").first_seq == 1


def test_callers_that_share_a_transaction_are_all_told(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Store.open(path, registry=REGISTRY) as store:
        games = [begin(store, options={"rounds": 3}) for _ in range(6)]
        faults: list[BaseException] = []

        def record(game: str) -> None:
            try:
                store.do(game, Record(ROUND))
            except BadClock as fault:
                faults.append(fault)

        with monkeypatch.context() as patch:
            set_clock(patch, WRONG[1][0])
            threads = [Thread(target=record, args=(game,)) for game in games]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
        assert len(faults) == len(games)
        for game in games:
            assert store.do(game, Record(ROUND)).seq == len(ROUND) + 1
