"""What the store promises for every ruleset, to be run on any of them: on ours, and on a stranger's.

    games = recorded_games(RULESET)
    for law in LAWS:
        law.check(RULESET, games)

`recorded_games` and `LawBroken` are those of `games.conformance`.  Each law has a broken ruleset that it
rejects in `tests/eventstore/test_conformance.py`.
"""

from __future__ import annotations

import random
import secrets
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from itertools import islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final

from eventstore.about import About
from eventstore.about import write as keep
from eventstore.errors import TabletapeError
from eventstore.exchange.tape import export_tape, import_tapes
from eventstore.stored_event import Append, NewEvent
from eventstore.tabletape import Tabletape
from games import replay, wire
from games.conformance import Game, Law, LawBroken
from games.events import kind_of
from games.registry import registry_of
from games.ruleset import EVERYTHING, Ruleset

AnyRuleset = Ruleset[Any]

LONGEST: Final = 400
"""So many events of a game are recorded."""
JUMPS: Final = 12
"""Random steps of a game that are looked at."""
LEAPS: Final = 60
"""So many events are undone at once."""
HOSTILE: Final = ("<script>alert(1)</script>", "=1+1", 'a"b\\c]}{', "שלום ☂ 😀", "{p1}", "'; --")
"""Names and texts that must come through as they are."""


def _undo(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    """Undo and redo."""
    for game, tape, key in _recorded(name, ruleset, games):
        steps = tape.replayer.at(key).step
        before = _views(tape, key)
        for n in {1, min(7, steps), min(LEAPS, steps)} - {0}:
            expected = wire.freeze(tape.replayer.replay(key, steps - n))
            tape.recorder.undo(key, n, again=True)
            if _frozen(tape, key) != expected:
                raise LawBroken(name, ruleset, game, steps - n, f"undoing {n} does not give the state then")
            tape.recorder.redo(key, n)
            if _views(tape, key) != before:
                raise LawBroken(name, ruleset, game, steps, f"{n} undone and redone are not as before")


def _keyframes(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    """A state kept and taken out again, then folded on, is the state folded through."""
    for game, tape, key in _recorded(name, ruleset, games):
        rng = random.Random(game.seed)  # noqa: S311 - to be repeated
        steps = tape.replayer.at(key).step
        for viewer in replay.viewers(game.started):
            states = [moment.state for moment in tape.replayer.moments(key, viewer=viewer)]
            events = [moment.event for moment in tape.replayer.moments(key, viewer=viewer)]
            for step in (rng.randint(0, steps) for _ in range(JUMPS)):
                kept = wire.thaw(ruleset, wire.freeze(states[step]), states[0].setup)
                state = replay.fold(ruleset, kept, [event for event in events[step + 1 :] if event])
                if wire.freeze(state) != wire.freeze(states[-1]) or state.setup != states[-1].setup:
                    raise LawBroken(name, ruleset, game, step, f"{viewer}: kept and folded on it is another")
                if wire.freeze(tape.replayer.at(key, step, viewer).state) != wire.freeze(states[step]):
                    raise LawBroken(name, ruleset, game, step, f"{viewer}: a jump gives another state")


def _record(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    """Export, import, export: the same bytes, and the same game."""
    for game, tape, key in _recorded(name, ruleset, games):
        last = tape.replayer.at(key)
        tape.notes.write(key, last.seq, text="\n".join(HOSTILE), glyph="?!", tags=HOSTILE[:3])
        with _opened(ruleset) as other:
            for viewer in replay.viewers(game.started):
                file = b"".join(export_tape(tape, key, viewer))
                try:
                    found = import_tapes(other, [(f"{viewer}'s file", file)])[0].game
                except TabletapeError as refusal:
                    raise LawBroken(
                        name, ruleset, game, None, f"{viewer}'s file is refused: {refusal}"
                    ) from None
                if b"".join(export_tape(other, found)) != file:
                    raise LawBroken(name, ruleset, game, None, f"{viewer}'s file comes out otherwise")
                if _frozen(other, found) != _frozen(tape, key, viewer):
                    raise LawBroken(name, ruleset, game, None, f"{viewer}'s file is another game")


def _views(tape: Tabletape, key: str) -> list[tuple[bytes, int]]:
    viewers = (EVERYTHING, "table", *tape.replayer.tape(key).seats)
    return [(_frozen(tape, key, viewer), tape.replayer.at(key, viewer=viewer).step) for viewer in viewers]


def _frozen(tape: Tabletape, key: str, viewer: str = EVERYTHING) -> bytes:
    return wire.freeze(tape.replayer.at(key, viewer=viewer).state)


def _recorded(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> Iterator[tuple[Game, Tabletape, str]]:
    """Each game in a database, recorded as a person would have."""
    with _opened(ruleset) as tape:
        for number, game in enumerate(games):
            key = f"game-{number}"
            row = NewEvent(kind_of(game.started), wire.encode_event(game.started))
            about = About(names=dict(zip(game.started.seats, HOSTILE, strict=False)), title=HOSTILE[2])
            tape.log.append_all(
                [Append(key, (row,), 0, key, secrets.token_hex(16))],
                also=lambda connection, _, key=key, about=about: keep(connection, key, about),  # type: ignore[misc]
            )
            try:
                tape.recorder.record(key, [*islice(game.events, LONGEST)])
            except Exception as refusal:
                raise LawBroken(name, ruleset, game, None, f"it cannot be recorded: {refusal}") from refusal
            yield game, tape, key


@contextmanager
def _opened(ruleset: AnyRuleset) -> Iterator[Tabletape]:
    with TemporaryDirectory(prefix="tabletape-") as folder:
        registry = registry_of((ruleset,))
        with Tabletape.open(Path(folder) / "laws.db", registry=registry) as tape:
            yield tape


LAWS: Final = (
    Law("undo", "what is undone and redone is as it was, for every viewer", _undo),
    Law("keyframes", "a kept state folded on is the state folded through, for every viewer", _keyframes),
    Law("record", "a game's record exports and imports to the same bytes, for every viewer", _record),
)
