"""What is counted is what happened, of the games that were asked for and of no others."""

from __future__ import annotations

import csv
import io
from collections import Counter
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from freezegun import freeze_time

from eventstore.recording.amending import HistoryEdit, Replace
from eventstore.recording.commands import Amend, Record
from eventstore.simulation import save, simulate
from eventstore.statistics import counts as stats
from eventstore.store import Store
from games.core.events import RecordClosed
from games.core.ruleset import Outcome
from games.examples.high_card import TOY
from tests.eventstore.played import REGISTRY, ROUND, begin, damage, play

NOON = "2026-09-14T12:00:00Z"


@pytest.fixture(autouse=True)
def noon() -> Any:
    with freeze_time(NOON):
        yield


def count(store: Store, **wish: Any) -> stats.Statistics:
    return stats.statistics(store, stats.chosen(store, **wish))


def only(store: Store, **wish: Any) -> stats.RulesetStatistics:
    (found,) = count(store, **wish).rulesets
    return found


def conceded(store: Store, loser: str = "p2", steps: int = 4, **given: Any) -> str:
    """A game that this seat gave up."""
    game = begin(store, **given)
    store.do(game, Record([*ROUND[:steps], RecordClosed("conceded", loser)]))
    return game


def to_the_end(store: Store, seed: int, **given: Any) -> str:
    game = begin(store, options={"rounds": 1 + seed}, **given)
    while store.game(game).position().outcome() is None:
        play(store, game, 1, seed=seed)
        seed += 1
    return game


def test_nothing_is_counted_where_nothing_is(store: Store) -> None:
    assert count(store) == stats.Statistics(0, ())
    assert list(stats.export_csv([])) == [f"{','.join(stats.COLUMNS)}\r\n"]


def test_wins_scores_and_lengths_are_those_of_the_games(store: Store) -> None:
    games = [
        to_the_end(store, seed, players=("Ann", "Bo") if seed % 2 else ("Bo", "Ann")) for seed in range(6)
    ]
    wins: Counter[str] = Counter()
    scores: dict[str, list[int]] = {"Ann": [], "Bo": []}
    steps, reasons = [], Counter()
    for game in games:
        position = store.game(game).position()
        outcome, names = position.outcome(), store.game(game).names
        assert outcome
        wins.update(names[seat] for seat in outcome.winners)
        for seat, score in outcome.scores.items():
            scores[names[seat]].append(score)
        steps.append(position.steps)
        reasons[outcome.reason] += 1
    assert len(set(wins.values())) == 2, "the players must differ for the test to tell them apart"
    found = only(store)
    assert {player.name: (player.games, player.wins) for player in found.players} == {
        name: (6, wins[name]) for name in ("Ann", "Bo")
    }
    for player in found.players:
        assert player.share == round(wins[player.name] / 6, 4)
        assert player.mean_score == round(sum(scores[player.name]) / 6, 2)
    assert found.length
    assert (found.length.median, found.length.longest) == (sum(sorted(steps)[2:4]) / 2, max(steps))
    assert found.length.game == games[steps.index(max(steps))]
    assert {ending.reason: ending.games for ending in found.endings} == reasons
    assert (found.games, found.finished, found.playing) == (6, 6, 0)


def test_nothing_is_folded_once_the_catalogue_knows(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    conceded(store)
    before = count(store)

    def folds(*_: object, **__: object) -> None:
        raise AssertionError("a game was folded")

    monkeypatch.setattr(Store, "game", folds)
    assert count(store) == before


def test_a_name_is_the_same_with_capitals_or_without_as_it_was_written_last(store: Store) -> None:
    conceded(store, "p2", players=("ann", "Bo"), played_on="2026-09-01")
    conceded(store, "p1", players=("BO", "Ann"), played_on="2026-09-03")
    conceded(store, "p2", players=("ANN", "bo"), played_on="2026-09-02")
    assert [(player.name, player.games, player.wins) for player in only(store).players] == [
        ("Ann", 3, 3),
        ("BO", 3, 0),
    ]


def test_a_name_is_the_same_however_its_accent_is_made(store: Store) -> None:
    for name in ("Zoe\u0308", "ZO\u00cb"):
        conceded(store, players=(name, "Bo"))
        assert len(store.catalogue.list(player=name)) == len(store.catalogue.list())
    assert {player.games for player in only(store).players} == {2}
    twins = begin(store, players=("Zoe\u0308", "zo\u00eb"))
    assert list(store.game(twins).names.values()) == ["Zoe\u0308 (1)", "zo\u00eb (2)"]


def test_a_seat_that_nobody_named_is_no_player(store: Store) -> None:
    conceded(store, players=("", "Bo"))
    found = only(store)
    assert [player.name for player in found.players] == ["Bo"]
    assert [(seat.seat, seat.wins) for seat in found.seats] == [("p1", 1), ("p2", 0)]
    rows = list(stats.export_csv(stats.chosen(store)))
    assert [row.split(",")[3:5] for row in rows[1:]] == [["p1", ""], ["p2", "Bo"]]


def test_seats_are_counted_whoever_sits_there(store: Store) -> None:
    conceded(store, "p2", players=("Ann", "Bo"))
    conceded(store, "p2", players=("Bo", "Ann"))
    conceded(store, "p1", players=("Ann", "Bo"))
    assert only(store).seats == (
        stats.SeatStatistics("p1", 3, 2, 0.6667, 1.5),
        stats.SeatStatistics("p2", 3, 1, 0.3333, 1.5),
    )


def test_what_was_abandoned_is_nobody_s_loss(store: Store) -> None:
    conceded(store)
    game = begin(store)
    store.do(game, Record([*ROUND, RecordClosed("abandoned")]))
    begin(store)
    found = only(store)
    assert (found.games, found.finished, found.abandoned, found.playing) == (3, 1, 1, 1)
    assert [player.games for player in found.players] == [1, 1]
    assert found.length == stats.Length(5, 5, found.length.game if found.length else "", "Ann – Bo")
    assert {ending.words: ending.games for ending in found.endings} == {"conceded": 1, "abandoned": 1}


def test_an_agreement_is_a_game_that_nobody_won(store: Store) -> None:
    game = begin(store)
    store.do(game, Record([*ROUND, RecordClosed("agreed")]))
    found = only(store)
    assert [(player.games, player.wins, player.share) for player in found.players] == [(1, 0, 0.0)] * 2
    assert [seat.even for seat in found.seats] == [0.0, 0.0]
    assert [ending.words for ending in found.endings] == ["stopped by agreement"]


def test_hidden_simulated_and_branched_off_games_count_when_asked_for(store: Store, path: Path) -> None:
    kept = conceded(store)
    store.hide(conceded(store))
    save(store, [simulate(TOY.id, 2, 1, options={"rounds": 2}, registry=REGISTRY)])
    variation = begin(store)
    parent = f'"parent":{{"game":"{kept}","head":5,"step":3}}'
    query = (
        "UPDATE events SET payload = replace(payload, '\"parent\":null', ?)"
        " WHERE game = (SELECT game FROM games WHERE id = ?)"
    )
    damage(path, query, parent, variation)
    store.replays.forget()
    assert only(store).games == 1
    assert only(store, variations=True).games == 2
    assert only(store, hidden=True).games == 2
    assert only(store, origin="simulated").games == 1
    assert count(store, origin="dealt").games == 0


def test_only_what_was_asked_for_is_counted(store: Store) -> None:
    conceded(store, players=("Ann", "Bo"), played_on="2026-09-01")
    conceded(store, players=("Ann", "Cleo"), played_on="2026-09-02")
    assert only(store, player="cleo").games == 1
    assert only(store, player="ANN").games == 2
    assert only(store, since="2026-09-02").first == "2026-09-02"
    assert count(store, since="2026-09-03").games == 0
    assert count(store, ruleset="another").games == 0
    found = only(store)
    assert (found.first, found.last) == ("2026-09-01", "2026-09-02")


def test_records_of_one_view_are_told_apart(store: Store) -> None:
    conceded(store)
    conceded(store, seen_as="table", steps=0)
    found = only(store)
    assert (found.games, found.finished, found.restricted) == (2, 2, 1)


def test_a_view_that_was_corrected_counts_as_corrected(store: Store) -> None:
    game = begin(store, seen_as="table")
    other = {"kind": "record.started", "seen_as": "everything"}
    store.do(game, Amend([HistoryEdit(1, Replace([other]))], reason="all was open"))
    assert store.game(game).seen_as == "everything"
    assert only(store).restricted == 0


def test_what_cannot_be_read_is_told_apart(path: Path) -> None:
    with Store.open(path, registry=REGISTRY) as store:
        conceded(store)
    damage(path, """UPDATE events SET kind = 'burnt', payload = '{"kind":"burnt"}' WHERE seq = 2""")
    with Store.open(path, registry=REGISTRY) as store:
        conceded(store)
        found = only(store)
    assert (found.games, found.finished, found.text_only) == (2, 1, 1)
    assert [player.games for player in found.players] == [1, 1]


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM events WHERE game = 1 AND seq = 1",
        "DELETE FROM events WHERE game = 1 AND seq = (SELECT max(seq) FROM events WHERE game = 1)",
        "UPDATE events SET recorded_at = 'x' WHERE game = 1",
        "UPDATE catalogue SET created_at = NULL WHERE game = 1",
        "UPDATE catalogue SET created_at = 'x' WHERE game = 1",
    ],
)
def test_a_damaged_game_takes_no_other_away_and_is_named(path: Path, sql: str) -> None:
    with Store.open(path, registry=REGISTRY) as store:
        lost = conceded(store)
        conceded(store)
        assert only(store).games == 2
    damage(path, sql)
    with Store.open(path, registry=REGISTRY) as store:
        found = count(store)
    assert (found.games, found.left_out) == (1, (lost,))
    assert [player.games for player in found.rulesets[0].players] == [1, 1]


def test_a_time_zone_that_this_machine_does_not_know_is_no_fault(path: Path, store: Store) -> None:
    game = conceded(store, played_on="2026-09-14", time_zone="UTC")
    damage(path, "UPDATE catalogue SET time_zone = 'Mars/North'")
    found = count(store)
    assert (found.games, found.left_out) == (1, ()), game


@pytest.mark.parametrize(
    ("pauses", "minutes"),
    [
        ([10, 20, 30], 60.0),
        ([10, 24 * 60, 30], 40.0),
        ([10, 239, 30], 279.0),
        ([10, 241, 30], 40.0),
        ([0, 0, 0.5], None),
    ],
)
def test_time_is_counted_without_long_pauses(
    store: Store, pauses: list[float], minutes: float | None
) -> None:
    with freeze_time(NOON) as clock:
        game = begin(store, played_on="2026-09-14", time_zone="UTC")
        for pause, event in zip(pauses, [ROUND[0], ROUND[1], RecordClosed("conceded", "p1")], strict=True):
            clock.tick(timedelta(minutes=pause))
            store.do(game, Record([event]))
    found = only(store).minutes
    assert (found and found.median) == minutes


def test_time_of_typing_is_no_time_of_play(store: Store) -> None:
    with freeze_time("2026-09-14T05:00:00Z") as clock:
        game = begin(store, played_on="2026-09-13", time_zone="UTC")
        clock.tick(timedelta(minutes=30))
        store.do(game, Record([RecordClosed("conceded", "p1")]))
    assert only(store).minutes is None
    # In Honolulu it was still the day of play.
    store.set_details(game, time_zone="Pacific/Honolulu")
    assert only(store).minutes == stats.Minutes(30.0, 30.0, 1)


def test_the_table_has_a_row_a_game_and_seat_and_no_formulas(store: Store) -> None:
    lost = conceded(store, "p1", players=("=1+1", 'Bo, the "Bear"'), played_on="2026-09-02")
    played = begin(store, played_on="2026-09-01")
    assert "".join(stats.export_csv(stats.chosen(store))) == (
        "game,ruleset,played_on,seat,name,score,won,steps,reason,draw\r\n"
        f"{lost},{TOY.id},2026-09-02,p1,'=1+1,0,0,5,conceded,0\r\n"
        f'{lost},{TOY.id},2026-09-02,p2,"Bo, the ""Bear""",0,1,5,conceded,0\r\n'
        f"{played},{TOY.id},2026-09-01,p1,Ann,,,0,,\r\n"
        f"{played},{TOY.id},2026-09-01,p2,Bo,,,0,,\r\n"
    )


def test_a_draw_is_told_from_what_was_stopped_and_from_a_loss(store: Store) -> None:
    entry = store.catalogue.get(conceded(store))
    ends = (Outcome("most-cards", (), {}), Outcome("agreed", (), {}), entry.result, None)
    entries = [msgspec.structs.replace(entry, result=end) for end in ends]
    rows = list(csv.DictReader(io.StringIO("".join(stats.export_csv(entries)))))
    assert [(row["won"], row["draw"]) for row in rows[::2]] == [("0", "1"), ("0", "0"), ("1", "0"), ("", "")]


def test_what_a_seat_would_win_is_said_to_two_digits() -> None:
    assert (stats.number(0.25), stats.number(0.5), stats.number(2.0)) == ("0.25", "0.5", "2")


def test_a_database_that_cannot_be_written_is_counted_alike(path: Path) -> None:
    with Store.open(path, registry=REGISTRY) as store:
        conceded(store)
        written = count(store)
        conceded(store, "p1")
    with Store.open(path, read_only=True, registry=REGISTRY) as store:
        assert only(store).games == 2
        assert written.games == 1
