"""Stepping through a game: what each key does, what stands on the screen, and in a real terminal."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any
from unittest import mock

import pytest

from cli.commands.play import FAR, GameSteps, PlayView, _foot, after_key
from cli.shell.terminal import RESIZED, clipped, split_keys, visible
from eventstore.replay.game import Game
from eventstore.store import Store
from replay_web.replay import steps
from tests.cli.conftest import Run
from tests.cli.terminal import session


class Turns:
    """A game of ten steps in which the turn changes at 3, 4 and 8."""

    last = 10

    def marker(self, step: int) -> Any:
        return sum(step >= change for change in (3, 4, 8))


@pytest.mark.parametrize(
    ("step", "key", "expected"),
    [
        (0, "right", 1),
        (10, "right", 10),
        (0, "left", 0),
        (5, "left", 4),
        (5, "home", 0),
        (5, "end", 10),
        (0, "page down", 10),
        (10, "page up", 0),
        (0, "]", 3),
        (3, "]", 4),
        (4, "]", 8),
        (8, "]", 10),
        (10, "[", 8),
        (8, "[", 4),
        (4, "[", 3),
        (3, "[", 0),
        (5, "x", 5),
        (5, RESIZED, 5),
    ],
)
def test_key_goes_to(step: int, key: str, expected: int) -> None:
    assert after_key(PlayView(step), key, Turns()) == PlayView(expected)


class Endless:
    """A game of one turn; it counts the steps that are looked at."""

    last = 20_000
    looked = 0

    def marker(self, _step: int) -> Any:
        self.looked += 1
        return "the same"


@pytest.mark.parametrize(("key", "step", "expected"), [("]", 5, 1005), ("[", 9000, 7999)])
def test_the_end_of_a_turn_is_not_looked_for_without_end(key: str, step: int, expected: int) -> None:
    film = Endless()
    view = after_key(PlayView(step), key, film)
    assert (view.step, view.far) == (expected, True)
    assert film.looked < 2_100
    assert "1,000 steps" in "".join(_foot(view, film.last, 80))
    assert not after_key(view, "right", film).far
    assert FAR == steps.FAR, "as on the pages"


def test_a_turn_is_looked_for_in_stretches(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5; .; B6-B5; .")
    with Store.open("tabletape.db", create=False) as store:
        film = GameSteps(store, store.game(duel))
        with mock.patch.object(Game, "position", side_effect=AssertionError) as at:
            assert [after_key(PlayView(step), "]", film).step for step in range(5)] == [2, 2, 4, 4, 4]
    assert not at.called, "a fold for each step is too slow in a long turn"


@pytest.mark.parametrize("key", ["q", "escape", "interrupt"])
def test_key_leaves(key: str) -> None:
    assert after_key(PlayView(4), key, Turns()).over


def test_space_plays_and_stops_and_does_not_play_at_the_end() -> None:
    playing = after_key(PlayView(4), " ", Turns())
    assert playing.playing
    assert not after_key(playing, " ", Turns()).playing
    assert not after_key(playing, "left", Turns()).playing
    assert not after_key(PlayView(10), " ", Turns()).playing


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        (["g", "7", "enter"], PlayView(7)),
        (["g", "9", "9", "enter"], PlayView(10)),
        (["g", "1", "2", "backspace", "enter"], PlayView(1)),
        (["g", "7", "escape"], PlayView(4)),
        (["g", "enter"], PlayView(4)),
        (["g", "x", "6", "enter"], PlayView(6)),
        (["g", "q"], PlayView(4)),
    ],
)
def test_going_to_a_number(keys: list[str], expected: PlayView) -> None:
    view = PlayView(4)
    for key in keys:
        view = after_key(view, key, Turns())
    assert view == expected


def test_a_board_that_does_not_fit_is_moved_instead_of_the_steps() -> None:
    tall = PlayView(4, most=18, page=6)
    assert after_key(tall, "page down", Turns()).top == 6
    assert after_key(tall, "j", Turns()).top == 1
    assert after_key(tall._replace(top=17), "page down", Turns()).top == 18
    assert after_key(tall._replace(top=2), "page up", Turns()).top == 0
    assert after_key(tall._replace(top=3), "right", Turns()) == tall._replace(step=5, top=3)
    assert after_key(PlayView(0), "page down", Turns()).step == 10, "what fits leaves the key to the steps"


def test_a_board_that_does_not_fit_says_how_much_is_missing(run: Run, place: Path) -> None:
    run("new", "legend-of-monopoly", "--player", "Ann", "--player", "Bo", "--id", "lands")
    with session("play", "lands", cwd=place, columns=80, lines=24) as terminal:
        first = terminal.until("q quit")
        assert re.search(r"… \d+ more lines, PgDn", first), first
        assert "GO" in first
        assert "People's Palace" not in first
        seen = ""
        for _ in range(4):
            terminal.keys("\x1b[6~")
            seen += terminal.until("q quit")
        assert "People's Palace" in seen
        assert "above, PgUp" in seen
        assert "0/0" in seen
        terminal.keys("q")
        assert terminal.ended() == 0


def test_keys_of_several_terminals_are_known() -> None:
    assert split_keys("\x1b[C\x1bOD\x1b[H\x1b[1~\x1b[F\x1b[5~\x1b[6~\r\x7f\x03[") == [
        "right", "left", "home", "home", "end", "page up", "page down",
        "enter", "backspace", "interrupt", "[",
    ]  # fmt: skip


def test_a_cut_line_keeps_its_colours_whole() -> None:
    line = "\x1b[1m太郎\x1b[0m wins"
    assert clipped(line, 3) == "\x1b[1m太\x1b[0m"
    assert visible(clipped(line, 6)) == "太郎 w"


def test_piped_it_prints_every_step(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5; A8xB8")
    printed = run("play", duel).stdout
    places = [printed.index(f"Step {step}  ") for step in (0, 1, 2)]
    assert places == sorted(places)
    assert printed.count("A1:A*") == 3
    assert "\x1b" not in printed
    assert "Step 0" not in run("play", f"{duel}@1").stdout


def test_in_a_terminal(run: Run, duel: str, place: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run("record", duel, "A6-A5; A8xB8; .; B6-B7")
    run("note", f"{duel}@2", "--text", "first blood", "--glyph", "!!")
    monkeypatch.delenv("NO_COLOR")
    with session("play", duel, cwd=place) as terminal:
        terminal.until("A game of Monsters Forever begins.")
        assert "0/4" in terminal.until("q quit")
        terminal.keys("\x1b[C")
        terminal.until("Ann moves Zombies from A6 to A5")
        terminal.until("1/4")
        terminal.keys("\x1b[C")
        terminal.until("first blood")
        terminal.keys("\x1b[F")
        terminal.until("4/4")
        terminal.keys("[")
        terminal.until("3/4")
        terminal.keys("\x1b[H")
        terminal.until("0/4")
        terminal.keys("g3")
        terminal.until("go to step: 3")
        terminal.keys("\r")
        terminal.until("3/4")
        terminal.until("q quit")
        terminal.resize(60, 12)
        short = terminal.until("q quit")
        assert max(len(line.rstrip()) for line in short.split("\n")) <= 60
        terminal.keys("q")
        assert terminal.ended() == 0
    assert terminal.raw.startswith("\x1b[?1049h")
    assert terminal.raw.rstrip().endswith("\x1b[?25h\x1b[?1049l")
    assert "\x1b[2J" not in terminal.raw[40:], "a step must draw over the old screen, not blank it"
    assert "\x1b[1;38;5;" in terminal.raw


def test_no_colour_in_a_terminal_of_someone_who_wants_none(run: Run, duel: str, place: Path) -> None:
    with session("play", duel, cwd=place) as terminal:
        terminal.until("q quit")
        terminal.keys("q")
        terminal.ended()
    assert "38;5" not in terminal.raw
    assert "\x1b[1m" not in terminal.raw


def test_interrupt_gives_the_terminal_back(run: Run, duel: str, place: Path) -> None:
    with session("play", duel, cwd=place) as terminal:
        terminal.until("q quit")
        terminal.keys("\x03")
        assert terminal.ended() == 0
    assert terminal.raw.rstrip().endswith("\x1b[?25h\x1b[?1049l")
