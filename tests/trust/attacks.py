"""A server under attack by one kind of bad client after the other, beside an honest one that is timed."""

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from socket import create_server
from typing import Any
from urllib.request import Request, urlopen

from trust.bad_clients import CLIENTS, HOST, SITUATION
from trust.forked import die_with_parent
from trust.tally import Tally
from yatzy.lab.bench.processes import SERVE, memory_of, wait_for

P99_MS, BACK_SECONDS, GROWTH_MB = 100.0, 5.0, 64.0
SECONDS_BETWEEN = 0.02
OUTLOOK = {"filled": ["ones"], "upper": 3}


@contextmanager
def served(home: Path) -> Iterator[tuple[int, "subprocess.Popen[bytes]"]]:
    """A server of our own on a free port of this machine, which ends with us."""
    with create_server((HOST, 0)) as free:
        port = int(free.getsockname()[1])
    words = [sys.executable, "-c", SERVE, "serve", "--port", str(port), "--home", str(home)]
    with subprocess.Popen(words, stdout=subprocess.DEVNULL, preexec_fn=die_with_parent) as process:  # noqa: PLW1509
        try:
            wait_for(port, process)
            # The first outlook compiles or loads its kernels; an attack is measured on a server that is ready.
            ask(port, "/api/distribution", {}, 300)
            ask(port, "/api/distribution", OUTLOOK, 300)
            yield port, process
        finally:
            process.kill()


def ask(port: int, path: str, body: dict[str, Any], timeout: float = 30.0) -> float:
    """Seconds until the answer is there."""
    began = time.perf_counter()
    request = Request(
        f"http://{HOST}:{port}{path}", json.dumps(body).encode(), {"content-type": "application/json"}
    )
    with urlopen(request, timeout=timeout) as answer:
        answer.read()
    return time.perf_counter() - began


def ask_for(port: int, seconds: float) -> tuple[list[float], int]:
    """Advice for theta 0, again and again: how long each answer took, and how many did not come."""
    taken, errors, until = [], 0, time.monotonic() + seconds
    while time.monotonic() < until:
        try:
            taken.append(ask(port, "/api/advise", SITUATION))
        except OSError:
            errors += 1
        time.sleep(SECONDS_BETWEEN)
    return sorted(taken), errors


def seconds_until_back(port: int, upper: int) -> float:
    """From the attack's end until an outlook that was not asked for before is answered."""
    began = time.perf_counter()
    while time.perf_counter() - began < 120:
        try:
            ask(port, "/api/distribution", {"filled": ["ones", "twos"], "upper": upper}, 60)
            break
        except OSError:
            time.sleep(0.1)
    return time.perf_counter() - began


def attack(tally: Tally, home: Path, seconds: float, seed: int = 0) -> None:
    """Every kind of bad client for a while; first nobody but the honest one, to compare with."""
    with served(home) as (port, process):
        for n, kind in enumerate(("nobody", *CLIENTS)):
            before = memory_of(process.pid) or 0
            bad = None
            if kind != "nobody":
                words = [sys.executable, "-m", "trust.bad_clients", str(port), kind, str(seconds), str(seed)]
                bad = subprocess.Popen(words, stdout=subprocess.PIPE, preexec_fn=die_with_parent)  # noqa: PLW1509
            taken, errors = ask_for(port, seconds / 2)
            halfway = memory_of(process.pid) or 0
            more, more_errors = ask_for(port, seconds / 2)
            taken, errors = sorted(taken + more), errors + more_errors
            met = json.loads(bad.communicate()[0])["met"] if bad else {}
            back = seconds_until_back(port, 3 + n % 4 * 2)
            after = memory_of(process.pid) or 0
            grown, still_growing = (after - before) / 1e6, (after - halfway) / 1e6
            p50, p99 = (taken[int(len(taken) * q)] * 1000 if taken else float("inf") for q in (0.5, 0.99))
            faults = [f"{errors} errors"] * bool(errors)
            faults += [f"p99 {p99:.0f} ms"] * (p99 > P99_MS) + [f"back after {back:.1f} s"] * (back > BACK_SECONDS)
            # Other games and thetas are kept, a few of them: that is no leak, and halfway they are all there.
            faults += [f"memory {still_growing:+.0f} MB"] * (still_growing > GROWTH_MB)
            what = f"attack: {kind}, {seconds:.0f} s"
            tally.count(what, ", ".join(faults) or None)
            tally.figures[what] = (
                f"{len(taken):,} answers, median {p50:.1f} ms, p99 {p99:.1f} ms; outlook {back:.1f} s after; "
                f"memory {grown:+.0f} MB, "
                f"{still_growing:+.0f} in the second half; load {os.getloadavg()[0]:.0f}; {_told(met)}"
            )
            print(what, tally.figures[what], flush=True)


def _told(met: dict[str, int]) -> str:
    return ", ".join(f"{n:,} x {what}" for what, n in sorted(met.items())) or "no harm"
