"""Rule lists by improvement: exact values, samples and gains against definitions, and a search that only gains."""

from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations_with_replacement

import numpy as np
import pytest

from games import LOWER_FIRST, REDUCED_GAMES, THREE_DICE
from naive import PlayedOut, after_scoring, score_of
from naive_lists import random_list, random_par
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.lab.search.lists import (
    MIN_WORTH,
    PATHS,
    VOCABULARIES,
    Effort,
    Found,
    Path,
    PreparedSample,
    Search,
    Vocabulary,
    empty_list,
    find_vocabulary,
    induce,
    insert,
    moved_par,
    remove,
    rounded_par,
)
from yatzy.lab.search.sample import OracleKeeps, OwnKeeps, draw_samples, see
from yatzy.measure.exact import evaluate, policy_values, visit
from yatzy.players.conditions import Condition, features
from yatzy.players.moves import (
    ABOVE_PAR,
    FINDERS,
    MOST_POINTS,
    keep_table,
    scoring_moves,
    shipped_par,
)
from yatzy.players.rule_list import Rule, RuleList, load_list, save_list
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.rule_list_values import grammar_values, list_values
from yatzy.rules import ruleset
from yatzy.solver.states import state_space
from yatzy.turn.lattice import lattice

# Two shapes: kernels are compiled once for each.
GAMES = [game for game in REDUCED_GAMES if (game.dice, game.faces) in ((2, 6), (3, 4))]


class Followed(PlayedOut):
    """A list by its own decisions, and what any move is worth if the list goes on afterwards, in fractions."""

    def __init__(self, rules):
        self.list = rules
        self.dice = lattice(rules.rules.dice, rules.rules.faces)
        self.decided = cache(lambda *state: ListPlayer(rules).decide(*(np.array([n]) for n in state)))
        self.of_roll = cache(self.of_roll)
        super().__init__(rules.rules, self.category, self.keep)

    def category(self, filled, upper, roll):
        return int(self.decided(filled, upper).category[0, self.dice.id_of(roll)])

    def keep(self, filled, upper, roll, rerolls):
        return self.dice.keeps[self.decided(filled, upper).keep[0, rerolls - 1, self.dice.id_of(roll)]]

    def of_category(self, filled, upper, roll, category):
        points = score_of(self.rules, category, roll)
        return points + self.value(*after_scoring(self.rules, filled, upper, category, points))

    def of_keep(self, filled, upper, kept, rerolls):
        """Worth of throwing the rest, with `rerolls` left before the throw."""
        throws = self._throw({kept: Fraction(1)})
        return sum(prob * self.of_roll(filled, upper, roll, rerolls - 1) for roll, prob in throws.items())

    def of_roll(self, filled, upper, roll, rerolls):
        """What the list makes of a roll."""
        if rerolls:
            return self.of_keep(filled, upper, self.keep(filled, upper, roll, rerolls), rerolls)
        return self.of_category(filled, upper, roll, self.category(filled, upper, roll))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
@pytest.mark.parametrize("grammar", ["verbs", "masks"])
def test_values_are_those_of_the_policy(game, grammar):
    """Backward in runs of upper totals, forward, in full, and by definition."""
    rules = random_list(game, 17, grammar=grammar, by_reroll=grammar == "masks")
    values = list_values(rules, threads=1)
    assert values[0, 0] == pytest.approx(float(Followed(rules).value()), abs=1e-12)
    assert values[0, 0] == pytest.approx(visit(ListPlayer(rules)).mean, abs=1e-12)
    assert values[0, 0] == pytest.approx(evaluate(ListPlayer(rules)).mean, abs=1e-12)
    visited = visit(ListPlayer(rules)).visits > 0
    assert values[visited] == pytest.approx(policy_values(ListPlayer(rules))[visited], abs=1e-12)
    assert OwnKeeps(threads=1).mean(rules) == values[0, 0]


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_what_words_for_keeps_can_be_worth_at_best(game):
    """Bitmasks can say every keep: perfect play. Words say fewer, and no list in them is better."""
    best = solve(game).value()
    assert grammar_values(game, "masks", threads=1)[0, 0] == pytest.approx(best, abs=1e-12)
    words = grammar_values(game, "verbs", threads=2)
    assert words[0, 0] <= best + 1e-12
    assert (words >= list_values(random_list(game, 17), threads=1) - 1e-12)[state_space(game).reachable].all()


@pytest.mark.compiled
def test_values_are_those_of_the_policy_at_full_size():
    found = random_list(ruleset("yahtzee+no-joker+no-extra-bonus"), 12, n_rules=12)
    assert list_values(found)[0, 0] == pytest.approx(visit(ListPlayer(found)).mean, abs=1e-9)


def test_values_need_the_lists_own_keeps(small_rules):
    with pytest.raises(YatzyError, match=r"^rules: a list with oracle keeps is valued"):
        list_values(random_list(small_rules, 1, oracle_keeps=True))


@pytest.mark.parametrize("game", GAMES, ids=lambda game: game.name)
def test_oracle_keeps_give_the_mean_of_the_list_that_has_them(game):
    arena = OracleKeeps(solve(game), threads=1)
    for seed in (1, 2, 3):
        rules = random_list(game, seed, oracle_keeps=True)
        whole = visit(ListPlayer(rules))
        assert arena.mean(rules) == pytest.approx(whole.mean, abs=1e-4)
        assert arena.play(rules).visits == pytest.approx(whole.visits, abs=1e-5)


@pytest.mark.compiled
def test_oracle_keeps_give_the_mean_of_the_list_that_has_them_with_five_dice():
    table = solve("yacht")
    arena = OracleKeeps(table)
    rules = random_list(table.rules, 3, n_rules=12, oracle_keeps=True)
    assert arena.mean(rules) == pytest.approx(visit(ListPlayer(rules)).mean, abs=1e-4)


@pytest.fixture(scope="module", params=[THREE_DICE, LOWER_FIRST], ids=lambda game: game.name)
def sampled(request):
    """A random list, its play followed by definition, and 200 of its decisions."""
    rules = random_list(request.param, 23)
    samples = draw_samples(
        ListPlayer(rules), list_values(rules, 1), visit(ListPlayer(rules)).visits, 200, seed=4, threads=1
    )
    return rules, Followed(rules), *samples


def test_states_are_drawn_by_their_visits(sampled):
    """At equal steps along the visits: every state as often as it should be, give or take one."""
    rules, followed, scoring, keeping = sampled
    game = rules.rules
    n = len(scoring)
    assert n == 200
    assert len(keeping) == 200 * game.rerolls
    assert scoring.weight == keeping.weight == game.n_categories / n
    filled, upper, _ = scoring.situations
    for (mask, total), prob in followed.visits.items():
        if mask != game.all_filled:
            drawn = ((filled == mask) & (upper == total)).sum()
            assert abs(drawn - float(prob) / scoring.weight) < 1 + 1e-9


@pytest.mark.compiled
def test_rolls_are_drawn_by_their_chance(small_rules):
    """The first roll comes from the cup, the last by the list's own keeps: within 4 standard errors."""
    rules = random_list(small_rules, 29)
    n = 20_000
    start = np.zeros((small_rules.all_filled + 1, small_rules.bonus_threshold + 1))
    start[0, 0] = 1.0
    scoring, keeping = draw_samples(ListPlayer(rules), list_values(rules, 1), start, n, seed=2, threads=1)
    followed = Followed(rules)
    expected = followed._throw({(): Fraction(1)})
    for left in range(small_rules.rerolls, -1, -1):
        rolls = keeping.situations[2][n * (left - 1) : n * left] if left else scoring.situations[2]
        for roll, prob in expected.items():
            error = np.sqrt(float(prob) * (1 - float(prob)) / n)
            assert abs((rolls == followed.dice.id_of(roll)).mean() - float(prob)) < 4 * error
        kept = {}
        for roll, prob in expected.items() if left else ():
            keep = followed.keep(0, 0, roll, left)
            kept[keep] = kept.get(keep, 0) + prob
        expected = followed._throw(kept)


def test_the_worth_of_scoring_is_points_and_what_the_list_makes_of_the_rest(sampled):
    rules, followed, scoring, _ = sampled
    for row, (filled, upper, roll_id) in enumerate(zip(*(a.tolist() for a in scoring.situations), strict=True)):
        roll = followed.dice.keeps[roll_id]
        for category in range(rules.rules.n_categories):
            if filled >> category & 1:
                assert scoring.worth[row, category] == -np.inf
            else:
                expected = float(followed.of_category(filled, upper, roll, category))
                assert scoring.worth[row, category] == pytest.approx(expected, abs=1e-5)


def test_the_worth_of_a_keep_is_what_the_list_makes_of_the_throw(sampled):
    rules, followed, scoring, keeping = sampled
    table = keep_table(rules.rules, rules.grammar)
    left = np.repeat(np.arange(1, rules.rules.rerolls + 1), len(scoring)).tolist()
    assert keeping.seen["rerolls_left"].tolist() == left
    game = rules.rules
    for row, (filled, upper, roll_id) in enumerate(zip(*(a.tolist() for a in keeping.situations), strict=True)):
        faces = [face for face in range(1, game.faces + 1) if _is_open(game, filled, face)]
        open_set = sum(1 << (face - 1) for face in faces)
        for move in range(table.shape[1]):
            keep_id = table[open_set, move, roll_id]
            if keep_id < 0:
                assert keeping.worth[row, move] == -np.inf
            else:
                expected = float(followed.of_keep(filled, upper, followed.dice.keeps[keep_id], left[row]))
                assert keeping.worth[row, move] == pytest.approx(expected, abs=1e-5)


def _is_open(game, filled, face):
    """Is the upper box of that face open? (These games have no straights.)"""
    boxes = [c for c, box in enumerate(game.categories) if box.upper and score_of(game, c, (face,) * game.dice)]
    return any(not filled >> c & 1 for c in boxes)


def board_of(rules, sample, level, chosen=None, price=0.0):
    known = features(rules.rules)
    without = tuple(name for name in known if chosen and name not in chosen)
    everything = Vocabulary("everything", FINDERS, tuple({one.group for one in known.values()}), without)
    return PreparedSample(sample, level, rules, everything, 0, price)


def test_a_board_plays_like_the_list(sampled):
    """The rule that decides every row, and what its move is worth along the list's own play."""
    rules, followed, scoring, keeping = sampled
    left = [0] * len(scoring), keeping.seen["rerolls_left"].tolist()
    for level, sample in enumerate((scoring, keeping)):
        fired, worth = board_of(rules, sample, level).play(rules.list_of(level))
        for row, (filled, upper, roll) in enumerate(zip(*(a.tolist() for a in sample.situations), strict=True)):
            rerolls = left[level][row]
            assert fired[row] == ListPlayer(rules).fired(filled, upper, rerolls)[roll]
            expected = float(followed.of_roll(filled, upper, followed.dice.keeps[roll], rerolls))
            assert worth[row] == pytest.approx(expected, abs=1e-5)


def test_a_sample_sees_what_its_situations_show(sampled):
    rules, _, scoring, keeping = sampled
    for sample, left in ((scoring, 0), (keeping, keeping.seen["rerolls_left"].astype(np.int64))):
        seen = see(rules.rules, *sample.situations, left, rules.par)
        assert set(seen) == set(sample.seen) == set(features(rules.rules))
        assert all(np.array_equal(seen[name], sample.seen[name]) for name in seen)


FEATURES = {
    THREE_DICE: ("boxes_left", "count_1", "has_pair", "open_twos", "shape_count"),
    LOWER_FIRST: ("rerolls_left", "count_6", "largest_count", "open_chance", "zero_boxes"),
}


def every_rule(board, game, names):
    """All rules of one or two conditions on these features, whole ranges and empty ones left out."""
    conditions = set()
    for name in names:
        known = features(game)[name]
        for n in range(known.low, known.high + 1):
            conditions |= {Condition(name, n, n), Condition(name, n, known.high), Condition(name, known.low, n)}
        conditions -= {Condition(name, known.low, known.high)}
    for pair in combinations_with_replacement(sorted(conditions), 2):
        for move in board.names:
            yield Rule(tuple(dict.fromkeys(pair)), move)


@pytest.mark.parametrize("level", [0, 1])
def test_the_best_rule_is_that_of_trying_all(sampled, level):
    """Every single condition and pair, every move, every position, counted one by one."""
    rules, _, *samples = sampled
    game, sample = rules.rules, samples[level]
    names = FEATURES[game]
    board = board_of(rules, sample, level, names)
    part = rules.list_of(level)[:3]
    fired, now = board.play(part)
    gains = {}
    masks = {}
    for rule in every_rule(board, game, names):
        hit = np.isfinite(sample.worth[:, board.names.index(rule.move)])
        for c in rule.conditions:
            if c not in masks:
                masks[c] = sample.holds(c)
            hit = hit & masks[c]
        lead = np.where(hit, sample.worth[:, board.names.index(rule.move)] - now, 0).astype(np.float64)
        for position in range(len(part) + 1):
            gains[position, rule] = float(lead[fired >= position].sum()) * sample.weight
    best = board.best(part, 5)
    assert best[0].gain == pytest.approx(max(gains.values()), abs=1e-4)
    assert [found.gain for found in best] == sorted((found.gain for found in best), reverse=True)
    for found in best:
        assert found.level == level
        assert found.gain == pytest.approx(gains[found.position, _sorted(found.rule)], abs=1e-6)
        longer = (*part[: found.position], found.rule, *part[found.position :])
        assert board.total(longer) - board.total(part) == pytest.approx(found.gain, abs=1e-4)


def _sorted(rule):
    return Rule(tuple(sorted(rule.conditions)), rule.move)


def test_plain_rules_come_first_where_it_is_wished(sampled):
    """A threshold less is worth its price: with many points for it no rule has two."""
    rules, _, scoring, _ = sampled
    plain = board_of(rules, scoring, 0, FEATURES[rules.rules], price=1000.0).best((), 1)
    assert len(plain[0].rule.conditions) == 1


def test_a_rule_costs_what_there_is_to_remember(sampled):
    """A threshold each; "exactly" has two, "would score 5 or fewer" counts as two, "nothing" as one."""
    rules, _, scoring, _ = sampled
    board = board_of(rules, scoring, 0, price=1.0)
    known = features(rules.rules)
    count, box = known["count_1"], next(look for look in known.values() if look.scope == "box")
    at_least, at_most = Condition("count_1", 1, count.high), Condition("count_1", 0, 1)
    exactly, none = Condition("count_1", 1, 1), Condition("count_1", 0, 0)
    few, nothing = Condition(box.name, 0, 1), Condition(box.name, 0, 0)
    prices = {at_least: 1, at_most: 1, exactly: 2, none: 1, few: 2, nothing: 1}
    for condition, price in prices.items():
        assert board.price(Rule((condition,), MOST_POINTS)) == price
    both = Rule((exactly, nothing), MOST_POINTS)
    assert board.price(both) == 3
    assert [rule.conditions for rule in board.plainer(both)] == [
        (nothing,), (at_least, nothing), (at_most, nothing), (exactly,),
    ]  # fmt: skip
    assert board.plainer(Rule((at_least,), MOST_POINTS)) == []


SMALL = Effort(decisions=300, rules_per_round=2, passes=1, tries=2)


def search_of(arena, vocabulary="glance", effort=SMALL, seed=1):
    return Search(arena, VOCABULARIES[vocabulary], effort, seed, lambda text: None)


def start_of(game, vocabulary="glance", oracle_keeps=False):
    return empty_list("start", game, VOCABULARIES[vocabulary], rounded_par(shipped_par(game)), oracle_keeps)


@pytest.mark.compiled
def test_growing_backfitting_and_tuning_never_lower_the_mean():
    arena = OwnKeeps(threads=1)
    search = search_of(arena)
    rules = start_of(LOWER_FIRST)
    means = [arena.mean(rules)]
    for step in (search.tune_par, lambda r: search.grow(r, 2), search.backfit, lambda r: search.grow(r, 4)):
        rules = step(rules)
        assert rules.n_rules <= 4
        means.append(arena.mean(rules))
    assert means == sorted(means)
    assert means[-1] > means[0] + 0.1
    assert [n for n, _ in search.history] == sorted(n for n, _ in search.history)
    assert search.history[-1] == (rules.n_rules, pytest.approx(means[-1]))
    assert means[-1] <= solve(LOWER_FIRST).value() + 1e-9


@pytest.mark.compiled
def test_no_rule_stays_that_is_worth_nothing():
    """Two rules that can never fire and a copy are dropped; what stays costs MIN_WORTH or more to drop."""
    arena = OwnKeeps(threads=1)
    search = search_of(arena)
    grown = search.grow(start_of(LOWER_FIRST), 4)
    never = Rule((Condition("count_1", 2, 2), Condition("count_6", 1, 2)), "score Chance")
    copies = [Rule(rule.conditions, rule.move) for rule in grown.scores[:1]]
    padded = grown.with_list(0, (never, *grown.scores, *copies))
    padded = padded.with_list(1, (replace(never, move="keep everything"), *padded.list_of(1)))
    pruned = search.prune(padded)
    assert never not in pruned.scores
    assert pruned.n_rules <= grown.n_rules
    assert arena.mean(pruned) > arena.mean(padded) - MIN_WORTH * (padded.n_rules - pruned.n_rules)
    for level in (0, 1):
        for rule in pruned.list_of(level):
            assert arena.mean(remove(pruned, level, rule)) <= arena.mean(pruned) - MIN_WORTH


def test_a_condition_that_does_not_matter_is_left_out():
    """A box that is open has points or not: the second condition says nothing."""
    arena = OwnKeeps(threads=1)
    search = search_of(arena)
    search.threshold_price = 0.03
    idle = Rule((Condition("has_pair", 1, 1), Condition("boxes_left", 1, 4)), "score One Pair")
    idle = replace(idle, conditions=(idle.conditions[0], Condition("count_1", 0, 1)))
    rules = start_of(LOWER_FIRST).with_list(0, (idle,))
    plain = search.simplify(rules)
    assert [len(rule.conditions) for rule in plain.scores] == [1]
    assert arena.mean(plain) > arena.mean(rules) - search.threshold_price


@pytest.mark.compiled
def test_the_same_seed_finds_the_same_list():
    found = [search_of(OwnKeeps(threads=1), seed=5).reach(start_of(LOWER_FIRST), 2) for _ in range(2)]
    assert found[0].file == found[1].file
    assert found[0].n_rules <= 2


@pytest.mark.parametrize("vocabulary", VOCABULARIES)
def test_a_search_says_only_what_its_vocabulary_has(vocabulary):
    """On the oracle's keeps: no keeps of its own, and only allowed features and moves."""
    arena = OracleKeeps(solve(LOWER_FIRST), threads=1)
    search = search_of(arena, vocabulary, replace(SMALL, decisions=100))
    rules = search.grow(start_of(LOWER_FIRST, vocabulary, oracle_keeps=True), 2)
    assert rules.n_rules
    known = VOCABULARIES[vocabulary]
    names = {look.name for look in known.features(LOWER_FIRST)}
    assert {c.feature for rule in rules.all_rules for c in rule.conditions} <= names
    allowed = {scoring_moves(LOWER_FIRST)[move] for move in known.moves(LOWER_FIRST, "verbs", keeping=False)}
    assert {rule.move for rule in rules.scores} <= allowed
    assert rules.keeps == ((),)
    assert rules.score_default == (ABOVE_PAR if vocabulary in ("par", "glance") else MOST_POINTS)


def test_a_card_looks_only_at_what_is_seen_at_a_glance(rules):
    seen = {look.name for look in find_vocabulary("glance").features(rules)}
    assert not seen & {"par_margin", "par_lead", "upper_total", "sum", "turn"}
    assert {"pace", "boxes_left", "rerolls_left", "open_yatzy", "points_chance", "count_6", "has_pair"} <= seen
    with pytest.raises(
        YatzyError, match=r"^vocabulary: 'rude' is not known; allowed are primitive, rich, par, gl"
    ):
        find_vocabulary("rude")


def test_inserting_and_removing_are_inverse(small_rules):
    rules = random_list(small_rules, 3)
    for level in (0, 1):
        for position in (0, 2, 6):
            rule = Rule((Condition("sum", 7, 7),), MOST_POINTS if level == 0 else "keep everything")
            longer = insert(rules, Found(0.0, level, position, rule, 0.0))
            assert longer.list_of(level)[position] == rule
            assert remove(longer, level, rule).file == rules.file


def test_moving_par_leaves_the_table_it_came_from(small_rules):
    par = random_par(small_rules, np.random.default_rng(1))
    before = par.in_reach.copy(), par.settled.copy()
    moved = moved_par(par, [("in_reach", 1, 2.0), ("settled", 0, -1.0)])
    assert (moved.in_reach - par.in_reach).tolist() == [0, 2, 0, 0]
    assert (moved.settled - par.settled).tolist() == [-1, 0, 0, 0]
    assert np.array_equal(par.in_reach, before[0])
    assert np.array_equal(par.settled, before[1])


@pytest.fixture
def short_path(monkeypatch):
    """A path of two short lists with the oracle's keeps."""
    monkeypatch.setitem(PATHS, "short", Path("rich", True, (1, 2, 5)))
    return "short"


@pytest.mark.compiled
def test_an_induction_goes_on_where_it_was_stopped(short_path, tmp_path):
    table = solve(LOWER_FIRST)
    whole = induce(
        short_path, table, tmp_path / "whole", n_rules=2, effort=SMALL, seed=3, context=Context(threads=1)
    )
    assert list(whole) == ["short-1", "short-2"]
    halved = tmp_path / "halved"
    first = induce(short_path, table, halved, n_rules=1, effort=SMALL, seed=3, context=Context(threads=1))
    stamp = first["short-1"].stat().st_mtime_ns
    said = []
    rest = induce(
        short_path, table, halved, n_rules=2, effort=SMALL, seed=3, context=Context(threads=1, notice=said.append)
    )
    assert said[0] == "short-1: kept"
    assert rest["short-1"].stat().st_mtime_ns == stamp
    for name, file in whole.items():
        found = load_list(file, LOWER_FIRST)
        assert load_list(rest[name], LOWER_FIRST).file == found.file
        assert found.info["mean"] == pytest.approx(visit(ListPlayer(found)).mean, abs=1e-4)
        assert found.n_rules <= int(name[-1])
    said.clear()
    induce(
        short_path, table, halved, n_rules=2, effort=SMALL, seed=3, context=Context(threads=1, notice=said.append)
    )
    assert said == ["short-1: kept", "short-2: kept"]


@pytest.mark.compiled
@pytest.mark.parametrize("what", ["seed", "effort", "broken", "other rules"])
def test_a_list_made_otherwise_is_searched_again(short_path, tmp_path, what):
    table, seed, effort, said = solve(LOWER_FIRST), 3, SMALL, []
    (file,) = induce(
        short_path, table, tmp_path, n_rules=1, effort=SMALL, seed=3, context=Context(threads=1)
    ).values()
    if what == "seed":
        seed = 4
    if what == "effort":
        effort = replace(SMALL, decisions=200)
    if what == "broken":
        file.write_text(file.read_text()[:99])
    if what == "other rules":
        save_list(RuleList("short-1", THREE_DICE, info=load_list(file, LOWER_FIRST).info), file)
    induce(
        short_path,
        table,
        tmp_path,
        n_rules=1,
        effort=effort,
        seed=seed,
        context=Context(threads=1, notice=said.append),
    )
    assert "short-1: kept" not in said
    found = load_list(file, LOWER_FIRST)
    assert (found.info["seed"], found.info["decisions"]) == (seed, effort.decisions)


def test_unknown_paths_are_refused(small_table, tmp_path):
    with pytest.raises(YatzyError, match=r"^path: 'astray' is not known; allowed are card, par, rich"):
        induce("astray", small_table, tmp_path)


OTHER_RULES = {
    "nothing to reroll": replace(LOWER_FIRST, rerolls=0),
    "a bonus out of reach": replace(LOWER_FIRST, bonus_threshold=60),
    "a give-up list": THREE_DICE,
}


@pytest.mark.parametrize("what", OTHER_RULES)
def test_a_search_finds_a_rule_under_other_rules(what):
    """Games without rerolls, or without a box of the give-up list, were once not thought of."""
    arena, game = OwnKeeps(threads=1), OTHER_RULES[what]
    start = start_of(game)
    grown = search_of(arena).grow(start, 1)
    assert grown.n_rules == 1
    assert arena.mean(start) < arena.mean(grown) <= solve(game).value() + 1e-9
