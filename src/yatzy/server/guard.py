"""What stands between the network and the app: whose requests are answered, how large they may be, and headers.

A page on another site can make a browser ask this server, and a name that points to this machine can make it look
like the same site (DNS rebinding). So a request must name a host that is ours: an address in numbers, `localhost`,
or a name that was allowed; and the API answers no request that a browser says comes from elsewhere.
"""

import ipaddress
from collections.abc import Awaitable, Callable, Iterable, MutableMapping
from typing import Any
from urllib.parse import urlsplit

import anyio
from pydantic import TypeAdapter

from yatzy.server.answers import Refused
from yatzy.server.work import while_connected

Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
App = Callable[[MutableMapping[str, Any], Receive, Send], Awaitable[None]]

REFUSED = TypeAdapter(Refused)
LARGEST_BODY = 64 * 1024
LONGEST_HOST = 80

# Everything comes from this server alone, and nothing is inline: neither scripts nor styles. Pages say the same of
# themselves, for hosts that send no headers; only who may frame them cannot be said there.
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


def fault(field: str | None, message: str) -> bytes:
    """The body of every refusal."""
    return REFUSED.dump_json({"error": {"field": field, "message": message}})


class SecurityHeaders:
    """Every answer carries them."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                message["headers"] = [*message.get("headers", ()), *HEADERS]
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


class OwnHosts:
    """Refuses other hosts with 421, and requests of other sites to the API with 403."""

    def __init__(self, app: App, names: Iterable[str] = ()) -> None:
        self.app = app
        self.names = {"localhost", *(name.lower() for name in names)}

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            headers = dict(scope["headers"])
            host = headers.get(b"host", b"").decode("latin-1").lower()
            if not self._is_ours(host):
                await _refuse(send, 421, "host", f"{host[:LONGEST_HOST]!r} is not served here (see --allow-host)")
                return
            if scope["path"].startswith("/api/") and not _is_same_origin(headers, host):
                await _refuse(send, 403, "origin", "only pages of this server and programs may ask it")
                return
            if scope["method"] == "HEAD" and scope["path"].startswith("/api/"):
                # Answered as GET; the server itself leaves the body out.
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
    """Programs send neither header. Browsers send the first here and over TLS, and the second with a POST."""
    site, origin = headers.get(b"sec-fetch-site"), headers.get(b"origin")
    if site is not None:
        return site in (b"same-origin", b"none")
    return origin is None or origin.decode("latin-1").lower().partition("://")[2] == host


class BodyLimit:
    """Answers 413 to a body of more than LARGEST_BODY bytes, announced or not; stops if the client leaves."""

    def __init__(self, app: App) -> None:
        self.app = app

    async def __call__(self, scope: MutableMapping[str, Any], receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or not scope["path"].startswith("/api/"):
            await self.app(scope, receive, send)
            return
        length = dict(scope["headers"]).get(b"content-length", b"0")
        body, more = b"", int(length) <= LARGEST_BODY if length.isdigit() else True
        too_large = not more
        while more and not too_large:
            received = await receive()
            if received["type"] == "http.disconnect":
                return
            body += received.get("body", b"")
            more = received.get("more_body", False)
            too_large = len(body) > LARGEST_BODY
        if too_large:
            message = f"is larger than {LARGEST_BODY} bytes, which is the most that is read"
            await _refuse(send, 413, "body", message)
            return
        whole: list[Message] = [{"type": "http.request", "body": body, "more_body": False}]

        async def replay() -> Message:
            if not whole:
                await anyio.sleep_forever()
            return whole.pop()

        await while_connected(lambda: self.app(scope, replay, send), receive)


async def _refuse(send: Send, status: int, field: str, message: str) -> None:
    body = fault(field, message)
    headers = [(b"content-type", b"application/json"), (b"content-length", str(len(body)).encode())]
    await send({"type": "http.response.start", "status": status, "headers": [*headers, (b"connection", b"close")]})
    await send({"type": "http.response.body", "body": body})
