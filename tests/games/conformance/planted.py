"""What the broken rulesets of each law are made of."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

from games.core.events import Event
from games.core.ruleset import Ruleset
from games.examples import high_card
from games.examples.high_card import TOY, HighCard
from games.testing.laws import LAWS

BY_NAME = {law.name: law for law in LAWS}


@dataclass(frozen=True)
class Plant:
    """A broken ruleset, the law that it breaks, and what the refusal must say."""

    law: str
    fault: str
    ruleset: Ruleset[Any]
    says: str


def evolving(kind: type[Event], function: Callable[[HighCard, Any], HighCard]) -> Ruleset[Any]:
    return replace(TOY, evolve={**TOY.evolve, kind: function})


def redacting(function: Callable[[HighCard, Event, str], Event | None]) -> Ruleset[Any]:
    return replace(TOY, redact=lambda s, e, viewer: function(s, e, viewer) or high_card.redact(s, e, viewer))
