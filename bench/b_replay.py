"""B: whole games folded from the disk, against eventsourcing and against merely fetching the rows."""

from __future__ import annotations

from collections.abc import Iterator

from bench import ours
from bench.measure import Case, Result, measure
from bench.peers import raw_sqlite, with_eventsourcing
from bench.scale import Place, Scale
from bench.workload import events
from games.core.registry import installed

FETCH = "fetchall(payload)"
PEER = "eventsourcing repository.get"


def run(place: Place, scale: Scale) -> Iterator[Result]:
    """Measure B1, B2, and B3 for each installed ruleset."""
    short = ours.fill(place.kept("short"), events(scale.short_game))
    long = ours.fill(place.kept("long"), events(scale.long_game))
    real = [
        ours.simulate(place.kept(ruleset.id), ruleset, scale.real)
        for ruleset in installed().newest().values()
    ]
    peer = _peer(place, 1, scale.short_game)
    as_long = {filled.ruleset.id: _peer(place, len(filled.games), filled.each) for filled in real}
    cases = [peer, *as_long.values(), _fetch(place, scale), *map(_case, (short, long, *real))]
    rates = measure("events/s replayed", cases, scale.rounds)
    place.show(rates)
    yield Result("B1", "replay ÷ eventsourcing repository.get", rates.ratio(_name(short), peer.name), 15, 35)
    yield Result("B2", "replay of a long game ÷ fetchall(payload)", rates.ratio(_name(long), FETCH), 0.4, 0.9)
    for filled in real:
        for what, other in (("games as long", as_long[filled.ruleset.id]), ("one long game", peer)):
            ratio = rates.ratio(_name(filled), other.name)
            yield Result("B3", f"{filled.ruleset.id} ÷ eventsourcing, {what}", ratio, 3, 8)
    for filled in real:
        share = ours.snapshots(filled)
        what = f"{filled.ruleset.id}: room for snapshots ÷ for events"
        yield Result("C2", what, share, 0.1, text="{:.1%}", less_is_better=True)


def _name(filled: ours.Filled) -> str:
    return f"{filled.ruleset.id}, {_games(len(filled.games), filled.each)}"


def _games(games: int, each: int) -> str:
    return f"{games} game{'s' if games > 1 else ''} of {each:,} events"


def _case(filled: ours.Filled) -> Case:
    return Case(_name(filled), filled.events, lambda: ours.replay(filled))


def _fetch(place: Place, scale: Scale) -> Case:
    rows = place.kept("rows")
    raw_sqlite.fill(rows, events(scale.long_game))
    return Case(FETCH, scale.long_game, lambda: raw_sqlite.fetch(rows))


def _peer(place: Place, games: int, each: int) -> Case:
    path = place.beside()
    played = [with_eventsourcing.calls(events(each, seed)) for seed in range(games)]
    ids = with_eventsourcing.fill(path, played)
    name = f"{PEER}, {_games(games, each)}"
    return Case(name, games * each, lambda: with_eventsourcing.replay(path, ids))
