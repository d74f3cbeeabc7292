"""The coach's own fixtures."""

from pathlib import Path

import pytest

from yatzy import ValueTable
from yatzy.coach.advice import Coach, stored_coach
from yatzy.coach.outlook import BonusChances
from yatzy.context import Context


@pytest.fixture(scope="session")
def reduced_coach(reduced_table: ValueTable) -> Coach:
    """Each reduced game in turn."""
    return Coach(reduced_table, BonusChances(reduced_table))


@pytest.fixture(scope="session")
def coach(home: Path) -> Coach:
    """Scandinavian Yatzy; only for tests marked `compiled`."""
    return stored_coach("scandinavian", Context(home))
