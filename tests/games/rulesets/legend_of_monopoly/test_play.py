"""Whole games: they end, and money comes from the Treasure Chest or goes to it, and from nowhere else."""

from __future__ import annotations

import json
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

import games.rulesets.legend_of_monopoly as package
from games.core import fold, serialization, start
from games.core.events import Change, Event, RecordRuled
from games.core.ruleset import BrokenInvariant, IllegalAction
from games.rulesets.legend_of_monopoly import RULESETS
from games.rulesets.legend_of_monopoly.state import State
from games.testing.playout import playout

RULES = RULESETS[0]
PLAIN = replace(RULES, bot=None)
"""Without its bot, so that the core's random player plays."""
CAP = 200
"""In so many rounds a simulated game ends."""
BOARD: dict[str, Any] = json.loads((Path(package.__path__[0]) / "data" / "board.json").read_bytes())
SPACES: list[dict[str, Any]] = BOARD["spaces"]


@pytest.mark.parametrize("players", [2, 3, 4])
def test_simulated_games_end_with_one_player_left(players: int) -> None:
    kinds: Counter[str] = Counter()
    for seed in range(8):
        started = start.started(RULES, players, origin="simulated")
        events = list(playout(RULES, started, random.Random(seed)))  # noqa: S311 - repeatable on purpose
        last = events[-1][1]
        over = RULES.outcome(last)
        assert over is not None
        assert (over.reason, len(over.winners)) == ("last-player", 1)
        assert last.round <= CAP
        kinds.update(type(event).__name__ for event, _ in events)
    does = {"BidPlaced", "CottageBuilt", "InnBuilt", "LandIndebted", "LandRedeemed", "DealMade", "FinePaid"}
    assert does <= set(kinds)
    assert not {"PlayerResigned", "LoanGranted", "CardEffectEntered"} & set(kinds)


def test_a_manual_card_does_nothing_to_simulated_players() -> None:
    state = RULES.setup(start.started(RULES, 2))
    waiting = msgspec.structs.replace(state, phase="card.effect", turn="p1")
    assert RULES.bot is not None
    event = RULES.bot(waiting, "table", random.Random(1))  # noqa: S311 - as above
    assert serialization.event_to(event)["reason"] == "no effect"


# --- money -------------------------------------------------------------------------------------------

BETWEEN_PLAYERS = {"charge_claimed", "deal_made"}
WITHOUT_MONEY = {
    "start_rolled",
    "land_declined",
    "auction_opened",
    "bid_placed",
    "magic_declined",
    "shadow_water_taken",
    "shadow_water_used",
    "return_card_used",
    "turn_ended",
}


def from_chest(before: State, event: dict[str, Any]) -> set[int]:
    """Say from the board what the Treasure Chest may have given (or taken, below 0) at such an event."""
    kind = event["kind"]
    card = SPACES[event["land"]] if "land" in event and kind not in BETWEEN_PLAYERS else {}
    if kind in BETWEEN_PLAYERS | WITHOUT_MONEY:
        return {0}
    if kind == "dice_rolled":
        return {0, 200, -200, -50, 150, -250}
    if kind == "magic_drawn":
        return {*range(-5_000, 301)}
    sums = {
        "land_bought": lambda: -card["price"],
        "auction_closed": lambda: -event.get("amount", 0),
        "cottage_built": lambda: -card["cottage"],
        "cottage_sold": lambda: card["cottage"] // 2,
        "inn_built": lambda: -card["inn"],
        "inn_sold": lambda: card["inn"] // 2,
        "land_indebted": lambda: card["price"] // 2,
        "land_redeemed": lambda: -(card["price"] // 2) - card["price"] // 10,
        "fine_paid": lambda: -50,
        "loan_granted": lambda: event["amount"],
        "loan_repaid": lambda: -event["amount"],
    }
    if kind in sums:
        return {sums[kind]()}
    player = event["player"]
    owed = sum(debt.amount for debt in before.debts if (debt.from_, debt.to) == (player, "chest"))
    if kind == "debt_settled":
        return {-owed, -owed + 200, -owed - 200} if before.move_due else {-owed}
    return {*range(-100_000, 20_000)} if kind == "battle_lost" else {-before.cash[player]}


def played(players: int, rules: Any, seed: int) -> Iterator[tuple[State, Event, State]]:
    started = start.started(rules, players, origin="simulated")
    before = rules.setup(started)
    for event, after in playout(rules, started, random.Random(seed), max_events=900):  # noqa: S311 - as above
        yield before, event, after
        before = after


@pytest.mark.parametrize("rules", [RULES, PLAIN], ids=["bot", "random"])
@pytest.mark.parametrize("players", [2, 4, 7])
def test_money_only_from_and_to_the_chest(players: int, rules: Any) -> None:
    for before, event, after in played(players, rules, players):
        rules.invariants(after)
        given = sum(after.cash.values()) - sum(before.cash.values())
        assert given in from_chest(before, serialization.event_to(event)), serialization.encode_event(event)
        assert after.chest == before.chest - given


# --- what rulings may not break -----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("at", "now"),
    [
        ("/cash/p1", 1501),
        ("/chest", 7),
        ("/out", ["p9"]),
        ("/out", ["p1", "p1"]),
        ("/held", {"p1": 0}),
        ("/space", {"p1": 0}),
        ("/water", {"p1": 0, "p2": 0, "p3": 0}),
        ("/debts", [{"from": "p1", "to": "p1", "amount": 5}]),
        ("/lands", {"7": {"owner": "p1", "cottages": 0, "house": None, "indebted": False}}),
        ("/lands", {"5": {"owner": "p1", "cottages": 1, "house": None, "indebted": False}}),
        ("/lands", {"6": {"owner": "p1", "cottages": 1, "house": None, "indebted": True}}),
        ("/lands", {"6": {"owner": "p3", "cottages": 0, "house": None, "indebted": False}}),
        ("/decks/additive/unknown", 15),
        ("/decks/additive/known", ["sub-01"]),
        ("/cards/p1", ["add-01"]),
        ("/cards/p1", ["x"]),
        ("/turn", "p3"),
        ("/phase", "over"),
        ("/phase", "auction"),
        ("/phase", "card.effect"),
        ("/phase", "decide.buy"),
        ("/phase", "magic.draw"),
        ("/phase", "start"),
        ("/leave", 7),
        ("/charge", {"owner": "p1", "from": "p1", "land": 6, "amount": 5}),
        ("/move_due", 5),
        ("/water_open", True),
    ],
)
def test_a_ruling_that_breaks_the_count_is_refused(at: str, now: object) -> None:
    state = RULES.setup(start.started(RULES, 2, options={"mother_confessor": "p1"}))
    was = serialization.plain_state(state)
    for step in at.split("/")[1:]:
        was = was[step]
    ruled = RecordRuled("so agreed", (Change(at, was, now),))
    with pytest.raises(IllegalAction) as refused:
        fold.check(RULES, state, ruled, seats=("p1", "p2"), closed=False)
    assert refused.value.code == "ruling-breaks-the-count"


def test_a_ruling_takes_money_from_the_chest() -> None:
    state = RULES.setup(start.started(RULES, 2))
    changes = (Change("/cash/p1", 1500, 1510), Change("/chest", 0, -10))
    after = fold.evolve(RULES, state, RecordRuled("found under the board", changes))
    assert after.cash == {"p1": 1510, "p2": 1500}


def test_stock_leave_and_throws_are_counted_too() -> None:
    options = {"mother_confessor": "p1", "stock": {"cottages": 1, "inns": 0}}
    state = RULES.setup(start.started(RULES, 2, options=options))
    land = {"owner": "p1", "cottages": 2, "house": None, "indebted": False}
    plain = {**serialization.plain_state(state), "lands": {"6": land}}
    with pytest.raises(BrokenInvariant, match="more cottages"):
        RULES.invariants(serialization.thaw(RULES, json.dumps(plain).encode(), state.setup))
    early = msgspec.structs.replace(state, phase="decide.magic", leave=6)
    with pytest.raises(BrokenInvariant):
        RULES.invariants(early)
