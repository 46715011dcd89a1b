"""B: whole games folded from the disk, against eventsourcing and against merely fetching the rows."""

from __future__ import annotations

from collections.abc import Iterator

from bench import ours
from bench.measure import Case, Result, measure
from bench.peers import raw_sqlite, with_eventsourcing
from bench.scale import Place, Scale
from bench.workload import events
from games.registry import installed

FETCH = "fetchall(payload)"
PEER = "eventsourcing repository.get"


def run(place: Place, scale: Scale) -> Iterator[Result]:
    """Measure B1, B2, and B3 for each installed ruleset."""
    short = ours.fill(place.kept("short"), events(scale.short_game))
    long = ours.fill(place.kept("long"), events(scale.long_game))
    real = [
        ours.simulate(place.kept(ruleset.id), ruleset, scale.real_games)
        for ruleset in installed().newest().values()
    ]
    cases = [*_peers(place, scale), *(_case(filled) for filled in (short, long, *real))]
    rates = measure("events/s replayed", cases, scale.rounds)
    place.show(rates)
    yield Result("B1", "replay ÷ eventsourcing repository.get", rates.ratio(_name(short), PEER), 15, 35)
    yield Result("B2", "replay of a long game ÷ fetchall(payload)", rates.ratio(_name(long), FETCH), 0.4, 0.9)
    for filled in real:
        ratio = rates.ratio(_name(filled), PEER)
        yield Result("B3", f"{filled.ruleset.id} ÷ eventsourcing's card game", ratio, 3, 8)
    for filled in real:
        share = ours.keyframes(filled)
        what = f"{filled.ruleset.id}: room for keyframes ÷ for events"
        yield Result("C2", what, share, 0.1, text="{:.1%}", less_is_better=True)


def _name(filled: ours.Filled) -> str:
    games = len(filled.games)
    return f"{filled.ruleset.id}, {games} game{'s' if games > 1 else ''}, {filled.events:,} events"


def _case(filled: ours.Filled) -> Case:
    return Case(_name(filled), filled.events, lambda: ours.replay(filled))


def _peers(place: Place, scale: Scale) -> Iterator[Case]:
    library, rows = place.kept("eventsourcing"), place.kept("rows")
    game = with_eventsourcing.fill(library, with_eventsourcing.calls(events(scale.short_game)))
    raw_sqlite.fill(rows, events(scale.long_game))
    yield Case(PEER, scale.short_game, lambda: with_eventsourcing.replay(library, game))
    yield Case(FETCH, scale.long_game, lambda: raw_sqlite.fetch(rows))
