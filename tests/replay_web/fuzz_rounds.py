"""Rounds of the fuzz: the site as four sorts of people reach it, over a database with every sort of game."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Final

from flask import Flask

import eventstore
import games
import replay_web
from cli.commands.demo import _load
from eventstore.recording.commands import Branch, Deal, New, WriteNote
from eventstore.store import Store
from replay_web import create_app
from tests.eventstore.played import damage
from tests.replay_web.fuzzing import Call, Got, Maker, Route, Site, complaints
from tests.replay_web.samples import EVIL, fill, opened, registry

CALLS: Final = int(os.environ.get("TABLETAPE_FUZZ", "2000"))
SEED: Final = os.environ.get("TABLETAPE_SEED", "1")
ROUND: Final = 500
"""Calls to one copy of the database; the next ones find it as it was."""
POINTED: Final = 0.6
"""Part of the calls that are good but for one thing that the route looks up."""
GOOD: Final = 0.1
"""Part of the calls that are not spoiled."""
PAGES: Final = 80
"""Pages of each site that are looked at before, for the links and forms on them."""
PEOPLE: Final = ("open", "visitor", "seat", "table")


def mix(path: Path) -> None:
    """Make a database with every sort of game: all titles, hidden cards, a variation, amended, damaged."""
    with Store.open(path, registry=registry()) as store:
        fill(store)
        _load(store)
        store.do("star", Branch(3, as_game="star-2", title=EVIL))
        for number, ruleset in enumerate(store.registry.newest()):
            store.do(None, New(ruleset, ["Ann", "Bo"], game=f"dealt-{number}", origin="dealt"))
        for entry in store.catalogue.list(limit=1_000):
            for seq in range(1, min(entry.steps, 9)):
                store.do(entry.game, WriteNote(seq, text=f"Bold. {EVIL}", glyph="!", tags=("bold",)))
        store.do(None, New("high-card", ["Ann", "Bo"], game="torn", origin="dealt"))
        store.do("torn", Deal())
    damage(
        path,
        "UPDATE events SET payload = '{' WHERE seq = 3 AND game = (SELECT game FROM games WHERE id = 'torn')",
    )


@contextmanager
def people(store: Store, *, also: Callable[[Flask], None] = lambda _: None) -> Iterator[list[Site]]:
    """Give the site as each sort of person reaches it."""
    keys = {"table": None, "seat": "p1"}
    sites = []
    for name in PEOPLE:
        app = create_app(store, guarded=name != "open", streams=1)
        also(app)
        good: dict[tuple[str, str], Callable[[], str]] = {
            ("sign_in.enter", "key"): lambda: store.access.add()[1],
            # The values of the state that the page shows are changed where they stand.
            ("ruling.rule", "at"): str,
            ("ruling.rule", "now"): str,
        }

        def cookie(name: str = name) -> str:
            if name not in keys:
                return ""
            key = store.access.opened(store.access.add(seat=keys[name])[1])
            return "" if key is None else f"tabletape={store.access.session(key)}"

        sites.append(Site(name, app, cookie, good))
    yield sites


def codes() -> frozenset[str]:
    """Give every word that some source has as a text: a code is one of them."""
    found: set[str] = set()
    for package in (replay_web, eventstore, games):
        for path in Path(str(package.__file__)).parent.rglob("*.py"):
            found |= set(re.findall(r'"([a-z]+(?:-[a-z]+)*)"', path.read_text(encoding="utf-8")))
    return frozenset(found)


CODES: Final = codes()


def judged(maker: Maker, call: Call, name: str) -> Got:
    """Send a call, and fail with all that is needed to send it again."""
    try:
        got = maker.send(call)
    except Exception as error:
        error.add_note(f"{name}: {call!r}")
        raise
    wrong = list(complaints(call, got, CODES))
    assert not wrong, f"{name}, TABLETAPE_SEED={SEED}: {wrong}\n{call!r}"
    return got


def visited(maker: Maker, pages: int, name: str) -> None:
    """Follow the links of the pages, so that their forms are known: each sort of page in turn."""
    for site in maker.sites.values():
        judged(maker, Call(site.name, "GET", "/games", "", (("Cookie", site.signed_in),)), name)
        for _ in range(pages):
            call = maker.unseen(site)
            if call is None:
                break
            judged(maker, call, name)


def played(maker: Maker, calls: int, name: str) -> None:
    """Make calls to all routes: good ones, spoiled ones, and good ones but for one thing they look up."""
    turns: list[tuple[Route, Site]] = []
    for number in range(calls):
        sort = maker.rng.random()
        if sort < POINTED:
            call, route, asked = maker.pointed()
            judged(maker, call, f"{name}, call {number}, {asked} of {route}")
            continue
        if not turns:
            turns = [(route, site) for route in maker.routes for site in maker.sites.values()]
            maker.rng.shuffle(turns)
        route, site = turns.pop()
        call = maker.good(site, route)
        judged(maker, call if sort < POINTED + GOOD else maker.spoiled(call), f"{name}, call {number}")


@contextmanager
def made(
    mixed: Path, folder: Path, seed: str, also: Callable[[Flask], None] = lambda _: None
) -> Iterator[Maker]:
    with ExitStack() as stack:
        store = stack.enter_context(opened(mixed, folder))
        sites = stack.enter_context(people(store, also=also))
        known = [entry.game for entry in store.catalogue.list(limit=1_000)]
        yield Maker(sites, random.Random(seed), known)  # noqa: S311 - seeded on purpose
