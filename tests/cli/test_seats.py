"""Players are named wherever a seat is asked for."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from cli.shell.seats import seat_of
from tests.cli.conftest import Run
from tests.cli.terminal import session


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


def test_a_seat_s_own_key_means_that_seat_whoever_is_called_so(run: Run) -> None:
    game(run, "monstropoly-battle", "p2", "Oda")
    assert json.loads(run("key", "add", "--seat", "p2", "--json").stdout)["seat"] == "p2"
    assert json.loads(run("key", "add", "--seat", "p7", "--json").stdout)["seat"] == "p7"


def test_settlements_and_files_of_edits_name_players(run: Run) -> None:
    game(run, "monster-maker", "Ann", "Bo")
    run("record", "game", "monster p1 petey; monster p2 grizzle")
    settle = ("--settle", "3=monster Bo slurp")
    done = run("amend", "game", "2", "--with", "monster Ann grizzle", *settle)
    assert done.exit_code == 0, done.stderr
    assert captions(run)[1:] == ["Ann draws Grizzle", "Bo draws Slurp"]
    edits = {
        "edits": [{"seq": "@1", "replace": ["monster Ann slurp"]}],
        "settle": {"@2": ["monster Bo petey"]},
    }
    done = run("amend", "game", "--edits", "-", stdin=json.dumps(edits))
    assert done.exit_code == 0, done.stderr
    assert captions(run)[1:] == ["Ann draws Slurp", "Bo draws Petey"]


TEAMS = '{"A":"Ann","B":"bo","C":"Ann","D":"Bo","E":"Ann","F":"Bo"}'


def test_options_name_players(run: Run) -> None:
    wish = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "game", "--seen-as", "Bo")
    assert run(*wish, "--option", f"teams={TEAMS}").exit_code == 0
    started = json.loads(run("cat", "game", "--json").stdout)[0]["event"]
    assert started["options"]["teams"] == dict(zip("ABCDEF", ["p1", "p2"] * 3, strict=True))
    assert started["seen_as"] == "p2"


def test_an_option_of_seats_says_so(run: Run) -> None:
    wish = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--option", 'teams={"A":"Cy"}')
    assert "each value is a seat such as p1, or the player's name" in run(*wish).stderr


def test_simulated_games_are_counted_by_themselves(run: Run, duel: str) -> None:
    run("simulate", "monsters-of-war", "-n", 2, "--players", 2, "--seed", 1, "--max-events", 5, "--save")
    assert "1 game and 2 simulated, " in run("verify").stdout
    assert "1 game and 2 simulated, " in " ".join(run("doctor").stdout.split())
    assert run("verify", duel).stdout.startswith("1 game, ")


def test_an_empty_list_says_what_would_fill_it(run: Run, duel: str) -> None:
    assert "No ruleset is called 'war'; installed are" in run("list", "--ruleset", "war").stderr
    assert "simulate RULESET --save" in run("list", "--origin", "simulated").stderr
    for wish in (("--ruleset", "monsters-of-war"), ("--player", "Nobody"), ("--origin", "dealt")):
        assert run("list", *wish).stderr == "No game fits; `tabletape list` lists those here.\n"
    with session("list", cwd=Path()) as terminal:
        assert "simulated" not in terminal.until(duel)
    run("simulate", "monsters-of-war", "-n", 1, "--players", 2, "--seed", 1, "--max-events", 5, "--save")
    with session("list", cwd=Path()) as terminal:
        terminal.until("and 1 simulated: tabletape list --origin simulated")


def test_a_list_of_nothing_but_hidden_or_simulated_games_says_where_they_are(run: Run, place: Path) -> None:
    wish = ("simulate", "monsters-of-war", "-n", 1, "--players", 2, "--seed", 1, "--max-events", 5, "--save")
    assert run(*wish).exit_code == 0
    for asked in ((), ("--all",), ("--player", "Nobody")):
        said = run("list", *asked).stderr
        assert said == "All games here are simulated: `tabletape list --origin simulated`.\n"
    game(run, "monster-maker", "Ann", "Bo")
    run("hide", "game")
    assert run("list").stderr == "All games here are hidden or simulated: `tabletape list --all`.\n"
    (place / "tabletape.db").unlink()
    game(run, "monster-maker", "Ann", "Bo")
    run("hide", "game")
    assert run("list", "--player", "Ann").stderr == "All games here are hidden: `tabletape list --all`.\n"
