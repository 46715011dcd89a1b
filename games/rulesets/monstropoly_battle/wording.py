"""One line for each event: who did what, and what it led to."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.events import Event
from games.kit.cards import Unseen
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
from games.rulesets.monstropoly_battle.evolve import EVOLVE
from games.rulesets.monstropoly_battle.ladder import Verdict, decided, figures, pair_verdict, round_rungs
from games.rulesets.monstropoly_battle.scoring import outcome
from games.rulesets.monstropoly_battle.state import PAIR_POINTS, State, other
from games.rulesets.monstropoly_battle.teams import only_kind
from games.words import counted, joined

_ENDS: Final = {
    "automatic-loss": "only {%s} has a team and wins",
    "most-points": "{%s} wins",
    "draw": "a draw",
}


def describe(state: State, event: Event) -> str:
    """Say in one line what happens, which comparison decided, and what follows from it."""
    after = EVOLVE[type(event)](state, event)
    done = _DONE[type(event)](state, after, event)
    ended = outcome(after)
    if ended is None:
        return done
    text = _ENDS[ended.reason]
    return f"{done}; {text % ended.winners[0] if ended.winners else text}: {_points(after)}"


def _name(state: State, card: Unseen) -> str:
    return "an unseen card" if card is None else state.setup.cards[card].name


def _with_weapon(state: State, card: str) -> str:
    printed = state.setup.cards[card]
    return f"{printed.name} ({printed.strike} {printed.weapon})"


def _names(state: State, cards: Iterable[Unseen]) -> str:
    listed = tuple(cards)
    known = [_name(state, card) for card in listed if card is not None]
    unseen = len(listed) - len(known)
    if unseen:
        known.append(counted(unseen, "unseen card"))
    return joined(known)


def _points(state: State) -> str:
    return ", ".join(f"{{{seat}}} {points}" for seat, points in state.points.items())


# --- phase one ------------------------------------------------------------------------------------------


def _deals(state: State, _after: State, event: HandDealt) -> str:
    return f"{{{event.player}}} is dealt {_names(state, event.cards)}"


def _commits(state: State, _after: State, event: CardCommitted) -> str:
    return f"{{{event.player}}} lays {_name(state, event.card)} face down"


def _reveals(state: State, after: State, event: CardsRevealed) -> str:
    first, second = state.setup.seats
    cards = [_with_weapon(state, event.cards[seat]) for seat in (first, second)]
    return f"{{{first}}} plays {cards[0]}, {{{second}}} {cards[1]}: {_rungs(after, None)}"


def _rungs(after: State, third: str | None) -> str:
    """Tell the comparisons up to the one that decides, p1's figures first, and who wins by it."""
    first, second = after.setup.seats
    shown = list(round_rungs(after, third))
    verdict = decided(shown, (first, second))
    told = shown[third is not None : shown.index(verdict.rung) + 1]
    said = ", ".join(f"{rung.name} {rung.one} to {rung.two}" for rung in told)
    if verdict.winner is not None:
        return f"{said}; {{{verdict.winner}}} wins the round by {verdict.rung.name}"
    return f"{said}; equal, {_if_tied(after)}"


def _if_tied(after: State) -> str:
    match after.phase:
        case "phase1.lot":
            return "so the lot decides"
        case "phase1.choose":
            return "so both take their cards back"
        case _:
            return "so another card is turned" if after.tie_cards else "so a card is turned"


def _turns_tie_card(state: State, after: State, event: TieCardDrawn) -> str:
    compared = replace(after, played=state.played)  # both may have taken their cards back
    return f"{_name(state, event.card)} is turned: {_rungs(compared, event.card)}"


def _lots(_state: State, _after: State, event: LotDrawn) -> str:
    return f"The lot falls to {{{event.winner}}}, who wins the round"


def _takes(state: State, after: State, event: TopCardTaken) -> str:
    return f"{{{event.player}}} draws {_name(state, after.drawn)}"


def _splits(state: State, after: State, event: SpoilsSplit) -> str:
    winner, loser = event.player, other(state, event.player)
    drawn = state.drawn if event.drawn is None else event.drawn
    spoils = {
        "own": _name(state, state.played[winner]),
        "opponent": _name(state, state.played[loser]),
        "drawn": "the drawn card" if drawn is None else _name(state, drawn),
    }
    given = spoils.pop(event.gives)
    line = f"{{{winner}}} keeps {joined(spoils.values())}; {{{loser}}} gets {given}"
    return f"{line}; the deck is empty" if after.phase == "phase2.declare" else line


# --- phase two: teams ----------------------------------------------------------------------------------


def _declares(state: State, after: State, event: TeamsDeclared) -> str:
    kinds = [_kind(state, team) for team in event.teams]
    unseen = kinds.count(None)
    said = [kind for kind in kinds if kind is not None]
    if unseen:
        said.append(counted(unseen, "unseen team"))
    line = f"{{{event.player}}} sets out {joined(said) if said else 'no team'}"
    if len(after.teams) < len(state.setup.seats) or outcome(after) is not None:
        return line
    return f"{line}; {_points(after)}; {counted(after.battles, 'team battle')}"


def _kind(state: State, team: DeclaredTeam) -> str | None:
    return team.kind or only_kind(state.setup, team.cards)


def _team(state: State, seat: str, number: int) -> str:
    kind = state.teams[seat][number].kind
    return f"team {number}" if kind is None else f"team {number} ({kind})"


def _selects(state: State, _after: State, event: TeamsSelected) -> str:
    return f"{{{event.player}}} picks {joined(_team(state, event.player, number) for number in event.teams)}"


def _shuffles(_state: State, _after: State, event: DeckShuffled) -> str:
    return f"{event.count} cards are shuffled to a new deck"


def _fields(state: State, after: State, event: TeamFielded) -> str:
    line = f"{{{event.player}}} fields {_team(state, event.player, event.team)}"
    return line if after.leader is None else f"{line}; {{{after.leader}}} leads"


# --- phase two: battles ----------------------------------------------------------------------------------


def _shows(state: State, after: State, event: LineupShown) -> str:
    won = after.points[event.player] - state.points[event.player]
    names = ", ".join(_name(state, card) for card in event.cards)
    return f"{{{event.player}}} shows LORDI ({names}) and wins the team battle: {won} points"


def _leads(state: State, _after: State, event: CardLed) -> str:
    return f"{{{event.player}}} leads {_with_weapon(state, event.card)}"


def _answers(state: State, _after: State, event: CardAnswered) -> str:
    return f"{{{event.player}}} answers {_with_weapon(state, event.card)}"


def _turns_weapon_card(state: State, after: State, event: WeaponCardDrawn) -> str:
    verdict = pair_verdict(state, event.card)
    return f"{_name(state, event.card)} is turned: {_pair(state, after, verdict)}"


def _pair(state: State, after: State, verdict: Verdict) -> str:
    said = figures(verdict)
    if verdict.winner is not None:
        first = verdict.winner == state.leader
        line = f"{{{verdict.winner}}} wins by {figures(verdict, first=first)}, {PAIR_POINTS} points"
    elif after.phase == state.phase == "phase2.draw":
        return f"{said}, equal, so another card is turned"
    else:
        line = f"{said}, equal, nobody scores"
    return line if after.leader is None else f"{line}; {{{after.leader}}} leads"


_DONE: Final[Mapping[type[Event], Callable[[State, State, Any], str]]] = {
    HandDealt: _deals,
    CardCommitted: _commits,
    CardsRevealed: _reveals,
    TieCardDrawn: _turns_tie_card,
    LotDrawn: _lots,
    TopCardTaken: _takes,
    SpoilsSplit: _splits,
    TeamsDeclared: _declares,
    TeamsSelected: _selects,
    DeckShuffled: _shuffles,
    TeamFielded: _fields,
    LineupShown: _shows,
    CardLed: _leads,
    CardAnswered: _answers,
    WeaponCardDrawn: _turns_weapon_card,
}

HEADINGS: Final[Mapping[type[Event], str]] = {
    HandDealt: "Deal four cards",
    CardCommitted: "Lay a card face down",
    CardsRevealed: "Turn both cards",
    TieCardDrawn: "Turn a card of the deck",
    LotDrawn: "Draw the lot",
    TopCardTaken: "Draw the top card",
    SpoilsSplit: "Give one card away",
    TeamsDeclared: "Set the teams out",
    TeamsSelected: "Pick the teams that fight",
    DeckShuffled: "Shuffle a new deck",
    TeamFielded: "Field a team",
    LineupShown: "Show LORDI",
    CardLed: "Lead a card",
    CardAnswered: "Answer with a card",
    WeaponCardDrawn: "Turn a third card",
}
"""What each kind is called where it can be done."""
