"""Packages that can be called: `yatzy.evaluate(...)` and `yatzy.policy(...)` are functions, and packages too.

A submodule becomes an attribute of its package when it is imported, so a function of the same name would be there
at one moment and gone at the next. Here the package itself is what is called.
"""

import sys
from importlib import import_module
from inspect import cleandoc
from types import ModuleType
from typing import Any


def make_callable(package: str, address: str) -> None:
    """Calling the package calls the function at "module:name", which is imported then."""
    module, _, name = address.partition(":")

    class Callable(ModuleType):
        def __call__(self, *arguments: Any, **named: Any) -> Any:
            return getattr(import_module(module), name)(*arguments, **named)

        @property
        def __doc__(self) -> str:  # type: ignore[override]
            """What `help` shows: the function first, because that is what is asked for."""
            about = getattr(import_module(module), name).__doc__ or ""
            return f"{cleandoc(about)}\n\nIt is a package too. {self.__dict__['__doc__']}"

    sys.modules[package].__class__ = Callable
