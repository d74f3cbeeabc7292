"""The long run of `make soak`: kills, changed bytes, races, bad clients and damaged pages; then one table.

Each part runs until its count is reached. Every trial is drawn from the seed, so that a failure can be repeated:

    PYTHONPATH=tests python -m trust.soak --kills 500 --bytes 2000 --races 50 --attack 60
"""

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from trust import forked
from trust.attacks import attack
from trust.kills import REAL, SMALL, Kills, command
from trust.mutations import Mutations
from trust.races import Races
from trust.stored import mini_table
from trust.tally import Tally
from yatzy.context import Context
from yatzy.measure import simulate as simulating
from yatzy.policies.optimal import Optimal

PARTS = ("kills", "commands", "bytes", "races", "attack", "pages")
TESTS = Path(__file__).parent.parent
SECONDS_BETWEEN_LINES = 30.0


class EndedError(Exception):
    """Somebody wants the run to end: the table of what was tried is still printed."""


def end(*_signal: object) -> None:
    raise EndedError


def until(what: str, count: int, deadline: float, trial: Callable[[int], int]) -> None:
    """Trials until there are enough, or the time is up; says how far it has got, twice a minute."""
    done, told = 0, time.monotonic()
    while done < count and time.monotonic() < deadline:
        done += trial(count - done)
        if time.monotonic() > told + SECONDS_BETWEEN_LINES:
            told = time.monotonic()
            print(f"{what}: {done:,} of {count:,}", flush=True)


def prepare(home: Path) -> None:
    """A solved game for the real commands; kernels in memory, which every forked process then has."""
    assert forked.run(lambda: command("solve")(home / "work"), home / "result").status == 0
    simulating.simulate(Optimal(mini_table()), 32, context=Context(threads=1))


def pages(tally: Tally) -> None:
    """Damaged stores, files and links in a real browser: its own tests, with more of each."""
    os.environ["YATZY_SOAK"] = "1"
    from browser.test_damage import FILES, LINKS, STORES

    words = [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", str(TESTS / "browser/test_damage.py")]
    ended = subprocess.run(words, cwd=TESTS.parent, capture_output=True, text=True, check=False)
    fault = ended.stdout[-2000:] if ended.returncode else None
    tally.count("damaged stores, files and links", fault, STORES + FILES + len(LINKS))


def soak(given: argparse.Namespace, asked: set[str], tally: Tally, deadline: float) -> None:
    """Every part that was asked for."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        home = folder / "home"
        home.mkdir()
        os.environ["YATZY_HOME"] = str(home)
        prepare(home)
        draws = {part: random.Random(f"{given.seed} {part}") for part in PARTS}
        if "bytes" in asked:
            mutations = Mutations(tally, draws["bytes"], folder / "bytes")
            until("changed bytes", given.bytes, deadline, mutations.trial)
        if "races" in asked:
            races = Races(tally, draws["races"], folder / "races")
            until("races", given.races, deadline, lambda _: races.trial())
        for part, works, share in (("kills", SMALL, 2), ("commands", REAL, 1)):
            if part in asked:
                kills = Kills(tally, draws[part], home, folder / part, works)
                until(part, given.kills * share // 3, deadline, lambda _, kills=kills: kills.trial())
        if "attack" in asked and given.attack:
            attack(tally, home, given.attack, given.seed)
        if "pages" in asked:
            pages(tally)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--kills", type=int, default=500, help="of long work, a third of them of real commands")
    parser.add_argument("--bytes", type=int, default=2000, help="changes of stored bytes")
    parser.add_argument("--races", type=int, default=50, help="of three processes on one output")
    parser.add_argument("--attack", type=float, default=60.0, help="seconds of each kind of bad client")
    parser.add_argument("--minutes", type=float, default=60.0, help="the most that kills, bytes and races take")
    parser.add_argument("--only", choices=PARTS, help="one part alone")
    parser.add_argument("--seed", type=int, default=0)
    given = parser.parse_args()
    asked = {given.only} if given.only else set(PARTS)
    tally, deadline = Tally(), time.monotonic() + given.minutes * 60
    signal.signal(signal.SIGTERM, end)
    try:
        soak(given, asked, tally, deadline)
    except (EndedError, KeyboardInterrupt):
        print("ended before its time", flush=True)
    print(tally.table())
    for what, beginning in (("kills", "kills of"), ("changed bytes", "changed bytes"), ("races", "races of")):
        print(f"{what}: {tally.total(beginning):,}")
    sys.exit(1 if tally.failed else 0)


if __name__ == "__main__":
    main()
