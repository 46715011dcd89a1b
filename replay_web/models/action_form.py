"""What can be recorded now, as a sheet of buttons and fields, from what the rules offer; it knows no game."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import prod
from typing import TYPE_CHECKING, Any, Final

import msgspec

from games.core import serialization
from games.core.choices import fill
from games.core.events import Event, RecordClosed, kind_of
from games.core.ruleset import CHANCE, Amount, Choice, IllegalAction, OneOf, Ruleset, SomeOf
from games.core.seat_permissions import within
from games.core.serialization import Path
from games.scene.card_art import face
from games.scene.svg import symbol_id
from games.text.naming import Naming, ValueName
from games.text.wording import due_text, put_names, write
from games.text.wording import heading as words_of
from replay_web.models.event_values import copied, dotted, independent, order, put, value_at, varying

if TYPE_CHECKING:
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from games.core.ruleset import Ask, Pending
    from games.core.scene import Face

FLAT: Final = 12
"""So many buttons of a kind stand side by side; more are put in order by what they name first."""
FEW: Final = 12
"""Numbers that are offered as buttons; more are typed."""
AIMS: Final = {"target": "attacks"}
"""What stands between `from` and a field of this name."""
ROUND: Final = (5, 10, 50, 100)
"""A number that is typed is offered at once as the least and as the next multiples of these."""


class Tap(msgspec.Struct, frozen=True):
    """A button that records: `value` is the event as JSON."""

    called: ValueName
    value: str
    says: str = ""
    places: tuple[str, ...] = ()


class Folder(msgspec.Struct, frozen=True):
    """Buttons that share what is named first; open it with one tap."""

    called: ValueName
    inside: tuple[Tap | Folder, ...]
    places: tuple[str, ...] = ()


class Mark(msgspec.Struct, frozen=True):
    """A possible answer in a form; `value` is a JSON list of values that nobody can tell apart."""

    called: ValueName
    value: str
    place: str = ""


class Column(msgspec.Struct, frozen=True):
    """A field of a form: exactly one mark, `least` to `most` marks, or a number between them.

    `rest`: cards that nobody saw may stand for those that are not named.
    """

    sort: str
    name: str
    label: str
    marks: tuple[Mark, ...] = ()
    least: int = 0
    most: int = 0
    step: int = 1
    rest: bool = False


class Form(msgspec.Struct, frozen=True):
    """An event with open fields: `fixed` is its JSON so far."""

    label: str
    fixed: str
    columns: tuple[Column, ...]
    taps: tuple[Tap, ...] = ()
    """The form filled in: what is taken most often, and cards that were not seen."""


class Part(msgspec.Struct, frozen=True):
    """What one seat can do of one kind."""

    heading: str
    taps: tuple[Tap, ...] = ()
    folders: tuple[Folder, ...] = ()
    forms: tuple[Form, ...] = ()

    @property
    def told(self) -> bool:
        """Its only button says all: no heading is needed over it."""
        return len(self.taps) == 1 and not self.folders and not self.forms and " " in self.taps[0].called.text

    @property
    def pictured(self) -> bool:
        """Its buttons show cards or dice."""
        return any(tap.called.face or tap.called.die for tap in self.taps)


class Section(msgspec.Struct, frozen=True):
    """What one seat must do, or may."""

    seat: str
    who: str
    why: str
    must: bool
    parts: tuple[Part, ...]


class Dealing(msgspec.Struct, frozen=True):
    """What Tabletape deals or throws when asked; `must` where nobody may do anything else before."""

    why: str
    must: bool


class ActionForm(msgspec.Struct, frozen=True):
    """All that can be recorded now; `dealing` where chance is due, and Tabletape deals."""

    sections: tuple[Section, ...]
    closing: tuple[Tap, ...]
    dealing: Dealing | None = None

    def forms(self) -> Iterator[Form]:
        """Give every form of the sheet."""
        for section in self.sections:
            for part in section.parts:
                yield from part.forms


def sheet(game: Game, position: Position, seat: str | None = None, *, dealt_here: bool = True) -> ActionForm:
    """Lay out what the viewer of a position can record; all of it, or what a `seat` may record by itself.

    Dealt here: Tabletape deals what a dealt game wants; off, it can be entered too.
    """
    due = position.pending()
    deals = (
        dealt_here
        and game.origin == "dealt"
        and position.ruleset is not None
        and position.ruleset.deal is not None
    )
    making = _Making(game, position if seat is None else _of_seat(position, seat), seat)
    wanted = [item for item in due if not (deals and item.seat == CHANCE) and seat in {None, item.seat}]
    sections = (making.section(item) for item in sorted(wanted, key=lambda item: not item.must))
    return ActionForm(
        sections=tuple(_merged(section for section in sections if section.parts)),
        closing=tuple(making.closing()) if due else (),
        dealing=_dealing(due, game.names) if deals else None,
    )


def _of_seat(position: Position, seat: str) -> Position:
    rules = position.ruleset
    return position if rules is None else msgspec.structs.replace(position, ruleset=within(rules, seat))


def _dealing(due: Sequence[Pending], names: Mapping[str, str]) -> Dealing | None:
    """Say what chance is to do; also what it may do, where a player can decide something else instead."""
    mine = [item for item in due if item.seat == CHANCE]
    if not mine:
        return None
    whys = dict.fromkeys(due_text(CHANCE, put_names(item.why, names), names)[1] for item in mine if item.why)
    return Dealing("; ".join(whys), must=any(item.must for item in mine))


def _merged(sections: Iterable[Section]) -> Iterator[Section]:
    """Put what a seat may do besides into one section."""
    for (_, must), group in groupby(sections, key=lambda item: (item.seat, item.must)):
        first, *more = group
        parts = (*first.parts, *(part for section in more for part in section.parts))
        yield msgspec.structs.replace(first, must=must, parts=parts)


class _Listed(msgspec.Struct, frozen=True):
    """One listed event: what varies of it, each value with what it is like."""

    event: Event
    payload: dict[str, Any]
    values: tuple[Any, ...]
    likes: tuple[bytes, ...]


class _Making:
    def __init__(self, game: Game, position: Position, seat: str | None = None) -> None:
        self._seat = seat
        self._names = game.names
        self._position = position
        self._naming = Naming(position, game.names)

    # --- sections and parts ----------------------------------------------------------------------

    def section(self, due: Pending) -> Section:
        """Lay out what one pending decision allows."""
        rules, state = self._position.ruleset, self._position.state
        parts: list[Part] = []
        if rules is not None:
            listed: dict[str, list[Event]] = {}
            for event in rules.legal_actions(state, due.seat):
                listed.setdefault(kind_of(event), []).append(event)
            choices: dict[str, list[Choice]] = {}
            for choice in rules.open_choices(state, due.seat):
                choices.setdefault(choice.kind, []).append(choice)
            for kind in due.kinds:
                part = self._part(kind, listed.get(kind, []), choices.get(kind, []))
                if part.taps or part.folders or part.forms:
                    parts.append(part)
        who, why = due_text(due.seat, put_names(due.why, self._names), self._names)
        if not who:
            parts = [self._whose(part, why) for part in parts]
        said = why.removeprefix(":").strip()
        return Section(due.seat, who or said or "Chance", said if who else "", due.must, tuple(parts))

    def _whose(self, part: Part, why: str) -> Part:
        """Say over a form whose throw or card it is, where neither the reason nor a field of it does."""
        forms = []
        for form in part.forms:
            name = self._names.get(msgspec.json.decode(form.fixed).get("player"), "")
            asked = any(column.name == "player" for column in form.columns)
            unsaid = name and not (asked or form.label or name in why)
            forms.append(msgspec.structs.replace(form, label=name) if unsaid else form)
        return msgspec.structs.replace(part, forms=tuple(forms))

    def closing(self) -> Iterator[Tap]:
        """Offer to end the record before the game is over."""
        seats = self._position.started.seats if self._position.started is not None else ()
        ends = [RecordClosed("abandoned"), RecordClosed("agreed")] if self._seat is None else []
        conceding = (seat for seat in seats if self._seat in {None, seat})
        for event in (*ends, *(RecordClosed("conceded", seat=seat) for seat in conceding)):
            yield Tap(ValueName(self._naming.command(event)), serialization.encode_event(event))

    def _part(self, kind: str, events: list[Event], choices: list[Choice]) -> Part:
        taps, folders, forms = self._listed(events) if events else ((), (), ())
        made = [self._form(choice) for choice in choices]
        heading = words_of(self._position.ruleset, kind) if self._position.ruleset is not None else kind
        if len(made) == 1 and not taps and not forms and _is_one(made[0]):
            return Part(heading, taps=self._as_taps(made[0]), folders=tuple(folders))
        return Part(heading, tuple(taps), tuple(folders), (*forms, *made))

    # --- what is listed --------------------------------------------------------------------------

    def _listed(self, events: list[Event]) -> tuple[Sequence[Tap], Sequence[Folder], Sequence[Form]]:
        payloads = [serialization.event_to(event) for event in events]
        for event, payload in list(zip(events, payloads, strict=True))[:FLAT]:
            self._naming.learn(event, payload)
        paths = varying(payloads)
        rows = self._alike(events, payloads, paths)
        telling = independent([row.likes for row in rows])
        if len(rows) <= FLAT or len(telling) <= 1:
            chosen = self._subset(rows, paths)
            if chosen is not None:
                return (), (), (chosen,)
            faces = any(_pictured(row, self._naming) for row in rows)
            shown = telling if faces and telling else range(len(paths))
            taps = [self._tap(row, paths, shown, alone=len(rows) <= FLAT) for row in rows]
            return sorted(taps, key=lambda tap: not tap.called.unseen), (), ()
        product = self._product(rows, paths, telling)
        if product is not None:
            return (), (), (product,)
        return (), self._folders(rows, paths, telling), ()

    def _alike(
        self, events: list[Event], payloads: list[dict[str, Any]], paths: Sequence[Path]
    ) -> list[_Listed]:
        """Leave out what differs only in cards that look the same: the lowest stands for all."""
        found: dict[tuple[bytes, ...], _Listed] = {}
        for event, payload in zip(events, payloads, strict=True):
            values = tuple(value_at(payload, path) for path in paths)
            row = _Listed(event, payload, values, tuple(map(self._naming.like, values)))
            old = found.get(row.likes)
            if old is None or order(values) < order(old.values):
                found[row.likes] = row
        return list(found.values())

    def _tap(
        self, row: _Listed, paths: Sequence[Path], telling: Iterable[int], *, alone: bool = False
    ) -> Tap:
        """Make a button; one that stands alone is a command, another names only what tells it apart."""
        telling = list(telling)
        pictured = _pictured(row, self._naming)
        said = self._naming.command(row.event) if len(telling) != 1 or not pictured else ""
        if alone and not pictured:
            called = ValueName(said)
        elif aimed := _aimed(row.payload):
            called = self._between(row.payload, aimed)
        elif telling:
            values = [self._naming.called(paths[place], row.values[place]) for place in telling]
            called = _joined(values, [paths[place] for place in telling])
        else:
            called = ValueName(said)
        return Tap(
            called=called,
            value=serialization.encode_event(row.event),
            says=said,
            places=self._naming.places(row.payload),
        )

    def _between(self, payload: Mapping[str, Any], aimed: tuple[str, str]) -> ValueName:
        """Name both ends of what goes from somewhere to somewhere, also where one of them is settled."""
        start, end = (self._naming.called((key,), payload[key]).text for key in ("from", aimed[0]))
        return ValueName(f"{start} {aimed[1]} {end}")

    def _folders(self, rows: list[_Listed], paths: Sequence[Path], telling: Sequence[int]) -> list[Folder]:
        first, *rest = telling
        groups: dict[bytes, list[_Listed]] = {}
        for row in rows:
            groups.setdefault(row.likes[first], []).append(row)
        made = []
        for group in groups.values():
            value = group[0].values[first]
            inside: tuple[Tap | Folder, ...]
            if len(rest) > 1 and len(group) > FLAT:
                inside = tuple(self._folders(group, paths, rest))
            else:
                inside = tuple(self._tap(row, paths, rest) for row in group)
            place = self._naming.place(paths[first], value)
            called = self._naming.called(paths[first], value)
            made.append(Folder(called, inside, (place,) if place else ()))
        return made

    def _product(self, rows: list[_Listed], paths: Sequence[Path], telling: Sequence[int]) -> Form | None:
        """Make a form of fields that can be chosen apart from one another, as the dice of a throw."""
        if any(len(paths) != len(telling) or _is_box(row.values) for row in rows):
            return None
        fields = [dict.fromkeys(row.likes[place] for row in rows) for place in telling]
        if prod(map(len, fields)) != len(rows):
            return None
        columns = []
        for place in telling:
            values = {row.likes[place]: row.values[place] for row in rows}.values()
            columns.append(self._column_of("one", paths[place], [[value] for value in values]))
        return Form("", msgspec.json.encode(rows[0].payload).decode(), tuple(columns))

    def _subset(self, rows: list[_Listed], paths: Sequence[Path]) -> Form | None:
        """Make a form of a list from which any may be taken, in place of all that it can be."""
        if len(paths) != 1 or len(rows) <= FLAT or not all(isinstance(row.values[0], list) for row in rows):
            return None
        items = {msgspec.json.encode(item): item for row in rows for item in row.values[0]}
        if len(rows) != 2 ** len(items):
            return None
        marks = [[item] for item in items.values()]
        column = self._column_of("some", paths[0], marks, least=0, most=len(items))
        return Form("", msgspec.json.encode(rows[0].payload).decode(), (column,))

    # --- forms -----------------------------------------------------------------------------------

    def _form(self, choice: Choice) -> Form:
        self._naming.learn_form(choice)
        settled = {ask.field: answer for ask in choice.asks for answer in _settled(ask)}
        still = tuple(ask for ask in choice.asks if ask.field not in settled)
        first = {ask.field: settled[ask.field] for ask in choice.asks if ask.field in settled}
        bare = fill(
            msgspec.structs.replace(choice, asks=tuple(a for a in choice.asks if a.field in settled)), first
        )
        taps = tuple(self._filled(bare, still))
        rest = any(tap.called.unseen for tap in taps)
        columns = (self._column(ask) for ask in still)
        return Form(
            label=self._naming.form(choice),
            fixed=msgspec.json.encode(bare).decode(),
            columns=tuple(
                msgspec.structs.replace(column, rest=rest and column.sort == "some") for column in columns
            ),
            taps=taps,
        )

    def _column(self, ask: Ask) -> Column:
        path = tuple(ask.field.split("."))
        match ask:
            case OneOf(values=values):
                return self._column_of("one", path, self._groups(values))
            case SomeOf(values=values):
                marks = [[value] for value in sorted(values, key=self._naming.like)]
                return self._column_of("some", path, marks, least=ask.least, most=ask.most)
            case Amount():
                return self._number(ask, path)

    def _number(self, ask: Amount, path: Path) -> Column:
        numbers = range(ask.least, ask.most + 1, ask.step)
        if len(numbers) <= FEW:
            return self._column_of("one", path, [[number] for number in numbers])
        return Column(
            "amount", dotted(path), self._naming.label(path), least=ask.least, most=ask.most, step=ask.step
        )

    def _groups(self, values: Sequence[Any]) -> list[list[Any]]:
        groups: dict[bytes, list[Any]] = {}
        for value in values:
            groups.setdefault(self._naming.like(value), []).append(value)
        return sorted(
            (sorted(group, key=order) for group in groups.values()), key=lambda group: group[0] is not None
        )

    def _column_of(
        self, sort: str, path: Path, groups: list[list[Any]], *, least: int = 1, most: int = 1
    ) -> Column:
        item = (*path, 0) if sort == "some" else path
        marks = tuple(
            Mark(
                self._naming.called(item, group[0]),
                msgspec.json.encode(group).decode(),
                self._naming.place(item, group[0]),
            )
            for group in groups
        )
        return Column(sort, dotted(path), self._naming.label(path), marks, least=least, most=most)

    def _as_taps(self, form: Form) -> tuple[Tap, ...]:
        """Make a form of a single field into buttons that record at once."""
        (column,) = form.columns
        payload = msgspec.json.decode(form.fixed, type=dict[str, Any])
        taps = []
        for mark in column.marks:
            value = msgspec.json.decode(mark.value)[0]
            put(payload, column.name, value)
            filled = msgspec.json.encode(payload).decode()
            taps.append(Tap(mark.called, filled, places=(mark.place,) if mark.place else ()))
        return (*form.taps, *sorted(taps, key=lambda tap: not tap.called.unseen))

    def _filled(self, bare: dict[str, Any], still: Sequence[Ask]) -> Iterator[Tap]:
        """Offer cards that nobody saw, where the rules take them, and a number at its usual values."""
        if still and not any(isinstance(ask, Amount) for ask in still):
            unseen = copied(bare)
            for ask in still:
                put(unseen, ask.field, None if isinstance(ask, OneOf) else [None] * ask.least)
            if not _has_null(still) and accepted(self._position.ruleset, self._position.state, unseen):
                text = "All unseen" if len(still) > 1 or isinstance(still[0], SomeOf) else "Unseen"
                yield Tap(ValueName(text, unseen=True), msgspec.json.encode(unseen).decode())
        if len(still) == 1 and isinstance(ask := still[0], Amount):
            for number in _usual(ask):
                payload = copied(bare)
                put(payload, ask.field, number)
                yield Tap(ValueName(str(number)), msgspec.json.encode(payload).decode())

    def spelt(self, legal: Iterable[Event]) -> Iterator[Tap]:
        """Give the events that a refusal names, as buttons with their short forms."""
        rules = self._position.ruleset
        if rules is None:
            return
        for event in legal:
            yield Tap(ValueName(write(rules, self._position.state, event)), serialization.encode_event(event))


def fronts(of: ActionForm) -> dict[str, str]:
    """Draw the fronts of the cards that a sheet shows, by the id that its buttons use."""
    return {front_id(item): face(item) for item in dict.fromkeys(_faces(of))}


def front_id(item: Face) -> str:
    """Name a front in the page; the board's own drawings have other names."""
    return f"t{symbol_id(face(item))}"


def _faces(of: ActionForm) -> Iterator[Face]:
    for section in of.sections:
        for part in section.parts:
            yield from _shown((*part.taps, *part.folders))
            for form in part.forms:
                yield from _shown(form.taps)
                yield from (mark.called.face for c in form.columns for mark in c.marks if mark.called.face)


def _shown(items: Iterable[Tap | Folder]) -> Iterator[Face]:
    for item in items:
        if item.called.face is not None:
            yield item.called.face
        if isinstance(item, Folder):
            yield from _shown(item.inside)


def accepted(rules: Ruleset[Any] | None, state: Any, payload: dict[str, Any]) -> bool:
    """Tell whether the rules take an event in this state; nothing where they are not installed."""
    if rules is None:
        return False
    try:
        rules.check(state, serialization.event_from(rules, payload))
    except (IllegalAction, msgspec.ValidationError):
        return False
    return True


def spelt(game: Game, position: Position, legal: Iterable[Event]) -> tuple[Tap, ...]:
    """Give the events that a refusal names, as buttons."""
    return tuple(_Making(game, position).spelt(legal))


# --- small questions about what is offered -------------------------------------------------------------


def _is_box(values: Sequence[Any]) -> bool:
    return any(isinstance(value, (dict, list)) for value in values)


def _is_one(form: Form) -> bool:
    return len(form.columns) == 1 and form.columns[0].sort == "one"


def _pictured(row: _Listed, naming: Naming) -> bool:
    return any(naming.face(value) is not None for value in row.values)


def _joined(called: Sequence[ValueName], paths: Sequence[Path]) -> ValueName:
    if len(called) == 1:
        return called[0]
    moves = [path[-1] for path in paths] == ["from", "to"]
    return ValueName((" → " if moves else " · ").join(item.text for item in called))


def _aimed(payload: Mapping[str, Any]) -> tuple[str, str] | None:
    """Tell what an event from a cell leads to, and the word between the two; None for any other event."""
    if not isinstance(payload.get("from"), str):
        return None
    return next(((key, word) for key, word in AIMS.items() if isinstance(payload.get(key), str)), None)


def _settled(ask: Ask) -> Iterator[Any]:
    """Give the answer to a question that has only one."""
    match ask:
        case OneOf(values=(only,)):
            yield only
        case SomeOf(values=values, most=most) if not values or most == 0:
            yield []
        case Amount(least=least, most=most) if least == most:
            yield least


def _has_null(asks: Sequence[Ask]) -> bool:
    return any(None in ask.values for ask in asks if isinstance(ask, OneOf))


def _usual(ask: Amount) -> list[int]:
    """List the numbers that are most often taken: the least, then round ones above it.

    >>> _usual(Amount("amount", 97, 1206))
    [97, 100, 110, 150, 200]
    """
    found = [ask.least]
    for step in ROUND:
        number = (found[-1] // step + 1) * step
        if number <= ask.most and (number - ask.least) % ask.step == 0:
            found.append(number)
    return found
