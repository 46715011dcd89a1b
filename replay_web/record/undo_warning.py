"""What an undo takes back that somebody has seen: the record forgets it, and nobody else does."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import TYPE_CHECKING, Final

from games.core.ruleset import TABLE
from games.text.naming import Naming
from games.words import counted, joined

if TYPE_CHECKING:
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from games.core.scene import Scene

NAMED: Final = 4
"""Cards that are named; of more only how many."""
LOOKED_AT: Final = 24
"""Steps of what would go that are searched."""


def undo_warning(game: Game) -> str:
    """Name the cards that somebody saw by what the next undo takes back, and who; empty where nobody did.

    Nothing is said where it would tell nobody anything: once the game is over, and at a real table of a title
    that hides nothing, where all cards lie open and an undo mends a slip of the pen.

    Cost:    two scenes for each step that would go, one in most cases.
    """
    to = game.history.undo_target(game.head)
    if to is None or game.damage or game.ruleset is None or _all_is_open(game):
        return ""
    first = game.runs.common(game.history.at(to))
    if not 0 < first <= game.steps:
        return ""
    positions = game.positions(first, game.steps)
    found: dict[str, str] = {}
    for position in islice(positions, LOOKED_AT):
        for card, who in _shown(position, game):
            found.setdefault(card, who)
    return _sentence(found)


def _all_is_open(game: Game) -> bool:
    return game.origin == "table" and game.ruleset is not None and not game.ruleset.has_hidden_information


def _sentence(found: dict[str, str]) -> str:
    """Say who has seen which cards.

    >>> _sentence({"Mugwump": "everybody"})
    'Everybody has seen ♦ Mugwump; taking it back does not unsee it.'
    >>> _sentence({"Amen": "Ann", "Ox": "Ann", "Kita": "Ann and Bo"})
    'Ann has seen ♦ Amen, ♦ Ox; Ann and Bo have seen ♦ Kita; taking it back does not unsee them.'
    >>> _sentence({"A": "Ann", "B": "Ann", "C": "Ann", "D": "Bo", "E": "Ann"})
    'Ann has seen ♦ A, ♦ B, ♦ C; Bo has seen ♦ D; 1 more was seen; taking it back does not unsee them.'
    """
    if not found:
        return ""
    seen: dict[str, list[str]] = {}
    for card, who in list(found.items())[:NAMED]:
        seen.setdefault(who, []).append(f"♦ {card}")
    said = [
        f"{who} {'have' if ' and ' in who else 'has'} seen {', '.join(cards)}" for who, cards in seen.items()
    ]
    if (more := len(found) - NAMED) > 0:
        said.append(counted(more, "more was seen", "more were seen"))
    told = "; ".join(said)
    return (
        f"{told[0].upper()}{told[1:]}; taking it back does not unsee {'it' if len(found) == 1 else 'them'}."
    )


def _shown(position: Position, game: Game) -> Iterator[tuple[str, str]]:
    rules = position.ruleset
    if rules is None or position.before is None or not position.readable:
        return
    before, after = rules.scene(position.before), rules.scene(position.state)
    naming = Naming(position, game.names)
    new = {who: _seen(after, who) - _seen(before, who) for who in (TABLE, *game.seats)}
    for card in dict.fromkeys(card.key for zone in after.zones for card in zone.cards):
        who = [game.names.get(seat, seat) for seat in game.seats if card in new[seat]]
        if card in new[TABLE] or who:
            said = "everybody" if card in new[TABLE] else joined(who)
            yield naming.called(("card",), card).text, said


def _seen(scene: Scene, viewer: str) -> frozenset[str]:
    return frozenset(card.key for zone in scene.zones if zone.visible_to(viewer) for card in zone.cards)
