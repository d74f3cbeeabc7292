"""Review: luck and skill add up to the score, decisions are judged by the table, and the card is asked."""

from dataclasses import dataclass, replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from naive import Expectimax
from yatzy import YatzyError, solve
from yatzy.coach.deck import deck_of
from yatzy.coach.review import CardAdvice, card_policy, review
from yatzy.game.action import Score
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, TurnLog
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Greedy, Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.rules import scandinavian
from yatzy.solver.advise import loss_word


def assert_adds_up(found):
    total = found.start_value + found.luck - found.lost
    assert total == pytest.approx(found.log.score + found.value_left, abs=1e-9)


@settings(max_examples=8)
@given(st.integers(0, 2**32), st.integers(0, 3))
def test_it_adds_up_on_reduced_games(reduced_table, seed, turns):
    """Finished or not, with passes too: random play makes them."""
    log = next(play_logs(Random(reduced_table.rules), 1, seed))
    found = review(log, reduced_table)
    assert_adds_up(found)
    assert found.value_left == 0
    assert_adds_up(review(replace(log, turns=log.turns[:turns]), reduced_table))


@pytest.mark.compiled
@pytest.mark.parametrize("name", ["optimal", "heuristic", "greedy", "random"])
def test_it_adds_up_on_full_games(policy_of, table, name):
    for log in play_logs(policy_of(name), 20, seed=4):
        found = review(log, table)
        assert_adds_up(found)
        assert len(found.decisions) <= 45


@pytest.mark.compiled
@settings(max_examples=30)
@given(st.integers(0, 2**64 - 1), st.integers(0, 10_000), st.integers(0, 15))
def test_it_adds_up_whatever_is_played(table, seed, style, turns):
    log = next(play_logs(Random(table.rules, style), 1, seed))
    assert_adds_up(review(log, table))
    assert_adds_up(review(replace(log, turns=log.turns[:turns]), table))


@pytest.mark.compiled
def test_perfect_play_loses_nothing_and_replays_as_itself(policy_of, table):
    for log in play_logs(policy_of("optimal"), 20, seed=2):
        found = review(log, table)
        assert found.lost == 0
        assert found.words == {
            "perfect": len(found.decisions),
            "fine": 0,
            "inaccuracy": 0,
            "mistake": 0,
            "blunder": 0,
        }
        assert found.mistakes == ()
        assert found.replay.log.turns == log.turns
        assert all(decision.best == decision.played for decision in found.decisions)


@pytest.mark.compiled
def test_the_same_dice_for_all_have_one_replay(policy_of, table):
    """Games of one seed, by whomever, are replayed as the game that optimal play has with it."""
    perfect = [log.turns for log in play_logs(policy_of("optimal"), 8, seed=6)]
    for name in ("heuristic", "random"):
        played = play_logs(policy_of(name), 8, seed=6)
        assert [review(log, table).replay.log.turns for log in played] == perfect


def test_luck_has_mean_zero_whoever_plays(small_table):
    """Within 4 standard errors, for a good, a casual and a mindless player."""
    for policy in (Optimal(small_table), Greedy(small_table.rules), Random(small_table.rules)):
        luck = [review(log, small_table).luck for log in play_logs(policy, 40, seed=3)]
        assert abs(np.mean(luck)) < 4 * np.std(luck, ddof=1) / len(luck) ** 0.5


def test_every_number_is_that_of_the_definition(small_rules, small_table):
    """Against the game by definition, in exact fractions."""
    twin = Expectimax(small_rules)
    for log in play_logs(Random(small_rules), 25, seed=8):
        before = None
        for decision in review(log, small_table).decisions:
            here = decision.situation
            filled, upper, roll = here.state.filled, here.state.upper, here.dice
            assert roll == tuple(sorted(decision.dice))
            if decision.rerolls == small_rules.rerolls:
                before = twin.state(filled, upper)
            best = twin.roll(filled, upper, roll, decision.rerolls)
            if isinstance(decision.played, Score):
                names = [category.name.lower() for category in small_rules.categories]
                value = twin.category(filled, upper, roll, names.index(decision.played.category))
            else:
                value = twin.keep(filled, upper, decision.played.dice, decision.rerolls - 1)
            assert decision.luck == pytest.approx(float(best - before), abs=1e-12)
            assert decision.regret == pytest.approx(float(best - value), abs=1e-12)
            assert decision.value == pytest.approx(float(value), abs=1e-12)
            assert decision.best_value == pytest.approx(float(best), abs=1e-12)
            assert decision.word == loss_word(decision.regret)
            before = value


@pytest.mark.compiled
def test_the_best_is_that_of_advise(policy_of, table):
    for log in play_logs(policy_of("heuristic"), 5, seed=1):
        for decision in review(log, table).decisions:
            advice = table.advise(decision.situation)
            assert decision.best_value == advice.value
            assert decision.best == (decision.played if decision.regret <= 1e-9 else advice.best)
            assert advice.of(decision.played).value == decision.value


def test_a_tie_is_perfect():
    """With one throw of one face there is nothing to choose: every box is as good as any other."""
    from yatzy.rules import Category, Ruleset, scoring

    boxes = (Category("Left", scoring.total), Category("Right", scoring.total))
    rules = Ruleset("tie", dice=2, faces=1, rerolls=0, categories=boxes)
    log = GameLog(rules, (TurnLog(((1, 1),), (), "right"), TurnLog(((1, 1),), (), "left")))
    found = review(log, solve(rules))
    assert [(d.word, d.played, d.best) for d in found.decisions] == [
        ("perfect", Score("right"), Score("right")),
        ("perfect", Score("left"), Score("left")),
    ]


def test_the_biggest_mistakes_come_worst_first(small_table):
    for log in play_logs(Random(small_table.rules), 20, seed=5):
        found = review(log, small_table)
        lost = sorted((d.regret for d in found.decisions if d.regret > 1e-9), reverse=True)
        assert [decision.regret for decision in found.mistakes] == lost[:3]
        assert sum(found.words.values()) == len(found.decisions)


@dataclass(frozen=True)
class Talking(Heuristic):
    """Says what it looks at."""

    name: str = "talking"

    def explain(self, filled: int, upper: int, roll_id: int, rerolls: int) -> str:
        return f"rule for {self.rules.rolls[roll_id]} with {rerolls}"


def test_the_card_is_asked(small_table):
    """What it plays is judged like what was played, and it may say why."""
    rules = small_table.rules
    own = next(play_logs(Heuristic(rules), 1, seed=3))
    for decision in review(own, small_table, Heuristic(rules)).decisions:
        assert decision.card == CardAdvice("heuristic", decision.played, decision.regret, decision.situation, None)
        assert decision.card.rule is None
    other = next(play_logs(Random(rules), 1, seed=3))
    for decision in review(other, small_table, Talking(rules)).decisions:
        assert decision.card.rule == f"rule for {tuple(sorted(decision.dice))} with {decision.rerolls}"
        own_regret = small_table.advise(decision.situation).of(decision.card.action).regret
        assert decision.card.regret == pytest.approx(own_regret, abs=1e-12)


def test_without_a_card_nothing_is_said(small_table):
    log = next(play_logs(Random(small_table.rules), 1))
    assert all(decision.card is None for decision in review(log, small_table).decisions)


def test_there_is_no_card_for_other_rules(small_rules):
    assert card_policy(small_rules) is None


def test_an_empty_game(small_table):
    found = review(GameLog(small_table.rules, ()), small_table)
    assert (found.decisions, found.luck, found.lost) == ((), 0, 0)
    assert found.value_left == found.start_value
    assert found.replay.log.turns == ()
    assert as_json(found)["turns"] == []


def test_review_as_json(small_table):
    log = next(play_logs(Random(small_table.rules), 1, seed=7))
    found = review(log, small_table, Talking(small_table.rules))
    told = as_json(found)
    assert [(turn["turn"], turn["points"]) for turn in told["turns"]] == list(enumerate(log.points, start=1))
    assert sum(turn["luck"] for turn in told["turns"]) == pytest.approx(told["luck"], abs=1e-12)
    assert sum(turn["lost"] for turn in told["turns"]) == pytest.approx(told["lost"], abs=1e-12)
    assert told["decisions"][0]["expected"] == pytest.approx(told["start_value"], abs=1e-12)
    assert told["decisions"][0]["card"]["policy"] == "talking"
    assert [mistake["regret"] for mistake in told["mistakes"]] == [d.regret for d in found.mistakes]
    assert told["replay"]["score"] == found.replay.score
    # What a turn is expected to bring, its luck and its losses lead to what the next one is expected to bring.
    after = [turn["expected"] for turn in told["turns"][1:]] + [log.score]
    for turn, then in zip(told["turns"], after, strict=True):
        assert turn["expected"] + turn["luck"] - turn["lost"] == pytest.approx(then, abs=1e-9)


def test_what_does_not_fit_is_refused(small_table, small_rules):
    log = next(play_logs(Random(small_rules), 1))
    with pytest.raises(YatzyError, match=r"^theta: 0\.1 is not allowed; allowed is 0, a table by which luck"):
        review(log, solve(small_rules, 0.1))
    with pytest.raises(YatzyError, match="rules: 'scandinavian' is what was played; the table is for 'three-d"):
        review(GameLog(scandinavian(), ()), small_table)
    with pytest.raises(YatzyError, match="the card is for 'scandinavian'"):
        review(log, small_table, Heuristic(scandinavian()))


def warned_of(log, table, seed):
    """The log as if the coach had warned of half of the decisions, about anything that could be done."""
    rng = np.random.default_rng(seed)
    decisions = iter(review(log, table).decisions)
    turns = []
    for turn in log.turns:
        wanted = []
        for _ in turn.rolls:
            options = [one.action for one in table.advise(next(decisions).situation)]
            wanted.append(options[rng.integers(len(options))] if rng.random() < 0.5 else None)
        turns.append(replace(turn, wanted=tuple(wanted) if any(wanted) else ()))
    return replace(log, turns=tuple(turns))


def test_the_first_intention_counts_and_what_was_spared_is_told_apart(small_table):
    for seed, log in enumerate(play_logs(Random(small_table.rules), 30, seed=6)):
        played, found = review(log, small_table), review(warned_of(log, small_table, seed), small_table)
        assert found.luck == played.luck
        assert found.lost - found.spared == pytest.approx(played.lost, abs=1e-12)
        total = found.start_value + found.luck - found.lost + found.spared
        assert total == pytest.approx(found.log.score, abs=1e-9)
        for was, now in zip(played.decisions, found.decisions, strict=True):
            advice = small_table.advise(now.situation)
            assert (now.played, now.value) == (was.played, was.value)
            # Who holds all dice scores them a throw later, which advice has no name for.
            regret = advice.of(now.judged).regret if now.wanted else was.regret
            assert now.regret == pytest.approx(regret, abs=1e-12)
            assert now.spared == pytest.approx(now.regret - was.regret, abs=1e-12)
            assert now.word == loss_word(now.regret)
            assert now.wanted or (now.spared, now.judged) == (0, was.played)
        for was, turn in zip(played.turns, found.turns, strict=True):
            assert turn.lost - turn.spared == pytest.approx(was.lost, abs=1e-12)
        assert as_json(played)["spared"] == 0
        assert all("wanted" not in one and "spared" not in one for one in as_json(played)["decisions"])
    assert any(one.wanted for one in found.decisions)


def test_practice_asks_for_what_was_wanted_first(small_table):
    found = review(warned_of(next(play_logs(Random(small_table.rules), 1, seed=6)), small_table, 3), small_table)
    asked = {card.at: (card.played, card.lost) for card in deck_of([found], 100)}
    mistakes = [one for one in found.decisions if one.wanted and one.regret >= 0.5]
    assert mistakes
    assert all(asked[one.situation] == (one.wanted, one.regret) for one in mistakes)
