"""The library of `shim.c` in Python: build it, preload it, tell it what is to fail."""

from __future__ import annotations

import ctypes
import enum
import os
import shutil
import subprocess
import sys
from functools import cache
from hashlib import sha256
from pathlib import Path
from tempfile import gettempdir
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Mapping

SOURCE = Path(__file__).with_name("shim.c")
FOREVER = -1
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK | os.X_OK) else None  # noqa: S108 - a folder of one's own in it
"""Where files are that need no real disk: thousands of syncs would be waited for."""


class Op(enum.IntFlag):
    """Operations that change something on a disk; the same numbers stand in `shim.c`."""

    WRITE = 1
    FSYNC = 2
    TRUNCATE = 4
    RENAME = 8
    UNLINK = 16
    CREATE = 32
    ALLOCATE = 64
    LINK = 128

    ALL = 255


def compiler() -> str | None:
    """Find a C compiler."""
    return next(filter(None, map(shutil.which, ("cc", "gcc", "clang"))), None)


@cache
def library() -> Path:
    """Compile the library once per source and user.

    Raises:
        RuntimeError: there is no C compiler, or it reports an error.
    """
    found = compiler()
    if found is None:
        raise RuntimeError("The fault tests need a C compiler (Debian: apt-get install gcc libc6-dev).")
    digest = sha256(SOURCE.read_bytes()).hexdigest()[:16]
    place = Path(gettempdir(), f"tabletape-shim-{os.getuid()}-{digest}.so")
    if not place.exists():
        made = place.with_suffix(f".{os.getpid()}")
        flags = ["-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC"]
        done = subprocess.run(
            [found, *flags, "-o", str(made), str(SOURCE), "-ldl"], capture_output=True, text=True, check=False
        )
        if done.returncode:
            raise RuntimeError(f"The shim does not compile:\n{done.stderr}")
        made.replace(place)
    return place


_PROBE = "import ctypes; ctypes.CDLL(None).faults_seen"


@cache
def unusable() -> str | None:
    """Say in one sentence why the shim cannot be used here; None where it can."""
    if compiler() is None:
        return "The fault tests need a C compiler (Debian: apt-get install gcc libc6-dev)."
    try:
        environment = preloaded(os.environ)
    except RuntimeError as fault:
        return " ".join(str(fault).split())
    done = subprocess.run([sys.executable, "-c", _PROBE], env=environment, capture_output=True, check=False)
    if done.returncode:
        return f"The fault tests need a Python that LD_PRELOAD reaches; {sys.executable} ignores it."
    return None


def preloaded(environment: Mapping[str, str], **plan: object) -> dict[str, str]:
    """Give the environment of a child that runs with the shim; `plan` is as in the head of `shim.c`."""
    child = {**environment, "LD_PRELOAD": str(library())}
    if plan:
        child["TABLETAPE_FAULTS"] = ";".join(f"{name}={value}" for name, value in plan.items())
    return child


Position = Literal["before", "after", "torn"]
"""When a process is killed: `torn` is with half of a write done."""


class Shim:
    """The shim of this process, which must have been started with it (`preloaded`)."""

    def __init__(self, below: Path) -> None:
        """Watch the files below a folder.

        Raises:
            AttributeError: this process runs without the shim.
        """
        self._library = ctypes.CDLL(None)
        self._library.faults_seen.restype = self._library.faults_hit.restype = ctypes.c_long
        self._library.faults_watch(os.fsencode(below.resolve()))

    def fail(self, ops: Op, first: int, error: int, *, often: int = 1, torn: bool = False) -> None:
        """Let `often` of these operations fail, from the `first` on; `torn`: half of a write is done."""
        long = ctypes.c_long
        self._library.faults_fail(ctypes.c_uint(ops), long(first), long(often), error, int(torn))

    def kill(self, ops: Op, first: int, position: Position) -> None:
        """Let the process be killed at the `first` of these operations."""
        self._library.faults_kill(
            ctypes.c_uint(ops), ctypes.c_long(first), 2 if position == "after" else 1, int(position == "torn")
        )

    def count(self, ops: Op) -> None:
        """Count these operations from now on and let them all succeed."""
        self._library.faults_count(ctypes.c_uint(ops))

    def calm(self) -> None:
        """Let everything succeed."""
        self._library.faults_calm()

    def log(self, path: Path) -> None:
        """Write each operation down from now on."""
        if not self._library.faults_log(os.fsencode(path)):
            raise OSError(f"{path} cannot be written")

    def mark(self, text: str) -> None:
        """Write a line of the test's own between the operations."""
        self._library.faults_mark(text.encode())

    @property
    def seen(self) -> int:
        """The operations since the last plan."""
        return int(self._library.faults_seen())

    @property
    def hit(self) -> int:
        """How many of them failed."""
        return int(self._library.faults_hit())
