"""Each recorded game of each ruleset reads as before; together they show every ending, option and kind."""

from __future__ import annotations

import msgspec
import pytest

from games.core import fold, serialization
from games.core.events import kind_of
from games.core.options import readings
from tests.games.per_ruleset import TESTED, Subject
from tests.games.recorded import Record, ended, read, records, written

each = pytest.mark.parametrize("tested", TESTED, ids=str)


@pytest.mark.parametrize("record", [record for tested in TESTED for record in records(tested)], ids=str)
def test_a_recorded_game_reads_as_before(record: Record) -> None:
    rules = record.tested.ruleset
    started, events = read(record)
    assert serialization.event_to(started)["options"] == msgspec.to_builtins(started.options)
    state = rules.setup(started)
    for event in events:
        fold.check(rules, state, event, seats=started.seats, closed=False)
        state = fold.evolve(rules, state, event)
        rules.invariants(state)
    assert written(record) == record.text.read_text(encoding="utf-8")


@each
def test_every_ending_is_recorded(tested: Subject) -> None:
    found = {(ended(record)[1].reason, kind_of(read(record)[1][-1])) for record in records(tested)}
    assert found == set(tested.expected.endings)


@each
def test_every_value_of_every_option_is_recorded(tested: Subject) -> None:
    """Where the values are too many to be listed: what a new game gets, and something else."""
    used = [(read(record)[0].seats, read(record)[0].options) for record in records(tested)]
    for seats, _ in used[:1]:
        for option in readings(tested.ruleset, seats):
            values = [getattr(options, option.name) for _, options in used]
            if option.values:
                missing = set(option.values) - set(values)
                assert not missing, option.name
            elif option.name not in tested.expected.unrecorded:
                usual = [getattr(tested.ruleset.suggested(seats), option.name) for seats, _ in used]
                assert {value == other for value, other in zip(values, usual, strict=True)} == {True, False}


@each
def test_every_kind_of_event_and_number_of_players_is_recorded(tested: Subject) -> None:
    games = [read(record) for record in records(tested)]
    kinds = {kind_of(event) for _, events in games for event in events}
    counts = {str(len(started.seats)) for started, _ in games}
    wanted = {*map(kind_of, tested.ruleset.events), *map(str, tested.ruleset.seats)}
    options = set(tested.ruleset.options.__struct_fields__)
    assert wanted - kinds - counts == tested.expected.unrecorded - options
