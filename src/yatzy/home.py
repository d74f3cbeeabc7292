"""Where things are kept: solved tables, results of long work, and compiled code."""

import os
import sys
import tempfile
from functools import lru_cache
from pathlib import Path

PACKAGE = Path(__file__).parent
BYTES_TO_TRY = 1 << 16


def home(folder: str | Path | None = None) -> Path:
    """The given folder, else `YATZY_HOME`, else the user's data folder."""
    if folder or os.environ.get("YATZY_HOME"):
        return Path(folder or os.environ["YATZY_HOME"]).expanduser()
    from platformdirs import user_data_path

    return user_data_path("yatzy", appauthor=False)


@lru_cache(maxsize=1)
def code_cache() -> Path | None:
    """Where compiled code is kept: `NUMBA_CACHE_DIR`, else beside the sources, else the user's cache folder.

    If none of these can be written to, a private temporary folder, which is reported; None if there is none.
    """
    from platformdirs import user_cache_path

    given = os.environ.get("NUMBA_CACHE_DIR")
    folders = (
        [Path(given)] if given else [PACKAGE / "turn" / "__pycache__", user_cache_path("yatzy", appauthor=False)]
    )
    for folder in folders:
        if _is_writable(folder):
            return folder
    temporary = Path(tempfile.gettempdir()) / f"yatzy-{os.getuid() if hasattr(os, 'getuid') else 'cache'}"
    if not _is_writable(temporary) or not _is_private(temporary):
        return None
    tried = " and ".join(map(str, folders))
    print(f"yatzy: {tried} cannot be written to; compiled code goes to {temporary}", file=sys.stderr)
    return temporary


def _is_writable(folder: Path) -> bool:
    """Make the folder if need be, and try: an access check says nothing about a read-only disk or a full one."""
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder, buffering=0) as file:
            return file.write(bytes(BYTES_TO_TRY)) == BYTES_TO_TRY
    except OSError:
        return False


def _is_private(folder: Path) -> bool:
    """Code is run from there: nobody else may write to it."""
    found = folder.stat(follow_symlinks=False)
    return not hasattr(os, "getuid") or (found.st_uid == os.getuid() and not found.st_mode & 0o022)
