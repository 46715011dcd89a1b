"""Players are named wherever a seat is asked for."""

from __future__ import annotations

import json

import pytest

from cli._seats import seat_of
from tests.cli.conftest import Run


def game(run: Run, ruleset: str, *names: str) -> str:
    players = [word for name in names for word in ("--player", name)]
    assert run("new", ruleset, *players, "--id", "game").exit_code == 0
    return "game"


def captions(run: Run) -> list[str]:
    return [row["caption"] for row in json.loads(run("cat", "game", "--json").stdout)]


def test_a_typed_move_names_players(run: Run) -> None:
    game(run, "monster-maker", "Ann", "Bo Derek")
    done = run("record", "game", "monster ann petey; monster 'bo derek' grizzle")
    assert done.exit_code == 0, done.stderr
    assert captions(run)[1:] == ["Ann draws Petey", "Bo Derek draws Grizzle"]


def test_what_the_rules_understand_stays_theirs(run: Run) -> None:
    game(run, "monster-maker", "Petey", "Grizzle")
    assert run("record", "game", "monster p1 grizzle").exit_code == 0
    assert captions(run)[-1] == "Petey draws Grizzle"


def test_two_players_of_one_name_are_not_guessed_at(run: Run) -> None:
    assert seat_of("ann", {"p1": "Ann", "p2": "ANN"}) == "ann"
    game(run, "monster-maker", "Ann", "ann")
    assert run("record", "game", "monster Ann petey").exit_code == 1


def test_an_amendment_names_players(run: Run) -> None:
    game(run, "monster-maker", "Ann", "Bo")
    run("record", "game", "monster p1 petey")
    done = run("amend", "game", "2", "--with", "monster Ann slurp")
    assert done.exit_code == 0, done.stderr
    assert captions(run)[1:] == ["Ann draws Slurp"]


@pytest.mark.parametrize("command", ["show", "cat", "export", "play"])
def test_a_viewer_is_a_name_too(run: Run, command: str) -> None:
    game(run, "monstropoly-battle", "Nils", "Oda")
    assert run(command, "game", "--as", "oda").stdout == run(command, "game", "--as", "p2").stdout
    refused = run(command, "game", "--as", "Rosa")
    assert refused.stderr == (
        "Error: 'Rosa' cannot look at this game: it is seen by everything, table, p1 Nils, p2 Oda.\n"
    )


def test_a_table_check_names_players_and_an_unknown_key_leads_to_the_list(run: Run) -> None:
    game(run, "legend-of-monopoly", "Rosa", "Ann")
    assert "cash.p1 is 1500, as recorded." in run("check", "game", "cash.Rosa=1500").stdout
    refused = run("check", "game", "gold.Rosa=7")
    assert refused.exit_code == 1
    assert refused.stderr.rstrip().endswith("`tabletape check game` lists all.")
    assert "p1 Rosa, p2 Ann" in run("check", "game").stderr


def test_a_key_is_for_a_player_who_sits_there_in_every_game(run: Run) -> None:
    game(run, "monstropoly-battle", "Nils", "Oda")
    assert json.loads(run("key", "add", "--seat", "oda", "--json").stdout)["seat"] == "p2"
    run("new", "monstropoly-battle", "--player", "Oda", "--player", "Per", "--id", "other")
    refused = run("key", "add", "two", "--seat", "Oda")
    assert refused.stderr == "Error: 'Oda' is p1 or p2, depending on the game: give the seat.\n"
