"""Points lost, in words: the same in the terminal, on the page and in the API.

For a goal of chances, a percent of the chance counts as a point.

A decision that was made is named by what it lost against the best; a decision to make, by how far the best action
is ahead of the next one. Differences up to TIE are rounding, and such actions are equally good.
"""

from typing import Literal, TypedDict, cast

LossWord = Literal["perfect", "fine", "inaccuracy", "mistake", "blunder"]
LeadWord = Literal["only choice", "equal", "close call", "clear", "obvious"]

# A regret up to this is rounding: such actions are equally good.
TIE = 1e-9
# Chances are float32: what is closer together is equal.
CHANCE_TIE = 1e-6
# Each word is for losses below this many points; a blunder is anything more.
LOSS_WORDS: tuple[tuple[LossWord, float], ...] = (("fine", 0.5), ("inaccuracy", 2.0), ("mistake", 5.0))
LEAD_WORDS: tuple[tuple[LeadWord, float], ...] = (("close call", 0.5), ("clear", 2.0))


def loss_word(regret: float) -> LossWord:
    """What to call a decision that lost this many points."""
    if regret <= TIE:
        return "perfect"
    return next((word for word, below in LOSS_WORDS if regret < below), "blunder")


def lead_word(lead: float | None) -> LeadWord:
    """What to call a decision whose best action is this far ahead; None if it is the only one."""
    if lead is None:
        return "only choice"
    if lead <= TIE:
        return "equal"
    return next((word for word, below in LEAD_WORDS if lead < below), "obvious")


def chance_lead_word(lead: float | None) -> LeadWord:
    """The same for an action that is ahead by this much of the chance."""
    return lead_word(lead and (100 * lead if lead > CHANCE_TIE else 0.0))


class LossLimits(TypedDict):
    """What a decision has lost at most to be called so: up to `perfect`, below the others; beyond is a blunder."""

    perfect: float
    fine: float
    inaccuracy: float
    mistake: float


# By another syntax, because of the space in a name.
LeadLimits = TypedDict("LeadLimits", {"equal": float, "close call": float, "clear": float})
LeadLimits.__doc__ = "How far ahead the best is at most: up to `equal`, below the others; beyond it is obvious."


class WordLimits(TypedDict):
    """The thresholds of the words, in points."""

    loss: LossLimits
    lead: LeadLimits


def word_limits() -> WordLimits:
    """The thresholds as data: each word fits below this many points."""
    limits = {"loss": {"perfect": TIE, **dict(LOSS_WORDS)}, "lead": {"equal": TIE, **dict(LEAD_WORDS)}}
    return cast("WordLimits", limits)
