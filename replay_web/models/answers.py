"""What a filled-in form of the sheet says: one event as a plain object."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import TYPE_CHECKING, Annotated, Any, Final

import msgspec

from eventstore.recording import inputs
from games.core import serialization
from games.core.json_text import DoubledKey
from games.core.sentences import shortened
from games.core.serialization import leaves
from games.text.naming import NAME_ENDS, Naming
from replay_web.http.forms import RecordingForm
from replay_web.http.policy import WAY, BadForm, beside
from replay_web.http.viewing import whole
from replay_web.models.action_form import ActionForm, Column, Form
from replay_web.models.event_values import at, copied, put

if TYPE_CHECKING:
    from collections.abc import Sequence

    from werkzeug.datastructures import MultiDict

    from games.core.serialization import Path
    from replay_web.models.action_form import Mark

_SHOWN: Final = 8
_OF_FIXED: Final = beside("fixed")


class AnswerForm(RecordingForm, frozen=True, kw_only=True):
    """An entry as it was tapped (`event`), filled in (`fixed` with its fields) or typed (`typed`)."""

    event: Annotated[str, WAY] | None = None
    fixed: Annotated[str, WAY] | None = None
    typed: Annotated[str, WAY] | None = None
    amount: Annotated[dict[str, str], _OF_FIXED] = msgspec.field(name="amount:*", default_factory=dict)
    one: Annotated[dict[str, str], _OF_FIXED] = msgspec.field(name="one:*", default_factory=dict)
    rest: Annotated[dict[str, str], _OF_FIXED] = msgspec.field(name="rest:*", default_factory=dict)
    some: Annotated[dict[str, list[str]], _OF_FIXED] = msgspec.field(name="some:*", default_factory=dict)
    letters: Annotated[dict[str, str], _OF_FIXED] = msgspec.field(name="typed:*", default_factory=dict)


class Unanswered(Exception):
    """A field of a form without an answer that fits; `where` is the form."""

    def __init__(self, code: str, sentence: str, where: str = "sheet") -> None:
        super().__init__(shortened(sentence))
        self.code = code
        self.where = where


def decoded(what: str, text: str) -> dict[str, Any]:
    """Read a JSON object.

    Errors: `Unanswered` `malformed-event`.
    """
    try:
        return msgspec.convert(serialization.read_json(text), dict[str, Any])
    except DoubledKey as fault:
        raise Unanswered("malformed-event", f"The {what} is no event: {fault}.") from None
    except msgspec.DecodeError:
        raise Unanswered(
            "malformed-event", f"The {what} of this form is no event: load the page again."
        ) from None


def typed_in(sent: Mapping[str, str]) -> str:
    """Give the moves that were typed.

    Errors: `Unanswered` `nothing-to-record`.
    """
    typed = sent.get("typed", "").strip()
    if not inputs.moves(typed):
        raise Unanswered("nothing-to-record", "Type what happened, or tap it.", "typed")
    return typed


def event_of(
    sent: MultiDict[str, str],
    offered: ActionForm,
    accepted: Callable[[dict[str, Any]], bool] = lambda _: True,
) -> dict[str, Any]:
    """Fill the form in that was sent.

    Several answers stand in the order in which they were sent.  A page without scripts cannot know in which
    they were given: where the rules do not take them so, another of them may have been the last.
    Errors: `Unanswered`.
    """
    fixed = sent.get("fixed", "")
    payload = decoded("form", fixed)
    form = next((form for form in offered.forms() if form.fixed == fixed), None)
    if form is None:
        raise Unanswered("not-offered", "This is not offered now: look at the sheet again.")
    _refuse_others(sent, form)
    taken: list[Any] = []
    for column in form.columns:
        for value in _answer(sent, form, column, taken):
            put(payload, column.name, value)
    some = [column.name for column in form.columns if column.sort == "some"]
    if len(some) == 1 and not accepted(payload):
        return next((one for one in _with_another_last(payload, some[0]) if accepted(one)), payload)
    return payload


class AnswerFinder:
    """Finds on a sheet what was recorded: the button, or the answers in the fields of a form.

    A button or mark stands for every card with its front.
    """

    def __init__(self, payload: dict[str, Any], offered: ActionForm, naming: Naming) -> None:
        self._naming = naming
        self._like = self._likes(payload)
        self._answers: dict[tuple[str, str], list[Any]] = {}
        for form in offered.forms():
            said = {column.name: at(payload, column.name) for column in form.columns}
            filled = decoded("form", form.fixed)
            for name, value in said.items():
                put(filled, name, value)
            if self._likes(filled) == self._like:
                for name, value in said.items():
                    self._answers[form.fixed, name] = value if isinstance(value, list) else [value]

    def tapped(self, value: str) -> bool:
        """Tell whether a button records it."""
        return self._likes(decoded("button", value)) == self._like

    def answers(self, form: Form, column: Column) -> list[Any]:
        """Give what it answers in a field; nothing where it is none of that form."""
        return self._answers.get((form.fixed, column.name), [])

    def marked(self, form: Form, column: Column, mark: Mark) -> bool:
        """Tell whether it has an answer in a field."""
        likes = {self._naming.like(value) for value in self.answers(form, column)}
        return any(self._naming.like(value) in likes for value in msgspec.json.decode(mark.value))

    def _likes(self, payload: dict[str, Any]) -> dict[Path, bytes]:
        """Say what each value is like; what is null may be left out."""
        return {path: self._naming.like(value) for path, value in leaves(payload) if value is not None}


def _refuse_others(sent: MultiDict[str, str], form: Form) -> None:
    """Refuse an answer to what is not asked.

    Errors:  `BadForm`.
    """
    asked = {column.name for column in form.columns}
    for name in sent:
        _, colon, column_name = name.partition(":")
        if colon and column_name not in asked:
            raise BadForm(f"This form does not ask for {column_name!r}, but for {', '.join(sorted(asked))}.")


def _with_another_last(payload: dict[str, Any], name: str) -> Iterator[dict[str, Any]]:
    values = at(payload, name)
    for place in range(len(values) - 1):
        other = copied(payload)
        put(other, name, [*values[:place], *values[place + 1 :], values[place]])
        yield other


def _answer(sent: MultiDict[str, str], form: Form, column: Column, taken: list[Any]) -> Iterator[Any]:
    typed = sent.get(f"typed:{column.name}", "").strip()
    match column.sort:
        case "amount":
            yield _number(sent.get(f"amount:{column.name}", ""), form, column)
        case "one":
            groups = [_typed(typed, form, column)] if typed else _ticked(sent, form, column)
            if len(groups) != 1:
                raise Unanswered("choose-one", f"{_named(column)}: choose one.", form.fixed)
            yield _free(groups[0], taken)
        case _:
            groups = _ticked(sent, form, column)
            groups += [_typed(part.strip(), form, column) for part in typed.split(",") if part.strip()]
            if column.rest and sent.get(f"rest:{column.name}"):
                groups += [[None]] * (column.least - len(groups))
            if not column.least <= len(groups) <= column.most:
                many = (
                    f"{column.least}" if column.least == column.most else f"{column.least} to {column.most}"
                )
                raise Unanswered(
                    "choose-some", f"{_named(column)}: choose {many}, not {len(groups)}.", form.fixed
                )
            yield [_free(group, taken) for group in groups]


def _number(text: str, form: Form, column: Column) -> int:
    numbers = range(column.least, column.most + 1, column.step)
    plain = text.strip()
    number = whole(plain.removeprefix("-"))
    if number is not None and (signed := -number if plain.startswith("-") else number) in numbers:
        return signed
    steps = f" in steps of {column.step}" if column.step != 1 else ""
    raise Unanswered(
        "no-such-value",
        f"{_named(column)}: a whole number from {column.least} to {column.most}{steps}, not {text!r}.",
        form.fixed,
    )


def _ticked(sent: MultiDict[str, str], form: Form, column: Column) -> list[list[Any]]:
    groups = []
    known = {mark.value for mark in column.marks}
    for text in sent.getlist(f"{column.sort}:{column.name}"):
        if text not in known:
            raise Unanswered("no-such-value", f"{_named(column)}: this is not offered now.", form.fixed)
        groups.append(msgspec.json.decode(text, type=list[Any]))
    return groups


def _typed(text: str, form: Form, column: Column) -> list[Any]:
    """Take a beginning that only one answer has, or an identity."""
    for mark in column.marks:
        group = msgspec.json.decode(mark.value, type=list[Any])
        if text in map(str, group):
            return [next(value for value in group if str(value) == text)]
    near = begun(text, column.marks)
    if len(near) == 1:
        return msgspec.json.decode(near[0].value, type=list[Any])
    if text == "?":
        return [None]
    some = ", ".join(mark.called.text for mark in (near or column.marks)[:_SHOWN])
    more = " …" if len(near or column.marks) > _SHOWN else ""
    what = f"could be {some}{more}" if near else f"is none of {some}{more}"
    raise Unanswered("no-such-value", f"{_named(column)}: {text!r} {what}.", form.fixed)


def begun(text: str, marks: Sequence[Mark]) -> list[Mark]:
    """Give the answers of that name, else those whose names begin so, else those whose words do."""
    asked = text.casefold()
    names = [(mark, mark.called.text.casefold()) for mark in marks]
    exact = [mark for mark, name in names if asked in {name, name.partition(NAME_ENDS)[0]}]
    begin = [mark for mark, name in names if name.startswith(asked)]
    return exact or begin or [mark for mark, name in names if _in_words(name.split(), asked.split())]


def _in_words(words: Sequence[str], asked: Sequence[str]) -> bool:
    return all(any(word.startswith(part) for word in words) for part in asked)


def _free(group: list[Any], taken: list[Any]) -> Any:
    """Take the first of like cards that no other field of the form has taken."""
    value = next((value for value in group if value not in taken), group[0])
    if len(group) > 1 or isinstance(value, str):
        taken.append(value)
    return value


def _named(column: Column) -> str:
    return column.label[:1].upper() + column.label[1:]
