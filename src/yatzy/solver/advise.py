"""Advice in one situation: every action with its value and its regret, in plain NumPy (`turn.numpy_turn`).

>>> import yatzy
>>> advice = yatzy.solve().advise("1 3 3 5 6", rerolls=2)
>>> advice
<Advice for '1 3 3 5 6 | 2 | - @ 0': keep 3 3, 245.755; 38 actions>
>>> advice.best, round(advice.best.value, 3)
(Keep(dice=(3, 3)), 245.755)
>>> advice[1].action, round(advice[1].regret, 3)
(Keep(dice=(5, 6)), 0.082)
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import TYPE_CHECKING, Annotated, Any, Literal, NamedTuple, TypedDict, cast, overload

from yatzy.arrays import Tabular
from yatzy.errors import YatzyError
from yatzy.game.action import Action, Keep, Score, actions_of
from yatzy.game.json import INLINE, json_property
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset
from yatzy.svg import html_table
from yatzy.turn.numpy_turn import NumpyTurn
from yatzy.turn.outcomes import outcomes

if TYPE_CHECKING:
    from yatzy.solver.table import ValueTable

# Actions in a notebook's table.
SHOWN = 8

LossWord = Literal["perfect", "fine", "inaccuracy", "mistake", "blunder"]
LeadWord = Literal["only choice", "equal", "close call", "clear", "obvious"]

# Differences up to this are rounding: such actions are equally good.
TIE = 1e-9
# The same for chances, which are float32.
CHANCE_TIE = 1e-6
# Each word is for differences below this many points, or percent of a chance.
LOSS_WORDS: tuple[tuple[LossWord, float], ...] = (("fine", 0.5), ("inaccuracy", 2.0), ("mistake", 5.0))
LEAD_WORDS: tuple[tuple[LeadWord, float], ...] = (("close call", 0.5), ("clear", 2.0))

GoalName = Literal["mean", "risk", "reach", "beat", "duel", "utility"]


class LikelyEnd(NamedTuple):
    """A likely end of the turn: the box, its points, and the probability."""

    category: str
    points: int
    prob: float


class AdvisedAction(NamedTuple):
    """An action, its value (expected remaining points) and its regret (the loss against the best action).

    `chance` is that of the goal, if the goal is one. The coach adds the chance of the bonus, the chance that the
    turn brings more than any box would now, and the likeliest ends of the turn.

    Asked for, `why` says why the best action is better (of the best: why it is best), and `parts` by box, bonus
    and extra points what an action loses: the sum is its regret. With a risk or a chance there are instead the
    points that each box brings after the action, which need not sum to anything (`points_by_box`).
    """

    action: Action
    value: float
    regret: float
    chance: float | None = None
    bonus_chance: float | None = None
    improve_chance: float | None = None
    outcomes: tuple[LikelyEnd, ...] = ()
    why: str | None = None
    parts: dict[str, float] | None = None
    points_by_box: dict[str, float] | None = None

    @property
    def worth(self) -> float:
        """What actions are ranked by: the chance if there is one, else the value."""
        return self.value if self.chance is None else self.chance

    @json_property
    def keep(self) -> tuple[int, ...] | None:
        """The held dice of a keep."""
        return self.action.dice if isinstance(self.action, Keep) else None

    @json_property
    def category(self) -> str | None:
        """The box of a score."""
        return self.action.category if isinstance(self.action, Score) else None

    @json_property
    def points(self) -> int | None:
        """The points of a score."""
        return self.action.points if isinstance(self.action, Score) else None

    @json_property
    def extra(self) -> int | None:
        """The part of them that is not written into the box."""
        return (self.action.extra or None) if isinstance(self.action, Score) else None


@dataclass(frozen=True, repr=False)
class Advice(Sequence[AdvisedAction], Tabular):
    """Every action of a situation, best first; ties by value, then by id. `goal` says what is maximised:

    mean    the expected score                  risk    the mean of exp(theta * score)
    reach   the chance of `target`, with `need` points still missing
    beat    the chance to beat `others` at the table, who play for the mean; an estimate unless `exact`
    duel    the chance to win a duel, in which the player `moves_first` or second
    utility a utility of the final score, which takes the place of the chance
    """

    situation: Annotated[Situation, INLINE]
    actions: tuple[AdvisedAction, ...]
    theta: float
    goal: GoalName
    target: int | None = None
    need: int | None = None
    others: int | None = None
    exact: bool | None = None
    moves_first: bool | None = None

    @json_property
    def rules(self) -> Ruleset:
        return self.situation.rules

    @json_property
    def value(self) -> float:
        """The value of the best action."""
        return self.actions[0].value

    @json_property
    def chance(self) -> float | None:
        """The chance of the goal after the best action."""
        return self.actions[0].chance

    @json_property
    def lead(self) -> LeadWord:
        """The lead of the best action, in a word."""
        if len(self.actions) == 1:
            return lead_word(None)
        first, second = self.actions[:2]
        lead = first.worth - second.worth
        return lead_word(lead) if first.chance is None else chance_lead_word(lead)

    @property
    def best(self) -> Action:
        """The best action, which knows its value."""
        return replace(self.actions[0].action, value=self.actions[0].value)

    def of(self, action: Action) -> AdvisedAction | None:
        """The advice on one action; None if it is not allowed."""
        return next((one for one in self.actions if one.action == action), None)

    def columns(self) -> dict[str, Any]:
        """One row per action, with the action as text, without the likely ends."""
        said = [
            name for name in AdvisedAction._fields if name != "outcomes" and getattr(self[0], name) is not None
        ]
        columns = {name: [getattr(one, name) for one in self.actions] for name in said}
        return columns | {"action": [str(one.action) for one in self.actions]}

    @overload
    def __getitem__(self, index: int) -> AdvisedAction: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[AdvisedAction, ...]: ...

    def __getitem__(self, index: int | slice) -> AdvisedAction | tuple[AdvisedAction, ...]:
        return self.actions[index]

    def __len__(self) -> int:
        return len(self.actions)

    def __iter__(self) -> Iterator[AdvisedAction]:
        return iter(self.actions)

    def __repr__(self) -> str:
        worth = f"{self.value:.3f}" if self.chance is None else f"{self.chance:.3%}"
        return f"<Advice for {str(self.situation)!r}: {self.best}, {worth}; {len(self)} actions>"

    def _repr_html_(self) -> str:
        rows = [(str(one.action), one.value, one.regret) for one in self.actions[:SHOWN]]
        more = f": the best {SHOWN} of {len(self)} actions" if len(self) > SHOWN else ""
        return html_table(("action", "value", "regret"), rows, f"{self.situation}{more}")


def advise(table: "ValueTable", here: Situation) -> Advice:
    """Every action in a situation that `as_situation` has checked, best first; ties in the order of ids."""
    state = here.state
    check_unfinished(table.rules, state.filled)
    turn = turn_of(table, state.filled, state.upper, here.rerolls)
    goal: GoalName = "risk" if table.theta else "mean"
    return Advice(here, ranked_actions(table.rules, turn, here.roll_id), table.theta, goal)


def ranked_actions(rules: Ruleset, turn: NumpyTurn, roll_id: int) -> tuple[AdvisedAction, ...]:
    """The actions of a roll, best first."""
    ranked, actions, scores = turn.ranked(roll_id), actions_of(rules), scores_of(rules)
    outcome, n, best = turn.outcome[:, roll_id].tolist(), rules.n_categories, ranked[0][1]
    return tuple(
        AdvisedAction(scores[outcome[i]] if i < n else actions[i], value, best - value) for i, value in ranked
    )


@lru_cache(maxsize=16)
def scores_of(rules: Ruleset) -> tuple[Score, ...]:
    """The score of each outcome, with its points."""
    ends, names = outcomes(rules), [one.category for one in actions_of(rules) if isinstance(one, Score)]
    columns = zip(ends.category.tolist(), ends.points.tolist(), ends.extra.tolist(), strict=True)
    return tuple(Score(names[category_id], points, extra) for category_id, points, extra in columns)


def check_unfinished(rules: Ruleset, filled: int) -> None:
    """Refuse a finished game."""
    if rules.is_finished(filled):
        raise YatzyError("filled", why="the game is finished, no category is open")


def turn_of(table: "ValueTable", filled: int, upper: int, rerolls: int) -> NumpyTurn:
    """The turn of a state under this table."""
    return NumpyTurn(table.rules, table.stored, table.theta, filled, upper, rerolls)


def loss_word(regret: float) -> LossWord:
    """The word for a decision that lost this many points (or percent of a chance)."""
    if regret <= TIE:
        return "perfect"
    return next((word for word, below in LOSS_WORDS if regret < below), "blunder")


def lead_word(lead: float | None) -> LeadWord:
    """The word for a decision whose best action leads by this much; None if it is the only one."""
    if lead is None:
        return "only choice"
    if lead <= TIE:
        return "equal"
    return next((word for word, below in LEAD_WORDS if lead < below), "obvious")


def chance_lead_word(lead: float | None) -> LeadWord:
    """The same for a lead in chance."""
    return lead_word(lead and (100 * lead if lead > CHANCE_TIE else 0.0))


class LossLimits(TypedDict):
    """Upper limits of losses: up to `perfect`, below the others; beyond is a blunder."""

    perfect: float
    fine: float
    inaccuracy: float
    mistake: float


# In functional syntax, because of the space in a name.
LeadLimits = TypedDict("LeadLimits", {"equal": float, "close call": float, "clear": float})
LeadLimits.__doc__ = "Upper limits of leads: up to `equal`, below the others; beyond it is obvious."


class WordLimits(TypedDict):
    """The limits of the words for losses and leads, in points."""

    loss: LossLimits
    lead: LeadLimits


def word_limits() -> WordLimits:
    """The limits as data."""
    limits = {"loss": {"perfect": TIE, **dict(LOSS_WORDS)}, "lead": {"equal": TIE, **dict(LEAD_WORDS)}}
    return cast("WordLimits", limits)
