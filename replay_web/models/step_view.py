"""One step as a page shows it, and a stretch of steps as the module loads it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

import msgspec

from games.core.events import RecordChecked
from games.core.fold import mismatches
from games.core.scene import Counter, Scene
from games.scene.svg import Drawing, Sprite, draw
from games.text.wording import due_text, ending, put_names
from games.words import joined

if TYPE_CHECKING:
    from eventstore.replay.position import Position

ROUNDS: Final = ("round", "day", "year", "turn")
"""Counters that divide a game; the first that a scene has heads the groups of the move list."""

Names = Mapping[str, str]


class Row(msgspec.Struct, frozen=True):
    """A line of the move list; `turn` changes where a new turn begins."""

    step: int
    caption: str
    group: str
    turn: str
    sign: str = ""
    """`RULING`, `CHECK FAILED`, or nothing."""
    seq: int = 0


class Player(msgspec.Struct, frozen=True):
    """Who sits where, how they stand, and the figures that are theirs."""

    seat: str
    name: str
    score: int | None
    turn: bool
    won: bool
    tones: tuple[str, ...]
    counters: tuple[Counter, ...]


class StepView(msgspec.Struct, frozen=True):
    """All that a page shows of one step."""

    row: Row
    seq: int
    at: str
    by: str
    headline: str
    due: str
    drawing: Drawing | None
    players: tuple[Player, ...]
    counters: tuple[Counter, ...]
    text: str
    fault: str
    ruled: bool
    failed: tuple[str, ...] = ()
    """What a table check claims and the record does not bear out."""


def picture(position: Position, names: Names, before: Scene | None) -> StepView:
    """Draw one step; `before` is the scene of the step before it."""
    scene = position.scene()
    payload = _plain(position.payload)
    seats = position.started.seats if position.started is not None else tuple(names)
    fault = (position.fault or "") if position.ruleset is not None else ""  # else the whole game says why
    return StepView(
        row=_row(position, names, before, scene),
        seq=position.seq,
        at=position.at,
        by=position.by,
        headline=put_names(scene.headline, names) if scene else "",
        due=_ending(position, names) or _due(position, names),
        drawing=draw(scene, before, names=names, event=payload) if scene else None,
        players=_players(position, scene, seats, names),
        counters=_common(scene, names) if scene else (),
        text="" if scene else _pretty(payload),
        fault=fault,
        ruled=position.kind == "record.ruled",
        failed=tuple(_failed(position, scene, names)),
    )


def _failed(position: Position, scene: Scene | None, names: Names) -> Iterator[str]:
    if scene is None or not isinstance(position.event, RecordChecked):
        return
    wrong = mismatches(scene, position.event.claims)
    said = labelled(scene, names) if wrong else {}
    for claim, has in wrong:
        label = said.get(claim.at, (claim.at, None))[0]
        claimed, recorded = ("nothing" if value is None else value for value in (claim.value, has))
        yield f"{label}: {claimed} on the table, {recorded} in the record."


def labelled(scene: Scene, names: Names) -> dict[str, tuple[str, int | str | None]]:
    """Give what a table check may name, by key: what it is called, and its value."""
    called = {key: put_names(label, names) for key, label in scene.labels()}
    cells = {cell.key for cell in scene.cells}
    return {
        key: (f"On {called[key]}" if key in cells else called[key], value) for key, value in scene.values()
    }


def step_views(positions: Iterable[Position], names: Names) -> Iterable[StepView]:
    """Draw a stretch of moments in order."""
    before: Scene | None = None
    first = True
    for position in positions:
        if first:
            before, first = _scene_before(position), False
        yield picture(position, names, before)
        before = position.scene()


def rows(positions: Iterable[Position], names: Names) -> Iterable[Row]:
    """Give the lines of the move list for a stretch of moments in order."""
    before: Scene | None = None
    first = True
    for position in positions:
        if first:
            before, first = _scene_before(position), False
        scene = position.scene()
        yield _row(position, names, before, scene)
        before = scene


def turn_of(scene: Scene | None, names: Names) -> str:
    """Say whose turn of which round a scene shows; two steps of one turn say the same."""
    return f"{_group(scene, names)}/{scene.turn or ''}" if scene is not None else ""


def _row(position: Position, names: Names, before: Scene | None, scene: Scene | None) -> Row:
    return Row(
        step=position.step,
        caption=position.caption(names),
        group=_group(before or scene, names),
        turn=turn_of(scene, names),
        sign=_sign(position, scene),
        seq=position.seq,
    )


def _sign(position: Position, scene: Scene | None) -> str:
    if position.kind == "record.ruled":
        return "RULING"
    if scene is None or not isinstance(position.event, RecordChecked):
        return ""
    return "CHECK FAILED" if mismatches(scene, position.event.claims) else ""


def _scene_before(position: Position) -> Scene | None:
    if position.ruleset is None or position.before is None:
        return None
    return position.ruleset.scene(position.before)


def _group(scene: Scene | None, names: Names) -> str:
    if scene is None:
        return ""
    by_key = {counter.key: counter for counter in scene.counters}
    found = next((by_key[key] for key in ROUNDS if key in by_key), None)
    return f"{put_names(found.label, names)} {found.value}" if found else ""


def _common(scene: Scene, names: Names) -> tuple[Counter, ...]:
    return tuple(_put(counter, names) for counter in scene.counters if counter.owner is None)


def _put(counter: Counter, names: Names) -> Counter:
    return msgspec.structs.replace(counter, label=put_names(counter.label, names))


def _players(
    position: Position, scene: Scene | None, seats: Sequence[str], names: Names
) -> tuple[Player, ...]:
    if scene is None or position.ruleset is None:
        return ()
    scores = position.ruleset.scores(position.state)
    ended = position.outcome()
    winners = ended.winners if ended else ()
    return tuple(
        Player(
            seat=seat,
            name=names.get(seat, seat),
            score=scores.get(seat),
            turn=scene.turn == seat and not ended,
            won=seat in winners,
            tones=tuple(
                dict.fromkeys(item.tone for item in scene.counters if item.owner == seat and item.tone)
            ),
            counters=tuple(_put(counter, names) for counter in scene.counters if counter.owner == seat),
        )
        for seat in seats
    )


def _ending(position: Position, names: Names) -> str:
    ended = position.outcome()
    return ending(ended, names, position.ruleset) if ended is not None else ""


def _due(position: Position, names: Names) -> str:
    due = (item for item in position.pending() if item.must)
    said = {item.seat: put_names(item.why, names) or _kinds(item.kinds) for item in due}
    return "; ".join("".join(due_text(seat, why, names)) for seat, why in said.items())


def _kinds(kinds: Sequence[str]) -> str:
    return joined((kind.replace("_", " ") for kind in kinds), "or")


def _plain(payload: str) -> Any:
    try:
        return msgspec.json.decode(payload)
    except (msgspec.DecodeError, UnicodeEncodeError):
        return payload


def _pretty(payload: Any) -> str:
    if isinstance(payload, str):
        return payload
    return msgspec.json.format(msgspec.json.encode(payload), indent=2).decode()


# --- a stretch for the module ------------------------------------------------------------------------


class Frame(msgspec.Struct, frozen=True):
    """One step for the module; numbers point into the tables of the chunk."""

    step: int
    seq: int
    caption: str
    group: str
    turn: str
    view: str
    ground: int
    trails: int
    sprites: tuple[int, ...]
    starts: dict[str, str]
    panel: int
    notes: int
    figures: int
    marks: str


class Chunk(msgspec.Struct, frozen=True):
    """A stretch of steps: what repeats stands once, in tables."""

    game: str
    viewer: str
    first: int
    last: int
    steps: int
    symbols: dict[str, str]
    sprites: tuple[tuple[str, str, str, str], ...]
    texts: tuple[str, ...]
    frames: tuple[Frame, ...]
    seq: int = 0
    """The last event of the game that these steps are of: what a follower compares."""
    sittings: dict[int, str] = {}
    """Where a later sitting begins: the line above that step."""


class Panels(msgspec.Struct, frozen=True):
    """The parts of the page round the board, as markup."""

    panel: Callable[[StepView], str]
    notes: Callable[[StepView], str]
    figures: Callable[[StepView], str]
    marks: Callable[[Row], str]


def chunk(game: str, viewer: str, steps: int, found: Iterable[StepView], panels: Panels) -> Chunk:
    """Pack a stretch of pictures; `panels` gives the markup round the board, the same as the page's."""
    symbols: dict[str, str] = {}
    sprites: dict[tuple[str, str, str, str], int] = {}
    texts: dict[str, int] = {}
    frames = []
    for item in found:
        symbols.update(item.drawing.symbols if item.drawing else {})
        mine = item.drawing.sprites if item.drawing else ()
        frames.append(
            Frame(
                step=item.row.step,
                seq=item.seq,
                caption=item.row.caption,
                group=item.row.group,
                turn=item.row.turn,
                view=item.drawing.view if item.drawing else "",
                ground=_number(texts, item.drawing.ground if item.drawing else ""),
                trails=_number(texts, item.drawing.trails if item.drawing else ""),
                sprites=tuple(_number(sprites, _flat(sprite)) for sprite in mine),
                starts={sprite.key: sprite.start for sprite in mine if sprite.start},
                panel=_number(texts, panels.panel(item)),
                notes=_number(texts, panels.notes(item)),
                figures=_number(texts, panels.figures(item)),
                marks=panels.marks(item.row),
            )
        )
    return Chunk(
        game=game,
        viewer=viewer,
        first=frames[0].step if frames else 0,
        last=frames[-1].step if frames else -1,
        steps=steps,
        symbols=symbols,
        sprites=tuple(sprites),
        texts=tuple(texts),
        frames=tuple(frames),
    )


def _flat(sprite: Sprite) -> tuple[str, str, str, str]:
    return sprite.key, sprite.classes, sprite.transform, sprite.inner


def _number(table: dict[Any, int], value: Any) -> int:
    """Give the place of a value in a table, put in where it is new."""
    return table.setdefault(value, len(table))
