"""What a coach needs besides its table, prepared in a process of its own while the first questions are answered.

The chance of the bonus in every state and the kernels of review and outlook take some seconds to compute and to
compile, once after an installation. Nobody waits for them: a coach finds the chances on disk as soon as they are
there, and kernels in the cache.
"""

import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from yatzy.rules import GAMES, Ruleset, State
from yatzy.turn.masks import masks

NICENESS = 5
# Of a table: for a larger one, the chance of the bonus would take many minutes and as much memory again.
MOST_ENTRIES = 10_000_000
# Python complains about a process that is forgotten while it runs.
_started: list[subprocess.Popen[bytes]] = []


def start_warming(rules: Ruleset, folder: Path | None = None) -> None:
    """Start the process; it ends by itself. A game without a name of ours, or a very large one, goes without."""
    space = masks(rules)
    if rules.name.partition("+")[0] not in GAMES or space.n_masks * (rules.bonus_threshold + 1) > MOST_ENTRIES:
        return
    arguments = [sys.executable, "-m", "yatzy.coach.warming", rules.name, *([str(folder)] if folder else [])]
    quiet = subprocess.DEVNULL
    with suppress(OSError):
        _started.append(
            subprocess.Popen(arguments, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
        )


def warm(rules: str, folder: str | None = None) -> None:
    """Compute and compile everything, in the order in which it is likely to be asked for."""
    from yatzy.coach.advice import stored_coach
    from yatzy.coach.game import play_logs
    from yatzy.coach.review import card_policy, review
    from yatzy.evaluate.exact import points_to_come
    from yatzy.policy.optimal import Optimal

    coach = stored_coach(rules, folder)
    policy = Optimal(coach.table)
    points_to_come(policy, State())
    log = next(play_logs(policy, 1))
    review(log, coach.table, card_policy(coach.rules))


if __name__ == "__main__":
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    warm(*sys.argv[1:])
