"""The site over a copy of the games, whose looks at the log are counted, and another writer on its file."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

from flask import Flask

from eventstore.cache import Cache
from eventstore.store import Store
from replay_web import create_app
from tests.replay_web.samples import registry
from tests.replay_web.sheets import HERE
from tests.replay_web.torn.addresses import Example


class Answered(NamedTuple):
    """What was answered, without what is drawn anew for each page."""

    status: int
    place: str
    tag: str
    body: bytes


class Site:
    """The site over a copy of the games, and another writer on the same file."""

    def __init__(self, path: Path, app: Flask | None = None) -> None:
        self.store = Store.open(path, registry=registry())
        self.other = Store.open(path, registry=registry())
        self.app: Flask = app or create_app(self.store, guarded=True)
        self.app.extensions["tabletape"] = self.store
        for name in [name for name, kept in self.app.extensions.items() if isinstance(kept, Cache)]:
            self.app.extensions[name] = Cache(8)
        self.looks = 0
        self.before: tuple[int, Callable[[], None]] | None = None
        self._hook()

    def _hook(self) -> None:
        """Count each look at the log, and each append; let the other writer in before the n-th."""
        log = self.store.log
        readers: Any = log._readers
        take, append, append_all = readers.take, log.append, log.append_all

        def counted(made: Callable[..., Any]) -> Callable[..., Any]:
            def look(*asked: Any, **more: Any) -> Any:
                self.looks += 1
                if self.before is not None and self.before[0] == self.looks:
                    self.before[1]()
                return made(*asked, **more)

            return look

        readers.take = counted(take)
        log.append = counted(append)  # type: ignore[method-assign]
        log.append_all = counted(append_all)  # type: ignore[method-assign]

    def warm(self, game: str, example: Example, key: str | None) -> None:
        """Have the caches filled, as they are in a server that has shown the game before."""
        self.before = None
        for address in ("record", "course", "steps/1"):
            self.answer(Example("", f"/games/{game}/{address}"), key)
        if example.form is None:
            self.answer(example, key)

    def answer(self, example: Example, key: str | None) -> Answered:
        client = self.app.test_client()
        if key is not None:
            client.set_cookie("tabletape", key)
        headers = {**HERE, **example.headers}
        self.looks = 0
        if example.form is None:
            got = client.get(example.address, headers=headers)
        else:
            got = client.post(example.address, headers=headers, data=dict(example.form))
        body = re.sub(rb'"?at"?:\s*"[^"]*"', b"at", got.data)
        return Answered(got.status_code, got.headers.get("Location", ""), got.headers.get("ETag", ""), body)

    def close(self) -> None:
        self.store.close()
        self.other.close()
