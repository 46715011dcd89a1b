"""Card files: what fits is used as it is, what does not is refused with its row."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from importlib.resources import files
from typing import Any

import msgspec
import pytest

from games.core.ruleset import BadData
from games.core.start import started
from games.rulesets.monstropoly_battle import RULESETS
from games.rulesets.monstropoly_battle.data import load_data
from games.rulesets.monstropoly_battle.state import Options

SHIPPED = msgspec.json.decode(
    files("games.rulesets.monstropoly_battle").joinpath("data/cards.json").read_bytes(), type=dict[str, Any]
)
AT = {card["id"]: number for number, card in enumerate(SHIPPED["cards"])}
Change = Callable[[dict[str, Any]], None]


def load(cards: Any) -> Any:
    return load_data(msgspec.json.encode(cards), ("p1", "p2"), Options(), "table")


def changed(change: Change) -> dict[str, Any]:
    cards = deepcopy(SHIPPED)
    change(cards)
    return cards


def card(name: str, /, **fields: Any) -> Change:
    """Change fields of a card."""
    return lambda file: file["cards"][AT[name]].update(fields)


def without(name: str) -> Change:
    def change(file: dict[str, Any]) -> None:
        del file["cards"][AT[name]]

    return change


def lacking(name: str, field: str) -> Change:
    def change(file: dict[str, Any]) -> None:
        del file["cards"][AT[name]][field]

    return change


def values(name: str, **figures: Any) -> Change:
    return lambda file: file["cards"][AT[name]]["values"].update(figures)


BAD: list[tuple[Change, str, str]] = [
    (without("nalle"), "cards[53]", "54 cards, this file 53"),
    (card("ox-2", strike=8), f"cards[{AT['ox-2']}]", "takes a whole number up to 7, not "),
    (card("ox-2", strike=0), f"cards[{AT['ox-2']}]", "takes a whole number from 1, not "),
    (card("ox-2", strike="4"), f"cards[{AT['ox-2']}]", "takes a whole number, not "),
    (card("ox-2", weapon="sword"), f"cards[{AT['ox-2']}]", "cannot be 'sword'"),
    (card("ox-2", letter="X"), f"cards[{AT['ox-2']}]", "cannot be 'X'"),
    (card("ox-2", power=1), f"cards[{AT['ox-2']}]", "There is no field power here"),
    (lacking("ox-2", "name"), f"cards[{AT['ox-2']}]", "The field name is missing"),
    (values("ox-2", gun=-1), f"cards[{AT['ox-2']}]", "takes a whole number from 0, not "),
    (values("ox-2", bow=1), f"cards[{AT['ox-2']}]", "There is no field bow here"),
    (card("ox-2", id="ox-1"), f"cards[{AT['ox-2']}]", "stands in cards[45] already"),
    (card("ox-2", id="Ox 2"), f"cards[{AT['ox-2']}]", "cannot be an id"),
    (card("ox-2", id="lead"), f"cards[{AT['ox-2']}]", "a word that moves are typed with"),
    (card("ox-2", name="{p1}"), f"cards[{AT['ox-2']}]", "is no name"),
    (card("ox-2", name=""), f"cards[{AT['ox-2']}]", "is no name"),
    (card("ox-2", name="Ox\x1b[31m"), f"cards[{AT['ox-2']}]", "is no name"),
    (card("ox-2", name="x" * 41), f"cards[{AT['ox-2']}]", "1 to 40 characters"),
    (card("ox-2", name="Ox, the second"), f"cards[{AT['ox-2']}]", "is no name"),
    (card("ox-2", team="Amen"), "cards[46]", "A team has 5 cards"),
    (card("ox-2", team="LORDI"), f"cards[{AT['ox-2']}]", "that is the line-up"),
    (card("ox-2", letter="D"), f"cards[{AT['ox-2']}]", "one card with a letter, Ox has 2"),
    (card("ox-1", letter=None), f"cards[{AT['ox-1']}]", "one card with a letter, Ox has 0"),
    (card("ox-1", letter="R"), f"cards[{AT['nalle']}]", "4 cards have the letter R, not more"),
    (card("nalle", letter="I"), f"cards[{AT['nalle']}]", "R, D, D, I"),
    (card("nalle", letter=None), f"cards[{AT['nalle']}]", "R, D, D, I"),
    (card("nalle", wild=False), f"cards[{AT['nalle']}]", "has wild false"),
    (card("ox-2", wild=True), f"cards[{AT['ox-2']}]", "has wild true"),
]


@pytest.mark.parametrize(("change", "row", "says"), BAD)
def test_what_does_not_fit_is_refused_with_its_row(change: Change, row: str, says: str) -> None:
    with pytest.raises(BadData) as refused:
        load(changed(change))
    assert says in refused.value.sentence
    assert refused.value.row == row


@pytest.mark.parametrize("file", [b"", b"nonsense", b"\xff\xfe", b"[]", b'{"source": "x"}'])
def test_what_is_no_card_file_is_refused(file: bytes) -> None:
    with pytest.raises(BadData):
        load_data(file, ("p1", "p2"), Options(), "table")


def test_other_names_and_figures_are_used_as_they_are() -> None:
    data = load(changed(card("ox-2", name="Bull", strike=7, id="bull", weapon="magic")))
    bull = next(item for item in data.cards if item.id == "bull")
    assert (bull.name, bull.strike, bull.weapon, bull.team, bull.wild) == ("Bull", 7, "magic", "Ox", False)


def test_a_wild_card_needs_no_mark() -> None:
    assert load(changed(lacking("nalle", "wild"))) == load(SHIPPED)


def test_a_record_holds_all_54_cards_with_every_key() -> None:
    start = msgspec.to_builtins(started(RULESETS[0], 2))
    cards = start["data"]["cards"]
    assert len(cards) == 54
    assert all(
        list(item) == ["id", "name", "team", "letter", "wild", "strike", "weapon", "values"] for item in cards
    )
    assert all(list(item["values"]) == ["axe", "ankh", "gun", "knife", "poison", "magic"] for item in cards)
    assert list(start["options"].items()) == [
        ("dead_tie", "lot"),
        ("tie_card", "replaces"),
        ("phase2_tie", "same-leads"),
        ("lordi_win", 25),
        ("declare", "any"),
    ]


def test_shipped_cards_are_what_the_rulebook_says_of_them() -> None:
    shipped = {item.id: item for item in load(SHIPPED).cards}
    assert "rebuilt" in SHIPPED["source"]
    assert (shipped["awa-1"].strike, shipped["awa-1"].weapon, shipped["awa-1"].values.knife) == (
        7,
        "poison",
        0,
    )
    kin = shipped["kita-2"]
    assert (kin.name, kin.strike, kin.weapon, kin.values.poison) == ("Kin", 4, "knife", 1)
