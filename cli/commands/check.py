"""Compare the record with the real table."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from cli.shell.answers import answer_json, place, sent
from cli.shell.options import GAME, command, key_values, whole
from cli.shell.output import Shell, brief, columns, paint, plain, print_json, tell
from cli.shell.seats import keys_of, legend
from cli.shell.views import said

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.recording.commands import Answer
    from eventstore.recording.table_checks import Drift
    from eventstore.replay.game import Game
    from eventstore.store import Store

LISTED = 12
"""So many steps of a stretch are written out."""
LONGEST_LISTED = 24
"""Columns kept for what lies at a place."""
LONGEST = 200
"""Characters of what a place of the table may be claimed to hold."""


def _claims(ctx: click.Context, parameter: click.Parameter, given: tuple[str, ...]) -> dict[str, Any]:
    """Read what is claimed: numbers, or words as a table has them."""
    from games.core.serialization import is_small

    claims = key_values(ctx, parameter, given)
    for at, value in claims.items():
        if not isinstance(value, str):
            continue
        if len(value) > LONGEST:
            raise click.BadParameter(f"{brief(value)} is more than can lie at {plain(at)}.", ctx, parameter)
        if value.removeprefix("-").isdecimal():
            claims[at] = whole(value)
            if claims[at] is None or not is_small(claims[at]):
                why = f"{brief(value)} is no number that can lie at {plain(at)}."
                raise click.BadParameter(why, ctx, parameter)
    return claims


@command("Record", writes=True, examples=("check h4x9 cash.p1=740 deck=12", "check h4x9"))
@GAME
@click.argument("claims", metavar="[KEY=VALUE]...", nargs=-1, callback=_claims)
def check(shell: Shell, game: str, claims: dict[str, Any], **asked: Any) -> None:
    """Record what lies on the table, as in cash.p1=740, and say where the record drifted from it.

    Without KEY=VALUE, the keys are listed with what the record has.
    """
    if not claims:
        _list(shell, game)
        return
    with shell.writing() as store:
        found = store.catalogue.resolve(game)
        now = store.game(found)
        scene = now.position().scene()
        known = {} if scene is None else dict(scene.values())
        claims = keys_of(claims, known, now.names)
        answer = _checked(store, found, claims, asked)
        wrong = {drift.at for drift in answer.result.drifts}
        holds = [at for at in claims if at not in wrong]
        if shell.json:
            print_json({**answer_json(answer), "holds": holds, "drifts": answer.result.drifts})
        else:
            click.echo("\n".join(_lines(answer, holds, claims)))


def _checked(store: Store, game: str, claims: dict[str, Any], asked: dict[str, Any]) -> Answer:
    from eventstore.access.actor import Actor
    from eventstore.recording.commands import Check

    try:
        return store.do(game, Check(claims, **sent(asked)), Actor(asked["by"]))
    except Exception as error:
        if getattr(error, "code", "") == "unknown-claim" and hasattr(error, "sentence"):
            error.sentence = f"{error.sentence} `tabletape check {game}` lists all."
        raise


def _list(shell: Shell, game: str) -> None:
    from cli.shell.views import shown
    from games.text.wording import put_names

    with shell.reading() as store:
        found = store.catalogue.resolve(game)
        now = store.game(found)
        scene, names = now.position().scene(), now.names
    values = {} if scene is None else dict(scene.values())
    if shell.json:
        print_json(values)
        return
    called = dict(() if scene is None else scene.labels())
    wide = max(map(len, values), default=0)
    column = min(LONGEST_LISTED, max((len(_text(value)) for value in values.values()), default=0))
    tell(f"{legend(names)}; a name may stand for its seat, as in check {found} KEY.NAME=VALUE. – is empty.")
    for key, value in values.items():
        lies = "–" if value is None else plain(str(value))
        said = put_names(called.get(key, key), shown(names))
        click.echo(f"{plain(key):{wide}}  {lies:{column}}  {plain(said)}".rstrip())


def _lines(answer: Answer, holds: list[str], claims: dict[str, Any]) -> Iterator[str]:
    for at in holds:
        yield f"{plain(at)} is {_text(claims[at])}, as recorded."
    listed: set[int | None] = set()
    for drift in answer.result.drifts:
        yield _drifted(drift)
        if drift.since not in listed:
            yield from _stretch(answer.game, drift)
        listed.add(drift.since)
    yield f"Checked. Now at {place(answer)}{' (this command was recorded before)' * answer.repeated}."


def _drifted(drift: Drift) -> str:
    from games.text.wording import drifted

    claimed, recorded = _text(drift.claimed), _text(drift.recorded)
    head = f"{plain(drift.at)} is {claimed} on the table, and the record has {recorded}"
    held = f"it held at the check of step {drift.since}"
    since = "no check of it held before" if drift.since is None else held
    lead = paint("Drifted", fg="red", bold=True)
    return f"{lead}: {head}; {since}{drifted(drift.since, drift.step)}"


def _stretch(game: Game, drift: Drift) -> Iterator[str]:
    first, last = drift.stretch
    if 0 <= last - first < LISTED:
        for position in game.positions(first, last):
            yield f"  {position.step:>5}  {said(position, game.names)[: columns() - 9]}"


def _text(value: Any) -> str:
    return "empty" if value is None else plain(str(value))
