"""Headers of every answer, and which site a form may come from."""

from __future__ import annotations

import base64
from collections.abc import Sequence
from hashlib import sha256
from ipaddress import ip_address
from typing import Final
from urllib.parse import urlsplit

from flask import Flask, Response, request
from werkzeug.exceptions import Forbidden, SecurityError

CSP: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; "
    "form-action 'self'; base-uri 'none'; frame-ancestors 'none'"
)


class FromElsewhere(Forbidden):
    """A form that another site sent."""

    code_word = "from-elsewhere"
    description = "This form did not come from this site: open the page here and send it again."


def protect(app: Flask, *, hosts: Sequence[str] | None = None, numbers: bool = False) -> None:
    """Put the headers on every answer; turn away other names and foreign forms before anything is read.

    hosts:   the names of this site, None for any: under a name of its own that leads here, a page elsewhere
             could read ours (DNS rebinding).
    numbers: an address in digits is a name of this site too; nobody can make it lead elsewhere.
    """

    def refuse_other_names() -> None:
        asked = host_name(request.host)
        if not (hosts is None or is_name_of(asked, hosts) or (numbers and _in_digits(asked))):
            raise SecurityError

    app.before_request(refuse_other_names)
    app.before_request(_refuse_foreign)
    app.after_request(_add_headers)


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
