"""Cards and boards that a file of them would be refused for come into no record by another way."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice
from typing import Any

import msgspec
import pytest

from eventstore.formats.record_file import export_record, import_records
from eventstore.log.rows import NewEvent
from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import Amend, New
from eventstore.refusals import BadAmendment, BadRecord, IllegalEdit
from eventstore.store import Store
from games.core.registry import installed
from games.core.ruleset import BadData, Ruleset
from games.core.start import check_data
from tests.eventstore.formats.test_record_file import again_chained

TITLES = sorted(installed().newest())
TRIED = 4


def spoiled(value: Any) -> Iterator[Any]:
    """Give the same JSON value with one part that is missing, doubled, empty or too small, for each part."""
    match value:
        case dict():
            for key, part in value.items():
                yield {name: other for name, other in value.items() if name != key}
                yield from ({**value, key: other} for other in spoiled(part))
        case list():
            for place, part in enumerate(value):
                yield value[:place] + value[place + 1 :]
                yield [*value, part]
                yield from ([*value[:place], other, *value[place + 1 :]] for other in spoiled(part))
        case str():
            yield ""
        case int():
            yield -1


def misfits(rules: Ruleset[Any], started: Any) -> Iterator[Any]:
    """Give data that can be read and do not fit, as JSON values."""
    for plain in spoiled(msgspec.json.decode(msgspec.json.encode(started.data))):
        try:
            data = msgspec.convert(plain, rules.data)
        except msgspec.ValidationError:
            continue
        try:
            check_data(rules, msgspec.structs.replace(started, data=data))
        except BadData:
            yield plain


@pytest.fixture
def store() -> Iterator[Store]:
    with Store.in_memory() as opened:
        yield opened


def begun(store: Store, title: str) -> tuple[str, list[Any]]:
    rules = store.registry.find(title)
    players = [f"Player {number}" for number in range(rules.seats[0])]
    game = store.do(None, New(title, players)).game
    found = list(islice(misfits(rules, game.started), TRIED))
    assert len(found) == TRIED
    return game.id, found


@pytest.mark.parametrize("title", TITLES)
def test_correction_of_the_first_event_refuses_them(store: Store, title: str) -> None:
    game, found = begun(store, title)
    for data in found:
        edit = HistoryEdit(1, Replace([{"kind": "record.started", "data": data}]))
        with pytest.raises((BadAmendment, IllegalEdit), match="its data do not fit"):
            store.do(game, Amend([edit]))
    assert store.head(game) == 1


@pytest.mark.parametrize("title", TITLES)
def test_import_refuses_them_with_their_line(store: Store, title: str) -> None:
    game, found = begun(store, title)
    file = b"".join(export_record(store, store.game(game)))
    first = file.splitlines(keepends=True)[1]
    for data in found:
        line = msgspec.json.decode(first)
        line["event"]["data"] = data
        wrong = again_chained(file.replace(first, msgspec.json.encode(line) + b"\n"))
        with Store.in_memory() as other:
            with pytest.raises(BadRecord) as refused:
                import_records(other, [("file", wrong)])
            assert refused.value.line == 2
            assert other.log.games() == []


def test_undone_event_that_the_rules_would_refuse_is_named_by_its_kind() -> None:
    with Store.in_memory() as store:
        game = store.do(None, New("monster-maker", ["Ann", "Bo"])).game.id
        rows = [
            NewEvent("parts_dealt", '{"kind":"parts_dealt","player":"p1","cards":["no-card"]}', "Ann"),
            NewEvent("record.undone", '{"kind":"record.undone","to":1}', "Ann"),
        ]
        store.log.append(game, rows, after=1, command_id="imported", request="imported")
        opened = store.game(game)
        (line,) = opened.lines
        assert [left.caption() for left in opened.at_head(line.tip).positions(line.fork)] == ["parts_dealt"]
