"""Signing in with a key, and out."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, current_app, redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from eventstore.access.keys import SESSION_DAYS
from replay_web.http.access import WHO_SEES_WHAT, Attempts, Slow, access, asker, cookie, here, inside
from replay_web.http.errors import answer, refusing, wants_json
from replay_web.http.viewing import tabletape

pages: Final = Blueprint("sign_in", __name__)


@pages.get("/sign-in")
def ask() -> str:
    """Ask for a key, and say who can see what."""
    return _page(inside(request.args.get("next", "")) or here())


@pages.post("/sign-in")
def enter() -> Response:
    """Begin a session with a key; it comes in the body alone, which nobody logs."""
    attempts: Attempts = current_app.extensions["attempts"]
    address = request.remote_addr or ""
    back = inside(request.form.get("next", ""))
    key = attempts.look(address, lambda: access().opened(request.form.get("key", "")))
    if isinstance(key, Slow):
        return _later(key, back)
    session = None if key is None else access().session(key)
    if session is None:
        return _refusal(403, "wrong-key", "That is no key of this table, or it was revoked.", back)
    entered = redirect(back or url_for("games.listing"), 303)
    # No `secure`: in a local network there is no https, and the cookie would be dropped.
    entered.set_cookie(cookie(), session, max_age=SESSION_DAYS * 86400, httponly=True, samesite="Strict")
    return entered


@pages.post("/sign-out")
def leave() -> Response:
    """End the session."""
    access().end(request.cookies.get(cookie(), ""))
    left = redirect(url_for("games.listing"), 303)
    left.delete_cookie(cookie(), httponly=True, samesite="Strict")
    return left


def _later(slow: Slow, back: str) -> Response:
    seconds = f"{slow.seconds} second{'' if slow.seconds == 1 else 's'}"
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
        guarded=asker().guarded,
        key=asker().key,
        read_only=tabletape().log.read_only,
        who_sees_what=WHO_SEES_WHAT,
    )
