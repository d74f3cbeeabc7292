"""Wrong input of every kind: status 2, one sentence that names the field, no traceback, nothing computed first."""

import string
import subprocess
import sys
from types import SimpleNamespace

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from yatzy.cli.app import COMMANDS
from yatzy.measure import ahead

# (what is typed, how the sentence begins). Nothing here may solve or play: in plain Python that would take hours.
WRONG = [
    # commands and options
    ("evalute", "command: 'evalute' is not known; allowed are solve, value"),
    ("sovle", "command: 'sovle' is not known; allowed are solve, value"),
    ("xyz", "command: 'xyz' is not known; allowed are solve, value"),
    ("lists shwo card-20", "No such command 'shwo'"),
    ("duel advse 13356", "No such command 'advse'"),
    ("solve --rule yahtzee", "No such option: --rule"),
    ("solve extra", "Got unexpected extra argument"),
    ("solve --rules", "Option '--rules' requires an argument."),
    ("treatise burn --out x", "Invalid value for"),
    ("treatise build", "Missing option '--out'"),
    # games
    *[
        (f"{command} --rules {given}", f"rules: {sentence}")
        for command in (
            "solve",
            "value",
            "evaluate",
            "distribution",
            "simulate",
            "games",
            "chance",
            "duel",
            "sweep",
        )
        for given, sentence in [
            ("yatzee", "'yatzee' is not known; allowed are scandinavian"),
            (
                "yahtzee+free",
                "'free' is not a switch of yahtzee; allowed are free-joker, no-joker, no-extra-bonus",
            ),
        ]
    ],
    ("solve --rules ''", "rules: '' is not known"),
    ("solve --rules kniffel+x", "rules: 'x' is not a switch of kniffel; it has none"),
    ("solve --rules maxi+saved-throws+saved-throws", "rules: 'saved-throws' is named twice"),
    (
        "solve --rules nowhere.toml",
        "rules: there is no file nowhere.toml; allowed is a game's name or a TOML file",
    ),
    # dice, rerolls, boxes, states
    ("advise 1 3 3 5", "dice: '1 3 3 5' has 4 dice; exactly 5 are needed"),
    ("advise 1 3 3 5 7", "dice: '1 3 3 5 7' has a face outside 1..6"),
    ("advise 1 3 3 5 x", "dice: '1 3 3 5 x' is not a list of faces"),
    ("advise 13356 --rules maxi", "dice: '13356' has 5 dice; exactly 6 are needed"),
    ("advise 13356 --rerolls 9", "rerolls: 9 is not allowed; allowed are 0, 1, 2"),
    ("advise 13356 --rerolls x", "Invalid value for '--rerolls'"),
    ("advise 13356 --filled onse", "category: 'onse' is not known; allowed are Ones"),
    ("advise 13356 --filled ones,,twos", "category: '' is not known"),
    ("advise 13356 --filled ones*", "filled: 'ones*' has a star; allowed with one: none"),
    ("advise 13356 --saved 1", "saved: 1 is not allowed; no throws are saved in scandinavian"),
    ("advise 13356 --top -1", "Invalid value for '--top'"),
    ("advise 13356 --points 5", "points: requires --target"),
    ("advise 13356 --target 260 --theta 0.1", "theta: cannot go with --target"),
    ("advise 13356 --target 9999", "target: 9999 is not allowed; allowed is a whole number from 0 to"),
    ("advise 13356 --target 260 --points 7", "points: 7 cannot occur with filled '-' and upper 0; nearest is 0"),
    ("advise '1 3 3 5 6 | 2'", "situation: '1 3 3 5 6 | 2' is not of the form"),
    ("advise '1 3 3 5 6 | 7 | - @ 0'", "rerolls: '7' is not allowed"),
    ("advise '1 3 3 5 6 | 2 | ones @ 9'", "upper: 9 cannot occur with filled 'ones'"),
    ("advise '1 3 3 5 6 | 2 | - @ 0' --rerolls 1", "rerolls: 1 is given twice"),
    ("advise '1 3 3 5 6 | 2 | - @ 0' --filled ones", "filled: 'ones' is given twice"),
    ("value 'ones'", "state: 'ones' is not of the form 'ones,one pair @ 3'"),
    ("value 'ones @ x'", "state: 'ones @ x' is not of the form"),
    ("value 'ones @ 3' --upper 3", "state: 'ones @ 3' is already a complete state"),
    ("value --filled 'ones @ 3' --upper 2", "upper: 2 is given twice; the state already says 3"),
    ("value --upper 64", "upper: 64 is outside 0..63"),
    ("value --upper 1", "upper: 1 cannot occur with filled '-'"),
    ("value --saved -1", "saved: -1 is not allowed"),
    ("chance --filled poker", "category: 'poker' is not known"),
    # profile and practice
    ("profile nowhere.json", "game: there is no file nowhere.json"),
    ("profile --simulate 0", "Invalid value for '--simulate'"),
    ("profile --rules yahtzee", "rules: cannot go with questions; allowed there are quiz, threads"),
    ("profile ok.json --simulate 3", "games: cannot go with --simulate; allowed there are quiz, seed"),
    ("profile ok.json --answers mine.json", "answers: cannot go with files of games"),
    ("profile ok.json --choose quiz.json", "games: cannot go with --choose; allowed there are rules, seed"),
    ("profile --choose quiz.json --rules yahtzee", "rules: softened play is"),
    ("profile --quiz nowhere.json", "quiz: there is no file nowhere.json"),
    ("practice", "games: there are none; name files of games, or a deck that has cards"),
    ("practice nowhere.json", "game: there is no file nowhere.json"),
    ("practice --train", "games: there are none; --train reads your habits from games"),
    ("leaks", "games: there are none; name files of games"),
    ("practice --cards 0", "Invalid value for '--cards'"),
    ("chance --target -1", "target: -1 is not allowed"),
    ("chance --points 3", "points: 3 cannot occur with filled '-'"),
    ("duel advise 1 3 3 5", "dice: '1 3 3 5' has 4 dice"),
    ("duel advise 13356 --other-points 3", "points: 3 cannot occur"),
    ("duel advise 13356", "other_filled: 0 boxes do not match 0 of yours"),
    ("duel --rules maxi", "rules: a duel in maxi would need too much memory"),
    ("duel --rules scandinavian+saved-throws", "rules: duels are for games that save no throws"),
    ("duel --games 0", "games: 0 is not allowed"),
    ("duel --engine spark", "engine: 'spark' is not known; allowed are local, dask"),
    ("advise 1 2 3 4 5 6", "dice: '1 2 3 4 5 6' has 6 dice; exactly 5 are needed"),
    ("advise 13356 --rerolls -1", "rerolls: -1 is not allowed"),
    ("value --filled twos --upper 1", "upper: 1 cannot occur with filled 'twos'"),
    ("value --filled ones,ones", "filled: 'ones' is named twice"),
    # how it is computed
    ("solve --precision float16", "precision: 'float16' is not allowed; allowed are float64, float32"),
    ("solve --threads -1", "threads: -1 is not allowed"),
    ("solve --engine spark", "engine: 'spark' is not known"),
    # risk
    *[
        (f"{command} --theta {theta}", f"theta: {sentence}")
        for command in ("solve", "value", "advise 13356")
        for theta, sentence in [("nan", "nan is not a finite number"), ("1e-12", "1e-12 is too near 0")]
    ],
    ("solve --theta x", "Invalid value for '--theta'"),
    ("evaluate --theta nan", "theta: nan is not a finite number"),
    ("evaluate heuristic --theta 0.1", "theta: 0.1 applies only to the optimal policy"),
    # players
    *[
        (f"{command} {given}", f"policy: '{given}' is not known; allowed are optimal, heuristic")
        for command in ("evaluate", "distribution", "simulate", "pareto")
        for given in ("heuristc", "optimum", "/nowhere")
    ],
    ("evaluate heuristc", "policy: 'heuristc' is not known"),
    ("level nowhere.json", "game: there is no file nowhere.json"),
    ("evaluate optimal greddy", "policy: 'greddy' is not known"),
    ("evaluate optimal greedy --target 200", "target: applies only to optimal play, not to 2 policies"),
    ("evaluate greedy --target 200", "target: applies only to optimal play, not to greedy"),
    ("evaluate --engine spark", "engine: 'spark' is not known"),
    ("evaluate --scheduler tcp://x:1", "scheduler: 'tcp://x:1' is for the engine dask only"),
    ("distribution --filled ones --upper 7", "upper: 7 cannot occur with filled 'ones'"),
    ("distribution --points 4", "points: 4 cannot occur with filled '-'"),
    ("distribution --target 5000", "target: 5000 is not allowed"),
    # games to play
    ("simulate --games 0", "games: 0 is not allowed"),
    ("simulate --games 1.5", "Invalid value for '--games'"),
    ("simulate --seed -1", "seed: -1 is not allowed"),
    ("simulate --threads 0", "threads: 0 is not allowed"),
    ("simulate --engine x", "engine: 'x' is not known"),
    ("simulate --compare greedy --out g.parquet", "out: writes the games of one policy"),
    ("simulate --logs g.json --games 100000", "games: 100000 is too many for logs"),
    (
        "simulate --logs g.json --games 1 --target 200",
        "logs: cannot go with --target, whose play depends on the points",
    ),
    ("simulate --engine dask --target 200", "engine: cannot go with --target, whose play depends on the points"),
    ("simulate --out /", "out: / is a folder; allowed is a file"),
    # training
    ("dataset --format xml", "format: 'xml' is not known; allowed are parquet, csv"),
    ("dataset --rules yahtzee", "rules: training data is for games without jokers"),
    ("dataset --draws -5", "draws: -5 is not allowed"),
    ("dataset greedy", "policy: 'greedy' needs --draws or --complete"),
    ("distill bees", "family: 'bees' is not known"),
    ("distill netwroks", "family: 'netwroks' is not known"),
    ("distill value --depth 3", "depth: is not for value, which takes --name"),
    ("distill value --hidden 8", "hidden: is not for value, which takes --name"),
    ("distill value --weighting gap", "weighting: is not for value, which takes --name"),
    ("distill networks --depth 3", "depth: is not for networks, which takes --hidden and --weighting"),
    ("distill networks --hidden a,b", "hidden: 'a,b' is not a list of widths such as 64,32"),
    ("distill networks --hidden 8,-1", "hidden: '8,-1' is not a list of widths"),
    ("distill networks --name x", "name: is not for networks"),
    ("distill imitation-trees --depth -2", "depth: -2 is not allowed"),
    ("distill imitation-trees --weighting x", "weighting: 'x' is not known"),
    ("distill value --name value-19", "name: 'value-19' is not known"),
    ("distill value --rules yahtzee", "rules: models are for games without jokers"),
    # rule lists
    ("lists show card-21", "policy: 'card-21' is no rule list; allowed are card-20"),
    ("lists show card-20 --format pdf", "format: 'pdf' is not known"),
    ("lists explain 1 3 3 5", "dice: '1 3 3 5' has 4 dice"),
    ("lists explain 13356 --rerolls 3", "rerolls: 3 is not allowed"),
    ("lists induce --method x", "method: 'x' is not known"),
    ("lists induce --seed -1", "seed: -1 is not allowed"),
    # Numbers that no work can be done for: these began it, or were tracebacks, or accepted.
    *[
        (
            f"{command} --games {number}",
            f"games: {number} is not allowed; allowed is a whole number, 1..1000000000",
        )
        for command in ("simulate", "simulate --out g.parquet", "duel", "dataset", "distill imitation-trees")
        for number in (10**10, 10**20)
    ],
    ("simulate --games 1000000000", "games: 1000000000 is not allowed; allowed is a whole number, 1..100000000"),
    *[
        (
            f"{command} --seed {10**20}",
            f"seed: {10**20} is not allowed; allowed is a whole number, 0..18446744073709551615",
        )
        for command in ("simulate", "duel", "dataset", "distill networks", "lists induce", "profile", "play")
    ],
    *[
        (f"{command} --threads {10**6}", "threads: 1000000 is not allowed; allowed is a whole number, 1..1024")
        for command in ("solve", "simulate", "duel", "dataset", "lists induce", "profile", "bench")
    ],
    ("dataset --draws 99999999999999999999", "draws: 99999999999999999999 is not allowed"),
    ("distill networks --hidden 99999999999", "hidden: 99999999999 is not allowed; allowed is"),
    (
        "distill networks --hidden 999999999",
        "hidden: 999999999 is not allowed; allowed is a whole number, 1..4096",
    ),
    ("distill networks --hidden 1,1,1,1,1,1,1,1,1", "hidden: 9 layers are not allowed; allowed is 1..8"),
    ("distill imitation-trees --depth 99999999999", "depth: 99999999999 is not allowed"),
    ("distill imitation-trees --seed 4294967296", "seed: 4294967296 is not allowed"),
    ("lists induce --rules-count 0", "rules-count: 0 is not allowed; allowed is a whole number, 1..1000"),
    ("lists induce --method covering --rules-count 0", "rules-count: 0 is not allowed"),
    ("lists induce --rules-count 99999999999", "rules-count: 99999999999 is not allowed"),
    ("bench --repeats 99999999999", "repeats: 99999999999 is not allowed"),
    ("bench server --seconds nan", "seconds: nan is not allowed; allowed is a number above 0, up to 3600"),
    ("bench server --seconds 1e308", "seconds: 1e+308 is not allowed"),
    ("advise -1 2 3 4 5", "dice: '-1' is not a face; allowed is a whole number, 1..6 on the usual dice"),
    ("duel advise 1 2 -3 4 5", "dice: '-3' is not a face"),
    ("lists explain -1 2 3 4 5", "dice: '-1' is not a face"),
    ("lists induce --method covering --path card", "path: 'card' requires --method improve"),
    # files
    ("review nowhere.json", "game: there is no file nowhere.json"),
    ("review nowhere.json --game 0", "Invalid value for '--game'"),
    ("review", "Missing argument"),
    ("check-exact nowhere", "file: there is no file nowhere"),
    ("check-exact nowhere --sample 0", "Invalid value for '--sample'"),
    ("sweep nowhere.toml", "grid: there is no file nowhere.toml"),
    ("sweep --engine spark", "engine: 'spark' is not known"),
    ("reproduce nothing", "study: 'nothing' is not known; allowed are statespace"),
    ("reproduce bonsu", "study: 'bonsu' is not known"),
    # play and serve
    ("play --hints never", "hints: 'never' is not known; allowed are off, ask, always"),
    ("play --seed -1", "seed: -1 is not allowed"),
    ("play --dice --seed 1", "seed: cannot go with --dice, where you throw"),
    ("play --target 9999", "target: 9999 is not allowed"),
    ("serve --port 0", "Invalid value for '--port'"),
    ("serve --host not.a.host", "host: 'not.a.host' is not an address of this machine"),
    ("serve --host 192.0.2.1", "host: cannot listen on 192.0.2.1:8000"),
    ("serve --workers 0", "Invalid value for '--workers'"),
    ("serve --site nowhere", "site: 'nowhere' is not a folder"),
    ("schema evaluat", "name: 'evaluat' is not known"),
    ("bench x", "part: 'x' is not known"),
    ("bench solve --repeats 0", "repeats: 0 is not allowed"),
]


def words_of(text):
    import shlex

    return shlex.split(text)


def test_there_are_enough_of_them():
    assert len(WRONG) >= 150
    assert {words_of(text)[0] for text, _ in WRONG} >= set(COMMANDS) - {"games"}


def refuse_to_start(command, **_options):
    pytest.fail(f"{command} was started for wrong input")


@pytest.mark.parametrize(("text", "sentence"), WRONG, ids=[text for text, _ in WRONG])
def test_wrong_input_is_one_sentence(yatzy, tmp_path, monkeypatch, text, sentence):
    """And nothing is begun for it: `evaluate` once left processes behind that compiled for games unknown."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(ahead, "is_kept", lambda _kernel: False)
    monkeypatch.setattr(ahead, "subprocess", SimpleNamespace(Popen=refuse_to_start, DEVNULL=None))
    status, out, err = yatzy(*words_of(text))
    assert (status, out, err.count("\n")) == (2, "", 1), err
    assert err.startswith(f"yatzy: {sentence}"), err
    assert "Traceback" not in err
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("solve --rules scandinavain", "scandinavian"),
        ("evaluate heuristc", "heuristic"),
        ("advise 13356 --filled Yatsy", "Yatzy"),
        ("advise 13356 --filled 'ful house'", "Full House"),
        ("distill netwroks", "networks"),
        ("reproduce bonsu", "bonus"),
        ("solve --rules yahtzee+free-jokr", "free-joker"),
        ("evalute", "evaluate"),
        ("sovle", "solve"),
    ],
)
def test_the_likely_word_is_offered(yatzy, text, meant):
    _, _, err = yatzy(*words_of(text))
    assert err.endswith(f"; did you mean {meant!r}?\n")


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(["advise", "value", "solve", "evaluate"]), st.text(string.printable, min_size=1, max_size=12)
)
def test_any_text_is_an_answer_or_one_sentence(yatzy, command, text):
    """As a game, whatever is typed is refused in one sentence."""
    words = ["13356"] if command == "advise" else []
    status, out, err = yatzy(command, *words, f"--rules=no {text}")
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert "rules: " in err or "no " in err


@pytest.mark.parametrize(
    "text", ["advise 1 3 3 5", "distill networks --hidden a,b", "solve --rules yatzee", "evalute"]
)
def test_a_refusal_takes_under_two_seconds_of_work(text):
    """A process of its own; CPU time, because the machine may be busy."""
    import resource

    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    ended = subprocess.run(
        [sys.executable, "-m", "yatzy", *words_of(text)], capture_output=True, text=True, check=False
    )
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    assert (ended.returncode, ended.stdout, ended.stderr.count("\n")) == (2, "", 1)
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 2


def test_ctrl_c_says_what_was_kept(yatzy, monkeypatch):
    def stop(*_arguments, **_named):
        raise KeyboardInterrupt

    monkeypatch.setattr("yatzy.lab.studies.sweep.sweep", stop)
    monkeypatch.setattr("yatzy.cli.sweep.run_sweep", stop)
    status, out, err = yatzy("sweep")
    assert (status, out) == (130, "")
    assert err == "yatzy: stopped; finished thetas are kept: run the same command again to go on\n"
    monkeypatch.setattr("yatzy.cli.games._standing", stop)
    assert yatzy("games")[2] == "yatzy: stopped; nothing is lost\n"


def test_too_little_memory_is_one_sentence(yatzy, monkeypatch):
    """It was a traceback of NumPy."""

    def grow(*_arguments, **_named):
        np.zeros(1 << 45)

    monkeypatch.setattr("yatzy.cli.console.stored_table", grow)
    status, out, err = yatzy("value")
    assert (status, out, err) == (2, "", "yatzy: there is not enough memory for this; nothing is lost\n")
