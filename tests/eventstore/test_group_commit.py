"""Who waits is answered, nobody's answer hangs on tidying up, and the door shuts behind the last."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from threading import Event, Thread

import pytest

from eventstore.errors import LogClosed
from eventstore.sqlite.group_commit import GroupCommit, Job


def committed(jobs: Sequence[Job]) -> None:
    for job in jobs:
        job.answer = f"did {job.work}"


def in_thread(work: Callable[[], object]) -> Thread:
    thread = Thread(target=work)
    thread.start()
    return thread


def test_the_door_shuts_only_when_the_last_leader_has_tidied_up() -> None:
    order: list[str] = []
    tidying, go, shut = Event(), Event(), Event()

    def tidy() -> None:
        tidying.set()
        go.wait()
        order.append("tidied")

    group = GroupCommit(committed, tidy)

    def close() -> None:
        shut.set()
        assert group.close()
        order.append("closed")

    caller = in_thread(lambda: order.append(group.do("one")))
    tidying.wait()
    closer = in_thread(close)
    shut.wait()
    while not group._closed:
        pass
    with pytest.raises(LogClosed):
        group.do("too late")
    go.set()
    for thread in (caller, closer):
        thread.join()
    assert sorted(order) == ["closed", "did one", "tidied"]
    assert order.index("tidied") < order.index("closed")
    assert not group.close()


def test_who_waits_when_the_door_shuts_is_answered_before_it_is_shut() -> None:
    busy, go = Event(), Event()
    answers: list[object] = []

    def commit(jobs: Sequence[Job]) -> None:
        busy.set()
        go.wait()
        committed(jobs)

    group = GroupCommit(commit, lambda: None)
    threads = [in_thread(lambda: answers.append(group.do("one")))]
    busy.wait()
    threads.append(in_thread(lambda: answers.append(group.do("two"))))
    while group._gathering is None:
        pass
    threads.append(in_thread(lambda: answers.append(group.close())))
    while not group._closed:
        pass
    go.set()
    for thread in threads:
        thread.join()
    assert set(answers) == {"did one", "did two", True}


def test_a_door_that_nobody_passed_shuts_at_once() -> None:
    group = GroupCommit(committed, lambda: None)
    assert group.close()
    assert not group.close()
    with pytest.raises(LogClosed):
        group.do("one")
