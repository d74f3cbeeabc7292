"""How long the page's engine takes in chromium, beside the library: `PYTHONPATH=tests python tests/site/times.py`.

Once as the machine is, once with the processor throttled to a quarter, as a phone may be. The library solves in
the same run, in float32 on one thread, warm.
"""

import functools
import http.server
import shutil
import tempfile
import threading
import time
from pathlib import Path

from playwright.sync_api import sync_playwright

from web_scripts import bundle
from yatzy import solve
from yatzy.context import Context

PAGE = '<!doctype html><meta charset="utf-8"><script type="module" src="times.js"></script>'
MINUTES = 600_000


def library_seconds(repeats: int = 5) -> float:
    """The best of a few solves."""
    found = []
    for _ in range(repeats):
        begun = time.perf_counter()
        solve("scandinavian", precision="float32", context=Context(threads=1))
        found.append(time.perf_counter() - begun)
    return min(found)


def main() -> None:
    with tempfile.TemporaryDirectory() as folder:
        bundle("times", Path(folder), "browser")
        (Path(folder) / "index.html").write_text(PAGE)
        handler = functools.partial(http.server.SimpleHTTPRequestHandler, directory=folder)
        handler.log_message = lambda *_: None
        server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        seconds = library_seconds()
        print(f"library, float32, one thread: {seconds:.3f} s")
        with sync_playwright() as playwright:
            browser = playwright.chromium.launch(executable_path=shutil.which("chromium"))
            for slower in (1, 4):
                page = browser.new_page()
                page.set_default_timeout(MINUTES)
                page.context.new_cdp_session(page).send("Emulation.setCPUThrottlingRate", {"rate": slower})
                page.goto(f"http://127.0.0.1:{server.server_port}/")
                page.wait_for_function("() => globalThis.times")
                told = page.evaluate("() => globalThis.times()")
                print(f"processor / {slower}: solve is {told['solve'] / seconds:.1f} times the library's")
                for name, value in told.items():
                    print(f"  {name}: {value:.4f} s")
            browser.close()
        server.shutdown()


if __name__ == "__main__":
    main()
