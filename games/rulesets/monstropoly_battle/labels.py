"""Each move as a command on a button, the round, and who alone must act."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from games.core.events import Event
from games.kit.cards import Unseen
from games.rulesets.monstropoly_battle.actions import on_turn
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
from games.rulesets.monstropoly_battle.state import State, other
from games.words import joined


def label(state: State, event: Event) -> str:
    """Say a move as a command, without the player; cards that nobody saw are called so."""
    return _LABELS[type(event)](state, event)


def turn(state: State) -> str | None:
    """Give the player who alone must act; nobody's turn where both choose, in either order."""
    now = on_turn(state)
    return now[0] if len(now) == 1 else None


def round_of(state: State) -> int | None:
    """Give the round of phase one, 1 to 46; phase two counts battles."""
    return None if state.phase == "over" or state.phase.startswith("phase2") else state.round


def _name(state: State, card: Unseen) -> str:
    return "an unseen card" if card is None else state.setup.cards[card].name


def _names(state: State, cards: Iterable[Unseen]) -> str:
    return joined([_name(state, card) for card in cards])


def _with_weapon(state: State, card: str) -> str:
    printed = state.setup.cards[card]
    return f"{printed.name} ({printed.strike} {printed.weapon})"


def _reveal(state: State, event: CardsRevealed) -> str:
    cards = (f"{{{seat}}} {_with_weapon(state, card)}" for seat, card in event.cards.items())
    return f"Turn up {', '.join(cards)}"


def _split(state: State, event: SpoilsSplit) -> str:
    winner, loser = event.player, other(state, event.player)
    drawn = state.drawn if event.drawn is None else event.drawn
    spoils = {
        "own": _name(state, state.played[winner]),
        "opponent": _name(state, state.played[loser]),
        "drawn": "the drawn card" if drawn is None else _name(state, drawn),
    }
    shown = f" (drawn: {_name(state, event.drawn)})" if event.drawn and event.gives != "drawn" else ""
    return f"Give {{{loser}}} {spoils[event.gives]}{shown}"


def _declare(state: State, event: TeamsDeclared) -> str:
    if not event.teams:
        return "Set out no team"
    return f"Set out {'; '.join(_team(state, team) for team in event.teams)}"


def _team(state: State, team: DeclaredTeam) -> str:
    if set(team.cards) == {None}:
        return team.kind or "an unseen team"
    return f"{team.kind or 'a team'}: {_names(state, team.cards)}"


def _numbered(state: State, seat: str, number: int) -> str:
    teams = state.teams.get(seat, ())
    kind = teams[number].kind if number < len(teams) else None
    return f"team {number}" if kind is None else f"team {number} ({kind})"


def _select(state: State, event: TeamsSelected) -> str:
    return f"Pick {joined([_numbered(state, event.player, number) for number in event.teams])}"


def _show(state: State, event: LineupShown) -> str:
    against = _numbered(state, other(state, event.player), event.other_team)
    return f"Show LORDI ({_names(state, event.cards)}) against {against}"


_LABELS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    HandDealt: lambda state, event: f"Deal {_names(state, event.cards)} to {{{event.player}}}",
    CardCommitted: lambda state, event: f"Lay {_name(state, event.card)} face down",
    CardsRevealed: _reveal,
    TieCardDrawn: lambda state, event: f"Turn up {_name(state, event.card)}",
    LotDrawn: lambda _state, event: f"Give {{{event.winner}}} the round by lot",
    TopCardTaken: lambda state, event: f"Draw {_name(state, event.card)}",
    SpoilsSplit: _split,
    TeamsDeclared: _declare,
    TeamsSelected: _select,
    DeckShuffled: lambda _state, event: f"Shuffle {event.count} cards into a new deck",
    TeamFielded: lambda state, event: f"Field {_numbered(state, event.player, event.team)}",
    LineupShown: _show,
    CardLed: lambda state, event: f"Lead {_with_weapon(state, event.card)}",
    CardAnswered: lambda state, event: f"Answer with {_with_weapon(state, event.card)}",
    WeaponCardDrawn: lambda state, event: f"Turn up {_name(state, event.card)}",
}
