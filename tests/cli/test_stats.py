"""`stats`: the figures are those of the games, in a table that fits, as JSON with its keys, as CSV."""

from __future__ import annotations

import csv
import io
import json
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from cli.samples.remake import HERE
from eventstore.statistics.counts import COLUMNS
from tests.cli.conftest import Run
from tests.cli.terminal import session
from tests.cli.test_hostile import EVIL, STEERING
from tests.eventstore.played import damage

TAPES = sorted(HERE.glob("*.tape.jsonl"))
CONCEDED = json.dumps({"kind": "record.closed", "how": "conceded", "seat": "p2"})


@pytest.fixture
def samples(run: Run) -> list[dict[str, Any]]:
    """The sample games, as `list` has them."""
    assert run("import", *TAPES).exit_code == 0
    found: list[dict[str, Any]] = json.loads(run("list", "--json").stdout)
    return found


def test_a_damaged_game_is_left_out_and_named(run: Run, place: Path, samples: list[dict[str, Any]]) -> None:
    damage(place / "tabletape.db", "UPDATE catalogue SET created_at = 'x' WHERE game = 1")
    done = run("stats", "--json")
    counted = json.loads(done.stdout)
    (lost,) = counted["left_out"]
    assert (done.exit_code, counted["games"]) == (4, len(samples) - 1)
    assert f"damaged in it: {lost}." in " ".join(done.stderr.split())
    assert lost in run("stats").stderr


def test_the_figures_are_those_of_the_games(run: Run, samples: list[dict[str, Any]]) -> None:
    counted = json.loads(run("stats", "--json").stdout)
    assert counted["games"] == len(samples)
    for found in counted["rulesets"]:
        games = [game for game in samples if game["ruleset"] == found["ruleset"]]
        ended = [game for game in games if game["result"]]
        played: Counter[str] = Counter()
        won: Counter[str] = Counter()
        for game in ended:
            # Not what the catalogue kept: the rules are asked once more.
            outcome = json.loads(run("show", game["game"], "--json").stdout)["outcome"]
            for seat in game["seats"]:
                played[seat["name"]] += 1
                won[seat["name"]] += seat["seat"] in outcome["winners"]
        assert {row["name"]: row["games"] for row in found["players"]} == played
        assert {row["name"]: row["wins"] for row in found["players"]} == won
        assert (found["games"], found["finished"]) == (len(games), len(ended))
        assert found["length"]["longest"] == max(game["steps"] for game in ended)
        assert sum(ending["games"] for ending in found["endings"]) == len(ended)
        assert (found["first"], found["last"]) == (
            min(game["played_on"] for game in games),
            max(game["played_on"] for game in games),
        )


@pytest.mark.usefixtures("samples")
def test_the_keys_that_scripts_rely_on(run: Run) -> None:
    counted = json.loads(run("stats", "--ruleset", "monster-maker", "--json").stdout)
    assert list(counted) == ["games", "rulesets", "left_out"]
    (found,) = counted["rulesets"]
    assert list(found) == [
        *("ruleset", "title", "games", "finished", "playing", "abandoned", "text_only", "restricted"),
        *("first", "last", "length", "minutes", "endings", "players", "seats"),
    ]
    assert list(found["length"]) == ["median", "longest", "game", "title"]
    assert list(found["minutes"]) == ["median", "longest", "games"]
    assert list(found["endings"][0]) == ["reason", "words", "games"]
    assert list(found["players"][0]) == ["name", "games", "wins", "share", "mean_score"]
    assert list(found["seats"][0]) == ["seat", "games", "wins", "share", "even"]


FRIDAY = """\
Monsters Forever
1 game: 1 finished; 2026-09-11
steps: median 173, longest 173
time: median 1 h 18 min, longest 1 h 18 min (1 game timed)
the longest: Friday duel (friday-duel)

  player   games   won              share   mean score
  ────────────────────────────────────────────────────
  Ann          1     1   ██████████ 100 %           14
  Bo           1     0   ░░░░░░░░░░   0 %            0

  seat          games   won              share   even
  ───────────────────────────────────────────────────
  first (p1)        1     1   ██████████ 100 %    0.5
  second (p2)       1     0   ░░░░░░░░░░   0 %    0.5

  how it ended        games
  ─────────────────────────
  the last one left       1

Share: of its finished games, how many were won. Even: how many a seat would
have won if all seats of each game won as often.
"""


@pytest.mark.usefixtures("samples")
def test_the_table_is_one_that_a_friend_can_read(run: Run, monkeypatch: pytest.MonkeyPatch) -> None:
    wish = ("stats", "--ruleset", "monsters-forever", "--player", "bo")

    def told() -> str:
        return "".join(f"{line.rstrip()}\n" for line in run(*wish).stdout.splitlines())

    assert told() == FRIDAY
    monkeypatch.setenv("COLUMNS", "150")
    heads = "player games won share mean score seat games won share even how it ended games"
    assert " ".join(told().splitlines()[6].split()) == heads


@pytest.mark.usefixtures("samples")
@pytest.mark.parametrize("width", [40, 60, 80, 109, 110, 130, 200])
def test_no_line_is_too_long(run: Run, monkeypatch: pytest.MonkeyPatch, width: int) -> None:
    monkeypatch.setenv("COLUMNS", str(width))
    lines = run("stats").stdout.splitlines()
    assert max(map(len, lines)) <= width
    assert not [line for line in lines if "…" in line]
    assert sum("Thea" in line for line in lines) == 1


@pytest.mark.usefixtures("samples")
def test_csv_has_a_row_a_game_and_seat(run: Run) -> None:
    done = run("stats", "--csv", "--player", "Ann", "--ruleset", "monsters-forever")
    rows = list(csv.DictReader(io.StringIO(done.stdout)))
    assert list(rows[0]) == list(COLUMNS)
    assert [(row["name"], row["seat"], row["won"], row["score"]) for row in rows] == [
        ("Ann", "p1", "1", "14"),
        ("Bo", "p2", "0", "0"),
    ]
    assert len(run("stats", "--csv").stdout.splitlines()) == 1 + sum(
        len(game["seats"]) for game in json.loads(run("list", "--json").stdout)
    )


def test_what_is_not_asked_for_is_not_counted(run: Run, duel: str) -> None:
    run("record", duel, CONCEDED)
    for game in ("hidden", "dealt"):
        more = ["--dealt"] if game == "dealt" else []
        run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--id", game, *more)
    run("hide", "hidden")
    run("simulate", "monsters-of-war", "-n", 3, "--seed", 1, "--save")

    def games(*wish: str) -> dict[str, int]:
        found = json.loads(run("stats", *wish, "--json").stdout)["rulesets"]
        return {row["ruleset"]: row["games"] for row in found}

    assert games() == {"monsters-forever": 1, "monsters-of-war": 1}
    assert games("--all") == {"monsters-forever": 1, "monsters-of-war": 2}
    assert games("--origin", "simulated") == {"monsters-of-war": 3}
    assert games("--origin", "dealt") == {"monsters-of-war": 1}
    assert games("--player", "nobody") == {}
    assert games("--since", "2026-09-14") == games("--variations") == games()
    assert games("--since", "2026-09-15") == {}


def test_where_nothing_fits_that_is_said(run: Run, place: Path) -> None:
    run("simulate", "monsters-of-war", "-n", 3, "--seed", 1, "--save")
    done = run("stats")
    assert (done.exit_code, done.stdout) == (0, "")
    assert done.stderr == "No game fits.\nand 3 simulated: tabletape stats --origin simulated\n"
    assert json.loads(run("stats", "--json").stdout) == {"games": 0, "rulesets": [], "left_out": []}
    assert run("stats", "--csv").stdout == f"{','.join(COLUMNS)}\n"


@pytest.mark.parametrize(
    ("wish", "code", "says"),
    [
        (("--since", "14.9.2026"), 2, "'14.9.2026' is no day like 2026-09-14"),
        (("--since", "20260914"), 2, "'20260914' is no day like 2026-09-14"),
        (("--since", "2026-02-30"), 2, "'2026-02-30' is no day like 2026-09-14"),
        (("--csv", "--json"), 2, "--csv and --json exclude one another"),
        (("--ruleset", "chess"), 1, "No ruleset is called 'chess'"),
        (("--origin", "moon"), 2, "'moon' is not one of"),
    ],
)
@pytest.mark.usefixtures("duel")
def test_what_makes_no_sense_is_refused(run: Run, wish: tuple[str, ...], code: int, says: str) -> None:
    done = run("stats", *wish)
    assert (done.exit_code, done.stdout) == (code, "")
    assert says in " ".join(done.stderr.split())


def test_names_cannot_steer_a_terminal(run: Run, place: Path) -> None:
    run("new", "monsters-forever", "--player", EVIL, "--player", "=1+1", "--id", "evil")
    assert run("record", "evil", CONCEDED).exit_code == 0
    for wish in (("stats",), ("stats", "--json")):
        said = run(*wish).stdout
        assert "\\u202e" in said
        assert not STEERING & set(said)
    assert EVIL in run("stats", "--csv").stdout
    assert ",'=1+1," in run("stats", "--csv").stdout
    for wish in (("stats",), ("stats", "--csv")):
        with session(*wish, cwd=place) as terminal:
            terminal.ended()
        assert "\\u202e" in terminal.raw
        assert not set(EVIL) - set("Annx") & set(terminal.raw)
