"""A background process that prepares what a coach needs besides its table.

    python -m yatzy.coach.preparation warm|targets detached|attached RULES [HOME]

`warm` computes the chance of the bonus and what each box brings in every state, and compiles the kernels of review
and outlook: seconds, once after an installation. Nobody waits: a coach finds the chances on disk as soon as they
are there, and kernels in the cache. `targets` solves the chances of all targets: a minute and a gigabyte, on
request only. The process runs at the lowest priority and exits if another one is already preparing the same. An
`attached` process ends with whoever started it.
"""

import os
import subprocess
import sys
import threading
from contextlib import ExitStack, suppress
from pathlib import Path

from yatzy.coach.advice import Coach, stored_coach
from yatzy.coach.review import card_policy, review
from yatzy.context import Context
from yatzy.rules import GAMES, Ruleset, State, ruleset
from yatzy.solver.goal import reach
from yatzy.solver.store import goal_path, stored_goal, stored_table
from yatzy.storage import WriteError, home, writer_lock
from yatzy.turn.state_rows import state_rows

NICENESS = 19
# Of a larger table the chance of the bonus would take many minutes, and as much memory again.
MAX_ENTRIES = 10_000_000
# Python warns when a running process is garbage collected.
_started: list[subprocess.Popen[bytes]] = []


def coach_at_once(rules: Ruleset, context: Context) -> Coach:
    """A coach that does not wait for the chances of the bonus: `warm` computes them, if they are not there."""
    coach = Coach(stored_table(rules, context=context, draft=True), look_in=home(context.home))
    if coach.chances is None:
        start_warming(rules, context.home)
    return coach


def start_warming(rules: Ruleset, folder: Path | None = None, attached: bool = False) -> None:
    """Start `warm`, except for very large games and those outside the catalogue."""
    space = state_rows(rules)
    if rules.name.partition("+")[0] in GAMES and space.n_masks * (rules.bonus_threshold + 1) <= MAX_ENTRIES:
        with suppress(OSError):
            _start("warm", rules, folder, attached)


def start_targets(rules: Ruleset, folder: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start `targets`, attached to this process."""
    return _start("targets", rules, folder, attached=True)


def _start(task: str, rules: Ruleset, folder: Path | None, attached: bool) -> "subprocess.Popen[bytes]":
    """An attached process reads its stdin, a pipe that closes when this process ends, however it ends."""
    lifetime, stdin = ("attached", subprocess.PIPE) if attached else ("detached", subprocess.DEVNULL)
    folders = [str(folder)] if folder else []
    started = subprocess.Popen(
        [sys.executable, "-m", "yatzy.coach.preparation", task, lifetime, rules.name, *folders],
        stdin=stdin, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip
    _started.append(started)
    return started


def warm(rules: str, folder: Path | None = None) -> None:
    """Compute and compile everything, in the order in which it is likely to be needed."""
    from yatzy.measure.exact import points_to_come
    from yatzy.measure.simulate import play_logs
    from yatzy.policies.optimal import Optimal

    with ExitStack() as stack:
        # Where nothing can be written, kernels may still be cached elsewhere.
        with suppress(WriteError):
            stack.enter_context(writer_lock(home(folder) / f"preparing-{rules}", notice=lambda _: sys.exit()))
        coach = stored_coach(rules, Context(folder))
        coach.parts.find(0)
        policy = Optimal(coach.table)
        points_to_come(policy, State())
        log = next(play_logs(policy, 1))
        review(log, coach.table, card_policy(coach.rules))


def solve_targets(rules: str, folder: Path | None = None) -> None:
    """Solve the chances of all targets, or wait while another process does."""
    game, goal = ruleset(rules), reach()
    with writer_lock(goal_path(game, goal, folder)):
        stored_goal(game, goal, Context(folder))


def lower_priority() -> None:
    """On Linux a session gets an equal share whatever its niceness, so the session's own is lowered too."""
    if hasattr(os, "nice"):
        os.nice(NICENESS)
    with suppress(OSError):
        Path("/proc/self/autogroup").write_text(str(NICENESS))


def exit_with_stdin() -> None:
    """Exit when the other end of stdin is closed."""
    sys.stdin.buffer.read()
    os._exit(0)


if __name__ == "__main__":
    task, lifetime, rules_name, *folder = sys.argv[1:]
    lower_priority()
    if lifetime == "attached":
        threading.Thread(target=exit_with_stdin, daemon=True).start()
    prepare = warm if task == "warm" else solve_targets
    prepare(rules_name, *map(Path, folder))
