"""The lowest versions that pyproject.toml allows, as constraints for pip: `name>=1.2` becomes `name==1.2`."""

import re
import tomllib
from pathlib import Path

PROJECT = tomllib.loads((Path(__file__).parents[1] / "pyproject.toml").read_text())["project"]

EXTRAS = (one for extra in PROJECT["optional-dependencies"].values() for one in extra)
for requirement in (*PROJECT["dependencies"], *(one for one in EXTRAS if ">=" in one)):
    found = re.fullmatch(r"([\w-]+)>=([\w.]+)((?:,[^;]*)?)(;.*)?", requirement.replace(" ", ""))
    if not found:
        raise SystemExit(f"lowest: {requirement!r} has no lower bound of the form name>=version")
    print(f"{found[1]}=={found[2]}{found[4] or ''}")
