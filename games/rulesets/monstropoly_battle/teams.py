"""What makes a team, and the most teams that a hand can make."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from itertools import combinations, product
from typing import NamedTuple

from games.kit.cards import Unseen
from games.rulesets.monstropoly_battle.state import LETTERS, LINEUP, TEAM, Setup


class Formed(NamedTuple):
    """A complete team: its kind and its five cards, true members first, LORDI in the order of the letters."""

    kind: str
    cards: tuple[str, ...]


def possible_kinds(setup: Setup, cards: Iterable[Unseen]) -> tuple[str, ...]:
    """List the kinds of team that cards can be part of, LORDI last; unseen cards exclude nothing.

    A wild card stands for a member of any team, but in LORDI only for its own letter.
    """
    faces = [setup.cards[card] for card in cards if card is not None]
    homes = {face.team for face in faces if face.team is not None}
    letters = [face.letter for face in faces]
    spells = None not in letters and len(set(letters)) == len(letters)
    names = tuple(name for name in setup.teams if not homes or homes == {name})
    return (*names, LINEUP) if spells else names


def only_kind(setup: Setup, cards: Iterable[Unseen]) -> str | None:
    """Name the kind that these cards make certain; None while several are possible."""
    kinds = possible_kinds(setup, cards)
    return kinds[0] if len(kinds) == 1 else None


def possible_teams(setup: Setup, pool: Collection[str]) -> Iterator[Formed]:
    """Give every team that these cards can make, fewer wild cards before more, LORDI last."""
    members, wild = _sorted(setup, pool)
    for name, own in members.items():
        for lacking in range(TEAM):
            for true, filled in product(combinations(own, TEAM - lacking), combinations(wild, lacking)):
                yield Formed(name, (*true, *filled))
    yield from (Formed(LINEUP, lineup) for lineup in lineups(setup, pool))


# --- the most teams ------------------------------------------------------------------------------------


def best_teams(setup: Setup, pool: Collection[str]) -> tuple[Formed, ...]:
    """Form the most teams that these cards can make; of as many, with LORDI among them."""
    with_lineup = (
        (*_without_lineup(setup, frozenset(pool) - frozenset(lineup)), Formed(LINEUP, lineup))
        for lineup in lineups(setup, pool)
    )
    return max((*with_lineup, _without_lineup(setup, pool)), key=len)


def most_ways(setup: Setup, pool: Collection[str]) -> Iterator[tuple[Formed, ...]]:
    """Give each way to form the most teams, `best_teams` first: no wild card for a member that is there.

    Only a member that stands in LORDI is replaced in its team.
    """
    best = best_teams(setup, pool)
    yield best
    for lineup in ((), *lineups(setup, pool)):
        led = (Formed(LINEUP, lineup),) if lineup else ()
        members, wild = _sorted(setup, frozenset(pool) - frozenset(lineup))
        for teams in _ways(tuple(members.items()), tuple(wild), len(best) - len(led)):
            if (*teams, *led) != best:
                yield (*teams, *led)


def _ways(
    members: tuple[tuple[str, list[str]], ...], wild: tuple[str, ...], count: int
) -> Iterator[tuple[Formed, ...]]:
    """Give each way to form so many teams out of all their members and what wild cards they lack."""
    if not count or len(members) < count:
        yield from ((),) if not count else ()
        return
    (name, own), *rest = members
    for filled in combinations(wild, TEAM - len(own)) if own else ():
        left = tuple(card for card in wild if card not in filled)
        for others in _ways(tuple(rest), left, count - 1):
            yield (Formed(name, (*own, *filled)), *others)
    yield from _ways(tuple(rest), wild, count)


def lineups(setup: Setup, pool: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Give each way to spell LORDI with these cards, those with true members before those with wild cards."""
    cards = [(card, face) for card, face in setup.cards.items() if card in pool]
    of_letter = [[card for card, face in cards if face.letter == letter] for letter in LETTERS]
    return product(*of_letter)


def _without_lineup(setup: Setup, pool: Collection[str]) -> tuple[Formed, ...]:
    """Fill up the teams that lack least first: then the wild cards go furthest."""
    members, wild = _sorted(setup, pool)
    formed: dict[str, Formed] = {}
    for name in sorted((name for name in setup.teams if members[name]), key=lambda name: -len(members[name])):
        lacking = TEAM - len(members[name])
        if lacking <= len(wild):
            formed[name] = Formed(name, (*members[name], *wild[:lacking]))
            wild = wild[lacking:]
    return tuple(formed[name] for name in setup.teams if name in formed)


def _sorted(setup: Setup, pool: Collection[str]) -> tuple[dict[str, list[str]], list[str]]:
    """Give the true members of each team among these cards, and the wild cards, in the order of the data."""
    members: dict[str, list[str]] = {name: [] for name in setup.teams}
    wild: list[str] = []
    for card, face in setup.cards.items():
        if card in pool:
            (wild if face.team is None else members[face.team]).append(card)
    return members, wild
