"""`yatzy serve` as a process: workers that share the table, and an end that leaves nobody without an answer."""

import http.client
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest
import requests

from server.conftest import PATIENCE
from yatzy import YatzyError, storage
from yatzy.cli.serve import _asking_for
from yatzy.lab.bench import processes as bench
from yatzy.lab.bench.processes import SERVE, memory_of, running_server
from yatzy.rules import ruleset
from yatzy.rules.toml import EXAMPLES
from yatzy.server.run import find_site

pytestmark = pytest.mark.compiled

SITUATION = {"dice": [2, 5, 5, 5, 6], "rerolls": 1, "filled": ["ones"]}


def workers_of(pid: int) -> list[int]:
    """Child processes that were started to serve."""
    children = [int(p) for task in Path(f"/proc/{pid}/task").glob("*/children") for p in task.read_text().split()]
    return [child for child in children if b"spawn_main" in Path(f"/proc/{child}/cmdline").read_bytes()]


@pytest.fixture(scope="module")
def served(yacht):
    """Two workers; the files they need are there already."""
    with running_server(2, *yacht) as (port, process):
        until = time.monotonic() + PATIENCE
        while len(workers_of(process.pid)) < 2 and time.monotonic() < until:
            time.sleep(0.2)
        yield f"http://127.0.0.1:{port}", process


@pytest.mark.skipif(not Path("/proc/self/maps").exists(), reason="needs /proc")
def test_both_workers_answer(served):
    """Each of them while the other is stopped."""
    address, process = served
    workers = workers_of(process.pid)
    assert len(workers) == 2
    expected = None
    for stopped in workers:
        os.kill(stopped, signal.SIGSTOP)
        try:
            answer = requests.post(f"{address}/api/advise", json=SITUATION, timeout=PATIENCE).json()
        finally:
            os.kill(stopped, signal.SIGCONT)
        assert answer["actions"]
        expected = expected or answer
        assert answer == expected


def test_a_load_is_answered_without_errors(served):
    """A short run of what `yatzy bench server` does for longer."""
    address, process = served
    port = int(address.rpartition(":")[2])
    bodies = bench.situation_bodies(ruleset("yacht"), 200, seed=1)
    load = bench.put_load(port, "/api/advise", bodies, connections=16, seconds=0.5)
    assert load.errors == 0
    assert load.requests > 0
    assert 0 < load.median <= load.p99
    memory = memory_of(process.pid)
    assert memory is None or 1e7 < memory < 4e9


def test_errors_are_counted(served):
    port = int(served[0].rpartition(":")[2])
    load = bench.put_load(port, "/api/advise", ["{}"], connections=2, seconds=0.3)
    assert load.errors == load.requests > 0


# To solve for a new theta waits until the test lets it, without a processor.
PATIENTLY = """
import time
from pathlib import Path
from yatzy.server import run
from yatzy.server.coaches import Coaches
run.SECONDS_TO_FINISH, solve = {finish}, Coaches._solve
def patiently(*given):
    Path({folder!r}, "begun").touch()
    while not Path({folder!r}, "go").exists():
        time.sleep(0.02)
    return solve(*given)
Coaches._solve = patiently
"""


def test_sigterm_finishes_what_was_begun(yacht, tmp_path):
    """A request under way is answered, then nobody listens any more."""
    patient = PATIENTLY.format(finish=PATIENCE, folder=str(tmp_path)) + SERVE
    with running_server(1, *yacht, code=patient) as (port, process):
        address = f"http://127.0.0.1:{port}"
        body = {"theta": 0.0123}
        asking = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        asking.request("POST", "/api/distribution", json.dumps(body), {"content-type": "application/json"})
        until = time.monotonic() + PATIENCE
        while not (tmp_path / "begun").exists() and time.monotonic() < until:
            time.sleep(0.02)
        process.send_signal(signal.SIGTERM)
        (tmp_path / "go").touch()
        answer = asking.getresponse()
        assert answer.status == 200
        assert sum(json.load(answer)["pmf"]) == pytest.approx(1, abs=1e-9)
        asking.close()
        assert process.wait(PATIENCE) in (0, -signal.SIGTERM)
        with pytest.raises(requests.ConnectionError):
            requests.get(f"{address}/api/health", timeout=5)


def serve(*options):
    command = [sys.executable, "-c", SERVE, "serve", *map(str, options)]
    return subprocess.run(command, capture_output=True, text=True, check=False, timeout=PATIENCE)


def test_it_is_up_without_numba(tmp_path):
    """A first start solves the game and answers; importing Numba would take as long again."""
    code = (
        "import sys, yatzy.cli.serve, yatzy.server.app\n"
        "from yatzy import Context\n"
        "from yatzy.solver.store import stored_table\n"
        "stored_table('scandinavian', context=Context(sys.argv[1]), draft=True)\n"
        "print('numba' in sys.modules)"
    )
    ended = subprocess.run([sys.executable, "-c", code, tmp_path], capture_output=True, text=True, check=True)
    assert ended.stdout.split() == ["False"]


def test_an_address_that_is_taken_is_refused(home):
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = serve("--port", port)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"yatzy: port: cannot listen on 127.0.0.1:{port} (")
    assert ended.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        (("--port", "0"), "Invalid value for '--port'"),
        (("--port", "65536"), "Invalid value for '--port'"),
        (("--workers", "0"), "Invalid value for '--workers'"),
        (("--site", "/nowhere"), "site: '/nowhere' is not a folder"),
        (("--rules", "poker"), "rules: 'poker' is not known"),
        (("--allow-host", "http://x/"), "allow-host: 'http://x/' is not allowed; allowed is a name such as"),
        (("--allow-host", "den.example:80"), "allow-host: 'den.example:80' is not allowed"),
        (("--host", "no such host"), "host: 'no such host' is not an address of this machine"),
    ],
)
def test_bad_options_are_one_sentence(options, sentence):
    ended = serve(*options)
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith(f"yatzy: {sentence}")
    assert ended.stderr.count("\n") == 1


def test_it_says_where_it_is(yacht, site):
    """One JSON object on stdout, or a sentence for people; then it serves the site."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [sys.executable, "-c", SERVE, "serve", "--port", str(port), "--site", str(site), "--json", *yacht]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        told = json.loads(process.stdout.readline())
        assert told == {"address": f"http://127.0.0.1:{port}", "workers": 1, "site": str(site)}
        bench.wait_for(port, process)
        assert requests.get(f"http://127.0.0.1:{port}/play/", timeout=PATIENCE).text == "<!doctype html>coach"
        process.terminate()
        process.wait(PATIENCE)


def test_the_site_that_was_built_here_is_found(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(storage, "BUILT", tmp_path / "built")
    assert find_site(None) is None
    (tmp_path / "site").mkdir()
    assert find_site(None) is None
    (tmp_path / "site" / "index.html").touch()
    assert find_site(None) == tmp_path / "site"
    assert find_site(tmp_path) == tmp_path
    (tmp_path / "built" / "site").mkdir(parents=True)
    assert find_site(None) == tmp_path / "site"
    (tmp_path / "built" / "site" / "index.html").touch()
    assert find_site(None) == tmp_path / "built" / "site"
    assert find_site(tmp_path) == tmp_path
    with pytest.raises(YatzyError, match="site: 'none' is not a folder"):
        find_site(Path("none"))


def test_bench_server(yacht, monkeypatch):
    """The whole bench, with little work on a small game; how fast it is, no test asks."""
    monkeypatch.setattr(bench, "scandinavian", lambda: ruleset("yacht"))
    monkeypatch.setattr(bench, "running_server", lambda workers: running_server(workers, *yacht))
    monkeypatch.setattr(bench, "N_SITUATIONS", 50)
    monkeypatch.setattr(bench, "N_OUTLOOKS", 3)
    monkeypatch.setattr(bench, "CONNECTIONS", 4)
    monkeypatch.setattr(bench, "MID_GAME", 9)
    result = bench.bench_server(repeats=1, threads=1, seconds=0.5)
    rows = {row.name: row for row in result.rows}
    assert rows["advise, errors"].amount == "none"
    assert rows["advise, median"].seconds <= rows["advise, 99th percentile"].seconds
    for row in result.rows:
        assert row.measured
        assert len(row.name) <= 37
        assert len(row.measured) <= 10


@pytest.mark.parametrize("seconds", [0, -1, 601])
def test_the_bench_is_bounded(seconds):
    with pytest.raises(YatzyError, match=r"seconds: .* is not allowed"):
        bench.bench_server(repeats=1, seconds=seconds)
    with pytest.raises(YatzyError, match="repeats: 0 is not allowed"):
        bench.bench_server(repeats=0)


@pytest.mark.parametrize(
    ("rules", "asked"),
    [
        ("scandinavian", ""),
        ("yahtzee", "?rules=yahtzee"),
        ("yahtzee+free-joker", "?rules=yahtzee%2Bfree-joker"),
        (str(EXAMPLES / "family.toml"), ""),
    ],
)
def test_the_page_begins_with_the_game_that_is_served(rules, asked):
    """A game of one's own is in no page: the API knows it."""
    assert _asking_for(rules) == asked
