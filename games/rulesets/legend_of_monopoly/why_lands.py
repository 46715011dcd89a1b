"""Why nothing can be built, sold, indebted or redeemed on a land."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final, NamedTuple

from games.core.events import Event
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.estate import (
    brothel_price,
    built_on,
    has_part,
    lacks_cottages,
    lacks_inns,
    levels_beside,
    redeem_price,
)
from games.rulesets.legend_of_monopoly.faults import Fault, Why, cannot_pay, not_playing
from games.rulesets.legend_of_monopoly.state import COTTAGES, Holding, Land, State, name_of

_COTTAGES: Final = "rulebook, Cottages"
_INNS: Final = "rulebook, Inns"
_SELLING: Final = "rulebook, Selling Land"
_INDEBTED: Final = "rulebook, Indebted"
_BUYING: Final = "rulebook, Buying Land"


class Place(NamedTuple):
    """A land of a player's, by its card and by what stands on it."""

    land: Land
    holding: Holding


def place_of(state: State, seat: str, pos: int) -> Fault | Place:
    """Find a player's land, or say why it is none."""
    key = str(pos)
    wrong = not_playing(state, seat)
    if wrong:
        return wrong
    if key not in state.setup.lands:
        return Fault("no-land", f"{name_of(state, pos)} ({pos}) is no land.", _BUYING)
    holding = state.lands.get(key)
    if holding is None or holding.owner != seat:
        whose = "the Treasure Chest's" if holding is None else f"{{{holding.owner}}}'s"
        said = f"{name_of(state, pos)} is {whose}, not {{{seat}}}'s."
        return Fault("not-yours", said, _BUYING)
    return Place(state.setup.lands[key], holding)


def _land_rule(judge: Callable[[State, str, Place], Why]) -> Callable[[State, Any], Why]:
    def why(state: State, event: Any) -> Why:
        place = place_of(state, event.player, event.land)
        return place if isinstance(place, Fault) else judge(state, event.player, place)

    return why


def _no_building(place: Place, rule: str) -> Why:
    if place.land.cottages:
        return None
    return Fault("no-building-here", f"Nothing can be built on {place.land.name}: no price is printed.", rule)


def _build_cottage(state: State, seat: str, place: Place) -> Why:
    land, holding = place
    wrong = _no_building(place, _COTTAGES)
    if wrong:
        return wrong
    if not has_part(state, land, seat):
        said = f"A cottage takes all land of {land.part}, none of it indebted."
        return Fault("part-incomplete", said, _COTTAGES if not holding.indebted else "R10")
    wrong = _full(land, holding)
    if wrong:
        return wrong
    if any(level < holding.cottages for level in levels_beside(state, land, seat)):
        said = f"Cottages are spread evenly over {land.part}: others have fewer than {land.name}."
        return Fault("uneven", said, _COTTAGES)
    if lacks_cottages(state, 1):
        return Fault("none-left", "The Treasure Chest has no cottage left.", "R21")
    return cannot_pay(state, seat, land.cottage or 0, "a cottage", _COTTAGES)


def _full(land: Land, holding: Holding) -> Why:
    if holding.house is not None:
        return Fault("house-stands", f"On {land.name} stands the {holding.house}.", _INNS)
    if holding.cottages == COTTAGES:
        said = f"{land.name} has {COTTAGES} cottages, and no land has more."
        return Fault("four-cottages", said, _COTTAGES)
    return None


def _sell_cottage(state: State, seat: str, place: Place) -> Why:
    land, holding = place
    if not holding.cottages:
        return Fault("no-cottage", f"No cottage stands on {land.name}.", _SELLING)
    if any(level > holding.cottages for level in levels_beside(state, land, seat)):
        said = f"Cottages stay spread evenly over {land.part}: others have more than {land.name}."
        return Fault("uneven", said, "R18")
    return None


def _build_inn(state: State, seat: str, place: Place) -> Why:
    land, holding = place
    wrong = _no_building(place, _INNS)
    if wrong:
        return wrong
    if holding.house is not None:
        return Fault("house-stands", f"On {land.name} stands the {holding.house}.", _INNS)
    if holding.cottages < COTTAGES:
        said = f"An inn takes {COTTAGES} cottages on {land.name}; it has {holding.cottages}."
        return Fault("too-few-cottages", said, _INNS)
    if lacks_inns(state):
        return Fault("none-left", "The Treasure Chest has no inn left.", "R21")
    return cannot_pay(state, seat, land.inn or 0, "an inn", _INNS)


def _sell_inn(_state: State, _seat: str, place: Place) -> Why:
    if place.holding.house == "inn":
        return None
    return Fault("no-inn", f"No inn stands on {place.land.name}.", _SELLING)


def _build_brothel(state: State, seat: str, place: Place) -> Why:
    land, holding = place
    denna = state.setup.options.madame_denna
    if seat != denna:
        who = f"that is {{{denna}}}" if denna else "nobody plays that character"
        said = f"Only Madame Denna builds brothels: {who}."
        return Fault("only-madame-denna", said, "rulebook, Brothel")
    wrong = _no_building(place, "R16")
    if wrong:
        return wrong
    if holding.indebted:
        return Fault("indebted", f"{land.name} is indebted.", "R15")
    if holding.house is not None:
        return Fault("house-stands", f"On {land.name} stands the {holding.house}.", "R15")
    if lacks_inns(state):
        return Fault("none-left", "The Treasure Chest has no inn left, and a brothel is one.", "R21")
    return cannot_pay(state, seat, brothel_price(land, holding), "a brothel", "R15")


def _sell_brothel(_state: State, _seat: str, place: Place) -> Why:
    if place.holding.house == "brothel":
        return None
    return Fault("no-brothel", f"No brothel stands on {place.land.name}.", _SELLING)


def _indebt(_state: State, _seat: str, place: Place) -> Why:
    land, holding = place
    if holding.indebted:
        return Fault("indebted", f"{land.name} is indebted already.", _INDEBTED)
    if built_on(holding):
        return Fault("built-on", f"Sell what stands on {land.name} first.", _INDEBTED)
    return None


def _redeem(state: State, seat: str, place: Place) -> Why:
    land, holding = place
    if not holding.indebted:
        return Fault("not-indebted", f"{land.name} is not indebted.", _INDEBTED)
    return cannot_pay(state, seat, redeem_price(land), f"to redeem {land.name}", _INDEBTED)


ON_LANDS: Final[Mapping[type[Event], Callable[[State, Any], Why]]] = {
    e.CottageBuilt: _land_rule(_build_cottage),
    e.CottageSold: _land_rule(_sell_cottage),
    e.InnBuilt: _land_rule(_build_inn),
    e.InnSold: _land_rule(_sell_inn),
    e.BrothelBuilt: _land_rule(_build_brothel),
    e.BrothelSold: _land_rule(_sell_brothel),
    e.LandIndebted: _land_rule(_indebt),
    e.LandRedeemed: _land_rule(_redeem),
}
