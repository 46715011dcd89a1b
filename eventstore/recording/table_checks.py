"""What a table check says of the record: what drifted, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from eventstore.replay.folding import CHUNK
from games.core.events import RecordChecked

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.replay.game import Game

_CHECKED: Final = "record.checked"


class Drift(msgspec.Struct, frozen=True):
    """A claim that the record does not bear out."""

    at: str
    claimed: int | str | None
    """What lies on the table."""
    recorded: int | str | None
    """What the record has there."""
    since: int | None
    """The step of the last check of the same thing that held; None where none did."""
    step: int
    """The step of this check: the record drifted behind `since` and before it."""

    @property
    def stretch(self) -> tuple[int, int]:
        """The first and the last step that may have gone wrong; none did where the first is the later."""
        return (self.since or 0) + 1, self.step - 1


def drift(game: Game, step: int) -> tuple[Drift, ...]:
    """The claims of the table check at a step that do not hold; none: it holds.

    Cost:    goes back from check to check only until each claim has one that held.
    """
    wrong = game.position(step).failed_claims()
    if not wrong:
        return ()
    since: dict[str, int] = {}
    for earlier in _checks_before(game, step):
        if len(since) == len(wrong):
            break
        position = game.position(earlier)
        event = position.event
        failed = {claim.at for claim, _ in position.failed_claims()}
        for claim in event.claims if isinstance(event, RecordChecked) and position.readable else ():
            if claim.at not in failed and claim.at in {wanted.at for wanted, _ in wrong}:
                since.setdefault(claim.at, earlier)
    return tuple(Drift(claim.at, claim.value, has, since.get(claim.at), step) for claim, has in wrong)


def _checks_before(game: Game, step: int) -> Iterator[int]:
    """The steps of the table checks before a step, the last first."""
    for last in range(step - 1, 0, -CHUNK):
        first = max(last - CHUNK + 1, 1)
        kinds = game.kinds(first, last)
        yield from (at for at in range(last, first - 1, -1) if kinds[at - first] == _CHECKED)
