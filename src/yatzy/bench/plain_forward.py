"""Exact evaluation and games the obvious way: the twins to compare `evaluate` with. One state at a time, in NumPy.

With P the (keeps, rolls) matrix of transition probabilities and `best` the value of each roll,

    backward, per reroll:   value(K) = P best,      keep(r) = argmax over K inside r of value(K)
    forward, per reroll:    kept(K) = sum of mass(r) over the rolls r in which K is kept,      mass = kept P

and every way the turn can end adds its share of the state's distribution of points so far to a successor's.
"""

import random
from functools import lru_cache
from typing import NamedTuple

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.bench.sparse_rows import sparse_rows
from yatzy.dice import lattice
from yatzy.evaluate.exact import tracked_category
from yatzy.policy.base import keep_is_inside
from yatzy.policy.optimal import Optimal
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable

State = tuple[int, int]


@lru_cache(maxsize=8)
def transition_matrix(rules: Ruleset) -> FloatArray:
    """(n_keeps, n_rolls): probability of each roll when the dice beside a keep are thrown."""
    dice = lattice(rules.dice, rules.faces)
    rows = sparse_rows(rules, "float64")
    matrix = np.zeros((dice.n_keeps, dice.n_rolls))
    matrix[: dice.n_rolls] = np.eye(dice.n_rolls)
    keep = dice.n_rolls + np.repeat(np.arange(len(rows.prob_start) - 1), np.diff(rows.prob_start))
    matrix[keep, rows.roll] = rows.prob
    return matrix


class Plan(NamedTuple):
    """What optimal play does in one state: a category by roll, and keeps by rerolls left and roll."""

    category: IntArray
    keeps: list[IntArray]


class PlainForward:
    """Optimal play (theta = 0) of a table, pushed forward one state after the other."""

    def __init__(self, table: ValueTable) -> None:
        self.table = table
        self.rules = table.rules
        self.scores = np.array(self.rules.scores)
        self.matrix = transition_matrix(self.rules)
        self.inside = keep_is_inside(self.rules)
        self.tracked = tracked_category(self.rules)
        self.n_scores = int(self.scores.max(axis=0).sum()) + 1

    def start_row(self) -> FloatArray:
        """(tracked category scored, points so far): certainly nothing yet."""
        row = np.zeros((2, self.n_scores))
        row[0, 0] = 1.0
        return row

    def after(self, state: State, category: int, points: int) -> State:
        lift = points if self.rules.categories[category].upper else 0
        return state[0] | 1 << category, min(state[1] + lift, self.rules.bonus_threshold)

    def plan(self, state: State) -> Plan:
        """The best category and keeps for every roll."""
        worth = np.full(self.scores.shape, -np.inf)
        for category in range(self.rules.n_categories):
            if not state[0] >> category & 1:
                for points in np.unique(self.scores[:, category]):
                    worth_after = self.table.stored[self.after(state, category, int(points))]
                    worth[self.scores[:, category] == points, category] = points + worth_after
        best = worth.max(axis=1)
        keeps = []
        for _ in range(self.rules.rerolls):
            allowed = np.where(self.inside, self.matrix @ best, -np.inf)
            keeps.append(allowed.argmax(axis=1))
            best = allowed.max(axis=1)
        return Plan(worth.argmax(axis=1), keeps)

    def ends(self, state: State) -> dict[tuple[int, int], float]:
        """Probability of each (category, points) that the turn can end with."""
        plan = self.plan(state)
        mass = self.matrix[-1]
        for keep in reversed(plan.keeps):
            mass = np.bincount(keep, weights=mass, minlength=len(self.matrix)) @ self.matrix
        found: dict[tuple[int, int], float] = {}
        for roll, category in enumerate(plan.category.tolist()):
            end = category, int(self.scores[roll, category])
            found[end] = found.get(end, 0.0) + float(mass[roll])
        return found

    def push(self, state: State, row: FloatArray, layer: dict[State, FloatArray]) -> None:
        """Move the row of a state to its successors in `layer`."""
        for (category, points), share in self.ends(state).items():
            if share:
                target = layer.setdefault(self.after(state, category, points), np.zeros_like(row))
                if category == self.tracked and points:
                    target[1, points:] += share * row.sum(axis=0)[: self.n_scores - points]
                else:
                    target[:, points:] += share * row[:, : self.n_scores - points]

    def run(self) -> tuple[FloatArray, dict[State, float]]:
        """(bonus, tracked category, score) probabilities of finished games, and the visits of every state."""
        layer = {(0, 0): self.start_row()}
        visits: dict[State, float] = {}
        for _ in range(self.rules.n_categories):
            visits |= {state: float(row.sum()) for state, row in layer.items()}
            following: dict[State, FloatArray] = {}
            for state, row in layer.items():
                self.push(state, row, following)
            layer = following
        pmf = np.zeros((2, 2, self.n_scores + self.rules.bonus))
        for (_, upper), row in layer.items():
            bonus = int(upper >= self.rules.bonus_threshold and self.rules.bonus > 0)
            first = bonus * self.rules.bonus
            pmf[bonus, :, first : first + self.n_scores] += row
        return pmf, visits


def play_one_by_one(policy: Optimal, games: int, seed: int) -> list[int]:
    """Scores of games played the obvious way: throw, ask what to do in this state, write it down."""
    rules = policy.rules
    dice = lattice(rules.dice, rules.faces)
    generator = random.Random(seed)
    scores = []
    for _ in range(games):
        filled, upper, total = 0, 0, 0
        for _ in range(rules.n_categories):
            decisions = policy.decide(np.array([filled]), np.array([upper]))
            kept: tuple[int, ...] = ()
            for left in range(rules.rerolls, -1, -1):
                thrown = generator.choices(range(1, rules.faces + 1), k=rules.dice - len(kept))
                roll = dice.id_of((*kept, *thrown))
                if left:
                    kept = dice.keeps[decisions.keep[0, left - 1, roll]]
            category = int(decisions.category[0, roll])
            points = rules.scores[roll][category]
            filled |= 1 << category
            upper += points if rules.categories[category].upper else 0
            upper = min(upper, rules.bonus_threshold)
            total += points
        scores.append(total + (rules.bonus if upper >= rules.bonus_threshold else 0))
    return scores
