"""Fronts and backs of cards, and the small drawings on them; every symbol lies round its centre, 63 by 88."""

from __future__ import annotations

from functools import cache, lru_cache
from hashlib import blake2s
from pathlib import Path
from textwrap import wrap
from typing import Final

import msgspec

from games.core.scene import Face
from games.scene.looks import look
from games.scene.markup import escape, word

_CARD: Final = 'x="-31.5" y="-44" width="63" height="88" rx="5"'
_TITLE_LENGTH: Final = 13
_SMALL_LENGTH: Final = 21
_VALUES_ACROSS: Final = 3
_VALUE_ROW: Final = 10


class Art(msgspec.Struct, frozen=True):
    """Drawings as SVG markup, each in a box of 32 by 32 round the centre."""

    horns: tuple[str, ...]
    eyes: tuple[str, ...]
    mouths: tuple[str, ...]
    limbs: tuple[str, ...]
    parts: dict[str, str]
    """The outline of each part of a body, as path data; of arms and legs the left one."""
    skins: tuple[str, ...]
    claws: tuple[str, ...]


@cache
def art() -> Art:
    """Read the drawings."""
    return msgspec.json.decode((Path(__file__).parent / "card_art.json").read_bytes(), type=Art)


@lru_cache(maxsize=1024)
def face(card: Face) -> str:
    """Draw a card's front."""
    if "/" in card.icon:
        return _part_face(card)
    size = 22 if len(card.value) < 3 else 15  # noqa: PLR2004 - two figures fit at full size
    big = f'<text class="value" x="-26" y="-24" font-size="{size}">{escape(card.value)}</text>'
    room = 40 - 5 * len(_wrapped(card.lines)) - _VALUE_ROW * -(-len(card.values) // _VALUES_ACROSS)
    mark = f'<text class="corner" x="27" y="-28">{escape(card.mark)}</text>' if card.mark else ""
    return (
        f'<g class="tt-card tone-{word(card.tone)}"><rect class="paper" {_CARD}/>'
        f'<rect class="picture" x="-27" y="-19" width="54" height="{room}" rx="3"/>'
        f'<g class="art" transform="translate(0 {room / 2 - 19:g}) scale({min(room / 36, 1):.2f})">'
        f"{_art(card)}</g>"
        f"{big if card.value else ''}{mark}{_print(card)}{_values(card.values)}</g>"
    )


def _print(card: Face) -> str:
    rows = [(_cut(card.title, _TITLE_LENGTH), "title")]
    rows.extend((line, "small") for line in _wrapped(card.lines))
    top = 33 - 5 * (len(rows) - 1) - _VALUE_ROW * -(-len(card.values) // _VALUES_ACROSS)
    return "".join(
        f'<text class="{kind}" y="{top + 8 * number:.1f}"{_squeezed(text, kind)}>{escape(text)}</text>'
        for number, (text, kind) in enumerate(rows)
        if text
    )


def _values(values: tuple[tuple[str, str], ...]) -> str:
    """Lay figures out in rows at the foot of a card, each behind its drawing, or its name if it has none."""
    rows = -(-len(values) // _VALUES_ACROSS)
    return "".join(
        _value(
            name,
            value,
            19 * (number % _VALUES_ACROSS - 1),
            42 - _VALUE_ROW * (rows - number // _VALUES_ACROSS),
        )
        for number, (name, value) in enumerate(values)
    )


def _value(name: str, value: str, x: float, y: float) -> str:
    drawing = look().icons.get(name)
    sign = (
        f'<text class="small" x="{x - 4}" y="{y + 7}">{escape(_cut(name, 4))}</text>'
        if drawing is None
        else f'<g class="icon" transform="translate({x - 4} {y + 5}) scale(.26)">{drawing}</g>'
    )
    return f'{sign}<text class="figure" x="{x + 2}" y="{y + 8}">{escape(value)}</text>'


@lru_cache(maxsize=256)
def _wrapped(lines: tuple[str, ...]) -> tuple[str, ...]:
    """Lay the small print out in two lines at most."""
    laid = [part for line in lines for part in wrap(line, _SMALL_LENGTH)]
    return (*laid[:1], _cut(" ".join(laid[1:]), _SMALL_LENGTH)) if len(laid) > 1 else tuple(laid)


def _squeezed(text: str, kind: str) -> str:
    """Keep a long line inside the card."""
    longest = 10 if kind == "title" else 17
    return ' textLength="56" lengthAdjust="spacingAndGlyphs"' if len(text) > longest else ""


def _cut(text: str, length: int) -> str:
    return text if len(text) <= length else f"{text[: length - 1]}…"


def _art(card: Face) -> str:
    drawing = look().icons.get(card.icon)
    if drawing is not None:
        return f'<g class="icon">{drawing}</g>'
    if card.icon.startswith("monster"):
        return monster(f"{card.title}/{card.value}")
    return f'<text class="sign" y="9">{escape(card.value or card.title[:1])}</text>'


def monster(name: str) -> str:
    """Draw a monster of one's own for every name: body, horns, eyes, mouth and limbs follow from it."""
    bits = blake2s(name.encode(), digest_size=8).digest()
    width, height = 10 + bits[0] % 4, 10 + bits[1] % 4
    body = (
        f'<path class="fur fur-{bits[2] % 4}" d="M-{width} 14V0'
        f"C-{width}-{height + 4} {width}-{height + 4} {width} 0"
        f'V14l-{width / 2:.1f}-4-{width / 2:.1f} 4-{width / 2:.1f}-4z"/>'
    )
    have = art()
    parts = (
        _pick(have.limbs, bits[3]),
        _pick(have.horns, bits[4]),
        body,
        _pick(have.eyes, bits[5]),
        _pick(have.mouths, bits[6]),
    )
    return f'<g class="beast">{"".join(parts)}</g>'


# --- monsters in parts: the icon is `left-arm/petey`, the part and whose it is, or `whole/petey` ---------

_MIRRORED: Final = {"right-arm": "left-arm", "right-leg": "left-leg"}
_PLACED: Final = (
    ("left-leg", -6, 11, 0.46),
    ("right-leg", 6, 11, 0.46),
    ("left-arm", -11, 3, 0.44),
    ("right-arm", 11, 3, 0.44),
    ("body", 0, 3, 0.58),
    ("head", 0, -10, 0.6),
)
"""A whole figure: where each part's middle lies, and its size."""


def _part_face(card: Face) -> str:
    shape, _, of = card.icon.partition("/")
    rows = wrap(card.title, _TITLE_LENGTH)
    lines = [*rows[:1], _cut(" ".join(rows[1:]), _TITLE_LENGTH)] if len(rows) > 1 else rows
    room = 68 - 8 * len(lines)
    top = 39 - 8 * (len(lines) - 1)
    print_ = "".join(
        f'<text class="title" y="{top + 8 * number}"{_squeezed(text, "title")}>{escape(text)}</text>'
        for number, text in enumerate(lines)
    )
    mark = (
        f'<circle class="badge" cx="-20" cy="-32.5" r="9.5"/>'
        f'<text class="initial" x="-20" y="-26.5"{_tight(card.mark)}>{escape(card.mark)}</text>'
    )
    return (
        f'<g class="tt-card tone-{word(card.tone)}"><rect class="paper" {_CARD}/>'
        f'<rect class="picture" x="-28.5" y="-41" width="57" height="{room}" rx="3"/>'
        f'<g class="art" transform="translate(0 {room / 2 - 41:g}) scale({room / 36:.2f})">'
        f"{_figure(of) if shape == 'whole' else _part(shape, of)}</g>{mark if card.mark else ''}{print_}</g>"
    )


def _tight(mark: str) -> str:
    return ' textLength="15" lengthAdjust="spacingAndGlyphs"' if len(mark) > 1 else ""


def _figure(of: str) -> str:
    return "".join(
        f'<g transform="translate({x} {y}) scale({size})">{_part(shape, of)}</g>'
        for shape, x, y, size in _PLACED
    )


def _part(shape: str, of: str) -> str:
    """Draw a part in its monster's own manner: skin, claws, horns, eyes and mouth follow from the name."""
    bits = blake2s(of.encode(), digest_size=8).digest()
    have = art()
    drawn = f'<path class="skin" d="{have.parts.get(_MIRRORED.get(shape, shape), have.parts["body"])}"/>'
    if shape == "head":
        drawn = "".join(
            (
                _pick(have.horns, bits[4]),
                drawn,
                _pick(have.eyes, bits[5]),
                _pick(have.mouths, bits[6]),
            )
        )
    elif shape.endswith(("-arm", "-leg")):
        drawn += _pick(have.claws, bits[3])
    else:
        drawn += _pick(have.skins, bits[2])
    return f'<g class="beast">{_turned(shape, drawn)}</g>'


def _turned(shape: str, drawn: str) -> str:
    return f'<g transform="scale(-1 1)">{drawn}</g>' if shape in _MIRRORED else drawn


def outline(icon: str) -> str:
    """Draw in lines what belongs to an empty place: a part of a body; nothing for another name."""
    path = art().parts.get(_MIRRORED.get(icon, icon))
    return "" if path is None else _turned(icon, f'<path d="{path}"/>')


def _pick(drawings: tuple[str, ...], number: int) -> str:
    return drawings[number % len(drawings)]


@lru_cache(maxsize=64)
def back(kind: str) -> str:
    """Draw a card's back: a lattice of diamonds, with the sign of its deck where the ruleset brings one."""
    lattice = "".join(f"M{x} {y}l4.5 6-4.5 6-4.5-6z" for y in range(-36, 30, 12) for x in range(-18, 24, 9))
    inner = 'x="-27" y="-39.5" width="54" height="79" rx="3"'
    known = look().backs.get(kind)
    sign = look().icons.get(known.icon, "") if known is not None else ""
    return (
        f'<g class="tt-card tt-back tone-{word(kind)}"><rect class="paper" {_CARD}/>'
        f'<rect class="cloth" {inner}/><path class="lattice" d="{lattice}"/><circle class="seal" r="13"/>'
        f'<g class="icon" transform="scale(.5)">{sign}</g></g>'
    )


@lru_cache(maxsize=256)
def stack(kind: str, size: int) -> str:
    """Draw a pile of backs, thicker the more cards there are."""
    under = "".join(
        f'<rect class="edge" {_CARD} transform="translate({2 * layer} {2 * layer})"/>'
        for layer in range(min((size - 1) // 6 + (size > 1), 4), 0, -1)
    )
    return f'<g class="tt-stack">{under}{back(kind)}</g>'
