"""Whether the site answers and its store can be read."""

from __future__ import annotations

from typing import Any, Final

from flask import Blueprint

from replay_web.viewing import tabletape

pages: Final = Blueprint("health", __name__)


@pages.get("/healthz")
def healthz() -> dict[str, Any]:
    """Answer only after the list of games was read."""
    tabletape().catalogue.list(limit=1)
    return {"ok": True}
