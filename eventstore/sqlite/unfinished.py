"""What a failed commit left in the write-ahead log, made unreadable in place.

The pages of a commit that failed may stand complete in the `-wal`, after the last frame that anybody reads.
SQLite would find them when it recovers the database. One zeroed header makes every frame from there on
invalid, and needs no room on a full disk: its bytes are allocated already.
"""

from __future__ import annotations

import os
import struct
from pathlib import Path
from threading import Lock
from typing import Final, NamedTuple

from eventstore.files import system

_WAL_HEADER: Final = 32
_FRAME_HEADER: Final = 24
_INDEX_HEADER: Final = 48
"""Bytes of the header of a `-shm`. The file holds it twice, so a torn write shows."""
_VERSION: Final = 3_007_000
_LARGEST_PAGE: Final = 65536

_mutex: Final = Lock()
_indexes: Final[dict[tuple[int, int], int]] = {}
"""Each `-shm` that was read here, open: closing it would drop the locks that this process has on it."""


class _Committed(NamedTuple):
    frames: int
    page: int


def wipe(path: str) -> None:
    """Make sure that nothing after the last commit can be found in the `-wal`, now and after a power cut.

    Lock:    the writers' lock is held, and a connection is open.
    Errors:  `OSError` where that is not certain.
    """
    frames, page = _committed(f"{path}-shm")
    place = _WAL_HEADER + frames * (_FRAME_HEADER + page)
    # SQLite has no locks on this file, so it may be closed.
    wal = os.open(f"{path}-wal", os.O_RDWR | system.BINARY)
    try:
        if os.fstat(wal).st_size < place + _FRAME_HEADER + page:
            return
        if system.write_at(wal, bytes(_FRAME_HEADER), place) < _FRAME_HEADER:
            raise OSError(None, "the write-ahead log could not be written")
        os.fsync(wal)
    finally:
        os.close(wal)


def _committed(index: str) -> _Committed:
    """Where the last commit ends, as every connection sees it."""
    header = system.read_at(_open(index), 2 * _INDEX_HEADER, 0)
    first, second = header[:_INDEX_HEADER], header[_INDEX_HEADER:]
    if len(first) < _INDEX_HEADER or first != second:
        raise OSError(None, f"{index} is being changed")
    # The fields that are used of SQLite's WalIndexHdr; they are in the order of bytes of this machine.
    version, initialised, page, frames = struct.unpack_from("=I8xBxHI", first)
    if version != _VERSION or not initialised:
        raise OSError(None, f"{index} has no header")
    return _Committed(frames, _LARGEST_PAGE if page == 1 else page)


def _open(index: str) -> int:
    found = Path(index).stat()
    with _mutex:
        for file, handle in tuple(_indexes.items()):
            if os.fstat(handle).st_nlink == 0:  # the last connection deleted it, and has no locks on it now
                os.close(_indexes.pop(file))
        file = (found.st_dev, found.st_ino)
        if file not in _indexes:
            _indexes[file] = os.open(index, os.O_RDONLY | system.BINARY)
        return _indexes[file]
