"""Further Yahtzees: which boxes they may go into, for how many points, with what beside them.

Five fours, unless a test says otherwise: the upper box of the face is Fours.
"""

import pytest

from yatzy import YatzyError
from yatzy.rules import format_category, parse_filled, ruleset
from yatzy.rules.jokers import Jokers
from yatzy.turn.outcomes import outcomes

FOURS = (4, 4, 4, 4, 4)
UPPER = ("ones", "twos", "threes", "fours", "fives", "sixes")
LOWER = ("three of a kind", "four of a kind", "full house", "small straight", "large straight", "chance")
AS_USUAL = {
    "ones": 0, "twos": 0, "threes": 0, "fours": 20, "fives": 0, "sixes": 0, "three of a kind": 20,
    "four of a kind": 20, "full house": 0, "small straight": 0, "large straight": 0, "chance": 20,
}  # fmt: skip
AS_JOKER = AS_USUAL | {"full house": 25, "small straight": 30, "large straight": 40}


def ways(game, filled, roll=FOURS):
    """What the roll may be scored as: (points in the box, points extra) by box."""
    rules = ruleset(game)
    ends = outcomes(rules)
    allowed = ends.allowed(parse_filled(rules, filled), rules.rolls.index(roll))
    return {
        format_category(rules, c): (int(ends.points[o] - ends.extra[o]), int(ends.extra[o]))
        for c, o in allowed.items()
    }


def with_extra(points, extra, boxes=None):
    return {box: (n, extra) for box, n in points.items() if boxes is None or box in boxes}


@pytest.mark.parametrize("game", ["yahtzee", "yahtzee+free-joker", "yahtzee+no-joker", "kniffel"])
def test_the_first_one_is_scored_like_any_other_roll(game):
    box = game.partition("+")[0]
    assert ways(game, "") == with_extra(AS_USUAL | {box: 50}, 0)


def test_forced_it_goes_into_the_box_of_its_face():
    assert ways("yahtzee", "yahtzee*") == {"fours": (20, 100)}
    assert ways("yahtzee", "yahtzee*,ones,full house") == {"fours": (20, 100)}


def test_forced_it_is_a_joker_in_the_lower_section_once_that_is_filled():
    assert ways("yahtzee", "yahtzee*,fours") == with_extra(AS_JOKER, 100, LOWER)
    assert ways("yahtzee", "yahtzee*,fours,chance,full house") == with_extra(AS_JOKER, 100, LOWER[:2] + LOWER[3:5])


def test_forced_it_takes_a_zero_in_the_upper_section_when_nothing_else_is_open():
    filled = ",".join(["yahtzee*", "fours", "ones", *LOWER])
    assert ways("yahtzee", filled) == {"twos": (0, 100), "threes": (0, 100), "fives": (0, 100), "sixes": (0, 100)}


def test_forced_a_joker_needs_no_points_in_the_box_but_its_extra_points_do():
    assert ways("yahtzee", "yahtzee") == {"fours": (20, 0)}
    assert ways("yahtzee", "yahtzee,fours") == with_extra(AS_JOKER, 0, LOWER)


def test_free_it_may_go_anywhere_and_is_a_joker_once_the_box_of_its_face_is_filled():
    assert ways("yahtzee+free-joker", "yahtzee*") == with_extra(AS_USUAL, 100)
    without_fours = {box: n for box, n in AS_JOKER.items() if box != "fours"}
    assert ways("yahtzee+free-joker", "yahtzee*,fours") == with_extra(without_fours, 100)
    assert ways("yahtzee+free-joker", "yahtzee,fours") == with_extra(without_fours, 0)


def test_without_jokers_only_the_extra_points_are_left():
    assert ways("yahtzee+no-joker", "yahtzee*,fours") == with_extra(AS_USUAL, 100, set(AS_USUAL) - {"fours"})
    assert ways("yahtzee+no-joker", "yahtzee") == with_extra(AS_USUAL, 0)


def test_without_extra_points_jokers_are_left():
    assert ways("yahtzee+no-extra-bonus", "yahtzee,fours") == with_extra(AS_JOKER, 0, LOWER)
    assert ruleset("yahtzee+no-extra-bonus").flagged == ()
    assert ruleset("yahtzee+no-joker+no-extra-bonus").special is None


def test_a_second_kniffel_pays_50_in_the_box_of_its_face_and_nowhere_else():
    assert ways("kniffel", "kniffel*") == with_extra(AS_USUAL, 0) | {"fours": (20, 50)}


def test_a_second_kniffel_is_a_joker_once_the_box_of_its_face_is_filled():
    without_fours = {box: n for box, n in AS_JOKER.items() if box != "fours"}
    assert ways("kniffel", "kniffel*,fours") == with_extra(without_fours, 0)


def test_after_a_crossed_out_kniffel_there_is_no_second_one():
    assert ways("kniffel", "kniffel") == with_extra(AS_USUAL, 0)
    assert ways("kniffel", "kniffel,fours") == with_extra(AS_USUAL, 0, set(AS_USUAL) - {"fours"})


@pytest.mark.parametrize("game", ["yahtzee", "yahtzee+free-joker", "kniffel"])
def test_rolls_that_are_not_all_alike_never_change(game):
    box = game.partition("+")[0]
    roll = (4, 4, 4, 4, 5)
    expected = {b: p for b, p in ways(game, "", roll).items() if b not in (box, "fours")}
    assert ways(game, f"{box}*,fours", roll) == expected


def test_the_flag_is_set_by_points_in_the_box_and_by_nothing_else():
    rules = ruleset("yahtzee")
    ends = outcomes(rules)
    box, flag = 11, rules.flag_of(11)
    scored = ends.allowed(0, rules.rolls.index(FOURS))
    crossed_out = ends.allowed(0, rules.rolls.index((1, 2, 3, 4, 6)))
    assert ends.bits[scored[box]] == 1 << box | flag
    assert ends.bits[crossed_out[box]] == 1 << box
    assert not any(ends.bits[o] & flag for c, o in scored.items() if c != box)


def test_extra_points_do_not_count_towards_the_bonus():
    rules = ruleset("yahtzee")
    ends = outcomes(rules)
    outcome = ends.allowed(parse_filled(rules, "yahtzee*"), rules.rolls.index(FOURS))[3]
    assert (ends.points[outcome], ends.lift[outcome]) == (120, 20)


def test_an_unknown_kind_of_joker_is_refused():
    with pytest.raises(YatzyError, match=r"^joker: 'wild' is not known; allowed are forced, free, second, none"):
        Jokers(box=11, joker="wild")
