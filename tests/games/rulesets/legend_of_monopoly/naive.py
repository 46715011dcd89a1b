"""A second, deliberately naive Legend of Monopoly, written from the rulebook and not from the ruleset.

It is a table with coins on it: everything is changed in place, nothing is judged, no event is refused.  It
shares no code with the ruleset and takes events and the first event as plain JSON objects.
"""

from __future__ import annotations

from typing import Any

Event = dict[str, Any]


class Plot:
    """A land card lying before somebody: `built` is 0 to 4 cottages, 5 for an inn, 6 for a brothel."""

    def __init__(self, owner: str) -> None:
        self.owner = owner
        self.built = 0
        self.pawned = False


class Game:
    """A game under way; `play` changes it."""

    def __init__(self, started: Event) -> None:
        self.options = started["options"]
        self.seats: list[str] = started["seats"]
        self.board: list[Event] = started["data"]["spaces"]
        self.cards = {card["id"]: card for deck in started["data"]["magic"].values() for card in deck}
        self.fresh = {name: {card["id"] for card in deck} for name, deck in started["data"]["magic"].items()}
        self.used: dict[str, list[str]] = {name: [] for name in self.fresh}
        self.purse = dict.fromkeys(self.seats, 1500)
        self.borrowed = dict.fromkeys(self.seats, 0)
        self.place = dict.fromkeys(self.seats, 0)
        self.bottles = dict.fromkeys(self.seats, 0)
        self.keeps: dict[str, list[str]] = {seat: [] for seat in self.seats}
        self.prison: dict[str, int] = {}
        self.plots: dict[int, Plot] = {}
        self.gone: list[str] = []
        self.first = self.turn = self.options["mother_confessor"]
        self.throwing = list(self.seats)
        self.thrown: dict[str, int] = {}
        self.doubles = 0
        self.in_a_row = dict.fromkeys(self.seats, 0)
        self.number = 1
        self.asking: tuple[str, str, int, int] | None = None
        self.unpaid: list[tuple[str, str, int]] = []
        self.waits_to_move = 0
        self.over = ""

    def play(self, event: Event) -> None:
        getattr(self, event["kind"])(event)
        self.look_round()

    # the end

    def alive(self) -> list[str]:
        return [seat for seat in self.seats if seat not in self.gone]

    def look_round(self) -> None:
        if not self.over and len(self.alive()) == 1:
            self.over = "last-player"
        every = sum(space["type"] == "land" for space in self.board)
        if not self.over and self.options["win"] == "fellowship" and len(self.plots) == every:
            self.over = "fellowship"

    def wealth(self, seat: str) -> int:
        if seat in self.gone:
            return 0
        total = self.purse[seat] - self.borrowed[seat]
        for pos, plot in self.plots.items():
            if plot.owner == seat:
                card = self.board[pos]
                total += card["price"] // 2 if plot.pawned else card["price"]
                if plot.built > 4:
                    total += card["inn"] + 4 * card["cottage"]
                elif plot.built:
                    total += plot.built * card["cottage"]
        return total

    def result(self) -> tuple[str, list[str]]:
        """Say how it ended, and who won."""
        if self.over != "rounds":
            return self.over, self.alive()
        most = max(map(self.wealth, self.alive()))
        best = [seat for seat in self.alive() if self.wealth(seat) == most]
        return ("wealthiest-after-rounds", best) if len(best) == 1 else ("draw", [])

    # money

    def bill(self, payer: str, *dues: tuple[str, int]) -> None:
        """Pay at once what can be paid in full, else write all of it down."""
        total = sum(amount for _, amount in dues)
        in_debt = any(who == payer for who, _, _ in self.unpaid)
        if self.purse[payer] >= total and not in_debt:
            for payee, amount in dues:
                self.hand(payer, payee, amount)
        else:
            self.unpaid += [(payer, payee, amount) for payee, amount in dues if amount]

    def hand(self, payer: str, payee: str, amount: int) -> None:
        self.purse[payer] -= amount
        if payee != "chest":
            self.purse[payee] += amount

    # throwing and moving

    def start_rolled(self, event: Event) -> None:
        self.thrown[event["player"]] = sum(event["dice"])
        if len(self.thrown) == len(self.throwing):
            top = max(self.thrown.values())
            self.throwing = [seat for seat in self.throwing if self.thrown[seat] == top]
            self.thrown = {}
            if len(self.throwing) == 1:
                self.first = self.turn = self.throwing[0]

    def dice_rolled(self, event: Event) -> None:
        self.asking = None
        seat, (one, two) = event["player"], event["dice"]
        if seat in self.prison:
            self.throw_below(seat, one, two)
            return
        if self.options["doubles"] == "no-extra":
            self.in_a_row[seat] = self.in_a_row[seat] + 1 if one == two else 0
            to_prison = self.in_a_row[seat] == 3
        else:
            self.doubles += one == two
            to_prison = one == two and self.doubles == 3
        if to_prison:
            self.imprison(seat)
        else:
            self.walk(seat, one + two)

    def throw_below(self, seat: str, one: int, two: int) -> None:
        self.prison[seat] += 1
        if one == two:
            del self.prison[seat]
            self.walk(seat, one + two)
        elif self.prison[seat] == 3:
            self.waits_to_move = one + two
            self.bill(seat, ("chest", 50))
            self.go_on()

    def go_on(self) -> None:
        if self.waits_to_move and not any(who == self.turn for who, _, _ in self.unpaid):
            steps, self.waits_to_move = self.waits_to_move, 0
            del self.prison[self.turn]
            self.walk(self.turn, steps)

    def imprison(self, seat: str) -> None:
        self.place[seat] = next(s["pos"] for s in self.board if s["type"] == "underworld")
        self.prison[seat] = 0
        self.in_a_row[seat] = 0

    def walk(self, seat: str, steps: int) -> None:
        for _ in range(steps):
            self.place[seat] = (self.place[seat] + 1) % 40
            if self.place[seat] == 0:
                self.purse[seat] += 200
        self.land_on(seat)

    def land_on(self, seat: str) -> None:
        space = self.board[self.place[seat]]
        plot = self.plots.get(space["pos"])
        if space["type"] == "tax":
            self.bill(seat, ("chest", 200))
        elif space["type"] == "go-to-underworld":
            self.imprison(seat)
        elif plot is not None and plot.owner != seat and not plot.pawned:
            self.asking = (plot.owner, seat, space["pos"], self.charge(space, plot))

    def charge(self, card: Event, plot: Plot) -> int:
        if plot.built > 4:
            return int(card["inn_charge"])
        if plot.built:
            return int(card["cottages"][plot.built - 1])
        part = [space["pos"] for space in self.board if space.get("part") == card["part"]]
        mine = [
            pos
            for pos in part
            if pos in self.plots and self.plots[pos].owner == plot.owner and not self.plots[pos].pawned
        ]
        if self.options["scale"] == "full-set-double" and card["cottage"] is not None:
            return int(card["unimproved"][0]) * (2 if len(mine) == len(part) else 1)
        return int(card["unimproved"][len(mine) - 1])

    # lands

    def land_bought(self, event: Event) -> None:
        self.hand(event["player"], "chest", self.board[event["land"]]["price"])
        self.plots[event["land"]] = Plot(event["player"])

    def land_declined(self, event: Event) -> None:
        pass

    auction_opened = bid_placed = magic_declined = land_declined

    def auction_closed(self, event: Event) -> None:
        if "winner" in event:
            self.hand(event["winner"], "chest", event["amount"])
            self.plots[event["land"]] = Plot(event["winner"])

    def charge_claimed(self, event: Event) -> None:
        assert self.asking is not None
        owner, visitor, _, amount = self.asking
        self.asking = None
        self.bill(visitor, (owner, amount))

    def cottage_built(self, event: Event) -> None:
        self.hand(event["player"], "chest", self.board[event["land"]]["cottage"])
        self.plots[event["land"]].built += 1

    def cottage_sold(self, event: Event) -> None:
        self.purse[event["player"]] += self.board[event["land"]]["cottage"] // 2
        self.plots[event["land"]].built -= 1

    def inn_built(self, event: Event) -> None:
        self.hand(event["player"], "chest", self.board[event["land"]]["inn"])
        self.plots[event["land"]].built = 5

    def inn_sold(self, event: Event) -> None:
        card, plot = self.board[event["land"]], self.plots[event["land"]]
        self.purse[event["player"]] += card["inn"] // 2
        plot.built = 4
        standing = sum(other.built for other in self.plots.values() if other.built <= 4)
        if self.options["stock"] and standing > self.options["stock"]["cottages"]:
            self.purse[event["player"]] += 4 * (card["cottage"] // 2)
            plot.built = 0

    def brothel_built(self, event: Event) -> None:
        card, plot = self.board[event["land"]], self.plots[event["land"]]
        self.hand(event["player"], "chest", card["inn"] + (4 - plot.built) * card["cottage"])
        plot.built = 6

    def brothel_sold(self, event: Event) -> None:
        card = self.board[event["land"]]
        self.purse[event["player"]] += card["inn"] // 2 + 4 * (card["cottage"] // 2)
        self.plots[event["land"]].built = 0

    def land_indebted(self, event: Event) -> None:
        self.purse[event["player"]] += self.board[event["land"]]["price"] // 2
        self.plots[event["land"]].pawned = True
        if self.asking and self.asking[2] == event["land"]:
            self.asking = None

    def land_redeemed(self, event: Event) -> None:
        price = self.board[event["land"]]["price"]
        self.hand(event["player"], "chest", price // 2 + price // 10)
        self.plots[event["land"]].pawned = False

    # magic

    def magic_drawn(self, event: Event) -> None:
        name, seat, card = event["deck"], event["player"], self.cards[event["card"]]
        if self.fresh[name]:
            self.fresh[name].remove(card["id"])
        else:
            assert self.used[name].pop(0) == card["id"], "cards come again in the order in which they went"
        if card["effect"] == "keep-return":
            self.keeps[seat].append(card["id"])
            return
        self.used[name].append(card["id"])
        getattr(self, card["effect"].replace("-", "_"))(seat, card.get("value"))

    def put_back(self, card: str) -> None:
        self.used["additive" if card.startswith("add") else "subtractive"].append(card)

    def others(self, seat: str) -> list[str]:
        at = self.seats.index(seat)
        around = self.seats[at + 1 :] + self.seats[:at]
        return [other for other in around if other in self.alive()]

    def collect(self, seat: str, value: int) -> None:
        self.purse[seat] += value

    def pay(self, seat: str, value: int) -> None:
        self.bill(seat, ("chest", value))

    def collect_from_each(self, seat: str, value: int) -> None:
        for other in self.others(seat):
            self.bill(other, (seat, value))

    def pay_each(self, seat: str, value: int) -> None:
        self.bill(seat, *((other, value) for other in self.others(seat)))

    def repairs(self, seat: str, value: list[int]) -> None:
        own = [plot.built for plot in self.plots.values() if plot.owner == seat]
        total = sum(value[1] if built > 4 else built * value[0] for built in own)
        self.bill(seat, ("chest", total))

    def advance(self, seat: str, value: int) -> None:
        self.walk(seat, (value - self.place[seat] - 1) % 40 + 1)

    def move(self, seat: str, value: int) -> None:
        assert value < 0
        self.place[seat] = (self.place[seat] + value) % 40
        self.land_on(seat)

    def underworld(self, seat: str, _value: None) -> None:
        self.imprison(seat)

    # the Underworld

    def shadow_water_taken(self, event: Event) -> None:
        self.bottles[event["player"]] += 1

    def shadow_water_used(self, event: Event) -> None:
        self.bottles[event["player"]] -= 1
        del self.prison[event["player"]]

    def fine_paid(self, event: Event) -> None:
        self.hand(event["player"], "chest", 50)
        del self.prison[event["player"]]

    def return_card_used(self, event: Event) -> None:
        self.keeps[event["player"]].remove(event["card"])
        self.put_back(event["card"])
        del self.prison[event["player"]]

    # deals, loans, debts

    def deal_made(self, event: Event) -> None:
        for goods, giver, taker in (
            (event["give"], event["from"], event["to"]),
            (event["get"], event["to"], event["from"]),
        ):
            self.hand(giver, taker, goods["rahl"])
            for pos in goods["lands"]:
                assert self.plots[pos].owner == giver
                self.plots[pos].owner = taker
            for card in goods["cards"]:
                self.keeps[giver].remove(card)
                self.keeps[taker].append(card)

    def loan_granted(self, event: Event) -> None:
        self.purse[event["player"]] += event["amount"]
        self.borrowed[event["player"]] += event["amount"]

    def loan_repaid(self, event: Event) -> None:
        self.purse[event["player"]] -= event["amount"]
        self.borrowed[event["player"]] -= event["amount"]

    def debt_settled(self, event: Event) -> None:
        mine = [debt for debt in self.unpaid if debt[0] == event["player"]]
        self.unpaid = [debt for debt in self.unpaid if debt[0] != event["player"]]
        for payer, payee, amount in mine:
            self.hand(payer, payee, amount)
        if event["player"] == self.turn:
            self.go_on()

    def battle_lost(self, event: Event) -> None:
        loser = event["player"]
        self.sell_all(loser)
        heir = "chest"
        for creditor in [*self.others(loser), "chest"]:
            due = sum(a for who, to, a in self.unpaid if (who, to) == (loser, creditor))
            paid = min(due, self.purse[loser])
            self.hand(loser, creditor, paid)
            if paid < due and heir == "chest":
                heir = creditor
        self.leave(loser, heir)

    def sell_all(self, loser: str) -> None:
        for pos, plot in self.plots.items():
            card = self.board[pos]
            if plot.owner == loser and plot.built:
                inn = card["inn"] // 2 if plot.built > 4 else 0
                self.purse[loser] += inn + min(plot.built, 4) * (card["cottage"] // 2)
                plot.built = 0

    def player_resigned(self, event: Event) -> None:
        self.leave(event["player"], "chest")

    def leave(self, loser: str, heir: str) -> None:
        following = self.next_seat(loser)
        self.hand(loser, heir, self.purse[loser])
        for pos, plot in list(self.plots.items()):
            if plot.owner == loser and heir == "chest":
                del self.plots[pos]
            elif plot.owner == loser:
                plot.owner = heir
        for card in self.keeps.pop(loser):
            self.put_back(card) if heir == "chest" else self.keeps[heir].append(card)
        owed = [(who, heir if to == loser else to, a) for who, to, a in self.unpaid if who != loser]
        self.unpaid = [(who, to, a) for who, to, a in owed if who != to]
        if self.asking and loser in self.asking[:2]:
            self.asking = None
        self.gone.append(loser)
        self.prison.pop(loser, None)
        if loser == self.turn:
            self.begin(loser, following)

    def turn_ended(self, event: Event) -> None:
        self.begin(event["player"], self.next_seat(event["player"]))

    def next_seat(self, seat: str) -> str:
        """Give who sits next to the left and still plays; oneself where nobody else does."""
        at = self.seats.index(seat)
        around = self.seats[at + 1 :] + self.seats[: at + 1]
        return next((other for other in around if other not in self.gone), seat)

    def begin(self, last: str, seat: str) -> None:
        """Begin a turn; a new round begins where the first player's chair is reached or passed."""
        self.doubles = self.waits_to_move = 0
        count, start = len(self.seats), self.seats.index(self.first)
        before, now = ((self.seats.index(who) - start) % count for who in (last, seat))
        self.number += now <= before
        rounds = self.options["rounds"]
        if rounds is not None and self.number > rounds and len(self.alive()) > 1:
            self.over = "rounds"
        self.turn = seat
