"""A stored table comes back as it was, and a file that is not what was asked for is refused."""

import os
import pickle
from dataclasses import replace

import numpy as np
import pytest
from safetensors.numpy import load_file, save_file

from yatzy import ValueTable, YatzyError, solve
from yatzy.sealed import write_tensors
from yatzy.solver.table import FORMAT, TableError
from yatzy.storage import WriteError


@pytest.fixture
def path(small_table, tmp_path):
    return small_table.save(tmp_path / "three-dice.safetensors")


def metadata_of(path):
    from safetensors import safe_open

    with safe_open(path, framework="numpy") as file:
        return file.metadata()


def rewrite(path, values=None, **changes):
    """The same file with other metadata (None removes a key) or values, sealed unless the checksum is changed."""
    metadata = metadata_of(path) | changes
    values = load_file(path)["values"] if values is None else values
    kept = {key: text for key, text in metadata.items() if text is not None}
    if "checksum" in changes:
        save_file({"values": values}, path, kept)
    else:
        write_tensors(path, {"values": values}, {key: text for key, text in kept.items() if key != "checksum"})


def assert_refused(path, message, **wanted):
    """One sentence that names the file and the problem."""
    with pytest.raises(TableError, match=message) as refusal:
        ValueTable.load(path, **wanted)
    assert str(refusal.value).startswith((f"{path} ", f"{path}: ", f"there is no file {path}"))
    assert "\n" not in str(refusal.value)


def test_a_table_comes_back_bit_for_bit_and_in_memory(path, small_rules, small_table):
    loaded = ValueTable.load(path, rules=small_rules, theta=0.0)
    assert loaded.stored.tobytes() == small_table.stored.tobytes()
    path.write_bytes(b"what happens to the file later")
    assert not loaded.stored.flags.writeable
    assert (loaded.rules, loaded.theta, loaded.precision) == (small_rules, 0.0, "float64")
    assert loaded.value(1, 3) == small_table.value(1, 3)


def test_a_risk_table_comes_back_with_its_theta(small_rules, tmp_path):
    risky = solve(small_rules, theta=-0.3)
    loaded = ValueTable.load(risky.save(tmp_path / "risky"), rules=small_rules)
    assert loaded.theta == -0.3
    assert loaded.value() == risky.value()
    assert (loaded.log_values[0] == risky.log_values[0]).any()
    assert loaded.value() == loaded.log_values[0, 0] / -0.3


def test_a_float32_table_comes_back_as_float32(small_rules, tmp_path):
    quick = solve(small_rules, precision="float32")
    loaded = ValueTable.load(quick.save(tmp_path / "quick"), rules=small_rules)
    assert loaded.precision == "float32"
    assert loaded.stored.tobytes() == quick.stored.tobytes()


@pytest.mark.compiled
def test_a_named_ruleset_needs_no_rules_to_load(table, tmp_path):
    loaded = ValueTable.load(table.save(tmp_path / "deep" / "folder" / "scandinavian"))
    assert loaded.rules == table.rules
    assert loaded.value() == table.value()
    assert loaded.stored.tobytes() == table.stored.tobytes()


def test_values_are_what_value_says(small_table):
    for filled, upper in np.argwhere(small_table.space.reachable):
        assert small_table.values[filled, upper] == small_table.value(int(filled), int(upper))


def test_log_values_belong_to_risk_alone(small_table):
    with pytest.raises(YatzyError, match=r"^log_values: a table for theta 0 has none"):
        _ = small_table.log_values


@pytest.mark.parametrize(
    ("filled", "upper", "field"),
    [(16, 0, "filled"), (-1, 0, "filled"), (0, 15, "upper"), (0, -1, "upper"), (1, 5, "upper")],
)
def test_the_value_of_an_impossible_state_is_refused(small_table, filled, upper, field):
    with pytest.raises(YatzyError, match=f"^{field}: "):
        small_table.value(filled, upper)


@pytest.mark.parametrize(("filled", "upper", "field"), [(1.5, 0, "filled"), ("poker", 0, "category")])
def test_the_value_of_something_that_is_no_state_is_refused(small_table, filled, upper, field):
    with pytest.raises(YatzyError, match=f"^{field}: "):
        small_table.value(filled, upper)


def test_a_file_says_what_it_was_solved_for(path, small_rules):
    metadata = metadata_of(path)
    assert len(metadata.pop("checksum")) == 64
    assert metadata == {
        "format": FORMAT,
        "rules": "three-dice",
        "fingerprint": small_rules.fingerprint,
        "theta": "0.0",
        "precision": "float64",
    }


@pytest.mark.parametrize("back", [1, 100, 8 * 16 * 15])
def test_a_corrupt_byte_is_refused(path, small_rules, back):
    content = bytearray(path.read_bytes())
    content[-back] ^= 1
    path.write_bytes(content)
    assert_refused(path, r"was damaged or edited \(its checksum does not match\)$", rules=small_rules)


@pytest.mark.parametrize("n_bytes", [0, 1, 8, 50, 300, 1000, -1])
def test_a_truncated_or_empty_file_is_refused(path, small_rules, n_bytes):
    path.write_bytes(path.read_bytes()[:n_bytes])
    assert_refused(path, "is not a safetensors file, or not all of it$", rules=small_rules)


def test_every_corrupt_byte_of_the_header_is_refused_or_harmless(path, small_rules, small_table):
    """Whatever breaks, it is a `TableError` or the same table."""
    content = path.read_bytes()
    for position in range(len(content) - small_table.stored.nbytes):
        changed = bytearray(content)
        changed[position] ^= 1
        path.write_bytes(changed)
        try:
            loaded = ValueTable.load(path, rules=small_rules, theta=0.0)
        except TableError:
            continue
        assert loaded.stored.tobytes() == small_table.stored.tobytes(), position


@pytest.mark.parametrize("content", [b"this is not a table", b"PK\x03\x04" * 50, pickle.dumps({"values": 1})])
def test_a_file_of_another_kind_is_refused(tmp_path, small_rules, content):
    (tmp_path / "other").write_bytes(content)
    assert_refused(tmp_path / "other", "is not a safetensors file", rules=small_rules)


def test_a_missing_file_is_refused(tmp_path, small_rules):
    assert_refused(tmp_path / "nowhere", "^there is no file .*nowhere$", rules=small_rules)


def test_a_folder_is_refused(tmp_path, small_rules):
    assert_refused(tmp_path, "is a folder; allowed is a file$", rules=small_rules)


def test_a_safetensors_file_without_values_is_refused(path, small_rules):
    write_tensors(path, {"other": np.zeros(3)}, {})
    assert_refused(path, "holds other, not values$", rules=small_rules)


def test_a_safetensors_file_without_metadata_is_refused(path, small_rules):
    save_file({"values": np.zeros((16, 15))}, path)
    assert_refused(path, "has no checksum$", rules=small_rules)
    write_tensors(path, {"values": np.zeros((16, 15))}, {})
    assert_refused(path, "format is None, this version reads", rules=small_rules)


def test_a_table_for_other_rules_is_refused(path, small_rules):
    stricter = replace(small_rules, bonus=small_rules.bonus + 1)
    fingerprints = rf"\({small_rules.fingerprint}\), not for 'three-dice' \({stricter.fingerprint}\)$"
    assert_refused(path, f"was solved for rules 'three-dice' {fingerprints}", rules=stricter)
    assert_refused(path, "was solved for rules 'three-dice' .*, not for 'scandinavian'", rules="scandinavian")


def test_a_table_for_another_theta_is_refused(path, small_rules):
    assert_refused(path, r"was solved for theta 0\.0, not for 0\.1$", rules=small_rules, theta=0.1)


def test_another_format_version_is_refused(path, small_rules):
    rewrite(path, format="yatzy-values-0")
    assert_refused(path, f"format is 'yatzy-values-0', this version reads '{FORMAT}'$", rules=small_rules)


def test_values_of_another_shape_are_refused(path, small_rules):
    rewrite(path, values=np.zeros((16, 14)))
    told = r"holds float64 values of shape \(16, 14\), not float64 of \(16, 15\)$"
    assert_refused(path, told, rules=small_rules)


def test_values_that_are_not_the_ones_saved_are_refused(path, small_rules):
    rewrite(path, values=np.zeros((16, 15)), checksum=metadata_of(path)["checksum"])
    assert_refused(path, "was damaged or edited", rules=small_rules)


def test_a_table_of_another_precision_is_refused(path, small_rules):
    """A float32 table under the name of the float64 one was taken for it."""
    assert_refused(
        path, "was solved for precision float64, not for float32$", rules=small_rules, precision="float32"
    )


@pytest.mark.parametrize(
    ("field", "text"),
    [
        ("fingerprint", "nonsense"),
        ("checksum", "nonsense"),
        ("theta", "nonsense"),
        ("precision", "nonsense"),
        ("fingerprint", None),
        ("checksum", None),
        ("theta", None),
        ("precision", None),
    ],
)
def test_metadata_without_meaning_is_refused(path, small_rules, field, text):
    rewrite(path, **{field: text})
    assert_refused(path, ".", rules=small_rules)


def test_a_changed_theta_is_noticed_without_being_asked_for(path, small_rules):
    rewrite(path, theta="0.1", checksum=metadata_of(path)["checksum"])
    assert_refused(path, "was damaged or edited", rules=small_rules)


def test_an_unnamed_ruleset_must_be_given(path):
    with pytest.raises(YatzyError, match=r"rules: 'three-dice' is not known"):
        ValueTable.load(path)


@pytest.mark.parametrize("error", [KeyboardInterrupt, OSError])
def test_an_interrupted_write_leaves_no_file(small_table, tmp_path, monkeypatch, error):
    def interrupt(*_):
        raise error

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(WriteError if error is OSError else error):
        small_table.save(tmp_path / "table")
    assert list(tmp_path.iterdir()) == []


def test_an_interrupted_write_leaves_the_older_file(path, small_table, small_rules, monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "replace", interrupt)
    with pytest.raises(KeyboardInterrupt):
        replace(small_table, stored=np.zeros((16, 15))).save(path)
    assert ValueTable.load(path, rules=small_rules).value() == small_table.value()
    assert list(path.parent.iterdir()) == [path]


def test_a_table_can_be_written_over_itself_while_open(path, small_rules, small_table):
    loaded = ValueTable.load(path, rules=small_rules)
    loaded.save(path)
    assert loaded.value() == small_table.value()
    assert ValueTable.load(path, rules=small_rules).value() == small_table.value()


def test_a_table_can_be_pickled_and_not_written_into(small_table):
    """It was neither: a frozen class with a memory map, and an open array."""
    import pickle

    again = pickle.loads(pickle.dumps(small_table))
    assert again.rules == small_table.rules
    assert again.theta == small_table.theta
    np.testing.assert_array_equal(again.stored, small_table.stored)
    for table in (small_table, again):
        with pytest.raises(ValueError, match="read-only"):
            table.stored[0, 0] = 1.0
        with pytest.raises(ValueError, match="read-only"):
            table.values[0, 0] = 1.0
