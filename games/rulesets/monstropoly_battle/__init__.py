"""Monstropoly Battle: duels build two armies out of one deck, then their complete teams fight."""

from __future__ import annotations

from typing import Final

from games.core.ruleset import Notation, Ruleset
from games.core.scene import Look
from games.kit.looks import BACKS, TONES, icons
from games.rulesets.monstropoly_battle.actions import deal, legal_actions, open_choices, pending
from games.rulesets.monstropoly_battle.bot import bot
from games.rulesets.monstropoly_battle.check import check
from games.rulesets.monstropoly_battle.data import load_data
from games.rulesets.monstropoly_battle.events import EVENTS
from games.rulesets.monstropoly_battle.evolve import EVOLVE
from games.rulesets.monstropoly_battle.labels import label, round_of, turn
from games.rulesets.monstropoly_battle.notation import FORMS, read, write
from games.rulesets.monstropoly_battle.redact import hide, redact
from games.rulesets.monstropoly_battle.scene import face, scene
from games.rulesets.monstropoly_battle.scoring import REASONS, invariants, outcome, scores
from games.rulesets.monstropoly_battle.setup import setup, suggested
from games.rulesets.monstropoly_battle.state import WEAPONS, Data, Options, State
from games.rulesets.monstropoly_battle.wording import HEADINGS, describe

RULESETS: Final = (
    Ruleset(
        id="monstropoly-battle",
        version=1,
        title="Monstropoly Battle",
        seats=(2,),
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
        redact=redact,
        hide=hide,
        scene=scene,
        look=Look(TONES, BACKS, icons("swords", "gambit", *WEAPONS)),
        describe=describe,
        label=label,
        round=round_of,
        turn=turn,
        reasons=REASONS,
        headings=HEADINGS,
        face=face,
        notation=Notation(write=write, read=read, forms=FORMS),
        invariants=invariants,
        bot=bot,
    ),
)
