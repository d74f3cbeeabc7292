"""Rule lists by policy improvement: the list can play at all times and gets better rule by rule.

A round draws decisions from the list's own play, adds the rules that promise most there (see `candidates`), and
keeps what the exact mean confirms. Backfitting takes a rule out and puts the best one in, at that position or
another. In the end, rules worth less than `LEAST_WORTH` points are dropped.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from yatzy.context import Report, one_blas_thread
from yatzy.rulelists.language.moves import ABOVE_PAR, keeping_moves, scoring_moves
from yatzy.rulelists.language.par import Par
from yatzy.rulelists.language.rulelist import Rule, RuleList
from yatzy.rulelists.search.candidates import Found, PreparedSample, Vocabulary
from yatzy.rulelists.search.samples import ListEvaluator, above_par

# A rule that costs less than this when it is taken out is not worth carrying.
LEAST_WORTH = 0.02
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
        samples = self.arena.samples(rules, n, seed)
        game = rules.rules
        names = (scoring_moves(game), keeping_moves(game, rules.grammar))
        defaults = (rules.score_default, rules.keep_default)
        return [
            PreparedSample(
                sample, level, names[level].index(defaults[level]),
                self.vocabulary.moves(game, rules.grammar, level > 0), names[level],
                self.vocabulary.sights(game), seed, self.threshold_price,
            )
            for level, sample in enumerate(samples) if sample is not None
        ]  # fmt: skip

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
                if not found or found[0].gain < LEAST_WORTH:
                    break
                grown = insert(grown, found[0])
            better = self.arena.mean(grown) if grown is not rules else mean
            if better < mean + LEAST_WORTH:
                # Together they gain less than promised: try them one at a time.
                tried = [(self.arena.mean(insert(rules, option)), option) for option in options[:4]]
                better, option = max(tried, key=lambda pair: pair[0], default=(mean, None))
                if option is None or better < mean + LEAST_WORTH:
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
                if option.rank < lost - price + LEAST_WORTH / 4:
                    break
                changed = insert(without, option)
                better = self.arena.mean(changed)
                dearer = option.gain - option.rank - price
                if better > mean + dearer + LEAST_WORTH / 4:
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
        """Drop rules whose absence costs less than LEAST_WORTH points, the least useful first."""
        mean = self.arena.mean(rules)
        for worth, rule, level in self._by_worth(self.boards(rules), rules):
            if worth > SURELY * LEAST_WORTH:
                break
            without = remove(rules, level, rule)
            left = self.arena.mean(without)
            if left > mean - LEAST_WORTH:
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
            if mean < start + LEAST_WORTH / 4:
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
                if gain > LEAST_WORTH / 4:
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
