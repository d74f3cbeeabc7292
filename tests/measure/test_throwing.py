"""Throws in kernels, die by die."""

from itertools import product

from games import THREE_DICE
from yatzy.measure.simulate import first_roll, next_roll, throw_tables
from yatzy.turn.lattice import lattice


def test_the_dice_that_are_not_kept_are_thrown():
    rules = THREE_DICE
    dice, throws = lattice(rules.dice, rules.faces), throw_tables(rules)
    for draw, faces in enumerate(product(range(1, rules.faces + 1), repeat=rules.dice)):
        assert first_roll(draw, throws) == dice.id_of(faces)
        for held, keep in enumerate(dice.keeps):
            thrown = faces[: rules.dice - len(keep)]
            assert next_roll(held, draw, throws) == dice.id_of((*keep, *thrown))
