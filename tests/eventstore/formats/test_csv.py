"""A table that any spreadsheet reads and none runs."""

from __future__ import annotations

import csv
import io
from pathlib import Path

import pytest

from eventstore.formats.csv import COLUMNS, export_csv
from eventstore.recording.commands import Record, Undo
from eventstore.refusals import TextOnly
from eventstore.store import Store
from games.core.events import RecordClosed
from games.core.registry import registry_of
from tests.eventstore.played import HOSTILE, begin, play


def table(store: Store, game: str, viewer: str = "everything") -> list[dict[str, str]]:
    text = "".join(export_csv(store.game(game, viewer=viewer)))
    return list(csv.DictReader(io.StringIO(text, newline="")))


def test_a_row_a_step_with_names_in_the_caption(store: Store) -> None:
    game = begin(store)
    play(store, game, 3)
    store.do(game, Undo())
    store.do(game, Record([RecordClosed("conceded", seat="p2")]))
    rows = table(store, game)
    assert list(rows[0]) == list(COLUMNS)
    assert [(row["seq"], row["step"], row["kind"], row["seat"]) for row in rows] == [
        ("1", "0", "record.started", ""),
        ("2", "1", "hand_dealt", "p1"),
        ("3", "2", "hand_dealt", "p2"),
        ("6", "3", "record.closed", "p2"),
    ]
    assert rows[1]["caption"].startswith("Ann is dealt ")
    assert rows[1]["payload"] == store.log.events(game)[1].payload
    assert rows[1]["at"] == store.log.events(game)[1].recorded_at


def test_line_ends_and_quotes_are_those_of_the_standard(store: Store) -> None:
    lines = "".join(export_csv(store.game(begin(store)))).split("\r\n")
    assert lines[0] == "game,seq,step,at,by,kind,seat,caption,payload"
    assert '"{""kind"":""record.started"",' in lines[1]
    assert lines[2] == ""


@pytest.mark.parametrize(
    "name", ["=1+1", "+1", "-1", "@SUM(A1)", "\uff1dcmd", "\uff0b1", "\uff0d1", "\uff20SUM", *HOSTILE]
)
def test_no_cell_is_run_by_a_spreadsheet(store: Store, name: str) -> None:
    game = begin(store, players=(name, "Bo"))
    play(store, game, 3)
    rows = table(store, game)
    for row in rows:
        assert not any(cell.startswith(tuple("=+-@\t\r\uff1d\uff0b\uff0d\uff20")) for cell in row.values())
    assert rows[1]["caption"].lstrip("'").startswith(f"{name} is dealt")


def test_a_table_for_a_viewer_is_their_record(store: Store) -> None:
    game = begin(store, game="friday")
    play(store, game, 4)
    store.do(game, Undo())
    play(store, game, 1)
    rows = table(store, game, "p2")
    assert {row["game"] for row in rows} == {"friday~p2"}
    assert [row["seq"] for row in rows] == ["1", "2", "3", "4", "5"]
    assert rows[1]["payload"] == '{"kind":"hand_dealt","player":"p1","cards":[null,null,null]}'
    assert "unseen" in rows[1]["caption"]


def test_a_game_without_its_ruleset_is_a_table_of_payloads(store: Store, path: Path) -> None:
    game = begin(store)
    play(store, game, 2)
    with Store.open(path, registry=registry_of()) as bare:
        assert [row["payload"] for row in table(bare, game)] == [
            row.payload for row in store.log.events(game)
        ]
        with pytest.raises(TextOnly):
            export_csv(bare.game(game, viewer="p1"))
