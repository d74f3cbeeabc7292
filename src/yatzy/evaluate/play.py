"""How a policy plays one game, decision by decision: the same games that `simulate` plays many at a time."""

from collections.abc import Iterator

import numpy as np

from yatzy.dice import lattice
from yatzy.evaluate.simulate import check_games
from yatzy.game.game import Game
from yatzy.game.log import GameLog
from yatzy.game.throws import SeededDice
from yatzy.policy.base import Policy, SeesPoints, by_level, check_decisions
from yatzy.policy.registry import Player, as_policy


def play_on(game: Game, policy: Player = "optimal", turns: int | None = None) -> Game:
    """The game as a policy plays it on: to the end, or so many turns.

    >>> import yatzy
    >>> game = yatzy.Game(seed=7).throw().score("chance")
    >>> yatzy.play_on(game, "heuristic")
    <Game scandinavian: finished with 165 points>
    """
    player = as_policy(policy, game.rules)
    until = game.rules.n_categories if turns is None else game.turn - 1 + turns
    while not game.is_finished and game.turn <= until:
        game = _play_turn(game, player)
    return game


def _play_turn(game: Game, policy: Policy | SeesPoints) -> Game:
    rules, ids = game.rules, lattice(game.rules.dice, game.rules.faces)
    filled, upper = np.array([game.state.filled]), np.array([game.state.upper])
    if isinstance(policy, SeesPoints):
        decisions = policy.decide_at(filled, upper, np.array([sum(game.points)]))
    else:
        decisions = policy.decide(filled, upper)
    check_decisions(policy, filled, upper, decisions)
    game = game if game.dice else game.throw()
    while game.rerolls:
        roll_id = ids.id_of(game.dice)
        keep_id = int(decisions.keep[0, game.rerolls - 1, roll_id])
        if keep_id == roll_id and rules.saves_throws:
            break
        game = game.hold(ids.keeps[keep_id]).throw()
    level = game.rerolls if rules.saves_throws else 0
    category_id = by_level(decisions.category)[0, level, ids.id_of(game.dice)]
    return game.score(rules.categories[category_id].name)


def play_logs(policy: Policy | SeesPoints, games: int, seed: int = 0, first: int = 0) -> Iterator[GameLog]:
    """Games number `first` to `first + games` of a seed as logs: the games that `simulate` plays."""
    check_games(games, seed)
    for number in range(first, first + games):
        game = Game(policy.rules, dice=SeededDice(policy.rules, seed, number))
        yield play_on(game, policy).log(player=policy.name)
