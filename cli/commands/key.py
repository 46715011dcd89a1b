"""The keys with which others write over a network."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any, Final

import click

from cli.shell.options import Word, command
from cli.shell.output import Shell, brief, current, paint
from cli.shell.seats import seat_anywhere
from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.access.keys import Access
    from eventstore.log.key_table import Key

NEVER_AGAIN: Final = "It is shown this once: write it down, or keep this window."


@command(
    "Serve",
    examples=(
        "key add --seat p1",
        "key add tablet --url http://192.0.2.7:8765/",
        "key list",
        "key revoke tablet",
    ),
)
@click.argument("what", type=click.Choice(["add", "list", "revoke"]), metavar="add|list|revoke")
@click.argument("name", type=Word(), required=False)
@click.option(
    "--seat", metavar="SEAT", type=Word(), help="Of a new key: show what this seat sees; else everything."
)
@click.option(
    "--url",
    metavar="ADDRESS",
    type=Word(),
    help="Of a new key: the address that `serve --lan` prints; gives a link and a code with the key.",
)
def key(shell: Shell, what: str, name: str | None, seat: str | None, url: str | None) -> None:
    """Add a key for those who write over a network, list the keys, or revoke one.

    What is written with a key is marked with its NAME: a word of yours, not a person's name; else its seat,
    or `table-key`. No name is given twice: what p1's keys wrote, p1 reads. `serve --lan` asks for a key, and
    makes the first one by itself. A revoked key opens nothing from that moment on, and whoever came in with
    it is out.
    """
    if seat is not None and what != "add":
        raise click.UsageError("--seat belongs to a new key: tabletape key add --seat p1.")
    if url is not None:
        if what != "add":
            raise click.UsageError(
                "--url belongs to a new key: tabletape key add --url http://192.0.2.7:8765/."
            )
        url = _address(url)
    if what == "list" and name is not None:
        raise click.UsageError("The list takes no name.")
    if what == "revoke" and name is None:
        raise click.UsageError("Say which key: tabletape key list names them.")
    if what == "list":
        with shell.reading() as store:
            _listed(shell, store.access)
        return
    with shell.writing(create=what == "add") as store:
        if what == "revoke":
            gone = store.access.revoke(str(name))
            shell.answer(_json(gone), f"{gone.name} opens nothing any more, and whoever used it is out.")
        else:
            if seat is not None:
                seat = seat_anywhere(store, seat)
            made, typed = store.access.add(name, seat=seat)
            link = None if url is None else f"{url}sign-in#key={typed}"
            lines = [f"{paint(typed, bold=True)}  ({made.name}: {_shows(made)})", NEVER_AGAIN, *_how(link)]
            more = {} if link is None else {"url": link}
            shell.answer({**_json(made), "key": typed, **more}, "\n".join(lines))


def _address(url: str) -> str:
    """Give the address of the site, a slash at its end."""
    from urllib.parse import urlsplit

    try:
        found = urlsplit(url.strip())
        wrong = found.scheme not in {"http", "https"} or not found.hostname or found.port == 0
    except ValueError:
        wrong = True
    if wrong or not url.strip().isprintable() or found.query or found.fragment:
        raise click.BadParameter(
            f"{brief(url)} is no address like http://192.0.2.7:8765/.", param_hint="--url"
        )
    return f"{found.scheme}://{found.netloc}{found.path.rstrip('/')}/"


def _how(link: str | None) -> Iterator[str]:
    """Say where the key is typed; with an address, draw the code on a terminal."""
    if link is None:
        yield f"Open the address that `{current().program} serve --lan` prints, choose Sign in and type it."
        yield "With --url ADDRESS, a code for a phone's camera is printed."
        return
    yield f"Or open {link}"
    if sys.stdout.isatty():
        from cli.commands.serve import code

        yield from code(link)


def _listed(shell: Shell, access: Access) -> None:
    keys = access.list()
    lines = [f"{item.name}  {_shows(item)}, since {item.added_at[:10]}" for item in keys]
    none = shell.typed("There is no key; `tabletape key add` and `tabletape serve --lan` make one.")
    shell.answer(
        [_json(item) for item in keys], "\n".join([*lines, counted(len(keys), "key")]) if keys else none
    )


def _shows(item: Key) -> str:
    return f"shows what {item.seat} sees" if item.seat else "shows everything"


def _json(item: Key) -> dict[str, Any]:
    return {"name": item.name, "seat": item.seat, "added_at": item.added_at}
