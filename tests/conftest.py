"""Reduced games, solved tables, and what runs where.

Tests marked `compiled` solve full-size games and need compiled kernels; with NUMBA_DISABLE_JIT=1 they are skipped.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path

import numba
import pytest
from hypothesis import settings

from yatzy import ValueTable, solve
from yatzy.evaluate.exact import Evaluation, evaluate
from yatzy.policy.base import Policy
from yatzy.policy.named import named_policy
from yatzy.rules import Category, Ruleset, maxi, scandinavian, scoring

settings.register_profile("seeded", derandomize=True, deadline=None, database=None)
settings.load_profile("seeded")

ONES = Category("Ones", scoring.of_face(1), upper=True)
TWOS = Category("Twos", scoring.of_face(2), upper=True)
FOURS = Category("Fours", scoring.of_face(4), upper=True)
FIVES = Category("Fives", scoring.of_face(5), upper=True)
SIXES = Category("Sixes", scoring.of_face(6), upper=True)
PAIR = Category("One Pair", scoring.pairs(1), aliases=("pair",))
TRIPLE = Category("Three of a Kind", scoring.of_a_kind(3))
HOUSE = Category("Small House", scoring.groups(2, 1))
RUN = Category("Run", scoring.run_of(3, 9))
CHANCE = Category("Chance", scoring.total)

# Games of one shape (dice, faces, categories) share their compiled kernels whatever their bonus and rerolls.
TINY = Ruleset("tiny", dice=2, faces=3, rerolls=2, categories=(ONES, TWOS, PAIR))
LOWER_FIRST = Ruleset(
    "lower-first", 2, 6, 2, categories=(PAIR, FOURS, CHANCE, SIXES), bonus_threshold=14, bonus=11
)
THREE_DICE = Ruleset("three-dice", 3, 4, 2, categories=(ONES, TWOS, FOURS, RUN), bonus_threshold=14, bonus=13)
TWO_BOXES = Ruleset("two-boxes", 3, 3, 2, categories=(TWOS, CHANCE), bonus_threshold=6, bonus=5)
FIVE_FACES = Ruleset("five-faces", 3, 5, 1, categories=(TRIPLE, FIVES, HOUSE), bonus_threshold=10, bonus=7)

REDUCED_GAMES = (
    TINY,
    replace(TINY, name="tiny-bonus", rerolls=1, bonus_threshold=4, bonus=10),
    replace(TINY, name="tiny-one-throw", rerolls=0, bonus_threshold=3, bonus=6),
    replace(TINY, name="tiny-bonus-for-all", bonus_threshold=0, bonus=4),
    LOWER_FIRST,
    replace(LOWER_FIRST, name="lower-first-one-throw", rerolls=0),
    THREE_DICE,
    replace(THREE_DICE, name="three-dice-bonus-out-of-reach", bonus_threshold=40),
    TWO_BOXES,
    replace(TWO_BOXES, name="two-boxes-no-bonus", bonus_threshold=0, bonus=0),
    FIVE_FACES,
)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Plain Python would take hours for a full-size game."""
    if numba.config.DISABLE_JIT:
        for item in items:
            if item.get_closest_marker("compiled"):
                item.add_marker(pytest.mark.skip(reason="needs compiled kernels"))


@pytest.fixture(scope="session", autouse=True)
def home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Nothing is read from or written to the folder of the person who runs the tests."""
    folder = tmp_path_factory.mktemp("home")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("YATZY_HOME", str(folder))
        yield folder


@pytest.fixture(scope="session", params=REDUCED_GAMES, ids=lambda rules: rules.name)
def reduced_rules(request: pytest.FixtureRequest) -> Ruleset:
    """Each reduced game in turn."""
    return request.param


@pytest.fixture(scope="session")
def reduced_table(reduced_rules: Ruleset) -> ValueTable:
    """Each reduced game, solved for theta = 0."""
    return solve(reduced_rules)


@pytest.fixture(scope="session")
def small_rules() -> Ruleset:
    """Three dice, four faces, four categories, a bonus."""
    return THREE_DICE


@pytest.fixture(scope="session")
def small_table(small_rules: Ruleset) -> ValueTable:
    return solve(small_rules)


@pytest.fixture(scope="session")
def six_dice_rules() -> Ruleset:
    """Maxi Yatzy with four of its twenty categories: 6 dice, bonus at 84."""
    wanted = ("Fours", "Fives", "Sixes", "Villa")
    return replace(maxi(), name="maxi-of-four", categories=tuple(c for c in maxi().categories if c.name in wanted))


@pytest.fixture(scope="session")
def rules() -> Ruleset:
    return scandinavian()


@pytest.fixture(scope="session")
def table() -> ValueTable:
    """Scandinavian Yatzy in float64; only for tests marked `compiled`."""
    return solve("scandinavian")


@pytest.fixture(scope="session")
def table_float32() -> ValueTable:
    """Scandinavian Yatzy in float32; only for tests marked `compiled`."""
    return solve("scandinavian", precision="float32")


@pytest.fixture(scope="session")
def policy_of(home: Path) -> Callable[..., Policy]:
    """Policies by name, theta and ruleset; each table is solved once."""
    find = cache(lambda name, theta, rules: named_policy(name, rules, theta, home))
    return lambda name, theta=0.0, rules="scandinavian": find(name, theta, rules)


@pytest.fixture(scope="session")
def evaluation_of(policy_of: Callable[..., Policy]) -> Callable[..., Evaluation]:
    """Their exact evaluations, each done once."""
    find = cache(lambda name, theta, rules: evaluate(policy_of(name, theta, rules)))
    return lambda name, theta=0.0, rules="scandinavian": find(name, theta, rules)
