"""Checks a file of exact values without the solver: each state's number from those of the states after it.

This page shares no code with `solver.exact`. It knows the rules of a game and the whole numbers of Python, and
follows the definition: a roll is worth the most that a box brings now and later, a keep the sum over the dice
thrown to it. With n dice of f faces, a numerator is over f^(n (rerolls + 1) k) for k open boxes.

If every state agrees with its successors, and finished games are worth the bonus or nothing, all are right.
"""

import random
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from itertools import combinations_with_replacement
from pathlib import Path

from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.game.json import Count
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import read_tensors

FORMAT = "yatzy-exact-1"
Dice = tuple[int, ...]
# By (filled, upper): the numerator.
Numbers = dict[tuple[int, int], int]


@dataclass(frozen=True)
class ExactCheck:
    """How many states of a file were checked, and how many of them agree with their successors."""

    rules: Ruleset
    states: Count
    checked: Count
    agree: Count


def read_numbers(path: str | Path, rules: str | Ruleset | None = None) -> tuple[Ruleset, list[Numbers]]:
    """The game of a file, and its numerators by the number of open boxes."""
    tensors, said = read_tensors(path, "file")
    if said.get("format") != FORMAT:
        raise YatzyError(str(path), why=f"format is {said.get('format')!r}, this version reads {FORMAT!r}")
    game = ruleset(said["rules"] if rules is None else rules)
    if said.get("fingerprint") != game.fingerprint:
        raise YatzyError(str(path), why=f"was solved for other rules than {game.name!r}")
    found = []
    for n_open in range(sum(name.startswith("filled-") for name in tensors)):
        words = tensors[f"numerator-{n_open}"].astype("<u8")
        states = zip(tensors[f"filled-{n_open}"].tolist(), tensors[f"upper-{n_open}"].tolist(), strict=True)
        found.append(
            {state: int.from_bytes(row.tobytes(), "little") for state, row in zip(states, words, strict=True)}
        )
    return game, found


class Definition:
    """One turn of a game, by definition."""

    def __init__(self, rules: Ruleset) -> None:
        self.rules = rules
        faces = range(1, rules.faces + 1)
        self.rolls = list(combinations_with_replacement(faces, rules.dice))
        # Fewer dice kept come later: what a throw leads to is summed before it.
        self.keeps = [k for n in range(rules.dice - 1, -1, -1) for k in combinations_with_replacement(faces, n)]
        self.thrown = {keep: [tuple(sorted((*keep, face))) for face in faces] for keep in self.keeps}
        self.inside = {
            roll: [roll[:i] + roll[i + 1 :] for i in range(len(roll)) if not i or roll[i] != roll[i - 1]]
            for roll in [*self.rolls, *self.keeps]
        }
        self.options = cache(self._options)

    def _options(self, roll: Dice, filled: int) -> list[tuple[int, int, int]]:
        """What a roll may be scored as: (points, bits that are filled, upper points)."""
        rules, special = self.rules, self.rules.special
        points = rules.scores[self.rolls.index(roll)]
        found = [(c, points[c], 0, False) for c in range(rules.n_categories)]
        if special and roll in special.rolls(rules):
            kind = special.kind(rules, roll, filled)
            found = [(o.category, o.points, o.extra, o.flag) for o in special.outcomes(rules, roll, int(kind))]
        is_open = [c for c in range(rules.n_categories) if not filled >> c & 1]
        allowed = set(is_open[:1] if rules.forced_order else is_open)
        return [
            (p + extra, 1 << c | (rules.flag_of(c) if flag else 0), p if rules.categories[c].upper else 0)
            for c, p, extra, flag in found
            if c in allowed
        ]

    def number(self, filled: int, upper: int, after: Numbers, scale: int) -> int:
        """The numerator of a state from those `after` it, whose denominator is `scale`."""
        rules = self.rules
        worth = {
            roll: max(
                points * scale + after[filled | bits, min(upper + up, rules.bonus_threshold)]
                for points, bits, up in self.options(roll, filled)
            )
            for roll in self.rolls
        }
        for _ in range(rules.rerolls):
            self.add_up(worth)
            best = {keep: number * rules.faces ** len(keep) for keep, number in worth.items()}
            for keep in [*reversed(self.keeps), *self.rolls]:
                best[keep] = max([best[keep], *(best[less] for less in self.inside[keep])])
            worth = {roll: best[roll] for roll in self.rolls}
        self.add_up(worth)
        return worth[()]

    def add_up(self, worth: dict[Dice, int]) -> None:
        """Sums over the dice thrown to each keep."""
        for keep in self.keeps:
            worth[keep] = sum(worth[roll] for roll in self.thrown[keep])


def check_exact(
    path: str | Path,
    rules: str | Ruleset | None = None,
    sample: int | None = None,
    seed: int = 0,
    context: Context = DEFAULT_CONTEXT,
) -> ExactCheck:
    """Check all states of a file, or a random sample of them."""
    game, numbers = read_numbers(path, rules)
    states = [(n_open, state) for n_open, layer in enumerate(numbers) for state in layer]
    chosen = states if sample is None or sample >= len(states) else random.Random(seed).sample(states, sample)
    agree = 0
    with context.shown("checking") as shown:
        for done, is_right in enumerate(_checked(game, numbers, chosen), 1):
            agree += is_right
            shown.step(done, len(chosen))
    return ExactCheck(game, len(states), len(chosen), agree)


def _checked(rules: Ruleset, numbers: list[Numbers], states: list[tuple[int, tuple[int, int]]]) -> Iterator[bool]:
    turn, throws = Definition(rules), rules.faces ** (rules.dice * (rules.rerolls + 1))
    for n_open, (filled, upper) in states:
        found = numbers[n_open][filled, upper]
        if not n_open:
            yield found == (rules.bonus if upper >= rules.bonus_threshold else 0)
            continue
        try:
            yield found == turn.number(filled, upper, numbers[n_open - 1], throws ** (n_open - 1))
        except KeyError:
            yield False
