"""Keys on the command line: told once, listed without what opens them, revoked by name."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from eventstore.store import Store
from tests.cli.conftest import Run


def test_a_key_is_told_once_opens_and_is_taken_back(run: Run, place: Path) -> None:
    made = json.loads(run("key", "add", "--seat", "p1", "--json").stdout)
    assert (made["name"], made["seat"]) == ("p1", "p1")
    said = run("key", "add", "tablet").stdout
    typed = said.split()[0]
    assert "tablet: shows everything" in said
    with Store.open(place / "tabletape.db") as store:
        assert store.access.begin(made["key"]) is not None
        assert store.access.begin(typed) is not None
    listed = run("key", "list").stdout
    assert listed == (
        "p1  shows what p1 sees, since 2026-09-14\ntablet  shows everything, since 2026-09-14\n2 keys\n"
    )
    told = json.loads(run("key", "list", "--json").stdout)
    assert [item["name"] for item in told] == ["p1", "tablet"]
    assert all(set(item) == {"name", "seat", "added_at"} for item in told)
    assert "opens nothing any more" in run("key", "revoke", "tablet").stdout
    with Store.open(place / "tabletape.db") as store:
        assert store.access.begin(typed) is None
        assert store.access.begin(made["key"]) is not None
    assert run("key", "list").stdout.splitlines()[1:] == ["1 key"]


@pytest.mark.parametrize(
    ("args", "exit_code", "said"),
    [
        (("add", "Ann B"), 1, "cannot be kept"),
        (("add", "--seat", "north"), 1, "no seat like p1"),
        (("add", "p1"), 1, "means something else"),
        (("add", "twice"), 1, "There is a key twice already"),
        (("revoke", "nobody"), 1, "There is no key 'nobody' in use"),
        (("revoke",), 2, "Say which key"),
        (("list", "tablet"), 2, "takes no name"),
        (("list", "--seat", "p1"), 2, "belongs to a new key"),
        (("list", "--url", "http://a/"), 2, "belongs to a new key"),
        (("add", "--url", "moon"), 2, "no address like"),
        (("forge",), 2, "forge"),
    ],
)
def test_what_cannot_be_is_one_sentence(run: Run, args: tuple[str, ...], exit_code: int, said: str) -> None:
    run("key", "add", "twice")
    refused = run("key", *args)
    assert refused.exit_code == exit_code
    assert said in refused.stderr
    assert refused.stdout == ""
    assert run("key", "list").stdout.endswith("1 key\n")


def test_where_a_key_is_typed_is_said(run: Run) -> None:
    assert "serve --lan" in run("key", "add", "--seat", "p1").stdout
    made = json.loads(run("key", "add", "--seat", "p1", "--url", "http://192.0.2.7:8765", "--json").stdout)
    assert made["url"] == f"http://192.0.2.7:8765/sign-in#key={made['key']}"


def test_a_seat_reads_what_its_keys_wrote(run: Run) -> None:
    run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--id", "maker")
    run("key", "add", "tablet", "--seat", "p1")
    run("note", "maker", "--text", "on my tablet", "--by", "tablet")
    for command in ("show", "cat"):
        assert "on my tablet" in run(command, "maker", "--as", "p1").stdout
        assert "on my tablet" not in run(command, "maker", "--as", "p2").stdout
    run("key", "revoke", "tablet")
    taken = run("key", "add", "tablet", "--seat", "p2")
    assert (taken.exit_code, taken.stdout) == (1, "")
    assert "give the new one another name" in taken.stderr
    assert "on my tablet" in run("show", "maker", "--as", "p1").stdout


def test_no_database_no_keys(run: Run, place: Path) -> None:
    assert run("key", "list").exit_code == 1
    assert run("key", "revoke", "p1").exit_code == 1
    assert not (place / "tabletape.db").exists()
    run("key", "add")
    run("key", "revoke", "table-key")
    assert "make one" in run("key", "list").stdout
