"""The shipped results as templates and figures see them."""

import json
from pathlib import Path
from typing import Any

from yatzy.errors import YatzyError
from yatzy.game.action import Keep, parse_action
from yatzy.rulelists.library import find_list, shipped_lists
from yatzy.rules import Ruleset, parse_category, parse_dice, ruleset
from yatzy.sealed import seal
from yatzy.students.recipes import RECIPES
from yatzy.studies.results import read_result


class Fields(dict[str, Any]):
    """A JSON object whose fields are attributes too; a missing one is named."""

    def __init__(self, path: str, content: dict[str, Any]) -> None:
        super().__init__({key: _wrap(f"{path}.{key}", value) for key, value in content.items()})
        self._path = path

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if name not in self:
            raise YatzyError(self._path, allowed=list(self), why=f"has no {name!r}")
        return self[name]


def _wrap(path: str, value: Any) -> Any:
    if isinstance(value, dict):
        return Fields(path, value)
    if isinstance(value, list):
        return [_wrap(f"{path}[{i}]", item) for i, item in enumerate(value)]
    return value


class Results:
    """Every result in a folder, read when it is asked for: `r.game_spray` is game-spray.json."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self._read: dict[str, Fields] = {}

    def __getattr__(self, name: str) -> Fields:
        if name.startswith("_"):
            raise AttributeError(name)
        return self[name]

    def __getitem__(self, study: str) -> Fields:
        study = study.replace("_", "-")
        if study not in self._read:
            found = read_result(self.path(study))
            if found is None:
                raise YatzyError(
                    "results",
                    study,
                    f"{', '.join(self.names) or 'none'} (yatzy reproduce {study} makes it)",
                    f"is not in {self.folder}",
                )
            self._read[study] = Fields(study, found[1])
        return self._read[study]

    def path(self, study: str) -> Path:
        return self.folder / f"{study}.json"

    @property
    def names(self) -> list[str]:
        """The studies in the folder."""
        return sorted(path.stem for path in self.folder.glob("*.json") if read_result(path))

    @property
    def claims(self) -> list[dict[str, Any]]:
        """Every claim of the forerunner that a study checks, with the study's name."""
        return [
            {"study": name, **claim} for name in self.names for claim in self[name].get("claims", [])
        ]  # fmt: skip


def compact(path: Path) -> bytes:
    """A result as the figures read it: no white space, and values beside texts."""
    content = json.loads(path.read_text())
    add_values(content)
    return json.dumps(seal(content), separators=(",", ":")).encode()


def add_values(content: dict[str, Any]) -> None:
    """Dice, boxes, actions and players of the studies that write them as text: figures read no text."""
    if content["study"] == "quiz":
        rules = ruleset(content["rules"])
        content["labels"] = [category.name for category in rules.categories]
        for question in content["questions"]:
            question["faces"] = [int(face) for face in question["dice"].split()]
            for choice in question["choices"]:
                choice["does"] = action_value(rules, choice["action"], question["faces"])
    elif content["study"] == "reach":
        rules = ruleset(content["rules"])
        for change in content["changes"]:
            change["boxes"] = [parse_category(rules, name) for name in change["open"]]
            for aim in ("target", "mean"):
                change[f"{aim}_action"] = action_value(rules, change[f"for_{aim}"], change["dice"])
    elif content["study"] in ("compression", "rosetta", "charts"):
        lists = [one["strength"] for one in content.get("lists", ())]
        for player in (*lists, *content.get("models", ()), *content.get("carried", ())):
            player["who"] = player_value(player["name"])


def player_value(name: str) -> dict[str, Any]:
    """What a player is: the family of a model and its depth, the way to a list and how it names keeps."""
    for family, recipes in RECIPES.items():
        if name in recipes:
            return {"kind": family, "depth": getattr(recipes[name], "depth", None)}
    if name not in shipped_lists():
        return {"kind": name}
    found = find_list(name)
    return {
        "kind": found.info.get("path", found.info["method"]),
        "keeps": not found.oracle_keeps and found.grammar,
    }


def action_value(rules: Ruleset, text: str, dice: list[int]) -> dict[str, Any]:
    """The dice that an action keeps, or the id of the box that it fills and what the dice bring there."""
    action = parse_action(rules, text)
    if isinstance(action, Keep):
        return {"keep": action.dice}
    box = parse_category(rules, action.category)
    return {"score": box, "points": rules.scores[rules.rolls.index(parse_dice(rules, dice))][box]}
