"""What is stored for each ruleset version, and how more of it is made, by name and on purpose.

    python -m tests.conformance.stored state monsters-of-war 1     writes the state's schema anew
    python -m tests.conformance.stored events monsters-of-war 1    adds the kinds that have no line yet

A changed schema means that rulings in old records name other places: a new version.  A stored event is never
edited: it stands for records that are out there.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import msgspec

from games.core import serialization
from games.core.events import Event, kind_of
from games.core.registry import installed
from games.core.ruleset import Ruleset
from games.examples import high_card
from games.testing.laws import recorded_games

FOLDER = Path(__file__).parent


def rulesets() -> tuple[Ruleset[Any], ...]:
    """Give every installed version, and those of the toy."""
    return (*installed().values(), *high_card.RULESETS)


def name_of(ruleset: Ruleset[Any]) -> str:
    return f"{ruleset.id}-{ruleset.version}"


def snapshot_file(ruleset: Ruleset[Any]) -> Path:
    return FOLDER / "snapshots" / f"{name_of(ruleset)}.json"


def events_file(ruleset: Ruleset[Any]) -> Path:
    return FOLDER / "events" / f"{name_of(ruleset)}.jsonl"


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


def written(schema: dict[str, Any]) -> str:
    return msgspec.json.format(msgspec.json.encode(schema, order="sorted"), indent=1).decode() + "\n"


# --- one event of each kind ---


def stored_lines(ruleset: Ruleset[Any]) -> list[str]:
    file = events_file(ruleset)
    return file.read_text(encoding="utf-8").splitlines() if file.exists() else []


def kinds_due(ruleset: Ruleset[Any]) -> set[str]:
    """List the kinds that must have a stored event: its own, and the start with options and data."""
    return {*serialization.known_kinds(ruleset), "record.started"}


def missing_events(ruleset: Ruleset[Any]) -> Iterator[Event]:
    """Find in played games one event of each kind that has no line yet."""
    missing = kinds_due(ruleset) - {msgspec.json.decode(line)["kind"] for line in stored_lines(ruleset)}
    for game in recorded_games(ruleset):
        for event in (game.started, *game.events):
            if kind_of(event) in missing:
                missing.remove(kind_of(event))
                yield event
    if missing:
        print(f"No game has {', '.join(sorted(missing))}: write these by hand.", file=sys.stderr)  # noqa: T201


def main(what: str, name: str, version: str) -> None:
    (ruleset,) = (item for item in rulesets() if (item.id, item.version) == (name, int(version)))
    if what == "state":
        snapshot_file(ruleset).write_text(written(state_schema(ruleset)), encoding="utf-8")
    else:
        lines = [
            *stored_lines(ruleset),
            *(serialization.encode_event(event) for event in missing_events(ruleset)),
        ]
        events_file(ruleset).write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
