"""Solved tables, and what runs where.

Tests marked `compiled` solve full-size games and need compiled kernels; with NUMBA_DISABLE_JIT=1 they are skipped.
"""

import os
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import numba
import pytest
from hypothesis import settings

from games import REDUCED_GAMES, THREE_DICE
from yatzy import ValueTable, solve
from yatzy.context import Context
from yatzy.measure.exact import Evaluation, evaluate, policy_values
from yatzy.policies.policy import Policy
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset, maxi, scandinavian

# Set by `make coverage` and `make lowest`: nothing is taken from results that were computed elsewhere.
COMPUTE = "YATZY_COMPUTE" in os.environ
# Exact; it takes 19 seconds.
RANDOM_MEAN = 50.22744410055495

settings.register_profile("seeded", derandomize=True, deadline=None, database=None)
settings.load_profile("seeded")


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
        patch.setenv("YATZY_QUIET", "1")
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
    find = cache(lambda name, theta, rules: find_policy(name, rules, theta, Context(home)))
    return lambda name, theta=0.0, rules="scandinavian": find(name, theta, rules)


@pytest.fixture(scope="session")
def random_mean(policy_of: Callable[..., Policy]) -> float:
    """Of Scandinavian Yatzy; games are simulated beside it."""
    if COMPUTE:
        assert policy_values(policy_of("random"))[0, 0] == pytest.approx(RANDOM_MEAN, abs=1e-9)
    return RANDOM_MEAN


@pytest.fixture(scope="session")
def published() -> Callable[[str], dict[str, Any] | None]:
    """What is published of a study, a sample of which is computed again by `tests/lab/test_published.py`.

    With YATZY_COMPUTE it is None: then every test computes, which takes longer.
    """
    from yatzy.lab.studies.results import read_result

    @cache
    def find(study: str) -> dict[str, Any] | None:
        path = Path(__file__).parents[1] / "results" / f"{study}.json"
        found = None if COMPUTE else read_result(path)
        return found and found[1]

    return find


@pytest.fixture(scope="session")
def evaluation_of(policy_of: Callable[..., Policy]) -> Callable[..., Evaluation]:
    """Their exact evaluations, each done once."""
    find = cache(lambda name, theta, rules: evaluate(policy_of(name, theta, rules)))
    return lambda name, theta=0.0, rules="scandinavian": find(name, theta, rules)
