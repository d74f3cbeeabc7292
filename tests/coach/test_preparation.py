"""Preparation runs at low priority, once at a time, and an attached process ends with its parent."""

import os
import signal
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from samples import is_running
from yatzy.coach.preparation import warm
from yatzy.storage import writer_lock

PATIENCE = 600
LOWER_PRIORITY = """
from pathlib import Path
from yatzy.coach.preparation import lower_priority
lower_priority()
print(Path("/proc/self/autogroup").read_text())
"""


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="needs Linux with autogroups")
def test_its_priority_is_low_in_a_session_of_its_own():
    """Niceness alone counts only among the processes of one session."""
    done = subprocess.run(
        [sys.executable, "-c", LOWER_PRIORITY], capture_output=True, text=True, check=True, start_new_session=True
    )
    assert done.stdout.split()[-2:] == ["nice", "19"]


def test_one_process_prepares(tmp_path):
    """Five commands in a row started five of them, each for a quarter of a minute."""
    with writer_lock(tmp_path / "preparing-scandinavian"), pytest.raises(SystemExit) as left:
        warm("scandinavian", str(tmp_path))
    assert left.value.code is None
    assert list(tmp_path.iterdir()) == []


SERVER = """
import sys, time
from pathlib import Path
from yatzy.coach.preparation import start_targets
from yatzy.rules import scandinavian
print(start_targets(scandinavian(), Path(sys.argv[1])).pid, flush=True)
time.sleep(1000)
"""


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="needs /proc")
def test_what_a_server_prepares_ends_with_it(tmp_path):
    """A server was killed, and its process went on for a minute and a gigabyte that nobody waited for."""
    with subprocess.Popen([sys.executable, "-c", SERVER, tmp_path], stdout=subprocess.PIPE, text=True) as server:
        pid = int(server.stdout.readline())
        try:
            until = time.monotonic() + PATIENCE
            while not list(tmp_path.iterdir()) and is_running(pid) and time.monotonic() < until:
                time.sleep(0.05)
            assert is_running(pid)
            server.kill()
            server.wait()
            until = time.monotonic() + 20
            while is_running(pid) and time.monotonic() < until:
                time.sleep(0.05)
            assert not is_running(pid)
        finally:
            with suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
