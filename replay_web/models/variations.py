"""What leaves a game at which step, and whose variation a page is about."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from flask import g

from eventstore.errors import TabletapeError, UnknownGame
from eventstore.recording import branching
from replay_web.http import viewing
from replay_web.http.bidi import isolated
from replay_web.http.viewing import link, tabletape

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.library.about import About
    from eventstore.recording.branching import Variation
    from eventstore.replay.game import Tape
    from games.core.events import Parent

LISTED: Final = 12
"""Variations that a step names."""


class Leaving(NamedTuple):
    """A variation at the step where it leaves."""

    game: str
    title: str
    """Empty where nobody gave one."""
    move: str
    """Its first move of its own; empty where it has none yet."""
    step: int
    """Where that move is, else its last step."""


class Origin(NamedTuple):
    """Whose variation a page is about."""

    title: str
    step: int
    address: str
    """Of the step where it leaves, as the parent now stands; empty where the parent cannot be opened."""
    gone: bool = False
    """The step was undone or taken out meanwhile."""
    damaged: bool = False
    """The parent is here, and cannot be read."""


def leaving(tape: Tape) -> dict[int | None, list[Variation]]:
    """Give what leaves a game, by step; nothing where what comes later is hidden: it may come there too."""
    if viewing.hides_later():
        return {}
    return branching.by_step(tape, tabletape().catalogue.variations(tape.game))


def told(tape: Tape, variations: Iterable[Variation]) -> list[Leaving]:
    """Name variations by their first moves, as the viewer is told them, and by titles that somebody gave."""
    about = tabletape().catalogue.about(tape.game)
    return [_told(tape, one, about) for one in list(variations)[:LISTED]]


def _told(tape: Tape, one: Variation, about: About) -> Leaving:
    own = branching.first_move(tabletape().replayer, one.game, tape.viewer)
    given = one.title != branching.about(about, one.parent.step, None).title
    title = isolated(one.title or "") if given else ""
    if own is None:
        return Leaving(one.game, title, "", one.parent.step)
    return Leaving(one.game, title, own.caption(tape.names), own.step)


def what_if_of() -> Origin | None:
    """Say whose variation the game of this page is; None where it is none.

    A variation needs nothing of its parent: a damaged parent takes no page of it away.
    """
    parent: Parent | None = g.get("parent")
    if parent is None:
        return None
    try:
        return _origin(parent)
    except UnknownGame:
        return Origin(parent.game, parent.step, "")
    except TabletapeError:
        return Origin(parent.game, parent.step, "", damaged=True)


def _origin(parent: Parent) -> Origin:
    tape = tabletape().replayer.tape(parent.game)
    title = isolated(tabletape().catalogue.about(parent.game).title or "")
    step = branching.leaves_at(tape, parent)
    shown = min(parent.step, tape.steps) if step is None else step
    return Origin(
        title or " – ".join(map(isolated, tape.names.values())),
        parent.step,
        link("steps.step", game=parent.game, step=shown),
        gone=step is None,
    )
