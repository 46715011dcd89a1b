"""What an undo takes back that somebody has seen: the record forgets it, and nobody else does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from games.naming import Naming
from games.ruleset import TABLE
from replay_web.viewing import tabletape

if TYPE_CHECKING:
    from eventstore.moment import Moment, Tape
    from games.scene import Scene

NAMED: Final = 4
"""Cards that are named; of more only how many."""
LOOKED_AT: Final = 24
"""Steps of what would go that are searched."""


def untold(tape: Tape) -> str:
    """Name the cards that somebody saw in what the next undo takes back, and who; empty where nobody did.

    Cost:    two scenes for each step that would go, one in most cases.
    """
    to = tape.history.undo_target(tape.head.seq)
    if to is None or tape.damage:
        return ""
    first = tape.runs.common(tape.history.at(to))
    if not 0 < first <= tape.steps:
        return ""
    moments = tabletape().replayer.moments(tape.game, first, tape.steps, tape.viewer)
    found: dict[str, str] = {}
    for moment in islice(moments, LOOKED_AT):
        for card, who in _shown(moment, tape):
            found.setdefault(card, who)
    said = [f"♦ {card} ({who})" for card, who in found.items()]
    more = f" and {len(said) - NAMED} more" if len(said) > NAMED else ""
    return f"Taking this back un-tells: {', '.join(said[:NAMED])}{more}" if said else ""


def _shown(moment: Moment, tape: Tape) -> Iterator[tuple[str, str]]:
    rules = moment.ruleset
    if rules is None or moment.before is None or not moment.readable:
        return
    before, after = rules.scene(moment.before), rules.scene(moment.state)
    naming = Naming(moment, tape.names)
    new = {who: _seen(after, who) - _seen(before, who) for who in (TABLE, *tape.seats)}
    for card in dict.fromkeys(card.key for zone in after.zones for card in zone.cards):
        who = [tape.names.get(seat, seat) for seat in tape.seats if card in new[seat]]
        if card in new[TABLE] or who:
            said = "everybody" if card in new[TABLE] else ", ".join(who)
            yield naming.called(("card",), card).text, said


def _seen(scene: Scene, viewer: str) -> frozenset[str]:
    return frozenset(card.key for zone in scene.zones if zone.visible_to(viewer) for card in zone.cards)
