"""Without scipy or scikit-learn, training says in one sentence what to install, and playing needs neither."""

import sys

import numpy as np
import pytest

from yatzy import YatzyError
from yatzy.context import Context
from yatzy.policy.registry import find_policy
from yatzy.students.recipes import ImitationTreeRecipe, ValueRecipe
from yatzy.students.training import train
from yatzy.students.trees.imitation import fit_tree
from yatzy.students.value.training import fit, start_model

HELP = r"is not installed; install the extra with: pip install 'yatzy\[train\]'$"


@pytest.fixture
def bare(monkeypatch):
    """Python as it is without the extra."""
    for name in [name for name in sys.modules if name.partition(".")[0] in ("scipy", "sklearn")]:
        monkeypatch.delitem(sys.modules, name)
    for name in ("scipy", "sklearn"):
        monkeypatch.setitem(sys.modules, name, None)


@pytest.mark.usefixtures("bare")
@pytest.mark.parametrize(
    ("recipe", "package"),
    [
        (ValueRecipe("x", (2,), parents=10, iterations=5), "scipy"),
        (ImitationTreeRecipe(2, games=20), "scikit-learn"),
    ],
    ids=["value", "imitation-trees"],
)
def test_training_says_what_is_missing_before_it_starts(small_table, tmp_path, recipe, package):
    said = []
    with pytest.raises(YatzyError, match=f"^training: {package} {HELP}"):
        train(recipe, small_table, Context(tmp_path, notice=said.append))
    assert not said
    assert not list(tmp_path.iterdir())


@pytest.mark.usefixtures("bare")
def test_the_fits_themselves_say_so_too(small_rules):
    with pytest.raises(YatzyError, match=f"^training: scipy {HELP}"):
        fit(start_model(small_rules, "x", [2], seed=0), None, 5)
    with pytest.raises(YatzyError, match=f"^training: scikit-learn {HELP}"):
        fit_tree(np.zeros((2, 2), np.float32), None)


@pytest.mark.usefixtures("bare")
def test_playing_a_student_needs_neither(rules):
    assert find_policy("tree-6k", rules).parameters == 6198
