"""Answers to the quiz in a file, kept after each of them: who leaves goes on later.

    {"format": "yatzy-answers", "version": 1, "rules": "scandinavian",
     "answers": [{"situation": "1 3 3 5 6 | 2 | ones @ 3", "choice": "keep 3 3"}]}

Answers are kept by situation and name, not by number: they outlive a quiz that is chosen anew.
"""

import json
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.files import ReadError, read_outside_text, write_whole
from yatzy.profiles.quiz import Quiz

FORMAT = "yatzy-answers"
VERSION = 1


def write_answers(quiz: Quiz, answers: dict[int, int], path: Path) -> Path:
    """Choices by question, written whole or not at all."""
    content = {
        "format": FORMAT,
        "version": VERSION,
        "rules": quiz.rules.name,
        "answers": [
            {"situation": quiz.questions[number].situation, "choice": quiz.questions[number].choices[choice]}
            for number, choice in answers.items()
        ],
    }
    return write_whole(path, json.dumps(content, indent=1).encode() + b"\n")


def read_answers(quiz: Quiz, path: Path) -> dict[int, int]:
    """The answers of a file that are to questions of this quiz; none if there is no file yet."""
    if not path.exists():
        return {}
    try:
        content = json.loads(read_outside_text(path, "answers"))
    except ReadError:
        raise
    except (ValueError, RecursionError) as error:
        raise YatzyError("answers", path, why=f"is not JSON ({error})") from None
    if not isinstance(content, dict) or content.get("format") != FORMAT or content.get("version") != VERSION:
        raise YatzyError("answers", path, "a file that it wrote", "does not hold answers to the quiz")
    if content.get("rules") != quiz.rules.name:
        raise YatzyError(
            "answers", path, why=f"is of {content.get('rules')!r}; the quiz is for {quiz.rules.name!r}"
        )
    numbers = {question.situation: number for number, question in enumerate(quiz.questions)}
    answers: dict[int, int] = {}
    for place, answer in enumerate(_list(path, content.get("answers"))):
        if not isinstance(answer, dict) or set(answer) != {"situation", "choice"}:
            raise YatzyError(f"answers[{place}]", answer, why="is not an object with situation and choice")
        number = numbers.get(answer["situation"])
        if number is not None:
            answers[number] = quiz.questions[number].number_of(answer["choice"])
    return answers


def _list(path: Path, given: Any) -> list[Any]:
    if not isinstance(given, list):
        raise YatzyError("answers", path, why="has no list of answers")
    return given
