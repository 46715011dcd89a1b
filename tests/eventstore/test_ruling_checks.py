"""A ruling that leads to nothing usable: refused at every door; a log that has one is folded as it stands."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import msgspec
import pytest

from eventstore.audit.verify import verify
from eventstore.log.rows import NewEvent
from eventstore.recording.amending import HistoryEdit, Insert, Remove, Replace
from eventstore.recording.commands import Amend, Record, Redo, Rule, Undo
from eventstore.refusals import TextOnly
from eventstore.store import Store
from games.core import serialization
from games.core.events import Change, Claim, Event, RecordChecked, RecordRuled, kind_of
from games.core.registry import registry_of
from games.core.ruleset import IllegalAction
from games.examples import high_card
from games.examples.high_card import CardLaid
from tests.eventstore.played import ROUND, begin

RULED = RecordRuled("a slip", (Change("/round", 2, 7),))


def scene(state: high_card.HighCard) -> Any:
    """Draw any round but the seventh."""
    if state.round == 7:
        raise KeyError(state.round)
    return high_card.scene(state)


@pytest.fixture
def odd(path: Path) -> Iterator[Store]:
    """A store whose rules trip over round 7."""
    with Store.open(path, registry=registry_of((replace(high_card.TOY, scene=scene),))) as opened:
        yield opened


@pytest.fixture
def game(odd: Store) -> str:
    made = begin(odd)
    odd.do(made, Record(ROUND))
    return made


def slipped(store: Store, game: str, *events: Event) -> int:
    """Put events into the log as a program did that asked less; give the last one's seq."""
    head = store.log.head(game)
    assert head is not None
    rows = [NewEvent(kind_of(event), serialization.encode_event(event)) for event in events]
    return store.log.append(game, rows, after=head.seq, command_id=f"slip-{head.seq}", request="x").last_seq


@pytest.mark.parametrize(
    "door",
    [
        lambda store, game: store.do(game, Rule("a slip", changes=[{"at": "/round", "now": 7}])),
        lambda store, game: store.do(game, Rule("a slip", changes=RULED.changes)),
        lambda store, game: store.do(game, Record([RULED])),
        lambda store, game: store.do(game, Record([serialization.event_to(RULED)])),
        lambda store, game: store.do(game, Record([CardLaid("p2", "c05"), RULED])),
        lambda store, game: store.do(game, Amend([HistoryEdit(9, Insert([RULED]))])),
        lambda store, game: store.do(game, Amend([HistoryEdit(9, Replace([serialization.event_to(RULED)]))])),
    ],
    ids=["fields", "changes", "event", "object", "behind-others", "inserted", "in-place"],
)
def test_no_door_takes_a_ruling_after_which_nothing_can_be_shown(
    odd: Store, game: str, door: Callable[[Store, str], object]
) -> None:
    head = odd.log.head(game)
    with pytest.raises(IllegalAction) as refused:
        door(odd, game)
    assert refused.value.code == "rules-cannot-go-on"
    assert "the rules cannot go on from here: KeyError: 7" in refused.value.sentence
    assert odd.log.head(game) == head


def test_a_ruling_of_an_event_is_no_way_round(odd: Store, game: str) -> None:
    with pytest.raises(IllegalAction, match="cannot-be-kept"):
        odd.do(game, Rule("so", event=msgspec.structs.replace(RULED, changes=(Change("/round", 1, 7),))))


@pytest.mark.parametrize(
    "change",
    [Change("/round", 2, 7), Change("/deck", 4, 40), Change("/round", 9, 3)],
    ids=["trips", "miscounts", "does-not-fit"],
)
def test_a_log_that_has_such_a_ruling_is_folded_as_it_stands_and_verify_says_so(
    odd: Store, game: str, change: Change
) -> None:
    """It was taken by a program that asked less: old games never change, and folding judges nothing."""
    seq = slipped(odd, game, RecordRuled("a slip", (change,)))
    position = odd.game(game).position()
    assert position.readable
    assert getattr(position.state, change.at[1:]) == change.now
    (fault,) = verify(odd).faults
    assert (fault.seq, fault.code) == (seq, "against-the-rules")
    assert f"Event {seq} of game {game} is against the rules: " in fault.message
    assert odd.do(game, Undo()).step == 8
    assert verify(odd).faults == ()
    odd.do(game, Redo())
    odd.do(game, Amend([HistoryEdit(seq, Remove())]))
    assert odd.do(game, Record([CardLaid("p2", "c05")])).step == 9
    assert verify(odd).faults == ()


def test_a_ruling_that_names_no_place_breaks_the_game_off_until_it_is_taken_back(
    odd: Store, game: str
) -> None:
    seq = slipped(odd, game, RecordRuled("a slip", (Change("/hands/p7", None, None),)))
    position = odd.game(game).position()
    assert not position.readable
    assert f"From event {seq} of game {game} the rules cannot go on: '/hands/p7' is no place" in str(
        position.fault
    )
    with pytest.raises(TextOnly, match="the rules cannot go on"):
        odd.do(game, Record([CardLaid("p2", "c05")]))
    assert odd.do(game, Undo()).step == 8
    assert odd.game(game).position().readable


def test_what_was_kept_of_a_state_against_the_laws_is_as_good_as_nothing(odd: Store, game: str) -> None:
    looks = [RecordChecked((Claim("deck", 4),))] * 31
    slipped(odd, game, *looks)
    state = msgspec.structs.replace(odd.game(game).position(8).state, deck=40)
    runs = odd.game(game).runs
    odd.log.snapshots.put_all(game, "everything", [(25, runs.digest(25), serialization.freeze(state))])
    odd.replays.forget()
    assert odd.game(game).position(39).state.deck == 4
