"""What writing commands answer: the JSON that scripts rely on, and the sentence for people."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from cli.shell.output import legible, paint, plain
from cli.shell.seats import with_names

if TYPE_CHECKING:
    from eventstore.recording.recorder import Answer
    from eventstore.replay.game import Tape
    from eventstore.store import Tabletape
    from games.core.events import Event


def answer_json(answer: Answer) -> dict[str, Any]:
    """Give `{game, seq, step, appended, outcome}`."""
    return {
        "game": answer.game,
        "seq": answer.seq,
        "step": answer.step,
        "appended": answer.appended,
        "outcome": answer.outcome,
    }


def expect(store: Tabletape, game: str, after: int | None) -> None:
    """Refuse what was meant for another state of the game.

    Errors:  `Conflict` with the head.
    """
    from eventstore.errors import Conflict

    head = store.replayer.tape(game).head.seq
    if after not in {None, head}:
        raise Conflict(head, game)


def as_asked(store: Tabletape, opened: Tape, command_id: str | None) -> Tape:
    """Give a game as it was when this command came first: what steps it named are looked up there again."""
    then = store.recorder.then(opened.game, command_id)
    if then is None:
        return opened
    runs = opened.history.at(then)
    return replace(opened, runs=runs, steps=len(runs) - 1)


def read_moves(store: Tabletape, game: str, text: str, command_id: str | None = None) -> tuple[Event, ...]:
    """Read typed moves; where the record is closed, say that, whatever was typed.

    Errors:  `IllegalAction`.
    """
    from games.core.ruleset import IllegalAction

    names = store.replayer.tape(game).names
    try:
        found: tuple[Event, ...] = with_names(
            text, names, lambda typed: store.recorder.read(game, typed, command_id=command_id)
        )
    except IllegalAction as refusal:
        if store.replayer.at(game).closing is None:
            if refusal.code == "not-understood" and any(map(str.isdecimal, map(str.strip, text.split(";")))):
                refusal.sentence = (
                    f"A number picks a move from the list when it stands alone. {refusal.sentence}"
                )
            raise
    else:
        return found
    raise IllegalAction("record-closed", "This record is closed; undo the closing to go on.")


def place(answer: Answer) -> str:
    """Say where the record is now."""
    return f"step {answer.step}, event {answer.seq}"


def recorded(store: Tabletape, answer: Answer) -> str:
    """Tell people what was recorded: the captions of the last steps, and the end if this is it."""
    from games.text.wording import ending

    opened = store.replayer.tape(answer.game)
    names = opened.names
    last = answer.step
    moments = list(store.replayer.moments(answer.game, max(0, last - min(answer.appended, 3) + 1), last))
    lines = [f"{moment.step:>5}  {legible(moment.caption(names))}" for moment in moments]
    if answer.appended > len(lines):
        lines.insert(0, f"    …  {answer.appended - len(lines)} more")
    if answer.outcome is not None:
        lines.append(paint(plain(ending(answer.outcome, names, opened.ruleset)), bold=True))
    again = " (this command was recorded before)" if answer.repeated else ""
    return "\n".join((*lines, f"Now at {place(answer)}{again}."))
