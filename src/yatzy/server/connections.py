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

# By phase: how long a client may take to send its headers and its body, to read on in an answer, and to ask again.
SECONDS = {"headers": 10.0, "body": 10.0, "reading": 20.0, "idle": 5.0}
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
    """One connection. Its phase follows from its state after every event, and each phase has its time."""

    def __init__(self, *arguments: Any, **named: Any) -> None:
        super().__init__(*arguments, **named)
        self._phase = ""
        self._timer: asyncio.TimerHandle | None = None
        self._header_bytes = 0
        self._since = 0.0

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._look()
        if len(self.connections) > most_connections():
            waiting = [one for one in self.connections if one is not self and one.may_go]
            oldest = min(waiting, key=lambda one: one._since, default=self)
            oldest.transport.abort()

    @property
    def may_go(self) -> bool:
        """Nothing is being answered here."""
        return self._phase in ("headers", "idle") and not self.transport.is_closing()

    def connection_lost(self, exc: Exception | None) -> None:
        self._enter("")
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        phase = self._phase_now()
        if phase not in ("headers", "idle", "body"):
            # No browser sends its next request before it has the answer to this one.
            self.transport.abort()
            return
        before = self.cycle
        if phase != "body":
            self._header_bytes += len(data)
        super().data_received(data)
        if self.cycle is not before:
            size = sum(len(name) + len(value) + 4 for name, value in self.headers)
            self._header_bytes = size if size > LARGEST_HEADERS else 0
        if self._header_bytes > LARGEST_HEADERS:
            self._refuse(431, f"headers are larger than {LARGEST_HEADERS} bytes")
        elif getattr(self, "pipeline", None):
            self.transport.abort()
        self._look()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._look()

    def pause_writing(self) -> None:
        super().pause_writing()
        self._look()

    def resume_writing(self) -> None:
        super().resume_writing()
        self._look()

    def send_400_response(self, msg: str) -> None:
        """Malformed HTTP is answered as every other mistake."""
        self._refuse(400, msg)

    def _phase_now(self) -> str:
        if self.flow.write_paused:
            return "reading"
        if self.cycle is not None and not self.cycle.response_complete:
            return "body" if self.cycle.more_body else "answer"
        return "idle" if self.cycle is not None and not self._header_bytes else "headers"

    def _look(self) -> None:
        self._enter("" if self.transport.is_closing() and not self.flow.write_paused else self._phase_now())

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
        if self._phase == "idle" or (self._phase == "headers" and not self._header_bytes):
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
