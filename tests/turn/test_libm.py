"""exp and log are the system's own, to the bit: what is published does not depend on the kind of processor."""

import math

import numpy as np
import pytest

from yatzy.turn.kernels.libm import exp_lines, log


def test_logarithms_are_to_the_bit_as_python_has_them():
    x = np.random.default_rng(0).uniform(1e-9, 600, (40, 25))
    assert log(x).tolist() == [[math.log(one) for one in row] for row in x.tolist()]
    assert log(np.ones((0, 3))).shape == (0, 3)


def test_what_is_given_is_not_changed():
    x = np.full(3, 2, np.float32)
    assert log(x).dtype == np.float64
    assert x.tolist() == [2.0, 2.0, 2.0]


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_exponentials_of_lines_are_to_the_bit_as_python_has_them(sign):
    numbers = np.random.default_rng(0)
    values, refs = numbers.uniform(-600, 50, (9, 12)), numbers.uniform(-9, 9, 5)
    sources, firsts, end = np.array([8, 0, 3, 3, 1]), np.array([0, 4, 6, 2, 1]), 7
    result = np.full((6, 12), np.nan)
    exp_lines(values, sources, firsts, refs, end, sign, result)
    for line, source, first, ref in zip(result.tolist(), sources, firsts, refs.tolist(), strict=False):
        expected = [sign * math.exp(one - ref) for one in values[source].tolist()]
        assert line[first:] == expected[first:end] + expected[end - 1 : end] * (12 - end)
    assert np.isnan(result[5]).all(), "there is no sixth line"
    exp_lines(values, sources[:0], firsts[:0], refs[:0], end, sign, result)
