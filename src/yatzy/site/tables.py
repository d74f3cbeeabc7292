"""Every game of the catalogue as tables, for the engine that runs in a page.

The page has its own solver and no rules: what a roll may be scored as, what that does to a state, which states can
occur and how dice make up rolls are all written here, from the same `Ruleset`. A game is one JSON file:

    keeps, added, ways        the die lattice, and in how many ways each roll can be thrown
    outcomes                  column by column: category, points in the box and beside it, bits set, upper lift
    readings, special         what a roll may be scored as; for a special roll, questions about the mask
    needs                     by category: the bits that have to be set before it may be filled
    uppers, saved             which upper totals and how many saved throws can occur

`write_tables` is called when the site is built. See docs/page.md for the format.
"""

import json
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from yatzy.arrays import IntArray
from yatzy.game.json import as_json
from yatzy.rules import GAMES, SWITCHES, Ruleset, format_category, ruleset
from yatzy.rules.catalogue import FREE_JOKER, NO_JOKER
from yatzy.solver.advise import CHANCE_TIE, LEAD_WORDS, LOSS_WORDS, TIE
from yatzy.solver.from_here import SOLVED_FROM_HERE
from yatzy.solver.states import state_space
from yatzy.storage import RESULTS, write_atomically
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes

# What is solved in a few seconds and fits into the memory of a phone, or several times into that of a server.
MAX_ENTRIES = 4_000_000
# Switches of which a game takes one at most.
APART = ((FREE_JOKER, NO_JOKER),)
# All games with their switches.
INDEX = "games.json"


def table_entries(rules: Ruleset) -> int:
    """How many values the table of a game holds, without making it."""
    saved = rules.n_sets // 2 * rules.rerolls * rules.n_categories if rules.saves_throws else 0
    return (rules.n_sets + saved) * (rules.bonus_threshold + 1)


def is_small(rules: Ruleset) -> bool:
    """Whether a page or a server solves it for whoever asks."""
    return table_entries(rules) <= MAX_ENTRIES


def apart_from(switch: str, switches: tuple[str, ...]) -> list[str]:
    """Those of the switches that do not go with this one."""
    return [other for pair in APART if switch in pair for other in pair if other != switch and other in switches]


def all_games() -> Iterator[Ruleset]:
    """Every game of the catalogue with every choice of its switches."""
    for name, game in GAMES.items():
        for n in range(len(game.switches) + 1):
            for on in combinations(game.switches, n):
                if not any(set(apart_from(switch, game.switches)) & set(on) for switch in on):
                    yield ruleset("+".join([name, *on]))


@dataclass(frozen=True)
class BoxFacts:
    """A box of a game; `most` is the most that is written into it."""

    category: str
    label: str
    upper: bool
    most: int


def describe_categories(rules: Ruleset) -> tuple[BoxFacts, ...]:
    """The boxes of a game."""
    ends = outcomes(rules)
    most = np.maximum.reduceat(ends.points - ends.extra, ends.start[:-1]).tolist()
    return tuple(
        BoxFacts(format_category(rules, c), category.name, category.upper, most[c])
        for c, category in enumerate(rules.categories)
    )


@dataclass(frozen=True)
class SwitchFacts:
    """A way to change a game, and what it says; `solved`: with this switch alone, is there a coach for it?"""

    switch: str
    sentence: str
    not_with: tuple[str, ...]
    solved: bool


def describe_switches(game: str) -> tuple[SwitchFacts, ...]:
    """The switches of a game."""
    switches = GAMES[game].switches
    return tuple(
        SwitchFacts(one, SWITCHES[one], tuple(apart_from(one, switches)), is_small(ruleset(f"{game}+{one}")))
        for one in switches
    )


@dataclass(frozen=True)
class OutcomeColumns:
    """How turns can end, column by column: the category, points in its box and beside it, and bits of the mask.

    `lift` is what they add to the upper total.
    """

    category: tuple[int, ...]
    points: tuple[int, ...]
    extra: tuple[int, ...]
    bits: tuple[int, ...]
    lift: tuple[int, ...]


@dataclass(frozen=True)
class SpecialRoll:
    """Which reading a special roll has: questions [bit, next if clear, next if set]; below zero, -1 - next."""

    roll: int
    questions: tuple[tuple[int, ...], ...]


def describe_outcomes(rules: Ruleset) -> OutcomeColumns:
    """Every outcome of a turn."""
    ends = outcomes(rules)
    columns = (ends.category, ends.points - ends.extra, ends.extra, ends.bits, ends.lift)
    return OutcomeColumns(*(tuple(column.tolist()) for column in columns))


def describe_special(rules: Ruleset) -> tuple[SpecialRoll, ...]:
    """The special rolls."""
    ends = outcomes(rules)
    return tuple(
        SpecialRoll(roll, tuple(map(tuple, ask_bits(row))))
        for roll, row in zip(ends.special_rolls, ends.readings, strict=True)
    )


def describe_games() -> list[dict[str, Any]]:
    """What a page lists: every game with its switches; `solved` tells whether there is a coach for it."""
    return [
        {
            "rules": name, "title": game.title, "solved": is_small(ruleset(name)),
            "switches": as_json(describe_switches(name)),
        }
        for name, game in GAMES.items()
    ]  # fmt: skip


def describe_game(rules: Ruleset) -> dict[str, Any]:
    """All tables of a game."""
    base, *switches = rules.name.split("+")
    dice, ends, space = lattice(rules.dice, rules.faces), outcomes(rules), state_space(rules)
    ways = np.rint(dice.prob_roll * rules.faces**rules.dice).astype(np.int64)
    return {
        "rules": rules.name, "title": GAMES[base].title, "switches": switches, "fingerprint": rules.fingerprint,
        "dice": rules.dice, "faces": rules.faces, "rerolls": rules.rerolls,
        "bonus_threshold": rules.bonus_threshold, "bonus": rules.bonus, "saves_throws": rules.saves_throws,
        "categories": as_json(describe_categories(rules)),
        "flagged": [format_category(rules, c) for c in rules.flagged],
        "needs": needs_of(rules),
        "keeps": ["".join(map(str, keep)) for keep in dice.keeps], "added": dice.added[dice.n_rolls :].tolist(),
        "ways": ways.tolist(),
        "outcomes": as_json(describe_outcomes(rules)), "readings": ends.of_reading.tolist(),
        "special": as_json(describe_special(rules)),
        "uppers": describe_uppers(rules),
        "saved": [1 + n * rules.rerolls * rules.saves_throws for n in range(rules.n_categories + 1)],
        "states": space.n_reachable, "values": table_entries(rules),
    }  # fmt: skip


def needs_of(rules: Ruleset) -> list[int]:
    """By category, the bits that have to be set before it may be filled."""
    return [(1 << c) - 1 if rules.forced_order else 0 for c in range(rules.n_categories)]


def describe_uppers(rules: Ruleset) -> list[dict[str, Any]]:
    """By filled upper categories (a bit for each, in their order): which totals can occur, as the bits of a number
    in hexadecimal, the largest of them, and the largest for which the bonus is lost, which stands for its class.
    """
    space = state_space(rules)
    first = {int(upper_set): i for i, upper_set in reversed(list(enumerate(space.upper_set.tolist())))}
    return [
        {
            "low": int(space.lowest_upper[first[upper_set]]), "high": int(space.highest_upper[first[upper_set]]),
            "totals": f"{sum(1 << int(total) for total in np.flatnonzero(reached)):x}",
        }
        for upper_set, reached in enumerate(space.reachable_by_upper_set)
    ]  # fmt: skip


def ask_bits(found: IntArray) -> list[list[int]]:
    """A number for every mask as questions [bit, next if clear, next if set], the first one asked first.

    A next below zero is the answer: -1 - number. Parts that are alike are asked about once.
    """
    questions: list[list[int]] = []
    known: dict[bytes, int] = {}

    def ask(part: IntArray, bit: int) -> int:
        if (part == part[0]).all():
            return -1 - int(part[0])
        half = len(part) // 2
        if (part[:half] == part[half:]).all():
            return ask(part[:half], bit - 1)
        key = part.tobytes()
        if key not in known:
            known[key] = len(questions)
            questions.append([bit])
            mine = questions[known[key]]
            mine += [ask(part[:half], bit - 1), ask(part[half:], bit - 1)]
        return known[key]

    first = ask(found, len(found).bit_length() - 2)
    return questions or [[0, first, first]]


def as_text(told: dict[str, Any] | list[dict[str, Any]]) -> bytes:
    return (json.dumps(told, separators=(",", ":")) + "\n").encode()


def write_tables(folder: Path) -> list[Path]:
    """Write every game; returns the files, and removes those of games that are no more."""
    made = {f"{rules.name}.json": describe_game(rules) for rules in all_games()}
    for name, told in made.items():
        write_atomically(folder / name, as_text(told))
    for old in folder.glob("*.json"):
        if old.name not in made:
            old.unlink()
    return [folder / name for name in made]


def describe_new_game() -> dict[str, Any]:
    """The outlook of a new game of Scandinavian Yatzy, as the study of its distribution found it.

    A page would need some seconds for it, on every visit. Six digits of each probability are more than it shows.
    """
    found = json.loads((RESULTS / "distribution.json").read_text())
    return {
        "fingerprint": ruleset(found["rules"]).fingerprint, "mean": round(found["mean"], 6),
        "sd": round(found["sd"], 6), "bonus_rate": round(found["bonus_rate"], 9), "quantiles": found["quantiles"],
        "pmf": [float(f"{prob:.6g}") for prob in found["pmf"]],
    }  # fmt: skip


def describe_constants() -> dict[str, Any]:
    """Numbers that the page shares with the library: points that are lost or ahead are levels by them, and reasons
    choose their clauses and words by those of `why`.
    """
    from yatzy.coach import why
    from yatzy.measure.parts import LITTLE

    return {
        "solved_from_here": SOLVED_FROM_HERE, "most_values": MAX_ENTRIES, "tie": TIE, "chance_tie": CHANCE_TIE,
        "loss": [below for _, below in LOSS_WORDS], "lead": [below for _, below in LEAD_WORDS],
        "why": {
            "max_boxes": why.MAX_BOXES, "box_share": why.BOX_SHARE, "second_share": why.SECOND_SHARE,
            "asked_share": why.ASKED_SHARE, "least": why.LEAST, "tempting": why.TEMPTING, "close": why.CLOSE,
            "little": LITTLE, "seldom": why.SELDOM, "slight": why.SLIGHT, "small": why.SMALL, "ten": why.TEN,
            "sure": why.SURE,
        },
    }  # fmt: skip


def describe_levels() -> dict[str, Any]:
    """What levels are measured by (`coach.level`), opponents' limits, and all means that the study computed."""
    from yatzy.coach.level import NORMAL_95, T_95, T_BEYOND, UNCLEAR, level_shares, published_levels
    from yatzy.policies.opponents import LEVELS, SHARPNESS

    return {
        "shares": level_shares(), "unclear": UNCLEAR, "t95": [*T_95, NORMAL_95], "t_beyond": T_BEYOND,
        "sharpness": SHARPNESS, "levels": LEVELS,
        "games": {name: as_json(found) for name, found in published_levels().items()},
    }  # fmt: skip


def describe_leaks() -> dict[str, Any]:
    """What leaks are found by (`coach.leak`)."""
    from yatzy.coach import leak
    from yatzy.coach.level import NORMAL_95, T_95

    return {
        "names": leak.LEAK_NAMES, "alike": leak.ALIKE, "straight": leak.STRAIGHT, "later": leak.LATER,
        "pair": leak.PAIR, "crossed": leak.CROSSED, "betas": leak.BETAS, "same": leak.SAME,
        "min_games": leak.MIN_GAMES, "sure": leak.SURE, "least": leak.LEAST, "t95": [*T_95, NORMAL_95],
    }  # fmt: skip


def describe_questions() -> list[dict[str, Any]]:
    """The situations of the shipped quiz as values, and the ids of their choices."""
    from yatzy.coach.quiz import read_quiz
    from yatzy.game.action import action_ids

    quiz = read_quiz()
    ids = action_ids(quiz.rules)
    return [
        {
            "set": at.state.filled, "upper": at.state.upper, "dice": at.dice, "rerolls": at.rerolls,
            "choices": [ids[action] for action in question.choices],
        }
        for question in quiz.questions
        for at in (question.situation,)
    ]  # fmt: skip


def files_of_page() -> dict[Path, dict[str, Any] | list[dict[str, Any]]]:
    """What the page's script has in it: constants, the most common game and its outlook, all games, charts."""
    # Charts know how to play, so they need a compiler; the server, which reads this module, is up without one.
    from yatzy.players.rule_list_card import PIPS
    from yatzy.site.charts import describe_charts

    web = Path(__file__).parents[3] / "web"
    folder = web / "play" / "data"
    return {
        web / "engine" / "constants.json": describe_constants(),
        web / "engine" / "leak.json": describe_leaks(),
        web / "look" / "dice.json": PIPS,
        folder / "scandinavian.json": describe_game(ruleset()),
        folder / "new-game.json": describe_new_game(),
        folder / "questions.json": describe_questions(),
        folder / "levels.json": describe_levels(),
        folder / INDEX: describe_games(),
        folder / "charts.json": describe_charts(),
    }


def main(arguments: list[str]) -> None:
    """`python -m yatzy.site.tables write` or `check`: what the Makefile calls."""
    if arguments not in (["write"], ["check"]):
        sys.exit("yatzy: tables: write or check?")
    for path, told in files_of_page().items():
        text = as_text(told)
        if arguments == ["write"]:
            write_atomically(path, text)
        elif not path.is_file() or path.read_bytes() != text:
            sys.exit(f"yatzy: tables: {path} is not what the rules say; run: make tables")


if __name__ == "__main__":
    main(sys.argv[1:])
