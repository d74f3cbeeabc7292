"""Does the quiz recover a player's habits, and what does each habit cost by itself?

Simulated players answer the shipped quiz by their own habits, and habits are fitted to the answers:

    error of theta, gamma, beta = root of the mean squared difference;    share of players whose depth is right

`spread` is the same error for a guess that always names the mean of all players: a fit is only as good as it is
better than that. The players are those of the fitted grid, players between its points, and the six that the
forerunner tests its own quiz with (its *d* is a kind of noise, not a number of turns: 8, 20 and 999 correspond to
depths 1, 3 and all here). The forerunner's errors are for its own model, and so for comparison only.

The ladders are exact means of players with one habit each, all else perfect.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.coach.profile import Grid, HabitEvaluator, Habits, Record, choice_chances, draw_choices, values_by_habit
from yatzy.coach.quiz import Quiz, read_quiz
from yatzy.context import DEFAULT_CONTEXT, Context, Progress, part_of
from yatzy.errors import YatzyError
from yatzy.game.json import Probability
from yatzy.lab.studies.results import Claim
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.lookahead import full_depth
from yatzy.turn.lattice import lattice


@dataclass(frozen=True)
class Recovery:
    """Errors of the fit for simulated players."""

    players: int
    theta: float
    beta: float
    gamma: float
    depth_right: Probability
    spread: dict[str, float]


def simulated_habits(quiz: Quiz, n: int, generator: np.random.Generator) -> list[tuple[Habits, FloatArray]]:
    """Random players of the grid, with any beta within it, and their indices (theta, gamma, depth)."""
    grid = quiz.grid
    places = [generator.integers(size, size=n) for size in grid.shape]
    betas = np.exp(generator.uniform(math.log(grid.betas[0]), math.log(grid.betas[-1]), n))
    return [
        (Habits(grid.thetas[i], float(beta), grid.gammas[j], grid.depths[k]), np.array([i, j, k]))
        for i, j, k, beta in zip(*places, betas, strict=True)
    ]


def recover(quiz: Quiz, n: int, seed: int = 0, progress: Progress | None = None) -> Recovery:
    """Errors of the fit for n players of the grid."""
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
    """Habits fitted to answers that are drawn by the apparent values of the choices."""
    answers = {
        number: int(draw_choices(choice_chances(of_question[None], beta), generator)[0])
        for number, of_question in enumerate(values)
    }
    return quiz.fit(answers).habits


def compare(true: Sequence[Habits], found: Sequence[Habits]) -> Recovery:
    """Fitted habits against the true ones."""
    columns = {name: np.array([getattr(one, name) for one in true]) for name in ("theta", "beta", "gamma")}
    errors = {
        name: math.sqrt(float(np.mean((np.array([getattr(one, name) for one in found]) - values) ** 2)))
        for name, values in columns.items()
    }
    right = sum(one.depth == other.depth for one, other in zip(true, found, strict=True))
    spread = {name: float(values.std()) for name, values in columns.items()}
    return Recovery(len(true), errors["theta"], errors["beta"], errors["gamma"], right / len(true), spread)


SEED = 3
# Players of the grid, players between its points, and quizzes that each of the latter answers.
ON_GRID, BETWEEN, QUIZZES = 2_000, 16, 50
PUBLISHED = {"theta": 0.033, "beta": 1.79, "gamma": 0.197, "depth_right": 0.86}
# theta, beta, gamma, and the index of the depth in the grid.
SIX = (
    (0.0, 4.0, 0.95, -1), (-0.05, 2.5, 0.9, 2), (0.05, 2.0, 0.8, 2), (0.0, 0.8, 0.5, 1), (-0.03, 5.0, 0.9, -1),
    (0.03, 1.5, 0.7, 1),
)  # fmt: skip
LADDERS: dict[str, tuple[float, ...]] = {
    "theta": (-0.06, -0.03, 0.03, 0.06),
    "gamma": (0.3, 0.5, 0.7, 0.85),
    "depth": (0, 1, 2, 3, 5, 8),
    "beta": (0.25, 0.5, 1.0, 2.0, 4.0, 10.0),
}
# The forerunner's mean of a player with little noise, over 10,000 games, and its standard error.
NEARLY_SURE, ITS_MEAN, ITS_ERROR = 10.0, 248.3, 0.4


@dataclass(frozen=True)
class HabitStep:
    """The exact mean of a player with one habit of this strength."""

    habit: str
    number: float
    mean: float


@dataclass(frozen=True)
class ProfileStudy:
    """How well habits are recovered, and what they cost."""

    rules: str
    questions: int
    bits: float
    on_grid: Recovery
    between: Recovery
    six: Recovery
    published: dict[str, float]
    ladders: list[HabitStep]
    best: float
    claims: list[Claim]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "theta": self.on_grid.theta, "beta": self.on_grid.beta, "gamma": self.on_grid.gamma,
            "depth_right": self.on_grid.depth_right,
        }  # fmt: skip


def measure_profile(
    rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT, quiz: Quiz | None = None
) -> ProfileStudy:
    """Fit simulated players, and evaluate players with one habit each."""
    game = ruleset(rules)
    asked = quiz or read_quiz()
    if asked.rules != game:
        raise YatzyError("rules", why=f"the quiz is for {asked.rules.name!r}; there is none for {game.name!r}")
    measuring = HabitEvaluator(game, context.threads)
    ladders = _ladders(measuring, part_of(context.progress, 0, 2))
    depths = asked.grid.depths
    six = [Habits(theta, beta, gamma, depths[place]) for theta, beta, gamma, place in SIX]
    sure = next((step.mean for step in ladders if (step.habit, step.number) == ("beta", NEARLY_SURE)), None)
    return ProfileStudy(
        rules=game.name,
        questions=len(asked),
        bits=sum(question.tells for question in asked.questions),
        on_grid=recover(asked, ON_GRID, SEED),
        between=recover_players(asked, _between(asked.grid), SEED, part_of(context.progress, 2, 4)),
        six=recover_players(asked, six, SEED, part_of(context.progress, 3, 4)),
        published=PUBLISHED,
        ladders=ladders,
        best=measuring.mean_of_best(Habits(0.0, 1.0, 1.0, full_depth(game))),
        claims=[Claim("mean of a player with beta 10 and no other habit", ITS_MEAN, sure, ITS_ERROR)]
        if sure
        else [],
    )


def _ladders(measuring: HabitEvaluator, progress: Progress) -> list[HabitStep]:
    """Players with noise need the exact walk; the others play best for what they see, so the solver suffices."""
    full = full_depth(measuring.rules)
    steps = [
        (habit, number)
        for habit, numbers in LADDERS.items()
        for number in numbers
        if habit != "depth" or number < full
    ]
    found = []
    for i, (habit, number) in enumerate(steps):
        habits = Habits(
            theta=number if habit == "theta" else 0.0,
            beta=number if habit == "beta" else 1.0,
            gamma=number if habit == "gamma" else 1.0,
            depth=int(number) if habit == "depth" else full,
        )
        mean = measuring.mean(habits) if habit == "beta" else measuring.mean_of_best(habits)
        found.append(HabitStep(habit, float(number), mean))
        progress(i + 1, len(steps))
    return found


def _between(grid: Grid) -> list[Habits]:
    """Players with any theta, gamma and beta within the grid; depths are its own."""
    generator = np.random.default_rng(SEED)
    ends = [(min(axis), max(axis)) for axis in (grid.thetas, grid.gammas, np.log(grid.betas).tolist())]
    return [
        Habits(
            theta=float(generator.uniform(*ends[0])),
            beta=float(np.exp(generator.uniform(*ends[2]))),
            gamma=float(generator.uniform(*ends[1])),
            depth=int(generator.choice(grid.depths)),
        )
        for _ in range(BETWEEN)
    ]


def recover_players(quiz: Quiz, players: Sequence[Habits], seed: int, progress: Progress) -> Recovery:
    """Let each player, anywhere between the points of the grid, answer the quiz many times over."""
    generator = np.random.default_rng(seed)
    record = situations_of(quiz)
    true, found = [], []
    for number, habits in enumerate(players):
        own = Grid((habits.theta,), (habits.gamma,), (habits.depth,), (habits.beta,))
        ((_, values),) = values_by_habit(quiz.rules, own, record)
        by_question = [row[np.isfinite(row)] for row in values]
        for _ in range(QUIZZES):
            true.append(habits)
            found.append(fit_answers(quiz, by_question, habits.beta, generator))
        progress(number + 1, len(players))
    return compare(true, found)


def situations_of(quiz: Quiz) -> Record:
    """The situations of a quiz, without choices."""
    ids = lattice(quiz.rules.dice, quiz.rules.faces)
    asked = [question.situation for question in quiz.questions]
    rows = [(at.state.filled, at.state.upper, ids.id_of(at.dice), at.rerolls, 0) for at in asked]
    return Record(*np.array(rows, np.int64).T)
