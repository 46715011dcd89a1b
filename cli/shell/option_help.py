"""Rulesets and their options in words, for `rulesets` and `--option help`."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli.shell.output import Shell, columns, current, paint

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.core.options import RulesetOption
    from games.core.ruleset import Ruleset


def _readings(ruleset: Ruleset[Any]) -> list[RulesetOption]:
    from games.core.options import ruleset_options
    from games.core.ruleset import seat_names

    return list(ruleset_options(ruleset, seat_names(ruleset.seats[0])))


def _readings_json(ruleset: Ruleset[Any]) -> list[dict[str, Any]]:
    import msgspec

    return [msgspec.to_builtins(reading) for reading in _readings(ruleset)]


def summary(ruleset: Ruleset[Any]) -> dict[str, Any]:
    """Give a ruleset as JSON has it."""
    return {
        "ruleset": ruleset.id,
        "version": ruleset.version,
        "title": ruleset.title,
        "players": list(ruleset.seats),
        "options": {reading.name: reading.suggested for reading in _readings(ruleset)},
    }


def head(ruleset: Ruleset[Any]) -> Iterator[str]:
    """Say what a ruleset is called and for how many players it is."""
    from games.core.sentences import how_many

    yield f"{paint(ruleset.id, bold=True)}  {ruleset.title}, version {ruleset.version}"
    yield f"  for {how_many(ruleset.seats)} players"


def listed_options(ruleset: Ruleset[Any]) -> Iterator[str]:
    """List the options with their values, a line each."""
    from games.core.options import typed

    for reading in _readings(ruleset):
        others = [typed(other) for other in reading.values if other != reading.suggested]
        or_else = f"  (or {', '.join(others)})" if others else ""
        yield from _wrapped(f"{reading.name}={typed(reading.suggested)}{or_else}", "  ", "      ")


def explain(shell: Shell, ruleset: Ruleset[Any]) -> None:
    """Say what each option of a ruleset means."""
    shell.answer([summary(ruleset) | {"readings": _readings_json(ruleset)}], "\n".join(_explained(ruleset)))


def _explained(ruleset: Ruleset[Any]) -> Iterator[str]:
    from games.core.options import typed

    yield from head(ruleset)
    for reading in _readings(ruleset):
        yield ""
        text = f"{reading.name}={typed(reading.suggested)}"
        for line in _wrapped(text, "  ", "      "):
            yield paint(line, bold=True)
        source = f"Source: {reading.source}." if reading.source else ""
        for text in (reading.meaning, f"Takes {reading.right}. {source}"):
            yield from _wrapped(text, "      ", "      ")
    yield ""
    yield f"To choose: {current().program} new {ruleset.id} --player … --option 'NAME=VALUE'"
    yield f"Cards of your own: tabletape rulesets {ruleset.id} --data"


def _wrapped(text: str, first: str, rest: str) -> list[str]:
    from textwrap import wrap

    width = min(columns(), 100) - 2
    return wrap(text, width, initial_indent=first, subsequent_indent=rest, break_on_hyphens=False)
