"""What is prepared beside a coach stands back for everything else, and is prepared by one process."""

import subprocess
import sys
from pathlib import Path

import pytest

from yatzy.coach.preparing import warm
from yatzy.files import only_writer

STAND_BACK = """
from pathlib import Path
from yatzy.coach.preparing import stand_back
stand_back()
print(Path("/proc/self/autogroup").read_text())
"""


@pytest.mark.skipif(not Path("/proc/self/autogroup").exists(), reason="needs Linux with autogroups")
def test_it_stands_back_in_a_session_of_its_own():
    """Niceness alone counts only among the processes of one session."""
    done = subprocess.run(
        [sys.executable, "-c", STAND_BACK], capture_output=True, text=True, check=True, start_new_session=True
    )
    assert done.stdout.split()[-2:] == ["nice", "19"]


def test_one_process_prepares(tmp_path):
    """Five commands in a row started five of them, each for a quarter of a minute."""
    with only_writer(tmp_path / "preparing-scandinavian"), pytest.raises(SystemExit) as left:
        warm("scandinavian", str(tmp_path))
    assert left.value.code is None
    assert list(tmp_path.iterdir()) == []
