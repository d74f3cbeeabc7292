"""A server that listens in a thread of this process, for all tests of this folder."""

from collections.abc import Callable, Iterator
from pathlib import Path

import numpy as np
import pytest
import requests

from listening import listening
from yatzy.coach.advice import Coach, stored_coach
from yatzy.context import Context
from yatzy.server import coaches as targets
from yatzy.server.app import create_app
from yatzy.server.coaches import Coaches

# Seconds after which a test gives up, on whatever machine: nothing here is a test of speed.
PATIENCE = 600


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small built site, and a file outside it that must not be served."""
    folder = tmp_path_factory.mktemp("web")
    (folder / "secret.txt").write_text("secret")
    built = folder / "site"
    for path, text in {
        "index.html": "<!doctype html>treatise",
        "play/index.html": "<!doctype html>coach",
        "assets/main.js": "export {};",
        "notes on dice.txt": "six sides",
    }.items():
        (built / path).parent.mkdir(parents=True, exist_ok=True)
        (built / path).write_text(text)
    return built


@pytest.fixture(scope="session")
def coaches(rules, home: Path) -> Coaches:
    """The tables behind the server."""
    return Coaches(rules, home)


@pytest.fixture(scope="session")
def yacht(home: Path) -> list[str]:
    """Options of a server of the smallest game; what it needs is there, so that nothing is prepared beside it."""
    stored_coach("yacht", Context(home))
    return ["--rules", "yacht"]


@pytest.fixture(scope="session")
def coach(coaches: Coaches) -> Coach:
    return coaches.plain


class Unfinished:
    """A process that does nothing, and never ends."""

    def __init__(self, *given: object) -> None: ...

    def poll(self) -> None: ...


@pytest.fixture(scope="session")
def address(coaches: Coaches, home: Path, site: Path) -> Iterator[str]:
    """Scandinavian Yatzy, served. Chances of all its targets, a minute of computing, are never there."""
    with pytest.MonkeyPatch.context() as patch, listening(create_app("scandinavian", home, site)) as found:
        patch.setattr(targets, "start_targets", Unfinished)
        yield found


@pytest.fixture
def nothing_ahead(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that ask for no outlook: a server computes one when it starts."""
    monkeypatch.setattr(Coaches, "_look_ahead", lambda self, key, progress: (np.ones(1), 0.0))


@pytest.fixture
def post(address: str) -> Callable[..., requests.Response]:
    return lambda path, body: requests.post(f"{address}{path}", json=body, timeout=PATIENCE)


@pytest.fixture
def get(address: str) -> Callable[..., requests.Response]:
    return lambda path, **query: requests.get(f"{address}{path}", params=query, timeout=PATIENCE)
