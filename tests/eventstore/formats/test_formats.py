"""The registry of formats: ours and a stranger's come through one door."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterator
from importlib import import_module
from importlib.metadata import EntryPoint
from pathlib import Path

import pytest
from freezegun import freeze_time

from cli.shell.options import FormatName
from eventstore.formats import registry
from eventstore.formats.registry import Format
from eventstore.recording.commands import Record, WriteNote
from eventstore.replay.game import Game
from eventstore.store import Store
from games.examples.high_card import HandDealt
from replay_web import create_app
from replay_web.exchange import downloads
from tests.eventstore.played import REGISTRY, ROUND, begin

ROOT = Path(__file__).resolve().parents[3]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]


def captions(_store: Store, game: Game) -> Iterator[bytes]:
    return (f"{one.step}. {one.caption(game.names)}\n".encode() for one in game.positions())


STRANGE = Format("strange", "strange", "text/plain", "Captions", "Give what happened.", captions)
BROKEN = 7


@pytest.fixture
def strangers(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Install a stranger's format, and two that cannot be used."""
    here = f"{__name__}:"
    doors = {
        **PROJECT["entry-points"][registry.GROUP],
        "strange": f"{here}STRANGE",
        "broken": f"{here}BROKEN",
        "gone": "no_such_module:FORMAT",
    }
    points = [EntryPoint(name, target, registry.GROUP) for name, target in doors.items()]
    monkeypatch.setattr(registry, "entry_points", lambda **_: points)
    registry.installed.cache_clear()
    yield
    registry.installed.cache_clear()


def test_ours_are_at_the_door() -> None:
    files = {path.stem for path in (ROOT / "eventstore" / "formats").glob("*.py")}
    with_format = {name for name in files if re.search("^FORMAT: Final", source(name), re.MULTILINE)}
    doors = PROJECT["entry-points"][registry.GROUP]
    assert {target.partition(":")[0].rpartition(".")[2] for target in doors.values()} == with_format
    assert list(registry.installed()) == list(registry.names()) == list(ours())
    assert {name: one.name for name, one in registry.installed().items()} == {name: name for name in doors}


def written(one: Format, hand: tuple[str, ...], note: str, viewer: str) -> bytes:
    """Write a game of which a viewer knows neither the hand of p1 nor what the table wrote about it."""
    with freeze_time("2026-09-14"), Store.in_memory(REGISTRY) as store:
        game = begin(store, game="round")
        store.do(game, Record([HandDealt("p1", hand), *ROUND[1:]]))
        store.do(game, WriteNote(3, text=note))
        return b"".join(one.write(store, store.game(game, viewer=viewer)))


def same_for(one: Format, viewer: str) -> bool:
    hands = ("c01", "c02", "c03"), ("c01", "c02", "c09")
    return len({written(one, hand, f"keeps {hand[-1]}", viewer) for hand in hands}) == 1


@pytest.mark.parametrize("name", registry.names())
def test_a_file_says_nothing_that_is_hidden_from_its_viewer(name: str) -> None:
    one = registry.installed()[name]
    assert [viewer for viewer in ("p2", "table") if not same_for(one, viewer)] == []
    assert not same_for(one, "p1")
    assert not same_for(one, "everything")


def all_notes(_store: Store, game: Game) -> Iterator[bytes]:
    return (note.text.encode() for note in game.all_notes)


def all_events(_store: Store, game: Game) -> Iterator[bytes]:
    return (str(event).encode() for _, event in game.events())


@pytest.mark.parametrize("write", [all_notes, all_events])
def test_a_format_that_shows_all_is_found(write: Callable[[Store, Game], Iterator[bytes]]) -> None:
    assert not same_for(Format("leaky", "txt", "text/plain", "Leaky", "Tells all.", write), "p2")


def ours(*others: str) -> list[str]:
    """Give the names of our formats, and of others, in the order of the registry: the record first."""
    names = {*PROJECT["entry-points"][registry.GROUP], *others}
    return ["tape", *sorted(names - {"tape"})]


def source(name: str) -> str:
    return (ROOT / "eventstore" / "formats" / f"{name}.py").read_text(encoding="utf-8")


@pytest.mark.usefixtures("strangers")
def test_a_stranger_stands_beside_ours_and_a_broken_one_takes_none_away() -> None:
    assert list(registry.installed()) == ours("strange")
    assert registry.by_suffix("Friday.STRANGE") == STRANGE
    assert registry.by_suffix("friday.tape.jsonl") == registry.installed()["tape"]
    assert registry.by_suffix("friday.pdf") is None
    assert FormatName().choices == tuple(ours("broken", "gone", "strange"))


@pytest.mark.database  # the module of the downloads can be loaded anew once
@pytest.mark.usefixtures("strangers")
def test_a_stranger_is_downloaded_and_linked(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    game = begin(store)
    store.do(game, Record(ROUND))
    bp = downloads.bp
    monkeypatch.setattr(downloads, "bp", type(bp)("downloads", downloads.__name__))
    again = import_module("importlib").reload(downloads)
    try:
        monkeypatch.setattr("replay_web.app.SUBJECTS", subjects(bp, again.bp))
        client = create_app(store).test_client()
        answer = client.get(f"/games/{game}.strange")
        assert answer.mimetype == "text/plain"
        assert answer.text.splitlines()[0].startswith("0. ")
        assert len(answer.text.splitlines()) == len(ROUND) + 1
        assert "c03" not in client.get(f"/games/{game}.strange?as=p2").text
        assert (
            f'href="/games/{game}.strange" download>Captions (.strange)'
            in client.get(f"/games/{game}/steps/1").text
        )
    finally:
        registry.installed.cache_clear()
        monkeypatch.undo()
        import_module("importlib").reload(downloads)


def subjects(old: object, new: object) -> tuple[object, ...]:
    from replay_web.app import SUBJECTS  # noqa: PLC0415 - as it stands now

    return tuple(new if one is old else one for one in SUBJECTS)
