"""What the parts above the log refuse: a type, a stable code and one sentence each."""

from __future__ import annotations

from typing import TYPE_CHECKING

from eventstore.errors import TabletapeError
from games.core.ruleset import TABLE, IllegalAction
from games.core.sentences import shortened
from games.words import joined

if TYPE_CHECKING:
    from collections.abc import Sequence

    from eventstore.log.note import Note

_SHOWN = 8
"""How many ids a sentence lists."""


class Refused(TabletapeError):
    """A request that cannot be met; nothing was recorded or changed."""

    def __init__(self, sentence: str) -> None:
        super().__init__(shortened(sentence))


class IllegalLine(IllegalAction):
    """The rules refuse one of several events; `line` counts them from 1. None of them was recorded."""

    def __init__(self, line: int, refusal: IllegalAction) -> None:
        super().__init__(refusal.code, refusal.sentence, refusal.rule, refusal.legal)
        self.line = line


class BadLine(Refused):
    """One of several events is none of this ruleset's; `line` counts from 1. None of them was recorded."""

    code = "malformed-event"

    def __init__(self, line: int, why: str) -> None:
        super().__init__(f"Line {line} is no event that can be recorded: {why}.")
        self.line = line
        self.why = why


class IllegalEdit(IllegalAction):
    """The rules refuse what an amendment puts at event `seq`. Nothing was amended."""

    def __init__(self, seq: int, refusal: IllegalAction) -> None:
        super().__init__(refusal.code, refusal.sentence, refusal.rule, refusal.legal)
        self.seq = seq


class BadAmendment(Refused):
    """An amendment that does not fit together. Nothing was amended."""

    code = "bad-amendment"

    def __init__(self, why: str) -> None:
        super().__init__(f"Nothing was amended: {why}.")


class NotInHistory(Refused):
    """The event is undone, removed or replaced, or rewrites; `instead` stands in its place, if anything."""

    code = "not-in-history"

    def __init__(self, seq: int, instead: int | None) -> None:
        now = f": event {instead} stands in its place" if instead else ""
        super().__init__(f"Event {seq} is no step of the game as it stands{now}.")
        self.seq = seq
        self.instead = instead


class Unfinished(Refused):
    """The record ends within an amendment; what would be appended would be taken for a part of it."""

    code = "unfinished-amendment"

    def __init__(self, game: str) -> None:
        super().__init__(f"The record of game {game} ends within an amendment: import its whole file first.")


class NothingToRule(Refused):
    """The rules allow it."""

    code = "no-ruling-needed"

    def __init__(self) -> None:
        super().__init__("The rules allow this: record it as it is.")


class NothingGiven(Refused):
    """A command without events."""

    code = "nothing-to-record"

    def __init__(self) -> None:
        super().__init__("There is nothing to record: give at least one event.")


class TextOnly(Refused):
    """The game can be read as text, and nothing more, with what is installed here."""

    code = "text-only"

    def __init__(self, game: str, why: str) -> None:
        super().__init__(f"Game {game} can only be read as text: {why}.")
        self.game = game


class UnknownStep(Refused):
    """The game has no such step."""

    code = "unknown-step"

    def __init__(self, game: str, step: int, last: int) -> None:
        super().__init__(f"Game {game} has no step {step}: its steps are 0 to {last}.")
        self.game = game
        self.step = step


class UnknownEvent(Refused):
    """The game's log has no such event."""

    code = "unknown-event"

    def __init__(self, game: str, seq: int, last: int) -> None:
        super().__init__(f"Game {game} has no event {seq}: its events are 1 to {last}.")
        self.game = game
        self.seq = seq


class UnknownViewer(Refused):
    """Nobody of that name looks at this game."""

    code = "unknown-viewer"

    def __init__(self, viewer: str, known: Sequence[str]) -> None:
        super().__init__(f"{viewer!r} cannot look at this game: it is seen by {', '.join(known)}.")
        self.viewer = viewer


class ViewClosed(Refused):
    """A view that is closed to the one who asks."""

    code = "view-closed"

    def __init__(self, views: Sequence[str]) -> None:
        said = joined("the table" if view == TABLE else view for view in views)
        super().__init__(f"Of this game you can see what {said} can see: another key shows more.")
        self.views = tuple(views)


class UnknownSeat(Refused):
    """The game has no such seat."""

    code = "unknown-seat"

    def __init__(self, seat: str, seats: Sequence[str]) -> None:
        super().__init__(f"There is no seat {seat!r} in this game: its seats are {', '.join(seats)}.")
        self.seat = seat


class AmbiguousGame(Refused):
    """More than one game's id begins like this."""

    code = "ambiguous-game"

    def __init__(self, prefix: str, ids: Sequence[str]) -> None:
        more = " …" if len(ids) > _SHOWN else ""
        super().__init__(f"{prefix!r} could be {', '.join(ids[:_SHOWN])}{more}: write more of the id.")
        self.ids = tuple(ids)


class BadId(Refused):
    """No game can have this id."""

    code = "bad-id"

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} cannot be a game's id: it has 4 to 64 of a-z, 0-9, ~ and -.")


class GameIdTaken(Refused):
    """Another game has the id that a new one was to get."""

    code = "game-id-taken"
    exit_code = 3

    def __init__(self, game: str) -> None:
        super().__init__(f"There is a game {game} already: give the new one another id, or none.")
        self.game = game


class BadCount(Refused):
    """So many actions cannot be taken back or brought back."""

    code = "bad-count"

    def __init__(self, n: int) -> None:
        super().__init__(f"{n} actions cannot be undone or redone: say how many, 1 or more.")


class NothingToUndo(Refused):
    """The game is at its first step."""

    code = "nothing-to-undo"

    def __init__(self, game: str, can: int) -> None:
        super().__init__(
            f"So much cannot be undone in game {game}: only {can} can be undone."
            if can
            else f"There is nothing to undo: game {game} is at its first step."
        )


class NothingToRedo(Refused):
    """Nothing was undone since the last new event."""

    code = "nothing-to-redo"

    def __init__(self, game: str, can: int) -> None:
        super().__init__(
            f"So much cannot be redone in game {game}: only {can} can be redone."
            if can
            else f"There is nothing to redo: nothing was undone in game {game} since the last new event."
        )


class AlreadyThere(Refused):
    """The history is what it would be made."""

    code = "nothing-to-redo"

    def __init__(self, game: str, seq: int) -> None:
        super().__init__(f"There is nothing to bring back: game {game} is as it was after event {seq}.")


class NotAVersion(Refused):
    """The history was never what it would be after that event alone."""

    code = "not-a-version"

    def __init__(self, game: str, seq: int) -> None:
        super().__init__(
            f"Game {game} cannot go back to event {seq}, which lies inside an amendment: name its last event."
        )
        self.seq = seq


class UndoPastDraw(Refused):
    """In a dealt game an undone draw would be drawn anew."""

    code = "undo-past-draw"

    def __init__(self, game: str, seq: int) -> None:
        super().__init__(
            f"Event {seq} of game {game} was dealt: undone, it would be dealt anew; ask for that expressly."
        )
        self.seq = seq


class NotDealt(Refused):
    """A game that is played at a table gets its draws and throws from there."""

    code = "not-dealt"

    def __init__(self, game: str) -> None:
        super().__init__(f"Game {game} is recorded from a table: enter what was drawn or thrown there.")


class BadDetail(Refused):
    """A name, title, date, zone, place, note or tag that cannot be kept; `field` says which."""

    code = "bad-detail"

    def __init__(self, field: str, why: str) -> None:
        super().__init__(f"The {field} cannot be kept: {why}.")
        self.field = field


class KeyNameTaken(Refused):
    """A key of this name is there, or was."""

    code = "key-name-taken"

    def __init__(self, name: str) -> None:
        super().__init__(
            f"There is a key {name} already, or there was one: give the new one another name,"
            " for under this one somebody else wrote."
        )
        self.name = name


class UnknownKey(Refused):
    """No key of this name is in use."""

    code = "unknown-key"

    def __init__(self, name: str) -> None:
        super().__init__(f"There is no key {name!r} in use: `tabletape key list` names them.")
        self.name = name


class UnknownNote(Refused):
    """The game has no such note."""

    code = "unknown-note"

    def __init__(self, game: str, note: str) -> None:
        super().__init__(f"Game {game} has no note {note!r}.")
        self.note = note


class StaleNote(Refused):
    """Somebody else changed the note meanwhile; `theirs` is what stands there, `yours` was not kept."""

    code = "stale-note"
    exit_code = 3

    def __init__(self, theirs: Note, yours: str) -> None:
        super().__init__(f"Note {theirs.id} was changed meanwhile: look at both texts, then write it again.")
        self.theirs = theirs
        self.yours = yours


class BadRecord(Refused):
    """A file that is no record, or does not hold together; nothing was imported."""

    code = "bad-tape"

    def __init__(self, file: str, line: int, why: str) -> None:
        super().__init__(f"{file}, line {line}: {why}; nothing was imported.")
        self.file = file
        self.line = line


class OtherGame(BadRecord):
    """A game of this id is here, and differs from the one in the file; nothing was imported."""
