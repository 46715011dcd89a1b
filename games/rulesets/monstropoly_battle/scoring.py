"""Who has won, what each seat counts, and what must always be there."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Final

from games.core.ruleset import BrokenInvariant, Outcome
from games.rulesets.monstropoly_battle.places import known_at
from games.rulesets.monstropoly_battle.state import (
    LINEUP,
    ROUNDS,
    TEAM,
    State,
    Team,
    live,
    shuffled,
    unseen_in_teams,
)
from games.rulesets.monstropoly_battle.teams import possible_kinds
from games.words import counted

MOST_POINTS: Final = 10_000
"""More than all cards can win many times over."""
_PAIRED: Final = frozenset({"phase2.lead", "phase2.answer", "phase2.draw"})
_FIGHTING: Final = _PAIRED | {"phase2.field"}

REASONS: Final[Mapping[str, str]] = {
    "automatic-loss": "the other has no team",
    "most-points": "most points",
}
"""How each end is said behind who won."""


def scores(state: State) -> dict[str, int]:
    """Give the points as they stand; they begin in phase two."""
    return dict(state.points)


def outcome(state: State) -> Outcome | None:
    """Say how the game ended.

    Reasons: `automatic-loss` (one is without a team), `most-points`, `draw`.
    """
    if state.phase != "over":
        return None
    teamless = [seat for seat in state.setup.seats if not state.teams.get(seat)]
    if len(teamless) == 1:
        winners = tuple(seat for seat in state.setup.seats if seat not in teamless)
        return Outcome("automatic-loss", winners, scores(state))
    most = max(state.points.values())
    best = tuple(seat for seat in state.setup.seats if state.points[seat] == most)
    if len(best) > 1:
        return Outcome("draw", (), scores(state))
    return Outcome("most-points", best, scores(state))


# --- invariants ---------------------------------------------------------------------------------------


def invariants(state: State) -> None:
    """Hold every card to one place and every phase to what it needs.

    Errors: `BrokenInvariant`.
    """
    for fault in _faults(state):
        raise BrokenInvariant(fault)


def _faults(state: State) -> Iterator[str]:
    yield from _wrong_seats(state)
    yield from _wrong_teams(state)
    yield from _wrong_cards(state)
    yield from _nothing_to_wait_for(state)
    if not 1 <= state.round <= ROUNDS:
        yield f"there is no round {state.round}"


def _wrong_cards(state: State) -> Iterator[str]:
    known = known_at(state)
    unknown = [
        *(hand.unknown for hand in state.hands.values()),
        *(unseen_in_teams(state, seat) for seat in state.setup.seats),
        state.deck.unknown,
        _unseen_drawn(state),
    ]
    if min(unknown) < 0:
        yield "a pile holds less than no unknown card"
    held = Counter(card for cards in known.values() for card in cards)
    yield from (f"{card} is no card" for card in _named(state) if card not in state.setup.cards)
    for seat, laid in state.committed.items():
        if laid is not None and laid not in state.hands[seat].known and not state.hands[seat].unknown:
            yield f"{seat} has laid {laid}, which is not in their hand"
    elsewhere = {card for key, cards in known.items() if not key.startswith("hand.") for card in cards}
    if elsewhere & set(state.committed.values()):
        yield "a card that is laid lies elsewhere too"
    for card, times in held.items():
        if times > 1:
            yield f"{card} lies in {times} places"
    total = held.total() + sum(unknown)
    if total != len(state.setup.cards):
        yield f"there are {total} of {counted(len(state.setup.cards), 'card')}"


def _named(state: State) -> Iterator[str]:
    """Every card that the state names, wherever."""
    named = [*state.committed.values(), state.led, state.answered, state.drawn, *state.spent]
    named += [card for hand in state.hands.values() for card in hand.mixed]
    named += [card for teams in state.teams.values() for team in teams for card in team.cards]
    named += [card for cards in known_at(state).values() for card in cards]
    yield from (card for card in named if card is not None)


def _unseen_drawn(state: State) -> int:
    return int(state.phase == "phase1.split" and state.drawn is None)


def _wrong_seats(state: State) -> Iterator[str]:
    seats = set(state.setup.seats)
    if any(set(part) != seats for part in (state.hands, state.wins, state.points)):
        yield "a seat is missing, or there is one too many"
    if any(not set(part) <= seats for part in (state.committed, state.played, state.teams, state.fielded)):
        yield "something belongs to no seat"
    if any(min(part.values(), default=0) < 0 for part in (state.wins, state.points)):
        yield "somebody has won less than nothing"
    if max(0, *state.wins.values(), *state.points.values()) > MOST_POINTS:
        yield "more is won than there is to win"
    if not {state.winner, state.leader, state.last_loser} <= {*seats, None}:
        yield "who won, leads or lost last is no seat"


def _wrong_teams(state: State) -> Iterator[str]:
    for seat, teams in state.teams.items():
        if any(team.kind not in {*state.setup.teams, LINEUP, None} for team in teams):
            yield f"a team of {seat} is of no kind"
        if any(len(team.cards) != TEAM for team in teams):
            yield f"a team of {seat} has not {TEAM} places"
        if any(not _can_be(state, team) for team in teams):
            yield f"a team of {seat} has cards that its kind cannot have"
        if not shuffled(state) and any(team.used for team in teams):
            yield f"a team of {seat} is used before the first battle (/teams, /battle)"
        if shuffled(state) and state.hands[seat].size:
            yield f"{seat} still holds {counted(state.hands[seat].size, 'card')}"
        if shuffled(state) and len(live(state, seat)) != state.battles:
            fighting = counted(len(live(state, seat)), "team")
            yield f"{seat} fights with {fighting} in {counted(state.battles, 'battle')}"
        yield from _wrong_fighters(state, seat)


def _can_be(state: State, team: Team) -> bool:
    known = [card for card in team.cards if card in state.setup.cards]
    kinds = possible_kinds(state.setup, known)
    return team.kind in kinds if team.kind is not None else bool(kinds)


def _wrong_fighters(state: State, seat: str) -> Iterator[str]:
    """Find teams, or cards of theirs, that would be lacking in a later battle or pair."""
    fight = [number for number, team in enumerate(state.teams[seat]) if team.selected]
    fresh = [number for number in fight if not state.teams[seat][number].used]
    unused = counted(len(fresh), "unused team")
    if state.phase in {"phase2.select", "phase2.shuffle"}:
        choosing = state.phase == "phase2.select" and len(state.teams[seat]) > state.battles
        if len(fresh) != state.battles and not choosing:
            yield f"{seat} has {unused} for {counted(state.battles, 'battle')} (/teams, /battles)"
    elif state.phase in _FIGHTING and len(fresh) != state.battles - state.battle + 1:
        yield f"{seat} has {unused} in battle {state.battle} (/teams, /battle, /battles)"
    elif state.phase in _FIGHTING:
        for number in fresh:
            fielded = state.fielded.get(seat) == number
            gone = TEAM - len(_unspent(state, state.teams[seat][number]))
            if gone != (state.pair - 1 if fielded and state.pair else 0):
                yield f"{gone} of the cards of {seat}'s team {number} are spent (/spent, /pair)"


def _unspent(state: State, team: Team) -> list[str | None]:
    return [card for card in team.cards if card is None or card not in state.spent]


def _nothing_to_wait_for(state: State) -> Iterator[str]:
    """Find a phase that nobody could leave, or that lacks what it is about."""
    seats = set(state.setup.seats)
    on_table = state.phase in {"phase1.tie", "phase1.lot", "phase1.take", "phase1.split"}
    if set(state.played) != (seats if on_table else set()):
        yield f"in {state.phase} the cards of {sorted(state.played)} lie face up"
    if (state.winner is not None) != (state.phase in {"phase1.take", "phase1.split"}):
        yield f"in {state.phase} the winner of the round is {state.winner}"
    if state.drawn is not None and state.phase != "phase1.split":
        yield f"in {state.phase} {state.drawn} is drawn (/drawn)"
    if state.phase in {"phase1.tie", "phase1.take"} and not state.deck.size:
        yield f"in {state.phase} the deck is empty"
    if state.phase == "phase1.choose" and not all(hand.size for hand in state.hands.values()):
        yield "a player has no card to choose"
    if state.phase != "phase1.choose" and state.committed:
        yield f"in {state.phase} the cards of {sorted(state.committed)} are laid (/committed)"
    if state.phase == "phase2.declare" and set(state.teams) == seats:
        yield "in phase2.declare both have declared (/teams)"
    elif state.phase.startswith("phase2.") and state.phase != "phase2.declare" and set(state.teams) != seats:
        yield f"in {state.phase} not both have declared (/teams)"
    elif state.phase == "phase2.select" and state.battles == max(map(len, state.teams.values())):
        yield "in phase2.select nobody has more teams than there are battles (/teams, /battles)"
    yield from _wrong_battle(state, seats)


def _wrong_battle(state: State, seats: set[str]) -> Iterator[str]:
    paired = state.phase in _PAIRED
    if not _in_order(state):
        which = f"pair {state.pair} of battle {state.battle} of {state.battles}"
        yield f"in {state.phase} there is no {which} (/pair, /battle, /battles)"
    if (state.leader is not None) != paired:
        yield f"in {state.phase} {state.leader} leads (/leader)"
    if set(state.fielded) != seats if paired else state.phase != "phase2.field" and state.fielded:
        yield f"in {state.phase} {sorted(state.fielded)} have fielded a team (/fielded)"
    if state.phase == "phase2.field" and set(state.fielded) == seats:
        yield "in phase2.field both have fielded a team (/fielded)"
    if (state.led is not None) != (state.phase in {"phase2.answer", "phase2.draw"}):
        yield f"in {state.phase} the card led is {state.led}"
    if (state.answered is not None) != (state.phase == "phase2.draw"):
        yield f"in {state.phase} the answer is {state.answered}"
    for seat, number in state.fielded.items():
        yield from _wrong_fielded(state, seat, number)


def _wrong_fielded(state: State, seat: str, number: int) -> Iterator[str]:
    teams = state.teams.get(seat, ())
    if not 0 <= number < len(teams) or not teams[number].selected:
        yield f"{seat} fields the team {number}, which does not fight"
        return
    if teams[number].used:
        yield f"{seat} fields the team {number}, which is used (/fielded, /teams)"
    card = state.led if seat == state.leader else state.answered
    if card is not None and card not in teams[number].cards:
        yield f"{card} is played and is not in the team that {seat} fielded (/fielded, /teams)"


def _in_order(state: State) -> bool:
    """Tell whether battle and pair are such as the phase has."""
    most = len(state.setup.cards) // (2 * TEAM)
    if state.phase in _FIGHTING:
        least = 1 if state.phase in _PAIRED else 0
        pairs = TEAM if state.phase in _PAIRED else 0
        return 1 <= state.battle <= state.battles <= most and least <= state.pair <= pairs
    if state.phase == "over":
        least = min(len(state.teams.get(seat, ())) for seat in state.setup.seats)
        fought = len(state.teams) == len(state.setup.seats) and state.battle == state.battles == least
        return fought and 0 <= state.pair <= TEAM
    if state.phase in {"phase2.select", "phase2.shuffle"}:
        return state.battle == 0 and 1 <= state.battles <= most and state.pair == 0
    return state.battle == state.battles == state.pair == 0
