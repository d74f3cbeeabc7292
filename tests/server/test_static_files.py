"""The site's files over HTTP: types, how long they may be kept, packing; nothing is solved for this."""

import gzip
import os
import shutil

import pytest
import requests

from listening import listening
from yatzy.server.guard import ConnectionGuard
from yatzy.server.static_files import IMMUTABLE, MAX_COMPRESSED, REVALIDATE, SiteFiles

PATIENCE = 600
TEXT = "const dice = 5;\n" * 200
FILES = {
    "index.html": f"<!doctype html>{TEXT}", "play/index.html": f"<!doctype html>{TEXT}", "service-worker.js": TEXT,
    "app.webmanifest": "{}", "favicon.svg": "<svg/>", "data/sweep.json": f'["{TEXT.strip()}"]',
    "assets/main-Dx4kXJAl.js": TEXT, "assets/engine-Ab12.wasm": TEXT, "assets/inter-Dx4kXJAl.woff2": TEXT,
    "play/rules/scandinavian.json": "[]", "icons/192.png": TEXT, "large.json": "1" * (MAX_COMPRESSED + 1),
}  # fmt: skip


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    site = tmp_path_factory.mktemp("site")
    for name, text in FILES.items():
        (site / name).parent.mkdir(parents=True, exist_ok=True)
        (site / name).write_text(text)
    return site


@pytest.fixture(scope="module")
def get(folder):
    with listening(ConnectionGuard(SiteFiles(directory=folder, html=True))) as address:
        yield lambda path, **headers: requests.get(
            f"{address}/{path}",
            headers={name.replace("_", "-"): to for name, to in headers.items()},
            timeout=PATIENCE,
        )


@pytest.mark.parametrize(
    ("path", "kind"),
    [
        ("", "text/html; charset=utf-8"), ("play/", "text/html; charset=utf-8"),
        ("service-worker.js", "text/javascript; charset=utf-8"), ("app.webmanifest", "application/manifest+json"),
        ("favicon.svg", "image/svg+xml"), ("data/sweep.json", "application/json"), ("icons/192.png", "image/png"),
        ("assets/engine-Ab12.wasm", "application/wasm"), ("assets/inter-Dx4kXJAl.woff2", "font/woff2"),
    ],
)  # fmt: skip
def test_every_file_says_what_it_is(get, path, kind):
    for encoding in ("gzip", "identity"):
        assert get(path, accept_encoding=encoding).headers["content-type"] == kind


def test_what_is_named_by_its_content_is_kept_and_all_else_is_asked_for(get):
    for path in FILES:
        expected = IMMUTABLE if path.startswith("assets/") else REVALIDATE
        address = path.removesuffix("index.html")
        assert get(address).headers["cache-control"] == expected, path
        again = get(address, if_none_match=get(address).headers["etag"])
        assert (again.status_code, again.content) == (304, b"")
        assert again.headers["cache-control"] == expected, path


@pytest.mark.parametrize("path", sorted(FILES))
def test_packing_changes_no_byte(get, path):
    packed = path.endswith((".html", ".js", "sweep.json", ".wasm"))
    address = path.removesuffix("index.html")
    for encoding in ("gzip, deflate, br", "identity"):
        answer = get(address, accept_encoding=encoding)
        assert answer.content == FILES[path].encode()
        assert (answer.headers.get("content-encoding") == "gzip") == (packed and encoding != "identity")
        assert (answer.headers.get("vary") == "accept-encoding") == packed
    if packed:
        length = int(get(address, accept_encoding="gzip").headers["content-length"])
        assert length == len(gzip.compress(FILES[path].encode(), mtime=0))


def test_a_part_of_a_large_file(get):
    answer = get("large.json", range="bytes=5-9", accept_encoding="gzip")
    assert (answer.status_code, answer.text) == (206, "11111")


def test_a_site_that_is_built_again_is_served_anew(get, folder):
    before = get("data/sweep.json")
    path = folder / "data/sweep.json"
    shutil.copy(path, folder / "kept.json")
    path.write_text(FILES["data/sweep.json"].replace("5", "6"))
    os.utime(path, (1, 1))
    after = get("data/sweep.json", if_none_match=before.headers["etag"])
    assert after.status_code == 200
    assert after.text == before.text.replace("5", "6")
    shutil.move(folder / "kept.json", path)
