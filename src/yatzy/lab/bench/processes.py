"""Commands and the server timed from outside, in processes of their own.

*Load.* Some connections each send their next request as soon as the last one is answered. The load generator is a
process beside the server: `python -m yatzy.lab.bench.processes` reads one JSON object from stdin (`port`, `path`,
`bodies`, `connections`, `seconds`) and prints one. A request is an error if its answer is not 200 or if the
connection breaks. Requests are for different situations, so that no cache can answer; outlooks are asked for one
after the other.

*Cold starts.* Every command runs with an empty home and an empty cache of compiled code, then once more with what
the first run left behind. The ratio is cold over warm.
"""

import asyncio
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from http.client import HTTPConnection
from itertools import cycle
from pathlib import Path
from time import perf_counter, sleep
from typing import Any, cast
from urllib.error import URLError
from urllib.request import Request, urlopen

import numpy as np

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.game.aim import possible_points
from yatzy.lab.bench.ratios import BenchRow, Timed, check_effort
from yatzy.rules import Ruleset, State, format_category, scandinavian
from yatzy.solver.states import state_space

SECONDS_TO_ANSWER = 10
HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True)
class Load:
    """What was measured; times in seconds."""

    requests: int
    errors: int
    seconds: float
    median: float
    p99: float

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.requests / self.seconds


class _Connection(asyncio.Protocol):
    """One connection, in a closed loop until the time is over."""

    def __init__(self, requests: "cycle[bytes]", until: float, taken: list[float], failed: list[str]) -> None:
        self.requests, self.until, self.taken, self.failed = requests, until, taken, failed
        self.is_over = asyncio.get_running_loop().create_future()
        self.answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._send()

    def _send(self) -> None:
        self.answer = b""
        self.sent = perf_counter()
        self.transport.write(next(self.requests))

    def data_received(self, data: bytes) -> None:
        self.answer += data
        end = self.answer.find(HEAD_END)
        if end < 0 or len(self.answer) < end + len(HEAD_END) + _content_length(self.answer[:end]):
            return
        now = perf_counter()
        self.taken.append(now - self.sent)
        if not self.answer.startswith(b"HTTP/1.1 200 "):
            self.failed.append(self.answer[:end].decode("latin-1"))
        if now < self.until:
            self._send()
        else:
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if perf_counter() < self.until:
            self.failed.append(f"connection lost: {error}")
        if not self.is_over.done():
            self.is_over.set_result(None)


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


async def generate(port: int, path: str, bodies: Sequence[str], connections: int, seconds: float) -> Load:
    """Post the bodies in turn until the time is over."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
    requests = cycle([f"{head}{len(body.encode())}\r\n\r\n{body}".encode() for body in bodies])
    taken: list[float] = []
    failed: list[str] = []
    started = perf_counter()
    loop = asyncio.get_running_loop()
    opened = [
        await loop.create_connection(
            lambda: _Connection(requests, started + seconds, taken, failed), "127.0.0.1", port
        )
        for _ in range(connections)
    ]
    _, waiting = await asyncio.wait([c.is_over for _, c in opened], timeout=seconds + SECONDS_TO_ANSWER)
    failed += ["no answer"] * len(waiting)
    lasted = perf_counter() - started
    taken.sort()

    def at(share: float) -> float:
        return taken[min(int(share * len(taken)), len(taken) - 1)] if taken else float("inf")

    return Load(len(taken), len(failed), lasted, at(0.5), at(0.99))


CONNECTIONS = 64
SECONDS = 10.0
N_SITUATIONS = 5_000
N_OUTLOOKS = 40
MID_GAME = 7
NEW_THETA = 0.001
SEED = 20
SECONDS_TO_START = 120.0
SECONDS_BETWEEN = 0.02
SERVE = "from yatzy.cli import main; main()"


def bench_server(repeats: int = 3, threads: int | None = None, seconds: float = SECONDS) -> Timed:
    """Serve with `threads` workers, and load them; the best of `repeats` rounds counts.

    An outlook from the start of the game the server has ready; for a new theta it has to solve first.
    """
    threads = check_effort(repeats, threads)
    if not 0 < seconds <= 600:
        raise YatzyError("seconds", seconds, "more than 0, up to 600")
    rules = scandinavian()
    bodies = situation_bodies(rules, N_SITUATIONS, SEED)
    with running_server(threads) as (port, process):
        outlooks = time_outlooks(port, [{}, {}, {"theta": NEW_THETA}, *outlook_bodies(rules, N_OUTLOOKS, SEED)])
        _, start, new_theta, *mid_game = outlooks
        put_load(port, "/api/advise", bodies, CONNECTIONS, min(seconds, 2.0))
        before = memory_of(process.pid)
        loads = [put_load(port, "/api/advise", bodies, CONNECTIONS, seconds) for _ in range(repeats)]
        after = memory_of(process.pid)
    load = max(loads, key=lambda load: (-load.errors, load.rate))
    rows = [
        BenchRow(f"advise, {CONNECTIONS} connections", amount=f"{load.rate:,.0f}/s"),
        BenchRow("advise, median", load.median),
        BenchRow("advise, 99th percentile", load.p99),
        BenchRow("advise, errors", amount=str(load.errors or "none")),
        BenchRow("outlook from the start", start),
        BenchRow("outlook from the start, a new theta", new_theta),
        BenchRow("outlook in mid-game, 95th percentile", sorted(mid_game)[int(0.95 * len(mid_game))]),
    ]
    if before and after:
        rows.append(BenchRow("memory", None, after / before, "as before load", f"{after / 1e6:,.0f} MB"))
    return Timed(threads, repeats, tuple(rows))


def situation_bodies(rules: Ruleset, n: int, seed: int) -> list[str]:
    """Requests for advice in situations that can occur."""
    columns = zip(*(column.tolist() for column in random_situations(rules, n, seed)), strict=True)
    return [
        json.dumps({"dice": rules.rolls[roll], "rerolls": left, "filled": _names(rules, filled), "upper": upper})
        for filled, upper, roll, left in columns
    ]


def outlook_bodies(rules: Ruleset, n: int, seed: int) -> list[dict[str, Any]]:
    """Requests for an outlook in states with MID_GAME categories filled."""
    found: list[dict[str, Any]] = []
    generator = np.random.default_rng(seed)
    filled, upper, _, _ = random_situations(rules, 100 * n, seed)
    states = [
        State(f, u) for f, u in zip(filled.tolist(), upper.tolist(), strict=True) if f.bit_count() == MID_GAME
    ]
    for state in states[:n]:
        points = int(generator.choice(sorted(possible_points(rules, state))))
        found.append({"filled": _names(rules, state.filled), "upper": state.upper, "points": points})
    return found


def random_situations(rules: Ruleset, n: int, seed: int) -> tuple[IntArray, ...]:
    """(filled, upper, roll_ids, rerolls) of `n` situations that can occur, each state equally likely."""
    space = state_space(rules)
    random = np.random.default_rng(seed)
    states = np.argwhere(space.reachable[: rules.all_filled])
    filled, upper = states[random.integers(len(states), size=n)].T
    return filled, upper, random.integers(len(rules.rolls), size=n), random.integers(rules.rerolls + 1, size=n)


def _names(rules: Ruleset, filled: int) -> list[str]:
    return [format_category(rules, c) for c in range(rules.n_categories) if filled >> c & 1]


@contextmanager
def running_server(
    workers: int, *options: str, env: dict[str, str] | None = None, code: str = SERVE
) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """A server on a free port, until the block ends."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = int(free.getsockname()[1])
    command = [sys.executable, "-c", code, "serve", "--port", str(port), "--workers", str(workers), *options]
    with subprocess.Popen(command, stdout=subprocess.DEVNULL, env=env) as process:
        try:
            wait_for(port, process)
            yield port, process
        finally:
            process.terminate()
            process.wait()


def wait_for(port: int, process: "subprocess.Popen[bytes]") -> None:
    """Return as soon as the server answers."""
    for _ in range(int(SECONDS_TO_START / SECONDS_BETWEEN)):
        try:
            with urlopen(f"http://127.0.0.1:{port}/api/health", timeout=5):
                return
        except (URLError, ConnectionError, TimeoutError):
            if process.poll() is not None:
                break
            sleep(SECONDS_BETWEEN)
    raise YatzyError("port", port, why="no server answers on {given}")


def put_load(port: int, path: str, bodies: Sequence[str], connections: int, seconds: float) -> Load:
    """Load from another process."""
    task = {"port": port, "path": path, "bodies": bodies, "connections": connections, "seconds": seconds}
    ended = subprocess.run(
        [sys.executable, "-m", "yatzy.lab.bench.processes"],
        input=json.dumps(task),
        stdout=subprocess.PIPE,
        check=True,
        text=True,
        timeout=seconds + SECONDS_TO_START,
    )
    return Load(**json.loads(ended.stdout))


def time_outlooks(port: int, bodies: Sequence[dict[str, Any]]) -> list[float]:
    """Seconds until each is answered, one after the other on one connection and so by one worker."""
    connection = HTTPConnection("127.0.0.1", port, timeout=SECONDS_TO_START)
    times = []
    for body in bodies:
        started = perf_counter()
        connection.request("POST", "/api/distribution", json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        answer.read()
        times.append(perf_counter() - started)
        if answer.status != 200:
            raise RuntimeError(f"the server answers {answer.status} to {body}")
    connection.close()
    return times


def memory_of(pid: int) -> int | None:
    """Bytes that a process and its children take, pages that several share counted once; None if unknown."""
    total = 0
    for process in _with_children(pid):
        try:
            status = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            if process == pid:
                return None
            # A child that has ended meanwhile takes nothing.
            continue
        line = next(line for line in status.splitlines() if line.startswith("Pss:"))
        total += int(line.split()[1]) * 1024
    return total


def _with_children(pid: int) -> list[int]:
    found = [pid]
    for task in Path(f"/proc/{pid}/task").glob("*/children"):
        for child in task.read_text().split():
            found += _with_children(int(child))
    return found


MAX_SECONDS = 180.0
SECONDS_TO_CLEAR = 0.5
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
            sleep(SECONDS_TO_CLEAR)


def _run(arguments: list[str], env: Environment) -> float:
    started = perf_counter()
    subprocess.run(
        [sys.executable, "-c", SERVE, *arguments], env=env, check=True, capture_output=True, timeout=MAX_SECONDS
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


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(generate(**json.load(sys.stdin))))))
