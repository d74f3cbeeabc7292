"""Advice: values of the library to the last bit, and details equal to a brute-force twin."""

from itertools import islice, product

import numpy as np
import pytest

from games import TWO_BOXES
from naive_policies import NaivePolicy
from samples import assert_same_as_advise
from yatzy import YatzyError, solve
from yatzy.coach.advice import FEW, MAX_DETAILS, Coach, stored_coach
from yatzy.coach.outlook import BonusChances
from yatzy.context import Context
from yatzy.game.action import Keep, Score, parse_action
from yatzy.game.json import as_json
from yatzy.game.situation import Situation
from yatzy.lab.bench.processes import random_situations
from yatzy.policies.optimal import Optimal
from yatzy.rules import State, parse_category
from yatzy.solver.advise import LEAD_WORDS, LOSS_WORDS, lead_word, loss_word, word_limits
from yatzy.solver.states import state_space


def situations(rules, n, seed):
    columns = [column.tolist() for column in random_situations(rules, n, seed)]
    return [(filled, upper, rules.rolls[roll], left) for filled, upper, roll, left in zip(*columns, strict=True)]


@pytest.mark.compiled
def test_values_are_those_of_the_library_to_the_last_bit(coach):
    for situation in situations(coach.rules, 300, seed=1):
        assert_same_as_advise(coach, *situation)


@pytest.mark.compiled
@pytest.mark.parametrize("theta", [-0.05, 0.02])
def test_values_for_other_thetas_too(policy_of, theta):
    table = policy_of("optimal", theta).table
    coach = Coach(table, BonusChances(table))
    late = [s for s in situations(coach.rules, 2_000, seed=2) if s[0].bit_count() >= 8][:30]
    for situation in late:
        assert_same_as_advise(coach, *situation)


def some_situations(rules, step):
    """Every few of all situations."""
    states = np.argwhere(state_space(rules).reachable[: rules.all_filled]).tolist()
    everything = product(states, rules.rolls, range(rules.rerolls + 1))
    return [(*state, roll, rerolls) for state, roll, rerolls in islice(everything, 0, None, step)]


def assert_details(coach):
    """Every detail, in every 17th situation."""
    rules, table = coach.rules, coach.table
    twin = NaivePolicy(Optimal(table))
    for filled, upper, roll, rerolls in some_situations(rules, step=17):
        assert_same_as_advise(coach, filled, upper, roll, rerolls)
        now = table.advise(roll, 0, filled, upper).value
        here = Situation.of(rules, roll, rerolls, State(filled, upper))
        for action in coach.advise(here, MAX_DETAILS)[:MAX_DETAILS]:
            if action.keep is None:
                ends = {(parse_category(rules, action.category), action.points): 1}
            else:
                ends = twin.after_keep(filled, upper, action.keep, rerolls)
            told = {(parse_category(rules, name), points): prob for name, points, prob in action.outcomes}
            assert told == pytest.approx({end: float(prob) for end, prob in ends.items()}, abs=1e-14)
            assert list(told.values()) == sorted(told.values(), reverse=True)
            bonus, improve = 0.0, 0.0
            for (category_id, points), prob in ends.items():
                after = filled | 1 << category_id, upper
                if rules.categories[category_id].upper:
                    after = after[0], min(upper + points, rules.bonus_threshold)
                bonus += float(prob) * twin.bonus_chance(*after)
                improve += float(prob) * (points + table.value(*after) > now + 1e-9)
            assert action.bonus_chance == pytest.approx(bonus, abs=1e-13)
            assert action.improve_chance == pytest.approx(improve, abs=1e-13)


def test_details_of_a_reduced_game(small_table):
    assert_details(Coach(small_table, BonusChances(small_table)))


@pytest.mark.parametrize("theta", [-0.3, 0.4])
def test_details_for_other_thetas(theta):
    table = solve(TWO_BOXES, theta)
    assert_details(Coach(table, BonusChances(table)))


@pytest.mark.compiled
def test_outcomes_give_back_the_value(coach):
    """Sum of prob * (points + value after), for the best few actions of many situations."""
    rules = coach.rules
    for filled, upper, roll, rerolls in situations(rules, 60, seed=3):
        for action in coach.advise(Situation.of(coach.rules, roll, rerolls, State(filled, upper)), 5).actions[:5]:
            worth, weight = 0.0, 0.0
            for name, points, prob in action.outcomes:
                category_id = parse_category(rules, name)
                lift = points if rules.categories[category_id].upper else 0
                after = filled | 1 << category_id, min(upper + lift, 63)
                worth += prob * (points + coach.table.value(*after))
                weight += prob
            assert weight == pytest.approx(1, abs=1e-12)
            assert worth == pytest.approx(action.value, abs=1e-9)


def test_only_the_best_few_have_details(small_table):
    coach = Coach(small_table, BonusChances(small_table))
    here = Situation.of(coach.rules, (1, 2, 4), 2, State())
    advice = coach.advise(here)
    asked = [True] * 3 + [False] * 8
    assert [one.bonus_chance is not None for one in advice] == asked
    assert [one.improve_chance is not None for one in advice] == asked
    assert [bool(one.outcomes) for one in advice] == asked
    bare = ("bonus_chance", "improve_chance", "outcomes")
    assert all([getattr(one, name) for name in bare] == [None, None, ()] for one in coach.advise(here, 0))
    [only] = coach.advise(Situation.of(coach.rules, (1, 2, 4), 0, State(0b111, 3)), 8)
    assert (only.action, only.category, only.points, only.keep) == (Score("run"), "run", 0, None)
    keep = advice.of(Keep())
    assert (keep.keep, keep.category, keep.points) == ((), None, None)


def test_advice_as_json(small_table):
    rules = small_table.rules
    advice = Coach(small_table, BonusChances(small_table)).advise(Situation.of(rules, (4, 2, 1), 1, State(1, 3)))
    told = as_json(advice)
    actions = told.pop("actions")
    assert told == {
        "dice": [1, 2, 4], "rerolls": 1, "filled": ["ones"], "upper": 3, "theta": 0.0, "goal": "mean",
        "rules": "three-dice", "value": advice.value, "lead": advice.lead,
    }  # fmt: skip
    for number, (one, answer) in enumerate(zip(advice, actions, strict=True)):
        kind = {"keep"} if isinstance(one.action, Keep) else {"category", "points"}
        more = {"bonus_chance", "improve_chance", "outcomes"} if number < FEW else set()
        assert set(answer) == {"action", "value", "regret"} | kind | more
        assert parse_action(rules, answer["action"]) == one.action
        assert answer["action"] == (
            f"score {answer['category']}"
            if "category" in answer
            else f"keep {' '.join(map(str, answer['keep'])) or 'nothing'}"
        )


def test_bad_situations_are_refused(small_table):
    coach = Coach(small_table, BonusChances(small_table))
    with pytest.raises(YatzyError, match="filled: the game is finished"):
        coach.advise(Situation.of(coach.rules, (1, 2, 4), 0, State(0b1111, 3)))
    with pytest.raises(YatzyError, match="upper: 9 cannot occur"):
        coach.advise(Situation.of(coach.rules, (1, 2, 4), 0, State(0b1, 9)))
    with pytest.raises(YatzyError, match="upper: 99 is outside"):
        coach.advise(Situation.of(coach.rules, (1, 2, 4), 0, State(0b1, 99)))
    with pytest.raises(YatzyError, match="filled: -1 is outside"):
        coach.advise(Situation.of(coach.rules, (1, 2, 4), 0, State(-1, 0)))
    with pytest.raises(YatzyError, match="details: 9 is not allowed"):
        coach.advise(Situation.of(coach.rules, (1, 2, 4), 0, State()), 9)


def test_float32_is_not_enough(small_rules):
    table = solve(small_rules, precision="float32")
    with pytest.raises(YatzyError, match="precision: 'float32' is not exact enough"):
        Coach(table, BonusChances(table))


def test_a_stored_coach_reads_its_files(small_rules, tmp_path):
    first, again = (stored_coach(small_rules, Context(tmp_path)) for _ in range(2))
    assert again.table.stored.tobytes() == first.table.stored.tobytes()
    one, other = (coach.advise(Situation.of(coach.rules, (1, 2, 4), 2, State())) for coach in (first, again))
    assert one == other


def test_nobody_writes_to_a_coach(small_table):
    coach = Coach(small_table, BonusChances(small_table))
    for array in (coach.table.stored, coach.chances.from_mask(0)):
        with pytest.raises(ValueError, match="read-only"):
            array[0, 0] = 1.0


@pytest.mark.parametrize(
    ("regret", "word"),
    [
        (0.0, "perfect"), (1e-9, "perfect"), (1.1e-9, "fine"), (0.4999, "fine"), (0.5, "inaccuracy"),
        (1.9999, "inaccuracy"), (2.0, "mistake"), (4.9999, "mistake"), (5.0, "blunder"), (99.0, "blunder"),
    ],
)  # fmt: skip
def test_words_for_what_was_lost(regret, word):
    assert loss_word(regret) == word


@pytest.mark.parametrize(
    ("lead", "word"),
    [
        (None, "only choice"), (0.0, "equal"), (1e-9, "equal"), (0.4999, "close call"), (0.5, "clear"),
        (1.9999, "clear"), (2.0, "obvious"),
    ],
)  # fmt: skip
def test_words_for_the_lead(lead, word):
    assert lead_word(lead) == word


def test_the_thresholds_are_told():
    assert word_limits()["loss"] == {"perfect": 1e-9, **dict(LOSS_WORDS)}
    assert word_limits()["lead"] == {"equal": 1e-9, **dict(LEAD_WORDS)}


def test_the_lead_is_that_of_the_best_action(small_table):
    coach = Coach(small_table, BonusChances(small_table))
    for _, _, roll, rerolls in some_situations(small_table.rules, step=97):
        advice = coach.advise(Situation.of(coach.rules, roll, rerolls, State()))
        assert advice.lead == lead_word(advice[1].regret)
        assert advice.value == advice[0].value
    assert coach.advise(Situation.of(coach.rules, (1, 2, 4), 0, State(0b111, 3))).lead == "only choice"
