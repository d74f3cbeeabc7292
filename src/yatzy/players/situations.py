"""Situations with their exact probabilities, for any policy: nothing needs to be played.

Play reaches (state, roll, n rerolls left) with probability

    visits(state) * mass(roll, n),    mass(., rerolls) = prob_roll,
    mass(., n - 1) = the keeps of the policy filled up along the die lattice,

so the weights of each kind of decision sum to the number of turns. Either all of these situations are
given, block by block (`all_situations`), or n are drawn systematically (`exact_situations`): at equal steps along
the summed weights, so that a situation with n * share expected draws gets that number, rounded up or down. Play
that draws its actions at random (`Stochastic`, such as Boltzmann play) has such masses too.
"""

from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import EqualByFields, FloatArray, Floats1, Floats2, IntArray, Ints1, Ints2, Tabular
from yatzy.context import check_threads, chunks
from yatzy.errors import YatzyError, needs_extra
from yatzy.game.situation import Situation
from yatzy.players.columns import Columns, plain_columns
from yatzy.policies.policy import Policy, Stochastic, decisions_of
from yatzy.rules import Ruleset, ruleset
from yatzy.turn.kernels.jit import jit
from yatzy.turn.probability import masses_of_decisions
from yatzy.turn.tables import turn_scratch, turn_tables

if TYPE_CHECKING:
    import polars

Block = TypeVar("Block")

STATES_PER_CHUNK = 512


@dataclass(frozen=True)
class Situations:
    """Situations of one kind of decision; `weight` is how often a game gets there, exactly or by draws."""

    rules: Ruleset
    rerolls: int
    filled: IntArray
    upper: IntArray
    roll_ids: IntArray
    weight: FloatArray

    def __len__(self) -> int:
        return len(self.filled)

    def columns(self, names: tuple[str, ...] | None = None) -> NDArray[Any]:
        """(n, columns): the plain columns, or those asked for."""
        columns = Columns(self.rules, names or plain_columns(self.rules, self.rerolls > 0))
        return columns.rows(self.filled, self.upper, self.roll_ids, self.rerolls)

    def frame(self) -> "polars.DataFrame":
        """As a table: filled, upper, roll, weight."""
        with needs_extra("lab"):
            import polars as pl

        return pl.DataFrame(
            {"filled": self.filled, "upper": self.upper, "roll": self.roll_ids, "weight": self.weight}
        )


def features(
    situations: "str | Situation | Iterable[str | Situation]", rules: str | Ruleset = "scandinavian"
) -> "Features":
    """Situations as numbers, as models read them.

    >>> import yatzy
    >>> found = yatzy.features(["1 3 3 5 6 | 2 | ones @ 3", "5 5 5 6 6 | 0 | ones @ 3"])
    >>> found
    <Features of 2 situations, 30 columns>
    >>> found.names[:7], found.x[:, :7].tolist()
    (('count_1', ..., 'sum'), [[1.0, 0.0, 2.0, 0.0, 1.0, 1.0, 18.0], [0.0, 0.0, 0.0, 0.0, 3.0, 2.0, 27.0]])

    The last column, `rerolls`, is not among those of the decision on a category in `yatzy.dataset`.
    """
    given = [situations] if isinstance(situations, str | Situation) else list(situations)
    found = [one if isinstance(one, Situation) else Situation.parse(one, rules) for one in given]
    game = found[0].rules if found else ruleset(rules)
    if any(one.rules != game for one in found):
        raise YatzyError("situations", why="are of different games")
    names = plain_columns(game, rerolls=True)
    where = [(one.state.filled, one.state.upper, one.roll_id, one.rerolls) for one in found]
    filled, upper, rolls, left = np.array(where, np.int64).reshape(-1, 4).T
    return Features(names, Columns(game, names).rows(filled, upper, rolls, left).astype(np.float32))


@dataclass(frozen=True, eq=False, repr=False)
class Features(EqualByFields, Tabular):
    """Features of n situations: `x` (n, columns), which are called `names`."""

    names: tuple[str, ...]
    x: NDArray[np.float32]

    def __len__(self) -> int:
        return len(self.x)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> Any:
        return np.array(self.x, dtype=dtype)

    def columns(self) -> dict[str, Any]:
        """One row per situation."""
        return dict(zip(self.names, np.ascontiguousarray(self.x.T), strict=True))

    def __repr__(self) -> str:
        return f"<Features of {len(self):,} situations, {len(self.names)} columns>"


def join_situations(rules: Ruleset, rerolls: int, blocks: list[Situations]) -> Situations:
    """Join blocks of one kind one after another."""
    columns = {"filled": np.int64, "upper": np.int64, "roll_ids": np.int64, "weight": np.float64}
    joined = (
        np.concatenate([np.zeros(0, dtype), *(getattr(block, column) for block in blocks)])
        for column, dtype in columns.items()
    )
    return Situations(rules, rerolls, *joined)


@dataclass(frozen=True)
class SituationBlock:
    """Every situation of some states: `weight` (n, rerolls + 1, n_rolls), by rerolls left and roll."""

    filled: IntArray
    upper: IntArray
    weight: FloatArray


def all_situations(
    player: Policy | Stochastic, visits: FloatArray, threads: int | None = None, share: tuple[int, int] = (0, 1)
) -> Iterator[SituationBlock]:
    """Every situation the player reaches, with its exact weight; `visits` are those of its exact evaluation.

    A `share` (number, of how many) is a run of the states; all shares together are all of them.
    """
    filled, upper = np.nonzero(visits[:-1])

    def run(part: slice) -> SituationBlock:
        weight = situation_masses(player, filled[part], upper[part])
        weight *= visits[filled[part], upper[part]][:, None, None]
        return SituationBlock(filled[part], upper[part], weight)

    return _in_order(run, len(filled), threads, share)


def exact_situations(
    player: Policy | Stochastic,
    visits: FloatArray,
    rerolls: int,
    n: int,
    seed: int = 0,
    threads: int | None = None,
) -> Situations:
    """N draws of situations with `rerolls` left, in proportion to their exact weight.

    A situation drawn several times is one row, with that multiple of turns / n as its weight.
    """
    blocks = list(drawn_situations(player, visits, rerolls, n, seed, threads))
    return join_situations(player.rules, rerolls, blocks)


def draw_states(visits: FloatArray, n: int, generator: np.random.Generator) -> tuple[IntArray, IntArray]:
    """N unfinished states, drawn at equal steps along their summed visits: as evenly as possible."""
    filled, upper = np.nonzero(visits[:-1])
    ends = np.cumsum(visits[filled, upper])
    places = (np.arange(n) + generator.random()) * (ends[-1] / n)
    drawn = np.minimum(np.searchsorted(ends, places, side="right"), len(ends) - 1)
    return filled[drawn], upper[drawn]


def drawn_situations(
    player: Policy | Stochastic,
    visits: FloatArray,
    rerolls: int,
    n: int,
    seed: int = 0,
    threads: int | None = None,
    share: tuple[int, int] = (0, 1),
) -> Iterator[Situations]:
    """The same as `exact_situations`, block by block, for more of them than memory holds; or a `share` of it."""
    if n < 1 or not 0 <= rerolls <= player.rules.rerolls:
        raise YatzyError("n, rerolls", (n, rerolls), f"1 or more, and 0..{player.rules.rerolls}")
    filled, upper = np.nonzero(visits[:-1])
    by_state = visits[filled, upper]
    ends = np.cumsum(by_state)
    step = float(ends[-1]) / n
    offset = float(np.random.default_rng(seed).random())
    # Draw k lies at (k + offset) * step; the draws of a state are those between its ends.
    last = np.ceil(ends / step - offset).astype(np.int64)
    last[-1] = n
    before = np.append(0, last[:-1])
    drawn = np.flatnonzero(last > before)

    def run(part: slice) -> Situations:
        states = drawn[part]
        mass = situation_masses(player, filled[states], upper[states])[:, rerolls]
        counts = np.zeros(mass.shape, np.int64)
        position = (before[states] + offset) * step - (ends[states] - by_state[states])
        _count_draws(mass, by_state[states], position, last[states] - before[states], step, counts)
        i, roll = np.nonzero(counts)
        weight = np.asarray(counts[i, roll] * step, np.float64)
        return Situations(player.rules, rerolls, filled[states[i]], upper[states[i]], roll, weight)

    return _in_order(run, len(drawn), threads, share)


def _in_order(
    run: Callable[[slice], Block], n_states: int, threads: int | None, share: tuple[int, int]
) -> Iterator[Block]:
    """Results of `run` for a share of the states, chunk by chunk; no more at a time than there are threads."""
    n_threads, (number, of) = check_threads(threads), share
    parts = list(chunks(n_states, STATES_PER_CHUNK))
    parts = parts[len(parts) * number // of : len(parts) * (number + 1) // of]
    with ThreadPoolExecutor(n_threads) as pool:
        for i in range(0, len(parts), n_threads):
            yield from pool.map(run, parts[i : i + n_threads])


@jit
def _count_draws(
    mass: Floats2, by_state: Floats1, position: Floats1, n_draws: Ints1, step: float, counts: Ints2
) -> None:
    """`counts` (n, n_rolls): how many of a state's draws, the first at `position`, fall on each roll."""
    for i in range(len(mass)):
        end, roll = by_state[i] * mass[i, 0], 0
        at = position[i]
        for _ in range(n_draws[i]):
            while at >= end and roll < mass.shape[1] - 1:
                roll += 1
                end += by_state[i] * mass[i, roll]
            # Rounding at the end of a state must not choose a roll that cannot occur.
            while mass[i, roll] == 0.0:
                roll -= 1
            counts[i, roll] += 1
            at += step


def situation_masses(player: Policy | Stochastic, filled: IntArray, upper: IntArray) -> FloatArray:
    """(n, rerolls + 1, n_rolls): probability of each roll by rerolls left, in one turn of each state."""
    if isinstance(player, Stochastic):
        return player.situation_masses(filled, upper)
    turn = turn_tables(player.rules)
    decisions = decisions_of(player, filled, upper)
    mass = np.empty((len(filled), turn.n_rerolls + 1, len(turn.prob_roll)))
    masses_of_decisions(filled, decisions.keep, turn, mass, turn_scratch(player.rules))
    return mass
