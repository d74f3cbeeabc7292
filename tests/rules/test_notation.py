"""What people type is understood, what is printed is read back, and what is wrong is named."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yatzy import YatzyError
from yatzy.game.situation import Situation
from yatzy.rules import (
    State,
    format_category,
    format_dice,
    format_filled,
    format_state,
    maxi,
    parse_category,
    parse_dice,
    parse_filled,
    parse_rerolls,
    parse_state,
    ruleset,
    scandinavian,
    with_saved,
    yahtzee,
)

every_ruleset = st.sampled_from([scandinavian(), yahtzee(), maxi()])


@st.composite
def situations(draw):
    """(ruleset, situation)."""
    rules = draw(every_ruleset)
    faces = draw(st.lists(st.integers(1, rules.faces), min_size=rules.dice, max_size=rules.dice))
    state = State(draw(st.integers(0, rules.all_filled)), draw(st.integers(0, rules.bonus_threshold)))
    return rules, Situation.of(rules, faces, draw(st.integers(0, rules.rerolls)), state)


@given(situations())
def test_dice_round_trip(drawn):
    rules, situation = drawn
    assert parse_dice(rules, format_dice(situation.dice)) == situation.dice


@given(st.lists(st.integers(1, 6), max_size=5))
def test_keeps_round_trip(faces):
    assert parse_dice(scandinavian(), format_dice(sorted(faces)), at_most=True) == tuple(sorted(faces))


@given(every_ruleset, st.data())
def test_categories_round_trip(rules, data):
    category_id = data.draw(st.integers(0, rules.n_categories - 1))
    assert parse_category(rules, format_category(rules, category_id)) == category_id


@given(situations())
def test_filled_round_trips(drawn):
    rules, situation = drawn
    filled = situation.state.filled
    assert parse_filled(rules, format_filled(rules, filled)) == filled
    assert parse_filled(rules, filled) == filled


@given(situations())
def test_states_round_trip(drawn):
    rules, situation = drawn
    assert parse_state(rules, format_state(rules, situation.state)) == situation.state


@given(situations())
def test_situations_round_trip(drawn):
    rules, situation = drawn
    assert Situation.parse(str(situation), rules) == situation


@pytest.mark.parametrize(
    "dice",
    ["1 3 3 5 6", "13356", "6,5,3,3,1", " 6 5, 3,3 1 ", "6\t5\n3 3 1", "31653", [6, 5, 3, 3, 1], (1, 3, 3, 5, 6),
     np.array([3, 3, 1, 5, 6]), [1.0, 3, 3, 5, 6], iter([1, 3, 3, 5, 6])],
)  # fmt: skip
def test_dice_as_people_type_them(rules, dice):
    assert parse_dice(rules, dice) == (1, 3, 3, 5, 6)


@pytest.mark.parametrize(("text", "kept"), [("", ()), ("3", (3,)), ("33", (3, 3)), ("6 1", (1, 6)), ([], ())])
def test_fewer_dice_where_a_keep_is_meant(rules, text, kept):
    assert parse_dice(rules, text, at_most=True) == kept


@pytest.mark.parametrize(
    ("text", "name"),
    [("One Pair", "One Pair"), ("pair", "One Pair"), ("one_pair", "One Pair"), ("ONE-PAIR", "One Pair"),
     (" onepair ", "One Pair"), ("Ones", "Ones"), ("1s", "Ones"), ("6s", "Sixes"), ("two pair", "Two Pairs"),
     ("2 pairs", "Two Pairs"), ("3 of a kind", "Three of a Kind"), ("triple", "Three of a Kind"),
     ("Four-of-a-Kind", "Four of a Kind"), ("quad", "Four of a Kind"), ("small", "Small Straight"),
     ("LARGE STRAIGHT", "Large Straight"), ("house", "Full House"), ("fullhouse", "Full House"),
     ("full", "Full House"), ("chance", "Chance"), ("Yatzy", "Yatzy")],
)  # fmt: skip
def test_categories_as_people_type_them(rules, text, name):
    assert rules.categories[parse_category(rules, text)].name == name


@pytest.mark.parametrize(
    ("given_filled", "mask"),
    [("", 0), ("-", 0), ("none", 0), (" None ", 0), (0, 0), ([], 0), ("ones", 1), ("One Pair, ones", 65),
     (["yatzy", "1s"], 16385), ("sixes,chance,yatzy", 32 + 8192 + 16384), (32767, 32767), ({"twos"}, 2)],
)  # fmt: skip
def test_filled_as_people_give_it(rules, given_filled, mask):
    assert parse_filled(rules, given_filled) == mask


def test_formats(rules):
    situation = Situation.of(rules, (1, 3, 3, 5, 6), 2, State(65, 3))
    assert str(situation) == "1 3 3 5 6 | 2 | ones,one pair @ 3"
    assert format_state(rules, State()) == "- @ 0"
    assert Situation.parse("65331|2|pair, Ones@3", rules) == situation


@pytest.mark.parametrize(("given_rerolls", "rerolls"), [(0, 0), (2, 2), ("1", 1), (np.int64(2), 2)])
def test_rerolls_as_people_give_them(rules, given_rerolls, rerolls):
    assert parse_rerolls(rules, given_rerolls) == rerolls


BAD_DICE = ["1 3 3 5 7", "0 1 2 3 4", "1335", "133566", "", "1 3 3 5 x", "abcde", "1.5 2 3 4 5", "-1 3 3 5 6",
            "1 3 3 5 ³", "1;3;3;5;6", [1, 2, 3, 4], [1, 2, 3, 4, 7], [1, 2, 3, 4, 1.5], [1, 2, 3, 4, "5"],
            [True] * 5, [1, 2, 3, 4, None], [1, 2, 3, 4, float("nan")], [1, 2, 3, 4, float("inf")], None, 13356,
            b"13356", [[1], 2, 3, 4, 5]]  # fmt: skip


@pytest.mark.parametrize("dice", BAD_DICE, ids=repr)
def test_bad_dice_are_refused_by_name(rules, dice):
    with pytest.raises(YatzyError, match=r"^dice: "):
        parse_dice(rules, dice)


def test_messages_say_what_is_allowed(rules):
    with pytest.raises(YatzyError, match=r"'1 3 3 5 7' has a face outside 1\.\.6$"):
        parse_dice(rules, "1 3 3 5 7")
    with pytest.raises(YatzyError, match=r"has 4 dice; exactly 5 are needed$"):
        parse_dice(rules, [1, 2, 3, 4])
    with pytest.raises(YatzyError, match=r"has 6 dice; allowed are at most 5$"):
        parse_dice(rules, "111111", at_most=True)
    with pytest.raises(YatzyError, match=r"^category: 'poker' is not known; allowed are Ones, .*Yatzy$"):
        parse_category(rules, "poker")
    with pytest.raises(YatzyError, match=r"^rerolls: 3 is not allowed; allowed are 0, 1, 2$"):
        parse_rerolls(rules, 3)


@pytest.mark.parametrize(
    ("filled", "message"),
    [("ones,ones", "filled: 'ones' is named twice"), ("pair, one_pair", "filled: 'one_pair' is named twice"),
     (-1, r"filled: -1 is outside 0\.\.32767"), (32768, r"filled: 32768 is outside 0\.\.32767"),
     ("ones,poker", "category: 'poker' is not known"), (1.5, "filled: 1.5 is not a mask"),
     (None, "filled: None is not a mask"), (True, "filled: True is not a mask"),
     ([1, 2], "filled: 1 is not a category name"), ("ones;twos", "category: 'ones;twos' is not known")],
)  # fmt: skip
def test_bad_filled_is_refused_by_name(rules, filled, message):
    with pytest.raises(YatzyError, match=f"^{message}"):
        parse_filled(rules, filled)


@pytest.mark.parametrize("rerolls", [3, -1, "three", "", None, 1.5, True, False, "2.0", [2]], ids=repr)
def test_bad_rerolls_are_refused_by_name(rules, rerolls):
    with pytest.raises(YatzyError, match=r"^rerolls: .*allowed are 0, 1, 2"):
        parse_rerolls(rules, rerolls)


@pytest.mark.parametrize(
    ("text", "field"),
    [("ones", "state"), ("ones @", "state"), ("ones @ x", "state"), ("ones @ -3", "state"), ("ones @ ²", "state"),
     ("", "state"), ("ones @ 64", "upper"), ("poker @ 3", "category"), ("ones,1s @ 3", "filled")],
)  # fmt: skip
def test_bad_states_are_refused_by_name(rules, text, field):
    with pytest.raises(YatzyError, match=f"^{field}: "):
        parse_state(rules, text)


@pytest.mark.parametrize(
    ("text", "field"),
    [("13356", "situation"), ("13356 | 2", "situation"), ("13356 | 2 | - @ 0 | x", "situation"),
     ("1335 | 2 | - @ 0", "dice"), ("13356 | 3 | - @ 0", "rerolls"), ("13356 | 2 | -", "state"),
     ("13356 | 2 | ones @ 99", "upper")],
)  # fmt: skip
def test_bad_situations_are_refused_by_name(rules, text, field):
    with pytest.raises(YatzyError, match=f"^{field}: "):
        Situation.parse(text, rules)


def _situation(rules, text):
    return Situation.parse(text, rules)


TEXT_PARSERS = [parse_dice, parse_category, parse_filled, parse_state, _situation, parse_rerolls]

FIELDS = ("dice:", "category:", "filled:", "state:", "upper:", "situation:", "rerolls:", "rules:")
typed = st.text() | st.text("0123456789 ,|@-onesxpair", max_size=30)
things = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.binary(max_size=9) | st.text(max_size=9),
    lambda inner: st.lists(inner, max_size=6) | st.tuples(inner, inner),
    max_leaves=8,
)


def parses_or_is_refused(parse, *arguments):
    """What it parses to, or None if it is refused by the name of a field."""
    try:
        return parse(*arguments)
    except YatzyError as error:
        refusal = str(error)
    assert refusal.startswith(FIELDS)
    return None


@pytest.mark.parametrize("parse", TEXT_PARSERS)
@given(text=typed)
def test_any_text_parses_or_is_refused(parse, text):
    parsed = parses_or_is_refused(parse, scandinavian(), text)
    assert parsed is None or isinstance(parsed, int | tuple | State | Situation)


@given(typed)
def test_any_text_is_a_ruleset_or_is_refused(text):
    parses_or_is_refused(ruleset, text)


@pytest.mark.parametrize("parse", [parse_dice, parse_filled, parse_rerolls])
@given(thing=things)
def test_anything_parses_or_is_refused(parse, thing):
    parses_or_is_refused(parse, scandinavian(), thing)


@given(st.integers())
def test_a_mask_is_taken_exactly_in_its_range(mask):
    parsed = parses_or_is_refused(parse_filled, scandinavian(), mask)
    assert parsed == (mask if 0 <= mask <= 32767 else None)


@given(st.lists(st.integers(-2, 9), max_size=8))
def test_dice_are_taken_exactly_when_five_in_1_to_6(faces):
    good = len(faces) == 5 and all(1 <= face <= 6 for face in faces)
    parsed = parses_or_is_refused(parse_dice, scandinavian(), faces)
    assert parsed == (tuple(sorted(faces)) if good else None)
    assert parses_or_is_refused(parse_dice, scandinavian(), ",".join(map(str, faces))) == parsed


@pytest.mark.parametrize(
    ("parse", "text"),
    [(parse_dice, "1 2 3 4 " + "5" * 5000), (parse_state, "ones @ " + "1" * 5000)],
    ids=["dice", "state"],
)
def test_very_long_numbers_are_refused(rules, parse, text):
    """Python refuses to read integers of more than 4,300 digits with a plain ValueError."""
    with pytest.raises(YatzyError, match=r"^(dice|state|upper): "):
        parse(rules, text)


GAMES_WITH_MORE = ("yahtzee", "kniffel", "scandinavian+saved-throws", "yacht+forced-order", "yahtzee+free-joker")


@st.composite
def larger_states(draw):
    """(ruleset, state) where a mask is more than filled categories."""
    rules = ruleset(draw(st.sampled_from(GAMES_WITH_MORE)))
    filled = draw(st.integers(0, rules.all_filled))
    for category_id in rules.flagged:
        if filled >> category_id & 1 and draw(st.booleans()):
            filled |= rules.flag_of(category_id)
    saved = draw(st.integers(0, rules.most_saved))
    return rules, State(with_saved(rules, filled, saved), draw(st.integers(0, rules.bonus_threshold)))


@given(larger_states(), st.data())
def test_stars_and_saved_throws_round_trip(drawn, data):
    rules, state = drawn
    assert parse_state(rules, format_state(rules, state)) == state
    assert parse_filled(rules, state.filled) == state.filled
    rerolls = data.draw(st.integers(0, rules.rerolls + state.saved(rules)))
    situation = Situation.of(rules, (1, 1, 3, 5, 6), rerolls, state)
    assert Situation.parse(str(situation), rules) == situation


def test_a_star_is_a_box_that_holds_points():
    rules = yahtzee()
    box, flag = 1 << 11, rules.flag_of(11)
    assert parse_filled(rules, "ones, Yahtzee *") == 1 | box | flag
    assert parse_filled(rules, "yatzy*") == box | flag
    assert parse_filled(rules, "yahtzee") == box
    assert format_filled(rules, 1 | box | flag) == "ones,yahtzee*"
    assert format_state(rules, State(box | flag, 0)) == "yahtzee* @ 0"


@pytest.mark.parametrize("filled", ["ones*", "yahtzee*,yahtzee"])
def test_a_star_where_there_is_no_flag_is_refused(filled):
    with pytest.raises(YatzyError, match=r"^(filled|category): "):
        parse_filled(yahtzee(), filled)


def test_a_star_in_a_game_without_flags_is_refused(rules):
    with pytest.raises(YatzyError, match=r"^filled: .*yatzy"):
        parse_filled(rules, "yatzy*")


def test_saved_throws_end_a_state():
    rules = ruleset("scandinavian+saved-throws")
    state = parse_state(rules, "ones,pair @ 3 saved 2")
    assert (state.upper, state.saved(rules)) == (3, 2)
    assert format_state(rules, state) == "ones,one pair @ 3 saved 2"
    assert parse_state(rules, "ones @ 3").saved(rules) == 0
    assert Situation.parse("13356 | 4 | ones,pair @ 3 saved 2", rules).rerolls == 4


@pytest.mark.parametrize(
    "text", ["ones @ 3 saved", "ones @ 3 saved x", "ones @ 3 saved -1", "ones saved 2", "@ saved 1"]
)
def test_a_wrong_number_of_saved_throws_is_refused(text):
    with pytest.raises(YatzyError, match=r"^state: .*filled @ upper saved throws"):
        parse_state(ruleset("scandinavian+saved-throws"), text)


def test_saved_throws_are_refused_where_none_are_saved(rules):
    with pytest.raises(YatzyError, match=r"^saved: 2 is not allowed; no throws are saved in scandinavian"):
        parse_state(rules, "ones @ 3 saved 2")


def test_saved_throws_are_rerolls():
    rules = ruleset("scandinavian+saved-throws")
    assert parse_rerolls(rules, 5, saved=3) == 5
    with pytest.raises(YatzyError, match=r"^rerolls: 6 is not allowed; allowed are 0, 1, 2, 3, 4, 5"):
        parse_rerolls(rules, 6, saved=3)


def test_equal_games_have_aliases_of_their_own(small_rules):
    """Rulesets compare by what changes play, so names looked up for one must not answer for its equal."""
    first, *others = small_rules.categories
    named = replace(small_rules, categories=(replace(first, aliases=("gamma",)), *others))
    assert named == small_rules
    assert parse_category(named, "Gamma") == 0
    with pytest.raises(YatzyError, match="'gamma' is not known"):
        parse_category(small_rules, "gamma")
