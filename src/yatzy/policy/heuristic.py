"""How a casual person plays: keep what looks like something, score where it counts most now.

With rerolls left, the first of these that fits:

1. A straight, a full house or a Yatzy is on the table and its box is open: keep all dice.
2. Three or more alike: keep them.
3. Two pairs, and Two Pairs or Full House is open: keep both (the two highest).
4. All but one die of a straight whose box is open: keep those.
5. A pair: keep it (the highest).
6. Nothing: keep the highest die.

Then score the open box that gives the most points now, of two equals the one further down the card; if all give
nothing, the first open one. Nothing is planned: the bonus comes by accident, and Chance goes early.
"""

import contextlib
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.policy.base import Decisions
from yatzy.rules import Ruleset, parse_category

MADE_HANDS = ("Small Straight", "Large Straight", "Full Straight", "Full House", "Yatzy")
STRAIGHTS = ("Small Straight", "Large Straight", "Full Straight")
PAIR_BOXES = ("Two Pairs", "Full House")


@dataclass(frozen=True)
class Heuristic:
    """A casual player; looks at the dice and the open boxes only."""

    rules: Ruleset
    name: str = "heuristic"

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        watched = sum(1 << c for c in _watched(self.rules).values())
        masks, where = np.unique(filled & watched, return_inverse=True)
        keep = np.stack([_keeps(self.rules, int(mask)) for mask in masks])[where]
        return Decisions(
            most_points_now(self.rules, filled), np.repeat(keep[:, None, :], self.rules.rerolls, axis=1)
        )


def most_points_now(rules: Ruleset, filled: IntArray) -> NDArray[np.uint8]:
    """(n, n_rolls): the open category with the most points, ties to the last; the first if none has any."""
    masks, where = np.unique(filled, return_inverse=True)
    closed = (masks[:, None] >> np.arange(rules.n_categories) & 1).astype(bool)
    points = np.where(closed[:, None, :], -1, np.array(rules.scores)[None])
    last = rules.n_categories - 1 - points[:, :, ::-1].argmax(axis=2)
    chosen = np.where(points.max(axis=2) > 0, last, points.argmax(axis=2)).astype(np.uint8)
    return np.asarray(chosen[where])


@lru_cache(maxsize=8)
def _watched(rules: Ruleset) -> dict[str, int]:
    """The boxes that matter for what is kept, as far as the ruleset has them."""
    found = {}
    for name in (*MADE_HANDS, *PAIR_BOXES):
        with contextlib.suppress(YatzyError):
            found[name] = parse_category(rules, name)
    return found


@lru_cache(maxsize=256)
def _keeps(rules: Ruleset, filled: int) -> NDArray[np.uint16]:
    """(n_rolls,): the keep of every roll, which depends on the watched boxes only."""
    dice = lattice(rules.dice, rules.faces)
    is_open = {name: c for name, c in _watched(rules).items() if not filled >> c & 1}
    kept = [_kept_faces(rules, roll_id, is_open) for roll_id in range(dice.n_rolls)]
    return np.array([dice.id_of(faces) for faces in kept], dtype=np.uint16)


def _kept_faces(rules: Ruleset, roll_id: int, is_open: dict[str, int]) -> list[int]:
    roll = rules.rolls[roll_id]
    scores = rules.scores[roll_id]
    if any(scores[is_open[name]] for name in MADE_HANDS if name in is_open):
        return list(roll)
    faces = sorted(set(roll), key=lambda face: (-roll.count(face), -face))
    if roll.count(faces[0]) >= 3:
        return [faces[0]] * roll.count(faces[0])
    pairs = [face for face in faces if roll.count(face) == 2][:2]
    if len(pairs) == 2 and any(name in is_open for name in PAIR_BOXES):
        return pairs * 2
    draws = [_straight_draw(rules, roll, is_open[name]) for name in STRAIGHTS if name in is_open]
    if any(draws):
        return max(draws, key=sum)
    return [pairs[0]] * 2 if pairs else [roll[-1]]


@lru_cache(maxsize=64)
def _straight_faces(rules: Ruleset, category_id: int) -> tuple[int, ...]:
    """The faces that a straight needs: those in every roll that scores it."""
    scoring = [set(roll) for roll, scores in zip(rules.rolls, rules.scores, strict=True) if scores[category_id]]
    return tuple(sorted(set.intersection(*scoring)))


def _straight_draw(rules: Ruleset, roll: tuple[int, ...], category_id: int) -> list[int]:
    needed = _straight_faces(rules, category_id)
    have = sorted(set(roll) & set(needed))
    return have if len(have) == len(needed) - 1 else []
