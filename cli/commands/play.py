"""A game as a film: step through it in the terminal."""

from __future__ import annotations

import shutil
import sys
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Protocol

import click

from cli.shell.options import GAME_AT, SEEN_BY, command, split_step
from cli.shell.output import Shell, paint, plain_wanted, print_json
from cli.shell.seats import as_seen_by
from cli.shell.views import board, closing_line, due_lines, headings, step_lines
from games.words import counted

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from cli.shell.terminal import Terminal
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from eventstore.store import Store

KEPT: Final = 256
"""Moments kept, so that going back costs nothing."""
STRIDES: Final = {
    "right": 1,
    "down": 1,
    "enter": 1,
    "left": -1,
    "up": -1,
    "backspace": -1,
    "page down": 10,
    "page up": -10,
}
"""Steps that a key goes."""
PACE: Final = 0.7
"""Seconds a step while it plays by itself."""
FAR: Final = 1000
"""Steps that are looked at in search of a turn's end, as on the pages: no turn at a table is as long."""
STRETCH: Final = 200
"""Steps folded at once for it."""
SCROLLS: Final = ("j", "k", "page down", "page up")
"""What moves the board while it does not fit."""
HELP: Final = "←/→ step   [ ] turn   PgUp/PgDn ten   Home/End   g go to   space play   q quit"
PLAIN_HELP: Final = "arrows step  [ ] turn  g go to  space play  q quit"


class PlayView(NamedTuple):
    """What the watcher sees: a step, a number being typed, whether it plays by itself, which lines."""

    step: int
    typed: str | None = None
    playing: bool = False
    over: bool = False
    far: bool = False
    """The end of a turn was looked for and not found."""
    top: int = 0
    """Lines of the board above the window."""
    most: int = 0
    """As many as can be; 0: the board fits."""
    page: int = 1


class Steps(Protocol):
    """What stepping needs to know of a game."""

    last: int

    def marker(self, step: int) -> Any:
        """Whatever changes where a turn or a round ends."""
        ...


@command("Look")
@GAME_AT
@SEEN_BY
def play(shell: Shell, game: str, viewer: str) -> None:
    """Step through GAME with the arrow keys.

    It begins at STEP, else at the start. Where there is no terminal, the whole game is printed, step by step.

    Keys: arrows step, [ and ] go to the turn before or after, a thousand steps at most, PgUp and PgDn go ten
    steps, Home and End to the ends, g to a step by its number, space plays by itself, q leaves. A board that
    does not fit says how many lines there are more: then PgUp and PgDn, or k and j for one line, move it.
    """
    prefix, step = split_step(game)
    with shell.reading() as store:
        film = GameSteps(store, as_seen_by(store.game(store.catalogue.resolve(prefix)), viewer))
        film.position(step or 0)
        if shell.json:
            _print_json(store, film, step or 0)
        elif _has_keys():
            from cli.shell.terminal import owned

            with owned() as terminal:
                _watch(film, terminal, step or 0)
        else:
            _print(film, step or 0)


def _has_keys() -> bool:
    """Tell whether this is a terminal that gives single keys; Windows has none such."""
    from importlib.util import find_spec

    return sys.stdin.isatty() and sys.stdout.isatty() and find_spec("termios") is not None


class GameSteps:
    """The steps of one game as one viewer may know them."""

    def __init__(self, store: Store, opened: Game) -> None:
        self.opened = opened
        self.names = opened.names
        self.parent = opened.parent
        self.last = opened.steps
        self.notes = store.notes_by_step(opened)
        self.position: Callable[[int], Position] = lru_cache(KEPT)(opened.position)
        self._markers: Callable[[int], list[Any]] = lru_cache(KEPT)(
            lambda first: [
                _marker(position) for position in opened.positions(first, min(first + STRETCH - 1, self.last))
            ]
        )

    def marker(self, step: int) -> Any:
        """Whose turn it is; in a game without turns, the figures that belong to nobody."""
        return self._markers(step - step % STRETCH)[step % STRETCH]


def _marker(position: Position) -> Any:
    scene = position.scene()
    if scene is None:
        return None
    return scene.turn or tuple(item.value for item in scene.counters if item.owner is None)


def after_key(view: PlayView, key: str, film: Steps) -> PlayView:
    """Say what a key does."""
    if view.typed is not None:
        return _typing(view, key, film.last)
    view = view._replace(far=False)
    match key:
        case "q" | "escape" | "interrupt":
            return view._replace(over=True)
        case "g":
            return view._replace(typed="", playing=False)
        case " ":
            return view._replace(playing=not view.playing and view.step < film.last)
        case _ if key in SCROLLS and view.most:
            stride = (view.page if "page" in key else 1) * (-1 if key in {"k", "page up"} else 1)
            return view._replace(top=max(0, min(view.most, view.top + stride)))
        case _:
            step = max(0, min(film.last, _target(view.step, key, film)))
            far = key in {"[", "]"} and step not in {0, film.last} and not _turns(film, step)
            return view._replace(step=step, playing=False, far=far)


def _target(step: int, key: str, film: Steps) -> int:
    match key:
        case "home":
            return 0
        case "end":
            return film.last
        case "]":
            end = min(step + FAR, film.last)
            return next((at for at in range(step + 1, end) if _turns(film, at)), end)
        case "[":
            begin = max(step - 1 - FAR, 0)
            return next((at for at in range(step - 1, begin, -1) if _turns(film, at)), begin)
        case _:
            return step + STRIDES.get(key, 0)


def _turns(film: Steps, step: int) -> bool:
    return bool(film.marker(step) != film.marker(step - 1))


def _typing(view: PlayView, key: str, last: int) -> PlayView:
    typed = view.typed or ""
    if key == "interrupt":
        return view._replace(over=True)
    if key == "enter" and typed:
        return view._replace(step=min(int(typed), last), typed=None)
    if key in {"enter", "escape", "q"}:
        return view._replace(typed=None)
    if key == "backspace":
        return view._replace(typed=typed[:-1])
    return view._replace(typed=typed + key) if key.isascii() and key.isdigit() and len(typed) < 6 else view  # noqa: PLR2004 - digits enough for any game


def _watch(film: GameSteps, terminal: Terminal, step: int) -> None:
    view = PlayView(step)
    while not view.over:
        size = shutil.get_terminal_size()
        view = windowed(film, view, size.columns, size.lines)
        terminal.draw(screen(film, view, size.columns, size.lines))
        keys = terminal.keys(PACE if view.playing else None)
        for key in keys:
            view = after_key(view, key, film)
        if not keys and view.playing:
            view = view._replace(step=view.step + 1, playing=view.step + 1 < film.last)


def windowed(film: GameSteps, view: PlayView, width: int, height: int) -> PlayView:
    """Find out how far the board of this step can be moved, and keep the window on it."""
    parts = _parts(film, view.step, min(width, 100), colours=False)
    room = _room(parts, view, film.last, width, height)
    most = most_above(len(parts[1]), room)
    return view._replace(top=min(view.top, most), most=most, page=max(1, room - 2))


def most_above(lines: int, room: int) -> int:
    """Say how many lines can be above a window whose last line says how many there are more.

    >>> most_above(20, 20), most_above(20, 10)
    (0, 11)
    """
    return lines - max(0, room - 1) if lines > room else 0


def _room(parts: Sequence[list[str]], view: PlayView, last: int, width: int, height: int) -> int:
    head, _, tail = parts
    return max(0, height - len(head) - len(tail) - len(_foot(view, last, width)) - 1)


def scrolled(lines: list[str], top: int, room: int) -> list[str]:
    """Cut a board to a window, and say in its last line what is left out.

    >>> scrolled(["a", "b", "c", "d"], 1, 3)[:-1]
    ['b', 'c']
    """
    if len(lines) <= room or not room:
        return lines[:room]
    below = len(lines) - top - (room - 1)
    said = [f"{counted(below, 'more line')}, PgDn"] if below else []
    said += [f"{top} above, PgUp"] if top else []
    return [*lines[top : top + room - 1], paint(f"… {'; '.join(said)}", dim=True)]


def screen(film: GameSteps, view: PlayView, width: int, height: int) -> list[str]:
    """Lay one step out on so many columns and rows; of a board that is too tall there is a window."""
    from cli.shell.terminal import clipped

    colours = not plain_wanted()
    parts = head, middle, tail = _parts(film, view.step, min(width, 100), colours=colours)
    foot = ["", *_foot(view, film.last, width)]
    body = [*head, *scrolled(middle, view.top, _room(parts, view, film.last, width, height)), *tail]
    body = body[: max(0, height - len(foot))]
    empty = [""] * (height - len(body) - len(foot))
    return [clipped(line, width) for line in (*body, *empty, *foot)][-height:]


def _foot(view: PlayView, last: int, width: int) -> list[str]:
    place = f" {view.step}/{last}"
    room = max(1, min(width, 100) - len(place) - 1)
    at = round((room - 1) * view.step / last) if last else 0
    bar = f"{'━' * at}●{'─' * (room - 1 - at)}{place}"
    if view.typed is not None:
        return [bar, paint(f"go to step: {view.typed}▏", bold=True)]
    if view.far:
        return [bar, paint(f"no turn begins within {FAR:,} steps; press again to go on", bold=True)]
    return [bar, paint(HELP if width > len(HELP) else PLAIN_HELP, dim=True)]


def _parts(
    film: GameSteps, step: int, width: int, *, colours: bool
) -> tuple[list[str], list[str], list[str]]:
    position = film.position(step)
    head = [*headings(position, film.names, film.parent, width), ""]
    tail = ["", *step_lines(position, film.names, film.notes.get(step, []), width)]
    scene = position.scene()
    if scene is None:
        return head, [], tail
    picture = board(scene, film.names, width=width, colours=colours).split("\n")
    outcome = position.outcome()
    tail += (
        [closing_line(position, outcome, film.names)]
        if outcome
        else due_lines(position.pending(), film.names)
    )
    return head, picture, tail


def _print(film: GameSteps, first: int) -> None:
    for step in range(first, film.last + 1):
        for line in _plain(film, step):
            click.echo(line)


def _plain(film: GameSteps, step: int) -> Iterator[str]:
    from cli.shell.output import columns

    head, picture, tail = _parts(film, step, min(columns(), 100), colours=False)
    yield from (*head, *picture, *tail, "", "")


def _print_json(store: Store, film: GameSteps, first: int) -> None:
    from cli.shell.views import position_json

    print_json(
        [position_json(store, film.opened, film.position(step)) for step in range(first, film.last + 1)]
    )
