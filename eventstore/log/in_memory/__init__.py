"""A log in memory with all that a store keeps in it: for tests, and as a pattern for another database."""

from eventstore.log.in_memory.log import MemoryLog

__all__ = ["MemoryLog"]
