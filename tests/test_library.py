"""What `import yatzy` offers: examples that run, names and text, pictures, pickles, types."""

import doctest
import pickle
import re
import subprocess
import sys
from dataclasses import replace
from importlib import import_module
from pathlib import Path

import numpy as np
import pytest

import yatzy
from games import THREE_DICE
from yatzy import YatzyError
from yatzy.game.json import as_json
from yatzy.policies.registry import find_policy

MODULES = (
    "yatzy", "yatzy.solver.solve", "yatzy.solver.table", "yatzy.solver.from_here",
    "yatzy.solver.advise", "yatzy.solver.actions", "yatzy.coach.advice", "yatzy.measure.exact",
    "yatzy.measure.simulate", "yatzy.measure.distribution", "yatzy.measure.frontier", "yatzy.coach.chances",
    "yatzy.lab.studies.sweep", "yatzy.lab.training.data", "yatzy.players.estimators", "yatzy.players.situations",
    "yatzy.coach.review", "yatzy.coach.profile",
    "yatzy.game.situation", "yatzy.policies.functions", "yatzy.policies.functions", "yatzy.rules.ruleset",
    "yatzy.policies.policy", "yatzy.solver.goal", "yatzy.players.library", "yatzy.gym.environment",
)  # fmt: skip


@pytest.mark.compiled
@pytest.mark.parametrize("module", MODULES)
def test_the_examples_of_docstrings_run(module):
    result = doctest.testmod(import_module(module), optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


def test_every_public_name_is_there_and_has_a_docstring():
    assert sorted(yatzy.__all__) == yatzy.__all__
    assert dir(yatzy) == yatzy.__all__
    for name in yatzy.__all__:
        assert getattr(yatzy, name).__doc__, name
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = yatzy.nothing


TAUGHT = (
    "solve", "advise", "action_values", "evaluate", "simulate", "compare", "review", "Game", "play_on", "Policy",
    "policy", "Ruleset", "Category", "Goal", "from_here", "profile",
)  # fmt: skip


@pytest.mark.parametrize("name", TAUGHT)
def test_docstrings_teach_by_example(name):
    assert ">>>" in getattr(yatzy, name).__doc__


def test_importing_is_light():
    """Neither NumPy nor Numba; how long it takes is measured by the interpreter itself, in CPU time."""
    code = (
        "import sys, time; t = time.process_time(); import yatzy; t = time.process_time() - t;"
        "assert not {'numpy', 'numba', 'polars'} & set(sys.modules); print(t)"
    )
    seconds = min(
        float(subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout)
        for _ in range(5)
    )
    assert seconds < 0.05


def test_a_table_takes_text_and_shows_itself():
    table = yatzy.solve(THREE_DICE)
    assert table.value("ones,twos @ 3") == table.value(0b11, 3) == table.value(["ones", "twos"], 3)
    assert repr(table).startswith("<ValueTable three-dice: ")
    assert table._repr_html_().count("<tr>") == 1 + 4
    frame = table.frame()
    assert len(frame) == table.space.n_reachable
    assert frame.row(0) == (0, 0, table.value())
    again = pickle.loads(pickle.dumps(table))
    assert again == table != yatzy.solve(THREE_DICE, 0.05)
    assert len({again, table}) == 1
    with pytest.raises(YatzyError, match="upper: 4 is given twice"):
        table.value("ones @ 3", 4)


def test_advice_is_a_list_with_a_situation():
    table = yatzy.solve(THREE_DICE)
    advice = table.advise("1 2 3", 1, "ones", 1)
    assert advice == table.advise("1 2 3 | 1 | ones @ 1")
    assert advice.frame()["action"].to_list() == [str(one.action) for one in advice]
    assert (
        repr(advice)
        == f"<Advice for '1 2 3 | 1 | ones @ 1': {advice.best}, {advice.value:.3f}; {len(advice)} actions>"
    )
    assert "<td" in advice._repr_html_()
    assert pickle.loads(pickle.dumps(advice)).situation == advice.situation
    with pytest.raises(YatzyError, match="give it alone"):
        table.advise("1 2 3 | 1 | ones @ 1", 1)


def test_action_values_take_text():
    table = yatzy.solve(THREE_DICE)
    by_text = yatzy.action_values(table, ["ones @ 1", "- @ 0"], roll_ids=["1 2 3", "444"], rerolls=1)
    rolls = [THREE_DICE.rolls.index((1, 2, 3)), THREE_DICE.rolls.index((4, 4, 4))]
    by_number = yatzy.action_values(table, [1, 0], [1, 0], rolls, 1)
    for one, other in zip(by_text, by_number, strict=True):
        np.testing.assert_array_equal(one, other)


def test_measures_show_themselves():
    found = yatzy.evaluate("heuristic", THREE_DICE)
    assert repr(found) == f"<Evaluation of heuristic, three-dice: mean {found.mean:.4f}, SD {found.sd:.4f}, exact>"
    assert found.frame()["mean"].sum() + 13 * found.bonus_rate == pytest.approx(found.mean)
    assert found.distribution.frame()["probability"].sum() == pytest.approx(1)
    assert found._repr_html_().startswith("<svg")
    games = yatzy.simulate("heuristic", 2_000, rules=THREE_DICE)
    assert games.mean == pytest.approx(found.mean, abs=4 * games.standard_error)
    assert "2,000 games of three-dice" in repr(games)
    for thing in (found, found.distribution, games, yatzy.compare("random", "greedy", games=5, rules=THREE_DICE)):
        assert pickle.loads(pickle.dumps(thing)) == thing
    assert games != yatzy.simulate("heuristic", 2_000, seed=1, rules=THREE_DICE)
    assert games._repr_html_().startswith("<svg")


def test_everything_is_shown_in_one_line():
    table = yatzy.solve(THREE_DICE)
    things = [
        table, yatzy.ruleset("yahtzee"), yatzy.Category("Sixes", sum), yatzy.action_values(table),
        yatzy.Game(THREE_DICE).log(), yatzy.Situation.parse("1 2 3 | 1 | ones @ 1", THREE_DICE),
        *(find_policy(name) for name in ("chart-20", "card-20", "value-18", "tree-6k", "greedy")),
        find_policy("optimal", THREE_DICE), yatzy.compare("random", "random", games=5, rules=THREE_DICE)[1],
    ]  # fmt: skip
    for thing in things:
        assert len(repr(thing)) < 180, thing
        assert "\n" not in repr(thing)
        assert " object at 0x" not in repr(thing)


def test_compare_is_paired():
    both = yatzy.compare("random", "heuristic", "random", games=2_000, rules=THREE_DICE)
    assert [row.policy for row in both] == ["random", "heuristic", "random"]
    assert both[1].difference == pytest.approx(both[1].mean - both[0].mean)
    assert (both[2].difference, both[2].ties) == (0, 1)
    assert both[1].low < both[1].difference < both[1].high
    assert both.frame().shape == (3, 8)
    assert len(pickle.loads(pickle.dumps(both))) == 3
    assert both._repr_html_().count("<tr>") == 4
    with pytest.raises(YatzyError, match="policies: 1 cannot be compared"):
        yatzy.compare("random")


def test_a_game_is_played_with_thrown_and_given_dice(tmp_path):
    first = yatzy.Game(THREE_DICE, seed=1).throw()
    assert len(first.dice) == 3
    game = first.undo().throw("2 2 4").hold([2, 2]).throw("4")
    assert game.dice == (2, 2, 4)
    assert str(game.situation) == "2 2 4 | 1 | - @ 0"
    game = game.score("twos")
    assert (game.points[-1], game.total, game.card["twos"], game.card["fours"], game.turn) == (4, 4, 4, None, 2)
    game = yatzy.play_on(game, "heuristic")
    assert game.is_finished
    assert repr(game) == f"<Game three-dice: finished with {game.total} points>"
    assert "seed" not in as_json(game.log())
    review = yatzy.review(game.save(tmp_path / "game.json"), rules=THREE_DICE)
    assert review.start_value + review.luck - review.lost == pytest.approx(game.total)
    assert len(review.frame()) == len(review.decisions)
    assert repr(review).startswith(f"<Review: {game.total} points, ")
    assert "<table>" in review._repr_html_()
    boxes = [int(n) for n in re.findall(r">(\d+)</td></tr>", game._repr_html_())]
    assert sum(boxes[:-1]) == boxes[-1] == game.total
    assert repr(game.log()) == f"<GameLog three-dice: 4 turns, {game.total} points>"


def test_a_seeded_game_is_that_of_simulate():
    game = yatzy.play_on(yatzy.Game(THREE_DICE, seed=5), "heuristic")
    assert game.total == yatzy.simulate("heuristic", 1, seed=5, rules=THREE_DICE).score[0]
    assert game.log().seed == 5


@pytest.mark.parametrize(
    ("act", "sentence"),
    [
        (lambda game: game.hold("4"), "hold: '4' is not part of what lies there: 1 2 3"),
        (lambda game: game.score("fives"), "category: 'fives' is not known"),
        (lambda game: game.throw("1 2"), "dice: '1 2' has 2 dice; allowed is exactly 3"),
        (lambda game: game.throw("9 9 9"), "dice: '9 9 9' has a face outside 1..4"),
        (lambda game: yatzy.review(3), "game: 3 is not a game"),
        (lambda game: yatzy.play_on(game, 3), "policy: 3 is not a policy"),
        (lambda game: yatzy.evaluate(game, rules="yacht"), "policy: <Game"),
        (lambda game: yatzy.Game(seed=-1), "seed: -1 is not allowed"),
    ],
)
def test_what_is_not_allowed_is_a_sentence_and_changes_nothing(act, sentence):
    game = yatzy.Game(THREE_DICE).throw([1, 2, 3])
    with pytest.raises(YatzyError) as error:
        act(game)
    assert str(error.value).startswith(sentence)
    assert game.dice == (1, 2, 3)


def test_a_game_of_too_many_dice_is_refused_at_once():
    """Ruleset(dice=12) was accepted, and solving it did not end."""
    many = replace(THREE_DICE, name="many", dice=12, faces=6)
    with pytest.raises(YatzyError, match="dice: 12 of 6 faces can be kept in 18,564 ways; allowed is 3,003"):
        yatzy.solve(many)


TYPED = """
import yatzy


@yatzy.policy
def mine(here: yatzy.Situation) -> list[int] | str:
    return [die for die in here.dice if die == 6] if here.rerolls else max(here.points, key=here.points.get)


@yatzy.policy(rules="yacht", vectorised=True)
def quick(states: yatzy.States) -> object:
    return states.points.argmax(axis=2), states.keep_ids(states.counts)


table: yatzy.ValueTable = yatzy.solve()
value: float = table.value("ones,pair @ 3")
best: yatzy.Action = yatzy.advise("1 3 3 5 6", rerolls=2).best
also: yatzy.Keep | yatzy.Score = table.advise("1 3 3 5 6", rerolls=2)[0].action
mean: float = yatzy.evaluate(mine).mean
share: float = yatzy.evaluate("heuristic").distribution.at_least(200)
rows: int = yatzy.simulate(quick, games=10).frame().height
wins: float = yatzy.compare("optimal", mine)[1].wins
game = yatzy.Game(seed=1).throw()
dice: tuple[int, ...] = game.dice
points: int = game.score("chance").points[-1]
lost: float = yatzy.review(game).lost
player: yatzy.Policy = mine
rules = yatzy.Ruleset("pair of boxes", 5, 6, 2, (yatzy.Category("Sum", lambda counts: sum(counts)),))
"""


@pytest.mark.compiled
def test_a_users_strict_types_are_right(tmp_path):
    """With the package's own types (`py.typed`), which `make check` has read before; a wrong one is noticed."""
    good, bad = tmp_path / "good.py", tmp_path / "bad.py"
    good.write_text(TYPED)
    bad.write_text("import yatzy\n\nvalue: str = yatzy.solve().value()\n")
    root = Path(__file__).parents[1]
    command = [sys.executable, "-m", "mypy", "--strict", str(good), str(bad)]
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=root)
    assert [line.rpartition("/")[2] for line in ended.stdout.splitlines()[:-1]] == [
        'bad.py:3: error: Incompatible types in assignment (expression has type "float", variable has type "str")'
        "  [assignment]"
    ]
