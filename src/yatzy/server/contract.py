"""The types of web/ from the OpenAPI document, so that page and server cannot disagree.

`python -m yatzy.server.contract write` writes web/play/contract.ts and beside it scandinavian.json, the game that
the page plays before any server has answered; `check` fails if one of them does not say what the server does. An
object becomes an interface, an endpoint an entry of `Endpoints` with what it is given and what it tells.
"""

import json
import sys
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.files import write_whole
from yatzy.rules import ruleset
from yatzy.server.app import openapi_document
from yatzy.server.coaches import LARGEST_THETA
from yatzy.server.games import describe_rules

FILE = Path(__file__).parents[3] / "web" / "play" / "contract.ts"
# The answer of `GET /api/rules` for the game that is the default.
GAME = "scandinavian.json"
HEAD = """/**
 * What the coach is asked and what it tells. Made from the server's own types by `yatzy.server.contract`: change
 * those (src/yatzy/server/models.py and answers.py), then run `make contract`.
 */
"""
WIDTH = 115
PLAIN = {"string": "string", "integer": "number", "number": "number", "boolean": "boolean", "null": "null"}


def typescript(document: dict[str, Any]) -> str:
    """All named schemas and all endpoints, as a module."""
    schemas = [_named(name, schema) for name, schema in sorted(document["components"]["schemas"].items())]
    return HEAD + "\n" + "\n".join([*schemas, _endpoints(document["paths"])])


def _named(name: str, schema: dict[str, Any]) -> str:
    told = f"/** {schema['description']} */\n" if "description" in schema else ""
    if "properties" not in schema:
        line = f"export type {name} = {_type(schema)};\n"
        # Broken as Prettier would.
        broken = line.replace(" = ", " =\n  | ").replace('" | "', '"\n  | "')
        return told + (line if len(line) <= WIDTH else broken)
    return f"{told}export interface {name} {{\n{_fields(schema)}}}\n"


def _fields(schema: dict[str, Any]) -> str:
    """A line for each field, after one for its description, if it has one."""
    lines = []
    for name, field in schema["properties"].items():
        if "description" in field:
            lines.append(f"  /** {field['description']} */\n")
        key = name if name.isidentifier() else json.dumps(name)
        lines.append(f"  {key}{'' if name in schema.get('required', ()) else '?'}: {_type(field)};\n")
    return "".join(lines)


def _type(schema: dict[str, Any]) -> str:  # noqa: PLR0911
    """What a schema allows; one that this does not know is refused, not guessed."""
    match schema:
        case {"$ref": ref}:
            return str(ref).rpartition("/")[2]
        case {"const": value}:
            return json.dumps(value)
        case {"enum": values}:
            return " | ".join(map(json.dumps, values))
        case {"anyOf": choices}:
            return " | ".join(map(_type, choices))
        case {"type": "array", "items": items}:
            inner = _type(items)
            return f"({inner})[]" if " " in inner else f"{inner}[]"
        case {"type": "object", "additionalProperties": dict(values)}:
            return f"Record<string, {_type(values)}>"
        case {"type": str(name)} if name in PLAIN:
            return PLAIN[name]
    raise YatzyError(f"contract: {json.dumps(schema)[:200]} has no counterpart in TypeScript")


def _endpoints(paths: dict[str, Any]) -> str:
    lines = [
        "/** By method and path: what is given in the body, and what is told. */\nexport interface Endpoints {\n"
    ]
    for path, methods in paths.items():
        for method, operation in methods.items():
            body = operation.get("requestBody")
            given = _type(_content(body)) if body else "undefined"
            told = _type(_content(operation["responses"]["200"]))
            lines.append(f'  "{method.upper()} {path}": {{ given: {given}; told: {told} }};\n')
    return "".join([*lines, "}\n"])


def _content(part: dict[str, Any]) -> dict[str, Any]:
    return dict(part["content"]["application/json"]["schema"])


def main(arguments: list[str]) -> None:
    """What the Makefile calls."""
    rules = ruleset()
    told = json.dumps(describe_rules(rules, rules, LARGEST_THETA), separators=(",", ":")) + "\n"
    made = {FILE: typescript(openapi_document()), FILE.with_name(GAME): told}
    if arguments == ["write"]:
        for path, text in made.items():
            write_whole(path, text.encode())
    elif arguments != ["check"]:
        sys.exit("yatzy: contract: write or check?")
    else:
        for path, text in made.items():
            if not path.is_file() or path.read_text(encoding="utf-8") != text:
                sys.exit(f"yatzy: contract: {path} is not what the server answers; run: make contract")


if __name__ == "__main__":
    main(sys.argv[1:])
