"""The studies of optimal play: against published figures and naive twins; and how their results are kept."""

import json
import math
import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games import FIVE_FACES, LOWER_FIRST, THREE_DICE, TINY
from naive import Faces, after_scoring
from naive_regret import Judged
from yatzy import ValueTable, YatzyError, __version__
from yatzy.cli import main
from yatzy.context import Context
from yatzy.game.json import as_json, check_json
from yatzy.lab.studies import reproduce as reproducing
from yatzy.lab.studies import sweep as sweeping
from yatzy.lab.studies.reproduce import STUDIES, find_study, reproduce
from yatzy.lab.studies.results import Claim, commit_of_sources, read_result
from yatzy.lab.studies.scores import (
    BonusGap,
    Populations,
    bin_scores,
    chi_square_tail,
    measure_distribution,
    measure_fit,
    normal_pmf,
    points_with_bonus,
    split_bonus_gap,
    split_gap,
    split_populations,
    spray_games,
)
from yatzy.lab.studies.solution import SmallGame, solve_small_game
from yatzy.lab.studies.statespace import count_histories, count_states
from yatzy.lab.studies.strength import measure_heuristic_gap
from yatzy.measure.exact import Evaluation, evaluate
from yatzy.measure.regret import expected_regret, turn_regrets
from yatzy.measure.simulate import Games, simulate
from yatzy.policies.baselines import Heuristic, Random
from yatzy.policies.optimal import Optimal
from yatzy.policies.policy import Policy
from yatzy.rules import Ruleset
from yatzy.sealed import seal
from yatzy.solver.solve import solve
from yatzy.storage import WriteError, write_atomically
from yatzy.turn.lattice import lattice

TWIN_GAMES = (
    replace(THREE_DICE, name="three-dice-one-reroll", rerolls=1),
    replace(LOWER_FIRST, name="lower-first-one-throw", rerolls=0),
    LOWER_FIRST,
)


class Twin(Judged):
    """Its turns by the category they end in, and its scorecards."""

    def __init__(self, policy: Policy) -> None:
        super().__init__(policy)
        self.ends_in = cache(self.ends_in)

    def ends_in(self, filled: int, upper: int, roll: Faces, rerolls: int) -> dict[int, Fraction]:
        """Probability of each category that a turn may end in, from a roll on."""
        if not rerolls:
            return {self._category(filled, upper, roll): Fraction(1)}
        found: dict[int, Fraction] = {}
        for after, prob in self._throw({self._keep(filled, upper, roll, rerolls): Fraction(1)}).items():
            for c, share in self.ends_in(filled, upper, after, rerolls - 1).items():
                found[c] = found.get(c, 0) + prob * share
        return found

    def turn_regret(self, filled: int, upper: int) -> np.ndarray:
        """(rerolls + 1, n_categories), as `turn_regrets` has it."""
        lost = np.zeros((self.rules.rerolls + 1, len(self.rules.categories)))
        for left, roll, prob, regret in self.decisions(filled, upper):
            for c, share in self.ends_in(filled, upper, roll, left).items():
                lost[left, c] += float(prob * regret * share)
        return lost

    def points_with_bonus(self) -> list[float]:
        """E[points in a category * 1{bonus}], over every scorecard."""
        cards: dict[tuple[tuple[int, int], tuple[int, ...]], Fraction]
        cards = {((0, 0), (0,) * len(self.rules.categories)): Fraction(1)}
        for _ in self.rules.categories:
            after: dict[tuple[tuple[int, int], tuple[int, ...]], Fraction] = {}
            for (state, card), prob in cards.items():
                for (c, points), share in self.ends_of_turn(*state).items():
                    card_after = (*card[:c], points, *card[c + 1 :])
                    key = after_scoring(self.rules, *state, c, points), card_after
                    after[key] = after.get(key, 0) + prob * share
            cards = after
        paid = [(card, prob) for (state, card), prob in cards.items() if state[1] >= self.rules.bonus_threshold]
        return [float(sum(card[c] * prob for card, prob in paid)) for c in range(len(self.rules.categories))]


@pytest.mark.parametrize("rules", TWIN_GAMES, ids=lambda rules: rules.name)
@pytest.mark.parametrize("make", [Heuristic, Random])
@pytest.mark.filterwarnings("ignore:overflow encountered:RuntimeWarning")
def test_regret_is_as_defined(rules: Ruleset, make: Callable[[Ruleset], Policy]) -> None:
    policy, table = make(rules), solve(rules)
    twin = Twin(policy)
    states = [state for state in twin.visits if state[0] != rules.all_filled]
    filled, upper = np.array(states).T
    found = turn_regrets(policy, table.values, filled, upper, threads=2)
    assert (found >= 0).all()
    np.testing.assert_allclose(found, [twin.turn_regret(*state) for state in states], rtol=0, atol=1e-12)
    lost = expected_regret(policy, table, evaluate(policy).visits)
    assert lost.total == pytest.approx(table.value() - float(twin.value()), abs=1e-11)
    assert lost.by_state.sum() == pytest.approx(lost.total, abs=1e-12)
    for parts in (lost.by_turn, lost.by_decision, lost.by_category):
        assert parts.sum() == pytest.approx(lost.total, abs=1e-12)


def test_optimal_play_regrets_nothing(small_table: ValueTable) -> None:
    policy = Optimal(small_table)
    assert expected_regret(policy, small_table, evaluate(policy).visits).total == pytest.approx(0, abs=1e-12)


def test_regret_needs_a_table_in_points_for_the_same_rules(small_rules: Ruleset) -> None:
    policy = Heuristic(small_rules)
    visits = evaluate(policy).visits
    with pytest.raises(YatzyError, match=r"theta: .* not for 0\.1"):
        expected_regret(policy, solve(small_rules, theta=0.1), visits)
    with pytest.raises(YatzyError, match="table: is for rules"):
        expected_regret(policy, solve(FIVE_FACES), visits)


@pytest.mark.parametrize("rules", TWIN_GAMES, ids=lambda rules: rules.name)
def test_bonus_points_are_as_defined(rules: Ruleset) -> None:
    policy = Optimal(solve(rules))
    found = points_with_bonus(policy, evaluate(policy))
    np.testing.assert_allclose(found, Twin(policy).points_with_bonus(), rtol=0, atol=1e-12)


def test_bonus_gap_needs_games_of_both_kinds(home: Path) -> None:
    out_of_reach = replace(THREE_DICE, name="three-dice-no-bonus", bonus_threshold=40)
    with pytest.raises(YatzyError, match="not both"):
        split_bonus_gap(out_of_reach, Context(home))


@pytest.fixture(scope="module")
def bonus_gap(policy_of: Callable[..., Policy], evaluation_of: Callable[..., Evaluation]) -> BonusGap:
    return split_gap(policy_of("optimal"), evaluation_of("optimal"))


@pytest.fixture(scope="module")
def games(policy_of: Callable[..., Policy]) -> Games:
    return simulate(policy_of("optimal"), 100_000, seed=5)


@pytest.fixture(scope="module")
def populations(evaluation_of: Callable[..., Evaluation], games: Games) -> Populations:
    return split_populations(evaluation_of("optimal"), games)


@pytest.fixture
def evaluated_once(monkeypatch: pytest.MonkeyPatch, evaluation_of: Callable[..., Evaluation]) -> None:
    """Studies of Scandinavian Yatzy get the evaluations that other tests have had already."""

    def shared(policy: Policy, *_how: Any, **_more: Any) -> Evaluation:
        assert policy.rules.name == "scandinavian"
        return evaluation_of(policy.name)

    monkeypatch.setattr("yatzy.lab.studies.scores.evaluate", shared)
    monkeypatch.setattr("yatzy.lab.studies.strength.evaluate", shared)


@pytest.mark.compiled
def test_bonus_gap_adds_up(bonus_gap: BonusGap) -> None:
    assert bonus_gap.gap == pytest.approx(72.02, abs=0.005)
    assert bonus_gap.bonus + bonus_gap.upper_part + bonus_gap.lower_part == pytest.approx(bonus_gap.gap, abs=1e-9)
    assert (bonus_gap.upper_part, bonus_gap.lower_part) == pytest.approx((10.29, 11.73), abs=0.005)
    for part in bonus_gap.categories:
        both = bonus_gap.bonus_rate * part.with_bonus + (1 - bonus_gap.bonus_rate) * part.without_bonus
        assert both == pytest.approx(part.mean, abs=1e-9)
    assert [claim.agrees for claim in bonus_gap.claims] == [True, True, False, False]


@pytest.mark.compiled
def test_bonus_gap_agrees_with_simulated_games(bonus_gap: BonusGap, games: Games) -> None:
    for c, part in enumerate(bonus_gap.categories):
        for mean, chosen in ((part.with_bonus, games.bonus), (part.without_bonus, ~games.bonus)):
            points = games.points[chosen, c]
            assert abs(points.mean() - mean) < 4 * points.std() / math.sqrt(len(points))


@pytest.mark.compiled
def test_populations_are_the_published_ones(populations: Populations) -> None:
    found = {(p.bonus, p.yatzy): (p.weight, p.mean) for p in populations.populations}
    published = {
        (False, False): (0.0607, 164.1), (False, True): (0.0412, 212.7),
        (True, False): (0.5509, 236.6), (True, True): (0.3472, 286.3),
    }  # fmt: skip
    for key, (weight, mean) in published.items():
        assert found[key][0] == pytest.approx(weight, abs=5.1e-5)
        assert found[key][1] == pytest.approx(mean, abs=0.051)
    assert sum(sum(p.density) for p in populations.populations) == pytest.approx(1, abs=1e-12)
    assert populations.four_normals.total_variation < populations.one_normal.total_variation
    assert [mode // 10 for mode in populations.modes] == [16, 23]


@pytest.mark.compiled
def test_the_populations_ripple(populations: Populations) -> None:
    """They were called bells, under curves with two and three humps."""
    assert [part.humps for part in populations.populations] == [
        [154, 171], [203, 221], [232, 250], [264, 282, 300],
    ]  # fmt: skip
    ripple = populations.ripple
    assert ripple.boxes == ["Four of a Kind", "Small Straight", "Large Straight", "Full House"]
    assert [part.made for part in ripple.parts] == [0, 1, 2, 3, 4]
    assert sum(part.share for part in ripple.parts) == pytest.approx(1, abs=1e-12)
    assert 18 < ripple.step < 22
    for part in ripple.parts[1:]:
        # One hill; its top is ragged, because the parts come from games that were played.
        assert max(part.humps) - min(part.humps) < ripple.step / 4
        assert part.sd < ripple.step / 1.8


def test_distances_of_distributions() -> None:
    exact, model = np.array([0.5, 0.5, 0.0]), np.array([0.25, 0.25, 0.5])
    assert measure_fit(exact, model).total_variation == 0.5
    assert measure_fit(exact, model).ks_distance == 0.5
    normal = normal_pmf(10.0, 2.0, 40)
    assert normal.sum() == pytest.approx(1, abs=1e-15)
    assert normal[10] == pytest.approx(math.erf(0.25 / math.sqrt(2)), abs=1e-15)


@pytest.mark.compiled
@pytest.mark.usefixtures("evaluated_once")
def test_distribution_exact_and_simulated(home: Path) -> None:
    found = measure_distribution(context=Context(home), games=200_000, seed=3)
    assert found.mean == pytest.approx(248.439989378, abs=1e-9)
    assert found.sd == pytest.approx(38.4964, abs=5e-5)
    assert (found.lowest, found.highest) == (10, 374)
    assert list(found.quantiles.values()) == [145, 179, 203, 225, 249, 276, 299, 309, 325]
    assert found.at_least["300"] == pytest.approx(0.09946, abs=5e-6)
    assert found.at_least["320"] == pytest.approx(0.01964, abs=5e-6)
    assert [tail.at_least for tail in found.tails] == sorted(tail.at_least for tail in found.tails)
    last = found.tails[-1]
    assert sum(found.pmf[last.at_least :]) >= 1e-12 > sum(found.pmf[last.at_least + 1 :])
    assert sum(found.pmf[: last.at_most + 1]) >= 1e-12 > sum(found.pmf[: last.at_most])
    simulated = found.simulated
    assert sum(simulated.counts) == sum(b.observed for b in simulated.bins) == 200_000
    assert simulated.chi_square.p_value > 0.001
    assert max(abs(category.z) for category in simulated.categories) < 4
    assert abs(simulated.z) < 4
    check_json(type(found), as_json(found))


@pytest.mark.parametrize(
    ("statistic", "degrees"),
    [(3.841458820694124, 1), (11.070497693516351, 5), (18.307038053275146, 10), (124.34211340400407, 100)],
)
def test_chi_square_tail_is_the_tables_five_percent(statistic: float, degrees: int) -> None:
    assert chi_square_tail(statistic, degrees) == pytest.approx(0.05, abs=1e-12)


def test_bins_cover_all_scores_and_expect_enough() -> None:
    expected = np.linspace(0, 30, 48)
    bins = bin_scores(expected, np.arange(48))
    assert [b.first for b in bins] == [0, *(b.last + 1 for b in bins[:-1])]
    assert bins[-1].last == 47
    assert min(b.expected for b in bins) >= 20
    assert sum(b.observed for b in bins) == sum(range(48))


def test_statespace_is_the_published_one() -> None:
    size = count_states()
    assert (size.slots, size.reachable, size.classes) == (2_097_152, 1_430_528, 958_976)
    assert size.reachable_unfinished == 1_430_464
    assert (size.widget.nodes, size.widget.rolls, size.widget.keeps) == (1_681, 252, 462)
    assert size.widget.edges == 252 + 2 * 4_368 + 2 * 4_368 + 252 * 15
    assert size.widget.lattice_operations_per_reroll == 2 * 1_260
    assert [layer.masks for layer in size.layers] == [math.comb(15, k) for k in range(16)]
    assert sum(layer.reachable for layer in size.layers) == size.reachable
    assert sum(layer.classes for layer in size.layers) == size.classes
    by_count = [math.comb(6, n) for n in range(7)]
    assert [max(row) for row in size.grid] == by_count
    assert sum(map(sum, size.grid)) * 2**9 == size.reachable
    assert size.memory.table_float32 == 2**23


@pytest.mark.parametrize("rerolls", [0, 1, 2])
def test_histories_are_counted_by_writing_them_down(rerolls: int) -> None:
    """Two dice of three faces: few enough to list every turn."""
    rules = replace(TINY, rerolls=rerolls)
    dice = lattice(2, 3)

    def turns(roll: Faces, left: int) -> list[tuple[Any, ...]]:
        found: list[tuple[Any, ...]] = [(roll, "score")]
        for keep in dice.keeps:
            if left and len(keep) < 2 and all(keep.count(face) <= roll.count(face) for face in keep):
                after = [r for r in dice.keeps[: dice.n_rolls] if all(keep.count(f) <= r.count(f) for f in keep)]
                found += [(roll, keep, *rest) for r in after for rest in turns(r, left - 1)]
        return found

    listed = {turn for roll in dice.keeps[: dice.n_rolls] for turn in turns(roll, rerolls)}
    counted = count_histories(rules)
    assert counted.turns == str(len(listed))
    assert counted.games == str(len(listed) ** 3 * 6)
    apart = 9 * sum(15**n for n in range(rerolls + 1))
    assert counted.turns_dice_apart == str(apart)


@pytest.mark.compiled
def test_spray_unpacks_to_whole_games(home: Path) -> None:
    spray = spray_games(context=Context(home), games=2_000)
    content = json.dumps(as_json(spray), separators=(",", ":"))
    assert len(content) * 5 < 700_000
    columns = [[column.possible[int(digit, 36)] for digit in column.points] for column in spray.columns]
    turns = [[int(digit, 36) for digit in column.turns] for column in spray.columns]
    for game in range(spray.games):
        bonus = sum(column[game] for column in columns[:6]) >= 63
        assert spray.score[game] == sum(column[game] for column in columns) + 50 * bonus
        assert (spray.bonus[game] == "1") == bonus
        assert (spray.yatzy[game] == "1") == (columns[14][game] == 50)
        assert sorted(column[game] for column in turns) == list(range(1, 16))


@pytest.mark.compiled
@pytest.mark.usefixtures("evaluated_once")
def test_every_point_of_the_heuristic_gap_is_accounted_for(
    home: Path, evaluation_of: Callable[..., Evaluation], published: Callable[[str], dict[str, Any] | None]
) -> None:
    found = published("heuristic-gap") or as_json(measure_heuristic_gap(context=Context(home)))
    gap = found["gap"]
    assert found["optimal_mean"] == pytest.approx(248.439989378, abs=1e-9)
    assert found["mean"] == pytest.approx(evaluation_of("heuristic").mean, abs=1e-9)
    assert gap == found["optimal_mean"] - found["mean"]
    assert found["regret"] == pytest.approx(gap, abs=1e-9)
    for parts in (found["decisions"], found["categories"], found["turns"]):
        assert sum(part["regret"] for part in parts) == pytest.approx(gap, abs=1e-9)
        assert all(part["regret"] >= 0 for part in parts)
    shortfall = found["bonus_shortfall"] + sum(part["shortfall"] for part in found["categories"])
    assert shortfall == pytest.approx(gap, abs=1e-9)
    assert [decision["decision"] for decision in found["decisions"]] == [
        "category", "keep with 1 reroll", "keep with 2 rerolls",
    ]  # fmt: skip


def test_studies_evaluate_for_themselves(home: Path) -> None:
    """The same two as above, on a reduced game, with no evaluation handed to them."""
    gap, found = (
        measure_heuristic_gap(LOWER_FIRST, Context(home)),
        measure_distribution(LOWER_FIRST, Context(home), games=500),
    )
    assert gap.optimal_mean == pytest.approx(solve(LOWER_FIRST).value(), abs=1e-12)
    assert gap.mean == pytest.approx(evaluate(Heuristic(LOWER_FIRST)).mean, abs=1e-12)
    assert gap.regret == pytest.approx(gap.gap, abs=1e-12)
    assert found.mean == pytest.approx(gap.optimal_mean, abs=1e-12)
    assert sum(found.simulated.counts) == 500


@pytest.mark.compiled
def test_published_sweep_finds_its_points_again(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(sweeping, "default_grid", lambda: [0.0])
    found = sweeping.sweep_default_grid("yacht", Context(tmp_path))
    assert found.key_figures["highest_mean"] == pytest.approx(166.9550677045723, abs=1e-9)
    assert sweeping.sweep_default_grid("yacht", Context(tmp_path)).points == found.points


def test_a_study_is_computed_and_compared_with_what_is_published(tmp_path: Path) -> None:
    path, published = tmp_path / "statespace.json", tmp_path / "published"
    (first,) = reproduce(["statespace"], tmp_path, Context(tmp_path))
    assert first.key_figures["reachable"] == 1_430_528
    assert first.differences == []
    content = json.loads(path.read_text())
    content["reachable"] += 1
    content["memory"]["table_float32"] *= 1 + 1e-12
    content["layers"][3]["masks"] *= 2
    del content["widget"]["edges"]
    content["claims"] = content["claims"][1:]
    content["provenance"]["seconds"] = 1e6
    published.mkdir()
    (published / path.name).write_text(json.dumps(seal(content)))
    (told,) = reproduce(["statespace"], tmp_path, Context(tmp_path), published=published)
    assert [one.partition(":")[0] for one in told.differences] == [
        "reachable", "widget.edges", "layers[3].masks", "claims",
    ]  # fmt: skip
    assert told.differences[0] == "reachable: 1430529 is published, 1430528 was computed"
    (other,) = reproduce(["statespace"], tmp_path, Context(tmp_path), rules="yahtzee+no-joker+no-extra-bonus")
    assert other.differences == []
    assert other.provenance != first.provenance
    with pytest.raises(YatzyError, match=r"^rules: studies are for games without jokers"):
        reproduce(["statespace"], tmp_path, Context(tmp_path), rules="yahtzee")


def test_what_was_finished_before_a_stop_is_kept_until_all_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []

    def count(name: str, ends: bool) -> Any:
        def run(**more: Any) -> Any:
            counted.append(name)
            if ends:
                raise KeyboardInterrupt
            return solve_small_game(**more)

        run.__annotations__ = {"return": SmallGame}
        return replace(STUDIES["small-game"], name=name, function=run)

    monkeypatch.setitem(STUDIES, "bonus", count("bonus", ends=False))
    monkeypatch.setitem(STUDIES, "quiz", count("quiz", ends=True))
    with pytest.raises(KeyboardInterrupt):
        reproduce(["bonus", "quiz"], tmp_path, Context(tmp_path))
    monkeypatch.setitem(STUDIES, "quiz", count("quiz", ends=False))
    reproduce(["bonus", "quiz"], tmp_path, Context(tmp_path))
    assert counted == ["bonus", "quiz", "quiz"]
    assert not list((tmp_path / "reproduce").rglob("*.json"))
    reproduce(["bonus"], tmp_path, Context(tmp_path))
    assert counted == ["bonus", "quiz", "quiz", "bonus"]


def test_what_is_kept_hangs_on_every_file_of_data() -> None:
    """After the rooms were renamed no file was found, so a part outlived a change of the lists or the quiz."""
    found = {path.name for path in reproducing.data_files()}
    assert {"grid.toml", "quiz.json", "par.toml", "card-20.json", "chart-scores.json"} <= found
    assert not [name for name in found if name.endswith((".py", ".pyc"))]


def test_provenance_says_what_a_result_was_computed_with(tmp_path: Path, rules: Ruleset) -> None:
    reproduce(["statespace"], tmp_path, Context(tmp_path, threads=1))
    found = read_result(tmp_path / "statespace.json")
    assert found is not None
    provenance, content = found
    assert content["study"] == "statespace"
    assert provenance.fingerprint == rules.fingerprint
    assert (provenance.version, provenance.commit) == (__version__, commit_of_sources())
    assert (provenance.rules, provenance.seed, provenance.threads) == ("scandinavian", None, 1)
    assert provenance.seconds > 0
    claims = {claim["what"]: claim["agrees"] for claim in content["claims"]}
    assert claims["nodes per widget"]
    assert not claims["log10 of histories per slot"]


def test_sources_outside_a_clone_have_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yatzy.lab.studies.results.PACKAGE", tmp_path)
    assert commit_of_sources.__wrapped__() is None
    run = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True)
    run(["git", "init"])
    assert commit_of_sources.__wrapped__() is None
    (tmp_path / "file").touch()
    run(["git", "add", "file"])
    run(["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-m", "one"])
    assert len(commit_of_sources.__wrapped__() or "") == 40
    (tmp_path / "file").write_text("edited")
    assert (commit_of_sources.__wrapped__() or "").endswith("-dirty")


def test_a_clone_is_only_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git status` wrote the index of the clone, and left its lock there when the study was killed."""
    monkeypatch.setattr("yatzy.lab.studies.results.PACKAGE", tmp_path)
    run = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True)
    run(["git", "init"])
    (tmp_path / "file").write_text("same")
    run(["git", "add", "file"])
    run(["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-m", "one"])
    before = (tmp_path / ".git" / "index").read_bytes()
    # Another time, the same content: a reason to refresh the index.
    os.utime(tmp_path / "file", (1, 1))
    assert len(commit_of_sources.__wrapped__() or "") == 40
    assert (tmp_path / ".git" / "index").read_bytes() == before


@dataclass(frozen=True)
class Broken:
    """A result that cannot be written."""

    mean: float

    @property
    def key_figures(self) -> dict[str, float]:
        return {"mean": self.mean}


def _broken(**_: Any) -> Broken:
    return Broken(math.nan)


def test_a_study_that_fails_leaves_the_old_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce(["statespace"], tmp_path, Context(tmp_path))
    written = (tmp_path / "statespace.json").read_bytes()
    monkeypatch.setitem(STUDIES, "statespace", replace(STUDIES["statespace"], function=_broken))
    with pytest.raises(YatzyError, match="mean: None is not a number"):
        reproduce(["statespace"], tmp_path, Context(tmp_path))
    assert not list((tmp_path / "reproduce").rglob("*.json"))
    assert (tmp_path / "statespace.json").read_bytes() == written
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["statespace.json"]


def test_a_write_that_fails_leaves_no_half_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").touch()
    with pytest.raises(WriteError, match="folder is a folder; allowed is a file"):
        write_atomically(tmp_path / "folder", b"content")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]


def test_claims_agree_within_their_last_digit() -> None:
    assert Claim("gap", 72, 72.4, 0.5).agrees
    assert not Claim("gap", 72, 72.6, 0.5).agrees


def test_studies_are_found_by_name() -> None:
    assert find_study("game_spray") is STUDIES["game-spray"]
    with pytest.raises(YatzyError, match="study: 'moon' is not known; allowed are statespace, distribution"):
        find_study("moon")


def test_command_reproduces_and_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["yatzy", "reproduce", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 0
        return capsys.readouterr().out

    found = json.loads(run("statespace", "--out", str(tmp_path), "--json"))
    assert found["studies"][0]["key_figures"]["classes"] == 958_976
    report = run("statespace", "--out", str(tmp_path))
    assert "958976" in report
    claims = found["studies"][0]["claims"]
    assert f"{sum(claim['agrees'] for claim in claims)} of {len(claims)} agree" in report
    assert "state slots" in report
    published = json.loads(run("--json"))["studies"]
    assert [study["study"] for study in published] == list(STUDIES)
    assert all(study["provenance"]["commit"] for study in published)
    assert "game-spray" in run()


def test_the_command_says_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["yatzy", "reproduce", "small-game", "--out", str(tmp_path)])
    monkeypatch.setattr(reproducing, "differences", lambda *_: ["value: 1 is published, 2 was computed"] * 7)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    told = capsys.readouterr().out
    assert told.count("small-game differs: value: 1 is published, 2 was computed") == 5
    assert "small-game differs in 2 more numbers" in told
