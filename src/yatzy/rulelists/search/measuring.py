"""Where rule lists are measured while they are searched for: quick exact means, and decisions to learn from."""

from abc import ABC, abstractmethod
from dataclasses import dataclass
from functools import cached_property

from yatzy.arrays import FloatArray
from yatzy.evaluate.visits import visit
from yatzy.rulelists.language.rulelist import RuleList
from yatzy.rulelists.play.player import ListPlayer
from yatzy.rulelists.play.valuing import Played, list_values, oracle_rolls, play_with_oracle
from yatzy.rulelists.search.samples import Sample, draw_samples
from yatzy.solver.table import ValueTable


@dataclass(frozen=True)
class PlayedAlone:
    """A list that makes every decision, played: its runs of states are walked back together, which is quicker."""

    rules: RuleList
    threads: int | None

    @cached_property
    def values(self) -> FloatArray:
        return list_values(self.rules, self.threads)

    @cached_property
    def visits(self) -> FloatArray:
        return visit(ListPlayer(self.rules), self.threads).visits


class Arena(ABC):
    """Measures lists. The latest is kept: samples are mostly drawn from the list whose mean was just computed."""

    table: ValueTable | None = None

    def __init__(self, threads: int | None = None) -> None:
        self.threads = threads
        self._latest: tuple[RuleList, Played | PlayedAlone] | None = None

    @abstractmethod
    def play(self, rules: RuleList) -> Played | PlayedAlone:
        """The list, played."""

    def _played(self, rules: RuleList) -> Played | PlayedAlone:
        if self._latest is None or self._latest[0] is not rules:
            self._latest = (rules, self.play(rules))
        return self._latest[1]

    def mean(self, rules: RuleList) -> float:
        """Exact mean score."""
        return float(self._played(rules).values[0, 0])

    def samples(self, rules: RuleList, n: int, seed: int) -> tuple[Sample, Sample | None]:
        """Decisions of the list's own play: where to score, what to keep."""
        played = self._played(rules)
        player = ListPlayer(rules, table=self.table)
        return draw_samples(player, played.values, played.visits, n, seed, self.threads)


class OwnKeeps(Arena):
    """Lists that make every decision."""

    def play(self, rules: RuleList) -> PlayedAlone:
        return PlayedAlone(rules, self.threads)


class OracleKeeps(Arena):
    """Lists that only score; dice are kept as in optimal play."""

    def __init__(self, table: ValueTable, threads: int | None = None) -> None:
        super().__init__(threads)
        self.table = table
        self._rolls = oracle_rolls(table, threads)

    def play(self, rules: RuleList) -> Played:
        return play_with_oracle(rules, self._rolls, self.threads)
