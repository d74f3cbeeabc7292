"""The page's types of what the library writes, made from the library's own classes.

    class of a value  ──game.json──>  its JSON Schema  ──json-schema-to-typescript──>  web/engine/shared.ts

`python -m yatzy.site.types write` makes the file, `check` compares it (`make tables`, `make check`). A field
that is added to a class is in the page's type of the same name.
"""

import json
import sys
from typing import Any, Literal

from yatzy.coach.leak import Leaks
from yatzy.coach.review import Review
from yatzy.coach.why import Reason
from yatzy.errors import YatzyError
from yatzy.game.json import json_type
from yatzy.game.log import GameLog
from yatzy.lab.studies.reproduce import result_types
from yatzy.site.web import WEB, run_script
from yatzy.solver.advise import Advice
from yatzy.storage import write_atomically

FILE = WEB / "engine/shared.ts"
VALUES = {"advice": Advice, "reason": Reason, "review": Review, "leaks": Leaks, "game_log": GameLog}


def shared_schema() -> dict[str, Any]:
    """An object with everything that the page has from the library; `results` are by study."""
    from pydantic import TypeAdapter

    kinds = {name: json_type(kind) for name, kind in (result_types() | VALUES).items()}
    mode: Literal["serialization"] = "serialization"
    found, schema = TypeAdapter.json_schemas([(name, mode, TypeAdapter(kind)) for name, kind in kinds.items()])
    told = {name: found[name, mode] for name in kinds}
    values = {name: told.pop(name) for name in VALUES}
    definitions = _plain(schema["$defs"]) | {"Results": _object(told)}
    return _object({"results": {"$ref": "#/$defs/Results"}, **values}) | {"title": "Shared", "$defs": definitions}


def _object(properties: dict[str, Any]) -> dict[str, Any]:
    return {"type": "object", "required": list(properties), "properties": properties}


def _plain(schema: Any) -> Any:
    """Without titles of fields, each of which would become a type of its own; tuples as older drafts have them."""
    if isinstance(schema, list):
        return [_plain(one) for one in schema]
    if not isinstance(schema, dict):
        return schema
    # Only a tuple's length is part of its type.
    lengths = () if "prefixItems" in schema else ("minItems", "maxItems")
    told = {
        key: _plain(one)
        for key, one in schema.items()
        if key not in lengths and (key != "title" or not isinstance(one, str))
    }
    return {"items" if key == "prefixItems" else key: one for key, one in told.items()}


def shared_types() -> bytes:
    """The file as it should be."""
    return run_script("scripts/types.mjs", json.dumps(shared_schema())).encode()


def main(arguments: list[str]) -> None:
    """What the Makefile calls."""
    if arguments not in (["write"], ["check"]):
        sys.exit("yatzy: types: write or check?")
    try:
        told = shared_types()
        if arguments == ["write"]:
            write_atomically(FILE, told)
        elif not FILE.is_file() or FILE.read_bytes() != told:
            sys.exit(f"yatzy: types: {FILE} is not what the library's classes say; run: make tables")
    except YatzyError as error:
        sys.exit(f"yatzy: {error}")


if __name__ == "__main__":
    main(sys.argv[1:])
