"""What the pages of the steps share: blocks of the move list, notes, marks and panels, kept where it pays."""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

from flask import current_app, get_template_attribute

from eventstore.library import variations
from eventstore.library.sittings import sittings
from replay_web.http.viewing import may_write_notes, opened_store
from replay_web.models.step_view import Panels, Row, StepView, rows

if TYPE_CHECKING:
    from collections.abc import Container

    from eventstore.cache import Cache
    from eventstore.log.note import Note
    from eventstore.replay.game import Game
    from replay_web.models.variations import LeavingVariation

BLOCK: Final = 64
"""Steps in a block: of the move list, and of what the module loads at once."""
_NONE: Final[Mapping[int, Any]] = MappingProxyType({})


def block_rows(game: Game, block: int) -> list[Row]:
    """Give the move list's lines of one block; made once for each head, viewer and set of names."""
    kept: Cache[Hashable, list[Row]] = current_app.extensions["rows"]

    def make() -> list[Row]:
        first = block * BLOCK
        return list(rows(game.positions(first, first + BLOCK - 1), game.names))

    return kept.made((*identity(game), block), make)


def sittings_by_step(game: Game) -> dict[int, str]:
    """Give the lines that divide the move list where a later sitting begins; found once for each head."""
    about = game.details
    kept: Cache[Hashable, dict[int, str]] = current_app.extensions["sittings"]

    def make() -> dict[int, str]:
        found = {sitting.step: sitting.label() for sitting in sittings(game)[1:]}
        behind = variations.left_at(game)
        if behind is not None:
            found[behind + 1] = "What if, from here"
        return found

    return kept.made((game.head, game.prefix(game.steps), about.time_zone, about.played_on), make)


def notes_by_step(game: Game) -> Mapping[int | None, list[Note]]:
    """Give the notes that the viewer may read, by step; None holds those without a place."""
    return opened_store().notes_by_step(game)


def marks_of(
    game: Game, notes: Mapping[int | None, list[Note]], row: Row, leaving: Container[int | None] = ()
) -> str:
    """Give the short signs of a step: glyphs and a pen for its notes, a word for what is special about it."""
    mine = notes.get(row.step, ())
    glyphs = [note.glyph for note in mine if note.glyph]
    pen = ["✎"] if any(note.text for note in mine) else []
    amended = ["amended"] if game.history.came_late(row.seq) else []
    what_if = ["what if"] if row.step in leaving else []
    return " ".join((*glyphs, *pen, *filter(None, [row.sign]), *amended, *what_if))


def panels(
    game: Game, notes: Mapping[int | None, list[Note]], leaving: Mapping[int, list[LeavingVariation]] = _NONE
) -> Panels:
    """Give the markup round the board, from the same macros as the page's."""
    panel = get_template_attribute("_panels.html", "panel")
    listed = get_template_attribute("_panels.html", "notes")
    figures = get_template_attribute("_panels.html", "figures")
    may_write = may_write_notes(game)

    def notes_of(item: StepView) -> str:
        return str(listed(notes.get(item.row.step, ()), item.row.step, game.id, may_write))

    return Panels(
        panel=lambda item: str(
            panel(item, game.id, game.history.came_late(item.seq), leaving.get(item.row.step, ()))
        ),
        notes=notes_of,
        figures=lambda item: str(figures(item)),
        marks=lambda row: marks_of(game, notes, row, leaving),
    )


def identity(game: Game) -> tuple[Hashable, ...]:
    """Name all that a game's pages are made from, but for who may write; it stays inside the server."""
    return game.head, game.prefix(game.steps), game.viewer, tuple(sorted(game.names.items()))
