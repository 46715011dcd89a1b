"""A store that goes on writing while file operations fail, compared with a plain list of its answers.

Run as a program with the shim preloaded: `python -m tests.faults.living_writer FIRST COUNT`. Prints one JSON
object with the figures; for a seed that fails, the seed, its plan and what was found.
"""

from __future__ import annotations

import errno
import json
import os
import random
import sys
import traceback
from collections import Counter
from contextlib import closing, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from threading import Thread
from time import monotonic
from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.audit.verify import verify
from eventstore.errors import Conflict, StorageFault
from eventstore.formats.record_file import export_record, import_records
from eventstore.log.rows import Append, NewEvent, Receipt
from eventstore.recording.commands import New, Record
from eventstore.replay.notes import NoteWritten, stream
from eventstore.sqlite import writer
from eventstore.sqlite.log import SqliteLog
from eventstore.store import Store
from games.core import serialization, start
from games.core.events import kind_of
from games.examples.high_card import TOY
from games.testing.playout import next_event
from tests.eventstore.played import REGISTRY
from tests.faults.book import Book, LostOrInvented
from tests.faults.neighbour import Neighbour, rows
from tests.faults.shim import FOREVER, MEMORY, Op, Shim
from tests.inside import append_with

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Sequence

STEPS: Final = int(os.environ.get("TABLETAPE_FAULT_STEPS", "45"))
ERRORS: Final = (errno.EIO, errno.EIO, errno.ENOSPC, errno.EDQUOT, errno.EINTR)
MASKS: Final = (
    *(Op.WRITE, Op.FSYNC) * 3,
    Op.WRITE | Op.FSYNC,
    Op.TRUNCATE,
    Op.RENAME,
    Op.UNLINK,
    Op.CREATE | Op.ALLOCATE,
    *(Op(255),) * 3,
)
FEW: Final = 4
"""An operation that is interrupted for ever is tried for ever: EINTR stops after so many."""
LARGE: Final = 120_000
"""Letters of a payload that makes SQLite write before the commit."""
PLANTED: Final = KeyError("planted")
HALF: Final = "half"
"""The place of work that fails among the outcomes of commands."""
PATIENCE: Final = 5
"""Seconds after which a group goes on with those that came; only a lost thread needs them."""


class Seed:
    """One run: its randomness, its store, its list."""

    def __init__(self, seed: int, place: Path, shim: Shim, neighbour: Neighbour) -> None:
        self.rng = random.Random(seed)  # noqa: S311 - to be repeated
        self.path = place / "games.db"
        self.shim = shim
        self.neighbour = neighbour
        self.book = Book()
        self.plan: list[str] = []
        self.number = 0
        self.keys: dict[str, bool | None] = {}
        """Names of keys: there (True), not there (False), or either."""
        self.shelf: dict[tuple[str, int], tuple[bytes, bool | None]] = {}
        self.titles: dict[str, set[str | None]] = {}
        """What a title may be by now: one, or more where an outcome is unknown."""
        self.count = self.book.count
        writer._CHECKPOINT_PAGES = self.rng.choice((3, 20, 20, 60, 1000))
        self.main = Store.open(self.path, registry=REGISTRY)
        self.second: SqliteLog | None = None

    # --- what is to be written -------------------------------------------------------------------

    def next(self) -> int:
        self.number += 1
        return self.number

    def command(self, game: str, count: int = 1, letters: int = 0) -> Append:
        """So many events behind the head that the list knows; every payload is unique."""
        after = self.book.head(game)
        events = []
        if after == 0 and not game.endswith("/notes"):
            started = {"kind": "record.started", "ruleset": "nobodys", "version": 1, "seats": ["p1", "p2"]}
            events.append(NewEvent("record.started", compact({**started, "number": self.next()})))
        while len(events) < count:
            number = self.next()
            if game.endswith("/notes"):
                note = NoteWritten(f"n{number}", 1, f"note {number}", None, ())
                events.append(NewEvent("note.written", compact(note)))
            else:
                payload = compact({"kind": "card_drawn", "number": number, "pad": "x" * letters})
                events.append(NewEvent("card_drawn", payload))
        return Append(game, tuple(events), after, f"c{self.next()}", "r")

    def raw_games(self) -> list[str]:
        return [game for game in self.book.games if game.startswith("raw-")]

    def toys(self) -> list[str]:
        return [game for game in self.book.games if game.startswith("toy-") and "/" not in game]

    def some_game(self) -> str:
        """One that is there, its notes, or a new one."""
        known = self.raw_games()
        if not known or self.rng.random() < (0.2 if len(known) < FEW else 0.07):
            return f"raw-{self.next()}"
        # Mostly the same few games: what is remembered of them matters.
        game = self.rng.choice(known[:FEW] if self.rng.random() < 0.7 else known)
        if game.endswith("/notes") or self.rng.random() < 0.8:
            return game
        return stream(game)

    def log(self) -> SqliteLog:
        if self.second is not None and self.rng.random() < 0.4:
            return self.second
        return self.main.log

    # --- faults ----------------------------------------------------------------------------------

    def break_something(self) -> str:
        rng = self.rng
        error, ops, first = rng.choice(ERRORS), rng.choice(MASKS), rng.choice((1, 1, 2, 3, 4, 6, 9, 15))
        often = rng.choice((1, 1, 1, 2, 5, FOREVER))
        if error == errno.EINTR:
            often = min(abs(often), FEW)
        torn = rng.random() < 0.3
        self.shim.fail(ops, first, error, often=often, torn=torn)
        torn_too = ", half of a write done" if torn else ""
        return f"{errno.errorcode[error]} at {ops!r} number {first}, {often} times{torn_too}"

    def calm(self) -> None:
        self.count["faults injected"] += self.shim.hit
        self.shim.calm()

    # --- answers ---------------------------------------------------------------------------------

    def told(self, commands: Sequence[Append], attempt: Callable[[], Sequence[Receipt]]) -> None:
        """Attempt commands that are one transaction, and write the answer down."""
        pending = frozenset(self.book.maybe)
        self.settle(commands, self.outcome(attempt), pending)

    def settle(
        self,
        commands: Sequence[Append],
        outcome: Sequence[Receipt] | BaseException,
        pending: frozenset[tuple[str, str]],
    ) -> None:
        if isinstance(outcome, StorageFault):
            unknown = bool(getattr(outcome, "unknown", False))
            for command in commands:
                self.book.refuse(command, unknown=unknown)
        elif isinstance(outcome, BaseException):
            raise outcome
        else:
            for command, receipt in zip(commands, outcome, strict=True):
                self.book.accept(command, receipt)
            if not all(receipt.repeated for receipt in outcome):
                self.book.look(self.main.log, pending)

    @staticmethod
    def outcome(attempt: Callable[[], Sequence[Receipt]]) -> Sequence[Receipt] | BaseException:
        try:
            return attempt()
        except Exception as fault:  # noqa: BLE001 - judged by the caller, in whichever thread it came up
            return fault

    # --- steps -----------------------------------------------------------------------------------

    def single(self) -> None:
        command, log = self.command(self.some_game(), self.rng.choice((1, 1, 1, 2, 5))), self.log()
        self.told([command], lambda: [append(log, command)])

    def large(self) -> None:
        """More than the page cache holds, so that pages are written before the commit."""
        command = self.command(self.some_game(), 25, LARGE)
        self.told([command], lambda: [append(self.main.log, command)])

    def several(self) -> None:
        """Several commands in one transaction, in some of which something else is written too."""
        games = {self.some_game() for _ in range(self.rng.randint(2, 5))}
        commands = [self.command(game, self.rng.randint(1, 3)) for game in sorted(games)]
        log = self.log()
        game, step, state = commands[0].game, self.next(), os.urandom(0) + b"state"

        def also(connection: sqlite3.Connection, _: object) -> None:
            self.main.log.snapshots.add(connection, game, "table", [(step, b"digest", state)])

        outcome = self.outcome(lambda: append_with(log, commands, also))
        self.shelf[game, step] = (state, known(outcome))
        self.settle(commands, outcome, frozenset(self.book.maybe))

    def grouped(self) -> None:
        """Two to eight threads at once: their commands share a transaction."""
        rng, log = self.rng, self.log()
        games = sorted({self.some_game() for _ in range(rng.randint(2, 8))})
        commands = [self.command(game, rng.choice((1, 1, 3))) for game in games]
        if rng.random() < 0.5 and len(commands) > 2:
            # Two for one place: one of them loses.
            commands.append(self.command(commands[0].game))
        pending = frozenset(self.book.maybe)
        doomed = self.command(rng.choice([*games, self.some_game()]), 2) if rng.random() < 0.4 else None
        outcomes = together(log, commands, doomed)
        if doomed is not None:
            self.book.refuse(doomed, unknown=False)
        self.count["grouped commands"] += len(outcomes)
        self.count["groups without a leader"] += not outcomes
        stopped = outcomes.pop(HALF, PLANTED)
        if stopped is not PLANTED and not isinstance(stopped, StorageFault | Conflict):
            raise LostOrInvented(f"work that fails ended with {stopped!r}")
        answered = [command for command in commands if command.command_id in outcomes]
        # The winners first: a loser is judged by what they made of the game.
        for command in sorted(answered, key=lambda one: isinstance(outcomes[one.command_id], Conflict)):
            outcome = outcomes[command.command_id]
            rivals = [other for other in answered if other.game == command.game]
            if (
                isinstance(outcome, Conflict)
                and len(rivals) > 1
                and outcome.head == self.book.head(command.game)
            ):
                self.book.refuse(command, unknown=False)
            else:
                self.settle([command], outcome, pending)

    def again(self) -> None:
        """A refused or acknowledged command comes again under its id."""
        refused = [*self.book.refused.values(), *self.book.maybe.values()]
        done = [command for game in self.raw_games() for command in self.book.games[game]]
        if refused and self.rng.random() < 0.8:
            command = self.rng.choice(refused)
            if command.after == 0 and not command.game.endswith("/notes") and self.book.head(command.game):
                return
            command = msgspec.structs.replace(command, after=self.book.head(command.game))
            if command.game.startswith("toy-"):
                return
            self.count["refused commands tried again"] += 1
        elif done:
            command = self.rng.choice(done)
        else:
            return
        log = self.log()
        self.told([command], lambda: [append(log, command)])

    def go_on(self) -> None:
        """The games of refused commands go on, by events alone and by several, as at a table after a 503."""
        refused = [*self.book.refused.values(), *self.book.maybe.values()]
        games = [one.game for one in refused[-3:] if one.game.startswith("raw-")]
        for game in games or [self.some_game()]:
            for count in self.rng.choice(((1, 1, 2, 1), (2, 1, 1), (1, 2, 1), (3, 1), (1, 1, 1, 3, 1, 1))):
                command, log = self.command(game, count), self.log()
                self.told([command], lambda log=log, command=command: [append(log, command)])  # type: ignore[misc]

    def stale(self) -> None:
        """A command for another head is refused, with the head."""
        known = self.raw_games()
        if not known:
            return
        command = self.command(self.rng.choice(known))
        after = command.after + self.rng.choice((-1, 1, 5))
        late, log = msgspec.structs.replace(command, after=max(after, 0)), self.log()
        outcome = self.outcome(lambda: [append(log, late)])
        if isinstance(outcome, Conflict) and outcome.head == command.after:
            return
        if not isinstance(outcome, StorageFault):
            raise LostOrInvented(f"{late} behind the wrong event ended with {outcome!r}")

    def interrupted(self) -> None:
        """Ctrl+C in the middle of a transaction keeps nothing."""
        commands = [self.command(self.some_game(), 2)]

        def also(_: object, __: object) -> None:
            raise KeyboardInterrupt

        try:
            append_with(self.main.log, commands, also)
        except (KeyboardInterrupt, StorageFault):
            for command in commands:
                self.book.refuse(command, unknown=False)

    def another_process(self) -> None:
        command = self.command(self.some_game())
        pending = frozenset(self.book.maybe)
        # Its own files do not fail.
        receipt = self.neighbour.append(self.path, command)
        self.settle([command], [receipt], pending)

    def add_key(self) -> None:
        name = f"key-{self.next()}"
        try:
            self.main.access.add(name)
        except StorageFault as fault:
            self.keys[name] = known(fault)
        else:
            self.keys[name] = True

    def put_snapshot(self) -> None:
        games = list(self.book.games)
        if games:
            game, step, log = self.rng.choice(games), self.next(), self.log()
            kept = [(step, b"digest", b"state")]

            def put(connection: sqlite3.Connection) -> Sequence[Receipt]:
                # `put_all` says nothing of a full disk: a snapshot may be missing.
                log.snapshots.add(connection, game, "table", kept)
                return []

            outcome = self.outcome(lambda: log.write(put))
            self.shelf[game, step] = (b"state", known(outcome))

    def new_toy(self) -> None:
        game = f"toy-{self.next()}"
        payload = serialization.encode_event(start.started(TOY, 2, options={"rounds": 1000}))
        command = Append(game, (NewEvent("record.started", payload),), 0, game, "")

        def attempt() -> list[Receipt]:
            answer = self.main.do(
                None, New(TOY.id, ["Ann", "Bo"], options={"rounds": 1000}, game=game, id=game)
            )
            return [receipt_of(answer)]

        self.told([command], attempt)

    def play(self) -> None:
        """A few moves of a game with rules; snapshots and the memory of its last states come with them."""
        toys = self.toys()
        if not toys:
            self.new_toy()
            return
        game, command_id = self.rng.choice(toys), f"c{self.next()}"
        position = self.main.game(game).position()
        state, events = position.state, []
        for _ in range(self.rng.choice((1, 1, 2, 30))):
            event = next_event(TOY, state, self.rng)
            events.append(event)
            state = TOY.evolve[type(event)](state, event)
        new = tuple(NewEvent(kind_of(event), serialization.encode_event(event)) for event in events)
        command = Append(game, new, self.book.head(game), command_id, "")
        record = Record(events, id=command_id)
        self.told([command], lambda: [receipt_of(self.main.do(game, record))])

    def name_it(self) -> None:
        toys = self.toys()
        if toys:
            game, title = self.rng.choice(toys), f"title {self.next()}"
            before = self.titles.setdefault(game, {None})
            try:
                self.main.set_details(game, title=title)
            except StorageFault as fault:
                if known(fault) is None:
                    before.add(title)
            else:
                self.titles[game] = {title}

    def look_at_the_list(self) -> None:
        """The list writes what it followed; a fault may refuse it."""
        text = self.rng.choice((None, "title"))
        try:
            self.main.catalogue.list(text=text)
        except StorageFault:
            self.count["refused lists"] += 1

    def reopen(self) -> None:
        """Close everything, as a program that ends, and open it again."""
        if self.second is not None:
            self.second.close()
            self.second = None
        self.main.close()
        for attempt in range(3):
            try:
                self.main = Store.open(self.path, registry=REGISTRY)
            except StorageFault:
                self.count["refused openings"] += 1
                if attempt == 1:
                    self.calm()
            else:
                self.count["openings"] += 1
                return
        raise LostOrInvented("the database does not open any more")

    def second_writer(self) -> None:
        if self.second is not None:
            self.second.close()
            self.second = None
            return
        try:
            self.second = SqliteLog.open(self.path)
        except StorageFault:
            self.count["refused openings"] += 1

    def run(self) -> None:
        steps: dict[Callable[[], None], int] = {
            self.single: 8, self.several: 3, self.grouped: 5, self.again: 4, self.play: 3, self.go_on: 8,
        }  # fmt: skip
        if self.rng.random() < 0.6:
            steps |= {
                self.interrupted: 1, self.another_process: 2, self.add_key: 1, self.put_snapshot: 1,
                self.stale: 1, self.name_it: 1, self.look_at_the_list: 2, self.reopen: 1,
                self.second_writer: 1, self.new_toy: 1,
            }  # fmt: skip
        if self.rng.random() < 0.1:
            steps[self.large] = 1
        troubled = 0
        for _ in range(STEPS):
            if troubled == 0:
                self.calm()
                if self.rng.random() < 0.45:
                    troubled = self.rng.choice((1, 1, 2, 4, 8))
                    self.plan.append(self.break_something())
            else:
                troubled -= 1
            step = self.rng.choices(list(steps), list(steps.values()))[0]
            self.plan.append(step.__name__)
            with suppress(StorageFault):
                # What is written is written down where it is sent; a read may be refused.
                self.book.look(self.main.log)
                step()
        self.calm()
        self.plan.append("calm")
        self.check()

    # --- what must hold --------------------------------------------------------------------------

    def check(self) -> None:
        self.book.compare(self.main.log)
        for log in filter(None, (self.main.log, self.second)):
            # The writer that met the faults goes on, in each game and in a new one.
            for game in [*self.raw_games(), f"raw-{self.next()}"]:
                command = self.command(game)
                self.told([command], lambda log=log, command=command: [append(log, command)])  # type: ignore[misc]
        for _ in self.toys():
            self.play()
        self.book.compare(self.main.log)
        self.projections()
        report = verify(self.main)
        if report.faults:
            raise LostOrInvented(f"verify finds {report.faults}")
        if self.neighbour.rows(self.path) != rows(self.main.log):
            raise LostOrInvented("another process reads something else")
        self.exchanged()
        for game in sorted(self.book.games, reverse=True)[:5]:
            for command in self.book.games[game] if game.startswith("raw-") else ():
                self.told([command], lambda command=command: [append(self.main.log, command)])  # type: ignore[misc]
        self.reopen()
        self.book.compare(self.main.log)
        self.count["losses"] += 0

    def projections(self) -> None:
        keys = {key.name for key in self.main.access.list()}
        for name, there in self.keys.items():
            if there is not None and (name in keys) is not there:
                raise LostOrInvented(f"{name} should be there: {there}")
        for (game, step), (state, there) in self.shelf.items():
            found = self.main.log.snapshots.get(game, "table", [(step, b"digest")])
            if there is not None and (found == (step, state)) is not there:
                raise LostOrInvented(f"the snapshot of step {step} of {game} should be there: {there}")
        for game in self.toys():
            entry = self.main.catalogue.get(game)
            titles = self.titles.get(game, {None})
            if entry.title not in titles or entry.seq != self.book.head(game):
                raise LostOrInvented(f"{entry} should be called one of {titles}")
        listed = {entry.game: entry.seq for entry in self.main.catalogue.list()}
        for game in self.toys():
            if listed.get(game) != self.book.head(game):
                raise LostOrInvented(f"the list has {game} at {listed.get(game)}")
        with self.main.log.reader() as connection:
            strays = connection.execute("PRAGMA foreign_key_check").fetchall()
        if strays:
            raise LostOrInvented(f"rows of games that are not there: {strays}")

    def exchanged(self) -> None:
        """Every record can be exported, imported and exported again."""
        files = [
            (game, b"".join(export_record(self.main, self.main.game(game))))
            for game in self.book.games
            if "/" not in game and self.book.head(game)
        ]
        if not files:
            return
        with (
            TemporaryDirectory() as folder,
            Store.open(Path(folder, "other.db"), registry=REGISTRY) as other,
        ):
            import_records(other, files)
            for game, file in files:
                if b"".join(export_record(other, other.game(game))) != file:
                    raise LostOrInvented(f"the export of {game} does not come back")

    def close(self) -> None:
        self.calm()
        if self.second is not None:
            self.second.close()
        self.main.close()


def compact(value: object) -> str:
    """JSON as it stands in a record file."""
    return msgspec.json.encode(value).decode()


def append(log: SqliteLog, command: Append) -> Receipt:
    """Append one command."""
    return log.append(
        command.game,
        command.events,
        after=command.after,
        command_id=command.command_id,
        request=command.request,
    )


def receipt_of(answer: Any) -> Receipt:
    """What the store answered, as the log does."""
    return Receipt(answer.game.id, answer.seq - answer.appended + 1, answer.seq, "", answer.repeated)


def known(outcome: object) -> bool | None:
    """Whether a write is there after this outcome; None where its refusal does not know."""
    if isinstance(outcome, StorageFault):
        return None if getattr(outcome, "unknown", False) else False
    if isinstance(outcome, BaseException):
        raise outcome
    return True


def together(
    log: SqliteLog, commands: Sequence[Append], doomed: Append | None
) -> dict[str, Sequence[Receipt] | BaseException]:
    """Have as many threads ask at once; the outcomes by id. The doomed command is written and taken back."""
    outcomes: dict[str, Sequence[Receipt] | BaseException] = {}

    def ask(command: Append) -> None:
        outcomes[command.command_id] = Seed.outcome(lambda: [append(log, command)])

    def half(connection: sqlite3.Connection, _: object) -> None:
        connection.execute("INSERT INTO games(id) VALUES ('half-made')")
        raise PLANTED

    def break_off(command: Append) -> None:
        outcomes[HALF] = Seed.outcome(lambda: append_with(log, [command], half))

    threads = [Thread(target=ask, args=(command,)) for command in commands]
    if doomed is not None:
        threads.append(Thread(target=break_off, args=(doomed,)))

    def lead(_: sqlite3.Connection, __: object) -> None:
        for thread in threads:
            thread.start()
        limit = monotonic() + PATIENCE
        while gathered(log) < len(threads) and monotonic() < limit:
            pass

    with suppress(StorageFault):
        # Commands none, so that nothing is written before the group: it is the group that meets the fault.
        append_with(log, [], lead)
    for thread in threads:
        if thread.ident is not None:
            thread.join()
    return outcomes


def gathered(log: SqliteLog) -> int:
    """How many commands wait for the next transaction."""
    assert log._writer
    group = log._writer._group._gathering
    return len(group.jobs) if group else 0


def one(seed: int, shim: Shim, place: Path, neighbour: Neighbour) -> tuple[Counter[str], str | None]:
    """Run one seed: its figures, and what went wrong."""
    folder = place / str(seed)
    folder.mkdir()
    run = Seed(seed, folder, shim, neighbour)
    with closing(run):
        try:
            run.run()
        except (Exception, KeyboardInterrupt) as fault:  # noqa: BLE001 - reported with its seed
            run.count["losses"] += 1
            where = "".join(traceback.format_exception(fault)[-4:])
            kind = type(fault).__name__
            return run.count, f"{kind}: {fault}\nplan: {'; '.join(run.plan)}\n{where}"
    return run.count, None


def main() -> None:
    """Run the seeds and print the figures."""
    first, count = map(int, sys.argv[1:3])
    figures: Counter[str] = Counter()
    failures: dict[int, str] = {}
    quiet = {
        name: text for name, text in os.environ.items() if name not in {"LD_PRELOAD", "TABLETAPE_FAULTS"}
    }
    with TemporaryDirectory(dir=MEMORY) as folder, Neighbour(quiet) as neighbour:
        place = Path(folder).resolve()
        shim = Shim(place)
        for seed in range(first, first + count):
            counted, failure = one(seed, shim, place, neighbour)
            figures += counted
            figures["runs"] += 1
            if failure is not None:
                failures[seed] = failure
    print(json.dumps({"figures": figures, "failures": failures}))  # noqa: T201 - what the test reads


if __name__ == "__main__":
    main()
