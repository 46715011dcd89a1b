"""Decides and appends: every event that comes into a log comes through here, checked by the rules."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial
from hashlib import sha256
from itertools import islice
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, TypeVar

import msgspec

from eventstore.errors import BadHistory, CommandReused, Conflict, unwritten
from eventstore.library import about as abouts
from eventstore.library import details
from eventstore.library.about import About
from eventstore.log.history import History, splice
from eventstore.log.ids import digest, is_command_id, is_game_id, named_id, new_id
from eventstore.log.rows import RECORDER, Append, NewEvent
from eventstore.recording import amending, branching, decisions, idempotency, inputs
from eventstore.recording.amending import Basis, Correction, Fault, Insert, Keep, Old, Proposal, Replace
from eventstore.recording.decisions import Decided, Present
from eventstore.recording.inputs import Sent
from eventstore.recording.table_checks import Drift, drift
from eventstore.refusals import (
    AlreadyThere,
    BadCount,
    BadId,
    GameIdTaken,
    IllegalLine,
    NotAVersion,
    NotDealt,
    NothingGiven,
    NothingToRedo,
    NothingToUndo,
    TextOnly,
    UndoPastDraw,
    Unfinished,
    UnknownEvent,
)
from games.core import fold, seat_permissions, serialization, start
from games.core.events import (
    Change,
    Claim,
    Event,
    Origin,
    Parent,
    RecordAmended,
    RecordChecked,
    RecordClosed,
    RecordRedone,
    RecordRuled,
    RecordStarted,
    RecordUndone,
    kind_of,
)
from games.core.ruleset import CHANCE, EVERYTHING, TABLE, IllegalAction, Outcome, Rng, Ruleset
from games.text import wording

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterable, Iterator, Sequence

    from eventstore.log.history import Runs
    from eventstore.log.rows import Commit, Receipt
    from eventstore.recording.amending import Amendment, Settlement, Wish
    from eventstore.recording.inputs import Given
    from eventstore.replay.game import Moment, Tape
    from eventstore.replay.replayer import Replayer
    from eventstore.sqlite.log import SqliteLog
    from games.core.registry import Registry

_NOT_ENTERED: Final = "With this key you take back, and bring back, what it entered itself; another did this."


class Answer(msgspec.Struct, frozen=True):
    """What an accepted command came to."""

    game: str
    seq: int
    """The head after it."""
    step: int
    """The last step after it."""
    appended: int
    """Rows that it added."""
    outcome: Outcome | None
    repeated: bool = False
    """The command had been accepted before; nothing was added, and this is what it was answered then."""


class Amended(Answer, frozen=True):
    """What an amendment came to.

    Where nothing was appended (a fault is left, or `dry_run`), `step` and `outcome` are those that the game
    would have, without its faulty events.
    """

    faults: tuple[Fault, ...] = ()
    unjudged: int = 0
    """Events behind the last of very many faults that were not looked at."""
    moot: tuple[int, ...] = ()
    """Settlements that were not needed; those events stay as they are."""


class Checked(Answer, frozen=True):
    """What a table check came to."""

    drifts: tuple[Drift, ...] = ()
    """The claims that the record does not bear out; none: it holds."""


@dataclass(frozen=True)
class _Asked:
    """A command as it was asked for."""

    game: str
    request: str
    after: int | None
    command_id: str | None
    by: str
    viewer: str = EVERYTHING
    seat: str | None = None


@dataclass(frozen=True)
class _Wanted:
    """What an amendment is to do."""

    edits: tuple[Wish, ...]
    settle: Mapping[int, Settlement]
    reason: str
    dry_run: bool
    again: bool
    rest: frozenset[int] | None = None

    def spelt(self) -> Iterator[Any]:
        """What tells one request from another."""
        yield [(wish.seq, *_spelt(wish.do)) for wish in self.edits]
        yield [(seq, *_spelt(do)) for seq, do in sorted(self.settle.items(), key=itemgetter(0))]
        yield from (self.reason, self.again)


class Recorder:
    """Makes games and appends to them.  Every writing call takes, by keyword.

    after        the head that it was made for; `Conflict` when there is another. Without it, a command that
                 comes too late is decided anew.
    command_id   a repeat gets the first answer, looked up before anything is decided.
    by           the key of who enters it, never a name.
    viewer       whose view is asked; a refusal tells no more than he may know.
    seat         of one who is shown that seat's view only: in a game that hides something that view is asked,
                 he records what `games.core.seat_permissions` says, and takes back what he entered himself.
    Corrections and rulings are made by who is shown everything.

    Errors:  `IllegalAction` from the rules; `UnknownGame`, `Conflict`, `CommandReused`, `MalformedAppend`,
             `TextOnly`, and those of the storage. Nothing is recorded when one is raised.
    """

    def __init__(self, log: SqliteLog, registry: Registry, replayer: Replayer) -> None:
        self._log = log
        self._registry = registry
        self._replayer = replayer

    @unwritten("this game was not started")
    def new(
        self,
        ruleset: str,
        players: Sequence[str],
        *,
        options: Mapping[str, Any] | None = None,
        data: bytes | None = None,
        origin: Origin = "table",
        seen_as: str = EVERYTHING,
        title: str | None = None,
        played_on: str | None = None,
        time_zone: str | None = None,
        place: str | None = None,
        version: int | None = None,
        game: str | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
    ) -> Answer:
        """Begin a game; `players` are names by seat, empty where a seat has none.

        Id:      `game`, else the command id, or ten characters made of one that no game can have, else ten
                 random ones.
        Day:     `played_on` is today in `time_zone`, unless given.
        Errors:  `UnknownRuleset`, `BadData`, `BadDetail`, `BadId`, `GameIdTaken`; `IllegalAction` for a wrong
                 number of players, an unknown option, value or viewer.
        """
        name = _new_id(game, command_id)
        file = None if data is None else sha256(data).hexdigest()
        request = digest(
            "new", ruleset, list(players), dict(options or {}), file, origin, seen_as,
            title, played_on, time_zone, place, version, by,
        )  # fmt: skip
        if answered := self._begun(name, command_id, request):
            return answered
        names = {f"p{number}": text for number, text in enumerate(players, 1)}
        about = abouts.checked(About(title, played_on, time_zone, place, names))
        about = replace(about, played_on=about.played_on or details.today(about.time_zone))
        rules = self._registry.find(ruleset, version)
        started = start.started(
            rules, len(players), options=options, data=data, origin=origin, seen_as=seen_as
        )
        rows = (NewEvent(kind_of(started), serialization.encode_event(started), by),)
        return self._begin(Append(name, rows, 0, command_id or name, request), about)

    @unwritten("this variation was not started")
    def branch(
        self,
        game: str,
        step: int,
        *,
        title: str | None = None,
        as_game: str | None = None,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
    ) -> Answer:
        """Begin a variation: a game of its own that is this one up to `step`, and goes on as it likes.

        Id:      `as_game`, else as of `new`.
        Names:   day, zone, place and names are those of the parent; without a `title` it names the step.
        Notes:   stay with the parent.
        Errors:  `UnknownStep`, `TextOnly`, `Unfinished`, `Unreadable` where the parent cannot be folded so
                 far; `BadDetail`, `BadId`, `GameIdTaken`.
        """
        name = _new_id(as_game, command_id)
        title = details.line("title", title, details.TITLE)
        request = digest("branch", game, step, title, by)
        if answered := self._begun(name, command_id, request):
            return answered
        tape = self._replayer.tape(game)
        parent = Parent(game, _fresh(_Asked(game, request, after, command_id, by), tape.head.seq), step)
        _amendable(tape)
        self._replayer.replay(game, step)
        with self._log.reader() as connection:
            about = branching.about(abouts.read(connection, game), step, title)
        rows = branching.rows(self._log, tape, parent)
        return self._begin(Append(name, rows, 0, command_id or name, request), about, parent)

    def _begun(self, name: str, command_id: str | None, request: str) -> Answer | None:
        """What the command that makes this game was answered before."""
        try:
            return self._answered(name, command_id or name, request)
        except CommandReused:
            if command_id is not None:
                raise
            raise GameIdTaken(name) from None

    def _begin(self, command: Append, about: About, parent: Parent | None = None) -> Answer:
        def also(connection: sqlite3.Connection, receipts: list[Receipt]) -> None:
            if not receipts[0].repeated:
                abouts.write(connection, command.game, about)
                if parent is not None:
                    branching.enter(connection, command.game, parent)

        try:
            return self._told(self._log.append_all([command], also=also)[0])
        except Conflict:
            raise GameIdTaken(command.game) from None

    def record(
        self,
        game: str,
        events: Sequence[Event | Mapping[str, Any]],
        *,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
        viewer: str = EVERYTHING,
        seat: str | None = None,
    ) -> Answer:
        """Append events as one command: each checked against the state after those before it, all or none.

        Events:  typed ones, or decoded JSON objects.
        Rulings: are refused of who is not shown everything.
        Errors:  `IllegalLine` (an `IllegalAction`) and `BadLine` carry `line`, counted from 1.
        """
        request = digest("record", [inputs.sent(event) for event in events], by)

        def decide(present: Present) -> Iterator[Sent]:
            return decisions.sent(present, events, seat)

        several = f"none of these {len(events)} moves was recorded"
        with unwritten("this move was not recorded" if len(events) == 1 else several):
            return self._add(_Asked(game, request, after, command_id, by, viewer, seat), decide)

    @unwritten("nothing was dealt")
    def deal(
        self,
        game: str,
        rng: Rng | None = None,
        *,
        until_decision: bool = True,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
    ) -> Answer:
        """Append the chance outcomes that are due in a dealt game: all up to the next decision, or one.

        One:     is dealt also where a player may decide something else instead, as to trade and not draw.
        Chance:  the operating system's, unless `rng` is given.
        Nothing: due, nothing is appended.
        Errors:  `NotDealt`.
        """
        dice = rng or random.SystemRandom()

        def decide(present: Present) -> Iterator[Sent]:
            if present.started.origin != "dealt":
                raise NotDealt(game)
            return decisions.drawn(present, dice, until_decision=until_decision)

        return self._add(_Asked(game, digest("deal", until_decision, by), after, command_id, by), decide)

    def read(
        self, game: str, text: str, *, viewer: str = EVERYTHING, command_id: str | None = None
    ) -> tuple[Event, ...]:
        """Read one typed line against the present state: short forms or JSON objects, split at `;`.

        Repeats: with the id of a command that was accepted, against the state that it came to.
        Errors:  `IllegalAction` `not-understood`, or what the rules say of an earlier move of the line.
        """
        then = self.then(game, command_id)
        present = self._present(game, viewer)
        state, found = present.seen, list[Event]()
        closed = present.moment.closing is not None
        if then is not None:
            moment = self.moment_then(game, then, viewer)
            state, closed = moment.state, moment.closing is not None
        for place, move in enumerate(moves := list(inputs.moves(text))):
            for event in wording.read(present.ruleset, state, move):
                found.append(event)
                if place + 1 < len(moves):
                    fold.check(present.ruleset, state, event, seats=present.started.seats, closed=closed)
                    state = fold.evolve(present.ruleset, state, event)
        return tuple(found)

    @unwritten("this correction was not recorded")
    def amend(
        self,
        game: str,
        edits: Sequence[Wish],
        *,
        settle: Mapping[int, Settlement] | None = None,
        reason: str = "",
        dry_run: bool = False,
        again: bool = False,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
    ) -> Amended:
        """Correct the middle of a record; all behind the first edit is judged again before it is appended.

        Faults:  what became impossible is listed until each of them is settled; nothing is appended before.
        First:   the first event may be replaced; an object names what is to be otherwise
                 (`{"kind": "record.started", "options": {"rounds": 5}}`). Its ruleset, version, seats, origin
                 and parent stay.
        Again:   a dealt game's draws may go with nothing in their place, to be drawn anew.
        Errors:  `IllegalEdit` with the seq for what the rules refuse of edits and settlements themselves;
                 `NotInHistory`, `BadAmendment`, `NothingGiven`, `BadDetail`; `UndoPastDraw` without `again`.
        """
        wanted = _Wanted(tuple(edits), settle or {}, details.passage("reason", reason), dry_run, again)
        asked = _Asked(game, digest("amend", *wanted.spelt(), by), after, command_id, by)
        answered: Answer | None = self._answered(game, command_id, asked.request)
        while answered is None:
            answered = self._amend(asked, wanted)
        return answered if isinstance(answered, Amended) else self._amended_then(answered, wanted.settle)

    def proposed(
        self,
        game: str,
        edits: Sequence[Wish],
        *,
        settle: Mapping[int, Settlement] | None = None,
        rest: frozenset[int] | None = None,
        reason: str = "",
        by: str = RECORDER,
    ) -> Proposal:
        """Say all that `amend` would come to, for one who sees everything.

        Rest:    where it is given, whatever else cannot stand goes, but for these.
        Errors:  those of `amend`; a dealt game's draws are named, not refused.
        """
        wanted = _Wanted(
            tuple(edits), settle or {}, details.passage("reason", reason), dry_run=True, again=True, rest=rest
        )
        tape = self._replayer.tape(game)
        rules, started = _amendable(tape)
        made = self._made(tape, rules, started, _Asked(game, "", None, None, by), wanted)
        try:
            if started.origin == "dealt":
                self._refuse_draws(tape, made.gone.__contains__)
        except UndoPastDraw as drawn:
            return Proposal(tape, made, drawn.seq)
        return Proposal(tape, made, None)

    @unwritten("this ruling was not recorded")
    def rule(
        self,
        game: str,
        *,
        event: Given | None = None,
        changes: Sequence[Change | Mapping[str, Any]] | None = None,
        reason: str,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
    ) -> Answer:
        """Record what the table agreed on in spite of the rules: an event, or a patch of the state.

        Event:   what it would have done is recorded as changes of the state.
        Changes: `{at, now}`; with `was` too, it is refused where another value stands there.
        Errors:  `IllegalAction` `cannot-be-kept` where the rules cannot follow the event, `no-such-place`,
                 `ruling-does-not-fit`, `ruling-mistyped`, `ruling-breaks-the-count`; `NothingToRule`,
                 `NothingGiven`, `BadDetail`.
        """
        said = details.reason(reason)
        spelt = None if event is None else inputs.sent(event)
        request = digest("rule", spelt, [decisions.plain(change) for change in changes or ()], said, by)

        def decide(present: Present) -> Iterator[Sent]:
            if event is not None:
                yield Sent(decisions.ruled(present, event, said), None)
            elif changes:
                yield Sent(RecordRuled(said, decisions.fitted(present, changes)), None)
            else:
                raise NothingGiven

        return self._add(_Asked(game, request, after, command_id, by), decide)

    @unwritten("this check was not recorded")
    def checked(
        self,
        game: str,
        claims: Mapping[str, int | str | None],
        *,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
        viewer: str = EVERYTHING,
        seat: str | None = None,
    ) -> Checked:
        """Record a look at the real table, whether the record holds or not, and say what drifted since when.

        Claims:  by the key of a counter, zone or cell of the scene.
        Drifts:  those of the record as it was with this check as its last step, also for a repeat.
        Errors:  `NothingGiven`; `IllegalAction` `unknown-claim`.
        """
        if not claims:
            raise NothingGiven
        event = RecordChecked(tuple(Claim(at, value) for at, value in claims.items()))
        try:
            answer = self.record(
                game, [event], after=after, command_id=command_id, by=by, viewer=viewer, seat=seat
            )
        except IllegalLine as refusal:
            raise IllegalAction(refusal.code, refusal.sentence) from None
        drifts = drift(self._replayer, game, answer.step, self._eyes(game, viewer, seat), answer.seq)
        return Checked(**msgspec.structs.asdict(answer), drifts=drifts)

    @unwritten("nothing was undone")
    def undo(
        self,
        game: str,
        n: int = 1,
        *,
        again: bool = False,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
        seat: str | None = None,
    ) -> Answer:
        """Take back the last `n` actions, an amendment being one: one command with a row for each.

        Again:   a dealt game's draws may be undone, to be drawn anew; not by a `seat` that is not shown all.
        Errors:  `NothingToUndo`, `BadCount`; `UndoPastDraw` without `again`; `IllegalAction` `not-yours`.
        """

        def decide(moment: Moment) -> list[Event]:
            targets = self._targets(moment, n, RecordUndone)
            if len(targets) < n:
                raise NothingToUndo(game, len(targets))
            bound = seat is not None and _hides(moment)
            if bound:
                self._refuse_others(moment, targets[-1].to, by)
            if bound or not again:
                self._refuse_return(moment, targets[-1].to)
            return list(targets)

        return self._rewrite(_Asked(game, digest("undo", n, again, by), after, command_id, by), decide)

    @unwritten("nothing was redone")
    def redo(
        self,
        game: str,
        n: int = 1,
        *,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
        seat: str | None = None,
    ) -> Answer:
        """Bring back what was undone last.

        Errors:  `NothingToRedo`, also after a new event; `BadCount`; `IllegalAction` `not-yours`.
        """

        def decide(moment: Moment) -> list[Event]:
            targets = self._targets(moment, n, RecordRedone)
            if len(targets) < n:
                raise NothingToRedo(game, len(targets))
            if seat is not None and _hides(moment):
                self._refuse_others(moment, targets[-1].to, by)
            return list(targets)

        return self._rewrite(_Asked(game, digest("redo", n, by), after, command_id, by), decide)

    @unwritten("the game was left as it is")
    def restore(
        self,
        game: str,
        to: int,
        *,
        again: bool = False,
        after: int | None = None,
        command_id: str | None = None,
        by: str = RECORDER,
    ) -> Answer:
        """Make the history what it was after event `to` of any line (`History.lines`).

        Again:   a dealt game's draws may go, as by `undo`.
        Errors:  `UnknownEvent`; `NotAVersion` for an event inside an amendment; `AlreadyThere`;
                 `UndoPastDraw` without `again`.
        """

        def decide(moment: Moment) -> list[Event]:
            if not 1 <= to <= moment.head:
                raise UnknownEvent(game, to, moment.head)
            try:
                self._history(moment).add(moment.head + 1, serialization.encode_event(RecordRedone(to)))
            except BadHistory:
                raise NotAVersion(game, to) from None
            tape = self._replayer.tape(game)
            if tape.history.at(to) == tape.history.at(moment.head):
                raise AlreadyThere(game, to)
            if not again:
                self._refuse_return(moment, to)
            return [RecordRedone(to)]

        return self._rewrite(_Asked(game, digest("restore", to, again, by), after, command_id, by), decide)

    def answered(self, game: str, command_id: str) -> Answer | None:
        """What a command was answered that was accepted before, whatever it asked for; None: it was not.

        Errors:  those of the storage.
        """
        commit = idempotency.accepted(self._log, game, command_id)
        return None if commit is None else self._again(commit)

    def begun(self, wished: str | None, command_id: str | None) -> str | None:
        """The game that this command began; None where it was not accepted."""
        name = _new_id(wished, command_id)
        return None if idempotency.accepted(self._log, name, command_id or name) is None else name

    def then(self, game: str, command_id: str | None) -> int | None:
        """The head that an accepted command came to; None where it was not accepted, or began the game."""
        commit = idempotency.accepted(self._log, game, command_id)
        return None if commit is None or commit.first_seq == 1 else commit.first_seq - 1

    def moment_then(self, game: str, head: int, viewer: str = EVERYTHING) -> Moment:
        """The last step as it was when the log ended with event `head`."""
        last = len(self._replayer.tape(game).history.at(head)) - 1
        return next(iter(self._replayer.line(game, head, viewer, last)))

    def amended(self, game: str, command_id: str, settled: Iterable[int]) -> Amended | None:
        """What an amendment was answered that was accepted before; `settled` are the events it settled."""
        answered = self.answered(game, command_id)
        return None if answered is None else self._amended_then(answered, settled)

    def _amended_then(self, answered: Answer, settled: Iterable[int]) -> Amended:
        """Fill in what the first answer said beside: a settlement was moot where its event stayed."""
        then = self._replayer.tape(answered.game).history.at(answered.seq)
        moot = tuple(sorted(seq for seq in settled if then.index_of(seq) is not None))
        return Amended(**msgspec.structs.asdict(answered), moot=moot)

    # --- deciding and appending ------------------------------------------------------------------

    def _answered(self, game: str, command_id: str | None, request: str) -> Answer | None:
        commit = idempotency.accepted(self._log, game, command_id, request)
        return None if commit is None else self._again(commit)

    def _again(self, commit: Commit) -> Answer:
        return self._then(commit.game, commit.first_seq, commit.last_seq, repeated=True)

    def _told(self, receipt: Receipt) -> Answer:
        return self._then(receipt.game, receipt.first_seq, receipt.last_seq, repeated=receipt.repeated)

    def _then(self, game: str, first: int, last: int, *, repeated: bool) -> Answer:
        """What a command came to when it was accepted, whatever came since."""
        step, outcome = self._replayer.version(game, last)
        return Answer(game, last, step, last - first + 1, outcome, repeated)

    def _amend(self, asked: _Asked, wanted: _Wanted) -> Answer | None:
        """One attempt; None when somebody appended meanwhile."""
        tape = self._replayer.tape(asked.game)
        head = _fresh(asked, tape.head.seq)
        rules, started = _amendable(tape)
        made = self._made(tape, rules, started, asked, wanted)
        outcome = fold.outcome(rules, made.state, started.seats, made.closing)
        answer = Amended(
            asked.game,
            head,
            made.step,
            0,
            outcome,
            faults=made.faults,
            unjudged=made.unjudged,
            moot=made.moot,
        )
        if made.faults:
            return answer
        if started.origin == "dealt" and not wanted.again:
            self._refuse_draws(tape, made.gone.__contains__)
        if wanted.dry_run:
            return answer
        fact = RecordAmended(made.edits, wanted.reason)
        rows = (NewEvent(kind_of(fact), serialization.encode_event(fact), asked.by), *made.rows)
        runs = splice(tape.runs, made.edits, head + 2)[0]
        receipt = self._append(asked, Decided(rows, made.states, outcome, made.first - 1), head, runs)
        if receipt is None or receipt.repeated:
            return None if receipt is None else self._told(receipt)
        self._replayer.remember(asked.game, runs, made.states)
        return msgspec.structs.replace(answer, seq=receipt.last_seq, appended=len(rows))

    def _made(
        self,
        tape: Tape,
        rules: Ruleset[Any],
        started: RecordStarted[Any, Any],
        asked: _Asked,
        wanted: _Wanted,
    ) -> Amendment:
        where = partial(tape.history.where, head=tape.head.seq)
        plan = amending.planned(wanted.edits, wanted.settle, tape.runs, where)
        last = plan.first - 1
        olds = [Old(*fact) for fact in self._replayer.facts(tape, max(last, 0))]
        stands = [olds.pop(0)] if plan.first else []
        basis = Basis(
            ruleset=rules,
            started=started,
            step=last,
            behind=stands[0].seq if stands else 0,
            state=self._replayer.pair(tape, last).full if stands else None,
            closing=next((old.event for old in stands if isinstance(old.event, RecordClosed)), None),
        )
        correction = Correction(plan.wishes, wanted.settle, wanted.reason, asked.by, wanted.rest)
        return amending.amended(basis, olds, correction)

    def _eyes(self, game: str, viewer: str, seat: str | None) -> str:
        """Whose view is asked: a seat's own, whatever else was given."""
        if seat is None:
            return viewer
        tape = self._replayer.tape(game)
        if tape.ruleset is not None and not tape.ruleset.hides:
            return viewer
        return seat if seat in tape.seats else TABLE

    def _present(self, game: str, viewer: str) -> Present:
        moment = self._replayer.at(game)
        if moment.ruleset is None or moment.started is None or not moment.readable or moment.damage:
            told = self._replayer.at(game, viewer=viewer)
            raise TextOnly(game, (told.damage or told.fault or "").removesuffix("."))
        if not self._replayer.whole(game):
            raise Unfinished(game)
        seen = moment.state
        if viewer != EVERYTHING:
            seen = self._replayer.at(game, moment.step, viewer).state
        return Present(moment, moment.ruleset, moment.started, viewer, seen)

    def _add(self, asked: _Asked, decide: Callable[[Present], Iterator[Sent]]) -> Answer:
        game = asked.game
        answered = self._answered(game, asked.command_id, asked.request)
        while answered is None:
            present = self._present(game, self._eyes(game, asked.viewer, asked.seat))
            head, steps = _fresh(asked, present.moment.head), present.moment.steps
            decided = decisions.decided(present, decide(present), asked.by, asked.seat)
            if not decided.rows:
                return Answer(game, head, steps, 0, decided.outcome)
            runs = self._replayer.runs(game, head, len(decided.rows))
            receipt = self._append(asked, decided, head, runs)
            if receipt is None:
                continue
            if receipt.repeated:
                return self._told(receipt)
            self._replayer.remember(game, runs, decided.states)
            count = len(decided.rows)
            return Answer(game, receipt.last_seq, steps + count, count, decided.outcome)
        return answered

    def _append(self, asked: _Asked, decided: Decided, head: int, runs: Runs | None) -> Receipt | None:
        """Append, with the keyframes that are due; None when somebody came first: decide anew."""
        new = [one for one in decided.states if one[0] > decided.since]
        kept = [] if runs is None else self._replayer.keyframes(runs, new, _room(decided.rows))
        game, command_id = asked.game, asked.command_id or new_id()

        def also(connection: sqlite3.Connection, receipts: list[Receipt]) -> None:
            if not receipts[0].repeated:
                self._log.keyframes.add(connection, game, EVERYTHING, kept)

        try:
            if kept:
                command = Append(game, decided.rows, head, command_id, asked.request)
                return self._log.append_all([command], also=also)[0]
            return self._log.append(
                game, decided.rows, after=head, command_id=command_id, request=asked.request
            )
        except Conflict:
            return None

    def _rewrite(self, asked: _Asked, decide: Callable[[Moment], list[Event]]) -> Answer:
        answered = self._answered(asked.game, asked.command_id, asked.request)
        while answered is None:
            moment = self._rewritable(asked.game)
            head = _fresh(asked, moment.head)
            rows = tuple(
                NewEvent(kind_of(event), serialization.encode_event(event), asked.by)
                for event in decide(moment)
            )
            receipt = self._append(asked, Decided(rows, [], None), head, None)
            if receipt is not None:
                return self._told(receipt)
        return answered

    def _rewritable(self, game: str) -> Moment:
        """The last step; that the rules cannot follow it is what undoing is for.

        Errors:  `TextOnly`, `Unfinished`.
        """
        moment = self._replayer.at(game)
        if moment.ruleset is None or moment.damage:
            return self._present(game, EVERYTHING).moment
        if not self._replayer.whole(game):
            raise Unfinished(game)
        return moment

    def _history(self, moment: Moment) -> History:
        """A history of one's own, to try rewriting events in."""
        return History.build(row for row in self._log.rewrites(moment.game) if row[0] <= moment.head)

    def _targets(self, moment: Moment, n: int, kind: type[_Return]) -> list[_Return]:
        """What `n` undos or redos in a row name; fewer where there are no more.

        Errors:  `BadCount`.
        """
        if n < 1:
            raise BadCount(n)
        history = self._history(moment)
        if kind is RecordRedone:
            return [kind(to) for to in islice(history.redo_targets(moment.head), n)]
        found = list[_Return]()
        for head in range(moment.head, moment.head + n):
            to = history.undo_target(head)
            if to is None:
                break
            found.append(kind(to))
            history.add(head + 1, serialization.encode_event(found[-1]))
        return found

    def _refuse_others(self, moment: Moment, to: int, by: str) -> None:
        """Refuse to take back or bring back what somebody else entered; what lies hidden plays no part."""
        history = self._history(moment)
        now, then = history.at(moment.head), history.at(to)
        first = now.common(then)
        changed = (*now.stretch(first, len(now) - 1), *then.stretch(first, len(then) - 1))
        for low, high in changed:
            if any(row.by != by for row in self._log.events(moment.game, low, high)):
                raise IllegalAction(seat_permissions.NOT_YOURS, _NOT_ENTERED)

    def _refuse_return(self, moment: Moment, to: int) -> None:
        """Refuse where a dealt game loses a draw when it is again what it was after event `to`."""
        if moment.started is not None and moment.started.origin == "dealt":
            tape = self._replayer.tape(moment.game)
            then = tape.history.at(to)
            self._refuse_draws(tape, lambda seq: then.index_of(seq) is None)

    def _refuse_draws(self, tape: Tape, gone: Callable[[int], bool]) -> None:
        """Refuse where one of the events that go was dealt."""
        steps = [step for step, seq in enumerate(tape.runs) if step and gone(seq)]
        for moment in self._replayer.moments(tape.game, steps[0], steps[-1]) if steps else ():
            if gone(moment.seq) and moment.ruleset and moment.readable:
                due = moment.ruleset.pending(moment.before)
                if any(item.seat == CHANCE and moment.kind in item.kinds for item in due):
                    raise UndoPastDraw(tape.game, moment.seq)


def _amendable(tape: Tape) -> tuple[Ruleset[Any], RecordStarted[Any, Any]]:
    """What is needed to judge a game again.

    Errors:  `TextOnly`, `Unfinished`.
    """
    if tape.ruleset is None or tape.started is None or tape.damage:
        raise TextOnly(tape.game, (tape.damage or tape.text_only or "").removesuffix("."))
    if not tape.history.whole(tape.head.seq):
        raise Unfinished(tape.game)
    return tape.ruleset, tape.started


_Return = TypeVar("_Return", RecordUndone, RecordRedone)


def _spelt(do: Insert | Settlement) -> Iterator[str]:
    yield type(do).__name__
    match do:
        case Replace(events) | Insert(events):
            yield from map(inputs.sent, events)
        case Keep(reason):
            yield reason


def _room(rows: Sequence[NewEvent]) -> int:
    """What an event of the game takes; a fact about the record may take many times as much."""
    sizes = [len(row.payload) for row in rows if not row.kind.startswith("record.")]
    return sum(sizes) // max(len(sizes), 1)


def _fresh(asked: _Asked, head: int) -> int:
    if asked.after is not None and asked.after != head:
        raise Conflict(head, asked.game)
    return head


def _new_id(wished: str | None, command_id: str | None) -> str:
    name = wished or _id_of(command_id) or new_id()
    if not is_game_id(name):
        raise BadId(name)
    return name


def _id_of(command_id: str | None) -> str:
    """The id of the game that a command begins: its own, or one that a repeat comes to again."""
    if command_id is None or is_game_id(command_id) or not is_command_id(command_id):
        return command_id or ""
    return named_id(command_id)


def _hides(moment: Moment) -> bool:
    return moment.ruleset is not None and moment.ruleset.hides
