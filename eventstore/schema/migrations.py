"""The steps that make the schema, in order; new ones go to the end, released ones never change."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from sqlite_utils import Database

MIGRATIONS: list[Callable[[Database], None]] = []


def migration(step: Callable[[Database], None]) -> Callable[[Database], None]:
    """Make this function the next step; its name is stored in the databases that took it."""
    MIGRATIONS.append(step)
    return step


@migration
def m1_streams_events_commits(db: Database) -> None:
    """The log itself."""
    db.execute("CREATE TABLE games(game INTEGER PRIMARY KEY, id TEXT NOT NULL UNIQUE) STRICT")
    db.execute(
        "CREATE TABLE events(position INTEGER PRIMARY KEY AUTOINCREMENT,"
        " game INTEGER NOT NULL REFERENCES games, seq INTEGER NOT NULL, kind TEXT NOT NULL, by TEXT NOT NULL,"
        " recorded_at TEXT NOT NULL, payload TEXT NOT NULL, UNIQUE(game, seq)) STRICT"
    )
    # Undo, redo and amendments alone decide the history, so that it is found without reading the facts.
    db.execute(
        "CREATE INDEX events_rewriting ON events(game, seq)"
        " WHERE kind IN ('record.undone', 'record.redone', 'record.amended')"
    )
    db.execute(
        "CREATE TABLE commits(game INTEGER NOT NULL REFERENCES games, first_seq INTEGER NOT NULL,"
        " last_seq INTEGER NOT NULL, command_id TEXT NOT NULL, request TEXT NOT NULL, hash TEXT NOT NULL,"
        " PRIMARY KEY(game, last_seq), UNIQUE(game, command_id)) STRICT, WITHOUT ROWID"
    )
    for table in ("events", "commits"):
        for act in ("UPDATE", "DELETE"):
            db.execute(
                f"CREATE TRIGGER {table}_no_{act.lower()} BEFORE {act} ON {table}"
                f" BEGIN SELECT raise(ABORT, '{table} are append-only'); END"
            )


@migration
def m2_keyframes(db: Database) -> None:
    """Saved states; the table may be emptied at any time."""
    db.execute(
        "CREATE TABLE keyframes(game INTEGER NOT NULL REFERENCES games, viewer TEXT NOT NULL,"
        " step INTEGER NOT NULL, digest BLOB NOT NULL, state BLOB NOT NULL,"
        " PRIMARY KEY(game, viewer, step, digest)) STRICT, WITHOUT ROWID"
    )
