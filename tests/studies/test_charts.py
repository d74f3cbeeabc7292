"""What is read of a rule list, counted one situation at a time."""

import numpy as np
import pytest

from naive_lists import NaiveList, random_list
from yatzy.datasets.situations import situation_masses
from yatzy.dice import lattice
from yatzy.evaluate.visits import visit
from yatzy.rulelists.play.player import ListPlayer
from yatzy.studies.charts import rules_read


@pytest.mark.parametrize("seed", [1, 2])
def test_rules_read(small_rules, seed: int) -> None:
    rules = random_list(small_rules, seed)
    player, naive, dice = ListPlayer(rules), NaiveList(rules), lattice(small_rules.dice, small_rules.faces)
    visits = visit(player, 1).visits
    total = np.zeros(small_rules.rerolls + 1)
    for filled, upper in np.argwhere(visits[:-1] > 0):
        mass = situation_masses(player, np.array([filled]), np.array([upper]))[0]
        for left in range(small_rules.rerolls + 1):
            part = list(rules.list_of(left))
            for roll_id in np.flatnonzero(mass[left]):
                fired = naive.fires(naive.situation(int(filled), int(upper), dice.keeps[roll_id], left))
                read = 1 + (next(n for n, rule in enumerate(part) if rule is fired) if fired else len(part))
                total[left] += visits[filled, upper] * mass[left, roll_id] * read
    np.testing.assert_allclose(rules_read(player, visits, 1), total / small_rules.n_categories, atol=1e-9)
