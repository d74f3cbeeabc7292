"""What the tests of studies share."""

from collections.abc import Callable
from typing import Any

import pytest

from yatzy.measure.exact import Evaluation
from yatzy.policies.policy import Policy


@pytest.fixture
def evaluated_once(monkeypatch: pytest.MonkeyPatch, evaluation_of: Callable[..., Evaluation]) -> None:
    """Studies of Scandinavian Yatzy get the evaluations that other tests have had already."""

    def shared(policy: Policy, *_how: Any, **_more: Any) -> Evaluation:
        assert policy.rules.name == "scandinavian"
        return evaluation_of(policy.name)

    for study in ("scores", "strength"):
        monkeypatch.setattr(f"yatzy.lab.studies.{study}.evaluate", shared)
