"""Moves: by hand, against a plain twin, and never outside the roll or the open boxes."""

from dataclasses import replace

import numpy as np
import pytest

from games import FIVE_FACES, LOWER_FIRST, THREE_DICE, TINY
from naive import score_of
from naive_lists import Situation, random_par
from yatzy import YatzyError
from yatzy.lab.search.sample import draw_samples
from yatzy.players.columns import mask_tables
from yatzy.players.moves import (
    ABOVE_PAR,
    FINDERS,
    GIVE_UP,
    GRAMMARS,
    OPEN_STRAIGHT,
    REROLL_ALL,
    give_up_order,
    keep_table,
    keeping_moves,
    n_sets,
    scoring_moves,
)
from yatzy.players.rule_list import Rule, RuleList
from yatzy.players.rule_list_player import ListPlayer
from yatzy.policies.policy import keep_is_inside
from yatzy.rules import Category, Ruleset, maxi, parse_dice, parse_filled, scandinavian, scoring, yahtzee
from yatzy.turn.lattice import lattice

SHAPES = (TINY, LOWER_FIRST, THREE_DICE, FIVE_FACES)

FORERUNNER_EXAMPLES = [
    ("2 5 5 5 6", "keep face 5", "5 5 5"),
    ("2 5 5 5 6", "keep face 1", ""),
    ("2 5 5 5 6", "keep the triple", "5 5 5"),
    ("5 5 5 5 6", "keep the triple", "5 5 5"),
    ("2 2 5 5 6", "keep the triple", ""),
    ("2 2 5 5 6", "keep the pair", "5 5"),
    ("1 2 3 4 6", "keep the pair", ""),
    ("2 2 5 5 6", "keep the two pairs", "2 2 5 5"),
    ("2 2 5 5 5", "keep the two pairs", "2 2 5 5"),
    ("5 5 5 5 6", "keep the two pairs", ""),
    ("3 5 5 5 5", "keep the quad", "5 5 5 5"),
    ("2 5 5 5 6", "keep the quad", ""),
    ("2 5 5 5 6", "keep the triple and the highest other die", "5 5 5 6"),
    ("2 3 6 6 6", "keep the triple and the highest other die", "3 6 6 6"),
    ("5 5 5 5 5", "keep the triple and the highest other die", "5 5 5"),
    ("1 2 3 4 6", "keep the triple and the highest other die", ""),
    ("1 3 3 5 6", "keep the pair and a kicker", "3 3 6"),
    ("1 2 3 4 6", "keep the pair and a kicker", ""),
    ("1 3 3 5 6", "reroll everything", ""),
    ("1 2 3 5 6", "keep the straight draw", "1 2 3"),
    ("1 2 4 5 6", "keep the straight draw", "4 5 6"),
    ("2 3 4 4 5", "keep the straight draw", "2 3 4 5"),
    ("1 2 4 4 6", "keep the straight draw", ""),
    ("1 3 3 5 6", "keep all", "1 3 3 5 6"),
]


def kept(rules, grammar, roll, move, filled=""):
    """The faces that a move keeps, None where it does not apply."""
    dice = lattice(rules.dice, rules.faces)
    is_open = open_set(rules, parse_filled(rules, filled))
    row = keep_table(rules, grammar)[is_open, keeping_moves(rules, grammar).index(move)]
    keep_id = row[dice.id_of(parse_dice(rules, roll))]
    return dice.keeps[keep_id] if keep_id >= 0 else None


def open_set(rules, filled):
    """A bit for every face whose box is open, two more for the open straights."""
    found = 0
    straights = {"Small Straight": rules.faces, "Large Straight": rules.faces + 1}
    for c, category in enumerate(rules.categories):
        if not filled >> c & 1:
            alone = [
                f for f in range(1, rules.faces + 1) if category.upper and score_of(rules, c, (f,) * rules.dice)
            ]
            found |= sum(1 << (face - 1) for face in alone)
            found |= 1 << straights[category.name] if category.name in straights else 0
    return found


@pytest.mark.parametrize(("roll", "move", "expected"), FORERUNNER_EXAMPLES)
def test_the_forerunner_s_verbs_keep_what_they_say(rules, roll, move, expected):
    assert kept(rules, "forerunner", roll, move) == parse_dice(rules, expected, at_most=True)


def test_the_forerunner_has_15_verbs_that_always_apply(rules):
    assert len(keeping_moves(rules, "forerunner")) == 15
    assert {move for _, move, _ in FORERUNNER_EXAMPLES} == {
        move for move in keeping_moves(rules, "forerunner") if not move.startswith("keep face ")
    } | {"keep face 1", "keep face 5"}
    assert keep_table(rules, "forerunner").min() >= 0


def test_keeping_the_triple_of_25556_throws_positions_0_and_4(rules):
    dice = lattice(rules.dice, rules.faces)
    roll = dice.id_of((2, 5, 5, 5, 6))
    triple = keep_table(rules, "forerunner")[0, keeping_moves(rules, "forerunner").index("keep the triple"), roll]
    assert triple == mask_tables(rules).keep_of_mask[roll, 0b10001]
    assert (
        triple
        == keep_table(rules, "masks")[0, keeping_moves(rules, "masks").index("reroll positions 10001"), roll]
    )


def test_masks_name_positions_of_the_sorted_dice(rules):
    moves = keeping_moves(rules, "masks")
    assert len(moves) == 32
    assert kept(rules, "masks", "1 3 3 5 6", "reroll positions 11001") == (3, 3)
    assert kept(rules, "masks", "1 3 3 5 6", "reroll positions 00000") == (1, 3, 3, 5, 6)
    assert kept(rules, "masks", "1 3 3 5 6", "reroll positions 11111") == ()
    assert kept(rules, "masks", "1 3 3 5 6", "reroll positions 00001") == (3, 3, 5, 6)


OUR_EXAMPLES = [
    ("2 2 5 5 6", "keep both pairs", "", "2 2 5 5"),
    ("1 2 3 4 6", "keep both pairs", "", None),
    ("2 2 5 5 6", "keep the most frequent face, open boxes first", "", "5 5"),
    ("2 2 5 5 6", "keep the most frequent face, open boxes first", "fives", "2 2"),
    ("2 2 5 5 6", "keep the most frequent face whose box is open", "twos,fives,sixes", None),
    ("1 2 3 4 6", "keep the 5s", "", None),
    ("1 2 4 5 5", OPEN_STRAIGHT, "", "1 2 4 5"),
    ("2 3 4 5 5", OPEN_STRAIGHT, "", "2 3 4 5"),
    ("1 2 4 5 6", OPEN_STRAIGHT, "large straight", "1 2 4 5"),
    ("1 2 4 5 6", OPEN_STRAIGHT, "small straight", "2 4 5 6"),
    ("1 2 4 5 6", OPEN_STRAIGHT, "", "2 4 5 6"),
    ("1 2 4 5 6", OPEN_STRAIGHT, "small straight,large straight", None),
]


@pytest.mark.parametrize(("roll", "move", "filled", "expected"), OUR_EXAMPLES)
def test_our_verbs_keep_what_they_say_or_do_not_apply(rules, roll, move, filled, expected):
    faces = None if expected is None else parse_dice(rules, expected, at_most=True)
    assert kept(rules, "verbs", roll, move, filled) == faces


def test_our_grammar_has_about_30_verbs(rules):
    moves = keeping_moves(rules, "verbs")
    assert 25 <= len(set(moves)) == len(moves) <= 32
    assert REROLL_ALL in moves


@pytest.mark.parametrize("game", [scandinavian(), *SHAPES], ids=lambda game: game.name)
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_keep_lies_inside_its_roll_or_does_not_apply(game, grammar):
    table = keep_table(game, grammar)
    inside = keep_is_inside(game)
    assert table.shape == (n_sets(game), len(keeping_moves(game, grammar)), inside.shape[0])
    assert table.min() >= -1
    rolls = np.broadcast_to(np.arange(inside.shape[0]), table.shape)
    assert (inside[rolls, table] | (table == -1)).all()
    # The kernels take the rolls of move 0 for all rolls.
    assert table[:, 0].min() >= 0


@pytest.mark.parametrize("game", [scandinavian(), *SHAPES], ids=lambda game: game.name)
@pytest.mark.parametrize("grammar", GRAMMARS)
def test_every_keep_is_that_of_a_plain_twin(game, grammar):
    """All moves, all rolls, with some boxes open."""
    dice = lattice(game.dice, game.faces)
    table = keep_table(game, grammar)
    generator = np.random.default_rng(7)
    for filled in {0, game.all_filled, *generator.integers(0, game.all_filled, 2).tolist()}:
        here_kept = table[open_set(game, filled)].tolist()
        for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
            here = Situation(game, filled, 0, roll, 1)
            for number, move in enumerate(keeping_moves(game, grammar)):
                found = here_kept[number][roll_id]
                expected = here.keep(move, grammar)
                assert (dice.keeps[found] if found >= 0 else None) == expected, (move, roll, filled)


def test_unknown_grammars_are_refused(rules):
    with pytest.raises(YatzyError, match=r"^grammar: 'songs' is not known; allowed are verbs, forerunner, masks"):
        keeping_moves(rules, "songs")
    with pytest.raises(YatzyError, match=r"^grammar: 'songs'"):
        keep_table(rules, "songs")


def test_the_give_up_list_has_the_boxes_of_the_ruleset(rules):
    names = [rules.categories[c].name for c in give_up_order(rules)]
    assert names == ["Ones", "Small Straight", "Large Straight", "Yatzy", "Four of a Kind", "Twos"]
    assert [THREE_DICE.categories[c].name for c in give_up_order(THREE_DICE)] == ["Ones", "Twos"]
    assert len(give_up_order(replace(THREE_DICE, categories=THREE_DICE.categories[2:]))) == 0
    assert [yahtzee().categories[c].name for c in give_up_order(yahtzee())][3] == "Yahtzee"
    assert [maxi().categories[c].name for c in give_up_order(maxi())][3] == "Maxi Yatzy"


def test_scoring_moves_are_the_boxes_and_then_the_finders(rules):
    moves = scoring_moves(rules)
    assert len(moves) == 15 + 5
    assert moves[:2] == ("score Ones", "score Twos")
    assert moves[15:] == FINDERS


# Boxes that are worth the same, some that are worth nothing, and both straights.
LEVEL_BOXES = Ruleset(
    "level-boxes",
    3,
    4,
    2,
    categories=(
        Category("Chance", scoring.total),
        Category("Twos", scoring.of_face(2), upper=True),
        Category("Small Straight", scoring.straight(1, 3, 6)),
        Category("Large Straight", scoring.straight(2, 4, 9)),
        Category("Sum", scoring.total),
        Category("Ones", scoring.of_face(1), upper=True),
    ),
    bonus_threshold=7,
    bonus=5,
)


@pytest.mark.parametrize("move", FINDERS)
@pytest.mark.parametrize("game", [THREE_DICE, LEVEL_BOXES], ids=lambda game: game.name)
def test_a_finder_finds_the_box_that_its_words_say(game, move):
    """In every mask, with some upper total, and with every roll, by itself and in the worth that samples give."""
    par = random_par(game, np.random.default_rng(3))
    rules = RuleList("finder", game, scores=(Rule((), move),), par=par)
    dice, player = lattice(game.dice, game.faces), ListPlayer(rules)
    number = game.n_categories + FINDERS.index(move)
    n_found = 0
    for filled in range(game.all_filled):
        upper = (0, 4, game.bonus_threshold)[filled % 3]
        category = player.decide(np.array([filled]), np.array([upper])).category[0]
        for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
            here = Situation(game, filled, upper, roll, 0, par)
            box = here.score(move)
            default = here.score(rules.score_default)
            assert category[roll_id] == (default if box is None else box)
            fires = player.explain(filled, upper, roll_id, 0) == f"Always {move}."
            assert fires == (box is not None)
            n_found += fires
    assert n_found > 10
    values = np.random.default_rng(4).random((game.all_filled + 1, game.bonus_threshold + 1)) * 20
    visits = np.ones_like(values)
    sample, _ = draw_samples(player, values, visits, 300, seed=1, threads=1)
    for row, (filled, upper, roll) in enumerate(zip(*(a.tolist() for a in sample.situations), strict=True)):
        box = Situation(game, filled, upper, dice.keeps[roll], 0, par).score(move)
        worth = -np.inf if box is None else sample.worth[row, box]
        assert sample.worth[row, number] == worth


def test_level_boxes_go_to_the_first_on_the_sheet():
    """Chance and Sum score the same: the list and the sample must agree on which it is."""
    rules = RuleList("most", LEVEL_BOXES)
    category = ListPlayer(rules).decide(np.array([0b010]), np.array([0])).category[0]
    sums = np.array(LEVEL_BOXES.scores)[:, 0]
    others = np.delete(np.array(LEVEL_BOXES.scores), [0, 1, 4], axis=1).max(axis=1)
    assert (category[sums >= others] == 0).all()


def test_nothing_to_give_up_falls_through_to_the_default(rules):
    """With all boxes of the give-up list filled the move does not apply."""
    filled = np.array([sum(1 << c for c in give_up_order(rules))])
    listed = RuleList("give-up", rules, scores=(Rule((), GIVE_UP),))
    plain = RuleList("plain", rules)
    assert np.array_equal(
        ListPlayer(listed).decide(filled, filled * 0).category,
        ListPlayer(plain).decide(filled, filled * 0).category,
    )
    assert ListPlayer(listed).explain(int(filled[0]), 0, 0, 0) == "Otherwise, score the box with the most points."


def test_points_above_par_depend_on_whether_the_bonus_is_settled(rules):
    """Three twos are par for the bonus; once it is safe they are only six points."""
    par = random_par(rules, np.random.default_rng(0))
    twos, pair = 1, 6
    in_reach, settled = np.full(15, 99.0), np.full(15, 99.0)
    in_reach[[twos, pair]], settled[[twos, pair]] = [6.0, 1.0], [6.0, 1.0]
    card = RuleList(
        "par", rules, score_default=ABOVE_PAR, par=replace(par, in_reach=in_reach, settled=settled, weight=2)
    )
    roll = lattice(5, 6).id_of((1, 2, 2, 2, 5))
    open_twos, secured = np.array([0]), np.array([63])
    assert ListPlayer(card).decide(open_twos, np.array([0])).category[0, roll] == twos
    assert ListPlayer(card).decide(open_twos, secured).category[0, roll] == pair
    lost = np.array([0b111101])
    assert ListPlayer(card).decide(lost, np.array([0])).category[0, roll] == pair
