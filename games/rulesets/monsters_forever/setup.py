"""Before the first move: the six race names, who leads which team, the 36 pieces on the star."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from importlib.resources import files
from typing import Final

import msgspec

from games.core.events import RecordStarted
from games.core.ruleset import BadData, IllegalAction
from games.kit.data import Fault, decoded, wrong_name, wrong_text
from games.rulesets.monsters_forever.board import START_NUMBERS, TEAMS
from games.rulesets.monsters_forever.state import NO_RUNS, Data, Options, Piece, Setup, State
from games.words import counted

_Races: Final = msgspec.defstruct("Races", [(team, str) for team in TEAMS], forbid_unknown_fields=True)


class RaceFile(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The names of the six races as a file gives them, and where they come from."""

    races: _Races  # type: ignore[valid-type]  # made of the teams
    source: str = "a file of the table's own"


def suggested(seats: tuple[str, ...]) -> Options:
    """Give the teams out alternately, clockwise; every other reading is the default one."""
    return Options(teams={team: seats[place % len(seats)] for place, team in enumerate(TEAMS)})


def load_data(file: bytes | None, _seats: tuple[str, ...], _options: Options, _origin: str) -> Data:
    """Read the names of the races: the file that a user gives, else ours.

    Errors: `BadData` naming the row (`races.D`): no JSON, another key, a team missing, a text that cannot
            be shown, a name that is there twice.
    """
    return read_data(file if file is not None else _default())


def _default() -> bytes:
    return files(__package__).joinpath("data/races.json").read_bytes()


def read_data(file: bytes) -> Data:
    """Read and judge a file of race names."""
    read = decoded(file, "file", lambda plain: msgspec.convert(plain, RaceFile))
    races: dict[str, str] = msgspec.structs.asdict(read.races)
    for row, sentence in _faults(read.source, races):
        raise BadData(row, sentence)
    return Data(read.source, races)


def _faults(source: str, races: Mapping[str, str]) -> Iterator[Fault]:
    yield from wrong_text("source", source)
    seen: dict[str, str] = {}
    for team, name in races.items():
        yield from wrong_name(f"races.{team}", name)
        other = seen.setdefault(name.casefold(), team)
        if other != team:
            yield f"races.{team}", f"{name!r} is the name of team {other} already."


def setup(started: RecordStarted[Options, Data]) -> State:
    """Put the 36 pieces on the star; team A is to move.

    Errors: `IllegalAction` `bad-teams` for a sharing out that is not fair.
    """
    _check_teams(started.options.teams, started.seats)
    return State(
        phase="turn",
        round=1,
        turn=TEAMS[0],
        move=1,
        attack=1,
        extra=0,
        pantry_open=False,
        moved=None,
        pieces={
            f"{team}{number}": Piece(team, number == 1, f"{team}{number}".lower())
            for team in TEAMS
            for number in START_NUMBERS
        },
        pantry=dict.fromkeys(TEAMS, 0),
        eaten=0,
        gone=0,
        retreat=None,
        frozen={},
        runs=dict.fromkeys(TEAMS, NO_RUNS),
        out=(),
        setup=Setup(started.seats, started.options, started.data),
    )


def _check_teams(teams: Mapping[str, str], seats: tuple[str, ...]) -> None:
    share = len(TEAMS) // len(seats)
    count = Counter(teams.values())
    if set(teams) != set(TEAMS) or any(count[seat] != share for seat in seats):
        given = ", ".join(f"{team} {seat}" for team, seat in sorted(teams.items()))
        each = counted(share, "team")
        raise IllegalAction(
            "bad-teams",
            f"Each of {', '.join(seats)} leads {each} of A to F, so that all six are led; not {given}.",
            "R22",
        )
