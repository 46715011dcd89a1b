"""What leaves a game at which step, and whose variation a page is about."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from flask import g

from eventstore.errors import TabletapeError, UnknownGame
from eventstore.library import variations
from eventstore.recording.commands.branch import details_of
from replay_web.http import viewing
from replay_web.http.bidi import isolated
from replay_web.http.viewing import link, opened_store

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.library.variations import Variation
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from games.core.events import Parent

LISTED: Final = 12
"""Variations that a step names."""


class LeavingVariation(NamedTuple):
    """A variation at the step where it leaves."""

    game: str
    title: str
    """Empty where nobody gave one."""
    move: str
    """Its first move of its own; empty where it has none yet."""
    step: int
    """Where that move is, else its last step."""


class VariationOrigin(NamedTuple):
    """Whose variation a page is about."""

    title: str
    step: int
    address: str
    """Of the step where it leaves, as the parent now stands; empty where the parent cannot be opened."""
    gone: bool = False
    """The step was undone or taken out meanwhile."""
    damaged: bool = False
    """The parent is here, and cannot be read."""


def leaving(game: Game) -> dict[int | None, list[Variation]]:
    """Give what leaves a game, by step; nothing where what comes later is hidden: it may come there too."""
    if viewing.hides_later():
        return {}
    return variations.by_step(game, opened_store().variations(game.id))


def named(game: Game, several: Iterable[Variation]) -> list[LeavingVariation]:
    """Name variations by their first moves, as the viewer is told them, and by titles that somebody gave."""
    return [_told(game, one) for one in list(several)[:LISTED]]


def _told(game: Game, one: Variation) -> LeavingVariation:
    own = _first_move(one.game, game)
    given = one.title != details_of(game.details, one.parent.step, None).title
    title = isolated(one.title or "") if given else ""
    if own is None:
        return LeavingVariation(one.game, title, "", one.parent.step)
    return LeavingVariation(one.game, title, own.caption(game.names), own.step)


def _first_move(variation: str, game: Game) -> Position | None:
    """Give the first step of its own of a variation; a damaged variation hides nothing else."""
    with suppress(TabletapeError):
        return variations.first_move(opened_store().game(variation, game.actor, game.viewer))
    return None


def what_if_of() -> VariationOrigin | None:
    """Say whose variation the game of this page is; None where it is none.

    A variation needs nothing of its parent: a damaged parent takes no page of it away.
    """
    game: Game | None = g.get("game")
    parent = None if game is None else game.parent
    if parent is None:
        return None
    try:
        return _origin(parent)
    except UnknownGame:
        return VariationOrigin(parent.game, parent.step, "")
    except TabletapeError:
        return VariationOrigin(parent.game, parent.step, "", damaged=True)


def _origin(parent: Parent) -> VariationOrigin:
    game = opened_store().game(parent.game)
    title = isolated(game.details.title or "")
    step = variations.leaves_at(game, parent)
    shown = min(parent.step, game.steps) if step is None else step
    return VariationOrigin(
        title or " – ".join(map(isolated, game.names.values())),
        parent.step,
        link("steps.step", game=parent.game, step=shown),
        gone=step is None,
    )
