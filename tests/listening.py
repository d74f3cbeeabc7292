"""Serve an app in a thread of this process."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import uvicorn

from yatzy.server.guard import App, Connection


@contextmanager
def listening(app: App) -> Iterator[str]:
    """The address of an app that is being served."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    config = uvicorn.Config(app, port=port, log_level="critical", ws="none", server_header=False, http=Connection)
    server = uvicorn.Server(config)
    thread = threading.Thread(target=server.run, daemon=True)
    thread.start()
    while not server.started:
        assert thread.is_alive()
        time.sleep(0.01)
    try:
        yield f"http://127.0.0.1:{port}"
    finally:
        server.should_exit = True
        thread.join()
