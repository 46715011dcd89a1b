"""What the pages promise for every ruleset, to be run on any of them: on ours, and on a stranger's.

    games = recorded_games(RULESET)
    for law in LAWS:
        law.check(RULESET, games)

`recorded_games` and `LawBroken` are those of `games.conformance`.  Each law has a broken ruleset that it
rejects in `tests/replay_web/test_conformance.py`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import combinations, islice
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any, Final, NamedTuple

from flask.testing import FlaskClient

from eventstore.stored_event import NewEvent
from eventstore.tabletape import Tabletape
from games import replay, wire
from games.conformance import Game, Law, LawBroken, always_named, identities
from games.events import Event, kind_of
from games.registry import registry_of
from games.ruleset import EVERYTHING, IllegalAction, Ruleset
from replay_web.app import create_app
from replay_web.fields import BadForm

AnyRuleset = Ruleset[Any]

LONGEST: Final = 120
"""So many events of a game are looked at."""
TWINS: Final = 2
"""So many pairs of unseen cards change their places for one viewer of one game."""
UNDONE: Final = 4
"""So many last entries are undone, to see what could be recorded there."""
TRIED: Final = 40
"""So many pairs are tried to find them."""
_KEY: Final = "twin"
_FORM_KEY: Final = re.compile(rb'name=\\?"key\\?" value=\\?"[^"\\]*\\?"|"key": ?"[^"]*"')
"""Every page has keys of its own for its forms; they say nothing."""
_CLAIM: Final = re.compile(r'name="(at:[^"]+)" inputmode="numeric"')
_WHEN: Final = "2026-09-14T18:03:05.123456Z"


def _twin(name: str, ruleset: AnyRuleset, games: Sequence[Game]) -> None:
    """Swap two cards that a viewer never saw; every address must answer him with the same bytes."""
    if not ruleset.hides:
        return
    for game in games:
        events = tuple(islice(game.events, LONGEST))
        for viewer in replay.viewers(game.started):
            if viewer == EVERYTHING:
                continue
            unseen = sorted(_never_seen(ruleset, game, events, viewer))
            twins = islice(_twins(ruleset, game, events, unseen), TWINS)
            for (one, other), swapped in twins:
                told = _different(ruleset, game, viewer, (events, swapped), (one, other))
                if told is not None:
                    said = f"{told} tells {viewer} that {one} and {other} changed their places"
                    raise LawBroken(name, ruleset, game, None, said)


def _never_seen(ruleset: AnyRuleset, game: Game, events: Sequence[Event], viewer: str) -> frozenset[str]:
    """Find the cards that never lay where this viewer may look, and that no event has to name."""
    cards = identities(ruleset, game)
    states = list(replay.states(ruleset, game.started, events))
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
    ruleset: AnyRuleset, game: Game, events: Sequence[Event], unseen: Sequence[str]
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

    renamed: Event = wire.event_from(ruleset, walk(wire.event_to(event)))
    return renamed


def _is_legal(ruleset: AnyRuleset, game: Game, events: Sequence[Event]) -> bool:
    state = ruleset.setup(game.started)
    seats = game.started.seats
    try:
        for event in events:
            replay.check(ruleset, state, event, seats=seats, closed=False)
            state = replay.evolve(ruleset, state, event)
    except IllegalAction:
        return False
    return True


def _different(
    ruleset: AnyRuleset,
    game: Game,
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
    yield _Asked("/games")
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


def _answer(client: FlaskClient, asked: _Asked) -> tuple[int, bytes, list[tuple[str, str]]]:
    if asked.sent is None:
        answer = client.get(asked.address)
    else:
        answer = client.post(asked.address, data=dict(asked.sent), headers={"Sec-Fetch-Site": "same-origin"})
    if answer.headers.get("X-Error-Code") == BadForm.code_word:
        raise RuntimeError(f"{asked} is a form that this site does not have: {answer.text}")
    return answer.status_code, _FORM_KEY.sub(b"", answer.data), sorted(answer.headers)


@contextmanager
def _site(ruleset: AnyRuleset, game: Game, events: Sequence[Event]) -> Iterator[FlaskClient]:
    rows = [
        NewEvent(kind_of(item), wire.encode_event(item), recorded_at=_WHEN)
        for item in (game.started, *events)
    ]
    with (
        TemporaryDirectory() as folder,
        Tabletape.open(Path(folder) / "games.db", registry=registry_of((ruleset,))) as store,
    ):
        store.log.append(_KEY, rows, after=0, command_id=_KEY, request=_KEY)
        app = create_app(store, streams=1)
        app.extensions["streams"].end()  # a stream tells what is there and ends
        yield app.test_client()


LAWS: Final = (
    Law(
        "twin",
        "two cards that a viewer never saw may change their places: every address answers him the same",
        _twin,
    ),
)
