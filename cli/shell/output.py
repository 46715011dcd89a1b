"""What every command shares: which database, how to answer, and whether colours are wanted."""

from __future__ import annotations

import os
import re
import sys
from contextlib import contextmanager
from typing import IO, TYPE_CHECKING, Any, Final, TypeVar

import click

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from eventstore.library.catalogue import Catalogue
    from eventstore.log.contract import EventLog
    from eventstore.store import Store

Opened = TypeVar("Opened")

DATABASE: Final = "tabletape.db"
LONGEST_NAMED: Final = 200
"""Characters of a database's name that a command which is printed may hold."""
_COMMAND: Final = re.compile(r"`tabletape (?!demo\b|rulesets\b)(?=[a-z])")
"""A command in a sentence; these two do not work on the database that was named."""
_STEERING: Final = re.compile(
    "(?P<flag>\U0001f3f4[\U000e0030-\U000e0039\U000e0061-\U000e007a]{3,6}\U000e007f)"  # as Scotland's
    "|[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff"  # controls but tab and newline; half characters
    # What turns a line round, or cannot be seen: Unicode's Cf, joiners apart.
    "\xad\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u180e\u200b\u200e\u200f\u202a-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    "\U000e0000-\U000e00ff\U000e01f0-\U000e0fff"
    "\u034f\u115f\u1160\u2800\u3164\uffa0]"  # letters without a shape
    "|(?<![^\x00-\xa0\u200c\u200d])[\u200c\u200d]"  # joiners behind nothing that joins
)


def chosen_database(named: str | None) -> str:
    """Choose the database: the one named, else `$TABLETAPE_DB`, else `./tabletape.db`."""
    return named or os.environ.get("TABLETAPE_DB") or DATABASE


class Shell:
    """One call of the command line."""

    def __init__(self, db: str | None = None) -> None:
        """`db` is the database as named on the command line."""
        self.db = chosen_database(db)
        self.explicit = db is not None
        self.json = False

    def reading(self) -> Store:
        """Open the database to read from it; it must be there, and need not be ours to write to."""
        from eventstore.store import Store

        return Store(self._log())

    @contextmanager
    def listing(self) -> Iterator[Catalogue]:
        """Open the database for its list of games; what replays and records is loaded where it is needed."""
        from functools import cache

        from eventstore.library.catalogue import Catalogue
        from games.core.registry import installed

        @cache
        def store() -> Store:
            from eventstore.store import Store

            return Store(log, installed())

        with self._log() as log:
            yield Catalogue(log, installed(), lambda game: store().game(game))

    def _log(self) -> EventLog:
        from eventstore.opening import open_log

        return self.opened_by(open_log)

    def opened_by(self, opener: Callable[..., Opened]) -> Opened:
        """Open the database, for reading alone where it cannot be written."""
        from eventstore.errors import DatabaseReadOnly

        self.demand()
        try:
            return opener(self.db, create=False)
        except DatabaseReadOnly:
            return opener(self.db, create=False, read_only=True)

    def writing(self, *, create: bool = False) -> Store:
        """Open the database to write to it; only what begins something makes a new one."""
        from contextlib import nullcontext

        from eventstore.errors import unwritten
        from eventstore.store import Store

        there = os.path.exists(self.db)  # noqa: PTH110 - pathlib takes time to import
        if not create:
            self.demand()
        with unwritten(f"no database was made at {self.db}") if create and not there else nullcontext():
            return Store.open(self.db, create=create)

    def demand(self) -> None:
        """Refuse a database that is not there."""
        from eventstore.errors import DatabaseMissing

        if not os.path.exists(self.db):  # noqa: PTH110 - pathlib takes time to import
            from eventstore.files.atomic_file import real

            real(self.db)
            raise DatabaseMissing(
                self.db, "there is no such file; `tabletape new` starts one, `tabletape demo` shows samples"
            )

    @property
    def program(self) -> str:
        """How a command begins that works on the same database: with its `--db` where that was given."""
        import shlex

        if not self.explicit or len(self.db) > LONGEST_NAMED:
            return "tabletape"
        return f"tabletape --db {legible(shlex.quote(self.db))}"

    def typed(self, text: str) -> str:
        """Put the `--db` that was given into every command that a sentence names."""
        return _COMMAND.sub(lambda _: f"`{self.program} ", text)

    def answer(self, value: Any, text: str) -> None:
        """Print a result: as JSON when that was asked for, else as text for people."""
        if self.json:
            print_json(value)
        else:
            click.echo(text)


def current() -> Shell:
    """Give the call that runs now, wherever it is asked for."""
    context = click.get_current_context(silent=True)
    return (context.find_object(Shell) if context else None) or Shell()


def print_json(value: Any) -> None:
    """Print a value as one line of JSON on stdout."""
    import msgspec

    click.echo(legible_json(msgspec.json.encode(value).decode()))


def legible_json(text: str) -> str:
    r"""Escape in JSON what would steer a terminal; the values stay the same.

    >>> print(legible_json('"\x9b2J \u202e \U000e0041"'))
    "\u009b2J \u202e \udb40\udc41"
    """
    import json

    return _STEERING.sub(lambda found: found["flag"] or json.dumps(found[0])[1:-1], text)


def tell(text: str) -> None:
    """Say something that is not data: on stderr."""
    click.echo(text, err=True)


def plain_wanted() -> bool:
    """Tell whether the person asked for no colours (click itself does not look)."""
    return bool(os.environ.get("NO_COLOR")) or os.environ.get("TERM") == "dumb"


def coloured(stream: IO[Any] | None = None) -> bool:
    """Tell whether colours may go to this stream: a terminal whose owner did not refuse them."""
    return (stream or sys.stdout).isatty() and not plain_wanted()


def paint(text: str, **style: Any) -> str:
    """Style a text for `click.echo`, which takes the style out again where it prints to no terminal."""
    return text if plain_wanted() else click.style(text, **style)


def legible(text: str) -> str:
    r"""Spell out what would steer a terminal or turn a line round: an imported record may hold anything.

    >>> print(legible("Ann\x1b[2J wins"))
    Ann\x1b[2J wins
    """
    return _STEERING.sub(_spelt_out, text)


def _spelt_out(found: re.Match[str]) -> str:
    if found["flag"]:
        return found[0]
    number = ord(found[0])
    # Python holds a byte that is no UTF-8 as half a character.
    byte = number - 0xDC00 if 0xDC80 <= number <= 0xDCFF else None  # noqa: PLR2004 - as in PEP 383
    return found[0].encode("unicode_escape").decode() if byte is None else f"\\x{byte:02x}"


def plain(text: str) -> str:
    r"""As `legible`, on one line: names, titles and places.

    >>> print(plain("Ann\tBo\n"))
    Ann\tBo\n
    """
    return legible(text).replace("\n", "\\n").replace("\t", "\\t")


def brief(value: object, most: int = 60) -> str:
    """Quote what was typed, so much of it as can be read.

    >>> print(brief("abc"), brief("abc", 2), brief("it's"))
    'abc' 'ab…' "it's"
    """
    text = str(value)
    shown = plain(text if len(text) <= most else f"{text[:most]}…")
    return f'"{shown}"' if "'" in shown else f"'{shown}'"


def fitted(text: str, stream: IO[Any]) -> str:
    """Break lines at words where they go to a terminal; a pipe gets them whole."""
    if not stream.isatty():
        return text
    from textwrap import wrap

    return "\n".join(
        line
        for whole in text.split("\n")
        for line in wrap(
            whole, columns() - 1, subsequent_indent="  ", break_long_words=False, break_on_hyphens=False
        )
        or [""]
    )


def columns() -> int:
    """The width to lay text out for."""
    import shutil

    return max(40, shutil.get_terminal_size().columns)
