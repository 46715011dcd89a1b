"""Every set of teams that a hand makes can be set out by who may do nothing but what they are offered."""

from __future__ import annotations

import random
from itertools import combinations
from typing import Any

import pytest
from msgspec.structs import replace

from games.core import seat_permissions, start
from games.core.ruleset import IllegalAction
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.events import DeclaredTeam, TeamsDeclared
from games.rulesets.monstropoly_battle.state import State
from games.rulesets.monstropoly_battle.teams import only_kind
from games.testing.playout import playout

RULES = RULESETS[0]


def declaring(seed: int, **options: str) -> State:
    """The state in which a game comes to its second phase."""
    began = start.started(RULES, 2, options=options)
    played = playout(RULES, began, random.Random(seed))  # noqa: S311 - to be repeated
    return next(state for _, state in played if state.phase == "phase2.declare")


def teams(state: State, cards: tuple[str, ...]) -> list[tuple[str, ...]]:
    """Every team that cards make, found by trying all fives in the order of the letters and of the deck."""
    order = {card: place for place, card in enumerate(state.setup.cards)}
    fives = (tuple(sorted(five, key=order.__getitem__)) for five in combinations(cards, 5))
    plain = [five for five in fives if state.setup.cards[five[0]].team is not None]
    letters = {card: "LORDI".find(state.setup.cards[card].letter or "x") for card in cards}
    spelt = [tuple(sorted(five, key=letters.__getitem__)) for five in plain]
    spelt = [five for five in spelt if [letters[card] for card in five] == [0, 1, 2, 3, 4]]
    homes = [{state.setup.cards[card].team for card in five} - {None} for five in plain]
    return [five for five, home in zip(plain, homes, strict=True) if len(home) == 1] + spelt


def declared(state: State, *piles: tuple[str, ...]) -> TeamsDeclared:
    return TeamsDeclared("p1", tuple(DeclaredTeam(only_kind(state.setup, pile), pile) for pile in piles))


def taken(state: State, event: TeamsDeclared) -> bool:
    """Judge it as from the key of the seat."""
    try:
        seat_permissions.check(RULES, state, event, "p1", seats=("p1", "p2"), closed=False)
    except IllegalAction as refused:
        assert refused.code != seat_permissions.NOT_YOURS, event  # noqa: PT017 - what is right is offered too
        return False
    return True


def holding(state: State, *cards: str) -> State:
    """What p1 would see of it with these cards in their hand, and no others in it."""
    hidden = RULES.hide(state, "p1")
    return replace(hidden, hands={**hidden.hands, "p1": replace(hidden.hands["p1"], known=cards)})


@pytest.mark.parametrize("seed", range(6))
def test_every_team_that_a_hand_makes_can_be_set_out(seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - to be repeated
    deck = declaring(0).setup.cards
    some = rng.sample(["Amen", "Awa", "Kita", "Lordi", "Mana", "Ox"], 3)
    of_teams = [card for card, face in deck.items() if face.team in some and rng.random() < 0.8]
    wild = rng.sample([card for card, face in deck.items() if face.wild], 3)
    hand = (*of_teams, *(card for card in ("lordi-1", "amen-1", "ox-1") if card not in of_teams), *wild)
    state = holding(declaring(0), *hand)
    found = teams(state, hand)
    assert len(found) > 20
    for five in found:
        assert taken(state, declared(state, five))
    apart = [pair for pair in combinations(found, 2) if not set(pair[0]) & set(pair[1])]
    for pair in apart[:: len(apart) // 50 or 1]:
        kinds = {only_kind(state.setup, pile) for pile in pair}
        assert taken(state, declared(state, *pair)) == (len(kinds) == 2)


EIGHT = tuple(f"{team}-{number}" for team in ("ox", "kita") for number in (1, 2, 3, 4))


@pytest.mark.parametrize("declare", ["any", "maximum"])
def test_who_lacks_a_wild_card_for_two_teams_chooses_which(declare: str) -> None:
    state = holding(declaring(0, declare=declare), *EIGHT, "drummer")
    for team in ("ox", "kita"):
        event = declared(state, tuple(card for card in (*EIGHT, "drummer") if card[:2] in (team[:2], "dr")))
        assert taken(state, event)


def test_the_most_is_offered_in_every_way() -> None:
    state = holding(declaring(0, declare="maximum"), *EIGHT, "drummer", "magnum")
    wild = ("drummer", "magnum")
    ways = [declared(state, (*EIGHT[:4], one), (*EIGHT[4:], other)) for one, other in (wild, wild[::-1])]
    offered = [
        {frozenset(team.cards) for team in event.teams}
        for event in RULES.legal_actions(state, "p1")
        if isinstance(event, TeamsDeclared)
    ]
    assert sorted(map(len, offered)) == [2, 2]
    assert all({frozenset(team.cards) for team in way.teams} in offered for way in ways)


def test_nothing_else_is_asked_where_a_hand_makes_one_set_of_teams() -> None:
    state = holding(declaring(0), *EIGHT, "ox-5")
    assert list(RULES.open_choices(state, "p1")) == []


def test_no_list_of_teams_is_without_end() -> None:
    everything: dict[str, Any] = declaring(0, declare="maximum").setup.cards
    hand = tuple(card for card in everything if card.split("-")[-1] != "5")
    state = holding(declaring(0, declare="maximum"), *hand)
    assert sum(1 for _ in RULES.legal_actions(state, "p1")) < 20_000
