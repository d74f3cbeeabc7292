"""Profile and practice at the terminal: questions, recorded games, a deck worked off."""

import io
import json
from dataclasses import replace

import pytest
from rich.console import Console

from yatzy import YatzyError, solve
from yatzy.cli.terminal import QuestionPrompt, read_action
from yatzy.coach.deck import deck_of, read_deck, write_deck
from yatzy.coach.leak import training_deck
from yatzy.coach.quiz import read_answers, read_quiz
from yatzy.coach.review import review
from yatzy.game.action import Keep, Score
from yatzy.game.json import as_json as to_plain
from yatzy.game.log import read_logs, write_logs
from yatzy.game.situation import Situation
from yatzy.measure.simulate import play_logs
from yatzy.policies.baselines import Heuristic
from yatzy.policies.registry import find_policy

AT = "1 2 2 5 6 | 1 | ones @ 3"


@pytest.mark.parametrize(
    ("typed", "choice"),
    [
        ("22", Keep((2, 2))),
        ("-", Keep()),
        ("6 5", Keep((5, 6))),
        ("b", Score("twos")),
        ("chance", Score("chance")),
    ],
)
def test_what_is_typed_is_understood(rules, typed, choice):
    assert read_action(rules, Situation.parse(AT, rules), typed) == choice


@pytest.mark.parametrize(
    ("typed", "sentence"),
    [
        ("33", "keep: '3 3' is not part of"),
        ("a", "category: 'ones' is already filled"),
        ("poker", "category: 'poker'"),
    ],
)
def test_what_cannot_be_done_is_said(rules, typed, sentence):
    with pytest.raises(YatzyError, match=sentence):
        read_action(rules, Situation.parse(AT, rules), typed)


def test_it_is_asked_until_it_is_understood_on_one_screen(rules):
    console = Console(file=io.StringIO(), width=80, height=24, force_terminal=True, color_system=None)
    lines = iter(["?", "33", "22"])
    asking = QuestionPrompt(console, lambda prompt: next(lines), rules)
    assert asking.ask(Situation.parse(AT, rules), "Question 1 of 30") == Keep((2, 2))
    screens = console.file.getvalue().split("\x1b[2J")[1:]
    assert len(screens) == 3
    assert all(shown.count("\n") < 24 for shown in screens)
    assert "hold two threes" in screens[1]
    assert "is not part of" in screens[2]


def typed_answer(quiz, number, choice):
    """What one types for a choice."""
    action = quiz.questions[number].choices[choice]
    return action.category if isinstance(action, Score) else "".join(map(str, action.dice)) or "-"


def test_thirty_questions_are_answered(yatzy, tmp_path):
    """In two sittings; what is fitted is what the answers say."""
    quiz, file = read_quiz(), tmp_path / "answers.json"
    answers = {number: int(question.behind[2, 4, 3].argmin()) for number, question in enumerate(quiz.questions)}
    lines = [typed_answer(quiz, number, choice) for number, choice in answers.items()]
    first = ("profile", "--answers", file, "--no-costs")
    status, out, _ = yatzy(*first, lines=[*lines[:12], "q"])
    assert (status, len(read_answers(quiz, file))) == (0, 12)
    assert "Your profile, from 12 answers:" in out
    status, out, _ = yatzy(*first, "--json", lines=lines[12:])
    told = json.loads(out)
    assert read_answers(quiz, file) == answers
    assert told["decisions"] == 30
    assert told["depth"] == 14
    assert abs(told["theta"]) < 0.01
    assert told["gamma"] > 0.9
    assert told["beta"] > 4
    assert told["sentences"]["theta"] == "plays for the average"
    assert told == to_plain(quiz.fit(answers)) | {"rules": "scandinavian", "sentences": told["sentences"]}


def test_a_score_with_rerolls_left_is_to_hold_all_dice(yatzy, tmp_path):
    quiz, file = read_quiz(), tmp_path / "answers.json"
    number = next(
        i for i, one in enumerate(quiz.questions) if one.situation.rerolls and "yatzy" in one.situation.open
    )
    yatzy("profile", "--answers", file, "--no-costs", lines=[*[""] * number, "yatzy", "q"])
    assert read_answers(quiz, file) == {number: quiz.questions[number].number_of(Score("yatzy"))}


def test_nothing_answered_is_no_profile(yatzy):
    status, _, err = yatzy("profile", "--no-costs", lines=["q"])
    assert (status, err) == (2, "yatzy: answers: there are none; a profile needs at least one\n")


def test_simulated_players_are_told_in_numbers(as_json):
    told = as_json("profile", "--simulate", 50, "--seed", 3)
    assert (told["players"], told["questions"]) == (50, 30)
    assert told["theta"] < told["spread"]["theta"]


@pytest.mark.compiled
def test_games_are_profiled(as_json, told, tmp_path):
    """Greedy play of a game of twelve boxes sees one turn."""
    games = list(play_logs(find_policy("greedy", "yacht"), 4))
    file = write_logs(games, tmp_path / "games.jsonl")
    found = as_json("profile", file, "--no-costs")
    assert (found["rules"], found["depth"]) == ("yacht", 0)
    assert found["decisions"] >= 4 * 12
    assert told("profile", file, "--player", "Bo").startswith(
        "player: 'Bo' played none of these games; allowed is greedy"
    )
    other = write_logs(play_logs(find_policy("heuristic", "yacht"), 1), tmp_path / "other.jsonl")
    assert told("profile", file, other).startswith("player: the games were played by greedy, heuristic; name one")


@pytest.mark.compiled
def test_a_deck_is_worked_off(yatzy, table, rules, tmp_path):
    """Every card answered with its best action: it rests, and nothing was lost; on its day it is asked again."""
    file = write_logs(play_logs(Heuristic(rules), 1, seed=4), tmp_path / "game.json")
    deck = tmp_path / "deck.json"
    status, out, _ = yatzy("practice", file, "--deck", deck, "--cards", 6, "--json", lines=["", "q"])
    assert json.loads(out)["left"] == 6
    status, _, err = yatzy("practice", "--deck", deck, lines=["q"])
    assert status == 2, "nothing was answered, so nothing was kept"
    assert "games: there are none" in err
    typist = Best(table)
    status, out, _ = yatzy("practice", file, "--deck", deck, "--cards", 6, lines=typist.lines_for(file, 6))
    assert "6 answers, 6 good; 0.0 points lost. 6 cards: 0 mastered, 0 left for today." in out
    status, out, _ = yatzy("practice", "--deck", deck, "--json")
    assert json.loads(out) == {
        "rules": "scandinavian", "answered": 0, "well": 0, "lost": 0.0, "mastered": 0, "left": 0,
    }  # fmt: skip
    _, cards = read_deck(deck)
    earlier = [replace(card, memory=replace(card.memory, due=card.memory.last)) for card in cards[:2]]
    write_deck(rules, [*earlier, *cards[2:]], deck)
    status, out, _ = yatzy("practice", "--deck", deck, "--json", lines=["q"])
    assert json.loads(out)["left"] == 2


@pytest.mark.compiled
def test_a_bad_answer_comes_back_in_the_same_session(yatzy, table, rules, tmp_path):
    """The first of six cards is answered badly, and comes again after three others."""
    file = write_logs(play_logs(Heuristic(rules), 1, seed=4), tmp_path / "game.json")
    typist = Best(table)
    good = typist.lines_for(file, 6)
    asked = [card.at for card in typist.dealt(file, 6)]
    worst = typist.typed(asked[0], -1)
    status, out, err = yatzy(
        "practice", file, "--cards", 6, "--json", lines=[worst, *good[1:4], *good[:1], *good[4:]]
    )
    told = json.loads(out)
    assert status == 0
    # After an answer its choices are ranked, with what was answered and what was played.
    best, *_, last = table.advise(asked[0])
    marked = [" ".join(line.split()) for line in err.splitlines()]
    assert any(
        line.endswith(f"{best.action} best") or f"{best.action} best (your game)" in line for line in marked
    )
    assert any(f"{last.action} costs {last.regret:.1f} (your answer" in line for line in marked)
    assert (told["answered"], told["well"], told["left"]) == (7, 6, 0)


@pytest.mark.compiled
def test_a_habit_is_found_and_trained(yatzy, as_json, tmp_path):
    """Greedy play takes points now. The deck keeps its cards, answers count, and the next cards are others."""
    logs = [replace(log, policy=None) for log in play_logs(find_policy("greedy", "yacht"), 20)]
    file, deck = write_logs(logs, tmp_path / "games.jsonl"), tmp_path / "deck.json"
    told = as_json("leaks", file)
    assert (told["games"], told["found"]["habit"]) == (20, "points-now")
    status, out, _ = yatzy("leaks", file)
    assert out.startswith("You take points now that cost more later. Such mistakes cost ")
    table = solve("yacht")
    for _ in range(2):
        known = {card.at for card in read_deck(deck)[1]} if deck.exists() else set()
        dealt = training_deck("points-now", table, 4, len(known), known)
        assert not known & {card.at for card in dealt}
        lines = [Best(table).typed(card.at) for card in dealt]
        status, out, err = yatzy("practice", file, "--train", "--cards", 4, "--deck", deck, lines=[*lines, "q"])
        assert (status, err) == (0, "")
        assert "4 answers, 4 good; 0.0 points lost." in out
        assert "points a decision in your games, 0.00 now." in out
    _, cards = read_deck(deck)
    assert len(cards) == 8
    assert all(card.habit == "points-now" and len(card.answers) == 1 for card in cards)
    assert as_json("leaks", file, "--deck", deck)["decisions"] == told["decisions"]


@pytest.mark.compiled
def test_cards_are_written_for_anki(yatzy, rules, tmp_path):
    file = write_logs(play_logs(Heuristic(rules), 1, seed=4), tmp_path / "game.json")
    status, out, _ = yatzy("practice", file, "--cards", 6, "--anki", tmp_path / "cards.txt")
    assert (status, out) == (0, f"6 cards for Anki in {tmp_path / 'cards.txt'}\n")
    lines = (tmp_path / "cards.txt").read_text().splitlines()
    assert len(lines) == 3 + 6
    assert sum("loses" in line for line in lines) == 3


class Best:
    """Types the best action of every card."""

    def __init__(self, table):
        self.table = table

    def lines_for(self, file, cards):
        return [self.typed(card.at) for card in self.dealt(file, cards)]

    def dealt(self, file, cards):
        return deck_of([review(log, self.table) for log in read_logs(file)], cards)

    def typed(self, at, place=0):
        done = self.table.advise(at)[place].action
        return done.category if isinstance(done, Score) else " ".join(map(str, done.dice)) or "-"
