"""Undo on the record page says which cards it takes back that somebody has seen already."""

from __future__ import annotations

import re
from typing import Final, Literal

from flask.testing import FlaskClient

from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import Amend, New, Record, Redo, Undo
from eventstore.store import Store

HERE: Final = {"Sec-Fetch-Site": "same-origin"}
SAID: Final = re.compile(r'<p class="undo-warning" id="undo-warning">([^<]*)</p>')


def said(client: FlaskClient, game: str, more: str = "") -> str:
    found = SAID.search(client.get(f"/games/{game}/record{more}").text)
    assert found is not None
    return found[1]


def dealt(store: Store, cards: list[str | None]) -> str:
    game = store.do(None, New("monstropoly-battle", ["Ann", "Bo"])).game.id
    store.do(game, Record([{"kind": "hand_dealt", "player": "p1", "cards": cards}]))
    return game


def test_undo_names_the_cards_that_one_player_saw(client: FlaskClient, store: Store) -> None:
    game = dealt(store, ["amen-5", None, None, None])
    assert said(client, game) == "Ann has seen ♦ Amen no. 5 · 5; taking it back does not unsee it."


def test_many_cards_are_counted(client: FlaskClient, store: Store) -> None:
    game = dealt(store, ["amen-1", "amen-2", "amen-3", "amen-4"])
    store.do(
        game,
        Record([{"kind": "hand_dealt", "player": "p2", "cards": ["amen-5", "kita-1", "kita-2", "kita-3"]}]),
    )
    store.do(game, Record([{"kind": "cards_revealed", "cards": {"p1": "amen-1", "p2": "amen-5"}}]))
    told = said(client, game)
    assert told.startswith("Everybody has seen ♦ ")
    assert told.count("♦") == 2
    assert told.endswith("; taking it back does not unsee them.")
    game = makers(store, "dealt")
    form = store.game(game).position()
    cards = next(iter(form.choices("chance"))).asks[0].values[: 6 * 5 : 5]  # type: ignore[union-attr]
    store.do(game, Record([{"kind": "parts_dealt", "player": "p1", "cards": list(cards)}]))
    assert "; 2 more were seen; taking it back" in said(client, game)


def makers(store: Store, origin: Literal["table", "dealt"]) -> str:
    """Begin a game in which all cards lie open; six are dealt next."""
    game = store.do(None, New("monster-maker", ["Ann", "Bo"], origin=origin)).game.id
    for player, monster in (("p1", "bogart"), ("p2", "slurp")):
        store.do(game, Record([{"kind": "monster_drawn", "player": player, "monster": monster}]))
    return game


def test_nothing_is_said_of_cards_that_lay_open_at_a_real_table(client: FlaskClient, store: Store) -> None:
    assert said(client, makers(store, "table")) == ""
    assert said(client, makers(store, "dealt")) == (
        "Everybody has seen ♦ Slurp; taking it back does not unsee it."
    )


def test_nothing_is_said_once_the_game_is_over(client: FlaskClient, store: Store) -> None:
    game = dealt(store, ["amen-5", None, None, None])
    store.do(game, Record([{"kind": "record.closed", "how": "abandoned"}]))
    store.do(game, Undo())
    assert said(client, game) != ""
    store.do(game, Redo())
    assert said(client, game) == ""


def test_nothing_is_said_where_nobody_saw_a_card(client: FlaskClient, store: Store) -> None:
    assert said(client, dealt(store, [None] * 4)) == ""
    game = store.do(None, New("monsters-forever", ["Ann", "Bo"])).game.id
    assert said(client, game) == ""
    assert said(client, "star") == ""


def test_undo_of_an_undone_step_names_what_goes_next(client: FlaskClient, store: Store) -> None:
    game = dealt(store, ["amen-5", None, None, None])
    store.do(game, Record([{"kind": "hand_dealt", "player": "p2", "cards": [None] * 4}]))
    assert said(client, game) == ""
    store.do(game, Undo())
    assert "Amen no. 5" in said(client, game)


def test_nobody_is_told_a_card_that_they_did_not_see(client: FlaskClient, store: Store) -> None:
    game = dealt(store, ["amen-5", None, None, None])
    assert "Amen" in said(client, game, "?as=p1")
    for viewer in ("p2", "table"):
        assert said(client, game, f"?as={viewer}") == ""


def test_the_module_is_told_it_with_the_parts_that_change(client: FlaskClient, store: Store) -> None:
    game = dealt(store, ["amen-5", None, None, None])
    store.do(game, Record([{"kind": "hand_dealt", "player": "p2", "cards": [None] * 4}]))
    answer = client.post(
        f"/games/{game}/undo",
        data={"key": "k" * 12, "after": str(store.game(game).head), "part": "1"},
        headers={**HERE, "Accept": "application/json"},
    )
    assert SAID.findall(answer.get_json()["part"]["echo"]) == [said(client, game)] != [""]


def test_undo_of_a_named_card_takes_its_name_back(client: FlaskClient, store: Store) -> None:
    game = dealt(store, [None] * 4)
    wish = HistoryEdit(
        2, Replace(({"kind": "hand_dealt", "player": "p1", "cards": ["amen-5", None, None, None]},))
    )
    store.do(game, Amend([wish]))
    assert "Amen no. 5" in said(client, game)
