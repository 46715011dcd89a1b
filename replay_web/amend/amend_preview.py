"""What a correction would come to: before and after, what becomes impossible, and what is different."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Final, NamedTuple

from flask import request

from eventstore.recording import preview
from eventstore.recording.amending import Cut, Keep, Remove, Replace
from eventstore.replay.position import Position
from games.core import serialization
from games.core.events import RecordStarted
from games.text.naming import Naming
from games.text.wording import ending, put_names, with_rule
from replay_web.http.viewing import whole
from replay_web.models.step_view import StepView, labelled, step_views

if TYPE_CHECKING:
    from eventstore.recording.amending import AmendPlan, ImpossibleEvent, Settlement
    from eventstore.replay.game import Game
    from games.core.events import Event
    from replay_web.amend.edits import AskedEdit

LEGAL: Final = 50
"""Events that are offered in the place of one that became impossible."""
LISTED: Final = 40
"""Events with their choices that are listed of what is open, and of what is settled."""
DIFFERENT: Final = 40
"""Figures that are listed as different at the end."""


class ImpossibleStep(NamedTuple):
    """A later event that cannot stand, with the choices."""

    seq: int
    step: int
    caption: str
    why: str
    keepable: bool
    legal: tuple[tuple[str, str], ...]
    """What could stand there instead: the event as JSON, and what it says."""
    chosen: str
    other: str
    typed: str
    wrong: str


class Difference(NamedTuple):
    """A figure that the correction changes."""

    label: str
    was: str
    now: str


class AmendPreview(NamedTuple):
    """What a correction would come to."""

    edit: AskedEdit
    step: int
    said: str
    """The event that it is about."""
    instead: tuple[str, ...]
    before: tuple[StepView, StepView]
    """At the event, as recorded and as corrected."""
    after: tuple[StepView, StepView]
    """At the end."""
    ends: tuple[str, str]
    different: tuple[Difference, ...]
    met: tuple[ImpossibleStep, ...]
    """The first that are open and the first that are settled."""
    more: int
    """Others that cannot stand."""
    carried: tuple[tuple[str, str], ...]
    """What was chosen for those, as fields of the form."""
    open: int
    """How many of them are not settled."""
    unjudged: int
    redrawn: int | None
    untouched: int
    """Later events that stay as they are."""


def preview_of(
    game: Game,
    edit: AskedEdit,
    proposal: AmendPlan,
    settle: Mapping[int, Settlement],
    wrong: Mapping[int, str],
) -> AmendPreview:
    """Fold both histories as far as the page shows them.

    Cost:    one fold of all behind the event.
    """
    amendment = proposal.amendment
    step = game.runs.index_of(edit.seq) or 0
    put = sum(one.new and one.seq == edit.seq for one in amendment.made)
    shown = max(amendment.first + put - 1, 0)
    listed = _listed(amendment.met, frozenset(fault.seq for fault in amendment.faults))
    wanted = {shown, amendment.step, *(met.step - 1 for met in listed)}
    new = dict[int, Position]()
    instead: list[str] = []
    for position in preview.positions(proposal):
        if position.step in wanted:
            new[position.step] = position
        if position.step < amendment.first + put:
            instead.append(position.caption(game.names))
    for place in wanted - set(new):
        new[place] = game.position(place)
    old, last = game.position(step), game.position()
    faulty = {met.fault.seq for met in amendment.met}
    return AmendPreview(
        edit=edit,
        step=step,
        said=old.caption(game.names),
        instead=tuple(instead),
        before=(_drawn(old, game), _drawn(new[shown], game)),
        after=(_drawn(last, game), _drawn(new[amendment.step], game)),
        ends=(_end(last, game), _end(new[amendment.step], game)),
        different=tuple(_different(last, new[amendment.step], game))[: DIFFERENT + 1],
        met=tuple(_impossible(game, met, new.get(met.step - 1), settle, wrong) for met in listed),
        more=len(amendment.met) - len(listed),
        carried=tuple(_carried({met.fault.seq for met in amendment.met} - {met.fault.seq for met in listed})),
        open=len(amendment.faults),
        unjudged=amendment.unjudged,
        redrawn=proposal.redrawn,
        untouched=sum(not one.new and one.seq not in faulty for one in amendment.made),
    )


def _listed(met: Sequence[ImpossibleEvent], still_open: frozenset[int]) -> list[ImpossibleEvent]:
    """Choose those whose choices the page shows, in order."""
    found: list[ImpossibleEvent] = []
    left = {True: LISTED, False: LISTED}
    for one in met:
        is_open = one.fault.seq in still_open
        if left[is_open]:
            left[is_open] -= 1
            found.append(one)
    return found


def _carried(others: set[int]) -> Iterator[tuple[str, str]]:
    """Give the choices of the form for what is not listed, so that they are sent again."""
    for name, value in request.form.items():
        sort, _, seq = name.partition(".")
        if sort in {"settle", "typed", "legal"} and value and whole(seq) in others:
            yield name, value


def _drawn(position: Position, game: Game) -> StepView:
    return next(iter(step_views([position], game.names)))


def _end(position: Position, game: Game) -> str:
    if not position.readable:
        return f"Step {position.step}. It cannot be drawn."
    ended = position.outcome()
    said = ending(ended, game.names, game.ruleset) if ended is not None else "Not over."
    return f"Step {position.step}. {said}"


def _impossible(
    game: Game,
    met: ImpossibleEvent,
    stands: Position | None,
    settle: Mapping[int, Settlement],
    wrong: Mapping[int, str],
) -> ImpossibleStep:
    fault, form = met.fault, request.form
    chosen = {Remove: "remove", Cut: "cut", Keep: "keep", Replace: "other"}
    how = settle.get(fault.seq)
    return ImpossibleStep(
        seq=fault.seq,
        step=fault.step,
        caption=game.position(fault.step).caption(game.names),
        why=with_rule(put_names(fault.message, game.names), fault.rule),
        keepable=fault.keepable,
        legal=tuple(_alternatives(game, stands, fault.legal[:LEGAL])),
        chosen=chosen[type(how)] if how is not None else "other" if fault.seq in wrong else "",
        other=form.get(f"legal.{fault.seq}", ""),
        typed=form.get(f"typed.{fault.seq}", ""),
        wrong=wrong.get(fault.seq, ""),
    )


def _alternatives(game: Game, stands: Position | None, legal: tuple[Event, ...]) -> Iterator[tuple[str, str]]:
    if stands is None:
        return
    naming = Naming(stands, game.names)
    for event in legal:
        if not isinstance(event, RecordStarted):
            yield serialization.encode_event(event), naming.sentence(event)


def _different(was: Position, now: Position, game: Game) -> Iterator[Difference]:
    one, other = was.scene(), now.scene()
    if one is None or other is None:
        return
    old, new = labelled(one, game.names), labelled(other, game.names)
    for key in dict.fromkeys((*old, *new)):
        label, value = old.get(key, new.get(key, ("", None)))
        then = new.get(key, (label, None))[1]
        if value != then:
            yield Difference(label, _text(value), _text(then))


def _text(value: int | str | None) -> str:
    return "–" if value is None else str(value)
