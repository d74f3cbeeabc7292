"""Work in a process of its own, which may be killed at any moment and never outlives this one.

It is forked, so that nothing has to be imported again: hundreds of kills take minutes. A kill comes after so many
seconds of the work's own processor time, so that a busy machine moves none of them.
"""

import ctypes
import os
import pickle
import signal
import sys
import traceback
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

PARENT_DIED = 1  # prctl's PR_SET_PDEATHSIG
FAILED = 70


@dataclass(frozen=True)
class Ended:
    """Exit status (negative: the signal that ended it), what the work gave back, and processor seconds."""

    status: int
    result: Any
    seconds: float


def die_with_parent() -> None:
    """Be killed when the process that started this one ends, however it ends."""
    ctypes.CDLL(None).prctl(PARENT_DIED, signal.SIGKILL)


def start(work: Callable[[], Any], result: Path, kill_after: float | None = None) -> int:
    """Begin the work; its result is pickled to a file, what it prints goes to `result.told`."""
    sys.stdout.flush()
    pid = os.fork()
    if pid:
        return pid
    status = 0
    try:
        die_with_parent()
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        told = os.open(f"{result}.told", os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        os.dup2(told, 1)
        os.dup2(told, 2)
        if kill_after is not None:
            # The default action: the kernel ends the process, no handler of ours runs.
            signal.signal(signal.SIGPROF, signal.SIG_DFL)
            signal.setitimer(signal.ITIMER_PROF, max(kill_after, 1e-4))
        found = work()
        signal.setitimer(signal.ITIMER_PROF, 0)
        result.write_bytes(pickle.dumps(found))
    except SystemExit as ended:
        status = ended.code if isinstance(ended.code, int) else 0
    except BaseException:
        traceback.print_exc()
        status = FAILED
    sys.stdout.flush()
    os._exit(status)


def finish(pid: int, result: Path) -> Ended:
    """Wait for the work."""
    _, status, used = os.wait4(pid, 0)
    found = pickle.loads(result.read_bytes()) if status == 0 and result.exists() else None
    result.unlink(missing_ok=True)
    return Ended(os.waitstatus_to_exitcode(status), found, used.ru_utime + used.ru_stime)


def run(work: Callable[[], Any], result: Path, kill_after: float | None = None) -> Ended:
    return finish(start(work, result, kill_after), result)


def told(result: Path) -> str:
    """What the last work with this result printed."""
    return Path(f"{result}.told").read_text(errors="replace")
