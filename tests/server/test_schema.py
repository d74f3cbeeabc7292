"""Schemathesis against the OpenAPI document, as anyone would run it: all its checks, all its phases."""

import subprocess
import sys

import numpy as np
import pytest
import requests

from listening import listening
from server.conftest import PATIENCE
from yatzy import ValueTable, YatzyError
from yatzy.coach.advice import Coach
from yatzy.coach.outlook import BonusChances
from yatzy.server.app import create_app
from yatzy.server.coaches import Coaches, TargetChances

pytestmark = pytest.mark.compiled

ENDPOINTS = {
    "/api/health": {"get"}, "/api/games": {"get"}, "/api/rules": {"get"}, "/api/state-value": {"get"},
    "/api/advise": {"post"}, "/api/distribution": {"post"}, "/api/review": {"post"},
}  # fmt: skip


@pytest.fixture(scope="module")
def quick_address(coaches, home):
    """A server that solves nothing: values of theta 0, no points to come, and every request is quick."""

    def solve_nothing(self, rules, theta, progress):
        if rules != self.rules:
            raise YatzyError(f"rules: {rules.name!r} is not solved here")
        table = self.plain.table
        same = ValueTable(table.rules, theta, table.stored * theta)
        return Coach(same, BonusChances(same, coaches.plain.chances.from_mask(0)))

    def find_nothing(self, rules):
        raise YatzyError("target: is not solved here")

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Coaches, "_solve", solve_nothing)
        patch.setattr(TargetChances, "find", find_nothing)
        patch.setattr(Coaches, "_look_ahead", lambda self, key, progress: (np.ones(1), 0.0))
        with listening(create_app("scandinavian", home)) as address:
            yield address


def test_the_document_lists_every_endpoint(quick_address):
    document = requests.get(f"{quick_address}/openapi.json", timeout=PATIENCE).json()
    assert {path: set(methods) for path, methods in document["paths"].items()} == ENDPOINTS
    for path, methods in ENDPOINTS.items():
        for method in methods:
            operation = document["paths"][path][method]
            assert operation["description"]
            assert "schema" in operation["responses"]["200"]["content"]["application/json"]


def test_schemathesis_finds_nothing(quick_address, tmp_path):
    command = [
        sys.executable, "-m", "schemathesis.cli", "run", f"{quick_address}/openapi.json", "--max-examples", "15",
        "--seed", "1", "--request-timeout", str(PATIENCE), "--no-color",
    ]  # fmt: skip
    ended = subprocess.run(command, capture_output=True, text=True, check=False, cwd=tmp_path)
    assert ended.returncode == 0, ended.stdout[-6_000:] + ended.stderr[-2_000:]
    assert "No issues found" in ended.stdout
