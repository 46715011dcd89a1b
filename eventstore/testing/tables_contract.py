"""What a log keeps beside the records, as tests: subclass `TablesContract` and say how a log is made."""

# ruff: noqa: D102, S101 - as in `log_contract`

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from eventstore.log.key_table import Key, Session
from eventstore.log.list_table import ListQuery, StandingRow, TextRow
from eventstore.log.rows import Append, Details, NewEvent
from eventstore.log.tables import PutDetails, PutHidden, PutParent, PutStanding
from eventstore.testing.log_contract import GAME, OTHER, facts, started

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from eventstore.log.contract import EventLog

EARLY = "2026-09-14T12:00:00.000000Z"
LATE = "2026-09-15T12:00:00.000000Z"
SEATS = ("p1", "p2")
NEVER = "2026-01-01T00:00:00.000000Z"


def standing(game: str = GAME, seq: int = 1, **fields: str | None) -> StandingRow:
    """What follows from a game of this length."""
    known = {"ruleset": "chess", "origin": "table", "parent": None, "status": "playing"} | fields
    return StandingRow(
        game=game,
        ruleset=known["ruleset"] or "",
        version=1,
        origin=known["origin"] or "",
        parent=known["parent"],
        seats='["p1","p2"]',
        steps=seq - 1,
        seq=seq,
        status=known["status"] or "",
        result=None,
    )


def listed(log: EventLog, query: ListQuery | None = None) -> list[str]:
    """The ids of the games that a query finds."""
    return [row.standing.game for row in log.listing.rows(query or ListQuery())]


def typed(log: EventLog, game: str, **fields: str) -> None:
    """Give a game these details."""
    names = {seat: name for seat, name in fields.items() if seat in SEATS}
    others = {field: text for field, text in fields.items() if field not in SEATS}
    log.set_details(game, lambda _: Details(**others, names=names))


class TablesContract:
    """What every log keeps of keys and of the list of games."""

    def make_log(self, place: Path) -> EventLog:
        """An empty log; `place` is a folder of its own."""
        raise NotImplementedError

    @pytest.fixture
    def log(self, tmp_path: Path) -> Iterator[EventLog]:
        with self.make_log(tmp_path) as log:
            yield log

    # --- keys --------------------------------------------------------------------------------------

    def test_a_key_is_added_under_its_name_or_the_next_number(self, log: EventLog) -> None:
        first = log.keys.add(Key("p1", "p1", EARLY), b"one", numbered=True)
        assert first == Key("p1", "p1", EARLY)
        assert log.keys.add(Key("p1", "p1", LATE), b"two", numbered=False) is None
        second = log.keys.add(Key("p1", "p1", LATE), b"two", numbered=True)
        assert second == Key("p1-2", "p1", LATE)
        assert log.keys.all() == [first, second]
        assert sorted(value for _, value in log.keys.hashes()) == [b"one", b"two"]

    def test_a_revoked_key_keeps_its_name_and_loses_its_sessions(self, log: EventLog) -> None:
        log.keys.add(Key("phone", None, EARLY), b"one", numbered=False)
        ((number, _),) = log.keys.hashes()
        assert log.keys.begin(Session("s1", number, b"secret", EARLY), after=NEVER, most=10)
        assert log.keys.session("s1", after=NEVER) == (b"secret", Key("phone", None, EARLY))
        assert log.keys.revoke("phone", LATE) == Key("phone", None, EARLY, LATE)
        assert log.keys.session("s1", after=NEVER) is None
        assert log.keys.hashes() == []
        assert log.keys.revoke("phone", LATE) is None
        assert log.keys.add(Key("phone", None, LATE), b"two", numbered=False) is None
        assert not log.keys.begin(Session("s2", number, b"secret", LATE), after=NEVER, most=10)
        assert log.keys.session("s2", after=NEVER) is None

    def test_old_sessions_end_and_the_oldest_of_too_many_go(self, log: EventLog) -> None:
        log.keys.add(Key("phone", None, EARLY), b"one", numbered=False)
        ((number, _),) = log.keys.hashes()
        stamps = [f"2026-09-14T12:00:0{second}.000000Z" for second in range(4)]
        for place, stamp in enumerate(stamps):
            assert log.keys.begin(Session(f"s{place}", number, b"x", stamp), after=NEVER, most=3)
        assert [log.keys.session(f"s{n}", after=NEVER) is not None for n in range(4)] == [False, *[True] * 3]
        assert log.keys.session("s2", after=stamps[2]) is None
        assert log.keys.begin(Session("s9", number, b"x", LATE), after=stamps[2], most=3)
        assert log.keys.session("s2", after=NEVER) is None
        log.keys.end("s3")
        log.keys.end("nothing")
        assert log.keys.session("s3", after=NEVER) is None
        assert log.keys.session("s9", after=NEVER) is not None

    # --- the list of games -------------------------------------------------------------------------

    def test_a_game_is_listed_once_it_has_a_standing(self, log: EventLog) -> None:
        started(log, 2)
        typed(log, GAME, title="Friday", p1="Ann")
        assert listed(log) == []
        log.listing.put_standings([standing(seq=2), standing("nowhere")])
        (row,) = log.listing.rows(ListQuery())
        assert (row.standing, row.title, row.names, row.hidden) == (
            standing(seq=2),
            "Friday",
            {"p1": "Ann"},
            False,
        )
        assert row.created_at == log.events(GAME)[0].recorded_at

    def test_a_standing_of_an_earlier_head_replaces_nothing(self, log: EventLog) -> None:
        started(log, 3)
        log.listing.put_standings([standing(seq=3)])
        log.listing.put_standings([standing(seq=2, status="over")])
        assert log.listing.rows(ListQuery())[0].standing == standing(seq=3)
        log.listing.put_standings([standing(seq=3, status="over")])
        assert log.listing.rows(ListQuery())[0].standing.status == "over"

    def test_the_game_that_was_played_last_comes_first(self, log: EventLog) -> None:
        for place, game in enumerate(("first", "second", "third", "fourth")):
            stamp = f"2026-09-14T12:00:0{place // 2}.000000Z"
            row = NewEvent("card_drawn", '{"kind":"card_drawn"}', "p1", stamp)
            log.append(game, [row], after=0, command_id=game, request="r")
            log.listing.put_standings([standing(game)])
        typed(log, "first", played_on="2026-09-20")
        assert listed(log) == ["first", "fourth", "third", "second"]
        assert listed(log, ListQuery(limit=2)) == ["first", "fourth"]
        assert listed(log, ListQuery(limit=2, offset=1)) == ["fourth", "third"]
        assert listed(log, ListQuery(limit=0)) == listed(log, ListQuery(limit=-1)) == []
        assert listed(log, ListQuery(offset=3)) == ["second"]

    def test_what_is_asked_for_is_listed(self, log: EventLog) -> None:
        for game in ("plain", "secret", "robot", "branch"):
            started(log, game=game)
        parent = '{"game":"plain","head":1,"step":0}'
        log.listing.put_standings(
            [
                standing("plain", ruleset="go"),
                standing("secret"),
                standing("robot", origin="simulated"),
                standing("branch", parent=parent),
            ]
        )
        log.set_hidden("secret", hidden=True)
        typed(log, "plain", p1="Zoe\u0308", p2="Bo")
        assert listed(log) == ["plain"]
        assert listed(log, ListQuery(hidden=True)) == ["secret", "plain"]
        assert listed(log, ListQuery(variations=True)) == ["branch", "plain"]
        assert listed(log, ListQuery(origin="simulated")) == ["robot"]
        assert listed(log, ListQuery(of="plain")) == ["branch"]
        assert listed(log, ListQuery(ruleset="go")) == ["plain"]
        assert listed(log, ListQuery(ruleset="chess")) == []
        assert listed(log, ListQuery(player="zo\u00eb")) == ["plain"]
        assert listed(log, ListQuery(player="oë")) == ["plain"]
        assert listed(log, ListQuery(player="")) == []
        log.set_hidden("secret", hidden=False)
        assert listed(log) == ["secret", "plain"]

    @pytest.mark.parametrize(
        ("words", "notes", "found"),
        [
            (("fri",), True, True),
            (("FRIDAY", "greenh"), True, True),
            (("zoë",), True, True),
            (("ZOE",), True, True),
            (("riday",), True, False),
            (("friday", "nobody"), True, False),
            (("blunder",), True, True),
            (("blunder",), False, False),
            (("lays", "c01"), False, True),
            (("dragon-c0",), True, True),
            (("c01-dragon",), True, False),
            (('"; DROP',), True, False),
        ],
    )
    def test_words_are_found_by_their_beginnings(
        self, log: EventLog, *, words: tuple[str, ...], notes: bool, found: bool
    ) -> None:
        started(log)
        log.listing.put_standings([standing()])
        typed(log, GAME, title="Friday's game", place="Greenhouse", p1="Zoë")
        log.listing.put_texts([TextRow(GAME, "a blunder", "lays Dragon c01", 1, 0)])
        assert listed(log, ListQuery(words=words, notes=notes)) == ([GAME] if found else [])

    def test_words_that_were_found_at_earlier_heads_replace_nothing(self, log: EventLog) -> None:
        started(log, 2)
        log.append(f"{GAME}/notes", facts(1), after=0, command_id="n1", request="r")
        log.listing.put_standings([standing(seq=2)])
        log.listing.put_texts([TextRow(GAME, "new", "", 2, 1)])
        for row in (TextRow(GAME, "old", "", 1, 1), TextRow(GAME, "old", "", 2, 0)):
            log.listing.put_texts([row])
        assert listed(log, ListQuery(words=("old",))) == []
        assert listed(log, ListQuery(words=("new",))) == [GAME]

    def test_what_was_appended_since_is_followed_up_once(self, log: EventLog) -> None:
        started(log, 2)
        log.append(f"{GAME}/notes", facts(1), after=0, command_id="n1", request="r")
        assert log.listing.changed("standings") == (3, [GAME])
        log.listing.follow("standings", 3)
        log.listing.follow("standings", 2)
        assert log.listing.changed("standings") == (3, [])
        assert log.listing.changed("texts") == (3, [GAME])
        started(log, 1, OTHER)
        assert log.listing.changed("standings") == (4, [OTHER])

    def test_games_without_their_rules_are_named(self, log: EventLog) -> None:
        started(log)
        started(log, 1, OTHER)
        log.listing.put_standings([standing(), standing(OTHER, status="missing")])
        assert log.listing.missing() == [(OTHER, "chess", 1)]

    def test_a_copy_of_the_list_can_be_written(self, log: EventLog) -> None:
        started(log)
        log.listing.put_standings([standing()])
        with log.listing.copied(texts=True) as copy:
            copy.put_standings([standing(seq=1, status="over")])
            assert copy.rows(ListQuery())[0].standing.status == "over"

    # --- changes that belong to a commit -----------------------------------------------------------

    def test_changes_of_tables_come_with_their_command(self, log: EventLog) -> None:
        parent = '{"game":"plain","head":1,"step":0}'
        append = Append(GAME, tuple(facts(1)), 0, GAME, "r")
        changes = (PutDetails(GAME, Details("Friday")), PutParent(GAME, parent), PutHidden(OTHER))
        log.append_all([append], tables=changes)
        assert log.variations("plain") == [(GAME, parent, "Friday")]
        log.append_all([append], tables=(PutDetails(GAME, Details("again")), PutHidden(GAME)))
        assert log.variations("plain") == [(GAME, parent, "Friday")]
        opening = log.opening(GAME)
        assert opening is not None
        assert (opening.details.title, opening.hidden) == ("Friday", False)

    def test_games_that_come_with_their_standing_are_not_followed_up(self, log: EventLog) -> None:
        def bring(game: str) -> None:
            append = Append(game, tuple(facts(2)), 0, game, "r")
            log.append_all([append], tables=[PutStanding(standing(game, 2))])

        bring(GAME)
        assert (log.listing.changed("standings"), log.listing.changed("texts")) == ((2, []), (2, []))
        started(log, 1, "between")
        bring(OTHER)
        assert log.listing.changed("standings") == (5, ["between", OTHER])
        assert listed(log, ListQuery()) == [OTHER, GAME]

    def test_a_log_says_when_its_events_were_recorded(self, log: EventLog) -> None:
        started(log, 3)
        stamps = [(event.seq, event.recorded_at) for event in log.events(GAME)]
        assert log.stamps(GAME) == stamps
        assert log.stamps(GAME, 2) == stamps[:2]
        assert log.stamps("nowhere") == []

    def test_a_sound_log_has_no_faults_of_storage(self, log: EventLog) -> None:
        started(log, 2)
        assert list(log.storage_faults()) == []
        assert not log.read_only
        assert log.path
        log.must_be_in_place()
