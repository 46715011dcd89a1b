"""Scenes of a store whose disk fails, each in a process with the shim: `python -m tests.faults.scenes NAME`.

A scene is a function here. It asserts what must hold; the process prints "held" at its end.
"""

from __future__ import annotations

import errno
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Barrier, Thread
from typing import Any, Final

from eventstore.audit.verify import verify
from eventstore.errors import OutcomeUnknown, StorageFault
from eventstore.formats.record_file import export_record, import_records
from eventstore.log.chain import verify_chain
from eventstore.log.rows import Append, Receipt
from eventstore.recording.commands import New
from eventstore.sqlite import writer
from eventstore.sqlite.log import SqliteLog
from eventstore.store import Store
from eventstore.testing.log_contract import GAME, OTHER, facts, started
from replay_web import create_app
from tests.faults.living_writer import HALF, PLANTED, append, gathered, together
from tests.faults.shim import FOREVER, MEMORY, Op, Shim

HERE: Final = {"Sec-Fetch-Site": "same-origin", "Accept": "application/json"}
ALL: Final = Op(255)


def sound(log: SqliteLog, *games: str) -> None:
    """Every chain is intact, the numbers have no gaps."""
    for game in games:
        events, commits = log.record(game)
        assert [event.seq for event in events] == list(range(1, len(events) + 1))
        assert verify_chain(events, commits) == []


def refused(log: SqliteLog, command: Append) -> StorageFault:
    """Append, and give the refusal."""
    try:
        append(log, command)
    except StorageFault as fault:
        return fault
    raise AssertionError("nothing was refused")


def move(after: int, command_id: str, *, game: str = GAME, count: int = 2) -> Append:
    """A command of several events, which is not a statement by itself."""
    return Append(game, tuple(facts(count)), after, command_id, "r")


# --- over HTTP -------------------------------------------------------------------------------------------


def a_full_disk_while_serving(place: Path, shim: Shim) -> None:
    """The moves of the report: 503 while the disk is full, 201 before and after, and an intact record."""
    with Store.open(place / "games.db") as store:
        store.do(None, New("monsters-forever", ["Ann", "Bo"], game="friday"))
        client, keys = create_app(store).test_client(), count(1)

        def typed(text: str) -> int:
            head = store.log.head("friday")
            assert head is not None
            sent = {"after": str(head.seq), "typed": text, "key": f"key000000{next(keys):03}"}
            return client.post("/games/friday/events", data=sent, headers=HERE).status_code

        assert [typed("A6-A5"), typed("A8xB8")] == [201, 201]
        shim.fail(Op.WRITE | Op.ALLOCATE, 1, errno.ENOSPC, often=FOREVER)
        assert typed(".; B6-B8") == 503
        shim.calm()
        assert [typed("."), typed("B6-B8"), typed("B8xA8>A6; .")] == [201, 201, 201]
        kinds = [json.loads(event.payload)["kind"] for event in store.log.events("friday")]
        assert kinds == [
            "record.started",
            "creature_moved",
            "creature_attacked",
            "turn_ended",
            "creature_moved",
            "creature_attacked",
            "creature_retreated",
            "turn_ended",
        ]
        assert verify(store).faults == ()
        file = b"".join(export_record(store, store.game("friday")))
    with Store.open(place / "copy.db") as copy:
        import_records(copy, [("friday.tape.jsonl", file)])
        assert b"".join(export_record(copy, copy.game("friday"))) == file


# --- heads and numbers -----------------------------------------------------------------------------------


def a_number_that_was_rolled_back_goes_to_another_game(place: Path, shim: Shim) -> None:
    """A new game is refused; the next new game gets its row number. Each event stands in its own game."""
    with SqliteLog.open(place / "games.db") as log:
        started(log)
        shim.fail(Op.WRITE, 1, errno.ENOSPC, often=FOREVER)
        assert refused(log, move(0, "lost", game="lost-game")).code == "storage-fault"
        shim.calm()
        append(log, move(0, "other", game=OTHER))
        with SqliteLog.open(place / "games.db") as second:
            append(second, move(0, "lost", game="lost-game"))
        append(log, move(2, "more", game="lost-game", count=1))
        append(log, move(2, "more", game=OTHER, count=1))
        assert log.games() == [GAME, OTHER, "lost-game"]
        assert [len(log.events(game)) for game in log.games()] == [1, 3, 3]
        sound(log, *log.games())


def a_command_of_a_group_is_taken_back(place: Path, shim: Shim) -> None:
    """What it had made of its games is forgotten, though the rest of the group is committed."""
    with SqliteLog.open(place / "games.db") as log, SqliteLog.open(place / "games.db") as second:
        for game in (GAME, OTHER):
            started(log, 1, game)
        for doomed in (move(1, "doomed", game=GAME), move(0, "doomed", game="new-game")):
            head = log.head(OTHER)
            assert head is not None
            outcomes = together(log, [move(head.seq, f"c{head.seq}", game=OTHER, count=1)], doomed)
            assert outcomes[HALF] is PLANTED
            assert log.answered(doomed.game, "doomed") is None
            append(second, move(head.seq + 1, f"s{head.seq}", game=OTHER))
            append(second, move(doomed.after, "second", game=doomed.game))
            append(log, move(doomed.after + 2, "next", game=doomed.game))
            sound(log, *log.games())
    shim.calm()


def a_group_is_refused_by_a_full_disk(place: Path, shim: Shim) -> None:
    """Nobody of the group is answered, and each of them can send the same command again."""
    with SqliteLog.open(place / "games.db") as log:
        games = [f"game-{number}" for number in range(4)]
        for game in games:
            started(log, 1, game)
        commands = [move(1, f"c-{game}", game=game, count=1) for game in games]
        outcomes: list[object] = []

        def ask(command: Append) -> None:
            try:
                outcomes.append(append(log, command))
            except StorageFault as fault:
                outcomes.append(fault.code)

        threads = [Thread(target=ask, args=(command,)) for command in commands]

        def lead(_: object) -> None:
            for thread in threads:
                thread.start()
            while gathered(log) < len(threads):
                pass

            # The leader writes nothing; the next commit is that of the group.
            shim.fail(Op.FSYNC, 1, errno.EIO, often=FOREVER)

        log.write(lead)
        for thread in threads:
            thread.join()
        shim.calm()
        assert outcomes == ["storage-fault"] * 4
        receipts = [append(log, command) for command in commands]
        assert [receipt.last_seq for receipt in receipts] == [2] * 4
        sound(log, *games)


# --- what a failed commit left ---------------------------------------------------------------------------


def a_commit_that_could_not_be_synced_once(place: Path, shim: Shim) -> None:
    """The refusal is certain: whoever opens the database later does not find it."""
    path = place / "games.db"
    for events in (1, 2):
        game = f"game-{events}"
        with SqliteLog.open(path) as log:
            started(log, 1, game)
            append(log, move(1, "before", game=game, count=1))
            shim.fail(Op.FSYNC, 1, errno.EIO)
            fault = refused(log, move(2, "refused", game=game, count=events))
            assert not fault.unknown
            # A program that ends suddenly, or cannot move its log into the database.
            copied(path, place / f"copy-{events}")
        with SqliteLog.open(place / f"copy-{events}" / "games.db") as log:
            assert log.answered(game, "refused") is None
            append(log, move(2, "refused", game=game, count=events))
            sound(log, game)


def a_commit_that_fails_for_ever(place: Path, shim: Shim) -> None:
    """No opening finds it, unless the refusal says that it does not know. A repeat is recorded once."""
    path, told = place / "games.db", set[bool]()
    cases = [(ops, first) for ops in (Op.WRITE, Op.FSYNC, Op.WRITE | Op.FSYNC, ALL) for first in range(1, 14)]
    for number, (ops, first) in enumerate(cases):
        game = f"game-{number}"
        with SqliteLog.open(path) as log:
            started(log, 1, game)
            shim.fail(ops, first, errno.EIO, often=FOREVER)
            fault = refused_or_not(log, move(1, "refused", game=game))
            shim.calm()
            if fault is None:
                continue
            unknown = isinstance(fault, OutcomeUnknown)
            assert ("not certain" in str(fault)) is unknown
            # Whatever cannot be synced may be gone, or be back, after a power cut.
            assert unknown or ops != Op.FSYNC
            told.add(unknown)
            copied(path, place / f"copy-{number}")
        with SqliteLog.open(place / f"copy-{number}" / "games.db") as log:
            there = log.answered(game, "refused") is not None
            assert unknown or not there, (ops, first)
            receipt = append(log, move(1, "refused", game=game))
            assert (receipt.first_seq, receipt.last_seq, receipt.repeated) == (2, 3, there)
            assert append(log, move(1, "refused", game=game)).repeated
            sound(log, game)
    assert told == {False, True}


def a_commit_that_left_its_pages_on_a_full_disk(place: Path, shim: Shim) -> None:
    """There is no room for a commit in their place, and they are made invalid where they are."""
    path = place / "games.db"
    with SqliteLog.open(path) as log:
        started(log)
        planted = writer.Writer._write_over
        writer.Writer._write_over = no_room  # type: ignore[method-assign]
        for number in range(1, 4):
            shim.fail(Op.FSYNC, 1, errno.EIO)
            assert not refused(log, move(1, f"refused-{number}", count=number)).unknown
            assert log.head(GAME).seq == 1  # type: ignore[union-attr]
            copied(path, place / f"copy-{number}")
        writer.Writer._write_over = planted  # type: ignore[method-assign]
        for number in range(1, 4):
            with SqliteLog.open(place / f"copy-{number}" / "games.db") as found:
                assert found.answered(GAME, f"refused-{number}") is None
                sound(found, GAME)
        append(log, move(1, "next", count=1))
        sound(log, GAME)


def a_commit_that_another_opening_finds(place: Path, shim: Shim) -> None:
    """Its pages reached the disk though the sync failed, and the process was killed: it was recorded."""
    path = place / "games.db"
    child = os.fork()
    if child == 0:
        with SqliteLog.open(path) as log:
            started(log)
            # The second write of what takes its place fails too, so that nothing takes its place.
            planted = writer.Writer._settle
            writer.Writer._settle = no_room  # type: ignore[method-assign]
            shim.fail(Op.FSYNC, 1, errno.EIO)
            assert isinstance(refused(log, move(1, "refused")), OutcomeUnknown)
            writer.Writer._settle = planted  # type: ignore[method-assign]
            os.kill(os.getpid(), signal.SIGKILL)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == -signal.SIGKILL
    with SqliteLog.open(path) as log:
        assert log.answered(GAME, "refused") is not None
        receipt = append(log, move(1, "refused"))
        assert (receipt.first_seq, receipt.last_seq, receipt.repeated) == (2, 3, True)
        append(log, move(3, "next", count=1))
        sound(log, GAME)


def refused_or_not(log: SqliteLog, command: Append) -> StorageFault | None:
    try:
        append(log, command)
    except StorageFault as fault:
        return fault
    return None


def no_room(_: object) -> None:
    """Stand for a disk that goes on failing."""
    raise StorageFault("games.db", "disk I/O error")


def copied(path: Path, folder: Path) -> None:
    """Copy the database and its log as a sudden end would leave them. Another process reads them."""
    folder.mkdir()
    for end in ("", "-wal"):
        source = Path(f"{path}{end}")
        if source.exists():
            subprocess.run(["cp", str(source), str(folder / source.name)], check=True)


# --- the connection afterwards ---------------------------------------------------------------------------


def every_operation_of_an_append_fails_once(place: Path, shim: Shim) -> None:
    """Whichever operation fails, and however, the next append in this process works."""
    with SqliteLog.open(place / "games.db") as log:
        writer._CHECKPOINT_PAGES = 8
        started(log)
        head, refusals = 1, 0
        for error in (errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EINTR):
            for first in range(1, 7):
                for torn in (False, True):
                    shim.fail(ALL, first, error, often=2, torn=torn)
                    command = move(head, f"{error}-{first}-{torn}", count=1 + first % 2)
                    with suppress(StorageFault):
                        append(log, command)
                    shim.calm()
                    there = log.answered(GAME, command.command_id) is not None
                    refusals += not there
                    receipt = append(log, command)
                    assert (receipt.first_seq, receipt.repeated) == (head + 1, there)
                    head = receipt.last_seq
                    head = append(log, move(head, f"next-{error}-{first}-{torn}")).last_seq
        assert refusals > 10
        sound(log, GAME)


def readers_after_a_fault(place: Path, shim: Shim) -> None:
    """A refused reader says what the disk said, and the next one reads."""
    path = place / "games.db"
    with SqliteLog.open(path) as log:
        started(log)
    with SqliteLog.open(path) as log:
        for first in range(1, 6):
            shim.fail(ALL, first, errno.EIO, often=FOREVER)
            said = ""
            try:
                with log.reader() as connection:
                    connection.execute("SELECT count(*) FROM events").fetchall()
            except StorageFault as fault:
                said = str(fault)
            assert "no transaction" not in said
            shim.calm()
            assert log.head(GAME) is not None


def closing_while_the_disk_fails(place: Path, shim: Shim) -> None:
    """A log that closes during a fault gives everything back, and what it acknowledged is there."""
    path = place / "games.db"
    for first in range(1, 12):
        game = f"game-{first}"
        with SqliteLog.open(path) as log:
            started(log, 3, game)
            shim.fail(ALL, first, errno.EIO, often=FOREVER)
        shim.calm()
        with SqliteLog.open(path) as log:
            assert len(log.events(game)) == 3
            sound(log, game)


def a_checkpoint_that_stops_half_way(place: Path, shim: Shim) -> None:
    """The log's pages are in the database in part; the next opening takes the file for what it is."""
    path, stopped = place / "games.db", 0
    for first in range(1, 20, 2):
        game = f"game-{first}"
        with SqliteLog.open(path) as log:
            log.append(game, facts(400), after=0, command_id="large", request="r")
            shim.fail(Op.WRITE, first, errno.ENOSPC, often=FOREVER)
        stopped += shim.hit > 0
        shim.calm()
        with SqliteLog.open(path) as log:
            assert len(log.events(game)) == 400
            sound(log, game)
    assert stopped > 3


def opening_while_the_disk_fails(place: Path, shim: Shim) -> None:
    """Whichever operation fails while a database is made, it is made by the next opening."""
    shim.count(ALL)
    SqliteLog.open(place / "games.db").close()
    operations = shim.seen
    for first in range(1, operations + 1, max(1, operations // 40)):
        folder = place / str(first)
        folder.mkdir()
        shim.fail(ALL, first, errno.EIO)
        with suppress(StorageFault):
            SqliteLog.open(folder / "games.db").close()
        assert shim.hit == 1
        shim.calm()
        with SqliteLog.open(folder / "games.db") as log:
            started(log)
            sound(log, GAME)
        assert not [name for name in os.listdir(folder) if ".new" in name]  # noqa: PTH208 - names alone


def eight_threads_while_the_disk_fails(place: Path, shim: Shim) -> None:
    """Eight threads append to games of their own while the disk fails now and then; each retries by id."""
    with SqliteLog.open(place / "games.db") as log:
        together = Barrier(8)

        def work(game: str) -> None:
            started(log, 1, game)
            together.wait()
            for turn in range(12):
                command = move(1 + turn, f"c{turn}", game=game, count=1)
                for _ in range(200):
                    try:
                        receipt: Receipt = append(log, command)
                    except StorageFault:
                        continue
                    assert receipt.last_seq == turn + 2
                    break
                if game == "game-0":
                    shim.fail(Op.FSYNC | Op.WRITE, 3 + turn % 5, errno.EIO, often=1 + turn % 3)

        threads = [Thread(target=work, args=(f"game-{number}",)) for number in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        shim.calm()
        assert [len(log.events(f"game-{number}")) for number in range(8)] == [13] * 8
        sound(log, *log.games())


SCENES: Final[dict[str, Callable[[Path, Shim], None]]] = {
    name: scene
    for name, scene in list(globals().items())
    if callable(scene) and getattr(scene, "__annotations__", {}).keys() == {"place", "shim", "return"}
}
"""By name, in the order of this file."""


@contextmanager
def watched() -> Iterator[tuple[Path, Shim]]:
    """Give a folder whose files the shim watches."""
    with TemporaryDirectory(dir=MEMORY) as folder:
        place = Path(folder).resolve()
        yield place, Shim(place)


def main(argv: list[str]) -> Any:
    """Play one scene."""
    with watched() as (place, shim):
        SCENES[argv[1]](place, shim)
        print("held")  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main(sys.argv)
