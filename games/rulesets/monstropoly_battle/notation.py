"""The short forms: `awa-1 v kin`, `take`, `give own`, `p1: declare ox-1,…/?`, `lead awa-1`, `third ox-2`."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, Final, get_args

from games.core.events import Event
from games.kit.cards import Unseen
from games.kit.notation import Unclear, not_understood, shortest
from games.rulesets.monstropoly_battle.actions import UNSEEN_TEAM, on_turn, pending, revealable, shuffle_size
from games.rulesets.monstropoly_battle.events import (
    CardAnswered,
    CardCommitted,
    CardLed,
    CardsRevealed,
    DeckShuffled,
    DeclaredTeam,
    HandDealt,
    LineupShown,
    LotDrawn,
    Slot,
    SpoilsSplit,
    TeamFielded,
    TeamsDeclared,
    TeamsSelected,
    TieCardDrawn,
    TopCardTaken,
    WeaponCardDrawn,
)
from games.rulesets.monstropoly_battle.places import holdable, playable, top_cards, unplaced_cards
from games.rulesets.monstropoly_battle.state import State, other
from games.rulesets.monstropoly_battle.teams import only_kind
from games.text.typed import split_seat

UNSEEN: Final = "?"
_VERSUS: Final = re.compile(r"\s+v\s+", re.IGNORECASE)
_NUMBERS: Final = re.compile(r"[0-9]{1,3}(?:\s*,\s*[0-9]{1,3})*")
"""No team has a number with more figures."""


# --- writing --------------------------------------------------------------------------------------------


def write(state: State, event: Event) -> str:
    """Give the short form where it reads back as this event in this state, else its JSON."""
    return shortest(state, event, (_WRITERS[type(event)](state, event).rstrip(),), read)


def _write_hand(_state: State, event: HandDealt) -> str:
    return f"hand {event.player} {'' if set(event.cards) == {None} else _listed(event.cards)}"


def _write_reveal(state: State, event: CardsRevealed) -> str:
    return " v ".join(event.cards.get(seat, UNSEEN) for seat in state.setup.seats)


_WRITERS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    HandDealt: _write_hand,
    CardCommitted: lambda _, event: f"{event.player}: commit {event.card or ''}",
    CardsRevealed: _write_reveal,
    TieCardDrawn: lambda _, event: f"tie {event.card}",
    LotDrawn: lambda _, event: f"lot {event.winner}",
    TopCardTaken: lambda _, event: f"take {event.card or ''}",
    SpoilsSplit: lambda _, event: f"give {event.gives} {event.drawn or ''}",
    TeamsDeclared: lambda _, event: f"{event.player}: declare {'/'.join(map(_written_team, event.teams))}",
    TeamsSelected: lambda _, event: f"select {','.join(map(str, event.teams))}",
    DeckShuffled: lambda _, __: "shuffle",
    TeamFielded: lambda _, event: f"{event.player}: field {event.team}",
    LineupShown: lambda _, event: f"{event.player}: lineup {','.join(event.cards)}",
    CardLed: lambda _, event: f"lead {event.card}",
    CardAnswered: lambda _, event: f"answer {event.card}",
    WeaponCardDrawn: lambda _, event: f"third {event.card}",
}


def _listed(cards: Iterable[Unseen]) -> str:
    return ",".join(card or UNSEEN for card in cards)


def _written_team(team: DeclaredTeam) -> str:
    return UNSEEN if set(team.cards) == {None} else _listed(team.cards)


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
    word, _, rest = typed.partition(" ")
    reader = _READERS.get(word.casefold())
    if reader is not None:
        return reader(state, text, seat, rest.strip())
    parts = _VERSUS.split(typed)
    if len(parts) == len(state.setup.seats) and seat is None:
        return _read_reveal(state, text, parts)
    bare = _BARE.get(state.phase)
    if bare is not None and typed:
        return bare(state, text, seat, typed)
    raise Unclear(text)


FORMS: Final[Mapping[str, str]] = {
    "hand_dealt": "hand p1 amen-1,ox-3,?,?, or hand p2",
    "card_committed": "p1: commit awa-1",
    "cards_revealed": "awa-1 v kin",
    "tie_card_drawn": "tie amen-2",
    "lot_drawn": "lot p2",
    "top_card_taken": "take, or take ox-3",
    "spoils_split": "give own, give opponent, give drawn, or give drawn ox-3",
    "teams_declared": "p1: declare ox-1,ox-2,ox-3,magnum,nalle/?, or p1: declare",
    "teams_selected": "select 0,2",
    "deck_shuffled": "shuffle",
    "team_fielded": "p1: field 0",
    "lineup_shown": "p1: lineup lordi-1,amen-1,hella-1,ox-1,drummer",
    "card_led": "lead awa-1",
    "card_answered": "answer kin",
    "weapon_card_drawn": "third ox-2",
}
"""How each kind is typed, by an example."""


def _acting(text: str, seat: str | None, able: Sequence[str]) -> str:
    """Give the seat named, else the one that may now."""
    if seat is not None:
        return seat
    if len(able) == 1:
        return able[0]
    raise Unclear(text, ": say who, as p1: …" if able else "")


def _free(state: State) -> tuple[str, ...]:
    return tuple(seat for seat in state.setup.seats if seat not in state.committed)


def _read_hand(state: State, text: str, _seat: str | None, rest: str) -> Event:
    word, _, cards = rest.partition(" ")
    player = word.lower()
    if player not in state.setup.seats:
        raise Unclear(text, ": say whose hand it is")
    if not cards.strip():
        return HandDealt(player, (None,) * 4)
    return HandDealt(player, _cards(state, text, cards, unplaced_cards(state)))


def _read_commit(state: State, text: str, seat: str | None, rest: str) -> Event:
    player = _acting(text, seat, _free(state))
    return CardCommitted(player, _card(state, text, rest, _held(state, player)) if rest else None)


def _held(state: State, player: str) -> tuple[str, ...]:
    return holdable(state, player) if player in state.hands else ()


def _read_reveal(state: State, text: str, parts: Sequence[str]) -> Event:
    cards = {
        seat: _named(state, text, part, revealable(state, seat))
        for seat, part in zip(state.setup.seats, parts, strict=True)
    }
    return CardsRevealed(cards)


def _read_tie(state: State, text: str, _seat: str | None, rest: str) -> Event:
    return TieCardDrawn(_named(state, text, rest, top_cards(state)))


def _read_lot(state: State, text: str, _seat: str | None, rest: str) -> Event:
    if rest.lower() not in state.setup.seats:
        raise Unclear(text, ": say to whom the lot fell")
    return LotDrawn(rest.lower())


def _read_take(state: State, text: str, seat: str | None, rest: str) -> Event:
    player = _acting(text, seat, () if state.winner is None else (state.winner,))
    return TopCardTaken(player, _card(state, text, rest, top_cards(state)) if rest else None)


def _read_give(state: State, text: str, seat: str | None, rest: str) -> Event:
    player = _acting(text, seat, () if state.winner is None else (state.winner,))
    slot, _, drawn = rest.partition(" ")
    for gives in get_args(Slot):
        if slot.casefold() == gives:
            may = unplaced_cards(state) if state.drawn is None else (state.drawn,)
            return SpoilsSplit(player, gives, _card(state, text, drawn, may) if drawn.strip() else None)
    raise Unclear(text)


def _read_declare(state: State, text: str, seat: str | None, rest: str) -> Event:
    able = on_turn(state) if state.phase == "phase2.declare" else ()
    player = _acting(text, seat, able)
    may = _held(state, player)
    teams = rest.split("/") if rest else []
    return TeamsDeclared(player, tuple(_read_team(state, text, team, may) for team in teams))


def _read_team(state: State, text: str, typed: str, may: tuple[str, ...]) -> DeclaredTeam:
    if typed.strip() == UNSEEN:
        return UNSEEN_TEAM
    cards = _cards(state, text, typed, may)
    return DeclaredTeam(only_kind(state.setup, cards), cards)


def _read_select(state: State, text: str, seat: str | None, rest: str) -> Event:
    player = _acting(text, seat, on_turn(state) if state.phase == "phase2.select" else ())
    return TeamsSelected(player, _numbers(text, rest))


def _read_shuffle(state: State, text: str, _seat: str | None, rest: str) -> Event:
    if rest:
        raise Unclear(text)
    return DeckShuffled(shuffle_size(state))


def _read_field(state: State, text: str, seat: str | None, rest: str) -> Event:
    player = _acting(text, seat, on_turn(state) if state.phase == "phase2.field" else ())
    numbers = _numbers(text, rest)
    if len(numbers) != 1:
        raise Unclear(text, ": one team is fielded")
    return TeamFielded(player, numbers[0])


def _numbers(text: str, typed: str) -> tuple[int, ...]:
    if not _NUMBERS.fullmatch(typed):
        raise Unclear(text, ": teams go by their numbers, from 0")
    return tuple(map(int, typed.split(",")))


def _read_lineup(state: State, text: str, seat: str | None, rest: str) -> Event:
    player = _acting(text, seat, ())
    if player not in state.fielded or len(state.fielded) < len(state.setup.seats):
        raise Unclear(text)
    cards = tuple(_named(state, text, token, _of_team(state, player)) for token in rest.split(","))
    return LineupShown(player, cards, state.fielded[other(state, player)])


def _of_team(state: State, player: str) -> tuple[str, ...]:
    if player not in state.fielded:
        return ()
    return playable(state, player, state.fielded[player])


def _read_lead(state: State, text: str, seat: str | None, rest: str) -> Event:
    player = _acting(text, seat, () if state.leader is None else (state.leader,))
    return CardLed(player, _named(state, text, rest, _of_team(state, player)))


def _read_answer(state: State, text: str, seat: str | None, rest: str) -> Event:
    able = () if state.leader is None else (other(state, state.leader),)
    player = _acting(text, seat, able)
    return CardAnswered(player, _named(state, text, rest, _of_team(state, player)))


def _read_third(state: State, text: str, _seat: str | None, rest: str) -> Event:
    return WeaponCardDrawn(_named(state, text, rest, top_cards(state)))


_Reader = Callable[[State, str, str | None, str], Event]
_READERS: Final[Mapping[str, _Reader]] = {
    "hand": _read_hand,
    "commit": _read_commit,
    "tie": _read_tie,
    "lot": _read_lot,
    "take": _read_take,
    "give": _read_give,
    "declare": _read_declare,
    "select": _read_select,
    "shuffle": _read_shuffle,
    "field": _read_field,
    "lineup": _read_lineup,
    "lead": _read_lead,
    "answer": _read_answer,
    "third": _read_third,
}
_BARE: Final[Mapping[str, _Reader]] = {
    "phase1.tie": _read_tie,
    "phase1.take": _read_take,
    "phase2.lead": _read_lead,
    "phase2.answer": _read_answer,
    "phase2.draw": _read_third,
}
"""Where a single card is due, the bare card does."""


# --- names of cards -------------------------------------------------------------------------------------


def _cards(state: State, text: str, typed: str, may: Iterable[str]) -> tuple[Unseen, ...]:
    """Read cards between commas; each stands for a card that none before it has named."""
    left = list(may)
    cards: list[Unseen] = []
    for token in typed.split(","):
        card = _card(state, text, token, left)
        cards.append(card)
        if card in left:
            left.remove(card)
    return tuple(cards)


def _card(state: State, text: str, typed: str, may: Iterable[str]) -> Unseen:
    return None if typed.strip() == UNSEEN else _named(state, text, typed, may)


def _named(state: State, text: str, typed: str, may: Iterable[str]) -> str:
    """Give the card that is meant: by id, by its printed name, by a prefix that one possible card has.

    An id means that card even where it cannot lie, so that the refusal can say where it lies.
    """
    token = typed.strip().casefold()
    if token in state.setup.cards:
        return token
    everybody = _called(state, token, state.setup.cards)
    named = [card for card in everybody if state.setup.cards[card].name.casefold() == token]
    possible = tuple(may)
    for found in ([card for card in named if card in possible], named):
        if len(found) == 1:
            return found[0]
    begun = _called(state, token, possible)
    if len(begun) == 1:
        return begun[0]
    several = "may be several cards" if begun else "names no card that may lie there"
    raise Unclear(text, f": {typed.strip()!r} {several}")


def _called(state: State, token: str, cards: Iterable[str]) -> list[str]:
    if not token:
        return []
    return [card for card in cards if any(name.startswith(token) for name in _names(state, card))]


def _names(state: State, card: str) -> Iterator[str]:
    yield card
    yield state.setup.cards[card].name.casefold()
