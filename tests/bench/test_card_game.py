"""The measured ruleset folds the workload as the workload was dealt."""

from __future__ import annotations

from bench.card_game import CARD_GAME
from bench.workload import CardDiscarded, CardDrawn, CardPlayed, ScoreChanged, TurnEnded, events
from games.core.fold import fold
from games.core.start import started


def test_fold_agrees_with_a_count_of_the_events() -> None:
    dealt = events(5000)
    state = fold(CARD_GAME, CARD_GAME.setup(started(CARD_GAME, 2)), dealt)
    drawn = [event.card for event in dealt if isinstance(event, CardDrawn)]
    gone = [event.card for event in dealt if isinstance(event, CardPlayed | CardDiscarded)]
    assert sum(map(len, state.hands)) == len(drawn) - len(gone)
    assert state.turn == sum(isinstance(event, TurnEnded) for event in dealt)
    assert state.discards == sum(isinstance(event, CardDiscarded) for event in dealt)
    for player in (0, 1):
        deltas = (e.delta for e in dealt if isinstance(e, ScoreChanged) and e.player == player)
        assert state.points[player] == sum(deltas)
