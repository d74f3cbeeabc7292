"""Charts that play, on the kernels of rule lists: from lines to the numbers that these run on.

A scoring line becomes one rule for each of its boxes, the give-up order one for each box; a keeping line becomes
one rule (one for each box of a made hand), whose move is the line's own: it applies to the rolls that have the
pattern, and keeps what the pattern says. All else is as in `rule_list_kernels`: decisions by sets of rolls.

Lines that hold only on one side of the bonus are left out on the other: a chart is two lists of rules, one for
while the bonus is in reach and one for once it is settled.

Special rolls, such as Yahtzee's jokers, are decided by the same rules read one by one: a box brings what the game
says it brings, and a box that may not be filled fits no line.

*What a chart is worth, and how much of it is read.* A chart looks at the boxes, the dice, and one bit of the upper
total: is the bonus settled? So a turn ends alike at all upper totals on one side of that bit, and is played once
on each (`rule_list_values` does the rest). Lines read per decision are, with r(roll, n | filled, side) the number
of the line that decides,

    sum over filled, side, n rerolls left, rolls of  d(filled, side) * mass(roll, n) * r(roll, n) / decisions.

A chart that only scores leaves the dice to optimal play, which looks at the whole upper total: what it scores is
still the same on either side of the bonus, but `mass` is that of every state.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from yatzy.arrays import FloatArray, IntArray, read_only
from yatzy.context import Context, chunks, in_threads, one_blas_thread
from yatzy.errors import YatzyError
from yatzy.measure.exact import turn_exits
from yatzy.players.chart import (
    ALWAYS,
    ANY,
    FIRST,
    GIVE_UP,
    IN_REACH,
    KEEP_NOTHING,
    LAST,
    NO_DICE,
    SETTLED,
    Chart,
    KeepLine,
    KeepPattern,
    chart_text,
    elementary,
    keep_text,
    kept_text,
    score_text,
)
from yatzy.players.moves import FINDERS, n_sets
from yatzy.players.rule_list_kernels import FIRST_BOX, FIXED, ListDecisions, Rules, Sheet, decide_states
from yatzy.players.rule_list_player import list_scratch, pack_bits, sheet_tables
from yatzy.players.rule_list_values import ListPlay, Turns, endings_of, oracle_rolls
from yatzy.players.situations import situation_masses
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Decisions, empty_decisions
from yatzy.rules import Ruleset
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes
from yatzy.turn.state_rows import settled
from yatzy.turn.tables import face_of_category

Words = NDArray[np.uint64]


@dataclass(frozen=True, eq=False)
class ChartPlayer:
    """A policy that plays a chart; `table` or the stored one (`home`) is for oracle keeps."""

    chart: Chart
    home: Path | None = None
    table: ValueTable | None = None

    def __repr__(self) -> str:
        return f"<policy {self.name!r} for {self.rules.name}>"

    def __post_init__(self) -> None:
        check_game(self.rules)

    @property
    def name(self) -> str:
        return self.chart.name

    @property
    def rules(self) -> Ruleset:
        return self.chart.rules

    @cached_property
    def sheet(self) -> Sheet:
        return sheet_tables(self.rules)

    @cached_property
    def numbers(self) -> tuple[Rules, Rules]:
        """The chart while the bonus is in reach, and once it is settled."""
        return compile_chart(self.chart, IN_REACH), compile_chart(self.chart, SETTLED)

    @property
    def content(self) -> bytes:
        """See `HasContent`."""
        return chart_text(self.chart).encode()

    def explain(self, filled: int, upper: int, roll_id: int, rerolls: int) -> str:
        """The line, in words, that decides in a situation."""
        chart = self.chart
        if rerolls and chart.oracle_keeps:
            return "Keep as in optimal play."
        number = int(self.lines(np.array([filled]), np.array([upper]))[0, rerolls, roll_id])
        if rerolls and number == len(chart.keeps) - 1:
            return KEEP_NOTHING
        if rerolls:
            line = chart.keeps[number]
            return f"{keep_text(self.rules, line)}: {kept_text(self.rules, line.pattern)}."
        if number < len(chart.scores):
            return f"{score_text(self.rules, chart.scores[number])}."
        return f"{GIVE_UP}{', '.join(self.rules.categories[box].name for box in chart.give_up)}."

    def place(self, filled: int, upper: int, roll_id: int, rerolls: int) -> tuple[int | None, int]:
        """The number of the line that decides (None for what comes after the last), and how many there are."""
        found = self.chart.keeps[:-1] if rerolls else self.chart.scores
        number = int(self.lines(np.array([filled]), np.array([upper]))[0, rerolls, roll_id])
        is_line = number < len(found) and not (rerolls and self.chart.oracle_keeps)
        return (number + 1 if is_line else None), len(found)

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions:
        return self._decide(filled, upper)[0]

    def lines(self, filled: IntArray, upper: IntArray) -> NDArray[np.int16]:
        """(n, rerolls + 1, n_rolls): the number of the line that decides; the give-up order goes on box by box."""
        return self._decide(filled, upper, True)[1]

    def _decide(
        self, filled: IntArray, upper: IntArray, lines: bool = False
    ) -> tuple[Decisions, NDArray[np.int16]]:
        game = self.rules
        decisions = empty_decisions(game, filled)
        boxes = filled & game.all_filled
        found = np.empty((len(filled) * lines, game.rerolls + 1, decisions.category.shape[1]), np.int16)
        side = settled(game, filled, upper)
        for number, when in enumerate((IN_REACH, SETTLED)):
            rows = np.flatnonzero(side == number)
            part = empty_decisions(game, filled[rows])
            fired = np.empty((len(rows) * lines, *found.shape[1:]), np.int16)
            now = np.ascontiguousarray(boxes[rows], np.int64), np.ascontiguousarray(upper[rows], np.int64)
            numbers, scratch = self.numbers[number], list_scratch(self.numbers[number], self.sheet)
            decide_states(*now, numbers, self.sheet, ListDecisions(*part, fired), scratch)
            decisions.category[rows], decisions.keep[rows] = part
            for level in range(game.rerolls + 1):
                rules = keep_rules(self.chart, level) if level else score_rules(self.chart, when)
                if lines:
                    found[rows, level] = np.array([line for line, *_ in rules], np.int16)[fired[:, level]]
                for roll in outcomes(game).special_rolls:
                    rule, action = self._decide_special(filled[rows], roll, level, rules)
                    taken = decisions.keep[:, level - 1] if level else decisions.category
                    taken[rows, roll] = action
                    if lines:
                        found[rows, level, roll] = np.array([line for line, *_ in rules])[rule]
        if self.chart.oracle_keeps:
            decisions.keep[:] = self.oracle.decide(filled, upper).keep
        return decisions, found

    def _decide_special(
        self, filled: IntArray, roll: int, level: int, rules: list[tuple[int, int, int]]
    ) -> tuple[IntArray, IntArray]:
        """(n,), (n,): which of the rules decides a special roll, and the box it fills or the dice it keeps."""
        game = self.rules
        points = points_in_boxes(game, filled, np.full(len(filled), roll))
        is_open = (filled[:, None] >> np.arange(game.n_categories) & 1) == 0
        faces = face_of_category(game)
        open_set = sum(is_open[:, box].astype(np.int64) << faces[box] - 1 for box in np.flatnonzero(faces))
        decided, action = np.full(len(filled), -1), np.zeros(len(filled), np.int64)
        for number, (line, box, least) in enumerate(rules):
            fits = decided < 0
            if least >= 0:
                fits &= points[:, box] >= least
            elif box >= 0:
                fits &= is_open[:, box]
            does = np.full(len(filled), box)
            if level:
                does = keeps_of_pattern(game, keeping_lines(self.chart)[line].pattern)[open_set, roll]
                fits &= does >= 0
            decided[fits], action[fits] = number, does[fits]
        return decided, action

    @cached_property
    def oracle(self) -> Optimal:
        """Who keeps the dice, if the chart only scores."""
        return Optimal(self.table or stored_table(self.rules, context=Context(self.home)))


def check_game(rules: Ruleset) -> None:
    """Refuse games that a chart has no words for."""
    if rules.saves_throws or rules.forced_order:
        raise YatzyError(
            "rules", why=f"charts are for games without saved throws or a forced order, not for {rules.name}"
        )


def points_in_boxes(rules: Ruleset, filled: IntArray, rolls: IntArray) -> IntArray:
    """(n, n_categories): what each roll would bring in each box, -1 where it may not be scored."""
    ends, outcome = outcomes(rules), outcomes_in_boxes(rules, filled, rolls)
    return np.where(outcome < 0, -1, (ends.points - ends.extra)[outcome])


def outcomes_in_boxes(rules: Ruleset, filled: IntArray, rolls: IntArray) -> IntArray:
    """(n, n_categories): the outcome of scoring each roll in each box, -1 where it may not be scored."""
    ends, readings = outcomes(rules), np.array(rolls, np.int64)
    special = ends.special_of_roll[rolls]
    rows = np.flatnonzero(special >= 0)
    readings[rows] = ends.readings[special[rows], filled[rows]]
    is_open = (filled[:, None] >> np.arange(rules.n_categories) & 1) == 0
    return np.where(is_open, ends.of_reading[readings], -1)


@lru_cache(maxsize=4096)
def keeps_of_pattern(rules: Ruleset, pattern: KeepPattern) -> NDArray[np.int16]:
    """(sets, n_rolls): keep ids, -1 where the roll does not have the pattern; sets as in `moves.keep_table`."""
    dice = lattice(rules.dice, rules.faces)
    n_upper_sets = 1 << rules.faces
    table = np.empty((n_upper_sets, dice.n_rolls), np.int16)
    for upper_set in range(n_upper_sets if pattern.own else 1):
        is_open = tuple(face for face in range(1, rules.faces + 1) if upper_set >> (face - 1) & 1)
        for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
            kept = pattern.kept(roll, is_open)
            table[upper_set, roll_id] = -1 if kept is None else dice.id_of(kept)
    if not pattern.own:
        table[:] = table[0]
    return np.tile(table, (n_sets(rules) // n_upper_sets, 1))


@lru_cache(maxsize=4096)
def _pattern_bits(rules: Ruleset, pattern: KeepPattern) -> Words:
    return pack_bits(keeps_of_pattern(rules, pattern) >= 0)


@lru_cache(maxsize=4096)
def _points_bits(rules: Ruleset, box: int, least: int) -> Words:
    return pack_bits(np.array(rules.scores)[:, box] >= least)


def keeping_lines(chart: Chart) -> tuple[KeepLine, ...]:
    """The lines on what to keep; a chart that only scores has none, and its rules keep nothing until told to."""
    return chart.keeps or (NO_DICE,)


def keep_rules(chart: Chart, rerolls: int) -> list[tuple[int, int, int]]:
    """(line, box that has to be open or -1, least points there) of every rule that the keeping lines become."""
    throw = FIRST if rerolls == chart.rules.rerolls else LAST
    found = []
    for number, line in enumerate(keeping_lines(chart)):
        if line.throw in (ANY, throw):
            boxes = line.pattern.boxes or (line.box,)
            found += [(number, box, line.pattern.n if line.pattern.boxes else -1) for box in boxes]
    return found


def score_rules(chart: Chart, when: str) -> list[tuple[int, int, int]]:
    """(line, box, least points) of every rule that the scoring lines and the give-up order become."""
    found = [
        (number, box, least)
        for number, line in enumerate(chart.scores)
        if line.when in (ALWAYS, when)
        for box, least in elementary(chart.rules, line)
    ]
    return [*found, *((len(chart.scores) + place, box, 0) for place, box in enumerate(chart.give_up))]


def compile_chart(chart: Chart, when: str) -> Rules:
    """What holds of a chart on one side of the bonus, as numbers."""
    game = chart.rules
    scoring = score_rules(chart, when)
    by_level = [keep_rules(chart, left) for left in range(1, game.rerolls + 1)]
    keeping = [rule for level in by_level for rule in level]
    points = list(dict.fromkeys([rule[1:] for rule in [*scoring, *keeping] if rule[2] >= 0]))
    conditions = np.full((len(scoring) + len(keeping), 4), -1, np.int64)
    for rule, (_, box, least) in enumerate([*scoring, *keeping]):
        # A scoring rule needs no condition on its box: the kernels leave out boxes that are filled.
        conditions[rule, 0] = box if rule >= len(scoring) else -1
        conditions[rule, 2] = points.index((box, least)) if least >= 0 else -1
    bits = np.stack([_points_bits(game, *one) for one in points])
    # Move 0 is for every roll: the kernels count on that.
    patterns = [NO_DICE.pattern, *(line.pattern for line in keeping_lines(chart))]
    return Rules(
        start=np.cumsum([0, len(scoring), *map(len, by_level)]),
        conditions=conditions,
        move=np.array([*(box for _, box, _ in scoring), *(1 + number for number, *_ in keeping)], np.int64),
        # Never asked: some line always fits.
        default=np.array([game.n_categories, *[0] * game.rerolls], np.int64),
        state=np.array([(FIRST_BOX + box, 1, 1) for box in range(game.n_categories)], np.int64),
        dice=np.array([(0, 0, 0, FIXED)] * len(points), np.int64),
        dice_bits=np.ascontiguousarray(np.broadcast_to(bits, (n_sets(game), *bits.shape))),
        keep_bits=np.ascontiguousarray(np.stack([_pattern_bits(game, p) for p in patterns], axis=1)),
        keep_of=np.ascontiguousarray(np.stack([keeps_of_pattern(game, p) for p in patterns], axis=1)),
        finds=np.zeros(len(FINDERS), np.bool_),
        uses_sheet=False,
        margin_by_box=np.zeros((2, game.n_categories, len(game.rolls))),
        give_up=np.zeros(1, np.int64),
    )


STATES_PER_CHUNK = 1024


@dataclass(frozen=True)
class PlayedChart(ListPlay):
    """A chart that is played through, and how much of it is read.

    `masses(filled, upper, share)` is the probability (n, decisions, n_rolls) of each decision of a turn in which a
    chart is read, summed over the upper totals of a mask with their `share` (n, n_uppers); `upper` is one of them.
    """

    player: ChartPlayer
    reader: ChartPlayer
    masses: Callable[[IntArray, IntArray, FloatArray], FloatArray]

    @cached_property
    def reads(self) -> FloatArray:
        """(decisions,): lines read until one fits, per decision, by rerolls left (0: where to score)."""
        game = self.rules
        filled, upper, side = one_of_each(game)

        def read(part: slice) -> FloatArray:
            share = np.where(sides(game)[filled[part]] == side[part, None], self.visits[filled[part]], 0.0)
            mass = self.masses(filled[part], upper[part], share)
            lines = 1.0 + self.reader.lines(filled[part], upper[part])[:, : mass.shape[1]]
            return np.asarray(np.einsum("slr,slr->l", mass, lines))

        return np.asarray(sum(map(read, chunks(len(filled), STATES_PER_CHUNK))) / game.n_categories)

    @property
    def reads_per_decision(self) -> float:
        return float(self.reads.mean())


def play_chart(player: ChartPlayer, threads: int | None = None) -> PlayedChart:
    """A chart played through, whoever keeps the dice."""
    return (play_with_oracle if player.chart.oracle_keeps else play)(player, threads)


def play(player: ChartPlayer, threads: int | None = None) -> PlayedChart:
    """Play every turn once on either side of the bonus."""
    game = player.rules
    filled, upper, side = one_of_each(game)
    endings = endings_of(game)
    prob = np.zeros((state_space(game).n_masks, 2, len(endings.bits)))
    points = np.zeros(prob.shape[:2])
    merge = np.zeros((len(endings.of_outcome), len(endings.bits)))
    merge[np.arange(len(merge)), endings.of_outcome] = 1.0

    def run(part: slice) -> None:
        found = turn_exits(player, filled[part], upper[part], 1)
        prob[filled[part], side[part]] = found @ merge
        points[filled[part], side[part]] = found @ endings.points

    with one_blas_thread():
        in_threads(run, chunks(len(filled), STATES_PER_CHUNK), threads)

    def turns(masks: IntArray) -> Turns:
        return Turns(2 * masks[:, None] + sides(game)[masks], prob.reshape(-1, prob.shape[2]), points.reshape(-1))

    def masses(filled: IntArray, upper: IntArray, share: FloatArray) -> FloatArray:
        return np.asarray(share.sum(axis=1)[:, None, None] * situation_masses(player, filled, upper))

    return PlayedChart(game, turns, threads, player, player, masses)


def play_with_oracle(player: ChartPlayer, threads: int | None = None) -> PlayedChart:
    """The same for a chart that only scores."""
    game = player.rules
    game.check_plain("charts that only score are")
    scorer = ChartPlayer(replace(player.chart, oracle_keeps=False, keeps=(NO_DICE,)))
    rolls = oracle_rolls(player.oracle.table, threads)
    filled, upper, side = one_of_each(game)
    every_roll, of_reading = np.arange(len(game.rolls)), outcomes(game).of_reading
    decided = np.zeros((state_space(game).n_masks, 2, len(every_roll)), np.int16)
    for part in chunks(len(filled), STATES_PER_CHUNK):
        category = scorer.decide(filled[part], upper[part]).category
        decided[filled[part], side[part]] = of_reading[every_roll, category]

    def turns(masks: IntArray) -> Turns:
        which = 2 * np.arange(len(masks))[:, None] + sides(game)[masks]
        return rolls.turns(masks, decided[masks].reshape(-1, decided.shape[2]), which)

    def masses(filled: IntArray, upper: IntArray, share: FloatArray) -> FloatArray:
        found = [share[i] @ rolls.mass[rolls.row_of[mask]] for i, mask in enumerate(filled)]
        return np.array(found)[:, None]

    return PlayedChart(game, turns, threads, player, scorer, masses)


@lru_cache(maxsize=2)
def sides(game: Ruleset) -> NDArray[np.int8]:
    """(n_masks, n_uppers): the side of the bonus, 1 where it is settled, 0 where it is in reach."""
    space = state_space(game)
    return read_only(settled(game, space.masks[:, None], np.arange(space.n_uppers)).astype(np.int8))


def one_of_each(game: Ruleset) -> tuple[IntArray, IntArray, IntArray]:
    """A state (filled, upper) for every mask of an unfinished game on either side of the bonus, and that side."""
    space = state_space(game)
    masks = space.masks[~game.is_finished(space.masks)]
    in_reach = sides(game)[masks] == 0
    near = in_reach.any(axis=1)
    filled = np.concatenate([masks[near], masks])
    upper = np.concatenate([in_reach[near].argmax(axis=1), np.full(len(masks), game.bonus_threshold)])
    return filled, upper, np.repeat([0, 1], [near.sum(), len(masks)])
