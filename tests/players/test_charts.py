"""Charts: lines and their words, what a chart is worth, how much of it is read, and how charts are found."""

import json
import re
from collections.abc import Callable
from dataclasses import asdict, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from games import JOKERS, REDUCED_GAMES, SPECIAL_GAMES, THREE_DICE
from naive import score_of
from naive_lists import face_of
from yatzy import ValueTable, solve
from yatzy.context import Context, chunks
from yatzy.errors import YatzyError
from yatzy.lab.search.charts import (
    EFFORT,
    ChartEffort,
    ChartSearch,
    DecisionSample,
    describe,
    draw_boards,
    empty_chart,
    find_ladder,
    find_scoring_chart,
    insert,
    lines_of,
)
from yatzy.measure.exact import policy_values, visit
from yatzy.players.chart import (  # fmt: skip
    ALIKE,
    COMPLETE,
    FIRST,
    FROM,
    LAST,
    NO_DICE,
    NOTHING,
    RUN,
    SETTLED,
    TWO_PAIRS,
    WITH_HIGHEST,
    Chart,
    KeepLine,
    KeepPattern,
    ScoreLine,
    chart_text,
    keep_text,
    parse_chart,
    parse_keep,
    parse_score,
    patterns,
    score_lines,
    score_text,
    upper_boxes,
)
from yatzy.players.chart_player import ChartPlayer, PlayedChart, play, play_chart
from yatzy.players.library import (
    FORMAT,
    charted_games,
    find_chart,
    is_chart,
    load_chart,
    save_chart,
    shipped_charts,
)
from yatzy.players.situations import situation_masses
from yatzy.policies.registry import find_policy, known_policies
from yatzy.rules import Ruleset, ruleset, scandinavian
from yatzy.turn.lattice import lattice

GAME = scandinavian()
CHARTED_GAMES = [one for one in (*REDUCED_GAMES, *SPECIAL_GAMES) if not one.saves_throws and not one.forced_order]
BOX = {category.name: number for number, category in enumerate(GAME.categories)}


def mean_of(chart: Chart, threads: int | None = None) -> float:
    return play(ChartPlayer(chart), threads).mean


def small_chart(rules: Ruleset, seed: int) -> Chart:
    """Random lines of a game, conditions on the bonus and the throw included."""
    rng = np.random.default_rng(seed)
    chart = empty_chart(f"small-{seed}", rules)
    some = rng.choice(len(score_lines(rules)), 5, replace=False)
    whens = rng.choice(["", "in reach", "settled"], 5)
    scores = [replace(score_lines(rules)[i], when=str(when)) for i, when in zip(some, whens, strict=True)]
    known = [pattern for pattern in patterns(rules) if pattern.kind != NOTHING]
    keeps = []
    for i in rng.choice(len(known), 5, replace=False):
        box = -1 if known[i].own or known[i].boxes else int(rng.integers(-1, rules.n_categories))
        keeps.append(KeepLine(known[i], box, str(rng.choice(["", FIRST, LAST]))))
    return replace(chart, scores=tuple(scores), keeps=(*keeps, NO_DICE))


@pytest.mark.parametrize("name", ["scandinavian", "yahtzee+no-joker+no-extra-bonus", "yacht", "maxi"])
def test_no_phrase_is_for_two_lines(name: str) -> None:
    rules = ruleset(name)
    scores = [replace(line, when=when) for line in score_lines(rules) for when in ("", "in reach", "settled")]
    texts = [score_text(rules, line) for line in scores]
    assert len(set(texts)) == len(texts)
    assert [parse_score(rules, text) for text in texts[::7]] == scores[::7]
    keeps = [
        KeepLine(pattern, box, throw)
        for pattern in patterns(rules)
        for box in ((-1,) if pattern.own or pattern.boxes else range(-1, rules.n_categories))
        for throw in ("", FIRST, LAST)
    ]
    texts = [keep_text(rules, line) for line in keeps]
    assert len(set(texts)) == len(texts)
    assert [parse_keep(rules, text) for text in texts[::97]] == keeps[::97]


@pytest.mark.parametrize(
    ("line", "words"),
    [
        (ScoreLine((5, 4, 3, 2, 1, 0), 3), "Any upper box, the highest first: three or more dice"),
        (ScoreLine((2, 1), 2), "Threes or Twos: two or more dice"),
        (ScoreLine((0,), 1), "Ones: one die or more"),
        (ScoreLine((BOX["Full House"],), 20), "Full House: 20 points or more"),
        (ScoreLine((BOX["Large Straight"],), 20), "Large Straight"),
        (ScoreLine((BOX["Yatzy"],), 0, "in reach"), "Yatzy: even for nothing, while the bonus is in reach"),
        (ScoreLine((BOX["Chance"],), 24, SETTLED), "Chance: 24 points or more, once the bonus is safe or lost"),
    ],
)
def test_scoring_lines_in_words(line: ScoreLine, words: str) -> None:
    assert score_text(GAME, line) == words
    assert parse_score(GAME, words) == line


@pytest.mark.parametrize(
    ("pattern", "roll", "is_open", "kept"),
    [
        (KeepPattern(ALIKE, 3, 1, 6), (2, 2, 2, 5, 5), (), (2, 2, 2)),
        (KeepPattern(ALIKE, 2, 1, 6), (2, 2, 2, 5, 5), (), (5, 5)),
        (KeepPattern(ALIKE, 2, 1, 6, own=True), (2, 2, 2, 5, 5), (1, 2), (2, 2, 2)),
        (KeepPattern(ALIKE, 2, 1, 6, own=True), (2, 2, 3, 5, 5), (3,), None),
        (KeepPattern(ALIKE, 1, 4, 6), (1, 2, 3, 4, 4), (), (4, 4)),
        (KeepPattern(WITH_HIGHEST, 2, 1, 6), (1, 3, 3, 5, 6), (), (3, 3, 6)),
        (KeepPattern(WITH_HIGHEST, 3, 1, 6), (6, 6, 6, 6, 6), (), (6, 6, 6, 6, 6)),
        (KeepPattern(TWO_PAIRS), (2, 2, 2, 5, 5), (), (2, 2, 5, 5)),
        (KeepPattern(TWO_PAIRS), (2, 2, 2, 2, 5), (), None),
        (KeepPattern(RUN, 4, 2, 6), (1, 2, 3, 4, 4), (), None),
        (KeepPattern(RUN, 4, 2, 6), (2, 3, 5, 6, 6), (), (2, 3, 5, 6)),
        (KeepPattern(FROM, 1, 5), (1, 5, 5, 6, 6), (), (5, 5, 6, 6)),
        (KeepPattern(FROM, 1, 5), (1, 2, 2, 3, 4), (), None),
        (NO_DICE.pattern, (1, 2, 2, 3, 4), (), ()),
    ],
)
def test_what_patterns_keep(pattern: KeepPattern, roll, is_open, kept) -> None:
    assert pattern.kept(roll, is_open) == kept


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("rules", CHARTED_GAMES, ids=lambda one: one.name)
def test_values_and_visits_are_those_of_any_policy(rules: Ruleset, seed: int) -> None:
    """Turns that are played once for each side of the bonus give what playing every state gives."""
    player = ChartPlayer(small_chart(rules, seed))
    played = play(player, threads=1)
    walked = visit(player, threads=1)
    assert played.mean == pytest.approx(walked.mean, abs=1e-9)
    np.testing.assert_allclose(played.visits, walked.visits, atol=1e-12)
    # Refuses a box that may not be filled.
    values = policy_values(player, Context(threads=1))
    known = ~np.isnan(values)
    np.testing.assert_allclose(played.values[known], values[known], atol=1e-9)


@pytest.mark.parametrize("rules", [one for one in REDUCED_GAMES if one.is_plain], ids=lambda one: one.name)
def test_a_chart_that_only_scores_is_played_with_the_keeps_of_optimal_play(rules: Ruleset) -> None:
    """Rolls to score that are computed once for all charts, against keeping dice turn by turn."""
    chart = replace(small_chart(rules, 3), oracle_keeps=True, keeps=())
    player = ChartPlayer(chart, table=solve(rules))
    played, walked = play_chart(player, threads=1), visit(player, threads=1)
    assert played.mean == pytest.approx(walked.mean, abs=1e-5)
    np.testing.assert_allclose(played.visits, walked.visits, atol=1e-6)
    values = policy_values(player, Context(threads=1))
    known = ~np.isnan(values)
    np.testing.assert_allclose(played.values[known], values[known], atol=1e-5)
    filled, upper = np.nonzero(walked.visits[:-1])
    read = 1.0 + player.lines(filled, upper)[:, 0]
    mass = situation_masses(player, filled, upper)[:, 0]
    total = np.einsum("s,sr,sr->", walked.visits[filled, upper], mass, read)
    assert played.reads_per_decision == pytest.approx(total / rules.n_categories, abs=1e-5)


def test_lines_read_are_counted_one_by_one(small_rules: Ruleset) -> None:
    """Every situation by itself: the first line that fits, by the words of lines and patterns."""
    chart = small_chart(small_rules, 4)
    player, dice = ChartPlayer(chart), lattice(small_rules.dice, small_rules.faces)
    played = play(player, threads=1)
    total = np.zeros(small_rules.rerolls + 1)
    for filled, upper in np.argwhere(played.visits[:-1] > 0):
        mass = situation_masses(player, np.array([filled]), np.array([upper]))[0]
        for left in range(small_rules.rerolls + 1):
            for roll_id in np.flatnonzero(mass[left]):
                n = _lines_read(chart, int(filled), int(upper), dice.keeps[roll_id], left)
                total[left] += played.visits[filled, upper] * mass[left, roll_id] * n
    np.testing.assert_allclose(played.reads, total / small_rules.n_categories, atol=1e-9)


def _lines_read(chart: Chart, filled: int, upper: int, roll: tuple[int, ...], left: int) -> int:
    rules = chart.rules
    is_open = [box for box in range(rules.n_categories) if not filled >> box & 1]
    faces = {box: face_of(rules, box) for box in upper_boxes(rules)}
    to_come = sum(rules.dice * face for box, face in faces.items() if box in is_open)
    settled = upper >= rules.bonus_threshold or upper + to_come < rules.bonus_threshold
    if left:
        throw = FIRST if left == rules.rerolls else LAST
        for number, line in enumerate(chart.keeps, start=1):
            open_faces = tuple(face for box, face in faces.items() if box in is_open)
            fits = line.throw in ("", throw) and (line.box < 0 or line.box in is_open)
            if line.pattern.boxes:
                made = [box for box in line.pattern.boxes if box in is_open]
                fits = fits and any(score_of(rules, box, roll) >= line.pattern.n for box in made)
            if fits and line.pattern.kept(roll, open_faces) is not None:
                return number
    for number, score in enumerate(chart.scores, start=1):
        if score.when in ("", "settled" if settled else "in reach"):
            for box in set(score.boxes) & set(is_open):
                have = roll.count(faces[box]) if box in faces else score_of(rules, box, roll)
                if have >= score.least:
                    return number
    return len(chart.scores) + 1 + next(n for n, box in enumerate(chart.give_up) if box in is_open)


def test_a_chart_reads_back_from_its_words_and_its_file(tmp_path: Path) -> None:
    chart = replace(small_chart(GAME, 1), info={"mean": 1.0})
    assert parse_chart(chart_text(chart)) == chart
    file = save_chart(chart, tmp_path / "mine.json")
    assert load_chart(file) == chart
    assert load_chart(file).info == {"mean": 1.0}
    assert is_chart(str(file))
    assert isinstance(find_policy(str(file)), ChartPlayer)


def test_bad_charts_are_refused(tmp_path: Path) -> None:
    chart = small_chart(GAME, 1)
    for wrong, match in (
        ({"give_up": chart.give_up[1:]}, "every box once"),
        ({"keeps": chart.keeps[:-1]}, "the last line must fit every roll"),
        ({"scores": (ScoreLine((0, 14), 1),)}, "either upper boxes or lower boxes"),
        ({"keeps": (KeepLine(NO_DICE.pattern, 15), NO_DICE)}, "is not allowed"),
    ):
        with pytest.raises(YatzyError, match=match):
            replace(chart, **wrong)
    with pytest.raises(YatzyError, match="not a line on where to score"):
        parse_chart(chart_text(chart).replace("1. ", "1. Never ", 1))
    with pytest.raises(YatzyError, match="the first line must say"):
        parse_chart("")
    file = save_chart(chart, tmp_path / "mine.json")
    with pytest.raises(YatzyError, match="not 'yacht'"):
        load_chart(file, "yacht")
    changed = json.loads(file.read_text())
    changed["text"][2] = "1. Yatzy"
    file.write_text(json.dumps(changed))
    with pytest.raises(YatzyError, match="damaged or edited"):
        load_chart(file)
    (tmp_path / "other.json").write_text("{}")
    assert not is_chart(str(tmp_path / "other.json"))
    with pytest.raises(YatzyError, match="'nobody' is no chart"):
        find_chart("nobody")


@pytest.fixture(scope="module")
def table() -> ValueTable:
    return solve(THREE_DICE)


def boards_of(chart: Chart) -> list[DecisionSample]:
    played = play(ChartPlayer(chart), 1)
    boards = draw_boards(played.player, played.values, played.visits, 3000, 1, 1)
    boards[0].give_up = chart.give_up  # type: ignore[attr-defined]
    return boards


@pytest.mark.parametrize("rules", [THREE_DICE, JOKERS], ids=lambda one: one.name)
def test_gains_and_reads_are_what_inserting_does_on_the_sample(rules: Ruleset) -> None:
    """All positions and lines at once, from products and running sums, against one line at a time."""
    chart = small_chart(rules, 2)
    for board in boards_of(chart):
        lines = lines_of(chart, board.level)
        last = len(lines) - board.level
        fired, now = board.play(lines)
        for option in board.best(lines, 0.0, 5, last):
            after, then = board.play(lines_of(insert(chart, option), board.level))
            gain = (then.sum(dtype=float) - now.sum(dtype=float)) * board.weight
            assert option.gain == pytest.approx(gain, abs=1e-2)
            assert option.reads == pytest.approx(board.reads(after) - board.reads(fired), abs=1e-5)


@pytest.mark.compiled
def test_search_is_repeatable_and_improves(table: ValueTable, tmp_path: Path) -> None:
    found = []
    for _ in range(2):
        search = ChartSearch(table, ChartEffort(turns=2000, rounds=4, tries=2), 3, Context(threads=1))
        begun = search.begin(empty_chart("c", THREE_DICE), 8)
        improved = search.improve(begun, 8)
        assert improved.n_lines <= 8
        assert mean_of(improved, 1) >= mean_of(begun, 1) - 0.3
        shorter = search.shrink(improved, 5)
        assert shorter.n_lines == 5
        assert {*shorter.keeps} <= {*improved.keeps}
        grown = search.improve(shorter, 7, shorter)
        assert [line for line in grown.scores if line in shorter.scores] == [*shorter.scores]
        assert [line for line in grown.keeps if line in shorter.keeps] == [*shorter.keeps]
        polished = search.polish(grown, 8, shorter)
        assert mean_of(polished, 1) >= mean_of(grown, 1) - 0.3
        assert [line for line in polished.scores if line in shorter.scores] == [*shorter.scores]
        assert [line for line in polished.keeps if line in shorter.keeps] == [*shorter.keeps]
        found.append(polished)
    assert found[0] == found[1]
    assert mean_of(found[0], 1) > 0.85 * table.value()


def test_the_ladder_resumes(table: ValueTable, tmp_path: Path) -> None:
    effort, said = ChartEffort(turns=300, rounds=1, rounds_on_the_way=1, tries=2), []
    files = find_ladder(table, tmp_path, 10, effort, context=Context(threads=1))
    ((name, file),) = files.items()
    chart = load_chart(file, THREE_DICE)
    assert (chart.name, chart.n_lines <= 10) == (f"chart-{chart.n_lines}", True)
    assert chart.info["mean"] == pytest.approx(mean_of(chart, 1))
    assert len(chart.info["score_costs"]) == len(chart.scores)
    before = file.read_bytes()
    assert find_ladder(table, tmp_path, 10, effort, context=Context(threads=1, notice=said.append)) == files
    assert said[-1] == f"{name}: kept"
    assert file.read_bytes() == before
    with pytest.raises(YatzyError, match="too few"):
        find_ladder(table, tmp_path, 9)


def test_a_chart_that_only_scores_is_found(table: ValueTable, tmp_path: Path) -> None:
    said: list[str] = []
    effort = ChartEffort(turns=400, rounds=1, rounds_on_the_way=1, polishing=1)
    files = find_scoring_chart(table, tmp_path, 6, effort, context=Context(threads=1))
    chart = load_chart(files["chart-scores"], THREE_DICE)
    assert (chart.oracle_keeps, chart.keeps) == (True, ())
    assert chart.n_lines <= 6
    mean = visit(ChartPlayer(chart, table=table), 1).mean
    assert chart.info["mean"] == pytest.approx(mean, abs=1e-12)
    assert mean > 0.93 * table.value()
    find_scoring_chart(table, tmp_path, 6, effort, context=Context(threads=1, notice=said.append))
    assert said == ["chart-scores: kept"]


LADDERS = {game: [name for name in shipped_charts(game) if name[6:].isdigit()] for game in charted_games()}
WHOLE = [(name, game) for game, names in LADDERS.items() for name in names]
SCORING = "chart-scores"
Published = Callable[[str], dict[str, Any] | None]
LEAST = {"chart-10": 215, "chart-20": 226, "chart-40": 235, "chart-58": 238, "chart-57": 238, SCORING: 243}
MAX_READ = {"chart-40": 8}


def test_what_is_shipped() -> None:
    assert LADDERS["scandinavian"] == ["chart-10", "chart-20", "chart-40", "chart-58"]
    assert LADDERS["yahtzee"] == ["chart-10", "chart-20", "chart-40", "chart-57"]
    assert shipped_charts() == [*LADDERS["scandinavian"], SCORING]
    assert all(find_chart(name, game).n_lines == int(name[6:]) for name, game in WHOLE)
    assert {*shipped_charts()} <= {*known_policies()}


def lines_that_decide(played: PlayedChart) -> set[tuple[int, int]]:
    """(level, number) of every line that some decision of the chart's own play comes to; states in any order."""
    player, chart, found = played.player, played.player.chart, set()
    unfinished = ~chart.rules.is_finished(np.arange(len(played.visits)))
    filled, upper = np.nonzero(played.visits * unfinished[:, None])
    some = np.random.default_rng(0).permutation(len(filled))
    filled, upper = filled[some], upper[some]
    n_lines = len(chart.scores), len(chart.keeps) - 1
    for part in chunks(len(filled), 512):
        mass, lines = situation_masses(player, filled[part], upper[part]), player.lines(filled[part], upper[part])
        for left in range(chart.rules.rerolls + 1):
            numbers = np.unique(lines[:, left][mass[:, left] > 0])
            found |= {(min(left, 1), int(n)) for n in numbers if n < n_lines[min(left, 1)]}
        if len(found) == sum(n_lines):
            break
    return found


def measured(study: dict[str, Any], name: str, game: str) -> tuple[float, float]:
    """The mean of a chart and the lines that are read per decision."""
    charts = next(one["carried"] for one in [study, *study["other_games"]] if one["rules"] == game)
    return next((one["mean"], one["reads"]) for one in charts if one["name"] == name)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "game"), WHOLE)
def test_shipped_charts_are_worth_what_they_say(name: str, game: str, published: Published) -> None:
    """By what the study `charts` measured. Shortest and longest are played here, and all of their lines decide."""
    chart, study = find_chart(name, game), published("charts")
    assert chart.n_lines <= int(name.removeprefix("chart-"))
    assert chart.info["mean"] >= LEAST[name]
    assert chart.info["reads"] <= MAX_READ.get(name, 12)
    assert len(chart.info["keep_costs"]) == len(chart.keeps) - 1
    if study:
        assert measured(study, name, game) == pytest.approx((chart.info["mean"], chart.info["reads"]), abs=1e-9)
    if not study or name in {"chart-10", "chart-58"}:
        played = play(ChartPlayer(chart))
        assert played.mean == pytest.approx(chart.info["mean"], abs=1e-9)
        assert played.reads_per_decision == pytest.approx(chart.info["reads"], abs=1e-9)
        assert lines_that_decide(played) == {
            *((0, number) for number in range(len(chart.scores))),
            *((1, number) for number in range(len(chart.keeps) - 1)),
        }


@pytest.mark.compiled
@pytest.mark.parametrize("game", charted_games())
def test_what_a_line_costs_is_what_its_loss_would_cost(game: str) -> None:
    chart = find_chart("chart-20", game)
    cost = chart.info["mean"] - mean_of(replace(chart, keeps=chart.keeps[1:]))
    assert chart.info["keep_costs"][0] == pytest.approx(cost, abs=1e-9)


@pytest.mark.compiled
def test_the_scoring_chart_is_worth_what_it_says(published: Published) -> None:
    """Dice are kept as in optimal play; 40 lines at most."""
    chart = find_chart(SCORING)
    assert chart.oracle_keeps
    assert chart.n_lines <= 40
    study = published("charts")
    mean = (
        measured(study, SCORING, "scandinavian")[0]
        if study
        else visit(ChartPlayer(chart, table=solve("scandinavian"))).mean
    )
    assert mean == pytest.approx(chart.info["mean"], abs=1e-9)
    assert mean >= LEAST[SCORING]
    assert len(chart.info["score_costs"]) == len(chart.scores)


@pytest.mark.parametrize("game", LADDERS)
def test_each_shipped_chart_extends_the_one_before(game: str) -> None:
    """All its lines, in their order; and no new line could be left out for nothing."""
    charts = [find_chart(name, game) for name in LADDERS[game]]
    for shorter, longer in pairwise(charts):
        for level in (0, 1):
            lines = lines_of(longer, level)
            assert [line for line in lines if line in lines_of(shorter, level)] == [*lines_of(shorter, level)]
            costs = longer.info["keep_costs" if level else "score_costs"]
            new = [cost for line, cost in zip(lines, costs, strict=False) if line not in lines_of(shorter, level)]
            assert min(map(abs, new)) > 1e-9
        assert longer.give_up == shorter.give_up


@pytest.mark.parametrize(("name", "game"), [*WHOLE, (SCORING, "scandinavian")])
def test_shipped_charts_carry_the_settings_of_the_command(name: str, game: str) -> None:
    """Those of `yatzy lists induce --chart`; for which of them a whole run was compared is in docs/rules.md."""
    effort = EFFORT if name == SCORING else ChartEffort()
    info = find_chart(name, game).info
    found = {key: info[key] for key in ("method", "seed", *asdict(effort))}
    assert found == {"method": "chart", "seed": 0, **asdict(effort)}


def test_the_documented_figures_are_those_of_the_charts() -> None:
    text = (Path(__file__).parents[2] / "docs" / "rules.md").read_text()
    rows = re.findall(r"^\| (\w+) \| `(chart-\w+)` \| (\d+) \| ([\d.]+) \| ([\d.]+) \|$", text, re.MULTILINE)
    assert [(name, game) for game, name, *_ in rows] == [
        (name, game) for game in charted_games() for name in shipped_charts(game)
    ]
    for game, name, lines, mean, reads in rows:
        chart = find_chart(name, game)
        assert (int(lines), mean) == (chart.n_lines, f"{chart.info['mean']:.2f}")
        assert reads == f"{chart.info['reads']:.1f}"


def test_explain_names_the_line(tmp_path: Path) -> None:
    keeps = (
        KeepLine(KeepPattern(COMPLETE, 1, boxes=(BOX["Full House"],))),
        KeepLine(KeepPattern(ALIKE, 3, 1, 6)),
        NO_DICE,
    )
    chart = replace(empty_chart("x", GAME), scores=(ScoreLine((5,), 3),), keeps=keeps)
    player, dice = ChartPlayer(chart), lattice(5, 6)
    roll = dice.id_of((1, 1, 6, 6, 6))
    assert player.explain(0, 0, roll, 2) == "Full House: any points, open: keep all five."
    assert player.explain(1 << BOX["Full House"], 0, roll, 1) == "Three or more alike: keep them."
    assert player.explain(0, 0, roll, 0) == "Sixes: three or more dice."
    assert player.explain(1 << 5, 0, roll, 0).startswith(
        "If none of these fits, fill the first open box of: Ones, Twos"
    )
    assert describe(small_chart(THREE_DICE, 0), 1)["reads"] >= 1
    assert FORMAT in save_chart(chart, tmp_path / "x.json").read_text()
