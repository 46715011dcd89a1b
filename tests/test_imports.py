"""Who may import whom: the packages keep every contract; each contract catches its breach."""

from __future__ import annotations

import ast
import os
import re
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
CONTRACTS = [contract["name"] for contract in PROJECT["tool"]["importlinter"]["contracts"]]

# For each contract one file too many, and a line of the report that must then stand there.
PLANTS = {
    "cli over replay_web over eventstore over games": (
        "eventstore/planted_layer.py",
        "import replay_web",
        "eventstore.planted_layer -> replay_web",
    ),
    "the lower half of the event store knows no game": (
        "eventstore/log/contract.py",
        "import games.planted_title",
        "eventstore.log.contract -> games.planted_title",
    ),
    "no core knows a ruleset by name": (
        "cli/planted_favourite.py",
        "import games.rulesets.planted_one",
        "cli.planted_favourite -> games.rulesets.planted_one",
    ),
    "the event store sees the core and the words of games, not pictures, kit, examples or laws": (
        "eventstore/planted_board.py",
        "import games.scene.text",
        "eventstore.planted_board -> games.scene.text",
    ),
    "the kit is for rulesets: neither the core nor a face uses it": (
        "replay_web/planted_offer.py",
        "import games.kit.offers",
        "replay_web.planted_offer -> games.kit.offers",
    ),
    "the rooms of games: core under text, scene, kit and rulesets": (
        "games/core/planted_words.py",
        "import games.text.wording",
        "games.core.planted_words -> games.text.wording",
    ),
    "rulesets never see one another": (
        "games/rulesets/planted_one/__init__.py",
        "import games.rulesets.planted_two",
        "games.rulesets.planted_one -> games.rulesets.planted_two",
    ),
    "rulesets and kit have no disk, clock, network, environment or randomness of their own": (
        "games/kit/planted_dice.py",
        "import random",
        "games.kit.planted_dice -> random",
    ),
    "only serve and demo know the web pages": (
        "cli/planted_page.py",
        "import replay_web",
        "cli.planted_page -> replay_web",
    ),
    "the rooms of the event store: files under logs under replay, library and recording, under the store": (
        "eventstore/replay/planted_command.py",
        "import eventstore.recording.judging",
        "eventstore.replay.planted_command -> eventstore.recording.judging",
    ),
    "SQLite stays in its room: no other module imports it": (
        "eventstore/library/planted_table.py",
        "from typing import TYPE_CHECKING\nif TYPE_CHECKING:\n    import sqlite3",
        "eventstore.library.planted_table -> sqlite3",
    ),
    "only doors to a database file name the log in SQLite": (
        "replay_web/library/planted_list.py",
        "from eventstore.sqlite.database import OpenDatabase",
        "replay_web.library.planted_list -> eventstore.sqlite.database",
    ),
    "the rooms of the command line: the shell under the commands": (
        "cli/shell/planted_step.py",
        "import cli.commands.show",
        "cli.shell.planted_step -> cli.commands.show",
    ),
    "the rooms of the pages stand beside one another, over page models over what every page shares": (
        "replay_web/models/planted_model.py",
        "import replay_web.record.recording",
        "replay_web.models.planted_model -> replay_web.record.recording",
    ),
    "deciders and folds draw nothing and look at no clock": (
        "eventstore/recording/planted_draw.py",
        "import secrets",
        "eventstore.recording.planted_draw -> secrets",
    ),
    "nor has the rest of games; what a ruling leads to is tried with dice that are always the same": (
        "games/text/planted_clock.py",
        "import time",
        "games.text.planted_clock -> time",
    ),
}
# What the planted lines import.
TARGETS = ("games/planted_title.py", "games/rulesets/planted_two/__init__.py")


SQL = re.compile(
    r"\b(SELECT\s.+\sFROM|INSERT\s.*INTO|UPDATE\s.+\sSET|DELETE\s+FROM|CREATE\s+TABLE|PRAGMA)\s", re.DOTALL
)
OWN_SQL = "eventstore/sqlite/"


def sql_in(source: str) -> list[str]:
    """The texts of a module that are SQL; a docstring may speak of it."""
    tree = ast.parse(source)
    docstrings = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant)
        and isinstance(node.value, str)
        and id(node) not in docstrings
        and SQL.search(node.value)
    ]


def lint(folder: Path) -> subprocess.CompletedProcess[str]:
    command = Path(sys.executable).with_name("lint-imports")
    return subprocess.run(
        [command, "--no-cache", folder / "pyproject.toml"],
        cwd=folder,
        env=os.environ | {"COLUMNS": "200"},
        capture_output=True,
        text=True,
        check=False,
    )


def add_line(file: Path, line: str) -> None:
    file.parent.mkdir(parents=True, exist_ok=True)
    with file.open("a", encoding="utf-8") as opened:
        opened.write(f"\n{line}\n")


@pytest.fixture(scope="module")
def planted(tmp_path_factory: pytest.TempPathFactory) -> subprocess.CompletedProcess[str]:
    folder = tmp_path_factory.mktemp("planted")
    shutil.copy(ROOT / "pyproject.toml", folder)
    for package in PROJECT["tool"]["importlinter"]["root_packages"]:
        shutil.copytree(ROOT / package, folder / package, ignore=shutil.ignore_patterns("__pycache__"))
    for target in TARGETS:
        add_line(folder / target, "")
    for file, line, _ in PLANTS.values():
        add_line(folder / file, line)
    return lint(folder)


def test_packages_keep_every_contract() -> None:
    report = lint(ROOT)
    assert report.returncode == 0, report.stdout + report.stderr


@pytest.mark.parametrize("contract", CONTRACTS)
def test_contract_catches_what_breaks_it(planted: subprocess.CompletedProcess[str], contract: str) -> None:
    assert planted.returncode == 1, planted.stdout + planted.stderr
    assert f"{contract} BROKEN" in planted.stdout
    assert PLANTS[contract][2] in planted.stdout


def test_no_sql_stands_outside_of_the_log_in_sqlite() -> None:
    files = [
        file
        for package in PROJECT["tool"]["importlinter"]["root_packages"]
        for file in (ROOT / package).rglob("*.py")
    ]
    names = {file.relative_to(ROOT).as_posix(): file for file in files}
    found = {name: sql_in(file.read_text(encoding="utf-8")) for name, file in names.items()}
    assert len(found) > 300
    assert sum(map(bool, found.values())) > 10
    assert {name for name, said in found.items() if said and not name.startswith(OWN_SQL)} == set()


@pytest.mark.parametrize(
    "line",
    [
        'query = "SELECT id FROM games"',
        'query = f"DELETE FROM {table} WHERE id = ?"',
        'query = ("INSERT OR IGNORE INTO keys(key)" " VALUES (?)")',
    ],
)
def test_sql_is_found_in_a_module(line: str) -> None:
    assert len(sql_in(line)) == 1


def test_every_room_of_the_event_store_but_one_may_not_name_the_log_in_sqlite() -> None:
    (contract,) = (
        contract
        for contract in PROJECT["tool"]["importlinter"]["contracts"]
        if contract.get("forbidden_modules") == ["eventstore.sqlite"]
    )
    rooms = {
        f"eventstore.{path.stem}"
        for path in (ROOT / "eventstore").iterdir()
        if path.suffix == ".py" or (path / "__init__.py").exists()
    }
    listed = {name for name in contract["source_modules"] if name.startswith("eventstore.")}
    assert listed == rooms - {"eventstore.sqlite", "eventstore.__init__"}
