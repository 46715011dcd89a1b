"""A stranger's ruleset brings its tones, backs and icons to the pages, without a change in ours."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from flask.testing import FlaskClient

from games.core.registry import installed
from games.testing.laws import LAWS, Law, recorded_games
from replay_web import create_app
from tests.replay_web.crowns import CROWN, CROWNS, SEAL, crowns_installed

GAMES = recorded_games(CROWNS, seeds=(7,))
DARK = "prefers-color-scheme: dark"


@pytest.fixture
def visitor(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[FlaskClient]:
    with crowns_installed(monkeypatch, tmp_path) as store:
        assert installed().find("crowns") is CROWNS
        yield create_app(store).test_client()


def colours(css: str, selector: str) -> list[str]:
    return re.findall(rf"^{re.escape(selector)} \{{ (.*?) \}}$", css, re.MULTILINE)


def test_style_sheet_has_a_strangers_colours_for_light_and_dark_pages(visitor: FlaskClient) -> None:
    css = visitor.get("/scene.css").text
    assert colours(css, ".tone-crowns-sea") == [
        "--tone: #1f5f8b; --letter: #ffffff;",
        "--tone: #2b5d80; --letter: #ffffff;",
    ]
    assert colours(css, ".tt-back.tone-crowns-deck") == ["--cloth: #5b2a6e;", "--cloth: #6d3a80;"]
    light, _, dark = css.rpartition(f"({DARK})")
    assert "#1f5f8b" in light
    assert "#2b5d80" in dark
    assert ".tone-war {" in css


@pytest.mark.parametrize("address", ["/games/crowns/steps/9", "/games/crowns/record"])
def test_pages_draw_a_strangers_icons(visitor: FlaskClient, address: str) -> None:
    page = visitor.get(address).text
    assert f'<g class="icon">{CROWN}</g>' in page
    assert 'class="tt-card tone-crowns-sea"' in page
    assert f'<g class="icon" transform="scale(.5)">{SEAL}</g>' in page
    assert 'class="tt-card tt-back tone-crowns-deck"' in page


def test_picture_as_a_file_has_a_strangers_look(visitor: FlaskClient) -> None:
    picture = visitor.get("/games/crowns/steps/9.svg").text
    assert CROWN in picture
    assert picture.count(".tone-crowns-sea {") == 2


@pytest.mark.parametrize("law", LAWS, ids=str)
def test_stranger_keeps_the_laws(law: Law) -> None:
    law.check(CROWNS, GAMES)
