"""What may come next: nearly all of it is chance, and the rules say who turns, lays, draws or shuffles."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import combinations, islice
from math import prod
from typing import Any, Final

from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, TABLE, Amount, Ask, Choice, OneOf, Pending, Random, SomeOf
from games.kit.cards import CardZone, candidates, draw, unplaced
from games.kit.seats import MANY
from games.rulesets.monsters_of_war.events import (
    AttackFlipped,
    AttackModified,
    BattleDeckShuffled,
    BattleFlipped,
    CardsLaid,
    DecksDealt,
    DecksRebuilt,
    GambitDeckRebuilt,
    GambitsDrawn,
    PlayerResigned,
)
from games.rulesets.monsters_of_war.state import Phase, State, playing, total
from games.rulesets.monsters_of_war.war import drawers, lay_counts, rebuilders, rulings_owed, turners
from games.rulesets.monsters_of_war.zones import battle_cards, gambit_cards

ASKED: Final = 99
"""A manual gambit changes an attack by no more than this where it is asked for in a form."""
_APART: Final = 0.1
"""A form is offered where at least this share of its answers names no card twice."""
_LISTABLE: Final = 300_000
"""So many ways, cards named twice among them, are looked through at most."""
_DUE: Final[Mapping[Phase, tuple[type[Event], str]]] = {
    "dealing": (DecksDealt, "the decks are dealt"),
    "battle.flip": (BattleFlipped, "everybody turns a card"),
    "war.lay": (CardsLaid, "War: cards are laid face down"),
    "war.rebuild": (GambitDeckRebuilt, "an empty Gambit Deck is made anew"),
    "war.gambit": (GambitsDrawn, "War: gambits are turned"),
    "war.shuffle": (BattleDeckShuffled, "a gambit has a Battle Deck shuffled"),
    "war.attack": (AttackFlipped, "War: the attack cards are turned"),
    "war.ruling": (AttackModified, "the table says what a gambit did"),
    "day.shuffle": (DecksRebuilt, "a new Day: Spoils and Battle Decks are shuffled"),
}


def pending(state: State) -> tuple[Pending, ...]:
    """Say what comes next, and who of three or more may resign between battles."""
    if state.phase == "over":
        return ()
    event, why = _DUE[state.phase]
    seat = TABLE if state.phase == "war.ruling" else CHANCE
    must = Pending(seat, (kind_of(event),), why=why)
    return (
        must,
        *(
            Pending(seat, (kind_of(PlayerResigned),), must=False, why="may resign")
            for seat in may_resign(state)
        ),
    )


def may_resign(state: State) -> tuple[str, ...]:
    """List who may leave now: in a game of three or more, between battles."""
    if len(state.setup.seats) < MANY or state.phase not in {"battle.flip", "day.shuffle"}:
        return ()
    return playing(state)


# --- what can be listed --------------------------------------------------------------------------------


def legal_actions(state: State, seat: str) -> Iterator[Event]:
    """Offer the events that can be listed; which cards are turned is a form unless few are left to turn.

    Order: as many gambits dealt to earlier seats as can be first; cards laid unseen; seats in order.
    """
    if seat == CHANCE and state.phase in _LISTED:
        yield from _LISTED[state.phase](state)
    elif seat == CHANCE and flippers(state) and _short_of_cards(state):
        yield from _flips(state)
    elif seat == TABLE and state.phase == "war.ruling":
        for owner in rulings_owed(state):
            yield nothing_done(owner)
    elif seat in may_resign(state):
        yield PlayerResigned(seat)


def nothing_done(owner: str) -> AttackModified:
    """Say that a manual gambit did nothing."""
    return AttackModified(player=owner, changes={}, cancels=(), shuffles=(), moves=(), reason="")


def deals(state: State) -> Iterator[DecksDealt]:
    """Offer every fair deal: hands differ by one card at most, whoever has the odd ones."""
    seats = state.setup.seats
    for battle in _fair(seats, len(state.setup.battle)):
        for gambits in _fair(seats, len(state.setup.gambits)):
            yield DecksDealt(battle, gambits)


def _fair(seats: tuple[str, ...], cards: int) -> Iterator[dict[str, int]]:
    each, odd = divmod(cards, len(seats))
    for lucky in combinations(seats, odd):
        yield {seat: each + (seat in lucky) for seat in seats}


def _lays(state: State) -> Iterator[CardsLaid]:
    yield CardsLaid(lay_counts(state))


def _rebuilds(state: State) -> Iterator[GambitDeckRebuilt]:
    seat = rebuilders(state)[0]
    yield GambitDeckRebuilt(seat, len(state.gambit_discards[seat]))


def _shuffles(state: State) -> Iterator[BattleDeckShuffled]:
    yield BattleDeckShuffled(state.shuffles[0])


def _new_days(state: State) -> Iterator[DecksRebuilt]:
    yield DecksRebuilt(state.day + 1, {seat: total(state, seat) for seat in playing(state)})


_LISTED: Final[Mapping[Phase, Callable[[State], Iterator[Event]]]] = {
    "dealing": deals,
    "war.lay": _lays,
    "war.rebuild": _rebuilds,
    "war.shuffle": _shuffles,
    "day.shuffle": _new_days,
}


# --- what cannot be listed: which cards ----------------------------------------------------------------


def flippers(state: State) -> tuple[str, ...]:
    """List the seats that turn a card now: in a battle all, in a War who still has one, or has a gambit."""
    match state.phase:
        case "battle.flip":
            return playing(state)
        case "war.attack":
            return turners(state)
        case "war.gambit":
            return drawers(state)
        case _:
            return ()


def possible(state: State) -> dict[str, tuple[str, ...]]:
    """Say for each seat that turns or lays cards now which ones it may be, lowest first."""
    deck = gambit_cards(state) if state.phase == "war.gambit" else battle_cards(state)
    order = state.setup.gambits if state.phase == "war.gambit" else state.setup.battle
    loose = unplaced(order, deck.where)
    place = {card: number for number, card in enumerate(order)}
    seats = state.fighting if state.phase == "war.lay" else flippers(state)
    return {
        seat: tuple(sorted(candidates(source(state, seat), loose), key=place.__getitem__)) for seat in seats
    }


def source(state: State, seat: str) -> CardZone:
    """Give the deck from which a seat takes a card now."""
    return state.gambit_decks[seat] if state.phase == "war.gambit" else state.decks[seat]


def open_choices(state: State, seat: str) -> Iterator[Choice]:
    """Offer the forms: a card for each seat that turns one, and what a manual gambit did."""
    if seat == CHANCE and flippers(state) and not _short_of_cards(state):
        kind = kind_of(_DUE[state.phase][0])
        asks = tuple(OneOf(f"cards.{who}", cards) for who, cards in possible(state).items())
        yield Choice(kind, {}, asks)
    elif seat == TABLE and state.phase == "war.ruling":
        for owner in rulings_owed(state):
            yield _what_it_did(state, owner)


def _what_it_did(state: State, owner: str) -> Choice:
    fixed: dict[str, Any] = {"player": owner, "moves": [], "reason": ""}
    others = tuple(seat for seat in state.gambits if seat != owner)
    asks: tuple[Ask, ...] = (
        *(Amount(f"changes.{seat}", -ASKED, ASKED) for seat in state.fighting),
        OneOf("wins", (None, *state.fighting)),
        SomeOf("cancels", others, 0, len(others)),
        SomeOf("shuffles", playing(state), 0, len(playing(state))),
    )
    return Choice(kind_of(AttackModified), fixed, asks)


def alternatives(state: State) -> Iterator[Event]:
    """Offer what might be recorded in place of a refused event: the first few where there are many."""
    for item in pending(state):
        yield from legal_actions(state, item.seat)
    if flippers(state):
        yield from islice(_flips(state), 20)


def _flips(state: State) -> Iterator[Event]:
    """Offer every way in which the cards due can be turned, each card once."""
    event: Any = _DUE[state.phase][0]
    choices = possible(state)
    for cards in _distinct(tuple(choices.values())):
        yield event(dict(zip(choices, cards, strict=True)))


def _distinct(choices: tuple[tuple[str, ...], ...]) -> Iterator[tuple[str, ...]]:
    if not choices:
        yield ()
        return
    *before, last = choices
    for cards in _distinct(tuple(before)):
        for card in last:
            if card not in cards:
                yield (*cards, card)


def _short_of_cards(state: State) -> bool:
    """Tell whether so few cards are unplaced that a form would mostly be filled in with one card twice."""
    cards = possible(state)
    sharing = sorted(len(cards[seat]) for seat in cards if source(state, seat).unknown)
    apart = prod(1 - taken / size for taken, size in enumerate(sharing))
    return apart < _APART and prod(len(named) for named in cards.values()) <= _LISTABLE


# --- chance ---------------------------------------------------------------------------------------------


def deal(state: State, rng: Random) -> Event:
    """Draw what chance does next, from the cards that may lie there; laid cards are drawn and named too."""
    if state.phase == "war.lay":
        counts = lay_counts(state)
        drawn = _drawn(state, counts, rng)
        return CardsLaid(counts, {seat: tuple(cards) for seat, cards in drawn.items()})
    if flippers(state):
        drawn = _drawn(state, dict.fromkeys(flippers(state), 1), rng)
        event: Any = _DUE[state.phase][0]
        flipped: Event = event({seat: cards[0] for seat, cards in drawn.items()})
        return flipped
    return rng.choice(tuple(_LISTED[state.phase](state)))


def _drawn(state: State, counts: Mapping[str, int], rng: Random) -> dict[str, list[str]]:
    gambits = state.phase == "war.gambit"
    deck = gambit_cards(state) if gambits else battle_cards(state)
    loose = unplaced(state.setup.gambits if gambits else state.setup.battle, deck.where)
    drawn: dict[str, list[str]] = {}
    for seat, count in counts.items():
        drawn[seat] = draw(source(state, seat), loose, rng, count)
        loose = tuple(card for card in loose if card not in drawn[seat])
    return drawn
