"""A bot that plays by patterns: keep what looks like something, score where it pays most now.

With rerolls left, the first of these that fits:

1. A straight, a house or a Yatzy is on the table and its box is open: keep all dice. A house is three or more of
   one face and two or more of another; any box that takes all dice counts as a Yatzy.
2. Three or more alike: keep them.
3. Two pairs, and a box that takes them, such as Two Pairs or Full House, is open: keep both (the two highest).
4. All but one die of a straight whose box is open: keep those (if several, the most, then the highest).
5. A pair: keep it (the highest).
6. None of these: keep the highest die.

Then score the open box that gives the most points now, of equals the one furthest down the card; if all give
nothing, the first open one. Nothing is planned: the bonus comes by accident, and Chance goes early.

Boxes are recognised by how they score (`hands`), so any ruleset can be played.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.dice import lattice
from yatzy.policy.base import Decisions
from yatzy.policy.hands import Faces, alike, dice_of_straight, straights
from yatzy.rules import Ruleset
from yatzy.turn.outcomes import outcomes


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
