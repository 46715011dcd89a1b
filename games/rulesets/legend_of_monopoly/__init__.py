"""Legend of Monopoly: lands, charges and magic cards on a board of 40 spaces, for 2 to 14 players."""

from __future__ import annotations

from typing import Final

from games.core.ruleset import Notation, Ruleset
from games.core.scene import Look
from games.kit.looks import BACKS, TONES, icons
from games.rulesets.legend_of_monopoly.actions import deal, legal_actions, open_choices, pending
from games.rulesets.legend_of_monopoly.bot import bot, bot_during_chance
from games.rulesets.legend_of_monopoly.check import check
from games.rulesets.legend_of_monopoly.data import load_data
from games.rulesets.legend_of_monopoly.events import EVENTS
from games.rulesets.legend_of_monopoly.evolve import EVOLVE
from games.rulesets.legend_of_monopoly.labels import label, round_of, turn
from games.rulesets.legend_of_monopoly.notation import FORMS, read, write
from games.rulesets.legend_of_monopoly.scene import PARTS_TONES, face, scene
from games.rulesets.legend_of_monopoly.scoring import REASONS, invariants, outcome, scores
from games.rulesets.legend_of_monopoly.setup import setup, suggested
from games.rulesets.legend_of_monopoly.state import Data, Options, State
from games.rulesets.legend_of_monopoly.wording import HEADINGS, describe

RULESETS: Final = (
    Ruleset(
        id="legend-of-monopoly",
        version=1,
        title="Legend of Monopoly",
        seats=tuple(range(2, 15)),
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
        look=Look({**PARTS_TONES, "gambit": TONES["gambit"]}, BACKS, icons("swords", "gambit")),
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
        bot_during_chance=bot_during_chance,
    ),
)
