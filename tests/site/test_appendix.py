"""Claims in plain words, sources, and how to cite."""

import re
import tomllib
from pathlib import Path

import pytest

from yatzy import __version__
from yatzy.errors import YatzyError
from yatzy.site import numbers
from yatzy.site.build import Filler, read_texts
from yatzy.site.numbers import Results, plain_claims, shown, source_groups

ROOT = Path(__file__).parents[2]
RESULTS = Results(ROOT / "results")


def test_every_claim_is_described_and_every_difference_has_a_reason():
    found = plain_claims(RESULTS)
    assert len(found) == len(RESULTS.claims)
    assert {claim.chapter for claim in found} <= {text.name for text in read_texts("chapters")}
    for claim in found:
        assert bool(claim.reason) == (not claim.agrees)
        assert claim.forerunner
        assert claim.ours
        # A reader does not know the names of our models.
        assert not re.search(r"tree-|network-|value-|covering|oracle|float32|widget", claim.words)


def test_a_claim_that_nothing_describes_stops_the_build(monkeypatch):
    entries = [one for one in numbers._read("claims.toml")["claim"] if one["study"] != "bonus"]
    monkeypatch.setattr(numbers, "_read", lambda name: {"claim": entries})
    with pytest.raises(YatzyError, match=r"claims\.toml: nothing describes '.*' of bonus"):
        plain_claims(RESULTS)


def test_a_difference_without_a_reason_stops_the_build(monkeypatch):
    entries = [
        {key: value for key, value in one.items() if key != "reason"}
        for one in numbers._read("claims.toml")["claim"]
    ]
    monkeypatch.setattr(numbers, "_read", lambda name: {"claim": entries})
    with pytest.raises(YatzyError, match="differs and has no reason"):
        plain_claims(RESULTS)


@pytest.mark.parametrize(
    ("value", "within", "unit", "given", "further"),
    [
        (0.055, 0.0025, "share", "5.5%", "5.50%"),
        (248.4, 0.05, "points", "248.4", "248.40"),
        (0.00046, 0.000005, "points", "0.00046", "0.000460"),
        (1430000, 500, "count", "1,430,000", "1,430,000"),
        (8, 0.5, "MB", "8 MB", "8.0 MB"),
        (170.2, 0.05, "power", "10<sup>170</sup>", "10<sup>170</sup>"),
        (22, 0, "points", "22", "22.0"),
    ],
)
def test_numbers_are_shown_to_the_digit_that_was_given(value, within, unit, given, further):
    assert shown(value, within, unit, 0) == given
    assert shown(value, within, unit, 1) == further


def test_sources_are_complete_and_their_numbers_computed():
    groups = source_groups(Filler(RESULTS).fill, lambda text, where: text)
    sources = [source for group in groups for source in group["source"]]
    assert len(sources) >= 12
    for source in sources:
        assert set(source) == {"who", "what", "where", "link", "note"}
        assert source["link"].startswith(("https://", "http://"))
        assert "{{" not in source["note"]
    notes = {source["who"]: source["note"] for source in sources}
    larsson = notes["Markus Larsson and Andreas Sjöberg"]
    # What they report, what their code scores, the rules as printed, and the house rule.
    for number in ("248.63 ", "248.6329", "248.4400", "248.6441"):
        assert number in larsson


def test_the_citation_is_of_this_version():
    text = (ROOT / "CITATION.cff").read_text()
    fields = dict(re.findall(r"^([a-z-]+): (.+)$", text, re.MULTILINE))
    assert fields["version"] == __version__
    assert fields["license"] == tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["license"]
