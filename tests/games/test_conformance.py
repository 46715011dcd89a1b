"""Each law rejects, by its name, a ruleset that breaks it; the unbroken one keeps them all."""

from __future__ import annotations

import importlib
import random
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from types import ModuleType
from typing import Any

import msgspec
import pytest
from msgspec.structs import replace as changed

from games import toy
from games.conformance import (
    LAWS,
    LONGEST,
    LawBroken,
    blurred,
    identities,
    option_variants,
    player_counts,
    recorded_games,
)
from games.events import Event
from games.ruleset import CHANCE, Choice, IllegalAction, Notation, Pending, Ruleset, SomeOf
from games.scene import Counter, Face, Piece, Zone
from games.start import started as start
from games.toy import (
    TOY,
    CardLaid,
    CardPassed,
    CardsDrawn,
    CardsTurned,
    DeckRebuilt,
    Hand,
    HandDealt,
    HighCard,
    Options,
)

ROOT = Path(__file__).resolve().parents[2]
BY_NAME = {law.name: law for law in LAWS}


@dataclass(frozen=True)
class Plant:
    """A broken ruleset, the law that it breaks, and what the refusal must say."""

    law: str
    fault: str
    ruleset: Ruleset[Any]
    says: str


def evolving(kind: type[Event], function: Callable[[HighCard, Any], HighCard]) -> Ruleset[Any]:
    return replace(TOY, evolve={**TOY.evolve, kind: function})


def redacting(function: Callable[[HighCard, Event, str], Event | None]) -> Ruleset[Any]:
    return replace(TOY, redact=lambda s, e, viewer: function(s, e, viewer) or toy.redact(s, e, viewer))


# --- playouts ---


def nothing_to_pass(state: HighCard, seat: str) -> Iterator[Event]:
    return iter(()) if state.phase == "passing" else toy.legal_actions(state, seat)


# --- offers ---


def any_card_to_lay(state: HighCard, seat: str) -> Iterator[Event]:
    if state.phase == "laying" and seat in state.hands:
        yield from (CardLaid(seat, card) for card in state.setup.values)
    else:
        yield from toy.legal_actions(state, seat)


def rebuild_at_any_time(state: HighCard, seat: str) -> Iterator[Event]:
    yield from toy.legal_actions(state, seat)
    if seat == CHANCE and state.phase == "dealing":
        yield DeckRebuilt(0)


def deal_from_hands(state: HighCard, rng: Any) -> Event:
    if state.phase == "drawing":
        return CardsDrawn(str(state.taker), state.hands[str(state.taker)].known[:2])
    return toy.deal(state, rng)


def form_of_one_card_too_many(state: HighCard, seat: str) -> Iterator[Choice]:
    for choice in toy.open_choices(state, seat):
        asks = tuple(
            changed(ask, least=ask.least + 1, most=ask.most + 1) if isinstance(ask, SomeOf) else ask
            for ask in choice.asks
        )
        yield changed(choice, asks=asks)


# --- over ---


def still_pending(state: HighCard) -> tuple[Pending, ...]:
    return toy.pending(state) or (Pending("p1", ("card_laid",), must=False),)


def nobody_must(state: HighCard) -> tuple[Pending, ...]:
    return tuple(changed(due, must=False) for due in toy.pending(state))


def lay_after_the_end(state: HighCard, seat: str) -> Iterator[Event]:
    if state.phase == "over":
        yield from (CardLaid(seat, card) for card in state.discards)
    yield from toy.legal_actions(state, seat)


def form_after_the_end(state: HighCard, seat: str) -> Iterator[Choice]:
    if state.phase == "over" and seat == CHANCE:
        yield Choice("deck_rebuilt", {"count": 1}, ())
    yield from toy.open_choices(state, seat)


def turn_after_the_end(state: HighCard, event: Event) -> None:
    if not (state.phase == "over" and isinstance(event, CardsTurned)):
        toy.check(state, event)


def may_turn_early(state: HighCard) -> tuple[Pending, ...]:
    early = (Pending("table", ("cards_turned",), must=False),) if state.phase == "drawing" else ()
    return (*toy.pending(state), *early)


# --- evolve ---


def lay_in_place(state: HighCard, event: CardLaid) -> HighCard:
    after = toy.card_laid(state, event)
    state.laid[event.player] = event.card
    return after


def turn_in_place(state: HighCard, event: CardsTurned) -> HighCard:
    after = toy.cards_turned(state, event)
    event.cards.update(p1=event.cards["p2"], p2=event.cards["p1"])
    return after


def turn_by_dice() -> Callable[[HighCard, CardsTurned], HighCard]:
    dice = random.Random(0)  # noqa: S311 - the fault that is planted

    def turn(state: HighCard, event: CardsTurned) -> HighCard:
        return changed(toy.cards_turned(state, event), round=state.round + dice.randint(0, 1_000_000))

    return turn


# --- wire ---


class ShoutedLaid(CardLaid, frozen=True, tag="Card-Laid"):
    pass


def forget_card(payload: dict[str, Any]) -> dict[str, Any]:
    return payload | {"card": None}


class Loose(HighCard, frozen=True, kw_only=True):
    """A state with a number that JSON has no word for."""

    luck: float


def loose_setup(event: Any) -> Loose:
    fields = msgspec.structs.asdict(toy.setup(event))
    return Loose(**fields, luck=float("inf"))


# --- invariants, scene, notation ---


def lose_a_card(state: HighCard, event: CardsTurned) -> HighCard:
    after = toy.cards_turned(state, event)
    return changed(after, discards=after.discards[1:])


def with_counters(*counters: Counter) -> Ruleset[Any]:
    return replace(TOY, scene=lambda s: changed(toy.scene(s), counters=(*toy.scene(s).counters, *counters)))


def with_zone(**fields: Any) -> Ruleset[Any]:
    def scene(state: HighCard) -> Any:
        plain = toy.scene(state)
        first: Zone = changed(plain.zones[0], **fields)
        return changed(plain, zones=(first, *plain.zones[1:]))

    return replace(TOY, scene=scene)


def floating_piece(state: HighCard) -> Any:
    return changed(toy.scene(state), pieces=(Piece("pawn", "A1", "A", "pawn", "0"),))


def shout_card(state: HighCard, event: Event) -> str:
    return event.card.upper() if isinstance(event, CardPassed) else toy.describe(state, event)  # type: ignore[union-attr]


def write_value(state: HighCard, event: Event) -> str:
    text = toy.write(state, event)
    return text.replace("c0", "") if isinstance(event, CardLaid) else text


def write_unseen(state: HighCard, event: Event) -> str:
    return toy.write(state, changed(event, card=None) if isinstance(event, CardPassed) else event)


def reading_of(write: Callable[[HighCard, Event], str]) -> Ruleset[Any]:
    return replace(TOY, notation=Notation(write=write, read=read_known))


def read_known(state: HighCard, text: str) -> tuple[Event, ...]:
    (event,) = toy.read(state, text)
    if isinstance(event, CardLaid) and event.card is not None and event.card not in state.setup.values:
        raise IllegalAction("not-understood", f"{event.card!r} is no card.")
    return (event,)


# --- rulings ---


def hide_and_lose(state: HighCard, viewer: str) -> HighCard:
    hidden = toy.hide(state, viewer)
    return changed(hidden, hands={seat: Hand(hand.known, 0) for seat, hand in hidden.hands.items()})


def hide_for_seats_only(state: HighCard, viewer: str) -> HighCard:
    return changed(toy.hide(state, viewer), hands={**state.hands, viewer: state.hands[viewer]})


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
    after = toy.cards_turned(state, event)
    blind = sum(hand.unknown for hand in state.hands.values())
    return changed(after, points={**after.points, "p1": after.points["p1"] + blind})


def pending_if_known(state: HighCard) -> tuple[Pending, ...]:
    known = state.phase == "turning" and None not in state.laid.values()
    return (*toy.pending(state), *(Pending("p1", ("card_laid",), must=False),) * known)


def count_only_known(state: HighCard) -> Any:
    plain = toy.scene(state)
    return changed(plain, zones=tuple(changed(zone, unknown=0) for zone in plain.zones))


def turned_otherwise_when_told_twice(state: HighCard, event: Event, viewer: str) -> Event | None:
    if isinstance(event, CardPassed) and viewer == "p2" and event.player == "p1":
        return None if state.setup.seen_as == "everything" else changed(event, card=None)
    return None


def no_unseen_card_where_all_is_seen(state: HighCard, event: Event) -> None:
    if state.setup.seen_as == "everything" and isinstance(event, CardLaid) and event.card is None:
        raise IllegalAction("not-offered", "Which card is it?")
    toy.check(state, event)


def draw_must_be_seen(state: HighCard, event: CardsDrawn) -> HighCard:
    if state.setup.seen_as == "everything":
        _ = [state.setup.values[str(card)] for card in event.cards]
    return toy.cards_drawn(state, event)


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
    plain = toy.scene(state)
    return changed(plain, zones=tuple(changed(zone, seen_by=()) for zone in plain.zones))


class OpenDrawn(Event, frozen=True, tag="cards_drawn"):
    """A draw whose cards cannot be null: there is nothing that `redact` could do."""

    player: str
    cards: tuple[str, ...]


def deal_openly(state: HighCard, rng: Any) -> Event:
    event = toy.deal(state, rng)
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
    plain = toy.scene(state)
    return changed(
        plain,
        zones=tuple(
            zone if zone.key.startswith("hand") else changed(zone, seen_by=()) for zone in plain.zones
        ),
    )


PLANTS = (
    Plant(
        "playouts", "dead end", replace(TOY, bot=None, legal_actions=nothing_to_pass), "nothing is offered"
    ),
    Plant("playouts", "bot crashes", replace(TOY, bot=lambda s, seat, rng: {}[seat]), "KeyError"),
    Plant(
        "playouts",
        "never ends",
        replace(TOY, suggested=lambda _: Options(rounds=1_000_000)),
        "comes to an end",
    ),
    Plant(
        "offers", "card of another hand", replace(TOY, legal_actions=any_card_to_lay), "is offered.*card_laid"
    ),
    Plant("offers", "kind not pending", replace(TOY, legal_actions=rebuild_at_any_time), "not pending"),
    Plant("offers", "card dealt twice", replace(TOY, deal=deal_from_hands), "was dealt or offered"),
    Plant(
        "offers", "impossible form", replace(TOY, open_choices=form_of_one_card_too_many), "within 50 tries"
    ),
    Plant("over", "still pending", replace(TOY, pending=still_pending), "is asked for card_laid"),
    Plant("over", "nobody must", replace(TOY, pending=nobody_must), "nobody must"),
    Plant("over", "listed", replace(TOY, legal_actions=lay_after_the_end), "offered something"),
    Plant("over", "form", replace(TOY, open_choices=form_after_the_end), "offered a form"),
    Plant("over", "accepted", replace(TOY, check=turn_after_the_end), "is accepted"),
    Plant("evolve", "state changed in place", evolving(CardLaid, lay_in_place), "the state that it is given"),
    Plant(
        "evolve", "event changed in place", evolving(CardsTurned, turn_in_place), "the event that it is given"
    ),
    Plant("evolve", "rolls dice", evolving(CardsTurned, turn_by_dice()), "second time"),
    Plant(
        "wire", "upcast spoils what is new", replace(TOY, upcasts={"card_laid": forget_card}), "reads back as"
    ),
    Plant(
        "wire",
        "kind not in snake_case",
        replace(
            TOY,
            events=(ShoutedLaid, *TOY.events),
            headings={},
            evolve={ShoutedLaid: toy.card_laid, **TOY.evolve},
        ),
        "Card-Laid",
    ),
    Plant(
        "wire", "state without a JSON word", replace(TOY, state=Loose, setup=loose_setup), "(?i)float|freez"
    ),
    Plant("invariants", "card lost", evolving(CardsTurned, lose_a_card), "11 cards, not 12"),
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
    Plant("notation", "not read back", reading_of(write_value), "not read back"),
    Plant("notation", "another event", reading_of(write_unseen), "but read as"),
    Plant("told", "fewer cards", redacting(fewer_cards_told), "not legal"),
    Plant("told", "own hand hidden", redacting(own_cards_kept_secret), "his own actions"),
    Plant("told", "another kind", redacting(told_as_another_kind), "card_passed is told as card_laid"),
    Plant("told", "points by knowledge", evolving(CardsTurned, points_to_the_sighted), "scores is"),
    Plant("told", "pending by knowledge", replace(TOY, pending=pending_if_known), "pending is"),
    Plant("told", "sizes by knowledge", replace(TOY, scene=count_only_known), "zones hold"),
    Plant("told", "other when told twice", redacting(turned_otherwise_when_told_twice), "told once more"),
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
    Plant("rulings", "tells a hand", replace(TOY, hide=lambda state, _viewer: state), "learns|forms|actions"),
    Plant("rulings", "loses a card", replace(TOY, hide=hide_and_lose), "breaks-the-count"),
    Plant("rulings", "crash", replace(TOY, hide=hide_for_seats_only), "cannot be told: KeyError"),
    Plant("leak", "no zone is seen", replace(TOY, scene=no_card_drawn), "learns"),
)


@pytest.mark.parametrize("ruleset", toy.RULESETS, ids=lambda item: f"version {item.version}")
@pytest.mark.parametrize("law", LAWS, ids=str)
def test_unbroken_ruleset_keeps_every_law(ruleset: Ruleset[Any], law: Any) -> None:
    law.check(ruleset, recorded_games(ruleset))


@pytest.mark.parametrize("plant", PLANTS, ids=lambda item: f"{item.law}: {item.fault}")
def test_law_rejects(plant: Plant) -> None:
    games = recorded_games(plant.ruleset)
    with pytest.raises(LawBroken, match=plant.says) as broken:
        BY_NAME[plant.law].check(plant.ruleset, games)
    assert f"breaks the {plant.law} law" in str(broken.value)


def test_notation_law_types_what_is_offered_and_never_happened() -> None:
    broken = reading_of(write_value)
    dealt = [replace(game, events=game.events[:2]) for game in recorded_games(broken)[:1]]
    assert not any(isinstance(event, CardLaid) for event in dealt[0].events)
    with pytest.raises(LawBroken, match="not read back"):
        BY_NAME["notation"].check(broken, dealt)


# --- repeatable: what another process must find is written into a module of its own ---

BY_HASH = """
from dataclasses import replace
from games import toy
from games.toy import TOY, CardsDrawn, CardsTurned
from msgspec.structs import replace as changed

def turned(state, event):
    after = toy.cards_turned(state, event)
    return changed(after, discards=tuple(set(after.discards)))

def deal(state, rng):
    if state.phase != "drawing":
        return toy.deal(state, rng)
    return CardsDrawn(state.taker, tuple(rng.sample(list(set(toy._unplaced(state))), 2)))

def told_apart(state, event):
    return changed(toy.cards_turned(state, event), round=state.round + next(COUNT))

class Count:
    def __init__(self):
        self.at = 0
    def __next__(self):
        self.at += 1
        return self.at

COUNT = Count()
FOLD = replace(TOY, evolve={**TOY.evolve, CardsTurned: turned})
DEAL = replace(TOY, deal=deal)
FAMILY = (replace(TOY, version=4), replace(TOY, version=3, evolve={**TOY.evolve, CardsTurned: told_apart}))
"""


@pytest.fixture
def by_hash(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ModuleType]:
    (tmp_path / "planted_by_hash.py").write_text(BY_HASH, encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))
    yield importlib.import_module("planted_by_hash")
    del sys.modules["planted_by_hash"]


def breach_of_repeatable(ruleset: Ruleset[Any]) -> str:
    with pytest.raises(LawBroken) as broken:
        BY_NAME["repeatable"].check(ruleset, recorded_games(ruleset))
    assert broken.value.law == "repeatable"
    return str(broken.value)


def test_repeatable_law_rejects_a_fold_by_hash_order(by_hash: ModuleType) -> None:
    said = breach_of_repeatable(by_hash.FOLD)
    assert "the state or what is offered is another in another process" in said


def test_repeatable_law_rejects_a_deal_by_hash_order(by_hash: ModuleType) -> None:
    assert "the playout from its seed is another one in another process" in breach_of_repeatable(by_hash.DEAL)


def test_repeatable_law_rejects_a_fold_that_remembers(by_hash: ModuleType) -> None:
    assert "another the second time" in breach_of_repeatable(by_hash.FAMILY[1])


def test_repeatable_law_finds_a_version_in_its_family(by_hash: ModuleType) -> None:
    BY_NAME["repeatable"].check(by_hash.FAMILY[0], recorded_games(by_hash.FAMILY[0]))


def test_repeatable_law_rejects_what_no_other_process_can_import() -> None:
    assert "stands in no module by name" in breach_of_repeatable(replace(TOY, version=9))


def test_repeatable_law_says_what_went_wrong_elsewhere(
    by_hash: ModuleType, monkeypatch: pytest.MonkeyPatch
) -> None:
    games = recorded_games(by_hash.FOLD)
    Path(str(by_hash.__file__)).write_text("raise ValueError('no more')", encoding="utf-8")
    with pytest.raises(LawBroken, match="ValueError: no more"):
        BY_NAME["repeatable"].check(by_hash.FOLD, games)


# --- the laws as a whole ---


def test_each_law_has_a_ruleset_that_it_rejects() -> None:
    assert {law.name for law in LAWS} == {plant.law for plant in PLANTS} | {"repeatable"}


def test_each_law_is_documented() -> None:
    text = (ROOT / "games" / "README.md").read_text(encoding="utf-8")
    missing = [law.name for law in LAWS if f"| {law.name} | {law.says} |" not in text]
    assert missing == []


def test_leak_law_needs_a_witness() -> None:
    blind = replace(TOY, scene=lambda state: changed(toy.scene(state), zones=()))
    games = tuple(
        replace(game, started=changed(game.started, data=toy.Data("none", ())))
        for game in recorded_games(blind)
    )
    with pytest.raises(LawBroken, match="no scene shows a card as witness"):
        BY_NAME["leak"].check(replace(blind, setup=lambda _: toy.setup(start(TOY, 2))), games)


def test_leak_law_allows_a_card_turned_and_at_once_put_away() -> None:
    ruleset = replace(TOY, scene=discards_put_away)
    BY_NAME["leak"].check(ruleset, recorded_games(ruleset))


def test_blurred_games_miss_cards_and_keep_their_length() -> None:
    game = recorded_games(TOY)[0]
    views = list(blurred(TOY, game))
    assert [view.viewer for view in views][-1] == "no card seen"
    for view in views:
        events = list(view.events)
        assert len(events) == len(game.events)
        assert sum(b"null" in msgspec.json.encode(event) for event in events) > 0
    laid = [event for event in views[-1].events if isinstance(event, CardLaid)]
    assert {event.card for event in laid} == {None}


def test_identities_are_the_cards() -> None:
    assert identities(TOY, recorded_games(TOY)[0]) == {f"c{number:02}" for number in range(1, 13)}


def test_games_are_played_for_each_option_value_and_each_sort_of_player() -> None:
    labels = [game.label for game in recorded_games(TOY, seeds=(7,))]
    assert labels == [
        "2 players, seed 7, bot",
        "2 players, seed 7, random",
        "2 players, seed 7, bot, scores lower",
    ]


def test_a_restless_player_takes_up_what_another_leaves_for_chance() -> None:
    labels = [game.label for game in recorded_games(replace(TOY, pending=may_turn_early), seeds=(7,))]
    assert labels[2] == "2 players, seed 7, restless"


def test_option_variants_try_switches_too() -> None:
    class Switched(msgspec.Struct, frozen=True):
        rounds: int = 1
        scores: str = "higher"
        blind: bool = False

    ruleset = replace(TOY, options=Switched, suggested=lambda _: Switched())
    assert [event.options.blind for event in option_variants(ruleset)] == [True]


def test_player_counts_are_the_fewest_the_next_and_the_most() -> None:
    assert player_counts(replace(TOY, seats=tuple(range(2, 15)))) == (2, 3, 14)


def test_playouts_stop_at_the_cap() -> None:
    endless = replace(TOY, suggested=lambda _: Options(rounds=1_000_000))
    assert {len(game.events) for game in recorded_games(endless, seeds=(1,))[:2]} == {LONGEST}
