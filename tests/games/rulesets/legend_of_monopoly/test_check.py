"""Exactly what is listed is accepted: every other event of those kinds is refused, whoever it names."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest

from games.core import fold, start
from games.core.events import Event
from games.core.ruleset import IllegalAction
from games.rulesets.legend_of_monopoly import RULESETS
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.actions import ESTATE, pending
from games.rulesets.legend_of_monopoly.check import check
from games.rulesets.legend_of_monopoly.state import State
from games.testing import playout

RULES = RULESETS[0]
PLAIN = replace(RULES, bot=None)
ALONE: tuple[Any, ...] = (
    e.ShadowWaterTaken,
    e.ShadowWaterUsed,
    e.FinePaid,
    e.DebtSettled,
    e.BattleLost,
    e.PlayerResigned,
    e.TurnEnded,
)


def conceivable(state: State) -> Iterator[Event]:
    """Make events of every kind that can be listed, sensible or not."""
    seats = (*state.setup.seats, "p9")
    for seat in seats:
        yield from (kind(seat) for kind in ALONE)
        for pos in (*range(5, 10), 15, 37):
            kinds: tuple[Any, ...] = (*ESTATE, e.LandBought, e.LandDeclined)
            yield from (kind(seat, pos) for kind in kinds)
        yield e.StartRolled(seat, (3, 4))
        yield e.DiceRolled(seat, (6, 6))
        for card in ("add-01", "add-14", "sub-01", "sub-15", "sub-16", "zzz"):
            yield e.ReturnCardUsed(seat, card)
            yield e.MagicDrawn(seat, "additive", card)
            yield e.MagicDrawn(seat, "subtractive", card)
        yield e.MagicDeclined(seat, "additive")
        yield e.MagicDeclined(seat, "subtractive")
    charge = state.charge
    for pos in (6, 7, state.leave or 8, charge.land if charge else 9):
        yield e.AuctionOpened(pos)
        yield e.AuctionClosed(pos)
        yield from (e.ChargeClaimed(one, other, pos) for one in seats for other in seats)
    if state.auction is not None:
        up = state.auction
        yield from (e.AuctionClosed(up.land, seat, up.amount + more) for seat in seats for more in (0, 1))


def refusal(state: State, event: Event) -> IllegalAction | None:
    try:
        check(state, event)
    except IllegalAction as refused:
        return refused
    return None


def well_said(refused: IllegalAction) -> bool:
    return (
        refused.sentence.endswith(".")
        and refused.code == refused.code.lower()
        and bool(refused.rule or refused.code == "game-over")
    )


@pytest.mark.parametrize(
    "options",
    [
        {"madame_denna": "p1", "stock": {"cottages": 3, "inns": 1}, "shadow_water": "escape-once"},
        {"magic": "optional", "auction": "mandatory", "loans": "none"},
    ],
    ids=str,
)
@pytest.mark.parametrize("rules", [RULES, PLAIN], ids=["bot", "random"])
def test_what_is_not_listed_is_refused(rules: Any, options: dict[str, Any]) -> None:
    started = start.started(rules, 3, options=options, origin="simulated")
    state = rules.setup(started)
    rng = random.Random(5)  # noqa: S311 - repeatable on purpose
    for step, (_, after) in enumerate(playout.playout(rules, started, rng, max_events=240)):
        if step % 9 == 0 or state.water_open or (state.leave is not None and step % 2):
            seats = dict.fromkeys(item.seat for item in pending(state))
            listed = {repr(event) for seat in seats for event in rules.legal_actions(state, seat)}
            for event in conceivable(state):
                refused = refusal(state, event)
                assert (refused is None) == (repr(event) in listed), f"{event} in {state.phase}"
                assert refused is None or well_said(refused)
        state = after


def test_kinds_pending_are_those_that_can_be_done() -> None:
    started = start.started(RULES, 4, options={"madame_denna": "p2"}, origin="simulated")
    rng = random.Random(7)  # noqa: S311 - as above
    for _, state in playout.playout(RULES, started, rng, max_events=400):
        for due in pending(state):
            listed = {type(event) for event in RULES.legal_actions(state, due.seat)}
            forms = {choice.kind for choice in RULES.open_choices(state, due.seat)}
            kinds = {item.__struct_config__.tag for item in listed} | forms
            assert set(due.kinds) <= kinds


def test_refusals_outside_the_events_of_play() -> None:
    state = RULES.setup(start.started(RULES, 2))
    with pytest.raises(IllegalAction, match="already-started"):
        fold.check(RULES, state, start.started(RULES, 2), seats=("p1", "p2"), closed=False)
