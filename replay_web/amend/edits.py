"""What a form of the correcting pages says: what is to be otherwise, and what becomes of the consequences."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, NamedTuple

import msgspec
from flask import request

from eventstore.recording import inputs
from eventstore.recording.amending import Cut, HistoryEdit, Insert, Keep, Remove, Replace
from eventstore.recording.commands import Amend
from eventstore.recording.commands.amend import plan
from games.core import serialization
from games.core.json_text import DoubledKey
from replay_web.http import forms, policy
from replay_web.http.errors import BadQuery
from replay_web.http.forms import Number, Yes
from replay_web.http.params import within
from replay_web.http.policy import WAY, BadForm, beside
from replay_web.models import action_form, answers, option_form, refusals
from replay_web.models.answers import AnswerForm

if TYPE_CHECKING:
    from eventstore.recording.amending import AmendPlan, Settlement
    from eventstore.recording.inputs import EventInput
    from eventstore.replay.game import Game

WAYS: Final = {"replace": "Put another in its place", "remove": "Take it out", "insert": "Put one behind it"}
"""What can be done at an event."""


class CorrectionForm(AnswerForm, frozen=True, kw_only=True):
    """What is to be otherwise at event `seq`, and what becomes of each event that it makes impossible."""

    seq: Number
    do: str = ""
    events: Annotated[str, WAY] | None = None
    options: Annotated[str, WAY] | None = None
    option: Annotated[dict[str, str], beside("options")] = msgspec.field(
        name="option.*", default_factory=dict
    )
    reason: str = ""
    again: Yes | None = None
    remainder: Literal["remove"] | None = msgspec.field(name="rest", default=None)
    settle: dict[str, str] = msgspec.field(name="settle.*", default_factory=dict)
    instead: dict[str, str] = msgspec.field(name="typed.*", default_factory=dict)
    legal: dict[str, str] = msgspec.field(name="legal.*", default_factory=dict)


class AskedEdit(NamedTuple):
    """What is to be otherwise at an event."""

    do: str
    seq: int
    events: tuple[EventInput, ...]

    def history_edit(self) -> HistoryEdit:
        """Give the edit as `Amend` takes it."""
        match self.do:
            case "remove":
                return HistoryEdit(self.seq, Remove())
            case "insert":
                return HistoryEdit(self.seq, Insert(self.events))
            case _:
                return HistoryEdit(self.seq, Replace(self.events))

    def written(self) -> str:
        """Carry the events from page to page."""
        return msgspec.json.encode(self.events).decode()


class ReadSettlements(NamedTuple):
    """The settlements that a form has, and what is missing from some of them."""

    settle: Mapping[int, Settlement]
    wrong: Mapping[int, str]


def way() -> str:
    """Read what is to be done at the event.

    Errors:  `BadQuery`.
    """
    do = request.form.get("do", "")
    if do in WAYS:
        return do
    raise BadQuery(f"An event is corrected by {', '.join(WAYS)}, not by {do!r}.")


def reason() -> str:
    """Read why; everybody reads it in the history."""
    return request.form.get("reason", "").replace("\r\n", "\n").strip()


def edit_of(game: Game, do: str) -> AskedEdit:
    """Read the edit.

    Errors:  `Unanswered`, `NotInHistory`.
    """
    seq = forms.read(CorrectionForm).seq
    step = game.runs.index_of(seq)
    if step is None:
        raise refusals.gone(game, seq)
    if do != "remove":
        return AskedEdit(do, seq, _events(game, do, step))
    for name in policy.asked().shape.ways:
        if name in request.form:
            raise BadForm(f"To take a step out nothing is put in its place: leave {name!r} out.")
    return AskedEdit(do, seq, ())


def _events(game: Game, do: str, step: int) -> tuple[EventInput, ...]:
    form = request.form
    if "events" in form:
        try:
            events = msgspec.convert(serialization.read_json(form["events"]), list[str | dict[str, Any]])
        except DoubledKey as fault:
            raise BadQuery(f"The form is broken: {fault} in one of its events.") from None
        except msgspec.DecodeError:
            raise BadQuery("The form is broken: load the page again and send it anew.") from None
        return tuple(
            answers.typed_in({"typed": one}) if isinstance(one, str) else one for one in events or [""]
        )
    if "event" in form:
        return (answers.decoded("event", form["event"]),)
    if "options" in form and game.ruleset is not None:
        options = dict(option_form.chosen(game.ruleset, form))
        return ({"kind": "record.started", "options": options},)
    if "fixed" in form:
        return (answers.event_of(form, offered(game, do, step)),)
    return (answers.typed_in(form),)


def _says_a_move(typed: str) -> bool:
    return bool(inputs.moves(typed))


def offered(game: Game, do: str, step: int) -> action_form.ActionForm:
    """Lay out what can stand there; what is dealt by Tabletape may be put otherwise too."""
    if do == "replace" and step == 0:
        return action_form.ActionForm((), ())
    position = game.position(step - (do == "replace"))
    return action_form.sheet(game, position, dealt_here=False)


def settled(game: Game, edit: AskedEdit) -> ReadSettlements:
    """Read what becomes of each impossible event, and of all the rest where one choice covers them."""
    said = asked()
    if request.form.get("rest") != "remove":
        return said
    return ReadSettlements(with_rest(game, edit, said.settle, said.wrong)[0], said.wrong)


def with_rest(
    game: Game, edit: AskedEdit, settle: Mapping[int, Settlement], wrong: Mapping[int, str]
) -> tuple[dict[int, Settlement], AmendPlan]:
    """Take out whatever else becomes impossible; what was answered wrongly stays open.

    Cost:    one fold of all behind the event.
    """
    made = proposal(game, edit, settle, rest=frozenset(wrong))
    left = {met.fault.seq: Remove() for met in made.amendment.met if met.fault.seq not in wrong}
    return {**left, **settle}, made


def asked() -> ReadSettlements:
    """Read what becomes of each impossible event for which something is chosen."""
    found: dict[int, Settlement] = {}
    wrong: dict[int, str] = {}
    for name, how in request.form.items():
        seq = name.removeprefix("settle.")
        if name == seq:
            continue
        number = within(seq, "An impossible event is named by its number,", 1)
        try:
            found[number] = _settlement(number, how)
        except answers.Unanswered as error:
            wrong[number] = str(error)
    return ReadSettlements(found, wrong)


def _settlement(seq: int, how: str) -> Settlement:
    form = request.form
    match how:
        case "remove":
            return Remove()
        case "cut":
            return Cut()
        case "keep":
            return Keep()
        case "other" if _says_a_move(form.get(f"typed.{seq}", "")):
            return Replace((form[f"typed.{seq}"].strip(),))
        case "other" if form.get(f"legal.{seq}"):
            return Replace((answers.decoded("event", form[f"legal.{seq}"]),))
        case "other":
            raise answers.Unanswered("choose-one", "Choose what is to stand here, or type it.")
        case _:
            raise BadQuery(f"An impossible event is settled by remove, cut, keep or other, not {how!r}.")


def proposal(
    game: Game, edit: AskedEdit, settle: Mapping[int, Settlement], rest: frozenset[int] | None = None
) -> AmendPlan:
    """Ask what it would come to.

    Errors:  as of `amend.plan`.
    """
    return plan(game, Amend([edit.history_edit()], settle=settle, reason=reason()), rest)
