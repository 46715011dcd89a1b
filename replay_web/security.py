"""Headers of every answer, and which site a form may come from."""

from __future__ import annotations

import base64
from hashlib import sha256
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, request
from werkzeug.exceptions import Forbidden

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class FromElsewhere(Forbidden):
    """A form that another site sent."""

    code_word = "from-elsewhere"
    description = "This form did not come from this site: open the page here and send it again."


def protect(app: Flask) -> None:
    """Put the headers on every answer and turn away foreign forms before anything is read from them."""
    app.before_request(_refuse_foreign)
    app.after_request(_add_headers)


def csp_with_style(style: str) -> str:
    """Give the policy of a picture that carries this one style sheet inside itself."""
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"


def _refuse_foreign() -> None:
    if request.method not in {"GET", "HEAD", "OPTIONS"} and not _same_site():
        raise FromElsewhere


def _same_site() -> bool:
    """Tell whether the browser says that this site's own page sent the request.

    Browsers send `Sec-Fetch-Site` on secure and local addresses, and `Origin` with every form; what sends
    neither is no browser with a page of ours open, and is turned away too.
    """
    said = request.headers.get("Sec-Fetch-Site")
    if said is not None:
        return said == "same-origin"
    origin = request.headers.get("Origin")
    return origin is not None and urlsplit(origin).netloc == request.host


def _add_headers(response: Response) -> Response:
    response.headers.setdefault("Content-Security-Policy", CSP)
    response.headers["X-Content-Type-Options"] = "nosniff"
    response.headers["Referrer-Policy"] = "same-origin"
    response.headers["Cross-Origin-Opener-Policy"] = "same-origin"
    if request.endpoint != "static":
        response.headers.setdefault("Cache-Control", "no-store")
    return response
