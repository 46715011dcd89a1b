"""The list of games, by ruleset and by player."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final

import msgspec
from flask import redirect, render_template, request, url_for
from werkzeug.wrappers import Response

from eventstore.replay.seat_names import told_apart
from games.text.wording import ending
from games.words import counted
from replay_web.http.access import actor
from replay_web.http.bidi import isolated, isolated_names
from replay_web.http.errors import BadQuery
from replay_web.http.params import ORIGINS, within
from replay_web.http.policy import Pages
from replay_web.http.spoilers import NotHidden, hidden
from replay_web.http.viewing import HIDDEN, opened_store

if TYPE_CHECKING:
    from eventstore.library.catalogue import Entry
    from games.core.ruleset import Ruleset

bp: Final = Pages("games", __name__)
PAGE: Final = 50
"""Games on one page of the list."""
WHAT_IF: Final = "what if"
MOST_PAGES: Final = 10**6


class ListLine(msgspec.Struct, frozen=True):
    """A game in the list."""

    game: str
    title: str
    players: str
    """Under the title; empty where they are the title."""
    ruleset: str
    played_on: str
    steps: int
    status: str
    result: str
    drawn: bool
    marks: tuple[str, ...] = ()
    """That it was amended, and how often the table went against the rules or the record."""


@bp.page("/")
def front() -> Response:
    """Begin with the list."""
    return redirect(url_for("games.listing"))


@bp.page("/games", spoilers="hidden")
def listing() -> str:
    """List the games that fit `?ruleset=`, `?player=`, `?text=` and `?origin=`, fifty a page.

    Variations: are left out without `?variations=1`; `?of=` lists those of one game.

    With `?later=hidden` it says nothing of how they went.
    """
    ruleset = request.args.get("ruleset", "").strip()
    player = request.args.get("player", "").strip()
    text = request.args.get("text", "").strip()
    origin = request.args.get("origin", "").strip()
    if origin and origin not in ORIGINS:
        raise BadQuery(f"A game's origin is {', '.join(ORIGINS)}, not {origin!r}.")
    variations = request.args.get("variations", "").strip()
    if variations not in {"", "1"}:
        raise BadQuery(f"Variations are listed with variations=1, not {variations!r}.")
    of = request.args.get("of", "").strip()
    hides_later = hidden()
    if text and hides_later:
        raise NotHidden(
            "Words are looked for in all that came, so that a search would tell what comes later."
        )
    page = within(request.args.get("page", "1"), "A page of the list is", 1, MOST_PAGES)
    found = opened_store().catalogue.list(
        ruleset=ruleset or None,
        player=player or None,
        text=text or None,
        notes=actor().sees_all,
        origin=origin or None,
        variations=bool(variations),
        of=of or None,
        limit=PAGE + 1,
        offset=PAGE * (page - 1),
    )
    rules = opened_store().registry.newest()
    titles = {name: item.title for name, item in rules.items()}
    return render_template(
        "games.html",
        lines=[_line(entry, rules) for entry in found[:PAGE]],
        more=len(found) > PAGE,
        page=page,
        titles=titles,
        may_start=actor().may_write and not opened_store().log.read_only,
        origins=ORIGINS,
        hides_later=hides_later,
        asked={
            "ruleset": ruleset,
            "player": player,
            "text": text,
            "origin": origin,
            "variations": variations,
            "of": of,
            "later": HIDDEN if hides_later else "",
        },
    )


def _line(entry: Entry, rules: Mapping[str, Ruleset[Any]]) -> ListLine:
    known = told_apart({seat.seat: seat.name for seat in entry.seats})
    names = isolated_names(known)
    players = " – ".join(names.values())
    ruleset = rules.get(entry.ruleset)
    return ListLine(
        game=entry.game,
        title=isolated(entry.title or "") or players or entry.game,
        players=players if entry.title else "",
        ruleset=ruleset.title if ruleset else entry.ruleset,
        played_on=str(entry.played_on or ""),
        steps=entry.steps,
        status=entry.status,
        result=ending(entry.result, names, ruleset) if entry.result else "",
        drawn=entry.status != "text-only",
        marks=tuple(_marks(entry)),
    )


def _shows_all(entry: Entry) -> bool:
    """Tell whether the asker may know what all that the record knows comes to."""
    rules = opened_store().registry.newest().get(entry.ruleset)
    return actor().sees_all or (rules is not None and not rules.has_hidden_information)


def _marks(entry: Entry) -> Iterator[str]:
    if entry.parent:
        yield WHAT_IF
    if entry.amended:
        yield "amended"
    if entry.rulings:
        yield counted(entry.rulings, "ruling")
    if entry.failed_checks and _shows_all(entry):
        yield (
            "check failed" if entry.failed_checks == 1 else f"{counted(entry.failed_checks, 'check')} failed"
        )
