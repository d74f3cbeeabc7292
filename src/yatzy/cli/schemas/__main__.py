"""`python -m yatzy.cli.schemas COMMAND`: what its --json prints, as JSON Schema."""

import json
import sys

from yatzy.cli.schemas import SCHEMAS, schema

if __name__ == "__main__":
    asked = " ".join(sys.argv[1:])
    if asked not in SCHEMAS:
        sys.exit(f"command: {asked!r} is not known; allowed are {', '.join(SCHEMAS)}")
    print(json.dumps(schema(asked).json_schema(), indent=2))
