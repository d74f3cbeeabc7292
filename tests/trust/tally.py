"""What was tried, what went wrong, and one table of it."""

from collections import Counter
from dataclasses import dataclass, field


@dataclass
class Tally:
    """By what was tried: how often, how often it failed, and a figure if there is one."""

    tried: Counter[str] = field(default_factory=Counter)
    failed: Counter[str] = field(default_factory=Counter)
    figures: dict[str, str] = field(default_factory=dict)

    def count(self, what: str, fault: str | None, n: int = 1) -> None:
        self.tried[what] += n
        if fault:
            self.failed[what] += 1
            print(f"FAILED {what}: {fault}", flush=True)

    def total(self, beginning: str) -> int:
        return sum(n for what, n in self.tried.items() if what.startswith(beginning))

    def table(self) -> str:
        rows = [f"{'what':44} {'tried':>7} {'failed':>7}  figure"]
        rows += [
            f"{what:44} {n:7,} {self.failed[what]:7,}  {self.figures.get(what, '')}".rstrip()
            for what, n in self.tried.items()
        ]
        return "\n".join(rows)
