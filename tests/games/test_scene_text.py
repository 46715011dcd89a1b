"""A scene as plain text: what stands where, and nothing wider than it may be."""

from __future__ import annotations

from math import sqrt

import pytest

from games.core.scene import NOBODY, PUBLIC, Box, Card, Cell, Counter, Face, Piece, Point, Scene, Zone
from games.scene.text import scene_text
from games.text.naming import card_name

PLACE = Box(0, 0, 10, 10)


def drawn(**parts: object) -> str:
    return scene_text(Scene((100, 100), **parts), {"p1": "Ann", "p2": "Bo"})  # type: ignore[arg-type]


def cards(*titles: str) -> tuple[Card, ...]:
    return tuple(Card(title, Face(title)) for title in titles)


def zone(key: str, label: str, **fields: object) -> Zone:
    plain: dict[str, object] = {"seen_by": PUBLIC, "cards": (), "unknown": 0, "place": PLACE}
    return Zone(key, label, **(plain | fields))  # type: ignore[arg-type]


def lines(text: str) -> list[str]:
    return text.split("\n")


def test_empty_scene_is_no_text() -> None:
    assert drawn() == ""


def test_headline_names_people() -> None:
    assert drawn(headline="{p1} to move, then {p3}") == "Ann to move, then p3"


def test_counters_stand_in_columns_by_owner() -> None:
    text = drawn(
        counters=(
            Counter("round", "Round", 3),
            Counter("day", "Day", 1),
            Counter("points.p1", "Points", 7, owner="p1"),
            Counter("points.p2", "Points", 12, owner="p2"),
            Counter("king.p2", "King", None, owner="p2"),
        )
    )
    assert lines(text) == [
        "Round 3   Day 1",
        "        Ann  Bo",
        "Points    7  12",
        "King          –",
    ]


def test_counters_of_too_many_owners_are_a_line_for_each() -> None:
    counters = tuple(
        Counter(f"{what}.p{n}", what, 1000 + n, owner=f"player-{n:02}")
        for n in range(14)
        for what in ("Cash", "Wealth")
    )
    text = lines(drawn(counters=counters))
    assert text == [f"player-{n:02}  Cash {1000 + n} · Wealth {1000 + n}" for n in range(14)]


def test_a_figure_in_words_breaks_behind_a_comma_and_no_other_breaks() -> None:
    lands = ", ".join(f"Old Land {n}" for n in range(10))
    counters = (
        Counter("token.p1", "Token", "A Sword of Truth", owner="p1"),
        Counter("lands.p1", "Lands", 10, owner="p1", said=f"10: {lands}"),
        Counter("space.p1", "Space", 3, owner="p1", said="3 Palace of the Prophets"),
        Counter("p.p1", "Mummies: pieces", 6, owner="p1"),
        Counter("q.p1", "Mummies: pantry", 0, owner="p1"),
    )
    assert lines(drawn(counters=counters)) == [
        "Ann  Token A Sword of Truth · Lands 10: Old Land 0, Old Land 1, Old Land 2,",
        "     Old Land 3, Old Land 4, Old Land 5, Old Land 6, Old Land 7, Old Land 8,",
        "     Old Land 9 · Space 3 Palace of the Prophets · Mummies: pieces 6, pantry 0",
    ]


@pytest.mark.parametrize(
    ("headline", "left"), [("Day 1: War", ""), ("Day 12: War", "Day 1"), ("War", "Day 1"), ("", "Day 1")]
)
def test_what_the_headline_tells_is_not_told_again(headline: str, left: str) -> None:
    said = drawn(headline=headline, counters=(Counter("day", "Day", 1),))
    assert said == "\n\n".join(part for part in (headline, left) if part)


def test_a_quiet_figure_is_told_of_all_once_anybody_has_it() -> None:
    loans = [Counter(f"loan.p{n}", "Loan", 0, owner=f"p{n}", quiet=True) for n in (1, 2)]
    assert drawn(counters=(Counter("day", "Day", 1), *loans)) == "Day 1"
    loans[1] = Counter("loan.p2", "Loan", 50, owner="p2", quiet=True)
    assert lines(drawn(counters=tuple(loans))) == ["      Ann  Bo", "Loan    0  50"]


def test_zones_stand_under_their_owners_with_sizes_aligned() -> None:
    text = drawn(
        zones=(
            zone("deck", "Deck", unknown=52, seen_by=NOBODY),
            zone("hand.p1", "Hand", cards=cards("Ogre", "Elf"), unknown=2, owner="p1", spread="fan"),
            zone("spoils.p1", "Spoils", cards=cards("Imp"), owner="p1"),
            zone("aside.p1", "set aside", owner="p1"),
            zone("laid.p1", "face down", owner="p1"),
            zone("hand.p2", "Hand", owner="p2", spread="row"),
            zone("kept.p3", "Kept by {p3}", owner="p3", cards=cards("Imp")),
            zone("kept.p4", "Kept by {p4}", owner="p4", spread="none"),
        )
    )
    assert lines(text) == [
        "Deck        52",
        "Ann",
        "  Hand       4  Ogre, Elf, 2 unseen",
        "  Spoils     1",
        "  no card: set aside, face down",
        "Bo",
        "  no card: Hand",
        "Kept by p3   1",
    ]


def test_a_card_without_a_figure_says_what_it_does() -> None:
    hand = (
        Card("x", Face("sub-01", lines=("pay 150", "at once"))),
        Card("y", Face("Awa", "7", lines=("Awa",))),
    )
    text = drawn(zones=(zone("hand", "Hand", cards=hand, spread="row"),))
    assert text == "Hand  2  sub-01 (pay 150; at once), Awa · 7"


@pytest.mark.parametrize(
    ("fields", "line"),
    [
        ({"cards": cards("Ogre", "Elf"), "shown": True}, "Pile  2  on top Ogre"),
        ({"cards": cards("Ogre", "Elf")}, "Pile  2"),
        ({"cards": cards("Ogre"), "shown": True}, "Pile  1  Ogre"),
        ({"unknown": 3, "shown": True}, "Pile  3"),
        ({"cards": cards("Ogre"), "spread": "none", "shown": True}, "Pile  1"),
    ],
)
def test_stack_shows_its_top_card_only_if_it_lies_open(fields: dict[str, object], line: str) -> None:
    assert drawn(zones=(zone("pile", "Pile", **fields),)) == line


def test_long_zone_is_wrapped_between_cards() -> None:
    hand = zone("hand", "Hand", cards=cards(*(f"Old Monster {n}" for n in range(9))), spread="fan")
    text = lines(drawn(zones=(hand,)))
    assert [line.strip().count("Old Monster") for line in text] == [4, 4, 1]
    assert all(line.startswith(" " * 9) for line in text[1:])
    assert not any(line.endswith(("Old", "Monster")) for line in text)


@pytest.mark.parametrize(
    ("face", "name"),
    [
        (Face("Ogre"), "Ogre"),
        (Face("Ogre", "7"), "Ogre · 7"),
        (Face("Monster 7", "7"), "Monster 7"),
        (Face("War", "W"), "War"),
        (Face("Amen no. 5", "5"), "Amen no. 5 · 5"),
        (Face("Amen no. 5", "2"), "Amen no. 5 · 2"),
        (Face("Enary", "6"), "Enary · 6"),
    ],
)
def test_card_is_named_as_printed(face: Face, name: str) -> None:
    assert card_name(Card("x", face)) == name


# --- boards ---


def square(column: int, row: int) -> Cell:
    label = f"{'ABCDEFGH'[column]}{row + 1}"
    x, y = 10.0 * column, 10.0 * row
    corners: tuple[Point, ...] = ((x, y), (x + 10, y), (x + 10, y + 10), (x, y + 10))
    return Cell(f"cell.{label}", label, corners, (x + 5, y + 5))


def test_squares_are_a_grid() -> None:
    board = tuple(square(column, row) for row in range(2) for column in range(3))
    pieces = (
        Piece("k", "cell.B1", "A", "king", "0", crowned=True),
        Piece("q", "cell.C2", "B", "queen", "1", dimmed=True),
        Piece("r", "cell.C2", "C", "rook", "2"),
    )
    assert lines(drawn(cells=board, pieces=pieces, crowned="lord", dimmed="frozen")) == [
        "A1      B1:A*   C1",
        "A2      B2      C2:B~,C",
        "* lord   ~ frozen",
    ]


def star() -> tuple[Cell, ...]:
    """Give the 48 triangles of a hexagram whose tips have side 2, the letter of a sector and a number."""
    height = sqrt(3) / 2
    cells = []
    for row, (first, count) in enumerate([(5, 1), (4, 3), (0, 11), (1, 9), (1, 9), (0, 11), (4, 3), (5, 1)]):
        for place in range(count):
            x, top, bottom = (first + place) / 2, row * height, (row + 1) * height
            up = (row < 4) == (place % 2 == 0) if count != 9 else (row < 4) == (place % 2 == 1)
            flat, tip = (bottom, top) if up else (top, bottom)
            points = ((x, flat), (x + 1, flat), (x + 0.5, tip))
            label = f"{'ABCDEFGH'[row]}{place}"
            cells.append(Cell(label, label, points, (x + 0.5, (2 * flat + tip) / 3)))
    return tuple(cells)


def test_triangles_are_a_star() -> None:
    pieces = tuple(Piece(cell.key, cell.key, "A", "pawn", "0") for cell in star() if cell.label[1] in "024")
    text = lines(drawn(cells=star(), pieces=pieces))
    assert text == [
        "                         A0:A",
        "                    B0:A B1   B2:A",
        "C0:A C1   C2:A C3   C4:A C5   C6   C7   C8   C9   C10",
        "     D0:A D1   D2:A D3   D4:A D5   D6   D7   D8",
        "     E0:A E1   E2:A E3   E4:A E5   E6   E7   E8",
        "F0:A F1   F2:A F3   F4:A F5   F6   F7   F8   F9   F10",
        "                    G0:A G1   G2:A",
        "                         H0:A",
    ]


def test_cells_without_corners_stand_at_their_centres() -> None:
    board = (Cell("a", "a", (), (0, 0)), Cell("b", "b", (), (10, 0)), Cell("c", "c", (), (5, 10)))
    assert lines(drawn(cells=board)) == ["a b", " c"]


@pytest.mark.parametrize(
    "board",
    [
        tuple(Cell(f"land.{n}", f"Long name of a land {n}", (), (n, 0)) for n in range(10)),
        (Cell("land.3", "Land 3", (), (0, 0)), Cell("land.4", "Land 4", (), (0, 0))),
    ],
    ids=["too wide", "one upon the other"],
)
def test_board_that_makes_no_grid_lists_the_cells_in_use(board: tuple[Cell, ...]) -> None:
    pieces = (
        Piece("a", "land.3", "1", "token of {p1}", "0"),
        Piece("h", "land.3", "h", "house", "0", dimmed=True),
        Piece("b", "land.4", "2", "token of {p2}", "1", crowned=True),
    )
    text = lines(drawn(cells=board, pieces=pieces))
    assert [line.rpartition(": ")[2] for line in text[:2]] == ["token of Ann, house~", "token of Bo*"]
    assert [line.rpartition(": ")[0][-1] for line in text[:2]] == ["3", "4"]
    assert text[2:] == ["* crowned   ~ dimmed"]


def spaces() -> tuple[Cell, ...]:
    names = ("GO", "Forest", "Tax", "Palace of the Old Prophets", "Well")
    return tuple(Cell(f"cell.{n}", str(8 + n), (), (n, 0), name=name) for n, name in enumerate(names))


def test_named_cells_are_listed_side_by_side_with_owners_houses_and_tokens() -> None:
    pieces = (
        Piece("t1", "cell.0", "A", "{p1}, Sword, held", "0", shape="token", dimmed=True),
        Piece("t2", "cell.3", "B", "{p2}, Agiel", "1", shape="token"),
        Piece("o1", "cell.1", "A", "{p1}'s, indebted", "0", shape="square", dimmed=True),
        Piece("o2", "cell.3", "B", "{p2}'s", "1", shape="square"),
        Piece("h2", "cell.3", "2", "2 cottages", "1", shape="house"),
    )
    text = drawn(cells=spaces(), pieces=pieces, dimmed="held")
    assert lines(text) == [
        " 8   GO ← Ann (held)                     11 B Palace of the Old Prophets,",
        " 9 A Forest, indebted                         2 cottages ← Bo",
        "10   Tax                                 12   Well",
    ]


def test_named_cells_stand_under_one_another_where_it_is_narrow() -> None:
    scene = Scene((100, 100), cells=spaces())
    assert lines(scene_text(scene, width=40))[2:4] == ["10   Tax", "11   Palace of the Old Prophets"]


def test_one_cell_is_a_board() -> None:
    assert drawn(cells=(square(0, 0),)) == "A1"


# --- the whole ---


def test_parts_stand_apart_and_no_line_is_too_wide_or_ends_in_spaces() -> None:
    scene = Scene(
        (100, 100),
        headline="{p1} must decide " * 9,
        counters=(*(Counter(f"c{n}", f"Counter {n}", n) for n in range(20)),
                  Counter("x", "A label that is rather long for a label " * 3, 1, owner="p1")),
        zones=(zone("z", "A zone with a long name " * 5, cards=cards("Ogre" * 30, "Elf"), spread="fan"),),
        cells=star(),
    )  # fmt: skip
    text = scene_text(scene, {"p1": "Ann" * 40})
    assert max(map(len, lines(text))) <= 80
    assert all(line == line.rstrip() for line in lines(text))
    assert text.count("\n\n") == 3
    assert "\x1b" not in text
    assert max(map(len, lines(scene_text(scene, width=60)))) <= 60
