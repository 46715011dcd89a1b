"""A game as files."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from flask import Response
from flask.sansio.blueprints import BlueprintSetupState

from eventstore.formats import registry
from eventstore.formats.registry import Format
from games.core.ruleset import EVERYTHING
from replay_web.http.attachments import disposition
from replay_web.http.bidi import bare
from replay_web.http.policy import Pages
from replay_web.http.viewing import open_game, opened_store, title_of

bp: Final = Pages("downloads", __name__)


@bp.record_once
def _teach(state: BlueprintSetupState) -> None:
    """Let the page of a step link to every format."""
    state.app.jinja_env.globals["formats"] = registry.installed().values


def _page_of(wanted: Format) -> Callable[[str], Response]:
    """Make the page that gives a game in one format."""

    def file(game: str) -> Response:
        opened = open_game(game)
        everything = opened.viewer == EVERYTHING
        name = f"{bare(title_of(opened))}{'' if everything else f' as {opened.viewer}'}.{wanted.suffix}"
        plain = f"{opened.id}{'' if everything else f'~{opened.viewer}'}.{wanted.suffix}"
        # Read to the end before the answer begins: damage is then a refusal, and not a file that is cut off.
        body = b"".join(wanted.write(opened_store(), opened))
        response = Response(body, content_type=f"{wanted.media_type}; charset=utf-8")
        response.headers["Content-Disposition"] = disposition(plain, name)
        return response

    file.__name__ = f"{wanted.name}_file"
    file.__doc__ = wanted.says
    return file


for one in registry.installed().values():
    bp.page(f"/games/<game>.{one.suffix}", json="always")(_page_of(one))
