"""Review: how much of a game's score is luck and how much is skill.

Let G be the points so far plus the value of the state under optimal play. At the start of a game G is the value
of that game. A throw moves it by its luck, a decision lowers it by its regret, and at the end it is the score:

    luck of a throw      = best(roll after it, rerolls left) - value before it
    regret of a decision = best(roll, rerolls left) - value of the action played
    start value + sum of luck - sum of regret = final score

where `value before` is the value of the state for the first throw of a turn, and of the keep for the others. Luck
has mean zero whoever plays. A game that is not finished ends with its points so far plus the value of its state.
One that was taken over from paper (`game.start`) begins with the points and value of that state, or of the dice on
the table then: nobody knows what luck they were.

Where the coach warned before a decision, what was wanted first is judged: what was played then is partly the
coach's. The difference is what the warning spared the player:

    regret = best - value of what was wanted first        spared = regret - (best - value of the action played)
    start value + sum of luck - sum of regret + sum of spared = final score

A decision made for another goal than the mean (a target, a risk, to beat the others: `game.aim`) is judged by that
goal: what the best action for it is worth, less what the played one is. That gives its word, its best action and
its place among the mistakes; luck and points lost stay in points for the mean. Whoever follows the coach loses
nothing.

The same dice are also played perfectly; `game.dice.RecordedDice` says how the two games are paired.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from math import fsum
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from yatzy.arrays import Tabular
from yatzy.coach.advice import GoalAdvisor, stored_chances
from yatzy.coach.why import explain, sentence
from yatzy.context import DEFAULT_CONTEXT, Context, Progress
from yatzy.errors import YatzyError
from yatzy.game.action import Action, action_ids, actions_of
from yatzy.game.aim import Aim
from yatzy.game.dice import RecordedDice
from yatzy.game.game import Game, GameGiven, log_of
from yatzy.game.json import HIDDEN, INLINE, json_property
from yatzy.game.log import GameLog
from yatzy.game.situation import Situation
from yatzy.measure.parts import BoxParts
from yatzy.rules import Dice, Ruleset, format_dice, ruleset
from yatzy.solver.advise import CHANCE_TIE, TIE, Advice, LossWord, loss_word
from yatzy.solver.solve import solve
from yatzy.solver.store import table_of
from yatzy.solver.table import ValueTable
from yatzy.svg import html_table

if TYPE_CHECKING:
    from yatzy.policies.policy import Policy


@dataclass(frozen=True)
class Verdict:
    """A decision judged by its goal: what the played and the best action are worth, as chances or as points."""

    aim: Annotated[Aim, HIDDEN]
    worth: Annotated[float, HIDDEN]
    best: Annotated[Action, HIDDEN]
    best_worth: Annotated[float, HIDDEN]

    @json_property
    def lost(self) -> float:
        """What it lost; a difference within rounding is 0."""
        lost = self.best_worth - self.worth
        return lost if lost > (CHANCE_TIE if self.aim.is_chance else TIE) else 0.0

    @json_property
    def target(self) -> int | None:
        return self.aim.target

    @json_property
    def theta(self) -> float | None:
        return self.aim.theta or None

    @json_property
    def others(self) -> int | None:
        """How many others there are to beat."""
        return len(self.aim.others) or None

    @json_property
    def chance(self) -> float | None:
        return self.worth if self.aim.is_chance else None

    @json_property
    def best_chance(self) -> float | None:
        return self.best_worth if self.aim.is_chance else None

    @json_property
    def value(self) -> float | None:
        return None if self.aim.is_chance else self.worth

    @json_property
    def best_value(self) -> float | None:
        return None if self.aim.is_chance else self.best_worth

    @property
    def weight(self) -> float:
        """What it lost in the unit of the words: points, or percentage points of the chance."""
        return self.lost * 100 if self.aim.is_chance else self.lost

    @property
    def word(self) -> LossWord:
        return loss_word(self.weight)


@dataclass(frozen=True, eq=False)
class Judge:
    """Judges decisions by any aim; `table` is for the mean, `values(theta)` for a risk."""

    table: ValueTable
    chances: GoalAdvisor
    values: Callable[[float], ValueTable]

    def judge(
        self, aim: Aim, here: Situation, points: int, played: Action, progress: Progress | None = None
    ) -> Verdict:
        """`points` are those on the card."""
        advice = self.advise(aim, here, points, progress)
        found = advice.of(played)
        if found is None:
            # All dice were held: they are worth what they are with one reroll fewer.
            later = Situation.of(here.rules, here.dice, here.rerolls - 1, here.state)
            found = self.advise(aim, later, points, progress)[0]
        return Verdict(aim, found.worth, advice.best, advice[0].worth)

    def advise(self, aim: Aim, here: Situation, points: int, progress: Progress | None = None) -> Advice:
        """Every action, the best for the goal first."""
        if aim.is_chance:
            return self.chances.advise(aim, self.table, here, points, progress)
        return self.values(aim.theta).advise(here)

    def why(
        self, aim: Aim | None, here: Situation, points: int, played: Action, parts: BoxParts, context: Context
    ) -> str | None:
        """Why the best action is better than the one played; None if all dice were held."""
        worth, progress = None, context.progress
        advice = self.advise(aim, here, points, progress) if aim else self.table.advise(here)
        if advice.of(played) is None:
            return None
        if aim and aim.is_chance:
            worth = self.chances.worth(aim, self.table, here.state, points, progress)
        elif aim and aim.theta:
            parts = BoxParts(self.values(aim.theta), context)
        return sentence(here.rules, explain(parts, advice, worth, context).reason(played))


def stored_judge(table: ValueTable, context: Context = DEFAULT_CONTEXT) -> Judge:
    """A judge with chances from the home folder, which are solved now if they are missing."""

    @lru_cache(maxsize=4)
    def values(theta: float) -> ValueTable:
        return solve(table.rules, theta, draft=True, context=context.quiet())

    return Judge(table, stored_chances(context), values)


# The policy that mistakes are compared with, if the game has it: a chart that a person can carry.
CARD = "chart-40"
MAX_MISTAKES = 3


@runtime_checkable
class Explains(Protocol):
    """A policy that gives reasons."""

    def explain(self, filled: int, upper: int, roll_id: int, rerolls: int) -> str: ...


@dataclass(frozen=True)
class CardAdvice:
    """What the chart would have played, and what that loses."""

    policy: str
    action: Action
    regret: float
    situation: Annotated[Situation, HIDDEN]
    card: Annotated[Explains | None, HIDDEN]

    @json_property
    def rule(self) -> str | None:
        """The rule behind it, if the chart gives reasons."""
        if self.card is None:
            return None
        here = self.situation
        return self.card.explain(here.state.filled, here.state.upper, here.roll_id, here.rerolls)


@dataclass(frozen=True)
class Decision:
    """One decision of a game; turns are counted from 1, `dice` are in the order they lay.

    `luck` is that of the throw before it, `expected` the score to expect before that throw. `value` of the action
    played and `best_value` are points to come. `best` is a best action: the one that was played, if it is one. If
    the goal was not the mean, `goal` is the verdict by it, and `best` is best for it. If the coach warned,
    `wanted` is what was about to be played then; it counts in `regret` and in the verdict, and the warning
    `spared` the difference to what was played. `lead` is how far the best action is ahead of the next, None if it
    is the only one. `why` says why the best action is better; of the worst decisions only, and if asked.
    """

    turn: int
    situation: Annotated[Situation, INLINE]
    dice: Dice
    expected: float
    luck: float
    played: Action
    value: float
    best: Action
    best_value: float
    regret: float
    card: CardAdvice | None
    goal: Verdict | None = None
    wanted: Action | None = None
    spared: float = 0.0
    lead: float | None = None
    why: str | None = None

    @json_property
    def word(self) -> LossWord:
        """From perfect to blunder, by what it lost for its goal."""
        return self.goal.word if self.goal else loss_word(self.regret)

    @property
    def rerolls(self) -> int:
        return self.situation.rerolls

    @property
    def judged(self) -> Action:
        """What counts: the action that was wanted first."""
        return self.wanted or self.played

    @property
    def weight(self) -> float:
        """What it lost by its goal: points, or percentage points of the chance."""
        return self.goal.weight if self.goal else self.regret


@dataclass(frozen=True)
class ReviewedTurn:
    """A turn, counted from 1: the box scored, the score to expect before it, luck, and points lost."""

    turn: int
    category: str
    points: int
    expected: float
    luck: float
    lost: float
    extra: int = 0
    spared: float = 0.0


@dataclass(frozen=True)
class Replay:
    """The same dice played perfectly for as many turns; `value_left` is the value of what is left then."""

    log: GameLog
    value_left: float

    @json_property
    def score(self) -> int:
        return self.log.score


@dataclass(frozen=True, repr=False)
class Review(Tabular):
    """A game, decision by decision; `value_left` is the value of what is left of an unfinished game."""

    log: Annotated[GameLog, HIDDEN]
    start_value: float
    value_left: float
    decisions: tuple[Decision, ...]
    replay: Replay

    @json_property
    def rules(self) -> Ruleset:
        return self.log.rules

    @json_property
    def player(self) -> str | None:
        return self.log.player

    @json_property
    def finished(self) -> bool:
        return self.log.is_finished

    @json_property
    def score(self) -> int:
        return self.log.score

    @json_property
    def bonus(self) -> int:
        return self.log.bonus

    @json_property
    def luck(self) -> float:
        """Points won through the dice."""
        return fsum(decision.luck for decision in self.decisions)

    @json_property
    def lost(self) -> float:
        """Points lost by decisions, as they were wanted first."""
        return fsum(decision.regret for decision in self.decisions)

    @json_property
    def spared(self) -> float:
        """Points that were not lost, because the coach warned."""
        return fsum(decision.spared for decision in self.decisions)

    @json_property
    def words(self) -> dict[LossWord, int]:
        """How many decisions of each kind."""
        counts: dict[LossWord, int] = dict.fromkeys(("perfect", "fine", "inaccuracy", "mistake", "blunder"), 0)
        for decision in self.decisions:
            counts[decision.word] += 1
        return counts

    @json_property
    def turns(self) -> tuple[ReviewedTurn, ...]:
        return tuple(self._turn(number) for number in range(len(self.log.turns)))

    @json_property
    def mistakes(self) -> tuple[Decision, ...]:
        """The decisions that lost most, worst first."""
        lossy = [decision for decision in self.decisions if decision.weight > TIE]
        return tuple(sorted(lossy, key=lambda decision: -decision.weight)[:MAX_MISTAKES])

    def _turn(self, number: int) -> ReviewedTurn:
        turn = self.log.n_before + number + 1
        decisions = [decision for decision in self.decisions if decision.turn == turn]
        return ReviewedTurn(
            turn=turn,
            category=self.log.turns[number].category,
            points=self.log.points[number],
            expected=decisions[0].expected,
            luck=fsum(decision.luck for decision in decisions),
            lost=fsum(decision.regret for decision in decisions),
            extra=self.log.extras[number],
            spared=fsum(decision.spared for decision in decisions),
        )

    def columns(self) -> dict[str, Any]:
        """One row per decision."""
        names = ("turn", "rerolls", "played", "best", "value", "regret", "luck", "word")
        texts = ("played", "best")
        columns = {
            name: [str(getattr(one, name)) if name in texts else getattr(one, name) for one in self.decisions]
            for name in names
        }
        return {"dice": [format_dice(one.dice) for one in self.decisions], **columns}

    def __repr__(self) -> str:
        return (
            f"<Review: {self.score} points, {self.luck:+.1f} by luck, {self.spared - self.lost:+.1f} by decisions>"
        )

    def _repr_html_(self) -> str:
        rows = [
            (one.turn, format_dice(sorted(one.dice)), str(one.judged), str(one.best), one.regret)
            for one in self.mistakes
        ]
        return html_table(("turn", "dice", "played", "better", "lost"), rows, repr(self)[1:-1])


class Moment(NamedTuple):
    """A decision of the log, with the points on the card and the aim of the decision.

    `is_first` if a turn begins with it; `is_given` if its dice lay there when the game was taken over.
    """

    turn: int
    is_first: bool
    is_given: bool
    situation: Situation
    dice: Dice
    points: int
    played: Action
    aim: Aim | None
    wanted: Action | None


def review(
    game: GameGiven,
    table: ValueTable | None = None,
    card: "Policy | None" = None,
    judge: Judge | None = None,
    context: Context = DEFAULT_CONTEXT,
    rules: str | Ruleset | None = None,
    parts: BoxParts | None = None,
) -> Review:
    """How much of a game's score is luck and how much is skill, decision by decision.

    >>> import yatzy
    >>> found = yatzy.review(yatzy.play_on(yatzy.Game(seed=7), "heuristic"))
    >>> found
    <Review: 220 points, +60.3 by luck, -88.7 by decisions>
    >>> round(found.start_value + found.luck - found.lost, 6) == found.log.score
    True
    >>> found.frame().columns[:4]
    ['dice', 'turn', 'rerolls', 'played']

    `game` is a `Game`, its log, the log as a JSON object, or a file with one game. `rules` are for rules of your
    own. Without a `table` (for theta 0), that of the home folder is used, and mistakes are compared with a shipped
    chart; `card` is another policy to compare them with. `judge` judges decisions made for another goal than the
    mean; without one, chances come from the home folder. With `parts` of the table, the worst decisions say why.
    """
    log = log_of(game, None if rules is None else ruleset(rules))
    with context.shown("reviewing") as shown:
        if table is None:
            table, card = table_of(log.rules, context=shown), card or card_policy(log.rules)
        judge = judge or stored_judge(table, shown.quiet())
        found = _judged(log, table, card, judge, shown)
        return _explained(found, judge, parts, shown) if parts else found


def _judged(log: GameLog, table: ValueTable, card: "Policy | None", judge: Judge, context: Context) -> Review:
    # These import Numba, which showing a review does not need.
    from yatzy.measure.simulate import play_on
    from yatzy.policies.optimal import Optimal

    if table.theta != 0:
        raise YatzyError("theta", table.theta, "0, a table by which luck and skill are points")
    for name, rules in (("table", table.rules), ("card", card.rules if card else log.rules)):
        if rules != log.rules:
            raise YatzyError(
                "rules", log.rules.name, why=f"{{given}} is what was played; the {name} is for {rules.name!r}"
            )
    decisions = _decisions(log, table, card, judge, context.progress)
    again = Game.from_log(GameLog(log.rules, (), start=log.start), RecordedDice(log))
    replay = play_on(again, Optimal(table), turns=len(log.turns)).log()
    return Review(
        log=log,
        start_value=decisions[0].expected if decisions else log.score + _value_left(log, table),
        value_left=_value_left(log, table),
        decisions=tuple(decisions),
        replay=Replay(replay, _value_left(replay, table)),
    )


def _explained(found: Review, judge: Judge, parts: BoxParts, context: Context) -> Review:
    """The same, with why the worst decisions were wrong."""
    worst = {id(one) for one in found.mistakes}
    decisions = tuple(
        replace(one, why=judge.why(at.aim, one.situation, at.points, one.judged, parts, context))
        if id(one) in worst
        else one
        for at, one in zip(moments(found.log), found.decisions, strict=True)
    )
    return replace(found, decisions=decisions)


def _value_left(log: GameLog, table: ValueTable) -> float:
    """The value of what is left; the bonus of a finished game is already in its score."""
    end = log.states[-1]
    return 0.0 if log.is_finished else table.value(end.filled, end.upper)


@lru_cache(maxsize=8)
def card_policy(rules: Ruleset) -> "Policy | None":
    """The shipped chart for these rules, if there is one."""
    from yatzy.policies.registry import find_policy

    try:
        return find_policy(CARD, rules)
    except YatzyError:
        return None


def moments(log: GameLog) -> list[Moment]:
    """Every decision of a game, in order."""
    found, points = [], log.points_before
    for number, (turn, state) in enumerate(zip(log.turns, log.states, strict=False)):
        for throw, (roll, action) in enumerate(zip(turn.rolls, turn.actions, strict=True)):
            here = Situation.of(log.rules, roll, log.rerolls_at(number) - throw, state)
            is_given = number == throw == 0 and log.begins_with_dice
            aim = turn.goals[throw] if turn.goals else None
            wanted = turn.wanted[throw] if turn.wanted else None
            turn_number = log.n_before + number + 1
            found.append(Moment(turn_number, throw == 0, is_given, here, roll, points, action, aim, wanted))
        points += log.points[number]
    return found


def _decisions(
    log: GameLog, table: ValueTable, card: "Policy | None", judge: Judge, progress: Progress | None
) -> list[Decision]:
    found = moments(log)
    if not found:
        return []
    worth = _Worth(table, found)
    cards = _card_advice(card, found, worth) if card else [None] * len(found)
    decisions = []
    before = 0.0
    for i, (at, says) in enumerate(zip(found, cards, strict=True)):
        here = at.situation
        if at.is_first:
            before = worth.best[i] if at.is_given else table.value(here.state.filled, here.state.upper)
        value = worth.of(i, at.played)
        lost = max(worth.best[i] - value, 0.0)
        judged = at.wanted or at.played
        regret = max(worth.best[i] - worth.of(i, judged), 0.0)
        goal = judge.judge(at.aim, here, at.points, judged, progress) if at.aim else None
        best = at.played if lost <= TIE else worth.best_action(i)
        if goal is not None:
            best = goal.best if goal.lost else judged
        decisions.append(
            Decision(
                turn=at.turn, situation=here, dice=at.dice, expected=at.points + before,
                luck=worth.best[i] - before, played=at.played, value=value, best=best, best_value=worth.best[i],
                regret=regret, card=says, goal=goal, wanted=at.wanted,
                spared=regret - lost, lead=worth.lead(i),
            )
        )  # fmt: skip
        before = value
    return decisions


class _Worth:
    """Values of every action at every moment of a game."""

    def __init__(self, table: ValueTable, moments: Sequence[Moment]) -> None:
        from yatzy.solver.actions import action_values

        self.rules, self.moments = table.rules, moments
        self.category, self.keep, self.keep_ids = action_values(
            table,
            [at.situation.state.filled for at in moments],
            [at.situation.state.upper for at in moments],
            [at.situation.roll_id for at in moments],
            [at.situation.rerolls for at in moments],
            threads=1,
        )
        self.all = np.concatenate([self.category, self.keep], axis=1)
        self.best: list[float] = np.nanmax(self.all, axis=1).tolist()

    def of(self, i: int, action: Action) -> float:
        """Value of an action at moment i."""
        n, action_id = self.rules.n_categories, action_ids(self.rules)[action]
        if action_id < n:
            return float(self.category[i, action_id])
        if action_id - n == self.moments[i].situation.roll_id:
            # All dice held: they are worth what they are at the next moment, with one reroll fewer.
            return self.best[i + 1]
        return float(self.keep[i, np.flatnonzero(self.keep_ids[i] == action_id - n)[0]])

    def lead(self, i: int) -> float | None:
        """How far the best action at moment i is ahead of the next; None if it is the only one."""
        values = np.sort(self.all[i][~np.isnan(self.all[i])])
        return float(values[-1] - values[-2]) if len(values) > 1 else None

    def best_action(self, i: int) -> Action:
        """The best action, ties to the first as in `solver.advise`."""
        first, n = int(np.nanargmax(self.all[i])), self.rules.n_categories
        return actions_of(self.rules)[first if first < n else n + int(self.keep_ids[i, first - n])]


def _card_advice(card: "Policy", moments: Sequence[Moment], worth: _Worth) -> list[CardAdvice | None]:
    """The chart's action at every moment; where it holds all dice, it scores them."""
    states = list(dict.fromkeys((at.situation.state.filled, at.situation.state.upper) for at in moments))
    decided = card.decide(*(np.array(column) for column in zip(*states, strict=True)))
    actions = actions_of(card.rules)
    said: list[CardAdvice | None] = []
    for i, at in enumerate(moments):
        here = at.situation
        line = states.index((here.state.filled, here.state.upper))
        keep_id = int(decided.keep[line, here.rerolls - 1, here.roll_id]) if here.rerolls else here.roll_id
        scores = keep_id == here.roll_id
        action = actions[
            int(decided.category[line, here.roll_id]) if scores else card.rules.n_categories + keep_id
        ]
        regret = max(worth.best[i] - worth.of(i, action), 0.0)
        said.append(CardAdvice(card.name, action, regret, here, card if isinstance(card, Explains) else None))
    return said
