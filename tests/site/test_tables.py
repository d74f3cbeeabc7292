"""Games as tables: all that the page reads is what the library says, and every game of the catalogue is there."""

import json
import re
from pathlib import Path

import numpy as np
import pytest
import yaml

from web_scripts import WEB
from yatzy.coach.quiz import read_quiz
from yatzy.game.action import actions_of
from yatzy.rules import GAMES, ruleset
from yatzy.site import tables
from yatzy.solver.advise import lead_word, loss_word
from yatzy.solver.from_here import SOLVED_FROM_HERE
from yatzy.solver.states import state_space
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes

ROOT = Path(__file__).parents[2]
NAMES = ["scandinavian", "yahtzee", "kniffel", "yacht+saved-throws", "scandinavian+forced-order"]


def test_every_choice_of_switches_is_a_game():
    names = [rules.name for rules in tables.all_games()]
    assert len(names) == len(set(names)) == 31
    assert {name.partition("+")[0] for name in names} == set(GAMES)
    assert "yahtzee+free-joker+no-joker" not in names


@pytest.mark.parametrize("name", NAMES)
def test_the_lattice_is_that_of_the_library(name):
    rules, told = ruleset(name), tables.describe_game(ruleset(name))
    dice = lattice(rules.dice, rules.faces)
    assert [tuple(map(int, keep)) for keep in told["keeps"]] == list(dice.keeps)
    assert told["added"] == dice.added[dice.n_rolls :].tolist()
    assert np.array(told["ways"]) / rules.faces**rules.dice == pytest.approx(dice.prob_roll, abs=1e-15)


@pytest.mark.parametrize("name", NAMES)
def test_open_boxes_and_readings_follow_from_the_tables(name):
    """As the page reads them: needs, questions, readings."""
    rules, told = ruleset(name), tables.describe_game(ruleset(name))
    ends = outcomes(rules)
    for filled in np.flatnonzero(state_space(rules).possible)[:: max(1, rules.n_sets // 40)].tolist():
        is_open = [not filled >> c & 1 and filled & need == need for c, need in enumerate(told["needs"])]
        for roll in range(0, len(rules.rolls), 5):
            readings = {one["roll"]: one["questions"] for one in told["special"]}
            reading = roll if roll not in readings else follow(readings[roll], filled)
            row = told["readings"][reading]
            assert {c: o for c, o in enumerate(row) if o >= 0 and is_open[c]} == ends.allowed(filled, roll)


def follow(questions: list[list[int]], mask: int) -> int:
    at = 0
    while at >= 0:
        bit, clear, is_set = questions[at]
        at = is_set if mask >> bit & 1 else clear
    return -1 - at


@pytest.mark.parametrize("name", NAMES)
def test_states_are_those_of_the_library(name):
    rules, told = ruleset(name), tables.describe_game(ruleset(name))
    space = state_space(rules)
    for filled in range(0, rules.n_sets, 37):
        upper = told["uppers"][space.upper_set[filled]]
        totals = int(upper["totals"], 16)
        reached = space.reachable_by_upper_set[space.upper_set[filled]]
        assert [bool(totals >> u & 1) for u in range(space.n_uppers)] == reached.tolist()
        assert (upper["low"], upper["high"]) == (space.lowest_upper[filled], space.highest_upper[filled])
        assert told["saved"][space.n_filled[filled]] == space.n_saved[filled]
    assert told["states"] == space.n_reachable
    assert told["values"] == tables.table_entries(rules)


def test_both_engines_have_the_same_constants():
    """A bug: chances were solved from here with nine boxes open by the library and with ten by the page."""
    text = (WEB / "engine" / "constants.json").read_text()
    assert json.loads(text) == tables.describe_constants()
    assert json.loads(text)["solved_from_here"] == SOLVED_FROM_HERE
    # The levels that web/tests/engine/engine.test.ts expects of the page.
    levels = [0, tables.TIE, 0.1, 0.5, 1.9, 2.0, 4.9, 5.0]
    words = ["perfect", "fine", "inaccuracy", "mistake", "blunder"], ["equal", "close call", "clear", "obvious"]
    assert [words[0].index(loss_word(one)) for one in levels] == [0, 0, 1, 2, 2, 3, 3, 4]
    assert [words[1].index(lead_word(one)) for one in levels] == [0, 0, 1, 2, 2, 3, 3, 3]


def test_files_are_written_and_old_ones_removed(tmp_path):
    (tmp_path / "crag.json").write_text("{}")
    written = tables.write_tables(tmp_path)
    assert sorted(written) == sorted(tmp_path.glob("*.json"))
    assert json.loads((tmp_path / "yahtzee.json").read_text())["fingerprint"] == ruleset("yahtzee").fingerprint


def test_questions_are_those_of_the_shipped_quiz():
    """The page's ids, read back as the library's actions."""
    quiz, told = read_quiz(), tables.describe_questions()
    actions = actions_of(quiz.rules)
    assert len(told) == len(quiz)
    for question, one in zip(quiz.questions, told, strict=True):
        at = question.situation
        assert (one["set"], one["upper"]) == (at.state.filled, at.state.upper)
        assert (one["dice"], one["rerolls"]) == (at.dice, at.rerolls)
        assert tuple(actions[choice] for choice in one["choices"]) == question.choices


@pytest.mark.compiled
def test_the_outlook_of_a_new_game_is_the_librarys(evaluation_of):
    """As the page has it beforehand; that its engine says the same is tested with the golden situations."""
    told, exact = tables.describe_new_game(), evaluation_of("optimal")
    assert told["fingerprint"] == exact.rules.fingerprint
    assert told["pmf"] == pytest.approx(exact.distribution.pmf.tolist(), rel=1e-5, abs=1e-15)
    assert (told["mean"], told["sd"]) == pytest.approx((exact.mean, exact.sd), abs=1e-6)
    assert told["bonus_rate"] == pytest.approx(exact.bonus_rate, abs=1e-8)
    assert told["quantiles"] == exact.distribution.quantiles


def test_what_the_script_has_in_it_is_up_to_date(tmp_path, monkeypatch):
    tables.main(["check"])
    stale = {tmp_path / path.name: told for path, told in tables.files_of_page().items()}
    monkeypatch.setattr(tables, "files_of_page", lambda: stale)
    with pytest.raises(SystemExit, match="make tables"):
        tables.main(["check"])
    tables.main(["write"])
    tables.main(["check"])
    with pytest.raises(SystemExit, match="write or check"):
        tables.main([])


@pytest.mark.compiled
def test_a_commit_that_changes_a_file_of_the_page_checks_it():
    """The hook watched a folder that was no more."""
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text())["repos"][0]["hooks"]
    watched = re.compile(next(hook["files"] for hook in hooks if hook["id"] == "tables"))
    for file in [*tables.files_of_page(), Path(tables.__file__)]:
        assert watched.search(str(file.relative_to(ROOT))), file
