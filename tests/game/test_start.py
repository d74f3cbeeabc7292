"""A game that is taken over from paper: which cards are possible, its log, and what a review makes of it."""

from dataclasses import replace
from itertools import combinations, product

import pytest

from yatzy import YatzyError, solve
from yatzy.coach.review import review
from yatzy.game.dice import SeededDice
from yatzy.game.game import Game, SavedGame, read_saved, write_saved
from yatzy.game.json import as_json
from yatzy.game.log import GameLog, TurnLog, after_turn, open_boxes, parse_log
from yatzy.game.start import Start, state_of, totals
from yatzy.measure.simulate import play_logs, play_on
from yatzy.policies.baselines import Heuristic, Random
from yatzy.rules import Category, Ruleset, State, format_category, ruleset
from yatzy.rules.jokers import Jokers
from yatzy.sealed import seal
from yatzy.site.golden import taken_over
from yatzy.turn.outcomes import outcomes


def small_game(**rules):
    """Two dice of two faces, four boxes."""
    return Ruleset(
        "small", dice=2, faces=2, rerolls=1, bonus_threshold=4, bonus=10,
        categories=(
            Category("Ones", lambda counts: counts[0], upper=True),
            Category("Twos", lambda counts: 2 * counts[1], upper=True),
            Category("Mixed", lambda counts: 7 if all(counts) else 0),
            Category("Alike", lambda counts: 50 if max(counts) == 2 else 0),
        ),
        **rules,
    )  # fmt: skip


SMALL = {
    "plain": small_game(),
    "forced order": small_game(forced_order=True),
    "saved throws": small_game(saves_throws=True),
    **{
        joker: small_game(special=Jokers(box=3, extra=5, joker=joker, lower=() if joker == "none" else ((2, 7),)))
        for joker in ("forced", "free", "second", "none")
    },
    "no extra": small_game(special=Jokers(box=3, joker="forced", lower=((2, 7),))),
}


def all_cards(rules):
    """Every card that some game leads to, with its state: all dice, in all orders."""
    ends = outcomes(rules)
    found, new = set(), {(State(), frozenset(), 0)}
    while new:
        found |= new
        before, new = new, set()
        for state, boxes, extra in before:
            for roll in rules.rolls:
                for box, end in open_boxes(rules, state, roll).items():
                    for throws in range(1, rules.rerolls + state.saved(rules) + 2):
                        rolls, keeps = (roll,) * throws, (roll,) * (throws - 1)
                        after, _ = after_turn(rules, state, TurnLog(rolls, keeps, format_category(rules, box)))
                        beside = int(ends.extra[end])
                        written = int(ends.points[end]) - beside
                        new.add((after, boxes | {(format_category(rules, box), written)}, extra + beside))
    return found


@pytest.mark.parametrize("rules", SMALL.values(), ids=SMALL)
def test_possible_are_the_cards_that_games_lead_to(rules):
    """Of all cards with totals, extra points and saved throws, and with the right state."""
    real = {(boxes, extra, state.saved(rules)): state for state, boxes, extra in all_cards(rules)}
    names = [format_category(rules, c) for c in range(rules.n_categories)]
    for n in range(len(names) + 1):
        for filled in combinations(range(len(names)), n):
            for points in product(*(totals(rules, c) for c in filled)):
                boxes = {names[c]: one for c, one in zip(filled, points, strict=True)}
                for extra, saved in product((0, 5, 10, 15), range(5)):
                    start = Start(boxes, extra, saved)
                    wanted = real.get((frozenset(boxes.items()), extra, saved))
                    if wanted is None:
                        with pytest.raises(YatzyError):
                            state_of(rules, start)
                    else:
                        assert state_of(rules, start) == wanted, start


def test_totals_are_those_that_dice_bring():
    rules = ruleset("scandinavian")
    assert totals(rules, 2) == [0, 3, 6, 9, 12, 15]
    assert totals(rules, 13) == list(range(5, 31))
    assert totals(ruleset("yahtzee"), 8) == [0, 25]


SEVEN = {"ones": 3, "twos": 6, "fives": 15, "one pair": 12, "chance": 22, "yatzy": 0, "large straight": 20}


@pytest.mark.parametrize(
    ("rules", "start", "message"),
    [
        ("scandinavian", {"boxes": {"threes": 7}}, "start.boxes.threes: 7 is not allowed; allowed are 0, 3, 6, 9"),
        ("scandinavian", {"boxes": {"chance": 0}}, "start.boxes.chance: 0"),
        ("scandinavian", {"boxes": {"fourths": 8}}, "start.category: 'fourths' is not known"),
        ("scandinavian", {"boxes": {"ones": 3, "1s": 3}}, "start.boxes: '1s' is named twice"),
        ("scandinavian", {"boxes": {"ones": -1}}, "start.boxes.ones: -1"),
        ("scandinavian", {"boxes": {"ones": "3"}}, "start.boxes.ones: '3' is not a whole number"),
        ("scandinavian", {"boxes": [3]}, "start.boxes: [3] is not an object"),
        ("scandinavian", {}, "start.boxes: is missing"),
        ("scandinavian", {"boxes": {}, "dice": [1]}, "start.dice: 'dice' is not known"),
        ("scandinavian", {"boxes": SEVEN, "extra": 100}, "start.extra: 100 cannot stand beside these boxes"),
        ("scandinavian", {"boxes": SEVEN, "saved": 1}, "start.saved: 1"),
        ("scandinavian", {"boxes": SEVEN, "rerolls": 3}, "start.rerolls: 3"),
        ("scandinavian+forced-order", {"boxes": {"ones": 3, "threes": 9}}, "start.boxes: are filled from top"),
        ("scandinavian+saved-throws", {"boxes": SEVEN, "saved": 15}, "start.saved: 15"),
        ("yahtzee", {"boxes": {"yahtzee": 0, "ones": 5}, "extra": 100}, "start.extra: 100"),
        ("yahtzee", {"boxes": {"yahtzee": 50, "ones": 3}, "extra": 100}, "start.extra: 100"),
        ("yahtzee", {"boxes": {"yahtzee": 50, "ones": 5}, "extra": 200}, "start.extra: 200"),
    ],
)
def test_what_is_impossible_is_named(rules, start, message):
    log = {"format": "yatzy-game", "version": 1, "rules": rules, "start": start, "turns": []}
    with pytest.raises(YatzyError) as refused:
        parse_log(log)
    assert str(refused.value).startswith(message)


def test_flags_and_saved_throws_are_in_the_state():
    yahtzee = ruleset("yahtzee")
    boxes = {"yahtzee": 50, "fives": 25, "full house": 25}
    for extra in (0, 100):
        state = state_of(yahtzee, Start(boxes, extra))
        assert (state.filled & yahtzee.flag_of(11) > 0, state.upper) == (True, 25)
    assert not state_of(yahtzee, Start(boxes | {"yahtzee": 0})).filled & yahtzee.flag_of(11)
    saving = ruleset("scandinavian+saved-throws")
    assert state_of(saving, Start(SEVEN, saved=14)).saved(saving) == 14


def test_its_log_is_read_back_and_others_stay_as_they_were():
    game = Game.at(SEVEN, seed=3, rerolls=1).throw("3 3 3 5 6")
    assert (game.rerolls, game.turn, game.total, game.state.upper) == (1, 8, 78, 24)
    game = game.hold("3 3 3").throw("3 1").score("threes").throw()
    assert game.card["threes"] == 12
    assert game.card["ones"] == 3
    told = as_json(game.log("Ada"))
    assert told["start"] == {"boxes": SEVEN, "rerolls": 1}
    assert as_json(parse_log(seal(told))) == told
    assert "start" not in as_json(Game(seed=3).throw().score("chance").log())
    assert len({game.log("Ada"), parse_log(told)}) == 1


def test_a_full_card_ends_the_game():
    log = GameLog(ruleset("yacht"), (), start=Start({"ones": 1}))
    assert play_on(Game.from_log(log), Random(log.rules)).is_finished
    all_but_one = {format_category(log.rules, c): totals(log.rules, c)[0] for c in range(11)}
    turn = TurnLog(((1, 2, 3, 4, 6),), (), "yacht")
    with pytest.raises(YatzyError, match=r"turns: has 2 entries; allowed is 0\.\.1"):
        _ = GameLog(log.rules, (turn, turn), start=Start(all_but_one)).states


def test_saved_games_of_different_starts_are_one_table(tmp_path):
    """Whose turn it is depends on filled boxes, not on turns."""
    first = Game.at(SEVEN, seed=1).throw().score("sixes")
    second = Game.at(SEVEN | {"yatzy": 50}, seed=2)
    path = write_saved(SavedGame((first, second)), tmp_path / "table.json")
    assert [game.turn for game in read_saved(path).games] == [9, 8]
    third = Game.at({"ones": 1}, seed=2)
    write_saved(SavedGame((first, third)), path)
    with pytest.raises(YatzyError, match="were not played at one table"):
        read_saved(path)


@pytest.mark.parametrize("joker", ["forced", "second", "saved throws", "plain"])
@pytest.mark.parametrize("throws", [0, 1, 2])
def test_a_review_judges_what_came_after_as_before(joker, throws):
    """The same decisions with the same losses and luck, but for the dice on the table, which are no luck."""
    rules = SMALL[joker]
    table = solve(rules)
    for whole in play_logs(Random(rules), 12, seed=5):
        full = review(whole, table)
        for number in range(rules.n_categories):
            log = taken_over(whole, number, throws)
            found = review(parse_log(as_json(log), rules), table)
            n = len(found.decisions)
            before = full.decisions[-n]
            given = log.begins_with_dice
            assert [one.turn for one in found.decisions] == [one.turn for one in full.decisions[-n:]]
            assert [one.regret for one in found.decisions] == [one.regret for one in full.decisions[-n:]]
            luck = [one.luck for one in full.decisions[-n:]]
            assert [one.luck for one in found.decisions] == pytest.approx([0.0, *luck[1:]] if given else luck)
            assert found.start_value == pytest.approx(before.expected + (before.luck if given else 0))
            assert found.start_value + found.luck - found.lost == pytest.approx(whole.score)
            assert found.turns[0].turn == number + 1
            assert [one.points for one in found.turns] == list(whole.points[number:])


def test_perfect_play_from_a_start_replays_as_itself():
    """The dice beyond the log are those of the same turns of the seed."""
    rules = SMALL["saved throws"]
    table = solve(rules)
    from yatzy.policies.optimal import Optimal

    for seed in range(6):
        begun = Game.at({"ones": 1, "mixed": 7}, rules, saved=2, dice=SeededDice(rules, seed))
        log = play_on(begun, Optimal(table)).log()
        assert review(log, table).replay.log.turns == log.turns
        without = replace(log, turns=())
        assert review(without, table).start_value == pytest.approx(8 + table.value(log.states[0].filled, 1))


def test_heuristic_play_goes_on_from_paper():
    game = play_on(Game.at(SEVEN, seed=7), Heuristic(ruleset("scandinavian")))
    assert game.is_finished
    assert game.total == 78 + sum(game.points) + game.so_far.bonus


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("scandinavian", "ones 3, one pair 10, yatzy 0, rerolls 0"),
        ("yahtzee", "yahtzee 50, sixes 30, extra 100"),
        ("scandinavian+saved-throws", "chance 22, saved 2, rerolls 4"),
        ("scandinavian", "-"),
    ],
)
def test_a_start_is_written_as_text(name, text):
    rules = ruleset(name)
    start = Start.parse(text, rules)
    assert str(start) == text
    assert Start.parse(str(start), rules) == start
    assert parse_log(as_json(GameLog(rules, (), start=start))).start == start


def test_a_text_is_read_by_any_name_of_a_box():
    start = Start.parse(" Pair 10,ONES 3 ", ruleset("scandinavian"))
    assert start == Start({"one pair": 10, "ones": 3})


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("ones", "'ones' is not of the form"),
        ("ones -3", "not of the form"),
        ("ones 3, ones 2", "named twice"),
        ("pair 10, one pair 12", "named twice"),
        ("sevens 7", "is not known"),
        ("fives 12", "start.boxes.fives: 12 is not allowed; allowed are 0, 5, 10, 15, 20, 25"),
        ("fives 10, extra 100", "start.extra: 100 cannot stand beside these boxes"),
    ],
)
def test_a_text_that_is_no_card_is_refused(text, why):
    with pytest.raises(YatzyError, match=why):
        Start.parse(text, ruleset("scandinavian"))
