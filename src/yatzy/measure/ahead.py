"""Kernels of the forward pass, compiled in a second process while the first compiles those of its policy.

Numba compiles one kernel at a time in a process, so this halves the wait on a first start. What the other process
has compiled, the first finds in the cache.
"""

import subprocess
import sys
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from yatzy.arrays import IntArray
from yatzy.context import Context
from yatzy.measure.exact import points_to_come
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset, State, ruleset
from yatzy.turn.kernels.jit import is_kept
from yatzy.turn.probability import exits_of_decisions

# Python warns when a running process is garbage collected.
_started: list[subprocess.Popen[bytes]] = []


def compile_ahead(rules: str) -> None:
    """Start the process if the kernels are not cached yet; `rules` as on the command line."""
    if is_kept(exits_of_decisions):
        return
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        _started.append(
            subprocess.Popen(
                [sys.executable, "-m", "yatzy.measure.ahead", rules], stdin=quiet, stdout=quiet, stderr=quiet
            )
        )


@dataclass(frozen=True)
class FirstThrow:
    """Scores its first throw in the last box, which needs no kernel."""

    rules: Ruleset
    name: str = "first throw"

    def decide(self, filled: IntArray, _upper: IntArray) -> Decisions:
        decisions = empty_decisions(self.rules, filled)
        decisions.category[:] = self.rules.n_categories - 1
        # The id of a roll is that of keeping all of it.
        decisions.keep[:] = np.arange(decisions.keep.shape[-1])
        return decisions


def compile_forward(game: Ruleset) -> None:
    """Run the forward pass for one open box: that compiles every kernel of it."""
    last = game.n_categories - 1
    points_to_come(FirstThrow(game), State(game.all_filled & ~(1 << last), 0), Context(threads=1))


if __name__ == "__main__":
    compile_forward(ruleset(sys.argv[1]))
