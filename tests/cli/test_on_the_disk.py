"""A file is on the disk when a command says so: bytes first, then the name, then the word."""

from __future__ import annotations

import ast
import os
from collections.abc import Callable
from pathlib import Path

import click
import pytest

import cli
from cli import main
from cli.shell.options import FileName, ShellCommand
from tests.cli.conftest import Run

WRITES: dict[str, tuple[str, ...]] = {
    "export": ("export", "duel", "-o", "made"),
    "export as CSV": ("export", "duel", "--format", "csv", "-o", "made"),
    "export for a viewer": ("export", "duel", "--as", "table", "-o", "made"),
    "backup": ("backup", "made"),
    "restore": ("--db", "made", "restore", "kept"),
    "repair": ("repair", "made"),
}
"""A command of every sort that writes a file, and what it writes: `made`."""
NEVER_OVER_ANOTHER = ("repair",)
"""Commands that refuse a file that is there."""


@pytest.fixture
def calls(monkeypatch: pytest.MonkeyPatch) -> list[tuple[str, str]]:
    """Give the syncs, renames and words, in their order."""
    done: list[tuple[str, str]] = []
    fsync, replace, rename, echo = os.fsync, os.replace, os.rename, click.echo

    def synced(handle: int) -> None:
        place = Path(f"/proc/self/fd/{handle}").readlink()
        done.append(("sync", place.name if place.is_file() else f"{place.name}/"))
        fsync(handle)

    def named(how: Callable[..., None]) -> Callable[..., None]:
        def call(source: Path, target: Path, **more: object) -> None:
            done.append(("name", f"{Path(source).name}>{Path(target).name}"))
            how(source, target, **more)

        return call

    def said(*args: object, **how: object) -> None:
        done.append(("say", str(args[0])))
        echo(*args, **how)  # type: ignore[arg-type]

    monkeypatch.setattr(os, "fsync", synced)
    monkeypatch.setattr(os, "replace", named(replace))
    monkeypatch.setattr(os, "rename", named(rename))
    monkeypatch.setattr(click, "echo", said)
    return done


@pytest.mark.parametrize("there", [False, True])
@pytest.mark.parametrize("wish", WRITES.values(), ids=WRITES)
def test_a_file_is_on_the_disk_when_it_is_said(
    run: Run, duel: str, place: Path, calls: list[tuple[str, str]], wish: tuple[str, ...], *, there: bool
) -> None:
    run("backup", "kept")
    if there and wish[0] in NEVER_OVER_ANOTHER:
        run("backup", "made")
        before = (place / "made").read_bytes()
        assert run(*wish).exit_code != 0
        assert (place / "made").read_bytes() == before
        return
    if there:
        run("backup", "made")
        wish = (*wish, "--force") if "backup" in wish else wish
    calls.clear()
    assert run(*wish).exit_code == 0
    assert (place / "made").stat().st_size > 0
    (put,) = (i for i, (what, how) in enumerate(calls) if what == "name" and how.endswith(">made"))
    built = calls[put][1].partition(">")[0]
    assert ("sync", built) in calls[:put]
    assert ("sync", f"{place.name}/") in calls[put:]
    said = next(i for i, (what, _) in enumerate(calls) if what == "say")
    assert said > calls.index(("sync", f"{place.name}/"), put)


def test_every_command_that_writes_a_file_is_judged() -> None:
    """Nobody opens, renames or copies a file for writing but those judged above."""
    writing = set()
    folder = Path(str(cli.__file__)).parent
    for module in (*folder.glob("commands/*.py"), *folder.glob("shell/*.py")):
        tree = ast.parse(module.read_text(encoding="utf-8"))
        for call in ast.walk(tree):
            if isinstance(call, ast.Call) and _writes(call):
                writing.add(module.stem)
    taken = {
        name
        for name in main.list_commands(click.Context(main))
        for found in [main.get_command(click.Context(main), name)]
        if isinstance(found, ShellCommand)
        for option in found.params
        if isinstance(option.type, FileName | click.File) and option.name in {"output", "file"}
    }
    assert {wish[0] if wish[0] != "--db" else wish[2] for wish in WRITES.values()} == writing | taken


def _writes(call: ast.Call) -> bool:
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    if name in {"write_text", "write_bytes", "rename", "copyfile", "copy2"}:
        return True
    modes = [arg.value for arg in call.args if isinstance(arg, ast.Constant) and isinstance(arg.value, str)]
    return name == "open" and any(set(mode) <= set("rwxabt+") and set(mode) & set("wxa") for mode in modes)
