"""Covering: regrets from optimal play, candidate conditions, and the greedy choice where it is known by hand."""

import itertools
from dataclasses import replace

import numpy as np
import pytest

from yatzy.context import Context
from yatzy.errors import YatzyError
from yatzy.game.action import Keep, actions_of
from yatzy.lab.search.covering import (
    NO_VERB,
    Covering,
    CoveringRule,
    Regrets,
    Settings,
    candidate_conditions,
    cover,
    cover_lists,
    first_rules,
    induce_by_covering,
    keeping_regrets,
    scaling_curve,
    scoring_regrets,
)
from yatzy.measure.exact import visit
from yatzy.players.conditions import Condition, feature
from yatzy.players.moves import keep_table, keeping_moves, scoring_moves
from yatzy.players.rule_list import Rule, load_list, parse, save_list
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.rule_list_values import exact_mean
from yatzy.players.situations import exact_situations
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Validated
from yatzy.rules import format_filled
from yatzy.turn.lattice import lattice

INF = np.inf
SMALL = Settings(decisions=400, n_rules=8, least_share=0.005)


def columns(*rows: str) -> np.ndarray:
    """(n, conditions) from one string of 0 and 1 per condition."""
    return np.array([[digit == "1" for digit in row] for row in rows]).T


def once(n: int) -> np.ndarray:
    return np.ones(n, np.int64)


def test_the_least_mean_regret_comes_first_and_its_decisions_leave() -> None:
    """Two conditions that halve four decisions; what is best for one half is not for the other."""
    regret = np.array([[0.0, 5], [0, 5], [3, 1], [3, 0]])
    covering = Covering(columns("1100", "0011"), regret, once(4))
    assert covering.best(1) == CoveringRule(0.0, 2, (0,), 0)
    covering.take((0,), 0)
    assert covering.best(1) == CoveringRule(0.5, 2, (1,), 1)
    assert covering.regret_left().tolist() == [6.0, 1.0]
    covering.take((1,), 1)
    assert covering.best(1) is None


def test_two_conditions_together_when_neither_alone_will_do() -> None:
    regret = np.array([[9.0], [0], [9], [4]])
    covering = Covering(columns("1100", "0110"), regret, once(4))
    assert covering.best(1) == CoveringRule(0.0, 1, (0, 1), 0)
    assert covering.best(2) == CoveringRule(4.5, 2, (0,), 0)


def test_of_equals_the_rule_that_takes_more_then_the_shorter() -> None:
    covering = Covering(columns("1100", "1110", "1111"), np.zeros((4, 1)), once(4))
    assert covering.best(1) == CoveringRule(0.0, 4, (2,), 0)


def test_coverage_counts_what_a_row_stands_for_and_only_where_the_move_applies() -> None:
    regret = np.array([[0.0, INF], [INF, 1.0], [2.0, 1.0]])
    covering = Covering(columns("111"), regret, np.array([5, 1, 1]))
    assert covering.best(1) == CoveringRule(pytest.approx(2 / 6), 6, (0,), 0)
    assert covering.best(7) is None
    covering.take((0,), 0)
    assert covering.best(1) == CoveringRule(1.0, 1, (0,), 1)


@pytest.mark.parametrize("least", [1, 5, 40])
def test_the_greedy_choice_is_that_of_trying_everything(least: int) -> None:
    """Against the plain way, over whole lists; few enough conditions that all pairs are tried."""
    generator = np.random.default_rng(least)
    holds = generator.random((120, 7)) < 0.4
    regret = generator.integers(0, 40, (120, 3)) / 8.0
    regret[generator.random(regret.shape) < 0.2] = INF
    counts = generator.integers(1, 4, 120)
    covering = Covering(holds, regret, counts)
    left = np.ones(120, bool)
    for _ in range(12):
        found = covering.best(least)
        options = []
        for pair in (*((i,) for i in range(7)), *itertools.combinations(range(7), 2)):
            for move in range(3):
                rows = left & holds[:, list(pair)].all(axis=1) & np.isfinite(regret[:, move])
                n = int(counts[rows].sum())
                if n >= least:
                    options.append((float(regret[rows, move] @ counts[rows]) / n, -n))
        if not options:
            assert found is None
            break
        assert found is not None
        mean, taken = min(options)
        assert (found.mean, found.decisions) == (pytest.approx(mean), -taken)
        rows = left & holds[:, list(found.conditions)].all(axis=1) & np.isfinite(regret[:, found.move])
        assert float(regret[rows, found.move] @ counts[rows]) == pytest.approx(found.mean * found.decisions)
        left &= ~rows
        covering.take(found.conditions, found.move)


def test_a_list_of_rules() -> None:
    conditions = [Condition("count_1", 2, 3), Condition("count_1", 0, 1)]
    regret = np.array([[0.0, 5], [0, 5], [3, 1], [3, 0]])
    rules = cover(conditions, Covering(columns("1100", "0011"), regret, once(4)), ("this", "that"), 5, 1)
    assert rules == (Rule((conditions[0],), "this"), Rule((conditions[1],), "that"))
    covering = Covering(columns("1100", "0011"), regret, once(4))
    assert cover(conditions, covering, ("this", "that"), 1, 1) == rules[:1]


def test_conditions_are_yes_no_numbers_and_percentiles_each_once(rules) -> None:
    """One feature of each kind varies; the others are the same everywhere and tell nothing."""
    game = rules
    n = 11
    seen = {name: np.zeros(n, np.int16) for name in _forerunner_features(game)}
    seen["open_yatzy"][:4] = 1
    seen["upper_boxes_left"] = np.array([0, 1, 2] * 3 + [0, 1], np.int16)
    seen["upper_total"] = np.arange(0, 2 * n, 2, dtype=np.int16)
    found, holds = candidate_conditions(game, Regrets(seen, once(n), np.zeros((n, 1))))
    assert {c for c in found if c.feature == "open_yatzy"} == {
        Condition("open_yatzy", 0, 0), Condition("open_yatzy", 1, 1),
    }  # fmt: skip
    most = feature(game, "upper_boxes_left").high
    assert {c for c in found if c.feature == "upper_boxes_left"} == {
        Condition("upper_boxes_left", low, high) for low, high in ((0, 0), (1, 1), (2, 2), (1, most), (0, 1))
    }
    # p10, p25, p50, p75, p90 of 0, 2, .. 20 are 2, 5, 10, 15, 18: at least and at most each.
    assert [(c.low, c.high) for c in found if c.feature == "upper_total"] == [
        (2, 63), (5, 63), (10, 63), (15, 63), (18, 63), (0, 2), (0, 5), (0, 10), (0, 15), (0, 18),
    ]  # fmt: skip
    assert len(found) == holds.shape[1] == len({column.tobytes() for column in holds.T})
    for condition, column in zip(found, holds.T, strict=True):
        numbers = seen[condition.feature]
        assert column.tolist() == ((numbers >= condition.low) & (numbers <= condition.high)).tolist()


def _forerunner_features(game) -> list[str]:
    from yatzy.lab.search.lists import FORERUNNER_GROUPS
    from yatzy.players.conditions import features

    names = [s.name for s in features(game).values() if s.group in FORERUNNER_GROUPS]
    assert len(names) == 56
    return names


@pytest.fixture(scope="module")
def drawn(small_table):
    """Decisions of the small game by rerolls left."""
    optimal = Optimal(small_table)
    visits = visit(optimal).visits
    return [exact_situations(optimal, visits, left, 400, seed=3) for left in range(3)]


def test_regrets_are_those_of_advice(small_table, drawn) -> None:
    game = small_table.rules
    dice = lattice(game.dice, game.faces)
    for left in range(3):
        situations = drawn[left]
        if left:
            regrets, by_grammar = keeping_regrets(small_table, situations)
            masks, names = by_grammar["masks"], keeping_moves(game, "masks")
        else:
            regrets, names = scoring_regrets(small_table, situations), scoring_moves(game)
        assert regrets.counts.sum() == 400
        assert regrets.regret.min(axis=1).tolist() == [0.0] * len(regrets)
        for i in range(0, len(regrets), 17):
            roll = dice.keeps[situations.roll_ids[i]]
            filled = format_filled(game, int(situations.filled[i]))
            advice = small_table.advise(roll, rerolls=left, filled=filled, upper=int(situations.upper[i]))
            found = {one.action: one.regret for one in advice}
            if left == 0:
                expected = [found.get(action, INF) for action in actions_of(game)[: game.n_categories]]
                assert regrets.regret[i].tolist() == pytest.approx(expected)
                continue
            for mask, name in enumerate(names):
                kept = tuple(face for j, face in enumerate(roll) if not mask >> j & 1)
                assert name == f"reroll positions {mask:03b}"
                if kept == roll:
                    # Holding all dice: the next decision, with a reroll fewer, is made as well as can be.
                    later = small_table.advise(
                        roll, rerolls=left - 1, filled=filled, upper=int(situations.upper[i])
                    )
                    assert masks[i, mask] == pytest.approx(advice.value - later.value)
                else:
                    assert masks[i, mask] == pytest.approx(found[Keep(kept)])


def test_verbs_get_999_where_none_is_best(small_table, drawn) -> None:
    game = small_table.rules
    situations = drawn[1]
    regrets, by_grammar = keeping_regrets(small_table, situations)
    kept = keep_table(game, "forerunner")[0]
    slots = lattice(game.dice, game.faces).keeps_in_roll
    punished = by_grammar["verbs"] == NO_VERB
    assert 0 < punished.all(axis=1).sum() < len(regrets)
    for i, roll in enumerate(situations.roll_ids):
        best = set(slots[roll][regrets.regret[i] == 0].tolist())
        assert punished[i].all() == punished[i].any() == best.isdisjoint(kept[:, roll].tolist())
    assert not np.any(by_grammar["masks"] == NO_VERB)


@pytest.fixture(scope="module")
def lists(small_table):
    return cover_lists(small_table, SMALL)


def test_lists_play_and_read_back(lists, small_table) -> None:
    category, verbs, masks = lists
    assert [r.name for r in lists] == ["covering-8", "covering-24-verbs", "covering-24-masks"]
    assert category.oracle_keeps
    assert len(category.scores) == 8
    assert verbs.scores == masks.scores == category.scores
    assert [r.grammar for r in lists[1:]] == ["forerunner", "masks"]
    for rules in lists:
        again = parse(rules.text(), small_table.rules, rules.grammar)
        assert (again.scores, again.keep_default) == (rules.scores, rules.keep_default)
        mean = visit(Validated(ListPlayer(rules))).mean
        assert mean < small_table.value()
        assert exact_mean(ListPlayer(rules)) == pytest.approx(mean, abs=1e-9)


def test_lists_do_not_depend_on_threads(lists, small_table) -> None:
    again = cover_lists(small_table, SMALL, Context(threads=1))
    assert [r.file for r in again] == [r.file for r in lists]


def test_scaling_curve(lists) -> None:
    category, verbs, _ = lists
    curve = dict(scaling_curve(category, (0, 4, 8)))
    assert list(curve) == [0, 4, len(category.scores)]
    assert curve[len(category.scores)] == exact_mean(ListPlayer(category))
    assert curve[0] == exact_mean(ListPlayer(replace(category, scores=())))
    assert curve[0] < curve[len(category.scores)]
    cut = first_rules(verbs, 3)
    assert (len(cut.scores), [len(part) for part in cut.keeps]) == (3, [3, 3])
    assert scaling_curve(verbs, (3,)) == [(9, exact_mean(ListPlayer(cut)))]


def test_files_are_kept_if_made_just_so(small_table, tmp_path) -> None:
    settings, said = Settings(decisions=200, n_rules=2, least_share=0.01), []
    files = induce_by_covering(small_table, tmp_path, settings, Context(notice=said.append))
    assert list(files) == ["covering-2", "covering-6-verbs", "covering-6-masks"]
    for name, file in files.items():
        rules = load_list(file, small_table.rules)
        assert rules.info["mean"] == exact_mean(ListPlayer(rules))
        assert any(line.startswith(f"{name}: {rules.n_rules} rules, ") for line in said)
    before = [file.read_bytes() for file in files.values()]
    said.clear()
    induce_by_covering(small_table, tmp_path, settings, Context(notice=said.append))
    assert said == ["covering-2, covering-6-verbs, covering-6-masks: kept"]
    spoiled = load_list(files["covering-2"], small_table.rules)
    save_list(replace(spoiled, info={}), files["covering-2"])
    induce_by_covering(small_table, tmp_path, settings)
    assert [file.read_bytes() for file in files.values()] == before


@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("n_rules", -1),
        ("n_rules", 1001),
        ("decisions", 0),
        ("seed", -1),
        ("least_share", 1),
        ("least_share", -0.1),
    ],
)
def test_settings_out_of_range(field: str, value: float) -> None:
    with pytest.raises(YatzyError, match="allowed"):
        Settings(**{field: value})
