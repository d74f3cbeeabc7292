"""Cold starts: how long the first answer of each command takes on a machine that has never run it.

Every command runs in a process of its own with an empty home and an empty cache of compiled code, then once more
with what the first run left behind. The ratio is cold over warm.
"""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from time import perf_counter, sleep
from urllib.request import Request, urlopen

from yatzy.lab.bench.ratios import BenchRow, Timed, check_effort
from yatzy.lab.bench.server import SERVE, running_server

MAX_SECONDS = 180.0
SECONDS_BETWEEN = 0.5
PROMPT = b"Enter throws"
SITUATION = {"dice": [1, 3, 3, 5, 6], "rerolls": 2}

Environment = dict[str, str]


def bench_cold(repeats: int = 1, threads: int | None = None) -> Timed:
    """Time the first start of every command that people begin with; the best of `repeats`."""
    threads = check_effort(repeats, threads)
    jobs: dict[str, Callable[[Environment], list[float]]] = {
        "advise": lambda env: [_run(["advise", "13356"], env)],
        "solve": lambda env: [_run(["solve"], env)],
        "evaluate card-20": lambda env: [_run(["evaluate", "card-20"], env)],
        "play, first prompt": lambda env: [_first_prompt(env)],
        "serve, healthy|serve, first advice after that": _serve,
    }
    best: dict[str, list[list[float]]] = {}
    for _ in range(repeats):
        for names, job in jobs.items():
            with _folder() as folder:
                env = os.environ | {"YATZY_HOME": f"{folder}/home", "NUMBA_CACHE_DIR": f"{folder}/code"}
                cold, warm = job(env), job(env)
            for name, seconds in zip(names.split("|"), zip(cold, warm, strict=True), strict=True):
                best.setdefault(name, []).append(list(seconds))
    starts = {name: map(min, zip(*runs, strict=True)) for name, runs in best.items()}
    return Timed(threads, repeats, tuple(
        BenchRow(f"cold start, {name}", cold, cold / warm, "the time of a warm one")
        for name, (cold, warm) in starts.items()
    ))  # fmt: skip


@contextmanager
def _folder() -> Iterator[str]:
    """A folder that is removed; what is still being prepared in the background may write there for a while."""
    folder = tempfile.mkdtemp()
    try:
        yield folder
    finally:
        until = perf_counter() + MAX_SECONDS
        while os.path.exists(folder) and perf_counter() < until:
            shutil.rmtree(folder, ignore_errors=True)
            sleep(SECONDS_BETWEEN)


def _run(arguments: list[str], env: Environment) -> float:
    started = perf_counter()
    subprocess.run(
        [sys.executable, "-c", SERVE, *arguments],
        env=env,
        check=True,
        capture_output=True,
        timeout=MAX_SECONDS,
    )
    return perf_counter() - started


def _first_prompt(env: Environment) -> float:
    """Seconds until a game at the terminal asks for the first throw."""
    started = perf_counter()
    command = [sys.executable, "-u", "-c", SERVE, "play", "--seed", "1"]
    with subprocess.Popen(
        command, env=env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdout is not None
        shown = b""
        while PROMPT not in shown:
            more = os.read(process.stdout.fileno(), 4096)
            if not more:
                raise RuntimeError("the game ended before it asked for a throw")
            shown += more
        seconds = perf_counter() - started
        process.kill()
    return seconds


def _serve(env: Environment) -> list[float]:
    """Seconds until the server is healthy, and from there to its first advice."""
    started = perf_counter()
    with running_server(1, env=env) as (port, _):
        healthy = perf_counter()
        asked = Request(f"http://127.0.0.1:{port}/api/advise", json.dumps(SITUATION).encode())
        asked.add_header("content-type", "application/json")
        with urlopen(asked) as answer:
            answer.read()
        return [healthy - started, perf_counter() - healthy]
