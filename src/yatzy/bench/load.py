"""A load generator: some connections, each of which sends its next request as soon as the last one is answered.

It runs in a process of its own, beside the server on the same machine: `python -m yatzy.bench.load` reads one JSON
object from stdin (`port`, `path`, `bodies`, `connections`, `seconds`) and prints one. A request is an error if its
answer is not 200 or if the connection breaks.
"""

import asyncio
import json
import sys
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from itertools import cycle
from time import perf_counter
from typing import cast

SECONDS_TO_ANSWER = 10
HEAD_END = b"\r\n\r\n"


@dataclass(frozen=True)
class Load:
    """What was measured; times in seconds."""

    requests: int
    errors: int
    seconds: float
    median: float
    p99: float

    @property
    def rate(self) -> float:
        """Answers per second."""
        return self.requests / self.seconds


class _Connection(asyncio.Protocol):
    """One connection, in a closed loop until the time is over."""

    def __init__(self, requests: "cycle[bytes]", until: float, taken: list[float], failed: list[str]) -> None:
        self.requests, self.until, self.taken, self.failed = requests, until, taken, failed
        self.is_over = asyncio.get_running_loop().create_future()
        self.answer = b""

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        self.transport = cast(asyncio.Transport, transport)
        self._send()

    def _send(self) -> None:
        self.answer = b""
        self.sent = perf_counter()
        self.transport.write(next(self.requests))

    def data_received(self, data: bytes) -> None:
        self.answer += data
        end = self.answer.find(HEAD_END)
        if end < 0 or len(self.answer) < end + len(HEAD_END) + _content_length(self.answer[:end]):
            return
        now = perf_counter()
        self.taken.append(now - self.sent)
        if not self.answer.startswith(b"HTTP/1.1 200 "):
            self.failed.append(self.answer[:end].decode("latin-1"))
        if now < self.until:
            self._send()
        else:
            self.transport.close()

    def connection_lost(self, error: Exception | None) -> None:
        if perf_counter() < self.until:
            self.failed.append(f"connection lost: {error}")
        if not self.is_over.done():
            self.is_over.set_result(None)


def _content_length(head: bytes) -> int:
    for line in head.lower().split(b"\r\n"):
        if line.startswith(b"content-length:"):
            return int(line.split(b":")[1])
    return 0


async def generate(port: int, path: str, bodies: Sequence[str], connections: int, seconds: float) -> Load:
    """Post the bodies in turn until the time is over."""
    head = f"POST {path} HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nContent-Length: "
    requests = cycle([f"{head}{len(body.encode())}\r\n\r\n{body}".encode() for body in bodies])
    taken: list[float] = []
    failed: list[str] = []
    started = perf_counter()
    loop = asyncio.get_running_loop()
    opened = [
        await loop.create_connection(
            lambda: _Connection(requests, started + seconds, taken, failed), "127.0.0.1", port
        )
        for _ in range(connections)
    ]
    _, waiting = await asyncio.wait([c.is_over for _, c in opened], timeout=seconds + SECONDS_TO_ANSWER)
    failed += ["no answer"] * len(waiting)
    lasted = perf_counter() - started
    taken.sort()

    def at(share: float) -> float:
        return taken[min(int(share * len(taken)), len(taken) - 1)] if taken else float("inf")

    return Load(len(taken), len(failed), lasted, at(0.5), at(0.99))


if __name__ == "__main__":
    print(json.dumps(asdict(asyncio.run(generate(**json.load(sys.stdin))))))
