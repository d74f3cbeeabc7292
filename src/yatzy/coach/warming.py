"""Starts the process that prepares what a coach needs besides its table (`preparing`)."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from yatzy.rules import GAMES, Ruleset
from yatzy.turn.state_rows import state_rows

# Of a table: for a larger one, the chance of the bonus would take many minutes and as much memory again.
MAX_ENTRIES = 10_000_000
# Python complains about a process that is forgotten while it runs.
_started: list[subprocess.Popen[bytes]] = []


def start_warming(rules: Ruleset, folder: Path | None = None, outlives_us: bool = True) -> None:
    """Start the process; it ends by itself. Very large games, and those outside the catalogue, go without."""
    space = state_rows(rules)
    if rules.name.partition("+")[0] in GAMES and space.n_masks * (rules.bonus_threshold + 1) <= MAX_ENTRIES:
        with suppress(OSError):
            _start("warm", rules, folder, outlives_us)


def start_targets(rules: Ruleset, folder: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start to solve the chances of all targets, for the home folder; without us, nobody waits for them."""
    return _start("targets", rules, folder, outlives_us=False)


def _start(task: str, rules: Ruleset, folder: Path | None, outlives_us: bool) -> "subprocess.Popen[bytes]":
    """Start one task; its stdin is a pipe that ends with us, however we end, or nothing."""
    module, quiet = "yatzy.coach.preparation", subprocess.DEVNULL
    lasting, stdin = ("lasting", quiet) if outlives_us else ("tied", subprocess.PIPE)
    arguments = [sys.executable, "-m", module, task, lasting, rules.name, *([str(folder)] if folder else [])]
    started = subprocess.Popen(arguments, stdin=stdin, stdout=quiet, stderr=quiet, start_new_session=True)
    _started.append(started)
    return started
