"""From the first event to the first state."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, NoReturn, get_args

from games.core.events import RecordStarted
from games.core.ruleset import TABLE, IllegalAction
from games.rulesets.legend_of_monopoly.data import refuse_manual
from games.rulesets.legend_of_monopoly.state import (
    START_MONEY,
    Data,
    Deck,
    Land,
    Options,
    Setup,
    State,
    Token,
    Underworld,
)

TOKENS: Final[tuple[Token, ...]] = get_args(Token)
WATCHING: Final = 5
"""With so many players the Treasurer may only watch."""


def suggested(seats: tuple[str, ...]) -> Options:
    """Give the tokens out in the order of the rulebook; every reading is the default one."""
    return Options(tokens=dict(zip(seats, TOKENS, strict=False)))


def setup(started: RecordStarted[Options, Data]) -> State:
    """Put everybody on GO with the starting money.

    Errors: `IllegalAction` `bad-tokens`, `bad-treasurer`, `bad-persona`, `wrong-money`, `bad-rounds`,
            `manual-needs-table`.
    """
    seats, options = started.seats, started.options
    _check_tokens(options.tokens, seats)
    _check_personas(options, seats)
    _check_money(options)
    _check_rounds(options)
    refuse_manual(started.data, started.origin)
    first = options.mother_confessor
    none = dict.fromkeys(seats, 0)
    money = sum(int(coin) * count for coin, count in options.starting_money.items())
    return State(
        phase="start" if first is None else "turn.pre",
        turn=first,
        first=first,
        round=1,
        doubles=0,
        streak=none,
        again=False,
        contenders=seats if first is None else (),
        rolls={},
        space=none,
        held={},
        water_open=False,
        cash=dict.fromkeys(seats, money),
        chest=0,
        loans=none,
        water=none,
        cards=dict.fromkeys(seats, ()),
        skip=none,
        lands={},
        decks={name: Deck((), len(cards), ()) for name, cards in started.data.magic.items()},
        drawn=None,
        charge=None,
        leave=None,
        auction=None,
        debts=(),
        move_due=None,
        out=(),
        setup=_setup(started),
    )


def _setup(started: RecordStarted[Options, Data]) -> Setup:
    data = started.data
    lands = {str(space.pos): space for space in data.spaces if isinstance(space, Land)}
    parts: dict[str, tuple[str, ...]] = {}
    for key, land in lands.items():
        parts[land.part] = (*parts.get(land.part, ()), key)
    return Setup(
        seats=started.seats,
        origin=started.origin,
        options=started.options,
        spaces=data.spaces,
        lands=lands,
        parts=parts,
        magic={card.id: card for cards in data.magic.values() for card in cards},
        decks={name: tuple(card.id for card in cards) for name, cards in data.magic.items()},
        deck_of={card.id: name for name, cards in data.magic.items() for card in cards},
        underworld=next(space.pos for space in data.spaces if isinstance(space, Underworld)),
    )


# --- options that must fit the table -----------------------------------------------------------------


def _refuse(code: str, sentence: str, rule: str) -> NoReturn:
    raise IllegalAction(code, sentence, rule)


def _check_tokens(tokens: Mapping[str, Token], seats: tuple[str, ...]) -> None:
    if set(tokens) != set(seats) or len(set(tokens.values())) != len(seats):
        given = ", ".join(f"{seat} {token}" for seat, token in tokens.items()) or "none"
        _refuse("bad-tokens", f"Each of {', '.join(seats)} has a token of its own; not {given}.", "R1")


def _check_personas(options: Options, seats: tuple[str, ...]) -> None:
    for who, seat in (("Mother Confessor", options.mother_confessor), ("Madame Denna", options.madame_denna)):
        if seat is not None and seat not in seats:
            _refuse("bad-persona", f"{who} is played by one of {', '.join(seats)}, not {seat!r}.", "R32")
    treasurer = options.treasurer
    if treasurer == TABLE and len(seats) < WATCHING:
        sentence = f"With fewer than {WATCHING} players one of {', '.join(seats)} is the Treasurer."
        _refuse("bad-treasurer", sentence, "R30")
    if treasurer not in (*seats, TABLE):
        _refuse("bad-treasurer", f"The Treasurer is one of {', '.join(seats)}, not {treasurer!r}.", "R30")


def _check_money(options: Options) -> None:
    total = sum(int(coin) * count for coin, count in options.starting_money.items())
    if total != START_MONEY:
        sentence = f"Each player begins with {START_MONEY} Rahl; these coins make {total}."
        _refuse("wrong-money", sentence, "rulebook, Preparation")


def _check_rounds(options: Options) -> None:
    if (options.rounds is not None) != (options.win == "wealthiest-after-rounds"):
        sentence = "Give rounds with win wealthiest-after-rounds, and leave it null with any other."
        _refuse("bad-rounds", sentence, "R2")
