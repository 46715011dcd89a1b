"""Tones, backs and icons that the card games share."""

from __future__ import annotations

from functools import cache
from importlib.resources import files
from typing import Final

import msgspec

from games.core.scene import Back, Tone

TONES: Final = {
    "monster": Tone("#3d7a5d", "#3d7a5d"),
    "war": Tone("#b3261e", "#b3261e"),
    "gambit": Tone("#8a4a72", "#8a4a72"),
}
BACKS: Final = {
    "monster": Back(Tone("#28435c", "#31506d"), "swords"),
    "gambit": Back(Tone("#6b3a55", "#7d4663"), "gambit"),
}


def icons(*names: str) -> dict[str, str]:
    """Give drawings by name, in this order.

    >>> list(icons("swords", "gambit"))
    ['swords', 'gambit']
    """
    return {name: _drawings()[name] for name in names}


@cache
def _drawings() -> dict[str, str]:
    return msgspec.json.decode(files(__package__).joinpath("icons.json").read_bytes(), type=dict[str, str])
