"""Open choices of the prompt: said in words, and answered as the short form is."""

from __future__ import annotations

import json

import pytest

from cli.shell.prompt import entries
from eventstore.store import Store
from tests.cli.conftest import Run

FIRST = {"monsters-of-war": "deal", "monster-maker": "monster p1 petey; monster p2 grizzle"}
PIECES = "bogart head, Bogart-head, slurp body, slurp left arm, slurp left leg, petey head"


def begun(run: Run, ruleset: str) -> str:
    run("new", ruleset, "--player", "Ann", "--player", "Bo", "--id", "game")
    assert run("record", "game", FIRST[ruleset]).exit_code == 0
    return "game"


def payload(run: Run, game: str) -> dict[str, object]:
    return dict(json.loads(run("cat", game, "--json").stdout)[-1]["event"])


def texts(game: str) -> list[str]:
    with Store.open("tabletape.db", create=False) as store:
        names = store.game(game).names
        return [entry.text for entry in entries(store.game(game).position(), names)]


@pytest.mark.parametrize(
    ("ruleset", "said"),
    [
        ("monsters-of-war", "Everybody turns a card: which for Ann and Bo?"),
        ("monster-maker", "Ann is dealt six cards: which 6 cards?"),
    ],
)
def test_an_open_choice_is_a_sentence_with_names(run: Run, ruleset: str, said: str) -> None:
    assert said in texts(begun(run, ruleset))


def test_a_deal_is_offered_by_name(run: Run) -> None:
    run("new", "legend-of-monopoly", "--player", "Ann", "--player", "Bo", "--id", "game")
    assert run("record", "game", "r 6 6; r 1 2; r 1 2; buy").exit_code == 0
    fields = "give rahl, give lands, give cards, get rahl, get lands, get cards"
    assert f"Bo offers Ann a deal: {fields}" in texts("game")


def test_a_figure_is_a_card_and_the_next_one_is_another(run: Run) -> None:
    game = begun(run, "monsters-of-war")
    done = run("record", game, stdin="1\n9\n9\n")
    assert done.exit_code == 0, done.stderr
    assert payload(run, game)["cards"] == {"p1": "m09a", "p2": "m09b"}, "no card lies in two places"


def test_names_of_pieces_are_understood_as_in_the_short_form(run: Run) -> None:
    game = begun(run, "monster-maker")
    assert run("record", game, stdin=f"1\n{PIECES}\n").exit_code == 0
    asked = payload(run, game)
    run("undo", game)
    typed = ",".join(part.strip().replace(" ", "-") for part in PIECES.split(","))
    assert run("record", game, f"deal p1 {typed}").exit_code == 0
    assert asked == payload(run, game)


@pytest.mark.parametrize(
    ("line", "why"),
    [
        ("slurp, slurp, slurp, slurp, slurp, slurp", "'slurp' could be Slurp head, Slurp body"),
        ("nothing", "'nothing' is none of Bogart head"),
        ("bogart head, slurp body", "name 6, not 2."),
    ],
)
def test_a_refused_answer_names_its_question(run: Run, line: str, why: str) -> None:
    done = run("record", begun(run, "monster-maker"), stdin=f"1\n{line}\n")
    assert done.exit_code == 1
    assert f"Line 2: Ann is dealt six cards; cards: {why}" in done.stderr


@pytest.mark.parametrize("left", ["", "\n", "quit\n"], ids=["ended", "blank", "quit"])
def test_a_question_of_a_pipe_that_gets_no_answer_is_refused(run: Run, left: str) -> None:
    game = begun(run, "monsters-of-war")
    done = run("record", game, "--json", stdin=f"1\n9\n{left}")
    error = json.loads(done.stderr)["error"]
    assert (done.exit_code, error["code"], done.stdout) == (1, "needs-answers", "")
    assert error["message"].startswith("Everybody turns a card; Bo: ")
    assert error["line"] == (3 if left else 2), "the last line that was read"
    assert payload(run, game)["kind"] == "decks_dealt"


def test_comments_and_blank_lines_are_no_answers(run: Run) -> None:
    game = begun(run, "monsters-of-war")
    done = run("record", game, stdin="1\n# Ann's card\n9\n\n  # Bo's\n7\nlay\n")
    assert payload(run, game)["cards"] == {"p1": "m09a", "p2": "m07a"}
    assert "Line 7: " in done.stderr, "lines are counted as a file has them, questions and comments too"


def test_an_answer_that_is_no_text_is_told_by_its_line(run: Run) -> None:
    done = run("record", begun(run, "monsters-of-war"), "--json", stdin=b"1\n# both\n\xff\n")
    error = json.loads(done.stderr)["error"]
    assert (error["code"], error["line"]) == ("malformed-line", 3)


def test_a_number_alone_says_what_it_leaves_open(run: Run) -> None:
    done = run("record", begun(run, "monsters-of-war"), "1")
    assert "Everybody turns a card: which for Ann and Bo?" in done.stderr
