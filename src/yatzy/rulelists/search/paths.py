"""The lists to search for: paths of lists that grow out of each other, starting from the defaults."""

from dataclasses import asdict, dataclass, field, replace
from pathlib import Path as Folder

import numpy as np

from yatzy.context import HERE, Context
from yatzy.errors import YatzyError
from yatzy.files import only_writer
from yatzy.rulelists.language.moves import ABOVE_PAR, MOST_POINTS
from yatzy.rulelists.language.par import Par, shipped_par
from yatzy.rulelists.language.rulelist import RuleList, kept_list, save_list
from yatzy.rulelists.search.candidates import Vocabulary, find_vocabulary
from yatzy.rulelists.search.improvement import Effort, Search
from yatzy.rulelists.search.samples import ListEvaluator, OracleKeeps, OwnKeeps
from yatzy.rules import Ruleset
from yatzy.solver.table import ValueTable


def empty_list(name: str, rules: Ruleset, vocabulary: Vocabulary, par: Par | None, oracle_keeps: bool) -> RuleList:
    """The defaults alone, before the first rule."""
    uses_par = ABOVE_PAR in vocabulary.finders
    return RuleList(
        name, rules, score_default=ABOVE_PAR if uses_par else MOST_POINTS, par=par if uses_par else None,
        oracle_keeps=oracle_keeps,
    )  # fmt: skip


def rounded_par(par: Par, weight: float = 2.0) -> Par:
    """A par table a person can carry: whole points, upper points counted `weight` times."""
    # Adding 0.0 makes a rounded -0.3 into 0, not -0.
    return Par(np.round(par.in_reach) + 0.0, np.round(par.settled) + 0.0, weight)


@dataclass(frozen=True)
class Path:
    """Lists that grow out of each other: a vocabulary, whose keeps, names by number of rules, and the effort."""

    vocabulary: str
    oracle_keeps: bool
    names: dict[int, str]
    effort: Effort = field(default_factory=Effort)


# For lists that are only there for comparison.
LIGHT = Effort(decisions=50_000, rules_per_round=4, passes=1, long=30, tries=1)
PATHS = {
    "card": Path("glance", False, {20: "card-20", 40: "card-40", 100: "card-100"}, Effort(passes=3)),
    "par": Path("par", False, {20: "par-20", 40: "par-40", 100: "par-100"}, LIGHT),
    "rich": Path("rich", False, {20: "rich-20", 40: "rich-40", 100: "rich-100"}, LIGHT),
    "primitive": Path("primitive", False, {20: "primitive-20", 40: "primitive-40", 100: "primitive-100"}, LIGHT),
    "rules": Path("primitive", True, {10: "rules-10", 25: "rules-25", 50: "rules-50", 100: "rules-100"}),
    "rules-rich": Path("rich", True, {10: "rules-rich-10", 25: "rules-rich-25", 50: "rules-rich-50"}),
    # The par table and the first rules depend on each other: it takes more tries and passes for them to fit.
    "rules-par": Path(
        "par",
        True,
        {0: "rules-par-0", 10: "rules-par-10", 25: "rules-par-25"},
        Effort(decisions=200_000, rules_per_round=1, passes=4, tries=6, long=20),
    ),
}


def induce(
    path: str,
    table: ValueTable,
    folder: Folder,
    n_rules: int | None = None,
    effort: Effort | None = None,
    seed: int = 0,
    context: Context = HERE,
) -> dict[str, Folder]:
    """Find the lists of a path, each grown from the one before, up to `n_rules`; returns their files.

    A list in the folder that the same settings made is kept: a killed search resumes after the last one.
    """
    if path not in PATHS:
        raise YatzyError("path", path, PATHS, "is not known")
    with only_writer(folder / path, context.notice):
        plan = PATHS[path]
        effort = effort or plan.effort
        vocabulary, game = find_vocabulary(plan.vocabulary), table.rules
        made = {"method": "improve", "path": path, "seed": seed, **asdict(effort)}
        rules = empty_list(path, game, vocabulary, rounded_par(shipped_par(game)), plan.oracle_keeps)
        search: Search | None = None
        files = {}
        for size, name in plan.names.items():
            if n_rules is not None and size > n_rules:
                break
            files[name] = folder / f"{name}.json"
            kept = kept_list(files[name], game, made)
            if kept:
                rules = kept
                context.notice(f"{name}: kept")
                continue
            if search is None:
                threads = context.threads
                arena: ListEvaluator = OracleKeeps(table, threads) if plan.oracle_keeps else OwnKeeps(threads)
                search = Search(arena, vocabulary, effort, seed, context.notice)
            search.drawn, search.history = 1000 * size, []
            rules = search.reach(replace(rules, name=name, info={}), size)
            rules = replace(rules, info=made | {"mean": search.arena.mean(rules), "grown": search.history})
            save_list(rules, files[name])
        return files
