"""Somebody who has read only the README: own policy, own rules, exact mean, simulation, a plot."""

import subprocess
import sys

import pytest

SCRIPT = '''
import yatzy


@yatzy.policy
def sixes_first(here):
    """Hold what there is most of; score where it pays most, sixes first."""
    if here.rerolls:
        face = max(range(1, 7), key=lambda f: (here.counts[f - 1], f))
        return [die for die in here.dice if die == face]
    if "sixes" in here.open and here.counts[5] >= 3:
        return "sixes"
    return max(here.points, key=here.points.get)


def evens(counts):
    return 2 * counts[1] + 4 * counts[3] + 6 * counts[5]


mine = yatzy.Ruleset(
    "three boxes", dice=5, faces=6, rerolls=2,
    categories=(
        yatzy.Category("Evens", evens),
        yatzy.Category("Sixes", lambda counts: 6 * counts[5], upper=True),
        yatzy.Category("All alike", lambda counts: 40 if max(counts) == 5 else 0),
    ),
    bonus_threshold=18, bonus=10,
)
best = yatzy.solve(mine)
player = yatzy.policy(sixes_first.function, rules=mine)
exact = yatzy.evaluate(player)
games = yatzy.simulate(player, games=20_000, seed=1)
assert abs(games.mean - exact.mean) < 4 * games.standard_error
assert exact.mean < best.value()
print(f"best {best.value():.3f}, mine {exact.mean:.3f}, simulated {games.mean:.3f}")
print(best.advise("2 4 6 6 6", rerolls=1).best)
with open("scores.svg", "w") as file:
    file.write(exact.distribution.svg("my policy"))
game = yatzy.play_on(yatzy.Game(mine, seed=3), player)
print(game, yatzy.review(game))
'''


@pytest.mark.compiled
def test_forty_lines_by_a_newcomer(tmp_path):
    lines = [line for line in SCRIPT.splitlines() if line.strip()]
    assert len(lines) <= 45
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT], capture_output=True, text=True, check=False, cwd=tmp_path
    )
    assert ended.returncode == 0, ended.stderr
    best, advice, game = ended.stdout.splitlines()
    assert best.startswith("best ")
    assert advice.startswith(("keep", "score"))
    assert game.startswith("<Game three boxes: finished with ")
    assert (tmp_path / "scores.svg").read_text().startswith("<svg")
