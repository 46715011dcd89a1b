"""Monsters of War: turn the top cards, the higher attack takes them; a War card raises the stakes."""

from __future__ import annotations

from typing import Final

from games.core.ruleset import Notation, Ruleset
from games.core.scene import Look
from games.kit.looks import BACKS, TONES, icons
from games.rulesets.monsters_of_war.actions import deal, legal_actions, open_choices, pending
from games.rulesets.monsters_of_war.check import check
from games.rulesets.monsters_of_war.data import load_data
from games.rulesets.monsters_of_war.events import EVENTS
from games.rulesets.monsters_of_war.evolve import EVOLVE
from games.rulesets.monsters_of_war.labels import label, round_of
from games.rulesets.monsters_of_war.notation import FORMS, read, write
from games.rulesets.monsters_of_war.redact import hide, redact
from games.rulesets.monsters_of_war.scene import face, scene
from games.rulesets.monsters_of_war.scoring import REASONS, invariants, outcome, scores
from games.rulesets.monsters_of_war.setup import setup, suggested
from games.rulesets.monsters_of_war.state import Data, Options, State
from games.rulesets.monsters_of_war.wording import HEADINGS, describe

ICONS: Final = (
    "swords",
    "gambit",
    "ambush",
    "war-cry",
    "berserk",
    "reshuffle",
    "counterspell",
    "double-strike",
    "turncoat",
    "stand-firm",
)

RULESETS: Final = (
    Ruleset(
        id="monsters-of-war",
        version=1,
        title="Monsters of War",
        seats=(2, 3, 4, 5, 6),
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
        look=Look(TONES, BACKS, {**icons(*ICONS), "war": icons("swords")["swords"]}),
        describe=describe,
        label=label,
        round=round_of,
        reasons=REASONS,
        headings=HEADINGS,
        face=face,
        notation=Notation(write=write, read=read, forms=FORMS),
        invariants=invariants,
    ),
)
