"""Asks before a dealt game's draws go: they would be drawn anew."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import TYPE_CHECKING

import click

from cli.shell.output import tell
from cli.shell.refusals import ShellRefusal

if TYPE_CHECKING:
    from eventstore.recording.commands import Answer


def asking(act: Callable[..., Answer], *, again: bool, question: str, refused: str) -> Answer:
    """Do it; where that would draw anew, ask the person first, if there is one."""
    from eventstore.refusals import UndoPastDraw

    try:
        return act(again=again)
    except UndoPastDraw as refusal:
        if not (sys.stdin.isatty() and sys.stderr.isatty()):
            raise ShellRefusal(refusal.code, f"{refusal} --again asks for it.") from None
        tell(str(refusal))
        if not click.confirm(question, err=True):
            raise ShellRefusal(refusal.code, refused) from None
    return act(again=True)
