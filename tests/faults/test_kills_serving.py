"""`serve` killed while it answers forms: what it answered is there, and the same form goes on from there."""

from __future__ import annotations

import json
import os
import random
import shutil
import signal
from itertools import pairwise
from pathlib import Path
from typing import Any
from urllib.error import HTTPError, URLError
from urllib.parse import urlencode
from urllib.request import HTTPRedirectHandler, Request, build_opener

import pytest

from eventstore.store import Store
from replay_web import create_app
from tests.conftest import Measured
from tests.faults.commands import DATABASE
from tests.faults.forks import Forks, Kill

KILLS = int(os.environ.get("TABLETAPE_KILLS", "80")) // 8
PATIENCE = 60
NOTE = "NOTE"
"""Stands for the id of the note that is there from the beginning."""
FORMS: tuple[tuple[str, dict[str, str]], ...] = (
    (
        "/games",
        {
            "key": "fresh-game",
            "ruleset": "monsters-forever",
            "players": "2",
            "player.p1": "Cem",
            "player.p2": "Dea",
            "title": "Saturday",
        },
    ),
    ("/games/other/events", {"key": "form-000000000-1", "after": "1", "typed": "A6-A5"}),
    (
        "/games/other/events",
        {"key": "form-000000000-2", "after": "2", "event": '{"kind":"turn_ended","team":"A"}'},
    ),
    ("/games/other/undo", {"key": "form-000000000-3", "after": "3"}),
    ("/games/other/redo", {"key": "form-000000000-4", "after": "4"}),
    ("/games/dealt/deal", {"key": "form-000000000-5", "after": "1", "all": "1"}),
    (
        "/games/duel/notes",
        {"key": "form-000000000-6", "seq": "2", "step": "1", "text": "good", "glyph": "", "tags": "x"},
    ),
    (f"/games/duel/notes/{NOTE}", {"replaces": "1", "text": "the first, anew", "glyph": "", "tags": ""}),
    (f"/games/duel/notes/{NOTE}/remove", {"key": "form-000000000-7"}),
    ("/games/duel/details", {"title": "Renamed", "player.p1": "Ann", "player.p2": "Bo"}),
    ("/games/duel/details", {"listed": "no"}),
    ("/games/duel/steps/1/what-if", {"key": "bold-game", "seq": "2", "title": ""}),
    (
        "/games/duel/steps/2/correct/settle",
        {"key": "form-000000000-8", "after": "4", "seq": "3", "do": "remove"},
    ),
    ("/games/undone/restore", {"key": "form-000000000-9", "after": "3", "to": "2"}),
    ("/games/longer/check", {"key": "form-000000000-a", "after": "2", "at:round": "1"}),
    (
        "/games/longer/rule",
        {"key": "form-000000000-b", "after": "3", "what": "move", "typed": "A5-A7", "reason": "agreed"},
    ),
)
ELSEWHERE = {
    "/games/<game>/steps/<int:step>/correct": "it only previews",
    "/games/<game>/unseen": "it amends, as `correct/settle` does",
    "/sign-in": "it is for those who come with a key: one row of a session",
    "/sign-out": "as `/sign-in`",
    "/invite/keys": "`key add` is killed in test_kills.py",
    "/invite/revoke": "`key revoke` is killed in test_kills.py",
}


@pytest.fixture(scope="module")
def forms(forks: Forks, filled: Path) -> list[tuple[str, dict[str, str]]]:
    """The forms with the id of the note put in."""
    payloads = [json.loads(row[6]) for row in look(forks, filled)["events"] if row[0] == "duel/notes"]
    return [(address.replace(NOTE, payloads[0]["id"]), sent) for address, sent in FORMS]


def test_each_form_that_writes_is_sent(tmp_path: Path) -> None:
    with Store.open(tmp_path / "games.db") as store:
        rules = create_app(store).url_map
        taken = {rule.rule for rule in rules.iter_rules() if "POST" in (rule.methods or ())}
        matched = {
            rules.bind("here").match(address, method="POST", return_rule=True)[0].rule for address, _ in FORMS
        }
    assert matched | ELSEWHERE.keys() == taken
    assert not matched & ELSEWHERE.keys()


def look(forks: Forks, folder: Path) -> dict[str, Any]:
    found: dict[str, Any] = forks.call(folder, "tests.faults.looks:look", path=DATABASE)
    assert not found["faults"]
    return found


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: Any) -> None:
        return None


_OPENER = build_opener(_Stay)


def send(url: str, address: str, sent: dict[str, str]) -> int:
    """Send a form; the status of the answer, 0 where none comes."""
    request = Request(  # noqa: S310 - our own address
        f"{url.rstrip('/')}{address}",
        urlencode(sent).encode(),
        {"Sec-Fetch-Site": "same-origin", "Accept": "application/json"},
    )
    try:
        with _OPENER.open(request, timeout=PATIENCE) as answer:
            return int(answer.status)
    except HTTPError as refused:
        with refused:
            return refused.code
    except (URLError, OSError):
        return 0


def address_of(line: str) -> str | None:
    """Read where it serves; None where it was killed before it said so."""
    return json.loads(line)["url"] if line.endswith("\n") else None


SERVE = ("serve", "--port", "0", "--json")


def clean(
    forks: Forks, folder: Path, forms: list[tuple[str, dict[str, str]]]
) -> tuple[list[dict[str, Any]], int]:
    """Send all the forms; the states from the first to the last, and the number of file operations."""
    states = [look(forks, folder)]
    with forks.talking(folder, *SERVE) as (child, printed):
        url = address_of(printed.readline())
        assert url
        for address, sent in forms:
            status = send(url, address, sent)
            assert status in {200, 201, 303}, (address, status)
            states.append(look(forks, folder))
        os.kill(child.pid, signal.SIGTERM)
        done = child.wait()
    assert done.status == 0, done.err
    assert all(one != other for one, other in pairwise(states))
    return states, done.seen


def test_a_kill_while_it_serves_loses_nothing(
    forks: Forks,
    filled: Path,
    memory: Path,
    measured: Measured,
    forms: list[tuple[str, dict[str, str]]],
) -> None:
    shutil.copytree(filled, memory / "clean")
    states, operations = clean(forks, memory / "clean", forms)
    rng, answered = random.Random("serve"), 0  # noqa: S311 - to be repeated
    for number in range(max(KILLS, 5)):
        kill = Kill(rng.randint(1, operations), rng.choice(("before", "torn", "after")))
        folder = memory / f"killed-{number}"
        shutil.copytree(filled, folder)
        acknowledged = killed(forks, folder, forms, kill)
        answered += acknowledged
        found = look(forks, folder)
        assert found in states[acknowledged : acknowledged + 2], (kill, acknowledged)
        if acknowledged < len(forms):
            repeated(forks, folder, forms[acknowledged])
            after, wanted = look(forks, folder), states[acknowledged + 1]
            if found == states[acknowledged]:
                # Nothing was kept of what was drawn, and another server draws anew.
                after, wanted = without_draws(after), without_draws(wanted)
            assert after == wanted, kill
        shutil.rmtree(folder)
    measured(f"kills: serve: {max(KILLS, 5)} at {operations} operations, {answered} answers checked")


def without_draws(state: dict[str, Any]) -> dict[str, Any]:
    """Leave out what is drawn, ids of notes and cards of a dealt game; keep games, places and kinds."""
    drawn = ("dealt", "duel/notes")
    return {**state, "events": [row[:2] + row[3:4] if row[0] in drawn else row for row in state["events"]]}


def killed(forks: Forks, folder: Path, forms: list[tuple[str, dict[str, str]]], kill: Kill) -> int:
    """Send forms until it is killed; how many of them were answered."""
    answered = 0
    with forks.talking(folder, *SERVE, kill=kill) as (child, printed):
        url = address_of(printed.readline())
        for address, sent in forms if url else ():
            status = send(str(url), address, sent)
            if not status:
                break
            assert status in {200, 201, 303}, (address, status)
            answered += 1
        else:
            os.kill(child.pid, signal.SIGKILL)
        assert child.wait().killed, kill
    return answered


def repeated(forks: Forks, folder: Path, form: tuple[str, dict[str, str]]) -> None:
    """Send the form that had no answer once more."""
    with forks.talking(folder, *SERVE) as (child, printed):
        url = address_of(printed.readline())
        assert url
        assert send(url, *form) in {200, 201, 303}, form
        os.kill(child.pid, signal.SIGKILL)
        child.wait()
