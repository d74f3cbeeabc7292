"""Answers to the quiz in a file, kept after each of them: who leaves goes on later.

    {"format": "yatzy-answers", "version": 1, "rules": "scandinavian",
     "answers": [{"situation": "1 3 3 5 6 | 2 | ones @ 3", "choice": "keep 3 3"}]}

Answers are kept by situation and name, not by number: they outlive a quiz that is chosen anew.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from yatzy.errors import YatzyError
from yatzy.files import ReadError, read_outside_text, write_whole
from yatzy.game.json import as_json, check_json
from yatzy.game.situation import Situation
from yatzy.profiles.quiz import Quiz, parse_choice
from yatzy.rules import Ruleset


@dataclass(frozen=True)
class Answer:
    situation: str
    choice: str


@dataclass(frozen=True)
class Answers:
    """The file."""

    format: Literal["yatzy-answers"]
    version: Literal[1]
    rules: Ruleset
    answers: tuple[Answer, ...]


def write_answers(quiz: Quiz, answers: dict[int, int], path: Path) -> Path:
    """Choices by question, written whole or not at all."""
    asked = ((quiz.questions[number], choice) for number, choice in answers.items())
    given = tuple(Answer(str(one.situation), one.text(one.choices[choice])) for one, choice in asked)
    content = as_json(Answers("yatzy-answers", 1, quiz.rules, given))
    return write_whole(path, json.dumps(content, indent=1).encode() + b"\n")


def read_answers(quiz: Quiz, path: Path) -> dict[int, int]:
    """The answers of a file that are to questions of this quiz; none if there is no file yet."""
    if not path.exists():
        return {}
    try:
        told = check_json(Answers, json.loads(read_outside_text(path, "answers")), "file")
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
