"""The short forms: `12-7`, `lay`, `war-cry v reshuffle`, `shuffle`, `rebuild`, `day`, `deal`, `resign`.

Where cards cannot be dealt evenly, `deal 35,35,34 13,13,14` says who got how many battle cards and gambits.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from typing import Any, Final

from games.core.events import Event
from games.core.ruleset import CHANCE
from games.kit.notation import Unclear, not_understood, shortest
from games.rulesets.monsters_of_war.actions import flippers, legal_actions, may_resign, pending, possible
from games.rulesets.monsters_of_war.events import (
    AttackFlipped,
    BattleDeckShuffled,
    BattleFlipped,
    CardsLaid,
    DecksDealt,
    GambitDeckRebuilt,
    GambitsDrawn,
    PlayerResigned,
)
from games.rulesets.monsters_of_war.state import State, power
from games.rulesets.monsters_of_war.war import lay_counts
from games.text.typed import split_seat
from games.words import counted

UNSEEN: Final = "?"
NOTHING: Final = "-"
_VERSUS: Final = re.compile(r"\s+v\s+")
_COUNTS: Final = re.compile(r"[0-9]{1,4}(?:,[0-9]{1,4})*")
_SHORT: Final = re.compile(r"\s*(?:[0-9]+|w)\s*(?:-\s*(?:[0-9]+|w)\s*)*", re.IGNORECASE)
FORMS: Final[Mapping[str, str]] = {
    "decks_dealt": "deal, or deal 35,35,34 13,13,14 (battle cards, then gambits)",
    "battle_flipped": "12-7, or m12a v m07b",
    "cards_laid": "lay, or lay m03a,m03b v m02a,?",
    "gambit_deck_rebuilt": "rebuild",
    "gambits_drawn": "war-cry v reshuffle",
    "battle_deck_shuffled": "shuffle",
    "attack_flipped": "12-7, or m12a v W",
    "attack_modified": "what the gambit did, as the JSON of attack_modified",
    "decks_rebuilt": "day",
    "player_resigned": "p1: resign",
}
"""How each kind is typed, by an example."""
_COMMANDS: Final = {
    "dealing": "deal",
    "war.rebuild": "rebuild",
    "war.shuffle": "shuffle",
    "day.shuffle": "day",
}
"""The command word of each phase in which a command is all there is to say."""
_FLIPS: Final[Mapping[str, Any]] = {
    "battle.flip": BattleFlipped,
    "war.attack": AttackFlipped,
    "war.gambit": GambitsDrawn,
}


# --- writing --------------------------------------------------------------------------------------------


def write(state: State, event: Event) -> str:
    """Give the shortest text that reads back as this event in this state, else its JSON."""
    return shortest(state, event, _texts(state, event), read)


def _texts(state: State, event: Event) -> Iterator[str]:
    match event:
        case BattleFlipped() | AttackFlipped():
            cards = [event.cards[seat] for seat in flippers(state) if seat in event.cards]
            yield "-".join(_power_text(state, card) for card in cards)
            yield " v ".join(cards)
        case GambitsDrawn():
            cards = [event.cards[seat] for seat in flippers(state) if seat in event.cards]
            yield " v ".join(state.setup.gambits[card].kind for card in cards)
            yield " v ".join(cards)
        case CardsLaid(cards=None):
            yield "lay"
        case CardsLaid():
            yield f"lay {_written_lay(event)}"
        case PlayerResigned():
            yield f"{event.player}: resign"
        case DecksDealt():
            yield "deal"
            yield f"deal {_written_deal(event.battle)} {_written_deal(event.gambits)}"
        case _:
            yield _COMMANDS.get(state.phase, "")


def _written_deal(counts: Mapping[str, int]) -> str:
    return ",".join(map(str, counts.values()))


def _power_text(state: State, card: str) -> str:
    value = power(state, card)
    return "W" if value is None else str(value)


def _written_lay(event: CardsLaid) -> str:
    cards = event.cards or {}
    return " v ".join(
        ",".join(card or UNSEEN for card in cards.get(seat, ())) or NOTHING for seat in event.counts
    )


# --- reading --------------------------------------------------------------------------------------------


def read(state: State, text: str) -> tuple[Event, ...]:
    """Read one move; it names cards, and whether they may lie there is left to `check`.

    Errors: `IllegalAction` `not-understood`, with what may be typed now.
    """
    try:
        return (_read(state, text),)
    except Unclear as fault:
        raise not_understood(fault, pending(state), FORMS) from None


def _read(state: State, text: str) -> Event:
    seat, typed = split_seat(text)
    word = typed.casefold()
    if word == "resign":
        return PlayerResigned(_resigning(state, text, seat))
    if word and word == _COMMANDS.get(state.phase):
        return _commanded(state, text, seat)
    if seat is not None:
        raise Unclear(text)
    if state.phase == "dealing" and word.startswith("deal "):
        return _read_deal(state, text, typed[len("deal") :].split())
    if state.phase == "war.lay" and (word == "lay" or word.startswith("lay ")):
        return _read_lay(state, text, typed[len("lay") :].strip())
    if typed and state.phase in _FLIPS:
        return _read_flip(state, text, typed)
    raise Unclear(text)


def _resigning(state: State, text: str, seat: str | None) -> str:
    if seat is not None:
        return seat
    able = may_resign(state)
    if len(able) == 1:
        return able[0]
    raise Unclear(text, ": say who resigns, as p2: resign")


def _commanded(state: State, text: str, seat: str | None) -> Event:
    """Give the one event that the command stands for: the first where the odd cards may go to several."""
    event = next(legal_actions(state, CHANCE))
    if seat is None:
        return event
    match event:
        case BattleDeckShuffled():
            return BattleDeckShuffled(seat)
        case GambitDeckRebuilt():
            return GambitDeckRebuilt(seat, event.count)
        case _:
            raise Unclear(text, ": nobody's name goes before it")


def _read_deal(state: State, text: str, parts: Sequence[str]) -> Event:
    counts = [part.split(",") if _COUNTS.fullmatch(part) else [] for part in parts]
    seats = state.setup.seats
    if [len(row) for row in counts] != [len(seats)] * 2:
        raise Unclear(
            text, f": a deal names {counted(len(seats), 'number')} of battle cards, then of gambits"
        )
    battle, gambits = (dict(zip(seats, map(int, row), strict=True)) for row in counts)
    return DecksDealt(battle, gambits)


def _read_flip(state: State, text: str, typed: str) -> Event:
    short = state.phase != "war.gambit" and _SHORT.fullmatch(typed)
    tokens = [part.strip() for part in (typed.split("-") if short else _VERSUS.split(typed))]
    seats = flippers(state)
    if len(tokens) != len(seats):
        raise Unclear(text, f": it names {counted(len(tokens), 'card')}, and {len(seats)} are turned")
    cards = _resolved(state, text, [(seat, token) for seat, token in zip(seats, tokens, strict=True)])
    flipped: Event = _FLIPS[state.phase](dict(zip(seats, cards, strict=True)))
    return flipped


def _read_lay(state: State, text: str, typed: str) -> Event:
    counts = lay_counts(state)
    if not typed:
        return CardsLaid(counts)
    parts = _VERSUS.split(typed)
    if len(parts) != len(counts):
        raise Unclear(
            text,
            f": it tells of {counted(len(parts), 'player')}, and {counted(len(counts), 'lays', 'lay')} cards",
        )
    wanted = [
        (seat, token.strip())
        for seat, part in zip(counts, parts, strict=True)
        if part.strip() != NOTHING
        for token in part.split(",")
    ]
    cards = _resolved(state, text, wanted)
    laid: dict[str, tuple[str | None, ...]] = {
        seat: tuple(card for (who, _), card in zip(wanted, cards, strict=True) if who == seat)
        for seat in counts
    }
    return CardsLaid({seat: len(named) for seat, named in laid.items()}, laid)


def _resolved(state: State, text: str, wanted: Sequence[tuple[str, str]]) -> tuple[str | None, ...]:
    """Choose a card for each token: the lowest that may lie there, no card twice."""
    may = possible(state)
    options = [list(_meant(state, text, token, may.get(seat, ()))) for seat, token in wanted]
    for cards in product(*options):
        named = [card for card in cards if card is not None]
        if len(set(named)) == len(named):
            return cards
    return tuple(choices[0] for choices in options)


def _meant(state: State, text: str, token: str, may: Iterable[str]) -> tuple[str | None, ...]:
    """List the cards that a token can mean, lowest first.

    An id means that card even where it cannot lie, so that the refusal can say where it lies.
    """
    typed = token.casefold()
    sort: Mapping[str, Any] = state.setup.gambits if state.phase == "war.gambit" else state.setup.battle
    if typed == UNSEEN and state.phase == "war.lay":
        return (None,)
    if typed in sort:
        return (typed,)
    names = {card: _names(state, card) for card in may}
    exact = tuple(card for card, called in names.items() if typed in called)
    if exact:
        return exact
    begun = tuple(card for card, called in names.items() if any(name.startswith(typed) for name in called))
    if typed and begun and len({_alike(state, card) for card in begun}) == 1:
        return begun
    may_be = "may be several cards" if typed and begun else "names no card that may lie there"
    raise Unclear(text, f": {token!r} {may_be}")


def _names(state: State, card: str) -> tuple[str, ...]:
    """Give what a card may be called by: its figure or W, its printed name, its kind, its id."""
    if state.phase == "war.gambit":
        return (state.setup.gambits[card].kind.casefold(), card)
    monster = state.setup.battle[card]
    if monster is None:
        return ("w", "war", card)
    return (str(monster.attack), *((monster.name.casefold(),) if monster.name else ()), card)


def _alike(state: State, card: str) -> object:
    if state.phase == "war.gambit":
        return state.setup.gambits[card].kind
    monster = state.setup.battle[card]
    return monster and (monster.attack, monster.name)
