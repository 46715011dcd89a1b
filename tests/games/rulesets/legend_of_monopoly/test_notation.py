"""The short forms: what is written reads back as the same event."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from games.core import serialization, start
from games.core.ruleset import IllegalAction
from games.rulesets.legend_of_monopoly import RULESETS
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.state import Auction, Charge, Debt, Holding, State
from games.testing.playout import playout
from games.text import wording

RULES = RULESETS[0]
PLAIN = replace(RULES, bot=None)
START: State = RULES.setup(start.started(RULES, 2, options={"mother_confessor": "p1"}))
LAND = Holding("p2", 0, None, indebted=False)
NOTHING = e.Goods(0, (), ())


@pytest.mark.parametrize("players", [2, 5, 14])
@pytest.mark.parametrize("rules", [RULES, PLAIN], ids=["bot", "random"])
def test_what_is_written_reads_back(players: int, rules: Any) -> None:
    started = start.started(rules, players, origin="simulated")
    state = rules.setup(started)
    rng = random.Random(players)  # noqa: S311 - repeatable on purpose
    for event, after in playout(rules, started, rng, max_events=300):
        text = wording.write(rules, state, event)
        assert wording.read(rules, state, text) == (event,)
        assert not text.startswith("{")
        for due in rules.pending(state) if len(started.seats) == 2 else ():
            for offer in rules.legal_actions(state, due.seat):
                written = wording.write(rules, state, offer)
                assert wording.read(rules, state, written) == (offer,)
                assert not written.startswith("{")
        state = after


def read(text: str, state: State = START) -> tuple[Any, ...]:
    return wording.read(RULES, state, text)


def test_each_form() -> None:
    buying = changed(START, phase="decide.buy", space={"p1": 6, "p2": 0})
    owned = changed(START, lands={"6": LAND}, charge=Charge("p2", "p1", 6, 12))
    magic = changed(START, phase="decide.magic", space={"p1": 7, "p2": 0})
    up = changed(START, phase="auction", auction=Auction(6, "p2", 40))
    cards = changed(START, cards={"p1": ("add-14",), "p2": ("sub-15", "sub-16")})
    debts = changed(START, debts=(Debt("p2", "chest", 5),))
    assert read("r 3 4") == (e.DiceRolled("p1", (3, 4)),)
    assert read(" R3,4 ") == (e.DiceRolled("p1", (3, 4)),)
    assert read("p2: r 3 4") == (e.DiceRolled("p2", (3, 4)),)
    assert read("buy", buying) == (e.LandBought("p1", 6),)
    assert read("no", buying) == (e.LandDeclined("p1", 6),)
    assert read("no", magic) == (e.MagicDeclined("p1", "subtractive"),)
    assert read("claim", owned) == (e.ChargeClaimed("p2", "p1", 6),)
    assert read("draw ADD-03") == (e.MagicDrawn("p1", "additive", "add-03"),)
    assert read("auction", changed(START, leave=6)) == (e.AuctionOpened(6),)
    assert read("p2: bid 40", up) == (e.BidPlaced("p2", 40),)
    assert read("sold", up) == (e.AuctionClosed(6, "p2", 40),)
    assert read("sold p1 45", up) == (e.AuctionClosed(6, "p1", 45),)
    assert read("sold", changed(START, auction=Auction(6, None, 0))) == (e.AuctionClosed(6),)
    assert read("water") == (e.ShadowWaterTaken("p1"),)
    assert read("drink") == (e.ShadowWaterUsed("p1"),)
    assert read("fine") == (e.FinePaid("p1"),)
    assert read("return", cards) == (e.ReturnCardUsed("p1", "add-14"),)
    assert read("p2: return sub-16", cards) == (e.ReturnCardUsed("p2", "sub-16"),)
    assert read("build 6", owned) == (e.CottageBuilt("p2", 6),)
    assert read("inn mud people", owned) == (e.InnBuilt("p2", 6),)
    assert read("brothel #6", owned) == (e.BrothelBuilt("p2", 6),)
    assert read("sell 6", owned) == (e.CottageSold("p2", 6),)
    assert read("sell inn Mud People Village", owned) == (e.InnSold("p2", 6),)
    assert read("sell brothel 6", owned) == (e.BrothelSold("p2", 6),)
    assert read("indebt 6", owned) == (e.LandIndebted("p2", 6),)
    assert read("p1: redeem 6", owned) == (e.LandRedeemed("p1", 6),)
    deal = e.DealMade("p2", "p1", e.Goods(40, (6,), ()), e.Goods(0, (), ("add-14",)))
    assert read("p2: deal p1 40,#6 for add-14") == (deal,)
    assert read("deal p2 0 for #galea") == (e.DealMade("p1", "p2", NOTHING, e.Goods(0, (18,), ())),)
    assert read("loan p1 200") == (e.LoanGranted("p1", 200),)
    assert read("p1: repay 50") == (e.LoanRepaid("p1", 50),)
    assert read("settle", debts) == (e.DebtSettled("p2"),)
    assert read("p1: lose") == (e.BattleLost("p1"),)
    assert read("P2: Resign") == (e.PlayerResigned("p2"),)
    assert read(".") == (e.TurnEnded("p1"),)


def test_what_has_no_short_form_is_json() -> None:
    event = e.CardEffectEntered(
        player="p1", money={"p1": 5}, passes_go=False, skip=0, lands=(), reason="as it says"
    )
    text = wording.write(RULES, START, event)
    assert text == serialization.encode_event(event)
    assert read(text) == (event,)


def test_start_throws_are_those_of_the_next_who_waits() -> None:
    state = RULES.setup(start.started(RULES, 3))
    assert read("r 1 2", state) == (e.StartRolled("p1", (1, 2)),)
    assert read("p3: r 1 2", state) == (e.StartRolled("p3", (1, 2)),)


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            "p1:",
            "hello",
            "r 3",
            "r 3 7",
            "buy now",
            "no way",
            "claim it",
            "draw",
            "draw add",
            "draw x-1",
        ),
        *("auction 6", "bid", "bid x", "bid 12345678901", "sold p2", "return", "return a b", "build"),
        *(
            "build x",
            "build v",
            "indebt 99",
            "deal p2",
            "deal p2 5",
            "deal p2 5 for",
            "deal p2 5 for 1 for 2",
        ),
        *("loan p1", "repay", "repay -5", "..", '{"kind":"dice_rolled"}', "r \u0663 4"),
    ],
)
def test_anything_else_is_not_understood(text: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        read(text)
    assert refused.value.code == "not-understood"


def test_which_card_to_return_must_be_said_where_there_are_two() -> None:
    with pytest.raises(IllegalAction, match="name one"):
        read("return", changed(START, cards={"p1": ("add-14", "sub-15"), "p2": ()}))
