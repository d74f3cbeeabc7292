"""The quiz: situations whose answers tell most about a player's habits, and what every choice seems worth to each
player of a grid.

    values[q][theta][gamma][depth][choice] = hundredths of a point by which the choice seems worse than the best

The file has whole numbers, some 100 kB, so that a page fits habits with a few lines and no solver. Questions stand
in the order of their information: who stops early has answered the best ones.

*Choosing them.* The information in an answer, given the answers before, is

    I(a; player) = H(mean over players of P(a | player)) - mean over players of H(P(a | player)),

both means weighted by how likely each player still is. A question is chosen by its mean over many simulated
players, each with answers of its own so far; then all of them answer it, and the next is chosen. Players are those
of the grid with every beta, all equally likely a priori. The pool is drawn from the situations of a decent player:
Boltzmann play at a temperature of one point, by exact weights (`players.situations`).
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray
from yatzy.coach.profile import (
    Fit,
    Grid,
    Record,
    choice_chances,
    choices_of,
    draw_choices,
    grid_of,
    log_likelihood,
    values_by_habit,
)
from yatzy.context import DEFAULT_CONTEXT, Context, Progress, one_blas_thread, part_of
from yatzy.errors import YatzyError
from yatzy.game.action import Action, Keep, Score, parse_action
from yatzy.game.json import INLINE, as_json, check_json, from_json
from yatzy.game.situation import Situation
from yatzy.measure.exact import visit
from yatzy.players.situations import exact_situations
from yatzy.policies.boltzmann import Boltzmann
from yatzy.rules import Ruleset, State, ruleset
from yatzy.sealed import read_sealed, seal
from yatzy.solver.store import stored_table
from yatzy.storage import ReadError, read_user_text, write_atomically
from yatzy.turn.lattice import lattice

FORMAT = "yatzy-quiz"
VERSION = 1
STEPS_PER_POINT = 100
KEEP_ALL = "keep all"
SHIPPED = Path(__file__).parent / "quiz.json"


@dataclass(frozen=True)
class Question:
    """A situation, its choices, and `behind` (thetas, gammas, depths, choices) in steps.

    `tells` is the expected information in the answer, given the answers before, in bits.
    """

    situation: Situation
    choices: tuple[Action, ...]
    behind: IntArray
    tells: float

    @property
    def values(self) -> FloatArray:
        """What the choices seem worth compared with the best, in points: 0 and below."""
        return -self.behind / STEPS_PER_POINT

    def number_of(self, action: Action) -> int:
        """The number of a choice; scoring with rerolls left is holding all dice."""
        if isinstance(action, Score) and self.situation.rerolls:
            action = Keep(self.situation.dice)
        if action not in self.choices:
            raise YatzyError("choice", str(action), list(map(self.text, self.choices)), "is not one")
        return self.choices.index(action)

    def text(self, action: Action) -> str:
        """The action as it is written in files."""
        return KEEP_ALL if action == Keep(self.situation.dice) else str(action)


def parse_choice(at: Situation, text: str) -> Action:
    """An action from a file."""
    return Keep(at.dice) if text == KEEP_ALL else parse_action(at.rules, text)


@dataclass(frozen=True)
class Quiz:
    """Questions for one game, and the grid of players they tell apart."""

    rules: Ruleset
    grid: Grid
    questions: tuple[Question, ...]
    seed: int

    def __len__(self) -> int:
        return len(self.questions)

    def fit(self, answers: dict[int, int]) -> Fit:
        """Fit answers (choices by question); questions may be left out."""
        if not answers:
            raise YatzyError("answers", why="there are none; a profile needs at least one")
        shape = (*self.grid.shape, len(self.grid.betas))
        likelihood, guessed = np.zeros(shape), 0.0
        for number, choice in answers.items():
            question = self.questions[number]
            values = question.values.reshape(-1, len(question.choices))
            found = log_likelihood(values, np.full(len(values), choice), self.grid.betas)
            likelihood += found.T.reshape(shape)
            guessed -= float(np.log(len(question.choices)))
        return Fit(self.grid, likelihood, len(answers), guessed)

    @property
    def file(self) -> "QuizFile":
        asked = tuple(
            QuestionOfFile(str(one.situation), tuple(map(one.text, one.choices)), one.tells, one.behind.tolist())
            for one in self.questions
        )
        rules = self.rules
        return QuizFile(FORMAT, VERSION, rules, rules.fingerprint, self.seed, STEPS_PER_POINT, self.grid, asked)


@dataclass(frozen=True)
class QuestionOfFile:
    """A question; `behind` is [theta][gamma][depth][choice] in steps."""

    situation: str
    choices: tuple[str, ...]
    tells: float
    behind: list[list[list[list[int]]]]


@dataclass(frozen=True)
class QuizFile:
    """The file of a quiz, without its checksum."""

    format: str
    version: int
    rules: Ruleset
    fingerprint: str
    seed: int
    steps_per_point: int
    grid: Annotated[Grid, INLINE]
    questions: tuple[QuestionOfFile, ...]


def write_quiz(quiz: Quiz, path: str | Path) -> Path:
    """Write a quiz, whole or not at all."""
    content = json.dumps(seal(as_json(quiz.file)), separators=(",", ":"), allow_nan=False)
    return write_atomically(path, content.encode() + b"\n")


@lru_cache(maxsize=4)
def read_quiz(path: str | Path = SHIPPED) -> Quiz:
    """A quiz from its file; by default the one that is shipped."""
    path = Path(path)
    content = read_sealed(path, "quiz")
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise YatzyError("quiz", path, why=f"is not a quiz of version {VERSION}")
    rules = ruleset(content["rules"])
    if content["fingerprint"] != rules.fingerprint:
        raise YatzyError("quiz", path, why=f"is for other rules than {rules.name!r} has now")
    questions = tuple(_question(rules, from_json(QuestionOfFile, one)) for one in content["questions"])
    return Quiz(rules, from_json(Grid, content), questions, content["seed"])


def _question(rules: Ruleset, stored: QuestionOfFile) -> Question:
    at = Situation.parse(stored.situation, rules)
    choices = tuple(parse_choice(at, text) for text in stored.choices)
    return Question(at, choices, np.array(stored.behind, np.int64), stored.tells)


@dataclass(frozen=True)
class Answer:
    situation: str
    choice: str


@dataclass(frozen=True)
class QuizAnswers:
    """The file of answers."""

    format: Literal["yatzy-answers"]
    version: Literal[1]
    rules: Ruleset
    answers: tuple[Answer, ...]


def write_answers(quiz: Quiz, answers: dict[int, int], path: Path) -> Path:
    """Write answers (choices by question), whole or not at all."""
    asked = ((quiz.questions[number], choice) for number, choice in answers.items())
    made = tuple(Answer(str(one.situation), one.text(one.choices[choice])) for one, choice in asked)
    content = as_json(QuizAnswers("yatzy-answers", 1, quiz.rules, made))
    return write_atomically(path, json.dumps(content, indent=1).encode() + b"\n")


def read_answers(quiz: Quiz, path: Path) -> dict[int, int]:
    """The answers in a file to questions of this quiz; none if there is no file yet."""
    if not path.exists():
        return {}
    try:
        stored = check_json(QuizAnswers, json.loads(read_user_text(path, "answers")), "file")
    except ReadError:
        raise
    except YatzyError as error:
        raise YatzyError("answers", path, why=f"does not hold answers to the quiz ({error})") from None
    except (ValueError, RecursionError) as error:
        raise YatzyError("answers", path, why=f"is not JSON ({error})") from None
    if stored["rules"] != quiz.rules.name:
        raise YatzyError("answers", path, why=f"is of {stored['rules']!r}; the quiz is for {quiz.rules.name!r}")
    numbers = {question.situation: number for number, question in enumerate(quiz.questions)}
    answers: dict[int, int] = {}
    for place, answer in enumerate(stored["answers"]):
        try:
            at = Situation.parse(answer["situation"], quiz.rules)
            number = numbers.get(at)
            if number is not None:
                answers[number] = quiz.questions[number].number_of(parse_choice(at, answer["choice"]))
        except YatzyError as error:
            raise error.within(f"answers[{place}]") from None
    return answers


QUESTIONS = 30
# Draws of situations with each number of rerolls left; equal ones are one.
DRAWN = 800
# With fewer open boxes there is little to foresee.
FEWEST_OPEN = 3
ANSWERING = 200
SEED = 0
TEMPERATURE = 1.0
# Far below any chance that matters, so that its logarithm is finite.
TINY = 1e-30


def choose_questions(
    rules: Ruleset, n: int = QUESTIONS, drawn: int = DRAWN, seed: int = SEED, context: Context = DEFAULT_CONTEXT
) -> Quiz:
    """The quiz of a game: the same for the same seed."""
    rules.check_plain("softened play is")
    grid = grid_of(rules)
    pool = draw_pool(rules, drawn, seed, context.home)
    values = _values(rules, grid, pool, part_of(context.progress, 0, 2))
    # A second question about one state would bore a person, however informative.
    states = np.unique(np.stack([pool.filled, pool.upper]), axis=1, return_inverse=True)[1].reshape(-1)
    with one_blas_thread():
        chosen, tells = _choose(values, grid, states, n, seed, part_of(context.progress, 1, 2))
    questions = (_chosen_question(rules, pool, values[i], i, bits) for i, bits in zip(chosen, tells, strict=True))
    return Quiz(rules, grid, tuple(questions), seed)


def draw_pool(rules: Ruleset, drawn: int, seed: int, home: Path | None) -> Record:
    """Situations that a decent player meets, with every number of rerolls left."""
    player = Boltzmann(stored_table(rules, context=Context(home)), TEMPERATURE)
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
    """(n, thetas, gammas, depths, slots): what the choices seem worth compared with the best."""
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
    """Indices of questions in the pool, no two of one state, and the information of each in bits."""
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
        information = np.array([_entropy(likely @ one).mean() - (likely @ of).mean() for one, of in pairs])
        information[np.isin(states, states[chosen])] = -np.inf
        best = int(information.argmax())
        chosen.append(best)
        tells.append(float(information[best]) / float(np.log(2)))
        answers = draw_choices(chances[best][answering], generator)
        known += np.log(chances[best][:, answers].T + TINY)
        progress(round_ + 1, n)
    return chosen, tells


def _entropy(chances: NDArray[np.float32]) -> NDArray[np.float32]:
    """In nats, over the last axis."""
    return np.asarray(-(chances * np.log(chances + TINY)).sum(axis=-1))


def _chosen_question(rules: Ruleset, pool: Record, values: NDArray[np.float32], i: int, tells: float) -> Question:
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
