"""A request opens its game once, and a move takes a short way from the form to the log."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

import pytest

from replay_web.http import viewing
from tests.replay_web.torn import figures

MOST_CHANGES: Final = 120
"""One POST of a move may go from one module to another so often, as counted by `sys.setprofile`."""


@pytest.fixture
def on() -> Iterator[figures.Site]:
    with figures.site() as made:
        yield made


def test_post_of_a_move_opens_its_game_once_and_reads_nothing_else(on: figures.Site) -> None:
    assert figures.looks_of_post(on) == {"game": 1, "opening": 1}


def test_page_opens_its_game_once(on: figures.Site) -> None:
    for address, looks in figures.looks_of_pages(on).items():
        assert (looks["game"], looks["opening"], looks.get("head", 0)) == (1, 1, 0), address


def test_post_of_a_move_passes_seldom_from_module_to_module(on: figures.Site) -> None:
    assert figures.changes_of_post(on).changes < MOST_CHANGES


def test_second_look_at_the_head_is_counted(on: figures.Site, monkeypatch: pytest.MonkeyPatch) -> None:
    shown = viewing.shown
    monkeypatch.setattr(viewing, "shown", lambda game: (on.store.head(game.id), shown(game))[1])
    assert figures.looks_of_post(on) == {"game": 1, "opening": 1, "head": 1}
