"""The table as it is drawn."""

from __future__ import annotations

from itertools import combinations

import pytest

from games.core import fold
from games.core.ruleset import seat_names
from games.core.scene import NOBODY, PUBLIC, Box
from games.core.start import started
from games.rulesets.monsters_of_war import RULESETS
from games.rulesets.monsters_of_war.state import State

RULES = RULESETS[0]
PILES = ("deck", "spoils", "laid", "field", "gambit_deck", "gambit_discard")


def after(players: int, *texts: str) -> State:
    state = RULES.setup(started(RULES, players))
    assert RULES.notation is not None
    for text in texts:
        for event in RULES.notation.read(state, text):
            RULES.check(state, event)
            state = fold.evolve(RULES, state, event)
    return state


def war_of(players: int) -> State:
    gambits = " v ".join(["war-cry", "ambush", "berserk", "war-cry", "ambush", "berserk"][:players])
    return after(players, "deal", "-".join(["W", "9", "8", "7", "6", "5"][:players]), "lay", gambits)


@pytest.mark.parametrize("players", RULES.seats)
def test_between_wars_there_are_exactly_the_places_of_a_table_check(players: int) -> None:
    keys = {f"{pile}.{seat}" for pile in (*PILES, "total") for seat in seat_names(players)}
    assert {key for key, _ in RULES.scene(after(players, "deal")).values()} == keys | {"day"}


def test_in_a_war_gambits_lie_face_up_beside_the_field() -> None:
    zones = {zone.key: zone for zone in RULES.scene(war_of(2)).zones}
    assert [card.face.title for card in zones["gambit.p1"].cards] == ["war-cry"]
    assert (zones["gambit.p1"].seen_by, zones["gambit_discard.p1"].size) == (PUBLIC, 0)


def test_who_may_look_at_what() -> None:
    seen = {zone.key.partition(".")[0]: zone.seen_by for zone in RULES.scene(war_of(2)).zones}
    assert seen == {
        **dict.fromkeys(("deck", "spoils", "laid", "gambit_deck"), NOBODY),
        **dict.fromkeys(("field", "gambit", "gambit_discard"), PUBLIC),
    }


def test_faces_say_what_is_printed() -> None:
    zones = {zone.key: zone for zone in RULES.scene(war_of(2)).zones}
    (war,), (monster,) = zones["field.p1"].cards, zones["field.p2"].cards
    assert (war.face.value, war.face.icon, war.face.tone) == ("W", "war", "war")
    assert (monster.face.title, monster.face.value, monster.face.tone) == ("Monster 9", "9", "monster")


def test_the_later_discard_lies_on_top() -> None:
    once = ("lay", "war-cry v ambush", "W-8")
    state = after(2, "deal", "W-9", *once, "lay", "berserk v ambush", "5-4")
    zones = {zone.key: zone for zone in RULES.scene(state).zones}
    assert [card.key for card in zones["gambit_discard.p1"].cards] == ["berserk-1", "war-cry-1"]


def apart(one: Box, two: Box) -> bool:
    return (
        one.x + one.w <= two.x or two.x + two.w <= one.x or one.y + one.h <= two.y or two.y + two.h <= one.y
    )


@pytest.mark.parametrize("players", RULES.seats)
def test_it_fits_a_narrow_screen(players: int) -> None:
    scene = RULES.scene(war_of(players))
    wide, high = scene.size
    assert 0.65 < high / wide < 1.1
    boxes = [zone.place for zone in scene.zones]
    assert all(box.x >= 0 and box.y >= 0 and box.x + box.w <= wide and box.y + box.h <= high for box in boxes)
    assert all(apart(one, two) for one, two in combinations(boxes, 2))
    fronts = [zone.place for zone in scene.zones if zone.key.split(".")[0] in {"field", "laid", "gambit"}]
    assert min(box.w for box in fronts) / wide > 0.109


def test_headlines() -> None:
    assert RULES.scene(after(2)).headline == "Day 1: The decks are dealt"
    assert RULES.scene(after(2, "deal", "W-W")).headline == "Day 1: War: lay 4 cards each"
    assert (
        RULES.scene(after(3, "deal", "p1: resign", "p3: resign")).headline == "{p2} wins (the last one left)"
    )
