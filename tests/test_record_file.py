"""What `docs/` says of record files holds for the samples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest

from eventstore.formats.csv import COLUMNS
from eventstore.formats.record_file import _Header, _NoteIn

ROOT = Path(__file__).parents[1]
PAGE = (ROOT / "docs" / "record-file.md").read_text(encoding="utf-8")
SAMPLES = sorted((ROOT / "cli" / "samples").glob("*.tape.jsonl"))


def program() -> str:
    (found,) = re.findall(r"```python\n(.*?)```", PAGE, flags=re.DOTALL)
    return str(found)


def checked(file: Path) -> tuple[int, str]:
    done = subprocess.run(
        [sys.executable, "-c", program(), str(file)], capture_output=True, text=True, timeout=60, check=False
    )
    assert not done.stderr
    return done.returncode, done.stdout.strip()


def test_the_program_is_short_and_needs_nothing_installed() -> None:
    assert len(program().splitlines()) <= 15
    assert re.findall(r"^import (.*)$", program(), flags=re.MULTILINE) == ["hashlib, json, sys"]


@pytest.mark.parametrize("sample", SAMPLES, ids=lambda sample: sample.name)
def test_the_program_finds_a_sample_whole(sample: Path) -> None:
    assert checked(sample) == (0, "intact")


@pytest.mark.parametrize(
    "tamper",
    [
        lambda lines: [*lines[:3], lines[3].replace(b"A", b"B", 1), *lines[4:]],
        lambda lines: lines[:3] + lines[4:],
        lambda lines: [*lines[:2], lines[3], lines[2], *lines[4:]],
        lambda lines: [lines[0].replace(b'"head":"', b'"head":"0'), *lines[1:]],
        lambda lines: [line for line in lines if not line.startswith(b'{"seq":178,')],
    ],
    ids=["changed", "left-out", "swapped", "head", "tail"],
)
def test_the_program_finds_a_tampered_sample(tmp_path: Path, tamper: object) -> None:
    lines = (ROOT / "cli/samples/friday-duel.tape.jsonl").read_bytes().splitlines(keepends=True)
    assert callable(tamper)
    file = tmp_path / "tampered.tape.jsonl"
    file.write_bytes(b"".join(tamper(lines)))
    assert file.read_bytes() != b"".join(lines)
    assert checked(file) == (1, "the lines do not give the head")


def test_every_key_and_column_is_described() -> None:
    header, _, rest = PAGE.partition("## Event lines")
    notes = rest.partition("## Note lines")[2].partition("## The chain")[0]
    table = rest.partition("## CSV")[2]
    named = [(header, field.encode_name) for field in msgspec.structs.fields(_Header)]
    named += [(table, column) for column in COLUMNS]
    assert [name for text, name in named if f"`{name}`" not in text] == []
    assert [field.name for field in msgspec.structs.fields(_NoteIn) if f'"{field.name}"' not in notes] == []


@pytest.mark.parametrize("page", sorted((ROOT / "docs").glob("*.md")), ids=lambda page: page.name)
def test_links_between_pages_lead_somewhere(page: Path) -> None:
    links = re.findall(r"\]\(([^)#]+)\)", page.read_text(encoding="utf-8"))
    assert [link for link in links if "://" not in link and not (page.parent / link).exists()] == []
