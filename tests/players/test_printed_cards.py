"""The printed card, read by a person, is the list that was measured: in every format, word by word."""

from io import StringIO

import numpy as np
import pytest
from rich.console import Console

from naive import Faces
from printed_cards import Seat, decide, read_print
from samples import states_of_all_stages
from yatzy.players import rule_list_card
from yatzy.players.library import find_list
from yatzy.players.rule_list_player import ListPlayer
from yatzy.rules import scandinavian
from yatzy.turn.lattice import lattice

GAME = scandinavian()
NUMBERS = (230.0, 165.0, 248.0)


def printed(name: str, form: str) -> str:
    rules = find_list(name)
    if form == "terminal":
        out = StringIO()
        Console(file=out, width=200).print(rule_list_card.terminal(rules, *NUMBERS))
        return out.getvalue()
    return (rule_list_card.html if form == "html" else rule_list_card.markdown)(rules, *NUMBERS)


@pytest.mark.parametrize("form", ["terminal", "markdown", "html"])
@pytest.mark.parametrize("name", ["card-20", "card-40", "card-77"])
def test_all_formats_say_the_same(name: str, form: str) -> None:
    rules, found = find_list(name), read_print(printed(name, form))
    first = read_print(printed(name, "markdown"))
    assert (found.par, found.keeps, found.scores) == (first.par, first.keeps, first.scores)
    assert (found.keep_otherwise, found.score_otherwise) == (first.keep_otherwise, first.score_otherwise)
    assert len(found.par) == GAME.n_categories
    assert len(found.keeps) + len(found.scores) == rules.n_rules
    assert f"a table of {2 * len(found.par)} par numbers" in found.notes


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "n"), [("card-20", 6), ("card-40", 4), ("card-77", 3)])
def test_what_a_reader_does_is_what_was_measured(name: str, n: int) -> None:
    """A third of the rolls of many states, another third for each, and five alike, at every step of a turn."""
    paper, player, dice = read_print(printed(name, "html")), ListPlayer(find_list(name)), lattice(5, 6)
    for number, (filled, upper) in enumerate(states_of_all_stages(GAME, n, seed=len(name))):
        decided = player.decide(np.array([filled]), np.array([upper]))
        for roll_id, roll in enumerate(dice.keeps[: dice.n_rolls]):
            if (roll_id + number) % 3 and len(set(roll)) > 1:
                continue
            for left in range(GAME.rerolls + 1):
                said = decide(paper, Seat(GAME, filled, upper, roll, left))
                played: Faces | str
                if left:
                    played = dice.keeps[int(decided.keep[0, left - 1, roll_id])]
                else:
                    played = GAME.categories[int(decided.category[0, roll_id])].name
                assert said == played, (filled, upper, roll, left)
