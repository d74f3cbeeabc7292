"""Yatzy as Gymnasium environments: one game, and many games stepped together by a compiled kernel in threads.

>>> import gymnasium, yatzy.gym
>>> env = gymnasium.make("yatzy/Yatzy-v0")
>>> observation, info = env.reset(seed=1)
>>> observation.shape, int(info["action_mask"].sum()), info["situation"]
((38,), 32, '1 1 2 2 5 | 2 | - @ 0')
>>> observation, reward, terminated, truncated, info = env.step(0b01100)        # hold the two twos
>>> info["situation"], info["refused"]
('1 2 2 3 5 | 1 | - @ 0', False)

Rewards are points, the bonus with the last box, so a return is a final score. A masked action changes nothing, and
`info["refused"]` says so. With `regret=True`, `info["regret"]` is what each decision lost against perfect play.

In the vector environment, games that end begin anew at once (`AutoresetMode.SAME_STEP`): the observation is that
of the new game, the final score of the old one is `info["final_score"]` where `info["_final_score"]` is true.

*Actions*: 0 .. 2^dice - 1 hold dice and throw the others, bit i standing for die i of the sorted dice (set: it is
held); the codes after that score in a box, in the order of the card: 32 + 15 = 47 with fifteen boxes. Holding
all dice, and holding equal dice in any but the leftmost places, is masked, so that every different decision has
exactly one code.

each box that is closed; the upper total / threshold; and for each box the points of the dice there / 50 (0 if
it is closed).
"""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any, NamedTuple, cast

import gymnasium
import numpy as np
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space
from numpy.typing import NDArray

from yatzy.arrays import Floats2, IntArray, Ints1, Ints2
from yatzy.coach.advice import advise
from yatzy.context import check_threads
from yatzy.errors import YatzyError, check_int
from yatzy.game.action import Action, actions_of
from yatzy.game.situation import Situation
from yatzy.measure.simulate import Throws, first_roll, next_roll, throw_tables
from yatzy.rules import Ruleset, State, ruleset
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Effects, effects
from yatzy.turn.values import after, closed_boxes, reading_of

DICE = 5
POINTS_SCALE = 50.0


@dataclass(frozen=True)
class Codes:
    """Actions and observations of one game of five dice, as numbers."""

    rules: Ruleset

    def __post_init__(self) -> None:
        if self.rules.dice != DICE or self.rules.saves_throws:
            raise YatzyError(
                "rules",
                self.rules.name,
                "a game of five dice that saves no throws",
                "is not a game of the environment",
            )

    @property
    def n_holds(self) -> int:
        return 1 << DICE

    @property
    def n_actions(self) -> int:
        return self.n_holds + self.rules.n_categories

    @property
    def n_observed(self) -> int:
        return self.rules.faces + 1 + self.rules.n_categories + 1 + self.rules.n_categories

    @property
    def most_observed(self) -> float:
        """The largest number in any observation."""
        return max(1.0, float(outcomes(self.rules).points.max()) / POINTS_SCALE)

    @cached_property
    def keep_of_code(self) -> IntArray:
        """(n_rolls, 2^dice): the keep of a code, -1 where another code stands for the same dice."""
        grid = lattice(DICE, self.rules.faces)
        table = np.full((grid.n_rolls, self.n_holds), -1, np.int64)
        for roll_id, roll in enumerate(grid.keeps[: grid.n_rolls]):
            seen = set()
            for code in range(self.n_holds - 1):
                keep = grid.id_of([die for place, die in enumerate(roll) if code >> place & 1])
                if keep not in seen:
                    seen.add(keep)
                    table[roll_id, code] = keep
        return table

    def action(self, roll_id: int, code: int) -> Action:
        """What a code does to the dice on the table."""
        n, keep_id = self.rules.n_categories, 0 if code >= self.n_holds else self.keep_of_code[roll_id, code]
        return actions_of(self.rules)[code - self.n_holds if code >= self.n_holds else n + keep_id]

    @cached_property
    def observed_dice(self) -> NDArray[np.float32]:
        """(n_rolls, faces): the part of an observation that shows the dice."""
        grid = lattice(DICE, self.rules.faces)
        return (grid.counts[: grid.n_rolls] / DICE).astype(np.float32)


@lru_cache(maxsize=8)
def codes_of(rules: Ruleset) -> Codes:
    return Codes(rules)


NOT_ALLOWED = -1


class GameTables(NamedTuple):
    """The rules as kernels read them."""

    keep_of_code: IntArray
    observed_dice: NDArray[np.float32]
    throws: Throws
    does: Effects
    n_draws: int
    all_filled: int
    bonus: int
    threshold: int


class Seats(NamedTuple):
    """Games in progress, one per seat; `random` are the states of their generators."""

    filled: IntArray
    upper: IntArray
    roll: IntArray
    rerolls: IntArray
    random: NDArray[np.uint64]


def tables_of(rules: Ruleset) -> GameTables:
    codes = codes_of(rules)
    return GameTables(
        codes.keep_of_code, codes.observed_dice, throw_tables(rules), effects(rules), rules.faces**rules.dice,
        rules.all_filled, rules.bonus, rules.bonus_threshold,
    )  # fmt: skip


def new_seats(n: int, seed: int) -> Seats:
    """Seats without dice, each with a generator of its own."""
    random = np.random.SeedSequence(seed).generate_state(n, np.uint64) | np.uint64(1)
    filled, upper, roll, rerolls = np.zeros((4, n), np.int64)
    return Seats(filled, upper, roll, rerolls, random)


@jittable
def _draw(random: Ints1, seat: int, n: int) -> Any:
    """The next number below n of a seat's generator (xorshift64*), by its upper bits."""
    x = random[seat]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    random[seat] = x
    return np.int64(((x * np.uint64(2685821657736338717)) >> np.uint64(32)) * np.uint64(n) >> np.uint64(32))


@jittable
def begin_turn(seat: int, seats: Seats, tables: GameTables) -> None:
    """Throw all dice."""
    seats.roll[seat] = first_roll(_draw(seats.random, seat, tables.n_draws), tables.throws)
    seats.rerolls[seat] = tables.does.n_rerolls


@jit
def begin_games(first: int, last: int, seats: Seats, tables: GameTables) -> None:
    """New games in these seats."""
    for seat in range(first, last):
        seats.filled[seat] = 0
        seats.upper[seat] = 0
        begin_turn(seat, seats, tables)


@jittable
def outcome_of(seat: int, category: int, seats: Seats, does: Effects) -> Any:
    """The outcome of scoring in a category, -1 if that is not allowed."""
    filled = seats.filled[seat]
    if closed_boxes(filled, does.masks) >> category & 1:
        return NOT_ALLOWED
    reading = reading_of(filled, seats.roll[seat], does.special.of_roll, does.special.readings)
    return does.outcome_of_reading[reading, category]


class Steps(NamedTuple):
    """Results of a step, by seat."""

    rewards: NDArray[Any]
    finished: NDArray[np.bool_]
    refused: NDArray[np.bool_]


@jit
def step_seats(first: int, last: int, actions: Ints1, seats: Seats, tables: GameTables, steps: Steps) -> None:
    """Do one action in each seat: points go to `rewards`, and `finished` says whose game is over and begins anew.

    An action that is not allowed is `refused`: it changes nothing.
    """
    n_holds = tables.keep_of_code.shape[1]
    does, throws = tables.does, tables.throws
    rewards, finished, refused = steps
    for seat in range(first, last):
        action = actions[seat]
        rewards[seat] = 0.0
        finished[seat] = False
        refused[seat] = action < 0 or action >= n_holds + does.outcome_of_reading.shape[1]
        if refused[seat]:
            continue
        if action < n_holds:
            held = tables.keep_of_code[seats.roll[seat], action]
            refused[seat] = held < 0 or seats.rerolls[seat] == 0
            if refused[seat]:
                continue
            seats.roll[seat] = next_roll(held, _draw(seats.random, seat, tables.n_draws), throws)
            seats.rerolls[seat] -= 1
            continue
        outcome = outcome_of(seat, action - n_holds, seats, does)
        refused[seat] = outcome < 0
        if refused[seat]:
            continue
        filled, upper = after(
            seats.filled[seat], seats.upper[seat], does.bits[outcome], does.lift[outcome], does.cap
        )
        rewards[seat] = does.points[outcome]
        if filled & tables.all_filled == tables.all_filled:
            if upper >= tables.threshold:
                rewards[seat] += tables.bonus
            finished[seat] = True
            filled, upper = 0, 0
        seats.filled[seat], seats.upper[seat] = filled, upper
        begin_turn(seat, seats, tables)


@jit
def see(first: int, last: int, seats: Seats, tables: GameTables, observed: Floats2, masks: Ints2) -> None:
    """Observations and action masks of the seats; see `codes`."""
    n_holds, n_boxes = tables.keep_of_code.shape[1], tables.does.outcome_of_reading.shape[1]
    faces = tables.observed_dice.shape[1]
    for seat in range(first, last):
        roll, rerolls = seats.roll[seat], seats.rerolls[seat]
        for face in range(faces):
            observed[seat, face] = tables.observed_dice[roll, face]
        observed[seat, faces] = rerolls / max(tables.does.n_rerolls, 1)
        observed[seat, faces + 1 + n_boxes] = seats.upper[seat] / max(tables.threshold, 1)
        for code in range(n_holds):
            masks[seat, code] = rerolls > 0 and tables.keep_of_code[roll, code] >= 0
        for box in range(n_boxes):
            outcome = outcome_of(seat, box, seats, tables.does)
            is_open = outcome >= 0
            observed[seat, faces + 1 + box] = 0.0 if is_open else 1.0
            points = tables.does.points[outcome] / POINTS_SCALE if is_open else 0.0
            observed[seat, faces + 2 + n_boxes + box] = points
            masks[seat, n_holds + box] = is_open


Observation = NDArray[np.float32]


class YatzyEnv(gymnasium.Env[Observation, np.int64]):
    """One game of five dice, in any ruleset that saves no throws."""

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
        """Take an action: observation, points, whether the game is over, False, info."""
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
        """The decision to make."""
        seats = self._seats
        state = State(int(seats.filled[0]), int(seats.upper[0]))
        return Situation.at(self.rules, int(seats.roll[0]), int(seats.rerolls[0]), state)

    def render(self) -> str | None:
        """The situation as text, in mode `ansi`."""
        return str(self.situation) if self.render_mode == "ansi" else None

    def action_masks(self) -> NDArray[np.bool_]:
        """Which actions are allowed, by the name that masked learners look for."""
        return np.asarray(self._seen()[1]["action_mask"], np.bool_)

    def _seen(self) -> tuple[Observation, dict[str, Any]]:
        observed = np.zeros((1, self.codes.n_observed), np.float32)
        masks = np.zeros((1, self.codes.n_actions), np.int8)
        see(0, 1, self._seats, self._tables, observed, masks)
        return observed[0], {"action_mask": masks[0], "situation": str(self.situation)}

    def _regret(self, action: int) -> float:
        """The points an action loses."""
        if not 0 <= action < self.codes.n_actions:
            return float("nan")
        done = self.codes.action(int(self._seats.roll[0]), action)
        found = advise(self.situation).of(done)
        return float("nan") if found is None else found.regret


# Fewer games than this are not worth another thread: they take 80 microseconds, and to wake it takes half of that.
GAMES_PER_THREAD = 2048


class YatzyVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` games side by side; actions, rewards and masks have a row for each."""

    metadata = {"autoreset_mode": AutoresetMode.SAME_STEP}  # noqa: RUF012 (as Gymnasium has it)

    def __init__(
        self, num_envs: int = 1024, rules: str | Ruleset = "scandinavian", threads: int | None = None, **_: Any
    ) -> None:
        check_int("num_envs", num_envs, 1)
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
        # The caller's thread takes a part too.
        self._pool = ThreadPoolExecutor(n_threads - 1) if n_threads > 1 else None

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

        first, *others = self._parts
        running = [self._pool.submit(run, part) for part in others] if self._pool else []
        run(first)
        for part in running:
            part.result()
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
