"""`rulesets`: what can be played, and what each option means."""

from __future__ import annotations

import json

from tests.cli.conftest import Run


def test_a_named_ruleset_explains_each_option(run: Run) -> None:
    text = run("rulesets", "monsters-forever").stdout
    assert text.startswith("monsters-forever  Monsters Forever, version 1\n  for 2, 3 or 6 players\n")
    assert "  retreat=must\n      An attacked creature with a free cell beside it:" in text
    assert "      Takes must, decline-is-capture or optional-stay. Source: ruling R4.\n" in text
    assert "      Takes a whole number from 1 or null. Source: ruling R23.\n" in text
    assert text.endswith(
        "tabletape new monsters-forever --player … --option 'NAME=VALUE'\n"
        "Cards of your own: tabletape rulesets monsters-forever --data\n"
    )
    assert max(map(len, text.split("\n"))) <= 80


def test_a_named_ruleset_answers_its_readings(run: Run) -> None:
    (found,) = json.loads(run("rulesets", "monsters-of-war", "--json").stdout)
    assert found["readings"][0] == {
        "name": "tie_war",
        "meaning": "Equal monsters in a battle start a War.",
        "source": "rulebook, optional rule of the War Sequence; ruling R1",
        "suggested": True,
        "values": [True, False],
        "right": "true or false",
        "whole": False,
        "least": None,
        "most": None,
    }


def test_an_unknown_ruleset_is_refused_with_the_list(run: Run) -> None:
    refused = run("rulesets", "chess")
    assert refused.exit_code == 1
    assert "No ruleset is called 'chess'; installed are legend-of-monopoly," in refused.stderr


def test_the_list_says_how_to_read_on(run: Run) -> None:
    listed = run("rulesets")
    assert "  retreat=must  (or decline-is-capture, optional-stay)\n" in listed.stdout
    assert "tabletape rulesets NAME says what each option means." in listed.stderr


def test_option_help_explains_the_options_and_starts_nothing(run: Run) -> None:
    told = run("new", "monsters-forever", "--option", "help")
    assert told.exit_code == 0
    assert told.stdout == run("rulesets", "monsters-forever").stdout
    assert told.stderr == ""


def test_option_help_of_no_ruleset_says_which(run: Run) -> None:
    assert "Missing argument 'RULESET'" in run("new", "--option", "help").stderr
    assert "No ruleset is called 'chess'" in run("new", "chess", "--option", "help").stderr


def test_the_data_of_no_ruleset_is_refused(run: Run) -> None:
    refused = run("rulesets", "--data")
    assert refused.exit_code == 2
    assert "--data needs the NAME of one" in refused.stderr


def test_help_with_options_is_json_when_json_is_asked_for(run: Run) -> None:
    wish = ("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--option", "help")
    for asked in (run(*wish, "--json"), run("simulate", "monsters-of-war", "--option", "help", "--json")):
        assert asked.stdout == run("rulesets", "monsters-of-war", "--json").stdout
