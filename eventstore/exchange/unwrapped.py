"""What happens to a file on its way (packed, marked, other line ends) is undone before it is read."""

from __future__ import annotations

import zlib
from codecs import BOM_UTF8
from typing import Final

LARGEST: Final = 256 * 1024 * 1024
"""Bytes that a packed file may unpack to: a game of 20,000 events takes 4 MB."""
_GZIP: Final = b"\x1f\x8b"
_EITHER: Final = zlib.MAX_WBITS | 16
"""A gzip header and trailer are awaited."""


class BadPacking(ValueError):
    """A gzip file that cannot be unpacked; the text says why and what to do."""


def unpacked(content: bytes) -> bytes:
    """Unpack gzip, several members too; anything else stays as it is.

    Errors:  `BadPacking`.
    """
    if not content.startswith(_GZIP):
        return content
    parts, left = list[bytes](), LARGEST
    # Some programs fill a file up with zeros.
    while content.strip(b"\0"):
        if not content.startswith(_GZIP):
            raise BadPacking("something else follows the gzip data: the file is damaged, copy it again")
        part, content = _member(content, left)
        parts.append(part)
        left -= len(part)
    return b"".join(parts)


def _member(content: bytes, most: int) -> tuple[bytes, bytes]:
    """Unpack the first member; with what follows it."""
    unpacking = zlib.decompressobj(_EITHER)
    try:
        # One byte more, so that too much is told from as much as there may be.
        part = unpacking.decompress(content, most + 1)
    except zlib.error:
        raise BadPacking("its gzip data are damaged: copy the file again") from None
    if len(part) > most:
        raise BadPacking(f"it unpacks to more than {LARGEST // 1024**2} MB: unpack it with gunzip first")
    if not unpacking.eof:
        raise BadPacking("its gzip data are cut off: copy the file again, or take what gunzip -c gives")
    return part, unpacking.unused_data


def lines(content: bytes) -> list[bytes]:
    r"""Split into lines; without a byte order mark, the line ends of Windows, and empty lines at the end.

    The last item is what stands after the last line end: empty where the file ends with one.

    >>> lines(b"\xef\xbb\xbfa\r\nb\r\n\r\n"), lines(b"a\n\nb"), lines(b"")
    ([b'a', b'b', b''], [b'a', b'', b'b'], [b''])
    """
    found = [line.removesuffix(b"\r") for line in content.removeprefix(BOM_UTF8).split(b"\n")]
    while len(found) > 1 and not found[-1] and not found[-2]:
        found.pop()
    return found
