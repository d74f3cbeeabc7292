"""Simulated games: reproducible, comparable, and in agreement with the exact distribution."""

import math
import os
import signal
import subprocess
import sys
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import polars as pl
import pytest

from games import JOKERS, THREE_DICE
from yatzy import ValueTable, YatzyError, solve
from yatzy.context import Context
from yatzy.measure import simulate as simulation
from yatzy.measure.exact import evaluate
from yatzy.measure.simulate import simulate, simulate_blocks, simulate_to_parquet
from yatzy.policies.baselines import Greedy, Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, Policy

FIELDS = ("score", "bonus", "yatzy", "points", "turn")


def assert_same_games(a, b):
    for field in FIELDS:
        assert np.array_equal(getattr(a, field), getattr(b, field)), field


def part_of(games, part):
    return {field: getattr(games, field)[part] for field in FIELDS}


@pytest.fixture(scope="module")
def optimal(small_table):
    return Optimal(small_table)


def test_number_of_threads_does_not_matter(optimal):
    expected = simulate(optimal, 1_500, seed=1, context=Context(threads=1))
    for threads in (2, 3):
        assert_same_games(simulate(optimal, 1_500, seed=1, context=Context(threads=threads)), expected)


@pytest.mark.compiled
def test_number_of_threads_does_not_matter_in_the_full_game(policy_of):
    expected = simulate(policy_of("optimal", 0.0), 70_000, seed=1, context=Context(threads=1))
    assert_same_games(simulate(policy_of("optimal", 0.0), 70_000, seed=1, context=Context(threads=3)), expected)


def test_game_g_is_the_same_in_any_run(optimal, monkeypatch):
    """Fewer games are the first of more; a run may start anywhere; blocks and streams leave no seam."""
    monkeypatch.setattr(simulation, "GAMES_PER_STREAM", 256)
    many = simulate(optimal, 1_000, seed=2)
    for first, n in [(0, 1), (0, 300), (255, 2), (256, 256), (700, 300)]:
        some = simulate(optimal, n, seed=2, first=first)
        assert (some.first, len(some)) == (first, n)
        for field, expected in part_of(many, slice(first, first + n)).items():
            assert np.array_equal(getattr(some, field), expected), field
    monkeypatch.setattr(simulation, "GAMES_PER_BLOCK", 300)
    assert_same_games(simulate(optimal, 1_000, seed=2), many)
    assert [(block.first, len(block)) for block in simulate_blocks(optimal, 1_000, seed=2)] == [
        (0, 300),
        (300, 300),
        (600, 300),
        (900, 100),
    ]


def test_another_seed_gives_other_games(optimal):
    runs = [simulate(optimal, 500, seed=seed).score for seed in (0, 1, 2**64 - 1)]
    assert len({run.tobytes() for run in runs}) == 3


@dataclass(frozen=True)
class StopsAtTheEnd:
    """Plays like another policy, but never rerolls in the last turn."""

    policy: Policy
    name: str = "stops at the end"

    @property
    def rules(self):
        return self.policy.rules

    def decide(self, filled, upper):
        category, keep = self.policy.decide(filled, upper)
        n_filled = sum(filled >> c & 1 for c in range(self.rules.n_categories))
        all_dice = np.arange(keep.shape[2], dtype=np.uint16)
        last = (n_filled == self.rules.n_categories - 1)[:, None, None]
        return Decisions(category, np.where(last, all_dice, keep))


def test_two_policies_see_the_same_dice_until_they_differ(optimal):
    """Common random numbers: whatever was filled before the last turn is the same, game by game."""
    games, others = (simulate(policy, 1_000, seed=3) for policy in (optimal, StopsAtTheEnd(optimal)))
    assert np.array_equal(games.turn, others.turn)
    before = games.turn < optimal.rules.n_categories
    assert np.array_equal(games.points[before], others.points[before])
    assert np.count_nonzero(games.points != others.points) > 300
    assert games.mean > others.mean


def test_a_die_that_is_kept_by_both_is_thrown_for_both_alike(optimal):
    """In the last turn, too: a player who stops scores the first roll, from which the other one went on."""
    rules = optimal.rules
    games, others = (simulate(policy, 1_000, seed=3) for policy in (optimal, StopsAtTheEnd(optimal)))
    ones_last = games.turn[:, 0] == rules.n_categories
    assert ones_last.sum() > 50
    # Ones are never thrown away when only Ones is open.
    assert np.all(games.points[ones_last, 0] >= others.points[ones_last, 0])


def test_a_scorecard_adds_up(optimal):
    rules = optimal.rules
    games = simulate(optimal, 2_000, seed=4)
    upper = games.points[:, list(rules.upper_ids)].sum(axis=1, dtype=int)
    assert np.array_equal(games.bonus, upper >= rules.bonus_threshold)
    assert np.array_equal(games.score, games.points.sum(axis=1, dtype=int) + rules.bonus * games.bonus)
    assert 0 < games.bonus.mean() < 1
    assert np.array_equal(np.sort(games.turn, axis=1), np.tile([1, 2, 3, 4], (2_000, 1)))
    allowed = [{row[c] for row in rules.scores} for c in range(4)]
    assert all(set(games.points[:, c].tolist()) <= allowed[c] for c in range(4))
    assert not games.yatzy.any()


@pytest.mark.compiled
def test_yatzy_is_recorded(policy_of):
    games = simulate(policy_of("heuristic"), 20_000, seed=5)
    assert np.array_equal(games.yatzy, games.points[:, 14] == 50)
    assert 0 < games.yatzy.mean() < 1


def test_a_ruleset_without_rerolls_can_be_played(reduced_rules):
    policy = Heuristic(reduced_rules)
    games = simulate(policy, 800, seed=6)
    assert abs(games.mean - evaluate(policy).mean) < 4 * games.standard_error


def chi_square(observed, expected):
    """(statistic, critical value): exceeded once in 10,000 times if `expected` is right (Wilson and Hilferty)."""
    k = len(observed) - 1
    statistic = float(((observed - expected) ** 2 / expected).sum())
    return statistic, k * (1 - 2 / (9 * k) + 3.719 * math.sqrt(2 / (9 * k))) ** 3


def binned(counts, expected, at_least=50.0):
    """Neighbouring scores together until each bin expects enough games."""
    bins, sums = [], np.zeros(2)
    for pair in zip(counts, expected, strict=True):
        sums = sums + pair
        if sums[1] >= at_least:
            bins.append(sums)
            sums = np.zeros(2)
    bins[-1] = bins[-1] + sums
    return np.array(bins).T


def test_the_chi_square_test_knows_a_wrong_distribution():
    """With 10 degrees of freedom the critical value is 35.564, with more the formula is better still."""
    assert chi_square(np.ones(11), np.ones(11))[1] == pytest.approx(35.564, rel=0.02)
    fair = np.full(6, 10_000.0)
    loaded = fair + np.array([300, -300, 0, 0, 300, -300])
    statistic, critical = chi_square(loaded, fair)
    assert statistic > critical


@pytest.mark.compiled
def test_a_million_games_are_the_exact_distribution(policy_of, evaluation_of):
    n = 1_000_000
    games, exact = simulate(policy_of("optimal", 0.0), n, seed=2024), evaluation_of("optimal", 0.0)
    pmf = exact.distribution.pmf
    observed, expected = binned(np.bincount(games.score, minlength=len(pmf)), n * pmf)
    assert len(observed) > 200
    assert observed.sum() == n
    statistic, critical = chi_square(observed, expected)
    assert statistic < critical
    assert abs(games.mean - exact.mean) < 4 * games.standard_error
    errors = games.points.std(axis=0) / math.sqrt(n)
    assert np.all(np.abs(games.points.mean(axis=0) - exact.category_means) < 4 * errors)
    for rate, simulated in [(exact.bonus_rate, games.bonus.mean()), (exact.yatzy_rate, games.yatzy.mean())]:
        assert abs(simulated - rate) < 4 * math.sqrt(rate * (1 - rate) / n)
    turns = np.array([np.bincount(games.turn[:, c], minlength=16)[1:] for c in range(15)]) / n
    errors = np.sqrt(exact.fill_turn * (1 - exact.fill_turn) / n)
    assert np.all(np.abs(turns - exact.fill_turn) < 5 * errors + 5 / n)


def test_parquet_holds_what_memory_held(optimal, tmp_path, monkeypatch):
    monkeypatch.setattr(simulation, "GAMES_PER_BLOCK", 300)
    out = tmp_path / "deep" / "games.parquet"
    seen = []
    mean, sd = simulate_to_parquet(
        optimal, 1_000, out, seed=7, context=Context(progress=lambda done, total: seen.append((done, total)))
    )
    games = simulate(optimal, 1_000, seed=7)
    frame = pl.read_parquet(out)
    assert frame.equals(games.frame())
    assert (mean, sd) == (pytest.approx(games.mean, abs=1e-9), pytest.approx(games.sd, abs=1e-9))
    assert frame["game"].to_list() == list(range(1_000))
    assert frame["points_run"].to_numpy().tolist() == games.points[:, 3].tolist()
    assert frame["turn_ones"].to_numpy().tolist() == games.turn[:, 0].tolist()
    assert seen == sorted(seen)
    assert seen[-1] == (1_000, 1_000)
    assert os.listdir(out.parent) == ["games.parquet"]


def test_one_game_has_no_spread(optimal, tmp_path):
    mean, sd = simulate_to_parquet(optimal, 1, tmp_path / "one.parquet", seed=8)
    assert (mean, sd) == (simulate(optimal, 1, seed=8).mean, 0.0)


CHILD = """
import sys, time
from pathlib import Path

from games import THREE_DICE
from yatzy import Context, solve
from yatzy.measure import simulate as simulation
from yatzy.policies.optimal import Optimal

simulation.GAMES_PER_BLOCK = 200

def report(done, total):
    print(done, flush=True)
    time.sleep(0.05)

context = Context(progress=report)
simulation.simulate_to_parquet(Optimal(solve(THREE_DICE)), 1_000, Path(sys.argv[1]), seed=9, context=context)
"""


def test_a_killed_run_is_taken_up_where_it_was(tmp_path, monkeypatch):
    """A real kill in the middle of the third block: no file is there, then the very file of an unharmed run."""
    out = tmp_path / "games.parquet"
    environment = os.environ | {"PYTHONPATH": str(Path(__file__).parents[1])}
    child = subprocess.Popen(
        [sys.executable, "-c", CHILD, str(out)], stdout=subprocess.PIPE, text=True, env=environment
    )
    with child:
        for line in child.stdout:
            if int(line) > 400:
                child.send_signal(signal.SIGKILL)
                break
    assert child.returncode == -signal.SIGKILL
    assert not out.exists()
    [parts] = tmp_path.glob(".*.parts")
    assert sorted(os.listdir(parts)) == ["000000000000.parquet", "000000000200.parquet", "manifest"]

    monkeypatch.setattr(simulation, "GAMES_PER_BLOCK", 200)
    policy = Optimal(solve(THREE_DICE))
    seen = []
    moments = simulate_to_parquet(
        policy, 1_000, out, seed=9, context=Context(progress=lambda done, _: seen.append(done))
    )
    assert min(seen) > 400
    unharmed = tmp_path / "unharmed.parquet"
    assert simulate_to_parquet(policy, 1_000, unharmed, seed=9) == moments
    assert out.read_bytes() == unharmed.read_bytes()
    assert sorted(os.listdir(tmp_path)) == ["games.parquet", "unharmed.parquet"]


def test_blocks_of_another_run_are_not_taken(tmp_path, monkeypatch, optimal):
    """Another policy, seed or number of games under way to the same file is another run."""
    monkeypatch.setattr(simulation, "GAMES_PER_BLOCK", 100)
    out = tmp_path / "games.parquet"

    def stop(done, total):
        if done > 200:
            raise KeyboardInterrupt

    for policy, games, seed in [(optimal, 300, 1), (Heuristic(optimal.rules), 300, 0), (optimal, 299, 0)]:
        with pytest.raises(KeyboardInterrupt):
            simulate_to_parquet(policy, games, out, seed=seed, context=Context(progress=stop))
    assert len(os.listdir(tmp_path)) == 3
    simulate_to_parquet(optimal, 300, out, seed=0)
    assert pl.read_parquet(out).equals(simulate(optimal, 300, seed=0).frame())


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"games": 0}, "games: 0 is not allowed; allowed is a whole number, 1..100000000"),
        ({"games": -1}, "games: -1"),
        ({"games": 2.5}, "games: 2.5"),
        ({"games": True}, "games: True"),
        ({"seed": -1}, "seed: -1 is not allowed"),
        ({"seed": 2**64}, "seed: 18446744073709551616 is not allowed"),
        ({"seed": None}, "seed: None"),
        ({"first": -1}, "first: -1 is not allowed; allowed is a whole number, 0 or more"),
    ],
    ids=str,
)
def test_bad_input_is_refused_by_name(optimal, tmp_path, arguments, message):
    with pytest.raises(YatzyError, match=f"^{message}"):
        simulate(optimal, **{"games": 10} | arguments)
    if "first" not in arguments:
        with pytest.raises(YatzyError, match=f"^{message}"):
            simulate_to_parquet(optimal, **{"games": 10, "out": tmp_path / "games.parquet"} | arguments)
        assert not (tmp_path / "games.parquet").exists()


@dataclass(frozen=True)
class BoldWhenBehind:
    """Greedy with few points on the card, perfect with many: it sees them."""

    table: ValueTable
    calm_from: int = 7
    name: str = "bold"

    @property
    def rules(self):
        return self.table.rules

    def decide_at(self, filled, upper, points):
        calm, bold = Optimal(self.table).decide(filled, upper), Greedy(self.rules).decide(filled, upper)
        behind = points < self.calm_from
        return Decisions(
            np.where(behind[:, None], bold.category, calm.category),
            np.where(behind[:, None, None], bold.keep, calm.keep),
        )


@pytest.mark.parametrize("game", [THREE_DICE, JOKERS], ids=lambda game: game.name)
def test_a_policy_may_see_the_points(game):
    """Between its two ways, which it takes where it always or never sees few."""
    table = solve(game)
    games = simulate(BoldWhenBehind(table), 300, seed=4, context=Context(threads=1))
    assert_same_games(simulate(BoldWhenBehind(table), 300, seed=4, context=Context(threads=2)), games)
    alone = simulate(BoldWhenBehind(table), 120, seed=4, first=100)
    assert (games.score[100:220] == alone.score).all()
    calm, bold = (simulate(BoldWhenBehind(table, least), 300, seed=4) for least in (0, 10**6))
    assert_same_games(calm, simulate(Optimal(table), 300, seed=4))
    assert_same_games(bold, simulate(Greedy(game), 300, seed=4))
    assert (games.score != calm.score).any()
    assert (games.score != bold.score).any()


def test_points_are_those_of_boxes_and_beside_them():
    """Whoever sees the points sees what the finished game adds up to."""
    seen = []

    class Watching(BoldWhenBehind):
        def decide_at(self, filled, upper, points):
            seen.append((filled.copy(), points.copy()))
            return Optimal(self.table).decide(filled, upper)

    games = simulate(Watching(solve(JOKERS)), 1, seed=11, context=Context(threads=1))
    order = np.argsort(games.turn[0])
    expected = np.concatenate([[0], games.points[0, order].cumsum()])[:-1]
    found = np.array([points[0] for _, points in seen])
    assert (found >= expected).all()
    assert (np.diff(found) >= 0).all()
    assert (found - expected).max() <= games.extra[0]


def test_more_dice_than_can_be_drawn_are_refused():
    many = replace(THREE_DICE, name="many-dice", dice=12, faces=6, rerolls=1)
    with pytest.raises(YatzyError, match=r"^rules: 12 dice with 6 faces are too many to simulate; allowed are "):
        simulate(Random(many), 1)
