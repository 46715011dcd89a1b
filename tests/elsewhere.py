"""Tabletape in a Python that lacks what Windows lacks: `python tests/elsewhere.py WHAT ARGUMENT…`.

It runs on Linux, so it shows that nothing needs these names.  How files behave on Windows it cannot show.
"""

from __future__ import annotations

import importlib
import os
import pkgutil
import shutil
import signal
import sys
from contextlib import closing
from pathlib import Path

PACKAGES = ("games", "eventstore", "replay_web", "cli")
MODULES = ("fcntl", "termios", "tty", "pty", "pwd", "grp", "resource", "readline", "curses", "syslog")
OF_OS = (
    "O_CLOEXEC", "O_DIRECTORY", "O_NOFOLLOW", "O_NONBLOCK", "O_NOCTTY", "O_SYNC",
    "chown", "fchmod", "fchown", "fork", "forkpty", "fstatvfs", "getegid", "geteuid", "getgid", "getpgid",
    "getuid", "killpg", "mkfifo", "pread", "pwrite", "sched_getaffinity", "setsid", "statvfs", "uname",
    "wait4", "waitid",
)  # fmt: skip
OF_SIGNAL = ("SIGALRM", "SIGHUP", "SIGKILL", "SIGPIPE", "SIGQUIT", "SIGWINCH", "pthread_sigmask")


def take_away() -> None:
    """Take away what Windows lacks; `shutil` keeps what it has there, and each system has."""
    statvfs, usage = os.statvfs, type(shutil.disk_usage("/"))

    def disk_usage(path: str) -> object:
        found = statvfs(path)
        size = found.f_blocks * found.f_frsize
        free = found.f_bavail * found.f_frsize
        return usage(size, size - free, free)

    shutil.disk_usage = disk_usage  # type: ignore[assignment]
    for name in MODULES:
        sys.modules[name] = None  # type: ignore[assignment]  # an import of it fails
    for module, names in ((os, OF_OS), (signal, OF_SIGNAL)):
        for name in names:
            delattr(module, name)
    os.supports_effective_ids.clear()  # type: ignore[attr-defined]


def import_all() -> None:
    """Import every module of the four packages; print how many there are."""
    names = [
        found.name
        for package in PACKAGES
        for found in pkgutil.walk_packages(importlib.import_module(package).__path__, f"{package}.")
    ]
    for name in names:
        importlib.import_module(name)
    print(len(names))


def call(*args: str) -> None:
    """Run a command of the command line."""
    from cli import main

    main.main(list(args), prog_name="tabletape")


def count(counter: str, times: str) -> None:
    """Add 1 to the number in a file so many times, each time under its lock."""
    from eventstore.sqlite.lock import FileLock

    file = Path(counter)
    with closing(FileLock(counter, 60)) as lock:
        for _ in range(int(times)):
            with lock.held():
                file.write_text(str(int(file.read_text(encoding="ascii")) + 1), encoding="ascii")


def hold(path: str) -> None:
    """Take the lock, say so, and keep it until a line comes in."""
    from eventstore.sqlite.lock import FileLock

    with closing(FileLock(path, 60)) as lock, lock.held():
        print("held", flush=True)
        sys.stdin.readline()


if __name__ == "__main__":
    sys.path.insert(0, str(Path(__file__).parents[1]))
    take_away()
    {"import": import_all, "call": call, "count": count, "hold": hold}[sys.argv[1]](*sys.argv[2:])
