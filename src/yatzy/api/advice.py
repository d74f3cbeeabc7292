"""`yatzy.advise` and `yatzy.action_values`: what to do in one situation, and what actions are worth in many."""

from collections.abc import Sequence
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, overload

import numpy as np
from numpy.typing import ArrayLike

from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.game.aim import check_theta
from yatzy.game.situation import Situation
from yatzy.pictures import html_table
from yatzy.rules import Ruleset, parse_dice, ruleset
from yatzy.solver.actions import ActionValues
from yatzy.solver.actions import action_values as values_of_actions
from yatzy.solver.advise import Action
from yatzy.solver.advise import advise as advise_here
from yatzy.solver.states import DiceGiven, FilledGiven, as_situation, as_state
from yatzy.solver.store import table_of
from yatzy.solver.table import ValueTable

if TYPE_CHECKING:
    import polars

# Actions in a notebook's picture.
SHOWN = 8


class Advice(list[Action]):
    """Every action of a situation, best first."""

    def __init__(self, actions: Sequence[Action], situation: Situation) -> None:
        super().__init__(actions)
        self.situation = situation

    @property
    def best(self) -> str:
        """The best action in words."""
        return self[0].action

    def frame(self) -> "polars.DataFrame":
        """One row per action: action, value, regret."""
        import polars as pl

        return pl.DataFrame([asdict(action) for action in self])

    def __reduce__(self) -> tuple[Any, ...]:
        return Advice, (list(self), self.situation)

    def __repr__(self) -> str:
        return f"<Advice for {str(self.situation)!r}: {self.best}, {self[0].value:.3f}; {len(self)} actions>"

    def _repr_html_(self) -> str:
        rows = [(one.action, one.value, one.regret) for one in self[:SHOWN]]
        more = f": the best {SHOWN} of {len(self)} actions" if len(self) > SHOWN else ""
        return html_table(("action", "value", "regret"), rows, f"{self.situation}{more}")


@overload
def advise(
    table: ValueTable,
    dice: DiceGiven | Situation,
    rerolls: int | None = None,
    filled: FilledGiven = 0,
    upper: int | None = None,
) -> Advice: ...


@overload
def advise(
    dice: DiceGiven | Situation,
    rerolls: int | None = None,
    filled: FilledGiven = 0,
    upper: int | None = None,
    *,
    rules: str | Ruleset = "scandinavian",
    theta: float = 0.0,
) -> Advice: ...


def advise(*given: Any, **named: Any) -> Advice:
    """Every action in a situation, best first, with its value and what it loses against the best.

    >>> import yatzy
    >>> advice = yatzy.advise("1 3 3 5 6", rerolls=2)
    >>> advice
    <Advice for '1 3 3 5 6 | 2 | - @ 0': keep 3 3, 245.755; 38 actions>
    >>> advice[1]
    Action(action='keep 5 6', value=245.673..., regret=0.0816...)
    >>> yatzy.advise("1 3 3 5 6 | 2 | ones,pair @ 3").best
    'keep 3 3'
    >>> yatzy.advise("5 5 5 5 5", rerolls=0, filled="yahtzee*", rules="yahtzee").best
    'score fives'

    advise(dice, rerolls, filled, upper, rules=..., theta=...) solves the game, once; advise(table, dice, rerolls,
    filled, upper) takes a table that you have. One text may stand for all of the situation.
    """
    if given and isinstance(given[0], ValueTable):
        return _advise(*given, **named)
    if "table" in named:
        return _advise(named.pop("table"), *given, **named)
    theta, rules = named.pop("theta", 0.0), named.pop("rules", None)
    dice = given[0] if given else named.get("dice")
    if rules is None:
        rules = dice.rules if isinstance(dice, Situation) else "scandinavian"
    here = as_situation(ruleset(rules), *given, **named)
    return _advise(table_of(here.rules, check_theta(theta)), here)


def _advise(
    table: ValueTable,
    dice: DiceGiven | Situation,
    rerolls: int | None = None,
    filled: FilledGiven = 0,
    upper: int | None = None,
) -> Advice:
    here = as_situation(table.rules, dice, rerolls, filled, upper)
    state = here.state
    return Advice(advise_here(table, here.dice, here.rerolls, state.filled, state.upper), here)


def action_values(
    table: ValueTable,
    filled: Any = 0,
    upper: Any = 0,
    roll_ids: Any = 0,
    rerolls: ArrayLike = 0,
    threads: int | None = None,
) -> ActionValues:
    """What every action is worth in many situations at once; the arguments are broadcast against each other.

    >>> import yatzy
    >>> table = yatzy.solve()
    >>> values = yatzy.action_values(table, roll_ids=range(252), rerolls=2)
    >>> values.keep.shape, round(float(values.category[0].max()), 3)         # every keep of every opening roll
    ((252, 32), 280.122)
    >>> some = yatzy.action_values(table, ["ones @ 3", "ones,yatzy @ 2"], roll_ids=["13356", "66666"], rerolls=0)
    >>> some.category.shape
    (2, 15)

    `filled` may be masks or texts (with their upper totals: then leave out `upper`), `roll_ids` ids or dice. NaN
    stands where an action is not allowed.
    """
    rules = table.rules
    states = _texts(filled)
    if states is not None:
        if not isinstance(upper, int) or upper:
            raise YatzyError("upper: is part of the texts of states, such as 'ones @ 3'; leave it out")
        found = [as_state(rules, text) for text in states]
        filled, upper = np.array([one.filled for one in found]), np.array([one.upper for one in found])
    rolls = _texts(roll_ids)
    if rolls is not None:
        grid = lattice(rules.dice, rules.faces)
        roll_ids = np.array([grid.id_of(parse_dice(rules, text)) for text in rolls])
    return values_of_actions(table, filled, upper, roll_ids, rerolls, threads)


def _texts(given: Any) -> list[str] | None:
    """The texts that were given, None if they are numbers."""
    if isinstance(given, str):
        return [given]
    if isinstance(given, int | np.ndarray | range):
        return None
    items = list(given) if hasattr(given, "__iter__") else []
    return items if items and all(isinstance(item, str) for item in items) else None
