"""A terminal in raw mode: the other screen, single keys, and a wake-up when the window changes."""

from __future__ import annotations

import os
import re
import select
import signal
import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import Final
from unicodedata import category, east_asian_width

KEYS: Final = {
    "\x1b[C": "right",
    "\x1bOC": "right",
    "\x1b[D": "left",
    "\x1bOD": "left",
    "\x1b[A": "up",
    "\x1bOA": "up",
    "\x1b[B": "down",
    "\x1bOB": "down",
    "\x1b[H": "home",
    "\x1bOH": "home",
    "\x1b[1~": "home",
    "\x1b[7~": "home",
    "\x1b[F": "end",
    "\x1bOF": "end",
    "\x1b[4~": "end",
    "\x1b[8~": "end",
    "\x1b[5~": "page up",
    "\x1b[6~": "page down",
    "\x1b": "escape",
    "\r": "enter",
    "\n": "enter",
    "\x7f": "backspace",
    "\x03": "interrupt",
    "\x04": "q",
}
"""What terminals send, and what we call it; every other character is its own name."""

RESIZED: Final = "resized"

_SEQUENCE: Final = re.compile(r"\x1b\[[0-9;]*[~A-Za-z]|\x1bO[A-Z]|.", re.DOTALL)
_ESCAPE_WAIT: Final = 0.05
"""Seconds in which the rest of an arrow key's bytes arrive, so that Esc alone can be told from it."""


def split_keys(text: str) -> list[str]:
    r"""Name the keys in what a terminal sent; unknown sequences are left out.

    >>> split_keys("a\x1b[C\x1b[3~q")
    ['a', 'right', 'q']
    """
    found = _SEQUENCE.findall(text)
    return [KEYS.get(item, item) for item in found if item in KEYS or len(item) == 1]


class Terminal:
    """The terminal while a program owns its whole screen; made by `owned`."""

    def __init__(self, wake: int) -> None:
        self._wake = wake

    def keys(self, timeout: float | None = None) -> list[str]:
        """Wait for keys; `RESIZED` when the window changed, nothing when the time is over."""
        stdin = sys.stdin.fileno()
        ready, _, _ = select.select([stdin, self._wake], [], [], timeout)
        if self._wake in ready:
            os.read(self._wake, 1024)
            return [RESIZED]
        if stdin not in ready:
            return []
        sent = os.read(stdin, 1024)
        if not sent:
            return ["q"]
        while sent.endswith(b"\x1b") and select.select([stdin], [], [], _ESCAPE_WAIT)[0]:
            sent += os.read(stdin, 1024)
        return split_keys(sent.decode(errors="ignore"))

    def draw(self, lines: list[str]) -> None:
        """Put a whole screen down in one write: every line over the old one, the rest cleared, no flicker."""
        body = "\r\n".join(f"{line}\x1b[0m\x1b[K" for line in lines)
        sys.stdout.write(f"\x1b[?2026h\x1b[H{body}\x1b[J\x1b[?2026l")
        sys.stdout.flush()


@contextmanager
def owned() -> Iterator[Terminal]:
    """Take the terminal over; give it back as it was, whatever happens."""
    import termios
    import tty

    stdin = sys.stdin.fileno()
    before = termios.tcgetattr(stdin)
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    with ExitStack() as stack:
        stack.callback(os.close, reader)
        stack.callback(os.close, writer)
        stack.callback(signal.set_wakeup_fd, signal.set_wakeup_fd(writer, warn_on_full_buffer=False))
        stack.callback(signal.signal, signal.SIGWINCH, signal.signal(signal.SIGWINCH, lambda *_: None))
        stack.callback(termios.tcsetattr, stdin, termios.TCSADRAIN, before)
        stack.callback(_say, "\x1b[?25h\x1b[?1049l")
        tty.setraw(stdin, termios.TCSADRAIN)
        _say("\x1b[?1049h\x1b[?25l\x1b[2J")
        yield Terminal(reader)


def _say(sequence: str) -> None:
    sys.stdout.write(sequence)
    sys.stdout.flush()


def visible(line: str) -> str:
    r"""Take the colours out of a line.

    >>> visible("\x1b[1mA6\x1b[0m")
    'A6'
    """
    return re.sub(r"\x1b\[[0-9;]*m", "", line)


def clipped(line: str, width: int) -> str:
    r"""Cut a line to so many columns without cutting a colour in two; wide characters count twice.

    >>> clipped("\x1b[1mA6:A\x1b[0m", 2)
    '\x1b[1mA6\x1b[0m'
    >>> clipped("\u592a\u90ce wins", 5) == "\u592a\u90ce "
    True
    >>> clipped("\u845b\U000e0100 wins", 6) == "\u845b\U000e0100 win"
    True
    """
    left = width
    kept = []
    for part in re.split(r"(\x1b\[[0-9;]*m)", line):
        if part.startswith("\x1b"):
            kept.append(part)
            continue
        for character in part:
            left -= _columns(character)
            if left < 0:
                break
            kept.append(character)
    return "".join(kept)


def _columns(character: str) -> int:
    if category(character) in {"Mn", "Me", "Cf"}:
        return 0
    return 2 if east_asian_width(character) in "WF" else 1
