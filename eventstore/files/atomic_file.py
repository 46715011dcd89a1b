"""Files that are built beside their place and put there when they are whole."""

from __future__ import annotations

import errno
import os
import re
import shutil
from contextlib import contextmanager, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from eventstore.errors import StorageFault
from eventstore.files import system
from eventstore.files.disk_faults import disk_faults_of

if TYPE_CHECKING:
    from collections.abc import Iterator

BESIDE: Final = ("", "-journal", "-wal", "-shm", ".lock")
"""What may lie under and beside the name of a database."""
_NAME: Final = re.compile(r"\.tabletape-(.+)-([0-9]{1,9})\.part(-old)?(-journal|-wal|-shm|\.lock)?")
_FOLDER: Final = re.compile(r"tabletape-([0-9]{1,9})-\w+\.copy")


def real(named: str | os.PathLike[str]) -> str:
    """Where a name leads, through all symbolic links; a file need not be there.

    Errors:  `StorageFault` for links that lead round in a circle: a file put there would replace the link.
    """
    found = os.path.realpath(named)
    if os.path.islink(found):  # noqa: PTH114 - a text
        raise StorageFault(str(named), os.strerror(errno.ELOOP).lower())
    return found


def part(target: Path) -> Path:
    """The name, in the target's folder, under which this process builds; it may be shorter than the target's.

    What a process of this machine that was killed has left in that folder is removed.
    """
    _sweep(target.parent)
    return target.with_name(f".tabletape-{system.machine()}-{os.getpid()}.part")


@contextmanager
def building(target: Path, named: str) -> Iterator[Path]:
    """Lend an empty file in the target's folder; what is left of it at the end is removed.

    Nobody else may read it until it gets the rights of the file that it is a copy of.
    named:   what the target is called in a refusal.
    """
    made = part(target)
    clear(made)
    with disk_faults_of(named):
        os.close(os.open(made, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600))
    try:
        yield made
    finally:
        clear(made)


def put(built: Path, target: Path) -> None:
    """Give what was built its name, and have the disk keep both: the bytes before the name."""
    system.sync(built)
    built.replace(target)
    system.sync(target.parent)


def clear(built: Path) -> None:
    """Remove it, and what a database leaves beside it."""
    for end in BESIDE:
        Path(f"{built}{end}").unlink(missing_ok=True)


def folder(place: str) -> TemporaryDirectory[str]:
    """A folder of this process for a copy, that nobody else may read; what killed processes left goes."""
    with suppress(OSError):
        for name in os.listdir(place):  # noqa: PTH208 - names alone
            found = _FOLDER.fullmatch(name)
            if found and not system.runs(int(found[1])):
                shutil.rmtree(Path(place) / name, ignore_errors=True)
    return TemporaryDirectory(
        prefix=f"tabletape-{os.getpid()}-", suffix=".copy", dir=place, ignore_cleanup_errors=True
    )


def _sweep(folder: Path) -> None:
    # A folder that cannot be read is refused when something is to be written there.
    with suppress(OSError):
        for name in os.listdir(folder):  # noqa: PTH208 - names alone
            found = _NAME.fullmatch(name)
            if found and found[1] == system.machine() and not system.runs(int(found[2])):
                (folder / name).unlink(missing_ok=True)
