"""From what a person chose to the first event, or to one clear sentence."""

from __future__ import annotations

from dataclasses import replace
from typing import Any, Literal

import msgspec
import pytest

from games.core.registry import installed
from games.core.ruleset import BadData, IllegalAction, Ruleset
from games.core.start import choose, data_file, started
from games.examples import high_card
from games.examples.high_card import TOY, Options


def test_suggested_options_stand_unless_chosen() -> None:
    assert started(TOY, 2).options == Options(rounds=5, scores="higher")
    assert started(TOY, 2, options={"scores": "lower"}).options == Options(rounds=5, scores="lower")


def test_start_holds_all_that_a_fold_needs() -> None:
    event = started(TOY, 2, origin="dealt", seen_as="p2")
    assert (event.ruleset, event.version, event.seats) == ("high-card", 2, ("p1", "p2"))
    assert (event.origin, event.seen_as, event.data, event.parent) == ("dealt", "p2", high_card.DECK, None)


@pytest.mark.parametrize(
    ("seats", "players", "says"),
    [
        ((2,), 3, "High Card is played by 2 players, not 3."),
        ((2, 3), 1, "by 2 or 3 players, not 1."),
        ((2, 3, 6), 4, "by 2, 3 or 6 players, not 4."),
        ((2, 3, 4, 5), 6, "by 2 to 5 players, not 6."),
    ],
)
def test_wrong_number_of_players(seats: tuple[int, ...], players: int, says: str) -> None:
    with pytest.raises(IllegalAction) as refused:
        started(replace(TOY, seats=seats), players)
    assert refused.value.code == "wrong-number-of-players"
    assert says in refused.value.sentence


def test_unknown_viewer() -> None:
    with pytest.raises(
        IllegalAction, match=r"unknown-viewer: .*everything, table or a seat .p1, p2., not 'p3'"
    ):
        started(TOY, 2, seen_as="p3")


def test_unknown_option_is_refused_with_the_list() -> None:
    with pytest.raises(
        IllegalAction, match="unknown-option: High Card has no option 'colour'; it has rounds, scores"
    ):
        started(TOY, 2, options={"colour": 1})


def test_unknown_option_where_there_is_none() -> None:
    class Nothing(msgspec.Struct, frozen=True):
        pass

    with pytest.raises(IllegalAction, match="it has none"):
        choose(replace(TOY, options=Nothing, suggested=lambda _: Nothing()), ("p1",), {"x": 1})


@pytest.mark.parametrize(
    ("options", "says"),
    [
        ({"rounds": 0}, "Option rounds: takes a whole number from 1 to 1000000, not 0"),
        ({"rounds": 1_000_001}, "Option rounds: takes a whole number from 1 to 1000000, not 1000001"),
        (
            {"rounds": 2**64},
            "Option rounds: takes a whole number from 1 to 1000000, not 18446744073709551616",
        ),
        ({"rounds": "three"}, 'Option rounds: takes a whole number from 1 to 1000000, not "three"'),
        ({"rounds": None}, "Option rounds: .*, not null"),
        ({"rounds": [[{"x": [-(2**70)]}]]}, r"Option rounds: .*, not \[\[\{"),
        ({"rounds": "9" * 5000}, 'Option rounds: .*, not "9{59}…'),
        ({"rounds": "\udcff"}, "Option rounds: .*, not "),
        ({"scores": "best"}, 'Option scores: takes higher or lower, not "best"'),
    ],
)
def test_bad_option_says_what_would_be_right(options: dict[str, Any], says: str) -> None:
    with pytest.raises(IllegalAction, match=says):
        started(TOY, 2, options=options)


def test_a_number_without_a_limit_of_its_own_has_one_all_the_same() -> None:
    class Long(msgspec.Struct, frozen=True):
        rounds: int | None = None

    ruleset = replace(TOY, options=Long, suggested=lambda _: Long())
    assert choose(ruleset, ("p1",), {"rounds": 1_000_000}).rounds == 1_000_000
    with pytest.raises(IllegalAction, match="takes a whole number or null, not 1000001; 1000000 is the most"):
        choose(ruleset, ("p1",), {"rounds": 1_000_001})


def test_values_listed_are_those_of_the_option_at_fault() -> None:
    class Ties(msgspec.Struct, frozen=True):
        tie: Literal["keep", "carry"] = "keep"
        tie_war: Literal["yes", "no"] = "yes"

    ruleset = replace(TOY, options=Ties, suggested=lambda _: Ties())
    with pytest.raises(IllegalAction, match="Option tie_war: takes yes or no"):
        choose(ruleset, ("p1",), {"tie": "carry", "tie_war": "perhaps"})


def test_million_rounds_are_allowed() -> None:
    assert started(TOY, 2, options={"rounds": 1_000_000}).options.rounds == 1_000_000


def cards(*values: int) -> list[dict[str, Any]]:
    return [{"id": f"x{number}", "value": value} for number, value in enumerate(values)]


def test_file_of_cards_takes_the_place_of_the_shipped_ones() -> None:
    file = msgspec.json.encode({"source": "mine", "cards": cards(*range(8))})
    event = started(TOY, 2, data=file)
    assert (event.data.source, len(event.data.cards)) == ("mine", 8)


@pytest.mark.parametrize(
    ("file", "row", "says"),
    [
        (b"{", "", "This is no deck of High Card"),
        (b'{"source":"mine"}', "", "missing required field `cards`"),
        (msgspec.json.encode({"source": "x", "cards": cards(1, 2)}), "cards", "8 cards are the least, not 2"),
        (
            msgspec.json.encode({"source": "x", "cards": cards(0, 1, 2, 3, 4, 5, 6, 3)}),
            "cards[7]",
            "x7 with 3 repeats",
        ),
    ],
)
def test_file_that_does_not_fit_names_the_row(file: bytes, row: str, says: str) -> None:
    with pytest.raises(BadData) as refused:
        started(TOY, 2, data=file)
    assert refused.value.row == row
    assert says in refused.value.sentence


def test_options_that_do_not_go_together_are_refused_by_setup() -> None:
    def refuse(_event: Any) -> Any:
        raise IllegalAction("bad-option", "Teams are for six.")

    with pytest.raises(IllegalAction, match="Teams are for six"):
        started(replace(TOY, setup=refuse), 2)


def test_data_of_an_editor_that_marks_its_files_is_read() -> None:
    plain = msgspec.json.encode(high_card.DECK)
    assert started(TOY, 2, data=b"\xef\xbb\xbf" + plain).data == started(TOY, 2, data=plain).data


@pytest.mark.parametrize("ruleset", installed().newest().values(), ids=lambda ruleset: ruleset.id)
def test_the_data_file_of_a_ruleset_is_what_it_plays_with_anyway(ruleset: Ruleset[Any]) -> None:
    file = data_file(ruleset)
    assert max(map(len, file.split("\n"))) <= 250
    for players in ruleset.seats:
        assert started(ruleset, players, data=file.encode()) == started(ruleset, players)
