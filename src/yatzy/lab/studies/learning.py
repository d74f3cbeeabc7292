"""Can Yatzy be learned from self-play alone? Four learners, and the exact mean of each as it plays on.

                          holds dice by searching the turn            holds dice by habit
    learns turn by turn            looks ahead, turn by turn           by habit, turn by turn
    learns from final scores       looks ahead, from scores            by habit, from scores

None of them sees the solution. If credit assignment makes the game hard to learn, the second row must fail: it
only sees how many points a game still brought. If lack of lookahead does, the second column must. Means are exact
(`yatzy.measure.exact`). Each learner is kept when it is done, so a killed run resumes with the next.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from yatzy.context import DEFAULT_CONTEXT, Context, in_threads
from yatzy.game.json import json_property
from yatzy.lab.studies.results import kept_part, part_file
from yatzy.lab.training.self_play import Learner, learn
from yatzy.measure.exact import visit
from yatzy.policies.baselines import Greedy
from yatzy.rules import Ruleset, ruleset
from yatzy.solver.store import stored_table
from yatzy.source_digest import source_digest

LEARNERS = (
    Learner("looks ahead, turn by turn", looks_ahead=True, from_scores=False),
    Learner("looks ahead, from scores", looks_ahead=True, from_scores=True),
    Learner("by habit, turn by turn", looks_ahead=False, from_scores=False),
    Learner("by habit, from scores", looks_ahead=False, from_scores=True),
)
STOPS = (1_000, 3_000, 10_000, 30_000, 100_000, 300_000, 1_000_000, 3_000_000, 10_000_000)
SEED = 7


@dataclass(frozen=True)
class Stop:
    """Strength after a number of games."""

    games: int
    mean: float
    bonus_rate: float


@dataclass(frozen=True)
class LearningCurve:
    """One learner at every stop."""

    name: str
    looks_ahead: bool
    from_scores: bool
    points: list[Stop]

    def first_above(self, mean: float) -> int | None:
        """The number of games after which it first plays better than this; None if never."""
        return next((stop.games for stop in self.points if stop.mean > mean), None)


@dataclass(frozen=True)
class Learning:
    """All learners; `games_to_beat_greedy` by learner, None where it never does."""

    rules: str
    seed: int
    optimal_mean: float
    greedy_mean: float
    learners: list[LearningCurve]

    @property
    def key_figures(self) -> dict[str, float]:
        return {learned.name: learned.points[-1].mean for learned in self.learners}

    @json_property
    def games_to_beat_greedy(self) -> dict[str, int | None]:
        return {learned.name: learned.first_above(self.greedy_mean) for learned in self.learners}


def measure_learning(
    rules: str | Ruleset = "scandinavian",
    context: Context = DEFAULT_CONTEXT,
    learners: Sequence[Learner] = LEARNERS,
    stops: Sequence[int] = STOPS,
) -> Learning:
    """Train every learner and measure it at each stop; several train at once."""
    rules = ruleset(rules)
    code = source_digest(__name__)

    def learn_one(one: tuple[Learner, Context]) -> LearningCurve:
        learner, own = one
        name = learner.name.replace(", ", "-").replace(" ", "-")
        kept = part_file(
            context.home, "learning", name, code, rules.fingerprint, repr((learner, tuple(stops), SEED))
        )
        found = kept_part(kept, list[Stop], lambda: follow(learner, rules, stops, own))
        own.step(1, 1)
        return LearningCurve(learner.name, learner.looks_ahead, learner.from_scores, found)

    parts = context.parts(len(learners))
    learned = in_threads(learn_one, zip(learners, parts, strict=True), context.threads)
    return Learning(
        rules=rules.name,
        seed=SEED,
        optimal_mean=stored_table(rules, context=context.quiet()).value(),
        greedy_mean=visit(Greedy(rules), context.threads).mean,
        learners=learned,
    )


def follow(learner: Learner, rules: Ruleset, stops: Sequence[int], context: Context) -> list[Stop]:
    """One learner from its first game to its last, measured at every stop."""
    known, found, played = learner.begin(rules), [], 0
    for games in stops:

        def report(done: int, total: int, played: int = played) -> None:
            context.step(played + done, stops[-1])

        learn(learner, rules, known, played, games, SEED, replace(context, progress=report))
        played = games
        visits = visit(learner.player(rules, known), context.threads)
        bonus = float(visits.visits[-1, rules.bonus_threshold :].sum())
        found.append(Stop(games, visits.mean, bonus))
    return found
