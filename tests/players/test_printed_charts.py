"""The printed chart, read by a person, is the chart that was measured: in every format, word by word."""

from dataclasses import replace
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from naive import Faces
from printed_cards import Seat
from printed_charts import Printed, decide, read_print
from samples import states_of_all_stages
from yatzy.players import chart_card
from yatzy.players.chart import NO_DICE, THROWS, WHENS, Chart, KeepLine, ScoreLine, patterns, score_lines
from yatzy.players.chart_player import ChartPlayer
from yatzy.players.library import charted_games, find_chart, shipped_charts
from yatzy.rules import Ruleset, ruleset
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes

NUMBERS = (230.0, 165.0, 248.0)
DICE = lattice(5, 6)
SHIPPED = [(name, game) for game in charted_games() for name in shipped_charts(game)]
FORMS = ("terminal", "markdown", "html")


def printed(chart: Chart, form: str) -> str:
    if form == "terminal":
        out = StringIO()
        Console(file=out, width=300).print(chart_card.terminal(chart, *NUMBERS))
        return out.getvalue()
    return (chart_card.html if form == "html" else chart_card.markdown)(chart, *NUMBERS)


def random_chart(game: Ruleset, seed: int, n: int = 12) -> Chart:
    """Lines of all kinds, in any order."""
    rng = np.random.default_rng(seed)
    known = score_lines(game)
    scores = [
        ScoreLine(line.boxes, line.least, str(rng.choice(WHENS)))
        for line in (known[i] for i in rng.choice(len(known), n, replace=False))
    ]
    keeps = []
    for i in rng.choice(len(patterns(game)), n, replace=False):
        pattern = patterns(game)[i]
        box = -1 if pattern.own or pattern.boxes else int(rng.integers(-1, game.n_categories))
        keeps.append(KeepLine(pattern, box, str(rng.choice(THROWS))))
    order = tuple(int(box) for box in rng.permutation(game.n_categories))
    return Chart(f"random-{seed}", game, tuple(scores), order, (*(k for k in keeps if k != NO_DICE), NO_DICE))


def check(paper: Printed, chart: Chart, states: list[tuple[int, int]]) -> None:
    """A third of the rolls of each state, and five alike, at every step: what is done after how many lines."""
    game, player = chart.rules, ChartPlayer(chart)
    for number, (filled, upper) in enumerate(states):
        decided = player.decide(np.array([filled]), np.array([upper]))
        lines = player.lines(np.array([filled]), np.array([upper]))
        for roll_id, roll in enumerate(DICE.keeps[: DICE.n_rolls]):
            if (roll_id + number) % 3 and len(set(roll)) > 1:
                continue
            for left in range(game.rerolls + 1 if paper.keep_nothing else 1):
                played: Faces | str
                if left:
                    played = DICE.keeps[int(decided.keep[0, left - 1, roll_id])]
                else:
                    played = game.categories[int(decided.category[0, roll_id])].name
                said = decide(paper, Seat(game, filled, upper, roll, left))
                assert said == (1 + lines[0, left, roll_id], played), (filled, upper, roll, left)


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize(("name", "game"), SHIPPED)
def test_all_formats_say_the_same(name: str, game: str, form: str) -> None:
    chart = find_chart(name, game)
    paper = read_print(printed(chart, form))
    assert paper == read_print(printed(chart, "markdown"))
    assert len(paper.keeps) + len(paper.scores) == chart.n_lines
    assert paper.keep_nothing is not chart.oracle_keeps
    assert sorted(paper.give_up) == sorted(category.name for category in chart.rules.categories)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "game"), SHIPPED)
def test_what_a_reader_does_is_what_was_measured(name: str, game: str) -> None:
    chart = find_chart(name, game)
    paper = read_print(printed(chart, "terminal"))
    if chart.oracle_keeps:
        # Only where to score is printed; how the dice came about does not matter.
        chart = replace(chart, oracle_keeps=False, keeps=(NO_DICE,))
    check(paper, chart, states_of_all_stages(chart.rules, 15, seed=len(name)))


@pytest.mark.compiled
@pytest.mark.parametrize("seed", range(12))
def test_any_chart_plays_as_it_reads(seed: int) -> None:
    """Lines that the shipped charts do not have are played by their words too."""
    game = ruleset()
    chart = random_chart(game, seed)
    check(read_print(printed(chart, FORMS[seed % 3])), chart, states_of_all_stages(game, 3, seed))


@pytest.mark.parametrize("game", ["yahtzee", "yahtzee+free-joker", "kniffel"])
def test_jokers_are_read_by_the_rules_of_the_game(game: str) -> None:
    """Five alike once their box is filled, with that box holding points or a zero."""
    rules = ruleset(game)
    chart = random_chart(rules, 5)
    paper = read_print(printed(chart, "markdown"))
    states = states_of_all_stages(rules, 26, 1)
    assert {bool(filled & rules.flag_of(rules.flagged[0])) for filled, _ in states} == {True, False}
    assert len(outcomes(rules).special_rolls) == 6
    check(paper, chart, states)
