"""A student: a policy learned from the solution, with a parameter count and a file.

The file is sealed safetensors: the student's arrays, and as metadata `format`, `kind`, `name`, the ruleset's name
and fingerprint, `parameters` (how many numbers it has learned) and `info` (JSON: how it was made). Loading refuses
another format, an unknown kind, other rules, and arrays that do not fit.
"""

import json
from importlib import import_module
from pathlib import Path
from typing import Any, Protocol, Self

import numpy as np

from yatzy.arrays import IntArray
from yatzy.errors import YatzyError
from yatzy.policy.base import Decisions
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import Tensors, read_tensors, write_tensors

FORMAT = "yatzy-student-1"
KINDS = {
    "value-model": "yatzy.students.value.player:ValueModel",
    "trees": "yatzy.students.trees.player:Trees",
    "networks": "yatzy.students.networks.player:Networks",
}


class Student(Protocol):
    """A policy with a size and a file form."""

    @property
    def kind(self) -> str: ...

    @property
    def name(self) -> str: ...

    @property
    def rules(self) -> Ruleset: ...

    @property
    def parameters(self) -> int: ...

    @property
    def info(self) -> dict[str, Any]: ...

    def decide(self, filled: IntArray, upper: IntArray) -> Decisions: ...

    @property
    def content(self) -> bytes: ...

    def tensors(self) -> Tensors: ...

    @classmethod
    def from_tensors(cls, name: str, rules: Ruleset, tensors: Tensors, info: dict[str, Any]) -> Self: ...


def save_student(student: Student, path: str | Path) -> Path:
    """Write a student's file, whole or not at all."""
    metadata = {
        "format": FORMAT,
        "kind": student.kind,
        "name": student.name,
        "rules": student.rules.name,
        "fingerprint": student.rules.fingerprint,
        "parameters": str(student.parameters),
        "info": json.dumps(student.info),
    }
    return write_tensors(path, student.tensors(), metadata)


def load_student(path: str | Path, rules: str | Ruleset | None = None) -> Student:
    """Read a student's file."""
    path = Path(path)
    tensors, metadata = read_tensors(path, "policy")
    if metadata.get("format") != FORMAT or metadata.get("kind") not in KINDS:
        raise YatzyError("policy", path, why=f"is not a student of format {FORMAT} and kind {', '.join(KINDS)}")
    for key, tensor in tensors.items():
        if tensor.dtype.kind == "f" and not np.isfinite(tensor).all():
            raise YatzyError("policy", path, why=f"has numbers in {key!r} that are not finite")
    if not metadata.get("name", "").isprintable():
        raise YatzyError("policy", path, why="has a name that cannot be printed")
    game = ruleset(metadata.get("rules", "") if rules is None else rules)
    if metadata.get("fingerprint") != game.fingerprint:
        raise YatzyError("policy", path, why=f"plays {metadata.get('rules')!r}, not {game.name!r}")
    module, _, name = KINDS[metadata["kind"]].partition(":")
    kind: type[Student] = getattr(import_module(module), name)
    try:
        return kind.from_tensors(metadata["name"], game, tensors, json.loads(metadata["info"]))
    except (KeyError, ValueError, TypeError, IndexError) as error:
        why = f"does not hold what a student of its kind needs ({error})"
        raise YatzyError("policy", path, why=why) from None
