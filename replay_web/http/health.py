"""Whether the site answers, its store can be read, and the store's file is still the one that was opened."""

from __future__ import annotations

from typing import Any, Final

from flask import Flask, Response, request

from eventstore.errors import DatabaseReplaced
from replay_web.http import policy
from replay_web.http.errors import answer, status_of
from replay_web.http.policy import Pages
from replay_web.http.viewing import opened_store

bp: Final = Pages("health", __name__)
_REFUSED: Final = 400


def watch(app: Flask) -> None:
    """Refuse everything once the file was removed or replaced: what is written to it then is lost.

    Before a request is met, and again before anything that was written is acknowledged.
    """
    app.before_request(_must_be_in_place)
    app.after_request(_acknowledge)


@bp.page("/healthz", json="always")
def healthz() -> dict[str, Any]:
    """Answer only after the list of games was read."""
    opened_store().catalogue.list(limit=1)
    return {"ok": True}


def _must_be_in_place() -> None:
    if policy.asked().store:
        opened_store().log.must_be_in_place()


def _acknowledge(response: Response) -> Response:
    if request.method == "POST" and response.status_code < _REFUSED:
        try:
            opened_store().log.must_be_in_place()
        except DatabaseReplaced as error:
            return answer(status_of(error), error.code, str(error))
    return response
