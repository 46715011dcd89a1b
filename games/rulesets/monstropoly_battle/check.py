"""Why an event is refused: a code, what is wrong, and what could be recorded instead."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import chain, islice
from typing import Any, Final, NoReturn

from games.core.events import Event, kind_of
from games.core.ruleset import IllegalAction
from games.kit.cards import CardZone, Source, Unseen, fault_in
from games.kit.offers import spoken
from games.rulesets.monstropoly_battle.actions import (
    can_be,
    fieldable,
    legal_actions,
    most_teams,
    next_dealt,
    on_turn,
    pending,
    shuffle_size,
)
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
from games.rulesets.monstropoly_battle.places import (
    called,
    deck_of,
    fits_team,
    kinds_with,
    top_cards,
    unseen_of_teams,
)
from games.rulesets.monstropoly_battle.state import (
    HAND,
    LETTERS,
    LINEUP,
    TEAM,
    State,
    other,
    remaining,
)
from games.rulesets.monstropoly_battle.teams import only_kind, possible_kinds
from games.words import counted, joined

_MOST_LEGAL: Final = 50
_UNKNOWN: Final = "R23"
"""The ruling on which unseen card may be which."""


def check(state: State, event: Event) -> None:
    """Accept what the rules and the cards known so far allow.

    Errors: `IllegalAction` `game-over`, `irrevocable`, `deck-empty`, `lineup-too-late`, `not-due`,
            `not-your-turn`, `wrong-count`, `both-at-once`, `already-laid`, `other-card-laid`,
            `other-card-drawn`, `unknown-seat`, `not-on-top`; of teams `already-declared`, `no-team`,
            `wrong-kind`, `same-kind`, `too-many-teams`, `not-the-maximum`, `wrong-teams`, `wrong-team`,
            `not-in-team`, `no-lineup`, `wrong-other-team`; of unseen cards those of `fault_in`.
    """
    _check_due(state, event)
    _CHECKS[type(event)](state, event)


def _refuse(state: State, event: Event, code: str, sentence: str, rule: str) -> NoReturn:
    raise IllegalAction(code, sentence, rule, _instead(state, event))


def _instead(state: State, event: Event) -> Iterable[Event]:
    """List what may be recorded now: events of the same kind if any are due, else of all."""
    due = pending(state)
    seats = tuple(dict.fromkeys(item.seat for item in due))
    listed = chain.from_iterable(legal_actions(state, seat) for seat in seats)
    kind = kind_of(event)
    same_kind = any(kind in item.kinds for item in due)
    return islice((item for item in listed if kind_of(item) == kind or not same_kind), _MOST_LEGAL)


def _check_due(state: State, event: Event) -> None:
    due = pending(state)
    if not due:
        raise IllegalAction("game-over", "The game is over; nothing more can be recorded but a correction.")
    if any(kind_of(event) in item.kinds for item in due):
        return
    if isinstance(event, CardsRevealed | CardCommitted):
        _refuse_card(state, event)
    if isinstance(event, LineupShown) and state.leader is not None:
        why = "LORDI is shown at the start of a team battle, before its first card is led."
        _refuse(state, event, "lineup-too-late", why, "Phase 2, LORDI")
    if isinstance(event, TeamsDeclared) and event.player in state.teams:
        why = f"{{{event.player}}} has set out teams already."
        _refuse(state, event, "already-declared", why, "Phase 2")
    kinds = ", ".join(dict.fromkeys(spoken(kind) for item in due for kind in item.kinds))
    _refuse(state, event, "not-due", f"{spoken(kind_of(event))} is not due now; due is {kinds}.", "R1")


def _refuse_card(state: State, event: Event) -> None:
    if state.phase.startswith("phase2."):
        why = "The deck is empty: phase 2 has begun, and no more rounds are played."
        _refuse(state, event, "deck-empty", why, "Phase 1")
    if state.phase.startswith("phase1."):
        why = "The cards of this round lie face up and cannot be withdrawn."
        _refuse(state, event, "irrevocable", why, "Phase 1")


def _check_turn(state: State, event: Event, player: str) -> None:
    if player not in on_turn(state):
        able = joined((f"{{{seat}}}" for seat in on_turn(state)), "or")
        _refuse(state, event, "not-your-turn", f"It is for {able} to act, not for {player!r}.", "R1")


def _check_seat(state: State, event: Event, player: str) -> None:
    if player not in state.setup.seats:
        seats = joined(state.setup.seats)
        _refuse(state, event, "unknown-seat", f"{player!r} does not play; {seats} do.", "R1")


def _check_source(state: State, event: Event, key: str, zone: CardZone, cards: Sequence[Unseen]) -> None:
    fault = fault_in(deck_of(state), [(Source(key, called(state, key), zone), cards)])
    if fault is not None:
        _refuse(state, event, fault.code, fault.sentence, _UNKNOWN)


def _check_hand(state: State, event: Event, seat: str, cards: Sequence[Unseen]) -> None:
    _check_source(state, event, f"hand.{seat}", state.hands[seat].zone, cards)


# --- phase one ------------------------------------------------------------------------------------------


def _check_dealt(state: State, event: HandDealt) -> None:
    _check_seat(state, event, event.player)
    if event.player != next_dealt(state):
        why = f"Hands are recorded in the order of the seats: now that of {{{next_dealt(state)}}}."
        _refuse(state, event, "not-your-turn", why, "Phase 1")
    if len(event.cards) != HAND:
        why = f"A hand has {HAND} cards, not {len(event.cards)}; an unseen one is null."
        _refuse(state, event, "wrong-count", why, "Phase 1")
    _check_source(state, event, "deck", state.deck.shuffled, event.cards)


def _check_committed(state: State, event: CardCommitted) -> None:
    _check_seat(state, event, event.player)
    if event.player in state.committed:
        why = f"{{{event.player}}} has laid a card already; it is not taken back."
        _refuse(state, event, "already-laid", why, "Phase 1")
    _check_hand(state, event, event.player, (event.card,))


def _check_revealed(state: State, event: CardsRevealed) -> None:
    if set(event.cards) != set(state.setup.seats):
        seats = joined(f"{{{seat}}}" for seat in state.setup.seats)
        _refuse(state, event, "both-at-once", f"The cards of {seats} are turned at once.", "Phase 1")
    for seat in state.setup.seats:
        laid = state.committed.get(seat)
        if laid is not None and laid != event.cards[seat]:
            why = f"{{{seat}}} laid {laid}, so {event.cards[seat]} cannot be turned up."
            _refuse(state, event, "other-card-laid", why, "Phase 1")
    taken = [
        (Source(f"hand.{seat}", called(state, f"hand.{seat}"), state.hands[seat].zone), (event.cards[seat],))
        for seat in state.setup.seats
    ]
    fault = fault_in(deck_of(state), taken)
    if fault is not None:
        _refuse(state, event, fault.code, fault.sentence, _UNKNOWN)


def _check_top(state: State, event: Event, card: Unseen) -> None:
    """Judge a card from the deck: any that may lie there, or the one that does for certain."""
    if state.deck.shuffled.size:
        _check_source(state, event, "deck", state.deck.shuffled, (card,))
    elif card is not None and card not in top_cards(state):
        why = f"The next card of the deck is {state.deck.under[0]}: it was put under it for all to see."
        _refuse(state, event, "not-on-top", why, "R4")


def _check_tie_card(state: State, event: TieCardDrawn) -> None:
    _check_top(state, event, event.card)


def _check_lot(state: State, event: LotDrawn) -> None:
    _check_seat(state, event, event.winner)


def _check_taken(state: State, event: TopCardTaken) -> None:
    if event.player != state.winner:
        why = f"{{{state.winner}}} won the round and draws, not {event.player!r}."
        _refuse(state, event, "not-your-turn", why, "Phase 1")
    _check_top(state, event, event.card)


def _check_split(state: State, event: SpoilsSplit) -> None:
    _check_turn(state, event, event.player)
    if event.drawn is None or event.drawn == state.drawn:
        return
    if state.drawn is not None:
        why = f"{{{event.player}}} drew {state.drawn}, not {event.drawn}."
        _refuse(state, event, "other-card-drawn", why, "Phase 1")
    _check_source(state, event, "drawn", CardZone((), 1), (event.drawn,))


# --- phase two: teams ----------------------------------------------------------------------------------


def _check_declared(state: State, event: TeamsDeclared) -> None:
    _check_seat(state, event, event.player)
    if event.player in state.teams:
        why = f"{{{event.player}}} has set out teams already."
        _refuse(state, event, "already-declared", why, "Phase 2")
    for team in event.teams:
        _check_team(state, event, team)
    _check_kinds(state, event)
    cards = [card for team in event.teams for card in team.cards]
    _check_hand(state, event, event.player, cards)
    _check_number(state, event)


def _check_team(state: State, event: TeamsDeclared, team: DeclaredTeam) -> None:
    if len(team.cards) != TEAM:
        why = f"A team has {TEAM} cards, not {len(team.cards)}; an unseen one is null."
        _refuse(state, event, "wrong-count", why, "The teams")
    strange = [card for card in team.cards if card is not None and card not in state.setup.cards]
    if strange:
        _refuse(state, event, "unknown-card", f"{strange[0]!r} is no card of this game.", _UNKNOWN)
    kinds = possible_kinds(state.setup, team.cards)
    if not kinds:
        _refuse(state, event, "no-team", _why_no_team(state, team.cards), "The teams")
    if team.kind is not None and team.kind not in kinds:
        known = ", ".join(card for card in team.cards if card is not None)
        why = f"The team is called {team.kind!r}, but {known or 'it'} can only be {', '.join(kinds)}."
        _refuse(state, event, "wrong-kind", why, "The teams")


def _why_no_team(state: State, cards: Sequence[Unseen]) -> str:
    faces = [state.setup.cards[card] for card in cards if card is not None]
    said = ", ".join(f"{face.name} ({face.letter or 'no letter'})" for face in faces)
    missing = [letter for letter in LETTERS if letter not in {face.letter for face in faces}]
    spell = f"; {joined(missing)} would be missing" if len(faces) == TEAM and missing else ""
    return (
        f"{said} make no team: all true members belong to one team, and wild cards fill the rest, or the"
        f" letters spell {LINEUP}, a wild card counting as its own letter only{spell}."
    )


def _check_kinds(state: State, event: TeamsDeclared) -> None:
    kinds = [team.kind for teams in state.teams.values() for team in teams]
    for team in event.teams:
        kind = team.kind or only_kind(state.setup, team.cards)
        if kind is not None and kind in kinds:
            why = f"{kind} is set out twice; there are cards for one such team only."
            _refuse(state, event, "same-kind", why, "The teams")
        kinds.append(kind)


def _check_number(state: State, event: TeamsDeclared) -> None:
    most = len(most_teams(state, event.player))
    if len(event.teams) > most:
        teams = counted(len(event.teams), "complete team")
        why = f"{{{event.player}}} cannot hold {teams}; the most is {most}."
        _refuse(state, event, "too-many-teams", why, _UNKNOWN)
    known = not state.hands[event.player].unknown
    if known and state.setup.options.declare == "maximum" and len(event.teams) < most:
        why = f"{{{event.player}}} can set out {most} teams and must (option declare)."
        _refuse(state, event, "not-the-maximum", why, "R12")


def _check_selected(state: State, event: TeamsSelected) -> None:
    _check_turn(state, event, event.player)
    teams = len(state.teams[event.player])
    chosen = set(event.teams)
    if len(event.teams) != state.battles or len(chosen) != state.battles or not chosen <= set(range(teams)):
        why = f"{state.battles} different teams out of 0 to {teams - 1} fight, not {list(event.teams)}."
        _refuse(state, event, "wrong-teams", why, "Phase 2")


def _check_shuffled(state: State, event: DeckShuffled) -> None:
    size = shuffle_size(state)
    if event.count != size:
        why = f"All cards but {2 * state.battles} fighting teams are shuffled: {size}, not {event.count}."
        _refuse(state, event, "wrong-count", why, "Phase 2")


# --- phase two: battles ----------------------------------------------------------------------------------


def _check_fielded(state: State, event: TeamFielded) -> None:
    _check_turn(state, event, event.player)
    able = fieldable(state, event.player)
    if event.team not in able:
        numbers = ", ".join(map(str, able))
        why = f"{{{event.player}}} can field the team {numbers}, not {event.team}."
        _refuse(state, event, "wrong-team", why, "Phase 2")


def _check_lineup(state: State, event: LineupShown) -> None:
    seat = event.player
    _check_seat(state, event, seat)
    against = state.fielded[other(state, seat)]
    if event.other_team != against:
        why = f"{{{other(state, seat)}}} has fielded the team {against}, not {event.other_team}."
        _refuse(state, event, "wrong-other-team", why, "R11")
    letters = tuple(state.setup.cards[card].letter for card in event.cards if card in state.setup.cards)
    if letters != LETTERS or len(event.cards) != TEAM:
        why = f"The cards shown stand in the order of the letters {', '.join(LETTERS)}."
        _refuse(state, event, "no-lineup", why, "Phase 2, LORDI")
    _check_of_team(state, event, seat, event.cards)
    number = state.fielded[seat]
    possible = LINEUP in kinds_with(state, seat, number, ())
    if not possible or not can_be(state, seat, state.teams[seat][number], event.cards):
        why = f"The team that {{{seat}}} fielded is not {', '.join(event.cards)}."
        _refuse(state, event, "no-lineup", why, "Phase 2, LORDI")


def _check_of_team(state: State, event: Event, seat: str, cards: tuple[str, ...]) -> None:
    """Judge cards of the fielded team: its known ones, or what its unseen ones may be."""
    number = state.fielded[seat]
    team = state.teams[seat][number]
    known = remaining(state, team)
    new = tuple(card for card in cards if card not in known)
    if new and not team.unseen:
        held = ", ".join(known)
        why = f"{new[0]} is not in the team that {{{seat}}} fielded; it can play {held}."
        _refuse(state, event, "not-in-team", why, "Phase 2")
    _check_source(state, event, f"mixed.{seat}", unseen_of_teams(state, seat), new)
    if not fits_team(state, seat, number, new):
        what = _said(team.kind, team.cards)
        why = f"{', '.join(new)} cannot be in the team that {{{seat}}} fielded ({what})."
        _refuse(state, event, "not-in-team", why, "The teams")


def _said(kind: str | None, cards: Sequence[Unseen]) -> str:
    known = ", ".join(card for card in cards if card is not None)
    return f"{kind or 'a team'} with {known}" if known else kind or "unseen, and other kinds are taken"


def _check_led(state: State, event: CardLed) -> None:
    _check_turn(state, event, event.player)
    _check_of_team(state, event, event.player, (event.card,))


def _check_answered(state: State, event: CardAnswered) -> None:
    _check_turn(state, event, event.player)
    _check_of_team(state, event, event.player, (event.card,))


def _check_weapon_card(state: State, event: WeaponCardDrawn) -> None:
    _check_top(state, event, event.card)


_CHECKS: Final[Mapping[type[Event], Callable[[State, Any], None]]] = {
    HandDealt: _check_dealt,
    CardCommitted: _check_committed,
    CardsRevealed: _check_revealed,
    TieCardDrawn: _check_tie_card,
    LotDrawn: _check_lot,
    TopCardTaken: _check_taken,
    SpoilsSplit: _check_split,
    TeamsDeclared: _check_declared,
    TeamsSelected: _check_selected,
    DeckShuffled: _check_shuffled,
    TeamFielded: _check_fielded,
    LineupShown: _check_lineup,
    CardLed: _check_led,
    CardAnswered: _check_answered,
    WeaponCardDrawn: _check_weapon_card,
}
