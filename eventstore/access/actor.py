"""Who asks: how they sign what they enter, and what a game shows them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

import msgspec

from eventstore.log.rows import RECORDER
from games.core.ruleset import EVERYTHING, TABLE

if TYPE_CHECKING:
    from games.core.ruleset import Ruleset


class Actor(msgspec.Struct, frozen=True):
    """Somebody who looks at games and enters moves."""

    by: str = RECORDER
    """The signature of what they enter: the name of a key, never a person's name."""
    seat: str | None = None
    """The seat that their key is for; None: no seat."""
    sees_all: bool = True
    """No game hides anything from them."""

    def views(self, ruleset: Ruleset[Any] | None, seats: tuple[str, ...]) -> tuple[str, ...]:
        """The viewers as whom they may look at a game, the one that shows most first.

        Ruleset: None where the game opens as text: it may hide something.
        """
        if self.sees_all or (ruleset is not None and not ruleset.has_hidden_information):
            return (EVERYTHING, TABLE, *seats)
        return (self.seat, TABLE) if self.seat is not None and self.seat in seats else (TABLE,)

    def bound_to(self, ruleset: Ruleset[Any] | None) -> str | None:
        """The one seat for which they enter moves; `table` for somebody without a seat, who enters none.

        None where the game hides nothing from them.
        """
        if self.sees_all or ruleset is None or not ruleset.has_hidden_information:
            return None
        return self.seat or TABLE


OWNER: Final = Actor()
"""Whoever has the database itself: they see everything."""
