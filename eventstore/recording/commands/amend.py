"""Correct the middle of a record."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from operator import itemgetter
from typing import TYPE_CHECKING, Any, ClassVar

from eventstore.library import details
from eventstore.log.ids import digest
from eventstore.log.rows import NewEvent
from eventstore.recording import amending, inputs
from eventstore.recording.amending import (
    AmendPlan,
    Correction,
    Fault,
    HistoryEdit,
    Insert,
    JudgingStart,
    Keep,
    PresentEvent,
    Replace,
    Settlement,
)
from eventstore.recording.commands.command import Command, CommandReport, Decision, Next, Preview, decision
from eventstore.recording.draws import dealt_among
from eventstore.refusals import UndoPastDraw
from eventstore.replay.replay import End
from games.core import fold, serialization
from games.core.events import RecordAmended, RecordClosed, kind_of

if TYPE_CHECKING:
    from eventstore.access.actor import Actor
    from eventstore.recording.amending import Amendment
    from eventstore.replay.game import Game
    from games.core.ruleset import Random


class AmendReport(CommandReport, frozen=True):
    """What an amendment came to, besides the game."""

    faults: tuple[Fault, ...] = ()
    """Later events that became impossible and are not settled; while there are any, nothing is appended."""
    unjudged: int = 0
    """Events behind the last of very many faults that were not looked at."""
    moot: tuple[int, ...] = ()
    """Settlements that were not needed; those events stay as they are."""


class Amend(Command, frozen=True):
    """Correct the middle of a record; all behind the first edit is judged again before it is appended.

    Faults:  what became impossible is listed until each of them is settled; nothing is appended before. The
             answer's `preview` has the last step and the outcome that the game would have without them.
    First:   the first event may be replaced; an object names what is to be otherwise
             (`{"kind": "record.started", "options": {"rounds": 5}}`). Its ruleset, version, seats, origin
             and parent stay.
    Errors:  `IllegalEdit` with the seq for what the rules refuse of edits and settlements themselves;
             `NotInHistory`, `BadAmendment`, `NothingGiven`, `BadDetail`; `UndoPastDraw` without `again`.
    """

    edits: Sequence[HistoryEdit]
    settle: Mapping[int, Settlement] | None = None
    """By seq."""
    reason: str = ""
    dry_run: bool = False
    again: bool = False
    """A dealt game's draws may go with nothing in their place, to be drawn anew."""

    unwritten: ClassVar[str] = "this correction was not recorded"

    def request(self, game: str, actor: Actor) -> str:
        """See `Command`."""
        _ = game
        return digest("amend", *self._spelt(), actor.by)

    def _spelt(self) -> Iterator[Any]:
        yield [(edit.seq, *_spelt(edit.do)) for edit in self.edits]
        yield [(seq, *_spelt(do)) for seq, do in sorted((self.settle or {}).items(), key=itemgetter(0))]
        yield from (details.passage("reason", self.reason), self.again)

    def decide(self, game: Game, chance: Random) -> Decision:
        """See `Command`."""
        _ = chance
        rules, started = game.must_be_judged()
        made = _amendment(game, self)
        outcome = fold.outcome(rules, made.state, started.seats, made.closing)
        preview = Preview(made.step, outcome, AmendReport(made.faults, made.unjudged, made.moot))
        if not made.faults and not self.again:
            seq = dealt_among(game, made.gone.__contains__)
            if seq is not None:
                raise UndoPastDraw(game.id, seq)
        if made.faults or self.dry_run:
            return Decision(game, self, None, preview=preview)
        fact = RecordAmended(made.edits, details.passage("reason", self.reason))
        rows = (NewEvent(kind_of(fact), serialization.encode_event(fact), game.actor.by), *made.rows)
        return decision(self, game, rows, Next(End(made.closing, outcome), made.states, made.first - 1))

    def result(self, game: Game) -> Any:
        """See `Command`: an `AmendReport`.  A settlement was moot where its event stayed."""
        kept = (seq for seq in self.settle or () if game.runs.index_of(seq) is not None)
        return AmendReport(moot=tuple(sorted(kept)))


def plan(game: Game, amend: Amend, rest: frozenset[int] | None = None) -> AmendPlan:
    """Say all that an amendment would come to, for one who sees everything.

    Rest:    where it is given, whatever else cannot stand goes, but for these events.
    Errors:  those of `Amend`; a dealt game's draws are named, not refused.
    """
    whole = game.as_everything()
    whole.must_be_judged()
    made = _amendment(whole, amend, rest)
    return AmendPlan(whole, made, dealt_among(whole, made.gone.__contains__))


def _amendment(game: Game, amend: Amend, rest: frozenset[int] | None = None) -> Amendment:
    rules, started = game.must_be_judged()
    settle, reason = amend.settle or {}, details.passage("reason", amend.reason)
    where = partial(game.history.where, head=game.head)
    planned = amending.planned(tuple(amend.edits), settle, game.runs, where)
    last = planned.first - 1
    olds = [PresentEvent(*found) for found in game.events(max(last, 0))]
    stands = [olds.pop(0)] if planned.first else []
    basis = JudgingStart(
        ruleset=rules,
        started=started,
        step=last,
        behind=stands[0].seq if stands else 0,
        state=game.states(last).full if stands else None,
        closing=next((old.event for old in stands if isinstance(old.event, RecordClosed)), None),
    )
    return amending.amended(basis, olds, Correction(planned.edits, settle, reason, game.actor.by, rest))


def _spelt(do: Insert | Settlement) -> Iterator[str]:
    yield type(do).__name__
    match do:
        case Replace(events) | Insert(events):
            yield from map(inputs.sent, events)
        case Keep(reason):
            yield reason
