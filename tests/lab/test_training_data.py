"""Training data as files: rows against advice one by one, games against the simulator, and the same files after a
stop or from elsewhere.
"""

from functools import partial

import numpy as np
import polars as pl
import pytest

from games import TWO_BOXES
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.game.action import Keep, actions_of
from yatzy.lab.training import data as training_data
from yatzy.lab.training.data import (
    DecisionFiles,
    Played,
    Wanted,
    action_names,
    decision_names,
    find_share,
    label_situations,
    read_decisions,
    write_dataset,
    write_situations,
)
from yatzy.measure.exact import visit
from yatzy.measure.simulate import simulate
from yatzy.players import situations
from yatzy.players.columns import plain_columns
from yatzy.players.situations import all_situations, exact_situations
from yatzy.policies.baselines import Greedy, Heuristic
from yatzy.policies.boltzmann import Boltzmann
from yatzy.policies.optimal import Optimal
from yatzy.sealed import Parts
from yatzy.turn.lattice import lattice


def situation_of(rules, row):
    """(dice, filled, upper) read from the features of a row."""
    dice = [face for face in range(1, rules.faces + 1) for _ in range(row[f"count_{face}"])]
    names = ["open_" + category.name.lower().replace(" ", "_") for category in rules.categories]
    return tuple(dice), sum(1 << c for c, name in enumerate(names) if not row[name]), row["upper"]


def naive_values(table, dice, rerolls, filled, upper):
    """What every action is worth, from advice: by category, or by mask."""
    rules = table.rules
    worth = {one.action: one.value for one in table.advise(dice, rerolls, filled, upper)}
    if not rerolls:
        return [worth.get(action, np.nan) for action in actions_of(rules)[: rules.n_categories]]
    values = []
    for mask in range(1 << rules.dice):
        kept = tuple(face for i, face in enumerate(dice) if not mask >> i & 1)
        if len(kept) == rules.dice:
            values.append(table.advise(dice, rerolls - 1, filled, upper).value)
        else:
            values.append(worth[Keep(kept)])
    return values


def assert_rows_are_advice(table, frame, rerolls):
    rules = table.rules
    for row in frame.to_dicts():
        dice, filled, upper = situation_of(rules, row)
        values = np.array(naive_values(table, dice, rerolls, filled, upper))
        found = [row[f"value_{name}"] for name in action_names(rules, rerolls)]
        assert found == pytest.approx(values, rel=1e-6, nan_ok=True)
        best = np.flatnonzero(values == np.nanmax(values)).tolist()
        if rerolls:
            keeps = {mask: keep_of_mask(rules, dice, mask) for mask in best}
            assert row["keep"] == min(keeps.values())
            assert row["action"] == min(mask for mask in best if keeps[mask] == row["keep"])
            assert row["rerolls"] == rerolls
        else:
            assert row["action"] == min(best)
        others = [v for a, v in enumerate(values) if not np.isnan(v) and not same_action(dice, a, row, rerolls)]
        assert row["gap"] == pytest.approx(values[row["action"]] - max(others) if others else 0.0, abs=1e-5)


def keep_of_mask(rules, dice, mask):
    return lattice(rules.dice, rules.faces).id_of(face for i, face in enumerate(dice) if not mask >> i & 1)


def same_action(dice, action, row, rerolls):
    kept = [[face for i, face in enumerate(dice) if not mask >> i & 1] for mask in (action, row["action"])]
    return kept[0] == kept[1] if rerolls else action == row["action"]


def test_rows_of_a_reduced_game_are_what_advice_says(small_table, tmp_path):
    files = write_dataset(small_table, DecisionFiles(tmp_path, values=True), games=30, seed=1)
    for rerolls, name in enumerate(decision_names(small_table.rules)):
        frame = pl.read_parquet(files[name])
        assert len(frame) == 30 * small_table.rules.n_categories
        assert frame.columns[: frame.columns.index("action")] == list(
            plain_columns(small_table.rules, rerolls > 0)
        )
        assert_rows_are_advice(small_table, frame.sample(40, seed=1), rerolls)


@pytest.mark.compiled
def test_rows_are_what_advice_says(table, tmp_path):
    files = write_dataset(table, DecisionFiles(tmp_path, values=True), games=300, seed=2)
    for rerolls, name in enumerate(decision_names(table.rules)):
        assert_rows_are_advice(table, pl.read_parquet(files[name]).sample(60, seed=1), rerolls)


@pytest.mark.parametrize("file_format", ["parquet", "csv"])
def test_the_games_are_those_of_the_simulator(small_table, tmp_path, file_format, monkeypatch):
    """Points and turns of every category, from the rows of the category decision; blocks do not matter."""
    monkeypatch.setattr(training_data, "GAMES_PER_BLOCK", 16)
    rules = small_table.rules
    out = DecisionFiles(tmp_path, file_format=file_format)
    files = write_dataset(small_table, out, games=40, seed=5, context=Context(threads=1))
    frame = (pl.read_parquet if file_format == "parquet" else pl.read_csv)(files["category"])
    played = simulate(Optimal(small_table), 40, seed=5)
    total = 0
    for row in frame.to_dicts():
        dice, _, _ = situation_of(rules, row)
        total += rules.scores[rules.rolls.index(dice)][row["action"]]
    assert total == played.points.sum()
    by_turn = frame.group_by("turn", "action").len()
    for turn, action, n in by_turn.iter_rows():
        assert (played.turn[:, action] == turn).sum() == n


def killed_after(monkeypatch, n):
    """The names of the parts that are written; the run ends before the n-th."""
    add, written = Parts.add, []

    def write(parts, name, rows, write):
        written.append(name)
        if len(written) == n:
            raise KeyboardInterrupt
        add(parts, name, rows, write)

    monkeypatch.setattr(Parts, "add", write)
    return written


def assert_same_files(found, expected):
    """To the last bit, and nothing is left beside them."""
    assert found.keys() == expected.keys()
    for kind, file in expected.items():
        assert found[kind].read_bytes() == file.read_bytes(), kind
        assert sorted(p.name for p in found[kind].parent.iterdir()) == sorted(
            p.name for p in file.parent.iterdir()
        )


def test_a_killed_run_goes_on_and_gives_the_same_files(small_table, tmp_path, monkeypatch):
    monkeypatch.setattr(training_data, "GAMES_PER_BLOCK", 10)
    whole = write_dataset(small_table, DecisionFiles(tmp_path / "whole"), games=30, seed=3)
    n_turns = small_table.rules.n_categories
    written = killed_after(monkeypatch, 3 * n_turns + 2)
    killed = DecisionFiles(tmp_path / "killed")
    with pytest.raises(KeyboardInterrupt):
        write_dataset(small_table, killed, games=30, seed=3)
    assert not list(killed.folder.glob("*.parquet"))
    assert_same_files(write_dataset(small_table, killed, games=30, seed=3), whole)
    # The part before which it was killed is made again, no other is.
    assert len(written) == 3 * 3 * n_turns + 1
    assert len(set(written)) == 3 * 3 * n_turns


@pytest.mark.parametrize(
    ("given", "sentence"),
    [({"games": 0}, "games: 0 is not allowed"), ({"file_format": "xml"}, "format: 'xml' is not known")],
)
def test_wrong_input_is_told_before_any_game(small_table, tmp_path, given, sentence):
    def write(games=5, file_format="csv"):
        write_dataset(small_table, DecisionFiles(tmp_path, False, file_format), games, 0, away=pytest.fail)

    with pytest.raises(YatzyError, match=sentence):
        write(**given)


def test_files_are_read_back_as_numbers(small_table, tmp_path):
    names = plain_columns(small_table.rules, rerolls=False)
    files = write_dataset(small_table, DecisionFiles(tmp_path), games=10)
    rows, labels = read_decisions(files["reroll2"], names)
    frame = pl.read_parquet(files["reroll2"])
    assert np.array_equal(rows, frame.select(names).to_numpy())
    assert np.array_equal(labels.action, frame["action"].to_numpy())


@pytest.fixture(params=["optimal", "heuristic", "softened"])
def small_player(request, small_table):
    policies = {
        "optimal": Optimal(small_table), "heuristic": Heuristic(small_table.rules),
        "softened": Boltzmann(small_table, 2.0),
    }  # fmt: skip
    return played_by(small_table, policies[request.param])


def played_by(table, player):
    return Played(table, player, visit(player).visits)


@pytest.mark.parametrize("draws", [None, 500])
def test_situations_have_the_columns_of_the_games_and_their_weight(small_table, small_player, draws, tmp_path):
    rules = small_table.rules
    games = write_dataset(small_table, DecisionFiles(tmp_path / "games", values=True), games=5)
    files = write_situations(small_player, DecisionFiles(tmp_path / "exact", values=True), draws)
    assert sorted(p.name for p in (tmp_path / "exact").iterdir()) == sorted(p.name for p in files.values())
    for rerolls, name in enumerate(decision_names(rules)):
        frame, of_games = pl.read_parquet(files[name]), pl.read_parquet_schema(games[name])
        at = frame.columns.index("weight")
        assert frame.columns[at - 1] == "gap"
        assert frame.drop("weight").schema == of_games
        assert frame["weight"].sum() == pytest.approx(rules.n_categories)
        assert frame["weight"].min() > 0
        assert frame.select(plain_columns(rules, rerolls > 0)).is_unique().all()
        assert_rows_are_advice(small_table, frame.sample(30, seed=1), rerolls)


def test_complete_files_hold_every_situation_with_its_weight(small_player, tmp_path, monkeypatch):
    """Whatever the parts: here they are small, and progress rises to its end."""
    monkeypatch.setattr(training_data, "ROWS_PER_PART", 50)
    monkeypatch.setattr(situations, "STATES_PER_CHUNK", 3)
    rules, told = small_player.table.rules, []
    context = Context(threads=2, progress=lambda done, total: told.append((done, total)))
    files = write_situations(small_player, DecisionFiles(tmp_path), context=context)
    assert [done for done, _ in told] == sorted(done for done, _ in told)
    assert told[-1][0] == told[-1][1] > 0
    wanted = [{} for _ in files]
    for block in all_situations(small_player.player, small_player.visits):
        for i, left, roll in np.argwhere(block.weight > 0).tolist():
            wanted[left][rules.rolls[roll], block.filled[i], block.upper[i]] = block.weight[i, left, roll]
    for left, name in enumerate(decision_names(rules)):
        rows = pl.read_parquet(files[name]).to_dicts()
        found = {situation_of(rules, row): row["weight"] for row in rows}
        assert len(found) == len(rows)
        assert found == pytest.approx(wanted[left], rel=1e-12)


def test_the_same_draws_in_a_file_and_in_memory(small_table, tmp_path):
    played = played_by(small_table, Boltzmann(small_table))
    out = DecisionFiles(tmp_path, file_format="csv")
    files = write_situations(played, out, draws=200, seed=7, context=Context(threads=1))
    for rerolls, name in enumerate(decision_names(small_table.rules)):
        frame = pl.read_csv(files[name])
        drawn = exact_situations(played.player, played.visits, rerolls, 200, seed=7)
        names = plain_columns(small_table.rules, rerolls > 0)
        assert np.array_equal(frame.select(names).to_numpy(), drawn.columns())
        assert frame["weight"].to_numpy() == pytest.approx(drawn.weight)
        labels = label_situations(small_table, drawn.filled, drawn.upper, drawn.roll_ids, rerolls)
        assert np.array_equal(frame["action"].to_numpy(), labels.action)


def test_killed_situations_go_on_and_those_of_others_are_left_alone(small_table, tmp_path, monkeypatch):
    monkeypatch.setattr(training_data, "ROWS_PER_PART", 200)
    monkeypatch.setattr(situations, "STATES_PER_CHUNK", 4)
    played = played_by(small_table, Optimal(small_table))
    whole = write_situations(played, DecisionFiles(tmp_path / "whole"))
    written = killed_after(monkeypatch, 5)
    out = DecisionFiles(tmp_path / "killed")
    with pytest.raises(KeyboardInterrupt):
        write_situations(played, out)
    assert not list(out.folder.glob("*.parquet"))
    between = write_situations(played_by(small_table, Greedy(small_table.rules)), out)
    assert pl.read_parquet(between["category"])["weight"].sum() == pytest.approx(small_table.rules.n_categories)
    before = len(written)
    assert_same_files(write_situations(played, out), whole)
    assert written[before] == written[4]
    assert set(written[:4]).isdisjoint(written[before:])


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"draws": 0}, "draws: 0 is not allowed; allowed is a whole number, 1"),
        ({"draws": 5, "seed": -1}, "seed: -1 is not allowed"),
    ],
)
def test_bad_situations_are_refused(small_table, tmp_path, given, sentence):
    with pytest.raises(YatzyError, match=sentence):
        write_situations(played_by(small_table, Optimal(small_table)), DecisionFiles(tmp_path), **given)
    assert not list(tmp_path.glob("*.parquet"))


def test_a_player_of_another_game_is_refused(small_table, six_dice_rules, tmp_path):
    visits = np.zeros((1 << small_table.rules.n_categories, small_table.space.n_uppers))
    with pytest.raises(YatzyError, match="table: is for rules 'three-dice', the player plays 'maxi-of-four'"):
        write_situations(Played(small_table, Greedy(six_dice_rules), visits), DecisionFiles(tmp_path))


@pytest.fixture
def small_shares(monkeypatch):
    """Several blocks, and several shares of each."""
    for size, n in {"GAMES_PER_BLOCK": 12, "ROWS_PER_PART": 40, "GAMES_PER_SHARE": 5}.items():
        monkeypatch.setattr(training_data, size, n)
    monkeypatch.setattr(situations, "STATES_PER_CHUNK", 7)


def backwards(function, shares):
    """As an engine does it, the last share first."""
    return ((share, function(share)) for share in reversed(shares))


@pytest.mark.usefixtures("small_shares")
@pytest.mark.parametrize("values", [False, True])
def test_games_played_elsewhere_are_the_same_files(small_table, tmp_path, values):
    expected = write_dataset(small_table, DecisionFiles(tmp_path / "here", values), 30, 3)
    reported = []
    context = Context(progress=lambda *done: reported.append(done), runner=backwards)
    found = write_dataset(
        small_table, DecisionFiles(tmp_path / "away", values), 30, 3, context, lambda: small_table
    )
    assert_same_files(found, expected)
    assert reported == sorted(reported)
    assert reported[-1][0] == reported[-1][1]


@pytest.mark.usefixtures("small_shares")
def test_games_played_elsewhere_go_on_after_a_stop(small_table, tmp_path):
    """Shares that came back are kept: the second run asks for the others only."""
    expected = write_dataset(small_table, DecisionFiles(tmp_path / "here"), 30, 3)
    asked = []

    def run(function, shares, until=None):
        for share in shares[:until]:
            asked.append(share)
            yield share, function(share)
        if until:
            raise KeyboardInterrupt

    def write(runner):
        context = Context(runner=runner)
        return write_dataset(small_table, DecisionFiles(tmp_path / "away"), 30, 3, context, lambda: small_table)

    with pytest.raises(KeyboardInterrupt):
        write(partial(run, until=3))
    assert_same_files(write(run), expected)
    assert asked == [(0, 5), (5, 5), (10, 2), (12, 5), (17, 5), (22, 2), (24, 5), (29, 1)]


@pytest.mark.usefixtures("small_shares")
@pytest.mark.parametrize("draws", [None, 100])
@pytest.mark.parametrize("make", [lambda table: Heuristic(table.rules), lambda table: Boltzmann(table, 2.0)])
def test_situations_found_elsewhere_are_the_same_files(tmp_path, draws, make):
    table = solve(TWO_BOXES)
    played = played_by(table, make(table))
    expected = write_situations(played, DecisionFiles(tmp_path / "here", values=True), draws)
    away, context = DecisionFiles(tmp_path / "away", values=True), Context(runner=backwards)
    assert_same_files(write_situations(played, away, draws, 0, context, lambda: played), expected)


@pytest.mark.usefixtures("small_shares")
def test_more_shares_than_states_leave_some_empty(small_table):
    played = played_by(small_table, Heuristic(small_table.rules))
    frames = [find_share(played, 30, 0, Wanted(values=True), (1, number, 50)) for number in range(50)]
    some = [frame for frame in frames if len(frame)]
    assert 1 < len(some) < 50
    assert pl.concat(some).equals(find_share(played, 30, 0, Wanted(values=True), (1, 0, 1)))
