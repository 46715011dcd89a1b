"""Pieces as they are drawn, round their centre, and what every drawing writes numbers and classes with."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from games.scene.markup import escape, word

TALLY: Final = '<rect class="tally" x="-19" y="-12" width="38" height="24" rx="12"/>'
# Flat-topped, so that it sits snugly in a triangle that stands on a side.
_SHAPES: Final[dict[str, str]] = {
    "hexagon": '<polygon class="body" points="23,0 11.5,20 -11.5,20 -23,0 -11.5,-20 11.5,-20"/>'
    '<polygon class="ring" points="18.4,0 9.2,16 -9.2,16 -18.4,0 -9.2,-16 9.2,-16"/>',
    "circle": '<circle class="body" r="20"/><circle class="ring" r="16"/>',
    "square": '<rect class="body" x="-18" y="-18" width="36" height="36" rx="4"/>'
    '<rect class="ring" x="-14" y="-14" width="28" height="28" rx="3"/>',
    "house": '<polygon class="body" points="0,-20 19,-4 19,18 -19,18 -19,-4"/>',
    "token": '<path class="body" d="M0-20a11 11 0 0 1 7 19l10 19h-34l10-19a11 11 0 0 1 7-19z"/>',
}
_CROWN: Final = '<path class="crown" d="M-9-8.5l-1.6-7.5 5.3 3.4L0-18.5l5.3 5.9 5.3-3.4L9-8.5z"/>'


@lru_cache(maxsize=512)
def chip(shape: str, tone: str, mark: str, *, crowned: bool, dimmed: bool) -> str:
    """Draw a piece: its body, its mark, and whether it is crowned or frozen."""
    classes = f"tt-chip tone-{word(tone)}{' crowned' if crowned else ''}{' dimmed' if dimmed else ''}"
    size = 17 if len(mark) <= 1 else 13 if len(mark) <= 2 else 9  # noqa: PLR2004 - letters that fit a chip
    ice = '<path class="ice" d="M0-19V19M-16.5-9.5L16.5 9.5M-16.5 9.5L16.5-9.5"/>' if dimmed else ""
    return (
        f'<g class="{classes}">{_SHAPES[shape]}{ice}{_CROWN if crowned else ""}'
        f'<text class="mark" font-size="{size}" y="{written(size * 0.36 + 4 * crowned)}">'
        f"{escape(mark)}</text></g>"
    )


def turned(symbol: str) -> str:
    """Draw what was taken: crossed out."""
    return f'<g class="turned">{symbol}<path class="cross" d="M-12-12L12 12M12-12L-12 12"/></g>'


def written(value: float) -> str:
    """Write a number with one decimal at the most."""
    text = f"{value:.1f}".removesuffix(".0")
    return "0" if text == "-0" else text
