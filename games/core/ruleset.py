"""The ruleset contract: one frozen dataclass whose every field is a value or a plain function."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final, Generic, Protocol, TypeVar

import msgspec

from games.core.events import Event, RecordStarted, kind_of
from games.core.scene import Face, Look, Scene
from games.core.sentences import shortened

S = TypeVar("S")
T = TypeVar("T")

CHANCE: Final = "chance"
TABLE: Final = "table"
EVERYTHING: Final = "everything"
UNSET: Final[Any] = None
"""Default of a state's field `setup`: taken out where a state is stored, put back where it is used."""
SEAT: Final = "p[1-9][0-9]?"
"""How the key of a player's seat is written."""


class State(msgspec.Struct, frozen=True, omit_defaults=True):
    """Base of a ruleset's state: only `setup` has a default (`UNSET`), so that JSON leaves it out."""


class IllegalAction(Exception):
    """A refusal that a player understands.

    `code` is stable, lower-case with hyphens; `rule` names the rule or ruling; `legal` are events that
    would have been accepted (all of them or the first 50).
    """

    def __init__(self, code: str, sentence: str, rule: str = "", legal: Iterable[Event] = ()) -> None:
        self.code = code
        self.sentence = shortened(sentence)
        super().__init__(f"{code}: {self.sentence}")
        self.rule = rule
        self.legal = tuple(legal)[:50]


class BadData(Exception):
    """A card or board file that does not fit; `row` names the offending row (`cards[3]`), or is empty."""

    code = "bad-data"

    def __init__(self, row: str, sentence: str, file: str = "") -> None:
        self.row = row
        self.sentence = shortened(sentence)
        super().__init__(": ".join(part for part in (file, row, self.sentence) if part))


class BrokenInvariant(AssertionError):
    """A conservation law does not hold: cards, money or pieces came from or went nowhere."""


class DeadEnd(AssertionError):
    """The game is not over, and yet nobody can do anything."""


class Random(Protocol):
    """The part of `random.Random` that rulesets may use; the core hands it in."""

    def random(self) -> float: ...  # noqa: D102 - as in `random.Random`
    def randint(self, a: int, b: int) -> int: ...  # noqa: D102 - as in `random.Random`
    def choice(self, seq: Sequence[T]) -> T: ...  # noqa: D102 - as in `random.Random`
    def sample(self, population: Sequence[T], k: int) -> list[T]: ...  # noqa: D102 - as in `random.Random`


class Pending(msgspec.Struct, frozen=True):
    """Who must (or may) decide what now; a `must` holds the game up, a may lapses or stays open."""

    seat: str
    kinds: tuple[str, ...]
    must: bool = True
    why: str = ""


class OneOf(msgspec.Struct, frozen=True, tag="one_of", tag_field="ask"):
    """Exactly one of `values` at the dotted path `field`."""

    field: str
    values: tuple[Any, ...]


class SomeOf(msgspec.Struct, frozen=True, tag="some_of", tag_field="ask"):
    """From `least` to `most` different ones of `values` at the dotted path `field`."""

    field: str
    values: tuple[Any, ...]
    least: int
    most: int


class Amount(msgspec.Struct, frozen=True, tag="amount", tag_field="ask"):
    """A whole number from `least` to `most` in steps of `step` at the dotted path `field`."""

    field: str
    least: int
    most: int
    step: int = 1


Ask = OneOf | SomeOf | Amount


class Choice(msgspec.Struct, frozen=True):
    """A kind that cannot be listed: the payload so far (without its kind) and the fields still open.

    `says` is what is done with it, as in "{p1} offers {p2} a deal", where `fixed` alone would not tell.
    """

    kind: str
    fixed: dict[str, Any]
    asks: tuple[Ask, ...]
    says: str = ""


class Outcome(msgspec.Struct, frozen=True):
    """How a game ended: a hyphenated reason, the winning seats (none in a draw), the score of each seat."""

    reason: str
    winners: tuple[str, ...]
    scores: dict[str, int]


class Fact(msgspec.Struct, frozen=True, tag_field="kind", forbid_unknown_fields=True):
    """Base of what an event brought about: a flat Struct with a kind of its own (`captured`, `paid`).

    Shape:   a subclass is frozen, names its kind (`tag="captured"`), and its fields are texts, numbers,
             booleans, seats or null.  No fact has the name of an event kind.
    """


EVERY: Final = ("*",)
"""All turn fields: `AsIf.of` of an event that belongs to what is open now."""


@dataclass(frozen=True)
class AsIf(Generic[S]):
    """The state in which an event would be due: the given one with other turn fields.

    `of` names the turn fields that the event itself answers or asks; `EVERY` stands for all of them.
    """

    state: S
    of: tuple[str, ...] = ()


@dataclass(frozen=True, kw_only=True)
class Notation(Generic[S]):
    """The short forms that a person types.

    `write` gives text that `read` turns into the same event in the same state; `read` takes one move,
    which may be several events, and raises `IllegalAction("not-understood", …)`.  `forms` gives an example
    for each kind that has a short form.
    """

    write: Callable[[S, Event], str]
    read: Callable[[S, str], tuple[Event, ...]]
    forms: Mapping[str, str] = field(default_factory=dict)


def _no_choices(_state: Any, _seat: str) -> Iterator[Choice]:
    return iter(())


def _nothing_hidden(_state: Any, event: Event, _viewer: str) -> Event:
    return event


def _all_seen(state: Any, _viewer: str) -> Any:
    return state


def _no_face(_state: Any, _card: str) -> Face | None:
    return None


def _no_round(_state: Any) -> int | None:
    return None


def _no_turn(_state: Any) -> str | None:
    return None


def _nothing_during_chance(_state: Any, _rng: Random) -> Event | None:
    return None


def _no_invariants(_state: Any) -> None:
    return None


@dataclass(frozen=True, kw_only=True)
class Ruleset(Generic[S]):
    """Everything that a title brings; an older version is `dataclasses.replace` of the next newer one.

    id, version, title   what lists show; `seats` are the allowed numbers of players
    events               frozen Structs; a field that can be hidden allows null
    state                frozen Struct; its field `setup` holds what never changes (cards, board, options)
    options              Struct, an option's default is for ever the behaviour before the option existed
    suggested            seats -> the options that a new game gets
    data                 Struct: the cards and boards as the game uses them
    load_data            (file or None, seats, options, origin) -> data; raises BadData
    setup                record.started -> first state; raises IllegalAction for options that do not fit
    evolve               one small pure function per kind, total on checked events; never rolls, never judges
    pending              who must or may decide what now; a must until the outcome, nothing after it
    legal_actions        the concrete events of the kinds pending for that seat
    open_choices         the kinds that cannot be listed
    check                raises IllegalAction(code, sentence, rule, legal)
    deal                 one chance outcome, drawn from what is unplaced; None where there is no chance
    outcome              reason, winners, score per seat; None while the game goes on
    reasons              reason -> how it is said behind who won ("most cards"); without it, the reason itself
    scores               each seat's score as it stands; what `record.closed` reports too
    redact               (state before, event, viewer) -> the same event, null where the viewer cannot see
    hide                 (state, viewer) -> the state, unknown each identity that they cannot look at now
    scene                a neutral drawable view; counters, zones and cells have public keys
    look                 the tones, backs and icons that the scene names; default: none
    describe             (state before, event) -> one line, seats written as `{p1}`
    label                (state, event) -> the move as a command on a button, without the player ("Buy");
                         one line, seats written as `{p1}`; None: the caption
    round                state -> the number of the round, from 1, never back; None where none is counted
    turn                 state -> the seat whose turn it is; None where it is nobody's; None when all is over
    facts                event type -> function (state before, event) -> the facts that it brought about, if
                         any; total on nulls, so that each viewer's facts come from that viewer's own log
    milestones           type of fact -> how a turning point is called ("Vampires are out")
    turn_fields          the state's fields that say whose turn it is, what is due and what is asked
    as_if                event type -> function (state, event) -> `AsIf`, the state in which it would be due;
                         None: nothing at the table corresponds to it; no entry: the given state, and nothing
    headings             event type -> what it is called where it can be done ("Attack"); without it, its kind
    face                 (state, identity) -> the front of the card wherever it is; None: it is no card
    notation             short forms; None means JSON only
    invariants           raises BrokenInvariant
    upcasts              payloads of this version, as stored, to the event types above
    bot                  (state, seat, rng) -> a sensible event to simulate; None: the core's random player
    bot_during_chance    (state, rng) -> what the bot's players do while chance is due; None: nothing, go on
    """

    id: str
    version: int
    title: str
    seats: tuple[int, ...]
    events: tuple[type[Event], ...]
    state: type[S]
    options: type[Any]
    suggested: Callable[[tuple[str, ...]], Any]
    data: type[Any]
    load_data: Callable[[bytes | None, tuple[str, ...], Any, str], Any]
    setup: Callable[[RecordStarted[Any, Any]], S]
    evolve: Mapping[type[Event], Callable[[S, Any], S]]
    pending: Callable[[S], tuple[Pending, ...]]
    legal_actions: Callable[[S, str], Iterator[Event]]
    check: Callable[[S, Event], None]
    outcome: Callable[[S], Outcome | None]
    scores: Callable[[S], dict[str, int]]
    scene: Callable[[S], Scene]
    describe: Callable[[S, Event], str]
    reasons: Mapping[str, str] = field(default_factory=dict)
    label: Callable[[S, Event], str] | None = None
    round: Callable[[S], int | None] = _no_round
    turn: Callable[[S], str | None] = _no_turn
    facts: Mapping[type[Event], Callable[[S, Any], tuple[Fact, ...]]] = field(default_factory=dict)
    milestones: Mapping[type[Fact], str] = field(default_factory=dict)
    turn_fields: tuple[str, ...] = ()
    as_if: Mapping[type[Event], Callable[[S, Any], AsIf[S] | None]] = field(default_factory=dict)
    look: Look = field(default_factory=Look)
    headings: Mapping[type[Event], str] = field(default_factory=dict)
    open_choices: Callable[[S, str], Iterator[Choice]] = _no_choices
    deal: Callable[[S, Random], Event] | None = None
    redact: Callable[[S, Event, str], Event] = _nothing_hidden
    hide: Callable[[S, str], S] = _all_seen
    face: Callable[[S, str], Face | None] = _no_face
    notation: Notation[S] | None = None
    invariants: Callable[[S], None] = _no_invariants
    upcasts: Mapping[str, Callable[[dict[str, Any]], dict[str, Any]]] = field(default_factory=dict)
    bot: Callable[[S, str, Random], Event] | None = None
    bot_during_chance: Callable[[S, Random], Event | None] = _nothing_during_chance

    def __post_init__(self) -> None:
        kinds = [kind_of(event) for event in self.events]
        if len(set(kinds)) != len(kinds):
            raise ValueError(f"{self.id}: two event types share a kind among {sorted(kinds)}")
        reserved = [kind for kind in kinds if kind.startswith("record.")]
        if reserved:
            raise ValueError(f"{self.id}: kinds that begin with 'record.' belong to the core, not {reserved}")
        if set(self.evolve) != set(self.events):
            odd = {event.__name__ for event in set(self.evolve) ^ set(self.events)}
            raise ValueError(f"{self.id}: `evolve` and `events` differ in {sorted(odd)}")
        if self.headings and set(self.headings) != set(self.events):
            odd = {event.__name__ for event in set(self.headings) ^ set(self.events)}
            raise ValueError(f"{self.id}: `headings` and `events` differ in {sorted(odd)}")
        for name, table in (("facts", self.facts), ("as_if", self.as_if)):
            odd = {event.__name__ for event in set(table) - set(self.events)}
            if odd:
                raise ValueError(f"{self.id}: `{name}` has no such events: {sorted(odd)}")
        if self.has_hidden_information and self.hide is _all_seen:
            raise ValueError(f"{self.id}: what `redact` keeps from a viewer, `hide` must take out of a state")
        state: Any = self.state
        fields = msgspec.structs.fields(state)
        if [item.encode_name for item in fields if not item.required] != ["setup"]:
            raise ValueError(f"{self.id}: in the state only `setup` has a default (UNSET)")
        strange = set(self.turn_fields) - {item.name for item in fields if item.name != "setup"}
        if strange:
            raise ValueError(f"{self.id}: `turn_fields` names what the state lacks: {sorted(strange)}")

    @property
    def has_hidden_information(self) -> bool:
        """Tell whether any viewer can be told less than everything."""
        return self.redact is not _nothing_hidden


def is_seat(text: str) -> bool:
    """Tell whether a text is the key of a player's seat.

    >>> is_seat("p1"), is_seat("p0"), is_seat("chance")
    (True, False, False)
    """
    return re.fullmatch(SEAT, text) is not None


def seat_names(players: int) -> tuple[str, ...]:
    """Give the keys of so many seats, in order round the table.

    >>> seat_names(3)
    ('p1', 'p2', 'p3')
    """
    return tuple(f"p{number}" for number in range(1, players + 1))
