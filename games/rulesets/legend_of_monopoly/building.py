"""What each event does to lands that are owned: buildings and debts on land."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from msgspec.structs import replace

from games.core.events import Event
from games.rulesets.legend_of_monopoly.estate import (
    brothel_price,
    half_of_cottage,
    half_of_house,
    inn_pay,
    lacks_cottages,
    redeem_price,
)
from games.rulesets.legend_of_monopoly.events import (
    BrothelBuilt,
    BrothelSold,
    CottageBuilt,
    CottageSold,
    InnBuilt,
    InnSold,
    LandIndebted,
    LandRedeemed,
)
from games.rulesets.legend_of_monopoly.money import transfer
from games.rulesets.legend_of_monopoly.state import CHEST, COTTAGES, State


def _changed(state: State, pos: int, **fields: Any) -> State:
    key = str(pos)
    return replace(state, lands={**state.lands, key: replace(state.lands[key], **fields)})


def _cottage_built(state: State, event: CottageBuilt) -> State:
    price = state.setup.lands[str(event.land)].cottage or 0
    count = state.lands[str(event.land)].cottages + 1
    return _changed(transfer(state, event.player, CHEST, price), event.land, cottages=count)


def _cottage_sold(state: State, event: CottageSold) -> State:
    pay = half_of_cottage(state.setup.lands[str(event.land)])
    count = state.lands[str(event.land)].cottages - 1
    return _changed(transfer(state, CHEST, event.player, pay), event.land, cottages=count)


def _inn_built(state: State, event: InnBuilt) -> State:
    price = state.setup.lands[str(event.land)].inn or 0
    return _changed(transfer(state, event.player, CHEST, price), event.land, cottages=0, house="inn")


def _inn_sold(state: State, event: InnSold) -> State:
    """Four cottages come back, unless the Treasure Chest has not so many."""
    pay = inn_pay(state, state.setup.lands[str(event.land)])
    count = 0 if lacks_cottages(state, COTTAGES) else COTTAGES
    return _changed(transfer(state, CHEST, event.player, pay), event.land, cottages=count, house=None)


def _brothel_built(state: State, event: BrothelBuilt) -> State:
    price = brothel_price(state.setup.lands[str(event.land)], state.lands[str(event.land)])
    return _changed(transfer(state, event.player, CHEST, price), event.land, cottages=0, house="brothel")


def _brothel_sold(state: State, event: BrothelSold) -> State:
    pay = half_of_house(state.setup.lands[str(event.land)])
    return _changed(transfer(state, CHEST, event.player, pay), event.land, house=None)


def _land_indebted(state: State, event: LandIndebted) -> State:
    """A charge that was not claimed yet on that land is owed no more."""
    pay = state.setup.lands[str(event.land)].debt
    state = _changed(transfer(state, CHEST, event.player, pay), event.land, indebted=True)
    lapsed = state.charge is not None and state.charge.land == event.land
    return replace(state, charge=None) if lapsed else state


def _land_redeemed(state: State, event: LandRedeemed) -> State:
    price = redeem_price(state.setup.lands[str(event.land)])
    return _changed(transfer(state, event.player, CHEST, price), event.land, indebted=False)


ON_LANDS: Final[Mapping[type[Event], Callable[[State, Any], State]]] = {
    CottageBuilt: _cottage_built,
    CottageSold: _cottage_sold,
    InnBuilt: _inn_built,
    InnSold: _inn_sold,
    BrothelBuilt: _brothel_built,
    BrothelSold: _brothel_sold,
    LandIndebted: _land_indebted,
    LandRedeemed: _land_redeemed,
}
