"""Why the best action is the best, in a sentence made of its own numbers.

A score is points now and what is left to come; its reason is that sum beside the box that brings most now (or,
where it brings most itself, beside the next best action):

    value = points + value of the state after

A keep is explained by how its turn ends most often, and by the chance of the bonus where that differs from the
next best action's.
"""

from yatzy.game.action import Keep
from yatzy.solver.advise import Advice, AdvisedAction

# Ends of a turn that are told, and the least chance worth telling.
ENDS_TOLD = 3
LEAST_CHANCE = 0.05
# Bonus chances that differ by less are the same to a person.
BONUS_DIFFERENCE = 0.01


def reason_of(advice: Advice) -> str:
    """One sentence; it needs the details of the best action if that is a keep."""
    best = advice.actions[0]
    if len(advice.actions) == 1:
        return "There is nothing else to do."
    told = _of_keep(best) if isinstance(best.action, Keep) else _of_score(best, advice.actions[1:])
    return told + _bonus(best, advice.actions[1])


def _of_keep(best: AdvisedAction) -> str:
    if not best.outcomes:
        return f"It is worth {best.value:.1f} points to come."
    by_box: dict[str, float] = {}
    crossed = 0.0
    for category, points, chance in best.outcomes:
        if points:
            by_box[category] = by_box.get(category, 0.0) + chance
        else:
            crossed += chance
    ends = sorted(by_box.items(), key=lambda end: -end[1])[:ENDS_TOLD]
    parts = [f"{category} ({chance:.0%})" for category, chance in ends if chance >= LEAST_CHANCE]
    if crossed >= LEAST_CHANCE:
        parts.append(f"a box crossed out ({crossed:.0%})")
    return f"The turn ends most often in {_listed(parts)}." if parts else "The turn may end in any box."


def _of_score(best: AdvisedAction, others: tuple[AdvisedAction, ...]) -> str:
    """Points now and later, beside the box that would bring more now or else the next best."""
    scores = [action for action in others if action.points is not None]
    if not scores or best.points is None:
        return f"Throwing on is worth {others[0].regret:.1f} less."
    most = max(scores, key=lambda action: action.points or 0)
    rival = most if (most.points or 0) > best.points else scores[0]
    now = (rival.points or 0) - best.points
    later = (best.value - best.points) - (rival.value - (rival.points or 0))
    if now > 0:
        return f"{_box(rival)} brings {now} more now, but leaves {later:.1f} less for later."
    if later >= 0:
        same = "as much" if now == 0 else f"{-now} more"
        return f"It brings {same} now and leaves {later:.1f} more for later than {_box(rival)}."
    return f"It brings {-now} more now than {_box(rival)}, and leaves only {-later:.1f} less for later."


def _bonus(best: AdvisedAction, second: AdvisedAction) -> str:
    mine, other = best.bonus_chance, second.bonus_chance
    if mine is None or other is None or abs(mine - other) < BONUS_DIFFERENCE:
        return ""
    return f" The bonus: {mine:.0%}, against {other:.0%} with the next best."


def _box(action: AdvisedAction) -> str:
    return (action.category or str(action.action)).title()


def _listed(parts: list[str]) -> str:
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} or {parts[-1]}"
