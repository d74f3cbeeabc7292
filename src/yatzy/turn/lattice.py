"""Multisets of dice and the die lattice that connects them.

A *keep* is a multiset of 0 to n dice; a *roll* is a keep of all n. Two keeps are neighbours in the lattice
when one is the other plus one die. Because a reroll may throw its dice one at a time, the value of a keep is the
mean over its upper neighbours,

    value(K) = 1/faces * sum_f value(K + f)                 from n dice down to none,

and because every keep inside a roll is reached by removing dice one at a time, the best of them is

    best(K) = max(value(K), best(K - f) for each face f in K)       from no dice up to n.

With 5 dice there are 252 rolls and 462 keeps, and each of the two passes is 1,260 additions or maxima.

Ids: keeps are numbered from the most dice to the fewest, and lexicographically within one size. The first
`n_rolls` keeps are therefore the rolls, with the same ids; the last keep is empty.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property, lru_cache
from itertools import combinations_with_replacement, product
from math import factorial, prod

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray


@dataclass(frozen=True)
class Lattice:
    """All keeps of `dice` dice with `faces` faces, by id."""

    dice: int
    faces: int

    @cached_property
    def keeps(self) -> tuple[tuple[int, ...], ...]:
        """Sorted faces of each keep."""
        sizes = range(self.dice, -1, -1)
        all_faces = range(1, self.faces + 1)
        return tuple(k for n in sizes for k in combinations_with_replacement(all_faces, n))

    @cached_property
    def _ids(self) -> dict[tuple[int, ...], int]:
        return {keep: keep_id for keep_id, keep in enumerate(self.keeps)}

    def id_of(self, dice: Iterable[int]) -> int:
        """Id of these dice, in any order."""
        return self._ids[tuple(sorted(dice))]

    @property
    def n_keeps(self) -> int:
        return len(self.keeps)

    @cached_property
    def n_rolls(self) -> int:
        return sum(len(keep) == self.dice for keep in self.keeps)

    @cached_property
    def levels(self) -> tuple[slice, ...]:
        """Ranges of ids: keeps of all dice, of one die fewer, ... down to none."""
        sizes = [len(keep) for keep in self.keeps]
        starts = [sizes.index(n) for n in range(self.dice, -1, -1)]
        return tuple(map(slice, starts, [*starts[1:], self.n_keeps]))

    @cached_property
    def counts(self) -> IntArray:
        """(n_keeps, faces): how many dice show each face."""
        rows = [[keep.count(face) for face in range(1, self.faces + 1)] for keep in self.keeps]
        return np.array(rows, dtype=np.int64)

    @cached_property
    def added(self) -> IntArray:
        """(n_keeps, faces): the keep with one more die of that face; -1 for rolls, which are full."""
        rows = np.full((self.n_keeps, self.faces), -1, dtype=np.int64)
        for keep_id in range(self.n_rolls, self.n_keeps):
            rows[keep_id] = [self.id_of((*self.keeps[keep_id], f)) for f in range(1, self.faces + 1)]
        return rows

    @cached_property
    def removed(self) -> IntArray:
        """(n_keeps, faces): the keep with one die of that face removed; -1 where no die shows it."""
        rows = np.full((self.n_keeps, self.faces), -1, dtype=np.int64)
        larger, face_ids = np.nonzero(self.added >= 0)
        rows[self.added[larger, face_ids], face_ids] = larger
        return rows

    @cached_property
    def prob_roll(self) -> NDArray[np.float64]:
        """(n_rolls,): probability of each roll when all dice are thrown: n! / (prod n_f! * faces^n)."""
        ways = [factorial(self.dice) // prod(map(factorial, row)) for row in self.counts[: self.n_rolls]]
        return np.asarray(np.array(ways, dtype=np.float64) / self.faces**self.dice)

    @cached_property
    def keeps_in_roll(self) -> IntArray:
        """(n_rolls, widest): ids of the keeps inside each roll, ascending (all dice first), then -1."""
        inside = []
        for row in self.counts[: self.n_rolls]:
            kept = product(*(range(n + 1) for n in row))
            inside.append(sorted(self._ids[_faces(counts)] for counts in kept))
        table = np.full((self.n_rolls, max(map(len, inside))), -1, dtype=np.int64)
        for roll_id, ids in enumerate(inside):
            table[roll_id, : len(ids)] = ids
        return table


def _faces(counts: Iterable[int]) -> tuple[int, ...]:
    return tuple(face for face, n in enumerate(counts, start=1) for _ in range(n))


@lru_cache
def lattice(dice: int, faces: int) -> Lattice:
    """The lattice for this many dice and faces, cached."""
    return Lattice(dice, faces)
