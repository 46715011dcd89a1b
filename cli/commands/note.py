"""Comments, marks and tags on a step."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.shell.options import GAME_AT, Word, command, split_step
from cli.shell.output import Shell, print_json, tell
from cli.shell.views import note_line

if TYPE_CHECKING:
    from eventstore.log.note import Note
    from eventstore.replay.game import Game
    from eventstore.store import Store


@command(
    "Record",
    writes=True,
    examples=("note h4x9@12 --text 'Bo never saw it coming' --glyph '!!'", "note h4x9"),
)
@GAME_AT
@click.option("--text", metavar="T", help="The comment.")
@click.option("--glyph", metavar="G", help="! ? !! ?? !? or ?!; empty takes it away.")
@click.option("--tag", "tags", metavar="T", multiple=True, help="A tag; may be repeated.")
@click.option("--edit", metavar="ID", type=Word(), help="Change this note; what is not given stays.")
@click.option("--remove", metavar="ID", type=Word(), help="Take this note away.")
def note(
    shell: Shell,
    game: str,
    edit: str | None,
    remove: str | None,
    after: int | None,
    command_id: str | None,
    by: str,
    **said: Any,
) -> None:
    """Write a note on a step of GAME, or list the notes.

    The step is the last one unless named; with nothing to write, the notes are listed.
    """
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import RemoveNote, WriteNote

    given = {name: value for name, value in said.items() if value not in {None, ()}}
    _agree(given, edit, remove)
    prefix, step = split_step(game)
    if not given and remove is None:
        _list(shell, prefix, step)
        return
    with shell.writing() as store:
        found = store.catalogue.resolve(prefix)
        opened = store.game(found)
        came = store.note_by(opened, command_id)
        sent: dict[str, Any] = {"id": command_id, "after": after}
        if remove is not None:
            done, what = store.do(found, RemoveNote(remove, **sent), Actor(by)).result, "Took away"
        elif edit is not None:
            done, what = _edit(store, opened, edit, given, sent, by), "Changed"
        else:
            seq = came.seq if came is not None and _stood(opened, came, step) else None
            if seq is None:
                seq = opened.position(step).seq
            done, what = store.do(found, WriteNote(seq, **given, **sent), Actor(by)).result, "Noted"
    shell.answer({"game": found, "note": done.id, "seq": done.seq}, f"{what}: {note_line(done)}")


def _agree(given: dict[str, Any], edit: str | None, remove: str | None) -> None:
    if remove is not None and (given or edit is not None):
        raise click.UsageError("--remove takes a note away: give it alone.")
    if edit is not None and not given:
        raise click.UsageError("Say what to change: --text, --glyph or --tag.")


def _edit(
    store: Store, game: Game, note_id: str, given: dict[str, Any], sent: dict[str, Any], by: str
) -> Note:
    """Write a note anew, what is not given as it was."""
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import WriteNote
    from eventstore.refusals import UnknownNote

    known = store.notes_before(game, sent["id"]).all_notes
    old = next((item for item in known if item.id == note_id), None)
    if old is None:
        raise UnknownNote(game.id, note_id)
    kept = {"text": old.text, "glyph": old.glyph, "tags": old.tags}
    command = WriteNote(old.seq, **(kept | given), note=note_id, replaces=old.version, **sent)
    done: Note = store.do(game.id, command, Actor(by)).result
    return done


def _stood(game: Game, note: Note, step: int | None) -> bool:
    """Tell whether the event of a note ever stood at this step, so that this can be what was asked for."""
    heads = range(note.seq, game.head + 1)
    return step is None or any(game.history.at(head).index_of(note.seq) == step for head in heads)


def _list(shell: Shell, prefix: str, step: int | None) -> None:
    with shell.reading() as store:
        game = store.game(store.catalogue.resolve(prefix))
        if step is not None:
            game.must_know(step)
        placed = [
            (at, item)
            for at, items in game.all_notes_by_step().items()
            for item in items
            if step in {None, at}
        ]
    placed.sort(key=lambda pair: (pair[0] is None, pair[0] or 0, pair[1].id))
    if shell.json:
        print_json([_plain(at, item) for at, item in placed])
    elif not placed:
        tell("No notes here. --text, --glyph or --tag write one.")
    for at, item in [] if shell.json else placed:
        where = "no step now" if at is None else f"step {at}"
        click.echo(f"{where:>9}  {note_line(item)}")


def _plain(step: int | None, item: Note) -> dict[str, Any]:
    return {
        "note": item.id,
        "step": step,
        "seq": item.seq,
        "at": item.at,
        "by": item.by,
        "text": item.text,
        "glyph": item.glyph,
        "tags": item.tags,
    }
