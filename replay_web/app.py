"""The application: one blueprint per subject over one opened store."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Final

from flask import Flask

from eventstore.cache import Cache
from eventstore.library.details import GLYPHS
from eventstore.store import Store
from games.core.sentences import how_many
from games.words import counted
from replay_web.access import invite, sign_in
from replay_web.amend import correct
from replay_web.amend.amend_preview import DIFFERENT
from replay_web.exchange import downloads
from replay_web.http import (
    access,
    bidi,
    errors,
    health,
    packing,
    params,
    policy,
    security,
    spoilers,
    static_files,
    viewing,
)
from replay_web.library import details_page, game_list, history_page, notes
from replay_web.models.action_form import FLAT
from replay_web.models.variations import what_if_of
from replay_web.record import name_card, new_game, recording, ruling, table_check, variation_pages
from replay_web.record.hidden_cards import can_name
from replay_web.replay import follow, frames, help_page, steps, timeline
from replay_web.replay.streams import Streams
from replay_web.statistics import stats

KEPT: Final = {"rows": 512, "sittings": 64, "chunks": 64, "courses": 16}
"""What is kept in memory between two requests, and how many of each."""
SUBJECTS: Final = (
    game_list.bp,
    stats.bp,
    stats.files,
    steps.bp,
    frames.bp,
    timeline.bp,
    follow.bp,
    downloads.bp,
    notes.bp,
    details_page.bp,
    new_game.bp,
    recording.bp,
    correct.bp,
    history_page.bp,
    ruling.bp,
    table_check.bp,
    name_card.bp,
    variation_pages.bp,
    sign_in.bp,
    invite.bp,
    help_page.bp,
    health.bp,
)


def create_app(
    source: str | Path | Store,
    *,
    hosts: Sequence[str] | None = None,
    guarded: bool = False,
    streams: int = 0,
    address: str | None = None,
) -> Flask:
    """Make the site over a database file or an opened store.

    `hosts` are the names that this site answers to (a leading dot takes in subdomains), None any; where it is
    guarded, an address in digits is one too.
    `guarded` where others than this machine can reach it: nobody writes without a key, and what a game hides
    is shown to the keys that may see it.
    `streams` is how many pages may be told of changes at once, each by a thread of the server: a quarter of
    what it has leaves enough for everybody else. The others ask every two seconds.
    `address` is where others find the site, for those who invite them from this machine itself.
    A store that was opened here is closed by `app.extensions["tabletape"].close()`.
    """
    app = Flask(__name__, static_folder=None)
    app.config.update(
        MAX_CONTENT_LENGTH=policy.LONGEST_FORM,
        MAX_FORM_MEMORY_SIZE=policy.LONGEST_FORM,
    )
    app.jinja_options = {"trim_blocks": True, "lstrip_blocks": True}
    app.url_map.converters["int"] = params.Digits
    app.extensions["tabletape"] = source if isinstance(source, Store) else Store.open(source)
    app.extensions["address"] = address
    for what, most in KEPT.items():
        app.extensions[what] = Cache(most)
    app.extensions["streams"] = Streams(streams)
    app.jinja_env.filters.update(counted=counted, how_many=how_many, isolated=bidi.isolated)
    app.jinja_env.globals.update(to=viewing.link, shows_all=viewing.shows_all, streams=streams, glyphs=GLYPHS)
    app.jinja_env.globals.update(flat=FLAT, different=DIFFERENT, what_if_of=what_if_of, can_name=can_name)
    security.init_app(app, hosts=hosts, numbers=guarded)
    health.watch(app)
    access.init_app(app, guarded=guarded)
    spoilers.init_app(app)
    policy.init_app(app)
    errors.answer_refusals(app)
    packing.init_app(app)
    _register(app)
    policy.hold(app)
    return app


def addresses() -> Flask:
    """Make the site without a store: for what looks at its addresses alone."""
    app = Flask(__name__, static_folder=None)
    _register(app)
    return app


def _register(app: Flask) -> None:
    static_files.init_app(app)
    for subject in SUBJECTS:
        app.register_blueprint(subject)
