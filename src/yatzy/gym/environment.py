"""One game as a Gymnasium environment.

>>> import gymnasium, yatzy.gym
>>> env = gymnasium.make("yatzy/Yatzy-v0")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, int(info["action_mask"].sum()), info["situation"]
((38,), 32, '1 1 2 2 5 | 2 | - @ 0')
>>> observation, reward, terminated, truncated, info = env.step(0b01100)        # hold the two twos
>>> info["situation"], info["refused"]
('1 2 2 3 5 | 1 | - @ 0', False)

Rewards are points, the bonus with the last box, so a return is a final score. An action that is masked out changes
nothing, and `info["refused"]` says so. With `regret=True`, `info["regret"]` is what each decision lost against
perfect play.
"""

from typing import Any, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from numpy.typing import NDArray

from yatzy.errors import YatzyError
from yatzy.game.situation import Situation
from yatzy.gym.codes import codes_of
from yatzy.gym.playing import Steps, begin_games, new_seats, see, step_seats, tables_of
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.store import advise

Observation = NDArray[np.float32]


class YatzyEnv(gymnasium.Env[Observation, np.int64]):
    """Any game of five dice that saves no throws; see this module and `codes`."""

    metadata = {"render_modes": ["ansi"], "render_fps": 4}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self, rules: str | Ruleset = "scandinavian", regret: bool = False, render_mode: str | None = None
    ) -> None:
        self.rules, self.render_mode = ruleset(rules), render_mode
        self.codes = codes_of(self.rules)
        self.action_space = cast("Any", spaces.Discrete(self.codes.n_actions))
        self.observation_space = spaces.Box(0.0, self.codes.most_observed, (self.codes.n_observed,), np.float32)
        self._tells_regret = regret
        self._tables, self._seats = tables_of(self.rules), new_seats(1, 0)
        self._is_over = True

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Begin a game; the same seed gives the same dice to the same actions."""
        super().reset(seed=seed)
        self._seats = new_seats(1, int(self.np_random.integers(2**62)))
        with np.errstate(over="ignore"):
            begin_games(0, 1, self._seats, self._tables)
        self._is_over = False
        return self._seen()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Do an action: observation, points, whether the game is over, False, info."""
        if self._is_over:
            raise YatzyError("step", why="the game is over; reset it")
        regret = self._regret(int(action)) if self._tells_regret else None
        rewards, finished, refused = np.zeros(1), np.zeros(1, np.bool_), np.zeros(1, np.bool_)
        with np.errstate(over="ignore"):  # the generator wraps around; as plain Python, NumPy would warn
            steps = Steps(rewards, finished, refused)
            step_seats(0, 1, np.array([action]), self._seats, self._tables, steps)
        self._is_over = bool(finished[0])
        observation, info = self._seen()
        if self._is_over:
            observation[:] = 0
            info["action_mask"][:] = 0
        info["refused"] = bool(refused[0])
        if regret is not None:
            info["regret"] = regret
        return observation, float(rewards[0]), self._is_over, False, info

    @property
    def situation(self) -> Situation:
        """The decision to make, as a policy's function sees it."""
        seats = self._seats
        state = State(int(seats.filled[0]), int(seats.upper[0]))
        return Situation.at(self.rules, int(seats.roll[0]), int(seats.rerolls[0]), state)

    def render(self) -> str | None:
        """The situation as text."""
        return str(self.situation) if self.render_mode == "ansi" else None

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are allowed: the name that learners of masked policies look for."""
        return np.asarray(self._seen()[1]["action_mask"], np.bool_)

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        observed = np.zeros((1, self.codes.n_observed), np.float32)
        masks = np.zeros((1, self.codes.n_actions), np.int8)
        see(0, 1, self._seats, self._tables, observed, masks)
        return observed[0], {"action_mask": masks[0], "situation": str(self.situation)}

    def _regret(self, action: int) -> float:
        """What an action loses against the best one, in points."""
        if not 0 <= action < self.codes.n_actions:
            return float("nan")
        done = self.codes.action(int(self._seats.roll[0]), action)
        found = advise(self.situation).of(done)
        return float("nan") if found is None else found.regret
