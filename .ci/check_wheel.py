"""Install the built wheel in a clean environment and fetch a page and a static file from it."""

from __future__ import annotations

import email
import os
import re
import subprocess
import sys
import tempfile
import threading
import tomllib
import venv
import zipfile
from pathlib import Path
from typing import TYPE_CHECKING
from urllib.parse import urljoin
from urllib.request import ProxyHandler, build_opener

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("games", "eventstore", "replay_web", "cli")
PATIENCE = 120.0
ADDRESS = re.compile(r"http://127\.0\.0\.1:\d+/?")
STATIC = re.compile(r"""(?:href|src)=["']([^"']*/static/[^"']+)["']""")
# Straight to this machine, whatever proxy the environment names.
OPENER = build_opener(ProxyHandler({}))


def tracked() -> set[str]:
    """Give the files of the four packages as git knows them."""
    # The clone may belong to another user than the one who runs the gate.
    git = ["git", "-c", "safe.directory=*", "-C", str(ROOT)]
    listed = subprocess.run(
        [*git, "ls-files", "-z", "--", *PACKAGES],
        check=True,
        capture_output=True,
        text=True,
    )
    return {name for name in listed.stdout.split("\0") if name}


def left_out(wheel: Path) -> list[str]:
    """Name the tracked files that the wheel lacks: hatchling leaves out what git ignores."""
    with zipfile.ZipFile(wheel) as archive:
        return sorted(tracked() - set(archive.namelist()))


def wrong_metadata(wheel: Path) -> list[str]:
    """Say where what the wheel tells of itself is not what the project says."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    with zipfile.ZipFile(wheel) as archive:
        inside = archive.namelist()
        (name,) = (name for name in inside if name.endswith(".dist-info/METADATA"))
        told = email.message_from_bytes(archive.read(name))
    wanted = {
        "Name": [project["name"]],
        "Version": [project["version"]],
        "Summary": [project["description"]],
        "Author": [author["name"] for author in project["authors"]],
        "Keywords": [",".join(sorted(project["keywords"]))],
        "Requires-Python": [project["requires-python"]],
        "Classifier": project["classifiers"],
    }
    found = {field: told.get_all(field, []) for field in wanted}
    found["Keywords"] = [",".join(sorted(words.split(","))) for words in found["Keywords"]]
    wrong = [f"{field} {found[field]}" for field in wanted if sorted(found[field]) != sorted(wanted[field])]
    top = {name.partition("/")[0] for name in inside if ".dist-info/" not in name}
    return wrong + ([f"top-level names {sorted(top)}"] if top != set(PACKAGES) else [])


def install(wheel: Path, place: Path) -> Path:
    """Make an environment of its own with the wheel in it; give its folder of commands."""
    venv.create(place, with_pip=True, clear=True)
    pip = [str(place / "bin" / "python"), "-m", "pip", "--disable-pip-version-check", "--no-input"]
    subprocess.run([*pip, "install", "--quiet", str(wheel)], check=True)
    return place / "bin"


def fetch(address: str) -> str:
    """Give the body at the address; an error status raises."""
    with OPENER.open(address, timeout=PATIENCE) as answer:
        body: bytes = answer.read()
    return body.decode("utf-8", errors="replace")


def address_in(lines: Iterator[str]) -> str:
    """Read on until the server has printed its address."""
    heard = []
    for line in lines:
        heard.append(line)
        if found := ADDRESS.search(line):
            return found.group()
    raise SystemExit("tabletape demo printed no address:\n" + "".join(heard))


def look(address: str) -> None:
    """Fetch the first page and the first static file that it names."""
    page = fetch(address)
    if "<html" not in page:
        raise SystemExit(f"{address} is no page: {page[:200]!r}")
    named = STATIC.search(page)
    if named is None:
        raise SystemExit(f"{address} names no static file")
    static = urljoin(address, named.group(1))
    size = len(fetch(static))
    if not size:
        raise SystemExit(f"{static} is empty")
    print(f"{address} {len(page)} characters, {static} {size} characters")


def serve_and_look(commands: Path, home: Path) -> None:
    """Start the demo far from the sources, look at it, and end it."""
    kept = {"PATH": os.environ["PATH"], "HOME": str(home), "PYTHONUNBUFFERED": "1"}
    server = subprocess.Popen(
        [str(commands / "tabletape"), "demo"],
        cwd=home,
        env=kept,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    alarm = threading.Timer(PATIENCE, server.kill)
    alarm.start()
    try:
        look(address_in(iter(server.stdout or ())))
    finally:
        alarm.cancel()
        server.terminate()
        server.communicate()


def main(folder: str) -> None:
    """Check the one wheel in the folder."""
    (wheel,) = Path(folder).resolve().glob("tabletape-*.whl")
    if missing := left_out(wheel):
        raise SystemExit("The wheel lacks: " + ", ".join(missing))
    if wrong := wrong_metadata(wheel):
        raise SystemExit("The wheel says of itself: " + "; ".join(wrong))
    with tempfile.TemporaryDirectory() as place:
        home = Path(place, "home")
        home.mkdir()
        serve_and_look(install(wheel, Path(place, "venv")), home)


if __name__ == "__main__":
    main(sys.argv[1])
