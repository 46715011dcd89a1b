"""Rulesets that break the laws of who is told what."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from games.core.events import Event
from games.core.ruleset import IllegalAction, Pending
from games.examples import high_card
from games.examples.high_card import (
    TOY,
    CardLaid,
    CardPassed,
    CardsDrawn,
    CardsTurned,
    Hand,
    HandDealt,
    HighCard,
)
from tests.games.conformance.planted import Plant, evolving, redacting

# --- rulings ---


def hide_and_lose(state: HighCard, viewer: str) -> HighCard:
    hidden = high_card.hide(state, viewer)
    return changed(hidden, hands={seat: Hand(hand.known, 0) for seat, hand in hidden.hands.items()})


def hide_for_seats_only(state: HighCard, viewer: str) -> HighCard:
    return changed(high_card.hide(state, viewer), hands={**state.hands, viewer: state.hands[viewer]})


# --- told, blur ---


def fewer_cards_told(_state: HighCard, event: Event, viewer: str) -> Event | None:
    return changed(event, cards=()) if isinstance(event, HandDealt) and viewer != event.player else None


def own_cards_kept_secret(_state: HighCard, event: Event, viewer: str) -> Event | None:
    return changed(event, cards=(None,) * 3) if isinstance(event, HandDealt) else None


def told_as_another_kind(state: HighCard, event: Event, viewer: str) -> Event | None:
    if isinstance(event, CardPassed) and viewer == "table":
        return CardLaid(event.player, None)
    return None


def points_to_the_sighted(state: HighCard, event: CardsTurned) -> HighCard:
    after = high_card.cards_turned(state, event)
    blind = sum(hand.unknown for hand in state.hands.values())
    return changed(after, points={**after.points, "p1": after.points["p1"] + blind})


def pending_if_known(state: HighCard) -> tuple[Pending, ...]:
    known = state.phase == "turning" and None not in state.laid.values()
    return (*high_card.pending(state), *(Pending("p1", ("card_laid",), must=False),) * known)


def count_only_known(state: HighCard) -> Any:
    plain = high_card.scene(state)
    return changed(plain, zones=tuple(changed(zone, unknown=0) for zone in plain.zones))


def turned_otherwise_when_told_twice(state: HighCard, event: Event, viewer: str) -> Event | None:
    if isinstance(event, CardPassed) and viewer == "p2" and event.player == "p1":
        return None if state.setup.seen_as == "everything" else changed(event, card=None)
    return None


def no_unseen_card_where_all_is_seen(state: HighCard, event: Event) -> None:
    if state.setup.seen_as == "everything" and isinstance(event, CardLaid) and event.card is None:
        raise IllegalAction("not-offered", "Which card is it?")
    high_card.check(state, event)


def draw_must_be_seen(state: HighCard, event: CardsDrawn) -> HighCard:
    if state.setup.seen_as == "everything":
        _ = [state.setup.values[str(card)] for card in event.cards]
    return high_card.cards_drawn(state, event)


# --- leak: the same four doors through which the cards of a real title would go ---


def deal_told_to_all(_state: HighCard, event: Event, _viewer: str) -> Event | None:
    return event if isinstance(event, HandDealt) else None


def draw_told_to_the_table(_state: HighCard, event: Event, viewer: str) -> Event | None:
    return event if isinstance(event, CardsDrawn) and viewer == "table" else None


def commitment_told_to_the_other(_state: HighCard, event: Event, viewer: str) -> Event | None:
    return event if isinstance(event, CardLaid) and viewer != "table" else None


def passed_card_told_to_the_table(_state: HighCard, event: Event, _viewer: str) -> Event | None:
    return event if isinstance(event, CardPassed) else None


def drawn_card_told_when_another_is_passed(state: HighCard, event: Event, viewer: str) -> Event | None:
    """Reveal the wrong thing: the receiver is told a card that stays in the other's hand."""
    if isinstance(event, CardPassed) and viewer not in {event.player, "table"} and event.card is not None:
        kept = [card for card in state.hands[event.player].known if card != event.card]
        return changed(event, card=kept[0]) if kept else None
    return None


def no_card_drawn(state: HighCard) -> Any:
    plain = high_card.scene(state)
    return changed(plain, zones=tuple(changed(zone, seen_by=()) for zone in plain.zones))


class OpenDrawn(Event, frozen=True, tag="cards_drawn"):
    """A draw whose cards cannot be null: there is nothing that `redact` could do."""

    player: str
    cards: tuple[str, ...]


def deal_openly(state: HighCard, rng: Any) -> Event:
    event = high_card.deal(state, rng)
    if isinstance(event, CardsDrawn):
        return OpenDrawn(event.player, tuple(card for card in event.cards if card is not None))
    return event


OPEN_DRAW = replace(
    TOY,
    events=tuple(OpenDrawn if event is CardsDrawn else event for event in TOY.events),
    evolve={OpenDrawn if event is CardsDrawn else event: function for event, function in TOY.evolve.items()},
    headings={},
    deal=deal_openly,
)


def discards_put_away(state: HighCard) -> Any:
    """Draw a table where nobody may look at what lies before the players, nor at what was turned before."""
    plain = high_card.scene(state)
    return changed(
        plain,
        zones=tuple(
            zone if zone.key.startswith("hand") else changed(zone, seen_by=()) for zone in plain.zones
        ),
    )


PLANTS = (
    Plant("observed", "fewer cards", redacting(fewer_cards_told), "not legal"),
    Plant("observed", "own hand hidden", redacting(own_cards_kept_secret), "their own actions"),
    Plant("observed", "another kind", redacting(told_as_another_kind), "card_passed is told as card_laid"),
    Plant("observed", "points by knowledge", evolving(CardsTurned, points_to_the_sighted), "scores is"),
    Plant("observed", "pending by knowledge", replace(TOY, pending=pending_if_known), "pending is"),
    Plant("observed", "sizes by knowledge", replace(TOY, scene=count_only_known), "zones hold"),
    Plant("observed", "other when told twice", redacting(turned_otherwise_when_told_twice), "told once more"),
    Plant("blur", "refused", replace(TOY, check=no_unseen_card_where_all_is_seen), "Which card"),
    Plant("blur", "crash", evolving(CardsDrawn, draw_must_be_seen), "KeyError"),
    Plant("leak", "deal", redacting(deal_told_to_all), "learns .* from .*hand_dealt"),
    Plant("leak", "draw", redacting(draw_told_to_the_table), r"\(table\) learns .* from .*cards_drawn"),
    Plant("leak", "commitment", redacting(commitment_told_to_the_other), "learns .* from .*card_laid"),
    Plant(
        "leak", "split", redacting(passed_card_told_to_the_table), r"\(table\) learns .* from .*card_passed"
    ),
    Plant(
        "leak",
        "wrong card",
        redacting(drawn_card_told_when_another_is_passed),
        "learns .* from .*card_passed",
    ),
    Plant("leak", "draw that cannot be hidden", OPEN_DRAW, "learns .* from .*cards_drawn"),
    Plant("leak", "no zone is seen", replace(TOY, scene=no_card_drawn), "learns"),
    Plant("rulings", "tells a hand", replace(TOY, hide=lambda state, _viewer: state), "learns|forms|actions"),
    Plant("rulings", "loses a card", replace(TOY, hide=hide_and_lose), "breaks-the-count"),
    Plant("rulings", "crash", replace(TOY, hide=hide_for_seats_only), "cannot be told: KeyError"),
)
