"""Tables of a file that people write: typed reading, and one sentence about the first thing that is wrong.

The sentence names the key with its place, what was given and what is allowed:

    family.toml: box 3 ("Villa"): score: 'hous' is not known; did you mean 'house'?
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, NoReturn

from yatzy.errors import YatzyError

LONGEST_SHOWN = 60


@dataclass(frozen=True)
class Section:
    """One table of a file; `place` is where it is, such as `family.toml: box 3 ("Villa")`."""

    place: str
    content: dict[str, Any]

    def fail(self, key: str, sentence: str) -> NoReturn:
        raise YatzyError(f"{self.place}: {key}: {sentence}")

    def check_keys(self, allowed: Sequence[str]) -> None:
        """Refuse a key that means nothing here: a misspelt one would be silently ignored."""
        for key in self.content:
            if key not in allowed:
                self.fail(shown_key(key), f"is not a key here; {suggest(key, allowed)}")

    def needed(self, key: str, allowed: str) -> Any:
        if key not in self.content:
            self.fail(key, f"is missing; allowed is {allowed}")
        return self.content[key]

    def number(self, key: str, lowest: int, highest: int, default: int | None = None) -> int:
        """A whole number in a range; needed unless there is a default."""
        allowed = f"a whole number, {lowest}..{highest}" if lowest < highest else f"{lowest}"
        if default is not None and key not in self.content:
            return default
        value = self.needed(key, allowed)
        if isinstance(value, bool) or not isinstance(value, int) or not lowest <= value <= highest:
            self.fail(key, f"{shown(value)} is not allowed; allowed is {allowed}")
        return value

    def switch(self, key: str) -> bool:
        """True or false; false if it is not there."""
        value = self.content.get(key, False)
        if not isinstance(value, bool):
            self.fail(key, f"{shown(value)} is not allowed; allowed are true and false")
        return value

    def text(self, key: str, longest: int) -> str:
        allowed = f"a text of 1 to {longest} characters"
        value = self.needed(key, allowed)
        if not is_text(value, longest):
            self.fail(key, f"{shown(value)} is not allowed; allowed is {allowed}")
        return str(value)

    def texts(self, key: str, longest: int) -> tuple[str, ...]:
        """A list of texts, empty if it is not there."""
        values = self.content.get(key, [])
        if not isinstance(values, list) or not all(is_text(value, longest) for value in values):
            self.fail(key, f"{shown(values)} is not allowed; allowed is a list of texts")
        return tuple(values)

    def choice(self, key: str, allowed: Iterable[str]) -> str:
        """One of several words."""
        words = tuple(allowed)
        value = self.needed(key, f"one of {', '.join(words)}")
        if not isinstance(value, str) or value not in words:
            self.fail(key, f"{shown(value)} is not known; {suggest(value, words)}")
        return value

    def section(self, key: str, name: str | None = None) -> "Section":
        """The table under a key."""
        value = self.content[key]
        if not isinstance(value, dict):
            self.fail(key, f"{shown(value)} is not allowed; allowed is a table of keys")
        return Section(f"{self.place}: {name or key}", value)


def is_text(value: Any, longest: int) -> bool:
    """Something that can be printed and is not blank."""
    return isinstance(value, str) and 0 < len(value) <= longest and value.isprintable() and value == value.strip()


def shown(value: Any) -> str:
    """What was given, cut short."""
    text = ascii(value) if isinstance(value, str) and not value.isprintable() else repr(value)
    return text if len(text) <= LONGEST_SHOWN else f"{text[: LONGEST_SHOWN - 3]}..."


def shown_key(key: str) -> str:
    return key if is_text(key, LONGEST_SHOWN) else shown(key)


def suggest(given: Any, allowed: Sequence[str]) -> str:
    """What is allowed, and which of it was probably meant."""
    near = get_close_matches(str(given).casefold(), allowed, n=1)
    meant = f"; did you mean {near[0]!r}?" if near else ""
    return f"allowed are {', '.join(allowed)}{meant}"
