"""The conversation of `record`: it lists what is legal, takes what is typed, and loses nothing."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from itertools import groupby
from typing import IO, TYPE_CHECKING, Any, Final, NamedTuple

import click

from cli.shell.answers import answer_json, expect, place, read_moves
from cli.shell.forms import Wording, asks_for_all, cards_of
from cli.shell.options import BILLION, whole
from cli.shell.output import columns, fitted, paint, plain, print_json
from cli.shell.refusals import ShellRefusal, describe, sentence, spell_out
from cli.shell.views import board, closing_line, headings, must_lines, position_json, said, spoken
from eventstore.access.actor import Actor
from eventstore.library.details import GLYPHS
from eventstore.recording.commands import Command, Deal, Record, Redo, Undo, WriteNote
from games.core.ruleset import CHANCE

if TYPE_CHECKING:
    from eventstore.recording.commands import Answer
    from eventstore.replay.position import Position
    from eventstore.store import Store
    from games.core.events import Event
    from games.core.ruleset import Ask, Choice, Pending

ECHOED: Final = 3
"""Entries repeated above the prompt."""
INDENT: Final = "   "
MOST: Final = 40
"""Moves of one kind that are listed unasked."""
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
DEALS: Final = {"Enter": "deal or throw once", "deal all": "deal or throw until somebody must choose"}


class MoveEntry(NamedTuple):
    """One numbered line of the list: an event, or a form whose fields are asked for.

    `does` is the small print of the one card that it names.
    """

    seat: str
    kind: str
    must: bool
    text: str
    what: Event | Choice
    does: str = ""
    heading: str = ""
    """Its kind in words."""


class Conversation:
    """One sitting at `record`: every accepted line is kept at once, every refusal leaves all as it was."""

    def __init__(self, store: Store, game: str, *, by: str, by_hand: bool, as_json: bool) -> None:
        self._store = store
        self._game = game
        self._by = by
        self._by_hand = by_hand
        self._as_json = as_json
        self._asked: str | None = None
        self._read()
        self._began_at = self._head

    # --- what is known -------------------------------------------------------------------------------

    def _read(self) -> None:
        opened = self._store.game(self._game)
        self._opened = opened
        self._names = opened.names
        self._head = opened.head
        self._parent = opened.parent
        self._now: Position = opened.position()
        self._entries = list(entries(self._now, self._names))
        self._words = Wording(self._now, self._names)

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
        expect(self._store, self._game, after)

    def run(self, lines: Iterator[str]) -> None:
        """Take lines until there are no more, or `quit`."""
        self._lines = enumerate(lines, 1)
        if self._by_hand:
            self._show()
        while self._goes_on():
            pass
        if self._by_hand:
            self._say(f"{self._game} is kept at step {self._now.step}, event {self._head}.")

    def _goes_on(self) -> bool:
        """Take one line, with the answers to what it asks; tell whether there may be more."""
        line = None
        try:
            line = self._next()
            if line is None or line.casefold() in LEAVING:
                return False
            self._take(line)
        except Exception as fault:  # noqa: BLE001 - it is raised again, or said
            error = fault if self._by_hand else self._with_kept(fault)
            if not (self._by_hand and hasattr(error, "code")):
                error.line = self._number  # type: ignore[attr-defined]  # the last one of the pipe
                spell_out(error, self._now, self._names)
                raise error from fault.__cause__
            if ";" not in (line or ""):
                error.line = None  # type: ignore[attr-defined]  # there is only one
            self._complain(error)
        return True

    def _with_kept(self, error: Exception) -> Exception:
        """Have a disk without room say that the lines before this one are recorded."""
        from eventstore.errors import NoRoom

        if not isinstance(error, NoRoom) or error.unwritten is None or self._head == self._began_at:
            return error
        return NoRoom(error.path, error.why, f"{error.unwritten}; the lines before it are")

    def _next(self) -> str | None:
        """Give the next line; in a pipe blank ones and those that begin with # say nothing.

        Errors: `Refused` `malformed-line` for bytes that are no text.
        """
        for number, line in self._lines:
            self._number = number
            if any("\ud800" <= letter <= "\udfff" for letter in line):
                raise ShellRefusal("malformed-line", "This line is no UTF-8 text.")
            said = line.strip()
            if self._by_hand or (said and not said.startswith("#")):
                return said
        return None

    def _take(self, line: str) -> None:
        word, _, rest = line.partition(" ")
        match word.casefold():
            case "" if self._deals:
                self._deal(until_decision=False)
            case "deal" if self._deals and rest == "all":
                self._deal(until_decision=True)
            case "":
                self._list(most=None)
            case "?" | "help":
                self._help()
            case "board" | "moves" if self._as_json:
                print_json(self._plain(word.casefold()))
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
            raise ShellRefusal("no-such-number", f"Say how many, from 1 to {self._now.step}, as in {word} 2.")
        if word == "redo":
            self._do(Redo(count, after=self._head))
        else:
            self._do(Undo(count, again=word.endswith("!"), after=self._head))

    def _deal(self, *, until_decision: bool) -> None:
        self._do(Deal(until_decision=until_decision, after=self._head))

    def _do(self, command: Command) -> None:
        self._answered(self._store.do(self._game, command, Actor(self._by)))

    def _record(self, line: str) -> None:
        from games.core.ruleset import Choice

        events: Sequence[Any]
        if line.isdecimal():
            entry = picked(self._entries, line)
            events = self._filled(entry) if isinstance(entry.what, Choice) else (entry.what,)
            if not events:
                return
        else:
            events = read_moves(self._store.game(self._game), line)
        self._do(Record(events, after=self._head))

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

    def _filled(self, entry: MoveEntry) -> Sequence[Any]:
        from games.core.choices import fill

        form: Any = entry.what
        self._words.learn(form)
        answers: dict[str, Any] = {}
        taken: list[str] = []
        for ask in form.asks:
            answer = self._asking(ask, entry.text, taken)
            if answer is LEFT:
                self._say("Left as it was: nothing of this move is recorded, and you are still recording.")
                return ()
            answers[ask.field] = answer
            taken += cards_of(answer)
        return (fill(form, answers),)

    def _asking(self, ask: Ask, about: str, taken: Sequence[str]) -> Any:
        """Ask until an answer fits; `LEFT` for an empty line, `quit` or the end.

        Errors: `Refused` off a terminal, where nobody can be asked again.
        """
        # A prompt that is wider than the terminal is torn by its line editor.
        done = about.partition(":")[0]
        self._asked = f"  {plain(self._words.label(ask))}; {asks_for_all(ask)} lists all, Enter leaves: "
        if self._by_hand:
            self._say(fitted(f"  {plain(self._words.question(ask))}", sys.stdout))
        try:
            while (line := self._next()) and line.casefold() not in LEAVING:
                if line in {asks_for_all(ask), "??", "help"}:
                    self._explain(ask)
                    continue
                try:
                    return self._words.answer(ask, line, taken)
                except ShellRefusal as error:
                    if not self._by_hand:
                        raise ShellRefusal(error.code, f"{done}; {error}") from None
                    self._complain(error)
            if not self._by_hand:
                asked = f"{done}; {self._words.label(ask)}: this question gets no answer"
                raise ShellRefusal("needs-answers", f"{asked}, so that nothing of the move is recorded.")
            return LEFT
        finally:
            self._asked = None

    def _explain(self, ask: Ask) -> None:
        if self._as_json:
            print_json(ask)
            return
        for text in self._words.lines(ask):
            self._say(f"{INDENT}{plain(text)}")

    def _note(self, text: str) -> None:
        mark, _, rest = text.partition(" ")
        glyph, said = (mark, rest) if mark in GLYPHS else (None, text)
        note = self._store.do(
            self._game, WriteNote(self._now.seq, text=said, glyph=glyph), Actor(self._by)
        ).result
        if self._as_json:
            print_json({"game": self._game, "note": note.id, "seq": note.seq})
        else:
            self._say(f"Noted on step {self._now.step}.")

    # --- what is shown -------------------------------------------------------------------------------

    def _say(self, text: str) -> None:
        click.echo(text)

    def _plain(self, what: str) -> Any:
        if what == "board":
            return position_json(self._store, self._opened, self._now)
        return [move_json(number, entry) for number, entry in enumerate(self._entries, 1)]

    def _show(self) -> None:
        self._say("")
        for line in headings(self._now, self._names, self._parent):
            self._say(line)
        self._say("")
        self._say(self._board())
        self._say("")
        for line in self._last(ECHOED):
            self._say(line)
        self._say("")
        outcome = self._now.outcome()
        if outcome is not None:
            self._say(closing_line(self._now, outcome, self._names))
        self._list(most=MOST)

    def _board(self) -> str:
        scene = self._now.scene()
        return board(scene, self._names) if scene is not None else plain(f"Only text: {self._now.fault}")

    def _last(self, count: int) -> Iterator[str]:
        last = self._now.step
        for position in self._store.game(self._game).positions(max(0, last - count + 1), last):
            yield f"{position.step:>5}  {said(position, self._names)}"

    def _list(self, *, most: int | None) -> None:
        for line in listing(self._now.pending(), self._entries, self._names, columns(), most=most):
            self._say(line)
        if self._deals:
            for word, meaning in DEALS.items():
                self._say(f"{INDENT}{paint(word, bold=True)}: {meaning}")
        if self._by_hand:
            self._say(paint(f"{INDENT}? for help, Ctrl+D to leave", dim=True))

    def _help(self) -> None:
        rows = COMMANDS | (DEALS if self._deals else {})
        rules = self._now.ruleset
        forms = rules.notation.forms if rules is not None and rules.notation is not None else {}
        if self._as_json:
            print_json({"commands": rows, "short_forms": forms})
            return
        wide = max(len(word) for word in COMMANDS)
        moves = plain("; ".join(samples(self._entries)))
        for word, meaning in rows.items():
            more = f", as now {moves}" if word == "a move" and moves else ""
            self._say(fitted(f"  {paint(f'{word:{wide}}', bold=True)}  {meaning}{more}", sys.stdout))
        if forms:
            self._say(fitted(f"  Short forms: {' · '.join(dict.fromkeys(forms.values()))}", sys.stdout))


# --- the list of what is legal ---------------------------------------------------------------------------


def picked(found: Sequence[MoveEntry], number: str) -> MoveEntry:
    """Give what stands under a number of the list.

    Errors: `Refused` `no-such-number`.
    """
    place = whole(number) or 0
    if not 1 <= place <= len(found):
        have = f"1 to {len(found)}" if found else "none"
        raise ShellRefusal("no-such-number", f"There is no move {number[:20]}; the numbers are {have}.")
    return found[place - 1]


def picked_alone(position: Position, number: str, names: Mapping[str, str]) -> Sequence[Any]:
    """Give the event under a number where nobody can be asked for more.

    Errors: `Refused` `no-such-number`, `needs-answers`.
    """
    from games.core.choices import fill
    from games.core.ruleset import Choice

    entry = picked(list(entries(position, names)), number)
    chosen = entry.what
    if not isinstance(chosen, Choice):
        return (chosen,)
    if chosen.asks:
        raise ShellRefusal(
            "needs-answers",
            f"Move {number} asks: {entry.text} Answer in the lines of a pipe, or write the move out.",
        )
    return (fill(chosen, {}),)


def entries(position: Position, names: Mapping[str, str]) -> Iterator[MoveEntry]:
    """List what can be recorded, ready to be numbered: what holds the game up by seat, then what may be."""
    due = sorted(position.pending(), key=lambda item: not item.must)
    words = Wording(position, names)
    for item in due:
        yield from _entries_of(position, item, words)


def _entries_of(position: Position, due: Pending, words: Wording) -> Iterator[MoveEntry]:
    from games.core.events import kind_of
    from games.text import wording

    ruleset = position.ruleset
    if ruleset is None:
        return
    order = due.kinds.index
    mine = (event for event in ruleset.legal_actions(position.state, due.seat) if kind_of(event) in due.kinds)
    for event in sorted(mine, key=lambda event: order(kind_of(event))):
        text = wording.write(ruleset, position.state, event)
        kind = kind_of(event)
        does, heading = _does(position, event), wording.heading(ruleset, kind)
        yield MoveEntry(due.seat, kind, due.must, text, event, does, heading)
    for form in ruleset.open_choices(position.state, due.seat):
        if form.kind in due.kinds:
            text, heading = words.entry(form, due), wording.heading(ruleset, form.kind)
            yield MoveEntry(due.seat, form.kind, due.must, text, form, "", heading)


def _does(position: Position, event: Event) -> str:
    """Say what the one card of an event does; nothing where it names none, or several."""
    from games.core.serialization import event_to
    from games.scene.text import face_says

    words = [value for value in event_to(event).values() if isinstance(value, str)]
    said = (
        [face_says(position.ruleset.face(position.state, word)) for word in words] if position.ruleset else []
    )
    return " ".join(said).strip() if sum(map(bool, said)) == 1 else ""


def samples(found: Sequence[MoveEntry]) -> list[str]:
    """Write a few of the legal moves as they are typed, one of each kind first."""
    short = [entry for entry in found if _is_short(entry)]
    firsts = {entry.kind: entry for entry in reversed(short)}
    chosen = dict.fromkeys((*(entry.text for entry in firsts.values()), *(entry.text for entry in short)))
    return list(chosen)[:SAMPLES]


def move_json(number: int, entry: MoveEntry) -> dict[str, Any]:
    """Give a numbered move to programs: the event as a batch has it, or what it asks for."""
    from games.core.ruleset import Choice

    what = entry.what
    return {
        "number": number,
        "seat": entry.seat,
        "kind": entry.kind,
        "must": entry.must,
        "text": entry.text,
        "event": None if isinstance(what, Choice) else what,
        "asks": what.asks if isinstance(what, Choice) else (),
    }


def _is_short(entry: MoveEntry) -> bool:
    from games.core.ruleset import Choice

    return not isinstance(entry.what, Choice) and not entry.text.startswith("{")


def listing(
    due: Sequence[Pending],
    found: Sequence[MoveEntry],
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


def _kinds(items: Sequence[tuple[int, MoveEntry]], width: int, most: int | None) -> Iterator[str]:
    labels = {entry.kind: entry.heading or spoken((entry.kind,)) for _, entry in items}
    wide = max(map(len, labels.values())) + 2 if len(labels) > 1 else 0
    for kind, group in groupby(items, key=lambda item: item[1].kind):
        moves = [(number, f"{entry.text}  {entry.does}".rstrip()) for number, entry in group]
        yield from _grid(labels[kind][:wide].ljust(wide), moves[:most], width)
        if most is not None and len(moves) > most:
            yield paint(f"{' ' * (len(INDENT) + wide)}… up to {moves[-1][0]}; moves lists them all", dim=True)


def _grid(label: str, items: Sequence[tuple[int, str]], width: int) -> Iterator[str]:
    items = [(number, plain(text)) for number, text in items]
    wide = max(len(text) for _, text in items)
    cells = [f"{paint(f'{number:>3}', fg='cyan')} {text:{wide}}" for number, text in items]
    lead = f"{INDENT}{label}"
    each = max(1, (width - len(lead)) // (wide + 6))
    for start in range(0, len(cells), each):
        yield f"{lead if start == 0 else ' ' * len(lead)}{'  '.join(cells[start : start + each])}".rstrip()


# --- where lines come from -------------------------------------------------------------------------------


def piped_lines(stream: IO[bytes]) -> Iterator[str]:
    """Lines of a pipe; a byte that is no text is half a character."""
    for line in stream:
        yield line.decode(errors="surrogateescape")


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
