"""Clients that mean no good, in a process of their own: `python -m trust.bad_clients PORT KIND SECONDS SEED`.

Each of a number of clients does its kind of harm again and again until the time is up; then one JSON object says
how often. Only this machine is ever asked.
"""

import asyncio
import json
import random
import signal
import sys
import time
from collections import Counter

HOST = "127.0.0.1"
SITUATION = {"dice": [2, 5, 5, 5, 6], "rerolls": 1, "filled": ["ones"], "upper": 3}
GAMES = ("scandinavian", "yahtzee", "kniffel", "yacht", "maxi")
SWITCHES = ("+free-joker", "+no-joker", "+forced-order", "+saved-throws", "+no-extra-bonus")
# How many at once, and how long each waits between two tries.
CLIENTS = {
    "new thetas": (30, 0.1),
    "gone clients": (30, 0.1),
    "other games": (30, 0.1),
    "slow headers": (300, 0.1),
    "slow bodies": (300, 0.1),
    "idle connections": (1000, 0.1),
}
SECONDS_BEFORE_LEAVING = 0.02
SECONDS_PER_BYTE = 0.3
SECONDS_TO_WAIT = 30.0


def request(path: str, body: dict[str, object]) -> bytes:
    text = json.dumps(body).encode()
    head = f"POST {path} HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\n"
    return f"{head}content-length: {len(text)}\r\n\r\n".encode() + text


async def harm(kind: str, port: int, draw: random.Random, met: Counter[str]) -> None:
    """One try: what came of it is counted."""
    reader, writer = await asyncio.open_connection(HOST, port)
    try:
        if kind in ("new thetas", "gone clients"):
            writer.write(request("/api/advise", {**SITUATION, "theta": draw.uniform(-0.9, 0.9)}))
            if kind == "gone clients":
                await asyncio.sleep(SECONDS_BEFORE_LEAVING)
                met["left"] += 1
                return
        elif kind == "other games":
            game = draw.choice(GAMES) + "".join(draw.sample(SWITCHES, draw.randrange(3)))
            writer.write(request("/api/distribution", {"rules": game, "filled": [], "upper": 0, "points": 0}))
        elif kind != "idle connections":
            begun = b"GET / HTTP/1.1\r\nhost: localhost\r\nx: "
            if kind == "slow bodies":
                begun = b"POST /api/advise HTTP/1.1\r\nhost: localhost\r\ncontent-length: 500\r\n\r\n"
            writer.write(begun)
            while not reader.at_eof():
                writer.write(b"y")
                await writer.drain()
                await asyncio.sleep(SECONDS_PER_BYTE)
        async with asyncio.timeout(SECONDS_TO_WAIT):
            answer = await reader.read(100)
        met[answer[9:12].decode("latin-1") or "closed"] += 1
    finally:
        writer.transport.abort()


async def attack(port: int, kind: str, seconds: float, seed: int) -> Counter[str]:
    met: Counter[str] = Counter()
    n_clients, pause = CLIENTS[kind]
    until = time.monotonic() + seconds

    async def client(number: int) -> None:
        draw = random.Random(f"{seed} {number}")
        while time.monotonic() < until:
            try:
                await harm(kind, port, draw, met)
            except (OSError, TimeoutError) as error:
                met[type(error).__name__] += 1
            await asyncio.sleep(pause * draw.uniform(0.5, 1.5))

    clients = [asyncio.create_task(client(number)) for number in range(n_clients)]
    await asyncio.sleep(seconds)
    for one in clients:
        one.cancel()
    await asyncio.wait(clients, timeout=1.0)
    return met


def main() -> None:
    port, kind, seconds, seed = int(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
    # Whatever happens: no client stays behind.
    signal.alarm(int(seconds) + 10)
    began = time.monotonic()
    met = asyncio.run(attack(port, kind, seconds, seed))
    print(json.dumps({"kind": kind, "seconds": time.monotonic() - began, "met": met}))


if __name__ == "__main__":
    main()
