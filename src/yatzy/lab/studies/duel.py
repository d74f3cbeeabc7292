"""Playing to win: what looking at the other's card is worth, against somebody who plays perfectly for the mean.

Exact, where nobody sees the other's card (ties are half a win; p is the distribution of perfect scores):

    mean against mean     sum over x of p(x) * (P(other below x) + P(other at x) / 2) = 1/2
    one theta, blindly    the same with the distribution of the sweep; the best theta of its grid, other than 0
    best blind response   the greatest mean of U(x) = P(other below x) + P(other at x) / 2: a goal

and with the other's final score known before the first throw, sum over x of p(x) * best(x + 1) to win, of
p(x) * best(x) to win or tie, with best(T) from the study of targets.

Played, because it needs both cards: the duel's model (`policies.duel`), moving second and moving first, and the
forerunner's rule (`VarianceRule`). All of them meet the same opponents on the same dice, and so do play for the
mean and the best theta. Their *gain* over play for the mean is taken duel by duel. The model's promise stands
beside what it wins: it treats cards of one cluster as the same card.
"""

import hashlib
import math
from base64 import b64decode, b64encode
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from zlib import compress, decompress

import numpy as np

from yatzy.arrays import FloatArray, IntArray
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.game.json import json_property
from yatzy.lab.studies.reach import chances_at_start
from yatzy.lab.studies.results import Claim, P, kept_part, part_file
from yatzy.lab.studies.sweep import sweep_default_grid
from yatzy.measure.duels import Duels, OpponentAware, play_duels
from yatzy.measure.exact import evaluate
from yatzy.measure.opponent_model import CLUSTERS, mean_opponent, variances
from yatzy.policies.duel import Cards, Duelist, VarianceRule, grid
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset, State, ruleset
from yatzy.solver.goal import duel, utility
from yatzy.solver.goals import solve_goal
from yatzy.solver.solve import solve
from yatzy.solver.store import stored_goal, stored_table
from yatzy.solver.table import ValueTable
from yatzy.source_digest import source_digest

SEED = 1
N_STEPS = 11
FOR_MEAN, TO_WIN = "for the mean", "to win"
PLAYED, PLAYED_FIRST, PER_PART = 2_000_000, 500_000, 100_000


@dataclass(frozen=True)
class Tally:
    """Duels, counted: `gain` is in win rate over play for the mean on the same dice, with its standard error."""

    games: int
    wins: int
    ties: int
    score: int
    gain_sum: float
    gain_squares: float

    @classmethod
    def of(cls, duels: Duels, plain: IntArray) -> "Tally":
        """`plain` is who won when the same duels were played for the mean (`signs`)."""
        return cls.count(signs(duels), int(duels.mine.sum(dtype=np.int64)), plain)

    @classmethod
    def count(cls, won: IntArray, score: int, plain: IntArray) -> "Tally":
        gain = (won - plain) / 2
        return cls(
            games=len(won), wins=int((won > 0).sum()), ties=int((won == 0).sum()),
            score=score, gain_sum=float(gain.sum()),
            gain_squares=float((gain**2).sum()),
        )  # fmt: skip

    def __add__(self, other: "Tally") -> "Tally":
        mine, his = asdict(self), asdict(other)
        return Tally(**{name: mine[name] + his[name] for name in mine})


@dataclass(frozen=True)
class DuelRecord:
    """A way of playing, in seeded duels; ties are half a win in `win_rate` and `gain`, none in `decided_rate`."""

    player: str
    moves_first: bool
    games: int
    win_rate: float
    standard_error: float
    decided_rate: float
    tie_rate: float
    mean: float
    gain: float
    gain_error: float
    promise: float | None

    @classmethod
    def of(cls, player: str, moves_first: bool, tally: Tally, promise: float | None) -> "DuelRecord":
        n, wins, ties = tally.games, tally.wins, tally.ties
        rate, gain = (wins + ties / 2) / n, tally.gain_sum / n
        return cls(
            player=player,
            moves_first=moves_first,
            games=n,
            win_rate=rate,
            standard_error=math.sqrt((wins + ties / 4) / n - rate**2) / math.sqrt(n),
            decided_rate=wins / (n - ties),
            tie_rate=ties / n,
            mean=tally.score / n,
            gain=gain,
            gain_error=math.sqrt(tally.gain_squares / n - gain**2) / math.sqrt(n),
            promise=promise,
        )


@dataclass(frozen=True)
class Blind:
    """Exact win rates without seeing the other's card; ties count half."""

    tie_of_equals: float
    best_theta: float
    theta_rate: float
    best_rate: float
    by_theta: dict[str, float]


@dataclass(frozen=True)
class Known:
    """Chances with the other's final score known before the first throw."""

    win: float
    win_or_tie: float

    @property
    def half_ties(self) -> float:
        return (self.win + self.win_or_tie) / 2


@dataclass(frozen=True)
class Promises:
    """What the model says of itself: its mean chance before each turn of seeded duels, and how often it then won.

    If the model were the game, all would be equal but for luck.
    """

    games: int
    by_turn: list[float]
    win_rate: float
    standard_error: float


@dataclass(frozen=True)
class DuelStudy:
    """Playing to win against play for the mean."""

    rules: str
    blind: Blind
    known: Known
    played: list[DuelRecord]
    promises: Promises

    def find(self, player: str, moves_first: bool = False) -> DuelRecord:
        return next(one for one in self.played if (one.player, one.moves_first) == (player, moves_first))

    @json_property
    def worth_of_moving_second(self) -> float:
        """In win rate: moving second, the other's turn of the same round is seen before one's own."""
        return self.find(TO_WIN).win_rate - self.find(TO_WIN, moves_first=True).win_rate

    @property
    def key_figures(self) -> dict[str, float]:
        best = self.find(TO_WIN)
        return {
            "win_rate": best.win_rate,
            "decided_rate": best.decided_rate,
            "promise": best.promise or 0.0,
            "blind_rate": self.blind.best_rate,
            "worth_of_moving_second": self.worth_of_moving_second,
            "win_with_score_known": self.known.win,
        }

    @json_property
    def claims(self) -> list[Claim]:
        """All of the forerunner's are rates of decided duels, moving second."""
        mean, theta, scaled = (self.find(name) for name in (FOR_MEAN, "one theta", "variance-scaled"))
        half = 0.00005
        return [
            Claim("duels won by play for the mean against the same", 0.5057, mean.decided_rate, half),
            Claim("duels won by the best constant theta", 0.5060, theta.decided_rate, half),
            Claim("duels won by the variance-scaled theta", 0.509, scaled.decided_rate, 10 * half),
            Claim("mean of the variance-scaled theta", 247.0, scaled.mean, 0.05),
            # Between those who play to win and those who play to win or tie.
            Claim("duels won knowing the other's score", 0.553, self.known.half_ties, 10 * half),
        ]  # fmt: skip


def measure_duels(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    games: int = PLAYED,
    games_first: int = PLAYED_FIRST,
    per_part: int = PER_PART,
) -> DuelStudy:
    """Win rates without seeing the other's card, with both cards in view, and with the other's score known."""
    game = ruleset(rules)
    steps = iter(context.part(i, N_STEPS) for i in range(N_STEPS))
    table = stored_table(game, context=next(steps))
    scores = evaluate(Optimal(table), context=context.quiet(), check=False).distribution.pmf
    sweep = sweep_default_grid(game, next(steps))
    by_theta = {point.theta: win_rate(np.array(point.pmf), scores) for point in sweep.points if point.theta}
    best_theta = max(by_theta, key=lambda theta: by_theta[theta])
    series = DuelSeries(table, context.quiet(), per_part)
    best, promises = _to_win(series, games, next(steps), next(steps))
    simpler = (
        ("one theta", lambda: Optimal(solve(game, best_theta)), f"{best_theta}"),
        ("variance-scaled", lambda: _scaled(table, context.quiet()), ""),
    )
    found = [best, DuelRecord.of(FOR_MEAN, False, series.play_for_mean(games, next(steps)), None)]
    found += [
        DuelRecord.of(name, False, series.play(name, make, made_of.encode(), games, next(steps)), None)
        for name, make, made_of in simpler
    ]
    found.append(_to_win(series, games_first, next(steps), next(steps), moves_first=True)[0])
    blind = Blind(
        tie_of_equals=float(scores @ scores),
        best_theta=best_theta,
        theta_rate=by_theta[best_theta],
        best_rate=_best_blind(game, scores, next(steps)),
        by_theta={f"{theta:g}": rate for theta, rate in by_theta.items()},
    )
    chance = np.append(chances_at_start(table, next(steps)), 0.0)
    known = Known(float(scores @ chance[1 : len(scores) + 1]), float(scores @ chance[: len(scores)]))
    return DuelStudy(game.name, blind, known, found, promises)


def _to_win(
    series: "DuelSeries", games: int, solving: Context, playing: Context, moves_first: bool = False
) -> tuple[DuelRecord, Promises]:
    """The duel's model: how often it wins, and the chance it promises before each turn."""
    other = mean_opponent(series.table, moves_first=not moves_first, context=solving.quiet())
    goals = stored_goal(series.table.rules, duel(other), solving)
    model = hashlib.sha256(b"".join(now.chance.tobytes() for now in other.rounds)).digest()
    promises = series.watch(Duelist(goals), model, min(games, series.per_part), moves_first)
    tally = series.play(TO_WIN, partial(Duelist, goals), model, games, playing, moves_first)
    return DuelRecord.of(TO_WIN, moves_first, tally, goals.promise), promises


def win_rate(mine: FloatArray, other: FloatArray) -> float:
    """The chance to have the higher score, a tie as half, for two independent distributions."""
    n = min(len(mine), len(other))
    below = np.cumsum(other) - other
    sure = float(mine[n:].sum()) * float(other.sum())
    return float(mine[:n] @ (below + other / 2)[:n]) + sure


def _best_blind(game: Ruleset, scores: FloatArray, context: Context) -> float:
    """The greatest win rate without seeing the other's card."""
    code = source_digest(__name__)
    kept = part_file(context.home, "duel", "blind", code, game.fingerprint, scores.tobytes())

    def solve_it() -> float:
        worths = np.minimum(np.cumsum(scores) - scores / 2, 1.0)
        return solve_goal(game, utility(worths), precision="float64", context=context).value(State(), 0)

    return kept_part(kept, float, solve_it)


def _scaled(table: ValueTable, context: Context) -> VarianceRule:
    tables = [table if theta == 0 else solve(table.rules, theta, context=context) for theta in grid()]
    return VarianceRule(table, tables, variances(table, context.threads))


@dataclass(frozen=True)
class _Plain:
    """Duels for the mean: who won each (`signs`, packed), and the points of one of the two."""

    won: str
    score: int


@dataclass(frozen=True)
class DuelSeries:
    """Duels on one set of dice; finished parts are kept."""

    table: ValueTable
    context: Context
    per_part: int

    def play(
        self, name: str, make: Callable[[], Policy | OpponentAware], content: bytes, games: int, context: Context,
        moves_first: bool = False,
    ) -> Tally:  # fmt: skip
        """Duels of one player; `content` identifies it beside code and table."""
        made: list[Policy | OpponentAware] = []

        def measure(start: int, n: int) -> Tally:
            if not made:
                made.append(make())
            duels = play_duels(made[0], self.table, range(start, start + n), SEED, moves_first, self.context)
            return Tally.of(duels, self._plain(start, n)[0])

        def one_part(start: int, n: int) -> Tally:
            file = f"{name.replace(' ', '-')}-{'first' if moves_first else 'second'}-{start}"
            return self._kept(file, content, f"{n}", Tally, partial(measure, start, n))

        return self._total(games, context, one_part)

    def play_for_mean(self, games: int, context: Context) -> Tally:
        """Duels in which both play for the mean."""

        def one_part(start: int, n: int) -> Tally:
            won, score = self._plain(start, n)
            return Tally.count(won, score, won)

        return self._total(games, context, one_part)

    def _total(self, games: int, context: Context, part: Callable[[int, int], Tally]) -> Tally:
        tally = Tally(0, 0, 0, 0, 0.0, 0.0)
        for start in range(0, games, self.per_part):
            n = min(self.per_part, games - start)
            tally += part(start, n)
            context.step(start + n, games)
        return tally

    def watch(self, duelist: Duelist, content: bytes, games: int, moves_first: bool) -> Promises:
        """The chances that the model promises from turn to turn."""

        def measure() -> Promises:
            by_turn: list[float] = []

            def look(_turn: int, mine: Cards, other: Cards) -> None:
                by_turn.append(float(duelist.promises(mine, other).mean()))

            duels = play_duels(duelist, self.table, range(games), SEED, moves_first, self.context, watch=look)
            return Promises(games, by_turn, duels.win_rate, duels.standard_error)

        name = f"promises-{'first' if moves_first else 'second'}"
        return self._kept(name, content, f"{games}", Promises, measure)

    def _plain(self, start: int, n: int) -> tuple[IntArray, int]:
        """Who wins if both play for the mean, whoever moves first, and the points of one of them."""

        def measure() -> _Plain:
            duels = play_duels(
                Optimal(self.table), self.table, range(start, start + n), SEED, context=self.context
            )
            packed = b64encode(compress(signs(duels).astype(np.int8).tobytes(), 9)).decode()
            return _Plain(packed, int(duels.mine.sum(dtype=np.int64)))

        found = self._kept(f"for-the-mean-{start}", b"", f"{n}", _Plain, measure)
        won = np.frombuffer(decompress(b64decode(found.won)), np.int8).astype(np.int64)
        return won, found.score

    def _kept(self, name: str, content: bytes, asked: str, kind: type[P], measure: Callable[[], P]) -> P:
        code = source_digest(__name__)
        made_from = (
            self.table.rules.fingerprint,
            Optimal(self.table).content,
            content,
            f"{SEED} {dict(CLUSTERS)}",
        )
        return kept_part(part_file(self.context.home, "duel", name, code, *made_from, asked), kind, measure)


def signs(duels: Duels) -> IntArray:
    """1, 0 or -1 for a duel that was won, tied or lost."""
    return np.asarray(np.sign(duels.mine.astype(np.int64) - duels.other))
