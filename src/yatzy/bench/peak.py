"""What the machine can do: lane additions and maxima per second over a buffer that stays in the L1 cache.

The buffer has the size of the solver's work buffer, each operation reads one row of it, and twelve accumulators
(six sums, six maxima) depend only on themselves. No solver with one load per operation can be faster.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

from yatzy.rules import Ruleset, ruleset
from yatzy.turn.jit import jit
from yatzy.turn.lanes import larger_of, load, multiply_add, n_lanes, store
from yatzy.turn.tables import work_buffer

N_ACCUMULATORS = 12
SWEEPS = 1_000_000


def peak_loop(rules: str | Ruleset = "scandinavian", precision: str = "float32") -> tuple[Callable[[], None], int]:
    """The loop, ready to be timed on one thread (about a tenth of a second), and its lane operations.

    The caller should time it in the same rounds as what it is compared with: timings on a shared machine drift.
    """
    work = work_buffer(ruleset(rules), precision)
    _add_and_max(1, work)
    n_rows = len(work) - len(work) % N_ACCUMULATORS
    return partial(_add_and_max, SWEEPS, work), SWEEPS * n_rows


@jit
def _add_and_max(sweeps: Any, work: Any) -> None:
    """Sums and maxima over the rows of `work`, `sweeps` times; the result goes into row 0."""
    width = n_lanes(work)
    step = N_ACCUMULATORS * width
    one = work.dtype.type(1)
    sum_1 = sum_2 = sum_3 = sum_4 = sum_5 = sum_6 = load(work, 0)
    max_1 = max_2 = max_3 = max_4 = max_5 = max_6 = load(work, 0)
    for _ in range(sweeps):
        for row in range(0, len(work) // N_ACCUMULATORS * step, step):
            sum_1 = multiply_add(load(work, row), one, sum_1)
            max_1 = larger_of(load(work, row + width), max_1)
            sum_2 = multiply_add(load(work, row + 2 * width), one, sum_2)
            max_2 = larger_of(load(work, row + 3 * width), max_2)
            sum_3 = multiply_add(load(work, row + 4 * width), one, sum_3)
            max_3 = larger_of(load(work, row + 5 * width), max_3)
            sum_4 = multiply_add(load(work, row + 6 * width), one, sum_4)
            max_4 = larger_of(load(work, row + 7 * width), max_4)
            sum_5 = multiply_add(load(work, row + 8 * width), one, sum_5)
            max_5 = larger_of(load(work, row + 9 * width), max_5)
            sum_6 = multiply_add(load(work, row + 10 * width), one, sum_6)
            max_6 = larger_of(load(work, row + 11 * width), max_6)
    sums = multiply_add(multiply_add(sum_1, one, sum_2), one, multiply_add(sum_3, one, sum_4))
    sums = multiply_add(sums, one, multiply_add(sum_5, one, sum_6))
    largest = larger_of(larger_of(max_1, max_2), larger_of(max_3, max_4))
    largest = larger_of(largest, larger_of(max_5, max_6))
    store(work, 0, multiply_add(sums, one, largest))
