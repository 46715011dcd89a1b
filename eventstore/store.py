"""The one door of the store: open a game, do a command, list games."""

from __future__ import annotations

import random
from dataclasses import replace
from secrets import token_hex
from threading import Lock
from typing import TYPE_CHECKING, Any, Final, Self

from eventstore.access.actor import OWNER
from eventstore.access.keys import Access
from eventstore.errors import CommandReused, Conflict, NoRoom, TabletapeError, unwritten
from eventstore.library import details as typed_details
from eventstore.library import notes, variations
from eventstore.library.catalogue import Catalogue
from eventstore.log.ids import is_command_id, is_game_id, is_stream, new_id
from eventstore.log.in_memory import MemoryLog
from eventstore.log.rows import Append, Details, Head
from eventstore.log.tables import PutSnapshots
from eventstore.opening import open_log
from eventstore.recording.commands import Answer, New
from eventstore.recording.commands.new import new_game_id
from eventstore.refusals import GameIdTaken, UnknownSeat
from eventstore.replay import folding
from eventstore.replay import game as games
from eventstore.replay.notes import note_at, stream
from eventstore.replay.replay import Replays
from games.core.registry import installed
from games.core.ruleset import EVERYTHING, IllegalAction

if TYPE_CHECKING:
    import os
    from collections.abc import Sequence
    from types import TracebackType

    from eventstore.access.actor import Actor
    from eventstore.library.variations import Variation
    from eventstore.log.contract import EventLog
    from eventstore.log.note import Note
    from eventstore.log.rows import Commit, NewEvent, Receipt
    from eventstore.log.tables import TableChange
    from eventstore.recording.commands import Command, Decision
    from eventstore.replay.game import Game
    from eventstore.replay.replay import Replay
    from games.core.registry import Registry
    from games.core.ruleset import Random

_QUEUES: Final = 64
"""Locks at which the losers of a race wait, by game."""


class Store:
    """A log of games with everything that works on it.

    `game` opens a game; `do` decides a command and commits it; `catalogue` lists games; `access` keeps the
    keys of those who come in over a network.
    Threads: may share one.
    """

    def __init__(self, log: EventLog, registry: Registry | None = None, *, keep: bool | None = None) -> None:
        """`keep` says whether snapshots are written; without it they are where the log can be written."""
        self.log = log
        self.registry = installed() if registry is None else registry
        keeps = not log.read_only if keep is None else keep
        self.replays = Replays(log, self.registry, keep=keeps)
        self._keeps = keeps
        self._queues = [Lock() for _ in range(_QUEUES)]
        self.access = Access(log.keys)
        self.catalogue = Catalogue(log, self.registry, self.game)

    @classmethod
    def open(
        cls,
        path: str | os.PathLike[str],
        *,
        create: bool = True,
        read_only: bool = False,
        registry: Registry | None = None,
    ) -> Self:
        """Open a database, made if it is not there; with the installed rulesets unless others are given.

        Errors:  those of `open_log`.
        """
        return cls(open_log(path, create=create, read_only=read_only), registry)

    @classmethod
    def in_memory(cls, registry: Registry | None = None) -> Self:
        """Open an empty store that is gone when it is closed: for tests and trials."""
        return cls(MemoryLog(), registry)

    @property
    def read_only(self) -> bool:
        """Nothing can be appended through this opening."""
        return self.log.read_only

    def close(self) -> None:
        """Give everything back; closing twice is allowed."""
        self.log.close()

    def __enter__(self) -> Self:
        """Give it itself."""
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        self.close()

    # --- reading -----------------------------------------------------------------------------------

    def head(self, game: str) -> int | None:
        """The number of a game's last event; None for no such game. Nothing is opened."""
        found = self.log.head(game) if is_game_id(game) else None
        return None if found is None else found.seq

    def game(self, game: str, actor: Actor = OWNER, viewer: str | None = None) -> Game:
        """Open a game at the head of now, by one statement.

        Viewer:  `everything`, `table` or a seat; None: the view that shows the actor most.
        Errors:  `UnknownGame`, `UnknownViewer`, `ViewClosed`.
        """
        return games.opened(self.log, self.replays, game, actor, viewer)

    def answer_to(self, game: Game, command_id: str) -> Answer | None:
        """What the command with this id left, whatever it asked for; None where none was accepted."""
        commit = self._accepted(game.id, command_id)
        if commit is None:
            return None
        count = commit.last_seq - commit.first_seq + 1
        return Answer(game.at_head(commit.last_seq), count, repeated=True)

    def game_before(self, game: Game, command_id: str | None) -> Game:
        """The game as it was when this command was accepted; as it is, if it never was, or began the game.

        Moves that are typed again with the id of their command are read against it.
        """
        commit = self._accepted(game.id, command_id)
        return game if commit is None or commit.first_seq == 1 else game.at_head(commit.first_seq - 1)

    def notes_before(self, game: Game, command_id: str | None) -> Game:
        """The game with the notes as they were before this command on them; as they are, if it never was."""
        commit = self._accepted(stream(game.id), command_id)
        return game if commit is None else game.with_notes(commit.first_seq - 1)

    def note_by(self, game: Game, command_id: str | None) -> Note | None:
        """The note as this command left it; None where it never was, or took one away."""
        commit = self._accepted(stream(game.id), command_id)
        return None if commit is None else note_at(self.log, game.id, commit.last_seq)

    def game_begun_by(
        self, game: str | None, command_id: str | None, actor: Actor = OWNER, viewer: str | None = None
    ) -> Game | None:
        """The game that a command began, by the id that was asked for or its own; None where it began none.

        Errors:  `BadId`; as of `game`.
        """
        name = new_game_id(game, command_id, new_id)
        return None if self._accepted(name, command_id or name) is None else self.game(name, actor, viewer)

    def variations(self, game: str) -> list[Variation]:
        """What leaves a game, in the order of creation, without what is hidden."""
        return variations.of(self.log, game)

    def notes_by_step(self, game: Game) -> dict[int | None, list[Note]]:
        """Those notes of a game that its viewer may read, by step."""
        signatures = frozenset[str]() if game.shows_all else self.access.names_of(game.viewer)
        return notes.readable_by_step(game, signatures)

    # --- doing -------------------------------------------------------------------------------------

    def do(
        self,
        game: str | Game | None,
        command: Command,
        actor: Actor = OWNER,
        viewer: str | None = None,
        *,
        chance: Random | None = None,
    ) -> Answer:
        """Open the game, decide, commit; decide anew when somebody came first, unless `after` is given.

        Game:    its id; None for `New`, which begins one; or an opened game, which brings its actor and
                 viewer, and is decided on as long as nobody came first.
        Viewer:  whose view is asked; a refusal tells no more than they may know.
        Chance:  of deals; the operating system's unless it is given.
        Repeat:  of a command that was accepted, it is answered as it was then, also where it would be
                 refused now.
        Errors:  what the command refuses; `Conflict`, `CommandReused`; those of `game` and of the storage.
                 Nothing is recorded when one is raised.
        """
        try:
            whole = command.complete(new_id)
            if isinstance(whole, New):
                return self._begin(whole, actor)
            if game is None:
                raise TypeError(f"{type(command).__name__} is about a game")
            dice = chance or random.SystemRandom()
            given = None if isinstance(game, str) else game
            if given is not None:
                actor, viewer = given.actor, given.viewer
            name = game if isinstance(game, str) else game.id
            answer = self._try(name, whole, actor, viewer, dice=dice, given=given)
            while answer is None:
                # Whoever lost a race waits for their turn: they would lose the next one as well.
                with self._queues[hash(name) % _QUEUES]:
                    answer = self._try(name, whole, actor, viewer, dice=dice)
        except NoRoom as fault:
            raise NoRoom(fault.path, fault.why, command.unwritten) from fault
        return answer

    def _try(
        self,
        game: str,
        command: Command,
        actor: Actor,
        viewer: str | None,
        *,
        dice: Random,
        given: Game | None = None,
    ) -> Answer | None:
        """One attempt; None when somebody appended meanwhile and the command goes with any head."""
        if command.costly and (first := self.answered(game, command, actor, viewer)) is not None:
            return first
        try:
            opened = self.game(game, actor, viewer) if given is None else given
            if command.after is not None and command.after != opened.head:
                raise Conflict(opened.head, game)
            decision = command.decide(_judged(opened, command), dice)
            if decision.append is not None:
                return self._committed(replace(decision, game=opened))
        except (TabletapeError, IllegalAction) as refusal:
            if (first := self.answered(game, command, actor, viewer)) is not None:
                return first
            if isinstance(refusal, Conflict) and (command.after is None or refusal.game != game):
                return None
            raise
        if (first := self.answered(game, command, actor, viewer)) is not None:
            return first
        preview = decision.preview
        return Answer(opened, 0, result=None if preview is None else preview.result, preview=preview)

    def _committed(self, decision: Decision, actor: Actor = OWNER) -> Answer:
        try:
            return self.commit(decision, actor)
        except Conflict:
            if not decision.command.begins:
                raise
            raise GameIdTaken(_named(decision.append).game) from None
        except CommandReused:
            if decision.command.id is not None:
                raise
            raise GameIdTaken(_named(decision.append).game) from None

    def _begin(self, command: New, actor: Actor) -> Answer:
        name = command.game or ""
        if (first := self.answered(name, command, actor)) is not None:
            return first
        zone = typed_details.zone("time zone", command.time_zone)
        rules = self.registry.find(command.ruleset, command.version)
        decision = command.begin(rules, name, typed_details.today(zone), actor)
        return self._committed(decision, actor)

    def commit(self, decision: Decision, actor: Actor = OWNER) -> Answer:
        """Append what was decided; it is durable when this returns.

        Errors:  `Conflict`, `CommandReused`, and those of the storage.
        """
        append, following = _named(decision.append), self._following(decision)
        tables = (*decision.tables, *self._snapshots(decision, following))
        if tables:
            receipt = self.log.append_all([append], tables=tables)[0]
        else:
            receipt = self.log.append(
                append.game,
                append.events,
                after=append.after,
                command_id=append.command_id,
                request=append.request,
            )
        return self._answer(decision, receipt, following, actor)

    def commit_all(self, decisions: Sequence[Decision], actor: Actor = OWNER) -> list[Answer]:
        """The same with several, all in one transaction or none."""
        followings = [self._following(decision) for decision in decisions]
        tables = [
            change
            for decision, following in zip(decisions, followings, strict=True)
            for change in (*decision.tables, *self._snapshots(decision, following))
        ]
        receipts = self.log.append_all([_named(one.append) for one in decisions], tables=tables)
        return [
            self._answer(decision, receipt, following, actor)
            for decision, receipt, following in zip(decisions, receipts, followings, strict=True)
        ]

    def _following(self, decision: Decision) -> Replay | None:
        """The history that the decided events lead to, where they are of the game itself."""
        game, append = decision.game, decision.append
        if game is None or append is None or append.game != game.id:
            return None
        found = game.replay.followed(append.events, Head(game.head + len(append.events), ""))
        return found if decision.next is None else found.ended(decision.next.end, decision.next.states)

    def _snapshots(self, decision: Decision, following: Replay | None) -> tuple[TableChange, ...]:
        if following is None or decision.next is None or decision.append is None or not self._keeps:
            return ()
        since = decision.next.since
        new = [one for one in decision.next.states if one[0] > since]
        kept = folding.snapshots(following.runs, new, _room(decision.append.events))
        return (PutSnapshots(following.game, EVERYTHING, tuple(kept)),) if kept else ()

    def _answer(self, decision: Decision, receipt: Receipt, following: Replay | None, actor: Actor) -> Answer:
        count = receipt.last_seq - receipt.first_seq + 1
        game = decision.game
        if following is not None and game is not None and not receipt.repeated:
            replay = replace(following, head=Head(receipt.last_seq, receipt.head))
            self.replays.keep(replay)
            left = replace(game, replay=replay)
        else:
            name = receipt.game.partition("/")[0]
            if game is None or game.id != name:
                left = self.game(name, actor) if game is None else self.game(name, game.actor, game.viewer)
            else:
                left = self.game(name, game.actor, game.viewer) if receipt.repeated else game
            left = _at(left, receipt.game, receipt.last_seq)
        if decision.next is None or receipt.repeated:
            _ = left.outcome  # found now, for the answer may outlive the store
        return Answer(left, count, receipt.repeated, decision.command.result(left))

    # --- repeats -----------------------------------------------------------------------------------

    def answered(
        self, game: str, command: Command, actor: Actor = OWNER, viewer: str | None = None
    ) -> Answer | None:
        """What a command was answered that was accepted before; None where it was not.

        Errors:  `CommandReused` where another request was accepted under its id.
        """
        stream = command.stream(game)
        own = command.id or (stream if command.begins else None)
        commit = self._accepted(stream, own)
        if commit is None:
            return None
        if commit.request != command.request(game, actor):
            if command.id is None:
                raise GameIdTaken(stream)
            raise CommandReused(commit.command_id, stream.partition("/")[0])
        return self._first_answer(commit, command, actor, viewer)

    def _first_answer(self, commit: Commit, command: Command, actor: Actor, viewer: str | None) -> Answer:
        name = commit.game.partition("/")[0]
        left = _at(self.game(name, actor, viewer), commit.game, commit.last_seq)
        count = commit.last_seq - commit.first_seq + 1
        _ = left.outcome  # as above
        return Answer(left, count, repeated=True, result=command.result(left))

    def _accepted(self, stream: str, command_id: str | None) -> Commit | None:
        """The command that a stream has under this id; an id that none can have is of nothing."""
        if command_id is None or not (is_command_id(command_id) and is_stream(stream)):
            return None
        return self.log.answered(stream, command_id)

    # --- details -----------------------------------------------------------------------------------

    def set_details(self, game: str, **changes: Any) -> Details:
        """Correct what people typed about a game: `title`, `played_on`, `time_zone`, `place`, `names`.

        What is not given stays; None or an empty name takes away.  They are no events: the last one wins, for
        each field.
        Errors:  `UnknownGame`, `UnknownSeat`, `BadDetail`.
        """
        opened = self.game(game)
        seats = opened.seats
        names = changes.pop("names", None) or {}
        for seat in names:
            if seat not in seats:
                raise UnknownSeat(seat, seats)

        def change(kept: Details) -> Details:
            return typed_details.checked(replace(kept, **changes, names={**kept.names, **names}))

        with unwritten("names and title were not changed"):
            change(opened.details)
            return self.log.set_details(game, change)

    def hide(self, game: str, *, hidden: bool = True) -> None:
        """Leave a game out of the lists, or bring it back; its record stays as it is.

        Errors:  `UnknownGame`.
        """
        self.game(game)
        with unwritten("the list was not changed"):
            self.log.set_hidden(game, hidden)


def _judged(game: Game, command: Command) -> Game:
    """The game as a command is decided: by the asker's view, or by everything."""
    if command.judged_as == "actor":
        return game.as_actor()
    if command.judged_as == "whole":
        return game.seen_by(EVERYTHING)
    return game.as_everything()


def _at(game: Game, stream: str, last: int) -> Game:
    """The game as a command on one of its streams left it."""
    return game.with_notes(last) if "/" in stream else game.at_head(last)


def _named(append: Append | None) -> Append:
    if append is None:
        raise TypeError("nothing was decided that could be appended")
    if append.command_id:
        return append
    # A note's own id is drawn from the letters of `new_id`; that of its command is not, as ever.
    drawn = token_hex(16) if "/" in append.game else new_id()
    return Append(append.game, append.events, append.after, drawn, append.request)


def _room(rows: Sequence[NewEvent]) -> int:
    """What an event of the game takes; a fact about the record may take many times as much."""
    sizes = [len(row.payload) for row in rows if not row.kind.startswith("record.")]
    return sum(sizes) // max(len(sizes), 1)
