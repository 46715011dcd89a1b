"""The door through which every format comes: the entry-point group `tabletape.formats`.

A format is one file with one `Format`, and a line in `pyproject.toml` that names it.  The command line, the
downloads and their links read this registry, so a stranger's format stands beside ours.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import TYPE_CHECKING, Final

import msgspec

if TYPE_CHECKING:
    from eventstore.replay.game import Game
    from eventstore.store import Store

GROUP: Final = "tabletape.formats"
RECORD: Final = "tape"
"""The format without loss, which `import` reads back: the first, and the default."""


class Format(msgspec.Struct, frozen=True):
    """A way to write one game to a file.

    Errors of `write`: those of the store; it raises them before its first piece, or `TextOnly` for a game
    that its viewer cannot fold.
    """

    name: str
    """What `export --format` takes, and the entry point is called."""
    suffix: str
    """The end of its files, without the first dot: `tape.jsonl`."""
    media_type: str
    """Of its downloads; the text is UTF-8."""
    label: str
    """What a link to it is called: "Record", "Table"."""
    says: str
    """What it gives, in one sentence for the reference of the addresses."""
    write: Callable[[Store, Game], Iterator[bytes]]
    """The file in pieces, of the game as its viewer may know it."""


def names() -> list[str]:
    """The formats that are installed, the record first; none of them is loaded.

    >>> names()[0]
    'tape'
    """
    found = {point.name for point in entry_points(group=GROUP)}
    return sorted(found, key=lambda name: (name != RECORD, name))


@cache
def installed() -> dict[str, Format]:
    """The formats by name, in the order of `names`; one that cannot be loaded takes no other away."""
    points = {point.name: point for point in entry_points(group=GROUP)}
    found = ((name, _loaded(points[name])) for name in names())
    return {name: one for name, one in found if one is not None}


def _loaded(point: EntryPoint) -> Format | None:
    try:
        found = point.load()
    except Exception:  # noqa: BLE001 - a stranger's module may raise anything
        return None
    return found if isinstance(found, Format) and found.name == point.name else None


def by_suffix(file: str) -> Format | None:
    """The format that a file's name ends with; None where it ends with that of none."""
    ends = [one for one in installed().values() if file.lower().endswith(f".{one.suffix}")]
    return max(ends, key=lambda one: len(one.suffix), default=None)
