"""Which rule would help a list most: all conditions, pairs of them, moves and positions at once.

With Q(situation, move) under the list's own continuation and d its own visits, putting "IF c1 AND c2 THEN a" at
position p gains, to first order,

    gain(c1, c2, a, p) = sum over decisions that reach p of  d * m1 * m2 * (Q_a - Q_now),

with m1 and m2 the indicators of the conditions. For one move and all pairs of conditions this is one matrix
product, M' diag(d (Q_a - Q_now)) M; its diagonal holds the single conditions, and negated conditions follow from
the marginals. Decisions sorted by the rule that decides them give all positions in one pass, last to first.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from yatzy.errors import YatzyError
from yatzy.rulelists.language.conditions import Condition, Sight, sights
from yatzy.rulelists.language.moves import (
    ABOVE_PAR,
    BEST_LOWER,
    GIVE_UP,
    THREE_UP,
    keeping_moves,
    scoring_moves,
)
from yatzy.rulelists.language.rulelist import Rule
from yatzy.rulelists.search.samples import Sample
from yatzy.rules import Ruleset


@dataclass(frozen=True)
class Vocabulary:
    """Moves that find a box, and groups of sights with some left out.

    `plainness` is how many points a list may give up to be plainer; every rule gets an equal share of them.
    """

    name: str
    finders: tuple[str, ...]
    groups: tuple[str, ...]
    without: tuple[str, ...] = ()
    plainness: float = 0.0

    def sights(self, rules: Ruleset) -> list[Sight]:
        return [s for s in sights(rules).values() if s.group in self.groups and s.name not in self.without]

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


# At most this many thresholds of a continuous sight are tried.
MOST_STEPS = 12
MOST_STEPS_IN_A_BOX = 5
# Rows on which all pairs of conditions are tried; the best of them are then judged on the whole sample.
SCANNED_ROWS = 24_000
SHORTLIST = 60
MOST_POSITIONS = 9


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

    def __init__(self, sample: Sample, level: int, default: int, moves: Sequence[int], names: Sequence[str],
                 looked_at: Sequence[Sight], seed: int, threshold_price: float = 0.0) -> None:  # fmt: skip
        self.threshold_price = threshold_price
        self.looked_at = {look.name: look for look in looked_at}
        self.sample, self.level, self.default = sample, level, default
        self.moves, self.names = list(moves), list(names)
        self.applies = np.isfinite(sample.worth)
        self.rows = np.sort(np.random.default_rng(seed).permutation(len(sample))[:SCANNED_ROWS])
        self.conditions, self.negations, columns = _base_conditions(sample, looked_at, self.rows)
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
            look = self.looked_at[condition.sight]
            odd = look.scope == "box" and look.low < condition.high < look.high and condition.low == look.low
            thresholds += (condition.low > look.low) + (condition.high < look.high) + odd
        return self.threshold_price * thresholds

    def plainer(self, rule: Rule) -> list[Rule]:
        """The rule with one condition fewer, or with "at least" or "at most" for "exactly"; the plainest first."""
        found = []
        for i, condition in enumerate(rule.conditions):
            look = self.looked_at[condition.sight]
            others = rule.conditions[:i], rule.conditions[i + 1 :]
            if len(rule.conditions) > 1:
                found.append((*others[0], *others[1]))
            if look.low < condition.low and condition.high < look.high:
                for low, high in ((condition.low, look.high), (look.low, condition.high)):
                    found.append((*others[0], Condition(condition.sight, low, high), *others[1]))
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
    if n_rules < MOST_POSITIONS:
        return np.arange(n_rules + 1)
    spread = np.quantile(fired, np.linspace(0, 1, MOST_POSITIONS - 2), method="nearest")
    even = np.linspace(0, n_rules, MOST_POSITIONS // 2).astype(np.int64)
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
    sample: Sample, looked_at: Sequence[Sight], rows: NDArray[np.int64]
) -> tuple[list[Condition], list[Condition | None], NDArray[np.float32]]:
    """Conditions, their negations (None for `exactly`), and their columns (rows, conditions) of 0 and 1."""
    conditions: list[Condition] = []
    negations: list[Condition | None] = []
    columns: list[NDArray[np.bool_]] = []
    known: set[bytes] = set()
    for look in looked_at:
        if look.name not in sample.seen:
            continue
        values = sample.seen[look.name][rows]
        for step in _steps(values, look):
            tries: list[tuple[Condition, Condition | None]] = [
                (Condition(look.name, step, look.high), Condition(look.name, look.low, step - 1))
            ]
            if look.kind == "discrete" and look.low < step < look.high:
                tries.append((Condition(look.name, step, step), None))
            for condition, negation in tries:
                column = (values >= condition.low) & (values <= condition.high)
                key = column.tobytes()
                if column.any() and not column.all() and key not in known:
                    known |= {key, (~column).tobytes()} if negation else {key}
                    conditions.append(condition)
                    negations.append(negation)
                    columns.append(column)
    return conditions, negations, np.stack(columns, axis=1).astype(np.float32)


def _steps(values: NDArray[np.int16], look: Sight) -> list[int]:
    """Thresholds worth trying: every number that occurs, or a few that split the decisions evenly."""
    occurring = np.unique(values)
    steps = occurring[(occurring > look.low) & (occurring <= look.high)]
    most = MOST_STEPS_IN_A_BOX if look.scope == "box" else MOST_STEPS
    if look.kind == "continuous" and len(steps) > most:
        inside = values[values > occurring[0]]
        shares = np.linspace(0, 0.98, most) if look.scope == "box" else np.linspace(0.02, 0.98, most)
        steps = np.unique(np.quantile(inside, shares, method="nearest"))
    if look.scope == "box" and len(steps):
        # For a box, the lowest threshold is scoring anything at all.
        steps = np.unique([1, *steps[1:]])
    return [int(step) for step in steps]
