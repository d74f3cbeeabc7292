"""Connections that cannot be held for ever: limits that uvicorn itself does not have.

Uvicorn reads headers and bodies as slowly as a client likes to send them and keeps any number of connections. This
protocol gives each phase of a connection its seconds, counts the bytes of headers, and, when there are as many
connections as it may have, closes the one that has been idle longest to make room for a new one.
"""

import asyncio
from functools import lru_cache
from typing import Any

from uvicorn.protocols.http.auto import AutoHTTPProtocol

from yatzy.server.guard import HEADERS, fault

# By phase: how long a client may take to send its headers, to send its body, and to read on in an answer.
SECONDS = {"headers": 10.0, "body": 10.0, "reading": 20.0}
LARGEST_HEADERS = 32 * 1024
MOST_CONNECTIONS = 1000
# Descriptors for anything but connections.
SPARE_FILES = 64
REASONS = {400: "Bad Request", 408: "Request Timeout", 431: "Request Header Fields Too Large"}


@lru_cache(maxsize=1)
def most_connections() -> int:
    """As many as the limit on open files allows, which is raised as far as it may be."""
    try:
        import resource
    except ImportError:  # Windows
        return MOST_CONNECTIONS
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = MOST_CONNECTIONS + SPARE_FILES
    if soft != resource.RLIM_INFINITY and soft < wanted:
        soft = wanted if hard == resource.RLIM_INFINITY else min(hard, wanted)
        resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))
    return (
        MOST_CONNECTIONS if soft == resource.RLIM_INFINITY else max(min(MOST_CONNECTIONS, soft - SPARE_FILES), 1)
    )


class GuardedProtocol(AutoHTTPProtocol):  # type: ignore[misc, valid-type]
    """One connection."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._phase = ""
        self._timer: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._since = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._enter("headers")
        if len(self.connections) > most_connections():
            idle = [one for one in self.connections if one is not self and one._phase == "headers"]
            oldest = min(idle, key=lambda one: one._since, default=self)
            oldest.transport.abort()

    def connection_lost(self, exc: Exception | None) -> None:
        self._enter("")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self._phase in ("headers", "idle"):
            self._enter("headers")
            self._header_bytes += len(data)
        super().data_received(data)
        if self.transport.is_closing():
            return
        cycle = self.cycle
        if cycle is None or cycle.response_complete:
            if self._header_bytes > LARGEST_HEADERS:
                self._refuse(431, f"headers are larger than {LARGEST_HEADERS} bytes")
        else:
            self._header_bytes = 0
            self._enter("body" if cycle.more_body else "answer")

    def on_response_complete(self) -> None:
        self._header_bytes = 0
        # Uvicorn itself closes a connection that stays idle after an answer.
        self._enter("idle")
        super().on_response_complete()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._enter("reading")

    def resume_writing(self) -> None:
        super().resume_writing()
        self._enter("answer")

    def send_400_response(self, msg: str) -> None:
        """Malformed HTTP is answered as every other mistake."""
        self._refuse(400, msg)

    def _enter(self, phase: str) -> None:
        """Begin a phase, if it is not under way; its time runs from here."""
        if phase == self._phase:
            return
        self._phase, self._since = phase, self.loop.time()
        if self._timer:
            self._timer.cancel()
        seconds = SECONDS.get(phase)
        self._timer = self.loop.call_later(seconds, self._too_slow) if seconds else None

    def _too_slow(self) -> None:
        if self._phase == "headers" and not self._header_bytes:
            self.transport.close()
        elif self._phase == "headers":
            self._refuse(408, "the headers took too long")
        else:
            self.transport.abort()

    def _refuse(self, status: int, message: str) -> None:
        body = fault(None, message)
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(body)).encode()),
            (b"connection", b"close"),
            *HEADERS,
        ]
        lines = [
            f"HTTP/1.1 {status} {REASONS[status]}".encode(),
            *(name + b": " + value for name, value in headers),
        ]
        if not self.transport.is_closing():
            self.transport.write(b"\r\n".join([*lines, b"", body]))
            self.transport.close()
