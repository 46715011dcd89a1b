"""What each viewer is told of an event."""

from __future__ import annotations

from collections.abc import Iterator

from msgspec.structs import replace

from games.core.events import Claim, Event, RecordChecked
from games.core.ruleset import EVERYTHING
from games.rulesets.monstropoly_battle.actions import UNSEEN_TEAM
from games.rulesets.monstropoly_battle.events import (
    CardCommitted,
    HandDealt,
    SpoilsSplit,
    TeamsDeclared,
    TopCardTaken,
)
from games.rulesets.monstropoly_battle.places import public_top
from games.rulesets.monstropoly_battle.state import Deck, Hand, State, Team, live, remaining, was_shown
from games.rulesets.monstropoly_battle.teams import only_kind


def redact(state: State, event: Event, viewer: str) -> Event:
    """Tell an event with the cards that this viewer sees before or after it."""
    if viewer == EVERYTHING:
        return event
    match event:
        case HandDealt() | CardCommitted() | TeamsDeclared():
            return event if viewer == event.player else _blank(event)
        case TopCardTaken():
            return _told_draw(state, event, viewer)
        case SpoilsSplit():
            return replace(event, drawn=_told_drawn(state, event, viewer))
        case RecordChecked():
            return replace(event, claims=tuple(claim for claim in event.claims if _open_claim(state, claim)))
        case _:
            return event


def _blank(event: HandDealt | CardCommitted | TeamsDeclared) -> Event:
    match event:
        case HandDealt():
            return replace(event, cards=(None,) * len(event.cards))
        case CardCommitted():
            return replace(event, card=None)
        case TeamsDeclared():
            return replace(event, teams=(UNSEEN_TEAM,) * len(event.teams))


def _told_draw(state: State, event: TopCardTaken, viewer: str) -> TopCardTaken:
    top = public_top(state)
    if top is not None:
        return replace(event, card=top)
    return event if viewer == event.player else replace(event, card=None)


def _told_drawn(state: State, event: SpoilsSplit, viewer: str) -> str | None:
    """Show the drawn card to the loser if they get it; the winner knows it or is shown it now."""
    if viewer == event.player:
        return event.drawn
    if event.gives == "drawn" and viewer in state.setup.seats:
        return state.drawn if event.drawn is None else event.drawn
    return None


def hide(state: State, viewer: str) -> State:
    """Take out each card that this viewer cannot look at now; what a ruling did is told by it."""
    return replace(
        state,
        hands={seat: hand if seat == viewer else Hand((), hand.size) for seat, hand in state.hands.items()},
        deck=Deck((), state.deck.shuffled.size, state.deck.under),
        committed={seat: card if seat == viewer else None for seat, card in state.committed.items()},
        drawn=state.drawn if viewer == state.winner else None,
        teams={seat: tuple(_hidden_teams(state, seat, viewer)) for seat in state.teams},
    )


def _hidden_teams(state: State, seat: str, viewer: str) -> Iterator[Team]:
    """Leave of the others' teams what was played, or shown as LORDI; of any team what is not in the deck."""
    here = dict(live(state, seat))
    for number, team in enumerate(state.teams[seat]):
        if number in here and (seat == viewer or was_shown(state, team)):
            yield team
        else:
            hidden = remaining(state, team) if number in here else team.cards
            cards = tuple(None if card in hidden else card for card in team.cards)
            yield replace(team, cards=cards, kind=only_kind(state.setup, cards))


def _open_claim(state: State, claim: Claim) -> bool:
    """Tell whether a claim names no card: what can be claimed are counts, so a card is somebody's slip."""
    return claim.value not in state.setup.cards
