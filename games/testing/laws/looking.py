"""Tones, backs and icons: what a ruleset brings, and whether it can be read on light and dark pages."""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Final
from xml.etree import ElementTree as ET

from games.core.scene import Back, Look, Scene, Tone
from games.scene.looks import CARD, SEAL, TEAMS, contrast, ground, letter, tones_of, tones_of_cards
from games.testing.laws.law import AnyRuleset
from games.testing.laws.walking import ObservedStep

LETTERS: Final = 4.5
"""Contrast of a letter with what it stands on: WCAG 2.2, 1.4.3."""
DRAWINGS: Final = 3.0
"""Contrast of a drawing with what it stands on: WCAG 2.2, 1.4.11."""
SHAPES: Final = frozenset({"g", "path", "circle", "ellipse", "rect", "line", "polyline", "polygon"})
KEPT_OUT: Final = frozenset({"id", "style", "href"})


def look_kept(ruleset: AnyRuleset, position: ObservedStep) -> Iterator[str]:
    """Look at the colours and drawings once, and in each scene at the names that it uses."""
    look = ruleset.look
    if position.step == 0:
        for name, tone in look.tones.items():
            yield from _letter_faults(name, tone)
        for name, back in look.backs.items():
            yield from _back_faults(name, back, look)
        for name, drawing in look.icons.items():
            yield from _icon_faults(name, drawing)
    yield from _scene_faults(look, ruleset.scene(position.seen.after))


def _letter_faults(name: str, tone: Tone) -> Iterator[str]:
    for page, colour in _on_pages(tone):
        found = contrast(letter(colour), colour)
        if found < LETTERS:
            yield (
                f"the tone {name!r} is {colour} on a {page} page: neither a light nor a dark letter "
                f"stands out, the contrast is {found:.1f}; {LETTERS} is needed"
            )


def _back_faults(name: str, back: Back, look: Look) -> Iterator[str]:
    if back.icon and back.icon not in look.icons:
        yield f"the back {name!r} has the icon {back.icon!r}, which the look does not bring"
    for page, colour in _on_pages(back.cloth):
        found = contrast(SEAL, colour)
        if found < DRAWINGS:
            yield (
                f"the back {name!r} is {colour} on a {page} page: its light drawing has a contrast of "
                f"{found:.1f}; {DRAWINGS} is needed"
            )


@lru_cache(maxsize=256)
def _icon_faults(name: str, drawing: str) -> tuple[str, ...]:
    try:
        root = ET.fromstring(f"<g>{drawing}</g>")  # noqa: S314 - the ruleset's own text
    except ET.ParseError as error:
        return (f"the icon {name!r} is not well-formed SVG: {error}",)
    strange = sorted({item.tag for item in root.iter()} - SHAPES)
    wrong = sorted({key for item in root.iter() for key in item.attrib if key in KEPT_OUT or key[:2] == "on"})
    return (
        *(f"the icon {name!r} has the element {tag!r}; shapes are right" for tag in strange),
        *(f"the icon {name!r} has the attribute {key!r}, which no drawing has" for key in wrong),
    )


def _scene_faults(look: Look, scene: Scene) -> Iterator[str]:
    for tone in sorted(set(tones_of(scene)) - {"", *TEAMS, *look.tones}):
        yield f"the scene names the tone {tone!r}, which the look does not bring"
    for back in sorted({zone.back for zone in scene.zones} - {"", *look.backs}):
        yield f"the scene names the back {back!r}, which the look does not bring"
    for name in sorted(set(tones_of_cards(scene)) & set(look.tones)):
        yield from _drawing_faults(name, look.tones[name])


@lru_cache(maxsize=256)
def _drawing_faults(name: str, tone: Tone) -> tuple[str, ...]:
    """Hold the drawing on a card, which has the tone, against its ground."""
    cards = {"light": CARD.light, "dark": CARD.dark}
    found = {page: contrast(colour, ground(colour, cards[page])) for page, colour in _on_pages(tone)}
    return tuple(
        f"the tone {name!r} is too pale for a card on a {page} page: its drawing has a contrast of "
        f"{value:.1f}; {DRAWINGS} is needed"
        for page, value in found.items()
        if value < DRAWINGS
    )


def _on_pages(tone: Tone) -> tuple[tuple[str, str], tuple[str, str]]:
    return ("light", tone.light), ("dark", tone.dark)
