"""What a seat may record by itself: its own decisions, as offered, with cards that its view shows."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import pytest
from msgspec.structs import replace as changed

from games.core import fold, seat_permissions, start
from games.core.events import Event, RecordChecked, RecordClosed, RecordRedone, RecordRuled
from games.core.ruleset import Amount, Choice, IllegalAction, OneOf, Ruleset, SomeOf
from games.examples.high_card import TOY, CardLaid, CardPassed, CardsDrawn, CardsTurned, HandDealt
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.events import TeamsDeclared
from games.testing import playout

SEATS = ("p1", "p2")
RULESET: Ruleset[Any] = RULESETS[0]
DEAL = (HandDealt("p1", ("c01", "c02", "c03")), HandDealt("p2", ("c04", "c05", "c06")))


def seen(seat: str, *events: Event) -> Any:
    """Give the table as a seat was told it."""
    started = start.started(TOY, 2)
    state = TOY.setup(fold.observe_start(started, seat))
    return fold.fold(TOY, state, fold.observed(TOY, started, events, seat))


def judged(event: Event, state: Any, seat: str = "p1", *, closed: bool = False, rules: Any = TOY) -> str:
    try:
        seat_permissions.check(rules, state, event, seat, seats=SEATS, closed=closed)
    except IllegalAction as found:
        refusal = found
    else:
        return "taken"
    assert {getattr(one, "player", seat) for one in refusal.legal} <= {seat}
    return refusal.code


@pytest.mark.parametrize(
    ("event", "code"),
    [
        (CardLaid("p1", "c01"), "taken"),
        (CardLaid("p1", None), "not-yours"),
        (CardLaid("p1", "c04"), "not-offered"),
        (CardLaid("p2", "c04"), "not-yours"),
        (CardLaid("p2", None), "not-yours"),
        (CardsTurned({"p1": "c01", "p2": "c04"}), "not-due"),
        (CardPassed("p1", "c01"), "not-due"),
        (RecordClosed("conceded", seat="p1"), "taken"),
        (RecordClosed("conceded", seat="p2"), "not-yours"),
        (RecordClosed("abandoned"), "not-yours"),
        (RecordRuled("agreed", ()), "not-yours"),
        (RecordRedone(2), "not-yours"),
        (RecordChecked(()), "taken"),
    ],
    ids=str,
)
def test_a_seat_decides_for_itself_alone(event: Event, code: str) -> None:
    assert judged(event, seen("p1", *DEAL)) == code


def test_what_chance_brings_and_what_all_turn_is_no_seats() -> None:
    assert judged(DEAL[0], seen("p1")) == "not-yours"
    laid = (*DEAL, CardLaid("p1", "c01"), CardLaid("p2", "c04"))
    assert judged(CardsTurned({"p1": "c01", "p2": "c04"}), seen("p1", *laid)) == "not-yours"
    turned = (*laid, CardsTurned({"p1": "c01", "p2": "c04"}))
    assert judged(CardsDrawn("p2", ("c07", "c08")), seen("p2", *turned), "p2") == "not-yours"


def test_closed_and_foreign_games_say_so() -> None:
    state = seen("p1", *DEAL)
    assert judged(CardLaid("p1", "c01"), state, closed=True) == "record-closed"
    assert judged(CardLaid("p1", "c01"), state, "p9") == "not-yours"


def test_a_card_that_nobody_named_stays_unseen() -> None:
    state = seen("p1", HandDealt("p1", ("c01", None, None)), DEAL[1])
    mine = seat_permissions.within(TOY, "p1")
    assert list(mine.legal_actions(state, "p1")) == [CardLaid("p1", "c01"), CardLaid("p1", None)]
    assert list(mine.legal_actions(state, "p2")) == []
    assert [due.seat for due in mine.pending(state)] == ["p1"]
    assert judged(CardLaid("p1", "c09"), state) == "not-yours"


def asking(*asks: Any, **fixed: Any) -> Any:
    def open_choices(_state: Any, seat: str) -> Iterator[Choice]:
        yield Choice("card_laid", {"player": seat, **fixed}, asks)

    return replace(
        TOY, legal_actions=lambda _state, _seat: iter(()), open_choices=open_choices, check=lambda *_: None
    )


@pytest.mark.parametrize(
    ("asks", "fixed", "values"),
    [
        ((OneOf("card", ("c01", "c04", "c02")),), {}, [("c01", "c02")]),
        ((OneOf("card", ("c04", "c09")),), {}, []),
        ((OneOf("card", (["c01", "c04"], ["c01", "c02"])),), {}, [(["c01", "c02"],)]),
        ((SomeOf("card", ("c01", "c04", "c02"), 2, 3),), {}, [("c01", "c02")]),
        ((SomeOf("card", ("c01", "c04", "c09"), 2, 3),), {}, []),
        ((Amount("card", 0, 9),), {}, [()]),
        ((Amount("card", 0, 9),), {"on": "c04"}, []),
    ],
)
def test_a_form_asks_for_nothing_that_would_name_other_cards(
    asks: tuple[Any, ...], fixed: dict[str, str], values: list[Any]
) -> None:
    state = seen("p1", *DEAL)
    mine = seat_permissions.within(asking(*asks, **fixed), "p1")
    found = list(mine.open_choices(state, "p1"))
    assert [getattr(ask, "values", ()) for form in found for ask in form.asks] == values
    assert list(mine.open_choices(state, "p2")) == []
    assert list(mine.open_choices(seen("p1"), "p1")) == []


def test_a_form_filled_in_is_taken_only_as_it_is_asked() -> None:
    rules = asking(OneOf("card", ("c01", "c04")))
    state = seen("p1", *DEAL)
    assert judged(CardLaid("p1", "c01"), state, rules=rules) == "taken"
    assert judged(CardLaid("p1", "c04"), state, rules=rules) == "not-yours"
    assert judged(CardLaid("p2", "c01"), state, rules=rules) == "not-yours"


def test_cards_whose_order_means_nothing_are_taken_in_any() -> None:
    first = TeamsDeclared("p1", ())
    started, rng = start.started(RULESET, 2), random.Random(1)  # noqa: S311 - the same game every time
    state = RULESET.setup(started)
    for event, _ in playout.playout(RULESET, started, rng, max_events=600):
        if isinstance(event, TeamsDeclared) and event.teams:
            first = event
            break
        state = fold.evolve(RULESET, state, event)
    view = RULESET.hide(state, first.player)
    turned = tuple(
        changed(team, cards=team.cards[::-1]) for team in first.teams[::-1] if team.kind != "LORDI"
    )
    other = changed(first, teams=turned)
    assert len(turned) > 1
    assert other not in list(RULESET.legal_actions(view, first.player))
    assert judged(other, view, first.player, rules=RULESET) == "taken"
    stranger = "p2" if first.player == "p1" else "p1"
    assert judged(other, view, stranger, rules=RULESET) == "not-yours"
    less = changed(first, teams=(changed(turned[0], cards=turned[0].cards[1:]),))
    assert judged(less, view, first.player, rules=RULESET) != "taken"
