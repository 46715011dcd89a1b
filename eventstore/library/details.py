"""What people type beside the events: names, titles, dates and notes, checked before they are kept."""

from __future__ import annotations

import unicodedata
from datetime import date, tzinfo
from typing import TYPE_CHECKING, Final
from zoneinfo import ZoneInfo

from eventstore.log.contract import clock
from eventstore.log.rows import Details
from eventstore.refusals import BadDetail
from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable

NAME: Final = 80
"""Characters of a name."""
TITLE: Final = 200
"""Characters of a title or a place."""
TEXT: Final = 10_000
"""Characters of a note."""
TAG: Final = 40
"""Characters of a tag."""
TAGS: Final = 20
"""Tags of a note."""
GLYPHS: Final = ("!", "?", "!!", "??", "!?", "?!")
"""Marks that a note may carry."""


_SHAPELESS: Final = frozenset({"Cf", "Me", "Mn", "Zl", "Zp", "Zs"})
"""Kinds of characters that show nothing by themselves."""
_BLANK: Final = frozenset("\u115f\u1160\u2800\u3164\uffa0")
"""Letters without a shape."""


def checked(typed: Details) -> Details:
    """The same details, stripped.

    Errors:  `BadDetail` for what cannot be kept.
    """
    names = {seat: line("name", name, NAME) for seat, name in typed.names.items()}
    return Details(
        title=line("title", typed.title, TITLE),
        played_on=day("date", typed.played_on),
        time_zone=zone("time zone", typed.time_zone),
        place=line("place", typed.place, TITLE),
        names={seat: name for seat, name in names.items() if name},
    )


def line(field: str, text: str | None, limit: int) -> str | None:
    """Text on one line, stripped; None where nothing is left.

    Errors:  `BadDetail` for control characters, nothing that can be seen, or more than `limit` characters.
    """
    kept = (text or "").strip()
    _plain(field, kept, "")
    _visible(field, kept)
    _short(field, kept, limit)
    return kept or None


def passage(field: str, text: str, limit: int = TEXT) -> str:
    """Text of several lines; their ends are made one line feed each."""
    kept = text.replace("\r\n", "\n").replace("\r", "\n")
    _plain(field, kept, "\n\t")
    _visible(field, kept.strip())
    _short(field, kept, limit)
    return kept


def reason(text: str) -> str:
    """Why the table ruled as it did: a passage that says something."""
    kept = passage("reason", text).strip()
    if not kept:
        raise BadDetail("reason", "a ruling says what was agreed on, and it is empty")
    return kept


def plain(texts: Iterable[tuple[str, str]]) -> None:
    """Refuse control characters and texts longer than a note: field and text of each, which is kept as it is.

    Errors:  `BadDetail` with the field.
    """
    for field, text in texts:
        _plain(field, text, "\n\t")
        _short(field, text, TEXT)


def day(field: str, text: str | None) -> str | None:
    """A date as `2026-09-14`."""
    if not text:
        return None
    try:
        found = date.fromisoformat(text)
    except ValueError:
        found = None
    if found is None or found.isoformat() != text:
        raise BadDetail(field, f"{text!r} is no date like 2026-09-14")
    return text


def zone(field: str, text: str | None) -> str | None:
    """The name of a time zone, as `Europe/Helsinki`."""
    if not text:
        return None
    try:
        ZoneInfo(text)
    except (ValueError, OSError, KeyError):
        raise BadDetail(field, f"{text!r} is no time zone like Europe/Helsinki") from None
    return text


def today(time_zone: str | None) -> str:
    """The day that it is there now; without a zone, here."""
    there: tzinfo | None = ZoneInfo(time_zone) if time_zone else None
    return clock().astimezone(there).date().isoformat()


def tags(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Tags, stripped, each once, in their order."""
    kept = tuple(dict.fromkeys(tag for text in texts if (tag := line("tag", text, TAG))))
    if len(kept) > TAGS:
        raise BadDetail("tag", f"a note has at most {TAGS} tags")
    return kept


def glyph(mark: str | None) -> str | None:
    """One of the marks, or none."""
    if mark and mark not in GLYPHS:
        raise BadDetail("glyph", f"{mark!r} is none of {' '.join(GLYPHS)}")
    return mark or None


def is_text(character: str) -> bool:
    """Tell a character from a control character and from half of one."""
    return unicodedata.category(character) not in {"Cc", "Cs"}


def _plain(field: str, text: str, allowed: str) -> None:
    for place, character in enumerate(text, 1):
        if not is_text(character) and character not in allowed:
            half = unicodedata.category(character) == "Cs"
            what = "half of one, or a byte that is no UTF-8" if half else "a control character"
            raise BadDetail(field, f"character {place} is {what}")


def _visible(field: str, text: str) -> None:
    if text and all(unicodedata.category(one) in _SHAPELESS or one in _BLANK for one in text):
        raise BadDetail(field, "nothing of it can be seen")


def _short(field: str, text: str, limit: int) -> None:
    if len(text) > limit:
        raise BadDetail(field, f"it has {counted(len(text), 'character')}, and at most {limit:,} can be kept")
