"""Rule lists that play: from words to the numbers that the kernels run on."""

import json
import threading
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import IntArray
from yatzy.context import Context
from yatzy.errors import YatzyError
from yatzy.game.json import as_json
from yatzy.players.conditions import (
    SHEET_FEATURES,
    STATE_FEATURES,
    Condition,
    box_name,
    dice_table,
    feature,
    set_table,
)
from yatzy.players.moves import FINDERS, give_up_order, keep_table, keeping_moves, margins, n_sets, scoring_moves
from yatzy.players.rule_list import Rule, RuleList, rule_text
from yatzy.players.rule_list_kernels import (
    BOX,
    FEATURE,
    FIRST_BOX,
    FIXED,
    KIND,
    SHEET,
    WORD,
    ListDecisions,
    ListScratch,
    Rules,
    Sheet,
    decide_states,
)
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset, parse_category
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.lattice import lattice
from yatzy.turn.state_rows import most_upper_to_come
from yatzy.turn.tables import face_of_category

Words = NDArray[np.uint64]
# A chart has two lists of rules; beside them, one that is compared with it.
SCRATCHES = 4
_of_thread = threading.local()


@dataclass(frozen=True, eq=False)
class ListPlayer:
    """A policy that plays a rule list.

    For oracle keeps it needs optimal play: the given `table`, or the stored one (`home` is where tables are kept).
    """

    rule_list: RuleList
    home: Path | None = None
    table: ValueTable | None = None

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def __post_init__(self) -> None:
        self.rules.check_plain("rule lists are")

    @property
    def name(self) -> str:
        return self.rule_list.name

    @property
    def rules(self) -> Ruleset:
        return self.rule_list.rules

    @cached_property
    def sheet(self) -> Sheet:
        return sheet_tables(self.rules)

    @cached_property
    def numbers(self) -> Rules:
        return compile_list(self.rule_list)

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        return json.dumps(as_json(self.rule_list.file)).encode()

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        game = self.rules
        filled, upper = np.ascontiguousarray(filled, np.int64), np.ascontiguousarray(upper, np.int64)
        decisions = empty_decisions(game, filled)
        nothing = np.empty((0, game.rerolls + 1, decisions.category.shape[1]), np.int16)
        decide_states(filled, upper, self.numbers, self.sheet, ListDecisions(*decisions, nothing), self.scratch())
        if self.rule_list.oracle_keeps:
            decisions.keep[:] = self._oracle.decide(filled, upper).keep
        return decisions

    def explain(self, filled: int, upper: int, roll_id: int, rerolls: int) -> str:
        """The rule, in words, that decides in a situation."""
        rule_list = self.rule_list
        if rerolls and rule_list.oracle_keeps:
            return "Keep as in optimal play."
        number = int(self.fired(filled, upper, rerolls)[roll_id])
        rules = rule_list.list_of(rerolls)
        default = rule_list.keep_default if rerolls else rule_list.score_default
        return rule_text(self.rules, rules[number]) if number < len(rules) else f"Otherwise, {default}."

    def place(self, filled: int, upper: int, roll_id: int, rerolls: int) -> tuple[int | None, int]:
        """The number of the rule that decides (None for what comes after the last), and how many there are."""
        n = len(self.rule_list.list_of(rerolls))
        number = int(self.fired(filled, upper, rerolls)[roll_id])
        is_rule = number < n and not (rerolls and self.rule_list.oracle_keeps)
        return (number + 1 if is_rule else None), n

    def fired(self, filled: int, upper: int, rerolls: int) -> NDArray[np.int16]:
        """(n_rolls,): the number of the rule that decides, or the number of rules where the default does."""
        game = self.rules
        decisions = empty_decisions(game, np.zeros(1, np.int64))
        fired = np.empty((1, game.rerolls + 1, decisions.category.shape[1]), np.int16)
        answers = ListDecisions(*decisions, fired)
        decide_states(np.array([filled]), np.array([upper]), self.numbers, self.sheet, answers, self.scratch())
        return np.asarray(fired[0, rerolls])

    @cached_property
    def _oracle(self) -> Optimal:
        return Optimal(self.table or stored_table(self.rules, context=Context(self.home)))

    def scratch(self) -> ListScratch:
        """Scratch of the calling thread; its next call reuses it."""
        return list_scratch(self.numbers, self.sheet)


def list_scratch(numbers: Rules, sheet: Sheet) -> ListScratch:
    """Scratch in which the calling thread decides by these rules; its next call reuses it."""
    sizes = (
        len(numbers.move),
        len(numbers.dice),
        numbers.dice_bits.shape[2],
        sheet.points.shape[1],
        sheet.n_rerolls,
    )
    kept: dict[tuple[int, ...], ListScratch] = _of_thread.__dict__.setdefault("scratch", {})
    if sizes not in kept:
        if len(kept) >= SCRATCHES:
            kept.clear()
        kept[sizes] = _new_scratch(*sizes)
    return kept[sizes]


def _new_scratch(n_rules: int, n_dice: int, n_words: int, n_rolls: int, n_rerolls: int) -> ListScratch:
    return ListScratch(
        moving=np.zeros(n_rules + 1, np.int64),
        active=np.zeros(n_rules, np.bool_),
        bits=np.zeros((max(n_dice, 1), n_words), np.uint64),
        features=np.zeros((len(SHEET_FEATURES), n_rolls), np.int64),
        found=np.zeros((len(FINDERS), n_rolls), np.int64),
        highest=np.zeros(n_rolls),
        open_words=np.zeros(n_words, np.uint64),
        category=np.zeros(n_rolls, np.uint8),
        keep=np.zeros((n_rerolls, n_rolls), np.uint16),
        fired=np.zeros((n_rerolls + 1, n_rolls), np.int16),
    )


@lru_cache(maxsize=4)
def sheet_tables(rules: Ruleset) -> Sheet:
    """The game as the kernels see it."""
    straights = np.zeros(rules.n_categories, np.int64)
    for number, name in enumerate(("small straight", "large straight"), start=1):
        try:
            straights[parse_category(rules, name)] = number
        except YatzyError:
            continue
    return Sheet(
        points=np.ascontiguousarray(np.array(rules.scores, np.float64).T),
        face_of=face_of_category(rules),
        straight_of=straights,
        to_come=most_upper_to_come(rules),
        highest=state_space(rules).highest_upper,
        threshold=rules.bonus_threshold,
        n_faces=rules.faces,
        n_rerolls=rules.rerolls,
    )


def compile_list(rules: RuleList) -> Rules:
    """A list as numbers."""
    game = rules.rules
    by_level = [rules.list_of(level) for level in range(game.rerolls + 1)]
    everything = [rule for level in by_level for rule in level]
    state, dice = _distinct(game, everything)
    scoring, keeping = scoring_moves(game), keeping_moves(game, rules.grammar)
    moves = [
        (scoring if level == 0 else keeping).index(rule.move)
        for level, part in enumerate(by_level)
        for rule in part
    ]
    defaults = [scoring.index(rules.score_default), *[keeping.index(rules.keep_default)] * game.rerolls]
    kept = keep_table(game, rules.grammar)
    n_categories = game.n_categories
    found = {move - n_categories for move in [*moves[: len(by_level[0])], defaults[0]] if move >= n_categories}
    margin = margins(game, rules.par) if rules.par else np.zeros((2, kept.shape[2], n_categories))
    dice_numbers = np.array([_dice_numbers(game, c) for c in dice], np.int64).reshape(-1, 4)
    return Rules(
        start=np.cumsum([0, *map(len, by_level)]),
        conditions=np.hstack([_places(everything, state), _places(everything, dice)]),
        move=np.array(moves, np.int64),
        default=np.array(defaults, np.int64),
        state=np.array([(_state_number(game, c), c.low, c.high) for c in state], np.int64).reshape(-1, 3),
        dice=dice_numbers,
        dice_bits=_dice_bits(game, dice),
        keep_bits=_keep_bits(game, rules.grammar),
        keep_of=kept,
        finds=np.array([number in found for number in range(len(FINDERS))]),
        uses_sheet=SHEET in dice_numbers[:, KIND],
        margin_by_box=np.ascontiguousarray(margin.transpose(0, 2, 1)),
        give_up=give_up_order(game),
    )


def _distinct(game: Ruleset, rules: Sequence[Rule]) -> tuple[list[Condition], list[Condition]]:
    """Conditions of the score sheet and of the dice, each once."""
    conditions = dict.fromkeys(c for rule in rules for c in rule.conditions)
    state = [c for c in conditions if feature(game, c.feature).scope == "state"]
    return state, [c for c in conditions if feature(game, c.feature).scope != "state"]


def _places(rules: Sequence[Rule], conditions: list[Condition]) -> IntArray:
    """(rules, 2): numbers of each rule's conditions among these, -1 for none."""
    places = np.full((len(rules), 2), -1, np.int64)
    for i, rule in enumerate(rules):
        mine = [conditions.index(c) for c in rule.conditions if c in conditions]
        places[i, : len(mine)] = mine
    return places


def _state_number(game: Ruleset, condition: Condition) -> int:
    if condition.feature in STATE_FEATURES:
        return STATE_FEATURES.index(condition.feature)
    boxes = [f"open_{box_name(game, c)}" for c in range(game.n_categories)]
    return FIRST_BOX + boxes.index(condition.feature)


def _dice_numbers(game: Ruleset, condition: Condition) -> tuple[int, int, int, int]:
    """How the kernels find the rolls of a condition: FEATURE, LOW, HIGH, KIND."""
    scope, number, kind = feature(game, condition.feature).scope, 0, FIXED
    if scope == "sheet":
        number, kind = SHEET_FEATURES.index(condition.feature), SHEET
    if scope == "box":
        boxes = [f"points_{box_name(game, c)}" for c in range(game.n_categories)]
        number, kind = boxes.index(condition.feature), BOX
    return number, condition.low, condition.high, kind


def _dice_bits(game: Ruleset, conditions: list[Condition]) -> Words:
    """(sets, conditions, words); a condition on dice and sheet has none here."""
    n_rolls = lattice(game.dice, game.faces).n_rolls
    holds = np.zeros((n_sets(game), len(conditions), n_rolls), np.bool_)
    scores = np.array(game.scores)
    for i, c in enumerate(conditions):
        scope = feature(game, c.feature).scope
        if scope == "dice":
            seen = dice_table(game)[c.feature][None]
        elif scope == "box":
            seen = scores[:, _dice_numbers(game, c)[FEATURE]][None]
        elif scope == "set":
            seen = np.tile(set_table(game, c.feature), (4, 1))
        else:
            continue
        holds[:, i] = (seen >= c.low) & (seen <= c.high)
    return pack_bits(holds)


@lru_cache(maxsize=4)
def _keep_bits(game: Ruleset, grammar: str) -> Words:
    """(sets, moves, words): the rolls to which a keep applies; move 0 of every grammar applies to all."""
    return pack_bits(keep_table(game, grammar) >= 0)


def pack_bits(holds: NDArray[np.bool_]) -> Words:
    """Sets of rolls as words: (..., n_rolls) -> (..., words)."""
    *shape, n_rolls = holds.shape
    padded = np.zeros((*shape, -(-n_rolls // WORD) * WORD), np.uint8)
    padded[..., :n_rolls] = holds
    return np.packbits(padded, axis=-1, bitorder="little").view(np.uint64)
