"""The raw log of a game: every line, also what was undone, replaced or taken out, and what brings it back."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import groupby, islice
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import msgspec
from flask import make_response, render_template, request
from werkzeug.wrappers import Response

from eventstore.errors import Conflict
from eventstore.recording.commands import Restore
from eventstore.refusals import UndoPastDraw
from eventstore.replay.disclosure import shown_to
from games.core.events import REWRITING_KINDS
from games.core.ruleset import TABLE
from games.words import counted
from replay_web.http import forms, viewing
from replay_web.http.forms import Number, RecordingForm, Yes
from replay_web.http.params import within
from replay_web.http.policy import Pages, seeing_all
from replay_web.http.viewing import link, open_game
from replay_web.models import refusals
from replay_web.models.step_blocks import block_rows
from replay_web.models.step_view import Row

if TYPE_CHECKING:
    from eventstore.log.history import History, Line
    from eventstore.log.rows import StoredEvent
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position

bp: Final = Pages("history", __name__)

PAGE: Final = 128
"""Lines of the log on one page: two blocks of the move list."""
LISTED: Final = 12
"""Steps of a line that was left, written out."""
LOOKED_AT: Final = 400
"""Steps of an undone stretch that are searched for cards that became known."""


class LogLine(NamedTuple):
    """A line of the raw log."""

    seq: int
    at: str
    by: str
    caption: str
    fate: str
    """What has become of it: shown, replaced, removed, undone, or itself a rewrite."""
    step: int | None
    """Where it, or what replaced it, now is."""
    mark: str
    shown_to: str
    """For an undo: who had seen a card meanwhile."""


class LeftLine(NamedTuple):
    """A line of play that was left."""

    tip: int
    fork: int
    length: int
    steps: tuple[tuple[int, str], ...]
    shown_to: str


class RestoreForm(RecordingForm, frozen=True, kw_only=True):
    """Which line comes back: the game after event `to`; `again` also where dealt cards go."""

    to: Number
    again: Yes | None = None


@bp.page("/games/<game>/history")
def page(game: str) -> Response:
    """Show the raw log, the last page first; a restricted viewer gets the steps as they see them."""
    opened = open_game(game)
    if not viewing.shows_all(opened):
        return _told(opened)
    return _page_of(opened, None)


@bp.page("/games/<game>/restore", form=RestoreForm, who=seeing_all("A record is corrected"), json="asked")
def restore(game: str) -> Response:
    """Make the game again what it was after an event (`to`), whatever came since; `again`: dealt cards go."""
    opened, asked = open_game(game), forms.read(RestoreForm)
    to, since = asked.to, asked.after
    again, command = asked.again is not None, forms.command()
    try:
        done = viewing.do(opened, Restore(to, again=again, after=since, id=command))
    except Conflict:
        now = open_game(game)
        return _page_of(now, refusals.clash(now, since))
    except UndoPastDraw as refusal:
        return _page_of(opened, refusals.refusal_of(opened, refusal), asks_for=to)
    return refusals.done(done, link("steps.step", game=game, step=done.step))


def _page_of(game: Game, refusal: refusals.Refusal | None, *, asks_for: int | None = None) -> Response:
    number, last = _page(game.head)
    first = (number - 1) * PAGE + 1
    text = render_template(
        "history.html",
        game=game,
        entries=list(_entries(game, first, min(first + PAGE - 1, game.head)))[::-1],
        left=[_left(game, line) for line in reversed(game.lines)],
        page=number,
        pages=last,
        key=forms.fresh_key(),
        may_restore=viewing.may_record(game) and not game.damage,
        title=viewing.title_of(game),
        refusal=refusal,
        asks_for=asks_for,
    )
    return refusals.page_of(text, refusal)


def _page(count: int) -> tuple[int, int]:
    last = max((count + PAGE - 1) // PAGE, 1)
    text = request.args.get("page", "")
    if not text:
        return last, last
    return within(text, "A page of the history is", 1, last), last


def _told(game: Game) -> Response:
    """Give the steps as they were told, and nothing about what became of others."""
    number, last = _page(game.steps + 1)
    blocks = range((number - 1) * 2, number * 2)
    rows: list[Row] = [row for block in blocks for row in block_rows(game, block)]
    text = render_template(
        "disclosure.html", game=game, rows=rows, page=number, pages=last, title=viewing.title_of(game)
    )
    return make_response(text)


# --- lines of the log ----------------------------------------------------------------------------------


def _entries(game: Game, first: int, last: int) -> Iterator[LogLine]:
    rows = game.rows(first, last)
    said = _captions(game, rows)
    for row in rows:
        fate: str = game.history.fate(row.seq, game.head)
        if row.kind in REWRITING_KINDS:
            fate = "rewrite"
        step = None if fate == "rewrite" else game.history.where(row.seq, game.head)
        if fate == "shown" and game.runs.index_of(row.seq) is None:
            fate = "replaced"
        yield LogLine(
            seq=row.seq,
            at=row.recorded_at,
            by=row.by,
            caption=said.get(row.seq) or _rewriting(row),
            fate=fate,
            step=step,
            mark="ruling" if row.kind == "record.ruled" else "",
            shown_to=_undone(game, row) if row.kind == "record.undone" else "",
        )


def _rewriting(row: StoredEvent) -> str:
    """Say what an undo, a redo or an amendment did; of anything else its kind."""
    said: dict[str, Any] = _plain(row.payload)
    match row.kind:
        case "record.undone":
            return f"Undone: the game is again what it was after event {said.get('to')}."
        case "record.redone":
            return f"Brought back: the game is again what it was after event {said.get('to')}."
        case "record.amended":
            return f"Corrected: {_spliced(said.get('edits', []))}.{_why(said.get('reason', ''))}"
        case _:
            return row.kind


def _spliced(edits: list[Mapping[str, Any]]) -> str:
    gone, put = (sum(edit.get(name, 0) for edit in edits) for name in ("drop", "put"))
    return f"{counted(gone, 'step')} taken out, {put} put in"


def _why(reason: str) -> str:
    return f" Why: {reason}" if reason else ""


def _plain(payload: str) -> dict[str, Any]:
    try:
        return msgspec.json.decode(payload, type=dict[str, Any])
    except (msgspec.DecodeError, UnicodeEncodeError):
        return {}


def _captions(game: Game, rows: list[StoredEvent]) -> dict[int, str]:
    """Say of each event what it did when it was recorded, in the game as it then stood."""
    found: dict[int, str] = {}
    for tip, seqs in _stretches(game, [row.seq for row in rows if row.kind not in REWRITING_KINDS]):
        runs = game.history.at(tip)
        steps = {step: seq for seq in seqs if (step := runs.index_of(seq)) is not None}
        if not steps:
            continue
        line = game.at_head(tip).positions(min(steps))
        for position in islice(line, max(steps) - min(steps) + 1):
            if position.step in steps:
                found[steps[position.step]] = position.caption(game.names)
    return found


def _stretches(game: Game, seqs: list[int]) -> Iterator[tuple[int, list[int]]]:
    """Put events together that one version of the game has, with the last event of that version."""
    ends = [_whole(game.history, seq, game.head) for seq in seqs]

    def version(place: int) -> tuple[bool, int]:
        inside = ends[place] != seqs[place]
        return inside, ends[place] if inside else seqs[place] - place

    for (_, _), places in groupby(range(len(seqs)), key=version):
        mine = list(places)
        yield ends[mine[-1]], [seqs[place] for place in mine]


def _whole(history: History, seq: int, head: int) -> int:
    """The event itself; inside an amendment, the last row of it."""
    return next((end for end in range(seq, head + 1) if history.whole(end)), seq)


# --- what was left -------------------------------------------------------------------------------------


def _left(game: Game, line: Line) -> LeftLine:
    positions = list(islice(game.at_head(line.tip).positions(line.fork), LOOKED_AT))
    return LeftLine(
        tip=line.tip,
        fork=line.fork,
        length=len(line.runs) - line.fork,
        steps=tuple((position.step, position.caption(game.names)) for position in positions[:LISTED]),
        shown_to=_who(game, positions),
    )


def _undone(game: Game, row: StoredEvent) -> str:
    """Name who saw a card in what an undo took back: they cannot unsee it."""
    before, after = game.history.at(row.seq - 1), game.history.at(row.seq)
    first = before.common(after)
    line = game.at_head(row.seq - 1).positions(first)
    return _who(game, islice(line, min(len(before) - first, LOOKED_AT)))


def _who(game: Game, positions: Iterator[Position] | list[Position]) -> str:
    names = {TABLE: "everybody", **game.names}
    return ", ".join(names.get(viewer, viewer) for viewer in shown_to(positions))
