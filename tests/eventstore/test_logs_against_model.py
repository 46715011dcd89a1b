"""Both logs, step by step, against a dictionary of lists."""

from __future__ import annotations

import tempfile
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, invariant, rule

from eventstore.errors import CommandReused, Conflict, TabletapeError, UnknownGame
from eventstore.log.chain import verify_chain
from eventstore.log.in_memory import MemoryLog
from eventstore.log.rows import Append, NewEvent, Receipt
from eventstore.sqlite import schema
from eventstore.sqlite.log import SqliteLog
from eventstore.testing.log_contract import fact

if TYPE_CHECKING:
    from eventstore.log.contract import EventLog

STAMP = "2026-09-14T18:03:05.123456Z"

games = st.sampled_from(["game-a", "game-b", "game-b/notes"])
kinds = st.sampled_from(["card_drawn", "record.undone", "record.amended"])
events = st.lists(st.builds(fact, st.integers(0, 9), kinds), min_size=1, max_size=3).map(tuple)
ids = st.sampled_from(["c1", "c2", "c3", "c4", "c5", "c6"])
afters = st.one_of(st.just("head"), st.integers(0, 6))
requests = st.sampled_from(["r", "r", "r", "s"])


class Model:
    """The log as one would describe it: per game a list of payloads, and who was answered what."""

    def __init__(self) -> None:
        self.payloads: dict[str, list[str]] = {}
        self.answers: dict[tuple[str, str], tuple[str, int, int]] = {}
        self.order: list[tuple[str, int]] = []

    def apply(self, commands: list[Append]) -> list[tuple[int, int, bool]] | type[TabletapeError]:
        """All or nothing: what comes out, with what is kept changed only if it is no refusal."""
        copy = Model()
        copy.payloads = {game: list(payloads) for game, payloads in self.payloads.items()}
        copy.answers, copy.order = dict(self.answers), list(self.order)
        out = []
        for command in commands:
            answer = copy.one(command)
            if isinstance(answer, type):
                return answer
            out.append(answer)
        self.payloads, self.answers, self.order = copy.payloads, copy.answers, copy.order
        return out

    def one(self, command: Append) -> tuple[int, int, bool] | type[TabletapeError]:
        key = (command.game, command.command_id)
        head = len(self.payloads.get(command.game, []))
        if key in self.answers:
            request, first, last = self.answers[key]
            return (first, last, True) if request == command.request else CommandReused
        if not head and command.after:
            return UnknownGame
        if head != command.after:
            return Conflict
        self.payloads.setdefault(command.game, []).extend(event.payload for event in command.events)
        last = head + len(command.events)
        self.answers[key] = (command.request, head + 1, last)
        self.order += [(command.game, seq) for seq in range(head + 1, last + 1)]
        return head + 1, last, False


def attempt(log: EventLog, commands: list[Append]) -> list[Receipt] | TabletapeError:
    try:
        if len(commands) > 1:
            return log.append_all(commands)
        (one,) = commands
        return [
            log.append(one.game, one.events, after=one.after, command_id=one.command_id, request=one.request)
        ]
    except TabletapeError as refusal:
        return refusal


def outcome(answer: list[Receipt] | TabletapeError) -> list[tuple[int, int, bool]] | type[TabletapeError]:
    if isinstance(answer, TabletapeError):
        return type(answer)
    return [(one.first_seq, one.last_seq, one.repeated) for one in answer]


class BothLogs(RuleBasedStateMachine):
    """Stale and repeated appends, used ids, groups with one bad member, reads and following."""

    def __init__(self) -> None:
        super().__init__()
        self.model = Model()
        self.exit = ExitStack()
        place = Path(self.exit.enter_context(tempfile.TemporaryDirectory()))
        schema.make(str(place / "games.db"))
        self.logs: list[EventLog] = [
            self.exit.enter_context(MemoryLog()),
            self.exit.enter_context(SqliteLog.open(place / "games.db")),
        ]

    def teardown(self) -> None:
        self.exit.close()

    def command(
        self, game: str, new: tuple[NewEvent, ...], after: str | int, key: str, request: str
    ) -> Append:
        stamped = tuple(NewEvent(event.kind, event.payload, "p1", STAMP) for event in new)
        place = len(self.model.payloads.get(game, [])) if isinstance(after, str) else after
        return Append(game, stamped, place, key, request)

    def both(self, commands: list[Append]) -> None:
        expected = self.model.apply(commands)
        answers = [attempt(log, commands) for log in self.logs]
        assert [outcome(answer) for answer in answers] == [expected, expected]
        assert str(answers[0]) == str(answers[1])

    @rule(game=games, new=events, after=afters, key=ids, request=requests)
    def append(self, game: str, new: tuple[NewEvent, ...], after: str | int, key: str, request: str) -> None:
        self.both([self.command(game, new, after, key, request)])

    @rule(first=st.tuples(games, events, ids), second=st.tuples(games, events, afters, ids), request=requests)
    def append_several(
        self,
        first: tuple[str, tuple[NewEvent, ...], str],
        second: tuple[str, tuple[NewEvent, ...], str | int, str],
        request: str,
    ) -> None:
        game, new, key = first
        self.both([self.command(game, new, "head", key, "r"), self.command(*second, request)])

    @rule(game=games, first=st.integers(-1, 8), last=st.none() | st.integers(-1, 8))
    def read(self, game: str, first: int, last: int | None) -> None:
        payloads = self.model.payloads.get(game, [])
        wanted = [
            (seq, payload)
            for seq, payload in enumerate(payloads, 1)
            if first <= seq and (last is None or seq <= last)
        ]
        for log in self.logs:
            assert [(event.seq, event.payload) for event in log.events(game, first, last)] == wanted
            assert (
                log.payload_array(game, first, last).decode() == f"[{','.join(text for _, text in wanted)}]"
            )
            rewrites = [(seq, text) for seq, text in enumerate(payloads, 1) if "record." in text]
            assert log.rewrites(game) == rewrites

    @rule(game=games, key=ids)
    def look_up(self, game: str, key: str) -> None:
        known = self.model.answers.get((game, key))
        for log in self.logs:
            commit = log.answered(game, key)
            assert (commit and (commit.request, commit.first_seq, commit.last_seq)) == known

    @rule(start=st.integers(0, 12), limit=st.integers(1, 5))
    def follow(self, start: int, limit: int) -> None:
        for log in self.logs:
            everything = log.follow(0)
            assert [(event.game, event.seq) for event in everything] == self.model.order
            position = everything[start - 1].position if 0 < start <= len(everything) else 0
            skipped = start if position else 0
            assert log.follow(position, limit) == everything[skipped : skipped + limit]

    @invariant()
    def heads_and_chains_agree(self) -> None:
        memory, sqlite = self.logs
        assert memory.games() == sqlite.games() == list(self.model.payloads)
        for game, payloads in self.model.payloads.items():
            head = memory.head(game)
            assert head == sqlite.head(game)
            assert head is not None
            assert head.seq == len(payloads)
            assert memory.commits(game) == sqlite.commits(game)
            for log in self.logs:
                assert verify_chain(*log.record(game)) == []


TestBothLogs = BothLogs.TestCase
TestBothLogs.settings = settings(max_examples=40, stateful_step_count=20, deadline=None)
