"""Judging an event before it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from itertools import islice
from typing import Any, Final, NoReturn

from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, IllegalAction
from games.kit.cards import Source, fault_in
from games.kit.offers import spoken
from games.kit.seats import why_stays
from games.rulesets.monster_maker.actions import (
    free_monsters,
    legal_actions,
    may_resign,
    next_short,
    next_to_deal,
    next_without_monster,
    on_turn,
    pending,
    top_layer,
)
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
    PieceKept,
    PlayerResigned,
    TradePlayed,
    TurnEnded,
)
from games.rulesets.monster_maker.scoring import lies_at
from games.rulesets.monster_maker.state import (
    GARBAGE_TRADE,
    PIECES,
    TITLES,
    TRADE_1,
    TRADE_2,
    State,
    loose_cards,
    others,
    parts_cards,
    piece_name,
    playing,
    trade_kind,
)
from games.words import joined

_SETUP: Final = "rulebook, Setup"
_PLAY: Final = "rulebook, Game Play"


def check(state: State, event: Event) -> None:
    """Refuse what cannot happen now.

    Errors: `IllegalAction` `game-over`, `not-due`, `not-your-turn`, `wrong-seat`, `monster-taken`,
            `wrong-count`, `not-held`, `same-piece`, `wrong-card`, `wrong-exchanges`, `not-his`,
            `named-twice`, `garbage-empty`, `not-in-garbage`, `cannot-resign`, and for cards that chance
            turns `unknown-card`, `card-elsewhere`, `no-unknown-card`, `too-few-cards`.
    """
    due = pending(state)
    if not due:
        raise IllegalAction("game-over", "The game is over; nothing more can be recorded but a correction.")
    if isinstance(event, PlayerResigned):
        _check_resigned(state, event)
        return
    kind = kind_of(event)
    if not any(kind in item.kinds for item in due):
        _refuse_kind(state, event)
    _check_seat(state, event)
    judge = _CHECKS.get(type(event))
    if judge is not None:
        judge(state, event)


def alternatives(state: State) -> Iterator[Event]:
    """Offer what might be recorded in place of a refused event: the first few where there are many."""
    for item in pending(state):
        if item.seat == CHANCE and state.phase == "turn" and state.draw:
            cards = (*top_layer(state).known, *loose_cards(state)) if top_layer(state).unknown else ()
            yield from (
                PartDrawn(on_turn(state), card) for card in islice(cards or top_layer(state).known, 10)
            )
        else:
            yield from islice((e for e in legal_actions(state, item.seat) if kind_of(e) in item.kinds), 40)


def _refuse(state: State, code: str, sentence: str, rule: str) -> NoReturn:
    raise IllegalAction(code, sentence, rule, alternatives(state))


def _refuse_kind(state: State, event: Event) -> NoReturn:
    """Say why nothing of this kind is possible now."""
    kind = kind_of(event)
    if state.phase in {"turn", "drawn"} and isinstance(event, TradePlayed | GarbageTradePlayed):
        _refuse_card(state, event)
    if state.phase == "turn":
        _refuse_in_turn(state, event)
    why = next((item.why for item in pending(state) if item.must), "")
    _refuse(state, "not-due", f"{spoken(kind)} is not due now: {why}.", _rule_of(state))


def _refuse_in_turn(state: State, event: Event) -> None:
    if state.drew and isinstance(event, PartDrawn | GarbageTaken | DrawPileRebuilt):
        _refuse(state, "not-due", f"{{{state.turn}}} has drawn or taken from the garbage this turn.", "R4")
    if isinstance(event, GarbageTaken):
        _refuse(state, "garbage-empty", "The Garbage Pile is empty: there is no top card to take.", "R12")
    if isinstance(event, PartDrawn):
        _refuse(state, "not-due", "The Draw Pile is empty: it is made anew before a card is drawn.", "R13")
    if isinstance(event, DrawPileRebuilt):
        _refuse(state, "not-due", "The Draw Pile is made anew when it is empty, not before.", "R13")
    if isinstance(event, TurnEnded):
        _refuse(state, "not-due", f"{{{state.turn}}} has done nothing yet; a turn is not passed.", "R14")


def _refuse_card(state: State, event: TradePlayed | GarbageTradePlayed) -> None:
    """Say what is wrong with the trade card, if it is the card."""
    kinds = (TRADE_1, TRADE_2) if isinstance(event, TradePlayed) else (GARBAGE_TRADE,)
    _check_seat(state, event)
    if state.phase == "turn" or trade_kind(state, state.drawn or "") is not None:
        _check_trade_card(state, event.player, event.trade, *kinds)
        if isinstance(event, GarbageTradePlayed):
            _refuse(state, "garbage-empty", "The Garbage Pile is empty: a Garbage Trade finds nothing.", "R9")


def _rule_of(state: State) -> str:
    return _SETUP if state.turn is None else _PLAY


def _check_seat(state: State, event: Event) -> None:
    seat = getattr(event, "player", None)
    if state.turn is None or seat is None or seat == state.turn:
        return
    _refuse(state, "not-your-turn", f"It is {{{state.turn}}}'s turn, not {_seat(state, seat)}'s.", _PLAY)


def _seat(state: State, seat: str) -> str:
    return f"{{{seat}}}" if seat in state.setup.seats else repr(seat)


# --- before the first turn --------------------------------------------------------------------------------


def _in_order(state: State, seat: str, due: str) -> None:
    if seat != due:
        _refuse(
            state, "wrong-seat", f"Next is {{{due}}}, not {_seat(state, seat)}: in order of the seats.", "R20"
        )


def _check_monster(state: State, event: MonsterDrawn) -> None:
    _in_order(state, event.player, next_without_monster(state))
    if event.monster not in free_monsters(state):
        free = ", ".join(free_monsters(state))
        _refuse(state, "monster-taken", f"{event.monster!r} is none of the free monsters {free}.", _SETUP)


def _check_dealt(state: State, event: PartsDealt) -> None:
    _in_order(state, event.player, next_to_deal(state))
    if len(event.cards) != PIECES:
        _refuse(state, "wrong-count", f"Each is dealt {PIECES} cards, not {len(event.cards)}.", _SETUP)
    _check_from_pile(state, event.cards)


def _check_bonus(state: State, event: BonusDealt) -> None:
    seat = next_short(state)
    _in_order(state, event.player, seat)
    _check_from_pile(state, event.cards)
    missing = PIECES - len(state.pieces[seat])
    pieces = [card for card in event.cards if card in state.setup.pieces]
    if len(pieces) != missing or event.cards[-1] not in state.setup.pieces:
        _refuse(
            state,
            "wrong-count",
            f"{{{seat}}} is dealt bonus cards until the sixth piece has come, which is the last card:"
            f" {missing} pieces in all, not {len(pieces)}, and any trade cards before the last piece.",
            _SETUP,
        )


def _check_drawn(state: State, event: PartDrawn) -> None:
    _check_from_pile(state, (event.card,))


def _check_from_pile(state: State, cards: tuple[str, ...]) -> None:
    source = Source("draw", "the Draw Pile", top_layer(state))
    fault = fault_in(parts_cards(state), [(source, cards)])
    if fault is not None:
        _refuse(state, fault.code, fault.sentence, "R22")


def _check_rebuilt(state: State, event: DrawPileRebuilt) -> None:
    have = len(state.garbage) - 1
    if event.count != have:
        _refuse(
            state,
            "wrong-count",
            f"All of the Garbage Pile but its top makes the new Draw Pile: {have} pieces, not {event.count}.",
            "R13",
        )


# --- a turn -----------------------------------------------------------------------------------------------


def _check_kept(state: State, event: PieceKept) -> None:
    if event.discard == state.drawn:
        _refuse(state, "same-piece", "Who keeps the drawn piece throws another one away.", _PLAY)
    _check_held(state, event.player, event.discard)


def _check_taken(state: State, event: GarbageTaken) -> None:
    if event.discard == state.garbage[0]:
        _refuse(state, "same-piece", "Who takes the top of the garbage throws another piece there.", "R11")
    _check_held(state, event.player, event.discard)


def _check_held(state: State, seat: str, card: str) -> None:
    if card in state.pieces[seat]:
        return
    held = ", ".join(state.pieces[seat])
    _refuse(state, "not-held", f"{_where(state, card)} {{{seat}}} holds the pieces {held}.", _PLAY)


def _where(state: State, card: str) -> str:
    place = lies_at(state, card)
    if place is not None:
        return f"{card} lies in {place};"
    if card in state.setup.pieces or card in state.setup.trades:
        return f"{card} lies in the Draw Pile;"
    return f"{card!r} is no card of this game;"


def _check_trade_card(state: State, seat: str, trade: str, *kinds: str) -> None:
    kind = trade_kind(state, trade)
    if kind not in kinds:
        names = joined((TITLES[name] for name in kinds), "or")
        _refuse(state, "wrong-card", f"{trade!r} is no {names} card.", _PLAY)
    if state.phase == "drawn" and trade != state.drawn:
        name = piece_name(state, state.drawn or "")
        _refuse(
            state,
            "wrong-card",
            f"The card just drawn, {name} ({state.drawn}), is played or saved first.",
            _PLAY,
        )
    if state.phase == "turn" and trade not in state.trades[seat]:
        held = ", ".join(state.trades[seat]) or "none"
        _refuse(state, "not-held", f"{_where(state, trade)} {{{seat}}} holds the trade cards {held}.", _PLAY)


def _check_trade(state: State, event: TradePlayed) -> None:
    _check_trade_card(state, event.player, event.trade, TRADE_1, TRADE_2)
    counts = _how_many(state, event.trade)
    if len(event.exchanges) not in counts:
        said = "1 exchange" if counts == (1,) else f"{joined(map(str, counts), 'or')} exchanges"
        name = piece_name(state, event.trade)
        _refuse(
            state,
            "wrong-exchanges",
            f"{name} makes {said}, not {len(event.exchanges)}.",
            "R7",
        )
    for item in event.exchanges:
        _check_exchange(state, event.player, item)
    for cards in ([item.take for item in event.exchanges], [item.give for item in event.exchanges]):
        if len(set(cards)) != len(cards):
            _refuse(state, "named-twice", f"{cards[0]} is named twice; each piece changes hands once.", "R6")


def _how_many(state: State, trade: str) -> tuple[int, ...]:
    if trade_kind(state, trade) == TRADE_1:
        return (1,)
    return (2,) if state.setup.options.trade2 == "two" else (1, 2)


def _check_exchange(state: State, seat: str, item: Exchange) -> None:
    partners = tuple(others(state, seat))
    if item.with_ not in partners:
        names = ", ".join(f"{{{other}}}" for other in partners)
        _refuse(
            state, "not-his", f"{{{seat}}} trades with {names}, not with {_seat(state, item.with_)}.", _PLAY
        )
    for owner, card, rule in ((item.with_, item.take, _PLAY), (seat, item.give, "R6")):
        if card in state.setup.trades:
            _refuse(state, "not-his", f"{card} is a trade card; only pieces are traded.", "R19")
        if card not in state.pieces[owner]:
            held = ", ".join(state.pieces[owner])
            _refuse(state, "not-his", f"{_where(state, card)} {{{owner}}} holds the pieces {held}.", rule)


def _check_garbage_trade(state: State, event: GarbageTradePlayed) -> None:
    _check_trade_card(state, event.player, event.trade, GARBAGE_TRADE)


def _check_picked(state: State, event: GarbagePicked) -> None:
    if event.take not in state.garbage:
        _refuse(
            state,
            "not-in-garbage",
            f"{_where(state, event.take)} the Garbage Pile holds {_some(state.garbage)}.",
            _PLAY,
        )
    if event.discard != event.take:
        _check_held(state, event.player, event.discard)


def _some(cards: Iterable[str]) -> str:
    first = list(islice(cards, 13))
    return ", ".join(first[:12]) + (" …" if len(first) > 12 else "")  # noqa: PLR2004 - a sentence must end


def _check_resigned(state: State, event: PlayerResigned) -> None:
    if event.player not in may_resign(state):
        now = next(item.why for item in pending(state) if item.must)
        why = why_stays(event.player, state.setup.seats, playing(state), "while no card waits", now)
        _refuse(state, "cannot-resign", why, "R21")


_CHECKS: Final[Mapping[type[Event], Callable[[State, Any], None]]] = {
    MonsterDrawn: _check_monster,
    PartsDealt: _check_dealt,
    BonusDealt: _check_bonus,
    PartDrawn: _check_drawn,
    PieceKept: _check_kept,
    GarbageTaken: _check_taken,
    TradePlayed: _check_trade,
    GarbageTradePlayed: _check_garbage_trade,
    GarbagePicked: _check_picked,
    DrawPileRebuilt: _check_rebuilt,
}
