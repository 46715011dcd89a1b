"""The contract of a log and the laws of the store, for tests of other logs and rulesets."""

from __future__ import annotations

from typing import TYPE_CHECKING

from games.lazy_names import lazy_names

if TYPE_CHECKING:
    from eventstore.testing.log_contract import EventLogContract
    from eventstore.testing.store_laws import LAWS, StoreOpener, in_database, laws
    from eventstore.testing.tables_contract import TablesContract

__all__ = [
    "LAWS",
    "EventLogContract",
    "StoreOpener",
    "TablesContract",
    "in_database",
    "laws",
]

__getattr__ = lazy_names(
    __name__,
    {
        "eventstore.testing.log_contract": ("EventLogContract",),
        "eventstore.testing.store_laws": ("LAWS", "StoreOpener", "in_database", "laws"),
        "eventstore.testing.tables_contract": ("TablesContract",),
    },
)
