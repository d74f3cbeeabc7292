"""The printed chart, read by a person, is the chart that was measured: in every format, word by word."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from naive import Faces
from printed_cards import Seat
from printed_charts import Printed, decide, read_print
from yatzy.dice import lattice
from yatzy.rulelists.charts import printing
from yatzy.rulelists.charts.candidates import patterns, score_lines
from yatzy.rulelists.charts.library import find_chart, shipped_charts
from yatzy.rulelists.charts.lines import NO_DICE, THROWS, WHENS, Chart, KeepLine, ScoreLine
from yatzy.rulelists.charts.player import ChartPlayer
from yatzy.rules import scandinavian
from yatzy.solver.states import state_space

GAME = scandinavian()
NUMBERS = (230.0, 165.0, 248.0)
DICE = lattice(5, 6)
SHIPPED = [name for name in shipped_charts() if find_chart(name).rules == GAME]


def printed(chart: Chart, form: str) -> str:
    if form == "terminal":
        out = StringIO()
        Console(file=out, width=300).print(printing.terminal(chart, *NUMBERS))
        return out.getvalue()
    return (printing.html if form == "html" else printing.markdown)(chart, *NUMBERS)


def random_chart(seed: int, n: int = 12) -> Chart:
    """Lines of all kinds, in any order."""
    rng = np.random.default_rng(seed)
    scores = [
        ScoreLine(line.boxes, line.least, str(rng.choice(WHENS)))
        for line in (score_lines(GAME)[i] for i in rng.choice(len(score_lines(GAME)), n, replace=False))
    ]
    keeps = []
    for i in rng.choice(len(patterns(GAME)), n, replace=False):
        pattern = patterns(GAME)[i]
        box = -1 if pattern.own or pattern.boxes else int(rng.integers(-1, GAME.n_categories))
        keeps.append(KeepLine(pattern, box, str(rng.choice(THROWS))))
    order = tuple(int(box) for box in rng.permutation(GAME.n_categories))
    return Chart(f"random-{seed}", GAME, tuple(scores), order, (*(k for k in keeps if k != NO_DICE), NO_DICE))


def some_states(n: int, seed: int) -> list[tuple[int, int]]:
    space, rng = state_space(GAME), np.random.default_rng(seed)
    found = []
    for left in np.resize(np.arange(1, GAME.n_categories + 1), n):
        filled = int(rng.choice(space.masks_of_layer(GAME.n_categories - int(left))))
        found.append((filled, int(rng.choice(np.flatnonzero(space.reachable[filled])))))
    return found


def check(paper: Printed, player: ChartPlayer, states: list[tuple[int, int]]) -> None:
    """Every roll of these states at every step of a turn: what is done, and how many lines are read."""
    for filled, upper in states:
        decided = player.decide(np.array([filled]), np.array([upper]))
        lines = player.lines(np.array([filled]), np.array([upper]))
        for roll_id, roll in enumerate(DICE.keeps[: DICE.n_rolls]):
            for left in range(GAME.rerolls + 1):
                played: Faces | str
                if left:
                    played = DICE.keeps[int(decided.keep[0, left - 1, roll_id])]
                else:
                    played = GAME.categories[int(decided.category[0, roll_id])].name
                said = decide(paper, Seat(GAME, filled, upper, roll, left))
                assert said == (1 + lines[0, left, roll_id], played), (filled, upper, roll, left)


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
@pytest.mark.parametrize("name", SHIPPED)
def test_all_formats_say_the_same(name: str, form: str) -> None:
    chart = find_chart(name)
    paper = read_print(printed(chart, form))
    assert paper == read_print(printed(chart, "markdown"))
    assert len(paper.keeps) + len(paper.scores) == chart.n_lines
    assert sorted(paper.give_up) == sorted(category.name for category in GAME.categories)


@pytest.mark.parametrize("name", SHIPPED)
def test_what_a_reader_does_is_what_was_measured(name: str) -> None:
    chart = find_chart(name)
    check(read_print(printed(chart, "terminal")), ChartPlayer(chart), some_states(15, seed=len(name)))


@pytest.mark.parametrize("seed", range(12))
def test_any_chart_plays_as_it_reads(seed: int) -> None:
    """Lines that the shipped charts do not have are played by their words too."""
    chart = random_chart(seed)
    form = ("terminal", "markdown", "html")[seed % 3]
    check(read_print(printed(chart, form)), ChartPlayer(chart), some_states(3, seed))
