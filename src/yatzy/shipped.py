"""What comes with the package beside its code: the built site and the published results.

installed from a wheel      yatzy/built/site, yatzy/built/results    put there by hatch_build.py
in a clone                  no site until one is built, results/
"""

import re
from pathlib import Path

PACKAGE = Path(__file__).parent
BUILT = PACKAGE / "built"
RESULTS = BUILT / "results" if BUILT.is_dir() else PACKAGE.parents[1] / "results"


def shipped_site() -> Path | None:
    """The folder of the site that came with the package; None in a clone."""
    site = BUILT / "site"
    return site if (site / "index.html").is_file() else None


def natural(name: str) -> list[int | str]:
    """A key to sort names by, `card-20` before `card-100`."""
    return [int(part) if part.isdigit() else part for part in re.split(r"(\d+)", name)]
