"""The star as it is drawn."""

from __future__ import annotations

from msgspec.structs import replace

from games.core import fold, start
from games.core.scene import Scene
from games.rulesets.monsters_forever import RULESETS
from games.rulesets.monsters_forever.board import TEAMS
from games.rulesets.monsters_forever.state import State
from games.text import wording

RULES = RULESETS[0]
START = RULES.setup(start.started(RULES, 2))
KEYS = (
    {"round", "extra", "eaten", "gone"}
    | {f"{what}.{team}" for what in ("pantry", "pieces") for team in TEAMS}
    | {f"cell.{team}{number}" for team in TEAMS for number in range(1, 9)}
)


def after(*moves: str) -> State:
    state = START
    for text in moves:
        for event in wording.read(RULES, state, text):
            RULES.check(state, event)
            state = fold.evolve(RULES, state, event)
    return state


def inside(scene: Scene) -> bool:
    wide, high = scene.size
    return all(0 <= x <= wide and 0 <= y <= high for cell in scene.cells for x, y in cell.points)


def test_a_star_of_48_triangles_with_36_pieces() -> None:
    scene = RULES.scene(START)
    assert len(scene.cells) == 48
    assert len(scene.pieces) == 36
    assert inside(scene)
    assert 0.8 < scene.size[0] / scene.size[1] < 1.25
    assert all(len(cell.points) == 3 for cell in scene.cells)
    assert {cell.label: cell.start_of for cell in scene.cells if cell.start_of} == {
        f"{team}1": team for team in TEAMS
    }


def test_team_a_is_at_the_top_and_the_others_follow_clockwise() -> None:
    tips = {cell.label[0]: cell.centre for cell in RULES.scene(START).cells if cell.start_of}
    wide, high = RULES.scene(START).size
    assert min(tips.values(), key=lambda tip: tip[1]) == tips["A"]
    assert all(tips[team][0] > wide / 2 for team in "BC")
    assert all(tips[team][0] < wide / 2 for team in "EF")
    assert tips["B"][1] < high / 2 < tips["C"][1]


def test_the_keys_of_a_table_check() -> None:
    values = dict(RULES.scene(START).values())
    assert set(values) == KEYS
    assert (values["cell.A6"], values["cell.A5"], values["pieces.F"]) == ("A", None, 6)


def test_pieces_say_their_team_in_a_letter_too_and_kings_are_crowned() -> None:
    pieces = RULES.scene(START).pieces
    assert {(piece.mark, piece.tone) for piece in pieces} == set(zip("ABCDEF", "012345", strict=True))
    assert {piece.cell for piece in pieces if piece.crowned} == {f"cell.{team}1" for team in TEAMS}
    assert {piece.shape for piece in pieces} == {"hexagon"}


def test_a_frozen_piece_is_dimmed_and_says_so() -> None:
    frozen = [piece for piece in RULES.scene(replace(START, frozen={"a6": 2})).pieces if piece.dimmed]
    assert [piece.label for piece in frozen] == ["Zombies (A) pawn on A6, frozen"]


def test_a_piece_keeps_its_key_when_it_moves() -> None:
    moved = {piece.key: piece.cell for piece in RULES.scene(after("A6-A5")).pieces}
    assert moved["a6"] == "cell.A5"


def test_headlines() -> None:
    attacked = after("A6-A5", "A8xB8", ".", "B6-B8", "B8xA8")
    over = replace(START, phase="over")
    assert (RULES.scene(START).headline, RULES.scene(START).turn) == ("Round 1, Zombies (A) to move", "p1")
    assert RULES.scene(attacked).headline == "Round 1, Zombies (A) attacked on A8"
    assert RULES.scene(attacked).turn == "p2"
    assert (RULES.scene(over).headline, RULES.scene(over).turn) == ("A draw after 1 round", None)
