"""Card files: what fits is spread over the sets, what does not is refused with its row."""

from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from importlib.resources import files
from typing import Any

import msgspec
import pytest

from games.core.ruleset import BadData, seat_names
from games.rulesets.monsters_of_war.data import load_data
from games.rulesets.monsters_of_war.state import Options

SHIPPED = msgspec.json.decode(
    files("games.rulesets.monsters_of_war").joinpath("data/cards.json").read_bytes(), type=dict[str, Any]
)
Change = Callable[[dict[str, Any]], None]


def load(cards: Any, players: int = 2) -> Any:
    return load_data(msgspec.json.encode(cards), seat_names(players), Options(), "table")


def changed(change: Change) -> dict[str, Any]:
    cards = deepcopy(SHIPPED)
    change(cards)
    return cards


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


BAD: list[tuple[Change, str, str]] = [
    (setting("monsters", 3, "attack", "big"), "monsters[3]", "takes a whole number, not "),
    (setting("monsters", 3, "attack", -1), "monsters[3]", "takes a whole number from 0 to 999, not -1."),
    (setting("monsters", 3, "attack", 1000), "monsters[3]", "from 0 to 999, not 1000."),
    (setting("monsters", 5, "power", 3), "monsters[5]", "There is no field power here"),
    (dropping("monsters", 4, "id"), "monsters[4]", "The field id is missing"),
    (dropping("monsters", 41), "monsters[41]", "42 cards in 'monsters', this file 41"),
    (
        setting("wars", [f"w{number}" for number in range(1, 12)]),
        "wars[10]",
        "10 cards in 'wars', this file 11",
    ),
    (dropping("gambits", 0), "gambits", "20 cards in 'gambits', this file 17"),
    (setting("monsters", 7, "id", "m01a"), "monsters[7]", "'m01a' stands in monsters[0] already"),
    (setting("wars", 2, "ambush-1"), "gambits[0]", "'ambush-1' stands in wars[2] already"),
    (setting("wars", 2, "w"), "wars[2]", "'w' cannot be an id"),
    (setting("wars", 2, "3"), "wars[2]", "'3' cannot be an id"),
    (setting("wars", 2, "W3"), "wars[2]", "lower-case"),
    (setting("monsters", 2, "id", "s2-m01a"), "monsters[2]", "a further set"),
    (setting("monsters", 2, "name", " "), "monsters[2]", "is no name"),
    (setting("monsters", 2, "name", "{p1} red"), "monsters[2]", "is no name"),
    (setting("monsters", 2, "name", "12"), "monsters[2]", "misread"),
    (setting("monsters", 2, "name", "War"), "monsters[2]", "misread"),
    (setting("monsters", 2, "name", "a\x1bb"), "monsters[2]", "is no name"),
    (setting("monsters", 2, "name", "x" * 41), "monsters[2]", "1 to 40 characters"),
    (setting("gambits", 0, "effect", "{p1} wins"), "gambits[0]", "is no text"),
    (setting("gambits", 0, "effect", ""), "gambits[0]", "is no text"),
    (setting("source", "\u202e"), "source", "is no text"),
    (setting("gambits", 0, "copies", 4), "gambits", "20 cards in 'gambits', this file 21"),
    (setting("gambits", 0, "ids", ["ambush-1"]), "gambits[0]", "3 copies but 1 id."),
    (setting("gambits", 1, "kind", "ambush"), "gambits[1]", "'ambush' stands in gambits[0] already"),
    (setting("gambits", 1, "kind", "War Cry"), "gambits[1]", "'War Cry' cannot be an id"),
    (setting("gambits", 1, "ops", [{"op": "explode"}]), "gambits[1]", "cannot be 'explode'"),
    (setting("gambits", 1, "ops", [{"op": "add-self"}]), "gambits[1]", "add-self needs a number n"),
    (setting("gambits", 1, "ops", [{"op": "swap", "n": 1}]), "gambits[1]", "swap takes no number n"),
    (setting("gambits", 1, "ops", [{"op": "add-self", "n": 10**20}]), "gambits[1]", "from -999 to 999, not"),
    (
        setting("gambits", 1, "ops", [{"op": "multiply-self", "n": -2}]),
        "gambits[1]",
        "from 0 to 999, not -2",
    ),
    (dropping("source"), "", "The field source is missing"),
]


@pytest.mark.parametrize(("change", "row", "says"), BAD, ids=[says for _, _, says in BAD])
def test_a_file_that_does_not_fit_is_refused_with_its_row(change: Change, row: str, says: str) -> None:
    with pytest.raises(BadData) as refused:
        load(changed(change))
    assert refused.value.row == row
    assert says in refused.value.sentence
    assert refused.value.sentence.endswith(".")


def test_what_is_no_json_is_refused() -> None:
    with pytest.raises(BadData, match="no JSON"):
        load_data(b"monsters: 42", seat_names(2), Options(), "table")


def test_the_shipped_cards_say_that_they_are_rebuilt() -> None:
    data = load(SHIPPED)
    assert "reconstructed" in data.source
    assert data == load_data(None, seat_names(2), Options(), "dealt")
    assert sorted({monster.attack for monster in data.monsters}) == list(range(1, 15))


@pytest.mark.parametrize(("players", "sets"), [(2, 1), (3, 2), (4, 2), (5, 3), (6, 3)])
def test_a_set_for_each_two_players(players: int, sets: int) -> None:
    data = load(SHIPPED, players)
    assert (len(data.monsters), len(data.wars), len(data.gambits)) == (42 * sets, 10 * sets, 20 * sets)
    ids = [*(card.id for card in data.monsters), *data.wars, *(card.id for card in data.gambits)]
    assert len(set(ids)) == 72 * sets
    assert ("s2-m01a" in ids, "s3-ambush-1" in ids) == (sets > 1, sets > 2)


def test_gambits_without_ids_are_numbered() -> None:
    data = load(changed(dropping("gambits", 0, "ids")))
    assert [card.id for card in data.gambits][:3] == ["ambush-1", "ambush-2", "ambush-3"]


@pytest.mark.parametrize("players", [2, 3, 6])
def test_the_data_of_a_record_start_another_game(players: int) -> None:
    recorded = msgspec.json.decode(msgspec.json.encode(load(SHIPPED, players)))
    for again in (2, players, 8):
        assert load(recorded, again) == load(SHIPPED, again)


def test_the_data_of_a_record_are_judged_too() -> None:
    recorded = msgspec.json.decode(msgspec.json.encode(load(SHIPPED)))
    recorded["gambits"][1]["effect"] = "something else"
    with pytest.raises(BadData, match=r"gambits\[1\]: It does not do what ambush-1 does, of the same kind"):
        load(recorded)
    recorded["gambits"].pop()
    recorded["gambits"][1]["effect"] = recorded["gambits"][0]["effect"]
    with pytest.raises(BadData, match="A set has 20 cards in 'gambits', this file 19"):
        load(recorded)
