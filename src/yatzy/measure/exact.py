"""Exact evaluation: one forward pass of probability gives everything about a policy's score.

It finds, layer by layer from the start of the game, which states the policy reaches and with what probability, how
each of their turns ends (`turn.probability`), and from these the distribution of points so far in every state of
the next layer (`forward`). Nothing is sampled, and nothing is rounded except by float64.

The backward pass `policy_values` computes the same mean from the other end, as an independent check:

    V(filled, upper) = sum over outcomes q(outcome) * (points + V(filled + c, min(T, upper + lift))).

With the bonus as the only payoff the same recursion gives the chance of the bonus in every state
(`bonus_chances`), and with every box as a payoff of its own what each of them brings (`pull_parts`).

*Visits* are the forward pass without the distribution, in about a second, for searching and training, where a
policy is evaluated many times:

    visits(filled + c, min(T, upper + lift)) += visits(filled, upper) * q(outcome | filled, upper)
    mean = sum over states and outcomes of visits * q * points, + bonus * P(upper >= T at the end)

*With points* (`evaluate_with_points`): for a policy that sees the points on the card, a forward pass over (state,
points),

    reach(filled + c, min(T, upper + lift), points + p) += reach(filled, upper, points) * q(outcome | all three).

Every number of points is asked about by itself: a hundred times as many decisions. Cells that fewer than CUT of
all games reach are left out, and their total is reported.
"""

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Annotated, Any, NamedTuple, overload

import numpy as np

from yatzy.arrays import EqualByFields, FloatArray, Floats1, Floats2, IntArray, Ints1, Ints2, Tabular, axes_of
from yatzy.context import DEFAULT_CONTEXT, Context, chunks, in_threads, map_in_threads
from yatzy.errors import YatzyError
from yatzy.game.json import HIDDEN, INLINE, Positive, Probability, cached_json_property, json_property
from yatzy.measure.distribution import Distribution
from yatzy.measure.forward import ReachedLayer, least_points, states_by_layer, walk_game
from yatzy.policies.policy import (
    HasTurnOutcomes,
    Policy,
    ScoreAware,
    Validated,
    by_level,
    check_decisions,
    decisions_of,
    most_rerolls,
    sample_states,
)
from yatzy.policies.registry import Player, as_policy
from yatzy.rules import Ruleset, State, parse_category
from yatzy.solver.states import StateSpace, state_space
from yatzy.svg import Share, html_table
from yatzy.turn.kernels.jit import jit, jittable
from yatzy.turn.outcomes import highest_score, outcomes
from yatzy.turn.probability import exits_of_decisions
from yatzy.turn.state_rows import bonus_lost_or_safe
from yatzy.turn.tables import Effects, MaskLayout, Turn, effects, turn_scratch, turn_tables
from yatzy.turn.values import after, row_of, with_saved

if TYPE_CHECKING:
    from yatzy.measure.parts import PartsLayout

STATES_PER_CHUNK = 1024
# Enough to tell how long all states will take.
STATES_TIMED = 64
# Probabilities of turn outcomes in memory at once.
EXITS_AT_ONCE = 1 << 25
STATES_PER_BLOCK = 1 << 16
CUT = 1e-13
CELLS_AT_ONCE = 1 << 16
CELLS_PER_CHUNK = 2048
# Room for a layer, in numbers.
MAX_NUMBERS = 400_000_000


@dataclass(frozen=True)
class BoxFigures:
    """Mean points in a box, how often they are zero, and the probability of each turn to fill it."""

    category: str
    mean: float
    zero_rate: Probability
    fill_turn: tuple[Probability, ...]


@dataclass(frozen=True)
class PopulationFigures:
    """The games with or without the bonus and a Yatzy: their share and, if there are any, their scores."""

    bonus: bool
    yatzy: bool
    weight: Probability
    mean: float | None
    sd: Positive | None


@dataclass(frozen=True, eq=False, repr=False)
class Evaluation(EqualByFields, Tabular):
    """Everything exact about a policy: `mean`, `sd`, `bonus_rate`, `distribution`, `category_means`, ...

    `distributions` is indexed [bonus][tracked category scored]; `visits` (n_masks, n_uppers) is the probability of
    passing through a state; `fill_turn` (n_categories, turns) the probability of filling a category in a turn;
    `cut` the probability left out, 0 except in very large games (see `forward`).
    """

    policy: str
    rules: Ruleset
    distributions: Annotated[tuple[tuple[Distribution, Distribution], tuple[Distribution, Distribution]], HIDDEN]
    outcome_probabilities: Annotated[FloatArray, HIDDEN]
    fill_turn: Annotated[FloatArray, HIDDEN]
    visits: Annotated[FloatArray, HIDDEN]
    cut: Probability

    @cached_json_property
    def distribution(self) -> Annotated[Distribution, INLINE]:
        return Distribution(np.sum([d.pmf for row in self.distributions for d in row], axis=0))

    @property
    def mean(self) -> float:
        return self.distribution.mean

    @property
    def sd(self) -> float:
        return self.distribution.sd

    @json_property
    def bonus_rate(self) -> Probability:
        return self.distributions[1][0].weight + self.distributions[1][1].weight

    @json_property
    def yatzy_rate(self) -> Probability:
        return self.distributions[0][1].weight + self.distributions[1][1].weight

    @cached_property
    def category_means(self) -> FloatArray:
        """(n_categories,): expected points in each category."""
        table = outcomes(self.rules)
        return np.add.reduceat(self.outcome_probabilities * (table.points - table.extra), table.start[:-1])

    @property
    def extra_mean(self) -> float:
        """Expected points beside the boxes, such as those for further Yahtzees; the bonus not counted."""
        return float(self.outcome_probabilities @ outcomes(self.rules).extra)

    @cached_property
    def category_zero_rates(self) -> FloatArray:
        """(n_categories,): how often each category scores nothing."""
        table = outcomes(self.rules)
        return np.add.reduceat(self.outcome_probabilities * (table.points == table.extra), table.start[:-1])

    @json_property
    def categories(self) -> tuple["BoxFigures", ...]:
        names = [category.name.lower() for category in self.rules.categories]
        columns = (names, self.category_means.tolist(), self.category_zero_rates.tolist(), self.fill_turn.tolist())
        return tuple(BoxFigures(*row) for row in zip(*columns, strict=True))

    @json_property
    def populations(self) -> tuple["PopulationFigures", ...]:
        return tuple(
            PopulationFigures(
                bool(bonus), bool(yatzy), one.weight, *((one.mean, one.sd) if one.weight else (None, None))
            )
            for bonus, row in enumerate(self.distributions)
            for yatzy, one in enumerate(row)
        )

    def columns(self) -> dict[str, Any]:
        """One row per box: mean, how often it is zero, and in which turn it is filled on average."""
        return {
            "category": [category.name for category in self.rules.categories],
            "mean": self.category_means,
            "zero_rate": self.category_zero_rates,
            "turn": self._turns,
        }

    def plot(self, ax: Any = None) -> Any:
        """Draw the distribution of the score with Matplotlib; returns the axes."""
        return self.distribution.plot(ax, label=self.policy)

    @property
    def _turns(self) -> FloatArray:
        return np.asarray(self.fill_turn @ range(1, self.fill_turn.shape[1] + 1))

    def __repr__(self) -> str:
        return f"<Evaluation of {self.policy}, {self.rules.name}: mean {self.mean:.4f}, SD {self.sd:.4f}, exact>"

    def _repr_html_(self) -> str:
        columns = (self.category_means, self.category_zero_rates, self._turns)
        rows = [
            (box.name, float(mean), Share(zero), float(turn))
            for box, mean, zero, turn in zip(self.rules.categories, *columns, strict=True)
        ]
        return self.distribution.svg(repr(self)[1:-1]) + html_table(("box", "mean", "zero", "mean turn"), rows)


@dataclass(frozen=True, repr=False)
class Evaluations(Sequence[Evaluation], Tabular):
    """Several policies, in the order asked for."""

    rows: tuple[Evaluation, ...]

    def __len__(self) -> int:
        return len(self.rows)

    @overload
    def __getitem__(self, index: int) -> Evaluation: ...

    @overload
    def __getitem__(self, index: slice) -> tuple[Evaluation, ...]: ...

    def __getitem__(self, index: int | slice) -> Evaluation | tuple[Evaluation, ...]:
        return self.rows[index]

    def columns(self) -> dict[str, Any]:
        """One row per policy."""
        names = ("policy", "mean", "sd", "bonus_rate", "yatzy_rate")
        return {name: [getattr(one, name) for one in self] for name in names}

    def plot(self, ax: Any = None) -> Any:
        """Draw their distributions with Matplotlib; returns the axes."""
        on = axes_of(ax)
        for one in self:
            one.plot(on)
        on.legend()
        return on

    def __repr__(self) -> str:
        return f"<Evaluations: {', '.join(f'{one.policy} {one.mean:.4f}' for one in self)}, exact>"

    def _repr_html_(self) -> str:
        rows = [(one.policy, one.mean, one.sd, Share(one.bonus_rate), Share(one.yatzy_rate)) for one in self]
        return html_table(("policy", "mean", "SD", "bonus", "Yatzy"), rows, "exact")


def tracked_category(rules: Ruleset) -> int:
    """The category that splits the populations: Yatzy, by whatever name; -1 if there is none."""
    try:
        return parse_category(rules, "yatzy")
    except YatzyError:
        return -1


@overload
def evaluate(
    policy: Player = "optimal",
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
    context: Context = DEFAULT_CONTEXT,
    check: bool = True,
) -> Evaluation: ...


@overload
def evaluate(
    policy: list[Player] | tuple[Player, ...],
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
    context: Context = DEFAULT_CONTEXT,
    check: bool = True,
) -> Evaluations: ...


def evaluate(
    policy: Player | list[Player] | tuple[Player, ...] = "optimal",
    rules: str | Ruleset | None = None,
    theta: float = 0.0,
    context: Context = DEFAULT_CONTEXT,
    check: bool = True,
) -> Evaluation | Evaluations:
    """The exact strength of a policy: nothing is sampled.

    >>> import yatzy
    >>> found = yatzy.evaluate("heuristic")
    >>> found
    <Evaluation of heuristic, scandinavian: mean 165.3170, SD 35.4789, exact>
    >>> round(found.distribution.at_least(200), 4), round(found.bonus_rate, 4)
    (0.1853, 0.0161)
    >>> found.frame().sort("mean").row(-1)[0]
    'Yatzy'

    `policy` is a name (`yatzy evaluate --help` lists them), the file of a model or a rule list, a `Policy`, or a
    function of a situation: see `yatzy.policy`; or a list of them, which gives a comparison. `theta` is for
    optimal play. `check` refuses illegal decisions; it may be turned off for play that is legal by construction.
    """
    if isinstance(policy, list | tuple):
        return Evaluations(tuple(evaluate(one, rules, theta, context, check) for one in policy))
    with context.shown("solving") as shown:
        player = as_policy(policy, rules, theta, shown)
    if isinstance(player, ScoreAware):
        why = "sees the points on the card; use yatzy.measure.exact, or simulate"
        raise YatzyError("policy", player.name, why=why)
    seconds, why = 0.0, ""
    if getattr(player, "is_timed", False):
        seconds = seconds_for(player, context)
    elif hasattr(player, "estimate"):
        seconds, why = player.estimate()
    with context.shown(f"evaluating {player.name}", seconds, why) as shown:
        return _walked(player, shown, check)


def seconds_for(policy: Policy | HasTurnOutcomes, context: Context = DEFAULT_CONTEXT) -> float:
    """About how long its evaluation takes, from a few states; none of them is remembered."""
    filled, upper = sample_states(policy.rules, STATES_TIMED)
    # The first calls compile kernels and fill caches.
    turn_exits(policy, filled[:1], upper[:1], 1)
    started = time.perf_counter()
    in_threads(lambda _: turn_exits(policy, filled, upper, 1), range(context.n_threads), context.threads)
    per_state = (time.perf_counter() - started) / (context.n_threads * len(filled))
    return per_state * n_unfinished(policy.rules)


def n_unfinished(rules: Ruleset) -> int:
    """The number of states in which there is something to decide."""
    return sum(states_by_layer(state_space(rules), State())[:-1])


def _walked(policy: Policy, context: Context, check: bool) -> Evaluation:
    rules, ends = policy.rules, outcomes(policy.rules)
    space, tracked = state_space(rules), tracked_category(rules)
    visits = np.zeros((space.n_masks, space.n_uppers))
    fill_turn = np.zeros((rules.n_categories, rules.n_categories))
    outcome_probabilities = np.zeros(ends.n)
    asked = Validated(policy) if check and not isinstance(policy, HasTurnOutcomes) else policy
    done, total = 0, n_unfinished(rules)

    def exits_of(filled: IntArray, upper: IntArray) -> FloatArray:
        nonlocal done
        exits = turn_exits(asked, filled, upper, 1)
        done += len(filled)
        context.step(done, total)
        return exits

    layers = walk_game(rules, exits_of, None, tracked, Context(threads=context.threads))
    for turn, layer in enumerate(layers):
        filled, upper, probability = layer.states
        visits[space.row(filled), upper] = probability
        if layer.by_outcome is not None:
            outcome_probabilities += layer.by_outcome
            fill_turn[:, turn] = np.add.reduceat(layer.by_outcome, ends.start[:-1])
    populations = _populations(rules, layer)
    return Evaluation(policy.name, rules, populations, outcome_probabilities, fill_turn, visits, layer.cut)


def turn_exits(
    policy: Policy | HasTurnOutcomes, filled: IntArray, upper: IntArray, threads: int | None = None
) -> FloatArray:
    """(n, levels * n_outcomes): how the turn of each state (filled[i], upper[i]) ends under the policy.

    There is one level, except where throws are saved: see `turn.probability.add_exits`.
    """
    rules = policy.rules
    turn = turn_tables(rules)
    n_levels = 1 + most_rerolls(rules, filled) if rules.saves_throws else 1
    exits = np.zeros((len(filled), n_levels * outcomes(rules).n))

    def run(part: slice) -> None:
        if isinstance(policy, HasTurnOutcomes):
            policy.add_exits(filled[part], upper[part], exits[part])
        else:
            decisions = decisions_of(policy, filled[part], upper[part])
            exits_of_decisions(
                np.ascontiguousarray(filled[part], np.int64), by_level(decisions.category), decisions.keep, turn,
                exits[part], turn_scratch(rules),
            )  # fmt: skip

    in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)
    return exits


def points_to_come(policy: Policy, state: State, context: Context = DEFAULT_CONTEXT) -> tuple[FloatArray, float]:
    """Distribution of the points to come from a state, including the bonus, and the chance of the bonus."""
    rules = policy.rules
    state_space(rules).check(state.filled, state.upper)
    asked = policy if isinstance(policy, HasTurnOutcomes) else Validated(policy)
    layers = walk_game(rules, lambda f, u: turn_exits(asked, f, u, 1), state, -1, context)
    for layer in layers:
        last = layer
    pmf = np.zeros(highest_score(rules) + 1)
    bonus_rate = 0.0
    for _, score, bonus, row in _final_rows(rules, last):
        pmf[score - state.upper : score - state.upper + len(row)] += row
        bonus_rate += float(row.sum()) if bonus else 0.0
    return pmf, bonus_rate


def _populations(
    rules: Ruleset, layer: ReachedLayer
) -> tuple[tuple[Distribution, Distribution], tuple[Distribution, Distribution]]:
    """Distributions of the final score by bonus and by the tracked category."""
    tracked = tracked_category(rules)
    points = least_points(rules, tracked)
    pmf = np.zeros((2, 2, highest_score(rules) + 1))
    for plane, score, bonus, row in _final_rows(rules, layer):
        first = score + plane * points
        pmf[int(bonus), plane, first : first + len(row)] += row
    (a, b), (c, d) = pmf
    return (Distribution(a), Distribution(b)), (Distribution(c), Distribution(d))


def _final_rows(rules: Ruleset, layer: ReachedLayer) -> list[tuple[int, int, bool, FloatArray]]:
    """Rows of the finished game: plane, first score of the row, whether the bonus is paid, and the row."""
    found = []
    for rows in layer.rows:
        for slot in np.flatnonzero(rows.line.reshape(-1) >= 0).tolist():
            line, upper = rows.line.reshape(-1)[slot], slot % (rules.bonus_threshold + 1)
            bonus = upper >= rules.bonus_threshold and rules.bonus > 0
            for plane in range(rows.start.shape[1]):
                start, length = int(rows.start[line, plane]), int(rows.length[line, plane])
                score = upper + int(rows.low[line, plane]) + (rules.bonus if bonus else 0)
                found.append((plane, score, bonus, rows.buffer[start : start + length]))
    return found


def policy_values(policy: Policy | HasTurnOutcomes, context: Context = DEFAULT_CONTEXT) -> FloatArray:
    """(n_masks, n_uppers): expected remaining points of every reachable state under the policy, NaN elsewhere."""
    rules, space = policy.rules, state_space(policy.rules)
    values = np.full((space.n_masks, space.n_uppers), np.nan)
    finished = rules.is_finished(space.masks)
    values[finished] = np.where(np.arange(space.n_uppers) >= rules.bonus_threshold, rules.bonus, 0.0)
    values[~space.reachable] = np.nan
    pull_values(policy, values, outcomes(rules).points.astype(np.float64), 0, context)
    return values


def bonus_chances(
    policy: Policy | HasTurnOutcomes,
    chances: FloatArray | None = None,
    filled: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> FloatArray:
    """(n_masks, n_uppers): the chance of the bonus in every state whose filled categories include these.

    1 where the bonus is safe, 0 where it is lost, NaN where a state cannot occur. `chances` from an earlier call
    are completed in place.
    """
    rules, space = policy.rules, state_space(policy.rules)
    if chances is None:
        lost, safe = bonus_lost_or_safe(rules, space.masks[:, None], np.arange(space.n_uppers))
        chances = np.where(lost, 0.0, np.where(safe, float(rules.bonus > 0), np.nan))
        chances[~space.reachable] = np.nan
    pull_values(policy, chances, np.zeros(outcomes(rules).n), filled, context)
    return chances


def pull_values(
    policy: Policy | HasTurnOutcomes,
    values: FloatArray,
    points: FloatArray,
    filled: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> None:
    """Fill in NaN in reachable states that include `filled`: the mean of points (by outcome) plus values after.

    Layer by layer from the end; the policy is asked only about states whose value is not known yet.
    """
    rules, space, ends = policy.rules, state_space(policy.rules), outcomes(policy.rules)
    asked = policy if isinstance(policy, HasTurnOutcomes) else Validated(policy)
    boxes = filled & rules.all_filled
    for n_left in range(1, rules.n_categories + 1):
        masks = space.masks_of_layer(rules.n_categories - n_left)
        rows = space.row(masks[masks & boxes == boxes])
        index, uppers = np.nonzero(space.reachable[rows] & np.isnan(values[rows]))
        width = ends.n * (1 + most_rerolls(rules, masks) if rules.saves_throws else 1)
        for part in chunks(len(index), EXITS_AT_ONCE // width):
            row, upper = rows[index[part]], uppers[part]
            mask = space.masks[row]
            exits = turn_exits(asked, mask, upper, context.threads)
            total = np.zeros(len(mask))
            for end in range(exits.shape[1]):
                line = np.flatnonzero(exits[:, end])
                saved, outcome = divmod(end, ends.n)
                after, to_upper = ends.after(mask[line], upper[line], outcome, saved)
                total[line] += exits[line, end] * (points[outcome] + values[space.row(after), to_upper])
            values[row, upper] = total
        context.step(n_left, rules.n_categories)


class PartsRows(NamedTuple):
    """A `PartsLayout` as kernels read it."""

    start: IntArray
    low: IntArray
    n_uppers: IntArray
    width: IntArray


def pull_parts(
    policy: HasTurnOutcomes, layout: "PartsLayout", numbers: FloatArray, context: Context = DEFAULT_CONTEXT
) -> None:
    """Set the numbers of a layout, zeros before: what each box, the bonus and extra points will bring."""
    rules, space, ends = policy.rules, layout.space, outcomes(policy.rules)
    rows = PartsRows(layout.start, layout.low, layout.n_uppers, layout.width)
    layers = [sets[sets & layout.boxes == layout.boxes] for sets in reversed(space.layers)]
    layers = [sets for sets in layers if len(sets)]
    done, total = 0, sum(map(len, layers[1:]))
    for sets in layers:
        filled, upper = _states_with_parts(layout, sets)
        if rules.is_finished(int(sets[0])):
            if rules.bonus:
                numbers[layout.place(filled, upper)[upper >= rules.bonus_threshold]] = rules.bonus
            continue

        def pull(part: slice, filled: IntArray = filled, upper: IntArray = upper) -> None:
            exits = turn_exits(policy, filled[part], upper[part], 1)
            _add_parts(filled[part], upper[part], exits, effects(rules), ends.category, rows, numbers)

        n_parts = -(-len(filled) // STATES_PER_CHUNK)
        for i, _ in enumerate(map_in_threads(pull, chunks(len(filled), STATES_PER_CHUNK), context.threads)):
            context.step(done + len(sets) * (i + 1) // n_parts, total)
        done += len(sets)


def _states_with_parts(layout: "PartsLayout", sets: IntArray) -> tuple[IntArray, IntArray]:
    """The states (filled, upper) of some sets of a layer that have numbers of their own."""
    space = layout.space
    reached = space.reachable_by_upper_set[space.upper_set[sets]]
    totals, low = np.arange(space.n_uppers), layout.low[sets][:, None]
    # Of those for which the bonus is lost, the largest that is reached stands for all.
    lost = np.where(reached & (totals <= low), totals, -1).max(axis=1, initial=-1)[:, None]
    index, uppers = np.nonzero(reached & ((totals > low) | (totals == lost)))
    saved = np.arange(space.n_saved[sets].max(initial=0)) << space.rules.saved_shift
    return (sets[index][:, None] | saved).reshape(-1), np.repeat(uppers, len(saved))


@jit
def _add_parts(
    filled: Ints1, upper: Ints1, exits: Floats2, does: Effects, category: Ints1, rows: PartsRows, numbers: Floats1
) -> None:
    """Add to the numbers of n states what their turns bring, box by box, and what follows."""
    n_outcomes, masks, cap = len(category), does.masks, does.cap
    for i in range(len(filled)):
        at, width = _place_of_parts(filled[i], upper[i], masks, rows)
        part, last = 0, -1
        for end in range(exits.shape[1]):
            q = exits[i, end]
            if q == 0.0:
                continue
            saved, outcome = end // n_outcomes, end % n_outcomes
            box = category[outcome]
            if box != last:
                last, part = box, 0
                for other in range(box):
                    part += 1 - (filled[i] >> other & 1)
            mask = with_saved(filled[i], saved, masks)
            to_mask, to_upper = after(mask, upper[i], does.bits[outcome], does.lift[outcome], cap)
            source, _ = _place_of_parts(to_mask, to_upper, masks, rows)
            numbers[at + width - 1] += q * does.extra[outcome]
            numbers[at + part] += q * does.points[outcome]
            for to in range(part):
                numbers[at + to] += q * numbers[source + to]
            for to in range(part + 1, width):
                numbers[at + to] += q * numbers[source + to - 1]


@jittable
def _place_of_parts(filled: int, upper: int, masks: MaskLayout, rows: PartsRows) -> Any:
    """Where the numbers of a state begin, and how many it has."""
    of_set = filled & masks.set_mask
    saved = filled >> masks.saved_shift if masks.saves else 0
    total = min(max(upper - rows.low[of_set], 0), rows.n_uppers[of_set] - 1)
    return rows.start[of_set] + (saved * rows.n_uppers[of_set] + total) * rows.width[of_set], rows.width[of_set]


@dataclass(frozen=True)
class Visits:
    """Exact mean score, and the probability (n_masks, n_uppers) of passing through each state."""

    mean: float
    visits: FloatArray


def visit(player: Policy | HasTurnOutcomes, threads: int | None = None) -> Visits:
    """Follow a policy whose decisions are known to be legal, or stochastic play."""
    return follow(player.rules, lambda filled, upper: turn_exits(player, filled, upper, threads))


def follow(rules: Ruleset, exits_of: Callable[[IntArray, IntArray], FloatArray]) -> Visits:
    """Follow play given by how its turns end: `exits_of(filled, upper)` (n, n_outcomes)."""
    space, ends = state_space(rules), outcomes(rules)
    visits = np.zeros((space.n_masks, space.n_uppers))
    visits[0, 0] = 1.0
    totals = np.zeros(ends.n)
    for n_filled in range(rules.n_categories):
        masks = space.masks_of_layer(n_filled)
        index, upper = np.nonzero(visits[space.row(masks)])
        filled = masks[index]
        for block in chunks(len(filled), STATES_PER_BLOCK // (1 + n_filled * rules.saves_throws)):
            exits = exits_of(filled[block], upper[block])
            _push(filled[block], upper[block], exits, turn_tables(rules), visits, totals)
    bonus = rules.bonus * visits[rules.is_finished(space.masks), rules.bonus_threshold].sum()
    return Visits(float(totals @ ends.points + bonus), visits)


@jit
def _push(filled: Ints1, upper: Ints1, exits: Floats2, turn: Turn, visits: Floats2, totals: Floats1) -> None:
    """Move each state's probability to its successors, and add it up by outcome."""
    n_outcomes, masks, bits, lift, cap = len(turn.points), turn.masks, turn.bits, turn.lift, turn.cap
    for i in range(len(filled)):
        here = visits[row_of(filled[i], masks), upper[i]]
        for end in range(exits.shape[1]):
            q = here * exits[i, end]
            if q != 0.0:
                saved, outcome = end // n_outcomes, end % n_outcomes
                mask = with_saved(filled[i], saved, masks)
                to_mask, to_upper = after(mask, upper[i], bits[outcome], lift[outcome], cap)
                totals[outcome] += q
                visits[row_of(to_mask, masks), to_upper] += q


@dataclass(frozen=True)
class PlayedWithPoints:
    """The distribution of the final score, the chance of the bonus, and the probability left out."""

    distribution: Annotated[Distribution, INLINE]
    bonus_rate: Probability
    cut: Probability


def evaluate_with_points(policy: ScoreAware, context: Context = DEFAULT_CONTEXT) -> PlayedWithPoints:
    """The final score of a policy that sees the points so far."""
    rules, space = policy.rules, state_space(policy.rules)
    if rules.saves_throws:
        raise YatzyError(
            "rules", why=f"a policy that sees the points cannot be evaluated in {rules.name}, which saves throws"
        )
    most = max(int(space.reachable_by_upper_set[space.upper_set[sets]].sum()) for sets in space.layers)
    if most * (highest_score(rules) + 1) > MAX_NUMBERS:
        raise YatzyError("rules", why=f"{rules.name} has too many states to follow with their points; simulate it")
    _, lines = _places(space, 0)
    here = np.zeros((len(lines), highest_score(rules) + 1))
    here[0, 0] = 1.0
    cut = 0.0
    for turn in range(rules.n_categories):
        line, points = np.nonzero(here >= CUT)
        cut += float(here.sum(where=here < CUT))
        chance = here[line, points]
        filled, upper = lines[line].T
        place, lines = _places(space, turn + 1)
        here = np.zeros((len(lines), here.shape[1]))
        for part in chunks(len(line), CELLS_AT_ONCE):
            exits = _exits(policy, filled[part], upper[part], points[part], context.threads)
            cells = _Cells(filled[part], upper[part], points[part], chance[part])
            _push_points(cells, exits, effects(rules), place, here)
            context.step(1000 * turn + 1000 * part.stop // len(line), 1000 * rules.n_categories)
    has_bonus = lines[:, 1] >= rules.bonus_threshold
    pmf = here[~has_bonus].sum(axis=0)
    paid = here[has_bonus].sum(axis=0)
    pmf[rules.bonus :] += paid[: len(paid) - rules.bonus]
    return PlayedWithPoints(Distribution(pmf), float(paid.sum()) if rules.bonus else 0.0, cut)


def _places(space: StateSpace, n_filled: int) -> tuple[IntArray, IntArray]:
    """The index of every state in its layer (n_sets, n_uppers), and the states (filled, upper) by index."""
    sets = space.layers[n_filled]
    index, upper = np.nonzero(space.reachable_by_upper_set[space.upper_set[sets]])
    lines = np.stack([sets[index], upper], axis=1)
    place = np.full((space.rules.n_sets, space.n_uppers), -1, np.int64)
    place[lines[:, 0], lines[:, 1]] = np.arange(len(lines))
    return place, lines


def _exits(
    policy: ScoreAware, filled: IntArray, upper: IntArray, points: IntArray, threads: int | None
) -> FloatArray:
    """(n, n_outcomes): how turns end."""
    rules = policy.rules
    exits = np.zeros((len(filled), outcomes(rules).n))
    directly: Callable[..., FloatArray] | None = getattr(policy, "exits_at", None)

    def run(part: slice) -> None:
        if directly:
            exits[part] = directly(filled[part], upper[part], points[part])
            return
        decisions = policy.decide_at(filled[part], upper[part], points[part])
        check_decisions(policy, filled[part], upper[part], decisions)
        exits_of_decisions(
            np.ascontiguousarray(filled[part]), by_level(decisions.category), decisions.keep, turn_tables(rules),
            exits[part], turn_scratch(rules),
        )  # fmt: skip

    in_threads(run, chunks(len(filled), CELLS_PER_CHUNK), threads)
    return exits


class _Cells(NamedTuple):
    """Cells of a layer, with the chance of each."""

    filled: IntArray
    upper: IntArray
    points: IntArray
    chance: FloatArray


@jit
def _push_points(cells: _Cells, exits: Floats2, does: Effects, place: Ints2, there: Floats2) -> None:
    """Move the chance of every cell to those after it."""
    filled, upper, points, chance = cells
    brings, bits, lift, cap = does.points + does.extra, does.bits, does.lift, does.cap
    for i in range(len(filled)):
        for outcome in range(exits.shape[1]):
            q = exits[i, outcome]
            if q > 0.0:
                mask, total = after(filled[i], upper[i], bits[outcome], lift[outcome], cap)
                there[place[mask, total], points[i] + brings[outcome]] += q * chance[i]
