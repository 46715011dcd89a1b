"""How a person records an event on a record page: which buttons and faces they tap, and how many."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import msgspec

from games.text.naming import Naming
from replay_web.models.event_values import put
from tests.replay_web.sheets import Control, Form, Page


@dataclass
class Way:
    """A way to an event: what is tapped in a form, and what the form then sends."""

    form: Form
    button: Control
    opened: int
    """Taps that open what holds the form."""
    marks: list[Control] = field(default_factory=list)
    numbers: dict[str, int] = field(default_factory=dict)

    @property
    def named(self) -> int:
        """Values that are named one by one."""
        return len(self.marks) + len(self.numbers)

    @property
    def sends(self) -> bool:
        """The last mark sends the form, where the module runs."""
        return (
            bool(self.marks) and not self.numbers and all(one.name.startswith("one:") for one in self.marks)
        )

    @property
    def taps(self) -> int:
        """Taps, with the one that sends the form where none of the marks does."""
        return self.opened + self.named + (not self.sends)

    @property
    def without_scripts(self) -> int:
        return self.opened + self.named + 1

    def records(self) -> dict[str, Any]:
        """Give the event that it comes to: of cards that look the same, the lowest that is free."""
        if self.button.name == "event":
            return msgspec.json.decode(self.button.value, type=dict[str, Any])
        payload = msgspec.json.decode(self.button.value, type=dict[str, Any])
        taken: list[Any] = []
        answers: dict[str, Any] = {}
        for mark in self.marks:
            sort, _, name = mark.name.partition(":")
            alike = msgspec.json.decode(mark.value, type=list[Any])
            value = next((item for item in alike if item not in taken), alike[0])
            if isinstance(value, str):
                taken.append(value)
            if sort == "some":
                answers.setdefault(name, []).append(value)
            else:
                answers[name] = value
        for control in self.form.controls:
            sort, _, name = control.name.partition(":")
            if sort == "amount":
                answers[name] = self.numbers.get(control.name, int(control.value))
            elif sort == "some":
                answers.setdefault(name, [])
        for name, value in answers.items():
            put(payload, name, value)
        return payload

    def data(self) -> dict[str, Any]:
        """Give what the browser sends."""
        filled: dict[str, Any] = {name: str(number) for name, number in self.numbers.items()}
        for mark in self.marks:
            filled.setdefault(mark.name, []).append(mark.value)
        return self.form.sent_by(self.button, **filled)


def way(page: Page, payload: dict[str, Any], naming: Naming) -> Way | None:
    """Find the shortest way to an event, or to one with cards that look the same."""
    found = [*_buttons(page, payload, naming), *_forms(page, payload, naming)]
    return min(found, key=lambda one: one.taps, default=None)


def _buttons(page: Page, payload: dict[str, Any], naming: Naming) -> list[Way]:
    like = naming.like(payload)
    return [
        Way(one.form, one, one.closed)
        for one in page.taps()
        if naming.like(msgspec.json.decode(one.value)) == like
    ]


def _forms(page: Page, payload: dict[str, Any], naming: Naming) -> list[Way]:
    ways = []
    for form in page.forms:
        for button in form.buttons("fixed"):
            made = _filled(form, button, payload, naming)
            if made is not None:
                ways.append(made)
    return ways


def _filled(form: Form, button: Control, payload: dict[str, Any], naming: Naming) -> Way | None:
    found = Way(form, button, button.closed)
    fixed = msgspec.json.decode(button.value, type=dict[str, Any])
    mine = msgspec.json.decode(msgspec.json.encode(payload), type=dict[str, Any])
    if fixed["kind"] != mine["kind"]:
        return None
    columns: dict[str, list[Control]] = {}
    for one in form.controls:
        sort, _, name = one.name.partition(":")
        if sort in {"one", "some", "amount"}:
            columns.setdefault(name, []).append(one)
    for name, controls in columns.items():
        value = _taken(mine, name)
        put(fixed, name, None)
        put(mine, name, None)
        if controls[0].name.startswith("amount:"):
            if str(value) != controls[0].value:
                found.numbers[controls[0].name] = value
            continue
        wanted = value if controls[0].name.startswith("some:") else [value]
        if not isinstance(wanted, list):
            return None
        for item in wanted:
            mark = _mark(controls, item, naming, found.marks)
            if mark is None:
                return None
            found.marks.append(mark)
    return found if naming.like(fixed) == naming.like(mine) else None


def _mark(controls: list[Control], value: Any, naming: Naming, taken: list[Control]) -> Control | None:
    like = naming.like(value)
    exact = [one for one in controls if value in msgspec.json.decode(one.value, type=list[Any])]
    alike = [
        one
        for one in controls
        if any(naming.like(item) == like for item in msgspec.json.decode(one.value, type=list[Any]))
    ]
    return next((one for one in (*exact, *alike) if one not in taken), None)


def _taken(payload: Any, name: str) -> Any:
    for step in name.split("."):
        payload = payload[int(step)] if isinstance(payload, list) else (payload or {}).get(step)
    return payload
