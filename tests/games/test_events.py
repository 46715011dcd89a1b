"""The facts that every record shares, and how an event is written."""

from __future__ import annotations

import msgspec
import pytest

from games.core import serialization
from games.core.events import (
    Change,
    Claim,
    Edit,
    Event,
    Parent,
    RecordAmended,
    RecordChecked,
    RecordClosed,
    RecordRedone,
    RecordRuled,
    RecordStarted,
    RecordUndone,
    kind_of,
)
from games.examples.high_card import CardLaid


@pytest.mark.parametrize(
    ("event", "text"),
    [
        (RecordUndone(3), '{"kind":"record.undone","to":3}'),
        (RecordRedone(4), '{"kind":"record.redone","to":4}'),
        (
            RecordAmended((Edit(2, 1, 0),), "slip"),
            '{"kind":"record.amended","edits":[{"after":2,"drop":1,"put":0}],"reason":"slip"}',
        ),
        (
            RecordRuled("agreed", (Change("/deck", 6, None),)),
            '{"kind":"record.ruled","reason":"agreed","changes":[{"at":"/deck","was":6,"now":null}]}',
        ),
        (
            RecordChecked((Claim("cell.A6", None), Claim("deck", 6))),
            '{"kind":"record.checked","claims":[{"at":"cell.A6","value":null},{"at":"deck","value":6}]}',
        ),
        (RecordClosed("agreed"), '{"kind":"record.closed","how":"agreed"}'),
        (
            RecordClosed("conceded", "p2", "late"),
            '{"kind":"record.closed","how":"conceded","seat":"p2","reason":"late"}',
        ),
        (CardLaid("p1", None), '{"kind":"card_laid","player":"p1","card":null}'),
    ],
)
def test_event_is_written_with_its_kind_first_and_only_optional_nulls_left_out(
    event: Event, text: str
) -> None:
    assert serialization.encode_event(event) == text


def test_start_writes_every_field_in_order_with_parent_null() -> None:
    event = RecordStarted("t", 1, ("p1",), "table", "everything", {"a": 1}, [], None)
    assert list(serialization.event_to(event)) == [
        "kind",
        "ruleset",
        "version",
        "seats",
        "origin",
        "seen_as",
        "options",
        "data",
        "parent",
    ]
    assert serialization.event_to(event)["parent"] is None


def test_start_of_a_variation_names_its_parent() -> None:
    event = RecordStarted("t", 1, ("p1",), "table", "everything", {}, {}, Parent("abcd", 9, 4))
    assert serialization.event_to(event)["parent"] == {"game": "abcd", "head": 9, "step": 4}


def test_kind_is_that_of_the_type_and_of_the_event() -> None:
    assert kind_of(CardLaid) == kind_of(CardLaid("p1", "c01")) == "card_laid"


def test_kind_is_a_text() -> None:
    class Numbered(Event, frozen=True, tag=7):
        pass

    with pytest.raises(TypeError, match="give its Struct a tag"):
        kind_of(Numbered)


def test_event_is_frozen() -> None:
    with pytest.raises(AttributeError, match="immutable"):
        CardLaid("p1", "c01").card = "c02"  # type: ignore[misc]


def test_event_refuses_a_field_that_it_does_not_know() -> None:
    with pytest.raises(msgspec.ValidationError, match="colour"):
        msgspec.json.decode('{"kind":"card_laid","player":"p1","card":null,"colour":1}', type=CardLaid)
