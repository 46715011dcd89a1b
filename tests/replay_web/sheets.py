"""The sheet of a record page as a person taps it: what is offered, and what each tap sends."""

from __future__ import annotations

from dataclasses import dataclass, field
from html.parser import HTMLParser
from typing import Any

from flask.testing import FlaskClient
from werkzeug.test import TestResponse

from eventstore.store import Store

HERE = {"Sec-Fetch-Site": "same-origin"}
VOID = {"input", "meta", "link", "br", "img", "option", "path", "rect", "circle", "polygon", "use", "hr"}


@dataclass
class Control:
    """A button or field, the form that it is in, and the summaries to open before it can be tapped."""

    tag: str
    attributes: dict[str, str]
    form: Form
    closed: int
    text: str = ""
    column: str = ""

    @property
    def name(self) -> str:
        return self.attributes.get("name", "")

    @property
    def value(self) -> str:
        return self.attributes.get("value", "")


@dataclass
class Form:
    """A form of the page."""

    action: str
    closed: int
    controls: list[Control] = field(default_factory=list)
    alerts: str = ""

    def sent_by(self, button: Control | None, **filled: Any) -> dict[str, Any]:
        """Give what the browser sends, with fields filled in."""
        hidden = {one.name: one.value for one in self.controls if one.attributes.get("type") == "hidden"}
        numbers = {one.name: one.value for one in self.controls if one.attributes.get("type") == "number"}
        sent: dict[str, Any] = {**hidden, **numbers, **filled}
        if button is not None and button.name:
            sent[button.name] = button.value
        return sent

    def buttons(self, name: str | None = None) -> list[Control]:
        return [one for one in self.controls if one.tag == "button" and name in {None, one.name}]


class Page(HTMLParser):
    """A record page, read without a browser."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.forms: list[Form] = []
        self.alert = ""
        self._open: list[tuple[str, dict[str, str]]] = []
        self._form: Form | None = None
        self._control: Control | None = None
        self._legend = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = {name: value or "" for name, value in attrs}
        if tag not in VOID:
            self._open.append((tag, attributes))
        closed = sum(1 for name, mine in self._open if name == "details" and "open" not in mine)
        if tag == "form":
            self._form = Form(attributes.get("action", ""), closed)
            self.forms.append(self._form)
        if tag == "fieldset":
            self._legend = ""
        if tag in {"button", "input", "select"} and self._form is not None:
            self._control = Control(tag, attributes, self._form, closed, column=self._legend)
            self._form.controls.append(self._control)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._form = None
        if tag == "button":
            self._control = None
        while self._open and tag not in VOID:
            if self._open.pop()[0] == tag:
                break

    def handle_data(self, data: str) -> None:
        if self._control is not None and self._control.tag == "button":
            self._control.text += data
        if any(mine.get("role") == "alert" for _, mine in self._open):
            self.alert += data
        if self._open and self._open[-1][0] == "legend":
            self._legend += data.strip()

    def form(self, ending: str) -> Form:
        """Give the first form that is sent to such an address."""
        return next(form for form in self.forms if form.action.partition("?")[0].endswith(ending))

    def taps(self) -> list[Control]:
        """Give every button that records an event at once."""
        return [one for form in self.forms for one in form.buttons("event")]


def press(client: FlaskClient, form: Form, **filled: Any) -> TestResponse:
    """Send a form as its page would, with fields filled in."""
    return client.post(form.action, data={**form.sent_by(None), **filled}, headers=HERE)


def head(store: Store, game: str = "round") -> int:
    """Give the number of a game's last event."""
    found = store.log.head(game)
    assert found is not None
    return found.seq
