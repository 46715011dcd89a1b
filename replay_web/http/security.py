"""Headers of every answer, and which site a form may come from."""

from __future__ import annotations

import base64
import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from hashlib import sha256
from ipaddress import ip_address
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import urlsplit

from flask import Flask, Response, json, request
from werkzeug.datastructures import Headers
from werkzeug.exceptions import Forbidden, HTTPException, SecurityError

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIApplication, WSGIEnvironment

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


HEADERS: Final = {
    "X-Content-Type-Options": "nosniff",
    "Referrer-Policy": "same-origin",
    "Cross-Origin-Opener-Policy": "same-origin",
}
"""Every answer has these."""
DEFAULTS: Final = {"Content-Security-Policy": CSP, "Cache-Control": "no-store"}
"""An answer has these unless it sets its own."""
_CONTROL: Final = re.compile(r"[\x00-\x1f\x7f-\x9f]")
_HOST: Final = re.compile(r"(?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9._-]+)(?::[0-9]{0,5})?")


class FromElsewhere(Forbidden):
    """A form that another site sent."""

    code_word = "from-elsewhere"
    description = "This form did not come from this site: open the page here and send it again."


class BadAddress(HTTPException):
    """An address with characters that no page of this site links to."""

    code = 400
    code_word = "bad-address"
    description = "The address holds a control character, such as %00. Remove it and try again."


def init_app(app: Flask, *, hosts: Sequence[str] | None = None, numbers: bool = False) -> None:
    """Put the headers on every answer; turn away other names and foreign forms before anything is read.

    hosts:   the names of this site, None for any: under a name of its own that leads here, a page elsewhere
             could read ours (DNS rebinding).
    numbers: an address in digits is a name of this site too; nobody can make it lead elsewhere.
    """
    app.wsgi_app = SiteMiddleware(app, app.wsgi_app)  # type: ignore[method-assign]

    def refuse_other_names() -> None:
        asked = host_name(request.host)
        if not (hosts is None or is_name_of(asked, hosts) or (numbers and _in_digits(asked))):
            raise SecurityError

    app.before_request(refuse_other_names)
    app.before_request(_refuse_control_characters)
    app.before_request(_refuse_foreign)


class SiteMiddleware:
    """The outermost part of the site: it adds the headers, and answers when Flask cannot.

    Flask reads `Host` before any handler of ours runs, and it can fail while it renders the page about a
    failure. Without the door the server would answer by itself then, without the headers.
    """

    def __init__(self, app: Flask, inside: WSGIApplication) -> None:
        self._app = app
        self._inside = inside

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        """Answer a request."""
        start = _with_headers(start_response)
        host = environ.get("HTTP_HOST", "")
        if host and not is_host(host):
            sentence = f"This site is not called {host!r}."
            return _plain("400 Bad Request", "unknown-host", sentence)(environ, start)
        try:
            return self._inside(environ, start)
        except Exception:
            if self._app.testing:
                raise
            self._app.logger.exception("The answer to a request failed")
            sentence = "Something went wrong here; nothing was recorded."
            return _plain("500 Internal Server Error", "server-fault", sentence)(environ, start)


def _with_headers(start_response: StartResponse) -> StartResponse:
    """Add the headers to whatever an answer begins with."""

    def start(status: str, headers: list[tuple[str, str]], *more: Any) -> Callable[[bytes], object]:
        merged = Headers(headers)
        merged.update(HEADERS)
        for name, value in DEFAULTS.items():
            merged.setdefault(name, value)
        return start_response(status, merged.to_wsgi_list(), *more)

    return start


def _plain(status: str, code: str, sentence: str) -> Response:
    """Give a refusal that needs no template and no link."""
    body = json.dumps({"error": {"code": code, "message": sentence}})
    return Response(body, status, {"X-Error-Code": code}, mimetype="application/json")


def is_host(text: str) -> bool:
    """Tell whether a `Host` header can be read: a name, or an address in digits, with or without a port.

    >>> is_host("localhost:8765"), is_host("[::1]:8765"), is_host("a..b"), is_host("xn--a"), is_host("[")
    (True, True, False, False, False)
    """
    if not _HOST.fullmatch(text):
        return False
    name = host_name(text)
    try:
        return bool(name) and name.encode("idna").decode("idna") != ""
    except UnicodeError:
        return False


def host_name(host: str) -> str:
    """Take the port and the brackets off; empty where the text is no host.

    >>> host_name("localhost:8765"), host_name("[::1]:8765"), host_name("[")
    ('localhost', '::1', '')
    """
    try:
        return urlsplit(f"//{host}").hostname or ""
    except ValueError:
        return ""


def is_name_of(name: str, hosts: Sequence[str]) -> bool:
    """Tell whether a name is among those of the site; werkzeug's own test knows no IPv6.

    >>> is_name_of("a.example", [".example"]), is_name_of("::1", ["[::1]"]), is_name_of("x", ["localhost"])
    (True, True, False)
    """
    known = [host.strip("[]").lower() for host in hosts]
    return any(name == one.lstrip(".") or (one.startswith(".") and name.endswith(one)) for one in known)


def _in_digits(name: str) -> bool:
    try:
        return ip_address(name) is not None
    except ValueError:
        return False


def csp_with_style(style: str) -> str:
    """Give the policy of a picture that carries this one style sheet inside itself."""
    digest = base64.b64encode(sha256(style.encode()).digest()).decode()
    return f"default-src 'none'; style-src 'sha256-{digest}'; frame-ancestors 'none'"


def _refuse_foreign() -> None:
    # What no address takes is no form of ours: that it is not taken is answered then.
    if (
        request.routing_exception is None
        and request.method not in {"GET", "HEAD", "OPTIONS"}
        and not _same_site()
    ):
        raise FromElsewhere


def _same_site() -> bool:
    """Tell whether the browser says that this site's own page sent the request.

    Browsers send `Sec-Fetch-Site` on secure and local addresses, and `Origin` with every form. A request with
    neither does not come from a page of ours in a browser, and is refused too.
    """
    said = request.headers.get("Sec-Fetch-Site")
    if said is not None:
        return said == "same-origin"
    origin = request.headers.get("Origin", "")
    # Compared as text, never parsed: a browser writes its own origin in one way only.
    return origin.lower() == f"{request.scheme}://{request.host}".lower()


def _refuse_control_characters() -> None:
    """Refuse an address before any part of it can reach a page, a file or a header."""
    if any(map(_CONTROL.search, _parts_of_address())):
        raise BadAddress


def _parts_of_address() -> Iterator[str]:
    yield request.path
    for name, value in request.args.items(multi=True):
        yield name
        yield value
