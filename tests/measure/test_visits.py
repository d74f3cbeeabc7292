"""The quick forward pass against the full one, and errors counted against a plain sum."""

import numpy as np
import pytest

from games import REDUCED_GAMES, SPECIAL_GAMES
from yatzy import action_values
from yatzy.measure.exact import evaluate, visit
from yatzy.measure.regret import CLOSE, Decided, add_errors
from yatzy.policies.baselines import Random
from yatzy.policies.optimal import Optimal
from yatzy.solver.advise import TIE
from yatzy.turn.lattice import lattice
from yatzy.turn.tables import continuation_of, turn_scratch, turn_tables


def decision_errors(policy, table, visits):
    """(all and close, rerolls + 1, n_uppers): probability of decisions that are not best."""
    weights = visits.copy()
    weights[-1] = 0.0
    filled, upper = np.nonzero(weights)
    errors = np.zeros((2, policy.rules.rerolls + 1, visits.shape[1]))
    decided = Decided(filled, upper, *policy.decide(filled, upper).by_level)
    turn, continuation = turn_tables(policy.rules), continuation_of(policy.rules, table.stored)
    add_errors(decided, weights[filled, upper], turn, continuation, errors, turn_scratch(policy.rules))
    return errors


@pytest.mark.parametrize("rules", [*REDUCED_GAMES, *SPECIAL_GAMES], ids=lambda rules: rules.name)
def test_visits_and_mean_are_those_of_the_full_pass(rules):
    policy = Random(rules)
    quick, full = visit(policy), evaluate(policy)
    assert quick.mean == pytest.approx(full.mean, abs=1e-12)
    assert quick.visits == pytest.approx(full.visits, abs=1e-12)


def test_optimal_play_makes_no_errors(reduced_table):
    policy = Optimal(reduced_table)
    errors = decision_errors(policy, reduced_table, visit(policy).visits)
    assert errors == pytest.approx(0, abs=1e-12)


def test_errors_of_random_play_are_those_of_a_plain_sum(reduced_rules, reduced_table):
    """The first decision of every turn: its rolls come straight from the cup."""
    policy = Random(reduced_rules)
    visits = visit(policy).visits
    errors = decision_errors(policy, reduced_table, visits)
    dice = lattice(reduced_rules.dice, reduced_rules.faces)
    first = reduced_rules.rerolls
    by_upper = np.zeros(visits.shape[1])
    close = 0.0
    for filled, upper in np.argwhere(visits[:-1] > 0).tolist():
        decided = policy.decide(np.array([filled]), np.array([upper]))
        values = action_values(reduced_table, filled, upper, np.arange(dice.n_rolls), first)
        for roll in range(dice.n_rolls):
            categories = values.category[roll]
            best = max(np.nanmax(categories), np.nanmax(np.append(values.keep[roll], -np.inf)))
            if first:
                kept = int(decided.keep[0, first - 1, roll])
                slot = int(np.flatnonzero(values.keep_ids[roll] == kept)[0])
                played = (
                    values.keep[roll, slot] if slot else _of_keeping_all(reduced_table, filled, upper, roll, first)
                )
            else:
                played = categories[decided.category[0, roll]]
            if best - played > TIE:
                by_upper[upper] += visits[filled, upper] * dice.prob_roll[roll]
                close += visits[filled, upper] * dice.prob_roll[roll] * (best - played < CLOSE)
    assert errors[0, first] == pytest.approx(by_upper, abs=1e-12)
    assert errors[1, first].sum() == pytest.approx(close, abs=1e-12)


def _of_keeping_all(table, filled, upper, roll, rerolls):
    """Holding all dice is the best that the roll offers with one reroll fewer."""
    values = action_values(table, filled, upper, roll, rerolls - 1)
    return max(np.nanmax(values.category[0]), np.nanmax(np.append(values.keep[0], -np.inf)))
