"""Card files: both forms become one entry a card, what does not fit is refused with its row."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from copy import deepcopy
from importlib.resources import files
from typing import Any

import msgspec
import pytest

from games.core.ruleset import BadData, seat_names
from games.rulesets.monster_maker.data import load_data
from games.rulesets.monster_maker.state import Options

SHIPPED = msgspec.json.decode(
    files("games.rulesets.monster_maker").joinpath("data/cards.json").read_bytes(), type=dict[str, Any]
)
Change = Callable[[dict[str, Any]], None]


def load(cards: Any) -> Any:
    return load_data(msgspec.json.encode(cards), seat_names(2), Options(), "table")


LONG = msgspec.json.decode(msgspec.json.encode(load(SHIPPED)))


def setting(*path: Any) -> Change:
    *steps, last, value = path

    def change(cards: Any) -> None:
        for step in steps:
            cards = cards[step]
        cards[last] = value

    return change


def dropping(*path: Any) -> Change:
    *steps, last = path

    def change(cards: Any) -> None:
        for step in steps:
            cards = cards[step]
        del cards[last]

    return change


def both(*changes: Change) -> Change:
    def change(cards: dict[str, Any]) -> None:
        for one in changes:
            one(cards)

    return change


SHORT_FAULTS: list[tuple[Change, str, str]] = [
    (dropping("monsters", 4), "monsters", "5 monsters, this file 4"),
    (setting("copies", 3), "pieces", "60 Monster Piece cards, this file 90"),
    (setting("copies", 0), "copies", "whole number from 1"),
    (dropping("pieces", 5), "pieces", "this file 50"),
    (setting("pieces", 1, "head"), "pieces[1]", "'head' is there twice"),
    (setting("trades", "trade-1", 8), "trades", "19 Trade cards, this file 18"),
    (setting("trades", "trade-3", 1), "trades", "cannot be 'trade-3'"),
    (setting("trades", "trade-1", "nine"), "trades", "takes a whole number, not "),
    (setting("monsters", 1, "Bogart"), "monsters[1]", "'bogart' stands in monsters[0] already"),
    (setting("monsters", 1, "{p1}"), "monsters[1]", "is no name: with one of { } in it"),
    (setting("monsters", 1, ""), "monsters[1]", "is no name"),
    (setting("monsters", 1, "7"), "monsters[1]", "'7' cannot be an id"),
    (setting("pieces", 1, "Left Arm"), "pieces[2]", "cannot be an id"),
    (
        both(setting("pieces", list("abcdefghijkl")), setting("copies", 1)),
        "monsters[0]",
        "Bogart has 12 different parts",
    ),
    (setting("source", " "), "source", "is no text"),
    (setting("colour", "red"), "", "There is no field colour here"),
]
LONG_FAULTS: list[tuple[Change, str, str]] = [
    (dropping("pieces", 59), "pieces", "this file 59"),
    (dropping("trades", 0), "trades", "this file 18"),
    (setting("pieces", 7, "id", "bogart-head-1"), "pieces[7]", "stands in pieces[0] already"),
    (setting("pieces", 7, "id", "trade-1-1"), "trades[0]", "stands in pieces[7] already"),
    (setting("pieces", 7, "monster", "dracula"), "pieces[7]", "'dracula' is none of the monsters bogart"),
    (setting("pieces", 7, "part", "Left Arm"), "pieces[7]", "'Left Arm' cannot be an id"),
    (setting("pieces", 7, "colour", "red"), "pieces[7]", "There is no field colour here"),
    (dropping("pieces", 7, "part"), "pieces[7]", "The field part is missing"),
    (setting("trades", 3, "kind", "steal"), "trades[3]", "cannot be 'steal'"),
    (setting("trades", 3, "id", "save"), "trades[3]", "a word that moves are typed with"),
    (setting("monsters", 2, "name", "a\x1b[31mb"), "monsters[2]", "is no name"),
    (setting("trades", 3, "id", "trade-2"), "trades[3]", "the name of another kind"),
    (setting("pieces", 0, "part", "seventh"), "monsters[0]", "Bogart has 7 different parts"),
    (setting("monsters", 2, "name", "x" * 41), "monsters[2]", "1 to 40 characters"),
]
NOTHING_LEFT = both(*(setting("pieces", number, "monster", "slurp") for number in range(12)))


def refused(cards: dict[str, Any], change: Change) -> BadData:
    changed = deepcopy(cards)
    change(changed)
    with pytest.raises(BadData) as found:
        load(changed)
    return found.value


@pytest.mark.parametrize(("change", "row", "says"), SHORT_FAULTS, ids=[says for _, _, says in SHORT_FAULTS])
def test_a_short_file_that_does_not_fit_is_refused_with_its_row(change: Change, row: str, says: str) -> None:
    fault = refused(SHIPPED, change)
    assert fault.row == row
    assert says in fault.sentence
    assert fault.sentence.endswith(".")


@pytest.mark.parametrize(("change", "row", "says"), LONG_FAULTS, ids=[says for _, _, says in LONG_FAULTS])
def test_a_long_file_that_does_not_fit_is_refused_with_its_row(change: Change, row: str, says: str) -> None:
    fault = refused(LONG, change)
    assert fault.row == row
    assert says in fault.sentence
    assert fault.sentence.endswith(".")


def test_a_monster_without_pieces_is_refused() -> None:
    fault = refused(LONG, NOTHING_LEFT)
    assert fault.row == "monsters[0]"
    assert "Bogart has 0 different parts" in fault.sentence


@pytest.mark.parametrize(("file", "says"), [(b"monsters: 5", "no JSON"), (b"[]", "is an object")])
def test_what_is_no_card_file_is_refused(file: bytes, says: str) -> None:
    with pytest.raises(BadData, match=says):
        load_data(file, seat_names(2), Options(), "table")


def test_the_shipped_cards_say_that_they_are_rebuilt() -> None:
    data = load(SHIPPED)
    assert "reconstructed" in data.source
    assert data == load_data(None, seat_names(5), Options(), "dealt")


def test_the_long_form_of_a_file_is_the_same_cards() -> None:
    assert load(LONG) == load(SHIPPED)


def test_the_shipped_cards_are_sixty_and_nineteen() -> None:
    data = load(SHIPPED)
    assert set(Counter((piece.monster, piece.part) for piece in data.pieces).values()) == {2}
    assert len({piece.monster for piece in data.pieces}) == 5
    assert len({piece.part for piece in data.pieces}) == 6
    assert Counter(trade.kind for trade in data.trades) == {"trade-1": 9, "trade-2": 5, "garbage-trade": 5}
    assert {"petey-head-1", "petey-head-2", "slurp-right-leg-2"} <= {piece.id for piece in data.pieces}


def test_names_of_several_words_make_ids() -> None:
    cards = deepcopy(SHIPPED)
    cards["monsters"][4] = "Slimy Slurp"
    assert load(cards).monsters[4].id == "slimy-slurp"
    assert "slimy-slurp-left-arm-1" in {piece.id for piece in load(cards).pieces}
