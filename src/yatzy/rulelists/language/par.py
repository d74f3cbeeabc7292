"""Par: what a box should bring before it is worth filling.

One number per category. A roll's *margin* in a box is its points minus the par of the box; filling the open box
with the largest margin is close to optimal for a rule this short. While the bonus is in reach, an upper point also
counts towards it, so upper points weigh more; once the bonus is lost or safe, a second table applies. Both
tables and the weight are the linear value model

    V(state) ~ sum of par over open boxes + (weight - 1) * upper        (first table, bonus in reach)
    V(state) ~ sum of par' over open boxes                              (second table, bonus settled)

Adding a constant to all pars of a table changes no decision. The shipped numbers, and how they were found, are in
`par.toml`.
"""

from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Bools1, FloatArray, Floats3, IntArray, Ints1
from yatzy.rules import Ruleset
from yatzy.turn.bonus import settled
from yatzy.turn.jit import jit

PAR_COLUMNS = ("par_choice", "par_margin", "par_lead")


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
    """(2, n_rolls, n_categories): weighted points less par, while the bonus is in reach and once it is settled."""
    scores = np.array(rules.scores, np.float64)
    weights = np.where([category.upper for category in rules.categories], par.weight, 1.0)
    return np.stack([scores * weights - par.in_reach, scores - par.settled])


@lru_cache(maxsize=4)
def shipped_par(rules: Ruleset) -> Par:
    """The par table in the package (see `par.toml`), for rulesets with the same categories."""
    import tomllib

    numbers = tomllib.loads((files("yatzy.rulelists.language") / "par.toml").read_text())
    names = [category.name.lower() for category in rules.categories]
    in_reach = np.array([numbers["in_reach"].get(name, 0.0) for name in names])
    after = np.array([numbers["settled"].get(name, 0.0) for name in names])
    return Par(in_reach, after, float(numbers["weight"]))


def par_columns(
    rules: Ruleset, filled: IntArray, upper: IntArray, margin: NDArray[np.float32]
) -> NDArray[np.float32]:
    """(3, n, n_rolls), PAR_COLUMNS: the open box with the largest margin, that margin, its lead over the second.

    `margin` is `margins(rules, par)` in float32.
    """
    found = np.empty((len(PAR_COLUMNS), len(filled), margin.shape[1]), np.float32)
    _compare_margins(filled, settled(rules, filled, upper), margin, found)
    return found


@jit
def _compare_margins(filled: Ints1, settled: Bools1, margin: Floats3, found: Floats3) -> None:
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


def par_answers(rules: Ruleset, filled: IntArray, choice: NDArray[np.float32]) -> NDArray[np.int16]:
    """(n, n_categories + 1, n_rolls): each category (the par choice where it is filled), then the par choice.

    `choice` (n, n_rolls) is the first of `par_columns`.
    """
    pick = choice.astype(np.int16)
    n_rolls = pick.shape[1]
    answers = np.empty((len(filled), rules.n_categories + 1, n_rolls), np.int16)
    for category in range(rules.n_categories):
        closed = (filled >> category & 1).astype(bool)
        answers[:, category] = np.where(closed[:, None], pick, category)
    answers[:, -1] = pick
    return answers
