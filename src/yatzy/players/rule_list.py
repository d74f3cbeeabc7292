"""Rule lists: ordered IF-THEN rules that print themselves in words and can be read back from them.

A rule has at most two conditions and one move. A list is read from the top: the first rule whose conditions hold
and whose move applies decides; if none does, the default decides, and it always applies. Where to score has a list
of its own; what to keep has one for all rerolls, or one for each number of rerolls left.

    If Full House would score 20 or more and 9 or fewer boxes are open, then score Full House.

A rule's words come from its conditions and its move alone, and `parse` reads the rule back from them: what is
printed on a card is what is evaluated.

With *oracle keeps* a list only scores; dice are kept as in optimal play. Here a list is data; `ListPlayer` plays
it.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, Self

import numpy as np

from yatzy.errors import YatzyError
from yatzy.game.json import as_json
from yatzy.players.conditions import Condition, check_condition, condition_text, parse_condition
from yatzy.players.moves import ABOVE_PAR, MOST_POINTS, Par, keep_table, keeping_moves, scoring_moves
from yatzy.rules import Ruleset, ruleset
from yatzy.sealed import read_sealed, seal
from yatzy.storage import write_atomically

FORMAT = "yatzy-rules-1"
MAX_CONDITIONS = 2
# Where to score if no rule says.
ALWAYS = (MOST_POINTS, ABOVE_PAR)


@dataclass(frozen=True, order=True)
class Rule:
    """IF all conditions THEN move."""

    conditions: tuple[Condition, ...]
    move: str


@dataclass(frozen=True)
class RuleList:
    """Rules for a whole game. `keeps` has one list for all rerolls, or one per rerolls left (first: one left)."""

    name: str
    rules: Ruleset
    scores: tuple[Rule, ...] = ()
    keeps: tuple[tuple[Rule, ...], ...] = ((),)
    score_default: str = MOST_POINTS
    keep_default: str = "keep the most frequent face, open boxes first"
    grammar: str = "verbs"
    par: Par | None = None
    oracle_keeps: bool = False
    info: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        if len(self.keeps) not in {1, self.rules.rerolls}:
            raise YatzyError("keeps", len(self.keeps), f"1 or {self.rules.rerolls}", "lists")
        scoring, keeping = scoring_moves(self.rules), keeping_moves(self.rules, self.grammar)
        for moves, chosen in (
            (scoring, [*(rule.move for rule in self.scores), self.score_default]),
            (keeping, [*(rule.move for rules in self.keeps for rule in rules), self.keep_default]),
        ):
            unknown = [move for move in chosen if move not in moves]
            if unknown:
                raise YatzyError("move", unknown[0], moves, "is not known")
        keeps_always = keep_table(self.rules, self.grammar)[:, keeping.index(self.keep_default)].min() >= 0
        if self.score_default not in ALWAYS or not keeps_always:
            raise YatzyError("default", self.score_default, why=f"and {self.keep_default!r} must always apply")
        for rule in self.all_rules:
            if len(rule.conditions) > MAX_CONDITIONS:
                raise YatzyError("rule", len(rule.conditions), f"at most {MAX_CONDITIONS}", "conditions")
            for condition in rule.conditions:
                check_condition(self.rules, condition)
        if self.par is None and self.needs_par:
            raise YatzyError("par", why="a rule counts points above par, but the list has no par table")

    @property
    def all_rules(self) -> tuple[Rule, ...]:
        return (*self.scores, *(rule for rules in self.keeps for rule in rules))

    @property
    def n_rules(self) -> int:
        return len(self.all_rules)

    @property
    def parameters(self) -> int:
        """Numbers to carry: two per condition, one per move, and the par table."""
        par = self.par.parameters if self.par else 0
        return par + sum(2 * len(rule.conditions) + 1 for rule in self.all_rules)

    @property
    def needs_par(self) -> bool:
        moves = {self.score_default, *(rule.move for rule in self.scores)}
        seen = {condition.feature for rule in self.all_rules for condition in rule.conditions}
        return ABOVE_PAR in moves or bool(seen & {"par_margin", "par_lead"})

    def list_of(self, rerolls: int) -> tuple[Rule, ...]:
        """The list that decides with that many rerolls left (0: where to score)."""
        return self.scores if rerolls == 0 else self.keeps[min(rerolls, len(self.keeps)) - 1]

    def with_list(self, rerolls: int, rules: Sequence[Rule]) -> Self:
        """The same list with other rules in place of `list_of(rerolls)`."""
        if rerolls == 0:
            return replace(self, scores=tuple(rules))
        place = min(rerolls, len(self.keeps)) - 1
        return replace(self, keeps=(*self.keeps[:place], tuple(rules), *self.keeps[place + 1 :]))

    def text(self) -> str:
        """The whole list in words; `parse` reads it back."""
        return "\n".join(_lines(self)) + "\n"

    @property
    def file(self) -> "ListFile":
        """What its file holds."""

        def rows(rules: Sequence[Rule]) -> list[dict[str, Any]]:
            return [
                {
                    "if": [[c.feature, c.low, c.high] for c in rule.conditions],
                    "then": rule.move,
                    "text": rule_text(self.rules, rule),
                }
                for rule in rules
            ]

        return ListFile(
            format=FORMAT,
            name=self.name,
            rules=self.rules,
            fingerprint=self.rules.fingerprint,
            scores=rows(self.scores),
            keeps=list(map(rows, self.keeps)),
            score_default=self.score_default,
            keep_default=self.keep_default,
            grammar=self.grammar,
            oracle_keeps=self.oracle_keeps,
            par=_par_of_file(self.rules, self.par) if self.par else None,
            info=self.info,
        )


@dataclass(frozen=True)
class ParOfFile:
    """A par table: points by box."""

    weight: float
    in_reach: dict[str, float]
    settled: dict[str, float]


@dataclass(frozen=True)
class ListFile:
    """The file of a rule list, without its checksum; a rule's `text` says the rest of it in words."""

    format: str
    name: str
    rules: Ruleset
    fingerprint: str
    scores: list[dict[str, Any]]
    keeps: list[list[dict[str, Any]]]
    score_default: str
    keep_default: str
    grammar: str
    oracle_keeps: bool
    par: ParOfFile | None
    info: dict[str, Any]


def save_list(rules: RuleList, path: Path) -> Path:
    """Write a list's file, whole or not at all."""
    return write_atomically(path, json.dumps(seal(as_json(rules.file)), indent=1).encode() + b"\n")


def load_list(path: str | Path, game: str | Ruleset | None = None) -> RuleList:
    """Read a list's file."""
    path = Path(path)
    found = read_sealed(path, "policy")
    if found.get("format") != FORMAT or "rules" not in found:
        raise YatzyError("policy", path, why=f"is not a rule list of format {FORMAT}")
    if not isinstance(found.get("name"), str) or not found["name"].isprintable():
        raise YatzyError("policy", path, why="has a name that cannot be printed")
    played = ruleset(found["rules"] if game is None else game)
    if found.get("fingerprint") != played.fingerprint:
        raise YatzyError("policy", path, why=f"plays {found.get('rules')!r}, not {played.name!r}")

    def rows(rules: Any) -> tuple[Rule, ...]:
        return tuple(Rule(tuple(Condition(*c) for c in rule["if"]), rule["then"]) for rule in rules)

    try:
        return RuleList(
            name=found["name"],
            rules=played,
            scores=rows(found["scores"]),
            keeps=tuple(rows(rules) for rules in found["keeps"]),
            score_default=found["score_default"],
            keep_default=found["keep_default"],
            grammar=found["grammar"],
            par=_par_of_json(played, found["par"]) if found["par"] else None,
            oracle_keeps=found["oracle_keeps"],
            info=found["info"],
        )
    except (KeyError, TypeError, ValueError) as error:
        raise YatzyError("policy", path, why=f"does not hold what a rule list needs ({error})") from None


def _par_of_file(rules: Ruleset, par: Par) -> ParOfFile:
    names = [category.name for category in rules.categories]
    in_reach, settled = (dict(zip(names, points.tolist(), strict=True)) for points in (par.in_reach, par.settled))
    return ParOfFile(par.weight, in_reach, settled)


def _par_of_json(rules: Ruleset, found: dict[str, Any]) -> Par:
    names = [category.name for category in rules.categories]
    in_reach, settled = (np.array([found[key][name] for name in names], float) for key in ("in_reach", "settled"))
    return Par(in_reach, settled, float(found["weight"]))


def rule_text(rules: Ruleset, rule: Rule) -> str:
    """A rule in words."""
    if not rule.conditions:
        return f"Always {rule.move}."
    return f"If {' and '.join(condition_text(rules, c) for c in rule.conditions)}, then {rule.move}."


def parse_rule(rules: Ruleset, text: str) -> Rule:
    """The rule that these words state."""
    always = re.fullmatch(r"Always (.+)\.", text)
    if always:
        return Rule((), always[1])
    match = re.fullmatch(r"If (.+), then (.+)\.", text)
    if not match:
        raise YatzyError("rule", text, why="is not of the form 'If ..., then ....'")
    return Rule(tuple(parse_condition(rules, part) for part in match[1].split(" and ")), match[2])


_SCORE_HEAD = "Where to score:"
_KEEP_HEAD = "What to keep:"
_ORACLE = "What to keep: as in optimal play."


def _lines(rules: RuleList) -> Iterator[str]:
    yield f"{rules.name}, for {rules.rules.name}"
    if rules.par:
        head = f"Par, while the bonus is in reach (upper points count {_plain(rules.par.weight)} times)"
        yield f"{head}: {_par_text(rules.rules, rules.par.in_reach)}"
        yield f"Par, once the bonus is safe or lost: {_par_text(rules.rules, rules.par.settled)}"
    yield from _list_lines(rules.rules, _SCORE_HEAD, rules.scores, rules.score_default)
    if rules.oracle_keeps:
        yield _ORACLE
        return
    for left, keeps in enumerate(rules.keeps, start=1):
        head = _KEEP_HEAD if len(rules.keeps) == 1 else f"What to keep with {left} left:"
        yield from _list_lines(rules.rules, head, keeps, rules.keep_default)


def _list_lines(game: Ruleset, head: str, rules: Sequence[Rule], default: str) -> Iterator[str]:
    yield head
    for number, rule in enumerate(rules, start=1):
        yield f"{number}. {rule_text(game, rule)}"
    yield f"Otherwise, {default}."


def _par_text(rules: Ruleset, numbers: Any) -> str:
    return ", ".join(f"{c.name} {_plain(n)}" for c, n in zip(rules.categories, numbers, strict=True))


def _plain(number: float) -> str:
    """A number with all its digits; whole numbers without `.0`."""
    return repr(float(number)).removesuffix(".0")


def _number(text: str) -> float:
    try:
        return float(text)
    except ValueError:
        raise YatzyError("par", text, why="is not a number") from None


def parse(text: str, game: str | Ruleset | None = None, grammar: str = "verbs") -> RuleList:
    """A list from its own words."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    head = re.fullmatch(r"(.+), for (\S+)", lines[0]) if lines else None
    if not head:
        raise YatzyError("rules", why="the first line must say '<name>, for <ruleset>'")
    rules = ruleset(head[2] if game is None else game)
    pars: list[Any] = []
    weight, oracle = 1.0, False
    lists: list[tuple[list[Rule], str]] = []
    for line in lines[1:]:
        par = re.fullmatch(r"Par, .*?(?:count (\S+) times\))?: (.+)", line)
        rule = re.fullmatch(r"\d+\. (.+)", line)
        otherwise = re.fullmatch(r"Otherwise, (.+)\.", line)
        if par and line.startswith("Par, "):
            weight = _number(par[1]) if par[1] else weight
            pars.append(_parse_par(rules, par[2]))
        elif line == _ORACLE:
            oracle = True
        elif line == _SCORE_HEAD or line.startswith("What to keep"):
            lists.append(([], ""))
        elif rule and lists:
            lists[-1][0].append(parse_rule(rules, rule[1]))
        elif otherwise and lists:
            lists[-1] = (lists[-1][0], otherwise[1])
        else:
            raise YatzyError("rules", why=f"the line {line!r} is not understood")
    if not lists or len(pars) not in {0, 2}:
        raise YatzyError("rules", why="there must be a list of where to score, and two par lines or none")
    (scores, score_default), *keeps = lists
    chosen: dict[str, Any] = {}
    if keeps:
        chosen = {"keeps": tuple(tuple(found) for found, _ in keeps), "keep_default": keeps[0][1]}
    return RuleList(
        name=head[1], rules=rules, scores=tuple(scores), score_default=score_default, grammar=grammar,
        par=Par(pars[0], pars[1], weight) if pars else None, oracle_keeps=oracle, **chosen,
    )  # fmt: skip


def _parse_par(rules: Ruleset, text: str) -> Any:
    numbers = {}
    for part in text.split(", "):
        name, _, number = part.rpartition(" ")
        numbers[name] = number
    try:
        return np.array([float(numbers[category.name]) for category in rules.categories])
    except (KeyError, ValueError) as error:
        raise YatzyError("par", text, why=f"must give a number for every category ({error})") from None
