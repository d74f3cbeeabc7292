"""Leaks: habits that cost somebody points, told apart from chance.

A habit is a false belief about what choices are worth. With Q(a) the value of a choice and Q_k(a) what it looks
worth to somebody who believes k,

    pull_k(a) = Q_k(a) - Q(a)

    bonus       the bonus counts nothing (Q_k: the same game without it)
    yatzy       five of a kind in its own box counts threefold in this turn
    straights   straights in their boxes count double in this turn
    now         what comes after this turn counts half
    pairs       keeping no two dice alike, where there is a pair, is worth 3 points more
    crossing    crossing a box out costs 10 points more

and for each the opposite, with -pull. A mistake *follows* a habit if the habit explains it: to a believer it looks
better than the best choice b,

    pull(a) - pull(b) > Q(b) - Q(a) > 0

*Compared with whom?* With a player as strong and without habits, who strays by chance alone: with `behind` what a
choice is behind the best,

    P(a) = exp(-beta * behind(a)) / sum over choices        beta fitted for 0, 1 and more rerolls left

In the situations that came up, this player loses `usual` points by mistakes that follow a habit; `expected` is how
many these would be.

*Is it chance?* By the score test of P(a) ~ exp(-beta * behind(a) + w * pull(a)) against w = 0, in which every
decision counts, right ones too:

    u = pull(chosen) - E pull,  less its regression on behind         z = sum of u / sqrt(max(v, sum of u^2))

with v the variance of the sum under P; the sum of u^2 is larger where somebody strays otherwise than by P. A habit
is named only if z is above `SURE`, which among all twelve chance alone reaches for one player of a hundred, and if
it costs more than `LEAST`. If several are, the one with the largest sum / sqrt(v) is named: the others may be its
shadows.
"""

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from statistics import NormalDist
from typing import Annotated, Literal, NamedTuple, get_args

import numpy as np

from yatzy.arrays import BoolArray, FloatArray, IntArray, read_only
from yatzy.coach.deck import CARDS, DeckCard, spacing
from yatzy.coach.level import half_interval, own_games
from yatzy.coach.review import Review, moments
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.action import Action, action_ids, actions_of
from yatzy.game.game import GameGiven
from yatzy.game.json import ALWAYS, HIDDEN, Count, Positive, json_property
from yatzy.game.log import GameLog
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, State
from yatzy.solver.advise import TIE
from yatzy.solver.solve import solve
from yatzy.solver.store import table_of
from yatzy.solver.table import ValueTable
from yatzy.svg import html_table
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.tables import Continuation, continuation_of

LeakName = Literal[
    "ignores-bonus", "overrates-bonus", "chases-yatzy", "neglects-yatzy", "chases-straights", "neglects-straights",
    "points-now", "points-later", "breaks-pairs", "clings-to-pairs", "crosses-out-late", "crosses-out-early",
]  # fmt: skip
# Two habits to a belief: the first holds it, the second the opposite.
BELIEFS = ("bonus", "yatzy", "straights", "now", "pairs", "crossing")
LEAK_NAMES: tuple[LeakName, ...] = get_args(LeakName)
SENTENCES: Mapping[LeakName, str] = dict(zip(LEAK_NAMES, (
    "You give the bonus too little weight.",
    "You give up too much for the bonus.",
    "You chase Yatzy where it is not worth it.",
    "You go for Yatzy too seldom.",
    "You hold on to straights for too long.",
    "You give up straights too soon.",
    "You take points now that cost more later.",
    "You save boxes for later that are better filled now.",
    "You break up pairs that are worth keeping.",
    "You keep pairs that are better broken up.",
    "You cross out too late: good boxes go for a few points.",
    "You cross out too early: boxes that could still bring points.",
), strict=True))  # fmt: skip
# No habit is named from fewer games.
MIN_GAMES = 20
# One-sided, for twelve habits at once: 1% of players without any would be accused.
SURE = NormalDist().inv_cdf(1 - 0.01 / len(LEAK_NAMES))
# A habit costs this much a game, at least, or is not worth a word.
LEAST = 0.2
# Values of the page's engine, in float32, are equal within this.
SAME = 5e-4
# Points of the beliefs about pairs and crossing out.
PAIR, CROSSED = 3.0, 10.0
LATER = 0.5
# How many times boxes count.
ALIKE, STRAIGHT = 3, 2
BETAS = (0.01, 100.0)
HALVINGS = 40


class Choices(NamedTuple):
    """What was chosen in n situations: ids of actions, and the number of the game, -1 for answers to questions."""

    filled: IntArray
    upper: IntArray
    roll_ids: IntArray
    rerolls: IntArray
    actions: IntArray
    games: IntArray


@dataclass(frozen=True, eq=False)
class Evidence:
    """Choices with all that might have been chosen, (n, slots); what cannot be is infinitely far behind.

    `pulls` are by belief, None where a game has nothing to believe so about.
    """

    behind: FloatArray
    pulls: Mapping[str, FloatArray | None]
    chosen: IntArray
    rerolls: IntArray
    games: IntArray

    def pull_of(self, name: LeakName) -> FloatArray | None:
        belief, sign = belief_of(name)
        pull = self.pulls[belief]
        return None if pull is None else sign * pull

    def follows(self, pull: FloatArray) -> BoolArray:
        """(n, slots): the mistakes that look better than every best choice to who is pulled so."""
        best = np.where(self.behind < SAME, pull, -np.inf).max(axis=1, keepdims=True)
        return np.asarray((pull - best > self.behind + SAME) & (self.behind >= SAME))

    def favourite(self, pull: FloatArray) -> IntArray:
        """(n,): the slot of what looks best to who is pulled so."""
        return np.asarray((pull - self.behind).argmax(axis=1))

    @staticmethod
    def action(rules: Ruleset, roll_id: int, slot: int) -> Action:
        n = rules.n_categories
        keeps = lattice(rules.dice, rules.faces).keeps_in_roll[roll_id]
        return actions_of(rules)[slot if slot < n else n + int(keeps[slot - n])]


def belief_of(name: LeakName) -> tuple[str, int]:
    place = LEAK_NAMES.index(name)
    return BELIEFS[place // 2], 1 - 2 * (place % 2)


@lru_cache(maxsize=2)
def _without_bonus(rules: Ruleset) -> ValueTable:
    """The solved game without its bonus, which takes a second."""
    without = replace(rules, name=f"{rules.name} without bonus", bonus=0)
    return solve(without, draft=True, context=Context(progress=lambda done, total: None))


def _continuations(table: ValueTable) -> dict[str, Continuation]:
    """What ends of a turn look worth, by the beliefs that are about them."""
    rules, plain = table.rules, continuation_of(table.rules, table.stored)
    found = {"now": plain._replace(values=read_only(np.asarray(table.stored) * LATER))}
    if rules.bonus:
        found["bonus"] = plain._replace(values=_without_bonus(rules).stored)
    for belief, boxes, times in (
        ("yatzy", alike_boxes(rules), ALIKE),
        ("straights", straight_boxes(rules), STRAIGHT),
    ):
        if boxes:
            more = np.where(np.isin(outcomes(rules).category, boxes), times, 1)
            found[belief] = plain._replace(points=read_only(plain.points * more))
    return found


def alike_boxes(rules: Ruleset) -> list[int]:
    """Boxes that only equal dice score in."""
    return _boxes_only_for(rules, [len(set(roll)) == 1 for roll in rules.rolls])


def straight_boxes(rules: Ruleset) -> list[int]:
    """Boxes that only runs score in, of all dice or all but one."""
    return _boxes_only_for(rules, [_longest_run(roll) >= max(rules.dice - 1, 3) for roll in rules.rolls])


def _boxes_only_for(rules: Ruleset, fits: list[bool]) -> list[int]:
    scores = np.array(rules.scores) > 0
    return np.flatnonzero(scores.any(axis=0) & ~scores[~np.array(fits)].any(axis=0)).tolist()


def _longest_run(dice: Sequence[int]) -> int:
    return max(sum(all(face + i in dice for i in range(n + 1)) for n in range(len(dice))) for face in dice)


def evidence_of(table: ValueTable, choices: Choices, context: Context = DEFAULT_CONTEXT) -> Evidence:
    """Work out what might have been chosen, for the mean and by every belief."""
    from yatzy.solver.actions import action_values

    rules, dice = table.rules, lattice(table.rules.dice, table.rules.faces)
    n = rules.n_categories
    asked = choices[:4]

    def values(continuation: Continuation | None = None) -> FloatArray:
        found = action_values(table, *asked, threads=context.threads, continuation=continuation)
        return np.concatenate([found.category, found.keep], axis=1)

    worth = values()
    possible = ~np.isnan(worth)
    keep_ids = dice.keeps_in_roll[choices.roll_ids]
    pulls: dict[str, FloatArray | None] = dict.fromkeys(BELIEFS)
    for belief, continuation in _continuations(table).items():
        pulls[belief] = np.where(possible, values(continuation) - worth, 0.0)
    most = dice.counts.max(axis=1)
    breaks = np.zeros_like(worth)
    breaks[:, n:] = PAIR * ((most[choices.roll_ids] >= 2)[:, None] & (most[keep_ids] < 2))
    crosses = np.zeros_like(worth)
    for i, (filled, roll) in enumerate(zip(choices.filled.tolist(), choices.roll_ids.tolist(), strict=True)):
        allowed = outcomes(rules).allowed(filled, roll)
        crosses[i, [box for box, end in allowed.items() if not outcomes(rules).points[end]]] = -CROSSED
    pulls["pairs"], pulls["crossing"] = np.where(possible, breaks, 0.0), np.where(possible, crosses, 0.0)
    is_keep = choices.actions >= n
    slots = np.where(is_keep, n + (keep_ids == (choices.actions - n)[:, None]).argmax(axis=1), choices.actions)
    behind = np.where(possible, np.nanmax(worth, axis=1, keepdims=True) - worth, np.inf)
    return Evidence(behind, pulls, slots, choices.rerolls, choices.games)


def chances_without_habits(evidence: Evidence) -> FloatArray:
    """(n, slots): P, with beta fitted for each number of rerolls left."""
    chances = np.zeros_like(evidence.behind)
    for mine in _classes(evidence):
        behind, chosen = evidence.behind[mine], evidence.chosen[mine]
        known = np.where(np.isfinite(behind), behind, 0.0)
        lost = np.take_along_axis(known, chosen[:, None], axis=1).sum()
        low, high = BETAS
        for _ in range(HALVINGS):
            beta = math.sqrt(low * high)
            likely = np.exp(-beta * behind)
            likely /= likely.sum(axis=1, keepdims=True)
            # Too much is lost by somebody too careless.
            low, high = (beta, high) if (likely * known).sum() > lost else (low, beta)
        chances[mine] = likely
    return chances


def _classes(evidence: Evidence) -> list[BoolArray]:
    """The decisions by rerolls left, 2 or more as 2; those there are."""
    found = [np.minimum(evidence.rerolls, 2) == left for left in range(3)]
    return [mine for mine in found if mine.any()]


def score_test(evidence: Evidence, chances: FloatArray, pull: FloatArray) -> tuple[float, float]:
    """(z, sum / sqrt(v)) of a pull: see the module; 0 where nothing can be told."""
    known = np.where(np.isfinite(evidence.behind), evidence.behind, 0.0)
    mean_pull, mean_lost = (chances * pull).sum(axis=1), (chances * known).sum(axis=1)
    var_pull = (chances * pull**2).sum(axis=1) - mean_pull**2
    var_lost = (chances * known**2).sum(axis=1) - mean_lost**2
    both = (chances * pull * known).sum(axis=1) - mean_pull * mean_lost
    more = np.take_along_axis(pull, evidence.chosen[:, None], axis=1)[:, 0] - mean_pull
    lost = np.take_along_axis(known, evidence.chosen[:, None], axis=1)[:, 0] - mean_lost
    variance = float(var_pull.sum())
    for mine in _classes(evidence):
        slope = both[mine].sum() / max(var_lost[mine].sum(), NOTHING)
        more[mine] -= slope * lost[mine]
        variance -= slope * both[mine].sum()
    if variance < NOTHING:
        return 0.0, 0.0
    total = float(more.sum())
    return total / math.sqrt(max(variance, float((more**2).sum()))), total / math.sqrt(variance)


NOTHING = 1e-6


@dataclass(frozen=True)
class Leak:
    """A habit, and what followed it.

    `lost` are points lost per game by mistakes that follow it, `usual` what a player as strong and without habits
    loses so in the same situations; `within` is half of the 95% interval of the difference. Of `tempted` decisions
    in which some mistake would follow it, `mistakes` did; of the other player `expected` would. `z` says how sure
    it is, `strength` how strong the evidence. `lost_each` are points lost per decision in which what looks best to
    who has the habit loses half a point or more: that is what training measures too.
    """

    habit: LeakName
    lost: Positive
    usual: Positive
    within: float | None
    tempted: Count
    mistakes: Count
    expected: Positive
    z: float
    strength: Annotated[float, HIDDEN]
    lost_each: Positive

    @json_property
    def costs(self) -> float:
        """Points per game more than usual."""
        return self.lost - self.usual

    @json_property
    def sentence(self) -> str:
        return SENTENCES[self.habit]


@dataclass(frozen=True, repr=False)
class Leaks:
    """What was looked for in somebody's games and answers, dearest first; `found` is the habit that stands out."""

    rules: Ruleset
    games: Count
    decisions: Count
    lost: Positive
    habits: Annotated[tuple[Leak, ...], ALWAYS]

    @json_property
    def missing(self) -> Count:
        """How many more games it takes before a habit is named."""
        return max(MIN_GAMES - self.games, 0)

    @json_property
    def found(self) -> Leak | None:
        """The habit that is no chance, if there is one."""
        if self.missing:
            return None
        sure = [one for one in self.habits if one.z > SURE and one.costs > LEAST]
        return max(sure, key=lambda one: one.strength, default=None)

    @property
    def text(self) -> str:
        """What is known, in a sentence or two."""
        if self.missing:
            return (
                f"It takes {self.missing} more game{'' if self.missing == 1 else 's'} to tell a habit from chance."
            )
        if self.found is None:
            return f"No habit stands out from chance in {self.games} games."
        one = self.found
        return (
            f"{one.sentence} Such mistakes cost {one.lost:.1f} points a game; a player as strong, without the "
            f"habit, loses {one.usual:.1f} that way."
        )

    def __repr__(self) -> str:
        said = self.found.habit if self.found else f"{self.missing} more needed" if self.missing else "none"
        return f"<Leaks in {self.games} game{'' if self.games == 1 else 's'} of {self.rules.name}: {said}>"

    def _repr_html_(self) -> str:
        rows = [(one.sentence, one.lost, one.usual, one.mistakes, one.expected) for one in self.habits]
        return html_table(("habit", "lost per game", "usual", "mistakes", "expected"), rows, self.text)


def leaks_in(rules: Ruleset, evidence: Evidence) -> Leaks:
    """What the evidence says."""
    chances = chances_without_habits(evidence)
    known = np.where(np.isfinite(evidence.behind), evidence.behind, 0.0)
    in_games = evidence.games >= 0
    numbers, game_of = np.unique(evidence.games[in_games], return_inverse=True)
    n = len(numbers)
    rows = np.arange(len(evidence.chosen))
    found = []
    for name in LEAK_NAMES:
        pull = evidence.pull_of(name)
        if pull is None:
            continue
        follows = evidence.follows(pull)
        made = follows[rows, evidence.chosen]
        lost = np.where(made, known[rows, evidence.chosen], 0.0)[in_games]
        usual = (chances * follows * known).sum(axis=1)[in_games]
        by_game = np.bincount(game_of, lost - usual, minlength=n)
        z, strength = score_test(evidence, chances, pull)
        costs = evidence.behind[rows, evidence.favourite(pull)] >= spacing()["hard_below"]
        found.append(
            Leak(
                habit=name, lost=float(lost.sum()) / max(n, 1), usual=float(usual.sum()) / max(n, 1),
                within=half_interval(by_game.tolist()), tempted=int(follows.any(axis=1).sum()),
                mistakes=int(made.sum()), expected=float((chances * follows).sum()), z=z, strength=strength,
                lost_each=float(known[rows, evidence.chosen][costs].mean()) if costs.any() else 0.0,
            )
        )  # fmt: skip
    lost_in_all = float(known[rows, evidence.chosen][in_games].sum()) / max(n, 1)
    found.sort(key=lambda one: -one.costs)
    return Leaks(rules, n, len(rows), lost_in_all, tuple(found))


def leaks(
    games: "Review | GameGiven | Iterable[Review | GameGiven]",
    answers: Iterable[tuple[Situation, Action]] = (),
    rules: str | Ruleset | None = None,
    context: Context = DEFAULT_CONTEXT,
) -> Leaks:
    """Which habit costs whoever played these games most, if that is no chance.

    >>> import yatzy
    >>> games = [yatzy.play_on(yatzy.Game("yacht", seed=seed), "greedy") for seed in range(20)]
    >>> found = yatzy.leaks(games)
    >>> found
    <Leaks in 20 games of yacht: points-now>
    >>> found.found.mistakes > 2 * found.found.expected
    True

    `games` are as for `yatzy.level`, which says which of them count; decisions made for another goal than the mean
    are left out, and where the coach warned, what was wanted first counts. `answers` are situations with what
    was answered there.
    """
    kept = own_games(games, rules, "leaks are")
    logs = [one.log if isinstance(one, Review) else one for one in kept]
    with context.shown("reading games") as shown:
        table = table_of(logs[0].rules, context=shown)
        return leaks_in(table.rules, evidence_of(table, choices_in(table.rules, logs, answers), shown))


def answers_of(cards: Iterable[DeckCard]) -> list[tuple[Situation, Action]]:
    """Every answer in a deck but those that trained against a habit, which say nothing of it."""
    return [(card.at, action) for card in cards if not card.habit for action in card.answers]


def choices_in(
    rules: Ruleset, logs: Iterable[GameLog], answers: Iterable[tuple[Situation, Action]] = ()
) -> Choices:
    """Every choice for the mean where there was one; to hold all dice is none."""
    ids = action_ids(rules)
    made = [
        (at.situation, at.wanted or at.played, number)
        for number, log in enumerate(logs)
        for at in moments(log)
        if at.aim is None
    ]
    rows = [
        (here.state.filled, here.state.upper, here.roll_id, here.rerolls, ids[action], number)
        for here, action, number in (*made, *((here, action, -1) for here, action in answers))
        if here.rerolls or len(outcomes(rules).allowed(here.state.filled, here.roll_id)) > 1
    ]
    n = rules.n_categories
    return Choices(*np.array([row for row in rows if row[4] - n != row[2]], np.int64).reshape(-1, 6).T)


# Situations are looked for among so many draws for each number of rerolls.
DRAWS = 5_000


@lru_cache(maxsize=1)
def _visits(table: ValueTable) -> FloatArray:
    """How often perfect play passes through each state, which takes seconds."""
    from yatzy.measure.exact import visit
    from yatzy.policies.optimal import Optimal

    return visit(Optimal(table)).visits


def training_deck(
    habit: LeakName, table: ValueTable, n: int = CARDS, seed: int = 0, known: Iterable[Situation] = ()
) -> list[DeckCard]:
    """Situations to unlearn a habit by, shuffled; none of them is known.

    In half of them, what looks best to who has the habit loses half a point or more. In the others it is right,
    and what looks best to who has the opposite habit loses as much. All are drawn by how often perfect play gets
    there, exactly. `played` of a card is what the habit would play.
    """
    from yatzy.players.situations import exact_situations
    from yatzy.policies.optimal import Optimal

    rules = table.rules
    if rules.saves_throws:
        raise YatzyError("rules", why=f"training is for games without saved throws, not for {rules.name}")
    player, visits = Optimal(table), _visits(table)
    drawn = [exact_situations(player, visits, left, DRAWS, seed) for left in range(rules.rerolls + 1)]
    rerolls = np.repeat(np.arange(len(drawn)), [len(one) for one in drawn])
    filled, upper, roll_ids, weight = (
        np.concatenate([getattr(one, name) for one in drawn]) for name in ("filled", "upper", "roll_ids", "weight")
    )
    nothing = np.zeros_like(rerolls)
    found = evidence_of(table, Choices(filled, upper, roll_ids, rerolls, nothing, nothing))
    pull = found.pull_of(habit)
    if pull is None:
        raise YatzyError("habit", habit, why=f"has no place in {rules.name}")
    rows = np.arange(len(rerolls))
    tempting, opposite = (found.favourite(sign * pull) for sign in (1, -1))
    limit = spacing()["hard_below"]
    costs = found.behind[rows, tempting] >= limit
    right = (found.behind[rows, tempting] <= TIE) & (found.behind[rows, opposite] >= limit)
    generator = np.random.default_rng(seed)
    # In the order of a draw by weight without replacement.
    order = np.argsort(generator.exponential(size=len(rows)) / weight)
    seen = set(known)
    cards: list[DeckCard] = []
    for fits, most in ((costs, (n + 1) // 2), (right, n // 2)):
        full = len(cards) + most
        for i in order[fits[order]].tolist():
            if len(cards) == full:
                break
            at = Situation.at(rules, int(roll_ids[i]), int(rerolls[i]), State(int(filled[i]), int(upper[i])))
            if at not in seen:
                action = found.action(rules, at.roll_id, int(tempting[i]))
                cards.append(DeckCard(at, action, float(found.behind[i, tempting[i]]), habit=habit))
                seen.add(at)
    generator.shuffle(cards)
    return cards
