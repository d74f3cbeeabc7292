/** The coach behind the page: what it answers, and what happens when it does not. */
import type { AdviceTold, DistributionTold, Endpoints, Refused, ReviewTold, RulesTold } from "./contract";
import type { Log, State } from "./game";

/** Another theta is solved on the first request for it, and an outlook early in the game takes its time. */
const PATIENCE = 20_000;
const PATIENCE_FOR_OUTLOOK = 60_000;

export type Situation = Endpoints["POST /api/advise"]["given"];

/** The coach gave no answer; the message says why. */
export class NoAnswer extends Error {}

async function ask<E extends keyof Endpoints>(
  endpoint: E,
  body: Endpoints[E]["given"],
  patience = PATIENCE,
): Promise<Endpoints[E]["told"]> {
  const [method = "", path = ""] = endpoint.split(" ");
  const given = body === undefined ? {} : { body: JSON.stringify(body) };
  let answer: Response;
  try {
    answer = await fetch(`..${path}`, {
      ...given,
      method,
      headers: { "content-type": "application/json" },
      signal: AbortSignal.timeout(patience),
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

export const askRules = (): Promise<RulesTold> => ask("GET /api/rules", undefined);
export const askAdvice = (situation: Situation): Promise<AdviceTold> => ask("POST /api/advise", situation);
export const askDistribution = (state: State, theta: number): Promise<DistributionTold> =>
  ask("POST /api/distribution", { ...state, theta }, PATIENCE_FOR_OUTLOOK);
export const askReview = (log: Log): Promise<ReviewTold> => ask("POST /api/review", log);
