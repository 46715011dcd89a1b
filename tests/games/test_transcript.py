"""A whole game as text; the one of the toy is a golden file."""

from __future__ import annotations

from pathlib import Path

from games.core.events import Change, Claim, Event, RecordChecked, RecordClosed, RecordRuled, RecordStarted
from games.core.fold import observe_start, observed
from games.core.start import started
from games.examples.high_card import TOY, CardLaid, CardPassed, CardsDrawn, CardsTurned, HandDealt
from games.testing.transcript import transcript

GOLDEN = Path(__file__).parent / "transcripts" / "high-card.txt"
START = started(TOY, 2, origin="dealt", options={"rounds": 2})
EVENTS: tuple[Event, ...] = (
    HandDealt("p1", ("c01", "c05", "c09")),
    HandDealt("p2", ("c02", "c06", "c10")),
    CardLaid("p1", "c09"),
    CardLaid("p2", "c10"),
    CardsTurned({"p1": "c09", "p2": "c10"}),
    RecordChecked((Claim("deck", 6), Claim("points.p2", 2))),
    CardsDrawn("p2", ("c03", "c04")),
    CardPassed("p2", "c02"),
    RecordRuled("A point too few.", (Change("/points/p1", 0, 1),)),
    CardLaid("p2", "c03"),
    CardLaid("p1", "c05"),
    CardsTurned({"p1": "c05", "p2": "c03"}),
)


def written(events: tuple[Event, ...] = EVENTS) -> str:
    return transcript(TOY, START, events)


def test_transcript_ends_with_the_outcome() -> None:
    assert written().endswith("\n\n== over: most-points\nwinners: p1\nscores: p1 2, p2 1\n")


def test_transcript_of_a_game_that_goes_on_says_so() -> None:
    text = written(EVENTS[:3])
    assert text.endswith("p2 must: card_laid; 3 listed, 0 forms\n\n== not over\n")


def test_transcript_of_a_closed_game_has_the_core_s_outcome_and_nothing_pending() -> None:
    text = written((*EVENTS[:3], RecordClosed("conceded", "p1", "late")))
    assert text.endswith("\n\n== over: conceded\nwinners: p2\nscores: p1 0, p2 0\n")
    assert "must" not in text.rpartition("== step 4")[2]


def test_transcript_of_a_draw_has_no_winners() -> None:
    text = written((*EVENTS[:8], *EVENTS[9:]))
    assert "== over: draw\nwinners: none\n" in text


def test_transcript_counts_listed_events_and_forms_of_the_kinds_due() -> None:
    first = written(()).split("\n")
    assert "chance must: hand_dealt; 0 listed, 1 forms" in first


def test_transcript_of_what_one_was_told_shows_unseen_cards() -> None:
    told_start: RecordStarted[object, object] = observe_start(START, "p1")
    text = transcript(TOY, told_start, observed(TOY, START, EVENTS, "p1"))
    assert "origin: dealt, seen as p1" in text
    assert "== step 2: p2: deal ?,?,?\np2 is dealt an unseen card, an unseen card, an unseen card." in text
    assert "c10" not in text.partition("== step 5")[0]


def test_no_line_is_too_wide_for_a_review() -> None:
    assert max(map(len, written().split("\n"))) <= 110
