"""A naive second Monstropoly Battle, from the rulebook alone: real piles of real cards, one long script.

It knows nothing of unknown cards, offers or refusals.  Two players who choose by chance sit at a table with
a shuffled deck; whatever they do is said as the plain JSON of an event, with the sizes of the piles after it.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations
from random import Random
from typing import Any

Said = tuple[dict[str, Any], dict[str, int]]


class Table:
    def __init__(self, options: dict[str, Any], cards: list[dict[str, Any]], rng: Random) -> None:
        self.options, self.rng = options, rng
        self.card = {card["id"]: card for card in cards}
        self.deck = rng.sample(sorted(self.card), len(cards))
        self.hand: dict[str, list[str]] = {"p1": [], "p2": []}
        self.won = {"p1": 0, "p2": 0}
        self.team: dict[str, list[tuple[str, list[str]]]] = {"p1": [], "p2": []}
        self.points = {"p1": 0, "p2": 0}
        self.spent = 0
        self.loser = ""
        self.result: tuple[str, list[str]] = ("", [])

    # --- the whole game as a script ---

    def play(self) -> Iterator[Said]:
        for who in ("p1", "p2"):
            self.hand[who] = [self.deck.pop(0) for _ in range(4)]
            yield self.said("hand_dealt", player=who, cards=list(self.hand[who]))
        while self.deck:
            yield from self.round()
        yield from self.declare()
        if not self.team["p1"] or not self.team["p2"]:
            self.finish()
            return
        fighting: dict[str, list[int]] = {}
        yield from self.select(fighting)
        yield from self.shuffle(fighting)
        while fighting["p1"]:
            yield from self.battle(fighting)
        self.finish()

    def said(self, kind: str, **fields: Any) -> Said:
        sizes = {f"hand.{who}": len(cards) for who, cards in self.hand.items()}
        sizes |= {f"wins.{who}": won for who, won in self.won.items()}
        sizes |= {f"points.{who}": points for who, points in self.points.items()}
        return {"kind": kind, **fields}, {**sizes, "deck": len(self.deck), "spent": self.spent}

    def finish(self) -> None:
        with_team = [who for who in ("p1", "p2") if self.team[who]]
        one, two = self.points["p1"], self.points["p2"]
        if len(with_team) == 1:
            self.result = ("automatic-loss", with_team)
        elif one == two:
            self.result = ("draw", [])
        else:
            self.result = ("most-points", ["p1" if one > two else "p2"])

    # --- phase one ---

    def full_force(self, own: str, giver: str) -> int:
        return int(self.card[own]["strike"] + self.card[giver]["values"][self.card[own]["weapon"]])

    def round(self) -> Iterator[Said]:
        while True:
            one, two = (self.rng.choice(self.hand[who]) for who in ("p1", "p2"))
            for who, card in (("p1", one), ("p2", two)):
                if self.rng.random() < 0.1:
                    self.hand[who].remove(card)
                    yield self.said("card_committed", player=who, card=card)
            self.hand = {
                who: [card for card in held if card not in (one, two)] for who, held in self.hand.items()
            }
            yield self.said("cards_revealed", cards={"p1": one, "p2": two})
            aside: list[str] = []
            winner = ""
            difference = self.full_force(one, two) - self.full_force(two, one)
            if difference == 0:
                told: list[str] = []
                yield from self.tie(one, two, aside, told)
                winner = told[0]
            else:
                winner = "p1" if difference > 0 else "p2"
            if winner != "nobody":
                break
        yield from self.spoils(winner, {"p1": one, "p2": two}, aside)

    def tie(self, one: str, two: str, aside: list[str], told: list[str]) -> Iterator[Said]:
        """Say what happens until somebody has won; `told` then holds who."""
        first = True
        while True:
            third = self.deck.pop(0)
            aside.append(third)
            a, b = self.full_force(one, third), self.full_force(two, third)
            if self.options["tie_card"] == "adds":
                a += self.card[two]["values"][self.card[one]["weapon"]]
                b += self.card[one]["values"][self.card[two]["weapon"]]
            if a == b and first:
                a, b = self.card[one]["strike"], self.card[two]["strike"]
                if a == b:
                    a, b = (sum(self.card[card]["values"].values()) for card in (one, two))
            first = False
            if a == b and self.options["dead_tie"] == "take-back":
                self.hand["p1"].append(one)
                self.hand["p2"].append(two)
                self.deck += aside
                aside.clear()
                told.append("nobody")
                yield self.said("tie_card_drawn", card=third)
                return
            if a != b or (self.options["dead_tie"] == "redraw" and self.deck):
                if a != b:
                    told.append("p1" if a > b else "p2")
                    self.back_if_last(aside)
                yield self.said("tie_card_drawn", card=third)
                if told:
                    return
                continue
            yield self.said("tie_card_drawn", card=third)
            told.append(self.rng.choice(["p1", "p2"]))
            self.back_if_last(aside)
            yield self.said("lot_drawn", winner=told[0])
            return

    def back_if_last(self, aside: list[str]) -> None:
        if not self.deck:
            self.deck += aside
            aside.clear()

    def spoils(self, winner: str, played: dict[str, str], aside: list[str]) -> Iterator[Said]:
        loser = "p2" if winner == "p1" else "p1"
        top = self.deck.pop(0)
        yield self.said("top_card_taken", player=winner, card=top)
        three = {"own": played[winner], "opponent": played[loser], "drawn": top}
        gives = self.rng.choice(sorted(three))
        self.hand[loser].append(three.pop(gives))
        self.hand[winner] += three.values()
        self.deck += aside
        self.won[winner] += 1
        self.loser = loser
        yield self.said("spoils_split", player=winner, gives=gives)

    # --- phase two ---

    def declare(self) -> Iterator[Said]:
        order = ["p1", "p2"]
        self.rng.shuffle(order)
        for who in order:
            teams = self.most(self.hand[who])
            if self.options["declare"] == "any" and self.rng.random() < 0.2:
                teams = teams[1:]
            for _, cards in teams:
                for card in cards:
                    self.hand[who].remove(card)
            self.team[who] = teams
            if who == order[1]:
                self.points = {
                    player: 10 * len(self.team[player]) + len(self.hand[player]) for player in ("p1", "p2")
                }
            declared = [{"kind": kind, "cards": cards} for kind, cards in teams]
            yield self.said("teams_declared", player=who, teams=declared)

    def most(self, hand: list[str]) -> list[tuple[str, list[str]]]:
        """Try every order of filling teams up with wild cards, with and without each LORDI; keep the best."""
        best = self.filled(hand)
        for lineup in self.spellings(hand):
            teams = [*self.filled([card for card in hand if card not in lineup]), ("LORDI", lineup)]
            if len(teams) > len(best) or (len(teams) == len(best) and self.rng.random() < 0.5):
                best = teams
        return best

    def spellings(self, hand: list[str]) -> list[list[str]]:
        rows: list[list[str]] = [[]]
        for letter in "LORDI":
            rows = [[*row, card] for row in rows for card in hand if self.card[card]["letter"] == letter]
        return rows

    def filled(self, hand: list[str]) -> list[tuple[str, list[str]]]:
        names = sorted({self.card[card]["team"] for card in hand if self.card[card]["team"]})
        own = {name: [card for card in hand if self.card[card]["team"] == name] for name in names}
        wild = [card for card in hand if not self.card[card]["team"]]
        whole = [name for name in names if len(own[name]) == 5]
        near = [name for name in names if 5 - len(own[name]) <= len(wild) and name not in whole]
        best: list[tuple[str, list[str]]] = []
        for order in permutations(near, min(len(near), 4)):
            left, teams = list(wild), [(name, list(own[name])) for name in whole]
            for name in order:
                lacking = 5 - len(own[name])
                if lacking <= len(left):
                    teams.append((name, own[name] + left[:lacking]))
                    left = left[lacking:]
            if len(teams) >= len(best):
                best = teams
        return best

    def select(self, fighting: dict[str, list[int]]) -> Iterator[Said]:
        battles = min(len(teams) for teams in self.team.values())
        for who, teams in self.team.items():
            fighting[who] = sorted(self.rng.sample(range(len(teams)), battles))
            if len(teams) > battles:
                yield self.said("teams_selected", player=who, teams=fighting[who])

    def shuffle(self, fighting: dict[str, list[int]]) -> Iterator[Said]:
        for who, teams in self.team.items():
            self.deck += self.hand[who]
            self.hand[who] = []
            for number, (_, cards) in enumerate(teams):
                if number not in fighting[who]:
                    self.deck += cards
        self.rng.shuffle(self.deck)
        yield self.said("deck_shuffled", count=len(self.deck))

    def battle(self, fighting: dict[str, list[int]]) -> Iterator[Said]:
        fielded: dict[str, int] = {}
        order = ["p1", "p2"]
        self.rng.shuffle(order)
        for who in order:
            fielded[who] = fighting[who].pop(self.rng.randrange(len(fighting[who])))
            yield self.said("team_fielded", player=who, team=fielded[who])
        leads = min(order, key=lambda who: self.points[who])
        if self.points["p1"] == self.points["p2"]:
            leads = self.loser
        for who in ("p1", "p2"):
            kind, cards = self.team[who][fielded[who]]
            if kind == "LORDI" and self.rng.random() < 0.7:
                other = "p2" if who == "p1" else "p1"
                self.points[who] += self.options["lordi_win"]
                self.loser = other
                yield self.said("lineup_shown", player=who, cards=cards, other_team=fielded[other])
                return
        hands = {who: list(self.team[who][fielded[who]][1]) for who in ("p1", "p2")}
        for _ in range(5):
            told: list[str] = []
            yield from self.pair(leads, hands, told)
            leads = told[0]

    def pair(self, leads: str, hands: dict[str, list[str]], told: list[str]) -> Iterator[Said]:
        answers = "p2" if leads == "p1" else "p1"
        led = hands[leads].pop(self.rng.randrange(len(hands[leads])))
        yield self.said("card_led", player=leads, card=led)
        answer = hands[answers].pop(self.rng.randrange(len(hands[answers])))
        yield self.said("card_answered", player=answers, card=answer)
        turned: list[str] = []
        while True:
            third = self.deck.pop(0)
            turned.append(third)
            a, b = self.full_force(led, third), self.full_force(answer, third)
            if a == b and self.options["phase2_tie"] == "redraw" and self.deck:
                yield self.said("weapon_card_drawn", card=third)
                continue
            break
        if self.options["phase2_tie"] == "same-leads":
            if a == b:
                a, b = self.card[led]["strike"], self.card[answer]["strike"]
            if a == b:
                a, b = (sum(self.card[card]["values"].values()) for card in (led, answer))
        self.deck += turned
        self.spent += 2
        if a != b:
            winner, self.loser = (leads, answers) if a > b else (answers, leads)
            self.points[winner] += 5
            told.append(self.loser)
        else:
            told.append(answers if self.options["phase2_tie"] == "split" else leads)
        yield self.said("weapon_card_drawn", card=third)
