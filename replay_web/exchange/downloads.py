"""A game as files."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Final
from urllib.parse import quote

from flask import Blueprint, Response

from eventstore.formats.csv import export_csv
from eventstore.formats.record_file import export_tape
from games.core.ruleset import EVERYTHING
from replay_web.http.bidi import bare
from replay_web.http.viewing import open_tape, tabletape, title_of

if TYPE_CHECKING:
    from eventstore.replay.game import Tape

pages: Final = Blueprint("downloads", __name__)


@pages.get("/games/<game>.tape.jsonl")
def tape_file(game: str) -> Response:
    """Give the record as the asker may know it, without loss."""
    tape = open_tape(game)
    lines = export_tape(tabletape(), game, tape.viewer)
    return _file(lines, tape, "tape.jsonl", "application/x-ndjson")


@pages.get("/games/<game>.csv")
def table_file(game: str) -> Response:
    """Give the steps as a table."""
    tape = open_tape(game)
    lines = (line.encode() for line in export_csv(tabletape(), game, tape.viewer))
    return _file(lines, tape, "csv", "text/csv")


def _file(lines: Iterable[bytes], tape: Tape, ending: str, kind: str) -> Response:
    eyes = "" if tape.viewer == EVERYTHING else f" as {tape.viewer}"
    name = f"{bare(title_of(tape))}{eyes}.{ending}"
    plain = f"{tape.game}{'' if tape.viewer == EVERYTHING else f'~{tape.viewer}'}.{ending}"
    # Read to the end before the answer begins: damage is then a refusal, and not a file that is cut off.
    response = Response(b"".join(lines), content_type=f"{kind}; charset=utf-8")
    response.headers["Content-Disposition"] = disposition(plain, name)
    return response


def disposition(plain: str, name: str) -> str:
    """Write a file name for old programs and the full one as RFC 5987 has it.

    >>> disposition("k3m9.csv", 'Ann "the fox" – Bø.csv')
    "attachment; filename=k3m9.csv; filename*=UTF-8''Ann%20%22the%20fox%22%20%E2%80%93%20B%C3%B8.csv"
    """
    safe = "".join(letter if letter.isprintable() and letter not in "/\\:*?<>|" else "_" for letter in name)
    return f"attachment; filename={plain}; filename*=UTF-8''{quote(safe, safe='')}"
