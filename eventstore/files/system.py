"""What operating systems do differently, in one place: nothing else asks which one it runs on.

Python opens every file so that no child process gets it, so no flag is needed for that.
"""

from __future__ import annotations

import os
import shutil
from threading import Lock
from typing import TYPE_CHECKING, Final

if TYPE_CHECKING:
    from pathlib import Path

BINARY: Final[int] = getattr(os, "O_BINARY", 0)
"""A flag for `os.open`: Windows would translate line ends otherwise."""

_OPENS_FOLDERS: Final = hasattr(os, "O_DIRECTORY")
_BY_EFFECTIVE_IDS: Final = os.access in os.supports_effective_ids
_seeking: Final = Lock()


def read_at(handle: int, count: int, place: int) -> bytes:
    """At most `count` bytes from `place` on; where the handle stands is of no meaning."""
    if hasattr(os, "pread"):
        return os.pread(handle, count, place)
    with _seeking:
        os.lseek(handle, place, os.SEEK_SET)
        return os.read(handle, count)


def write_at(handle: int, data: bytes, place: int) -> int:
    """Write at `place`; the number of bytes that were written."""
    if hasattr(os, "pwrite"):
        return os.pwrite(handle, data, place)
    with _seeking:
        os.lseek(handle, place, os.SEEK_SET)
        return os.write(handle, data)


def free_bytes(path: str | Path) -> int:
    """The room that this user has left on the disk of a file or folder.

    Errors:  `OSError`.
    """
    return shutil.disk_usage(path).free


def may(path: str | Path, mode: int) -> bool:
    """Whether this process may read (`os.R_OK`) or write (`os.W_OK`) a file or folder."""
    return os.access(path, mode, effective_ids=_BY_EFFECTIVE_IDS)


def sync(place: str | Path) -> None:
    """Have the disk keep a file, or what a folder lists where the system can be asked for that."""
    if not _OPENS_FOLDERS and os.path.isdir(place):  # noqa: PTH112 - as it is given
        return
    # Windows syncs only what is open for writing.
    handle = os.open(place, (os.O_RDONLY if _OPENS_FOLDERS else os.O_RDWR) | BINARY)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)


def machine() -> str:
    """The name of this machine."""
    if hasattr(os, "uname"):
        return os.uname().nodename
    import platform  # noqa: PLC0415 - it takes time to import

    return platform.node()


def runs(process: int) -> bool:
    """Whether a process of this machine runs; True where that cannot be found out without ending it."""
    if os.name != "posix":
        return True
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    except (OSError, OverflowError):
        return True
    return True
