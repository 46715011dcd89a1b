"""What the operating system reports of a file, as this store's own refusals."""

from __future__ import annotations

import errno
from contextlib import contextmanager
from typing import TYPE_CHECKING, Final

from eventstore.errors import NoRoom, StorageFault

if TYPE_CHECKING:
    from collections.abc import Iterator

FULL: Final = "the disk is full"
NO_MORE: Final = "the disk takes no more (it is full, or a limit is reached)"
_NO_ROOM: Final = {
    errno.ENOSPC: FULL,
    errno.EDQUOT: "your quota of the disk is used up",
    errno.EFBIG: NO_MORE,
}
"""How the operating system says that nothing more can be written."""


def of_system(path: str, fault: OSError) -> StorageFault:
    """The refusal that tells a user what the operating system reports."""
    why = _NO_ROOM.get(fault.errno or 0)
    return StorageFault(path, (fault.strerror or str(fault)).lower()) if why is None else NoRoom(path, why)


@contextmanager
def disk_faults_of(path: str) -> Iterator[None]:
    """Turn the operating system's errors into refusals."""
    try:
        yield
    except OSError as fault:
        raise of_system(path, fault) from fault
