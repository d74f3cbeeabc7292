"""The coach speaks six languages: every text is in one of their files, and every game and box has a name there."""

import re
from html.parser import HTMLParser

import pytest

from web_scripts import run_script
from yatzy.rules import format_category
from yatzy.site.tables import all_games, describe_games
from yatzy.site.web import WEB

PLAY = WEB / "play"
LANGUAGES = ("en", "sv", "nb", "da", "fi", "de")
# Attributes that are read out or shown.
SPOKEN = ("aria-label", "title", "placeholder", "alt", "content", "aria-valuetext")
SCRIPTS = sorted(
    [path for path in PLAY.rglob("*.ts") if path.parent.name != "language"] + [WEB / "offline" / "page.ts"]
)
COMMENT = re.compile(r"/\*.*?\*/|(?<!:)//[^\n]*", re.DOTALL)
LITERAL = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`', re.DOTALL)
CODE = re.compile(r"^\s*(import|export)\b.*\bfrom\b|^import ")
CLASSES = set(re.findall(r"\.([a-z][\w-]*)", "".join(path.read_text() for path in WEB.glob("*/*.css"))))


class Texts(HTMLParser):
    """Words of an HTML file that somebody could read or hear."""

    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.open: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.open.append(tag)
        given = dict(attrs)
        for name in SPOKEN:
            value = given.get(name) or ""
            if re.search(r"[A-Za-z]{2}", value) and not (tag == "meta" and given.get("name") != "description"):
                self.found.append(value)

    def handle_data(self, data: str) -> None:
        words = re.findall(r"[^\W\d]{2,}", data)
        if words and self.open[-1] not in ("script", "style"):
            self.found.append(data.strip())


def spoken_literals(source: str) -> list[str]:
    """String literals that look like language: several words, or a capital letter that begins one."""
    found = []
    for line in COMMENT.sub("", source).split(";\n"):
        if CODE.search(line.lstrip("\n")):
            continue
        for quoted, template in LITERAL.findall(line):
            text = re.sub(r"\$\{(?:[^{}]|\{[^{}]*\})*\}", " ", quoted or template)
            words = re.findall(r"[^\W\d_][\w'’-]*", text)
            sentence = re.search(r"[a-zåäöæø]{2,}[.!?…]($|\s)", text)
            several = len(words) > 1 and " " in text.strip() and not all(word in CLASSES for word in words)
            capital = re.fullmatch(r"\s*[A-ZÅÄÖÆØ][a-zåäöæø]+", text) is not None
            if sentence or several or capital:
                found.append(text)
    return found


# What is no language: selectors, paths of SVG, names of keys, events and types, and words that data has.
ALLOWED = re.compile(
    r"^\s*([#.\[]|[a-z]+(\[|:[a-z]|\.[a-z]))|^M\d|cubic-bezier|color-mix|inset|translate|rotate|^SHA-256$|application/json|"
    r"^(three|four|five|one|two|small|large|little|big|full|maxi) \w+( \w+){0,2}$|^close call$|^only choice$|"
    r"^keep all$|^in reach$|^with highest$|"
    r"^button, a, |^input, select$|pointer: fine|^<b>|^boxes\.$|\.json$|^\{\$\{fields|"
    r"^(Arrow\w+|Escape|Enter|Home|End|Tab)$"
)


def test_html_has_no_text_of_its_own():
    texts = Texts()
    texts.feed((PLAY / "index.html").read_text())
    assert [text for text in texts.found if text not in ("width=device-width", "#faf7f0")] == []


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_scripts_have_no_text_of_their_own(path):
    assert [text for text in spoken_literals(path.read_text()) if not ALLOWED.search(text)] == []


def test_the_scan_finds_what_it_is_for():
    source = (
        'setText(a, "Choose a box");\nlabel(b, `${n} rerolls left`);\nconst c = "Roll";\nel("p", "muted small");\n'
    )
    assert spoken_literals(source) == ["Choose a box", "  rerolls left", "Roll"]


@pytest.fixture(scope="module")
def spoken() -> dict[str, dict]:
    return run_script("languages")


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_game_switch_and_box_has_a_name(spoken, language):
    texts = spoken[language]
    for game in describe_games():
        assert texts["games"][game["rules"]]
        assert all(texts["switches"][one["switch"]] for one in game["switches"])
    for rules in all_games():
        base = rules.name.split("+")[0]
        names = [format_category(rules, c) for c in range(rules.n_categories)]
        labels = [texts["boxes"].get(f"{base}: {name}") or texts["boxes"][name] for name in names]
        assert len(set(labels)) == len(labels), rules.name


def leaves(texts: object, path: str = "") -> dict[str, str]:
    if isinstance(texts, dict):
        return {at: text for key, one in texts.items() for at, text in leaves(one, f"{path}.{key}").items()}
    if isinstance(texts, list):
        return {at: text for key, one in enumerate(texts) for at, text in leaves(one, f"{path}.{key}").items()}
    return {path: str(texts)}


# Words that are the same in several languages.
SHARED = re.compile(
    r"^\.(games|boxes|scores\.straight|offer|page|bar\.brand|bar\.coach|card|advice\.joker|outlook\.start|table\.played)"
)


@pytest.mark.parametrize("language", LANGUAGES[1:])
def test_nothing_was_left_in_english(spoken, language):
    """Texts of several words are never the English ones; places for dice and arguments are all there."""
    english, own = leaves(spoken["en"]), leaves(spoken[language])
    own_words = {path: text for path, text in own.items() if path in english}
    same = [
        path for path, text in own_words.items()
        if text == english[path] and " " in re.sub(r"‹[^›]*›", "", text).strip() and not SHARED.search(path)
    ]  # fmt: skip
    assert same == []
    for path, text in own_words.items():
        assert text.count("{}") == english[path].count("{}"), path
        if not path.startswith((".boxes", ".number.points", ".learn.chart", ".numbers.games")):
            assert set(re.findall(r"‹\d›", text)) == set(re.findall(r"‹\d›", english[path])), path


def test_labels_fit_a_phone(spoken):
    """Half of a phone of 320 pixels holds about fifteen letters and two digits."""
    for language in LANGUAGES:
        assert max(map(len, spoken[language]["boxes"].values())) <= 16, language


def test_page_names_texts_that_exist():
    """Every `data-t` of the HTML is a text of the file; the build refuses others, this says which."""
    english = leaves(run_script("languages")["en"])
    named = re.findall(r'data-t(?:-\w+)?="([\w.]+)"', (PLAY / "index.html").read_text())
    assert named
    assert [name for name in named if f".{name}" not in english] == []
