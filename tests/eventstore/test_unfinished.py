"""What a failed commit left is made invalid in place, and nothing else is touched."""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from pathlib import Path

import pytest

from eventstore.log.rows import NewEvent
from eventstore.sqlite import unfinished
from eventstore.sqlite.log import SqliteLog

FREE = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 1, 128)
    except OSError:
        print("held")
"""
"""Whether the byte of a `-shm` is locked by which SQLite knows that somebody has the database open."""


def header(page: int, frames: int, *, version: int = 3_007_000, initialised: int = 1) -> bytes:
    return struct.pack("=I8xBxHI28x", version, initialised, page, frames)


def files(place: Path, index: bytes, wal: bytes) -> Path:
    (place / "games.db-shm").write_bytes(index)
    (place / "games.db-wal").write_bytes(wal)
    return place / "games.db"


@pytest.mark.parametrize("frames", [0, 2])
@pytest.mark.parametrize(("said", "page"), [(4096, 4096), (1, 65536), (512, 512)])
def test_the_header_after_the_last_commit_is_zeroed(
    tmp_path: Path, frames: int, said: int, page: int
) -> None:
    wal = os.urandom(32 + (frames + 2) * (24 + page))
    path = files(tmp_path, 2 * header(said, frames), wal)
    unfinished.wipe(str(path))
    place = 32 + frames * (24 + page)
    assert Path(f"{path}-wal").read_bytes() == wal[:place] + bytes(24) + wal[place + 24 :]


@pytest.mark.parametrize("left", [0, 24, 24 + 4095])
def test_a_frame_that_is_not_complete_is_left_alone(tmp_path: Path, left: int) -> None:
    wal = os.urandom(32 + 24 + 4096 + left)
    path = files(tmp_path, 2 * header(4096, 1), wal)
    unfinished.wipe(str(path))
    assert Path(f"{path}-wal").read_bytes() == wal


@pytest.mark.parametrize(
    "index",
    [
        b"",
        header(4096, 1),
        header(4096, 1) + header(4096, 2),
        2 * header(4096, 1, version=3_007_001),
        2 * header(4096, 1, initialised=0),
    ],
    ids=["empty", "cut off", "being changed", "of another version", "not made yet"],
)
def test_where_the_last_commit_is_not_known_nothing_is_touched(tmp_path: Path, index: bytes) -> None:
    wal = os.urandom(32 + 3 * (24 + 4096))
    path = files(tmp_path, index, wal)
    with pytest.raises(OSError, match=r"games\.db-shm"):
        unfinished.wipe(str(path))
    assert Path(f"{path}-wal").read_bytes() == wal


def test_sqlite_keeps_its_locks(path: Path) -> None:
    def locked() -> bool:
        done = subprocess.run([sys.executable, "-c", FREE, f"{path}-shm"], capture_output=True, check=True)
        return done.stdout == b"held\n"

    with SqliteLog.open(path) as log:
        event = NewEvent("odd", '{"kind":"odd"}', "recorder")
        log.append("friday", [event], after=0, command_id="a", request="a")
        assert locked()
        for _ in range(2):
            unfinished.wipe(str(path))
            assert locked()
        assert log.append("friday", [event], after=1, command_id="b", request="b").last_seq == 2


def test_an_index_that_was_deleted_is_given_back(path: Path) -> None:
    for _ in range(3):
        with SqliteLog.open(path) as log:
            log.write(lambda _: None)
            unfinished.wipe(str(path))
    assert sum(os.fstat(handle).st_nlink == 0 for handle in unfinished._indexes.values()) <= 1
