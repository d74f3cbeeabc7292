"""The protocols of players: what a policy decides in any state with any roll, and the checks of its decisions."""

import hashlib
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, NamedTuple, Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import Bools2, FloatArray, IntArray, Ints1, Ints2, Ints3
from yatzy.errors import YatzyError
from yatzy.game.action import Action
from yatzy.game.game import Game
from yatzy.rules import Ruleset, State, format_category, format_dice, format_state
from yatzy.solver.states import state_space
from yatzy.turn.kernels.jit import jit
from yatzy.turn.lattice import lattice
from yatzy.turn.tables import MaskLayout, SpecialRows, turn_tables
from yatzy.turn.values import closed_boxes

# Enough to tell two players apart, and quickly decided.
STATES_SAMPLED = 4096


class Decisions(NamedTuple):
    """What a policy does in n states with every roll.

    `category` (n, n_rolls) uint8: the category to score when no reroll is left.
    `keep` (n, rerolls, n_rolls) uint16: at [:, j] the keep with j + 1 rerolls left. Keeping all dice throws none;
    what to do then, with one reroll fewer, is a separate decision.

    Where throws are saved, `category` is (n, rerolls + 1, n_rolls), with the rerolls left as its second axis, and
    keeping all dice is to score them and save what is left; `rerolls` is the most that any of the states begins
    with.
    """

    category: NDArray[np.uint8]
    keep: NDArray[np.uint16]

    @property
    def by_level(self) -> "Decisions":
        """The same with `category` (n, levels, n_rolls), with one level where no throws are saved."""
        return Decisions(by_level(self.category), self.keep)


class Named(Protocol):
    """Any player: a name and a game."""

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Ruleset: ...


class Policy(Named, Protocol):
    """A player. Deterministic: the same state always gets the same decisions.

    Anything with a name, rules and `decide` is one; `yatzy.policy(function)` writes it for you. If it has an
    attribute `is_timed` that is true, `yatzy.evaluate` estimates first how long it takes.

    >>> import numpy as np, yatzy
    >>> class FirstThrow:
    ...     # Scores every first throw in the first open box.
    ...     name, rules = "first throw", yatzy.ruleset("yacht")
    ...     def decide(self, filled, upper):
    ...         decisions = empty_decisions(self.rules, filled)
    ...         is_open = ~filled[:, None] >> np.arange(self.rules.n_categories) & 1
    ...         decisions.category[:] = is_open.argmax(axis=1)[:, None]
    ...         decisions.keep[:] = np.arange(decisions.keep.shape[-1])      # a roll's id is that of keeping it
    ...         return decisions
    >>> yatzy.evaluate(FirstThrow())
    <Evaluation of first throw, yacht: mean 36.9205, SD 11.1533, exact>
    """

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        """Decisions in the states (filled[i], upper[i]), none finished; several threads may call at once."""
        ...


@runtime_checkable
class ScoreAware(Named, Protocol):
    """A player whose decisions depend on the points on the card too, such as play for a target."""

    def decide_at(self, filled: IntArray, upper: IntArray, points: IntArray) -> Decisions:
        """As `Policy.decide`; `points` include extra points, but not the bonus."""
        ...


@runtime_checkable
class HasTurnOutcomes(Named, Protocol):
    """A player that can say how its turns end without listing its decisions."""

    def add_exits(self, filled: IntArray, upper: IntArray, exits: FloatArray) -> None:
        """Add how the turns in n states end to `exits` (n, levels * n_outcomes), zeros before: see
        `turn.probability.add_exits`; one level, except where throws are saved.

        Several threads may call at once.
        """
        ...


@runtime_checkable
class Stochastic(HasTurnOutcomes, Protocol):
    """A player that draws its actions at random: it has probabilities instead of decisions."""

    def situation_masses(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, rerolls + 1, n_rolls): the probability of each roll by rerolls left, in a turn of each state."""
        ...


@runtime_checkable
class Draws(Named, Protocol):
    """A player that draws an action with the dice on the table (`game.Game`)."""

    def draw(self, game: Game) -> Action: ...


@runtime_checkable
class HasContent(Protocol):
    """A player that can be told apart by its content, whatever its name."""

    @property
    def content(self) -> bytes: ...


def identity(player: Any) -> str:
    """A digest of a player's name and content, or of its decisions in many states."""
    if isinstance(player, HasContent):
        content = player.content
    else:
        if isinstance(player, ScoreAware):
            raise YatzyError(
                "policy", player.name, why="sees the points and must say what it is made of: `content`"
            )
        played = player.decide(*sample_states(player.rules, STATES_SAMPLED))
        content = b"".join(np.ascontiguousarray(part).tobytes() for part in played)
    return hashlib.sha256(player.name.encode() + b"\0" + content).hexdigest()


def sample_states(rules: Ruleset, n: int) -> tuple[IntArray, IntArray]:
    """About n unfinished states (filled, upper) from all of the game; all of a small one."""
    space = state_space(rules)
    asked = np.flatnonzero(space.possible[space.masks & rules.n_sets - 1] & ~rules.is_finished(space.masks))
    # The step is odd, so that every category is filled in some masks and open in others.
    masks = space.masks[asked[:: len(asked) // n | 1]]
    row, upper = np.argwhere(space.reachable_by_upper_set[space.upper_set[masks & rules.n_sets - 1]]).T
    some = slice(None, None, max(1, len(row) // n))
    return masks[row[some]], upper[some]


def most_rerolls(rules: Ruleset, filled: IntArray) -> int:
    """The most rerolls that a turn begins with in any of these states."""
    return rules.rerolls + int((np.asarray(filled) >> rules.saved_shift).max(initial=0))


def empty_decisions(rules: Ruleset, filled: IntArray) -> Decisions:
    """Uninitialised arrays of the right shape and type."""
    n, rerolls = len(filled), most_rerolls(rules, filled)
    n_rolls = lattice(rules.dice, rules.faces).n_rolls
    levels = (rerolls + 1,) if rules.saves_throws else ()
    return Decisions(np.empty((n, *levels, n_rolls), np.uint8), np.empty((n, rerolls, n_rolls), np.uint16))


def by_level(category: NDArray[Any]) -> NDArray[Any]:
    """Categories as (n, levels, n_rolls), with one level where no throws are saved."""
    return category if category.ndim == 3 else category[:, None, :]


@lru_cache(maxsize=8)
def keep_is_inside(rules: Ruleset) -> NDArray[np.bool_]:
    """(n_rolls, n_keeps): is the keep part of the roll?"""
    dice = lattice(rules.dice, rules.faces)
    inside = np.zeros((dice.n_rolls, dice.n_keeps), dtype=np.bool_)
    for roll_id, keeps in enumerate(dice.keeps_in_roll):
        inside[roll_id, keeps[keeps >= 0]] = True
    return inside


@dataclass(frozen=True)
class Validated:
    """A policy whose decisions are checked: an illegal one is an error, never a better score."""

    policy: Policy

    @property
    def name(self) -> str:
        return self.policy.name

    @property
    def rules(self) -> Ruleset:
        return self.policy.rules

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        decisions = self.policy.decide(filled, upper)
        check_decisions(self.policy, filled, upper, decisions)
        return decisions


def check_decisions(policy: Named, filled: IntArray, upper: IntArray, decisions: Decisions) -> None:
    """Refuse arrays of the wrong form, categories that are not allowed, and keeps that are not in their roll."""
    rules = policy.rules
    # The compiled check uses these numbers as indices.
    check_numbers(policy, filled, upper, decisions)
    turn = turn_tables(rules)
    found = _first_illegal(
        np.ascontiguousarray(filled, np.int64), by_level(decisions.category), decisions.keep,
        keep_is_inside(rules), turn.special, turn.outcome_of_reading, turn.masks,
    )  # fmt: skip
    if found >= 0:
        _refuse(policy, filled, upper, decisions, int(found))


def decisions_of(policy: Policy, filled: IntArray, upper: IntArray) -> Decisions:
    """A policy's decisions, with numbers in range (a `Validated` policy has checked them)."""
    decisions = policy.decide(filled, upper)
    if not isinstance(policy, Validated):
        check_numbers(policy, filled, upper, decisions)
    return decisions


def check_numbers(policy: Named, filled: IntArray, upper: IntArray, decisions: Decisions) -> None:
    """Refuse arrays of the wrong form, and categories and keeps that do not exist: kernels use them as indices."""
    _check_arrays(policy, filled, decisions)
    found = _first_outside(policy.rules, by_level(decisions.category), decisions.keep)
    if found >= 0:
        _refuse(policy, filled, upper, decisions, found)


def _refuse(policy: Named, filled: IntArray, upper: IntArray, decisions: Decisions, found: int) -> None:
    """Raise for an illegal decision, numbered as in `_first_illegal`."""
    rules = policy.rules
    dice = lattice(rules.dice, rules.faces)
    category, keep = by_level(decisions.category), decisions.keep
    line, roll = divmod(found, dice.n_rolls)
    i, step = divmod(line, keep.shape[1] + category.shape[1])
    roll_text = format_dice(dice.keeps[roll])
    if step >= keep.shape[1]:
        scored = int(category[i, step - keep.shape[1], roll])
        what = f"scores {_category_text(rules, scored)}, which is not open"
        if 0 <= scored < rules.n_categories and not rules.closed(int(filled[i])) >> scored & 1:
            what = f"scores {_category_text(rules, scored)}, which is not allowed with these dice"
    else:
        kept = int(keep[i, step, roll])
        kept_text = format_dice(dice.keeps[kept]) if 0 <= kept < dice.n_keeps else f"keep {kept}"
        what = f"keeps {kept_text}, which is not part of them"
    state = format_state(rules, State(int(filled[i]), int(upper[i])))
    raise YatzyError(f"policy {policy.name!r}", why=f"with dice {roll_text} in state {state!r} it {what}")


def _check_arrays(policy: Named, filled: IntArray, decisions: Decisions) -> None:
    """Refuse anything but integer arrays of the right shape."""
    if not isinstance(decisions, Decisions):
        kind = type(decisions).__name__
        raise YatzyError(
            f"policy {policy.name!r}", allowed="Decisions(category, keep)", why=f"answers with {kind}"
        )
    right = empty_decisions(policy.rules, filled)
    for field, numbers in decisions._asdict().items():
        found, shape = np.asarray(numbers), getattr(right, field).shape
        wrong = not isinstance(numbers, np.ndarray) or not np.issubdtype(found.dtype, np.integer)
        if wrong or found.shape != shape:
            raise YatzyError(
                f"policy {policy.name!r}",
                allowed=f"an array of whole numbers of shape {shape}",
                why=f"its {field} are {found.dtype} of shape {found.shape}",
            )


def _first_outside(rules: Ruleset, category: NDArray[Any], keep: NDArray[Any]) -> int:
    """Number of the first category or keep that does not exist, -1 if all do; numbered as in `_first_illegal`."""
    n_keeps = lattice(rules.dice, rules.faces).n_keeps
    fits = all(
        not numbers.size or (numbers.min() >= 0 and numbers.max() < end)
        for numbers, end in ((category, rules.n_categories), (keep, n_keeps))
    )
    if fits:
        return -1
    outside = [(keep < 0) | (keep >= n_keeps), (category < 0) | (category >= rules.n_categories)]
    return int(np.concatenate(outside, axis=1).argmax())


@jit
def _first_illegal(
    filled: Ints1, category: Ints3, keep: Ints3, inside: Bools2, special: SpecialRows, outcome_of_reading: Ints2,
    masks: MaskLayout,
) -> Any:  # fmt: skip
    """Number of the first illegal decision, -1 if there is none: (state, keeps then categories, roll)."""
    n_rerolls, n_levels, n_rolls = keep.shape[1], category.shape[1], category.shape[2]
    special_rolls, readings = special.rolls, special.readings
    of_set = readings.shape[1] - 1
    for i in range(len(filled)):
        closed, line = closed_boxes(filled[i], masks), i * (n_rerolls + n_levels)
        for left in range(n_rerolls):
            for roll in range(n_rolls):
                if not inside[roll, keep[i, left, roll]]:
                    return (line + left) * n_rolls + roll
        for level in range(n_levels):
            for roll in range(n_rolls):
                if closed >> category[i, level, roll] & 1:
                    return (line + n_rerolls + level) * n_rolls + roll
            # Any open box may be filled, except with special rolls.
            for number in range(len(special_rolls)):
                roll = special_rolls[number]
                if outcome_of_reading[readings[number, filled[i] & of_set], category[i, level, roll]] < 0:
                    return (line + n_rerolls + level) * n_rolls + roll
    return -1


def _category_text(rules: Ruleset, category_id: int) -> str:
    known = 0 <= category_id < rules.n_categories
    return format_category(rules, category_id) if known else f"category {category_id}"
