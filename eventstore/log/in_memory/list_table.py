"""The list of games from dictionaries."""

from __future__ import annotations

import re
import unicodedata
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eventstore.log.list_table import ListedRow
from eventstore.log.names import folded
from eventstore.log.rows import Details

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from eventstore.log.in_memory.state import MemoryState
    from eventstore.log.list_table import Followed, ListQuery, ListTable, StandingRow, TextRow

_WORD = re.compile(r"[^\W_]+")


class MemoryListTable:
    """See `ListTable`."""

    writable = True

    def __init__(self, state: MemoryState) -> None:
        self._state = state

    def rows(self, query: ListQuery) -> list[ListedRow]:
        """See `ListTable`."""
        with self._state.held():
            games = [game for game in reversed(self._state.streams) if game in self._state.standings]
            found = [self._listed(game) for game in games if self._fits(game, query)]
        found.sort(key=_played, reverse=True)
        first = max(query.offset, 0)
        return found[first : None if query.limit is None else first + max(query.limit, 0)]

    def _listed(self, game: str) -> ListedRow:
        state = self._state
        typed = state.details.get(game, Details())
        return ListedRow(
            state.standings[game],
            typed.title,
            typed.played_on,
            typed.time_zone,
            typed.place,
            game in state.hidden,
            state.streams[game].events[0].recorded_at,
            typed.names,
        )

    def _fits(self, game: str, query: ListQuery) -> bool:
        state = self._state
        standing = state.standings[game]
        names = state.details.get(game, Details()).names.values()
        return (
            query.ruleset in {None, standing.ruleset}
            and query.origin in {None, standing.origin}
            and (query.player is None or any(query.player in folded(name) for name in names if query.player))
            and (query.words is None or self._says(game, query.words, notes=query.notes))
            and (query.of is None or is_of(standing.parent, query.of))
            and (query.hidden or game not in state.hidden)
            and (query.origin is not None or query.of is not None or standing.origin != "simulated")
            and (query.variations or query.of is not None or standing.parent is None)
        )

    def _says(self, game: str, words: Iterable[str], *, notes: bool) -> bool:
        typed, found = self._state.details.get(game, Details()), self._state.texts.get(game)
        texts = ["\n".join(text for text in (typed.title, typed.place, *typed.names.values()) if text)]
        if found is not None:
            texts += [found.captions, *([found.notes] if notes else [])]
        tokens = [tokens_of(text) for text in texts]
        return all(any(_begins(said, tokens_of(word)) for said in tokens) for word in words)

    def changed(self, what: Followed) -> tuple[int, list[str]]:
        """See `ListTable`."""
        with self._state.held():
            since = self._state.followed.get(what, 0)
            new = self._state.everything[since:]
            return len(self._state.everything), [*dict.fromkeys(row.game.partition("/")[0] for row in new)]

    def missing(self) -> list[tuple[str, str, int]]:
        """See `ListTable`."""
        with self._state.held():
            return [
                (row.game, row.ruleset, row.version)
                for row in self._state.standings.values()
                if row.status == "missing"
            ]

    def put_standings(self, rows: Sequence[StandingRow]) -> None:
        """See `ListTable`."""
        with self._state.held():
            for row in rows:
                put_standing(self._state, row)

    def put_texts(self, rows: Sequence[TextRow]) -> None:
        """See `ListTable`."""
        with self._state.held():
            for row in rows:
                heads = self._state.head(row.game), self._state.head(f"{row.game}/notes")
                if heads[0] and heads[0] <= row.seq and heads[1] <= row.notes_seq:
                    self._state.texts[row.game] = row

    def follow(self, what: Followed, position: int) -> None:
        """See `ListTable`."""
        with self._state.held():
            self._state.followed[what] = max(position, self._state.followed.get(what, 0))

    @contextmanager
    def copied(self, *, texts: bool) -> Iterator[ListTable]:  # noqa: ARG002 - as `ListTable` has it
        """Lend itself, which can be written."""
        yield self


def put_standing(state: MemoryState, row: StandingRow) -> None:
    """Keep a standing of a game that is there, unless one of a later head is kept."""
    kept = state.standings.get(row.game)
    if row.game in state.streams and (kept is None or row.seq >= kept.seq):
        state.standings[row.game] = row


def is_of(parent: str | None, game: str) -> bool:
    """Tell whether a parent, as JSON, is this game.

    >>> is_of('{"game":"k7m2","head":1,"step":0}', "k7m2"), is_of(None, "k7m2")
    (True, False)
    """
    return parent is not None and parent.startswith(f'{{"game":"{game}",')


def tokens_of(text: str) -> list[str]:
    """The words of a text, without accents and in small letters.

    >>> tokens_of("Zoë's GREEN-house_2")
    ['zoe', 's', 'green', 'house', '2']
    """
    bare = (one for one in unicodedata.normalize("NFD", text) if unicodedata.category(one) != "Mn")
    return _WORD.findall("".join(bare).casefold())


def _begins(said: Sequence[str], wanted: Sequence[str]) -> bool:
    """Tell whether these words stand there in a row, the last of them as the beginning of one."""
    *whole, last = wanted or [""]
    count = len(whole)
    return any(
        said[place : place + count] == whole and said[place + count].startswith(last)
        for place in range(len(said) - count)
    )


def _played(row: ListedRow) -> tuple[str, str]:
    created = row.created_at or ""
    return row.played_on or created[:10], created
