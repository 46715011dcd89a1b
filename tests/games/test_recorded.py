"""Each recorded game is judged as before; together they show every ending, option and kind."""

from __future__ import annotations

import json
from typing import Any

import pytest

from games.core import fold
from games.core.events import kind_of
from games.core.options import ruleset_options
from games.core.ruleset import seat_names
from tests.games import golden
from tests.games.per_ruleset import TESTED, Subject
from tests.games.recorded import Record, ended, read, records

each = pytest.mark.parametrize("tested", TESTED, ids=str)


@pytest.mark.parametrize("record", [record for tested in TESTED for record in records(tested)], ids=str)
def test_a_recorded_game_is_judged_as_before(record: Record) -> None:
    rules = record.tested.ruleset
    started, events = read(record)
    state = rules.setup(started)
    for event in events:
        fold.check(rules, state, event, seats=started.seats, closed=False)
        state = fold.evolve(rules, state, event)
        rules.invariants(state)


@each
def test_every_ending_is_recorded(tested: Subject) -> None:
    found = {(ended(record)[1].reason, kind_of(read(record)[1][-1])) for record in records(tested)}
    assert found == set(tested.expected.endings)


def chosen(tested: Subject, option: str) -> list[Any]:
    """List the values of an option that scenarios choose."""
    files = (tested.tests / "scenarios").glob("*.json")
    return [said.options[option] for said in map(golden.read, files) if option in said.options]


@each
def test_every_value_of_every_option_is_in_a_recorded_game_or_a_scenario(tested: Subject) -> None:
    """If the values are too many to be listed: what a new game gets, and something else."""
    used = [(read(record)[0].seats, read(record)[0].options) for record in records(tested)]
    seats = seat_names(tested.ruleset.seats[0])
    for option in ruleset_options(tested.ruleset, seats):
        other = chosen(tested, option.name)
        values = [getattr(options, option.name) for _, options in used]
        if option.values:
            shown = {json.dumps(value) for value in (*values, *other)}
            assert {json.dumps(value) for value in option.values} <= shown, option.name
        elif option.name not in tested.expected.unrecorded:
            usual = [getattr(tested.ruleset.suggested(seats), option.name) for seats, _ in used]
            alike = {value == suggested for value, suggested in zip(values, usual, strict=True)}
            assert alike | {value == option.suggested for value in other} == {True, False}, option.name


@each
def test_every_kind_of_event_and_number_of_players_is_recorded(tested: Subject) -> None:
    games = [read(record) for record in records(tested)]
    kinds = {kind_of(event) for _, events in games for event in events}
    counts = {str(len(started.seats)) for started, _ in games}
    wanted = {*map(kind_of, tested.ruleset.events), *map(str, tested.ruleset.seats)}
    options = set(tested.ruleset.options.__struct_fields__)
    assert wanted - kinds - counts == tested.expected.unrecorded - options
