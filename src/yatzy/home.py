"""Where things are kept: solved tables, results of long work, and compiled code."""

import os
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).parent


def home(folder: str | Path | None = None) -> Path:
    """The given folder, else `YATZY_HOME`, else the user's data folder."""
    if folder or os.environ.get("YATZY_HOME"):
        return Path(folder or os.environ["YATZY_HOME"]).expanduser()
    from platformdirs import user_data_path

    return user_data_path("yatzy", appauthor=False)


@lru_cache(maxsize=1)
def code_cache() -> Path | None:
    """Where compiled code is kept: `NUMBA_CACHE_DIR`, else beside the sources, else the user's cache folder.

    None if none of these is writable; code is then compiled again in every run.
    """
    from platformdirs import user_cache_path

    given = os.environ.get("NUMBA_CACHE_DIR")
    folders = (
        [Path(given)] if given else [PACKAGE / "turn" / "__pycache__", user_cache_path("yatzy", appauthor=False)]
    )
    for folder in folders:
        try:
            folder.mkdir(parents=True, exist_ok=True)
        except OSError:
            continue
        if os.access(folder, os.W_OK):
            return folder
    return None
