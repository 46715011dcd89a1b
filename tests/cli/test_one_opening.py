"""A command that reads a game opens it once, so that it cannot mix two states of it."""

from __future__ import annotations

from unittest import mock

import pytest

from eventstore.replay import game as games
from tests.cli.conftest import Run


@pytest.mark.parametrize(
    "said",
    [
        "show duel@1 --as Bo",
        "cat duel",
        "cat duel --raw --as p1",
        "cat duel --lines",
        "cat duel --json",
        "export duel --as table",
        "export duel --format csv",
        "note duel",
        "note duel@1",
        "check duel",
        "play duel@1",
    ],
)
def test_reading_command_opens_its_game_once(run: Run, duel: str, said: str) -> None:
    done = run("record", duel, "A6-A5")
    assert done.exit_code == 0, done.stderr
    assert run("note", f"{duel}@1", "--text", "well begun").exit_code == 0
    with mock.patch.object(games, "opened", wraps=games.opened) as opened:
        done = run(*said.split())
    assert done.exit_code == 0, done.stderr
    assert [call.args[2] for call in opened.call_args_list] == [duel]
