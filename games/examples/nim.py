"""Nim: the smallest complete ruleset, to copy and to fill in; `high_card.py` shows one that hides cards.

In turn each player takes matches from a heap, up to a limit; whoever takes the last one wins.
The parts stand in the order of the contract (`games/core/ruleset.py`).  It has no entry point.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Annotated, Final

import msgspec
from msgspec.structs import replace

from games import UNSET, BadData, BrokenInvariant, Event, Outcome, Pending, RecordStarted, Ruleset, State

# isort: split
from games import Counter, Scene
from games.kit import offered


class MatchesTaken(Event, frozen=True, tag="matches_taken"):
    """A player takes matches from the heap.  An event is a fact: past tense, its stored kind for ever."""

    player: str
    count: Annotated[int, msgspec.Meta(ge=1)]


class Options(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """How a table plays; a default is for ever the behaviour before the option existed."""

    matches: Annotated[int, msgspec.Meta(ge=2, le=100, description="Matches in the heap.")] = 21
    most: Annotated[int, msgspec.Meta(ge=2, le=9, description="The most that you may take at once.")] = 3


class Data(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """The cards or the board as the game uses them; Nim has none."""

    source: str = "Nim has no cards and no board"


class Setup(msgspec.Struct, frozen=True):
    """What never changes in a game."""

    seats: tuple[str, ...]
    options: Options


class Nim(State, frozen=True):
    """The state: matches left, matches taken by each seat.  Field names are public: rulings name them."""

    heap: int
    taken: dict[str, int]
    turn: str
    round: int
    setup: Setup = UNSET


def load_data(file: bytes | None, _seats: tuple[str, ...], _options: Options, _origin: str) -> Data:
    """Give the cards of the game; a ruleset with cards decodes the file here."""
    if file is not None:
        raise BadData("", "Nim takes no file of cards.")
    return Data()


def setup(started: RecordStarted[Options, Data]) -> Nim:
    """Give the first state."""
    seats, options = started.seats, started.options
    return Nim(options.matches, dict.fromkeys(seats, 0), seats[0], 1, Setup(seats, options))


def matches_taken(state: Nim, event: MatchesTaken) -> Nim:
    """Apply the event; the turn passes to the left.  Never judge here."""
    seats = state.setup.seats
    place = (seats.index(event.player) + 1) % len(seats)
    taken = {**state.taken, event.player: state.taken[event.player] + event.count}
    rounds = state.round + (place == 0)
    return replace(state, heap=state.heap - event.count, taken=taken, turn=seats[place], round=rounds)


def pending(state: Nim) -> tuple[Pending, ...]:
    """Say who must decide; nothing once the game is over."""
    return (Pending(state.turn, ("matches_taken",), why="takes matches"),) if state.heap > 0 else ()


def legal_actions(state: Nim, seat: str) -> Iterator[Event]:
    """Offer every number that this seat may take, the smallest first."""
    if seat == state.turn:
        yield from (MatchesTaken(seat, n + 1) for n in range(min(state.heap, state.setup.options.most)))


def check(state: Nim, event: Event) -> None:
    """Accept what is offered and nothing else."""
    offered(state, event, pending=pending, legal_actions=legal_actions)


def outcome(state: Nim) -> Outcome | None:
    """Decide the game: whoever took the last match has the seat before the one to move."""
    if state.heap > 0:
        return None
    seats = state.setup.seats
    return Outcome("last-match", (seats[seats.index(state.turn) - 1],), state.taken)


def scene(state: Nim) -> Scene:
    """Show the heap and what each has taken; a board has cells and pieces, cards lie in zones."""
    heap = Counter("heap", "Heap", state.heap)
    taken = (Counter(f"taken.{seat}", "Taken", count, owner=seat) for seat, count in state.taken.items())
    headline = f"Round {state.round}: {state.heap} matches left"
    return Scene(size=(400, 200), counters=(heap, *taken), turn=turn(state), headline=headline)


def turn(state: Nim) -> str | None:
    """Give the seat to move."""
    return state.turn if state.heap > 0 else None


def invariants(state: Nim) -> None:
    """Count: no match comes from or goes nowhere."""
    if state.heap < 0 or state.heap + sum(state.taken.values()) != state.setup.options.matches:
        raise BrokenInvariant("matches are missing or too many")


NIM: Final = Ruleset[Nim](
    id="nim",
    version=1,
    title="Nim",
    seats=(2, 3, 4),
    events=(MatchesTaken,),
    state=Nim,
    options=Options,
    suggested=lambda _seats: Options(),
    data=Data,
    load_data=load_data,
    setup=setup,
    evolve={MatchesTaken: matches_taken},
    pending=pending,
    legal_actions=legal_actions,
    check=check,
    outcome=outcome,
    scores=lambda state: state.taken,
    scene=scene,
    describe=lambda _state, event: f"{{{event.player}}} takes {event.count}",  # type: ignore[attr-defined]
    label=lambda _state, event: f"Take {event.count}",  # type: ignore[attr-defined]
    round=lambda state: state.round,
    turn=turn,
    invariants=invariants,
)
RULESETS: Final = (NIM,)  # newest first: what an entry point of the group `tabletape.rulesets` names
