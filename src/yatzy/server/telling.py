"""Advice as it is told over HTTP."""

from typing import cast

from yatzy.coach.advice import Advice, AdvisedAction
from yatzy.coach.by_chance import ChanceAdvice
from yatzy.coach.words import chance_lead_word
from yatzy.game.aim import Aim, Card
from yatzy.server import answers


def tell_advice(state: answers.StateTold, dice: list[int], rerolls: int, advice: Advice) -> answers.AdviceTold:
    """Advice for the mean, or under a risk."""
    told = {
        **state, "dice": dice, "rerolls": rerolls, "value": advice.value, "lead": advice.lead,
        "actions": [tell_action(action) for action in advice.actions],
    }  # fmt: skip
    return cast(answers.AdviceTold, told)


def tell_action(action: AdvisedAction) -> answers.ActionTold:
    """As `AdvisedAction.to_json` has it."""
    told: answers.ActionTold = {"action": action.action, "value": action.value, "regret": action.regret}
    if action.keep is not None:
        told["keep"] = action.keep
    elif action.category is not None and action.points is not None:
        told["category"] = action.category
        told["points"] = action.points
        if action.extra:
            told["extra"] = action.extra
    if action.detail is not None:
        bonus_chance, told["improve_chance"], outcomes = action.detail
        if bonus_chance is not None:
            told["bonus_chance"] = bonus_chance
        told["outcomes"] = [
            {"category": category, "points": points, "prob": prob} for category, points, prob in outcomes
        ]
    return told


def tell_by_chance(told: answers.AdviceTold, aim: Aim, mine: Card, found: ChanceAdvice) -> answers.AdviceTold:
    """The advice in the order of its chances."""
    known = {action["action"]: action for action in told["actions"]}
    goal: answers.GoalTold = {"chance": min(found.chance, 1.0), "exact": found.exact}
    if aim.target is None:
        goal["others"] = len(aim.others)
    else:
        goal["target"], goal["need"] = aim.target, max(aim.target - mine.points, 0)
    told["actions"] = [{**known[one.action], "chance": min(one.chance, 1.0)} for one in found.actions]
    told["value"] = found.actions[0].value
    told["lead"] = cast(answers.Lead, chance_lead_word(found.lead))
    told["goal"] = goal
    return told
