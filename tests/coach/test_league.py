"""Who is really better: intervals that cover, places as sure as they are said to be, no game twice."""

import json
import math
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import yatzy
from conftest import COMPUTE
from yatzy import YatzyError
from yatzy.coach.league import SURE, Spread, chance_below, standings, t_below
from yatzy.coach.level import half_interval
from yatzy.coach.review import review
from yatzy.game.game import Game
from yatzy.measure.simulate import play_on
from yatzy.solver.solve import solve

HERE = Path(__file__).parent
# What four hundred games of players of five strengths lost in Scandinavian Yatzy, with the dice of seeds 0 to 399.
LOSSES = {name: np.array(lost) for name, lost in json.loads((HERE / "losses.json").read_text()).items()}
GOLDEN = HERE / "league.json"
LEAGUES = 1000


def drawn_leagues() -> list[list[tuple[float, np.ndarray]]]:
    """Leagues of two to five players, each of a strength of its own, who played 5 to 25 games; with true means."""
    rng, leagues = np.random.default_rng(11), []
    for _ in range(LEAGUES):
        n_games, players = int(rng.integers(5, 26)), []
        for name in rng.choice(list(LOSSES), rng.integers(2, 6)):
            lost = LOSSES[name] * rng.uniform(0.7, 1.4)
            players.append((float(lost.mean()), rng.choice(lost, n_games)))
        leagues.append(players)
    return leagues


def test_intervals_cover_and_places_are_as_sure_as_they_say():
    """Within four standard errors: 95% of 95% intervals cover, of places that are p sure, a share p is right."""
    covered, said, right = [], [], []
    for players in drawn_leagues():
        for mean, lost in players:
            covered.append(abs(lost.mean() - mean) <= (half_interval(lost.tolist()) or 0))
        placed = sorted(players, key=lambda one: one[1].mean())
        spreads = [Spread(lost.mean(), lost.std(ddof=1), len(lost)) for _, lost in placed]
        for k, (mean, _) in enumerate(placed[:-1]):
            said.append(chance_below(spreads[k], spreads[k + 1 :]))
            right.append(all(mean < other for other, _ in placed[k + 1 :]))
    n = len(covered)
    assert abs(sum(covered) - SURE * n) < 4 * math.sqrt(n * SURE * (1 - SURE))
    chances, is_right = np.array(said), np.array(right)
    for low, high in ((0.0, 0.7), (0.7, 0.9), (0.9, 0.99), (0.99, 1.01)):
        some = (low <= chances) & (chances < high)
        error = math.sqrt((chances[some] * (1 - chances[some])).sum()) + 0.5
        assert some.sum() > 20
        assert abs(is_right[some].sum() - chances[some].sum()) < 4 * error


@pytest.mark.compiled
def test_the_losses_are_those_of_the_players():
    """With YATZY_COMPUTE=1 twenty games of each, else one."""
    table = solve("scandinavian")
    for name, lost in LOSSES.items():
        for seed in range(20 if COMPUTE else 1):
            game = play_on(Game(table.rules, seed=seed), name)
            assert review(game, table).lost == pytest.approx(lost[seed], abs=0.006)


def test_student():
    """Against published quantiles, and the integral of the density."""
    quantiles = {1: 12.7062, 2: 4.3027, 3: 3.1824, 4: 2.7764, 9: 2.2622, 30: 2.0423, 199: 1.9720}
    for freedom, quantile in quantiles.items():
        below = t_below(np.array([quantile, 0.0, -quantile]), freedom)
        assert below == pytest.approx([0.975, 0.5, 0.025], abs=1e-5)
    assert half_interval([0.0, 1.0] * 50) == pytest.approx(1.9842 * np.std([0.0, 1.0] * 50, ddof=1) / 10, rel=5e-4)


def test_the_chance_to_be_better():
    """Of two with the same spread, many games: that of a normal difference; equals share it."""
    one, other = Spread(10, 4, 5000), Spread(10.1, 4, 5000)
    z = 0.1 / math.hypot(one.error, other.error)
    assert chance_below(one, [other]) == pytest.approx(0.5 * (1 + math.erf(z / math.sqrt(2))), abs=2e-3)
    assert chance_below(Spread(5, 2, 6), [Spread(5, 2, 6)] * 3) == pytest.approx(0.25, abs=1e-4)
    rng = np.random.default_rng(5)
    players = [Spread(10, 4, 6), Spread(12, 5, 4), Spread(13, 2, 9)]
    mus = [p.mean + p.error * rng.standard_t(p.freedom, 200_000) for p in players]
    share = (mus[0] < np.minimum(mus[1], mus[2])).mean()
    assert chance_below(players[0], players[1:]) == pytest.approx(share, abs=4 * 0.5 / math.sqrt(200_000))


def test_golden_leagues():
    """The page says the same: web/tests/play/league.test.ts reads the same file."""
    for one in json.loads(GOLDEN.read_text()):
        placed = standings((each["player"], each["lost"], each["scores"]) for each in one["games"])
        for found, told in zip(placed, one["placed"], strict=True):
            assert (found.player, found.more, found.by_scores) == (told["player"], told["more"], told["by_scores"])
            assert (found.sure or 0) == pytest.approx(told["sure"] or 0, abs=1e-6)
            assert (found.lost, found.within) == pytest.approx((told["lost"], told["within"]), abs=1e-6)


def test_more_games_make_it_sure():
    told = json.loads(GOLDEN.read_text())[0]["games"]
    first, *_ = standings((each["player"], each["lost"], each["scores"]) for each in told)
    assert first.sure is not None
    assert first.sure < SURE
    by_name = {each["player"]: each["lost"] for each in told}
    spreads = [Spread(float(np.mean(x)), float(np.std(x, ddof=1)), len(x)) for x in by_name.values()]
    spreads.sort(key=lambda one: one.mean)
    for more, enough in ((first.more or 0, True), ((first.more or 0) - 1, False)):
        best, *others = (replace(one, games=one.games + more) for one in spreads)
        assert (chance_below(best, others) >= SURE) is enough
    assert (first.by_scores or 0) > 20 * (first.more or 0)


@pytest.mark.compiled
def test_a_league_of_games():
    logs = [
        play_on(Game("yacht", seed=seed), name).log(player=name)
        for name in ("greedy", "random", "heuristic") for seed in range(4 if name != "heuristic" else 2)
    ]  # fmt: skip
    found = yatzy.league([*logs, *logs[:3]])
    assert [one.player for one in found.players] == ["greedy", "random"]
    assert found.games == 8, "a game that is given twice counts once"
    assert found.others == ("heuristic",)
    best, last = found.players
    assert best.sure is not None
    assert best.sure > 0.99
    assert best.more == 0
    assert (last.sure, last.more, last.by_scores) == (None, None, None)
    assert "greedy" in repr(found)
    assert "<table" in found._repr_html_()
    with pytest.raises(YatzyError, match="no player with a name and 3 games"):
        yatzy.league([log.about(player=None) for log in logs])
