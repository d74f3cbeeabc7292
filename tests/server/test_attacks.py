"""Clients that mean no good, or are only slow, broken or gone: everybody else is served as before."""

import asyncio
import json
import os
import signal
import socket
import subprocess
import threading
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path
from urllib.parse import urlsplit

import pytest
import requests
import uvicorn

from listening import listening
from samples import is_running
from server.conftest import PATIENCE
from yatzy.lab.bench.processes import SERVE, running_server
from yatzy.server import guard
from yatzy.server.app import create_app
from yatzy.server.coaches import Coaches
from yatzy.server.guard import MAX_HOST_LENGTH

pytestmark = pytest.mark.compiled

SITUATION = {"dice": [2, 5, 5, 5, 6], "rerolls": 1, "filled": ["ones"], "upper": 3}


@pytest.fixture(params=["h11_impl:H11Protocol", "httptools_impl:HttpToolsProtocol"], autouse=True)
def protocol(request, monkeypatch):
    """Uvicorn reads HTTP by h11, or by httptools where that is installed."""
    module, _, name = request.param.partition(":")
    found = pytest.importorskip(f"uvicorn.protocols.http.{module}", exc_type=ImportError)
    monkeypatch.setattr(guard, "AutoHTTPProtocol", getattr(found, name))


def opened(address: str) -> socket.socket:
    where = urlsplit(address)
    assert where.hostname
    assert where.port
    return socket.create_connection((where.hostname, where.port), timeout=PATIENCE)


def sent(address: str, text: bytes) -> bytes:
    """What comes back until the server closes."""
    with closing(opened(address)) as connection:
        connection.sendall(text)
        answer = b""
        while more := connection.recv(65536):
            answer += more
    return answer


def is_well(address: str) -> bool:
    return requests.get(f"{address}/api/health", timeout=PATIENCE).json()["status"] == "ok"


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "", "[::", "x" * 5000])
def test_another_host_is_refused(address, host):
    answer = requests.get(f"{address}/api/health", headers={"host": host}, timeout=PATIENCE)
    assert answer.status_code in (400, 421)
    assert len(answer.text) < MAX_HOST_LENGTH + 200
    if answer.status_code == 421:
        assert answer.json()["error"]["field"] == "host"


@pytest.mark.parametrize("host", ["localhost:1", "127.0.0.1", "[::1]:8000", "192.168.1.7:8000", "LOCALHOST"])
def test_addresses_and_this_machine_are_served(address, host):
    assert requests.get(f"{address}/api/health", headers={"host": host}, timeout=PATIENCE).status_code == 200


@pytest.mark.usefixtures("nothing_ahead")
def test_a_name_can_be_allowed(home, monkeypatch):
    monkeypatch.setenv("YATZY_HOSTS", "den.example other.example")
    with listening(create_app("scandinavian", home)) as address:
        for host, status in {"den.example": 200, "DEN.example:80": 200, "evil.example": 421}.items():
            answer = requests.get(f"{address}/api/health", headers={"host": host}, timeout=PATIENCE)
            assert answer.status_code == status


@pytest.mark.parametrize(
    "headers",
    [{"sec-fetch-site": "cross-site"}, {"sec-fetch-site": "same-site"}, {"origin": "https://evil.example"},
     {"origin": "null"}],
)  # fmt: skip
def test_a_page_of_another_site_gets_no_answer(address, headers):
    for answer in (
        requests.get(f"{address}/api/state-value", headers=headers, timeout=PATIENCE),
        requests.post(f"{address}/api/advise", json=SITUATION, headers=headers, timeout=PATIENCE),
    ):
        assert answer.status_code == 403
        assert answer.json()["error"]["field"] == "origin"


def test_its_own_page_gets_one(address):
    headers = {"sec-fetch-site": "same-origin", "origin": address}
    assert requests.post(f"{address}/api/advise", json=SITUATION, headers=headers, timeout=PATIENCE).ok
    # A link from elsewhere leads to the page, not to the API.
    assert requests.get(f"{address}/play/", headers={"sec-fetch-site": "cross-site"}, timeout=PATIENCE).ok


def test_head_is_get_without_a_body(address):
    for path in ("/api/health", "/api/state-value?upper=0", "/index.html"):
        answer = requests.head(f"{address}{path}", timeout=PATIENCE)
        assert answer.status_code == 200
        assert answer.content == b""


def test_hidden_files_and_broken_links_are_not_there(address, site):
    (site / ".secret").write_text("secret")
    (site / ".git").mkdir(exist_ok=True)
    (site / ".git" / "config").write_text("secret")
    loop = site / "loop"
    if not loop.is_symlink():
        loop.symlink_to(loop)
    for path in ("/.secret", "/.git/config", "/loop", "/loop/x", "/%00"):
        assert requests.get(f"{address}{path}", timeout=PATIENCE).status_code in (400, 404)


@pytest.mark.parametrize("text", [b"NONSENSE\r\n\r\n", b"GET / HTTP/9.9\r\n\r\n", b"\x00\x01\x02\r\n\r\n"])
def test_malformed_http_is_answered_in_json(address, text):
    head, _, body = sent(address, text).partition(b"\r\n\r\n")
    # h11 takes any version, and then there is no host.
    assert head.startswith((b"HTTP/1.1 400", b"HTTP/1.1 421"))
    assert b"application/json" in head
    assert json.loads(body)["error"]["message"]


def test_headers_have_a_limit(address):
    lines = b"".join(b"x-%d: %s\r\n" % (n, b"y" * 1000) for n in range(200))
    answer = sent_in_pieces(address, b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n" + lines)
    assert answer.startswith((b"HTTP/1.1 431", b"HTTP/1.1 400"))
    assert is_well(address)


def sent_in_pieces(address: str, text: bytes) -> bytes:
    with closing(opened(address)) as connection:
        try:
            for start in range(0, len(text), 8192):
                connection.sendall(text[start : start + 8192])
                time.sleep(0.01)
        except OSError:
            pass
        try:
            return connection.recv(65536)
        except ConnectionResetError:
            return b"HTTP/1.1 431 (reset)"


@pytest.mark.parametrize(
    "begun",
    [b"", b"GET /api/health HTTP/1.1\r\nhost: loc",
     b"POST /api/advise HTTP/1.1\r\nhost: localhost\r\ncontent-length: 100\r\n\r\n{"],
    ids=["nothing", "headers", "body"],
)  # fmt: skip
def test_a_slow_client_is_not_waited_for(address, begun, monkeypatch):
    monkeypatch.setattr(guard, "SECONDS", {"headers": 0.3, "body": 0.3, "reading": 0.3})
    answer = sent(address, begun)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 408")
    assert is_well(address)


def test_idle_connections_make_room(address, monkeypatch):
    monkeypatch.setattr(guard, "most_connections", lambda: 20)
    with ExitStack() as stack:
        for _ in range(60):
            stack.enter_context(closing(opened(address)))
        for _ in range(3):
            assert is_well(address)


def test_kept_alive_connections_make_room_too(address, monkeypatch):
    monkeypatch.setattr(guard, "most_connections", lambda: 10)
    with ExitStack() as stack:
        for _ in range(30):
            session = stack.enter_context(requests.Session())
            assert session.get(f"{address}/api/health", timeout=PATIENCE).ok
        assert is_well(address)


def test_requests_in_a_row_without_waiting_are_not_taken(address):
    """No browser does that, and it was a way around every limit."""
    one = b"GET /api/health HTTP/1.1\r\nhost: localhost\r\n\r\n"
    assert sent(address, one * 3).count(b"HTTP/1.1 200") <= 1
    assert is_well(address)


def read_late(address, wait):
    """How many bytes of a large answer come to somebody who reads none of it for `wait` seconds."""
    with closing(opened(address)) as connection:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 18)
        connection.sendall(b"GET /large.bin HTTP/1.1\r\nhost: localhost\r\n\r\n")
        time.sleep(wait)
        connection.settimeout(PATIENCE)
        got = 0
        with suppress(ConnectionResetError):
            while more := connection.recv(1 << 20):
                got += len(more)
    return got


def test_who_does_not_read_an_answer_is_left(address, site, monkeypatch):
    """The file is larger than what the network holds; a byte sent meanwhile buys no time."""
    (site / "large.bin").write_bytes(b"x" * 60_000_000)
    monkeypatch.setattr(guard, "SECONDS", {"headers": 5, "body": 5, "reading": 1})
    # A busy machine may take longer to notice.
    assert any(read_late(address, wait) < 60_000_000 for wait in (2, 8, 32))
    (site / "large.bin").unlink()
    assert is_well(address)


class Unread(asyncio.Transport):
    """What is written here is never taken, so closing never ends."""

    def __init__(self):
        super().__init__()
        self.closing = False
        self.aborted = asyncio.Event()

    def is_closing(self):
        return self.closing

    def close(self):
        self.closing = True

    def abort(self):
        self.aborted.set()


def test_who_does_not_read_the_end_of_an_answer_is_left_too(monkeypatch):
    """A connection that was closed with its last bytes unread stayed for ever, and nothing took its place."""
    monkeypatch.setattr(guard, "SECONDS", {"reading": 0.1})

    async def close_unread():
        state = uvicorn.server.ServerState()
        connection = guard.Connection(config=uvicorn.Config(print), server_state=state, app_state={})
        transport = Unread()
        connection.connection_made(transport)
        next(iter(state.connections)).shutdown()
        assert transport.closing
        await asyncio.wait_for(transport.aborted.wait(), PATIENCE)

    asyncio.run(close_unread())


def test_the_end_of_an_answer_does_not_wait_for_the_client():
    """Workers inherit a socket on which asyncio leaves Nagle's algorithm on: every answer took 40 ms longer."""

    async def connected():
        with socket.socket() as inherited:
            transport = Unread()
            transport._extra["socket"] = inherited
            connection = guard.Connection(
                config=uvicorn.Config(print), server_state=uvicorn.server.ServerState(), app_state={}
            )
            connection.connection_made(transport)
            assert inherited.getsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY)
            connection.connection_lost(None)

    asyncio.run(connected())


def test_what_nobody_waits_for_is_not_computed(home, monkeypatch):
    """Nine ask for thetas whose tables are never done, and leave; a tenth gets its answer as soon as it asks."""
    begun, finished = threading.Event(), []
    real = Coaches._solve

    def endless(self, rules, theta, progress):
        while theta != 0.5:
            begun.set()
            progress(0, 1)
            time.sleep(0.01)
        finished.append(theta)
        return real(self, rules, theta, progress)

    monkeypatch.setattr(Coaches, "_look_ahead", lambda self, key, progress: ([1.0], 0.0))
    with listening(create_app("scandinavian", home)) as address:
        monkeypatch.setattr(Coaches, "_solve", endless)
        gone = [opened(address) for _ in range(9)]
        for n, connection in enumerate(gone[:8]):
            body = json.dumps({**SITUATION, "theta": 0.01 * (n + 1)}).encode()
            connection.sendall(
                b"POST /api/advise HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
                b"content-length: %d\r\n\r\n%s" % (len(body), body)
            )
        gone[8].sendall(b"GET /api/state-value?theta=0.123 HTTP/1.1\r\nhost: localhost\r\n\r\n")
        assert begun.wait(PATIENCE)
        for connection in gone:
            connection.close()
        until = time.monotonic() + PATIENCE
        while time.monotonic() < until:
            answer = requests.post(f"{address}/api/advise", json={**SITUATION, "theta": 0.5}, timeout=PATIENCE)
            if answer.status_code != 503:
                break
            time.sleep(0.05)
    assert answer.status_code == 200
    assert finished == [0.5]


def test_workers_leave_with_a_killed_parent(yacht):
    with running_server(2, *yacht) as (port, process):
        children = [
            int(pid)
            for task in Path(f"/proc/{process.pid}/task").glob("*/children")
            for pid in task.read_text().split()
        ]
        assert children
        assert requests.get(f"http://127.0.0.1:{port}/api/health", timeout=PATIENCE).ok
        process.send_signal(signal.SIGKILL)
        process.wait(PATIENCE)
        until = time.monotonic() + 60
        while any(map(is_running, children)) and time.monotonic() < until:
            time.sleep(0.2)
        assert not [pid for pid in children if is_running(pid)]


# To solve for a new theta goes on until nobody waits for it; that real solving stops then is tested above.
ENDLESSLY = """
import threading
import time
from pathlib import Path
from yatzy.server import run
from yatzy.server.coaches import Coaches
run.SECONDS_TO_FINISH = 1
def endlessly(self, rules, theta, progress):
    Path({folder!r}, "begun").touch()
    while True:
        progress(0, 1)
        time.sleep(0.02)
Coaches._solve = endlessly
"""


def test_it_ends_at_once_though_something_is_being_computed(yacht, tmp_path):
    with running_server(1, *yacht, code=ENDLESSLY.format(folder=str(tmp_path)) + SERVE) as (port, process):
        connection = socket.create_connection(("127.0.0.1", port), timeout=PATIENCE)
        body = json.dumps({"dice": SITUATION["dice"], "rerolls": 1, "theta": 0.777}).encode()
        connection.sendall(
            b"POST /api/advise HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
            b"content-length: %d\r\n\r\n%s" % (len(body), body)
        )
        until = time.monotonic() + PATIENCE
        while not (tmp_path / "begun").exists() and time.monotonic() < until:
            time.sleep(0.02)
        began = time.monotonic()
        os.kill(process.pid, signal.SIGTERM)
        try:
            process.wait(30)
        except subprocess.TimeoutExpired:
            pytest.fail("still there after 30 s")
        assert time.monotonic() - began < 25
        connection.close()
