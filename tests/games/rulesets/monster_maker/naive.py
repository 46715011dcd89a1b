"""A second, deliberately naive Monster Maker: cards in hands and heaps, judged one rule after another.

It is written from the rulebook and RULINGS.md, and shares no code and no data with the ruleset.  `play` takes
an event as a plain JSON object; `Wrong` says that it is against the rules, and nothing has changed then.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

NAMES = ["bogart", "grizzle", "mugwump", "petey", "slurp"]
PARTS = ["head", "body", "left-arm", "right-arm", "left-leg", "right-leg"]
OPTIONS = {"off_turn": "counts", "trades_per_turn": "one-action", "trade2": "two", "monsters": "drawn"}


class Wrong(Exception):
    """The rules forbid it."""


def need(fact: object) -> None:
    if not fact:
        raise Wrong


def is_piece(card: str) -> bool:
    return card.partition("-")[0] in NAMES


class Game:
    """Everything that lies on the table, and whose turn it is."""

    def __init__(self, players: int, options: dict[str, Any]) -> None:
        self.options = {**OPTIONS, **options}
        self.seats = [f"p{number}" for number in range(1, players + 1)]
        self.inside = list(self.seats)
        self.monster: dict[str, str] = {}
        self.hand: dict[str, list[str]] = {seat: [] for seat in self.seats}
        self.saved: dict[str, list[str]] = {seat: [] for seat in self.seats}
        pieces = [f"{name}-{part}-{copy}" for name in NAMES for part in PARTS for copy in (1, 2)]
        trades = [f"trade-1-{n}" for n in range(1, 10)] + [f"trade-2-{n}" for n in range(1, 6)]
        trades += [f"garbage-trade-{n}" for n in range(1, 6)]
        self.heaps: list[list[str]] = [pieces + trades]
        """The Draw Pile: heaps that are shuffled each in itself, the uppermost first."""
        self.garbage: list[str] = []
        """The top is the last."""
        self.spent: list[str] = []
        self.waiting: str | None = None
        self.searching = False
        self.now = ""
        self.done: list[str] = []
        """What was done in this turn: "draw" for a draw or garbage action, "trade"."""
        self.winner = ""
        self.reason = ""

    # --- looking

    def has(self, seat: str) -> int:
        return len(
            {card.rpartition("-")[0] for card in self.hand[seat] if card.startswith(self.monster[seat])}
        )

    def made(self, seat: str) -> bool:
        return self.has(seat) == len(PARTS)

    def scores(self) -> dict[str, int]:
        return {seat: self.has(seat) if seat in self.monster else 0 for seat in self.seats}

    def piled(self) -> int:
        return sum(map(len, self.heaps))

    def after(self, seat: str) -> str:
        place = self.seats.index(seat)
        return next(s for s in self.seats[place + 1 :] + self.seats[: place + 1] if s in self.inside)

    # --- playing

    def play(self, event: dict[str, Any]) -> None:
        trial = deepcopy(self)
        need(not trial.winner)
        trial.step(dict(event))
        self.__dict__ = trial.__dict__

    def step(self, event: dict[str, Any]) -> None:
        kind, seat = event.pop("kind"), event.get("player", "")
        if kind in {"monster_drawn", "parts_dealt", "bonus_dealt"}:
            self.prepare(kind, seat, event)
        elif kind == "player_resigned":
            self.resign(seat)
        else:
            need(self.now)
            need(kind == "draw_pile_rebuilt" or seat == self.now)
            getattr(self, kind)(seat, event)

    def prepare(self, kind: str, seat: str, event: dict[str, Any]) -> None:
        need(not self.now)
        if kind == "monster_drawn":
            waiting = [s for s in self.seats if s not in self.monster]
            need(waiting and seat == waiting[0] and event["monster"] in NAMES)
            need(event["monster"] not in self.monster.values())
            self.monster[seat] = event["monster"]
            return
        need(len(self.monster) == len(self.seats))
        empty = [s for s in self.seats if not self.hand[s] + self.saved[s]]
        short = [s for s in self.seats if len(self.hand[s]) < 6]
        if kind == "parts_dealt":
            need(empty and seat == empty[0] and len(event["cards"]) == 6)
            self.give_out(seat, event["cards"])
        else:
            need(not empty and short and seat == short[0] and event["cards"])
            for card in event["cards"]:
                need(len(self.hand[seat]) < 6)
                self.give_out(seat, [card])
            need(len(self.hand[seat]) == 6)
        if all(len(self.hand[s]) == 6 for s in self.seats):
            self.begin()

    def give_out(self, seat: str, cards: list[str]) -> None:
        for card in cards:
            self.off(card)
            (self.hand if is_piece(card) else self.saved)[seat].append(card)

    def off(self, card: str) -> None:
        need(self.heaps and card in self.heaps[0])
        self.heaps[0].remove(card)
        if not self.heaps[0]:
            self.heaps.pop(0)

    def begin(self) -> None:
        first = min(self.seats, key=lambda seat: self.monster[seat])
        self.now = first
        for seat in [first, *self.round(first)]:
            if self.made(seat) and not self.winner:
                self.winner, self.reason = seat, "monster-complete"

    def round(self, seat: str) -> list[str]:
        place = self.seats.index(seat)
        return [s for s in self.seats[place + 1 :] + self.seats[:place] if s in self.inside]

    # --- a turn

    def free_for(self, what: str) -> None:
        """Nothing waits, and such an action may still be done in this turn."""
        need(self.waiting is None and not self.searching)
        if self.options["trades_per_turn"] == "one-action":
            need(not self.done)
        need(what == "trade" or "draw" not in self.done)

    def part_drawn(self, _seat: str, event: dict[str, Any]) -> None:
        self.free_for("draw")
        self.off(event["card"])
        self.waiting = event["card"]

    def draw_pile_rebuilt(self, _seat: str, event: dict[str, Any]) -> None:
        self.free_for("draw")
        need(not self.heaps and event["count"] == len(self.garbage) - 1)
        self.heaps = [self.garbage[:-1]]
        self.garbage = self.garbage[-1:]

    def throw(self, seat: str, card: str) -> None:
        need(card in self.hand[seat])
        self.hand[seat].remove(card)
        self.garbage.append(card)

    def piece_kept(self, seat: str, event: dict[str, Any]) -> None:
        need(self.waiting and is_piece(self.waiting))
        self.throw(seat, event["discard"])
        self.hand[seat].append(str(self.waiting))
        self.finish("draw")

    def piece_discarded(self, _seat: str, _event: dict[str, Any]) -> None:
        need(self.waiting and is_piece(self.waiting))
        self.garbage.append(str(self.waiting))
        self.finish("draw")

    def trade_saved(self, seat: str, _event: dict[str, Any]) -> None:
        need(self.waiting and not is_piece(self.waiting))
        self.saved[seat].append(str(self.waiting))
        self.finish("draw")

    def garbage_taken(self, seat: str, event: dict[str, Any]) -> None:
        self.free_for("draw")
        need(self.garbage)
        top = self.garbage.pop()
        self.throw(seat, event["discard"])
        self.hand[seat].append(top)
        self.finish("draw")

    def spend(self, seat: str, card: str) -> str:
        """Play a trade card; say whether this is a draw (it was just drawn) or a trade."""
        self.spent.append(card)
        if self.waiting is not None:
            need(card == self.waiting)
            self.waiting = None
            return "draw"
        self.free_for("trade")
        need(card in self.saved[seat])
        self.saved[seat].remove(card)
        return "trade"

    def trade_played(self, seat: str, event: dict[str, Any]) -> None:
        card, swaps = event["trade"], event["exchanges"]
        need(card.startswith(("trade-1-", "trade-2-")))
        most = int(card[6])
        need(len(swaps) == most or (self.options["trade2"] == "up-to" and 1 <= len(swaps) <= most))
        what = self.spend(seat, card)
        arriving = []
        for swap in swaps:
            other = swap["with"]
            need(other != seat and other in self.inside)
            need(swap["take"] in self.hand[other] and swap["give"] in self.hand[seat])
            self.hand[other].remove(swap["take"])
            self.hand[seat].remove(swap["give"])
            arriving += [(seat, swap["take"]), (other, swap["give"])]
        for owner, piece in arriving:
            self.hand[owner].append(piece)
        self.finish(what)

    def garbage_trade_played(self, seat: str, event: dict[str, Any]) -> None:
        need(event["trade"].startswith("garbage-trade-") and self.garbage)
        what = self.spend(seat, event["trade"])
        self.searching = True
        self.done += [what]

    def garbage_picked(self, seat: str, event: dict[str, Any]) -> None:
        need(self.searching and event["take"] in self.garbage)
        self.garbage.remove(event["take"])
        self.hand[seat].append(event["take"])
        self.throw(seat, event["discard"])
        self.searching = False
        self.finish(self.done.pop())

    def turn_ended(self, _seat: str, _event: dict[str, Any]) -> None:
        need(self.waiting is None and not self.searching and self.done)
        self.go_on()

    def finish(self, what: str) -> None:
        self.waiting = None
        self.done.append(what)
        order = [self.now] if self.options["off_turn"] == "wait" else [self.now, *self.round(self.now)]
        for seat in order:
            if self.made(seat) and not self.winner:
                self.winner, self.reason = seat, "monster-complete"
        if not self.winner and self.options["trades_per_turn"] == "one-action":
            self.go_on()

    def go_on(self) -> None:
        self.now = self.after(self.now)
        self.done = []
        if self.made(self.now):
            self.winner, self.reason = self.now, "monster-complete"

    def resign(self, seat: str) -> None:
        need(self.now and len(self.seats) > 2 and seat in self.inside)
        need(self.waiting is None and not self.searching)
        self.inside.remove(seat)
        self.heaps.append(self.hand[seat])
        self.spent += self.saved[seat]
        self.hand[seat], self.saved[seat] = [], []
        if len(self.inside) == 1:
            self.winner, self.reason = self.inside[0], "last-player"
        elif seat == self.now:
            self.go_on()
