"""The tables and folds of a ruleset for kernels, and their scratch memory."""

import threading
from collections.abc import Iterator
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, aligned, lanes_of, read_only
from yatzy.rules import Ruleset
from yatzy.turn.kernels.folds import Fold, Special, TurnCode
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.state_rows import state_rows

_of_thread = threading.local()


class MaskLayout(NamedTuple):
    """The layout of masks, and their rows in arrays (see `state_rows`)."""

    row_start: IntArray
    set_mask: int
    saved_shift: int
    saves: bool
    in_order: bool


class SpecialRows(NamedTuple):
    """The special rolls and their readings (special rolls, n_sets)."""

    rolls: IntArray
    of_roll: IntArray
    readings: IntArray


class Turn(NamedTuple):
    """One turn of a game, as kernels see it.

    The rows of a work buffer are the keeps (rolls first), the *floor* (the best value after scoring nothing) and
    the outcomes. `slots` is the number of keeps in each roll. The keeps with one die fewer than keep K are
    `one_less` from one_less_start[K] to one_less_start[K + 1]; likewise `options` are the outcomes with points of
    a roll. Special rolls have no options: they are scored by their reading (see `outcomes`).
    """

    category: IntArray  # by outcome, as are the next three
    bits: IntArray
    points: IntArray
    lift: IntArray
    zero: IntArray  # (n_categories,): the outcome of scoring nothing
    outcome_of_reading: IntArray
    keeps_in_roll: IntArray
    slots: IntArray
    one_less: IntArray
    one_less_start: IntArray
    options: IntArray
    option_start: IntArray
    prob_roll: NDArray[Any]
    choose: Fold
    mean: Fold
    best: Fold
    spread: Fold
    n_keeps: int
    n_rerolls: int
    cap: int
    special: SpecialRows
    masks: MaskLayout


class Effects(NamedTuple):
    """The effects of scoring, by outcome: the part of `Turn` that short kernels need, quick to unpack."""

    outcome_of_reading: IntArray
    points: IntArray
    extra: IntArray
    bits: IntArray
    lift: IntArray
    special: SpecialRows
    masks: MaskLayout
    cap: int
    n_rerolls: int


class Continuation(NamedTuple):
    """The values of the states after a turn; the value of an outcome is gain * utility + points.

    `values` (n_masks, n_uppers) are points to come for theta = 0, else log-values.
    """

    values: NDArray[Any]
    theta: float
    gain: NDArray[Any]
    points: NDArray[Any]


class Scratch(NamedTuple):
    """Scratch memory of one thread; every row is a lane vector.

    levels[n] (n_keeps)          value of every keep with n rerolls left, and of holding all dice
    tops[n] (n_keeps)            value of the best keep inside each with n left
    held[n] (n_rolls)            the keep chosen with n + 1 left
    mass[n] (n_rolls)            probability of every roll with n left
    ends[n] (1 + n_outcomes)     value of the floor and the outcomes with n left
    scored[n] (n_rolls)          the category chosen with n left

    Where no throws are saved, scoring does not depend on n, and `ends` and `scored` have one level.
    """

    work: NDArray[Any]
    levels: NDArray[Any]
    tops: NDArray[Any]
    held: NDArray[Any]
    mass: NDArray[Any]
    ends: NDArray[Any]
    scored: NDArray[Any]


@lru_cache(maxsize=16)
def turn_tables(rules: Ruleset, precision: str = "float64", draft: bool = False) -> Turn:
    """The turn of a ruleset, with probabilities and folds in this precision."""
    dice, ends = lattice(rules.dice, rules.faces), outcomes(rules)
    choose, _, mean, best = turn_folds(rules, precision, draft)
    options = [
        row[(ends.points[row] > 0) & (ends.special_of_roll[roll] < 0)] for roll, row in _rows_of_rolls(rules)
    ]
    less = [keeps[keeps >= 0] for keeps in dice.removed]
    spread = [(keep, less[keep]) for keep in range(dice.n_keeps - 2, -1, -1)]
    return Turn(
        category=read_only(ends.category),
        bits=read_only(ends.bits),
        points=read_only(ends.points),
        lift=read_only(ends.lift),
        zero=read_only(ends.start[:-1]),
        outcome_of_reading=read_only(ends.of_reading),
        keeps_in_roll=read_only(dice.keeps_in_roll),
        slots=read_only((dice.keeps_in_roll >= 0).sum(axis=1)),
        one_less=read_only(np.concatenate(less)),
        one_less_start=read_only(np.cumsum([0, *map(len, less)])),
        options=read_only(np.concatenate(options)),
        option_start=read_only(np.cumsum([0, *map(len, options)])),
        prob_roll=read_only(dice.prob_roll.astype(precision)),
        choose=choose,
        mean=mean,
        best=best,
        spread=Fold("spread", spread, precision, share=1 / rules.faces, draft=draft),
        n_keeps=dice.n_keeps,
        n_rerolls=rules.rerolls,
        cap=rules.bonus_threshold,
        special=SpecialRows(
            rolls=read_only(np.array(ends.special_rolls, np.int64)),
            of_roll=read_only(ends.special_of_roll),
            readings=read_only(ends.readings),
        ),
        masks=MaskLayout(
            row_start=read_only(state_rows(rules).row_start if rules.saves_throws else np.zeros(0, np.int64)),
            set_mask=rules.n_sets - 1,
            saved_shift=rules.saved_shift,
            saves=rules.saves_throws,
            in_order=rules.forced_order,
        ),
    )


def _rows_of_rolls(rules: Ruleset) -> Iterator[tuple[int, IntArray]]:
    """Every roll with the outcomes of its ordinary reading."""
    return enumerate(outcomes(rules).of_reading[: len(rules.rolls)])


@lru_cache(maxsize=16)
def turn_folds(rules: Ruleset, precision: str, draft: bool) -> tuple[Fold, Fold, Fold, Fold]:
    """The folds of a turn: `choose` an outcome for each ordinary roll, choose or keep the value that the roll has
    already, `mean` over the next die, `best` keep.
    """
    dice, ends = lattice(rules.dice, rules.faces), outcomes(rules)
    floor_row = dice.n_keeps
    choose = [
        (roll, [floor_row, *(floor_row + 1 + o for o in row if ends.points[o])])
        for roll, row in _rows_of_rolls(rules)
        if ends.special_of_roll[roll] < 0
    ]
    mean = [(keep, dice.added[keep]) for keep in range(dice.n_rolls, dice.n_keeps)]
    best = [(keep, [keep, *(k for k in dice.removed[keep] if k >= 0)]) for keep in range(dice.n_keeps - 2, -1, -1)]
    chosen = Fold("max", choose, precision, draft=draft)
    or_stay = [(roll, [roll, *sources]) for roll, sources in choose]
    return (
        chosen,
        Fold("max", or_stay, precision, draft=draft) if rules.saves_throws else chosen,
        Fold("mean", mean, precision, draft=draft),
        Fold("max", best, precision, draft=draft),
    )


@lru_cache(maxsize=16)
def turn_code(rules: Ruleset, precision: str, draft: bool) -> TurnCode:
    """The value of one turn as compiled code, for the rows of `solver.layers`."""
    dice, ends = lattice(rules.dice, rules.faces), outcomes(rules)
    triples = list(zip(ends.successor.tolist(), ends.points.tolist(), ends.lift.tolist(), strict=True))
    folds = turn_folds(rules, precision, draft)
    special = Special(ends.special_rolls, special_options(rules).shape[2])
    return TurnCode(
        precision, triples, dice.n_keeps, dice.prob_roll.astype(precision), folds, rules.rerolls, special,
        rules.saves_throws, draft,
    )  # fmt: skip


@lru_cache(maxsize=16)
def goal_code(rules: Ruleset, precision: str, draft: bool, rising: bool = True) -> TurnCode:
    """The same for `solver.goals`, where lanes are not upper totals and every outcome has a row of utilities.

    The floor lets a roll score nothing even in a category where it has points, which is harmless if more points
    are never worse (`rising`). Otherwise each roll reads its own outcomes only.
    """
    dice, ends = lattice(rules.dice, rules.faces), outcomes(rules)
    triples = [(outcome, points, 0) for outcome, points in enumerate(ends.points.tolist())]
    special = Special(ends.special_rolls, special_options(rules).shape[2])
    folds = turn_folds(rules, precision, draft)
    if not rising:
        steps = [
            (roll, [dice.n_keeps + 1 + o for o in row])
            for roll, row in _rows_of_rolls(rules)
            if ends.special_of_roll[roll] < 0
        ]
        choose = Fold("max", steps, precision, draft=draft)
        folds = (choose, choose, *folds[2:])
    return TurnCode(
        precision, triples, dice.n_keeps, dice.prob_roll.astype(precision), folds, rules.rerolls, special, False,
        draft, needs_zeros=not rising,
    )  # fmt: skip


@lru_cache(maxsize=4)
def effects(rules: Ruleset) -> Effects:
    """The effects of a ruleset."""
    turn, ends = turn_tables(rules), outcomes(rules)
    return Effects(
        turn.outcome_of_reading, ends.points - ends.extra, ends.extra, turn.bits, turn.lift, turn.special,
        turn.masks, turn.cap, turn.n_rerolls,
    )  # fmt: skip


@lru_cache(maxsize=4)
def special_options(rules: Ruleset) -> IntArray:
    """(n_sets, special rolls, options): rows of the possible outcomes of special rolls, the last one repeated."""
    ends = outcomes(rules)
    first = lattice(rules.dice, rules.faces).n_keeps + 1
    sets = np.arange(rules.n_sets)
    found = ends.of_reading[ends.readings.T]
    is_open = (found >= 0) & (sets[:, None, None] >> np.arange(rules.n_categories) & 1 == 0)
    # Allowed ones first; those of finished games are never read.
    order = np.argsort(~is_open, axis=2, kind="stable")
    n = np.maximum(is_open.sum(axis=2, keepdims=True), 1)
    order = np.take_along_axis(order, np.minimum(np.arange(rules.n_categories), n - 1), axis=2)
    return read_only(first + np.take_along_axis(found, order, axis=2))


def point_weights(rules: Ruleset, theta: float, precision: str = "float64") -> tuple[NDArray[Any], NDArray[Any]]:
    """(gain, points) by outcome: see `Continuation`."""
    points = outcomes(rules).points
    if theta == 0:
        return np.ones(len(points), precision), points.astype(precision)
    return np.exp(theta * points), np.zeros(len(points))


def continuation_of(rules: Ruleset, values: NDArray[Any], theta: float = 0.0) -> Continuation:
    """The continuation with these values (n_masks, n_uppers) after a turn."""
    precision = values.dtype.name
    gain, points = point_weights(rules, theta, precision)
    # Always plain read-only arrays, so that kernels compile for one type only.
    return Continuation(read_only(np.asarray(values)), float(theta), read_only(gain), read_only(points))


def work_buffer(rules: Ruleset, precision: str = "float64") -> NDArray[Any]:
    """A row for each keep, the floor and each outcome."""
    n_rows = lattice(rules.dice, rules.faces).n_keeps + 1 + outcomes(rules).n
    return aligned((n_rows, lanes_of(precision)), precision)


def turn_scratch(rules: Ruleset, precision: str = "float64") -> Scratch:
    """The scratch memory of the calling thread, reused by its next call."""
    kept: dict[tuple[Ruleset, str], Scratch] = _of_thread.__dict__.setdefault("scratch", {})
    if (rules, precision) not in kept:
        if len(kept) >= 4:
            kept.clear()
        kept[rules, precision] = _new_scratch(rules, precision)
    return kept[rules, precision]


def _new_scratch(rules: Ruleset, precision: str) -> Scratch:
    dice, width = lattice(rules.dice, rules.faces), lanes_of(precision)
    n_levels = rules.rerolls + rules.most_saved + 1
    work = work_buffer(rules, precision)
    saves = rules.saves_throws
    return Scratch(
        work=work,
        levels=aligned((n_levels, dice.n_keeps, width), precision),
        tops=aligned((n_levels, dice.n_keeps, width), precision),
        held=aligned((max(n_levels - 1, 1), dice.n_rolls, width), precision),
        mass=aligned((n_levels, dice.n_rolls, width), precision),
        ends=aligned((n_levels, len(work) - dice.n_keeps, width), precision)
        if saves
        else work[None, dice.n_keeps :],
        scored=aligned((n_levels if saves else 1, dice.n_rolls, width), precision),
    )


@lru_cache(maxsize=8)
def face_of_category(rules: Ruleset) -> IntArray:
    """(n_categories,): the face of an upper category (its score for one die), 0 for others."""
    scores = np.array(rules.scores)
    least = np.where(scores > 0, scores, scores.max() + 1).min(axis=0)
    return np.where([category.upper for category in rules.categories], least, 0)
