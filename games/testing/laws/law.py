"""What a law is, and the games that it is held against."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from games.core.events import Event, RecordStarted
from games.core.ruleset import Ruleset

AnyRuleset = Ruleset[Any]
Manner = Literal["bot", "random", "restless"]
"""Who plays: the ruleset's bot; the core's random player; one who takes up a may even where chance is due."""


class LawBroken(AssertionError):
    """A ruleset breaks a law: the law's name, `id version`, the game and its step, one sentence."""

    def __init__(
        self, law: str, ruleset: AnyRuleset, game: RecordedGame | None, step: int | None, said: str
    ) -> None:
        where = "" if game is None else f" in {game.label}" + ("" if step is None else f" at step {step}")
        super().__init__(f"{ruleset.id} {ruleset.version} breaks the {law} law{where}: {said}")
        self.law = law
        self.step = step
        self.sentence = said


@dataclass(frozen=True, kw_only=True)
class RecordedGame:
    """A game that was played to be judged; `fault` says why the playout stopped too early, if it did."""

    label: str
    started: RecordStarted[Any, Any]
    events: tuple[Event, ...]
    seed: int
    manner: Manner
    fault: str = ""


class LawCheck(Protocol):
    """What a law does with recorded games; raises `LawBroken`."""

    def __call__(self, name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None: ...  # noqa: D102


@dataclass(frozen=True)
class Law:
    """A law by its name, what it says, and the function that looks for a breach."""

    name: str
    says: str
    judge: LawCheck

    def check(self, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
        """Look at every game; the first breach raises `LawBroken`."""
        self.judge(self.name, ruleset, games)

    def __str__(self) -> str:
        return self.name
