"""Yatzy as a Gymnasium environment, with exact regret: `pip install 'yatzy[gym]'`.

import gymnasium, yatzy.gym
env = gymnasium.make("yatzy/Yatzy-v0", rules="yahtzee")

See docs/environment.md.
"""

from yatzy.errors import extra

with extra("gym"):
    from gymnasium.envs.registration import register

from yatzy.gym.codes import Codes
from yatzy.gym.environment import YatzyEnv
from yatzy.gym.measures import AgentPolicy, exact_regret, exact_return
from yatzy.gym.vector import YatzyVectorEnv

__all__ = ["AgentPolicy", "Codes", "YatzyEnv", "YatzyVectorEnv", "exact_regret", "exact_return"]

for _name in ("Yatzy-v0", "yatzy/Yatzy-v0"):
    register(
        _name,
        entry_point="yatzy.gym.environment:YatzyEnv",
        vector_entry_point="yatzy.gym.vector:YatzyVectorEnv",
    )
