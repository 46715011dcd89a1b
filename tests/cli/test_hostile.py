"""Whatever is typed, piped or closed: a short sentence, and nothing that steers a terminal."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import unicodedata
from collections.abc import Iterator
from pathlib import Path

import click
import pytest
from click.testing import Result

from cli import main
from cli.main import command_names
from cli.shell.options import GameType, Whole
from cli.shell.output import brief, legible, legible_json, plain
from tests.cli.conftest import Run
from tests.cli.terminal import session

ROOT = Path(__file__).resolve().parents[2]
DEEP = "[" * 10_000
TEXTS = {
    "empty": "",
    "blank": "  ",
    "no UTF-8": "\udcff\udc80",
    "half a character": '"\\ud800"',
    "half a character, kept": '{"kind": "record.closed", "how": "abandoned", "reason": "\\ud800"}',
    "terminal": "\x1b[2J\x1b]0;owned\x07\x9b2J",
    "turned round": "a\u202eb\u2066c\u200f",
    "invisible": "\u200b\u2060\ufeff\U000e0041",
    "lines": "a\nb\tc\rd\u2028e",
    "long": "x" * 1_000_000,
    "long words": "ab " * 300_000,
    "deep list": DEEP,
    "deep object": '{"a":' * 10_000,
    "deep pair": f"retreat={DEEP}",
    "digits": "9" * 5_000,
    "a pair of digits": f"max_rounds={'9' * 5_000}",
    "a step of digits": f"duel@{'9' * 5_000}",
    "a seat": "p1=\x1b[2J\u202e",
}
STEERING = {
    *map(chr, (*range(9), *range(11, 32), *range(0x7F, 0xA0))),
    *"\u202e\u2066\u200f\u200b\ufeff\u2028",
}
NEEDED = {
    "new": ["monsters-forever", "--player", "Ann", "--player", "Bo"],
    "set": ["duel"],
    "search": [],
    "key": ["add"],
    "simulate": ["monsters-forever", "-n", "1", "--max-events", "3"],
    "verify": [],
    "list": [],
    "import": [],
    "backup": [],
    "restore": [],
    "repair": [],
    "stats": [],
}
"""What a command needs beside the one thing that is tried; others need a game."""
NEVER_ENDING = ("serve", "demo")


def places(name: str) -> Iterator[tuple[str, str | None]]:
    """Give each argument of a command and each of its options that takes a value."""
    command = main.get_command(click.Context(main), name)
    assert command is not None
    for item in command.params:
        if isinstance(item, click.Argument):
            yield str(item.name), None
        elif not item.is_flag:
            yield str(item.name), item.opts[-1]


TRIED = [
    pytest.param(name, option, id=f"{name} {where}")
    for name in command_names()
    for where, option in places(name)
    if name not in NEVER_ENDING
]


def sound(done: Result) -> None:
    """Hold a command to what all of them promise."""
    said = done.stdout + done.stderr
    assert "itself failed" not in said, said[-400:]
    assert "Traceback" not in said
    assert done.exit_code in range(5)
    assert len(done.stderr) < 3_000
    assert not STEERING & set(said)
    assert (done.exit_code == 0) or done.stderr


@pytest.mark.parametrize(("name", "option"), TRIED)
def test_no_text_is_too_much_for_a_command(run: Run, duel: str, name: str, option: str | None) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    has_game = any(isinstance(item.type, GameType) for item in command.params)
    needed = NEEDED.get(name, [duel] if has_game and option else [])
    for number, text in enumerate(TEXTS.values()):
        # A word may be 128 KiB long on Linux.
        tried = [f"{option}={text[:120_000]}"] if option else ["--", text[:120_000]]
        sound(run(name, *needed, *(["--json"] if number % 2 else []), *tried, stdin=""))
    done = run("verify", "--json")
    assert done.exit_code == 0, done.stdout


@pytest.mark.parametrize("name", command_names())
def test_no_number_is_too_much_for_a_command(run: Run, duel: str, name: str) -> None:
    command = main.get_command(click.Context(main), name)
    assert command is not None
    for item in command.params:
        if not isinstance(item.type, Whole):
            continue
        for wrong in (item.type.least - 1, item.type.most + 1, 2**63, 2**64, -(2**63), 10**29, "1e3", "١٢"):
            done = run(name, *NEEDED.get(name, [duel]), f"{item.opts[-1]}={wrong}")
            assert done.exit_code == 2, (item.name, wrong)
            assert f"is no whole number from {item.type.least} to {item.type.most}" in done.stderr
            sound(done)


def test_every_number_is_bounded() -> None:
    for name in command_names():
        command = main.get_command(click.Context(main), name)
        assert command is not None
        for item in command.params:
            assert not isinstance(item.type, click.types.IntParamType), (name, item.name)


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
@pytest.mark.parametrize("way", [("record", "duel"), ("record", "duel", "--batch", "-"), ("import", "-")])
def test_no_file_is_too_much(run: Run, duel: str, text: str, way: tuple[str, ...]) -> None:
    content = text.encode(errors="surrogateescape" if "\udcff" in text else "surrogatepass")
    for piped in (content, content + b"\n", b'{"kind":' + content, b'{"format":"tabletape","x":' + content):
        sound(run(*way, stdin=piped))
    assert run("verify").exit_code == 0


@pytest.mark.parametrize("text", TEXTS.values(), ids=list(TEXTS))
def test_no_card_file_is_too_much(run: Run, place: Path, text: str) -> None:
    (place / "cards.json").write_bytes(
        text.encode(errors="surrogateescape" if "\udcff" in text else "surrogatepass")
    )
    for ruleset in ("legend-of-monopoly", "monster-maker", "monsters-forever", "monsters-of-war"):
        done = run("new", ruleset, "--player", "Ann", "--player", "Bo", "--data", "cards.json")
        sound(done)
        assert done.exit_code == 1
    assert not (place / "tabletape.db").exists()


def real(place: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Run a line of a shell, in which `tabletape` is the command."""
    tabletape = f"{sys.executable} -c \"from cli import main; main(prog_name='tabletape')\""
    return subprocess.run(
        ["bash", "-c", f'set -o pipefail; tabletape() {{ {tabletape} "$@"; }}; {line}'],
        capture_output=True,
        text=True,
        check=False,
        cwd=place,
        env=os.environ | {"PYTHONPATH": str(ROOT)},
    )


@pytest.mark.parametrize(
    ("line", "code", "says"),
    [
        ("tabletape list <&-", 0, ""),
        ("tabletape record duel <&-", 0, ""),
        ("tabletape import - <&-", 1, "it has no whole line"),
        ("tabletape list >&-", 1, "stdout is closed"),
        ("tabletape undo duel --json >&-", 1, "stdout is closed"),
        ("tabletape list 2>&-", 0, ""),
        ("tabletape lsit 2>&-", 2, ""),
        ("tabletape list >&- 2>&- <&-", 1, ""),
        ("tabletape cat duel > /dev/full", 1, "The disk is full"),
        ("tabletape cat duel --json > /dev/full", 1, "The disk is full"),
        ("tabletape show $'\\xff'", 2, "'\\xff' is no UTF-8 text"),
        ("tabletape set duel --title $'a\\xff'", 2, "'a\\xff' is no UTF-8 text"),
        ("tabletape list --$'\\xff'", 2, "No such option"),
        ("tabletape export duel -o $'\\xff' && test -s $'\\xff'", 0, "Wrote \\xff"),
        ("tabletape --db $'\\xff.db' list", 1, "\\xff.db cannot be opened"),
    ],
)
@pytest.mark.usefixtures("duel")
def test_closed_streams_and_bytes_are_taken_as_they_are(
    run: Run, place: Path, line: str, code: int, says: str
) -> None:
    run("record", "duel", "A6-A5")
    done = real(place, line)
    assert (done.returncode, "Traceback" in done.stderr) == (code, False), done.stderr
    assert says in done.stderr
    assert "itself failed" not in done.stderr
    assert done.stderr.count("Error:") <= 1
    assert len(json.loads(run("cat", "duel", "--json").stdout)) == 2


def test_a_reader_that_has_seen_enough_ends_quietly(run: Run, place: Path) -> None:
    run("simulate", "monsters-forever", "-n", "1", "--seed", "3", "--save")
    game = json.loads(run("list", "--origin", "simulated", "--json").stdout)[0]["game"]
    for line in (f"cat {game} --raw", f"play {game}", f"export {game}", f"cat {game} --json"):
        done = real(place, f"tabletape {line} | head -c 9")
        assert (len(done.stdout), done.stderr) == (9, ""), line


def test_what_is_typed_is_neither_swallowed_nor_let_through() -> None:
    assert legible("Ann\x1b[2J\u202e\x9b\udcff\u200b") == "Ann\\x1b[2J\\u202e\\x9b\\xff\\u200b"
    for name in ("Zoë", "אבג", "علی\u200cرضا", "👩\u200d👧", "❤\ufe0f", "क्\u200dष"):
        assert legible(name) == name
    assert legible("A\u200dB\u200c") == "A\\u200dB\\u200c"
    for name in (CHILLU, VARIANT, SCOTLAND, f"{CHILLU} {SCOTLAND}"):
        assert legible(name) == name
        assert brief(name) == f"'{name}'"
        assert json.loads(legible_json(json.dumps(name, ensure_ascii=False))) == name
        assert legible_json(f'"{name}"') == f'"{name}"'
    hidden = "".join(chr(0xE0000 + ord(letter)) for letter in "doevilnow")
    for text in (hidden, f"\U0001f3f4{hidden}\U000e007f", f"{SCOTLAND}{hidden}"):
        assert legible(text).count("\\U000e00") >= len(hidden), "no text hides behind a flag"
    assert brief("it's\x1b\n") == '"it\'s\\x1b\\n"'


def test_what_is_spelt_out_is_what_no_one_sees_or_what_steers() -> None:
    joiners, shapeless = "\u200c\u200d", "\u034f\u115f\u1160\u2800\u3164\uffa0"
    for character in map(chr, range(sys.maxunicode + 1)):
        category = unicodedata.category(character)
        steers = category in {"Cc", "Cf", "Cs", "Zl", "Zp"} and character not in "\t\n"
        if category not in {"Cn", "Co"} and character not in joiners:
            spelt = legible(f"അ{character}") != f"അ{character}"
            assert spelt == (steers or character in shapeless), ascii(character)
    assert plain("a\nb\tc") == "a\\nb\\tc"
    for text in ("\x9b2J", "\u202e", "\U000e0041", "\ufeff", "plain"):
        escaped = legible_json(json.dumps([text], ensure_ascii=False))
        assert json.loads(escaped) == [text]
        assert escaped.isascii()


CHILLU = "അവന്\u200d"
"""A consonant without a vowel at the end of a word, as Malayalam is often written."""
VARIANT = "葛\U000e0100"
SCOTLAND = "\U0001f3f4\U000e0067\U000e0062\U000e0073\U000e0063\U000e0074\U000e007f"
EVIL = "\u202eAnn\u2066\u200f\u200bx"
SHOWING = """
list | list --json | list --player {evil} | search Ann | search {evil} | show evil | show evil --json
show evil --setup --json | cat evil | cat evil --lines | cat evil --json | play evil | play evil --json
note evil | note evil --json | redo evil | record evil 1 | record evil {evil} | record evil B6-A1
check evil | check evil {evil}=1 | check evil round={evil} | set evil --title {evil}! | hide evil | verify
amend evil 2 --remove --reason {evil} | export evil -o {evil} | show {evil} | {evil} | list --{evil}
new monsters-forever --player Ann --player Bo --id {evil} | simulate monsters-forever --option {evil}={evil}
show cards | show cards --setup --json | cat cards | play cards | record cards | record cards {evil} | doctor
""".replace("\n", " | ")
COMMANDS = [
    tuple(word.format(evil=EVIL) for word in line.split()) for line in SHOWING.strip(" |").split(" | ")
]


@pytest.fixture
def evil(run: Run, place: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A game that carries what turns lines round wherever a person may write."""
    seated = ("--player", EVIL, "--player", f"{EVIL}2")
    about = ("--title", EVIL, "--place", EVIL)
    assert run("new", "monsters-forever", *seated, *about, "--id", "evil").exit_code == 0
    run("record", "evil", "1")
    run("note", "evil", "--text", f"{EVIL}\n{EVIL}", "--tag", EVIL)
    closing = {"kind": "record.closed", "how": "conceded", "seat": "p1", "reason": EVIL}
    assert run("record", "evil", json.dumps(closing)).exit_code == 0
    run("undo", "evil")
    run("new", "monsters-of-war", *seated, "--id", "plain")
    cards = json.loads(run("cat", "plain", "--raw").stdout)["event"]["data"]
    cards["source"] = EVIL
    for card in cards["monsters"]:
        card["name"] = f"{EVIL}{card['id']}"
    for card in cards["gambits"]:
        card["effect"] = EVIL
    (place / "cards.json").write_text(json.dumps(cards), encoding="utf-8")
    with monkeypatch.context() as lax:  # no card file may hold such texts, but a record of elsewhere might
        lax.setattr("games.rulesets.monsters_of_war.data._faults", lambda _cards: iter(()))
        begun = run("new", "monsters-of-war", *seated, "--id", "cards", "--dealt", "--data", "cards.json")
    assert begun.exit_code == 0, begun.stderr
    assert run("record", "cards", "--deal").exit_code == 0
    return "evil"


@pytest.mark.usefixtures("evil")
@pytest.mark.parametrize("command", COMMANDS, ids=lambda command: ascii(" ".join(command)))
def test_what_people_write_cannot_steer_a_terminal(run: Run, command: tuple[str, ...]) -> None:
    for stdin in ("", "board\n1\nmoves\n?\n"):
        done = run(*command, stdin=stdin)
        said = done.stdout + done.stderr
        assert not STEERING & set(said), ascii(said)


@pytest.mark.parametrize("command", [("list",), ("show", "evil"), ("record", "evil"), ("record", "cards")])
def test_a_terminal_shows_what_would_steer_it(evil: str, place: Path, command: tuple[str, ...]) -> None:
    with session(*command, cwd=place) as terminal:
        if command[0] == "record":
            terminal.until("Ctrl+D to leave\n")
            terminal.until("> ")
            terminal.keys("moves\n")
            terminal.until("Ctrl+D to leave\n")
            # A key that comes before the next prompt can be lost.
            terminal.until("> ")
            terminal.keys("\x04")
        terminal.ended()
    assert not set(EVIL) - set("Annx") & set(terminal.raw)
    assert "\\u202e" in terminal.raw, evil


@pytest.mark.parametrize("digits", [16, 19, 25, 4000, 5000])
def test_no_number_is_recorded_that_not_everybody_can_read(run: Run, duel: str, digits: int) -> None:
    number = "9" * digits
    ruled = {"kind": "record.ruled", "reason": "x", "changes": [{"at": "/round", "was": 1, "now": "N"}]}
    checked = {"kind": "record.checked", "claims": [{"at": "round", "value": "N"}]}
    for event in (ruled, checked):
        text = json.dumps(event).replace('"N"', number)
        for done in (
            run("record", duel, text),
            run("record", duel, stdin=text),
            run("record", duel, "--batch", "-", stdin=text),
            run("amend", duel, 1, "--insert-after", text),
        ):
            sound(done)
            assert done.exit_code == 1, done.stdout
    for claim in (number, f'"{"x" * 201}"', "x" * 201):
        assert run("check", duel, f"round={claim}").exit_code == 2
    assert json.loads(run("show", duel, "--json").stdout)["head"] == 1


@pytest.mark.parametrize("host", ["x" * 100_000, "a..b", "999.1.1.1", "a b", "\x1b[2J", "é" * 70])
def test_no_host_is_too_much(run: Run, host: str) -> None:
    done = run("serve", "--host", host, "--port", 0)
    sound(done)
    assert done.exit_code == 1
    assert "Nothing can be served on " in done.stderr


@pytest.mark.parametrize(
    "words",
    [
        ("export", "friday", "-o", "loop"),
        ("backup", "loop"),
        ("repair", "loop"),
        ("restore", "loop"),
        ("import", "loop"),
        ("record", "friday", "--batch", "loop"),
        ("new", "monsters-of-war", "--player", "Ann", "--player", "Bo", "--data", "loop"),
        *(
            ("--db", "loop", *words)
            for words in (
                ("key", "add", "q"),
                ("new", "monsters-forever", "--player", "Ann", "--player", "Bo"),
                ("list",),
                ("verify",),
                ("repair", "new.db"),
                ("restore", "tabletape.db"),
                ("simulate", "monsters-forever", "-n", "1", "--save"),
            )
        ),
    ],
    ids=" ".join,
)
def test_a_link_that_leads_to_itself_is_one_sentence_and_stays(
    run: Run, place: Path, words: tuple[str, ...]
) -> None:
    run("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "friday")
    loop = place / "loop"
    loop.symlink_to("loop")
    done = run(*words)
    assert done.exit_code in {1, 2}
    assert "oo many levels of symbolic links" in done.stderr
    assert "itself failed" not in done.stderr
    assert loop.readlink() == Path("loop")
    assert not (place / "new.db").exists()


def test_a_game_that_begins_with_a_hyphen_is_named_after_two(run: Run) -> None:
    run("new", "monsters-forever", "--player", "Ann", "--player", "Bo", "--id", "----")
    for word in ("----", "----@0"):
        refused = run("show", word)
        assert refused.exit_code == 2
        assert f"To name the game, put -- before it: show -- {word}." in refused.stderr
        assert run("show", "--", word).exit_code == 0
    assert "put --" not in run("show", "--nosuch").stderr
