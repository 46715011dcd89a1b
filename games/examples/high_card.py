"""High Card: a ruleset that hides cards; read `nim.py` first, which is the smallest complete one.

Each player holds three cards that only they see.  Every round both lay one face down, the two are turned at
once and go to the discard pile; the higher one scores.  Its owner draws two cards and passes one of them
to the other, so both hold three again; the two see what was passed, the table does not.  When fewer than
two cards are left to draw, the discard pile is shuffled back first.

Everything of a title is here in one file, in the order of the contract (`games/core/ruleset.py`); a title of
usual size spreads the same names over a folder.  It is not installed: it has no entry point.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from typing import Annotated, Any, Final, Literal

import msgspec
from msgspec.structs import replace as changed

from games import (
    CHANCE,
    EVERYTHING,
    NOBODY,
    PUBLIC,
    TABLE,
    UNSET,
    BadData,
    Box,
    BrokenInvariant,
    Card,
    Choice,
    Counter,
    Event,
    Face,
    IllegalAction,
    Notation,
    OneOf,
    Outcome,
    Pending,
    Random,
    RecordStarted,
    Ruleset,
    Scene,
    SomeOf,
    State,
    Zone,
    kind_of,
)
from games.kit import offered
from games.words import counted, joined

HAND: Final = 3
DRAWN: Final = 2
UNSEEN: Final = "?"
_HAND_OF: Final = "{{{}}}'s hand"

# --- events: one fact each, past tense, the stored kind written by hand; null is a card not seen ---------


class HandDealt(Event, frozen=True, tag="hand_dealt"):
    """A player gets their first cards; p1 before p2.  Only they see them."""

    player: str
    cards: tuple[str | None, ...]


class CardLaid(Event, frozen=True, tag="card_laid"):
    """A player commits a card of their hand, face down.  Only they see it."""

    player: str
    card: str | None


class CardsTurned(Event, frozen=True, tag="cards_turned"):
    """Both laid cards are turned up at once: one event of the seat `table`, an entry a player."""

    cards: dict[str, str]


class DeckRebuilt(Event, frozen=True, tag="deck_rebuilt"):
    """The discard pile, so many cards, is shuffled into the deck."""

    count: int


class CardsDrawn(Event, frozen=True, tag="cards_drawn"):
    """Who had the higher card draws.  Only they see the cards."""

    player: str
    cards: tuple[str | None, ...]


class CardPassed(Event, frozen=True, tag="card_passed"):
    """Who drew gives the other a card of their hand.  Those two see it, the table does not."""

    player: str
    card: str | None


# --- options, data, state --------------------------------------------------------------------------------


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How many rounds are played, and whether the higher or the lower card scores.

    A default is for ever the behaviour before the option existed; what new games get is `suggested`.
    """

    rounds: Annotated[int, msgspec.Meta(ge=1, le=1_000_000)] = 3
    scores: Literal["higher", "lower"] = "higher"


class PlayingCard(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card: its id in the record, and its figure, which no other card has."""

    id: str
    value: int


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The deck as the game uses it, and where it comes from."""

    source: str
    cards: tuple[PlayingCard, ...]


class Setup(msgspec.Struct, frozen=True):
    """What never changes in a game."""

    seats: tuple[str, ...]
    seen_as: str
    options: Options
    values: dict[str, int]


class Hand(msgspec.Struct, frozen=True):
    """Cards of which some are known: their ids, sorted, and how many others there are."""

    known: tuple[str, ...] = ()
    unknown: int = 0


class HighCard(State, frozen=True):
    """The state.  Its field names are public: rulings name them."""

    phase: Literal["dealing", "laying", "turning", "rebuilding", "drawing", "passing", "over"]
    round: int
    hands: dict[str, Hand]
    laid: dict[str, str | None]
    deck: int
    discards: tuple[str, ...]
    points: dict[str, int]
    taker: str | None
    setup: Setup = UNSET


DECK: Final = Data("shipped: twelve cards", tuple(PlayingCard(f"c{n:02}", n) for n in range(1, 13)))


def suggested(_seats: tuple[str, ...]) -> Options:
    """Give what a new game gets unless somebody chooses otherwise."""
    return Options(rounds=5)


def load_data(file: bytes | None, _seats: tuple[str, ...], _options: Options, _origin: str) -> Data:
    """Read a deck: `{"source": …, "cards": [{"id": …, "value": …}]}`."""
    if file is None:
        return DECK
    try:
        data = msgspec.json.decode(file, type=Data)
    except msgspec.DecodeError as error:
        raise BadData("", f"This is no deck of High Card: {error}.") from None
    if len(data.cards) < 2 * HAND + DRAWN:
        raise BadData("cards", f"{2 * HAND + DRAWN} cards are the least, not {len(data.cards)}.")
    for number, card in enumerate(data.cards):
        if any(card.id == other.id or card.value == other.value for other in data.cards[:number]):
            raise BadData(f"cards[{number}]", f"{card.id} with {card.value} repeats an id or a value.")
    return data


def setup(started: RecordStarted[Options, Data]) -> HighCard:
    """Give the table as it stands before the deal."""
    values = {card.id: card.value for card in started.data.cards}
    return HighCard(
        phase="dealing",
        round=1,
        hands={seat: Hand() for seat in started.seats},
        laid={},
        deck=len(values),
        discards=(),
        points=dict.fromkeys(started.seats, 0),
        taker=None,
        setup=Setup(started.seats, started.seen_as, started.options, values),
    )


# --- evolve: one small function a kind; never judges ----------------------------------------------------


def _other(state: HighCard, seat: str) -> str:
    return next(other for other in state.setup.seats if other != seat)


def _with(state: HighCard, seat: str, cards: tuple[str | None, ...]) -> dict[str, Hand]:
    """Put cards into a hand.  A record seen with other eyes never keeps track of what lies there."""
    hand = state.hands[seat]
    seen = [card for card in cards if card is not None] if _may_see(state.setup.seen_as, seat) else []
    added = Hand(tuple(sorted((*hand.known, *seen))), hand.unknown + len(cards) - len(seen))
    return {**state.hands, seat: added}


def _without(state: HighCard, seat: str, card: str | None) -> dict[str, Hand]:
    """Take a card out of a hand.  One that leaves unseen may have been any of them: all are forgotten."""
    hand = state.hands[seat]
    if card is None:
        left = Hand((), len(hand.known) + hand.unknown - 1)
    elif card in hand.known:
        left = Hand(tuple(known for known in hand.known if known != card), hand.unknown)
    else:
        left = Hand(hand.known, hand.unknown - 1)
    return {**state.hands, seat: left}


def _may_see(viewer: str, seat: str) -> bool:
    return viewer in {EVERYTHING, seat}


def hand_dealt(state: HighCard, event: HandDealt) -> HighCard:
    """Fill a hand; after the last the first round begins."""
    last = event.player == state.setup.seats[-1]
    return changed(
        state,
        hands=_with(state, event.player, event.cards),
        deck=state.deck - len(event.cards),
        phase="laying" if last else "dealing",
    )


def card_laid(state: HighCard, event: CardLaid) -> HighCard:
    """Move a card from a hand to the place before it."""
    laid = {**state.laid, event.player: event.card if _may_see(state.setup.seen_as, event.player) else None}
    return changed(
        state,
        hands=_without(state, event.player, event.card),
        laid=laid,
        phase=_laying(laid, state.setup.seats),
    )


def _laying(laid: dict[str, str | None], seats: tuple[str, ...]) -> Literal["laying", "turning"]:
    return "turning" if len(laid) == len(seats) else "laying"


def cards_turned(state: HighCard, event: CardsTurned) -> HighCard:
    """Score, and see whether there is another round."""
    best = max if state.setup.options.scores == "higher" else min
    taker = best(event.cards, key=lambda seat: state.setup.values[event.cards[seat]])
    over = state.round == state.setup.options.rounds
    return changed(
        state,
        laid={},
        discards=(*state.discards, *event.cards.values()),
        points={**state.points, taker: state.points[taker] + 1},
        taker=None if over else taker,
        phase="over" if over else "drawing" if state.deck >= DRAWN else "rebuilding",
    )


def deck_rebuilt(state: HighCard, event: DeckRebuilt) -> HighCard:
    """Shuffle: from now on these cards may lie anywhere in the deck."""
    return changed(state, deck=state.deck + event.count, discards=(), phase="drawing")


def cards_drawn(state: HighCard, event: CardsDrawn) -> HighCard:
    """Put what was drawn into the hand; who drew passes on."""
    hands, deck = _with(state, event.player, event.cards), state.deck - len(event.cards)
    return changed(state, hands=hands, deck=deck, taker=event.player, phase="passing")


def card_passed(state: HighCard, event: CardPassed) -> HighCard:
    """Move a card from hand to hand; the next round begins."""
    state = changed(state, hands=_without(state, event.player, event.card))
    hands = _with(state, _other(state, event.player), (event.card,))
    phase = _laying(state.laid, state.setup.seats)
    return changed(state, hands=hands, taker=None, round=state.round + 1, phase=phase)


# --- offers and judging ----------------------------------------------------------------------------------


def _places(state: HighCard) -> dict[str, str]:
    """Say where each card lies whose place the record shows."""
    places = {card: _HAND_OF.format(seat) for seat, hand in state.hands.items() for card in hand.known}
    places |= {card: f"the place before {{{seat}}}" for seat, card in state.laid.items() if card is not None}
    return places | dict.fromkeys(state.discards, "the discard pile")


def _unplaced(state: HighCard) -> tuple[str, ...]:
    """List the cards that may be any of the unseen ones: derived, never stored."""
    places = _places(state)
    return tuple(card for card in state.setup.values if card not in places)


def _holdable(state: HighCard, seat: str) -> tuple[str, ...]:
    hand = state.hands[seat]
    return (*hand.known, *(_unplaced(state) if hand.unknown else ()))


_CHANCE_OR_TABLE: Final = {
    "dealing": (CHANCE, "hand_dealt"),
    "turning": (TABLE, "cards_turned"),
    "rebuilding": (CHANCE, "deck_rebuilt"),
    "drawing": (CHANCE, "cards_drawn"),
}


def pending(state: HighCard) -> tuple[Pending, ...]:
    """Say who must decide; nothing here depends on which cards are known."""
    match state.phase:
        case "laying":
            waiting = (seat for seat in state.setup.seats if seat not in state.laid)
            return tuple(Pending(seat, ("card_laid",)) for seat in waiting)
        case "passing":
            return (Pending(str(state.taker), ("card_passed",)),)
        case "over":
            return ()
        case phase:
            seat, kind = _CHANCE_OR_TABLE[phase]
            return (Pending(seat, (kind,)),)


def legal_actions(state: HighCard, seat: str) -> Iterator[Event]:
    """List what can be listed: a card of the hand, what was laid, a rebuilt deck; an unseen card last."""
    unseen = seat in state.hands and state.hands[seat].unknown > 0
    return _listed(state, seat, unseen=unseen)


def _listed(state: HighCard, seat: str, *, unseen: bool) -> Iterator[Event]:
    match state.phase:
        case "laying" if seat in state.hands and seat not in state.laid:
            yield from (CardLaid(seat, card) for card in (*_holdable(state, seat), *(None,) * unseen))
        case "passing" if seat == state.taker:
            yield from (CardPassed(seat, card) for card in (*_holdable(state, seat), *(None,) * unseen))
        case "turning" if seat == TABLE:
            known = {player: card for player, card in sorted(state.laid.items()) if card is not None}
            if len(known) == len(state.laid):
                yield CardsTurned(known)
        case "rebuilding" if seat == CHANCE:
            yield DeckRebuilt(len(state.discards))


def open_choices(state: HighCard, seat: str) -> Iterator[Choice]:
    """Give as forms what cannot be listed: cards from the deck, and turning a card not seen before."""
    match state.phase:
        case "dealing" if seat == CHANCE:
            yield _from_deck(state, "hand_dealt", _next_dealt(state), HAND)
        case "drawing" if seat == CHANCE:
            yield _from_deck(state, "cards_drawn", str(state.taker), DRAWN)
        case "turning" if seat == TABLE and None in state.laid.values():
            known = {player: card for player, card in sorted(state.laid.items()) if card is not None}
            asks = (
                OneOf(f"cards.{player}", _unplaced(state)) for player in state.laid if player not in known
            )
            yield Choice("cards_turned", {"cards": known}, tuple(asks))


def _from_deck(state: HighCard, kind: str, player: str, count: int) -> Choice:
    return Choice(kind, {"player": player}, (SomeOf("cards", _unplaced(state), count, count),))


def _next_dealt(state: HighCard) -> str:
    return next(seat for seat in state.setup.seats if state.hands[seat] == Hand())


def check(state: HighCard, event: Event) -> None:
    """Judge by what is offered; beyond that, a card of an event may always be one that nobody saw.

    Errors: those of `offered`; `named-twice`; `card-elsewhere` where the record shows that a named card lies
            elsewhere.
    """
    if isinstance(event, CardsTurned) and len(set(event.cards.values())) < len(event.cards):
        raise IllegalAction("named-twice", "A card is named twice; it can lie in one place only.")
    try:
        offered(
            state,
            _with_possible_cards(state, event),
            pending=pending,
            legal_actions=lambda now, seat: _listed(now, seat, unseen=True),
            open_choices=open_choices,
        )
    except IllegalAction as refusal:
        if refusal.code != "not-offered":
            raise
        places = _places(state)
        for card in _named(event):
            at = places.get(card or "")
            if at is not None and at != _HAND_OF.format(getattr(event, "player", "")):
                raise IllegalAction(
                    "card-elsewhere", f"{card} cannot be meant: it is in {at}.", legal=refusal.legal
                ) from None
        raise


def _with_possible_cards(state: HighCard, event: Event) -> Event:
    """Read unseen cards from the deck as some that they may be, so that they fit the form."""
    if not isinstance(event, HandDealt | CardsDrawn):
        return event
    spare = [card for card in _unplaced(state) if card not in event.cards]
    return changed(
        event, cards=tuple(spare.pop() if card is None and spare else card for card in event.cards)
    )


def _named(event: Event) -> tuple[str | None, ...]:
    match event:
        case CardLaid() | CardPassed():
            return (event.card,)
        case HandDealt() | CardsDrawn():
            return event.cards
        case CardsTurned():
            return tuple(event.cards.values())
        case _:
            return ()


# --- chance, outcome, bot --------------------------------------------------------------------------------


def deal(state: HighCard, rng: Random) -> Event:
    """Draw lazily: a card that lies nowhere yet is equally likely at every unseen place."""
    match state.phase:
        case "dealing":
            return HandDealt(_next_dealt(state), tuple(rng.sample(_unplaced(state), HAND)))
        case "rebuilding":
            return DeckRebuilt(len(state.discards))
        case _:
            return CardsDrawn(str(state.taker), tuple(rng.sample(_unplaced(state), DRAWN)))


def outcome(state: HighCard) -> Outcome | None:
    """Decide after the last round: most points, or a draw."""
    if state.phase != "over":
        return None
    best = max(state.points.values())
    winners = tuple(seat for seat in state.setup.seats if state.points[seat] == best)
    if len(winners) > 1:
        return Outcome("draw", (), state.points)
    return Outcome("most-points", winners, state.points)


def scores(state: HighCard) -> dict[str, int]:
    """Give the points as they stand."""
    return state.points


def bot(state: HighCard, seat: str, _rng: Random) -> Event:
    """Lay the best card, pass the worst, and turn what was laid."""
    values = state.setup.values
    sign = 1 if state.setup.options.scores == "higher" else -1
    listed = [event for event in legal_actions(state, seat) if None not in _named(event)]
    if state.phase == "passing":
        sign = -sign
    return max(listed, key=lambda event: sign * sum(values[card or ""] for card in _named(event)))


# --- who is told what ------------------------------------------------------------------------------------


def redact(state: HighCard, event: Event, viewer: str) -> Event:
    """Tell one viewer: the same event, null for each card that they cannot see."""
    match event:
        case HandDealt() | CardsDrawn() if viewer != event.player:
            return changed(event, cards=(None,) * len(event.cards))
        case CardLaid() if viewer != event.player:
            return changed(event, card=None)
        case CardPassed() if viewer not in state.setup.seats:
            return changed(event, card=None)
        case _:
            return event


def hide(state: HighCard, viewer: str) -> HighCard:
    """Take out each card that this viewer cannot look at now; what a ruling did is told by it."""
    hands = {
        seat: hand if viewer == seat else Hand((), len(hand.known) + hand.unknown)
        for seat, hand in state.hands.items()
    }
    laid = {seat: card if viewer == seat else None for seat, card in state.laid.items()}
    return changed(state, hands=hands, laid=laid)


# --- what is shown ---------------------------------------------------------------------------------------


def scene(state: HighCard) -> Scene:
    """Lay the table out: a row a player, the deck and the discard pile between them."""
    return Scene(
        size=(800, 600),
        counters=(
            Counter("round", "Round", state.round),
            *(Counter(f"points.{seat}", "Points", won, owner=seat) for seat, won in state.points.items()),
        ),
        zones=(
            *(_hand_zone(state, seat, row) for row, seat in enumerate(state.setup.seats)),
            *(_laid_zone(state, seat, row) for row, seat in enumerate(state.setup.seats)),
            Zone("deck", "Deck", NOBODY, (), state.deck, Box(40, 240, 80, 120)),
            Zone("discards", "Discard pile", PUBLIC, _cards(state, *reversed(state.discards)), 0,
                 Box(160, 240, 80, 120), shown=True),
        ),
        turn=state.taker,
        headline=_headline(state),
    )  # fmt: skip


def _hand_zone(state: HighCard, seat: str, row: int) -> Zone:
    hand = state.hands[seat]
    return Zone(
        key=f"hand.{seat}",
        label="Hand",
        seen_by=(seat,),
        cards=_cards(state, *hand.known),
        unknown=hand.unknown,
        place=Box(40, 40 + 400 * row, 500, 120),
        owner=seat,
        spread="fan",
        shown=True,
    )


def _laid_zone(state: HighCard, seat: str, row: int) -> Zone:
    cards = (state.laid[seat],) if seat in state.laid else ()
    known = [card for card in cards if card is not None]
    return Zone(
        key=f"laid.{seat}",
        label="Laid",
        seen_by=(seat,),
        cards=_cards(state, *known),
        unknown=len(cards) - len(known),
        place=Box(600, 40 + 400 * row, 80, 120),
        owner=seat,
        spread="row",
    )


def _cards(state: HighCard, *cards: str) -> tuple[Card, ...]:
    return tuple(Card(card, _front(state, card)) for card in cards)


def _front(state: HighCard, card: str) -> Face:
    return Face(card, str(state.setup.values[card]))


def face(state: HighCard, card: str) -> Face | None:
    """Show a card's front, wherever it lies."""
    return _front(state, card) if card in state.setup.values else None


def _headline(state: HighCard) -> str:
    if state.phase == "over":
        return f"Over after {state.round} rounds"
    return f"Round {state.round} of {state.setup.options.rounds}: {state.phase}"


_VERBS: Final = {HandDealt: "is dealt", CardsDrawn: "draws", CardLaid: "lays", CardPassed: "passes"}


def describe(_state: HighCard, event: Event) -> str:
    """Say in one line what happens; a card not seen is called so."""
    match event:
        case HandDealt() | CardsDrawn() | CardLaid() | CardPassed():
            cards = ", ".join(card or "an unseen card" for card in _named(event))
            return f"{{{event.player}}} {_VERBS[type(event)]} {cards}."
        case CardsTurned():
            said = " against ".join(f"{card} of {{{seat}}}" for seat, card in event.cards.items())
            return f"Turned: {said}."
        case DeckRebuilt():
            return f"The {event.count} discards are shuffled into the deck."
        case _:
            return kind_of(event)


# --- notation: `p1: lay c07`, `turn c07,c02`, `?` for a card not seen ------------------------------------

_WORDS: Final[dict[str, type[Event]]] = {
    "deal": HandDealt,
    "draw": CardsDrawn,
    "lay": CardLaid,
    "pass": CardPassed,
    "turn": CardsTurned,
    "rebuild": DeckRebuilt,
}
_WORD_OF: Final = {event: word for word, event in _WORDS.items()}


def write(_state: HighCard, event: Event) -> str:
    """Give the short form; the seat stands in front of whatever one player does."""
    seat = f"{event.player}: " if isinstance(event, HandDealt | CardsDrawn | CardLaid | CardPassed) else ""
    cards = ",".join(card or UNSEEN for card in _named(event))
    return f"{seat}{_WORD_OF[type(event)]} {cards}".rstrip()


def read(state: HighCard, text: str) -> tuple[Event, ...]:
    """Read one short form.  Without a seat in front it is the first who may do that now."""
    seat, _, rest = text.rpartition(":")
    word, _, listed = rest.strip().partition(" ")
    kind = _WORDS.get(word)
    if kind is None:
        raise IllegalAction("not-understood", f"{word!r} is none of {', '.join(_WORDS)}.")
    cards = tuple(None if card.strip() == UNSEEN else card.strip() for card in listed.split(",") if card)
    return (_event(state, kind, seat.strip() or _due_first(state, kind), cards),)


def _event(state: HighCard, kind: type[Event], seat: str, cards: tuple[str | None, ...]) -> Event:
    if kind is DeckRebuilt and not cards:
        return DeckRebuilt(len(state.discards))
    if kind is HandDealt or kind is CardsDrawn:
        return kind(seat, cards)
    if kind is CardsTurned and len(cards) == len(state.setup.seats) and None not in cards:
        return CardsTurned({seat: card for seat, card in zip(state.setup.seats, cards, strict=True) if card})
    if (kind is CardLaid or kind is CardPassed) and len(cards) == 1:
        return kind(seat, cards[0])
    raise IllegalAction(
        "not-understood",
        f"{_WORD_OF[kind]} does not take {counted(len(cards), 'card like this', 'cards like these')}.",
    )


def _due_first(state: HighCard, kind: type[Event]) -> str:
    if kind is HandDealt:
        return next((seat for seat in state.setup.seats if state.hands[seat] == Hand()), state.setup.seats[0])
    if kind is CardsDrawn and state.taker is not None:
        return state.taker
    return next((due.seat for due in pending(state) if kind_of(kind) in due.kinds), state.setup.seats[0])


# --- conservation laws -----------------------------------------------------------------------------------


def invariants(state: HighCard) -> None:
    """Count: every card lies somewhere, none in two places, and the unseen ones fill the unseen places."""
    hands = state.hands.values()
    placed = [card for hand in hands for card in hand.known]
    placed += [card for card in state.laid.values() if card is not None] + list(state.discards)
    unseen = state.deck + sum(hand.unknown for hand in hands) + list(state.laid.values()).count(None)
    if len(placed) + unseen != len(state.setup.values):
        raise BrokenInvariant(f"there are {len(placed) + unseen} cards, not {len(state.setup.values)}")
    if len(set(placed)) != len(placed):
        raise BrokenInvariant("a card lies in two places")
    if state.deck < 0 or any(hand.unknown < 0 for hand in hands):
        raise BrokenInvariant("a pile holds less than nothing")
    if not set(placed) <= set(state.setup.values):
        raise BrokenInvariant("a card is not of this deck")


def label(_state: HighCard, event: Event) -> str:
    """Say a move as a command on a button, without the player."""
    cards = ", ".join(card or "an unseen card" for card in _named(event))
    match event:
        case HandDealt():
            return f"Deal {cards} to {{{event.player}}}"
        case CardsTurned():
            return f"Turn {joined(f'{card} of {{{seat}}}' for seat, card in event.cards.items())}"
        case DeckRebuilt():
            return f"Shuffle {event.count} discards into the deck"
        case CardLaid():
            return f"Lay {cards}"
        case CardPassed():
            return f"Pass {cards}"
        case _:
            return f"Draw {cards}"


def round_of(state: HighCard) -> int:
    """Give the round, from 1."""
    return state.round


def turn(state: HighCard) -> str | None:
    """Give whoever draws and passes; both lay at once, so that is nobody's turn."""
    return state.taker


HEADINGS: Final[dict[type[Event], str]] = {
    HandDealt: "Deal three cards",
    CardLaid: "Lay a card face down",
    CardsTurned: "Turn both cards",
    DeckRebuilt: "Shuffle the deck",
    CardsDrawn: "Draw two cards",
    CardPassed: "Pass a card on",
}


# --- the ruleset, and its older version ------------------------------------------------------------------

TOY: Final = Ruleset[HighCard](
    id="high-card",
    version=2,
    title="High Card",
    seats=(2,),
    events=(HandDealt, CardLaid, CardsTurned, DeckRebuilt, CardsDrawn, CardPassed),
    state=HighCard,
    options=Options,
    suggested=suggested,
    data=Data,
    load_data=load_data,
    setup=setup,
    evolve={
        HandDealt: hand_dealt,
        CardLaid: card_laid,
        CardsTurned: cards_turned,
        DeckRebuilt: deck_rebuilt,
        CardsDrawn: cards_drawn,
        CardPassed: card_passed,
    },
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
    describe=describe,
    label=label,
    round=round_of,
    turn=turn,
    headings=HEADINGS,
    face=face,
    notation=Notation(write=write, read=read),
    invariants=invariants,
    bot=bot,
)


def _laid_by_seat(payload: dict[str, Any]) -> dict[str, Any]:
    """Read the `card_laid` of version 1, which wrote `seat` where version 2 writes `player`."""
    return {"player" if key == "seat" else key: value for key, value in payload.items()}


RULESETS: Final = (TOY, replace(TOY, version=1, upcasts={"card_laid": _laid_by_seat}))
"""Newest first; what a title's entry point names."""
