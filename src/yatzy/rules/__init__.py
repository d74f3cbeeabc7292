"""What the game is: rulesets as data, scoring as a readable specification, and text notation."""

from yatzy.rules.catalogue import HOUSE_RULES, maxi, ruleset, scandinavian, yahtzee
from yatzy.rules.notation import (
    Situation,
    State,
    format_category,
    format_dice,
    format_filled,
    format_situation,
    format_state,
    parse_category,
    parse_dice,
    parse_filled,
    parse_rerolls,
    parse_situation,
    parse_state,
)
from yatzy.rules.ruleset import Category, Ruleset

__all__ = [
    "HOUSE_RULES",
    "Category",
    "Ruleset",
    "Situation",
    "State",
    "format_category",
    "format_dice",
    "format_filled",
    "format_situation",
    "format_state",
    "maxi",
    "parse_category",
    "parse_dice",
    "parse_filled",
    "parse_rerolls",
    "parse_situation",
    "parse_state",
    "ruleset",
    "scandinavian",
    "yahtzee",
]
