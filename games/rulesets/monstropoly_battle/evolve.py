"""Applying checked events; whatever follows without anybody's doing follows at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any, Final

from msgspec.structs import replace

from games.core.events import Event
from games.kit.cards import CardZone, Unseen, join, leave
from games.rulesets.monstropoly_battle.events import (
    CardAnswered,
    CardCommitted,
    CardLed,
    CardsRevealed,
    DeckShuffled,
    HandDealt,
    LineupShown,
    LotDrawn,
    SpoilsSplit,
    TeamFielded,
    TeamsDeclared,
    TeamsSelected,
    TieCardDrawn,
    TopCardTaken,
    WeaponCardDrawn,
)
from games.rulesets.monstropoly_battle.ladder import no_card_breaks, pair_verdict, round_verdict
from games.rulesets.monstropoly_battle.places import draw_from, with_cards, without_cards
from games.rulesets.monstropoly_battle.state import (
    LINEUP,
    PAIR_POINTS,
    ROUNDS,
    TEAM,
    TEAM_POINTS,
    Deck,
    Hand,
    State,
    Team,
    live,
    other,
    remaining,
    unseen_in_teams,
)
from games.rulesets.monstropoly_battle.teams import only_kind

# --- phase one ------------------------------------------------------------------------------------------


def _hand_dealt(state: State, event: HandDealt) -> State:
    rest = leave(state.deck.shuffled, event.cards).rest
    hands = {**state.hands, event.player: with_cards(state.hands[event.player], *event.cards)}
    dealt = all(hand.size for hand in hands.values())
    return replace(
        state,
        hands=hands,
        deck=Deck(rest.known, rest.unknown, ()),
        phase="phase1.choose" if dealt else "dealing",
    )


def _card_committed(state: State, event: CardCommitted) -> State:
    laid = {**state.committed, event.player: event.card}
    return replace(state, committed=_in_order(state, laid))


def _in_order(state: State, items: dict[str, Any]) -> dict[str, Any]:
    return {seat: items[seat] for seat in state.setup.seats if seat in items}


def _cards_revealed(state: State, event: CardsRevealed) -> State:
    played = _in_order(state, event.cards)
    hands = {seat: without_cards(hand, (played[seat],)) for seat, hand in state.hands.items()}
    shown = replace(state, hands=hands, committed={}, played=played)
    winner = round_verdict(shown, None).winner
    return replace(shown, phase="phase1.tie") if winner is None else _won(shown, winner)


def _won(state: State, winner: str) -> State:
    """Let the winner of a round draw; tie cards are the deck again if nothing else is left of it."""
    won = replace(state, winner=winner, phase="phase1.take")
    return won if won.deck.size else _tie_cards_under(won)


def _tie_cards_under(state: State) -> State:
    deck = replace(state.deck, under=(*state.deck.under, *state.tie_cards))
    return replace(state, deck=deck, tie_cards=())


def _tie_card_drawn(state: State, event: TieCardDrawn) -> State:
    deck = draw_from(state.deck, event.card).deck
    turned = replace(state, deck=deck, tie_cards=(*state.tie_cards, event.card))
    winner = round_verdict(turned, event.card).winner
    return _dead_tie(turned) if winner is None else _won(turned, winner)


def _dead_tie(state: State) -> State:
    match state.setup.options.dead_tie:
        case "take-back":
            hands = {seat: with_cards(hand, state.played[seat]) for seat, hand in state.hands.items()}
            return _tie_cards_under(replace(state, hands=hands, played={}, phase="phase1.choose"))
        case "redraw" if state.deck.size:
            return state
        case _:
            return replace(state, phase="phase1.lot")


def lot_is_due(state: State) -> bool:
    """Tell whether further tie cards may be turned, but none of them can break the tie."""
    return state.phase == "phase1.tie" and bool(state.tie_cards) and no_card_breaks(state)


def _lot_drawn(state: State, event: LotDrawn) -> State:
    return _won(state, event.winner)


def _top_card_taken(state: State, event: TopCardTaken) -> State:
    deck, card = draw_from(state.deck, event.card)
    return replace(state, deck=deck, drawn=card, phase="phase1.split")


def _spoils_split(state: State, event: SpoilsSplit) -> State:
    winner, loser = event.player, other(state, event.player)
    spoils = {
        "own": state.played[winner],
        "opponent": state.played[loser],
        "drawn": state.drawn if event.drawn is None else event.drawn,
    }
    given = spoils.pop(event.gives)
    hands = {
        winner: with_cards(state.hands[winner], *spoils.values()),
        loser: with_cards(state.hands[loser], given),
    }
    ended = replace(
        state,
        hands=_in_order(state, hands),
        played={},
        winner=None,
        drawn=None,
        wins={**state.wins, winner: state.wins[winner] + 1},
        last_loser=loser,
    )
    return _next_round(_tie_cards_under(ended))


def _next_round(state: State) -> State:
    if not state.deck.size:
        return replace(state, phase="phase2.declare")
    return replace(state, phase="phase1.choose", round=min(state.round + 1, ROUNDS))


# --- phase two: teams ----------------------------------------------------------------------------------


def _teams_declared(state: State, event: TeamsDeclared) -> State:
    seat = event.player
    teams = tuple(
        Team(item.kind or only_kind(state.setup, item.cards), item.cards, selected=False, used=False)
        for item in event.teams
    )
    after = replace(
        state,
        hands={
            **state.hands,
            seat: _loose(state.hands[seat], [card for team in teams for card in team.cards]),
        },
        teams=_in_order(state, {**state.teams, seat: teams}),
    )
    return _counted(after) if len(after.teams) == len(state.setup.seats) else after


def _loose(hand: Hand, cards: Sequence[Unseen]) -> Hand:
    """Take the cards of teams out of a hand; if some were not seen, nobody knows which cards are left."""
    named = tuple(card for card in cards if card is not None)
    unseen = len(cards) - len(named)
    rest = leave(hand.zone, named).rest
    return Hand((), rest.size - unseen, rest.known) if unseen else Hand(rest.known, rest.unknown)


def _counted(state: State) -> State:
    """Count the first points; without a team on both sides the game is over."""
    counts = {seat: len(teams) for seat, teams in state.teams.items()}
    points = {seat: TEAM_POINTS * count + state.hands[seat].size for seat, count in counts.items()}
    battles = min(counts.values())
    counted = replace(state, points=points, battles=battles)
    if not battles:
        return replace(counted, phase="over")
    for seat, count in counts.items():
        if count == battles:
            counted = selected(counted, seat, range(count))
    more = max(counts.values()) > battles
    return replace(counted, phase="phase2.select" if more else "phase2.shuffle")


def selected(state: State, seat: str, numbers: Iterable[int]) -> State:
    """Mark the teams of a seat that fight."""
    chosen = set(numbers)
    teams = tuple(replace(team, selected=number in chosen) for number, team in enumerate(state.teams[seat]))
    return replace(state, teams={**state.teams, seat: teams})


def _teams_selected(state: State, event: TeamsSelected) -> State:
    return replace(selected(state, event.player, event.teams), phase="phase2.shuffle")


def _deck_shuffled(state: State, _event: DeckShuffled) -> State:
    hands, pile = dict(state.hands), state.deck.shuffled
    for seat in state.setup.seats:
        hands[seat], gone = _put_away(state, seat)
        pile = join(pile, gone, CardZone(_unselected_cards(state, seat), 0))
    deck = Deck(pile.known, pile.unknown, state.deck.under)
    return replace(state, hands=hands, deck=deck, battle=1, phase="phase2.field")


def _put_away(state: State, seat: str) -> tuple[Hand, CardZone]:
    """Let a hand and the unseen cards of teams not selected go to the deck.

    Cards that may have gone or stayed are forgotten; where all of them went or stayed, they are known to.
    """
    hand = state.hands[seat]
    staying = sum(team.unseen for team in state.teams[seat] if team.selected)
    going = hand.unknown + unseen_in_teams(state, seat) - staying
    if not staying:
        return Hand((), 0), CardZone((*hand.known, *hand.mixed), going - len(hand.mixed))
    return Hand((), 0, () if going else hand.mixed), CardZone(hand.known, going)


def _unselected_cards(state: State, seat: str) -> tuple[str, ...]:
    return tuple(
        card for _, team in live(state, seat) if not team.selected for card in remaining(state, team)
    )


# --- phase two: battles ----------------------------------------------------------------------------------


def _team_fielded(state: State, event: TeamFielded) -> State:
    fielded = _in_order(state, {**state.fielded, event.player: event.team})
    if len(fielded) < len(state.setup.seats):
        return replace(state, fielded=fielded)
    return replace(state, fielded=fielded, pair=1, leader=opener(state), phase="phase2.lead")


def opener(state: State) -> str:
    """Name who opens a battle: fewer points; of equal points the loser of the latest comparison."""
    first, second = state.setup.seats
    if state.points[first] == state.points[second]:
        return state.last_loser or first
    return min(first, second, key=state.points.__getitem__)


def revealed(state: State, seat: str, cards: tuple[str, ...]) -> State:
    """Name cards of a seat's fielded team, where they were not known before."""
    number = state.fielded[seat]
    team, hand = state.teams[seat][number], state.hands[seat]
    new = tuple(card for card in cards if card not in team.cards)
    if not new:
        return state
    names = iter(new)
    slots = tuple(next(names, None) if card is None else card for card in team.cards)
    named = replace(team, cards=slots, kind=team.kind or only_kind(state.setup, slots))
    teams = tuple(named if place == number else item for place, item in enumerate(state.teams[seat]))
    return replace(
        state,
        teams={**state.teams, seat: teams},
        hands={
            **state.hands,
            seat: replace(hand, mixed=tuple(card for card in hand.mixed if card not in new)),
        },
    )


def _lineup_shown(state: State, event: LineupShown) -> State:
    seat = event.player
    shown = revealed(state, seat, event.cards)
    team = shown.teams[seat][shown.fielded[seat]]
    teams = tuple(
        replace(item, kind=LINEUP, cards=event.cards) if item is team else item for item in shown.teams[seat]
    )
    won = replace(shown, teams={**shown.teams, seat: teams}, last_loser=other(state, seat))
    return _battle_over(_scored(won, seat, state.setup.options.lordi_win))


def _scored(state: State, seat: str, points: int) -> State:
    return replace(state, points={**state.points, seat: state.points[seat] + points})


def _card_led(state: State, event: CardLed) -> State:
    return replace(revealed(state, event.player, (event.card,)), led=event.card, phase="phase2.answer")


def _card_answered(state: State, event: CardAnswered) -> State:
    return replace(revealed(state, event.player, (event.card,)), answered=event.card, phase="phase2.draw")


def _weapon_card_drawn(state: State, event: WeaponCardDrawn) -> State:
    deck = draw_from(state.deck, event.card).deck
    turned = replace(state, deck=deck, tie_cards=(*state.tie_cards, event.card))
    winner = pair_verdict(state, event.card).winner
    if winner is None and state.setup.options.phase2_tie == "redraw" and deck.size:
        return turned
    return _pair_over(turned, winner)


def _pair_over(state: State, winner: str | None) -> State:
    cleared = replace(
        _tie_cards_under(state),
        spent=(*state.spent, str(state.led), str(state.answered)),
        led=None,
        answered=None,
    )
    if winner is not None:
        loser = other(state, winner)
        cleared = replace(_scored(cleared, winner, PAIR_POINTS), leader=loser, last_loser=loser)
    elif state.setup.options.phase2_tie == "split":
        cleared = replace(cleared, leader=other(state, str(state.leader)))
    if state.pair < TEAM:
        return replace(cleared, pair=state.pair + 1, phase="phase2.lead")
    return _battle_over(cleared)


def _battle_over(state: State) -> State:
    """Use both fielded teams up."""
    teams = {
        seat: tuple(
            replace(team, used=True) if number == state.fielded[seat] else team
            for number, team in enumerate(teams)
        )
        for seat, teams in state.teams.items()
    }
    over = replace(state, teams=teams, fielded={}, leader=None)
    if state.battle == state.battles:
        return replace(over, phase="over")
    return replace(over, battle=state.battle + 1, pair=0, phase="phase2.field")


EVOLVE: Final[dict[type[Event], Callable[[State, Any], State]]] = {
    HandDealt: _hand_dealt,
    CardCommitted: _card_committed,
    CardsRevealed: _cards_revealed,
    TieCardDrawn: _tie_card_drawn,
    LotDrawn: _lot_drawn,
    TopCardTaken: _top_card_taken,
    SpoilsSplit: _spoils_split,
    TeamsDeclared: _teams_declared,
    TeamsSelected: _teams_selected,
    DeckShuffled: _deck_shuffled,
    TeamFielded: _team_fielded,
    LineupShown: _lineup_shown,
    CardLed: _card_led,
    CardAnswered: _card_answered,
    WeaponCardDrawn: _weapon_card_drawn,
}
