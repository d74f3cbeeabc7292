"""Decision trees that play: one for the category, one for the keep with 1 reroll left, one with 2.

A split sends a situation left if its column is at most the threshold, else right. A leaf plays the first of its
actions that is allowed. What an action means for a roll is looked up in its *vocabulary*: a category, or a keep
(for masks: of the dice that are not thrown again, always allowed). If none of a leaf's actions is allowed, a rule
that nobody had to learn decides: the open category with the most points now; all dice are kept.

*Size.* Two numbers per split (column, threshold) and one per action that a leaf holds, and the par table if it is
used. With one action per leaf this is 3 * leaves - 2 per tree, the count of the forerunner (276 for three trees of
depth 5: 94 leaves of at most 96).

*Speed.* A split reads the state or the dice, so what reaches a node is a product, some states times some rolls,
and stays one: a split divides one of the two lists. A whole batch of states goes down the tree at once, every node
is visited once, and the work is little more than writing down the answers. (Below a split on a joint column,
states go one by one.)
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, NamedTuple, Self

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Floats1, Floats2, Floats3, IntArray, Ints1, Ints2, Ints3
from yatzy.errors import YatzyError
from yatzy.players.columns import Columns, mask_tables
from yatzy.players.moves import (
    PAR_COLUMNS,
    SHAPES,
    Par,
    margins,
    par_answers,
    par_columns,
    shape_columns,
    shipped_par,
    verb_answers,
)
from yatzy.policies.baselines import most_points_now
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset
from yatzy.sealed import Tensors, tensor_bytes
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.lattice import lattice

NAMES = (*PAR_COLUMNS, *SHAPES)


@dataclass(frozen=True, eq=False)
class ParAndShapes:
    """The columns of NAMES under one par table (see `columns.JointColumns`)."""

    rules: Ruleset
    par: Par
    names: tuple[str, ...] = NAMES

    @cached_property
    def _margin(self) -> NDArray[np.float32]:
        return margins(self.rules, self.par).astype(np.float32)

    def values(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        """(n, names, n_rolls)."""
        n_rolls = lattice(self.rules.dice, self.rules.faces).n_rolls
        columns = np.empty((len(filled), len(NAMES), n_rolls), np.float32)
        columns[:, : len(PAR_COLUMNS)] = self._by_par(filled, upper).swapaxes(0, 1)
        columns[:, len(PAR_COLUMNS) :] = shape_columns(self.rules, filled)
        return columns

    def par_choice(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        """(n, n_rolls): the open box with the largest margin over par."""
        return np.asarray(self._by_par(filled, upper)[0])

    def _by_par(self, filled: IntArray, upper: IntArray) -> NDArray[np.float32]:
        return par_columns(self.rules, filled, upper, self._margin)


class Tree(NamedTuple):
    """One tree. A child >= 0 is a split, a child < 0 is the leaf -1 - child; the root is split 0, or else leaf 0.

    `ranking[ranking_start[leaf] : ranking_start[leaf + 1]]` are a leaf's actions, the preferred one first.
    """

    feature: NDArray[np.int16]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    ranking_start: NDArray[np.int32]
    ranking: NDArray[np.int16]

    @property
    def n_splits(self) -> int:
        return len(self.feature)

    @property
    def n_leaves(self) -> int:
        return len(self.ranking_start) - 1

    @property
    def parameters(self) -> int:
        return 2 * self.n_splits + len(self.ranking)


def check_tree(tree: Tree, n_columns: int) -> None:
    """Refuse arrays that would send a walk astray: children come after their parents, leaves exist."""
    n_splits, n_leaves = tree.n_splits, tree.n_leaves
    for name, array in tree._asdict().items():
        kind = "f" if name == "threshold" else "i"
        if array.ndim != 1 or array.dtype.kind != kind:
            raise YatzyError("tree", why=f"{name} has type {array.dtype} and {array.ndim} dimensions")
    if n_leaves < 1 or np.any(tree.ranking < 0):
        raise YatzyError("tree", why="has no leaves, or actions below 0")
    same = {len(tree.threshold), len(tree.left), len(tree.right)} == {n_splits}
    if not same or n_leaves != n_splits + 1 or np.any(np.diff(tree.ranking_start) < 0):
        raise YatzyError("tree", why=f"{n_splits} splits and {n_leaves} leaves do not make a tree")
    if tree.ranking_start[0] != 0 or tree.ranking_start[-1] != len(tree.ranking):
        raise YatzyError("tree", why="the leaves' actions do not match their number")
    for children in (tree.left, tree.right):
        after = (children > np.arange(n_splits)) & (children < n_splits)
        if not np.all(after | ((children < 0) & (children >= -n_leaves))):
            raise YatzyError("tree", why="a split has a child that does not exist")
    if n_splits and not 0 <= tree.feature.min() <= tree.feature.max() < n_columns:
        raise YatzyError("tree", why=f"a split reads a column outside 0..{n_columns - 1}")


def depth_of(tree: Tree) -> int:
    """Splits on the longest path from the root to a leaf."""
    depth = np.zeros(tree.n_splits, np.int64)
    for split in range(tree.n_splits):
        for child in (tree.left[split], tree.right[split]):
            if child >= 0:
                depth[child] = depth[split] + 1
    return int(depth.max()) + 1 if tree.n_splits else 0


# What an action means: a function of (rules, filled) that gives (n or 1, actions, n_rolls), int16, the category
# or keep of each action with each roll, -1 where it does not apply.
Vocabulary = Callable[[Ruleset, IntArray], NDArray[np.int16]]


def _categories(rules: Ruleset, filled: IntArray) -> NDArray[np.int16]:
    n_rolls = lattice(rules.dice, rules.faces).n_rolls
    return np.repeat(np.arange(rules.n_categories, dtype=np.int16)[None, :, None], n_rolls, axis=2)


def _masks(rules: Ruleset, filled: IntArray) -> NDArray[np.int16]:
    return np.ascontiguousarray(mask_tables(rules).keep_of_mask.T[None].astype(np.int16))


VOCABULARIES: dict[str, Vocabulary] = {"categories": _categories, "masks": _masks, "verbs": verb_answers}
# Categories and the par choice, which a state's joint columns give.
PAR = "par"


@dataclass(frozen=True)
class Trees:
    """A policy made of trees; `tree_of_rerolls[n]` is the tree that decides with n rerolls left (0: the category).

    All trees read the same named `columns`, and may read `rerolls`: one tree can serve several of them. Without a
    `par` table of its own a tree that counts points above par uses the shipped one.
    """

    name: str
    rules: Ruleset
    columns: tuple[str, ...]
    trees: tuple[Tree, ...]
    tree_of_rerolls: tuple[int, ...]
    vocabularies: tuple[str, str] = ("categories", "masks")
    info: dict[str, Any] = field(default_factory=dict)
    par: Par | None = None

    kind = "trees"

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def __post_init__(self) -> None:
        if len(self.tree_of_rerolls) != self.rules.rerolls + 1:
            raise YatzyError(
                "tree_of_rerolls", self.tree_of_rerolls, why=f"needs {self.rules.rerolls + 1} numbers"
            )
        if any(name not in (*VOCABULARIES, PAR) for name in self.vocabularies):
            raise YatzyError("vocabularies", self.vocabularies, [*VOCABULARIES, PAR])
        if any(not 0 <= i < len(self.trees) for i in self.tree_of_rerolls):
            raise YatzyError("tree_of_rerolls", self.tree_of_rerolls, why="names a tree that does not exist")
        for tree in self.trees:
            check_tree(tree, len(self.columns))

    @property
    def parameters(self) -> int:
        """Numbers learned: see the module."""
        par = self._joint.par.parameters if self.uses_par else 0
        return par + sum(tree.parameters for tree in self.trees)

    @property
    def uses_par(self) -> bool:
        return PAR in self.vocabularies or any(name in PAR_COLUMNS for name in self.columns)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, filled)
        filled, upper = np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64)
        joint = self._columns.by_both(filled, upper)
        never = np.zeros_like(filled)
        for left in range(self.rules.rerolls + 1):
            walk = self._walks[self.tree_of_rerolls[left]]
            state = self._columns.by_state(filled, upper, left).astype(np.float32)
            answers = self._answers(self.vocabularies[left > 0], filled, upper, joint)
            if walk.ranking.max(initial=0) >= answers.shape[1]:
                raise YatzyError("policy", self.name, why=f"names an action that is not one of {answers.shape[1]}")
            if left:
                decisions.keep[:, left - 1] = np.arange(answers.shape[2])
                _walk_states(walk, state, joint, answers, never, decisions.keep[:, left - 1])
            else:
                decisions.category[:] = most_points_now(self.rules, filled)
                _walk_states(walk, state, joint, answers, filled, decisions.category)
        return decisions

    def _answers(
        self, vocabulary: str, filled: IntArray, upper: IntArray, joint: NDArray[np.float32]
    ) -> NDArray[np.int16]:
        if vocabulary != PAR:
            return VOCABULARIES[vocabulary](self.rules, filled)
        # The trees usually read the par choice as well; then it is already known.
        place = [self.columns[i] for i in self._columns.joint_ids]
        known = PAR_COLUMNS[0] in place
        choice = joint[:, place.index(PAR_COLUMNS[0])] if known else self._joint.par_choice(filled, upper)
        return par_answers(self.rules, filled, choice)

    @cached_property
    def _joint(self) -> ParAndShapes:
        return ParAndShapes(self.rules, self.par or shipped_par(self.rules))

    @cached_property
    def _columns(self) -> Columns:
        return Columns(self.rules, self.columns, self._joint)

    @cached_property
    def _walks(self) -> tuple["TreeWalk", ...]:
        return tuple(_prepare(tree, self._columns) for tree in self.trees)

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        return tensor_bytes(self.tensors())

    def tensors(self) -> Tensors:
        """`tree_of_rerolls`, every array of every tree, and the par table if it is used."""
        found: Tensors = {"tree_of_rerolls": np.array(self.tree_of_rerolls, np.int64)}
        for i, tree in enumerate(self.trees):
            found |= {f"tree{i}.{name}": array for name, array in tree._asdict().items()}
        found["names"] = _text_tensor([*self.vocabularies, *self.columns])
        if self.uses_par:
            par = self._joint.par
            found |= {"par.in_reach": par.in_reach, "par.settled": par.settled}
            found["par.weight"] = np.array([par.weight])
        return found

    @classmethod
    def from_tensors(cls, name: str, rules: Ruleset, tensors: Tensors, info: dict[str, Any]) -> Self:
        category, reroll, *columns = _tensor_text(tensors["names"])
        of_rerolls = tuple(tensors["tree_of_rerolls"].tolist())
        trees = tuple(
            Tree(*(tensors[f"tree{i}.{array}"] for array in Tree._fields)) for i in range(max(of_rerolls) + 1)
        )
        par = _par_of(tensors, rules) if "par.weight" in tensors else None
        return cls(name, rules, tuple(columns), trees, of_rerolls, (category, reroll), info, par)


def _par_of(tensors: Tensors, rules: Ruleset) -> Par:
    """The par table of a file."""
    in_reach, settled, weight = (tensors[f"par.{key}"] for key in ("in_reach", "settled", "weight"))
    if not in_reach.shape == settled.shape == (rules.n_categories,) or weight.shape != (1,):
        raise ValueError("shapes of the par table")
    return Par(in_reach, settled, float(weight[0]))


def _text_tensor(names: Sequence[str]) -> NDArray[np.uint8]:
    return np.frombuffer("\n".join(names).encode(), np.uint8).copy()


def _tensor_text(tensor: NDArray[np.uint8]) -> list[str]:
    return tensor.tobytes().decode().split("\n")


class TreeWalk(NamedTuple):
    """A tree ready to walk: what each split reads.

    `scope` 0: of the state, column `source`; 1: of the dice, row `source` of `goes_right` (sets, n_rolls); 2: of
    both, joint column `source`.
    """

    scope: NDArray[np.int8]
    source: NDArray[np.int32]
    threshold: NDArray[np.float32]
    left: NDArray[np.int32]
    right: NDArray[np.int32]
    goes_right: NDArray[np.uint8]
    ranking_start: NDArray[np.int32]
    ranking: NDArray[np.int16]
    depth: int


def _prepare(tree: Tree, columns: Columns) -> TreeWalk:
    """Splits on the dice become sets of rolls, each distinct one stored once."""
    scope_of = np.zeros(len(columns.names), np.int8)
    place = np.zeros(len(columns.names), np.int32)
    for number, ids in enumerate((columns.state_ids, columns.roll_ids, columns.joint_ids)):
        scope_of[ids], place[ids] = number, np.arange(len(ids))
    scope, source = scope_of[tree.feature], place[tree.feature]
    of_dice = np.flatnonzero(scope == 1)
    pairs = np.stack([source[of_dice].astype(np.float64), tree.threshold[of_dice]], axis=1)
    distinct, which = np.unique(pairs, axis=0, return_inverse=True)
    source[of_dice] = which.reshape(-1)
    column, threshold = distinct[:, 0].astype(np.int64), distinct[:, 1]
    goes_right = (threshold[:, None] < columns.by_roll[:, column].T).astype(np.uint8)
    return TreeWalk(
        scope, source, tree.threshold, tree.left, tree.right, np.ascontiguousarray(goes_right),
        tree.ranking_start, tree.ranking, depth_of(tree),
    )  # fmt: skip


@jit
def _walk_states(
    walk: TreeWalk, state: Floats2, joint: Floats3, answers: Ints3, filled: Ints1, out: Ints2
) -> None:
    """`out` (n, n_rolls): what the tree plays in every state and roll; unchanged where no answer is allowed.

    `state` (n, columns) and `joint` (n, columns, n_rolls) are the columns; `filled` forbids answers (0 for keeps).
    The stack holds what is still to do: a node, and ranges of `states` and `rolls` whose product reached it. Below
    a node only the order within its ranges changes, so entries waiting on the stack stay valid.
    """
    n, n_rolls = out.shape
    states, rolls = np.arange(n), np.arange(n_rolls)
    others = np.empty(max(n, n_rolls), np.int64)
    stack = np.empty((walk.depth + n + 2, 5), np.int64)
    size = _push(0 if len(walk.left) else -1, 0, n, 0, n_rolls, stack, 0)
    while size > 0:
        size -= 1
        node, first_state, end_state, first_roll, end_roll = _top(stack, size)
        if node < 0:
            some_states, some_rolls = states[first_state:end_state], rolls[first_roll:end_roll]
            _play_leaf(-1 - node, walk, answers, filled, some_states, some_rolls, out)
            continue
        scope, source, threshold = walk.scope[node], walk.source[node], walk.threshold[node]
        if scope == 0:
            middle = _part(state[:, source], threshold, states, first_state, end_state, others)
            if middle < end_state:
                size = _push(walk.right[node], middle, end_state, first_roll, end_roll, stack, size)
            if first_state < middle:
                size = _push(walk.left[node], first_state, middle, first_roll, end_roll, stack, size)
        elif scope == 2 and end_state - first_state > 1:
            for position in range(first_state, end_state):
                size = _push(node, position, position + 1, first_roll, end_roll, stack, size)
        else:
            if scope == 1:
                middle = _part(walk.goes_right[source], 0, rolls, first_roll, end_roll, others)
            else:
                middle = _part(joint[states[first_state], source], threshold, rolls, first_roll, end_roll, others)
            if middle < end_roll:
                size = _push(walk.right[node], first_state, end_state, middle, end_roll, stack, size)
            if first_roll < middle:
                size = _push(walk.left[node], first_state, end_state, first_roll, middle, stack, size)


@jittable
def _push(
    node: int, first_state: int, end_state: int, first_roll: int, end_roll: int, stack: Ints2, size: int
) -> Any:
    """Push onto the stack; returns its new size."""
    stack[size, 0] = node
    stack[size, 1], stack[size, 2] = first_state, end_state
    stack[size, 3], stack[size, 4] = first_roll, end_roll
    return size + 1


@jittable
def _top(stack: Ints2, size: int) -> Any:
    return stack[size, 0], stack[size, 1], stack[size, 2], stack[size, 3], stack[size, 4]


@jittable
def _part(row: Floats1 | Ints1, threshold: float, order: Ints1, first: int, end: int, others: Ints1) -> Any:
    """Order order[first:end] so that those that go left come first; returns where the others begin."""
    middle, n_others = first, 0
    for position in range(first, end):
        i = order[position]
        goes_left = row[i] <= threshold
        order[middle] = i
        others[n_others] = i
        middle += goes_left
        n_others += not goes_left
    for k in range(n_others):
        order[middle + k] = others[k]
    return middle


@jittable
def _play_leaf(
    leaf: int, walk: TreeWalk, answers: Ints3, filled: Ints1, states: Ints1, rolls: Ints1, out: Ints2
) -> None:
    """The first action that applies and is allowed, in each of the states with each of the rolls."""
    first, end = walk.ranking_start[leaf], walk.ranking_start[leaf + 1]
    for i in states:
        line = i if len(answers) > 1 else 0
        for roll in rolls:
            for k in range(first, end):
                answer = answers[line, walk.ranking[k], roll]
                # Keep ids may be too large to shift by; for keeps `filled` is 0 and nothing is forbidden.
                if answer >= 0 and (filled[i] == 0 or not filled[i] >> answer & 1):
                    out[i, roll] = answer
                    break
