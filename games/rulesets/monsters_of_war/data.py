"""Card files: reading, judging, and spreading them over the sets that a game needs."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from importlib.resources import files
from typing import Annotated, Any, Final

import msgspec

from games.core.ruleset import BadData, IllegalAction
from games.kit.data import Fault, decoded, wrong_id, wrong_ids, wrong_name, wrong_text
from games.rulesets.monsters_of_war.state import WITH_NUMBER, Data, Gambit, Monster, Operation, Options
from games.words import counted

MONSTERS: Final = 42
WARS: Final = 10
GAMBITS: Final = 20

_FURTHER: Final = re.compile(r"s\d+-")
"""How the cards of further sets begin."""
_RESERVED: Final = frozenset({"resign", "v", "w"})
_WAR: Final = frozenset({"v", "w", "war"})
"""What moves are typed with, and what a War card is called."""
HIGHEST: Final = 999
"""Printed figures go so far."""


class MonsterRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A monster card as a file gives it."""

    id: str
    attack: int
    name: str | None = None


class GambitRow(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A kind of gambit as a file gives it; without `ids` its cards are `kind-1`, `kind-2`, and so on."""

    kind: str
    copies: Annotated[int, msgspec.Meta(ge=1)]
    effect: str
    ops: tuple[Operation, ...]
    ids: tuple[str, ...] | None = None


class CardFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """One set of cards."""

    source: str
    monsters: tuple[MonsterRow, ...]
    wars: tuple[str, ...]
    gambits: tuple[GambitRow, ...]


def load_data(file: bytes | None, seats: tuple[str, ...], _options: Options, origin: str) -> Data:
    """Read a card file (the shipped one where none is given) and spread it over the sets needed.

    Errors: `BadData` with the offending row; `IllegalAction` `manual-needs-table`.
    """
    data = _expanded(_shipped() if file is None else _read(file), sets_for(len(seats)))
    refuse_manual(data, origin)
    return data


def sets_for(players: int) -> int:
    """Count the sets of cards for so many players: one for each two."""
    return (players + 1) // 2


def refuse_manual(data: Data, origin: str) -> None:
    """Refuse cards that only a table can read in a game that nobody plays at a table.

    Errors: `IllegalAction` `manual-needs-table`.
    """
    manual = next((gambit for gambit in data.gambits if gambit.has("manual")), None)
    if manual is not None and origin != "table":
        raise IllegalAction(
            "manual-needs-table",
            f"The gambit {manual.kind!r} has the op manual: what it does must be seen at a table,"
            f" so this game cannot be {origin}.",
            "R24",
        )


@cache
def _shipped() -> CardFile:
    return _read(files(__package__).joinpath("data/cards.json").read_bytes())


def _read(file: bytes) -> CardFile:
    cards = decoded(file, "card file", _cards)
    for row, sentence in _faults(cards):
        raise BadData(row, sentence)
    return cards


def _cards(plain: Any) -> CardFile:
    return _collected(plain) if _is_recorded(plain) else msgspec.convert(plain, CardFile)


def _is_recorded(plain: object) -> bool:
    """Tell whether this is the data of a record, in which each gambit card stands by itself."""
    match plain:
        case {"gambits": [{"id": _}, *_]}:
            return True
        case _:
            return False


def _collected(plain: object) -> CardFile:
    """Make a card file of a record's data: its first set; the cards of one kind are one row again."""
    data = msgspec.convert(plain, Data)
    kinds: dict[str, list[Gambit]] = {}
    for gambit in data.gambits:
        if not _FURTHER.match(gambit.id):
            kinds.setdefault(gambit.kind, []).append(gambit)
    for number, gambit in enumerate(data.gambits):
        first = kinds.get(gambit.kind, [gambit])[0]
        if (gambit.effect, gambit.ops) != (first.effect, first.ops):
            raise BadData(f"gambits[{number}]", f"It does not do what {first.id} does, of the same kind.")
    return CardFile(
        source=data.source,
        monsters=tuple(
            MonsterRow(row.id, row.attack, row.name) for row in data.monsters if not _FURTHER.match(row.id)
        ),
        wars=tuple(war for war in data.wars if not _FURTHER.match(war)),
        gambits=tuple(
            GambitRow(kind, len(cards), cards[0].effect, cards[0].ops, tuple(card.id for card in cards))
            for kind, cards in kinds.items()
        ),
    )


def _faults(cards: CardFile) -> Iterator[Fault]:
    """Give each row that does not fit, with what would be right."""
    yield from wrong_text("source", cards.source)
    yield from _wrong_counts(cards)
    for number, row in enumerate(cards.gambits):
        yield from _faults_of_kind(f"gambits[{number}]", row)
    yield from _wrong_ids(cards)
    for number, monster in enumerate(cards.monsters):
        yield from _faults_of_monster(f"monsters[{number}]", monster)


def _wrong_counts(cards: CardFile) -> Iterator[Fault]:
    gambits = sum(row.copies for row in cards.gambits)
    for name, have, need in (
        ("monsters", len(cards.monsters), MONSTERS),
        ("wars", len(cards.wars), WARS),
        ("gambits", gambits, GAMBITS),
    ):
        if have != need:
            row = name if name == "gambits" else f"{name}[{min(have, need)}]"
            yield row, f"A set has {counted(need, 'card')} in {name!r}, this file {have:,}."


def _faults_of_kind(row: str, kind: GambitRow) -> Iterator[Fault]:
    yield from wrong_id(row, kind.kind, _RESERVED)
    yield from wrong_text(row, kind.effect)
    if kind.ids is not None and len(kind.ids) != kind.copies:
        copies, ids = counted(kind.copies, "copy", "copies"), counted(len(kind.ids), "id")
        yield row, f"{kind.kind} has {copies} but {ids}."
    for item in kind.ops:
        if (item.n is not None) != (item.op in WITH_NUMBER):
            need = "needs a number n" if item.op in WITH_NUMBER else "takes no number n"
            yield row, f"The op {item.op} {need}."
        least = 0 if item.op == "multiply-self" else -HIGHEST
        if item.n is not None and not least <= item.n <= HIGHEST:
            yield row, f"{item.op} takes an n from {least} to {HIGHEST}, not {item.n}."


def _ids(cards: CardFile) -> Iterator[Fault]:
    for number, monster in enumerate(cards.monsters):
        yield f"monsters[{number}]", monster.id
    for number, war in enumerate(cards.wars):
        yield f"wars[{number}]", war
    for number, row in enumerate(cards.gambits):
        for gambit in gambit_ids(row):
            yield f"gambits[{number}]", gambit


def _wrong_ids(cards: CardFile) -> Iterator[Fault]:
    yield from wrong_ids(_ids(cards), _RESERVED)
    for row, name in _ids(cards):
        if _FURTHER.match(name):
            yield row, f"{name!r} begins like a card of a further set; the sets are numbered by the game."
    kinds: dict[str, str] = {}
    for number, kind in enumerate(cards.gambits):
        if kind.kind in kinds:
            yield f"gambits[{number}]", f"The kind {kind.kind!r} stands in {kinds[kind.kind]} already."
        kinds[kind.kind] = f"gambits[{number}]"


def _faults_of_monster(row: str, monster: MonsterRow) -> Iterator[Fault]:
    if not 0 <= monster.attack <= HIGHEST:
        yield row, f"attack takes a whole number from 0 to {HIGHEST}, not {monster.attack}."
    if monster.name is not None:
        yield from wrong_name(row, monster.name, misread=_WAR)


def gambit_ids(row: GambitRow) -> tuple[str, ...]:
    """List the ids of a kind's cards, those it is given or kind and number."""
    return row.ids or tuple(f"{row.kind}-{number}" for number in range(1, row.copies + 1))


def _expanded(cards: CardFile, sets: int) -> Data:
    prefixes = ("", *(f"s{number}-" for number in range(2, sets + 1)))
    return Data(
        source=cards.source,
        monsters=tuple(
            Monster(prefix + row.id, row.name, row.attack) for prefix in prefixes for row in cards.monsters
        ),
        wars=tuple(prefix + war for prefix in prefixes for war in cards.wars),
        gambits=tuple(_gambits(cards.gambits, prefixes)),
    )


def _gambits(rows: tuple[GambitRow, ...], prefixes: Iterable[str]) -> Iterator[Gambit]:
    for prefix in prefixes:
        for row in rows:
            for name in gambit_ids(row):
                yield Gambit(prefix + name, row.kind, row.effect, row.ops)
