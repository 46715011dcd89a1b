"""What may come next, and what chance may bring."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from itertools import chain, combinations
from typing import Final

from games.core.events import Event, kind_of
from games.core.ruleset import CHANCE, TABLE, Choice, OneOf, Pending, Random, SomeOf
from games.kit.cards import draw
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
    SpoilsSplit,
    TeamFielded,
    TeamsDeclared,
    TeamsSelected,
    TieCardDrawn,
    TopCardTaken,
    WeaponCardDrawn,
)
from games.rulesets.monstropoly_battle.evolve import lot_is_due
from games.rulesets.monstropoly_battle.places import (
    holdable,
    kinds_with,
    playable,
    top_cards,
    unplaced_cards,
    unseen_cards,
    unseen_of_teams,
)
from games.rulesets.monstropoly_battle.state import (
    HAND,
    LINEUP,
    TEAM,
    Phase,
    State,
    Team,
    other,
    remaining,
)
from games.rulesets.monstropoly_battle.teams import Formed, best_teams, lineups, most_ways, possible_teams

UNSEEN_TEAM: Final = DeclaredTeam(None, (None,) * TEAM)
_DUE: Final[Mapping[Phase, tuple[str, type[Event], str]]] = {
    "dealing": (CHANCE, HandDealt, "four cards each are dealt"),
    "phase1.choose": (TABLE, CardsRevealed, "both play a card at once"),
    "phase1.tie": (CHANCE, TieCardDrawn, "equal: a card is turned"),
    "phase1.lot": (CHANCE, LotDrawn, "all equal: the lot decides"),
    "phase1.take": (CHANCE, TopCardTaken, "the winner draws"),
    "phase2.shuffle": (CHANCE, DeckShuffled, "all other cards make a new deck"),
    "phase2.draw": (CHANCE, WeaponCardDrawn, "a third card is turned"),
}
"""Whose a phase is where that is no player, the kind, and why."""


def pending(state: State) -> tuple[Pending, ...]:
    """Say who must decide; laying a card first and showing LORDI are a may for both.

    Nothing here depends on which cards are known.
    """
    if state.phase == "over":
        return ()
    if both_laid(state):
        return (Pending(CHANCE, (kind_of(CardsRevealed),), why="both cards are turned"),)
    if state.phase in _DUE:
        return (*_by_chance(state), *_commits(state))
    return tuple(_by_players(state))


def both_laid(state: State) -> bool:
    """Tell whether both lay face down: to turn them is then nobody's decision."""
    return state.phase == "phase1.choose" and len(state.committed) == len(state.setup.seats)


def _by_chance(state: State) -> Iterator[Pending]:
    seat, event, why = _DUE[state.phase]
    lot = (kind_of(LotDrawn),) if lot_is_due(state) else ()
    yield Pending(seat, (kind_of(event), *lot), why=why)


def _commits(state: State) -> Iterator[Pending]:
    if state.phase == "phase1.choose":
        for seat in state.setup.seats:
            if seat not in state.committed:
                yield Pending(
                    seat, (kind_of(CardCommitted),), must=False, why="may lay a card face down first"
                )


def _by_players(state: State) -> Iterator[Pending]:
    for seat in on_turn(state):
        yield Pending(seat, (kind_of(_ACTIONS[state.phase][0]),), why=_ACTIONS[state.phase][1])
    if may_show(state):
        for seat in state.setup.seats:
            yield Pending(seat, (kind_of(LineupShown),), must=False, why="shows LORDI before the first pair")


_ACTIONS: Final[Mapping[Phase, tuple[type[Event], str]]] = {
    "phase1.split": (SpoilsSplit, "gives the loser one of the three cards"),
    "phase2.declare": (TeamsDeclared, "sets out complete teams"),
    "phase2.select": (TeamsSelected, "picks the teams that fight"),
    "phase2.field": (TeamFielded, "fields a team"),
    "phase2.lead": (CardLed, "leads a card"),
    "phase2.answer": (CardAnswered, "answers"),
}


def on_turn(state: State) -> tuple[str, ...]:
    """List the players who must act now, in the order of the seats."""
    seats = state.setup.seats
    now: tuple[str | None, ...] = ()
    match state.phase:
        case "phase1.split" | "phase2.lead":
            now = (state.winner or state.leader,)
        case "phase2.declare" | "phase2.field":
            done = state.teams if state.phase == "phase2.declare" else state.fielded
            now = tuple(seat for seat in seats if seat not in done)
        case "phase2.select":
            now = (max(seats, key=lambda seat: len(state.teams[seat])),)
        case "phase2.answer":
            now = tuple(seat for seat in seats if seat != state.leader)
        case _:
            pass
    return tuple(seat for seat in now if seat is not None)


def may_show(state: State) -> bool:
    """Tell whether a battle is at the point where LORDI may be shown."""
    return state.phase == "phase2.lead" and state.pair == 1


# --- what can be listed --------------------------------------------------------------------------------


def legal_actions(state: State, seat: str) -> Iterator[Event]:
    """Offer the events that can be listed; a dealt hand and a reveal are forms.

    Order: cards known to lie there first, in the order in which they came, then those that may; an unseen
           card last.  Teams: the most that the hand makes, then fewer of these (option `declare` maximum:
           then others as many), or unseen ones.
    """
    if seat == CHANCE:
        return _chances(state)
    if seat not in state.setup.seats:
        return iter(())
    listed = _LISTED.get(state.phase) if seat in on_turn(state) or state.phase == "phase1.choose" else None
    return _with_lineup(state, seat, iter(()) if listed is None else listed(state, seat))


def _with_lineup(state: State, seat: str, listed: Iterator[Event]) -> Iterator[Event]:
    yield from listed
    if may_show(state):
        yield from _lineups(state, seat)


def _chances(state: State) -> Iterator[Event]:
    match state.phase:
        case "phase1.choose" if both_laid(state) and None not in state.committed.values():
            yield CardsRevealed({seat: str(state.committed[seat]) for seat in state.setup.seats})
        case "phase1.tie":
            yield from (TieCardDrawn(card) for card in top_cards(state))
            if lot_is_due(state):
                yield from _lots(state)
        case "phase1.lot":
            yield from _lots(state)
        case "phase1.take":
            winner = str(state.winner)
            yield from (TopCardTaken(winner, card) for card in top_cards(state))
            yield TopCardTaken(winner)
        case "phase2.shuffle":
            yield DeckShuffled(shuffle_size(state))
        case "phase2.draw":
            yield from (WeaponCardDrawn(card) for card in top_cards(state))


def _lots(state: State) -> Iterator[LotDrawn]:
    return (LotDrawn(seat) for seat in state.setup.seats)


def shuffle_size(state: State) -> int:
    """Count the cards that are in no fighting team."""
    return len(state.setup.cards) - 2 * TEAM * state.battles


def _listed_commits(state: State, seat: str) -> Iterator[CardCommitted]:
    if seat not in state.committed:
        yield from (CardCommitted(seat, card) for card in holdable(state, seat))
        if state.hands[seat].unknown:
            yield CardCommitted(seat)


def _listed_splits(_state: State, seat: str) -> Iterator[SpoilsSplit]:
    yield SpoilsSplit(seat, "own")
    yield SpoilsSplit(seat, "opponent")
    yield SpoilsSplit(seat, "drawn")


def _listed_declarations(state: State, seat: str) -> Iterator[TeamsDeclared]:
    most = most_teams(state, seat)
    if state.hands[seat].unknown:
        for count in range(len(most), -1, -1):
            yield TeamsDeclared(seat, (UNSEEN_TEAM,) * count)
        return
    if state.setup.options.declare == "maximum":
        ways = most_ways(state.setup, state.hands[seat].known)
    else:
        ways = chain.from_iterable(combinations(most, count) for count in range(len(most), -1, -1))
    for teams in ways:
        yield TeamsDeclared(seat, tuple(DeclaredTeam(team.kind, team.cards) for team in teams))


def most_teams(state: State, seat: str) -> tuple[Formed, ...]:
    """Form the most teams that a hand can make, unseen cards taken for the best that they may be."""
    room = state.hands[seat].size // TEAM
    return best_teams(state.setup, frozenset(holdable(state, seat)))[:room]


def _listed_selections(state: State, seat: str) -> Iterator[TeamsSelected]:
    numbers = range(len(state.teams[seat]))
    return (TeamsSelected(seat, chosen) for chosen in combinations(numbers, state.battles))


def fieldable(state: State, seat: str) -> tuple[int, ...]:
    """List the numbers of the teams that a seat may field."""
    teams = enumerate(state.teams[seat])
    return tuple(number for number, team in teams if team.selected and not team.used)


def _listed_fields(state: State, seat: str) -> Iterator[TeamFielded]:
    return (TeamFielded(seat, number) for number in fieldable(state, seat))


def _listed_leads(state: State, seat: str) -> Iterator[CardLed]:
    return (CardLed(seat, card) for card in playable(state, seat, state.fielded[seat]))


def _listed_answers(state: State, seat: str) -> Iterator[CardAnswered]:
    return (CardAnswered(seat, card) for card in playable(state, seat, state.fielded[seat]))


_LISTED: Final[Mapping[Phase, Callable[[State, str], Iterator[Event]]]] = {
    "phase1.choose": _listed_commits,
    "phase1.split": _listed_splits,
    "phase2.declare": _listed_declarations,
    "phase2.select": _listed_selections,
    "phase2.field": _listed_fields,
    "phase2.lead": _listed_leads,
    "phase2.answer": _listed_answers,
}


def _lineups(state: State, seat: str) -> Iterator[LineupShown]:
    number = state.fielded[seat]
    team = state.teams[seat][number]
    if LINEUP not in kinds_with(state, seat, number, ()):
        return
    pool = frozenset((*remaining(state, team), *unseen_cards(state, seat, team)))
    for cards in lineups(state.setup, pool):
        if can_be(state, seat, team, cards):
            yield LineupShown(seat, cards, state.fielded[other(state, seat)])


def can_be(state: State, seat: str, team: Team, cards: tuple[str, ...]) -> bool:
    """Tell whether a team can be exactly these five cards, as far as the record knows."""
    named = {card for card in team.cards if card is not None}
    new = [card for card in cards if card not in named]
    zone = unseen_of_teams(state, seat)
    strangers = sum(card not in zone.known for card in new)
    return named <= set(cards) and len(new) == team.unseen and strangers <= zone.unknown


# --- forms and chance ------------------------------------------------------------------------------------


def open_choices(state: State, seat: str) -> Iterator[Choice]:
    """Give as forms what cannot be listed: a dealt hand, both cards of a round, teams of one's choice."""
    if state.phase == "dealing" and seat == CHANCE:
        cards = SomeOf("cards", unplaced_cards(state), HAND, HAND)
        yield Choice(kind_of(HandDealt), {"player": next_dealt(state)}, (cards,))
    elif state.phase == "phase1.choose" and seat == _turning(state):
        asks = tuple(OneOf(f"cards.{player}", revealable(state, player)) for player in state.setup.seats)
        yield Choice(kind_of(CardsRevealed), {}, asks)
    elif state.phase == "phase2.declare" and seat in on_turn(state):
        yield from _teams_of_choice(state, seat)


def _teams_of_choice(state: State, seat: str) -> Iterator[Choice]:
    """Where a known hand makes other teams than those listed: take some of all that it can make."""
    most = most_teams(state, seat)
    teams = tuple(possible_teams(state.setup, state.hands[seat].known))
    if state.hands[seat].unknown or state.setup.options.declare == "maximum" or len(teams) == len(most):
        return
    values = tuple({"kind": team.kind, "cards": list(team.cards)} for team in teams)
    asked = SomeOf("teams", values, 1, len(most))
    yield Choice(kind_of(TeamsDeclared), {"player": seat}, (asked,), f"{{{seat}}} sets out other teams")


def _turning(state: State) -> str | None:
    """Say whose the form is that names both cards; nobody's where the record knows what lies there."""
    if not both_laid(state):
        return TABLE
    return CHANCE if None in state.committed.values() else None


def next_dealt(state: State) -> str:
    """Name who gets their hand next."""
    return next(seat for seat in state.setup.seats if not state.hands[seat].size)


def revealable(state: State, seat: str) -> tuple[str, ...]:
    """List the cards that a seat may turn up: what it laid, if that is known, else any of its hand."""
    laid = state.committed.get(seat)
    return holdable(state, seat) if laid is None else (laid,)


def deal(state: State, rng: Random) -> Event:
    """Bring about one thing that no player decides; each unplaced card is as likely at each unseen place."""
    if state.phase == "phase1.lot" or lot_is_due(state):
        return LotDrawn(rng.choice(state.setup.seats))
    return _DEALT[state.phase](state, rng)


def _hand(state: State, rng: Random) -> HandDealt:
    return HandDealt(next_dealt(state), tuple(draw(state.deck.shuffled, unplaced_cards(state), rng, HAND)))


def _turned(state: State, rng: Random) -> CardsRevealed:
    """Turn what both laid; an unseen card is any that it can be."""
    cards: dict[str, str] = {}
    for seat in sorted(state.setup.seats, key=lambda seat: len(revealable(state, seat))):
        cards[seat] = rng.choice([card for card in revealable(state, seat) if card not in cards.values()])
    return CardsRevealed({seat: cards[seat] for seat in state.setup.seats})


def _next_card(state: State, rng: Random) -> str:
    if not state.deck.shuffled.size:
        return state.deck.under[0]
    return draw(state.deck.shuffled, unplaced_cards(state), rng, 1)[0]


_DEALT: Final[Mapping[Phase, Callable[[State, Random], Event]]] = {
    "dealing": _hand,
    "phase1.choose": _turned,
    "phase1.tie": lambda state, rng: TieCardDrawn(_next_card(state, rng)),
    "phase1.take": lambda state, rng: TopCardTaken(str(state.winner), _next_card(state, rng)),
    "phase2.shuffle": lambda state, _: DeckShuffled(shuffle_size(state)),
    "phase2.draw": lambda state, rng: WeaponCardDrawn(_next_card(state, rng)),
}
