/** The coach behind the page: what it answers, and what happens when it does not. */
import type {
  AdviceTold,
  DistributionTold,
  Endpoints,
  GamesTold,
  Refused,
  ReviewTold,
  RulesTold,
} from "./contract";
import type { Log, State } from "./game";

/** Another game or theta is solved on the first request for it, and an outlook early in the game takes its time. */
const PATIENCE = 60_000;

export type Situation = Endpoints["POST /api/advise"]["given"];

/** The coach gave no answer; the message says why. */
export class NoAnswer extends Error {}

async function ask<E extends keyof Endpoints>(
  endpoint: E,
  body: Endpoints[E]["given"],
  query = "",
): Promise<Endpoints[E]["told"]> {
  const [method = "", path = ""] = endpoint.split(" ");
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  let answer: Response;
  try {
    answer = await fetch(`..${path}${query}`, {
      ...given,
      method,
      headers: { "content-type": "application/json" },
      signal: AbortSignal.timeout(PATIENCE),
    });
  } catch (error) {
    const late = error instanceof DOMException && error.name === "TimeoutError";
    throw new NoAnswer(late ? "The coach took too long." : "The coach does not answer.");
  }
  const told: unknown = await answer.json().catch(() => null);
  if (answer.ok && told) return told as Endpoints[E]["told"];
  if (answer.status === 503) throw new NoAnswer("The coach is busy.");
  const message = (told as Partial<Refused> | null)?.error?.message;
  throw new NoAnswer(
    answer.status === 404 || !message ? "There is no coach at this address." : `The coach refused: ${message}.`,
  );
}

export const askGames = (): Promise<GamesTold> => ask("GET /api/games", undefined);
export const askRules = (name: string): Promise<RulesTold> =>
  ask("GET /api/rules", undefined, `?rules=${encodeURIComponent(name)}`);
export const askAdvice = (situation: Situation): Promise<AdviceTold> => ask("POST /api/advise", situation);
export const askDistribution = (state: State, theta: number): Promise<DistributionTold> =>
  ask("POST /api/distribution", { ...state, theta });
export const askReview = (log: Log): Promise<ReviewTold> => ask("POST /api/review", log);
