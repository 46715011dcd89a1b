"""What seats are called: the names that people typed, told apart."""

from __future__ import annotations

from itertools import count
from typing import TYPE_CHECKING

from eventstore.log.names import folded

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence


def display_names(seats: Sequence[str], typed: Mapping[str, str]) -> dict[str, str]:
    """Name every seat, told apart: seat → name.

    >>> display_names(("p1", "p2"), {"p1": "Ann"})
    {'p1': 'Ann', 'p2': 'Player 2'}
    """
    names = {seat: typed.get(seat) or default_name(seat) for seat in seats}
    # Names that nobody typed differ as they are, but for seats such as p1 and q1.
    return names if not typed and len(set(names.values())) == len(names) else told_apart(names)


def default_name(seat: str) -> str:
    """What a seat is called when nobody has a name there.

    >>> default_name("p2")
    'Player 2'
    """
    return f"Player {seat[1:]}" if seat[1:].isdecimal() else seat


def told_apart(names: Mapping[str, str]) -> dict[str, str]:
    """Number players of one name, whatever its capitals, in the order of the seats.

    What was typed is kept as it is: this is how people are called wherever a game is shown.

    >>> told_apart({"p1": "Ann", "p2": "Bo", "p3": "ann"})
    {'p1': 'Ann (1)', 'p2': 'Bo', 'p3': 'ann (2)'}
    """
    typed = [folded(name) for name in names.values()]
    taken = set(typed)
    found = dict(names)
    for (seat, name), same in zip(names.items(), typed, strict=True):
        if typed.count(same) > 1:
            numbered = (f"{name} ({number})" for number in count(1))
            found[seat] = next(text for text in numbered if folded(text) not in taken)
            taken.add(folded(found[seat]))
    return found
