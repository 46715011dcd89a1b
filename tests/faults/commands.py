"""One or more calls of each command of the command line, and what a call leaves when it is done."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from pathlib import Path

    from tests.faults.forks import Forks

DATABASE = "tabletape.db"
PLAYERS = ("--player", "Ann", "--player", "Bo")
PIPED = ("A6-A5", ".", "undo", "A8xB8")
BATCH = '{"kind":"creature_moved","team":"A","from":"A6","to":"A5"}\n{"kind":"turn_ended","team":"A"}\n'

Again = Literal["same answer", "same end", "refused once done", "never"]
"""What the same call does after a kill: give the first answer, end in the same state, be refused if all of
it was done before, or do the work a second time."""


class Call(NamedTuple):
    """A call of the command line."""

    argv: tuple[str, ...]
    stdin: str = ""
    empty: bool = False
    """There is no database before it."""
    again: Again = "same answer"
    stations: tuple[int, ...] = ()
    """For a call of several transactions: how many lines of stdin, or games, each state takes."""
    grows: bool = False
    """It brings in one whole game after another, each in a transaction."""
    patches: tuple[tuple[str, int], ...] = ()

    @property
    def command(self) -> str:
        return self.argv[2] if self.argv[0] == "--db" else self.argv[0]

    @property
    def database(self) -> str:
        return self.argv[1] if self.argv[0] == "--db" else DATABASE

    @property
    def whole(self) -> Call:
        """The call with all that it is to do."""
        return self.upto(self.stations[-1]) if self.stations else self

    def upto(self, station: int) -> Call:
        """Give the call that ends at a station of this one."""
        if self.stdin:
            return self._replace(stdin="".join(self.stdin.splitlines(keepends=True)[:station]))
        return self._replace(argv=(*self.argv, "-n", str(station)))

    def acknowledged(self, printed: str, answer: str) -> int:
        """Count the states that are passed according to what was printed; 0 is that before the call."""
        if self.stdin:
            return printed.count("\n")
        return max(1, len(self.stations)) if printed == answer else 0


def _named(*argv: str) -> Call:
    return Call((*argv, "--command-id", "Zz", "--json"))


def _reading(*argv: str) -> Call:
    return Call((*argv, "--json"))


def _ending(*argv: str, empty: bool = False) -> Call:
    return Call((*argv, "--json"), again="same end", empty=empty)


CALLS = {
    "new": _named("new", "monsters-forever", *PLAYERS, "--id", "fresh", "--title", "A new one"),
    "new, dealt": _named("new", "legend-of-monopoly", *PLAYERS, "--dealt"),
    "new in a new database": _named("new", "monsters-forever", *PLAYERS, "--id", "fresh")._replace(
        empty=True
    ),
    "record": _named("record", "other", "A6-A5"),
    "record two": _named("record", "other", "A6-A5; ."),
    "record --batch": _named("record", "other", "--batch", "moves.jsonl"),
    "record --deal": _named("record", "dealt", "--deal"),
    "record, piped": Call(
        ("record", "other", "--json"),
        "".join(f"{line}\n" for line in PIPED),
        again="never",
        stations=(1, 2, 3, 4),
        patches=(("eventstore.sqlite.writer._CHECKPOINT_PAGES", 8),),
    ),
    "undo": _named("undo", "duel"),
    "redo": _named("redo", "undone"),
    "amend": _named("amend", "duel", "@2", "--remove"),
    "branch": _named("branch", "duel@1"),
    "note": _named("note", "duel@1", "--text", "good", "--tag", "opening"),
    "check": _named("check", "duel", "round=1"),
    "hide": _ending("hide", "duel"),
    "set": _ending("set", "duel", "--player", "p1=Zoe", "--title", "Friday"),
    "key add": Call(("key", "add", "phone", "--json"), again="refused once done"),
    "key revoke": Call(("key", "revoke", "tablet", "--json"), again="refused once done"),
    "import": _ending("import", "guest.tape.jsonl", "longer.tape.jsonl"),
    "import into a new database": _ending("import", "guest.tape.jsonl", empty=True),
    "export": _ending("export", "duel", "-o", "fresh.tape.jsonl"),
    "export over an old one": _ending("export", "duel", "-o", "old.tape.jsonl"),
    "export --format csv": _ending("export", "duel", "-o", "fresh.csv"),
    "backup": Call(("backup", "fresh.db", "--json"), again="refused once done"),
    "backup over an old one": _ending("backup", "--force", "old.db"),
    "restore": _ending("restore", "--force", "old.db"),
    "restore where nothing is": _ending("--db", "back.db", "restore", "old.db"),
    "repair": Call(("repair", "fresh.db", "--json"), again="refused once done"),
    "simulate --save": Call(
        ("simulate", "monsters-forever", "--save", "--processes", "1", "--max-events", "20", "--json"),
        again="never",
        stations=(2, 4, 6),
        patches=(("eventstore.simulation._AT_ONCE", 2),),
    ),
    "demo": _ending("--db", DATABASE, "demo", "--load-only")._replace(grows=True),
    "cat": _reading("cat", "duel"),
    "doctor": _reading("doctor"),
    "list": _reading("list"),
    "play": _reading("play", "duel"),
    "rulesets": _reading("rulesets"),
    "search": _reading("search", "Ann"),
    "show": _reading("show", "duel"),
    "stats": _reading("stats"),
    "verify": _reading("verify"),
}


def fill(forks: Forks, folder: Path) -> None:
    """Make the database and the files that the calls work on."""
    (folder / "moves.jsonl").write_text(BATCH, encoding="utf-8")
    other = ("--db", "elsewhere.db")
    calls = (
        (*other, "new", "monsters-forever", *PLAYERS, "--id", "guest"),
        (*other, "record", "guest", "A6-A5"),
        (*other, "note", "guest@1", "--text", "from elsewhere"),
        (*other, "export", "guest", "-o", "guest.tape.jsonl"),
        (*other, "new", "monsters-forever", *PLAYERS, "--id", "longer"),
        (*other, "record", "longer", "A6-A5"),
        (*other, "export", "longer", "-o", "start.tape.jsonl"),
        (*other, "record", "longer", "A8xB8"),
        (*other, "export", "longer", "-o", "longer.tape.jsonl"),
        ("import", "start.tape.jsonl"),
        ("new", "monsters-forever", *PLAYERS, "--id", "duel", "--title", "Friday duel"),
        ("new", "monsters-forever", *PLAYERS, "--id", "other"),
        ("new", "legend-of-monopoly", *PLAYERS, "--id", "dealt", "--dealt"),
        ("new", "monsters-forever", *PLAYERS, "--id", "undone"),
        ("record", "undone", "A6-A5"),
        ("undo", "undone"),
        ("record", "duel", "A6-A5"),
        ("note", "duel@1", "--text", "the first"),
        ("key", "add", "tablet"),
        ("backup", "old.db"),
        ("export", "duel", "-o", "old.tape.jsonl"),
        ("record", "duel", "A8xB8"),
        ("record", "duel", "."),
    )
    for seed, argv in enumerate(calls, 1000):
        done = forks.run(folder, *argv, seed=seed)
        assert done.status == 0, (argv, done.err)
    for file in folder.glob("elsewhere.db*"):
        file.unlink()
    shown = json.loads(forks.run(folder, "list", "--json").out)
    assert {game["game"] for game in shown} == {"duel", "other", "dealt", "undone", "longer"}
