"""Golden situations: what the library says, for the engine of the page to say too.

    python -m yatzy.site.golden write FILE      sample situations, and write the library's answers in float64
    python -m yatzy.site.golden check FILE      is this still what the library says?

Situations are drawn from every layer of the state space with every number of rerolls, in every kind of game and
for every goal that the page knows. A line is

    [set, upper, saved, roll, rerolls, value, actions]
    [set, upper, saved, roll, rerolls, points, target, chance, actions]         with a target

where `actions` are the best one and all that are worth as much (to within TIE), as numbers: boxes first, then
keeps.
Outlooks, reasons, whole reviews and leaks are there too, fewer of them. tests/site runs both sides.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import replace
from functools import lru_cache
from itertools import islice
from pathlib import Path
from typing import Any, cast

import numpy as np

from yatzy.coach.leak import choices_in, evidence_of, leaks_in
from yatzy.coach.outlook import final_scores
from yatzy.coach.review import review
from yatzy.coach.why import explain, sentence
from yatzy.errors import YatzyError
from yatzy.game.action import Action, action_ids
from yatzy.game.aim import Aim
from yatzy.game.dice import SeededDice
from yatzy.game.game import Game
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, parse_log, rerolls_of
from yatzy.game.situation import Situation
from yatzy.game.start import Start
from yatzy.measure.exact import points_to_come
from yatzy.measure.parts import BoxParts
from yatzy.measure.simulate import play_logs, play_on
from yatzy.policies.baselines import Greedy, Heuristic
from yatzy.policies.optimal import Optimal
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.from_here import advise_for_target
from yatzy.solver.goal import reach
from yatzy.solver.goals import GoalTable, solve_goal
from yatzy.solver.solve import solve
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.storage import write_atomically
from yatzy.turn.outcomes import outcomes

SEED = 17
# Values of actions that are closer together than this are equal: the page has float32.
TIE = 2e-3
CHANCE_TIE = 1e-5
# What is added to values to see which parts hang on decisions that are nearly equal, and how far these may move.
NOISE, MOST_MOVED = 3e-5, 2e-5
# How many situations of each game and risk.
SITUATIONS = {
    ("scandinavian", 0.0): 700,
    ("scandinavian", -0.1): 120,
    ("scandinavian", -0.02): 80,
    ("scandinavian", 0.01): 80,
    ("scandinavian", 0.05): 120,
    ("scandinavian", 0.1): 60,
    ("scandinavian+five-as-full-house+four-as-two-pairs", 0.0): 90,
    ("scandinavian+forced-order", 0.0): 60,
    ("yahtzee", 0.0): 260,
    ("yahtzee", 0.05): 60,
    ("yahtzee+free-joker", 0.0): 100,
    ("yahtzee+no-joker", 0.0): 60,
    ("yahtzee+no-joker+no-extra-bonus", 0.0): 40,
    ("kniffel", 0.0): 150,
    ("yacht", 0.0): 80,
    ("yacht+saved-throws", 0.0): 120,
    ("yacht+saved-throws", -0.05): 40,
    ("yacht+saved-throws+forced-order", 0.0): 40,
}
# Situations in which several actions are equal, which are rare before the end.
TIES = {"scandinavian": 80, "yahtzee": 40}
# Targets: how many states to start from, and how many situations that follow each.
TARGETS = {"scandinavian": (3, 40), "yahtzee": (2, 30), "kniffel": (1, 30), "yacht": (1, 20)}
OPEN_BOXES = 7
OUTLOOKS = {
    ("scandinavian", 0.0): (0, 3, 6, 8, 11, 14),
    ("scandinavian", 0.05): (6, 10),
    ("yahtzee", 0.0): (3, 7, 10),
    ("kniffel", 0.0): (5, 9),
    ("yacht+saved-throws", 0.0): (8, 10),
}
# Reasons: for the best action, and for another one.
REASONS = {
    ("scandinavian", 0.0): 60,
    ("scandinavian", -0.02): 10,
    ("scandinavian", 0.05): 10,
    ("scandinavian+forced-order", 0.0): 10,
    ("yahtzee", 0.0): 30,
    ("kniffel", 0.0): 20,
    ("yacht", 0.0): 20,
}
REVIEWS = {"scandinavian": 3, "yahtzee": 2, "yacht": 1}
# How many games of a greedy player, who has habits.
LEAKS = {"scandinavian": 3, "yahtzee": 2, "yacht": 2}
# Games that stop as soon as the bonus is reached; the last decision of each was for a risk.
MAX_TRIED = 200
UNFINISHED = {"scandinavian": 2, "yahtzee": 1}


@lru_cache(maxsize=4)
def _table(name: str, theta: float) -> ValueTable:
    return solve(name, theta)


class Sampler:
    """Draws states and dice of a game, each layer as often as any other."""

    def __init__(self, name: str, kind: str) -> None:
        self.rules = ruleset(name)
        self.space = state_space(self.rules)
        self.rng = np.random.default_rng([SEED, *name.encode(), *kind.encode()])

    def state(self, n_filled: int) -> State:
        rules, space, rng = self.rules, self.space, self.rng
        filled = int(rng.choice(space.layers[n_filled]))
        saved = int(rng.integers(space.n_saved[filled]))
        uppers = np.flatnonzero(space.reachable_by_upper_set[space.upper_set[filled]])
        return State(filled | saved << rules.saved_shift, int(rng.choice(uppers)))

    def roll(self) -> int:
        """Special rolls as often as all others together."""
        special = outcomes(self.rules).special_rolls
        if special and self.rng.random() < 0.5:
            return int(self.rng.choice(special))
        return int(self.rng.integers(len(self.rules.rolls)))

    def rerolls(self, state: State) -> int:
        return int(self.rng.integers(self.rules.rerolls + state.saved(self.rules) + 1))


def _situations(name: str, theta: float, n: int) -> Iterator[list[Any]]:
    draw = Sampler(name, f"advice {theta}")
    yield from islice(_advised(draw, _table(name, theta), range(draw.rules.n_categories)), n)
    if not theta and name in TIES:
        late = range(draw.rules.n_categories - 4, draw.rules.n_categories)
        tied = (line for line in _advised(draw, _table(name, theta), late) if len(line[-1]) > 1)
        yield from islice(tied, TIES[name])


def _advised(draw: Sampler, table: ValueTable, layers: range) -> Iterator[list[Any]]:
    """Situations of some layers with what the library says there, without end."""
    numbers = action_ids(draw.rules)
    while True:
        state, roll = draw.state(int(draw.rng.choice(layers))), draw.roll()
        rerolls = draw.rerolls(state)
        found = table.advise(Situation.at(draw.rules, roll, rerolls, state))
        best = [numbers[one.action] for one in found if one.regret < TIE]
        place = [state.filled & draw.rules.n_sets - 1, state.upper, state.saved(draw.rules)]
        yield [*place, roll, rerolls, round(found[0].value, 5), best]


def _reasons(name: str, theta: float, n: int) -> Iterator[dict[str, Any]]:
    """By turns for the best action, against what a player asks about, and for another one.

    Between equal decisions the parts of later turns may be any: situations in which noise moves them are left out.
    """
    draw, table = Sampler(name, f"reasons {theta}"), _table(name, theta)
    rules, ids, noise = draw.rules, action_ids(draw.rules), NOISE * (abs(theta) or 1)
    noisy = replace(table, stored=table.stored + draw.rng.normal(0, noise, table.stored.shape))
    parts, moved = BoxParts(table, keep=False), BoxParts(noisy, keep=False)
    for one in (parts, moved):
        one.find(0)
    while n:
        state, roll = draw.state(int(draw.rng.integers(rules.n_categories))), draw.roll()
        here = Situation.at(rules, roll, draw.rerolls(state), state)
        found = explain(parts, table.advise(here))
        others = [one.action for one in found.advice if one.regret > 5 * TIE]
        if not others or len(others) < len(found.advice) - 1:
            continue
        reason = found.reason(others[draw.rng.integers(len(others))] if n % 2 else None)
        places = [i for i, one in enumerate(found.advice) if one.action in (reason.action, reason.rival)]
        actions = [found.advice[i].action for i in places]
        if np.abs(found.after.by_time[:, places] - moved.explain(here, actions).by_time).max() > MOST_MOVED:
            continue
        n -= 1
        yield {
            "at": [state.filled, state.upper, roll, here.rerolls], "rival": ids[cast("Action", reason.rival)],
            "now": np.round(found.after.by_time[0, places], 5).tolist(),
            "parts": np.round(found.parts[places], 5).tolist(),
            "clauses": as_json(reason)["clauses"], "lead": reason.lead, "sentence": sentence(rules, reason),
        }  # fmt: skip


def _targets(name: str, starts: int, n: int) -> Iterator[list[Any]]:
    draw = Sampler(name, "targets")
    rules, table = draw.rules, _table(name, 0.0)
    numbers = action_ids(rules)
    for _ in range(starts):
        goals = solve_goal(rules, reach(), draw.state(rules.n_categories - OPEN_BOXES), precision="float64")
        for _ in range(n):
            state = _follow(goals, draw, int(draw.rng.integers(OPEN_BOXES)))
            roll, rerolls = draw.roll(), int(draw.rng.integers(rules.rerolls + 1))
            value = table.value(state.filled, state.upper)
            most = _most_to_come(rules, state.filled)
            need = int(np.clip(draw.rng.normal(value, value / 3 + 5), 1, most))
            found = advise_for_target(goals, table, Situation.at(rules, roll, rerolls, state), 0, need)
            best = [numbers[one.action] for one in found if found[0].worth - one.worth < CHANCE_TIE]
            place = [state.filled, state.upper, 0, roll, rerolls, 0, need]
            yield [*place, round(found[0].worth, 7), best]


def _most_to_come(rules: Ruleset, filled: int) -> int:
    open_ids = [c for c in range(rules.n_categories) if not filled >> c & 1]
    return int(outcomes(rules).most_points[open_ids].sum()) + rules.bonus


def _follow(goals: GoalTable, draw: Sampler, turns: int) -> State:
    """A state some turns after the one that was solved from, by any outcomes."""
    ends, state = outcomes(goals.rules), goals.rows.first
    for _ in range(turns):
        allowed = list(ends.allowed(state.filled, draw.roll()).values())
        state = State(*map(int, ends.after(state.filled, state.upper, int(draw.rng.choice(allowed)))))
    return state


def _outlooks(name: str, theta: float, layers: tuple[int, ...]) -> Iterator[dict[str, Any]]:
    draw = Sampler(name, f"outlook {theta}")
    policy = Optimal(_table(name, theta))
    for n_filled in layers:
        state = draw.state(n_filled)
        to_come, bonus_rate = points_to_come(policy, state)
        told = final_scores(draw.rules, 0, to_come)
        yield {
            "set": state.filled & draw.rules.n_sets - 1, "upper": state.upper, "saved": state.saved(draw.rules),
            "mean": round(told.mean, 5), "sd": round(told.sd, 5), "bonus_rate": round(bonus_rate, 6),
            "quantiles": as_json(told.quantiles),
        }  # fmt: skip


def _reviews(name: str, n: int) -> Iterator[dict[str, Any]]:
    for i, log in enumerate(play_logs(Heuristic(ruleset(name)), n, seed=SEED)):
        # Of the last one, nobody knows the seed.
        yield _reviewed(log if i < n - 1 else replace(log, seed=None, game=None))
    for log in islice(_reached(name), UNFINISHED.get(name, 0)):
        yield _reviewed(log)
    yield _reviewed(_warned(next(iter(play_logs(Heuristic(ruleset(name)), 1, seed=SEED)))))
    for log in play_logs(Heuristic(ruleset(name)), 2, seed=SEED):
        yield _reviewed(taken_over(log, log.rules.n_categories // 2, log.game or 0))
    by_die = Game(name, dice=SeededDice(ruleset(name), SEED, scheme="by-die"))
    yield _reviewed(play_on(by_die, Heuristic(by_die.rules)).log())


def taken_over(log: GameLog, number: int, throws: int) -> GameLog:
    """The log as if it had been taken over from paper in turn `number` (from 0), after so many of its throws."""
    first, *later = log.turns[number:]
    throws = min(throws, len(first.keeps) + 1)
    points = zip(log.turns[:number], log.points, log.extras, strict=False)
    start = Start(
        {turn.category: all_points - extra for turn, all_points, extra in points},
        sum(log.extras[:number]),
        log.states[number].saved(log.rules),
        log.rerolls_at(number) - throws + 1 if throws else None,
    )
    cut = max(throws - 1, 0)
    began = replace(
        first, rolls=first.rolls[cut:], keeps=first.keeps[cut:], goals=first.goals[cut:], wanted=first.wanted[cut:]
    )
    return replace(log, start=start, turns=(began, *later))


def _warned(log: GameLog) -> GameLog:
    """The log as if the coach had warned of a third of the decisions, about anything that could be done."""
    table, rng = _table(log.rules.name, 0.0), np.random.default_rng(SEED)
    turns = []
    for turn, state in zip(log.turns, log.states, strict=False):
        wanted: list[Action | None] = []
        for throw, roll in enumerate(turn.rolls):
            here = Situation.of(log.rules, roll, rerolls_of(log.rules, state) - throw, state)
            options = [one.action for one in table.advise(here)]
            wanted.append(options[rng.integers(len(options))] if rng.random() < 1 / 3 else None)
        turns.append(replace(turn, wanted=tuple(wanted)))
    return replace(log, turns=tuple(turns))


def _reached(name: str) -> Iterator[GameLog]:
    """Games up to the turn that reached the bonus, where boxes are still open then."""
    for log in play_logs(Heuristic(ruleset(name)), MAX_TRIED, seed=SEED):
        n = next((n for n, state in enumerate(log.states) if state.upper >= log.rules.bonus_threshold), 0)
        if 0 < n < log.rules.n_categories:
            *before, last = log.turns[:n]
            goals = (None,) * (len(last.rolls) - 1) + (Aim(theta=0.05),)
            yield replace(log, turns=(*before, replace(last, goals=goals)))


def _reviewed(log: GameLog) -> dict[str, Any]:
    told = as_json(log)
    found = review(parse_log(told), _table(log.rules.name, 0.0))
    return {
        "log": told, "score": found.log.score, "bonus": found.log.bonus, "value_left": round(found.value_left, 5),
        "luck": round(found.luck, 5), "lost": round(found.lost, 5),
        "regrets": [round(decision.regret, 5) for decision in found.decisions], "spared": round(found.spared, 5),
        "replay": found.replay.score, "replay_value_left": round(found.replay.value_left, 5),
    }  # fmt: skip


def _leaks(name: str, n: int) -> dict[str, Any]:
    """The last game as if the coach had warned, and an answer."""
    rules, table = ruleset(name), _table(name, 0.0)
    logs = [replace(log, policy=None) for log in play_logs(Greedy(rules), n, seed=SEED)]
    logs[-1] = _warned(logs[-1])
    here = Situation.at(rules, 100, 1, logs[0].states[2])
    action = table.advise(here)[1].action
    found = leaks_in(rules, evidence_of(table, choices_in(rules, logs, [(here, action)])))
    told = as_json(found)
    for one in told["habits"]:
        del one["sentence"]
        for key in ("lost", "usual", "within", "expected", "z", "costs", "lost_each"):
            one[key] = round(one[key], 4)
    place = here.state.filled & rules.n_sets - 1, here.state.upper, here.roll_id, 1
    return {
        "rules": name, "games": [as_json(log) for log in logs], "answer": [*place, action_ids(rules)[action]],
        "decisions": told["decisions"], "lost": round(told["lost"], 5), "habits": told["habits"],
    }  # fmt: skip


def situations() -> dict[str, Any]:
    """Everything, with the library's answers."""
    return {
        "advice": [
            {"rules": name, "theta": theta, "situations": list(_situations(name, theta, n))}
            for (name, theta), n in SITUATIONS.items()
        ],
        "targets": [
            {"rules": name, "situations": list(_targets(name, starts, n))}
            for name, (starts, n) in TARGETS.items()
        ],
        "reasons": [
            {"rules": name, "theta": theta, "situations": list(_reasons(name, theta, n))}
            for (name, theta), n in REASONS.items()
        ],
        "outlooks": [
            {"rules": name, "theta": theta, "states": list(_outlooks(name, theta, layers))}
            for (name, theta), layers in OUTLOOKS.items()
        ],
        "reviews": [{"rules": name, "games": list(_reviews(name, n))} for name, n in REVIEWS.items()],
        "leaks": [_leaks(name, n) for name, n in LEAKS.items()],
    }  # fmt: skip


def as_text(found: dict[str, Any]) -> str:
    """One situation a line: a change shows as what it is."""
    text = json.dumps(found, separators=(",", ":"))
    return text.replace("],[", "],\n[").replace("},{", "},\n{") + "\n"


def main(arguments: list[str]) -> None:
    """What the Makefile calls."""
    if len(arguments) != 2 or arguments[0] not in ("write", "check"):
        sys.exit("yatzy: golden: write or check, and which file?")
    path = Path(arguments[1])
    try:
        text = as_text(situations())
        if arguments[0] == "write":
            write_atomically(path, text.encode())
        elif not path.is_file() or path.read_text(encoding="utf-8") != text:
            sys.exit(f"yatzy: golden: {path} is not what the library says; run: make golden")
    except YatzyError as error:
        sys.exit(f"yatzy: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
