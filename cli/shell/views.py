"""How games, boards and log lines look in a terminal."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from cli.shell.output import coloured, columns, legible, paint, plain, plain_wanted
from games.words import counted, joined

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from rich.console import JustifyMethod

    from eventstore.library.catalogue import Entry
    from eventstore.log.note import Note
    from eventstore.replay.game import Game
    from eventstore.replay.position import Position
    from eventstore.store import Store
    from games.core.events import Parent
    from games.core.ruleset import Outcome, Pending
    from games.core.scene import Scene

TONES: Final = (32, 214, 36, 166, 175, 117)
"""The six team colours (Okabe and Ito) among a terminal's 256; the letter beside each says it too."""


# --- games -------------------------------------------------------------------------------------------


def entry_json(entry: Entry) -> dict[str, Any]:
    """Give what `list --json` has of a game."""
    return {
        "game": entry.game,
        "ruleset": entry.ruleset,
        "title": entry.title,
        "seats": entry.seats,
        "played_on": entry.played_on,
        "steps": entry.steps,
        "status": entry.status,
        "result": entry.result,
        "amended": entry.amended,
        "rulings": entry.rulings,
        "failed_checks": entry.failed_checks,
        "parent": entry.parent,
    }


def names_of(entry: Entry) -> dict[str, str]:
    """Give the display name of each seat."""
    from eventstore.replay.seat_names import told_apart

    return told_apart({seat.seat: seat.name for seat in entry.seats})


def shown(names: Mapping[str, str]) -> dict[str, str]:
    """Give names as they may stand in a terminal."""
    return {seat: plain(name) for seat, name in names.items()}


def entry_line(entry: Entry) -> str:
    """One game in one line: id, title or ruleset, who, when."""
    about = (entry.title or entry.ruleset, ", ".join(names_of(entry).values()), entry.played_on)
    return f"{entry.game}  {plain(' · '.join(part for part in about if part))}"


def print_entries(entries: Sequence[Entry]) -> None:
    """Print games as a table; where it goes to no terminal, a line each with tabs between the columns."""
    import sys

    import click

    if not sys.stdout.isatty():
        for entry in entries:
            click.echo("\t".join(_row(entry).values()))
        return
    from rich.box import SIMPLE_HEAD
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    shown = [name for name in COLUMNS if name != "ruleset" or columns() >= WIDE]
    rows = [_row(entry) for entry in entries]
    if "ruleset" not in shown:
        rows = [row | {"title": row["title"] or row["ruleset"]} for row in rows]
    table = Table(box=SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0), header_style="bold")
    for name, width in column_widths([[row[name] for name in shown] for row in rows], shown).items():
        justify: JustifyMethod = "right" if name == "steps" else "left"
        table.add_column(name, width=width, no_wrap=True, overflow="ellipsis", justify=justify)
    for entry, row in zip(entries, rows, strict=True):
        table.add_row(*(Text(row[name]) for name in shown), style="dim" if entry.hidden else "")
    Console(no_color=plain_wanted(), highlight=False, width=columns()).print(table)


COLUMNS: Final = ("game", "ruleset", "title", "players", "played on", "steps", "result")
ELASTIC: Final = ("title", "players")
WIDE: Final = 110
"""From so many columns on the ruleset has one of its own; else it stands where there is no title."""
LONGEST_RESULT: Final = 20


def column_widths(rows: Sequence[Sequence[str]], names: Sequence[str]) -> dict[str, int]:
    """Give each column what it needs; titles and players share what the line has left."""
    from rich.cells import cell_len

    needs = {
        name: max(cell_len(text) for text in (name, *cells))
        for name, cells in zip(names, zip(*rows, strict=True), strict=True)
    }
    needs["result"] = min(needs["result"], LONGEST_RESULT)
    between = 2 * len(names)
    room = columns() - between - sum(need for name, need in needs.items() if name not in ELASTIC)
    first, second = (needs[name] for name in ELASTIC)
    given = min(first, max(room - second, room // 2))
    return needs | dict(zip(ELASTIC, (max(8, given), max(8, min(second, room - given))), strict=True))


def _marks(entry: Entry) -> str:
    marks = [f"what-if of {_parent(entry.parent)}"] if entry.parent else []
    marks += ["amended"] if entry.amended else []
    marks += [counted(entry.rulings, "ruling")] if entry.rulings else []
    marks += [f"{counted(entry.failed_checks, 'check')} failed"] if entry.failed_checks else []
    return "".join(f", {mark}" for mark in marks)


def _row(entry: Entry) -> dict[str, str]:
    from games.text.wording import ending_short

    names = shown(names_of(entry))
    return {
        "game": entry.game,
        "ruleset": entry.ruleset,
        "title": plain(entry.title or ""),
        "players": ", ".join(names.values()),
        "played on": entry.played_on or "",
        "steps": f"{entry.steps}{_marks(entry)}",
        "result": ending_short(entry.result, names) if entry.result else entry.status,
    }


# --- one step ----------------------------------------------------------------------------------------


def board(
    scene: Scene, names: Mapping[str, str], *, width: int | None = None, colours: bool | None = None
) -> str:
    """Draw a scene as text: figures a line a player, then board and zones, pieces in their team's colour."""
    import msgspec

    from games.scene.text import figure_lines, scene_text, shown_counters
    from games.text.wording import put_names

    width = width or min(columns(), 100)
    bare = msgspec.structs.replace(scene, counters=(), headline="")
    text = legible(scene_text(bare, names, width=width))
    if coloured() if colours is None else colours:
        text = tinted(text, scene)
    figures = [legible(line) for line in figure_lines(shown_counters(scene), names, width)]
    return "\n".join((legible(put_names(scene.headline, names)), *figures, *(["", text] if text else [])))


def tinted(text: str, scene: Scene) -> str:
    """Colour each cell of a grid by the team of the piece on it, and dim the empty ones."""
    import re

    labels = {cell.key: cell.label for cell in scene.cells if not cell.name}
    tones = {labels[piece.cell]: piece.tone for piece in scene.pieces if piece.cell in labels}
    if not labels:
        return text
    longest_first = sorted(labels.values(), key=len, reverse=True)
    token = re.compile(rf"(?<!\S)({'|'.join(map(re.escape, longest_first))})(:\S+)?(?=\s|$)")

    def colour(found: re.Match[str]) -> str:
        if found[2] is None:
            return f"\x1b[2m{found[0]}\x1b[0m"
        tone = tones.get(found[1], "")
        number = TONES[int(tone)] if tone.isdigit() and int(tone) < len(TONES) else None
        return f"\x1b[1;38;5;{number}m{found[0]}\x1b[0m" if number else f"\x1b[1m{found[0]}\x1b[0m"

    return token.sub(colour, text)


def due_lines(pending: Sequence[Pending], names: Mapping[str, str]) -> list[str]:
    """Say who must act and why, then in one line a kind who may."""
    names = shown(names)
    must = [line for line, _ in must_lines(pending, names)]
    may: dict[str, list[str]] = {}
    for item in pending:
        if not item.must:
            may.setdefault(_reason(item, names), []).append(names.get(item.seat, item.seat))
    return [*must, *(paint(_may(what, who), dim=True) for what, who in may.items())]


def _may(what: str, who: Sequence[str]) -> str:
    """Say who may do what; a reason that names its own subject needs no other.

    >>> _may("Bo draws", ["chance"]), _may("Bo draws", ["Bo"]), _may("may resign", ["Ann", "Bo"])
    ('Possible: Bo draws', 'Possible: Bo draws', 'Ann, Bo may resign')
    """
    from games.core.ruleset import CHANCE

    if who == [CHANCE] or any(what.startswith(f"{name} ") for name in who):
        return f"Possible: {what}"
    return f"{', '.join(who)} {what if what.startswith('may ') else f'may: {what}'}"


def must_lines(pending: Sequence[Pending], names: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    """Say of each seat that holds the game up what it must do; give the seat too."""
    from games.text.wording import due_text

    names = shown(names)
    for seat in dict.fromkeys(item.seat for item in pending if item.must):
        said = "; ".join(_reason(item, names) for item in pending if item.must and item.seat == seat)
        name, rest = due_text(seat, said, names)
        yield f"{paint(name, bold=True) if name else ''}{rest}", seat


def _reason(item: Pending, names: Mapping[str, str]) -> str:
    from games.text.wording import put_names

    return plain(put_names(item.why, names)) or spoken(item.kinds)


def spoken(kinds: Sequence[str]) -> str:
    """Name kinds of events as words.

    >>> spoken(("creature_moved", "turn_ended"))
    'creature moved or turn ended'
    """
    return joined((kind.replace("_", " ") for kind in kinds), "or")


def heading(position: Position, names: Mapping[str, str], width: int | None = None) -> str:
    """The line above a board: what, who, which game, which step."""
    title = position.ruleset.title if position.ruleset is not None else "Only text"
    who = plain(", ".join(names.values()))
    right = f"{position.game}  step {position.step} of {position.steps}"
    gap = max(2, (width or min(columns(), 100)) - len(title) - len(who) - len(right) - 2)
    return f"{paint(title, bold=True)}  {who}{' ' * gap}{right}"


def headings(
    position: Position, names: Mapping[str, str], parent: Parent | None, width: int | None = None
) -> list[str]:
    """The lines above a board: the heading; of a variation, whose it is."""
    return [heading(position, names, width), *([paint(what_if(parent), bold=True)] if parent else [])]


def what_if(parent: Parent) -> str:
    """Say whose variation a game is, and where it leaves.

    >>> from games.core.events import Parent
    >>> print(what_if(Parent("friday", 20, 12)))
    A what-if of friday from step 12.
    """
    return f"A what-if of {_parent(parent)} from step {parent.step}."


def _parent(parent: Parent) -> str:
    return plain(parent.game[:64])  # what was imported may hold anything


def said(position: Position, names: Mapping[str, str]) -> str:
    """Say what happened at a step, fit for a terminal; a ruling loudly."""
    text = legible(position.caption(names)).replace("\n", " ")
    return f"RULING{text.removeprefix('Ruling')}" if position.kind == "record.ruled" else text


def step_lines(
    position: Position, names: Mapping[str, str], notes: Sequence[Note], width: int
) -> Iterator[str]:
    """Say what happened at a step and what was noted about it, in lines that fit."""
    from textwrap import wrap

    lead = f"Step {position.step}"
    first, *rest = wrap(f"{lead}  {said(position, names)}", width, subsequent_indent=" " * (len(lead) + 2))
    yield f"{paint(lead, bold=True)}{first.removeprefix(lead)}"
    yield from rest
    for note in notes:
        for line in wrap(note_line(note), width, initial_indent="  ", subsequent_indent="      "):
            yield paint(line, fg="cyan")
    if position.fault:
        yield from wrap(plain(f"Shown as text: {position.fault}"), width)


def note_line(note: Note) -> str:
    """One note: its mark, text and tags, and the id that edits it."""
    tags = " ".join(f"#{tag}" for tag in note.tags)
    parts = (note.glyph or "", legible(" ".join(note.text.split())), legible(tags))
    return f"{'  '.join(part for part in parts if part)}  ({note.id})"


def closing_line(position: Position, outcome: Outcome, names: Mapping[str, str]) -> str:
    """The result, in bold."""
    from games.text.wording import ending

    return paint(plain(ending(outcome, names, position.ruleset)), bold=True)


def position_json(store: Store, whole: Game, position: Position, *, setup: bool = False) -> dict[str, Any]:
    """Give what `show --json` has of a step; `reference/commands.py` lists it."""
    return {
        "game": position.game,
        "ruleset": whole.ruleset_id,
        "version": whole.version,
        "step": position.step,
        "steps": position.steps,
        "seq": position.seq,
        "head": whole.head,
        "caption": position.caption(whole.names),
        "pending": [
            {"seat": item.seat, "kinds": item.kinds, "must": item.must, "why": item.why}
            for item in position.pending()
        ],
        "outcome": position.outcome(),
        "amended": whole.amended,
        "parent": whole.parent,
        "variations": [one.game for one in store.variations(position.game)],
        "state": _state(position, setup=setup),
    }


def _state(position: Position, *, setup: bool) -> dict[str, Any] | None:
    plain = position.plain()
    if plain is None or not setup:
        return plain
    import msgspec

    return {"setup": msgspec.to_builtins(position.state.setup), **plain}
