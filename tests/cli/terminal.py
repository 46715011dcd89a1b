"""The real command in a real pseudo-terminal: type keys, wait for what must appear."""

from __future__ import annotations

import codecs
import fcntl
import os
import re
import select
import struct
import subprocess
import sys
import termios
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PATIENCE = 60.0
"""Seconds until what must appear is called missing; never waited for when it is there."""
UNHEARD = 2.0
"""Seconds of silence after which a key is pressed again."""


class Session:
    """A running command and everything it has written."""

    def __init__(self, process: subprocess.Popen[bytes], master: int) -> None:
        self.process = process
        self._master = master
        self.raw = ""
        self._seen = 0
        self._decoder = codecs.getincrementaldecoder("utf-8")()

    def keys(self, text: str) -> None:
        os.write(self._master, text.encode())

    def resize(self, columns: int, lines: int) -> None:
        fcntl.ioctl(self._master, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))

    def until(self, wanted: str) -> str:
        """Read on until `wanted` stands behind the last thing waited for; give all up to there, plain."""
        while (found := plain(self.raw).find(wanted, self._seen)) < 0:
            last = plain(self.raw)[self._seen :]
            assert self._more(), f"ended before {wanted!r} appeared; the last it wrote:\n{last[-2000:]}"
        passed = plain(self.raw)[self._seen : found + len(wanted)]
        self._seen = found + len(wanted)
        return passed

    def interrupted(self) -> int:
        """Press Ctrl+C, again if it went unheard: readline misses one that comes while it handles a key."""
        while "Interrupted." not in self.raw:
            os.write(self._master, b"\x03")
            while "Interrupted." not in self.raw and select.select([self._master], [], [], UNHEARD)[0]:
                if not self._more():
                    return self.ended()
        return self.ended()

    def ended(self) -> int:
        """Read the rest and give the exit code."""
        while self._more():
            pass
        return self.process.wait(PATIENCE)

    def _more(self) -> bool:
        ready, _, _ = select.select([self._master], [], [], PATIENCE)
        assert ready, f"nothing came for {PATIENCE} s; the last it wrote:\n{plain(self.raw)[-2000:]}"
        try:
            sent = os.read(self._master, 65536)
        except OSError:  # Linux says so when the other side is closed
            return False
        self.raw += self._decoder.decode(sent)
        return bool(sent)


def plain(text: str) -> str:
    """Take colours and cursor movements out."""
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r\n", "\n")


@contextmanager
def session(*args: str, cwd: Path, columns: int = 100, lines: int = 40) -> Iterator[Session]:
    """Start `tabletape` in a terminal of this size; it is ended when the block is left."""
    master, slave = os.openpty()
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", lines, columns, 0, 0))
    environment = {key: value for key, value in os.environ.items() if key not in {"COLUMNS", "LINES"}}
    process = subprocess.Popen(
        [sys.executable, "-c", "from cli import main; main(prog_name='tabletape')", *args],
        stdin=slave,
        stdout=slave,
        stderr=slave,
        cwd=cwd,
        env=environment | {"TERM": "xterm-256color", "PYTHONPATH": str(Path(__file__).parents[2])},
        start_new_session=True,
        preexec_fn=lambda: fcntl.ioctl(0, termios.TIOCSCTTY, 0),  # noqa: PLW1509 - this process has one thread
    )
    os.close(slave)
    try:
        yield Session(process, master)
    finally:
        process.kill()
        process.wait(PATIENCE)
        os.close(master)
