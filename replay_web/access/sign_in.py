"""Signing in with a key, and out."""

from __future__ import annotations

from typing import Final
from urllib.parse import urlsplit

from flask import current_app, redirect, render_template, request, url_for
from flask.sansio.blueprints import BlueprintSetupState
from werkzeug.wrappers import Response

from eventstore.access.keys import SESSION_DAYS
from games.words import counted
from replay_web.http import forms
from replay_web.http.access import WHO_SEES_WHAT, Attempts, TooManyTries, access, actor, cookie
from replay_web.http.errors import answer, refusing, wants_json
from replay_web.http.policy import ANYBODY, EmptyForm, PageForm, Pages
from replay_web.http.viewing import opened_store

bp: Final = Pages("sign_in", __name__)


class SignInForm(PageForm, frozen=True, kw_only=True):
    """A key, and where to come back to."""

    key: str = ""
    next: str = ""


@bp.record_once
def _teach(state: BlueprintSetupState) -> None:
    """Let every page say from where somebody signs in."""
    state.app.jinja_env.globals["sign_in_from"] = here


@bp.page("/sign-in")
def ask() -> str:
    """Ask for a key, and say who can see what."""
    return _page(inside(request.args.get("next", "")) or here())


@bp.page("/sign-in", form=SignInForm, who=ANYBODY, json="asked")
def enter() -> Response:
    """Begin a session with a key; it comes in the body alone, which nobody logs."""
    attempts: Attempts = current_app.extensions["attempts"]
    address = request.remote_addr or ""
    sent = forms.read(SignInForm)
    back = inside(sent.next)
    key = attempts.look(address, lambda: access().opened(sent.key))
    if isinstance(key, TooManyTries):
        return _later(key, back)
    session = None if key is None else access().session(key)
    if session is None:
        return _refusal(403, "wrong-key", "That is no key of this table, or it was revoked.", back)
    entered = redirect(back or url_for("games.listing"), 303)
    # No `secure`: in a local network there is no https, and the cookie would be dropped.
    entered.set_cookie(cookie(), session, max_age=SESSION_DAYS * 86400, httponly=True, samesite="Strict")
    return entered


@bp.page("/sign-out", form=EmptyForm, who=ANYBODY)
def leave() -> Response:
    """End the session."""
    access().end(request.cookies.get(cookie(), ""))
    left = redirect(url_for("games.listing"), 303)
    left.delete_cookie(cookie(), httponly=True, samesite="Strict")
    return left


def _later(slow: TooManyTries, back: str) -> Response:
    seconds = counted(slow.seconds, "second")
    response = _refusal(
        429, "too-many-tries", f"Too many wrong keys came from there: try again in {seconds}.", back
    )
    response.headers["Retry-After"] = str(slow.seconds)
    return response


def _refusal(status: int, code: str, sentence: str, back: str) -> Response:
    if wants_json():
        return answer(status, code, sentence)
    return refusing(_page(back, sentence), status, code)


def _page(back: str, refusal: str = "") -> str:
    return render_template(
        "sign_in.html",
        back=back,
        refusal=refusal,
        guarded=actor().guarded,
        key=actor().key,
        read_only=opened_store().log.read_only,
        who_sees_what=WHO_SEES_WHAT,
    )


# --- where to come back to ---------------------------------------------------------------------------


def here() -> str:
    """Give the address to come back to from signing in."""
    if request.method == "GET" and request.blueprint != bp.name:
        return inside(request.full_path.removesuffix("?"))
    return inside(_without_site(request.referrer or ""))


def _without_site(address: str) -> str:
    """Take the scheme and the host off an address; empty if nobody can read it.

    >>> _without_site("http://localhost:8765/games?page=2"), _without_site("http://[")
    ('/games?page=2', '')
    """
    try:
        return urlsplit(address)._replace(scheme="", netloc="").geturl()
    except ValueError:
        return ""


def inside(address: str) -> str:
    r"""Keep an address that leads to a page of this site; nothing of any other.

    >>> inside("/games/k3m9/steps/4?as=p1"), inside("//elsewhere.example/"), inside("/\\elsewhere")
    ('/games/k3m9/steps/4?as=p1', '', '')
    """
    safe = address.startswith("/") and not address.startswith("//") and "\\" not in address
    return address if safe and address.isprintable() else ""
