"""Judging an event before it is recorded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final, NoReturn

from games.core.events import Event, kind_of
from games.core.ruleset import IllegalAction
from games.kit.cards import CardFault, Deck, Source, Unseen, fault_in
from games.kit.offers import spoken
from games.kit.seats import why_stays
from games.rulesets.monsters_of_war.actions import (
    alternatives,
    flippers,
    legal_actions,
    may_resign,
    pending,
    source,
)
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
    Move,
    PlayerResigned,
)
from games.rulesets.monsters_of_war.evolve import moved
from games.rulesets.monsters_of_war.state import MOST, State, playing, total
from games.rulesets.monsters_of_war.war import lay_counts, rebuilders, rulings_owed
from games.rulesets.monsters_of_war.zones import (
    BATTLE,
    GAMBIT,
    OPEN,
    battle_cards,
    called,
    gambit_cards,
    keys_of,
    sort_of,
    zone_at,
)
from games.words import counted

_SETUP: Final = "rulebook, Setting up for Battle"
_BATTLE: Final = "rulebook, The Battle"
_WAR: Final = "rulebook, The War Sequence"
_DAY: Final = "rulebook, End of a Day"


def check(state: State, event: Event) -> None:
    """Refuse what cannot happen now.

    Errors: `IllegalAction` `game-over`, `not-due`, `wrong-deal`, `wrong-seats`, `wrong-count`, `wrong-deck`,
            `wrong-day`, `no-ruling-owed`, `unknown-seat`, `too-much`, `unknown-place`, `face-up`,
            `cannot-resign`, and for cards `unknown-card`, `named-twice`, `card-elsewhere`,
            `no-unknown-card`, `too-few-cards`.
    """
    due = pending(state)
    if not due:
        raise IllegalAction("game-over", "The game is over; nothing more can be recorded but a correction.")
    kind = kind_of(event)
    if isinstance(event, PlayerResigned):
        _check_resigned(state, event)
        return
    must = due[0]
    if kind not in must.kinds:
        _refuse(state, "not-due", f"{spoken(kind)} is not due now: {must.why}.", _rule_of(state))
    _CHECKS[type(event)](state, event)


def _refuse(state: State, code: str, sentence: str, rule: str) -> NoReturn:
    raise IllegalAction(code, sentence, rule, alternatives(state))


def _rule_of(state: State) -> str:
    if state.phase == "dealing":
        return _SETUP
    if state.phase == "day.shuffle":
        return _DAY
    return _BATTLE if state.phase == "battle.flip" else _WAR


def _figures(counts: Mapping[str, int]) -> str:
    return ", ".join(f"{{{seat}}} {count}" for seat, count in counts.items()) or "nobody"


def _seats(seats: Iterable[str]) -> str:
    return ", ".join(f"{{{seat}}}" for seat in seats) or "nobody"


# --- dealing, shuffling, a new Day ---------------------------------------------------------------------


def _check_dealt(state: State, event: DecksDealt) -> None:
    if event not in legal_actions(state, "chance"):
        battle, gambits, seats = len(state.setup.battle), len(state.setup.gambits), len(state.setup.seats)
        _refuse(
            state,
            "wrong-deal",
            f"{battle} battle cards and {gambits} gambits are dealt to {seats} players one at a time, so"
            f" hands differ by one at most; not {_figures(event.battle)} and {_figures(event.gambits)}.",
            _SETUP,
        )


def _check_shuffled(state: State, event: BattleDeckShuffled) -> None:
    if event.player != state.shuffles[0]:
        _refuse(
            state,
            "wrong-deck",
            f"The next deck to be shuffled is {{{state.shuffles[0]}}}'s, not {{{event.player}}}'s.",
            _WAR,
        )


def _check_rebuilt(state: State, event: GambitDeckRebuilt) -> None:
    seat = rebuilders(state)[0]
    if event.player != seat:
        _refuse(
            state,
            "wrong-deck",
            f"The next Gambit Deck to be made anew is {{{seat}}}'s, not {{{event.player}}}'s.",
            "R7",
        )
    have = len(state.gambit_discards[seat])
    if event.count != have:
        _refuse(state, "wrong-count", f"{{{seat}}} has {have} discarded gambits, not {event.count}.", "R7")


def _check_new_day(state: State, event: DecksRebuilt) -> None:
    if event.day != state.day + 1:
        _refuse(state, "wrong-day", f"Day {state.day + 1} begins now, not Day {event.day}.", _DAY)
    counts = {seat: total(state, seat) for seat in playing(state)}
    if event.counts != counts:
        _refuse(
            state,
            "wrong-count",
            f"Spoils and Battle Decks make new decks of {_figures(counts)}, not {_figures(event.counts)}.",
            _DAY,
        )


# --- cards that are turned or laid ---------------------------------------------------------------------


def _check_flipped(state: State, event: BattleFlipped | AttackFlipped | GambitsDrawn) -> None:
    seats = flippers(state)
    if set(event.cards) != set(seats):
        _refuse(
            state,
            "wrong-seats",
            f"{_seats(seats)} turn one card each, all at once; named are cards of {_seats(event.cards)}.",
            "R19",
        )
    deck = gambit_cards(state) if state.phase == "war.gambit" else battle_cards(state)
    _check_cards(state, deck, {seat: (event.cards[seat],) for seat in seats})


def _check_laid(state: State, event: CardsLaid) -> None:
    counts = lay_counts(state)
    if event.counts != counts:
        _refuse(
            state,
            "wrong-count",
            f"Now {_figures(counts)} cards are laid, not {_figures(event.counts)}.",
            f"{_WAR}; R5",
        )
    if event.cards is None:
        return
    named = {seat: len(cards) for seat, cards in event.cards.items()}
    if named != counts:
        _refuse(
            state,
            "wrong-count",
            f"The cards named must be as many as are laid: {_figures(counts)}, not {_figures(named)};"
            " a card that nobody saw is null.",
            _WAR,
        )
    _check_cards(state, battle_cards(state), {seat: event.cards[seat] for seat in counts})


def _check_cards(state: State, deck: Deck, cards: Mapping[str, tuple[Unseen, ...]]) -> None:
    sort = "gambit_deck" if state.phase == "war.gambit" else "deck"
    taken = [
        (Source(f"{sort}.{seat}", called(f"{sort}.{seat}"), source(state, seat)), named)
        for seat, named in cards.items()
    ]
    _refuse_fault(state, fault_in(deck, taken))


def _refuse_fault(state: State, fault: CardFault | None) -> None:
    if fault is not None:
        _refuse(state, fault.code, fault.sentence, "R25")


# --- what a printed gambit did -------------------------------------------------------------------------


def _check_modified(state: State, event: AttackModified) -> None:
    owed = rulings_owed(state)
    if event.player not in owed:
        _refuse(
            state,
            "no-ruling-owed",
            f"The gambits of {_seats(owed)} wait for what they did, not one of {_seats((event.player,))}.",
            "R24",
        )
    winner = () if event.wins is None else (event.wins,)
    _known_seats(
        state, "An attack is changed or won by who attacks", (*event.changes, *winner), state.fighting
    )
    _known_seats(state, "A gambit is cancelled that lies face up", event.cancels, tuple(state.gambits))
    _known_seats(state, "A deck is shuffled of who plays", event.shuffles, playing(state))
    great = next((change for change in event.changes.values() if abs(change) > MOST), None)
    if great is not None:
        _refuse(state, "too-much", f"An attack is changed by at most {MOST}, not by {great}.", "R24")
    for move in event.moves:
        _check_move(state, move)
        state = moved(state, move)


def _known_seats(state: State, what: str, named: Iterable[str], known: tuple[str, ...]) -> None:
    odd = [seat for seat in named if seat not in known]
    if odd:
        sentence = f"{what}: {_seats(known)}; {odd[0]!r} is none of them."
        _refuse(state, "unknown-seat", sentence, "R24")


def _check_move(state: State, move: Move) -> None:
    sort = _sort_moved(state, move)
    zone = zone_at(state, move.from_)
    if not 1 <= move.count <= zone.size or (move.cards is not None and len(move.cards) != move.count):
        _refuse(
            state,
            "wrong-count",
            f"A move takes one or more of the {counted(zone.size, 'card')} in {called(move.from_)}"
            " and names all or none (null for one that nobody saw).",
            "R24",
        )
    cards = (None,) * move.count if move.cards is None else move.cards
    if None in cards and {sort_of(move.from_), sort_of(move.to)} & OPEN:
        _refuse(state, "face-up", f"Cards from or to {_open_end(move)} lie face up: name them.", "R24")
    deck = gambit_cards(state) if sort is GAMBIT else battle_cards(state)
    _refuse_fault(state, fault_in(deck, [(Source(move.from_, called(move.from_), zone), cards)]))


def _sort_moved(state: State, move: Move) -> Mapping[str, str]:
    for sorts in (BATTLE, GAMBIT):
        keys = keys_of(state, sorts)
        if move.from_ in keys and move.to in keys and move.from_ != move.to:
            return sorts
    _refuse(
        state,
        "unknown-place",
        f"Cards cannot move from {move.from_!r} to {move.to!r}: both are piles with battle cards"
        f" ({', '.join(f'{sort}.p1' for sort in BATTLE)} …) or with gambits"
        f" ({', '.join(f'{sort}.p1' for sort in GAMBIT)} …), and not the same.",
        "R24",
    )


def _open_end(move: Move) -> str:
    return called(move.from_ if sort_of(move.from_) in OPEN else move.to)


# --- resigning -----------------------------------------------------------------------------------------


def _check_resigned(state: State, event: PlayerResigned) -> None:
    if event.player not in may_resign(state):
        now = pending(state)[0].why
        why = why_stays(event.player, state.setup.seats, playing(state), "between battles only", now)
        _refuse(state, "cannot-resign", why, "R20")


_CHECKS: Final[Mapping[type[Event], Callable[[State, Any], None]]] = {
    DecksDealt: _check_dealt,
    BattleFlipped: _check_flipped,
    CardsLaid: _check_laid,
    GambitDeckRebuilt: _check_rebuilt,
    GambitsDrawn: _check_flipped,
    BattleDeckShuffled: _check_shuffled,
    AttackFlipped: _check_flipped,
    AttackModified: _check_modified,
    DecksRebuilt: _check_new_day,
}
