"""`-` wherever a file is read: what comes in on stdin, as a file while the command runs.

Only one file of a command can be `-`. In sentences about it, the file is called stdin.
"""

import sys
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import typer

from yatzy.errors import YatzyError
from yatzy.storage import MAX_BYTES

DASH = "-"
# Commands that ask at the terminal, and for what.
TYPED = {"play": "moves", "practice": "answers"}

_copies: dict[Path, TemporaryDirectory[str]] = {}


def copied(field: str, suffix: str = "") -> Path:
    """What comes in on stdin, as a file of that kind; `forget` removes it."""
    if _copies:
        raise YatzyError(field, allowed="one - in a command", why="stdin has already been read")
    content = sys.stdin.buffer.read(MAX_BYTES + 1)
    if len(content) > MAX_BYTES:
        raise YatzyError(field, allowed=f"at most {MAX_BYTES:,} bytes", why="stdin is too large")
    folder = TemporaryDirectory()
    path = Path(folder.name) / f"stdin{suffix or _suffix(content)}"
    path.write_bytes(content)
    _copies[path] = folder
    return path


def _suffix(content: bytes) -> str:
    """Of a player's file: rule lists and charts are JSON, models are not."""
    return ".json" if content.lstrip()[:1] == b"{" else ".safetensors"


def forget() -> None:
    """Remove the copy, at the end of a command."""
    for path in list(_copies):
        _copies.pop(path).cleanup()


def spoken(sentence: str) -> str:
    """A sentence that calls the copy stdin."""
    for path in _copies:
        sentence = sentence.replace(str(path), "stdin")
    return sentence


def may_be_dash(field: str, suffix: str = "") -> Callable[[typer.Context, Any], Any]:
    """A callback for an option or argument that may be a file: a dash becomes the copy of stdin."""

    def read(ctx: typer.Context, value: Any) -> Any:
        if isinstance(value, list):
            return [read(ctx, one) for one in value]
        if str(value) != DASH or ctx.resilient_parsing:
            return value
        if ctx.info_name in TYPED and field != "review":
            why = f"stdin is where your {TYPED[ctx.info_name]} come from"
            raise YatzyError(field, allowed="a file", why=why)
        return type(value)(copied(field, suffix))

    return read
