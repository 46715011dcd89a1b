"""From the first event to the first state."""

from __future__ import annotations

from games.core.events import RecordStarted
from games.kit.cards import EMPTY
from games.rulesets.monsters_of_war.data import refuse_manual
from games.rulesets.monsters_of_war.state import Data, Monster, Options, Setup, State


def suggested(_seats: tuple[str, ...]) -> Options:
    """Give the readings that a new game gets: all defaults."""
    return Options()


def setup(started: RecordStarted[Options, Data]) -> State:
    """Make the table before anything is dealt.

    Errors: `IllegalAction` `manual-needs-table`.
    """
    refuse_manual(started.data, started.origin)
    fixed = _setup(started)
    piles, rows = fixed.no_piles, fixed.no_cards
    return State(
        phase="dealing",
        day=1,
        lay=0,
        fighting=(),
        decks=piles,
        spoils=piles,
        laid=piles,
        field=rows,
        gambit_decks=piles,
        gambits={},
        gambit_discards=rows,
        shuffles=(),
        rulings={},
        aside={},
        out=(),
        setup=fixed,
    )


def _setup(started: RecordStarted[Options, Data]) -> Setup:
    battle: dict[str, Monster | None] = {monster.id: monster for monster in started.data.monsters}
    return Setup(
        seats=started.seats,
        origin=started.origin,
        options=started.options,
        battle={**battle, **dict.fromkeys(started.data.wars)},
        gambits={gambit.id: gambit for gambit in started.data.gambits},
        does={gambit.id: frozenset(item.op for item in gambit.ops) for gambit in started.data.gambits},
        no_cards=dict.fromkeys(started.seats, ()),
        no_piles=dict.fromkeys(started.seats, EMPTY),
    )
