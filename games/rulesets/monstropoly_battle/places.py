"""Where the record knows each card to lie, and which cards may lie somewhere."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Final, NamedTuple

from games.kit.cards import CardZone, Deck, Unseen, candidates, join, leave, places, unplaced
from games.rulesets.monstropoly_battle.state import Deck as Pile
from games.rulesets.monstropoly_battle.state import (
    Hand,
    State,
    Team,
    live,
    other,
    remaining,
    shuffled,
    unseen_in_teams,
)
from games.rulesets.monstropoly_battle.teams import possible_kinds


def known_at(state: State) -> dict[str, tuple[str, ...]]:
    """Give the known cards of each place, by its key."""
    found = {f"hand.{seat}": hand.known for seat, hand in state.hands.items()}
    found |= {f"played.{seat}": (card,) for seat, card in state.played.items()}
    found |= {f"team.{seat}.{number}": cards for seat, number, cards in _teams(state)}
    found |= _in_battle(state)
    found["tie"] = state.tie_cards
    found["drawn"] = () if state.drawn is None else (state.drawn,)
    found["deck"] = state.deck.known
    found["under"] = state.deck.under
    found["spent"] = state.spent
    return found


def _known_or_mixed(state: State) -> dict[str, tuple[str, ...]]:
    mixed = {f"mixed.{seat}": hand.mixed for seat, hand in state.hands.items()}
    return mixed | known_at(state)


def _teams(state: State) -> list[tuple[str, int, tuple[str, ...]]]:
    return [
        (seat, number, remaining(state, team)) for seat in state.teams for number, team in live(state, seat)
    ]


def _in_battle(state: State) -> dict[str, tuple[str, ...]]:
    if state.leader is None:
        return {}
    sides = ((state.leader, state.led), (other(state, state.leader), state.answered))
    return {f"battle.{seat}": (card,) for seat, card in sides if card is not None}


def called(state: State, key: str) -> str:
    """Say how people call a place."""
    sort, _, rest = key.partition(".")
    seat, _, number = rest.partition(".")
    match sort:
        case "mixed":
            return f"{{{seat}}}'s teams" if shuffled(state) else f"{{{seat}}}'s hand or teams"
        case "hand":
            return f"{{{seat}}}'s hand"
        case "team":
            return f"{{{seat}}}'s team {number}"
        case "played" | "battle":
            return f"play before {{{seat}}}"
        case "drawn":
            return f"the hand of {{{state.winner}}}, who drew it"
        case _:
            return _CALLED[sort]


_CALLED: Final = {
    "tie": "the cards turned after a tie",
    "deck": "the deck",
    "under": "the deck, underneath",
    "spent": "the cards played in team battles",
}


def deck_of(state: State) -> Deck:
    """Give every identity with its place, for `fault_in`."""
    known = _known_or_mixed(state)
    return Deck(
        "card", frozenset(state.setup.cards), places(known), {key: called(state, key) for key in known}
    )


def unplaced_cards(state: State) -> tuple[str, ...]:
    """List the cards that may be any of the unseen ones."""
    return unplaced(state.setup.cards, places(_known_or_mixed(state)))


def holdable(state: State, seat: str) -> tuple[str, ...]:
    """List the cards that a seat may hold in their hand, before they set out teams."""
    zone = state.hands[seat].zone
    return candidates(zone, unplaced_cards(state) if zone.unknown else ())


def unseen_of_teams(state: State, seat: str) -> CardZone:
    """Give what the unseen cards of a seat's teams may be, with those that may as well be in their hand."""
    hand = state.hands[seat]
    unseen = hand.unknown + unseen_in_teams(state, seat)
    return CardZone(hand.mixed, max(unseen - len(hand.mixed), 0))


def zone_of(cards: Iterable[Unseen]) -> CardZone:
    """Give a zone of these cards; a null is an unknown one.

    >>> zone_of(("a", None))
    CardZone(known=('a',), unknown=1)
    """
    came = tuple(cards)
    known = tuple(card for card in came if card is not None)
    return CardZone(known, len(came) - len(known))


def with_cards(hand: Hand, *cards: Unseen) -> Hand:
    """Add cards to a hand."""
    zone = join(hand.zone, zone_of(cards))
    return Hand(zone.known, zone.unknown, hand.mixed)


def without_cards(hand: Hand, cards: Sequence[str]) -> Hand:
    """Take cards out of a hand."""
    rest = leave(hand.zone, cards).rest
    return Hand(rest.known, rest.unknown, hand.mixed)


# --- the deck -------------------------------------------------------------------------------------------


def top_cards(state: State) -> tuple[str, ...]:
    """List the cards that may be the next of the deck: one if nothing but cards put under it is left."""
    if not state.deck.shuffled.size:
        return state.deck.under[:1]
    return candidates(state.deck.shuffled, unplaced_cards(state) if state.deck.unknown else ())


def public_top(state: State) -> str | None:
    """Name the next card of the deck if it was put there for all to see."""
    return state.deck.under[0] if state.deck.under and not state.deck.shuffled.size else None


class Drawn(NamedTuple):
    """A deck after a draw, and the card, null if nobody knows it."""

    deck: Pile
    card: Unseen


def draw_from(deck: Pile, card: Unseen) -> Drawn:
    """Take the next card of a deck; one that lies there for certain is known even if it was not named."""
    if not deck.shuffled.size:
        return Drawn(Pile((), 0, deck.under[1:]), deck.under[0])
    rest, gone = leave(deck.shuffled, (card,))
    return Drawn(Pile(rest.known, rest.unknown, deck.under), gone.known[0] if gone.known else None)


# --- a team's cards ----------------------------------------------------------------------------------------


def playable(state: State, seat: str, number: int) -> tuple[str, ...]:
    """List the cards that a seat may play from a team: its known ones, and what may be an unseen one."""
    team = state.teams[seat][number]
    known = remaining(state, team)
    return (
        *known,
        *(card for card in unseen_cards(state, seat, team) if fits_team(state, seat, number, (card,))),
    )


def unseen_cards(state: State, seat: str, team: Team) -> tuple[str, ...]:
    """List what an unseen card of a team may be."""
    if not team.unseen:
        return ()
    zone = unseen_of_teams(state, seat)
    return candidates(zone, unplaced_cards(state) if zone.unknown else ())


def fits_team(state: State, seat: str, number: int, cards: tuple[str, ...]) -> bool:
    """Tell whether a team can be one with these cards among its unseen ones."""
    return bool(kinds_with(state, seat, number, cards))


def kinds_with(state: State, seat: str, number: int, cards: tuple[str, ...]) -> tuple[str, ...]:
    """List the kinds that a team may be with these cards: one that no other team is."""
    team = state.teams[seat][number]
    kinds = possible_kinds(state.setup, (*team.cards, *cards))
    if team.kind is not None:
        return (team.kind,) if team.kind in kinds else ()
    taken = {
        item.kind
        for owner, teams in state.teams.items()
        for place, item in enumerate(teams)
        if (owner, place) != (seat, number)
    }
    return tuple(kind for kind in kinds if kind not in taken)
