"""How many games there are, said the same way by whatever counts them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from eventstore.library.catalogue import Catalogue
    from eventstore.store import Store


def games_said(store: Store, games: Iterable[str] | None = None) -> str:
    """Count these games, or all; the simulated ones by themselves, as lists leave them out."""
    chosen = [name for name in store.log.games() if "/" not in name] if games is None else list(games)
    return in_words(chosen, simulated(store.catalogue))


def simulated(games: Catalogue) -> frozenset[str]:
    """Give the ids of the simulated games."""
    found = games.list(origin="simulated", hidden=True, variations=True)
    return frozenset(entry.game for entry in found)


def in_words(games: Collection[str], made: Collection[str]) -> str:
    """Say how many games, and how many of them are simulated.

    >>> in_words(["a", "b", "c"], {"c"}), in_words(["a"], ())
    ('2 games and 1 simulated', '1 game')
    """
    number = sum(game in made for game in games)
    return f"{counted(len(games) - number, 'game')}{f' and {number:,} simulated' if number else ''}"
