"""Trees that imitate: grown on what perfect play did in many games, as the forerunner grew its own.

They are scikit-learn's, at least five rows to a leaf. Growing is greedy from the root, so the tree of depth d is
the first d levels of the unlimited one: one fit per decision gives every depth. Rows may be weighted

    equal          all the same
    gap            the gap: a mistake counts little where the second best is nearly as good
    gap-balanced   the gap, and as if every action were the best one equally often.

The forerunner describes `gap-balanced`, but sizes and means of its trees are those of `equal`, which also plays
best: imitation weighted by the gap learns the few costly decisions and goes astray in the many that lead to them.

The fits are kept beside the data and reused, for other depths too.

Trees grown on what actions are worth, not on which one is best.

Imitation counts every wrong label the same. Here every situation brings the regret of every action, and

    regret of a leaf = min over actions a of  sum over its situations of w * regret(a)

is what a split should lower. The split with the largest gain anywhere is made next (best first), over all trees at
once, until the budget is spent, so that capacity goes where points are lost. Where no single split changes the
best action, plain regret sees no gain although two splits would; a small share BLEND of the drop in squared error
of the regrets keeps such splits coming.

Situations are drawn with their exact probabilities, half from optimal and half from trembling play; in later
rounds from the model's own play, with action values under its own continuation (policy iteration).

Columns: the plain ones; the par choice, its margin and its lead; the shapes of `keeps`. Actions: categories and
the par choice; verbs.
"""

import heapq
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats1, Floats2, IntArray, Ints1, Ints2
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError, needs_extra
from yatzy.lab.training.data import Labels, find_dataset, read_decisions
from yatzy.measure.exact import policy_values, visit
from yatzy.players.columns import Columns, plain_columns
from yatzy.players.model import ImitationTreeRecipe, RegretTreeRecipe, trembling
from yatzy.players.moves import par_answers, shipped_par, verb_answers
from yatzy.players.situations import draw_states
from yatzy.players.tree import NAMES, ParAndShapes, Tree, Trees
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset
from yatzy.sealed import SealError, digest_of, read_tensors, write_tensors
from yatzy.solver.actions import action_values
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.jit import jit
from yatzy.turn.lattice import lattice
from yatzy.turn.probability import masses_of_decisions
from yatzy.turn.tables import turn_scratch, turn_tables

MIN_ROWS_PER_LEAF = 5


class Grown(NamedTuple):
    """A fitted tree as scikit-learn numbers it: nodes after their parents, children -1 at leaves.

    `weights` (nodes, actions of `actions`): how much each action weighs among the rows of a node.
    """

    left: IntArray
    right: IntArray
    feature: IntArray
    threshold: NDArray[np.float64]
    weights: NDArray[np.float64]
    actions: NDArray[np.int16]


def train(recipe: ImitationTreeRecipe, table: ValueTable, context: Context = DEFAULT_CONTEXT) -> Trees:
    """Cut the grown trees to the recipe's depth; games and grown trees are made first if missing."""
    with needs_extra("lab"):
        import sklearn.tree  # noqa: F401

    rules, columns = table.rules, plain_columns(table.rules, rerolls=False)
    data = find_dataset(table, recipe.games, recipe.seed, context.quiet())
    trees = []
    for decision, file in data.items():
        kept = file.parent / f".{recipe.weighting}-{decision}-tree.safetensors"
        if not kept.exists():
            context.notice(f"{recipe.name}: growing the {decision} tree")
        trees.append(cut_tree(_grow(file, columns, kept, recipe.weighting, recipe.seed), recipe.depth))
    return Trees(recipe.name, rules, columns, tuple(trees), tuple(range(len(trees))), info=recipe.info(rules))


def _grow(file: Path, columns: tuple[str, ...], kept: Path, weighting: str, seed: int) -> Grown:
    """Fit one tree, or find the fit of an earlier run."""
    made_from = {"made_from": digest_of(file.read_bytes(), weighting, seed, *columns)}
    try:
        tensors, metadata = read_tensors(kept)
        if metadata == made_from:
            return Grown(**tensors)
    except SealError:
        pass
    grown = grown_of(fit_tree(*read_decisions(file, columns), weighting, seed))
    write_tensors(kept, grown._asdict(), made_from)
    return grown


def fit_tree(rows: NDArray[np.float32], labels: Labels, weighting: str = "equal", seed: int = 0) -> Any:
    """scikit-learn's classifier, grown without limit."""
    with needs_extra("lab"):
        from sklearn.tree import DecisionTreeClassifier

    tree = DecisionTreeClassifier(
        min_samples_leaf=MIN_ROWS_PER_LEAF,
        class_weight="balanced" if weighting == "gap-balanced" else None,
        random_state=seed,
    )
    return tree.fit(rows, labels.action, sample_weight=None if weighting == "equal" else labels.gap)


def grown_of(fitted: Any) -> Grown:
    """The arrays of a fitted classifier."""
    nodes = fitted.tree_
    return Grown(
        nodes.children_left.astype(np.int64),
        nodes.children_right.astype(np.int64),
        nodes.feature.astype(np.int64),
        nodes.threshold.copy(),
        nodes.value[:, 0, :].copy(),
        fitted.classes_.astype(np.int16),
    )


def cut_tree(grown: Grown, depth: int = 0) -> Tree:
    """The first `depth` levels of a grown tree (0: all of them); a leaf plays its heaviest action."""
    level = _levels(grown.left, grown.right)
    limit = depth or int(level.max())
    is_split = (grown.left >= 0) & (level < limit)
    is_leaf = (level <= limit) & ~is_split
    number = np.where(is_split, np.cumsum(is_split) - 1, -1 * np.cumsum(is_leaf)).astype(np.int32)
    return Tree(
        feature=grown.feature[is_split].astype(np.int16),
        threshold=grown.threshold[is_split].astype(np.float32),
        left=number[grown.left[is_split]],
        right=number[grown.right[is_split]],
        ranking_start=np.arange(is_leaf.sum() + 1, dtype=np.int32),
        ranking=grown.actions[grown.weights[is_leaf].argmax(axis=1)],
    )


def _levels(left: NDArray[np.int64], right: NDArray[np.int64]) -> NDArray[np.int64]:
    """Splits above each node (children come after their parents)."""
    level = np.zeros(len(left), np.int64)
    todo = np.zeros(1, np.int64)
    while len(todo):
        splits = todo[left[todo] >= 0]
        below = np.concatenate([left[splits], right[splits]])
        level[below] = np.repeat(level[splits][None], 2, axis=0).reshape(-1) + 1
        todo = below
    return level


WORST = 20.0  # points: larger regrets are capped at this
BLEND = 0.001  # per point: share of the squared error in a split's gain
FEWEST = 10  # situations in a leaf
MAX_BINS = 96


@dataclass(frozen=True)
class RegretRows:
    """Rows (n, columns) and the regret of every action (n, actions); all of the same weight."""

    rows: NDArray[np.float32]
    regret: NDArray[np.float32]


def column_names(rules: Ruleset) -> tuple[str, ...]:
    return (*plain_columns(rules, rerolls=True), *NAMES)


def draw_rolls(filled: IntArray, keep: NDArray[np.uint16], rules: Ruleset, n: int, seed: int) -> NDArray[np.int64]:
    """(rerolls + 1, states, n): rolls met with each number of rerolls left, under the decisions `keep`."""
    turn = turn_tables(rules)
    by_state = np.empty((len(keep), rules.rerolls + 1, len(turn.prob_roll)))
    masses_of_decisions(filled, keep, turn, by_state, turn_scratch(rules))
    mass = by_state.transpose(1, 0, 2)
    ends = np.cumsum(mass, axis=2)
    places = np.random.default_rng(seed).random((*mass.shape[:2], n)) * ends[:, :, -1:]
    drawn = np.empty(places.shape, np.int64)
    for left in range(len(mass)):
        for i in range(len(keep)):
            drawn[left, i] = np.searchsorted(ends[left, i], places[left, i], side="right")
    return np.minimum(drawn, mass.shape[2] - 1)


def action_regrets(
    table: ValueTable, filled: IntArray, upper: IntArray, roll_ids: IntArray, rerolls: int
) -> NDArray[np.float32]:
    """(n, actions): what each word of the vocabulary loses against the best action."""
    values = _values_by_id(table, filled, upper, roll_ids, rerolls)
    rules, joint = table.rules, ParAndShapes(table.rules, shipped_par(table.rules))
    rows = np.arange(len(filled))
    parts = np.array_split(rows, max(1, len(filled) // 4096))
    answers = []
    for part in parts:
        if rerolls:
            told = verb_answers(rules, filled[part])
        else:
            told = par_answers(rules, filled[part], joint.par_choice(filled[part], upper[part]))
        answers.append(told[np.arange(len(part)), :, roll_ids[part]].astype(np.int64))
    worth = np.take_along_axis(values, np.concatenate(answers), axis=1)
    best = np.nanmax(values, axis=1)
    return np.asarray(np.minimum(best[:, None] - worth, WORST), np.float32)


def _values_by_id(
    table: ValueTable, filled: IntArray, upper: IntArray, roll_ids: IntArray, rerolls: int
) -> NDArray[Any]:
    """(n, n_categories), or with rerolls left (n, n_keeps): values of all actions, NaN where one is not allowed.

    Holding all dice passes: it is worth what the roll is worth with one reroll fewer.
    """
    found = action_values(table, filled, upper, roll_ids, rerolls)
    if rerolls == 0:
        return found.category
    passing = np.nanmax(found.category, axis=1)
    if rerolls > 1:
        later = action_values(table, filled, upper, roll_ids, rerolls - 1).keep
        passing = np.fmax(passing, np.fmax.reduce(later, axis=1))
    rows = np.arange(len(filled))
    n_keeps = lattice(table.rules.dice, table.rules.faces).n_keeps
    values = np.full((len(filled), n_keeps), np.nan, np.float32)
    values[rows[:, None], np.maximum(found.keep_ids, 0)] = found.keep
    values[rows, roll_ids] = passing
    return values


def draw_situations(
    policy: Policy, visits: FloatArray, table: ValueTable, states: int, rolls: int, seed: int
) -> list[RegretRows]:
    """Situations of the category decision, and of both keep decisions together."""
    rules = table.rules
    columns = Columns(rules, column_names(rules), ParAndShapes(rules, shipped_par(rules)))
    filled, upper = draw_states(visits, states, np.random.default_rng(seed))
    parts: list[list[RegretRows]] = [[], []]
    for start in range(0, states, 8192):
        f, u = filled[start : start + 8192], upper[start : start + 8192]
        drawn = draw_rolls(f, policy.decide(f, u).keep, rules, rolls, seed + start)
        for left in range(rules.rerolls + 1):
            many, too, ids = np.repeat(f, rolls), np.repeat(u, rolls), drawn[left].reshape(-1)
            rows = columns.rows(many, too, ids, left).astype(np.float32)
            parts[left > 0].append(RegretRows(rows, action_regrets(table, many, too, ids, left)))
    return [
        RegretRows(np.concatenate([p.rows for p in part]), np.concatenate([p.regret for p in part]))
        for part in parts
    ]


@dataclass
class _Growing:
    """A tree while it grows: situations in the order of its nodes, and the nodes."""

    binned: NDArray[np.uint8]
    edges: list[NDArray[np.float32]]
    regret: NDArray[np.float32]
    order: NDArray[np.int64]
    nodes: list[list[Any]] = field(default_factory=list)  # first, end, action, feature, threshold, left, right

    @classmethod
    def plant(cls, data: RegretRows) -> "_Growing":
        binned = np.empty(data.rows.shape, np.uint8, order="F")
        edges = []
        for column in range(data.rows.shape[1]):
            values = np.unique(data.rows[:, column])
            if len(values) > MAX_BINS:
                shares = np.linspace(0, 1, MAX_BINS)
                values = np.unique(np.quantile(data.rows[:, column], shares, method="nearest"))
            middle = ((values[1:] + values[:-1]) / 2).astype(np.float32)
            edges.append(middle)
            binned[:, column] = np.searchsorted(middle, data.rows[:, column])
        return cls(np.ascontiguousarray(binned), edges, data.regret, np.arange(len(data.rows)))

    def add(self, first: int, end: int) -> tuple[int, float, int, int]:
        """A leaf of order[first:end], and its best split: (node, gain, column, bin)."""
        found = np.zeros(4)
        n_bins = np.array([len(e) + 1 for e in self.edges])
        _best_split(self.binned, n_bins, self.regret, self.order[first:end], BLEND, FEWEST, found)
        self.nodes.append([first, end, int(found[3]), -1, 0.0, -1, -1])
        return len(self.nodes) - 1, float(found[0]), int(found[1]), int(found[2])

    def split(self, node: int, column: int, last_bin: int) -> int:
        """Split a leaf's situations; returns where the right ones begin."""
        first, end = self.nodes[node][:2]
        part = self.order[first:end]
        goes_left = self.binned[part, column] <= last_bin
        self.order[first:end] = np.concatenate([part[goes_left], part[~goes_left]])
        self.nodes[node][3:5] = [column, float(self.edges[column][last_bin])]
        return int(first + goes_left.sum())

    def finish(self) -> Tree:
        """Splits numbered parents first, leaves as they come."""
        splits = [i for i, node in enumerate(self.nodes) if node[3] >= 0]
        number = {node: i for i, node in enumerate(splits)}
        leaves = [i for i, node in enumerate(self.nodes) if node[3] < 0]
        number |= {node: -1 - i for i, node in enumerate(leaves)}
        rows = [self.nodes[i] for i in splits]
        return Tree(
            feature=np.array([row[3] for row in rows], np.int16),
            threshold=np.array([row[4] for row in rows], np.float32),
            left=np.array([number[row[5]] for row in rows], np.int32),
            right=np.array([number[row[6]] for row in rows], np.int32),
            ranking_start=np.arange(len(leaves) + 1, dtype=np.int32),
            ranking=np.array([self.nodes[i][2] for i in leaves], np.int16),
        )


@jit
def _best_split(
    binned: Ints2, n_bins: Ints1, regret: Floats2, members: Ints1, blend: float, fewest: int, found: Floats1
) -> None:
    """`found`: gain, column and last bin of the left side, and the leaf's best action."""
    n_actions = regret.shape[1]
    total = np.zeros(n_actions)
    for i in members:
        for a in range(n_actions):
            total[a] += regret[i, a]
    base = total.min()
    n = len(members)
    found[0], found[1], found[2], found[3] = -1.0, -1, -1, total.argmin()
    if base <= 1e-6 or n < 2 * fewest:
        return
    sums = np.empty((n_bins.max(), n_actions))
    counts = np.empty(n_bins.max())
    left = np.empty(n_actions)
    for column in range(binned.shape[1]):
        bins = n_bins[column]
        sums[:bins] = 0.0
        counts[:bins] = 0.0
        for i in members:
            b = binned[i, column]
            counts[b] += 1.0
            for a in range(n_actions):
                sums[b, a] += regret[i, a]
        left[:] = 0.0
        n_left = 0.0
        for b in range(bins - 1):
            n_left += counts[b]
            least_left, least_right, squares = np.inf, np.inf, 0.0
            n_right = n - n_left
            inverse_left, inverse_right = 1.0 / max(n_left, 1.0), 1.0 / max(n_right, 1.0)
            for a in range(n_actions):
                left[a] += sums[b, a]
                right = total[a] - left[a]
                least_left = min(least_left, left[a])
                least_right = min(least_right, right)
                squares += (
                    left[a] * left[a] * inverse_left + right * right * inverse_right - total[a] * total[a] / n
                )
            if counts[b] > 0 and n_left >= fewest and n_right >= fewest:
                gain = base - least_left - least_right + blend * squares
                if gain > found[0]:
                    found[0], found[1], found[2] = gain, column, b


def grow(data: list[RegretRows], splits: int) -> tuple[Tree, ...]:
    """Trees for each kind of situation, `splits` in all, best first."""
    trees = [_Growing.plant(part) for part in data]
    waiting: list[tuple[float, int, int, int, int]] = []

    def add(which: int, first: int, end: int) -> int:
        node, gain, column, last_bin = trees[which].add(first, end)
        if gain > 0:
            heapq.heappush(waiting, (-gain, which, node, column, last_bin))
        return node

    for which, tree in enumerate(trees):
        add(which, 0, len(tree.order))
    for _ in range(splits):
        if not waiting:
            break
        _, which, node, column, last_bin = heapq.heappop(waiting)
        tree = trees[which]
        first, end = tree.nodes[node][:2]
        middle = tree.split(node, column, last_bin)
        tree.nodes[node][5] = add(which, first, middle)
        tree.nodes[node][6] = add(which, middle, end)
    return tuple(tree.finish() for tree in trees)


def train_by_regret(recipe: RegretTreeRecipe, table: ValueTable, context: Context = DEFAULT_CONTEXT) -> Trees:
    """Grow trees within the recipe's parameters; keeps the best of all rounds by exact mean."""
    rules, par, seed = table.rules, shipped_par(table.rules), recipe.seed
    optimal = Optimal(table)
    on_track = visit(optimal).visits
    astray = visit(trembling(table, seed)).visits
    # Every split adds three numbers; the roots' leaves and the par table are there from the start.
    splits = (recipe.parameters - 2 - par.parameters) // 3
    made = recipe.info(rules) | {"par_parameters": par.parameters}
    best: tuple[float, Trees] | None = None
    policy: Policy = optimal
    visits, values = on_track + astray, table
    for turn in range(recipe.rounds):
        data = draw_situations(policy, visits, values, recipe.states, recipe.rolls, seed + turn)
        trees = grow(data, splits)
        model = Trees(
            recipe.name, rules, column_names(rules), trees, (0, *[1] * rules.rerolls), ("par", "verbs"), made, par
        )
        played = visit(model)
        n_splits = sum(tree.n_splits for tree in trees)
        context.notice(f"{recipe.name}: round {turn + 1}, {n_splits:,} splits, mean {played.mean:.4f}")
        if best is None or played.mean > best[0]:
            best = played.mean, model
        policy, visits = model, on_track + 2 * played.visits
        values = ValueTable(rules, 0.0, policy_values(model)) if turn + 1 < recipe.rounds else table
    if best is None:
        raise YatzyError("rounds", recipe.rounds, "1 or more")
    return best[1]
