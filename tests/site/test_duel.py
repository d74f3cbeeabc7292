"""The end of a duel, as the page solves it, against a slow twin."""

import json
from collections import Counter
from functools import cache
from itertools import combinations_with_replacement
from math import factorial, prod

import pytest

from web_scripts import run_script
from yatzy.rules import scandinavian
from yatzy.site.tables import describe_game

RULES = scandinavian()
NAMES = [category.name.lower() for category in RULES.categories]
ROLLS = list(combinations_with_replacement(range(1, 7), 5))
SCORES = dict(zip(ROLLS, RULES.scores, strict=True))
ALL = frozenset(range(len(NAMES)))


def throws(n):
    """Every throw of n dice with its probability."""
    for dice in combinations_with_replacement(range(1, 7), n):
        ways = factorial(n) // prod(map(factorial, Counter(dice).values()))
        yield dice, ways / 6**n


def keeps(roll):
    """Every part of a roll."""
    found = {()}
    for die in roll:
        found |= {tuple(sorted((*keep, die))) for keep in found}
    return found


THROWS = {n: list(throws(n)) for n in range(6)}
KEEPS = {roll: keeps(roll) for roll in ROLLS}


class Turn:
    """One turn: `worth(box, roll)` of every ending; what dice are worth with rerolls left, and what is held."""

    def __init__(self, boxes, worth):
        self.boxes, self.worth = boxes, worth
        self.of_roll = [{roll: max(worth(box, roll) for box in boxes) for roll in ROLLS}]
        self.of_keep = [{}]
        for _ in range(2):
            keep = {}
            for held in {held for found in KEEPS.values() for held in found}:
                keep[held] = sum(
                    prob * self.of_roll[-1][tuple(sorted(held + dice))] for dice, prob in THROWS[5 - len(held)]
                )
            self.of_keep.append(keep)
            self.of_roll.append({roll: max(keep[held] for held in KEEPS[roll]) for roll in ROLLS})

    @property
    def value(self):
        return sum(prob * self.of_roll[2][dice] for dice, prob in THROWS[5])

    def ends(self):
        """{(box, points): probability} of the best play; equal endings go to the first."""
        mass = dict(THROWS[5])
        for left in (2, 1):
            then = Counter()
            for roll, prob in mass.items():
                held = max(KEEPS[roll], key=lambda one: (round(self.of_keep[left][one], 12), len(one), one))
                for dice, chance in THROWS[5 - len(held)]:
                    then[tuple(sorted(held + dice))] += prob * chance
            mass = then
        found = Counter()
        for roll, prob in mass.items():
            box = max(self.boxes, key=lambda one: (round(self.worth(one, roll), 12), -one))
            found[box, SCORES[roll][box]] += prob
        return found


def after(filled, upper, box, points):
    return filled | {box}, min(63, upper + points * (box < 6))


def bonus(upper):
    return 50 * (upper >= 63)


@cache
def for_points(filled, upper):
    """The turn of somebody who plays for the mean, from a card with one open box."""
    (box,) = ALL - filled
    return Turn(
        [box], lambda box, roll: SCORES[roll][box] + bonus(after(filled, upper, box, SCORES[roll][box])[1])
    )


def win(lead):
    return (lead > 0) + (lead == 0) / 2


@cache
def last_turn(filled, upper, lead):
    """My chance before my last turn; the other is done."""
    (box,) = ALL - filled
    return Turn(
        [box],
        lambda box, roll: win(lead + SCORES[roll][box] + bonus(after(filled, upper, box, SCORES[roll][box])[1])),
    ).value


def my_turn(mine, upper, theirs, their_upper, lead):
    """Mine with two boxes open, the other's one turn to come, then my last."""
    ends = [
        (points + bonus(after(theirs, their_upper, box, points)[1]), prob)
        for (box, points), prob in for_points(theirs, their_upper).ends().items()
    ]

    @cache
    def then(box, points):
        filled, total = after(mine, upper, box, points)
        return sum(prob * last_turn(filled, total, lead + points - gained) for gained, prob in ends)

    return Turn(sorted(ALL - mine), lambda box, roll: then(box, SCORES[roll][box]))


SITUATIONS = [
    (("three of a kind", "four of a kind"), 63, ("one pair",), 63, 4, (1, 3, 3, 5, 6), (3, 3)),
    (("three of a kind", "four of a kind"), 63, ("one pair",), 63, -20, (1, 3, 3, 5, 6), (6,)),
    (("one pair", "small straight"), 63, ("one pair",), 63, -6, (1, 3, 3, 5, 6), (1, 3, 5)),
    # The bonus is at stake on one card, and on the other.
    (("sixes", "chance"), 48, ("fives",), 50, 7, (2, 2, 5, 6, 6), None),
]


@pytest.mark.browser
def test_the_page_solves_the_end_of_a_duel_as_its_slow_twin_does(tmp_path):
    """Also: what the chapter says of these situations."""
    game, given = tmp_path / "game.json", tmp_path / "given.json"
    game.write_text(json.dumps(describe_game(RULES)))

    def state(open_names, upper):
        return {"set": sum(1 << box for box in ALL if NAMES[box] not in open_names), "upper": upper, "saved": 0}

    given.write_text(
        json.dumps(
            [
                {
                    "mine": state(mine, upper), "theirs": state(theirs, their_upper),
                    "lead": lead, "dice": dice, "rerolls": 2,
                }
                for mine, upper, theirs, their_upper, lead, dice, _ in SITUATIONS
            ]
        )
    )  # fmt: skip
    told = run_script("duel", game, given)
    for (mine, upper, theirs, their_upper, lead, dice, best), found in zip(SITUATIONS, told, strict=True):
        turn = my_turn(
            ALL - {NAMES.index(name) for name in mine}, upper,
            ALL - {NAMES.index(name) for name in theirs}, their_upper, lead,
        )  # fmt: skip
        held = {one: turn.of_keep[2][one] for one in KEEPS[dice] - {dice}}
        scored = {box: turn.worth(box, dice) for box in turn.boxes}
        worths = {tuple(one["keep"]) if "keep" in one else one["score"]: value for one, value in found["actions"]}
        assert worths == pytest.approx(held | scored, abs=1e-12)
        if best:
            assert max(worths, key=worths.get) == best
