"""What a coach needs besides its table, prepared in a process of its own while the first questions are answered.

    python -m yatzy.coach.preparation warm lasting scandinavian [HOME]

The chance of the bonus in every state and the kernels of review and outlook take some seconds to compute and to
compile, once after an installation. Nobody waits for them: a coach finds the chances on disk as soon as they are
there, and kernels in the cache. The chances of all targets take a minute and a gigabyte: they are made when
somebody asks for one. The process lowers its priority before it imports anything slow, and exits if another
one is already preparing the same. What a server started is `tied` to it, and ends with it.
"""

import os
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from yatzy.context import Context

NICENESS = 19


def warm(rules: str, folder: Path | None = None) -> None:
    """Compute and compile everything, in the order in which it is likely to be asked for."""
    from yatzy.storage import WriteError, home, writer_lock

    with ExitStack() as stack:
        # Where nothing can be written, kernels may still be kept elsewhere.
        with suppress(WriteError):
            stack.enter_context(writer_lock(home(folder) / f"preparing-{rules}", notice=lambda _: sys.exit()))
        from yatzy.coach.advice import stored_coach
        from yatzy.coach.review import card_policy, review
        from yatzy.measure.exact import points_to_come
        from yatzy.measure.simulate import play_logs
        from yatzy.policies.optimal import Optimal
        from yatzy.rules import State

        coach = stored_coach(rules, Context(folder))
        policy = Optimal(coach.table)
        points_to_come(policy, State())
        log = next(play_logs(policy, 1))
        review(log, coach.table, card_policy(coach.rules))


def solve_targets(rules: str, folder: Path | None = None) -> None:
    """Solve the chances of all targets unless they are there, or wait while another process does."""
    from yatzy.rules import ruleset
    from yatzy.solver.goal_layout import reach
    from yatzy.solver.store import goal_path, stored_goal
    from yatzy.storage import writer_lock

    game, goal = ruleset(rules), reach()
    with writer_lock(goal_path(game, goal, folder)):
        stored_goal(game, goal, Context(folder))


def stand_back() -> None:
    """Let others go first; on Linux, a session of its own would otherwise get as large a share as any other."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))


def end_with_stdin() -> None:
    """Wait until whoever holds the other end has gone, and go too."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    task, lasting, rules_given, *folders = sys.argv[1:]
    stand_back()
    if lasting == "tied":
        threading.Thread(target=end_with_stdin, daemon=True).start()
    prepare = warm if task == "warm" else solve_targets
    prepare(rules_given, *map(Path, folders))
