"""Pictures: same thing, same key; what moved is marked; nothing a person typed becomes markup."""

from __future__ import annotations

import random
import re
from itertools import pairwise
from typing import Any
from xml.etree import ElementTree as ET

import msgspec
import pytest

from games.core import serialization, start
from games.core.registry import installed
from games.core.ruleset import Ruleset
from games.core.scene import Box, Card, Cell, Counter, Face, Piece, Scene, Zone
from games.examples import high_card
from games.scene.card_art import art, face, monster
from games.scene.changes import whose
from games.scene.layout import CARD, CHIP
from games.scene.looks import look, style
from games.scene.svg import body, draw, standalone, symbol_id
from games.testing import playout

SVG = "{http://www.w3.org/2000/svg}"
TRIANGLES = (
    Cell("cell.A1", "A1", ((0, 90), (100, 90), (50, 0)), (50, 60), tone="0", start_of="A"),
    Cell("cell.A2", "A2", ((100, 90), (200, 90), (150, 0)), (150, 60), tone="0"),
)
KING = Piece("a1", "cell.A1", "A", "Zombies king on A1", "0", crowned=True)
DUKE = Card("m12a", Face("Duke", value="12", icon="monster"))
ACE = Card("w1", Face("War", value="W", icon="swords", tone="war"))


def board(*pieces: Piece) -> Scene:
    return Scene(size=(200, 90), counters=(Counter("round", "Round", 1),), cells=TRIANGLES, pieces=pieces)


def table(
    deck: int = 5,
    field: tuple[Card, ...] = (),
    spoils: tuple[Card, ...] = (),
    unseen: int = 0,
    owner: str = "p1",
) -> Scene:
    return Scene(
        size=(600, 200),
        zones=(
            Zone("deck", "Deck", (), (), deck, Box(0, 20, 100, 140), owner=owner),
            Zone(
                "field",
                "Open",
                ("table",),
                field,
                unseen,
                Box(150, 20, 250, 140),
                owner=owner,
                spread="row",
                shown=True,
            ),
            Zone("spoils", "Spoils", ("table",), spoils, 0, Box(450, 20, 100, 140), owner=owner),
        ),
    )


def parsed(scene: Scene, before: Scene | None = None, **more: object) -> ET.Element:
    return ET.fromstring(standalone(draw(scene, before, **more), "A title"))  # type: ignore[arg-type]  # noqa: S314 - our own text


def sprites(scene: Scene, before: Scene | None = None, **more: object) -> dict[str, str]:
    return {item.key: item.classes for item in draw(scene, before, **more).sprites}  # type: ignore[arg-type]


def where(scene: Scene, key: str) -> tuple[float, float]:
    found = next(item.transform for item in draw(scene).sprites if item.key == key)
    x, y = re.findall(r"-?[\d.]+", found)[:2]
    return float(x), float(y)


def test_piece_stands_in_the_middle_of_its_cell_and_fits_into_it() -> None:
    drawing = draw(board(KING))
    (king,) = drawing.sprites
    assert where(board(KING), "piece:a1") == (50, 60)
    scale = float(king.transform.split("scale(")[1].rstrip(")"))
    assert CHIP * scale < 30, "the nearest edge is 30 away"
    assert "A</text>" in next(iter(drawing.symbols.values()))


def test_moved_piece_is_outlined_with_a_line_from_where_it_was() -> None:
    after = board(msgspec.structs.replace(KING, cell="cell.A2"))
    assert sprites(after, board(KING)) == {"piece:a1": "sprite piece moved"}
    polygons = parsed(after, board(KING)).iter(f"{SVG}polygon")
    (trail,) = [item for item in polygons if item.get("class") == "trail"]
    assert str(trail.get("points")).startswith("50 60 150 ")


def test_cells_that_an_event_names_are_outlined_and_joined_where_nothing_moved() -> None:
    attack = {"kind": "attacked", "from": "A1", "target": "A2"}
    assert draw(board(KING), board(KING), event=attack).trails.count("touched") == 2
    assert draw(board(KING), board(KING), event=attack).trails.count('"trail"') == 1
    moved = board(msgspec.structs.replace(KING, cell="cell.A2"))
    assert draw(moved, board(KING), event=attack).trails.count('"trail"') == 1


def test_nothing_is_marked_where_nothing_happened() -> None:
    assert sprites(board(KING), board(KING)) == {"piece:a1": "sprite piece"}
    assert draw(board(KING), board(KING)).trails == ""


def test_taken_piece_lies_turned_over_where_it_was() -> None:
    drawing = draw(board(), board(KING))
    (ghost,) = drawing.sprites
    assert ghost.classes == "sprite piece ghost"
    assert "taken" in ghost.inner
    assert 'class="turned"' in next(iter(drawing.symbols.values()))


def test_crown_or_frost_on_a_piece_is_a_change_that_shows() -> None:
    frozen = msgspec.structs.replace(KING, dimmed=True)
    assert sprites(board(frozen), board(KING)) == {"piece:a1": "sprite piece moved"}


def test_stack_shows_one_back_and_its_size_and_an_empty_one_nothing() -> None:
    drawn = sprites(table(deck=26))
    assert set(drawn) == {"pile:deck", "tally:deck"}
    assert ">26</text>" in body(draw(table(deck=26)))
    assert sprites(table(deck=0)) == {}


def test_stack_whose_size_changed_says_so() -> None:
    assert sprites(table(deck=4), table(deck=5))["tally:deck"] == "sprite tally changed"


def test_card_that_comes_from_a_stack_begins_there() -> None:
    drawing = draw(table(deck=4, field=(DUKE,)), table(deck=5))
    card = next(item for item in drawing.sprites if item.key == "card:m12a")
    assert card.classes == "sprite card moved"
    assert card.start.startswith("translate(50 90)")
    assert "50 90" in drawing.trails


def test_unseen_card_laid_from_a_hand_shows_whose_hand_it_was() -> None:
    def laid(hand: int, table_: int) -> Scene:
        return Scene(
            size=(600, 400),
            zones=(
                Zone("hand.p2", "Hand", ("p2",), (), 3, Box(0, 200, 300, 100), owner="p2", spread="fan"),
                Zone("hand.p1", "Hand", ("p1",), (), hand, Box(0, 20, 300, 100), owner="p1", spread="fan"),
                Zone(
                    "laid.p1", "Laid", ("p1",), (), table_, Box(400, 20, 100, 100), owner="p1", spread="row"
                ),
            ),
        )

    assert draw(laid(2, 1), laid(3, 0)).trails.startswith('<polygon class="trail" points="150 70 ')


def test_known_card_in_a_closed_place_shows_its_back() -> None:
    closed = table(field=(DUKE,))
    zones = tuple(msgspec.structs.replace(zone, shown=False) for zone in closed.zones)
    drawing = draw(msgspec.structs.replace(closed, zones=zones))
    assert not [markup for markup in drawing.symbols.values() if "Duke" in markup]


def test_unknown_cards_of_a_row_are_backs_with_keys_of_their_own() -> None:
    assert [key for key in sprites(table(field=(DUKE,), unseen=2)) if "field" in key] == [
        "back:field:0",
        "back:field:1",
    ]


@pytest.mark.parametrize("count", [1, 2, 5, 40])
def test_row_of_cards_stays_within_its_place(count: int) -> None:
    cards = tuple(Card(f"c{number}", Face("Card")) for number in range(count))
    for item in draw(table(field=cards)).sprites:
        if item.key.startswith("card:"):
            x, y, scale = (float(part) for part in re.findall(r"-?[\d.]+", item.transform))
            assert x - scale * CARD[0] / 2 >= 150 - 0.1
            assert x + scale * CARD[0] / 2 <= 400.1
            assert y - scale * CARD[1] / 2 >= 20 - 0.1
            assert y + scale * CARD[1] / 2 <= 160.1


def test_covered_card_still_shows_its_figure() -> None:
    cards = tuple(Card(f"c{number}", Face("Card", value="13")) for number in range(9))
    found = [item.transform for item in draw(table(field=cards)).sprites if item.key.startswith("card:")]
    spots = [[float(part) for part in re.findall(r"-?[\d.]+", transform)] for transform in found]
    for (x, y, scale), (next_x, next_y, _) in pairwise(spots):
        assert next_y != y or next_x - x >= 0.45 * CARD[0] * scale


def test_card_that_only_passed_over_the_table_is_shown_where_its_owner_lays_cards() -> None:
    before, after = table(deck=5), table(deck=4, spoils=(DUKE,))
    flip = {"kind": "flipped", "cards": {"p1": "m12a"}}
    shown = sprites(after, before, names={"p1": "Ann"}, event=flip)
    assert shown["card:m12a"] == "sprite card ghost"
    assert "card:m12a" not in sprites(after, before), "nobody is said to have played it"


def test_card_that_lies_in_a_stack_since_before_is_not_shown_again() -> None:
    scene = table(spoils=(DUKE,))
    assert "card:m12a" not in sprites(scene, scene, names={"p1": "Ann"}, event={"cards": {"p1": "m12a"}})


def test_names_stand_where_labels_write_seats() -> None:
    scene = table()
    zones = tuple(msgspec.structs.replace(zone, label="{p1}'s deck") for zone in scene.zones[:1])
    markup = body(draw(msgspec.structs.replace(scene, zones=zones), names={"p1": "Ann"}))
    assert "Ann&#x27;s deck" in markup


def test_what_people_typed_is_text_and_never_markup() -> None:
    evil = '"><script>alert(1)</script>&'
    card = Card(
        evil, Face(evil, value=evil, mark=evil, lines=(evil,), values=((evil, evil),), tone=evil, icon=evil)
    )
    piece = Piece(evil, "cell.A1", evil, evil, evil)
    scene = Scene(
        size=(600, 200),
        cells=(msgspec.structs.replace(TRIANGLES[0], label=evil, lines=(evil,), tone=evil),),
        pieces=(piece,),
        zones=(
            Zone(
                evil, evil, ("table",), (card,), 1, Box(0, 0, 100, 100), spread="row", shown=True, back=evil
            ),
        ),
    )
    root = ET.fromstring(standalone(draw(scene, names={"p1": evil}), evil))  # noqa: S314 - our own text
    assert not list(root.iter(f"{SVG}script"))
    assert not [item for item in root.iter() for name in item.attrib if name.startswith("on")]


def test_picture_has_no_inline_style_so_that_a_strict_policy_shows_it() -> None:
    markup = body(draw(table(field=(DUKE, ACE), unseen=1), table()))
    assert "style=" not in markup
    assert "<style" not in markup


def test_every_symbol_used_is_defined_once() -> None:
    root = parsed(table(field=(DUKE, ACE), unseen=2), table())
    used = {str(item.get("href"))[1:] for item in root.iter(f"{SVG}use")}
    defined = [str(item.get("id")) for item in root.iter() if item.get("id")]
    assert used <= set(defined)
    assert len(defined) == len(set(defined))


def test_same_scene_gives_the_same_bytes() -> None:
    scene = table(field=(DUKE, ACE), unseen=2)
    assert standalone(draw(scene), "t") == standalone(draw(scene), "t")


def test_name_of_a_symbol_follows_from_its_look_alone() -> None:
    assert symbol_id(face(DUKE.face)) != symbol_id(face(ACE.face))
    twin = Card("other", DUKE.face)
    assert symbol_id(face(twin.face)) == symbol_id(face(DUKE.face))


def test_seat_of_a_played_card_is_read_from_any_depth_of_the_event() -> None:
    payload = {"kind": "cards_laid", "cards": {"p1": ["a", None], "p2": ["b"]}, "counts": {"p1": 2}}
    assert whose(payload, ("p1", "p2")) == {"a": "p1", "b": "p2"}


def test_monsters_differ_by_name_and_every_icon_is_drawn() -> None:
    assert len({monster(f"Monster {number}") for number in range(14)}) > 10
    for icon in look().icons:
        assert '<g class="icon">' in face(Face("X", icon=icon)), icon
    assert '<g class="icon">' not in face(Face("X", icon="no-such-icon"))


@pytest.mark.parametrize(
    "ruleset", [*installed().values(), high_card.TOY], ids=lambda item: f"{item.id}-{item.version}"
)
def test_every_ruleset_can_be_drawn_within_its_picture(ruleset: Ruleset[Any]) -> None:
    for players in {ruleset.seats[0], ruleset.seats[-1]}:
        started = start.started(ruleset, players, origin="simulated")
        names = {seat: f"Name {seat}" for seat in started.seats}
        rng = random.Random(7)  # noqa: S311 - seeded on purpose
        before = ruleset.scene(ruleset.setup(started))
        for event, state in playout.playout(ruleset, started, rng, max_events=80):
            scene = ruleset.scene(state)
            drawing = draw(scene, before, names=names, event=serialization.event_to(event))
            ET.fromstring(standalone(drawing, "t"))  # noqa: S314 - our own text
            left, top, width, height = (float(side) for side in drawing.view.split())
            for item in drawing.sprites:
                x, y = (float(part) for part in re.findall(r"-?[\d.]+", item.transform)[:2])
                assert left <= x <= left + width, item.key
                assert top <= y <= top + height, item.key
            assert len({item.key for item in drawing.sprites}) == len(drawing.sprites)
            before = scene


def test_every_class_that_is_drawn_has_a_rule() -> None:
    scene = table(field=(DUKE, ACE), unseen=2)
    markup = body(draw(scene, table())) + body(
        draw(board(KING), board(msgspec.structs.replace(KING, cell="cell.A2")))
    )
    used = {word for group in re.findall(r'class="([^"]+)"', markup) for word in group.split()}
    plain = {
        "ground",
        "trails",
        "sprites",
        "sprite",
        "piece",
        "pile",
        "card",
        "tally",
        "art",
        "crowned",
        "tone-none",
    }
    missing = {word for word in used - plain if f".{word}" not in style()}
    assert missing == set()


# --- places for one certain card, and monsters in parts ----------------------------------------------


def test_empty_place_shows_what_belongs_there_with_its_label_inside() -> None:
    place = Zone("part.p1.arm", "left arm", ("table",), (), 0, Box(0, 40, 63, 88), outline="left-arm")
    ground = draw(Scene(size=(100, 130), zones=(place,))).ground
    assert f'd="{art().parts["left-arm"]}"' in ground
    inside = [float(y) for y in re.findall(r'outline-label"[^>]* y="([\d.]+)"', ground)]
    assert len(inside) == 2
    assert all(40 < y < 128 for y in inside)
    assert "place-label" not in ground


def test_outline_of_another_name_is_left_out() -> None:
    place = Zone("part.p1.tail", "tail", ("table",), (), 0, Box(0, 40, 63, 88), outline="tail")
    ground = draw(Scene(size=(100, 130), zones=(place,))).ground
    assert "<path" not in ground
    assert ">tail<" in ground


@pytest.mark.parametrize("count", range(1, 7))
def test_cards_kept_to_a_width_do_not_grow_and_hardly_cover_one_another(count: int) -> None:
    cards = tuple(msgspec.structs.replace(DUKE, key=f"m{number}") for number in range(count))
    row = Zone("row", "row", ("table",), cards, 0, Box(0, 0, 200, 230), spread="row", shown=True, widest=82)
    drawing = draw(Scene(size=(200, 230), zones=(row,)))
    spots = [re.findall(r"[\d.]+", sprite.transform) for sprite in drawing.sprites]
    widths = {float(spot[2]) * CARD[0] for spot in spots}
    assert max(widths) <= 82.1
    across = [(float(x), float(y)) for x, y, _ in spots]
    for (x1, y1), (x2, y2) in pairwise(across):
        assert y1 != y2 or x2 - x1 > 0.85 * max(widths)


def test_part_of_a_monster_looks_like_its_other_parts() -> None:
    shapes = ("head", "body", "left-arm", "right-leg", "whole")
    drawn = {shape: face(Face("Petey", mark="P", icon=f"{shape}/petey", tone="3")) for shape in shapes}
    assert len(set(drawn.values())) == len(shapes)
    assert all("tone-3" in markup and ">P<" in markup for markup in drawn.values())
    eyes = [markup for markup in art().eyes if markup in drawn["head"]]
    assert len(eyes) == 1
    assert eyes[0] in drawn["whole"]
    assert "scale(-1 1)" in drawn["right-leg"]
    assert "scale(-1 1)" not in drawn["left-arm"]


def test_long_names_and_marks_stay_on_the_card() -> None:
    card = face(Face("Extraordinarily hairy left arm", mark="Ext", icon="left-arm/x", tone="1"))
    assert card.count('class="title"') == 2
    assert card.count("textLength") >= 2
    assert "…" in card


def test_unknown_part_of_a_monster_is_drawn_as_its_body() -> None:
    assert art().parts["body"] in face(Face("Petey tail", icon="tail/petey"))


def test_a_character_that_xml_forbids_leaves_the_picture_whole() -> None:
    odd = "Zom\x07bies \x00\ufffe\ud800"
    piece = Piece("a1", "cell.A1", odd, odd, "0")
    cell = msgspec.structs.replace(TRIANGLES[0], key="cell.A1", label=odd)
    scene = Scene(size=(600, 200), cells=(cell,), pieces=(piece,))
    root = ET.fromstring(standalone(draw(scene, None), odd))  # noqa: S314 - our own picture
    assert "Zom\ufffdbies" in "".join(root.itertext())
