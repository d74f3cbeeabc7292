"""Does the fit find what is there? Simulated players answer the quiz, and their habits are fitted.

A player draws his answers by his own habits; what is found is compared with what he is:

    error of theta, gamma, beta = root of the mean squared difference;    share of players whose depth is right

`spread` are the same errors for somebody who fits nothing and always says the mean of all players: a fit is only
as good as it is better than that.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import Progress
from yatzy.game.json import Probability
from yatzy.policy.habits import Habits
from yatzy.profiles.fit import choice_chances, draw_choices
from yatzy.profiles.quiz import Quiz


@dataclass(frozen=True)
class Recovery:
    """How near the fit comes to simulated players."""

    players: int
    theta: float
    beta: float
    gamma: float
    depth_right: Probability
    spread: dict[str, float]


def simulated_habits(quiz: Quiz, n: int, generator: np.random.Generator) -> list[tuple[Habits, FloatArray]]:
    """N players of the grid with any beta within it, and their place in it (theta, gamma, depth)."""
    grid = quiz.grid
    places = [generator.integers(size, size=n) for size in grid.shape]
    betas = np.exp(generator.uniform(math.log(grid.betas[0]), math.log(grid.betas[-1]), n))
    return [
        (Habits(grid.thetas[i], float(beta), grid.gammas[j], grid.depths[k]), np.array([i, j, k]))
        for i, j, k, beta in zip(*places, betas, strict=True)
    ]


def recover(quiz: Quiz, n: int, seed: int = 0, progress: Progress | None = None) -> Recovery:
    """Let n players of the grid answer the quiz, and fit them."""
    generator = np.random.default_rng(seed)
    players = simulated_habits(quiz, n, generator)
    found = []
    for number, (habits, (i, j, k)) in enumerate(players):
        if progress:
            progress(number, n)
        values = [question.values[i, j, k] for question in quiz.questions]
        found.append(fit_answers(quiz, values, habits.beta, generator))
    return compare([habits for habits, _ in players], found)


def fit_answers(quiz: Quiz, values: Sequence[FloatArray], beta: float, generator: np.random.Generator) -> Habits:
    """Answers drawn by what the choices of each question look worth, and the habits fitted to them."""
    answers = {
        number: int(draw_choices(choice_chances(of_question[None], beta), generator)[0])
        for number, of_question in enumerate(values)
    }
    return quiz.fit(answers).habits


def compare(true: Sequence[Habits], found: Sequence[Habits]) -> Recovery:
    """What was fitted beside what is true."""
    columns = {name: np.array([getattr(one, name) for one in true]) for name in ("theta", "beta", "gamma")}
    errors = {
        name: math.sqrt(float(np.mean((np.array([getattr(one, name) for one in found]) - values) ** 2)))
        for name, values in columns.items()
    }
    right = sum(one.depth == other.depth for one, other in zip(true, found, strict=True))
    spread = {name: float(values.std()) for name, values in columns.items()}
    return Recovery(len(true), errors["theta"], errors["beta"], errors["gamma"], right / len(true), spread)
