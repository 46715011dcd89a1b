"""Monsters Forever: six teams of creatures on a star, for 2, 3 or 6 players."""

from __future__ import annotations

from typing import Final

from games.core.ruleset import Notation, Ruleset
from games.rulesets.monsters_forever.actions import legal_actions, pending
from games.rulesets.monsters_forever.bot import bot
from games.rulesets.monsters_forever.check import check
from games.rulesets.monsters_forever.events import EVENTS
from games.rulesets.monsters_forever.evolve import EVOLVE
from games.rulesets.monsters_forever.labels import label, round_of, turn
from games.rulesets.monsters_forever.notation import FORMS, read, write
from games.rulesets.monsters_forever.scene import scene
from games.rulesets.monsters_forever.scoring import REASONS, invariants, outcome, scores
from games.rulesets.monsters_forever.setup import load_data, setup, suggested
from games.rulesets.monsters_forever.state import Data, Options, State
from games.rulesets.monsters_forever.wording import HEADINGS, describe

RULESETS: Final = (
    Ruleset(
        id="monsters-forever",
        version=1,
        title="Monsters Forever",
        seats=(2, 3, 6),
        events=EVENTS,
        state=State,
        options=Options,
        suggested=suggested,
        data=Data,
        load_data=load_data,
        setup=setup,
        evolve=EVOLVE,
        pending=pending,
        legal_actions=legal_actions,
        check=check,
        outcome=outcome,
        scores=scores,
        scene=scene,
        describe=describe,
        label=label,
        round=round_of,
        turn=turn,
        reasons=REASONS,
        headings=HEADINGS,
        notation=Notation(write=write, read=read, forms=FORMS),
        invariants=invariants,
        bot=bot,
    ),
)
