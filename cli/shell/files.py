"""Reading files that somebody else made: never more than there can be sense in."""

from __future__ import annotations

import os
from stat import S_ISBLK, S_ISCHR
from typing import IO, Final

from cli.shell.output import plain
from cli.shell.refusals import ShellRefusal

LONGEST_DATA: Final = 2 * 1024 * 1024
"""Bytes of a card file, as in the browser."""
LONGEST_LINE: Final = 64 * 1024 * 1024
"""Bytes of a line of a record from a device or a pipe."""
_PART: Final = 1024 * 1024


def read_data(file: IO[bytes]) -> bytes:
    """Read a card or board file.

    Errors:  `Refused` `too-large`.
    """
    content = file.read(LONGEST_DATA + 1)
    if len(content) > LONGEST_DATA:
        raise ShellRefusal("too-large", f"{_called(file)} is too large: a card file has room for 2 MB.")
    return content


def read_lines(file: IO[bytes]) -> bytes:
    """Read a file of lines: no device but one that is empty, and no line that never ends.

    Errors:  `Refused` `no-file`, `too-large`.
    """
    mode = _mode(file)
    first = file.read(1) if S_ISCHR(mode) and not file.isatty() else b""
    if S_ISBLK(mode) or first:
        raise ShellRefusal("no-file", f"{_called(file)} is a device: name a file, or - for a pipe.")
    parts, line = list[bytes](), 0
    while part := file.read(_PART):
        parts.append(part)
        line = len(part) - part.rfind(b"\n") - 1 + (line if b"\n" not in part else 0)
        if line > LONGEST_LINE:
            raise ShellRefusal(
                "too-large", f"{_called(file)} has a line of more than 64 MB, which nothing here has."
            )
    return b"".join(parts)


def _mode(file: IO[bytes]) -> int:
    """What sort of file it is; 0 where it is none of the system's."""
    try:
        return os.fstat(file.fileno()).st_mode
    except OSError:
        return 0


def _called(file: IO[bytes]) -> str:
    return plain(str(getattr(file, "name", "-")))
