"""Errors that a user can cause, as values: the field, what was given, what is allowed.

>>> YatzyError("target", 500, "a whole number from 0 to 374").field
'target'
>>> print(YatzyError("theta", "much", "a number"))
theta: 'much' is not allowed; allowed is a number
>>> print(YatzyError("rules", "yatzee", ("scandinavian", "yahtzee"), "is not known"))
rules: 'yatzee' is not known; allowed are scandinavian, yahtzee; did you mean 'yahtzee'?
>>> print(YatzyError("filled", why="the game is finished, no category is open"))
filled: the game is finished, no category is open
>>> print(YatzyError("keeps[0]", "3 3", why="{given} is not part of the dice").within("turns[2]"))
turns[2].keeps[0]: '3 3' is not part of the dice
"""

from collections.abc import Collection, Iterator
from contextlib import contextmanager
from os import PathLike
from typing import Any, Self, SupportsIndex

NOT_ALLOWED = "is not allowed"
LONGEST_GIVEN = 80


class _NotGiven:
    """The type of NOT_GIVEN, of which there is one in every process."""

    def __repr__(self) -> str:
        return "NOT_GIVEN"

    def __reduce__(self) -> str:
        return "NOT_GIVEN"


NOT_GIVEN = _NotGiven()


class YatzyError(ValueError):
    """Invalid input.

    `field` is a path such as "turns[2].keeps[0]". `allowed` is a description ("1 or more") or the words to choose
    from, the nearest of which is suggested. `why` says what is wrong; the given value stands before it or replaces
    {given}.
    """

    def __init__(
        self,
        field: str | None,
        given: Any = NOT_GIVEN,
        allowed: str | Collection[str] | None = None,
        why: str = NOT_ALLOWED,
    ) -> None:
        super().__init__(field, given, allowed, why)
        self.field, self.given, self.allowed, self.why = field, given, allowed, why

    def within(self, place: str) -> Self:
        """The same error with a longer path: `keeps` within `turns[2]` is `turns[2].keeps`."""
        field = place if self.field is None else f"{place}.{self.field}"
        return type(self)(field, self.given, self.allowed, self.why)

    def but(self, **changes: Any) -> Self:
        """The same error with some values replaced."""
        values = {"field": self.field, "given": self.given, "allowed": self.allowed, "why": self.why}
        return type(self)(**(values | changes))

    @property
    def problem(self) -> str:
        """The sentence without the field."""
        if self.given is NOT_GIVEN:
            text = self.why
        elif "{given}" in self.why:
            text = self.why.replace("{given}", shown(self.given))
        else:
            text = f"{shown(self.given)} {self.why}"
        if self.allowed is None:
            return text
        if isinstance(self.allowed, str):
            return f"{text}; allowed is {self.allowed}"
        meant = self.suggestion
        listed = f"{text}; allowed {'is' if len(self.allowed) == 1 else 'are'} {', '.join(map(str, self.allowed))}"
        return f"{listed}; did you mean {meant!r}?" if meant else listed

    @property
    def suggestion(self) -> str | None:
        """The allowed word that was probably meant."""
        if not isinstance(self.given, str) or self.allowed is None or isinstance(self.allowed, str):
            return None
        from difflib import get_close_matches

        words = {str(word).casefold(): str(word) for word in self.allowed}
        near = get_close_matches(self.given.casefold(), words, n=1, cutoff=0.7)
        return words[near[0]] if near else None

    def __str__(self) -> str:
        return self.problem if self.field is None else f"{self.field}: {self.problem}"


@contextmanager
def needs_extra(name: str) -> Iterator[None]:
    """Wrap the imports of packages that are installed with this extra.

    >>> with needs_extra("lab"):
    ...     import polars
    """
    try:
        yield
    except ModuleNotFoundError as error:
        package = (error.name or "a package").partition(".")[0]
        raise YatzyError(
            None, why=f"{package} is not installed; install it with: pip install 'yatzy[{name}]'"
        ) from None


def check_int(field: str, given: Any, lowest: int, highest: int | None = None) -> int:
    """The number as an int, if it is an integer in the range.

    >>> check_int("games", 0, 1)
    Traceback (most recent call last):
    yatzy.errors.YatzyError: games: 0 is not allowed; allowed is a whole number, 1 or more
    """
    if isinstance(given, SupportsIndex) and not isinstance(given, bool):
        number = given.__index__()
        if lowest <= number and (highest is None or number <= highest):
            return number
    upwards = f"{lowest} or more" if highest is None else f"{lowest}..{highest}"
    allowed = str(lowest) if lowest == highest else f"a whole number, {upwards}"
    raise YatzyError(field, given, allowed)


def shown(given: Any) -> str:
    """A repr short enough for a sentence; paths in full."""
    if isinstance(given, PathLike):
        return printable(str(given))
    text = repr(given)
    return text if len(text) <= LONGEST_GIVEN else f"{text[:LONGEST_GIVEN]}..."


def printable(text: str) -> str:
    """The text with control characters escaped."""
    return "".join(ch if ch.isprintable() else ascii(ch)[1:-1] for ch in text)
