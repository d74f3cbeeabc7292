"""Studies are found, computed, compared with what is published, and resumed after a stop."""

import json
import math
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pytest

from yatzy import YatzyError, __version__
from yatzy.cli import main
from yatzy.context import Context
from yatzy.lab.studies import reproduce as reproducing
from yatzy.lab.studies.reproduce import STUDIES, find_study, reproduce
from yatzy.lab.studies.results import commit_of_sources, read_result
from yatzy.lab.studies.solution import SmallGame, solve_small_game
from yatzy.rules import Ruleset
from yatzy.sealed import seal


def test_studies_are_found_by_name() -> None:
    assert find_study("game_spray") is STUDIES["game-spray"]
    with pytest.raises(YatzyError, match="study: 'moon' is not known; allowed are statespace, distribution"):
        find_study("moon")


def test_a_study_is_computed_and_compared_with_what_is_published(tmp_path: Path) -> None:
    path, published = tmp_path / "statespace.json", tmp_path / "published"
    (first,) = reproduce(["statespace"], tmp_path, Context(tmp_path))
    assert first.key_figures["reachable"] == 1_430_528
    assert first.differences == []
    content = json.loads(path.read_text())
    content["reachable"] += 1
    content["memory"]["table_float32"] *= 1 + 1e-12
    content["layers"][3]["masks"] *= 2
    del content["widget"]["edges"]
    content["claims"] = content["claims"][1:]
    content["provenance"]["seconds"] = 1e6
    published.mkdir()
    (published / path.name).write_text(json.dumps(seal(content)))
    (told,) = reproduce(["statespace"], tmp_path, Context(tmp_path), published=published)
    assert [one.partition(":")[0] for one in told.differences] == [
        "reachable", "widget.edges", "layers[3].masks", "claims",
    ]  # fmt: skip
    assert told.differences[0] == "reachable: 1430529 is published, 1430528 was computed"
    (other,) = reproduce(["statespace"], tmp_path, Context(tmp_path), rules="yahtzee+no-joker+no-extra-bonus")
    assert other.differences == []
    assert other.provenance != first.provenance
    with pytest.raises(YatzyError, match=r"^rules: studies are for games without jokers"):
        reproduce(["statespace"], tmp_path, Context(tmp_path), rules="yahtzee")


def test_what_was_finished_before_a_stop_is_kept_until_all_is_done(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    counted: list[str] = []

    def count(name: str, ends: bool) -> Any:
        def run(**more: Any) -> Any:
            counted.append(name)
            if ends:
                raise KeyboardInterrupt
            return solve_small_game(**more)

        run.__annotations__ = {"return": SmallGame}
        return replace(STUDIES["small-game"], name=name, function=run)

    monkeypatch.setitem(STUDIES, "bonus", count("bonus", ends=False))
    monkeypatch.setitem(STUDIES, "quiz", count("quiz", ends=True))
    with pytest.raises(KeyboardInterrupt):
        reproduce(["bonus", "quiz"], tmp_path, Context(tmp_path))
    monkeypatch.setitem(STUDIES, "quiz", count("quiz", ends=False))
    reproduce(["bonus", "quiz"], tmp_path, Context(tmp_path))
    assert counted == ["bonus", "quiz", "quiz"]
    assert not list((tmp_path / "reproduce").rglob("*.json"))
    reproduce(["bonus"], tmp_path, Context(tmp_path))
    assert counted == ["bonus", "quiz", "quiz", "bonus"]


def test_what_is_kept_hangs_on_every_file_of_data() -> None:
    """After the rooms were renamed no file was found, so a part outlived a change of the lists or the quiz."""
    found = {path.name for path in reproducing.data_files()}
    assert {"grid.toml", "quiz.json", "par.toml", "card-20.json", "chart-scores.json"} <= found
    assert not [name for name in found if name.endswith((".py", ".pyc"))]


def test_provenance_says_what_a_result_was_computed_with(tmp_path: Path, rules: Ruleset) -> None:
    reproduce(["statespace"], tmp_path, Context(tmp_path, threads=1))
    found = read_result(tmp_path / "statespace.json")
    assert found is not None
    provenance, content = found
    assert content["study"] == "statespace"
    assert provenance.fingerprint == rules.fingerprint
    assert (provenance.version, provenance.commit) == (__version__, commit_of_sources())
    assert (provenance.rules, provenance.seed, provenance.threads) == ("scandinavian", None, 1)
    assert provenance.seconds > 0
    claims = {claim["what"]: claim["agrees"] for claim in content["claims"]}
    assert claims["nodes per widget"]
    assert not claims["log10 of histories per slot"]


@dataclass(frozen=True)
class Broken:
    """A result that cannot be written."""

    mean: float

    @property
    def key_figures(self) -> dict[str, float]:
        return {"mean": self.mean}


def _broken(**_: Any) -> Broken:
    return Broken(math.nan)


def test_a_study_that_fails_leaves_the_old_result(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    reproduce(["statespace"], tmp_path, Context(tmp_path))
    written = (tmp_path / "statespace.json").read_bytes()
    monkeypatch.setitem(STUDIES, "statespace", replace(STUDIES["statespace"], function=_broken))
    with pytest.raises(YatzyError, match="mean: None is not a number"):
        reproduce(["statespace"], tmp_path, Context(tmp_path))
    assert not list((tmp_path / "reproduce").rglob("*.json"))
    assert (tmp_path / "statespace.json").read_bytes() == written
    assert [file.name for file in tmp_path.iterdir() if file.is_file()] == ["statespace.json"]


def test_command_reproduces_and_lists(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["yatzy", "reproduce", *arguments])
        with pytest.raises(SystemExit) as stopped:
            main()
        assert stopped.value.code == 0
        return capsys.readouterr().out

    found = json.loads(run("statespace", "--out", str(tmp_path), "--json"))
    assert found["studies"][0]["key_figures"]["classes"] == 958_976
    report = run("statespace", "--out", str(tmp_path))
    assert "958976" in report
    claims = found["studies"][0]["claims"]
    assert f"{sum(claim['agrees'] for claim in claims)} of {len(claims)} agree" in report
    assert "state slots" in report
    published = json.loads(run("--json"))["studies"]
    assert [study["study"] for study in published] == list(STUDIES)
    assert all(study["provenance"]["commit"] for study in published)
    assert "game-spray" in run()


def test_the_command_says_what_differs(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["yatzy", "reproduce", "small-game", "--out", str(tmp_path)])
    monkeypatch.setattr(reproducing, "differences", lambda *_: ["value: 1 is published, 2 was computed"] * 7)
    with pytest.raises(SystemExit) as stopped:
        main()
    assert stopped.value.code == 1
    told = capsys.readouterr().out
    assert told.count("small-game differs: value: 1 is published, 2 was computed") == 5
    assert "small-game differs in 2 more numbers" in told
