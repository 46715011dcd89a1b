"""The shortcuts, and which rulesets are installed."""

from __future__ import annotations

from typing import Final

from flask import Blueprint, render_template

from replay_web.keys import KEYS
from replay_web.viewing import tabletape

pages: Final = Blueprint("help", __name__)


@pages.get("/help")
def shortcuts() -> str:
    """Show the table of keys."""
    return render_template("help.html", keys=KEYS, rulesets=tabletape().registry.newest().values())
