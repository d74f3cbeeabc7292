"""Ten decisions of a first turn, with what every choice is worth: a reader can be told at once what theirs costs.

    regret(choice) = value of the best choice - value of the choice, on an empty card.

Beside them stand two players that never saw the solution: one that plays every turn for its most points, and the
bot that plays by patterns.
"""

from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yatzy.context import HERE, Context
from yatzy.dice import lattice
from yatzy.game.action import Action, actions_of
from yatzy.policy.base import Policy
from yatzy.policy.heuristic import Heuristic
from yatzy.policy.simple import Greedy
from yatzy.rules import Ruleset, format_category, parse_dice, ruleset
from yatzy.solver.store import stored_table

# Dice, rerolls left, and in half a sentence why the best choice is the best.
DECISIONS = (
    ("1 3 3 5 6", 2, "by a hair: the pair fits more boxes, the high dice score more"),
    ("1 2 3 4 6", 2, "a straight that lacks one die is missed more often than made, even with two throws"),
    ("1 2 2 6 6", 2, "three dice find another six more often than one die finds a full house"),
    ("5 5 5 6 6", 2, "the full house is good, but three fives with two throws to come are a little better"),
    ("2 3 4 5 5", 1, "one throw completes the straight one time in three; two fives are useful whatever falls"),
    ("4 4 5 6 6", 1, "with a single throw left, two pairs in hand beat the hope for a third six"),
    ("1 1 2 4 6", 0, "Ones is the box that a low score hurts least, and Chance is worth more later"),
    ("2 2 2 2 5", 0, "a fourth two is ahead of the bonus pace, and Four of a Kind waits for higher dice"),
    ("6 6 6 6 2", 0, "a fourth six puts you well ahead of the bonus pace; Four of a Kind can wait"),
    (
        "1 2 4 5 6",
        0,
        "there is nothing to be had, and perfect play crosses out Small Straight in most games anyway",
    ),
)


# Two who do not play for the average, and what they hold in the first of them.
CAUTIOUS, BOLD = -0.05, 0.05


@dataclass(frozen=True)
class QuizChoice:
    """An action, what it is worth and what it loses."""

    action: str
    value: float
    regret: float


@dataclass(frozen=True)
class QuizDecision:
    """One decision; `points` are those of the dice by box, `choices` all actions, best first, the regrets those of
    the two players.
    """

    dice: str
    rerolls: int
    why: str
    points: list[int]
    choices: list[QuizChoice]
    greedy_regret: float
    bot_regret: float


@dataclass(frozen=True)
class DecisionQuiz:
    """All of them, what the two players lose in total, and what two others hold in the first."""

    rules: str
    boxes: list[str]
    questions: list[QuizDecision]
    greedy_lost: float
    bot_lost: float
    cautious: str
    bold: str

    @property
    def key_figures(self) -> dict[str, float]:
        return {"greedy_lost": self.greedy_lost, "bot_lost": self.bot_lost}


def ask_questions(rules: str | Ruleset = "scandinavian", context: Context = HERE) -> DecisionQuiz:
    """Value every choice of every question."""
    table = stored_table(ruleset(rules), context=context)
    greedy, bot = Greedy(table.rules), Heuristic(table.rules)
    questions = []
    for dice, rerolls, why in DECISIONS:
        advice = table.advise(dice, rerolls)
        regrets = {one.action: one.regret for one in advice}
        roll = lattice(table.rules.dice, table.rules.faces).id_of(parse_dice(table.rules, dice))
        points = list(table.rules.scores[roll])
        questions.append(
            QuizDecision(
                dice,
                rerolls,
                why,
                points,
                [QuizChoice(str(one.action), one.value, one.regret) for one in advice],
                *(regrets[answer(one, dice, rerolls)] for one in (greedy, bot)),
            )
        )
    return DecisionQuiz(
        rules=table.rules.name,
        boxes=[format_category(table.rules, c) for c in range(table.rules.n_categories)],
        questions=questions,
        greedy_lost=sum(one.greedy_regret for one in questions),
        bot_lost=sum(one.bot_regret for one in questions),
        cautious=_first_action(table.rules, CAUTIOUS, context.home),
        bold=_first_action(table.rules, BOLD, context.home),
    )


def _first_action(rules: Ruleset, theta: float, home: Path | None) -> str:
    """What a player of this theta does in the first of them."""
    dice, rerolls, _ = DECISIONS[0]
    return str(stored_table(rules, theta, context=Context(home)).advise(dice, rerolls).best)


def answer(player: Policy, dice: str, rerolls: int) -> Action:
    """What a player does on an empty card; who holds all dice scores them."""
    rules = player.rules
    held = lattice(rules.dice, rules.faces)
    roll = held.id_of(parse_dice(rules, dice))
    decisions = player.decide(np.zeros(1, np.int64), np.zeros(1, np.int64))
    for left in range(rerolls, 0, -1):
        keep = int(decisions.keep[0, left - 1, roll])
        if keep != roll:
            return actions_of(rules)[rules.n_categories + keep]
    return actions_of(rules)[int(decisions.category[0, roll])]
