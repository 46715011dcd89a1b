"""The steps that make the schema, in order; new ones go to the end, released ones never change."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.log.names import folded

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
    # No row is ever deleted, so no position is used twice; AUTOINCREMENT would write one more page a commit.
    db.execute(
        "CREATE TABLE events(position INTEGER PRIMARY KEY,"
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


@migration
def m3_catalogue(db: Database) -> None:
    """Names, titles and dates, which are no events, and what lists and searches need of the events."""
    db.execute(
        "CREATE TABLE catalogue(game INTEGER PRIMARY KEY REFERENCES games,"
        " title TEXT, played_on TEXT, time_zone TEXT, place TEXT, hidden INTEGER NOT NULL DEFAULT 0,"
        " ruleset TEXT, version INTEGER, origin TEXT, parent TEXT, created_at TEXT, seats TEXT,"
        " steps INTEGER, seq INTEGER, status TEXT, result TEXT) STRICT"
    )
    # The list that is shown unless something else is asked for; a page of it must not pass over the rest.
    db.execute(
        "CREATE INDEX catalogue_listed ON catalogue(game)"
        " WHERE hidden = 0 AND origin <> 'simulated' AND parent IS NULL AND seq IS NOT NULL"
    )
    db.execute("CREATE INDEX catalogue_ruleset ON catalogue(ruleset, game)")
    db.execute("CREATE INDEX catalogue_origin ON catalogue(origin, game)")
    db.execute("CREATE INDEX catalogue_missing ON catalogue(game) WHERE status = 'missing'")
    db.execute(
        "CREATE TABLE names(game INTEGER NOT NULL REFERENCES games, seat TEXT NOT NULL, name TEXT NOT NULL,"
        " folded TEXT NOT NULL, PRIMARY KEY(game, seat)) STRICT, WITHOUT ROWID"
    )
    db.execute("CREATE INDEX names_folded ON names(folded, game)")
    db.execute(
        "CREATE TABLE followed(what TEXT PRIMARY KEY, position INTEGER NOT NULL) STRICT, WITHOUT ROWID"
    )
    table = db.create_table("texts", {"game": int, "typed": str, "notes": str, "captions": str}, pk="game")
    table.enable_fts(["typed", "notes", "captions"], tokenize="unicode61", create_triggers=True)


@migration
def m4_access(db: Database) -> None:
    """Keys that let people write over a network, and their sessions: hashes of random texts alone."""
    db.execute(
        "CREATE TABLE keys(key INTEGER PRIMARY KEY, name TEXT NOT NULL, seat TEXT, hash BLOB NOT NULL,"
        " added_at TEXT NOT NULL, revoked_at TEXT) STRICT"
    )
    db.execute("CREATE UNIQUE INDEX keys_name ON keys(name) WHERE revoked_at IS NULL")
    db.execute(
        "CREATE TABLE sessions(id TEXT PRIMARY KEY, key INTEGER NOT NULL REFERENCES keys,"
        " hash BLOB NOT NULL, began_at TEXT NOT NULL) STRICT, WITHOUT ROWID"
    )


@migration
def m5_newest_played_first(db: Database) -> None:
    """The order of lists: by the day of play, then by when the record was begun."""
    played = "coalesce(played_on, substr(created_at, 1, 10)), created_at, game"
    for index in ("catalogue_listed", "catalogue_ruleset", "catalogue_origin"):
        db.execute(f"DROP INDEX {index}")
    db.execute(
        f"CREATE INDEX catalogue_listed ON catalogue({played})"
        " WHERE hidden = 0 AND origin <> 'simulated' AND parent IS NULL AND seq IS NOT NULL"
    )
    db.execute(f"CREATE INDEX catalogue_ruleset ON catalogue(ruleset, {played})")
    db.execute(f"CREATE INDEX catalogue_origin ON catalogue(origin, {played})")


@migration
def m6_amended_and_ruled(db: Database) -> None:
    """Which games were amended or have rulings: lists say so, and find it without reading the facts."""
    db.execute(
        "CREATE INDEX events_marked ON events(game, seq) WHERE kind IN ('record.amended', 'record.ruled')"
    )


@migration
def m7_commands_stand_in_their_events(db: Database) -> None:
    """The row of a command's last event keeps the command: an append writes two trees fewer.

    The index of rewriting events becomes one of all that is about the record. SQLite makes a set anew for
    each row that it compares with a list of three: that cost as much as writing the row.
    A command whose last event somebody removed gets a row that cannot be read in its place: the loss shows.
    """
    for column in ("first_seq INTEGER", "command_id TEXT", "request TEXT", "hash TEXT"):
        db.execute(f"ALTER TABLE events ADD COLUMN {column}")
    db.execute("DROP TRIGGER events_no_update")
    db.execute(
        "UPDATE events SET first_seq = commits.first_seq, command_id = commits.command_id,"
        " request = commits.request, hash = commits.hash"
        " FROM commits WHERE commits.game = events.game AND commits.last_seq = events.seq"
    )
    db.execute(
        "INSERT INTO events(game, seq, kind, by, recorded_at, payload, first_seq, command_id, request, hash)"
        " SELECT game, last_seq, 'lost', 'lost', '1970-01-01T00:00:00.000000Z', 'null',"
        " first_seq, command_id, request, hash FROM commits"
        " WHERE NOT EXISTS (SELECT 1 FROM events WHERE events.game = commits.game AND seq = last_seq)"
    )
    db.execute(
        "CREATE TRIGGER events_no_update BEFORE UPDATE ON events"
        " BEGIN SELECT raise(ABORT, 'events are append-only'); END"
    )
    db.execute("DROP TABLE commits")
    db.execute("CREATE UNIQUE INDEX events_command ON events(game, command_id) WHERE command_id IS NOT NULL")
    db.execute(
        "CREATE VIEW commits AS SELECT game, first_seq, seq AS last_seq, command_id, request, hash"
        " FROM events WHERE command_id IS NOT NULL"
    )
    db.execute("DROP INDEX events_rewriting")
    db.execute(
        "CREATE INDEX events_of_record ON events(game, seq) WHERE kind > 'record.' AND kind < 'record/'"
    )


@migration
def m8_indexes_that_nobody_reads(db: Database) -> None:
    """Two that were written and not read: a part of a name is looked for in the table as fast."""
    db.execute("DROP INDEX events_marked")
    db.execute("DROP INDEX names_folded")


@migration
def m9_variations(db: Database) -> None:
    """What leaves a game: each of its pages asks."""
    db.execute("CREATE INDEX catalogue_variations ON catalogue(parent, game) WHERE parent IS NOT NULL")


@migration
def m10_names_by_one_folding(db: Database) -> None:
    """A name is the same however its accents are made."""
    rows = [
        (folded(name), game, seat) for game, seat, name in db.execute("SELECT game, seat, name FROM names")
    ]
    for row in rows:
        db.execute("UPDATE names SET folded = ? WHERE game = ? AND seat = ?", row)


@migration
def m11_checksums_of_commands(db: Database) -> None:
    """A command has a checksum over what the chain does not cover; -1 in the rows of today, and of others.

    The default costs nothing, however large the database is: no row is written anew.
    """
    db.execute("ALTER TABLE events ADD COLUMN checksum INTEGER NOT NULL DEFAULT -1")
    db.execute("DROP VIEW commits")
    db.execute(
        "CREATE VIEW commits AS SELECT game, first_seq, seq AS last_seq, command_id, request, hash, checksum"
        " FROM events WHERE command_id IS NOT NULL"
    )
