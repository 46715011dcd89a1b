"""What can be played here."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from cli._options import command
from cli._shell import Shell, columns, paint, tell

if TYPE_CHECKING:
    from collections.abc import Iterator

    from games.ruleset import Ruleset


@command("Start")
def rulesets(shell: Shell) -> None:
    """List what can be played here, with its options."""
    from games.registry import installed

    found = installed()
    for name, fault in found.faults.items():
        tell(f"{name} could not be loaded: {fault}")
    newest = list(found.newest().values())
    shell.answer(
        [_plain(ruleset) for ruleset in newest], "\n\n".join("\n".join(_lines(item)) for item in newest)
    )


def _plain(ruleset: Ruleset[Any]) -> dict[str, Any]:
    return {
        "ruleset": ruleset.id,
        "version": ruleset.version,
        "title": ruleset.title,
        "players": list(ruleset.seats),
        "options": _suggested(ruleset),
    }


def _suggested(ruleset: Ruleset[Any]) -> dict[str, Any]:
    import msgspec

    from games.ruleset import seat_names

    plain: dict[str, Any] = msgspec.to_builtins(ruleset.suggested(seat_names(ruleset.seats[0])))
    return plain


def _lines(ruleset: Ruleset[Any]) -> Iterator[str]:
    from textwrap import wrap

    players = ", ".join(str(number) for number in ruleset.seats)
    yield f"{paint(ruleset.id, bold=True)}  {ruleset.title}, version {ruleset.version}"
    yield f"  players {players}"
    allowed = _allowed(ruleset)
    for key, value in _suggested(ruleset).items():
        others = [_typed(other) for other in allowed.get(key, ()) if other != value]
        or_else = f"  (or {', '.join(others)})" if others else ""
        text = f"{key}={_typed(value)}{or_else}"
        yield from wrap(text, columns() - 2, initial_indent="  ", subsequent_indent="      ")


def _typed(value: Any) -> str:
    """Write a value as `--option` takes it."""
    import msgspec

    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _allowed(ruleset: Ruleset[Any]) -> dict[str, tuple[Any, ...]]:
    import msgspec

    schema = msgspec.json.schema(ruleset.options)["$defs"][ruleset.options.__name__]["properties"]
    return {key: tuple(item.get("enum", ())) for key, item in schema.items()}
