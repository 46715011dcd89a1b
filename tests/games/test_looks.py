"""The looks of rulesets: what they may bring, and what is made of them together."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from games.core.registry import installed
from games.core.scene import Back, Look, Tone
from games.scene import looks
from games.scene.looks import CARD, SEAL, TEAMS, TINT, look, merged, rules, style

RED, BLUE = Tone("#b3261e", "#b3261e"), Tone("#3f4ab0", "#3f4ab0")
SHEET = Path(looks.__file__).with_name("scene.css").read_text(encoding="utf-8")


@pytest.mark.parametrize("colour", ["red", "#B3261E", "#b32", "#b3261e;} body {", "#b3261e\n", ""])
def test_what_is_no_colour_is_refused(colour: str) -> None:
    with pytest.raises(ValueError, match="is not a colour"):
        Tone(colour, RED.dark)
    with pytest.raises(ValueError, match="is not a colour"):
        Tone(RED.light, colour)


@pytest.mark.parametrize("name", ["", "0", "Sea", "sea_blue", "sea blue", "-sea", "séa", "sea\n"])
def test_what_is_no_name_is_refused(name: str) -> None:
    for brought in ({"tones": {name: RED}}, {"backs": {name: Back(RED)}}, {"icons": {name: "<path/>"}}):
        with pytest.raises(ValueError, match="is not a name"):
            Look(**brought)  # type: ignore[arg-type]


def test_of_two_things_with_one_name_the_first_stays() -> None:
    one = Look({"a": RED}, {"a": Back(RED)}, {"a": "<path/>"})
    other = Look({"a": BLUE, "b": BLUE}, {"a": Back(BLUE)}, {"a": "<g/>", "b": "<g/>"})
    both = merged([one, other])
    assert both.tones == {"a": RED, "b": BLUE}
    assert both.backs == {"a": Back(RED)}
    assert both.icons == {"a": "<path/>", "b": "<g/>"}


def test_no_look_adds_no_rule() -> None:
    assert rules(Look()) == ""


def test_every_installed_look_is_in_the_style_sheet() -> None:
    for ruleset in installed().values():
        for name in ruleset.look.tones:
            assert style().count(f"\n.tone-{name} {{") == 2, name
        for name in ruleset.look.backs:
            assert style().count(f"\n.tt-back.tone-{name} {{") == 2, name
        assert set(ruleset.look.icons) <= set(look().icons)


def test_neutral_style_sheet_knows_no_title() -> None:
    named = set(re.findall(r"\.tone-([a-z0-9-]+)", SHEET))
    assert named == set(TEAMS)
    ours = {name for ruleset in installed().values() for name in (*ruleset.look.tones, *ruleset.look.backs)}
    assert "gambit" in ours
    assert [name for name in sorted(ours) if re.search(rf"\b{name}\b", SHEET)] == []


def test_contrast_is_measured_on_the_colours_of_the_style_sheet() -> None:
    assert re.findall(r"--card: (#\w+);", SHEET) == [CARD.light, CARD.dark]
    assert f".tt-back .icon {{ fill: {SEAL}; }}" in SHEET
    assert f".tt-card .picture {{ fill: color-mix(in srgb, var(--tone, #4d7e65) {TINT:.0%}," in SHEET
