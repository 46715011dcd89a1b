"""Variations: games of their own that begin as another one's effective history up to a step."""

from __future__ import annotations

from typing import TYPE_CHECKING

import msgspec

from eventstore.log.ids import is_game_id
from games.core.events import Parent

if TYPE_CHECKING:
    from collections.abc import Iterable

    from eventstore.log.contract import EventLog
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position


class Variation(msgspec.Struct, frozen=True):
    """A game that leaves another one."""

    game: str
    parent: Parent
    title: str | None


def of(log: EventLog, game: str) -> list[Variation]:
    """The variations of a game that are not hidden, in the order of their creation."""
    return [
        Variation(name, parent, title)
        for name, text, title in log.variations(game)
        if is_game_id(name) and (parent := _kept(text)) is not None
    ]


def _kept(text: str) -> Parent | None:
    """A parent as the catalogue keeps it; None where that is damaged."""
    try:
        return msgspec.json.decode(text, type=Parent)
    except msgspec.MsgspecError:
        return None


def by_step(game: Game, variations: Iterable[Variation]) -> dict[int | None, list[Variation]]:
    """Variations of a game by the step behind which they leave it, as it stands now; see `leaves_at`."""
    found: dict[int | None, list[Variation]] = {}
    for one in variations:
        found.setdefault(leaves_at(game, one.parent), []).append(one)
    return found


def left_at(variation: Game) -> int | None:
    """The step of a variation behind which it goes its own way, as it stands now; None where that is gone."""
    parent = variation.parent
    if parent is None or not 0 <= parent.step < variation.head:
        return None
    return variation.history.where(parent.step + 1, variation.head)


def first_move(variation: Game) -> Position | None:
    """The first step that a variation has of its own; None where there is none."""
    behind = left_at(variation)
    if behind is not None and behind < variation.steps:
        return variation.position(behind + 1)
    return None


def leaves_at(game: Game, parent: Parent) -> int | None:
    """The step of the parent, as it stands now, behind which a variation goes its own way.

    None where that step was undone or taken out, or never was there.
    """
    if not 1 <= parent.head <= game.head:
        return None
    then = game.history.at(parent.head)
    if not 0 <= parent.step < len(then):
        return None
    return game.history.where(then.seq_at(parent.step), game.head)
