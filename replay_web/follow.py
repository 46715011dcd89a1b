"""What is new in a game: asked every two seconds by each open page, and mostly answered with nothing."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from flask import Blueprint, Response, jsonify, request

from replay_web.errors import BadQuery
from replay_web.viewing import open_tape, whole

if TYPE_CHECKING:
    from eventstore.moment import Tape

pages: Final = Blueprint("follow", __name__)


@pages.get("/games/<game>/news")
def news(game: str) -> Response:
    """Give the last event and step, and up to which step nothing has changed since event `since`.

    304 where the last event is the one that `If-None-Match` names.  The tag is made of the viewer and of how
    many events there are, which everybody at the table knows; never of what is in them.
    """
    tape = open_tape(game)
    tag = f"{tape.viewer}.{tape.head.seq}"
    if request.if_none_match.contains(tag):
        answer = Response(status=304)
    else:
        since = _since(tape)
        answer = jsonify(seq=tape.head.seq, steps=tape.steps, same=same(tape, since))
    answer.set_etag(tag)
    return answer


def same(tape: Tape, since: int) -> int:
    """Give the last step up to which the game is as it was after event `since`; -1 where none is."""
    if not 1 <= since <= tape.head.seq:
        return -1
    return tape.runs.common(tape.history.at(since)) - 1


def _since(tape: Tape) -> int:
    text = request.args.get("since", str(tape.head.seq))
    found = whole(text)
    if found is None:
        raise BadQuery(f"since is an event, a whole number, not {text!r}.")
    return found
