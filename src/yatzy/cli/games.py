"""The command that says which games there are, and what one of them is: games."""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote
from typing import Annotated

import typer

from yatzy.cli.console import PLAIN, Home, Json, listing, print_json, working
from yatzy.cli.stdin import may_be_dash
from yatzy.game.json import Count
from yatzy.rules import GAMES, SWITCHES, Ruleset, ruleset
from yatzy.rules.jokers import Jokers
from yatzy.solver.states import state_space
from yatzy.solver.store import stored_table
from yatzy.solver.table import table_path

# Games with at most this many states take about a second, so they are solved without being asked to.
SOLVED_AT_ONCE = 2_000_000
JOKERS_IN_WORDS = {
    "forced": "A further one is a joker, which goes into the box of its face first",
    "free": "A further one is a joker, which may go into any open box",
    "second": "A second one is a joker once the box of its face is filled",
    "none": "A further one is no joker",
}


@dataclass(frozen=True)
class SwitchListed:
    """A switch of a game, and what it changes."""

    name: str
    means: str


@dataclass(frozen=True)
class GameListed:
    """A game of the catalogue; `value` is null until it is known."""

    name: str
    title: str
    dice: Count
    boxes: Count
    states: Count
    value: float | None
    switches: tuple[SwitchListed, ...]


@dataclass(frozen=True)
class GamesListed:
    """Every game of the catalogue."""

    games: tuple[GameListed, ...]


@dataclass(frozen=True)
class BonusDescribed:
    """Points more for so many in the upper section."""

    threshold: Count
    points: Count


@dataclass(frozen=True)
class JokersDescribed:
    """What a further roll of all alike brings: `points` as a joker, `extra` beside the boxes."""

    box: str
    extra: Count
    joker: str
    points: dict[str, int]


@dataclass(frozen=True)
class BoxDescribed:
    """A box, and every number of points that may be written into it, jokers included."""

    name: str
    aliases: tuple[str, ...]
    upper: bool
    points: tuple[int, ...]


@dataclass(frozen=True)
class GameDescribed:
    """One game, box by box; `value` is null until it is known."""

    rules: Ruleset
    fingerprint: str
    dice: Count
    faces: Count
    throws: Count
    states: Count
    value: float | None
    bonus: BonusDescribed | None
    saved_throws: bool
    forced_order: bool
    jokers: JokersDescribed | None
    boxes: tuple[BoxDescribed, ...]


ANSWERS = {"games": GamesListed | GameDescribed}


def games(
    rules: Annotated[
        str | None,
        typer.Option(
            callback=may_be_dash("rules", ".toml"),
            help="Describe this game box by box: a name with switches, or a file (mine.toml, - for stdin).",
        ),
    ] = None,
    home: Home = None,
    json: Json = False,
) -> None:
    """List the games with their values and switches, or describe one game box by box.

    Example: yatzy games --rules yahtzee+free-joker
    """
    if rules is not None:
        _describe(_standing(rules, home), json)
        return
    found = [(name, _standing(name, home)) for name in GAMES]
    if json:
        print_json(GamesListed(tuple(_listed(name, standing) for name, standing in found)))
        return
    _print_games(found)


@dataclass(frozen=True)
class GameSize:
    """How large a game is, and what it is worth if that is known; `asked` is what the user called it."""

    asked: str
    rules: Ruleset
    states: int
    value: float | None

    @property
    def words(self) -> str:
        if self.value is None:
            return f"not solved yet: yatzy solve --rules {quote(self.asked)}"
        return f"{self.value:.4f}"


def _standing(asked: str, home: Home) -> GameSize:
    """The value comes from a stored table, or from solving now where that takes a moment."""
    rules = ruleset(asked)
    space = state_space(rules)
    value = None
    if table_path(rules, 0.0, "float64", home).exists() or space.n_reachable <= SOLVED_AT_ONCE:
        with working(f"solving {rules.name}", home) as context:
            value = stored_table(rules, context=context, draft=True).value()
    return GameSize(asked, rules, space.n_reachable, value)


def _listed(name: str, standing: GameSize) -> GameListed:
    game, rules = GAMES[name], standing.rules
    switches = tuple(SwitchListed(switch, SWITCHES[switch]) for switch in game.switches)
    return GameListed(name, game.title, rules.dice, rules.n_categories, standing.states, standing.value, switches)


def _print_games(found: list[tuple[str, GameSize]]) -> None:
    from rich.console import Console

    rows = [
        (name, GAMES[name].title, str(one.rules.dice), str(one.rules.n_categories), f"{one.states:,}", one.words)
        for name, one in found
    ]
    numbers = ("dice", "boxes", "states")
    view = listing(("name", "game", *numbers, "value of perfect play"), rows, numbers, **PLAIN)
    listed = [
        ("" if i else name, f"+{switch}", SWITCHES[switch])
        for name, game in GAMES.items()
        for i, switch in enumerate(game.switches)
    ]
    switches = listing(("switches", "", ""), listed, **PLAIN)
    Console(highlight=False).print(view, "", switches)
    typer.echo("\nyatzy games --rules NAME describes a game; NAME may be a file of your own rules: mine.toml")


def _describe(standing: GameSize, json: bool) -> None:
    rules = standing.rules
    boxes = tuple(_box(rules, category_id) for category_id in range(rules.n_categories))
    if json:
        bonus = BonusDescribed(rules.bonus_threshold, rules.bonus) if rules.bonus else None
        print_json(
            GameDescribed(
                rules, rules.fingerprint, rules.dice, rules.faces, rules.rerolls + 1, standing.states,
                standing.value, bonus, rules.saves_throws, rules.forced_order, _jokers(rules), boxes,
            )
        )  # fmt: skip
        return
    from rich.console import Console

    rows = [
        (box.name, "upper" if box.upper else "lower", spans(box.points), ", ".join(box.aliases)) for box in boxes
    ]
    for sentence in sentences(rules):
        typer.echo(sentence)
    Console(highlight=False).print(listing(("box", "section", "can score", "also called"), rows, **PLAIN))
    typer.echo(f"{standing.states:,} states; value of perfect play: {standing.words}")


def _box(rules: Ruleset, category_id: int) -> BoxDescribed:
    """A box and every number of points that may be written into it, jokers included."""
    from yatzy.turn.outcomes import outcomes

    category, ends = rules.categories[category_id], outcomes(rules)
    ids = [outcome for outcome in ends.of_reading[:, category_id].tolist() if outcome >= 0]
    points = sorted(set((ends.points - ends.extra)[ids].tolist()))
    return BoxDescribed(category.name, category.aliases, category.upper, tuple(points))


def _jokers(rules: Ruleset) -> JokersDescribed | None:
    special = rules.special
    if not isinstance(special, Jokers):
        return None
    names = [category.name for category in rules.categories]
    points = {names[c]: points for c, points in special.lower}
    return JokersDescribed(names[special.box], special.extra, special.joker, points)


def sentences(rules: Ruleset) -> list[str]:
    """What holds beside the boxes."""
    found = [f"{rules.name}: {rules.dice} dice with {rules.faces} faces, {rules.rerolls + 1} throws a turn."]
    if rules.bonus:
        found.append(f"{rules.bonus} points more for {rules.bonus_threshold} or more in the upper section.")
    if rules.saves_throws:
        found.append(f"Saved throws: {SWITCHES['saved-throws']}.")
    if rules.forced_order:
        found.append(f"Forced order: {SWITCHES['forced-order']}.")
    if isinstance(rules.special, Jokers):
        found.append(_jokers_in_words(rules, rules.special))
    return found


def _jokers_in_words(rules: Ruleset, jokers: Jokers) -> str:
    paid = f"; {jokers.extra} points extra while the box holds points" if jokers.extra else ""
    if jokers.extra and jokers.joker == "second":
        paid = f"; {jokers.extra} points extra for one in the box of its face"
    return f"{rules.categories[jokers.box].name}: {JOKERS_IN_WORDS[jokers.joker].lower()}{paid}."


def spans(points: Sequence[int]) -> str:
    """[0, 5, 10, 15, 25] as '0..15 by 5, 25': runs of three or more with one step."""
    found, i = [], 0
    while i < len(points):
        step, end = (points[i + 1] - points[i] if i + 1 < len(points) else 0), i + 1
        while end < len(points) and points[end] - points[end - 1] == step:
            end += 1
        if end - i < 3:
            found.append(str(points[i]))
            i += 1
            continue
        found.append(f"{points[i]}..{points[end - 1]}" + (f" by {step}" if step > 1 else ""))
        i = end
    return ", ".join(found)
