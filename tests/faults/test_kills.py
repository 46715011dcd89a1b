"""A process killed at any of its file operations leaves a database that is whole, and files that are whole.

For each command: what it answered is there, what it had not finished is there or not at all, the same
command gives the right answer afterwards, and nothing that it left is in the way.

TABLETAPE_KILLS: about so many kills over all calls; from some 7,000 on every operation gets all of its kills.
"""

from __future__ import annotations

import contextlib
import os
import random
import shutil
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from cli.main import command_names
from tests.conftest import Measured
from tests.faults.commands import CALLS, Call
from tests.faults.forks import Done, Forks, Kill

KILLS = int(os.environ.get("TABLETAPE_KILLS", "80"))
MOMENTS = ("before", "torn", "after")
COMES_AND_GOES = ("-wal", "-shm", "-journal", ".lock")
"""What lies beside a database while it is open, and after a kill."""
UNSET = ("new", "monsters-forever", "--player", "Cem", "--player", "Dea", "--id", "later", "--json")
SERVING = {"serve": "test_kills_serving.py"}
"""Commands that have a test of their own."""


def test_each_command_is_killed() -> None:
    assert {call.command for call in CALLS.values()} | SERVING.keys() == set(command_names())


class Place:
    """A copy of the folder, and what is in it."""

    def __init__(
        self, forks: Forks, filled: Path, folder: Path, call: Call, plant: str | None = None
    ) -> None:
        self._forks = forks
        self._plant = plant
        self._call = call
        self.folder = folder
        shutil.copytree(filled, folder)
        if call.empty:
            for file in folder.glob(f"{call.database}*"):
                file.unlink()

    def run(self, call: Call, *, kill: Kill | None = None, seed: int = 0) -> Done:
        return self._forks.run(
            self.folder,
            *call.argv,
            stdin=call.stdin,
            kill=kill,
            patches=dict(call.patches),
            seed=seed,
            plant=self._plant,
        )

    def state(self, database: str | None = None) -> dict[str, Any]:
        found = self._forks.call(self.folder, "tests.faults.looks:look", path=database or self._call.database)
        assert isinstance(found, dict)
        return found

    def files(self) -> dict[str, str]:
        """The files that are no part of a database that was opened."""
        found = self._forks.call(self.folder, "tests.faults.looks:digests")
        return {
            name: digest
            for name, digest in found.items()
            if not name.endswith(COMES_AND_GOES) and name not in {"tabletape.db", self._call.database}
        }

    def close(self) -> None:
        shutil.rmtree(self.folder)


class Clean(NamedTuple):
    """What the call does where nobody kills it."""

    states: list[dict[str, Any]]
    """From that before it to that after it."""
    files: dict[str, str]
    files_before: dict[str, str]
    answer: str
    operations: int


def clean(forks: Forks, filled: Path, memory: Path, call: Call) -> Clean:
    states = []
    for number, part in enumerate([*map(call.upto, call.stations), call.whole]):
        place = Place(forks, filled, memory / f"clean-{number}", call)
        if not states:
            before = place.files()
            states.append(place.state())
        done = place.run(part)
        assert done.status == 0, done.err
        states.append(place.state())
        assert not states[-1]["faults"]
        files = place.files()
        place.close()
    if call.stations:
        states.pop()
    return Clean(states, files, before, done.out, done.seen)


def sites(name: str, expected: Clean) -> list[Kill]:
    """Choose where this call is killed; the same places each time, few where it changes nothing."""
    all_of_them = [Kill(nth, position) for nth in range(1, expected.operations + 1) for position in MOMENTS]
    changes = expected.states[0] != expected.states[-1] or expected.files != expected.files_before
    share = -(-KILLS // len(CALLS) // (1 if changes else 4))
    if share >= len(all_of_them):
        return all_of_them
    return random.Random(name).sample(all_of_them, share)  # noqa: S311 - to be repeated


@pytest.mark.parametrize("name", CALLS)
def test_a_kill_damages_nothing(
    forks: Forks, filled: Path, memory: Path, measured: Measured, name: str
) -> None:
    call = CALLS[name]
    expected = clean(forks, filled, memory, call)
    if not expected.operations:
        # It touches no file at all.
        assert expected.states[0] == expected.states[-1]
        return
    acknowledged = 0
    chosen = sites(name, expected)
    for number, kill in enumerate(chosen):
        place = Place(forks, filled, memory / f"killed-{number}", call)
        done = place.run(call.whole, kill=kill)
        assert done.killed, (kill, done)
        acknowledged += judged(place, call, expected, done)
        place.close()
    measured(
        f"kills: {name}: {len(chosen)} at {expected.operations} operations, {acknowledged} answers checked"
    )


def judged(place: Place, call: Call, expected: Clean, done: Done) -> int:
    """Hold what a kill left to what is promised; how many states its answers had acknowledged."""
    answered = call.acknowledged(done.out, expected.answer)
    files_are_whole(place.files(), expected, answered=bool(answered) and not call.stdin)
    found = place.state()
    assert not found["faults"]
    reached = station(found, expected.states, grows=call.grows)
    assert reached >= answered, f"{answered} answered, {reached} there: {done.out}"
    repeated(place, call, expected, reached)
    assert place.run(Call(("--db", call.database, *UNSET))).status == 0
    return answered


def station(found: dict[str, Any], states: list[dict[str, Any]], *, grows: bool) -> int:
    """Say which of its states a call has reached; each is there as a whole."""
    if grows and found["there"]:
        events, all_of_them = found["events"], states[-1]["events"]
        assert events == all_of_them[: len(events)]
        assert events == all_of_them or events[-1][0] != all_of_them[len(events)][0]
        return len(states) - 1 if found == states[-1] else 0
    if not states[0]["there"] and found["there"] and not found["events"]:
        # A new database may be there already, with nothing in it.
        assert not found["details"]
        assert not found["names"]
        return 0
    assert found in states
    return max(number for number, state in enumerate(states) if state == found)


def files_are_whole(found: dict[str, str], expected: Clean, *, answered: bool) -> None:
    """Each file is as it was before the call, or as the call makes it, and is there when it was answered."""
    for name in expected.files | expected.files_before:
        now, before = expected.files.get(name), expected.files_before.get(name)
        assert found.get(name) in ({now} if answered else {now, before}), name
    strange = found.keys() - expected.files.keys() - expected.files_before.keys()
    assert all(
        name.startswith(".tabletape-") or name.partition("-")[0].endswith(".new") for name in strange
    ), strange


def repeated(place: Place, call: Call, expected: Clean, reached: int) -> None:
    """The same call again does what is right, and clears away what the killed one left."""
    finished = reached == len(expected.states) - 1 and expected.files.items() <= place.files().items()
    if call.again == "never":
        rest = call.upto(call.stations[-1])
        if call.stdin:
            lines = call.stdin.splitlines(keepends=True)
            rest = call._replace(stdin="".join(lines[call.stations[reached - 1] if reached else 0 :]))
            if not rest.stdin:
                return
        done = place.run(rest, seed=1)
        assert done.status == 0, done.err
        if call.stdin:
            assert place.state() == expected.states[-1]
        return
    done = place.run(call)
    if call.again == "refused once done" and finished:
        assert done.status == 1, done
        return
    assert done.status == 0, done.err
    if call.again == "same answer":
        assert done.out == expected.answer
    after = place.state()
    assert after == expected.states[-1]
    left = place.files()
    for name, digest in expected.files.items():
        assert left[name] == digest, name
    assert all("before-restore" in name for name in left.keys() - expected.files.keys())


@pytest.mark.parametrize(
    ("plant", "name"),
    [
        ("exports_in_place", "export over an old one"),
        ("names_later", "new"),
        ("nothing_swept", "export"),
        ("nothing_swept", "backup over an old one"),
    ],
)
def test_a_planted_fault_is_found(forks: Forks, filled: Path, memory: Path, plant: str, name: str) -> None:
    call = CALLS[name]
    expected = clean(forks, filled, memory, call)
    with pytest.raises(AssertionError):
        planted(forks, filled, memory / f"{plant} {name}", call, expected=expected, plant=plant)


def planted(forks: Forks, filled: Path, folder: Path, call: Call, *, expected: Clean, plant: str) -> None:
    """Kill a process with a fault in it after every other operation."""
    for nth in range(1, expected.operations + 1, 2):
        with contextlib.closing(Place(forks, filled, folder / f"{nth}", call, plant)) as place:
            done = place.run(call, kill=Kill(nth, "after"))
            if done.killed:
                judged(place, call, expected, done)
