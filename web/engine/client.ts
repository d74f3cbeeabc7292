/** The engine as a page sees it: questions go to a worker, answers are awaited. */
import type { Advice, Card, Chance, Log, Midway, Outlook, Review, Situation, Solved } from "./answers";
import type { Habits, Worth } from "./measuring";
import type { GameTables } from "./tables";

/** What an answer fails with when the worker could not be started. */
export const NOT_STARTED = "not started";

export type Ask =
  | { kind: "solve"; game: GameTables; theta: number }
  | { kind: "advise"; game: GameTables; situation: Situation }
  | { kind: "outlook"; game: GameTables; card: Midway; theta: number }
  | { kind: "review"; game: GameTables; log: Log }
  | { kind: "chance"; game: GameTables; card: Card; target: number }
  | { kind: "winning"; game: GameTables; card: Card; wins: number[] }
  | { kind: "worth"; game: GameTables; habits: Habits };

export interface Asked {
  id: number;
  ask: Ask;
}

export type Told = { id: number } & ({ share: number } | { answer: unknown } | { error: string });

export interface EngineClient {
  solve: (game: GameTables, theta: number, progress?: (share: number) => void) => Promise<Solved>;
  advise: (game: GameTables, situation: Situation) => Promise<Advice>;
  /** Null where it takes too long. */
  outlook: (game: GameTables, card: Midway, theta: number) => Promise<Outlook | null>;
  review: (game: GameTables, log: Log) => Promise<Review>;
  chance: (game: GameTables, card: Card, target: number) => Promise<Chance>;
  winning: (game: GameTables, card: Card, wins: number[]) => Promise<Chance>;
  worth: (game: GameTables, habits: Habits, progress?: (share: number) => void) => Promise<Worth>;
}

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  progress?: ((share: number) => void) | undefined;
}

export function createEngine(): EngineClient {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let worker: Worker | null = null;
  /** A worker that could not be started is tried again with the next question. */
  const start = (): Worker => {
    const made = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    made.addEventListener("message", ({ data }: MessageEvent<Told>) => {
      const one = waiting.get(data.id);
      if ("share" in data) return one?.progress?.(data.share);
      waiting.delete(data.id);
      if ("error" in data) one?.reject(new Error(data.error));
      else one?.resolve(data.answer as never);
    });
    made.addEventListener("error", () => {
      for (const { reject } of waiting.values()) reject(new Error(NOT_STARTED));
      waiting.clear();
      worker = null;
    });
    return made;
  };
  const ask = <T>(asked: Ask, progress?: (share: number) => void): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.set(++last, { resolve, reject, progress });
      worker ??= start();
      worker.postMessage({ id: last, ask: asked } satisfies Asked);
    });
  return {
    solve: (game, theta, progress) => ask({ kind: "solve", game, theta }, progress),
    advise: (game, situation) => ask({ kind: "advise", game, situation }),
    outlook: (game, card, theta) => ask({ kind: "outlook", game, card, theta }),
    review: (game, log) => ask({ kind: "review", game, log }),
    chance: (game, card, target) => ask({ kind: "chance", game, card, target }),
    winning: (game, card, wins) => ask({ kind: "winning", game, card, wins }),
    worth: (game, habits, progress) => ask({ kind: "worth", game, habits }, progress),
  };
}
