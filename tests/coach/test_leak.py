"""Leaks: planted habits are found, players without any are not accused, and a deck trains what it says."""

from collections import Counter
from dataclasses import replace
from datetime import date
from statistics import fmean, stdev

import numpy as np
import pytest

import yatzy
from conftest import COMPUTE
from games import ALL_ALIKE, ONES, RUN, THREE_DICE, TWOS
from planted import BETAS, Planted, planted_players, play_planted
from yatzy import Keep, Ruleset, Score, ValueTable, YatzyError, action_values, solve
from yatzy.coach.deck import anki_text, is_well
from yatzy.coach.leak import (
    LEAK_NAMES,
    MIN_GAMES,
    SURE,
    Choices,
    Evidence,
    answers_of,
    chances_without_habits,
    choices_in,
    evidence_of,
    leaks_in,
    score_test,
    training_deck,
)
from yatzy.game.aim import Aim
from yatzy.game.log import GameLog
from yatzy.game.situation import Situation
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Greedy
from yatzy.policies.optimal import Optimal

HABITS = ["ignores-bonus", "chases-yatzy", "breaks-pairs", "points-now", "chases-straights", "crosses-out-late"]
# A game with something to believe of every kind.
GAME = Ruleset("believers", 3, 4, 2, categories=(ONES, TWOS, RUN, ALL_ALIKE), bonus_threshold=5, bonus=9)


def player_with(habit: str | None) -> Planted:
    return next(one for one in planted_players() if one.habit == habit)


@pytest.mark.compiled
@pytest.mark.parametrize("habit", [*HABITS, None])
def test_a_planted_habit_is_named_and_who_has_none_is_not_accused(habit: str | None):
    """Twenty histories at each of three strengths with YATZY_COMPUTE, else three at the middle one."""
    histories, betas = (20, BETAS) if COMPUTE else (3, BETAS[1:2])
    table = solve("scandinavian")
    for beta in betas:
        played = play_planted(player_with(habit), beta, histories * MIN_GAMES, seed=34)
        found: Counter[str | None] = Counter()
        for i in range(histories):
            mine = Choices(*(column[played.games // MIN_GAMES == i] for column in played))
            told = leaks_in(table.rules, evidence_of(table, mine)).found
            found[told.habit if told else None] += 1
        missed = (0 if habit is None else 1) if histories < 20 else 1 if habit is None else 2
        assert found[habit] >= histories - missed, (beta, found)


@pytest.mark.compiled
@pytest.mark.parametrize("habit", HABITS)
def test_a_deck_holds_situations_in_which_the_planted_habit_costs(habit: str):
    """Judged by the planted player, who believes something else than `coach.leak` does."""
    table, player = solve("scandinavian"), player_with(habit)
    cards = training_deck(habit, table, 40, seed=5)
    again = training_deck(habit, table, 40, seed=6, known=[card.at for card in cards])
    assert not {card.at for card in cards} & {card.at for card in again}
    wrong = [card for card in cards if not is_well(card.lost)]
    assert len(wrong) == 20
    lost = [regret_of(player, table, card.at) for card in wrong]
    right = [regret_of(player, table, card.at) for card in cards if is_well(card.lost)]
    assert sum(one > 0.05 for one in lost) >= 3
    assert fmean(lost) > 5 * fmean(right)


def regret_of(player: Planted, table: ValueTable, at: Situation) -> float:
    """What the player loses who takes what it likes best."""
    asked = at.state.filled, at.state.upper, at.roll_id, at.rerolls
    liked, worth = action_values(player.table, *asked), action_values(table, *asked)
    likes, values = (np.concatenate([one.category, one.keep], axis=1) for one in (liked, worth))
    if player.dislike:
        likes = likes - player.dislike(at.rerolls, np.array([at.roll_id]), liked.keep_ids)
    return float(np.nanmax(values) - values[0, np.nanargmax(likes)])


@pytest.fixture(scope="module")
def table() -> ValueTable:
    return solve(GAME)


@pytest.fixture(scope="module")
def logs(table: ValueTable) -> list[GameLog]:
    return list(play_logs(Greedy(GAME), MIN_GAMES, seed=3))


@pytest.fixture(scope="module")
def evidence(table: ValueTable, logs: list[GameLog]) -> Evidence:
    return evidence_of(table, choices_in(GAME, logs))


def test_pulls_are_differences_to_other_advice(table: ValueTable):
    """The slow way: advice in the game without its bonus, of a table worth half, and the rules by hand."""
    heres = [
        Situation.parse(text, GAME)
        for text in ("1 1 3 | 1 | - @ 0", "2 2 4 | 0 | ones @ 1", "1 3 3 | 2 | ones @ 0")
    ]
    asked = [(here, table.advise(here).best) for here in heres]
    found = evidence_of(table, choices_in(GAME, [], asked))
    without = solve(replace(GAME, name="without", bonus=0))
    half = ValueTable(GAME, 0.0, np.asarray(table.stored) / 2)
    for i, here in enumerate(heres):
        advice = table.advise(here)
        assert np.isfinite(found.behind[i]).sum() == len(advice)
        for belief, other in (("bonus", without), ("now", half)):
            believed = {one.action: one.value for one in other.advise(Situation.parse(str(here), other.rules))}
            pulls = {one.action: believed[one.action] - one.value for one in advice}
            for slot in np.flatnonzero(np.isfinite(found.behind[i])).tolist():
                action = Evidence.action(GAME, here.roll_id, slot)
                assert found.behind[i, slot] == pytest.approx(advice.of(action).regret, abs=1e-9)
                assert found.pulls[belief][i, slot] == pytest.approx(pulls[action], abs=1e-9)
    said = {
        str(Evidence.action(GAME, heres[1].roll_id, slot)): found.pulls["crossing"][1, slot]
        for slot in np.flatnonzero(np.isfinite(found.behind[1])).tolist()
    }
    assert said == {"score twos": 0, "score run": -10, "score all alike": -10}
    breaking = {
        str(Evidence.action(GAME, heres[0].roll_id, slot))
        for slot in np.flatnonzero(np.isfinite(found.behind[0]) & (found.pulls["pairs"][0] > 0)).tolist()
    }
    assert breaking == {"keep nothing", "keep 1", "keep 3", "keep 1 3"}


def test_beliefs_about_boxes(table: ValueTable):
    """A run scored now is worth twice its points to who chases runs, all alike three times."""
    run, alike = (Situation.parse(text, GAME) for text in ("1 2 3 | 0 | ones @ 0", "4 4 4 | 0 | ones @ 0"))
    found = evidence_of(table, choices_in(GAME, [], [(run, Score("run")), (alike, Score("all alike"))]))
    assert found.pulls["straights"][0, found.chosen[0]] == pytest.approx(9)
    assert found.pulls["yatzy"][1, found.chosen[1]] == pytest.approx(20)
    assert found.pulls["yatzy"][0].tolist() == pytest.approx([0] * found.behind.shape[1])


def test_the_player_without_habits_loses_as_much(evidence: Evidence):
    """In each class of rerolls, beta is fitted so that just as much is lost."""
    chances = chances_without_habits(evidence)
    known = np.where(np.isfinite(evidence.behind), evidence.behind, 0.0)
    assert chances.sum(axis=1) == pytest.approx(np.ones(len(chances)))
    for left in range(3):
        mine = evidence.rerolls == left
        lost = known[np.arange(len(known)), evidence.chosen][mine].sum()
        assert (chances[mine] * known[mine]).sum() == pytest.approx(lost, rel=1e-6)


def test_chance_alone_gives_a_z_of_zero_and_a_spread_of_one(evidence: Evidence):
    chances = chances_without_habits(evidence)
    rng, found = np.random.default_rng(1), []
    for _ in range(60):
        drawn = (chances.cumsum(axis=1) < rng.random((len(chances), 1))).sum(axis=1)
        other = replace(evidence, chosen=np.minimum(drawn, chances.shape[1] - 1))
        again = chances_without_habits(other)
        found.append([score_test(other, again, other.pull_of(name))[1] for name in LEAK_NAMES[::2]])
    for column in zip(*found, strict=True):
        assert abs(fmean(column)) < 4 / np.sqrt(60)
        assert 0.7 < stdev(column) < 1.3


def test_mistakes_that_follow_a_habit_lose_and_look_better_to_who_has_it(evidence: Evidence):
    for name in LEAK_NAMES:
        pull = evidence.pull_of(name)
        follows = evidence.follows(pull)
        rows, slots = np.nonzero(follows)
        best = evidence.behind.argmin(axis=1)[rows]
        assert (evidence.behind[rows, slots] > 0).all()
        assert (pull[rows, slots] - evidence.behind[rows, slots] > pull[rows, best] - 1e-9).all()


def test_what_is_told(logs: list[GameLog]):
    found = yatzy.leaks(logs)
    assert (found.games, found.missing) == (MIN_GAMES, 0)
    assert found.lost == pytest.approx(fmean(yatzy.level(logs).history))
    assert found.found.habit == "chases-straights"
    assert found.found.z > SURE
    assert found.text.startswith("You hold on to straights for too long. Such mistakes cost ")
    assert repr(found) == "<Leaks in 20 games of believers: chases-straights>"
    assert found.found.sentence in found._repr_html_()
    costs = [one.costs for one in found.habits]
    assert costs == sorted(costs, reverse=True)
    for one in found.habits:
        assert one.mistakes <= one.tempted
        assert one.lost_each >= 0
    evidence = evidence_of(solve(GAME), choices_in(GAME, logs))
    taken = (evidence.pulls["straights"] - evidence.behind).argmax(axis=1)
    rows = np.arange(len(taken))
    costs = evidence.behind[rows, taken] >= 0.5
    lost = evidence.behind[rows, evidence.chosen][costs]
    assert found.found.lost_each == pytest.approx(lost.mean())


def test_too_few_games_name_nothing(logs: list[GameLog]):
    found = yatzy.leaks(logs[:19])
    assert (found.found, found.missing) == (None, 1)
    assert found.text == "It takes 1 more game to tell a habit from chance."
    assert repr(found) == "<Leaks in 19 games of believers: 1 more needed>"


def test_perfect_play_has_no_habit(table: ValueTable):
    found = yatzy.leaks(play_logs(Optimal(table), MIN_GAMES, seed=3))
    assert found.found is None
    assert found.text == "No habit stands out from chance in 20 games."
    assert found.lost == pytest.approx(0, abs=1e-9)


def test_what_was_wanted_first_counts_and_other_goals_do_not(logs: list[GameLog]):
    log = logs[0]
    first = log.turns[0]
    assert len(choices_in(GAME, [log]).actions) > len(first.rolls)
    wanted = Score("all alike")
    warned = replace(
        log, turns=(replace(first, wanted=(wanted, *[None] * (len(first.rolls) - 1))), *log.turns[1:])
    )
    assert choices_in(GAME, [warned]).actions[0] == 3
    aimed = log.with_aim(Aim(target=20))
    assert len(choices_in(GAME, [aimed]).actions) == 0


def test_only_games_that_somebody_finished_count(logs: list[GameLog]):
    with pytest.raises(YatzyError, match="none that a person finished"):
        yatzy.leaks([replace(logs[0], policy="greedy"), replace(logs[1], turns=logs[1].turns[:2])])


def test_answers_count_as_decisions_but_not_as_games(logs: list[GameLog], table: ValueTable):
    here = Situation.parse("1 2 4 | 2 | - @ 0", GAME)
    before, after = yatzy.leaks(logs), yatzy.leaks(logs, [(here, Keep((4,)))] * 3)
    assert (after.games, after.decisions, after.lost) == (before.games, before.decisions + 3, before.lost)
    card = training_deck("points-now", table, 4)[0]
    tried = replace(card, habit=None).answered(0.0, date(2026, 2, 7), Keep())
    assert answers_of([tried, replace(tried, habit="points-now")]) == [(tried.at, Keep())]


def test_a_deck_has_as_many_right_ones_and_nothing_twice(table: ValueTable):
    cards = training_deck("points-now", table, 8, seed=1)
    assert sum(not is_well(card.lost) for card in cards) == 4
    assert len({card.at for card in cards}) == 8
    for card in cards:
        assert card.habit == "points-now"
        assert table.advise(card.at).of(card.played).regret == pytest.approx(card.lost, abs=1e-9)
    later = training_deck("points-now", table, 8, seed=2, known=[card.at for card in cards])
    assert not {card.at for card in cards} & {card.at for card in later}


def test_a_habit_that_a_game_has_no_place_for():
    with pytest.raises(YatzyError, match="has no place in three-dice"):
        training_deck("chases-yatzy", solve(THREE_DICE), 4)
    found = yatzy.leaks(play_logs(Greedy(THREE_DICE), 2))
    assert {"chases-yatzy", "neglects-yatzy"}.isdisjoint(one.habit for one in found.habits)


def test_anki_has_a_line_for_each_card(table: ValueTable):
    card = training_deck("points-now", table, 1)[0]
    text = anki_text([(card, "keep 4\n1 < 2\tbecause")])
    *head, line = text.splitlines()
    assert head == ["#separator:tab", "#html:true", "#columns:Front\tBack"]
    front, back = line.split("\t")
    assert front.startswith("<b>" + " ".join(map(str, card.at.dice)) + "</b><br>")
    assert "open: " in front
    assert back == "keep 4<br>1 &lt; 2 because"
