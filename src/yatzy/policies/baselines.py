"""Policies to measure others against: one that plays by patterns, one that sees a single turn, and random play.

*Heuristic* plays like a casual person. With rerolls left, the first of these that fits:

1. A straight, a house or a Yatzy has been thrown and its box is open: keep all dice. A house is three or more of
   one face and two or more of another; any box that takes all dice counts as a Yatzy.
2. Three or more alike: keep them.
3. Two pairs, and a box that takes them, such as Two Pairs or Full House, is open: keep both (the two highest).
4. All but one die of a straight whose box is open: keep those (if several, the most, then the highest).
5. A pair: keep it (the highest).
6. None of these: keep the highest die.

Then it scores the open box that gives the most points now, of equals the one furthest down the card; if all give
nothing, the first open one. It does not plan: the bonus comes by accident, and Chance goes early.

*What a box asks for* is derived from how it scores and not from its name, so the heuristic plays any ruleset. A
straight asks for different faces in a row: Small Straight for 1 2 3 4 5 in Scandinavian Yatzy, for any four in a
row in Yahtzee. Other lower boxes ask for dice that are alike, of any face: Full House for three of one and two of
another, written (3, 2); Yatzy with five dice for (5,).
"""

from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import pairwise
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray, Ints1, Ints3
from yatzy.policies.optimal import best_decisions
from yatzy.policies.policy import Decisions, by_level, empty_decisions
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Turn, turn_tables
from yatzy.turn.values import closed_boxes, reading_of

Faces = tuple[int, ...]
# How many dice show the most frequent face, the next one, and so on.
Counts = tuple[int, ...]

SHORTEST_STRAIGHT = 3
SIZES = ("small", "large", "full")


@dataclass(frozen=True)
class Heuristic:
    """Plays by patterns; looks only at the dice and the open boxes."""

    rules: Ruleset
    name: str = "heuristic"

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        watched = sum(1 << c for c in {*_made_hands(self.rules), *_pair_boxes(self.rules)})
        masks, where = np.unique(self.rules.closed(filled) & watched, return_inverse=True)
        keep = np.stack([_keeps(self.rules, int(mask)) for mask in masks])[where]
        return Decisions(
            most_points_now(self.rules, filled), np.repeat(keep[:, None, :], self.rules.rerolls, axis=1)
        )


def most_points_now(rules: Ruleset, filled: IntArray) -> NDArray[np.uint8]:
    """(n, n_rolls): the open category with the most points, ties to the last; the first if none has any."""
    masks, where = np.unique(filled & rules.n_sets - 1, return_inverse=True)
    points = outcomes(rules).points_of_rolls(masks)
    last = rules.n_categories - 1 - points[:, :, ::-1].argmax(axis=2)
    chosen = np.where(points.max(axis=2) > 0, last, points.argmax(axis=2)).astype(np.uint8)
    return np.asarray(chosen[where])


@lru_cache(maxsize=8)
def _made_hands(rules: Ruleset) -> frozenset[int]:
    """Boxes for which all dice are kept once they score: straights, houses, and those that take all dice."""
    made = {
        category_id
        for category_id, least in alike(rules).items()
        if any((len(counts) > 1 and counts[0] >= 3) or sum(counts) == rules.dice for counts in least)
    }
    return frozenset({*straights(rules), *made})


@lru_cache(maxsize=8)
def _pair_boxes(rules: Ruleset) -> frozenset[int]:
    """Boxes that two pairs count towards."""
    return frozenset(
        category_id
        for category_id, least in alike(rules).items()
        if any(len(counts) > 1 and counts[-1] >= 2 for counts in least)
    )


# Maxi has nine boxes to watch: 512 sets of them.
@lru_cache(maxsize=1024)
def _keeps(rules: Ruleset, closed: int) -> NDArray[np.uint16]:
    """(n_rolls,): the keep of every roll, which depends only on the watched boxes."""
    dice = lattice(rules.dice, rules.faces)
    is_open = {c for c in range(rules.n_categories) if not closed >> c & 1}
    made = _made_hands(rules) & is_open
    takes_pairs = bool(_pair_boxes(rules) & is_open)
    runs = [run for c, runs in straights(rules).items() if c in is_open for run in runs]
    keep = np.empty(dice.n_rolls, np.uint16)
    for roll_id, (roll, scores) in enumerate(zip(rules.rolls, rules.scores, strict=True)):
        is_made = any(scores[c] for c in made)
        keep[roll_id] = roll_id if is_made else dice.id_of(_kept_faces(roll, takes_pairs, runs))
    return keep


def _kept_faces(roll: Faces, takes_pairs: bool, runs: list[Faces]) -> Faces:
    """Rules 2 to 6; `runs` are the faces of every open straight."""
    faces = sorted(set(roll), key=lambda face: (-roll.count(face), -face))
    if roll.count(faces[0]) >= 3:
        return (faces[0],) * roll.count(faces[0])
    pairs = tuple(face for face in faces if roll.count(face) == 2)[:2]
    if len(pairs) == 2 and takes_pairs:
        return pairs * 2
    draws = [have for run in runs if len(have := dice_of_straight(roll, (run,))) == len(run) - 1]
    if draws:
        return max(draws, key=lambda have: (len(have), sum(have)))
    return pairs[:1] * 2 if pairs else roll[-1:]


@lru_cache(maxsize=8)
def straights(rules: Ruleset) -> dict[int, tuple[Faces, ...]]:
    """The straights by category id, each with the runs of faces that make it, lowest first."""
    found = {}
    for category_id in _lower(rules):
        scoring = {frozenset(roll) for roll in _scoring_rolls(rules, category_id)}
        runs = sorted(tuple(sorted(faces)) for faces in scoring if not any(other < faces for other in scoring))
        in_a_row = all(b == a + 1 for run in runs for a, b in pairwise(run))
        every = all(set(roll) in scoring for roll in rules.rolls if any(set(roll) >= set(run) for run in runs))
        if runs and in_a_row and every and min(map(len, runs)) >= SHORTEST_STRAIGHT:
            found[category_id] = tuple(runs)
    return found


@lru_cache(maxsize=8)
def alike(rules: Ruleset) -> dict[int, tuple[Counts, ...]]:
    """The lower boxes that ask for dice alike, by category id, each with the least it asks for."""
    all_counts = {_counts(roll) for roll in rules.rolls}
    # Every part of a roll, fewest dice first.
    parts = sorted({part for counts in all_counts for part in _parts(counts)}, key=lambda part: (sum(part), part))
    found = {}
    for category_id in _lower(rules):
        rolls = _scoring_rolls(rules, category_id)
        scoring = {_counts(roll) for roll in rolls}
        depends_on_faces = len(rolls) != sum(_counts(roll) in scoring for roll in rules.rolls)
        if depends_on_faces or category_id in straights(rules):
            continue
        least: list[Counts] = []
        for part in parts:
            enough = all(counts in scoring for counts in all_counts if _contains(counts, part))
            if enough and not any(_contains(part, smaller) for smaller in least):
                least.append(part)
        found[category_id] = tuple(least)
    return found


@lru_cache(maxsize=8)
def named_straights(rules: Ruleset) -> dict[str, int]:
    """Category ids of Small, Large and Full Straight, by their first word; only those that the ruleset has."""
    by_name = {rules.categories[category_id].name.lower(): category_id for category_id in straights(rules)}
    return {size: by_name[f"{size} straight"] for size in SIZES if f"{size} straight" in by_name}


def dice_of_straight(roll: Faces, runs: tuple[Faces, ...]) -> Faces:
    """The dice of a roll that belong to a straight: of several runs, the one with most dice, then the highest."""
    return max((tuple(sorted(set(roll) & set(run))) for run in runs), key=lambda faces: (len(faces), faces))


def _lower(rules: Ruleset) -> list[int]:
    return [i for i, category in enumerate(rules.categories) if not category.upper]


def _scoring_rolls(rules: Ruleset, category_id: int) -> list[Faces]:
    return [roll for roll, scores in zip(rules.rolls, rules.scores, strict=True) if scores[category_id]]


def _counts(roll: Faces) -> Counts:
    return tuple(sorted((roll.count(face) for face in set(roll)), reverse=True))


def _contains(counts: Counts, part: Counts) -> bool:
    """Are there enough dice for this part?"""
    return len(counts) >= len(part) and all(have >= need for have, need in zip(counts, part, strict=False))


def _parts(counts: Counts) -> set[Counts]:
    """The counts of every part of these dice, the whole included."""
    found = {counts}
    for i, n in enumerate(counts):
        fewer = tuple(sorted(filter(None, (*counts[:i], n - 1, *counts[i + 1 :])), reverse=True))
        if fewer and fewer not in found:
            found |= _parts(fewer)
    return found


@dataclass(frozen=True)
class Greedy:
    """Plays each turn for the most expected points of that turn, as if it were the last."""

    rules: Ruleset
    name: str = "greedy"

    @cached_property
    def _nothing(self) -> NDArray[np.float64]:
        space = state_space(self.rules)
        return np.zeros((space.n_masks, space.n_uppers))

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return best_decisions(self.rules, self._nothing, 0.0, filled, upper)


@dataclass(frozen=True)
class Random:
    """Any legal action with equal chance, drawn once per situation from the seed: chaotic but repeatable."""

    rules: Ruleset
    seed: int = 0

    @property
    def name(self) -> str:
        return f"random, seed {self.seed}" if self.seed else "random"

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, filled)
        with np.errstate(over="ignore"):  # the hash wraps around; as plain Python, NumPy would warn
            _draw_actions(
                np.uint64(self.seed), np.ascontiguousarray(filled, np.int64), upper, turn_tables(self.rules),
                by_level(decisions.category), decisions.keep,
            )  # fmt: skip
        return decisions


@jit
def _draw_actions(seed: np.uint64, filled: Ints1, upper: Ints1, turn: Turn, category: Ints3, keep: Ints3) -> None:
    """Choose actions by a hash of the situation."""
    allowed = np.empty(len(turn.zero), np.int64)
    special_of_roll, readings = turn.special.of_roll, turn.special.readings
    outcome_of_reading, bits = turn.outcome_of_reading, turn.bits
    for i in range(len(filled)):
        closed = closed_boxes(filled[i], turn.masks)
        state = mix(mix(seed + np.uint64(filled[i])) + np.uint64(upper[i]))
        for roll in range(category.shape[2]):
            n_allowed = 0
            reading = reading_of(filled[i], roll, special_of_roll, readings)
            for c in range(len(allowed)):
                outcome = outcome_of_reading[reading, c]
                if outcome >= 0 and not closed & bits[outcome]:
                    allowed[n_allowed] = c
                    n_allowed += 1
            number = mix(state + np.uint64(roll))
            for level in range(category.shape[1]):
                category[i, level, roll] = allowed[number % np.uint64(n_allowed)]
            for left in range(keep.shape[1]):
                number = mix(number + np.uint64(1))
                keep[i, left, roll] = turn.keeps_in_roll[roll, number % np.uint64(turn.slots[roll])]


@jittable
def mix(x: np.uint64) -> Any:
    """The finaliser of splitmix64: neighbouring numbers become unrelated ones."""
    x += np.uint64(0x9E3779B97F4A7C15)
    x = (x ^ (x >> np.uint64(30))) * np.uint64(0xBF58476D1CE4E5B9)
    x = (x ^ (x >> np.uint64(27))) * np.uint64(0x94D049BB133111EB)
    return x ^ (x >> np.uint64(31))
