"""The open choices of the prompt in words: what is done, what is asked for, what an answer means."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from cli.shell.options import whole
from cli.shell.output import brief, plain
from cli.shell.refusals import ShellRefusal
from games.words import joined

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence

    from eventstore.replay.position import Position
    from games.core.ruleset import Ask, Choice, Pending, SomeOf
    from games.core.serialization import Path
    from games.text.naming import Naming

SHOWN: Final = 8
"""Values of a field that a question lists."""
UNSEEN: Final = "?"
"""Typed for a card that nobody saw."""


class Wording:
    """Words for the forms of one step, as the pages have them."""

    def __init__(self, position: Position, names: Mapping[str, str]) -> None:
        from games.text.naming import Naming

        self._position = position
        self._names = names
        self._naming: Naming = Naming(position, names)

    # --- the list ------------------------------------------------------------------------------------

    def entry(self, form: Choice, due: Pending) -> str:
        """Say what is done with a form and what it asks, as in `Bo draws: which card?`."""
        said = self.done(form, due)
        asks = self.asked(form)
        return plain(f"{said}: {asks}" if asks else said)

    def done(self, form: Choice, due: Pending) -> str:
        """Say what is done with a form."""
        from games.text.wording import due_text, heading, put_names

        if form.says:
            return self._naming.form(form)
        if len(due.kinds) == 1 and due.why:
            return "".join(due_text(due.seat, put_names(due.why, self._names), self._names))
        rules = self._position.ruleset
        done = heading(rules, form.kind) if rules is not None else form.kind
        return " · ".join(part for part in (done, self._naming.form(form)) if part)

    def asked(self, form: Choice) -> str:
        """Name what a form leaves open."""
        from games.core.ruleset import Amount, OneOf, SomeOf

        match form.asks:
            case ():
                return ""
            case (Amount() as ask,):
                return f"{self.label(ask)} {_limits(ask)}?"
            case (OneOf() as ask,):
                return f"which {self.label(ask)}?"
            case (SomeOf() as ask,):
                return f"which {how_many(ask)} {self.label(ask)}?"
        labels = [self.label(ask) for ask in form.asks]
        if all(label in self._names.values() for label in labels):
            return f"which for {joined(labels)}?"
        return ", ".join(labels)

    # --- one field -----------------------------------------------------------------------------------

    def label(self, ask: Ask) -> str:
        """Name a field."""
        return self._naming.label(_path(ask))

    def learn(self, form: Choice) -> None:
        """Find out which numbers of a form mean places of the board, from the sentence of it filled in."""
        self._naming.learn_form(form)

    def question(self, ask: Ask) -> str:
        """Put a field as a question."""
        from games.core.ruleset import Amount, OneOf

        match ask:
            case Amount():
                return f"{self.label(ask)}: {_limits(ask)}"
            case OneOf():
                return f"{self.label(ask)}: which? {self._some(ask, ask.values)}"
            case _:
                values = f"{self._some(ask, ask.values)}; commas between"
                return f"{self.label(ask)}: which {how_many(ask)}? {values}"

    def _some(self, ask: Ask, values: Sequence[Any]) -> str:
        shown = list(dict.fromkeys(self.called(ask, value) for value in values))
        more = f" … {len(shown) - SHOWN} more" if len(shown) > SHOWN else ""
        return f"{', '.join(shown[:SHOWN])}{more}"

    def called(self, ask: Ask, value: Any) -> str:
        """Name a value as a page does."""
        if value is None:
            return UNSEEN
        return self._naming.called(_item(ask), value).text

    def lines(self, ask: Ask) -> Iterator[str]:
        """List all that a field can be: what is typed for it, and what it is called."""
        from games.core.ruleset import Amount

        if isinstance(ask, Amount):
            yield self.question(ask)
            return
        for typed, value in zip(_typed(ask.values), ask.values, strict=True):
            name = "unseen" if value is None else self.called(ask, value)
            yield f"{typed}  {name}" if name != typed else typed

    # --- answers -------------------------------------------------------------------------------------

    def answer(self, ask: Ask, line: str, taken: Collection[str] = ()) -> Any:
        """Read an answer: a name or its beginning, a figure, an id; `?` is an unseen card.

        Of cards that nobody can tell apart it is the first that is not `taken`.
        Errors:  `Refused` `no-such-value`, which names the question.
        """
        from games.core.ruleset import Amount, OneOf

        match ask:
            case Amount():
                number = whole(line.removeprefix("+"))
                if number is not None and number in range(ask.least, ask.most + 1, ask.step):
                    return number
                raise self._refused(ask, f"{brief(line)} is not {_limits(ask)}")
            case OneOf():
                return self._chosen(ask, line, taken)
            case _:
                return self._several(ask, line, taken)

    def _several(self, ask: SomeOf, line: str, taken: Collection[str]) -> list[Any]:
        chosen: list[Any] = []
        for part in filter(None, map(str.strip, line.split(","))):
            chosen.append(self._chosen(ask, part, (*taken, *map(str, chosen))))
        if not ask.least <= len(chosen) <= ask.most:
            raise self._refused(ask, f"name {how_many(ask)}, not {len(chosen)}")
        return chosen

    def _chosen(self, ask: Any, said: str, taken: Collection[str]) -> Any:
        if said == UNSEEN and None in ask.values:
            return None
        wanted = _word(said)
        words = {
            place: self._words(ask, typed, value)
            for place, (typed, value) in enumerate(zip(_typed(ask.values), ask.values, strict=True))
        }
        for place, (first, *_) in words.items():
            if first == wanted:
                return ask.values[place]
        exact = [place for place, found in words.items() if wanted in found]
        near = exact or [place for place, found in words.items() if any(w.startswith(wanted) for w in found)]
        values = [ask.values[place] for place in near]
        if len({self._naming.like(value) for value in values}) == 1:
            return next((value for value in values if str(value) not in taken), values[0])
        what = "could be" if values else "is none of"
        raise self._refused(ask, f"{brief(said)} {what} {self._some(ask, values or ask.values)}")

    def _words(self, ask: Ask, typed: str, value: Any) -> list[str]:
        """Give all that a value may be called by, what is always typed for it first."""
        face = self._naming.face(value)
        printed = (face.title, face.title.partition(" no. ")[0], face.value) if face is not None else ()
        return [found for text in (typed, self.called(ask, value), *printed) if (found := _word(text))]

    def _refused(self, ask: Ask, sentence: str) -> ShellRefusal:
        return ShellRefusal("no-such-value", f"{self.label(ask)}: {sentence}.")


def how_many(ask: SomeOf) -> str:
    """Say how many values a field takes.

    >>> from games.core.ruleset import SomeOf
    >>> how_many(SomeOf("cards", ("a", "b"), 2, 2)), how_many(SomeOf("cards", ("a", "b"), 0, 2))
    ('2', '0 to 2')
    """
    return str(ask.least) if ask.least == ask.most else f"{ask.least} to {ask.most}"


def asks_for_all(ask: Ask) -> str:
    """What lists all that can be answered: `?`, unless that is an unseen card."""
    return "??" if None in getattr(ask, "values", ()) else "?"


def cards_of(answer: Any) -> Iterable[str]:
    """Give the cards, and whatever else has an id, of an answer: no other field can have them too."""
    return (str(item) for item in (answer if isinstance(answer, list) else [answer]))


def _limits(ask: Any) -> str:
    step = f" in steps of {ask.step}" if ask.step != 1 else ""
    return f"{ask.least} to {ask.most}{step}"


def _path(ask: Ask) -> Path:
    return tuple(ask.field.split("."))


def _item(ask: Ask) -> Path:
    """Say where one value of a field stands in the event."""
    from games.core.ruleset import SomeOf

    return (*_path(ask), 0) if isinstance(ask, SomeOf) else _path(ask)


def _typed(values: Sequence[Any]) -> list[str]:
    """Say what is always understood for each value: its id; the number in the list of what has none."""
    boxes = any(isinstance(value, dict | list) for value in values)
    return [
        str(place) if boxes else UNSEEN if value is None else str(value)
        for place, value in enumerate(values, 1)
    ]


def _word(text: str) -> str:
    """Leave out of a name how it is spaced and written.

    >>> _word("Bogart  Head")
    'bogart-head'
    """
    return re.sub(r"[\s_]+", "-", text.strip().casefold())
