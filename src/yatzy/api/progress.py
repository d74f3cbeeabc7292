"""A progress bar for long work, on a terminal only."""

import threading
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from typing import Any

from yatzy.running import Progress, compiling


def shown(progress: Progress | None, what: str) -> AbstractContextManager[Progress]:
    """The caller's own progress or, without one, a bar."""
    return nullcontext(progress) if progress else progress_bar(what)


@contextmanager
def progress_bar(what: str, after: float = 1.0) -> Iterator[Progress]:
    """A progress bar on a terminal's stderr, if the work takes longer than `after` seconds.

    While something is being compiled, which happens once after an installation, it says that instead.
    """
    from rich.console import Console
    from rich.progress import BarColumn, TaskProgressColumn, TimeRemainingColumn
    from rich.progress import Progress as Bar

    class Shown(Bar):
        def get_renderables(self) -> Any:
            if compiling.now:
                yield f"{what}: compiling, once"
            else:
                yield from super().get_renderables()

    console = Console(stderr=True)
    columns = ("{task.description}", BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
    bar = Shown(*columns, console=console, transient=True, disable=not console.is_terminal)
    task = bar.add_task(what, total=None)
    timer = threading.Timer(after, bar.start)
    timer.daemon = True

    def update(done: int, total: int) -> None:
        bar.update(task, completed=done, total=total)

    timer.start()
    try:
        yield update
    finally:
        timer.cancel()
        timer.join()
        bar.stop()
