"""Answers packed with gzip for those who take them so."""

from __future__ import annotations

import gzip
from typing import TYPE_CHECKING, Final

from flask import Flask, Response, request

from replay_web.http import policy

if TYPE_CHECKING:
    from werkzeug.wrappers import Response as AnyResponse

_LEVEL: Final = 5
"""A higher one costs more time than its bytes save on a network at home."""
_WHOLE: Final = 200


def init_app(app: Flask) -> None:
    """Pack modules and style sheets, which a browser loads once an hour, to a third of their size."""
    app.after_request(_pack_declared)


def _pack_declared(answer: Response) -> Response:
    if answer.status_code == _WHOLE and policy.asked().packed:
        pack_answer(answer)
    return answer


def pack(data: bytes) -> bytes:
    """Pack; the same data always give the same bytes."""
    return gzip.compress(data, _LEVEL, mtime=0)


def takes_packed() -> bool:
    """Tell whether the answer may be packed; a browser that gives gzip no weight does not take it."""
    return request.accept_encodings.quality("gzip") > 0


def send(packed: bytes, mimetype: str = "application/json") -> Response:
    """Send what is packed already; to those who do not take it so, unpacked."""
    if takes_packed():
        answer = Response(packed, mimetype=mimetype)
        answer.headers["Content-Encoding"] = "gzip"
    else:
        answer = Response(gzip.decompress(packed), mimetype=mimetype)
    answer.vary.add("Accept-Encoding")
    return answer


def pack_answer(answer: AnyResponse) -> None:
    """Pack an answer that is made already, for those who take it so."""
    answer.vary.add("Accept-Encoding")
    if not takes_packed():
        return
    answer.direct_passthrough = False
    answer.set_data(pack(answer.get_data()))
    answer.headers["Content-Encoding"] = "gzip"
    tag, _ = answer.get_etag()
    if tag is not None:
        answer.set_etag(tag, weak=True)  # other bytes of the same answer
