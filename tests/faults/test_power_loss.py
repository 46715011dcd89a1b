"""When the power goes, what was acknowledged is on the disk, and a file that is there is whole.

A process does work of every kind and writes down each file operation (`workload.py`). A disk (`disk.py`)
follows these operations to some point and loses its power there; what is left is opened in a new process.

TABLETAPE_POWER_LOSSES: so many points, seeded.
"""

from __future__ import annotations

import hashlib
import json
import os
import random
import shutil
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from tests.conftest import Measured
from tests.faults.disk import Disk, Op, System, read_log
from tests.faults.forks import Forks
from tests.faults.workload import PLANTS

LOSSES = int(os.environ.get("TABLETAPE_POWER_LOSSES", "100"))
TRIES = 400
"""Losses of power at most until a planted fault shows."""
CUTS = max(5, LOSSES // 12)
"""Losses of power at each name that a restore gives."""
FILES = ("backup", "export")
"""Sorts of losses."""


class Worked(NamedTuple):
    """What was done, and what it began with."""

    folder: Path
    ops: list[Op]
    before: dict[tuple[str, int], bytes]
    stale: Path


def worked(forks: Forks, place: Path, plant: str | None) -> Worked:
    folder, stale, log = place / "work", place / "stale", place / "log"
    folder.mkdir(parents=True)
    stale.mkdir()
    forks.call(folder, "tests.faults.workload:make_old")
    before = {(str(file), file.stat().st_ino): file.read_bytes() for file in folder.iterdir()}
    forks.call(folder, "tests.faults.workload:work", log=str(log), stale=str(stale), plant=plant)
    return Worked(folder, list(read_log(log.read_bytes())), before, stale)


@pytest.fixture(scope="module")
def work(forks: Forks, memory: Path) -> Worked:
    return worked(forks, memory / "worked", None)


# --- what must be there ------------------------------------------------------------------------------


@dataclass
class Promised:
    """What was acknowledged up to some point."""

    commits: dict[str, dict[str, str]] = field(default_factory=dict)
    """By database: the chain's value after each command."""
    titles: dict[str, int] = field(default_factory=dict)
    """By database: how many titles were given."""
    files: dict[str, int] = field(default_factory=dict)
    """By name: how many times it was written."""
    holds: dict[str, dict[str, str]] = field(default_factory=dict)
    """By backup: the commits that it has."""
    restoring: dict[str, str] | None = None
    kept: dict[str, dict[str, str]] = field(default_factory=dict)
    """What was replaced by a backup, by the name that it has now."""

    def take(self, mark: dict[str, Any]) -> None:
        match mark["kind"]:
            case "commit":
                self.commits.setdefault(mark["db"], {})[f"{mark['game']}:{mark['seq']}"] = mark["hash"]
            case "title":
                self.titles[mark["db"]] = self.titles.get(mark["db"], 0) + 1
            case "file":
                self.files[mark["path"]] = self.files.get(mark["path"], 0) + 1
                self.holds[mark["path"]] = dict(self.commits[mark["db"]])
            case "restoring":
                self.restoring = mark
            case "restored":
                assert self.restoring is not None
                self.kept[self.restoring["kept"]] = self.commits[mark["db"]]
                self.commits[mark["db"]] = dict(self.holds[self.restoring["file"]])
                self.restoring = None
            case strange:
                raise ValueError(strange)

    @property
    def count(self) -> int:
        return sum(map(len, (*self.commits.values(), *self.kept.values(), self.files))) + sum(
            self.titles.values()
        )


class Later(NamedTuple):
    """What the whole log knows: in which order titles and files came."""

    titles: dict[str, list[str]]
    files: dict[str, list[str]]


def later(ops: list[Op]) -> Later:
    known = Later({}, {})
    for mark in marks(ops):
        if mark["kind"] == "title":
            known.titles.setdefault(mark["db"], []).append(mark["title"])
        if mark["kind"] == "file":
            known.files.setdefault(mark["path"], []).append(mark["sha"])
    return known


def marks(ops: list[Op]) -> Iterator[dict[str, Any]]:
    return (json.loads(op.data) for op in ops if op.name == "mark")


def lost(forks: Forks, left: Path, promised: Promised, known: Later) -> Iterator[str]:
    """Name what was promised and is not there; the first word says of which sort it is."""
    yield from _lost_files(left, promised, known)
    names = {*promised.commits, *promised.kept}
    if promised.restoring is not None:
        names.add(promised.restoring["kept"])
    found = forks.call(left, "tests.faults.looks:commits", paths=sorted({*names, "old.db", "games.db"}))
    for db, seen in found.items():
        if seen["fault"]:
            yield f"database {db}: {seen['fault']}"
    for db, commits in (*promised.commits.items(), *promised.kept.items()):
        gone = _gone(found, db, commits)
        if gone and not (db in promised.commits and _being_replaced(found, promised, db)):
            yield f"commit {db}: {len(gone)} of {len(commits)} acknowledged are gone, as {gone[0]}"
    for db, count in promised.titles.items():
        # What replaced the database may have another title.
        if not promised.kept and promised.restoring is None and db in found:
            title, titles = found[db]["titles"].get("friday"), known.titles[db]
            if title not in titles[count - 1 : count + 1]:
                yield f"title {db}: {title}"


def _gone(found: dict[str, Any], db: str, commits: dict[str, str]) -> list[str]:
    there = found.get(db, {"commits": {}})["commits"]
    return [place for place, value in commits.items() if there.get(place) != value]


def _being_replaced(found: dict[str, Any], promised: Promised, db: str) -> bool:
    """While a backup is restored, it may be there in full, if what it replaced is kept in full."""
    now = promised.restoring
    return (
        now is not None
        and now["db"] == db
        and not _gone(found, db, promised.holds[now["file"]])
        and not _gone(found, now["kept"], promised.commits[db])
    )


def _lost_files(left: Path, promised: Promised, known: Later) -> Iterator[str]:
    for name, versions in known.files.items():
        count, file = promised.files.get(name, 0), left / name
        found = hashlib.sha256(file.read_bytes()).hexdigest() if file.exists() else None
        allowed = [*([None] if count == 0 else []), *versions[max(0, count - 1) : count + 1]]
        if found not in allowed:
            sort = "backup" if name.endswith(".db") else "export"
            yield f"{sort} {name}: {'absent' if found is None else 'neither the old one nor the new one'}"


# --- the power goes ----------------------------------------------------------------------------------


def points(ops: list[Op], count: int, rng: random.Random) -> list[int]:
    """Choose where the power goes: soon after something was acknowledged, or named, or anywhere."""
    marked, named = (
        [place + 1 for place, op in enumerate(ops) if op.name in names]
        for names in (("mark",), ("rename", "unlink"))
    )
    anywhere = list(range(1, len(ops) + 1))
    return sorted(
        min(len(ops), rng.choice(places) + rng.randint(0, 2))
        for _, places in zip(range(count), cycle((marked, named, anywhere)), strict=False)
    )


class Tally(NamedTuple):
    promised: int
    lost: list[str]


def lose_power(
    forks: Forks,
    work: Worked,
    place: Path,
    count: int,
    seed: str,
    *,
    until: str = "",
    at: Sequence[int] = (),
    systems: Sequence[System] = ("strict", "ordered"),
) -> Tally:
    """Lose the power so many times, or at these points, or until something of this sort is lost."""
    rng = random.Random(seed)  # noqa: S311 - to be repeated
    known, promised, found = later(work.ops), 0, list[str]()
    for system in systems:
        disk, now, done = Disk(system, work.before), Promised(), 0
        for number, point in enumerate(at or points(work.ops, count // 2, rng)):
            for op in work.ops[done:point]:
                disk.follow(op)
                if op.name == "mark":
                    now.take(json.loads(op.data))
            done = point
            left = place / f"{system}-{number}"
            left.mkdir(parents=True)
            for path, content in disk.lose_power(rng).items():
                (left / Path(path).name).write_bytes(content)
            stale_memory(work, left, rng)
            promised += now.count
            # Files are judged by their bytes alone, without a process that opens them.
            losses = _lost_files(left, now, known) if until in FILES else lost(forks, left, now, known)
            found += (f"{loss} ({system}, at {point})" for loss in losses)
            shutil.rmtree(left)
            if until and any(loss.startswith(until) for loss in found):
                return Tally(promised, found)
    return Tally(promised, found)


def stale_memory(work: Worked, left: Path, rng: random.Random) -> None:
    """Half of the time there is a file of shared memory, from some time or other: nobody syncs it."""
    for file in sorted(work.stale.iterdir()) if rng.random() < 0.5 else ():
        name = file.name.partition("-")[2]
        if rng.random() < 0.3 and (left / name.removesuffix("-shm")).exists():
            shutil.copy(file, left / name)


@pytest.fixture(scope="module")
def tally(forks: Forks, work: Worked, memory: Path) -> Tally:
    return lose_power(forks, work, memory / "left", LOSSES, "power")


def test_the_work_is_of_every_kind(work: Worked) -> None:
    kinds = {op.name for op in work.ops}
    assert {"create", "write", "fsync", "truncate", "rename", "unlink", "mark"} <= kinds
    checkpoints = [op for op in work.ops if op.name == "write" and op.path.endswith(("/games.db", "/old.db"))]
    assert len(checkpoints) > 50
    assert {mark["kind"] for mark in marks(work.ops)} == {"commit", "title", "file", "restoring", "restored"}


def test_a_disk_that_keeps_its_power_has_what_is_there(work: Worked) -> None:
    disk = Disk("strict", work.before)
    for op in work.ops:
        disk.follow(op)
    followed = {path: everything(file) for path, file in disk._names.items() if not path.endswith("-shm")}
    assert followed == {
        str(file): file.read_bytes() for file in work.folder.iterdir() if not file.name.endswith("-shm")
    }


def everything(file: Any) -> bytes:
    file.sync()
    return bytes(file.safe)


def test_nothing_that_was_acknowledged_is_lost(tally: Tally, work: Worked, measured: Measured) -> None:
    measured(
        f"power losses: {LOSSES} in a log of {len(work.ops)} operations, {tally.promised} acknowledged things"
        f" checked, {len(tally.lost)} lost"
    )
    assert tally.lost == [], "\n".join(tally.lost)


def test_a_restore_that_is_cut_short_keeps_the_old_or_the_new(
    forks: Forks, work: Worked, memory: Path
) -> None:
    """Where names change hands, and none of them is safe yet: many times, for much may arrive or not."""
    names = [op.name if op.name != "mark" else json.loads(op.data)["kind"] for op in work.ops]
    ends = [place for place, name in enumerate(names) if name == "restored"]
    begins = [place for place, name in enumerate(names) if name == "restoring"]
    assert len(begins) == len(ends) == 2
    at = [
        place + 1
        for begin, end in zip(begins, ends, strict=True)
        for place in range(begin, end)
        if names[place] == "rename"
        for _ in range(CUTS)
    ]
    assert at
    tally = lose_power(forks, work, memory / "cut short", 0, "restore", at=at, systems=("strict",))
    assert tally.lost == []


@pytest.mark.parametrize(
    ("plant", "shows"),
    [
        ("synchronous=OFF", ["commit"]),
        ("synchronous=NORMAL", ["commit"]),
        ("answered before COMMIT", ["commit"]),
        ("files are not synced", ["backup", "export"]),
        ("folders are not synced", ["backup", "export"]),
        ("renamed before it is synced", ["backup"]),
    ],
)
def test_a_planted_fault_is_found(forks: Forks, memory: Path, plant: str, shows: list[str]) -> None:
    done = worked(forks, memory / plant, plant)
    for sort in shows:
        # Files are judged fast: they can be looked at after each new name, several times.
        named = [place + 1 for place, op in enumerate(done.ops) if op.name in {"rename", "mark"}]
        at = [place for place in named for _ in range(8)] if sort in FILES else ()
        found = lose_power(forks, done, memory / f"left by {plant}", TRIES, plant, until=sort, at=at).lost
        assert any(loss.startswith(sort) for loss in found), (sort, found)


def test_each_plant_is_tried() -> None:
    (marker,) = test_a_planted_fault_is_found.pytestmark  # type: ignore[attr-defined]
    assert {plant for plant, _ in marker.args[1]} == PLANTS.keys() - {None}
