"""README and docs: commands parse, examples run, links lead somewhere, and tables say what the code does."""

import doctest
import json
import re
import shlex
import shutil
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import pytest
import typer

from yatzy.cli.app import COMMANDS, app, main
from yatzy.rules.toml import EXAMPLES, parse_rules
from yatzy.source_digest import modules_below

ROOT = Path(__file__).parents[1]
PAGES = [
    ROOT / "README.md",
    ROOT / "CONTRIBUTING.md",
    ROOT / "CHANGELOG.md",
    *sorted((ROOT / "docs").glob("*.md")),
]
BLOCK = re.compile(r"^```(\w*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
MACHINE_PATH = re.compile(
    r"(?<![\w.:/])/(?:work|home|root|tmp|mnt|opt|Users)/|[A-Z]:\\|\.\./shared|pypi\.\w|pythonhosted"
)

# Commands that take a second or so; the others are parsed only.
QUICK = ("solve", "value", "advise", "games")


def blocks(page: Path, language: str) -> list[str]:
    return [code for found, code in BLOCK.findall(page.read_text()) if found == language]


def command_lines() -> list[tuple[str, list[str]]]:
    """(text, arguments) of every `yatzy` command in a bash block, up to a pipe or the like."""
    found = []
    for page in PAGES:
        for code in blocks(page, "bash"):
            for line in code.replace("\\\n", " ").splitlines():
                lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
                lexer.whitespace_split = True
                words = list(lexer)
                end = next((i for i, word in enumerate(words) if set(word) <= set("();<>|&")), len(words))
                if words[:1] == ["yatzy"]:
                    found.append((f"{page.name}: {line}", words[1:end]))
    return found


def is_quick(arguments: list[str]) -> bool:
    return arguments[0] in QUICK and not any("maxi" in word for word in arguments)


COMMAND_LINES = command_lines()


@pytest.fixture(scope="module")
def shared_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """One home for all examples: the game is solved once."""
    return tmp_path_factory.mktemp("home")


@pytest.fixture
def run(shared_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
    """Run a command here; returns what it prints."""
    monkeypatch.setenv("YATZY_HOME", str(shared_home))
    monkeypatch.chdir(tmp_path)
    for example in EXAMPLES.glob("*.toml"):
        shutil.copy(example, tmp_path)

    def run_command(*arguments: str) -> str:
        monkeypatch.setattr(sys, "argv", ["yatzy", *arguments])
        with pytest.raises(SystemExit) as end:
            main()
        printed = capsys.readouterr()
        assert end.value.code == 0, printed.err
        return printed.out

    return run_command


@pytest.mark.parametrize(
    ("text", "arguments"), COMMAND_LINES, ids=lambda part: part if isinstance(part, str) else ""
)
def test_command_parses(text: str, arguments: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "argv", ["yatzy", *arguments])
    name, *rest = arguments
    if name.startswith("-"):
        assert arguments in (["--help"], ["--version"]), text
    else:
        assert name in COMMANDS, text
        command = typer.main.get_command(app).get_command(None, name)
        assert rest == ["--help"] or command.make_context(name, rest), text


@pytest.mark.compiled
def test_quick_commands_run(run) -> None:
    for text, arguments in COMMAND_LINES:
        if is_quick(arguments):
            printed = run(*arguments)
            assert printed.strip(), text
            assert "--json" not in arguments or isinstance(json.loads(printed), dict), text


@pytest.mark.compiled
def test_commands_of_the_tutorial_run(run) -> None:
    found = [arguments for text, arguments in COMMAND_LINES if text.startswith("tutorial.md")]
    assert len(found) > 5
    for arguments in found:
        assert run(*arguments).strip()


@pytest.mark.compiled
def test_commands_print_what_is_shown(run) -> None:
    """Of a console block, up to its last line: notes may follow."""
    shown = [block for page in PAGES for block in blocks(page, "console")]
    assert len(shown) > 1
    for block in shown:
        command, answer = block.split("\n", 1)
        assert answer in run(*shlex.split(command)[2:])


@pytest.mark.compiled
@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_python_examples_run(page: Path, shared_home: Path, tmp_path: Path, monkeypatch) -> None:
    """The blocks of one page share their names; those with prompts must print what they show."""
    monkeypatch.setenv("YATZY_HOME", str(shared_home))
    monkeypatch.chdir(tmp_path)
    names: dict = {"__name__": "example"}
    for number, code in enumerate(blocks(page, "python")):
        if ">>>" in code:
            example = doctest.DocTestParser().get_doctest(code, names, page.name, page.name, number)
            result = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS).run(example, clear_globs=False)
            assert result.failed == 0
            names |= example.globs
        else:
            exec(compile(code, f"{page.name}, python block {number + 1}", "exec"), names)


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_rules_files_can_be_read(page: Path) -> None:
    for code in blocks(page, "toml"):
        if "[[box]]" in code:
            assert parse_rules(code).name


def slugs(page: Path) -> set[str]:
    """What the headings of a page are called in a link."""
    headings = re.findall(r"^#+ (.*)$", BLOCK.sub("", page.read_text()), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_links_lead_somewhere(page: Path) -> None:
    for link in LINK.findall(BLOCK.sub("", page.read_text())):
        target, _, anchor = link.partition("#")
        if re.match(r"\w+:", target):
            continue
        found = page.parent / target if target else page
        assert found.exists(), link
        assert found.resolve().is_relative_to(ROOT), link
        assert not anchor or anchor in slugs(found), link


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.name)
def test_nothing_points_to_one_machine(page: Path) -> None:
    assert not MACHINE_PATH.findall(page.read_text())


ARCHITECTURE = (ROOT / "docs" / "architecture.md").read_text()
WALKS = {
    name: re.findall(r"`([^`]+)`", stops)
    for name, stops in re.findall(r"^- \*\*([^*]+)\*\*:((?:.|\n  )*)", ARCHITECTURE, re.MULTILINE)
}
LINTER = tomllib.loads((ROOT / "pyproject.toml").read_text())["tool"]["importlinter"]
ROOMS = re.findall(r"yatzy\.(\w+)", " ".join(LINTER["contracts"][0]["layers"]))


@pytest.mark.parametrize("name", [name for name in WALKS if "page" not in name])
def test_a_walk_exists_and_never_turns_back(name: str) -> None:
    """Something above each stop imports it, or the registry of policies does."""
    stops = WALKS[name]
    registry = (ROOT / "src/yatzy/policies/registry.py").read_text()
    below = modules_below(f"yatzy.{stops[0].rpartition('.')[0]}")
    for stop in stops:
        module, _, function = stop.rpartition(".")
        found = getattr(import_module(f"yatzy.{module}"), function)
        assert found.__module__ == f"yatzy.{module}", stop
        assert found.__module__ in below or f'"yatzy.{module}"' in registry, stop
        below |= modules_below(found.__module__)
    floors = [ROOMS.index(stop.split(".")[0]) for stop in stops]
    assert floors == sorted(floors)
    assert len(stops) > 5


def test_the_walk_through_the_page_follows_its_imports() -> None:
    """Each file is imported, or started as a worker, by one of those before it."""
    stops = [ROOT / stop for stop in WALKS["advice in the page"]]
    reached = {stops[0].resolve()}
    for stop in stops:
        assert stop.resolve() in reached, stop
        for path in re.findall(r"""["'](\.[^"']*)["']""", stop.read_text()):
            reached.add((stop.parent / path).resolve().with_suffix(".ts"))


def test_the_rooms_of_the_picture_and_of_the_table_are_those_of_the_package() -> None:
    packages = {path.parent.name for path in (ROOT / "src/yatzy").glob("*/__init__.py")}
    drawn = re.findall(r'class="room"[^>]*>([^<]+)<', (ROOT / "docs" / "rooms.svg").read_text())
    assert set(drawn) == packages | {"web/"}
    rooms = ARCHITECTURE.split("## Walks")[0]
    assert set(re.findall(r"^\| `(\w+)` \|", rooms, re.MULTILINE)) == packages


def test_the_glossary_is_short() -> None:
    words = re.findall(r"^\| ([a-z ]+) \|", ARCHITECTURE.split("## Words")[1], re.MULTILINE)
    assert len(set(words) - {"word"}) <= 40


@pytest.mark.compiled
def test_columns_of_games_are_those_of_the_docs(run) -> None:
    import polars as pl

    run("simulate", "--games", "10", "random", "--out", "games.parquet")
    schema = pl.read_parquet_schema("games.parquet")
    text = (ROOT / "docs" / "formats.md").read_text()
    documented = dict(re.findall(r"^\| `([\w<>]+)` \| (\w+) \|", text, re.MULTILINE))
    types = {"int64": pl.Int64, "int16": pl.Int16, "bool": pl.Boolean, "uint8": pl.UInt8}
    for column, dtype in schema.items():
        assert types[documented[re.sub(r"^(points|turn)_.*", r"\1_<category>", column)]] == dtype
    assert len(schema) == 4 + 2 * 15


@pytest.mark.compiled
def test_table_metadata_is_that_of_the_docs(run) -> None:
    from safetensors import safe_open

    path = json.loads(run("solve", "--json"))["path"]
    text = (ROOT / "docs" / "formats.md").read_text()
    section = text.split("## Solved games", 1)[1].split("\n## ", 1)[0]
    with safe_open(path, framework="numpy") as file:
        assert set(file.metadata()) == set(re.findall(r"^\| `(\w+)` \|", section, re.MULTILINE))
