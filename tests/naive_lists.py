"""Slow, obvious twins of rule lists: what a player sees, what a move does, and which rule comes first.

Written from the words of features and moves, one situation at a time; a list and its ruleset are read as data.
`random_list` draws lists that use everything there is to look at and to do.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache, cached_property
from math import floor

import numpy as np

from naive import Faces, open_categories, score_of
from yatzy.players.conditions import Condition, Feature, features
from yatzy.players.moves import ABOVE_PAR, MOST_POINTS, Par, keep_table, keeping_moves, scoring_moves
from yatzy.players.rule_list import Rule, RuleList
from yatzy.rules import Ruleset

GIVE_UP = ("Ones", "Small Straight", "Large Straight", "Yatzy", "Yahtzee", "Four of a Kind", "Twos")


@cache
def face_of(rules: Ruleset, category_id: int) -> int:
    """The one face that counts in an upper box."""
    alone = [(face,) * rules.dice for face in range(1, rules.faces + 1)]
    return next(roll[0] for roll in alone if score_of(rules, category_id, roll))


@cache
def points_of(rules: Ruleset, category_id: int, roll: Faces) -> int:
    return score_of(rules, category_id, roll)


def open_faces(rules: Ruleset, filled: int) -> set[int]:
    return {face_of(rules, c) for c in open_categories(rules, filled) if rules.categories[c].upper}


@cache
def runs_of(rules: Ruleset, size: str) -> list[Faces]:
    """The shortest runs of faces that score in Small, Large or Full Straight, the other dice being whatever."""
    boxes = [c for c, category in enumerate(rules.categories) if category.name == f"{size} Straight"]
    if not boxes:
        return [tuple(range(1, rules.faces))] if size == "Small" else [tuple(range(2, rules.faces + 1))]
    runs = [tuple(range(a, b + 1)) for a in range(1, rules.faces + 1) for b in range(a, rules.faces + 1)]
    padded = {run: tuple(sorted((*run, *(run[0],) * (rules.dice - len(run))))) for run in runs}
    scoring = [run for run in runs if len(run) <= rules.dice and score_of(rules, boxes[0], padded[run])]
    return [run for run in scoring if len(run) == min(map(len, scoring))]


def by_count(roll: Faces, n: int) -> list[int]:
    """Faces with n dice or more, lowest first."""
    return [face for face in sorted(set(roll)) if roll.count(face) >= n]


@dataclass(frozen=True)
class Situation:
    """What a player has in front of him."""

    rules: Ruleset
    filled: int
    upper: int
    roll: Faces
    rerolls: int
    par: Par | None = None

    def dice_of_straight(self, size: str) -> Faces:
        """The faces of the run that has most of them, of equals the highest."""
        drawn = [tuple(face for face in run if face in self.roll) for run in runs_of(self.rules, size)]
        return max(reversed(drawn), key=len)

    @cached_property
    def open(self) -> list[int]:
        return open_categories(self.rules, self.filled)

    @cached_property
    def open_faces(self) -> set[int]:
        return open_faces(self.rules, self.filled)

    def points(self, category_id: int) -> int:
        return points_of(self.rules, category_id, self.roll)

    def margin(self, category_id: int) -> float:
        """Points above par."""
        assert self.par is not None
        rules, is_upper = self.rules, self.rules.categories[category_id].upper
        to_come = sum(rules.dice * face_of(rules, c) for c in self.open if rules.categories[c].upper)
        if self.upper >= rules.bonus_threshold or self.upper + to_come < rules.bonus_threshold:
            return self.points(category_id) - self.par.settled[category_id]
        weight = self.par.weight if is_upper else 1
        return self.points(category_id) * weight - self.par.in_reach[category_id]

    def most_frequent(self, faces: list[int]) -> int:
        """Of these faces the one with most dice; of equals one whose box is open, then the highest."""
        return max(faces, key=lambda face: (self.roll.count(face), face in self.open_faces, face), default=0)

    def see(self, name: str) -> int:
        """What a feature is here."""
        rules, roll = self.rules, self.roll
        upper_boxes = [c for c, category in enumerate(rules.categories) if category.upper]
        counts = sorted((roll.count(face) for face in set(roll)), reverse=True)
        boxes = {c.name.lower().replace(" ", "_"): number for number, c in enumerate(rules.categories)}
        kind, _, box = name.partition("_")
        if kind == "open" and box in boxes:
            return int(boxes[box] in self.open)
        if kind == "points":
            return self.points(boxes[box]) if boxes[box] in self.open else 0
        if kind == "count":
            return roll.count(int(box))
        shape = self.most_frequent(list(roll))
        shape_open = self.most_frequent([face for face in roll if face in self.open_faces])
        pairs = by_count(roll, 2)
        if kind == "par":
            margins = sorted((self.margin(c) for c in self.open), reverse=True)
            if name == "par_margin":
                return max(-60, min(60, floor(margins[0])))
            return min(100, floor(margins[0] - margins[1])) if len(margins) > 1 else 100
        filled_faces = [face_of(rules, c) for c in upper_boxes if c not in self.open]
        plain: dict[str, Callable[[], int]] = {
            "turn": lambda: len(rules.categories) - len(self.open) + 1,
            "boxes_left": lambda: len(self.open),
            "rerolls_left": lambda: self.rerolls,
            "upper_total": lambda: self.upper,
            "bonus_secured": lambda: self.upper >= rules.bonus_threshold,
            "pace": lambda: self.upper - 3 * sum(filled_faces),
            "upper_boxes_left": lambda: len(upper_boxes) - len(filled_faces),
            "largest_count": lambda: counts[0],
            "distinct_faces": lambda: len(counts),
            "sum": lambda: sum(roll),
            "has_pair": lambda: counts[0] >= 2,
            "has_two_pairs": lambda: len(pairs) >= 2,
            "has_three": lambda: counts[0] >= 3,
            "has_four": lambda: counts[0] >= 4,
            "has_full_house": lambda: counts[0] >= 3 and len(pairs) >= 2,
            "has_small_straight": lambda: self.dice_of_straight("Small") in runs_of(rules, "Small"),
            "has_large_straight": lambda: self.dice_of_straight("Large") in runs_of(rules, "Large"),
            "has_full_straight": lambda: self.dice_of_straight("Full") in runs_of(rules, "Full"),
            "has_yatzy": lambda: len(counts) == 1,
            "zero_boxes": lambda: [self.points(c) for c in self.open].count(0),
            "best_points": lambda: max(self.points(c) for c in self.open),
            "shape_face": lambda: shape,
            "shape_count": lambda: roll.count(shape),
            "shape_open": lambda: shape in self.open_faces,
            "open_face": lambda: shape_open,
            "open_count": lambda: roll.count(shape_open),
            "high_pair": lambda: pairs[-1] if pairs else 0,
            "low_pair": lambda: pairs[0] if len(pairs) > 1 else 0,
            "small_run": lambda: len(self.dice_of_straight("Small")),
            "large_run": lambda: len(self.dice_of_straight("Large")),
        }
        return int(plain[name]())

    def holds(self, condition: Condition) -> bool:
        """At least, at most, exactly: a bound at the end of the range is no bound."""
        known = features(self.rules)[condition.feature]
        number = self.see(condition.feature)
        at_least = condition.low == known.low or number >= condition.low
        return at_least and (condition.high == known.high or number <= condition.high)

    def score(self, move: str) -> int | None:  # noqa: PLR0911 (one line for one move)
        """The box that a scoring move fills, or None."""
        for c in self.open:
            if move == f"score {self.rules.categories[c].name}":
                return c
        upper = [c for c in self.open if self.rules.categories[c].upper]
        three = [c for c in upper if self.roll.count(face_of(self.rules, c)) >= 3]
        lower = [c for c in self.open if c not in upper and self.points(c)]
        names = {self.rules.categories[c].name: c for c in self.open}
        # The first of equals: max() keeps the first.
        if move == "score the box with the most points":
            return max(self.open, key=self.points)
        if move == "score the highest upper box you have three dice for":
            return max(three, key=lambda c: face_of(self.rules, c), default=None)
        if move == "score the lower box with the most points":
            return max(lower, key=self.points, default=None)
        if move == "score the first open box on the give-up list":
            return next((names[name] for name in GIVE_UP if name in names), None)
        if move == "score the box with the most points above par":
            return max(self.open, key=self.margin)
        return None

    def keep(self, move: str, grammar: str) -> Faces | None:
        """The dice that a keeping move keeps, or None."""
        if grammar == "masks":
            thrown = move.removeprefix("reroll positions ")
            return tuple(face for face, bit in zip(self.roll, reversed(thrown), strict=True) if bit == "0")
        return self.keep_of_the_forerunner(move) if grammar == "forerunner" else self.keep_in_words(move)

    def keep_of_the_forerunner(self, move: str) -> Faces:
        """Reroll everything where there is no such pattern."""
        roll = self.roll
        faces = sorted(set(roll))
        if move.startswith("keep face "):
            return tuple(face for face in roll if face == int(move[-1]))
        if move in ("reroll everything", "keep all"):
            return roll if move == "keep all" else ()
        if move == "keep the two pairs":
            pairs = by_count(roll, 2)
            return (pairs[-2],) * 2 + (pairs[-1],) * 2 if len(pairs) > 1 else ()
        if move == "keep the straight draw":
            runs = [
                (n, last) for last in faces for n in range(3, 7) if set(range(last - n + 1, last + 1)) <= {*faces}
            ]
            return tuple(range(max(runs)[1] - max(runs)[0] + 1, max(runs)[1] + 1)) if runs else ()
        n = 4 if "quad" in move else 3 if "triple" in move else 2
        if not by_count(roll, n):
            return ()
        kept = (by_count(roll, n)[-1],) * n
        others = [face for face in faces if face != kept[0]]
        with_another = "highest other die" in move or "kicker" in move
        return tuple(sorted((*kept, max(others)))) if with_another and others else kept

    def keep_in_words(self, move: str) -> Faces | None:  # noqa: PLR0911, PLR0912 (one line for one verb)
        """Our own grammar."""
        roll = self.roll
        faces = sorted(set(roll))

        def all_of(face: int) -> Faces | None:
            return tuple(die for die in roll if die == face) or None

        def and_highest_other(kept: Faces | None) -> Faces | None:
            others = [die for die in roll if kept and die != kept[0]]
            return tuple(sorted((*kept, max(others)))) if kept and others else kept

        pairs = by_count(roll, 2)
        most = max(roll.count(face) for face in faces)
        equals = [face for face in faces if roll.count(face) == most]
        is_open = [face for face in faces if face in self.open_faces]
        names = {self.rules.categories[c].name for c in self.open}
        if move == "keep everything":
            return roll
        if move == "reroll everything":
            return ()
        if move == "keep the most frequent face, open boxes first":
            return all_of(max([face for face in equals if face in is_open] or equals))
        if move == "keep the most frequent face, the highest of equals":
            return all_of(equals[-1])
        if move == "keep the most frequent face, the lowest of equals":
            return all_of(equals[0])
        if move == "keep the most frequent face and the highest other die":
            return and_highest_other(all_of(equals[-1]))
        if move == "keep the most frequent face whose box is open":
            return all_of(self.most_frequent(is_open))
        if move == "keep the highest face whose box is open":
            return all_of(is_open[-1]) if is_open else None
        if move == "keep the high pair":
            return (pairs[-1],) * 2 if pairs else None
        if move == "keep the low pair":
            return (pairs[0],) * 2 if len(pairs) > 1 else None
        if move == "keep both pairs":
            return (pairs[-2],) * 2 + (pairs[-1],) * 2 if len(pairs) > 1 else None
        if move == "keep the high pair and the highest other die":
            return and_highest_other((pairs[-1],) * 2 if pairs else None)
        if move == "keep the dice of the small straight":
            return self.dice_of_straight("Small")
        if move == "keep the dice of the large straight":
            return self.dice_of_straight("Large")
        if move == "keep the dice of both straights":
            return tuple(face for face in faces if 1 < face < self.rules.faces)
        if move == "keep the dice of an open straight":
            drawn = [self.dice_of_straight(size) for size in ("Large", "Small") if f"{size} Straight" in names]
            return max(drawn, key=len, default=None)
        numbers = {"keep the highest die": 1, "two": 2, "three": 3, "four": 4}
        for word, n in numbers.items():
            if move in (word, f"keep the {word} highest dice"):
                return roll[-n:]
        if move.startswith("keep dice of "):
            low = int(move.split()[3])
            return tuple(die for die in roll if die >= low) or None
        return all_of(int(move.removeprefix("keep the ").removesuffix("s")))


@dataclass(frozen=True)
class NaiveList:
    """A rule list, one situation at a time."""

    list: RuleList

    def situation(self, filled: int, upper: int, roll: Faces, rerolls: int) -> Situation:
        return Situation(self.list.rules, filled, upper, roll, rerolls, self.list.par)

    def fires(self, here: Situation) -> Rule | None:
        """The first rule whose conditions hold and whose move applies; None: the default."""
        for rule in self.list.list_of(here.rerolls):
            if all(here.holds(c) for c in rule.conditions) and self._move(here, rule.move) is not None:
                return rule
        return None

    def move(self, here: Situation) -> Faces | int:
        rule = self.fires(here)
        default = self.list.keep_default if here.rerolls else self.list.score_default
        found = self._move(here, rule.move if rule else default)
        assert found is not None
        return found

    def _move(self, here: Situation, move: str) -> Faces | int | None:
        return here.keep(move, self.list.grammar) if here.rerolls else here.score(move)


def random_par(rules: Ruleset, rng: np.random.Generator) -> Par:
    """Halves of points, so that boxes are often level."""
    n = len(rules.categories)
    return Par(rng.integers(-12, 40, n) / 2, rng.integers(-12, 40, n) / 2, float(rng.integers(2, 7)) / 2)


def random_condition(feature: Feature, rng: np.random.Generator) -> Condition:
    """At least, at most or exactly some number of the feature's range."""
    low, high = feature.low, feature.high
    kind = rng.integers(3)
    if kind == 0:
        return Condition(feature.name, int(rng.integers(low + 1, high + 1)), high)
    if kind == 1:
        return Condition(feature.name, low, int(rng.integers(low, high)))
    n = int(rng.integers(low, high + 1))
    return Condition(feature.name, n, n)


def random_list(
    rules: Ruleset,
    seed: int,
    n_rules: int = 6,
    grammar: str = "verbs",
    with_par: bool = True,
    oracle_keeps: bool = False,
    by_reroll: bool = False,
) -> RuleList:
    """`n_rules` for where to score and as many for what to keep, of no, one or two conditions."""
    rng = np.random.default_rng(seed)
    par = random_par(rules, rng) if with_par else None
    looks = [s for s in features(rules).values() if s.low < s.high and (with_par or s.group != "par")]
    scoring = [move for move in scoring_moves(rules) if with_par or move != ABOVE_PAR]
    keeping = keeping_moves(rules, grammar)
    always = keep_table(rules, grammar).min(axis=(0, 2)) >= 0

    def some(moves: tuple[str, ...] | list[str]) -> tuple[Rule, ...]:
        found = []
        for place in range(n_rules):
            n_conditions = int(rng.choice([0, 1, 2], p=[0.04, 0.4, 0.56])) if place else 2
            chosen = [looks[int(rng.integers(len(looks)))] for _ in range(n_conditions)]
            conditions = tuple(dict.fromkeys(random_condition(look, rng) for look in chosen))
            found.append(Rule(conditions, moves[int(rng.integers(len(moves)))]))
        return tuple(found)

    return RuleList(
        name=f"random-{seed}",
        rules=rules,
        scores=some(scoring),
        keeps=tuple(some(keeping) for _ in range(rules.rerolls if by_reroll and rules.rerolls else 1)),
        score_default=ABOVE_PAR if with_par and rng.integers(2) else MOST_POINTS,
        keep_default=str(rng.choice([move for move, yes in zip(keeping, always, strict=True) if yes])),
        grammar=grammar,
        par=par,
        oracle_keeps=oracle_keeps,
    )
