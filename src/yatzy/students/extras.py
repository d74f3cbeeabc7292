"""Packages that only training needs: playing a student must not require them."""

from importlib import import_module
from types import ModuleType

from yatzy.errors import YatzyError

INSTALLED_AS = {"sklearn": "scikit-learn", "scipy": "scipy"}


def training_module(name: str) -> ModuleType:
    """A module of a package that comes with the extra `train`, such as `scipy.optimize`."""
    try:
        return import_module(name)
    except ImportError:
        package = INSTALLED_AS[name.partition(".")[0]]
        raise YatzyError(
            "training", why=f"{package} is not installed; install the extra with: pip install 'yatzy[train]'"
        ) from None
