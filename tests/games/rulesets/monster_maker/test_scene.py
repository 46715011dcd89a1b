"""The table as it is drawn: monsters part by part, what is missing in lines, piles between."""

from __future__ import annotations

import random
from itertools import combinations

import pytest

from games.core.ruleset import seat_names
from games.core.scene import Box, Scene, Zone
from games.core.start import started
from games.rulesets.monster_maker import RULESETS
from games.rulesets.monster_maker.state import State
from games.scene.svg import draw
from games.testing.playout import playout
from games.text.wording import read

RULES = RULESETS[0]
PARTS = ("head", "body", "left-arm", "right-arm", "left-leg", "right-leg")
PHONE = 390


def after(players: int, *texts: str) -> State:
    state = RULES.setup(started(RULES, players))
    for text in texts:
        for event in read(RULES, state, text):
            RULES.check(state, event)
            state = RULES.evolve[type(event)](state, event)
    return state


BEGUN = (
    "monster p1 petey",
    "monster p2 slurp",
    "deal p1 petey-head-2,petey-head-1,petey-left-arm,bogart-head,bogart-body,trade-1",
    "deal p2 slurp-body,slurp-left-arm,grizzle-head,grizzle-body,mugwump-head,petey-body",
    "bonus p1 slurp-head",
)


def zones_of(state: State) -> dict[str, Zone]:
    return {zone.key: zone for zone in RULES.scene(state).zones}


def keys(zone: Zone) -> list[str]:
    return [card.key for card in zone.cards]


@pytest.mark.parametrize("players", RULES.seats)
def test_places_that_a_table_check_may_name(players: int) -> None:
    seats = seat_names(players)
    common = {
        f"{key}.{seat}" for key in ("pieces", "trades", "matched", "monster", "loose") for seat in seats
    }
    parts = {f"part.{seat}.{part}" for seat in seats for part in PARTS}
    named = {key for key, _ in RULES.scene(after(players)).values()}
    assert named == common | parts | {"draw", "drawn", "garbage", "trade_discard"}


def test_a_part_lies_at_its_place_and_the_rest_beside_it() -> None:
    zones = zones_of(after(2, *BEGUN))
    assert keys(zones["part.p1.head"]) == ["petey-head-2"]
    assert keys(zones["part.p1.left-arm"]) == ["petey-left-arm-1"]
    assert keys(zones["part.p1.body"]) == []
    assert keys(zones["loose.p1"]) == ["petey-head-1", "bogart-head-1", "bogart-body-1", "slurp-head-1"]
    assert keys(zones["trades.p1"]) == ["trade-1-1"]
    assert keys(zones["monster.p1"]) == ["monster-petey"]
    assert dict(RULES.scene(after(2, *BEGUN)).values())["matched.p1"] == 2


def test_what_is_missing_is_drawn_in_lines() -> None:
    ground = draw(RULES.scene(after(2, *BEGUN))).ground
    assert ground.count('class="outline"') == 12
    zones = zones_of(after(2, *BEGUN))
    assert {zones[f"part.p1.{part}"].outline for part in PARTS} == set(PARTS)


def test_faces_say_the_monster_and_the_part() -> None:
    zones = zones_of(after(2, *BEGUN))
    (head,) = zones["part.p1.head"].cards
    assert (head.face.title, head.face.mark, head.face.icon, head.face.tone) == (
        "Petey head",
        "P",
        "head/petey",
        "3",
    )
    (trade,) = zones["trades.p1"].cards
    assert (trade.face.title, trade.face.value) == ("Trade 1", "1")
    tones = {zones[f"monster.{seat}"].cards[0].face.tone for seat in ("p1", "p2")}
    assert tones == {"3", "4"}


def test_the_open_garbage_pile_is_spread_out() -> None:
    state = after(
        2, *BEGUN, "draw grizzle-left-leg", "x", "draw garbage-trade",
        "garbage-trade",
    )  # fmt: skip
    garbage = zones_of(state)["garbage"]
    assert (garbage.spread, keys(garbage)) == ("row", ["grizzle-left-leg-1"])
    assert RULES.scene(state).headline == "{p2} looks through the Garbage Pile"


def test_headlines() -> None:
    assert RULES.scene(after(2)).headline == "Everybody gets a monster"
    assert RULES.scene(after(2, *BEGUN[:2])).headline == "Parts are dealt"
    assert RULES.scene(after(2, *BEGUN[:4])).headline == "Bonus cards are dealt"
    begun = after(2, *BEGUN)
    assert (RULES.scene(begun).headline, RULES.scene(begun).turn) == ("{p1} is on turn", "p1")
    assert RULES.scene(after(2, *BEGUN, "draw petey-body-2")).headline == "{p1} has drawn Petey body"


def over(players: int) -> State:
    start = started(RULES, players, origin="simulated")
    *_, (_, last) = playout(RULES, start, random.Random(players))  # noqa: S311 - to be repeated
    return last


@pytest.mark.parametrize("players", RULES.seats)
def test_who_has_won_is_a_whole_figure(players: int) -> None:
    state = over(players)
    ended = RULES.outcome(state)
    assert ended is not None
    (seat,) = ended.winners
    scene = RULES.scene(state)
    assert scene.headline == f"{{{seat}}} wins (the monster is complete)"
    assert scene.turn is None
    zones = zones_of(state)
    assert all(zones[f"part.{seat}.{part}"].size == 1 for part in PARTS)
    assert zones[f"loose.{seat}"].size == 0


def test_who_resigned_is_marked() -> None:
    state = after(
        3,
        "monster p1 petey",
        "monster p2 slurp",
        "monster p3 bogart",
        "deal p1 petey-head,petey-body,petey-left-arm,bogart-head,bogart-body,slurp-head",
        "deal p2 slurp-body,slurp-left-arm,grizzle-head,grizzle-body,mugwump-head,petey-body",
        "deal p3 bogart-head,bogart-body,bogart-left-arm,mugwump-body,mugwump-left-arm,grizzle-head",
        "p2: resign",
    )
    zones = zones_of(state)
    assert (zones["monster.p2"].label, zones["monster.p1"].label) == ("{p2} (out)", "{p1} makes")
    assert zones["draw"].size == 61 + 6
    assert len(zones["draw"].cards) == 6


# --- where things lie ---


def apart(one: Box, two: Box) -> bool:
    return (
        one.x + one.w <= two.x or two.x + two.w <= one.x or one.y + one.h <= two.y or two.y + two.h <= one.y
    )


def scenes(players: int) -> list[Scene]:
    start = started(RULES, players, origin="simulated")
    states = [state for _, state in playout(RULES, start, random.Random(players))]  # noqa: S311 - repeated
    opened = [state for state in states if state.phase == "garbage"]
    return [RULES.scene(state) for state in (states[3], *opened[:1], states[-1])]


@pytest.mark.parametrize("players", RULES.seats)
def test_it_fits_a_narrow_screen(players: int) -> None:
    for scene in scenes(players):
        wide, high = scene.size
        assert 0.75 < high / wide < 1.3
        boxes = [zone.place for zone in scene.zones]
        assert all(box.x >= 0 and box.x + box.w <= wide and box.y + box.h <= high for box in boxes)
        assert all(box.y >= 30 for box in boxes)
        assert all(apart(one, two) for one, two in combinations(boxes, 2))


@pytest.mark.parametrize("players", RULES.seats)
def test_cards_can_be_told_on_a_phone(players: int) -> None:
    for scene in scenes(players):
        scale = PHONE / scene.size[0]
        figures = [zone.place.w * scale for zone in scene.zones if zone.key.startswith("part.")]
        assert min(figures) > 30


@pytest.mark.parametrize("players", RULES.seats)
def test_a_figure_stands_like_one(players: int) -> None:
    places = {zone.key: zone.place for zone in scenes(players)[0].zones}
    for seat in seat_names(players):
        middle = {part: places[f"part.{seat}.{part}"] for part in PARTS}
        assert middle["head"].x == middle["body"].x
        assert middle["head"].y < middle["body"].y == middle["left-arm"].y == middle["right-arm"].y
        assert middle["left-arm"].x < middle["body"].x < middle["right-arm"].x
        assert middle["left-leg"].x < middle["right-leg"].x
        assert middle["left-leg"].y == middle["right-leg"].y > middle["body"].y
