"""What the boxes of a scorecard ask for, derived from how they score and not from their names.

A *straight* asks for different faces in a row: Small Straight for 1 2 3 4 5 in Scandinavian Yatzy, for any four in
a row in Yahtzee. Other lower boxes ask for dice that are alike, of any face: Full House for three of one and two
of another, written (3, 2); Yatzy with five dice for (5,).
"""

from functools import lru_cache
from itertools import pairwise

from yatzy.rules import Ruleset

Faces = tuple[int, ...]
# How many dice show the most frequent face, the next one, and so on.
Counts = tuple[int, ...]

SHORTEST_STRAIGHT = 3
SIZES = ("small", "large", "full")


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
