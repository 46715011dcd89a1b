"""The tones, backs and icons of the installed rulesets, and the style sheet of every picture."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cache
from pathlib import Path
from typing import Final

from games.core.registry import installed
from games.core.scene import Back, Look, Scene, Tone
from games.scene.markup import word

TEAMS: Final = ("0", "1", "2", "3", "4", "5")
"""Tones that every picture has: those of the teams."""
INK: Final = "#1d1b18"
WHITE: Final = "#ffffff"
CARD: Final = Tone("#fffdf8", "#f3ede1")
"""The paper of a card; `--card` in `scene.css`."""
SEAL: Final = "#fffdf8"
"""The drawing on the back of a card; `.tt-back .icon` in `scene.css`."""
TINT: Final = 0.2
"""Part of the tone in the ground of a card's drawing; `.picture` in `scene.css`."""


@cache
def look() -> Look:
    """Give the looks of all installed rulesets as one; of one ruleset the newest version comes first."""
    ordered = sorted(installed().values(), key=lambda ruleset: (ruleset.id, -ruleset.version))
    return merged(ruleset.look for ruleset in ordered)


def merged(looks: Iterable[Look]) -> Look:
    """Put looks together; of two things with one name the first stays."""
    tones: dict[str, Tone] = {}
    backs: dict[str, Back] = {}
    icons: dict[str, str] = {}
    for one in looks:
        tones = one.tones | tones
        backs = one.backs | backs
        icons = one.icons | icons
    return Look(tones, backs, icons)


@cache
def style() -> str:
    """Give the style sheet of every picture."""
    neutral = (Path(__file__).parent / "scene.css").read_text(encoding="utf-8")
    return f"{neutral}{rules(look())}"


def rules(of: Look) -> str:
    """Write the colours of a look as CSS, for light pages and for dark ones.

    >>> print(rules(Look({"sky": Tone("#4fb3e0", "#123456")})), end="")
    .tone-sky { --tone: #4fb3e0; --letter: #1d1b18; }
    @media (prefers-color-scheme: dark) {
    .tone-sky { --tone: #123456; --letter: #ffffff; }
    }
    """
    light, dark = "\n".join(_rules(of, "light")), "\n".join(_rules(of, "dark"))
    return f"{light}\n@media (prefers-color-scheme: dark) {{\n{dark}\n}}\n" if light else ""


def _rules(of: Look, page: str) -> Iterator[str]:
    for name, tone in of.tones.items():
        colour: str = getattr(tone, page)
        yield f".tone-{word(name)} {{ --tone: {colour}; --letter: {letter(colour)}; }}"
    for name, back in of.backs.items():
        yield f".tt-back.tone-{word(name)} {{ --cloth: {getattr(back.cloth, page)}; }}"


# --- what stands out from what -----------------------------------------------------------------------


def letter(colour: str) -> str:
    """Choose the letter that stands out more on a colour: ink or white.

    >>> letter("#e0c21f"), letter("#4a55b8")
    ('#1d1b18', '#ffffff')
    """
    return max((INK, WHITE), key=lambda one: contrast(one, colour))


def contrast(one: str, other: str) -> float:
    """Give the contrast of two colours, from 1 to 21.

    Source:  WCAG 2.2, relative luminance and contrast ratio.

    >>> round(contrast("#ffffff", "#000000"))
    21
    """
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4  # noqa: PLR2004 - as in WCAG
        for part in _parts(colour)
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _parts(colour: str) -> tuple[float, ...]:
    return tuple(int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))


def ground(tone: str, card: str) -> str:
    """Give the ground of a drawing on a card: its paper with a part of the tone.

    >>> ground("#000000", "#ffffff")
    '#cccccc'
    """
    mixed = (TINT * one + (1 - TINT) * other for one, other in zip(_parts(tone), _parts(card), strict=True))
    return "#" + "".join(f"{round(255 * part):02x}" for part in mixed)


def tones_of(scene: Scene) -> Iterator[str]:
    """List the tones that a scene names, of cells, pieces, counters and cards."""
    yield from (cell.tone for cell in scene.cells)
    yield from (piece.tone for piece in scene.pieces)
    yield from (counter.tone for counter in scene.counters)
    yield from tones_of_cards(scene)


def tones_of_cards(scene: Scene) -> Iterator[str]:
    """List the tones of the cards, which have drawings in them."""
    yield from (card.face.tone for zone in scene.zones for card in zone.cards)
