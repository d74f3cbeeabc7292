"""What the page's estimate of a chance costs: `PYTHONPATH=tests python tests/site/estimate_loss.py [GAMES]`.

The page plays for a target as long as its chances are an estimate, and every decision is judged by the exact
chances (`yatzy chance` solves and keeps them). Prints, for each target, the greatest chance and what is lost on
average, in percentage points, with its standard error. Some minutes; the table in docs/page.md is made by it.
"""

import sys
from statistics import mean, stdev

from web_scripts import WEB, run_script
from yatzy.game.action import actions_of
from yatzy.game.situation import Situation
from yatzy.rules import State, scandinavian
from yatzy.solver.from_here import advise_for_target
from yatzy.solver.goal import reach
from yatzy.solver.store import stored_goal, stored_table

TARGETS = (200, 215, 230, 245, 260, 275, 290, 305, 320)


def lost(chances, table, decisions) -> float:
    """What the decisions of one game cost, in all."""
    cost = 0.0
    for one in decisions:
        state = State(one["set"], one["upper"])
        here = Situation.of(table.rules, one["dice"], one["rerolls"], state)
        advice = advise_for_target(chances, table, here, one["points"], one["target"])
        cost += advice[0].worth - advice.of(actions_of(table.rules)[one["action"]]).worth
    return cost


def main(games: int) -> None:
    rules = scandinavian()
    table, chances = stored_table(rules), stored_goal(rules, reach())
    rules_file = WEB / "play" / "data" / "scandinavian.json"
    played = run_script("estimates", rules_file, ",".join(map(str, TARGETS)), games)
    for target in TARGETS:
        costs = [100 * lost(chances, table, game) for game in played[str(target)]]
        error = stdev(costs) / len(costs) ** 0.5
        best = chances.value(State(), -target)
        print(f"{target}: {best:.1%}, lost {mean(costs):.2f} ± {error:.2f}", flush=True)


if __name__ == "__main__":
    main(int(sys.argv[1]) if len(sys.argv) > 1 else 200)
