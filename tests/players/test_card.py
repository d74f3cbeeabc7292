"""The card: the exact words of the rules, in the order of a turn, in three forms."""

import re
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from yatzy.players import rule_list_card
from yatzy.players.conditions import Condition
from yatzy.players.moves import ABOVE_PAR, GIVE_UP, Par
from yatzy.players.rule_list import Rule, RuleList, parse_rule, rule_text
from yatzy.rules import scandinavian

GAME = scandinavian()
FOURS = Rule((Condition("count_4", 3, 5), Condition("open_fours", 1, 1)), "score Fours")
HOUSE = Rule((Condition("points_full_house", 20, 28),), "score Full House")
BEHIND = Rule((Condition("pace", -63, -4),), GIVE_UP)
FIRST = Rule((Condition("rerolls_left", 2, 2), Condition("has_three", 1, 1)), "keep both pairs")
ALIKE = Rule((Condition("largest_count", 3, 5),), "keep the most frequent face, open boxes first")
NUMBERS = (230.0, 165.0, 248.0)


@pytest.fixture(scope="module")
def plain() -> RuleList:
    return RuleList("plain", GAME, (FOURS, HOUSE, BEHIND), ((FIRST, ALIKE),))


@pytest.fixture(scope="module")
def with_par(plain: RuleList) -> RuleList:
    par = Par(np.arange(15.0), np.arange(15.0) + 0.5, 2.0)
    return replace(plain, name="with-par", par=par, score_default=ABOVE_PAR)


class Page(HTMLParser):
    """Tags opened and closed, and the sentences of list items."""

    VOID = ("meta", "circle", "rect", "line", "link")

    def __init__(self, text: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.items: list[str] = []
        self.tags: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag, attrs) -> None:
        self.tags.append(tag)
        if tag not in self.VOID:
            self.open.append(tag)
        if tag == "li":
            self.items.append("")

    def handle_startendtag(self, tag, attrs) -> None:
        self.tags.append(tag)

    def handle_endtag(self, tag) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data) -> None:
        if "li" in self.open:
            self.items[-1] += data


def test_keeps_come_before_scores(plain) -> None:
    titles = [section.title for section in rule_list_card.sections(plain)]
    assert titles == ["What to keep", "Where to score"]
    two = replace(plain, keeps=((ALIKE,), (FIRST,)))
    by_throw = rule_list_card.sections(two)
    assert [(s.title, s.rules) for s in by_throw[:2]] == [
        ("What to keep after the first throw", (FIRST,)), ("What to keep after the second throw", (ALIKE,)),
    ]  # fmt: skip
    oracle = rule_list_card.sections(replace(plain, oracle_keeps=True))
    assert (oracle[0].note, oracle[0].rules) == ("As in optimal play.", ())


def test_standing() -> None:
    assert rule_list_card.standing(*NUMBERS) == (
        "230.0 points on average, computed exactly: 78% of the way from playing every turn for its most points "
        "(165.0) to perfect play (248.0)."
    )


def test_markdown_numbers_the_words_that_play(plain) -> None:
    text = rule_list_card.markdown(plain, *NUMBERS)
    found = [parse_rule(GAME, sentence) for sentence in re.findall(r"^\d+\. (.+)$", text, re.MULTILINE)]
    assert found == [FIRST, ALIKE, FOURS, HOUSE, BEHIND]
    assert re.findall(r"^(\d+)\. ", text, re.MULTILINE) == ["1", "2", "1", "2", "3"]
    assert text.index("## What to keep") < text.index("## Where to score")
    assert "Otherwise, score the box with the most points." in text
    assert "5 rules. 230.0 points on average" in text
    assert "| par |" not in text


def test_markdown_par_table(with_par) -> None:
    lines = rule_list_card.markdown(with_par, *NUMBERS).splitlines()
    start = lines.index("| par | bonus in reach | bonus safe or lost |")
    assert lines[start + 2] == "| Ones | 0 | 0.5 |"
    assert lines[start + 16] == "| Yatzy | 14 | 14.5 |"
    assert start < lines.index("## What to keep")
    assert "5 rules and a table of 30 par numbers. " in lines[2]


def test_html_is_a_whole_page_with_the_words_that_play(with_par) -> None:
    text = rule_list_card.html(replace(with_par, name="<b>"), *NUMBERS)
    assert text.startswith("<!doctype html>")
    assert "@page { size: A4" in text
    assert "http" not in text
    assert "<h1>&lt;b&gt;</h1>" in text
    page = Page(text)
    assert page.open == []
    found = [parse_rule(GAME, unescape(item)) for item in page.items[:5]]
    assert found == [FIRST, ALIKE, FOURS, HOUSE, BEHIND]
    assert page.items[5:] == rule_list_card.notes(with_par)
    assert page.tags.count("tr") == 16
    assert rule_list_card.article(with_par, *NUMBERS) in rule_list_card.html(with_par, *NUMBERS)


def test_html_scale_stays_inside(plain) -> None:
    """A list may be weaker than greedy play; its mark stays on the line."""
    for mean, place in ((100.0, 20.0), (165.0, 20.0), (206.5, 300.0), (248.0, 580.0)):
        assert f'x2="{place:.1f}"' in rule_list_card.html(plain, mean, 165.0, 248.0)


def test_terminal(with_par) -> None:
    out = StringIO()
    Console(file=out, width=200).print(rule_list_card.terminal(with_par, *NUMBERS))
    text = out.getvalue()
    for rule in with_par.all_rules:
        assert rule_text(GAME, rule) in text
    assert text.index("bonus in reach") < text.index("What to keep") < text.index("Where to score")
    assert "⚃⚃⚃" in text
    assert "■■■□□" in text


@pytest.mark.parametrize(
    ("rule", "dice"),
    [
        (FOURS, "444"),
        (HOUSE, "aaabb"),
        (ALIKE, "aaa"),
        (FIRST, "aaa"),
        (BEHIND, ""),
        (Rule((Condition("count_6", 0, 1),), "keep face 5"), "5"),
        (Rule((Condition("points_fives", 11, 25),), "score Chance"), "555"),
        (Rule((Condition("points_one_pair", 12, 12),), "keep the 6s"), "66"),
        (Rule((Condition("points_one_pair", 8, 12),), "keep the 6s"), "aa"),
        (Rule((Condition("points_yatzy", 50, 50),), "score Yatzy"), "aaaaa"),
        (Rule((Condition("boxes_left", 1, 5),), "keep the 6s"), "6"),
        (Rule((Condition("points_small_straight", 1, 15),), "score Small Straight"), "12345"),
        (Rule((Condition("has_large_straight", 1, 1),), "score Large Straight"), "23456"),
        (Rule((Condition("has_large_straight", 0, 0),), "score Yatzy"), ""),
        (Rule((Condition("high_pair", 5, 6),), "keep both pairs"), "55"),
        (Rule((Condition("shape_face", 3, 6),), "keep both pairs"), ""),
        (Rule((Condition("shape_face", 3, 3),), "keep both pairs"), "3"),
        (Rule((Condition("boxes_left", 1, 5),), "score Twos"), "2"),
    ],
)
def test_pictures(rule: Rule, dice: str) -> None:
    assert rule_list_card.picture(GAME, rule) == dice


def test_notes_explain_the_words_that_are_used(plain, with_par) -> None:
    notes = " ".join(rule_list_card.notes(with_par))
    assert "The give-up list: Ones, Small Straight, Large Straight, Yatzy, Four of a Kind, Twos." in notes
    assert "count double" in notes
    assert "Three of each" in notes
    short = " ".join(rule_list_card.notes(RuleList("short", GAME, (HOUSE,))))
    assert "give-up" not in short
    assert "Three of each" not in short
    assert "par" not in short
