"""The solution seen up close: its first turn, a game solved by hand, float32, and the value usually cited.

*The first turn.* With V the value of the states after the turn, r a roll, K a keep and n rerolls left,

    roll(r, 0) = max over c of  points(r, c) + V({c}, lift(r, c))
    keep(K, n) = 1/faces * sum over faces f of keep(K + f, n),      keep(r, n) = roll(r, n - 1) for all dice
    roll(r, n) = max over keeps K inside r of keep(K, n)

Ids of rolls and keeps are those of the die lattice: most dice first, in lexicographic order of their sorted faces.

*The smallest Yatzy worth solving by hand.* Two dice, thrown once a turn, and two boxes, Pair and Chance:

    V(one box open)  = mean points of a throw in that box
    V(both open)     = mean over throws of max(points in Pair + V(Chance open), points in Chance + V(Pair open))

*float32.* With V64 and V32 the tables solved in either precision,

    error(s)  = |V32(s) - V64(s)|
    regret(s) = what one turn from s loses, under V64, if it is played by V32.

A state errs if its regret exceeds rounding: in some situation float32 then prefers an action that is truly worse.
Played from the start, V32 loses the sum of its regrets along the way.

*The value usually cited*, 248.63. Larsson and Sjöberg (2012) state our rules, but their published code
(`scorePair` in ScoreCard.java of ansjob/optimalt-yatzy) fills Two Pairs with

    2 * (highest pair) + 2 * (second pair, or 0 if there is none),

so a single pair scores there. Solved with that scoring, the game is worth what they report.
"""

from dataclasses import dataclass, replace

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import DEFAULT_CONTEXT, Context, chunks
from yatzy.game.json import json_property
from yatzy.lab.studies.results import Claim
from yatzy.measure.exact import visit
from yatzy.measure.regret import turn_regrets
from yatzy.policies.optimal import Optimal
from yatzy.rules import Category, Ruleset, format_dice, ruleset
from yatzy.rules.scoring import Counts, faces_with, pairs, total
from yatzy.solver.advise import turn_of
from yatzy.solver.solve import solve
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.lattice import lattice
from yatzy.turn.numpy_turn import best_inside, best_keeps

DECIMALS = 4


@dataclass(frozen=True)
class Reroll:
    """With `rerolls` left: the value of every keep, of every roll, and the best keep of every roll."""

    rerolls: int
    value_by_keep: list[float]
    value_by_roll: list[float]
    keep_by_roll: list[int]


@dataclass(frozen=True)
class OpeningTurn:
    """The first turn. `category_by_roll` and `value_by_roll` are for the dice as they lie, no reroll left."""

    rules: str
    value: float
    categories: list[str]
    category_by_roll: list[int]
    value_by_roll: list[float]
    rerolls: list[Reroll]

    @property
    def key_figures(self) -> dict[str, float]:
        last = self.rerolls[-1]
        return {"value": self.value, "worst_roll": min(last.value_by_roll), "best_roll": max(last.value_by_roll)}


def measure_opening_turn(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> OpeningTurn:
    """All values of the first turn."""
    rules = ruleset(rules)
    turn = open_turn(stored_table(rules, context=context.quiet()))
    context.step(1, 1)
    return turn


def open_turn(table: ValueTable) -> OpeningTurn:
    """All values of the first turn, from the last throw to the first."""
    rules = table.rules
    dice, turn = lattice(rules.dice, rules.faces), turn_of(table, 0, 0, rules.rerolls)
    of_category = turn.scored[0].points[turn.outcome]
    roll, steps = of_category.max(axis=0), []
    for left, keep in enumerate(turn.levels, start=1):
        roll = best_inside(dice, keep)
        steps.append(Reroll(left, _round(keep), _round(roll), best_keeps(dice, keep).tolist()))
    return OpeningTurn(
        rules=rules.name,
        value=float(dice.prob_roll @ roll),
        categories=[category.name.lower() for category in rules.categories],
        category_by_roll=of_category.argmax(axis=0).tolist(),
        value_by_roll=_round(of_category.max(axis=0)),
        rerolls=steps,
    )


def _round(values: FloatArray) -> list[float]:
    return [round(float(value), DECIMALS) for value in values]


PAIR, CHANCE = 0, 1
SMALL = Ruleset("two dice, two boxes", 2, 6, 0, (Category("Pair", pairs(1)), Category("Chance", total)))


@dataclass(frozen=True)
class Throw:
    """Two dice, how many of the 36 throws show them, their points in both boxes, and the value of each choice."""

    dice: str
    ways: int
    pair: int
    chance: int
    worth_of_pair: float
    worth_of_chance: float


@dataclass(frozen=True)
class SmallGame:
    """The whole solution; `greedy_value` is that of taking the most points in the first turn."""

    last_pair: float
    last_chance: float
    throws: list[Throw]
    value: float
    greedy_value: float

    @property
    def key_figures(self) -> dict[str, float]:
        return {"last_pair": self.last_pair, "last_chance": self.last_chance, "value": self.value}


def solve_small_game(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> SmallGame:
    """Solve it with the same solver as the full game; `rules` are not used."""
    table, dice = solve(SMALL, context=context), lattice(2, 6)
    last = [table.value(1 << (1 - box)) for box in (PAIR, CHANCE)]
    throws, greedy = [], 0.0
    for roll in range(dice.n_rolls):
        points = [SMALL.scores[roll][box] for box in (PAIR, CHANCE)]
        values = [points[PAIR] + last[CHANCE], points[CHANCE] + last[PAIR]]
        throws.append(Throw(format_dice(dice.keeps[roll]), round(36 * dice.prob_roll[roll]), *points, *values))
        # Chance scores the most with any dice.
        greedy += dice.prob_roll[roll] * values[CHANCE]
    return SmallGame(last[PAIR], last[CHANCE], throws, table.value(), float(greedy))


# Sums of float64 are good to about 1e-13 points.
ROUNDING = 1e-12
STATES_PER_BLOCK = 1 << 16


@dataclass(frozen=True)
class Precision:
    """float32 beside float64; `mean_lost` is per game, the largest regret that of a single turn."""

    rules: str
    states: int
    value: float
    value_float32: float
    largest_error: float
    mean_error: float
    states_erring: int
    largest_regret: float
    mean_lost: float

    @json_property
    def claims(self) -> list[Claim]:
        return [
            Claim("states in which float32 prefers another action", 22, self.states_erring, 0.5),
            Claim("largest error of a value in float32", 0.00046, self.largest_error, 0.000005),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "largest_error": self.largest_error,
            "states_erring": self.states_erring,
            "largest_regret": self.largest_regret,
            "mean_lost": self.mean_lost,
        }


def compare_precisions(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> Precision:
    """Solve in both precisions, and evaluate float32 play with float64 values."""
    rules = ruleset(rules)
    exact, rough = (
        solve(rules, precision=precision, context=context.quiet()) for precision in ("float64", "float32")
    )
    player = Optimal(rough)
    masks = np.flatnonzero(~rules.is_finished(exact.space.masks))
    index, upper = np.nonzero(~np.isnan(exact.stored[masks]))
    filled = masks[index]
    error = np.abs(rough.stored[filled, upper].astype(np.float64) - exact.stored[filled, upper])
    regret = np.empty(len(filled))
    blocks = list(chunks(len(filled), STATES_PER_BLOCK))
    for i, block in enumerate(blocks):
        context.part(i, len(blocks)).step(0, 1)
        lost = turn_regrets(player, exact.stored, filled[block], upper[block], context.threads)
        regret[block] = lost.sum(axis=(1, 2))
    return Precision(
        rules=rules.name,
        states=len(filled),
        value=exact.value(),
        value_float32=float(rough.value()),
        largest_error=float(error.max()),
        mean_error=float(error.mean()),
        states_erring=int((regret > ROUNDING).sum()),
        largest_regret=float(regret.max()),
        mean_lost=exact.value() - visit(player, context.threads).mean,
    )


REPORTED = 248.63


@dataclass(frozen=True)
class Reported:
    """The reported value, ours with the same scoring, and ours with the printed rules."""

    reported: float
    as_programmed: float
    as_printed: float

    @property
    def key_figures(self) -> dict[str, float]:
        return {"reported": self.reported, "as_programmed": self.as_programmed, "as_printed": self.as_printed}


def explain_reported(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> Reported:
    """Solve the game with the printed rules and with their code's."""
    rules = ruleset(rules)
    boxes = tuple(
        replace(box, score=one_or_two_pairs) if box.name == "Two Pairs" else box for box in rules.categories
    )
    programmed = replace(rules, name=f"{rules.name}, one pair in Two Pairs", categories=boxes)
    return Reported(
        REPORTED, solve(programmed, context=context.quiet()).value(), solve(rules, context=context).value()
    )


def one_or_two_pairs(counts: Counts) -> int:
    """Two Pairs as their code scores it: the two highest pairs, or the only one."""
    return 2 * sum(faces_with(counts, 2)[:2])
