/** The coach behind the page: what it answers, and what happens when it does not. */
import type { Log } from "./game";
import type { Rules } from "./rules";

/** Another theta is solved on the first request for it, and an outlook early in the game takes its time. */
const PATIENCE = 20_000;
const PATIENCE_FOR_OUTLOOK = 60_000;

export interface Action {
  action: string;
  value: number;
  regret: number;
  keep?: number[];
  category?: string;
  points?: number;
  bonus_chance?: number;
  improve_chance?: number;
  outcomes?: { category: string; points: number; prob: number }[];
}

export interface Advice {
  theta: number;
  value: number;
  lead: string;
  actions: Action[];
}

export interface Situation {
  dice: number[];
  rerolls: number;
  filled: string[];
  upper: number;
  theta: number;
  details?: number;
}

export interface Distribution {
  mean: number;
  sd: number;
  bonus_rate: number;
  quantiles: Record<string, number>;
  pmf: number[];
}

export interface Decision {
  turn: number;
  rerolls: number;
  dice: number[];
  filled: string[];
  upper: number;
  played: string;
  best: string;
  regret: number;
  word: string;
  card: { policy: string; action: string; regret: number; rule: string | null } | null;
}

export interface Review {
  finished: boolean;
  score: number;
  bonus: number;
  start_value: number;
  luck: number;
  lost: number;
  value_left: number;
  words: Record<string, number>;
  turns: { turn: number; category: string; points: number; expected: number; luck: number; lost: number }[];
  decisions: Decision[];
  mistakes: Decision[];
  replay: { score: number; value_left: number; log: Log };
}

/** The coach gave no answer; the message says why. */
export class NoAnswer extends Error {}

async function ask<T>(path: string, body?: unknown, patience = PATIENCE): Promise<T> {
  const given = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
  let answer: Response;
  try {
    answer = await fetch(`../api/${path}`, {
      ...given,
      headers: { "content-type": "application/json" },
      signal: AbortSignal.timeout(patience),
    });
  } catch (error) {
    const late = error instanceof DOMException && error.name === "TimeoutError";
    throw new NoAnswer(late ? "The coach took too long." : "The coach does not answer.");
  }
  const told: unknown = await answer.json().catch(() => null);
  if (answer.ok && told) return told as T;
  if (answer.status === 503) throw new NoAnswer("The coach is busy.");
  const message = (told as { error?: { message?: string } } | null)?.error?.message;
  throw new NoAnswer(
    answer.status === 404 || !message ? "There is no coach at this address." : `The coach refused: ${message}.`,
  );
}

export const askRules = (): Promise<Rules> => ask("rules");
export const askAdvice = (situation: Situation): Promise<Advice> => ask("advise", situation);
export const askDistribution = (
  state: { filled: string[]; upper: number; points: number },
  theta: number,
): Promise<Distribution> => ask("distribution", { ...state, theta }, PATIENCE_FOR_OUTLOOK);
export const askReview = (log: Log): Promise<Review> => ask("review", log);
