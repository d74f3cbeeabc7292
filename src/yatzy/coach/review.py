"""Review: what a finished game owes to its dice, and what to its player.

Along a game, let G be points so far plus the value of what lies ahead under optimal play. At the start G is the
value of the game. A throw moves it by luck, a decision lowers it by its regret, and at the end it is the score:

    luck of a throw     = best(roll after it, rerolls left) - value before it
    regret of a decision = best(roll, rerolls left) - value of the action played
    start value + sum of luck - sum of regret = final score

where `value before` is the value of the state for the first throw of a turn, and of the keep for the others. Luck
has mean zero whoever plays. A game that is not finished ends with its points so far plus the value of its state.

A decision that was made for a goal other than the mean is judged by that goal (`judging`): its word, its best
action and its place among the mistakes. Luck and points lost stay what they are, in points for the mean.

The same dice played perfectly: see `throws.RecordedDice` for how games are paired.
"""

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from math import fsum
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np

from yatzy.coach.judging import Judge, Judged, stored_judge
from yatzy.coach.words import loss_word
from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.evaluate.play import play_on
from yatzy.game.action import Score, action_ids
from yatzy.game.aim import Aim, Card
from yatzy.game.game import Game
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, rerolls_of
from yatzy.game.throws import RecordedDice
from yatzy.policy.base import Policy
from yatzy.policy.optimal import Optimal
from yatzy.policy.registry import find_policy
from yatzy.rules import Dice, Ruleset, State, filled_names, format_category, format_dice
from yatzy.running import Progress
from yatzy.solver.actions import action_values
from yatzy.solver.advise import TIE
from yatzy.solver.table import ValueTable

# The policy that explains mistakes, where there is one: a chart that a person can carry.
CARD = "chart-40"
BIGGEST = 3


@runtime_checkable
class Explains(Protocol):
    """A policy that can say why."""

    def explain(self, filled: int, upper: int, roll_id: int, rerolls: int) -> str: ...


@dataclass(frozen=True)
class CardSays:
    """What the card would have played, what that loses, and the rule that says so (None if it gives no reason)."""

    policy: str
    action: str
    regret: float
    rule: str | None


@dataclass(frozen=True)
class Decision:
    """One decision of a game.

    `luck` is that of the throw before it, `expected` the score to expect before that throw. `value` and
    `best_value` are points to come. `best` is a best action: the one that was played, if it is one. `judged` is
    the decision in terms of its goal, if that was not the mean; `best` is by that goal then.
    """

    turn: int
    rerolls: int
    dice: Dice
    state: State
    expected: float
    luck: float
    played: str
    value: float
    best: str
    best_value: float
    regret: float
    card: CardSays | None
    judged: Judged | None = None

    @property
    def word(self) -> str:
        return self.judged.word if self.judged else loss_word(self.regret)

    @property
    def weight(self) -> float:
        """What it lost by its goal: points, or percent of the chance."""
        return self.judged.weight if self.judged else self.regret


@dataclass(frozen=True)
class Review:
    """A game, decision by decision; `value_left` is what lies ahead of a game that is not finished.

    `replay` is the same dice played perfectly, for as many turns.
    """

    log: GameLog
    start_value: float
    decisions: tuple[Decision, ...]
    value_left: float
    replay: GameLog
    replay_value_left: float

    @property
    def luck(self) -> float:
        return fsum(decision.luck for decision in self.decisions)

    @property
    def lost(self) -> float:
        """Points lost by decisions."""
        return fsum(decision.regret for decision in self.decisions)

    @property
    def words(self) -> dict[str, int]:
        """How many decisions of each kind."""
        counts = dict.fromkeys(("perfect", "fine", "inaccuracy", "mistake", "blunder"), 0)
        for decision in self.decisions:
            counts[decision.word] += 1
        return counts

    @property
    def biggest(self) -> list[Decision]:
        """The decisions that lost most, worst first; those that lost nothing are left out."""
        lossy = [decision for decision in self.decisions if decision.weight > TIE]
        return sorted(lossy, key=lambda decision: -decision.weight)[:BIGGEST]

    def to_json(self) -> dict[str, Any]:
        """As plain values: the sums, the card, every turn and decision, the biggest mistakes and the replay."""
        rules = self.log.rules
        return {
            "rules": rules.name,
            "player": self.log.player,
            "finished": self.log.is_finished,
            "score": self.log.score,
            "bonus": self.log.bonus,
            "start_value": self.start_value,
            "luck": self.luck,
            "lost": self.lost,
            "value_left": self.value_left,
            "words": self.words,
            "turns": [self._turn_json(turn) for turn in range(len(self.log.turns))],
            "decisions": [_decision_json(rules, decision) for decision in self.decisions],
            "mistakes": [_decision_json(rules, decision) for decision in self.biggest],
            "replay": {
                "score": self.replay.score,
                "value_left": self.replay_value_left,
                "log": as_json(self.replay),
            },
        }

    def _turn_json(self, turn: int) -> dict[str, Any]:
        decisions = [decision for decision in self.decisions if decision.turn == turn]
        return {
            "turn": turn + 1,
            "category": self.log.turns[turn].category,
            "points": self.log.points[turn],
            **({"extra": self.log.extras[turn]} if self.log.extras[turn] else {}),
            "expected": decisions[0].expected,
            "luck": fsum(decision.luck for decision in decisions),
            "lost": fsum(decision.regret for decision in decisions),
        }


def _decision_json(rules: Ruleset, decision: Decision) -> dict[str, Any]:
    return {
        "turn": decision.turn + 1,
        "rerolls": decision.rerolls,
        "dice": list(decision.dice),
        "filled": filled_names(rules, decision.state.filled),
        "upper": decision.state.upper,
        **({"saved": decision.state.saved(rules)} if rules.saves_throws else {}),
        "expected": decision.expected,
        "luck": decision.luck,
        "played": decision.played,
        "value": decision.value,
        "best": decision.best,
        "best_value": decision.best_value,
        "regret": decision.regret,
        "word": decision.word,
        "card": asdict(decision.card) if decision.card else None,
        **({"goal": decision.judged.to_json()} if decision.judged else {}),
    }


class _Situation(NamedTuple):
    """A decision as the log has it; an action is a category, or the id of a keep."""

    turn: int
    rerolls: int
    dice: Dice
    roll_id: int
    state: State
    points: int
    keep_id: int | None
    category_id: int
    aim: Aim | None


def review(
    log: GameLog,
    table: ValueTable,
    card: Policy | None = None,
    judge: Judge | None = None,
    progress: Progress | None = None,
) -> Review:
    """Judge every decision of a game by a table for theta 0; `card` is a policy to compare mistakes with.

    `judge` is for decisions that were made for another goal; without one, their chances come from the home folder.
    """
    if table.theta != 0:
        raise YatzyError(f"theta: luck and skill in points need a table for theta 0, not for {table.theta}")
    for name, rules in (("table", table.rules), ("card", card.rules if card else log.rules)):
        if rules != log.rules:
            raise YatzyError(f"rules: the game was played by {log.rules.name!r}, the {name} is for {rules.name!r}")
    decisions = _by_goal(_decisions(log, table, card), _situations(log), judge or stored_judge(table), progress)
    again = Game(log.rules, dice=RecordedDice(log))
    replay = play_on(again, Optimal(table), turns=len(log.turns)).log()
    return Review(
        log=log,
        start_value=table.value(),
        decisions=tuple(decisions),
        value_left=_value_left(log, table),
        replay=replay,
        replay_value_left=_value_left(replay, table),
    )


def _value_left(log: GameLog, table: ValueTable) -> float:
    """What lies ahead; the bonus of a finished game is already in its score."""
    end = log.states[-1]
    return 0.0 if log.is_finished else table.value(end.filled, end.upper)


@lru_cache(maxsize=8)
def card_policy(rules: Ruleset) -> Policy | None:
    """The shipped card for these rules, if there is one."""
    try:
        return find_policy(CARD, rules)
    except YatzyError:
        return None


def _situations(log: GameLog) -> list[_Situation]:
    ids = lattice(log.rules.dice, log.rules.faces)
    found, points, box_ids = [], 0, action_ids(log.rules)
    for number, (turn, state) in enumerate(zip(log.turns, log.states, strict=False)):
        keeps, box = [*map(ids.id_of, turn.keeps), None], box_ids[Score(turn.category)]
        for throw, (roll, keep_id) in enumerate(zip(turn.rolls, keeps, strict=True)):
            rerolls = rerolls_of(log.rules, state) - throw
            aim = turn.goals[throw] if turn.goals else None
            found.append(_Situation(number, rerolls, roll, ids.id_of(roll), state, points, keep_id, box, aim))
        points += log.points[number]
    return found


def _decisions(log: GameLog, table: ValueTable, card: Policy | None) -> list[Decision]:
    situations = _situations(log)
    if not situations:
        return []
    worth = _Worth(table, situations)
    cards = _card_says(card, situations, worth) if card else [None] * len(situations)
    decisions = []
    before = 0.0
    for i, (at, says) in enumerate(zip(situations, cards, strict=True)):
        if at.rerolls == rerolls_of(log.rules, at.state):
            before = table.value(at.state.filled, at.state.upper)
        value = worth.of(i, at.keep_id, at.category_id)
        regret = max(worth.best[i] - value, 0.0)
        played = _action_text(log.rules, at.keep_id, at.category_id)
        decisions.append(
            Decision(
                turn=at.turn,
                rerolls=at.rerolls,
                dice=at.dice,
                state=at.state,
                expected=at.points + before,
                luck=worth.best[i] - before,
                played=played,
                value=value,
                best=played if regret <= TIE else worth.best_text(i),
                best_value=worth.best[i],
                regret=regret,
                card=says,
            )
        )
        before = value
    return decisions


def _by_goal(
    decisions: list[Decision], situations: list[_Situation], judge: Judge, progress: Progress | None
) -> Iterator[Decision]:
    """The decisions, each in terms of its goal if that was not the mean."""
    for decision, at in zip(decisions, situations, strict=True):
        if at.aim is None:
            yield decision
            continue
        mine = Card(judge.table.rules, at.state, at.points)
        worths = judge.worths(at.aim, at.dice, at.rerolls, mine, progress)
        best, best_worth = next(iter(worths.items()))
        worth = worths.get(decision.played)
        if worth is None:
            # All dice held: what they are worth with one reroll fewer.
            worth = max(judge.worths(at.aim, at.dice, at.rerolls - 1, mine, progress).values())
        judged = Judged(at.aim, worth, best, best_worth)
        yield replace(decision, judged=judged, best=best if judged.lost else decision.played)


class _Worth:
    """Values of every action in every situation of a game."""

    def __init__(self, table: ValueTable, situations: Sequence[_Situation]) -> None:
        self.rules, self.situations = table.rules, situations
        self.category, self.keep, self.keep_ids = action_values(
            table,
            [s.state.filled for s in situations],
            [s.state.upper for s in situations],
            [s.roll_id for s in situations],
            [s.rerolls for s in situations],
            threads=1,
        )
        self.all = np.concatenate([self.category, self.keep], axis=1)
        self.best: list[float] = np.nanmax(self.all, axis=1).tolist()

    def of(self, i: int, keep_id: int | None, category_id: int) -> float:
        """Value of a keep or else of a category in situation i."""
        if keep_id is None:
            return float(self.category[i, category_id])
        if keep_id == self.situations[i].roll_id:
            # All dice held: what the same dice are worth with one reroll fewer, which comes next in the log.
            return self.best[i + 1]
        return float(self.keep[i, np.flatnonzero(self.keep_ids[i] == keep_id)[0]])

    def best_text(self, i: int) -> str:
        """The best action, ties to the first as in `solver.advise`."""
        first = int(np.nanargmax(self.all[i]))
        n = self.rules.n_categories
        keep_id = None if first < n else int(self.keep_ids[i, first - n])
        return _action_text(self.rules, keep_id, first)


def _action_text(rules: Ruleset, keep_id: int | None, category_id: int) -> str:
    if keep_id is None:
        return f"score {format_category(rules, category_id)}"
    return f"keep {format_dice(lattice(rules.dice, rules.faces).keeps[keep_id]) or 'nothing'}"


def _card_says(card: Policy, situations: Sequence[_Situation], worth: _Worth) -> list[CardSays | None]:
    """The card's action in every situation; where it holds all dice, it scores them."""
    states = list(dict.fromkeys((s.state.filled, s.state.upper) for s in situations))
    decided = card.decide(*(np.array(column) for column in zip(*states, strict=True)))
    said: list[CardSays | None] = []
    for i, at in enumerate(situations):
        line = states.index((at.state.filled, at.state.upper))
        keep_id = int(decided.keep[line, at.rerolls - 1, at.roll_id]) if at.rerolls else at.roll_id
        held = None if keep_id == at.roll_id else keep_id
        category_id = int(decided.category[line, at.roll_id])
        rule = (
            card.explain(at.state.filled, at.state.upper, at.roll_id, at.rerolls)
            if isinstance(card, Explains)
            else None
        )
        regret = max(worth.best[i] - worth.of(i, held, category_id), 0.0)
        said.append(CardSays(card.name, _action_text(card.rules, held, category_id), regret, rule))
    return said
