"""The star: 48 triangles, which of them share an edge, and how they are drawn."""

from __future__ import annotations

from importlib.resources import files
from typing import Final

import msgspec

from games.core.scene import Point

TEAMS: Final = ("A", "B", "C", "D", "E", "F")
"""The six teams, clockwise."""
PIECES: Final = 36
"""Six teams of a king and five pawns."""
START_NUMBERS: Final = (1, 2, 3, 4, 6, 8)
"""Where in its sector a team begins: the king at the tip, three pawns in a line, two in front of them."""


class Triangle(msgspec.Struct, frozen=True):
    """One cell: its neighbours by an edge, and its corners in drawing units (y downwards)."""

    cell: str
    neighbours: tuple[str, ...]
    points: tuple[Point, Point, Point]

    @property
    def centre(self) -> Point:
        """The middle of the triangle."""
        x, y = (sum(point[axis] for point in self.points) / 3 for axis in (0, 1))
        return x, y


class Board(msgspec.Struct, frozen=True):
    """The whole star and the size of its drawing."""

    size: tuple[float, float]
    cells: tuple[Triangle, ...]


BOARD: Final = msgspec.json.decode(files(__package__).joinpath("data/board.json").read_bytes(), type=Board)
CELLS: Final = tuple(triangle.cell for triangle in BOARD.cells)
NEIGHBOURS: Final = {triangle.cell: triangle.neighbours for triangle in BOARD.cells}
TIPS: Final = {f"{team}1": team for team in TEAMS}
"""The start cell of each king, with the team that it belongs to."""
_CORNERS: Final = {triangle.cell: frozenset(triangle.points) for triangle in BOARD.cells}
_NOWHERE: Final[frozenset[Point]] = frozenset()


def touch_at_corner(one: str, other: str) -> bool:
    """Tell whether two cells that share no edge have a corner in common.

    >>> touch_at_corner("A3", "A6"), touch_at_corner("A3", "A8")
    (True, False)
    """
    return not _CORNERS.get(one, _NOWHERE).isdisjoint(_CORNERS.get(other, _NOWHERE))
