"""A database copied to another disk to be read there, where SQLite cannot make its files beside it.

In WAL mode even a reader needs a `-shm` file beside the database. A full disk has no room for it, and a
read-only one takes none. Without commits in the `-wal`, the file alone is the database. Otherwise both are
copied.
"""

from __future__ import annotations

import os
import shutil
from contextlib import suppress
from pathlib import Path
from typing import TYPE_CHECKING

from eventstore.errors import StorageFault
from eventstore.files import atomic_file, system
from eventstore.sqlite.still_copy import copy_still, state_of, states

if TYPE_CHECKING:
    from tempfile import TemporaryDirectory

    from eventstore.sqlite.still_copy import FileStates

_WAL_HEADER = 32
"""Bytes of a `-wal` without any commit."""
_SPARE = 1024 * 1024
"""Bytes to leave free beside a copy, for SQLite's own files there."""
_PART = 1024 * 1024
_NAME = "copy.db"


def has_commits(path: str) -> bool:
    """Whether the `-wal` beside a database may hold what the file itself lacks."""
    state = state_of(f"{path}-wal")
    return state is not None and state.size > _WAL_HEADER


class ReaderCopy:
    """A copy of a database and its `-wal`, made anew when they change. Not for two threads at once."""

    def __init__(self, path: str, wait: float) -> None:
        """Copy nothing yet."""
        self._path = path
        self._wait = wait
        self._source: int | None = None
        self._folder: TemporaryDirectory[str] | None = None
        self._of: FileStates | None = None

    def current(self) -> str:
        """The name of a copy of what the database holds now.

        Errors:  `StorageFault` where no folder for temporary files has room; `OSError`; `DatabaseLocked`.
        """
        if self._folder is None or self._of != states(self._path):
            self._copy()
        assert self._folder is not None  # noqa: S101 - for mypy
        return str(Path(self._folder.name) / _NAME)

    def _copy(self) -> None:
        try:
            self._of = copy_still(self._path, self._wait, self._fill)
        except BaseException:
            self.discard()
            raise
        if self._of is None:
            self.discard()
            raise OSError(None, "it changes faster than it can be copied")

    def _roomy(self, size: int) -> str:
        # The copy gets a folder of its own there, which nobody else may read.
        places = (os.environ.get("TMPDIR"), "/tmp", "/var/tmp", "/dev/shm")  # noqa: S108
        for place in filter(None, places):
            with suppress(OSError):
                if os.access(place, os.W_OK) and system.free_bytes(place) >= size + _SPARE:
                    return place
        room = (size + _SPARE) // 1_000_000 + 1
        raise StorageFault(
            self._path,
            f"its disk is full, and no folder for temporary files has the {room} MB to read a copy in;"
            " free some room, or name another folder in TMPDIR",
        )

    def _fill(self, found: FileStates) -> None:
        self.discard()
        self._folder = atomic_file.folder(self._roomy(sum(state.size for state in found.values())))
        copy = Path(self._folder.name) / _NAME
        # This handle stays open: closing one drops every lock that SQLite holds on the file in this process.
        if self._source is None:
            self._source = os.open(self._path, os.O_RDONLY | system.BINARY)
        with copy.open("wb") as target:
            place = 0
            while part := system.read_at(self._source, _PART, place):
                target.write(part)
                place += len(part)
        with suppress(FileNotFoundError):
            shutil.copyfile(f"{self._path}-wal", f"{copy}-wal")

    def discard(self) -> None:
        """Remove the copy; connections that are open on it go on."""
        if self._folder is not None:
            self._folder.cleanup()
            self._folder = None

    def close(self) -> None:
        """Give everything back; call it when this process has no other connection to the database."""
        self.discard()
        if self._source is not None:
            os.close(self._source)
            self._source = None
