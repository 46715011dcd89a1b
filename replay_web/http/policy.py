"""What each page declares at its view: its address, its form, who may use it, spoilers and JSON."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from functools import cache
from typing import Any, Final, Literal, NamedTuple, TypeVar
from urllib.parse import unquote_to_bytes

import msgspec
from flask import Blueprint, Flask, current_app, request
from msgspec import inspect
from werkzeug.exceptions import HTTPException

from games.words import joined

LONGEST_FORM: Final = 64 * 1024
"""Bytes that a form may have."""
LONGEST_DATA: Final = 2 * 1024 * 1024
"""Bytes that a card file may have, beside the rest of its form."""
_URLENCODED: Final = "application/x-www-form-urlencoded"
_MULTIPART: Final = "multipart/form-data"
_LOST: Final = "\ufffd"
"""What a byte becomes that is no text."""
_SHOWN: Final = 40


class BadForm(HTTPException):
    """A form that none of our pages has."""

    code = 400
    code_word = "bad-form"


class NoForm(HTTPException):
    """Something else than a form, sent where a form is awaited."""

    code = 415
    code_word = "not-a-form"


class PageForm(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """The fields of a form; a name that ends with `*` takes all that begin so, by what follows.

    A list may come several times, `bytes` is a file, and `Literal` has the words that a field can say.
    `WAY` marks answers of which one is sent, `beside` those that belong to another.
    """


class EmptyForm(PageForm, frozen=True, kw_only=True):
    """A button alone."""


WAY: Final = msgspec.Meta(extra={"way": True})
"""The field is the whole answer: one such field is sent."""


def beside(name: str) -> msgspec.Meta:
    """Mark fields that mean something beside another alone."""
    return msgspec.Meta(extra={"beside": name})


class FormShape(NamedTuple):
    """What a form may hold, as its fields say it."""

    once: frozenset[str]
    many: frozenset[str]
    files: frozenset[str]
    words: Mapping[str, tuple[str, ...]]
    ways: tuple[str, ...]
    beside: Mapping[str, str]

    @property
    def longest(self) -> int:
        """Bytes that the whole form may have."""
        return LONGEST_DATA + LONGEST_FORM if self.files else LONGEST_FORM

    def limit(self) -> str:
        """Say how much may be sent."""
        if self.files:
            return f"a card file has room for {LONGEST_DATA // 1024**2} MB"
        return f"a form has room for {LONGEST_FORM // 1024} KB"

    def knows(self, name: str) -> bool:
        """Tell whether a field of this name belongs to the form."""
        return _among(name, self.once | self.many)


class FormField(NamedTuple):
    """A field of a form, with what it takes."""

    name: str
    type: inspect.Type
    """Of each value: without `None`, lists and tables of it."""
    many: bool
    required: bool
    extra: Mapping[str, Any]


@cache
def fields(form: type[PageForm]) -> tuple[FormField, ...]:
    """List the fields of a form in their order."""
    said = inspect.type_info(form)
    if not isinstance(said, inspect.StructType):
        raise TypeError(form)
    return tuple(_leaf(field) for field in said.fields)


def _leaf(field: inspect.Field) -> FormField:
    extra: dict[str, Any] = {}
    one, many = field.type, False
    while True:
        match one:
            case inspect.Metadata(type=inner, extra=more):
                extra |= more or {}
                one = inner
            case inspect.UnionType(types=(inner, inspect.NoneType())):
                one = inner
            case inspect.DictType(value_type=inner):
                one = inner
            case inspect.ListType(item_type=inner):
                one, many = inner, True
            case _:
                return FormField(field.encode_name, one, many, field.required, extra)


@cache
def shape(form: type[PageForm]) -> FormShape:
    """Say what a form may hold."""
    found = fields(form)
    files = frozenset(leaf.name for leaf in found if isinstance(leaf.type, inspect.BytesType))
    many = frozenset(leaf.name for leaf in found if leaf.many)
    return FormShape(
        once=frozenset(leaf.name for leaf in found) - many - files,
        many=many,
        files=files,
        words={
            leaf.name: tuple(map(str, leaf.type.values))
            for leaf in found
            if isinstance(leaf.type, inspect.LiteralType)
        },
        ways=tuple(leaf.name for leaf in found if "way" in leaf.extra),
        beside={leaf.name: leaf.extra["beside"] for leaf in found if "beside" in leaf.extra},
    )


# --- what a page declares ----------------------------------------------------------------------------


class Who(NamedTuple):
    """Who may use a page."""

    needs: Literal["nothing", "a key", "a table key", "a view of everything"]
    what: str = ""
    """Begins the sentence that turns others away."""
    code: str = ""


ANYBODY: Final = Who("nothing")
"""Whoever reaches the site; of a game they are shown what their key allows."""
WITH_KEY: Final = Who("a key", code="key-needed")
"""Who has any key, where the site asks for keys."""


def with_table_key(what: str) -> Who:
    """Let in who is shown everything in every game; `what` begins the sentence that turns others away."""
    return Who("a table key", what, "table-key-needed")


def seeing_all(what: str, code: str = "corrections-hidden") -> Who:
    """Let in who looks at all of the game; others could find out by trying what is hidden."""
    return Who("a view of everything", what, code)


class Policy(NamedTuple):
    """What a page declares at its view."""

    address: str
    form: type[PageForm] | None = None
    """What it takes by POST; None for a page that is read."""
    who: Who = ANYBODY
    spoilers: Literal["hidden", "shown"] = "shown"
    """`hidden`: under `?later=hidden` it tells nothing that comes later. `shown`: it is refused."""
    json: Literal["refusals", "asked", "always"] = "refusals"
    """`asked`: where a program asks for JSON. `always`: programs read it; refusals are JSON too."""
    packed: bool = False
    """Sent packed as a whole, once an hour."""
    store: bool = True
    """Needs the store; a page about a lost store does without."""

    @property
    def method(self) -> str:
        """The HTTP method of the page."""
        return "GET" if self.form is None else "POST"

    @property
    def shape(self) -> FormShape:
        """What its form may hold."""
        return shape(self.form or EmptyForm)


_POLICY: Final = "policy"
_View = TypeVar("_View", bound=Callable[..., Any])


class NotDeclaredError(TypeError):
    """A view without a policy; the site does not start with one."""


def declared(view: _View, policy: Policy) -> _View:
    """Put a policy on a view."""
    vars(view)[_POLICY] = policy
    return view


class Pages(Blueprint):
    """The pages of one subject, each with its policy; their templates stand in the room's `templates`."""

    def __init__(self, name: str, import_name: str) -> None:
        super().__init__(name, import_name, template_folder="templates")

    def page(
        self,
        address: str,
        *,
        form: type[PageForm] | None = None,
        who: Who | None = None,
        spoilers: Literal["hidden", "shown"] = "shown",
        json: Literal["refusals", "asked", "always"] = "refusals",
        packed: bool = False,
        store: bool = True,
    ) -> Callable[[_View], _View]:
        """Declare a page at its view; a form comes by POST, and needs a key unless `who` says otherwise."""
        default = ANYBODY if form is None else WITH_KEY
        policy = Policy(address, form, who or default, spoilers, json, packed, store)

        def declare(view: _View) -> _View:
            self.add_url_rule(address, view_func=declared(view, policy), methods=[policy.method])
            return view

        return declare


def policies(app: Flask) -> dict[str, Policy]:
    """Give the policy of each view, by endpoint.

    Errors:  `NotDeclaredError`.
    """
    found = {}
    for endpoint, view in app.view_functions.items():
        policy = vars(view).get(_POLICY)
        if not isinstance(policy, Policy):
            raise NotDeclaredError(f"The view {endpoint} declares no policy: use Pages.page.")
        found[endpoint] = policy
    return found


def hold(app: Flask) -> None:
    """Keep the policies of all views for the guards; to be said after the last view."""
    app.extensions["policies"] = policies(app)


def init_app(app: Flask) -> None:
    """Read each form before its page does, and refuse what cannot be understood whole."""
    app.before_request(_refuse_others)


def asked() -> Policy:
    """Give the policy of the page that this request is for; that of a plain page where there is none."""
    found: Policy = current_app.extensions["policies"].get(request.endpoint, _PLAIN)
    return found


_PLAIN: Final = Policy("")


def give_room() -> None:
    """Let in as much as the form of this address may hold; to be said before anything of it is read."""
    # The second is asked of the lines of a file too, while they are told apart from the rest of the form.
    request.max_content_length = request.max_form_memory_size = asked().shape.longest


def _refuse_others() -> None:
    """Look at the form of this request.

    Errors:  `BadForm`, `NoForm`; 413 by the framework.
    """
    if request.method != "POST" or request.routing_exception is not None:
        return
    form = asked().shape
    give_room()
    if request.mimetype != _MULTIPART:
        _read_plain()
    sent = [name for name, _ in request.form.items(multi=True)]
    files = [name for name, _ in request.files.items(multi=True)]
    # The framework leaves out the name of a part that has none, whatever its types say.
    if any(name is None for name in (*sent, *files)):
        raise BadForm("A part of the form has no name. Load the page again and send the form again.")
    if request.content_length and not sent and not files:
        raise BadForm("The form cannot be read: load the page again and send it anew.")
    if request.mimetype == _MULTIPART and any(map(_is_lost, request.form.items(multi=True))):
        raise BadForm(_NO_TEXT)
    for complaint in _complaints(form, sent, files):
        raise BadForm(complaint)


_NO_TEXT: Final = "The form holds bytes that are no text: it is sent as UTF-8."


def _read_plain() -> None:
    """Refuse bytes that are no text, which the framework would put a sign in the place of."""
    body = request.get_data(cache=True)
    if not body:
        return
    if request.mimetype != _URLENCODED:
        sort = f"as {request.mimetype}" if request.mimetype else "without saying what it is"
        raise NoForm(f"A form is sent as {_URLENCODED} or {_MULTIPART}, and this was sent {sort}.")
    try:
        unquote_to_bytes(body).decode()
    except UnicodeDecodeError:
        raise BadForm(_NO_TEXT) from None


def _is_lost(field: tuple[str, str]) -> bool:
    return any(_LOST in text for text in field)


def _complaints(form: FormShape, sent: list[str], files: list[str]) -> Iterator[str]:
    for name, count in Counter(sent).items():
        if not form.knows(name):
            yield f"This form has no field {name[:_SHOWN]!r}."
        if count > 1 and not _among(name, form.many):
            yield f"The field {name[:_SHOWN]!r} came {count} times, and can be answered once."
    for name, count in Counter(files).items():
        if name not in form.files:
            yield f"This form takes no file {name[:_SHOWN]!r}."
        if count > 1:
            yield f"{count} files came as {name[:_SHOWN]!r}, and one can be taken."
    yield from _ignored(form, frozenset(sent))


def _ignored(form: FormShape, sent: frozenset[str]) -> Iterator[str]:
    """Name what the page would leave out: it goes by one word, by one answer, and by what belongs to that."""
    for name in form.words.keys() & sent:
        if (said := request.form[name]) not in form.words[name]:
            yield f"The field {name!r} is {joined(form.words[name], 'or')}, not {said[:_SHOWN]!r}."
    if len(ways := [name for name in form.ways if name in sent]) > 1:
        yield f"A form says once what is to be recorded, and this one did by {joined(ways, 'and by')}."
    for name in sent:
        wanted = next((form.beside[kind] for kind in form.beside if _among(name, frozenset({kind}))), name)
        if wanted not in sent:
            yield f"The field {name[:_SHOWN]!r} means nothing without {wanted!r}."


def _among(name: str, names: frozenset[str]) -> bool:
    """Tell whether a name is one of these, or begins as one of them that ends with `*`.

    >>> _among("at:deck", frozenset({"at:*"})), _among("at", frozenset({"at:*"}))
    (True, False)
    """
    return name in names or any(one.endswith("*") and name.startswith(one[:-1]) for one in names)
