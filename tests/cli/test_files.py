"""Games to files and back: nothing is lost, nothing half written, and a bad file is named with its line."""

from __future__ import annotations

import csv
import io
import json
import sqlite3
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.samples.remake import HERE, SAMPLES
from eventstore.errors import REPAIR
from tests.cli.conftest import Run
from tests.eventstore.played import damage

TAPES = sorted(HERE.glob("*.tape.jsonl"))
TITLES = {"monsters-of-war", "monsters-forever", "monstropoly-battle", "legend-of-monopoly", "monster-maker"}


@pytest.mark.parametrize("tape", TAPES, ids=lambda tape: tape.name.partition(".")[0])
def test_a_sample_comes_back_to_the_byte(run: Run, tape: Path) -> None:
    game = tape.name.removesuffix(".tape.jsonl")
    assert run("import", tape).stdout == f"{game}\n"
    assert run("export", game).stdout_bytes == tape.read_bytes()
    assert run("verify").exit_code == 0


def test_samples_are_those_that_the_program_makes() -> None:
    assert {tape.name for tape in TAPES} == {f"{sample.game}.tape.jsonl" for sample in SAMPLES}


def test_samples_are_of_all_sorts(run: Run) -> None:
    run("import", *TAPES)
    games = json.loads(run("list", "--json").stdout)
    assert {game["status"] for game in games} >= {"playing", "over", "closed"}
    assert {len(game["seats"]) for game in games} >= {2, 3, 4, 6}
    assert {game["ruleset"] for game in games} == TITLES
    assert json.loads(run("list", "--origin", "dealt", "--json").stdout)
    assert any(game["amended"] for game in games)
    assert any(game["rulings"] for game in games)
    for game in games:
        assert json.loads(run("note", game["game"], "--json").stdout), game["game"]


def test_samples_show_what_can_be_done_to_a_record() -> None:
    rows = [json.loads(line) for tape in TAPES for line in tape.read_text(encoding="utf-8").splitlines()]
    kinds = {row["event"]["kind"] for row in rows if "event" in row}
    assert {row["seen_as"] for row in rows if "seen_as" in row} == {"everything", "table"}
    assert kinds >= {"record.undone", "record.redone", "record.amended", "record.ruled", "record.closed"}


def test_a_second_import_adds_nothing(run: Run) -> None:
    assert {item["new"] for item in json.loads(run("import", *TAPES, "--json").stdout)} == {True}
    again = json.loads(run("import", *TAPES, "--json").stdout)
    assert {(item["events"], item["notes"], item["new"]) for item in again} == {(0, 0, False)}


def test_a_longer_tape_brings_its_tail(run: Run, duel: str) -> None:
    short = run("export", duel).stdout_bytes
    run("record", duel, "A6-A5")
    longer = run("export", duel).stdout_bytes
    run("--db", "other.db", "import", "-", stdin=short)
    (item,) = json.loads(run("--db", "other.db", "import", "-", "--json", stdin=longer).stdout)
    assert (item["events"], item["new"]) == (1, False)
    stale = run("--db", "other.db", "import", "-", "--after", "1", "--json", stdin=longer)
    assert stale.exit_code == 3
    assert json.loads(stale.stderr)["error"]["head"] == 2


def test_another_game_under_the_same_id_is_refused_or_copied(run: Run, duel: str) -> None:
    tape = run("export", duel).stdout_bytes
    run("--db", "other.db", "new", "monsters-of-war", "--player", "X", "--player", "Y", "--command-id", duel)
    refused = run("--db", "other.db", "import", "-", stdin=tape)
    assert refused.exit_code != 0
    (item,) = json.loads(run("--db", "other.db", "import", "-", "--copy", "--json", stdin=tape).stdout)
    assert item["new"]
    assert item["game"] != duel


def cut_line(tape: bytes) -> bytes:
    lines = tape.split(b"\n")
    return b"\n".join((*lines[:3], lines[3][:-5], *lines[4:]))


@pytest.mark.parametrize(
    ("spoil", "line"),
    [
        (lambda _: b"Dear diary,\n", 1),
        (lambda _: b"", 1),
        (lambda _: b"\x00\xff\xfe" * 50, 1),
        (lambda tape: tape.replace(b'"format":"tabletape"', b'"format":"tabletop"'), 1),
        (cut_line, 4),
        (lambda tape: tape.replace(b'"seq":3,', b'"seq":9,'), 4),
    ],
    ids=["a diary", "empty", "no text", "another format", "a cut line", "a gap"],
)
def test_a_bad_file_is_named_with_its_line_and_nothing_comes_in(
    run: Run, place: Path, spoil: Callable[[bytes], bytes], line: int
) -> None:
    good = next(tape for tape in TAPES if "friday" in tape.name)
    (place / "bad.jsonl").write_bytes(spoil(good.read_bytes()))
    done = run("import", TAPES[0], "bad.jsonl", "--json")
    error = json.loads(done.stderr)["error"]
    assert done.exit_code == 1
    assert error["code"] == "bad-tape"
    assert error["line"] == line
    assert "bad.jsonl" in error["message"]
    assert not (place / "tabletape.db").exists()
    run("import", TAPES[1])
    assert run("import", TAPES[0], "bad.jsonl").exit_code == 1
    assert len(json.loads(run("list", "--json").stdout)) == 1


def test_csv_has_a_row_a_step(run: Run) -> None:
    run("import", *TAPES)
    done = run("export", "friday", "--format", "csv")
    rows = list(csv.DictReader(io.StringIO(done.stdout_bytes.decode(), newline="")))
    assert list(rows[0]) == ["game", "seq", "step", "at", "by", "kind", "seat", "caption", "payload"]
    assert [int(row["step"]) for row in rows] == list(range(len(rows)))
    assert json.loads(rows[1]["payload"])["kind"] == rows[1]["kind"]
    assert "Ann" in rows[1]["caption"]


def test_an_output_file_is_put_in_place_whole(run: Run, duel: str, place: Path) -> None:
    assert run("export", duel, "-o", "out.tape.jsonl").exit_code == 0
    assert (place / "out.tape.jsonl").read_bytes() == run("export", duel).stdout_bytes
    assert run("export", duel, "-o", "out.csv").exit_code == 0
    assert (place / "out.csv").read_bytes().startswith(b"game,seq,step")
    (place / "kept.csv").write_text("what was here before", encoding="utf-8")
    assert run("export", duel, "--as", "p9", "-o", "kept.csv").exit_code == 1
    assert (place / "kept.csv").read_text(encoding="utf-8") == "what was here before"
    missing = run("export", duel, "-o", "no/such/folder.csv")
    assert missing.exit_code == 1
    assert missing.stderr.startswith("Error: ")
    assert not list(place.glob(".*.part"))


def test_a_fault_in_the_middle_leaves_the_old_file(
    run: Run, duel: str, place: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def torn(*_: object) -> Iterator[str]:
        yield "game,seq"
        raise OSError(28, "No space left on device")

    (place / "kept.csv").write_text("what was here before", encoding="utf-8")
    monkeypatch.setattr("eventstore.formats.csv.export_csv", torn)
    done = run("export", duel, "-o", "kept.csv")
    assert done.exit_code == 1
    assert done.stderr == "Error: The disk is full: kept.csv was not written. Free some room and try again.\n"
    assert (place / "kept.csv").read_text(encoding="utf-8") == "what was here before"
    assert not list(place.glob(".*.part"))


def test_a_file_for_a_viewer_holds_what_they_may_know(run: Run) -> None:
    wish = ("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--dealt", "--command-id", "luck")
    run(*wish)
    run("record", "luck", "--deal")
    told = run("export", "luck", "--as", "p1").stdout
    assert json.loads(told.splitlines()[0])["game"] == "luck~p1"
    laid = [line for line in told.splitlines() if '"cards_laid"' in line]
    assert laid
    assert all('"cards":{' not in line for line in laid)
    full = run("export", "luck").stdout
    assert any('"cards":{' in line for line in full.splitlines() if '"cards_laid"' in line)


def test_a_viewer_reads_no_notes_of_others_where_something_is_hidden(run: Run) -> None:
    run("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--command-id", "cards")
    run("note", "cards", "--text", "peeked")
    assert "peeked" in run("cat", "cards").stdout
    for command in ("cat", "show", "play"):
        assert "peeked" not in run(command, "cards", "--as", "p1").stdout


@pytest.mark.parametrize("end", ["", "-wal", "-shm", ".lock"])
def test_an_export_never_takes_the_place_of_the_database(run: Run, tmp_path: Path, end: str) -> None:
    run("import", TAPES[0])
    game = TAPES[0].name.removesuffix(".tape.jsonl")
    database = tmp_path / "tabletape.db"
    link = tmp_path / "link.tape.jsonl"
    link.symlink_to(f"{database}{end}")
    for target in (f"{database}{end}", link):
        refused = run("export", game, "-o", target)
        assert refused.exit_code == 2
        assert "belongs to the database" in refused.stderr
    assert run("export", game).stdout_bytes == TAPES[0].read_bytes()


def test_an_export_into_a_device_leaves_the_device(run: Run) -> None:
    run("import", TAPES[0])
    game = TAPES[0].name.removesuffix(".tape.jsonl")
    assert run("export", game, "-o", "/dev/null").exit_code == 0
    assert Path("/dev/null").is_char_device()


def test_an_export_through_a_link_keeps_the_link(run: Run, tmp_path: Path) -> None:
    run("import", TAPES[0])
    link, file = tmp_path / "link.tape.jsonl", tmp_path / "file.tape.jsonl"
    link.symlink_to(file)
    assert run("export", TAPES[0].name.removesuffix(".tape.jsonl"), "-o", link).exit_code == 0
    assert link.is_symlink()
    assert file.read_bytes() == TAPES[0].read_bytes()


@pytest.mark.parametrize("noted", [False, True])
def test_a_cut_off_file_comes_in_with_a_warning(run: Run, duel: str, place: Path, *, noted: bool) -> None:
    run("record", duel, "A6-A5")
    if noted:
        run("note", duel, "--text", "a note that is long enough")
    tape = run("export", duel).stdout_bytes
    lines = tape.count(b"\n")
    (place / "cut.jsonl").write_bytes(tape[:-9])
    for _ in range(2):
        done = run("--db", "other.db", "import", "cut.jsonl")
        assert (done.exit_code, done.stdout) == (4, "duel\n")
        assert f"Warning: cut.jsonl is cut off: line {lines}, its last, was left out." in done.stderr
    told = run("--db", "other.db", "import", "cut.jsonl", "--json")
    assert (told.exit_code, json.loads(told.stdout)[0]["cut_off"]) == (4, lines)
    whole = run("--db", "other.db", "import", "-", "--json", stdin=tape)
    assert (whole.exit_code, "cut_off" in whole.stdout) == (0, False)


@pytest.mark.parametrize("style", ["tape", "csv"])
@pytest.mark.parametrize("viewer", ["everything", "table"])
def test_a_damaged_record_is_written_with_a_warning(
    run: Run, duel: str, place: Path, style: str, viewer: str
) -> None:
    run("record", duel, "A6-A5")
    wish = ("export", duel, "--format", style, "--as", viewer)
    assert (run(*wish).exit_code, run(*wish).stderr) == (0, "")
    damage(place / "tabletape.db", "UPDATE events SET by = 'eve' WHERE seq = 2")
    done = run(*wish)
    assert done.exit_code == 4
    assert done.stderr.startswith(
        "Warning: the record of duel is damaged: The chain breaks between events 1 and 2."
    )
    assert "eve" in done.stdout
    written = run(*wish, "-o", "out", "--json")
    assert (written.exit_code, json.loads(written.stdout)["bytes"]) == (4, len(done.stdout_bytes))
    assert (place / "out").read_bytes() == done.stdout_bytes


def test_damage_that_no_game_touches_is_found(run: Run, duel: str, place: Path) -> None:
    run("record", duel, "A6-A5")
    assert run("verify").stdout == "1 game, 2 events: all intact.\n"
    with closing(sqlite3.connect(place / "tabletape.db")) as connection:
        root, size = connection.execute(
            "SELECT rootpage, (SELECT page_size FROM pragma_page_size) FROM sqlite_schema WHERE name = 'keys'"
        ).fetchone()
        connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
    raw = bytearray((place / "tabletape.db").read_bytes())
    raw[(root - 1) * size : root * size] = b"\xff" * size
    (place / "tabletape.db").write_bytes(raw)
    done = run("verify")
    assert done.exit_code == 4
    assert done.stdout.startswith("tabletape.db  damaged-database: ")
    assert done.stdout.endswith(f"1 game, 2 events: 1 fault.\n{REPAIR}\n")
    (fault,) = json.loads(run("verify", "--json").stdout)["faults"]
    assert (fault["game"], fault["seq"], fault["code"]) == ("", 0, "damaged-database")
    assert run("verify", duel).exit_code == 0


def test_commands_without_a_checksum_are_counted(run: Run, duel: str, place: Path) -> None:
    run("record", duel, "A6-A5")
    damage(place / "tabletape.db", "UPDATE events SET checksum = -1 WHERE seq = 1")
    said = "1 command was recorded before Tabletape kept checksums: its id and request are unchecked."
    assert run("verify").stdout == f"1 game, 2 events: all intact. {said}\n"
    assert json.loads(run("verify", "--json").stdout) == {
        "games": 1,
        "events": 2,
        "faults": [],
        "unchecked": 1,
        "as_text": [],
    }
    damage(place / "tabletape.db", "UPDATE events SET request = 'x' WHERE seq = 2")
    done = run("verify")
    assert done.exit_code == 4
    assert done.stdout == (
        "duel:2  checksum-differs: The command of event 2 does not match its checksum.\n"
        f"1 game, 2 events: 1 fault. {said}\n{REPAIR}\n"
    )
