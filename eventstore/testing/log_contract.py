"""The contract of `EventLog` as tests: subclass `EventLogContract` and say how a log is made."""

# ruff: noqa: D102, PLR2004, S101 - a test's name says what broke, it states its numbers, and pytest asserts

from __future__ import annotations

import json
from hashlib import sha256
from threading import Barrier, Thread
from typing import TYPE_CHECKING

import msgspec
import pytest

from eventstore.errors import (
    CommandReused,
    Conflict,
    LogClosed,
    MalformedAppend,
    TabletapeError,
    UnknownGame,
)
from eventstore.log.chain import verify_chain
from eventstore.log.rows import UNCHECKED, Append, Commit, Head, NewEvent, Receipt

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eventstore.log.contract import EventLog

GAME = "k7qm3x9vfa"
OTHER = "other-game"


def fact(number: int = 0, kind: str = "card_drawn") -> NewEvent:
    """An event that any log takes."""
    return NewEvent(kind, json.dumps({"kind": kind, "number": number}, separators=(",", ":")))


def facts(count: int) -> list[NewEvent]:
    """As many events, numbered from 0."""
    return [fact(number) for number in range(count)]


def started(log: EventLog, count: int = 1, game: str = GAME) -> Receipt:
    """A game with this many events."""
    return log.append(game, facts(count), after=0, command_id=game, request="start")


def bare(commit: Commit) -> Commit:
    """A command without its checksum: a log need not keep one."""
    return msgspec.structs.replace(commit, checksum=UNCHECKED)


class EventLogContract:
    """What every log does."""

    def make_log(self, place: Path) -> EventLog:
        """An empty log; `place` is a folder of its own."""
        raise NotImplementedError

    @pytest.fixture
    def log(self, tmp_path: Path) -> Iterator[EventLog]:
        with self.make_log(tmp_path) as log:
            yield log

    def test_a_log_without_games_reads_as_empty(self, log: EventLog) -> None:
        assert (log.games(), log.follow(0)) == ([], [])
        assert (log.head(GAME), log.events(GAME), log.commits(GAME)) == (None, [], [])
        assert (log.payload_array(GAME), log.rewrites(GAME)) == (b"[]", [])
        assert (log.answered(GAME, GAME), log.command_of(GAME, 1), log.record(GAME)) == (None, None, ([], []))

    def test_what_was_appended_is_read_back_to_the_byte(self, log: EventLog) -> None:
        payload = '{"kind":"card_drawn", "text":"Drago\\u006e \u2028 \U0001f409 ä","pad":1.50}'
        stamp = "2026-09-14T18:03:05.123456Z"
        log.append(
            GAME, [NewEvent("card_drawn", payload, "p1", stamp)], after=0, command_id=GAME, request="r"
        )
        (event,) = log.events(GAME)
        assert (event.game, event.seq, event.kind, event.by) == (GAME, 1, "card_drawn", "p1")
        assert (event.recorded_at, event.payload) == (stamp, payload)
        assert log.payload_array(GAME) == f"[{payload}]".encode()

    def test_a_receipt_names_the_events_and_the_chains_value(self, log: EventLog) -> None:
        started(log, 2)
        receipt = log.append(GAME, facts(3), after=2, command_id="c2", request="r")
        assert (receipt.game, receipt.first_seq, receipt.last_seq, receipt.repeated) == (GAME, 3, 5, False)
        assert log.head(GAME) == Head(5, receipt.head)
        assert bare(log.commits(GAME)[-1]) == Commit(GAME, 3, 5, "c2", "r", receipt.head)

    def test_the_chain_can_be_computed_with_sha256_alone(self, log: EventLog) -> None:
        started(log, 2)
        receipt = log.append(GAME, facts(1), after=2, command_id="c2", request="r")
        value = bytes(32)
        for event in log.events(GAME):
            line = (
                f'{{"seq":{event.seq},"at":"{event.recorded_at}","by":"{event.by}","event":{event.payload}}}'
            )
            value = sha256(value + line.encode() + b"\n").digest()
        assert receipt.head == value.hex()

    def test_the_chain_does_not_depend_on_how_events_were_grouped(self, log: EventLog) -> None:
        stamped = [NewEvent(e.kind, e.payload, "p1", "2026-09-14T18:03:05.000000Z") for e in facts(4)]
        whole = log.append(GAME, stamped, after=0, command_id=GAME, request="r")
        for place, event in enumerate(stamped):
            parts = log.append(OTHER, [event], after=place, command_id=f"c{place}", request="r")
        assert whole.head == parts.head

    def test_a_stale_append_is_refused_with_the_head_and_nothing_is_recorded(self, log: EventLog) -> None:
        started(log, 3)
        before = log.record(GAME)
        for after in (0, 2, 4):
            with pytest.raises(Conflict) as refusal:
                log.append(GAME, facts(1), after=after, command_id="late", request="r")
            assert (refusal.value.head, refusal.value.game) == (3, GAME)
        assert log.record(GAME) == before
        assert log.answered(GAME, "late") is None

    def test_a_game_that_is_not_there_cannot_be_continued(self, log: EventLog) -> None:
        with pytest.raises(UnknownGame):
            log.append(GAME, facts(1), after=1, command_id="c1", request="r")
        assert log.games() == []

    def test_a_repeated_command_gets_the_first_answer_and_adds_nothing(self, log: EventLog) -> None:
        started(log)
        first = log.append(GAME, facts(2), after=1, command_id="c2", request="r")
        log.append(GAME, facts(1), after=3, command_id="c3", request="r")
        before = log.record(GAME)
        for after in (1, 4):
            again = log.append(GAME, facts(5), after=after, command_id="c2", request="r")
            assert again == Receipt(GAME, first.first_seq, first.last_seq, first.head, repeated=True)
        assert log.record(GAME) == before

    def test_making_a_game_twice_makes_it_once(self, log: EventLog) -> None:
        assert not started(log).repeated
        assert started(log).repeated
        assert log.games() == [GAME]

    def test_a_command_id_for_another_request_is_refused(self, log: EventLog) -> None:
        started(log)
        with pytest.raises(CommandReused):
            log.append(GAME, facts(1), after=1, command_id=GAME, request="another")
        assert log.head(GAME) == Head(1, log.commits(GAME)[0].hash)

    def test_two_games_may_use_the_same_command_id(self, log: EventLog) -> None:
        started(log)
        assert not log.append(OTHER, facts(1), after=0, command_id=GAME, request="start").repeated

    def test_an_answer_can_be_looked_up_before_anything_is_decided(self, log: EventLog) -> None:
        receipt = started(log, 2)
        answered = log.answered(GAME, GAME)
        assert answered
        assert bare(answered) == Commit(GAME, 1, 2, GAME, "start", receipt.head)
        assert log.answered(GAME, "never") is None
        assert log.answered(OTHER, GAME) is None

    def test_several_commands_are_all_recorded(self, log: EventLog) -> None:
        commands = [
            Append(GAME, tuple(facts(2)), 0, GAME, "r"),
            Append(OTHER, tuple(facts(1)), 0, OTHER, "r"),
            Append(GAME, tuple(facts(1)), 2, "c2", "r"),
            Append(GAME, tuple(facts(2)), 0, GAME, "r"),
        ]
        receipts = log.append_all(commands)
        assert [(r.game, r.first_seq, r.last_seq, r.repeated) for r in receipts] == [
            (GAME, 1, 2, False),
            (OTHER, 1, 1, False),
            (GAME, 3, 3, False),
            (GAME, 1, 2, True),
        ]
        assert log.games() == [GAME, OTHER]
        assert log.append_all([]) == []

    def test_ids_are_found_by_how_they_begin(self, log: EventLog) -> None:
        for name in ("night~1", "night-2", "nights", "day-1", "night/notes"):
            log.append(name, facts(1), after=0, command_id=name, request="start")
        assert log.ids("night", limit=9) == ["night-2", "nights", "night~1"]
        assert log.ids("night", limit=2) == ["night-2", "nights"]
        assert log.ids("night", limit=0) == log.ids("night", limit=-1) == []
        assert log.ids(limit=9) == ["day-1", "night-2", "nights", "night~1"]
        assert log.ids("x", limit=9) == []

    def test_of_several_commands_none_is_recorded_if_one_is_refused(self, log: EventLog) -> None:
        started(log)
        before = log.record(GAME), log.follow(0)
        good = [Append(OTHER, tuple(facts(2)), 0, OTHER, "r"), Append(GAME, tuple(facts(1)), 1, "c2", "r")]
        repeated = Append(GAME, tuple(facts(1)), 0, GAME, "start")
        bad = {
            Conflict: Append(GAME, tuple(facts(1)), 1, "c3", "r"),
            UnknownGame: Append("nowhere", tuple(facts(1)), 1, "c3", "r"),
            CommandReused: Append(GAME, tuple(facts(1)), 2, "c2", "another"),
            MalformedAppend: Append(GAME, (), 2, "c3", "r"),
        }
        for error, command in bad.items():
            with pytest.raises(error):
                log.append_all([*good, repeated, command])
            assert (log.record(GAME), log.follow(0)) == before
        assert log.games() == [GAME]

    def test_positions_are_not_used_for_what_was_refused(self, log: EventLog) -> None:
        started(log)
        with pytest.raises(Conflict):
            log.append_all(
                [Append(OTHER, tuple(facts(1)), 0, OTHER, "r"), Append(GAME, tuple(facts(1)), 9, "c", "r")]
            )
        started(log, 1, OTHER)
        assert [(event.game, event.seq) for event in log.follow(log.events(GAME)[0].position)] == [(OTHER, 1)]

    @pytest.mark.parametrize(
        ("first", "last", "seqs"),
        [
            (1, None, [1, 2, 3, 4]),
            (2, 3, [2, 3]),
            (3, None, [3, 4]),
            (4, 9, [4]),
            (0, 1, [1]),
            (5, None, []),
            (3, 2, []),
            (1, 0, []),
            (-3, -1, []),
        ],
    )
    def test_a_stretch_of_events(self, log: EventLog, first: int, last: int | None, seqs: list[int]) -> None:
        started(log, 4)
        started(log, 6, OTHER)
        assert [event.seq for event in log.events(GAME, first, last)] == seqs
        payloads = json.loads(log.payload_array(GAME, first, last))
        assert [payload["number"] + 1 for payload in payloads] == seqs

    def test_only_what_rewrites_the_history_is_listed_as_rewrites(self, log: EventLog) -> None:
        kinds = ["record.started", "card_drawn", "record.undone", "record.redone", "record.amended"]
        kinds += ["record.ruled", "record.checked", "record.closed"]
        events = [fact(number, kind) for number, kind in enumerate(kinds)]
        log.append(GAME, events, after=0, command_id=GAME, request="r")
        log.append(OTHER, events, after=0, command_id=OTHER, request="r")
        assert log.rewrites(GAME) == [(seq, events[seq - 1].payload) for seq in (3, 4, 5)]

    @pytest.mark.parametrize(
        ("kind", "rewritten"),
        [
            ("record.undone", True),
            ("record.redone", True),
            ("record.amended", True),
            ("record.ruled", False),
            ("card_drawn", False),
        ],
    )
    def test_the_opening_of_a_game_says_whether_anything_rewrites_it(
        self, log: EventLog, kind: str, *, rewritten: bool
    ) -> None:
        started(log, 2)
        log.append(OTHER, [fact(0), fact(1, kind)], after=0, command_id=OTHER, request="r")
        found = [log.opening(game) for game in (GAME, OTHER)]
        assert [one and one.rewritten for one in found] == [False, rewritten]

    def test_the_command_of_an_event(self, log: EventLog) -> None:
        started(log, 2)
        log.append(GAME, facts(3), after=2, command_id="c2", request="r")
        found = [log.command_of(GAME, seq) for seq in range(7)]
        assert [one and one.command_id for one in found] == [None, GAME, GAME, "c2", "c2", "c2", None]

    def test_a_follower_sees_each_event_of_every_game_once_and_in_order(self, log: EventLog) -> None:
        started(log, 2)
        started(log, 2, OTHER)
        log.append(GAME, facts(2), after=2, command_id="c2", request="r")
        log.append(f"{GAME}/notes", facts(1), after=0, command_id="n1", request="r")
        seen = []
        position = 0
        while page := log.follow(position, limit=2):
            assert len(page) <= 2
            seen += [(event.game, event.seq) for event in page]
            position = page[-1].position
        here, there, notes = GAME, OTHER, f"{GAME}/notes"
        assert seen == [(here, 1), (here, 2), (there, 1), (there, 2), (here, 3), (here, 4), (notes, 1)]
        assert log.games() == [here, there, notes]
        log.append(OTHER, facts(1), after=2, command_id="c3", request="r")
        assert [(event.game, event.seq) for event in log.follow(position)] == [(there, 3)]

    def test_what_is_read_is_what_was_followed(self, log: EventLog) -> None:
        started(log, 2)
        started(log, 1, OTHER)
        assert log.follow(0) == [*log.events(GAME), *log.events(OTHER)]

    def test_a_whole_record_verifies(self, log: EventLog) -> None:
        started(log, 2)
        log.append(GAME, facts(3), after=2, command_id="c2", request="r")
        events, commits = log.record(GAME)
        assert (events, commits) == (log.events(GAME), log.commits(GAME))
        assert verify_chain(events, commits) == []

    def test_an_event_without_a_time_is_stamped_in_utc_with_microseconds(self, log: EventLog) -> None:
        started(log, 2)
        one, other = (event.recorded_at for event in log.events(GAME))
        assert len(one) == len("2026-09-14T18:03:05.123456Z")
        assert (one[10], one[-1]) == ("T", "Z")
        assert one == other

    @pytest.mark.parametrize(
        ("game", "command_id", "events"),
        [
            ("abc", "c", [fact()]),
            ("A" * 8, "c", [fact()]),
            ("x" * 65, "c", [fact()]),
            ("good-game/", "c", [fact()]),
            ("good-game\n", "c", [fact()]),
            (GAME, "", [fact()]),
            (GAME, "two words", [fact()]),
            (GAME, "c" * 129, [fact()]),
            (GAME, "c", []),
            (GAME, "c", [fact(), NewEvent("card_drawn", "{}")]),
            (GAME, "c", [NewEvent("card_drawn", "not json")]),
            (GAME, "c", [NewEvent("card_drawn", '["card_drawn"]')]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_played"}')]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_drawn",\n"n":1}')]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_drawn"}\r')]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_drawn","n":"\ud800"}')]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_drawn"}', 'Ann "A"')]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_drawn"}', "")]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_drawn"}', "p1", "yesterday")]),
            (GAME, "c", [NewEvent("card_drawn", '{"kind":"card_drawn"}', "p1", "2026-09-14T18:03:05Z")]),
            (
                GAME,
                "c",
                [NewEvent("card_drawn", '{"kind":"card_drawn"}', "p", "2026-19-14T18:03:05.000000Z")],
            ),
            (
                GAME,
                "c",
                [NewEvent("card_drawn", '{"kind":"card_drawn"}', "p", "9999-12-31T18:03:05.000000Z")],
            ),
        ],
    )
    def test_what_could_not_stand_in_a_record_is_refused(
        self, log: EventLog, game: str, command_id: str, events: list[NewEvent]
    ) -> None:
        with pytest.raises(MalformedAppend):
            log.append(game, events, after=0, command_id=command_id, request="r")
        assert log.games() == []

    def test_nothing_follows_an_event_before_the_first(self, log: EventLog) -> None:
        with pytest.raises(MalformedAppend):
            log.append(GAME, facts(1), after=-1, command_id="c", request="r")

    def test_fifty_threads_on_one_game_leave_no_gap(self, log: EventLog) -> None:
        started(log)
        refused: list[BaseException] = []
        together = Barrier(50)

        def play(number: int) -> None:
            try:
                together.wait()
                for turn in range(2):
                    _insist(log, f"t{number}-{turn}")
            except BaseException as error:  # noqa: BLE001 - reported below, in the test's own thread
                refused.append(error)

        threads = [Thread(target=play, args=(number,)) for number in range(50)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert refused == []
        events, commits = log.record(GAME)
        assert [event.seq for event in events] == list(range(1, 102))
        assert sorted(event.position for event in events) == [event.position for event in events]
        assert len({commit.command_id for commit in commits}) == 101
        assert verify_chain(events, commits) == []

    def test_one_command_from_many_threads_is_recorded_once(self, log: EventLog) -> None:
        started(log)
        answers: list[Receipt] = []
        together = Barrier(8)

        def click() -> None:
            together.wait()
            answers.append(log.append(GAME, facts(1), after=1, command_id="click", request="r"))

        threads = [Thread(target=click) for _ in range(8)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert sorted(answer.repeated for answer in answers) == [False] + [True] * 7
        assert {(answer.first_seq, answer.head) for answer in answers} == {(2, log.commits(GAME)[-1].hash)}

    def test_a_closed_log_refuses(self, log: EventLog) -> None:
        started(log)
        log.close()
        log.close()
        for use in (
            log.games,
            lambda: log.events(GAME),
            lambda: log.follow(0),
            lambda: started(log, 1, OTHER),
        ):
            with pytest.raises(LogClosed):
                use()

    def test_every_refusal_is_one_sentence_with_a_code(self, log: EventLog) -> None:
        started(log)
        with pytest.raises(TabletapeError) as refusal:
            log.append(GAME, facts(1), after=7, command_id="c", request="r")
        assert (refusal.value.code, refusal.value.exit_code) == ("conflict", 3)
        assert str(refusal.value).endswith(".")
        assert "\n" not in str(refusal.value)

    def test_snapshots_are_found_by_step_and_digest(self, log: EventLog) -> None:
        started(log)
        kept = log.snapshots
        kept.put_all(GAME, "everything", [(10, b"ten", b"state ten")])
        kept.put_all(GAME, "everything", [(20, b"twenty", b"state twenty"), (20, b"else", b"another line")])
        kept.put_all(GAME, "p1", [(30, b"thirty", b"as seen by p1")])
        assert kept.get(GAME, "everything", [(10, b"ten"), (20, b"twenty"), (30, b"x")]) == (
            20,
            b"state twenty",
        )
        assert kept.get(GAME, "everything", [(10, b"twenty"), (20, b"ten")]) is None
        assert kept.get(OTHER, "everything", [(10, b"ten")]) is None
        assert kept.get(GAME, "p1", [(30, b"thirty")]) == (30, b"as seen by p1")

    def test_the_nearest_snapshot_is_the_last_that_was_folded_from_the_same_events(
        self, log: EventLog
    ) -> None:
        started(log)
        kept = log.snapshots
        kept.put_all(GAME, "everything", [(step, b"old %d" % step, b"s%d" % step) for step in (10, 20, 30)])
        kept.put_all(GAME, "everything", [(20, b"new 20", b"n20")])
        assert kept.nearest(GAME, "everything", 29, lambda step: b"old %d" % step) == (20, b"s20")
        assert kept.nearest(GAME, "everything", 30, lambda step: b"new %d" % step) == (20, b"n20")
        assert kept.nearest(GAME, "everything", 9, lambda step: b"old %d" % step) is None
        assert kept.nearest(GAME, "p1", 30, lambda step: b"old %d" % step) is None

    def test_snapshots_may_be_deleted(self, log: EventLog) -> None:
        started(log)
        started(log, 1, OTHER)
        kept = log.snapshots
        for game in (GAME, OTHER):
            kept.put_all(game, "everything", [(1, b"one", b"12345")])
            kept.put_all(game, "everything", [(1, b"one", b"1234567")])
            kept.put_all(game, "p1", [(2, b"two", b"123")])
        assert (kept.bytes_used(GAME), kept.bytes_used("nowhere")) == (10, 0)
        assert (kept.clear(GAME), kept.bytes_used(GAME), kept.bytes_used(OTHER)) == (2, 0, 10)
        assert (kept.clear(), kept.bytes_used(OTHER)) == (2, 0)
        assert verify_chain(*log.record(GAME)) == []

    def test_a_snapshot_of_no_game_is_not_kept(self, log: EventLog) -> None:
        log.snapshots.put_all("nowhere", "everything", [(1, b"one", b"state")])
        assert log.snapshots.bytes_used("nowhere") == 0


def _insist(log: EventLog, command_id: str) -> None:
    """Append one event behind whatever the head is."""
    while True:
        head = log.head(GAME)
        assert head is not None
        try:
            log.append(GAME, facts(1), after=head.seq, command_id=command_id, request="r")
        except Conflict:
            continue
        return
