"""What a number hangs on: a small package edited in every way, and our own."""

import ast
import json
import os
import shutil
import subprocess
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import yatzy
from yatzy import ValueTable, YatzyError
from yatzy.rulelists.library import find_list
from yatzy.rulelists.search.measuring import OracleKeeps, OwnKeeps
from yatzy.rules import Ruleset
from yatzy.sealed import seal
from yatzy.studies import definitions, freshness, rosetta
from yatzy.studies.definitions import Package
from yatzy.studies.freshness import PLUMBING, Code, code_of, read_code, tell_changes
from yatzy.studies.reproduce import STUDIES, Study, reproduce, why_stale
from yatzy.studies.results import read_result

SOURCE = Path(yatzy.__file__).parent

FAKE = {
    "__init__.py": "",
    "study.py": '''
"""A study."""
from dataclasses import dataclass

from fake import kinds, numbers
from fake.numbers import double, halve as half
from fake.running import say


@dataclass
class Answer:
    """What comes out."""

    number: float

    def to_json(self):
        return {"number": self.number}


def run(x: int = 1) -> Answer:
    """Compute it."""
    say("now")
    kind = kinds.load("plain")
    return Answer(double(x) + half(x) + numbers.SHIFT + kind.number)


def other():
    return double(3)
''',
    "numbers.py": '''
"""Numbers."""
import math as m

SHIFT = 3
UNUSED = 4


def double(x):
    return _scale(x, 2)


def halve(x):
    return m.floor(_scale(x, 0.5))


def _scale(x, by):
    from fake.deep import times
    if x == 0:
        return _scale(1, by)
    return times(x, by)


def unused():
    return UNUSED
''',
    "deep/__init__.py": "from fake.deep.product import product as times\n",
    "deep/product.py": """
FACTOR = 1.0
REGISTRY = {}


def product(a, b):
    return FACTOR * a * b * REGISTRY.get(a, 1)


def register(key):
    return lambda function: function


@register(FACTOR)
def hooked():
    return 5


REGISTRY[7] = 2
""",
    "kinds.py": """
from importlib import import_module

KINDS = {"plain": "fake.plain:Plain", "odd": "fake.odd:Odd"}


def load(kind):
    module, _, name = KINDS[kind].partition(":")
    return getattr(import_module(module), name)()
""",
    "plain.py": "class Plain:\n    number = 1\n",
    "odd.py": "class Odd:\n    number = 2\n",
    "running.py": "def say(text):\n    print(text)\n\n\ndef tell(text):\n    print(text)\n",
}


class Fake:
    """The package in a folder, to be edited."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder / "fake"
        for name, content in FAKE.items():
            path = self.folder / name
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content)
        self.before = self.code

    @property
    def code(self) -> Code:
        return read_code(Package(self.folder, ("fake.running",)), ("fake.study:run",))

    @property
    def told(self) -> str:
        assert self.code.digest != self.before.digest
        return tell_changes(self.before.definitions, self.code)

    def edit(self, name: str, *pairs: tuple[str, str]) -> None:
        path = self.folder / name
        text = path.read_text()
        for old, new in pairs:
            assert old in text
            text = text.replace(old, new)
        path.write_text(text)

    def is_same(self) -> bool:
        return self.code.digest == self.before.digest


@pytest.fixture
def fake(tmp_path: Path) -> Fake:
    return Fake(tmp_path)


def test_what_is_reached(fake: Fake) -> None:
    assert {f"{module}.{name}" for module, names in fake.before.definitions.items() for name in names} == {
        "study.run", "study.Answer", "numbers.double", "numbers.halve", "numbers._scale", "numbers.SHIFT",
        "deep.product.product", "deep.product.FACTOR", "deep.product.REGISTRY", "deep.product.register",
        "deep.product.hooked", "kinds.load", "kinds.KINDS", "plain.Plain", "odd.Odd",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("file", "old", "new"),
    [
        ("numbers.py", "UNUSED = 4", "UNUSED = 5"),
        ("study.py", "double(3)", "double(4)"),
        ("numbers.py", "return _scale(x, 2)", "# why\n    return _scale(x, 2)  # here"),
        ("numbers.py", "def double(x):", 'def double(x):\n    """Twice."""'),
        ("numbers.py", "def double(x):", "def double(x: float) -> float:"),
        ("numbers.py", "SHIFT = 3", "SHIFT: int = 3"),
        ("numbers.py", "    if x == 0:", "    y: float\n    if x == 0:"),
        ("study.py", "number: float", 'number: "int | None"'),
        ("study.py", '{"number": self.number}', "{'number': (self.number)}"),
        ("numbers.py", "_scale(x, 2)", "_scale(\n        x,\n        2,\n    )"),
        ("running.py", "print(text)", "print(text, flush=True)"),
        ("odd.py", "number = 2", "number = 2\n    def __repr__(self):\n        return '<Odd>'"),
        ("study.py", "from fake.numbers import double, halve as half\n", "from fake.numbers import double\n"
         "from fake.numbers import halve as half\nimport sys\n"),
        ("numbers.py", "import math as m\n", "import math as m\n\nfrom typing import TYPE_CHECKING\n\n"
         "if TYPE_CHECKING:\n    from fake.odd import Odd\n"),
    ],
)  # fmt: skip
def test_what_cannot_change_a_number_does_not_count(fake: Fake, file: str, old: str, new: str) -> None:
    fake.edit(file, (old, new))
    assert fake.is_same()


@pytest.mark.parametrize(
    ("file", "old", "new", "told"),
    [
        ("deep/product.py", "FACTOR = 1.0", "FACTOR = 1.5", "changed is deep.product.FACTOR"),
        ("deep/product.py", "* b", "+ b", "changed is deep.product.product"),
        ("deep/product.py", "REGISTRY[7] = 2", "REGISTRY[7] = 3", "changed is deep.product.REGISTRY"),
        ("deep/product.py", "return 5", "return 6", "changed are deep.product.FACTOR, deep.product.hooked"),
        ("odd.py", "number = 2", "number = 3", "changed is odd.Odd"),
        ("study.py", "number: float", "worth: float", "changed is study.Answer"),
        ("study.py", "x: int = 1", "x: int = 2", "changed is study.run"),
        ("study.py", "double(x) + half(x)", "half(x) + double(x)", "changed is study.run"),
        (
            "study.py",
            "double(x) + half(x)",
            "double(x) + double(x)",
            "changed is study.run; gone is numbers.halve",
        ),
        ("numbers.py", "import math as m", "import cmath as m", "changed is numbers.halve"),
        ("numbers.py", "SHIFT = 3", "SHIFT = UNUSED", "changed is numbers.SHIFT; new is numbers.UNUSED"),
        ("study.py", " + half(x)", "", "changed is study.run; gone is numbers.halve"),
        ("kinds.py", ', "odd": "fake.odd:Odd"', "", "changed is kinds.KINDS; gone is odd.Odd"),
    ],
)
def test_what_can_change_a_number_counts_and_is_named(
    fake: Fake, file: str, old: str, new: str, told: str
) -> None:
    fake.edit(file, (old, new))
    assert fake.told == told


def test_an_edit_and_another_callee_are_both_named(fake: Fake) -> None:
    fake.edit("odd.py", ("2", "3"))
    fake.edit("study.py", ("double(x) + half(x)", "half(x) + double(x)"))
    assert fake.told == "changed are odd.Odd, study.run"


def test_moved_code_does_not_count(fake: Fake) -> None:
    moved = "def halve(x):\n    return m.floor(_scale(x, 0.5))\n"
    fake.edit("numbers.py", (moved, ""))
    (fake.folder / "halves.py").write_text(f"import math as m\nfrom fake.numbers import _scale\n\n\n{moved}")
    fake.edit("study.py", ("from fake.numbers import double, halve as half", "from fake.numbers import double"))
    fake.edit(
        "study.py", ("import kinds, numbers", "import kinds, numbers\nfrom fake.halves import halve as half")
    )
    assert fake.is_same()


def test_renamed_code_does_not_count(fake: Fake) -> None:
    fake.edit("numbers.py", ("_scale", "_stretch"), ("double", "twice"), ("m.floor", "math.floor"))
    fake.edit("numbers.py", ("import math as m", "import math"), ("SHIFT", "OFFSET"))
    fake.edit(
        "study.py", ("double", "twice"), ("half(", "halve("), ("halve as half", "halve"), ("SHIFT", "OFFSET")
    )
    fake.edit("running.py", ("say", "speak"))
    fake.edit("study.py", ("say", "speak"))
    (fake.folder / "odd.py").rename(fake.folder / "strange.py")
    fake.edit("kinds.py", ("fake.odd:Odd", "fake.strange:Strange"))
    fake.edit("strange.py", ("Odd", "Strange"))
    assert fake.is_same()


def test_what_moved_is_not_named_beside_what_changed(fake: Fake) -> None:
    fake.edit("numbers.py", ("double", "twice"))
    fake.edit("study.py", ("double", "twice"))
    fake.edit("odd.py", ("2", "3"))
    assert fake.told == "changed is odd.Odd"


def test_a_name_of_a_function_hides_that_of_the_module(fake: Fake) -> None:
    """`UNUSED` is a local there; and a class's name hides nothing from its methods."""
    fake.edit("numbers.py", ("    return _scale(x, 2)", "    UNUSED = 2\n    return _scale(x, UNUSED)"))
    hidden = fake.code
    fake.edit("numbers.py", ("UNUSED = 4", "UNUSED = 5"))
    assert fake.code.digest == hidden.digest
    fake.edit("plain.py", ("class", "number = 9\n\n\nclass"))
    fake.edit("plain.py", ("    number = 1", "    number = 1\n\n    def get(self):\n        return number"))
    before = fake.code
    fake.edit("plain.py", ("number = 9", "number = 8"))
    assert fake.code.digest != before.digest


def test_what_is_not_there_has_no_code(fake: Fake) -> None:
    with pytest.raises(YatzyError, match=r"'fake\.study:walk' is not at the top of a module of fake"):
        read_code(Package(fake.folder), ("fake.study:walk",))


def test_files_count(fake: Fake) -> None:
    package, roots = Package(fake.folder), ("fake.study:run",)
    one, other = (read_code(package, roots, {"grid.toml": content}) for content in (b"1", b"2"))
    assert one.digest != other.digest != read_code(package, roots).digest
    assert tell_changes(one.definitions, other) == "changed is grid.toml"


# The package itself.


@pytest.fixture(scope="module")
def copied(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("copy") / "yatzy"
    shutil.copytree(
        SOURCE, folder, ignore=lambda _, names: [n for n in names if not n.endswith(".py") and "." in n]
    )
    return folder


@pytest.fixture(scope="module")
def unchanged(copied: Path) -> Package:
    return Package(copied, PLUMBING)


def address(study: Study) -> str:
    return f"{study.function.__module__}:{study.function.__qualname__}"


def test_plumbing_is_there() -> None:
    package = Package(SOURCE)
    assert all(package.module(name) for name in PLUMBING)


def test_every_study_is_read_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    """Each module is parsed once for all studies."""
    parsed = Counter[str]()
    parse = ast.parse

    def counted(source: str, *more: Any, **options: Any) -> ast.AST:
        parsed[source] += 1
        return parse(source, *more, **options)

    monkeypatch.setattr(definitions.ast, "parse", counted)
    package = Package(SOURCE, PLUMBING)
    found = {study.name: read_code(package, (address(study),)) for study in STUDIES.values()}
    assert len(parsed) > 100
    assert max(n for source, n in parsed.items() if source.strip()) == 1
    assert len({code.digest for code in found.values()}) == len(STUDIES)
    assert all(not {name for name in PLUMBING if name[6:] in code.definitions} for code in found.values())


def test_digests_do_not_depend_on_the_process() -> None:
    command = "from yatzy.studies.reproduce import STUDIES; print([s.code.digest for s in STUDIES.values()])"
    # Hashes differ from those of this process, whatever its own seed is.
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    variables = os.environ | {"PYTHONHASHSEED": seed}
    run = subprocess.run([sys.executable, "-c", command], env=variables, capture_output=True, check=True)
    assert run.stdout.decode().strip() == str([study.code.digest for study in STUDIES.values()])


@pytest.mark.parametrize(
    ("study", "used"),
    [
        ("sweep", ["turn.code.TurnCode", "turn.lanes.fold", "turn.best.find_best", "rules.scoring.straight"]),
        ("bonus", ["turn.probability.exits_of_best"]),
        ("compression", ["students.trees.player.Trees", "evaluate.simulate.simulate"]),
        ("rosetta", ["rulelists.play.player.ListPlayer"]),
    ],
)
def test_a_study_hangs_on_what_computes_it(copied: Path, unchanged: Package, study: str, used: list[str]) -> None:
    """All of them edited at once: reading the package again takes most of the time."""
    root = address(STUDIES[study])
    before = read_code(unchanged, (root,))
    sources = {}
    for address_of in used:
        module, _, name = address_of.rpartition(".")
        assert name in before.definitions[module]
        path = copied.joinpath(*module.split(".")).with_suffix(".py")
        source = path.read_text()
        sources.setdefault(path, source)
        (node,) = (node for node in ast.parse(source).body if getattr(node, "name", "") == name)
        lines = source.splitlines(keepends=True)
        lines.insert(node.body[0].lineno - 1, "    assert 1 < 2\n")
        path.write_text("".join(lines))
    try:
        after = read_code(Package(copied, PLUMBING), (root,))
    finally:
        for path, source in sources.items():
            path.write_text(source)
    assert after.digest != before.digest
    told = tell_changes(before.definitions, after)
    assert all(name in told for name in used), told


def test_a_study_does_not_hang_on_what_it_does_not_use() -> None:
    assert "evaluate.exact" not in STUDIES["statespace"].code.definitions
    for study in STUDIES.values():
        rooms = {module.split(".")[0] for module in study.code.definitions}
        assert not rooms & {"cli", "bench", "server", "treatise"}


def test_definitions_are_small_in_a_file() -> None:
    for study in STUDIES.values():
        assert len(json.dumps(study.code.definitions, separators=(",", ":"))) < 20_000


# Results.


def test_a_stale_result_says_why(tmp_path: Path) -> None:
    study, path = STUDIES["statespace"], tmp_path / "statespace.json"
    assert why_stale(study, path) == f"{path} is not there yet"
    reproduce(["statespace"], tmp_path)
    assert why_stale(study, path) is None
    assert why_stale(study, path, "yahtzee") == f"{path} is stale: it was made for another ruleset"
    written = path.read_text()
    content = json.loads(written)
    content["provenance"]["code"] = "another"
    content["provenance"]["definitions"]["dice.lattice"]["lattice"] = "0" * 12
    path.write_text(json.dumps(seal(content)))
    told = f"{path} is stale: changed is dice.lattice.lattice"
    assert why_stale(study, path) == told
    heard: list[str] = []
    (done,) = reproduce(["statespace"], tmp_path, notice=heard.append)
    assert (heard, done.kept, done.why) == ([told], False, told)
    path.write_text(written[:100])
    assert why_stale(study, path) == f"{path} cannot be read"


def test_a_result_of_before_is_stale_and_says_so(tmp_path: Path) -> None:
    path = tmp_path / "statespace.json"
    reproduce(["statespace"], tmp_path)
    content = json.loads(path.read_text())
    content["provenance"]["code"] = "another"
    del content["provenance"]["definitions"]
    path.write_text(json.dumps(seal(content)))
    assert read_result(path) is not None
    why = why_stale(STUDIES["statespace"], path)
    assert why == f"{path} is stale: it was made before results told which definitions they hang on"


# Parts: the worth of rules.


@pytest.fixture
def table(rules: Ruleset) -> ValueTable:
    """A solution that nobody will look at."""
    return ValueTable(rules, 0.0, np.zeros(8))


@pytest.mark.parametrize(("name", "arena"), [("card-20", OwnKeeps), ("rules-10", OracleKeeps)])
def test_means_of_lists_are_kept_for_the_code_and_list_that_made_them(
    table: ValueTable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str, arena: Callable[..., object]
) -> None:
    rules = find_list(name)
    asked: list[str] = []

    class Counting:
        def __init__(self, *_: object) -> None: ...

        def mean(self, rules: object) -> float:
            asked.append(rules.text())  # type: ignore[attr-defined]
            return 200 + len(asked) / 3

    Counting.__module__, Counting.__qualname__ = arena.__module__, arena.__qualname__
    monkeypatch.setattr(rosetta, arena.__name__, Counting)
    scales = rosetta._Scales(table, tmp_path, 1)
    whole = scales.mean(rules)
    assert whole == rosetta._Scales(table, tmp_path, 1).mean(rules)
    assert len(asked) == 1
    scales.mean(rules.with_list(0, rules.scores[1:]))
    assert len(asked) == 2
    shifted = replace(table, stored=table.stored + 1)
    rosetta._Scales(shifted, tmp_path, 1).mean(rules)
    assert len(asked) == (3 if arena is OracleKeeps else 2)
    code = rosetta.code_of
    monkeypatch.setattr(rosetta, "code_of", lambda *things: replace(code(*things), digest="new"))
    scales.mean(rules)
    assert len(asked) == (4 if arena is OracleKeeps else 3)


def test_code_is_read_once() -> None:
    assert code_of(STUDIES["bonus"].function) is code_of(STUDIES["bonus"].function)
    assert freshness._package() is freshness._package()
