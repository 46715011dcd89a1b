"""What every form that records has: for which head it was made, and its key."""

from __future__ import annotations

import secrets
from hashlib import sha256
from typing import Annotated, Any, Final, Literal, TypeVar, get_type_hints

import msgspec
from flask import request
from msgspec import inspect

from eventstore.log.ids import GAME_ID
from replay_web.http import policy, viewing
from replay_web.http.errors import BadQuery
from replay_web.http.policy import PageForm
from replay_web.http.viewing import MOST

_KEY_LENGTH: Final = 12
_NO_KEY: Final = "The form has lost its key: load the page again and send it anew."
Number = Annotated[int, msgspec.Meta(ge=0, le=MOST)]
"""A whole number; nothing here is counted further."""
Key = Annotated[str, msgspec.Meta(pattern=rf"^{viewing.FORM_KEY.pattern}\Z", extra={"refusal": _NO_KEY})]
"""The key of a form, by which it is recorded once however often it is sent."""
GameKey = Annotated[str, msgspec.Meta(pattern=rf"^{GAME_ID.pattern}\Z", extra={"refusal": _NO_KEY})]
"""The key of a form that begins a game; it becomes the game's id."""
Yes = Literal["1"]
"""A box that is ticked."""


class RecordingForm(PageForm, frozen=True, kw_only=True):
    """What every form that records has."""

    key: Key
    after: Number
    """The last event when the form was made."""
    part: Yes | None = None
    """Answer a program with what changes of the page."""


_Read = TypeVar("_Read", bound=PageForm)


def read(form: type[_Read]) -> _Read:
    """Read the form of this request as its page declared it.

    Errors:  `BadQuery`; a field that the form does not have was refused before.
    """
    grouped = _grouped(form)
    hints = get_type_hints(form, include_extras=True)
    for field, leaf in zip(msgspec.structs.fields(form), policy.fields(form), strict=True):
        if leaf.name in grouped or leaf.required:
            try:
                msgspec.convert(grouped.get(leaf.name), hints[field.name])
            except msgspec.ValidationError:
                raise BadQuery(_refusal(leaf, request.form.get(leaf.name, ""))) from None
    return msgspec.convert(grouped, form)


def _grouped(form: type[PageForm]) -> dict[str, Any]:
    """Put what was sent under the names of the fields."""
    found: dict[str, Any] = {}
    for leaf in policy.fields(form):
        if leaf.name.endswith("*"):
            found[leaf.name] = _family(leaf)
        elif isinstance(leaf.type, inspect.BytesType):
            sent = request.files.get(leaf.name)
            found[leaf.name] = sent.read() if sent is not None and sent.filename else None
        elif leaf.name in request.form:
            found[leaf.name] = _value(leaf, request.form[leaf.name])
    return found


def _family(leaf: policy.FormField) -> dict[str, Any]:
    begin = leaf.name.removesuffix("*")
    names = [name for name in request.form if name.startswith(begin)]
    if leaf.many:
        return {name.removeprefix(begin): request.form.getlist(name) for name in names}
    return {name.removeprefix(begin): _value(leaf, request.form[name]) for name in names}


def _value(leaf: policy.FormField, text: str) -> int | str:
    """Take a whole number for one; what is none stays a text, and is refused."""
    number = viewing.whole(text) if isinstance(leaf.type, inspect.IntType) else None
    return text if number is None else number


def _refusal(leaf: policy.FormField, text: str) -> str:
    if "refusal" in leaf.extra:
        return str(leaf.extra["refusal"])
    if isinstance(leaf.type, inspect.IntType):
        return (
            f"The field {leaf.name!r} is a whole number from {leaf.type.ge} to {leaf.type.le}, not {text!r}."
        )
    return f"The form has no field {leaf.name!r}: load the page again and send it anew."


def back() -> str | None:
    """Tell whether somebody came here while recording, and is led back there."""
    return "record" if request.args.get("back") == "record" else None


def fresh_key() -> str:
    """Make the key of a form."""
    return secrets.token_urlsafe(_KEY_LENGTH)


def command() -> str:
    """Name the command: the same form sent twice has the same name, another button has another."""
    sent = [(name, value) for name, value in request.form.items(multi=True) if name != "part"]
    return (
        f"{request.form.get('key', '')}.{sha256(msgspec.json.encode([request.path, sent])).hexdigest()[:16]}"
    )
