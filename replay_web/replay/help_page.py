"""The shortcuts, and which rulesets are installed."""

from __future__ import annotations

from typing import Final

from flask import render_template

from replay_web.http.policy import Pages
from replay_web.http.viewing import opened_store
from replay_web.replay.shortcut_keys import KEYS

bp: Final = Pages("help", __name__)


@bp.page("/help")
def shortcuts() -> str:
    """Show the table of keys."""
    return render_template("help.html", keys=KEYS, rulesets=opened_store().registry.newest().values())
