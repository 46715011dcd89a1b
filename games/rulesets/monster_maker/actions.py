"""What may come next: who draws, takes, trades; the cards that chance may turn; and a dealer's draw."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import product
from typing import Any, Final

from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, Choice, OneOf, Pending, Random, SomeOf
from games.kit.cards import EMPTY, CardZone, candidates, draw
from games.kit.seats import MANY
from games.rulesets.monster_maker.events import (
    BonusDealt,
    DrawPileRebuilt,
    Exchange,
    GarbagePicked,
    GarbageTaken,
    GarbageTradePlayed,
    MonsterDrawn,
    PartDrawn,
    PartsDealt,
    PieceDiscarded,
    PieceKept,
    PlayerResigned,
    TradePlayed,
    TradeSaved,
    TurnEnded,
)
from games.rulesets.monster_maker.state import (
    GARBAGE_TRADE,
    PIECES,
    TRADE_1,
    TRADE_2,
    State,
    loose_cards,
    others,
    playing,
    trade_kind,
)
from games.words import counted

_MOST_TRADES: Final = 4
"""A form for bonus cards has room for so many trade cards among them; more are typed in."""


def pending(state: State) -> tuple[Pending, ...]:
    """Say who must and who may act.

    On a turn the player must, and drawing is what chance may do for them; where they can only draw, chance
    must.
    """
    if state.phase == "over":
        return ()
    return (*_PENDING[state.phase](state), *_resigning(state))


def _monsters_due(state: State) -> Iterator[Pending]:
    seat = next_without_monster(state)
    chosen = state.setup.options.monsters == "chosen"
    why = f"{{{seat}}} chooses a monster" if chosen else f"{{{seat}}} draws a monster"
    yield Pending(seat if chosen else CHANCE, (kind_of(MonsterDrawn),), why=why)


def _deal_due(state: State) -> Iterator[Pending]:
    yield Pending(CHANCE, (kind_of(PartsDealt),), why=f"{{{next_to_deal(state)}}} is dealt six cards")


def _bonus_due(state: State) -> Iterator[Pending]:
    seat = next_short(state)
    missing = PIECES - len(state.pieces[seat])
    what = counted(missing, "piece is", "pieces are")
    why = f"{{{seat}}} gets bonus cards: {what} missing"
    yield Pending(CHANCE, (kind_of(BonusDealt),), why=why)


def _turn_due(state: State) -> Iterator[Pending]:
    seat = on_turn(state)
    kinds = tuple(kind_of(kind) for kind in _turn_kinds(state))
    if kinds:
        yield Pending(seat, kinds, why=f"{{{seat}}} {_turn_text(state)}")
    if not state.drew:
        kind = kind_of(PartDrawn if state.draw else DrawPileRebuilt)
        why = f"{{{seat}}} draws" if state.draw else f"{{{seat}}} draws: the Draw Pile has to be made anew"
        yield Pending(CHANCE, (kind,), must=not kinds, why=why)


def _turn_kinds(state: State) -> Iterator[type[Event]]:
    """List what the player on turn can do without chance."""
    kinds = {trade_kind(state, card) for card in state.trades[on_turn(state)]}
    if state.garbage and not state.drew:
        yield GarbageTaken
    if kinds & {TRADE_1, TRADE_2}:
        yield TradePlayed
    if GARBAGE_TRADE in kinds and state.garbage:
        yield GarbageTradePlayed
    if state.acted:
        yield TurnEnded


def _turn_text(state: State) -> str:
    if state.acted:
        return "goes on or ends the turn"
    return "draws, takes the top of the Garbage Pile, or plays a trade card"


def _drawn_due(state: State) -> Iterator[Pending]:
    seat, card = on_turn(state), state.drawn or ""
    kinds: tuple[type[Event], ...]
    match trade_kind(state, card):
        case None:
            kinds = (PieceKept, PieceDiscarded)
        case "garbage-trade":
            kinds = (GarbageTradePlayed, TradeSaved) if state.garbage else (TradeSaved,)
        case _:
            kinds = (TradePlayed, TradeSaved)
    piece = card in state.setup.pieces
    why = (
        f"{{{seat}}} keeps the piece or throws it away" if piece else f"{{{seat}}} plays the card or saves it"
    )
    yield Pending(seat, tuple(kind_of(kind) for kind in kinds), why=why)


def _garbage_due(state: State) -> Iterator[Pending]:
    seat = on_turn(state)
    yield Pending(seat, (kind_of(GarbagePicked),), why=f"{{{seat}}} looks through the Garbage Pile")


_PENDING: Final[Mapping[str, Callable[[State], Iterator[Pending]]]] = {
    "monsters": _monsters_due,
    "deal": _deal_due,
    "bonus": _bonus_due,
    "turn": _turn_due,
    "drawn": _drawn_due,
    "garbage": _garbage_due,
}


def _resigning(state: State) -> Iterator[Pending]:
    return (
        Pending(seat, (kind_of(PlayerResigned),), must=False, why="may resign") for seat in may_resign(state)
    )


def may_resign(state: State) -> tuple[str, ...]:
    """List who may leave now: in a game of three or more, while no card waits."""
    if len(state.setup.seats) < MANY or state.phase != "turn":
        return ()
    return playing(state)


def on_turn(state: State) -> str:
    """Give the seat on turn, where there is one."""
    return state.turn or ""


def next_without_monster(state: State) -> str:
    """Give the first seat that has no monster yet."""
    return next(seat for seat in state.setup.seats if seat not in state.monsters)


def next_to_deal(state: State) -> str:
    """Give the first seat that has no cards yet."""
    return next(seat for seat in state.setup.seats if not state.pieces[seat] and not state.trades[seat])


def next_short(state: State) -> str:
    """Give the first seat that has fewer than six pieces."""
    return next(seat for seat in state.setup.seats if len(state.pieces[seat]) < PIECES)


def free_monsters(state: State) -> tuple[str, ...]:
    """List the monsters that nobody has."""
    return tuple(monster for monster in state.setup.monsters if monster not in state.monsters.values())


def top_layer(state: State) -> CardZone:
    """Give the part of the Draw Pile that the next card comes from."""
    return state.draw[0] if state.draw else EMPTY


# --- what can be listed -----------------------------------------------------------------------------------


def legal_actions(state: State, seat: str) -> Iterator[Event]:
    """Offer what can be listed; of like trade cards the first; two exchanges at once are a form.

    Order: taking, trading, ending; cards in the order in which they lie.
    """
    if seat == CHANCE:
        yield from _by_chance(state)
        return
    if state.phase == "monsters":
        if state.setup.options.monsters == "chosen" and seat == next_without_monster(state):
            yield from (MonsterDrawn(seat, monster) for monster in free_monsters(state))
    elif seat == state.turn:
        yield from _BY_PLAYER.get(state.phase, _nothing)(state, seat)
    if seat in may_resign(state):
        yield PlayerResigned(seat)


def _nothing(_state: State, _seat: str) -> Iterator[Event]:
    return iter(())


def _by_chance(state: State) -> Iterator[Event]:
    if state.phase == "monsters" and state.setup.options.monsters == "drawn":
        seat = next_without_monster(state)
        yield from (MonsterDrawn(seat, monster) for monster in free_monsters(state))
    elif state.phase == "turn" and not state.drew and not state.draw:
        yield DrawPileRebuilt(len(state.garbage) - 1)


def _in_turn(state: State, seat: str) -> Iterator[Event]:
    if state.garbage and not state.drew:
        yield from (GarbageTaken(seat, piece) for piece in state.pieces[seat])
    held = {trade_kind(state, card): card for card in reversed(state.trades[seat])}
    if TRADE_1 in held:
        yield from _single_trades(state, seat, held[TRADE_1])
    if GARBAGE_TRADE in held and state.garbage:
        yield GarbageTradePlayed(seat, held[GARBAGE_TRADE])
    if state.acted:
        yield TurnEnded(seat)


def _with_drawn(state: State, seat: str) -> Iterator[Event]:
    card = state.drawn or ""
    match trade_kind(state, card):
        case None:
            yield from (PieceKept(seat, piece) for piece in state.pieces[seat])
            yield PieceDiscarded(seat)
            return
        case "trade-1":
            yield from _single_trades(state, seat, card)
        case "garbage-trade" if state.garbage:
            yield GarbageTradePlayed(seat, card)
        case _:
            pass
    yield TradeSaved(seat)


def _single_trades(state: State, seat: str, trade: str) -> Iterator[Event]:
    return (TradePlayed(seat, trade, (item,)) for item in exchanges(state, seat))


def exchanges(state: State, seat: str) -> Iterator[Exchange]:
    """Offer every exchange of one piece of somebody else's for one's own."""
    for other in others(state, seat):
        for take, give in product(state.pieces[other], state.pieces[seat]):
            yield Exchange(other, take, give)


def _from_garbage(state: State, seat: str) -> Iterator[Event]:
    for take in state.garbage:
        for discard in (*state.pieces[seat], take):
            yield GarbagePicked(seat, take, discard)


_BY_PLAYER: Final[Mapping[str, Callable[[State, str], Iterator[Event]]]] = {
    "turn": _in_turn,
    "drawn": _with_drawn,
    "garbage": _from_garbage,
}


# --- what cannot be listed --------------------------------------------------------------------------------


def open_choices(state: State, seat: str) -> Iterator[Choice]:
    """Offer the forms: the cards dealt or drawn, and the exchanges of a Trade 2 card."""
    if seat == CHANCE:
        yield from _chance_forms(state)
    elif seat == state.turn:
        trade = double_trade(state, seat)
        if trade is not None:
            one_will_do = state.setup.options.trade2 == "up-to"
            yield Choice(
                kind_of(TradePlayed),
                {"player": seat, "trade": trade},
                (SomeOf("exchanges", tuple(_written(state, seat)), 1 if one_will_do else 2, 2),),
            )


def _written(state: State, seat: str) -> Iterator[dict[str, str]]:
    return ({"with": item.with_, "take": item.take, "give": item.give} for item in exchanges(state, seat))


def double_trade(state: State, seat: str) -> str | None:
    """Give the Trade 2 card that a seat can play now, if there is one."""
    cards: tuple[str, ...] = ()
    if state.phase == "turn":
        cards = state.trades[seat]
    elif state.phase == "drawn":
        cards = (state.drawn or "",)
    return next((card for card in cards if trade_kind(state, card) == TRADE_2), None)


def _chance_forms(state: State) -> Iterator[Choice]:
    match state.phase:
        case "deal":
            fixed: dict[str, Any] = {"player": next_to_deal(state)}
            yield Choice(kind_of(PartsDealt), fixed, (SomeOf("cards", loose_cards(state), PIECES, PIECES),))
        case "bonus":
            seat, cards = next_short(state), loose_cards(state)
            least = PIECES - len(state.pieces[seat])
            most = least + min(_MOST_TRADES, sum(card in state.setup.trades for card in cards))
            yield Choice(kind_of(BonusDealt), {"player": seat}, (SomeOf("cards", cards, least, most),))
        case "turn" if state.draw and not state.drew:
            cards = candidates(top_layer(state), loose_cards(state))
            yield Choice(kind_of(PartDrawn), {"player": on_turn(state)}, (OneOf("card", cards),))
        case _:
            pass


# --- chance -----------------------------------------------------------------------------------------------


def deal(state: State, rng: Random) -> Event:
    """Draw what chance does next, from the cards that may lie on top of the Draw Pile."""
    match state.phase:
        case "monsters":
            return MonsterDrawn(next_without_monster(state), rng.choice(free_monsters(state)))
        case "deal":
            cards = draw(top_layer(state), loose_cards(state), rng, PIECES)
            return PartsDealt(next_to_deal(state), tuple(cards))
        case "bonus":
            return BonusDealt(next_short(state), _bonus(state, rng))
        case _ if state.draw:
            (card,) = draw(top_layer(state), loose_cards(state), rng, 1)
            return PartDrawn(on_turn(state), card)
        case _:
            return DrawPileRebuilt(len(state.garbage) - 1)


def _bonus(state: State, rng: Random) -> tuple[str, ...]:
    """Deal on until the sixth piece has come."""
    missing = PIECES - len(state.pieces[next_short(state)])
    pile = draw(top_layer(state), loose_cards(state), rng, top_layer(state).size)
    pieces = [place for place, card in enumerate(pile) if card in state.setup.pieces]
    return tuple(pile[: pieces[missing - 1] + 1])
