"""Fitting value models: what matters is the difference between the states one could end a turn in.

A decision compares the states after this turn, which all have the same parent. An error that they share cancels,
so the fit minimises the spread of the error W - V* within each parent's successors, not its size:

    loss = sum over parents of  sum_s w_s (e_s - e)^2,    e_s = W(s) - V*(s),  e = weighted mean over the parent

The weight w_s says how much successor s matters: the probability that the turn's final roll offers it, times
exp(-regret / TAU) of taking it there: options that nobody would take need not be right. Parents are drawn half
from optimal play and half from play that trembles (optimal on values with noise), because a model goes astray
too, and in later rounds from the model's own play. The loss is a quadratic form in e, with two sparse products;
the parameters are found by L-BFGS. The smallest form is finished by a pattern search on the exact mean itself.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats2, IntArray, Ints1, Ints3
from yatzy.context import DEFAULT_CONTEXT, Context, Report, one_blas_thread
from yatzy.errors import YatzyError, needs_extra
from yatzy.measure.exact import visit
from yatzy.players.model import ValueRecipe, trembling
from yatzy.players.situations import draw_states
from yatzy.players.value_model import StateFeatures, ValueModel, bonus_argument, bonus_chance, state_features
from yatzy.policies.optimal import Optimal, best_decisions
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.jit import jit
from yatzy.turn.kernels.simd import n_lanes
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import take_keeps, walk_forward
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import outcome_points

TAU = 4.0
PARENTS_PER_CHUNK = 2048


@dataclass(frozen=True)
class Successors:
    """The quadratic form of the loss over distinct successor states."""

    states: StateFeatures
    target: FloatArray
    weights: Any  # scipy CSR (parents, states)
    weight_of_state: FloatArray
    weight_of_parent: FloatArray

    def loss(self, value: FloatArray) -> tuple[float, FloatArray]:
        """Loss and its derivative with respect to the value of each state."""
        error = value - self.target
        sums = self.weights @ error
        means = sums / self.weight_of_parent
        pull = self.weight_of_state * error - self.weights.T @ means
        return float(error @ pull), 2 * pull


def successors(table: ValueTable, filled: IntArray, upper: IntArray) -> Successors:
    """What the turns of these parents can end in, and how much each end matters."""
    with needs_extra("lab"):
        from scipy.sparse import csr_array

    rules, ends = table.rules, outcomes(table.rules)
    n_uppers, continuation = table.space.n_uppers, continuation_of(rules, table.values)
    parents, keys, weights = [], [], []
    for start in range(0, len(filled), PARENTS_PER_CHUNK):
        f, u = filled[start : start + PARENTS_PER_CHUNK], upper[start : start + PARENTS_PER_CHUNK]
        weight = np.zeros((len(f), ends.n))
        decisions = best_decisions(rules, table.values, 0.0, f, u)
        _weigh_outcomes(f, u, decisions.keep, turn_tables(rules), continuation, weight, turn_scratch(rules))
        parent, outcome = np.nonzero(weight > 1e-7)
        mask, total = ends.after(f[parent], u[parent], outcome)
        parents.append(parent + start)
        keys.append(mask * n_uppers + total)
        weights.append(weight[parent, outcome] / len(filled))
    distinct, where = np.unique(np.concatenate(keys), return_inverse=True)
    matrix = csr_array(
        (np.concatenate(weights), (np.concatenate(parents), where)), shape=(len(filled), len(distinct))
    )
    return Successors(
        states=state_features(rules, distinct // n_uppers, distinct % n_uppers),
        target=table.values[distinct // n_uppers, distinct % n_uppers],
        weights=matrix,
        weight_of_state=np.asarray(matrix.sum(axis=0)),
        weight_of_parent=np.asarray(matrix.sum(axis=1)),
    )


@jit
def _weigh_outcomes(
    filled: Ints1,
    upper: Ints1,
    keep: Ints3,
    turn: Turn,
    continuation: Continuation,
    weight: Floats2,
    scratch: Scratch,
) -> None:
    """`weight` (n, n_outcomes): probability of final rolls that offer an outcome, times exp(-regret / TAU)."""
    width = n_lanes(scratch.work)
    n_rolls, n_categories = len(turn.prob_roll), len(turn.zero)
    value = np.empty(n_categories)
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        take_keeps(first, n, keep, scratch)
        walk_forward(first, n, filled, turn.n_rerolls, turn, scratch)
        for lane in range(n):
            i = first + lane
            for roll in range(n_rolls):
                mass = scratch.mass[0, roll, lane]
                if mass == 0.0:
                    continue
                best = -np.inf
                for c in range(n_categories):
                    value[c] = -np.inf
                    if not filled[i] & turn.bits[turn.zero[c]]:
                        value[c] = outcome_points(
                            filled[i], upper[i], turn.outcome_of_reading[roll, c], turn, continuation
                        )
                        best = max(best, value[c])
                for c in range(n_categories):
                    weight[i, turn.outcome_of_reading[roll, c]] += mass * np.exp((value[c] - best) / TAU)


def start_model(rules: Ruleset, name: str, sizes: Sequence[int], seed: int) -> ValueModel:
    """Worths near what the categories bring on average; small random layers."""
    rng = np.random.default_rng(seed)
    inputs = [rules.n_categories + 2, *sizes]
    hidden = tuple((rng.normal(0, 1 / np.sqrt(a), (a, b)), rng.normal(0, 0.3, b)) for a, b in pairwise(inputs))
    out = rng.normal(0, 0.5, sizes[-1]) if sizes else np.zeros(0)
    worth = np.array(rules.scores).mean(axis=0)
    return ValueModel(name, rules, worth, np.array([rules.bonus, 3.2, 1.0]), hidden, out, {})


def pack(model: ValueModel) -> FloatArray:
    return np.concatenate([tensor.ravel() for tensor in model.tensors().values()])


def unpack(model: ValueModel, numbers: FloatArray) -> ValueModel:
    """The same form with other numbers."""
    tensors, position = {}, 0
    for key, tensor in model.tensors().items():
        tensors[key] = numbers[position : position + tensor.size].reshape(tensor.shape)
        position += tensor.size
    return ValueModel.from_tensors(model.name, model.rules, tensors, model.info)


def gradient(
    model: ValueModel, states: StateFeatures, pull: Callable[[FloatArray], tuple[float, FloatArray]]
) -> Any:
    """Loss of the model's values and its derivative with respect to every number, packed as in `pack`."""
    argument, root = bonus_argument(states, *model.bonus[1:])
    chance = bonus_chance(states, argument)
    # The layers in float32 take half the time; the loss is still summed in float64.
    hidden = [(weights.astype(np.float32), offsets.astype(np.float32)) for weights, offsets in model.hidden]
    layers = [np.column_stack([states.is_open, chance, states.pace]).astype(np.float32)] if hidden else []
    for weights, offsets in hidden:
        layers.append(np.tanh(layers[-1] @ weights + offsets))
    value = states.is_open @ model.worth + model.bonus[0] * chance
    if model.hidden:
        value = value + layers[-1] @ model.out
    finished = np.where(states.safe, float(model.rules.bonus), 0.0)
    loss, by_value = pull(np.where(states.finished, finished, value))
    by_value = np.where(states.finished, 0.0, by_value)
    grads: dict[str, NDArray[Any]] = {"worth": states.is_open.T @ by_value}
    by_chance = by_value * model.bonus[0]
    if model.hidden:
        pulled = by_value.astype(np.float32)
        grads["out"] = layers[-1].T @ pulled
        back = pulled[:, None] * model.out.astype(np.float32)
        for i in range(len(model.hidden) - 1, -1, -1):
            back = back * (1 - layers[i + 1] * layers[i + 1])
            grads[f"weights{i}"] = layers[i].T @ back
            grads[f"offsets{i}"] = back.sum(axis=0)
            back = back @ hidden[i][0].T
        by_chance = by_chance + back[:, -2]
    density = np.where(states.safe | states.lost, 0.0, np.exp(-(argument**2) / 2) / np.sqrt(2 * np.pi))
    by_argument = by_chance * density
    by_sigma = -argument * model.bonus[2] * states.faces_squared / root**2
    grads["bonus"] = np.array([by_value @ chance, by_argument @ (states.faces / root), by_argument @ by_sigma])
    return loss, np.concatenate([grads[key].ravel() for key in model.tensors()])


def fit(model: ValueModel, data: Successors, iterations: int) -> tuple[ValueModel, float]:
    """Minimise the loss by L-BFGS; returns the model and its loss."""
    with needs_extra("lab"):
        from scipy.optimize import minimize

    with one_blas_thread():
        found = minimize(
            lambda numbers: gradient(unpack(model, numbers), data.states, data.loss),
            pack(model), jac=True, method="L-BFGS-B",
            options={"maxiter": iterations, "maxfun": 2 * iterations, "maxcor": 30},
        )  # fmt: skip
    return unpack(model, found.x), float(found.fun)


def search(model: ValueModel, rounds: int, report: Report, first_step: float = 0.5) -> ValueModel:
    """Pattern search on the exact mean: try each number a step up and down, keep what helps, halve the step."""
    numbers = pack(model)
    best = visit(model).mean
    scale = np.maximum(np.abs(numbers) / 10, 0.1)
    step = first_step
    for turn in range(rounds):
        improved = False
        for i in range(len(numbers)):
            for direction in (step, -step):
                trial = numbers.copy()
                trial[i] += direction * scale[i]
                mean = visit(unpack(model, trial)).mean
                if mean > best + 1e-9:
                    numbers, best, improved = trial, mean, True
                    break
        report(f"round {turn + 1}: step {step:g}, mean {best:.4f}")
        step = step if improved else step / 2
    return unpack(model, numbers)


def train(recipe: ValueRecipe, table: ValueTable, context: Context = DEFAULT_CONTEXT) -> ValueModel:
    """Fit a value model; after the first round, parents also come from the model's own play."""
    with needs_extra("lab"):
        import scipy.sparse  # noqa: F401

    seed = recipe.seed
    astray = np.mean([visit(trembling(table, seed + i)).visits for i in range(2)], axis=0)
    on_track = visit(Optimal(table)).visits
    model = start_model(table.rules, recipe.name, recipe.sizes, seed)
    mixes = [on_track + astray]
    best: tuple[float, ValueModel] | None = None
    for turn in range(recipe.rounds):
        mix = np.mean(mixes, axis=0)
        data = successors(table, *draw_states(mix, recipe.parents, np.random.default_rng(seed + turn)))
        model, loss = fit(model, data, recipe.iterations)
        played = visit(model)
        context.notice(
            f"{model.name}: round {turn + 1}, {len(data.target):,} states, loss {loss:.4f}, mean {played.mean:.4f}"
        )
        if best is None or played.mean > best[0]:
            best = played.mean, model
        mixes.append(2 * played.visits)
    if best is None:
        raise YatzyError("rounds", recipe.rounds, "1 or more")
    model = search(best[1], recipe.search_rounds, context.notice) if recipe.search_rounds else best[1]
    return replace(model, info=recipe.info(table.rules))
