"""The same again, in other processes and with other hash seeds."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from hashlib import sha256
from importlib import import_module
from typing import Any, Final

import msgspec

from games.core import fold, serialization
from games.core.registry import installed
from games.testing.laws.law import AnyRuleset, LawBroken, Manner, RecordedGame
from games.testing.laws.recorded import play
from games.testing.laws.walking import as_written

HASH_SEEDS: Final = ("1", "4242")


def repeatable(name: str, ruleset: AnyRuleset, games: Sequence[RecordedGame]) -> None:
    """Replay and play some games again, here and in processes of their own."""
    some = [*games[:2], *games[-1:]]
    here = [digests(ruleset, game) for game in some]
    for game, was, now in zip(some, here, (digests(ruleset, game) for game in some), strict=True):
        _same(name, ruleset, game, was=was, now=now, when="the second time")
    for seed in HASH_SEEDS:
        there = _digests_elsewhere(ruleset, some, seed)
        if isinstance(there, str):
            raise LawBroken(name, ruleset, None, None, f"another process cannot replay it: {there}")
        for game, was, now in zip(some, here, there, strict=True):
            _same(name, ruleset, game, was=was, now=now, when=f"in another process (hash seed {seed})")


def _same(
    name: str, ruleset: AnyRuleset, game: RecordedGame, *, was: Sequence[str], now: Sequence[str], when: str
) -> None:
    for step, (one, other) in enumerate(zip(was, now, strict=True)):
        if one != other and step == len(game.events) + 1:
            raise LawBroken(name, ruleset, game, None, f"the playout from its seed is another one {when}")
        if one != other:
            raise LawBroken(name, ruleset, game, step, f"the state or what is offered is another {when}")


def digests(ruleset: AnyRuleset, game: RecordedGame) -> list[str]:
    """Give a digest of each state with what is shown and offered, then one of the game played once more."""
    found = []
    for state in fold.states(ruleset, game.started, game.events):
        due = ruleset.pending(state)
        listed = [list(ruleset.legal_actions(state, item.seat)) for item in due]
        found.append(_digest(serialization.freeze(state), as_written((ruleset.scene(state), due, listed))))
    again = play(ruleset, game.started, game.seed, game.manner, longest=len(game.events))
    return [*found, _digest(*(as_written(event) for event in again.events))]


def _digest(*parts: bytes) -> str:
    return sha256(b"\n".join(parts)).hexdigest()[:16]


class _Order(msgspec.Struct):
    """What the other process is asked to do: where its ruleset is, and the games by their payloads."""

    address: tuple[str, str, int]
    games: list[tuple[str, list[str], int, Manner]]


def _digests_elsewhere(
    ruleset: AnyRuleset, games: Sequence[RecordedGame], seed: str
) -> list[list[str]] | str:
    address = _address(ruleset)
    if address is None:
        return "it stands in no module by name, so it cannot be imported there"
    order = _Order(
        address,
        [
            (
                serialization.encode_event(game.started),
                [serialization.encode_event(event) for event in game.events],
                game.seed,
                game.manner,
            )
            for game in games
        ],
    )
    answer = subprocess.run(
        [sys.executable, "-c", "from games.testing.laws.repeating import answer; answer()"],
        input=msgspec.json.encode(order),
        env=os.environ | {"PYTHONHASHSEED": seed, "PYTHONPATH": os.pathsep.join(sys.path)},
        capture_output=True,
        check=False,
    )
    if answer.returncode:
        return answer.stderr.decode().strip().rpartition("\n")[2]
    return msgspec.json.decode(answer.stdout, type=list[list[str]])


def answer() -> None:
    """Replay in a process of its own what comes in on the standard input, and print the digests."""
    order = msgspec.json.decode(sys.stdin.buffer.read(), type=_Order)
    ruleset = _at(order.address)
    games = (
        RecordedGame(
            label="",
            started=serialization.decode_event(ruleset, started),
            events=tuple(serialization.decode_event(ruleset, event) for event in events),
            seed=seed,
            manner=manner,
        )
        for started, events, seed, manner in order.games
    )
    sys.stdout.buffer.write(msgspec.json.encode([digests(ruleset, game) for game in games]))


def _address(ruleset: AnyRuleset) -> tuple[str, str, int] | None:
    """Find a module that another process can import, with this ruleset in it by name or in a tuple."""
    if installed().get((ruleset.id, ruleset.version)) is ruleset:
        return "", ruleset.id, ruleset.version
    for name, module in [item for item in sys.modules.items() if item[0] != "__main__"]:
        for attribute, value in list(vars(module).items()):
            if value is ruleset:
                return name, attribute, -1
            if isinstance(value, tuple) and any(item is ruleset for item in value):
                return name, attribute, next(at for at, item in enumerate(value) if item is ruleset)
    return None


def _at(address: tuple[str, str, int]) -> AnyRuleset:
    module, name, number = address
    if not module:
        return installed().find(name, number)
    value: Any = getattr(import_module(module), name)
    ruleset: AnyRuleset = value if number < 0 else value[number]
    return ruleset
