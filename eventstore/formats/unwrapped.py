"""What happens to a file on its way (packed, marked, other line ends) is undone before it is read."""

from __future__ import annotations

import gzip
import re
import zlib
from codecs import BOM_UTF8
from io import BytesIO
from typing import Final

LARGEST: Final = 256 * 1024 * 1024
"""Bytes that a packed file may unpack to: a game of 20,000 events takes 4 MB."""
_OTHER: Final = re.compile(rb'\n(?!\{"(?:seq|note)":)')
"""Where a line begins that no record has after its first one."""
_AFTER: Final = 10_000
"""Bytes after such a line that are looked at still."""
_GZIP: Final = b"\x1f\x8b"
_GZIP_BITS: Final = 31
"""How zlib is told that there is a gzip header."""


class BadPacking(ValueError):
    """A gzip file that cannot be unpacked; the text says why and what to do."""


def unpacked(content: bytes) -> bytes:
    """Unpack gzip; anything else stays as it is.

    Errors:  `BadPacking`.
    """
    if not content.startswith(_GZIP):
        return content
    try:
        with gzip.open(BytesIO(content)) as file:
            # One byte more, so that too much is told from as much as there may be.
            plain = file.read(LARGEST + 1)
    except EOFError:
        raise BadPacking(f"its gzip data are cut off: copy the file again{_or_part(content)}") from None
    except (OSError, zlib.error):
        raise BadPacking("its gzip data are damaged: copy the file again") from None
    if len(plain) > LARGEST:
        raise BadPacking(f"it unpacks to more than {LARGEST // 1024**2} MB: unpack it with gunzip first")
    return plain


def _or_part(content: bytes) -> str:
    """Name gunzip only where that helps: it gives a header, an event, and a line that is cut off too."""
    part = zlib.decompressobj(wbits=_GZIP_BITS).decompress(content, LARGEST)
    # gunzip keeps a byte back.
    helps = part.count(b"\n") > 1 and len(part.rpartition(b"\n")[2]) > 1
    return ", or import what `gunzip -c` can still unpack" if helps else ""


def lines(content: bytes) -> list[bytes]:
    r"""Split into lines; without a byte order mark, the line ends of Windows, and empty lines at the end.

    The last item is what stands after the last line end: empty where the file ends with one. Nothing is
    split far after a line that no record has, for the file is refused there: it may be all line ends.

    >>> lines(b"\xef\xbb\xbfa\r\nb\r\n\r\n"), lines(b"a\n\nb"), lines(b"")
    ([b'a', b'b', b''], [b'a', b'', b'b'], [b''])
    """
    plain = content.removeprefix(BOM_UTF8)
    body = plain.rstrip(b"\r\n")
    ended = body + b"\n" if b"\n" in plain[len(body) :] else plain
    other = _OTHER.search(ended)
    whole = ended if other is None else ended[: other.end() + _AFTER]
    return [line.removesuffix(b"\r") for line in whole.split(b"\n")]
