"""The list that a service worker keeps the site by: which files, in which group, and when it changes."""

import hashlib
import json

import pytest

from yatzy.site.offline import WORKER, contents, copy_site, group_files, write_worker

FILES = {
    "index.html": '<script src="assets/main-1.js"></script><figure id="chart-mixture">',
    "risk.html": '<a href="play/">play</a>',
    "early.js": "", "article.css": "", "data/sweep.json": "{}", "icons/192.png": "",
    "app.webmanifest": '{"icons": [{"src": "icons/192.png"}]}',
    "play/index.html":
        '<link href="../app.webmanifest"><link href="../icons/192.png"><script src="../early.js"></script>'
        '<link href="../assets/inter-1.woff2"><script src="../assets/play-1.js"></script><a href="../index.html">',
    "play/rules/scandinavian.bin": "s", "play/rules/yahtzee.bin": "y",
    "play/rules/scandinavian+forced-order.bin": "f",
    "assets/main-1.js": 'import("./mixture-1.js")',
    "assets/play-1.js": 'import "./shared-1.js"; new Worker("engine-1.js"); ["assets/play-1.css"]',
    "assets/shared-1.js": "", "assets/mixture-1.js": "", "assets/engine-1.js": 'fetch("solve-1.wasm")',
    "assets/solve-1.wasm": "w", "assets/play-1.css": "url(./inter-1.woff2) url(./serif-1.woff2)",
    "assets/inter-1.woff2": "", "assets/serif-1.woff2": "",
    ".nojekyll": "", WORKER: "old",
}  # fmt: skip
FIRST = {
    "play/", "early.js", "app.webmanifest", "assets/play-1.js",
    "assets/shared-1.js", "assets/engine-1.js", "assets/solve-1.wasm", "assets/play-1.css", "assets/inter-1.woff2",
}  # fmt: skip
ON_USE = {"play/rules/scandinavian.bin", "play/rules/yahtzee.bin", "play/rules/scandinavian+forced-order.bin"}
LATER = {
    "", "risk.html", "article.css", "data/sweep.json", "icons/192.png", "assets/main-1.js", "assets/mixture-1.js",
    "assets/serif-1.woff2",
}  # fmt: skip


@pytest.fixture
def site(tmp_path):
    for name, text in FILES.items():
        (tmp_path / "site" / name).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / "site" / name).write_text(text)
    return tmp_path / "site"


def test_the_coach_comes_first_with_all_that_it_leads_to(site):
    groups = group_files(site)
    assert {name: set(group) for name, group in groups.items()} == {
        "first": FIRST,
        "later": LATER,
        "on_use": ON_USE,
    }
    assert groups["first"]["assets/solve-1.wasm"] == hashlib.sha256(b"w").hexdigest()[:16]


def test_the_worker_changes_with_any_file_and_with_nothing_else(site, tmp_path):
    code = tmp_path / "code.js"
    code.write_text("run();")
    groups = write_worker(site, code)
    first = (site / WORKER).read_text()
    head, _, rest = first.partition(";\n")
    assert json.loads(head.removeprefix("self.SITE=")) == groups
    assert rest == "run();"
    write_worker(site, code)
    assert (site / WORKER).read_text() == first
    (site / "data/sweep.json").write_text("[]")
    write_worker(site, code)
    assert (site / WORKER).read_text() != first


def test_a_copy_has_every_file_and_nothing_of_an_older_one(site, tmp_path):
    old = tmp_path / "copy" / "assets" / "main-0.js"
    old.parent.mkdir(parents=True)
    old.touch()
    copy = tmp_path / "copy"
    copy_site(site, copy)
    copied = {path.relative_to(copy).as_posix() for path in copy.rglob("*") if path.is_file()}
    assert copied == set(FILES)
    assert all((copy / name).read_text() == text for name, text in FILES.items())
    assert contents(copy) == (["index.html", "risk.html"], ["chart-mixture"])
