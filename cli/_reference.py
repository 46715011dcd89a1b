"""The reference of the command line, written from the commands themselves: `python -m cli._reference`."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from cli._group import HELP, SECTIONS, command_names, main

if TYPE_CHECKING:
    from collections.abc import Iterator

    from cli._options import Command

WIDTH = 92
HEAD = """\
# Command line

<!-- Written by `python -m cli._reference > docs/cli.md`; a test holds it to the commands. -->

`tabletape [--db FILE] COMMAND …` works on one database: `--db`, else `$TABLETAPE_DB`, else
`./tabletape.db`. A game is named by its id or by as much of its beginning as no other game shares.

- Data go to stdout, everything else to stderr. With `--json` a command answers with JSON; a refusal is
  `{"error": {"code", "message", "line"?, "rule"?, "legal"?, "head"?}}` on stderr.
- `-` is stdin or stdout where a file is asked for.
- Colours and bars appear on a terminal only; `NO_COLOR` turns colours off.
- `--after`, `--command-id` and `--by` stand on every command that writes. A command repeated under its
  id gets its first answer; one made for another `--after` than the game's last event is refused with
  exit code 3.

| exit code | meaning |
|---|---|
| 0 | done |
| 1 | refused: not found, not legal, not readable |
| 2 | the command line was not understood |
| 3 | conflict: the game has moved on, or the database is locked |
| 4 | a record or a database is damaged |
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
| `record`, `undo`, `redo` | `{"game", "seq", "step", "appended", "outcome"}`; `seq` is the last event after it |
| `show` | `{"game", "ruleset", "version", "step", "steps", "seq", "head", "caption", "pending", "outcome", "state"}` |
| `play` | an array of what `show` prints, one a step |
| `cat` | an array of `{"step", "seq", "at", "by", "caption", "event"}` |
| `list`, `search`; `set`, `hide` | an array of, or one `{"game", "ruleset", "title", "seats", "played_on", "steps", "status", "result"}` |
| `note` | `{"game", "note", "seq"}`; the list: an array of `{"note", "step", "seq", "at", "by", "text", "glyph", "tags"}` |
| `export` | the file itself; with `-o FILE` `{"game", "file", "bytes"}` |
| `import` | an array of `{"game", "events", "notes", "new"}` |
| `verify` | `{"games", "events", "faults": [{"game", "seq", "code", "message"}]}` |
| `simulate` | `{"games", "events", "endings": {reason: n}, "length": {"median", "max"}}` |
| `rulesets` | an array of `{"ruleset", "version", "title", "players", "options"}` |
| `doctor` | `{"checks": [{"name", "ok", "message"}]}` |
| `serve`, `demo` | `{"url", "db"}`; `demo --load-only` `{"games", "db"}` |

`outcome` and `result` are null or `{"reason", "winners", "scores"}`; `pending` is an array of
`{"seat", "kinds", "must", "why"}`; `seats` an array of `{"seat", "name"}`; `status` is `playing`, `over`,
`closed` or `text-only`; `step` of a note whose event was undone is null.
"""  # noqa: E501 - a row of a table is a line


def reference() -> str:
    """Write the whole page."""
    return "\n".join((HEAD, *_sections(), JSON))


def _sections() -> Iterator[str]:
    root = click.Context(main, info_name="tabletape", help_option_names=HELP)
    commands = [command for name in command_names() if (command := main.get_command(root, name))]
    for section in SECTIONS:
        yield f"## {section}\n"
        for command in commands:
            if command.section == section:
                yield from _command(root, command)


def _command(root: click.Context, command: Command) -> Iterator[str]:
    context = click.Context(
        command, info_name=command.name, parent=root, terminal_width=WIDTH, max_content_width=WIDTH
    )
    yield f"### {command.name}\n"
    yield f"```\n{command.get_help(context)}\n```\n"


if __name__ == "__main__":
    click.echo(reference(), nl=False)
