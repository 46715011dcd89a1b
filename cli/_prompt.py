"""The conversation of `record`: it lists what is legal, takes what is typed, and loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import click

from cli._answers import answer_json, expect, place, read_moves
from cli._options import BILLION, whole
from cli._refusals import Refused, describe, sentence, spell_out
from cli._shell import brief, columns, fitted, legible, paint, plain, print_json
from cli._views import GLYPHS, board, closing_line, heading, must_lines, said, spoken

if TYPE_CHECKING:
    from eventstore.moment import Moment
    from eventstore.recorder import Answer
    from eventstore.tabletape import Tabletape
    from games.events import Event
    from games.ruleset import Ask, Choice, Pending, SomeOf

ECHOED: Final = 3
"""Entries repeated above the prompt."""
INDENT: Final = "   "
LABEL: Final = 20
"""Columns for the kind before its moves."""
MOST: Final = 40
"""Moves of one kind that are listed unasked."""
SHOWN: Final = 12
"""Values of a field that a question lists."""
CHANCE: Final = "chance"
LEAVING: Final = frozenset({"quit", "q", "exit"})
"""What leaves the conversation, or a question within it."""
LEFT: Final = object()
"""The answer to a question that was left."""
SAMPLES: Final = 3
"""Moves that the help writes out."""

COMMANDS: Final = {
    "a number": "the move with that number",
    "a move": "in short notation; several are split by ;",
    '{"kind": …}': "any event as JSON",
    "undo [N], redo [N]": "take back, bring back",
    "undo! [N]": "take back what was dealt too, to be dealt anew",
    "note [!?] TEXT": "a comment on the last step, with a mark if you like",
    "board": "draw the board again",
    "moves": "list again what is legal, all of it",
    "?": "this list",
    "quit": "leave (so does Ctrl+D); everything is already kept",
}
"""What can be typed, in the order of the help."""
DEALS: Final = {"Enter": "deal or throw once", "deal all": "deal or throw all that is due"}


class Entry(NamedTuple):
    """One numbered line of the list: an event, or a form whose fields are asked for.

    `does` is the small print of the one card that it names.
    """

    seat: str
    kind: str
    must: bool
    text: str
    what: Event | Choice
    does: str = ""


class Conversation:
    """One sitting at `record`: every accepted line is kept at once, every refusal leaves all as it was."""

    def __init__(self, tape: Tabletape, game: str, *, by: str, by_hand: bool, as_json: bool) -> None:
        self._tape = tape
        self._game = game
        self._by = by
        self._by_hand = by_hand
        self._as_json = as_json
        self._asked: str | None = None
        self._read()

    # --- what is known -------------------------------------------------------------------------------

    def _read(self) -> None:
        whole = self._tape.replayer.tape(self._game)
        self._names = whole.names
        self._head = whole.head.seq
        self._now: Moment = self._tape.replayer.at(self._game)
        self._entries = list(entries(self._now))

    @property
    def _deals(self) -> bool:
        """Tabletape deals this game, and something is due."""
        started = self._now.started
        due = self._now.pending()
        return started is not None and started.origin == "dealt" and any(item.seat == CHANCE for item in due)

    def prompt(self) -> str:
        """What stands before the cursor: a field that is asked for, else who is to act."""
        if self._asked is not None:
            return self._asked
        due = self._now.pending()
        who = next((item.seat for item in due if item.must), None)
        return f"{plain(self._names.get(who or '', 'record'))}> "

    # --- the loop ------------------------------------------------------------------------------------

    def expect(self, after: int | None) -> None:
        """Refuse to begin when the game has moved on."""
        expect(self._tape, self._game, after)

    def run(self, lines: Iterator[str]) -> None:
        """Take lines until there are no more, or `quit`."""
        self._lines = lines
        if self._by_hand:
            self._show()
        for number, line in enumerate(lines, 1):
            if line.strip().casefold() in LEAVING:
                break
            try:
                self._take(line.strip())
            except Exception as error:
                if not (self._by_hand and hasattr(error, "code")):
                    error.line = number  # type: ignore[attr-defined]  # the line of the pipe
                    spell_out(error, self._now, self._names)
                    raise
                if ";" not in line:
                    error.line = None  # type: ignore[attr-defined]  # there is only one
                self._complain(error)
        if self._by_hand:
            self._say(f"{self._game} is kept at step {self._now.step}, event {self._head}.")

    def _take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        match word.casefold():
            case "" if self._deals and self._by_hand:
                self._deal(until_decision=False)
            case "deal" if self._deals and rest == "all":
                self._deal(until_decision=True)
            case "":
                if self._by_hand:
                    self._list(most=None)
            case "?" | "help":
                self._help()
            case "board":
                self._say(self._board())
            case "moves":
                self._list(most=None)
            case "undo" | "undo!" | "redo" if not rest or rest.isdecimal():
                self._step(word.casefold(), 1 if not rest else whole(rest) or 0)
            case "note" if rest:
                self._note(rest)
            case _:
                self._record(line)

    def _step(self, word: str, count: int) -> None:
        if not 1 <= count <= BILLION:
            raise Refused("no-such-number", f"Say how many, from 1 to {self._now.step}, as in {word} 2.")
        asked: dict[str, Any] = {"after": self._head, "by": self._by}
        if word == "redo":
            self._answered(self._tape.recorder.redo(self._game, count, **asked))
        else:
            again = word.endswith("!")
            self._answered(self._tape.recorder.undo(self._game, count, again=again, **asked))

    def _deal(self, *, until_decision: bool) -> None:
        deal = self._tape.recorder.deal
        self._answered(deal(self._game, until_decision=until_decision, after=self._head, by=self._by))

    def _record(self, line: str) -> None:
        from games.ruleset import Choice

        events: Sequence[Any]
        if line.isdecimal():
            chosen = picked(self._entries, line)
            events = self._filled(chosen) if isinstance(chosen, Choice) else (chosen,)
            if not events:
                return
        else:
            events = read_moves(self._tape, self._game, line)
        self._answered(self._tape.recorder.record(self._game, events, after=self._head, by=self._by))

    def _answered(self, answer: Answer) -> None:
        before = self._now.step
        self._read()
        if self._as_json:
            print_json(answer_json(answer))
        elif self._by_hand:
            self._show()
        elif self._now.step > before:
            for line in self._last(self._now.step - before):
                self._say(line)
        else:
            self._say(f"Now at {place(answer)}.")

    def _complain(self, error: Exception) -> None:
        from eventstore.errors import Conflict

        spell_out(error, self._now, self._names)
        told = describe(error, self._names)
        self._say(fitted(sentence(told, getattr(error, "possible", ()), head="Refused:"), sys.stdout))
        if told["code"] == "undo-past-draw":
            self._say(f"{INDENT}{paint('undo!', bold=True)}: {COMMANDS['undo! [N]']}")
        if isinstance(error, Conflict):
            self._read()
            self._show()

    # --- forms ---------------------------------------------------------------------------------------

    def _filled(self, form: Choice) -> Sequence[Any]:
        from games.kit.offers import fill

        answers: dict[str, Any] = {}
        for ask in form.asks:
            answer = self._asking(ask)
            if answer is LEFT:
                self._say("Left as it was.")
                return ()
            answers[ask.field] = answer
        return (fill(form, answers),)

    def _asking(self, ask: Ask) -> Any:
        """Ask until an answer fits; `LEFT` for an empty line, `quit` or the end."""
        self._asked = f"  {plain(question(ask))}; {asks_for_all(ask)} lists all, Enter leaves: "
        try:
            while (line := next(self._lines, "").strip()) and line.casefold() not in LEAVING:
                if line in {asks_for_all(ask), "??", "help"}:
                    self._candidates(ask)
                    continue
                try:
                    return answer_to(ask, line)
                except Refused as error:
                    if not self._by_hand:
                        raise
                    self._complain(error)
            return LEFT
        finally:
            self._asked = None

    def _candidates(self, ask: Ask) -> None:
        """List all that a field can be, cards and seats with their names."""
        for value in getattr(ask, "values", ()):
            self._say(f"{INDENT}{self._named(value)}")
        if not hasattr(ask, "values"):
            self._say(f"{INDENT}{plain(question(ask))}")

    def _named(self, value: Any) -> str:
        rules = self._now.ruleset
        if value is None:
            return "?  unseen"
        if not isinstance(value, str):
            return str(value)
        face = rules.face(self._now.state, value) if rules is not None else None
        name = self._names.get(value, face.title if face is not None else "")
        return legible(f"{value}  {name}" if name and name != value else value)

    def _note(self, text: str) -> None:
        mark, _, rest = text.partition(" ")
        glyph, said = (mark, rest) if mark in GLYPHS else (None, text)
        self._tape.notes.write(self._game, self._now.seq, text=said, glyph=glyph, by=self._by)
        self._say(f"Noted on step {self._now.step}.")

    # --- what is shown -------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        click.echo(text)

    def _show(self) -> None:
        self._say("")
        self._say(heading(self._now, self._names))
        self._say("")
        self._say(self._board())
        self._say("")
        for line in self._last(ECHOED):
            self._say(line)
        self._say("")
        outcome = self._now.outcome()
        if outcome is not None:
            self._say(closing_line(outcome, self._names))
        self._list(most=MOST)

    def _board(self) -> str:
        scene = self._now.scene()
        return board(scene, self._names) if scene is not None else plain(f"Only text: {self._now.fault}")

    def _last(self, count: int) -> Iterator[str]:
        last = self._now.step
        for moment in self._tape.replayer.moments(self._game, max(0, last - count + 1), last):
            yield f"{moment.step:>5}  {said(moment, self._names)}"

    def _list(self, *, most: int | None) -> None:
        for line in listing(self._now.pending(), self._entries, self._names, columns(), most=most):
            self._say(line)
        if self._deals:
            for word, meaning in DEALS.items():
                self._say(f"{INDENT}{paint(word, bold=True)}: {meaning}")
        if self._by_hand:
            self._say(paint(f"{INDENT}? for help, Ctrl+D to leave", dim=True))

    def _help(self) -> None:
        rows = (COMMANDS | (DEALS if self._deals else {})).items()
        wide = max(len(word) for word in COMMANDS)
        moves = plain("; ".join(samples(self._entries)))
        for word, meaning in rows:
            more = f", as now {moves}" if word == "a move" and moves else ""
            self._say(fitted(f"  {paint(f'{word:{wide}}', bold=True)}  {meaning}{more}", sys.stdout))


# --- the list of what is legal ---------------------------------------------------------------------------


def picked(found: Sequence[Entry], number: str) -> Event | Choice:
    """Give what stands under a number of the list.

    Errors: `Refused` `no-such-number`.
    """
    place = whole(number) or 0
    if not 1 <= place <= len(found):
        have = f"1 to {len(found)}" if found else "none"
        raise Refused("no-such-number", f"There is no move {number[:20]}; the numbers are {have}.")
    return found[place - 1].what


def picked_alone(moment: Moment, number: str) -> Sequence[Any]:
    """Give the event under a number where nobody can be asked for more.

    Errors: `Refused` `no-such-number`, `needs-answers`.
    """
    from games.kit.offers import fill
    from games.ruleset import Choice

    chosen = picked(list(entries(moment)), number)
    if not isinstance(chosen, Choice):
        return (chosen,)
    if chosen.asks:
        asked = ", ".join(ask.field for ask in chosen.asks)
        raise Refused(
            "needs-answers",
            f"Move {number} asks for {asked}: answer in the lines of a pipe, or write the move out.",
        )
    return (fill(chosen, {}),)


def entries(moment: Moment) -> Iterator[Entry]:
    """List what can be recorded, ready to be numbered: what holds the game up by seat, then what may be."""
    due = sorted(moment.pending(), key=lambda item: not item.must)
    for item in due:
        yield from _entries_of(moment, item)


def _entries_of(moment: Moment, due: Pending) -> Iterator[Entry]:
    from games import wording
    from games.events import kind_of

    ruleset = moment.ruleset
    if ruleset is None:
        return
    order = due.kinds.index
    mine = (event for event in ruleset.legal_actions(moment.state, due.seat) if kind_of(event) in due.kinds)
    for event in sorted(mine, key=lambda event: order(kind_of(event))):
        text = wording.write(ruleset, moment.state, event)
        yield Entry(due.seat, kind_of(event), due.must, text, event, _does(moment, event))
    for form in ruleset.open_choices(moment.state, due.seat):
        if form.kind in due.kinds:
            yield Entry(due.seat, form.kind, due.must, form_text(form), form)


def _does(moment: Moment, event: Event) -> str:
    """Say what the one card of an event does; nothing where it names none, or several."""
    from games.scene_text import face_says
    from games.wire import event_to

    words = [value for value in event_to(event).values() if isinstance(value, str)]
    said = [face_says(moment.ruleset.face(moment.state, word)) for word in words] if moment.ruleset else []
    return " ".join(said).strip() if sum(map(bool, said)) == 1 else ""


def samples(found: Sequence[Entry]) -> list[str]:
    """Write a few of the legal moves as they are typed, one of each kind first."""
    short = [entry for entry in found if _is_short(entry)]
    firsts = {entry.kind: entry for entry in reversed(short)}
    chosen = dict.fromkeys((*(entry.text for entry in firsts.values()), *(entry.text for entry in short)))
    return list(chosen)[:SAMPLES]


def _is_short(entry: Entry) -> bool:
    from games.ruleset import Choice

    return not isinstance(entry.what, Choice) and not entry.text.startswith("{")


def form_text(form: Choice) -> str:
    """Name a form by what it fixes and what it asks."""
    fixed = ", ".join(f"{key} {value}" for key, value in form.fixed.items() if not isinstance(value, dict))
    asks = ", ".join(ask.field for ask in form.asks)
    return f"{fixed + ', ' if fixed else ''}asks {asks}" if asks else fixed or "as it stands"


def listing(
    due: Sequence[Pending],
    found: Sequence[Entry],
    names: Mapping[str, str],
    width: int,
    *,
    most: int | None = None,
) -> Iterator[str]:
    """Lay the numbered moves out: under each seat what it must choose from, then what may be done besides.

    `most` is how many of a kind are shown where there are more.
    """
    numbered = list(enumerate(found, 1))
    for line, seat in must_lines(due, names):
        yield line
        yield from _kinds([item for item in numbered if item[1].must and item[1].seat == seat], width, most)
    besides = [item for item in numbered if not item[1].must]
    if besides:
        yield paint("Besides", dim=True)
        yield from _kinds(besides, width, most)


def _kinds(items: Sequence[tuple[int, Entry]], width: int, most: int | None) -> Iterator[str]:
    kinds = {entry.kind for _, entry in items}
    for kind, group in groupby(items, key=lambda item: item[1].kind):
        moves = [(number, f"{entry.text}  {entry.does}".rstrip()) for number, entry in group]
        yield from _grid(spoken((kind,)) if len(kinds) > 1 else "", moves[:most], width)
        if most is not None and len(moves) > most:
            yield paint(
                f"{' ' * (len(INDENT) + LABEL)}… up to {moves[-1][0]}; moves lists them all", dim=True
            )


def _grid(label: str, items: Sequence[tuple[int, str]], width: int) -> Iterator[str]:
    items = [(number, plain(text)) for number, text in items]
    wide = max(len(text) for _, text in items)
    label_width = LABEL if label else 0
    cells = [f"{paint(f'{number:>3}', fg='cyan')} {text:{wide}}" for number, text in items]
    lead = f"{INDENT}{label:{label_width}}"
    each = max(1, (width - len(lead)) // (wide + 6))
    for start in range(0, len(cells), each):
        yield f"{lead if start == 0 else ' ' * len(lead)}{'  '.join(cells[start : start + each])}".rstrip()


# --- answers to a form -----------------------------------------------------------------------------------


def question(ask: Ask) -> str:
    """Put a field of a form as a question."""
    from games.ruleset import Amount, OneOf

    match ask:
        case Amount():
            step = f" in steps of {ask.step}" if ask.step != 1 else ""
            return f"{ask.field} ({ask.least} to {ask.most}{step})"
        case OneOf():
            return f"{ask.field} (one of {_some(ask.values)})"
        case _:
            return f"{ask.field} ({how_many(ask)} of {_some(ask.values)}, commas between)"


def how_many(ask: SomeOf) -> str:
    """Say how many values a field takes.

    >>> from games.ruleset import SomeOf
    >>> how_many(SomeOf("cards", ("a", "b"), 2, 2)), how_many(SomeOf("cards", ("a", "b"), 0, 2))
    ('2', '0 to 2')
    """
    return str(ask.least) if ask.least == ask.most else f"{ask.least} to {ask.most}"


def asks_for_all(ask: Ask) -> str:
    """What lists all that can be answered: `?`, unless that is an unseen card."""
    return "??" if None in getattr(ask, "values", ()) else "?"


def _some(values: Sequence[Any]) -> str:
    shown = ", ".join(str(value) if value is not None else "?" for value in values[:SHOWN])
    return f"{shown} … {len(values) - SHOWN} more" if len(values) > SHOWN else shown


def answer_to(ask: Ask, line: str) -> Any:
    """Read an answer: a value, a beginning that only one value has, a number; `?` is an unseen card.

    Errors: `Refused` `no-such-value`.
    """
    from games.ruleset import Amount, OneOf

    match ask:
        case Amount():
            number = whole(line.removeprefix("+"))
            if number is not None and number in range(ask.least, ask.most + 1, ask.step):
                return number
            raise Refused("no-such-value", f"{brief(line)} is not {question(ask)}.")
        case OneOf():
            return _chosen(ask.values, line)
        case _:
            chosen = [_chosen(ask.values, part.strip()) for part in line.split(",") if part.strip()]
            if not ask.least <= len(chosen) <= ask.most:
                what = next(
                    part for part in (*ask.field.split(".")[::-1], ask.field) if not part[1:].isdecimal()
                )
                raise Refused(
                    "no-such-value", f"Name {how_many(ask)} {what.replace('_', ' ')}, not {len(chosen)}."
                )
            return chosen


def _chosen(values: Sequence[Any], said: str) -> Any:
    if said == "?" and None in values:
        return None
    exact = [value for value in values if str(value).casefold() == said.casefold()]
    near = exact or [value for value in values if str(value).casefold().startswith(said.casefold())]
    if len(near) == 1:
        return near[0]
    what = f"could be {_some(near)}" if near else f"is none of {_some(values)}"
    raise Refused("no-such-value", f"{brief(said)} {what}.")


# --- where lines come from -------------------------------------------------------------------------------


def piped_lines(stream: IO[bytes]) -> Iterator[str]:
    """Lines of a pipe; blank ones and those that begin with # say nothing.

    Errors: `Refused` `malformed-line` for bytes that are no text.
    """
    for number, line in enumerate(stream, 1):
        try:
            text = line.decode()
        except UnicodeDecodeError:
            raise Refused("malformed-line", "This line is no UTF-8 text.", line=number) from None
        yield "" if text.startswith("#") else text.rstrip("\r\n")


def typed_lines(prompt: Callable[[], str]) -> Iterator[str]:
    """Lines typed at a terminal, with the history and editing keys of a shell."""
    with suppress(ImportError):
        import readline

        readline.set_auto_history(True)
    while True:
        try:
            yield input(prompt())
        except EOFError:
            click.echo()
            return
