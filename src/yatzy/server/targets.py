"""The chances of all targets, which a server needs early in a game: found in the home folder, or made meanwhile.

They are solved once, by a process of their own, for the server's own game only: a file is over a gigabyte. Until
it is there, whoever asks is told to ask again.

The file is mapped, not copied, so a change of it would be a change of the chances: it is looked at before each
use, and checked and read again if it is not what it was.
"""

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import Lock

from yatzy.coach.warming import start_targets
from yatzy.context import Context
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset
from yatzy.solver.chances import SOLVED_FROM_HERE
from yatzy.solver.goal_rows import reach
from yatzy.solver.goal_store import goal_path, load_goal
from yatzy.solver.goals import GoalTable


class NotYetError(Exception):
    """It is being solved; whoever asks again in a while gets it. `field` asked for it."""

    field: str | None = None


@contextmanager
def asked_for(field: str) -> Iterator[None]:
    """Say which field asked for what is not there yet."""
    try:
        yield
    except NotYetError as error:
        error.field = field
        raise


class Targets:
    """The chances of all targets in all states of the server's own game."""

    def __init__(self, rules: Ruleset, folder: Path | None = None) -> None:
        self.rules, self._folder = rules, folder
        self._found: GoalTable | None = None
        self._seen: os.stat_result | None = None
        self._solving: subprocess.Popen[bytes] | None = None
        self._lock = Lock()

    def find(self, rules: Ruleset) -> GoalTable:
        """The chances, if they are there; `NotYetError` while they are being solved."""
        if rules != self.rules:
            why = f"has its chances told here when at most {SOLVED_FROM_HERE} boxes are open"
            raise YatzyError("rules", rules.name, f"{self.rules.name}, this server's game, from the start on", why)
        with self._lock:
            if self._found is not None and self._is_changed():
                self._found = self._solving = None
            if self._found is None:
                self._seen = self._look()
                self._found = self._load()
            return self._found

    def _look(self) -> os.stat_result | None:
        try:
            return goal_path(self.rules, reach(), self._folder).stat()
        except OSError:
            return None

    def _is_changed(self) -> bool:
        """Whether the file that is mapped was written to; another one of its name, or none, does no harm."""
        then, now = self._seen, self._look()
        if then is None or now is None or then.st_ino != now.st_ino:
            return False
        return (then.st_size, then.st_mtime_ns) != (now.st_size, now.st_mtime_ns)

    def _load(self) -> GoalTable:
        if self._solving is not None and self._solving.poll() is None:
            raise NotYetError
        found = load_goal(self.rules, reach(), Context(self._folder))
        if found is not None:
            return found
        if self._solving is not None:
            path = goal_path(self.rules, reach(), self._folder)
            why = "the chances of every target could not be kept in {given}; is there room on the disk?"
            raise YatzyError("home", str(path.parent), why=why)
        self._solving = start_targets(self.rules, self._folder)
        raise NotYetError
