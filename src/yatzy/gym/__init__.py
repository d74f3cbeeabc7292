"""Yatzy as a Gymnasium environment, with exact regret: `pip install 'yatzy[gym]'`.

import gymnasium, yatzy.gym
env = gymnasium.make("yatzy/Yatzy-v0", rules="yahtzee")

See docs/environment.md.
"""

from yatzy.errors import needs_extra

with needs_extra("gym"):
    from gymnasium.envs.registration import register

from yatzy.gym.environment import Codes, YatzyEnv, YatzyVectorEnv
from yatzy.gym.exact import AgentPolicy, SampledRegret, exact_regret, exact_return, sampled_regret

__all__ = [
    "AgentPolicy",
    "Codes",
    "SampledRegret",
    "YatzyEnv",
    "YatzyVectorEnv",
    "exact_regret",
    "exact_return",
    "sampled_regret",
]

for _name in ("Yatzy-v0", "yatzy/Yatzy-v0"):
    register(
        _name,
        entry_point="yatzy.gym.environment:YatzyEnv",
        vector_entry_point="yatzy.gym.environment:YatzyVectorEnv",
    )
