"""Data sets computed elsewhere: the same files as here, whatever the order, and after a stop."""

from functools import partial

import polars as pl
import pytest

from games import TWO_BOXES
from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.lab.data import decision_files
from yatzy.lab.data import decision_files as spread
from yatzy.measure.exact import visit
from yatzy.players import situations
from yatzy.policies.baselines import Heuristic
from yatzy.policies.boltzmann import Boltzmann


@pytest.fixture(autouse=True)
def small_shares(monkeypatch):
    """Several blocks, and several shares of each."""
    for module in (decision_files, spread):
        monkeypatch.setattr(module, "GAMES_PER_BLOCK", 12)
        monkeypatch.setattr(module, "ROWS_PER_PART", 40)
    monkeypatch.setattr(spread, "GAMES_PER_SHARE", 5)
    monkeypatch.setattr(situations, "STATES_PER_CHUNK", 7)


def backwards(function, shares):
    """As an engine does it, the last share first."""
    return ((share, function(share)) for share in reversed(shares))


def assert_same_files(found, expected):
    assert found.keys() == expected.keys()
    for kind, file in expected.items():
        assert pl.read_parquet(found[kind]).equals(pl.read_parquet(file)), kind
        assert found[kind].read_bytes() == file.read_bytes(), kind
        assert not list(file.parent.glob(".*.parts"))


@pytest.mark.parametrize("values", [False, True])
def test_games_are_the_same_files(small_table, tmp_path, values):
    expected = decision_files.write_dataset(small_table, tmp_path / "here", 30, 3, values)
    play = partial(backwards, partial(spread.games_share, small_table, 3, values))
    reported = []
    found = spread.write_games(
        small_table,
        tmp_path / "away",
        30,
        3,
        values,
        "parquet",
        play,
        Context(progress=lambda *done: reported.append(done)),
    )
    assert_same_files(found, expected)
    assert reported == sorted(reported)
    assert reported[-1][0] == reported[-1][1]


def test_games_go_on_after_a_stop(small_table, tmp_path):
    """Shares that came back are kept: the second run asks for the others only."""
    expected = decision_files.write_dataset(small_table, tmp_path / "here", 30, 3)
    asked = []

    def play(shares, until=None):
        for share in shares[:until]:
            asked.append(share)
            yield share, spread.games_share(small_table, 3, False, share)
        if until:
            raise KeyboardInterrupt

    write = partial(spread.write_games, small_table, tmp_path / "away", 30, 3, False, "parquet")
    with pytest.raises(KeyboardInterrupt):
        write(partial(play, until=3))
    assert_same_files(write(play), expected)
    assert asked == [(0, 5), (5, 5), (10, 2), (12, 5), (17, 5), (22, 2), (24, 5), (29, 1)]


@pytest.mark.parametrize("draws", [None, 100])
@pytest.mark.parametrize("make", [lambda table: Heuristic(table.rules), lambda table: Boltzmann(table, 2.0)])
def test_situations_are_the_same_files(tmp_path, draws, make):
    table = solve(TWO_BOXES)
    player = make(table)
    visits = visit(player).visits
    expected = decision_files.write_situations(table, player, visits, tmp_path / "here", draws, 0, True)
    find = partial(backwards, partial(spread.situations_share, table, player, visits, draws, 0, True))
    found = spread.write_situations_elsewhere(
        table, player, visits, tmp_path / "away", draws, 0, True, "parquet", find
    )
    assert_same_files(found, expected)


def test_more_shares_than_states_leave_some_empty(small_table):
    player = Heuristic(small_table.rules)
    visits = visit(player).visits
    frames = [
        spread.situations_share(small_table, player, visits, 30, 0, True, (1, number, 50)) for number in range(50)
    ]
    some = [frame for frame in frames if len(frame)]
    assert 1 < len(some) < 50
    assert pl.concat(some).equals(spread.situations_share(small_table, player, visits, 30, 0, True, (1, 0, 1)))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [({"games": 0}, "games: 0 is not allowed"), ({"file_format": "xml"}, "format: 'xml' is not known")],
)
def test_wrong_input_is_told_before_any_share(small_table, tmp_path, given, sentence):
    options = {"games": 5, "seed": 0, "values": False, "file_format": "parquet", "play": pytest.fail} | given
    with pytest.raises(YatzyError, match=sentence):
        spread.write_games(small_table, tmp_path, **options)
