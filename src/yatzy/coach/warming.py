"""Starts the process that prepares what a coach needs besides its table (`preparing`)."""

import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from yatzy.rules import GAMES, Ruleset
from yatzy.turn.masks import masks

# Of a table: for a larger one, the chance of the bonus would take many minutes and as much memory again.
MOST_ENTRIES = 10_000_000
# Python complains about a process that is forgotten while it runs.
_started: list[subprocess.Popen[bytes]] = []


def start_warming(rules: Ruleset, folder: Path | None = None) -> None:
    """Start the process; it ends by itself. Very large games, and those outside the catalogue, go without."""
    space = masks(rules)
    if rules.name.partition("+")[0] in GAMES and space.n_masks * (rules.bonus_threshold + 1) <= MOST_ENTRIES:
        with suppress(OSError):
            _start("warm", rules, folder)


def start_targets(rules: Ruleset, folder: Path | None = None) -> "subprocess.Popen[bytes]":
    """Start to solve the chances of all targets, for the home folder."""
    return _start("targets", rules, folder)


def _start(task: str, rules: Ruleset, folder: Path | None) -> "subprocess.Popen[bytes]":
    module, quiet = "yatzy.coach.preparing", subprocess.DEVNULL
    arguments = [sys.executable, "-m", module, task, rules.name, *([str(folder)] if folder else [])]
    started = subprocess.Popen(arguments, stdin=quiet, stdout=quiet, stderr=quiet, start_new_session=True)
    _started.append(started)
    return started
