"""The history against its definition: one list of seqs for each version."""

from __future__ import annotations

import json
from itertools import pairwise
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eventstore.errors import BadHistory
from eventstore.log.history import History, HistorySplice, Runs, splice

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

Raw = dict[int, dict[str, Any]]
"""The rewriting events by seq; every other seq is a fact."""


def undone(to: int) -> dict[str, Any]:
    return {"kind": "record.undone", "to": to}


def redone(to: int) -> dict[str, Any]:
    return {"kind": "record.redone", "to": to}


def amended(*edits: tuple[int, int, int]) -> dict[str, Any]:
    named = [{"after": after, "drop": drop, "put": put} for after, drop, put in edits]
    return {"kind": "record.amended", "edits": named, "reason": "seen later"}


def build(raw: Mapping[int, dict[str, Any]]) -> History:
    return History.build([(seq, json.dumps(raw[seq])) for seq in sorted(raw)])


def puts(event: Mapping[str, Any]) -> int:
    return sum(edit["put"] for edit in event.get("edits", ()))


def spliced(before: Sequence[int], edits: Sequence[Mapping[str, int]], row: int) -> list[int]:
    """The definition of an amendment, on lists."""
    after: list[int] = []
    here = 0
    for edit in edits:
        behind = before.index(edit["after"]) + 1 if edit["after"] else 0
        after += [*before[here:behind], *range(row, row + edit["put"])]
        here, row = behind + edit["drop"], row + edit["put"]
    return [*after, *before[here:]]


def versions(raw: Mapping[int, dict[str, Any]], head: int) -> dict[int, list[int]]:
    """The definition of a history: the entries after each raw event; inside an amendment those before it."""
    known: dict[int, list[int]] = {0: []}
    seq = 1
    while seq <= head:
        event, before = raw.get(seq), known[seq - 1]
        if event is None:
            known[seq] = [*before, seq]
        elif "to" in event:
            known[seq] = known[event["to"]]
        else:
            end = seq + puts(event)
            known.update(dict.fromkeys(range(seq, end), before))
            known[end] = spliced(before, event["edits"], seq + 1)
            seq = end
        seq += 1
    return known


class Editor:
    """A text editor's two stacks: the definition of undo and redo."""

    def __init__(self) -> None:
        self.done: list[int] = []
        self.left: list[int] = []

    def act(self, event: int) -> None:
        self.done.append(event)
        self.left.clear()

    def undo(self) -> int | None:
        if len(self.done) == 1:
            return None
        self.left.append(self.done.pop())
        return self.done[-1]

    def redo(self) -> int | None:
        if not self.left:
            return None
        self.done.append(self.left.pop())
        return self.done[-1]


def inside(raw: Mapping[int, dict[str, Any]]) -> set[int]:
    """Events after which an amendment has not come whole."""
    return {seq + k for seq, event in raw.items() for k in range(puts(event))}


@st.composite
def edits_of(draw: st.DrawFn, entries: Sequence[int]) -> list[tuple[int, int, int]]:
    """Some legal edits of a history."""
    found: list[tuple[int, int, int]] = []
    place = 0
    for _ in range(draw(st.integers(1, 3))):
        behind = draw(st.integers(place, len(entries)))
        drop = (
            draw(st.integers(0 if behind else 1, min(3, len(entries) - behind)))
            if behind < len(entries)
            else 0
        )
        put = draw(st.integers(0 if drop and behind else 1, 3))
        if not behind and not drop:
            break
        found.append((entries[behind - 1] if behind else 0, drop, put))
        place = behind + drop
    return found


@st.composite
def raw_logs(draw: st.DrawFn) -> tuple[Raw, int]:
    """Rewrites of every sort, and the head; `to` is any earlier whole version."""
    raw: Raw = {}
    seq = 1
    for _ in range(draw(st.integers(0, 25))):
        seq += 1
        act = draw(st.sampled_from(["fact", "fact", "fact", "undone", "redone", "amended"]))
        entries = versions(raw, seq - 1)[seq - 1]
        edits = draw(edits_of(entries)) if act == "amended" else []
        if edits:
            raw[seq] = amended(*edits)
            seq += puts(raw[seq])
        elif act in {"undone", "redone"}:
            to = draw(st.sampled_from(sorted(set(range(1, seq)) - inside(raw))))
            raw[seq] = undone(to) if act == "undone" else redone(to)
    return raw, seq


@given(raw_logs())
def test_every_version_is_what_the_definition_says(log: tuple[Raw, int]) -> None:
    raw, head = log
    history = build(raw)
    assert {seq: list(history.at(seq)) for seq in range(head + 1)} == versions(raw, head)


@given(raw_logs())
def test_steps_and_seqs_lead_to_one_another(log: tuple[Raw, int]) -> None:
    raw, head = log
    runs = build(raw).at(head)
    entries = versions(raw, head)[head]
    assert len(runs) == len(entries)
    assert [runs.seq_at(step) for step in range(len(runs))] == entries
    assert [runs.index_of(seq) for seq in range(head + 2)] == [
        entries.index(seq) if seq in entries else None for seq in range(head + 2)
    ]


@given(raw_logs(), st.data())
def test_a_stretch_is_a_slice(log: tuple[Raw, int], data: st.DataObject) -> None:
    raw, head = log
    entries = versions(raw, head)[head]
    first = data.draw(st.integers(0, len(entries)))
    last = data.draw(st.integers(-1, len(entries)))
    spans = build(raw).at(head).stretch(first, last)
    assert [seq for low, high in spans for seq in range(low, high + 1)] == entries[first : last + 1]


@given(raw_logs(), st.data())
def test_equal_beginnings_have_equal_digests_and_others_do_not(
    log: tuple[Raw, int], data: st.DataObject
) -> None:
    raw, head = log
    history, known = build(raw), versions(raw, head)
    one, other = (data.draw(st.integers(1, head)) for _ in range(2))
    shared = history.at(one).common(history.at(other))
    assert known[one][:shared] == known[other][:shared]
    steps = range(min(len(known[one]), len(known[other])))
    same = [history.at(one).digest(step) == history.at(other).digest(step) for step in steps]
    assert same == [known[one][: step + 1] == known[other][: step + 1] for step in steps]
    assert same == [step < shared for step in steps]


@given(st.lists(st.sampled_from(["act", "act", "amend", "undo", "undo", "redo", "redo"]), max_size=40))
def test_undo_and_redo_are_an_editors_two_stacks(script: list[str]) -> None:
    raw: Raw = {}
    editor = Editor()
    editor.act(1)
    head = 1
    for act in script:
        history = build(raw)
        if act == "act":
            head += 1
            editor.act(head)
        elif act == "amend":
            raw[head + 1] = amended((history.at(head).seq_at(len(history.at(head)) - 1), 0, 2))
            head += 3
            editor.act(head)
        else:
            to = history.undo_target(head) if act == "undo" else history.redo_target(head)
            assert to == (editor.undo() if act == "undo" else editor.redo())
            if to is not None:
                head += 1
                raw[head] = undone(to) if act == "undo" else redone(to)
    assert list(build(raw).at(head)) == versions(raw, head)[editor.done[-1]]


@given(raw_logs())
def test_undo_then_redo_changes_nothing(log: tuple[Raw, int]) -> None:
    raw, head = log
    history = build(raw)
    to = history.undo_target(head)
    if to is None:
        assert history.at(head).spans in {(), *(history.at(seq).spans for seq in range(1, head + 1))}
        return
    back = build({**raw, head + 1: undone(to)})
    again = back.redo_target(head + 1)
    assert again is not None
    assert back.at(again) == history.at(head)


@given(raw_logs())
@example(log=({3: amended((1, 0, 1)), 5: amended((1, 1, 0)), 6: undone(2)}, 6))
def test_every_abandoned_line_can_be_restored(log: tuple[Raw, int]) -> None:
    raw, head = log
    history, known = build(raw), versions(raw, head)
    lines = history.lines(head)
    for line in lines:
        assert list(line.runs) == known[line.tip]
        assert list(build({**raw, head + 1: redone(line.tip)}).at(head + 1)) == known[line.tip]
        assert known[line.tip][: line.fork] == known[head][: line.fork]
        # An amendment that is taken back by another leads to the same moves, and is still a line of its own.
        same = known[line.tip] == known[head]
        assert same or known[line.tip][: line.fork + 1] != known[head][: line.fork + 1]
    ever = {tuple(known[seq]) for seq in range(1, head + 1) if seq not in inside(raw)}
    reachable = set()
    for tip in [head, *(line.tip for line in lines)]:
        at: int | None = tip
        while at is not None:
            reachable.add(tuple(known[at]))
            at = history.undo_target(at)
    assert reachable == ever


def test_undo_three_times_then_a_new_move_leaves_the_three_readable() -> None:
    raw: Raw = {7: undone(5), 8: undone(4), 9: undone(3)}
    history = build(raw)
    assert [history.undo_target(head) for head in (6, 7, 8)] == [5, 4, 3]
    assert [history.redo_target(head) for head in (6, 7, 8, 9, 10)] == [None, 6, 5, 4, None]
    assert list(history.at(10)) == [1, 2, 3, 10]
    (left,) = history.lines(10)
    assert (left.tip, left.fork, list(left.runs)) == (6, 3, [1, 2, 3, 4, 5, 6])


@given(raw_logs())
def test_the_redos_that_follow_one_another_are_those_found_one_by_one(log: tuple[Raw, int]) -> None:
    raw, head = log
    found = list(build(raw).redo_targets(head))
    more, end = dict(raw), head
    while (to := build(more).redo_target(end)) is not None:
        assert len(found) > end - head
        assert found[end - head] == to
        end += 1
        more[end] = redone(to)
    assert len(found) == end - head


def test_many_redos_walk_the_line_once(monkeypatch: pytest.MonkeyPatch) -> None:
    events = 300
    history = build({events + n: undone(events - n) for n in range(1, events)})
    walked = []
    stretch = History._stretch

    def counted(self: History, node: int) -> tuple[int, int, int]:
        walked.append(node)
        return stretch(self, node)

    monkeypatch.setattr(History, "_stretch", counted)
    assert list(history.redo_targets(2 * events - 1)) == list(range(2, events + 1))
    assert len(walked) < 5 * events


def test_at_step_0_nothing_is_undone() -> None:
    history = build({3: undone(1)})
    assert [history.undo_target(head) for head in (0, 1, 3)] == [None, None, None]
    assert history.redo_target(0) is None
    assert history.redo_target(3) == 2


def test_undo_takes_the_whole_amendment_back() -> None:
    history = build({5: amended((1, 1, 2), (3, 1, 0)), 9: undone(4)})
    assert list(history.at(7)) == [1, 6, 7, 3]
    assert history.undo_target(7) == 4
    assert history.redo_target(9) == 7


@pytest.mark.parametrize("head", [5, 6])
def test_part_of_an_amendment_shows_the_version_before_it(head: int) -> None:
    history = build({5: amended((1, 1, 2))})
    assert list(history.at(head)) == [1, 2, 3, 4]
    assert history.undo_target(head) == 3
    assert list(history.at(7)) == [1, 6, 7, 3, 4]


def test_redo_ends_when_another_line_is_restored() -> None:
    raw: Raw = {5: undone(2), 7: redone(4), 8: undone(3)}
    history = build(raw)
    assert history.redo_target(7) is None
    assert history.redo_target(8) == 4
    assert [line.tip for line in history.lines(8)] == [4, 6]


def test_a_note_follows_what_replaced_its_event() -> None:
    raw: Raw = {5: amended((2, 1, 1)), 7: amended((2, 1, 1)), 9: undone(4)}
    history = build(raw)
    assert [history.where(3, head) for head in (4, 6, 8, 9)] == [2, 2, 2, 2]
    assert history.at(8).seq_at(2) == 8
    assert [history.where(6, head) for head in (6, 8, 9)] == [2, 2, None]


FATES = MappingProxyType({2: "removed", 3: "shown", 5: "rewrite", 7: "undone", 8: "rewrite"})


@pytest.mark.parametrize(("seq", "fate"), FATES.items())
def test_what_became_of_an_event(seq: int, fate: str) -> None:
    history = build({5: amended((1, 1, 0), (3, 0, 1)), 8: undone(6)})
    assert history.fate(seq, 8) == fate


def test_an_event_of_a_line_that_was_left_is_undone_even_if_that_line_removed_it() -> None:
    history = build({4: amended((2, 1, 0)), 5: undone(2)})
    assert history.fate(3, 4) == "removed"
    assert history.fate(3, 5) == "undone"


def test_step_0_may_be_replaced() -> None:
    history = build({4: amended((0, 1, 1))})
    assert list(history.at(5)) == [5, 2, 3]
    assert history.where(1, 5) == 0


BAD = MappingProxyType(
    {
        "later": ({3: undone(3)}, 3, "no earlier event"),
        "nothing": ({3: redone(0)}, 3, "no earlier event"),
        "inside": ({3: amended((1, 1, 2)), 6: undone(4)}, 6, "inside an amendment"),
        "in its rows": ({3: amended((1, 1, 2)), 4: undone(1)}, 4, "belongs to it"),
        "unknown": ({3: undone(1), 5: amended((2, 1, 1))}, 5, "not in the history"),
        "too much": ({4: amended((2, 2, 1))}, 4, "more than there is"),
        "order": ({5: amended((3, 1, 1), (1, 1, 1))}, 5, "out of order"),
        "overlap": ({5: amended((1, 2, 1), (2, 1, 1))}, 5, "overlap"),
        "first lost": ({4: amended((0, 1, 0))}, 4, "step 0"),
        "before the first": ({4: amended((0, 0, 1))}, 4, "step 0"),
        "idle": ({4: amended((1, 0, 0))}, 4, "neither drops nor puts"),
        "negative": ({4: amended((1, -1, 2))}, 4, "neither drops nor puts"),
        "no edits": ({4: amended()}, 4, "no edits"),
        "shape": ({4: {"kind": "record.undone"}}, 4, "does not fit"),
    }
)


@pytest.mark.parametrize("name", BAD)
def test_a_rewrite_that_points_where_it_may_not_is_named(name: str) -> None:
    raw, seq, words = BAD[name]
    with pytest.raises(BadHistory, match=words) as caught:
        build(raw)
    assert caught.value.seq == seq
    assert caught.value.code == "bad-history"


def test_an_amendment_can_be_tried_before_it_is_appended() -> None:
    runs, pairs = splice(Runs(((1, 9),)), [HistorySplice(4, drop=2, put=3)], 11)
    assert list(runs) == [1, 2, 3, 4, 11, 12, 13, 7, 8, 9]
    assert pairs == [(5, 11), (6, 12)]


@pytest.mark.parametrize("step", [-1, 3])
def test_a_step_outside_is_an_index_error(step: int) -> None:
    with pytest.raises(IndexError):
        Runs(((1, 3),)).seq_at(step)


def test_a_digest_outside_is_an_index_error() -> None:
    with pytest.raises(IndexError):
        Runs(((1, 3),)).digest(3)


def test_spans_are_joined_so_that_equal_histories_are_equal_values() -> None:
    history = build({4: undone(2), 5: redone(3)})
    assert history.at(5) == history.at(3)
    assert history.at(6).spans == ((1, 3), (6, 6))
    assert all(one[1] + 1 != other[0] for one, other in pairwise(history.at(6).spans))


def test_histories_that_differ_in_the_middle_share_only_what_is_before() -> None:
    one, other = Runs(((1, 3), (7, 9))), Runs(((1, 4), (7, 9)))
    assert one.common(other) == other.common(one) == 3
    assert one.digest(2) == other.digest(2)
    assert not {one.digest(step) for step in range(3, 6)} & {other.digest(step) for step in range(3, 7)}
