"""The event kinds of every title, written from their types; `make golden` puts them into docs/events.md."""

from __future__ import annotations

from inspect import cleandoc, isclass
from types import NoneType, UnionType
from typing import TYPE_CHECKING, Annotated, Any, Final, Literal, TypeVar, Union, get_args, get_origin

import msgspec

from games.core.events import RECORD_EVENTS, kind_of
from games.core.registry import installed

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from games.core.events import Event

HEAD: Final = """\
# Event kinds

<!-- Written from the types of the events by `make golden`; do not edit it. -->

What may stand behind `"event":` in [a record file](record-file.md), and in the column `payload` of the
database and of a CSV. The first key is always `"kind"`; the others follow in the order given here.

- `[text, …]` is a list of any length, `{seat: number}` an object with a key for each seat concerned; numbers
  are whole. A field with `?` is left out where it is null; all others are always written.
- Seats are keys, `p1`, `p2` …, never names; `from` and `to` are seats too where they are no places. Cards are
  named by the ids that stand in `data` of the first event, a land of Legend of Monopoly by its number on the
  board. `null` in the place of a card is a card that whoever kept this record did not see.
- An event says what somebody chose, or what came of dice and cards. What follows from it (a capture, money
  paid, whose turn it is, who has won) is not in the log: the rules compute it.
- Names of kinds and fields never change.

The last column is how a move is typed, by an example, in `tabletape record` and in the field "Or type it".
A seat may stand in front of any of them (`p2: bid 40`); moves are separated by `;`. What has no short form
is typed as its JSON, and anything may be.
"""
_PLAIN: Final = {str: "text", int: "number", float: "number", bool: "true or false", NoneType: "null"}
_SEATS: Final = frozenset(
    {"player", "seat", "seats", "owner", "winner", "wins", "with", "cancels", "shuffles"}
)
"""Fields of text that hold seats."""


def reference() -> str:
    """Write the whole page."""
    return "\n".join((HEAD, *_sections()))


def _sections() -> Iterator[str]:
    yield "## Every title: facts about the record\n"
    yield from _table(RECORD_EVENTS, {})
    for ruleset in installed().newest().values():
        yield f"## {ruleset.title}: `{ruleset.id}`, version {ruleset.version}\n"
        yield from _table(ruleset.events, ruleset.notation.forms if ruleset.notation else {})


def _table(events: Iterable[type[Event]], forms: Mapping[str, str]) -> Iterator[str]:
    typed = bool(forms)
    yield f"| kind | fields | what it says |{' typed as |' * typed}\n|---|---|---|{'---|' * typed}"
    for event in events:
        fields = "<br>".join(f"`{name}`: {words}" for name, words in _fields(event))
        says = " ".join(cleandoc(event.__doc__ or "").split())
        form = f" {forms.get(kind_of(event), 'JSON')} |" if typed else ""
        yield f"| `{kind_of(event)}` | {fields} | {says} |{form.replace('<', '&lt;')}"
    yield ""


def _fields(struct: Any) -> Iterator[tuple[str, str]]:
    for field in msgspec.structs.fields(struct):
        name = field.encode_name if field.required else f"{field.encode_name}?"
        said = field.type if field.required else _without_null(field.type)
        yield name, _words(said, field.encode_name)


def _without_null(said: Any) -> Any:
    return Union[tuple(one for one in get_args(said) if one is not NoneType)]  # noqa: UP007 - made at run time


def _words(said: Any, name: str = "") -> str:
    """Say what a field of this type holds.

    >>> _words(dict[str, tuple[int, ...]])
    '{seat: [number, …]}'
    >>> _words(Annotated[int, msgspec.Meta(ge=1, le=6)]), _words(Literal["own", "drawn"] | None)
    ('number 1 to 6', '"own" or "drawn" or null')
    """
    origin, inner = get_origin(said), get_args(said)
    if origin is Annotated:
        return _words(inner[0], name) + _limits(inner[1])
    if origin in {Union, UnionType}:
        return " or ".join(_words(one, name) for one in sorted(inner, key=lambda one: one is NoneType))
    if origin is dict:
        return f"{{seat: {_words(inner[1])}}}"
    if origin is tuple:
        most = "…" if inner[-1] is Ellipsis else ", ".join(_words(one, name) for one in inner[1:])
        return f"[{_words(inner[0], name)}, {most}]"
    return _word(said, name)


def _word(said: Any, name: str) -> str:
    if get_origin(said) is Literal:
        return " or ".join(f'"{value}"' for value in get_args(said))
    if isclass(said) and issubclass(said, msgspec.Struct):
        return f"{{{', '.join(f'{field}: {words}' for field, words in _fields(said))}}}"
    if isinstance(said, TypeVar):
        return "object, of the title"
    return "seat" if said is str and name in _SEATS else _PLAIN.get(said, "any JSON")


def _limits(meta: msgspec.Meta) -> str:
    pattern = f" `{meta.pattern.strip('^$')}`" if meta.pattern else ""
    if meta.ge is None:
        return pattern
    return f"{pattern} {meta.ge} to {meta.le}" if meta.le is not None else f"{pattern} from {meta.ge}"
