"""What comes with the package beside its code: the built site and the published results.

installed from a wheel      yatzy/built/site, yatzy/built/results    put there by hatch_build.py
in a clone                  no site until one is built, results/
"""

from pathlib import Path

PACKAGE = Path(__file__).parent
BUILT = PACKAGE / "built"
RESULTS = BUILT / "results" if BUILT.is_dir() else PACKAGE.parents[1] / "results"


def shipped_site() -> Path | None:
    """The folder of the site that came with the package; None in a clone."""
    site = BUILT / "site"
    return site if (site / "index.html").is_file() else None
