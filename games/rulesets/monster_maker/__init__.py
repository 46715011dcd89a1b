"""Monster Maker: draw, dig in the garbage and trade until one's monster is complete, for 2 to 5 players."""

from __future__ import annotations

from typing import Final

from games.core.ruleset import Notation, Ruleset
from games.core.scene import Look
from games.kit.looks import BACKS, TONES, icons
from games.rulesets.monster_maker.actions import deal, legal_actions, open_choices, pending
from games.rulesets.monster_maker.bot import bot
from games.rulesets.monster_maker.check import check
from games.rulesets.monster_maker.data import load_data
from games.rulesets.monster_maker.events import EVENTS
from games.rulesets.monster_maker.evolve import EVOLVE
from games.rulesets.monster_maker.labels import label, turn
from games.rulesets.monster_maker.notation import FORMS, read, write
from games.rulesets.monster_maker.scene import face, scene
from games.rulesets.monster_maker.scoring import REASONS, invariants, outcome, scores
from games.rulesets.monster_maker.setup import setup, suggested
from games.rulesets.monster_maker.state import Data, Options, State
from games.rulesets.monster_maker.wording import HEADINGS, describe

RULESETS: Final = (
    Ruleset(
        id="monster-maker",
        version=1,
        title="Monster Maker",
        seats=(2, 3, 4, 5),
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
        open_choices=open_choices,
        check=check,
        deal=deal,
        outcome=outcome,
        scores=scores,
        scene=scene,
        look=Look({"gambit": TONES["gambit"]}, BACKS, icons("swords", "gambit", "garbage", "turncoat")),
        describe=describe,
        label=label,
        turn=turn,
        reasons=REASONS,
        headings=HEADINGS,
        face=face,
        notation=Notation(write=write, read=read, forms=FORMS),
        invariants=invariants,
        bot=bot,
    ),
)
