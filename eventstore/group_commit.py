"""Several threads share one transaction: whoever comes first writes for all who wait."""

from __future__ import annotations

from collections import deque
from threading import Lock
from typing import TYPE_CHECKING, Any

from eventstore.errors import LogClosed

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

_MOST = 512
"""Jobs in one transaction."""


class Job:
    """One caller's work and what came of it."""

    __slots__ = ("answer", "done", "error", "wake", "work")

    def __init__(self, work: object) -> None:
        self.work: Any = work
        self.answer: Any = None
        self.error: BaseException | None = None
        self.done = False
        self.wake: Lock | None = None
        """Held while the caller waits: for an answer, or to lead."""


class GroupCommit:
    """Hand jobs to `commit` in groups, one group at a time, without a thread of its own.

    A caller that finds nobody writing leads: it commits what waits, answers those callers, and hands the
    lead to the first who came in the meantime. So a lone caller pays no change of threads, and many share
    one commit. `commit` sets `answer` or `error` of each job, and returns only when that is durable; `tidy`
    runs after the answers.
    """

    def __init__(self, commit: Callable[[Sequence[Job]], None], tidy: Callable[[], None]) -> None:
        self._commit = commit
        self._tidy = tidy
        self._mutex = Lock()
        self._waiting: deque[Job] = deque()
        self._led = False
        self._closed = False

    def do(self, work: object, *, last: bool = False) -> Any:
        """Run the work in a transaction; its result or error once durable; `last` closes the door."""
        job = Job(work)
        with self._mutex:
            if self._closed:
                raise LogClosed
            self._closed = last
            if self._led:
                job.wake = Lock()
                job.wake.acquire()
                self._waiting.append(job)
            self._led = True
        if job.wake:
            job.wake.acquire()
        if not job.done:
            self._lead(job)
        if job.error is not None:
            raise job.error
        return job.answer

    def _lead(self, job: Job) -> None:
        # Only the one who leads takes from the queue, so that no lock is needed for it.
        group = [job]
        while self._waiting and len(group) < _MOST:
            group.append(self._waiting.popleft())
        try:
            self._commit(group)
        finally:
            for one in group:
                one.done = True
                if one.wake:
                    one.wake.release()
            self._hand_over()

    def _hand_over(self) -> None:
        try:
            self._tidy()
        finally:
            with self._mutex:
                following = self._waiting.popleft() if self._waiting else None
                self._led = following is not None
            if following and following.wake:
                following.wake.release()
