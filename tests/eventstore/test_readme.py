"""The example in the store's README runs."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

README = Path(__file__).resolve().parents[2] / "eventstore" / "README.md"


def test_the_example_runs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (example,) = re.findall(r"```python\n(.*?)```", README.read_text(encoding="utf-8"), re.DOTALL)
    exec(compile(example, str(README), "exec"), {})  # noqa: S102 - our own README
    assert "A7" in capsys.readouterr().out


def test_every_module_stands_in_a_table() -> None:
    text = README.read_text(encoding="utf-8")
    folder = README.parent
    modules = {str(path.relative_to(folder)) for path in folder.rglob("*.py") if path.name != "__init__.py"}
    modules -= {"sqlite/schema/migrations.py"}
    assert {name for name in modules if f"`{name}`" not in text} == set()
