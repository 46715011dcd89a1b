"""What `verify_chain` finds, and where."""

from __future__ import annotations

import msgspec
import pytest

from eventstore.chain import ZERO, Break, kind_in, linked, verify_chain
from eventstore.log_contract import facts
from eventstore.memory_log import MemoryLog
from eventstore.stored_event import Commit, NewEvent, StoredEvent

GAME = "k7qm3x9vfa"

Record = tuple[list[StoredEvent], list[Commit]]


def record() -> Record:
    """Nine events: 1–3, 4, 5–7, 8–9."""
    with MemoryLog() as log:
        after = 0
        for number, count in enumerate((3, 1, 3, 2)):
            log.append(GAME, facts(count), after=after, command_id=f"c{number}", request="r")
            after += count
        return log.record(GAME)


def found(record: Record) -> list[tuple[str, int, int]]:
    return [(fault.code, fault.seq, fault.last) for fault in verify_chain(*record)]


def changed(events: list[StoredEvent], seq: int, **fields: str) -> list[StoredEvent]:
    return [msgspec.structs.replace(e, **fields) if e.seq == seq else e for e in events]


def test_an_untouched_record_has_no_fault() -> None:
    assert found(record()) == []
    assert verify_chain([], []) == []


@pytest.mark.parametrize(
    "field",
    [
        {"payload": '{"kind":"card_drawn","number":9}'},
        {"payload": '{"kind":"card_drawn", "number":0}'},
        {"by": "somebody"},
        {"recorded_at": "2026-09-14T18:03:05.123456Z"},
    ],
)
@pytest.mark.parametrize(("seq", "stretch"), [(2, (1, 3)), (4, (4, 4)), (9, (8, 9))])
def test_a_changed_line_is_found_in_its_stretch(
    field: dict[str, str], seq: int, stretch: tuple[int, int]
) -> None:
    events, commits = record()
    assert found((changed(events, seq, **field), commits)) == [("changed", *stretch)]


def test_a_kind_that_differs_from_its_payload_is_found_though_no_line_changed() -> None:
    events, commits = record()
    assert found((changed(events, 5, kind="card_played"), commits)) == [("kind-differs", 5, 5)]


def test_a_payload_that_is_no_json_is_unreadable_as_well() -> None:
    events, commits = record()
    assert found((changed(events, 4, payload="{"), commits)) == [("changed", 4, 4), ("unreadable", 4, 4)]


@pytest.mark.parametrize(("gone", "fault"), [({4}, (4, 4)), ({5, 7}, (5, 7)), ({8, 9}, (8, 9))])
def test_a_missing_row_is_found(gone: set[int], fault: tuple[int, int]) -> None:
    events, commits = record()
    assert found(([event for event in events if event.seq not in gone], commits)) == [("missing", *fault)]


@pytest.mark.parametrize(
    ("gone", "faults"),
    [
        (0, [("commit-missing", 1, 3)]),
        (2, [("commit-missing", 5, 7)]),
        (3, [("uncommitted", 8, 9)]),
    ],
)
def test_a_missing_command_is_found(gone: int, faults: list[tuple[str, int, int]]) -> None:
    events, commits = record()
    del commits[gone]
    assert found((events, commits)) == faults


def test_a_changed_line_is_found_where_its_command_is_gone() -> None:
    events, commits = record()
    del commits[2]
    assert found((changed(events, 6, by="x"), commits)) == [("commit-missing", 5, 7), ("changed", 5, 9)]


def test_a_kept_value_that_was_changed_is_found() -> None:
    events, commits = record()
    commits[1] = msgspec.structs.replace(commits[1], hash="00" * 32)
    assert found((events, commits)) == [("changed", 4, 4), ("changed", 5, 7)]


def test_one_fault_does_not_hide_the_next() -> None:
    events, commits = record()
    events = changed(changed(events, 1, by="x"), 9, by="x")
    assert found((events, commits)) == [("changed", 1, 3), ("changed", 8, 9)]


def test_a_tail_cut_with_its_commands_shows_only_against_a_head_kept_elsewhere() -> None:
    events, commits = record()
    assert found((events[:7], commits[:3])) == []
    assert commits[2].hash != commits[3].hash


def test_a_fault_is_a_sentence() -> None:
    events, commits = record()
    (fault,) = verify_chain(changed(events, 5, by="x"), commits)
    sentence = "Events 5 to 7 are not as recorded: a line was changed later."
    assert fault == Break(GAME, 5, 7, "changed", sentence)


def test_events_are_numbered_and_stamped_behind_the_head() -> None:
    one, other = (
        NewEvent("passed", '{"kind":"passed"}'),
        NewEvent("passed", '{"kind":"passed"}', "p1", "then"),
    )
    rows, value = linked(GAME, 4, ZERO, [one, other], "now")
    assert [row[1:5] for row in rows] == [(5, "passed", "recorder", "now"), (6, "passed", "p1", "then")]
    assert len(value) == 32


@pytest.mark.parametrize("payload", ["", "[]", "1", '{"kind":1}', "{}", '{"kind":"a"', '{"kind":"\ud800"}'])
def test_what_names_no_kind(payload: str) -> None:
    assert kind_in(payload) is None
