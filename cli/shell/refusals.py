"""Every refusal as one sentence (or one JSON object) on stderr and an exit code."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING, Any, Final

import click

from cli.shell.output import current, fitted, legible, paint, tell

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from eventstore.replay.position import Position

REFUSED: Final = 1
DAMAGED: Final = 4
FILE_FAULT: Final = "file-fault"
INTERNAL: Final = "internal-fault"


class ShellRefusal(Exception):
    """A refusal of the command line's own: a code and a sentence."""

    exit_code = REFUSED

    def __init__(self, code: str, sentence: str, *, line: int | None = None) -> None:
        super().__init__(sentence)
        self.code = code
        self.line = line


def report(error: Exception, *, as_json: bool) -> int:
    """Tell what was refused and why; give the exit code."""
    if isinstance(error, click.ClickException):
        return _report_click(error, as_json=as_json)
    told = describe(error, None if as_json else getattr(error, "names", {}))
    if not as_json and told["code"] == "unknown-game" and told["message"].endswith("."):
        told["message"] += " `tabletape list` lists those here."
    told["message"] = current().typed(told["message"])
    if as_json:
        _tell_json(told)
    else:
        tell(fitted(sentence(told, getattr(error, "possible", ())), sys.stderr))
    return int(getattr(error, "exit_code", REFUSED))


def _report_click(error: click.ClickException, *, as_json: bool) -> int:
    from games.core.sentences import shortened

    if not isinstance(error, click.exceptions.NoArgsIsHelpError):
        vars(error)["message"] = legible(shortened(error.message))
    if as_json:
        _tell_json({"code": "usage", "message": legible(shortened(error.format_message()))})
    else:
        error.show()
    return error.exit_code


def _tell_json(told: dict[str, Any]) -> None:
    import msgspec

    from cli.shell.output import legible_json

    # A refusal may quote bytes that are no UTF-8: they are spelt out.
    told["message"] = told["message"].encode(errors="backslashreplace").decode()
    tell(legible_json(msgspec.json.encode({"error": told}).decode()))


def describe(error: Exception, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """Give a refusal as `{code, message, line?, rule?, legal?, head?}`; a seat without a name is its key."""
    code = getattr(error, "code", None)
    if not isinstance(code, str):
        return _own_fault(error)
    from games.core.sentences import shortened

    said = shortened(str(getattr(error, "sentence", None) or error))
    advice = getattr(error, "advice", "")
    told: dict[str, Any] = {"code": code, "message": f"{said} {advice}".rstrip()}
    if hasattr(error, "rule"):
        from games.text.wording import put_names

        told["message"] = put_names(told["message"], names or {})
    if hasattr(error, "row"):
        told["message"] = shortened(str(error))
    told |= {
        name: value
        for name in ("line", "rule", "head")
        if (value := getattr(error, name, None)) not in {None, ""}
    }
    legal = getattr(error, "legal", None)
    return told | {"legal": list(legal)[:50]} if legal else told


def _own_fault(error: Exception) -> dict[str, Any]:
    if isinstance(error, OSError):
        from eventstore.errors import NoRoom
        from eventstore.files.disk_faults import of_system
        from games.core.sentences import shortened

        named = str(error.filename or "the answer")
        refusal = of_system(named, error)
        if isinstance(refusal, NoRoom):
            said = NoRoom(named, refusal.why, f"{named} was not written, or not all of it")
            return {"code": FILE_FAULT, "message": shortened(str(said))}
        where = f"{error.filename}: " if error.filename else ""
        return {"code": FILE_FAULT, "message": shortened(f"{where}{error.strerror or error}.")}
    if os.environ.get("TABLETAPE_DEBUG"):
        raise error
    return {
        "code": INTERNAL,
        "message": f"Tabletape itself failed ({type(error).__name__}: {error}); nothing half was written. "
        "TABLETAPE_DEBUG=1 shows where.",
    }


def sentence(told: dict[str, Any], possible: Sequence[str] = (), *, head: str = "Error:") -> str:
    """Put a refusal into one line for people, and what would be legal into another.

    `possible` spells the legal events out; without it they stand as JSON.
    """
    from games.text.wording import with_rule

    message = legible(with_rule(told["message"], told.get("rule", "")))
    where = f"Line {told['line']}: " if "line" in told and f"ine {told['line']}" not in message else ""
    first = f"{paint(head, fg='red', bold=True)} {where}{message}"
    legal = possible or told.get("legal", ())
    # Many a sentence ends with what is possible.
    if not legal or all(isinstance(event, str) and event in message for event in legal):
        return first
    return f"{first}\n  {alternatives(legal)}"


def alternatives(legal: Sequence[Any], most: int = 8) -> str:
    """Name some of the events that would be accepted, as a batch would write them."""
    import msgspec

    some = legible(
        "  ".join(
            event if isinstance(event, str) else msgspec.json.encode(event).decode() for event in legal[:most]
        )
    )
    more = f"  … {len(legal) - most} more" if len(legal) > most else ""
    return f"possible: {some}{more}"


def spell_out(error: Exception, position: Position, names: Mapping[str, str]) -> None:
    """Put the legal events of a refusal into the short forms of the game, and keep the names of its seats."""
    error.names = names  # type: ignore[attr-defined]  # for people; programs get the seats
    legal = getattr(error, "legal", ())
    if not legal or position.ruleset is None:
        return
    from contextlib import suppress

    from games.text.wording import write

    # An earlier move of the same line may have changed the board: then JSON has to do.
    with suppress(Exception):
        error.possible = [write(position.ruleset, position.state, event) for event in legal]  # type: ignore[attr-defined]
