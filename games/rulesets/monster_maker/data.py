"""Card files: the short form of the shipped one, or one entry a card; both become one entry a card."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

import msgspec

from games.core.ruleset import BadData
from games.kit.data import Fault, decoded, wrong_id, wrong_ids, wrong_name, wrong_text
from games.rulesets.monster_maker.state import PIECES, Data, Kind, Monster, Options, Piece, Trade

MONSTERS: Final = 5
MONSTER_PIECES: Final = 60
TRADES: Final = 19

_KINDS: Final = ("trade-1", "trade-2", "garbage-trade")
_RESERVED: Final = frozenset(
    {"bonus", "deal", "draw", "garbage", "keep", "monster", "pick", "rebuild", "resign", "save", "x"}
)
"""Words of the notation, which cannot be the id of a card."""


class ShortFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Every monster has the same parts, every piece is there `copies` times."""

    source: str
    monsters: tuple[str, ...]
    pieces: tuple[str, ...]
    copies: Annotated[int, msgspec.Meta(ge=1, le=MONSTER_PIECES)]
    trades: dict[Kind, Annotated[int, msgspec.Meta(ge=0, le=TRADES)]]


def load_data(file: bytes | None, _seats: tuple[str, ...], _options: Options, _origin: str) -> Data:
    """Read a card file, the shipped one where none is given.

    Errors: `BadData` with the offending row.
    """
    return _shipped() if file is None else read_data(file)


@cache
def _shipped() -> Data:
    return read_data(files(__package__).joinpath("data/cards.json").read_bytes())


def read_data(file: bytes) -> Data:
    """Read and judge a card file."""
    data = decoded(file, "card file", _data)
    for row, sentence in _faults(data):
        raise BadData(row, sentence)
    return data


def _data(plain: Any) -> Data:
    if not isinstance(plain, dict):
        raise BadData("", "The card file is an object with source, monsters, pieces and trades.")
    if "copies" in plain:
        return _spread(msgspec.convert(plain, ShortFile))
    return msgspec.convert(plain, Data)


def slug(name: str) -> str:
    """Make an id from a printed name.

    >>> slug("Big Foot")
    'big-foot'
    """
    return "-".join(re.findall(r"[a-z0-9]+", name.casefold()))


def _spread(short: ShortFile) -> Data:
    for number, part in enumerate(short.pieces):
        if part in short.pieces[:number]:
            raise BadData(f"pieces[{number}]", f"The part {part!r} is there twice; copies says how many.")
    copies = range(1, short.copies + 1)
    monsters = tuple(Monster(slug(name), name) for name in short.monsters)
    return Data(
        source=short.source,
        monsters=monsters,
        pieces=tuple(
            Piece(f"{monster.id}-{part}-{copy}", monster.id, part)
            for monster in monsters
            for part in short.pieces
            for copy in copies
        ),
        trades=tuple(
            Trade(f"{kind}-{copy}", kind)
            for kind, many in short.trades.items()
            for copy in range(1, many + 1)
        ),
    )


# --- what does not fit ------------------------------------------------------------------------------------


def _faults(data: Data) -> Iterator[Fault]:
    """Give each row that does not fit, with what would be right."""
    yield from _wrong_names(data)
    yield from _wrong_counts(data)
    yield from _wrong_ids(data)
    yield from _wrong_pieces(data)


def _wrong_names(data: Data) -> Iterator[Fault]:
    yield from wrong_text("source", data.source)
    for number, monster in enumerate(data.monsters):
        yield from wrong_name(f"monsters[{number}]", monster.name)


def _wrong_counts(data: Data) -> Iterator[Fault]:
    for row, have, need, what in (
        ("monsters", len(data.monsters), MONSTERS, "monsters"),
        ("pieces", len(data.pieces), MONSTER_PIECES, "Monster Piece cards"),
        ("trades", len(data.trades), TRADES, "Trade cards"),
    ):
        if have != need:
            yield row, f"The game has {need} {what}, this file {have}."


def _ids(data: Data) -> Iterator[Fault]:
    for number, monster in enumerate(data.monsters):
        yield f"monsters[{number}]", monster.id
    for number, piece in enumerate(data.pieces):
        yield f"pieces[{number}]", piece.id
    for number, trade in enumerate(data.trades):
        yield f"trades[{number}]", trade.id


def _wrong_ids(data: Data) -> Iterator[Fault]:
    yield from wrong_ids(_ids(data), _RESERVED)
    for number, trade in enumerate(data.trades):
        if trade.id in _KINDS and trade.id != trade.kind:
            yield f"trades[{number}]", f"The id {trade.id!r} is the name of another kind of trade card."


def _wrong_pieces(data: Data) -> Iterator[Fault]:
    known = {monster.id for monster in data.monsters}
    for number, piece in enumerate(data.pieces):
        row = f"pieces[{number}]"
        if piece.monster not in known:
            yield row, f"{piece.monster!r} is none of the monsters {', '.join(sorted(known))}."
        yield from wrong_id(row, piece.part)
    parts = Counter(monster for monster, _ in {(piece.monster, piece.part) for piece in data.pieces})
    for number, monster in enumerate(data.monsters):
        if not 1 <= parts[monster.id] <= PIECES:
            said = f"{monster.name} has {parts[monster.id]} different parts; a player holds {PIECES} pieces,"
            yield f"monsters[{number}]", f"{said} so 1 to {PIECES} can be put together."
