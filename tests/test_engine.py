"""Engines: the same results wherever they are computed, also when a worker dies on the way."""

import os
import signal
import subprocess
import sys
import time
from dataclasses import replace
from pathlib import Path

import pytest

from games import THREE_DICE
from yatzy import YatzyError, engine
from yatzy.studies.sweep import Point, evaluate_theta

THETAS = [-0.4, -0.3, -0.2, -0.1, 0.0, 0.1, 0.2, 0.3]


def slowly(theta: float) -> Point:
    """One point of a sweep, slow enough to be killed in the middle; `seconds` is not part of the result."""
    time.sleep(0.4)
    return replace(evaluate_theta(theta, THREE_DICE), seconds=0.0)


@pytest.fixture(scope="module")
def cluster(tmp_path_factory):
    """(address, worker processes): a scheduler and two workers, each a process of its own."""
    folder = tmp_path_factory.mktemp("cluster")
    file = folder / "scheduler.json"
    # Workers import this module; they keep their files out of the working folder.
    folders = (str(folder) for folder in Path(__file__).parents[:2])
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(folders)}

    def start(*arguments):
        command = [sys.executable, "-m", "dask", *arguments, "--scheduler-file", str(file), "--no-dashboard"]
        log = (folder / f"{arguments[0]}.log").open("ab")
        with log:
            return subprocess.Popen(command, stdout=log, stderr=log, env=environment, cwd=folder)

    from distributed import Client

    processes = [start("scheduler", "--host", "127.0.0.1", "--port", "0")]
    try:
        worker = ("worker", "--nworkers", "1", "--nthreads", "1", "--no-nanny", "--host", "127.0.0.1")
        processes += [start(*worker), start(*worker)]
        deadline = time.monotonic() + 40
        while not file.exists():
            assert time.monotonic() < deadline, "the scheduler does not start"
            time.sleep(0.05)
        with Client(scheduler_file=str(file)) as client:
            client.wait_for_workers(2, timeout=40)
            address = client.scheduler.address
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait()


def test_local_yields_items_with_their_results():
    assert list(engine.run(str, [3, 1, 2])) == [(3, "3"), (1, "1"), (2, "2")]
    assert list(engine.run(str, [])) == []


def test_local_computes_only_when_asked():
    """A killed run keeps what was done before: results come one by one."""
    done = []
    results = engine.run(done.append, [1, 2, 3])
    assert done == []
    next(results)
    assert done == [1]


def test_an_error_of_the_function_is_its_own(cluster):
    address, _ = cluster
    with pytest.raises(YatzyError, match=r"^theta: 400\.0 is too far from 0"):
        list(engine.run(slowly, [400.0], "dask", address))


def test_a_worker_may_die(cluster):
    """One of two is killed while it computes; its work is done by the other, with the same results."""
    address, workers = cluster
    results = engine.run(slowly, THETAS, "dask", address)
    found = dict([next(results)])
    workers[0].send_signal(signal.SIGKILL)
    workers[0].wait()
    assert workers[1].poll() is None
    found |= dict(results)
    assert found == dict(engine.run(slowly, THETAS))


def test_an_unknown_engine_is_refused():
    with pytest.raises(YatzyError, match=r"^engine: 'spark' is not known; allowed are local, dask"):
        engine.run(str, [1], "spark")


def test_a_scheduler_needs_an_engine_that_has_one():
    with pytest.raises(YatzyError, match=r"^scheduler: 'tcp://x:1' is for the engine dask only"):
        engine.run(str, [1], "local", "tcp://x:1")


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://here", "tcp://127.0.0.1:port"])
def test_no_scheduler_at_the_address(address, monkeypatch):
    monkeypatch.setattr(engine, "SECONDS_TO_ANSWER", 1)
    with pytest.raises(YatzyError, match=f"^scheduler: no Dask scheduler answers at '{address}'"):
        list(engine.run(str, [1], "dask", address))
