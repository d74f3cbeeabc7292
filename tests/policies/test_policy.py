"""One contract for every policy that has a name, and what each of them promises beside it."""

from dataclasses import dataclass
from itertools import product

import numpy as np
import pytest

from yatzy import YatzyError, solve
from yatzy.measure.exact import evaluate, points_to_come, policy_values, visit
from yatzy.measure.regret import turn_regrets
from yatzy.measure.simulate import simulate
from yatzy.players.situations import situation_masses
from yatzy.policies.baselines import Heuristic, Random
from yatzy.policies.opponents import LEVELS
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, Validated, check_decisions
from yatzy.policies.registry import NAMES, find_policy
from yatzy.rules import State
from yatzy.solver.states import state_space
from yatzy.turn.lattice import lattice

START = (np.zeros(1, np.int64), np.zeros(1, np.int64))
PLAYERS = [
    ("optimal", 0.0),
    ("optimal", -0.05),
    *((name, 0.0) for name in NAMES if name != "optimal" and name not in LEVELS),
]


def sampled_states(rules, n, seed):
    """States that are not finished, from every layer alike; the start is the first."""
    space, rng = state_space(rules), np.random.default_rng(seed)
    filled = [0, *(rng.choice(space.layers[rng.integers(rules.n_categories)]) for _ in range(n - 1))]
    upper = [rng.choice(np.flatnonzero(space.reachable[mask])) for mask in filled]
    return np.array(filled, np.int64), np.array(upper, np.int64)


def equal(a, b):
    return np.array_equal(a.category, b.category) and np.array_equal(a.keep, b.keep)


def rows_of(decisions, rows):
    return Decisions(decisions.category[rows], decisions.keep[rows])


@pytest.fixture(
    params=[
        pytest.param(
            (name, theta, game), id=f"{name}-{theta:g}-{game}", marks=[pytest.mark.compiled] if full else []
        )
        for (name, theta), (game, full) in product(PLAYERS, [("small", False), ("scandinavian", True)])
    ],
)
def player(request, small_rules):
    """(policy name, theta, ruleset)."""
    name, theta, game = request.param
    return name, theta, small_rules if game == "small" else game


def test_every_decision_is_legal(player, policy_of):
    policy = policy_of(*player)
    filled, upper = sampled_states(policy.rules, 300, seed=1)
    decisions = Validated(policy).decide(filled, upper)
    n_rolls = len(policy.rules.rolls)
    assert (decisions.category.dtype, decisions.category.shape) == (np.uint8, (300, n_rolls))
    assert (decisions.keep.dtype, decisions.keep.shape) == (np.uint16, (300, policy.rules.rerolls, n_rolls))


def test_the_same_state_gets_the_same_answer(player, policy_of):
    """Whatever is asked beside it, in whatever order, and by whichever of two players of that name."""
    name, theta, rules = player
    policy, twin = policy_of(*player), find_policy(name, rules, theta)
    filled, upper = sampled_states(policy.rules, 60, seed=2)
    answer = policy.decide(filled, upper)
    assert equal(answer, policy.decide(filled, upper))
    assert equal(answer, twin.decide(filled, upper))
    order = np.random.default_rng(3).permutation(60)
    assert equal(rows_of(answer, order), policy.decide(filled[order], upper[order]))
    for rows in (slice(0, 1), slice(5, 16), slice(40, 57)):
        assert equal(rows_of(answer, rows), policy.decide(filled[rows], upper[rows]))


def test_the_simulated_mean_is_the_exact_mean(player, policy_of, evaluation_of, request):
    full = player[2] == "scandinavian"
    random = full and player[0] == "random"
    games = simulate(policy_of(*player), 200_000 if random else 30_000 if full else 3_000, seed=4)
    mean = request.getfixturevalue("random_mean") if random else evaluation_of(*player).mean
    assert abs(games.mean - mean) < 4 * games.standard_error


@pytest.mark.parametrize(
    ("name", "theta", "message"),
    [
        ("perfect", 0.0, "policy: 'perfect' is not known; allowed are optimal, heuristic, greedy, random"),
        ("heuristic", 0.1, "theta: 0.1 applies only to the optimal policy, not to 'heuristic'"),
        ("optimal", float("nan"), "theta: nan is not a finite number"),
    ],
)
def test_a_policy_that_does_not_exist_is_refused(name, theta, message):
    with pytest.raises(YatzyError, match=f"^{message}"):
        find_policy(name, theta=theta)


def test_policies_that_differ_have_different_names(small_rules):
    """Games under way are kept by the policy's name: 0.1234567 and 0.1234568 were one name once."""
    names = {Optimal(solve(small_rules, theta)).name for theta in (0.0, 0.1234567, 0.1234568)}
    assert len(names) == 3
    assert Random(small_rules, seed=1).name != Random(small_rules, seed=2).name


@dataclass(frozen=True)
class Cheat:
    """Plays like another policy but for one decision."""

    honest: Heuristic
    roll: tuple[int, ...]
    category: int | None = None
    keep: int | None = None
    name: str = "cheat"

    @property
    def rules(self):
        return self.honest.rules

    def decide(self, filled, upper):
        decisions = self.honest.decide(filled, upper)
        roll_id = self.rules.rolls.index(self.roll)
        if self.category is not None:
            decisions.category[-1, roll_id] = self.category
        if self.keep is not None:
            decisions.keep[-1, 1, roll_id] = self.keep
        return decisions


@pytest.mark.parametrize(
    ("cheat", "message"),
    [
        ({"category": 1}, "scores twos, which is not open"),
        ({"category": 4}, "scores category 4, which is not open"),
        ({"keep": (2, 2)}, "keeps 2 2, which is not part of them"),
        ({"keep": (1, 1, 1)}, "keeps 1 1 1, which is not part of them"),
        ({"keep": 35}, "keeps keep 35, which is not part of them"),
    ],
    ids=str,
)
def test_an_illegal_decision_is_refused_with_all_that_is_needed_to_find_it(small_rules, cheat, message):
    dice = lattice(small_rules.dice, small_rules.faces)
    assert dice.n_keeps == 35
    ids = {what: dice.id_of(x) if isinstance(x, tuple) else x for what, x in cheat.items()}
    policy = Cheat(Heuristic(small_rules), (1, 2, 4), **ids)
    filled, upper = np.array([1, 2]), np.array([3, 2])
    expected = f"policy 'cheat': with dice 1 2 4 in state 'twos @ 2' it {message}"
    with pytest.raises(YatzyError) as refused:
        Validated(policy).decide(filled, upper)
    assert str(refused.value) == expected
    with pytest.raises(YatzyError) as refused:
        check_decisions(policy, filled, upper, policy.decide(filled, upper))
    assert str(refused.value) == expected


def answering(small_rules, change):
    """A policy of two states whose decisions are changed before they are given."""
    honest = Heuristic(small_rules)

    class Odd:
        name, rules = "odd", small_rules

        def decide(self, filled, upper):
            return change(honest.decide(filled, upper))

    return Odd()


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (
            lambda d: Decisions(d.category, d.keep[:, :1].copy()),
            r"its keep are uint16 of shape \(2, 1, 20\); allowed",
        ),
        (lambda d: Decisions(d.category[:1], d.keep), r"its category are uint8 of shape \(1, 20\); allowed"),
        (lambda d: Decisions(d.category.astype(float), d.keep), "its category are float64 of shape"),
        (lambda d: Decisions(d.category, d.keep > 0), "its keep are bool of shape"),
        (lambda d: Decisions(d.category.tolist(), d.keep), "its category are int64 of shape"),
        (lambda d: (d.category, d.keep), r"answers with tuple; allowed is Decisions\(category, keep\)"),
        (lambda d: Decisions(d.category.astype(int) - 9, d.keep), r"with dice .* it scores category -\d+, which"),
        (lambda d: Decisions(d.category, d.keep.astype(int) - 99), r"with dice .* it keeps keep -\d+, which"),
        (
            lambda d: Decisions(d.category.astype(np.int64) + 2**40, d.keep),
            r"with dice .* it scores category \d+,",
        ),
    ],
)
def test_arrays_of_another_form_are_refused_in_a_sentence(small_rules, change, message):
    """They went into compiled code once: the shape ended the interpreter, other types gave a page of Numba."""
    with pytest.raises(YatzyError, match=f"^policy 'odd': {message}"):
        Validated(answering(small_rules, change)).decide(np.array([1, 2]), np.array([3, 2]))


@pytest.mark.parametrize(
    "ask",
    [
        evaluate, policy_values, lambda policy: simulate(policy, 10),
        lambda policy: points_to_come(policy, State()), visit,
        lambda policy: turn_regrets(policy, policy_values(Heuristic(policy.rules)), *START),
        lambda policy: situation_masses(policy, *START),
    ],
    ids=["evaluate", "policy_values", "simulate", "points_to_come", "visit", "turn_regrets", "situation_masses"],
)  # fmt: skip
@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda d: Decisions(d.category, d.keep[:, :1].copy()), "its keep are uint16 of shape"),
        (lambda d: Decisions(d.category, d.keep + 1000), r"with dice .* it keeps keep 1\d+, which"),
        (lambda d: Decisions(d.category + 100, d.keep), r"with dice .* it scores category 1\d\d, which"),
    ],
    ids=["shape", "keep", "category"],
)
def test_whoever_asks_refuses_arrays_of_another_form(small_rules, ask, change, message):
    """An outlook did not: given keeps for one reroll instead of two, it read past the end of the array."""
    with pytest.raises(YatzyError, match=f"^policy 'odd': {message}"):
        ask(answering(small_rules, change))


def test_whole_numbers_of_any_type_will_do(small_rules):
    policy = answering(small_rules, lambda d: Decisions(d.category.astype(np.int64), d.keep.astype(np.int32)))
    decisions = Validated(policy).decide(np.array([1, 2]), np.array([3, 2]))
    assert equal(decisions, Heuristic(small_rules).decide(np.array([1, 2]), np.array([3, 2])))


def test_a_checked_policy_is_known_by_the_name_of_its_own(small_rules):
    checked = Validated(Heuristic(small_rules))
    assert (checked.name, checked.rules) == ("heuristic", small_rules)
