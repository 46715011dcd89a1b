"""The move list that the module makes has the lines between sittings that the page has."""

from __future__ import annotations

from playwright.sync_api import expect

from eventstore.log.rows import NewEvent
from eventstore.store import Store
from games.core import serialization
from games.core.events import RecordClosed
from tests.browser.conftest import Opened
from tests.browser.test_viewer import at
from tests.replay_web.samples import play

LIST = (
    "() => [...document.querySelectorAll('[data-block=\"1\"] li')].map(one => [one.className, one.innerText])"
)


def test_lines_between_sittings_are_the_same_from_module_and_server(opened: Opened, store: Store) -> None:
    play(store, "two-days", "monsters-forever", ["Ann", "Bo"], most=70, time_zone="Europe/Helsinki")
    last = store.game("two-days").steps
    close_days_later(store, "two-days")
    module, server = opened("/games/two-days/steps/0"), opened(f"/games/two-days/steps/{last + 1}")
    module.keyboard.press("End")
    at(module, last + 1)
    expect(module.locator(".sitting")).to_have_count(1)
    expect(module.locator(".sitting")).to_contain_text("Second sitting, 2099-01-02")
    assert module.evaluate(LIST) == server.evaluate(LIST)


def close_days_later(store: Store, game: str) -> None:
    """Append as a file from another day would."""
    closed = serialization.encode_event(RecordClosed("abandoned"))
    row = NewEvent("record.closed", closed, recorded_at="2099-01-02T12:00:00.000000Z")
    head = store.game(game).head
    store.log.append(game, [row], after=head, command_id="later", request="later")
