"""What `verify_chain` finds, and where."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest

from eventstore.log.chain import ZERO, ChainFault, kind_in, linked, unchecked, verify_chain
from eventstore.log.in_memory import MemoryLog
from eventstore.log.rows import UNCHECKED, Commit, NewEvent, StoredEvent
from eventstore.testing.log_contract import bare, facts

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
    assert found((events, commits)) == [("changed", 4, 4), ("changed", 5, 7), ("checksum-differs", 4, 4)]


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
    assert fault == ChainFault(GAME, 5, 7, "changed", "The chain breaks between events 4 and 7.")
    assert [fault.message for fault in verify_chain(changed(events, 1, by="x"), commits)] == [
        "The chain breaks between the start and event 3."
    ]


@pytest.mark.parametrize(
    ("gone", "said"),
    [
        ({4}, "Event 4 is missing."),
        ({5, 6}, "Events 5 to 6 are missing."),
        ({5, 7}, "2 of the events 5 to 7 are missing."),
    ],
)
def test_only_events_that_are_missing_are_called_missing(gone: set[int], said: str) -> None:
    events, commits = record()
    (fault,) = verify_chain([event for event in events if event.seq not in gone], commits)
    assert fault.message == said


@pytest.mark.parametrize("bit", [40, 62])
def test_a_seq_that_is_astronomical_is_found_without_counting_up_to_it(bit: int) -> None:
    events, commits = record()
    far = 9 | 1 << bit
    events[-1] = msgspec.structs.replace(events[-1], seq=far)
    commits[-1] = msgspec.structs.replace(commits[-1], last_seq=far)
    assert found((events, commits)) == [("missing", 9, far - 1), ("checksum-differs", 8, far)]


@pytest.mark.parametrize(
    ("field", "faults"),
    [
        ({"command_id": "c9"}, [("checksum-differs", 4, 4)]),
        ({"request": "s"}, [("checksum-differs", 4, 4)]),
        ({"checksum": 0}, [("checksum-differs", 4, 4)]),
        ({"checksum": UNCHECKED}, [("checksum-missing", 4, 4)]),
        ({"first_seq": 5}, [("commit-missing", 4, 4), ("checksum-differs", 4, 4)]),
        ({"first_seq": 0}, [("changed", 4, 4), ("checksum-differs", 4, 4)]),
    ],
)
def test_what_the_chain_does_not_cover_has_a_checksum(
    field: dict[str, Any], faults: list[tuple[str, int, int]]
) -> None:
    events, commits = record()
    commits[1] = msgspec.structs.replace(commits[1], **field)
    assert found((events, commits)) == faults


def test_each_bit_of_a_command_is_in_its_checksum() -> None:
    events, commits = record()
    kept = msgspec.structs.asdict(commits[1])
    for field in ("game", "command_id", "request", "hash"):
        for place in range(len(kept[field])):
            for bit in range(7):
                text = kept[field]
                flipped = text[:place] + chr(ord(text[place]) ^ 1 << bit) + text[place + 1 :]
                commits[1] = Commit(**{**kept, field: flipped})
                assert ("checksum-differs", 4, 4) in found((events, commits)), (field, place, bit)


def test_commands_without_a_checksum_are_no_fault_before_the_first_that_has_one() -> None:
    events, commits = record()
    commits[:2] = [bare(commit) for commit in commits[:2]]
    assert found((events, commits)) == []
    assert unchecked(commits) == 2


def test_another_id_of_a_game_is_found_once_by_all_its_checksums() -> None:
    events, commits = record()
    other = [msgspec.structs.replace(commit, game="another") for commit in commits]
    (fault,) = verify_chain([msgspec.structs.replace(event, game="another") for event in events], other)
    sentence = "The commands of events 1 to 9 do not match their checksums."
    assert fault == ChainFault("another", 1, 9, "checksum-differs", sentence)


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
