"""The scene: sizes, who may look, and what a table check may name."""

from __future__ import annotations

import pytest

from games.core.scene import NOBODY, PUBLIC, Box, Card, Cell, Counter, Face, Piece, Scene, Zone

PLACE = Box(0, 0, 10, 10)
CARD = Card("c01", Face("Ogre", "7"))


def zone(*, seen_by: tuple[str, ...] = NOBODY, cards: tuple[Card, ...] = (), unknown: int = 0) -> Zone:
    return Zone("hand.p1", "Hand", seen_by, cards, unknown, PLACE)


def test_zone_counts_known_and_unknown_cards() -> None:
    assert zone(cards=(CARD, CARD), unknown=3).size == 5


@pytest.mark.parametrize(
    ("seen_by", "viewers"),
    [
        (NOBODY, {"everything"}),
        (PUBLIC, {"everything", "table", "p1", "p2"}),
        (("p1",), {"everything", "p1"}),
        (("p1", "p2"), {"everything", "p1", "p2"}),
    ],
)
def test_who_may_look(seen_by: tuple[str, ...], viewers: set[str]) -> None:
    everybody = ("everything", "table", "p1", "p2")
    assert {viewer for viewer in everybody if zone(seen_by=seen_by).visible_to(viewer)} == viewers


def test_values_are_those_of_counters_zones_and_cells() -> None:
    scene = Scene(
        (1, 1),
        counters=(Counter("round", "Round", 3), Counter("king.A", "King", None)),
        zones=(zone(cards=(CARD,), unknown=2),),
        cells=(Cell("cell.A1", "A1", (), (0, 0)), Cell("cell.A2", "A2", (), (1, 0))),
        pieces=(Piece("a1", "cell.A2", "A", "Zombie", "0"),),
    )
    assert dict(scene.values()) == {
        "round": 3,
        "king.A": None,
        "hand.p1": 3,
        "cell.A1": None,
        "cell.A2": "A",
    }
