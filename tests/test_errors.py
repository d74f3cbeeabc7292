"""Errors are values; the sentence is made from them."""

import doctest
import pickle

import pytest

from yatzy import errors
from yatzy.errors import YatzyError


def test_the_examples_of_the_module_run():
    assert doctest.testmod(errors).failed == 0


@pytest.mark.parametrize(
    "error",
    [
        YatzyError("target", 500, "a whole number from 0 to 374"),
        YatzyError("rules", "yatzee", ("yacht", "yahtzee"), "is not known"),
        YatzyError("filled", why="the game is finished"),
        YatzyError(None, why="the home folder is full"),
    ],
    ids=str,
)
def test_an_error_comes_back_whole_from_another_process(error):
    copy = pickle.loads(pickle.dumps(error))
    assert (copy.field, copy.given, copy.allowed, copy.why) == (error.field, error.given, error.allowed, error.why)
    assert copy.given is error.given if error.given is errors.NOT_GIVEN else True
    assert str(copy) == str(error)


def test_an_error_inside_something_larger_keeps_its_class_and_values():
    class OwnError(YatzyError):
        pass

    inner = OwnError("keeps[0]", (3, 3), "dice of the roll").within("turns[2]")
    assert type(inner) is OwnError
    assert inner.field == "turns[2].keeps[0]"
    assert str(YatzyError(None, why="is damaged").within("deck")) == "deck: is damaged"
    assert inner.but(field="keep").field == "keep"


def test_a_word_is_suggested_from_the_values_not_from_the_sentence():
    assert YatzyError("goal", "Mean", ("mean", "reach")).suggestion == "mean"
    assert YatzyError("goal", "xyz", ("mean", "reach")).suggestion is None
    assert YatzyError("goal", 3, ("mean", "reach")).suggestion is None


def test_a_long_value_is_shortened_in_the_sentence_only():
    error = YatzyError("name", "x" * 1000, "a name")
    assert len(str(error)) < 150
    assert error.given == "x" * 1000
