"""Any ruleset by what people call it: a name of the catalogue with its switches, or a file; and back."""

import re

from yatzy.errors import YatzyError
from yatzy.rules.catalogue import GAMES, build_game
from yatzy.rules.ruleset import Ruleset


def ruleset(rules: str | Ruleset = "scandinavian") -> Ruleset:
    """The ruleset of that name, or from that TOML file; a `Ruleset` passes through."""
    if isinstance(rules, Ruleset):
        return rules
    if not isinstance(rules, str):
        raise YatzyError("rules", rules, "a name, a TOML file or a Ruleset")
    text = rules.strip()
    if text.lower().endswith(".toml"):
        from yatzy.rules.file import read_rules

        return read_rules(text)
    base, *switches = text.lower().split("+")
    game = GAMES.get(base)
    if game is None:
        allowed = (*GAMES, "these with switches (see yatzy games)", "a file that ends in .toml")
        raise YatzyError("rules", rules, allowed, "is not known")
    for switch in switches:
        if switch not in game.switches:
            why = f"{{given}} is not a switch of {base}" + ("" if game.switches else "; it has none")
            raise YatzyError("rules", switch, game.switches or None, why)
        if switches.count(switch) > 1:
            raise YatzyError("rules", switch, why=f"{{given}} is named twice in {rules!r}")
    return build_game(base, tuple(switch for switch in game.switches if switch in switches))


def stored_name(rules: Ruleset) -> str:
    """What the files of a ruleset are called.

    A game of the catalogue has its name to itself. Any other ruleset may have the name of another one, or a name
    that is no file name: its files have a tame form of it, and the fingerprint.
    """
    base, *switches = rules.name.split("+")
    if base in GAMES and set(switches) <= set(GAMES[base].switches) and ruleset(rules.name) == rules:
        return rules.name
    tame = re.sub(r"[^a-z0-9]+", "-", rules.name.lower()).strip("-")[:40]
    return f"{tame or 'rules'}-{rules.fingerprint}"
