"""Chances of the bonus: equal to a brute-force twin, and kept in a file that belongs to its table."""

import numpy as np
import pytest

from naive_policies import NaivePolicy
from yatzy import solve
from yatzy.coach.outlook import BonusChances, chances_path, stored_bonus_chances
from yatzy.context import Context
from yatzy.policies.optimal import Optimal


def assert_chances(table):
    twin = NaivePolicy(Optimal(table))
    chances = BonusChances(table).from_mask(0)
    assert (np.isnan(chances) == ~table.space.reachable).all()
    for filled, upper in np.argwhere(table.space.reachable).tolist():
        assert chances[filled, upper] == pytest.approx(twin.bonus_chance(filled, upper), abs=1e-14)


def test_every_state_of_a_reduced_game(reduced_table):
    assert_chances(reduced_table)


@pytest.mark.parametrize("theta", [-0.3, 0.4])
def test_other_thetas(small_rules, theta):
    assert_chances(solve(small_rules, theta))


@pytest.mark.compiled
def test_the_start_of_the_game(coach, evaluation_of):
    chance = coach.chances.from_mask(0)[0, 0]
    assert chance == pytest.approx(evaluation_of("optimal").bonus_rate, abs=1e-12)
    assert chance == pytest.approx(0.89806, abs=1e-5)


def test_only_what_can_still_come_is_computed(small_table):
    whole = BonusChances(small_table).from_mask(0)
    some = BonusChances(small_table)
    masks = np.arange(len(whole))
    found = some.from_mask(0b1001).copy()
    ahead = masks & 0b1001 == 0b1001
    np.testing.assert_array_equal(found[ahead], whole[ahead])
    is_open = small_table.space.reachable[0b0001] & (whole[0b0001] > 0) & (whole[0b0001] < 1)
    assert is_open.any()
    assert np.isnan(found[0b0001][is_open]).all()
    np.testing.assert_array_equal(some.from_mask(0b0001), np.where((masks & 1)[:, None], whole, some.from_mask(1)))
    np.testing.assert_array_equal(some.from_mask(0), whole)


def test_the_file_is_used_again(small_table, tmp_path, monkeypatch):
    first = stored_bonus_chances(small_table, Context(tmp_path))
    monkeypatch.setattr("yatzy.measure.exact.bonus_chances", pytest.fail)
    again = stored_bonus_chances(small_table, Context(tmp_path))
    assert again.tobytes() == first.tobytes()
    np.testing.assert_array_equal(again, first)
    assert [path.name for path in chances_path(small_table, tmp_path).parent.iterdir()] == [
        f"three-dice-{small_table.rules.fingerprint}-theta0.0-float64-bonus.safetensors"
    ]


@pytest.mark.parametrize("damage", ["flipped", "cut", "text", "other table"])
def test_a_file_that_does_not_belong_is_replaced(small_table, small_rules, tmp_path, damage):
    path = chances_path(small_table, tmp_path)
    expected = stored_bonus_chances(small_table, Context(tmp_path)).copy()
    good = path.read_bytes()
    if damage == "other table":
        other = solve(small_rules, 0.2)
        stored_bonus_chances(other, Context(tmp_path))
        chances_path(other, tmp_path).replace(path)
    else:
        flipped = good[:-1] + bytes([good[-1] ^ 1])
        path.write_bytes({"flipped": flipped, "cut": good[:-8], "text": b"no chances"}[damage])
    said = []
    np.testing.assert_array_equal(
        stored_bonus_chances(small_table, Context(tmp_path, notice=said.append)), expected
    )
    assert said == [f"{path}: does not belong to the table beside it; computing again"]
    np.testing.assert_array_equal(
        stored_bonus_chances(small_table, Context(tmp_path, notice=pytest.fail)), expected
    )


def test_an_interrupted_write_leaves_nothing(small_table, tmp_path, monkeypatch):
    monkeypatch.setattr("os.replace", lambda *_: (_ for _ in ()).throw(KeyboardInterrupt))
    with pytest.raises(KeyboardInterrupt):
        stored_bonus_chances(small_table, Context(tmp_path))
    assert list((tmp_path / "tables").iterdir()) == []


def test_progress_is_told(small_table, tmp_path):
    told = []
    stored_bonus_chances(small_table, Context(tmp_path, progress=lambda done, total: told.append((done, total))))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]
