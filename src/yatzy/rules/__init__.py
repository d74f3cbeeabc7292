"""Rulesets as data, scoring as a readable specification, and text notation."""

from yatzy.rules.catalogue import GAMES, HOUSE_RULES, SWITCHES, maxi, scandinavian, yahtzee
from yatzy.rules.notation import (
    Dice,
    State,
    filled_names,
    format_category,
    format_dice,
    format_filled,
    format_state,
    parse_category,
    parse_dice,
    parse_filled,
    parse_rerolls,
    parse_state,
    with_saved,
)
from yatzy.rules.ruleset import Category, Outcome, Ruleset, SpecialRolls
from yatzy.rules.toml import ruleset, stored_name

__all__ = [
    "GAMES",
    "HOUSE_RULES",
    "SWITCHES",
    "Category",
    "Dice",
    "Outcome",
    "Ruleset",
    "SpecialRolls",
    "State",
    "filled_names",
    "format_category",
    "format_dice",
    "format_filled",
    "format_state",
    "maxi",
    "parse_category",
    "parse_dice",
    "parse_filled",
    "parse_rerolls",
    "parse_state",
    "ruleset",
    "scandinavian",
    "stored_name",
    "with_saved",
    "yahtzee",
]
