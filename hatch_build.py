"""Puts the built site and the published results into the wheel; without the site there is no wheel (`make wheel`).

An editable installation needs neither: it finds the results in the clone, and the site is built there.
"""

import sys
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface

SITE, RESULTS, INSIDE = "build/site", "results", "yatzy/built"
# One page of each kind, and the list of all files, which is written last.
NEEDED = ("index.html", "play/index.html", "service-worker.js")


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Called by hatchling before it packs the wheel."""

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if version == "editable":
            return
        root = Path(self.root)
        missing = [name for name in NEEDED if not (root / SITE / name).is_file()]
        if missing:
            sys.exit(f"yatzy: {SITE} has no {missing[0]}; run make wheel, which builds the site first")
        build_data["force_include"] |= {
            str(root / SITE): f"{INSIDE}/site",
            str(root / RESULTS): f"{INSIDE}/results",
        }
