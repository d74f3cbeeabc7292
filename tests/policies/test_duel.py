"""Duels: who plays to win wins more, by the chances of the model's definition."""

import numpy as np
import pytest

from games import JOKERS, LOWER_FIRST, THREE_DICE
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.measure.duels import Duels, play_duels
from yatzy.measure.exact import points_to_come, turn_exits
from yatzy.measure.opponent_model import mean_opponent
from yatzy.policies.duel import Cards, Duelist, next_turns
from yatzy.policies.optimal import Optimal
from yatzy.rules import State
from yatzy.solver.goal import duel
from yatzy.solver.goals import solve_goal
from yatzy.turn.outcomes import outcomes

GAMES = (THREE_DICE, JOKERS, LOWER_FIRST)


@pytest.mark.compiled
@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("moves_first", [True, False])
def test_who_plays_to_win_wins_more(game, moves_first):
    table = solve(game)
    duelist = Duelist(
        solve_goal(game, duel(mean_opponent(table, moves_first=not moves_first)), context=Context(threads=1))
    )
    to_win = play_duels(duelist, table, range(10_000), seed=5, moves_first=moves_first, context=Context(threads=1))
    for_mean = play_duels(
        Optimal(table), table, range(10_000), seed=5, moves_first=moves_first, context=Context(threads=1)
    )
    assert (to_win.other == for_mean.other).all()
    gained = (np.sign(to_win.mine - to_win.other) - np.sign(for_mean.mine - for_mean.other)) / 2
    error = gained.std() / np.sqrt(len(gained))
    assert (to_win.mine != for_mean.mine).any()
    # Moving first, there is little to see in games as short as these.
    assert gained.mean() > (-error if moves_first else 3 * error)
    again = play_duels(
        duelist, table, range(500, 1500), seed=5, moves_first=moves_first, context=Context(threads=2)
    )
    assert (again.mine == to_win.mine[500:1500]).all()
    assert (again.other == to_win.other[500:1500]).all()
    with pytest.raises(YatzyError, match=r"^moves_first: .* is not what this duel was solved for"):
        play_duels(duelist, table, range(10), moves_first=not moves_first)


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
