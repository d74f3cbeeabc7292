"""The JSON form of values, and the schema that is made of the same classes."""

import doctest
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Annotated

import numpy as np
from pydantic import TypeAdapter

from yatzy.game import action, json
from yatzy.game.action import Action, Keep, Score
from yatzy.game.json import HIDDEN, INLINE, as_json, json_property, json_schema, json_type
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
