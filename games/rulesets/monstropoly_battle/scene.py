"""The table: two players face to face, the deck and the duel between them; in phase two piles of teams."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from msgspec.structs import replace

from games.core.scene import NOBODY, PUBLIC, Box, Counter, Face, Scene
from games.core.scene import Card as SceneCard
from games.core.scene import Zone as SceneZone
from games.kit.cards import CardZone, leave
from games.rulesets.monstropoly_battle import state as states
from games.rulesets.monstropoly_battle.actions import on_turn
from games.rulesets.monstropoly_battle.ladder import against, how_decided, round_verdict, turned_card
from games.rulesets.monstropoly_battle.places import zone_of
from games.rulesets.monstropoly_battle.scoring import REASONS, outcome
from games.rulesets.monstropoly_battle.state import (
    WEAPONS,
    State,
    Team,
    live,
    other,
    remaining,
    shuffled,
    was_shown,
)

SIZE: Final = (760.0, 760.0)
_LEFT, _WIDE = 20.0, 720.0
_HAND: Final = 186.0
"""Height of a hand: room for three rows of small cards."""
_CARD: Final = (96.0, 134.0)


def scene(state: State) -> Scene:
    """Draw the table; what this record does not know lies face down."""
    return Scene(
        size=SIZE,
        counters=tuple(_counters(state)),
        zones=tuple(_zones(state)),
        turn=next(iter(on_turn(state)), None),
        headline=headline(state),
    )


# --- in words and figures ---------------------------------------------------------------------------------


def headline(state: State) -> str:
    """Say where the game stands and which rung decided the round on the table."""
    ended = outcome(state)
    if ended is not None:
        winners = " ".join(f"{{{seat}}}" for seat in ended.winners)
        return f"{winners} wins ({REASONS[ended.reason]})" if winners else "Draw"
    if state.phase.startswith("phase1."):
        return f"Round {state.round} of {states.ROUNDS}: {_round(state)}"
    if state.phase == "phase2.select":
        return f"Phase two: {{{on_turn(state)[0]}}} picks {state.battles} of the teams"
    return _HEADLINES.get(state.phase) or f"Battle {state.battle} of {state.battles}{_pair(state)}"


_HEADLINES: Final = {
    "dealing": "The cards are dealt",
    "phase2.declare": "Phase two: teams are set out",
    "phase2.shuffle": "Phase two: the other cards are shuffled",
}


def _round(state: State) -> str:
    match state.phase:
        case "phase1.choose":
            return "choose a card"
        case "phase1.tie":
            last = round_verdict(state, turned_card(state)).rung
            return f"equal at {last.name} {last.one}, a card is turned"
        case "phase1.lot":
            return "all is equal, the lot decides"
        case _:
            return f"{{{state.winner}}} wins by {how_decided(state)}"


def _pair(state: State) -> str:
    match state.phase:
        case "phase2.field":
            return ": both field a team"
        case "phase2.lead":
            return f", pair {state.pair}: {{{state.leader}}} leads"
        case "phase2.answer":
            return f", pair {state.pair}: {{{other(state, str(state.leader))}}} answers"
        case _:
            again = "another" if state.tie_cards else "a third"
            return f", pair {state.pair}: {again} card is turned"


def _counters(state: State) -> Iterator[Counter]:
    yield Counter("round", "round", state.round)
    yield Counter("battle", "battle", state.battle, quiet=True)
    yield Counter("pair", "pair", state.pair, quiet=True)
    yield Counter("decided", "decided by", how_decided(state) or None, quiet=True)
    forces = _forces(state)
    for seat in state.setup.seats:
        yield Counter(f"points.{seat}", "points", state.points[seat], owner=seat)
        yield Counter(f"wins.{seat}", "rounds won", state.wins[seat], owner=seat)
        yield Counter(f"teams.{seat}", "teams", len(state.teams.get(seat, ())), owner=seat, quiet=True)
        yield Counter(f"force.{seat}", "force", forces.get(seat), owner=seat, quiet=True)


def _forces(state: State) -> dict[str, int]:
    if not state.played:
        return {}
    one, two = (state.setup.cards[state.played[seat]] for seat in state.setup.seats)
    rung = against(one, two)
    return dict(zip(state.setup.seats, (rung.one, rung.two), strict=True))


# --- places -----------------------------------------------------------------------------------------------


def _zones(state: State) -> Iterator[SceneZone]:
    yield from _middle(state)
    for seat in state.setup.seats:
        yield _hand(state, seat)
        yield _front(state, seat)
        yield from _teams(state, seat)


def _middle(state: State) -> Iterator[SceneZone]:
    deck = state.deck
    pile = CardZone(deck.known, deck.unknown + len(deck.under))
    yield _zone(state, "deck", "deck", pile, _box(20, 1), seen_by=NOBODY)
    under = _zone(state, "under", "under the deck", CardZone(deck.under, 0), _box(20, 1), seen_by=PUBLIC)
    yield replace(under, spread="none")
    turned = "third card" if shuffled(state) else "tie card"
    yield _zone(
        state, "tie", turned, CardZone(state.tie_cards[::-1], 0), _box(140, 1), shown=True, seen_by=PUBLIC
    )
    if state.phase == "phase1.split":
        drawn, seen_by = zone_of((state.drawn,)), (str(state.winner),)
        yield _zone(
            state, "drawn", "drawn", drawn, _box(524, 1), owner=state.winner, shown=True, seen_by=seen_by
        )
    yield _zone(
        state, "spent", "used up", CardZone(state.spent[::-1], 0), _box(644, 1), shown=True, seen_by=PUBLIC
    )


def _box(x: float, row: float) -> Box:
    return Box(x, 250 + 0.5 * (_MIDDLE - _CARD[1]) * row, *_CARD)


_MIDDLE: Final = 260.0
"""Height of the middle of the table: two cards face to face, slantwise, or one between them."""


def _hand(state: State, seat: str) -> SceneZone:
    """Draw a hand, or in phase two the few loose cards beside the teams."""
    held = in_hand(state, seat)
    box = _side_box(state, seat, _LEFT, _WIDE, _HAND)
    if state.teams.get(seat):
        box = _side_box(state, seat, _LEFT, _CARD[0], _CARD[1])
        return _zone(state, f"hand.{seat}", "loose", held, box, owner=seat, seen_by=(seat,))
    return _zone(state, f"hand.{seat}", "hand", held, box, owner=seat, shown=True, seen_by=(seat,), row=True)


def in_hand(state: State, seat: str) -> CardZone:
    """Give what a seat holds in their hand as the table sees it, without the card that they laid."""
    hand = state.hands[seat].zone
    if seat not in state.committed:
        return hand
    laid = state.committed[seat]
    if laid is None and hand.unknown:
        return CardZone(hand.known, hand.unknown - 1)
    return leave(hand, (laid,)).rest


def _side_box(state: State, seat: str, x: float, wide: float, high: float) -> Box:
    """Give a box at a player's edge of the table: p1 below, p2 above."""
    low = seat == state.setup.seats[0]
    return Box(x, SIZE[1] - 20 - high if low else 40, wide, high)


def _front(state: State, seat: str) -> SceneZone:
    """Draw the card before a player, face down while it is only laid."""
    low = seat == state.setup.seats[0]
    box = _box(388, 1.75) if low else _box(276, 0.25)
    if seat in state.committed:
        laid = zone_of((state.committed[seat],))
        return _zone(state, f"played.{seat}", "laid", laid, box, owner=seat, seen_by=(seat,))
    card = state.played.get(seat)
    if state.leader is not None:
        card = state.led if seat == state.leader else state.answered
    shown = CardZone(() if card is None else (card,), 0)
    return _zone(state, f"played.{seat}", "in play", shown, box, owner=seat, shown=True, seen_by=PUBLIC)


def _teams(state: State, seat: str) -> Iterator[SceneZone]:
    """Draw each team as a pile, the fielded one laid out in a row; what went to the deck is not drawn."""
    here = live(state, seat)
    fielded = state.fielded.get(seat) if state.leader is not None else None
    wide = 350.0 if fielded is not None else 0.0
    step = min(110.0, (_WIDE - 120 - wide) / max(len(here) - (fielded is not None), 1))
    x = _LEFT + 120.0
    for number, team in here:
        if number == fielded:
            yield _team(state, seat, number, team, _side_box(state, seat, x, wide - 12, _CARD[1]))
            x += wide
        else:
            yield _team(
                state, seat, number, team, _side_box(state, seat, x, min(_CARD[0], step - 8), _CARD[1])
            )
            x += step


def _team(state: State, seat: str, number: int, team: Team, box: Box) -> SceneZone:
    cards = CardZone(remaining(state, team), team.unseen)
    in_battle = state.leader is not None and state.fielded.get(seat) == number
    lineup = was_shown(state, team)
    return _zone(
        state,
        f"team.{seat}.{number}",
        team.kind or f"team {number}",
        cards,
        box,
        owner=seat,
        shown=in_battle or lineup,
        seen_by=PUBLIC if lineup else (seat,),
        row=in_battle,
    )


def _zone(
    state: State,
    key: str,
    label: str,
    held: CardZone,
    box: Box,
    *,
    seen_by: tuple[str, ...],
    owner: str | None = None,
    shown: bool = False,
    row: bool = False,
) -> SceneZone:
    return SceneZone(
        key=key,
        label=label,
        seen_by=seen_by,
        cards=tuple(SceneCard(card, _face(state, card)) for card in held.known),
        unknown=held.unknown,
        place=box,
        owner=owner,
        spread="row" if row else "stack",
        shown=shown,
        back="monster",
    )


def face(state: State, card: str) -> Face | None:
    """Show a card's front, wherever it lies."""
    return _face(state, card) if card in state.setup.cards else None


def _face(state: State, card: str) -> Face:
    printed = state.setup.cards[card]
    return Face(
        printed.name,
        value=str(printed.strike),
        mark=printed.letter or "",
        icon=printed.weapon,
        lines=(printed.team or "wild card",),
        values=tuple((weapon, str(printed.values.of(weapon))) for weapon in WEAPONS),
        tone="gambit" if printed.wild else "monster",
    )
