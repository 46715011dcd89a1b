"""Correcting the middle of a record: what is wished, before and after side by side, one command for all."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

import msgspec
from flask import Blueprint, jsonify, make_response, redirect, render_template, request
from werkzeug.wrappers import Response as AnyResponse

from eventstore import proposed
from eventstore.amending import Cut, Insert, Keep, Remove, Replace, Wish
from eventstore.errors import Conflict, TabletapeError
from eventstore.moment import Moment
from eventstore.refusals import IllegalEdit, NotInHistory, UndoPastDraw, UnknownStep
from games import wire
from games.events import RecordStarted
from games.ruleset import IllegalAction
from games.wording import put_names
from replay_web import answers, forms, new_game, sheet, viewing
from replay_web.access import asker
from replay_web.errors import BadQuery
from replay_web.forms import Refusal
from replay_web.naming import Naming
from replay_web.picture import Picture, ending, labelled, pictures
from replay_web.viewing import link, open_whole, tabletape

if TYPE_CHECKING:
    from eventstore.amending import Met, Proposal, Settlement
    from eventstore.given import Given
    from eventstore.moment import Tape
    from eventstore.recorder import Amended
    from games.events import Event

pages: Final = Blueprint("correct", __name__)

WAYS: Final = {"replace": "Put another in its place", "remove": "Take it out", "insert": "Put one behind it"}
"""What can be done at an event."""
LEGAL: Final = 50
"""Events that are offered in the place of one that became impossible."""
DIFFERENT: Final = 40
"""Figures that are listed as different at the end."""
_ROUNDS: Final = 400
"""So many settlements are made by one wish for all the rest."""


class Edit(NamedTuple):
    """What is to be otherwise at an event."""

    do: str
    seq: int
    events: tuple[Given, ...]

    def wish(self) -> Wish:
        """Say it to the recorder."""
        match self.do:
            case "remove":
                return Wish(self.seq, Remove())
            case "insert":
                return Wish(self.seq, Insert(self.events))
            case _:
                return Wish(self.seq, Replace(self.events))

    def written(self) -> str:
        """Carry the events from page to page."""
        return msgspec.json.encode(self.events).decode()


class Asked(NamedTuple):
    """The settlements that a form has, and what is missing from some of them."""

    settle: Mapping[int, Settlement]
    wrong: Mapping[int, str]


class Impossible(NamedTuple):
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


class Look(NamedTuple):
    """What a correction would come to."""

    edit: Edit
    step: int
    said: str
    """The event that it is about."""
    instead: tuple[str, ...]
    before: tuple[Picture, Picture]
    """At the event, as recorded and as corrected."""
    after: tuple[Picture, Picture]
    """At the end."""
    ends: tuple[str, str]
    different: tuple[Difference, ...]
    met: tuple[Impossible, ...]
    open: int
    """How many of them are not settled."""
    unjudged: int
    redrawn: int | None
    untouched: int
    """Later events that stay as they are."""


# --- the pages -----------------------------------------------------------------------------------------


@pages.get("/games/<game>/steps/<int:step>/correct")
def ask(game: str, step: int) -> str:
    """Ask what is to be otherwise at a step: `?do=replace`, `remove` or `insert`."""
    tape = open_whole(game)
    _known(tape, step)
    do = request.args.get("do", "replace")
    if do not in WAYS:
        raise BadQuery(f"An event is corrected by {', '.join(WAYS)}, not by {do!r}.")
    return _asking(tape, step, do, None)


@pages.post("/games/<game>/steps/<int:step>/correct")
def preview(game: str, step: int) -> AnyResponse:
    """Show what the correction would come to; nothing is appended."""
    tape = open_whole(game)
    do = _do()
    since = forms.after()
    if since != tape.head.seq:
        return _clash(tape, since)
    try:
        return _looked(tape, _edit(tape, do), None)
    except (answers.Unanswered, TabletapeError, IllegalAction) as error:
        return _refuse(tape, step, do, error)


@pages.post("/games/<game>/steps/<int:step>/correct/settle")
def settle(game: str, step: int) -> AnyResponse:
    """Amend: the edit and what becomes of every event that it makes impossible, as one command."""
    tape = open_whole(game)
    do, since, command = _do(), forms.after(), forms.command()
    if tabletape().log.answered(game, command) is not None:
        return _done(game, step)
    if since != tape.head.seq:
        return _clash(tape, since)
    try:
        answer = _amend(tape, _edit(tape, do), command)
    except Conflict:
        return _clash(viewing.open_whole(game), since)
    except (answers.Unanswered, TabletapeError, IllegalAction) as error:
        return _not_amended(tape, step, do, error)
    if answer.faults:
        return _looked(tape, _edit(tape, do), _left(len(answer.faults)))
    return _done(game, step, answer)


def _left(count: int) -> Refusal:
    what = "one step is" if count == 1 else f"{count} steps are"
    return Refusal(422, "faults-left", f"Nothing was amended: {what} still to be settled.")


def _amend(tape: Tape, edit: Edit, command: str) -> Amended:
    return tabletape().recorder.amend(
        tape.game,
        [edit.wish()],
        settle=_settled(tape, edit).settle,
        reason=_reason(),
        again=request.form.get("again") == "1",
        after=tape.head.seq,
        command_id=command,
        by=asker().by,
    )


def _not_amended(tape: Tape, step: int, do: str, error: Exception) -> AnyResponse:
    """Say what was wrong beside what it was wrong about: the edit, or a settlement."""
    if isinstance(error, UndoPastDraw):
        return _looked(tape, _edit(tape, do), Refusal(422, error.code, str(error)))
    if isinstance(error, IllegalEdit) and error.seq != request.form.get("seq", type=int):
        return _looked(
            tape, _edit(tape, do), Refusal(422, error.code, forms.refusal_of(tape, error).sentence)
        )
    return _refuse(tape, step, do, error)


def _done(game: str, step: int, answer: Amended | None = None) -> AnyResponse:
    if answer is not None and forms.wants_json():
        return make_response(jsonify(msgspec.to_builtins(answer)), 201)
    steps = viewing.open_whole(game).steps
    shown = step + (request.form.get("do") == "insert")
    return redirect(link("steps.step", game=game, step=min(shown, steps)), 303)


def _known(tape: Tape, step: int) -> None:
    if not 0 <= step <= tape.steps:
        raise UnknownStep(tape.game, step, tape.steps)


# --- what is sent --------------------------------------------------------------------------------------


def _do() -> str:
    do = request.form.get("do", "")
    if do in WAYS:
        return do
    raise BadQuery(f"An event is corrected by {', '.join(WAYS)}, not by {do!r}.")


def _reason() -> str:
    return request.form.get("reason", "").replace("\r\n", "\n").strip()


def _edit(tape: Tape, do: str) -> Edit:
    """Read what is wished.

    Errors:  `Unanswered`, `NotInHistory`.
    """
    seq = forms.number("seq", "which event it is about")
    step = tape.runs.index_of(seq)
    if step is None:
        where = tape.history.where(seq, tape.head.seq)
        raise NotInHistory(seq, None if where is None else tape.runs.seq_at(where))
    return Edit(do, seq, () if do == "remove" else _events(tape, do, step))


def _events(tape: Tape, do: str, step: int) -> tuple[Given, ...]:
    form = request.form
    if "events" in form:
        try:
            return tuple(msgspec.json.decode(form["events"], type=list[str | dict[str, Any]]))
        except (msgspec.DecodeError, UnicodeEncodeError):
            raise BadQuery("The form is broken: load the page again and send it anew.") from None
    if "event" in form:
        return (answers.decoded("event", form["event"]),)
    if "options" in form and tape.ruleset is not None:
        options = dict(new_game.chosen(tape.ruleset, form))
        return ({"kind": "record.started", "options": options},)
    if "fixed" in form:
        return (answers.event_of(form, _offered(tape, do, step)),)
    typed = form.get("typed", "").strip()
    if not typed:
        raise answers.Unanswered("nothing-to-record", "Type what happened, or tap it.", "typed")
    return (typed,)


def _offered(tape: Tape, do: str, step: int) -> sheet.Sheet:
    """Lay out what can stand there; what is dealt by Tabletape may be put otherwise too."""
    if do == "replace" and step == 0:
        return sheet.Sheet((), (), dealt=False)
    moment = tabletape().replayer.at(tape.game, step - (do == "replace"), tape.viewer)
    return sheet.sheet(replace(tape, origin="table"), moment)


def _settled(tape: Tape, edit: Edit) -> Asked:
    """Read what becomes of each impossible event, and of all the rest where one wish covers them."""
    asked = _asked()
    if request.form.get("rest") != "remove":
        return asked
    return Asked(_with_rest(tape, edit, asked.settle, asked.wrong), asked.wrong)


def _with_rest(
    tape: Tape, edit: Edit, settle: Mapping[int, Settlement], wrong: Mapping[int, str]
) -> dict[int, Settlement]:
    """Take out whatever else becomes impossible; what was answered wrongly stays open."""
    found = dict(settle)
    for _ in range(_ROUNDS):
        faults = _proposal(tape, edit, found).amendment.faults
        left = {fault.seq: Remove() for fault in faults if fault.seq not in wrong}
        if not left:
            break
        found |= left
    return found


def _asked() -> Asked:
    found: dict[int, Settlement] = {}
    wrong: dict[int, str] = {}
    for name, how in request.form.items():
        seq = name.removeprefix("settle.")
        if name == seq or not (seq.isascii() and seq.isdigit()):
            continue
        try:
            found[int(seq)] = _settlement(int(seq), how)
        except answers.Unanswered as error:
            wrong[int(seq)] = str(error)
    return Asked(found, wrong)


def _settlement(seq: int, how: str) -> Settlement:
    form = request.form
    match how:
        case "remove":
            return Remove()
        case "cut":
            return Cut()
        case "keep":
            return Keep()
        case "other" if form.get(f"typed.{seq}", "").strip():
            return Replace((form[f"typed.{seq}"].strip(),))
        case "other" if form.get(f"legal.{seq}"):
            return Replace((answers.decoded("event", form[f"legal.{seq}"]),))
        case "other":
            raise answers.Unanswered("choose-one", "Choose what is to stand here, or type it.")
        case _:
            raise BadQuery(f"An impossible event is settled by remove, cut, keep or other, not {how!r}.")


# --- refusals ------------------------------------------------------------------------------------------


def _clash(tape: Tape, since: int) -> AnyResponse:
    """Somebody else recorded: say what, and ask again with what was wished still there."""
    refusal = forms.clash(tape, since)
    try:
        edit = _edit(tape, _do())
    except (answers.Unanswered, TabletapeError, IllegalAction):
        return forms.page_of(_asking(tape, min(tape.steps, _step_of(tape)), _do(), refusal), refusal)
    return _looked(tape, edit, refusal)


def _step_of(tape: Tape) -> int:
    """Find the step where the event that the form is about, or what replaced it, now is."""
    seq = forms.number("seq", "which event it is about")
    where = tape.history.where(seq, tape.head.seq)
    return where if where is not None else cast("dict[str, int]", request.view_args)["step"]


def _refuse(tape: Tape, step: int, do: str, error: Exception) -> AnyResponse:
    """Give the question back with what was wrong about the answer."""
    refusal = forms.refusal_of(tape, error)
    if refusal.where == "page" and "typed" in request.form and "event" not in request.form:
        refusal = refusal._replace(where="typed")
    if isinstance(error, IllegalAction):
        refusal = refusal._replace(legal=_possible(tape, do, step, error))
    return forms.page_of(_asking(tape, min(_step_of(tape), tape.steps), do, refusal), refusal)


def _possible(tape: Tape, do: str, step: int, error: IllegalAction) -> tuple[sheet.Tap, ...]:
    place = step - (do == "replace")
    if not 0 <= place <= tape.steps:
        return ()
    try:
        moment = tabletape().replayer.at(tape.game, place, tape.viewer)
        return sheet.spelt(tape, moment, error.legal[:8])
    except (IllegalAction, LookupError, ValueError):
        return ()  # of a line of several moves the earlier ones may have changed the board


# --- asking --------------------------------------------------------------------------------------------


def _asking(tape: Tape, step: int, do: str, refusal: Refusal | None) -> str:
    do = "replace" if do == "remove" and step == 0 else do
    replayer = tabletape().replayer
    moments = list(replayer.moments(tape.game, max(step - 1, 0), step, tape.viewer))
    moment = moments[-1]
    behind = moments[0] if do == "replace" else moment
    may_correct = viewing.may_record(tape) and moment.readable and not tape.damage
    offered = _offered(tape, do, step) if may_correct else sheet.Sheet((), (), dealt=False)
    return render_template(
        "correct.html",
        tape=tape,
        step=step,
        do=do,
        ways=WAYS,
        shown=next(iter(pictures([moment], tape.names))),
        stand=next(iter(pictures([behind], tape.names))),
        sheet=offered,
        examples=sheet.examples(behind, offered),
        options=list(_options(tape)) if step == 0 and do == "replace" else [],
        may_correct=may_correct,
        key=forms.fresh_key(),
        refusal=refusal,
        sent=request.form,
        title=_title(tape),
    )


def _options(tape: Tape) -> Iterator[new_game.Option]:
    """Give the options of the game as they stand."""
    if tape.ruleset is None or tape.started is None:
        return
    now = msgspec.to_builtins(tape.started.options)
    for option in new_game.options_of(tape.ruleset, tape.seats):
        value = now.get(option.name)
        plain = isinstance(value, str) and not option.values
        yield msgspec.structs.replace(option, value=value if plain else msgspec.json.encode(value).decode())


def _title(tape: Tape) -> str:
    return viewing.title_of(tape, tabletape().catalogue.get(tape.game).title)


# --- looking before it is done -------------------------------------------------------------------------


def _looked(tape: Tape, edit: Edit, refusal: Refusal | None) -> AnyResponse:
    """Show before and after side by side, with what becomes impossible."""
    asked = _settled_for_a_look(tape, edit)
    if isinstance(asked, IllegalEdit):
        return _refuse(tape, _step_of(tape), edit.do, asked)
    settle, wrong, proposal = asked
    if forms.wants_json() and refusal is None:
        amendment = proposal.amendment
        told = {"step": amendment.step, "faults": msgspec.to_builtins(amendment.faults)}
        return make_response(jsonify({**told, "unjudged": amendment.unjudged}))
    page = render_template(
        "amend.html",
        tape=tape,
        look=_look(tape, edit, proposal, settle, wrong),
        key=forms.fresh_key(),
        refusal=refusal,
        reason=_reason(),
        again=request.form.get("again") == "1",
        rest=request.form.get("rest", ""),
        may_correct=viewing.may_record(tape),
        title=_title(tape),
    )
    return forms.page_of(page, refusal)


def _settled_for_a_look(
    tape: Tape, edit: Edit
) -> tuple[dict[int, Settlement], dict[int, str], Proposal] | IllegalEdit:
    """Try the settlements; what the rules refuse of one is said beside it, and it counts as not settled."""
    asked = _asked()
    settle, wrong = dict(asked.settle), dict(asked.wrong)
    while True:
        try:
            if request.form.get("rest") == "remove":
                settle = _with_rest(tape, edit, settle, wrong)
            return settle, wrong, _proposal(tape, edit, settle)
        except IllegalEdit as error:
            if error.seq not in settle:
                return error
            wrong[error.seq] = forms.refusal_of(tape, error).sentence
            del settle[error.seq]
        except NotInHistory as error:
            if error.seq not in settle:
                raise
            del settle[error.seq]  # it was undone or replaced meanwhile: nothing is left to settle


def _proposal(tape: Tape, edit: Edit, settle: Mapping[int, Settlement]) -> Proposal:
    return tabletape().recorder.proposed(
        tape.game, [edit.wish()], settle=settle, reason=_reason(), by=asker().by
    )


def _look(
    tape: Tape,
    edit: Edit,
    proposal: Proposal,
    settle: Mapping[int, Settlement],
    wrong: Mapping[int, str],
) -> Look:
    replayer, amendment = tabletape().replayer, proposal.amendment
    step = tape.runs.index_of(edit.seq) or 0
    put = sum(one.new and one.seq == edit.seq for one in amendment.made)
    shown = max(amendment.first + put - 1, 0)
    wanted = {shown, amendment.step, *(met.step - 1 for met in amendment.met)}
    new = dict[int, Moment]()
    instead: list[str] = []
    for moment in proposed.moments(replayer, proposal):
        if moment.step in wanted:
            new[moment.step] = moment
        if moment.step < amendment.first + put:
            instead.append(moment.caption(tape.names))
    for place in wanted - set(new):
        new[place] = replayer.at(tape.game, place, tape.viewer)
    old, last = replayer.at(tape.game, step, tape.viewer), replayer.at(tape.game, None, tape.viewer)
    faulty = {met.fault.seq for met in amendment.met}
    return Look(
        edit=edit,
        step=step,
        said=old.caption(tape.names),
        instead=tuple(instead),
        before=(_drawn(old, tape), _drawn(new[shown], tape)),
        after=(_drawn(last, tape), _drawn(new[amendment.step], tape)),
        ends=(_end(last, tape), _end(new[amendment.step], tape)),
        different=tuple(_different(last, new[amendment.step], tape))[: DIFFERENT + 1],
        met=tuple(_impossible(tape, met, new.get(met.step - 1), settle, wrong) for met in amendment.met),
        open=len(amendment.faults),
        unjudged=amendment.unjudged,
        redrawn=proposal.redrawn,
        untouched=sum(not one.new and one.seq not in faulty for one in amendment.made),
    )


def _drawn(moment: Moment, tape: Tape) -> Picture:
    return next(iter(pictures([moment], tape.names)))


def _end(moment: Moment, tape: Tape) -> str:
    ended = moment.outcome()
    said = ending(ended, tape.names) if ended is not None else "Not over."
    return f"Step {moment.step}. {said}"


def _impossible(
    tape: Tape,
    met: Met,
    stands: Moment | None,
    settle: Mapping[int, Settlement],
    wrong: Mapping[int, str],
) -> Impossible:
    fault, form = met.fault, request.form
    chosen = {Remove: "remove", Cut: "cut", Keep: "keep", Replace: "other"}
    how = settle.get(fault.seq)
    rule = f" ({fault.rule})" if fault.rule and fault.rule not in fault.message else ""
    return Impossible(
        seq=fault.seq,
        step=fault.step,
        caption=tabletape().replayer.at(tape.game, fault.step, tape.viewer).caption(tape.names),
        why=put_names(fault.message, tape.names) + rule,
        keepable=fault.keepable,
        legal=tuple(_alternatives(tape, stands, fault.legal[:LEGAL])),
        chosen=chosen[type(how)] if how is not None else "other" if fault.seq in wrong else "",
        other=form.get(f"legal.{fault.seq}", ""),
        typed=form.get(f"typed.{fault.seq}", ""),
        wrong=wrong.get(fault.seq, ""),
    )


def _alternatives(tape: Tape, stands: Moment | None, legal: tuple[Event, ...]) -> Iterator[tuple[str, str]]:
    if stands is None:
        return
    naming = Naming(stands, tape.names)
    for event in legal:
        if not isinstance(event, RecordStarted):
            yield wire.encode_event(event), naming.sentence(event)


def _different(was: Moment, now: Moment, tape: Tape) -> Iterator[Difference]:
    one, other = was.scene(), now.scene()
    if one is None or other is None:
        return
    old, new = labelled(one, tape.names), labelled(other, tape.names)
    for key in dict.fromkeys((*old, *new)):
        label, value = old.get(key, new.get(key, ("", None)))
        then = new.get(key, (label, None))[1]
        if value != then:
            yield Difference(label, _text(value), _text(then))


def _text(value: int | str | None) -> str:
    return "–" if value is None else str(value)
