"""Where solved tables and results of long work are kept."""

import os
from pathlib import Path


def home(folder: str | Path | None = None) -> Path:
    """The given folder, else `YATZY_HOME`, else the user's data folder."""
    if folder or os.environ.get("YATZY_HOME"):
        return Path(folder or os.environ["YATZY_HOME"]).expanduser()
    from platformdirs import user_data_path

    return user_data_path("yatzy", appauthor=False)
