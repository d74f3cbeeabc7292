"""Whether the exact distribution of a game fits into memory, found before anything is computed."""

import os
from functools import lru_cache

from yatzy.errors import YatzyError
from yatzy.rules import State
from yatzy.solver.states import StateSpace
from yatzy.turn.outcomes import highest_score, outcomes

# Rows of a layer beyond which tails are trimmed, in bytes, and what is then too small to keep.
TRIMMED_ABOVE = 4e9
TRIM = 1e-20
# Categories that layers are then split by.
SPLIT = 6
# How much of what a layer could hold is in memory at once.
OF_LAYER, OF_SPLIT_LAYER = 0.25, 0.17


@lru_cache(maxsize=1)
def states_by_layer(space: StateSpace, start: State) -> list[int]:
    """Reachable states that include the start's filled categories, layer by layer."""
    boxes = start.filled & space.rules.all_filled
    layers = map(space.masks_of_layer, range(boxes.bit_count(), space.rules.n_categories + 1))
    return [int(space.reachable[space.row(m[m & boxes == boxes])].sum()) for m in layers]


def smallest_kept(space: StateSpace, start: State) -> float:
    """The probability below which the ends of rows are cut, on any machine; 0 for a game that fits easily."""
    rows = 8 * max(states_by_layer(space, start)) * highest_score(space.rules) // 2
    return TRIM if rows > TRIMMED_ABOVE else 0.0


def split_by(space: StateSpace, start: State) -> int:
    """How many of the last categories layers are split by: see `forward`."""
    return min(SPLIT, space.rules.n_categories) if smallest_kept(space, start) else 0


def check_memory(space: StateSpace, start: State) -> None:
    """Refuse a game whose largest layers would not fit into memory."""
    needed = memory_needed(space, start)
    rules, free = space.rules, free_memory()
    if free is not None and needed > free:
        raise YatzyError(
            f"rules: the exact distribution of {rules.name} needs about {needed / 1e9:.0f} GB of memory and "
            f"{free / 1e9:.0f} GB are free; simulate it instead"
        )


def memory_needed(space: StateSpace, start: State) -> int:
    """Bytes, about: the visits of all states; rows and ends of turns of the largest layers.

    Measured: optimal play comes to a third of the states, uses a third of the ends that their turns could have,
    and its rows are a quarter as long as the points they could hold.
    """
    rules = space.rules
    n_ends = outcomes(rules).n * (1 + rules.saves_throws * rules.n_categories // 3)
    share = OF_SPLIT_LAYER if split_by(space, start) else OF_LAYER
    layer = max(states_by_layer(space, start)) * (n_ends + highest_score(rules) // 2)
    return int(8 * (space.n_masks * space.n_uppers + share * layer))


def free_memory() -> int | None:
    """Bytes that can be used without swapping, if the system reports them."""
    try:
        with open("/proc/meminfo", encoding="ascii") as file:
            lines = dict(line.split(":", 1) for line in file)
        return int(lines["MemAvailable"].split()[0]) * 1024
    except (OSError, KeyError, ValueError):
        pass
    try:
        return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        return None
