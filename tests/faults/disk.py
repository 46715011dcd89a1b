"""A disk that loses its power: what may be left of the operations that the shim wrote down.

What a file holds is safe once the file is synced, and the name of a file once its folder is. Of the rest any
part may be left: a write of which some sectors arrived, a later write without an earlier one, a new name
without the old one's end, or nothing at all.

strict:  names are safe only when their folder is synced, and each may arrive or not. POSIX promises no more.
ordered: names arrive in the order in which they were given, and any sync brings all of them (ext4, XFS).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import PurePath
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    import random
    from collections.abc import Iterator, Mapping, Sequence

SECTOR = 512
System = Literal["strict", "ordered"]


class Op(NamedTuple):
    """A line of the shim's log."""

    name: str
    inode: int
    offset: int
    path: str
    data: bytes


def read_log(content: bytes) -> Iterator[Op]:
    """Read what the shim wrote down."""
    at = 0
    while at < len(content):
        end = content.index(b"\n", at)
        name, inode, offset, length, path = content[at:end].decode().split(" ", 4)
        at = end + 1 + int(length)
        yield Op(name, int(inode), int(offset), path, content[end + 1 : at])


class Change(NamedTuple):
    """Bytes written at an offset; None: the file got this length, by being cut off or filled with zeros."""

    offset: int
    data: bytes | None
    cuts: bool = True


@dataclass(eq=False)
class File:
    """What is safe of a file, and what is not yet."""

    safe: bytearray = field(default_factory=bytearray)
    pending: list[Change] = field(default_factory=list)

    def sync(self) -> None:
        for change in self.pending:
            _apply(self.safe, change)
        self.pending.clear()


def _apply(content: bytearray, change: Change) -> None:
    if change.data is None:
        if change.cuts:
            del content[change.offset :]
        content.extend(bytes(max(0, change.offset - len(content))))
        return
    content.extend(bytes(max(0, change.offset - len(content))))
    content[change.offset : change.offset + len(change.data)] = change.data


class Naming(NamedTuple):
    """A name that was given to a file, or taken from it."""

    folder: str
    given: str | None
    taken: str | None
    file: File


class Disk:
    """Follows the log, and can lose its power at any point of it."""

    def __init__(self, system: System, before: Mapping[tuple[str, int], bytes]) -> None:
        """Begin with files that are safe, by path and inode."""
        self._system = system
        files = [(path, inode, File(bytearray(content))) for (path, inode), content in before.items()]
        self._by_inode = {inode: file for _, inode, file in files}
        self._names = {path: file for path, _, file in files}
        self._safe_names = dict(self._names)
        self._namings: list[Naming] = []

    def follow(self, op: Op) -> None:
        """Do what was done."""
        match op.name:
            case "mark":
                pass
            case "create":
                self._by_inode[op.inode] = file = File()
                self._name(op.path, None, file)
            case "rename" | "link":
                file = self._by_inode[op.inode]
                self._name(op.data.decode(), op.path if op.name == "rename" else None, file)
            case "unlink":
                self._name(None, op.path, self._names[op.path])
            case "write":
                self._by_inode[op.inode].pending.append(Change(op.offset, op.data))
            case "truncate" | "allocate":
                change = Change(op.offset, None, cuts=op.name == "truncate")
                self._by_inode[op.inode].pending.append(change)
            case "fsync":
                self._sync(op)
            case _:
                raise ValueError(op.name)

    def _name(self, given: str | None, taken: str | None, file: File) -> None:
        naming = Naming(str(PurePath(given or taken or "").parent), given, taken, file)
        self._namings.append(naming)
        _rename(self._names, naming)

    def _sync(self, op: Op) -> None:
        file = self._by_inode.get(op.inode)
        if file is not None:
            file.sync()
        for naming in self._namings:
            if self._system == "ordered" or (file is None and naming.folder == op.path):
                _rename(self._safe_names, naming)
        self._namings = [
            naming
            for naming in self._namings
            if self._system == "strict" and (file is not None or naming.folder != op.path)
        ]

    def lose_power(self, rng: random.Random) -> dict[str, bytes]:
        """Give what may be there when the power is back: the files by path.

        Without SQLite's shared memory: it is written past every operation, and nobody relies on it.
        """
        names = dict(self._safe_names)
        for naming in self._arrived(rng):
            _rename(names, naming)
        return {path: _left(file, rng) for path, file in names.items() if not path.endswith("-shm")}

    def _arrived(self, rng: random.Random) -> Sequence[Naming]:
        if self._system == "ordered":
            return self._namings[: rng.randint(0, len(self._namings))]
        share = rng.choice((0.0, 0.5, 1.0))
        return [naming for naming in self._namings if rng.random() < share]


def _rename(names: dict[str, File], naming: Naming) -> None:
    if naming.taken is not None and names.get(naming.taken) is naming.file:
        del names[naming.taken]
    if naming.given is not None:
        names[naming.given] = naming.file


def _left(file: File, rng: random.Random) -> bytes:
    content = bytearray(file.safe)
    for change in _changes_left(file.pending, rng):
        _apply(content, change)
    return bytes(content)


def _changes_left(pending: list[Change], rng: random.Random) -> Iterator[Change]:
    """Give those pending changes that arrived: none, all, the first with one torn, or any sectors of any."""
    match rng.choice(("none", "all", "first", "any")):
        case "all":
            yield from pending
        case "first" if pending:
            whole = rng.randrange(len(pending))
            yield from pending[:whole]
            pieces = list(_sectors(pending[whole]))
            yield from pieces[: rng.randint(0, len(pieces))]
        case "any":
            share = rng.choice((0.1, 0.5, 0.9))
            for change in pending:
                yield from (piece for piece in _sectors(change) if rng.random() < share)


def _sectors(change: Change) -> Iterator[Change]:
    """Cut a write where the sectors of the disk begin."""
    if change.data is None:
        yield change
        return
    at = 0
    while at < len(change.data):
        end = at + SECTOR - (change.offset + at) % SECTOR
        yield Change(change.offset + at, change.data[at:end])
        at = end
