"""What the store promises for every ruleset, to be run on any of them: on ours, and on a stranger's.

    games = recorded_games(RULESET)
    for law in LAWS:
        law.check(RULESET, games)

`laws` gives the same over another store: `laws(Store.in_memory)` over one in memory.

`recorded_games` and `LawBroken` are those of `games.testing.laws`.  Each law has a broken ruleset that it
rejects in `tests/eventstore/test_conformance.py`.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, Final

from eventstore.errors import TabletapeError
from eventstore.formats.record_file import export_record, import_records
from eventstore.log.rows import Append, Details, NewEvent
from eventstore.log.tables import PutDetails
from eventstore.recording.amending import Cut, HistoryEdit, Insert, Keep, Remove, Replace, Settlement
from eventstore.recording.commands import Amend, Branch, Record, Redo, Undo, WriteNote
from eventstore.store import Store
from games.core import fold, serialization
from games.core.events import RecordClosed, kind_of
from games.core.registry import registry_of
from games.core.ruleset import EVERYTHING, Ruleset
from games.testing.laws import Law, LawBroken, RecordedGame, some_offered

if TYPE_CHECKING:
    from eventstore.replay.position import Position
    from games.core.registry import Registry

AnyRuleset = Ruleset[Any]
StoreOpener = Callable[["Registry"], AbstractContextManager[Store]]
"""Lends an empty store with these rulesets."""

LONGEST: Final = 400
"""So many events of a game are recorded."""
JUMPS: Final = 12
"""Random steps of a game that are looked at."""
SETTLED: Final = 3
"""So many events that became impossible are kept or taken out; at the next one the game is cut off."""
AMENDED: Final = 4
"""So many of the games are amended: what became impossible is judged again and again."""
HALF: Final = 0.5
LEAPS: Final = 60
"""So many events are undone at once."""
HOSTILE: Final = ("<script>alert(1)</script>", "=1+1", 'a"b\\c]}{', "שלום ☂ 😀", "{p1}", "'; --")
"""Names and texts that must come through as they are."""


def _undo(opener: StoreOpener, name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Undo and redo."""
    for game, store, key in _recorded(opener, name, ruleset, games):
        steps = store.game(key).position().step
        before = _views(store, key)
        for n in {1, min(7, steps), min(LEAPS, steps)} - {0}:
            expected = serialization.freeze(store.game(key).state_from_start(steps - n))
            store.do(key, Undo(n, again=True))
            if _frozen(store, key) != expected:
                raise LawBroken(name, ruleset, game, steps - n, f"undoing {n} does not give the state then")
            store.do(key, Redo(n))
            if _views(store, key) != before:
                raise LawBroken(name, ruleset, game, steps, f"{n} undone and redone are not as before")


def _snapshots(opener: StoreOpener, name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """A state kept and taken out again, then folded on, is the state folded through."""
    for game, store, key in _recorded(opener, name, ruleset, games):
        rng = random.Random(game.seed)  # noqa: S311 - to be repeated
        steps = store.game(key).position().step
        for viewer in fold.viewers(game.started):
            states = [position.state for position in store.game(key, viewer=viewer).positions()]
            events = [position.event for position in store.game(key, viewer=viewer).positions()]
            for step in (rng.randint(0, steps) for _ in range(JUMPS)):
                kept = serialization.thaw(ruleset, serialization.freeze(states[step]), states[0].setup)
                state = fold.fold(ruleset, kept, [event for event in events[step + 1 :] if event])
                if (
                    serialization.freeze(state) != serialization.freeze(states[-1])
                    or state.setup != states[-1].setup
                ):
                    raise LawBroken(name, ruleset, game, step, f"{viewer}: kept and folded on it is another")
                if serialization.freeze(
                    store.game(key, viewer=viewer).position(step).state
                ) != serialization.freeze(states[step]):
                    raise LawBroken(name, ruleset, game, step, f"{viewer}: a jump gives another state")


def _record(opener: StoreOpener, name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Export, import, export: the same bytes, and the same game."""
    for game, store, key in _recorded(opener, name, ruleset, games):
        last = store.game(key).position()
        store.do(key, WriteNote(last.seq, text="\n".join(HOSTILE), glyph="?!", tags=HOSTILE[:3]))
        with opener(registry_of((ruleset,))) as other:
            for viewer in fold.viewers(game.started):
                file = b"".join(export_record(store, store.game(key, viewer=viewer)))
                try:
                    found = import_records(other, [(f"{viewer}'s file", file)])[0].game
                except TabletapeError as refusal:
                    raise LawBroken(
                        name, ruleset, game, None, f"{viewer}'s file is refused: {refusal}"
                    ) from None
                if b"".join(export_record(other, other.game(found))) != file:
                    raise LawBroken(name, ruleset, game, None, f"{viewer}'s file comes out otherwise")
                if _frozen(other, found) != _frozen(store, key, viewer):
                    raise LawBroken(name, ruleset, game, None, f"{viewer}'s file is another game")


def _amend(opener: StoreOpener, name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Replace, remove and insert anywhere, settle what becomes impossible, and take it back."""
    for game, store, key in _recorded(opener, name, ruleset, _apart(games, AMENDED)):
        rng = random.Random(game.seed)  # noqa: S311 - to be repeated
        before = _views(store, key)
        for how in ("replaced", "removed", "inserted"):
            step = rng.randint(1, store.game(key).position().step)
            edit = _edit(store.game(key).position(step), how, rng)
            if edit is None:
                continue
            try:
                _settled(store, key, edit, rng)
                said = _faults_of_the_amended(ruleset, store, key, rng)
            except Exception as error:  # noqa: BLE001 - whatever the ruleset raises breaks the law
                said = f"{type(error).__name__}: {error}"
            if said:
                raise LawBroken(name, ruleset, game, step, f"an event {how}: {said}")
            store.do(key, Undo(again=True))
            if _views(store, key) != before:
                raise LawBroken(name, ruleset, game, step, f"an event {how}: undone, it is not as before")


def _branch(opener: StoreOpener, name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Leave a game anywhere: the variation is the game then, and stays so whatever becomes of the game."""
    for game, store, key in _recorded(opener, name, ruleset, _apart(games, AMENDED)):
        rng = random.Random(game.seed)  # noqa: S311 - to be repeated
        step = rng.randint(0, store.game(key).position().step)
        variation = store.do(key, Branch(step)).game.id
        for viewer in fold.viewers(game.started):
            then, now = (
                store.game(key, viewer=viewer).position(step),
                store.game(variation, viewer=viewer).position(),
            )
            if (
                serialization.freeze(now.state) != serialization.freeze(then.state)
                or now.state.setup != then.state.setup
            ):
                raise LawBroken(name, ruleset, game, step, f"{viewer}: left there, it is another game")
        file = b"".join(export_record(store, store.game(variation)))
        with opener(registry_of((ruleset,))) as other:
            import_records(other, [("the variation's file", file)])
            if b"".join(export_record(other, other.game(variation))) != file:
                raise LawBroken(name, ruleset, game, step, "the variation's file comes out otherwise")
        before = _views(store, variation)
        _settled(store, key, HistoryEdit(store.game(key).position(max(step, 1)).seq, Remove()), rng)
        store.replays.forget()
        if _views(store, variation) != before:
            raise LawBroken(name, ruleset, game, step, "a correction of the game changes its variation")


def _apart(games: Sequence[RecordedGame], count: int) -> Sequence[RecordedGame]:
    """So many of the games, spread over all: neighbours differ in one option."""
    return games[:: -(-len(games) // count)]


def _edit(position: Position, how: str, rng: random.Random) -> HistoryEdit | None:
    """HistoryEdit for something that is offered there; None where nothing else is."""
    if how == "removed":
        return HistoryEdit(position.seq, Remove())
    where = position.before if how == "replaced" else position.state
    offered = some_offered(position.ruleset, where, rng) if position.ruleset else ()
    others = [event for event in offered if event != position.event]
    if not others:
        return None
    given = [rng.choice(others)]
    return HistoryEdit(position.seq, Replace(given) if how == "replaced" else Insert(given))


def _settled(store: Store, key: str, edit: HistoryEdit, rng: random.Random) -> None:
    """Amend; what cannot stand is kept by a ruling or goes, and after a few of these the rest is cut off."""
    settle: dict[int, Settlement] = {}
    while faults := store.do(key, Amend([edit], settle=settle, again=True)).result.faults:
        keeps = faults[0].keepable and rng.random() < HALF
        settled = Keep("It was played so.") if keeps else Remove()
        settle[faults[0].seq] = settled if len(settle) < SETTLED else Cut()


def _faults_of_the_amended(ruleset: AnyRuleset, store: Store, key: str, rng: random.Random) -> str:
    """Say what is wrong with the history as it stands, folded and judged from its first event."""
    positions = list(store.game(key).positions())
    unread = next((position for position in positions if position.event is None), None)
    if unread is not None:
        return f"step {unread.step} cannot be folded: {unread.fault}"
    started: Any = positions[0].event
    events = [position.event for position in positions[1:] if position.event is not None]
    states = [ruleset.setup(started)]
    for event in events:
        closed = isinstance(positions[len(states) - 1].closing, RecordClosed)
        fold.check(ruleset, states[-1], event, seats=started.seats, closed=closed)
        states.append(fold.evolve(ruleset, states[-1], event))
    ruleset.invariants(states[-1])
    for step in {len(events), *(rng.randint(0, len(events)) for _ in range(JUMPS))}:
        if serialization.freeze(store.game(key).position(step).state) != serialization.freeze(states[step]):
            return f"step {step} is not what its events fold to"
    for viewer in fold.viewers(started):
        begun = ruleset.setup(fold.observe_start(started, viewer))
        told = fold.fold(ruleset, begun, fold.observed(ruleset, started, events, viewer))
        if _frozen(store, key, viewer) != serialization.freeze(told):
            return f"{viewer} sees another game than their events fold to"
    return ""


def _views(store: Store, key: str) -> list[tuple[bytes, int]]:
    viewers = (EVERYTHING, "table", *store.game(key).seats)
    return [
        (_frozen(store, key, viewer), store.game(key, viewer=viewer).position().step) for viewer in viewers
    ]


def _frozen(store: Store, key: str, viewer: str = EVERYTHING) -> bytes:
    return serialization.freeze(store.game(key, viewer=viewer).position().state)


def _recorded(
    opener: StoreOpener, name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]
) -> Iterator[tuple[RecordedGame, Store, str]]:
    """Each game in a store, recorded as a person would have."""
    with opener(registry_of((ruleset,))) as store:
        for number, game in enumerate(games):
            key = f"game-{number}"
            row = NewEvent(kind_of(game.started), serialization.encode_event(game.started))
            typed = Details(names=dict(zip(game.started.seats, HOSTILE, strict=False)), title=HOSTILE[2])
            append = Append(key, (row,), 0, key, secrets.token_hex(16))
            store.log.append_all([append], tables=[PutDetails(key, typed)])
            try:
                store.do(key, Record([*islice(game.events, LONGEST)]))
            except Exception as refusal:
                raise LawBroken(name, ruleset, game, None, f"it cannot be recorded: {refusal}") from refusal
            yield game, store, key


@contextmanager
def in_database(registry: Registry) -> Iterator[Store]:
    """Lend an empty store in a database of its own."""
    with (
        TemporaryDirectory(prefix="tabletape-") as folder,
        Store.open(Path(folder) / "laws.db", registry=registry) as store,
    ):
        yield store


def laws(opener: StoreOpener) -> tuple[Law, ...]:
    """Give the laws over a store of your own: each game is recorded in one that `opener` lends."""
    return tuple(Law(name, promise, partial(check, opener)) for name, promise, check in _PROMISES)


_PROMISES: Final = (
    ("undo", "what is undone and redone is as it was, for every viewer", _undo),
    ("snapshots", "a kept state folded on is the state folded through, for every viewer", _snapshots),
    ("amend", "an event replaced, removed or inserted gives a legal game, and undone the one before", _amend),
    ("branch", "a variation is the game as it was where it leaves, for every viewer", _branch),
    ("record", "a game's record exports and imports to the same bytes, for every viewer", _record),
)
LAWS: Final = laws(in_database)
"""The laws over a database."""
