"""Board and card files: reading and judging."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from games.core.ruleset import BadData, IllegalAction
from games.kit.data import Fault, decoded, wrong_ids, wrong_name, wrong_text
from games.rulesets.legend_of_monopoly.state import (
    COTTAGES,
    SPACES,
    TAX,
    Data,
    Go,
    GoToUnderworld,
    Land,
    MagicCard,
    Options,
    TaxSpace,
    Underworld,
)
from games.words import counted

HIGHEST: Final = 1_000_000
_FORBIDDEN: Final = "{},;:#"
_RESERVED: Final = frozenset({"for"})
_SUMS: Final = frozenset({"collect", "pay", "collect-from-each", "pay-each"})


def load_data(file: bytes | None, _seats: tuple[str, ...], _options: Options, origin: str) -> Data:
    """Read a board file (the shipped one where none is given).

    Errors: `BadData` with the offending row; `IllegalAction` `manual-needs-table`.
    """
    data = _shipped() if file is None else _read(file)
    refuse_manual(data, origin)
    return data


def refuse_manual(data: Data, origin: str) -> None:
    """Refuse cards that only a table can read in a game that nobody plays at a table.

    Errors: `IllegalAction` `manual-needs-table`.
    """
    cards = (card for deck in data.magic.values() for card in deck)
    manual = next((card for card in cards if card.effect == "manual"), None)
    if manual is not None and origin != "table":
        raise IllegalAction(
            "manual-needs-table",
            f"The magic card {manual.id!r} has the effect manual: what it does must be read at a table,"
            f" so this game cannot be {origin}.",
            "R37",
        )


@cache
def _shipped() -> Data:
    return _read(files(__package__).joinpath("data/board.json").read_bytes())


def _read(file: bytes) -> Data:
    data = decoded(file, "board file", lambda plain: msgspec.convert(plain, Data))
    for row, sentence in _faults(data):
        raise BadData(row, sentence)
    return data


def _faults(data: Data) -> Iterator[Fault]:
    """Give each row that does not fit, with what would be right."""
    yield from wrong_text("source", data.source)
    yield from _wrong_board(data)
    yield from _wrong_names(data)
    for number, space in enumerate(data.spaces):
        if isinstance(space, Land):
            yield from ((f"spaces[{number}]", said) for said in _wrong_land(space))
        elif isinstance(space, TaxSpace) and space.amount != TAX:
            yield f"spaces[{number}]", f"The Treasure Tax is {TAX} Rahl, not {space.amount}."
    yield from _wrong_parts(data)
    yield from _wrong_decks(data)


def _wrong_board(data: Data) -> Iterator[Fault]:
    if len(data.spaces) != SPACES:
        row = f"spaces[{min(len(data.spaces), SPACES)}]"
        yield row, f"The board has {SPACES} spaces, this file {len(data.spaces)}."
        return
    for number, space in enumerate(data.spaces):
        if space.pos != number:
            yield f"spaces[{number}]", f"Space {number} comes here, not {space.pos}."
    if not isinstance(data.spaces[0], Go):
        yield "spaces[0]", "The board begins with the space of type go."
    for sort, name in ((Go, "go"), (Underworld, "underworld"), (GoToUnderworld, "go-to-underworld")):
        places = [number for number, space in enumerate(data.spaces) if isinstance(space, sort)]
        if len(places) != 1:
            row = f"spaces[{places[1]}]" if places else "spaces"
            yield row, f"There is one space of type {name}, not {len(places)}."
    if not any(isinstance(space, Land) for space in data.spaces):
        yield "spaces", "There is at least one land."


def _wrong_names(data: Data) -> Iterator[Fault]:
    """A land is typed by its name, so each has its own."""
    seen: dict[str, int] = {}
    for number, space in enumerate(data.spaces):
        yield from wrong_name(f"spaces[{number}]", space.name, _FORBIDDEN, ())
        if isinstance(space, Land):
            yield from wrong_name(f"spaces[{number}]", space.part, _FORBIDDEN, ())
            other = seen.setdefault(space.name.casefold(), number)
            if other != number:
                yield f"spaces[{number}]", f"{space.name!r} is the name of space {other} already."


def _wrong_land(land: Land) -> Iterator[str]:
    sums = (land.price, land.debt, land.fee, land.cottage, land.inn, land.inn_charge)
    figures = [*(item for item in sums if item is not None), *land.unimproved, *land.cottages]
    if any(not 0 <= figure <= HIGHEST for figure in figures) or land.price == 0:
        yield f"Sums are whole Rahl from 0 to {HIGHEST}, and a price is at least 1."
    if land.fee != land.price // 10:
        yield f"The fee is a tenth of the price, {land.price // 10} Rahl, not {land.fee}."
    if land.debt > land.price:
        yield f"The Treasure Chest gives at most the price, {land.price} Rahl, not {land.debt}."
    building = [land.cottage is None, land.inn is None, land.inn_charge is None]
    if len(land.cottages) not in {0, COTTAGES} or any(item != (not land.cottages) for item in building):
        yield (
            f"A land that can be built on has prices of a cottage and an inn, charges with 1 to {COTTAGES}"
            " cottages and with an inn; another has none of these (null, and an empty list)."
        )


def _wrong_parts(data: Data) -> Iterator[Fault]:
    parts: dict[str, list[Land]] = {}
    for space in data.spaces:
        if isinstance(space, Land):
            parts.setdefault(space.part, []).append(space)
    for part, lands in parts.items():
        for land in lands:
            if len(land.unimproved) != len(lands):
                has, charges = counted(len(lands), "land"), counted(len(lands), "charge")
                said = f"{part} has {has}, so each has {charges} without cottages"
                yield f"spaces[{land.pos}]", f"{said}, not {len(land.unimproved)}."
            if bool(land.cottages) != bool(lands[0].cottages):
                yield f"spaces[{land.pos}]", f"All lands of {part} can be built on, or none."


def _wrong_decks(data: Data) -> Iterator[Fault]:
    if set(data.magic) != {"additive", "subtractive"}:
        yield "magic", "There are two decks, additive and subtractive."
    rows = {
        f"magic.{name}[{number}]": card
        for name, cards in data.magic.items()
        for number, card in enumerate(cards)
    }
    yield from wrong_ids(((row, card.id) for row, card in rows.items()), _RESERVED)
    for row, card in rows.items():
        yield from ((row, said) for said in _wrong_card(card))
        if card.title is not None:
            yield from wrong_name(row, card.title, _FORBIDDEN, ())
    for name, cards in data.magic.items():
        if all(card.effect == "keep-return" for card in cards):
            yield f"magic.{name}", "A deck needs a card that goes back under it, or it would run out."


def _wrong_card(card: MagicCard) -> Iterator[str]:
    value = card.value
    if card.effect in _SUMS:
        fits, need = isinstance(value, int) and 1 <= value <= HIGHEST, "a sum from 1 on"
    elif card.effect == "repairs":
        fits = isinstance(value, tuple) and all(0 <= item <= HIGHEST for item in value)
        need = "a pair of sums, per cottage and per inn"
    elif card.effect == "advance":
        fits, need = isinstance(value, int) and 0 <= value < SPACES, f"a space from 0 to {SPACES - 1}"
    elif card.effect == "move":
        fits = isinstance(value, int) and value != 0 and abs(value) < SPACES
        need = "steps, below 0 to go back, and not 0"
    else:
        fits, need = value is None, "the value null"
    if not fits:
        yield f"The effect {card.effect} takes {need}, not {msgspec.json.encode(value).decode()}."
