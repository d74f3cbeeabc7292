"""The value usually cited for Scandinavian Yatzy, 248.63, and the rules that it is the value of.

Larsson and Sjöberg (2012) state our rules, but their published code (`scorePair` in ScoreCard.java of
ansjob/optimalt-yatzy) fills Two Pairs with

    2 * (highest pair) + 2 * (second pair, or 0 if there is none),

so a single pair scores there. Solved with that scoring the game is worth what they report.
"""

from dataclasses import dataclass, replace

from yatzy.context import HERE, Context
from yatzy.rules import Ruleset, ruleset
from yatzy.rules.scoring import Counts, faces_with
from yatzy.solver.solve import solve

REPORTED = 248.63


@dataclass(frozen=True)
class Reported:
    """The value reported, ours of the same scoring, and ours of the rules as they are printed."""

    reported: float
    as_programmed: float
    as_printed: float

    @property
    def key_figures(self) -> dict[str, float]:
        return {"reported": self.reported, "as_programmed": self.as_programmed, "as_printed": self.as_printed}


def explain_reported(rules: str | Ruleset = "scandinavian", context: Context = HERE) -> Reported:
    """Solve the game as it is printed and as it was programmed."""
    rules = ruleset(rules)
    boxes = tuple(
        replace(box, score=one_or_two_pairs) if box.name == "Two Pairs" else box for box in rules.categories
    )
    programmed = replace(rules, name=f"{rules.name}, one pair in Two Pairs", categories=boxes)
    return Reported(
        REPORTED,
        solve(programmed, context=context.quiet()).value(),
        solve(rules, context=context).value(),
    )


def one_or_two_pairs(counts: Counts) -> int:
    """Two Pairs as it was programmed: the two highest pairs, or the only one."""
    return 2 * sum(faces_with(counts, 2)[:2])
