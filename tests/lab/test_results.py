"""What a result says of itself: its claims, and the commit of the sources."""

import os
import subprocess
from functools import partial
from pathlib import Path

import pytest

from yatzy.lab.studies.results import Claim, commit_of_sources
from yatzy.storage import WriteError, write_atomically


def test_claims_agree_within_their_last_digit() -> None:
    assert Claim("gap", 72, 72.4, 0.5).agrees
    assert not Claim("gap", 72, 72.6, 0.5).agrees


def test_sources_outside_a_clone_have_no_commit(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("yatzy.lab.studies.results.PACKAGE", tmp_path)
    assert commit_of_sources.__wrapped__() is None
    run = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True)
    run(["git", "init"])
    assert commit_of_sources.__wrapped__() is None
    (tmp_path / "file").touch()
    run(["git", "add", "file"])
    run(["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-m", "one"])
    assert len(commit_of_sources.__wrapped__() or "") == 40
    (tmp_path / "file").write_text("edited")
    assert (commit_of_sources.__wrapped__() or "").endswith("-dirty")


def test_a_clone_is_only_looked_at(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """`git status` wrote the index of the clone, and left its lock there when the study was killed."""
    monkeypatch.setattr("yatzy.lab.studies.results.PACKAGE", tmp_path)
    run = partial(subprocess.run, cwd=tmp_path, check=True, capture_output=True)
    run(["git", "init"])
    (tmp_path / "file").write_text("same")
    run(["git", "add", "file"])
    run(["git", "-c", "user.name=x", "-c", "user.email=x@example.com", "commit", "-m", "one"])
    before = (tmp_path / ".git" / "index").read_bytes()
    # Another time, the same content: a reason to refresh the index.
    os.utime(tmp_path / "file", (1, 1))
    assert len(commit_of_sources.__wrapped__() or "") == 40
    assert (tmp_path / ".git" / "index").read_bytes() == before


def test_a_write_that_fails_leaves_no_half_file(tmp_path: Path) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "inside").touch()
    with pytest.raises(WriteError, match="folder is a folder; allowed is a file"):
        write_atomically(tmp_path / "folder", b"content")
    assert [file.name for file in tmp_path.iterdir()] == ["folder"]
