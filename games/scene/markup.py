"""Text in a picture: what a person typed, safe and well-formed in XML."""

from __future__ import annotations

import html
import re
from typing import Final

_NOT_XML: Final = re.compile("[^\t\n\r\u0020-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")
"""Characters that no XML document may hold, however written: most control characters, half surrogates."""


def word(text: str) -> str:
    """Keep what may stand in a class name.

    >>> word("Space Race 2"), word("space-red"), word("")
    ('spacerace2', 'space-red', 'none')
    """
    return "".join(letter for letter in text.lower() if _may_stand(letter)) or "none"


def _may_stand(letter: str) -> bool:
    return letter.isascii() and (letter.isalnum() or letter == "-")


def escape(text: str) -> str:
    r"""Escape for content and attributes; a character that XML forbids becomes the replacement character.

    >>> escape('<b>\x07"')
    '&lt;b&gt;\ufffd&quot;'
    """
    return html.escape(_NOT_XML.sub("\ufffd", text))
