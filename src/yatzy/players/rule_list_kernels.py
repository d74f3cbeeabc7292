"""Compiled kernels of rule lists: what a list does in every state, with every roll.

A condition looks at the score sheet or at the dice. In one mask the dice conditions are therefore sets of rolls,
four words of bits each, the same for all upper totals; and upper totals at which the same rules are active form
*runs* that share all their decisions. A run is decided once, by going through its rules with a set of rolls that
are still undecided. `rule_list_values` computes what a list is worth.
"""

import math
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Floats1, IntArray, Ints1
from yatzy.turn import state_rows
from yatzy.turn.kernels.jit import jit, jittable

WORD = 64
# Columns of a condition.
FEATURE, LOW, HIGH, KIND = range(4)
# Kinds of dice conditions.
FIXED, BOX, SHEET = 0, 1, 2
# Features of the score sheet, by number: see `conditions.STATE_FEATURES`; open boxes come after them.
TURN, BOXES_LEFT, REROLLS_LEFT, UPPER_TOTAL, SECURED, PACE, UPPER_BOXES_LEFT, FIRST_BOX = range(8)
# Features of dice and sheet: see `conditions.SHEET_FEATURES`.
ZERO_BOXES, BEST_POINTS, PAR_MARGIN, PAR_LEAD = range(4)
# Moves that find a box: see `moves.FINDERS`.
MOST_POINTS, THREE_UP, BEST_LOWER, GIVE_UP, ABOVE_PAR = range(5)


class Rules(NamedTuple):
    """A list as numbers, in few arrays: each more costs compile time.

    The rules of level n (rerolls left) are `start[n]` to `start[n + 1]`; -1 is no condition.
    `dice_bits` (sets, dice conditions, words) are the rolls of a condition, `keep_bits` (sets, moves, words) those
    to which a keep applies, `keep_of` (sets, moves, n_rolls) what it keeps.
    """

    start: IntArray
    conditions: IntArray  # (rules, 4): two of the sheet, two of the dice
    move: IntArray
    default: IntArray  # (levels,)
    state: IntArray  # (state conditions, 3): FEATURE, LOW, HIGH
    dice: IntArray  # (dice conditions, 4): FEATURE, LOW, HIGH, KIND
    dice_bits: NDArray[np.uint64]
    keep_bits: NDArray[np.uint64]
    keep_of: NDArray[np.int16]
    finds: NDArray[np.bool_]  # (FINDERS,): is this move used?
    uses_sheet: bool
    margin_by_box: NDArray[np.float64]  # (2, n_categories, n_rolls)
    give_up: IntArray


class Sheet(NamedTuple):
    """What the kernels need to know about the game."""

    points: NDArray[np.float64]  # (n_categories, n_rolls)
    face_of: IntArray  # (n_categories,): the face of an upper category, 0 for others
    straight_of: IntArray  # (n_categories,): 1 and 2 for the small and large straight
    to_come: IntArray  # (n_masks,): the most that open upper categories can still bring
    highest: IntArray  # (n_masks,): the highest upper total that occurs
    threshold: int
    n_faces: int
    n_rerolls: int


class ListScratch(NamedTuple):
    """Buffers that one thread writes to."""

    moving: IntArray  # rules with conditions on the upper total, and how many
    active: NDArray[np.bool_]  # (rules,)
    bits: NDArray[np.uint64]  # (dice conditions, words) in this mask
    features: IntArray  # (SHEET_FEATURES, n_rolls)
    found: IntArray  # (FINDERS, n_rolls)
    highest: NDArray[np.float64]  # (n_rolls,)
    open_words: NDArray[np.uint64]
    category: NDArray[np.uint8]  # (n_rolls,)
    keep: NDArray[np.uint16]  # (rerolls, n_rolls)
    fired: NDArray[np.int16]  # (rerolls + 1, n_rolls): the rule that decided, counted within its level


lost_or_safe = jittable(state_rows.lost_or_safe)


class ListDecisions(NamedTuple):
    """What a list does: `category` (n, n_rolls), `keep` (n, rerolls, n_rolls), and the rules that decide, `fired`
    (n, or 0 if nobody asks; levels, n_rolls).
    """

    category: NDArray[np.uint8]
    keep: NDArray[np.uint16]
    fired: NDArray[np.int16]


@jit
def decide_states(
    filled: Ints1, upper: Ints1, rules: Rules, sheet: Sheet, answers: ListDecisions, scratch: ListScratch
) -> None:
    """The answers in any states."""
    category, keep, fired = answers
    mask, at, side = -1, -1, -1
    for i in range(len(filled)):
        same = filled[i] == mask
        if not same:
            mask, side = filled[i], -1
            enter_mask(mask, rules, sheet, scratch)
        if not same or upper[i] != at:
            at = upper[i]
            changed = _activate(mask, at, rules, sheet, scratch) or not same
            now = _settled(mask, at, sheet)
            if changed or now != side:
                if now != side:
                    _enter_side(mask, now, rules, sheet, scratch)
                _decide(mask, rules, sheet, scratch)
            side = now
        for roll in range(len(scratch.category)):
            category[i, roll] = scratch.category[roll]
            for left in range(len(scratch.keep)):
                keep[i, left, roll] = scratch.keep[left, roll]
            if len(fired):
                for level in range(len(scratch.fired)):
                    fired[i, level, roll] = scratch.fired[level, roll]


@jittable
def next_run(
    mask: int, upper: int, highest: int, side: int, rules: Rules, sheet: Sheet, scratch: ListScratch
) -> Any:
    """Decide the run that begins at `upper`; returns its side and the upper total after it."""
    _activate(mask, upper, rules, sheet, scratch)
    now = _settled(mask, upper, sheet)
    if now != side:
        _enter_side(mask, now, rules, sheet, scratch)
    _decide(mask, rules, sheet, scratch)
    end = upper + 1
    while end <= highest:
        if _settled(mask, end, sheet) != now or _activate(mask, end, rules, sheet, scratch):
            break
        end += 1
    return now, end


@jittable
def _settled(mask: int, upper: int, sheet: Sheet) -> Any:
    """1 if the bonus is safe or lost, else 0."""
    lost, safe = lost_or_safe(upper, sheet.to_come[mask], sheet.threshold)
    return 1 if lost or safe else 0


@jittable
def enter_mask(mask: int, rules: Rules, sheet: Sheet, scratch: ListScratch) -> None:
    """Find the rules that the mask alone makes active, and those that wait for the upper total."""
    n_moving = 0
    for rule in range(len(rules.move)):
        level = 0
        while rule >= rules.start[level + 1]:
            level += 1
        holds, moves = True, False
        for place in range(2):
            condition = rules.conditions[rule, place]
            if condition >= 0:
                if _is_upper_feature(rules.state[condition, FEATURE]):
                    moves = True
                else:
                    number = _state_feature(rules.state[condition, FEATURE], mask, level, sheet)
                    holds = holds and rules.state[condition, LOW] <= number <= rules.state[condition, HIGH]
        if level == 0 and rules.move[rule] < len(sheet.points) and mask >> rules.move[rule] & 1:
            holds = False
        scratch.active[rule] = holds
        if holds and moves:
            scratch.moving[1 + n_moving] = rule
            n_moving += 1
    scratch.moving[0] = n_moving


@jittable
def _is_upper_feature(feature: int) -> Any:
    return feature in (UPPER_TOTAL, SECURED, PACE)


@jittable
def _state_feature(feature: int, mask: int, level: int, sheet: Sheet) -> Any:
    """What a player reads off the score sheet, but for the upper total."""
    n_categories = len(sheet.points)
    n_open, n_open_upper = 0, 0
    for category in range(n_categories):
        if not mask >> category & 1:
            n_open += 1
            n_open_upper += 1 if sheet.face_of[category] > 0 else 0
    number = n_open_upper
    if feature >= FIRST_BOX:
        number = 1 - (mask >> (feature - FIRST_BOX) & 1)
    elif feature == TURN:
        number = n_categories - n_open + 1
    elif feature == BOXES_LEFT:
        number = n_open
    elif feature == REROLLS_LEFT:
        number = level
    return number


@jittable
def _activate(mask: int, upper: int, rules: Rules, sheet: Sheet, scratch: ListScratch) -> Any:
    """Update the rules with conditions on the upper total; returns whether any changed."""
    changed = False
    pace = upper
    for category in range(len(sheet.points)):
        if mask >> category & 1:
            pace -= 3 * sheet.face_of[category]
    for k in range(scratch.moving[0]):
        rule = scratch.moving[1 + k]
        holds = True
        for place in range(2):
            condition = rules.conditions[rule, place]
            if condition >= 0 and _is_upper_feature(rules.state[condition, FEATURE]):
                number = upper
                if rules.state[condition, FEATURE] == SECURED:
                    number = 1 if upper >= sheet.threshold else 0
                elif rules.state[condition, FEATURE] == PACE:
                    number = pace
                holds = holds and rules.state[condition, LOW] <= number <= rules.state[condition, HIGH]
        if scratch.active[rule] != holds:
            scratch.active[rule] = holds
            changed = True
    return changed


@jittable
def open_set_of(mask: int, sheet: Sheet) -> Any:
    """Open upper boxes as a bit per face, open straights as two bits after them."""
    found = 0
    for category in range(len(sheet.points)):
        if not mask >> category & 1:
            if sheet.face_of[category] > 0:
                found |= 1 << (sheet.face_of[category] - 1)
            if sheet.straight_of[category] > 0:
                found |= 1 << (sheet.n_faces + sheet.straight_of[category] - 1)
    return found


@jittable
def _enter_side(mask: int, side: int, rules: Rules, sheet: Sheet, scratch: ListScratch) -> None:
    """Rolls of every dice condition, and the boxes that moves find, in a mask with the bonus settled or not."""
    open_set = open_set_of(mask, sheet)
    n_words = rules.dice_bits.shape[2]
    if rules.uses_sheet:
        _see_sheet(mask, side, rules, sheet, scratch)
    _find_boxes(mask, side, rules, sheet, scratch)
    for condition in range(len(rules.dice)):
        kind = rules.dice[condition, KIND]
        if kind == SHEET:
            _gather_bits(condition, rules, scratch)
        elif kind == BOX and mask >> rules.dice[condition, FEATURE] & 1:
            nothing = rules.dice[condition, LOW] <= 0 <= rules.dice[condition, HIGH]
            for word in range(n_words):
                scratch.bits[condition, word] = rules.keep_bits[0, 0, word] if nothing else np.uint64(0)
        else:
            for word in range(n_words):
                scratch.bits[condition, word] = rules.dice_bits[open_set, condition, word]


@jittable
def _see_sheet(mask: int, side: int, rules: Rules, sheet: Sheet, scratch: ListScratch) -> None:
    """The features of dice and sheet with every roll."""
    n_categories, n_rolls = sheet.points.shape
    for roll in range(n_rolls):
        zeros, best = 0, 0
        first, second = -math.inf, -math.inf
        for category in range(n_categories):
            if not mask >> category & 1:
                points = int(sheet.points[category, roll])
                zeros += 1 if points == 0 else 0
                best = max(best, points)
                margin = rules.margin_by_box[side, category, roll]
                if margin > first:
                    first, second = margin, first
                elif margin > second:
                    second = margin
        scratch.features[ZERO_BOXES, roll] = zeros
        scratch.features[BEST_POINTS, roll] = best
        scratch.features[PAR_MARGIN, roll] = int(min(max(math.floor(first), -60.0), 60.0))
        scratch.features[PAR_LEAD, roll] = (
            int(min(math.floor(first - second), 100.0)) if second > -math.inf else 100
        )


@jittable
def _gather_bits(condition: int, rules: Rules, scratch: ListScratch) -> None:
    """The set of rolls of a condition on dice and sheet."""
    seen = scratch.features[rules.dice[condition, FEATURE]]
    for word in range(rules.dice_bits.shape[2]):
        bits = np.uint64(0)
        for bit in range(min(WORD, len(seen) - word * WORD)):
            number = seen[word * WORD + bit]
            if rules.dice[condition, LOW] <= number <= rules.dice[condition, HIGH]:
                bits |= np.uint64(1) << np.uint64(bit)
        scratch.bits[condition, word] = bits


@jittable
def _find_boxes(mask: int, side: int, rules: Rules, sheet: Sheet, scratch: ListScratch) -> None:
    """The box of every move that finds one and is used, -1 where there is none."""
    n_categories = len(sheet.points)
    if rules.finds[GIVE_UP]:
        box = -1
        for place in range(len(rules.give_up) - 1, -1, -1):
            if not mask >> rules.give_up[place] & 1:
                box = rules.give_up[place]
        _set_all(scratch.found[GIVE_UP], box)
    for finder in range(len(rules.finds)):
        if rules.finds[finder] and finder != GIVE_UP:
            _set_all(scratch.found[finder], -1)
            _set_all(scratch.highest, 0.0 if finder == BEST_LOWER else -math.inf)
            for category in range(n_categories):
                if not mask >> category & 1:
                    _compare_box(finder, category, side, rules, sheet, scratch)


@jittable
def _set_all(row: Ints1 | Floats1, value: float) -> None:
    for i in range(len(row)):
        row[i] = value


@jittable
def _compare_box(finder: int, category: int, side: int, rules: Rules, sheet: Sheet, scratch: ListScratch) -> None:
    """Let one open box take the rolls for which it beats the best box so far."""
    face = sheet.face_of[category]
    if (finder == BEST_LOWER and face > 0) or (finder == THREE_UP and face == 0):
        return
    numbers = rules.margin_by_box[side, category] if finder == ABOVE_PAR else sheet.points[category]
    found, highest = scratch.found[finder], scratch.highest
    least = 3.0 * face if finder == THREE_UP else -math.inf
    for roll in range(len(highest)):
        better = numbers[roll] > highest[roll] and numbers[roll] >= least
        highest[roll] = numbers[roll] if better else highest[roll]
        found[roll] = category if better else found[roll]


@jittable
def _decide(mask: int, rules: Rules, sheet: Sheet, scratch: ListScratch) -> None:
    """What the active rules do with every roll, at every level; the default decides what they leave."""
    n_categories = len(sheet.points)
    open_set = open_set_of(mask, sheet)
    n_words = rules.dice_bits.shape[2]
    for level in range(sheet.n_rerolls + 1):
        default = rules.default[level]
        for roll in range(len(scratch.category)):
            if level > 0:
                scratch.keep[level - 1, roll] = rules.keep_of[open_set, default, roll]
            else:
                scratch.category[roll] = scratch.found[default - n_categories, roll]
            scratch.fired[level, roll] = rules.start[level + 1] - rules.start[level]
        for word in range(n_words):
            scratch.open_words[word] = rules.keep_bits[0, 0, word]
        for rule in range(rules.start[level], rules.start[level + 1]):
            if scratch.active[rule]:
                _apply(level, rule, open_set, n_categories, rules, scratch)


@jittable
def _apply(level: int, rule: int, open_set: int, n_categories: int, rules: Rules, scratch: ListScratch) -> None:
    """Let one rule decide the rolls that are still open and that it fits."""
    move, number = rules.move[rule], rule - rules.start[level]
    for word in range(rules.dice_bits.shape[2]):
        hit = scratch.open_words[word]
        for place in range(2):
            condition = rules.conditions[rule, 2 + place]
            if condition >= 0:
                hit &= scratch.bits[condition, word]
        if level > 0:
            hit &= rules.keep_bits[open_set, move, word]
        while hit != np.uint64(0):
            lowest = hit & (~hit + np.uint64(1))
            hit ^= lowest
            roll = word * WORD + math.frexp(float(lowest))[1] - 1
            if level > 0:
                scratch.keep[level - 1, roll] = rules.keep_of[open_set, move, roll]
            else:
                box = move if move < n_categories else scratch.found[move - n_categories, roll]
                if box < 0:
                    continue
                scratch.category[roll] = box
            scratch.open_words[word] ^= lowest
            scratch.fired[level, roll] = number
