"""Rulesets that break the laws of what is shown and typed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from msgspec.structs import replace as changed

from games.core import serialization
from games.core.events import Event
from games.core.ruleset import IllegalAction, Notation, Ruleset
from games.core.scene import Back, Counter, Face, Look, Piece, Tone, Zone
from games.examples import high_card
from games.examples.high_card import TOY, CardLaid, CardPassed, HighCard
from tests.games.conformance.planted import Plant


def with_counters(*counters: Counter) -> Ruleset[Any]:
    return replace(
        TOY, scene=lambda s: changed(high_card.scene(s), counters=(*high_card.scene(s).counters, *counters))
    )


def with_zone(**fields: Any) -> Ruleset[Any]:
    def scene(state: HighCard) -> Any:
        plain = high_card.scene(state)
        first: Zone = changed(plain.zones[0], **fields)
        return changed(plain, zones=(first, *plain.zones[1:]))

    return replace(TOY, scene=scene)


FINE = Tone("#3d7a5d", "#3d7a5d")
PALE = "#e0c21f"
MIDDLE = "#7f7f7f"


def with_look(
    tones: dict[str, Tone] | None = None,
    backs: dict[str, Back] | None = None,
    icons: dict[str, str] | None = None,
    *,
    used: str = "",
) -> Ruleset[Any]:
    def scene(state: HighCard) -> Any:
        plain = high_card.scene(state)
        return changed(plain, zones=tuple(in_tone(zone) for zone in plain.zones))

    def in_tone(zone: Zone) -> Zone:
        return changed(
            zone, cards=tuple(changed(card, face=changed(card.face, tone=used)) for card in zone.cards)
        )

    return replace(TOY, look=Look(tones or {}, backs or {}, icons or {}), scene=scene)


def floating_piece(state: HighCard) -> Any:
    return changed(high_card.scene(state), pieces=(Piece("pawn", "A1", "A", "pawn", "0"),))


def shout_card(state: HighCard, event: Event) -> str:
    return event.card.upper() if isinstance(event, CardPassed) else high_card.describe(state, event)  # type: ignore[union-attr]


def label_of_value(state: HighCard, event: Event) -> str:
    return f"Lay {event.card}" if isinstance(event, CardLaid) else high_card.label(state, event)


def label_of_seat(state: HighCard, event: Event) -> str:
    return f"{high_card.label(state, event)} of p1"


def round_by_cards_unseen(state: HighCard) -> int:
    return 100 * state.round + sum(hand.unknown for hand in state.hands.values())


def write_value(state: HighCard, event: Event) -> str:
    text = high_card.write(state, event)
    return text.replace("c0", "") if isinstance(event, CardLaid) else text


def write_unseen(state: HighCard, event: Event) -> str:
    return high_card.write(state, changed(event, card=None) if isinstance(event, CardPassed) else event)


def reading_of(write: Callable[[HighCard, Event], str]) -> Ruleset[Any]:
    return replace(TOY, notation=Notation(write=write, read=read_known))


def read_known(state: HighCard, text: str) -> tuple[Event, ...]:
    (event,) = high_card.read(state, text)
    if isinstance(event, CardLaid) and event.card is not None and event.card not in state.setup.values:
        raise IllegalAction("not-understood", f"{event.card!r} is no card.")
    return (event,)


PLANTS = (
    Plant("scene", "key twice", with_counters(Counter("deck", "Deck", 1)), "'deck'"),
    Plant("scene", "value that is no JSON", with_counters(Counter("odds", "Odds", 0.5)), "0.5"),  # type: ignore[arg-type]
    Plant("scene", "owner without a seat", with_counters(Counter("x", "X", 1, owner="Ann")), "Ann"),
    Plant("scene", "seen by a name", with_zone(seen_by=("Ann",)), "Ann"),
    Plant("scene", "fewer than no cards", with_zone(unknown=-1), "-1"),
    Plant("scene", "piece beside the board", replace(TOY, scene=floating_piece), "no cell"),
    Plant("scene", "two fronts of a card", replace(TOY, face=lambda s, c: Face(c, "9")), "another front"),
    Plant("scene", "caption of an unseen card", replace(TOY, describe=shout_card), "table.*upper"),
    Plant("scene", "caption of two lines", replace(TOY, describe=lambda s, e: "a\nb"), "one line"),
    Plant("scene", "caption with a name", replace(TOY, describe=lambda s, e: "{Ann} plays"), "'Ann'"),
    Plant("look", "letter in light", with_look({"t": Tone(MIDDLE, FINE.dark)}), "on a light page: neither"),
    Plant("look", "letter in dark", with_look({"t": Tone(FINE.light, MIDDLE)}), "on a dark page: neither"),
    Plant(
        "look", "pale card in light", with_look({"t": Tone(PALE, FINE.dark)}, used="t"), "pale .* on a light"
    ),
    Plant(
        "look", "pale card in dark", with_look({"t": Tone(FINE.light, PALE)}, used="t"), "pale .* on a dark"
    ),
    Plant("look", "pale cloth", with_look(backs={"b": Back(Tone(FINE.light, PALE))}), "light drawing"),
    Plant("look", "back without its icon", with_look(backs={"b": Back(FINE, "owl")}), "'owl'"),
    Plant("look", "tone that is not there", with_look({"t": FINE}, used="tt"), "names the tone 'tt'"),
    Plant("look", "back that is not there", with_zone(back="bb"), "names the back 'bb'"),
    Plant("look", "icon not well-formed", with_look(icons={"i": '<path d="M0 0">'}), "not well-formed"),
    Plant("look", "icon with a script", with_look(icons={"i": "<script/>"}), "element 'script'"),
    Plant("look", "icon with a handler", with_look(icons={"i": '<path onclick="x"/>'}), "'onclick'"),
    Plant("labels", "no label", replace(TOY, label=lambda s, e: " "), "not one line"),
    Plant("labels", "the same label twice", replace(TOY, label=lambda s, e: "Play"), "two moves of p1"),
    Plant("labels", "a value that is missing", replace(TOY, label=label_of_value), "'None'"),
    Plant("labels", "JSON", replace(TOY, label=lambda s, e: serialization.encode_event(e)), "in braces"),
    Plant("labels", "a seat without braces", replace(TOY, label=label_of_seat), "'p1'"),
    Plant("labels", "a seat that is none", replace(TOY, label=lambda s, e: f"Go on, {{p9}} {e}"), "'p9'"),
    Plant("turns", "round 0", replace(TOY, round=lambda s: s.round - 1), "from 1"),
    Plant("turns", "round goes back", replace(TOY, round=lambda s: 9 - s.round), "goes back"),
    Plant("turns", "round by what is known", replace(TOY, round=round_by_cards_unseen), "in full"),
    Plant("turns", "turn of nobody here", replace(TOY, turn=lambda s: "chance"), "no seat"),
    Plant("turns", "turn after the end", replace(TOY, turn=lambda s: "p1"), "over"),
    Plant("notation", "not read back", reading_of(write_value), "not read back"),
    Plant("notation", "another event", reading_of(write_unseen), "but read as"),
)
