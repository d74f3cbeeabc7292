"""Rule lists: what they see and do against a plain twin, and words and files that read back to the same play."""

import json
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from games import FIVE_FACES, LOWER_FIRST, REDUCED_GAMES, THREE_DICE
from naive import reachable_states
from naive_lists import NaiveList, Situation, random_list, random_par
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.json import as_json
from yatzy.lab.search.sample import see
from yatzy.measure.exact import evaluate
from yatzy.players import rule_list_kernels
from yatzy.players.conditions import (
    Condition,
    Feature,
    check_condition,
    condition_text,
    dice_table,
    features,
    parse_condition,
    set_table,
)
from yatzy.players.moves import ABOVE_PAR, DEFAULT, GRAMMARS, MOST_POINTS, keeping_moves, scoring_moves
from yatzy.players.rule_list import Rule, RuleList, load_list, parse, parse_rule, rule_text, save_list
from yatzy.players.rule_list_player import ListPlayer
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import check_decisions
from yatzy.policies.registry import find_policy
from yatzy.rules import maxi, parse_dice, ruleset, scandinavian, yahtzee
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import table_path
from yatzy.turn import probability
from yatzy.turn.kernels import decisions as turn_decisions
from yatzy.turn.lattice import lattice

# Two shapes of dice are enough.
GAMES = [game for game in REDUCED_GAMES if (game.dice, game.faces) in ((2, 6), (3, 4))]
KINDS = [
    {"grammar": grammar, "with_par": with_par, "by_reroll": by_reroll}
    for grammar, with_par, by_reroll in (
        ("verbs", True, False), ("verbs", False, True), ("forerunner", True, True), ("masks", False, False),
    )
]  # fmt: skip


def kind_id(kind):
    return "-".join([kind["grammar"], *(key for key in ("with_par", "by_reroll") if kind[key])])


def some_states(rules, n, seed):
    """Reachable states, none finished, whole games and last turns among them."""
    reachable = state_space(rules).reachable[: rules.all_filled]
    filled, upper = np.nonzero(reachable)
    chosen = np.random.default_rng(seed).choice(len(filled), min(n, len(filled)), replace=False)
    return filled[chosen], upper[chosen]


def assert_plays_like_its_twin(rules, filled, upper):
    """Every roll, every decision."""
    game, twin = rules.rules, NaiveList(rules)
    dice = lattice(game.dice, game.faces)
    decisions = ListPlayer(rules).decide(filled, upper)
    for i, (mask, total) in enumerate(zip(filled.tolist(), upper.tolist(), strict=True)):
        for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
            for left in range(game.rerolls + 1):
                if left and rules.oracle_keeps:
                    continue
                expected = twin.move(twin.situation(mask, total, roll, left))
                found = decisions.keep[i, left - 1, roll_id] if left else decisions.category[i, roll_id]
                assert (dice.keeps[found] if left else found) == expected, (mask, total, roll, left)


def assert_same_play(one, other, filled, upper):
    found, expected = ListPlayer(one).decide(filled, upper), ListPlayer(other).decide(filled, upper)
    assert np.array_equal(found.category, expected.category)
    assert np.array_equal(found.keep, expected.keep)


def all_conditions(rules):
    """Every condition a rule may have that is not always so: each feature with each bound."""
    for known in features(rules).values():
        numbers = range(known.low, known.high + 1)
        every = {Condition(known.name, n, n) for n in numbers}
        every |= {Condition(known.name, n, known.high) for n in numbers}
        every |= {Condition(known.name, known.low, n) for n in numbers}
        yield from sorted(every - {Condition(known.name, known.low, known.high)})


def test_the_56_sights_of_the_forerunner_are_there_in_their_groups(rules):
    groups = Counter(known.group for known in features(rules).values())
    forerunner = {"progress": 3, "bonus": 4, "dice": 9, "patterns": 8, "open boxes": 15, "points": 15, "safety": 2}
    assert {group: groups[group] for group in forerunner} == forerunner
    assert sum(forerunner.values()) == 56
    assert set(groups) - set(forerunner) == {"shapes", "par"}


@pytest.mark.parametrize("game", [scandinavian(), yahtzee(), maxi(), *REDUCED_GAMES], ids=lambda game: game.name)
def test_every_sight_has_a_meaning_of_its_own(game):
    known = list(features(game).values())
    assert all(look.meaning and look.meaning.strip() == look.meaning for look in known)
    assert len({look.meaning for look in known}) == len(known)
    assert all(look.low <= look.high for look in known)
    assert all((look.low, look.high) == (0, 1) for look in known if look.kind == "boolean")


@pytest.mark.parametrize("game", [scandinavian(), yahtzee(), maxi(), *REDUCED_GAMES], ids=lambda game: game.name)
def test_one_phrase_for_one_condition_and_none_for_two(game):
    said = {}
    for condition in all_conditions(game):
        check_condition(game, condition)
        words = condition_text(game, condition)
        assert said.setdefault(words, condition) == condition
        assert parse_condition(game, words) == condition
        assert " and " not in words
        assert ", then " not in words


SEEN_ROLLS = [
    (yahtzee(), "1 2 3 4 6", "has_small_straight", 1),
    (yahtzee(), "3 4 5 6 6", "has_small_straight", 1),
    (yahtzee(), "1 2 3 5 6", "has_small_straight", 0),
    (yahtzee(), "3 4 5 6 6", "has_large_straight", 0),
    (yahtzee(), "1 2 3 4 5", "has_large_straight", 1),
    (yahtzee(), "2 2 5 5 5", "has_full_house", 1),
    (maxi(), "2 2 3 5 5 5", "has_full_house", 1),
    (maxi(), "2 2 5 5 5 5", "has_full_house", 1),
    (maxi(), "2 3 5 5 5 5", "has_full_house", 0),
    (maxi(), "1 2 3 4 5 5", "has_small_straight", 1),
    (maxi(), "1 2 3 4 5 5", "has_full_straight", 0),
    (maxi(), "1 2 3 4 5 6", "has_full_straight", 1),
    (maxi(), "5 5 5 5 5 6", "has_yatzy", 0),
    (scandinavian(five_as_full_house=True), "5 5 5 5 5", "has_full_house", 0),
]


@pytest.mark.parametrize(("game", "roll", "name", "expected"), SEEN_ROLLS)
def test_patterns_are_those_of_the_game(game, roll, name, expected):
    roll_id = lattice(game.dice, game.faces).id_of(parse_dice(game, roll))
    assert dice_table(game)[name][roll_id] == expected


@pytest.mark.parametrize(
    ("game", "roll", "small", "large"),
    [(yahtzee(), "1 3 4 6 6", 3, 3), (yahtzee(), "1 2 3 5 6", 3, 4), (maxi(), "1 2 3 4 6 6", 4, 4)],
)
def test_dice_of_a_straight_are_those_of_its_best_run(game, roll, small, large):
    roll_id = lattice(game.dice, game.faces).id_of(parse_dice(game, roll))
    assert (set_table(game, "small_run")[0, roll_id], set_table(game, "large_run")[0, roll_id]) == (small, large)


def test_what_a_game_cannot_show_is_not_offered():
    offered = {game.name: set(features(game)) for game in (scandinavian(), yahtzee(), maxi(), THREE_DICE)}
    assert "has_full_straight" in offered["maxi"]
    assert "has_full_straight" not in offered["scandinavian"] | offered["yahtzee"]
    never = {
        "has_two_pairs",
        "has_four",
        "has_full_house",
        "has_small_straight",
        "has_large_straight",
        "small_run",
    }
    assert not never & offered["three-dice"]
    assert {"has_pair", "has_three", "has_yatzy"} <= offered["three-dice"]
    for words in ("you have a full house", "you have 2 or more dice of the small straight"):
        with pytest.raises(YatzyError, match=r"^condition: .* is not understood"):
            parse_condition(THREE_DICE, words)


@pytest.mark.parametrize("game", [scandinavian(), THREE_DICE], ids=lambda game: game.name)
def test_a_condition_that_always_holds_is_refused(game):
    """Its words said something else: `has_pair` from 0 to 1 was printed as "you have no pair"."""
    for known in features(game).values():
        if known.low < known.high:
            always = Condition(known.name, known.low, known.high)
            with pytest.raises(YatzyError, match=f"^condition: '{known.name}'"):
                check_condition(game, always)


def test_conditions_in_a_players_words(rules):
    """A few by hand, as they stand on a card."""
    expected = {
        Condition("count_4", 3, 5): "you have 3 or more fours",
        Condition("points_full_house", 20, 28): "Full House would score 20 or more",
        Condition("points_full_house", 0, 0): "Full House would score nothing",
        Condition("open_chance", 0, 0): "Chance is filled",
        Condition("pace", -63, -4): "the upper section is 4 points behind three of each or worse",
        Condition("pace", -63, -1): "the upper section is behind three of each",
        Condition("pace", 1, 63): "the upper section is ahead of three of each",
        Condition("pace", -1, -1): "the upper section is exactly 1 point behind three of each",
        Condition("pace", 0, 63): "the upper section is level with three of each or better",
        Condition("boxes_left", 1, 9): "9 or fewer boxes are open",
        Condition("rerolls_left", 2, 2): "you have just thrown for the first time",
    }
    for condition, words in expected.items():
        assert condition_text(rules, condition) == words
        assert parse_condition(rules, words) == condition


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_every_sight_is_what_its_words_say(game):
    """Three ways: by definition, in bulk (`see`), and as a list's conditions read it."""
    par = random_par(game, np.random.default_rng(5))
    filled, upper = some_states(game, 12, seed=3)
    dice = lattice(game.dice, game.faces)
    rolls = np.tile(np.arange(dice.n_rolls), len(filled))
    left = np.arange(len(rolls)) % (game.rerolls + 1)
    masks, totals = np.repeat(filled, dice.n_rolls), np.repeat(upper, dice.n_rolls)
    seen = see(game, masks, totals, rolls, left, par)
    assert set(seen) == set(features(game))
    rows = list(zip(masks.tolist(), totals.tolist(), rolls.tolist(), left.tolist(), strict=True))
    for row, (mask, total, roll, rerolls) in enumerate(rows):
        here = Situation(game, mask, total, dice.keeps[roll], rerolls, par)
        assert {name: int(numbers[row]) for name, numbers in seen.items()} == {
            name: here.see(name) for name in features(game)
        }
    for known in features(game).values():
        assert known.low <= seen[known.name].min()
        assert seen[known.name].max() <= known.high


@pytest.mark.parametrize("game", GAMES[:2], ids=lambda game: game.name)
def test_lists_read_every_sight_as_it_is_seen_in_bulk(game):
    """A list with a rule for every number of a feature: the rule that fires tells the number."""
    par = random_par(game, np.random.default_rng(6))
    filled, upper = some_states(game, 6, seed=4)
    n_rolls = lattice(game.dice, game.faces).n_rolls
    for known in (known for known in features(game).values() if known.low < known.high):
        exactly = [Condition(known.name, n, n) for n in range(known.low, known.high + 1)]
        rules = RuleList(
            "reader", game, scores=tuple(Rule((c,), MOST_POINTS) for c in exactly),
            keeps=(tuple(Rule((c,), DEFAULT) for c in exactly),), par=par,
        )  # fmt: skip
        for mask, total in zip(filled.tolist(), upper.tolist(), strict=True):
            states = np.full(n_rolls, mask), np.full(n_rolls, total)
            for left in range(game.rerolls + 1):
                fired = ListPlayer(rules).fired(mask, total, left)
                seen = see(game, *states, np.arange(n_rolls), left, par)[known.name]
                assert np.array_equal(fired + known.low, seen), known.name


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("kind", KINDS, ids=kind_id)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_a_list_plays_like_its_twin(game, kind, seed):
    assert_plays_like_its_twin(random_list(game, seed, **kind), *some_states(game, 10, seed))


@pytest.mark.compiled
@pytest.mark.parametrize("kind", KINDS, ids=kind_id)
@pytest.mark.parametrize("seed", [1, 2])
def test_a_list_plays_like_its_twin_at_full_size(rules, kind, seed):
    """All 252 rolls with 0, 1 and 2 rerolls left."""
    assert_plays_like_its_twin(random_list(rules, seed, n_rules=8, **kind), *some_states(rules, 6, seed))


@pytest.mark.compiled
def test_another_game_compiles_nothing():
    """Other dice, faces, boxes or bonus: kernels of lists and of their evaluation are those of the first game."""
    kernels = (rule_list_kernels.decide_states, probability.exits_of_decisions, turn_decisions.decide_states)
    compiled = []
    for game in (THREE_DICE, LOWER_FIRST, FIVE_FACES, ruleset("yacht")):
        Optimal(solve(game)).decide(np.array([0, 1]), np.array([0, 0]))
        player = ListPlayer(random_list(game, 1))
        evaluate(player) if game.dice < 5 else player.decide(np.array([0, 1]), np.array([0, 0]))
        compiled.append([len(kernel.signatures) for kernel in kernels])
    assert min(compiled[0]) > 0
    assert compiled == compiled[:1] * 4


@pytest.mark.compiled
@pytest.mark.parametrize("game", [ruleset("yahtzee+no-joker+no-extra-bonus"), maxi()], ids=lambda game: game.name)
def test_a_list_plays_like_its_twin_under_other_rules(game):
    filled = np.array([0, 0b1010101, game.all_filled - 8])
    assert_plays_like_its_twin(random_list(game, 4, n_rules=8), filled, np.array([0, 11, 40]))


@pytest.mark.parametrize("game", [THREE_DICE, LOWER_FIRST], ids=lambda game: game.name)
def test_oracle_keeps_are_those_of_optimal_play(game):
    rules = random_list(game, 7, oracle_keeps=True)
    filled, upper = some_states(game, 10, seed=8)
    assert_plays_like_its_twin(rules, filled, upper)
    walks = Optimal(stored_table(game)).decide(filled, upper)
    assert np.array_equal(ListPlayer(rules).decide(filled, upper).keep, walks.keep)
    assert ListPlayer(rules).explain(0, 0, 0, 1) == "Keep as in optimal play."


def test_oracle_keeps_come_from_the_home_that_was_asked_for(home, tmp_path):
    """The table was looked for, and solved into, the usual place whatever --home said."""
    game = replace(THREE_DICE, name="three-dice-elsewhere", bonus=17)
    file = save_list(random_list(game, 7, oracle_keeps=True), tmp_path / "list.json")
    filled, upper = np.array([0, 1]), np.array([0, 2])
    decisions = find_policy(str(file), game, context=Context(tmp_path / "here")).decide(filled, upper)
    assert table_path(game, 0.0, "float64", tmp_path / "here").exists()
    assert not table_path(game, 0.0, "float64", home).exists()
    given = ListPlayer(load_list(file, game), table=solve(game)).decide(filled, upper)
    assert np.array_equal(given.keep, decisions.keep)
    assert not table_path(game, 0.0, "float64", home).exists()


def test_states_in_any_order_get_the_same_answer(small_rules):
    """The kernel goes on from the state before; nothing of it may stay."""
    rules = random_list(small_rules, 11)
    filled, upper = some_states(small_rules, 100, seed=0)
    together = ListPlayer(rules).decide(filled, upper)
    for i in range(len(filled)):
        alone = ListPlayer(rules).decide(filled[i : i + 1], upper[i : i + 1])
        assert np.array_equal(alone.category[0], together.category[i])
        assert np.array_equal(alone.keep[0], together.keep[i])


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("kind", [*KINDS, dict(KINDS[0], oracle_keeps=True)], ids=kind_id)
def test_a_list_reads_its_own_words(game, kind):
    states = some_states(game, 30, seed=1)
    for seed in range(20, 24):
        rules = random_list(game, seed, **kind)
        again = parse(rules.text(), game, rules.grammar)
        assert again.text() == rules.text()
        assert_same_play(again, rules, *states)


@pytest.mark.compiled
def test_a_list_reads_its_own_words_at_full_size(rules):
    """Found by the name of its rules alone, and played the same in 300 states, all rolls."""
    for seed in (31, 32):
        one = random_list(rules, seed, n_rules=20)
        assert_same_play(parse(one.text()), one, *some_states(rules, 300, seed))


def test_numbers_of_the_par_table_are_printed_in_full(small_rules):
    """Six digits were printed: a fitted par table came back as another one."""
    numbers = np.array([1 / 3, -2 / 7, 123.4567891, 0.0])
    par = replace(random_par(small_rules, np.random.default_rng(0)), in_reach=numbers, weight=2.7182818284)
    rules = replace(random_list(small_rules, 1), par=par)
    again = parse(rules.text(), small_rules).par
    assert again.in_reach.tolist() == numbers.tolist()
    assert again.weight == par.weight


def test_a_rule_is_a_sentence(rules):
    rule = Rule((Condition("points_full_house", 20, 28), Condition("boxes_left", 1, 9)), "score Full House")
    words = "If Full House would score 20 or more and 9 or fewer boxes are open, then score Full House."
    assert rule_text(rules, rule) == words
    assert parse_rule(rules, words) == rule
    assert parse_rule(rules, "Always score Chance.") == Rule((), "score Chance")


@pytest.mark.parametrize("kind", [*KINDS, dict(KINDS[2], oracle_keeps=True)], ids=kind_id)
def test_a_file_loads_to_the_same_list(small_rules, tmp_path, kind):
    rules = replace(random_list(small_rules, 5, **kind), info={"mean": 17.25, "grown": [[1, 16.5]]})
    again = load_list(save_list(rules, tmp_path / "deep" / "list.json"), small_rules)
    assert again.file == rules.file
    assert_same_play(again, rules, *some_states(small_rules, 50, seed=2))
    assert [file.name for file in (tmp_path / "deep").iterdir()] == ["list.json"]


def test_a_file_says_each_rule_in_words(small_rules, tmp_path):
    rules = random_list(small_rules, 5)
    found = json.loads(save_list(rules, tmp_path / "list.json").read_text())
    rows = [*found["scores"], *(row for keeps in found["keeps"] for row in keeps)]
    assert [parse_rule(small_rules, row["text"]) for row in rows] == list(rules.all_rules)
    assert found["fingerprint"] == small_rules.fingerprint


def test_parameters_count_what_is_carried(rules):
    empty = RuleList("empty", rules)
    assert (empty.n_rules, empty.parameters) == (0, 0)
    pair = Condition("has_pair", 1, 1)
    rule = Rule((pair, Condition("turn", 1, 5)), "score One Pair")
    both = replace(empty, scores=(rule,), keeps=((Rule((pair,), DEFAULT),),))
    assert (both.n_rules, both.parameters) == (2, 5 + 3)
    assert replace(both, par=random_par(rules, np.random.default_rng(0))).parameters == 5 + 3 + 31


@pytest.mark.parametrize("kind", KINDS, ids=kind_id)
def test_the_explanation_is_the_rule_that_decides(small_rules, kind):
    """It names the twin's rule; and a list without that rule, or without all before it, decides accordingly."""
    rules = random_list(small_rules, 13, **kind)
    twin = NaiveList(rules)
    dice = lattice(small_rules.dice, small_rules.faces)
    filled, upper = some_states(small_rules, 4, seed=5)
    named = set()
    for mask, total in zip(filled.tolist(), upper.tolist(), strict=True):
        for left in range(small_rules.rerolls + 1):
            for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
                rule = twin.fires(twin.situation(mask, total, roll, left))
                default = rules.keep_default if left else rules.score_default
                expected = rule_text(small_rules, rule) if rule else f"Otherwise, {default}."
                assert ListPlayer(rules).explain(mask, total, roll_id, left) == expected
                named.add(expected)
    assert len(named) > 4


@given(st.data())
def test_no_list_plays_what_is_not_allowed(data):
    """Whatever the rules: an open box, a keep inside the roll."""
    game = data.draw(st.sampled_from(GAMES))
    rules = random_list(
        game,
        data.draw(st.integers(0, 10_000)),
        n_rules=data.draw(st.integers(0, 12)),
        grammar=data.draw(st.sampled_from(GRAMMARS)),
        with_par=data.draw(st.booleans()),
        by_reroll=data.draw(st.booleans()),
    )
    states = data.draw(st.lists(st.sampled_from(sorted(reachable_states(game))), min_size=1, max_size=4))
    filled, upper = np.array([s for s in states if s[0] != game.all_filled] or [(0, 0)]).T
    check_decisions(ListPlayer(rules), filled, upper, ListPlayer(rules).decide(filled, upper))


PAIR = Condition("has_pair", 1, 1)


def one_rule(*conditions):
    return {"scores": (Rule(tuple(Condition(*c) for c in conditions), "score Ones"),)}


BAD_LISTS = {
    "an unknown feature": (one_rule(("luck", 1, 1)), "condition: 'luck'"),
    "an unknown box": ({"scores": (Rule((PAIR,), "score Nines"),)}, "move: 'score Nines' is not known"),
    "a keep to score": ({"scores": (Rule((PAIR,), DEFAULT),)}, f"move: {DEFAULT!r} is not known"),
    "an unknown keep": ({"keeps": ((Rule((PAIR,), "keep calm"),),)}, "move: 'keep calm' is not known"),
    "another grammar's keep": ({"grammar": "masks"}, "move: .* is not known"),
    "an unknown grammar": ({"grammar": "songs"}, "grammar: 'songs' is not known"),
    "an interval": (one_rule(("turn", 2, 3)), "condition: 'turn' from 2 to 3"),
    "too low a bound": (one_rule(("turn", 0, 3)), "condition: 'turn' from 0"),
    "too high a bound": (one_rule(("turn", 2, 99)), "condition: 'turn' from 2"),
    "an empty interval": (one_rule(("turn", 3, 2)), "condition: 'turn' from 3"),
    "half a number": (one_rule(("turn", 1.5, 4)), "condition: 'turn' from 1.5"),
    "three conditions": ({"scores": (Rule((PAIR,) * 3, "score Ones"),)}, "rule: 3 conditions"),
    "a box by default": ({"score_default": "score Ones"}, "default: 'score Ones'"),
    "a default that may not apply": ({"keep_default": "keep both pairs"}, "default: .*'keep both pairs'"),
    "no par table": ({"score_default": ABOVE_PAR}, "par: .* no par table"),
    "no par table to look at": (
        {"keeps": ((Rule((Condition("par_margin", 3, 60),), DEFAULT),),)}, "par: .* no par table",
    ),
    "too many lists": ({"keeps": ((), (), ())}, "keeps: 3 lists; allowed is 1 or 2"),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_LISTS)
def test_what_is_not_a_list_is_refused_when_it_is_made(small_rules, what):
    fields, message = BAD_LISTS[what]
    with pytest.raises(YatzyError, match=f"^{message}"):
        RuleList("bad", small_rules, **fields)


BAD_WORDS = {
    "nothing": (lambda text: "", "rules: the first line"),
    "no head": (lambda text: text.split("\n", 1)[1], "rules: the first line"),
    "other rules": (lambda text: text.replace("for three-dice", "for bridge"), "rules: 'bridge' is not known"),
    "a strange line": (lambda text: text + "Good luck!\n", "rules: the line 'Good luck!' is not understood"),
    "a strange condition": (lambda text: text.replace("have a pair", "feel lucky"), "condition: 'you feel"),
    "a strange rule": (lambda text: text.replace("If you", "When you"), "rule: 'When you have"),
    "a strange move": (lambda text: text.replace("score Ones", "score Nines"), "move: 'score Nines'"),
    "three conditions": (
        lambda text: text.replace("you have a pair", "you have a pair and Ones is open and Run is open"),
        "rule: 3 conditions",
    ),
    "an impossible number": (lambda text: text.replace("turn 2", "turn 9"), "condition: 'turn' from 9"),
    "no default": (lambda text: text.replace("Otherwise", "# Otherwise"), "rules: the line '# Otherwise"),
    "no list": (lambda text: text.split("\n", 1)[0], "rules: there must be a list"),
    "one par line": (lambda text: text.replace("Par, once", "Pax, once"), "rules: the line 'Pax, once"),
    "no par at all": (
        lambda text: "\n".join(line for line in text.splitlines() if not line.startswith("Par,")),
        "par: .* no par table",
    ),
    "a par missing": (lambda text: text.replace("Twos ", "Threes "), "par: .* for every category"),
    "a par in words": (lambda text: text.replace("Run 0", "Run none"), "par: .* for every category"),
    "a weight in words": (lambda text: text.replace("count 2 times", "count two times"), "par: "),
}  # fmt: skip


@pytest.mark.parametrize("what", BAD_WORDS)
def test_what_does_not_read_as_a_list_is_refused(small_rules, what):
    n = len(small_rules.categories)
    rules = RuleList(
        "good", small_rules, score_default=ABOVE_PAR,
        scores=(Rule((PAIR,), "score Ones"), Rule((Condition("turn", 2, 4),), "score Twos")),
        par=replace(random_par(small_rules, np.random.default_rng(0)), in_reach=np.zeros(n), weight=2.0),
    )  # fmt: skip
    change, message = BAD_WORDS[what]
    game = None if what == "other rules" else small_rules
    assert change(rules.text()) != rules.text()
    with pytest.raises(YatzyError, match=f"^{message}"):
        parse(change(rules.text()), game)


def without(key):
    return lambda found: found.pop(key)


def with_changed(key, value):
    return lambda found: found.update({key: value})


BAD_FILES = {
    "format": with_changed("format", "yatzy-rules-0"),
    "fingerprint": with_changed("fingerprint", "0" * 16),
    "no rules to score": without("scores"),
    "no rules to keep": without("keeps"),
    "no default": without("score_default"),
    "rules that are none": with_changed("scores", 5),
    "a rule without a move": with_changed("scores", [{"if": []}]),
    "a condition without bounds": with_changed("scores", [{"if": [["turn"]], "then": "score Ones"}]),
    "a bound in words": with_changed("scores", [{"if": [["turn", "two", 4]], "then": "score Ones"}]),
    "an unknown move": with_changed("scores", [{"if": [], "then": "score Nines"}]),
    "an unknown feature": with_changed("scores", [{"if": [["luck", 1, 1]], "then": "score Ones"}]),
    "three conditions": with_changed("scores", [{"if": [["turn", 2, 4]] * 3, "then": "score Ones"}]),
    "a par table that is none": with_changed("par", [1, 2, 3]),
    "half a par table": with_changed("par", {"weight": 2}),
}


@pytest.mark.parametrize("named", [True, False], ids=["rules given", "rules in the file"])
@pytest.mark.parametrize("what", BAD_FILES)
def test_a_file_that_is_not_a_list_is_refused(rules, tmp_path, what, named):
    found = as_json(RuleList("good", rules).file)
    BAD_FILES[what](found)
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(found))
    with pytest.raises(YatzyError, match=r"^(policy|rules): "):
        load_list(file, rules if named else None)


def test_a_file_that_does_not_name_its_rules_is_refused(rules, tmp_path):
    found = as_json(RuleList("good", rules).file)
    del found["rules"]
    file = tmp_path / "bad.json"
    file.write_text(json.dumps(found))
    with pytest.raises(YatzyError, match=r"^policy: "):
        load_list(file)


@pytest.mark.parametrize("content", [b"", b"{", b"[]", b"5", b"null", b"\xff\xfe\x00", b"play well"])
def test_a_file_that_is_not_json_is_refused(tmp_path, content):
    file = tmp_path / "bad.json"
    file.write_bytes(content)
    with pytest.raises(YatzyError, match=r"^policy: .*bad\.json"):
        load_list(file)


def test_half_a_file_or_none_is_refused(small_rules, tmp_path):
    file = save_list(random_list(small_rules, 1), tmp_path / "list.json")
    file.write_text(file.read_text()[: file.stat().st_size // 2])
    with pytest.raises(YatzyError, match="is not JSON"):
        load_list(file, small_rules)
    with pytest.raises(YatzyError, match="there is no file"):
        load_list(tmp_path / "none.json")
    with pytest.raises(YatzyError, match="is a folder; allowed is a file"):
        load_list(tmp_path)


def test_a_list_of_other_rules_is_refused(small_rules, tmp_path):
    file = save_list(random_list(small_rules, 1), tmp_path / "list.json")
    with pytest.raises(YatzyError, match="'three-dice', not 'scandinavian'"):
        load_list(file, "scandinavian")
    with pytest.raises(YatzyError, match="rules: 'three-dice' is not known"):
        load_list(file)
    with pytest.raises(YatzyError, match="not 'twin'"):
        load_list(file, replace(small_rules, name="twin", bonus=99))


def test_the_moves_of_a_random_list_are_all_there_is(small_rules):
    """The twin is only as good as what it is tried on."""
    lists = [random_list(small_rules, seed, n_rules=12) for seed in range(60)]
    moves = {rule.move for rules in lists for rule in rules.all_rules}
    assert moves == {*scoring_moves(small_rules), *keeping_moves(small_rules, "verbs")}
    seen = {c.feature for rules in lists for rule in rules.all_rules for c in rule.conditions}
    wide: list[Feature] = [known for known in features(small_rules).values() if known.low < known.high]
    assert seen == {known.name for known in wide}
