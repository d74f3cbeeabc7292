"""Small players by size: exact means, and which of them nobody of their size or smaller beats."""

from dataclasses import dataclass
from xml.etree import ElementTree

import pytest

from games import LOWER_FIRST
from yatzy import YatzyError, evaluate, pareto, solve
from yatzy.policies.optimal import Optimal


@dataclass(frozen=True)
class Counted:
    """Somebody else's decisions, and how many numbers they hold."""

    of: object
    name: str
    parameters: int

    @property
    def rules(self):
        return self.of.rules

    def decide(self, filled, upper):
        return self.of.decide(filled, upper)


def test_the_frontier_is_of_those_that_nobody_smaller_beats():
    best = Optimal(solve(LOWER_FIRST))
    greedy = evaluate("greedy", LOWER_FIRST)
    large, small = Counted(best, "large", 1000), Counted(best, "small", 10)
    found = pareto(["heuristic", large, "greedy", small], LOWER_FIRST)
    assert [(one.policy, one.parameters) for one in found][2:] == [("small", 10), ("large", 1000)]
    by_name = {one.policy: one for one in found}
    assert by_name["greedy"].mean == pytest.approx(greedy.mean)
    assert by_name["small"].mean == pytest.approx(solve(LOWER_FIRST).value())
    assert [by_name[name].on_frontier for name in ("greedy", "small", "large")] == [True, True, False]
    circles = ElementTree.fromstring(found.svg()).findall("{http://www.w3.org/2000/svg}circle")
    assert len(circles) == 4
    assert found.frame().shape == (4, 4)
    with pytest.raises(YatzyError, match="policies: there are none to measure"):
        pareto([])


def test_several_policies_are_evaluated_together():
    found = evaluate(["greedy", "heuristic"], LOWER_FIRST)
    assert found[1] == evaluate("heuristic", LOWER_FIRST)
    assert found.frame()["policy"].to_list() == ["greedy", "heuristic"]
    assert repr(found).startswith("<Evaluations: greedy ")
