"""Progress, its bar and its parts; the same results wherever they are computed, also when a worker dies."""

import io
import os
import pickle
import signal
import subprocess
import sys
import time
from dataclasses import replace
from functools import partial
from pathlib import Path

import pytest
from rich.console import Console

from games import THREE_DICE
from yatzy import YatzyError, context
from yatzy.context import DEFAULT_CONTEXT, Context, compiling, connected, progress_bar, run_locally
from yatzy.lab.studies.sweep import Point, evaluate_theta

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
    assert list(run_locally(str, [3, 1, 2])) == [(3, "3"), (1, "1"), (2, "2")]
    assert list(run_locally(str, [])) == []


def test_local_computes_only_when_asked():
    """A killed run keeps what was done before: results come one by one."""
    done = []
    results = run_locally(done.append, [1, 2, 3])
    assert done == []
    next(results)
    assert done == [1]


def test_an_error_of_the_function_is_its_own(cluster):
    address, _ = cluster
    with (
        pytest.raises(YatzyError, match=r"^theta: 400\.0 is too far from 0"),
        connected("dask", address) as runner,
    ):
        list(runner(slowly, [400.0]))


def test_a_worker_may_die(cluster):
    """One of two is killed while it computes; its work is done by the other, with the same results."""
    address, workers = cluster
    with connected("dask", address) as runner:
        results = runner(slowly, THETAS)
        found = dict([next(results)])
        workers[0].send_signal(signal.SIGKILL)
        workers[0].wait()
        assert workers[1].poll() is None
        found |= dict(results)
    assert found == dict(run_locally(slowly, THETAS))


def test_an_unknown_engine_is_refused():
    with (
        pytest.raises(YatzyError, match=r"^engine: 'spark' is not known; allowed are local, dask"),
        connected("spark"),
    ):
        pass


def test_a_scheduler_needs_an_engine_that_has_one():
    with (
        pytest.raises(YatzyError, match=r"^scheduler: 'tcp://x:1' is for the engine dask only"),
        connected("local", "tcp://x:1"),
    ):
        pass


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "nonsense://here", "tcp://127.0.0.1:port"])
def test_no_scheduler_at_the_address(address, monkeypatch):
    monkeypatch.setattr(context, "SECONDS_TO_ANSWER", 1)
    with (
        pytest.raises(YatzyError, match=f"^scheduler: no Dask scheduler answers at '{address}'"),
        connected("dask", address),
    ):
        pass


@pytest.fixture
def terminal(monkeypatch):
    """What a terminal would show."""
    text = io.StringIO()
    monkeypatch.delenv("YATZY_QUIET")
    monkeypatch.setattr("sys.stderr.isatty", lambda: True)
    monkeypatch.setattr("rich.console.Console", partial(Console, file=text, force_terminal=True, width=80))
    return text


def wait_for(words, text):
    until = time.monotonic() + 60
    while words not in text.getvalue():
        assert time.monotonic() < until, text.getvalue()
        time.sleep(0.01)


def test_compiling_is_said_instead_of_a_share(terminal):
    with progress_bar("solving the game", after=0) as progress:
        with compiling:
            progress(4, 4)
            wait_for("solving the game: compiling, once", terminal)
            assert "100%" not in terminal.getvalue()
        progress(1, 4)
        wait_for("25%", terminal)


def test_short_work_shows_nothing(terminal):
    with progress_bar("solving the game", after=60) as progress:
        progress(1, 4)
    assert "solving" not in terminal.getvalue()


def test_ones_own_progress_is_told_instead(terminal):
    told = []
    with Context(progress=lambda *step: told.append(step)).shown("solving the game") as own:
        own.step(1, 4)
    assert (told, terminal.getvalue()) == ([(1, 4)], "")


def test_a_bar_inside_another_is_silent(terminal):
    """What is called under a bar may ask for one too: two at once would write over each other."""
    with progress_bar("all of it", after=0) as progress, progress_bar("a part", after=0) as inner:
        inner(1, 2)
        progress(1, 4)
        wait_for("25%", terminal)
    assert "a part" not in terminal.getvalue()


def test_off_a_terminal_a_line_is_written_now_and_then(monkeypatch):
    """The first after a while, and an estimate before the work begins if it is long."""
    text = io.StringIO()
    monkeypatch.delenv("YATZY_QUIET")
    monkeypatch.setattr("sys.stderr", text)
    monkeypatch.setattr(context, "FIRST_LINE", 0.01)
    with Context().shown("solving the game", seconds=5) as shown:
        shown.step(1, 4)
        wait_for("solving the game: 25%, after 1 s, about 1 s to go\n", text)
    with Context().shown("asking everybody", seconds=5000):
        pass
    assert "yatzy: asking everybody takes about 83 min\n" in text.getvalue()
    assert "\r" not in text.getvalue()
    monkeypatch.setenv("YATZY_QUIET", "1")
    text.truncate(0)
    with Context().shown("asking everybody", seconds=5000):
        time.sleep(0.05)
    assert text.getvalue().strip("\0") == ""


def test_parts_make_up_the_whole():
    """One after another or at the same time; without a progress nothing is told."""
    told = []
    context = Context(progress=lambda done, total: told.append(done / total))
    context.part(1, 4).step(1, 2)
    first, second = context.parts(2)
    second.step(1, 2)
    first.step(1, 1)
    assert told == [0.375, 0.25, 0.75]
    DEFAULT_CONTEXT.part(0, 2).step(1, 2)


def test_what_is_quiet_can_be_sent_to_a_worker():
    context = Context("there", 2, progress=lambda _done, _total: None, notice=lambda _text: None)
    assert pickle.loads(pickle.dumps(context.quiet())) == Context("there", 2)


@pytest.mark.parametrize("threads", [0, -2, 1.5, "2", True])
def test_bad_threads_are_refused(threads):
    with pytest.raises(YatzyError, match=f"^threads: {threads!r} is not allowed; allowed is a whole number, 1"):
        Context(threads=threads)
