"""Every category by example, and properties that hold for every roll."""

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from yatzy.rules import maxi, parse_category, parse_dice, ruleset, scandinavian, yahtzee

SCANDINAVIAN = """
    11123 ones 3              | 23456 ones 0               | 11111 ones 5
    22345 twos 4              | 13456 twos 0               | 22222 twos 10
    33312 threes 9            | 12456 threes 0             | 12345 threes 3
    44441 fours 16            | 12356 fours 0              | 44123 fours 8
    55123 fives 10            | 12346 fives 0              | 55555 fives 25
    66661 sixes 24            | 12345 sixes 0              | 66666 sixes 30
    12233 one pair 6          | 12345 one pair 0           | 55566 one pair 12    | 44444 one pair 8
    66665 one pair 12         | 11234 one pair 2           | 55512 one pair 10
    11223 two pairs 6         | 22333 two pairs 10         | 44441 two pairs 0    | 33333 two pairs 0
    55664 two pairs 22        | 11234 two pairs 0          | 22225 two pairs 0
    33312 three of a kind 9   | 66666 three of a kind 18   | 11223 three of a kind 0
    22255 three of a kind 6   | 44441 three of a kind 12
    44441 four of a kind 16   | 55555 four of a kind 20    | 33312 four of a kind 0
    11116 four of a kind 4    | 22233 four of a kind 0
    12345 small straight 15   | 23456 small straight 0     | 12346 small straight 0
    54321 small straight 15   | 11234 small straight 0     | 13456 small straight 0
    23456 large straight 20   | 12345 large straight 0     | 13456 large straight 0
    22333 full house 13       | 66655 full house 28        | 33333 full house 0   | 44441 full house 0
    11122 full house 7        | 22334 full house 0         | 33312 full house 0
    12345 chance 15           | 66666 chance 30            | 11111 chance 5       | 13356 chance 18
    44444 yatzy 50            | 11111 yatzy 50             | 44445 yatzy 0
"""

FIVE_AS_FULL_HOUSE = """
    33333 full house 15       | 66666 full house 30        | 11111 full house 5   | 22333 full house 13
    44441 full house 0        | 33333 two pairs 0          | 12345 full house 0
"""

FOUR_AS_TWO_PAIRS = """
    44441 two pairs 16        | 33333 two pairs 12         | 11223 two pairs 6    | 22333 two pairs 10
    33312 two pairs 0         | 33333 full house 0         | 66665 two pairs 24
"""

BOTH = """
    33333 full house 15       | 44441 two pairs 16         | 33333 two pairs 12
"""

YAHTZEE = """
    33312 three of a kind 12  | 33333 three of a kind 15   | 11223 three of a kind 0
    44441 four of a kind 17   | 33312 four of a kind 0     | 22333 full house 25  | 33333 full house 0
    12346 small straight 30   | 13456 small straight 30    | 12344 small straight 30
    12456 small straight 0    | 23456 large straight 40    | 12345 large straight 40
    12346 large straight 0    | 55555 yahtzee 50           | 55556 yahtzee 0      | 13356 chance 18
    33312 threes 9            | 22345 twos 4
"""

MAXI = """
    112233 three pairs 12     | 112223 three pairs 0       | 666655 three pairs 0
    112256 two pairs 6        | 556644 two pairs 22        | 555566 one pair 12
    555551 five of a kind 25  | 555511 five of a kind 0    | 666666 five of a kind 30
    123455 small straight 15  | 123456 small straight 15   | 234561 large straight 20
    223456 large straight 20  | 123456 full straight 21    | 123455 full straight 0
    222331 full house 12      | 333222 full house 13       | 333222 villa 15      | 333322 villa 0
    333322 tower 16           | 333222 tower 0             | 333333 tower 0       | 333333 villa 0
    666666 maxi yatzy 100     | 666665 maxi yatzy 0        | 666666 sixes 36      | 123456 chance 21
    444416 four of a kind 16  | 333444 three of a kind 12
"""


def examples(rules, text):
    for example in text.replace("\n", "|").split("|"):
        if example.strip():
            dice, *category, points = example.split()
            yield pytest.param(
                rules, dice, " ".join(category), int(points), id=f"{rules.name}-{' '.join(example.split())}"
            )


ALL_EXAMPLES = [
    *examples(scandinavian(), SCANDINAVIAN),
    *examples(scandinavian(five_as_full_house=True), FIVE_AS_FULL_HOUSE),
    *examples(scandinavian(four_as_two_pairs=True), FOUR_AS_TWO_PAIRS),
    *examples(scandinavian(True, True), BOTH),
    *examples(yahtzee(), YAHTZEE),
    *examples(maxi(), MAXI),
]


def points_of(rules, dice, category_id):
    return rules.scores[rules.rolls.index(tuple(sorted(dice)))][category_id]


@pytest.mark.parametrize(("rules", "dice", "category", "points"), ALL_EXAMPLES)
def test_points(rules, dice, category, points):
    assert points_of(rules, parse_dice(rules, dice), parse_category(rules, category)) == points


def test_every_category_has_an_example():
    shown = {(rules.name, parse_category(rules, name)) for rules, _, name, _ in (e.values for e in ALL_EXAMPLES)}
    assert {c for name, c in shown if name == "scandinavian"} == set(range(15))


def test_1544_of_3780_scores_are_not_zero(rules):
    points = [p for row in rules.scores for p in row]
    assert len(points) == 3780
    assert sum(p > 0 for p in points) == 1544


def test_most_points_by_category(rules):
    most = [max(column) for column in zip(*rules.scores, strict=True)]
    assert most == [5, 10, 15, 20, 25, 30, 12, 22, 18, 24, 15, 20, 28, 30, 50]


five_dice = st.lists(st.integers(1, 6), min_size=5, max_size=5)


@given(five_dice)
def test_upper_section_sums_to_chance(dice):
    rules = scandinavian()
    upper = sum(points_of(rules, dice, c) for c in rules.upper_ids)
    assert upper == points_of(rules, dice, parse_category(rules, "chance")) == sum(dice)


@given(five_dice, st.sampled_from(["scandinavian", "scandinavian+five-as-full-house+four-as-two-pairs"]))
def test_matched_dice_never_score_more_than_all_dice(dice, name):
    rules = ruleset(name)
    for category in ("one pair", "two pairs", "three of a kind", "four of a kind", "full house"):
        assert 0 <= points_of(rules, dice, parse_category(rules, category)) <= sum(dice)


@given(five_dice)
def test_full_house_is_three_of_one_face_and_two_of_another(dice):
    rules = scandinavian()
    shape = sorted(dice.count(face) for face in set(dice))
    expected = sum(dice) if shape == [2, 3] else 0
    assert points_of(rules, dice, parse_category(rules, "full house")) == expected


@given(five_dice)
def test_yatzy_is_one_face_only(dice):
    rules = scandinavian()
    assert points_of(rules, dice, parse_category(rules, "yatzy")) == (50 if len(set(dice)) == 1 else 0)


@pytest.mark.parametrize("five", [False, True])
@pytest.mark.parametrize("four", [False, True])
def test_a_house_rule_changes_its_own_category_only(rules, five, four):
    changed = scandinavian(five, four)
    for roll, plain, house in zip(rules.rolls, rules.scores, changed.scores, strict=True):
        most = max(roll.count(face) for face in roll)
        for category_id, (before, after) in enumerate(zip(plain, house, strict=True)):
            name = rules.categories[category_id].name
            may_change = (name == "Full House" and five and most == 5) or (
                name == "Two Pairs" and four and most >= 4
            )
            assert (after > before) == may_change, (roll, name)
            assert after >= before


def test_scores_do_not_depend_on_the_order_of_dice(small_rules):
    for roll in product(range(1, 5), repeat=3):
        counts = [roll.count(face) for face in range(1, 5)]
        row = small_rules.scores[small_rules.rolls.index(tuple(sorted(roll)))]
        assert row == tuple(category.score(counts) for category in small_rules.categories)
