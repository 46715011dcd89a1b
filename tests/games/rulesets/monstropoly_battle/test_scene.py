"""The table as it is drawn."""

from __future__ import annotations

import random
from itertools import combinations

import pytest
from msgspec.structs import replace

from games.core import fold
from games.core.scene import PUBLIC, Box, Scene
from games.core.start import started
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.state import State, Team
from games.scene.card_art import face
from games.testing.playout import playout
from games.text.wording import read

RULES = RULESETS[0]
START = started(RULES, 2)
KEYS = {
    "round", "battle", "pair", "deck", "spent",
    *(f"{key}.{seat}" for key in ("hand", "wins", "teams", "points") for seat in ("p1", "p2")),
}  # fmt: skip
"""What a table check may name at any time."""


def after(*texts: str) -> State:
    state = RULES.setup(START)
    for text in texts:
        for event in read(RULES, state, text):
            RULES.check(state, event)
            state = fold.evolve(RULES, state, event)
    return state


DEALT = ("hand p1 awa-1,amen-2,ox-2,ox-3", "hand p2 kin,hella-3,amen-3,amen-4")


def scenes(seed: int) -> list[Scene]:
    simulated = started(RULES, 2, origin="simulated")
    return [RULES.scene(state) for _, state in playout(RULES, simulated, random.Random(seed))]  # noqa: S311


def apart(one: Box, two: Box) -> bool:
    return (
        one.x + one.w <= two.x or two.x + two.w <= one.x or one.y + one.h <= two.y or two.y + two.h <= one.y
    )


@pytest.mark.parametrize("seed", [2, 5, 9])
def test_it_always_fits_a_narrow_screen_and_has_every_place_of_a_table_check(seed: int) -> None:
    for scene in scenes(seed):
        assert {key for key, _ in scene.values()} >= KEYS
        wide, high = scene.size
        assert 0.8 < wide / high < 1.2
        boxes = [zone.place for zone in scene.zones if zone.spread != "none"]
        assert all(box.x >= 0 and box.y >= 0 for box in boxes)
        assert all(box.x + box.w <= wide and box.y + box.h <= high for box in boxes)
        assert all(apart(one, two) for one, two in combinations(boxes, 2))


def test_many_teams_still_fit() -> None:
    teams = tuple(Team(None, (None,) * 5, selected=False, used=False) for _ in range(9))
    scene = RULES.scene(replace(after(), teams={"p1": teams, "p2": ()}))
    places = [zone.place for zone in scene.zones if zone.key.startswith("team.")]
    assert len(places) == 9
    assert all(place.x + place.w <= scene.size[0] for place in places)
    assert all(apart(one, two) for one, two in combinations(places, 2))


@pytest.mark.parametrize(
    ("texts", "headline", "decided"),
    [
        ((), "The cards are dealt", None),
        (DEALT, "Round 1 of 46: choose a card", None),
        ((*DEALT, "awa-1 v kin"), "Round 1 of 46: {p1} wins by force 8 to 4", "force 8 to 4"),
        ((*DEALT, "ox-3 v kin"), "Round 1 of 46: {p2} wins by force 6 to 5", "force 6 to 5"),
        ((*DEALT, "amen-2 v hella-3"), "Round 1 of 46: equal at force 4, a card is turned", None),
        (
            (*DEALT, "amen-2 v hella-3", "tie awa-2"),
            "Round 1 of 46: {p1} wins by weapon sum 8 to 7",
            "weapon sum 8 to 7",
        ),
    ],
)
def test_the_headline_says_which_rung_decided(
    texts: tuple[str, ...], headline: str, decided: str | None
) -> None:
    scene = RULES.scene(after(*texts))
    assert scene.headline == headline
    assert dict(scene.values())["decided"] == decided


def test_who_may_look_at_what() -> None:
    state = after(*DEALT, "p1: commit ox-2")
    seen = {zone.key: zone.seen_by for zone in RULES.scene(state).zones}
    assert (seen["hand.p1"], seen["hand.p2"], seen["played.p1"]) == (("p1",), ("p2",), ("p1",))
    assert (seen["deck"], seen["under"], seen["spent"]) == ((), PUBLIC, PUBLIC)
    drawn = {zone.key: zone for zone in RULES.scene(after(*DEALT, "awa-1 v kin", "take mana-1")).zones}
    assert (drawn["drawn"].seen_by, drawn["drawn"].owner, drawn["played.p1"].seen_by) == (
        ("p1",),
        "p1",
        PUBLIC,
    )


def test_a_card_shows_strike_weapon_letter_team_and_six_values() -> None:
    zones = {zone.key: zone for zone in RULES.scene(after(*DEALT)).zones}
    awa = zones["hand.p1"].cards[0].face
    assert (awa.title, awa.value, awa.mark, awa.icon, awa.lines) == ("Awa", "7", "R", "poison", ("Awa",))
    assert awa.values == (
        ("axe", "2"), ("ankh", "4"), ("gun", "2"), ("knife", "0"), ("poison", "1"), ("magic", "3"),
    )  # fmt: skip
    drawing = face(awa)
    assert all(
        drawing.count(RULES.look.icons[weapon]) == 1 + (weapon == awa.icon) for weapon, _ in awa.values
    )
    assert drawing.count('class="figure"') == 6
