"""Correct the middle of a record, and settle what becomes impossible by it."""

from __future__ import annotations

from typing import IO, TYPE_CHECKING, Any

import click

from cli.shell.answers import answer_json, place, sent
from cli.shell.files import read_lines
from cli.shell.options import GAME, command, whole
from cli.shell.output import Shell, brief, columns, legible, paint, print_json
from cli.shell.refusals import REFUSED, ShellRefusal, spell_out
from cli.shell.seats import with_seats
from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from eventstore.recording.amending import Fault, HistoryEdit, Settlement
    from eventstore.recording.commands import Answer
    from eventstore.recording.inputs import EventInput
    from eventstore.replay.game import Game
    from eventstore.store import Store


@command(
    "Record",
    writes=True,
    examples=(
        "amend h4x9 14 --with 'A6-A7' --reason 'it was the Troll'",
        "amend h4x9 @13 --remove --settle 20=remove --settle 23=cut",
        "amend h4x9 --edits edits.json --dry-run",
    ),
)
@GAME
@click.argument("seq", required=False)
@click.option("--with", "replace", metavar="MOVES", help="Put these moves, or JSON, in its place.")
@click.option("--remove", is_flag=True, help="Take it away.")
@click.option("--insert-after", "insert", metavar="MOVES", help="Put these moves, or JSON, behind it.")
@click.option("--edits", metavar="FILE", type=click.File("rb"), help="Several edits as JSON; - is stdin.")
@click.option(
    "--settle",
    metavar="SEQ=HOW",
    multiple=True,
    help="What becomes of a later event that is then impossible: remove, cut (end the game before it), keep "
    "(as a ruling), or moves in its place.",
)
@click.option("--dry-run", is_flag=True, help="Say what would become impossible; change nothing.")
@click.option("--again", is_flag=True, help="A dealt game's draws may go too: they will be drawn anew.")
@click.option("--reason", metavar="T", default="", help="Why; kept with the amendment.")
def amend(
    shell: Shell,
    game: str,
    seq: str | None,
    edits: IO[bytes] | None,
    settle: tuple[str, ...],
    reason: str,
    **asked: Any,
) -> None:
    """Correct event SEQ of GAME (or @STEP); all later events are judged again first.

    While one of them is impossible and not settled, nothing is changed, and the exit code is 1. The original
    lines stay in the log (`cat --raw`); `undo` takes the whole amendment back.
    """
    one = {name: asked.pop(name) for name in ("replace", "remove", "insert")}
    ways = sum(way not in {None, False} for way in one.values())
    if (edits is None) == (seq is None) or (ways != 0 if edits else ways != 1):
        raise click.UsageError("Give SEQ with one of --with, --remove and --insert-after, or --edits alone.")
    with shell.writing() as store:
        opened = store.game(store.catalogue.resolve(game))
        asked_of = store.game_before(opened, asked["command_id"])
        if edits is not None:
            history_edits, settled, why = _from_file(asked_of, read_lines(edits))
        else:
            history_edits, settled, why = [_one_edit(_seq(asked_of, str(seq)), one)], {}, ""
        for text in settle:
            name, equals, how = text.partition("=")
            if not equals:
                raise click.UsageError(f"{brief(text)} is not of the form SEQ=HOW, as 20=remove.")
            settled[_seq(asked_of, name)] = _settlement(how)
        answer = _amend(store, opened, history_edits, settled, reason=reason or why, **asked)
        if shell.json:
            print_json(_plain(answer))
        else:
            click.echo("\n".join(_lines(opened, answer, dry_run=asked["dry_run"])))
    if answer.result.faults:
        raise SystemExit(REFUSED)


def _amend(
    store: Store, opened: Game, history_edits: list[HistoryEdit], settled: dict[int, Settlement], **asked: Any
) -> Answer:
    from dataclasses import replace

    from eventstore.access.actor import Actor
    from eventstore.recording.commands import Amend

    actor = Actor(asked["by"])
    more = {**sent(asked), **{name: asked[name] for name in ("reason", "dry_run", "again")}}
    try:
        try:
            return store.do(opened.id, Amend(history_edits, settled, **more), actor)
        except Exception as error:
            # Nothing was done yet: what was not understood may name players, as it may where it is repeated.
            names = opened.names
            meant = [replace(edit, do=_with_seats(edit.do, names)) for edit in history_edits]
            settle = {seq: _with_seats(how, names) for seq, how in settled.items()}
            if getattr(error, "code", "") not in {"not-understood", "command-id-reused"} or (
                meant,
                settle,
            ) == (history_edits, settled):
                raise
            return store.do(opened.id, Amend(meant, settle, **more), actor)
    except Exception as error:
        seq = getattr(error, "seq", None)
        said = getattr(error, "sentence", None)
        if seq is not None and said is not None:
            error.sentence = f"{_which(seq, history_edits)}: {said}"  # type: ignore[attr-defined]
            inserted = _inserts(seq, history_edits)
            step = (opened.step_of(seq) or 0) - (not inserted)
            spell_out(error, opened.position(max(step, 0)), opened.names)
        raise


def _with_seats(how: Any, names: Mapping[str, str]) -> Any:
    """Put seats for the names in the typed moves of an edit or a settlement."""
    from eventstore.recording.amending import Insert, Replace

    match how:
        case Replace(events) | Insert(events):
            return type(how)([with_seats(it, names) if isinstance(it, str) else it for it in events])
        case _:
            return how


def _inserts(seq: int, history_edits: Sequence[HistoryEdit]) -> bool:
    """Tell whether all that is asked for at this event is put behind it."""
    from eventstore.recording.amending import Insert

    here = [edit for edit in history_edits if edit.seq == seq]
    return bool(here) and all(isinstance(edit.do, Insert) for edit in here)


def _which(seq: int, history_edits: Sequence[HistoryEdit]) -> str:
    """Name the moves that a refusal is about: the event there may be another."""
    if _inserts(seq, history_edits):
        return f"The inserted move behind event {seq}" if len(history_edits) > 1 else "The inserted move"
    return (
        "The new move"
        if [edit.seq for edit in history_edits] == [seq]
        else f"What is to stand at event {seq}"
    )


# --- what was asked for ------------------------------------------------------------------------------


def _seq(opened: Game, text: str) -> int:
    """Read an event's number, or `@` and a step."""
    from eventstore.refusals import UnknownStep

    found = whole(text.removeprefix("@"))
    if found is None or found < 0:
        raise click.UsageError(f"An event is a number, as 14, or a step, as @13, not {brief(text)}.")
    if not text.startswith("@"):
        return found
    if found > opened.steps:
        raise UnknownStep(opened.id, found, opened.steps)
    return opened.runs.seq_at(found)


def _one_edit(seq: int, one: Mapping[str, Any]) -> HistoryEdit:
    from eventstore.recording.amending import HistoryEdit, Insert, Remove, Replace

    if one["remove"]:
        return HistoryEdit(seq, Remove())
    if one["replace"] is not None:
        return HistoryEdit(seq, Replace([one["replace"]]))
    return HistoryEdit(seq, Insert([one["insert"]]))


def _settlement(how: Any) -> Settlement:
    from eventstore.recording.amending import Cut, Keep, Remove, Replace

    match how:
        case "remove":
            return Remove()
        case "cut":
            return Cut()
        case "keep":
            return Keep()
        case str() if how.strip():
            return Replace([how])
        case list() if how and all(isinstance(item, str | dict) for item in how):
            return Replace(how)
        case _:
            raise ShellRefusal(
                "bad-edits", "An impossible event is settled by remove, cut, keep, or moves in its place."
            )


def _from_file(opened: Game, content: bytes) -> tuple[list[HistoryEdit], dict[int, Settlement], str]:
    r"""Read `{"edits": [{"seq", "replace" | "remove" | "insert"}], "settle"?: {seq: how}, "reason"?}`."""
    import msgspec

    from games.core.serialization import read_json

    try:
        said = msgspec.convert(read_json(content), dict[str, Any])
    except msgspec.DecodeError as error:
        raise ShellRefusal(
            "bad-edits", f"The edits are no JSON object ({error}); nothing was amended."
        ) from None
    edits, settle, reason = said.pop("edits", None), said.pop("settle", {}), said.pop("reason", "")
    if said or not isinstance(edits, list) or not isinstance(settle, dict) or not isinstance(reason, str):
        raise ShellRefusal(
            "bad-edits", 'The edits are {"edits": […], "settle": {…}, "reason": "…"}, the last two if wanted.'
        )
    return (
        [_edit(opened, number, item) for number, item in enumerate(edits, 1)],
        {_seq(opened, seq): _settlement(how) for seq, how in settle.items()},
        reason,
    )


def _edit(opened: Game, number: int, item: Any) -> HistoryEdit:
    from eventstore.recording.amending import HistoryEdit, Insert, Remove, Replace

    match item:
        case {"seq": int() | str() as seq, "remove": True, **rest} if not rest:
            return HistoryEdit(_seq(opened, str(seq)), Remove())
        case {"seq": int() | str() as seq, "replace": events, **rest} if not rest:
            return HistoryEdit(_seq(opened, str(seq)), Replace(_events(number, events)))
        case {"seq": int() | str() as seq, "insert": events, **rest} if not rest:
            return HistoryEdit(_seq(opened, str(seq)), Insert(_events(number, events)))
        case _:
            raise _bad_edit(number)


def _events(number: int, events: Any) -> Sequence[EventInput]:
    found = events if isinstance(events, list) else [events]
    if not all(isinstance(event, str | dict) for event in found):
        raise _bad_edit(number)
    return found


def _bad_edit(number: int) -> ShellRefusal:
    forms = '{"seq": 14, "replace": […]}, {"seq": 14, "remove": true} or {"seq": 14, "insert": […]}'
    return ShellRefusal("bad-edits", f"Edit {number} is none of {forms}; events are objects or typed moves.")


# --- what came of it ---------------------------------------------------------------------------------


def _plain(answer: Answer) -> dict[str, Any]:
    faults = [
        {
            "seq": fault.seq,
            "step": fault.step,
            "code": fault.code,
            "message": fault.message,
            "keepable": fault.keepable,
        }
        for fault in answer.result.faults
    ]
    return {
        **answer_json(answer),
        "faults": faults,
        "unjudged": answer.result.unjudged,
        "moot": answer.result.moot,
    }


def _lines(opened: Game, answer: Answer, *, dry_run: bool) -> Iterator[str]:
    if answer.result.faults:
        yield from _faults(opened, answer)
        return
    if answer.result.moot:
        events = ", ".join(map(str, answer.result.moot))
        yield f"Still possible, and left as recorded: {events}."
    if dry_run:
        yield f"Nothing else becomes impossible; the game would be at step {answer.step}. Not done."
    else:
        yield f"Amended. Now at {place(answer)}{' (this command was accepted before)' * answer.repeated}."


def _faults(opened: Game, answer: Answer) -> Iterator[str]:
    """Write a table: event, step, what it is and why it is impossible, what can be done."""
    from textwrap import wrap

    count = counted(len(answer.result.faults), "later event")
    verb = "becomes" if len(answer.result.faults) == 1 else "become"
    yield f"{paint('Nothing was amended', fg='red', bold=True)}: {count} {verb} impossible."
    yield ""
    wide = max(len("event"), *(len(str(fault.seq)) for fault in answer.result.faults))
    yield paint(f"{'event':>{wide}}  {'step':>5}  what, why, and what --settle can do", bold=True)
    lead = " " * (wide + 9)
    for fault in answer.result.faults:
        first, *rest = [*wrap(_what(opened, fault), max(30, columns() - len(lead)))] or [""]
        yield f"{fault.seq:>{wide}}  {fault.step:>5}  {first}"
        for line in (*rest, *wrap(_why(opened, fault), max(30, columns() - len(lead)))):
            yield lead + line
        yield lead + paint(f"{'keep, ' * fault.keepable}remove, cut, or moves in its place", fg="cyan")
    if answer.result.unjudged:
        yield f"{lead}… and {counted(answer.result.unjudged, 'event')} behind it that were not looked at"
    yield ""
    seq = answer.result.faults[0].seq
    yield f"Settle each in the same command, as --settle {seq}=remove; {seq}=cut ends the game there."


def _what(opened: Game, fault: Fault) -> str:
    return legible(opened.position(fault.step).caption(opened.names)).replace("\n", " ")


def _why(opened: Game, fault: Fault) -> str:
    from games.text.wording import put_names, with_rule

    return legible(with_rule(put_names(fault.message, opened.names), fault.rule)).replace("\n", " ")
