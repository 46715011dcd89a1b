"""Stretches of steps for the module, as JSON."""

from __future__ import annotations

from collections.abc import Hashable
from typing import TYPE_CHECKING, Final

import msgspec
from flask import Response, current_app, request

from replay_web.http import packing
from replay_web.http.errors import BadQuery
from replay_web.http.params import within
from replay_web.http.policy import Pages
from replay_web.http.viewing import hides_later, may_write_notes, open_game
from replay_web.models import step_blocks, variations
from replay_web.models.step_view import chunk, step_views

if TYPE_CHECKING:
    from eventstore.cache import Cache

bp: Final = Pages("frames", __name__)
MOST: Final = 256
"""Steps in one answer."""


@bp.page("/games/<game>/frames", json="always")
def frames(game: str) -> Response:
    """Give the steps `from` to `to`, both included."""
    opened = open_game(game)
    first, last = _whole("from", 0), _whole("to", step_blocks.BLOCK - 1)
    if not 0 <= first <= last < first + MOST:
        raise BadQuery(f"Ask for 1 to {MOST} steps in order, not from {first} to {last}.")
    notes = step_blocks.notes_by_step(opened)
    wanted = {step: tuple(notes.get(step, ())) for step in range(first, last + 1) if step in notes}
    begins = {
        step: label for step, label in step_blocks.sittings_by_step(opened).items() if first <= step <= last
    }
    leaves = {
        step: variations.named(opened, found)
        for step, found in variations.leaving(opened).items()
        if step is not None and first <= step <= last
    }
    noted = msgspec.json.encode((wanted, leaves))
    key = (
        *step_blocks.identity(opened),
        first,
        last,
        noted,
        tuple(begins.items()),
        may_write_notes(opened),
        hides_later(),
    )
    kept: Cache[Hashable, bytes] = current_app.extensions["chunks"]

    def make() -> bytes:
        positions = opened.positions(first, last)
        round_it = step_blocks.panels(opened, notes, leaves)
        made = chunk(opened.id, opened.viewer, opened.steps, step_views(positions, opened.names), round_it)
        made = msgspec.structs.replace(made, seq=opened.head, sittings=begins)
        return packing.pack(msgspec.json.encode(made))

    return packing.send(kept.made(key, make))


def _whole(name: str, default: int) -> int:
    return within(request.args.get(name, str(default)), f"The step {name!r} is", 0)
