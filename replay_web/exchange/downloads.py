"""A game as files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final

from flask import Response

from eventstore.formats.csv import export_csv
from eventstore.formats.record_file import export_tape
from games.core.ruleset import EVERYTHING
from replay_web.http.attachments import disposition
from replay_web.http.bidi import bare
from replay_web.http.policy import Pages
from replay_web.http.viewing import open_tape, tabletape, title_of

if TYPE_CHECKING:
    from eventstore.replay.game import Game

pages: Final = Pages("downloads", __name__)


@pages.page("/games/<game>.tape.jsonl", json="always")
def tape_file(game: str) -> Response:
    """Give the record as the asker may know it, without loss."""
    tape = open_tape(game)
    lines = export_tape(tabletape(), game, tape.viewer)
    return _file(lines, tape, "tape.jsonl", "application/x-ndjson")


@pages.page("/games/<game>.csv", json="always")
def table_file(game: str) -> Response:
    """Give the steps as a table."""
    tape = open_tape(game)
    lines = (line.encode() for line in export_csv(tabletape(), game, tape.viewer))
    return _file(lines, tape, "csv", "text/csv")


def _file(lines: Iterable[bytes], tape: Game, ending: str, kind: str) -> Response:
    eyes = "" if tape.viewer == EVERYTHING else f" as {tape.viewer}"
    name = f"{bare(title_of(tape))}{eyes}.{ending}"
    plain = f"{tape.id}{'' if tape.viewer == EVERYTHING else f'~{tape.viewer}'}.{ending}"
    # Read to the end before the answer begins: damage is then a refusal, and not a file that is cut off.
    response = Response(b"".join(lines), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = disposition(plain, name)
    return response
