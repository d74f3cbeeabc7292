"""Run the server: the game is solved once, then uvicorn starts workers that find it on disk."""

import errno
import os
import re
import socket
import threading
import webbrowser
from collections.abc import Iterable, Sequence
from pathlib import Path

import uvicorn

from yatzy.coach.advice import Coach
from yatzy.coach.warming import start_warming
from yatzy.context import HERE, Context
from yatzy.errors import YatzyError
from yatzy.home import home
from yatzy.rules import Ruleset
from yatzy.shipped import shipped_site
from yatzy.solver.store import stored_table

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


def get_ready(rules: Ruleset, host: str, port: int, context: Context = HERE) -> None:
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
        start_warming(rules, context.home, outlives_us=False)


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
