"""Plays the games of `tabletape demo` anew, the same to the byte; `make golden` puts them beside this module.

Each goes through the store as at a table: a command a move, a clock of its own, here and there a slip that
is taken back, and notes where something happened.
"""

from __future__ import annotations

import random
import tempfile
from contextlib import ExitStack
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol
from unittest import mock

from eventstore.recording.commands import Amend, New, Record, Redo, Rule, Undo, WriteNote

if TYPE_CHECKING:
    from eventstore.replay.position import Position
    from eventstore.store import Store
    from games.core.events import Event, Origin
    from games.core.ruleset import Random

HERE = Path(__file__).parent


class Clock(Protocol):
    """A stopped clock that can be put on."""

    def tick(self, delta: float) -> Any:
        """Put it on by so many seconds."""
        ...


class SampleNote(NamedTuple):
    """A note on the first step whose caption holds some words, behind `skip` such; no words: the last."""

    words: str
    text: str
    glyph: str | None = None
    tags: tuple[str, ...] = ()
    skip: int = 0


class SampleCorrection(NamedTuple):
    """One event of the record corrected when the game was over: the last whose caption holds some words."""

    words: str
    put: dict[str, Any]
    reason: str


class SampleRuling(NamedTuple):
    """What the table agreed on in spite of the rules, after so many steps."""

    step: int
    changes: tuple[dict[str, Any], ...]
    reason: str


class Sample(NamedTuple):
    """One game: who, when and where, how it is played, where it stops, and what was said about it."""

    game: str
    ruleset: str
    players: tuple[str, ...]
    began: datetime
    seed: int
    title: str
    place: str
    time_zone: str
    options: tuple[tuple[str, Any], ...] = ()
    origin: Origin = "table"
    seen_as: str = "everything"
    most: int = 4_000
    """Stops there, finished or not."""
    closing: tuple[tuple[str, str], ...] = ()
    slips: tuple[int, ...] = ()
    """Steps after which a move was entered too hastily and taken back."""
    redone: tuple[int, ...] = ()
    """Steps that were taken back although they were right, and brought back."""
    rulings: tuple[SampleRuling, ...] = ()
    corrections: tuple[SampleCorrection, ...] = ()
    remarks: tuple[SampleNote, ...] = ()


def utc(text: str) -> datetime:
    """Read a time."""
    return datetime.fromisoformat(text).replace(tzinfo=UTC)


SAMPLES = (
    Sample(
        game="friday-duel",
        ruleset="monsters-forever",
        players=("Ann", "Bo"),
        began=utc("2026-09-11T16:32:00"),
        seed=11,
        title="Friday duel",
        place="Kitchen table",
        time_zone="Europe/Helsinki",
        slips=(7, 40),
        remarks=(
            SampleNote("captured", "First blood, on the very first turn.", "!", ("opening",)),
            SampleNote("king captured", "Nobody saw this coming.", "!!", ("king", "turning point")),
            SampleNote("opens the pantry", "Hungry already?", "?!", ("pantry",)),
            SampleNote("attacks C1", "I should have left a pawn at home.", "??", ("king",)),
            SampleNote("", "Bo wants to play again tomorrow.", None, ("result",)),
        ),
    ),
    Sample(
        game="three-cabin",
        ruleset="monsters-forever",
        players=("Cleo", "Dag", "Eva"),
        began=utc("2026-07-18T19:05:00"),
        seed=23,
        title="Rain at the cabin",
        place="Cabin, porch",
        time_zone="Europe/Oslo",
        most=64,
        slips=(12,),
        remarks=(
            SampleNote("captured", "Eva says this was meant for the other side.", "!?", ("opening",)),
            SampleNote("", "The rain has stopped, and so have we. To be continued.", None, ("unfinished",)),
        ),
    ),
    Sample(
        game="six-attic",
        ruleset="monsters-forever",
        players=("Finn", "Gia", "Hugo", "Ines", "Jo", "Kari"),
        began=utc("2026-08-02T13:10:00"),
        seed=5,
        title="Six in the attic",
        place="Grandmother's attic",
        time_zone="Europe/Stockholm",
        options=(("max_rounds", 30), ("surround", "enemies-only")),
        remarks=(
            SampleNote("king captured", "And then there were five.", "!!", ("king",)),
            SampleNote("king captured", "Ines has seen it coming for ten turns.", None, ("king",), skip=1),
        ),
    ),
    Sample(
        game="train-war",
        ruleset="monsters-of-war",
        players=("Lena", "Max"),
        began=utc("2026-06-21T07:48:00"),
        seed=3,
        title="War on the train",
        place="Coach 7, Turku to Kemi",
        time_zone="Europe/Helsinki",
        slips=(4,),
        remarks=(
            SampleNote("War between", "The first war; the whole coach looks up.", "!", ("war",)),
            SampleNote(
                "takes 32 cards", "Five rounds of war, 32 cards. Max wants a coffee.", "!!", ("war", "swing")
            ),
        ),
    ),
    Sample(
        game="dealt-night",
        ruleset="monsters-of-war",
        players=("Nils", "Oda"),
        began=utc("2026-10-03T20:15:00"),
        seed=8,
        title="Late, and dealt by the machine",
        place="Two sofas",
        time_zone="Europe/Berlin",
        origin="dealt",
        most=24,
        remarks=(
            SampleNote("", "Oda holds her breath. Bed first, the rest tomorrow.", None, ("unfinished",)),
        ),
    ),
    Sample(
        game="four-school",
        ruleset="monsters-of-war",
        players=("Pia", "Quinn", "Ravi", "Sol"),
        began=utc("2026-09-09T10:20:00"),
        seed=14,
        title="Long break",
        place="School library",
        time_zone="Europe/Copenhagen",
        options=(("days", 2), ("gambit_empty", "reshuffle-discards")),
        most=46,
        closing=(("how", "agreed"), ("reason", "The bell rang.")),
        remarks=(SampleNote("takes 36 cards", "Half a deck in one go.", "!!", ("war",)),),
    ),
    Sample(
        game="legend-harbour",
        ruleset="legend-of-monopoly",
        players=("Rosa", "Sami", "Thea", "Ulf"),
        began=utc("2026-10-24T17:10:00"),
        seed=6,
        title="Twelve rounds at the harbour",
        place="Harbour café, upstairs",
        time_zone="Europe/Stockholm",
        options=(("win", "wealthiest-after-rounds"), ("rounds", 12)),
        slips=(30,),
        redone=(61,),
        rulings=(
            SampleRuling(
                48, ({"at": "/skip/p2", "now": 1},), "Sami takes a call: his next turn is left out."
            ),
        ),
        remarks=(
            SampleNote("to Underworld", "Already.", "?!", ("dice",)),
            SampleNote(
                "builds an inn",
                "Two inns before the fourth round. Nobody goes to Hartland again.",
                "!!",
                ("building",),
            ),
            SampleNote("claims 450", "Somebody did.", "!", ("building", "swing")),
            SampleNote("bids 200", "Rosa, loudly.", "!?", ("auction",)),
            SampleNote("1200 Rahl", "This sells Thea the game.", "??", ("deal", "turning point")),
            SampleNote("", "Counted twice, cash and land.", None, ("result",)),
        ),
    ),
    Sample(
        game="makers-lunch",
        ruleset="monster-maker",
        players=("Vera", "Wim", "Xenia", "Yann"),
        began=utc("2026-10-17T11:40:00"),
        seed=6,
        title="Monsters over lunch",
        place="Office kitchen",
        time_zone="Europe/Amsterdam",
        slips=(20,),
        corrections=(
            SampleCorrection(
                "keeps Petey body",
                {"kind": "piece_kept", "player": "p3", "discard": "slurp-head-2"},
                "Xenia threw Slurp's head, not Grizzle's arm: it lay there when Vera took the pile.",
            ),
        ),
        remarks=(
            SampleNote("begins with Bogart", "Yann is lucky with his cards.", None, ("opening",)),
            SampleNote("Trade 2: Mugwump head", "A head and a leg for nothing much.", "!", ("trade",)),
            SampleNote(
                "keeps Petey body",
                "More and more of Slurp in the garbage, under Vera's nose.",
                "?",
                ("garbage",),
            ),
            SampleNote("has made Slurp", "Out of the garbage!", "!!", ("result",)),
        ),
    ),
    Sample(
        game="battle-winter",
        ruleset="monstropoly-battle",
        players=("Alba", "Bruno"),
        began=utc("2026-11-07T18:30:00"),
        seed=4,
        title="First night of winter",
        place="By the stove",
        time_zone="Europe/Vienna",
        origin="dealt",
        remarks=(
            SampleNote("by strike", "Equal in force twice over; the strike decides.", "!", ("tie",)),
            SampleNote("Drummer is turned", "Of all cards.", "?!", ("tie",)),
            SampleNote(
                "and LORDI",
                "Four teams, and LORDI too. Bruno is not amused.",
                "!!",
                ("teams", "turning point"),
            ),
            SampleNote(
                "", "89 to 50. Bruno wants his money on the ladder of ties next time.", None, ("result",)
            ),
        ),
    ),
    Sample(
        game="battle-watched",
        ruleset="monstropoly-battle",
        players=("Clara", "Dino"),
        began=utc("2026-11-14T15:00:00"),
        seed=9,
        title="Looked on from the next table",
        place="Board game club, Turku",
        time_zone="Europe/Helsinki",
        seen_as="table",
        most=90,
        slips=(25,),
        remarks=(
            SampleNote("is turned", "What they hold I cannot see; what is turned I can.", None, ("tie",)),
            SampleNote("9 to 9", "Enary stands up to Mr. Lordi himself.", "!", ("tie",)),
            SampleNote("", "The club closes at six. To be continued.", None, ("unfinished",)),
        ),
    ),
)


def made(sample: Sample) -> bytes:
    """Play one sample; give its file."""
    from freezegun import freeze_time

    from eventstore.formats.record_file import export_record
    from eventstore.store import Store

    rng = random.Random(sample.seed)  # noqa: S311 - the same game each time
    with ExitStack() as stack:
        clock = stack.enter_context(freeze_time(sample.began))
        # The ids of notes are drawn; here they must be the same each time.
        stack.enter_context(mock.patch("secrets.choice", rng.choice))
        folder = stack.enter_context(tempfile.TemporaryDirectory())
        store = stack.enter_context(Store.open(Path(folder) / "sample.db"))
        _begin(store, sample)
        _play(store, sample, clock, rng)
        _correct(store, sample, clock)
        _remark(store, sample, clock)
        return b"".join(export_record(store, store.game(sample.game)))


def _begin(store: Store, sample: Sample) -> None:
    store.do(
        None,
        New(
            sample.ruleset,
            sample.players,
            options=dict(sample.options),
            origin=sample.origin,
            seen_as=sample.seen_as,
            title=sample.title,
            time_zone=sample.time_zone,
            place=sample.place,
            game=sample.game,
        ),
    )


def _play(store: Store, sample: Sample, clock: Clock, rng: random.Random) -> None:
    for step in range(sample.most):
        now = store.game(sample.game).position()
        if now.outcome() is not None:
            return
        clock.tick(rng.randint(4, 55))
        event = _next(now, sample, rng)
        store.do(sample.game, Record([event]))
        if step in sample.slips:
            _slip(store, sample, clock, rng)
        if step in sample.redone:
            _back_and_forth(store, sample, clock)
        for ruling in sample.rulings:
            if ruling.step == step:
                clock.tick(70)
                store.do(sample.game, Rule(ruling.reason, changes=ruling.changes))
    if sample.closing:
        closing = {"kind": "record.closed", **dict(sample.closing)}
        store.do(sample.game, Record([closing]))


def _next(now: Position, sample: Sample, rng: Random) -> Event:
    """What happens next; at a table nobody sees the cards that are laid face down."""
    from games.core.ruleset import TABLE
    from games.testing.playout import next_event

    assert now.ruleset is not None  # noqa: S101 - our own games
    event = next_event(now.ruleset, now.state, rng)
    return event if sample.origin == "dealt" else now.ruleset.redact(now.state, event, TABLE)


def _slip(store: Store, sample: Sample, clock: Clock, rng: random.Random) -> None:
    """Enter something that was not so, and take it back."""
    now = store.game(sample.game).position()
    if now.outcome() is None:
        clock.tick(3)
        store.do(sample.game, Record([_next(now, sample, rng)]))
        clock.tick(9)
        store.do(sample.game, Undo())


def _back_and_forth(store: Store, sample: Sample, clock: Clock) -> None:
    """Take back what was right, and bring it back."""
    clock.tick(6)
    store.do(sample.game, Undo())
    clock.tick(15)
    store.do(sample.game, Redo())


def _correct(store: Store, sample: Sample, clock: Clock) -> None:
    from eventstore.recording.amending import HistoryEdit, Replace

    for wrong in sample.corrections:
        clock.tick(200)
        found = [item for item in store.game(sample.game).positions() if wrong.words in item.caption()][-1]
        answer = store.do(
            sample.game, Amend([HistoryEdit(found.seq, Replace([wrong.put]))], reason=wrong.reason)
        )
        assert not answer.result.faults, answer.result.faults  # noqa: S101 - what follows stays possible


def _remark(store: Store, sample: Sample, clock: Clock) -> None:
    clock.tick(3_600)
    positions = list(store.game(sample.game).positions())
    for remark in sample.remarks:
        clock.tick(40)
        fitting = [position for position in positions if remark.words in position.caption()]
        found = fitting[remark.skip] if remark.words else positions[-1]
        store.do(sample.game, WriteNote(found.seq, text=remark.text, glyph=remark.glyph, tags=remark.tags))
