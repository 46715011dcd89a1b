"""What a page offers to record, and what could be recorded at the head that it names."""

from __future__ import annotations

import json
import re
from html import unescape

from eventstore.store import Store
from games.core import serialization
from tests.replay_web.torn.addresses import OPEN


def moves_at(store: Store, head: int, game: str = OPEN) -> set[str]:
    """The moves that were legal when the log ended with this event, folded by themselves."""
    position = store.game(game).at_head(head).position()
    seats = {due.seat for due in position.pending()}
    return {serialization.encode_event(event) for seat in seats for event in position.legal(seat)}


def offered(page: str) -> tuple[set[int], set[str]]:
    """For which heads the forms of a record page were made, and which moves its buttons send."""
    heads = {int(text) for text in re.findall(r'name="after" value="(\d+)"', page)}
    events = {unescape(text) for text in re.findall(r'name="event" value="([^"]*)"', page)}
    return heads, events


def moves(events: set[str]) -> set[str]:
    """The moves among events, in one spelling: what closes the record is offered at every step."""
    said = [json.loads(one) for one in events]
    return {json.dumps(one, sort_keys=True) for one in said if not one["kind"].startswith("record.")}
