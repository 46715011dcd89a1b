"""An example of each address of the site, and the games that they are about."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Final, NamedTuple

from flask import Flask

from eventstore.access.actor import Actor
from eventstore.formats import registry as formats
from eventstore.recording.commands import Check, New, Record, Rule, Undo, WriteNote
from eventstore.recording.typed_lines import read_line
from eventstore.store import Store
from games.core import serialization
from games.core.events import RecordClosed
from games.examples.high_card import HandDealt
from games.text import wording
from replay_web import create_app
from replay_web.http.policy import policies
from tests.eventstore.played import ROUND
from tests.replay_web.samples import registry
from tests.replay_web.sheets import Page

OPEN: Final = "duel"
"""Nothing is hidden in it."""
HIDDEN: Final = "round"
"""It has hands of cards, and scores that changed."""
DEALT: Final = "dealt"
"""Nothing is dealt in it yet."""
UNSEEN: Final = "unseen"
"""A hand of cards was recorded in it that nobody saw."""
GAMES: Final = (OPEN, HIDDEN)
ALL: Final = (*GAMES, DEALT, UNSEEN)
KEY: Final = "k" * 12


@dataclass(frozen=True)
class Example:
    """A request; `game` stands for the game, `after` for its head when the form was made."""

    endpoint: str
    address: str
    form: Mapping[str, Any] | None = None
    """None is a GET."""
    everything: bool = False
    """Only for one from whom nothing is hidden."""
    headers: Mapping[str, str] = field(default_factory=dict)


def fill(path: Path) -> None:
    """Record the games of the examples: moves, lines that were left, a check, a ruling and a note."""
    with Store.open(path, registry=registry()) as store:
        store.do(None, New("monsters-forever", ["Ann", "Bo"], game=OPEN, title="Duel"))
        for move in ("A6-A5", ".", "B6-B5", "."):
            store.do(OPEN, Record(read_line(store.game(OPEN), move)))
        write(store, OPEN, "move")
        store.do(OPEN, Undo())
        write(store, OPEN, "move")
        store.do(None, New("high-card", ["Cem", "Dag"], game=HIDDEN, origin="dealt", title="Round"))
        store.do(HIDDEN, Record(ROUND[:4]))
        for game in GAMES:
            scene = store.game(game).position().scene()
            at, value = next(iter(scene.values())) if scene is not None else ("", None)
            store.do(game, Check({at: value}))
            store.do(game, WriteNote(2, text="a note", id=f"note-{game}", new="anote234"))
        write(store, OPEN, "move")
        store.do(OPEN, Undo())
        points = [{"at": "/points/p1", "now": 1}, {"at": "/points/p2", "now": 2}]
        for change in points:
            store.do(HIDDEN, Rule("agreed", changes=[change]))
        store.do(None, New("high-card", ["Eve", "Fay"], game=DEALT, origin="dealt", title="Dealt"))
        store.do(None, New("high-card", ["Gus", "Hal"], game=UNSEEN, title="Unseen"))
        store.do(UNSEEN, Record([HandDealt("p1", (None, None, None))]))
        store.access.add("keeper")
        store.access.add("seated", seat="p1")


class About(NamedTuple):
    """What the examples say of a game as it stands."""

    game: str
    last: int
    seq: int
    """An event of it that may be corrected."""
    line: int
    """The last event of a line that was left."""
    sent: dict[str, Any]
    """What each form has that records."""
    event: dict[str, str]
    """A legal move as a button sends it."""
    typed: str
    """The same as a person types it."""
    claim: dict[str, Any]


def about(store: Store, game: str) -> About:
    """Look at a game as it stands."""
    opened = store.game(game)
    position = opened.position()
    at, value = next(iter(position.scene().values()))  # type: ignore[union-attr]
    legal = next(iter(position.legal(position.pending()[0].seat)), None)
    typed = "" if legal is None else wording.write(opened.must_be_judged()[0], opened.states().full, legal)
    return About(
        game=game,
        last=opened.steps,
        seq=opened.runs.seq_at(1),
        line=next((one.tip for one in opened.lines), 1),
        sent={"key": KEY, "after": opened.head},
        event={} if legal is None else {"event": serialization.encode_event(legal)},
        typed=typed,
        claim={f"at:{at}": "" if value is None else value},
    )


def examples(store: Store, game: str) -> Iterator[Example]:
    """The examples that are about one game, for its head of now."""
    if game == DEALT:
        yield from _deal({"key": KEY, "after": store.game(game).head})
        return
    if game == UNSEEN:
        yield from _name(store)
        return
    found = about(store, game)
    yield from _replay(found)
    yield from _library(found)
    yield from _record(found)
    yield from _corrections(found)


def as_json(app: Flask, found: Iterable[Example]) -> Iterator[Example]:
    """The same examples as a program sends them, where the page answers JSON if it is asked for."""
    asked = {endpoint for endpoint, policy in policies(app).items() if policy.json == "asked"}
    for example in found:
        if example.endpoint in asked and not example.headers:
            yield replace(example, headers=JSON)


def _replay(of: About) -> Iterator[Example]:
    game = f"/games/{of.game}"
    yield Example("steps.start", game)
    yield Example("steps.go", f"{game}/steps?step=2")
    yield Example("steps.at", f"{game}/at/2")
    for step in (0, of.last):
        yield Example("steps.step", f"{game}/steps/{step}")
    yield Example("steps.step", f"{game}/steps/1?later=hidden")
    yield Example("steps.step_svg", f"{game}/steps/{of.last}.svg")
    yield Example("steps.step_text", f"{game}/steps/{of.last}.txt")
    yield Example("steps.next_turn", f"{game}/steps/1/next-turn")
    yield Example("steps.previous_turn", f"{game}/steps/{of.last}/previous-turn")
    yield Example("frames.frames", f"{game}/frames?from=0&to=19")
    yield Example("timeline.timeline", f"{game}/course")
    yield Example("timeline.chart", f"{game}/chart.svg")
    yield Example("timeline.next_marked", f"{game}/steps/0/next-marked")
    yield Example("timeline.previous_marked", f"{game}/steps/{of.last}/previous-marked")
    yield Example("follow.news", f"{game}/news?since=2")
    seen = {"If-None-Match": f'"everything.{of.sent["after"]}"'}
    yield Example("follow.news", f"{game}/news?since=2", headers=seen)
    for one in formats.installed().values():
        yield Example(f"downloads.{one.name}_file", f"{game}.{one.suffix}")


def _deal(sent: Mapping[str, Any]) -> Iterator[Example]:
    yield Example("recording.page", f"/games/{DEALT}/record")
    yield Example("recording.deal", f"/games/{DEALT}/deal", {**sent, "all": "1"})


def _name(store: Store) -> Iterator[Example]:
    """Name the first card that the page offers."""
    page = f"/games/{UNSEEN}/unseen?step=1"
    yield Example("unseen.page", page, everything=True)
    form = Page(create_app(store).test_client().get(page).text).form("/unseen")
    button = next(one for one in form.controls if one.name.startswith("one:"))
    sent = {**form.sent_by(button), "key": KEY}
    yield Example(
        "unseen.name", f"/games/{UNSEEN}/unseen", sent | {"after": int(sent["after"])}, everything=True
    )


def _library(of: About) -> Iterator[Example]:
    game = f"/games/{of.game}"
    note = {"key": KEY, "seq": 2, "text": "x"}
    change = {"replaces": 1, "text": "other", "glyph": "", "tags": ""}
    yield Example("notes.page", f"{game}/notes/anote234", everything=True)
    yield Example("notes.write", f"{game}/notes", note, everything=True)
    yield Example("notes.change", f"{game}/notes/anote234", change, everything=True)
    yield Example("notes.remove", f"{game}/notes/anote234/remove", {"key": KEY}, everything=True)
    yield Example("details.ask", f"{game}/details")
    yield Example("details.change", f"{game}/details", {"place": "Here"}, everything=True)
    yield Example("games.listing", "/games")
    yield Example("stats.page", "/stats")
    yield Example("figures.as_json", "/stats.json")
    yield Example("figures.as_csv", "/stats.csv")


def _record(of: About) -> Iterator[Example]:
    game, part = f"/games/{of.game}", {**of.sent, "part": "1"}
    yield Example("recording.page", f"{game}/record")
    yield Example("recording.page", f"{game}/record?part=1")
    for move in (of.event, {"typed": of.typed}):
        yield Example("recording.events", f"{game}/events", {**of.sent, **move})
        yield Example("recording.events", f"{game}/events", {**part, **move}, headers=JSON)
    yield Example("recording.undo", f"{game}/undo", part, headers=JSON)
    yield Example("recording.redo", f"{game}/redo", of.sent)
    yield Example("recording.deal", f"{game}/deal", {**part, "all": "1"}, headers=JSON)
    yield Example("check.ask", f"{game}/check")
    yield Example("check.ask", f"{game}/check?step={of.last}")
    yield Example("check.check", f"{game}/check", {**of.sent, **of.claim})
    yield Example("unseen.page", f"{game}/unseen", everything=True)
    yield Example("unseen.name", f"{game}/unseen", {**of.sent, "seq": of.seq, "slot": ""}, everything=True)
    what_if, begin = f"{game}/steps/1/what-if", {"key": "what-if-1", "seq": of.seq}
    yield Example("variations.ask", what_if, everything=True)
    yield Example("variations.begin", what_if, begin, everything=True)


def _corrections(of: About) -> Iterator[Example]:
    game = f"/games/{of.game}"
    correct, form = f"{game}/steps/1/correct", {**of.sent, "seq": of.seq, "do": "remove"}
    settled = {**form, "rest": "remove", "reason": "so it was", "again": "1"}
    ruling = {**of.sent, "what": "move", "typed": of.typed, "reason": "agreed"}
    yield Example("correct.ask", correct, everything=True)
    yield Example("correct.preview", correct, form, everything=True)
    yield Example("correct.settle", f"{correct}/settle", settled, everything=True)
    yield Example("history.page", f"{game}/history")
    yield Example("history.restore", f"{game}/restore", {**of.sent, "to": of.line}, everything=True)
    yield Example("ruling.ask", f"{game}/rule", everything=True)
    yield Example("ruling.rule", f"{game}/rule", ruling, everything=True)
    if of.game == HIDDEN:
        points = {**of.sent, "what": "state", "at": "/points/p1", "now": "5", "reason": "agreed"}
        yield Example("ruling.rule", f"{game}/rule", points, everything=True)


JSON: Final = {"Accept": "application/json"}
NO_GAME: Final = {
    "static": "a file of the site",
    "games.front": "leads to the list",
    "steps.scene_css": "a file of the site",
    "follow.stream": "says the number of an event, again and again",
    "new_game.ask": "about no game",
    "new_game.data": "about no game",
    "new_game.create": "about no game yet",
    "sign_in.ask": "about no game",
    "sign_in.enter": "about no game",
    "sign_in.leave": "about no game",
    "invite.ask": "about keys",
    "invite.add": "about keys",
    "invite.revoke": "about keys",
    "help.shortcuts": "about no game",
    "health.healthz": "about no game",
}
"""Addresses that show no game, and so have no example, with the reason."""


def without_example(app: Flask, store: Store) -> set[str]:
    """The addresses of the site that have neither an example nor a reason to have none."""
    shown = {one.endpoint for game in ALL for one in examples(store, game)}
    return {rule.endpoint for rule in app.url_map.iter_rules()} - shown - NO_GAME.keys()


def write(store: Store, game: str, how: str) -> None:
    """What the other writer does; each is one event, or one change of details."""
    match how:
        case "move":
            position = store.game(game).position()
            seats = [due.seat for due in position.pending()]
            event = next((event for seat in seats for event in position.legal(seat)), None)
            store.do(game, Record([event or RecordClosed("agreed")]), Actor("another"))
        case "undo":
            store.do(game, Undo(again=True), Actor("another"))
        case "rename":
            store.set_details(game, title="Renamed", names={"p1": "Zoë"})
        case _:
            store.do(
                game, WriteNote(3, text="another note", id="other-note", new="bnote234"), Actor("another")
            )
