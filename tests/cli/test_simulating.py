"""Games that are played block by block, wherever an engine runs them."""

import pickle
from functools import partial

import numpy as np
import pytest

from yatzy.cli import simulate as simulating
from yatzy.context import Context
from yatzy.measure.simulate import simulate
from yatzy.policies.registry import find_policy

pytestmark = pytest.mark.compiled


@pytest.mark.parametrize("name", ["score", "points", "turn", "bonus"])
def test_blocks_from_elsewhere_are_the_same_games(monkeypatch, name):
    monkeypatch.setattr(simulating, "GAMES_PER_TASK", 300)
    player = find_policy("greedy", "yacht")
    reported = []
    context = Context(progress=lambda done, total: reported.append((done, total)))
    blocks = partial(context.runner, partial(simulating.play_block, "greedy", 0.0, "yacht", None, 7))
    found = simulating._play(player, 1_000, 7, blocks, context)
    np.testing.assert_array_equal(getattr(found, name), getattr(simulate(player, 1_000, 7), name))
    assert reported[-1] == (1_000, 1_000)


def test_what_is_sent_to_a_worker_can_be_pickled():
    task = partial(simulating.play_block, "greedy", 0.0, "yacht", None, 7)
    assert len(pickle.loads(pickle.dumps(task))((0, 5))) == 5
