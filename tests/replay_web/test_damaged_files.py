"""Whatever is damaged in the file, each address answers: never with a bare fault, never with a traceback."""

from __future__ import annotations

import logging
import random
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from eventstore.errors import DamagedDatabase, TabletapeError
from eventstore.recording.commands import Branch, Undo, WriteNote
from eventstore.store import Store
from replay_web.app import create_app
from tests.eventstore.played import REGISTRY, begin, damage, play

if TYPE_CHECKING:
    from flask import Flask
    from flask.testing import FlaskClient
    from werkzeug.test import TestResponse

    from eventstore.replay.game import Game

PAGE = 4096
GAMES = ("friday", "what-if", "nosuch")
ALSO = ("/games?text=good&variations=1", "/games?of=friday", "/stats?variations=1", "/nowhere")
SEEDS = 40


@pytest.fixture(scope="module")
def intact(tmp_path_factory: pytest.TempPathFactory) -> bytes:
    """A game with notes, an undo and snapshots, a variation of it, and another game; keys."""
    path = tmp_path_factory.mktemp("intact") / "games.db"
    with Store.open(path, registry=REGISTRY) as store:
        begin(store, game="friday", title="Friday", played_on="2026-09-14", time_zone="Europe/Helsinki")
        play(store, "friday", 60, at_once=False)
        store.do("friday", Undo())
        store.do("friday", WriteNote(3, text="good"))
        store.do("friday", Branch(3, as_game="what-if"))
        begin(store, game="saturday")
        store.access.add("phone")
        store.catalogue.list(text="good")
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.db"


def opened(path: Path) -> Flask | None:
    """The site over a file, as `serve` has it; None where it is refused."""
    try:
        return create_app(Store.open(path, registry=REGISTRY))
    except TabletapeError:
        return None


def addresses(app: Flask) -> list[str]:
    """Each route that gives something, for every game and some steps; streams are `test_streams`'s."""
    found = set(ALSO)
    for rule in app.url_map.iter_rules():
        if "GET" not in (rule.methods or ()) or rule.endpoint == "static":
            continue
        for game in GAMES:
            for step in (0, 3, 25):
                address = rule.rule.replace("<game>", game)
                address = re.sub(r"<int:\w+>", str(step), address)
                found.add(re.sub(r"<[^>]*>", "high-card", address))
    return sorted(found)


def refused_well(answer: TestResponse, said: list[str]) -> bool:
    """Tell whether an answer is a page, or a refusal as damage has it; nothing is logged in any case."""
    code = answer.headers.get("X-Error-Code")
    return (
        not said
        and code != "server-fault"
        and (answer.status_code < 500 or code is not None)
        and b"Traceback" not in answer.data
        and "Content-Security-Policy" in answer.headers
    )


class Kept(logging.Handler):
    """What was logged."""

    def __init__(self) -> None:
        super().__init__()
        self.said: list[str] = []

    def emit(self, record: logging.LogRecord) -> None:
        self.said.append(record.getMessage())


def faults(path: Path, rng: random.Random, most: int) -> Iterator[tuple[str, Any]]:
    """The addresses that do not answer as they should."""
    app = opened(path)
    if app is None:
        return
    kept = Kept()
    app.logger.addHandler(kept)
    app.logger.propagate = False
    try:
        client: FlaskClient = app.test_client()
        every = addresses(app)
        for address in {*rng.sample(every, min(most, len(every))), "/games", "/stats", *ALSO}:
            with client.get(address) as answer:
                if not refused_well(answer, kept.said):
                    yield address, (answer.status_code, dict(answer.headers), kept.said)
            kept.said.clear()
    finally:
        app.logger.removeHandler(kept)
        app.logger.propagate = True
        app.extensions["tabletape"].close()


def damaged(raw: bytes, rng: random.Random) -> bytes:
    found, pages = bytearray(raw), len(raw) // PAGE
    one, other = (number * PAGE for number in rng.sample(range(1, pages), 2))
    match rng.choice(["one", "some", "many", "swapped", "zeroed", "torn"]):
        case "swapped":
            found[one : one + PAGE], found[other : other + PAGE] = (
                found[other : other + PAGE], found[one : one + PAGE],
            )  # fmt: skip
        case "zeroed":
            found[one : one + PAGE] = bytes(PAGE)
        case "torn":
            start = one + rng.randrange(PAGE)
            found[start : one + PAGE] = rng.randbytes(one + PAGE - start)
        case how:
            for _ in range({"one": 1, "some": 20, "many": 200}[how]):
                found[rng.randrange(100, len(found))] ^= 1 << rng.randrange(8)
    return bytes(found)


def test_every_address_of_an_intact_file_answers(intact: bytes, path: Path) -> None:
    path.write_bytes(intact)
    assert list(faults(path, random.Random(0), 10**6)) == []  # noqa: S311 - to be repeated


@pytest.mark.parametrize("seed", range(SEEDS))
def test_no_address_of_a_damaged_file_is_a_bare_fault(intact: bytes, path: Path, seed: int) -> None:
    rng = random.Random(seed)  # noqa: S311 - to be repeated
    path.write_bytes(damaged(intact, rng))
    assert list(faults(path, rng, 30)) == []


def changed(path: Path, raw: bytes, sql: str) -> FlaskClient:
    path.write_bytes(raw)
    damage(path, sql)
    app = opened(path)
    assert app is not None
    return app.test_client()


def test_a_variation_whose_parent_cannot_be_read_is_shown(
    intact: bytes, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path.write_bytes(intact)
    app = opened(path)
    assert app is not None
    store = app.extensions["tabletape"]
    opened_as_ever = store.game

    def torn(game: str, *asked: Any) -> Game:
        if game == "friday":
            raise DamagedDatabase(str(path), "SQLite finds pages that do not fit together")
        found: Game = opened_as_ever(game, *asked)
        return found

    monkeypatch.setattr(store, "game", torn)
    client = app.test_client()
    for address in ("/games/what-if/record", "/games/what-if/steps/1"):
        answer = client.get(address)
        assert answer.status_code == 200
        assert "friday, which cannot be read" in answer.text
    answer = client.get("/games/friday/steps/1")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (500, "damaged-database")
    answer = client.get("/games/what-if/steps/99")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (404, "unknown-step")
    app.extensions["tabletape"].close()


def test_a_row_of_no_game_is_left_out_of_lists_and_figures(intact: bytes, path: Path) -> None:
    client = changed(path, intact, "UPDATE catalogue SET game = 99 WHERE title = 'Friday'")
    for address in ("/games", "/stats", "/stats.csv", "/stats.json"):
        assert client.get(address).status_code == 200, address
    client.application.extensions["tabletape"].close()


def test_what_a_page_stumbles_over_is_damage_or_a_fault_of_ours(
    intact: bytes, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def stumbles(*_: object) -> str:
        raise KeyError("card")

    client = changed(path, intact, "UPDATE events SET by = 'x' WHERE seq = 5")
    monkeypatch.setitem(client.application.view_functions, "steps.step", stumbles)
    answer = client.get("/games/friday/steps/3")
    assert (answer.status_code, answer.headers["X-Error-Code"]) == (500, "damaged-database")
    assert "what this page shows cannot be read" in answer.text
    assert client.get("/games/saturday/steps/0").headers["X-Error-Code"] == "server-fault"
    client.application.extensions["tabletape"].close()
