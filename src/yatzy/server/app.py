"""The HTTP API and the site.

    GET  /api/health           is it up?
    GET  /api/games            the games, with their switches
    GET  /api/rules            one game with all of its scoring, and the words with their thresholds
    GET  /api/state-value      value of a state
    POST /api/advise           every action in a situation
    POST /api/distribution     exact distribution of the final score from a state
    POST /api/review           a game log, decision by decision

Every request may name its game (`rules`); without a name it is the server's own. Everything else is a file of the
site. A request that cannot be served is answered with `{"error": {"field", "message"}}`, often with `given` and
`allowed`: 422 if it has the wrong form, 409 if its parts contradict each other (a state or a game that
cannot occur), 413 if it is too large, 503 if too much else is being computed.

Numba is imported by those who need it, when they do: the server is up without it.
"""

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable
from contextlib import asynccontextmanager, suppress
from dataclasses import replace
from functools import wraps
from pathlib import Path
from typing import Annotated, Any, TypeVar, get_type_hints

import numpy as np
from fastapi import FastAPI, Query, Request, Response
from fastapi.exceptions import RequestValidationError
from pydantic import TypeAdapter

from yatzy import __version__
from yatzy.arrays import FloatArray
from yatzy.coach.advice import Coach, share_of_win
from yatzy.coach.outlook import Outlook, final_scores
from yatzy.coach.review import Review, card_policy, review
from yatzy.context import Context, Progress
from yatzy.errors import YatzyError, shown
from yatzy.game.aim import Aim, Card, check_points, check_theta, make_aim
from yatzy.game.json import as_json, json_type
from yatzy.rules import Ruleset, State, ruleset
from yatzy.server import games, models
from yatzy.server.coaches import (
    LARGEST_THETA,
    BusyError,
    Coaches,
    NotYetError,
    OutlookKey,
    Queue,
    Recent,
    asked_for,
)
from yatzy.server.guard import App, BodyLimit, OwnHosts, Watched, fault
from yatzy.server.run import SiteFiles
from yatzy.solver.advise import Advice
from yatzy.solver.states import StateValue, as_situation, named_state, state_space

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")

LONGEST_FIELD = 60
SECONDS_BETWEEN_LOOKS = 0.5
SECONDS_TO_ASK_AGAIN = "3"
LIGHT_WAITING, HEAVY_WAITING = 64, 8
GAMES_KNOWN = 64
# What FastAPI itself refuses, and the part of the request that it is about.
HTTP_ERRORS = {400: "body", 401: None, 404: "path", 405: "method"}
# What is computed in threads lets go of the interpreter so often that an answer never waits long for it.
SECONDS_OF_THE_INTERPRETER = 0.0005

REFUSALS: dict[int | str, dict[str, Any]] = {
    409: {
        "model": json_type(models.Refused),
        "description": "Its parts contradict each other: this cannot occur in the game",
    },
    422: {"model": json_type(models.Refused), "description": "A field has the wrong form"},
    503: {"model": json_type(models.Refused), "description": "Too much is being computed; try again"},
}
BODY_REFUSALS: dict[int | str, dict[str, Any]] = {
    400: {"model": json_type(models.Refused), "description": "The body cannot be read"},
    413: {"model": json_type(models.Refused), "description": "The body is larger than 64 KB"},
    **REFUSALS,
}


def create_app(
    rules: str | Ruleset | None = None, folder: Path | None = None, site: str | Path | None = None
) -> App:
    """The server as one ASGI app; what is not given comes from YATZY_RULES, YATZY_HOME and YATZY_SITE.

    With YATZY_WARMED, which `yatzy serve` sets, it does not wait for what another process makes ready.
    """
    game = ruleset(os.environ.get("YATZY_RULES", "scandinavian") if rules is None else rules)
    folder_of_site = site or os.environ.get("YATZY_SITE")
    coaches = Coaches(game, Path(folder) if folder else None, wait="YATZY_WARMED" not in os.environ)
    # Now, not when the first request comes.
    _ = coaches.plain
    app = serve(Api(coaches))
    if folder_of_site:
        # Only where no route matches: a wrong method on a route stays 405.
        app.router.default = SiteFiles(directory=folder_of_site, html=True)
    hosts = os.environ.get("YATZY_HOSTS", "").split()
    return Watched(OwnHosts(BodyLimit(app), hosts))


def serve(api: "Api") -> FastAPI:
    """The endpoints, and what happens when they cannot answer."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        sys.setswitchinterval(SECONDS_OF_THE_INTERPRETER)
        beside = [asyncio.create_task(api.look_ahead()), asyncio.create_task(_leave_with_parent())]
        try:
            yield
        finally:
            for task in beside:
                task.cancel()
            api.close()

    app = FastAPI(
        title="Yatzy coach",
        version=__version__,
        description="Perfect advice, exact outlook and review of whole games of Yatzy in its many forms.",
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        lifespan=lifespan,
        exception_handlers={
            RequestValidationError: _wrong_form,
            YatzyError: _contradiction,
            **dict.fromkeys(HTTP_ERRORS, _http_error),
            BusyError: _busy,
            NotYetError: _not_yet,
            Exception: _own_fault,
        },
    )
    api.add_routes(app)
    return app


async def _leave_with_parent() -> None:
    """A worker whose parent was killed has nobody to restart or to end it: it goes as well."""
    parent = os.environ.get("YATZY_PARENT")
    while parent is not None:
        await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        if os.getppid() != int(parent):
            signal.raise_signal(signal.SIGTERM)
            return


class Api:
    """The endpoints."""

    def __init__(self, coaches: Coaches) -> None:
        self.coaches = coaches
        self.rules = coaches.rules
        # A review or an outlook takes up to a second, a new game or theta several: neither waits for the other.
        self._light, self._heavy = Queue(2, LIGHT_WAITING), Queue(1, HEAVY_WAITING)
        self._games: Recent[str, games.Spoken] = Recent(
            lambda name, _: games.get_ready(name, self.rules), GAMES_KNOWN
        )

    def add_routes(self, app: FastAPI) -> None:
        for method, path, endpoint, refusals in (
            ("GET", "/api/health", self.health, {}),
            ("GET", "/api/games", self.describe_games, {}),
            ("GET", "/api/rules", self.describe_rules, REFUSALS),
            ("GET", "/api/state-value", self.state_value, REFUSALS),
            ("POST", "/api/advise", self.advise, BODY_REFUSALS),
            ("POST", "/api/distribution", self.distribution, BODY_REFUSALS),
            ("POST", "/api/review", self.review, BODY_REFUSALS),
        ):
            told = json_type(get_type_hints(endpoint)["return"])
            app.add_api_route(
                path,
                _writing(endpoint, told),
                methods=[method],
                response_model=told,
                responses=refusals,
            )

    async def health(self) -> models.Health:
        """Is it up?"""
        value = self.coaches.plain.table.value()
        return models.Health("ok", __version__, self.rules, value)

    async def describe_games(self) -> games.GamesServed:
        """Every game with its switches, and which of them is played where none is named."""
        return games.describe_games(self.rules)

    async def describe_rules(self, asked: Annotated[models.RulesAsked, Query()]) -> games.RulesServed:
        """A game with all of its scoring, and the words with their thresholds in points."""
        game = await self._game(asked.rules)
        return await self._light.run(lambda _: games.describe_rules(game.rules, self.rules, LARGEST_THETA))

    async def state_value(self, asked: Annotated[models.StateAsked, Query()]) -> StateValue:
        """Expected points to come from the start of a turn, bonus included."""
        game, state = await self._asked(asked)
        theta = check_theta(asked.theta)
        coach = await self._coach(game.rules, theta, state)
        worth = coach.table.value(state.filled, state.upper)
        return StateValue(game.rules, theta, named_state(game.rules, state), worth)

    async def advise(self, given: models.SituationGiven) -> Advice:
        """Every action, best first; the best few with their chances and how the turn ends.

        With a target or others, best is what has the greatest chance of it; equals by their value.
        """
        game, state = await self._asked(given)
        theta = check_theta(given.theta)
        aim, points = game.aim(given), game.card(state, given.points).points
        dice = game.dice(given.dice)
        coach = await self._coach(game.rules, theta, state)
        if given.points is not None or (aim is not None and aim.is_chance):
            check_points(game.rules, state, points)
        here = as_situation(game.rules, dice, given.rerolls, state)
        # Of another theta, the chance of the bonus may not be known yet from here on.
        if theta:
            return await self._heavy.run(lambda _: coach.advise(here, given.details))
        advice = coach.advise(here, given.details)
        if aim is None:
            return advice
        chances, known = self.coaches.chances, {one.action: one for one in advice}
        with asked_for("others" if given.others else "target"):
            found = await self._heavy.run(
                lambda progress: chances.advise(aim, coach.table, here, points, progress)
            )
        actions = tuple(known[one.action]._replace(chance=one.chance) for one in found)
        return replace(found, actions=actions)

    async def distribution(self, given: models.StateGiven) -> models.OutlookServed:
        """Exact distribution of the final score under optimal play from a state on."""
        game, state = await self._asked(given)
        theta = check_theta(given.theta)
        games.check_size(game.rules)
        mine, others = game.card(state, given.points), game.others(given.others)
        check_points(game.rules, state, mine.points)
        aim = None if theta else make_aim(game.rules, given.target, theta, others)
        await self._coach(game.rules, theta, state)
        key = OutlookKey(game.rules, theta, state)
        to_come, bonus_rate = await self._look_up(self.coaches.outlooks, key, heavy=theta != 0)
        found, target = final_scores(game.rules, mine.points, to_come), given.target
        return models.OutlookServed(
            game.rules,
            theta,
            named_state(game.rules, state),
            mine.points,
            Outlook(found, bonus_rate),
            target,
            prob_target=None if target is None else found.at_least(target),
            prob_win=None if not others else float(found.pmf @ await self._share_of_win(game.rules, others)),
            chance=await self._chance(game.rules, aim, mine),
        )

    async def review(self, given: models.GameGiven) -> Review:
        """What a game owes to its dice and what to its player, decision by decision."""
        rules = (await self._solvable(given["rules"])).rules
        log = models.read_game(given, rules)
        table = (await self._coach(rules, 0.0, State())).table
        is_for_mean = not any(turn.goals for turn in log.turns)

        def judge(progress: Progress) -> Review:
            by_goal = None if is_for_mean else self.coaches.judge(rules, progress)
            return review(log, table, card_policy(rules), by_goal, Context(progress=progress))

        with asked_for("turns" if given.get("target") is None else "target"):
            return await (self._light if is_for_mean else self._heavy).run(judge)

    async def look_ahead(self) -> None:
        """The outlook from the start of the game is the one most asked for and takes longest: have it ready.

        On a first start, a process beside this one compiles what this needs: wait, rather than compile it twice.
        """
        while self.coaches.plain.chances is None:
            await asyncio.sleep(SECONDS_BETWEEN_LOOKS)
        # Whoever asks for something now comes first; a game that is too large has no outlook.
        with suppress(BusyError, YatzyError):
            games.check_size(self.rules)
            await self._look_up(self.coaches.outlooks, OutlookKey(self.rules, 0.0, State()))

    async def _share_of_win(self, rules: Ruleset, others: tuple[Card, ...]) -> FloatArray:
        """What each final score is worth against others who play for the mean."""
        keys = [OutlookKey(rules, 0.0, card.state) for card in others]
        to_come = [(await self._look_up(self.coaches.outlooks, key))[0] for key in keys]
        scores = [final_scores(rules, card.points, n).pmf for card, n in zip(others, to_come, strict=True)]
        return share_of_win(np.stack(scores))

    async def _chance(self, rules: Ruleset, aim: Aim | None, mine: Card) -> float | None:
        """The greatest chance of a target, if there is one and it is known."""
        if aim is None or aim.target is None:
            return None
        target = aim.target
        with suppress(NotYetError):
            return await self._heavy.run(
                lambda progress: self.coaches.chances.chance(rules, target, mine, progress)
            )
        return None

    def close(self) -> None:
        """Stop what is being computed."""
        self._light.close()
        self._heavy.close()

    async def _look_up(self, recent: Recent[Key, Result], key: Key, heavy: bool = False) -> Result:
        """A result that is kept at once, any other as soon as it is computed."""
        found = recent.peek(key)
        if found is not None:
            return found
        queue = self._heavy if heavy else self._light
        return await queue.run(lambda progress: recent.get(key, progress))

    async def _coach(self, rules: Ruleset, theta: float, state: State) -> Coach:
        """The coach for a game and a theta; nothing is solved for a state that cannot occur."""
        found = self.coaches.peek(rules, theta)
        if found is not None:
            return found
        games.check_size(rules)
        state_space(rules).check(state.filled, state.upper)
        return await self._heavy.run(lambda progress: self.coaches.get(rules, theta, progress))

    async def _asked(
        self, given: models.StateAsked | models.StateGiven | models.SituationGiven
    ) -> tuple[games.Spoken, State]:
        """The game and the state that a request is about."""
        game = await self._solvable(given.rules)
        return game, game.state(given.filled, given.upper, given.saved)

    async def _solvable(self, name: str | None) -> games.Spoken:
        """The server's own game, however large, or another that is small enough."""
        game = await self._game(name)
        if game.rules != self.rules:
            games.check_size(game.rules)
        return game

    async def _game(self, name: str | None) -> games.Spoken:
        """The game that a request names; what is to be known of a new one takes a tenth of a second."""
        if name is None or name == self.rules.name:
            return games.spoken(self.rules)
        return await self._look_up(self._games, name, heavy=True)


def _writing(endpoint: Callable[..., Awaitable[Any]], told: Any) -> Callable[..., Awaitable[Response]]:
    """The endpoint with its answer as JSON, written according to its annotated type."""
    write = TypeAdapter(told).serializer.to_json

    @wraps(endpoint)
    async def answer(*arguments: Any, **named: Any) -> Response:
        return Response(write(as_json(await endpoint(*arguments, **named))), media_type="application/json")

    return answer


def _refuse(status: int, body: bytes, headers: dict[str, str] | None = None) -> Response:
    return Response(body, status, headers, media_type="application/json")


async def _wrong_form(_request: Request, error: Exception) -> Response:
    assert isinstance(error, RequestValidationError)
    first = error.errors()[0]
    place = "".join(f"[{part}]" if isinstance(part, int) else f".{part}" for part in first["loc"][1:])
    if first["type"] == "json_invalid":
        return _refuse(422, fault("body", f"is not JSON: {first['ctx']['error']}"))
    field = place.lstrip(".")[:LONGEST_FIELD] or "body"
    if first["type"] == "missing":
        return _refuse(422, fault(field, f"{first['msg']}, not nothing"))
    given = first["input"]
    return _refuse(422, fault(field, f"{first['msg']}, not {shown(given)}", given))


async def _contradiction(_request: Request, error: Exception) -> Response:
    assert isinstance(error, YatzyError)
    return _refuse(409, fault(error.field, error.problem, error.given, error.allowed))


async def _http_error(_request: Request, error: Any) -> Response:
    answer = fault(HTTP_ERRORS[error.status_code], str(error.detail))
    return _refuse(error.status_code, answer, dict(error.headers or {}))


async def _not_yet(_request: Request, error: Exception) -> Response:
    assert isinstance(error, NotYetError)
    message = "needs the chances of every target, which are being solved, once; ask again"
    return _refuse(503, fault(error.field, message), {"Retry-After": SECONDS_TO_ASK_AGAIN})


async def _busy(_request: Request, _error: Exception) -> Response:
    message = "too much is being computed; try again in a moment"
    return _refuse(503, fault(None, message), {"Retry-After": "1"})


async def _own_fault(_request: Request, _error: Exception) -> Response:
    return _refuse(500, fault(None, "the server failed; it is not your request's fault"))
