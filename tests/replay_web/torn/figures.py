"""How often pages read the log, and how often a POST of a move passes from one module to another."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType
from typing import Any, Final, NamedTuple

from flask.testing import FlaskClient

from eventstore.store import Store
from replay_web import create_app
from tests.replay_web.samples import registry
from tests.replay_web.sheets import HERE
from tests.replay_web.torn.addresses import OPEN, about, fill

ROOT: Final = str(Path(__file__).resolve().parents[3])
OURS: Final = tuple(f"{ROOT}/{name}/" for name in ("eventstore", "games", "replay_web", "cli"))
LOOKS: Final = (
    *("head", "opening", "events", "payload_array", "rewrites", "marks", "answered"),
    *("lines", "commits", "command_of", "variations", "reader"),
)
"""What reads the log."""
READ: Final = ("record", "steps/3", "steps/3?later=hidden", "history", "check")
"""Pages of a game that are counted."""


class Changes(NamedTuple):
    """What a request passes through."""

    changes: int
    """Calls whose caller, passing over all that is not ours, stands in another of our modules."""
    modules: int
    """Modules with a part in it."""


def changes_of_module(act: Callable[[], Any]) -> Changes:
    """Count how often calls pass from one of our modules to another."""
    found, modules = 0, set[str]()

    def look(frame: FrameType, event: str, _arg: object) -> None:
        nonlocal found
        here = frame.f_code.co_filename
        if event != "call" or not here.startswith(OURS):
            return
        modules.add(here)
        caller = frame.f_back
        while caller is not None and not caller.f_code.co_filename.startswith(OURS):
            caller = caller.f_back
        found += caller is not None and caller.f_code.co_filename != here

    before = sys.getprofile()
    sys.setprofile(look)
    try:
        act()
    finally:
        sys.setprofile(before)
    return Changes(found, len(modules))


class Site:
    """A site over a database of its own, with a count of what is looked at in the log."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.client: FlaskClient = create_app(store).test_client()
        self.looks = Counter[str]()
        for name in LOOKS:
            self._count(store.log, name)
        self._count(store, "game")

    def _count(self, thing: Any, name: str) -> None:
        made = getattr(thing, name)

        def counted(*asked: Any, **more: Any) -> Any:
            self.looks[name] += 1
            return made(*asked, **more)

        setattr(thing, name, counted)

    def post(self) -> Callable[[], None]:
        """Give the POST of a move that is legal now."""
        found = about(self.store, OPEN)
        after = found.sent["after"]
        data = {"key": f"key-{after:08}", "after": after, "typed": found.typed}

        def send() -> None:
            answer = self.client.post(f"/games/{OPEN}/events", headers=HERE, data=data)
            if answer.status_code != 303:
                raise RuntimeError(answer.text)

        return send

    def looks_of(self, act: Callable[[], Any]) -> dict[str, int]:
        """Count what one request looks at."""
        self.looks.clear()
        act()
        return dict(self.looks)


@contextmanager
def site() -> Iterator[Site]:
    """Open a site over new games of every sort."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        fill(path)
        with Store.open(path, registry=registry()) as store:
            yield Site(store)


def looks_of_post(on: Site) -> dict[str, int]:
    """Count what the second POST of a move looks at: whatever is kept between requests is kept by then."""
    on.post()()
    return on.looks_of(on.post())


def looks_of_pages(on: Site) -> dict[str, dict[str, int]]:
    """Count what each page looks at when it is asked for the second time."""
    found = {}
    for address in READ:
        on.client.get(f"/games/{OPEN}/{address}")
        found[address] = on.looks_of(lambda address=address: on.client.get(f"/games/{OPEN}/{address}"))
    return found


def changes_of_post(on: Site) -> Changes:
    """Count the changes of module of the third POST of a move."""
    on.post()()
    on.post()()
    return changes_of_module(on.post())
