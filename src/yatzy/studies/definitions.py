"""The source of a package as definitions that name one another: read, never imported.

A *definition* is a function, a class or an assignment at the top of a module. Its text is its syntax tree without
what cannot change a number: comments, docstrings, annotations, formatting, and how an object shows itself
(`__repr__` that is written out; what is computed from a `repr` has to rely on the one that dataclasses make of
their fields). Its own name, and every name that leads to another definition of the package, is an anonymous
reference in the text: code that is moved or renamed stays the same. Names from elsewhere are written in full
(`np.sum` is `numpy.sum`). A string of the form "package.module:Name" is a reference too.

Other statements at the top of a module (`if`, `try`, a bare call) belong to every definition of the module that
they name, or to all of them if they name none. A function or class also belongs to what its decorators are called
with: `@unbox(FoldType)` changes what `FoldType` does. If a name is bound several times, all bindings count. What
is not seen: a registration from another module, and an attribute that is looked up by a string.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any

from yatzy.parts import digest_of

# Where an imported name comes from: a module, and a name in it (None: the module itself).
Origin = tuple[str, str | None]
# Names bound in a function: where imported ones come from, None for all others.
Scope = dict[str, Origin | None]

# Names in a class body do not hide the module's from its methods.
IN_CLASS: Scope = {}
UNTOLD = {"annotation", "returns", "type_comment", "type_params", "ctx", "kind", "simple"}
FUNCTIONS = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)
NAMED = (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)
SCOPES = (*NAMED, *COMPREHENSIONS, ast.Lambda)
ASSIGNMENTS = (ast.Assign, ast.AnnAssign, ast.AugAssign)
IMPORTS = (ast.Import, ast.ImportFrom)
SILENT = (*IMPORTS, ast.Pass, ast.Global, ast.Nonlocal)
LEADING = (ast.Name, ast.Attribute, ast.Constant)
SHOWING = ("__repr__", "_repr_html_")
BINDING = (*NAMED, ast.ExceptHandler, ast.MatchAs, ast.MatchStar)


@dataclass(eq=False)
class Definition:
    """All statements of a module that define a name."""

    module: "Module"
    name: str
    statements: list[ast.stmt] = field(default_factory=list)

    @cached_property
    def _read(self) -> "_Reader":
        reader = _Reader(self.module)
        reader.read(self.statements)
        return reader

    @property
    def references(self) -> list["Definition"]:
        """The definitions that it names, in order, repeats included."""
        return self._read.references

    @cached_property
    def local(self) -> str:
        """Digest of its own statements, whatever they refer to."""
        return digest_of("\n".join(self._read.text))


class Module:
    """A module: what each name at its top stands for."""

    def __init__(self, package: "Package", name: str, path: Path) -> None:
        self.package = package
        self.name = name
        self.home = name if path.name == "__init__.py" else name.rpartition(".")[0]
        self.names: dict[str, Definition | Origin] = {}
        body = [node for node in ast.parse(path.read_text()).body if not _is_guarded(node)]
        for node in body:
            for inner in _same_scope(node):
                for imported, origin in _imports(inner, self.home):
                    self.names.setdefault(imported, origin)
            for bound in _bound_at_top(node):
                self.names.setdefault(bound, Definition(self, bound))
        for node in body:
            for owner in self._owners(node):
                owner.statements.append(node)

    @property
    def definitions(self) -> list[Definition]:
        return [found for found in self.names.values() if isinstance(found, Definition)]

    def _owners(self, node: ast.stmt) -> list[Definition]:
        if _says_nothing(node):
            return []
        bound = set(_bound_at_top(node))
        if isinstance(node, NAMED):
            calls = [call for call in node.decorator_list if isinstance(call, ast.Call)]
            bound |= {name for call in calls for argument in call.args for name in _names(argument)}
        elif not isinstance(node, ASSIGNMENTS) or not bound:
            bound |= set(_names(node))
        return [owner for owner in self.definitions if owner.name in bound] or self.definitions


class Package:
    """A package in a folder, by the names of its modules; those in `plumbing` cannot change a number."""

    def __init__(self, folder: Path, plumbing: Sequence[str] = ()) -> None:
        self.folder = folder
        self.name = folder.name
        self.plumbing = frozenset(plumbing)
        self.address = re.compile(rf"({self.name}(?:\.\w+)+):(\w+)")
        self._modules: dict[str, Module | None] = {}

    def module(self, name: str) -> Module | None:
        """The module of that full name, None if the package has none."""
        if name not in self._modules:
            head, *rest = name.split(".")
            path = self.folder.joinpath(*rest)
            path = path / "__init__.py" if path.is_dir() else path.with_suffix(".py")
            is_ours = head == self.name and path.is_file()
            self._modules[name] = Module(self, name, path) if is_ours else None
        return self._modules[name]

    def find(self, module: str, name: str | None) -> Definition | Module | str:
        """What a name in a module stands for, through all imports; as text if it is not from this package."""
        home = self.module(module)
        if name is None:
            return home or module
        found = home.names.get(name) if home else None
        if isinstance(found, Definition):
            return found
        if found and found != (module, name):
            return self.find(*found)
        return self.module(f"{module}.{name}") or f"{module}.{name}"


class _Reader:
    """Writes statements down as text with anonymous references."""

    def __init__(self, module: Module) -> None:
        self.module = module
        self.text: list[str] = []
        self.references: list[Definition] = []
        self.scopes: list[Scope] = []

    def read(self, node: Any) -> None:
        if isinstance(node, list):
            self.text.append("[")
            for item in node:
                if not _says_nothing(item):
                    self.read(item)
            self.text.append("]")
        elif not isinstance(node, ast.AST):
            self.text.append(repr(node))
        elif isinstance(node, LEADING) and self._is_reference(node):
            pass
        elif isinstance(node, ast.AnnAssign):
            self._read_annotated(node)
        elif isinstance(node, FUNCTIONS):
            self.read([*getattr(node, "decorator_list", []), *node.args.defaults, *node.args.kw_defaults])
            self._read_fields(node, _scope_of(node, self.module.home))
        elif isinstance(node, COMPREHENSIONS):
            self.read(node.generators[0].iter)
            self._read_fields(node, _scope_of(node, self.module.home))
        else:
            self._read_fields(node, IN_CLASS if isinstance(node, ast.ClassDef) else None)

    def _read_fields(self, node: ast.AST, scope: Scope | None) -> None:
        self.text.append(f"{type(node).__name__}(")
        at_top = not self.scopes
        if scope is not None:
            self.scopes.append(scope)
        for key, value in ast.iter_fields(node):
            if key == "name" and at_top and isinstance(node, NAMED):
                self._refer(self.module.package.find(self.module.name, value))
            elif key not in UNTOLD and value is not None and value != []:
                self.text.append(f"{key}=")
                self.read(value)
        if scope is not None:
            self.scopes.pop()
        self.text.append(")")

    def _read_annotated(self, node: ast.AnnAssign) -> None:
        """Read it as if unannotated; without a value it is a field of a class, or nothing."""
        if node.value:
            self.read(ast.Assign([node.target], node.value))
        elif self.scopes and self.scopes[-1] is IN_CLASS:
            self.read(node.target)

    def _is_reference(self, node: ast.expr) -> bool:
        found = self._resolve(node)
        if isinstance(found, Module):
            # The whole module: anything in it may be meant.
            for definition in found.definitions:
                self._refer(definition)
        elif found is not None:
            self._refer(found)
        return found is not None

    def _refer(self, found: Definition | Module | str) -> None:
        if isinstance(found, str):
            self.text.append(f"<{found}>")
        elif isinstance(found, Definition) and found.module.name in self.module.package.plumbing:
            self.text.append("plumbing")
        elif isinstance(found, Definition):
            self.text.append("@")
            self.references.append(found)

    def _resolve(self, node: ast.expr) -> Definition | Module | str | None:
        """What an expression leads to: a definition, a module, the full name of something imported, or None."""
        package = self.module.package
        if isinstance(node, ast.Name):
            return self._resolve_name(node)
        if isinstance(node, ast.Attribute):
            base = self._resolve(node.value)
            if isinstance(base, Module):
                return package.find(base.name, node.attr)
            return f"{base}.{node.attr}" if isinstance(base, str) else None
        address = isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value
        match = package.address.fullmatch(address) if address else None
        found = package.find(match[1], match[2]) if match else None
        return found if isinstance(found, Definition) else None

    def _resolve_name(self, node: ast.Name) -> Definition | Module | str | None:
        if self.scopes and not isinstance(node.ctx, ast.Load):
            return None
        for scope in reversed(self.scopes):
            if node.id in scope:
                origin = scope[node.id]
                return self.module.package.find(*origin) if origin else None
        at_top = node.id in self.module.names
        return self.module.package.find(self.module.name, node.id) if at_top else None


def _scope_of(node: Any, home: str) -> Scope:
    """What is bound in a function or comprehension, without the functions and classes inside."""
    scope: Scope = {}
    shared: set[str] = set()
    if isinstance(node, COMPREHENSIONS):
        ahead: list[ast.AST] = [part.target for part in node.generators]
    else:
        ahead = [node.args, *(node.body if isinstance(node.body, list) else [node.body])]
    while ahead:
        part = ahead.pop()
        if isinstance(part, ast.Name):
            if not isinstance(part.ctx, ast.Load):
                scope.setdefault(part.id, None)
        elif isinstance(part, IMPORTS):
            scope |= dict(_imports(part, home))
        elif isinstance(part, ast.arg):
            scope[part.arg] = None
        elif isinstance(part, ast.Global):
            shared |= set(part.names)
        elif isinstance(part, BINDING):
            scope[part.name or ""] = None
        elif isinstance(part, ast.MatchMapping):
            scope[part.rest or ""] = None
        if not isinstance(part, SCOPES):
            ahead += _children(part)
    return {name: origin for name, origin in scope.items() if name not in shared}


def _imports(node: ast.AST, home: str) -> Iterator[tuple[str, Origin]]:
    """(name, where it comes from) of what a statement imports; `home` is the package it is in."""
    if isinstance(node, ast.Import):
        for alias in node.names:
            head = alias.name.partition(".")[0]
            yield alias.asname or head, (alias.name if alias.asname else head, None)
    elif isinstance(node, ast.ImportFrom):
        above = home.split(".")[: len(home.split(".")) + 1 - node.level] if node.level else []
        origin = ".".join([*above, *([node.module] if node.module else [])])
        yield from ((alias.asname or alias.name, (origin, alias.name)) for alias in node.names)


def _same_scope(node: ast.AST) -> Iterator[ast.AST]:
    """The node and everything in it, except inside functions and classes."""
    yield node
    if not isinstance(node, SCOPES):
        for inner in _children(node):
            yield from _same_scope(inner)


def _bound_at_top(node: ast.stmt) -> list[str]:
    """Names that a statement at the top of a module binds, except by import."""
    found = []
    for inner in _same_scope(node):
        if isinstance(inner, NAMED):
            found.append(inner.name)
        elif isinstance(inner, ast.Name) and isinstance(inner.ctx, ast.Store):
            found.append(inner.id)
    return found


def _names(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Name):
        yield node.id
    for inner in _children(node):
        yield from _names(inner)


def _children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below, except annotations."""
    fields = (value for key, value in ast.iter_fields(node) if key not in UNTOLD)
    values = (item for value in fields for item in (value if isinstance(value, list) else [value]))
    return [value for value in values if isinstance(value, ast.AST)]


def _says_nothing(node: object) -> bool:
    """Docstrings, `...`, `pass` and the methods of SHOWING; imports are found where their names are used."""
    is_bare = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
    is_shown = isinstance(node, ast.FunctionDef) and node.name in SHOWING
    return is_bare or is_shown or isinstance(node, SILENT)


def _is_guarded(node: ast.stmt) -> bool:
    """`if TYPE_CHECKING:` and `if __name__ == "__main__":` never run in a study."""
    return isinstance(node, ast.If) and bool({"TYPE_CHECKING", "__name__"} & set(_names(node.test)))
