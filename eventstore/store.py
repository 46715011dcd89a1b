"""The one door of the store: a database opened, with everything that works on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Self

from eventstore.access.keys import Access
from eventstore.library import about
from eventstore.library.catalogue import Catalogue
from eventstore.library.notes import Notes
from eventstore.recording.recorder import Recorder
from eventstore.replay.replayer import Replayer
from eventstore.sqlite.log import SqliteLog
from games.core.registry import installed

if TYPE_CHECKING:
    import os
    from types import TracebackType

    from games.core.registry import Registry


class Tabletape:
    """Record with `recorder`, replay with `replayer`, list with `catalogue`, annotate with `notes`.

    `access` keeps the keys of those who come in over a network.
    Threads: may share one.
    """

    def __init__(self, log: SqliteLog, registry: Registry) -> None:
        """Use `open`."""
        self.log = log
        self.registry = registry
        self.replayer = Replayer(log, registry, lambda game: about.names(log, game), keep=not log.read_only)
        self.access = Access(log)
        self.notes = Notes(log, self.replayer, self.access)
        self.catalogue = Catalogue(log, registry, self.replayer, self.notes)
        self.recorder = Recorder(log, registry, self.replayer)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        read_only: bool = False,
        registry: Registry | None = None,
    ) -> Self:
        """Open a database, made if it is not there; with the installed rulesets unless others are given.

        Errors:  those of `SqliteLog.open`.
        """
        log = SqliteLog.open(path, create=create, read_only=read_only)
        return cls(log, installed() if registry is None else registry)

    def close(self) -> None:
        """Give everything back; closing twice is allowed."""
        self.log.close()

    def __enter__(self) -> Self:
        """Give it itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()
