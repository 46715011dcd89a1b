"""From the first event to the first state."""

from __future__ import annotations

from games.core.events import RecordStarted
from games.core.ruleset import IllegalAction
from games.kit.cards import CardZone
from games.rulesets.monster_maker.state import Data, Options, Setup, State


def suggested(_seats: tuple[str, ...]) -> Options:
    """Give the readings that a new game gets: all defaults."""
    return Options()


def setup(started: RecordStarted[Options, Data]) -> State:
    """Shuffle everything and deal nothing yet.

    Errors: `IllegalAction` `unknown-dealer`.
    """
    seats, dealer = started.seats, started.options.dealer
    if dealer not in seats:
        raise IllegalAction(
            "unknown-dealer", f"The dealer sits at the table: one of {', '.join(seats)}, not {dealer}.", "R16"
        )
    nothing: dict[str, tuple[str, ...]] = dict.fromkeys(seats, ())
    return State(
        phase="monsters",
        turn=None,
        drew=False,
        acted=False,
        monsters={},
        pieces=nothing,
        trades=nothing,
        drawn=None,
        draw=(CardZone((), len(started.data.pieces) + len(started.data.trades)),),
        garbage=(),
        trade_discard=(),
        out=(),
        setup=_setup(started),
    )


def _setup(started: RecordStarted[Options, Data]) -> Setup:
    data = started.data
    parts: dict[str, dict[str, None]] = {monster.id: {} for monster in data.monsters}
    for piece in data.pieces:
        parts[piece.monster][piece.part] = None
    return Setup(
        seats=started.seats,
        options=started.options,
        monsters={monster.id: monster.name for monster in data.monsters},
        pieces={piece.id: piece for piece in data.pieces},
        trades={trade.id: trade.kind for trade in data.trades},
        parts={monster: tuple(found) for monster, found in parts.items()},
    )
