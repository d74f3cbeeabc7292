"""What a rule list is worth: exactly, for every state, under its own play.

Upper totals at which a list decides alike go through the die lattice together, as lanes:

    value(roll, 0) = points(roll, c) + V(filled + c, min(T, upper + lift))      c the list's category
    value(roll, n) = mean over the fresh dice of value(., n - 1), from the list's keep
    V(filled, upper) = sum over rolls of prob(roll) * value(roll, rerolls).

Play whose turns are known to end in an outcome with probability q (`ListPlay`) is worth

    V(filled, upper) = sum over outcomes of q(outcome | filled, upper) * (points + V(filled + c, upper + lift)),

from the last layer to the first, and passes through the states with the probabilities that follow the other way.
With keeps left to the oracle, the rolls that get scored do not depend on the list or chart: their probabilities
are computed once, for every class of states, and q sums those of the rolls that are scored so.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, Floats2, IntArray, Ints1, Ints2, Ints3, Lanes2, aligned, lanes_of, read_only
from yatzy.context import chunks, in_threads
from yatzy.errors import YatzyError
from yatzy.measure.exact import visit
from yatzy.players.moves import keep_table
from yatzy.players.rule_list import RuleList
from yatzy.players.rule_list_kernels import ListScratch, Rules, Sheet, enter_mask, next_run, open_set_of
from yatzy.players.rule_list_player import ListPlayer, sheet_tables
from yatzy.players.situations import situation_masses
from yatzy.policies.optimal import Optimal
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.decisions import mean_over_rolls, step_back
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.kernels.simd import larger_of, load, multiply_add, n_lanes, store
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Turn, turn_scratch, turn_tables
from yatzy.turn.values import after

MASKS_PER_CHUNK = 64
STATES_PER_CHUNK = 2048


class ListTurnEnds(NamedTuple):
    """Different states that a turn may lead to, and which of them each outcome leads to, with its points."""

    bits: IntArray
    lift: IntArray
    of_outcome: IntArray
    points: FloatArray
    cap: int


class Turns(NamedTuple):
    """How turns end that begin in some masks, by `row` (masks, n_uppers): `prob` (rows, endings), `points`."""

    row: IntArray
    prob: FloatArray
    points: FloatArray


@lru_cache(maxsize=4)
def endings_of(game: Ruleset) -> ListTurnEnds:
    """The endings of a game's turns."""
    found = outcomes(game)
    pairs, group = np.unique(np.stack([found.bits, found.lift], axis=1), axis=0, return_inverse=True)
    bits, lift = (read_only(np.ascontiguousarray(pairs[:, column])) for column in (0, 1))
    points = read_only(found.points.astype(np.float64))
    return ListTurnEnds(bits, lift, read_only(np.asarray(group).reshape(-1)), points, game.bonus_threshold)


@dataclass(frozen=True)
class ListPlay:
    """Play through whole games, from how its turns end: `turns(masks)`."""

    rules: Ruleset
    turns: Callable[[IntArray], Turns]
    threads: int | None

    @cached_property
    def values(self) -> FloatArray:
        """(n_masks, n_uppers): expected remaining points of every state."""
        endings = endings_of(self.rules)

        def value(masks: IntArray, values: FloatArray) -> None:
            _value_turns(masks, self.turns(masks), endings, values)

        return value_all_masks(self.rules, value, self.threads)

    @cached_property
    def visits(self) -> FloatArray:
        """(n_masks, n_uppers): probability of passing through every state."""
        space = state_space(self.rules)
        visits = np.zeros((space.n_masks, space.n_uppers))
        visits[0, 0] = 1.0
        for layer in space.layers[:-1]:
            for masks in _parts(layer):
                _visit_turns(masks, self.turns(masks), endings_of(self.rules), visits)
        return visits

    @property
    def mean(self) -> float:
        return float(self.values[0, 0])


@dataclass(frozen=True, eq=False)
class OracleRolls:
    """Rolls that get scored where dice are kept as in optimal play: a row of `mass` (classes, n_rolls) for every
    reachable state by `row_of` (n_masks, n_uppers), -1 for others.

    float32 is enough for searching; published means come from the keeps themselves.
    """

    rules: Ruleset
    row_of: NDArray[np.int32]
    mass: NDArray[np.float32]

    def turns(self, masks: IntArray, decided: NDArray[np.int16], which: IntArray) -> Turns:
        """How turns end: in a state, every roll has the outcome in row `which` (masks, n_uppers) of `decided`."""
        endings = endings_of(self.rules)
        row = np.arange(which.size).reshape(which.shape)
        found = Turns(row, np.zeros((which.size, len(endings.bits))), np.zeros(which.size))
        _end_turns(masks, decided, which, self.row_of, self.mass, endings, found)
        return found


@lru_cache(maxsize=1)
def oracle_rolls(table: ValueTable, threads: int | None = None) -> OracleRolls:
    """The rolls to score under the keeps of this table."""
    rules = table.rules
    space, optimal = state_space(rules), Optimal(table)
    lost = np.arange(space.n_uppers) < space.lowest_upper[:, None]
    classes = space.reachable & ~lost
    # The class of lost bonuses is stored at its largest member, which need not be a total that can occur.
    classes[np.arange(space.n_masks), space.lowest_upper] = True
    classes[-1] = False
    filled, upper = np.nonzero(classes)
    row_of = np.full((space.n_masks, space.n_uppers), -1, np.int32)
    row_of[filled, upper] = np.arange(len(filled))
    at_lowest = row_of[np.arange(space.n_masks), space.lowest_upper]
    row_of = np.where(lost & space.reachable, at_lowest[:, None], row_of).astype(np.int32)
    stand_in = np.array([np.flatnonzero(row)[0] for row in space.reachable])
    asked = np.where(space.reachable[filled, upper], upper, stand_in[filled])
    mass = np.empty((len(filled), len(rules.rolls)), np.float32)

    def run(part: slice) -> None:
        mass[part] = situation_masses(optimal, filled[part], asked[part])[:, 0]

    in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)
    return OracleRolls(rules, row_of, mass)


def play_with_oracle(rules: RuleList, rolls: OracleRolls, threads: int | None = None) -> ListPlay:
    """A list that only scores, whatever its own keeps are."""
    game, player = rules.rules, ListPlayer(rules)
    of_reading = turn_tables(game).outcome_of_reading

    def turns(masks: IntArray) -> Turns:
        which = np.zeros((len(masks), game.bonus_threshold + 1), np.int64)
        decided = np.empty((which.size, len(game.rolls)), np.int16)
        _decide_runs(masks, player.numbers, player.sheet, of_reading, decided, which, player.scratch())
        return rolls.turns(masks, decided, which)

    return ListPlay(game, turns, threads)


def list_values(rules: RuleList, threads: int | None = None) -> FloatArray:
    """(n_masks, n_uppers): expected remaining points of every state under the list's own play."""
    if rules.oracle_keeps:
        raise YatzyError("rules", why="a list with oracle keeps is valued by measure.exact.visit")
    game = rules.rules
    player, turn = ListPlayer(rules), turn_tables(game)

    def value(masks: IntArray, values: FloatArray) -> None:
        value_masks(masks, player.numbers, player.sheet, turn, values, _buffers(game), player.scratch())

    return value_all_masks(game, value, threads)


def exact_mean(player: ListPlayer, threads: int | None = None) -> float:
    """Mean score of a list."""
    if player.rule_list.oracle_keeps:
        return visit(player, threads).mean
    return float(list_values(player.rule_list, threads)[0, 0])


def grammar_values(game: Ruleset, grammar: str, threads: int | None = None) -> FloatArray:
    """(n_masks, n_uppers): the value of every state if only this grammar's keeps are allowed and all else is best.

    Move 0 of a grammar always applies.
    """
    sheet, turn, kept = sheet_tables(game), turn_tables(game), keep_table(game, grammar)

    def value(masks: IntArray, values: FloatArray) -> None:
        value_of_grammar(masks, kept, sheet, turn, values, _buffers(game))

    return value_all_masks(game, value, threads)


def value_all_masks(
    game: Ruleset, value: Callable[[IntArray, FloatArray], None], threads: int | None
) -> FloatArray:
    """(n_masks, n_uppers): layer by layer from the end, `value(masks, values)` sets the values of some masks."""
    space = state_space(game)
    values = np.zeros((space.n_masks, space.n_uppers))
    values[game.is_finished(space.masks), game.bonus_threshold] = game.bonus
    for layer in space.layers[-2::-1]:
        in_threads(lambda masks: value(masks, values), _parts(layer), threads)
    return values


def _parts(masks: IntArray) -> list[IntArray]:
    return np.array_split(masks, -(-len(masks) // MASKS_PER_CHUNK))


class _Buffers(NamedTuple):
    """Scratch: a row of values for each category, continued past the cap; and a work buffer of the turn."""

    rows: NDArray[np.float64]
    work: NDArray[np.float64]


def _buffers(game: Ruleset) -> _Buffers:
    length = game.bonus_threshold + 1 + int(outcomes(game).lift.max(initial=0)) + lanes_of(np.float64)
    return _Buffers(aligned((game.n_categories, length)), turn_scratch(game).work)


@jit
def value_masks(
    masks: Ints1, rules: Rules, sheet: Sheet, turn: Turn, values: Floats2, buffers: _Buffers, scratch: ListScratch
) -> None:
    """`values` (n_masks, n_uppers) of the masks under the list, from those of their successors."""
    rows, work = buffers
    width, highest = n_lanes(work), sheet.highest
    n_uppers = values.shape[1]
    for mask in masks:
        _read_successors(mask, turn, values, rows)
        enter_mask(mask, rules, sheet, scratch)
        upper, side = 0, -1
        while upper <= highest[mask]:
            side, end = next_run(mask, upper, highest[mask], side, rules, sheet, scratch)
            for first in range(upper, end, width):
                _turn_values(first, turn, rows, work, scratch)
                for lane in range(min(width, end - first)):
                    values[mask, first + lane] = work[0, lane]
            upper = end
        for above in range(highest[mask] + 1, n_uppers):
            values[mask, above] = values[mask, highest[mask]]


@jit
def _decide_runs(
    masks: Ints1, rules: Rules, sheet: Sheet, of_reading: Ints2, decided: Ints2, which: Ints2, scratch: ListScratch
) -> None:
    """The outcome of every roll (`decided`), once for each run of upper totals, and `which` is that of a total."""
    for i in range(len(masks)):
        mask = masks[i]
        enter_mask(mask, rules, sheet, scratch)
        upper, side = 0, -1
        while upper <= sheet.highest[mask]:
            row = i * which.shape[1] + upper
            side, end = next_run(mask, upper, sheet.highest[mask], side, rules, sheet, scratch)
            for roll in range(decided.shape[1]):
                decided[row, roll] = of_reading[roll, scratch.category[roll]]
            which[i, upper:end] = row
            upper = end


@jit
def _end_turns(
    masks: Ints1, decided: Ints2, which: Ints2, row_of: Ints2, mass: Floats2, endings: ListTurnEnds, turns: Turns
) -> None:
    """Set `turns`, from zeros: see `OracleRolls.turns`."""
    of_outcome, outcome_points, prob, points = endings.of_outcome, endings.points, turns.prob, turns.points
    for i in range(len(masks)):
        for upper in range(which.shape[1]):
            source = row_of[masks[i], upper]
            if source < 0:
                continue
            row, scored = i * which.shape[1] + upper, which[i, upper]
            for roll in range(decided.shape[1]):
                outcome, q = decided[scored, roll], mass[source, roll]
                prob[row, of_outcome[outcome]] += q
                points[row] += q * outcome_points[outcome]


@jit
def _value_turns(masks: Ints1, turns: Turns, endings: ListTurnEnds, values: Floats2) -> None:
    """`values` of the masks, from those of their successors."""
    row_of, prob, points = turns
    bits, lift, cap = endings.bits, endings.lift, endings.cap
    for i in range(len(masks)):
        for upper in range(row_of.shape[1]):
            row = row_of[i, upper]
            total = points[row]
            for end in range(len(bits)):
                q = prob[row, end]
                if q != 0.0:
                    total += q * values[after(masks[i], upper, bits[end], lift[end], cap)]
            values[masks[i], upper] = total


@jit
def _visit_turns(masks: Ints1, turns: Turns, endings: ListTurnEnds, visits: Floats2) -> None:
    """Move the probability of each state of the masks on to its successors."""
    row_of, prob, _ = turns
    bits, lift, cap = endings.bits, endings.lift, endings.cap
    for i in range(len(masks)):
        for upper in range(row_of.shape[1]):
            here = visits[masks[i], upper]
            if here != 0.0:
                for end in range(len(bits)):
                    q = here * prob[row_of[i, upper], end]
                    if q != 0.0:
                        visits[after(masks[i], upper, bits[end], lift[end], cap)] += q


@jit
def value_of_grammar(
    masks: Ints1, keep_of: Ints3, sheet: Sheet, turn: Turn, values: Floats2, buffers: _Buffers
) -> None:
    """`values` of the masks under the best play whose keeps are all among `keep_of` (sets, moves, n_rolls)."""
    rows, work = buffers
    width, highest = n_lanes(work), sheet.highest
    for mask in masks:
        _read_successors(mask, turn, values, rows)
        kept = keep_of[open_set_of(mask, sheet)]
        for upper in range(0, highest[mask] + 1, width):
            for roll in range(len(turn.prob_roll)):
                started = False
                top = load(rows, 0)
                for category in range(len(turn.zero)):
                    outcome = turn.outcome_of_reading[roll, category]
                    if not mask & turn.bits[outcome]:
                        worth = _worth(outcome, upper, turn, rows)
                        top = larger_of(top, worth) if started else worth
                        started = True
                store(work, roll * width, top)
            for _ in range(turn.n_rerolls):
                step_back(kept, turn, work)
            mean_over_rolls(turn, work)
            for lane in range(min(width, values.shape[1] - upper)):
                values[mask, upper + lane] = work[0, lane]


@jittable
def _read_successors(mask: int, turn: Turn, values: Floats2, rows: Floats2) -> None:
    """Value after filling each open category, by upper total, padded past the cap."""
    n_uppers = values.shape[1]
    for category in range(len(turn.zero)):
        bits = turn.bits[turn.zero[category]]
        if not mask & bits:
            filled, _ = after(mask, 0, bits, 0, turn.cap)
            for upper in range(rows.shape[1]):
                rows[category, upper] = values[filled, min(upper, n_uppers - 1)]


@jittable
def _worth(outcome: int, upper: int, turn: Turn, rows: Floats2) -> Any:
    """Points and value after an outcome, for the upper totals from `upper` on."""
    start = turn.category[outcome] * rows.shape[1] + upper + turn.lift[outcome]
    return multiply_add(load(rows, start), 1.0, float(turn.points[outcome]))


@jittable
def _turn_values(upper: int, turn: Turn, rows: Floats2, work: Lanes2, scratch: ListScratch) -> None:
    """Row 0 of `work` becomes the value of the upper totals from `upper` on, under the scratch's decisions."""
    width = n_lanes(work)
    for roll in range(len(turn.prob_roll)):
        outcome = turn.outcome_of_reading[roll, scratch.category[roll]]
        store(work, roll * width, _worth(outcome, upper, turn, rows))
    for left in range(turn.n_rerolls):
        step_back(scratch.keep[left : left + 1], turn, work)
    mean_over_rolls(turn, work)
