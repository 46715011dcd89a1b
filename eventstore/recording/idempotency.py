"""Commands that were accepted before: looked up before anything is decided."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.errors import CommandReused
from eventstore.log.ids import is_command_id, is_stream

if TYPE_CHECKING:
    from eventstore.log.contract import EventLog
    from eventstore.log.rows import Commit


def accepted(log: EventLog, stream: str, command_id: str | None, request: str | None = None) -> Commit | None:
    """The command that a stream has under this id; an id that none can have is of nothing.

    Errors:  `CommandReused` where another request came under it, if `request` is given.
    """
    if command_id is None or not (is_command_id(command_id) and is_stream(stream)):
        return None
    commit = log.answered(stream, command_id)
    if commit is not None and request not in {None, commit.request}:
        raise CommandReused(command_id, stream.partition("/")[0])
    return commit
