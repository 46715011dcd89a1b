"""Whom a stretch of a game showed a card that he did not know; what undoing it cannot make him forget."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.core.ruleset import TABLE

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from eventstore.replay.game import Moment
    from games.core.scene import Scene


def shown_to(moments: Iterable[Moment]) -> tuple[str, ...]:
    """Name the seats, or `table` for everybody, to whom a card became known at one of these steps.

    Moments: of one who sees everything.
    Cost:    two scenes a step.
    """
    found: set[str] = set()
    viewers: tuple[str, ...] = ()
    for moment in moments:
        if moment.ruleset is None or moment.before is None or not moment.readable or not moment.started:
            continue
        viewers = (TABLE, *moment.started.seats)
        before, after = moment.ruleset.scene(moment.before), moment.ruleset.scene(moment.state)
        found.update(viewer for viewer in viewers if set(_seen(after, viewer)) - set(_seen(before, viewer)))
    return (TABLE,) if TABLE in found else tuple(viewer for viewer in viewers if viewer in found)


def _seen(scene: Scene, viewer: str) -> Iterator[str]:
    for zone in scene.zones:
        if zone.visible_to(viewer):
            yield from (card.key for card in zone.cards)
