"""A stranger's ruleset with a look of its own: High Card with crowns, through an entry point."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from importlib.metadata import EntryPoint
from pathlib import Path
from typing import Any, Final

import pytest
from msgspec.structs import replace as changed

from eventstore.store import Store
from games.core import registry
from games.core.registry import installed
from games.core.scene import Back, Face, Look, Scene, Tone
from games.examples import high_card
from games.examples.high_card import TOY, HighCard
from games.scene import looks
from tests.replay_web.samples import play

CROWN: Final = '<path d="M-14 10V-9l8 8 6-12 6 12 8-8v19z"/>'
SEAL: Final = '<circle r="11"/>'
LOOK: Final = Look(
    {"crowns-sea": Tone("#1f5f8b", "#2b5d80")},
    {"crowns-deck": Back(Tone("#5b2a6e", "#6d3a80"), "crowns-seal")},
    {"crowns-crown": CROWN, "crowns-seal": SEAL},
)


def scene(state: HighCard) -> Scene:
    plain = high_card.scene(state)
    return changed(
        plain,
        zones=tuple(
            changed(
                zone,
                back="crowns-deck",
                cards=tuple(changed(card, face=crowned(card.face)) for card in zone.cards),
            )
            for zone in plain.zones
        ),
    )


def face(state: HighCard, card: str) -> Face | None:
    plain = high_card.face(state, card)
    return None if plain is None else crowned(plain)


def crowned(plain: Face) -> Face:
    return changed(plain, tone="crowns-sea", icon="crowns-crown")


CROWNS: Final = replace(TOY, id="crowns", title="Crowns", version=1, scene=scene, face=face, look=LOOK)
RULESETS: Final[tuple[Any, ...]] = (CROWNS,)


@contextmanager
def crowns_installed(patch: pytest.MonkeyPatch, folder: Path) -> Iterator[Store]:
    """Install it beside ours, with one game of it in a store."""
    ours = list(registry.entry_points(group=registry.GROUP))
    theirs = EntryPoint("crowns", f"{__name__}:RULESETS", registry.GROUP)
    patch.setattr(registry, "entry_points", lambda **_: [*ours, theirs])
    caches = (installed, looks.look, looks.style)
    for cache in caches:
        cache.cache_clear()
    with Store.open(folder / "games.db") as store:
        play(store, "crowns", "crowns", ["Ann", "Bo"], seed=3, most=30)
        yield store
    patch.undo()
    for cache in caches:
        cache.cache_clear()
