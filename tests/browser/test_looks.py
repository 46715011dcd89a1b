"""A stranger's tones, back and icons in a real browser, on a light page and on a dark one."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from replay_web import create_app
from tests.browser.conftest import Opened, served
from tests.replay_web.crowns import LOOK, crowns_installed

FILLED = """([symbol, part]) => {
  const found = document.querySelector(`.tt-card.${symbol} ${part}`);
  return getComputedStyle(found).fill;
}"""


@pytest.fixture
def crowns(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Iterator[str]:
    with crowns_installed(monkeypatch, tmp_path) as store, served(create_app(store)) as address:
        yield address


def as_computed(colour: str) -> str:
    return "rgb({}, {}, {})".format(*(int(colour[place : place + 2], 16) for place in (1, 3, 5)))


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("path", ["steps/9", "record"])
def test_page_shows_a_strangers_colours(opened: Opened, crowns: str, scheme: str, path: str) -> None:
    page = opened(f"{crowns}/games/crowns/{path}", color_scheme=scheme)
    tone, cloth = LOOK.tones["crowns-sea"], LOOK.backs["crowns-deck"].cloth
    assert page.evaluate(FILLED, ["tone-crowns-sea", ".icon path"]) == as_computed(getattr(tone, scheme))
    assert page.evaluate(FILLED, ["tone-crowns-deck", ".cloth"]) == as_computed(getattr(cloth, scheme))
    assert page.evaluate(FILLED, ["tone-crowns-deck", ".icon circle"]) == as_computed("#fffdf8")
