"""Card files: reading and judging; what fits is stored in the first event."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Final

import msgspec

from games.core.ruleset import BadData
from games.kit.data import Fault, decoded, wrong_ids, wrong_name, wrong_text
from games.rulesets.monstropoly_battle.state import (
    LETTERS,
    LINEUP,
    TEAM,
    Card,
    Data,
    Letter,
    Options,
    Values,
    Weapon,
)

CARDS: Final = 54
TEAMS: Final = 10
WILD: Final = "RDDI"
COUNTS: Final = {"L": 1, "O": 1, "R": 4, "D": 4, "I": 4}

_FORBIDDEN: Final = "{},;/"
_RESERVED: Final = frozenset(
    {
        "answer", "commit", "declare", "drawn", "field", "give", "hand", "lead", "lineup", "lot", "opponent",
        "own", "p1", "p2", "select", "shuffle", "take", "third", "tie", "v",
    }
)  # fmt: skip
"""Words of the notation, which cannot be the id of a card."""


class Row(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A card as a file gives it; without `wild` a card is wild if it has no team."""

    id: str
    name: str
    strike: Annotated[int, msgspec.Meta(ge=1, le=7)]
    weapon: Weapon
    values: Values
    team: str | None = None
    letter: Letter | None = None
    wild: bool | None = None


class CardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A whole deck."""

    source: str
    cards: tuple[Row, ...]


def load_data(file: bytes | None, _seats: tuple[str, ...], _options: Options, _origin: str) -> Data:
    """Read a card file, or the shipped one where none is given.

    Errors: `BadData` with the offending row.
    """
    return _shipped() if file is None else _read(file)


@cache
def _shipped() -> Data:
    return _read(files(__package__).joinpath("data/cards.json").read_bytes())


def _read(file: bytes) -> Data:
    read = decoded(file, "card file", lambda plain: msgspec.convert(plain, CardFile))
    for row, sentence in (*wrong_text("source", read.source), *_faults(read.cards)):
        raise BadData(row, sentence)
    return Data(read.source, tuple(_card(row) for row in read.cards))


def _card(row: Row) -> Card:
    return Card(
        id=row.id,
        name=row.name,
        team=row.team,
        letter=row.letter,
        wild=row.team is None,
        strike=row.strike,
        weapon=row.weapon,
        values=row.values,
    )


# --- what does not fit ---------------------------------------------------------------------------------


def _faults(cards: tuple[Row, ...]) -> Iterator[Fault]:
    """Give each row that does not fit, with what would be right."""
    if len(cards) != CARDS:
        yield f"cards[{min(len(cards), CARDS)}]", f"A deck has {CARDS} cards, this file {len(cards)}."
    yield from _faults_of_texts(cards)
    yield from _faults_of_teams(cards)
    yield from _faults_of_wild(cards)
    yield from _faults_of_letters(cards)


def _faults_of_texts(cards: tuple[Row, ...]) -> Iterator[Fault]:
    rows = {f"cards[{number}]": card for number, card in enumerate(cards)}
    yield from wrong_ids(((row, card.id) for row, card in rows.items()), _RESERVED)
    for row, card in rows.items():
        yield from wrong_name(row, card.name, _FORBIDDEN)
        if card.team is not None:
            yield from wrong_name(row, card.team, _FORBIDDEN)
        if card.team == LINEUP:
            yield row, f"No team can be called {LINEUP}: that is the line-up."


def _faults_of_teams(cards: tuple[Row, ...]) -> Iterator[Fault]:
    teams: dict[str, list[int]] = {}
    for number, card in enumerate(cards):
        if card.team is not None:
            teams.setdefault(card.team, []).append(number)
    for name, members in teams.items():
        if len(members) != TEAM:
            row = f"cards[{members[min(len(members), TEAM + 1) - 1]}]"
            yield row, f"A team has {TEAM} cards, {name} has {len(members)}."
        leaders = [number for number in members if cards[number].letter is not None]
        if len(leaders) != 1:
            row = f"cards[{leaders[1] if leaders else members[0]}]"
            yield row, f"A team has one card with a letter, {name} has {len(leaders)}."
    if len(teams) != TEAMS:
        last = max(members[0] for members in teams.values()) if teams else 0
        yield f"cards[{last}]", f"There are {TEAMS} teams, this file has {len(teams)}."


def _faults_of_wild(cards: tuple[Row, ...]) -> Iterator[Fault]:
    letters: list[str] = []
    for number, card in enumerate(cards):
        if card.wild is not None and card.wild != (card.team is None):
            need = "has no team (null)" if card.wild else "has a team"
            yield f"cards[{number}]", f"{card.id} has wild {str(card.wild).lower()}: such a card {need}."
        if card.team is None:
            letters.append(card.letter or "none")
            if Counter(letters) - Counter(WILD):
                have = ", ".join(letters)
                yield f"cards[{number}]", f"The wild cards have the letters R, D, D, I, not {have}."


def _faults_of_letters(cards: tuple[Row, ...]) -> Iterator[Fault]:
    held = Counter[str]()
    for number, card in enumerate(cards):
        if card.letter is not None:
            held[card.letter] += 1
            if held[card.letter] > COUNTS[card.letter]:
                yield (
                    f"cards[{number}]",
                    f"{COUNTS[card.letter]} cards have the letter {card.letter}, not more.",
                )
    for letter in LETTERS:
        if held[letter] < COUNTS[letter]:
            yield "cards", f"{COUNTS[letter]} cards have the letter {letter}, not {held[letter]}."
