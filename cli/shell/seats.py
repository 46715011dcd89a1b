"""Players by their names, wherever a seat is asked for; a seat's own key always means that seat."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cli.shell.output import brief, plain
from cli.shell.refusals import ShellRefusal
from games.words import joined

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

    from eventstore.replay.game import Game
    from eventstore.store import Store

_EVERYBODY: Final = ("everything", "table")
_INNER: Final = r"[\w.-]"
"""What stands beside no name in a typed move: a hyphen belongs to the name of a card."""


def legend(names: Mapping[str, str]) -> str:
    """Say who sits where.

    >>> legend({"p1": "Ann", "p2": "p2"})
    'p1 Ann, p2'
    """
    return ", ".join(plain(seat if name == seat else f"{seat} {name}") for seat, name in names.items())


def seat_of(text: str, names: Mapping[str, str]) -> str:
    """Give the seat of the one player of this name; else the text as it is.

    >>> seat_of("ann", {"p1": "Ann", "p2": "Bo"}), seat_of("p2", {"p1": "p2", "p2": "Bo"})
    ('p1', 'p2')
    """
    if text in names:
        return text
    from eventstore.log.names import folded

    found = [seat for seat, name in names.items() if folded(name) == folded(text.strip())]
    return found[0] if len(found) == 1 else text


def as_seen_by(game: Game, viewer: str) -> Game:
    """Give the game as it is seen by a name, a seat, `everything` or `table`.

    Errors:  `Refused` `unknown-viewer`, with who sits where.
    """
    found = viewer if viewer in _EVERYBODY else seat_of(viewer, game.names)
    if found not in (*_EVERYBODY, *game.seats):
        seen = ", ".join((*_EVERYBODY, legend({seat: game.names.get(seat, seat) for seat in game.seats})))
        raise ShellRefusal(
            "unknown-viewer", f"{brief(viewer)} cannot look at this game: it is seen by {seen}."
        )
    return game.seen_by(found)


def with_seats(text: str, names: Mapping[str, str]) -> str:
    """Put seats where a typed move names players, quoted or as whole words; JSON stays as it is.

    >>> with_seats("monster Bo grizzle; Ann: resign", {"p1": "Ann", "p2": "Bo"})
    'monster p2 grizzle; p1: resign'
    >>> with_seats("deal 'bo' 40 for Bo-8", {"p1": "Ann", "p2": "Bo"})
    'deal p2 40 for Bo-8'
    """
    if "{" in text:
        return text
    for name in sorted(names.values(), key=len, reverse=True):
        seat = seat_of(name, names)
        if name.strip() and seat != name:
            said = re.escape(name)
            free = f"(?<!{_INNER}){said}(?!{_INNER})"
            text = re.sub(f"'{said}'|\"{said}\"|{free}", seat, text, flags=re.IGNORECASE)
    return text


def with_names(text: str, names: Mapping[str, str], accept: Callable[[str], Any]) -> Any:
    """Do what takes a typed move: with what was typed, and if it is not understood, with seats for names.

    So a word that the rules understand, as the name of a card, stays theirs.
    Errors:  what `accept` raises.
    """
    try:
        return accept(text)
    except Exception as refusal:
        meant = with_seats(text, names)
        if getattr(refusal, "code", "") != "not-understood" or meant == text:
            raise
        return accept(meant)


def keys_of(claims: Mapping[str, Any], known: Mapping[str, Any], names: Mapping[str, str]) -> dict[str, Any]:
    """Put seats for names in the keys of counters and zones, as in `cash.Rosa`."""
    return {key if key in known else _key(key, names): value for key, value in claims.items()}


def _key(key: str, names: Mapping[str, str]) -> str:
    head, dot, name = key.partition(".")
    return f"{head}{dot}{seat_of(name, names)}"


def seat_anywhere(store: Store, text: str) -> str:
    """Give the seat that a player has in every game where somebody is called so; else the text as it is.

    Errors:  `Refused` `unknown-seat` where the seats differ.
    """
    from games.core.ruleset import is_seat

    if is_seat(text):
        return text
    seats = sorted(set(_seats_of(store, text)))
    if len(seats) > 1:
        raise ShellRefusal(
            "unknown-seat", f"{brief(text)} is {joined(seats, 'or')}, depending on the game: give the seat."
        )
    return seats[0] if seats else text


def _seats_of(store: Store, name: str) -> Iterator[str]:
    from eventstore.log.names import folded

    for entry in store.catalogue.list(player=name, hidden=True):
        yield from (seat.seat for seat in entry.seats if folded(seat.name) == folded(name.strip()))
