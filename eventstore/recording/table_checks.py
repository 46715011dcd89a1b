"""What a table check says of the record: what drifted, and since when."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

import msgspec

from eventstore.replay.folding import CHUNK
from games.core.events import RecordChecked
from games.core.fold import mismatches
from games.core.ruleset import EVERYTHING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from eventstore.replay.game import Moment
    from eventstore.replay.replayer import Replayer
    from games.core.events import Claim

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


def drift(
    replayer: Replayer, game: str, step: int, viewer: str = EVERYTHING, tip: int | None = None
) -> tuple[Drift, ...]:
    """The claims of the table check at a step that do not hold; none: it holds.

    Tip:     of the record as it was after that event, whatever was undone since; else as it stands now.
    Cost:    goes back from check to check only until each claim has one that held.
    """

    def moment_at(number: int) -> Moment:
        if tip is None:
            return replayer.at(game, number, viewer)
        return next(replayer.line(game, tip, viewer, number))

    wrong = _mismatches(moment_at(step))
    if not wrong:
        return ()
    since: dict[str, int] = {}
    for earlier in _checks_before(replayer, game, step, tip):
        if len(since) == len(wrong):
            break
        moment = moment_at(earlier)
        event = moment.event
        failed = {claim.at for claim, _ in _mismatches(moment)}
        for claim in event.claims if isinstance(event, RecordChecked) and moment.readable else ():
            if claim.at not in failed and claim.at in {wanted.at for wanted, _ in wrong}:
                since.setdefault(claim.at, earlier)
    return tuple(Drift(claim.at, claim.value, has, since.get(claim.at), step) for claim, has in wrong)


def fails(moment: Moment) -> bool:
    """Tell whether a step is a table check that the record does not bear out."""
    return bool(_mismatches(moment))


def _mismatches(moment: Moment) -> list[tuple[Claim, int | str | None]]:
    scene = moment.scene()
    if scene is None or not isinstance(moment.event, RecordChecked):
        return []
    return mismatches(scene, moment.event.claims)


def _checks_before(replayer: Replayer, game: str, step: int, tip: int | None) -> Iterator[int]:
    """The steps of the table checks before a step, the last first."""
    tape = replayer.tape(game)
    runs = tape.runs if tip is None else tape.history.at(tip)
    for last in range(step - 1, 0, -CHUNK):
        first = max(last - CHUNK + 1, 1)
        kinds = replayer.kinds(game, runs, first, last)
        yield from (at for at in range(last, first - 1, -1) if kinds[at - first] == _CHECKED)
