"""Play for a goal: as good as its table says, on reduced games exactly."""

import numpy as np
import pytest

from games import JOKERS, LOWER_FIRST, THREE_DICE, TINY
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.measure.duels import Duels, play_duels
from yatzy.measure.exact import evaluate, evaluate_with_points, points_to_come, turn_exits
from yatzy.measure.opponent_model import mean_opponent
from yatzy.measure.simulate import simulate
from yatzy.policies.duel import Cards, Duelist, next_turns
from yatzy.policies.optimal import Optimal, PlaysFor
from yatzy.rules import State
from yatzy.solver.goal_layout import duel, reach, utility
from yatzy.solver.goals import solve_goal
from yatzy.turn.outcomes import highest_score, outcomes

GAMES = (THREE_DICE, JOKERS, LOWER_FIRST)


class Decided:
    """The same player by its decisions alone."""

    def __init__(self, player):
        self.player, self.name, self.rules = player, player.name, player.rules

    def decide_at(self, filled, upper, points):
        return self.player.decide_at(filled, upper, points)


@pytest.mark.parametrize(
    ("game", "share"),
    [(THREE_DICE, 0.5), (JOKERS, 0.3), (LOWER_FIRST, 0.3), (LOWER_FIRST, 0.8)],
    ids=lambda one: getattr(one, "name", one),
)
def test_play_for_a_target_has_the_chance_that_its_table_says(game, share):
    target = int(share * highest_score(game))
    goals, table = solve_goal(game, reach(), precision="float64", context=Context(threads=1)), solve(game)
    player = PlaysFor(goals, table, target)
    played = evaluate_with_points(player, Context(threads=1))
    assert played.distribution.at_least(target) == pytest.approx(goals.chance(target), abs=1e-9)
    assert played.distribution.weight == pytest.approx(1, abs=1e-9)
    assert played.cut < 1e-9
    best = evaluate(Optimal(table))
    assert played.distribution.mean <= best.mean + 1e-9
    assert goals.chance(target) >= best.distribution.at_least(target) - 1e-12
    again = evaluate_with_points(Decided(player), Context(threads=1))
    np.testing.assert_allclose(again.distribution.pmf, played.distribution.pmf, atol=1e-14)
    games = simulate(player, 1000, seed=1)
    assert abs((games.score >= target).mean() - goals.chance(target)) < 5 * 0.5 / np.sqrt(1000)
    assert abs(games.bonus.mean() - played.bonus_rate) < 5 * 0.5 / np.sqrt(1000)


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_a_target_that_is_safe_is_played_for_the_mean(game):
    goals, table = solve_goal(game, reach(), precision="float64", context=Context(threads=1)), solve(game)
    played = evaluate_with_points(PlaysFor(goals, table, 0), Context(threads=1))
    assert played.distribution.mean == pytest.approx(table.value(), abs=1e-9)


def test_play_for_a_worth_gets_it():
    worths = np.sqrt(np.arange(highest_score(THREE_DICE) + 1))
    goals = solve_goal(THREE_DICE, utility(worths), precision="float64", context=Context(threads=1))
    played = evaluate_with_points(PlaysFor(goals, solve(THREE_DICE)), Context(threads=1))
    pmf = played.distribution.pmf
    assert pmf @ worths[: len(pmf)] == pytest.approx(goals.value(State(), 0), abs=1e-9)


def test_what_cannot_be_played_is_refused():
    table = solve(TINY)
    with pytest.raises(YatzyError, match=r"^target: 10000 is not allowed"):
        PlaysFor(solve_goal(TINY, reach()), table, 10_000)
    with pytest.raises(YatzyError, match=r"^table: is for three-dice"):
        PlaysFor(solve_goal(TINY, reach()), solve(THREE_DICE), 3)
    goals = solve_goal(TINY, reach())
    for wrong, target, sentence in (
        (solve_goal(TINY, reach(), State(1, 0)), 3, "goal: to be played it must be solved from the start"),
        (solve_goal(TINY, utility([3, 2, 1])), None, "goal: utility cannot be played"),
        (solve_goal(TINY, utility([1, 2, 3])), 3, "target: is for the goal reach"),
        (solve_goal(TINY, duel(mean_opponent(table))), None, "goal: a duel is played with both cards in view"),
        (goals, None, "target: the goal reach needs one"),
    ):
        with pytest.raises(YatzyError, match=f"^{sentence}"):
            PlaysFor(wrong, table, target)
    with pytest.raises(YatzyError, match=r"^goal: to win a duel"):
        Duelist(solve_goal(TINY, reach()))


@pytest.mark.compiled
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("moves_first", [True, False])
def test_who_plays_to_win_wins_more(game, moves_first):
    table = solve(game)
    duelist = Duelist(
        solve_goal(game, duel(mean_opponent(table, moves_first=not moves_first)), context=Context(threads=1))
    )
    to_win = play_duels(duelist, table, 10_000, seed=5, moves_first=moves_first, context=Context(threads=1))
    for_mean = play_duels(
        Optimal(table), table, 10_000, seed=5, moves_first=moves_first, context=Context(threads=1)
    )
    assert (to_win.other == for_mean.other).all()
    gained = (np.sign(to_win.mine - to_win.other) - np.sign(for_mean.mine - for_mean.other)) / 2
    error = gained.std() / np.sqrt(len(gained))
    assert (to_win.mine != for_mean.mine).any()
    # Moving first, there is little to see in games as short as these.
    assert gained.mean() > (-error if moves_first else 3 * error)
    again = play_duels(
        duelist, table, 1000, seed=5, moves_first=moves_first, context=Context(threads=2), start=500
    )
    assert (again.mine == to_win.mine[500:1500]).all()
    assert (again.other == to_win.other[500:1500]).all()
    with pytest.raises(YatzyError, match=r"^moves_first: .* is not what this duel was solved for"):
        play_duels(duelist, table, 10, moves_first=not moves_first)


@pytest.mark.parametrize("n_clusters", [{}, {1: 3, 2: 4}])
def test_leads_are_those_of_his_next_turn(n_clusters):
    """Of several cards at once: what is expected now, spread as his turn spreads it; a finished card is known."""
    table = solve(THREE_DICE)
    other = mean_opponent(table, n_clusters=n_clusters)
    filled, upper = np.array([0, 1, 14, 15, 7]), np.array([0, 3, 6, 6, 9])
    runs = next_turns(other, filled, upper)
    expected = np.array([table.value(int(f), int(u)) for f, u in zip(filled, upper, strict=True)])
    found = [
        [(int(runs.cluster[r]), int(runs.y[r]) + j, q)
         for r in range(runs.first[card], runs.first[card + 1])
         for j, q in enumerate(runs.chance[runs.begin[r] : runs.begin[r + 1]].tolist()) if q]
        for card in range(5)
    ]  # fmt: skip
    assert [sum(q for _, _, q in card) for card in found] == pytest.approx([1] * 5)
    assert [sum(q * y for _, y, q in card) for card in found] == pytest.approx((-expected).tolist())
    # A last turn ends with whole points: nothing is split, and its outcomes have their chances.
    to_come, _ = points_to_come(Optimal(table), State(14, 6))
    assert {-y: q for _, y, q in found[2]} == {k: pytest.approx(q) for k, q in enumerate(to_come) if q}
    assert len(found[3]) == 1
    # A first turn spreads as much as its outcomes do, and at most a quarter more by splitting.
    exits = turn_exits(Optimal(table), np.array([0]), np.array([0]), 1)[0]
    after, to_upper = outcomes(THREE_DICE).after(0, 0, np.arange(len(exits)))
    moved = outcomes(THREE_DICE).points + table.stored[after, to_upper] - table.value()
    spread = sum(q * (y + table.value()) ** 2 for _, y, q in found[0])
    assert exits @ moved**2 <= spread + 1e-12 <= exits @ moved**2 + 0.25
    # The states after have their clusters.
    by_cluster = np.bincount(other.clusters[after, to_upper], exits)
    for cluster, chance in enumerate(by_cluster.tolist()):
        assert sum(q for k, _, q in found[0] if k == cluster) == pytest.approx(chance)


@pytest.mark.parametrize("n_clusters", [{}, {1: 4, 2: 3}])
def test_chances_in_a_duel_are_those_of_the_definition(n_clusters):
    """His next turn by its outcomes, then the table of the duel; never above 1."""
    table = solve(LOWER_FIRST)
    other = mean_opponent(table, n_clusters=n_clusters)
    duelist = Duelist(solve_goal(LOWER_FIRST, duel(other), precision="float64", context=Context(threads=1)))
    ends = outcomes(LOWER_FIRST)
    mine, his = State(1, 0), State(0b1010, 10)
    cards = [Cards(np.array([s.filled]), np.array([s.upper]), np.array([p])) for s, p in ((mine, 8), (his, 10))]
    found = duelist.against(cards[1]).chances(cards[0], np.array([0]))[0]
    assert found.max() <= 1
    exits = turn_exits(Optimal(table), cards[1].filled, cards[1].upper, 1)[0]
    for outcome in range(ends.n):
        if not ends.is_open(mine.filled)[outcome]:
            assert found[outcome] == -np.inf
            continue
        then = State(*map(int, ends.after(mine.filled, mine.upper, outcome)))
        expected = 0.0
        for k in np.flatnonzero(exits).tolist():
            after = State(*map(int, ends.after(his.filled, his.upper, k)))
            final = 10 + int(ends.points[k]) + table.value(after.filled, after.upper)
            cluster = int(other.clusters[after.filled, after.upper])
            expected += exits[k] * duelist.goals.value(then, 8 + int(ends.points[outcome]) - final, cluster)
        assert found[outcome] == pytest.approx(min(expected, 1.0), abs=1e-9)


def test_duels_that_are_all_ties():
    told = as_json(Duels(np.array([7, 9], np.int16), np.array([7, 9], np.int16)))
    assert (told["win_rate"], told["decided_rate"], told["tie_rate"]) == (0.5, None, 1.0)
