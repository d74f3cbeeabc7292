"""What protects the app: timeouts and limits of connections, allowed hosts, security headers.

Uvicorn waits as long as a client takes to send headers and bodies or to read a response, and accepts any number of
connections. Here each phase of a connection has a timeout, headers have a size limit, and when there are too many
connections the one that has been idle longest is closed.

A page on another site can make a browser send requests here, and a name that points to this machine makes them
look same-origin (DNS rebinding). So the host of a request must be a numeric address, `localhost` or an allowed
name, and the API refuses requests that a browser marks as cross-site.
"""

import asyncio
import ipaddress
import socket
from collections.abc import Awaitable, Callable, Collection, Iterable, MutableMapping
from contextlib import suppress
from contextvars import ContextVar
from functools import lru_cache
from http import HTTPStatus
from typing import Any, ClassVar
from urllib.parse import urlsplit

from pydantic import TypeAdapter
from uvicorn.protocols.http.auto import AutoHTTPProtocol

from yatzy.errors import LONGEST_GIVEN, NOT_GIVEN
from yatzy.game.json import json_type
from yatzy.server.coaches import while_connected
from yatzy.server.models import ErrorBody, ErrorResponse

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

REFUSED, ANY = TypeAdapter(json_type(ErrorResponse)), TypeAdapter(Any)
MAX_BODY = 64 * 1024
MAX_HEADERS = 32 * 1024
MAX_HOST_LENGTH = 80
# Timeouts of a client: to send its headers, to send its body, and to go on reading a response.
SECONDS = {"headers": 10.0, "body": 10.0, "reading": 20.0}
MAX_CONNECTIONS = 1000
# File descriptors for anything but connections.
SPARE_FILES = 64
END_OF_HEADERS = b"\r\n\r\n"
# Bytes passed to uvicorn at once: all requests that fit into them may arrive before the first response.
PIECE = 16 * 1024

# Everything comes from this server, and nothing is inline, neither scripts nor styles. Pages repeat the policy in
# a meta element for hosts that send no headers; frame-ancestors is not allowed there.
PAGE_POLICY = (
    "default-src 'self'; script-src 'self' 'wasm-unsafe-eval'; img-src 'self' data:; object-src 'none'; "
    "base-uri 'none'; form-action 'self'"
)
POLICY = f"{PAGE_POLICY}; frame-ancestors 'none'"
HEADERS = [
    (b"content-security-policy", POLICY.encode()),
    (b"x-content-type-options", b"nosniff"),
    (b"x-frame-options", b"DENY"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-opener-policy", b"same-origin"),
    (b"permissions-policy", b"camera=(), geolocation=(), microphone=()"),
]


def error_body(
    field: str | None, message: str, given: Any = NOT_GIVEN, allowed: str | Collection[str] | None = None
) -> bytes:
    """The body of every error response; `given` is included if it is short."""
    told: ErrorBody = {"field": field, "message": message}
    if given is not NOT_GIVEN and len(repr(given)) <= LONGEST_GIVEN:
        with suppress(ValueError):
            told["given"] = ANY.dump_python(given, mode="json")
    if allowed is not None:
        told["allowed"] = allowed if isinstance(allowed, str) else list(allowed)
    return REFUSED.dump_json({"error": told})


@lru_cache(maxsize=1)
def most_connections() -> int:
    """As many connections as the limit on open files allows, after raising that limit as far as possible."""
    try:
        import resource
    except ImportError:  # Windows
        return MAX_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MAX_CONNECTIONS + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return MAX_CONNECTIONS if soft == resource.RLIM_INFINITY else max(min(MAX_CONNECTIONS, soft - SPARE_FILES), 1)


class Connection(asyncio.Protocol):
    """One connection, between the socket and uvicorn's protocol.

    Its phases: `headers`, `body`, `answer`, `reading` while the client has yet to read what was written, `idle`,
    and `lost`. The app reports when a request has arrived, when its body is complete and when the response is
    written.
    """

    OPEN: ClassVar[set["Connection"]] = set()
    # The one whose request is being served.
    CURRENT: ClassVar[ContextVar["Connection | None"]] = ContextVar("connection", default=None)
    _transport: Any = None

    def __init__(self, **given_by_uvicorn: Any) -> None:
        self._protocol: Any = AutoHTTPProtocol(**given_by_uvicorn)
        self._loop = asyncio.get_running_loop()
        self._phase, self._since = "", 0.0
        self._timer: asyncio.TimerHandle | None = None
        self._headers = bytearray()
        self._after_headers = 0
        self._is_asked = self._is_taking = False

    def __getattr__(self, name: str) -> Any:
        """For uvicorn, this is the transport."""
        return getattr(self._transport, name)

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self._transport = transport
        # Headers and body are separate writes: do not wait for the client to acknowledge the first.
        if own := transport.get_extra_info("socket"):
            own.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.OPEN.add(self)
        self._enter("headers")
        self._protocol.connection_made(self)
        if len(self.OPEN) > most_connections():
            waiting = [one for one in self.OPEN if one is not self and one._may_go]
            min(waiting, key=lambda one: one._since, default=self).abort()

    @property
    def _may_go(self) -> bool:
        """Whether no response is under way."""
        return self._phase in ("headers", "idle") or self.is_closing()

    def connection_lost(self, exc: Exception | None) -> None:
        self.OPEN.discard(self)
        self._enter("lost")
        self._protocol.connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._phase in ("answer", "reading"):
            # No browser pipelines requests.
            self.abort()
            return
        self.CURRENT.set(self)
        for start in range(0, len(data), PIECE):
            if not self.is_closing():
                self._take(data[start : start + PIECE])

    def _take(self, data: bytes) -> None:
        if self._phase == "body":
            self._after_headers += len(data)
        elif not self._look_for_end(data if self._headers else data.lstrip(b"\r\n")):
            return
        self._is_taking = True
        try:
            self._protocol.data_received(data)
        finally:
            self._is_taking = False
        if not self.is_closing() and not self.is_reading() and self._after_headers <= MAX_BODY:
            # Uvicorn stopped reading, and not because of a large body: another request follows this one.
            self.abort()

    def _look_for_end(self, data: bytes) -> bool:
        """Whether the headers received so far are within the limit."""
        known = len(self._headers)
        self._headers += data
        end = self._headers.find(END_OF_HEADERS, max(known - len(END_OF_HEADERS) + 1, 0))
        size = len(self._headers) if end < 0 else end + len(END_OF_HEADERS)
        if size > MAX_HEADERS:
            self._refuse(431, f"headers are larger than {MAX_HEADERS} bytes")
            return False
        if end < 0:
            self._enter("headers")
        else:
            self._after_headers = len(self._headers) - size
            self._headers.clear()
            self._enter("body")
        return True

    def write(self, data: bytes) -> None:
        if self._is_taking:
            # Uvicorn responds while still reading only if the request is malformed.
            self._refuse(400, "the request is not valid HTTP")
        else:
            self._transport.write(data)

    def close(self) -> None:
        """Close once the client has read what was written, or after the timeout for reading."""
        self._transport.close()
        self._enter("reading")

    def abort(self) -> None:
        self.OPEN.discard(self)
        self._enter("lost")
        self._transport.abort()

    def pause_writing(self) -> None:
        self._protocol.pause_writing()
        self._enter("reading")

    def resume_writing(self) -> None:
        self._protocol.resume_writing()
        if not self.is_closing():
            self._enter("answer" if self._is_asked else "idle")

    def asked(self) -> bool:
        """A request has reached the app; False if it was pipelined and is not to be served."""
        if self._phase != "body":
            self.abort()
            return False
        self._is_asked = True
        return True

    def body_read(self) -> None:
        """The body is complete, or is no longer needed."""
        if self._phase == "body":
            self._enter("answer")

    def answered(self) -> None:
        """The response is written; uvicorn itself closes connections that stay idle."""
        self._is_asked = False
        if self._phase != "reading":
            self._enter("idle")

    def _enter(self, phase: str) -> None:
        """Begin a phase and its timeout, unless it is under way."""
        if self._phase in (phase, "lost"):
            return
        self._phase, self._since = phase, self._loop.time()
        if self._timer:
            self._timer.cancel()
        seconds = SECONDS.get(phase)
        self._timer = self._loop.call_later(seconds, self._too_slow) if seconds else None

    def _too_slow(self) -> None:
        if self._phase == "headers" and self._headers:
            self._refuse(408, "the headers took too long")
        else:
            self.abort()

    def _refuse(self, status: int, message: str) -> None:
        if not self.is_closing():
            lines = [b"HTTP/1.1 %d %s" % (status, HTTPStatus(status).phrase.encode())]
            body = error_body(None, message)
            lines += [b"%s: %s" % header for header in (*_closing(body), *HEADERS)]
            self._transport.write(b"\r\n".join([*lines, b"", body]))
            self.close()


class ConnectionGuard:
    """Reports the progress of a request to its connection, and adds the security headers to every response."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        connection = Connection.CURRENT.get()
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if connection is not None and not connection.asked():
            return

        async def received() -> Message:
            message = await receive()
            if connection is not None and message["type"] == "http.request" and not message.get("more_body"):
                connection.body_read()
            return message

        async def sent(message: Message) -> None:
            starts = message["type"] == "http.response.start"
            if starts:
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            if connection is not None and starts:
                connection.body_read()
            await send(message)
            if connection is not None and not starts and not message.get("more_body"):
                connection.answered()

        await self.app(scope, received, sent)


class HostGuard:
    """Refuses other hosts with 421, and cross-site requests to the API with 403."""

    def __init__(self, app: App, names: Iterable[str] = ()) -> None:
        self.app = app
        self.names = {"localhost", *(name.lower().rstrip(".") for name in names)}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            host = headers.get(b"host", b"").decode("latin-1").lower()
            if not self._is_ours(host):
                await _refuse(
                    send, 421, "host", f"{host[:MAX_HOST_LENGTH]!r} is not served here (see --allow-host)"
                )
                return
            if scope["path"].startswith("/api/") and not _is_same_origin(headers, host):
                await _refuse(send, 403, "origin", "only programs and pages of this server may use the API")
                return
            if scope["method"] == "HEAD" and scope["path"].startswith("/api/"):
                # Handled as GET; uvicorn leaves out the body.
                scope = {**scope, "method": "GET"}
        await self.app(scope, receive, send)

    def _is_ours(self, host: str) -> bool:
        try:
            name = urlsplit(f"//{host}").hostname or ""
        except ValueError:
            return False
        return name.rstrip(".") in self.names or _is_address(name)


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _is_same_origin(headers: dict[bytes, bytes], host: str) -> bool:
    """Programs send neither header; browsers send Sec-Fetch-Site to trustworthy hosts, and Origin with a POST."""
    site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
    if site is not None:
        return site in (b"same-origin", b"none")
    return origin is None or origin.decode("latin-1").lower().partition("://")[2] == host


class BodyLimit:
    """Refuses bodies of more than MAX_BODY bytes with 413; cancels the request if the client disconnects."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        body, more = b"", int(length) <= MAX_BODY if length.isdigit() else True
        too_large = not more
        while more and not too_large:
            received = await receive()
            if received["type"] == "http.disconnect":
                return
            body += received.get("body", b"")
            more = received.get("more_body", False)
            too_large = len(body) > MAX_BODY
        if too_large:
            message = f"is larger than {MAX_BODY} bytes, the limit"
            await _refuse(send, 413, "body", message)
            return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            if not whole:
                await asyncio.Event().wait()
            return whole.pop()

        await while_connected(lambda: self.app(scope, replay, send), receive)


async def _refuse(send: Send, status: int, field: str, message: str) -> None:
    body = error_body(field, message)
    await send({"type": "http.response.start", "status": status, "headers": _closing(body)})
    await send({"type": "http.response.body", "body": body})


def _closing(body: bytes) -> list[tuple[bytes, bytes]]:
    """Headers of a response that ends the connection."""
    length = str(len(body)).encode()
    return [(b"content-type", b"application/json"), (b"content-length", length), (b"connection", b"close")]
