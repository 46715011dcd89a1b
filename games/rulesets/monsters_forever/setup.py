"""Before the first move: the six race names, who leads which team, the 36 pieces on the star."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from importlib.resources import files
from typing import Any, Final

import msgspec

from games.events import RecordStarted
from games.ruleset import BadData, IllegalAction
from games.rulesets.monsters_forever.board import START_NUMBERS, TEAMS
from games.rulesets.monsters_forever.state import NO_RUNS, Data, Options, Piece, Setup, State

LONGEST_NAME: Final = 40
_BRACES: Final = frozenset("{}")


def suggested(seats: tuple[str, ...]) -> Options:
    """Give the teams out alternately, clockwise; every other reading is the default one."""
    return Options(teams={team: seats[place % len(seats)] for place, team in enumerate(TEAMS)})


def load_data(file: bytes | None, _seats: tuple[str, ...], _options: Options, _origin: str) -> Data:
    """Read the names of the races: the file that a user gives, else ours.

    Errors: `BadData` naming the row (`races.D`): no JSON, another key, a team missing, a name that is
            empty, too long, with braces or there twice.
    """
    return read_data(file if file is not None else _default())


def _default() -> bytes:
    return files(__package__).joinpath("data/races.json").read_bytes()


def read_data(file: bytes) -> Data:
    """Read and judge a file of race names."""
    try:
        rows = msgspec.json.decode(file)
    except msgspec.DecodeError as error:
        raise BadData("", f"The file is no JSON: {error}.") from None
    if not isinstance(rows, dict):
        raise BadData("", 'The file is an object with "races", and perhaps "source".')
    odd = sorted(rows.keys() - {"races", "source"})
    if odd:
        raise BadData(odd[0], 'The file holds "races" and "source", and nothing else.')
    source = rows.get("source", "a file of the table's own")
    if not isinstance(source, str) or not source.strip():
        raise BadData("source", "The source is a text that says where the names come from.")
    return Data(source, _races(rows.get("races")))


def _races(rows: Any) -> dict[str, str]:
    if not isinstance(rows, dict):
        raise BadData("races", 'The races are an object with a name for each team: {"A": "Zombies", …}.')
    odd = sorted(rows.keys() - set(TEAMS))
    if odd:
        raise BadData(f"races.{odd[0]}", f"There is no team {odd[0]!r}; the teams are A to F.")
    seen: dict[str, str] = {}
    for team in TEAMS:
        if team not in rows:
            raise BadData(f"races.{team}", "This team has no name; all six teams, A to F, need one.")
        name = rows[team]
        if not isinstance(name, str) or not name.strip() or not name.isprintable():
            raise BadData(f"races.{team}", "A name is a text in one line, and not empty.")
        if not _BRACES.isdisjoint(name):
            raise BadData(f"races.{team}", "A name has no braces: in sentences they stand for players.")
        if len(name) > LONGEST_NAME:
            raise BadData(f"races.{team}", f"A name has at most {LONGEST_NAME} characters, not {len(name)}.")
        other = seen.setdefault(name.strip().casefold(), team)
        if other != team:
            raise BadData(f"races.{team}", f"{name.strip()!r} is the name of team {other} already.")
    return {team: rows[team].strip() for team in TEAMS}


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
        each = "one team" if share == 1 else f"{share} teams"
        raise IllegalAction(
            "bad-teams",
            f"Each of {', '.join(seats)} leads {each} of A to F, so that all six are led; not {given}.",
            "R22",
        )
