"""The one table of keys: the page's module, the help page and the README all come from it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

import msgspec

from eventstore.library.details import GLYPHS


class ShortcutKey(msgspec.Struct, frozen=True):
    """A key (as `KeyboardEvent.key` names it), what it does in the module, and how it is explained.

    `single` keys print a character: they have an off switch, since speech and switch control type them.
    """

    key: str
    action: str
    cap: str
    says: str
    shift: bool = False
    single: bool = False
    within: str = ""
    """The part of the page that must have the focus."""
    also: tuple[str, ...] = ()
    """Other keys of the same action, which tells them apart."""


_STAGE: Final = "stage"
_NOTES: Final = "notes"
_MARKED: Final = "a note, a ruling, a correction, a change of the lead, a what-if"

_MARK, *_MARKS = map(str, range(1, len(GLYPHS) + 1))

KEYS: Final = (
    ShortcutKey("ArrowLeft", "previous", "←", "previous step"),
    ShortcutKey("ArrowRight", "next", "→", "next step"),
    ShortcutKey("Home", "first", "Home", "first step"),
    ShortcutKey("End", "last", "End", "last step"),
    ShortcutKey("[", "previous-turn", "[", "start of this or the previous turn", single=True),
    ShortcutKey("]", "next-turn", "]", "start of the next turn", single=True),
    ShortcutKey("ArrowLeft", "previous-turn", "Shift ←", "start of this or the previous turn", shift=True),
    ShortcutKey("ArrowRight", "next-turn", "Shift →", "start of the next turn", shift=True),
    ShortcutKey(
        "PageUp", "back-ten", "Page Up", "10 steps back, from the board or the buttons", within=_STAGE
    ),
    ShortcutKey(
        "PageDown", "on-ten", "Page Down", "10 steps on, from the board or the buttons", within=_STAGE
    ),
    ShortcutKey(",", "previous-marked", ",", f"previous marked step: {_MARKED}", single=True),
    ShortcutKey(".", "next-marked", ".", f"next marked step: {_MARKED}", single=True),
    ShortcutKey("g", "go-to", "g", "type the step to go to", single=True),
    ShortcutKey(" ", "play", "Space", "play by itself, or stop", single=True),
    ShortcutKey("f", "see-as", "f", "see as the next of those who may be chosen", single=True),
    ShortcutKey("c", "note", "c", "write a note on this step", single=True),
    ShortcutKey(
        _MARK,
        "glyph",
        f"{_MARK} … {_MARKS[-1]}",
        f"mark the note with {' '.join(GLYPHS)}, from its list of marks or beside its fields",
        single=True,
        within=_NOTES,
        also=tuple(_MARKS),
    ),
    ShortcutKey("v", "what-if", "v", "what if: go on otherwise from this step", single=True),
    ShortcutKey("Escape", "leave", "Esc", "leave a what-if for the step that it begins at"),
    ShortcutKey("y", "copy", "y", "copy the link to this step", single=True),
    ShortcutKey("l", "follow", "l", "follow live, or stop", single=True),
    ShortcutKey("?", "help", "?", "show or hide these shortcuts", single=True),
)

SPOILER_FREE: Final = frozenset(
    {"previous", "next", "first", "previous-turn", "next-turn", "note", "glyph", "copy", "help"}
)
"""Actions of the keys that tell nothing of what comes later."""


def as_json(keys: Sequence[ShortcutKey] = KEYS) -> str:
    """Give keys as the module reads them."""
    return msgspec.json.encode(keys).decode()
