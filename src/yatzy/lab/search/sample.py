"""Decisions drawn from a list's own play, with what every move would be worth there.

A state is drawn in proportion to its exact visits, a roll for each decision in proportion to its exact probability
in that turn. The worth of a move is exact, under the list's own continuation:

    Q(score in c)        = points + V(after c)
    Q(keep K, n left)    = mean over the fresh dice of what the list makes of the roll with n - 1 left.
"""

from abc import ABC, abstractmethod
from collections.abc import Callable, Container
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, Ints3, Lanes2
from yatzy.context import chunks, in_threads
from yatzy.errors import YatzyError
from yatzy.measure.exact import visit
from yatzy.players.chart import Chart
from yatzy.players.conditions import Condition, box_name, dice_table, features, set_table
from yatzy.players.moves import FINDERS, Par, give_up_order, keep_table, margins
from yatzy.players.rule_list import RuleList
from yatzy.players.rule_list_player import ListPlayer, sheet_tables
from yatzy.players.rule_list_values import ListPlay, list_values, oracle_rolls, play_with_oracle
from yatzy.players.situations import draw_states
from yatzy.policies.policy import Decisions, Policy
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.decisions import walk_fixed_keeps
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import n_lanes
from yatzy.turn.outcomes import outcomes
from yatzy.turn.probability import take_decisions, walk_forward
from yatzy.turn.state_rows import settled
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import outcome_points, reading_of

STATES_PER_CHUNK = 4096


@dataclass(frozen=True)
class Sample:
    """Decisions of one list. `seen` holds every feature; `worth` (n, moves) is -inf where a move does not apply.

    Every row stands for `weight` decisions per game; `situations` are its filled, upper and roll.
    """

    seen: dict[str, NDArray[np.int16]]
    worth: NDArray[np.float32]
    weight: float
    situations: tuple[IntArray, IntArray, IntArray]

    def __len__(self) -> int:
        return len(self.worth)

    def holds(self, condition: Condition) -> NDArray[np.bool_]:
        values = self.seen[condition.feature]
        return np.asarray((values >= condition.low) & (values <= condition.high))


@dataclass(frozen=True)
class DrawnTurns:
    """Turns of somebody's play: a state each, a roll for every decision, by rerolls left, and what every move
    of keeping is worth there, (n, rerolls, moves), -inf where it does not apply.
    """

    filled: IntArray
    upper: IntArray
    rolls: IntArray
    worth: NDArray[np.float32]

    @property
    def scoring(self) -> tuple[IntArray, IntArray, IntArray]:
        """(n,) each: filled, upper and roll of the decisions on where to score."""
        return self.filled, self.upper, self.rolls[:, 0]

    @property
    def keeping(self) -> tuple[IntArray, IntArray, IntArray]:
        """The same of the decisions on what to keep: all with one reroll left, then all with two, ..."""
        times = self.worth.shape[1]
        return np.tile(self.filled, times), np.tile(self.upper, times), self.rolls[:, 1:].T.reshape(-1)

    @property
    def keeping_worth(self) -> NDArray[np.float32]:
        """(n * rerolls, moves): `worth`, in the order of `keeping`."""
        return self.worth.transpose(1, 0, 2).reshape(-1, self.worth.shape[2])


def draw_turns(
    player: Policy, values: FloatArray, visits: FloatArray, kept: NDArray[np.int16], n: int, seed: int,
    threads: int | None = None,
) -> DrawnTurns:  # fmt: skip
    """Draw n turns; the moves of keeping are those of `kept` (sets, moves, n_rolls), see `moves.keep_table`."""
    game = player.rules
    generator = np.random.default_rng(seed)
    unfinished = np.where(game.is_finished(state_space(game).masks)[:, None], 0, visits)
    filled, upper = draw_states(unfinished, n, generator)
    uniform = generator.random((n, game.rerolls + 1))
    turn, after = turn_tables(game), continuation_of(game, values)
    open_sets = open_sets_of(game, filled)
    rolls = np.empty((n, game.rerolls + 1), np.int64)
    worth = np.full((n, game.rerolls, kept.shape[1]), -np.inf, np.float32)

    def run(part: slice) -> None:
        decisions = player.decide(filled[part], upper[part])
        asked = _Asked(filled[part], upper[part], open_sets[part], uniform[part])
        drawn = _Drawn(rolls[part], worth[part])
        _draw_turns(asked, decisions.by_level, kept, turn, after, drawn, turn_scratch(game))

    in_threads(run, chunks(n, STATES_PER_CHUNK), threads)
    return DrawnTurns(filled, upper, rolls, worth)


def draw_samples(
    player: ListPlayer, values: FloatArray, visits: FloatArray, n: int, seed: int, threads: int | None = None
) -> tuple[Sample, Sample | None]:
    """Draw n decisions on where to score, and n per reroll on what to keep (None with oracle keeps)."""
    game, rules = player.rules, player.rule_list
    turns = draw_turns(player, values, visits, keep_table(game, rules.grammar), n, seed, threads)
    weight = game.n_categories / n
    scoring = Sample(
        see(game, *turns.scoring, 0, rules.par),
        _scoring_worth(game, *turns.scoring, values, rules.par),
        weight,
        turns.scoring,
    )
    if rules.oracle_keeps or not game.rerolls:
        return scoring, None
    seen = see(game, *turns.keeping, np.repeat(np.arange(1, game.rerolls + 1), n), rules.par)
    return scoring, Sample(seen, turns.keeping_worth, weight, turns.keeping)


def open_sets_of(game: Ruleset, filled: IntArray) -> IntArray:
    """Open upper boxes and open straights, as in `moves.keep_table`."""
    sheet = sheet_tables(game)
    found = np.zeros(len(filled), np.int64)
    for category in range(game.n_categories):
        is_open = ~filled >> category & 1
        if sheet.face_of[category]:
            found |= is_open << (sheet.face_of[category] - 1)
        if sheet.straight_of[category]:
            found |= is_open << (game.faces + sheet.straight_of[category] - 1)
    return found


class _Asked(NamedTuple):
    """States to draw a turn in, their open sets, and a number between 0 and 1 for every roll of it."""

    filled: IntArray
    upper: IntArray
    open_sets: IntArray
    uniform: FloatArray


class _Drawn(NamedTuple):
    """A roll for every decision of the turns, and what each of the moves is worth there."""

    rolls: IntArray
    of_moves: NDArray[np.float32]


@jit
def _draw_turns(
    asked: _Asked,
    decided: Decisions,
    kept: Ints3,
    turn: Turn,
    continuation: Continuation,
    drawn: _Drawn,
    scratch: Scratch,
) -> None:
    """Each lane is a different state."""
    filled, upper, open_sets, uniform = asked
    rolls, of_moves = drawn
    category, keep = decided
    work, levels = scratch.work, scratch.levels
    width = n_lanes(work)
    special_of_roll, readings = turn.special.of_roll, turn.special.readings
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        take_decisions(first, n, category, keep, scratch)
        walk_forward(first, n, filled, turn.n_rerolls, turn, scratch)
        for lane in range(n):
            i = first + lane
            for left in range(turn.n_rerolls + 1):
                rolls[i, left] = _draw_roll(uniform[i, left], scratch.mass[left], lane)
            for roll in range(len(turn.prob_roll)):
                reading = reading_of(filled[i], roll, special_of_roll, readings)
                outcome = turn.outcome_of_reading[reading, category[i, 0, roll]]
                work[roll, lane] = outcome_points(filled[i], upper[i], outcome, turn, continuation)
        walk_fixed_keeps(turn.n_rerolls, turn, scratch)
        for lane in range(n):
            i = first + lane
            for left in range(1, turn.n_rerolls + 1):
                for move in range(kept.shape[1]):
                    place = kept[open_sets[i], move, rolls[i, left]]
                    if place >= 0:
                        of_moves[i, left - 1, move] = levels[left, place, lane]


@jittable
def _draw_roll(at: float, mass: Lanes2, lane: int) -> int:
    """The roll whose share of the cumulative probability contains `at`, between 0 and 1."""
    chosen = -1
    for roll in range(len(mass)):
        if mass[roll, lane] > 0.0 and at >= 0.0:
            chosen = roll
            at -= mass[roll, lane]
    return chosen


def see(
    game: Ruleset, filled: IntArray, upper: IntArray, rolls: IntArray, rerolls: IntArray | int, par: Par | None
) -> dict[str, NDArray[np.int16]]:
    """Every feature of many situations, by name: the plain twin of what the kernels see."""
    sheet = sheet_tables(game)
    is_open = (~filled[:, None] >> np.arange(game.n_categories) & 1).astype(np.bool_)
    points = np.where(is_open, np.array(game.scores)[rolls], 0)
    n_open = is_open.sum(axis=1)
    is_upper = sheet.face_of > 0
    open_sets = open_sets_of(game, filled) & (1 << game.faces) - 1
    best = points.max(axis=1)
    found: dict[str, Any] = {
        "turn": game.n_categories - n_open + 1,
        "boxes_left": n_open,
        "rerolls_left": np.broadcast_to(rerolls, filled.shape),
        "upper_total": upper,
        "bonus_secured": upper >= game.bonus_threshold,
        "pace": upper - 3 * (~is_open @ sheet.face_of),
        "upper_boxes_left": is_open[:, is_upper].sum(axis=1),
        "zero_boxes": (is_open & (points == 0)).sum(axis=1),
        "best_points": best,
    }
    found |= {name: table[rolls] for name, table in dice_table(game).items()}
    for category in range(game.n_categories):
        found[f"open_{box_name(game, category)}"] = is_open[:, category]
        found[f"points_{box_name(game, category)}"] = points[:, category]
    for known in features(game).values():
        if known.scope == "set":
            found[known.name] = set_table(game, known.name)[open_sets, rolls]
    if par:
        margin = _margins(game, par, filled, upper, rolls, is_open)
        ordered = np.sort(margin, axis=1)
        with np.errstate(invalid="ignore"):
            lead = np.where(np.isinf(ordered[:, -2]), 100, ordered[:, -1] - ordered[:, -2])
        found["par_margin"] = np.clip(np.floor(ordered[:, -1]), -60, 60)
        found["par_lead"] = np.minimum(np.floor(lead), 100)
    return {name: np.asarray(numbers).astype(np.int16) for name, numbers in found.items()}


def _margins(
    game: Ruleset, par: Par, filled: IntArray, upper: IntArray, rolls: IntArray, is_open: NDArray[np.bool_]
) -> FloatArray:
    side = settled(game, filled, upper).astype(np.int64)
    return np.where(is_open, margins(game, par)[side, rolls], -np.inf)


def above_par(game: Ruleset, par: Par, filled: IntArray, upper: IntArray, rolls: IntArray) -> IntArray:
    """(n,): the open box furthest above par."""
    is_open = (~filled[:, None] >> np.arange(game.n_categories) & 1).astype(np.bool_)
    return np.asarray(_margins(game, par, filled, upper, rolls, is_open).argmax(axis=1))


def first_open(boxes: IntArray, is_open: NDArray[np.bool_]) -> IntArray:
    """(n,): the first of the boxes that is open, -1 if none is."""
    found = np.full(len(is_open), -1)
    for box in boxes[::-1]:
        found[is_open[:, box]] = box
    return found


def _scoring_worth(
    game: Ruleset, filled: IntArray, upper: IntArray, rolls: IntArray, values: FloatArray, par: Par | None
) -> NDArray[np.float32]:
    """(n, scoring moves): points and value after, -inf where a move does not apply."""
    sheet = sheet_tables(game)
    n = len(filled)
    is_open = (~filled[:, None] >> np.arange(game.n_categories) & 1).astype(np.bool_)
    points = np.array(game.scores)[rolls]
    worth = np.full((n, game.n_categories + len(FINDERS)), -np.inf)
    ends = outcomes(game)
    for category in range(game.n_categories):
        after = ends.after(filled, upper, ends.of_reading[rolls, category])
        worth[:, category] = np.where(is_open[:, category], values[after] + points[:, category], -np.inf)
    lower = is_open & (sheet.face_of == 0) & (points > 0)
    three = is_open & (sheet.face_of > 0) & (points >= 3 * sheet.face_of)
    boxes = [
        np.where(is_open, points, -1).argmax(axis=1),
        np.where(three.any(axis=1), np.where(three, sheet.face_of, -1).argmax(axis=1), -1),
        np.where(lower.any(axis=1), np.where(lower, points, -1).argmax(axis=1), -1),
        first_open(give_up_order(game), is_open),
        above_par(game, par, filled, upper, rolls) if par else np.full(n, -1),
    ]
    for number, box in enumerate(boxes):
        worth[:, game.n_categories + number] = np.where(box >= 0, worth[np.arange(n), box], -np.inf)
    return worth.astype(np.float32)


@dataclass(frozen=True)
class PlayedAlone:
    """A list that makes every decision, played: its runs of states are walked back together, which is quicker."""

    rules: RuleList
    threads: int | None

    @cached_property
    def values(self) -> FloatArray:
        return list_values(self.rules, self.threads)

    @cached_property
    def visits(self) -> FloatArray:
        return visit(ListPlayer(self.rules), self.threads).visits


class ListEvaluator(ABC):
    """Measures lists. The latest is kept: samples are mostly drawn from the list whose mean was just computed."""

    table: ValueTable | None = None

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads
        self._latest: tuple[RuleList, ListPlay | PlayedAlone] | None = None

    @abstractmethod
    def play(self, rules: RuleList) -> ListPlay | PlayedAlone:
        """The list, played."""

    def _played(self, rules: RuleList) -> ListPlay | PlayedAlone:
        if self._latest is None or self._latest[0] is not rules:
            self._latest = (rules, self.play(rules))
        return self._latest[1]

    def mean(self, rules: RuleList) -> float:
        """Exact mean score."""
        return float(self._played(rules).values[0, 0])

    def samples(self, rules: RuleList, n: int, seed: int) -> tuple[Sample, Sample | None]:
        """Decisions of the list's own play: where to score, what to keep."""
        played = self._played(rules)
        player = ListPlayer(rules, table=self.table)
        return draw_samples(player, played.values, played.visits, n, seed, self.threads)


class OwnKeeps(ListEvaluator):
    """Lists that make every decision."""

    def play(self, rules: RuleList) -> PlayedAlone:
        return PlayedAlone(rules, self.threads)


class OracleKeeps(ListEvaluator):
    """Lists that only score; dice are kept as in optimal play."""

    def __init__(self, table: ValueTable, threads: int | None = None) -> None:
        super().__init__(threads)
        self.table = table
        self._rolls = oracle_rolls(table, threads)

    def play(self, rules: RuleList) -> ListPlay:
        return play_with_oracle(rules, self._rolls, self.threads)


Made = TypeVar("Made", RuleList, Chart)


def kept(file: Path, load: Callable[[Path], Made], made: dict[str, Any]) -> Made | None:
    """The list or chart of a file if these settings made it: a killed search need not find it again."""
    try:
        found = load(file)
    except YatzyError:
        return None
    return found if all(found.info.get(key) == value for key, value in made.items()) else None


def sized_name(prefix: str, size: int, taken: Container[str]) -> str:
    """`card-77` has 77 rules; of two of one size the later is the better one, `rules-50-best`."""
    name = f"{prefix}-{size}"
    return f"{name}-best" if name in taken else name


def kept_in(folder: Path, prefix: str, load: Callable[[Path], Made], made: dict[str, Any]) -> Made | None:
    """The one in the folder that these settings made, whatever its size is."""
    found = (kept(file, load, made) for file in sorted(folder.glob(f"{prefix}-*.json")))
    return next(filter(None, found), None)
