"""From the first event to the first state."""

from __future__ import annotations

from games.core.events import RecordStarted
from games.rulesets.monstropoly_battle.state import Data, Deck, Hand, Options, Setup, State


def suggested(_seats: tuple[str, ...]) -> Options:
    """Give the readings that a new game gets: all defaults."""
    return Options()


def setup(started: RecordStarted[Options, Data]) -> State:
    """Lay the shuffled deck on the table."""
    cards = {card.id: card for card in started.data.cards}
    teams = tuple(dict.fromkeys(card.team for card in cards.values() if card.team is not None))
    return State(
        phase="dealing",
        round=1,
        hands=dict.fromkeys(started.seats, Hand((), 0)),
        deck=Deck((), len(cards), ()),
        committed={},
        played={},
        tie_cards=(),
        winner=None,
        drawn=None,
        wins=dict.fromkeys(started.seats, 0),
        teams={},
        battle=0,
        battles=0,
        pair=0,
        fielded={},
        leader=None,
        led=None,
        answered=None,
        spent=(),
        points=dict.fromkeys(started.seats, 0),
        last_loser=None,
        setup=Setup(started.seats, started.options, cards, teams),
    )
