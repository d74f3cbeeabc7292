"""What every command prints with `--json`: the one place that defines it, checked by the tests.

    python -m yatzy.cli.schemas evaluate

prints one of them as JSON Schema. A command whose answer has several forms has one schema for each. Keys that are
NotRequired depend on the options; docs/formats.md says on which.
"""

from typing import Any

from pydantic import TypeAdapter

from yatzy.cli.schemas import measures, players, situations, works
from yatzy.coach.review import Review
from yatzy.game.json import json_type
from yatzy.solver.advise import Advice

# By command, the forms of its answer.
SCHEMAS: dict[str, tuple[Any, ...]] = {
    "solve": (situations.Solved,),
    "value": (situations.Value,),
    "advise": (json_type(Advice),),
    "chance": (situations.Chance, situations.Chances),
    "duel": (measures.Duels,),
    "duel advise": (json_type(Advice),),
    "games": (situations.AllGames, situations.OneGame),
    "evaluate": (measures.Evaluation, measures.Evaluations, measures.EvaluationForTarget),
    "distribution": (measures.Evaluation, measures.Outlook),
    "simulate": (measures.Simulated,),
    "sweep": (measures.Sweep,),
    "reproduce": (works.Studies,),
    "treatise": (works.Built,),
    "play": (works.Log, works.Logs, json_type(Review)),
    "review": (json_type(Review),),
    "practice": (players.Practised,),
    "profile": (players.Profile, players.Recovered, players.Chosen),
    "serve": (works.Served,),
    "dataset": (measures.Dataset,),
    "distill": (measures.Models,),
    "rules induce": (works.Induced,),
    "rules list": (works.Lists,),
    "rules show": (works.ShownChart, works.ShownList),
    "rules explain": (works.Explained,),
    "bench": (dict[str, works.Timed],),
}


def schema(command: str) -> TypeAdapter[Any]:
    """What the answer of a command must look like, in any of its forms."""
    forms = SCHEMAS[command]
    union = forms[0]
    for form in forms[1:]:
        union = union | form
    return TypeAdapter(union)
