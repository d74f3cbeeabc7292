"""Run the server: the game is solved once, then uvicorn starts workers that find it on disk.

The files of the site over HTTP: what they are, how long a browser may keep them, and packed where that helps.

Any static host can serve the site; this is how it should. Names in `assets/` have a digest of their content, so a
browser need never ask for one again. Everything else keeps its name when it changes: it is asked for each time,
and the answer is 304 if it is the same.
"""

import errno
import gzip
import mimetypes
import os
import re
import socket
import threading
import webbrowser
from collections.abc import Iterable, MutableMapping, Sequence
from functools import lru_cache
from pathlib import Path
from typing import Any

import uvicorn
from fastapi import HTTPException
from fastapi.datastructures import Headers
from fastapi.responses import FileResponse, Response
from fastapi.staticfiles import StaticFiles

from yatzy.coach.advice import Coach
from yatzy.coach.preparation import start_warming
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset
from yatzy.solver.store import stored_table
from yatzy.storage import home, shipped_site

SECONDS_TO_FINISH = 15
# A worker that is silent for longer is replaced; on a busy machine it may only be waiting for its turn.
SECONDS_TO_ANSWER = 30
SECONDS_TO_OPEN = 2.0
# Where the treatise is built by default, seen from the project's own folder.
BUILT_SITE = Path("site")
HOST_NAME = re.compile(r"[\w-]+(\.[\w-]+)*\.?", re.ASCII)


def find_site(site: Path | None) -> Path | None:
    """The folder to serve: the one given, else the one that came with the package or was built here, if any."""
    if site is None:
        if shipped := shipped_site():
            return shipped
        return BUILT_SITE.resolve() if (BUILT_SITE / "index.html").is_file() else None
    if not site.is_dir():
        raise YatzyError("site", str(site), why="is not a folder")
    return site.resolve()


def check_names(names: Iterable[str]) -> None:
    """Refuse what no request can name as its host."""
    for name in names:
        if not HOST_NAME.fullmatch(name):
            raise YatzyError("allow-host", name, "a name such as den.example, without scheme, port or path")


def get_ready(rules: Ruleset, host: str, port: int, context: Context = DEFAULT_CONTEXT) -> None:
    """Solve the game if it is not stored yet, so that no worker has to; refuse a taken address."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        socket.getaddrinfo(host or None, port, family, socket.SOCK_STREAM)
    except (OSError, UnicodeError) as error:
        raise YatzyError("host", host, why=f"is not an address of this machine ({error})") from None
    try:
        with socket.create_server((host, port), family=family):
            pass
    except (OSError, OverflowError) as error:
        field = "host" if getattr(error, "errno", None) == errno.EADDRNOTAVAIL else "port"
        raise YatzyError(field, why=f"cannot listen on {host}:{port} ({error})") from None
    table = stored_table(rules, context=context, draft=True)
    if Coach(table, look_in=home(context.home)).chances is None:
        start_warming(rules, context.home, attached=True)


def run(
    rules: str,
    host: str,
    port: int,
    workers: int = 1,
    site: Path | None = None,
    folder: Path | None = None,
    page: str | None = None,
    hosts: Sequence[str] = (),
) -> None:
    """Serve until SIGTERM or Ctrl-C: requests under way are finished, new ones refused.

    `rules` is the name of a game or the path of its file: every process reads it for itself.
    """
    os.environ["YATZY_RULES"] = rules
    os.environ["YATZY_WARMED"] = "1"
    if folder:
        os.environ["YATZY_HOME"] = str(folder)
    if site:
        os.environ["YATZY_SITE"] = str(site)
    os.environ["YATZY_HOSTS"] = " ".join([host, socket.gethostname(), *hosts])
    if workers > 1:
        os.environ["YATZY_PARENT"] = str(os.getpid())
    if page:
        threading.Timer(SECONDS_TO_OPEN, webbrowser.open, [page]).start()
    uvicorn.run(
        "yatzy.server.app:create_app",
        factory=True,
        host=host,
        port=port,
        http="yatzy.server.guard:Connection",
        workers=workers,
        log_level="warning",
        access_log=False,
        ws="none",
        server_header=False,
        timeout_graceful_shutdown=SECONDS_TO_FINISH,
        timeout_worker_healthcheck=SECONDS_TO_ANSWER,
    )


UNCHANGING = "assets"
FOR_EVER, ASK_EACH_TIME = "public, max-age=31536000, immutable", "no-cache"
# Some systems call scripts plain text, and a browser told not to guess then refuses them.
TYPES = {
    ".js": "text/javascript",
    ".json": "application/json",
    ".svg": "image/svg+xml",
    ".wasm": "application/wasm",
    ".webmanifest": "application/manifest+json",
    ".woff2": "font/woff2",
}
# Pictures and fonts are packed already. Each file is packed once and kept, so it must not be too large.
PACKED = (".bin", ".css", ".html", ".js", ".json", ".svg", ".wasm", ".webmanifest")
MIN_PACKED, MAX_PACKED, FILES_KEPT = 500, 1_000_000, 256

for _suffix, _type in TYPES.items():
    mimetypes.add_type(_type, _suffix)


class SiteFiles(StaticFiles):
    """The files of the site; hidden ones are nobody's business, and what cannot be read is not there."""

    def lookup_path(self, path: str) -> tuple[str, os.stat_result | None]:
        if any(part.startswith(".") for part in Path(path).parts if part != "."):
            return "", None
        try:
            return super().lookup_path(path)
        except (OSError, ValueError):
            return "", None

    def file_response(
        self,
        full_path: str | os.PathLike[str],
        stat_result: os.stat_result,
        scope: MutableMapping[str, Any],
        status_code: int = 200,
    ) -> Response:
        answer = super().file_response(full_path, stat_result, scope, status_code)
        path, asked = Path(full_path), Headers(scope=scope)
        if path.suffix in PACKED and MIN_PACKED <= stat_result.st_size <= MAX_PACKED:
            if isinstance(answer, FileResponse) and "gzip" in asked.get("accept-encoding", ""):
                answer = _packed(path, stat_result, answer.headers)
            answer.headers["vary"] = "accept-encoding"
        answer.headers["cache-control"] = FOR_EVER if path.parent.name == UNCHANGING else ASK_EACH_TIME
        return answer


def _packed(path: Path, found: os.stat_result, headers: Headers) -> Response:
    try:
        content = _pack(path, found.st_mtime_ns, found.st_size)
    except OSError:
        raise HTTPException(404) from None
    kept = {name: headers[name] for name in ("content-type", "last-modified")}
    # Weak: the same content in other bytes.
    return Response(content, headers={**kept, "content-encoding": "gzip", "etag": f"W/{headers['etag']}"})


@lru_cache(maxsize=FILES_KEPT)
def _pack(path: Path, modified: int, size: int) -> bytes:
    """By time and size too: a site may be built again while it is served."""
    return gzip.compress(path.read_bytes(), mtime=0)
