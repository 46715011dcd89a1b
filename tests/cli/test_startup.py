"""Starting is quick because nothing heavy is imported before a command needs it."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
HEAVY = (
    "rich",
    "flask",
    "waitress",
    "sqlite_utils",
    "sqlite3",
    "msgspec",
    "eventstore",
    "replay_web",
    "games.core",
    "games.kit",
    "games.rulesets",
    "games.scene",
    "games.text",
)


HELP = ("--help",)
"""What the others are measured against: it loads every command, and nothing behind them."""
ROUNDS = 30
"""Runs before a limit counts as missed: the processor is shared, so the least of several runs counts."""
START = [sys.executable, "-c", "from cli import main; main(prog_name='tabletape')"]


def loaded_by(*args: str) -> set[str]:
    """The packages in memory when this command is done, and the rooms in them."""
    return {".".join(name.split(".")[:2]) for name in modules_of(*args)}


def modules_of(*args: str) -> set[str]:
    """The modules in memory when this command is done."""
    code = (
        "import sys\nfrom cli import main\nmain.main(sys.argv[1:], standalone_mode=False)\n"
        "print('LOADED', *sys.modules)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code, *args], capture_output=True, text=True, check=True, cwd=ROOT
    )
    line = next(line for line in done.stdout.splitlines() if line.startswith("LOADED"))
    return set(line.split()[1:])


def completing(*words: str) -> dict[str, str]:
    """The environment in which a shell asks for what the last word may become."""
    line = ("tabletape", *words)
    return {
        "_TABLETAPE_COMPLETE": "bash_complete",
        "COMP_WORDS": " ".join(line),
        "COMP_CWORD": str(len(line) - 1),
    }


def cpu(args: tuple[str, ...], env: dict[str, str]) -> tuple[float, str]:
    """Seconds of processor time that a call takes, and what it printed."""
    started = subprocess.Popen([*START, *args], env=os.environ | env, cwd=ROOT, stdout=subprocess.PIPE)
    assert started.stdout is not None
    with started.stdout as stream:
        printed = stream.read().decode()
    _, status, used = os.wait4(started.pid, 0)
    started.returncode = os.waitstatus_to_exitcode(status)
    assert started.returncode == 0
    return used.ru_utime + used.ru_stime, printed


@pytest.fixture(scope="module")
def samples(tmp_path_factory: pytest.TempPathFactory) -> str:
    """The sample games, listed once."""
    database = str(tmp_path_factory.mktemp("samples") / "samples.db")
    files = [str(file) for file in sorted((ROOT / "cli" / "samples").glob("*.tape.jsonl"))]
    for args in (("import", *files), ("list",)):
        cpu(("--db", database, *args), {})
    return database


@pytest.mark.parametrize(
    ("args", "words", "says", "most"),
    [
        (("list",), (), "legend-harbour", 2.0),
        ((), ("l",), "list", 1.15),
        ((), ("show", ""), "legend-harbour", 1.15),
        ((), ("show", "--"), "--json", 1.15),
        ((), ("new", "monsters"), "monsters-forever", 1.15),
    ],
    ids=["a list", "a command", "a game", "an option", "a ruleset"],
)
def test_a_list_and_a_completion_cost_little_more_than_help(
    samples: str, args: tuple[str, ...], words: tuple[str, ...], says: str, most: float
) -> None:
    env = {"TABLETAPE_DB": samples} | (completing(*words) if words else {})
    least = helped = float("inf")
    for done in range(ROUNDS):
        used, printed = cpu(args, env)
        assert says in printed
        least, helped = min(least, used), min(helped, cpu(HELP, {})[0])
        if done >= 2 and least <= most * helped:
            return
    pytest.fail(f"{least * 1000:.0f} ms are more than {most} times {helped * 1000:.0f} ms")


@pytest.mark.parametrize("args", [(), ("--version",), ("--help",), ("record", "--help")], ids=" ".join)
def test_help_and_version_import_nothing_heavy(args: tuple[str, ...]) -> None:
    assert not loaded_by(*args or ("--help",)) & set(HEAVY)


def test_a_list_needs_neither_pages_nor_rich(tmp_path: Path) -> None:
    database = str(tmp_path / "some.db")
    wish = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--json")
    assert not loaded_by("--db", database, *wish) & {"rich", "flask", "waitress"}
    assert not loaded_by("--db", database, "list") & {"rich", "flask", "waitress"}


def test_a_list_of_known_games_opens_none_of_them(samples: str) -> None:
    assert "amended" in cpu(("list",), {"TABLETAPE_DB": samples})[1]
    loaded = modules_of("--db", samples, "list")
    behind = ("eventstore.store", "eventstore.recording", "eventstore.replay.replay", "games.rulesets")
    assert not {name for name in loaded if name.startswith((*behind, "sqlite_utils", "rich"))}


def test_version_is_the_project_s() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    command = [sys.executable, "-c", "from cli import main; main(prog_name='tabletape')", "--version"]
    done = subprocess.run(command, capture_output=True, text=True, check=True, cwd=ROOT)
    assert done.stdout == f"tabletape {project['version']}\n"
