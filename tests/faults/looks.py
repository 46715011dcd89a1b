"""What a database holds, looked at by a process of its own."""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

from eventstore.audit.verify import verify
from eventstore.recording.commands import New
from eventstore.store import Store

_EVENTS = (
    "SELECT id, seq, first_seq, kind, by, recorded_at, payload FROM events JOIN games USING (game)"
    " ORDER BY position"
)
_DETAILS = (
    "SELECT id, title, played_on, time_zone, place, hidden FROM catalogue JOIN games USING (game)"
    " WHERE title IS NOT NULL OR played_on IS NOT NULL OR time_zone IS NOT NULL OR place IS NOT NULL"
    " OR hidden ORDER BY id"
)
_NAMES = "SELECT id, seat, name FROM names JOIN games USING (game) ORDER BY id, seat"
_KEYS = "SELECT name, seat, revoked_at IS NOT NULL FROM keys ORDER BY key"
_SESSIONS = "SELECT count(*) FROM sessions"
_COMMITS = "SELECT id, last_seq, hash FROM commits JOIN games USING (game)"


def look(path: str) -> dict[str, Any]:
    """Open a database as a program that writes does, and read all that people entered.

    The result has `faults`, as `verify` finds them; `there` is false where there is no database.
    """
    if not Path(path).exists():
        return {"there": False, "faults": []}
    with Store.open(path, create=False) as store:
        faults = [f"{item.game}:{item.seq} {item.code}: {item.message}" for item in verify(store).faults]
        with store.log.reader() as connection:
            found = {
                name: [list(row) for row in connection.execute(query)]
                for name, query in (
                    ("events", _EVENTS),
                    ("details", _DETAILS),
                    ("names", _NAMES),
                    ("keys", _KEYS),
                    ("sessions", _SESSIONS),
                )
            }
    return {"there": True, "faults": faults, **found}


def commits(paths: list[str]) -> dict[str, Any]:
    """Give for each database the value of the chain after each command and the titles, then append.

    A database that cannot be used has a `fault`.
    """
    return {path: _commits(path) for path in paths if Path(path).exists()}


def _commits(path: str) -> dict[str, Any]:
    try:
        with Store.open(path, create=False) as store:
            faults = [f"{item.game}:{item.seq} {item.code}: {item.message}" for item in verify(store).faults]
            with store.log.reader() as connection:
                found = {f"{game}:{seq}": value for game, seq, value in connection.execute(_COMMITS)}
                titles = {name: title for name, title, *_ in connection.execute(_DETAILS)}
            made = store.do(None, New("monsters-forever", ["Ann", "Bo"], game="afterwards")).game.id
            if store.log.head(made) is None:
                faults.append("what was appended is not there")
    except Exception as error:  # noqa: BLE001 - whatever it is, the database cannot be used
        return {"fault": f"{type(error).__name__}: {error}", "commits": {}, "titles": {}}
    return {"fault": faults[0] if faults else None, "commits": found, "titles": titles}


def digests(folder: str = ".") -> dict[str, str]:
    """Give the SHA-256 of each file of a folder."""
    return {
        entry.name: hashlib.sha256(Path(entry.path).read_bytes()).hexdigest()
        for entry in os.scandir(folder)
        if entry.is_file()
    }
