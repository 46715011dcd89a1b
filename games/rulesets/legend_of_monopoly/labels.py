"""Each move as a command on a button, and whose turn it is."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, Final

from games.core.events import Event
from games.rulesets.legend_of_monopoly import events as e
from games.rulesets.legend_of_monopoly.evolve import EVOLVE
from games.rulesets.legend_of_monopoly.state import FINE, State, name_of, owed_by
from games.rulesets.legend_of_monopoly.wording import DECKS, card_title, effect_text, goods_text


def label(state: State, event: Event) -> str:
    """Say a move as a command, without the player.

    Units:   money in Rahl; a sum with a sign is what the move brings or costs.
    """
    return _LABELS[type(event)](state, event)


def turn(state: State) -> str | None:
    """Give the player whose turn it is, also while somebody else pays, bids or holds the auction."""
    return None if state.phase == "over" else state.turn


def round_of(state: State) -> int:
    """Give the round: it is counted on where the turn comes past the player who began."""
    return state.round


def _roll(_state: State, event: e.DiceRolled) -> str:
    return f"Roll {event.dice[0]} and {event.dice[1]}"


def _start_roll(_state: State, event: e.StartRolled) -> str:
    return f"Roll {event.dice[0]} and {event.dice[1]} for {{{event.player}}}"


def _buy(state: State, event: e.LandBought) -> str:
    return f"Buy {name_of(state, event.land)} for {state.setup.lands[str(event.land)].price}"


def _close(state: State, event: e.AuctionClosed) -> str:
    if event.winner is None:
        return "Close the auction without a sale"
    return f"Sell {name_of(state, event.land)} to {{{event.winner}}} for {event.amount}"


def _claim(state: State, event: e.ChargeClaimed) -> str:
    amount = state.charge.amount if state.charge else 0
    return f"Claim {amount} from {{{event.from_}}} for {name_of(state, event.land)}"


def _draw(state: State, event: e.MagicDrawn) -> str:
    return f"Draw {card_title(state, event.card)}: {effect_text(state, state.setup.magic[event.card])}"


def _return(state: State, event: e.ReturnCardUsed) -> str:
    return f"Leave the Underworld with {card_title(state, event.card)}"


def _deal(state: State, event: e.DealMade) -> str:
    return f"Give {{{event.to}}} {goods_text(state, event.give)} for {goods_text(state, event.get)}"


def _on(does: str) -> Callable[[State, Any], str]:
    """Say what is done with a property, and what it brings or costs."""

    def words(state: State, event: Any) -> str:
        change = EVOLVE[type(event)](state, event).cash[event.player] - state.cash[event.player]
        return f"{does.format(name_of(state, event.land))} ({change:+})"

    return words


def _fixed(text: str) -> Callable[[State, Any], str]:
    return lambda _state, _event: text


_LABELS: Final[Mapping[type[Event], Callable[[State, Any], str]]] = {
    e.StartRolled: _start_roll,
    e.DiceRolled: _roll,
    e.LandBought: _buy,
    e.LandDeclined: _fixed("Don't buy"),
    e.AuctionOpened: lambda state, event: f"Auction {name_of(state, event.land)}",
    e.BidPlaced: lambda _state, event: f"Bid {event.amount}",
    e.AuctionClosed: _close,
    e.ChargeClaimed: _claim,
    e.MagicDrawn: _draw,
    e.MagicDeclined: lambda _state, event: f"Don't draw {DECKS[event.deck]}",
    e.CardEffectEntered: _fixed("Enter what the card does"),
    e.ShadowWaterTaken: _fixed("Take Shadow Water"),
    e.ShadowWaterUsed: _fixed("Drink Shadow Water"),
    e.FinePaid: _fixed(f"Pay the fine of {FINE}"),
    e.ReturnCardUsed: _return,
    e.CottageBuilt: _on("Build a cottage on {}"),
    e.CottageSold: _on("Sell a cottage on {}"),
    e.InnBuilt: _on("Build an inn on {}"),
    e.InnSold: _on("Sell the inn on {}"),
    e.BrothelBuilt: _on("Build a brothel on {}"),
    e.BrothelSold: _on("Sell the brothel on {}"),
    e.LandIndebted: _on("Mortgage {}"),
    e.LandRedeemed: _on("Pay off the mortgage on {}"),
    e.DealMade: _deal,
    e.LoanGranted: lambda _state, event: f"Lend {{{event.player}}} {event.amount}",
    e.LoanRepaid: lambda _state, event: f"Pay back {event.amount}",
    e.DebtSettled: lambda state, event: f"Pay the debt of {owed_by(state, event.player)}",
    e.BattleLost: _fixed("Give up the battle"),
    e.PlayerResigned: _fixed("Resign"),
    e.TurnEnded: _fixed("End the turn"),
}
