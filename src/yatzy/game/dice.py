"""Sources of dice.

A source answers `throw(turn, throw, n)`: n dice for that throw of that turn, both counted from 0. Games are
paired: two players who ask for the same throw see the same dice. Its `scheme` says how, for those who throw m
of all dice:

    none        they see the first m, whichever they throw
    "by-die"    each die that is thrown shows what it shows to everybody who throws it

* `SeededDice` are those of `yatzy simulate`: they depend on (seed, game, turn, throw) and nothing else.
* `RecordedDice` replay a game log: first the dice that were thrown then, in order, and where more are needed,
  those of the log's seed or, without one, of a seed made from its dice. By die, all are those of the seed.
"""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache
from typing import Protocol

import numpy as np

from yatzy.errors import YatzyError
from yatzy.game.log import GameLog, Scheme, remove_dice
from yatzy.rules import Dice, Ruleset, format_dice

# Games of a seed that share one stream of random numbers.
GAMES_PER_STREAM = 1 << 16


class DiceSource(Protocol):
    """A source of dice."""

    @property
    def scheme(self) -> Scheme | None: ...

    def throw(self, turn: int, throw: int, n: int) -> Dice: ...


def thrown_from(source: DiceSource, turn: int, throw: int, held: Sequence[bool]) -> Dice:
    """The dice that are thrown, in the order of their places; `held` says of each whether it stays."""
    if source.scheme is None:
        return source.throw(turn, throw, len(held) - sum(held))
    fallen = source.throw(turn, throw, len(held))
    return tuple(die for die, stays in zip(fallen, held, strict=True) if not stays)


@dataclass(frozen=True)
class SeededDice:
    """The dice of game number `game` of a seed, as `simulate` throws them."""

    rules: Ruleset
    seed: int
    game: int = 0
    scheme: Scheme | None = None

    def throw(self, turn: int, throw: int, n: int) -> Dice:
        n_throws = 1 + self.rules.rerolls * (1 + turn * self.rules.saves_throws)
        return _drawn(self.rules.dice, self.rules.faces, n_throws, self.seed, self.game, turn)[throw][:n]


@lru_cache(maxsize=256)
def _drawn(dice: int, faces: int, n_throws: int, seed: int, game: int, turn: int) -> tuple[Dice, ...]:
    """All dice of every throw of a turn; a draw is one number whose digits are the dice, first die leading."""
    stream, number = divmod(game, GAMES_PER_STREAM)
    generator = np.random.Generator(np.random.Philox(key=seed, counter=[0, 0, turn, stream]))
    draws = generator.integers(0, faces**dice, (number + 1, n_throws), dtype=np.uint32)[number]
    return tuple(
        tuple(int(draw) // faces**place % faces + 1 for place in range(dice - 1, -1, -1)) for draw in draws
    )


@dataclass(frozen=True)
class RecordedDice:
    """The dice of a game log, for a replay."""

    log: GameLog

    @cached_property
    def beyond(self) -> SeededDice:
        """The dice that follow those of the log."""
        if self.log.seed is not None:
            return SeededDice(self.log.rules, self.log.seed, self.log.game or 0, self.log.scheme)
        rolls = repr([turn.rolls for turn in self.log.turns])
        return SeededDice(self.log.rules, int.from_bytes(hashlib.sha256(rolls.encode()).digest()[:8], "big"))

    def __post_init__(self) -> None:
        """By die, each shows what the seed says or stays as it lay."""
        if self.scheme is None:
            return
        for number, turn in enumerate(self.log.turns):
            lay: Dice = (0,) * self.log.rules.dice
            for throw, roll in enumerate(turn.rolls):
                known = self.beyond.throw(self.log.n_before + number, throw, len(roll))
                if any(die not in (seeds, lies) for die, seeds, lies in zip(roll, known, lay, strict=True)):
                    why = f"is not what the seed {self.log.seed} throws"
                    raise YatzyError(f"turns[{number}].rolls[{throw}]", format_dice(roll), why=why)
                lay = roll

    @property
    def scheme(self) -> Scheme | None:
        return self.log.scheme

    def thrown(self, turn: int, throw: int) -> Dice:
        """The dice thrown then: the roll without what was held; turns count from that of an empty card."""
        number = turn - self.log.n_before
        if number >= len(self.log.turns) or throw >= len(self.log.turns[number].rolls):
            return ()
        played = self.log.turns[number]
        kept = played.keeps[throw - 1] if throw else ()
        return remove_dice(played.rolls[throw], kept) or ()

    def throw(self, turn: int, throw: int, n: int) -> Dice:
        thrown = () if self.scheme else self.thrown(turn, throw)
        return thrown[:n] + self.beyond.throw(turn, throw, self.log.rules.dice)[len(thrown) : n]
