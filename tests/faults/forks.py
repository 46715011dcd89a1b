"""Processes that cost a few milliseconds each: a warm parent with the shim preloaded forks them.

The parent imports everything that a command may need, stops the clock, and opens nothing. Each child is
therefore as good as a fresh process: it runs one command of the command line or one function in a folder.
"""

from __future__ import annotations

import gc
import json
import os
import random
import secrets
import signal
import subprocess
import sys
import traceback
from contextlib import contextmanager
from importlib import import_module
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import IO, TYPE_CHECKING, Any, NamedTuple, Self

from tests.faults.shim import Op, Shim, preloaded

if TYPE_CHECKING:
    from collections.abc import Iterator
    from types import TracebackType

    from tests.faults.shim import Position

ROOT = Path(__file__).resolve().parents[2]
NOON = "2026-09-14T12:00:00Z"


@contextmanager
def in_memory() -> Iterator[Path]:
    """Lend a folder that no disk slows down; the tests look at what files hold, never at a real disk."""
    place = Path("/dev/shm")  # noqa: S108 - a folder of our own is made in it
    with TemporaryDirectory(dir=place if os.access(place, os.W_OK) else None) as folder:
        yield Path(folder).resolve()


class Kill(NamedTuple):
    """Kill the child at its `nth` file operation."""

    nth: int
    position: Position


class Done(NamedTuple):
    """What became of a child."""

    status: int
    """Its exit code; negative: the signal that ended it."""
    out: str
    err: str
    seen: int
    """File operations in its folder; 0 where it was killed."""

    @property
    def killed(self) -> bool:
        return self.status == -signal.SIGKILL


class Forks:
    """The warm parent, from the side of the test."""

    def __init__(self, place: Path) -> None:
        """Keep what the children print in `place`."""
        self._place = place
        self._started = 0
        kept = {name: value for name, value in os.environ.items() if not name.startswith("TABLETAPE_")}
        plain = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "xterm", "TZ": "UTC", "PYTHONHASHSEED": "0"}
        self._parent = subprocess.Popen(
            [sys.executable, "-m", "tests.faults.forks"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=preloaded({**kept, **plain}),
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        with self._parent:
            _pipe(self._parent.stdin).close()

    def start(self, folder: Path, **wish: Any) -> Child:
        """Start a child in a folder; `wish` is as `_work` takes it."""
        self._started += 1
        out = self._place / f"{self._started}"
        pid = self._ask({"folder": str(folder), "out": str(out), **wish})
        return Child(self, pid, out)

    def run(self, folder: Path, *argv: str, stdin: str = "", kill: Kill | None = None, **more: Any) -> Done:
        """Run a command of the command line to its end."""
        return self.start(folder, argv=argv, stdin=stdin, kill=kill, **more).wait()

    @contextmanager
    def talking(self, folder: Path, *argv: str, kill: Kill | None = None) -> Iterator[tuple[Child, IO[str]]]:
        """Run a command, and read what it prints while it runs."""
        os.mkfifo(self._place / f"{self._started + 1}.out")
        child = self.start(folder, argv=argv, kill=kill)
        with child.out.with_suffix(".out").open(encoding="utf-8") as printed:
            try:
                yield child, printed
            except BaseException:
                os.kill(child.pid, signal.SIGKILL)
                child.wait()
                raise

    def call(self, folder: Path, function: str, **given: Any) -> Any:
        """Run a function `module:name` to its end; its result travels as JSON."""
        done = self.start(folder, call=function, given=given).wait()
        if done.status:
            raise AssertionError(f"{function} failed in a process of its own:\n{done.err}")
        return json.loads(done.out)

    def wait(self, pid: int) -> int:
        return self._ask({"wait": pid})

    def _ask(self, wish: dict[str, Any]) -> int:
        pipe = _pipe(self._parent.stdin)
        pipe.write(f"{json.dumps(wish)}\n")
        pipe.flush()
        return int(_pipe(self._parent.stdout).readline())


class Child:
    """A process that was forked."""

    def __init__(self, forks: Forks, pid: int, out: Path) -> None:
        self._forks = forks
        self.out = out
        self.pid = pid

    def wait(self) -> Done:
        """Wait for its end."""
        status = self._forks.wait(self.pid)
        files = [self.out.with_suffix(end) for end in (".out", ".err", ".seen")]
        out, err, seen = (file.read_text(encoding="utf-8") if file.is_file() else "" for file in files)
        for file in files:
            file.unlink(missing_ok=True)
        return Done(status, out, err, int(seen or 0))


def _pipe(pipe: IO[str] | None) -> IO[str]:
    assert pipe is not None
    return pipe


# --- in the parent and its children ------------------------------------------------------------------


def _warm() -> None:
    import segno  # noqa: F401, PLC0415
    import sqlite_utils  # noqa: F401, PLC0415
    import waitress.server  # noqa: F401, PLC0415
    from freezegun import freeze_time  # noqa: PLC0415

    import replay_web  # noqa: F401, PLC0415
    from cli.main import Tree, command_names  # noqa: PLC0415
    from games.core.registry import installed  # noqa: PLC0415

    for name in command_names():
        Tree().get_command(None, name)  # type: ignore[arg-type]
    for path in ROOT.glob("eventstore/**/*.py"):
        if path.stem != "__init__" and path.parent.name != "testing":
            import_module(".".join(path.relative_to(ROOT).with_suffix("").parts))
    import_module("tests.faults.looks")
    import_module("tests.faults.plants")
    import_module("tests.faults.workload")
    installed()
    # With a clock that stands still, waitress would wait for its threads for ever.
    freeze_time(NOON, ignore=["waitress"]).start()
    gc.collect()
    gc.freeze()


def _serve() -> None:
    """Fork on demand until the test closes its end."""
    _warm()
    answers = os.dup(1)
    os.dup2(2, 1)
    for line in sys.stdin:
        wish = json.loads(line)
        if "wait" in wish:
            _, status = os.waitpid(wish["wait"], 0)
            answer = os.waitstatus_to_exitcode(status)
        else:
            answer = os.fork()
            if answer == 0:
                os.close(answers)
                _child(wish)
        os.write(answers, f"{answer}\n".encode())


def _child(wish: dict[str, Any]) -> None:
    """Do what was asked for and end; nothing of the parent's is flushed or closed."""
    out = Path(wish.pop("out"))
    status = 70
    try:
        _redirect(out, wish.pop("stdin", ""))
        folder = Path(wish.pop("folder"))
        os.chdir(folder)
        shim = Shim(folder)
        try:
            status = _work(shim, **wish)
        finally:
            seen = shim.seen
            shim.calm()
        out.with_suffix(".seen").write_text(str(seen), encoding="utf-8")
    except BaseException:  # noqa: BLE001 - it is the test's to see, and this process ends
        traceback.print_exc()
    finally:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(status)


def _redirect(out: Path, typed: str) -> None:
    given = out.with_suffix(".in")
    given.write_text(typed, encoding="utf-8")
    for number, file, flags in (
        (0, given, os.O_RDONLY),
        (1, out.with_suffix(".out"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND),
        (2, out.with_suffix(".err"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_APPEND),
    ):
        handle = os.open(file, flags, 0o600)
        os.dup2(handle, number)
        os.close(handle)
    given.unlink()
    sys.stdin = open(0, encoding="utf-8", closefd=False)  # noqa: SIM115 - it stays open


def _work(
    shim: Shim,
    *,
    argv: list[str] | None = None,
    call: str | None = None,
    given: dict[str, Any] | None = None,
    kill: list[Any] | None = None,
    patches: dict[str, Any] | None = None,
    plant: str | None = None,
    seed: int = 0,
) -> int:
    """Run a command or a function.

    kill:     the number of the file operation at which it dies, and whether before, after or torn.
    patches:  values by their dotted names, set beforehand.
    plant:    a function of `plants.py` that spoils something beforehand.
    seed:     of what is random in it, so that two runs of a command do the same.
    """
    rng = random.Random(seed)  # noqa: S311 - to be repeated
    secrets.choice, secrets._sysrand = rng.choice, rng  # type: ignore[assignment,attr-defined]
    random.SystemRandom = lambda: rng  # type: ignore[assignment,misc]
    for name, value in (patches or {}).items():
        module, _, item = name.rpartition(".")
        setattr(import_module(module), item, value)
    if plant is not None:
        getattr(import_module("tests.faults.plants"), plant)()
    if call is not None:
        module, _, function = call.partition(":")
        sys.stdout.write(json.dumps(getattr(import_module(module), function)(**(given or {}))))
        return 0
    from cli import main  # noqa: PLC0415

    if kill:
        shim.kill(Op.ALL, *kill)
    else:
        shim.count(Op.ALL)
    try:
        main(argv or [], prog_name="tabletape")
    except SystemExit as end:
        return int(end.code or 0)
    return 0


if __name__ == "__main__":
    _serve()
