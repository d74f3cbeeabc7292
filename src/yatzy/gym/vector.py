"""Many games at once as a Gymnasium vector environment: one compiled step for all of them, in threads.

Games that end begin anew at once (`AutoresetMode.SAME_STEP`): the observation is that of the new game, the final
score of the old one is in `info["final_score"]` where `info["_final_score"]` is true.
"""

from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from yatzy.context import check_threads
from yatzy.errors import whole
from yatzy.gym.codes import codes_of
from yatzy.gym.playing import Steps, begin_games, new_seats, see, step_seats, tables_of
from yatzy.rules import Ruleset, ruleset

# Fewer games than this are not worth another thread.
GAMES_PER_THREAD = 512


class YatzyVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` games side by side; actions, rewards and masks are arrays with one row for each."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self, num_envs: int = 1024, rules: str | Ruleset = "scandinavian", threads: int | None = None, **_: Any
    ) -> None:
        whole("num_envs", num_envs, 1)
        self.num_envs, self.rules = num_envs, ruleset(rules)
        self.codes = codes_of(self.rules)
        self.single_action_space = spaces.Discrete(self.codes.n_actions)
        self.single_observation_space = spaces.Box(
            0.0, self.codes.most_observed, (self.codes.n_observed,), np.float32
        )
        self.action_space = batch_space(self.single_action_space, num_envs)
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self._tables, self._seats = tables_of(self.rules), new_seats(num_envs, 0)
        self._observed = np.zeros((num_envs, self.codes.n_observed), np.float32)
        self._masks = np.zeros((num_envs, self.codes.n_actions), np.int8)
        self._scores = np.zeros(num_envs)
        n_threads = min(check_threads(threads), -(-num_envs // GAMES_PER_THREAD))
        ends = np.linspace(0, num_envs, n_threads + 1).astype(int).tolist()
        self._parts = list(pairwise(ends))
        self._pool = ThreadPoolExecutor(n_threads) if n_threads > 1 else None

    def reset(
        self, *, seed: int | list[int | None] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[NDArray[np.float32], dict[str, Any]]:
        """Begin all games."""
        start = seed[0] if isinstance(seed, list) else seed
        super().reset(seed=start)
        self._seats = new_seats(self.num_envs, int(self.np_random.integers(2**62)))
        self._scores[:] = 0
        with np.errstate(over="ignore"):
            begin_games(0, self.num_envs, self._seats, self._tables)
        see(0, self.num_envs, self._seats, self._tables, self._observed, self._masks)
        return self._observed.copy(), {"action_mask": self._masks.copy()}

    def step(
        self, actions: Any
    ) -> tuple[NDArray[np.float32], NDArray[Any], NDArray[np.bool_], NDArray[np.bool_], dict[str, Any]]:
        """One action in each game."""
        taken = np.ascontiguousarray(actions, np.int64)
        rewards = np.empty(self.num_envs)
        finished, refused = np.empty((2, self.num_envs), np.bool_)

        def run(part: tuple[int, int]) -> None:
            with np.errstate(over="ignore"):  # the generator wraps around; as plain Python, NumPy would warn
                step_seats(*part, taken, self._seats, self._tables, Steps(rewards, finished, refused))
            see(*part, self._seats, self._tables, self._observed, self._masks)

        list(self._pool.map(run, self._parts) if self._pool else map(run, self._parts))
        self._scores += rewards
        info: dict[str, Any] = {"action_mask": self._masks.copy(), "refused": refused}
        if finished.any():
            info["final_score"], info["_final_score"] = np.where(finished, self._scores, 0.0), finished.copy()
            self._scores[finished] = 0
        return self._observed.copy(), rewards, finished, np.zeros(self.num_envs, np.bool_), info

    def close_extras(self, **_: Any) -> None:
        """End the threads."""
        if self._pool:
            self._pool.shutdown()
