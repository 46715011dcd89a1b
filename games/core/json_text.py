"""JSON as a text: keys that appear twice, what is not written compactly, encodings other than UTF-8."""

from __future__ import annotations

import json
import re
from collections import Counter
from math import isinf
from typing import Any, Final

import msgspec

_ENCODINGS: Final = {"utf-16": "UTF-16", "utf-32": "UTF-32"}
_BLANK: Final = " \t\n\r"
_ESCAPE: Final = re.compile(r"(?:\\u[0-9A-Fa-f]{4})+|\\.")
_NUMBER: Final = re.compile(r"-?[0-9][-+.0-9Ee]*")

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode


class DoubledKey(msgspec.DecodeError):
    """An object has a key twice: readers disagree about which value counts."""

    def __init__(self, key: str) -> None:
        super().__init__(f"the key {json.dumps(key)} appears twice")
        self.key = key


def refuse_doubled(text: str | bytes) -> None:
    """Look for a key that appears twice in one object, at any depth. The text must be valid JSON.

    Errors: `DoubledKey`.
    """
    _reader.decode(text.decode() if isinstance(text, bytes) else text)


def flaw(text: str) -> str | None:
    r"""Say why JSON is not written compactly, with the column; None where it is, or where it is no JSON.

    The text is compared with its own value: the order of the keys stays. A number may be written as Python
    or msgspec writes it.

    >>> print(flaw('{"b":1e-07,"a":[1.0,"é"]}'))
    None
    >>> print(flaw('{"a": 1}'))
    it is not written compactly: column 6 is a blank
    >>> print(flaw(r'{"a":"caf\u00e9"}'))
    it is not written compactly: \u00e9 at column 10 is a needless escape
    >>> print(flaw('{"a":1.50}'))
    it is not written compactly: 1.50 at column 6 is written 1.5
    >>> print(flaw('{"a":{"b":1,"b":2}}'))
    the key "b" appears twice
    """
    if _is_quickly_compact(text):
        return None
    try:
        compact = _encode(_reader.decode(text)).decode()
    except DoubledKey as fault:
        return str(fault)
    except (ValueError, RecursionError):
        return None
    return None if text == compact else f"it is not written compactly: {_difference(text, compact)}"


def _is_quickly_compact(text: str) -> bool:
    """Compare in one pass without Python code; a number that is written another way fails here."""
    try:
        return _encode(_decode(text)) == text.encode()
    except (msgspec.MsgspecError, ValueError, OverflowError, RecursionError):
        return False


def foreign_encoding(content: bytes) -> str | None:
    r"""Name the encoding of JSON that is no UTF-8, with or without a byte order mark.

    >>> foreign_encoding('{"a":1}'.encode("utf-16")), foreign_encoding('[]'.encode("utf-32-be"))
    ('UTF-16', 'UTF-32')
    >>> print(foreign_encoding(b'{"a":1}'), foreign_encoding(bytes(99)))
    None None
    """
    start = content[:8]
    found = json.detect_encoding(start)
    if not found.startswith(("utf-16", "utf-32")):
        return None
    marked = found in _ENCODINGS
    width = 4 if "32" in found else 2
    first = start[:width].decode(found, errors="replace")
    if not marked and not (first.isascii() and (first.isprintable() or first in _BLANK)):
        return None
    return _ENCODINGS[found[: len("utf-16")]]


def _difference(text: str, compact: str) -> str:
    """Say where a text first differs from what it is compared with, and how."""
    place = next(
        (place for place, pair in enumerate(zip(text, compact, strict=False)) if pair[0] != pair[1]),
        min(len(text), len(compact)),
    )
    if text[place : place + 1] in _BLANK:
        return f"column {place + 1} is a blank"
    for pattern in (_ESCAPE, _NUMBER):
        for found in pattern.finditer(text, max(0, place - 400)):
            if found.start() <= place < found.end():
                return _told(found, pattern.match(compact, found.start()))
    return f"column {place + 1} differs"


def _told(found: re.Match[str], better: re.Match[str] | None) -> str:
    column = found.start() + 1
    if found[0].startswith("\\"):
        return f"{found[0][:12]} at column {column} is a needless escape"
    return f"{found[0][:40]} at column {column} is written {better[0][:40] if better else 'otherwise'}"


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counted = Counter(key for key, _ in pairs)
        raise DoubledKey(next(key for key, often in counted.items() if often > 1))
    return found


def _integer(text: str) -> msgspec.Raw:
    return msgspec.Raw(b"0" if text == "-0" else text.encode())


def _decimal(text: str) -> msgspec.Raw:
    value = float(text)
    if isinf(value):
        return msgspec.Raw(text.encode())
    ours = bytes(_encode(value)).decode()
    return msgspec.Raw((text if text == repr(value) else ours).encode())


# Numbers stay texts: none is too long, and none loses a digit.
_reader = json.JSONDecoder(object_pairs_hook=_object, parse_int=_integer, parse_float=_decimal)
