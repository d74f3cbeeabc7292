"""The game log: one scorecard's game as JSON, shared by simulate, play, the web page and review.

    {"format": "yatzy-game", "version": 1, "rules": "scandinavian",
     "turns": [{"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"}]}

Each roll holds all dice; `keeps[j]` are the dice of `rolls[j]` that were held, and `rolls[j + 1]` is what lay on
the table after the others were thrown. A turn scored early has fewer rolls. Holding all dice is not a throw: it
only passes, and the next roll has the same dice. An unfinished game has fewer turns than categories. Where throws
are saved, those that a turn does not use are there for later ones, which may have more rolls.

Besides these there may be `player`, `date`, and `seed` and `game`, which say where the dice came from; and in a
turn `goals`, one for each roll: what the player had in mind when he decided, null for the mean (`aims`).
"""

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from yatzy.dice import lattice
from yatzy.errors import YatzyError
from yatzy.files import read_outside_text, whole_file
from yatzy.game.aim import Aim, parse_aim
from yatzy.rules import Ruleset, State, format_category, format_dice, parse_category, ruleset
from yatzy.sealed import CHECKSUM, checksum_of, seal
from yatzy.turn.outcomes import outcomes

Dice = tuple[int, ...]

FORMAT = "yatzy-game"
VERSION = 1
# A line of a table that was left (`saved`): it is no game.
TURN_FORMAT = "yatzy-turn"
LONGEST_NAME = 80
MOST_GAMES = 2**53
FIELDS = ("format", "version", "rules", "player", "date", "seed", "game", "turns", CHECKSUM)
TURN_FIELDS = ("rolls", "keeps", "category")
GOALS = "goals"


@dataclass(frozen=True)
class TurnLog:
    """One turn: what lay on the table after each throw, what was held between them, and where it was scored.

    `goals` are what each of these decisions was for; without any, all were for the mean.
    """

    rolls: tuple[Dice, ...]
    keeps: tuple[Dice, ...]
    category: int
    goals: tuple[Aim | None, ...] = ()


@dataclass(frozen=True)
class GameLog:
    """A game of one player, finished or not."""

    rules: Ruleset
    turns: tuple[TurnLog, ...]
    player: str | None = None
    date: str | None = None
    seed: int | None = None
    game: int | None = None

    def __repr__(self) -> str:
        n = len(self.turns)
        return f"<GameLog {self.rules.name}: {n} turn{'' if n == 1 else 's'}, {self.score} points>"

    @cached_property
    def _played(self) -> tuple[tuple[State, ...], tuple[int, ...]]:
        """The state before each turn and after the last, and how each turn ended, as outcomes."""
        states, ended = [State()], []
        for turn in self.turns:
            state, outcome = after_turn(self.rules, states[-1], turn)
            states.append(state)
            ended.append(outcome)
        return tuple(states), tuple(ended)

    @property
    def states(self) -> tuple[State, ...]:
        """The state before each turn, and the one after the last."""
        return self._played[0]

    @cached_property
    def points(self) -> tuple[int, ...]:
        """What each turn brought, points beside the box included."""
        return tuple(int(outcomes(self.rules).points[end]) for end in self._played[1])

    @cached_property
    def extras(self) -> tuple[int, ...]:
        """What each turn brought beside its box, such as the points for a further Yahtzee."""
        return tuple(int(outcomes(self.rules).extra[end]) for end in self._played[1])

    @property
    def is_finished(self) -> bool:
        return len(self.turns) == self.rules.n_categories

    @property
    def bonus(self) -> int:
        """The bonus, which is only paid at the end of the game: 0 until then."""
        reached = self.is_finished and self.states[-1].upper >= self.rules.bonus_threshold
        return self.rules.bonus if reached else 0

    @property
    def score(self) -> int:
        """Points on the card; for a finished game, the final score."""
        return sum(self.points) + self.bonus

    def played_for(self, aim: Aim | None) -> "GameLog":
        """The same game with this goal for all of its decisions."""
        turns = (replace(turn, goals=(aim,) * len(turn.rolls) if aim else ()) for turn in self.turns)
        return replace(self, turns=tuple(turns))

    def to_json(self) -> dict[str, Any]:
        """The object that is written; unknown fields are left out."""
        about = {"player": self.player, "date": self.date, "seed": self.seed, "game": self.game}
        return {
            "format": FORMAT,
            "version": VERSION,
            "rules": self.rules.name,
            **{key: value for key, value in about.items() if value is not None},
            "turns": [
                {
                    "rolls": [list(roll) for roll in turn.rolls],
                    "keeps": [list(keep) for keep in turn.keeps],
                    "category": format_category(self.rules, turn.category),
                    **_goals_json(self.rules, turn),
                }
                for turn in self.turns
            ],
        }


def _goals_json(rules: Ruleset, turn: TurnLog) -> dict[str, Any]:
    if not any(turn.goals):
        return {}
    return {GOALS: [aim.to_json(rules) if aim else None for aim in turn.goals]}


def check_seal(log: GameLog, checksum: str | None) -> GameLog:
    """The log, unless it was changed since it was written. One written by hand has no checksum."""
    if checksum is not None and checksum != checksum_of(log.to_json()):
        raise YatzyError(
            "checksum: does not fit; the log was damaged or edited (without a checksum it can be read)"
        )
    return log


def rerolls_of(rules: Ruleset, state: State) -> int:
    """Rerolls at the start of a turn, saved throws included."""
    return rules.rerolls + state.saved(rules)


def open_boxes(rules: Ruleset, state: State, dice: Iterable[int]) -> dict[int, int]:
    """What dice may be scored as: outcomes by category."""
    roll_id = lattice(rules.dice, rules.faces).id_of(tuple(dice))
    return outcomes(rules).allowed(state.filled, roll_id)


def after_turn(rules: Ruleset, state: State, turn: TurnLog) -> tuple[State, int]:
    """The state that a turn leads to, and its outcome; refuses a category that the dice may not be scored in."""
    outcome = open_boxes(rules, state, turn.rolls[-1]).get(turn.category)
    if outcome is None:
        raise YatzyError(why_closed(rules, state, turn.rolls[-1], turn.category))
    left = rerolls_of(rules, state) + 1 - len(turn.rolls)
    if left < 0:
        raise YatzyError(f"rolls: has {len(turn.rolls)} entries; allowed is 1..{rerolls_of(rules, state) + 1}")
    filled, upper = outcomes(rules).after(state.filled, state.upper, outcome, left)
    return State(int(filled), int(upper)), outcome


def why_closed(rules: Ruleset, state: State, dice: Iterable[int], category_id: int) -> str:
    """Why dice may not be scored in a category, as a sentence."""
    name = format_category(rules, category_id)
    if state.filled >> category_id & 1:
        return f"category: {name!r} is already filled"
    allowed = ", ".join(format_category(rules, c) for c in open_boxes(rules, state, dice))
    why = "boxes are filled from top to bottom" if rules.forced_order else f"{format_dice(dice)} is a joker"
    return f"category: {name!r} may not be filled now, because {why}; allowed is {allowed}"


def take_out(dice: Iterable[int], keep: Iterable[int]) -> Dice | None:
    """The dice without those of the keep, each taken at its first occurrence; None if they are not all there."""
    left = list(dice)
    for face in keep:
        if face not in left:
            return None
        left.remove(face)
    return tuple(left)


def parse_log(document: Any, rules: Ruleset | None = None) -> GameLog:
    """A log from parsed JSON; a `YatzyError` names the first field that cannot be used.

    `rules` is for a ruleset that is not in our catalogue.
    """
    fields = _object("game", document, FIELDS, needed=("format", "version", "rules", "turns"))
    if fields["format"] != FORMAT:
        raise YatzyError(f"format: {_shown(fields['format'])} is not a game log; allowed is {FORMAT!r}")
    if fields["version"] != VERSION or isinstance(fields["version"], bool):
        raise YatzyError(f"version: {_shown(fields['version'])} cannot be read; allowed is {VERSION}")
    game = _parse_rules(fields["rules"], rules)
    turns = _list("turns", fields["turns"], 0, game.n_categories)
    parsed: list[TurnLog] = []
    state = State()
    for number, turn in enumerate(turns):
        parsed.append(_parse_turn(game, f"turns[{number}]", turn, state))
        state = _check_turn(game, f"turns[{number}]", state, parsed, turn["category"])
    log = GameLog(
        rules=game,
        turns=tuple(parsed),
        player=check_player(fields.get("player")),
        date=_parse_date(fields.get("date")),
        seed=_parse_number("seed", fields.get("seed"), 2**64 - 1),
        game=_parse_number("game", fields.get("game"), MOST_GAMES),
    )
    return check_seal(log, fields.get(CHECKSUM))


def _parse_rules(name: Any, rules: Ruleset | None) -> Ruleset:
    if not isinstance(name, str):
        raise YatzyError(f"rules: {_shown(name)} is not a name")
    if rules is None:
        return ruleset(name)
    if name != rules.name:
        raise YatzyError(f"rules: the game was played by {_shown(name)}, not by {rules.name!r}")
    return rules


def _check_turn(rules: Ruleset, where: str, state: State, turns: Sequence[TurnLog], typed: Any) -> State:
    """The state after the last of these turns, which is played in `state`; its sentences name where it stands."""
    last = turns[-1]
    for number, turn in enumerate(turns[:-1]):
        if turn.category == last.category:
            raise YatzyError(
                f"{where}.category: {_shown(typed)} was filled in turns[{number}]; each category is filled once"
            )
    try:
        return after_turn(rules, state, last)[0]
    except YatzyError as error:
        raise YatzyError(f"{where}.{error}") from None


def _parse_turn(rules: Ruleset, where: str, turn: Any, state: State) -> TurnLog:
    fields = _object(where, turn, (*TURN_FIELDS, GOALS), needed=TURN_FIELDS)
    rolls = _list(f"{where}.rolls", fields["rolls"], 1, rerolls_of(rules, state) + 1)
    keeps = _list(f"{where}.keeps", fields["keeps"], len(rolls) - 1, len(rolls) - 1)
    thrown = tuple(_parse_dice(rules, f"{where}.rolls[{j}]", roll, rules.dice) for j, roll in enumerate(rolls))
    held = tuple(_parse_dice(rules, f"{where}.keeps[{j}]", keep, 0) for j, keep in enumerate(keeps))
    for j, keep in enumerate(held):
        for roll, which in ((thrown[j], j), (thrown[j + 1], j + 1)):
            if take_out(roll, keep) is None:
                raise YatzyError(
                    f"{where}.keeps[{j}]: {format_dice(keep)!r} is not part of "
                    f"rolls[{which}], which is {format_dice(roll)!r}"
                )
    try:
        category = parse_category(rules, fields["category"])
    except YatzyError as error:
        raise YatzyError(f"{where}.{error}") from None
    return TurnLog(thrown, held, category, _parse_goals(rules, where, fields.get(GOALS), len(rolls)))


def _parse_goals(rules: Ruleset, where: str, given: Any, n_rolls: int) -> tuple[Aim | None, ...]:
    if given is None:
        return ()
    goals = _list(f"{where}.{GOALS}", given, n_rolls, n_rolls)
    aims = tuple(parse_aim(rules, f"{where}.{GOALS}[{j}]", goal) for j, goal in enumerate(goals))
    return aims if any(aims) else ()


def _parse_dice(rules: Ruleset, where: str, dice: Any, at_least: int) -> Dice:
    faces = _list(where, dice, at_least, rules.dice)
    for face in faces:
        if isinstance(face, bool) or not isinstance(face, int) or not 1 <= face <= rules.faces:
            raise YatzyError(f"{where}: {_shown(face)} is not a face; allowed are 1..{rules.faces}")
    return tuple(faces)


def check_player(player: Any) -> str | None:
    """The name of a player, if it is one."""
    if player is None:
        return None
    if not isinstance(player, str) or not 0 < len(player) <= LONGEST_NAME or not _can_be_shown(player):
        raise YatzyError(f"player: {_shown(player)} is not a name of 1..{LONGEST_NAME} characters")
    return player


def _can_be_shown(name: str) -> bool:
    """No control characters; non-breaking spaces and joiners of letters or emoji do not count as such."""
    return all(ch.isprintable() or ch in "\u00a0\u200c\u200d" for ch in name)


def _parse_date(date: Any) -> str | None:
    if date is None:
        return None
    try:
        datetime.fromisoformat(date)
    except (TypeError, ValueError):
        raise YatzyError(f"date: {_shown(date)} is not of the form 2025-12-31 or 2025-12-31T20:15:00") from None
    return str(date)


def _parse_number(name: str, number: Any, most: int) -> int | None:
    if number is None:
        return None
    if isinstance(number, bool) or not isinstance(number, int) or not 0 <= number <= most:
        raise YatzyError(f"{name}: {_shown(number)} is not allowed; allowed is 0..{most}")
    return number


def _object(where: str, given: Any, known: Sequence[str], needed: Sequence[str]) -> dict[str, Any]:
    if not isinstance(given, dict):
        raise YatzyError(f"{where}: {_shown(given)} is not an object with {', '.join(needed)}")
    prefix = "" if where == "game" else f"{where}."
    for key in given:
        if key not in known:
            raise YatzyError(f"{prefix}{str(key)[:LONGEST_NAME]}: is not known; allowed are {', '.join(known)}")
    for key in needed:
        if key not in given:
            raise YatzyError(f"{prefix}{key}: is missing")
    return given


def _list(where: str, given: Any, at_least: int, at_most: int) -> list[Any]:
    if not isinstance(given, list):
        raise YatzyError(f"{where}: {_shown(given)} is not a list")
    if not at_least <= len(given) <= at_most:
        allowed = f"exactly {at_most}" if at_least == at_most else f"{at_least}..{at_most}"
        raise YatzyError(f"{where}: has {len(given)} entries; allowed is {allowed}")
    return given


def _shown(given: Any) -> str:
    """What was given, short enough for a sentence."""
    text = repr(given)
    return text if len(text) <= LONGEST_NAME else f"{text[:LONGEST_NAME]}..."


def read_logs(path: str | Path, rules: Ruleset | None = None) -> list[GameLog]:
    """The games of a file: one JSON object, or one on each line; `rules` as for `parse_log`."""
    path = Path(path)
    text = read_outside_text(path, "game")
    try:
        documents = [json.loads(text)]
    except (ValueError, RecursionError):
        documents = [_parse_line(path, number, line) for number, line in enumerate(text.splitlines(), start=1)]
    documents = [
        found for found in documents if not (isinstance(found, dict) and found.get("format") == TURN_FORMAT)
    ]
    if not documents:
        raise YatzyError("game", path, why="is empty")
    return [parse_log(document, rules) for document in documents]


def _parse_line(path: Path, number: int, line: str) -> Any:
    try:
        return json.loads(line)
    except (ValueError, RecursionError) as error:
        raise YatzyError("game", path, why=f"{{given}}, line {number}, is not JSON ({error})") from None


def write_logs(logs: Iterable[GameLog], path: str | Path) -> Path:
    """One game per line; the file is written whole or not at all."""
    return write_lines((seal(log.to_json()) for log in logs), path)


def write_lines(objects: Iterable[dict[str, Any]], path: str | Path) -> Path:
    """One object per line, the file whole or not at all."""
    path = Path(path)
    with whole_file(path) as half, half.open("w", encoding="utf-8") as file:
        for one in objects:
            file.write(json.dumps(one) + "\n")
    return path
