"""Known and unknown cards: what a record may say that it knows must always be true."""

from __future__ import annotations

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from games.kit.cards import (
    EMPTY,
    CardZone,
    Deck,
    Source,
    candidates,
    draw,
    fault_in,
    join,
    leave,
    places,
    unplaced,
)

IDS = tuple(f"c{number}" for number in range(8))
PILES = ("deck", "hand", "spoils")
MOVES = st.lists(
    st.tuples(
        st.sampled_from(PILES),
        st.sampled_from(PILES),
        st.lists(st.tuples(st.integers(0, 7), st.booleans()), min_size=1, max_size=4),
    ),
    max_size=25,
)


@given(MOVES)
def test_what_a_record_knows_is_true_whatever_it_missed(
    moves: list[tuple[str, str, list[tuple[int, bool]]]],
) -> None:
    real: dict[str, list[str]] = {"deck": list(IDS), "hand": [], "spoils": []}
    told = {"deck": CardZone((), len(IDS)), "hand": EMPTY, "spoils": EMPTY}
    for source, target, picks in moves:
        if source == target:
            continue
        left = [(real[source].pop(at % len(real[source])), seen) for at, seen in picks if real[source]]
        cards = tuple(card if seen else None for card, seen in left)
        deck = Deck("card", frozenset(IDS), places({key: z.known for key, z in told.items()}), {})
        assert fault_in(deck, [(Source(source, source, told[source]), cards)]) is None
        real[target] += [card for card, _ in left]
        told[source], gone = leave(told[source], cards)
        told[target] = join(told[target], gone)
        for pile in PILES:
            assert set(told[pile].known) <= set(real[pile])
            assert told[pile].size == len(real[pile])
        where = places({key: zone.known for key, zone in told.items()})
        assert len(unplaced(IDS, where)) == sum(zone.unknown for zone in told.values())


def test_an_empty_lay_leaves_everything_known() -> None:
    assert leave(CardZone(("a", "b"), 0), ()) == (CardZone(("a", "b"), 0), EMPTY)


DECK = Deck(
    "card",
    frozenset("abcdxy"),
    {"a": "deck", "b": "hand", "c": "deck"},
    {"deck": "the deck", "hand": "the hand"},
)
FULL = Source("deck", "the deck", CardZone(("a", "c"), 0))
OPEN = Source("deck", "the deck", CardZone(("a", "c"), 1))


@pytest.mark.parametrize(
    ("source", "cards", "code", "says"),
    [
        (OPEN, ("q",), "unknown-card", "'q' is no card"),
        (OPEN, ("x", "x"), "named-twice", "x is named twice"),
        (OPEN, ("b",), "card-elsewhere", "b lies in the hand, so it cannot come from the deck"),
        (FULL, ("x",), "no-unknown-card", "holds 0 cards that the record does not know, and else a, c"),
        (OPEN, ("x", "y"), "no-unknown-card", "holds 1 card that"),
        (OPEN, (None,) * 4, "too-few-cards", "4 cards cannot leave the deck: it holds 3"),
    ],
)
def test_cards_that_cannot_have_left(
    source: Source, cards: tuple[str | None, ...], code: str, says: str
) -> None:
    fault = fault_in(DECK, [(source, cards)])
    assert fault is not None
    assert fault.code == code
    assert says in fault.sentence


def test_one_card_cannot_leave_two_piles_at_once() -> None:
    hand = Source("hand", "the hand", CardZone(("b",), 1))
    assert fault_in(DECK, [(OPEN, ("x",)), (hand, ("y",))]) is None
    fault = fault_in(DECK, [(OPEN, ("x",)), (hand, ("x",))])
    assert fault is not None
    assert fault.code == "named-twice"


def test_any_unplaced_card_may_lie_where_a_card_is_unknown() -> None:
    assert candidates(CardZone(("a",), 0), ("x", "y")) == ("a",)
    assert candidates(CardZone(("a",), 1), ("x", "y")) == ("a", "x", "y")


def test_each_card_of_a_shuffled_zone_is_as_likely() -> None:
    rng = random.Random(7)  # noqa: S311 - to be repeated
    found: Counter[str] = Counter()
    for _ in range(4000):
        drawn = draw(CardZone(("a", "b"), 2), ("x", "y", "z"), rng, 2)
        assert len(set(drawn)) == 2
        found.update(drawn)
    share = {card: count / 4000 for card, count in found.items()}
    assert all(abs(share[card] - 1 / 2) < 0.04 for card in "ab")
    assert all(abs(share[card] - 1 / 3) < 0.04 for card in "xyz")
