"""Slow, obvious twins of the fast code, written from the rules of the game and sharing nothing with it.

* `Expectimax`: the whole game by definition, over ordered throws of probability 1 / faces^n, in exact fractions
  (or, for theta != 0, in logarithms).
* `transition_matrix`: probability of every roll from every keep, by the multinomial formula.
* `Widget`: one turn by the forerunner's SOLVE_WIDGET, one sparse dot product per keep; log-sum-exp for theta != 0.
* `PlayedOut`: what a policy is worth, by following it through every throw of every game, in exact fractions.

A ruleset is read as data: dice, faces, rerolls, bonus, each category's scoring function, and which special rules
hold. A filled set is a number: a bit for each category; then, if it matters whether the box for equal dice holds
points, a bit that says so; then the throws saved.
"""

import math
from collections.abc import Callable
from fractions import Fraction
from functools import cache, cached_property
from itertools import combinations_with_replacement, product
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yatzy.rules import Ruleset

Faces = tuple[int, ...]


def score_of(rules: Ruleset, category_id: int, roll: Faces) -> int:
    """Points of a roll in a category."""
    counts = [sum(die == face for die in roll) for face in range(1, rules.faces + 1)]
    return rules.categories[category_id].score(counts)


def has_flag(rules: Ruleset) -> bool:
    """Does it matter later whether the box for equal dice was scored or crossed out?"""
    return rules.special is not None and (rules.special.extra > 0 or rules.special.joker == "second")


def throws_saved(rules: Ruleset, filled: int) -> int:
    return filled // 2 ** (len(rules.categories) + has_flag(rules))


def after_scoring(
    rules: Ruleset, filled: int, upper: int, category_id: int, points: int, left: int = 0
) -> tuple[int, int]:
    """The state after writing these points into a category, with rerolls left."""
    n = len(rules.categories)
    after = filled % 2 ** (n + has_flag(rules)) + 2**category_id
    if has_flag(rules) and category_id == rules.special.box and points > 0:
        after += 2**n
    if rules.saves_throws:
        after += left * 2 ** (n + has_flag(rules))
    if rules.categories[category_id].upper:
        upper = min(rules.bonus_threshold, upper + points)
    return after, upper


def open_categories(rules: Ruleset, filled: int) -> list[int]:
    """The categories that may be filled now."""
    found = [c for c in range(len(rules.categories)) if filled // 2**c % 2 == 0]
    return found[:1] if rules.forced_order else found


def choices(rules: Ruleset, filled: int, roll: Faces) -> dict[int, tuple[int, int]]:  # noqa: PLR0911
    """What a roll may be scored as: {category: (points in the box, points beside it)}.

    Equal dice once their own box is filled, by the printed rules; there is extra if that box holds points.
    Official: the upper box of the face must be taken; if it is filled, any lower box, as a joker; if none is
    open, a zero in an upper box. Free choice: any open box, a lower one as a joker if the upper box of the face is
    filled. Kniffel ("second"): only if the box holds points; extra only in the upper box of the face; a joker if
    that is filled.
    """
    usual = {c: (score_of(rules, c, roll), 0) for c in open_categories(rules, filled)}
    special = rules.special
    if special is None or len(set(roll)) > 1 or filled // 2**special.box % 2 == 0:
        return usual
    holds_points = has_flag(rules) and filled // 2 ** len(rules.categories) % 2 == 1
    extra = special.extra if holds_points else 0
    uppers = [c for c, category in enumerate(rules.categories) if category.upper]
    of_face = uppers[roll[0] - 1]
    as_joker = {c: (dict(special.lower).get(c, points), extra) for c, (points, _) in usual.items()}
    if special.joker == "none":
        return {c: (points, extra) for c, (points, _) in usual.items()}
    if special.joker == "second":
        if of_face in usual:
            return {c: (points, extra if c == of_face else 0) for c, (points, _) in usual.items()}
        return {c: (points, 0) for c, (points, _) in as_joker.items()} if holds_points else usual
    if special.joker == "free":
        return {c: (points, extra) for c, (points, _) in usual.items()} if of_face in usual else as_joker
    if of_face in usual:
        return {of_face: (usual[of_face][0], extra)}
    return {c: choice for c, choice in as_joker.items() if c not in uppers} or as_joker


def sub_multisets(roll: Faces) -> set[Faces]:
    """Every keep inside a roll, all dice and no dice included."""
    holds = product((False, True), repeat=len(roll))
    return {tuple(sorted(die for die, held in zip(roll, hold, strict=True) if held)) for hold in holds}


def reachable_states(rules: Ruleset) -> set[tuple[int, int]]:
    """Every (filled, upper) that some sequence of rolls and choices leads to, by walking there."""
    found, ahead = {(0, 0)}, [(0, 0)]
    while ahead:
        filled, upper = ahead.pop()
        lefts = range(rules.rerolls + throws_saved(rules, filled) + 1) if rules.saves_throws else [0]
        for c, points in _scores(rules, filled):
            for left in lefts:
                state = after_scoring(rules, filled, upper, c, points, left)
                if state not in found:
                    found.add(state)
                    ahead.append(state)
    return found


@cache
def _scores(rules: Ruleset, filled: int) -> set[tuple[int, int]]:
    """(category, points in it) that the next turn may end with."""
    rolls = multisets(rules.dice, rules.faces)
    return {(c, points) for roll in rolls for c, (points, _) in choices(rules, filled, roll).items()}


class Expectimax:
    """The game by definition. Worth is expected points to come, an exact `Fraction`.

    Subclasses change three things: what points are worth, how worths are averaged and which is best.
    """

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        self.throws = [list(product(range(1, rules.faces + 1), repeat=n_dice)) for n_dice in range(rules.dice + 1)]
        self.state = cache(self.state)
        self.roll = cache(self.roll)
        self.keep = cache(self.keep)

    def of_points(self, points: int) -> Any:
        return Fraction(points)

    def mean(self, worths: list[Any]) -> Any:
        return sum(worths, Fraction(0)) / len(worths)

    def best(self, worths: list[Any]) -> Any:
        return max(worths)

    def value(self, filled: int = 0, upper: int = 0) -> float:
        return float(self.state(filled, upper))

    def state(self, filled: int, upper: int) -> Any:
        """Start of a turn; a finished game pays the bonus."""
        if not open_categories(self.rules, filled):
            reached = upper >= self.rules.bonus_threshold
            return self.of_points(self.rules.bonus if reached else 0)
        return self.keep(filled, upper, (), self.rules.rerolls + throws_saved(self.rules, filled))

    def category(self, filled: int, upper: int, roll: Faces, category_id: int, left: int = 0) -> Any:
        """Writing this roll into a category, with rerolls left."""
        points, extra = choices(self.rules, filled, roll)[category_id]
        after = after_scoring(self.rules, filled, upper, category_id, points, left)
        return self.of_points(points + extra) + self.state(*after)

    def keep(self, filled: int, upper: int, kept: Faces, rerolls_after: int) -> Any:
        """Holding `kept` and throwing the rest, each ordered outcome as likely as any other."""
        outcomes = self.throws[self.rules.dice - len(kept)]
        return self.mean(
            [self.roll(filled, upper, tuple(sorted(kept + thrown)), rerolls_after) for thrown in outcomes]
        )

    def roll(self, filled: int, upper: int, roll: Faces, rerolls: int) -> Any:
        """The best action: any category that is allowed or, while rerolls are left, any keep."""
        worths = [self.category(filled, upper, roll, c, rerolls) for c in choices(self.rules, filled, roll)]
        if rerolls:
            worths += [self.keep(filled, upper, kept, rerolls - 1) for kept in sub_multisets(roll)]
        return self.best(worths)


class RiskExpectimax(Expectimax):
    """The same for u(x) = exp(theta x): worth is ln E[exp(theta * points to come)], by log-sum-exp."""

    def __init__(self, rules: Ruleset, theta: float) -> None:
        super().__init__(rules)
        self.theta = theta

    def of_points(self, points: int) -> float:
        return self.theta * points

    def mean(self, worths: list[float]) -> float:
        largest = max(worths)
        return largest + math.log(math.fsum(math.exp(w - largest) for w in worths) / len(worths))

    def best(self, worths: list[float]) -> float:
        return max(worths) if self.theta > 0 else min(worths)

    def value(self, filled: int = 0, upper: int = 0) -> float:
        """Certainty equivalent."""
        return self.state(filled, upper) / self.theta


def multisets(n_dice: int, faces: int) -> list[Faces]:
    return list(combinations_with_replacement(range(1, faces + 1), n_dice))


def prob_of_throw(thrown: Faces, faces: int) -> float:
    """Multinomial probability that these dice, in any order, are what is thrown."""
    ways = math.factorial(len(thrown))
    for face in range(1, faces + 1):
        ways //= math.factorial(thrown.count(face))
    return ways / faces ** len(thrown)


@cache
def transition_matrix(dice: int, faces: int) -> tuple[list[Faces], list[Faces], NDArray[np.float64]]:
    """(keeps, rolls, prob): probability of each roll when the dice beside a keep are thrown again."""
    rolls = multisets(dice, faces)
    keeps = [keep for n_kept in range(dice + 1) for keep in multisets(n_kept, faces)]
    column = {roll: i for i, roll in enumerate(rolls)}
    prob = np.zeros((len(keeps), len(rolls)))
    for row, keep in enumerate(keeps):
        for thrown in multisets(dice - len(keep), faces):
            prob[row, column[tuple(sorted(keep + thrown))]] += prob_of_throw(thrown, faces)
    return keeps, rolls, prob


class Widget:
    """One turn from one state, as the forerunner solves it (SOLVE_WIDGET), given the values of the states after
    it.

    `worth_after(filled, upper)` is the value after the turn, or the log-value for theta != 0; worths inside
    the turn are on the same scale.
    """

    def __init__(self, rules: Ruleset, theta: float = 0.0) -> None:
        self.rules = rules
        self.theta = theta
        self.keeps, self.rolls, prob = transition_matrix(rules.dice, rules.faces)
        rows, self.columns = np.nonzero(prob)
        self.row_starts = np.searchsorted(rows, np.arange(len(self.keeps)))
        self.row_probs = prob[rows, self.columns]
        keep_id = {keep: i for i, keep in enumerate(self.keeps)}
        self.keeps_in_roll = [[keep_id[keep] for keep in sub_multisets(roll)] for roll in self.rolls]
        n_categories = len(rules.categories)
        self.scores = np.array([[score_of(rules, c, roll) for c in range(n_categories)] for roll in self.rolls])

    @cached_property
    def _keep_members(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        members = np.concatenate([np.array(ids) for ids in self.keeps_in_roll])
        lengths = [len(ids) for ids in self.keeps_in_roll]
        return members, np.cumsum([0, *lengths[:-1]])

    def category_worths(
        self, filled: int, upper: int, worth_after: Callable[[int, int], float]
    ) -> NDArray[np.float64]:
        """(rolls, categories): worth of scoring; NaN for filled categories."""
        worths = np.full(self.scores.shape, np.nan)
        for c in open_categories(self.rules, filled):
            for points in {int(p) for p in self.scores[:, c]}:
                after = worth_after(*after_scoring(self.rules, filled, upper, c, points))
                worths[self.scores[:, c] == points, c] = after + (self.theta or 1) * points
        return worths

    def keep_worths(self, roll_worths: NDArray[np.float64]) -> NDArray[np.float64]:
        """(keeps,): one sparse dot product (or log-sum-exp) each."""
        if self.theta:
            terms = np.log(self.row_probs) + roll_worths[self.columns]
            return np.logaddexp.reduceat(terms, self.row_starts)
        return np.add.reduceat(self.row_probs * roll_worths[self.columns], self.row_starts)

    def best_keeps(self, keep_worths: NDArray[np.float64]) -> NDArray[np.float64]:
        """(rolls,): the best keep inside each roll, holding all dice included."""
        members, starts = self._keep_members
        best = np.minimum if self.theta < 0 else np.maximum
        return best.reduceat(keep_worths[members], starts)

    def turn(
        self, filled: int, upper: int, worth_after: Callable[[int, int], float]
    ) -> tuple[list[NDArray[np.float64]], float]:
        """(keep worths by rerolls left before throwing, from 1 on; worth of the state)."""
        scored = self.category_worths(filled, upper, worth_after)
        roll_worths = np.nanmin(scored, axis=1) if self.theta < 0 else np.nanmax(scored, axis=1)
        by_rerolls = []
        for _ in range(self.rules.rerolls):
            by_rerolls.append(self.keep_worths(roll_worths))
            roll_worths = self.best_keeps(by_rerolls[-1])
        return by_rerolls, float(self.keep_worths(roll_worths)[self.keeps.index(())])


def solve_by_widgets(rules: Ruleset) -> dict[tuple[int, int], float]:
    """The whole game, one widget per reachable state, from the finished game back."""
    widget = Widget(rules)
    found: dict[tuple[int, int], float] = {}
    for filled, upper in sorted(reachable_states(rules), reverse=True):
        if open_categories(rules, filled):
            _, found[filled, upper] = widget.turn(filled, upper, lambda *state: found[state])
        else:
            found[filled, upper] = float(rules.bonus if upper >= rules.bonus_threshold else 0)
    return found


ChooseCategory = Callable[..., int]
ChooseKeep = Callable[[int, int, Faces, int], Faces]


class PlayedOut:
    """A policy followed through every throw: what becomes of it, with exact probabilities.

    `choose_category(filled, upper, roll)` and `choose_keep(filled, upper, roll, rerolls)` are what it does. Where
    throws are saved, holding all dice is to score them, and the category may depend on the rerolls left, a fourth
    argument. `tracked` is the category that splits the populations, or -1.
    """

    def __init__(
        self, rules: Ruleset, choose_category: ChooseCategory, choose_keep: ChooseKeep, tracked: int = -1
    ) -> None:
        self.rules = rules
        self.choose_category = choose_category
        self.choose_keep = choose_keep
        self.tracked = tracked
        self.ends = cache(self.ends)
        self.value = cache(self.value)
        self._play()

    def ends_of_turn(self, filled: int, upper: int) -> dict[tuple[int, int], Fraction]:
        """Probability of each (category, points) that the turn of a state may end with."""
        found: dict[tuple[int, int], Fraction] = {}
        for (c, points, _, _), prob in self.ends(filled, upper).items():
            _add(found, (c, points), prob)
        return found

    def ends(self, filled: int, upper: int) -> dict[tuple[int, int, int, int], Fraction]:
        """The same by (category, points in it, points beside it, rerolls left)."""
        found: dict[tuple[int, int, int, int], Fraction] = {}
        rolls: dict[Faces, Fraction] = self._throw({(): Fraction(1)})
        for rerolls in range(self.rules.rerolls + throws_saved(self.rules, filled), 0, -1):
            kept: dict[Faces, Fraction] = {}
            for roll, prob in rolls.items():
                keep = self.choose_keep(filled, upper, roll, rerolls)
                assert keep in sub_multisets(roll)
                if self.rules.saves_throws and keep == roll:
                    _add(found, self._scored(filled, upper, roll, rerolls), prob)
                else:
                    _add(kept, keep, prob)
            rolls = self._throw(kept)
        for roll, prob in rolls.items():
            _add(found, self._scored(filled, upper, roll, 0), prob)
        return found

    def _scored(self, filled: int, upper: int, roll: Faces, left: int) -> tuple[int, int, int, int]:
        saved = (left,) if self.rules.saves_throws else ()
        category_id = self.choose_category(filled, upper, roll, *saved)
        return category_id, *choices(self.rules, filled, roll)[category_id], left

    def _throw(self, kept: dict[Faces, Fraction]) -> dict[Faces, Fraction]:
        """Fill every keep up with fresh dice, each ordered throw as likely as any other."""
        rolls: dict[Faces, Fraction] = {}
        for keep, prob in kept.items():
            throws = list(product(range(1, self.rules.faces + 1), repeat=self.rules.dice - len(keep)))
            for thrown in throws:
                roll = tuple(sorted(keep + thrown))
                rolls[roll] = rolls.get(roll, 0) + prob / len(throws)
        return rolls

    def value(self, filled: int = 0, upper: int = 0) -> Fraction:
        """Expected points to come, from the end of the game backwards."""
        if not open_categories(self.rules, filled):
            return Fraction(self.rules.bonus if upper >= self.rules.bonus_threshold else 0)
        return sum(
            prob * (points + extra + self.value(*after_scoring(self.rules, filled, upper, c, points, left)))
            for (c, points, extra, left), prob in self.ends(filled, upper).items()
        )

    def _play(self) -> None:
        """Forward: the probability of every (state, points so far, tracked category scored), turn by turn.

        Sets `visits` by state, `fill_turn` by (category, turn), `points_of` by (category, points) and
        `populations` by (bonus, tracked category scored) and score.
        """
        self.visits: dict[tuple[int, int], Fraction] = {}
        self.fill_turn: dict[tuple[int, int], Fraction] = {}
        self.points_of: dict[tuple[int, int], Fraction] = {}
        self.populations: dict[tuple[bool, bool], dict[int, Fraction]] = {}
        games = {((0, 0), 0, False): Fraction(1)}
        for turn in range(len(self.rules.categories)):
            after: dict[tuple[tuple[int, int], int, bool], Fraction] = {}
            for (state, so_far, scored), prob_game in games.items():
                _add(self.visits, state, prob_game)
                for (c, points, extra, left), prob_end in self.ends(*state).items():
                    prob = prob_game * prob_end
                    _add(self.fill_turn, (c, turn), prob)
                    _add(self.points_of, (c, points), prob)
                    next_state = after_scoring(self.rules, *state, c, points, left)
                    is_scored = scored or (c == self.tracked and points > 0)
                    _add(after, (next_state, so_far + points + extra, is_scored), prob)
            games = after
        for (state, points, scored), prob in games.items():
            _add(self.visits, state, prob)
            bonus = self.rules.bonus > 0 and state[1] >= self.rules.bonus_threshold
            pmf = self.populations.setdefault((bonus, scored), {})
            _add(pmf, points + self.rules.bonus * bonus, prob)

    @property
    def pmf(self) -> dict[int, Fraction]:
        found: dict[int, Fraction] = {}
        for part in self.populations.values():
            for score, prob in part.items():
                _add(found, score, prob)
        return found


def _add(table: dict[Any, Fraction], key: Any, prob: Fraction) -> None:
    table[key] = table.get(key, Fraction(0)) + prob
