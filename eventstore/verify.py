"""Whether records are as they were recorded, can be read, and stand by the rules; nothing is changed."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any

import msgspec

from eventstore import codec, folding, judging, schema
from eventstore.chain import verify_chain
from eventstore.command import is_game_id
from eventstore.errors import BadHistory, DamagedDatabase, UnknownGame, Unreadable
from eventstore.notes import stream
from games import wire
from games.ruleset import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eventstore import chain
    from eventstore.history import Runs
    from eventstore.stored_event import StoredEvent
    from eventstore.tabletape import Tabletape
    from games.ruleset import Ruleset


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    game: str
    """Empty where it is the file of the database."""
    seq: int
    """The first event that it concerns."""
    code: str
    message: str


class Report(msgspec.Struct, frozen=True):
    """What was looked at, and what was found."""

    games: int
    events: int
    faults: tuple[Finding, ...]


def verify(tape: Tabletape, games: Sequence[str] | None = None, *, rules: int | None = None) -> Report:
    """Look at these games, or at all.

    Finds:   lines that are not as recorded (the chain), payloads that cannot be read, undos and amendments
             that point nowhere, events against the rules, keyframes of the full state (not those of single
             viewers) that are not what folding gives; in the notes too. A game whose ruleset is not
             installed is checked as far as that goes without it. Where all are looked at, SQLite looks at the
             whole file too (pages, indexes, what is free), and the triggers must be there that keep events
             from being changed.
    rules:   compare, step by step, with this version of each game's ruleset: the first step that differs.
    Errors:  `UnknownGame`; `UnknownRuleset` where a game is named and that version is not installed.
    """
    chosen = list(games) if games is not None else [name for name in tape.log.games() if "/" not in name]
    events, faults = 0, [] if games is not None else list(_in_the_file(tape))
    for game in chosen:
        try:
            looked_at, found = _in_the_game(tape, game, rules, must=games is not None)
        except DamagedDatabase as fault:
            faults.append(Finding(game, 0, fault.code, str(fault)))
            continue
        events += looked_at
        faults += found
    return Report(len(chosen), events, tuple(faults))


def _in_the_game(tape: Tabletape, game: str, rules: int | None, *, must: bool) -> tuple[int, list[Finding]]:
    """How many events there are, and what is wrong with them and with the notes."""
    rows, commits = tape.log.record(game) if is_game_id(game) else ([], [])
    if not rows and not commits:
        if must:
            raise UnknownGame(game)
        why = f"Nothing of game {game!r} can be found: it was deleted, or its id was changed."
        return 0, [Finding("", 0, "missing", why)]
    changed = [*map(_damage, verify_chain(rows, commits))]
    unreadable = {fault.seq for fault in changed if fault.code == "unreadable"}
    found = [
        fault for fault in _by_content(tape, game, rows, rules, must=must) if fault.seq not in unreadable
    ]
    return len(rows), [*changed, *found, *_in_notes(tape, game)]


def damage(tape: Tabletape, game: str) -> list[Finding]:
    """What in a game's record, or in its notes, is not as it was recorded.

    Errors:  `UnknownGame`.
    """
    found = tape.log.record(game)
    if not any(found):
        raise UnknownGame(game)
    return [*map(_damage, verify_chain(*found)), *map(_damage, verify_chain(*tape.log.record(stream(game))))]


def _in_the_file(tape: Tabletape) -> Iterator[Finding]:
    try:
        with tape.log.reader() as connection:
            said = [row[0] for row in connection.execute("PRAGMA integrity_check(20)")]
            unguarded = schema.unguarded(connection)
    except DamagedDatabase as fault:
        yield Finding("", 0, fault.code, str(fault))
        return
    if unguarded:
        yield Finding("", 0, "unguarded", unguarded)
    # Some releases of SQLite cannot look into a search index without writing, and say so as of a fault.
    found = [line for line in said if line != "ok" and not line.startswith("unable to validate")]
    if found:
        first, *more = (" ".join(line.split()) for line in found)
        told = f"{first} ({len(more)} more)" if more else first
        yield Finding("", 0, DamagedDatabase.code, f"SQLite finds the file damaged: {told}.")


def _damage(fault: chain.Break) -> Finding:
    return Finding(fault.game, fault.seq, fault.code, fault.message)


def _in_notes(tape: Tabletape, game: str) -> Iterator[Finding]:
    rows, commits = tape.log.record(stream(game))
    for fault in verify_chain(rows, commits):
        yield Finding(game, fault.seq, f"notes-{fault.code}", f"In the notes: {fault.message}")
    try:
        tape.notes.of(game)
    except Unreadable as unreadable:
        yield Finding(game, unreadable.seq, "notes-unreadable", f"In the notes: {unreadable}")
    except UnknownGame:
        return


def _by_content(
    tape: Tabletape, game: str, rows: list[StoredEvent], rules: int | None, *, must: bool
) -> Iterator[Finding]:
    """What cannot be read, points nowhere or does not stand; what other rules make of it."""
    payloads = [row.payload for row in rows]
    if [row.seq for row in rows] != list(range(1, len(rows) + 1)):
        return
    try:
        runs = codec.effective(payloads)
    except BadHistory as fault:
        yield Finding(game, fault.seq, fault.code, str(fault))
        return
    first = runs.seq_at(0)
    try:
        named = codec.named(game, first, payloads[first - 1])
    except Unreadable as fault:
        yield Finding(game, first, fault.code, str(fault))
        return
    ruleset = tape.registry.get((named.ruleset, named.version))
    if ruleset is None:
        return
    other = None if rules is None else tape.registry.get((named.ruleset, rules))
    if rules is not None and other is None and must:
        tape.registry.find(named.ruleset, rules)
    if other is None:
        yield from _by_rules(tape, ruleset, game, payloads, runs)
        return
    difference = _difference(ruleset, other, game, payloads, runs)
    yield from () if difference is None else (difference,)


def _by_rules(
    tape: Tabletape, ruleset: Ruleset[Any], game: str, payloads: list[str], runs: Runs
) -> Iterator[Finding]:
    """The first event that cannot stand; every other one that cannot be read; keyframes that differ."""
    unreadable = set()
    if codec.decode_all(ruleset, codec.array_of(payloads)) is None:
        for seq, payload in enumerate(payloads, 1):
            try:
                codec.decode(ruleset, game, seq, payload)
            except Unreadable as fault:
                unreadable.add(seq)
                yield Finding(game, seq, fault.code, str(fault))
    try:
        for step, seq, _, state in judging.judged(ruleset, game, payloads, runs):
            if step and step % folding.OFTEN == 0:
                kept = tape.log.keyframes.get(game, EVERYTHING, [(step, runs.digest(step))])
                if kept is not None and kept[1] != wire.freeze(state):
                    why = f"The keyframe of step {step} is not what its events give: clear the keyframes."
                    yield Finding(game, seq, "keyframe-differs", why)
    except Unreadable as fault:
        if fault.seq not in unreadable:
            yield Finding(game, fault.seq, fault.code, str(fault))


def _difference(
    ruleset: Ruleset[Any], other: Ruleset[Any], game: str, payloads: list[str], runs: Runs
) -> Finding | None:
    """The first step at which two versions of a ruleset do not say the same of a game."""
    steps = zip_longest(_said(ruleset, game, payloads, runs), _said(other, game, payloads, runs))
    for step, (one, two) in enumerate(steps):
        if one != two:
            seq = runs.seq_at(step)
            kind = codec.kind(payloads[seq - 1])
            what = f"Step {step} ({kind}) is not the same by versions {ruleset.version} and {other.version}"
            return Finding(game, seq, "rules-differ", f"{what} of {ruleset.id}{_why(one, two)}.")
    return None


def _said(ruleset: Ruleset[Any], game: str, payloads: list[str], runs: Runs) -> Iterator[bytes | str]:
    """The state and the outcome at each step; at last why it goes no further."""
    try:
        for judged in judging.judged(ruleset, game, payloads, runs):
            yield wire.freeze(judged.state) + msgspec.json.encode(ruleset.outcome(judged.state))
    except Unreadable as fault:
        yield str(fault)


def _why(one: bytes | str | None, two: bytes | str | None) -> str:
    said = next((text for text in (two, one) if isinstance(text, str)), "")
    return f": {said.removesuffix('.')}" if said else ""
