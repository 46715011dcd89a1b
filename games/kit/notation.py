"""Short forms: the shortest text that means an event, and what is said of one that means none."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Final, TypeVar

from games.core import serialization
from games.core.events import Event
from games.core.ruleset import IllegalAction, Pending

S = TypeVar("S")

_SENTENCE: Final = 160
_TYPED: Final = 60
"""Characters of a refusal, and of what was typed in it."""


def shortest(
    state: S, event: Event, texts: Iterable[str], read: Callable[[S, str], tuple[Event, ...]]
) -> str:
    """Give the first of some texts that reads back as this event in this state, else its JSON."""
    return next(
        (text for text in texts if _means(state, text, event, read)), serialization.encode_event(event)
    )


def _means(state: S, text: str, event: Event, read: Callable[[S, str], tuple[Event, ...]]) -> bool:
    try:
        return read(state, text) == (event,)
    except IllegalAction:
        return False


class Unclear(Exception):
    """A text that means nothing here; `why` follows on "is not understood"."""

    def __init__(self, text: str, why: str = "") -> None:
        super().__init__(text)
        self.text = text.strip()
        self.why = why


def not_understood(fault: Unclear, pending: Iterable[Pending], forms: Mapping[str, str]) -> IllegalAction:
    """Refuse a text with the short forms of what is possible now, musts first, as many as two lines hold.

    `forms` gives an example for each kind.
    """
    typed = fault.text if len(fault.text) <= _TYPED else f"{fault.text[:_TYPED]}…"
    why = fault.why.replace(f": {fault.text!r} ", ": it ")
    said = f"{typed!r} is not understood{why}"
    kinds = (kind for item in pending for kind in item.kinds)
    now = list(dict.fromkeys(forms[kind] for kind in kinds if kind in forms))
    if not now:
        return IllegalAction("not-understood", f"{said}; the game is over.")
    shown = now[:1]
    for form in now[1:]:
        if len(f"{said}; possible now, for example: {', '.join((*shown, form))}, ….") > _SENTENCE:
            shown.append("…")
            break
        shown.append(form)
    return IllegalAction("not-understood", f"{said}; possible now, for example: {', '.join(shown)}.")
