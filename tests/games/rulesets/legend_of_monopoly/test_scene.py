"""The board as it is drawn."""

from __future__ import annotations

import math

import pytest
from msgspec.structs import replace

from games.core import start
from games.core.scene import Piece, Scene
from games.rulesets.legend_of_monopoly import RULESETS
from games.rulesets.legend_of_monopoly.state import Charge, Drawn, Holding, State
from games.scene.svg import draw
from games.scene.text import scene_text

RULES = RULESETS[0]
PLAYERS = 14
START: State = RULES.setup(start.started(RULES, PLAYERS, options={"mother_confessor": "p1"}))
SEATS = [f"p{number}" for number in range(1, PLAYERS + 1)]
KEYS = (
    {"round", "cottages", "inns", "deck.additive", "deck.subtractive", "drawn"}
    | {
        f"{what}.{seat}"
        for what in ("space", "cash", "loan", "lands", "cards", "water", "wealth", "token")
        for seat in SEATS
    }
    | {f"cell.{pos}" for pos in range(40)}
)


def spot(scene: Scene, piece: Piece) -> tuple[float, float, float]:
    """Give a piece's middle and half its width, as the renderer does."""
    cell = next(cell for cell in scene.cells if cell.key == piece.cell)
    (x, y), xs, ys = cell.centre, [x for x, _ in cell.points], [y for _, y in cell.points]
    radius = min(x - min(xs), max(xs) - x, y - min(ys), max(ys) - y) * 0.9 * piece.size
    return x + piece.dx * radius, y + piece.dy * radius, radius


def test_keys_of_a_table_check() -> None:
    assert set(dict(RULES.scene(START).values())) == KEYS


def test_forty_cells_close_a_square() -> None:
    scene = RULES.scene(START)
    wide, high = scene.size
    assert wide == high
    boxes = {
        cell.key: [f(values) for values in zip(*cell.points, strict=True) for f in (min, max)]
        for cell in scene.cells
    }
    area = sum((right - left) * (bottom - top) for left, right, top, bottom in boxes.values())
    depth = boxes["cell.0"][1] - boxes["cell.0"][0]
    assert math.isclose(area, wide * high - (wide - 2 * depth) ** 2)
    assert boxes["cell.0"][1::2] == [wide, high]
    assert boxes["cell.10"][0] == 0
    assert boxes["cell.10"][3] == high
    assert boxes["cell.20"][0::2] == [0, 0]
    assert boxes["cell.30"][1:3] == [wide, 0]
    for pos in range(40):
        here, after = boxes[f"cell.{pos}"], boxes[f"cell.{(pos + 1) % 40}"]
        assert here[0] <= after[1]
        assert after[0] <= here[1]
        assert here[2] <= after[3]
        assert after[2] <= here[3]


def test_a_cell_has_number_name_price_and_the_tone_of_its_part() -> None:
    cells = {cell.label: cell for cell in RULES.scene(START).cells}
    assert cells["6"].lines == ("Mud People", "Village", "100")
    assert cells["6"].tone == cells["8"].tone != cells["11"].tone
    assert cells["4"].lines == ("Treasure", "Tax", "−200")
    assert len({cell.tone for cell in cells.values()}) == 11


@pytest.mark.parametrize("pos", [0, 1, 12, 20, 24, 30, 35])
def test_tokens_stand_beside_one_another_within_their_space(pos: int) -> None:
    for count in (1, 2, 3, 5, 9, 14):
        seats = dict(zip(SEATS, [pos] * count + [(pos + 3) % 40] * (PLAYERS - count), strict=True))
        scene = RULES.scene(replace(START, space=seats))
        here = [spot(scene, piece) for piece in scene.pieces if piece.cell == f"cell.{pos}"]
        assert len(here) == count
        cell = next(cell for cell in scene.cells if cell.key == f"cell.{pos}")
        xs, ys = [x for x, _ in cell.points], [y for _, y in cell.points]
        for number, (x, y, radius) in enumerate(here):
            assert min(xs) <= x - radius + 1e-6
            assert x + radius <= max(xs) + 1e-6
            assert min(ys) <= y - radius + 1e-6
            assert y + radius <= max(ys) + 1e-6
            for other_x, other_y, _ in here[:number]:
                assert math.dist((x, y), (other_x, other_y)) >= 2 * radius - 1e-6


@pytest.mark.parametrize("pos", range(40))
def test_nothing_lies_on_what_is_written(pos: int) -> None:
    lands = {str(pos): Holding("p2", 3, None, indebted=False)} if str(pos) in START.setup.lands else {}
    scene = RULES.scene(replace(START, lands=lands, space=dict.fromkeys(SEATS, pos)))
    cell = next(cell for cell in scene.cells if cell.key == f"cell.{pos}")
    upright = pos % 10 == 0 or pos // 10 in {0, 2}
    for x, y, radius in (spot(scene, piece) for piece in scene.pieces):
        off = abs(y - cell.centre[1]) if upright else abs(x - cell.centre[0])
        assert off - radius >= (8 * (1 + len(cell.lines)) - 4 if upright else 27), pos


def test_marks_of_owner_debt_and_houses() -> None:
    lands = {
        "6": Holding("p2", 3, None, indebted=False),
        "8": Holding("p2", 0, "inn", indebted=False),
        "15": Holding("p14", 0, None, indebted=True),
    }
    pieces = {piece.key: piece for piece in RULES.scene(replace(START, lands=lands)).pieces}
    owner, house, inn, pawned = (pieces[key] for key in ("owner.6", "house.6", "house.8", "owner.15"))
    assert (owner.mark, owner.tone, owner.shape, owner.dimmed) == ("B", "1", "square", False)
    assert (house.mark, house.label, house.shape) == ("3", "3 cottages", "house")
    assert (inn.mark, inn.label) == ("In", "an inn")
    assert (pawned.mark, pawned.label, pawned.dimmed) == ("N", "{p14}'s, indebted", True)


def test_tokens_have_their_names_of_the_rulebook() -> None:
    values = dict(RULES.scene(START).values())
    assert values["token.p1"] == "A Sword of Truth"
    assert values["token.p2"] == "B Confessor's Hand"


def test_what_is_pending_stands_in_the_headline() -> None:
    charged = replace(START, phase="turn.post", charge=Charge("p2", "p1", 6, 12))
    assert RULES.scene(START).headline == "Round 1: {p1} throws"
    assert RULES.scene(charged).headline == "Round 1: {p1} may end the turn; {p2} may claim 12 Rahl from {p1}"


def test_decks_kept_cards_and_the_card_that_waits() -> None:
    drawn = replace(
        START,
        phase="card.effect",
        drawn=Drawn("additive", "add-01"),
        cards={**START.cards, "p3": ("sub-15",)},
    )
    zones = {zone.key: zone for zone in RULES.scene(drawn).zones}
    assert [card.key for card in zones["drawn"].cards] == ["add-01"]
    assert [card.key for card in zones["cards.p3"].cards] == ["sub-15"]
    assert zones["cards.p3"].spread == "row"
    assert zones["cards.p4"].spread == "none"
    assert zones["deck.additive"].seen_by == ()


def test_a_card_just_drawn_lies_open_with_a_line_from_where_it_went() -> None:
    at = replace(START, phase="magic.draw", space={**START.space, "p1": 2})
    event = {"kind": "magic_drawn", "player": "p1", "deck": "additive", "card": "add-05"}
    after = replace(
        at,
        phase="turn.post",
        decks={**at.decks, "additive": replace(at.decks["additive"], unknown=15, under=("add-05",))},
    )
    names = dict(zip(SEATS, SEATS, strict=True))
    drawing = draw(RULES.scene(after), RULES.scene(at), names=names, event=event)
    ghosts = [sprite.key for sprite in drawing.sprites if "ghost" in sprite.classes]
    assert ghosts == ["card:add-05"]


def test_the_end_in_the_headline() -> None:
    for win, said in (("last-player", "{p2} has defeated the Keeper"), ("fellowship", "The fellowship")):
        state = RULES.setup(start.started(RULES, 3, options={"win": win}))
        out = ("p1", "p3") if win == "last-player" else ()
        left = [seat for seat in ("p1", "p2", "p3") if seat not in out]
        by_seat = {name: dict.fromkeys(left, 0) for name in ("cash", "loans", "water", "space")}
        over = replace(state, phase="over", out=out, cards=dict.fromkeys(left, ()), **by_seat)
        assert RULES.scene(over).headline.startswith(said)


def test_fourteen_players_in_eighty_columns() -> None:
    assert max(map(len, scene_text(RULES.scene(START)).split("\n"))) <= 80


def test_every_card_without_a_title_is_called_by_its_deck_and_number() -> None:
    untitled = [card for card, magic in START.setup.magic.items() if magic.title is None]
    titles = [shown.title for card in untitled if (shown := RULES.face(START, card)) is not None]
    assert len(titles) == len(untitled) == len(set(titles)) > 20
    assert {title.rstrip("0123456789") for title in titles} == {"Additive ", "Subtractive "}
