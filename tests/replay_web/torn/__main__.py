"""Print how often pages read the log, and how often a POST of a move passes from one module to another.

A change of module is a Python call whose caller, passing over all that is not ours, stands in another module
of the four packages than the function that is called.  The second, warm POST of a typed move is counted.

`game` counts openings of a game, `opening` and `head` looks at its head, `payload_array` and `events` loads
of steps.  What a page asks before it is warm is not counted.
"""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import FrameType
from typing import Any, Final

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


def changes_of_module(act: Callable[[], Any]) -> tuple[int, int]:
    """How often calls pass from one of our modules to another, and how many modules have a part in it."""
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

    sys.setprofile(look)
    try:
        act()
    finally:
        sys.setprofile(None)
    return found, len(modules)


def main() -> None:
    """Count and print."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "games.db"
        fill(path)
        with Store.open(path, registry=registry()) as store:
            client = create_app(store).test_client()
            looks = Counter[str]()
            log: Any = store.log
            for name in LOOKS:
                _count(log, name, looks)
            _count(store, "game", looks)

            def post() -> None:
                found = about(store, OPEN)
                looks.clear()
                data = {"key": f"key-{found.sent['after']:08}", "after": found.sent["after"]}
                answer = client.post(
                    f"/games/{OPEN}/events", headers=HERE, data={**data, "typed": found.typed}
                )
                if answer.status_code != 303:
                    raise RuntimeError(answer.text)

            post()
            post()
            print("POST of a move:", dict(looks))  # noqa: T201 - it is what this is for
            for address in ("record", "steps/3", "steps/3?later=hidden", "history", "check"):
                looks.clear()
                client.get(f"/games/{OPEN}/{address}")
                looks.clear()
                client.get(f"/games/{OPEN}/{address}")
                print(f"GET {address}:", dict(looks))  # noqa: T201 - as above
            client.post(f"/games/{OPEN}/undo", headers=HERE, data={"key": "k" * 12, "after": 99})
            found = about(store, OPEN)
            data = {"key": "key-of-the-last", "after": found.sent["after"], "typed": found.typed}
            sent: list[Any] = []
            changes, modules = changes_of_module(
                lambda: sent.append(client.post(f"/games/{OPEN}/events", headers=HERE, data=data))
            )
            print(f"POST of a move: {changes} changes of module in {modules} modules,", sent[0].status)  # noqa: T201 - as above


def _count(thing: Any, name: str, looks: Counter[str]) -> None:
    made = getattr(thing, name)

    def counted(*asked: Any, **more: Any) -> Any:
        looks[name] += 1
        return made(*asked, **more)

    setattr(thing, name, counted)


if __name__ == "__main__":
    main()
