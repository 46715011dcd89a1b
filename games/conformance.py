"""The laws that every ruleset keeps, to be run on any of them: on ours, and on a stranger's.

    games = recorded_games(RULESET)
    for law in LAWS:
        law.check(RULESET, games)

`LawBroken` says which law, where, and what is wrong.  Each law has a broken ruleset that it rejects in
`tests/games/test_conformance.py`.
"""

from __future__ import annotations

import os
import random
import re
import subprocess
import sys
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from hashlib import sha256
from importlib import import_module
from typing import Any, Final, Literal, NamedTuple, Protocol

import msgspec

from games import playout, replay, wire, wording
from games.events import Event, RecordRuled, RecordStarted, kind_of
from games.registry import installed
from games.ruleset import (
    CHANCE,
    EVERYTHING,
    TABLE,
    BrokenInvariant,
    Choice,
    IllegalAction,
    Pending,
    Ruleset,
    seat_names,
)
from games.scene import NOBODY, Scene
from games.scene_text import WIDTH, scene_text
from games.start import started as start

LONGEST: Final = 8_000
"""So many events a playout may have; one that is then not over has reached the cap."""
JUDGED: Final = 160
"""So many steps of a game are judged: its beginning, its end, and evenly between."""
LISTED: Final = 12
"""So many of the events listed at one step are tried."""
TYPED: Final = 2
"""At every second step that is judged, what is offered is typed too."""
RULED: Final = 6
"""So many times the table rules in a game."""
HALF: Final = 0.5
HASH_SEEDS: Final = ("1", "4242")

AnyRuleset = Ruleset[Any]
Manner = Literal["bot", "random", "restless"]
"""Who plays: the ruleset's bot; the core's random player; one who takes up a may even where chance is due."""


class LawBroken(AssertionError):
    """A ruleset breaks a law: the law's name, `id version`, the game and its step, one sentence."""

    def __init__(self, law: str, ruleset: AnyRuleset, game: Game | None, step: int | None, said: str) -> None:
        where = "" if game is None else f" in {game.label}" + ("" if step is None else f" at step {step}")
        super().__init__(f"{ruleset.id} {ruleset.version} breaks the {law} law{where}: {said}")
        self.law = law
        self.step = step
        self.sentence = said


@dataclass(frozen=True, kw_only=True)
class Game:
    """A game that was played to be judged; `fault` says why the playout stopped too early, if it did."""

    label: str
    started: RecordStarted[Any, Any]
    events: tuple[Event, ...]
    seed: int
    manner: Manner
    fault: str = ""


class Check(Protocol):
    """What a law does with recorded games; raises `LawBroken`."""

    def __call__(self, name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None: ...  # noqa: D102


@dataclass(frozen=True)
class Law:
    """A law by its name, what it says, and the function that looks for a breach."""

    name: str
    says: str
    judge: Check

    def check(self, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
        """Look at every game; the first breach raises `LawBroken`."""
        self.judge(self.name, ruleset, games)

    def __str__(self) -> str:
        return self.name


# --- games to judge --------------------------------------------------------------------------------------


def recorded_games(ruleset: AnyRuleset, *, seeds: Sequence[int] = (1, 2)) -> tuple[Game, ...]:
    """Play games: few, most and some players, in each manner, and one for each option value."""
    manners: tuple[Manner, ...] = ("bot", "random") if ruleset.bot is not None else ("random",)
    starts = [start(ruleset, players, origin="simulated") for players in player_counts(ruleset)]
    plain = [play(ruleset, event, seed, manner) for event in starts for manner in manners for seed in seeds]
    if any(_has_mays(ruleset, game) for game in plain):
        plain += [play(ruleset, event, seeds[0], "restless") for event in starts]
    variants = [
        play(ruleset, event, seeds[0], manners[0], longest=2 * JUDGED) for event in option_variants(ruleset)
    ]
    return (*plain, *variants)


def _has_mays(ruleset: AnyRuleset, game: Game) -> bool:
    states = replay.states(ruleset, game.started, game.events[:JUDGED])
    return any(not due.must for state in states for due in ruleset.pending(state))


def player_counts(ruleset: AnyRuleset) -> tuple[int, ...]:
    """Take the smallest, the second and the largest number of players."""
    return tuple(sorted({*ruleset.seats[:2], ruleset.seats[-1]}))


def option_variants(ruleset: AnyRuleset) -> Iterator[RecordStarted[Any, Any]]:
    """Start a game for each other value of an option that is a switch or has named values.

    A value that needs another option beside it is refused alone, and left to the ruleset's own tests.
    """
    players = ruleset.seats[0]
    suggested = msgspec.to_builtins(ruleset.suggested(seat_names(players)))
    schema = msgspec.json.schema(ruleset.options)["$defs"][ruleset.options.__name__]
    for key, field in schema["properties"].items():
        values = [False, True] if field.get("type") == "boolean" else field.get("enum", [])
        for value in values:
            if value != suggested[key]:
                with suppress(IllegalAction):
                    yield start(ruleset, players, origin="simulated", options={key: value})


def play(
    ruleset: AnyRuleset,
    started: RecordStarted[Any, Any],
    seed: int,
    manner: Manner,
    *,
    longest: int = LONGEST,
) -> Game:
    """Play one game; a fault on the way is kept, not raised, so that the playouts law can name it."""
    rng = random.Random(seed)  # noqa: S311 - to be repeated, not to be secret
    events: list[Event] = []
    fault = ""
    player = ruleset if manner == "bot" else replace(ruleset, bot=None)
    try:
        if manner == "restless":
            events.extend(_restless(player, started, rng, longest))
        else:
            events.extend(event for event, _ in playout.playout(player, started, rng, max_events=longest))
    except Exception as error:  # noqa: BLE001 - whatever the ruleset raises
        fault = f"{type(error).__name__}: {error}"
    options = "".join(f", {key} {value}" for key, value in _chosen(ruleset, started))
    label = f"{len(started.seats)} players, seed {seed}, {manner}{options}"
    return Game(label=label, started=started, events=tuple(events), seed=seed, manner=manner, fault=fault)


def _restless(
    ruleset: AnyRuleset, started: RecordStarted[Any, Any], rng: random.Random, longest: int
) -> Iterator[Event]:
    state = ruleset.setup(started)
    for _ in range(longest):
        if ruleset.outcome(state) is not None:
            return
        mays = [due for due in ruleset.pending(state) if not due.must]
        wish = rng.choice(mays) if mays and rng.random() < playout.MAY else None
        event = playout.random_event(ruleset, state, wish, rng) if wish is not None else None
        if event is None:
            event = playout.next_event(ruleset, state, rng)
        yield event
        state = replay.evolve(ruleset, state, event)


def _chosen(ruleset: AnyRuleset, started: RecordStarted[Any, Any]) -> Iterator[tuple[str, Any]]:
    suggested = msgspec.to_builtins(ruleset.suggested(started.seats))
    for key, value in msgspec.to_builtins(started.options).items():
        if value != suggested[key]:
            yield key, value


# --- walking a game as one viewer knows it ---------------------------------------------------------------


@dataclass(frozen=True, kw_only=True)
class View:
    """A game as somebody was told it; for `everything` the game itself."""

    viewer: str
    started: RecordStarted[Any, Any]
    events: Iterable[Event]


class Applied(NamedTuple):
    """An event between two states."""

    before: Any
    event: Event
    after: Any


@dataclass(frozen=True, kw_only=True)
class Moment:
    """One step as the viewer saw it, and in full.

    At step 0 the event is `record.started`, and before and after are the same.  `written` is how state and
    event read as JSON before the event was applied.
    """

    game: Game
    step: int
    viewer: str
    seen: Applied
    full: Applied
    written: tuple[bytes, bytes]


Views = Callable[[AnyRuleset, Game], Iterator[View]]
Judge = Callable[[AnyRuleset, Moment], Iterator[str]]


def in_full(_ruleset: AnyRuleset, game: Game) -> Iterator[View]:
    """See everything."""
    yield View(viewer=EVERYTHING, started=game.started, events=game.events)


def as_told(ruleset: AnyRuleset, game: Game) -> Iterator[View]:
    """See what each restricted viewer is told; where nothing is hidden one seat stands for all."""
    viewers = (TABLE, *game.started.seats) if ruleset.hides else game.started.seats[:1]
    for viewer in viewers:
        yield View(
            viewer=viewer,
            started=replay.tell_start(game.started, viewer),
            events=replay.told(ruleset, game.started, game.events, viewer),
        )


def by_everybody(ruleset: AnyRuleset, game: Game) -> Iterator[View]:
    """See everything, then what each restricted viewer is told."""
    yield from in_full(ruleset, game)
    yield from as_told(ruleset, game)


def walk(ruleset: AnyRuleset, game: Game, view: View, steps: frozenset[int]) -> Iterator[Moment]:
    """Fold the game and the view side by side; give the chosen steps."""
    everything = view.viewer == EVERYTHING
    full = ruleset.setup(game.started)
    known = full if everything else ruleset.setup(view.started)
    if 0 in steps:
        yield Moment(
            game=game,
            step=0,
            viewer=view.viewer,
            seen=Applied(known, view.started, known),
            full=Applied(full, game.started, full),
            written=(_bytes_of(known), _bytes_of(view.started)),
        )
    for step, (full_event, event) in enumerate(zip(game.events, view.events, strict=True), start=1):
        written = (_bytes_of(known), _bytes_of(event)) if step in steps else (b"", b"")
        all_ = Applied(full, full_event, replay.evolve(ruleset, full, full_event))
        seen = all_ if everything else Applied(known, event, replay.evolve(ruleset, known, event))
        if step in steps:
            yield Moment(game=game, step=step, viewer=view.viewer, seen=seen, full=all_, written=written)
        full, known = all_.after, seen.after


def judged_steps(length: int) -> frozenset[int]:
    """Choose the steps to judge: beginning, end, and evenly between; all of a short game.

    >>> len(judged_steps(10)), len(judged_steps(5000)) <= JUDGED
    (11, True)
    """
    if length < JUDGED:
        return frozenset(range(length + 1))
    part = JUDGED // 4
    between = range(part, length - part, (length - 2 * part) // part + 1)
    return frozenset((*range(2 * part), *between, *range(length + 1 - part, length + 1)))


def at_each_step(views: Views, judge: Judge) -> Check:
    """Make a law of what is judged step by step; an error on the way is a breach too."""

    def check(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
        for game in games:
            for view in views(ruleset, game):
                found = _first_breach(ruleset, game, view, judge)
                if found is not None:
                    step, said = found
                    raise LawBroken(name, ruleset, game, step, f"({view.viewer}) {said}")

    return check


def _first_breach(ruleset: AnyRuleset, game: Game, view: View, judge: Judge) -> tuple[int, str] | None:
    reached = 0
    try:
        for moment in walk(ruleset, game, view, judged_steps(len(game.events))):
            reached = moment.step
            for said in judge(ruleset, moment):
                return reached, said
            reached += 1  # what is raised between two moments belongs to what follows
    except Exception as error:  # noqa: BLE001 - whatever the ruleset raises breaks the law
        return reached, f"{type(error).__name__}: {error}"
    return None


# --- playouts, offers, the end ---------------------------------------------------------------------------


def _playouts(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    ended = False
    for game in games:
        if game.fault:
            raise LawBroken(name, ruleset, game, len(game.events), game.fault)
        last = replay.fold(ruleset, ruleset.setup(game.started), game.events)
        ended = ended or ruleset.outcome(last) is not None
    if not ended:
        raise LawBroken(name, ruleset, None, None, f"none of {len(games)} playouts comes to an end")


def _offers(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    if moment.step:
        refusal = _refusal(ruleset, moment.seen.before, moment.seen.event)
        if refusal:
            yield f"{wire.encode_event(moment.seen.event)} was dealt or offered, but {refusal}"
    rng = random.Random(moment.step)  # noqa: S311 - to be repeated, not to be secret
    for due in ruleset.pending(moment.seen.after):
        yield from _listed_faults(ruleset, moment.seen.after, due, rng)
        for choice in ruleset.open_choices(moment.seen.after, due.seat):
            if choice.kind in due.kinds and _filled(ruleset, moment.seen.after, choice, rng) is None:
                yield f"no sample of {choice} is accepted within {playout.TRIES} tries"


def _listed_faults(ruleset: AnyRuleset, state: Any, due: Pending, rng: random.Random) -> Iterator[str]:
    listed = list(ruleset.legal_actions(state, due.seat))
    kinds = {kind for item in ruleset.pending(state) if item.seat == due.seat for kind in item.kinds}
    for event in listed if len(listed) <= LISTED else rng.sample(listed, LISTED):
        if kind_of(event) not in kinds:
            yield f"{due.seat} is offered {kind_of(event)}, which is not pending for him"
        refusal = _refusal(ruleset, state, event)
        if refusal:
            yield f"{due.seat} is offered {wire.encode_event(event)}, but {refusal}"


def _filled(ruleset: AnyRuleset, state: Any, choice: Choice, rng: random.Random) -> Event | None:
    for _ in range(playout.TRIES):
        event: Event = wire.event_from(ruleset, playout.sample(choice, rng))
        if not _refusal(ruleset, state, event):
            return event
    return None


def _refusal(ruleset: AnyRuleset, state: Any, event: Event) -> str:
    try:
        replay.check(ruleset, state, event, seats=(), closed=False)
    except IllegalAction as refusal:
        return f"it is refused: {refusal}"
    return ""


def _over(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    state = moment.seen.after
    due = ruleset.pending(state)
    if ruleset.outcome(state) is None:
        if not any(item.must for item in due):
            yield "there is no outcome, and nobody must do anything"
        return
    if due:
        yield f"the game is over, and {due[0].seat} is asked for {', '.join(due[0].kinds)}"
    for seat in (*moment.game.started.seats, TABLE, CHANCE):
        if next(iter(ruleset.legal_actions(state, seat)), None) is not None:
            yield f"the game is over, and {seat} is still offered something"
        if next(iter(ruleset.open_choices(state, seat)), None) is not None:
            yield f"the game is over, and {seat} is still offered a form"
    if moment.step and not _refusal(ruleset, state, moment.seen.event):
        yield f"the game is over, and {wire.encode_event(moment.seen.event)} is accepted"


# --- evolve, replay, wire, invariants --------------------------------------------------------------------


def _bytes_of(value: Any) -> bytes:
    return msgspec.json.encode(value, order="deterministic")


def _evolve(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    if not moment.step:
        return
    before, event = moment.written
    if _bytes_of(moment.seen.before) != before:
        yield f"{kind_of(moment.seen.event)} changes the state that it is given"
    if _bytes_of(moment.seen.event) != event:
        yield f"{kind_of(moment.seen.event)} changes the event that it is given"
    again = replay.evolve(ruleset, moment.seen.before, moment.seen.event)
    if _bytes_of(again) != _bytes_of(moment.seen.after):
        yield f"{kind_of(moment.seen.event)} gives another state the second time"


def _repeatable(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    some = [*games[:2], *games[-1:]]
    here = [digests(ruleset, game) for game in some]
    for game, was, now in zip(some, here, (digests(ruleset, game) for game in some), strict=True):
        _same(name, ruleset, game, was=was, now=now, when="the second time")
    for seed in HASH_SEEDS:
        there = _digests_elsewhere(ruleset, some, seed)
        if isinstance(there, str):
            raise LawBroken(name, ruleset, None, None, f"another process cannot replay it: {there}")
        for game, was, now in zip(some, here, there, strict=True):
            _same(name, ruleset, game, was=was, now=now, when=f"in another process (hash seed {seed})")


def _same(
    name: str, ruleset: AnyRuleset, game: Game, *, was: Sequence[str], now: Sequence[str], when: str
) -> None:
    for step, (one, other) in enumerate(zip(was, now, strict=True)):
        if one != other and step == len(game.events) + 1:
            raise LawBroken(name, ruleset, game, None, f"the playout from its seed is another one {when}")
        if one != other:
            raise LawBroken(name, ruleset, game, step, f"the state or what is offered is another {when}")


def digests(ruleset: AnyRuleset, game: Game) -> list[str]:
    """Give a digest of each state with what is shown and offered, then one of the game played once more."""
    found = []
    for state in replay.states(ruleset, game.started, game.events):
        due = ruleset.pending(state)
        listed = [list(ruleset.legal_actions(state, item.seat)) for item in due]
        found.append(_digest(wire.freeze(state), _bytes_of((ruleset.scene(state), due, listed))))
    again = play(ruleset, game.started, game.seed, game.manner, longest=len(game.events))
    return [*found, _digest(*(_bytes_of(event) for event in again.events))]


def _digest(*parts: bytes) -> str:
    return sha256(b"\n".join(parts)).hexdigest()[:16]


class _Order(msgspec.Struct):
    """What the other process is asked to do: where its ruleset is, and the games by their payloads."""

    address: tuple[str, str, int]
    games: list[tuple[str, list[str], int, Manner]]


def _digests_elsewhere(ruleset: AnyRuleset, games: Sequence[Game], seed: str) -> list[list[str]] | str:
    address = _address(ruleset)
    if address is None:
        return "it stands in no module by name, so it cannot be imported there"
    order = _Order(
        address,
        [
            (
                wire.encode_event(game.started),
                [wire.encode_event(event) for event in game.events],
                game.seed,
                game.manner,
            )
            for game in games
        ],
    )
    answer = subprocess.run(
        [sys.executable, "-c", "from games.conformance import answer; answer()"],
        input=msgspec.json.encode(order),
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
    )
    if answer.returncode:
        return answer.stderr.decode().strip().rpartition("\n")[2]
    return msgspec.json.decode(answer.stdout, type=list[list[str]])


def answer() -> None:
    """Replay in a process of its own what comes in on the standard input, and print the digests."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=_Order)
    ruleset = _at(order.address)
    games = (
        Game(
            label="",
            started=wire.decode_event(ruleset, started),
            events=tuple(wire.decode_event(ruleset, event) for event in events),
            seed=seed,
            manner=manner,
        )
        for started, events, seed, manner in order.games
    )
    sys.stdout.buffer.write(msgspec.json.encode([digests(ruleset, game) for game in games]))


def _address(ruleset: AnyRuleset) -> tuple[str, str, int] | None:
    """Find a module that another process can import, with this ruleset in it by name or in a tuple."""
    if installed().get((ruleset.id, ruleset.version)) is ruleset:
        return "", ruleset.id, ruleset.version
    for name, module in [item for item in sys.modules.items() if item[0] != "__main__"]:
        for attribute, value in list(vars(module).items()):
            if value is ruleset:
                return name, attribute, -1
            if isinstance(value, tuple) and any(item is ruleset for item in value):
                return name, attribute, next(at for at, item in enumerate(value) if item is ruleset)
    return None


def _at(address: tuple[str, str, int]) -> AnyRuleset:
    module, name, number = address
    if not module:
        return installed().find(name, number)
    value: Any = getattr(import_module(module), name)
    ruleset: AnyRuleset = value if number < 0 else value[number]
    return ruleset


def _wire(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    text = wire.encode_event(moment.seen.event)
    again = wire.decode_event(ruleset, text)
    if again != moment.seen.event:
        yield f"{text} reads back as {again}"
    elif wire.encode_event(again) != text:
        yield f"{text} is written back as {wire.encode_event(again)}"
    frozen = wire.freeze(moment.seen.after)
    thawed = wire.thaw(ruleset, frozen, moment.seen.after.setup)
    if thawed != moment.seen.after:
        yield f"the state is another after freezing: {frozen.decode()}"
    elif wire.freeze(thawed) != frozen:
        yield "the state freezes to other bytes the second time"
    if moment.step == 0:
        yield from _same_kinds(ruleset)


def _same_kinds(ruleset: AnyRuleset) -> Iterator[str]:
    for kind, count in ((kind, wire.known_kinds(ruleset).count(kind)) for kind in wire.known_kinds(ruleset)):
        if count > 1 or kind != kind.lower() or not kind.replace("_", "").isalnum():
            yield f"the kind {kind!r} is not one of its own in snake_case"


def _invariants(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    try:
        ruleset.invariants(moment.seen.after)
    except BrokenInvariant as broken:
        yield f"after {kind_of(moment.seen.event)}, {broken}"


# --- what is shown and typed -----------------------------------------------------------------------------


def _scene(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    scene = ruleset.scene(moment.seen.after)
    seats = moment.game.started.seats
    yield from _scene_faults(scene, seats)
    for card in (card for zone in scene.zones for card in zone.cards):
        if ruleset.face(moment.seen.after, card.key) not in {None, card.face}:
            yield f"the card {card.key} lies there with another front than `face` shows"
    widest = max(map(len, scene_text(scene).split("\n")))
    if widest > WIDTH:
        yield f"the scene as text is {widest} columns wide"
    if moment.step:
        yield from _line_faults("the caption", ruleset.describe(moment.seen.before, moment.seen.event), seats)
    for due in ruleset.pending(moment.seen.after):
        if due.why:
            yield from _line_faults("the reason of a pending decision", due.why, seats)


def _scene_faults(scene: Scene, seats: Sequence[str]) -> Iterator[str]:
    keys = [key for key, _ in scene.values()]
    yield from (
        f"two places have the key {key!r}" for key in sorted({key for key in keys if keys.count(key) > 1})
    )
    for key, value in scene.values():
        if value is not None and type(value) not in {int, str}:
            yield f"{key} has the value {value!r}; a number, a text or null is right"
    pieces = [piece.key for piece in scene.pieces]
    if len(set(pieces)) != len(pieces):
        yield "two pieces have the same key"
    cells = {cell.key for cell in scene.cells}
    yield from (
        f"{piece.key} stands on {piece.cell!r}, which is no cell"
        for piece in scene.pieces
        if piece.cell not in cells
    )
    for zone in scene.zones:
        if zone.unknown < 0:
            yield f"{zone.key} has {zone.unknown} unknown cards"
        if not set(zone.seen_by) <= {TABLE, *seats}:
            yield f"{zone.key} is seen by {zone.seen_by}; seats or the table are right"
    owners = {zone.owner for zone in scene.zones} | {item.owner for item in scene.counters}
    if not owners <= {None, *seats, TABLE, CHANCE}:
        yield f"owners are {sorted(map(str, owners))}, which are not all seats"
    if msgspec.json.decode(msgspec.json.encode(scene), type=Scene) != scene:
        yield "the scene is another after writing it as JSON"


def _line_faults(what: str, line: str, seats: Sequence[str]) -> Iterator[str]:
    if not line.strip() or "\n" in line:
        yield f"{what} is {line!r}, not one line"
    wrong = [word for word in re.findall(r"\{(.*?)\}", line) if word not in {*seats, TABLE, CHANCE}]
    if wrong:
        yield f"{what} is {line!r}; in braces stand seats only, not {wrong[0]!r}"


def _notation(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    if ruleset.notation is None:
        return
    if moment.step:
        yield from _typed_faults(ruleset, moment.seen.before, moment.seen.event)
    if moment.viewer == EVERYTHING and moment.step % TYPED == 0:
        rng = random.Random(moment.step)  # noqa: S311 - to be repeated, not to be secret
        for event in some_offered(ruleset, moment.seen.after, rng):
            yield from _typed_faults(ruleset, moment.seen.after, event)


def _typed_faults(ruleset: AnyRuleset, state: Any, event: Event) -> Iterator[str]:
    text = wording.write(ruleset, state, event)
    try:
        again = wording.read(ruleset, state, text)
    except IllegalAction as refusal:
        yield f"{text!r} is written, but not read back: {refusal}"
        return
    if again != (event,):
        yield f"{text!r} is written for {wire.encode_event(event)}, but read as {again}"


def some_offered(ruleset: AnyRuleset, state: Any, rng: random.Random) -> Iterator[Event]:
    """Choose one of the listed events of each kind that is offered now, and fill each form in once."""
    for due in ruleset.pending(state):
        listed: dict[str, list[Event]] = {}
        for event in ruleset.legal_actions(state, due.seat):
            listed.setdefault(kind_of(event), []).append(event)
        yield from (rng.choice(events) for events in listed.values())
        forms = (form for form in ruleset.open_choices(state, due.seat) if form.kind in due.kinds)
        filled = (_filled(ruleset, state, form, rng) for form in forms)
        yield from (event for event in filled if event is not None)


# --- who is told what ------------------------------------------------------------------------------------


def _told(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    if kind_of(moment.seen.event) != kind_of(moment.full.event):
        yield f"{kind_of(moment.full.event)} is told as {kind_of(moment.seen.event)}"
    yield from _same_game(ruleset, moment)
    if moment.step:
        known = moment.seen.before
        again = replay.tell(ruleset, known, moment.seen.event, moment.viewer, known)
        if again != moment.seen.event:
            yield f"told once more, {wire.encode_event(moment.seen.event)} becomes {wire.encode_event(again)}"
    seat = moment.viewer
    if seat in moment.game.started.seats:  # the viewer `table` is not the seat of that name
        for what, of in (("actions", ruleset.legal_actions), ("forms", ruleset.open_choices)):
            full, own = list(of(moment.full.after, seat)), list(of(moment.seen.after, seat))
            if full != own:
                yield f"his own {what} are {own}, but {full} in full"


def _same_game(ruleset: AnyRuleset, moment: Moment) -> Iterator[str]:
    """Compare what is public: legality, pending, outcome, sizes; and count what is known."""
    if moment.step:
        refusal = _refusal(ruleset, moment.seen.before, moment.seen.event)
        if refusal:
            yield f"the log as told is not legal: {wire.encode_event(moment.seen.event)}, {refusal}"
    yield from _invariants(ruleset, moment)
    for what, of in (
        ("pending", ruleset.pending),
        ("the outcome", ruleset.outcome),
        ("scores", ruleset.scores),
    ):
        if of(moment.seen.after) != of(moment.full.after):
            yield f"{what} is {of(moment.seen.after)}, but {of(moment.full.after)} in full"
    sizes, full = (
        {zone.key: zone.size for zone in ruleset.scene(state).zones}
        for state in (moment.seen.after, moment.full.after)
    )
    if sizes != full:
        here, there = sorted(sizes.items() - full.items()), sorted(full.items() - sizes.items())
        yield f"zones hold {here}, but {there} in full"


def blurred(ruleset: AnyRuleset, game: Game) -> Iterator[View]:
    """See the game as a table might have recorded it that missed some identities, or all of them."""
    started = msgspec.structs.replace(game.started, origin="table")
    cards = identities(ruleset, game)
    rng = random.Random(game.seed)  # noqa: S311 - to be repeated, not to be secret
    unseen = frozenset(card for card in sorted(cards) if rng.random() < HALF)
    for said, hidden, share in (
        ("cards missed half the time", cards, HALF),
        (f"{len(unseen)} cards never seen", unseen, 1.0),
        ("no card seen", cards, 1.0),
    ):
        events = tuple(_blur(event, hidden, rng, share) for event in game.events)
        if events != game.events:
            yield View(viewer=said, started=started, events=events)


def _blur(event: Event, hidden: frozenset[str], rng: random.Random, share: float) -> Event:
    payload = wire.event_to(event)
    for path in list(_paths_to(payload, hidden)):
        if rng.random() < share:
            event = _blanked(event, path)
    return event


def _blanked(event: Event, path: tuple[str | int, ...]) -> Event:
    payload: Any = wire.event_to(event)
    box = payload
    for key in path[:-1]:
        box = box[key]
    box[path[-1]] = None
    try:
        blank: Event = msgspec.convert(payload, type(event))
    except msgspec.ValidationError:
        return event
    return blank


def _paths_to(value: Any, words: frozenset[str]) -> Iterator[tuple[str | int, ...]]:
    if isinstance(value, str) and value in words:
        yield ()
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        for path in _paths_to(item, words):
            yield (key, *path)


def identities(ruleset: AnyRuleset, game: Game) -> frozenset[str]:
    """Collect what a card can be called: every `id` in the data, every card that a scene shows."""
    shown = {
        card.key
        for state in replay.states(ruleset, game.started, game.events)
        for zone in ruleset.scene(state).zones
        for card in zone.cards
    }
    return frozenset(shown | set(_ids_in(msgspec.to_builtins(game.started.data))))


def _ids_in(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        if isinstance(value.get("id"), str):
            yield value["id"]
        value = list(value.values())
    if isinstance(value, list | tuple):
        for item in value:
            yield from _ids_in(item)


def _leak(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    if not ruleset.hides:
        return
    for game in games:
        cards = identities(ruleset, game)
        if not cards:
            raise LawBroken(
                name, ruleset, game, None, "something is hidden, but no scene shows a card as witness"
            )

        def judge(ruleset: AnyRuleset, moment: Moment, cards: frozenset[str] = cards) -> Iterator[str]:
            return _learned_unseen(ruleset, moment, cards)

        at_each_step(as_told, judge)(name, ruleset, (game,))


def _learned_unseen(ruleset: AnyRuleset, moment: Moment, cards: frozenset[str]) -> Iterator[str]:
    known = _words(wire.plain_state(moment.seen.before)) if moment.step else set()
    now = _words(wire.event_to(moment.seen.event)) if moment.step else set()
    new = (now | _words(wire.plain_state(moment.seen.after))) & cards - known
    if not new:
        return
    zones = [zone for state in moment.full[::2] for zone in ruleset.scene(state).zones]
    visible = {card.key for zone in zones if zone.visible_to(moment.viewer) for card in zone.cards}
    private = {card.key for zone in zones if zone.seen_by != NOBODY for card in zone.cards}
    unseen = new - visible - (always_named(moment.full.event, cards) - private)
    if unseen:
        yield f"learns {', '.join(sorted(unseen))} from {wire.encode_event(moment.seen.event)}"


def always_named(event: Event, cards: frozenset[str]) -> set[str]:
    """Give the cards that an event names in fields that cannot be null.

    Such a card was turned for all to see, even if it went at once from one pile that nobody may look into
    to another.  A card that comes from or goes to where somebody may look is no such card.
    """
    payload = wire.event_to(event)
    paths = [path for path in _paths_to(payload, cards) if _blanked(event, path) == event]
    return {_value_at(payload, path) for path in paths}


def _value_at(payload: Any, path: tuple[str | int, ...]) -> str:
    for key in path:
        payload = payload[key]
    return str(payload)


def _words(value: Any) -> set[str]:
    if isinstance(value, str):
        return {value}
    if isinstance(value, dict):
        return set(value).union(*map(_words, value.values()))
    if isinstance(value, list):
        return set().union(*map(_words, value))
    return set()


def _rulings(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    """Let the table rule that the game stands as it stood elsewhere in it, and tell everybody."""
    for game in games if ruleset.hides else ():
        rng = random.Random(game.seed)  # noqa: S311 - to be repeated, not to be secret
        states = list(replay.states(ruleset, game.started, game.events))
        steps = rng.sample(range(len(game.events)), min(RULED, len(game.events)))
        jumps = {step: states[rng.randrange(len(states))] for step in steps}
        cards = identities(ruleset, game)
        for view in as_told(ruleset, game):
            for moment in walk(ruleset, game, view, frozenset(jumps)):
                for said in _ruling_faults(ruleset, moment, jumps[moment.step], cards):
                    raise LawBroken(name, ruleset, game, moment.step, f"({moment.viewer}) {said}")


def _ruling_faults(ruleset: AnyRuleset, moment: Moment, goal: Any, cards: frozenset[str]) -> Iterator[str]:
    full, seen = moment.full.after, moment.seen.after
    changes = replay.difference(wire.plain_state(full), wire.plain_state(goal))
    ruled = RecordRuled("as it was elsewhere", tuple(changes))
    try:
        told = replay.tell(ruleset, full, ruled, moment.viewer, seen)
        after = replay.evolve(ruleset, seen, told)
    except Exception as error:  # noqa: BLE001 - whatever the ruleset raises breaks the law
        yield f"{wire.encode_event(ruled)} cannot be told: {type(error).__name__}: {error}"
        return
    ruling = replace(moment, step=1, full=Applied(full, ruled, goal), seen=Applied(seen, told, after))
    yield from _told(ruleset, ruling)
    yield from _learned_unseen(ruleset, ruling, cards)


LAWS: Final = (
    Law(
        "playouts",
        "playouts come to an end or reach the cap; none stops where somebody must act and cannot",
        _playouts,
    ),
    Law(
        "offers",
        "what is listed, dealt or played is accepted; a sample of a form is accepted within 50 tries",
        at_each_step(by_everybody, _offers),
    ),
    Law(
        "over",
        "until the outcome somebody must act; after it nothing is pending, offered or accepted",
        at_each_step(by_everybody, _over),
    ),
    Law(
        "evolve",
        "`evolve` leaves its arguments alone and gives the same state each time",
        at_each_step(by_everybody, _evolve),
    ),
    Law(
        "repeatable",
        "replay and seeded play are the same again, in other processes and with other hash seeds",
        _repeatable,
    ),
    Law(
        "wire",
        "every event and every state is the same after writing and reading it; kinds are unique",
        at_each_step(by_everybody, _wire),
    ),
    Law(
        "invariants",
        "the conservation laws hold at each step, as each viewer knows it",
        at_each_step(by_everybody, _invariants),
    ),
    Law(
        "scene",
        "scene, face and describe work for every viewer and agree; keys are unique, values are JSON",
        at_each_step(by_everybody, _scene),
    ),
    Law(
        "notation",
        "what happened and what is offered, as it is written, reads back as the same event",
        at_each_step(by_everybody, _notation),
    ),
    Law(
        "told",
        "each viewer's log is legal; pending, outcome, sizes and his own actions are as in full",
        at_each_step(as_told, _told),
    ),
    Law(
        "blur",
        "the game is legal and the same with any identities blanked",
        at_each_step(blurred, _same_game),
    ),
    Law(
        "leak", "a viewer learns a card only at a step before or after which it lies where he may look", _leak
    ),
    Law(
        "rulings",
        "what the table rules, however much, can be told to each viewer, and tells no more",
        _rulings,
    ),
)
"""Every law of this folder."""
