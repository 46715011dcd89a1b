"""Lands and buildings: what a part of the world, a charge, a price and a holding come to."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from games.rulesets.legend_of_monopoly.state import COTTAGES, Holding, Land, State

FREE = Holding("", 0, None, indebted=False)
"""What a land is bought as, but for its owner."""


def holdings(state: State, seat: str) -> Iterator[tuple[Land, Holding]]:
    """Give a player's lands in the order of the board."""
    for key, land in state.setup.lands.items():
        holding = state.lands.get(key)
        if holding is not None and holding.owner == seat:
            yield land, holding


def by_owner(state: State) -> dict[str, list[tuple[Land, Holding]]]:
    """Give every player's lands in the order of the board."""
    found: dict[str, list[tuple[Land, Holding]]] = {seat: [] for seat in state.setup.seats}
    for key, land in state.setup.lands.items():
        holding = state.lands.get(key)
        if holding is not None:
            found[holding.owner].append((land, holding))
    return found


def built_on(holding: Holding) -> bool:
    """Tell whether anything stands on a land."""
    return holding.cottages > 0 or holding.house is not None


def clear_in_part(state: State, land: Land, seat: str) -> int:
    """Count a player's lands of the same part of the world that are not indebted."""
    held = (state.lands.get(key) for key in state.setup.parts[land.part])
    return sum(1 for holding in held if holding and holding.owner == seat and not holding.indebted)


def has_part(state: State, land: Land, seat: str) -> bool:
    """Tell whether a player has all land of a part, none of it indebted."""
    return clear_in_part(state, land, seat) == len(state.setup.parts[land.part])


def charge_on(state: State, land: Land, holding: Holding) -> int:
    """Give what a visitor owes on somebody's land that is not indebted."""
    if holding.house is not None:
        return land.inn_charge or 0
    if holding.cottages:
        return land.cottages[holding.cottages - 1]
    count = clear_in_part(state, land, holding.owner)
    if state.setup.options.scale == "per-land" or not land.cottages:
        return land.unimproved[count - 1]
    doubled = count == len(state.setup.parts[land.part])
    return land.unimproved[0] * (2 if doubled else 1)


# --- the even rule -----------------------------------------------------------------------------------


def levels_beside(state: State, land: Land, seat: str) -> list[int]:
    """Give how far a player's other lands of the part are built: an inn counts as four cottages.

    A brothel needs no cottages around it, so its land is left out.
    """
    found = []
    for key in state.setup.parts[land.part]:
        holding = state.lands.get(key)
        if key == str(land.pos) or holding is None or holding.owner != seat or holding.house == "brothel":
            continue
        found.append(COTTAGES if holding.house else holding.cottages)
    return found


# --- prices ------------------------------------------------------------------------------------------


def cottages_standing(state: State) -> int:
    """Count the cottages on all lands."""
    return sum(holding.cottages for holding in state.lands.values())


def inns_standing(state: State) -> int:
    """Count the inns and brothels on all lands."""
    return sum(holding.house is not None for holding in state.lands.values())


def lacks_cottages(state: State, count: int) -> bool:
    """Tell whether the Treasure Chest has fewer than so many cottages left."""
    stock = state.setup.options.stock
    return stock is not None and stock.cottages - cottages_standing(state) < count


def lacks_inns(state: State) -> bool:
    """Tell whether the Treasure Chest has no inn left."""
    stock = state.setup.options.stock
    return stock is not None and stock.inns - inns_standing(state) < 1


def brothel_price(land: Land, holding: Holding) -> int:
    """Give what a brothel costs: the inn and the cottages that are not there yet."""
    return (land.inn or 0) + (COTTAGES - holding.cottages) * (land.cottage or 0)


def half_of_cottage(land: Land) -> int:
    """Give what comes back for a cottage."""
    return (land.cottage or 0) // 2


def half_of_inn(land: Land) -> int:
    """Give what comes back for an inn alone."""
    return (land.inn or 0) // 2


def half_of_house(land: Land) -> int:
    """Give what comes back for a brothel, or for an inn together with its cottages."""
    return half_of_inn(land) + COTTAGES * half_of_cottage(land)


def halves_of(land: Land, holding: Holding) -> int:
    """Give what comes back for everything on a land."""
    return half_of_house(land) if holding.house else holding.cottages * half_of_cottage(land)


def inn_pay(state: State, land: Land) -> int:
    """Give what comes back for an inn: with its cottages where the Treasure Chest has none to put there."""
    return half_of_house(land) if lacks_cottages(state, COTTAGES) else half_of_inn(land)


def redeem_price(land: Land) -> int:
    """Give what it costs to buy an indebted land back."""
    return land.debt + land.fee


def raisable(state: State, seat: str) -> int:
    """Add up what the Treasure Chest would give for all that a player has."""
    return sum(
        halves_of(land, holding) + (0 if holding.indebted else land.debt)
        for land, holding in holdings(state, seat)
    )


def wealth(state: State, seat: str, own: Iterable[tuple[Land, Holding]] | None = None) -> int:
    """Add cash and the prices of lands (half if indebted) and buildings, less loans; 0 for who is out."""
    if seat not in state.cash:
        return 0
    total = state.cash[seat] - state.loans[seat]
    for land, holding in holdings(state, seat) if own is None else own:
        total += land.price // 2 if holding.indebted else land.price
        cottages = COTTAGES if holding.house else holding.cottages
        total += cottages * (land.cottage or 0) + ((land.inn or 0) if holding.house else 0)
    return total
