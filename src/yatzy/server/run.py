"""Run the server: solve the game once, then start uvicorn's workers, which load it from disk."""

import errno
import os
import re
import socket
from collections.abc import Iterable, Sequence
from pathlib import Path

import uvicorn

from yatzy.coach.advice import Coach
from yatzy.coach.preparation import start_warming
from yatzy.context import DEFAULT_CONTEXT, Context
from yatzy.errors import YatzyError
from yatzy.rules import Ruleset
from yatzy.solver.store import stored_table
from yatzy.storage import home, shipped_site

SECONDS_TO_FINISH = 15
# A worker that does not respond for longer is replaced; on a busy machine it may only be waiting for the CPU.
SECONDS_TO_ANSWER = 30
# Where the site is usually built, relative to the project's folder.
BUILT_SITE = Path("site")
HOST_NAME = re.compile(r"[\w-]+(\.[\w-]+)*\.?", re.ASCII)


def find_site(site: Path | None) -> Path | None:
    """The folder to serve: the one given, else the one in the package or built here, if any."""
    if site is None:
        if shipped := shipped_site():
            return shipped
        return BUILT_SITE.resolve() if (BUILT_SITE / "index.html").is_file() else None
    if not site.is_dir():
        raise YatzyError("site", str(site), why="is not a folder")
    return site.resolve()


def check_names(names: Iterable[str]) -> None:
    """Refuse names that cannot be the host of a request."""
    for name in names:
        if not HOST_NAME.fullmatch(name):
            raise YatzyError("allow-host", name, "a name such as den.example, without scheme, port or path")


def get_ready(rules: Ruleset, host: str, port: int, context: Context = DEFAULT_CONTEXT) -> None:
    """Solve the game unless it is stored, so that no worker has to; refuse an address that is in use."""
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
    hosts: Sequence[str] = (),
) -> None:
    """Serve until SIGTERM or Ctrl-C, then finish the requests under way and refuse new ones.

    `rules` is the name of a game or the path of its file, which every process reads for itself.
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
