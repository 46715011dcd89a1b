"""Write the reference of the command line; `make golden` puts it into docs/cli.md."""

from __future__ import annotations

from inspect import cleandoc
from typing import TYPE_CHECKING, Final

import click

from cli.main import SECTIONS, command_names, main
from cli.shell.options import GameType

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli.shell.options import ShellCommand

HEAD = """\
# Command line

<!-- Written from the commands by `make golden`; do not edit it. -->

`tabletape [--db FILE] COMMAND …` works on one database: `--db`, else `$TABLETAPE_DB`, else
`./tabletape.db`. A game is named by its id or by as much of its beginning as no other game shares.

- Data go to stdout, everything else to stderr. With `--json` a command answers with JSON; a refusal is
  `{"error": {"code", "message", "line"?, "rule"?, "legal"?, "head"?}}` on stderr.
- `-` is stdin or stdout where a file is asked for.
- Colours and bars appear on a terminal only; `NO_COLOR` turns colours off.
- `--db` may also stand behind the command.
- A command that writes takes `--after SEQ` (refused with exit code 3 unless this is the game's last event),
  `--command-id ID` (repeated under it, the command gets its first answer again) and `--by KEY` (who enters
  it; a key, never a name). `set`, `hide` and `import` write no event of their own and take `--after` alone.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | refused: not found, not legal, not readable |
| 2 | the command line was not understood |
| 3 | conflict: the game has moved on, or the database is locked |
| 4 | a record, a database or a file is damaged; what could be had was written or brought in |
| 130 | interrupted |

Completion of commands, options, rulesets and game ids, in bash (zsh and fish likewise):

    eval "$(_TABLETAPE_COMPLETE=bash_source tabletape)"
"""


JSON = """\
## JSON

What `--json` prints; scripts may rely on it.

| command | stdout |
|---|---|
| `new` | `{"game", "seq"}` |
| `branch` | `{"game", "seq", "parent": {"game", "head", "step"}}`; `game` is the new one |
| `record`, `undo`, `redo` | `{"game", "seq", "step", "appended", "outcome"}`; `seq` is the last event after it |
| `record` with lines of a pipe | a line for each that was taken: of a move, `undo` and `redo` as above; of `note` as there, of `board` what `show` prints; `moves`: an array of `{"number", "seat", "kind", "must", "text", "event", "asks"}`, `event` null where answers are asked for; `?`: `{"commands": {word: meaning}, "short_forms": {kind: example}}`, within a question that of `"asks"` |
| `amend` | the same as `record` with `"faults": [{"seq", "step", "code", "message", "keepable"}]` (exit code 1, nothing appended), `"unjudged"` and `"moot"` |
| `check` | the same with `"holds": [key]` and `"drifts": [{"at", "claimed", "recorded", "since", "step"}]`; the list: an object of values by key |
| `show` | `{"game", "ruleset", "version", "step", "steps", "seq", "head", "caption", "pending", "outcome", "amended", "parent", "variations", "state"}`; `variations` are the ids of what leaves it |
| `play` | an array of what `show` prints, one a step |
| `cat` | an array of `{"step", "seq", "at", "by", "caption", "event"}`; `--lines`: of `{"tip", "fork", "steps": [the same]}` |
| `list`, `search`; `set`, `hide` | an array of, or one `{"game", "ruleset", "title", "seats", "played_on", "steps", "status", "result", "amended", "rulings", "failed_checks", "parent"}`; `parent` is null or, of a what-if, `{"game", "head", "step"}` |
| `note` | `{"game", "note", "seq"}`; the list: an array of `{"note", "step", "seq", "at", "by", "text", "glyph", "tags"}` |
| `export` | the file itself; with `-o FILE` `{"game", "file", "bytes"}` |
| `import` | an array of `{"game", "events", "notes", "new"}`, `"cut_off": line` too where that line was left out, `"ahead": line` where that line is dated more than a day ahead of the clock |
| `verify` | `{"games", "events", "faults": [{"game", "seq", "code", "message"}], "unchecked", "as_text": [game, …]}`; `game` is empty for a fault of the whole database; `unchecked` counts the commands that have no checksum; `as_text` names the games whose rules or options are not known here |
| `stats` | `{"games", "rulesets": [{"ruleset", "title", "games", "finished", "playing", "abandoned", "text_only", "restricted", "first", "last", "length", "minutes", "endings", "players", "seats"}], "left_out"}`, see below |
| `backup` | `{"file", "games", "events", "bytes"}` |
| `restore` | `{"db", "file", "games", "events", "kept", "revoked"}`; `kept` is where what was there is now, null where nothing was |
| `repair` | `{"file", "games", "events", "intact", "repaired": [{"game", "kept_as", "events", "lost", "notes", "complete", "message"}], "faults", "complete"}`; `game` is empty where its id cannot be read, `kept_as` null where nothing is kept, `faults` what is wrong with the file; `complete` is false, and the exit code 4, where anything known is not kept |
| `simulate` | `{"games", "events", "endings": {reason: n}, "wins": {seat: n}, "length": {"median", "max"}}` |
| `rulesets` | an array of `{"ruleset", "version", "title", "players", "options"}`; `rulesets NAME` one with `"readings": [{"name", "meaning", "source", "suggested", "values", "right", "whole", "least", "most"}]` |
| `doctor` | `{"checks": [{"name", "ok", "message"}]}` |
| `key add` | `{"name", "seat", "added_at", "key"}`, with `--url` `"url"` too; `key list` an array of the same without the key, `key revoke` one |
| `serve`, `demo` | `{"url", "db"}`, in a network `"key"` too, null but for the first time; `demo --load-only` `{"games", "db"}` |

`outcome` and `result` are null or `{"reason", "winners", "scores"}`; `pending` is an array of
`{"seat", "kinds", "must", "why"}`; `seats` an array of `{"seat", "name"}`; `status` is `playing`, `over`,
`closed` or `text-only`; `step` of a note whose event was undone is null. A drift lies behind the check at
step `since` (null: none held before) and before the one at `step`. `amended` says that the game as it stands
was corrected in its middle, `rulings` counts its steps that are rulings,
`failed_checks` its table checks that found the record otherwise than the table.

## Statistics

`stats --json` counts by ruleset, the one with most games first. `games` is `finished` (played to an end),
`playing`, `abandoned` and `text_only` (not readable here) together; `restricted` are those of them that were
recorded as the table or one seat saw them. `first` and `last` are days of play. All else is of finished games:

| key | value |
|---|---|
| `length` | `{"median", "longest", "game", "title"}`: steps, which game is the longest, and what it is called; null where none is finished |
| `minutes` | `{"median", "longest", "games"}`: time between events, pauses of more than four hours left out; of games that were recorded while they were played, null where none was |
| `endings` | an array of `{"reason", "words", "games"}`; abandoned games too |
| `players` | an array of `{"name", "games", "wins", "share", "mean_score"}`; `share` is wins by games, `mean_score` null where there are no scores. A name is the same with capitals or without; of two seats of one name in a game each counts; seats without a name do not |
| `seats` | an array of `{"seat", "games", "wins", "share", "even"}`; `even` is how many it would have won if the seats of each game won as often |

`stats --csv` gives every chosen game, finished or not, a row a seat: `game,ruleset,played_on,seat,name,score,won,steps,reason,draw`.
`won` and `draw` are 1 or 0 and empty where the game is not finished; `draw` is 1 where the rules ended it without
a winner, and `won` is 0 for everybody then. A cell that a spreadsheet would run begins with `'`.

## Edits

`amend GAME --edits FILE` reads several edits and settlements, carried out as one command or not at all:

    {"edits": [{"seq": 14, "replace": [{"kind": "creature_moved", "team": "A", "from": "A6", "to": "A7"}]},
               {"seq": 15, "remove": true},
               {"seq": 16, "insert": ["C6-C5", "."]}],
     "settle": {"20": "remove", "21": "keep", "22": ["B8xA8>A6"], "23": "cut"},
     "reason": "move 14 was really the Troll"}

Events are objects or typed moves, read as at their step. `seq` and the keys of `settle` are events of the game
as it stands, or steps as `"@13"`. The first event may be replaced by `{"kind": "record.started", "options":
{…}}` with what is to be otherwise. What becomes impossible by it is listed, each event as if those before it
were removed, until all of it is settled: `keep` puts a ruling that does what the event would have done, where
the rules can follow it; a settlement that was not needed changes nothing and stands in `moot`.
"""  # noqa: E501 - a row of a table is a line


def reference() -> str:
    """Write the whole page."""
    return "\n".join((HEAD, *_sections(), JSON))


def _sections() -> Iterator[str]:
    root = click.Context(main, info_name="tabletape")
    commands = [command for name in command_names() if (command := main.get_command(root, name))]
    for section in SECTIONS:
        yield f"## {section}\n"
        for command in commands:
            if command.section == section:
                yield from _command(command)


def _command(command: ShellCommand) -> Iterator[str]:
    arguments = [item for item in command.params if isinstance(item, click.Argument)]
    options = [item for item in command.params if isinstance(item, click.Option)]
    names = {name for option in options for name in option.opts}
    usage = " ".join(("tabletape", str(command.name), *map(_argument, arguments)))
    yield f"### {command.name}\n\n`{usage}`\n\n{cleandoc(command.callback.__doc__ or '')}\n"
    if command.examples:
        yield "\n".join(f"    tabletape {line}" for line in command.examples) + "\n"
    writes = "--command-id" in names
    own = [item for item in options if not set(item.opts) & (COMMON | ({"--by"} if writes else set()))]
    if own:
        yield "| option | |\n|---|---|"
        yield "\n".join(f"| `{_option(option)}` | {_meaning(option)} |" for option in own) + "\n"
    if writes:
        yield "It writes: `--after`, `--command-id` and `--by` as above.\n"
    elif "--after" in names:
        yield "It corrects: `--after` as above.\n"


COMMON: Final = {"--json", "--db", "--after", "--command-id"}
"""Said once, at the top."""


def _argument(argument: click.Argument) -> str:
    if isinstance(argument.type, GameType):
        name = argument.metavar or argument.type.metavar
    else:
        name = argument.metavar or str(argument.name).upper()
    more = "..." if argument.nargs != 1 else ""
    return name if argument.required or name.startswith("[") else f"[{name}]{more}"


def _option(option: click.Option) -> str:
    names = ", ".join(option.opts)
    if option.is_flag:
        return names
    if isinstance(option.type, click.Choice):
        return f"{names} {'/'.join(option.type.choices)}"
    return f"{names} {option.metavar or option.type.name.replace('number', 'N').upper()}"


def _meaning(option: click.Option) -> str:
    marks = [
        *(["required"] if option.required else []),
        *([f"default {option.default}"] if option.show_default else []),
    ]
    return f"{option.help}{f' ({chr(59).join(marks)})' if marks else ''}"
