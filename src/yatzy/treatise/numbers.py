"""Numbers in prose: how results are written, and the check that none is typed by hand.

A chapter is a template. A number that was computed comes in through an expression, `{{ r.distribution.mean |
points(1) }}`; a digit in the text outside of expressions, code and dice is an error, unless `allowed_numbers.toml`
lists it with the reason why it is not a result (a constant of the rules, say). Large number words count as digits.
"""

import math
import re
import tomllib
from functools import lru_cache
from importlib.resources import files

from yatzy.errors import YatzyError

_NOT_PROSE = re.compile(
    r"\A---\n.*?^---$"  # front matter
    r"|^(`{3,}).*?^\1\s*$"  # fenced code
    r"|\{\{.*?\}\}|\{%.*?%\}|\{#.*?#\}"  # expressions
    r"|^:::+ *figure [^\n]*$"  # a figure's id and size
    r"|`[^`\n]*`"  # code in a line
    r"|:dice\[[^\]]*\]"
    r"|\]\([^)]*\)"  # addresses of links
    r"|\[\[[^\]|]*\|",  # the concept behind a shown term
    re.MULTILINE | re.DOTALL,
)
_TENS = "twenty|thirty|forty|fifty|sixty|seventy|eighty|ninety"
_LARGE = "dozens?|hundreds?|thousands?|millions?|billions?|percent"
_NUMBER = re.compile(rf"\d[\d.,]*\d|\d|[½⅓¼⅔¾⅙]|\b(?:{_TENS}|{_LARGE})\b", re.IGNORECASE)
_FORMULA = re.compile(r"\$\$(.+?)\$\$|(?<![\\$])\$(?!\$)([^$\n]+?)\$", re.DOTALL)


@lru_cache
def allowed_numbers() -> dict[str, dict[str, str]]:
    """{"prose": {phrase: reason}, "formula": {number: reason}}."""
    return tomllib.loads((files(__package__) / "allowed_numbers.toml").read_text())


def check_numbers(name: str, source: str) -> None:
    """Refuse a template with a number typed by hand; `name` is the file's."""
    prose = _NOT_PROSE.sub(_blank, source)
    for formula in _FORMULA.finditer(prose):
        for number in re.finditer(r"\d+(?:(?:\{,\}|[.,])\d+)*", formula.group()):
            if number.group() not in allowed_numbers()["formula"]:
                _refuse(name, source, formula.start() + number.start(), number.group())
    prose = _FORMULA.sub(_blank, prose)
    for phrase in sorted(allowed_numbers()["prose"], key=len, reverse=True):
        words = r"\s+".join(map(re.escape, phrase.split()))
        prose = re.sub(rf"(?<![\w.,]){words}(?![\w]|[.,]\d)", _blank, prose, flags=re.IGNORECASE)
    found = _NUMBER.search(prose)
    if found:
        _refuse(name, source, found.start(), found.group())


def _refuse(name: str, source: str, start: int, number: str) -> None:
    line = source.count("\n", 0, start) + 1
    allowed = "a number from results ({{ r.<study>.<field> | points }}) or a phrase of allowed_numbers.toml"
    raise YatzyError(f"{name}, line {line}", number, allowed, "is typed by hand")


def _blank(found: re.Match[str]) -> str:
    """The same number of blanks: positions in the file stay the same."""
    return re.sub(r"[^\n]", " ", found.group())


def points(value: float, decimals: int = 1) -> str:
    """Points, or any quantity, to this many decimals and with thousands marked."""
    return f"{value:z,.{decimals}f}".replace("-", "−")


def signed(value: float, decimals: int = 1) -> str:
    """Points with their sign."""
    return f"{value:+z,.{decimals}f}".replace("-", "−")


def percent(share: float, decimals: int = 1) -> str:
    """A share as a percentage."""
    return f"{100 * share:z.{decimals}f}%".replace("-", "−")


def whole(value: float) -> str:
    """A whole number with thousands marked."""
    return f"{round(value):,}".replace("-", "−")


def about(value: float, digits: int = 2) -> str:
    """A whole number rounded to this many digits: 19,034 becomes 19,000."""
    return whole(float(f"{value:.{digits}g}"))


def power(log10: float) -> str:
    """10 to the nearest whole power, for prose."""
    return f"10<sup>{round(log10)}</sup>"


def magnitude(log10: float) -> str:
    """A number too long to write, for prose: one digit and a power of 10."""
    whole_part = math.floor(log10)
    digit = round(10 ** (log10 - whole_part))
    return f"{digit} × 10<sup>{whole_part}</sup>" if digit < 10 else f"10<sup>{whole_part + 1}</sup>"


def size(n_bytes: float) -> str:
    """Bytes in the unit a person would use (1 KB is 1,000 bytes)."""
    for unit, scale in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if n_bytes >= scale:
            return f"{n_bytes / scale:.1f} {unit}"
    return f"{n_bytes:.0f} bytes"


FILTERS = {
    function.__name__: function for function in (points, signed, percent, whole, about, power, magnitude, size)
}  # fmt: skip
