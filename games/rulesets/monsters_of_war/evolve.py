"""Applying checked events; whatever follows without anybody's doing follows at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.events import Event
from games.kit.cards import EMPTY, CardZone, join, leave, without
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
from games.rulesets.monsters_of_war.scoring import holder_of_all
from games.rulesets.monsters_of_war.state import Ruling, State, playing, total
from games.rulesets.monsters_of_war.war import (
    Verdict,
    able,
    attack_verdict,
    battle_verdict,
    decks_to_shuffle,
    drawers,
    in_force,
    rebuilders,
    turners,
    unruled,
)
from games.rulesets.monsters_of_war.zones import with_zone, zone_at


def _decks_dealt(state: State, event: DecksDealt) -> State:
    return replace(
        state,
        phase="battle.flip",
        decks={seat: CardZone((), event.battle[seat]) for seat in state.setup.seats},
        gambit_decks={seat: CardZone((), event.gambits[seat]) for seat in state.setup.seats},
    )


# --- battle ------------------------------------------------------------------------------------------


def _battle_flipped(state: State, event: BattleFlipped) -> State:
    shown = turned(state, event.cards)
    verdict = battle_verdict(shown, event.cards)
    if verdict.winner is not None:
        return _won(shown, verdict.winner)
    if verdict.fighting:
        return _war(shown, verdict)
    if state.setup.options.tie == "keep":
        return _each_their_own(shown)
    return _closed(shown)


def turned(state: State, cards: Mapping[str, str]) -> State:
    """Turn the top card of each Battle Deck named."""
    decks, field = dict(state.decks), dict(state.field)
    for seat, card in cards.items():
        decks[seat] = without(decks[seat], (card,))
        field[seat] += (card,)
    return replace(state, decks=decks, field=field)


# --- the War Sequence --------------------------------------------------------------------------------


def _war(state: State, verdict: Verdict) -> State:
    """Begin a War Sequence, the first or a further one; gambits of the one before are discarded."""
    return replace(_discarded(state), phase="war.lay", fighting=verdict.fighting, lay=verdict.lay)


def _cards_laid(state: State, event: CardsLaid) -> State:
    decks, laid = dict(state.decks), dict(state.laid)
    for seat, count in event.counts.items():
        cards = (None,) * count if event.cards is None else event.cards[seat]
        decks[seat], gone = leave(decks[seat], cards)
        laid[seat] = join(laid[seat], gone)
    return _to_gambits(replace(state, decks=decks, laid=laid))


def _to_gambits(state: State) -> State:
    if rebuilders(state):
        return replace(state, phase="war.rebuild")
    if drawers(state):
        return replace(state, phase="war.gambit")
    return _to_attack(state)


def _gambit_deck_rebuilt(state: State, event: GambitDeckRebuilt) -> State:
    seat = event.player
    return _to_gambits(
        replace(
            state,
            gambit_decks={**state.gambit_decks, seat: CardZone(state.gambit_discards[seat], 0)},
            gambit_discards={**state.gambit_discards, seat: ()},
        )
    )


def _gambits_drawn(state: State, event: GambitsDrawn) -> State:
    decks = dict(state.gambit_decks)
    for seat, card in event.cards.items():
        decks[seat] = without(decks[seat], (card,))
    return _to_attack(replace(state, gambit_decks=decks, gambits=event.cards))


def _to_attack(state: State) -> State:
    """Go on with those who can attack; with one of them or none the War is settled already."""
    fighting = able(state)
    if not fighting:
        return _each_their_own(state)
    if len(fighting) == 1:
        return _won(state, fighting[0])
    narrowed = replace(state, fighting=fighting)
    shuffles = decks_to_shuffle(narrowed)
    if shuffles:
        return replace(narrowed, phase="war.shuffle", shuffles=shuffles)
    return _attack(narrowed)


def _battle_deck_shuffled(state: State, event: BattleDeckShuffled) -> State:
    left = tuple(seat for seat in state.shuffles if seat != event.player)
    shuffled = replace(state, shuffles=left)
    return shuffled if left else _attack(shuffled)


def _attack(state: State) -> State:
    return replace(state, phase="war.attack") if turners(state) else _compared(state)


def _attack_flipped(state: State, event: AttackFlipped) -> State:
    return _compared(turned(state, event.cards))


def _attack_modified(state: State, event: AttackModified) -> State:
    return _compared(modified(state, event))


def modified(state: State, event: AttackModified) -> State:
    """Do what the table says that a gambit did, before the attacks are compared."""
    ruling = Ruling(event.changes, event.wins, event.cancels)
    after = replace(state, rulings={**state.rulings, event.player: ruling})
    for move in event.moves:
        after = moved(after, move)
    return after


def moved(state: State, move: Move) -> State:
    """Move cards from one pile to another as a gambit said."""
    cards = (None,) * move.count if move.cards is None else move.cards
    rest, gone = leave(zone_at(state, move.from_), cards)
    left = with_zone(state, move.from_, rest)
    return with_zone(left, move.to, join(zone_at(left, move.to), gone))


def _compared(state: State) -> State:
    """Find who wins the attack, once the table has said what each manual gambit did."""
    force = in_force(state)
    if unruled(state, force):
        return replace(state, phase="war.ruling")
    verdict = attack_verdict(state, force)
    if verdict.winner is not None:
        return _won(state, verdict.winner)
    if verdict.fighting and _can_go_on(state, verdict.fighting):
        return _war(state, verdict)
    return _each_their_own(state)


def _can_go_on(state: State, fighting: Iterable[str]) -> bool:
    """Tell whether a further attack could differ: last cards that lie there already never would."""
    if state.setup.options.short != "last-card-attacks":
        return True
    return any(state.decks[seat].size for seat in fighting)


# --- what a battle or War leaves behind --------------------------------------------------------------


def _won(state: State, winner: str) -> State:
    """Give the whole Battlefield to one player."""
    known, unknown = [*state.spoils[winner].known], state.spoils[winner].unknown
    for cards in state.field.values():
        known += cards
    for pile in state.laid.values():
        known += pile.known
        unknown += pile.unknown
    return _closed(_cleared(state, {**state.spoils, winner: CardZone(tuple(known), unknown)}))


def _each_their_own(state: State) -> State:
    """Give the Battlefield back: what each turned and laid goes to their own Spoils."""
    spoils = {
        seat: join(zone, CardZone(state.field[seat], 0), state.laid[seat])
        for seat, zone in state.spoils.items()
    }
    return _closed(_cleared(state, spoils))


def _cleared(state: State, spoils: dict[str, CardZone]) -> State:
    """Clear the Battlefield, whose cards lie in these Spoils now."""
    setup = state.setup
    return replace(state, spoils=spoils, field=setup.no_cards, laid=setup.no_piles)


def _discarded(state: State) -> State:
    """Discard the gambits of a War Sequence; what they did is over."""
    discards = dict(state.gambit_discards)
    for seat, card in state.gambits.items():
        discards[seat] = (*discards[seat], card)
    return replace(state, gambits={}, gambit_discards=discards, rulings={}, shuffles=())


def _closed(state: State) -> State:
    """End a battle or War: who is out, whether the game or the Day is over."""
    rest = replace(_discarded(state), lay=0, fighting=()) if state.lay else state
    if _can_turn(rest):
        return replace(rest, phase="battle.flip")
    empty = tuple(seat for seat in playing(rest) if not total(rest, seat) and not rest.field[seat])
    rest = replace(rest, out=rest.out + empty) if empty else rest
    if holder_of_all(rest) is not None:
        return replace(rest, phase="over")
    if _can_turn(rest):
        return replace(rest, phase="battle.flip")
    last = rest.day == rest.setup.options.days
    return replace(_carried_back(rest), phase="over" if last else "day.shuffle")


def _can_turn(state: State) -> bool:
    """Tell whether everybody in the game has a card for the next battle."""
    if not state.out:
        return EMPTY not in state.decks.values()
    return EMPTY not in [state.decks[seat] for seat in playing(state)]


def _carried_back(state: State) -> State:
    """Return cards that still wait for the next battle to the Spoils of their owners."""
    spoils = {seat: join(zone, CardZone(state.field[seat], 0)) for seat, zone in state.spoils.items()}
    return _cleared(state, spoils)


def _decks_rebuilt(state: State, event: DecksRebuilt) -> State:
    return replace(
        state,
        phase="battle.flip",
        day=event.day,
        decks={seat: join(zone, state.decks[seat]) for seat, zone in state.spoils.items()},
        spoils=dict.fromkeys(state.spoils, EMPTY),
    )


def _player_resigned(state: State, event: PlayerResigned) -> State:
    seat = event.player
    cards = join(state.decks[seat], state.spoils[seat], CardZone(state.field[seat], 0))
    left = replace(
        state,
        decks={**state.decks, seat: EMPTY},
        spoils={**state.spoils, seat: EMPTY},
        field={**state.field, seat: ()},
        aside={**state.aside, seat: cards},
        out=(*state.out, seat),
    )
    return replace(_carried_back(left), phase="over") if len(playing(left)) == 1 else left


EVOLVE: Final[dict[type[Event], Callable[[State, Any], State]]] = {
    DecksDealt: _decks_dealt,
    BattleFlipped: _battle_flipped,
    CardsLaid: _cards_laid,
    GambitDeckRebuilt: _gambit_deck_rebuilt,
    GambitsDrawn: _gambits_drawn,
    BattleDeckShuffled: _battle_deck_shuffled,
    AttackFlipped: _attack_flipped,
    AttackModified: _attack_modified,
    DecksRebuilt: _decks_rebuilt,
    PlayerResigned: _player_resigned,
}
