"""JSON that a person or a program sends has each key once, wherever it is read; blanks do no harm."""

from __future__ import annotations

import gzip
import json
from pathlib import Path

import pytest
from freezegun import freeze_time

from games.core.registry import installed
from tests.cli.conftest import Run

MOVE = '{"kind": "creature_moved", "team": "A", "from": "A6", "to": "A5"}'
TWICE = '{"kind":"creature_moved","team":"A","from":"A6","to":"A5","from":"A7"}'
TEAMS = '{"A": "p1", "B": "p2", "C": "p1", "D": "p2", "E": "p1", "F": "p2"'


def unchanged(run: Run, duel: str) -> bool:
    return len(run("export", duel).stdout.splitlines()) == 2


def test_a_batch_line_with_a_doubled_key_is_refused_by_line_and_reason(run: Run, duel: str) -> None:
    done = run("record", duel, "--batch", "-", stdin=f"{MOVE}\n\n{TWICE}\n")
    assert done.exit_code == 1
    assert done.stderr == (
        'Error: Line 3: This is no event object (the key "from" appears twice); nothing was recorded.\n'
    )
    told = json.loads(run("record", duel, "--batch", "-", "--json", stdin=TWICE).stderr)["error"]
    assert (told["code"], told["line"]) == ("malformed-line", 1)
    assert unchanged(run, duel)


def test_a_batch_line_may_have_blanks_and_escapes(run: Run, duel: str) -> None:
    spaced = MOVE.replace("team", "t\\u0065am").replace(",", " ,\t")
    assert run("record", duel, "--batch", "-", stdin=f"\ufeff{spaced}\r\n".encode()).exit_code == 0
    assert '"event":{"kind":"creature_moved","team":"A","from":"A6","to":"A5"}}' in run("export", duel).stdout


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "utf-32"])
def test_a_batch_in_another_encoding_is_named(run: Run, duel: str, encoding: str) -> None:
    done = run("record", duel, "--batch", "-", stdin=f"{MOVE}\n".encode(encoding))
    assert f"it is written in {encoding[:6].upper()}; save it as UTF-8" in done.stderr
    assert unchanged(run, duel)


def test_a_typed_object_with_a_doubled_key_is_refused(run: Run, duel: str) -> None:
    for done in (run("record", duel, TWICE), run("record", duel, stdin=f"{TWICE}\n")):
        assert done.exit_code == 1
        assert 'the key "from" appears twice' in done.stderr
    assert unchanged(run, duel)


def test_an_option_with_a_doubled_key_is_refused(run: Run, place: Path) -> None:
    wish = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--option")
    done = run(*wish, f'teams={TEAMS}, "A": "p2"}}')
    assert (done.exit_code, done.stdout) == (2, "")
    assert 'cannot be read: the key "A" appears twice.' in done.stderr
    assert not (place / "tabletape.db").exists()
    assert run(*wish, f"teams={TEAMS}}}").exit_code == 0


def test_edits_with_a_doubled_key_are_refused(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5")
    edits = '{"edits": [{"seq": 2, "remove": true, "seq": 1}]}'
    done = run("amend", duel, "--edits", "-", stdin=edits)
    assert (done.exit_code, 'the key "seq" appears twice' in done.stderr) == (1, True)
    assert len(run("export", duel).stdout.splitlines()) == 3


@pytest.mark.parametrize("ruleset", sorted(installed().newest()))
def test_a_card_file_with_a_doubled_key_is_refused(run: Run, place: Path, ruleset: str) -> None:
    cards = run("rulesets", ruleset, "--data").stdout
    end = cards.rindex("}")
    (place / "good.json").write_text(f"{cards[:end]} }}", encoding="utf-8")
    (place / "bad.json").write_text(f'{cards[:end]}, "source": "mine"}}', encoding="utf-8")
    (place / "wide.json").write_text(cards, encoding="utf-16")
    wish = ("new", ruleset, "--player", "Ann", "--player", "Bo")
    done = run(*wish, "--data", "bad.json")
    assert done.exit_code == 1
    says = 'Error: bad.json: In one object of the file the key "source" appears twice: keep one of them. '
    assert done.stderr.startswith(says)
    wide = run(*wish, "--data", "wide.json").stderr
    assert wide.startswith("Error: wide.json: The file is written in UTF-16; save it as UTF-8. ")
    assert not (place / "tabletape.db").exists()
    assert run(*wish, "--data", "good.json").exit_code == 0


def test_an_import_says_what_is_wrong_in_which_line(run: Run, duel: str, place: Path) -> None:
    run("record", duel, "A6-A5")
    lines = run("export", duel).stdout.splitlines(keepends=True)
    lines[2] = lines[2].replace('"team"', '"team":"B","team"')
    (place / "twice.tape.jsonl").write_text("".join(lines), encoding="utf-8")
    done = run("--db", "other.db", "import", "twice.tape.jsonl")
    assert done.exit_code == 1
    assert done.stderr == (
        'Error: twice.tape.jsonl, line 3: the key "team" appears twice in the event; nothing was imported.\n'
    )
    assert not (place / "other.db").exists()


def test_a_packed_file_comes_in_and_a_line_ahead_of_the_clock_is_told(
    run: Run, duel: str, place: Path
) -> None:
    tape = run("export", duel).stdout_bytes
    (place / "duel.tape.jsonl.gz").write_bytes(gzip.compress(tape))
    assert json.loads(run("--db", "other.db", "import", "duel.tape.jsonl.gz", "--json").stdout) == [
        {"game": "duel", "events": 1, "notes": 0, "new": True}
    ]
    with freeze_time("2026-09-13T11:00:00Z"):
        done = run("--db", "third.db", "import", "duel.tape.jsonl.gz")
        told = run("--db", "third.db", "import", "duel.tape.jsonl.gz", "--json")
    assert (done.exit_code, done.stdout) == (0, "duel\n")
    assert (
        "Warning: duel.tape.jsonl.gz, line 2 is dated more than a day ahead of this machine's" in done.stderr
    )
    assert (told.exit_code, json.loads(told.stdout)[0]["ahead"]) == (0, 2)
