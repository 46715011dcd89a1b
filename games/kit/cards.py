"""Cards that a record knows and cards that it does not: zones as values, and moves between them.

A zone holds the cards that are known to lie there and a number of others.  Nothing guesses: an identity
that is not known to lie anywhere is *unplaced* and may be any of the unknown cards of its sort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Final, NamedTuple

import msgspec

from games.core.ruleset import Random
from games.words import counted

Unseen = str | None
"""A card's identity, or null for a card that the recorder did not see."""


class CardZone(msgspec.Struct, frozen=True, gc=False):
    """A pile, a hand, a stack: `known` cards in the order in which they came, and `unknown` others."""

    known: tuple[str, ...]
    unknown: int

    @property
    def size(self) -> int:
        """Count the cards, known and unknown."""
        return len(self.known) + self.unknown


EMPTY: Final = CardZone((), 0)


def join(*zones: CardZone) -> CardZone:
    """Put whole zones together: what was known of them stays known."""
    known: list[str] = []
    unknown = 0
    for zone in zones:
        known += zone.known
        unknown += zone.unknown
    return CardZone(tuple(known), unknown)


class MovedCards(NamedTuple):
    """What a zone keeps, and what left it."""

    rest: CardZone
    gone: CardZone


def leave(zone: CardZone, cards: Sequence[Unseen]) -> MovedCards:
    """Let cards leave a zone that can hold them.

    A card that leaves unseen may be any of those that stay: from then on none of the zone's cards is known
    to be there.  Where everything leaves, what was known goes along.

    >>> leave(CardZone(("a", "b"), 2), ("a", "x"))
    MovedCards(rest=CardZone(known=('b',), unknown=1), gone=CardZone(known=('a', 'x'), unknown=0))
    >>> leave(CardZone(("a", "b"), 2), (None,))
    MovedCards(rest=CardZone(known=(), unknown=3), gone=CardZone(known=(), unknown=1))
    >>> leave(CardZone(("a",), 1), (None, None))
    MovedCards(rest=CardZone(known=(), unknown=0), gone=CardZone(known=('a',), unknown=1))
    """
    if None not in cards:
        named: tuple[str, ...] = tuple(cards)  # type: ignore[arg-type]  # none of them is null
        return MovedCards(without(zone, named), CardZone(named, 0))
    named = tuple(card for card in cards if card is not None)
    stay = without(zone, named)
    unseen = len(cards) - len(named)
    if unseen == stay.size:
        return MovedCards(EMPTY, CardZone(named + stay.known, stay.unknown))
    return MovedCards(CardZone((), stay.size - unseen), CardZone(named, unseen))


def without(zone: CardZone, named: Sequence[str]) -> CardZone:
    """Give what stays when cards leave that somebody saw: known ones, or some of the unknown.

    >>> without(CardZone(("a", "b"), 2), ("a", "x"))
    CardZone(known=('b',), unknown=1)
    """
    known, unknown = zone.known, zone.unknown
    if not known:
        return CardZone((), unknown - len(named))
    for card in named:
        try:
            place = known.index(card)
        except ValueError:
            unknown -= 1
        else:
            known = known[:place] + known[place + 1 :]
    return CardZone(known, unknown)


# --- which identity may lie where ---------------------------------------------------------------------


def places(zones: Mapping[str, Iterable[str]]) -> dict[str, str]:
    """Say for each known card in which zone it lies, by the zone's key."""
    return {card: key for key, cards in zones.items() for card in cards}


def unplaced(identities: Iterable[str], where: Mapping[str, str]) -> tuple[str, ...]:
    """List the identities that are not known to lie anywhere, in the order given."""
    return tuple(card for card in identities if card not in where)


def candidates(zone: CardZone, loose: Sequence[str]) -> tuple[str, ...]:
    """List the identities that may lie in a zone: its known cards, and any unplaced one if it has unknown."""
    return zone.known + tuple(loose) if zone.unknown else zone.known


def draw(zone: CardZone, loose: Sequence[str], rng: Random, count: int) -> list[str]:
    """Draw so many cards from a shuffled zone: each of its cards is as likely, each unplaced one too."""
    picks = rng.sample(range(zone.size), count)
    known = [zone.known[pick] for pick in picks if pick < len(zone.known)]
    strangers = rng.sample(loose, count - len(known))
    from_known, from_loose = iter(known), iter(strangers)
    return [next(from_known) if pick < len(zone.known) else next(from_loose) for pick in picks]


class Source(NamedTuple):
    """A zone that cards are said to have left: its key in `places`, how people call it, what it holds."""

    key: str
    name: str
    zone: CardZone


class Deck(NamedTuple):
    """All cards of one sort: what one is called, every identity, and where the known ones lie.

    `where` is what `places` gives; `called` says how people call each zone, by its key.
    """

    what: str
    identities: frozenset[str]
    where: Mapping[str, str]
    called: Mapping[str, str]


class CardFault(NamedTuple):
    """Why cards cannot have left a zone: a refusal's code and sentence."""

    code: str
    sentence: str


def fault_in(deck: Deck, taken: Iterable[tuple[Source, Sequence[Unseen]]]) -> CardFault | None:
    """Say why these cards cannot have left the zones named at once; None where they can.

    Codes: `too-few-cards`, `unknown-card`, `named-twice`, `card-elsewhere` (the sentence says where),
           `no-unknown-card` (the record knows every card of the zone, and this is none of them).
    """
    seen = set[str]()
    for source, cards in taken:
        named = [card for card in cards if card is not None]
        for card in named:
            fault = _fault_of(deck, source, card)
            if fault is None and card in seen:
                fault = CardFault("named-twice", f"{card} is named twice; it can lie in one place only.")
            if fault is not None:
                return fault
            seen.add(card)
        fault = _fault_in_count(source, len(cards), sum(card not in deck.where for card in named))
        if fault is not None:
            return fault
    return None


def _fault_of(deck: Deck, source: Source, card: str) -> CardFault | None:
    if card not in deck.identities:
        return CardFault("unknown-card", f"{card!r} is no {deck.what} of this game.")
    place = deck.where.get(card, source.key)
    if place == source.key:
        return None
    return CardFault(
        "card-elsewhere", f"{card} lies in {deck.called[place]}, so it cannot come from {source.name}."
    )


def _fault_in_count(source: Source, leaving: int, strangers: int) -> CardFault | None:
    zone = source.zone
    if leaving > zone.size:
        return CardFault(
            "too-few-cards", f"{counted(leaving, 'card')} cannot leave {source.name}: it holds {zone.size}."
        )
    if strangers <= zone.unknown:
        return None
    known = ", ".join(zone.known) or "none"
    unknown = counted(zone.unknown, "card")
    return CardFault(
        "no-unknown-card",
        f"{source.name} holds {unknown} that the record does not know, and else {known}.",
    )
