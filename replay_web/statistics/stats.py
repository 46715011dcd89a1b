"""Who won how often, how long games are and how they end: a page, JSON and CSV."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING, Final

import msgspec
from flask import Response, render_template, request

from eventstore.statistics import counts
from replay_web.http.attachments import disposition
from replay_web.http.errors import BadQuery
from replay_web.http.params import ORIGINS
from replay_web.http.policy import Pages
from replay_web.http.viewing import opened_store

if TYPE_CHECKING:
    from eventstore.library.catalogue import Entry

bp: Final = Pages("stats", __name__)
files: Final = Pages("figures", __name__)


@bp.page("/stats")
def page() -> str:
    """Count the games that fit `?ruleset=`, `?player=`, `?origin=` and `?since=`, a day of play.

    What-ifs are left out without `?variations=1`.
    """
    asked = _asked()
    return render_template(
        "stats.html",
        found=counts.statistics(opened_store(), _chosen(asked)),
        titles={name: rules.title for name, rules in opened_store().registry.newest().items()},
        origins=ORIGINS,
        said=counts.said,
        number=counts.number,
        seat_said=counts.seat_said,
        explained=counts.EXPLAINED,
        asked=asked,
        told={name: value for name, value in asked.items() if value},
    )


@files.page("/stats.json", json="always")
def as_json() -> Response:
    """Give the same figures, as `tabletape stats --json`."""
    found = counts.statistics(opened_store(), _chosen(_asked()))
    return Response(msgspec.json.encode(found), content_type="application/json")


@files.page("/stats.csv", json="always")
def as_csv() -> Response:
    """Give a row for each of these games and each seat."""
    lines = "".join(counts.export_csv(_chosen(_asked())))
    response = Response(lines, content_type="text/csv; charset=utf-8")
    response.headers["Content-Disposition"] = disposition("tabletape.csv", "tabletape.csv")
    return response


def _asked() -> dict[str, str]:
    asked = {
        "ruleset": request.args.get("ruleset", "").strip(),
        "player": request.args.get("player", "").strip(),
        "origin": request.args.get("origin", "").strip(),
        "since": request.args.get("since", "").strip(),
        "variations": request.args.get("variations", "").strip(),
    }
    if asked["origin"] and asked["origin"] not in ORIGINS:
        raise BadQuery(f"A game's origin is {', '.join(ORIGINS)}, not {asked['origin']!r}.")
    if asked["variations"] not in {"", "1"}:
        raise BadQuery(f"What-ifs are counted with variations=1, not {asked['variations']!r}.")
    if asked["since"] and not _is_day(asked["since"]):
        raise BadQuery(f"A day is written as 2026-09-14, not {asked['since']!r}.")
    return asked


def _is_day(text: str) -> bool:
    try:
        return date.fromisoformat(text).isoformat() == text
    except ValueError:
        return False


def _chosen(asked: dict[str, str]) -> list[Entry]:
    return counts.chosen(
        opened_store(),
        ruleset=asked["ruleset"] or None,
        player=asked["player"] or None,
        origin=asked["origin"] or None,
        since=asked["since"] or None,
        variations=bool(asked["variations"]),
    )
