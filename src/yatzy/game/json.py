"""The one JSON form of a value, and the type of that form, both read from the value's own class.

A value is a dataclass or a named tuple, or says in `json_fields` and `json_defaults` what its attributes are. Its
JSON form has its fields in their order, then its properties that are marked with `json_property`. What has its
default is left out, and so is a property that is None where it may be. A field that is `INLINE` lends its own
keys, one that is `HIDDEN` has none, one that is `ALWAYS` there keeps its default; of a `NULLABLE` number, what is
not one is null. An action is its text, a ruleset its name.

>>> from dataclasses import dataclass
>>> @dataclass(frozen=True)
... class Point:
...     x: int
...     name: str | None = None
...     @json_property
...     def double(self) -> int:
...         return 2 * self.x
>>> as_json(Point(3))
{'x': 3, 'double': 6}
>>> from_json(Point, {'x': 3, 'double': 6})
Point(x=3, name=None)
>>> json_schema(Point)["required"]
['x', 'double']

Whatever describes an answer is made from this: the OpenAPI document, `yatzy schema`, the page's types. A field is
added in one place, its class.
"""

from collections.abc import Iterable, Mapping
from collections.abc import Set as AbstractSet
from dataclasses import MISSING, fields, is_dataclass
from functools import cache, cached_property
from math import isnan
from types import NoneType, UnionType
from typing import (
    TYPE_CHECKING,
    Annotated,
    Any,
    ClassVar,
    NamedTuple,
    NotRequired,
    TypeVar,
    Union,
    get_args,
    get_origin,
    get_type_hints,
    is_typeddict,
)

import numpy as np

from yatzy.errors import YatzyError
from yatzy.game.action import Keep, Score
from yatzy.rules import Ruleset

V = TypeVar("V")
INLINE, HIDDEN, NULLABLE, ALWAYS = "inline", "hidden", "nullable", "always"
AS_TEXT = (Keep, Score, Ruleset)
PLAIN = (str, int, float, bool, NoneType)


if TYPE_CHECKING:
    json_property = property
    cached_json_property = cached_property
else:

    class json_property(property):  # noqa: N801
        """A property that is part of the JSON form."""

    class cached_json_property(cached_property):  # noqa: N801
        """The same, computed once."""


class Bounds(NamedTuple):
    """Between which numbers a number is."""

    low: float
    high: float | None = None


class Length(NamedTuple):
    """How many entries a list has, or characters a text."""

    low: int
    high: int


# Sums of rounded numbers may miss their ends by rounding.
Probability = Annotated[float, Bounds(-1e-6, 1 + 1e-6)]
Positive = Annotated[float, Bounds(0)]
Count = Annotated[int, Bounds(0)]


class _Key(NamedTuple):
    name: str
    type: Any
    is_inline: bool
    # Left out while the value is this.
    default: Any


@cache
def _keys(kind: Any) -> tuple[_Key, ...]:
    keys = {}
    hints = get_type_hints(kind, include_extras=True) | getattr(kind, "json_fields", {})
    for name, default in _defaults(kind).items():
        marks = getattr(hints[name], "__metadata__", ())
        if HIDDEN not in marks:
            keys[name] = _Key(name, hints[name], INLINE in marks, MISSING if ALWAYS in marks else default)
    for base in reversed(kind.__mro__):
        for name, found in vars(base).items():
            if isinstance(found, json_property | cached_json_property):
                read = found.func if isinstance(found, cached_json_property) else found.fget
                told = get_type_hints(read, include_extras=True)["return"]
                is_inline = INLINE in getattr(told, "__metadata__", ())
                keys[name] = _Key(name, told, is_inline, None if _may_be_none(told) else MISSING)
    return tuple(keys.values())


def _defaults(kind: Any) -> dict[str, Any]:
    """The fields of a class, with their defaults."""
    if is_dataclass(kind):
        return {one.name: one.default for one in fields(kind)}
    if hasattr(kind, "_fields"):
        return {name: kind._field_defaults.get(name, MISSING) for name in kind._fields}
    return dict.fromkeys(getattr(kind, "json_fields", ()), MISSING) | getattr(kind, "json_defaults", {})


def _may_be_none(told: Any) -> bool:
    return get_origin(told) in (Union, UnionType) and NoneType in get_args(told)


def as_json(value: Any) -> Any:
    """The value as plain dictionaries, lists, texts and numbers."""
    if isinstance(value, PLAIN):
        return None if isinstance(value, float) and isnan(value) else value
    if isinstance(value, Ruleset):
        return value.name
    if isinstance(value, np.generic | np.ndarray):
        return value.tolist()
    if isinstance(value, Mapping):
        return {str(key): as_json(one) for key, one in value.items()}
    kind: Any = type(value)
    if not isinstance(value, AS_TEXT) and _keys(kind):
        return _object(value)
    return [as_json(one) for one in value] if isinstance(value, Iterable) else str(value)


def _object(value: Any) -> dict[str, Any]:
    told: dict[str, Any] = {}
    kind: Any = type(value)
    for name, _, is_inline, default in _keys(kind):
        found = getattr(value, name)
        if default is not MISSING and found == default:
            continue
        if is_inline:
            told |= _object(found)
        else:
            told[name] = as_json(found)
    return told


def json_type(told: Any) -> Any:
    """The type of the JSON form of a type: a typed dictionary for a value's class, lists for tuples, and so on."""
    return _form(told, False)


def request_type(told: Any) -> Any:
    """The same as a request may have it: what may be left out may also be null."""
    return _form(told, True)


@cache
def _form(told: Any, is_request: bool) -> Any:
    if isinstance(told, type):
        kind: Any = told
        is_object = is_typeddict(kind) or _keys(kind)
        return str if issubclass(kind, AS_TEXT) else _dictionary(kind, is_request) if is_object else kind
    origin, inside = get_origin(told), get_args(told)
    item: Any
    if origin is Annotated:
        return _annotated(_form(inside[0], is_request), inside[1:])
    if origin is np.ndarray:
        item = int if issubclass(get_args(inside[1])[0], np.integer) else float
        return list[item]
    if origin in (Union, UnionType):
        return Union[tuple(_form(one, is_request) for one in inside)]  # noqa: UP007
    if isinstance(origin, type) and issubclass(origin, Mapping):
        item = _form(inside[-1], is_request)
        return dict[str, item]
    return _list(inside, is_request) if isinstance(origin, type) and issubclass(origin, Iterable) else told


def _list(inside: tuple[Any, ...], is_request: bool) -> Any:
    """Of items of one type; of a tuple with a type for each item, with as many."""
    items: Any = tuple(_form(one, is_request) for one in inside if one is not Ellipsis)
    if len(items) == 1:
        return list[items[0]]
    from pydantic import BeforeValidator, WrapSerializer

    read = BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given)
    write = WrapSerializer(lambda value, inner: inner(tuple(value)))
    return Annotated[tuple[items], read, write]


def _annotated(told: Any, marks: tuple[Any, ...]) -> Any:
    from pydantic import Field

    for mark in marks:
        if isinstance(mark, Bounds):
            told = Annotated[told, Field(ge=mark.low, le=mark.high)]
        elif isinstance(mark, Length):
            told = Annotated[told, Field(min_length=mark.low, max_length=mark.high)]
        elif not isinstance(mark, str):
            told = Annotated[told, mark]
    return told | None if NULLABLE in marks else told


def _dictionary(kind: type, is_request: bool) -> Any:
    return typed_dictionary(kind.__name__ + "Request" * is_request, dict(_entries(kind, is_request)), kind.__doc__)


def typed_dictionary(name: str, entries: dict[str, Any], about: str | None, **config: Any) -> Any:
    """A typed dictionary with no other keys, for pydantic, which takes those of `typing` from Python 3.12 on."""
    told = {
        "__annotations__": entries,
        "__required_keys__": {key for key, told in entries.items() if get_origin(told) is not NotRequired},
        "__pydantic_config__": {"extra": "forbid", "strict": True, **config},
    }
    return type(name, (_Form,), {"__doc__": about, "__module__": __name__, **told})


class _Form:
    __required_keys__: ClassVar[AbstractSet[str]]

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: Any) -> Any:
        fields = {}
        for key, told in cls.__annotations__.items():
            is_required = key in cls.__required_keys__
            schema = handler.generate_schema(told if is_required else get_args(told)[0])
            fields[key] = {"type": "typed-dict-field", "schema": schema, "required": is_required}
        kind = {"cls": cls, "ref": f"{__name__}.{cls.__name__}:{id(cls)}", "config": {"strict": True}}
        return {"type": "typed-dict", "fields": fields, "extra_behavior": "forbid"} | kind


def _entries(kind: Any, is_request: bool) -> Iterable[tuple[str, Any]]:
    if is_typeddict(kind):
        for name, told in get_type_hints(kind, include_extras=True).items():
            may_miss = get_origin(told) is NotRequired
            inner = _form(get_args(told)[0] if may_miss else told, is_request)
            yield name, NotRequired[inner] if may_miss else inner
    for key in _keys(kind):
        if key.is_inline:
            inner = get_args(key.type)[0]
            # What may be None lends its keys only now and then.
            found = [one for one in get_args(inner) if one is not NoneType] if _may_be_none(inner) else [inner]
            for name, told in _entries(found[0], is_request):
                yield name, NotRequired[told] if len(found) != 1 or _may_be_none(inner) else told
        elif key.default is MISSING:
            yield key.name, _form(key.type, is_request)
        else:
            inner = tuple(one for one in get_args(key.type) if one is not NoneType)
            told = Union[inner] if _may_be_none(key.type) and key.default is None else key.type  # noqa: UP007
            form = _form(told, is_request)
            yield key.name, NotRequired[form | None if is_request else form]


def json_schema(told: Any) -> dict[str, Any]:
    """The JSON Schema of the JSON form of a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(json_type(told)).json_schema()


def from_json(kind: type[V], given: Any) -> V:
    """The value that has this JSON form; its class has plain fields, and other keys are left aside."""
    from pydantic import ValidationError

    of: Any = kind
    try:
        found: V = _reader(of).validate_python(given)
        return found
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        raise YatzyError(".".join(map(str, first["loc"])), why=first["msg"]) from None


@cache
def _reader(kind: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(kind)


# What pydantic calls an error, and what is wrong then.
WHAT_IS_WRONG = {
    "int_type": "is not a whole number", "float_type": "is not a number", "bool_type": "is not true or false",
    "string_type": "is not a text", "list_type": "is not a list", "dict_type": "is not an object",
}  # fmt: skip
LONGEST_KEY = 80


@cache
def _checker(told: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(json_type(told))


def check_json(told: Any, given: Any, field: str | None = None) -> Any:
    """What was given, which is to be the JSON form of a type: each of its keys known, needed ones there.

    The error names the place, such as `turns[3].keeps[0]`; `field` is the name of the whole.
    """
    from pydantic import ValidationError

    try:
        return _checker(told).validate_python(given, strict=True, extra="forbid")
    except ValidationError as refused:
        error: Any = refused.errors(include_url=False)[0]
    kind, place, found, limits = error["type"], error["loc"], error["input"], error.get("ctx", {})
    steps = (f"[{step}]" if isinstance(step, int) else f".{step[:LONGEST_KEY]}" for step in place)
    where = "".join(steps).removeprefix(".")
    if kind == "missing":
        raise YatzyError(where, why="is missing")
    if kind == "extra_forbidden":
        raise YatzyError(where, place[-1], list(_form_at(told, place[:-1]).__annotations__), "is not known")
    if kind == "literal_error":
        raise YatzyError(where, found, limits["expected"])
    if "ge" in limits or "le" in limits:
        raise YatzyError(where, found, f"{limits['ge']} or more" if "ge" in limits else f"{limits['le']} or less")
    if "min_length" in limits or "max_length" in limits:
        allowed = (
            f"{limits['min_length']} or more" if "min_length" in limits else f"{limits['max_length']} or fewer"
        )
        if isinstance(found, str):
            raise YatzyError(where, found, f"{allowed} characters", f"has {len(found)}")
        raise YatzyError(where, why=f"has {len(found)} entries; allowed is {allowed}")
    why = WHAT_IS_WRONG.get(kind, f"cannot be used ({error['msg']})")
    if kind == "dict_type":
        form = _form_at(told, place)
        needed = [key for key in form.__annotations__ if key in form.__required_keys__]
        why += f" with {', '.join(needed or form.__annotations__)}"
    raise YatzyError(where or field, found, why=why)


def _form_at(told: Any, place: tuple[str | int, ...]) -> Any:
    """The typed dictionary at a place in the JSON form of a type."""
    form = json_type(told)
    for step in place:
        if isinstance(step, str):
            form = get_type_hints(form)[step]
        else:
            form = get_args(form)[step if get_origin(form) is tuple else 0]
        form = next((one for one in get_args(form) if one is not NoneType), form) if _may_be_none(form) else form
    return form
