"""What `docs/card-files.md` says of card files is what the rulesets take."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from importlib import import_module
from pathlib import Path as File
from typing import Any

import msgspec
import pytest

from games.core.registry import installed
from games.core.ruleset import BadData, Ruleset
from games.core.start import data_file, started

ROOT = File(__file__).resolve().parents[2]
PAGE = (ROOT / "docs" / "card-files.md").read_text(encoding="utf-8")
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
    with pytest.raises(BadData) as found:
        started(installed().find("monsters-of-war"), 2, data=json.dumps(cards).encode())
    said = BadData(found.value.row, found.value.sentence, "cards.json")
    assert f"    {said}\n" in PAGE


Path = tuple[str | int, ...]
NO_NUMBERS = (10**14, 10**20, -(10**20))
NOWHERE: tuple[Any, ...] = ("x", [], {}, None, -1, 1.5)
NO_TEXTS = ("{p1} red", "a\x1b[31mb", "\u202e", "a\nb", " a", "", "x" * 5000)


def leaves(plain: Any, path: Path = ()) -> Iterator[tuple[Path, Any]]:
    """What a file holds; of a list the first two, the seventh and the last."""
    if isinstance(plain, dict):
        for key, inner in plain.items():
            yield from leaves(inner, (*path, key))
    elif isinstance(plain, list):
        for step in sorted({0, 1, 6, len(plain) - 1} & set(range(len(plain)))):
            yield from leaves(plain[step], (*path, step))
    else:
        yield path, plain


def written(plain: Any, path: Path, value: Any) -> bytes:
    again = deepcopy(plain)
    inner = again
    for step in path[:-1]:
        inner = inner[step]
    inner[path[-1]] = value
    return json.dumps(again).encode()


@pytest.mark.parametrize("recorded", [False, True], ids=["file", "record"])
@pytest.mark.parametrize("name", installed().newest())
def test_no_number_or_text_is_beyond_what_can_be_kept_and_shown(name: str, recorded: bool) -> None:  # noqa: FBT001
    ruleset = installed().find(name)
    if recorded:
        plain = json.loads(msgspec.json.encode(started(ruleset, ruleset.seats[0]).data))
    else:
        page = re.search(rf"## {ruleset.title}:.*?\]\(\.\./([^)]*)\)", PAGE, flags=re.DOTALL)
        assert page is not None
        plain = json.loads((ROOT / page[1]).read_text(encoding="utf-8"))
    for path, leaf in leaves(plain):
        wrong: tuple[Any, ...] = NO_TEXTS if isinstance(leaf, str) else ()
        if isinstance(leaf, int) and not isinstance(leaf, bool):
            wrong = NO_NUMBERS
        for value in wrong:
            assert refused(ruleset, written(plain, path, value)), f"{path} takes {value!r:.40}"


def places(plain: Any, path: Path = ()) -> Iterator[Path]:
    """Every place of a file, whole parts too."""
    if path:
        yield path
    inside = plain.items() if isinstance(plain, dict) else enumerate(plain) if isinstance(plain, list) else ()
    for key, inner in inside:
        yield from places(inner, (*path, key))


@pytest.mark.parametrize("name", installed().newest())
def test_whatever_stands_at_any_place_is_taken_or_refused_by_its_place(name: str) -> None:
    ruleset = installed().find(name)
    plain = json.loads(data_file(ruleset))
    for path in list(places(plain)):
        inner = plain
        for step in path[:-1]:
            inner = inner[step]
        was = inner[path[-1]]
        for value in NOWHERE:
            inner[path[-1]] = value
            error = refusal(ruleset, json.dumps(plain).encode())
            assert error is None or error.row or str(path[0]) in error.sentence, (path, value, error)
        inner[path[-1]] = was


def test_a_card_of_a_deck_is_named_by_its_deck_and_number() -> None:
    ruleset = installed().find("legend-of-monopoly")
    for wrong, says in (
        ({"value": "x"}, "[9].value takes a whole number"),
        ([], "[9] takes an object, not []"),
    ):
        for deck in ("additive", "subtractive"):
            plain = json.loads(data_file(ruleset))
            cards = plain["magic"][deck]
            cards[9] = {**cards[9], **wrong} if isinstance(wrong, dict) else wrong
            with pytest.raises(BadData) as found:
                started(ruleset, 2, data=json.dumps(plain).encode())
            assert f"magic: {deck}{says}" in str(found.value)


def refused(ruleset: Ruleset[Any], file: bytes) -> bool:
    return refusal(ruleset, file) is not None


def refusal(ruleset: Ruleset[Any], file: bytes) -> BadData | None:
    try:
        started(ruleset, ruleset.seats[0], data=file)
    except BadData as error:
        return error
    return None


@pytest.mark.parametrize(
    ("ruleset", "at"),
    [
        ("monster-maker", ("pieces", 0)),
        ("monster-maker", ("trades", 0)),
        ("monsters-of-war", ("gambits", 0)),
        ("legend-of-monopoly", ("spaces", 1)),
        ("legend-of-monopoly", ("magic", "additive", 0)),
        ("monstropoly-battle", ("cards", 0)),
    ],
)
def test_every_field_of_an_entry_is_described(ruleset: str, at: tuple[str | int, ...]) -> None:
    title = installed().find(ruleset).title
    section = PAGE.partition(f"## {title}:")[2].partition("\n## ")[0]
    fields = set(entry(ruleset, *at)) - {"wild"}
    assert {field for field in fields if f"`{field}`" not in section and f'"{field}"' not in section} == set()


@pytest.mark.parametrize(
    "name", ["monster-maker", "monsters-of-war", "legend-of-monopoly", "monstropoly-battle"]
)
def test_words_that_cannot_be_ids_are_named(name: str) -> None:
    ruleset = installed().find(name)
    package = f"games.rulesets.{name.replace('-', '_')}"
    reserved = import_module(f"{package}.data")._RESERVED
    section = PAGE.partition(f"## {ruleset.title}:")[2].partition("\n## ")[0]
    said = re.search(r"(?:No id|`id` \| none of)[^`]*((?:`[a-z0-9]+`(?:, )?)+)", section)
    assert said is not None
    assert set(re.findall(r"`([a-z0-9]+)`", said[1])) == reserved


@pytest.mark.parametrize("name", ["monster-maker", "monstropoly-battle"])
def test_words_that_moves_begin_with_cannot_be_ids(name: str) -> None:
    package = f"games.rulesets.{name.replace('-', '_')}"
    words = import_module(f"{package}.notation")._READERS
    reserved = import_module(f"{package}.data")._RESERVED
    assert {word for word in words if word.isalpha()} <= reserved
