"""Many games at once, played by themselves."""

from __future__ import annotations

from collections import Counter, deque
from contextlib import contextmanager, suppress
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import click

from cli.shell.options import OPTIONS, RULESET, Whole, Word, command
from cli.shell.output import Shell, tell
from cli.shell.progress import tracked
from cli.shell.refusals import ShellRefusal
from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from concurrent.futures import Future
    from multiprocessing.connection import Connection

    from eventstore.simulation import SimulatedGame

FEW: Final = 8
"""So few games are played sooner than another process has started."""
SHARES: Final = 8
"""Portions for each process: few enough to cost nothing, many enough that none waits long at the end."""
LARGEST: Final = 10
"""Games of a portion at most."""
AHEAD: Final = 4
"""Portions handed out for each process, so that none waits for the next."""
MOST_GAMES: Final = 1_000_000
MAX_EVENTS: Final = 20_000
SIGNALLED: Final = 128
"""What a shell adds to the number of the signal that ended a program."""
UNFINISHED: Final = "unfinished"


class SimulationRequest(NamedTuple):
    """The games to play. The same request always gives the same games."""

    ruleset: str
    players: int
    seed: int
    max_events: int
    options: dict[str, Any]


class SimulationCount(NamedTuple):
    """What is counted of a game."""

    steps: int
    ending: str
    winners: tuple[str, ...] = ()


@command("Check", examples=("simulate monsters-forever -n 100 --players 3 --seed 7",))
@RULESET
@click.option(
    "-n", "games", metavar="N", type=Whole(1, MOST_GAMES), default=100, show_default=True, help="Games"
)
@click.option("--players", metavar="K", type=Whole(1, 100), help="How many; else the fewest there may be.")
@click.option(
    "--seed",
    metavar="S",
    type=Whole(-(10**17), 10**17),
    default=1,
    show_default=True,
    help="The same, the same games.",
)
@OPTIONS
@click.option("--max-rounds", metavar="R", type=Whole(1, 1_000_000), help="As --option max_rounds=R.")
@click.option(
    "--max-events",
    metavar="E",
    type=Whole(1, 1_000_000),
    default=MAX_EVENTS,
    show_default=True,
    help="Leave a game unfinished there.",
)
@click.option("--processes", metavar="P", type=Whole(1, 64), help="Else one a processor.")
@click.option("--save", is_flag=True, help="Write the games into the database, origin simulated.")
@click.option(
    "--by", metavar="KEY", type=Word(), default="recorder", help="With --save: the key of who enters them."
)
def simulate(
    shell: Shell,
    ruleset: str,
    games: int,
    players: int | None,
    seed: int,
    options: dict[str, Any],
    max_rounds: int | None,
    max_events: int,
    processes: int | None,
    save: bool,
    by: str,
) -> None:
    """Play N games of RULESET by themselves and count their ends.

    The games are the same whatever the number of processes. The length of a game is its number of steps.
    """
    if max_rounds is not None:
        if "max_rounds" in options:
            raise click.UsageError("Give --max-rounds or --option max_rounds, not both.")
        options = options | {"max_rounds": max_rounds}
    request = _judged(ruleset, players, seed, max_events, options)
    if save:
        played = _saved(shell, request, games, processes, by)
    else:
        played = list(tracked(_many(_counted, request, games, processes), games, "playing"))
    answer = summary(played, request.players)
    shell.answer(answer, _text(answer, ruleset))
    if save and not shell.json:
        tell(f"Saved in {shell.db}: {shell.program} list --origin simulated")


def _judged(
    ruleset: str, players: int | None, seed: int, max_events: int, options: dict[str, Any]
) -> SimulationRequest:
    """Refuse a wrong request here: what a process of its own refuses is hard to hear."""
    from games.core.registry import installed
    from games.core.start import started

    rules = installed().find(ruleset)
    request = SimulationRequest(
        ruleset, rules.seats[0] if players is None else players, seed, max_events, options
    )
    started(rules, request.players, options=options, origin="simulated")
    return request


def _one(request: SimulationRequest, number: int) -> SimulatedGame:
    from eventstore.simulation import game_seed
    from eventstore.simulation import simulate as play

    return play(
        request.ruleset, request.players, game_seed(request.seed, number), request.max_events, request.options
    )


def _count(game: SimulatedGame) -> SimulationCount:
    steps, outcome = len(game.events) - 1, game.outcome
    return (
        SimulationCount(steps, outcome.reason, outcome.winners)
        if outcome
        else SimulationCount(steps, UNFINISHED)
    )


def _counted(request: SimulationRequest, number: int) -> SimulationCount:
    return _count(_one(request, number))


def _many(play: Any, request: SimulationRequest, games: int, processes: int | None) -> Iterator[Any]:
    """Play games 1 to `games`, in this order, here or in several processes."""
    import os

    workers = min(processes or os.cpu_count() or 1, games)
    if workers == 1 or (processes is None and games <= FEW):
        yield from map(partial(play, request), range(1, games + 1))
        return
    from concurrent.futures import ProcessPoolExecutor
    from concurrent.futures.process import BrokenProcessPool
    from multiprocessing import get_context

    context = get_context("spawn")
    share = max(1, min(LARGEST, games // (workers * SHARES)))
    reader, writer = context.Pipe(duplex=False)
    with (
        _orderly(),
        writer,
        reader,
        ProcessPoolExecutor(workers, mp_context=context, initializer=_attend, initargs=(reader,)) as pool,
    ):
        try:
            waiting: deque[Future[list[Any]]] = deque()
            for first in range(1, games + 1, share):
                numbers = range(first, min(first + share, games + 1))
                with _uninterrupted():
                    waiting.append(pool.submit(_portion, play, request, numbers))
                if len(waiting) > workers * AHEAD:
                    yield from waiting.popleft().result()
            for portion in waiting:
                yield from portion.result()
        except BrokenProcessPool:
            raise ShellRefusal(
                "process-ended", "One of the processes that play was ended from outside; nothing was counted."
            ) from None
        except BaseException:
            writer.close()
            raise


def _portion(play: Any, request: SimulationRequest, numbers: range) -> list[Any]:
    return [play(request, number) for number in numbers]


@contextmanager
def _uninterrupted() -> Iterator[None]:
    """Keep Ctrl+C while processes are started; they are born deaf to it and leave it to us."""
    import signal

    if not hasattr(signal, "pthread_sigmask"):  # Windows
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT, signal.SIGTERM})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


@contextmanager
def _orderly() -> Iterator[None]:
    """Let a request to end (SIGTERM) take the other processes along before it ends this one."""
    import signal

    def end(number: int, _frame: object) -> None:
        raise SystemExit(SIGNALLED + number)

    before = signal.signal(signal.SIGTERM, end)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, before)


def _attend(reader: Connection) -> None:
    """End this process with the one that wants its games: its end of the pipe closes however it ends."""
    import os
    import signal
    from threading import Thread

    # Born deaf to it as to Ctrl+C; but it may be asked to end.
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGTERM})

    def watch() -> None:
        with suppress(EOFError, OSError):
            reader.recv()
        os._exit(1)

    Thread(target=watch, daemon=True).start()


def _saved(
    shell: Shell, request: SimulationRequest, games: int, processes: int | None, by: str
) -> list[SimulationCount]:
    from eventstore.simulation import save

    counted: list[SimulationCount] = []

    def counting() -> Iterable[SimulatedGame]:
        for game in tracked(_many(_one, request, games, processes), games, "playing"):
            counted.append(_count(game))
            yield game

    with shell.writing(create=True) as store:
        save(store, counting(), by=by)
    return counted


def summary(played: list[SimulationCount], players: int) -> dict[str, Any]:
    """Count.

    >>> played = [("draw", ()), ("most-cards", ()), ("most-cards", ("p2",))]
    >>> summary([SimulationCount(10, reason, winners) for reason, winners in played], 2)["wins"]
    {'p1': 0, 'p2': 1}
    """
    lengths = [game.steps for game in played]
    from games.core.ruleset import seat_names

    middle = median(lengths)
    won = Counter(seat for game in played for seat in game.winners)
    return {
        "games": len(played),
        "events": sum(lengths) + len(played),
        "endings": dict(Counter(game.ending for game in played).most_common()),
        "wins": {seat: won[seat] for seat in seat_names(players)},
        "length": {"median": int(middle) if middle == int(middle) else middle, "max": max(lengths)},
    }


def _text(answer: dict[str, Any], ruleset: str) -> str:
    from eventstore.statistics.counts import seat_said
    from games.core.registry import installed
    from games.text.wording import reason_said

    games, rules = answer["games"], installed().find(ruleset)
    rows = [(reason_said(reason, rules), count) for reason, count in answer["endings"].items()]
    won = [(f"{seat_said(seat)} wins", count) for seat, count in answer["wins"].items()]
    wide = max(len(said) for said, _ in (*rows, *won))
    figures = len(str(games))
    return "\n".join(
        (
            f"{counted(games, 'game')}, {counted(answer['events'], 'event')}",
            *(f"  {said:{wide}}  {count:>{figures}}  {count / games:4.0%}" for said, count in (*rows, *won)),
            f"length in steps: median {answer['length']['median']:,}, longest {answer['length']['max']:,}",
        )
    )
