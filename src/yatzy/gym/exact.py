"""The exact return and the exact regret of an agent: nothing is sampled.

An agent is a function of observations and action masks, (n, observed) and (n, actions). It returns n actions or,
if it draws them, the probability of each, (n, actions): always the same for the same situation. It may score
early, and in another box than it would with no rerolls left. Asked about every situation it can come to,

    held(K)        = sum over rolls r around K of mass(r, left) * P(hold K | r, left)     on to mass(., left - 1)
    ended(outcome) = sum over left and r of mass(r, left) * P(outcome | r, left)

say how its turns end, and with that it is evaluated like any policy:

    exact_return(agent) = the mean score, exactly        exact_regret(agent) = value of perfect play - that mean.

A whole game has a billion situations, which is too many for a slow agent. Its games can be sampled then,
while what each decision in them loses is exact (`sampled_regret`). Regrets telescope, so the mean of their totals
has the same expectation as the exact regret, and a far smaller error than the mean score.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from threading import Lock
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats2, Floats3, IntArray, Ints1, Ints2, Ints3
from yatzy.context import DEFAULT_CONTEXT, Context, chunks
from yatzy.errors import YatzyError
from yatzy.game.action import Action
from yatzy.game.game import Game
from yatzy.gym.environment import (
    Codes,
    Seats,
    Steps,
    begin_games,
    codes_of,
    new_seats,
    see,
    step_seats,
    tables_of,
)
from yatzy.measure.exact import Evaluation, evaluate, seconds_for
from yatzy.measure.simulate import CONFIDENCE_95, MAX_AT_ONCE, check_games
from yatzy.policies.opponents import chance_of
from yatzy.policies.policy import Decisions, empty_decisions, sample_states
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import Parts, digest_of
from yatzy.solver.actions import action_values
from yatzy.solver.store import table_of
from yatzy.solver.table import ValueTable
from yatzy.storage import writer_lock
from yatzy.turn.kernels.jit import jit
from yatzy.turn.kernels.simd import n_lanes
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import begin_turns, copy_masses, fill_up
from yatzy.turn.tables import Scratch, Turn, turn_scratch, turn_tables
from yatzy.turn.values import reading_of

Agent = Callable[[NDArray[np.float32], NDArray[np.int8]], Any]
# Situations put to an agent at once, and the states that have as many.
BATCH = 1 << 16
STATES_AT_ONCE = 256
# Probabilities in float32 sum to 1 within this.
ROUNDING = 1e-4
# An agent that takes longer is offered sampled games.
TOO_LONG = 1800
GAMES_AT_ONCE = 4096


class Answers(NamedTuple):
    """What an agent does in n states, by rerolls left and roll.

    `codes` (n, rerolls + 1, n_rolls) are its actions, or `chances` (n, rerolls + 1, n_rolls, actions) theirs; of
    the two, one is empty.
    """

    codes: IntArray
    chances: FloatArray


class AgentPolicy:
    """An agent as a policy, which may draw its actions: see `yatzy.policies.policy.Stochastic`."""

    def __init__(self, agent: Agent, rules: str | Ruleset = "scandinavian", name: str | None = None) -> None:
        self.agent, self.rules = agent, ruleset(rules)
        self.codes = codes_of(self.rules)
        self.name = str(name or getattr(agent, "__name__", type(agent).__name__))

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """How the turns of these states end: see `HasTurnOutcomes`."""
        for part in chunks(len(filled), STATES_AT_ONCE):
            exits[part] += self._turns(filled[part], upper[part])[1]

    def situation_masses(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, rerolls + 1, n_rolls): the chance to be there with each roll, by rerolls left, in one turn."""
        parts = [self._turns(filled[part], upper[part])[0] for part in chunks(len(filled), STATES_AT_ONCE)]
        return np.concatenate(parts)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        """Its decisions, if it draws none, and scores early only in the box in which it would score at the end."""
        decisions = empty_decisions(self.rules, filled)
        rolls, n_holds = np.arange(decisions.category.shape[-1]), self.codes.n_holds
        why = "cannot be written as decisions by roll, which scoring early and drawing actions are not"
        for part in chunks(len(filled), STATES_AT_ONCE):
            codes, chances = self._answers(filled[part], upper[part])
            last, early = codes[:, :1] - n_holds, codes[:, 1:] >= n_holds
            if chances.size or (early & (codes[:, 1:] - n_holds != last)).any():
                raise YatzyError("agent", self.name, "exact_return, sampled_regret, play_on", f"{{given}} {why}")
            decisions.category[part] = last[:, 0]
            keeps = self.codes.keep_of_code[rolls, np.where(early, 0, codes[:, 1:])]
            decisions.keep[part] = np.where(early, rolls, keeps)
        return decisions

    def draw(self, game: Game) -> Action:
        """An action with the dice on the table: the same whenever a seeded game comes there."""
        here = game.situation
        where = [np.array([one]) for one in (here.state.filled, here.state.upper, here.roll_id, here.rerolls)]
        answer = self.ask(*where)
        ends = np.cumsum(answer[0]) if answer.ndim == 2 else None
        code = int(answer[0]) if ends is None else int(np.searchsorted(ends, chance_of(game) * ends[-1], "right"))
        done = self.codes.action(here.roll_id, code)
        return next(one for one in game.actions if one == done)

    @property
    def content(self) -> bytes:
        """Its answers in some states, which tell two agents apart: see `HasContent`."""
        codes, chances = self._answers(*sample_states(self.rules, STATES_AT_ONCE))
        return codes.tobytes() + chances.tobytes()

    def ask(self, filled: IntArray, upper: IntArray, roll_ids: IntArray, rerolls: IntArray) -> NDArray[Any]:
        """Its actions (n,) or their probabilities (n, actions) in n situations; refuses what is not allowed."""
        n = len(filled)
        seats = Seats(filled, upper, roll_ids, rerolls, np.ones(1, np.uint64))
        observed = np.zeros((n, self.codes.n_observed), np.float32)
        masks = np.zeros((n, self.codes.n_actions), np.int8)
        see(0, n, seats, tables_of(self.rules), observed, masks)
        answer = np.concatenate([np.asarray(self.agent(observed[part], masks[part])) for part in chunks(n, BATCH)])
        if answer.shape == (n,):
            return self._checked_codes(answer, masks)
        if answer.shape == masks.shape:
            return self._checked_chances(answer, masks)
        allowed = f"one action for each observation, or the probabilities of all {self.codes.n_actions}"
        raise YatzyError(f"agent {self.name!r}", allowed=allowed, why=f"gives an array {answer.shape} for {n}")

    def _checked_codes(self, answer: NDArray[Any], masks: NDArray[np.int8]) -> IntArray:
        codes = answer.astype(np.int64)
        wrong = np.flatnonzero((codes < 0) | (codes >= self.codes.n_actions) | (codes != answer))
        if not len(wrong):
            wrong = np.flatnonzero(masks[np.arange(len(codes)), codes] == 0)
        if len(wrong):
            why = f"takes action {answer[wrong[0]]:g}, which its action_mask forbids"
            raise YatzyError(f"agent {self.name!r}", why=why)
        return codes

    def _checked_chances(self, answer: NDArray[Any], masks: NDArray[np.int8]) -> FloatArray:
        chances = answer.astype(np.float64)
        total = chances.sum(axis=1)
        if not np.all(chances >= 0) or not np.all(abs(total - 1) < ROUNDING):
            why = "gives probabilities below 0, or that do not sum to 1"
            raise YatzyError(f"agent {self.name!r}", why=why)
        wrong = np.flatnonzero((chances > 0) & (masks == 0))
        if len(wrong):
            code = wrong[0] % self.codes.n_actions
            why = f"gives action {code} a probability above 0, which its action_mask forbids"
            raise YatzyError(f"agent {self.name!r}", why=why)
        return np.asarray(chances / total[:, None])

    def _answers(self, filled: IntArray, upper: IntArray) -> Answers:
        """Its answers for every roll and number of rerolls."""
        n_rolls, levels = lattice(self.rules.dice, self.rules.faces).n_rolls, self.rules.rerolls + 1
        n = len(filled)
        shape = (n, levels, n_rolls)
        where = np.meshgrid(np.arange(n), np.arange(levels), np.arange(n_rolls), indexing="ij")
        state, left, roll = (one.reshape(-1) for one in where)
        told = self.ask(np.asarray(filled, np.int64)[state], np.asarray(upper, np.int64)[state], roll, left)
        if told.ndim == 1:
            return Answers(told.reshape(shape), np.empty((0, levels, n_rolls, 0)))
        return Answers(np.empty((0, levels, n_rolls), np.int64), told.reshape(*shape, -1))

    def _turns(self, filled: IntArray, upper: IntArray) -> tuple[FloatArray, FloatArray]:
        answers = self._answers(filled, upper)
        turn = turn_tables(self.rules)
        mass = np.zeros((len(filled), turn.n_rerolls + 1, len(turn.prob_roll)))
        exits = np.zeros((len(filled), outcomes(self.rules).n))
        keep_of_code = self.codes.keep_of_code
        _play_turns(
            np.ascontiguousarray(filled, np.int64), *answers, keep_of_code, turn, mass, exits,
            turn_scratch(self.rules),
        )  # fmt: skip
        return mass, exits


@jit
def _play_turns(
    filled: Ints1, codes: Ints3, chances: Floats3, keep_of_code: Ints2, turn: Turn, mass: Floats3, exits: Floats2,
    scratch: Scratch,
) -> None:  # fmt: skip
    """`mass` (n, rerolls + 1, n_rolls) and `exits` (n, n_outcomes), zeros before; see `Answers`."""
    width, n_rolls, n_holds = n_lanes(scratch.work), len(turn.prob_roll), keep_of_code.shape[1]
    draws = len(chances) > 0
    n_actions = chances.shape[3]
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        begin_turns(turn.prob_roll, scratch.mass[turn.n_rerolls])
        for left in range(turn.n_rerolls, -1, -1):
            for keep in range(turn.n_keeps):
                for lane in range(width):
                    scratch.work[keep, lane] = 0.0
            for lane in range(n):
                i = first + lane
                for roll in range(n_rolls):
                    reading = reading_of(filled[i], roll, turn.special.of_roll, turn.special.readings)
                    here = scratch.mass[left, roll, lane]
                    for action in range(n_actions if draws else 1):
                        code = action if draws else codes[i, left, roll]
                        q = here * chances[i, left, roll, action] if draws else here
                        if q == 0.0:
                            continue
                        if code < n_holds:
                            scratch.work[keep_of_code[roll, code], lane] += q
                        else:
                            exits[i, turn.outcome_of_reading[reading, code - n_holds]] += q
            if left > 0:
                fill_up(scratch.mass[left - 1], turn.spread, scratch.work)
        copy_masses(first, n, mass, scratch)


class _Kept(AgentPolicy):
    """An agent whose answers are kept on disk as it gives them."""

    def __init__(self, policy: AgentPolicy, parts: Parts) -> None:
        super().__init__(policy.agent, policy.rules, policy.name)
        self.parts, self.lock = parts, Lock()

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        name = f"{digest_of(filled.tobytes(), upper.tobytes())}.npz"
        with self.lock:
            is_kept = self.parts.has(name)
        if is_kept:
            with np.load(self.parts.folder / name) as kept:
                exits.reshape(-1)[kept["place"]] = kept["probability"]
            return
        super().add_exits(filled, upper, exits)
        place = np.flatnonzero(exits).astype(np.uint32)

        def write(half: Path) -> None:
            with half.open("wb") as file:
                np.savez(file, place=place, probability=exits.reshape(-1)[place])

        with self.lock:
            self.parts.add(name, len(filled), write)


def exact_return(
    agent: Agent,
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    keep: str | Path | None = None,
) -> Evaluation:
    """The agent's exact strength: `.mean` is its expected return, `.distribution` that of its final score.

    The agent is asked by several threads at once, unless `context` has one. If it will take more than ten
    seconds, an estimate is written to stderr before it begins, and progress while it runs. With `keep`, a folder,
    a run that was stopped goes on where it was; the folder takes up to 2 GB, and is emptied at the end.
    """
    policy = AgentPolicy(agent, rules)
    seconds = seconds_for(policy, context)
    if seconds > TOO_LONG:
        context.tell(
            "sampled_regret is quicker: the exact regret of every decision of some games, with an interval"
        )
    what = f"asking {policy.name} about every situation"
    with context.shown(what, seconds) as shown, _keeping(policy, keep, context) as kept:
        return evaluate(kept, context=shown)


@contextmanager
def _keeping(policy: AgentPolicy, folder: str | Path | None, context: Context) -> Iterator[AgentPolicy]:
    """The policy, its answers kept in the folder until all are there."""
    if folder is None:
        yield policy
        return
    out = Path(folder) / "answers"
    with writer_lock(out, context.notice):
        parts = Parts(out, (policy.rules.fingerprint, policy.content), context.notice)
        yield _Kept(policy, parts)
        parts.remove()


def exact_regret(
    agent: Agent,
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    keep: str | Path | None = None,
) -> float:
    """The points per game that the agent loses against perfect play; `context` and `keep` as in `exact_return`."""
    found = exact_return(agent, rules, context, keep)
    return table_of(found.rules).value() - found.mean


@dataclass(frozen=True, repr=False)
class SampledRegret:
    """An estimate from sampled games, in which the regret of every decision is exact.

    `regret` is the points lost per game and `value` the return that follows; `interval` holds the regret with 95%
    confidence.
    """

    agent: str
    rules: Ruleset
    games: int
    seed: int
    regret: float
    standard_error: float
    value: float

    @property
    def interval(self) -> tuple[float, float]:
        spread = CONFIDENCE_95 * self.standard_error
        return self.regret - spread, self.regret + spread

    def __repr__(self) -> str:
        spread = CONFIDENCE_95 * self.standard_error
        return (
            f"<Regret of {self.agent}, {self.rules.name}: {self.regret:.3f} +- {spread:.3f} points a game, "
            f"sampled in {self.games:,} games>"
        )


def sampled_regret(
    agent: Agent,
    rules: str | Ruleset = "scandinavian",
    games: int = 10_000,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> SampledRegret:
    """The regret of an agent in sampled games: for agents too slow to be asked about every situation."""
    check_games(games, seed, MAX_AT_ONCE)
    policy = AgentPolicy(agent, rules)
    with context.shown("solving") as shown:
        table = table_of(policy.rules, context=shown)
    with context.shown(f"playing {games:,} games") as shown:
        lost = _lost_in_games(policy, table, games, seed, shown)
    error = float(lost.std(ddof=1)) / math.sqrt(games) if games > 1 else math.inf
    regret = float(lost.mean())
    return SampledRegret(policy.name, policy.rules, games, seed, regret, error, table.value() - regret)


def _lost_in_games(policy: AgentPolicy, table: ValueTable, games: int, seed: int, context: Context) -> FloatArray:
    """(games,): the regret of all decisions of each."""
    lost, draws = np.zeros(games), np.random.default_rng([seed, 1])
    tables, every = tables_of(policy.rules), new_seats(games, seed)
    for block in chunks(games, GAMES_AT_ONCE):
        seats, game = _some(every, block), np.arange(block.start, block.stop)
        with np.errstate(over="ignore"):
            begin_games(0, len(game), seats, tables)
        while len(game):
            told = policy.ask(seats.filled, seats.upper, seats.roll, seats.rerolls)
            if told.ndim == 2:
                ends = np.cumsum(told, axis=1)
                told = (ends > draws.random((len(told), 1)) * ends[:, -1:]).argmax(axis=1)
            lost[game] += _regrets(policy.codes, table, seats, told, context.threads)
            steps = Steps(np.zeros(len(game)), *np.zeros((2, len(game)), np.bool_))
            with np.errstate(over="ignore"):
                step_seats(0, len(game), told, seats, tables, steps)
            goes_on = ~steps.finished
            seats, game = _some(seats, goes_on), game[goes_on]
        context.step(block.stop, games)
    return lost


def _some(seats: Seats, part: Any) -> Seats:
    filled, upper, roll, rerolls, random = seats
    return Seats(filled[part], upper[part], roll[part], rerolls[part], random[part])


def _regrets(codes: Codes, table: ValueTable, seats: Seats, actions: IntArray, threads: int | None) -> FloatArray:
    """(n,): what each action loses against the best one."""
    found = action_values(table, *seats[:4], threads)
    rows, n_holds = np.arange(len(actions)), codes.n_holds
    is_score = actions >= n_holds
    boxes = found.category[rows, np.where(is_score, actions - n_holds, 0)]
    held = codes.keep_of_code[seats.roll, np.where(is_score, 0, actions)]
    keeps = found.keep[rows, (found.keep_ids == held[:, None]).argmax(axis=1)]
    best = np.fmax(np.fmax.reduce(found.category, axis=1), np.fmax.reduce(found.keep, axis=1))
    return np.asarray(best - np.where(is_score, boxes, keeps))


BASELINES = (
    "random", "heuristic", "greedy", "tree-6k", "value-18", "value-350", "value-650", "value-2000", "optimal",
)  # fmt: skip


def baselines(rules: str = "scandinavian", names: tuple[str, ...] = BASELINES) -> list[tuple[str, float, float]]:
    """(player, exact return, exact regret), worst first."""
    best = table_of(ruleset(rules)).value()
    means = {name: evaluate(name, rules).mean for name in names}
    return sorted(((name, mean, best - mean) for name, mean in means.items()), key=lambda row: row[1])


def markdown(rows: list[tuple[str, float, float]]) -> str:
    """The table of docs/environment.md."""
    lines = ["| player | return | regret |", "| --- | --- | --- |"]
    lines += [f"| `{name}` | {mean:.2f} | {abs(regret):.2f} |" for name, mean, regret in rows]
    return "\n".join(lines)
