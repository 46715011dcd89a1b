"""Several threads share one transaction: whoever comes first writes for all who wait."""

from __future__ import annotations

from threading import Lock
from typing import TYPE_CHECKING, Any

import msgspec

from eventstore.errors import LogClosed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence


class Job(msgspec.Struct):
    """One caller's work and what came of it."""

    work: Any
    answer: Any = None
    error: BaseException | None = None


class _Group:
    """Jobs of one transaction, and the gate at which their callers wait."""

    __slots__ = ("done", "gate", "jobs")

    def __init__(self) -> None:
        self.jobs: list[Job] = []
        self.done = False
        self.gate = Lock()
        self.gate.acquire()


class GroupCommit:
    """Hand jobs to `commit` in groups, one group at a time, without a thread of its own.

    A caller that finds nobody writing leads: it commits its job, then opens the gate of the group that has
    gathered meanwhile. The first through that gate leads in turn. When the group is done it opens the gate
    again, and the others go through one by one, each letting the next one in: so a leader wakes one thread,
    not all, and a crowd does not fight for the interpreter while the next leader needs it. A lone caller
    pays no change of threads.
    `commit` sets `answer` or `error` of each job, and returns only when that is durable; `tidy` runs after
    the answers. Neither of them raises, but for an interrupt.
    """

    def __init__(self, commit: Callable[[Sequence[Job]], None], tidy: Callable[[], None]) -> None:
        self._commit = commit
        self._tidy = tidy
        self._mutex = Lock()
        self._gathering: _Group | None = None
        self._led = False
        self._closed = False
        self._all_left = Lock()
        self._all_left.acquire()

    def close(self) -> bool:
        """Shut the door and wait for those inside, the last tidying included; whether it was open."""
        with self._mutex:
            if self._closed:
                return False
            self._closed = True
            led = self._led
        if led:
            self._all_left.acquire()
        return True

    def do(self, work: object) -> Any:
        """Run the work in a transaction; its result or error once durable."""
        job = Job(work)
        group = None
        with self._mutex:
            if self._closed:
                raise LogClosed
            if self._led:
                group = self._gathering = self._gathering or _Group()
                group.jobs.append(job)
            else:
                self._led = True
        if group is None:
            self._lead([job], None)
        else:
            group.gate.acquire()
            if group.done:
                group.gate.release()
            else:
                self._lead(group.jobs, group)
        if job.error is not None:
            raise job.error
        return job.answer

    def _lead(self, jobs: Sequence[Job], group: _Group | None) -> None:
        if group:
            with self._mutex:
                # Who comes from now on gathers anew.
                self._gathering = None
        try:
            self._commit(jobs)
        finally:
            if group:
                group.done = True
                group.gate.release()
            try:
                self._tidy()
            finally:
                with self._mutex:
                    following = self._gathering
                    self._led = following is not None
                    left = self._closed and not self._led
                if following:
                    following.gate.release()
                elif left:
                    self._all_left.release()
