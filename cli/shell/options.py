"""The options that several commands share, and the way a command is declared."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from inspect import cleandoc
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from cli.shell.output import Shell, brief

if TYPE_CHECKING:
    from click.shell_completion import CompletionItem

BILLION: Final = 1_000_000_000
"""More of anything is not counted here."""
DIGITS: Final = 19
"""From so many digits on a number may be greater than what the database counts with."""

_COMPLETIONS: Final = 200

F = TypeVar("F", bound=Callable[..., Any])


class ShellCommand(click.Command):
    """A command that knows under which heading of the help it stands."""

    section: str = ""
    examples: tuple[str, ...] = ()

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """As click does; a number too many is told how it would have been understood."""
        given = list(args)
        try:
            rest = super().parse_args(ctx, args)
        except click.UsageError as error:
            meant = self._meant(ctx, error, given)
            if not meant:
                raise
            raise click.UsageError(error.message + meant, ctx) from None
        self._refuse_bytes(ctx)
        return rest

    def _refuse_bytes(self, ctx: click.Context) -> None:
        """Refuse text that is not UTF-8; the name of a file may be anything."""
        for item in self.params:
            named = isinstance(item.type, (click.File, FileName))
            for text in () if named else _texts(ctx.params.get(item.name or "")):
                if not text.isascii() and any("\ud800" <= letter <= "\udfff" for letter in text):
                    raise click.BadParameter(f"{brief(text)} is no UTF-8 text.", ctx, item)

    def _meant(self, ctx: click.Context, error: click.UsageError, given: Sequence[str]) -> str:
        """Suggest `GAME@STEP` or `-n N` for a number behind a game, `--` before a game like `----`."""
        if isinstance(error, click.NoSuchOption) and any(
            isinstance(item.type, GameType) for item in self.params
        ):
            hyphen = next((word for word in given if word.startswith("-") and _is_game(ctx, word)), "")
            return f" To name the game, put -- before it: {self.name} -- {hyphen}." if hyphen else ""
        plain = [word for word in given if not word.startswith("-")]
        if "unexpected extra argument" not in error.message or len(plain) != 2 or not plain[1].isdecimal():  # noqa: PLR2004
            return ""
        kinds = [item.type for item in self.params]
        if any(isinstance(kind, GameType) and kind.steps for kind in kinds):
            return f" Did you mean {plain[0]}@{plain[1]}?"
        if any(item.name == "count" for item in self.params):
            return f" Did you mean {plain[0]} -n {plain[1]}?"
        return ""


def _texts(value: Any) -> Iterator[str]:
    """Give the texts in what an option or argument came to."""
    match value:
        case str():
            yield value
        case tuple() | list():
            for part in value:
                yield from _texts(part)
        case dict():
            for pair in value.items():
                yield from _texts(pair)


def command(
    section: str,
    name: str | None = None,
    *,
    writes: bool = False,
    corrects: bool = False,
    examples: tuple[str, ...] = (),
) -> Callable[[F], ShellCommand]:
    """Declare a command: `--json` and `--db` for all; where it writes, `--after`, `--command-id` and `--by`.

    `corrects`: it writes no events, so that only `--after` makes sense; repeated, it comes to the same.
    `examples` are printed below the text of its help, a line each.
    """

    def declare(function: F) -> ShellCommand:
        made = click.command(name or function.__name__, cls=ShellCommand)(click.pass_obj(function))
        for option in (*(_WRITING if writes else _WRITING[:1] if corrects else ()), _JSON, _DB):
            option(made)
        made.section = section
        made.examples = examples
        if examples:
            # The control character keeps click from joining the lines.
            lines = (f"{cleandoc(made.help or '')}\n\n\b", *(f"  tabletape {line}" for line in examples))
            made.help = "\n".join(lines)
        return made

    return declare


def _set_json(ctx: click.Context, _parameter: click.Parameter, value: bool) -> None:
    if value:
        ctx.ensure_object(Shell).json = True


def _set_db(ctx: click.Context, _parameter: click.Parameter, value: str | None) -> None:
    if value is not None:
        shell = ctx.ensure_object(Shell)
        shell.db, shell.explicit = value, True


class Whole(click.ParamType[int]):
    """A whole number between two others."""

    name = "number"

    def __init__(self, least: int = 0, most: int = BILLION) -> None:
        self.least = least
        self.most = most

    def convert(self, value: int | str, param: click.Parameter | None, ctx: click.Context | None) -> int:
        """Read it."""
        found = value if isinstance(value, int) else whole(value)
        if found is None or not self.least <= found <= self.most:
            self.fail(f"{brief(value)} is no whole number from {self.least} to {self.most}.", param, ctx)
        return found


class Word(click.ParamType[str]):
    """A text that says something."""

    name = "text"
    empty = "It is empty: give a text, or leave the option out."

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse an empty one."""
        if not value.strip():
            self.fail(self.empty, param, ctx)
        return value


class CommandId(Word):
    """The name of a command."""

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what none can be called."""
        if not (value.isascii() and value.isprintable() and " " not in value and 1 <= len(value) <= 128):  # noqa: PLR2004 - as the sentence says
            self.fail("A command id has 1 to 128 printable ASCII characters without spaces.", param, ctx)
        return value


class Day(Word):
    """A day."""

    name = "date"

    def convert(self, value: str, param: click.Parameter | None, ctx: click.Context | None) -> str:
        """Refuse what is none."""
        from datetime import date

        try:
            found = date.fromisoformat(value).isoformat()
        except ValueError:
            found = ""
        if found != value:
            self.fail(f"{brief(value)} is no day like 2026-09-14.", param, ctx)
        return value


class FileName(Word):
    """Where a file is or will be; any bytes that the system takes."""

    name = "file"
    empty = "It is empty: name a file."


class FormatName(click.Choice[str]):
    """A format that is installed; they are looked for when one is named, and not before."""

    def __init__(self) -> None:
        super().__init__(())

    @property
    def choices(self) -> tuple[str, ...]:
        """The names of the formats."""
        from eventstore.formats import registry

        return tuple(registry.names())

    @choices.setter
    def choices(self, _none: tuple[str, ...]) -> None:
        """Keep none: see above."""


_JSON = click.option(
    "--json", is_flag=True, expose_value=False, is_eager=True, callback=_set_json, help="Answer as JSON."
)
_DB = click.option(
    "--db",
    metavar="FILE",
    type=FileName(),
    expose_value=False,
    is_eager=True,
    callback=_set_db,
    help="The database.",
)
_WRITING = (
    click.option(
        "--after",
        metavar="SEQ",
        type=Whole(0),
        help="Refuse (exit 3) unless this is the game's last event.",
    ),
    click.option(
        "--command-id",
        metavar="ID",
        type=CommandId(),
        help="Name this command: repeated, it gets its first answer again.",
    ),
    click.option(
        "--by", metavar="KEY", type=Word(), default="recorder", help="The key of who enters it; not a name."
    ),
)


class GameType(click.ParamType[str]):
    """A game's id, or as much of its beginning as names one game."""

    name = "game"

    def __init__(self, *, steps: bool = False) -> None:
        self.steps = steps
        self.metavar = "GAME[@STEP]" if steps else "GAME"

    def get_metavar(self, param: click.Parameter, ctx: click.Context) -> str | None:  # noqa: ARG002 - click's
        """What the help calls it."""
        return self.metavar

    def shell_complete(
        self,
        ctx: click.Context,
        param: click.Parameter,  # noqa: ARG002 - click's signature
        incomplete: str,
    ) -> list[CompletionItem]:
        """Offer the ids that begin so; nothing, and no complaint, where the database cannot be read."""
        from click.shell_completion import CompletionItem

        try:
            return [CompletionItem(item, help=about) for item, about in _games_like(ctx, incomplete)]
        except Exception:  # noqa: BLE001 - a completion has nowhere to complain
            return []


def _is_game(ctx: click.Context, word: str) -> bool:
    """Tell whether a game that is here begins so; the refusal of a word must not fail over a database."""
    try:
        return bool(_games_like(ctx, word.partition("@")[0]))
    except Exception:  # noqa: BLE001 - as above
        return False


def _games_like(ctx: click.Context, prefix: str) -> list[tuple[str, str]]:
    root = ctx.find_root()
    shell = ctx.find_object(Shell) or Shell(root.params.get("db"))
    from eventstore.opening import open_log

    # It is read as it stands: a completion brings no database up to date.
    with open_log(shell.db, create=False, read_only=True) as log:
        known = [(game, log.opening(game)) for game in log.ids(prefix.strip().lower(), limit=_COMPLETIONS)]
    return [
        (game, opening.details.title or ", ".join(opening.details.names.values()))
        for game, opening in known
        if opening is not None
    ]


def whole(text: str) -> int | None:
    """Read a whole number; none where it is none, or so great that nothing here is.

    >>> whole("12"), whole("-3"), whole("9" * 30), whole("1e3")
    (12, -3, None, None)
    """
    digits = text.strip().removeprefix("-")
    return int(text) if digits.isascii() and digits.isdigit() and len(digits) < DIGITS else None


def split_step(text: str) -> tuple[str, int | None]:
    """Split `GAME@STEP`.

    >>> split_step("h4x9@12"), split_step("h4x9")
    (('h4x9', 12), ('h4x9', None))
    """
    game, at, step = text.partition("@")
    if not at:
        return game, None
    found = whole(step)
    if found is None or found < 0:
        raise click.BadParameter(
            f"A step is a number from 0 on, as in {game or 'GAME'}@12, not {brief(step)}."
        )
    return game, found


def pairs(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, str]:
    """Read options of the form `name=value`."""
    chosen: dict[str, str] = {}
    for pair in given:
        key, equals, value = pair.partition("=")
        if not equals or not key:
            raise click.BadParameter(f"{brief(pair)} is not of the form name=value.", ctx, parameter)
        if key in chosen:
            raise click.BadParameter(f"{key} is given twice.", ctx, parameter)
        chosen[key] = value
    return chosen


def key_values(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    """Read `name=value` options whose value is JSON if it parses, else text."""
    return {key: json_or_text(value) for key, value in pairs(ctx, parameter, given).items()}


def json_or_text(value: str) -> Any:
    """Read JSON, else take the text as it stands.

    >>> json_or_text("3"), json_or_text("enemies-only")
    (3, 'enemies-only')
    """
    import msgspec

    from games.core.json_text import DoubledKey
    from games.core.serialization import is_deep, read_json

    if is_deep(value):
        raise click.BadParameter("JSON that is nested so deep is no value.")
    try:
        return read_json(value)
    except DoubledKey as fault:
        raise click.BadParameter(f"{brief(value)} cannot be read: {fault}.") from None
    except msgspec.DecodeError:
        return value


def _readings(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    """As `key_values`; `help` explains the options of the ruleset, and ends there."""
    if "help" in given:
        from cli.shell.option_help import explain
        from games.core.registry import installed

        explain(ctx.ensure_object(Shell), installed().find(ctx.params["ruleset"]))
        ctx.exit()
    return key_values(ctx, parameter, given)


GAME = click.argument("game", type=GameType())
GAME_AT = click.argument("game", type=GameType(steps=True))
SEEN_BY = click.option(
    "--as",
    "viewer",
    type=Word(),
    metavar="VIEWER",
    default="everything",
    help="See it as a player does (a name, or a seat as p1) or as the table does; else everything.",
)
OPTIONS = click.option(
    "--option",
    "options",
    metavar="NAME=VALUE",
    multiple=True,
    callback=_readings,
    help="Choose a reading of the rules; may be repeated. `--option help` explains what there is.",
)


def ruleset_names(_ctx: click.Context, _parameter: click.Parameter, incomplete: str) -> list[str]:
    """Complete the name of a ruleset."""
    from games.core.registry import installed

    return [name for name in installed().names() if name.startswith(incomplete)]


RULESET = click.argument("ruleset", is_eager=True, shell_complete=ruleset_names)
