"""Read the rows of a damaged SQLite file page by page, without SQLite.

SQLite stops at the first page that it cannot make sense of, and everything below that page is lost with it.
This reader skips such a page, goes on, and also finds the leaves that no page points to any more.
The format is that of https://www.sqlite.org/fileformat2.html.
"""

from __future__ import annotations

import struct
from typing import TYPE_CHECKING, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Iterator

Value = int | float | bytes | str | None
Row = tuple[int, tuple[Value, ...]]
"""A row's number and its columns; texts are bytes. In an index the number is 0."""

_INTERIOR_INDEX, _INTERIOR_TABLE, _LEAF_INDEX, _LEAF_TABLE = 2, 5, 10, 13
_TABLE: Final = (_INTERIOR_TABLE, _LEAF_TABLE)
_INDEX: Final = (_INTERIOR_INDEX, _LEAF_INDEX)
_INTERIOR: Final = (_INTERIOR_TABLE, _INTERIOR_INDEX)
_HEADER: Final = 100
_FRAME: Final = 24
_WAL_HEADER: Final = 32
_INTEGERS: Final = {1: 1, 2: 2, 3: 3, 4: 4, 5: 6, 6: 8}
"""Bytes of an integer by its serial type."""
_CANNOT: Final = (IndexError, struct.error, ValueError, OverflowError)
"""What reading raises where the bytes make no sense."""
SIZE: Final = 4096
"""Bytes of a page, unless the file says otherwise."""


class DatabasePages:
    """A database file in memory, with the committed pages of its write-ahead log laid over it."""

    def __init__(self, file: bytes, wal: bytes = b"", *, size: int = 0) -> None:
        """Take the size of a page from the file's header, unless `size` is given."""
        self._file = file
        self.size = size or _page_size(file)
        self._over = _committed(wal, self.size)
        self.count = max([-(-len(file) // self.size), *self._over])
        self.seen: set[int] = set()
        """Pages that a table or an index led to."""
        self.unread: set[int] = set()
        """Pages that should hold rows of a table or an index, and cannot be read."""

    def page(self, number: int) -> bytes:
        """One page; IndexError where there is none."""
        if not 1 <= number <= self.count:
            raise IndexError(number)
        found = self._over.get(number)
        if found is None:
            found = self._file[(number - 1) * self.size : number * self.size]
        return found.ljust(self.size, b"\0")

    def walk(self, root: int, *, index: bool = False) -> Iterator[Row]:
        """The rows below a root page, without those of pages that cannot be read: these go to `unread`."""
        waiting, kinds = [root], _INDEX if index else _TABLE
        while waiting:
            number = waiting.pop()
            if number in self.seen:
                continue
            try:
                page = self.page(number)
                start = _HEADER if number == 1 else 0
                kind = page[start]
            except IndexError:
                self.unread.add(number)
                continue
            if kind not in kinds:
                self.unread.add(number)
                continue
            self.seen.add(number)
            if kind in _INTERIOR:
                waiting += reversed([*self._children(page, start)])
            if kind != _INTERIOR_TABLE:
                yield from self._rows(number, page, start, kind)

    def adrift(self) -> Iterator[Row]:
        """The rows of leaves that nothing led to, those of tables first."""
        left = [number for number in range(1, self.count + 1) if number not in self.seen]
        for wanted in (_LEAF_TABLE, _LEAF_INDEX):
            for number in left:
                page, start = self.page(number), _HEADER if number == 1 else 0
                if page[start] == wanted:
                    yield from self._rows(number, page, start, wanted)

    def _children(self, page: bytes, start: int) -> Iterator[int]:
        for place in _cells(page, start):
            if place + 4 <= len(page):
                yield int.from_bytes(page[place : place + 4], "big")
        yield int.from_bytes(page[start + 8 : start + 12], "big")

    def _rows(self, number: int, page: bytes, start: int, kind: int) -> Iterator[Row]:
        for place in _cells(page, start):
            try:
                rowid, columns, complete = self._row(page, place, kind)
            except _CANNOT:
                self.unread.add(number)
                continue
            if not complete:
                self.unread.add(number)
            yield rowid, columns

    def _row(self, page: bytes, place: int, kind: int) -> tuple[int, tuple[Value, ...], bool]:
        here = place + 4 if kind == _INTERIOR_INDEX else place
        length, here = _varint(page, here)
        rowid = 0
        if kind == _LEAF_TABLE:
            rowid, here = _varint(page, here)
        if length > self.count * self.size:
            raise ValueError(length)
        record = self._payload(page, here, length, table=kind == _LEAF_TABLE)
        return _signed(rowid), *_columns(record)

    def _payload(self, page: bytes, here: int, length: int, *, table: bool) -> bytes:
        usable = self.size
        most = usable - 35 if table else (usable - 12) * 64 // 255 - 23
        if length <= most:
            found = page[here : here + length]
        else:
            least = (usable - 12) * 32 // 255 - 23
            local = least + (length - least) % (usable - 4)
            local = local if local <= most else least
            found = page[here : here + local]
            following = int.from_bytes(page[here + local : here + local + 4], "big")
            found += self._overflow(following, length - local)
        if len(found) != length:
            raise ValueError(length)
        return found

    def _overflow(self, number: int, length: int) -> bytes:
        parts, passed = [], set()
        while length > 0:
            if number in passed:
                raise ValueError(number)
            passed.add(number)
            page = self.page(number)
            number = int.from_bytes(page[:4], "big")
            parts.append(page[4 : 4 + min(length, self.size - 4)])
            length -= self.size - 4
        self.seen |= passed
        return b"".join(parts)


def _page_size(file: bytes) -> int:
    said = int.from_bytes(file[16:18], "big")
    said = 65536 if said == 1 else said
    return said if said >= 512 and said & (said - 1) == 0 else SIZE  # noqa: PLR2004 - SQLite's smallest


def _committed(wal: bytes, size: int) -> dict[int, bytes]:
    """The pages of a write-ahead log up to its last commit.

    What follows a wrong checksum is left out, as SQLite leaves it out: its writer was never answered.
    """
    over: dict[int, bytes] = {}
    ahead: dict[int, bytes] = {}
    order: Literal["big", "little"] = "big" if wal[3:4] == b"\x83" else "little"
    summed = _summed(wal[:24], (0, 0), order)
    for start in range(_WAL_HEADER, len(wal) - _FRAME - size + 1, _FRAME + size):
        number, commit, *rest = struct.unpack(">IIIIII", wal[start : start + _FRAME])
        page = wal[start + _FRAME : start + _FRAME + size]
        summed = _summed(page, _summed(wal[start : start + 8], summed, order), order)
        if tuple(rest) != (*struct.unpack(">II", wal[16:24]), *summed) or not number:
            break
        ahead[number] = page
        if commit:
            over |= ahead
            ahead = {}
    return over


def _summed(data: bytes, before: tuple[int, int], order: Literal["big", "little"]) -> tuple[int, int]:
    one, two = before
    words = struct.unpack(f"{'>' if order == 'big' else '<'}{len(data) // 4}I", data)
    for first, second in zip(words[::2], words[1::2], strict=True):
        one = (one + first + two) & 0xFFFFFFFF
        two = (two + second + one) & 0xFFFFFFFF
    return one, two


def _cells(page: bytes, start: int) -> Iterator[int]:
    """Where the cells of a page begin."""
    first = start + (12 if page[start] in _INTERIOR else 8)
    count = int.from_bytes(page[start + 3 : start + 5], "big")
    for place in range(first, min(first + 2 * count, len(page) - 1), 2):
        # As SQLite does: a bit that cannot belong to it is ignored.
        yield int.from_bytes(page[place : place + 2], "big") & (len(page) - 1)


def _varint(data: bytes, here: int) -> tuple[int, int]:
    value = 0
    for place in range(here, here + 8):
        value = value << 7 | data[place] & 0x7F
        if data[place] < 0x80:  # noqa: PLR2004 - the bit that says that more follows
            return value, place + 1
    return value << 8 | data[here + 8], here + 9


def _signed(value: int) -> int:
    return value - 2**64 if value >= 2**63 else value


def _columns(record: bytes) -> tuple[tuple[Value, ...], bool]:
    """The columns of a row, and whether these are all: a wrong length hides its own and those after it."""
    end, here = _varint(record, 0)
    if end > len(record):
        raise ValueError(end)
    kinds = []
    while here < end:
        kind, here = _varint(record, here)
        kinds.append(kind)
    values: list[Value] = []
    for kind in kinds:
        try:
            value, here = _column(record, here, kind)
        except ValueError:
            return tuple(values), False
        values.append(value)
    return tuple(values), True


def _column(record: bytes, here: int, kind: int) -> tuple[Value, int]:
    if kind in {0, 8, 9}:
        return (None if not kind else kind - 8), here
    if kind in {10, 11}:
        raise ValueError(kind)
    length = 8 if kind == 7 else _INTEGERS.get(kind, (kind - 12) // 2)  # noqa: PLR2004 - a real number
    data = record[here : here + length]
    if len(data) != length:
        raise ValueError(kind)
    if kind in _INTEGERS:
        return int.from_bytes(data, "big", signed=True), here + length
    return (struct.unpack(">d", data)[0] if kind == 7 else data), here + length  # noqa: PLR2004 - as above
