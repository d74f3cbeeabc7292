"""Estimators of scikit-learn's kind as a policy: whatever was trained on `yatzy.dataset` and can predict.

    from_estimators(category=..., reroll1=..., reroll2=...)

An estimator reads the features of a situation (`yatzy.features`) and gives one of

    predict_proba   the probability of each of its `classes_`
    predict         the action, or a number for every action, of which the largest is best (n, actions)

where an action is a category, or the mask of the dice thrown again. Its best action that is allowed is played;
where it gives none, the open category with the most points now. Trees of scikit-learn become our own
(`players.tree`), which play the same, and are measured in seconds instead of hours.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.players.columns import Columns, mask_tables, plain_columns
from yatzy.players.tree import Tree, Trees
from yatzy.policies.baselines import most_points_now
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset, ruleset


def from_estimators(
    category: Any,
    reroll1: Any = None,
    reroll2: Any = None,
    *,
    rules: str | Ruleset = "scandinavian",
    name: str = "estimators",
    **more: Any,
) -> "Trees | EstimatorPolicy":
    """A policy of estimators trained on `yatzy.dataset`, one for each kind of decision.

    >>> import yatzy
    >>> class Nearest:                            # anything with predict, or predict_proba and classes_
    ...     def __init__(self, rows): self.x, self.action = rows.x, rows.action
    ...     def predict(self, x): return [self.action[abs(self.x - row).sum(axis=1).argmin()] for row in x]
    >>> data = yatzy.dataset(draws=100)
    >>> player = yatzy.from_estimators(**{kind: Nearest(rows) for kind, rows in data.items()})
    >>> yatzy.play_on(yatzy.Game(seed=1), player)
    <Game scandinavian: finished with 94 points>

    What is not allowed is masked. Evaluate it like any policy: trees of scikit-learn take seconds, others are
    asked about a billion situations, and `yatzy.evaluate` says first how long that takes. `reroll3` and
    so on are for games with more rerolls.
    """
    game = ruleset(rules)
    game.check_plain("estimators are")
    asked = {"category": category, "reroll1": reroll1, "reroll2": reroll2, **more}
    kinds = ["category", *(f"reroll{left}" for left in range(1, game.rerolls + 1))]
    for kind, one in asked.items():
        if one is not None and kind not in kinds:
            raise YatzyError("from_estimators", kind, kinds, f"is not a kind of decision in {game.name}")
    for kind in kinds:
        if not any(hasattr(asked.get(kind), method) for method in ("predict", "predict_proba")):
            raise YatzyError(kind, asked.get(kind), why="has neither predict nor predict_proba")
    columns = {kind: _columns_of(asked[kind], game, kind) for kind in kinds}
    if all(_is_tree(asked[kind]) for kind in kinds):
        names = plain_columns(game, rerolls=True)
        trees = tuple(_tree_of(asked[kind], columns[kind], names) for kind in kinds)
        return Trees(name, game, names, trees, tuple(range(len(kinds))))
    return EstimatorPolicy(name, game, tuple(asked[kind] for kind in kinds), tuple(columns.values()))


def _columns_of(estimator: Any, rules: Ruleset, kind: str) -> tuple[str, ...]:
    """The features that it was trained on."""
    names = plain_columns(rules, rerolls=kind != "category")
    told = getattr(estimator, "feature_names_in_", None)
    if told is not None:
        unknown = [name for name in told if name not in names]
        if unknown:
            raise YatzyError(kind, unknown[0], names, "is not a feature of these decisions")
        return tuple(map(str, told))
    n = getattr(estimator, "n_features_in_", len(names))
    shorter = plain_columns(rules, rerolls=False)
    if n not in (len(names), len(shorter)):
        raise YatzyError(kind, n, str(len(names)), "is the number of features that it was trained on")
    return names if n == len(names) else shorter


def _is_tree(estimator: Any) -> bool:
    """Whether it is a decision tree of scikit-learn for classes that are actions."""
    found: Any = getattr(estimator, "tree_", None)
    classes = np.asarray(getattr(estimator, "classes_", ["no"]))
    return hasattr(found, "children_left") and found.n_outputs == 1 and np.issubdtype(classes.dtype, np.integer)


def _tree_of(estimator: Any, columns: tuple[str, ...], names: tuple[str, ...]) -> Tree:
    """The same tree; a leaf's actions by their probability, the likeliest first."""
    nodes, actions = estimator.tree_, np.asarray(estimator.classes_).astype(np.int16)
    is_leaf = nodes.children_left < 0
    number = np.where(is_leaf, -np.cumsum(is_leaf), np.cumsum(~is_leaf) - 1).astype(np.int32)
    weights = nodes.value[is_leaf, 0, :]
    order = np.argsort(-weights, axis=1, kind="stable")
    counts = (weights > 0).sum(axis=1)
    is_used = np.arange(weights.shape[1]) < counts[:, None]
    place = np.array([names.index(name) for name in columns])
    return Tree(
        feature=place[nodes.feature[~is_leaf]].astype(np.int16),
        # Features are whole numbers, and whole thresholds survive float32.
        threshold=np.floor(nodes.threshold[~is_leaf]).astype(np.float32),
        left=number[nodes.children_left[~is_leaf]],
        right=number[nodes.children_right[~is_leaf]],
        ranking_start=np.concatenate([[0], np.cumsum(counts)]).astype(np.int32),
        ranking=actions[order[is_used]],
    )


@dataclass(frozen=True, eq=False)
class EstimatorPolicy:
    """Estimators by rerolls left, and the columns that each reads: see `from_estimators`."""

    name: str
    rules: Ruleset
    estimators: tuple[Any, ...]
    columns: tuple[tuple[str, ...], ...]

    is_timed = True

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    @cached_property
    def _readers(self) -> tuple[Columns, ...]:
        return tuple(Columns(self.rules, names) for names in self.columns)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, filled)
        filled, upper = np.asarray(filled, np.int64), np.asarray(upper, np.int64)
        n, n_rolls = len(filled), decisions.category.shape[-1]
        every = np.repeat(filled, n_rolls), np.repeat(upper, n_rolls), np.tile(np.arange(n_rolls), n)
        closed = np.asarray(self.rules.closed(filled))
        is_open = (closed[:, None] >> np.arange(self.rules.n_categories) & 1) == 0
        keeps = mask_tables(self.rules).keep_of_mask
        for left, reader in enumerate(self._readers):
            x = reader.rows(*every, left).astype(np.float32)
            if left:
                chosen = self._choose(left, x, np.ones((1, keeps.shape[1]), np.bool_)).reshape(n, n_rolls)
                # Mask 0 throws no dice: what is held where nothing was said.
                decisions.keep[:, left - 1] = keeps[np.arange(n_rolls), np.maximum(chosen, 0)]
            else:
                chosen = self._choose(left, x, np.repeat(is_open, n_rolls, axis=0)).reshape(n, n_rolls)
                decisions.category[:] = np.where(chosen >= 0, chosen, most_points_now(self.rules, filled))
        return decisions

    def _choose(self, left: int, x: NDArray[np.float32], allowed: NDArray[np.bool_]) -> IntArray:
        """(rows,): the best action that is allowed, -1 if none is; `allowed` (rows or 1, actions)."""
        n_actions, estimator = allowed.shape[1], self.estimators[left]
        rows = _with_names(x, estimator)
        if hasattr(estimator, "predict_proba"):
            actions, scores = np.asarray(estimator.classes_), np.asarray(estimator.predict_proba(rows))
            scores = np.where(scores > 0, scores, -np.inf)
        else:
            scores = np.asarray(estimator.predict(rows))
            actions = np.arange(n_actions)
            if scores.ndim == 1:
                chosen = self._checked(left, scores, n_actions)
                is_allowed = np.broadcast_to(allowed, (len(x), n_actions))[np.arange(len(x)), chosen]
                return np.where(is_allowed, chosen, -1)
            scores = np.where(np.isnan(scores), -np.inf, scores)
        if scores.shape != (len(x), len(actions)):
            why = f"predicts an array {scores.shape} for {len(x)} situations and {len(actions)} actions"
            raise YatzyError(f"policy {self.name!r}", why=why)
        actions = self._checked(left, actions, n_actions)
        scores = np.where(allowed[:, actions], scores, -np.inf)
        best = scores.argmax(axis=1)
        return np.where(scores[np.arange(len(x)), best] > -np.inf, actions[best], -1)

    def _checked(self, left: int, actions: NDArray[Any], n_actions: int) -> IntArray:
        """Actions that exist."""
        if not np.issubdtype(actions.dtype, np.integer) or actions.min() < 0 or actions.max() >= n_actions:
            allowed = f"an action, 0..{n_actions - 1}, as in yatzy.dataset"
            wrong = actions[0] if not np.issubdtype(actions.dtype, np.integer) else actions.max()
            raise YatzyError(
                f"policy {self.name!r}", wrong, allowed, f"predicts {{given}} with {left} rerolls left"
            )
        return actions.astype(np.int64)


def _with_names(x: NDArray[np.float32], estimator: Any) -> Any:
    """The rows as it was given them for training: an estimator that knows names warns if there are none."""
    names = getattr(estimator, "feature_names_in_", None)
    if names is None:
        return x
    try:
        import pandas as frames
    except ModuleNotFoundError:
        import polars as frames
    return frames.DataFrame({name: x[:, j] for j, name in enumerate(names)})
