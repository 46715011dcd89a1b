"""One table of keys: module, help page and README say the same."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path

import msgspec
from flask.testing import FlaskClient

import replay_web
from eventstore.formats.registry import installed
from replay_web.replay.shortcut_keys import KEYS, ShortcutKey

FOLDER = Path(replay_web.__file__).parent
MODULE = (FOLDER / "replay" / "static" / "viewer.js").read_text(encoding="utf-8")
README = (FOLDER / "README.md").read_text(encoding="utf-8")


def table(heading: str) -> list[tuple[str, ...]]:
    part = README.split(f"## {heading}\n")[1].split("\n## ")[0]
    rows = [line.strip("|").split("|") for line in part.splitlines() if line.startswith("|")]
    return [tuple(cell.strip() for cell in row) for row in rows[2:]]


def test_no_two_actions_on_one_key() -> None:
    pressed = [(name, key.shift) for key in KEYS for name in (key.key, *key.also)]
    assert len(set(pressed)) == len(pressed)


def test_every_action_is_one_of_the_module_and_each_of_its_actions_has_a_key() -> None:
    actions = MODULE.split("const ACTIONS = {")[1].split("\n};")[0]
    named = set(re.findall(r'^  "?([a-z-]+)"?[:,]', actions, re.MULTILINE))
    assert named == {key.action for key in KEYS}


def test_readme_lists_the_keys_as_they_are() -> None:
    assert table("Keys") == [(key.cap, key.says) for key in KEYS]


def test_help_page_and_page_of_a_step_list_the_keys(client: FlaskClient) -> None:
    for address in ("/help", "/games/star/steps/3"):
        page = client.get(address).text
        assert re.findall(r"<kbd>(.+?)</kbd></td><td>(.+?)</td>", page) == [
            (key.cap, key.says) for key in KEYS
        ]


def test_module_gets_the_table_from_the_page(client: FlaskClient) -> None:
    page = client.get("/games/star/steps/3").text
    found = re.search(r'data-keys="([^"]+)"', page)
    assert found is not None
    assert msgspec.json.decode(unescape(found[1]), type=tuple[ShortcutKey, ...]) == KEYS


def test_keys_that_print_a_character_can_be_switched_off() -> None:
    assert {key.key for key in KEYS if len(key.key) == 1} == {key.key for key in KEYS if key.single}


def test_dialog_names_the_keys_that_its_switch_turns_off(client: FlaskClient) -> None:
    page = client.get("/games/star/steps/3").text
    found = re.search(r"Keys that print a character \((.+?)\)", page)
    assert found is not None
    assert unescape(found[1]) == " ".join(key.cap for key in KEYS if key.single)


def test_no_template_repeats_a_bound_of_the_code() -> None:
    templates = list(FOLDER.rglob("templates/*"))
    assert len(templates) > 20
    for template in templates:
        text = template.read_text(encoding="utf-8")
        assert re.findall(r"(?:length|index) *[>=-]+ *\d\d", text) == [], template.name


def test_readme_lists_every_address_and_no_other(client: FlaskClient) -> None:
    downloads = {f"/games/<game>.{one.suffix}" for one in installed().values()}
    rules = {re.sub(r"<int:", "<", rule.rule) for rule in client.application.url_map.iter_rules()}
    documented = {row[0].strip("`"): row[1] for row in table("Addresses")}
    assert rules >= downloads
    assert documented.keys() == (rules - downloads) | {"/games/<game>.<suffix>"}
    ours = ("tape", "csv")
    said = documented["/games/<game>.<suffix>"]
    assert all(f"`.{installed()[name].suffix}`" in said for name in ours)


def test_readme_says_what_every_module_does() -> None:
    modules = {path.name for path in FOLDER.rglob("static/*.js")}
    said = README.split("## Addresses")[0]
    assert {name for name in modules if f"`{name}`" not in said and f"/{name}`" not in said} == set()
