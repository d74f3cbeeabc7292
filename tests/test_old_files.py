"""Files of version 0.2 are still read: those in `old/` were written by it, and are never written again."""

import json
import re
import shutil
from datetime import date
from pathlib import Path

import pytest

from yatzy.coach.deck import read_deck
from yatzy.coach.quiz import read_answers, read_quiz
from yatzy.context import Context
from yatzy.game.game import read_saved
from yatzy.game.log import read_logs
from yatzy.players.library import OLD_NAMES, charted_games, find_chart, find_list, shipped_charts, shipped_lists
from yatzy.players.model import load_model
from yatzy.policies.registry import find_policy
from yatzy.rules import ruleset
from yatzy.solver import store
from yatzy.solver import store as goal_store
from yatzy.solver.goal import reach

OLD = Path(__file__).parent / "old"


def test_logs():
    (game,) = read_logs(OLD / "game.json")
    assert (game.rules.name, game.player, game.seed, sum(game.points)) == ("yacht", "heuristic", 4, 136)
    games = read_logs(OLD / "games.jsonl")
    assert [(one.seed, one.game, sum(one.points)) for one in games] == [(7, 0, 37), (7, 1, 38)]


def test_a_table_in_mid_turn():
    table = read_saved(OLD / "table.json")
    assert [(log.player, len(log.turns)) for log in table.logs] == [("Anna", 2), ("optimal", 1)]
    assert (table.against, table.target) == ("optimal", 260)
    assert table.games[1].rolls == ((1, 3, 3, 5, 6), (3, 3, 3, 3, 2))
    assert table.games[1].held == ((False, True, True, False, False),)


def test_a_deck():
    """One card was never right, one once, and one was mastered: it counts as right on two days."""
    rules, cards = read_deck(OLD / "deck.json", today=date(2026, 2, 7))
    assert rules.name == "scandinavian"
    assert [(card.situation, str(card.played), card.lost) for card in cards] == [
        ("1 3 3 5 6 | 2 | - @ 0", "keep 6", 1.25),
        ("2 2 2 4 4 | 0 | ones @ 3", "score twos", 3.5),
        ("1 2 6 6 6 | 1 | one pair @ 0", "keep 6 6 6", 0.0),
    ]
    assert [card.memory and card.memory.due for card in cards] == [None, date(2026, 2, 9), date(2026, 2, 18)]
    assert cards[2].answered(0.0, date(2026, 2, 18)).is_mastered


def test_answers_to_the_quiz():
    assert read_answers(read_quiz(), OLD / "answers.json") == {0: 1, 3: 0, 7: 2}


def test_rules():
    assert ruleset(str(OLD / "rules.toml")).fingerprint.startswith("663c79f8a0aef5f6")


def test_players():
    assert find_list(str(OLD / "list.json")).name == "card-20"
    assert find_chart(str(OLD / "chart.json")).name == "chart-10"
    assert load_model(OLD / "model.safetensors").name == "value-18"


@pytest.mark.parametrize("old", OLD_NAMES)
def test_names_of_players(old):
    """`rules-100` had 50 rules: names are now true, and old ones still find the same players."""
    name, _, game = old.partition(".")
    found = find_policy(name, game or "scandinavian")
    assert f"{found.name}.{game}".strip(".") == OLD_NAMES[old]


def test_a_name_says_how_many_rules_or_lines_there_are():
    """`rules-100` had 50 rules, and `card-100` had 77."""
    sizes = [(name, find_list(name).n_rules) for name in shipped_lists()]
    for game in charted_games():
        sizes += [
            (name, find_chart(name, game).n_lines) for name in shipped_charts(game) if name != "chart-scores"
        ]
    assert [size for _, size in sizes] == [int(re.findall(r"\d+", name)[0]) for name, _ in sizes]


@pytest.mark.parametrize("rules", ["yacht", str(OLD / "rules.toml")])
def test_the_tables_of_a_home_folder(rules, tmp_path, monkeypatch):
    """Found by their names, and not solved again."""
    shutil.copytree(OLD / "home", tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(store, "solve", pytest.fail)
    assert store.stored_table(rules, context=Context(tmp_path)).value() > 0
    if rules != "yacht":
        monkeypatch.setattr(goal_store, "solve_goal", pytest.fail)
        assert goal_store.stored_goal(ruleset(rules), reach(), Context(tmp_path)).rules.name == "tiny"
    before = {file.name for file in (OLD / "home").rglob("*")}
    assert {file.name for file in tmp_path.rglob("*")} == before


def test_nothing_here_is_new():
    """Decks are written otherwise since; these are not."""
    assert json.loads((OLD / "deck.json").read_text())["version"] == 1
    assert json.loads((OLD / "page-deck.json").read_text())["version"] == 1
