"""What is stored for each ruleset version, and the law that old records keep their meaning.

The law: a stored event is contained in what is written anew, and a default means what it meant.  For each
version there is a file in

snapshots/   the schema of the state: rulings in old records name its places
events/      an event of each kind, as it was written
defaults/    the default of each field and option that may be left out
meanings/    a digest of all states of each recorded game (tests/games/rulesets/…/transcripts, else games/)

    make golden                                                    adds what has no line yet
    python -m tests.conformance.stored state monsters-of-war 1     writes the schema of the state anew

A changed schema means a new version.  What stands in the other files is never changed: it stands for records
that are out there.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping
from hashlib import sha256
from pathlib import Path
from typing import Any

import msgspec
from msgspec import inspect

from games.core import fold, serialization
from games.core.events import RECORD_EVENTS, Event, RecordStarted, kind_of
from games.core.registry import installed
from games.core.ruleset import Ruleset
from games.examples import high_card
from games.testing.laws import recorded_games
from tests.games import recorded
from tests.games.per_ruleset import TESTED

FOLDER = Path(__file__).parent
STARTED = kind_of(RecordStarted)
_DIGEST = re.compile("[0-9a-f]{64}")
AnyRuleset = Ruleset[Any]
RECORD = "record"
"""Name of the files for the events that every ruleset has."""


def rulesets() -> tuple[Ruleset[Any], ...]:
    """Give every installed version, and those of the toy."""
    return (*installed().values(), *high_card.RULESETS)


def name_of(ruleset: Ruleset[Any]) -> str:
    return f"{ruleset.id}-{ruleset.version}"


def snapshot_file(ruleset: Ruleset[Any]) -> Path:
    return FOLDER / "snapshots" / f"{name_of(ruleset)}.json"


def events_file(ruleset: Ruleset[Any]) -> Path:
    return FOLDER / "events" / f"{name_of(ruleset)}.jsonl"


def game_file(ruleset: Ruleset[Any]) -> Path:
    return FOLDER / "games" / f"{name_of(ruleset)}.jsonl"


def defaults_file(name: str) -> Path:
    return FOLDER / "defaults" / f"{name}.json"


def meanings_file(ruleset: Ruleset[Any]) -> Path:
    return FOLDER / "meanings" / f"{name_of(ruleset)}.json"


# --- the state's schema ---


def state_schema(ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Give the JSON schema of what rulings can name: without `setup`, without sentences for people."""
    schema: dict[str, Any] = _without_sentences(msgspec.json.schema(ruleset.state))
    del schema["$defs"][ruleset.state.__name__]["properties"]["setup"]
    reached = {ruleset.state.__name__}
    while more := {name for root in reached for name in _referred(schema["$defs"][root])} - reached:
        reached |= more
    schema["$defs"] = {name: schema["$defs"][name] for name in sorted(reached)}
    return schema


def _without_sentences(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _without_sentences(item) for key, item in value.items() if key != "description"}
    return [_without_sentences(item) for item in value] if isinstance(value, list) else value


def _referred(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("$ref"), str):
            yield value["$ref"].rpartition("/")[2]
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _referred(item)


def written(value: Mapping[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(value, order="sorted"), indent=1).decode() + "\n"


def snapshot(ruleset: Ruleset[Any]) -> str:
    """Give the stored schema; where there is none yet, the present one."""
    file = snapshot_file(ruleset)
    return file.read_text(encoding="utf-8") if file.exists() else written(state_schema(ruleset))


# --- one event of each kind ---


def stored_lines(ruleset: Ruleset[Any]) -> list[str]:
    return _lines(events_file(ruleset))


def record_lines() -> list[str]:
    return _lines(FOLDER / "events" / f"{RECORD}.jsonl")


def _lines(file: Path) -> list[str]:
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def kinds_due(ruleset: Ruleset[Any]) -> set[str]:
    """List the kinds that must have a stored event: its own, and the start with options and data."""
    return {*serialization.known_kinds(ruleset), STARTED}


def missing_events(ruleset: Ruleset[Any]) -> Iterator[Event]:
    """Find in played games one event of each kind that has no line yet."""
    missing = kinds_due(ruleset) - {msgspec.json.decode(line)["kind"] for line in stored_lines(ruleset)}
    for game in recorded_games(ruleset) if missing else ():
        for event in (game.started, *game.events):
            if kind_of(event) in missing:
                missing.remove(kind_of(event))
                yield event
    if missing:
        print(f"No game has {', '.join(sorted(missing))}: write these by hand.", file=sys.stderr)  # noqa: T201


def events(ruleset: Ruleset[Any]) -> str:
    """Give the stored events, and behind them one of each kind that has none."""
    more = (serialization.encode_event(event) for event in missing_events(ruleset))
    return "".join(f"{line}\n" for line in (*stored_lines(ruleset), *more))


def not_contained(ruleset: Ruleset[Any], line: str) -> str:
    """Say why a stored line is not contained in what is written anew; nothing where it is."""
    stored = msgspec.json.decode(line)
    try:
        event = serialization.decode_event(ruleset, line)
    except msgspec.DecodeError as fault:
        return f"{stored['kind']} can no longer be read: {fault}"
    if kind_of(event) != stored["kind"]:
        return f"{stored['kind']} is read as {kind_of(event)}"
    if stored["kind"] in ruleset.upcasts:
        return ""
    anew = serialization.encode_event(event)
    return "" if _contains(msgspec.json.decode(anew), stored) else f"{line} is written anew as {anew}"


def _contains(anew: Any, stored: Any) -> bool:
    """Tell whether a JSON value has all of a stored one, in its order; objects may have more keys."""
    if isinstance(anew, dict) and isinstance(stored, dict):
        shared = [key for key in anew if key in stored]
        return shared == list(stored) and all(_contains(anew[key], stored[key]) for key in stored)
    if isinstance(anew, list) and isinstance(stored, list):
        return len(anew) == len(stored) and all(map(_contains, anew, stored))
    return type(anew) is type(stored) and bool(anew == stored)


# --- defaults: what a field that is left out stands for ---


def defaults(ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Give each default of an option, of a field of an event or of the data, by its path."""
    roots = {"options": ruleset.options, "data": ruleset.data}
    return dict(_defaults(roots | {kind_of(event): event for event in ruleset.events}))


def record_defaults() -> dict[str, Any]:
    """Give the defaults of the events that every ruleset has."""
    return dict(_defaults({kind_of(event): event for event in RECORD_EVENTS}))


def _defaults(roots: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    for path, struct in roots.items():
        yield from _below(path, inspect.type_info(struct), ())


def _below(path: str, found: inspect.Type, above: tuple[type, ...]) -> Iterator[tuple[str, Any]]:
    match found:
        case inspect.Metadata(type=inner) | inspect.DictType(value_type=inner):
            yield from _below(path, inner, above)
        case inspect.VarTupleType(item_type=inner) | inspect.ListType(item_type=inner):
            yield from _below(path, inner, above)
        case inspect.UnionType(types=inners) | inspect.TupleType(item_types=inners):
            for inner in inners:
                yield from _below(path, inner, above)
        case inspect.StructType(cls=cls, fields=fields) if cls not in above:
            for field in fields:
                place = f"{path}.{field.encode_name}"
                if not field.required:
                    yield place, _default(field)
                yield from _below(place, field.type, (*above, cls))


def _default(field: inspect.Field) -> Any:
    made = field.default_factory() if field.default is msgspec.NODEFAULT else field.default
    return msgspec.to_builtins(made)


def kept_defaults(name: str) -> dict[str, Any]:
    return _read(defaults_file(name))


def _read(file: Path) -> dict[str, Any]:
    return msgspec.json.decode(file.read_bytes(), type=dict[str, Any]) if file.exists() else {}


def with_new(kept: Mapping[str, Any], present: Mapping[str, Any]) -> str:
    """Write what is kept and what is new; what is kept stays as it was."""
    return written({**present, **kept})


def changed(kept: Mapping[str, Any], present: Mapping[str, Any]) -> list[str]:
    """List what differs from what is kept, or is gone."""
    return [
        f"{key} was {value!r} and {f'is {present[key]!r}' if key in present else 'is gone'}"
        for key, value in kept.items()
        if key not in present or present[key] != value
    ]


# --- meanings: what recorded games come to ---


def kept_games(ruleset: Ruleset[Any]) -> Iterator[tuple[str, list[str]]]:
    """Give the recorded games of this version by name, as stored lines; else the one in games/."""
    if has_recorded_games(ruleset):
        yield from _recorded_games(ruleset)
    else:
        yield "game", game(ruleset).splitlines()


def has_recorded_games(ruleset: Ruleset[Any]) -> bool:
    return any(True for _ in _recorded_games(ruleset))


def _recorded_games(ruleset: Ruleset[Any]) -> Iterator[tuple[str, list[str]]]:
    for tested in TESTED:
        for record in recorded.records(tested) if tested.ruleset.id == ruleset.id else ():
            lines = recorded.lines(record)
            if msgspec.json.decode(lines[0])["version"] == ruleset.version:
                yield record.name, lines


def game(ruleset: Ruleset[Any]) -> str:
    """Give the stored game of a version; where there is none yet, one that is played."""
    if game_file(ruleset).exists():
        return game_file(ruleset).read_text(encoding="utf-8")
    played = recorded_games(ruleset)[0]
    return "".join(f"{serialization.encode_event(event)}\n" for event in (played.started, *played.events))


def meanings(ruleset: Ruleset[Any]) -> dict[str, str]:
    """Give a digest of all states of each recorded game, or why it cannot be replayed."""
    return {name: _meaning(ruleset, lines) for name, lines in kept_games(ruleset)}


def _meaning(ruleset: Ruleset[Any], lines: list[str]) -> str:
    try:
        started, *events = (serialization.decode_event(ruleset, line) for line in lines)
        states = map(serialization.freeze, fold.states(ruleset, started, events))
        return sha256(b"\n".join(states)).hexdigest()
    except Exception as fault:  # noqa: BLE001 - rules may raise anything on what they no longer understand
        return f"{type(fault).__name__}: {fault}"


def kept_meanings(ruleset: Ruleset[Any]) -> dict[str, Any]:
    return _read(meanings_file(ruleset))


# --- the law ---


def faults(ruleset: Ruleset[Any]) -> list[str]:
    """List what a ruleset no longer reads as it was stored, and what means something else now."""
    unread = (not_contained(ruleset, line) for line in stored_lines(ruleset))
    return [
        *(fault for fault in unread if fault),
        *changed(kept_defaults(name_of(ruleset)), defaults(ruleset)),
        *_other_meanings(ruleset),
    ]


def _other_meanings(ruleset: Ruleset[Any]) -> Iterator[str]:
    present = meanings(ruleset)
    for name, digest in kept_meanings(ruleset).items():
        if name not in present:
            yield f"the recorded game {name!r} is gone"
        elif not _DIGEST.fullmatch(present[name]):
            yield f"the recorded game {name!r} can no longer be replayed: {present[name]}"
        elif present[name] != digest:
            yield f"the recorded game {name!r} comes to other states"


def main(what: str, name: str, version: str) -> None:
    (ruleset,) = (item for item in rulesets() if (item.id, item.version) == (name, int(version)))
    if what != "state":
        raise SystemExit(f"{what!r} is not written by name: run make golden")
    snapshot_file(ruleset).write_text(written(state_schema(ruleset)), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
