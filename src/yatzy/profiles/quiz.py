"""The quiz: situations whose answers tell most about habits, with what every choice looks worth to every player.

    values[q][theta][gamma][depth][choice] = hundredths of a point that the choice looks behind the best

Whole numbers in a file of some 100 kB, so that a page can fit habits with a few lines and no solver. The questions
stand in the order in which they tell most: who stops early has answered the best ones.
"""

import json
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Annotated, Literal

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.errors import YatzyError
from yatzy.files import ReadError, read_outside_text, write_whole
from yatzy.game.action import Action, Keep, Score, parse_action
from yatzy.game.json import INLINE, as_json, check_json, from_json
from yatzy.game.situation import Situation
from yatzy.profiles.fit import Fit, Grid, log_likelihood
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import read_sealed, seal

FORMAT = "yatzy-quiz"
VERSION = 1
STEPS_PER_POINT = 100
KEEP_ALL = "keep all"
SHIPPED = Path(__file__).parent / "quiz.json"


@dataclass(frozen=True)
class Question:
    """A situation, its choices, and `behind` (thetas, gammas, depths, choices) in steps.

    `tells` is what the answer is expected to tell after those before it, in bits.
    """

    situation: Situation
    choices: tuple[Action, ...]
    behind: IntArray
    tells: float

    @property
    def values(self) -> FloatArray:
        """What the choices look worth beside the best, in points: 0 and below."""
        return -self.behind / STEPS_PER_POINT

    def number_of(self, action: Action) -> int:
        """The number of a choice; who scores with rerolls left holds all dice."""
        if isinstance(action, Score) and self.situation.rerolls:
            action = Keep(self.situation.dice)
        if action not in self.choices:
            raise YatzyError("choice", str(action), list(map(self.text, self.choices)), "is not one")
        return self.choices.index(action)

    def text(self, action: Action) -> str:
        """An action as files have it."""
        return KEEP_ALL if action == Keep(self.situation.dice) else str(action)


def parse_choice(at: Situation, text: str) -> Action:
    """An action from a file."""
    return Keep(at.dice) if text == KEEP_ALL else parse_action(at.rules, text)


@dataclass(frozen=True)
class Quiz:
    """Questions for one game, and the players they tell apart."""

    rules: Ruleset
    grid: Grid
    questions: tuple[Question, ...]
    seed: int

    def __len__(self) -> int:
        return len(self.questions)

    def fit(self, answers: dict[int, int]) -> Fit:
        """Fit answers, choices by question: not all have to be given."""
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
        """What its file holds."""
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
    return write_whole(path, content.encode() + b"\n")


@lru_cache(maxsize=4)
def read_quiz(path: str | Path = SHIPPED) -> Quiz:
    """A quiz from its file; the one that comes with the package if none is named."""
    path = Path(path)
    content = read_sealed(path, "quiz")
    if content.get("format") != FORMAT or content.get("version") != VERSION:
        raise YatzyError("quiz", path, why=f"is not a quiz of version {VERSION}")
    rules = ruleset(content["rules"])
    if content["fingerprint"] != rules.fingerprint:
        raise YatzyError("quiz", path, why=f"is for other rules than {rules.name!r} has now")
    questions = tuple(_question(rules, from_json(QuestionOfFile, one)) for one in content["questions"])
    return Quiz(rules, from_json(Grid, content), questions, content["seed"])


def _question(rules: Ruleset, told: QuestionOfFile) -> Question:
    at = Situation.parse(told.situation, rules)
    choices = tuple(parse_choice(at, text) for text in told.choices)
    return Question(at, choices, np.array(told.behind, np.int64), told.tells)


@dataclass(frozen=True)
class Answer:
    situation: str
    choice: str


@dataclass(frozen=True)
class QuizAnswers:
    """The file."""

    format: Literal["yatzy-answers"]
    version: Literal[1]
    rules: Ruleset
    answers: tuple[Answer, ...]


def write_answers(quiz: Quiz, answers: dict[int, int], path: Path) -> Path:
    """Choices by question, written whole or not at all."""
    asked = ((quiz.questions[number], choice) for number, choice in answers.items())
    given = tuple(Answer(str(one.situation), one.text(one.choices[choice])) for one, choice in asked)
    content = as_json(QuizAnswers("yatzy-answers", 1, quiz.rules, given))
    return write_whole(path, json.dumps(content, indent=1).encode() + b"\n")


def read_answers(quiz: Quiz, path: Path) -> dict[int, int]:
    """The answers of a file that are to questions of this quiz; none if there is no file yet."""
    if not path.exists():
        return {}
    try:
        told = check_json(QuizAnswers, json.loads(read_outside_text(path, "answers")), "file")
    except ReadError:
        raise
    except YatzyError as error:
        raise YatzyError("answers", path, why=f"does not hold answers to the quiz ({error})") from None
    except (ValueError, RecursionError) as error:
        raise YatzyError("answers", path, why=f"is not JSON ({error})") from None
    if told["rules"] != quiz.rules.name:
        raise YatzyError("answers", path, why=f"is of {told['rules']!r}; the quiz is for {quiz.rules.name!r}")
    numbers = {question.situation: number for number, question in enumerate(quiz.questions)}
    answers: dict[int, int] = {}
    for place, answer in enumerate(told["answers"]):
        try:
            at = Situation.parse(answer["situation"], quiz.rules)
            number = numbers.get(at)
            if number is not None:
                answers[number] = quiz.questions[number].number_of(parse_choice(at, answer["choice"]))
        except YatzyError as error:
            raise error.within(f"answers[{place}]") from None
    return answers
