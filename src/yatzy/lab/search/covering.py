"""Rule lists the forerunner's way: greedy sequential covering of decisions taken from optimal play.

The data are decisions drawn by their exact weight in optimal play, with the *regret* of every move, the points
that it loses against the best one if play is optimal afterwards:

    regret(situation, a) = max over b of Q(situation, b) - Q(situation, a).

Rules are added one at a time. Of all "IF c THEN move", and of all "IF c1 AND c2 THEN move" with c1 among the 20
best conditions and c2 among the 30 best, the rule with the least *mean* regret over the decisions that it takes
comes next; on a tie, the one that takes more. The decisions it takes are removed, and the next rule is chosen on
the rest. A move takes only decisions to which it applies: "on the last turn, score Yatzy" waits until Yatzy is the
box that is left.

Rules for a handful of decisions have the least mean regret of all, so a rule has to take at least a certain share
of all decisions. The forerunner does not say which share, and the result depends on it (`Settings`).

Keeps come in the two grammars of the forerunner. With *masks* the 32 moves can do whatever optimal play does. With
15 *verbs* a decision whose best keep no verb names gets the regret 999 for every verb: no rule wants such
decisions, and they are left for the default, which is the move of least mean regret over all that the rules leave.
"""

from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Bools2, FloatArray, Floats2, Floats3, IntArray, Ints1
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError, check_int
from yatzy.lab.search.lists import FORERUNNER_GROUPS
from yatzy.lab.search.sample import kept, see
from yatzy.measure.exact import visit
from yatzy.players.conditions import Condition, Feature, features
from yatzy.players.moves import keep_table, keeping_moves, scoring_moves
from yatzy.players.rule_list import Rule, RuleList, load_list, save_list
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.rule_list_values import exact_mean
from yatzy.players.situations import Situations, exact_situations
from yatzy.policies.optimal import Optimal
from yatzy.rules import Ruleset
from yatzy.solver.actions import action_values
from yatzy.solver.table import ValueTable
from yatzy.turn.kernels.jit import jit
from yatzy.turn.lattice import lattice

Bools = NDArray[np.bool_]

PERCENTILES = (10, 25, 50, 75, 90)
FIRST_OF_PAIR, SECOND_OF_PAIR = 20, 30
NO_VERB = 999.0
# Regrets in whole steps have exact sums in any order, so equal rules compare equal.
STEPS_PER_POINT = 1 << 16
GRAMMARS = {"verbs": "forerunner", "masks": "masks"}
LONGEST_LIST = 1000


@dataclass(frozen=True)
class Settings:
    """What a list depends on: decisions of each kind, rules in each part, the least a rule may take, the seed.

    The least share matters most. With up to 100 rules for where to score and the dice kept as in optimal play,
    0.0005 gives a mean of 223.4, 0.001 one of 227.5 (226.9 to 227.5 over four seeds), 0.002 one of 231.5, 0.005
    one of 242.4; with 0.01 there is room for 59 rules, and they reach 241.3. Small shares spend the rules on rare
    decisions that are easy, and leave the common ones to the default. The forerunner publishes 227.5 and no share;
    0.001 was chosen because it comes closest to that.
    """

    decisions: int = 300_000
    n_rules: int = 100
    least_share: float = 0.001
    seed: int = 0

    def __post_init__(self) -> None:
        check_int("rules-count", self.n_rules, 0, LONGEST_LIST)
        check_int("decisions", self.decisions, 1)
        check_int("seed", self.seed, 0)
        if not 0 <= self.least_share < 1:
            raise YatzyError("least_share", self.least_share, "0 up to 1")


@dataclass(frozen=True)
class Regrets:
    """Decisions of one kind: the features of each, how many it stands for, and the regret of every move.

    `regret` (n, moves) has inf where a move does not apply.
    """

    seen: dict[str, NDArray[np.int16]]
    counts: IntArray
    regret: FloatArray

    def __len__(self) -> int:
        return len(self.regret)


class CoveringRule(NamedTuple):
    """A rule as numbers: its mean regret in points, the decisions it takes, its conditions, its move."""

    mean: float
    decisions: int
    conditions: tuple[int, ...]
    move: int


def scoring_regrets(table: ValueTable, drawn: Situations, threads: int | None = None) -> Regrets:
    """Where to score: the move of each column is the category of that id."""
    values = action_values(table, drawn.filled, drawn.upper, drawn.roll_ids, 0, threads).category
    return _regrets(drawn, np.where(np.isnan(values), -np.inf, values))


def keeping_regrets(
    table: ValueTable, drawn: Situations, threads: int | None = None
) -> tuple[Regrets, dict[str, FloatArray]]:
    """What to keep, with every keep of the roll as a move; and the regrets by grammar, (n, moves) each."""
    game, left = table.rules, drawn.rerolls
    values = action_values(table, drawn.filled, drawn.upper, drawn.roll_ids, left, threads)
    worth = np.where(np.isnan(values.keep), -np.inf, values.keep)
    # Holding all dice leaves the roll to the next decision: score it, or throw again with a reroll fewer.
    worth[:, 0] = np.nanmax(values.category, axis=1)
    if left > 1:
        later = action_values(table, drawn.filled, drawn.upper, drawn.roll_ids, left - 1, threads).keep
        worth[:, 0] = np.fmax(worth[:, 0], np.fmax.reduce(later, axis=1))
    regrets = _regrets(drawn, worth)
    return regrets, {grammar: _by_move(game, grammar, drawn.roll_ids, regrets.regret) for grammar in GRAMMARS}


def _regrets(drawn: Situations, worth: FloatArray) -> Regrets:
    seen = see(drawn.rules, drawn.filled, drawn.upper, drawn.roll_ids, drawn.rerolls, None)
    counts = np.rint(drawn.weight / drawn.weight.min()).astype(np.int64)
    return Regrets(seen, counts, worth.max(axis=1, keepdims=True) - worth)


def _by_move(game: Ruleset, grammar: str, roll_ids: IntArray, regret: FloatArray) -> FloatArray:
    """(n, moves) from the regrets (n, slots) of a roll's keeps; 999 for all verbs if none is the best keep."""
    slots = lattice(game.dice, game.faces).keeps_in_roll
    kept = keep_table(game, GRAMMARS[grammar])[0]
    slot_of_move = (slots[:, None, :] == kept.T[:, :, None]).argmax(axis=2)
    found = np.take_along_axis(regret, slot_of_move[roll_ids], axis=1)
    if grammar == "verbs":
        found[found.min(axis=1) > 0] = NO_VERB
    return found


def candidate_conditions(rules: Ruleset, regrets: Regrets) -> tuple[list[Condition], Bools]:
    """Conditions on the forerunner's features that tell decisions apart, and (n, conditions) where they hold.

    Of several that hold for the same decisions (turn 3, 13 boxes left) the first stays: 302 of 382 about where
    to score.
    """
    conditions, columns, known = [], [], set()
    for feature in features(rules).values():
        if feature.group not in FORERUNNER_GROUPS:
            continue
        numbers = regrets.seen[feature.name]
        for condition in _conditions_on(feature, numbers, regrets.counts):
            holds = (numbers >= condition.low) & (numbers <= condition.high)
            code = np.packbits(holds).tobytes()
            if holds.any() and not holds.all() and code not in known:
                known.add(code)
                conditions.append(condition)
                columns.append(holds)
    return conditions, np.column_stack(columns)


def _conditions_on(feature: Feature, numbers: NDArray[np.int16], counts: IntArray) -> list[Condition]:
    """Yes and no; exactly, at least and at most a number; at least and at most a percentile."""
    if feature.kind == "boolean":
        return [Condition(feature.name, n, n) for n in (0, 1)]
    exactly = []
    if feature.kind == "continuous":
        steps = np.unique(np.percentile(np.repeat(numbers, counts), PERCENTILES).astype(np.int64)).tolist()
    else:
        steps = np.unique(numbers).tolist()
        exactly = [Condition(feature.name, n, n) for n in steps]
    at_least = [Condition(feature.name, n, feature.high) for n in steps]
    return [*exactly, *at_least, *(Condition(feature.name, feature.low, n) for n in steps)]


class Covering:
    """Decisions that are covered rule by rule: `holds` (n, conditions), `regret` (n, moves), `counts` (n,).

    `table` holds, side by side for every move, what a decision adds to the regret, in whole steps, and to the
    number of decisions; `sums` (conditions, 2 * moves) are its sums over the decisions that are left.
    """

    def __init__(self, holds: Bools, regret: FloatArray, counts: IntArray) -> None:
        applies = np.isfinite(regret)
        steps = np.rint(np.where(applies, regret, 0.0) * STEPS_PER_POINT)
        self.holds = holds
        self.table = np.hstack([steps, applies]).astype(np.float64) * counts[:, None]
        self.sums = np.zeros((holds.shape[1], self.table.shape[1]))
        _add_rows(holds, self.table, self.sums)

    def best(self, least: float) -> CoveringRule | None:
        """The next rule among those that take at least `least` decisions; None if there is none."""
        mean, count = _means(self.sums, least)
        by_condition = mean.min(axis=1)
        order = np.argsort(by_condition, kind="stable")[: np.isfinite(by_condition).sum()]
        if not len(order):
            return None
        found = [_least(mean, count, [(i,) for i in range(len(mean))])]
        firsts, seconds = order[:FIRST_OF_PAIR], order[:SECOND_OF_PAIR]
        pairs = np.zeros((len(firsts), len(seconds), self.sums.shape[1]))
        _add_pairs(self.holds, self.table, firsts, seconds, pairs)
        mean, count = _means(pairs.reshape(-1, pairs.shape[2]), least)
        found.append(_least(mean, count, [(int(i), int(j)) for i in firsts for j in seconds]))
        return min(found, key=lambda choice: (choice.mean, -choice.decisions, len(choice.conditions)))

    def take(self, conditions: Sequence[int], move: int) -> None:
        """Remove the decisions that a rule takes."""
        n_moves = self.table.shape[1] // 2
        taken = self.holds[:, list(conditions)].all(axis=1) & (self.table[:, n_moves + move] > 0)
        _add_rows(self.holds[taken], -self.table[taken], self.sums)
        self.holds, self.table = self.holds[~taken], self.table[~taken]

    def regret_left(self) -> FloatArray:
        """(moves,): the regret of every move, in points, over the decisions that are left."""
        return np.asarray(self.table[:, : self.table.shape[1] // 2].sum(axis=0) / STEPS_PER_POINT)


def _means(sums: FloatArray, least: float) -> tuple[FloatArray, FloatArray]:
    """Mean regret in steps, inf where a rule takes too few decisions, and their number: (conditions, moves)."""
    total, count = np.hsplit(sums, 2)
    enough = count >= max(least, 1.0)
    return np.divide(total, count, where=enough, out=np.full_like(total, np.inf)), count


def _least(mean: FloatArray, count: FloatArray, conditions: Sequence[tuple[int, ...]]) -> CoveringRule:
    """The rule with the least mean regret; on a tie, the one that takes more."""
    place = int(np.where(mean == mean.min(), count, -1.0).argmax())
    row, move = divmod(place, mean.shape[1])
    return CoveringRule(float(mean[row, move]) / STEPS_PER_POINT, int(count[row, move]), conditions[row], move)


def cover(
    conditions: Sequence[Condition], covering: Covering, moves: Sequence[str], n_rules: int, least: float
) -> tuple[Rule, ...]:
    """At most `n_rules` rules, each of which takes at least `least` decisions."""
    rules: list[Rule] = []
    while len(rules) < n_rules:
        choice = covering.best(least)
        if choice is None:
            break
        rules.append(Rule(tuple(conditions[i] for i in choice.conditions), moves[choice.move]))
        covering.take(choice.conditions, choice.move)
    return tuple(rules)


@jit
def _add_rows(holds: Bools2, table: Floats2, sums: Floats2) -> None:
    """Add each row of the table to the sums of the conditions that hold there."""
    for row in range(len(table)):
        for condition in range(holds.shape[1]):
            if holds[row, condition]:
                for k in range(table.shape[1]):
                    sums[condition, k] += table[row, k]


@jit
def _add_pairs(holds: Bools2, table: Floats2, firsts: Ints1, seconds: Ints1, sums: Floats3) -> None:
    """The same for pairs of conditions; `seconds` begins with `firsts`, and each pair is counted once."""
    for row in range(len(table)):
        for i in range(len(firsts)):
            if holds[row, firsts[i]]:
                for j in range(i + 1, len(seconds)):
                    if holds[row, seconds[j]]:
                        for k in range(table.shape[1]):
                            sums[i, j, k] += table[row, k]


def list_names(n_rules: int) -> dict[str, str]:
    """What each list is called: where to score alone, and every decision in each grammar."""
    return {"category": f"covering-{n_rules}"} | {g: f"covering-{3 * n_rules}-{g}" for g in GRAMMARS}


def cover_lists(table: ValueTable, settings: Settings, context: Context = DEFAULT_CONTEXT) -> list[RuleList]:
    """The three lists: where to score with oracle keeps, and every decision in verbs and in masks."""
    game, least = table.rules, settings.least_share * settings.decisions
    optimal = Optimal(table)
    visits = visit(optimal, context.threads).visits
    drawn = [
        exact_situations(optimal, visits, left, settings.decisions, settings.seed, context.threads)
        for left in range(game.rerolls + 1)
    ]
    context.notice(f"{settings.decisions:,} decisions of each kind")

    def run(left: int, grammar: str) -> tuple[tuple[Rule, ...], FloatArray]:
        if left:
            regrets, by_grammar = keeping_regrets(table, drawn[left], context.threads)
            regret, moves = by_grammar[grammar], keeping_moves(game, GRAMMARS[grammar])
        else:
            regrets = scoring_regrets(table, drawn[left], context.threads)
            regret, moves = regrets.regret, scoring_moves(game)[: game.n_categories]
        conditions, holds = candidate_conditions(game, regrets)
        covering = Covering(holds, regret, regrets.counts)
        found = cover(conditions, covering, moves, settings.n_rules, least)
        what = f"what to keep with {left} left, {grammar}" if left else "where to score"
        context.notice(f"{what}: {len(found)} rules from {len(conditions)} conditions")
        return found, covering.regret_left()

    tasks = [(0, "category"), *((left, grammar) for grammar in GRAMMARS for left in range(1, game.rerolls + 1))]
    with ThreadPoolExecutor(context.n_threads) as pool:
        found = dict(zip(tasks, pool.map(lambda task: run(*task), tasks), strict=True))
    names = list_names(settings.n_rules)
    scores = found[0, "category"][0]
    lists = [RuleList(names["category"], game, scores, oracle_keeps=True)]
    for grammar, moves in GRAMMARS.items():
        parts = [found[left, grammar] for left in range(1, game.rerolls + 1)]
        default = keeping_moves(game, moves)[int(np.argmin(sum(regret for _, regret in parts)))]
        keeps = tuple(rules for rules, _ in parts)
        lists.append(RuleList(names[grammar], game, scores, keeps, keep_default=default, grammar=moves))
    return lists


def induce_by_covering(
    table: ValueTable, folder: Path, settings: Settings | None = None, context: Context = DEFAULT_CONTEXT
) -> dict[str, Path]:
    """Make the lists, measure them exactly and write their files, unless the same settings made them already."""
    settings = settings or Settings()
    made = {"method": "covering", **asdict(settings)}
    files = {name: folder / f"{name}.json" for name in list_names(settings.n_rules).values()}
    if all(kept(file, lambda path: load_list(path, table.rules), made) for file in files.values()):
        context.notice(f"{', '.join(files)}: kept")
        return files
    for rules in cover_lists(table, settings, context):
        mean = exact_mean(ListPlayer(rules, table=table), context.threads)
        context.notice(f"{rules.name}: {rules.n_rules} rules, {mean:.3f}")
        save_list(replace(rules, info=made | {"mean": mean}), files[rules.name])
    return files


def scaling_curve(
    rules: RuleList, steps: Sequence[int], table: ValueTable | None = None, threads: int | None = None
) -> list[tuple[int, float]]:
    """(Rules, exact mean) of the list cut down to the first n rules of each of its parts."""
    cut = [first_rules(rules, n) for n in steps]
    return [(one.n_rules, exact_mean(ListPlayer(one, table=table), threads)) for one in cut]


def first_rules(rules: RuleList, n: int) -> RuleList:
    """The first n rules of each part; the defaults stay."""
    return replace(rules, scores=rules.scores[:n], keeps=tuple(part[:n] for part in rules.keeps))
