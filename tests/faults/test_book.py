"""The list that the runs are compared with notices what it is there for."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest

from eventstore.log.rows import Append
from eventstore.sqlite.log import SqliteLog
from eventstore.testing.log_contract import GAME, OTHER, fact
from tests.eventstore.played import damage
from tests.faults.book import Book, LostOrInvented
from tests.faults.living_writer import append


@pytest.fixture
def log(tmp_path: Path) -> Iterator[SqliteLog]:
    with SqliteLog.open(tmp_path / "games.db") as log:
        yield log


@pytest.fixture
def book(log: SqliteLog) -> Book:
    """Two games with two commands each, in the log and in the list."""
    book = Book()
    for game in (GAME, OTHER):
        for after in (0, 2):
            command = Append(game, (fact(after), fact(after + 1)), after, f"c{after}", "r")
            book.accept(command, append(log, command))
    book.compare(log)
    return book


@pytest.mark.parametrize(
    ("sql", "found"),
    [
        ("UPDATE events SET payload = replace(payload, '3', '7') WHERE game = 1 AND seq = 4", "event 4 of"),
        ("DELETE FROM events WHERE game = 2 AND seq > 2", "2 events, 4 were acknowledged"),
        ("UPDATE events SET hash = '00' WHERE game = 1 AND seq = 2", "the chain of"),
        ("UPDATE events SET command_id = 'x' WHERE game = 1 AND seq = 2", "the commands of"),
        ("INSERT INTO games(id) VALUES ('left-behind')", "streams without"),
        ("UPDATE games SET id = 'renamed-game' WHERE game = 2", "streams without"),
    ],
)
def test_damage_is_noticed(tmp_path: Path, log: SqliteLog, book: Book, sql: str, found: str) -> None:
    damage(tmp_path / "games.db", sql)
    with pytest.raises(LostOrInvented, match=found):
        book.compare(log)


def test_event_in_another_game_is_noticed(log: SqliteLog, book: Book) -> None:
    stray = Append(OTHER, (fact(9),), 4, "stray", "r")
    append(log, stray)
    book.games[GAME].append(msgspec.structs.replace(stray, game=GAME))
    with pytest.raises(LostOrInvented, match="were acknowledged"):
        book.compare(log)


def test_refused_command_that_is_there_is_noticed(log: SqliteLog, book: Book) -> None:
    command = Append(GAME, (fact(9),), 4, "refused", "r")
    append(log, command)
    book.refuse(command, unknown=False)
    with pytest.raises(LostOrInvented, match="was refused and is in the log"):
        book.compare(log)


def test_unknown_outcome_may_be_either(log: SqliteLog, book: Book) -> None:
    there, not_there = (Append(GAME, (fact(9),), 4, name, "r") for name in ("there", "not-there"))
    append(log, there)
    book.refuse(there, unknown=True)
    book.refuse(not_there, unknown=True)
    book.compare(log)
    assert book.count["unknown and kept"] == 1
    book.look(log, book.maybe.keys())
    assert (GAME, "not-there") in book.refused


def test_answer_from_another_event_on_is_noticed(log: SqliteLog, book: Book) -> None:
    command = Append(GAME, (fact(9),), 4, "next", "r")
    receipt = append(log, command)
    with pytest.raises(LostOrInvented, match="not from event 5 on"):
        book.accept(command, msgspec.structs.replace(receipt, first_seq=6, last_seq=6))
    with pytest.raises(LostOrInvented, match="never accepted"):
        book.accept(command, msgspec.structs.replace(receipt, repeated=True))
