"""The command that models a player: profile."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from yatzy.cli.console import Home, Json, Seed, Threads, counted, print_json, progress_bar, working
from yatzy.cli.stdin import may_be_dash
from yatzy.coach.profile import Profile
from yatzy.errors import YatzyError
from yatzy.game.json import INLINE, Count
from yatzy.game.log import GameLog, read_logs
from yatzy.lab.studies.profile import Recovery
from yatzy.rules import Ruleset, ruleset
from yatzy.storage import check_outputs

if TYPE_CHECKING:
    from rich.console import Console

    from yatzy.coach.quiz import Quiz


MAX_SIMULATED = 100_000
# What each way of using the command takes beside itself, and what it is called.
TAKES = {
    "choose": ("rules", "seed"),
    "simulate": ("quiz", "seed"),
    "games": ("player", "rules", "threads"),
    "answers": ("quiz", "threads"),
}
SAID = {"choose": "--choose", "simulate": "--simulate", "games": "files of games", "answers": "questions"}


@dataclass(frozen=True)
class ProfilesRecovered:
    """How near the fit of a quiz comes to simulated players."""

    rules: Ruleset
    seed: int
    questions: Count
    recovery: Annotated[Recovery, INLINE]


@dataclass(frozen=True)
class QuestionsChosen:
    """A quiz that was chosen and written, and how many bits about a player it tells."""

    rules: Ruleset
    seed: int
    path: Path
    questions: Count
    bits: float


ANSWERS = {"profile": Profile | ProfilesRecovered | QuestionsChosen}


def profile(
    logs: Annotated[
        list[Path] | None,
        typer.Argument(
            metavar="GAMES",
            callback=may_be_dash("games", ".json"),
            help="Files with your games (- for stdin); without any, you answer thirty questions.",
        ),
    ] = None,
    player: Annotated[str | None, typer.Option(help="Only the games of this player.")] = None,
    answers: Annotated[
        Path | None, typer.Option(help="Keep the answers in this file, and continue with those in it.")
    ] = None,
    costs: Annotated[
        bool, typer.Option(help="Compute the exact mean of your habits and the cost of each.")
    ] = True,
    simulate: Annotated[
        int | None,
        typer.Option(
            min=1,
            max=MAX_SIMULATED,
            help="Ask nothing; fit this many simulated players.",
        ),
    ] = None,
    seed: Seed = 0,
    choose: Annotated[
        Path | None, typer.Option(help="Ask nothing; choose new questions and write them to this file.")
    ] = None,
    quiz: Annotated[Path | None, typer.Option(help="Use the questions that --choose wrote.")] = None,
    rules: Annotated[
        str | None,
        typer.Option(
            callback=may_be_dash("rules", ".toml"),
            help="The rules of the games, if they are your own (mine.toml); with --choose, any plain game.",
        ),
    ] = None,
    threads: Threads = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """Model how you play (risk, noise, patience, depth) and what each of these habits costs you.

    The model is fitted to your answers to thirty questions, or to games recorded with yatzy play --save. Its mean
    is exact. The most informative questions come first, so you can stop at any time.

    Example: yatzy profile game.json

    Example: yatzy profile --answers mine.json
    """
    given: dict[str, object] = {
        "games": logs, "player": player, "answers": answers, "simulate": simulate, "seed": seed, "choose": choose,
        "quiz": quiz, "rules": rules, "threads": threads,
    }  # fmt: skip
    doing = next((one for one in ("choose", "simulate", "games") if given[one]), "answers")
    for field, value in given.items():
        if value and field not in (doing, *TAKES[doing]):
            raise YatzyError(
                field, why=f"cannot go with {SAID[doing]}; allowed there are {', '.join(TAKES[doing])}"
            )
    if choose is not None:
        check_outputs([rules], choose=choose)
        _choose(choose, rules, seed, home, json)
    elif simulate is not None:
        _simulate(_quiz(quiz), simulate, seed, json)
    elif logs:
        _of_games(logs, player, rules, costs, threads, json)
    else:
        check_outputs([quiz], answers=answers)
        _of_answers(_quiz(quiz), answers, costs, threads, json)


def _quiz(path: Path | None) -> "Quiz":
    from yatzy.coach.quiz import SHIPPED, read_quiz

    return read_quiz(path or SHIPPED)


def _choose(path: Path, rules: str | None, seed: int, home: Path | None, json: bool) -> None:
    from yatzy.coach.quiz import choose_questions, write_quiz

    with working("choosing questions", home) as context:
        found = choose_questions(ruleset(rules or "scandinavian"), seed=seed, context=context)
    write_quiz(found, path)
    told = QuestionsChosen(found.rules, seed, path, len(found), sum(one.tells for one in found.questions))
    if json:
        print_json(told)
    else:
        print(f"{told.questions} questions that give {told.bits:.2f} bits about a player, in {path}")


def _simulate(quiz: "Quiz", n: int, seed: int, json: bool) -> None:
    from yatzy.lab.studies.profile import recover

    with progress_bar("fitting players") as progress:
        found = recover(quiz, n, seed, progress)
    if json:
        print_json(ProfilesRecovered(quiz.rules, seed, len(quiz), found))
    else:
        _print_recovery(found, len(quiz))


def _print_recovery(found: Recovery, n_questions: int) -> None:
    print(f"{counted(found.players, 'simulated player')}, {n_questions} questions each; root mean square errors:")
    for habit in ("theta", "beta", "gamma"):
        print(f"  {habit:<6} {getattr(found, habit):7.3f}   (the players differ by {found.spread[habit]:.3f})")
    print(f"  depth  right for {found.depth_right:.1%} of them")


def _of_games(
    files: list[Path], player: str | None, rules: str | None, costs: bool, threads: int | None, json: bool
) -> None:
    from yatzy.coach.profile import profile as profile_of

    own = ruleset(rules) if rules else None
    games: list[GameLog] = []
    for file in files:
        games += read_logs(file, own)
    names = sorted({game.player for game in games if game.player})
    if player is not None:
        games = [game for game in games if game.player == player]
        if not games:
            raise YatzyError("player", player, names, "played none of these games")
    elif len(names) > 1:
        raise YatzyError("player", why=f"the games were played by {', '.join(names)}; name one with --player")
    with working("fitting habits", threads=threads) as context:
        made = profile_of(games, costs=costs, context=context)
    _tell(made, f"{counted(len(games), 'game')}, {counted(made.fit.n, 'decision')}", json)


def _of_answers(quiz: "Quiz", path: Path | None, costs: bool, threads: int | None, json: bool) -> None:
    from rich.console import Console

    from yatzy.coach.profile import measured
    from yatzy.coach.quiz import read_answers

    given = read_answers(quiz, path) if path else {}
    console = Console(stderr=json, highlight=False)
    _ask(quiz, given, path, console)
    made = Profile(quiz.rules, quiz.fit(given))
    if costs:
        with working("measuring your habits, exactly", threads=threads) as context:
            made = measured(made, context)
    _tell(made, counted(len(given), "answer"), json)


def _ask(quiz: "Quiz", given: dict[int, int], path: Path | None, console: "Console") -> None:
    """Ask what was not answered yet, until all is or the player leaves."""
    from yatzy.cli.terminal import QuestionPrompt
    from yatzy.coach.quiz import write_answers

    asking = QuestionPrompt(console, console.input, quiz.rules)
    for number in range(len(quiz)):
        if number in given:
            continue
        try:
            action = asking.ask(quiz.questions[number].situation, f"Question {number + 1} of {len(quiz)}")
        except (EOFError, KeyboardInterrupt):
            console.print("")
            return
        if action is not None:
            given[number] = quiz.questions[number].number_of(action)
            if path:
                write_answers(quiz, given, path)


def _tell(made: Profile, made_from: str, json: bool) -> None:
    if json:
        print_json(made)
        return
    print(f"Your profile, from {made_from}:")
    for line in _lines(made):
        print(line)


def _lines(made: Profile) -> list[str]:
    habits, spread, said = made.fit.habits, made.fit.spread, made.sentences
    sure = dict(zip(made.fit.grid.depths, made.fit.depth_chances.tolist(), strict=True))
    lines = [
        f"  risk      theta {habits.theta:+.3f} +- {spread['theta']:.3f}   {said['theta']}",
        f"  patience  gamma {habits.gamma:.2f} +- {spread['gamma']:.2f}     {said['gamma']}",
        f"  sight     depth {habits.depth} ({sure[habits.depth]:.0%} sure)   {said['depth']}",
        f"  care      beta {habits.beta:.2f} (x/: {spread['beta']:.2f})    {said['beta']}",
        f"The model gives a choice of yours a chance of {made.fit.chance_of_choice:.0%}, "
        f"guessing one of {made.fit.chance_of_guess:.0%}.",
    ]
    if made.worth:
        lines.append(
            f"These habits score {made.worth.mean:.1f} points a game, exactly; perfect play {made.worth.best:.1f}."
        )
        lines.append("Without one of them, the others left as they are:")
        for cost in made.worth.costs:
            helps = "   (it helps, as you play now)" if cost.gain < 0 else ""
            lines.append(f"  {cost.cure:<28} {cost.gain:+6.1f}{helps}")
    return lines
