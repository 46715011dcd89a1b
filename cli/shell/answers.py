"""What writing commands answer: the JSON that scripts rely on, and the sentence for people."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.shell.output import legible, paint, plain
from cli.shell.seats import with_names

if TYPE_CHECKING:
    from collections.abc import Mapping

    from eventstore.recording.commands import Answer
    from eventstore.replay.game import Game
    from eventstore.store import Store
    from games.core.events import Event


def answer_json(answer: Answer) -> dict[str, Any]:
    """Give `{game, seq, step, appended, outcome}`."""
    return {
        "game": answer.game.id,
        "seq": answer.seq,
        "step": answer.step,
        "appended": answer.appended,
        "outcome": answer.outcome,
    }


def expect(store: Store, game: str, after: int | None) -> None:
    """Refuse what was meant for another state of the game.

    Errors:  `Conflict` with the head.
    """
    from eventstore.errors import Conflict

    head = store.game(game).head
    if after not in {None, head}:
        raise Conflict(head, game)


def sent(asked: Mapping[str, Any]) -> dict[str, Any]:
    """Give what every command takes of the options that every writing call has."""
    return {"after": asked["after"], "id": asked["command_id"]}


def read_moves(game: Game, text: str) -> tuple[Event, ...]:
    """Read typed moves against the game as it stands; where it is closed, say that, whatever was typed.

    Errors:  `IllegalAction`.
    """
    from eventstore.recording.typed_lines import read_line
    from games.core.ruleset import IllegalAction

    try:
        found: tuple[Event, ...] = with_names(text, game.names, lambda typed: read_line(game, typed))
    except IllegalAction as refusal:
        if game.closing is None:
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


def recorded(answer: Answer) -> str:
    """Tell people what was recorded: the captions of the last steps, and the end if this is it."""
    from games.text.wording import ending

    opened = answer.game
    names = opened.names
    last = answer.step
    positions = list(opened.positions(max(0, last - min(answer.appended, 3) + 1), last))
    lines = [f"{position.step:>5}  {legible(position.caption(names))}" for position in positions]
    if answer.appended > len(lines):
        lines.insert(0, f"    …  {answer.appended - len(lines)} more")
    if answer.outcome is not None:
        lines.append(paint(plain(ending(answer.outcome, names, opened.ruleset)), bold=True))
    again = " (this command was recorded before)" if answer.repeated else ""
    return "\n".join((*lines, f"Now at {place(answer)}{again}."))
