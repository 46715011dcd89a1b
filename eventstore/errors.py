"""Every refusal of the store: a type, a stable code and one sentence a player understands."""

from __future__ import annotations

from contextlib import contextmanager
from typing import TYPE_CHECKING, ClassVar, Final

if TYPE_CHECKING:
    from collections.abc import Iterator


REPAIR: Final = "`tabletape repair NEW.db` writes a new database with everything that can be kept."
"""What to do about damage, wherever it is told."""
_MAYBE: Final = "If it was one, it may be damaged: try `tabletape repair NEW.db`."


class TabletapeError(Exception):
    """The root of all refusals; `str()` is one sentence that may be shown as it is."""

    code: ClassVar[str] = "refused"
    """Lower-case-with-hyphens; stable, part of the public interface."""
    exit_code: ClassVar[int] = 1
    """What the command line exits with: 1 refused, 3 conflict, 4 the record is damaged."""
    advice: str = ""
    """What else to do, in a sentence of its own: shown to people after `str()`."""


class Conflict(TabletapeError):
    """Somebody else appended first; nothing was recorded."""

    code = "conflict"
    exit_code = 3

    def __init__(self, head: int, game: str) -> None:
        super().__init__(f"Game {game} is at event {head} now: look at what was added, then try again.")
        self.head = head
        self.game = game


class CommandReused(TabletapeError):
    """The command id belongs to another request; nothing was recorded."""

    code = "command-id-reused"
    exit_code = 3

    def __init__(self, command_id: str, game: str) -> None:
        super().__init__(
            f"Command id {command_id} was already used in game {game} for something else: take a new id."
        )
        self.command_id = command_id
        self.game = game


class UnknownGame(TabletapeError):
    """No stream has this id."""

    code = "unknown-game"

    def __init__(self, game: str, near: str = "") -> None:
        meant = f"; did you mean {near}?" if near else "."
        super().__init__(f"There is no game {game}{meant}")
        self.game = game


class MalformedAppend(TabletapeError):
    """What was to be appended could not be a line of a record; nothing was recorded."""

    code = "malformed-append"

    def __init__(self, game: str, why: str) -> None:
        super().__init__(f"Nothing was recorded in game {game}: {why}.")
        self.game = game


class BadClock(TabletapeError):
    """This machine's clock shows a time that no event can have; nothing was recorded."""

    code = "bad-clock"

    def __init__(self, shows: str) -> None:
        super().__init__(f"The clock of this machine shows {shows}: set it right. Nothing was recorded.")


class LogClosed(TabletapeError):
    """The log was used after `close()`."""

    code = "log-closed"

    def __init__(self) -> None:
        super().__init__("The log is closed: open it again.")


class NotADatabase(TabletapeError):
    """The file is something else; it was not touched."""

    code = "not-a-tabletape-database"

    def __init__(self, path: str, why: str, *, maybe_damaged: bool = False) -> None:
        """`maybe_damaged`: it may have been a database, and `repair` finds out."""
        super().__init__(f"{path} is not a Tabletape database: {why}.")
        self.path = path
        self.advice = _MAYBE if maybe_damaged else ""


class DatabaseMissing(TabletapeError):
    """There is no file, and none was to be made, or none can be made there."""

    code = "database-missing"

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} cannot be opened: {why}.")
        self.path = path


class NewerSchema(TabletapeError):
    """A newer Tabletape made the file; it was not touched."""

    code = "newer-database"

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(
            f"{path} has schema version {found}, and {known} is the newest known here: use a newer Tabletape."
        )
        self.path = path


class OlderSchema(TabletapeError):
    """An older Tabletape made the file, and it cannot be brought up to date when opened read-only."""

    code = "older-database"

    def __init__(self, path: str, found: int, known: int) -> None:
        super().__init__(f"{path} has schema version {found} and needs {known}: open it once for writing.")
        self.path = path


class DatabaseLocked(TabletapeError):
    """Another program kept the database for longer than we wait; nothing was recorded."""

    code = "database-locked"
    exit_code = 3

    def __init__(self, path: str) -> None:
        super().__init__(f"{path} is locked by another program: close that program or try again.")
        self.path = path


class DatabaseReadOnly(TabletapeError):
    """The file, its folder or this opening of it does not allow writing; nothing was recorded."""

    code = "database-read-only"

    def __init__(self, path: str, why: str = "it is read-only here") -> None:
        super().__init__(f"{path} cannot be written to: {why}.")
        self.path = path


class DatabaseReplaced(TabletapeError):
    """The file that is open has lost its name: what is written to it is lost; nothing was acknowledged."""

    code = "database-replaced"

    def __init__(self, path: str) -> None:
        super().__init__(f"The database file {path} was removed or replaced while it was open here: restart.")
        self.path = path


class StorageFault(TabletapeError):
    """The disk or the operating system refused; nothing was acknowledged."""

    code = "storage-fault"
    unknown: ClassVar[bool] = False
    """Whether the command may have been recorded all the same; see `OutcomeUnknown`."""

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} could not be read or written: {why}.")
        self.path = path


class NoRoom(StorageFault):
    """The disk takes no more; nothing of what was sent is kept, and what is kept can still be read."""

    def __init__(self, path: str, why: str, unwritten: str | None = None) -> None:
        """`unwritten` says what was not written, once that is known."""
        super().__init__(path, why)
        said = unwritten or f"nothing was written to {path}"
        self.args = (f"{why[:1].upper()}{why[1:]}: {said}. Free some room and try again.",)
        self.why = why
        self.unwritten = unwritten


def with_advice(error: TabletapeError) -> str:
    """Give the refusal with what to do about it."""
    return f"{error} {error.advice}".rstrip()


@contextmanager
def unwritten(what: str) -> Iterator[None]:
    """Have a refusal for lack of room say what was not written, such as "this note was not saved".

    If these are nested, the outermost one counts.
    """
    try:
        yield
    except NoRoom as fault:
        raise NoRoom(fault.path, fault.why, what) from fault


class OutcomeUnknown(StorageFault):
    """The disk failed during the commit, and what it had written could not be taken back.

    The next opening shows whether this was recorded.

    The same command under the same id is recorded once, whatever became of the first attempt.
    """

    unknown = True

    def __init__(self, path: str, why: str) -> None:
        super().__init__(path, why)
        said = "It is not certain whether this was recorded: look at the game before you try again."
        self.args = (f"{self} {said}",)


class DamagedDatabase(TabletapeError):
    """The file is ours and cannot be trusted as it stands."""

    code = "damaged-database"
    exit_code = 4
    advice = REPAIR

    def __init__(self, path: str, why: str) -> None:
        super().__init__(f"{path} is damaged: {why}.")
        self.path = path


class ForeignWal(DamagedDatabase):
    """SQLite would replay the `-wal` of another database over this one; neither file was touched."""

    advice = ""

    def __init__(self, path: str) -> None:
        super().__init__(path, "")
        what = f"{path}-wal belongs to another database, and SQLite would write it over {path}."
        self.args = (f"{what} Nothing was changed: move that -wal away and try again.",)


class Unreadable(TabletapeError):
    """One stored event cannot be decoded or replayed."""

    code = "unreadable-event"
    exit_code = 4
    advice = REPAIR

    def __init__(self, game: str, seq: int, why: str) -> None:
        super().__init__(f"Event {seq} of game {game} cannot be read: {why}.")
        self.game = game
        self.seq = seq


class BadHistory(TabletapeError):
    """An undo, redo or amendment points where it may not point."""

    code = "bad-history"
    exit_code = 4
    advice = REPAIR

    def __init__(self, seq: int, why: str) -> None:
        super().__init__(f"Event {seq} cannot rewrite the history: {why}.")
        self.seq = seq
