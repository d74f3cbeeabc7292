"""What each box, the bonus and extra points bring under optimal play: why one action is better than another.

    V_c(s) = sum over outcomes o of q(o | s) * (points that o writes into c + V_c(state after o)),

with q how the turn of s ends under the best decisions, ties to the lowest id. Points are split by where they are
written: a box, the bonus at the end of the game, or beside the boxes (`extra`, such as further Yahtzees). Hence

    V(s) = sum over c of V_c(s),        regret(a) = sum over c of (Q_c(best) - Q_c(a)).

Under a risk these are points as well; what an action loses is then no sum of them. For a chance, the turn is
played for it and later turns for the mean.

The numbers of all states that may follow a set of filled boxes are computed together, layer by layer from the end
(`measure.exact.pull_parts`), in float64. With few boxes open that is done at once; before that, the whole game is
worked out once and kept in the home folder. A game too large for this has parts once enough boxes are filled.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path
from threading import Lock

import numpy as np

from yatzy.arrays import FloatArray, IntArray, read_only
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.action import Action, action_ids
from yatzy.game.situation import Situation
from yatzy.rules import Ruleset, format_category
from yatzy.sealed import SealError, map_tensors, write_tensor_blocks
from yatzy.solver.states import StateSpace, state_space
from yatzy.solver.table import ValueTable, table_path
from yatzy.storage import WriteError
from yatzy.turn.numpy_turn import NumpyTurn
from yatzy.turn.outcomes import outcomes

# With at most this many open boxes, parts are computed from here whenever they are asked for.
COMPUTED_FROM_HERE = 8
# Numbers of a whole game that are kept in a file, and of what follows a state in memory.
MAX_STORED = 16_000_000
MAX_NUMBERS = 64_000_000
MAX_KNOWN = 4
BONUS, EXTRA = "bonus", "extra"
# Of what a box brings on average, the share below which a turn ends with little or nothing in it.
LITTLE = 2 / 3


@dataclass(frozen=True)
class PartsLayout:
    """Where the numbers of each state lie, for the states whose filled boxes include `boxes`.

    A state has one number for each open box, in the order of the card, then those for the bonus and for extra
    points where a game has them. Upper totals for which the bonus is lost share the numbers of the largest of
    them. The totals of a set lie together, by saved throws.
    """

    rules: Ruleset
    boxes: int

    @property
    def space(self) -> StateSpace:
        return state_space(self.rules)

    @cached_property
    def n_others(self) -> int:
        """Parts beside the boxes."""
        return len(part_names(self.rules)) - self.rules.n_categories

    @cached_property
    def low(self) -> IntArray:
        """(n_sets,): the lowest upper total with numbers of its own."""
        return np.asarray(self.space.lowest_upper, np.int64)

    @cached_property
    def n_uppers(self) -> IntArray:
        """(n_sets,): how many upper totals have numbers."""
        return np.asarray(self.space.highest_upper, np.int64) - self.low + 1

    @cached_property
    def width(self) -> IntArray:
        """(n_sets,): numbers of a state; 0 for sets that cannot occur or do not follow."""
        space = self.space
        has = space.possible & (space.sets & self.boxes == self.boxes)
        return np.asarray(np.where(has, self.rules.n_categories - space.n_filled + self.n_others, 0))

    @cached_property
    def start(self) -> IntArray:
        """(n_sets + 1,): where the numbers of a set begin."""
        return np.concatenate([[0], np.cumsum(self.width * self.n_uppers * self.space.n_saved)])

    @property
    def n_numbers(self) -> int:
        return int(self.start[-1])

    def place(self, filled: IntArray, upper: IntArray) -> IntArray:
        """Where the numbers of states begin."""
        of_set, saved = filled & self.rules.n_sets - 1, filled >> self.rules.saved_shift
        total = np.clip(upper - self.low[of_set], 0, self.n_uppers[of_set] - 1)
        return np.asarray(self.start[of_set] + (saved * self.n_uppers[of_set] + total) * self.width[of_set])


@lru_cache(maxsize=16)
def part_names(rules: Ruleset) -> tuple[str, ...]:
    """The boxes, then `bonus` and `extra` where a game has them."""
    boxes = (format_category(rules, c) for c in range(rules.n_categories))
    extra = (EXTRA,) * bool(outcomes(rules).extra.any())
    return (*boxes, *((BONUS,) * (rules.bonus > 0)), *extra)


@dataclass(frozen=True, eq=False)
class StateParts:
    """The numbers of a layout."""

    layout: PartsLayout
    numbers: FloatArray

    def leads_to(self, filled: int) -> bool:
        """Whether the states that follow a mask are included."""
        return self.layout.boxes & filled == self.layout.boxes

    def of(self, filled: IntArray, upper: IntArray) -> FloatArray:
        """(n, parts): what each part brings from n states."""
        layout, n = self.layout, self.layout.rules.n_categories
        is_open = (filled[:, None] >> np.arange(n) & 1) == 0
        # Open boxes come first, then the others.
        has = np.concatenate([is_open, np.ones((len(filled), layout.n_others), np.bool_)], axis=1)
        place = layout.place(filled, upper)[:, None] + np.cumsum(has, axis=1) - 1
        return np.where(has, self.numbers[np.minimum(place, len(self.numbers) - 1)], 0.0)

    def after_actions(self, turn: NumpyTurn, roll_id: int, actions: list[int]) -> "ActionParts":
        """What each part brings after n actions by id; the turn goes on as `turn` plays it."""
        ends, each = turn.ends, np.arange(len(turn.open))
        points, box = (ends.points - ends.extra)[turn.open], ends.category[turn.open]
        now = np.zeros((len(turn.open), len(part_names(turn.rules))))
        now[:, -1] = ends.extra[turn.open]
        now[each, box] += points
        found = np.zeros((2, len(actions), now.shape[1]))
        ways = turn.exits(roll_id, actions)[:, :, turn.open]
        for saved, exits in enumerate(ways):
            later = self.of(*ends.after(turn.filled, turn.upper, turn.open, saved))
            found += exits @ np.stack([now, later])
        little = np.zeros_like(now)
        little[each, box] = points < LITTLE * found[:, 0].sum(axis=0)[box]
        return ActionParts(found, ways.sum(axis=0) @ little)


@dataclass(frozen=True, eq=False)
class ActionParts:
    """What each part brings after each of n actions, and how often this turn ends with little or nothing in it."""

    # (2, n, parts): in this turn and later.
    by_time: FloatArray
    # (n, parts): how likely this turn ends in a box with less than LITTLE of what it brings after the first one.
    little: FloatArray


FORMAT = "yatzy-parts-1"


class BoxParts:
    """What each box brings under the play of a table, as far as it was asked for. Thread-safe."""

    def __init__(self, table: ValueTable, context: Context = DEFAULT_CONTEXT, keep: bool = True) -> None:
        """With `keep`, the parts of a whole game are read from the home folder, and written there."""
        self.table, self._home, self._keep = table, context.home, keep and not table.theta
        self._known: list[StateParts] = []
        self._lock = Lock()

    def peek(self, filled: int) -> StateParts | None:
        """What is known, or has its file."""
        with self._lock:
            return self._peek(filled)

    def find(self, filled: int, context: Context = DEFAULT_CONTEXT) -> StateParts:
        """Parts of all states that may follow a mask, computed now if nobody asked before."""
        with self._lock:
            return self._peek(filled) or self._compute(filled, context)

    def explain(
        self, here: Situation, actions: Sequence[Action], worth: FloatArray | None = None,
        context: Context = DEFAULT_CONTEXT,
    ) -> ActionParts:  # fmt: skip
        """What each part brings after each action. With `worth` of each outcome, the turn is played for that."""
        table, state, ids = self.table, here.state, action_ids(self.table.rules)
        turn = NumpyTurn(table.rules, table.stored, table.theta, state.filled, state.upper, here.rerolls, worth)
        return self.find(state.filled, context).after_actions(turn, here.roll_id, [ids[one] for one in actions])

    def _peek(self, filled: int) -> StateParts | None:
        found = next((one for one in self._known if one.leads_to(filled)), None)
        if found is None and self._keep and not any(one.layout.boxes == 0 for one in self._known):
            found = load_parts(self.table, self._home)
            self._known += [found] if found else []
        return found

    def _compute(self, filled: int, context: Context) -> StateParts:
        rules = self.table.rules
        boxes = filled & rules.all_filled
        n_open = rules.n_categories - boxes.bit_count()
        whole = PartsLayout(rules, 0)
        if n_open > COMPUTED_FROM_HERE and whole.n_numbers <= MAX_STORED:
            found = computed_parts(self.table, whole, context)
            if self._keep:
                _store(self.table, found, replace(context, home=self._home))
        else:
            found = computed_parts(self.table, PartsLayout(rules, boxes), context)
        # What follows a state is among what follows those before it.
        self._known = [one for one in self._known if one.layout.boxes & boxes != boxes or one.layout.boxes == 0]
        self._known = [found, *self._known][:MAX_KNOWN]
        return found


def computed_parts(table: ValueTable, layout: PartsLayout, context: Context = DEFAULT_CONTEXT) -> StateParts:
    """The numbers of a layout under the play of a table."""
    # These import Numba, which whoever finds the file does without.
    from yatzy.measure.exact import pull_parts
    from yatzy.policies.optimal import Optimal

    if layout.n_numbers > MAX_NUMBERS:
        why = f"{table.rules.name} has too many states to say why before more boxes are filled"
        raise YatzyError("why", why=why)
    numbers = np.zeros(layout.n_numbers)
    pull_parts(Optimal(table), layout, numbers, context)
    return StateParts(layout, read_only(numbers))


def parts_path(table: ValueTable, folder: Path | None = None) -> Path:
    """The file of the parts, beside the table's own."""
    path = table_path(table.rules, table.theta, table.precision, folder)
    return path.with_name(f"{path.stem}-parts.safetensors")


def load_parts(table: ValueTable, folder: Path | None = None) -> StateParts | None:
    """The parts of the whole game from their file, if it is there and belongs to the table."""
    path, layout = parts_path(table, folder), PartsLayout(table.rules, 0)
    if not path.exists():
        return None
    try:
        tensors, metadata = map_tensors(path)
    except SealError:
        return None
    numbers = tensors.get("parts", np.zeros(0))
    fits = numbers.shape == (layout.n_numbers,) and numbers.dtype == np.float64
    return StateParts(layout, numbers) if fits and metadata == _metadata(table) else None


def _store(table: ValueTable, found: StateParts, context: Context) -> None:
    path = parts_path(table, context.home)
    try:
        write_tensor_blocks(path, "parts", found.numbers.shape, "float64", [found.numbers], _metadata(table))
    except WriteError as error:
        context.notice(f"{error}; the parts are not kept")


def _metadata(table: ValueTable) -> dict[str, str]:
    """What the parts were computed for: the exact values of the table."""
    values = hashlib.sha256(np.ascontiguousarray(table.stored).data).hexdigest()
    return {"format": FORMAT, "rules": table.rules.name, "fingerprint": table.rules.fingerprint, "values": values}
