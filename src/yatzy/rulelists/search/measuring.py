"""Where rule lists are measured while they are searched for: quick exact means, and decisions to learn from.

With keeps left to the oracle, the rolls that get scored do not depend on the list: their probabilities are
computed once, for every class of states, and a list that scores roll r in box c is then worth

    V(filled, upper) = sum over r of mass(r | filled, upper) * (points(r, c) + V(filled + c, ...)).
"""

from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.datasets.situations import situation_masses
from yatzy.evaluate.visits import visit
from yatzy.policy.optimal import Optimal
from yatzy.rulelists.language.rulelist import RuleList
from yatzy.rulelists.play.player import ListPlayer
from yatzy.rulelists.play.valuing import list_values, value_all_masks, value_with_oracle, visit_with_oracle
from yatzy.rulelists.search.samples import Sample, draw_samples
from yatzy.rules import Ruleset
from yatzy.running import check_threads, chunks, in_threads
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.tables import turn_tables

STATES_PER_CHUNK = 2048


class Arena(Protocol):
    """Measures lists."""

    def mean(self, rules: RuleList) -> float:
        """Exact mean score."""
        ...

    def samples(self, rules: RuleList, n: int, seed: int) -> tuple[Sample, Sample | None]:
        """Decisions of the list's own play: where to score, what to keep."""
        ...


class OwnKeeps:
    """Lists that make every decision."""

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads
        self._latest: tuple[RuleList, FloatArray] | None = None

    def mean(self, rules: RuleList) -> float:
        return float(self._values(rules)[0, 0])

    def samples(self, rules: RuleList, n: int, seed: int) -> tuple[Sample, Sample | None]:
        player = ListPlayer(rules)
        values, visits = self._values(rules), visit(player, self.threads).visits
        return draw_samples(player, values, visits, n, seed, self.threads)

    def _values(self, rules: RuleList) -> FloatArray:
        """The latest are kept: samples are mostly drawn from the list whose mean was just computed."""
        if self._latest is None or self._latest[0] is not rules:
            self._latest = (rules, list_values(rules, self.threads))
        return self._latest[1]


class OracleKeeps:
    """Lists that only score; dice are kept as in optimal play."""

    def __init__(self, table: ValueTable, threads: int | None = None) -> None:
        self.rules = table.rules
        self.table = table
        self.threads = threads
        self.row_of, self.mass = oracle_masses(table, check_threads(threads))

    def mean(self, rules: RuleList) -> float:
        return float(self._values(rules)[0, 0])

    def samples(self, rules: RuleList, n: int, seed: int) -> tuple[Sample, Sample | None]:
        player = ListPlayer(rules, table=self.table)
        return draw_samples(player, self._values(rules), self._visits(rules), n, seed, self.threads)

    def _values(self, rules: RuleList) -> FloatArray:
        highest, player = state_space(self.rules).highest_upper, ListPlayer(rules)
        turn = turn_tables(self.rules)

        def value(masks: IntArray, values: FloatArray) -> None:
            value_with_oracle(
                masks,
                highest,
                player.numbers,
                player.sheet,
                turn,
                self.row_of,
                self.mass,
                values,
                player.scratch(),
            )

        return value_all_masks(self.rules, value, self.threads)

    def _visits(self, rules: RuleList) -> FloatArray:
        space, player = state_space(self.rules), ListPlayer(rules)
        visits = np.zeros((space.n_masks, space.n_uppers))
        visits[0, 0] = 1.0
        scratch = player.scratch()
        for layer in space.layers[:-1]:
            visit_with_oracle(
                layer, space.highest_upper, player.numbers, player.sheet, turn_tables(self.rules), self.row_of,
                self.mass, visits, scratch,
            )  # fmt: skip
        return visits


def oracle_masses(table: ValueTable, threads: int) -> tuple[NDArray[np.int32], NDArray[np.float32]]:
    """A row of `mass` (classes, n_rolls) for every reachable state: the rolls to score under optimal keeps.

    float32 is enough for searching; published lists are evaluated with the keeps themselves.
    """
    rules: Ruleset = table.rules
    space, optimal = state_space(rules), Optimal(table)
    lost = np.arange(space.n_uppers) < space.lowest_upper[:, None]
    classes = space.reachable & ~lost
    # The class of lost bonuses is stored at its largest member, which need not be a total that can occur.
    classes[np.arange(space.n_masks), space.lowest_upper] = True
    classes[-1] = False
    filled, upper = np.nonzero(classes)
    row_of = np.full((space.n_masks, space.n_uppers), -1, np.int32)
    row_of[filled, upper] = np.arange(len(filled))
    at_lowest = row_of[np.arange(space.n_masks), space.lowest_upper]
    row_of = np.where(lost & space.reachable, at_lowest[:, None], row_of).astype(np.int32)
    stand_in = np.array([np.flatnonzero(row)[0] for row in space.reachable])
    asked = np.where(space.reachable[filled, upper], upper, stand_in[filled])
    mass = np.empty((len(filled), situation_masses(optimal, filled[:1], asked[:1]).shape[2]), np.float32)

    def run(part: slice) -> None:
        mass[part] = situation_masses(optimal, filled[part], asked[part])[:, 0]

    in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)
    return row_of, mass
