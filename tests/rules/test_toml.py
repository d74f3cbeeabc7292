"""Rules from a file: what is written is played, and what is wrong is told in one sentence that names its key."""

import json
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from yatzy import YatzyError, solve
from yatzy.context import Context
from yatzy.measure.simulate import simulate
from yatzy.policies.optimal import Optimal
from yatzy.rules import GAMES, Ruleset, ruleset, scoring, stored_name
from yatzy.rules.jokers import Jokers
from yatzy.rules.toml import EXAMPLES, MAX_BYTES, parse_rules, read_rules
from yatzy.solver.store import stored_table
from yatzy.solver.table import ValueTable, table_path

FAMILY, LITTLE = EXAMPLES / "family.toml", EXAMPLES / "little-yahtzee.toml"

# What each box of the catalogue's games is in a file, by game and name.
ALIKE = {
    "One Pair": 'score = "pairs"\nn = 1',
    "Two Pairs": 'score = "pairs"\nn = 2',
    "Three Pairs": 'score = "pairs"\nn = 3',
    "Three of a Kind": 'score = "of a kind"\nn = 3',
    "Four of a Kind": 'score = "of a kind"\nn = 4',
    "Five of a Kind": 'score = "of a kind"\nn = 5',
    "Small Straight": 'score = "straight"\nfirst = 1\nlast = 5\npoints = 15',
    "Large Straight": 'score = "straight"\nfirst = 2\nlast = 6\npoints = 20',
    "Full Straight": 'score = "straight"\nfirst = 1\nlast = 6\npoints = 21',
    "Full House": 'score = "house"\nlarge = 3\nsmall = 2',
    "Villa": 'score = "house"\nlarge = 3\nsmall = 3',
    "Tower": 'score = "house"\nlarge = 4\nsmall = 2',
    "Chance": 'score = "total"',
    "Yatzy": 'score = "all equal"\npoints = 50',
}
THIRTEEN = {
    **ALIKE,
    "Three of a Kind": 'score = "of a kind"\nn = 3\ntotal = true',
    "Four of a Kind": 'score = "of a kind"\nn = 4\ntotal = true',
    "Full House": 'score = "house"\nlarge = 3\nsmall = 2\npoints = 25',
    "Small Straight": 'score = "run"\nn = 4\npoints = 30',
    "Large Straight": 'score = "run"\nn = 5\npoints = 40',
    "Yahtzee": 'score = "all equal"\npoints = 50',
    "Kniffel": 'score = "all equal"\npoints = 50',
}
YACHT = {
    **ALIKE,
    "Little Straight": 'score = "straight"\nfirst = 1\nlast = 5\npoints = 30',
    "Big Straight": 'score = "straight"\nfirst = 2\nlast = 6\npoints = 30',
    "Choice": 'score = "total"',
    "Yacht": 'score = "all equal"\npoints = 50',
}
SCORES = {
    "scandinavian": ALIKE,
    "maxi": {**ALIKE, "Maxi Yatzy": 'score = "all equal"\npoints = 100'},
    "yahtzee": THIRTEEN,
    "kniffel": THIRTEEN,
    "yacht": YACHT,
}


def as_toml(rules: Ruleset) -> str:
    """A game of the catalogue as a file, under another name."""
    base, *switches = rules.name.split("+")
    lines = [
        f'name = "my {base}"', f"dice = {rules.dice}", f"faces = {rules.faces}", f"throws = {rules.rerolls + 1}",
        f"saved-throws = {str(rules.saves_throws).lower()}", f"forced-order = {str(rules.forced_order).lower()}",
    ]  # fmt: skip
    if rules.bonus:
        lines.append(f"bonus = {{ threshold = {rules.bonus_threshold}, points = {rules.bonus} }}")
    if isinstance(rules.special, Jokers):
        special, names = rules.special, [c.name for c in rules.categories]
        lines += [
            "[jokers]",
            f'box = "{names[special.box]}"',
            f"extra = {special.extra}",
            f'joker = "{special.joker}"',
        ]
        if special.lower:
            lines += ["[jokers.points]", *(f'"{names[c]}" = {points}' for c, points in special.lower)]
    for number, category in enumerate(rules.categories, start=1):
        score = f'score = "sum of face"\nface = {number}' if category.upper else SCORES[base][category.name]
        if category.name == "Full House" and "five-as-full-house" in switches:
            score += '\nor = { score = "of a kind", n = 5 }'
        if category.name == "Two Pairs" and "four-as-two-pairs" in switches:
            score += '\nor = { score = "of a kind", n = 4 }'
        lines += ["[[box]]", f'name = "{category.name}"', score, f"upper = {str(category.upper).lower()}"]
        lines.append(f"aliases = {json.dumps(category.aliases)}")
    return "\n".join(lines)


@st.composite
def catalogue_games(draw):
    name = draw(st.sampled_from(list(GAMES)))
    switches = [switch for switch in GAMES[name].switches if draw(st.booleans())]
    if {"free-joker", "no-joker"} <= set(switches):
        switches.remove("free-joker")
    return ruleset("+".join([name, *switches]))


@settings(max_examples=40, deadline=None)
@given(catalogue_games())
def test_every_game_of_the_catalogue_can_be_written_as_a_file(rules):
    read = parse_rules(as_toml(rules))
    assert read.fingerprint == rules.fingerprint
    assert read == rules
    assert read.name == f"my {rules.name.partition('+')[0]}"
    assert [c.aliases for c in read.categories] == [c.aliases for c in rules.categories]


def test_the_family_example_is_what_it_says():
    rules = read_rules(FAMILY)
    assert (rules.name, rules.dice, rules.faces, rules.rerolls) == ("family-yatzy", 4, 6, 2)
    assert (rules.bonus_threshold, rules.bonus, rules.upper_ids) == (24, 20, (0, 1, 2))
    assert rules.saves_throws
    assert not rules.forced_order
    points = dict(zip(rules.rolls, rules.scores, strict=True))
    assert points[4, 4, 5, 6] == (8, 5, 6, 0, 0, 0, 19, 0)
    assert points[2, 2, 6, 6] == (0, 0, 12, 16, 0, 0, 16, 0)
    assert points[5, 5, 5, 5] == (0, 20, 0, 20, 20, 0, 20, 40)
    assert points[1, 4, 4, 4] == (12, 0, 0, 0, 13, 0, 13, 0)
    assert points[2, 3, 4, 5] == (4, 5, 0, 0, 0, 25, 14, 0)


def test_the_example_with_jokers_is_what_it_says():
    rules = read_rules(LITTLE)
    assert (rules.name, rules.dice, rules.n_categories) == ("little-yahtzee", 3, 9)
    assert rules.special == Jokers(box=7, extra=30, joker="forced", lower=((6, 20),))
    assert rules.flagged == (7,)


@pytest.mark.compiled
@pytest.mark.parametrize(
    ("example", "value"), [(FAMILY, 147.97644), (LITTLE, 142.09239)], ids=["family", "little"]
)
def test_the_examples_are_solved_and_games_agree(example, value):
    table = solve(str(example))
    assert table.value() == pytest.approx(value, abs=1e-5)
    games = simulate(Optimal(table), 20_000, seed=1)
    assert abs(games.mean - table.value()) < 4 * games.standard_error


def test_the_table_of_a_file_is_stored_and_found_again(tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(GOOD)
    table = stored_table(str(file), context=Context(tmp_path))
    path = table_path(table.rules, 0.0, "float64", tmp_path)
    assert path.exists()
    assert path.name == f"small-game-{table.rules.fingerprint}-theta0.0-float64.safetensors"
    assert ValueTable.load(path, str(file)).value() == table.value()


def test_two_rulesets_of_one_name_do_not_overwrite_each_other():
    one, other = parse_rules(GOOD), parse_rules(GOOD.replace("throws = 2", "throws = 3"))
    assert one.name == other.name
    assert table_path(one, 0.0, "float64") != table_path(other, 0.0, "float64")


@pytest.mark.parametrize(
    "name", ["../../etc/passwd", "/x", "a\\b", "c:d", "con", ".", "..", "ä ö", "🎲", "", "x" * 500]
)
def test_whatever_a_ruleset_is_called_its_file_name_is_tame(name, tmp_path):
    rules = replace(parse_rules(GOOD), name=name)
    path = table_path(rules, 0.0, "float64", tmp_path)
    assert path.parent == tmp_path / "tables"
    assert stored_name(rules).replace("-", "").isalnum()
    assert stored_name(rules).isascii()
    assert len(path.name) < 120


def test_a_ruleset_that_only_calls_itself_scandinavian_has_files_of_its_own():
    rules = replace(parse_rules(GOOD), name="scandinavian")
    assert stored_name(rules) == f"scandinavian-{rules.fingerprint}"
    assert stored_name(ruleset("scandinavian+forced-order")) == "scandinavian+forced-order"


GOOD = """
name = "Small game"
dice = 3
faces = 4
throws = 2
bonus = { threshold = 6, points = 5 }

[[box]]
name = "Ones"
score = "sum of face"
face = 1
upper = true

[[box]]
name = "Twos"
score = "sum of face"
face = 2
upper = true

[[box]]
name = "Row"
aliases = ["run"]
score = "run"
n = 3
points = 9
"""
EVERY_FACE = """
[[box]]
name = "Threes"
score = "sum of face"
face = 3
upper = true

[[box]]
name = "Fours"
score = "sum of face"
face = 4
upper = true

[[box]]
name = "Alike"
score = "all equal"
points = 20

[[box]]
name = "Chance"
score = "total"
"""
JOKERS = '\n[jokers]\nbox = "Alike"\nextra = 10\njoker = "free"\npoints = { Row = 9 }\n'
WITH_JOKERS = GOOD + EVERY_FACE + JOKERS
ALIKE_ONLY = WITH_JOKERS.replace("points = { Row = 9 }\n", "")


def swap(old: str, new: str, text: str = GOOD) -> str:
    assert old in text
    return text.replace(old, new, 1)


WRONG = [
    ("", "name: is missing"),
    ("name = 3", "name: 3 is not allowed"),
    (swap('"Small game"', '""'), "name: '' is not allowed"),
    (swap('"Small game"', '" x "'), "name: ' x ' is not allowed"),
    (swap('"Small game"', '"a\\u0007b"'), r"name: 'a\\x07b' is not allowed"),
    (swap('"Small game"', '"***"'), r"name: '\*\*\*' is not allowed"),
    (swap('"Small game"', f'"{"x" * 41}"'), "name: 'x+' is not allowed; allowed is a text of 1 to 40"),
    (swap('"Small game"', '"Yahtzee"'), "name: 'Yahtzee' is taken by the catalogue"),
    (swap('"Small game"', '"maxi+mine"'), r"name: 'maxi\+mine' is taken by the catalogue"),
    (swap('"Small game"', '"mine.toml"'), "name: 'mine.toml' is not allowed"),
    (swap("dice = 3", ""), r"dice: is missing; allowed is a whole number, 1\.\.12"),
    (swap("dice = 3", "dice = 0"), r"dice: 0 is not allowed; allowed is a whole number, 1\.\.12"),
    (swap("dice = 3", "dice = 3.0"), "dice: 3.0 is not allowed"),
    (swap("dice = 3", "dice = true"), "dice: True is not allowed"),
    (swap("dice = 3", 'dice = "3"'), "dice: '3' is not allowed"),
    (swap("dice = 3\nfaces = 4", "dice = 12\nfaces = 20"), "dice: 12 with 20 faces are too many"),
    (swap("faces = 4", "faces = 0"), r"faces: 0 is not allowed; allowed is a whole number, 1\.\.20"),
    (swap("throws = 2", "throws = 0"), r"throws: 0 is not allowed; allowed is a whole number, 1\.\.10"),
    (swap("throws", "rerolls"), "'rerolls' is not a key here"),
    (swap("throws", "trows"), "'trows' is not a key here; .*did you mean 'throws'"),
    (swap("throws = 2", 'throws = 2\nsaved-throws = "yes"'), "saved-throws: 'yes' is not allowed"),
    (swap("throws = 2", "throws = 2\nforced-order = 1"), "forced-order: 1 is not allowed"),
    (GOOD[: GOOD.index("[[box]]")], r"box: is missing; allowed is a list of 1\.\.24 boxes"),
    (GOOD[: GOOD.index("[[box]]")] + "box = 5", "box: 5 is not allowed"),
    (GOOD[: GOOD.index("[[box]]")] + "box = []", r"box: 0 boxes are not allowed; allowed is 1\.\.24"),
    (GOOD + "".join(f'[[box]]\nname = "b{i}"\nscore = "total"\n' for i in range(22)), "box: 25 boxes are"),
    (GOOD + '[[box]]\nscore = "total"', "box 4: name: is missing"),
    (swap('name = "Row"', "name = 7"), "box 3: name: 7 is not allowed"),
    (swap('name = "Row"', 'name = "a,b"'), r'box 3 \("a,b"\): name: \'a,b\' is not allowed'),
    (swap('name = "Row"', 'name = "Row*"'), r"name: 'Row\*' is not allowed"),
    (swap('name = "Row"', 'name = "None"'), "name: 'None' is not allowed"),
    (swap('name = "Row"', 'name = "o n e s"'), r'name: \'o n e s\' is already used by \'Ones\''),
    (swap('["run"]', '["TWOS"]'), r'box 3 \("Row"\): aliases: \'TWOS\' is already used by \'Twos\''),
    (swap('["run"]', '"run"'), "aliases: 'run' is not allowed; allowed is a list of texts"),
    (swap("upper = true", 'upper = "no"'), r'box 1 \("Ones"\): upper: \'no\' is not allowed'),
    (swap('score = "run"', ""), "score: is missing; allowed are sum of face, total, pairs"),
    (swap('score = "run"', "score = 3"), "score: 3 is not known"),
    (swap('score = "run"', 'score = "runs"'), r'box 3 \("Row"\): score: \'runs\' is not known.*mean \'run\''),
    (swap('score = "run"', 'score = "total"'), "'n' is not a key here"),
    (swap("face = 1", "face = 5"), r"face: 5 is not allowed; allowed is a whole number, 1\.\.4"),
    (swap("n = 3", ""), r"n: is missing; allowed is a whole number, 2\.\.3"),
    (swap("n = 3", "n = 4"), r"n: 4 is not allowed; allowed is a whole number, 2\.\.3"),
    (swap("points = 9", ""), r"points: is missing; allowed is a whole number, 1\.\.500"),
    (swap("points = 9", "points = -1"), "points: -1 is not allowed"),
    (swap("points = 9", "points = 501"), "points: 501 is not allowed"),
    (swap("points = 9", "points = 9\ntotal = true"), "total: cannot go with points"),
    (swap("points = 9", "points = 9\nlast = 3"), "'last' is not a key here"),
    (swap("points = 9", "points = 9\nor = 4"), "or: 4 is not allowed; allowed is a table of keys"),
    (swap("points = 9", "points = 9\nor = {}"), "or: score: is missing"),
    (swap("points = 9", 'points = 9\nor = { score = "pairs", n = 2 }'), "or: n: 2 is not allowed; allowed is 1"),
    (swap("points = 9", 'points = 9\nor = { score = "total", or = {} }'), "or: 'or' is not a key here"),
    (swap('"run"\nn = 3', '"house"\nlarge = 3\nsmall = 1'), r"large: 3 is not allowed; .* 1\.\.2"),
    (swap('"run"\nn = 3', '"house"\nlarge = 2\nsmall = 2'), "small: 2 is not allowed; allowed is 1"),
    (swap('"run"\nn = 3', '"straight"\nfirst = 1\nlast = 4'), r"last: 4 is not allowed; .* 2\.\.3"),
    (swap("threshold = 6", "threshold = 10"), r"bonus: threshold: 10 is not allowed; .* 1\.\.9"),
    (swap("points = 5", "points = 0"), "bonus: points: 0 is not allowed"),
    (swap("points = 5", "point = 5"), "bonus: 'point' is not a key here; .*did you mean 'points'"),
    (swap("{ threshold = 6, points = 5 }", "50"), "bonus: 50 is not allowed; allowed is a table of keys"),
    (GOOD.replace("upper = true", ""), "bonus: threshold: no box counts towards it"),
    (GOOD + JOKERS.replace("Alike", "Row"), "jokers: joker: needs an upper box for each face, 1 to 4"),
    (swap("throws = 2", "throws = 2\nforced-order = true", WITH_JOKERS), "jokers: cannot go with a forced order"),
    (swap('"free"', '"wild"', WITH_JOKERS), "jokers: joker: 'wild' is not known.*forced, free, second, none"),
    (swap('joker = "free"', "", WITH_JOKERS), "jokers: joker: is missing"),
    (swap("extra = 10", "extra = -5", WITH_JOKERS), r"jokers: extra: -5 is not allowed; .* 0\.\.500"),
    (swap('box = "Alike"', 'box = "Alik"', WITH_JOKERS), "jokers: box: 'Alik' is not known.*mean 'Alike'"),
    (swap('box = "Alike"', 'box = "Chance"', WITH_JOKERS), "jokers: box: 'Chance' is not allowed"),
    (swap("{ Row = 9 }", "{ Ones = 9 }", WITH_JOKERS), "jokers: points: 'Ones' is not a key here; allowed are"),
    (swap("{ Row = 9 }", '{ Row = "9" }', WITH_JOKERS), "jokers: points: Row: '9' is not allowed"),
    (swap("{ Row = 9 }", "9", WITH_JOKERS), "jokers: points: 9 is not allowed"),
    (swap('extra = 10\njoker = "free"', 'extra = 0\njoker = "none"', ALIKE_ONLY), "extra: 0 is not allowed"),
    (swap('"free"', '"none"', WITH_JOKERS), "jokers: points: cannot go with joker 'none'"),
    (swap("[jokers]", "[joker]", WITH_JOKERS), "'joker' is not a key here; .*did you mean 'jokers'"),
    ("dice = ", "is not TOML"),
    ("dice = 3\ndice = 4", "is not TOML"),
    ("x = " + "[" * 5000, "is not TOML"),
    (".".join(["a"] * 20_000) + " = 1", "has a line with more than 50 dots"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "sentence"), WRONG, ids=[sentence for _, sentence in WRONG])
def test_what_is_wrong_is_named_in_one_sentence(text, sentence, tmp_path):
    file = tmp_path / "mine.toml"
    file.write_text(text)
    with pytest.raises(YatzyError, match=rf"^{file}: .*{sentence}") as error:
        ruleset(str(file))
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 400


def test_the_good_files_that_the_wrong_ones_are_made_from_are_good():
    assert parse_rules(GOOD).n_categories == 3
    assert parse_rules(WITH_JOKERS).special == Jokers(box=5, extra=10, joker="free", lower=((2, 9),))
    assert parse_rules(swap("{ Row = 9 }", "{}", WITH_JOKERS)).special == Jokers(box=5, extra=10, joker="free")
    assert parse_rules(GOOD.replace("\n", "\r\n")) == parse_rules(GOOD)


def test_a_game_that_no_computer_holds_is_refused():
    boxes = "".join(f'[[box]]\nname = "b{i}"\nscore = "total"\nupper = true\n' for i in range(24))
    head = 'name = "big"\ndice = 5\nfaces = 6\nthrows = 3\nbonus = { threshold = 700, points = 5 }\n'
    with pytest.raises(
        YatzyError, match=r"^big.toml: box: 24 boxes need a table of .* values; allowed is at most 2,000,000,000"
    ):
        parse_rules(head + boxes, "big.toml")


@pytest.mark.parametrize(
    ("content", "sentence"),
    [
        (None, "there is no file FILE; allowed is a game's name"),
        (b"\xff", "FILE is not text in UTF-8"),
        (b"#" * (MAX_BYTES + 1), "FILE is too large; allowed is at most 100,000 bytes"),
    ],
    ids=["missing", "binary", "large"],
)  # fmt: skip
def test_a_file_that_cannot_be_read_is_told(content, sentence, tmp_path):
    file = tmp_path / "mine.toml"
    if content is not None:
        file.write_bytes(content)
    with pytest.raises(YatzyError, match=f"^rules: {sentence.replace('FILE', str(file))}"):
        ruleset(str(file))


def test_a_folder_is_not_a_file(tmp_path):
    (tmp_path / "mine.toml").mkdir()
    with pytest.raises(YatzyError, match=r"mine.toml is a folder; allowed is a file"):
        ruleset(str(tmp_path / "mine.toml"))


@given(st.text())
def test_any_text_is_read_or_told_of(text):
    with pytest.raises(YatzyError, match=r"^rules: "):
        parse_rules(text)


@pytest.mark.parametrize(
    ("keys", "score"),
    [
        ('score = "sum of face"\nface = 3', scoring.of_face(3)),
        ('score = "pairs"\nn = 1\npoints = 7', scoring.fixed(7, scoring.pairs(1))),
        ('score = "pairs"\nn = 2\ntotal = true', scoring.total_if(scoring.pairs(2))),
        ('score = "of a kind"\nn = 4', scoring.of_a_kind(4)),
        ('score = "house"\nlarge = 2\nsmall = 1\npoints = 3', scoring.fixed(3, scoring.groups(2, 1))),
        ('score = "straight"\nfirst = 2\nlast = 4\ntotal = true', scoring.total_if(scoring.straight(2, 4, 1))),
        ('score = "run"\nn = 3\npoints = 12', scoring.run_of(3, 12)),
        ('score = "all equal"\ntotal = true', scoring.total_if(scoring.all_equal(1))),
        ('score = "pairs"\nn = 2\nor = { score = "of a kind", n = 4 }', scoring.two_pairs_or_four),
        ('score = "house"\nlarge = 3\nsmall = 2\nor = { score = "of a kind", n = 5 }', scoring.full_house_or_five),
    ],
)
def test_every_way_of_scoring(keys, score):
    text = f'name = "one"\ndice = 5\nfaces = 6\nthrows = 1\n[[box]]\nname = "Box"\n{keys}\n'
    rules = parse_rules(text)
    counts = [[roll.count(face) for face in range(1, 7)] for roll in rules.rolls]
    assert [row[0] for row in rules.scores] == [score(c) for c in counts]
