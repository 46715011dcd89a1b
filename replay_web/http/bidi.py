"""What people typed, kept from turning round the text that it stands in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final
from unicodedata import bidirectional

if TYPE_CHECKING:
    from collections.abc import Mapping

FIRST_STRONG: Final = "\u2068"
POP: Final = "\u2069"
_TURNS: Final = frozenset({"R", "AL", "AN", "RLE", "LRE", "RLO", "LRO", "PDF", "LRI", "RLI", "FSI", "PDI"})
_ISOLATES: Final = dict.fromkeys(range(0x2066, 0x206A))


def isolated(text: str) -> str:
    r"""Put what is written from the right, or says so, between isolates; any other text stays as it is.

    Works where no markup can stand: in a tab's title, a choice of a list, a picture.  Isolates within the
    text go: one of them could end ours.

    >>> isolated("Ann"), isolated("a\u202eb\u2069")
    ('Ann', '\u2068a\u202eb\u2069')
    """
    if text.isascii() or not any(bidirectional(letter) in _TURNS for letter in text):
        return text
    return f"{FIRST_STRONG}{text.translate(_ISOLATES)}{POP}"


def isolated_names(names: Mapping[str, str]) -> dict[str, str]:
    """The same for the name of each seat."""
    return {seat: isolated(name) for seat, name in names.items()}


def bare(text: str) -> str:
    """Leave the isolates out: in the name of a file nothing stands beside it."""
    return text.translate(_ISOLATES)
