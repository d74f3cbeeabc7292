"""What a rule list is worth: exactly, for every state, under its own play.

Upper totals at which a list decides alike (`deciding`) go through the die lattice together, as lanes:

    value(roll, 0) = points(roll, c) + V(filled + c, min(T, upper + lift))      c the list's category
    value(roll, n) = mean over the fresh dice of value(., n - 1), from the list's keep
    V(filled, upper) = sum over rolls of prob(roll) * value(roll, rerolls).
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, aligned, lanes_of
from yatzy.errors import YatzyError
from yatzy.evaluate.visits import visit
from yatzy.rulelists.language.moves import keep_table
from yatzy.rulelists.language.rulelist import RuleList
from yatzy.rulelists.play.deciding import Rules, Scratch, Sheet, enter_mask, next_run, open_set_of
from yatzy.rulelists.play.player import ListPlayer, sheet_tables
from yatzy.rules import Ruleset
from yatzy.running import in_threads
from yatzy.solver.states import state_space
from yatzy.turn.given import mean_over_rolls, step_back, value_scored, visit_scored
from yatzy.turn.jit import jit
from yatzy.turn.lanes import larger_of, load, multiply_add, n_lanes, store
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Turn, turn_tables, work_buffer
from yatzy.turn.values import after

MASKS_PER_CHUNK = 64


def list_values(rules: RuleList, threads: int | None = None) -> FloatArray:
    """(n_masks, n_uppers): expected remaining points of every state under the list's own play."""
    if rules.oracle_keeps:
        raise YatzyError("rules: values of a list with oracle keeps come from `evaluate.exact.policy_values`")
    game = rules.rules
    highest, player, turn = state_space(game).highest_upper, ListPlayer(rules), turn_tables(game)

    def value(masks: IntArray, values: FloatArray) -> None:
        value_masks(
            masks, highest, player.numbers, player.sheet, turn, values, _padded_rows(game), work_buffer(game),
            player.scratch(),
        )  # fmt: skip

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
    highest, sheet, turn = state_space(game).highest_upper, sheet_tables(game), turn_tables(game)
    kept = keep_table(game, grammar)

    def value(masks: IntArray, values: FloatArray) -> None:
        value_of_grammar(masks, highest, kept, sheet, turn, values, _padded_rows(game), work_buffer(game))

    return value_all_masks(game, value, threads)


def value_all_masks(
    game: Ruleset, value: Callable[[IntArray, FloatArray], None], threads: int | None
) -> FloatArray:
    """(n_masks, n_uppers): layer by layer from the end, `value(masks, values)` sets the values of some masks."""
    space = state_space(game)
    values = np.zeros((space.n_masks, space.n_uppers))
    values[game.all_filled, game.bonus_threshold] = game.bonus
    for layer in space.layers[-2::-1]:
        parts = np.array_split(layer, -(-len(layer) // MASKS_PER_CHUNK))
        in_threads(lambda masks: value(masks, values), parts, threads)
    return values


def _padded_rows(game: Ruleset) -> NDArray[np.float64]:
    """Scratch: a row of values for each category, continued past the cap."""
    length = game.bonus_threshold + 1 + int(outcomes(game).lift.max(initial=0)) + lanes_of(np.float64)
    return aligned((game.n_categories, length))


@jit
def value_masks(
    masks: Any, highest: Any, rules: Rules, sheet: Sheet, turn: Turn, values: Any, rows: Any, work: Any,
    scratch: Scratch,
) -> None:  # fmt: skip
    """`values` (n_masks, n_uppers) of the masks under the list, from those of their successors."""
    width = n_lanes(work)
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
def value_with_oracle(
    masks: Any, highest: Any, rules: Rules, sheet: Sheet, turn: Turn, row_of: Any, mass: Any, values: Any,
    scratch: Scratch,
) -> None:  # fmt: skip
    """`values` of the masks if rolls to score have probability `mass[row_of[mask, upper]]` under any list."""
    decided = np.empty(len(turn.prob_roll), np.int64)
    for mask in masks:
        enter_mask(mask, rules, sheet, scratch)
        upper, side = 0, -1
        while upper <= highest[mask]:
            side, end = next_run(mask, upper, highest[mask], side, rules, sheet, scratch)
            _outcomes(turn.outcome_of_reading, scratch.category, decided)
            value_scored(mask, upper, end, decided, row_of, mass, turn, values)
            upper = end


@jit
def visit_with_oracle(
    masks: Any, highest: Any, rules: Rules, sheet: Sheet, turn: Turn, row_of: Any, mass: Any, visits: Any,
    scratch: Scratch,
) -> None:  # fmt: skip
    """Move the probability of each state of the masks on to its successors, in the same way."""
    decided = np.empty(len(turn.prob_roll), np.int64)
    for mask in masks:
        enter_mask(mask, rules, sheet, scratch)
        upper, side = 0, -1
        while upper <= highest[mask]:
            side, end = next_run(mask, upper, highest[mask], side, rules, sheet, scratch)
            _outcomes(turn.outcome_of_reading, scratch.category, decided)
            visit_scored(mask, upper, end, decided, row_of, mass, turn, visits)
            upper = end


@jit
def _outcomes(outcome_of_reading: Any, category: Any, decided: Any) -> None:
    """Set `decided` (n_rolls,): the outcome of scoring every roll in its category."""
    for roll in range(len(decided)):
        decided[roll] = outcome_of_reading[roll, category[roll]]


@jit
def value_of_grammar(
    masks: Any, highest: Any, keep_of: Any, sheet: Sheet, turn: Turn, values: Any, rows: Any, work: Any
) -> None:
    """`values` of the masks under the best play whose keeps are all among `keep_of` (sets, moves, n_rolls)."""
    width = n_lanes(work)
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


@jit
def _read_successors(mask: Any, turn: Turn, values: Any, rows: Any) -> None:
    """Value after filling each open category, by upper total, padded past the cap."""
    n_uppers = values.shape[1]
    for category in range(len(turn.zero)):
        bits = turn.bits[turn.zero[category]]
        if not mask & bits:
            filled, _ = after(mask, 0, bits, 0, turn.cap)
            for upper in range(rows.shape[1]):
                rows[category, upper] = values[filled, min(upper, n_uppers - 1)]


@jit
def _worth(outcome: Any, upper: Any, turn: Turn, rows: Any) -> Any:
    """Points and value after an outcome, for the upper totals from `upper` on."""
    start = turn.category[outcome] * rows.shape[1] + upper + turn.lift[outcome]
    return multiply_add(load(rows, start), 1.0, float(turn.points[outcome]))


@jit
def _turn_values(upper: Any, turn: Turn, rows: Any, work: Any, scratch: Scratch) -> None:
    """Row 0 of `work` becomes the value of the upper totals from `upper` on, under the scratch's decisions."""
    width = n_lanes(work)
    for roll in range(len(turn.prob_roll)):
        outcome = turn.outcome_of_reading[roll, scratch.category[roll]]
        store(work, roll * width, _worth(outcome, upper, turn, rows))
    for left in range(turn.n_rerolls):
        step_back(scratch.keep[left : left + 1], turn, work)
    mean_over_rolls(turn, work)
