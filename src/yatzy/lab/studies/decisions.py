"""What a single decision is worth in perfect play, and ten decisions as a quiz.

The *gap* of a situation is the value of its best action less that of the second best,

    gap = max over a of value(a)  -  second largest of value(a),

0 if two actions tie. Every situation of optimal play counts with its exact probability: the visits of its state,
and inside the turn the mass that the best keeps send along the die lattice.

How many games does it take to see a gap g in final scores of standard deviation s? With n games for each of two
actions, the difference of their means has the standard error s * sqrt(2 / n); it is two of them away from 0 when

    n = 8 * (s / g)^2.

The *quiz* asks ten decisions of a first turn, and lists the regret of every choice, so that a reader sees at once
what theirs costs. Beside them stand two players that never saw the solution: one that plays every turn for its
most points, and the bot that plays by patterns.
"""

import math
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from yatzy.arrays import FloatArray, Floats1, IntArray, Ints1
from yatzy.context import DEFAULT_CONTEXT, Context, chunks, in_threads
from yatzy.game.action import Action, actions_of
from yatzy.measure.exact import evaluate
from yatzy.policies.baselines import Greedy, Heuristic
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset, format_category, parse_dice, ruleset
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.decisions import best_two_categories, best_two_keeps
from yatzy.turn.kernels.jit import jit
from yatzy.turn.kernels.simd import n_lanes
from yatzy.turn.lattice import lattice
from yatzy.turn.probability import walk_forward
from yatzy.turn.tables import Continuation, Scratch, Turn, continuation_of, turn_scratch, turn_tables
from yatzy.turn.values import walk_back

STATES_PER_CHUNK = 512
# Gaps are counted in bins this wide, up to MAX_GAP points; the last bin holds all that are larger.
BIN = 0.005
MAX_GAP = 100.0
TIE = 1e-9
LIMITS = (0.1, 0.5, 1.0, 2.0, 5.0)
EDGES = tuple(round(10 ** (k / 8), 4) for k in range(-16, 17))


@dataclass(frozen=True)
class DecisionGap:
    """One kind of decision; only those with a choice count, `per_game` of them.

    `tied`: the share with a gap of 0; `below`: the share with a smaller gap, by gap in points;
    `histogram`: the share between neighbouring `edges` (the first bin from 0); `mean_by_turn` in points.
    """

    decision: str
    per_game: float
    tied: float
    mean: float
    median: float
    below: dict[str, float]
    games_to_tell: float
    histogram: list[float]
    mean_by_turn: list[float | None]


@dataclass(frozen=True)
class LayerValue:
    """States with `filled` categories filled: the points to come, on average in optimal play, and their range."""

    filled: int
    mean: float
    lowest: float
    highest: float


@dataclass(frozen=True)
class DecisionGaps:
    """All kinds of decisions, beside the spread of the score."""

    rules: str
    sd: float
    decisions_per_game: float
    median: float
    games_to_tell: float
    below: dict[str, float]
    edges: list[float]
    decisions: list[DecisionGap]
    layers: list[LayerValue]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "sd": self.sd,
            "decisions_per_game": self.decisions_per_game,
            "median_gap": self.median,
            "games_to_tell": self.games_to_tell,
        }


def measure_decisions(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> DecisionGaps:
    """The gaps of optimal play."""
    rules = ruleset(rules)
    table = stored_table(rules, context=context.quiet())
    found = evaluate(Optimal(table), context=context.quiet())
    counts, sums = count_gaps(table, found.visits, context)
    kinds = [_summary(kind, counts[:, kind], sums[:, kind], found.sd) for kind in range(rules.rerolls + 1)]
    everything = counts.sum(axis=(0, 1))
    median = _quantile(everything, 0.5)
    return DecisionGaps(
        rules=rules.name,
        sd=found.sd,
        decisions_per_game=float(everything.sum()),
        median=median,
        games_to_tell=games_to_tell(median, found.sd),
        below=_below(everything),
        edges=list(EDGES),
        decisions=kinds,
        layers=_layers(table, found.visits),
    )


def decision_name(rerolls: int) -> str:
    """What is decided with so many rerolls left."""
    if rerolls == 0:
        return "category"
    return f"keep with {rerolls} reroll{'s' if rerolls > 1 else ''}"


def games_to_tell(gap: float, sd: float) -> float:
    """Games for each of two actions until their means are two standard errors apart."""
    return 8 * (sd / gap) ** 2


def count_gaps(
    table: ValueTable, visits: FloatArray, context: Context = DEFAULT_CONTEXT
) -> tuple[FloatArray, FloatArray]:
    """(turns, decisions, bins): expected number of decisions by gap; (turns, decisions): their summed gaps.

    Decisions: 0 is the category, n the keep with n rerolls left. Bin 0 holds ties, bin b > 0 the gaps from
    (b - 1) * BIN to b * BIN.
    """
    rules = table.rules
    turn, continuation = turn_tables(rules), continuation_of(rules, np.asarray(table.values, dtype=np.float64))
    shape = (rules.rerolls + 1, round(MAX_GAP / BIN) + 2)
    counts, sums = np.zeros((rules.n_categories, *shape)), np.zeros((rules.n_categories, shape[0]))
    for n_filled, masks in enumerate(state_space(rules).layers[:-1]):
        index, upper = np.nonzero(visits[masks])
        filled = masks[index]
        weight = visits[filled, upper]

        def run(
            part: slice, filled: IntArray = filled, upper: IntArray = upper, weight: FloatArray = weight
        ) -> tuple[FloatArray, FloatArray]:
            scratch = turn_scratch(rules)
            return gaps_of(filled[part], upper[part], weight[part], turn, continuation, shape[1], scratch)

        for count, total in in_threads(run, chunks(len(filled), STATES_PER_CHUNK), context.threads):
            counts[n_filled] += count
            sums[n_filled] += total
        context.step(n_filled + 1, rules.n_categories)
    return counts, sums


@jit
def gaps_of(
    filled: Ints1, upper: Ints1, weight: Floats1, turn: Turn, continuation: Continuation, n_bins: int,
    scratch: Scratch,
) -> tuple[FloatArray, FloatArray]:  # fmt: skip
    """Decisions by kind and bin, and their summed gaps by kind; each lane is a different state."""
    counts, sums = np.zeros((turn.n_rerolls + 1, n_bins)), np.zeros(turn.n_rerolls + 1)
    width = n_lanes(scratch.work)
    n_rolls = len(turn.prob_roll)
    gap = np.zeros((turn.n_rerolls + 1, n_rolls, width))
    for first in range(0, len(filled), width):
        n = min(width, len(filled) - first)
        walk_back(first, n, filled, upper, turn.n_rerolls, False, turn, continuation, scratch)
        for lane in range(n):
            for roll in range(n_rolls):
                best, second, _ = best_two_categories(lane, filled[first + lane], roll, turn, scratch.work)
                gap[0, roll, lane] = best - second
                for left in range(1, turn.n_rerolls + 1):
                    best, second, slot = best_two_keeps(lane, roll, turn, scratch.levels[left])
                    gap[left, roll, lane] = best - second
                    scratch.held[left - 1, roll, lane] = turn.keeps_in_roll[roll, slot]
        walk_forward(first, n, filled, turn.n_rerolls, turn, scratch)
        for left in range(turn.n_rerolls + 1):
            for lane in range(n):
                for roll in range(n_rolls):
                    here = weight[first + lane] * scratch.mass[left, roll, lane]
                    lost = gap[left, roll, lane]
                    # Infinite where there is only one action.
                    if lost < math.inf:
                        bin_id = 0 if lost < TIE else min(int(lost / BIN) + 1, n_bins - 1)
                        counts[left, bin_id] += here
                        sums[left] += here * lost
    return counts, sums


def _summary(kind: int, counts: FloatArray, sums: FloatArray, sd: float) -> DecisionGap:
    total = counts.sum(axis=0)
    median = _quantile(total, 0.5)
    by_turn = counts.sum(axis=1)
    upper_edges = (np.arange(len(total) - 1) + 1) * BIN
    log_bin = np.searchsorted(EDGES, upper_edges - BIN / 2)
    histogram = np.bincount(log_bin, total[1:], minlength=len(EDGES) + 1)
    histogram[0] += total[0]
    return DecisionGap(
        decision=decision_name(kind),
        per_game=float(total.sum()),
        tied=float(total[0] / total.sum()),
        mean=float(sums.sum() / total.sum()),
        median=median,
        below=_below(total),
        games_to_tell=games_to_tell(median, sd),
        histogram=(histogram / total.sum()).tolist(),
        mean_by_turn=[float(s / n) if n > 0 else None for s, n in zip(sums, by_turn, strict=True)],
    )


def _quantile(counts: FloatArray, q: float) -> float:
    """The gap at share `q`, linear inside a bin."""
    reached = np.cumsum(counts)
    target = q * reached[-1]
    bin_id = int(np.searchsorted(reached, target))
    if bin_id == 0:
        return 0.0
    inside = (target - reached[bin_id - 1]) / counts[bin_id]
    return float((bin_id - 1 + inside) * BIN)


def _below(counts: FloatArray) -> dict[str, float]:
    return {str(limit): float(counts[: round(limit / BIN) + 1].sum() / counts.sum()) for limit in LIMITS}


def _layers(table: ValueTable, visits: FloatArray) -> list[LayerValue]:
    space = state_space(table.rules)
    found = []
    for n_filled, masks in enumerate(space.layers):
        possible = table.values[masks][space.reachable[masks]]
        weight = visits[masks][space.reachable[masks]]
        found.append(LayerValue(n_filled, float(weight @ possible), float(possible.min()), float(possible.max())))
    return found


# Dice, rerolls left, and why the best choice is the best.
DECISIONS = (
    ("1 3 3 5 6", 2, "by a hair: the pair fits more boxes, the high dice score more"),
    ("1 2 3 4 6", 2, "a straight that lacks one die is missed more often than made, even with two throws"),
    ("1 2 2 6 6", 2, "three dice find another six more often than one die finds a full house"),
    ("5 5 5 6 6", 2, "the full house is good, but three fives with two throws to come are a little better"),
    ("2 3 4 5 5", 1, "one throw completes the straight one time in three; two fives are useful whatever falls"),
    ("4 4 5 6 6", 1, "with a single throw left, two pairs in hand beat the hope for a third six"),
    ("1 1 2 4 6", 0, "Ones is the box that a low score hurts least, and Chance is worth more later"),
    ("2 2 2 2 5", 0, "a fourth two is ahead of the bonus pace, and Four of a Kind waits for higher dice"),
    ("6 6 6 6 2", 0, "a fourth six puts you well ahead of the bonus pace; Four of a Kind can wait"),
    (
        "1 2 4 5 6",
        0,
        "there is nothing to be had, and perfect play crosses out Small Straight in most games anyway",
    ),
)


# Thetas of two players who do not play for the mean.
CAUTIOUS, BOLD = -0.05, 0.05


@dataclass(frozen=True)
class QuizChoice:
    """An action, its value and its regret."""

    action: str
    value: float
    regret: float


@dataclass(frozen=True)
class QuizDecision:
    """One decision; `points` by box are those of the dice as they lie, `choices` all actions, best first."""

    dice: str
    rerolls: int
    why: str
    points: list[int]
    choices: list[QuizChoice]
    greedy_regret: float
    bot_regret: float


@dataclass(frozen=True)
class DecisionQuiz:
    """The questions, what two players lose in total, and the answers of two others to the first question."""

    rules: str
    boxes: list[str]
    questions: list[QuizDecision]
    greedy_lost: float
    bot_lost: float
    cautious: str
    bold: str

    @property
    def key_figures(self) -> dict[str, float]:
        return {"greedy_lost": self.greedy_lost, "bot_lost": self.bot_lost}


def ask_questions(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> DecisionQuiz:
    """Evaluate every choice of every question."""
    table = stored_table(ruleset(rules), context=context)
    greedy, bot = Greedy(table.rules), Heuristic(table.rules)
    questions = []
    for dice, rerolls, why in DECISIONS:
        advice = table.advise(dice, rerolls)
        regrets = {one.action: one.regret for one in advice}
        roll = lattice(table.rules.dice, table.rules.faces).id_of(parse_dice(table.rules, dice))
        points = list(table.rules.scores[roll])
        questions.append(
            QuizDecision(
                dice,
                rerolls,
                why,
                points,
                [QuizChoice(str(one.action), one.value, one.regret) for one in advice],
                *(regrets[answer(one, dice, rerolls)] for one in (greedy, bot)),
            )
        )
    return DecisionQuiz(
        rules=table.rules.name,
        boxes=[format_category(table.rules, c) for c in range(table.rules.n_categories)],
        questions=questions,
        greedy_lost=sum(one.greedy_regret for one in questions),
        bot_lost=sum(one.bot_regret for one in questions),
        cautious=_first_action(table.rules, CAUTIOUS, context.home),
        bold=_first_action(table.rules, BOLD, context.home),
    )


def _first_action(rules: Ruleset, theta: float, home: Path | None) -> str:
    """The action of a player with this theta in the first question."""
    dice, rerolls, _ = DECISIONS[0]
    return str(stored_table(rules, theta, context=Context(home)).advise(dice, rerolls).best)


def answer(player: Policy, dice: str, rerolls: int) -> Action:
    """The action of a player on an empty card; keeping all dice means scoring them."""
    rules = player.rules
    held = lattice(rules.dice, rules.faces)
    roll = held.id_of(parse_dice(rules, dice))
    decisions = player.decide(np.zeros(1, np.int64), np.zeros(1, np.int64))
    for left in range(rerolls, 0, -1):
        keep = int(decisions.keep[0, left - 1, roll])
        if keep != roll:
            return actions_of(rules)[rules.n_categories + keep]
    return actions_of(rules)[int(decisions.category[0, roll])]
