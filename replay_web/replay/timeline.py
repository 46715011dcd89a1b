"""The timeline of a game, for its second bar to seek by: what is marked, and the chart of the scores."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from operator import itemgetter
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import Response, current_app, get_template_attribute, redirect, render_template
from werkzeug.exceptions import NotFound
from werkzeug.wrappers import Response as AnyResponse

from games.core.events import RECORD_KINDS
from games.scene.looks import style
from replay_web.http import packing, security, viewing
from replay_web.http.policy import Pages
from replay_web.http.viewing import link, open_game
from replay_web.models import step_blocks, variations
from replay_web.models.step_view import rows

if TYPE_CHECKING:
    from collections.abc import Hashable

    from eventstore.cache import Cache
    from eventstore.log.history import Runs
    from eventstore.replay.game import Game

bp: Final = Pages("timeline", __name__)

COLUMNS: Final = 400
"""A chart is not drawn finer than this."""
HEIGHT: Final = 200
"""Units from the lowest score to the highest."""
_TONES: Final = 6

Scores = tuple[int, ...]
"""In the order of the seats."""


class Timeline(NamedTuple):
    """What one viewer's fold of a game says of all its steps."""

    runs: Runs
    scores: tuple[tuple[int, Scores], ...]
    """Where they change, from step 0 on; empty where the rules have none."""
    signed: tuple[int, ...]
    """Rulings, and table checks that failed."""


class ScoreLine(NamedTuple):
    """One seat's line of a chart; `heavy` tells more than six apart."""

    name: str
    tone: str
    heavy: bool
    path: str
    first: int
    last: int


class Chart(NamedTuple):
    """The scores of all seats, drawn from step 0 to the last one."""

    steps: int
    lines: tuple[ScoreLine, ...]
    low: int
    high: int
    height: int = HEIGHT


class TimelineAnswer(msgspec.Struct, frozen=True):
    """What the page's script gets, once a game and again when there is something new."""

    seq: int
    steps: int
    marked: tuple[int, ...]
    """Steps with a note, a mark, a ruling, a check that failed, a correction or a what-if."""
    leads: dict[int, str]
    """Steps at which somebody takes the lead, and what to say there."""
    chart: str
    """Markup; empty where no score changes."""


@bp.page("/games/<game>/course", json="asked")
def timeline(game: str) -> Response:
    """Give the marked steps and the chart, for the module."""
    opened = open_game(game)
    known = timeline_of(opened)
    drawn = chart_of(opened, known) if len(known.scores) > 1 else None
    markup = str(get_template_attribute("_chart.html", "inline")(drawn)) if drawn else ""
    answer = TimelineAnswer(
        opened.head, opened.steps, tuple(sorted(_noted(opened, known))), _leads(opened, known), markup
    )
    return packing.send(packing.pack(msgspec.json.encode(answer)))


@bp.page("/games/<game>/chart.svg")
def chart(game: str) -> Response:
    """Give the chart of the scores as a file."""
    opened = open_game(game)
    drawn = chart_of(opened, timeline_of(opened))
    if drawn is None:
        raise NotFound
    picture = render_template("chart.svg", chart=drawn, title=viewing.title_of(opened), style=style())
    headers = {"Content-Security-Policy": security.csp_with_style(style())}
    return Response(picture, mimetype="image/svg+xml", headers=headers)


@bp.page("/games/<game>/steps/<int:step>/next-marked")
def next_marked(game: str, step: int) -> AnyResponse:
    """Lead to the next marked step; nowhere where there is none."""
    opened = open_game(game)
    marked = _marked(opened)
    place = bisect_right(marked, viewing.known(opened, step))
    return redirect(link("steps.step", game=game, step=marked[place] if place < len(marked) else step))


@bp.page("/games/<game>/steps/<int:step>/previous-marked")
def previous_marked(game: str, step: int) -> AnyResponse:
    """Lead to the marked step before; nowhere where there is none."""
    opened = open_game(game)
    marked = _marked(opened)
    place = bisect_left(marked, viewing.known(opened, step))
    return redirect(link("steps.step", game=game, step=marked[place - 1] if place else step))


# --- folding -----------------------------------------------------------------------------------------


def timeline_of(game: Game) -> Timeline:
    """Fold a game for its timeline; what is known of the same history is not folded again."""
    kept: Cache[Hashable, Timeline] = current_app.extensions["courses"]
    key = (game.id, game.viewer)
    known = kept.get(key)
    shared = 0 if known is None else known.runs.common(game.runs)
    if known is None or shared < max(len(known.runs), len(game.runs)):
        scores = [] if known is None else [change for change in known.scores if change[0] < shared]
        signed = [] if known is None else [step for step in known.signed if step < shared]
        for position in game.positions(shared):
            if position.ruleset is None or not position.readable:
                continue
            found = position.ruleset.scores(position.state)
            now = tuple(found.get(seat, 0) for seat in game.seats) if found else ()
            if now and (not scores or scores[-1][1] != now):
                scores.append((position.step, now))
            if position.kind in RECORD_KINDS and any(row.sign for row in rows([position], game.names)):
                signed.append(position.step)
        known = Timeline(game.runs, tuple(scores), tuple(signed))
        kept.put(key, known)
    return known


def _marked(game: Game) -> list[int]:
    known = timeline_of(game)
    return sorted(_noted(game, known) | _leads(game, known).keys())


def _noted(game: Game, known: Timeline) -> set[int]:
    """Give the steps that somebody marked or began a what-if at, and those that were another at first."""
    noted = {step for step in step_blocks.notes_by_step(game) if step is not None}
    late = (
        {step for step, seq in enumerate(game.runs) if game.history.came_late(seq)} if game.amended else set()
    )
    forks = {step for step in variations.leaving(game) if step is not None}
    return {*known.signed} | noted | late | forks


def _leads(game: Game, known: Timeline) -> dict[int, str]:
    """Say who takes the lead where: alone ahead, and another than was so before."""
    leader = None
    found = {}
    for step, scores in known.scores:
        ahead = [seat for seat, score in zip(game.seats, scores, strict=True) if score == max(scores)]
        if len(ahead) > 1 or ahead[0] == leader:
            continue
        if leader is not None:
            found[step] = f"{game.names[ahead[0]]} takes the lead"
        leader = ahead[0]
    return found


# --- drawing -----------------------------------------------------------------------------------------


def chart_of(game: Game, known: Timeline) -> Chart | None:
    """Draw the scores; None where the rules know of none."""
    if not known.scores:
        return None
    figures = [score for _, scores in known.scores for score in scores]
    low, high = min(figures), max(figures)
    lines = []
    for number, (seat, tone) in enumerate(zip(game.seats, _tones(game), strict=True)):
        mine = [(step, scores[number]) for step, scores in known.scores]
        path = outline(mine, game.steps, low, high)
        lines.append(ScoreLine(game.names[seat], tone, number >= _TONES, path, mine[0][1], mine[-1][1]))
    return Chart(game.steps, tuple(lines), low, high)


def outline(changes: Sequence[tuple[int, int]], last: int, low: int, high: int) -> str:
    """Draw the steps of one line; of a long game the lowest, the highest and the last score of each column.

    >>> outline([(0, 0), (3, 10), (4, 5)], 6, 0, 10)
    'M0 200H3V0H4V100H6'
    """
    wide = last // COLUMNS + 1
    columns = groupby(changes, lambda change: change[0] // wide)
    drawn = [(column * wide, list(map(itemgetter(1), inside))) for column, inside in columns]
    heights = [(x, [_height(score, low, high) for score in _shape(scores)]) for x, scores in drawn]
    return "".join(_strokes(heights)) + f"H{last}"


def _shape(scores: Sequence[int]) -> tuple[int, ...]:
    return (scores[0],) if len(scores) == 1 else (min(scores), max(scores), scores[-1])


def _height(score: int, low: int, high: int) -> int:
    return round(HEIGHT * (high - score) / (high - low)) if high > low else HEIGHT


def _strokes(heights: Sequence[tuple[int, Sequence[int]]]) -> Iterator[str]:
    (start, (at, *more)), *rest = heights
    yield f"M{start} {at}"
    for x, ups in [(start, more), *rest]:
        new = [y for y, before in zip(ups, [at, *ups], strict=False) if y != before]
        if new:
            yield f"H{x}" + "".join(f"V{y}" for y in new)
            at = new[-1]


def _tones(game: Game) -> tuple[str, ...]:
    """Give each seat the colour that is its own on the board; where there is none, one by its place."""
    scene = game.position(0).scene()
    owned: Mapping[str, set[str]] = {seat: set() for seat in game.seats}
    for counter in scene.counters if scene is not None else ():
        if counter.owner is not None and counter.owner in owned and counter.tone.isdecimal():
            owned[counter.owner].add(counter.tone)
    tones = ["".join(mine) for mine in owned.values() if len(mine) == 1]
    by_place: list[Any] = [str(number % _TONES) for number in range(len(game.seats))]
    return tuple(tones if len(set(tones)) == len(game.seats) else by_place)
