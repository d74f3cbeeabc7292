"""A policy from a function: `policy(function)` plays what an ordinary function of a situation says.

>>> import yatzy
>>> def simple(here):
...     if here.rerolls and "yatzy" in here.open:
...         face = max(range(1, 7), key=lambda f: (here.counts[f - 1], f))
...         return [die for die in here.dice if die == face]      # hold these dice
...     return max(here.points, key=here.points.get)              # score in this box
>>> player = yatzy.policy(simple)
>>> player(yatzy.Situation.parse("2 5 5 5 6 | 1 | fives @ 15"))
Keep(dice=(5, 5, 5))

A function is asked once for everything it can tell apart, not once for every situation. While it runs, its
questions are written down: whether a box is open, which boxes are open, the upper total, what is filled. A
deterministic function that gets the same answers to its questions asks the same next one, so for each roll and
number of rerolls its runs are the paths of a tree:

    inner node   the next question, with a branch for each answer met so far
    leaf         what the function said

A state whose answers lead to a leaf needs no run. A function that looks only at its dice is run 756 times for the
whole game; one that looks at all open boxes when it scores up to 8 million times; one that also looks at the upper
total, for every state that it comes to. `policy(function, vectorised=True)` is for those.
"""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property, lru_cache, partial
from typing import Any, Literal, overload

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import BoolArray, IntArray
from yatzy.errors import YatzyError
from yatzy.game.action import NOTHING, Action, Keep, Score, action_ids, actions_of, parse_action
from yatzy.game.situation import Facts, Situation, facts_of
from yatzy.policies.policy import Decisions, by_level, empty_decisions, keep_is_inside, sample_states
from yatzy.rules import Ruleset, format_category, format_dice, parse_dice, ruleset
from yatzy.rules.ruleset import normalise
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes


@dataclass(frozen=True, eq=False)
class States:
    """Many states at once, for a vectorised function: n states (filled[i], upper[i]), and every roll in each.

    >>> import numpy as np, yatzy
    >>> def quick(states):
    ...     pairs = states.keep_ids(states.counts * (states.counts >= 2))      # hold what is there twice
    ...     return states.points.argmax(axis=2), pairs                         # score where it pays most
    >>> yatzy.policy(quick, vectorised=True)
    <policy 'quick' for scandinavian>

    A function returns two arrays of whole numbers: the category (n, n_rolls), and the id of the keep (n, rerolls,
    n_rolls), at [:, j] with j + 1 rerolls left; what is the same for every state may have fewer axes.
    """

    rules: Ruleset
    filled: IntArray
    upper: IntArray

    @property
    def counts(self) -> IntArray:
        """(n_rolls, faces): how many dice show each face."""
        dice = lattice(self.rules.dice, self.rules.faces)
        return dice.counts[: dice.n_rolls]

    @cached_property
    def points(self) -> IntArray:
        """(n, n_rolls, n_categories): what a roll would bring, -1 where it may not be scored."""
        return outcomes(self.rules).points_of_rolls(self.filled)

    @cached_property
    def is_open(self) -> BoolArray:
        """(n, n_categories)."""
        closed = np.asarray(self.rules.closed(self.filled))
        return np.asarray(closed[:, None] >> np.arange(self.rules.n_categories) & 1 == 0)

    def keep_ids(self, counts: IntArray) -> IntArray:
        """Ids of keeps, from how many dice of each face are held (the last axis)."""
        ids = _keep_of_counts(self.rules.dice, self.rules.faces)
        places = (self.rules.dice + 1) ** np.arange(self.rules.faces)
        return np.asarray(ids[counts @ places])


@lru_cache(maxsize=4)
def _keep_of_counts(dice: int, faces: int) -> IntArray:
    grid = lattice(dice, faces)
    ids = np.full((dice + 1) ** faces, -1, np.int64)
    ids[grid.counts @ (dice + 1) ** np.arange(faces)] = np.arange(grid.n_keeps)
    return ids


class VectorisedPolicy:
    """A policy that does what a function of many states says: `yatzy.policy(function, vectorised=True)`."""

    is_timed = True

    def __init__(
        self, function: Callable[[States], Any], rules: str | Ruleset = "scandinavian", name: str | None = None
    ) -> None:
        self.function, self.rules = function, ruleset(rules)
        self.name = str(name or getattr(function, "__name__", type(function).__name__))

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        right = empty_decisions(self.rules, filled)
        found = self.function(States(self.rules, np.asarray(filled), np.asarray(upper)))
        if not isinstance(found, tuple) or len(found) != 2:
            raise YatzyError(
                f"policy {self.name!r}",
                allowed="a pair (category, keep)",
                why=f"answers with {type(found).__name__}",
            )
        category, keep = found
        return Decisions(self._fit("category", category, right.category), self._fit("keep", keep, right.keep))

    def _fit(self, field: str, given: Any, like: NDArray[Any]) -> NDArray[Any]:
        """The array in its full shape; what it must not hold is found by whoever plays it."""
        numbers = np.asarray(given)
        if numbers.ndim == 2 and like.ndim == 3 and numbers.shape[0] == like.shape[0]:
            numbers = numbers[:, None, :]
        try:
            return np.broadcast_to(numbers, like.shape)
        except ValueError:
            raise YatzyError(
                f"policy {self.name!r}", allowed=f"{like.shape}", why=f"its {field} has shape {numbers.shape}"
            ) from None


# A box to score in, or dice to hold, as text or as faces.
Answer = str | Iterable[int]
Function = Callable[[Situation], Answer]

# Questions beside those about one box, which are its number.
CLOSED, UPPER, MASK = -1, -2, -3
# Attributes of a situation that say something about the whole card.
TOLD_WHOLE = frozenset(("open", "points", "filled", "turn", "state", "saved"))
# Runs that are timed, and the seconds that a run takes beside the function.
RUNS_TIMED, OVERHEAD = 64, 1.5e-6


class _Watched(Situation):
    """A situation that writes down what it is asked."""

    __slots__ = ("asked",)
    # Set by whoever made it: an `__init__` of its own would take as long as all the rest.
    asked: dict[int, int]

    @property
    def upper(self) -> int:
        self.asked[UPPER] = self._upper
        return self._upper

    def _closed(self) -> int:
        if MASK not in self.asked:
            self.asked[CLOSED] = self._bits
        return self._bits

    def _is_closed(self, category_id: int) -> bool:
        is_closed = self._bits >> category_id & 1
        if CLOSED not in self.asked and MASK not in self.asked:
            self.asked[category_id] = is_closed
        return bool(is_closed)

    def _mask(self) -> int:
        self.asked[MASK] = self._filled
        return self._filled


class _Probed(_Watched):
    """One that also writes down which of its attributes led to a question about all boxes, or the upper total."""

    __slots__ = ("causes", "last")
    causes: set[str]
    last: str

    def __getattribute__(self, name: str) -> Any:
        if name in TOLD_WHOLE:
            self.last = name
        return super().__getattribute__(name)

    def _closed(self) -> int:
        self.causes.add(self.last)
        return super()._closed()

    def _mask(self) -> int:
        self.causes.add(self.last)
        return super()._mask()

    @property
    def upper(self) -> int:
        self.causes.add("upper")
        return super().upper


class _Node:
    """A question, and what follows each answer: another node, or what the function said."""

    __slots__ = ("after", "question")

    def __init__(self, question: int) -> None:
        self.question = question
        self.after: dict[int, _Node | int] = {}


class _Columns:
    """The answers of many states to every question."""

    def __init__(self, rules: Ruleset, filled: IntArray, upper: IntArray) -> None:
        self.filled, self.upper = filled, upper
        self.closed = np.asarray(rules.closed(filled))
        self._split: dict[int, tuple[list[int], list[int], IntArray]] = {}

    @cached_property
    def _states(self) -> list[tuple[int, int, int]]:
        return list(zip(self.filled.tolist(), self.upper.tolist(), self.closed.tolist(), strict=True))

    def state(self, number: int) -> tuple[int, int, int]:
        """Filled, upper and closed boxes of one of them."""
        return self._states[number]

    def answers(self, question: int) -> IntArray:
        if question >= 0:
            return np.asarray(self.closed >> question & 1)
        return {CLOSED: self.closed, UPPER: self.upper, MASK: self.filled}[question]

    def split(self, question: int) -> tuple[list[int], list[int], IntArray]:
        """The different answers, the first state that gives each, and which answer each state gives."""
        if question not in self._split:
            answers, first, number = np.unique(self.answers(question), return_index=True, return_inverse=True)
            self._split[question] = answers.tolist(), first.tolist(), number
        return self._split[question]


class FunctionPolicy:
    """A policy that does what a function of a situation says. Make one with `yatzy.policy(function)`."""

    def __init__(self, function: Function, rules: str | Ruleset = "scandinavian", name: str | None = None) -> None:
        if not callable(function):
            raise YatzyError("function", function, why="cannot be called")
        self.function, self.rules = function, ruleset(rules)
        self.name = str(name or getattr(function, "__name__", type(function).__name__))
        self._roots: dict[tuple[int, int], _Node | int] = {}
        self._codes: dict[Any, int] = {}
        self._lock = threading.Lock()
        # How often the function was run: what it costs is in proportion to this.
        self.runs = 0

    def __call__(self, here: Situation) -> Action:
        """What it does in one situation."""
        return actions_of(self.rules)[self._code(self.function(here), here.roll_id, here.rerolls)]

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def estimate(self) -> tuple[float, str]:
        """About how many seconds of one core all runs take, and the attributes that split the states."""
        rules, space, facts = self.rules, state_space(self.rules), self._facts
        filled, upper = sample_states(rules, RUNS_TIMED)
        rolls = np.random.default_rng(0).integers(0, self._dice.n_rolls, len(filled)).tolist()
        where = list(zip(rolls, filled.tolist(), upper.tolist(), strict=True))[:RUNS_TIMED]
        causes: Counter[str] = Counter()
        runs, spent = 0.0, 0.0
        for left in range(rules.rerolls + 1):
            split = 0
            for roll, mask, total in where:
                situation = facts, roll, left, mask, total, int(rules.closed(mask))
                here, probed = _Watched(*situation), _Probed(*situation)
                here.asked, probed.asked, probed.causes, probed.last = {}, {}, set(), "open"
                # It may fail where its own play never leads.
                with suppress(Exception):
                    self.function(probed)
                    started = time.perf_counter()
                    self.function(here)
                    spent += time.perf_counter() - started
                n = _distinct(probed.asked, rules, space)
                split += n
                causes.update(dict.fromkeys(probed.causes, n))
            runs += self._dice.n_rolls * split / len(where)
        each = spent / (len(where) * (rules.rerolls + 1)) + OVERHEAD
        most = max(causes.values(), default=0)
        names = " and ".join(f"`{name}`" for name, n in causes.most_common() if n > most / 2)
        return runs * each, f"it looks at {names}, which splits the states into {runs:,.0f} cases" if names else ""

    def __reduce__(self) -> tuple[Any, ...]:
        return FunctionPolicy, (self.function, self.rules, self.name)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        """One answer for every roll and number of rerolls; the function is run where it was not asked before."""
        rules = self.rules
        decisions = empty_decisions(rules, filled)
        category, keep = by_level(decisions.category), decisions.keep
        rolls = np.arange(self._dice.n_rolls)
        filled, upper = np.asarray(filled, np.int64), np.asarray(upper, np.int64)
        begins_with = rules.rerolls + (filled >> rules.saved_shift)
        with self._lock:
            for left in range(keep.shape[1] + 1):
                # Where throws are saved, some states begin with fewer; what is held there nobody reads.
                some = np.flatnonzero(begins_with >= left)
                columns = _Columns(rules, filled[some], upper[some])
                codes = np.stack([self._answers(columns, roll, left) for roll in rolls.tolist()], axis=1)
                scores = codes < rules.n_categories
                if left == 0:
                    category[:] = codes[:, None, :]
                    continue
                keep[:, left - 1] = rolls
                keep[some, left - 1] = np.where(scores, rolls, codes - rules.n_categories)
                last = category[some, 0]
                if rules.saves_throws:
                    category[some, left] = np.where(scores, codes, last)
                else:
                    self._check_same(columns, left, np.where(scores, codes, last), last)
        return decisions

    @cached_property
    def _facts(self) -> Facts:
        return facts_of(self.rules)

    @cached_property
    def _dice(self) -> Any:
        return lattice(self.rules.dice, self.rules.faces)

    def _answers(self, columns: _Columns, roll: int, left: int) -> IntArray:
        """(n,): what the function says with this roll in each state; see `_code`."""
        n = len(columns.filled)
        root = self._roots.get((left, roll))
        if root is None:
            root = self._learn(columns, 0, roll, left)
        if isinstance(root, int):
            return np.full(n, root)
        answers, first, number = columns.split(root.question)
        self._learn_answers(root, columns, answers, first, roll, left)
        after = [
            self._next(root, columns, one, state, roll, left) for one, state in zip(answers, first, strict=True)
        ]
        if all(isinstance(one, int) for one in after):
            return np.array(after)[number]
        codes = np.empty(n, np.int64)
        for i, one in enumerate(after):
            self._spread(one, columns, np.flatnonzero(number == i), roll, left, codes)
        return codes

    def _spread(
        self, node: _Node | int, columns: _Columns, states: IntArray, roll: int, left: int, codes: IntArray
    ) -> None:
        """Set the codes of some states, which have all come to this node."""
        if isinstance(node, int):
            codes[states] = node
            return
        answers = columns.answers(node.question)[states]
        for answer in np.unique(answers).tolist():
            some = states[answers == answer]
            after = self._next(node, columns, answer, int(some[0]), roll, left)
            self._spread(after, columns, some, roll, left, codes)

    def _next(self, node: _Node, columns: _Columns, answer: int, state: int, roll: int, left: int) -> _Node | int:
        if answer not in node.after:
            self._learn(columns, state, roll, left)
        if answer not in node.after:
            raise YatzyError(
                f"policy {self.name!r}",
                allowed="a deterministic function, without random numbers or a memory",
                why="looks at different things in the same situation",
            )
        return node.after[answer]

    def _learn_answers(
        self, root: _Node, columns: _Columns, answers: list[int], first: list[int], roll: int, left: int
    ) -> None:
        """Run the function for every answer to the first question that is new: most runs ask no other."""
        after, question, facts = root.after, root.question, self._facts
        for answer, state in zip(answers, first, strict=True):
            if answer not in after:
                here = _Watched(facts, roll, left, *columns.state(state))
                here.asked = {}
                code = self._run(here, roll, left)
                if len(here.asked) == 1 and question in here.asked:
                    after[answer] = code
                else:
                    self._insert(list(here.asked.items()), code, roll, left)

    def _run(self, here: Situation, roll: int, left: int) -> int:
        """What the function says; see `_code`."""
        self.runs += 1
        try:
            said = self.function(here)
            code = self._codes.get(said, -1) if said.__class__ is str else -1
            return code if 0 <= code < self.rules.n_categories else self._code(said, roll, left)
        except Exception as error:
            error.add_note(f"policy {self.name!r} was asked about {Situation.__str__(here)!r}")
            raise

    def _learn(self, columns: _Columns, state: int, roll: int, left: int) -> _Node | int:
        """Run the function in a state, and put the path of its questions into the tree."""
        here = _Watched(self._facts, roll, left, *columns.state(state))
        here.asked = {}
        code = self._run(here, roll, left)
        return self._insert(list(here.asked.items()), code, roll, left)

    def _insert(self, path: list[tuple[int, int]], code: int, roll: int, left: int) -> _Node | int:
        """Put the questions and answers of a run into the tree."""
        key = (left, roll)
        if not path:
            return self._roots.setdefault(key, code)
        root = node = self._roots.setdefault(key, _Node(path[0][0]))
        for (question, answer), then in zip(path, [*path[1:], None], strict=True):
            if not isinstance(node, _Node) or node.question != question:
                break  # not deterministic: `_next` says so
            after: _Node | int = code if then is None else _Node(then[0])
            node = node.after.setdefault(answer, after)
        return root

    def _code(self, answer: Any, roll: int, left: int) -> int:
        """A category, or the number of categories plus a keep."""
        is_key = isinstance(answer, str | Keep | Score)
        key = answer if is_key else tuple(answer) if isinstance(answer, Iterable) else None
        code = self._codes.get(key)
        if code is None:
            code = self._codes[key] = self._parse(answer if key is None else key)
        keep = code - self.rules.n_categories
        if keep < 0 or (left and keep_is_inside(self.rules)[roll, keep]):
            return code
        dice = format_dice(self.rules.rolls[roll])
        if not left:
            raise YatzyError(
                f"policy {self.name!r}", answer, "a box", f"holds {{given}} with dice {dice} and no reroll left"
            )
        raise YatzyError(
            f"policy {self.name!r}", answer, why=f"holds {{given}}, which is not part of its dice {dice}"
        )

    def _parse(self, answer: Any) -> int:
        rules = self.rules
        if isinstance(answer, str):
            found = _boxes(rules).get(normalise(answer))
            if found is not None:
                return found
        try:
            if isinstance(answer, str) and answer.startswith(("keep ", "score ")):
                answer = parse_action(rules, answer)
            if isinstance(answer, Keep | Score):
                return action_ids(rules)[answer]
            if answer in (NOTHING, "-"):
                answer = ""
            return rules.n_categories + int(self._dice.id_of(parse_dice(rules, answer, at_most=True)))
        except (YatzyError, KeyError):
            raise YatzyError(
                f"policy {self.name!r}",
                answer,
                f"a box such as {format_category(rules, 0)!r}, or dice to hold such as [3, 3] or '3 3'",
                "answers {given}",
            ) from None

    def _check_same(self, columns: _Columns, left: int, said: IntArray, scored: NDArray[Any]) -> None:
        """To score with rerolls left is to hold all dice: then the same box has to be meant at the end."""
        for state, roll in np.argwhere(said != scored)[:1].tolist():
            here = Situation(self._facts, roll, left, *columns.state(state))
            first, last = (format_category(self.rules, int(one[state, roll])) for one in (said, scored))
            raise YatzyError(
                f"policy {self.name!r}",
                allowed="one box for the same dice",
                why=f"in {str(here)!r} it scores {first}, but with no rerolls left {last}",
            )


def _distinct(asked: dict[int, int], rules: Ruleset, space: StateSpace) -> int:
    """How many different answers a game has to these questions."""
    boxes = sum(question >= 0 for question in asked)
    sets = rules.n_sets if CLOSED in asked or MASK in asked else min(1 << boxes, rules.n_sets)
    return min(space.n_reachable, sets * (space.n_uppers if UPPER in asked else 1))


@lru_cache(maxsize=16)
def _boxes(rules: Ruleset) -> dict[str, int]:
    """Category ids by every name they have."""
    return {
        normalise(name): category_id
        for category_id, category in enumerate(rules.categories)
        for name in (category.name, *category.aliases)
    }


@overload
def policy(
    function: Function,
    *,
    rules: str | Ruleset = "scandinavian",
    name: str | None = None,
    vectorised: Literal[False] = False,
) -> FunctionPolicy: ...


@overload
def policy(
    function: Callable[[States], Any],
    *,
    rules: str | Ruleset = "scandinavian",
    name: str | None = None,
    vectorised: Literal[True],
) -> VectorisedPolicy: ...


@overload
def policy(
    function: None = None,
    *,
    rules: str | Ruleset = "scandinavian",
    name: str | None = None,
    vectorised: Literal[False] = False,
) -> Callable[[Function], FunctionPolicy]: ...


@overload
def policy(
    function: None = None,
    *,
    rules: str | Ruleset = "scandinavian",
    name: str | None = None,
    vectorised: Literal[True],
) -> Callable[[Callable[[States], Any]], VectorisedPolicy]: ...


def policy(
    function: Callable[[Any], Any] | None = None,
    *,
    rules: str | Ruleset = "scandinavian",
    name: str | None = None,
    vectorised: bool = False,
) -> Any:
    """A policy that does what a function of a situation says; also as a decorator.

    >>> import yatzy
    >>> @yatzy.policy
    ... def top_down(here):
    ...     face = max(range(1, 7), key=lambda f: (here.counts[f - 1], f))
    ...     return [die for die in here.dice if die == face] if here.rerolls else here.open[0]
    >>> yatzy.evaluate(top_down)
    <Evaluation of top_down, scandinavian: mean 66.7327, SD 21.9152, exact>

    The function gets a `Situation` and returns a box to score in ('ones') or dice to hold ([6, 6], '6 6', []).
    With rerolls left, scoring means holding all dice; the same box must then be its answer with none left. It must
    be deterministic. With `vectorised`, it gets many states at once and returns arrays: see `States`.
    """
    kind = VectorisedPolicy if vectorised else FunctionPolicy
    if function is None:
        return partial(policy, rules=rules, name=name, vectorised=vectorised)
    return kind(function, rules, name)
