"""Whether records are as they were recorded, can be read, and fit the rules; nothing is changed."""

from __future__ import annotations

from itertools import zip_longest
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec

from eventstore.errors import BadHistory, DamagedDatabase, UnknownGame, Unreadable
from eventstore.log.chain import unchecked, verify_chain
from eventstore.log.contract import REWRITING
from eventstore.log.ids import is_game_id
from eventstore.replay import folding, rejudging, stored_payloads
from eventstore.replay.notes import stream
from games.core import serialization
from games.core.ruleset import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from eventstore.log import chain
    from eventstore.log.history import Runs
    from eventstore.log.rows import StoredEvent
    from eventstore.store import Store
    from games.core.ruleset import Ruleset


class Finding(msgspec.Struct, frozen=True):
    """One thing that is wrong."""

    game: str
    """Empty where it is the file of the database."""
    seq: int
    """The first event that it concerns."""
    code: str
    message: str


class VerifyReport(msgspec.Struct, frozen=True):
    """What was looked at, and what was found."""

    games: int
    events: int
    faults: tuple[Finding, ...]
    unchecked: int = 0
    """Commands that were recorded before commands had checksums; the chain alone was checked."""
    as_text: tuple[str, ...] = ()
    """Games whose rules or options are not known here: they open as text, and no rules were asked."""


class _Checked(NamedTuple):
    """One game, gone through."""

    events: int
    faults: list[Finding]
    unchecked: int
    as_text: bool = False


class _Content(NamedTuple):
    """What the events of a game say, whatever the chain says of them."""

    faults: list[Finding]
    judged: frozenset[int] | None = None
    """The seqs that fit the rules, with those that rewrite the history; None where nothing was judged."""
    counting: frozenset[int] = frozenset()
    """The seqs that are left after undos and amendments, with those that rewrite the history."""
    as_text: bool = False


_UNFIT: Final = {
    "against-the-rules": "does not fit the rules",
    "cannot-follow": "does not fit the rules",
    "bad-history": "does not fit the history",
}
"""Codes, and what they say of an event; that of others cannot be read."""
_OF_NO_EVENT: Final = ("keyframe-differs", "rules-differ")


def verify(store: Store, games: Sequence[str] | None = None, *, rules: int | None = None) -> VerifyReport:
    """Look at these games, or at all.

    Finds:   breaks of the chain, commands that differ from their checksums, payloads that cannot be read,
             undos and amendments that point nowhere, events against the rules, snapshots of the full state
             (not those of single viewers) that are not what folding gives; in the notes too. A game whose
             ruleset is not installed is checked as far as that goes without it. Where all are looked at,
             `storage_faults` looks at the file and at what belongs together too.
    rules:   compare, step by step, with this version of each game's ruleset: the first step that differs.
    Errors:  `UnknownGame`; `UnknownRuleset` where a game is named and that version is not installed.
    """
    chosen = list(games) if games is not None else [name for name in store.log.games() if "/" not in name]
    found = [] if games is not None else [*map(_damage, store.log.storage_faults())]
    events = without = 0
    as_text = []
    for game in chosen:
        try:
            checked = _in_the_game(store, game, rules, must=games is not None)
        except DamagedDatabase as fault:
            found.append(Finding(game, 0, fault.code, str(fault)))
            continue
        events += checked.events
        without += checked.unchecked
        found += checked.faults
        as_text += [game] if checked.as_text else []
    return VerifyReport(len(chosen), events, tuple(found), without, tuple(as_text))


def _in_the_game(store: Store, game: str, rules: int | None, *, must: bool) -> _Checked:
    """How many events there are, and what is wrong with them and with the notes."""
    rows, commits = store.log.record(game) if is_game_id(game) else ([], [])
    if not rows and not commits:
        if must:
            raise UnknownGame(game)
        return _Checked(0, [], 0)  # `storage_faults` names it
    breaks = verify_chain(rows, commits)
    content = _by_content(store, game, rows, rules, must=must)
    payloads = [row.payload for row in rows]
    changed = [
        Finding(game, fault.seq, fault.code, _with(fault, _of_the_rules(fault, content, payloads)))
        for fault in breaks
    ]
    unreadable = {fault.seq for fault in breaks if fault.code == "unreadable"}
    found = [fault for fault in content.faults if fault.seq not in unreadable]
    notes, without = _in_notes(store, game)
    faults = [*changed, *found, *notes]
    return _Checked(len(rows), faults, unchecked(commits) + without, content.as_text)


def _with(fault: chain.ChainFault, more: str) -> str:
    return f"{fault.message.removesuffix('.')}; {more}." if more else fault.message


def _of_the_rules(fault: chain.ChainFault, content: _Content, payloads: Sequence[str]) -> str:
    """What the rules say of the events between two kept values of the chain that do not fit; empty: nothing.

    A chain that breaks says that a line or a kept value differs, not which; the rules may know more.
    """
    last = min(fault.last, len(payloads))
    seqs = range(fault.seq, last + 1)
    if fault.code != "changed" or not seqs:
        return ""
    for one in content.faults:
        if one.seq in seqs and one.code not in _OF_NO_EVENT:
            why = one.message.partition(": ")[2].removesuffix(".")
            return f"event {one.seq} {_UNFIT.get(one.code, 'cannot be read')}{': ' if why else ''}{why}"
    return "" if content.judged is None else _judged(seqs, content, content.judged)


def _judged(seqs: range, content: _Content, judged: frozenset[int]) -> str:
    """What was judged of these events, where nothing is wrong with any of them."""
    counting = content.counting.intersection(seqs)
    if not counting:
        return "no event there counts any more, so the rules do not apply"
    if not counting <= judged:
        return "the rules could not be followed as far as there"
    if len(counting) < len(seqs):
        return "the events there that still count fit the rules"
    return "the event itself fits the rules" if len(seqs) == 1 else "the events themselves fit the rules"


def damage(store: Store, game: str) -> list[Finding]:
    """What in a game's record, or in its notes, is not as it was recorded.

    Errors:  `UnknownGame`.
    """
    found = store.log.record(game)
    if not any(found):
        raise UnknownGame(game)
    return [*map(_damage, verify_chain(*found)), *map(_damage, verify_chain(*store.log.record(stream(game))))]


def _damage(fault: chain.ChainFault) -> Finding:
    return Finding(fault.game, fault.seq, fault.code, fault.message)


def _in_notes(store: Store, game: str) -> tuple[list[Finding], int]:
    """What is wrong with the notes, and how many of their commands have no checksum."""
    rows, commits = store.log.record(stream(game))
    unreadable: list[Finding] = []
    try:
        _ = store.game(game).all_notes
    except Unreadable as refusal:
        unreadable.append(Finding(game, refusal.seq, "notes-unreadable", f"In the notes: {refusal}"))
    except UnknownGame:
        pass
    found = []
    for fault in verify_chain(rows, commits):
        more = "the notes themselves can be read" if fault.code == "changed" and not unreadable else ""
        said = f"In the notes: {_with(fault, more)}"
        found.append(Finding(game, fault.seq, f"notes-{fault.code}", said))
    return [*found, *unreadable], unchecked(commits)


def _by_content(
    store: Store, game: str, rows: list[StoredEvent], rules: int | None, *, must: bool
) -> _Content:
    """What cannot be read, points nowhere or does not fit; what other rules make of it."""
    payloads = [row.payload for row in rows]
    if not rows or [row.seq for row in rows] != list(range(1, len(rows) + 1)):
        return _Content([])
    try:
        runs = stored_payloads.effective(payloads)
    except BadHistory as fault:
        return _Content([Finding(game, fault.seq, fault.code, str(fault))])
    first = runs.seq_at(0)
    try:
        named = stored_payloads.named(game, first, payloads[first - 1])
    except Unreadable as fault:
        return _Content([Finding(game, first, fault.code, str(fault))])
    ruleset = store.registry.get((named.ruleset, named.version))
    if ruleset is None or rejudging.opens_as_text(ruleset, game, first, payloads[first - 1]):
        return _Content([], as_text=True)
    other = None if rules is None else store.registry.get((named.ruleset, rules))
    if rules is not None and other is None and must:
        store.registry.find(named.ruleset, rules)
    if other is None:
        return _by_rules(store, ruleset, game, payloads, runs)
    difference = _difference(ruleset, other, game, payloads, runs)
    return _Content([] if difference is None else [difference])


def _by_rules(store: Store, ruleset: Ruleset[Any], game: str, payloads: list[str], runs: Runs) -> _Content:
    """The first event that does not fit; every other one that cannot be read; snapshots that differ."""
    found: dict[int, Finding] = {}
    if stored_payloads.decode_all(ruleset, stored_payloads.array_of(payloads)) is None:
        for seq, payload in enumerate(payloads, 1):
            try:
                stored_payloads.decode(ruleset, game, seq, payload)
            except Unreadable as fault:
                found[seq] = Finding(game, seq, fault.code, str(fault))
    unreadable = list(found.values())
    # They fit as soon as the history can be built.
    rewriting = {seq for seq, payload in enumerate(payloads, 1) if stored_payloads.kind(payload) in REWRITING}
    judged = set(rewriting)
    differing = []
    try:
        for step, seq, _, state in rejudging.judged(ruleset, game, payloads, runs):
            judged.add(seq)
            if step and step % folding.OFTEN == 0:
                kept = store.log.snapshots.get(game, EVERYTHING, [(step, runs.digest(step))])
                if kept is not None and kept[1] != serialization.freeze(state):
                    why = f"The snapshot of step {step} is not what its events give: clear the snapshots."
                    differing.append(Finding(game, seq, "keyframe-differs", why))
    except Unreadable as fault:
        if fault.seq not in found:
            differing.append(Finding(game, fault.seq, fault.code, str(fault)))
    return _Content([*unreadable, *differing], frozenset(judged), frozenset(rewriting.union(runs)))


def _difference(
    ruleset: Ruleset[Any], other: Ruleset[Any], game: str, payloads: list[str], runs: Runs
) -> Finding | None:
    """The first step at which two versions of a ruleset do not say the same of a game."""
    steps = zip_longest(_said(ruleset, game, payloads, runs), _said(other, game, payloads, runs))
    for step, (one, two) in enumerate(steps):
        if one != two:
            seq = runs.seq_at(step)
            kind = stored_payloads.kind(payloads[seq - 1])
            what = f"Step {step} ({kind}) is not the same by versions {ruleset.version} and {other.version}"
            return Finding(game, seq, "rules-differ", f"{what} of {ruleset.id}{_why(one, two)}.")
    return None


def _said(ruleset: Ruleset[Any], game: str, payloads: list[str], runs: Runs) -> Iterator[bytes | str]:
    """The state and the outcome at each step; at last why it goes no further."""
    try:
        for judged in rejudging.judged(ruleset, game, payloads, runs):
            yield serialization.freeze(judged.state) + msgspec.json.encode(ruleset.outcome(judged.state))
    except Unreadable as fault:
        yield str(fault)


def _why(one: bytes | str | None, two: bytes | str | None) -> str:
    said = next((text for text in (two, one) if isinstance(text, str)), "")
    return f": {said.removesuffix('.')}" if said else ""
