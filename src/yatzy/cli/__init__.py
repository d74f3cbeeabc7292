"""The command line: thin commands over the library's own functions."""

from yatzy.cli.app import main

__all__ = ["main"]
