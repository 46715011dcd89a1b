"""Tables as CSV text: UTF-8, RFC 4180, and no cell that a spreadsheet would run."""

from __future__ import annotations

import csv
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

_FORMULA: Final = ("=", "+", "-", "@", "\t", "\r", "\uff1d", "\uff0b", "\uff0d", "\uff20")
"""What a cell begins with that a spreadsheet would run; the last four are the wide forms of the first."""


class _Line:
    """What `csv.writer` writes a row into: it hands the row back."""

    @staticmethod
    def write(text: str) -> str:
        return text


def lines(columns: Sequence[str], rows: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Give a table line by line, its header first; nothing in it is a formula."""
    writer: Any = csv.writer(_Line(), lineterminator="\r\n")
    yield writer.writerow(columns)
    for row in rows:
        yield writer.writerow([_harmless(cell) for cell in row])


def _harmless(cell: Any) -> Any:
    """Leave no cell that is run when the table is opened.

    >>> _harmless("=1+1")
    "'=1+1"
    """
    return f"'{cell}" if isinstance(cell, str) and cell.startswith(_FORMULA) else cell
