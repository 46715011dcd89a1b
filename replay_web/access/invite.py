"""Inviting others to the table: the address as a QR code, and keys for the players."""

from __future__ import annotations

from ipaddress import ip_address
from typing import TYPE_CHECKING, Final, NamedTuple

import segno
from flask import Response, current_app, make_response, redirect, render_template, request, url_for
from markupsafe import Markup
from werkzeug.wrappers import Response as AnyResponse

from eventstore.errors import TabletapeError
from games.core.ruleset import seat_names
from replay_web.http import forms
from replay_web.http.access import access, actor
from replay_web.http.bidi import isolated
from replay_web.http.errors import refusing, status_of
from replay_web.http.policy import PageForm, Pages, with_table_key
from replay_web.http.security import host_name
from replay_web.http.viewing import opened_store

if TYPE_CHECKING:
    from eventstore.log.key_table import Key

bp: Final = Pages("invite", __name__)
INVITES: Final = with_table_key("Others are invited")


class InvitedKey(NamedTuple):
    """A key that was made just now; what is typed to use it is shown this once."""

    key: Key
    typed: str
    address: str


class NewKeyForm(PageForm, frozen=True, kw_only=True):
    """The seat that a key is for; empty for the table."""

    seat: str = ""


class RevocationForm(PageForm, frozen=True, kw_only=True):
    """The key that lets nobody in any more."""

    name: str = ""


@bp.page("/invite", who=INVITES)
def ask() -> Response:
    """Show the address and its code, who has a key, and the form for another one."""
    return _page()


@bp.page("/invite/keys", form=NewKeyForm, who=INVITES)
def add() -> Response:
    """Make a key and show it, this once."""
    seat = forms.read(NewKeyForm).seat
    try:
        key, typed = access().add(seat=seat or None)
    except TabletapeError as error:
        return refusing(_page(refusal=str(error)), status_of(error), error.code)
    return _page(InvitedKey(key, typed, f"{outside()}sign-in#key={typed}"))


@bp.page("/invite/revoke", form=RevocationForm, who=INVITES)
def revoke() -> AnyResponse:
    """Let a key in no more."""
    try:
        access().revoke(forms.read(RevocationForm).name)
    except TabletapeError as error:
        return refusing(_page(refusal=str(error)), status_of(error), error.code)
    return redirect(url_for("invite.ask"), 303)


def outside() -> str:
    """Give the address that leads others here: as it was asked for, else as it was told to the site."""
    host = host_name(request.host)
    told: str | None = current_app.extensions["address"]
    return told if told and _is_here(host) else request.host_url


def _is_here(host: str) -> bool:
    try:
        return ip_address(host).is_loopback
    except ValueError:
        return host == "localhost"


def code(text: str) -> Markup:
    """Draw a QR code, black on white whatever the page's own colours are."""
    drawn = segno.make(text, error="l", micro=False)
    # The code's own characters are no markup: it holds squares alone.
    return Markup(  # noqa: S704
        drawn.svg_inline(scale=6, border=3, dark="#000000", light="#ffffff", omitsize=True, svgclass="qr")
    )


def _page(made: InvitedKey | None = None, refusal: str = "") -> Response:
    page = render_template(
        "invite.html",
        address=outside(),
        code=code,
        made=made,
        refusal=refusal,
        guarded=actor().guarded,
        read_only=opened_store().log.read_only,
        keys=access().list() if actor().guarded else (),
        seats=_seats(),
    )
    response = make_response(page)
    response.headers["Cache-Control"] = "no-store"
    return response


def _seats() -> list[tuple[str, str]]:
    """List the seats that some game has, with who sits there in the game played last."""
    most = max((max(rules.seats) for rules in opened_store().registry.newest().values()), default=2)
    last = opened_store().catalogue.list(limit=1)
    names = {one.seat: isolated(one.name) for entry in last for one in entry.seats if one.name}
    return [(seat, names.get(seat, "")) for seat in seat_names(most)]
