"""Players with one habit and ordinary noise, to find the habit again (`coach.leak`).

Each believes in another value of every choice than the true one, from a game with one thing changed (the bonus, a
box, how much later points count) or from a dislike of certain choices, and draws by Boltzmann play from that.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from yatzy import Ruleset, ValueTable, action_values, solve
from yatzy.arrays import FloatArray, IntArray
from yatzy.coach.leak import Choices
from yatzy.coach.profile import discounted
from yatzy.rules import Category, scandinavian
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes

# Noise alone loses about 26, 14 and 6 points a game: a regular, a skilled player, an expert.
BETAS = (1.0, 1.5, 2.5)
# (left, roll_ids, keep_ids) to how much less each choice is liked, (n, slots).
Dislike = Callable[[int, IntArray, IntArray], FloatArray]


@dataclass(frozen=True)
class Planted:
    """A habit by its name, None for none, with the table believed in and what is disliked."""

    habit: str | None
    table: ValueTable
    dislike: Dislike | None = None


def _worth_more(name: str, more: int) -> Ruleset:
    """The game in which boxes of that name bring so many points more, if they bring any."""

    def changed(box: Category) -> Category:
        score = box.score
        if name not in box.name:
            return box
        return replace(box, score=lambda counts: score(counts) + more * (score(counts) > 0))

    game = scandinavian()
    return replace(game, name=f"{name}-{more}", categories=tuple(map(changed, game.categories)))


def _breaks_pairs(left: int, roll_ids: IntArray, keep_ids: IntArray) -> FloatArray:
    """Dislikes keeping a pair, by 1.5 points."""
    del left, roll_ids
    rules = scandinavian()
    most = lattice(rules.dice, rules.faces).counts.max(axis=1)
    return np.pad(1.5 * ((most[keep_ids] == 2) & (keep_ids >= 0)), ((0, 0), (rules.n_categories, 0)))


def _hates_zeros(left: int, roll_ids: IntArray, keep_ids: IntArray) -> FloatArray:
    """Dislikes crossing a box out, by 8 points."""
    del left
    zero = np.array(scandinavian().scores)[roll_ids] == 0
    return np.pad(8.0 * zero, ((0, 0), (0, keep_ids.shape[1])))


@cache
def planted_players() -> tuple[Planted, ...]:
    """The six habits, and none."""
    game = scandinavian()
    table = solve(game)
    return (
        Planted("ignores-bonus", solve(replace(game, name="bonus-20", bonus=20))),
        Planted("chases-yatzy", solve(_worth_more("Yatzy", 150))),
        Planted("breaks-pairs", table, _breaks_pairs),
        Planted("points-now", discounted(table, 0.8)),
        Planted("chases-straights", solve(_worth_more("Straight", 25))),
        Planted("crosses-out-late", table, _hates_zeros),
        Planted(None, table),
    )


def play_planted(player: Planted, beta: float, games: int, seed: int) -> Choices:
    """Every choice in so many games."""
    parts = list(_turns(player, beta, games, np.random.default_rng(seed)))
    return Choices(*(np.concatenate(column) for column in zip(*parts, strict=True)))


def _turns(player: Planted, beta: float, games: int, rng: np.random.Generator) -> Iterator[Choices]:
    rules, ends = scandinavian(), outcomes(scandinavian())
    dice, n = lattice(rules.dice, rules.faces), rules.n_categories
    filled, upper = np.zeros(games, np.int64), np.zeros(games, np.int64)
    for _ in range(n):
        playing, held = np.arange(games), [()] * games
        for left in range(rules.rerolls, -1, -1):
            thrown = [(*held[i], *rng.integers(1, rules.faces + 1, rules.dice - len(held[i]))) for i in playing]
            roll_ids = np.array([dice.id_of(roll) for roll in thrown], np.int64)
            chosen = _chosen(player, beta, (filled[playing], upper[playing], roll_ids, left), rng)
            rerolls = np.full(len(playing), left)
            yield Choices(filled[playing], upper[playing], roll_ids, rerolls, chosen, playing)
            for i, roll, action in zip(playing.tolist(), roll_ids.tolist(), chosen.tolist(), strict=True):
                if action < n:
                    end = ends.allowed(int(filled[i]), roll)[action]
                    filled[i], upper[i] = ends.after(filled[i], upper[i], end)
                else:
                    held[i] = dice.keeps[action - n]
            playing = playing[chosen >= n]


def _chosen(
    player: Planted, beta: float, asked: tuple[IntArray, IntArray, IntArray, int], rng: np.random.Generator
) -> IntArray:
    """The id of the action of each game."""
    rules = scandinavian()
    found = action_values(player.table, *asked, threads=1)
    liked = np.concatenate([found.category, found.keep], axis=1)
    if player.dislike:
        liked -= player.dislike(asked[3], asked[2], found.keep_ids)
    liked = np.where(np.isnan(liked), -np.inf, liked)
    # The largest of values with Gumbel noise is a draw from Boltzmann play.
    slots = (beta * liked + rng.gumbel(size=liked.shape)).argmax(axis=1)
    keeps = np.take_along_axis(found.keep_ids, np.maximum(slots - rules.n_categories, 0)[:, None], axis=1)[:, 0]
    return np.where(slots < rules.n_categories, slots, rules.n_categories + keeps)
