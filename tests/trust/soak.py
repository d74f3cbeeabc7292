"""The long run of `make soak`: kills, changed bytes, races and bad clients until the time is up; then one table.

Every trial is drawn from the seed, so that a failure can be repeated.
"""

import argparse
import json
import os
import random
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.request import Request, urlopen

from trust.stored import READ_BACK, contents
from yatzy.bench.server import memory_of, running_server
from yatzy.errors import YatzyError

CLI = [sys.executable, "-c", "from yatzy.cli import main; main()"]
LONG_COMMANDS = {
    "simulate": ["simulate", "--games", "4000000", "--seed", "4", "--out", "OUT/games.parquet"],
    "dataset": ["dataset", "--games", "200000", "--seed", "4", "--out", "OUT/data"],
    "sweep": ["sweep", "--grid", "GRID", "--out", "OUT/sweep"],
}
TINY_COMMANDS = ["tiny simulate", "tiny dataset", "tiny sweep"]
TINY_WORK = """
import sys
from pathlib import Path
from games import TINY
from yatzy import solve
from yatzy.datasets import decision_files
from yatzy.evaluate import simulate as simulating
from yatzy.policy.optimal import Optimal
from yatzy.studies.sweep import sweep
simulating.GAMES_PER_BLOCK = decision_files.GAMES_PER_BLOCK = 16
name, out = sys.argv[1], Path(sys.argv[2])
if name == "tiny simulate":
    simulating.simulate_to_parquet(Optimal(solve(TINY)), 800, out / "games.parquet", seed=4)
elif name == "tiny dataset":
    decision_files.write_dataset(solve(TINY), out, 100, seed=4)
else:
    sweep([0.01 * n for n in range(12)], out, TINY)
"""
SITUATION = {"dice": [2, 5, 5, 5, 6], "rerolls": 1, "filled": ["ones"], "upper": 3}
OUTPUTS = (".parquet", ".csv")


class Tally:
    """What was tried, and what went wrong."""

    def __init__(self) -> None:
        self.tried: Counter[str] = Counter()
        self.failed: Counter[str] = Counter()
        self.lock = threading.Lock()

    def count(self, what: str, fault: str | None) -> None:
        with self.lock:
            self.tried[what] += 1
            if fault:
                self.failed[what] += 1
                print(f"FAILED {what}: {fault}", flush=True)


def command(name: str, home: Path, out: Path) -> list[str]:
    """A real command on the whole game, or the same work on a tiny one, where a kill costs a second."""
    if name in LONG_COMMANDS:
        grid = home / "grid.toml"
        grid.write_text("theta = [-0.05, 0.02, 0.05]\n")
        return [*CLI, *(w.replace("OUT", str(out)).replace("GRID", str(grid)) for w in LONG_COMMANDS[name])]
    return [sys.executable, "-c", TINY_WORK, name, str(out)]


def run(words: list[str], home: Path, seconds: float | None = None) -> int | None:
    """The exit status of a command, None if it was killed after that many seconds."""
    environment = {**os.environ, "YATZY_HOME": str(home)}
    process = subprocess.Popen(words, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        return process.wait(seconds)
    except subprocess.TimeoutExpired:
        process.send_signal(signal.SIGKILL)
        process.wait()
        return None


def outputs(folder: Path) -> dict[str, bytes]:
    return {name: content for name, content in contents(folder).items() if name.endswith(OUTPUTS)}


def kills(tally: Tally, draw: random.Random, home: Path, folder: Path, names: list[str]) -> Callable[[], None]:
    """Kill long work at a random moment, again and again; then its output is that of an unharmed run."""
    right, took = {}, {}
    for name in names:
        began = time.monotonic()
        assert run(command(name, home, folder / "right" / name), home) == 0
        right[name], took[name] = outputs(folder / "right" / name), time.monotonic() - began

    def trial() -> None:
        name = draw.choice(names)
        out = folder / "killed"
        for _ in range(draw.randint(1, 8)):
            if run(command(name, home, out), home, draw.uniform(0.2, 1.0) * took[name]) is None:
                tally.count(f"kill, {name}", None)
        status = run(command(name, home, out), home)
        left = [file for file in contents(out) if file.endswith((".lock", ".gone")) or ".parts/" in file]
        fault = None
        if status != 0:
            fault = f"{name}: status {status}"
        elif not name.endswith("sweep") and outputs(out) != right[name]:
            fault = f"{name}: another output"
        elif left:
            fault = f"{name}: left {left}"
        tally.count("run to its end after kills", fault)
        shutil.rmtree(out)

    return trial


def mutations(tally: Tally, draw: random.Random, folder: Path) -> Callable[[], None]:
    """Change a byte of a stored thing: it is refused, or what is read is what was written."""
    right = {}
    for kind in READ_BACK:
        place = folder / kind.name
        place.mkdir(parents=True)
        kind.make(place)
        right[kind.name] = kind.read(place)

    def trial() -> None:
        kind = draw.choice(READ_BACK)
        file = folder / kind.name / kind.files[0]
        content = file.read_bytes()
        changed = bytearray(content)
        for _ in range(draw.choice([1, 1, 1, 2, 8])):
            changed[draw.randrange(len(changed))] ^= 1 << draw.randrange(8)
        file.write_bytes(changed[: draw.randrange(len(changed))] if draw.random() < 0.2 else changed)
        fault = None
        try:
            if kind.read(folder / kind.name) != right[kind.name]:
                fault = f"{kind.name}: used as if nothing had happened"
        except (YatzyError, LookupError):
            pass
        except Exception as error:
            fault = f"{kind.name}: {error!r}"
        file.write_bytes(content)
        tally.count("changed byte", fault)

    return trial


def races(tally: Tally, draw: random.Random, home: Path, folder: Path) -> Callable[[], None]:
    """Three processes with one output: it is that of one of them, and each tells its own mean."""
    means: dict[int, float] = {}

    def told(seed: int, out: Path) -> subprocess.Popen[bytes]:
        words = ["simulate", "--games", "50000", "--seed", str(seed), "--out", str(out), "--json"]
        environment = {**os.environ, "YATZY_HOME": str(home)}
        return subprocess.Popen([*CLI, *words], env=environment, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)

    for seed in range(3):
        means[seed] = json.loads(told(seed, folder / f"{seed}.parquet").communicate()[0])["mean"]
    right = [(folder / f"{seed}.parquet").read_bytes() for seed in range(3)]

    def trial() -> None:
        out = folder / f"race{draw.randrange(10**9)}.parquet"
        seeds = draw.sample(range(3), 3)
        found = [json.loads(one.communicate()[0])["mean"] for one in [told(seed, out) for seed in seeds]]
        fault = None
        if found != [means[seed] for seed in seeds]:
            fault = f"means {found}"
        elif out.read_bytes() not in right:
            fault = "a mixed file"
        tally.count("race", fault)
        out.unlink()

    return trial


@contextmanager
def attack(port: int, kind: str, stop: threading.Event) -> Iterator[None]:
    """Bad clients of one kind, until the block ends."""

    def ask(body: dict[str, object], wait: bool) -> None:
        text = json.dumps(body).encode()
        head = "POST /api/advise HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
        with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
            connection.sendall(f"{head}content-length: {len(text)}\r\n\r\n".encode() + text)
            if wait:
                connection.recv(100)
            else:
                time.sleep(0.02)

    def client(number: int) -> None:
        draw = random.Random(number)
        while not stop.is_set():
            try:
                if kind in ("new thetas", "gone clients"):
                    ask({**SITUATION, "theta": draw.uniform(-0.9, 0.9)}, wait=kind == "new thetas")
                elif kind == "idle connections":
                    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
                        connection.recv(1)
                else:
                    begun = b"GET / HTTP/1.1\r\nhost: localhost\r\nx: "
                    if kind == "slow bodies":
                        begun = b"POST /api/advise HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500\r\n\r\n"
                    with closing(socket.create_connection(("127.0.0.1", port), timeout=30)) as connection:
                        connection.sendall(begun)
                        for _ in range(100):
                            connection.sendall(b"y")
                            time.sleep(0.3)
            except OSError:
                time.sleep(0.05)

    many = {"idle connections": 1000, "new thetas": 30, "gone clients": 30}.get(kind, 100)
    clients = [threading.Thread(target=client, args=[n], daemon=True) for n in range(many)]
    for one in clients:
        one.start()
    try:
        yield
    finally:
        stop.set()


def attacks(tally: Tally, seconds: float) -> list[str]:
    """Each kind of bad client for a while, beside an honest one; a row for each."""
    rows = []
    with running_server(1) as (port, process):
        time.sleep(5)

        def ask() -> float:
            began = time.perf_counter()
            body = json.dumps(SITUATION).encode()
            request = Request(f"http://127.0.0.1:{port}/api/advise", body, {"content-type": "application/json"})
            with urlopen(request, timeout=30) as answer:
                answer.read()
            return time.perf_counter() - began

        def review_after() -> float:
            began = time.perf_counter()
            while True:
                request = Request(
                    f"http://127.0.0.1:{port}/api/distribution",
                    json.dumps({"filled": ["ones"], "upper": 3}).encode(),
                    {"content-type": "application/json"},
                )
                try:
                    with urlopen(request, timeout=60) as answer:
                        answer.read()
                    return time.perf_counter() - began
                except OSError:
                    time.sleep(0.1)

        for kind in ("new thetas", "gone clients", "slow headers", "slow bodies", "idle connections"):
            before = memory_of(process.pid) or 0
            taken, errors, until = [], 0, time.monotonic() + seconds
            with attack(port, kind, threading.Event()):
                while time.monotonic() < until:
                    try:
                        taken.append(ask())
                    except OSError:
                        errors += 1
                    time.sleep(0.02)
            back = review_after()
            taken.sort()
            p99 = taken[int(len(taken) * 0.99)] if taken else float("inf")
            grown = ((memory_of(process.pid) or 0) - before) / 1e6
            fault = None
            if errors or p99 > 0.1 or back > 5:
                fault = f"{kind}: {errors} errors, p99 {p99 * 1000:.0f} ms, back after {back:.1f} s"
            tally.count("attack", fault)
            rows.append(
                f"{kind:20} {len(taken):6} honest answers, {errors} errors, p99 {p99 * 1000:6.1f} ms, "
                f"outlook {back:4.1f} s after, memory {grown:+.0f} MB"
            )
    return rows


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--minutes", type=float, default=60.0)
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    draw, tally = random.Random(given.seed), Tally()
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = folder / "home"
        home.mkdir()
        assert run([*CLI, "solve"], home) == 0
        rows = attacks(tally, min(60.0, given.minutes * 60 / 20))
        trials = [
            (1, kills(tally, draw, home, folder / "kills", list(LONG_COMMANDS))),
            (6, kills(tally, draw, home, folder / "tiny", TINY_COMMANDS)),
            (40, mutations(tally, draw, folder / "changed")),
            (1, races(tally, draw, home, folder)),
        ]
        while time.monotonic() - began < given.minutes * 60:
            for n, trial in trials:
                for _ in range(n):
                    trial()
    print("\n".join(rows))
    for what, n in tally.tried.items():
        print(f"{what:20} {n:6} tried, {tally.failed[what]} failed")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
