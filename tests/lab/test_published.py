"""A sample of every published result, computed again: a wrong published number fails here.

What takes seconds is computed whole; of the others one theta, one model, one chart, one stop of one learner, ...
`yatzy reproduce all` computes everything.
"""

import json
import math
from collections.abc import Callable
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from yatzy import ValueTable, __version__
from yatzy.coach.profile import HabitEvaluator, Habits
from yatzy.coach.quiz import read_quiz
from yatzy.context import Context
from yatzy.game.json import as_json, from_json
from yatzy.game.situation import Situation
from yatzy.lab.studies import games, learning, profile
from yatzy.lab.studies.decisions import _layers
from yatzy.lab.studies.duel import win_rate
from yatzy.lab.studies.levels import game_levels
from yatzy.lab.studies.profile import recover
from yatzy.lab.studies.reproduce import STUDIES, differences, find_study, published_results, result_types
from yatzy.lab.studies.results import read_result, result_content
from yatzy.lab.studies.sweep import evaluate_theta
from yatzy.measure.exact import Evaluation, visit
from yatzy.players.chart_player import ChartPlayer, play_chart
from yatzy.players.library import find_chart, find_list
from yatzy.players.rule_list_player import ListPlayer
from yatzy.players.rule_list_values import exact_mean
from yatzy.policies.opponents import LEVELS, Opponent
from yatzy.policies.optimal import Optimal
from yatzy.policies.registry import find_policy
from yatzy.rules import Ruleset, State, parse_category, ruleset
from yatzy.sealed import is_sealed
from yatzy.solver.exact import exact_value, solve_exactly
from yatzy.solver.from_here import advise_for_target
from yatzy.solver.goal import reach as reach_goal
from yatzy.solver.goals import solve_goal
from yatzy.solver.lookahead import full_depth

RESULTS = Path(__file__).parents[2] / "results"
WHOLE = (
    "statespace", "small-game", "opening-turn", "quiz", "reported", "game-spray", "bonus", "distribution",
    "populations", "heuristic-gap",
)  # fmt: skip


def content_of(study: str) -> Any:
    found = read_result(RESULTS / f"{study}.json")
    assert found is not None
    return found[1]


def one(items: list[dict[str, Any]], **values: Any) -> dict[str, Any]:
    (found,) = [item for item in items if all(item[key] == value for key, value in values.items())]
    return found


# What is published.


@pytest.mark.parametrize("study", STUDIES)
def test_a_result_is_its_type(study: str) -> None:
    """Read by its class and written again, a published file is the same, and so is all that is derived."""
    path = RESULTS / f"{study}.json"
    assert is_sealed(json.loads(path.read_text()))
    provenance, content = read_result(path) or pytest.fail(f"{path} cannot be read")
    result: Any = from_json(result_types()[study], content)
    assert list(differences(content, result_content(study, provenance, result))) == []
    assert provenance.fingerprint == ruleset(provenance.rules).fingerprint
    assert provenance.seed == STUDIES[study].seed
    assert tuple(map(int, provenance.version.split("."))) <= tuple(map(int, __version__.split(".")[:3]))
    assert len(provenance.commit or "") == 40


def test_every_study_is_published() -> None:
    assert {path.stem for path in RESULTS.glob("*.json")} == set(STUDIES)
    assert all(told.provenance for told in published_results(RESULTS))


def test_the_table_has_the_version_and_the_commit_too() -> None:
    import polars as pl

    provenance, content = read_result(RESULTS / "compression.json") or pytest.fail("no compression.json")
    told = pl.read_parquet_metadata(RESULTS / "compression.parquet")
    assert (told["version"], told["commit"]) == (provenance.version, provenance.commit)
    rows = pl.read_parquet(RESULTS / "compression.parquet").to_dicts()
    assert list(differences(content["models"], rows)) == []


# Samples.


def check(published: Any, computed: Any) -> None:
    assert list(differences(published, computed)) == []


@pytest.mark.compiled
@pytest.mark.usefixtures("evaluated_once")
@pytest.mark.parametrize("study", WHOLE)
def test_a_result_is_computed_again(study: str, home: Path) -> None:
    result: Any = find_study(study).function(context=Context(home))
    check({key: value for key, value in content_of(study).items() if key in as_json(result)}, as_json(result))


@pytest.mark.compiled
@pytest.mark.parametrize("theta", [-0.05, 0.01])
def test_a_theta_of_the_sweep(theta: float) -> None:
    check(one(content_of("sweep")["points"], theta=theta), as_json(evaluate_theta(theta)))


@pytest.mark.compiled
def test_a_game_of_all_games(table: ValueTable, home: Path) -> None:
    found = games._measure(ruleset("yacht"), Optimal(table), Context(home, progress=lambda *_: None))
    published = one(content_of("games")["games"], rules="yacht")
    # A residue of rounding.
    check(published | {"recomputed": 0.0}, as_json(found) | {"recomputed": 0.0})
    scandinavian = one(content_of("games")["games"], rules="scandinavian")
    assert scandinavian["value"] == pytest.approx(table.value(), abs=1e-9)


@pytest.mark.compiled
def test_decisions_by_filled_boxes(table: ValueTable, evaluation_of: Callable[..., Evaluation]) -> None:
    found, exact = content_of("decisions"), evaluation_of("optimal")
    check(found["layers"], [as_json(layer) for layer in _layers(table, exact.visits)])
    assert found["sd"] == pytest.approx(exact.sd, abs=1e-9)


@pytest.mark.compiled
def test_both_precisions(table: ValueTable, table_float32: ValueTable) -> None:
    found = content_of("precision")
    unfinished = ~table.rules.is_finished(table.space.masks)
    error = np.abs(table_float32.stored.astype(np.float64) - table.stored)[unfinished]
    error = error[~np.isnan(error)]
    assert (found["states"], found["largest_error"]) == (len(error), pytest.approx(error.max(), abs=1e-9))
    assert found["mean_error"] == pytest.approx(error.mean(), abs=1e-9)
    values = table.value(), float(table_float32.value()), table.value() - visit(Optimal(table_float32)).mean
    assert [found["value"], found["value_float32"], found["mean_lost"]] == pytest.approx(values, abs=1e-9)


@pytest.mark.compiled
def test_a_model(table: ValueTable, evaluation_of: Callable[..., Evaluation]) -> None:
    found = content_of("compression")
    assert found["optimal_mean"] == pytest.approx(table.value(), abs=1e-9)
    mean = visit(find_policy("value-18")).mean
    assert one(found["models"], name="value-18")["mean"] == pytest.approx(mean, abs=1e-9)
    by_hand, exact = one(found["models"], name="heuristic"), evaluation_of("heuristic")
    assert [by_hand[key] for key in ("mean", "sd", "bonus_rate", "yatzy_rate")] == pytest.approx(
        [exact.mean, exact.sd, exact.bonus_rate, exact.yatzy_rate], abs=1e-9
    )


@pytest.mark.compiled
def test_a_rule_list_and_a_chart(table: ValueTable) -> None:
    mean = exact_mean(ListPlayer(find_list("card-20")))
    (by_rosetta,) = [one for one in content_of("rosetta")["lists"] if one["strength"]["name"] == "card-20"]
    assert by_rosetta["strength"]["mean"] == pytest.approx(mean, abs=1e-9)
    carried = content_of("charts")["carried"]
    assert one(carried, name="card-20")["mean"] == pytest.approx(mean, abs=1e-9)
    chart, played = one(carried, name="chart-20"), play_chart(ChartPlayer(find_chart("chart-20"), table=table))
    assert [chart["mean"], *chart["reads_by_rerolls"]] == pytest.approx([played.mean, *played.reads], abs=1e-9)


@pytest.mark.compiled
@pytest.mark.parametrize("learner", learning.LEARNERS, ids=lambda learner: learner.name)
def test_the_first_stops_of_a_learner(learner: learning.Learner) -> None:
    found = learning.follow(learner, ruleset(), learning.STOPS[:1], Context(progress=lambda *_: None))
    published = one(content_of("learning")["learners"], name=learner.name)["points"]
    check(published[:1], as_json(found))


@pytest.mark.compiled
def test_what_the_quiz_finds_and_what_a_habit_costs(rules: Ruleset) -> None:
    found, quiz = content_of("profile"), read_quiz()
    check(found["on_grid"], as_json(recover(quiz, profile.ON_GRID, profile.SEED)))
    assert found["bits"] == pytest.approx(sum(question.tells for question in quiz.questions), abs=1e-9)
    measuring, full = HabitEvaluator(rules, None), full_depth(rules)
    for habit, habits in (("gamma", Habits(0.0, 1.0, 0.3, full)), ("depth", Habits(0.0, 1.0, 1.0, 1))):
        step = one(found["ladders"], habit=habit, number=getattr(habits, habit))
        assert step["mean"] == pytest.approx(measuring.mean_of_best(habits), abs=1e-9)


@pytest.mark.compiled
def test_targets(table: ValueTable, evaluation_of: Callable[..., Evaluation]) -> None:
    """The exact curves beside the best one; and every change, solved from there."""
    found, sweep = content_of("reach"), content_of("sweep")["points"]
    curve, scores = found["curve"], evaluation_of("optimal").distribution
    n = len(curve["best"])
    assert curve["for_mean"] == pytest.approx([scores.at_least(target) for target in range(n)], abs=1e-9)
    by_theta = np.array([np.cumsum(point["pmf"][:n][::-1])[::-1] for point in sweep])
    assert curve["for_theta"] == pytest.approx(np.minimum(by_theta.max(axis=0), 1), abs=1e-9)
    assert (np.diff(curve["best"]) <= 0).all()
    assert (np.array(curve["best"]) >= np.array(curve["for_theta"]) - 1e-12).all()
    for told in found["changes"]:
        opened = [parse_category(table.rules, name) for name in told["open"]]
        state = State(table.rules.all_filled - sum(1 << box for box in opened), told["upper"])
        chances = solve_goal(table.rules, reach_goal(), state, precision="float64")
        actions = advise_for_target(
            chances,
            table,
            Situation.of(table.rules, told["dice"], told["rerolls"], state),
            told["points"],
            told["target"],
        )
        by_text = {str(action.action): action.chance for action in actions}
        assert by_text[told["for_target"]] == pytest.approx(told["chance"], abs=1e-6)
        assert by_text[told["for_mean"]] == pytest.approx(told["chance_for_mean"], abs=1e-6)
    for told in found["followed"]:
        assert told["chance"] == pytest.approx(curve["best"][told["target"]], abs=1e-5)
        assert told["cost"] == pytest.approx(found["mean"] - told["mean"], abs=1e-9)


@pytest.mark.compiled
def test_levels(table: ValueTable, evaluation_of: Callable[..., Evaluation], home: Path) -> None:
    """Perfect play, a bot and an opponent of one game; and every level of the smallest."""
    scandinavian = one(content_of("levels")["games"], rules="scandinavian")
    assert scandinavian["best"] == pytest.approx(table.value(), abs=1e-9)
    greedy = one(scandinavian["references"], player="greedy")
    assert greedy["mean"] == pytest.approx(evaluation_of("greedy").mean, abs=1e-9)
    mean = visit(Opponent(table, 4.0)).mean
    assert scandinavian["means"][scandinavian["limits"].index(4.0)] == pytest.approx(mean, abs=1e-9)
    limits = tuple(LEVELS.values())
    yacht, found = (
        one(content_of("levels")["games"], rules="yacht"),
        game_levels(ruleset("yacht"), limits, Context(home)),
    )
    check([yacht["means"][yacht["limits"].index(limit)] for limit in limits], list(found.means))
    check([yacht["best"], yacht["references"]], [found.best, as_json(list(found.references))])


@pytest.mark.compiled
def test_exact_values(table: ValueTable, evaluation_of: Callable[..., Evaluation], home: Path) -> None:
    """A fraction anew, the published one against float64 and its digits, and rates against exact evaluation."""
    content = content_of("exact")
    yacht = one(content["values"], rules="yacht")
    check(yacht, as_json(exact_value(ruleset("yacht"), solve_exactly("yacht", context=Context(home)).value())))
    for found in content["values"]:
        assert Fraction(int(found["numerator"]), int(found["denominator"])) >= Fraction(found["digits"])
        assert found["value"] == pytest.approx(float(found["digits"]), abs=1e-12)
    start = Fraction(content["values"][0]["digits"])
    assert content["error"]["start"] == pytest.approx(float(Fraction(table.value()) - start), abs=1e-20)
    free = one(content["values"], rules="yahtzee+free-joker")
    published = content["published"]
    digits = [len(free["numerator"]), len(free["denominator"])]
    assert digits == [published["numerator_digits"], published["denominator_digits"]]
    optimal = evaluation_of("optimal")
    assert [content["bonus"]["value"], content["yatzy"]["value"]] == pytest.approx(
        [optimal.bonus_rate, optimal.yatzy_rate], abs=1e-9
    )


@pytest.mark.compiled
def test_duels(evaluation_of: Callable[..., Evaluation]) -> None:
    """What is exact in them; and what was played is what was won, lost and tied on the same dice."""
    found, scores = content_of("duel"), evaluation_of("optimal").distribution.pmf
    points = content_of("sweep")["points"]
    by_theta = {point["theta"]: win_rate(np.array(point["pmf"]), scores) for point in points}
    blind = found["blind"]
    assert blind["tie_of_equals"] == pytest.approx(float(scores @ scores), abs=1e-9)
    assert blind["by_theta"] == pytest.approx({f"{x:g}": rate for x, rate in by_theta.items() if x}, abs=1e-9)
    assert blind["theta_rate"] == max(blind["by_theta"].values()) < blind["best_rate"]
    best = np.append(content_of("reach")["curve"]["best"], 0.0)
    known = float(scores @ best[1 : len(scores) + 1]), float(scores @ best[: len(scores)])
    assert (found["known"]["win"], found["known"]["win_or_tie"]) == pytest.approx(known, abs=1e-9)
    for told in found["played"]:
        wins = told["win_rate"] - told["tie_rate"] / 2
        assert told["decided_rate"] == pytest.approx(wins / (1 - told["tie_rate"]), abs=1e-9)
        error = math.sqrt((wins + told["tie_rate"] / 4 - told["win_rate"] ** 2) / told["games"])
        assert told["standard_error"] == pytest.approx(error, abs=1e-9)
        if not told["moves_first"]:
            gain = told["win_rate"] - one(found["played"], player="for the mean")["win_rate"]
            assert told["gain"] == pytest.approx(gain, abs=1e-9)
    assert abs(one(found["played"], player="for the mean")["win_rate"] - 0.5) < 4 * 0.000353
