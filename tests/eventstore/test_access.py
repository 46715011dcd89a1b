"""Keys: told once, kept as hashes, compared in constant time, revoked with their sessions."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from hmac import compare_digest
from pathlib import Path

import pytest
from freezegun import freeze_time

from eventstore.access import keys as module
from eventstore.errors import DatabaseReadOnly
from eventstore.refusals import BadDetail, KeyNameTaken, UnknownKey
from eventstore.store import Store
from tests.eventstore.played import REGISTRY


def session(store: Store, typed: str) -> str:
    found = store.access.begin(typed)
    assert found is not None
    return found


def test_a_key_opens_a_session_that_says_whose_it_is(store: Store) -> None:
    key, typed = store.access.add(seat="p2")
    other, _ = store.access.add("tablet")
    assert (key.name, key.seat) == ("p2", "p2")
    assert (other.name, other.seat) == ("tablet", None)
    assert store.access.who(session(store, typed)) == key
    assert store.access.list() == [key, other]


def test_a_key_may_be_typed_as_people_type(store: Store) -> None:
    _, typed = store.access.add()
    for form in (typed.upper(), typed.replace("-", ""), typed.replace("-", " "), f"  {typed}\n"):
        assert store.access.begin(form) is not None, form


@pytest.mark.parametrize("wrong", ["", "table", "-", "\udcff", "é" * 10_000, "x\x00y"])
def test_a_wrong_key_opens_nothing(store: Store, wrong: str) -> None:
    _, typed = store.access.add()
    for tried in (wrong, "table-key", typed[:-1], f"{typed}a"):
        assert store.access.begin(tried) is None
        assert store.access.who(tried) is None


def test_no_part_of_a_session_opens_another(store: Store) -> None:
    _, typed = store.access.add()
    one, two = session(store, typed), session(store, typed)
    (first, secret), (second, _) = one.split("."), two.split(".")
    for shown in (f"{second}.{secret}", first, f"{first}.", f".{secret}", f"{first}.{secret[:-1]}", "a.b.c"):
        assert store.access.who(shown) is None, shown
    store.access.end(f"{second}.{secret}")
    assert store.access.who(two) is not None
    store.access.end(two)
    assert store.access.who(two) is None
    assert store.access.who(one) is not None


def test_a_revoked_key_loses_its_sessions_and_nobody_gets_its_name(store: Store) -> None:
    _, typed = store.access.add("phone")
    began = session(store, typed)
    gone = store.access.revoke("phone")
    assert gone.revoked_at is not None
    assert store.access.who(began) is None
    assert store.access.begin(typed) is None
    assert store.access.list() == []
    with pytest.raises(UnknownKey):
        store.access.revoke("phone")
    for seat in (None, "p1"):
        with pytest.raises(KeyNameTaken, match="There is a key phone already, or there was one: give"):
            store.access.add("phone", seat=seat)
    fresh, anew = store.access.add("tablet")
    assert store.access.list() == [fresh]
    assert store.access.list(revoked=True) == [gone, fresh]
    assert store.access.who(session(store, anew)) == fresh
    assert store.access.who(began) is None


def test_keys_without_a_name_are_numbered(store: Store) -> None:
    assert [store.access.add(seat="p1")[0].name for _ in range(3)] == ["p1", "p1-2", "p1-3"]
    store.access.add()
    store.access.revoke("table-key")
    assert store.access.add()[0].name == "table-key-2"
    assert store.access.names_of("p1") == {"p1", "p1-2", "p1-3"}
    assert store.access.names_of("p2") == {"p2"}


def test_no_session_begins_with_a_key_revoked_meanwhile(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    _, typed = store.access.add("phone")

    def slow(kept: bytes, tried: bytes) -> bool:
        if store.access.list():
            store.access.revoke("phone")
        return compare_digest(kept, tried)

    monkeypatch.setattr(module, "compare_digest", slow)
    assert store.access.begin(typed) is None


def test_a_name_in_use_is_taken(store: Store) -> None:
    store.access.add(seat="p1")
    with pytest.raises(KeyNameTaken):
        store.access.add("p1", seat="p1")
    assert len(store.access.list()) == 1


@pytest.mark.parametrize(
    ("name", "seat"),
    [
        ("", None),
        ("Ann B", None),
        ("å", None),
        ("a" * 65, None),
        ("recorder", None),
        ("chance", None),
        ("table", None),
        ("everything", None),
        ("p1", None),
        ("p1", "p2"),
    ]
    + [(None, seat) for seat in ("", "table", "p0", "p", "p123", "everything", "p1\n")],
)
def test_names_and_seats_that_cannot_be(store: Store, name: str | None, seat: str | None) -> None:
    with pytest.raises(BadDetail):
        store.access.add(name, seat=seat)
    assert store.access.list(revoked=True) == []


def test_every_key_is_compared_in_constant_time(store: Store, monkeypatch: pytest.MonkeyPatch) -> None:
    typed = [store.access.add(f"key{number}")[1] for number in range(4)]
    compared: list[bytes] = []

    def noted(kept: bytes, tried: bytes) -> bool:
        compared.append(kept)
        return compare_digest(kept, tried)

    monkeypatch.setattr(module, "compare_digest", noted)
    for tried in (typed[0], typed[3], "wrong"):
        compared.clear()
        store.access.begin(tried)
        assert len(set(compared)) == 4, "the first key found ends nothing early"
    began = session(store, typed[1])
    compared.clear()
    store.access.who(began)
    assert len(compared) == 1


def test_neither_key_nor_session_is_in_the_database(store: Store, path: Path) -> None:
    _, typed = store.access.add("phone")
    began = session(store, typed)
    with closing(sqlite3.connect(path)) as connection:
        said = "\n".join(connection.iterdump())
    files = b"".join(file.read_bytes() for file in path.parent.iterdir() if file.is_file())
    for secret in (typed, typed.replace("-", ""), began.split(".")[1]):
        assert secret not in said
        assert secret.encode() not in files
    assert "phone" in said


def test_sessions_end_after_thirty_days_and_the_oldest_of_too_many_go(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SESSIONS", 2)
    _, typed = store.access.add()
    with freeze_time("2026-09-14T12:00:00Z") as clock:
        began = session(store, typed)
        clock.move_to("2026-10-14T11:59:59Z")
        assert store.access.who(began) is not None
        clock.move_to("2026-10-14T12:00:01Z")
        assert store.access.who(began) is None
        many = []
        for _ in range(3):
            clock.tick(1)
            many.append(session(store, typed))
        assert [store.access.who(one) is not None for one in many] == [False, True, True]


def test_sessions_that_are_over_leave_no_row(
    store: Store, path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "SESSIONS", 2)
    _, typed = store.access.add()
    with freeze_time("2026-09-14T12:00:00Z") as clock:
        session(store, typed)
        clock.move_to("2026-10-14T12:00:01Z")
        for _ in range(3):
            session(store, typed)
    with closing(sqlite3.connect(path)) as connection:
        assert connection.execute("SELECT count(*) FROM sessions").fetchone() == (2,)


def test_keys_outlive_the_opening_and_a_read_only_one_makes_none(store: Store, path: Path) -> None:
    key, typed = store.access.add()
    began = session(store, typed)
    with Store.open(path, read_only=True, registry=REGISTRY) as other:
        assert other.access.who(began) == key
        assert other.access.begin("wrong") is None
        with pytest.raises(DatabaseReadOnly):
            other.access.begin(typed)
        with pytest.raises(DatabaseReadOnly):
            other.access.add("more")
