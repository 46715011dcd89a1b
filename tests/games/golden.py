"""Golden scenarios: one JSON file each, run by one function for every ruleset.

tests/games/rulesets/<ruleset's folder>/scenarios/<name>.json holds

about     one sentence: what is shown, and by which rule or ruling
players   how many (2 where it is left out)
origin    `table` where it is left out
options   the chosen ones, over the suggested ones
data      a card or board file as a user would give it; left out: the ruleset's own
from      a state without `setup`, or a list of events that lead to the position
events    what happens then; each is an event's JSON object or a line of notation
expected  `state`: {JSON pointer: value}, `scene`: {key of a counter, zone or cell: value},
          `pending`: [kind], `outcome`: {reason, winners, scores} or null, `describe`: [line], one an event
refused   `code` of the refusal, with optional `says` (a part of the sentence), `rule`, `row` (of the data)
          and `legal` (events that the refusal must offer); all events but the last are accepted, the last
          one (or the start, where there are no events) is refused

The invariants are tried at the start and after each event, and every event is judged before it is applied.
"""

from __future__ import annotations

from importlib import import_module
from pathlib import Path
from typing import Any

import msgspec

from games.core import serialization
from games.core.events import Event, RecordStarted
from games.core.fold import check, evolve
from games.core.ruleset import BadData, IllegalAction, Ruleset
from games.core.start import started
from games.text import wording

ROOT = Path(__file__).parent / "rulesets"


class Refused(msgspec.Struct, forbid_unknown_fields=True):
    """The refusal that a scenario ends in."""

    code: str
    says: str = ""
    rule: str | None = None
    row: str | None = None
    legal: list[Any] = []


class Expected(msgspec.Struct, forbid_unknown_fields=True):
    """What must hold after the last event; what is left out is not looked at."""

    state: dict[str, Any] = {}
    scene: dict[str, int | str | None] = {}
    pending: list[str] | None = None
    outcome: dict[str, Any] | msgspec.UnsetType | None = msgspec.UNSET
    describe: list[str] | None = None


class Scenario(msgspec.Struct, forbid_unknown_fields=True):
    """One file."""

    about: str
    players: int = 2
    origin: str = "table"
    options: dict[str, Any] = {}
    data: Any = None
    from_: Any = msgspec.field(default=None, name="from")
    events: list[Any] = []
    expected: Expected | None = None
    refused: Refused | None = None


def scenario_files() -> list[Path]:
    """List the scenario files of all rulesets."""
    return sorted(ROOT.glob("*/scenarios/*.json"))


def ruleset_of(path: Path) -> Ruleset[Any]:
    """Find the newest version of the ruleset in whose test folder a file lies."""
    folder = path.relative_to(ROOT).parts[0]
    newest: Ruleset[Any] = import_module(f"games.rulesets.{folder}").RULESETS[0]
    return newest


def read(path: Path) -> Scenario:
    """Read a scenario; a mistyped or unknown field is an error: nothing goes silently unchecked."""
    scenario = msgspec.json.decode(path.read_bytes(), type=Scenario)
    if (scenario.expected is None) == (scenario.refused is None):
        raise AssertionError(f"{path.name}: give either `expected` or `refused`")
    return scenario


def run(path: Path) -> None:
    """Play one scenario and compare."""
    scenario, ruleset = read(path), ruleset_of(path)
    if scenario.refused is not None:
        _run_refused(ruleset, scenario, scenario.refused)
        return
    start = _start(ruleset, scenario)
    state = _position(ruleset, scenario, start)
    lines: list[str] = []
    for move in scenario.events:
        for event in events_of(ruleset, state, move):
            lines.append(wording.caption(ruleset, state, event))
            state = step(ruleset, state, event, start)
    assert scenario.expected is not None
    compare(ruleset, state, scenario.expected, lines)


def _run_refused(ruleset: Ruleset[Any], scenario: Scenario, refused: Refused) -> None:
    try:
        start = _start(ruleset, scenario)
    except (IllegalAction, BadData) as error:
        if scenario.events:
            raise
        _compare_refusal(error, refused, [])
        return
    state = _position(ruleset, scenario, start)
    assert scenario.events, "the start is accepted, though it was to be refused"
    *before, last = scenario.events
    for move in before:
        for event in events_of(ruleset, state, move):
            state = step(ruleset, state, event, start)
    try:
        for event in events_of(ruleset, state, last):
            state = step(ruleset, state, event, start)
    except IllegalAction as error:
        wanted = [event for move in refused.legal for event in events_of(ruleset, state, move)]
        _compare_refusal(error, refused, wanted)
    else:
        raise AssertionError(f"accepted, though it was to be refused with {refused.code!r}")


def _start(ruleset: Ruleset[Any], scenario: Scenario) -> RecordStarted[Any, Any]:
    data = None if scenario.data is None else msgspec.json.encode(scenario.data)
    origin: Any = scenario.origin
    return started(ruleset, scenario.players, options=scenario.options, data=data, origin=origin)


def _position(ruleset: Ruleset[Any], scenario: Scenario, start: RecordStarted[Any, Any]) -> Any:
    state = ruleset.setup(start)
    if isinstance(scenario.from_, dict):
        state = serialization.thaw(ruleset, msgspec.json.encode(scenario.from_), state.setup)
    ruleset.invariants(state)
    if isinstance(scenario.from_, list):
        for move in scenario.from_:
            for event in events_of(ruleset, state, move):
                state = step(ruleset, state, event, start)
    return state


def events_of(ruleset: Ruleset[Any], state: Any, move: Any) -> tuple[Event, ...]:
    """Read one move: an event's JSON object, or a line of notation."""
    if isinstance(move, dict):
        return (serialization.event_from(ruleset, move),)
    return wording.read(ruleset, state, move)


def step(ruleset: Ruleset[Any], state: Any, event: Event, start: RecordStarted[Any, Any]) -> Any:
    """Judge an event, apply it, and look whether everything is still there."""
    check(ruleset, state, event, seats=start.seats, closed=False)
    after = evolve(ruleset, state, event)
    ruleset.invariants(after)
    return after


def compare(ruleset: Ruleset[Any], state: Any, expected: Expected, lines: list[str]) -> None:
    """Compare the position with the parts that a scenario names."""
    plain = serialization.plain_state(state)
    found = {pointer: _at(plain, pointer) for pointer in expected.state}
    assert found == expected.state
    scene = dict(ruleset.scene(state).values())
    assert {key: scene.get(key, "no such key") for key in expected.scene} == expected.scene
    if expected.pending is not None:
        kinds = [kind for item in ruleset.pending(state) for kind in item.kinds]
        assert kinds == expected.pending
    if expected.outcome is not msgspec.UNSET:
        assert msgspec.json.decode(msgspec.json.encode(ruleset.outcome(state))) == expected.outcome
    if expected.describe is not None:
        assert lines == expected.describe


def _at(plain: Any, pointer: str) -> Any:
    for part in pointer.split("/")[1:]:
        key = part.replace("~1", "/").replace("~0", "~")
        try:
            plain = plain[int(key)] if isinstance(plain, list) else plain[key]
        except (KeyError, IndexError, ValueError):
            return f"nothing at {pointer}"
    return plain


def _compare_refusal(error: IllegalAction | BadData, refused: Refused, wanted: list[Event]) -> None:
    assert error.code == refused.code, str(error)
    assert refused.says in error.sentence
    if isinstance(error, BadData):
        assert refused.row is None or error.row == refused.row
        return
    assert refused.row is None, "only a data file has rows"
    assert refused.rule is None or error.rule == refused.rule
    missing = [event for event in wanted if event not in error.legal]
    assert not missing, f"the refusal offers only {error.legal}"
