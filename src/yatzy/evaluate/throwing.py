"""Throws of dice, compiled: the first roll of a turn, and the next one after some dice are kept.

A draw is one of the ways in which all dice can fall; if fewer are thrown, only the first of them count. The tables
are those of `simulate.Throws`.
"""

from typing import Any

from yatzy.turn.jit import jittable


@jittable
def first_roll(draw: int, throws: Any) -> Any:
    """The roll if all dice are thrown."""
    return throws.part_of_draw[draw, throws.part_of_draw.shape[1] - 1]


@jittable
def next_roll(held: int, draw: int, throws: Any) -> Any:
    """The roll if all dice but a keep are thrown."""
    part = throws.part_of_draw[draw, throws.n_to_throw[held]]
    return throws.roll_of_join[throws.join_start[held] + part]
