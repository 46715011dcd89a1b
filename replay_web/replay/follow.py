"""What is new in a game: asked every two seconds by each open page, and mostly answered with nothing.

A page may be told instead when to ask, as long as the server has threads for that.
"""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, cast

from flask import Response, current_app, jsonify, request
from werkzeug.exceptions import ServiceUnavailable

from eventstore.errors import TabletapeError
from replay_web.http.params import within
from replay_web.http.policy import Pages
from replay_web.http.viewing import open_game, opened_store
from replay_web.replay.streams import AGAIN, Streams, lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from eventstore.replay.game import Game

bp: Final = Pages("follow", __name__)
_REFUSED: Final = 400


class NoStream(ServiceUnavailable):
    """Every thread that can be spared holds a stream already."""

    code_word = "no-stream"
    description = "As many pages are told at once as can be: ask every two seconds instead."


@bp.page("/games/<game>/news", json="always")
def news(game: str) -> Response:
    """Give the last event and step, and up to which step nothing has changed since event `since`.

    304 where the last event is the one that `If-None-Match` names.  The tag is made of the viewer and of how
    many events there are, which everybody at the table knows; never of what is in them.
    """
    opened = open_game(game)
    tag = f"{opened.viewer}.{opened.head}"
    if request.if_none_match.contains(tag):
        answer = Response(status=304)
    else:
        since = _since(opened, request.args.get("since"))
        answer = jsonify(seq=opened.head, steps=opened.steps, same=same(opened, since))
    answer.set_etag(tag)
    return answer


@bp.page("/games/<game>/news/stream", json="always")
def stream(game: str) -> Response:
    """Tell at once whenever there is an event behind `since`: its number, and nothing of what is in it.

    As server-sent events, for a minute; 503 where no thread can be spared.
    """
    opened = open_game(game)
    since = _since(opened, request.headers.get("Last-Event-ID") or request.args.get("since"))
    streams = cast("Streams", current_app.extensions["streams"])
    place = streams.enter()
    if place is None:
        raise NoStream(retry_after=AGAIN)
    answer = Response(lines(streams, str(since), _newest(game)), mimetype="text/event-stream")
    answer.headers["X-Accel-Buffering"] = "no"
    # Called also where nobody ever reads a line of it.
    answer.call_on_close(lambda: streams.leave(place))
    return answer


@bp.after_app_request
def _tell(answer: Response) -> Response:
    """Wake the streams where something may have been recorded."""
    if request.method == "POST" and answer.status_code < _REFUSED:
        cast("Streams", current_app.extensions["streams"]).tell()
    return answer


def _newest(game: str) -> Callable[[], str | None]:
    """Make the look for the last event; it gives None where nobody reads, or nothing can be read."""
    log = opened_store().log
    gone: Callable[[], bool] = request.environ.get("waitress.client_disconnected", lambda: False)

    def newest() -> str | None:
        with suppress(TabletapeError):
            log.must_be_in_place()
            head = log.head(game)
            if head is not None and not gone():
                return str(head.seq)
        return None

    return newest


def same(game: Game, since: int) -> int:
    """Give the last step up to which the game is as it was after event `since`; -1 where none is."""
    if not 1 <= since <= game.head:
        return -1
    return game.runs.common(game.history.at(since)) - 1


def _since(game: Game, text: str | None) -> int:
    return game.head if text is None else within(text, "The event 'since' is", 0)
