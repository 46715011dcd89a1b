"""A second, deliberately naive Monsters of War: real piles in a real order, as they lie on a table.

It is written from the rulebook and RULINGS.md, and shares no code and no data with the ruleset.  Playing a
game gives the events that a recorder would type, as plain JSON objects, each with the piles after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from random import Random
from typing import Any

KINDS = {
    "ambush": 3,
    "war-cry": 4,
    "berserk": 3,
    "reshuffle": 3,
    "counterspell": 2,
    "double-strike": 2,
    "turncoat": 1,
    "stand-firm": 2,
}
OPTIONS = {"tie_war": True, "tie": "keep", "short": "keep-one", "gambit_empty": "none", "days": 3}
Step = tuple[dict[str, Any], dict[str, int]]


def strength(card: str) -> int | None:
    """Read a monster's attack from its id; None for a War card."""
    plain = card.rpartition("-")[2]
    return int(plain[1:3]) if plain.startswith("m") else None


def kind(card: str) -> str:
    return card.removeprefix("s2-").removeprefix("s3-").rpartition("-")[0]


class Table:
    """A table with real cards; `play` gives what happens on it."""

    def __init__(self, players: int, options: dict[str, Any], rng: Random) -> None:
        self.rng = rng
        self.options = {**OPTIONS, **options}
        self.seats = [f"p{number}" for number in range(1, players + 1)]
        self.inside = list(self.seats)
        sets = ["", "s2-", "s3-"][: (players + 1) // 2]
        battle = [f"{s}m{n:02}{c}" for s in sets for n in range(1, 15) for c in "abc"]
        battle += [f"{s}w{n}" for s in sets for n in range(1, 11)]
        gambits = [f"{s}{k}-{n}" for s in sets for k, copies in KINDS.items() for n in range(1, copies + 1)]
        self.deck = self.dealt(battle)
        self.gambit = self.dealt(gambits)
        self.spoils: dict[str, list[str]] = {seat: [] for seat in self.seats}
        self.discards: dict[str, list[str]] = {seat: [] for seat in self.seats}
        self.up: dict[str, list[str]] = {seat: [] for seat in self.seats}
        self.down: dict[str, list[str]] = {seat: [] for seat in self.seats}
        self.laid: dict[str, list[str]] = {}
        self.all = len(battle)

    def dealt(self, cards: list[str]) -> dict[str, list[str]]:
        self.rng.shuffle(cards)
        return {seat: cards[at :: len(self.seats)] for at, seat in enumerate(self.seats)}

    def piles(self) -> dict[str, int]:
        named = {"deck": self.deck, "spoils": self.spoils, "laid": self.down, "field": self.up}
        named |= {"gambit_deck": self.gambit, "gambit_discard": self.discards}
        return {f"{name}.{seat}": len(pile[seat]) for name, pile in named.items() for seat in self.seats}

    def play(self) -> Iterator[Step]:
        counts = [{seat: len(pile[seat]) for seat in self.seats} for pile in (self.deck, self.gambit)]
        yield {"kind": "decks_dealt", "battle": counts[0], "gambits": counts[1]}, self.piles()
        for day in range(1, self.options["days"] + 1):
            if day > 1:
                yield self.new_day(day), self.piles()
            while all(self.deck[seat] for seat in self.inside):
                yield from self.battle()
                self.inside = [seat for seat in self.inside if self.holds(seat)]
                if len(self.inside) == 1:
                    return
            for seat in self.seats:
                self.to_spoils(seat, seat)

    def holds(self, seat: str) -> int:
        return len(self.deck[seat]) + len(self.spoils[seat]) + len(self.up[seat])

    def new_day(self, day: int) -> dict[str, Any]:
        for seat in self.inside:
            self.deck[seat] += self.spoils[seat]
            self.spoils[seat] = []
            self.rng.shuffle(self.deck[seat])
        return {"kind": "decks_rebuilt", "day": day, "counts": {s: len(self.deck[s]) for s in self.inside}}

    def to_spoils(self, owner: str, winner: str) -> None:
        self.spoils[winner] += self.up[owner] + self.down[owner]
        self.up[owner], self.down[owner] = [], []

    def take(self, winner: str) -> None:
        for owner in self.seats:
            self.to_spoils(owner, winner)

    def day_goes_on(self) -> bool:
        left = [seat for seat in self.inside if self.holds(seat)]
        return len(left) > 1 and all(self.deck[seat] for seat in left)

    def settled(self) -> dict[str, int]:
        """Count the piles after a battle; cards that wait go back when the Day is over."""
        if not self.day_goes_on():
            for seat in self.seats:
                self.to_spoils(seat, seat)
        return self.piles()

    def flip(self, seats: list[str]) -> dict[str, str]:
        cards = {seat: self.deck[seat].pop(0) for seat in seats}
        for seat, card in cards.items():
            self.up[seat].append(card)
        return cards

    # --- a battle, a War

    def battle(self) -> Iterator[Step]:
        cards = self.flip(self.inside)
        event = {"kind": "battle_flipped", "cards": cards}
        powers = {seat: strength(card) for seat, card in cards.items()}
        wars = [seat for seat, power in powers.items() if power is None]
        best = [s for s in self.inside if not wars and powers[s] == max(p or 0 for p in powers.values())]
        if wars or (len(best) > 1 and self.options["tie_war"]):
            yield event, self.piles()
            yield from self.war(self.inside if wars else best, 4 if len(wars) > 1 else 2)
            return
        if len(best) == 1:
            self.take(best[0])
        elif self.options["tie"] == "keep":
            for seat in self.seats:
                self.to_spoils(seat, seat)
        yield event, self.settled()

    def war(self, fighting: list[str], lay: int) -> Iterator[Step]:
        while fighting:
            counts = self.lay(fighting, lay)
            laid: Step = {"kind": "cards_laid", "counts": counts}, self.piles()
            gambits, event = yield from self.gambits(laid, fighting)
            (winner, fighting, lay), event = yield from self.clash(fighting, gambits, event)
            for seat, card in gambits.items():
                self.discards[seat].append(card)
            if fighting:
                yield event[0], self.piles()
        for seat in self.seats:
            self.to_spoils(seat, winner or seat)
        yield event[0], self.settled()

    def lay(self, fighting: list[str], lay: int) -> dict[str, int]:
        keep = 0 if self.options["short"] == "forfeit" else 1
        self.laid = {seat: self.deck[seat][: min(lay, len(self.deck[seat]) - keep)] for seat in fighting}
        self.laid = {seat: cards if len(self.deck[seat]) > keep else [] for seat, cards in self.laid.items()}
        for seat, cards in self.laid.items():
            self.down[seat] += cards
            self.deck[seat] = self.deck[seat][len(cards) :]
        return {seat: len(cards) for seat, cards in self.laid.items()}

    def clash(self, fighting: list[str], gambits: dict[str, str], event: Step) -> Any:
        """Shuffle, turn and compare; give what `attack` gives, and the last event, which is not yet told."""
        last = self.options["short"] == "last-card-attacks"
        able = [seat for seat in fighting if self.deck[seat] or last]
        if len(able) < 2:
            return (able[0] if able else None, [], 0), event
        force = self.force({seat: gambits[seat] for seat in able if seat in gambits})
        for seat in able:
            if force.get(seat) == "reshuffle" and self.deck[seat]:
                yield event
                self.rng.shuffle(self.deck[seat])
                event = {"kind": "battle_deck_shuffled", "player": seat}, self.piles()
        turning = [seat for seat in able if self.deck[seat]]
        if turning:
            yield event
            event = {"kind": "attack_flipped", "cards": self.flip(turning)}, self.piles()
        return self.attack(able, force), event

    def gambits(self, event: Step, fighting: list[str]) -> Any:
        """Turn gambits; give them, and the last event, which is not yet told."""
        for seat in fighting:
            if self.options["gambit_empty"] != "none" and not self.gambit[seat] and self.discards[seat]:
                yield event
                self.gambit[seat], self.discards[seat] = self.discards[seat], []
                self.rng.shuffle(self.gambit[seat])
                count = len(self.gambit[seat])
                event = {"kind": "gambit_deck_rebuilt", "player": seat, "count": count}, self.piles()
        drawn = {seat: self.gambit[seat].pop(0) for seat in fighting if self.gambit[seat]}
        if drawn:
            yield event
            event = {"kind": "gambits_drawn", "cards": drawn}, self.piles()
        return drawn, event

    def force(self, gambits: dict[str, str]) -> dict[str, str]:
        kinds = {seat: kind(card) for seat, card in gambits.items()}
        if "counterspell" in kinds.values():
            return {seat: name for seat, name in kinds.items() if name == "counterspell"}
        return kinds

    def attack(self, able: list[str], force: dict[str, str]) -> tuple[str | None, list[str], int]:
        """Give the winner, or who fights on, each laying how many; nobody where nothing can change."""
        last = self.options["short"] == "last-card-attacks"
        powers = {seat: strength(self.up[seat][-1]) for seat in able}
        wars = [seat for seat in able if powers[seat] is None and not (last and not self.deck[seat])]
        if wars:
            return None, able, 4 if len(wars) > 1 else 2
        totals = {seat: self.total(seat, able, powers, force) for seat in able}
        best = [seat for seat in able if totals[seat] == max(totals.values())]
        firm = [seat for seat in best if force.get(seat) == "stand-firm"]
        if len(best) == 1 or len(firm) == 1:
            return (best if len(best) == 1 else firm)[0], [], 0
        if last and not any(self.deck[seat] for seat in best):
            return None, [], 0
        return None, best, 2

    def total(self, seat: str, able: list[str], powers: dict[str, int | None], force: dict[str, str]) -> int:
        power = powers[seat]
        if power is None:
            return 0
        others = [other for other in able if other != seat]
        swaps = list(force.values()).count("turncoat")
        if len(able) == 2 and swaps == 1 and powers[others[0]] is not None:
            power = powers[others[0]] or 0
        power *= 2 if force.get(seat) == "double-strike" else 1
        power += {"war-cry": 2, "berserk": 4, "stand-firm": 1}.get(force.get(seat, ""), 0)
        return max(0, power - 3 * sum(force.get(other) == "ambush" for other in others))
