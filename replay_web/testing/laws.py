"""What the pages promise for every ruleset, to be run on any of them: on ours, and on a stranger's.

    games = recorded_games(RULESET)
    for law in LAWS:
        law.check(RULESET, games)

`recorded_games` and `LawBroken` are those of `games.testing.laws`.  Each law has a broken ruleset that it
rejects in `tests/replay_web/test_conformance.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations, islice, product
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

import msgspec
from flask.testing import FlaskClient

from eventstore.log.rows import NewEvent
from eventstore.store import Store
from games.core import fold, serialization
from games.core.choices import fill
from games.core.events import Change, Event, RecordRuled, RecordStarted, kind_of
from games.core.registry import registry_of
from games.core.ruleset import EVERYTHING, TABLE, Ask, IllegalAction, OneOf, Ruleset, SomeOf
from games.testing.laws import Law, LawBroken, RecordedGame, identities
from games.testing.laws.observing import always_named
from games.words import joined
from replay_web.app import create_app
from replay_web.http.policy import BadForm

AnyRuleset = Ruleset[Any]

LONGEST: Final = 120
"""So many events of a game are looked at."""
TWINS: Final = 2
"""So many pairs of unseen cards change their places for one viewer of one game."""
UNDONE: Final = 4
"""So many last entries are undone, to see what could be recorded there."""
TRIED: Final = 40
"""So many pairs are tried to find them."""
PLACES: Final = 4
"""So many places of a game are looked at, where something else is due at each, to send forms there."""
SENT: Final = 14
"""So many events are sent at each of them by each seat."""
LISTED: Final = 12
"""So many of what is offered to a seat are taken for them."""
REFUSED: Final = range(400, 500)
HERE: Final = {"Sec-Fetch-Site": "same-origin"}
NO_HEADERS: Final[Mapping[str, str]] = {}
_KEY: Final = "twin"
_FORM_KEY: Final = re.compile(rb'name=\\?"key\\?" value=\\?"[^"\\]*\\?"|"key": ?"[^"]*"')
"""Every page has keys of its own for its forms; they say nothing."""
_CLAIM: Final = re.compile(r'name="(at:[^"]+)" inputmode="numeric"')
_WHEN: Final = "2026-09-14T18:03:05.123456Z"


def _twin(name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Swap two cards that a viewer never saw; every address must answer them with the same bytes."""
    if not ruleset.has_hidden_information:
        return
    for game in games:
        events = tuple(islice(game.events, LONGEST))
        for viewer in fold.viewers(game.started):
            if viewer == EVERYTHING:
                continue
            unseen = sorted(_never_seen(ruleset, game, events, viewer))
            twins = islice(_twins(ruleset, game, events, unseen), TWINS)
            for (one, other), swapped in twins:
                told = _different(ruleset, game, viewer, (events, swapped), (one, other))
                if told is not None:
                    said = f"{told} tells {viewer} that {one} and {other} changed their places"
                    raise LawBroken(name, ruleset, game, None, said)


def _never_seen(
    ruleset: AnyRuleset, game: RecordedGame, events: Sequence[Event], viewer: str
) -> frozenset[str]:
    """Find the cards that never lay where this viewer may look, and that no event has to name."""
    cards = identities(ruleset, game)
    states = list(fold.states(ruleset, game.started, events))
    seen = {
        card.key
        for state in states
        for zone in ruleset.scene(state).zones
        if zone.visible_to(viewer)
        for card in zone.cards
    }
    turned = {card for event in events for card in always_named(event, cards)}
    return cards - seen - turned


def _twins(
    ruleset: AnyRuleset, game: RecordedGame, events: Sequence[Event], unseen: Sequence[str]
) -> Iterator[tuple[tuple[str, str], tuple[Event, ...]]]:
    """Give the games in which two of these cards are each other, as far as the rules allow it."""
    for one, other in islice(combinations(unseen, 2), TRIED):
        swapped = tuple(_swapped(ruleset, event, one, other) for event in events)
        if swapped != tuple(events) and _is_legal(ruleset, game, swapped):
            yield (one, other), swapped


def _swapped(ruleset: AnyRuleset, event: Event, one: str, other: str) -> Event:
    names = {one: other, other: one}

    def walk(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: walk(item) for key, item in value.items()}
        if isinstance(value, list):
            return [walk(item) for item in value]
        return names.get(value, value) if isinstance(value, str) else value

    renamed: Event = serialization.event_from(ruleset, walk(serialization.event_to(event)))
    return renamed


def _is_legal(ruleset: AnyRuleset, game: RecordedGame, events: Sequence[Event]) -> bool:
    state = ruleset.setup(game.started)
    seats = game.started.seats
    try:
        for event in events:
            fold.check(ruleset, state, event, seats=seats, closed=False)
            state = fold.evolve(ruleset, state, event)
    except IllegalAction:
        return False
    return True


def _different(
    ruleset: AnyRuleset,
    game: RecordedGame,
    viewer: str,
    pair: tuple[Sequence[Event], Sequence[Event]],
    cards: tuple[str, str],
) -> str | None:
    """Give the first address that answers differently in the two games."""
    with _site(ruleset, game, pair[0]) as one, _site(ruleset, game, pair[1]) as other:
        last = len(pair[0])
        asked = (*_addresses(one, last, viewer, cards), *_forms(one, last, viewer))
        return next(
            (str(request) for request in asked if _answer(one, request) != _answer(other, request)), None
        )


# --- what a seat sends ---------------------------------------------------------------------------------


def _seat(name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Swap two cards that a seat never saw; every form that its key sends must have the same answer."""
    if not ruleset.has_hidden_information:
        return
    for game in games:
        for step, seat in product(_places(ruleset, game), game.started.seats):
            events = game.events[:step]
            unnamed = tuple(_unnamed(ruleset, game, events, seat))
            for record in (events, *((unnamed,) if unnamed != events else ())):
                unseen = sorted(_never_seen(ruleset, game, record, seat))
                for cards, swapped in islice(_twins(ruleset, game, record, unseen), 1):
                    forms = tuple(_sent_by(ruleset, game, (record, swapped), seat, cards))
                    told = _answered_otherwise(ruleset, game, seat, (record, swapped), forms)
                    if told is not None:
                        said = f"{told}, sent by {seat}, tells of {joined(cards)} that changed places"
                        raise LawBroken(name, ruleset, game, step, said)


def _unnamed(ruleset: AnyRuleset, game: RecordedGame, events: Sequence[Event], seat: str) -> Iterator[Event]:
    """Record what the seat alone sees as a real table may: nobody named it; what others see is named."""
    state = ruleset.setup(game.started)
    for event in events:
        mine = ruleset.redact(state, event, seat) == event
        now = ruleset.redact(state, event, TABLE) if mine else event
        yield now
        state = fold.evolve(ruleset, state, now)


def _places(ruleset: AnyRuleset, game: RecordedGame) -> Sequence[int]:
    """Give the steps at which something else is due for the first time, and the last before the end."""
    found: dict[tuple[object, ...], int] = {}
    last = 0
    for step, state in enumerate(fold.states(ruleset, game.started, game.events[:LONGEST])):
        due = tuple((item.seat, item.kinds) for item in ruleset.pending(state))
        if due:
            found.setdefault(due, step)
            last = step
    return sorted({*islice(found.values(), PLACES), last})


def _sent_by(
    ruleset: AnyRuleset,
    game: RecordedGame,
    pair: tuple[Sequence[Event], Sequence[Event]],
    seat: str,
    cards: tuple[str, str],
) -> Iterator[_Asked]:
    """Give forms by which a seat could find out: guesses of each kind, alone and in a row, and all others."""
    one, other = (_last(ruleset, game.started, events) for events in pair)
    told = tuple(fold.observed(ruleset, game.started, pair[0], seat))
    seen = _last(ruleset, fold.observe_start(game.started, seat), told)
    for payload in _guesses(ruleset, game, (one, other, seen), cards):
        text = msgspec.json.encode(payload).decode()
        yield _Asked("events", {"event": text})
        yield _Asked("events", {"typed": f"{text};{text}"})
    for change in islice(
        fold.difference(serialization.plain_state(one), serialization.plain_state(other)), TWINS
    ):
        same = Change(change.at, change.was, change.was)
        yield _Asked("events", {"event": serialization.encode_event(RecordRuled(_KEY, (same,)))})
        was, now = (msgspec.json.encode(value).decode() for value in (change.was, change.now))
        fields = {f"was:{change.at}": was, f"now:{change.at}": now}
        yield _Asked("rule", {"what": "state", "reason": _KEY, **fields})
    for how in ("abandoned", "agreed"):
        yield _Asked("events", {"typed": f'{{"kind":"record.closed","how":"{how}"}}'})
    yield from (_Asked("events", {"typed": text}) for text in (*cards, "?", ";"))
    zones = ruleset.scene(seen).zones
    yield _Asked("check", {f"at:{zone.key}": cards[0] for zone in zones if zone.unknown})
    yield _Asked("check", {f"at:{zone.key}": str(zone.size) for zone in zones})
    edit = {"reason": _KEY, "seq": "2", "do": "remove", "rest": "remove"}
    yield from (_Asked(f"steps/1/correct{end}", edit) for end in ("", "/settle"))
    yield _Asked("restore", {"to": "2"})
    yield from (_Asked(path, {}) for path in ("undo", "redo", "redo"))
    yield _Asked("undo", {"again": "1"})


def _last(ruleset: AnyRuleset, started: RecordStarted[Any, Any], events: Sequence[Event]) -> Any:
    return fold.fold(ruleset, ruleset.setup(started), events)


def _guesses(
    ruleset: AnyRuleset, game: RecordedGame, states: Sequence[Any], cards: tuple[str, str]
) -> Iterator[dict[str, Any]]:
    """Give what could be recorded in one of these states: each sort with either card, then others."""
    known = identities(ruleset, game)
    guesses: dict[str, dict[str, Any]] = {}
    others: dict[str, dict[str, Any]] = {}
    for payload in (payload for state in states for payload in _offered(ruleset, state)):
        for card in cards:
            guess = _with_card(payload, known, card)
            (guesses if guess != payload else others)[str(guess)] = guess
        others[str(payload)] = payload
    yield from islice((guesses | others).values(), SENT)


def _offered(ruleset: AnyRuleset, state: Any) -> Iterator[dict[str, Any]]:
    for due in ruleset.pending(state):
        yield from map(serialization.event_to, islice(ruleset.legal_actions(state, due.seat), LISTED))
        for choice in ruleset.open_choices(state, due.seat):
            answers = {ask.field: _some_answer(ask) for ask in choice.asks}
            if all(not isinstance(ask, OneOf) or ask.values for ask in choice.asks):
                yield fill(choice, answers)


def _some_answer(ask: Ask) -> Any:
    match ask:
        case OneOf(values=values):
            return values[0] if values else None
        case SomeOf(values=values, least=least):
            return list(values[:least])
        case _:
            return ask.least


def _with_card(payload: Any, known: frozenset[str], card: str) -> Any:
    """Put a card in the place of each single card, and of the first of several."""
    if isinstance(payload, dict):
        return {key: _with_card(item, known, card) for key, item in payload.items()}
    if isinstance(payload, list) and payload:
        return [_with_card(payload[0], known, card), *payload[1:]]
    return card if isinstance(payload, str) and payload in known else payload


def _answered_otherwise(
    ruleset: AnyRuleset,
    game: RecordedGame,
    seat: str,
    pair: tuple[Sequence[Event], Sequence[Event]],
    forms: Sequence[_Asked],
) -> str | None:
    """Send the same forms in both games, one after the other; give the first that is answered differently."""
    with _site(ruleset, game, pair[0], seat) as one, _site(ruleset, game, pair[1], seat) as other:
        for number, form in enumerate(forms):
            answers = [_send(client, form, number, as_page=not number % 8) for client in (one, other)]
            if answers[0] != answers[1]:
                return f"{form} {dict(form.sent or {})}"
    return None


def _send(
    client: FlaskClient, form: _Asked, number: int, *, as_page: bool
) -> tuple[tuple[int, bytes, list[tuple[str, str]]], bytes]:
    """Send a form for the head as it stands; give the answer, and the game as the seat has it then."""
    head = msgspec.json.decode(client.get(f"/games/{_KEY}/news").data)["seq"]
    sent = {"key": f"{_KEY}-{number:04}", "after": str(head), **(form.sent or {})}
    headers = {} if as_page else {"Accept": "application/json"}
    answer = _answer(client, _Asked(f"/games/{_KEY}/{form.address}", sent), headers)
    if answer[0] in REFUSED:
        return answer, b""
    shown = _answer(client, _Asked(f"/games/{_KEY}/record?part=1"))[1]
    undone = {"key": f"{_KEY}-undo-{number:04}", "after": str(head + 1)}
    return answer, shown + _answer(client, _Asked(f"/games/{_KEY}/undo", undone), headers)[1]


class _Asked(NamedTuple):
    """A page that is asked for, or a form that is sent."""

    address: str
    sent: Mapping[str, str] | None = None

    def __str__(self) -> str:
        return self.address if self.sent is None else f"POST {self.address}"


def _addresses(client: FlaskClient, last: int, viewer: str, cards: Sequence[str]) -> Iterator[_Asked]:
    """Give every address of a game that can be asked for, at steps all along it."""
    for rule in client.application.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or "game" not in rule.arguments:
            continue
        steps = sorted({0, 1, last, *range(0, last, max(last // 5, 1))}) if "step" in rule.arguments else [0]
        for step in steps:
            known = {"game": _KEY, "step": step, "seq": step + 1, "note": _KEY}
            with client.application.test_request_context():
                wanted: dict[str, Any] = {key: known[key] for key in rule.arguments} | {"as": viewer}
                yield _Asked(client.application.url_for(rule.endpoint, **wanted))
    yield _Asked(f"/games/{_KEY}/frames?from=0&to={min(last, 255)}&as={viewer}")
    yield from (
        _Asked(f"/games/{_KEY}/steps/{last}/correct?do={do}&as={viewer}") for do in ("insert", "remove")
    )
    yield _Asked(f"/games/{_KEY}/history?page=1&as={viewer}")
    yield from map(_Asked, ("/games", "/stats", "/stats.csv"))
    yield from (_Asked(f"/games?text={card}") for card in cards)


def _forms(client: FlaskClient, last: int, viewer: str) -> Iterator[_Asked]:
    """Give the forms by which somebody could find out, and at the end a table check and what it found."""
    keys = {"key": f"{_KEY}-{_KEY}", "after": str(last + 1)}
    for step in sorted({1, last // 2, last}):
        edit = {**keys, "reason": _KEY, "seq": str(step + 1), "do": "remove", "rest": "remove"}
        yield _Asked(f"/games/{_KEY}/steps/{step}/correct?as={viewer}", edit)
    yield _Asked(f"/games/{_KEY}/steps/{last}/correct/settle?as={viewer}", {**edit, "seq": "3"})
    yield _Asked(
        f"/games/{_KEY}/rule?as={viewer}", {**keys, "what": "state", "reason": _KEY, "at": "/", "now": "0"}
    )
    yield _Asked(f"/games/{_KEY}/restore?as={viewer}", {**keys, "to": "2"})
    claims = _CLAIM.findall(client.get(f"/games/{_KEY}/check?as={viewer}").text)
    yield _Asked(f"/games/{_KEY}/check?as={viewer}", {**keys, **dict.fromkeys(claims, "0")})
    yield _Asked(f"/games/{_KEY}/check?step={last + 1}&as={viewer}")
    for number in range(UNDONE):
        undo = {**keys, "after": str(last + 2 + number), "again": "1"}
        yield _Asked(f"/games/{_KEY}/undo?as={viewer}", undo)
        yield _Asked(f"/games/{_KEY}/record?part=1&as={viewer}")


def _answer(
    client: FlaskClient, asked: _Asked, headers: Mapping[str, str] = NO_HEADERS
) -> tuple[int, bytes, list[tuple[str, str]]]:
    if asked.sent is None:
        answer = client.get(asked.address)
    else:
        answer = client.post(asked.address, data=dict(asked.sent), headers={**HERE, **headers})
    if answer.headers.get("X-Error-Code") == BadForm.code_word:
        raise RuntimeError(f"{asked} is a form that this site does not have: {answer.text}")
    return answer.status_code, _FORM_KEY.sub(b"", answer.data), sorted(answer.headers)


@contextmanager
def _site(
    ruleset: AnyRuleset, game: RecordedGame, events: Sequence[Event], seat: str | None = None
) -> Iterator[FlaskClient]:
    """Serve a game; to a `seat` with its key, where keys are asked for."""
    rows = [
        NewEvent(kind_of(item), serialization.encode_event(item), recorded_at=_WHEN)
        for item in (game.started, *events)
    ]
    with (
        TemporaryDirectory() as folder,
        Store.open(Path(folder) / "games.db", registry=registry_of((ruleset,))) as store,
    ):
        store.log.append(_KEY, rows, after=0, command_id=_KEY, request=_KEY)
        app = create_app(store, streams=1, guarded=seat is not None)
        app.extensions["streams"].end()  # a stream tells what is there and ends
        client = app.test_client()
        if seat is not None:
            client.post("/sign-in", data={"key": store.access.add(seat=seat)[1]}, headers=HERE)
        yield client


LAWS: Final = (
    Law(
        "twin",
        "two cards that a viewer never saw may change their places: every address answers them the same",
        _twin,
    ),
    Law(
        "seat",
        "two cards that a seat never saw may change their places: what its key sends is answered the same",
        _seat,
    ),
)
