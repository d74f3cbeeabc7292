"""The JSON form of values, and the schema that is made of the same classes."""

import doctest
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
import pytest
from pydantic import TypeAdapter

from yatzy.errors import YatzyError
from yatzy.game import action, json
from yatzy.game.action import Action, Keep, Score
from yatzy.game.json import (
    ALWAYS,
    HIDDEN,
    INLINE,
    as_json,
    check_json,
    from_json,
    json_property,
    json_schema,
    json_type,
)
from yatzy.rules import Ruleset, scandinavian


@dataclass(frozen=True)
class Place:
    row: int
    note: str | None = None


@dataclass(frozen=True)
class Choice:
    """A choice."""

    rules: Ruleset
    at: Annotated[Place, INLINE]
    actions: tuple[Action, ...]
    by_name: Mapping[str, float]
    secret: Annotated[int, HIDDEN] = 0
    extra: int = 0

    @json_property
    def best(self) -> Action:
        return self.actions[0]

    @json_property
    def odd(self) -> int | None:
        return self.extra if self.extra % 2 else None


CHOICE = Choice(scandinavian(), Place(2), (Keep((3, 3)), Score("pair", 6)), {"a": np.float64(0.5)}, secret=7)


def test_the_examples_of_the_modules_run():
    assert doctest.testmod(json).failed == 0
    assert doctest.testmod(action).failed == 0


def test_fields_properties_and_inlined_values_are_the_keys():
    assert as_json(CHOICE) == {
        "rules": "scandinavian",
        "row": 2,
        "actions": ["keep 3 3", "score pair"],
        "by_name": {"a": 0.5},
        "best": "keep 3 3",
    }


def test_what_has_its_default_is_left_out():
    told = as_json(Choice(scandinavian(), Place(2, "here"), (Keep(),), {}, extra=3))
    assert (told["note"], told["extra"], told["odd"], told["actions"]) == ("here", 3, 3, ["keep nothing"])


def test_the_schema_says_what_the_json_is():
    schema = json_schema(Choice)
    assert schema["required"] == ["rules", "row", "actions", "by_name", "best"]
    assert set(schema["properties"]) == {*schema["required"], "note", "extra", "odd"}
    assert schema["description"] == "A choice."
    assert TypeAdapter(json_type(Choice)).validate_python(as_json(CHOICE)) == as_json(CHOICE)


@dataclass(frozen=True)
class Curve:
    points: list[tuple[int, float]]
    note: Annotated[str | None, ALWAYS] = None

    @json_property
    def top(self) -> float:
        return max(value for _, value in self.points)


CURVE = Curve([(10, 200.5), (20, 210.0)])
WRITTEN = {"points": [[10, 200.5], [20, 210.0]], "note": None, "top": 210.0}


def test_a_tuple_of_different_types_is_not_a_list_of_the_first():
    """The schema of `tuple[int, float]` was that of a list of whole numbers, which its own JSON does not fit."""
    pair = json_schema(Curve)["properties"]["points"]["items"]
    assert pair["prefixItems"] == [{"type": "integer"}, {"type": "number"}]
    assert (pair["minItems"], pair["maxItems"]) == (2, 2)
    check_json(Curve, WRITTEN)
    assert TypeAdapter(json_type(Curve)).dump_json(WRITTEN, warnings="error")
    with pytest.raises(YatzyError, match=r"points\[1\]\[0\]"):
        check_json(Curve, WRITTEN | {"points": [[10, 200.5], [20.5, 210.0]]})


def test_a_value_is_read_back_from_its_json():
    assert as_json(CURVE) == WRITTEN
    assert from_json(Curve, WRITTEN) == CURVE
    with pytest.raises(YatzyError, match="points"):
        from_json(Curve, {"note": "no points"})
