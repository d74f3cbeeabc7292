"""The wheel in an environment of its own, away from the clone: a turn is played, article and claims are there.

The environment is fresh but for the dependencies, which it borrows from the one that runs the tests.
"""

import json
import os
import shutil
import socket
import subprocess
import sys
import sysconfig
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, expect

from browser.conftest import SOON, check_visit, open_visit
from yatzy.coach.advice import Coach
from yatzy.lab.bench.processes import wait_for
from yatzy.lab.studies.reproduce import published_results
from yatzy.site.offline import group_files

ROOT = Path(__file__).parents[2]
LARGEST = 5_000_000

Run = Callable[..., subprocess.CompletedProcess[str]]


def run(*command: object, cwd: Path, **more: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"} | more
    return subprocess.run(
        list(map(str, command)), cwd=cwd, env=environment, capture_output=True, text=True, check=False
    )


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """What a wheel is made from, without a site."""
    folder = tmp_path_factory.mktemp("project")
    for name in ("pyproject.toml", "hatch_build.py", "README.md", "LICENSE", ".gitignore"):
        shutil.copy(ROOT / name, folder)
    for name in ("src", "results"):
        shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def make_wheel(project: Path) -> subprocess.CompletedProcess[str]:
    return run(
        sys.executable, "-m", "pip", "wheel", "--no-deps", "--no-index", "--no-build-isolation",
        "--disable-pip-version-check", "--wheel-dir", "dist", ".", cwd=project,
    )  # fmt: skip


def test_without_the_site_there_is_no_wheel_but_an_editable_installation(project: Path) -> None:
    refused = make_wheel(project)
    assert refused.returncode != 0
    assert "yatzy: build/site has no index.html; run make wheel" in refused.stdout + refused.stderr
    assert not list(project.glob("dist/*"))
    code = "from hatchling.build import build_editable; print(build_editable('editable'))"
    (project / "editable").mkdir()
    done = run(sys.executable, "-c", code, cwd=project)
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip().endswith(".whl")


@pytest.fixture(scope="module")
def wheel(project: Path, site: Path) -> Path:
    shutil.copytree(site, project / "build" / "site")
    done = make_wheel(project)
    assert done.returncode == 0, done.stderr
    (made,) = project.glob("dist/yatzy-*.whl")
    return made


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder of the environment that has the wheel."""
    folder = tmp_path_factory.mktemp("installed")
    assert run(sys.executable, "-m", "venv", "--without-pip", folder / "venv", cwd=folder).returncode == 0
    python = folder / "venv" / "bin" / "python"
    done = run(
        sys.executable, "-m", "pip", "--python", python, "install", "--no-deps", "--no-index",
        "--disable-pip-version-check", wheel, cwd=folder,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    (packages,) = (folder / "venv" / "lib").glob("python*/site-packages")
    (packages / "borrowed.pth").write_text(sysconfig.get_paths()["purelib"])
    where = run(python, "-c", "import yatzy; print(yatzy.__file__)", cwd=folder).stdout.strip()
    assert Path(where).is_relative_to(folder)
    return folder


@pytest.fixture(scope="module")
def yatzy(installed: Path) -> Run:
    """Runs a command of the installed package, where neither Node nor the clone is to be found."""
    command = installed / "venv" / "bin" / "yatzy"
    return lambda *words: run(command, *words, cwd=installed, PATH=str(command.parent))


def test_the_wheel_is_small(wheel: Path) -> None:
    assert wheel.stat().st_size < LARGEST
    print(f"wheel: {wheel.stat().st_size:,} bytes")


def test_the_site_is_copied(yatzy: Run, installed: Path, site: Path) -> None:
    told = yatzy("treatise", "build", "--out", "copied", "--json")
    assert told.returncode == 0, told.stderr
    assert {"index.html", "game.html", "claims.html"} <= set(json.loads(told.stdout)["pages"])
    assert json.loads(told.stdout)["claims"] > 30
    assert group_files(installed / "copied") == group_files(site)
    for name in ("service-worker.js", "play/index.html"):
        assert (installed / "copied" / name).read_bytes() == (site / name).read_bytes()
    refused = yatzy("treatise", "build", "--out", "other", "--results", "copied")
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "has no package.json; the site is built in a clone" in refused.stderr


def test_the_published_numbers_are_there(yatzy: Run) -> None:
    """Away from the clone they are the same, with the commit that they were computed with."""
    here = {told.study: told.provenance and told.provenance.commit for told in published_results()}
    told = yatzy("reproduce", "--json")
    assert told.returncode == 0, told.stderr
    assert {one["study"]: one["provenance"]["commit"] for one in json.loads(told.stdout)["studies"]} == here
    told = yatzy("reproduce", "statespace", "--json")
    assert told.returncode == 0, told.stderr
    (study,) = json.loads(told.stdout)["studies"]
    assert study["key_figures"]["reachable"] == 1_430_528
    assert study["claims"]
    assert study["differences"] == []


@pytest.fixture
def served(installed: Path, home: Path, coach: Coach) -> Iterator[str]:
    """What the coach needs is in its home, so that nothing is prepared beside it."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    command = [installed / "venv" / "bin" / "yatzy", "serve", "--port", str(port), "--home", home]
    with subprocess.Popen(list(map(str, command)), cwd=installed, stdout=subprocess.DEVNULL) as process:
        wait_for(port, process)
        yield f"http://127.0.0.1:{port}"
        process.terminate()
        process.wait(SOON / 1000)


@pytest.mark.compiled
def test_a_turn_is_played(browser: Browser, served: str) -> None:
    one = open_visit(browser, served, 390, reduced_motion="reduce")
    page = one.go("play/?seed=7")
    page.click("#roll")
    page.keyboard.press("h")
    expect(page.locator("#said")).to_contain_text("Keep")
    page.locator("#lower button", has_text="Chance").click()
    expect(page.locator("#total")).not_to_have_text("0")
    page.click(".brand")
    expect(page.get_by_text("Start reading")).to_be_visible()
    one.context.close()
    check_visit(one)
