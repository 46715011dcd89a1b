"""The short forms: `r 3 4`, `buy`, `claim`, `build 6`, `p1: deal p2 40,#6 for add-14`, `.` and so on."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from typing import Any, Final, NoReturn

from games.core.events import Event
from games.core.ruleset import SEAT, is_seat
from games.kit.notation import Unclear, not_understood, shortest
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.actions import as_bids_stand, deck_here, pending
from games.rulesets.legend_of_monopoly.state import State
from games.text.typed import split_seat

_THROW: Final = re.compile(r"r\s*([1-6])[\s,+-]*([1-6])", re.IGNORECASE)
_FOR: Final = re.compile(r"\s+for\s+", re.IGNORECASE)
_ON_LAND: Final[tuple[tuple[str, Any], ...]] = (
    ("sell inn", e.InnSold),
    ("sell brothel", e.BrothelSold),
    ("sell", e.CottageSold),
    ("build", e.CottageBuilt),
    ("inn", e.InnBuilt),
    ("brothel", e.BrothelBuilt),
    ("indebt", e.LandIndebted),
    ("redeem", e.LandRedeemed),
)
"""The command words before a land, longer ones first."""
_ALONE: Final[Mapping[str, Any]] = {
    "water": e.ShadowWaterTaken,
    "drink": e.ShadowWaterUsed,
    "fine": e.FinePaid,
    "settle": e.DebtSettled,
    "lose": e.BattleLost,
    "resign": e.PlayerResigned,
    ".": e.TurnEnded,
}
"""The command words that need a player and nothing else."""
_BAD_THROW: Final = re.compile(r"r\s*\d+[\s,+-]*\d*", re.IGNORECASE)
FORMS: Final[Mapping[str, str]] = {
    "start_rolled": "r 3 4 (a throw)",
    "dice_rolled": "r 3 4 (a throw)",
    "land_bought": "buy",
    "land_declined": "no",
    "auction_opened": "auction",
    "bid_placed": "p2: bid 40",
    "auction_closed": "sold",
    "charge_claimed": "claim",
    "magic_drawn": "draw add-03",
    "magic_declined": "no",
    "card_effect_entered": "what the card did, as the JSON of card_effect_entered",
    "shadow_water_taken": "water",
    "shadow_water_used": "drink",
    "fine_paid": "fine",
    "return_card_used": "return",
    "debt_settled": "settle",
    "battle_lost": "lose",
    "turn_ended": ". (end of the turn)",
    "cottage_built": "build 6",
    "cottage_sold": "sell 6",
    "inn_built": "inn 6",
    "inn_sold": "sell inn 6",
    "brothel_built": "brothel 6",
    "brothel_sold": "sell brothel 6",
    "land_indebted": "indebt 6",
    "land_redeemed": "redeem 6",
    "deal_made": "p1: deal p2 40,#6 for add-14",
    "loan_granted": "loan p1 200",
    "loan_repaid": "p1: repay 50",
    "player_resigned": "p1: resign",
}
"""How each kind is typed, by an example."""


# --- writing -----------------------------------------------------------------------------------------


def write(state: State, event: Event) -> str:
    """Give the shortest text that reads back as this event in this state, else its JSON."""
    return shortest(state, event, _texts(state, event), read)


def _texts(state: State, event: Event) -> Iterator[str]:
    text = _text(state, event)
    if text:
        seat = getattr(event, "player", getattr(event, "from_", ""))
        yield text
        yield f"{seat}: {text}"


_NAMES: Final = {kind: word for word, kind in (*_ON_LAND, *_ALONE.items())}


def _text(state: State, event: Event) -> str:
    word = _NAMES.get(type(event))
    if word is not None:
        return f"{word} {event.land}" if hasattr(event, "land") else word
    writer = _WRITERS.get(type(event))
    return "" if writer is None else writer(state, event)


def _dice_text(_state: State, event: e.DiceRolled | e.StartRolled) -> str:
    return f"r {event.dice[0]} {event.dice[1]}"


def _return_text(state: State, event: e.ReturnCardUsed) -> str:
    one = state.cards.get(event.player) == (event.card,)
    return "return" if one else f"return {event.card}"


def _deal_text(_state: State, event: e.DealMade) -> str:
    return f"deal {event.to} {_goods_text(event.give)} for {_goods_text(event.get)}"


def _goods_text(goods: e.Goods) -> str:
    parts = [str(goods.rahl)] if goods.rahl else []
    parts += [f"#{pos}" for pos in goods.lands]
    return ",".join((*parts, *goods.cards)) or "0"


def _sold_text(state: State, event: e.AuctionClosed) -> str:
    if event == as_bids_stand(state):
        return "sold"
    return f"sold {event.winner} {event.amount}"


_WRITERS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    e.StartRolled: _dice_text,
    e.DiceRolled: _dice_text,
    e.LandBought: lambda _state, _event: "buy",
    e.LandDeclined: lambda _state, _event: "no",
    e.MagicDeclined: lambda _state, _event: "no",
    e.AuctionOpened: lambda _state, _event: "auction",
    e.AuctionClosed: _sold_text,
    e.ChargeClaimed: lambda _state, _event: "claim",
    e.MagicDrawn: lambda _state, event: f"draw {event.card}",
    e.BidPlaced: lambda _state, event: f"bid {event.amount}",
    e.ReturnCardUsed: _return_text,
    e.DealMade: _deal_text,
    e.LoanGranted: lambda _state, event: f"loan {event.player} {event.amount}",
    e.LoanRepaid: lambda _state, event: f"repay {event.amount}",
}


# --- reading -----------------------------------------------------------------------------------------


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
    words = rest.split()
    return (_event(state, seat, rest, words),) if words else (_unclear(text),)


def _unclear(text: str, why: str = "") -> NoReturn:
    raise Unclear(text, why)


def _event(state: State, seat: str | None, rest: str, words: list[str]) -> Event:
    word = words[0].casefold()
    turn = seat or state.turn or ""
    thrown = _THROW.fullmatch(rest)
    if thrown:
        return _thrown(state, seat, (int(thrown[1]), int(thrown[2])))
    if word in _ALONE and len(words) == 1:
        player = seat or (_debtor(state, turn) if word in {"settle", "lose"} else turn)
        alone: Event = _ALONE[word](player)
        return alone
    for phrase, kind in _ON_LAND:
        if rest.casefold().startswith(f"{phrase} "):
            pos = _land(state, rest, rest[len(phrase) :])
            on_land: Event = kind(seat or _owner(state, pos), pos)
            return on_land
    reader = _READERS.get(word)
    if reader is None:
        _unclear(rest, ": two dice are thrown, each shows 1 to 6" if _BAD_THROW.fullmatch(rest) else "")
    return reader(state, turn, rest, words[1:])


def _thrown(state: State, seat: str | None, dice: tuple[int, int]) -> Event:
    if state.phase != "start":
        return e.DiceRolled(seat or state.turn or "", dice)
    waiting = [other for other in state.contenders if other not in state.rolls]
    return e.StartRolled(seat or waiting[0], dice)


def _debtor(state: State, turn: str) -> str:
    owing = list(dict.fromkeys(debt.from_ for debt in state.debts))
    return turn if turn in owing or not owing else owing[0]


def _owner(state: State, pos: int) -> str:
    holding = state.lands.get(str(pos))
    return holding.owner if holding is not None else state.turn or ""


def _land(state: State, text: str, typed: str) -> int:
    """Find a space by its number, or a land by its name or the beginning of it."""
    name = typed.strip().lstrip("#").casefold()
    if name.isdecimal() and name.isascii() and len(name) <= _DIGITS and int(name) < len(state.setup.spaces):
        return int(name)
    lands = state.setup.lands.values()
    exact = [land.pos for land in lands if land.name.casefold() == name]
    found = exact or [land.pos for land in lands if name and land.name.casefold().startswith(name)]
    if len(found) != 1:
        _unclear(text, f": {typed.strip()!r} {'may be several lands' if found else 'is no land'}")
    return found[0]


def _amount(text: str, typed: str) -> int:
    if not typed.isdecimal() or not typed.isascii() or len(typed) > _DIGITS:
        _unclear(text, f": {typed!r} is no sum")
    return int(typed)


_DIGITS: Final = 9


def _seat(text: str, typed: str) -> str:
    if not is_seat(typed.lower()):
        _unclear(text, f": {typed!r} is no seat")
    return typed.lower()


def _read_buy(state: State, turn: str, text: str, rest: list[str]) -> Event:
    _nothing_more(text, rest)
    return e.LandBought(turn, state.space.get(turn, 0))


def _nothing_more(text: str, rest: list[str]) -> None:
    if rest:
        _unclear(text, f": {rest[0]!r} is too much")


def _read_no(state: State, turn: str, text: str, rest: list[str]) -> Event:
    _nothing_more(text, rest)
    if state.phase == "decide.magic":
        return e.MagicDeclined(turn, deck_here(state))
    return e.LandDeclined(turn, state.space.get(turn, 0))


def _read_claim(state: State, turn: str, text: str, rest: list[str]) -> Event:
    """Without an open charge it is read as one for the land where the token stands, to be refused."""
    _nothing_more(text, rest)
    charge = state.charge
    if charge is not None:
        return e.ChargeClaimed(charge.owner, charge.from_, charge.land)
    pos = state.space.get(turn, 0)
    return e.ChargeClaimed(_owner(state, pos), turn, pos)


def _read_draw(state: State, turn: str, text: str, rest: list[str]) -> Event:
    if len(rest) != 1:
        _unclear(text, ": name one card")
    card = _card(state, text, rest[0])
    return e.MagicDrawn(turn, state.setup.deck_of[card], card)


def _card(state: State, text: str, typed: str) -> str:
    name = typed.casefold()
    cards = state.setup.magic
    found = [name] if name in cards else [card for card in cards if name and card.startswith(name)]
    if len(found) != 1:
        _unclear(text, f": {typed!r} {'may be several cards' if found else 'is no magic card'}")
    return found[0]


def _read_auction(state: State, _turn: str, text: str, rest: list[str]) -> Event:
    _nothing_more(text, rest)
    return e.AuctionOpened(state.leave if state.leave is not None else state.space.get(state.turn or "", 0))


def _read_bid(_state: State, turn: str, text: str, rest: list[str]) -> Event:
    if len(rest) != 1:
        _unclear(text, ": name one sum")
    return e.BidPlaced(turn, _amount(text, rest[0]))


def _read_sold(state: State, _turn: str, text: str, rest: list[str]) -> Event:
    if len(rest) not in {0, 2}:
        _unclear(text, ": name winner and price, or nothing where the bids say it")
    closed = as_bids_stand(state)
    return e.AuctionClosed(closed.land, _seat(text, rest[0]), _amount(text, rest[1])) if rest else closed


def _read_return(state: State, turn: str, text: str, rest: list[str]) -> Event:
    if len(rest) > 1:
        _unclear(text, ": name one card")
    kept = state.cards.get(turn, ())
    if rest:
        return e.ReturnCardUsed(turn, _card(state, text, rest[0]))
    if len(kept) != 1:
        said = f"keeps {', '.join(kept)}: name one" if kept else "keeps no card"
        _unclear(text, f": {turn} {said}")
    return e.ReturnCardUsed(turn, kept[0])


def _read_deal(state: State, turn: str, text: str, _rest: list[str]) -> Event:
    found = re.fullmatch(rf"deal\s+({SEAT})\s+(.*)", text, re.DOTALL | re.IGNORECASE)
    sides = _FOR.split(found[2]) if found else []
    if found is None or len(sides) != 2:  # noqa: PLR2004 - a deal has two sides
        _unclear(text, ": say what is given and what for, as deal p2 40,#6 for add-14")
    give, get = (_goods(state, text, side) for side in sides)
    return e.DealMade(turn, found[1].lower(), give, get)


def _goods(state: State, text: str, typed: str) -> e.Goods:
    rahl, lands, cards = 0, list[int](), list[str]()
    for part in (item.strip() for item in typed.split(",")):
        if part.startswith("#"):
            lands.append(_land(state, text, part))
        elif part[:1].isdecimal():
            rahl += _amount(text, part)
        else:
            cards.append(_card(state, text, part))
    return e.Goods(rahl, tuple(lands), tuple(cards))


def _read_loan(_state: State, _turn: str, text: str, rest: list[str]) -> Event:
    if len(rest) != 2:  # noqa: PLR2004 - who and how much
        _unclear(text, ": say who borrows and how much, as loan p1 200")
    return e.LoanGranted(_seat(text, rest[0]), _amount(text, rest[1]))


def _read_repay(_state: State, turn: str, text: str, rest: list[str]) -> Event:
    if len(rest) != 1:
        _unclear(text, ": name one sum")
    return e.LoanRepaid(turn, _amount(text, rest[0]))


_READERS: Final[Mapping[str, Callable[[State, str, str, list[str]], Event]]] = {
    "buy": _read_buy,
    "no": _read_no,
    "claim": _read_claim,
    "draw": _read_draw,
    "auction": _read_auction,
    "bid": _read_bid,
    "sold": _read_sold,
    "return": _read_return,
    "deal": _read_deal,
    "loan": _read_loan,
    "repay": _read_repay,
}
