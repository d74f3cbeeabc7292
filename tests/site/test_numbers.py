"""No number is typed by hand: what the check refuses, what it lets pass, and how numbers are written."""

import pytest

from yatzy.errors import YatzyError
from yatzy.site import numbers
from yatzy.site.numbers import allowed_numbers, check_numbers


@pytest.mark.parametrize(
    "text",
    [
        "Perfect play brings 248 points.",
        "It takes 2.5 seconds.",
        "In 90% of games.",
        "The best of seventy-two.",
        "Some 2,097,152 slots.",
        "About ½ of it.",
        "Two million games.",
        "::: math\n$x = 248.4$\n:::",
        "$$n = 2{,}097{,}152$$",
        '::: figure chart-x results="a" height="1 2"\n### 38 points of luck\nSee.\n:::',
        '::: figure chart-x results="a" height="1 2"\n### Luck\nA caption with 38 in it.\n:::',
        "| a | b |\n| - | - |\n| 7 | x |",
        "{{ r.distribution.mean }} is not 248",
    ],
)
def test_a_number_typed_by_hand_is_refused(text):
    with pytest.raises(YatzyError, match="typed by hand"):
        check_numbers("chapter.md", text)


@pytest.mark.parametrize(
    "text",
    [
        "One of five dice, two of fifteen boxes.",
        "There are 15 categories and a 50-point bonus at 63 points.",
        "Exactly 63 or more.",
        "{{ r.distribution.mean | points(1) }} points, {% if 2 > 1 %}x{% endif %}",
        "Hold :dice[1 3* 3* 5 6].",
        "Run `yatzy solve --theta 0.05`.",
        "```bash\nyatzy simulate --games 1000000\n```",
        "See [the table](data/x2.json) and [[state space|the states]].",
        '::: figure chart-x2 results="a1" height="400 500"\n### Luck\nSee.\n:::',
        "$$V = \\tfrac{1}{6} \\sum_{f=1}^{6} x_f^{2}, \\quad u \\ge 63$$",
        "---\ntitle: Chapter 3\nsummary: x\n---\nText.",
    ],
)
def test_what_is_no_result_may_stand(text):
    check_numbers("chapter.md", text)


def test_the_refusal_names_file_line_and_number():
    with pytest.raises(YatzyError, match=r"risk\.md, line 3: '38\.5' is typed by hand; allowed is"):
        check_numbers("risk.md", "Luck.\n\nIt moves scores by 38.5 points.\n")


def test_an_allowed_phrase_does_not_cover_a_longer_number():
    with pytest.raises(YatzyError, match="typed by hand"):
        check_numbers("x.md", "It has 163 points.")
    with pytest.raises(YatzyError, match="typed by hand"):
        check_numbers("x.md", "It has 15 pairs.")


def test_every_allowed_number_has_a_reason():
    assert all(reason.strip() for kind in allowed_numbers().values() for reason in kind.values())


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        (numbers.points(248.43998937), "248.4"),
        (numbers.points(1234.5, 2), "1,234.50"),
        (numbers.points(-0.07, 2), "−0.07"),
        (numbers.points(-0.0001, 2), "0.00"),
        (numbers.signed(10.29), "+10.3"),
        (numbers.percent(-1e-15, 0), "0%"),
        (numbers.percent(0.898065), "89.8%"),
        (numbers.percent(0.898065, 2), "89.81%"),
        (numbers.whole(1430528), "1,430,528"),
        (numbers.about(19033.8), "19,000"),
        (numbers.about(6006.4, 1), "6,000"),
        (numbers.power(138.634), "10<sup>139</sup>"),
        (numbers.magnitude(138.634), "4 × 10<sup>138</sup>"),
        (numbers.magnitude(7.99), "10<sup>8</sup>"),
        (numbers.size(8388608), "8.4 MB"),
        (numbers.size(43016), "43.0 KB"),
        (numbers.size(9.6e9), "9.6 GB"),
        (numbers.size(12), "12 bytes"),
    ],
)
def test_how_numbers_are_written(written, expected):
    assert written == expected
