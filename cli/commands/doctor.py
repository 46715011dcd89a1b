"""Whether everything is here that Tabletape needs."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from textwrap import wrap
from typing import Final, NamedTuple

import click

from cli.shell.counts import games_said
from cli.shell.options import command
from cli.shell.output import Shell, columns, current, legible, paint, print_json

PYTHON: Final = (3, 11)
WAL_RACE: Final = ((3, 7, 0), (3, 51, 2))
"""First and last SQLite release with the WAL-reset race: a checkpoint beside a writer may lose a commit."""

LEAST_ROOM: Final = 1024**2
"""Bytes free beside the database. A move takes some 30 KB there until SQLite moves it into the file."""

IN_USE: Final = (
    "While Tabletape uses {path}, copy it with `tabletape backup` only: the newest moves, or even all of "
    "them, may still be in {path}-wal, and a plain copy lacks them. Never put another database's -wal beside "
    "it: SQLite writes it over the file. Do not write to the file with another program, and keep it on a "
    "local disk. {path}.lock is empty and harmless."
)
"""What may be done to the file while it is open."""


class DoctorLine(NamedTuple):
    """What was looked at, whether it is well, and a sentence."""

    name: str
    ok: bool
    message: str


@command("Check")
@click.pass_context
def doctor(ctx: click.Context, shell: Shell) -> None:
    """Look whether everything is here and well.

    Exit code 1 if something is wrong.
    """
    checks = [*_python(), *_clock(), *_sqlite(), *_rulesets(), *_database(shell.db), *_chromium()]
    if shell.json:
        print_json({"checks": [check._asdict() for check in checks]})
    else:
        wide = max(len(check.name) for check in checks)
        for check in checks:
            mark = paint("ok ", fg="green") if check.ok else paint("BAD", fg="red", bold=True)
            first, *rest = wrap(check.message, max(40, columns() - wide - 6))
            click.echo(f"{mark} {check.name:{wide}}  {first}")
            for line in rest:
                click.echo(f"{'':{wide + 6}}{line}")
    if not all(check.ok for check in checks):
        ctx.exit(1)


def _python() -> Iterator[DoctorLine]:
    have = ".".join(map(str, sys.version_info[:3]))
    wanted = ".".join(map(str, PYTHON))
    ok = sys.version_info >= PYTHON
    yield DoctorLine("python", ok, have if ok else f"{have} is too old; {wanted} or later is needed.")


def _clock() -> Iterator[DoctorLine]:
    from eventstore.log.contract import now

    yield from _guarded("clock", lambda: f"{now()[:16]}Z; events are dated by it.")


def _sqlite() -> Iterator[DoctorLine]:
    import sqlite3

    have = sqlite3.sqlite_version
    first, last = WAL_RACE
    if first <= sqlite3.sqlite_version_info <= last:
        yield DoctorLine(
            "sqlite",
            ok=True,
            message=f"{have}; {_dotted(first)} to {_dotted(last)} can lose a commit when one connection "
            "checkpoints while another writes. Tabletape does both through one connection under a lock; "
            "let no other program write to the file.",
        )
    else:
        yield DoctorLine("sqlite", ok=True, message=have)


def _dotted(version: tuple[int, ...]) -> str:
    return ".".join(map(str, version))


def _rulesets() -> Iterator[DoctorLine]:
    from games.core.registry import installed

    found = installed()
    for name, fault in found.faults.items():
        yield DoctorLine(f"ruleset {name}", ok=False, message=f"It cannot be loaded: {fault}.")
    listed = ", ".join(f"{item.id} {item.version}" for item in found.values())
    yield DoctorLine("rulesets", bool(found), listed or "None is installed: install Tabletape again.")


def _database(path: str) -> Iterator[DoctorLine]:
    if not Path(path).exists():
        yield DoctorLine(
            "database", ok=True, message=f"{legible(path)} is not there yet; `tabletape new` makes it."
        )
        yield from _room(path)
        return
    yield from _guarded("database", lambda: _opened(path))
    yield from _room(path)
    yield DoctorLine("in use", ok=True, message=IN_USE.format(path=legible(path)))


def _room(path: str) -> Iterator[DoctorLine]:
    """Look whether the disk takes more; where nobody writes, that does not matter."""
    import os
    from shutil import disk_usage

    folder = Path(os.path.realpath(path)).parent
    if not os.access(folder, os.W_OK):
        return
    free = disk_usage(folder).free
    if free >= LEAST_ROOM:
        yield DoctorLine("disk", ok=True, message=f"{free / 1024**3:,.1f} GB free beside the database.")
        return
    message = (
        f"The disk is full: {free // 1024:,} KB are free in {legible(str(folder))}, and Tabletape needs"
        f" {LEAST_ROOM // 1024**2} MB to record. Free some room; reading works all the same."
    )
    yield DoctorLine("disk", ok=False, message=message)


def _opened(path: str) -> str:
    from eventstore.errors import DamagedDatabase
    from eventstore.sqlite import database_check
    from eventstore.sqlite.log import SqliteLog
    from eventstore.store import Store

    with SqliteLog.open(path, create=False, read_only=True) as log:
        games = games_said(Store(log))
        found = database_check.quick_fault(log)
        unguarded = database_check.missing_guards(log)
    if found is not None:
        raise DamagedDatabase(path, found.rstrip("."))
    if unguarded:
        raise ValueError(f"{path}: {unguarded}")
    return f"{legible(path)}: {games}, whole as a file; `tabletape verify` checks each record."


def _guarded(name: str, look: Callable[[], str]) -> Iterator[DoctorLine]:
    from games.core.sentences import shortened

    try:
        yield DoctorLine(name, ok=True, message=look())
    except Exception as error:  # noqa: BLE001 - whatever is wrong is what was asked for
        advice = current().typed(getattr(error, "advice", ""))
        yield DoctorLine(name, ok=False, message=shortened(legible(f"{error} {advice}".rstrip())))


def _chromium() -> Iterator[DoctorLine]:
    from shutil import which

    names = ("chromium", "chromium-browser", "google-chrome")
    found = next((path for name in names if (path := which(name))), None)
    yield DoctorLine("chromium", ok=True, message=found or "Not found; only the browser tests need it.")
