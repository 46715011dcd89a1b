"""Another process that writes to the same file, or reads it afresh: one JSON line in, one out."""

from __future__ import annotations

import json
import subprocess
import sys
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import msgspec

from eventstore.errors import TabletapeError
from eventstore.log.rows import Append, Receipt
from eventstore.sqlite.log import SqliteLog

if TYPE_CHECKING:
    from collections.abc import Mapping
    from types import TracebackType

ROOT = Path(__file__).parents[2]


class Refused(Exception):
    """The other process was refused."""

    def __init__(self, code: str, text: str) -> None:
        super().__init__(text)
        self.code = code


def rows(log: SqliteLog) -> str:
    """A digest of every event and every command."""
    found = sha256()
    for game in sorted(log.games()):
        found.update(msgspec.json.encode(log.record(game)))
    return found.hexdigest()


class Neighbour:
    """The other process, seen from the tests."""

    def __init__(self, environment: Mapping[str, str]) -> None:
        self._process = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.neighbour"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=ROOT,
            env=dict(environment),
        )

    def _ask(self, what: str, path: Path, value: object = None) -> Any:
        assert self._process.stdin
        assert self._process.stdout
        self._process.stdin.write(msgspec.json.encode([what, str(path), value]) + b"\n")
        self._process.stdin.flush()
        answer, refusal = json.loads(self._process.stdout.readline())
        if refusal:
            raise Refused(*refusal)
        return answer

    def append(self, path: Path, command: Append) -> Receipt:
        """Append as another process."""
        return msgspec.convert(self._ask("append", path, command), Receipt)

    def rows(self, path: Path) -> str:
        """`rows` of the file as another process finds it."""
        return str(self._ask("rows", path))

    def close(self) -> None:
        """Let it end."""
        self._process.communicate(b"", timeout=60)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


def _answer(what: str, path: str, value: Any) -> object:
    with SqliteLog.open(path, create=False, read_only=what == "rows") as log:
        if what == "rows":
            return rows(log)
        command = msgspec.convert(value, Append)
        return log.append(
            command.game,
            command.events,
            after=command.after,
            command_id=command.command_id,
            request=command.request,
        )


def main() -> None:
    """Answer until the input ends."""
    for line in sys.stdin.buffer:
        what, path, value = json.loads(line)
        try:
            answer: tuple[object, object] = (_answer(what, path, value), None)
        except TabletapeError as fault:
            answer = (None, (fault.code, str(fault)))
        sys.stdout.buffer.write(msgspec.json.encode(answer) + b"\n")
        sys.stdout.buffer.flush()


if __name__ == "__main__":
    main()
