"""Reasons: each clause is a part of the numbers, nothing larger is left out, and all numbers said are true."""

import re
from collections import Counter

import numpy as np
import pytest

from conftest import COMPUTE
from games import REDUCED_GAMES, SPECIAL_GAMES
from yatzy import Keep, Score, YatzyError, advise, solve
from yatzy.coach.advice import Coach, GoalAdvisor
from yatzy.coach.why import CLOSE, LEAST, SELDOM, Clause, Reason, explain, is_slight, sentence, warning
from yatzy.game.action import action_ids
from yatzy.game.aim import Aim
from yatzy.game.json import as_json
from yatzy.game.log import rerolls_of
from yatzy.game.situation import Situation
from yatzy.measure.exact import visit
from yatzy.measure.parts import BONUS, EXTRA, BoxParts, part_names
from yatzy.players.situations import exact_situations
from yatzy.policies.boltzmann import Boltzmann
from yatzy.rules import State
from yatzy.solver.states import state_space
from yatzy.turn.numpy_turn import NumpyTurn

GOALS = ("chance", "daring", "safe")


def assert_true(table, found, action=None, worth=None):
    """A reason and its sentence against the numbers behind it; returns the sentence."""
    here = found.advice.situation
    turn = NumpyTurn(
        table.rules, table.stored, table.theta, here.state.filled, here.state.upper, here.rerolls, worth
    )
    rules, reason = found.advice.rules, found.reason(action)
    names, text = part_names(rules), sentence(rules, reason)
    assert text[0].isupper()
    assert text.endswith(".")
    assert reason.action == found.advice.best
    if reason.rival is None or not reason.clauses:
        assert (reason.rival is None) == (len(found.advice) == 1)
        assert reason.lead == 0
        return text
    place = [one.action for one in found.advice].index(reason.rival)
    assert reason.lead == pytest.approx(found.lead(place))
    lost = dict(zip(names, (found.parts[0] - found.parts[place]).tolist(), strict=True))
    now = dict(zip(names, (found.after.by_time[0, 0] - found.after.by_time[0, place]).tolist(), strict=True))
    plain = [one for one in reason.clauses if one.kind not in GOALS]
    for clause in plain:
        assert_clause(found, place, clause, lost, now)
        if clause.kind == "spared":
            assert_little(turn, found, place, clause)
    # What is said first is the largest, but what is vague comes last; nothing that is left out brings more.
    gains = [one for one in plain if one.part > 0]
    vague = [is_slight(one) or (one.kind == "later" and isinstance(reason.action, Keep)) for one in gains]
    most = max((one.part for one in gains), default=0.0)
    assert not any(vague[:-1])
    assert not gains or gains[-1 if vague[-1] else 0].part == most
    assert len([one for one in gains if one.kind != "leaves"]) <= 2
    assert reason.lead >= CLOSE or any(vague) or len(plain) <= 2
    said = {box for one in plain for box in one.boxes} | {one.kind for one in plain}
    assert all(part <= most + 1e-9 for name, part in lost.items() if name not in said)
    # Where one part takes back more than half, the sentence says so.
    if -min(lost.values()) > max(sum(part for part in lost.values() if part > 0) / 2, LEAST):
        assert any(one.part < 0 for one in plain)
    assert_numbers(text, reason)
    assert_keeps(text, reason, found.advice.situation.dice)
    assert_numbers(warning(rules, reason), reason)
    kept = re.search(r"eeping ([\d ]+\d)", warning(rules, reason))
    assert not kept or f"keep {kept[1]}" != str(reason.action)
    return text


def assert_clause(found, place, clause, lost, now):
    rules, (kind, boxes) = found.advice.rules, (clause.kind, clause.boxes)
    mine, other = found.parts[0], found.parts[place]
    if kind == "bonus":
        assert clause.part == pytest.approx(lost[BONUS])
        bonus = rules.n_categories
        assert clause.chance == pytest.approx(mine[bonus] / rules.bonus)
        assert clause.rival_chance == pytest.approx(other[bonus] / rules.bonus)
        assert -1e-9 < clause.chance < 1 + 1e-9
        assert all(lost[box] >= LEAST and rules.categories[part_names(rules).index(box)].upper for box in boxes)
    elif kind == "extra":
        assert clause.part == pytest.approx(lost[EXTRA])
    else:
        assert clause.part == pytest.approx(sum(lost[box] for box in boxes))
        assert all(lost[box] * clause.part > 0 for box in boxes)
    if kind in ("boxes", "spared", "later"):
        here = [abs(now[box]) >= abs(lost[box]) / 2 and now[box] * lost[box] > 0 for box in boxes]
        assert here == [kind == "boxes"] * len(boxes)
    if kind in ("takes", "leaves"):
        action, points, average = (
            (found.advice.best, mine, other) if kind == "takes" else (found.advice[place].action, other, mine)
        )
        box = part_names(rules).index(boxes[0])
        assert action == Score(boxes[0])
        assert clause.points == round(points[box]) == action.points - action.extra
        assert clause.average == pytest.approx(average[box])


def assert_little(turn, found, place, clause):
    """How likely the turn ends in each box with less than two thirds of its average, outcome by outcome."""
    advice, names, ends = found.advice, part_names(found.advice.rules), turn.ends
    actions = [action_ids(advice.rules)[advice[one].action] for one in (0, place)]
    exits = turn.exits(advice.situation.roll_id, actions).sum(axis=0).tolist()
    chances = [dict.fromkeys(clause.boxes, 0.0), dict.fromkeys(clause.boxes, 0.0)]
    for chance, probs in zip(chances, exits, strict=True):
        for end in turn.open.tolist():
            box = names[ends.category[end]]
            if box in chance and ends.points[end] - ends.extra[end] < 2 / 3 * found.parts[0, names.index(box)]:
                chance[box] += probs[end]
    sign = 1 if clause.part > 0 else -1
    assert all(sign * (chances[1][box] - chances[0][box]) >= SELDOM - 1e-9 for box in clause.boxes)
    assert [clause.chance, clause.rival_chance] == pytest.approx([sum(one.values()) for one in chances])
    assert isinstance(advice[place].action, Keep)


def assert_keeps(text, reason, dice):
    """What is thrown or kept too is the difference of two keeps, one of which has all of the other."""
    found = re.search(r"(hrowing|eeping) (?:the )?([\d ]+) too", text)
    if found:
        mine, other = Counter(reason.action.dice), Counter(reason.rival.dice)
        less, more = (mine, other) if found[1] == "hrowing" else (other, mine)
        assert less + Counter(map(int, found[2].split())) == more
        assert more <= Counter(dice)
        assert other
        assert (" one more try " in text) == (found[1] == "hrowing" and more.total() - less.total() == 1)


def assert_numbers(text, reason):
    """Every number in a sentence is one of the reason's, rounded."""
    known = [
        abs(number)
        for one in reason.clauses
        for number in (one.part, one.points, one.average)
        if number is not None
    ]
    known += [
        100 * one for clause in reason.clauses for one in (clause.chance, clause.rival_chance) if one is not None
    ]
    for told in re.findall(r"[\d.]*\d", re.sub(r"(eeping|hrowing) (the )?[\d ]+", "", text)):
        digits = len(told.partition(".")[2])
        assert any(abs(float(told) - one) <= 0.5 * 10**-digits + 1e-9 for one in known), (told, text)


def some_situations(table, step):
    """Situations of a reduced game, from everywhere."""
    rules, space = table.rules, table.space
    rows = np.argwhere(space.reachable).tolist()
    everything = [
        Situation.at(rules, roll, left, State(int(space.masks[row]), upper))
        for row, upper in rows
        if not rules.is_finished(int(space.masks[row]))
        for roll in range(len(rules.rolls))
        for left in range(rerolls_of(rules, State(int(space.masks[row]))) + 1)
    ]
    return everything[::step]


@pytest.mark.parametrize("rules", [*REDUCED_GAMES, *SPECIAL_GAMES], ids=lambda rules: rules.name)
@pytest.mark.parametrize("theta", [0.0, 0.1])
def test_reasons_are_true_in_every_kind_of_game(rules, theta):
    table = solve(rules, theta)
    parts = BoxParts(table, keep=False)
    for here in some_situations(table, 37):
        found = explain(parts, table.advise(here))
        assert_true(table, found)
        assert_true(table, found, found.advice[-1].action)


def test_reasons_of_chances_are_true(small_table):
    coach = Coach(small_table)
    advisor = GoalAdvisor(lambda rules: None)
    for here in some_situations(small_table, 61):
        for target in (10, 25, 40):
            aim = Aim(target=target)
            worth = advisor.worth(aim, small_table, here.state, here.upper)
            found = coach.explain(advisor.advise(aim, small_table, here, here.upper), worth)
            text = assert_true(small_table, found, found.advice[-1].action, worth)
            reason = found.reason(found.advice[-1].action)
            if reason.lead:
                assert reason.clauses[0].kind == "chance"
                assert text.startswith("That is a chance of")
            told = found.told()
            assert told[0].parts is None
            # On the way to the target, the mean of what boxes bring is at most the value.
            assert sum(told[0].points_by_box.values()) <= found.advice[0].value + 1e-9


def drawn(table, n, seed):
    """Situations of a decent player by exact weight, equally many with each number of rerolls left."""
    rules, player = table.rules, Boltzmann(table, 1.0)
    visits = visit(player).visits
    for left in range(rules.rerolls + 1):
        some = exact_situations(player, visits, left, n, seed)
        for filled, upper, roll in zip(some.filled, some.upper, some.roll_ids, strict=True):
            yield Situation.at(rules, int(roll), left, State(int(filled), int(upper)))


@pytest.mark.compiled
@pytest.mark.parametrize("theta", [0.0, 0.03])
def test_reasons_are_true_in_situations_by_exact_weight(theta, home):
    """With YATZY_COMPUTE=1 in more than 10,000 different ones, for the best action and for another one."""
    table, rng = solve("scandinavian", theta), np.random.default_rng(1)
    parts = BoxParts(table, keep=False)
    n = 0
    for here in drawn(solve("scandinavian"), 6000 if COMPUTE else 150, 1):
        found = explain(parts, table.advise(here))
        assert_true(table, found)
        assert_true(table, found, found.advice[int(rng.integers(len(found.advice)))].action)
        n += 1
    assert n > (10_000 if COMPUTE else 200)
    print(f"{n} situations")


def told_by(clauses, action, rival, lead=2.0, rules="scandinavian"):
    return sentence(solve(rules).rules, Reason(action, rival, lead, tuple(clauses)))


KEEP, OTHER, HOUSE, ONES = Keep((2, 2, 2)), Keep((4, 4)), Score("full house", 14), Score("ones", 1)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("clauses", "action", "rival", "text"),
    [
        (
            [Clause("leaves", 7.3, ("full house",), 14, 21.3)], KEEP, HOUSE,
            "Full House would be only 14 points now; left open, it brings 21 on average.",
        ),
        (
            [Clause("leaves", 4.0, ("full house",), 0, 4.0)], ONES, Score("full house", 0),
            "Crossing out Full House would give up the 4.0 points it still brings on average.",
        ),
        (
            [Clause("takes", 30.0, ("yatzy",), 50, 20.0), Clause("leaves", -2.0, ("ones",), 5, 3.0)],
            Score("yatzy", 50), ONES,
            "Yatzy is 50 points now; left open, it would bring only 20 on average, but Ones would be 5 points now "
            "and brings 3.0 on average later.",
        ),
        (
            [Clause("later", 2.0, ("yatzy",)), Clause("boxes", 1.0, ("twos", "fours"))], KEEP, OTHER,
            "Keeping 2 2 2 is better for Twos and Fours, and leaves more for Yatzy later.",
        ),
        (
            [Clause("spared", 2.0, ("full house", "yatzy"), chance=0.14, rival_chance=0.214)], KEEP, OTHER,
            "Keeping 4 4 would more often end with little or nothing in Full House or Yatzy: 21% instead of 14%.",
        ),
        (
            [Clause("spared", 2.0, ("yatzy",), chance=0.0, rival_chance=0.3)], ONES, OTHER,
            "Keeping 4 4 would end with little or nothing in Yatzy 30% of the time.",
        ),
        (
            [Clause("boxes", 2.0, ("twos",))], KEEP, Keep((2, 2, 2, 5)),
            "Throwing the 5 too gives one more try for Twos.",
        ),
        ([Clause("boxes", 2.0, ("twos",))], KEEP, Keep((2, 2)), "Keeping the 2 too helps Twos."),
        (
            [Clause("boxes", 0.3, ("twos",)), Clause("bonus", 0.5, ("twos",), chance=0.761, rival_chance=0.756)],
            KEEP, OTHER,
            "Keeping 2 2 2 is better for Twos. Every point in Twos counts for the bonus: 76.1% instead of 75.6%.",
        ),
        (
            [Clause("boxes", 3.0, ("yatzy",)), Clause("bonus", 1.2, ("twos",), chance=0.9, rival_chance=0.876)],
            KEEP, HOUSE,
            "Keeping 2 2 2 brings 3.0 more in Yatzy. "
            "More points in Twos make the bonus likelier: 90% instead of 88%.",
        ),
        (
            [Clause("bonus", 30.0, (), chance=1.0, rival_chance=0.4), Clause("takes", -1.0, ("ones",), 0, 1.0)],
            ONES, HOUSE, "The bonus is safe instead of 40% likely. Crossing out Ones gives up only 1.0 points.",
        ),
        (
            [Clause("bonus", 30.0, (), chance=0.6, rival_chance=0.0)], KEEP, HOUSE,
            "The bonus stays in reach (60%) instead of being lost.",
        ),
        (
            [Clause("bonus", 30.0, (), chance=0.6, rival_chance=0.002)], KEEP, HOUSE,
            "The bonus is likelier: 60.0% instead of 0.2%.",
        ),
        (
            [Clause("chance", 4.0, (), chance=0.54, rival_chance=0.5), Clause("boxes", 1.0, ("yatzy",))],
            KEEP, OTHER,
            "That is a chance of 54% instead of 50%. Keeping 2 2 2 is better for Yatzy.",
        ),
        (
            [Clause("daring", -1.5, ()), Clause("boxes", -1.0, ("yatzy",))], KEEP, OTHER,
            "This gives up 1.5 points on average for a higher score. Keeping 4 4 would be better for Yatzy.",
        ),
        ([], KEEP, OTHER, "Keeping 2 2 2 is as good as keeping 4 4."),
        ([], KEEP, None, "There is nothing else to do."),
    ],
)  # fmt: skip
def test_what_is_said(clauses, action, rival, text):
    assert told_by(clauses, action, rival) == text
    if rival and clauses and clauses[0].kind not in GOALS:
        assert told_by(clauses, action, rival, lead=0.3).startswith("By a hair: ")


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("clauses", "action", "rival", "text"),
    [
        (
            [Clause("boxes", 3.0, ("yatzy",)), Clause("spared", 2.0, ("twos",), chance=0.1, rival_chance=0.2)],
            KEEP, OTHER, "Keeping 4 4 would more often end with little or nothing in Twos: 20% instead of 10%.",
        ),
        (
            [Clause("bonus", 3.0, ("twos",), chance=0.9, rival_chance=0.8)], KEEP, OTHER,
            "The bonus would be likelier: 90% instead of 80%.",
        ),
        ([Clause("boxes", 3.0, ("yatzy",))], KEEP, OTHER, ""),
        ([Clause("takes", 3.0, ("ones",), 5, 2.0)], ONES, HOUSE, ""),
    ],
)  # fmt: skip
def test_a_warning_does_not_name_the_best(clauses, action, rival, text):
    assert warning(solve("scandinavian").rules, Reason(action, rival, 2.0, tuple(clauses))) == text


@pytest.mark.compiled
def test_the_best_is_compared_with_what_a_player_asks_about():
    table = solve("scandinavian")
    parts = BoxParts(table, keep=False)

    def rival(text):
        found = explain(parts, table.advise(Situation.parse(text)))
        return str(found.reason().rival)

    assert rival("2 2 2 4 4 | 2 | -@0") == "score full house", "a full box that tempts"
    assert rival("1 3 3 5 6 | 2 | -@0") == "keep 5 6", "else the second best"
    assert rival("1 1 2 3 6 | 0 | -@0") == "score chance", "the most points now"


@pytest.mark.compiled
def test_advice_says_why(home):
    plain = advise("2 2 2 4 4", rerolls=2)
    found = advise("2 2 2 4 4", rerolls=2, why=True)
    assert [one.action for one in found] == [one.action for one in plain]
    for one in found:
        assert sum(one.parts.values()) == pytest.approx(one.regret, abs=1e-9)
        assert list(one.parts) == list(part_names(found.rules))
        assert one.why
        assert one.points_by_box is None
    assert not any(found[0].parts.values())
    told = as_json(found)["actions"][1]
    assert told["parts"].keys() == found[1].parts.keys()
    assert "points_by_box" not in told
    risky = advise("2 2 2 4 4", rerolls=2, theta=0.05, why=True)
    assert all(one.parts is None and one.points_by_box for one in risky)


def test_only_open_boxes_have_parts(small_table):
    here = Situation.parse("1 1 2 | 1 | ones,run @ 2", small_table.rules)
    found = explain(BoxParts(small_table, keep=False), small_table.advise(here)).told()
    assert list(found[0].parts) == ["twos", "fours", BONUS]


def test_a_game_too_large_says_so(small_table, monkeypatch):
    monkeypatch.setattr("yatzy.measure.parts.MAX_NUMBERS", 10)
    here = Situation.parse("1 1 2 | 1 | -@0", small_table.rules)
    with pytest.raises(YatzyError, match="too many states"):
        Coach(small_table).explain(small_table.advise(here))
    assert state_space(small_table.rules).n_reachable > 10
