"""exp and log are the system's own, to the bit: what is published does not depend on the kind of processor."""

import math

import numpy as np

from yatzy.turn.libm import exp, log


def test_to_the_bit_as_python_has_it():
    x = np.random.default_rng(0).uniform(-600, 50, (40, 25))
    assert exp(x).tolist() == [[math.exp(one) for one in row] for row in x.tolist()]
    assert log(np.abs(x)).tolist() == [[math.log(abs(one)) for one in row] for row in x.tolist()]


def test_the_ends():
    assert exp(np.array([-np.inf, 0.0])).tolist() == [0.0, 1.0]
    assert exp(np.zeros((0, 3))).shape == (0, 3)


def test_what_is_given_is_not_changed():
    x = np.ones(3, np.float32)
    assert exp(x).dtype == np.float64
    assert x.tolist() == [1.0, 1.0, 1.0]
