"""Policies from functions: what they see, how rarely they are run, and what they may not do."""

import random

import numpy as np
import pytest

from games import JOKERS, REDUCED_GAMES, SAVING, SAVING_JOKERS, THREE_DICE, TWO_BOXES
from yatzy import Situation, YatzyError, solve
from yatzy.measure.exact import evaluate
from yatzy.policies.baselines import Random
from yatzy.policies.functions import FunctionPolicy, policy
from yatzy.policies.registry import find_policy
from yatzy.rules import State, scandinavian
from yatzy.solver.states import state_space
from yatzy.turn.lattice import lattice


def most_points(here):
    """The category of the heuristic: most points, ties to the last box, the first if there are none."""
    best = max(here.points.values())
    return [box for box in here.points if here.points[box] == best][-1 if best else 0]


def hold_the_most(here):
    face = max(range(1, here.rules.faces + 1), key=lambda f: (here.counts[f - 1], f))
    return [die for die in here.dice if die == face] if here.rerolls else most_points(here)


@pytest.mark.parametrize("rules", [*REDUCED_GAMES, JOKERS], ids=lambda rules: rules.name)
def test_scoring_where_it_pays_most_is_that_of_the_heuristic(rules):
    heuristic = find_policy("heuristic", rules)
    space = state_space(rules)
    possible = space.reachable & ~np.asarray(rules.is_finished(space.masks))[:, None]
    row, upper = np.nonzero(possible)
    filled = space.masks[row]
    mine = FunctionPolicy(hold_the_most, rules).decide(filled, upper)
    np.testing.assert_array_equal(mine.category, heuristic.decide(filled, upper).category)


@pytest.mark.parametrize("rules", [TWO_BOXES, JOKERS, SAVING, SAVING_JOKERS], ids=lambda rules: rules.name)
def test_any_policy_as_a_function_has_the_same_distribution(rules):
    """A random policy, put into a function situation by situation, is evaluated to the same number."""
    player = Random(rules, seed=3)

    def same(here: Situation) -> object:
        decisions = player.decide(np.array([here.state.filled]), np.array([here.upper]))
        roll = rules.rolls.index(here.dice)
        if here.rerolls:
            keep = decisions.keep[0, here.rerolls - 1, roll]
            if not (rules.saves_throws and keep == roll):
                return lattice(rules.dice, rules.faces).keeps[keep]
        category = decisions.category[0, here.rerolls, roll] if rules.saves_throws else decisions.category[0, roll]
        return rules.categories[category].name

    found, expected = evaluate(policy(same, rules=rules)), evaluate(player)
    np.testing.assert_allclose(found.distribution.pmf, expected.distribution.pmf, atol=1e-14)


def test_a_function_is_run_once_for_what_it_can_tell_apart():
    n_rolls = len(THREE_DICE.rolls)
    blind = FunctionPolicy(lambda here: here.dice[:1] if here.rerolls else here.open[0], THREE_DICE)
    evaluate(blind)
    # Keeps are asked for once per roll and number of rerolls, boxes for the four sets that occur in this order.
    assert blind.runs == 2 * n_rolls + 4 * n_rolls
    asks = FunctionPolicy(
        lambda here: [] if here.rerolls else "run" if "run" in here.open else here.open[0], THREE_DICE
    )
    evaluate(asks)
    assert asks.runs == 2 * n_rolls + (1 + 3) * n_rolls


def test_what_a_situation_tells():
    here = Situation.parse("1 2 2 | 1 | twos @ 4", THREE_DICE)
    assert (here.dice, here.counts, here.rerolls, here.upper, here.turn, here.saved) == (
        (1, 2, 2),
        (1, 2, 0, 0),
        1,
        4,
        2,
        0,
    )
    assert (list(here.open), here.filled, here.state) == (["ones", "fours", "run"], ["twos"], State(0b10, 4))
    assert (dict(here.points), len(here.points)) == ({"ones": 1, "fours": 0, "run": 0}, 3)
    assert here.points.get("twos", -1) == -1
    assert ("twos" in here.open, "ones" in here.open, here.open[-1]) == (False, True, "run")
    assert repr(here) == "Situation('1 2 2 | 1 | twos @ 4')"
    assert Situation.parse(str(here), THREE_DICE) == here
    with pytest.raises(KeyError):
        _ = here.points["twos"]


def test_answers_in_words_or_numbers_are_the_same():
    here = Situation.parse("1 2 2 | 1 | twos @ 4", THREE_DICE)
    for answer, words in [
        ([2, 2], "keep 2 2"), ("2 2", "keep 2 2"), ("22", "keep 2 2"), ("keep 2 2", "keep 2 2"),
        ((), "keep nothing"),
        ("nothing", "keep nothing"), ("-", "keep nothing"), ("run", "score run"), ("score Run", "score run"),
        (np.array([2]), "keep 2"),
    ]:  # fmt: skip
        assert str(policy(lambda _, said=answer: said, rules=THREE_DICE, name="says")(here)) == words


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda here: [4, 4, 4] if here.rerolls else "ones", "holds [4, 4, 4], which is not part of its dice"),
        (lambda here: here.dice, "holds (1, 1, 1) with dice 1 1 1 and no reroll left; allowed is a box"),
        (lambda here: "poker", "answers 'poker'; allowed is a box such as 'ones', or dice to hold"),
        (lambda here: None, "answers None; allowed is a box"),
        (lambda here: "ones", "with dice 1 1 1 in state 'ones @ 0' it scores ones, which is not open"),
        (
            lambda here: here.open[0] if here.rerolls else here.open[-1],
            "in '1 1 1 | 1 | - @ 0' it scores ones, but with no rerolls left run; allowed is one box for",
        ),
    ],
)  # fmt: skip
def test_an_answer_that_is_not_allowed_is_a_sentence(function, sentence):
    with pytest.raises(YatzyError) as error:
        evaluate(policy(function, rules=THREE_DICE, name="mine"))
    assert sentence in str(error.value)
    assert "'mine'" in str(error.value)


def test_a_function_that_is_not_deterministic_is_noticed():
    dice = random.Random(1)

    def whims(here):
        if dice.random() < 0.5:
            _ = here.upper
        return here.dice if here.rerolls else here.open[0]

    with pytest.raises(YatzyError, match="allowed is a deterministic function"):
        evaluate(policy(whims, rules=THREE_DICE))


def test_an_error_in_the_function_says_where_it_was():
    def broken(here):
        return here.points["no such box"] if here.rerolls == 0 else []

    with pytest.raises(YatzyError) as error:
        evaluate(policy(broken, rules=THREE_DICE))
    assert error.value.__notes__[0].startswith("policy 'broken' was asked about '1 1 1 | 0 | ")


def test_the_vectorised_form_plays_the_same():
    def quick(states):
        most = states.counts * (states.counts == states.counts.max(axis=1, keepdims=True))
        last = most.shape[1] - 1 - (most[:, ::-1] > 0).argmax(axis=1)
        held = most * (np.arange(most.shape[1]) == last[:, None])
        points = states.points
        final = points.shape[2] - 1 - points[:, :, ::-1].argmax(axis=2)
        return np.where(points.max(axis=2) > 0, final, points.argmax(axis=2)), states.keep_ids(held)

    fast = evaluate(policy(quick, rules=THREE_DICE, vectorised=True))
    slow = evaluate(policy(hold_the_most, rules=THREE_DICE))
    np.testing.assert_allclose(fast.distribution.pmf, slow.distribution.pmf, atol=1e-14)


@pytest.mark.parametrize(
    ("function", "sentence"),
    [
        (lambda states: 3, "answers with int; allowed is a pair"),
        (
            lambda states: (np.zeros((2, 2), int), np.zeros(1, int)),
            "its category has shape (2, 2); allowed is (1, 20)",
        ),
    ],
)
def test_a_vectorised_answer_of_the_wrong_form_is_a_sentence(function, sentence):
    with pytest.raises(YatzyError) as error:
        evaluate(policy(function, rules=THREE_DICE, vectorised=True))
    assert sentence in str(error.value)


def test_a_function_may_answer_with_the_actions_of_advice():
    """Values that are no text and no dice shared one place in the cache of answers."""
    table = solve(THREE_DICE)
    asked = FunctionPolicy(lambda here: table.advise(here).best, THREE_DICE)
    for text in ("1 2 2 | 1 | twos @ 4", "1 2 4 | 2 | - @ 0", "4 4 4 | 0 | - @ 0"):
        here = Situation.parse(text, THREE_DICE)
        assert asked(here) == table.advise(here).best


def test_what_splits_the_states_is_said_before_a_long_evaluation():
    """By attribute, with the number of cases and the seconds that follow."""

    def best_paying(here):
        return [] if here.rerolls else max(here.points, key=here.points.get)

    seconds, why = FunctionPolicy(best_paying).estimate()
    n_sets, n_rolls = scandinavian().n_sets, len(scandinavian().rolls)
    assert why == f"it looks at `points`, which splits the states into {n_sets * n_rolls + 2 * n_rolls:,} cases"
    assert 8 < seconds < 600
    seconds, why = FunctionPolicy(lambda here: here.open[here.upper % 1]).estimate()
    assert why.startswith("it looks at `")
    assert "`upper`" in why
    assert seconds > 500
    assert FunctionPolicy(lambda here: "ones" if "ones" in here.open else "twos").estimate()[1] == ""


def test_a_function_that_fails_where_it_never_comes_is_estimated_too():
    def only_at_first(here):
        return {1: "ones", 2: "twos"}[here.turn]

    seconds, _ = FunctionPolicy(only_at_first).estimate()
    assert seconds > 0
