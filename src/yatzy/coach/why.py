"""Why one action is better than another, in a sentence or two that are true of the numbers behind them.

`measure.parts` splits what an action loses by box, bonus and extra points:

    regret(a) = sum over parts c of (Q_c(best) - Q_c(a)).

A *clause* names one part or several and what they explain, above 0 what speaks for the better action:

    takes    the box that the better action scores: its points now, and what it would bring if it were left open
    leaves   the box that the other one scores: its points now, and what it brings if it is left open
    boxes    other boxes that bring more (or less), most of it in this turn
    spared   other boxes that bring more (or less) later, as this turn ends with little or nothing in them (less
             than `LITTLE` of their average) less (or more) often after the better keep: how often after both
    later    the others that bring more (or less) later
    bonus    the chance of the bonus after both, and the upper box that brings most more (of two scores, the box
             that the better one scores or none)
    extra    points beside the boxes
    chance   the chance of the goal after both, where that is the aim
    daring, safe   the mean points that a risk gives up

At most `MAX_BOXES` are named together, in the order of the card. A reason has the one or two clauses that gain
most, the largest first, the boxes that either action scores, and the largest loss if losses are more than half of
the gains; of a close choice, one gain and one loss. A chance of the bonus that hardly moves, and what a keep
leaves for later, are told only if they gain most, and then last. `sentence` says it in English; the page has it in
other languages too (web/play/view/reason.ts), from the same clauses.

An action is compared with the best one. The best itself is compared with what a player asks about: a full box that
tempts, the most points now, or else the second best.
"""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass, replace
from decimal import ROUND_HALF_UP, Decimal
from functools import cached_property, lru_cache
from typing import Literal

import numpy as np

from yatzy.arrays import FloatArray
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.game.action import Action, Keep, Score
from yatzy.measure.parts import BONUS, EXTRA, ActionParts, BoxParts, part_names
from yatzy.rules import Ruleset, format_dice
from yatzy.solver.advise import CHANCE_TIE, TIE, Advice
from yatzy.turn.lattice import lattice

# Of boxes that are named together, the most, and the least that one may bring as a share of the first.
MAX_BOXES, BOX_SHARE = 3, 1 / 3
# A second gain is named if it is at least this share of the first; beside a vague one, or if it is what the other
# action scores, this.
SECOND_SHARE, ASKED_SHARE = 0.4, 0.2
# Smaller parts are not worth naming, in points.
LEAST = 0.05
# A box that most throws leave empty tempts if it now brings this share of what it brings on average.
TEMPTING = 0.6
# Below this lead, in points or percent of the chance, the choice is close.
CLOSE = 0.5
# Chances of little in a box, and of the bonus, that differ by less are hardly a reason.
SELDOM, SLIGHT = 0.01, 0.02

ClauseKind = Literal["takes", "leaves", "boxes", "spared", "later", "bonus", "extra", "chance", "daring", "safe"]


@dataclass(frozen=True)
class Clause:
    """A part of a reason: `part` are the points that it explains, above 0 if they speak for the better action."""

    kind: ClauseKind
    part: float
    boxes: tuple[str, ...]
    points: int | None = None
    average: float | None = None
    chance: float | None = None
    rival_chance: float | None = None


@dataclass(frozen=True)
class Reason:
    """Why an action is better than its rival, by `lead` points or percent of the chance.

    Without a `rival` there is nothing else to do; without clauses both are equally good.
    """

    action: Action
    rival: Action | None
    lead: float
    clauses: tuple[Clause, ...]


@dataclass(frozen=True, eq=False)
class ExplainedAdvice:
    """Advice, and what each part will bring after each of its actions."""

    advice: Advice
    after: ActionParts

    @cached_property
    def parts(self) -> FloatArray:
        """(actions, parts): the points that each part will bring."""
        return np.asarray(self.after.by_time.sum(axis=0))

    def lead(self, place: int) -> float:
        """How far the best action is ahead of one, in points or percent of the chance; 0 for a tie."""
        best, one = self.advice[0], self.advice[place]
        if best.chance is None or one.chance is None:
            return one.regret if one.regret > TIE else 0.0
        lost = best.chance - one.chance
        return 100 * lost if lost > CHANCE_TIE else 0.0

    def rival_of(self, action: Action) -> int | None:
        """The place of what an action is compared with: its own, or for the best what a player asks about."""
        place = next((i for i, one in enumerate(self.advice) if one.action == action), 0)
        return place or self._natural_rival()

    def _natural_rival(self) -> int | None:
        advice = self.advice
        rules, best = advice.rules, advice.best
        if len(advice) == 1:
            return None
        scores = [(i, one.action) for i, one in enumerate(advice) if i and isinstance(one.action, Score)]
        if isinstance(best, Keep):
            for place, action in scores:
                box, points = box_id(rules, action), action.points or 0
                if is_rare(rules)[box] and points > 0 and points >= TEMPTING * self.parts[0, box]:
                    return place
            return 1
        if advice.situation.rerolls or self.lead(1) < CLOSE:
            return 1
        place, most = max(scores, key=lambda one: one[1].points or 0)
        return place if (most.points or 0) > (best.points or 0) else 1

    def reason(self, action: Action | None = None) -> Reason:
        """Why the best action is better than this one; for the best, and without one, than its rival."""
        best, place = self.advice[0], self.rival_of(action or self.advice.best)
        if place is None:
            return Reason(best.action, None, 0.0, ())
        rival, lead = self.advice[place], self.lead(place)
        if not lead:
            return Reason(best.action, rival.action, 0.0, ())
        clauses = chosen(self._clauses(place), best.action, lead)
        goal = self._goal(place, any(one.part > 0 for one in clauses))
        return Reason(best.action, rival.action, lead, (*goal, *clauses))

    def told(self) -> Advice:
        """The advice, in which each action says why, and box by box what it loses or brings."""
        rules, is_sum = self.advice.rules, self.advice.goal == "mean"
        filled = self.advice.situation.state.filled
        boxes = enumerate(part_names(rules))
        names = {name: i for i, name in boxes if i >= rules.n_categories or not filled >> i & 1}
        rows = (self.parts[0] - self.parts if is_sum else self.parts).tolist()
        actions = []
        for one, row in zip(self.advice, rows, strict=True):
            points = {name: row[i] for name, i in names.items()}
            why = sentence(rules, self.reason(one.action))
            told = one._replace(why=why, parts=points) if is_sum else one._replace(why=why, points_by_box=points)
            actions.append(told)
        return replace(self.advice, actions=tuple(actions))

    def _goal(self, place: int, gains: bool) -> list[Clause]:
        """What the goal is about, if it is not the mean; a risk if it gives up points, or nothing else speaks."""
        best, rival, theta = self.advice[0], self.advice[place], self.advice.theta
        if best.chance is not None:
            return [Clause("chance", self.lead(place), (), chance=best.chance, rival_chance=rival.chance)]
        lost = float((self.parts[0] - self.parts[place]).sum())
        return (
            [Clause("daring" if theta > 0 else "safe", lost, ())] if theta and (lost < -LEAST or not gains) else []
        )

    def _clauses(self, place: int) -> list[Clause]:
        """Every clause there might be, in the order in which they are told."""
        rules = self.advice.rules
        names, filled = part_names(rules), self.advice.situation.state.filled
        mine, other = self.parts[0].tolist(), self.parts[place].tolist()
        by_box = {c: mine[c] - other[c] for c in range(rules.n_categories) if not filled >> c & 1}
        found = []
        rival, best = self.advice[place].action, self.advice.best
        if isinstance(rival, Score):
            box = box_id(rules, rival)
            found.append(Clause("leaves", by_box.pop(box), (names[box],), round(other[box]), mine[box]))
        if isinstance(best, Score):
            box = box_id(rules, best)
            found.append(Clause("takes", by_box.pop(box), (names[box],), round(mine[box]), other[box]))
        now = (self.after.by_time[0, 0] - self.after.by_time[0, place]).tolist()
        little = self.after.little[0].tolist(), self.after.little[place].tolist()
        for sign in (1, -1):
            kinds: dict[ClauseKind, dict[int, float]] = {"boxes": {}, "spared": {}, "later": {}}
            for box, part in by_box.items():
                if sign * part > 0:
                    here = sign * now[box] >= sign * part / 2
                    spared = isinstance(rival, Keep) and sign * (little[1][box] - little[0][box]) >= SELDOM
                    kinds["boxes" if here else "spared" if spared else "later"][box] = part
            found += [one for kind, parts in kinds.items() for one in _together(kind, names, parts, little)]
        if BONUS in names:
            paid, unpaid = mine[rules.n_categories], other[rules.n_categories]
            chance, rival_chance = paid / rules.bonus, unpaid / rules.bonus
            boxes = _upper_box(rules, names, mine, other)
            if isinstance(best, Score) and isinstance(rival, Score) and boxes != (names[box_id(rules, best)],):
                boxes = ()
            found.append(Clause("bonus", paid - unpaid, boxes, chance=chance, rival_chance=rival_chance))
        if EXTRA in names:
            found.append(Clause("extra", mine[-1] - other[-1], ()))
        return found


def explain(
    parts: BoxParts, advice: Advice, worth: FloatArray | None = None, context: Context = DEFAULT_CONTEXT
) -> ExplainedAdvice:
    """Advice with its parts; with a goal of chances, `worth` is that of each outcome."""
    actions = [one.action for one in advice]
    return ExplainedAdvice(advice, parts.explain(advice.situation, actions, worth, context))


@lru_cache(maxsize=16)
def is_rare(rules: Ruleset) -> tuple[bool, ...]:
    """By box: do most throws of all dice score nothing in it?"""
    scores = lattice(rules.dice, rules.faces).prob_roll @ (np.array(rules.scores) > 0)
    return tuple((scores < 0.5).tolist())


def box_id(rules: Ruleset, action: Score) -> int:
    """The category that an action scores."""
    return part_names(rules).index(action.category)


def _together(
    kind: ClauseKind, names: Sequence[str], parts: dict[int, float], little: tuple[list[float], list[float]]
) -> list[Clause]:
    """The boxes that bring most (or least) as one clause, in the order of the card."""
    ranked = sorted(parts, key=lambda box: -abs(parts[box]))[:MAX_BOXES]
    named = sorted(box for box in ranked if abs(parts[box]) >= BOX_SHARE * abs(parts[ranked[0]]))
    if not named:
        return []
    clause = Clause(kind, sum(parts[box] for box in named), tuple(names[box] for box in named))
    if kind == "spared":
        mine, other = (sum(one[box] for box in named) for one in little)
        clause = replace(clause, chance=mine, rival_chance=other)
    return [clause]


def _upper_box(
    rules: Ruleset, names: Sequence[str], mine: Sequence[float], other: Sequence[float]
) -> tuple[str, ...]:
    """The upper box that brings most more."""
    more, box = max((mine[box] - other[box], -box) for box in rules.upper_ids)
    return (names[-box],) if more >= LEAST else ()


def chosen(clauses: Sequence[Clause], best: Action, lead: float) -> list[Clause]:
    """The one or two that gain most, what a box gives up, and the largest loss if losses are worth naming."""
    gains = sorted((one for one in clauses if one.part > 0), key=lambda one: -one.part)
    vague = [one for one in gains if is_slight(one) or (one.kind == "later" and isinstance(best, Keep))]
    gains = [one for i, one in enumerate(gains) if i == 0 or one not in vague]
    losses = sorted((one for one in clauses if one.part < -LEAST), key=lambda one: one.part)
    heavy = -sum(one.part for one in losses) > sum(one.part for one in clauses if one.part > 0) / 2
    most = gains[0].part if gains else 0.0
    asked = [one for one in gains[1:] if one.kind == "leaves" and one.part >= max(ASKED_SHARE * most, LEAST)]
    share = ASKED_SHARE if gains and gains[0] in vague else SECOND_SHARE
    second = [one for one in gains[1:2] if one.part >= max(share * most, LEAST)]
    own = [
        one for one in losses if one.kind == "takes" or (one.kind == "leaves" and -one.part >= ASKED_SHARE * most)
    ]
    own += [one for one in losses[:1] if heavy and one not in own]
    if lead < CLOSE and not (gains and gains[0] in vague):
        return [*gains[:1], *sorted(own, key=lambda one: one.part)[:1]]
    said = [*gains[:1], *(asked or second)]
    return [*sorted(said, key=lambda one: one in vague), *own]


def is_slight(clause: Clause) -> bool:
    """Is it a chance of the bonus that hardly moves?"""
    return clause.kind == "bonus" and abs((clause.chance or 0.0) - (clause.rival_chance or 0.0)) < SLIGHT


def sentence(rules: Ruleset, reason: Reason) -> str:
    """The reason in English."""
    if reason.rival is None:
        return "There is nothing else to do."
    said = _Phrases(rules, reason, reason.rival).sentences()
    return " ".join(f"{one[0].upper()}{one[1:]}." for one in said)


def warning(rules: Ruleset, reason: Reason) -> str:
    """What speaks against the other action without naming the better one; nothing if all that is said does."""
    if reason.rival is None:
        return ""
    rival_only = {"leaves", "spared", "bonus"}
    if isinstance(reason.action, Score) and isinstance(reason.rival, Score):
        rival_only.add("later")
    clause = next((one for one in reason.clauses if one.part > 0 and one.kind in rival_only), None)
    if clause is None:
        return ""
    phrases = _Phrases(rules, reason, reason.rival)
    if clause.kind == "bonus":
        told = phrases.loss(replace(clause, chance=clause.rival_chance, rival_chance=clause.chance))
    else:
        told = phrases.gain(clause)
    return f"{told[0].upper()}{told[1:]}."


# Points now and on average that are closer together than this are told with a decimal, and so are fewer than TEN.
SMALL, TEN = 1.5, 10
# A chance above this is certain, and one that much above 0 is possible.
SURE = 1 - 1e-6


class _Phrases:
    """What clauses say: of the better action as it is, of the other one as it would be.

    A phrase begins small and has no stop, for it may stand inside a sentence.
    """

    def __init__(self, rules: Ruleset, reason: Reason, rival: Action) -> None:
        self.rules, self.reason, self.action, self.rival = rules, reason, reason.action, rival

    def sentences(self) -> list[str]:
        clauses = self.reason.clauses
        if not clauses:
            return [f"{self._subject(self.action)} is as good as {self._subject(self.rival)}"]
        goal = [one for one in clauses if one.kind in ("chance", "daring", "safe")]
        plain = [one for one in clauses if one not in goal]
        told = self._gains([one for one in plain if one.part > 0])
        losses = [self.loss(one) for one in plain if one.part <= 0 and one.kind != "takes"]
        if losses:
            told = [*told[:-1], ", but ".join([*told[-1:], " and ".join(losses)])]
        told += [self._given(one) for one in plain if one.part <= 0 and one.kind == "takes"]
        if goal:
            return [self._goal(goal[0]), *told]
        return [f"by a hair: {told[0]}", *told[1:]] if self.reason.lead < CLOSE else told

    def _goal(self, clause: Clause) -> str:
        if clause.kind == "chance":
            mine, other = _two_chances(clause.chance or 0.0, clause.rival_chance or 0.0)
            return f"that is a chance of {mine} instead of {other}"
        score = "higher" if clause.kind == "daring" else "surer"
        return f"this gives up {_fixed(max(-clause.part, 0.0), 1)} points on average for a {score} score"

    def _gains(self, gains: Sequence[Clause]) -> list[str]:
        by_kind = {one.kind: one for one in gains}
        if isinstance(self.action, Keep) and by_kind.keys() == {"boxes", "later"}:
            return [f"{self.gain(by_kind['boxes'])}, and leaves more for {self._boxes(by_kind['later'])} later"]
        return list(map(self.gain, gains))

    def gain(self, clause: Clause) -> str:
        """What speaks for the better action."""
        told, points, average = self._boxes(clause), clause.points or 0, clause.average or 0.0
        only, later = "only " if abs(average - points) >= SMALL else "", _average(average, points)
        match clause.kind:
            case "takes":
                told += f" is {_points(points)} now; left open, it would bring {only}{later} on average"
            case "leaves" if points:
                told += f" would be {only}{_points(points)} now; left open, it brings {later} on average"
            case "leaves":
                told = f"crossing out {told} would give up the {later} points it still brings on average"
            case "bonus":
                named = {box for one in self.reason.clauses if one is not clause for box in one.boxes}
                told = self._bonus(clause, "" if named.intersection(clause.boxes) else told)
            case "extra":
                told = f"extra points bring {_fixed(clause.part, 1)} more"
            case "boxes" if isinstance(self.rival, Score):
                told = f"{self._subject(self.action)} brings {_few(clause.part)} more in {told}"
            case "boxes":
                told = self._better(told)
            case "spared":
                told = self._little(clause)
            case _ if isinstance(self.action, Keep):
                told = f"{self._subject(self.action)} leaves more for {told} later"
            case _ if isinstance(self.rival, Keep):
                told = f"scoring now leaves more for {told}"
            case _:
                verb = "brings" if len(clause.boxes) == 1 else "bring"
                told = f"with {self._subject(self.rival)} still open, {told} {verb} more"
        return told

    def _bonus(self, clause: Clause, box: str) -> str:
        chance, other = clause.chance or 0.0, clause.rival_chance or 0.0
        if chance > SURE:
            likely = "lost" if other < 1 - SURE else f"{_two_chances(other, 1)[0]} likely"
            return f"the bonus is safe instead of {likely}"
        if other < 1 - SURE:
            return f"the bonus stays in reach ({_two_chances(chance, 0)[0]}) instead of being lost"
        now, then = _two_chances(chance, other)
        if is_slight(clause) and clause.boxes:
            return f"every point in {self._boxes(clause)} counts for the bonus: {now} instead of {then}"
        what = f"more points in {box} make the bonus" if box else "the bonus is"
        return f"{what} likelier: {now} instead of {then}"

    def loss(self, clause: Clause) -> str:
        """What speaks for the other one."""
        told = self._boxes(clause)
        match clause.kind:
            case "leaves":
                later = _average(clause.average or 0.0, clause.points or 0)
                told += f" would be {_points(clause.points or 0)} now and brings {later} on average later"
            case "bonus":
                chance, other = _two_chances(clause.chance or 0.0, clause.rival_chance or 0.0)
                told = f"the bonus would be likelier: {other} instead of {chance}"
            case "extra":
                told = f"extra points would bring {_fixed(-clause.part, 1)} more"
            case "boxes":
                told = f"{self._subject(self.rival)} would be better for {told}"
            case "spared":
                told = self._little(clause)
            case _ if isinstance(self.rival, Keep):
                told = f"{self._subject(self.rival)} would leave more for {told} later"
            case _ if isinstance(self.action, Keep):
                told = f"{self._subject(self.rival)} would leave more for {told}"
            case _:
                told = f"with {self._subject(self.action)} still open, {told} would bring more"
        return told

    def _given(self, clause: Clause) -> str:
        """What the action itself gives up by scoring its box."""
        only = "only " if -clause.part < max(one.part for one in self.reason.clauses) else ""
        boxes = self._boxes(clause)
        what = f"taking {clause.points} in {boxes}" if clause.points else f"crossing out {boxes}"
        return f"{what} gives up {only}{_few(-clause.part)} points"

    def _better(self, boxes: str) -> str:
        """Of two keeps, what the better one is better for; if it is part of the other, or has all of it, how."""
        mine, other = (Counter(one.dice if isinstance(one, Keep) else ()) for one in (self.action, self.rival))
        thrown, kept = tuple((other - mine).elements()), tuple((mine - other).elements())
        if thrown and not kept:
            one = len(thrown) == 1
            dice, tries = format_dice(thrown), "one more try" if one else "more tries"
            return f"throwing {'the ' if one else ''}{dice} too gives {tries} for {boxes}"
        if kept and other and not thrown:
            the = "the " if len(kept) == 1 else ""
            return f"keeping {the}{format_dice(kept)} too helps {boxes}"
        return f"{self._subject(self.action)} is better for {boxes}"

    def _little(self, clause: Clause) -> str:
        """How often the other keep would end with little in some boxes."""
        keep, boxes = self._subject(self.rival), self._boxes(clause, "or")
        often, usual = _two_chances(clause.rival_chance or 0.0, clause.chance or 0.0)
        if not clause.chance:
            return f"{keep} would end with little or nothing in {boxes} {often} of the time"
        more = "more" if clause.part > 0 else "less"
        return f"{keep} would {more} often end with little or nothing in {boxes}: {often} instead of {usual}"

    def _boxes(self, clause: Clause, join: str = "and") -> str:
        labels = [self._label(name) for name in clause.boxes]
        return f"{', '.join(labels[:-1])} {join} {labels[-1]}" if len(labels) > 1 else "".join(labels)

    def _label(self, name: str) -> str:
        return self.rules.categories[part_names(self.rules).index(name)].name

    def _subject(self, action: Action) -> str:
        if isinstance(action, Score):
            return self._label(action.category)
        return f"keeping {format_dice(action.dice)}" if action.dice else "a fresh throw of all dice"


def _points(points: int) -> str:
    return f"{points} point{'s' * (points != 1)}"


def _few(points: float) -> str:
    """Points on average, with a decimal if they are few."""
    return _fixed(points, 1 if points < TEN else 0)


def _average(average: float, points: int) -> str:
    """The same beside points now; with a decimal too if they are close."""
    return _fixed(average, 1) if abs(average - points) < SMALL else _few(average)


def _fixed(number: float, digits: int) -> str:
    """With this many decimals; halves are rounded up, as the page does."""
    return str(Decimal(number).quantize(Decimal(1).scaleb(-digits), ROUND_HALF_UP))


def _two_chances(one: float, other: float) -> tuple[str, str]:
    """Two chances, with as many decimals as tell them apart, and from never and always, up to two."""
    told = ("", "")
    for digits in (0, 1, 2):
        told = f"{_fixed(100 * one, digits)}%", f"{_fixed(100 * other, digits)}%"
        extremes = f"{_fixed(0, digits)}%", f"{_fixed(100, digits)}%"
        hidden = [text in extremes and 0 < chance < 1 for text, chance in zip(told, (one, other), strict=True)]
        if told[0] != told[1] and not any(hidden):
            break
    return told
