"""What each category scores, as a readable specification.

Every scoring function takes `counts`, how many dice show each face (`counts[0]` is the number of ones), and
returns points. None needs to be fast: the solver tabulates them once, over all rolls.
"""

from collections.abc import Callable, Sequence

Counts = Sequence[int]
Score = Callable[[Counts], int]


def total(counts: Counts) -> int:
    """Sum of all dice."""
    return sum(face * n for face, n in enumerate(counts, start=1))


def faces_with(counts: Counts, at_least: int) -> list[int]:
    """Faces shown by at least this many dice, highest first."""
    return [face for face, n in reversed(list(enumerate(counts, start=1))) if n >= at_least]


def of_face(face: int) -> Score:
    """Upper section: the sum of the dice that show this face."""
    return lambda counts: face * counts[face - 1]


def of_a_kind(n: int) -> Score:
    """N equal dice of the highest such face; only those n dice count."""
    return lambda counts: n * max(faces_with(counts, n), default=0)


def pairs(n: int) -> Score:
    """The n highest pairs, of different faces."""

    def score(counts: Counts) -> int:
        faces = faces_with(counts, 2)[:n]
        return 2 * sum(faces) if len(faces) == n else 0

    return score


def two_pairs_or_four(counts: Counts) -> int:
    """House rule: four of a kind counts as two pairs of the same face."""
    four = of_a_kind(4)(counts)
    return max(pairs(2)(counts), four)


def groups(large: int, small: int) -> Score:
    """`large` dice of one face and `small` of another (3+2 is a full house): the sum of those dice."""

    def score(counts: Counts) -> int:
        found = [
            large * a + small * b for a in faces_with(counts, large) for b in faces_with(counts, small) if a != b
        ]
        return max(found, default=0)

    return score


def full_house_or_five(counts: Counts) -> int:
    """House rule: five of a kind counts as a full house."""
    return max(groups(3, 2)(counts), of_a_kind(5)(counts))


def straight(first: int, last: int, points: int) -> Score:
    """Every face from `first` to `last`."""
    return lambda counts: points if len(counts) >= last and all(counts[first - 1 : last]) else 0


def run_of(n: int, points: int) -> Score:
    """Any n consecutive faces."""

    def score(counts: Counts) -> int:
        starts = range(len(counts) - n + 1)
        return points if any(all(counts[s : s + n]) for s in starts) else 0

    return score


def fixed(points: int, when: Score) -> Score:
    """A fixed number of points whenever `when` scores anything."""
    return lambda counts: points if when(counts) else 0


def all_equal(points: int) -> Score:
    """Every die shows the same face."""
    return lambda counts: points if max(counts) == sum(counts) else 0


def total_if(when: Score) -> Score:
    """The sum of all dice whenever `when` scores anything."""
    return lambda counts: total(counts) if when(counts) else 0
