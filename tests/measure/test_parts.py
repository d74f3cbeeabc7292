"""Parts: exact fractions by a slow twin, sums that are values and regrets, and the file of a whole game."""

from fractions import Fraction
from functools import cache

import numpy as np
import pytest

from conftest import COMPUTE
from games import REDUCED_GAMES, SPECIAL_GAMES
from naive import after_scoring, open_categories
from naive_policies import NaivePolicy
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.action import action_ids
from yatzy.game.situation import Situation
from yatzy.measure import parts
from yatzy.measure.exact import policy_values
from yatzy.measure.parts import BoxParts, PartsLayout, computed_parts, load_parts, part_names, parts_path
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, ruleset
from yatzy.solver.states import state_space
from yatzy.turn.numpy_turn import NumpyTurn
from yatzy.turn.outcomes import outcomes

GAMES = (*REDUCED_GAMES, *SPECIAL_GAMES)


@pytest.fixture(scope="module", params=GAMES, ids=lambda rules: rules.name)
def table(request):
    return solve(request.param)


@pytest.fixture(scope="module")
def whole(table):
    return computed_parts(table, PartsLayout(table.rules, 0), Context(threads=2))


def states_of(rules):
    space = state_space(rules)
    rows, upper = np.nonzero(space.reachable)
    return space.masks[rows], upper


def twin_of(policy):
    """By state, what each part brings in exact fractions: every throw of the policy is followed."""
    rules, played = policy.rules, NaivePolicy(policy)
    names = part_names(rules)

    @cache
    def find(filled, upper):
        found = [Fraction(0)] * len(names)
        if not open_categories(rules, filled):
            if rules.bonus and upper >= rules.bonus_threshold:
                found[rules.n_categories] += rules.bonus
            return found
        for (box, points, extra, left), prob in played.ends(filled, upper).items():
            after = find(*after_scoring(rules, filled, upper, box, points, left))
            found = [one + prob * later for one, later in zip(found, after, strict=True)]
            found[box] += prob * points
            if extra:
                found[-1] += prob * extra
        return found

    return find


def assert_is_twin(table, found):
    twin = twin_of(Optimal(table))
    filled, upper = states_of(table.rules)
    wanted = [[float(one) for one in twin(*state)] for state in zip(filled.tolist(), upper.tolist(), strict=True)]
    np.testing.assert_allclose(found.of(filled, upper), wanted, rtol=0, atol=1e-12)


def test_parts_of_every_state_are_the_exact_fractions(table, whole):
    assert_is_twin(table, whole)


@pytest.mark.parametrize("theta", [-0.3, 0.2])
def test_under_a_risk_they_are_the_points_of_that_play(table, theta):
    risky = solve(table.rules, theta)
    found = computed_parts(risky, PartsLayout(table.rules, 0))
    filled, upper = states_of(table.rules)
    values = policy_values(Optimal(risky))[state_space(table.rules).row(filled), upper]
    np.testing.assert_allclose(found.of(filled, upper).sum(axis=1), values, rtol=0, atol=1e-12)


def test_what_follows_a_state_is_the_same_from_there(table, whole):
    rules = table.rules
    filled, upper = states_of(rules)
    for boxes in {int(mask) & rules.all_filled for mask in filled} - {rules.all_filled}:
        layout = PartsLayout(rules, boxes)
        here = filled & boxes == boxes
        found = computed_parts(table, layout)
        assert np.array_equal(found.of(filled[here], upper[here]), whole.of(filled[here], upper[here]))
        assert found.leads_to(boxes)
        assert found.leads_to(0) == (boxes == 0)


def test_a_regret_is_the_sum_of_its_parts(table):
    """In every fifth state of the game, in all its situations."""
    rules, found = table.rules, BoxParts(table, keep=False)
    for filled, upper in list(zip(*(column.tolist() for column in states_of(rules)), strict=True))[::5]:
        if rules.is_finished(filled):
            continue
        state = State(filled, upper)
        for roll in range(len(rules.rolls)):
            for rerolls in range(rules.rerolls + state.saved(rules) + 1):
                here = Situation.at(rules, roll, rerolls, state)
                advice = table.advise(here)
                told = found.explain(here, [one.action for one in advice]).by_time.sum(axis=0)
                lost = (told[0] - told).sum(axis=1)
                np.testing.assert_allclose(lost, [one.regret for one in advice], rtol=0, atol=1e-12)
                np.testing.assert_allclose(told.sum(axis=1), [one.value for one in advice], rtol=0, atol=1e-12)


def test_a_turn_can_be_played_for_something_else(small_table):
    """For the values themselves nothing changes; for another worth the turn ends with the most of it."""
    rules, ends = small_table.rules, outcomes(small_table.rules)
    here = Situation.parse("1 1 2 | 2 | -@0", rules)
    ids = action_ids(rules)
    actions = [one.action for one in small_table.advise(here)]
    asked = BoxParts(small_table, keep=False)
    after = ends.after(0, 0, np.arange(ends.n))
    values = ends.points + small_table.stored[after]
    played, usual = asked.explain(here, actions, values), asked.explain(here, actions)
    assert np.array_equal(played.by_time, usual.by_time)
    for worth in np.random.default_rng(1).random((20, ends.n)):
        turn = NumpyTurn(rules, small_table.stored, 0.0, 0, 0, 2, worth)
        most = dict(turn.ranked(here.roll_id))
        exits = turn.exits(here.roll_id, [ids[one] for one in actions])[0]
        np.testing.assert_allclose(exits @ worth, [most[ids[one]] for one in actions], rtol=0, atol=1e-12)
        brings = asked.find(0).of(*after).sum(axis=1) + ends.points
        now, later = asked.explain(here, actions, worth).by_time.sum(axis=2)
        np.testing.assert_allclose(now, exits @ ends.points, rtol=0, atol=1e-12)
        np.testing.assert_allclose(now + later, exits @ brings, rtol=0, atol=1e-12)


def test_the_parts_of_a_whole_game_are_kept(small_table, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "COMPUTED_FROM_HERE", 1)
    context = Context(tmp_path)
    path = parts_path(small_table, tmp_path)
    asked = BoxParts(small_table, context)
    assert asked.peek(0) is None
    seen = []
    found = asked.find(0, Context(tmp_path, progress=lambda *at: seen.append(at)))
    assert seen == sorted(seen)
    assert seen[-1][0] == seen[-1][1]
    kept = load_parts(small_table, tmp_path)
    assert np.array_equal(kept.numbers, found.numbers)
    # Nothing is worked out a second time.
    monkeypatch.setattr(parts, "computed_parts", None)
    assert np.array_equal(BoxParts(small_table, context).find(0).numbers, found.numbers)
    assert asked.find(5) is found
    monkeypatch.undo()
    # One that was damaged, or is of another table, is no answer.
    path.write_bytes(path.read_bytes()[:-8] + bytes(8))
    assert load_parts(small_table, tmp_path) is None
    other = solve(small_table.rules, 0.1)
    path.rename(parts_path(other, tmp_path))
    assert load_parts(other, tmp_path) is None


def test_few_open_boxes_write_no_file(small_table, tmp_path):
    found = BoxParts(small_table, Context(tmp_path)).find(0)
    assert found.layout.boxes == 0
    assert not parts_path(small_table, tmp_path).exists()


def test_where_nothing_can_be_written_there_is_a_notice(small_table, tmp_path, monkeypatch):
    monkeypatch.setattr(parts, "COMPUTED_FROM_HERE", 1)
    (tmp_path / "tables").write_text("in the way")
    told = []
    context = Context(tmp_path, notice=told.append)
    assert BoxParts(small_table, context).find(0, context).leads_to(0)
    assert "not kept" in told[0]


def test_what_is_too_large_is_refused_until_boxes_are_filled(small_table, monkeypatch):
    monkeypatch.setattr(parts, "MAX_NUMBERS", 100)
    asked = BoxParts(small_table, keep=False)
    with pytest.raises(YatzyError, match="too many states to say why"):
        asked.find(0)
    assert asked.find(0b0111).leads_to(0b1111)


# 2 2 2 4 4 with two rerolls and an empty card: a full house now, or the three twos kept?
FULL_HOUSE_NOW = {
    "full house": 7.26, "yatzy": 1.78, "twos": 1.06, "bonus": 0.95, "three of a kind": -0.67,
    "large straight": -0.28, "sixes": -0.22,
}  # fmt: skip


@pytest.mark.compiled
def test_the_cost_of_a_full_house_too_early(home):
    table = solve("scandinavian")
    here = Situation.parse("2 2 2 4 4 | 2 | - @ 0")
    advice = table.advise(here)
    told = BoxParts(table, Context(home)).explain(here, [one.action for one in advice]).by_time.sum(axis=0)
    place = [str(one.action) for one in advice].index("score full house")
    lost = told[0] - told[place]
    assert str(advice.best) == "keep 2 2 2"
    assert lost.sum() == pytest.approx(advice[place].regret, abs=1e-9)
    assert round(advice[place].regret, 4) == 9.6886
    by_name = dict(zip(part_names(table.rules), lost.tolist(), strict=True))
    assert {name: round(by_name[name], 2) for name in FULL_HOUSE_NOW} == FULL_HOUSE_NOW


# A game with jokers and extra points, one in a forced order, one that saves throws, and others.
SIX_GAMES = ("scandinavian", "yahtzee", "kniffel", "yacht", "yacht+saved-throws", "scandinavian+forced-order")


@pytest.mark.compiled
@pytest.mark.parametrize("name", SIX_GAMES)
def test_regrets_are_sums_in_whole_games(name):
    """With YATZY_COMPUTE=1 in 100,000 situations of six games together."""
    rules = ruleset(name)
    table, rng = solve(rules), np.random.default_rng(34)
    found = BoxParts(table, keep=False)
    found.find(0)
    masks, uppers = states_of(rules)
    playing = np.flatnonzero(~rules.is_finished(masks))
    worst = 0.0
    for i in rng.choice(playing, 17_000 if COMPUTE else 200):
        state = State(int(masks[i]), int(uppers[i]))
        rerolls = int(rng.integers(rules.rerolls + state.saved(rules) + 1))
        here = Situation.at(rules, int(rng.integers(len(rules.rolls))), rerolls, state)
        advice = table.advise(here)
        told = found.explain(here, [one.action for one in advice]).by_time.sum(axis=0)
        lost = (told[0] - told).sum(axis=1)
        worst = max(worst, float(np.abs(lost - [one.regret for one in advice]).max()))
    assert worst < 1e-9
    print(f"{name}: {worst:.1e}")
