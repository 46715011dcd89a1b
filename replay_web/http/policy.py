"""What each form of the site may hold, whatever else is sent is refused, and nothing left out in silence."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from types import MappingProxyType
from typing import Final, NamedTuple
from urllib.parse import unquote_to_bytes

from flask import Flask, request
from werkzeug.exceptions import HTTPException

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


class Form(NamedTuple):
    """The fields of a form; a name that ends with `*` stands for all that begin so."""

    once: frozenset[str]
    many: frozenset[str] = frozenset()
    """May be sent several times: what was ticked."""
    files: frozenset[str] = frozenset()
    longest: int = LONGEST_FORM
    words: Mapping[str, tuple[str, ...]] = MappingProxyType({})
    """What fields that stand for a word can say."""
    ways: tuple[str, ...] = ()
    """Each of these is the whole answer: one of them is sent."""
    beside: Mapping[str, str] = MappingProxyType({})
    """Fields that mean something beside another alone, and that one."""

    def limit(self) -> str:
        """Say how much may be sent."""
        if self.files:
            return f"a card file has room for {LONGEST_DATA // 1024**2} MB"
        return f"a form has room for {LONGEST_FORM // 1024} KB"

    def knows(self, name: str) -> bool:
        """Tell whether a field of this name belongs to the form."""
        return _among(name, self.once | self.many)


_RECORDS: Final = frozenset({"key", "after", "part"})
_ANSWERS: Final = frozenset({"fixed", "typed", "event", "amount:*", "one:*", "rest:*", "typed:*"})
_TICKED: Final = frozenset({"some:*"})
_WAYS: Final = ("event", "fixed", "typed")
_OF_FIXED: Final = MappingProxyType(
    dict.fromkeys(("amount:*", "one:*", "rest:*", "some:*", "typed:*"), "fixed")
)
_PART: Final = MappingProxyType({"part": ("1",)})
_EDIT: Final = _RECORDS | _ANSWERS | {"seq", "do", "events", "options", "option.*", "reason", "again", "rest"}
_SETTLED: Final = frozenset({"settle.*", "typed.*", "legal.*"})
_CORRECTS: Final = Form(
    _EDIT | _SETTLED,
    _TICKED,
    words=MappingProxyType({"again": ("1",), "rest": ("remove",)}),
    ways=(*_WAYS, "events", "options"),
    beside=MappingProxyType({**_OF_FIXED, "option.*": "options"}),
)
_ABOUT: Final = frozenset({"title", "played_on", "time_zone", "place"})

FORMS: Final = {
    "new_game.create": Form(
        frozenset({"key", "ruleset", "players", "player.*", "origin", "seen_as", "option.*", *_ABOUT}),
        files=frozenset({"data"}),
        longest=LONGEST_DATA + LONGEST_FORM,
        words=MappingProxyType({"origin": ("table", "dealt")}),
    ),
    "details.change": Form(
        _ABOUT | {"player.*", "listed", "back"},
        words=MappingProxyType({"listed": ("yes", "no"), "back": ("record",)}),
    ),
    "recording.events": Form(_RECORDS | _ANSWERS, _TICKED, words=_PART, ways=_WAYS, beside=_OF_FIXED),
    "recording.undo": Form(_RECORDS | {"again"}, words=_PART),
    "recording.redo": Form(_RECORDS, words=_PART),
    "recording.deal": Form(_RECORDS | {"all"}, words=MappingProxyType({"all": ("1",), **_PART})),
    "correct.preview": _CORRECTS,
    "correct.settle": _CORRECTS,
    "history.restore": Form(_RECORDS | {"to", "again"}, words=MappingProxyType({"again": ("1",)})),
    "ruling.rule": Form(_RECORDS | {"what", "typed", "reason", "within", "at", "now", "now:*", "was:*"}),
    "check.check": Form(_RECORDS | {"at:*"}),
    "unseen.name": Form(
        _RECORDS | {"seq", "slot", "fixed", "one:*", "typed:*", "all"},
        words=MappingProxyType({"all": ("1",)}),
    ),
    "variations.begin": Form(frozenset({"key", "seq", "title"})),
    "notes.write": Form(frozenset({"key", "seq", "step", "text", "glyph", "tags"})),
    "notes.change": Form(frozenset({"replaces", "step", "text", "glyph", "tags"})),
    "notes.remove": Form(frozenset({"key", "step"})),
    "sign_in.enter": Form(frozenset({"key", "next"})),
    "invite.add": Form(frozenset({"seat"})),
    "invite.revoke": Form(frozenset({"name"})),
    "sign_in.leave": Form(frozenset()),
}
"""By endpoint; a test holds it and the addresses together."""


def protect(app: Flask) -> None:
    """Read each form before its page does, and refuse what cannot be understood whole."""
    app.before_request(_refuse_others)


def asked() -> Form:
    """Give the form of this address; one without fields where it takes none."""
    return FORMS.get(request.endpoint or "", Form(frozenset()))


def give_room() -> None:
    """Let in as much as the form of this address may hold; to be said before anything of it is read."""
    # The second is asked of the lines of a file too, while they are told apart from the rest of the form.
    request.max_content_length = request.max_form_memory_size = asked().longest


def _refuse_others() -> None:
    """Look at the form of this request.

    Errors:  `BadForm`, `NoForm`; 413 by the framework.
    """
    if request.method != "POST" or request.routing_exception is not None:
        return
    form = asked()
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


def _complaints(form: Form, sent: list[str], files: list[str]) -> Iterator[str]:
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


def _ignored(form: Form, sent: frozenset[str]) -> Iterator[str]:
    """Name what the page would leave out: it goes by one word, by one answer, and by what belongs to that."""
    for name in form.words.keys() & sent:
        if (said := request.form[name]) not in form.words[name]:
            yield f"The field {name!r} is {' or '.join(form.words[name])}, not {said[:_SHOWN]!r}."
    if len(ways := [name for name in form.ways if name in sent]) > 1:
        yield f"A form says once what is to be recorded, and this one did by {' and by '.join(ways)}."
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
