"""Who learned of a card in a stretch of a game: an undo does not take that knowledge away."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.core.ruleset import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eventstore.replay.position import Position
    from games.core.scene import Scene


def shown_to(positions: Iterable[Position]) -> tuple[str, ...]:
    """Name the seats, or `table` for everybody, to whom a card became known at one of these steps.

    Positions: of one who sees everything.
    Cost:    two scenes a step.
    """
    found: set[str] = set()
    viewers: tuple[str, ...] = ()
    for position in positions:
        if (
            position.ruleset is None
            or position.before is None
            or not position.readable
            or not position.started
        ):
            continue
        viewers = (TABLE, *position.started.seats)
        before, after = position.ruleset.scene(position.before), position.ruleset.scene(position.state)
        found.update(viewer for viewer in viewers if set(_seen(after, viewer)) - set(_seen(before, viewer)))
    return (TABLE,) if TABLE in found else tuple(viewer for viewer in viewers if viewer in found)


def _seen(scene: Scene, viewer: str) -> Iterator[str]:
    for zone in scene.zones:
        if zone.visible_to(viewer):
            yield from (card.key for card in zone.cards)
