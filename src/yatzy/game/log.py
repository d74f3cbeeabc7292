"""The game log: one player's game as JSON, shared by simulate, play, the web page and review.

    {"format": "yatzy-game", "version": 1, "rules": "scandinavian",
     "turns": [{"rolls": [[1, 3, 3, 5, 6], [3, 3, 2, 3, 4]], "keeps": [[3, 3]], "category": "threes"}]}

Each roll has all dice; `keeps[j]` are the dice of `rolls[j]` that were held, and `rolls[j + 1]` lay on the table
after the others were thrown. A turn scored early has fewer rolls, an unfinished game fewer turns. Holding all dice
passes: the next roll has the same dice. Where throws are saved, later turns may have more rolls.

Optional are `player`, `date`, `seed`, `game` and `scheme` (where the dice came from: `game.dice`), `policy`, the
name of what played if it was not a person, `hints`, true if the coach said what is best before a decision, and
`start`, what stood on the card before the first turn (`game.start`). A turn may have `goals`, one per roll: the
player's aim, null for the mean; and `wanted`, one per roll: what was about to be played when the coach first
warned, such as "keep 3 3", null if it did not.

Reading checks the shape of a log against the JSON type of the classes here, and then its moves, turn by turn
(`after_turn`).
"""

import json
from collections.abc import Iterable, Sized
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Annotated, Any, Literal, get_args

from yatzy.context import MAX_SEED, check_seed
from yatzy.errors import YatzyError, check_int
from yatzy.game.action import Action, Keep, Score, parse_action
from yatzy.game.aim import LONGEST_NAME, Aim, Name, parse_aim
from yatzy.game.json import Bounds, Length, as_json, check_json, json_property
from yatzy.game.start import Start, state_of
from yatzy.rules import Dice, Ruleset, State, format_category, format_dice, parse_category, ruleset
from yatzy.rules.ruleset import MAX_CATEGORIES
from yatzy.sealed import CHECKSUM, checksum_of, seal
from yatzy.storage import atomic_file, read_user_text
from yatzy.turn.lattice import lattice
from yatzy.turn.outcomes import outcomes

# The last line of an interrupted game (see `SavedGame`), which is not a log.
TurnFormat = Literal["yatzy-turn"]
(TURN_FORMAT,) = get_args(TurnFormat)
MAX_GAMES = 2**53
# How dice follow from a seed (`game.dice`).
Scheme = Literal["by-die"]
# Larger than in any game; the limits of one game are checked with its rules.
MAX_DICE, MAX_FACES, MAX_THROWS = 30, 30, 250
Face = Annotated[int, Bounds(1, MAX_FACES)]


@dataclass(frozen=True)
class TurnLog:
    """One turn: the dice after each throw, what was held in between, and the category.

    `goals` are the aims of its decisions; none means that all were for the mean. `wanted` are the actions that the
    coach first warned about; none means that it did not warn.
    """

    rolls: Annotated[tuple[Annotated[tuple[Face, ...], Length(1, MAX_DICE)], ...], Length(1, MAX_THROWS)]
    keeps: Annotated[tuple[Annotated[tuple[Face, ...], Length(0, MAX_DICE)], ...], Length(0, MAX_THROWS)]
    category: Name
    goals: Annotated[tuple[Aim | None, ...], Length(0, MAX_THROWS)] = ()
    wanted: Annotated[tuple[Action | None, ...], Length(0, MAX_THROWS)] = ()

    @property
    def actions(self) -> tuple[Action, ...]:
        """The action taken with each roll."""
        return (*(Keep(tuple(sorted(keep))) for keep in self.keeps), Score(self.category))


@dataclass(frozen=True)
class GameLog:
    """A game of one player, finished or not."""

    format: Literal["yatzy-game"] = field(default_factory=lambda: "yatzy-game", init=False)
    version: Literal[1] = field(default_factory=lambda: 1, init=False)
    rules: Annotated[Ruleset, Length(1, LONGEST_NAME)]
    player: Annotated[str, Length(1, LONGEST_NAME)] | None = field(default=None, kw_only=True)
    date: Name | None = field(default=None, kw_only=True)
    seed: Annotated[int, Bounds(0, MAX_SEED)] | None = field(default=None, kw_only=True)
    game: Annotated[int, Bounds(0, MAX_GAMES)] | None = field(default=None, kw_only=True)
    scheme: Scheme | None = field(default=None, kw_only=True)
    policy: Annotated[str, Length(1, LONGEST_NAME)] | None = field(default=None, kw_only=True)
    hints: Literal[True] | None = field(default=None, kw_only=True)
    start: Start | None = field(default=None, kw_only=True)
    turns: Annotated[tuple[TurnLog, ...], Length(0, MAX_CATEGORIES)]

    @json_property
    def checksum(self) -> Name | None:
        """Added on writing (`seal`)."""
        return None

    def __repr__(self) -> str:
        n = len(self.turns)
        return f"<GameLog {self.rules.name}: {n} turn{'' if n == 1 else 's'}, {self.score} points>"

    @cached_property
    def _course(self) -> tuple[tuple[State, ...], tuple[int, ...]]:
        """The state before each turn and after the last, and the outcome of each turn."""
        try:
            states, ended = [state_of(self.rules, self.start) if self.start else State()], []
        except YatzyError as error:
            raise error.within("start") from None
        _check_length("turns", self.turns, 0, self.rules.n_categories - self.n_before)
        for number, turn in enumerate(self.turns):
            try:
                state, outcome = after_turn(self.rules, states[-1], turn, self._rerolls_given(number))
            except YatzyError as error:
                raise error.within(f"turns[{number}]") from None
            states.append(state)
            ended.append(outcome)
        return tuple(states), tuple(ended)

    def _like(self, **changes: Any) -> "GameLog":
        """A copy with changes that do not affect the course of the game."""
        changed = replace(self, **changes)
        changed.__dict__["_course"] = self._course
        return changed

    def with_turn(self, turn: TurnLog) -> "GameLog":
        """The log after one more turn."""
        states, ended = self._course
        state, outcome = after_turn(self.rules, states[-1], turn, self._rerolls_given(len(self.turns)))
        later = replace(self, turns=(*self.turns, turn))
        later.__dict__["_course"] = (*states, state), (*ended, outcome)
        return later

    def about(self, **changes: str | int | None) -> "GameLog":
        """A copy with another `player`, `date`, `seed`, `game` or `scheme`."""
        return self._like(**changes)

    def with_aim(self, aim: Aim | None) -> "GameLog":
        """A copy with this aim for all decisions."""
        turns = (replace(turn, goals=(aim,) * len(turn.rolls) if aim else ()) for turn in self.turns)
        return self._like(turns=tuple(turns))

    @property
    def n_before(self) -> int:
        """How many boxes were filled before the first turn."""
        return len(self.start.boxes) if self.start else 0

    @property
    def n_filled(self) -> int:
        return self.n_before + len(self.turns)

    @property
    def points_before(self) -> int:
        """The points on the card before the first turn."""
        return self.start.points if self.start else 0

    @property
    def begins_with_dice(self) -> bool:
        """Whether the first roll lay on the table when the game was taken over."""
        return self._rerolls_given(0) is not None

    def _rerolls_given(self, number: int) -> int | None:
        return self.start.rerolls if self.start and number == 0 else None

    def rerolls_at(self, number: int) -> int:
        """Rerolls left with the first roll of turn `number`, counted from 0; saved throws included."""
        given = self._rerolls_given(number)
        return rerolls_of(self.rules, self.states[number]) if given is None else given

    @property
    def states(self) -> tuple[State, ...]:
        """The state before each turn, and the one after the last."""
        return self._course[0]

    @cached_property
    def points(self) -> tuple[int, ...]:
        """The points of each turn, extra points included."""
        return tuple(int(outcomes(self.rules).points[end]) for end in self._course[1])

    @cached_property
    def extras(self) -> tuple[int, ...]:
        """The extra points of each turn, such as those for a further Yahtzee."""
        return tuple(int(outcomes(self.rules).extra[end]) for end in self._course[1])

    @property
    def extra(self) -> int:
        """All extra points."""
        return sum(self.extras) + (self.start.extra if self.start else 0)

    @property
    def is_finished(self) -> bool:
        return self.n_filled == self.rules.n_categories

    @property
    def bonus(self) -> int:
        """The bonus, which is paid at the end: 0 until then."""
        reached = self.is_finished and self.states[-1].upper >= self.rules.bonus_threshold
        return self.rules.bonus if reached else 0

    @property
    def score(self) -> int:
        """The points so far; of a finished game, the final score."""
        return self.points_before + sum(self.points) + self.bonus


def rerolls_of(rules: Ruleset, state: State) -> int:
    """Rerolls at the start of a turn, saved throws included."""
    return rules.rerolls + state.saved(rules)


def open_boxes(rules: Ruleset, state: State, dice: Iterable[int]) -> dict[int, int]:
    """The outcomes that the dice may be scored as, by category."""
    roll_id = lattice(rules.dice, rules.faces).id_of(tuple(dice))
    return outcomes(rules).allowed(state.filled, roll_id)


def after_turn(rules: Ruleset, state: State, turn: TurnLog, rerolls: int | None = None) -> tuple[State, int]:
    """The state after a turn, and its outcome; refuses an impossible turn.

    `rerolls` are those left with the first roll, if the turn had begun before the log.
    """
    rolls, most = turn.rolls, (rerolls_of(rules, state) if rerolls is None else rerolls) + 1
    _check_length("rolls", rolls, 1, most)
    _check_length("keeps", turn.keeps, len(rolls) - 1, len(rolls) - 1)
    for place, roll in enumerate(rolls):
        _check_length(f"rolls[{place}]", roll, rules.dice, rules.dice)
    for name, all_dice in (("rolls", rolls), ("keeps", turn.keeps)):
        for place, face in ((place, face) for place, dice in enumerate(all_dice) for face in dice):
            if not 1 <= face <= rules.faces:
                raise YatzyError(f"{name}[{place}]", face, f"1..{rules.faces}", "is not a face")
    for place, keep in enumerate(turn.keeps):
        for which in (place, place + 1):
            if remove_dice(rolls[which], keep) is None:
                of = f"rolls[{which}], which is {format_dice(rolls[which])!r}"
                raise YatzyError(f"keeps[{place}]", format_dice(keep), why=f"is not part of {of}")
    if turn.goals:
        _check_length("goals", turn.goals, len(rolls), len(rolls))
    if turn.wanted:
        _check_length("wanted", turn.wanted, len(rolls), len(rolls))
    for place, action in enumerate(turn.wanted):
        if action is not None:
            try:
                check_action(rules, state, rolls[place], most - 1 - place, action)
            except YatzyError as error:
                raise error.within(f"wanted[{place}]") from None
    outcome = outcome_in(rules, state, rolls[-1], parse_category(rules, turn.category))
    filled, upper = outcomes(rules).after(state.filled, state.upper, outcome, most - len(rolls))
    return State(int(filled), int(upper)), outcome


def _check_length(name: str, given: Sized, least: int, most: int) -> None:
    if not least <= len(given) <= most:
        allowed = f"exactly {most}" if least == most else f"{least}..{most}"
        raise YatzyError(name, why=f"has {len(given)} entries; allowed is {allowed}")


def outcome_in(rules: Ruleset, state: State, dice: Dice, category_id: int) -> int:
    """The outcome of scoring dice in a category; refuses one that is not allowed."""
    boxes = open_boxes(rules, state, dice)
    if category_id in boxes:
        return boxes[category_id]
    name = format_category(rules, category_id)
    if state.filled >> category_id & 1:
        raise YatzyError("category", name, why="is already filled")
    why = "boxes are filled from top to bottom" if rules.forced_order else f"{format_dice(dice)} is a joker"
    allowed = ", ".join(format_category(rules, c) for c in boxes)
    raise YatzyError("category", name, allowed, f"may not be filled now, because {why}")


def check_action(rules: Ruleset, state: State, dice: Dice, rerolls: int, action: Action) -> None:
    """Refuse an action that these dice do not allow, such as holding all of them."""
    if isinstance(action, Score):
        outcome_in(rules, state, dice, parse_category(rules, action.category))
        return
    if not rerolls:
        raise YatzyError("rerolls", why="none are left; score the dice in an open box")
    left = remove_dice(dice, action.dice)
    if left is None:
        raise YatzyError("keep", format_dice(action.dice), why=f"is not part of {format_dice(dice)!r}")
    if not left:
        raise YatzyError("keep", why="all dice are held; score them, or let one go")


def remove_dice(dice: Iterable[int], keep: Iterable[int]) -> Dice | None:
    """The dice without those of the keep, removed at their first occurrence; None if some are missing."""
    left = list(dice)
    for face in keep:
        if face not in left:
            return None
        left.remove(face)
    return tuple(left)


def parse_log(document: Any, rules: Ruleset | None = None) -> GameLog:
    """A log from parsed JSON; `rules` is for a ruleset that is not in the catalogue."""
    content = check_json(GameLog, _without_absent(document), "game")
    if rules is not None and content["rules"] != rules.name:
        raise YatzyError("rules", why=f"the game was played by {content['rules']!r}, not by {rules.name!r}")
    game = rules or ruleset(content["rules"])
    log = GameLog(
        game,
        tuple(_parse_turn(game, number, turn) for number, turn in enumerate(content["turns"])),
        player=check_player(content.get("player")),
        date=_check_date(content.get("date")),
        seed=check_seed(content["seed"]) if "seed" in content else None,
        game=check_int("game", content["game"], 0, MAX_GAMES) if "game" in content else None,
        scheme=content.get("scheme"),
        policy=check_player(content.get("policy"), "policy"),
        hints=content.get("hints"),
        start=_parse_start(game, content["start"]) if "start" in content else None,
    )
    _ = log.states
    if log.scheme and log.seed is None:
        raise YatzyError("scheme", log.scheme, why="says how dice follow from a seed, and there is none")
    # Logs written by hand have no checksum.
    if content.get(CHECKSUM) not in (None, checksum_of(as_json(log))):
        why = "does not match; the log was damaged or edited (without its checksum it can be read)"
        raise YatzyError(CHECKSUM, why=why)
    return log


def _without_absent(document: Any) -> Any:
    """The document without optional keys that are null."""
    if not isinstance(document, dict):
        return document
    found = {key: value for key, value in document.items() if value is not None}
    if "start" in found:
        found["start"] = _without_absent(found["start"])
    for name in {"turns", "goals"} & found.keys():
        if isinstance(found[name], list):
            found[name] = [_without_absent(one) for one in found[name]]
    return found


def _parse_turn(rules: Ruleset, number: int, turn: dict[str, Any]) -> TurnLog:
    rolls, keeps = (tuple(map(tuple, turn[name])) for name in ("rolls", "keeps"))
    where = f"turns[{number}]"
    try:
        category = format_category(rules, parse_category(rules, turn["category"]))
        goals: list[Aim | None] = []
        if "goals" in turn:
            _check_length("goals", turn["goals"], len(rolls), len(rolls))
        for place, goal in enumerate(turn.get("goals", ())):
            where = f"turns[{number}].goals[{place}]"
            goals.append(parse_aim(rules, goal))
        where = f"turns[{number}].wanted"
        wanted = tuple(parse_action(rules, text) if text else None for text in turn.get("wanted", ()))
    except YatzyError as error:
        raise error.within(where) from None
    return TurnLog(rolls, keeps, category, tuple(goals) if any(goals) else (), wanted if any(wanted) else ())


def _parse_start(rules: Ruleset, start: dict[str, Any]) -> Start:
    try:
        return Start(**start).named(rules)
    except YatzyError as error:
        raise error.within("start") from None


def check_player(player: str | None, field: str = "player") -> str | None:
    """A valid name of a player, or None."""
    if player is not None and (not 0 < len(player) <= LONGEST_NAME or not _can_be_shown(player)):
        raise YatzyError(field, player, why=f"is not a name of 1..{LONGEST_NAME} characters")
    return player


def _can_be_shown(name: str) -> bool:
    """Whether it has no control characters; non-breaking spaces and joiners of letters or emoji are allowed."""
    return all(ch.isprintable() or ch in "\u00a0\u200c\u200d" for ch in name)


def _check_date(date: str | None) -> str | None:
    try:
        if date is not None:
            datetime.fromisoformat(date)
    except ValueError:
        raise YatzyError("date", date, why="is not of the form 2025-12-31 or 2025-12-31T20:15:00") from None
    return date


def read_logs(path: str | Path, rules: Ruleset | None = None) -> list[GameLog]:
    """The games of a file: one JSON object, or one per line; `rules` as for `parse_log`."""
    path = Path(path)
    text = read_user_text(path, "game")
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
    """Write one game per line, atomically."""
    return write_lines((seal(as_json(log)) for log in logs), path)


def write_lines(objects: Iterable[dict[str, Any]], path: str | Path) -> Path:
    """Write one object per line, atomically."""
    path = Path(path)
    with atomic_file(path) as half, half.open("w", encoding="utf-8") as file:
        for one in objects:
            file.write(json.dumps(one) + "\n")
    return path
