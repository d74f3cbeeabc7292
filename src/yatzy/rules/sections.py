"""Tables of a file that people write: typed reading, and one error about the first thing that is wrong.

The sentence names the key with its place, what was given and what is allowed:

    family.toml: box 3 ("Villa"): score: 'hous' is not known; allowed are ..., house; did you mean 'house'?
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from yatzy.errors import NOT_ALLOWED, NOT_GIVEN, YatzyError, whole


@dataclass(frozen=True)
class Section:
    """One table of a file; `place` is where it is, such as `family.toml: box 3 ("Villa")`."""

    place: str
    content: dict[str, Any]

    def wrong(
        self,
        key: str,
        why: str = NOT_ALLOWED,
        given: Any = NOT_GIVEN,
        allowed: str | Collection[str] | None = None,
    ) -> YatzyError:
        return YatzyError(f"{self.place}: {key}", given, allowed, why)

    @contextmanager
    def naming(self, **keys: str) -> Iterator[None]:
        """Errors of a field in here, as errors of its key: the field itself unless `keys` name another."""
        try:
            yield
        except YatzyError as error:
            name, _, rest = (error.field or "").partition(".")
            path = ": ".join([keys.get(name, name), *(rest.split(".") if rest else [])])
            raise error.but(field=f"{self.place}: {path}") from None

    def check_keys(self, allowed: Collection[str]) -> None:
        """Refuse a key that means nothing here: a misspelt one would be silently ignored."""
        for key in self.content:
            if key not in allowed:
                raise YatzyError(self.place, key, allowed, "is not a key here")

    def needed(self, key: str, allowed: str | Collection[str]) -> Any:
        if key not in self.content:
            raise self.wrong(key, "is missing", allowed=allowed)
        return self.content[key]

    def number(self, key: str, lowest: int, highest: int, default: int | None = None) -> int:
        """A whole number in a range; needed unless there is a default."""
        if default is not None and key not in self.content:
            return default
        value = self.needed(key, f"a whole number, {lowest}..{highest}" if lowest < highest else f"{lowest}")
        with self.naming():
            return whole(key, value, lowest, highest)

    def switch(self, key: str) -> bool:
        """True or false; false if it is not there."""
        value = self.content.get(key, False)
        if not isinstance(value, bool):
            raise self.wrong(key, given=value, allowed=("true", "false"))
        return value

    def choice(self, key: str, allowed: Collection[str]) -> str:
        """One of several words."""
        value = self.needed(key, allowed)
        if not isinstance(value, str) or value not in allowed:
            raise self.wrong(key, "is not known", value, allowed)
        return value

    def section(self, key: str) -> "Section":
        """The table under a key."""
        value = self.content[key]
        if not isinstance(value, dict):
            raise self.wrong(key, given=value, allowed="a table of keys")
        return Section(f"{self.place}: {key}", value)
