"""Values seen some turns ahead, against their definition; seen to the end they are those of the solver."""

import numpy as np
import pytest

from games import JOKERS, LOWER_FIRST, THREE_DICE
from naive_habits import Seen
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.measure.exact import visit
from yatzy.policies.optimal import Optimal
from yatzy.rules import scandinavian
from yatzy.solver.lookahead import full_depth, tables_by_depth
from yatzy.solver.states import state_space


def unfinished(rules):
    space = state_space(rules)
    return [tuple(map(int, state)) for state in np.argwhere(space.reachable[:-1])]


@pytest.mark.parametrize(
    ("rules", "theta"),
    [(LOWER_FIRST, 0.0), (LOWER_FIRST, 0.07), (LOWER_FIRST, -0.07), (THREE_DICE, 0.07)],
    ids=lambda one: getattr(one, "name", one),
)
def test_every_depth_is_what_its_definition_says(rules, theta):
    tables = tables_by_depth(rules, [2, 0, 1], theta)
    assert list(tables) == [0, 1, 2]
    for depth in (1, 2):
        naive = Seen(rules, depth - 1, theta)
        for filled, upper in unfinished(rules):
            expected = float(naive.points(naive.turn(filled, upper)))
            assert tables[depth].value(filled, upper) == pytest.approx(expected, abs=1e-9)
    secured = tables[0].values
    assert np.nanmax(secured) == pytest.approx(rules.bonus)
    assert set(np.unique(secured[~np.isnan(secured)]).round(9)) == {0.0, float(rules.bonus)}


def test_the_whole_game_is_seen_at_full_depth(reduced_rules, reduced_table):
    full = full_depth(reduced_rules)
    (table,) = tables_by_depth(reduced_rules, [full]).values()
    assert np.array_equal(table.stored, reduced_table.stored, equal_nan=True)


def test_one_turn_less_than_all_is_all_but_for_the_first(small_rules, small_table):
    """Wherever a box is filled, one turn fewer than boxes is enough: sweeps and the solver agree to the bit."""
    from yatzy.solver.lookahead import _secured, _sweep

    values = _secured(small_rules, 0.0)
    for _ in range(full_depth(small_rules)):
        values = _sweep(small_rules, 0.0, values, Context(threads=1, progress=lambda done, total: None))
    assert np.array_equal(values[1:], small_table.stored[1:], equal_nan=True)
    assert values[0, 0] < small_table.value()


@pytest.mark.parametrize("depth", [-1, 4, 1.5, True])
def test_a_depth_that_is_none_is_refused(small_rules, depth):
    with pytest.raises(YatzyError, match=r"depth: .* is not allowed; allowed is 0..3 turns ahead"):
        tables_by_depth(small_rules, [depth])


def test_other_games_than_plain_ones_are_refused():
    with pytest.raises(YatzyError, match="looking only some turns ahead is"):
        tables_by_depth(JOKERS, [0])


@pytest.mark.compiled
def test_who_sees_further_scores_more(published):
    """Exact means of the best play for what is seen, full game."""
    rules, study, depths = scandinavian(), published("profile"), [0, 1, 3]
    if study:
        found = {one["number"]: one["mean"] for one in study["ladders"] if one["habit"] == "depth"}
        means = [found[depth] for depth in depths]
    else:
        means = [visit(Optimal(table)).mean for table in tables_by_depth(rules, depths).values()]
    assert means == pytest.approx([200.7361, 211.6621, 232.3057], abs=1e-4)
    assert means[-1] < solve(rules).value()
