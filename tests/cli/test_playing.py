"""The coach at the terminal: a whole game typed, by a person at a real terminal too."""

import io
import json
import os
import pty
import re
import select
import subprocess
import sys
import time

import numpy as np
import pytest
from rich.console import Console

from games import IN_ORDER, SPECIAL_GAMES
from games import TOLD_JOKERS as JOKERS
from games import TOLD_SAVING as SAVING
from yatzy import YatzyError, solve
from yatzy.cli import play as playing
from yatzy.cli.play import describe_opponent, draw_decisions, draw_review
from yatzy.cli.terminal import LETTERS, TerminalGame, draw_cards, draw_dice
from yatzy.coach.advice import Coach
from yatzy.coach.level import published_levels
from yatzy.coach.outlook import BonusChances
from yatzy.coach.review import review
from yatzy.game.dice import SeededDice
from yatzy.game.game import Game, read_saved, write_saved
from yatzy.game.json import as_json, check_json
from yatzy.game.log import GameLog, parse_log, read_logs, write_logs
from yatzy.game.situation import Situation
from yatzy.game.start import Start
from yatzy.measure.simulate import play_logs, play_on
from yatzy.policies.baselines import Heuristic, Random
from yatzy.policies.opponents import Opponent
from yatzy.policies.optimal import Optimal
from yatzy.rules import State

MAIN = "from yatzy.cli import main; main()"


@pytest.fixture(scope="module")
def small_coach(small_table):
    return Coach(small_table, BonusChances(small_table))


class Typist:
    """Types lines one after the other; what was shown and asked is in `screen`."""

    def __init__(self, coach, lines, **options):
        self.lines = list(lines)
        self.output = io.StringIO()
        console = Console(file=self.output, width=100, highlight=False, color_system=None)
        self.terminal = TerminalGame(coach, console, self.read, **options)

    def read(self, prompt):
        self.output.write(prompt)
        if not self.lines:
            raise EOFError
        line = self.lines.pop(0)
        self.output.write(f"{line}\n")
        return line

    def play(self):
        self.logs = self.terminal.play()
        self.log = self.logs[0]
        return self

    @property
    def screen(self):
        return self.output.getvalue()


def typed(log):
    """What one types to play a game again."""
    lines = []
    for turn in log.turns:
        lines.append("")
        lines += ["".join(map(str, keep)) or "-" for keep in turn.keeps]
        lines.append(turn.category)
    return lines


def test_the_coach_warns_from_as_many_points_as_one_wants(small_coach, small_rules):
    """Taken back, then done in spite of it; what costs less passes."""
    first = Game(small_rules, 7).throw()
    actions = list(small_coach.advise(first.situation))
    limit = actions[-1].regret
    worst = next(one for one in reversed(actions) if one.category)
    assert 0 < worst.regret <= limit
    lines = ["", worst.category, "", "h", worst.category, "b", "g", "q"]
    played = Typist(small_coach, lines, seed=7, warn=worst.regret).play()
    assert played.screen.count(f"A warning: that loses {worst.regret:.1f} points.") == 2
    assert played.screen.count(str(actions[0].action)) >= 2
    (turn,) = played.log.turns
    assert (turn.category, turn.wanted) == (worst.category, (worst.action,))
    # One more digit than it loses, and nothing is said; without a limit neither.
    for warn in (worst.regret + 1e-6, None):
        played = Typist(small_coach, ["", worst.category, "q"], seed=7, warn=warn).play()
        assert "A warning" not in played.screen
        assert played.log.turns[0].wanted == ()


def test_what_was_held_until_the_warning_is_wanted_first(small_coach, small_rules):
    first = Game(small_rules, 7).throw()
    keeps = [one for one in small_coach.advise(first.situation) if one.keep is not None]
    best, worst = keeps[0], keeps[-1]
    said = ["".join(map(str, one.keep)) or "-" for one in (worst, best)]
    played = Typist(small_coach, ["", said[0], "", said[1], "ones", "g", "q"], seed=7, warn=0.1).play()
    assert worst.regret >= 0.1
    assert played.screen.count("Enter takes it back") >= 1
    assert played.log.turns[0].wanted[0] == worst.action
    assert played.log.turns[0].keeps[0] == tuple(best.keep)


@pytest.mark.compiled
def test_an_opponent_is_told_with_its_exact_average(small_table):
    yacht = published_levels()["yacht"]
    said = describe_opponent(Opponent(solve("yacht"), 7.0))
    assert said.startswith("level-2 strays from the best as people do; no move loses more than 7 points.")
    assert said.endswith(f" Its exact average is {yacht.mean_of(7.0):.1f}.")
    assert "average" not in describe_opponent(Opponent(small_table, 7.0))
    assert "average" not in describe_opponent(Opponent(solve("yacht"), 7.1))


def test_a_whole_game_is_typed(small_coach, small_rules):
    """The dice of a seed, the decisions of a policy: the log is that of the policy."""
    expected = play_on(Game(small_rules, 7), Optimal(small_coach.table)).log()
    found = Typist(small_coach, typed(expected), seed=7, players=["Ada"]).play().log
    assert found.is_finished
    assert [turn.category for turn in found.turns] == [turn.category for turn in expected.turns]
    assert found.score == expected.score
    assert (found.seed, found.game, found.player) == (7, 0, "Ada")
    assert parse_log(as_json(found), small_rules) == found
    assert review(found, small_coach.table).lost == 0


def test_entered_dice(small_coach):
    lines = ["", "1 2 4", "4", "44", "c", "", "112", "11", "3", "ones"]
    found = Typist(small_coach, lines, entered=True).play()
    assert [turn.rolls for turn in found.log.turns] == [((1, 2, 4), (4, 4, 4)), ((1, 1, 2), (1, 1, 3))]
    assert found.log.points == (12, 2)
    assert (found.log.seed, found.log.game) == (None, None)
    assert "The 3 dice you threw: " in found.screen
    assert "The 2 dice you threw: " in found.screen


def test_mistyped_dice_can_be_taken_back(small_coach):
    found = Typist(small_coach, ["", "111", "z", "", "124", "c"], entered=True).play()
    assert found.log.turns[0].rolls == ((1, 2, 4),)


def test_a_score_can_be_taken_back_until_the_next_throw(small_coach):
    found = Typist(small_coach, ["", "a", "z", "b", "", "z"], seed=1).play()
    assert [turn.category for turn in found.log.turns] == ["twos"]
    assert "undo: the dice have fallen" in found.screen
    assert "undo: this is the start" in Typist(small_coach, ["z"]).play().screen


def test_hints_are_given_when_asked_for(small_coach):
    found = Typist(small_coach, ["h", "", "h", "c"], seed=1).play().screen
    assert "hint: throw first" in found
    dice = SeededDice(small_coach.rules, 1).throw(0, 0, 3)
    advice = small_coach.advise(Situation.of(small_coach.rules, dice, 2, State()))
    assert str(advice.best) in found
    assert f"{advice.lead}:" in found
    assert found.count("  best") == 1


def test_hints_can_always_be_given_or_never(small_coach):
    lines = ["", "a", "", "b"]
    assert Typist(small_coach, lines, seed=1, hints="always").play().screen.count("  best") >= 2
    never = Typist(small_coach, ["", "h", "a"], seed=1, hints="off").play().screen
    assert "hints are off in this game" in never
    assert "  best" not in never
    with pytest.raises(YatzyError, match="hints: 'some' is not known; allowed are off, ask, always"):
        Typist(small_coach, [], hints="some")


@pytest.mark.parametrize(
    ("lines", "sentence"),
    [
        (["x"], "'x' is not understood; Enter throws"),
        (["", "999"], "has a face outside 1..4"),
        (["", "1111"], "allowed are at most 3"),
        (["", "44"], "is not part of"),
        (["", "poker"], "category: 'poker' is not known"),
        (["", "a", "", "a"], "category: 'ones' is already filled"),
        (["", "-", "-", "-"], "rerolls: none are left; score the dice in an open box"),
    ],
)
def test_what_is_not_understood_is_said(small_coach, lines, sentence):
    assert sentence in Typist(small_coach, lines, seed=1).play().screen


def test_holding_all_dice_is_scoring(small_coach):
    dice = "".join(map(str, SeededDice(small_coach.rules, 1).throw(0, 0, 3)))
    found = Typist(small_coach, ["", dice, "a"], seed=1).play()
    assert "keep: all dice are held; score them, or let one go" in found.screen
    assert len(found.log.turns) == 1


def test_the_wrong_number_of_dice_is_refused(small_coach):
    found = Typist(small_coach, ["", "12", "", "1234", "", "124", "a"], entered=True).play()
    assert "dice: '12' has 2 dice; you threw 3" in found.screen
    assert len(found.log.turns) == 1


def test_real_dice_are_typed_at_once_and_a_mistyped_throw_keeps_the_hold(small_coach):
    found = Typist(small_coach, ["1 2 4", "4", "5", "44", "c"], entered=True).play()
    assert found.log.turns[0].rolls == ((1, 2, 4), (4, 4, 4))
    assert "dice: '5' has a face outside 1..4" in found.screen


def test_a_game_goes_on_with_the_same_dice(small_coach):
    """Leaving in the middle of a turn loses nothing: the dice lie as they lay."""
    lines = ["", "a", "", "-", "b", "", "c"]
    whole = Typist(small_coach, lines, seed=4).play().log
    for left_after in range(len(lines)):
        begun = Typist(small_coach, [*lines[:left_after], "q"], seed=4).play()
        again = Typist(small_coach, lines[left_after:], resumed=begun.terminal.table).play().log
        assert again.turns == whole.turns
        assert again.seed == 4


class Screen:
    """A terminal of 80 x 24 that is drawn over."""

    def __init__(self, coach, lines, **options):
        self.console = Console(file=io.StringIO(), width=80, height=24, force_terminal=True, color_system=None)
        self.lines = iter(lines)
        self.terminal = TerminalGame(coach, self.console, self.read, **options)
        self.terminal.play()

    def read(self, prompt):
        self.console.print(prompt, end="")
        try:
            return next(self.lines)
        except StopIteration:
            raise EOFError from None

    @property
    def screens(self):
        """What was on the screen, one after another."""
        return [shown.removeprefix("\x1b[H") for shown in self.console.file.getvalue().split("\x1b[2J")[1:]]


class MadeUp:
    """Chances of the bonus that rise with the upper total: what is shown of them is as long as any."""

    def __init__(self, table):
        self.chances = np.broadcast_to(np.linspace(0, 1, table.stored.shape[1]), table.stored.shape)

    def from_mask(self, filled):
        return self.chances


@pytest.mark.compiled
@pytest.mark.parametrize("n", [1, 2, 6])
def test_a_terminal_is_drawn_over_and_fits_24_lines(table, n):
    """With hints and their reasons, for as many players as there may be, in every turn."""
    names = ["Anna", "Bo", "Cecilia", "Dag", "Erik", "Freja"][:n] if n > 1 else [None]
    lines = [line for box in LETTERS[:3] for _ in range(n) for line in ("", "h", "-", "?", "-", box)]
    screens = Screen(Coach(table, MadeUp(table)), lines, seed=1, players=names, hints="ask").screens
    hints = [shown for shown in screens if re.search(r"\d +best", shown)]
    assert len(hints) == 3 * n
    for shown in screens:
        assert shown.count("\n") < 24
        assert all(len(line) <= 80 for line in shown.splitlines())
        assert "…" not in shown
    reasons = (
        "on average",
        "is better for",
        "leaves more for",
        "more in",
        "likelier",
        "gives up",
        " too ",
        "little",
    )
    for shown in hints:
        told = " ".join(line[50:].strip() if n == 6 else line[26:].strip() for line in shown.splitlines())
        assert any(reason in told for reason in reasons), told


def test_players_take_turns_with_dice_of_their_own(small_coach, small_rules):
    lines = ["", "a", "", "b", "", "c", "", "d"]
    found = Typist(small_coach, lines, seed=4, players=["Anna", "Bo"]).play()
    assert [log.player for log in found.logs] == ["Anna", "Bo"]
    assert [(log.seed, log.game) for log in found.logs] == [(4, 0), (4, 1)]
    assert [[turn.category for turn in log.turns] for log in found.logs] == [["ones", "fours"], ["twos", "run"]]
    for log in found.logs:
        assert log.turns[0].rolls[0] == SeededDice(small_rules, 4, log.game).throw(0, 0, 3)
    asked = [line for line in found.screen.splitlines() if "turn" in line]
    assert [line.split(",")[0] for line in asked[:4]] == ["Anna", "Bo", "Anna", "Bo"]


def test_whoever_has_most_wins(small_coach):
    lines = [line for box in "abcd" for _ in range(2) for line in ("", box)]
    found = Typist(small_coach, lines, seed=4, players=["Anna", "Bo"]).play()
    scores = {log.player: log.score for log in found.logs}
    assert len(set(scores.values())) == 2
    best = max(scores, key=scores.get)
    assert f"{best} wins with {scores[best]} points." in found.screen
    assert found.screen.rstrip().splitlines()[-3].split() == ["bonus", *(str(log.bonus) for log in found.logs)]


def test_perfect_play_sits_at_the_table(small_coach, small_rules):
    """Its game is the game that it plays alone with these dice."""
    lines = [line for box in "abcd" for line in ("", box)]
    found = Typist(small_coach, lines, seed=4, against=Optimal(small_coach.table)).play()
    alone = play_on(Game(small_rules, dice=SeededDice(small_rules, 4, 1)), Optimal(small_coach.table)).log()
    assert found.logs[1].turns == alone.turns
    assert found.logs[1].player == "optimal"
    assert found.screen.count("optimal threw") == 4


def test_a_score_is_taken_back_across_the_table(small_coach):
    found = Typist(small_coach, ["", "a", "z", "b", "", "c"], seed=4, players=["Anna", "Bo"]).play()
    assert [[turn.category for turn in log.turns] for log in found.logs] == [["twos"], ["fours"]]
    with_policy = Typist(small_coach, ["", "a", "z", "b"], seed=4, against=Optimal(small_coach.table)).play()
    assert [len(log.turns) for log in with_policy.logs] == [1, 1]
    assert with_policy.logs[0].turns[0].category == "twos"


def test_a_table_is_left_and_found_again(small_coach, small_rules, tmp_path):
    """After every line of a game of three: nothing is lost, whether it was left or killed."""
    file = tmp_path / "table.json"
    lines = [line for box in "dc" for _ in range(2) for line in ("", "-", box)]
    options = {"players": ["Anna", "Bo"], "against": Optimal(small_coach.table)}
    whole = Typist(small_coach, lines, seed=4, **options).play().logs
    for left_after in range(1, len(lines)):
        Typist(
            small_coach, lines[:left_after], seed=4, save=lambda table: write_saved(table, file), **options
        ).play()
        table = read_saved(file, small_rules)
        assert table.against == "optimal"
        assert read_logs(file, small_rules) == list(table.logs)
        again = Typist(small_coach, lines[left_after:], resumed=table, against=options["against"]).play()
        assert [log.turns for log in again.logs] == [log.turns for log in whole]
        assert [log.player for log in again.logs] == ["Anna", "Bo", "optimal"]


def test_real_dice_lie_as_they_lay(small_coach, small_rules, tmp_path):
    begun = Typist(small_coach, ["124", "4", "44"], entered=True).play()
    write_saved(begun.terminal.table, tmp_path / "table.json")
    again = Typist(small_coach, ["c"], resumed=read_saved(tmp_path / "table.json", small_rules)).play()
    assert again.log.turns[0].rolls == ((1, 2, 4), (4, 4, 4))
    assert again.log.seed is None


def test_a_table_that_was_changed_is_refused(small_coach, small_rules, tmp_path):
    file = write_saved(Typist(small_coach, ["", "-"], seed=4).play().terminal.table, tmp_path / "table.json")
    text = file.read_text()
    file.write_text(text.replace('"target": null', '"target": 20'))
    with pytest.raises(YatzyError, match="was damaged or edited"):
        read_saved(file, small_rules)
    logs = [GameLog(small_rules, ()), next(play_logs(Random(small_rules), 1))]
    with pytest.raises(YatzyError, match=r"games with \[0, 4\] turns, which were not played at one table"):
        read_saved(write_logs(logs, file), small_rules)


def test_help_and_leaving(small_coach):
    found = Typist(small_coach, ["?", "", "q", "never read"], seed=1).play()
    assert "hold two threes and throw the other dice" in found.screen
    assert found.log.turns == ()
    assert found.terminal.game.dice


def test_boxes_are_found_by_letter_name_or_beginning(small_coach):
    for name in ("d", "run", "Run", "ru"):
        assert [turn.category for turn in Typist(small_coach, ["", name], seed=1).play().log.turns] == ["run"]


def test_without_a_seed_every_game_is_another(small_coach):
    seeds = {Typist(small_coach, ["", "a"]).play().log.seed for _ in range(3)}
    assert len(seeds) == 3


def test_dice_are_drawn():
    assert draw_dice((1, 6)).plain.splitlines() == [
        "╭───────╮ ╭───────╮",
        "│       │ │ ●   ● │",
        "│   ●   │ │ ●   ● │",
        "│       │ │ ●   ● │",
        "╰───────╯ ╰───────╯",
    ]
    assert "  8  " in draw_dice((8,)).plain


def plain(*things):
    console = Console(file=io.StringIO(), width=100, color_system=None)
    console.print(*things)
    return console.file.getvalue()


def test_the_card_shows_what_the_dice_would_score(rules):
    game = Game(rules).throw((3, 3, 3, 5, 6)).score("threes").throw((2, 2, 4, 4, 6))
    shown = {line.split("  ")[1].strip(): line.split()[-1] for line in plain(draw_cards([game])).splitlines()[1:]}
    lines = plain(draw_cards([game])).splitlines()
    assert "Threes" in lines[2]
    assert lines[2].split()[-1] == "9"
    assert lines[7].split()[-3:] == ["Two", "Pairs", "(12)"]
    assert "9 of 63" in lines[-2]
    assert lines[-1].split() == ["total", "9"]
    assert shown


@pytest.mark.parametrize("turns", [0, 2, 4])
def test_a_review_is_drawn(small_table, turns):
    from dataclasses import replace

    log = next(play_logs(Random(small_table.rules), 1, seed=5))
    found = review(replace(log, turns=log.turns[:turns]), small_table, Heuristic(small_table.rules))
    drawn = plain(draw_decisions(found), draw_review(found))
    assert f"{found.start_value:.1f} expected" in drawn
    perfect = f"the same dice played perfectly: {found.replay.score} points"
    left = f" and {found.replay.value_left:.1f} to come" if turns < 4 else ""
    assert (perfect + left in drawn) == (turns > 0)
    assert ("to come" in drawn) == (turns < 4)
    for mistake in found.mistakes:
        assert f"better by {mistake.regret:.1f} points ({mistake.word})" in drawn


# At a real terminal.


class Person:
    """A process behind a pseudo-terminal: reads what is shown and types."""

    def __init__(self, *arguments):
        self.master, slave = pty.openpty()
        command = [sys.executable, "-c", MAIN, *map(str, arguments)]
        environment = {**os.environ, "COLUMNS": "100", "LINES": "50", "TERM": "xterm"}
        self.process = subprocess.Popen(command, stdin=slave, stdout=slave, stderr=slave, env=environment)
        os.close(slave)
        self.shown = ""

    def wait_for(self, text, seconds=120):
        """Read on until the text comes; what was read before it is gone."""
        until = time.monotonic() + seconds
        while text not in self.shown:
            assert time.monotonic() < until, self.shown[-2_000:]
            ready, _, _ = select.select([self.master], [], [], 1.0)
            if ready:
                try:
                    self.shown += os.read(self.master, 65_536).decode(errors="replace")
                except OSError:
                    break
        before, found, self.shown = self.shown.partition(text)
        assert found, before[-2_000:]
        return before

    def type(self, line):
        os.write(self.master, f"{line}\n".encode())

    def leave(self):
        rest = ""
        while True:
            try:
                data = os.read(self.master, 65_536)
            except OSError:
                break
            if not data:
                break
            rest += data.decode(errors="replace")
        os.close(self.master)
        return self.process.wait(60), self.shown + rest


@pytest.mark.compiled
def test_a_game_at_a_real_terminal(table, tmp_path, home):
    """All fifteen turns of a seed, scored at once, then reviewed and saved."""
    file = tmp_path / "game.json"
    person = Person("play", "--seed", 3, "--hints", "always", "--save", file)
    for turn in range(15):
        person.wait_for(f"Turn {turn + 1}. Enter throws")
        person.type("")
        shown = person.wait_for("rerolls left. Hold, or score")
        assert "╭───────╮" in shown
        assert "best" in shown
        person.type(LETTERS[turn])
    status, rest = person.leave()
    assert status == 0
    assert "the same dice played perfectly" in rest
    (log,) = read_logs(file)
    assert log.is_finished
    assert [turn.category for turn in log.turns] == [category.name.lower() for category in log.rules.categories]
    assert log.turns[0].rolls == (SeededDice(log.rules, 3).throw(0, 0, 5),)
    assert f"= {log.score} points" in rest


@pytest.mark.compiled
def test_play_with_json_prints_the_log_alone(yatzy, tmp_path):
    status, out, err = yatzy("play", "--seed", 4, "--json", "--player", "Ada", lines=["", "a", "", "q"])
    log = parse_log(json.loads(out))
    assert status == 0
    assert (len(log.turns), log.player, log.seed) == (1, "Ada", 4)
    assert "rerolls left" in err


@pytest.mark.compiled
def test_a_half_filled_card_is_taken_over_and_goes_on_with_real_dice(yatzy, tmp_path):
    """The dice on the table with one throw left, a hint, and the throw; saved, it is the same card again."""
    file = tmp_path / "paper.json"
    card = "twos 6, fours 12, pair 10, small straight 15, chance 22, yatzy 0, rerolls 1"
    lines = ["33536", "h", "333", "31", "threes", "", "q"]
    status, out, _ = yatzy("play", "--dice", "--start", card, "--save", file, "--json", lines=lines)
    log = parse_log(json.loads(out))
    assert (status, log.seed, str(log.start)) == (0, None, card.replace("pair", "one pair", 1))
    assert [sorted(roll) for roll in log.turns[0].rolls] == [[3, 3, 3, 5, 6], [1, 3, 3, 3, 3]]
    assert log.score == 77
    assert read_saved(file).logs == (log,)


def test_cards_of_several_players_are_taken_over(small_coach, small_rules):
    starts = [Start.parse(text, small_rules) for text in ("ones 2, twos 4", "ones 3")]
    play = Typist(small_coach, [""], players=("Ann", "Bo"), seed=1, starts=starts).play()
    assert [log.n_filled for log in play.logs] == [2, 1]
    assert play.terminal.at == 1
    assert "Bo, turn 2. Enter throws" in play.screen


@pytest.mark.compiled
def test_a_game_for_a_target_is_printed_as_its_schema_says(yatzy, monkeypatch):
    """The schema of a log forbade `turns.0.goals`."""
    monkeypatch.setattr(playing, "stored_goal", lambda *a: None)
    status, out, _ = yatzy("play", "--seed", 4, "--target", 240, "--json", lines=["", "a", "q"])
    told = json.loads(out)
    assert (status, told["turns"][0]["goals"]) == (0, [{"target": 240}])
    check_json(GameLog, told)


@pytest.mark.compiled
def test_review_of_a_file(yatzy, tmp_path, rules):
    games = list(play_logs(Heuristic(rules), 3, seed=2))
    file = write_logs(games, tmp_path / "games.jsonl")
    status, out, err = yatzy("review", file, "--game", 2, "--json")
    told = json.loads(out)
    assert (status, err) == (0, "")
    assert told["score"] == games[1].score
    assert told["start_value"] + told["luck"] - told["lost"] == pytest.approx(games[1].score, abs=1e-9)
    status, out, err = yatzy("review", file)
    assert (status, err) == (0, "")
    assert f"= {games[0].score} points" in out
    assert yatzy("play", "--review", file) == (status, out, err)


@pytest.mark.compiled
def test_simulated_games_are_logs(yatzy, tmp_path, rules):
    file = tmp_path / "games.jsonl"
    status, out, _ = yatzy("simulate", "--games", 5, "heuristic", "--seed", 3, "--logs", file, "--json")
    told = json.loads(out)
    assert (status, told["logs"]) == (0, str(file))
    logs = read_logs(file)
    assert sum(log.score for log in logs) / 5 == pytest.approx(told["mean"], abs=1e-12)
    assert logs == list(play_logs(Heuristic(rules), 5, seed=3))


@pytest.mark.parametrize(
    ("command", "sentence"),
    [
        (("play", "--hints", "some"), "hints: 'some' is not known; allowed are off, ask, always"),
        (("play", "--seed", "-1"), "seed: -1 is not allowed"),
        (("play", "--players", "Anna,,Bo"), "player: '' is not a name"),
        (("play", "--players", "Bo,Bo"), "players: 'Bo,Bo' names somebody twice"),
        (("play", "--players", "a,b,c,d,e,f,g"), "players: 7 are too many; allowed is 1..6"),
        (("play", "--resume", "x.json", "--players", "Bo"), "players: cannot go with --resume"),
        (("play", "--resume", "/nowhere.json"), "game: there is no file /nowhere.json"),
        (("play", "--dice", "--seed", "1"), "seed: cannot go with --dice, where you throw"),
        (("play", "--resume", "x.json", "--start", "ones 3"), "start: cannot go with --resume"),
        (("play", "--start", "ones 7"), "start.boxes.ones: 7 is not allowed"),
        (("play", "--start", "ones 3", "--start", "twos 4"), "start: 2 has to be there once for each player"),
        (
            ("play", "--players", "Ann,Bo", "--start", "-", "--start", "ones 3"),
            "start: has cards with [0, 1] boxes filled, which cannot be in one round",
        ),
        (("play", "--review", "/nowhere.json"), "game: there is no file /nowhere.json"),
        (("review", "/nowhere.json"), "game: there is no file /nowhere.json"),
        (("review", "/"), "game: / is a folder; allowed is a file"),
        (("review",), "Missing argument 'file'"),
        (("review", "x.json", "--game", "0"), "Invalid value for '--game'"),
        (("simulate", "--games", "10001", "--logs", "x"), "games: 10001 is too many for logs"),
    ],
)
def test_bad_input_is_one_sentence(yatzy, command, sentence):
    status, out, err = yatzy(*command)
    assert (status, out) == (2, "")
    assert err.startswith(f"yatzy: {sentence}")
    assert err.count("\n") == 1


def test_a_game_that_is_not_there(yatzy, tmp_path, rules):
    file = write_logs([GameLog(rules, ())], tmp_path / "game.json")
    status, _, err = yatzy("review", file, "--game", 2)
    assert (status, err) == (2, f"yatzy: game: 2 is not in {file}; allowed is 1..1\n")


@pytest.mark.parametrize("command", ["play", "review", "serve"])
def test_every_command_explains_itself(yatzy, command):
    status, out, err = yatzy(command, "--help")
    assert (status, err) == (0, "")
    assert out.startswith(f"Usage: yatzy {command} ")
    assert "--json" in out


@pytest.mark.parametrize("rules", SPECIAL_GAMES, ids=lambda rules: rules.name)
def test_every_kind_of_game_is_typed(rules):
    """Jokers, boxes in order and saved throws: the log is that of the policy, and its review adds up."""
    table = solve(rules)
    expected = play_on(Game(rules, 7), Optimal(table)).log()
    found = Typist(Coach(table), typed(expected), seed=7).play().log
    assert found.is_finished
    assert found.score == expected.score
    assert review(found, table).lost == pytest.approx(0, abs=1e-9)


def test_a_joker_is_shown_with_its_extra_points():
    lines = ["", "222", "alike", "", "333", "run", "threes"]
    found = Typist(Coach(solve(JOKERS)), lines, entered=True).play()
    assert found.log.points == (12, 19)
    assert "a joker" in found.screen
    assert "(9 + 10)" in found.screen
    assert "'run' may not be filled now, because 3 3 3 is a joker; allowed is threes" in found.screen
    card = plain(draw_cards([found.terminal.game]))
    assert re.search(r"extra +10\b", card)
    assert re.search(r"total +31\b", card)


def test_saved_throws_are_shown():
    found = Typist(Coach(solve(SAVING)), ["", "a", ""], seed=1).play().screen
    assert "Turn 2. 5 throws, 2 of them saved. Enter throws" in found
    assert "4 rerolls left" in found


def test_a_review_says_that_the_card_is_for_scandinavian():
    table = solve(IN_ORDER)
    log = next(play_logs(Random(IN_ORDER), 1, seed=1))
    assert "the rule card covers plain scandinavian only" in plain(draw_review(review(log, table)))
