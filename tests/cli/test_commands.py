"""The JSON that scripts rely on, completion, colours, and no traceback whatever happens."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from click.testing import CliRunner
from freezegun import freeze_time

from cli import main
from eventstore.replay.game import Game
from games.core.registry import registry_of
from tests.cli.conftest import Run
from tests.cli.terminal import session
from tests.eventstore.played import damage

ROOT = Path(__file__).resolve().parents[2]


def test_new_answers_game_and_seq(run: Run) -> None:
    wish = ("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--json", "--command-id", "abcd")
    assert json.loads(run(*wish).stdout) == {"game": "abcd", "seq": 1}
    assert json.loads(run(*wish).stdout) == {"game": "abcd", "seq": 1}
    clash = run(*wish[:-2], "--title", "Another", "--command-id", "abcd")
    assert clash.exit_code == 3


def test_show_answers_all_that_it_promises(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5; A8xB8")
    shown = json.loads(run("show", f"{duel}@1", "--json").stdout)
    assert list(shown) == [
        "game", "ruleset", "version", "step", "steps", "seq", "head", "caption", "pending", "outcome",
        "amended", "parent", "variations", "state",
    ]  # fmt: skip
    assert (shown["step"], shown["steps"], shown["seq"], shown["head"]) == (1, 2, 2, 3)
    assert shown["pending"][0].keys() == {"seat", "kinds", "must", "why"}
    assert "setup" not in shown["state"]
    assert "setup" in json.loads(run("show", duel, "--setup", "--json").stdout)["state"]


def test_outcome_names_reason_winners_and_scores(run: Run, duel: str) -> None:
    closing = '{"kind": "record.closed", "how": "conceded", "seat": "p2"}'
    done = json.loads(run("record", duel, closing, "--json").stdout)
    assert done["outcome"] == {"reason": "conceded", "winners": ["p1"], "scores": {"p1": 18, "p2": 18}}


def test_lists_answer_arrays(run: Run, duel: str) -> None:
    for command in (("list",), ("search", "ann")):
        (entry,) = json.loads(run(*command, "--json").stdout)
        assert list(entry) == [
            "game", "ruleset", "title", "seats", "played_on", "steps", "status", "result",
            "amended", "rulings", "failed_checks", "parent",
        ]  # fmt: skip
        assert entry["seats"] == [{"seat": "p1", "name": "Ann"}, {"seat": "p2", "name": "Bo"}]
    assert json.loads(run("search", "nowhere", "--json").stdout) == []
    assert json.loads(run("list", "--player", "Cleo", "--json").stdout) == []
    assert len(json.loads(run("list", "--ruleset", "monsters-forever", "--json").stdout)) == 1


def test_rulesets_answer_what_is_installed(run: Run) -> None:
    found = {item["ruleset"]: item for item in json.loads(run("rulesets", "--json").stdout)}
    assert found["monsters-forever"].keys() == {"ruleset", "version", "title", "players", "options"}
    assert found["monsters-forever"]["players"] == [2, 3, 6]
    assert found["monsters-forever"]["options"]["retreat"] == "must"


def test_cat_and_play_answer_arrays(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5")
    rows = json.loads(run("cat", duel, "--json").stdout)
    assert [row["step"] for row in rows] == [0, 1]
    assert rows[1]["event"]["kind"] == "creature_moved"
    assert [position["step"] for position in json.loads(run("play", duel, "--json").stdout)] == [0, 1]


def test_raw_lines_keep_what_was_undone(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5")
    run("undo", duel)
    kinds = [json.loads(line)["event"]["kind"] for line in run("cat", duel, "--raw").stdout.splitlines()]
    assert kinds == ["record.started", "creature_moved", "record.undone"]
    assert len(run("cat", duel).stdout.splitlines()) == 1


def test_notes_are_written_changed_and_taken_away(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5; A8xB8")
    first = json.loads(run("note", f"{duel}@1", "--text", "hm", "--glyph", "?", "--json").stdout)
    assert (first["game"], first["seq"]) == (duel, 2)
    edited = run("note", duel, "--edit", first["note"], "--text", "aha", "--tag", "opening", "--json")
    assert json.loads(edited.stdout) == first
    (found,) = json.loads(run("note", duel, "--json").stdout)
    assert (found["text"], found["glyph"], found["tags"], found["step"]) == ("aha", "?", ["opening"], 1)
    assert json.loads(run("note", f"{duel}@2", "--json").stdout) == []
    assert json.loads(run("note", duel, "--remove", first["note"], "--json").stdout) == first
    assert json.loads(run("note", duel, "--json").stdout) == []


def test_a_note_on_an_undone_event_is_not_lost(run: Run, duel: str) -> None:
    run("record", duel, "A6-A5")
    run("note", duel, "--text", "remember me")
    run("undo", duel)
    assert json.loads(run("note", duel, "--json").stdout)[0]["step"] is None
    assert "no step now" in run("note", duel).stdout


def test_hidden_games_leave_the_list_and_come_back(run: Run, duel: str) -> None:
    run("hide", duel)
    assert json.loads(run("list", "--json").stdout) == []
    assert len(json.loads(run("list", "--all", "--json").stdout)) == 1
    run("hide", duel, "--show")
    assert len(json.loads(run("list", "--json").stdout)) == 1


def test_what_is_set_can_be_emptied(run: Run, duel: str) -> None:
    run("set", duel, "--title", "Wrong", "--player", "p2=Beatrix")
    entry = json.loads(run("set", duel, "--title", "", "--json").stdout)
    assert entry["title"] is None
    assert entry["seats"][1]["name"] == "Beatrix"
    assert run("set", duel).exit_code == 2


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_script_is_given(place: Path, shell: str) -> None:
    done = CliRunner().invoke(main, [], prog_name="tabletape", env={"_TABLETAPE_COMPLETE": f"{shell}_source"})
    assert "tabletape" in done.output


@pytest.mark.parametrize(
    ("words", "current", "expected"),
    [
        (["tabletape", "show"], "du", {"duel", "duet"}),
        (["tabletape", "--db", "tabletape.db", "record"], "due", {"duel", "duet"}),
        (["tabletape", "note"], "x", set()),
        (["tabletape", "--db", "none.db", "show"], "", set()),
        (["tabletape", "new"], "monsters-f", {"monsters-forever"}),
        (["tabletape"], "exp", {"export"}),
        (["tabletape", "show", "duel"], "--se", {"--setup"}),
    ],
)
def test_completion_offers(run: Run, duel: str, words: list[str], current: str, expected: set[str]) -> None:
    run("new", "monsters-forever", "--player", "X", "--player", "Y", "--command-id", "duet")
    done = CliRunner().invoke(
        main,
        [],
        prog_name="tabletape",
        env={
            "_TABLETAPE_COMPLETE": "bash_complete",
            "COMP_WORDS": " ".join([*words, current]),
            "COMP_CWORD": str(len(words)),
        },
    )
    assert {line.split(",")[1] for line in done.output.splitlines() if line} == expected
    assert done.exit_code == 0


def test_colours_are_for_terminals_and_for_who_wants_them(
    run: Run, duel: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR")
    assert "\x1b" not in run("show", duel).stdout
    for command in (("show", duel), ("list",), ("rulesets",), ("doctor",)):
        with session(*command, cwd=place) as terminal:
            terminal.ended()
        assert "\x1b[" in terminal.raw, command
    monkeypatch.setenv("NO_COLOR", "1")
    for command in (("show", duel), ("list",), ("rulesets",), ("doctor",)):
        with session(*command, cwd=place) as terminal:
            terminal.ended()
        assert "\x1b[3" not in terminal.raw, command


def test_what_a_record_says_cannot_steer_the_terminal(run: Run, duel: str, place: Path) -> None:
    reason = "\x1b[2J\x1b]0;owned\x07 and a \u202erevo"
    run("record", duel, json.dumps({"kind": "record.closed", "how": "abandoned", "reason": "late"}))
    # Nobody can record it: a record from elsewhere, or one that was tampered with, may hold anything.
    written = json.dumps(reason)[1:-1]
    damage(place / "tabletape.db", "UPDATE events SET payload = replace(payload, 'late', ?)", written)
    for command in ("cat", "show", "play"):
        printed = run(command, duel).stdout
        assert "\\x1b[2J" in printed, command
        assert not {"\x1b", "\x07", "\u202e"} & set(printed), command
    with session("record", duel, cwd=place) as terminal:
        terminal.until("Ctrl+D")
    assert "\x1b[2J" not in terminal.raw
    assert json.loads(run("show", duel, "--json").stdout)["caption"].endswith(reason)


def test_a_game_whose_ruleset_is_missing_can_still_be_read(
    run: Run, duel: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    run("record", duel, "A6-A5")
    for module in ("eventstore.store", "games.core.registry"):
        monkeypatch.setattr(f"{module}.installed", registry_of)
    for command in ("show", "cat", "play", "export", "verify"):
        assert (command, run(command, duel).exit_code) == (command, 0)
    assert "creature_moved" in run("cat", duel).stdout
    shown = json.loads(run("show", duel, "--json").stdout)
    assert (shown["ruleset"], shown["state"], shown["pending"]) == ("monsters-forever", None, [])
    assert "not installed" in run("show", duel).stdout
    assert json.loads(run("list", "--json").stdout)[0]["status"] == "text-only"
    refused = run("record", duel, "A8xB8", "--json")
    assert refused.exit_code == 1
    assert json.loads(refused.stderr)["error"]["code"] == "text-only"
    assert "not installed" in run("record", duel, stdin="board\n").stdout


@pytest.mark.parametrize("args", [("--loud", "list"), ("list", "--loud"), ("lsit",), ("show",)], ids=" ".join)
def test_what_is_not_understood_is_json_too(run: Run, args: tuple[str, ...]) -> None:
    done = run(*args, "--json")
    assert done.exit_code == 2
    assert json.loads(done.stderr)["error"]["code"] == "usage"


def test_a_fault_of_our_own_is_one_sentence(run: Run, duel: str, monkeypatch: pytest.MonkeyPatch) -> None:
    def broken(*_args: object, **_how: object) -> None:
        raise RuntimeError("the cat walked over the table")

    monkeypatch.setattr(Game, "position", broken)
    done = run("show", duel)
    assert done.exit_code == 1
    assert "the cat walked over the table" in done.stderr
    assert "Traceback" not in done.stderr
    assert json.loads(run("show", duel, "--json").stderr)["error"]["code"] == "internal-fault"


def test_a_reader_that_goes_away_is_no_fault(run: Run, duel: str, place: Path) -> None:
    command = f"{sys.executable} -c \"from cli import main; main(prog_name='tabletape')\" export {duel}"
    done = subprocess.run(
        ["bash", "-c", f"{command} | true"],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.stderr == ""


@pytest.mark.parametrize(
    ("args", "code"),
    [
        (("list",), 1),
        (("show", "nothing"), 1),
        (("shwo",), 2),
        (("show",), 2),
        (("show", "duel@x"), 2),
        (("import", "missing.jsonl"), 2),
        (("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--data", "missing.json"), 2),
        (("--version",), 0),
        (("--help",), 0),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else None,
)
def test_the_real_command_ends_with(place: Path, args: tuple[str, ...], code: int) -> None:
    done = subprocess.run(
        [sys.executable, "-c", "from cli import main; main(prog_name='tabletape')", *args],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )
    assert done.returncode == code
    assert "Traceback" not in done.stderr
    assert bool(done.stderr) == (code != 0)
    assert bool(done.stdout) == (code == 0)


def test_cat_divides_sittings(run: Run, duel: str) -> None:
    run(
        "record",
        duel,
        "--batch",
        "-",
        stdin='{"kind": "creature_moved", "team": "A", "from": "A6", "to": "A5"}\n',
    )
    assert "sitting" not in run("cat", duel).stdout
    with freeze_time("2026-09-16T18:00:00Z"):
        run(
            "record",
            duel,
            "--batch",
            "-",
            stdin='{"kind": "record.closed", "how": "abandoned"}\n',
        )
    lines = run("cat", duel).stdout.splitlines()
    assert lines[2].strip() == "— Second sitting, 2026-09-16 —"
    assert len(lines) == 4


def test_a_changed_note_is_changed_once_under_a_command_id(run: Run, duel: str) -> None:
    note = json.loads(run("note", duel, "--text", "one", "--tag", "opening", "--json").stdout)["note"]
    edit = ("note", duel, "--edit", note, "--text", "two", "--command-id", "edit-1", "--json")
    first = run(*edit)
    assert run(*edit).stdout == first.stdout
    run("note", duel, "--edit", note, "--text", "three")
    assert (run(*edit).exit_code, run(*edit).stdout) == (0, first.stdout)
    assert json.loads(run("note", duel, "--json").stdout)[0]["text"] == "three"
    assert run(*edit[:5], "four", *edit[6:]).exit_code == 3
