"""What makes a team, and the most teams that a hand can make."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping
from itertools import product
from typing import NamedTuple

from games.kit.cards import Unseen
from games.rulesets.monstropoly_battle.state import LETTERS, LINEUP, TEAM, Card, Setup


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


# --- the most teams ------------------------------------------------------------------------------------


def best_teams(setup: Setup, pool: Collection[str]) -> tuple[Formed, ...]:
    """Form the most teams that these cards can make; of as many, with LORDI among them."""
    cards = {card: face for card, face in setup.cards.items() if card in pool}
    plain = _without_lineup(setup, cards)
    with_lineup = (_with(setup, cards, lineup) for lineup in lineups(setup, pool))
    return max((*with_lineup, plain), key=len)


def lineups(setup: Setup, pool: Collection[str]) -> Iterator[tuple[str, ...]]:
    """Give each way to spell LORDI with these cards, those with true members before those with wild cards."""
    cards = [(card, face) for card, face in setup.cards.items() if card in pool]
    of_letter = [[card for card, face in cards if face.letter == letter] for letter in LETTERS]
    return product(*of_letter)


def _with(setup: Setup, cards: Mapping[str, Card], lineup: tuple[str, ...]) -> tuple[Formed, ...]:
    rest = {card: face for card, face in cards.items() if card not in lineup}
    return (*_without_lineup(setup, rest), Formed(LINEUP, lineup))


def _without_lineup(setup: Setup, cards: Mapping[str, Card]) -> tuple[Formed, ...]:
    """Fill up the teams that lack least first: then the wild cards go furthest."""
    members: dict[str, list[str]] = {name: [] for name in setup.teams}
    wild: list[str] = []
    for card, face in cards.items():
        (wild if face.team is None else members[face.team]).append(card)
    formed: dict[str, Formed] = {}
    for name in sorted((name for name in setup.teams if members[name]), key=lambda name: -len(members[name])):
        lacking = TEAM - len(members[name])
        if lacking <= len(wild):
            formed[name] = Formed(name, (*members[name], *wild[:lacking]))
            wild = wild[lacking:]
    return tuple(formed[name] for name in setup.teams if name in formed)
