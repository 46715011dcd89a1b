"""The one way in which values that cost time are kept in memory."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import Generic, TypeVar

K = TypeVar("K", bound=Hashable)
V = TypeVar("V")


class Cache(Generic[K, V]):
    """The values that were used last, by key.

    Threads: may share one.  Each value is assigned whole.
    """

    def __init__(self, most: int) -> None:
        """`most` values are kept; the one that was not used for longest goes first."""
        self._most = most
        self._values: OrderedDict[K, V] = OrderedDict()
        self._lock = Lock()

    def get(self, key: K) -> V | None:
        """What is kept; None where nothing is."""
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
            return self._values.get(key)

    def put(self, key: K, value: V) -> None:
        """Keep a value, in the place of the one that has its key."""
        with self._lock:
            self._values[key] = value
            self._values.move_to_end(key)
            while len(self._values) > self._most:
                self._values.popitem(last=False)

    def made(self, key: K, make: Callable[[], V]) -> V:
        """What is kept; where nothing is, what `make` gives, which is kept from now on.

        Cost:    nobody waits: two threads may make the same value.
        """
        with self._lock:
            if key in self._values:
                self._values.move_to_end(key)
                return self._values[key]
        value = make()
        self.put(key, value)
        return value

    def keys(self) -> list[K]:
        """The keys of all that is kept, the one that was not used for longest first."""
        with self._lock:
            return list(self._values)

    def clear(self) -> None:
        """Keep nothing."""
        with self._lock:
            self._values.clear()
