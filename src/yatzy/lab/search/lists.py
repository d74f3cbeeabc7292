"""Rule lists by policy improvement: the list can play at all times and gets better rule by rule.

*Which rule would help most?* All conditions, pairs of them, moves and positions are tried at once. With
Q(situation, move) under the list's own continuation and d its own visits, putting "IF c1 AND c2 THEN a" at
position p gains, to first order,

    gain(c1, c2, a, p) = sum over decisions that reach p of  d * m1 * m2 * (Q_a - Q_now),

with m1 and m2 the indicators of the conditions. For one move and all pairs of conditions this is one matrix
product, M' diag(d (Q_a - Q_now)) M; its diagonal holds the single conditions, and negated conditions follow from
the marginals. Decisions sorted by the rule that decides them give all positions in one pass, last to first.

*A round* draws decisions from the list's own play, adds the rules that promise most there, and keeps what the
exact mean confirms. Backfitting takes a rule out and puts the best one in, at that position or another. In the
end, rules worth less than `MIN_WORTH` points are dropped.

*Paths* are the lists to search for: they grow out of each other, starting from the defaults.
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path as Folder
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.context import DEFAULT_CONTEXT, Context, Report, one_blas_thread
from yatzy.errors import YatzyError
from yatzy.lab.search.sample import ListEvaluator, OracleKeeps, OwnKeeps, Sample, above_par, kept_in, sized_name
from yatzy.players.conditions import Condition, Feature, features
from yatzy.players.moves import (
    ABOVE_PAR,
    BEST_LOWER,
    GIVE_UP,
    MOST_POINTS,
    THREE_UP,
    Par,
    keeping_moves,
    scoring_moves,
    shipped_par,
)
from yatzy.players.rule_list import Rule, RuleList, load_list, save_list
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable
from yatzy.storage import writer_lock


@dataclass(frozen=True)
class Vocabulary:
    """Moves that find a box, and groups of features with some left out.

    `plainness` is how many points a list may give up to be plainer; every rule gets an equal share of them.
    """

    name: str
    finders: tuple[str, ...]
    groups: tuple[str, ...]
    without: tuple[str, ...] = ()
    plainness: float = 0.0

    def features(self, rules: Ruleset) -> list[Feature]:
        return [s for s in features(rules).values() if s.group in self.groups and s.name not in self.without]

    def moves(self, rules: Ruleset, grammar: str, keeping: bool) -> list[int]:
        """Ids of the moves that may be used."""
        if keeping:
            return list(range(len(keeping_moves(rules, grammar))))
        known = scoring_moves(rules)
        return [*range(rules.n_categories), *(known.index(name) for name in self.finders)]


FINDING = (THREE_UP, BEST_LOWER, GIVE_UP)
FORERUNNER_GROUPS = ("progress", "bonus", "dice", "patterns", "open boxes", "points", "safety")
# Boxes left carry the same information as the turn, and are what a player counts.
VOCABULARIES = {
    known.name: known
    for known in (
        Vocabulary("primitive", (), FORERUNNER_GROUPS, ("turn",)),
        Vocabulary("rich", FINDING, FORERUNNER_GROUPS, ("turn",)),
        Vocabulary("par", (*FINDING, ABOVE_PAR), (*FORERUNNER_GROUPS, "shapes", "par"), ("turn",)),
        Vocabulary(
            "glance", (*FINDING, ABOVE_PAR),
            ("progress", "bonus", "dice", "patterns", "open boxes", "points", "shapes"),
            ("turn", "upper_total", "bonus_secured", "sum"), 0.3,
        ),
    )
}  # fmt: skip


def find_vocabulary(name: str) -> Vocabulary:
    try:
        return VOCABULARIES[name]
    except KeyError:
        raise YatzyError("vocabulary", name, VOCABULARIES, "is not known") from None


# At most this many thresholds of a continuous feature are tried.
MAX_STEPS = 12
MAX_STEPS_IN_A_BOX = 5
# Rows on which all pairs of conditions are tried; the best of them are then judged on the whole sample.
SCANNED_ROWS = 24_000
SHORTLIST = 60
MAX_POSITIONS = 9


@dataclass(frozen=True)
class Found:
    """A rule that promises `gain` points at a position of the list of level 0 (scoring) or 1 (keeping).

    `rank` is the gain less the price of the rule's conditions.
    """

    gain: float
    level: int
    position: int
    rule: Rule
    rank: float


class PreparedSample:
    """A sample of one list's decisions, prepared for trying rules on it."""

    def __init__(
        self,
        sample: Sample,
        level: int,
        rules: RuleList,
        vocabulary: Vocabulary,
        seed: int,
        threshold_price: float = 0.0,
    ) -> None:
        game, self.sample, self.level, self.threshold_price = rules.rules, sample, level, threshold_price
        features = vocabulary.features(game)
        self.features = {feature.name: feature for feature in features}
        self.names = list(keeping_moves(game, rules.grammar) if level else scoring_moves(game))
        self.default = self.names.index(rules.keep_default if level else rules.score_default)
        self.moves = vocabulary.moves(game, rules.grammar, level > 0)
        self.applies = np.isfinite(sample.worth)
        self.rows = np.sort(np.random.default_rng(seed).permutation(len(sample))[:SCANNED_ROWS])
        self.conditions, self.negations, columns = _base_conditions(sample, features, self.rows)
        self.columns = columns
        self._masks: dict[Condition, NDArray[np.bool_]] = {}

    def holds(self, rule: Rule) -> NDArray[np.bool_]:
        """Where the conditions hold and the move applies."""
        found = self.applies[:, self.names.index(rule.move)]
        for condition in rule.conditions:
            if condition not in self._masks:
                self._masks[condition] = self.sample.holds(condition)
            found = found & self._masks[condition]
        return np.asarray(found)

    def play(self, rules: Sequence[Rule]) -> tuple[NDArray[np.int64], NDArray[np.float32]]:
        """Which rule decides each row (the number of rules: the default), and what its move is worth."""
        fired = np.full(len(self.sample), len(rules), np.int64)
        worth = self.sample.worth[:, self.default].copy()
        undecided = np.ones(len(self.sample), np.bool_)
        for number, rule in enumerate(rules):
            hit = undecided & self.holds(rule)
            fired[hit] = number
            worth[hit] = self.sample.worth[hit, self.names.index(rule.move)]
            undecided &= ~hit
        return fired, worth

    def total(self, rules: Sequence[Rule]) -> float:
        """What the list earns on the sample, up to a constant."""
        return float(self.play(rules)[1].sum(dtype=np.float64)) * self.sample.weight

    def best(self, rules: Sequence[Rule], n: int) -> list[Found]:
        """The n most promising rules, at any position in the list."""
        fired, now = self.play(rules)
        scanned = self._scan(fired[self.rows], now[self.rows], len(rules))
        scale = self.sample.weight
        found = []
        for position, rule in scanned:
            hit = self.holds(rule) & (fired >= position)
            worth = self.sample.worth[hit, self.names.index(rule.move)]
            gain = float((worth - now[hit]).sum(dtype=np.float64)) * scale
            found.append(Found(gain, self.level, position, rule, gain - self.price(rule)))
        found.sort(key=lambda f: (-f.rank, f.position))
        return found[:n]

    def price(self, rule: Rule) -> float:
        """What carrying the rule costs: `threshold_price` points for every threshold to remember.

        "Exactly" has two, and so does "a box would score 16 or less", which nobody would say.
        """
        thresholds = 0
        for condition in rule.conditions:
            feature = self.features[condition.feature]
            at_most = condition.low == feature.low < condition.high < feature.high
            odd = feature.scope == "box" and at_most
            thresholds += (condition.low > feature.low) + (condition.high < feature.high) + odd
        return self.threshold_price * thresholds

    def plainer(self, rule: Rule) -> list[Rule]:
        """The rule with one condition fewer, or with "at least" or "at most" for "exactly"; the plainest first."""
        found = []
        for i, condition in enumerate(rule.conditions):
            feature = self.features[condition.feature]
            others = rule.conditions[:i], rule.conditions[i + 1 :]
            if len(rule.conditions) > 1:
                found.append((*others[0], *others[1]))
            if feature.low < condition.low and condition.high < feature.high:
                for low, high in ((condition.low, feature.high), (feature.low, condition.high)):
                    found.append((*others[0], Condition(condition.feature, low, high), *others[1]))
        changed = [Rule(conditions, rule.move) for conditions in found]
        return sorted((plain for plain in changed if self.price(plain) < self.price(rule)), key=self.price)

    def _scan(self, fired: NDArray[np.int64], now: NDArray[np.float32], n_rules: int) -> list[tuple[int, Rule]]:
        """All pairs of conditions, all moves, several positions, on the scanned rows."""
        order = np.argsort(fired, kind="stable")
        fired = fired[order]
        positions = _positions(fired, n_rules)
        bounds = [*np.searchsorted(fired, positions).tolist(), len(fired)]
        columns = self.columns[order]
        worth = self.sample.worth[self.rows[order]]
        now = now[order]
        no_negation = np.array([negation is None for negation in self.negations])
        shortlist: list[_Pair] = []
        for move in self.moves:
            lead = np.where(np.isfinite(worth[:, move]), worth[:, move] - now, 0).astype(np.float32)
            least = shortlist[-1].gain if len(shortlist) >= SHORTLIST else 0.0
            if float(np.maximum(lead, 0).sum()) <= least:
                continue
            product = np.zeros((columns.shape[1],) * 2, np.float32)
            total = 0.0
            for place in range(len(positions) - 1, -1, -1):
                part = slice(bounds[place], bounds[place + 1])
                matters = np.flatnonzero(lead[part]) + bounds[place]
                if len(matters):
                    x = columns[matters]
                    product += (x * lead[matters, None]).T @ x
                    total += float(lead[matters].sum())
                shortlist += _best_pairs(product, total, no_negation, move, int(positions[place]))
            shortlist = sorted(shortlist, reverse=True)[:SHORTLIST]
        return [
            (pair.position, Rule(self._conditions_of(pair.code, pair.i, pair.j), self.names[pair.move]))
            for pair in shortlist
        ]

    def _conditions_of(self, code: int, i: int, j: int) -> tuple[Condition, ...]:
        """Conditions i and j, negated as the code says (bit 0: i, bit 1: j); one of them if they are the same."""
        first = self.negations[i] if code & 1 else self.conditions[i]
        second = self.negations[j] if code & 2 else self.conditions[j]
        both = [c for c in (first, second) if c is not None]
        return tuple(dict.fromkeys(both))


def _positions(fired: NDArray[np.int64], n_rules: int) -> NDArray[np.int64]:
    """Where to try: the top, the end, and positions in between that split the decisions evenly."""
    if n_rules < MAX_POSITIONS:
        return np.arange(n_rules + 1)
    spread = np.quantile(fired, np.linspace(0, 1, MAX_POSITIONS - 2), method="nearest")
    even = np.linspace(0, n_rules, MAX_POSITIONS // 2).astype(np.int64)
    return np.unique(np.concatenate([spread, even, [0, n_rules]]))


class _Pair(NamedTuple):
    """Conditions i and j, negated as the code says (bit 0: i, bit 1: j), for a move at a position."""

    gain: float
    position: int
    move: int
    code: int
    i: int
    j: int


def _best_pairs(
    product: NDArray[np.float32], total: float, no_negation: NDArray[np.bool_], move: int, position: int
) -> list[_Pair]:
    """The few best pairs of one move and position, from the product of their indicators."""
    n = len(product)
    single = np.diag(product)
    by_code = (
        product,
        single[None, :] - product,
        single[:, None] - product,
        total - single[:, None] - single[None, :] + product,
    )
    found = []
    for code, gains in enumerate(by_code):
        allowed = np.triu(np.ones((n, n), np.bool_), k=1 if code in (1, 2) else 0)
        if code & 1:
            allowed[no_negation] = False
        if code & 2:
            allowed[:, no_negation] = False
        flat = np.where(allowed, gains, -np.inf).reshape(-1)
        for k in np.argpartition(flat, -4)[-4:]:
            if flat[k] > 0:
                found.append(_Pair(float(flat[k]), position, move, code, int(k) // n, int(k) % n))
    return found


def _base_conditions(
    sample: Sample, features: Sequence[Feature], rows: NDArray[np.int64]
) -> tuple[list[Condition], list[Condition | None], NDArray[np.float32]]:
    """Conditions, their negations (None for `exactly`), and their columns (rows, conditions) of 0 and 1."""
    conditions: list[Condition] = []
    negations: list[Condition | None] = []
    columns: list[NDArray[np.bool_]] = []
    known: set[bytes] = set()
    for feature in features:
        if feature.name not in sample.seen:
            continue
        values = sample.seen[feature.name][rows]
        for step in _steps(values, feature):
            tries: list[tuple[Condition, Condition | None]] = [
                (Condition(feature.name, step, feature.high), Condition(feature.name, feature.low, step - 1))
            ]
            if feature.kind == "discrete" and feature.low < step < feature.high:
                tries.append((Condition(feature.name, step, step), None))
            for condition, negation in tries:
                column = (values >= condition.low) & (values <= condition.high)
                key = column.tobytes()
                if column.any() and not column.all() and key not in known:
                    known |= {key, (~column).tobytes()} if negation else {key}
                    conditions.append(condition)
                    negations.append(negation)
                    columns.append(column)
    return conditions, negations, np.stack(columns, axis=1).astype(np.float32)


def _steps(values: NDArray[np.int16], feature: Feature) -> list[int]:
    """Thresholds worth trying: every number that occurs, or a few that split the decisions evenly."""
    occurring = np.unique(values)
    steps = occurring[(occurring > feature.low) & (occurring <= feature.high)]
    most = MAX_STEPS_IN_A_BOX if feature.scope == "box" else MAX_STEPS
    if feature.kind == "continuous" and len(steps) > most:
        inside = values[values > occurring[0]]
        shares = np.linspace(0, 0.98, most) if feature.scope == "box" else np.linspace(0.02, 0.98, most)
        steps = np.unique(np.quantile(inside, shares, method="nearest"))
    if feature.scope == "box" and len(steps):
        # For a box, the lowest threshold is scoring anything at all.
        steps = np.unique([1, *steps[1:]])
    return [int(step) for step in steps]


# A rule that costs less than this when it is taken out is not worth carrying.
MIN_WORTH = 0.02
# A sample is only an estimate: a rule whose worth there is this many times the limit is not tried exactly.
SURELY = 4


@dataclass(frozen=True)
class Effort:
    """How hard to search.

    Decisions per sample (and more for every rule, so that long lists fit the game and not the sample), rules per
    round, passes of backfitting, and exact tries for each rule that is taken out. Lists of more than `long` rules
    get one pass, those more than twice as long none.
    """

    decisions: int = 80_000
    decisions_per_rule: int = 800
    rules_per_round: int = 3
    passes: int = 2
    long: int = 50
    tries: int = 2

    def passes_of(self, n_rules: int) -> int:
        if n_rules <= self.long:
            return self.passes if n_rules else 0
        return 1 if n_rules <= 2 * self.long else 0


class Search:
    """Improves one list; everything random comes from the seed. `history`: (rules, mean) as lists grow."""

    def __init__(
        self, arena: ListEvaluator, vocabulary: Vocabulary, effort: Effort, seed: int, report: Report
    ) -> None:
        self.arena, self.vocabulary, self.effort, self.report = arena, vocabulary, effort, report
        self.seed = seed
        self.threshold_price = 0.0
        self.drawn = 0
        self.history: list[tuple[int, float]] = []

    def boards(self, rules: RuleList) -> list[PreparedSample]:
        """Fresh samples of the list's own play."""
        self.drawn += 1
        seed = self.seed * 100_003 + self.drawn
        n = self.effort.decisions + self.effort.decisions_per_rule * rules.n_rules
        return [
            PreparedSample(sample, level, rules, self.vocabulary, seed, self.threshold_price)
            for level, sample in enumerate(self.arena.samples(rules, n, seed))
            if sample is not None
        ]

    def reach(self, rules: RuleList, n_rules: int) -> RuleList:
        """The best list of at most `n_rules` rules that this search finds from here."""
        # A rule has about two thresholds.
        self.threshold_price = self.vocabulary.plainness / max(1, 2 * n_rules)
        with one_blas_thread():
            if rules.n_rules == 0:
                rules = self.tune_par(rules, rounds=4 if n_rules else 20)
            rules = self.grow(rules, n_rules)
            for _ in range(self.effort.passes_of(n_rules)):
                rules = self.tune_par(self.backfit(rules))
            if self.threshold_price:
                rules = self.simplify(rules)
            if n_rules:
                rules = self.tune_par(self.grow(self.prune(rules), n_rules))
            return self.prune(rules)

    def grow(self, rules: RuleList, n_rules: int) -> RuleList:
        """Add rules until there are `n_rules`, or none helps."""
        mean = self.arena.mean(rules)
        while rules.n_rules < n_rules:
            boards = self.boards(rules)
            grown = rules
            options: list[Found] = []
            for _ in range(min(self.effort.rules_per_round + rules.n_rules // 15, n_rules - rules.n_rules)):
                found = self._best(boards, grown, 8)
                options = options or found
                if not found or found[0].gain < MIN_WORTH:
                    break
                grown = insert(grown, found[0])
            better = self.arena.mean(grown) if grown is not rules else mean
            if better < mean + MIN_WORTH:
                # Together they gain less than promised: try them one at a time.
                tried = [(self.arena.mean(insert(rules, option)), option) for option in options[:4]]
                better, option = max(tried, key=lambda pair: pair[0], default=(mean, None))
                if option is None or better < mean + MIN_WORTH:
                    break
                grown = insert(rules, option)
            rules, mean = grown, better
            self.history.append((rules.n_rules, mean))
            self.report(f"{rules.name}: {rules.n_rules} rules, {mean:.3f}")
        return rules

    def _best(self, boards: list[PreparedSample], rules: RuleList, n: int) -> list[Found]:
        found = [f for board in boards for f in board.best(rules.list_of(board.level), n)]
        return sorted(found, key=lambda f: -f.rank)[:n]

    def backfit(self, rules: RuleList) -> RuleList:
        """Take each rule out and put the best one in, in its own list or the other, while the exact mean rises."""
        mean = self.arena.mean(rules)
        boards = self.boards(rules)
        best = {board.level: board.best(rules.list_of(board.level), 3) for board in boards}
        exchanged = 0
        for _, rule, level in self._by_worth(boards, rules):
            without = remove(rules, level, rule)
            lost = boards_total(boards, rules) - boards_total(boards, without)
            found = boards[level].best(without.list_of(level), 4)
            found += [f for other, options in best.items() if other != level for f in options]
            found.sort(key=lambda f: -f.rank)
            price = boards[level].price(rule)
            for option in found[: self.effort.tries]:
                if option.rank < lost - price + MIN_WORTH / 4:
                    break
                changed = insert(without, option)
                better = self.arena.mean(changed)
                dearer = option.gain - option.rank - price
                if better > mean + dearer + MIN_WORTH / 4:
                    rules, mean = changed, better
                    exchanged += 1
                    # A sample of the earlier list stays good for a few exchanges if there are many rules.
                    stale = {level, option.level}
                    if exchanged % (1 + rules.n_rules // 25) == 0:
                        boards = self.boards(rules)
                        stale = set(best)
                    best |= {k: boards[k].best(rules.list_of(k), 3) for k in stale}
                    break
        self.report(f"{rules.name}: {rules.n_rules} rules, {mean:.3f} ({exchanged} exchanged)")
        return rules

    def _by_worth(self, boards: list[PreparedSample], rules: RuleList) -> list[tuple[float, Rule, int]]:
        """All rules with what they are worth on the sample and their level, the least useful first."""
        whole = boards_total(boards, rules)
        found = []
        for board in boards:
            for rule in rules.list_of(board.level):
                worth = whole - boards_total(boards, remove(rules, board.level, rule))
                found.append((worth, rule, board.level))
        return sorted(found, key=lambda f: f[0])

    def prune(self, rules: RuleList) -> RuleList:
        """Drop rules whose absence costs less than MIN_WORTH points, the least useful first."""
        mean = self.arena.mean(rules)
        for worth, rule, level in self._by_worth(self.boards(rules), rules):
            if worth > SURELY * MIN_WORTH:
                break
            without = remove(rules, level, rule)
            left = self.arena.mean(without)
            if left > mean - MIN_WORTH:
                rules, mean = without, left
        self.report(f"{rules.name}: {rules.n_rules} rules, {mean:.3f} (pruned)")
        return rules

    def simplify(self, rules: RuleList) -> RuleList:
        """Make rules plainer where that loses less than it saves; `price` says what a rule costs to carry."""
        mean = self.arena.mean(rules)
        boards = self.boards(rules)
        for board in boards:
            for place in range(len(rules.list_of(board.level))):
                part = rules.list_of(board.level)
                for plain in board.plainer(part[place]):
                    saved = board.price(part[place]) - board.price(plain)
                    changed = rules.with_list(board.level, (*part[:place], plain, *part[place + 1 :]))
                    if boards_total(boards, rules) - boards_total(boards, changed) > SURELY * saved:
                        continue
                    left = self.arena.mean(changed)
                    if left > mean - saved:
                        rules, mean = changed, left
                        break
        self.report(f"{rules.name}: {rules.n_rules} rules, {mean:.3f} (simplified)")
        return rules

    def tune_par(self, rules: RuleList, rounds: int = 6) -> RuleList:
        """Move par numbers by whole points: what promises most on a sample, if the exact mean confirms it."""
        mean = self.arena.mean(rules)
        for _ in range(rounds):
            start, par = mean, rules.par
            if par is None:
                break
            board = self.boards(rules)[0]
            moves = self._par_moves(board, rules)
            for tried in [moves, *([move] for move in moves[:4])]:
                changed = replace(rules, par=moved_par(par, tried))
                better = self.arena.mean(changed)
                if better > mean:
                    rules, mean = changed, better
                    break
            self.report(f"{rules.name}: {rules.n_rules} rules, {mean:.3f} (par tuned)")
            if mean < start + MIN_WORTH / 4:
                break
        return rules

    def _par_moves(self, board: PreparedSample, rules: RuleList) -> list[tuple[str, int, float]]:
        """Steps (table, box, points) that gain on the sample, best first, at most one per number."""
        par = rules.par
        assert par is not None
        fired, now = board.play(rules.scores)
        game = rules.rules
        column = board.names.index(ABOVE_PAR)
        uses = np.isin(fired, [i for i, rule in enumerate(rules.scores) if rule.move == ABOVE_PAR])
        if board.default == column:
            uses |= fired == len(rules.scores)
        filled, upper, rolls = (array[uses] for array in board.sample.situations)
        worth, now = board.sample.worth[uses], now[uses]
        found = []
        for table in ("in_reach", "settled"):
            for box in range(game.n_categories):
                steps = []
                for step in (-2.0, -1.0, 1.0, 2.0):
                    chosen = above_par(game, moved_par(par, [(table, box, step)]), filled, upper, rolls)
                    gain = float((worth[np.arange(len(now)), chosen] - now).sum(dtype=np.float64))
                    steps.append((gain * board.sample.weight, step))
                gain, step = max(steps)
                if gain > MIN_WORTH / 4:
                    found.append((gain, table, box, step))
        found.sort(reverse=True)
        return [(table, box, step) for _, table, box, step in found[:5]]


def insert(rules: RuleList, found: Found) -> RuleList:
    """The list with one more rule."""
    part = rules.list_of(found.level)
    return rules.with_list(found.level, (*part[: found.position], found.rule, *part[found.position :]))


def remove(rules: RuleList, level: int, rule: Rule) -> RuleList:
    """The list without this one rule (another may say the same)."""
    return rules.with_list(level, [other for other in rules.list_of(level) if other is not rule])


def boards_total(boards: Sequence[PreparedSample], rules: RuleList) -> float:
    return sum(board.total(rules.list_of(board.level)) for board in boards)


def moved_par(par: Par, moves: Sequence[tuple[str, int, float]]) -> Par:
    """The par table with these numbers changed: (table, box, points)."""
    tables = {"in_reach": par.in_reach.copy(), "settled": par.settled.copy()}
    for table, box, step in moves:
        tables[table][box] += step
    return Par(tables["in_reach"], tables["settled"], par.weight)


def empty_list(name: str, rules: Ruleset, vocabulary: Vocabulary, par: Par | None, oracle_keeps: bool) -> RuleList:
    """The defaults alone, before the first rule."""
    uses_par = ABOVE_PAR in vocabulary.finders
    return RuleList(
        name, rules, score_default=ABOVE_PAR if uses_par else MOST_POINTS, par=par if uses_par else None,
        oracle_keeps=oracle_keeps,
    )  # fmt: skip


def rounded_par(par: Par, weight: float = 2.0) -> Par:
    """A par table a person can carry: whole points, upper points counted `weight` times."""
    # Adding 0.0 makes a rounded -0.3 into 0, not -0.
    return Par(np.round(par.in_reach) + 0.0, np.round(par.settled) + 0.0, weight)


@dataclass(frozen=True)
class Path:
    """Lists that grow out of each other: a vocabulary, whose keeps, the most rules of each, and the effort."""

    vocabulary: str
    oracle_keeps: bool
    sizes: tuple[int, ...]
    effort: Effort = field(default_factory=Effort)


# For lists that are only there for comparison.
LIGHT = Effort(decisions=50_000, rules_per_round=4, passes=1, long=30, tries=1)
PATHS = {
    "card": Path("glance", False, (20, 40, 100), Effort(passes=3)),
    "par": Path("par", False, (20, 40, 100), LIGHT),
    "rich": Path("rich", False, (20, 40, 100), LIGHT),
    "primitive": Path("primitive", False, (20, 40, 100), LIGHT),
    "rules": Path("primitive", True, (10, 25, 50, 100)),
    "rules-rich": Path("rich", True, (10, 25, 50)),
    # The par table and the first rules depend on each other: it takes more tries and passes for them to fit.
    "rules-par": Path(
        "par", True, (0, 10, 25), Effort(decisions=200_000, rules_per_round=1, passes=4, tries=6, long=20)
    ),
}


def induce(
    path: str,
    table: ValueTable,
    folder: Folder,
    n_rules: int | None = None,
    effort: Effort | None = None,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> dict[str, Folder]:
    """Find the lists of a path, each grown from the one before, up to `n_rules`; returns their files.

    A list is called by how many rules it has (of two of one length, the later is the best). One in the folder that
    the same settings made is kept: a killed search resumes after it.
    """
    if path not in PATHS:
        raise YatzyError("path", path, PATHS, "is not known")
    with writer_lock(folder / path, context.notice):
        plan = PATHS[path]
        effort = effort or plan.effort
        vocabulary, game = find_vocabulary(plan.vocabulary), table.rules
        made = {"method": "improve", "path": path, "seed": seed, **asdict(effort)}
        rules = empty_list(path, game, vocabulary, rounded_par(shipped_par(game)), plan.oracle_keeps)
        search: Search | None = None
        files = {}
        for size in plan.sizes:
            if n_rules is not None and size > n_rules:
                break
            settings = made | {"at_most": size}
            if kept := kept_in(folder, path, lambda file: load_list(file, game), settings):
                rules = kept
                files[rules.name] = folder / f"{rules.name}.json"
                context.notice(f"{rules.name}: kept")
                continue
            if search is None:
                threads = context.threads
                arena: ListEvaluator = OracleKeeps(table, threads) if plan.oracle_keeps else OwnKeeps(threads)
                search = Search(arena, vocabulary, effort, seed, context.notice)
            search.drawn, search.history = 1000 * size, []
            rules = search.reach(replace(rules, name=f"{path}-{size}", info={}), size)
            name = sized_name(path, rules.n_rules, files)
            info = settings | {"mean": search.arena.mean(rules), "grown": search.history}
            rules, files[name] = replace(rules, name=name, info=info), folder / f"{name}.json"
            save_list(rules, files[name])
        return files
