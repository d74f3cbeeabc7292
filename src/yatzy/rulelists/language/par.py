"""Par: what a box should bring before it is worth filling.

One number per category. A roll's *margin* in a box is its points minus the par of the box; filling the open box
with the largest margin is close to optimal for a rule this short. While the bonus is in reach, an upper point also
counts towards it, so upper points are weighed more; once the bonus is lost or safe, a second table applies. Both
tables and the weight are the linear value model

    V(state) ~ sum of par over open boxes + (weight - 1) * upper        (first table, bonus in reach)
    V(state) ~ sum of par' over open boxes                              (second table, bonus settled)

fitted like every value model, by the spread of its error within a turn's successors; a constant on all pars of a
table changes no decision, and is chosen so that they average what the categories bring.
"""

import threading
from collections.abc import Callable
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.dice import lattice
from yatzy.rules import Ruleset
from yatzy.turn.lanes import jit

PAR_COLUMNS = ("par_choice", "par_margin", "par_lead")

_latest = threading.local()


@dataclass(frozen=True)
class Par:
    """Pars while the bonus is in reach, pars once it is settled, and the weight of an upper point before that."""

    in_reach: FloatArray
    settled: FloatArray
    weight: float

    @property
    def parameters(self) -> int:
        return len(self.in_reach) + len(self.settled) + 1


def margins(rules: Ruleset, par: Par) -> FloatArray:
    """(2, n_rolls, n_categories): weighed points minus par, while the bonus is in reach and once it is settled."""
    scores = np.array(rules.scores, np.float64)
    weights = np.where([category.upper for category in rules.categories], par.weight, 1.0)
    return np.stack([scores * weights - par.in_reach, scores - par.settled])


def bonus_settled(rules: Ruleset, filled: IntArray, upper: IntArray) -> NDArray[np.bool_]:
    """Is the bonus safe, or out of reach?"""
    most = np.max(np.array(rules.scores), axis=0) * np.array([category.upper for category in rules.categories])
    to_come = (~(filled[:, None] >> np.arange(rules.n_categories)) & 1) @ most
    return np.asarray((upper >= rules.bonus_threshold) | (upper + to_come < rules.bonus_threshold))


def fit_par(table: Any, visits: FloatArray, parents: int = 20_000, seed: int = 0) -> Par:
    """The two tables and the weight by weighted least squares."""
    from yatzy.students.value.training import draw_states, successors

    rules = table.rules
    data = successors(table, *draw_states(visits, parents, seed))
    states = data.states
    settled = states.lost | states.safe
    columns = np.column_stack(
        [states.is_open * ~settled[:, None], states.is_open * settled[:, None],
         np.where(settled, 0.0, states.upper), ~settled, states.safe]
    )  # fmt: skip
    by_parent = data.weights @ columns
    within = columns.T @ (data.weight_of_state[:, None] * columns)
    within -= by_parent.T @ (by_parent / data.weight_of_parent[:, None])
    right = columns.T @ (data.weight_of_state * data.target)
    right -= by_parent.T @ ((data.weights @ data.target) / data.weight_of_parent)
    numbers = np.linalg.lstsq(within, right, rcond=None)[0]
    n = rules.n_categories
    level = float(np.array(rules.scores).mean())
    in_reach, after = numbers[:n], numbers[n : 2 * n]
    return Par(in_reach - in_reach.mean() + level, after - after.mean() + level, 1 + float(numbers[2 * n]))


@lru_cache(maxsize=4)
def shipped_par(rules: Ruleset) -> Par:
    """The par table in the package (see `par.toml`), for rulesets with the same categories."""
    import tomllib

    numbers = tomllib.loads((files("yatzy.rulelists.language") / "par.toml").read_text())
    names = [category.name.lower() for category in rules.categories]
    in_reach = np.array([numbers["in_reach"].get(name, 0.0) for name in names])
    settled = np.array([numbers["settled"].get(name, 0.0) for name in names])
    return Par(in_reach, settled, float(numbers["weight"]))


@lru_cache(maxsize=4)
def _shipped_margins(rules: Ruleset) -> NDArray[np.float32]:
    return margins(rules, shipped_par(rules)).astype(np.float32)


def par_columns(rules: Ruleset, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
    """(3, n, n_rolls): the open box of the largest margin, that margin, and its lead over the second."""
    # One decision asks for all columns and for the par choice, of the same states, one after the other.
    asked = (rules, filled.tobytes(), upper.tobytes())
    if getattr(_latest, "asked", None) != asked:
        found = np.empty((3, len(filled), lattice(rules.dice, rules.faces).n_rolls), np.float32)
        _compare_margins(filled, bonus_settled(rules, filled, upper), _shipped_margins(rules), found)
        _latest.asked, _latest.found = asked, found
    return np.asarray(_latest.found)


def par_column(name: str) -> Callable[[Ruleset, IntArray, IntArray], NDArray[np.float32]]:
    """A column of `features.JOINT`."""
    number = PAR_COLUMNS.index(name)
    return lambda rules, filled, upper: par_columns(rules, filled, upper)[number]


@jit
def _compare_margins(filled: Any, settled: Any, margin: Any, found: Any) -> None:
    """Largest and second largest margin among open boxes, ties to the lowest id."""
    n_rolls, n_categories = margin.shape[1], margin.shape[2]
    for i in range(len(filled)):
        which = 1 if settled[i] else 0
        for roll in range(n_rolls):
            best, second, best_id = -1e6, -1e6, -1
            for category in range(n_categories):
                if not filled[i] >> category & 1:
                    value = margin[which, roll, category]
                    if value > best:
                        best, second, best_id = value, best, category
                    elif value > second:
                        second = value
            found[0, i, roll] = best_id
            found[1, i, roll] = best
            found[2, i, roll] = min(best - second, 100.0)


def par_answers(rules: Ruleset, filled: IntArray, upper: IntArray) -> NDArray[np.int16]:
    """(n, n_categories + 1, n_rolls): each category, the par choice where it is filled; last, the par choice."""
    pick = par_columns(rules, filled, upper)[0].astype(np.int16)
    n_rolls = pick.shape[1]
    answers = np.empty((len(filled), rules.n_categories + 1, n_rolls), np.int16)
    for category in range(rules.n_categories):
        closed = (filled >> category & 1).astype(bool)
        answers[:, category] = np.where(closed[:, None], pick, category)
    answers[:, -1] = pick
    return answers
