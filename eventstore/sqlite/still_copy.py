"""A database copied as it is at one moment, with what lies beside it."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Final, NamedTuple

from eventstore.sqlite.lock import still

if TYPE_CHECKING:
    from collections.abc import Callable

ENDS: Final = ("", "-wal", "-journal")
"""Ends of the names of the files that make up a database."""
_TRIES: Final = 5


class FileState(NamedTuple):
    """What tells one state of a file from another."""

    file: int
    size: int
    changed: int


FileStates = dict[str, FileState]
"""By the end of the name; those that are there."""


def states(path: str) -> FileStates:
    """The states of a database and of what lies beside it."""
    return {end: state for end in ENDS if (state := state_of(f"{path}{end}")) is not None}


def state_of(path: str) -> FileState | None:
    """The state of a file; None where there is none, or where the folder cannot be searched."""
    try:
        found = os.stat(path)  # noqa: PTH116 - as it is in the log
    except OSError:
        return None
    return FileState(found.st_ino, found.st_size, found.st_mtime_ns)


def copy_still(path: str, wait: float, copy: Callable[[FileStates], object]) -> FileStates | None:
    """Copy a database while nobody writes to it, and again if it changed meanwhile.

    copy:    copies what is there; it is called once or more.
    Gives:   the states that the copy is of; None if the database never was still.
    """
    for _ in range(_TRIES):
        with still(path, wait):
            before = states(path)
            copy(before)
            if before == states(path):
                return before
    return None
