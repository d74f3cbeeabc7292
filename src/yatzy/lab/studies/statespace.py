"""How large the game is: histories, slots, states, classes, and the size of one turn.

*Histories.* A turn is a roll, then up to twice a keep of fewer than all dice followed by another roll, then a
category; dice that show the same are not told apart. From roll r with n rerolls left it can go on in h(r, n) ways,

    h(r, 0) = 1
    h(r, n) = 1 + sum over keeps K inside r, but not all of r, of sum over rolls r' that contain K of h(r', n - 1),

where the 1 is scoring at once. A game has one such turn per category, in any order of categories:

    histories = (sum over r of h(r, rerolls)) ^ categories * categories!

With distinguishable dice (a red one, a blue one, ...), throwing m chosen dice has faces^m results; per turn
a(0) = 1, a(n) = 1 + ((1 + faces)^dice - 1) * a(n - 1), times faces^dice first rolls.

*A turn* as a graph (the forerunner's widget) has one entry, a layer of rolls, and for every reroll a layer of
keeps and one of rolls. Edges go from the entry to the rolls, from a roll to the keeps inside it, from a keep to
the rolls that contain it, and from the last rolls to the categories.
"""

import math
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.game.json import json_property
from yatzy.lab.studies.results import Claim
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.states import StateSpace, state_space
from yatzy.turn.lattice import Lattice, lattice
from yatzy.turn.tables import work_buffer

MILLION = 1e6


@dataclass(frozen=True)
class Histories:
    """Numbers of different games; integers as text, since floats have too few digits."""

    turns: str
    games: str
    log10_games: float
    turns_dice_apart: str
    log10_games_dice_apart: float


@dataclass(frozen=True)
class Widget:
    """One turn as a graph, and the operations of the two ways to solve it.

    `edges_keep_all` of the edges from rolls to keeps hold all dice, which is scoring at once.
    """

    rolls: int
    keeps: int
    nodes: int
    edges_first_roll: int
    edges_keeps_in_rolls: int
    edges_keep_all: int
    edges_rolls_from_keeps: int
    edges_categories: int
    edges: int
    sparse_operations_per_reroll: int
    lattice_operations_per_reroll: int


@dataclass(frozen=True)
class LayerSize:
    """States with the same number of filled categories."""

    filled: int
    masks: int
    slots: int
    reachable: int
    classes: int


@dataclass(frozen=True)
class MemoryUse:
    """Bytes."""

    table_float32: int
    table_float64: int
    padded_table_float32: int
    reachable_float32: int
    two_layers_float32: int
    work_per_thread_float32: int
    work_per_thread_float64: int
    one_widget_float32: int
    all_widgets_float32: int


@dataclass(frozen=True)
class StateSpaceSize:
    """Every size, from histories to classes.

    `grid` [n][u]: how many choices of n filled upper categories allow the upper total u.
    """

    rules: str
    rerolls: int
    histories: Histories
    slots: int
    reachable: int
    reachable_unfinished: int
    classes: int
    pruned: float
    widget: Widget
    layers: list[LayerSize]
    grid: list[list[int]]
    memory: MemoryUse

    @json_property
    def claims(self) -> list[Claim]:
        ours, widget = self.histories, self.widget
        keeps = (widget.edges_keeps_in_rolls - widget.edges_keep_all) // max(1, self.rerolls)
        return [
            Claim("log10 of game histories, dice alike", math.log10(1.7e170), ours.log10_games, 0.05),
            Claim("log10 of game histories, dice apart", math.log10(1.7e170), ours.log10_games_dice_apart, 0.05),
            Claim("log10 of histories per slot", 5, ours.log10_games - math.log10(self.slots), 0.5),
            Claim("state slots", 2_097_152, self.slots, 0),
            Claim("reachable states", 1_430_000, self.reachable, 5_000),
            Claim("share of slots pruned", 0.318, self.pruned, 0.0005),
            Claim("nodes per widget", 1_681, widget.nodes, 0),
            Claim("edges per widget but for holding all dice", 21_000, widget.edges - widget.edges_keep_all, 0),
            Claim("keeps in all rolls but for holding all dice", 4_108, keeps, 0),
            Claim("the same keep met so often, on average", 8.9, keeps / widget.keeps, 0.05),
            Claim("most masks in a layer", 6_435, max(layer.masks for layer in self.layers), 0),
            Claim("value table in float32, MB", 8, self.memory.table_float32 / MILLION, 0.5),
            Claim("one widget's values in float32, KB", 3, self.memory.one_widget_float32 / 1e3, 0.5),
            Claim("all widgets' values at once, GB", 8, self.memory.all_widgets_float32 / 1e9, 0.5),
        ]

    @property
    def key_figures(self) -> dict[str, float]:
        return {
            "log10_histories": self.histories.log10_games,
            "slots": self.slots,
            "reachable": self.reachable,
            "classes": self.classes,
            "widget_nodes": self.widget.nodes,
        }


def count_states(rules: str | Ruleset = "scandinavian", context: Context = DEFAULT_CONTEXT) -> StateSpaceSize:
    """Count everything, without solving."""
    rules = ruleset(rules)
    space = state_space(rules)
    slots = space.n_masks * space.n_uppers
    size = StateSpaceSize(
        rules=rules.name,
        rerolls=rules.rerolls,
        histories=count_histories(rules),
        slots=slots,
        reachable=space.n_reachable,
        reachable_unfinished=space.n_reachable - int(space.reachable[rules.all_filled].sum()),
        classes=space.n_classes,
        pruned=1 - space.n_reachable / slots,
        widget=_widget(rules),
        layers=_layers(space),
        grid=_grid(space),
        memory=_memory(space),
    )
    context.step(1, 1)
    return size


def count_histories(rules: Ruleset) -> Histories:
    """Exact integers, by the module's equations."""
    dice = lattice(rules.dice, rules.faces)
    turns = [1] * dice.n_rolls
    for _ in range(rules.rerolls):
        of_keep = _sum_over_rolls(dice, turns)
        turns = [1 + sum(of_keep[k] for k in row[1:] if k >= 0) for row in dice.keeps_in_roll.tolist()]
    apart = 1
    for _ in range(rules.rerolls):
        apart = 1 + ((1 + rules.faces) ** rules.dice - 1) * apart
    apart *= rules.faces**rules.dice
    orders = math.factorial(rules.n_categories)
    games = sum(turns) ** rules.n_categories * orders
    return Histories(
        turns=str(sum(turns)),
        games=str(games),
        log10_games=math.log10(games),
        turns_dice_apart=str(apart),
        log10_games_dice_apart=math.log10(apart**rules.n_categories * orders),
    )


def _sum_over_rolls(dice: Lattice, by_roll: list[int]) -> list[int]:
    """For every keep, the sum over the rolls that contain it."""
    totals = [0] * dice.n_keeps
    for roll, keeps in enumerate(dice.keeps_in_roll.tolist()):
        for keep in keeps:
            if keep >= 0:
                totals[keep] += by_roll[roll]
    return totals


def _widget(rules: Ruleset) -> Widget:
    dice = lattice(rules.dice, rules.faces)
    inside = int((dice.keeps_in_roll >= 0).sum())
    outcomes = sum(math.comb(rules.dice - len(keep) + rules.faces - 1, rules.faces - 1) for keep in dice.keeps)
    lattice_edges = int((dice.added >= 0).sum())
    edges_keeps, edges_rolls = rules.rerolls * inside, rules.rerolls * outcomes
    edges_categories = dice.n_rolls * rules.n_categories
    return Widget(
        rolls=dice.n_rolls,
        keeps=dice.n_keeps,
        nodes=1 + dice.n_rolls + rules.rerolls * (dice.n_keeps + dice.n_rolls),
        edges_first_roll=dice.n_rolls,
        edges_keeps_in_rolls=edges_keeps,
        edges_keep_all=rules.rerolls * dice.n_rolls,
        edges_rolls_from_keeps=edges_rolls,
        edges_categories=edges_categories,
        edges=dice.n_rolls + edges_keeps + edges_rolls + edges_categories,
        sparse_operations_per_reroll=outcomes + inside,
        lattice_operations_per_reroll=2 * lattice_edges,
    )


def _layers(space: StateSpace) -> list[LayerSize]:
    uppers = np.arange(space.n_uppers)
    above = (space.reachable & (uppers > space.lowest_upper[:, None])).sum(axis=1)
    return [
        LayerSize(
            filled=n_filled,
            masks=len(masks),
            slots=len(masks) * space.n_uppers,
            reachable=int(space.reachable[masks].sum()),
            classes=int(above[masks].sum()) + len(masks),
        )
        for n_filled, masks in enumerate(space.layers)
    ]


def _grid(space: StateSpace) -> list[list[int]]:
    n_upper = len(space.rules.upper_ids)
    size = np.array([upper_set.bit_count() for upper_set in range(1 << n_upper)])
    return [space.reachable_by_upper_set[size == n].sum(axis=0).tolist() for n in range(n_upper + 1)]


def _memory(space: StateSpace) -> MemoryUse:
    slots = space.n_masks * space.n_uppers
    reachable = [layer.reachable for layer in _layers(space)]
    nodes = _widget(space.rules).nodes
    padded = 1 << (2 * space.n_uppers - 1).bit_length()
    return MemoryUse(
        table_float32=4 * slots,
        table_float64=8 * slots,
        padded_table_float32=4 * space.n_masks * padded,
        reachable_float32=4 * space.n_reachable,
        two_layers_float32=4 * max(a + b for a, b in pairwise(reachable)),
        work_per_thread_float32=_work_bytes(space, "float32"),
        work_per_thread_float64=_work_bytes(space, "float64"),
        one_widget_float32=4 * nodes,
        all_widgets_float32=4 * nodes * space.n_reachable,
    )


def _work_bytes(space: StateSpace, precision: str) -> int:
    """The work buffer of one solver thread: the lattice's rows and the values after the turn."""
    return int(work_buffer(space.rules, precision).nbytes)
