"""Actions are values: their text is read back, and they compare by what is done."""

import pytest

from yatzy import YatzyError
from yatzy.game.action import Keep, Score, action_ids, actions_of, parse_action
from yatzy.rules import GAMES, HOUSE_RULES, ruleset, scandinavian


@pytest.mark.parametrize("name", [*GAMES, *(f"scandinavian+{switch}" for switch in HOUSE_RULES)])
def test_every_action_of_every_game_is_read_back_from_its_text(name):
    rules = ruleset(name)
    actions = actions_of(rules)
    assert [parse_action(rules, str(action)) for action in actions] == list(actions)
    assert [action_ids(rules)[action] for action in actions] == list(range(len(actions)))


def test_a_score_is_the_same_whatever_it_brings():
    assert Score("chance", 20) == Score("chance", 25, 5)
    assert len({Score("chance", 20), Score("chance"), Keep((1, 2))}) == 2
    assert Keep((1, 2)) != Score("chance")


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("keep 6 1", Keep((1, 6))), ("Keep 33", Keep((3, 3))), ("keep nothing", Keep()),
        ("score PAIR", Score("one pair")),
        (" score  one_pair ", Score("one pair")),
    ],
)  # fmt: skip
def test_actions_as_people_type_them(text, action):
    assert parse_action(scandinavian(), text) == action


@pytest.mark.parametrize("text", ["", "keep", "score", "hold 3 3", "keep x", "keep 7", "keep 111111", "score x"])
def test_what_is_no_action_is_refused(text):
    with pytest.raises(YatzyError, match=r"^(action|dice|category): "):
        parse_action(scandinavian(), text)


def test_a_keep_is_the_same_in_whatever_order_its_dice_are_given():
    """`Keep((5, 3))` equalled no action of a game."""
    rules = scandinavian()
    assert Keep((5, 3)) == Keep([3, 5]) == parse_action(rules, str(Keep((5, 3))))
    assert Keep((5, 3)) in action_ids(rules)
