"""A file or module that a text of ours names is there."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path, PurePosixPath

ROOT = Path(__file__).resolve().parent.parent
PATH = re.compile(r"`([\w.-]+(?:/[\w.-]+)*\.(?:py|html|md|js|css|toml))`")
MODULE = re.compile(r"`((?:eventstore|games|replay_web|cli)(?:\.[a-z_0-9]+)+)(?:\.[A-Z]\w*)?`")
# The changelog says what was; the how-to pages name the files that their reader makes.
NOT_READ = re.compile(r"CHANGELOG\.md|docs/how-to/.+|tests/data/.+|tests/test_named_paths\.py")
MADE = {
    "cli/README.md": {"name.py", "name_.py"},
    "replay_web/README.md": {"/scene.css"},
}
"""Files that a reader makes, and addresses."""


def tracked() -> list[str]:
    listed = subprocess.run(["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, check=True, text=True)
    return [path for path in listed.stdout.split("\0") if path and (ROOT / path).is_file()]


def missing(path: str, text: str, files: list[str]) -> list[str]:
    """Give what a text names and nobody finds: beside it, from the root, or by the end of a path."""
    ends = {"/".join(parts[at:]) for parts in (one.split("/") for one in files) for at in range(len(parts))}
    found = []
    for number, line in enumerate(text.splitlines(), 1):
        named = {one for one in PATH.findall(line) if one not in MADE.get(path, ())}
        found += [f"{path}:{number}: {one}" for one in sorted(named) if one.removeprefix("./") not in ends]
        for module in MODULE.findall(line):
            parts = module.split(".")
            # The last part may be a function or a value of the module.
            places = ["/".join(parts), "/".join(parts[:-1])] if len(parts) > 2 else ["/".join(parts)]
            if not any(f"{one}.py" in files or f"{one}/__init__.py" in files for one in places):
                found.append(f"{path}:{number}: {module}")
    return found


def test_named_files_and_modules_are_there() -> None:
    files = tracked()
    read = [path for path in files if PurePosixPath(path).suffix in {".md", ".py", ".html", ".js", ".css"}]
    texts = {path: (ROOT / path).read_text(encoding="utf-8") for path in read if not NOT_READ.fullmatch(path)}
    assert not [one for path, text in texts.items() for one in missing(path, text, files)]
    assert len(texts) > 300


def test_file_that_is_gone_is_reported() -> None:
    files = ["eventstore/store.py", "eventstore/__init__.py", "eventstore/README.md"]
    text = "See `store.py`, `eventstore/store.py`, `eventstore.store.Store` and `eventstore.store`.\n"
    assert not missing("eventstore/README.md", text, files)
    gone = "See `recorder.py` and `eventstore.recorder.replayed`.\n"
    assert missing("eventstore/README.md", gone, files) == [
        "eventstore/README.md:1: recorder.py",
        "eventstore/README.md:1: eventstore.recorder.replayed",
    ]
