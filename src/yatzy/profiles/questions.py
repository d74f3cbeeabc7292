"""Choosing the questions that tell most about a player.

What an answer tells is the information between it and the player, given the answers before:

    I(a; player) = H(mean over players of P(a | player)) - mean over players of H(P(a | player)),

both means weighted by how likely each player still is. A question is chosen by its mean over many simulated
players, each answering in his own way what was asked so far; then all of them answer it, and the next is chosen.
Players are those of the grid with every beta, all equally likely. The pool consists of situations as a decent
player meets them: softened play at one point of temperature, by the exact weights of `datasets.situations`.
"""

from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.context import HERE, Context, Progress, one_blas_thread, part_of
from yatzy.datasets.situations import exact_situations
from yatzy.dice import lattice
from yatzy.evaluate.exact import visit
from yatzy.game.situation import Situation
from yatzy.policy.softened import Softened
from yatzy.profiles.fit import Grid, Record, choice_chances, choices_of, draw_choices, grid_of, values_by_habit
from yatzy.profiles.quiz import STEPS_PER_POINT, Question, Quiz
from yatzy.rules import Ruleset, State
from yatzy.solver.store import stored_table

QUESTIONS = 30
# Draws of situations with each number of rerolls left; equal ones are one.
DRAWN = 800
# With fewer open boxes there is little to see ahead.
FEWEST_OPEN = 3
ANSWERING = 200
SEED = 0
TEMPERATURE = 1.0
# Far below any chance that matters, so that its logarithm is finite.
TINY = 1e-30


def choose_questions(
    rules: Ruleset, n: int = QUESTIONS, drawn: int = DRAWN, seed: int = SEED, context: Context = HERE
) -> Quiz:
    """The quiz of a game: the same for the same seed."""
    rules.check_plain("softened play is")
    grid = grid_of(rules)
    pool = draw_pool(rules, drawn, seed, context.home)
    values = _values(rules, grid, pool, part_of(context.progress, 0, 2))
    # One question of a state is enough for a person, however much a second would tell.
    states = np.unique(np.stack([pool.filled, pool.upper]), axis=1, return_inverse=True)[1].reshape(-1)
    with one_blas_thread():
        chosen, tells = _choose(values, grid, states, n, seed, part_of(context.progress, 1, 2))
    told = zip(chosen, tells, strict=True)
    return Quiz(rules, grid, tuple(_question(rules, pool, values[i], i, bits) for i, bits in told), seed)


def draw_pool(rules: Ruleset, drawn: int, seed: int, home: Path | None) -> Record:
    """Situations that a decent player meets, with every number of rerolls left."""
    player = Softened(stored_table(rules, context=Context(home)), TEMPERATURE)
    visits = visit(player).visits
    parts = [exact_situations(player, visits, left, drawn, seed) for left in range(rules.rerolls + 1)]
    columns = [np.concatenate([getattr(part, name) for part in parts]) for name in ("filled", "upper", "roll_ids")]
    rerolls = np.concatenate([np.full(len(part), part.rerolls) for part in parts])
    n_open = rules.n_categories - np.bitwise_count(columns[0])
    filled, upper, roll_ids, left = (
        column[n_open >= min(FEWEST_OPEN, rules.n_categories)] for column in (*columns, rerolls)
    )
    return Record(filled, upper, roll_ids, left, np.zeros(len(filled), np.int64))


def _values(rules: Ruleset, grid: Grid, pool: Record, progress: Progress) -> NDArray[np.float32]:
    """(n, thetas, gammas, depths, slots): what the choices look worth beside the best."""
    found: NDArray[np.float32] | None = None
    for place, values in values_by_habit(rules, grid, pool, progress):
        if found is None:
            found = np.empty((len(pool), *grid.shape, values.shape[1]), np.float32)
        found[(slice(None), *place)] = values - values.max(axis=1, keepdims=True)
    assert found is not None
    return found


def _choose(
    values: NDArray[np.float32], grid: Grid, states: IntArray, n: int, seed: int, progress: Progress
) -> tuple[list[int], list[float]]:
    """Questions by their place in the pool, no two of one state, and what each tells in bits."""
    behind = values.reshape(len(values), -1, values.shape[-1])
    # (pool, players, slots): the chance of each answer, players by beta and then by the rest of the grid.
    chances = np.concatenate([choice_chances(behind, beta) for beta in grid.betas], axis=1).astype(np.float32)
    doubt = np.stack([_entropy(one) for one in chances])
    generator = np.random.default_rng(seed)
    answering = generator.integers(chances.shape[1], size=ANSWERING)
    known = np.zeros((ANSWERING, chances.shape[1]), np.float32)
    chosen: list[int] = []
    tells: list[float] = []
    for round_ in range(min(n, int(states.max()) + 1)):
        likely = np.exp(known - known.max(axis=1, keepdims=True))
        likely /= likely.sum(axis=1, keepdims=True)
        pairs = zip(chances, doubt, strict=True)
        told = np.array([_entropy(likely @ one).mean() - (likely @ of).mean() for one, of in pairs])
        told[np.isin(states, states[chosen])] = -np.inf
        best = int(told.argmax())
        chosen.append(best)
        tells.append(float(told[best]) / float(np.log(2)))
        answers = draw_choices(chances[best][answering], generator)
        known += np.log(chances[best][:, answers].T + TINY)
        progress(round_ + 1, n)
    return chosen, tells


def _entropy(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """In nats, over the last axis."""
    return np.asarray(-(chances * np.log(chances + TINY)).sum(axis=-1))


def _question(rules: Ruleset, pool: Record, values: NDArray[np.float32], i: int, tells: float) -> Question:
    roll_id, rerolls = int(pool.roll_ids[i]), int(pool.rerolls[i])
    dice = lattice(rules.dice, rules.faces).keeps[roll_id]
    state = State(int(pool.filled[i]), int(pool.upper[i]))
    allowed = np.flatnonzero(np.isfinite(values[0, 0, 0]))
    choices = choices_of(rules, roll_id, rerolls)
    return Question(
        situation=Situation.of(rules, dice, rerolls, state),
        choices=tuple(choices[choice] for choice in allowed),
        behind=np.rint(-STEPS_PER_POINT * values[..., allowed].astype(np.float64)).astype(np.int64),
        tells=tells,
    )
