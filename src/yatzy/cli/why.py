"""Why, at the terminal: the sentence, and the points box by box as bars."""

import numpy as np
from rich.console import Group
from rich.text import Text

from yatzy.cli.console import FELT, LOSS, MUTED
from yatzy.coach.why import ExplainedAdvice, sentence, warning
from yatzy.game.action import Action
from yatzy.measure.parts import part_names
from yatzy.rules import Ruleset


def draw_why(found: ExplainedAdvice, action: Action | None = None) -> Text:
    """Why the best action is better than this one; without one, than what a player asks about."""
    return Text(sentence(found.advice.rules, found.reason(action)), style=MUTED)


def part_labels(rules: Ruleset) -> list[str]:
    """What parts are called: boxes, the bonus, extra points."""
    return [box.name for box in rules.categories] + [
        name.title() for name in part_names(rules)[rules.n_categories :]
    ]


# Parts that are drawn: the most, the smallest, and the length of the longest bar.
MAX_PARTS, SMALLEST, LONGEST_BAR = 8, 0.05, 24


def draw_parts(found: ExplainedAdvice, action: Action | None = None) -> Group:
    """What each box, the bonus and extra points bring more after the best action, as bars."""
    reason = found.reason(action)
    if reason.rival is None:
        return Group()
    place = [one.action for one in found.advice].index(reason.rival)
    lost = found.parts[0] - found.parts[place]
    rules, order = found.advice.rules, np.argsort(-np.abs(lost), kind="stable")
    labels = part_labels(rules)
    shown = [i for i in order[:MAX_PARTS].tolist() if abs(lost[i]) >= SMALLEST]
    rows = [(labels[i], float(lost[i])) for i in shown] + [("all others", float(lost.sum() - lost[shown].sum()))]
    longest = max(abs(points) for _, points in rows) or 1.0
    lines = [Text(f"{found.advice.best} against {reason.rival}, in points on average:")]
    for label, points in rows:
        bar = ("█" if points > 0 else "░") * round(LONGEST_BAR * abs(points) / longest)
        lines.append(Text(f"  {label:<16}{points:+7.2f} ").append(bar, style=FELT if points > 0 else LOSS))
    note = "" if found.advice.goal == "mean" else "; these need not add up to what it costs"
    return Group(*lines, Text(f"  {'together':<16}{lost.sum():+7.2f}{note}"))


# Of what a player is about to give up: the most parts that are named, and the least, as a share of the first.
MAX_NAMED, SHARE = 2, 0.4


def describe_given_up(found: ExplainedAdvice, action: Action) -> str:
    """Why an action loses, and in which boxes, without giving the best one away."""
    place = next((i for i, one in enumerate(found.advice) if one.action == action), 0)
    lost = found.parts[0] - found.parts[place]
    if found.advice.goal != "mean" or lost.max() < SMALLEST:
        return ""
    named = [i for i in np.argsort(-lost, kind="stable")[:MAX_NAMED].tolist() if lost[i] >= SHARE * lost.max()]
    labels = part_labels(found.advice.rules)
    told = f"On average you give up {' and '.join(f'{lost[i]:.1f} in {labels[i]}' for i in named)}."
    return f"{warning(found.advice.rules, found.reason(action))} {told}".lstrip()
