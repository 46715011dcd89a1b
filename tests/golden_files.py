"""Every golden file: what a program writes, what it stands in, and one command that renews all of them.

    python -m tests.golden_files [WORD …]

renews the files that a change touches and says in short what is different.  With words it looks only at files
whose path has one of them.  `make golden` runs it for all.  Read the difference before you commit it.

Files that stand for old records (tests/conformance) only gain lines: what is there keeps its meaning.
"""

from __future__ import annotations

import os
import sys
import tempfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import chdir
from difflib import SequenceMatcher
from functools import partial
from pathlib import Path
from typing import NamedTuple
from unittest import mock

import cli.reference.commands
import cli.reference.events
import replay_web.reference
from cli.samples import remake
from tests import readme
from tests.cli import transcript
from tests.conformance import stored
from tests.games import recorded, test_transcript
from tests.games.per_ruleset import TESTED

ROOT = Path(__file__).resolve().parents[1]
SHOWN = 100
"""So many characters of a line are shown."""
PROCESSES = 4


class GoldenFile(NamedTuple):
    """A file, and what writes it; tests compare the two."""

    path: Path
    made: Callable[[], bytes]

    @property
    def name(self) -> str:
        """Its path in the repository."""
        return self.path.relative_to(ROOT).as_posix()

    def stored(self) -> bytes | None:
        """Give what stands in it."""
        return self.path.read_bytes() if self.path.exists() else None


def golden_files() -> list[GoldenFile]:
    """List every golden file of the repository."""
    return sorted([*_pages(), *_played(), *_kept()])


def _pages() -> Iterator[GoldenFile]:
    """The pages that are written from the program."""
    yield _text(ROOT / "docs" / "cli.md", cli.reference.commands.reference)
    yield _text(ROOT / "docs" / "events.md", cli.reference.events.reference)
    yield _text(ROOT / replay_web.reference.PATH, replay_web.reference.render)
    yield _text(ROOT / "README.md", _readme)


def _played() -> Iterator[GoldenFile]:
    """The games and sessions that are played again."""
    for sample in remake.SAMPLES:
        yield GoldenFile(remake.HERE / f"{sample.game}.tape.jsonl", partial(remake.made, sample))
    for file in transcript.FOLDER.glob("*.txt"):
        yield _text(file, partial(_session, file))
    yield _text(test_transcript.GOLDEN, test_transcript.written)
    for tested in TESTED:
        for record in recorded.records(tested):
            yield _text(record.text, partial(_recorded, str(tested), record.name))


def _kept() -> Iterator[GoldenFile]:
    """What stands for old records; it only gains lines."""
    for ruleset in stored.rulesets():
        named = (ruleset.id, ruleset.version)
        yield _text(stored.snapshot_file(ruleset), partial(_of_version, stored.snapshot, *named))
        yield _text(stored.events_file(ruleset), partial(_of_version, stored.events, *named))
        yield _text(stored.defaults_file(stored.name_of(ruleset)), partial(_of_version, _defaults, *named))
        yield _text(stored.meanings_file(ruleset), partial(_of_version, _meanings, *named))
        if not stored.has_recorded_games(ruleset):
            yield _text(stored.game_file(ruleset), partial(_of_version, stored.game, *named))
    yield _text(stored.defaults_file(stored.RECORD), _record_defaults)


def _text(path: Path, text: Callable[[], str]) -> GoldenFile:
    return GoldenFile(path, partial(_encoded, text))


def _encoded(text: Callable[[], str]) -> bytes:
    return text().encode()


def _readme() -> str:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    with tempfile.TemporaryDirectory() as folder:
        return readme.renewed(text, partial(readme.run, folder=Path(folder)))


def _session(file: Path) -> str:
    text = file.read_text(encoding="utf-8")
    environment = {"COLUMNS": "80", "NO_COLOR": "1", "TERM": "xterm", "TZ": "UTC"}
    left_out = ("TABLETAPE_DB", "TABLETAPE_DEBUG", "FORCE_COLOR", "LINES")
    kept = {name: value for name, value in os.environ.items() if name not in left_out}
    with (
        tempfile.TemporaryDirectory() as folder,
        chdir(folder),
        mock.patch.dict(os.environ, kept | environment, clear=True),
    ):
        return transcript.played(text)


def _recorded(folder: str, name: str) -> str:
    return recorded.written(recorded.find(folder, name))


def _of_version(write: Callable[..., str], ruleset: str, version: int) -> str:
    return write(next(one for one in stored.rulesets() if (one.id, one.version) == (ruleset, version)))


def _defaults(ruleset: stored.AnyRuleset) -> str:
    return stored.with_new(stored.kept_defaults(stored.name_of(ruleset)), stored.defaults(ruleset))


def _meanings(ruleset: stored.AnyRuleset) -> str:
    return stored.with_new(stored.kept_meanings(ruleset), stored.meanings(ruleset))


def _record_defaults() -> str:
    return stored.with_new(stored.kept_defaults(stored.RECORD), stored.record_defaults())


# --- renewing ---


def renew(files: Sequence[GoldenFile]) -> Iterator[str]:
    """Write what differs; say of each such file what is different."""
    with ProcessPoolExecutor(min(PROCESSES, os.cpu_count() or 1)) as pool:
        for file, made in zip(files, pool.map(_make, files), strict=True):
            was = file.stored()
            if made != was:
                file.path.parent.mkdir(parents=True, exist_ok=True)
                file.path.write_bytes(made)
                yield f"{file.name}: {difference(was, made)}"


def _make(file: GoldenFile) -> bytes:
    return file.made()


def difference(was: bytes | None, now: bytes) -> str:
    r"""Say in short how a text differs: lines added and removed, and the first place.

    >>> print(difference(b"a\nb\n", b"a\nc\nd\n"))
    +2 -1 lines
      2 - b
      2 + c
    >>> print(difference(b"a\n", b"a\n\nb\n"))
    +2 -0 lines
      3 + b
    >>> difference(None, b"a\n")
    'new, 1 line'
    """
    after = now.decode().splitlines()
    if was is None:
        return f"new, {len(after)} line{'' if len(after) == 1 else 's'}"
    before = was.decode().splitlines()
    changes = [one for one in SequenceMatcher(None, before, after).get_opcodes() if one[0] != "equal"]
    if not changes:
        return "other line ends"
    added = sum(last - first for _, _, _, first, last in changes)
    removed = sum(last - first for _, first, last, _, _ in changes)
    _, old, old_end, new, new_end = changes[0]
    gone, come = _first(before, old, old_end), _first(after, new, new_end)
    at = _apart(gone[0][1], come[0][1]) if gone and come else 0
    shown = [f"  {number} - {_cut(line, at)}" for number, line in gone]
    shown += [f"  {number} + {_cut(line, at)}" for number, line in come]
    return "\n".join((f"+{added} -{removed} lines", *shown))


def _first(lines: list[str], first: int, end: int) -> list[tuple[int, str]]:
    """Give the first of some lines with its number, one with words if there is one."""
    numbered = list(enumerate(lines[first:end], first + 1))
    return ([one for one in numbered if one[1].strip()] or numbered)[:1]


def _apart(one: str, other: str) -> int:
    """Give the place of the first letter in which two lines differ."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (left, right) in pairs if left != right), min(len(one), len(other)))


def _cut(line: str, at: int) -> str:
    """Show a part of a long line, with the place `at` in it.

    >>> _cut("short", 3)
    'short'
    """
    first = 0 if len(line) <= SHOWN or at < SHOWN // 2 else at - SHOWN // 4
    return f"{'…' * (first > 0)}{line[first : first + SHOWN]}{'…' * (first + SHOWN < len(line))}"


def main(words: Iterable[str]) -> None:
    """Renew the files whose path has one of the words; without words all."""
    wanted = list(words)
    files = [file for file in golden_files() if not wanted or any(word in file.name for word in wanted)]
    count = 0
    for said in renew(files):
        count += 1
        print(said)  # noqa: T201 - its output
    print(f"{count} of {len(files)} golden files renewed." if count else "Nothing to renew.")  # noqa: T201


if __name__ == "__main__":
    main(sys.argv[1:])
