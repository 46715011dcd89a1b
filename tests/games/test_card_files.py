"""What `docs/card-files.md` says of card files is what the rulesets take."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from games.registry import installed
from games.ruleset import BadData
from games.start import data_file, started

PAGE = (Path(__file__).resolve().parents[2] / "docs" / "card-files.md").read_text(encoding="utf-8")
WHOLE = re.findall(r"```json (\S+)\n(.*?)```", PAGE, flags=re.DOTALL)


def entry(ruleset: str, *at: str | int) -> Any:
    found = json.loads(data_file(installed().find(ruleset)))
    for key in at:
        found = found[key]
    return found


def test_every_title_has_its_section() -> None:
    titles = [ruleset.title for ruleset in installed().newest().values()]
    assert sorted(re.findall(r"^## (.*?):", PAGE, flags=re.MULTILINE)) == sorted(titles)


@pytest.mark.parametrize(("name", "file"), WHOLE, ids=[name for name, _ in WHOLE])
def test_whole_files_of_the_page_are_played_with(name: str, file: str) -> None:
    ruleset = installed().find(name)
    own = started(ruleset, ruleset.seats[0], data=file.encode())
    assert own.data.source == json.loads(file)["source"]


def test_the_refusal_of_the_page_is_what_is_said() -> None:
    cards = json.loads(data_file(installed().find("monsters-of-war")))
    cards["monsters"][3]["attack"] = "x"
    with pytest.raises(BadData) as refused:
        started(installed().find("monsters-of-war"), 2, data=json.dumps(cards).encode())
    said = BadData(refused.value.row, refused.value.sentence, "cards.json")
    assert f"    {said}\n" in PAGE


@pytest.mark.parametrize(
    ("ruleset", "at"),
    [
        ("monster-maker", ("pieces", 0)),
        ("monster-maker", ("trades", 0)),
        ("monsters-of-war", ("gambits", 0)),
        ("legend-of-monopoly", ("spaces", 1)),
        ("monstropoly-battle", ("cards", 0)),
    ],
)
def test_every_field_of_an_entry_is_described(ruleset: str, at: tuple[str | int, ...]) -> None:
    title = installed().find(ruleset).title
    section = PAGE.partition(f"## {title}:")[2].partition("\n## ")[0]
    fields = set(entry(ruleset, *at)) - {"wild"}
    assert {field for field in fields if f"`{field}`" not in section and f'"{field}"' not in section} == set()
