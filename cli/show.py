"""One moment of a game: the board, what happened last, who is to act."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli._options import GAME_AT, SEEN_BY, command, split_step
from cli._seats import viewer_of
from cli._shell import Shell, columns, print_json
from cli._views import board, closing_line, due_lines, heading, step_lines

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.moment import Moment
    from eventstore.tabletape import Tabletape


@command("Look", examples=("show h4x9", "show h4x9@12 --as p1"))
@GAME_AT
@SEEN_BY
@click.option("--setup", is_flag=True, help="With --json: what never changes (cards, board, options) too.")
def show(shell: Shell, game: str, viewer: str, setup: bool) -> None:
    """Show GAME as it stands, or as it stood after a step."""
    prefix, step = split_step(game)
    with shell.reading() as store:
        found = store.catalogue.resolve(prefix)
        moment = store.replayer.at(found, step, viewer_of(store, found, viewer))
        if shell.json:
            print_json(moment_json(store, moment, setup=setup))
        else:
            click.echo("\n".join(_lines(store, moment)))


def moment_json(store: Tabletape, moment: Moment, *, setup: bool = False) -> dict[str, Any]:
    """Give `{game, ruleset, version, step, steps, seq, head, caption, pending, outcome, amended, state}`."""
    whole = store.replayer.tape(moment.game, moment.viewer)
    return {
        "game": moment.game,
        "ruleset": whole.ruleset_id,
        "version": whole.version,
        "step": moment.step,
        "steps": moment.steps,
        "seq": moment.seq,
        "head": whole.head.seq,
        "caption": moment.caption(whole.names),
        "pending": [
            {"seat": item.seat, "kinds": item.kinds, "must": item.must, "why": item.why}
            for item in moment.pending()
        ],
        "outcome": moment.outcome(),
        "amended": whole.amended,
        "state": _state(moment, setup=setup),
    }


def _state(moment: Moment, *, setup: bool) -> dict[str, Any] | None:
    plain = moment.plain()
    if plain is None or not setup:
        return plain
    import msgspec

    return {"setup": msgspec.to_builtins(moment.state.setup), **plain}


def _lines(store: Tabletape, moment: Moment) -> Iterator[str]:
    whole = store.replayer.tape(moment.game, moment.viewer)
    names = whole.names
    yield heading(moment, names)
    if whole.amended:
        yield "This record was amended; `tabletape cat --raw` has the original lines."
    yield ""
    scene = moment.scene()
    if scene is not None:
        yield board(scene, names)
        yield ""
    notes = store.notes.told(moment.game, moment.viewer).get(moment.step, [])
    yield from step_lines(moment, names, notes, min(columns(), 100))
    outcome = moment.outcome()
    yield from [closing_line(moment, outcome, names)] if outcome else due_lines(moment.pending(), names)
