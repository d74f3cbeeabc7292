"""Every game side by side: its size, the value and spread of perfect play, and what transfers from ours.

For each game the value of the table, and the exact distribution of perfect play unless throws are saved. Beside it
stand three checks on other paths: the values of states drawn at random, computed once more in NumPy from those
of their successors (`yatzy.turn.numpy_turn`); seeded games; and the mean of the exact distribution.

*Carried over*: perfect Scandinavian play, used in another game with the same dice (`policies.transfer`). Somebody
who never uses a saved throw scores as without them: what they add is the difference of the two values.

Games are kept one by one: the largest takes a quarter of an hour.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.game.json import json_property
from yatzy.lab.studies.results import kept_part, part_file
from yatzy.measure.exact import Evaluation, evaluate, visit
from yatzy.measure.simulate import simulate
from yatzy.policies.baselines import Greedy
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.policies.transfer import Transferred, can_transfer
from yatzy.rules import Ruleset, ruleset, stored_name
from yatzy.solver.advise import turn_of
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest

GAMES = (
    "scandinavian", "scandinavian+five-as-full-house", "scandinavian+four-as-two-pairs",
    "scandinavian+five-as-full-house+four-as-two-pairs", "scandinavian+forced-order", "scandinavian+saved-throws",
    "yahtzee", "yahtzee+free-joker", "yahtzee+no-joker", "yahtzee+no-joker+no-extra-bonus", "kniffel", "yacht",
    "maxi", "maxi+saved-throws",
)  # fmt: skip
SEED = 1
# Simulated games; fewer with saved throws, where every decision searches dozens of throws.
PLAYED, PLAYED_WITH_SAVED_THROWS = 1_000_000, 20_000
STATES_CHECKED = 500
PUBLISHED_VALUES = (
    ("yahtzee", "precisit/yatzy-solver", 254.58772873449593),
    ("yahtzee+free-joker", "Verhoeff", 254.58960948196315),
    ("yahtzee+no-joker", "precisit/yatzy-solver", 253.9702412),
    ("yahtzee+no-joker+no-extra-bonus", "Verhoeff", 245.8707745141),
)


@dataclass(frozen=True)
class SimulatedPlay:
    """Seeded games of perfect play."""

    games: int
    mean: float
    standard_error: float
    sd: float
    median: int
    bonus_rate: float
    yatzy_rate: float


@dataclass(frozen=True)
class ScoreSpread:
    """The exact distribution of perfect play; `mean` comes out of it, not of the table."""

    mean: float
    sd: float
    median: int
    bonus_rate: float
    yatzy_rate: float
    extra_mean: float
    chance_of_300: float
    cut: float
    quantiles: dict[str, int]


@dataclass(frozen=True)
class Published:
    """A number published by somebody else, beside ours."""

    what: str
    source: str
    published: float
    ours: float


@dataclass(frozen=True)
class GameFigures:
    """One game. `spread` is None where throws are saved, `carried_over` where nothing can be, `greedy` with other
    dice and where throws are saved.

    `recomputed` is the largest difference of a checked state from the table.
    """

    rules: str
    dice: int
    boxes: int
    states: int
    value: float
    recomputed: float
    spread: ScoreSpread | None
    simulated: SimulatedPlay
    greedy: float | None
    carried_over: float | None


@dataclass(frozen=True)
class GamesSideBySide:
    """All games, the worth of saved throws, and published values."""

    games: list[GameFigures]
    states_checked: int

    def game(self, name: str) -> GameFigures:
        return next(game for game in self.games if game.rules == name)

    @json_property
    def worth_of_saved_throws(self) -> dict[str, float]:
        """What saved throws add to the value of a game."""
        names = [game.rules for game in self.games]
        pairs = [(name, f"{name}+saved-throws") for name in names if f"{name}+saved-throws" in names]
        return {plain: self.game(saving).value - self.game(plain).value for plain, saving in pairs}

    @json_property
    def published(self) -> list[Published]:
        """Numbers published by others, beside ours."""
        by_name = {game.rules: game for game in self.games}
        values = [
            Published(f"value of {name}", source, value, by_name[name].value)
            for name, source, value in PUBLISHED_VALUES
            if name in by_name
        ]
        free = by_name.get("yahtzee+free-joker")
        if free is None or free.spread is None or free.greedy is None:
            return values
        return [
            *values,
            Published("SD of yahtzee+free-joker", "Verhoeff", 59.61, free.spread.sd),
            Published("greedy play of yahtzee+free-joker, its ties unknown", "Glenn", 218.05, free.greedy),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        worth = {f"saved throws in {name}": points for name, points in self.worth_of_saved_throws.items()}
        return {game.rules: game.value for game in self.games} | worth


def compare_games(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    games: Sequence[str | Ruleset] = GAMES,
) -> GamesSideBySide:
    """Solve, evaluate and play every game; `rules` are those whose perfect play is carried over."""
    known = Optimal(stored_table(ruleset(rules), context=context.quiet()))
    code = source_digest(__name__)
    found = []
    for i, game in enumerate(map(ruleset, games)):
        kept = part_file(context.home, "games", stored_name(game), code, game.fingerprint, known.content)

        def measure(game: Ruleset = game, i: int = i) -> GameFigures:
            return _measure(game, known, context.part(i, len(games)))

        found.append(kept_part(kept, GameFigures, measure))
    return GamesSideBySide(found, STATES_CHECKED)


def _measure(game: Ruleset, known: Optimal, context: Context) -> GameFigures:
    solving, spreading, playing = (context.part(i, 3) for i in range(3))
    table = stored_table(game, context=solving)
    best = Optimal(table)
    # With saved throws the distribution takes a quarter of an hour, or half a terabyte.
    is_exact = not game.saves_throws
    has_greedy = game.dice == known.rules.dice and is_exact
    carried = _carried(game, known)
    return GameFigures(
        rules=game.name,
        dice=game.dice,
        boxes=game.n_categories,
        states=state_space(game).n_reachable,
        value=table.value(),
        recomputed=largest_residual(table, STATES_CHECKED, SEED),
        spread=_spread(evaluate(best, context=spreading, check=False)) if is_exact else None,
        simulated=_simulated(best, game, playing),
        greedy=visit(Greedy(game), context.threads).mean if has_greedy else None,
        carried_over=visit(carried, context.threads).mean if carried else None,
    )


def largest_residual(table: ValueTable, n: int, seed: int) -> float:
    """The largest difference, over states drawn at random, of a value from that of its successors in NumPy."""
    rules, space = table.rules, table.space
    generator = np.random.default_rng(seed)
    found = 0.0
    # As many from every layer: most states lie in the middle ones.
    for i in range(n):
        layer = space.layers[i % rules.n_categories]
        of_set = int(generator.choice(layer))
        saved = int(generator.integers(space.n_saved[of_set]))
        upper = int(generator.choice(np.flatnonzero(space.reachable_by_upper_set[space.upper_set[of_set]])))
        mask = of_set | saved << rules.saved_shift
        again = turn_of(table, mask, upper, rules.rerolls + saved).value
        found = max(found, abs(again - table.value(mask, upper)))
    return found


def _spread(found: Evaluation) -> ScoreSpread:
    return ScoreSpread(
        mean=found.mean,
        sd=found.sd,
        median=found.distribution.quantiles["0.5"],
        bonus_rate=found.bonus_rate,
        yatzy_rate=found.yatzy_rate,
        extra_mean=found.extra_mean,
        chance_of_300=float(found.distribution.pmf[300:].sum()),
        cut=found.cut,
        quantiles=dict(found.distribution.quantiles),
    )


def _simulated(best: Optimal, game: Ruleset, context: Context) -> SimulatedPlay:
    n = PLAYED_WITH_SAVED_THROWS if game.saves_throws else PLAYED
    games = simulate(best, n, SEED, context=context)
    return SimulatedPlay(
        games=n,
        mean=games.mean,
        standard_error=games.standard_error,
        sd=games.sd,
        median=int(np.median(games.score)),
        bonus_rate=float(games.bonus.mean()),
        yatzy_rate=float(games.yatzy.mean()),
    )


def _carried(game: Ruleset, known: Optimal) -> Policy | None:
    if game == known.rules or not can_transfer(known.rules, game):
        return None
    return Transferred(known, game)
