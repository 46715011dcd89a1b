"""The laws that every ruleset keeps, to be run on any of them: on ours, and on a stranger's.

    games = recorded_games(RULESET)
    for law in LAWS:
        law.check(RULESET, games)

`LawBroken` says which law, where, and what is wrong.  Each law has a broken ruleset that it rejects in
`tests/games/conformance`.
"""

from __future__ import annotations

from typing import Final

from games.testing.laws import folding, looking, observing, playing, refusing, repeating, showing
from games.testing.laws.law import Law, LawBroken, RecordedGame
from games.testing.laws.observing import blurred, identities
from games.testing.laws.playing import some_offered
from games.testing.laws.recorded import LONGEST, option_variants, play, player_counts, recorded_games
from games.testing.laws.walking import as_observed, at_each_step, by_everybody, in_full

__all__ = [
    "LAWS",
    "LONGEST",
    "Law",
    "LawBroken",
    "RecordedGame",
    "as_observed",
    "at_each_step",
    "blurred",
    "by_everybody",
    "identities",
    "option_variants",
    "play",
    "player_counts",
    "recorded_games",
    "some_offered",
]  # fmt: skip

LAWS: Final = (
    Law(
        "playouts",
        "playouts come to an end or reach the cap; none stops where somebody must act and cannot",
        playing.playouts,
    ),
    Law(
        "offers",
        "what is listed, dealt or played is accepted; a sample of a form is accepted within 50 tries",
        at_each_step(by_everybody, playing.offers),
    ),
    Law(
        "refused",
        "what nobody is offered is refused: what was done at other steps, or has other values in it",
        at_each_step(in_full, refusing.nothing_else),
    ),
    Law(
        "over",
        "until the outcome somebody must act; after it nothing is pending, offered or accepted",
        at_each_step(by_everybody, playing.over),
    ),
    Law(
        "evolve",
        "`evolve` leaves its arguments alone and gives the same state each time",
        at_each_step(by_everybody, folding.evolve),
    ),
    Law(
        "repeatable",
        "replay and seeded play are the same again, in other processes and with other hash seeds",
        repeating.repeatable,
    ),
    Law(
        "serialization",
        "every event and every state is the same after writing and reading it; kinds are unique",
        at_each_step(by_everybody, folding.wire_kept),
    ),
    Law(
        "invariants",
        "the conservation laws hold at each step, as each viewer knows it",
        at_each_step(by_everybody, folding.invariants),
    ),
    Law(
        "scene",
        "scene, face and describe work for every viewer and agree; keys are unique, values are JSON",
        at_each_step(by_everybody, showing.scene_drawn),
    ),
    Law(
        "look",
        "tones, backs and icons that a scene names are there, and can be read on light and dark pages",
        at_each_step(by_everybody, looking.look_kept),
    ),
    Law(
        "labels",
        "every move has a label of its own: one line, no word of the record, no seat without braces",
        at_each_step(by_everybody, showing.labels),
    ),
    Law(
        "turns",
        "round and turn are public; the round never goes back, the turn is a seat's until the end",
        at_each_step(by_everybody, showing.turns),
    ),
    Law(
        "notation",
        "what happened and what is offered, as it is written, reads back as the same event",
        at_each_step(by_everybody, showing.notation),
    ),
    Law(
        "observed",
        "each viewer's log is legal; pending, outcome, sizes and their own actions are as in full",
        at_each_step(as_observed, observing.observed_alike),
    ),
    Law(
        "blur",
        "the game is legal and the same with any identities blanked",
        at_each_step(observing.blurred, observing.same_game),
    ),
    Law(
        "leak",
        "a viewer learns a card only at a step before or after which it lies where they may look",
        observing.leak,
    ),
    Law(
        "rulings",
        "what the table rules, however much, can be told to each viewer, and tells no more",
        observing.rulings,
    ),
)
"""Every law of this folder."""
