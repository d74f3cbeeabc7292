"""A game in progress, and how a policy plays one.

A `Game` never changes: throwing and scoring return the next one, `undo` the one before.

    throw(dice, held)     the dice that are not held are thrown, and show `dice`
    score(category)       the dice are written into an open category, and the next turn begins

Dice keep their places on the table: what is held stays where it lies.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

import numpy as np

from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.evaluate.simulate import check_games
from yatzy.game.aim import Aim
from yatzy.game.log import Dice, GameLog, TurnLog, open_boxes, rerolls_of, why_closed
from yatzy.game.throws import DiceSource, SeededDice
from yatzy.policy.base import Checked, Policy, by_level
from yatzy.rules import Ruleset, State, format_dice, parse_dice
from yatzy.turn.outcomes import outcomes

Held = tuple[bool, ...]


@dataclass(frozen=True)
class Game:
    """Finished turns, and the turn under way: its rolls, and which dice (by place) were held between them.

    `aim` is what the player plays for; None is the mean.
    """

    rules: Ruleset
    turns: tuple[TurnLog, ...] = ()
    rolls: tuple[Dice, ...] = ()
    held: tuple[Held, ...] = ()
    before: "Game | None" = None
    aim: Aim | None = None

    @cached_property
    def card(self) -> GameLog:
        """The finished turns as a log."""
        return GameLog(self.rules, self.turns)

    @property
    def state(self) -> State:
        """The state at the start of the turn under way."""
        return self.card.states[-1]

    @property
    def dice(self) -> Dice:
        """What lies on the table; nothing before the first throw of a turn."""
        return self.rolls[-1] if self.rolls else ()

    @property
    def rerolls(self) -> int:
        """Rerolls left with the dice on the table, saved throws included."""
        return rerolls_of(self.rules, self.state) + 1 - len(self.rolls)

    @property
    def is_finished(self) -> bool:
        return self.card.is_finished

    def is_open(self, category_id: int) -> bool:
        """Whether the box may be filled in this turn: with the dice on the table, once there are any."""
        if self.dice:
            return category_id in self._open
        return not self.rules.closed(self.state.filled) >> category_id & 1

    def points(self, category_id: int) -> int:
        """What the dice on the table would bring there, points beside the box included."""
        return int(outcomes(self.rules).points[self._open[category_id]])

    def extra(self, category_id: int) -> int:
        """The part of these points that is not written into the box."""
        return int(outcomes(self.rules).extra[self._open[category_id]])

    @property
    def is_joker(self) -> bool:
        """Whether the dice on the table are scored otherwise than they would be on an empty card."""
        if not self.rules.special or not self.dice:
            return False
        usual = open_boxes(self.rules, State(), self.dice)
        boxes = (self.state.filled & self.rules.all_filled).bit_count()
        return len(self._open) < self.rules.n_categories - boxes or not self._open.items() <= usual.items()

    @cached_property
    def _open(self) -> dict[int, int]:
        return open_boxes(self.rules, self.state, self.dice)

    def throw(self, dice: Dice, held: Held = ()) -> "Game":
        """The dice that are not held show `dice`, place by place; the first throw of a turn is of all dice.

        Holding all dice is a pass: it uses up a reroll and nothing moves.
        """
        if self.is_finished:
            raise YatzyError("dice: the game is finished, there is nothing to throw for")
        if not self.rolls:
            return self._next(rolls=(_check_dice(self.rules, dice, self.rules.dice),))
        if not self.rerolls:
            raise YatzyError("rerolls: none are left; score the dice in an open category")
        if len(held) != self.rules.dice:
            raise YatzyError(f"held: says of {len(held)} dice whether they stay; there are {self.rules.dice}")
        thrown = iter(_check_dice(self.rules, dice, held.count(False)))
        roll = tuple(die if stays else next(thrown) for die, stays in zip(self.dice, held, strict=True))
        return self._next(rolls=(*self.rolls, roll), held=(*self.held, tuple(held)))

    def score(self, category_id: int) -> "Game":
        """Write the dice into an open category."""
        if not self.rolls:
            raise YatzyError("dice: nothing is thrown yet; throw before you score")
        if not self.is_open(category_id):
            raise YatzyError(why_closed(self.rules, self.state, self.dice, category_id))
        throws = list(zip(self.held, self.rolls, self.rolls[1:], strict=False))
        while throws and all(throws[-1][0]) and not self.rules.saves_throws:
            throws.pop()  # passing and then scoring is just scoring, unless it costs a throw that could be saved
        keeps = [_split(roll, held)[0] for held, roll, _ in throws]
        # A log lists held dice first, then the thrown ones in order, so that a replay knows what was thrown.
        after = [sum(_split(roll, held), ()) for held, _, roll in throws]
        goals = (self.aim,) * (1 + len(after)) if self.aim else ()
        turn = TurnLog((self.rolls[0], *after), tuple(keeps), category_id, goals)
        return self._next(turns=(*self.turns, turn), rolls=(), held=())

    def undo(self) -> "Game":
        """The game before the last throw or score."""
        if self.before is None:
            raise YatzyError("undo: this is the start, there is nothing to take back")
        return self.before

    def log(self, dice: DiceSource | None = None, player: str | None = None, date: str | None = None) -> GameLog:
        """The finished turns; with seeded dice, the log includes the seed."""
        seeded = dice if isinstance(dice, SeededDice) else None
        return replace(
            self.card,
            player=player,
            date=date,
            seed=seeded.seed if seeded else None,
            game=seeded.game if seeded else None,
        )

    def _next(self, **changes: Any) -> "Game":
        return replace(self, before=self, **changes)


def _check_dice(rules: Ruleset, dice: Dice, n: int) -> Dice:
    parse_dice(rules, dice, at_most=True)
    if len(dice) != n:
        raise YatzyError(f"dice: {format_dice(dice)!r} has {len(dice)} dice; exactly {n} are thrown")
    return tuple(dice)


def _split(roll: Dice, held: Held) -> tuple[Dice, Dice]:
    """The dice in the places that are held, and the others."""
    places = list(zip(roll, held, strict=True))
    return tuple(die for die, stays in places if stays), tuple(die for die, stays in places if not stays)


def play_game(policy: Policy, dice: DiceSource, turns: int | None = None) -> Game:
    """A game played by a policy: this many turns, or all."""
    rules = policy.rules
    ids = lattice(rules.dice, rules.faces)
    game = Game(rules)
    for turn in range(rules.n_categories if turns is None else turns):
        decisions = policy.decide(np.array([game.state.filled]), np.array([game.state.upper]))
        game = game.throw(dice.throw(turn, 0, rules.dice))
        while game.rerolls:
            keep_id = int(decisions.keep[0, game.rerolls - 1, ids.id_of(game.dice)])
            if rules.saves_throws and keep_id == ids.id_of(game.dice):
                break
            held = hold_faces(game.dice, ids.keeps[keep_id])
            game = game.throw(dice.throw(turn, len(game.rolls), held.count(False)), held)
        category = by_level(decisions.category)[0, game.rerolls if rules.saves_throws else 0]
        game = game.score(int(category[ids.id_of(game.dice)]))
    return game


def hold_faces(dice: Dice, keep: Dice) -> Held:
    """The first places that show the faces of the keep."""
    left = list(keep)
    held = []
    for die in dice:
        held.append(die in left)
        if held[-1]:
            left.remove(die)
    return tuple(held)


def play_logs(policy: Policy, games: int, seed: int = 0, first: int = 0) -> Iterator[GameLog]:
    """Games number `first` to `first + games` of a seed as logs: the games that `simulate` plays."""
    check_games(games, seed)
    asked = Checked(policy)
    for number in range(first, first + games):
        dice = SeededDice(policy.rules, seed, number)
        yield play_game(asked, dice).log(dice, player=policy.name)
