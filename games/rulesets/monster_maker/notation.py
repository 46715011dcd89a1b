"""The short forms: `draw petey-head`, `keep x slurp-body`, `trade-1 p2 petey-body<slurp-head`, and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any, Final

from games.core.events import Event
from games.core.ruleset import SEAT
from games.kit.cards import candidates
from games.kit.notation import Unclear, not_understood, shortest
from games.rulesets.monster_maker.actions import (
    free_monsters,
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
    PieceDiscarded,
    PieceKept,
    PlayerResigned,
    TradePlayed,
    TradeSaved,
    TurnEnded,
)
from games.rulesets.monster_maker.state import (
    GARBAGE_TRADE,
    TRADE_1,
    TRADE_2,
    State,
    all_cards,
    loose_cards,
    piece_name,
    trade_kind,
)
from games.text.typed import split_seat

_TO_SEAT: Final = re.compile(rf"(?:({SEAT})\s+)?(.*)", re.IGNORECASE | re.DOTALL)
_SWAP: Final = re.compile(rf"({SEAT})\s+([^<]+)<([^<]+)", re.IGNORECASE)
_PICK: Final = re.compile(r"(.+?)\s+x\s+(.+)", re.IGNORECASE | re.DOTALL)
FORMS: Final[Mapping[str, str]] = {
    "monster_drawn": "monster p1 petey",
    "parts_dealt": "deal p1 a,b,c,d,e,f",
    "bonus_dealt": "bonus p1 a,b",
    "part_drawn": "draw petey-head",
    "piece_kept": "keep x slurp-body (keep it, discard that)",
    "piece_discarded": "x (discard it)",
    "trade_saved": "save",
    "garbage_taken": "garbage x bogart-head",
    "trade_played": "trade-1 p2 petey-body<slurp-head",
    "garbage_trade_played": "garbage-trade",
    "garbage_picked": "pick petey-head x bogart-head",
    "draw_pile_rebuilt": "rebuild",
    "turn_ended": ". (end of the turn)",
    "player_resigned": "p2: resign",
}
"""How each kind is typed, by an example."""

# --- writing ----------------------------------------------------------------------------------------------


def write(state: State, event: Event) -> str:
    """Give the shortest text that reads back as this event in this state, else its JSON."""
    return shortest(state, event, _texts(state, event), read)


def _texts(state: State, event: Event) -> Iterator[str]:
    for name in (partial(_short_name, state), _full_name):
        text = _text(event, name)
        yield text
        yield f"{getattr(event, 'player', '')}: {text}"


def _full_name(card: str) -> str:
    return card


def _short_name(state: State, card: str) -> str:
    """Give what a card shares with those like it: monster and part, or the kind of trade card."""
    piece = state.setup.pieces.get(card)
    if piece is not None:
        return f"{piece.monster}-{piece.part}"
    return trade_kind(state, card) or card


def _text(event: Event, name: Callable[[str], str]) -> str:
    form = _FORMS.get(type(event))
    return _PLAIN.get(type(event), "") if form is None else form(event, name)


def _swaps_text(event: TradePlayed, name: Callable[[str], str]) -> str:
    swaps = (f"{item.with_} {name(item.take)}<{name(item.give)}" for item in event.exchanges)
    return f"{name(event.trade)} {', '.join(swaps)}"


_FORMS: Final[Mapping[type[Event], Callable[[Any, Callable[[str], str]], str]]] = {
    MonsterDrawn: lambda event, _name: f"monster {event.player} {event.monster}",
    PartsDealt: lambda event, name: f"deal {event.player} {','.join(map(name, event.cards))}",
    BonusDealt: lambda event, name: f"bonus {event.player} {','.join(map(name, event.cards))}",
    PartDrawn: lambda event, name: f"draw {name(event.card)}",
    PieceKept: lambda event, name: f"keep x {name(event.discard)}",
    GarbageTaken: lambda event, name: f"garbage x {name(event.discard)}",
    TradePlayed: _swaps_text,
    GarbageTradePlayed: lambda event, name: name(event.trade),
    GarbagePicked: lambda event, name: f"pick {name(event.take)} x {name(event.discard)}",
    PlayerResigned: lambda event, _name: f"{event.player}: resign",
}
_PLAIN: Final[Mapping[type[Event], str]] = {
    PieceDiscarded: "x",
    TradeSaved: "save",
    DrawPileRebuilt: "rebuild",
    TurnEnded: ".",
}

# --- reading ----------------------------------------------------------------------------------------------


def read(state: State, text: str) -> tuple[Event, ...]:
    """Read one move; whether it is possible is left to `check`.

    Errors: `IllegalAction` `not-understood`, with what may be typed.
    """
    try:
        return _read(state, text)
    except Unclear as fault:
        raise not_understood(fault, pending(state), FORMS) from None


def _read(state: State, text: str) -> tuple[Event, ...]:
    seat, rest = split_seat(text)
    word, _, more = rest.partition(" ")
    word, more = word.casefold(), more.strip()
    if word == "resign" and not more:
        return (PlayerResigned(seat or _resigning(state, text)),)
    reader = _READERS.get(word)
    if reader is None:
        return (_trade(state, text, seat or on_turn(state), word, more),)
    return (reader(state, text, seat, more),)


def _resigning(state: State, text: str) -> str:
    if state.turn in may_resign(state):
        return on_turn(state)
    raise Unclear(text, ": say who resigns, as p2: resign")


def _monster(state: State, text: str, seat: str | None, more: str) -> Event:
    who, name = _addressed(text, seat, more)
    free = free_monsters(state)
    names = {monster: (state.setup.monsters[monster].casefold(), monster) for monster in state.setup.monsters}
    found = _fitting(names, name.casefold(), free) or _fitting(names, name.casefold(), tuple(names))
    if len(found) != 1:
        raise Unclear(
            text, f": {name!r} is no monster" if not found else f": {name!r} may be several monsters"
        )
    return MonsterDrawn(who or next_without(state), found[0])


def next_without(state: State) -> str:
    """Give the seat that gets a monster now; the first one when all have theirs."""
    return next_without_monster(state) if state.phase == "monsters" else state.setup.seats[0]


def _addressed(text: str, seat: str | None, more: str) -> tuple[str | None, str]:
    """Split off the seat that a deal is for; it may stand before the word instead."""
    found = _TO_SEAT.fullmatch(more)
    if found is None or not found[2].strip():
        raise Unclear(text)
    return (found[1].lower() if found[1] else seat), found[2].strip()


def _deal(state: State, text: str, seat: str | None, more: str) -> Event:
    who, listed = _addressed(text, seat, more)
    due = next_to_deal(state) if state.phase == "deal" else state.setup.seats[0]
    return PartsDealt(who or due, _from_pile(state, text, listed.split(",")))


def _bonus(state: State, text: str, seat: str | None, more: str) -> Event:
    who, listed = _addressed(text, seat, more)
    due = next_short(state) if state.phase == "bonus" else state.setup.seats[0]
    return BonusDealt(who or due, _from_pile(state, text, listed.split(",")))


def _draw(state: State, text: str, seat: str | None, more: str) -> Event:
    (card,) = _from_pile(state, text, [more])
    return PartDrawn(seat or on_turn(state), card)


def _from_pile(state: State, text: str, tokens: Sequence[str]) -> tuple[str, ...]:
    may = candidates(top_layer(state), loose_cards(state))
    return tuple(_cards(state, text, [(token, may) for token in tokens]))


def _keep(state: State, text: str, seat: str | None, more: str) -> Event:
    who = seat or on_turn(state)
    (card,) = _cards(state, text, [(_thrown(text, more), state.pieces.get(who, ()))])
    return PieceKept(who, card)


def _garbage(state: State, text: str, seat: str | None, more: str) -> Event:
    who = seat or on_turn(state)
    (card,) = _cards(state, text, [(_thrown(text, more), state.pieces.get(who, ()))])
    return GarbageTaken(who, card)


def _thrown(text: str, more: str) -> str:
    word, _, card = more.partition(" ")
    if word.casefold() != "x" or not card.strip():
        raise Unclear(text, ": behind an x stands the piece that is thrown away")
    return card


def _discard(state: State, text: str, seat: str | None, more: str) -> Event:
    if more:
        raise Unclear(text)
    return PieceDiscarded(seat or on_turn(state))


def _save(state: State, text: str, seat: str | None, more: str) -> Event:
    if more:
        raise Unclear(text)
    return TradeSaved(seat or on_turn(state))


def _end(state: State, text: str, seat: str | None, more: str) -> Event:
    if more:
        raise Unclear(text)
    return TurnEnded(seat or on_turn(state))


def _rebuild(state: State, text: str, seat: str | None, more: str) -> Event:
    if more or seat:
        raise Unclear(text)
    return DrawPileRebuilt(max(len(state.garbage) - 1, 0))


def _pick(state: State, text: str, seat: str | None, more: str) -> Event:
    found = _PICK.fullmatch(more)
    if found is None:
        raise Unclear(text, ": it says what is taken, and behind an x what is thrown away")
    who = seat or on_turn(state)
    (take,) = _cards(state, text, [(found[1], state.garbage)])
    (discard,) = _cards(state, text, [(found[2], (*state.pieces.get(who, ()), take))])
    return GarbagePicked(who, take, discard)


_READERS: Final[Mapping[str, Callable[[State, str, str | None, str], Event]]] = {
    "monster": _monster,
    "deal": _deal,
    "bonus": _bonus,
    "draw": _draw,
    "keep": _keep,
    "x": _discard,
    "save": _save,
    "garbage": _garbage,
    "pick": _pick,
    "rebuild": _rebuild,
    ".": _end,
}


def _trade(state: State, text: str, seat: str, word: str, more: str) -> Event:
    """Read a trade card that is played; without exchanges it is a Garbage Trade."""
    if not more:
        return GarbageTradePlayed(seat, _trade_card(state, text, seat, word, (GARBAGE_TRADE,)))
    trade = _trade_card(state, text, seat, word, (TRADE_1, TRADE_2))
    swaps = [_SWAP.fullmatch(part.strip()) for part in more.split(",")]
    parts = [swap for swap in swaps if swap is not None]
    if len(parts) != len(swaps):
        raise Unclear(text, ": an exchange is written p2 petey-body<slurp-head")
    takes = _cards(state, text, [(part[2], state.pieces.get(part[1].lower(), ())) for part in parts])
    gives = _cards(state, text, [(part[3], state.pieces.get(seat, ())) for part in parts])
    exchanges = (
        Exchange(part[1].lower(), take, give) for part, take, give in zip(parts, takes, gives, strict=True)
    )
    return TradePlayed(seat, trade, tuple(exchanges))


def _trade_card(state: State, text: str, seat: str, word: str, kinds: tuple[str, ...]) -> str:
    fit = [card for card, kind in state.setup.trades.items() if kind in kinds]
    if word in fit:
        return word
    if word not in kinds:
        raise Unclear(text)
    near = state.trades.get(seat, ()) if state.drawn is None else (state.drawn,)
    alike = [card for card in fit if trade_kind(state, card) == word]
    return next((card for card in alike if card in near), alike[0] if alike else word)


# --- names of cards ---------------------------------------------------------------------------------------


def _cards(state: State, text: str, wanted: Iterable[tuple[str, Iterable[str]]]) -> list[str]:
    """Choose a card for each token: the lowest like it that may lie there, no card twice if it can be."""
    found: list[str] = []
    for token, may in wanted:
        alike = _alike(state, text, token.strip(), tuple(may))
        found.append(next((card for card in alike if card not in found), alike[0]))
    return found


def _alike(state: State, text: str, token: str, may: tuple[str, ...]) -> tuple[str, ...]:
    """List the cards that a token may mean, lowest first: where none of them can lie, all of them.

    An id means that card even where it cannot lie, so that the refusal can say where it lies.
    """
    typed = re.sub(r"[\s_]+", "-", token.casefold())
    order = all_cards(state)
    if typed in order:
        return (typed,)
    names = {card: _called(state, card) for card in order}
    fitting = _fitting(names, typed, tuple(card for card in order if card in may)) if typed else ()
    fitting = fitting or (_fitting(names, typed, order) if typed else ())
    kinds = {_short_name(state, card) for card in fitting}
    if len(kinds) == 1:
        return fitting
    raise Unclear(
        text, f": {token!r} may be {', '.join(sorted(kinds)[:4])}" if kinds else f": {token!r} is no card"
    )


def _called(state: State, card: str) -> tuple[str, ...]:
    printed = re.sub(r"[\s_]+", "-", piece_name(state, card).casefold())
    return (_short_name(state, card), printed, card)


def _fitting(names: Mapping[str, tuple[str, ...]], typed: str, among: Iterable[str]) -> tuple[str, ...]:
    """Find what is called so exactly, else what is called so in the beginning."""
    among = tuple(among)
    exact = tuple(item for item in among if typed in names[item])
    return exact or tuple(item for item in among if any(name.startswith(typed) for name in names[item]))
