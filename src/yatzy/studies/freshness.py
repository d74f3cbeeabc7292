"""Is a number still what the current code computes, and if not, what changed?

A number depends on the definitions that its function leads to (see `definitions`). Each gets a colour,

    colour_0(d) = digest of d's own statements,    colour_k+1(d) = digest of d's statements and colour_k of what it
                                                                   refers to, in order,

and the digest of the whole is that of all colours: it changes with any statement and with who calls whom, and
with nothing else. Functions that call each other need no special care.
"""

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.parts import digest_of
from yatzy.studies.definitions import Definition, Package

# Modules that decide where, when and for whom something is computed, not what comes out.
PLUMBING = (
    "yatzy", "yatzy.arrays", "yatzy.engine", "yatzy.errors", "yatzy.files", "yatzy.home", "yatzy.parts",
    "yatzy.running", "yatzy.sealed", "yatzy.turn.jit", "yatzy.turn.machine", "yatzy.source_digest",
    "yatzy.studies.definitions", "yatzy.studies.freshness", "yatzy.studies.parts",
)  # fmt: skip
# How far around itself a colour sees; any statement counts, however far.
ROUNDS = 4
LOCAL_DIGITS, WIRING_DIGITS = 8, 4
MOST_NAMES = 12
DATA = "data"

# By module and name of a definition: digits of its own statements, then of those it refers to.
Digests = Mapping[str, Mapping[str, str]]


@dataclass(frozen=True)
class Code:
    """What a number depends on: one digest of it all, one for each definition, and who refers to whom."""

    digest: str
    definitions: Digests
    references: Mapping[str, tuple[str, ...]]


@cache
def _package() -> Package:
    """Our own package, as it was when first asked for: edits while a study runs do not count."""
    return Package(Path(__file__).parents[1], PLUMBING)


def code_of(*things: Any, data: tuple[str, ...] = ()) -> Code:
    """What functions and classes of this package depend on, together with data files beside this module."""
    return _code_of(tuple(f"{thing.__module__}:{thing.__qualname__}" for thing in things), data)


@cache
def _code_of(addresses: tuple[str, ...], data: tuple[str, ...]) -> Code:
    files = {Path(name).name: (Path(__file__).parent / name).read_bytes() for name in data}
    return read_code(_package(), addresses, files)


def read_code(package: Package, addresses: tuple[str, ...], files: Mapping[str, bytes] | None = None) -> Code:
    """What definitions of a package ("package.module:Name") depend on, together with the content of files."""
    roots = [_root(package, address) for address in addresses]
    reached = _reach(roots)
    colours = {one: one.local for one in reached}
    for _ in range(ROUNDS):
        colours = {one: digest_of(one.local, *(colours[to] for to in one.references)) for one in reached}
    contents = {name: digest_of(content) for name, content in (files or {}).items()}
    start = [colours[root] for root in roots]
    digest = digest_of(*start, *sorted(set(colours.values())), *sorted(contents.values()))
    definitions: dict[str, dict[str, str]] = {}
    for one in sorted(reached, key=lambda one: (one.module.name, one.name)):
        wiring = digest_of(*(to.local for to in one.references), length=WIRING_DIGITS)
        group = one.module.name.removeprefix(f"{package.name}.")
        definitions.setdefault(group, {})[one.name] = one.local[:LOCAL_DIGITS] + wiring
    if contents:
        definitions[DATA] = {name: content[:LOCAL_DIGITS] for name, content in contents.items()}
    references = {_name(package, one): tuple(_name(package, to) for to in one.references) for one in reached}
    return Code(digest, definitions, references)


def _root(package: Package, address: str) -> Definition:
    module, _, name = address.partition(":")
    found = package.find(module, name)
    if not isinstance(found, Definition):
        raise YatzyError("code", address, why=f"is not at the top of a module of {package.name}")
    return found


def _reach(roots: list[Definition]) -> list[Definition]:
    found = dict.fromkeys(roots)
    ahead = list(found)
    while ahead:
        for one in ahead.pop().references:
            if one not in found:
                found[one] = None
                ahead.append(one)
    return list(found)


def _name(package: Package, one: Definition) -> str:
    return f"{one.module.name.removeprefix(f'{package.name}.')}.{one.name}"


def tell_changes(before: Digests, now: Code) -> str:
    """What is different, by name: "changed are a.f, b.g; new is c.h; gone is d.k".

    Moving and renaming do not count. A definition with the same statements has changed if it now refers to others,
    unless those have changed themselves.
    """
    old, new = dict(_flat(before)), dict(_flat(now.definitions))
    left = Counter(_local(old[name]) for name in old.keys() - new.keys())
    added, moved = [], Counter[str]()
    for name in sorted(new.keys() - old.keys()):
        local = _local(new[name])
        if moved[local] < left[local]:
            moved[local] += 1
        else:
            added.append(name)
    gone = []
    for name in sorted(old.keys() - new.keys()):
        local = _local(old[name])
        if moved[local]:
            moved[local] -= 1
        else:
            gone.append(name)
    both = sorted(old.keys() & new.keys())
    changed = [name for name in both if _local(old[name]) != _local(new[name])]
    touched = {*changed, *added}
    changed += [
        name
        for name in both
        if old[name] != new[name] and name not in touched and not touched & set(now.references.get(name, ()))
    ]
    told = [_tell(what, sorted(names)) for what, names in (("changed", changed), ("new", added), ("gone", gone))]
    return "; ".join(filter(None, told)) or "changed is how its definitions refer to one another"


def _flat(digests: Digests) -> Iterator[tuple[str, str]]:
    for module, names in digests.items():
        for name, digest in names.items():
            yield (name if module == DATA else f"{module}.{name}"), digest


def _local(digest: str) -> str:
    return digest[:LOCAL_DIGITS]


def _tell(what: str, names: list[str]) -> str:
    if not names:
        return ""
    more = f" and {len(names) - MOST_NAMES} more" if len(names) > MOST_NAMES else ""
    return f"{what} {'is' if len(names) == 1 else 'are'} {', '.join(names[:MOST_NAMES])}{more}"
