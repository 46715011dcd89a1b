"""A kind of record event is listed once; all else is derived from that list."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

from eventstore.log import contract, history
from games.core import events, fold, serialization
from games.core.events import RECORD_EVENTS, RECORD_KINDS, REWRITING_KINDS, RecordEvent, kind_of
from games.core.ruleset import IllegalAction
from games.core.start import started
from games.examples.high_card import TOY
from games.text import wording

ROOT = Path(__file__).resolve().parents[2]
PACKAGES = ("games", "eventstore", "replay_web", "cli")
STATED = {
    "games/core/events.py",
    "eventstore/log/history.py",  # the log knows no game: it says what it reads, and is compared below
    "eventstore/log/contract.py",
    "eventstore/testing/log_contract.py",  # its test of what the log lists
}


def test_the_list_has_every_record_event() -> None:
    made = {event for event in RecordEvent.__subclasses__() if event.__module__ == events.__name__}
    assert made == set(RECORD_EVENTS)
    assert all(kind.startswith("record.") for kind in RECORD_KINDS)
    assert len(set(RECORD_KINDS)) == len(RECORD_KINDS)


def test_the_log_reads_the_kinds_that_rewrite() -> None:
    assert set(history.REWRITING) == set(REWRITING_KINDS)
    assert set(contract.MARKING) <= set(RECORD_KINDS)


def lists(source: str) -> Iterator[int]:
    """Give the lines of collections and comparisons that name two or more kinds of record events."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Tuple(elts=inner) | ast.List(elts=inner) | ast.Set(elts=inner):
                parts = inner
            case ast.BoolOp(values=inner):
                parts = inner
            case ast.BinOp(op=ast.BitOr(), left=left, right=right):
                parts = [left, right]
            case _:
                continue
        if len(set().union(*map(_named, parts))) > 1:
            yield node.lineno


def _named(node: ast.expr) -> set[str]:
    """Name the kinds of record events in an expression, by their texts or by their types."""
    kinds = {event.__name__: kind_of(event) for event in RECORD_EVENTS}
    found = {str(one.value) for one in ast.walk(node) if isinstance(one, ast.Constant)}
    typed = {kinds[one.id] for one in ast.walk(node) if isinstance(one, ast.Name) and one.id in kinds}
    return found & set(RECORD_KINDS) | typed


def test_no_other_module_lists_kinds_of_record_events() -> None:
    found = {
        f"{file.relative_to(ROOT)}:{line}"
        for package in PACKAGES
        for file in sorted((ROOT / package).rglob("*.py"))
        if str(file.relative_to(ROOT)) not in STATED
        for line in lists(file.read_text(encoding="utf-8"))
    }
    assert found == set()


@pytest.mark.parametrize(
    "planted",
    [
        'KINDS = ("record.undone", "record.redone")',
        "KINDS = {RecordRuled, RecordChecked}",
        'def f(kind): return kind == "record.ruled" or kind == "record.checked"',
        "Some = RecordUndone | RecordRedone",
    ],
)
def test_a_second_list_is_found(planted: str) -> None:
    assert list(lists(planted)) == [1]


class RecordPlanted(RecordEvent, frozen=True, tag="record.planted"):
    """The table pauses."""

    reason: str


class RecordRewound(RecordEvent, frozen=True, tag="record.rewound"):
    """A kind that rewrites."""

    rewrites = True


@pytest.fixture
def _listed(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setattr(serialization, "RECORD_EVENTS", (*RECORD_EVENTS, RecordPlanted, RecordRewound))
    serialization._decoders.cache_clear()
    yield
    serialization._decoders.cache_clear()


@pytest.mark.usefixtures("_listed")
def test_a_listed_kind_is_read_judged_folded_and_said() -> None:
    start = started(TOY, 2)
    state = TOY.setup(start)
    paused = serialization.decode_event(TOY, '{"kind":"record.planted","reason":"tea"}')
    assert paused == RecordPlanted("tea")
    fold.check(TOY, state, paused, seats=start.seats, closed=False)
    assert fold.evolve(TOY, state, paused) == state
    assert list(fold.observed(TOY, start, [paused], "p1")) == [paused]
    assert wording.caption(TOY, state, paused) == kind_of(RecordPlanted)


@pytest.mark.usefixtures("_listed")
def test_a_listed_kind_that_rewrites_is_neither_recorded_as_a_move_nor_folded() -> None:
    start = started(TOY, 2)
    state = TOY.setup(start)
    rewound = serialization.decode_event(TOY, '{"kind":"record.rewound"}')
    with pytest.raises(IllegalAction, match="rewrites-history"):
        fold.check(TOY, state, rewound, seats=start.seats, closed=False)
    with pytest.raises(TypeError, match="rewrites the history"):
        fold.evolve(TOY, state, rewound)
