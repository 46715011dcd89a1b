"""A second, deliberately naive Monsters Forever, written from the rulebook and not from the ruleset.

It keeps a log and works everything out of it again and again: what is left of a turn from what was done in
it, repetition from all that a team ever did.  It shares no code and no data with the ruleset.  Events are
plain JSON objects.
"""

from __future__ import annotations

from copy import deepcopy
from typing import Any

TEAMS = "ABCDEF"
IN_SECTOR = ("13", "23", "34", "25", "47", "56", "67", "68")


def edges() -> set[frozenset[str]]:
    """Give the 60 pairs of triangles with a common edge, from the two sentences that describe the star."""
    found = {frozenset((f"{team}{pair[0]}", f"{team}{pair[1]}")) for team in TEAMS for pair in IN_SECTOR}
    for place, team in enumerate(TEAMS):
        after = TEAMS[(place + 1) % 6]
        found |= {frozenset((f"{team}7", f"{after}5")), frozenset((f"{team}8", f"{after}8"))}
    return found


EDGES = edges()
CELLS = [f"{team}{number}" for team in TEAMS for number in range(1, 9)]
BESIDE = {cell: [other for other in CELLS if frozenset((cell, other)) in EDGES] for cell in CELLS}

Action = dict[str, Any]


class Game:
    """A game under way; `play` changes it, `after` gives a changed copy."""

    def __init__(self, options: dict[str, Any]) -> None:
        self.options = options
        self.lead: dict[str, str] = options["teams"]
        self.seats = sorted(set(self.lead.values()))
        self.board = {f"{team}{number}": f"{team}{number}" for team in TEAMS for number in (1, 2, 3, 4, 6, 8)}
        self.pantry = dict.fromkeys(TEAMS, 0)
        self.eaten = 0
        self.gone = 0
        self.round = 1
        self.over = False
        self.attacked: str | None = None
        self.turns_done = dict.fromkeys(TEAMS, 0)
        self.thaws_at: dict[str, int] = {}
        self.moves: dict[str, list[tuple[str, str, str]]] = {team: [] for team in TEAMS}
        self.attacks: dict[str, list[tuple[str, str, int]]] = {team: [] for team in TEAMS}
        self.begin("A")

    def begin(self, team: str) -> None:
        self.team = team
        self.done: list[tuple[str, int]] = []
        self.last_moved: str | None = None
        self.forfeited = not self.steps()

    # what is so

    def free(self, cell: str) -> list[str]:
        return [other for other in BESIDE[cell] if other not in self.board]

    def frozen(self, piece: str) -> bool:
        return self.turns_done[piece[0]] < self.thaws_at.get(piece, 0)

    def living(self) -> list[str]:
        return [team for team in TEAMS if f"{team}1" in self.board.values()]

    def still_in(self) -> list[str]:
        return [seat for seat in self.seats if any(self.lead[team] == seat for team in self.living())]

    def steps(self) -> list[tuple[str, str]]:
        return [
            (cell, to)
            for cell, piece in self.board.items()
            if piece[0] == self.team and not self.frozen(piece)
            for to in self.free(cell)
        ]

    def left(self) -> tuple[int, int, int]:
        """Move, attack, extras left, from what was done in this turn."""
        move, attack, extra = int(not self.forfeited), 1, 0
        for what, count in self.done:
            if what == "pantry":
                extra += count
            elif what == "move" and move:
                move = 0
            elif what == "attack" and attack and not (move and extra):
                attack = 0
            else:
                extra -= 1
        return move, attack, extra

    # what may come

    def legal(self) -> list[Action]:
        if self.over:
            return []
        if self.attacked is not None:
            return list(self.answers(self.attacked))
        return [
            *self.turn(),
            *(
                {"kind": "player_resigned", "player": seat}
                for seat in self.still_in()
                if len(self.seats) in {3, 6}
            ),
        ]

    def answers(self, cell: str) -> list[Action]:
        team = self.board[cell][0]
        found = [
            {"kind": "creature_retreated", "team": team, "from": cell, "to": to} for to in self.free(cell)
        ]
        if self.options["retreat"] != "must":
            found.append({"kind": "retreat_declined", "team": team, "cell": cell})
        return found

    def turn(self) -> list[Action]:
        move, attack, extra = self.left()
        steps = self.steps()
        found: list[Action] = []
        if move or extra:
            found += [
                {"kind": "creature_moved", "team": self.team, "from": cell, "to": to} for cell, to in steps
            ]
        may_use_ordinary = attack and (not move or not steps)
        if extra or may_use_ordinary:
            found += [
                {"kind": "creature_attacked", "team": self.team, "from": cell, "target": target}
                for cell, target in self.blows()
            ]
        if not any(what == "pantry" for what, _ in self.done):
            found += [
                {"kind": "pantry_opened", "team": self.team, "count": count}
                for count in range(1, self.pantry[self.team] + 1)
            ]
        if not move or not steps:
            found.append({"kind": "turn_ended", "team": self.team})
        return found

    def blows(self) -> list[tuple[str, str]]:
        strikers = [
            cell
            for cell, piece in self.board.items()
            if piece[0] == self.team
            and not self.frozen(piece)
            and (self.options["attacker"] == "any" or piece == self.last_moved)
        ]
        return [
            (cell, target)
            for cell in strikers
            for target in BESIDE[cell]
            if target in self.board and self.lead[self.board[target][0]] != self.lead[self.team]
        ]

    # what happens

    def after(self, event: Action) -> Game:
        game = deepcopy(self)
        game.play(event)
        return game

    def play(self, event: Action) -> None:
        getattr(self, event["kind"])(event)

    def creature_moved(self, event: Action) -> None:
        self.done.append(("move", 1))
        self.last_moved = self.board[event["from"]]
        self.repeat_move(event["from"], event["to"])
        self.put(event["from"], event["to"])

    def creature_attacked(self, event: Action) -> None:
        self.done.append(("attack", 1))
        self.repeat_attack(self.board[event["from"]], self.board[event["target"]])
        self.struck(event["target"])

    def creature_retreated(self, event: Action) -> None:
        self.attacked = None
        self.put(event["from"], event["to"])

    def retreat_declined(self, event: Action) -> None:
        self.attacked = None
        if self.options["retreat"] == "decline-is-capture":
            self.capture(event["cell"])

    def pantry_opened(self, event: Action) -> None:
        self.done.append(("pantry", event["count"]))
        if self.options["pantry_use"] == "eaten":
            self.pantry[self.team] -= event["count"]
            self.eaten += event["count"]

    def turn_ended(self, _event: Action) -> None:
        self.turns_done[self.team] += 1
        self.pass_on()

    def player_resigned(self, event: Action) -> None:
        for team in self.living():
            if self.lead[team] == event["player"]:
                self.gone += self.pantry[team] + self.sweep(team)
                self.pantry[team] = 0
        self.look_round()

    def put(self, cell: str, to: str) -> None:
        piece = self.board[to] = self.board.pop(cell)
        owner = to[0]
        if (
            to[1] == "1"
            and piece[1] != "1"
            and owner in self.living()
            and self.lead[owner] != self.lead[piece[0]]
        ):
            self.pantry[piece[0]] += self.sweep(owner) + self.pantry[owner]
            self.pantry[owner] = 0
            self.look_round()

    def struck(self, cell: str) -> None:
        if self.free(cell):
            self.attacked = cell
        elif self.options["surround"] == "any" or all(
            self.board[other][0] != self.board[cell][0] for other in BESIDE[cell]
        ):
            self.capture(cell)

    def capture(self, cell: str) -> None:
        piece = self.board[cell]
        if piece[1] == "1":
            self.gone += self.pantry[piece[0]]
            self.pantry[piece[0]] = 0
            self.pantry[self.team] += self.sweep(piece[0])
            self.look_round()
        else:
            del self.board[cell]
            self.pantry[self.team] += 1

    def sweep(self, team: str) -> int:
        """Take a team off the board; count its pieces."""
        cells = [cell for cell, piece in self.board.items() if piece[0] == team]
        for cell in cells:
            del self.board[cell]
        return len(cells)

    def look_round(self) -> None:
        if len(self.still_in()) == 1:
            self.over = True
        elif self.team not in self.living():
            self.pass_on()

    def pass_on(self) -> None:
        team, number = self.team, self.round
        while True:
            if team == "F":
                number += 1
            team = TEAMS[(TEAMS.index(team) + 1) % 6]
            if team in self.living():
                break
        limit = self.options["max_rounds"]
        if limit is not None and number > limit:
            self.over = True
            return
        self.round = number
        self.begin(team)

    def repeat_move(self, cell: str, to: str) -> None:
        piece = self.board[cell]
        made = self.moves[self.team]
        made.append((piece, cell, to))
        count = 0
        for other, start, end in reversed(made):
            if start == "thaw":
                if other == piece:
                    break
                continue
            same = (start, end) == (cell, to)
            if self.options["repeat"] == "unordered":
                same = {start, end} == {cell, to}
            if other != piece or not same:
                break
            count += 1
        self.freeze_at_third(piece, count)

    def repeat_attack(self, piece: str, target: str) -> None:
        made = self.attacks[self.team]
        now = self.turns_done[self.team]
        made.append((piece, target, now))
        count, before = 0, now
        for other, aim, when in reversed(made):
            if aim == "thaw":
                if other == piece:
                    break
                continue
            if other != piece or aim != target or before - when > 1:
                break
            count, before = count + 1, when
        self.freeze_at_third(piece, count)

    def freeze_at_third(self, piece: str, count: int) -> None:
        if count == 3 and self.options["repeat"] != "off":
            self.thaws_at[piece] = self.turns_done[self.team] + 2
            self.moves[self.team].append((piece, "thaw", "thaw"))
            self.attacks[self.team].append((piece, "thaw", 0))


def count_sequences(game: Game, depth: int) -> int:
    """Count the different sequences of so many legal events."""
    if depth == 0:
        return 1
    return sum(count_sequences(game.after(event), depth - 1) for event in game.legal())
