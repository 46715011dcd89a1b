"""The exact twin: another writer comes before the n-th look at the log, for every n of every page."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Final

import pytest
from flask import Flask
from freezegun import freeze_time

from eventstore.store import Store
from replay_web.http import forms
from tests.replay_web.samples import registry
from tests.replay_web.torn.addresses import (
    ALL,
    DEALT,
    GAMES,
    HIDDEN,
    OPEN,
    UNSEEN,
    Example,
    as_json,
    examples,
    fill,
    without_example,
    write,
)
from tests.replay_web.torn.offers import moves, moves_at, offered
from tests.replay_web.torn.site import Site

WRITERS = ("move", "undo", "rename", "note")
VIEWERS = {"everything": "keeper", "table": None, "p1": "seated"}
"""Who looks, and the key that they have."""


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> tuple[bytes, dict[str, str]]:
    """The bytes of the database, and a session for each key."""
    path = tmp_path_factory.mktemp("torn") / "games.db"
    with freeze_time("2026-09-14T18:00:00Z"):
        fill(path)
        with Store.open(path, registry=registry()) as store:
            sessions = {}
            for name, seat in (("keeper", None), ("seated", "p1")):
                store.access.revoke(name)
                _, typed = store.access.add(f"{name}-2", seat=seat)
                sessions[name] = str(store.access.begin(typed))
            store.catalogue.list(text="x")
    return path.read_bytes(), sessions


@contextmanager
def site(base: tuple[bytes, dict[str, str]], folder: Path, app: Flask | None = None) -> Iterator[Site]:
    for file in folder.glob("games.db*"):
        file.unlink()
    path = folder / "games.db"
    path.write_bytes(base[0])
    made = Site(path, app)
    try:
        yield made
    finally:
        made.close()


@pytest.fixture(autouse=True)
def nothing_drawn(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Draw the same keys and ids for each page, and stop the clock."""
    monkeypatch.setattr(forms, "fresh_key", lambda: "fresh-key-12")
    monkeypatch.setattr("eventstore.log.ids.secrets.choice", lambda letters: letters[0])
    with freeze_time("2026-09-14T19:00:00Z"):
        yield


def test_every_address_has_an_example(base: tuple[bytes, dict[str, str]], tmp_path: Path) -> None:
    with site(base, tmp_path) as made:
        assert without_example(made.app, made.store) == set()


def asked(made: Site, game: str, viewer: str) -> list[Example]:
    """What this viewer may ask for, also as a program does."""
    hides = game != OPEN
    found = list(examples(made.store, game))
    found += as_json(made.app, found)
    return [one for one in found if not (one.everything and hides and viewer != "everything")]


CASES: Final = (
    *((game, "everything", how) for game in GAMES for how in WRITERS),
    *((game, "everything", "move") for game in (DEALT, UNSEEN)),
    (HIDDEN, "table", "move"),
    (HIDDEN, "p1", "move"),
)


@pytest.mark.parametrize(("game", "viewer", "how"), CASES)
def test_an_answer_is_that_of_one_state(
    base: tuple[bytes, dict[str, str]], tmp_path: Path, game: str, viewer: str, how: str
) -> None:
    session = None if VIEWERS[viewer] is None else base[1][str(VIEWERS[viewer])]
    with site(base, tmp_path) as made:
        wanted, app = asked(made, game, viewer), made.app
    torn = []
    tried = 0
    for example in wanted:
        with site(base, tmp_path, app) as made:
            quiet, looks = made.answer(example, session), made.looks
        with site(base, tmp_path, app) as made:
            write(made.other, game, how)
            behind = made.answer(example, session)
        assert max(quiet.status, behind.status) < 500, (example, quiet.status, behind.status)
        for warm in (False, True):
            for number in range(1, looks + 1):
                with site(base, tmp_path, app) as made:
                    if warm:
                        made.warm(game, example, session)
                    made.before = number, lambda made=made: write(made.other, game, how)  # type: ignore[misc]
                    got = made.answer(example, session)
                    last = made.looks < number
                    elsewhere = is_elsewhere(made, game, example)
                if last:
                    break
                tried += 1
                if got not in {quiet, behind} or elsewhere:
                    torn.append((example.endpoint, example.address, warm, number, looks, got.status))
    assert tried > len(wanted)
    assert torn == []


def is_elsewhere(made: Site, game: str, example: Example) -> bool:
    """Whether a form was accepted on another board than the one that it was made for."""
    after = (example.form or {}).get("after")
    if after is None:
        return False
    own = [row.seq for row in made.other.log.events(game, after + 1) if row.by != "another"]
    return own != [] and own[0] != after + 1


@pytest.mark.parametrize("game", ALL)
def test_a_form_of_an_older_head_is_a_conflict(
    base: tuple[bytes, dict[str, str]], tmp_path: Path, game: str
) -> None:
    session = base[1]["keeper"]
    with site(base, tmp_path) as made:
        wanted, app = asked(made, game, "everything"), made.app
    forms_of = [one for one in wanted if "after" in (one.form or {})]
    assert forms_of
    for example in forms_of:
        with site(base, tmp_path, app) as made:
            write(made.other, game, "move")
            head = made.other.head(game)
            got = made.answer(example, session)
            assert got.status == 409, example
            assert made.other.head(game) == head, example


def test_every_address_answers_and_every_form_is_accepted_in_an_example(
    base: tuple[bytes, dict[str, str]], tmp_path: Path
) -> None:
    """An example that is refused says little of what its page reads."""
    refused, accepted = set(), set()
    app = None
    for game in ALL:
        with site(base, tmp_path, app) as made:
            wanted, app = asked(made, game, "everything"), made.app
        for example in wanted:
            with site(base, tmp_path, app) as made:
                before = made.other.head(game)
                status = made.answer(example, base[1]["keeper"]).status
                records = "after" in (example.form or {}) and example.endpoint != "correct.preview"
                good = status < 400 and (not records or made.other.head(game) != before)
            (accepted if good else refused).add(example.endpoint)
    assert refused - accepted == set()


@pytest.mark.parametrize("how", [None, "move", "undo"])
@pytest.mark.parametrize("game", GAMES)
def test_a_page_names_one_head_and_offers_its_moves(
    base: tuple[bytes, dict[str, str]], tmp_path: Path, game: str, how: str | None
) -> None:
    """With the test of one state it holds for each n: there an answer is one of these to the byte."""
    with site(base, tmp_path) as made:
        if how is not None:
            write(made.other, game, how)
        quiet = made.other.game(game)
        legal = moves(moves_at(made.other, quiet.head, game))
        assert legal or game == HIDDEN
        named = Counter[str]()
        for example in asked(made, game, "everything"):
            if example.form is not None:
                continue
            text = made.answer(example, base[1]["keeper"]).body.decode("utf-8", "replace")
            heads, events = offered(text)
            named[example.endpoint] += len(heads)
            assert heads <= {quiet.head}, example
            if example.endpoint != "recording.page":
                continue
            if "part=1" in example.address:
                part = json.loads(text)["part"]
                _, events = offered(part["sheet"])
                assert (part["head"], part["step"]) == (quiet.head, quiet.steps)
            assert moves(events) <= legal, example
            assert moves(events) or game == HIDDEN, example
        assert named["recording.page"]
        assert named["check.ask"]
        assert named["ruling.ask"]
