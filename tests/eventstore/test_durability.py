"""Several threads and processes, sudden ends, and hands that reach past the log."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from threading import Event, Thread
from typing import TYPE_CHECKING

import pytest

from eventstore.errors import Conflict, DamagedDatabase, DatabaseLocked, StorageFault, TabletapeError
from eventstore.log.chain import verify_chain
from eventstore.log.rows import Append, Receipt
from eventstore.sqlite.log import SqliteLog
from eventstore.sqlite.repair import salvage
from eventstore.testing.log_contract import GAME, OTHER, fact, facts, started
from tests.inside import append_with

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

ROOT = Path(__file__).parents[2]

WRITER = """
import sys
from eventstore.errors import Conflict
from eventstore.testing.log_contract import GAME, facts
from eventstore.sqlite.log import SqliteLog
path, name, turns = sys.argv[1], sys.argv[2], int(sys.argv[3])
with SqliteLog.open(path) as log:
    turn = 0
    while turn != turns:
        try:
            head = log.head(GAME).seq
            receipt = log.append(GAME, facts(3), after=head, command_id=f"{name}-{turn}", request="r")
        except Conflict:
            continue
        print(f"{name}-{turn}", receipt.last_seq, receipt.head, flush=True)
        turn += 1
"""


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


@pytest.fixture
def log(path: Path) -> Iterator[SqliteLog]:
    with SqliteLog.open(path) as log:
        yield log


def writer(path: Path, name: str, turns: int) -> subprocess.Popen[str]:
    command = [sys.executable, "-c", WRITER, str(path), name, str(turns)]
    return subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT)


def test_two_processes_write_side_by_side(path: Path, log: SqliteLog) -> None:
    started(log)
    with writer(path, "one", 30) as one, writer(path, "two", 30) as two:
        assert (one.wait(), two.wait()) == (0, 0)
        events, commits = log.record(GAME)
        assert [event.seq for event in events] == list(range(1, 182))
        assert {commit.command_id for commit in commits} == {
            GAME,
            *(f"{name}-{turn}" for name in ("one", "two") for turn in range(30)),
        }
        assert verify_chain(events, commits) == []
        assert [event.seq for event in log.follow(0)] == list(range(1, 182))


@pytest.mark.parametrize("acknowledged", [1, 7])
def test_what_was_acknowledged_outlives_a_sudden_end(path: Path, acknowledged: int) -> None:
    with SqliteLog.open(path) as log:
        started(log)
    with writer(path, "killed", -1) as process:
        assert process.stdout
        answers = [process.stdout.readline().split() for _ in range(acknowledged)]
        process.send_signal(signal.SIGKILL)
        answers += [line.split() for line in process.stdout if line.endswith("\n")]
    with SqliteLog.open(path) as log:
        events, commits = log.record(GAME)
        kept = {commit.command_id: (commit.last_seq, commit.hash) for commit in commits}
        assert len(answers) >= acknowledged
        assert [kept.get(name) for name, _, _ in answers] == [(int(seq), head) for _, seq, head in answers]
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert (len(events) - 1) % 3 == 0
        assert verify_chain(events, commits) == []
        started(log, 1, OTHER)


@pytest.mark.parametrize(
    ("act", "words"),
    [
        ("UPDATE events SET game = 2", "append-only"),
        ("UPDATE events SET hash = ''", "append-only"),
        ("DELETE FROM events", "append-only"),
        ("REPLACE INTO events SELECT * FROM events", "append-only"),
        ("UPDATE commits SET hash = ''", "it is a view"),
        ("DELETE FROM commits", "it is a view"),
    ],
)
def test_rows_can_be_neither_changed_nor_deleted(log: SqliteLog, act: str, words: str) -> None:
    started(log, 2)
    before = log.record(GAME)
    with pytest.raises(TabletapeError, match=words):
        log.write(lambda connection: connection.execute(act))
    assert log.record(GAME) == before


def test_a_row_that_no_command_accounts_for_stops_the_next_append(log: SqliteLog) -> None:
    started(log)
    log.write(
        lambda connection: connection.execute(
            "INSERT INTO events(game, seq, kind, by, recorded_at, payload)"
            " SELECT game, 2, kind, by, recorded_at, payload FROM events"
        )
    )
    with pytest.raises(DamagedDatabase, match="contradict"):
        log.append(GAME, facts(1), after=1, command_id="c2", request="r")
    assert [fault.code for fault in verify_chain(*log.record(GAME))] == ["uncommitted"]


def test_a_head_that_another_process_moved_on_is_noticed(path: Path, log: SqliteLog) -> None:
    started(log)
    log.append(GAME, facts(1), after=1, command_id="c2", request="r")
    with SqliteLog.open(path) as other:
        other.append(GAME, facts(3), after=2, command_id="c3", request="r")
    with pytest.raises(Conflict) as refusal:
        log.append(GAME, facts(1), after=2, command_id="c4", request="r")
    assert refusal.value.head == 5
    assert log.append(GAME, facts(1), after=5, command_id="c4", request="r").last_seq == 6
    assert verify_chain(*log.record(GAME)) == []


def test_one_flipped_byte_is_found_by_the_chain_alone(path: Path) -> None:
    with SqliteLog.open(path) as log:
        started(log, 3)
        log.append(GAME, [fact(77)], after=3, command_id="c2", request="r")
    raw = path.read_bytes()
    assert raw.count(b'"number":77') == 1
    path.write_bytes(raw.replace(b'"number":77', b'"number":76'))
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
    with SqliteLog.open(path) as log:
        (fault,) = verify_chain(*log.record(GAME))
        assert (fault.code, fault.seq, fault.last) == ("changed", 4, 4)


def gathered(log: SqliteLog) -> int:
    assert log._writer
    group = log._writer._group._gathering
    return len(group.jobs) if group else 0


def test_callers_that_wait_share_one_transaction(log: SqliteLog) -> None:
    started(log)
    assert log._writer
    statements: list[str] = []
    log._writer._connection.set_trace_callback(statements.append)
    busy, go = Event(), Event()
    outcomes: dict[str, Receipt | Exception] = {}
    refused: list[str] = []

    def ask(name: str, after: int) -> None:
        try:
            outcomes[name] = log.append(GAME, facts(1), after=after, command_id=name, request="r")
        except Conflict as refusal:
            outcomes[name] = refusal

    def ask_for_two(name: str) -> None:
        first = Append(OTHER, tuple(facts(1)), 0, OTHER, "r")
        with pytest.raises(Conflict):
            log.append_all([first, Append(GAME, tuple(facts(1)), 0, name, "r")])
        refused.append(name)

    threads = [Thread(target=lambda: log.write(lambda _: (busy.set(), go.wait())))]
    threads += [Thread(target=ask, args=asked) for asked in (("good", 1), ("stale", 0), ("last", 2))]
    threads += [Thread(target=ask_for_two, args=("half",))]
    for waiting, thread in enumerate(threads):
        thread.start()
        busy.wait()
        while waiting > gathered(log):
            pass
    go.set()
    for thread in threads:
        thread.join()
    assert statements.count("COMMIT") == 2
    assert isinstance(outcomes["good"], Receipt)
    assert isinstance(outcomes["last"], Receipt)
    assert isinstance(outcomes["stale"], Conflict)
    assert outcomes["stale"].head == 2
    assert [event.seq for event in log.events(GAME)] == [1, 2, 3]
    assert refused == ["half"]
    assert log.games() == [GAME]


def test_a_group_whose_transaction_is_lost_answers_nobody(log: SqliteLog) -> None:
    started(log)

    def lose(connection: sqlite3.Connection) -> None:
        connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(StorageFault, match="disk I/O error"):
        log.write(lose)
    assert log.append(GAME, facts(1), after=1, command_id="c2", request="r").last_seq == 2


def test_work_that_fails_keeps_nothing_and_its_error_comes_out(log: SqliteLog) -> None:
    started(log)

    def half(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO games(id) VALUES ('half-made')")
        raise KeyError("work")

    with pytest.raises(KeyError, match="work"):
        log.write(half)
    assert log.games() == [GAME]


def test_an_interrupt_keeps_nothing_and_the_log_goes_on(log: SqliteLog) -> None:
    started(log)

    def interrupted(connection: sqlite3.Connection) -> None:
        connection.execute("INSERT INTO games(id) VALUES ('half-made')")
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        log.write(interrupted)
    assert log.games() == [GAME]
    assert started(log, 1, OTHER).last_seq == 1


def test_a_reader_sees_one_moment(log: SqliteLog) -> None:
    started(log)
    count = "SELECT count(*) FROM events"
    with log.reader() as connection:
        assert connection.execute(count).fetchone() == (1,)
        log.append(GAME, facts(1), after=1, command_id="c2", request="r")
        assert connection.execute(count).fetchone() == (1,)
    with log.reader() as connection:
        assert connection.execute(count).fetchone() == (2,)
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            connection.execute("INSERT INTO games(id) VALUES ('by-a-reader')")


def test_a_reader_that_outlives_the_log_is_closed_when_it_comes_back(path: Path) -> None:
    log = SqliteLog.open(path)
    with log.reader() as connection:
        log.close()
        assert connection.execute("SELECT count(*) FROM events").fetchone() == (0,)
    with pytest.raises(sqlite3.ProgrammingError):
        connection.execute("SELECT 1")


def test_the_write_ahead_log_is_moved_into_the_database(path: Path, log: SqliteLog) -> None:
    before = path.stat().st_size
    log.append_all([Append(f"game-{number}", tuple(facts(100)), 0, "c", "r") for number in range(100)])
    assert path.stat().st_size > before + 800_000
    wal = Path(f"{path}-wal").stat().st_size
    started(log)
    assert Path(f"{path}-wal").stat().st_size == wal


def test_an_append_and_its_projection_are_one(log: SqliteLog) -> None:
    def project(connection: sqlite3.Connection, receipts: list[Receipt]) -> None:
        assert [receipt.last_seq for receipt in receipts] == [2]
        connection.execute("INSERT INTO games(id) VALUES ('projection')")
        raise KeyError("projection")

    with pytest.raises(KeyError):
        append_with(log, [Append(GAME, tuple(facts(2)), 0, GAME, "r")], project)
    assert log.games() == []


def checkpoints_fail(log: SqliteLog, fault: Callable[[], Exception]) -> list[str]:
    """Let every checkpoint fail; what was asked of the connection."""
    assert log._writer
    writer = log._writer
    asked: list[str] = []

    class Failing:
        def __init__(self, connection: sqlite3.Connection) -> None:
            self._connection = connection

        def execute(self, statement: str, *values: object) -> object:
            if "wal_checkpoint" in statement:
                asked.append(statement)
                raise fault()
            return self._connection.execute(statement, *values)

        def __getattr__(self, name: str) -> object:
            return getattr(self._connection, name)

    writer._connection = Failing(writer._connection)  # type: ignore[assignment]
    return asked


@pytest.mark.parametrize(
    "fault", [lambda: sqlite3.OperationalError("disk I/O error"), lambda: DatabaseLocked("games.db")]
)
def test_an_answer_does_not_hang_on_a_checkpoint_and_the_next_append_tries_again(
    log: SqliteLog, fault: Callable[[], Exception]
) -> None:
    started(log)
    assert log._writer
    asked = checkpoints_fail(log, fault)
    log._writer._pages = 10_000
    for after in (1, 2):
        receipt = log.append(GAME, facts(1), after=after, command_id=f"c{after}", request="r")
        assert receipt.last_seq == after + 1
    assert len(asked) == 2
    log._writer._connection = log._writer._connection._connection  # type: ignore[attr-defined]
    log.append(GAME, facts(1), after=3, command_id="c3", request="r")
    assert log._writer._pages < 1000
    assert log.head(GAME) is not None


def test_a_log_closes_though_another_program_keeps_the_lock(path: Path) -> None:
    with SqliteLog.open(path) as keeper, SqliteLog.open(path, wait=0.01) as log:
        started(log)
        assert keeper._writer
        assert log._writer
        with keeper._writer._lock.held():
            log.close()
        with pytest.raises(sqlite3.ProgrammingError, match="closed"):
            log._writer._connection.execute("SELECT 1")
        with pytest.raises(OSError, match="Bad file descriptor"):
            os.fstat(log._writer._lock._held._handle)
        assert keeper.head(GAME) is not None


def open_again(path: Path) -> None:
    SqliteLog.open(path).close()


def copy_by_hand(path: Path) -> None:
    salvage.copy(str(path), path.with_name("copied"), named="copied")


@pytest.mark.parametrize("second", [open_again, copy_by_hand])
def test_nothing_in_a_process_drops_the_locks_of_its_log(
    path: Path, log: SqliteLog, second: Callable[[Path], None]
) -> None:
    started(log)
    second(path)
    other = "import sys; from eventstore.sqlite.log import SqliteLog; SqliteLog.open(sys.argv[1]).close()"
    subprocess.run([sys.executable, "-c", other, str(path)], check=True, cwd=ROOT)
    # If it had taken itself for the last user, it would have deleted the log into which this one writes.
    assert Path(f"{path}-wal").exists()
    log.append(GAME, facts(1), after=1, command_id="c2", request="r")
    read = (
        "import sys; from eventstore.sqlite.log import SqliteLog\n"
        "with SqliteLog.open(sys.argv[1]) as log: print(log.head(sys.argv[2]).seq)"
    )
    done = subprocess.run(
        [sys.executable, "-c", read, str(path), GAME], check=True, cwd=ROOT, capture_output=True, text=True
    )
    assert done.stdout == "2\n"


def test_reader_whose_transaction_sqlite_ended_reports_the_fault(log: SqliteLog) -> None:
    started(log)

    def ended() -> None:
        with log.reader() as connection:
            connection.execute("ROLLBACK")
            raise sqlite3.OperationalError("disk I/O error")

    with pytest.raises(StorageFault, match="disk I/O error"):
        ended()
    assert log.head(GAME) is not None


def test_heads_of_a_transaction_that_sqlite_rolled_back_are_forgotten(log: SqliteLog) -> None:
    started(log)

    def lose(connection: sqlite3.Connection, _: list[Receipt]) -> None:
        connection.execute("ROLLBACK")
        raise sqlite3.OperationalError("disk I/O error")

    lost = [Append(game, tuple(facts(2)), after, "lost", "r") for game, after in ((GAME, 1), ("new-game", 0))]
    with pytest.raises(StorageFault, match="disk I/O error"):
        append_with(log, lost, lose)
    log.append_all([Append(GAME, tuple(facts(2)), 1, "c2", "r"), Append(OTHER, tuple(facts(1)), 0, "o", "r")])
    for game, after in ((GAME, 3), (OTHER, 1), ("new-game", 0)):
        log.append(game, facts(1), after=after, command_id="next", request="r")
        assert verify_chain(*log.record(game)) == []
    assert log.games() == [GAME, OTHER, "new-game"]
