"""The JSON form of a value and the type of that form, both derived from the value's class.

A value is a dataclass or a named tuple, or declares `json_fields` and `json_defaults`. Its JSON form has its
fields in order, then the properties marked with `json_property`. Defaults are omitted, and optional properties
that are None. Fields can be annotated: `INLINE` merges the keys of the field into those of the value, `HIDDEN`
omits it, `ALWAYS` includes a default, and a `NULLABLE` number is null if it is NaN. An action is its text, a
ruleset its name.

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

The OpenAPI document, `yatzy schema` and the page's types are all generated from this, so a field is added in one
place: its class.
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
    """The range of a number."""

    low: float
    high: float | None = None


class Length(NamedTuple):
    """The length of a list or a text."""

    low: int
    high: int


# Sums of rounded numbers may be slightly outside the range.
Probability = Annotated[float, Bounds(-1e-6, 1 + 1e-6)]
Positive = Annotated[float, Bounds(0)]
Count = Annotated[int, Bounds(0)]


class _Key(NamedTuple):
    name: str
    type: Any
    is_inline: bool
    # Omitted if the value is this.
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
                hint = get_type_hints(read, include_extras=True)["return"]
                is_inline = INLINE in getattr(hint, "__metadata__", ())
                keys[name] = _Key(name, hint, is_inline, None if _may_be_none(hint) else MISSING)
    return tuple(keys.values())


def _defaults(kind: Any) -> dict[str, Any]:
    """The fields of a class and their defaults."""
    if is_dataclass(kind):
        return {one.name: one.default for one in fields(kind)}
    if hasattr(kind, "_fields"):
        return {name: kind._field_defaults.get(name, MISSING) for name in kind._fields}
    return dict.fromkeys(getattr(kind, "json_fields", ()), MISSING) | getattr(kind, "json_defaults", {})


def _may_be_none(hint: Any) -> bool:
    return get_origin(hint) in (Union, UnionType) and NoneType in get_args(hint)


def as_json(value: Any) -> Any:
    """The value as plain dictionaries, lists, strings and numbers."""
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
    content: dict[str, Any] = {}
    kind: Any = type(value)
    for name, _, is_inline, default in _keys(kind):
        found = getattr(value, name)
        if default is not MISSING and found == default:
            continue
        if is_inline:
            content |= _object(found)
        else:
            content[name] = as_json(found)
    return content


def json_type(hint: Any) -> Any:
    """The type of the JSON form of a type: a typed dictionary for a class of values, a list for a tuple."""
    return _form(hint, False)


def request_type(hint: Any) -> Any:
    """The same for requests, in which optional keys may also be null."""
    return _form(hint, True)


@cache
def _form(hint: Any, is_request: bool) -> Any:
    if isinstance(hint, type):
        kind: Any = hint
        is_object = is_typeddict(kind) or _keys(kind)
        return str if issubclass(kind, AS_TEXT) else _dictionary(kind, is_request) if is_object else kind
    origin, inside = get_origin(hint), get_args(hint)
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
    return _list(inside, is_request) if isinstance(origin, type) and issubclass(origin, Iterable) else hint


def _list(inside: tuple[Any, ...], is_request: bool) -> Any:
    """A list of one type, or of a fixed length with a type per item."""
    items: Any = tuple(_form(one, is_request) for one in inside if one is not Ellipsis)
    if len(items) == 1:
        return list[items[0]]
    from pydantic import BeforeValidator, WrapSerializer

    read = BeforeValidator(lambda given: tuple(given) if isinstance(given, list) else given)
    write = WrapSerializer(lambda value, inner: inner(tuple(value)))
    return Annotated[tuple[items], read, write]


def _annotated(hint: Any, marks: tuple[Any, ...]) -> Any:
    from pydantic import Field

    for mark in marks:
        if isinstance(mark, Bounds):
            hint = Annotated[hint, Field(ge=mark.low, le=mark.high)]
        elif isinstance(mark, Length):
            hint = Annotated[hint, Field(min_length=mark.low, max_length=mark.high)]
        elif not isinstance(mark, str):
            hint = Annotated[hint, mark]
    return hint | None if NULLABLE in marks else hint


def _dictionary(kind: type, is_request: bool) -> Any:
    return typed_dictionary(kind.__name__ + "Request" * is_request, dict(_entries(kind, is_request)), kind.__doc__)


def typed_dictionary(name: str, entries: dict[str, Any], about: str | None, **config: Any) -> Any:
    """A closed typed dictionary for pydantic, which accepts those of `typing` only from Python 3.12 on."""
    body = {
        "__annotations__": entries,
        "__required_keys__": {key for key, hint in entries.items() if get_origin(hint) is not NotRequired},
        "__pydantic_config__": {"extra": "forbid", "strict": True, **config},
    }
    return type(name, (_Form,), {"__doc__": about, "__module__": __name__, **body})


class _Form:
    __required_keys__: ClassVar[AbstractSet[str]]

    @classmethod
    def __get_pydantic_core_schema__(cls, _source: Any, handler: Any) -> Any:
        fields = {}
        for key, hint in cls.__annotations__.items():
            is_required = key in cls.__required_keys__
            schema = handler.generate_schema(hint if is_required else get_args(hint)[0])
            fields[key] = {"type": "typed-dict-field", "schema": schema, "required": is_required}
        kind = {"cls": cls, "ref": f"{__name__}.{cls.__name__}:{id(cls)}", "config": {"strict": True}}
        return {"type": "typed-dict", "fields": fields, "extra_behavior": "forbid"} | kind


def _entries(kind: Any, is_request: bool) -> Iterable[tuple[str, Any]]:
    if is_typeddict(kind):
        for name, hint in get_type_hints(kind, include_extras=True).items():
            may_miss = get_origin(hint) is NotRequired
            inner = _form(get_args(hint)[0] if may_miss else hint, is_request)
            yield name, NotRequired[inner] if may_miss else inner
    for key in _keys(kind):
        if key.is_inline:
            inner = get_args(key.type)[0]
            # The keys of an optional value are optional.
            found = [one for one in get_args(inner) if one is not NoneType] if _may_be_none(inner) else [inner]
            for name, hint in _entries(found[0], is_request):
                yield name, NotRequired[hint] if len(found) != 1 or _may_be_none(inner) else hint
        elif key.default is MISSING:
            yield key.name, _form(key.type, is_request)
        else:
            inner = tuple(one for one in get_args(key.type) if one is not NoneType)
            hint = Union[inner] if _may_be_none(key.type) and key.default is None else key.type  # noqa: UP007
            form = _form(hint, is_request)
            yield key.name, NotRequired[form | None if is_request else form]


def json_schema(hint: Any) -> dict[str, Any]:
    """The JSON Schema of the JSON form of a type."""
    from pydantic import TypeAdapter

    return TypeAdapter(json_type(hint)).json_schema()


def from_json(kind: type[V], given: Any) -> V:
    """The value with this JSON form, for classes with plain fields; other keys are ignored."""
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


# By pydantic's type of error.
WHAT_IS_WRONG = {
    "int_type": "is not a whole number", "float_type": "is not a number", "bool_type": "is not true or false",
    "string_type": "is not a text", "list_type": "is not a list", "dict_type": "is not an object",
}  # fmt: skip
LONGEST_KEY = 80


@cache
def _checker(hint: Any) -> Any:
    from pydantic import TypeAdapter

    return TypeAdapter(json_type(hint))


def check_json(hint: Any, given: Any, field: str | None = None) -> Any:
    """The given document, if it is the JSON form of a type without unknown keys.

    Errors name the place, such as `turns[3].keeps[0]`, or `field` for the whole document.
    """
    from pydantic import ValidationError

    try:
        return _checker(hint).validate_python(given, strict=True, extra="forbid")
    except ValidationError as refused:
        error: Any = refused.errors(include_url=False)[0]
    kind, place, found, limits = error["type"], error["loc"], error["input"], error.get("ctx", {})
    steps = (f"[{step}]" if isinstance(step, int) else f".{step[:LONGEST_KEY]}" for step in place)
    where = "".join(steps).removeprefix(".")
    if kind == "missing":
        raise YatzyError(where, why="is missing")
    if kind == "extra_forbidden":
        raise YatzyError(where, place[-1], list(_form_at(hint, place[:-1]).__annotations__), "is not known")
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
        form = _form_at(hint, place)
        if hasattr(form, "__required_keys__"):
            needed = [key for key in form.__annotations__ if key in form.__required_keys__]
            why += f" with {', '.join(needed or form.__annotations__)}"
    raise YatzyError(where or field, found, why=why)


def _form_at(hint: Any, place: tuple[str | int, ...]) -> Any:
    """The typed dictionary at a place in the JSON form of a type."""
    form = json_type(hint)
    for step in place:
        if isinstance(step, str):
            form = get_type_hints(form)[step]
        else:
            form = get_args(form)[step if get_origin(form) is tuple else 0]
        form = next((one for one in get_args(form) if one is not NoneType), form) if _may_be_none(form) else form
    return form
