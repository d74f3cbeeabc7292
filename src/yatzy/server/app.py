"""The HTTP API and the site.

    GET  /api/health           is it up?
    GET  /api/games            the games, with their switches
    GET  /api/rules            one game with its scoring, and the thresholds of the words for losses and leads
    GET  /api/state-value      value of a state
    POST /api/advise           every action in a situation
    POST /api/distribution     exact distribution of the final score from a state
    POST /api/review           a game log, decision by decision

A request may name its game (`rules`); the default is the server's own. Every other path is a file of the site.
Errors are `{"error": {"field", "message"}}`, often with `given` and `allowed`: 422 for a malformed field, 409 if
the parts contradict each other (a state or a game that cannot occur), 413 if the body is too large, 503 if the
server is busy.

Numba is imported where it is needed, so the server starts without it.
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
from yatzy.server import models
from yatzy.server.coaches import (
    MAX_THETA,
    BusyError,
    Coaches,
    NotYetError,
    OutlookKey,
    Queue,
    RecentResults,
    naming_field,
)
from yatzy.server.guard import App, BodyLimit, ConnectionGuard, HostGuard, error_body
from yatzy.server.static_files import SiteFiles
from yatzy.solver.advise import Advice
from yatzy.solver.states import StateValue, as_situation, named_state, state_space

Key = TypeVar("Key", bound=Hashable)
Result = TypeVar("Result")

MAX_FIELD_LENGTH = 60
POLL_SECONDS = 0.5
RETRY_AFTER = "3"
MAX_LIGHT_WAITING, MAX_HEAVY_WAITING = 64, 8
MAX_GAME_READERS = 64
# Errors raised by FastAPI itself, and the part of the request each is about.
HTTP_ERRORS = {400: "body", 401: None, 404: "path", 405: "method"}
# Worker threads give up the interpreter this often (seconds), so that responses never wait long.
SWITCH_INTERVAL = 0.0005

ERRORS: dict[int | str, dict[str, Any]] = {
    409: {
        "model": json_type(models.ErrorResponse),
        "description": "The parts of the request contradict each other",
    },
    422: {"model": json_type(models.ErrorResponse), "description": "A field is malformed"},
    503: {"model": json_type(models.ErrorResponse), "description": "The server is busy; try again"},
}
BODY_ERRORS: dict[int | str, dict[str, Any]] = {
    400: {"model": json_type(models.ErrorResponse), "description": "The body is unreadable"},
    413: {"model": json_type(models.ErrorResponse), "description": "The body is larger than 64 KB"},
    **ERRORS,
}


def create_app(
    rules: str | Ruleset | None = None, folder: Path | None = None, site: str | Path | None = None
) -> App:
    """The server as one ASGI app; defaults come from YATZY_RULES, YATZY_HOME and YATZY_SITE.

    `yatzy serve` sets YATZY_WARMED: another process prepares what is missing, so the app does not wait for it.
    """
    game = ruleset(os.environ.get("YATZY_RULES", "scandinavian") if rules is None else rules)
    folder_of_site = site or os.environ.get("YATZY_SITE")
    coaches = Coaches(game, Path(folder) if folder else None, wait="YATZY_WARMED" not in os.environ)
    # Load the table now, not with the first request.
    _ = coaches.plain
    app = serve(Api(coaches))
    if folder_of_site:
        # As the fallback, so that a wrong method on an API route is still a 405.
        app.router.default = SiteFiles(directory=folder_of_site, html=True)
    hosts = os.environ.get("YATZY_HOSTS", "").split()
    return ConnectionGuard(HostGuard(BodyLimit(app), hosts))


def serve(api: "Api") -> FastAPI:
    """The endpoints and their error handlers."""

    @asynccontextmanager
    async def lifespan(_app: FastAPI) -> AsyncIterator[None]:
        sys.setswitchinterval(SWITCH_INTERVAL)
        beside = [asyncio.create_task(api.prepare_outlook()), asyncio.create_task(_exit_with_parent())]
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
            YatzyError: _conflict,
            **dict.fromkeys(HTTP_ERRORS, _http_error),
            BusyError: _busy,
            NotYetError: _not_yet,
            Exception: _server_error,
        },
    )
    api.add_routes(app)
    return app


async def _exit_with_parent() -> None:
    """End this worker once its parent was killed: nobody would restart or stop it."""
    parent = os.environ.get("YATZY_PARENT")
    while parent is not None:
        await asyncio.sleep(POLL_SECONDS)
        if os.getppid() != int(parent):
            signal.raise_signal(signal.SIGTERM)
            return


class Api:
    """The endpoints."""

    def __init__(self, coaches: Coaches) -> None:
        self.coaches = coaches
        self.rules = coaches.rules
        # Reviews and outlooks take up to a second, solving a new game or theta several: each has its own queue.
        self._light, self._heavy = Queue(2, MAX_LIGHT_WAITING), Queue(1, MAX_HEAVY_WAITING)
        self._games: RecentResults[str, models.GameReader] = RecentResults(
            lambda name, _: models.prepared_reader(name, self.rules), MAX_GAME_READERS
        )

    def add_routes(self, app: FastAPI) -> None:
        for method, path, endpoint, refusals in (
            ("GET", "/api/health", self.health, {}),
            ("GET", "/api/games", self.describe_games, {}),
            ("GET", "/api/rules", self.describe_rules, ERRORS),
            ("GET", "/api/state-value", self.state_value, ERRORS),
            ("POST", "/api/advise", self.advise, BODY_ERRORS),
            ("POST", "/api/distribution", self.distribution, BODY_ERRORS),
            ("POST", "/api/review", self.review, BODY_ERRORS),
        ):
            told = json_type(get_type_hints(endpoint)["return"])
            app.add_api_route(
                path,
                _as_response(endpoint, told),
                methods=[method],
                response_model=told,
                responses=refusals,
            )

    async def health(self) -> models.HealthResponse:
        """Is it up?"""
        value = self.coaches.plain.table.value()
        return models.HealthResponse("ok", __version__, self.rules, value)

    async def describe_games(self) -> models.GamesResponse:
        """Every game with its switches, and the one served by default."""
        return models.describe_games(self.rules)

    async def describe_rules(self, asked: Annotated[models.RulesQuery, Query()]) -> models.RulesResponse:
        """A game with its scoring, and the thresholds of the words for losses and leads, in points."""
        game = await self._game(asked.rules)
        return await self._light.run(lambda _: models.describe_rules(game.rules, self.rules, MAX_THETA))

    async def state_value(self, asked: Annotated[models.StateQuery, Query()]) -> StateValue:
        """Expected remaining points at the start of a turn, including the bonus."""
        game, state = await self._read_state(asked)
        theta = check_theta(asked.theta)
        coach = await self._coach(game.rules, theta, state)
        worth = coach.table.value(state.filled, state.upper)
        return StateValue(game.rules, theta, named_state(game.rules, state), worth)

    async def advise(self, given: models.SituationRequest) -> Advice:
        """Every action, best first; the first few with their chances and how the turn may end.

        With a target or opponents, actions are ranked by their chance of success, ties by value. With `why`, each
        action says why, and box by box how many points it loses (`parts`); for a risk or a chance, how many points
        it brings (`points_by_box`), which need not sum to anything.
        """
        game, state = await self._read_state(given)
        theta = check_theta(given.theta)
        aim, points = game.aim(given), game.card(state, given.points).points
        dice = game.dice(given.dice)
        coach = await self._coach(game.rules, theta, state)
        if given.points is not None or (aim is not None and aim.is_chance):
            check_points(game.rules, state, points)
        here = as_situation(game.rules, dice, given.rerolls, state)
        # For any other theta, the chances of the bonus may have to be computed first.
        if theta:
            advice = await self._heavy.run(lambda _: coach.advise(here, given.details))
            return await self._explained(coach, advice, None) if given.why else advice
        advice = coach.advise(here, given.details)
        if aim is None:
            return await self._explained(coach, advice, None) if given.why else advice
        chances, known = self.coaches.chances, {one.action: one for one in advice}
        with naming_field("others" if given.others else "target"):
            found = await self._heavy.run(
                lambda progress: chances.advise(aim, coach.table, here, points, progress)
            )
        actions = tuple(known[one.action]._replace(chance=one.chance) for one in found)
        advice = replace(found, actions=actions)
        if not given.why:
            return advice
        worth = await self._heavy.run(lambda progress: chances.worth(aim, coach.table, state, points, progress))
        return await self._explained(coach, advice, worth)

    async def _explained(self, coach: Coach, advice: Advice, worth: FloatArray | None) -> Advice:
        """The advice with why; the first time in a game, its parts have to be computed."""
        is_known = coach.parts.peek(advice.situation.state.filled) is not None
        return await (self._light if is_known else self._heavy).run(
            lambda progress: coach.explain(advice, worth, Context(threads=1, progress=progress)).told()
        )

    async def distribution(self, given: models.StateRequest) -> models.OutlookResponse:
        """Exact distribution of the final score under optimal play from a state."""
        game, state = await self._read_state(given)
        theta = check_theta(given.theta)
        models.check_size(game.rules)
        mine, others = game.card(state, given.points), game.others(given.others)
        check_points(game.rules, state, mine.points)
        aim = None if theta else make_aim(game.rules, given.target, theta, others)
        await self._coach(game.rules, theta, state)
        key = OutlookKey(game.rules, theta, state)
        to_come, bonus_rate = await self._look_up(self.coaches.outlooks, key, heavy=theta != 0)
        found, target = final_scores(game.rules, mine.points, to_come), given.target
        return models.OutlookResponse(
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

    async def review(self, given: models.ReviewRequest) -> Review:
        """How much of a score was luck and how much each decision lost."""
        rules = (await self._solvable_game(given["rules"])).rules
        log = models.read_game(given, rules)
        table = (await self._coach(rules, 0.0, State())).table
        is_for_mean = not any(turn.goals for turn in log.turns)

        def judge(progress: Progress) -> Review:
            by_goal = None if is_for_mean else self.coaches.judge(rules, progress)
            return review(log, table, card_policy(rules), by_goal, Context(progress=progress))

        with naming_field("turns" if given.get("target") is None else "target"):
            return await (self._light if is_for_mean else self._heavy).run(judge)

    async def prepare_outlook(self) -> None:
        """Compute the outlook from the start of the game in advance: it is requested most and takes longest.

        On a first start another process compiles what this needs: wait for it rather than compile it twice.
        """
        while self.coaches.plain.chances is None:
            await asyncio.sleep(POLL_SECONDS)
        # Requests come first; a game that is too large has no outlook.
        with suppress(BusyError, YatzyError):
            models.check_size(self.rules)
            await self._look_up(self.coaches.outlooks, OutlookKey(self.rules, 0.0, State()))

    async def _share_of_win(self, rules: Ruleset, others: tuple[Card, ...]) -> FloatArray:
        """The share of a win that each final score brings against opponents who play for the mean."""
        keys = [OutlookKey(rules, 0.0, card.state) for card in others]
        to_come = [(await self._look_up(self.coaches.outlooks, key))[0] for key in keys]
        scores = [final_scores(rules, card.points, n).pmf for card, n in zip(others, to_come, strict=True)]
        return share_of_win(np.stack(scores))

    async def _chance(self, rules: Ruleset, aim: Aim | None, mine: Card) -> float | None:
        """The greatest chance of the target, if there is one and its chances are solved."""
        if aim is None or aim.target is None:
            return None
        target = aim.target
        with suppress(NotYetError):
            return await self._heavy.run(
                lambda progress: self.coaches.chances.chance(rules, target, mine, progress)
            )
        return None

    def close(self) -> None:
        """Stop all computation."""
        self._light.close()
        self._heavy.close()

    async def _look_up(self, recent: RecentResults[Key, Result], key: Key, heavy: bool = False) -> Result:
        """A cached result at once, any other through a queue."""
        found = recent.peek(key)
        if found is not None:
            return found
        queue = self._heavy if heavy else self._light
        return await queue.run(lambda progress: recent.get(key, progress))

    async def _coach(self, rules: Ruleset, theta: float, state: State) -> Coach:
        """The coach for a game and a theta; a state that cannot occur is refused before anything is solved."""
        found = self.coaches.peek(rules, theta)
        if found is not None:
            return found
        models.check_size(rules)
        state_space(rules).check(state.filled, state.upper)
        return await self._heavy.run(lambda progress: self.coaches.get(rules, theta, progress))

    async def _read_state(
        self, given: models.StateQuery | models.StateRequest | models.SituationRequest
    ) -> tuple[models.GameReader, State]:
        """The game and the state of a request."""
        game = await self._solvable_game(given.rules)
        return game, game.state(given.filled, given.upper, given.saved)

    async def _solvable_game(self, name: str | None) -> models.GameReader:
        """The server's own game, whatever its size, or another that is small enough."""
        game = await self._game(name)
        if game.rules != self.rules:
            models.check_size(game.rules)
        return game

    async def _game(self, name: str | None) -> models.GameReader:
        """The game named by a request; preparing a new one takes a tenth of a second."""
        if name is None or name == self.rules.name:
            return models.game_reader(self.rules)
        return await self._look_up(self._games, name, heavy=True)


def _as_response(endpoint: Callable[..., Awaitable[Any]], told: Any) -> Callable[..., Awaitable[Response]]:
    """The endpoint with its result written as JSON according to its return type."""
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
        return _refuse(422, error_body("body", f"is not JSON: {first['ctx']['error']}"))
    field = place.lstrip(".")[:MAX_FIELD_LENGTH] or "body"
    if first["type"] == "missing":
        return _refuse(422, error_body(field, "is missing"))
    given = first["input"]
    return _refuse(422, error_body(field, f"{first['msg']}, not {shown(given)}", given))


async def _conflict(_request: Request, error: Exception) -> Response:
    assert isinstance(error, YatzyError)
    return _refuse(409, error_body(error.field, error.problem, error.given, error.allowed))


async def _http_error(_request: Request, error: Any) -> Response:
    answer = error_body(HTTP_ERRORS[error.status_code], str(error.detail))
    return _refuse(error.status_code, answer, dict(error.headers or {}))


async def _not_yet(_request: Request, error: Exception) -> Response:
    assert isinstance(error, NotYetError)
    message = "needs the chances of every target, which are being computed once; try again"
    return _refuse(503, error_body(error.field, message), {"Retry-After": RETRY_AFTER})


async def _busy(_request: Request, _error: Exception) -> Response:
    message = "the server is busy; try again in a moment"
    return _refuse(503, error_body(None, message), {"Retry-After": "1"})


async def _server_error(_request: Request, _error: Exception) -> Response:
    return _refuse(500, error_body(None, "internal server error; the request is not at fault"))
