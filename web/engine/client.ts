/** The engine as a page sees it: questions go to a worker, which is told a game once; answers are awaited. */
import type { Engine } from "./engine";
import type { Habits } from "./habits";
import type { GameTables } from "./tables";
import type { Answer } from "./leak";
import type { Card, GameLog, CardInTurn, LeakName, Situation } from "./types";

/** What an answer fails with when the worker could not be started. */
export const NOT_STARTED = "not started";

type EngineQuestion =
  | { kind: "solve"; theta: number }
  | { kind: "advise"; situation: Situation }
  | { kind: "explain"; situation: Situation }
  | { kind: "outlook"; card: CardInTurn; theta: number }
  | { kind: "review"; log: GameLog }
  | { kind: "chance"; card: Card; target: number }
  | { kind: "winning"; card: Card; wins: number[] }
  | { kind: "worth"; habits: Habits }
  | { kind: "leaks"; games: GameLog[]; answers: Answer[] }
  | { kind: "training"; habit: LeakName; seed: number; limit: number };

export interface EngineRequest {
  id: number;
  /** The fingerprint of a game that the worker was told. */
  game: string;
  ask: EngineQuestion;
}

export type EngineReply = { id: number } & ({ share: number } | { answer: unknown } | { error: string });

/** The engine's questions, as it answers them itself. */
export type EngineClient = Pick<Engine, EngineQuestion["kind"]>;

interface Waiting {
  resolve: (answer: never) => void;
  reject: (error: Error) => void;
  progress?: ((share: number) => void) | undefined;
}

export function createEngine(): EngineClient {
  const waiting = new Map<number, Waiting>();
  let last = 0;
  let worker: Worker | null = null;
  const known = new Set<string>();
  /** A worker that could not be started is tried again with the next question. */
  const start = (): Worker => {
    const made = new Worker(new URL("./worker.ts", import.meta.url), { type: "module" });
    made.addEventListener("message", ({ data }: MessageEvent<EngineReply>) => {
      const one = waiting.get(data.id);
      if ("share" in data) return one?.progress?.(data.share);
      waiting.delete(data.id);
      if ("error" in data) one?.reject(new Error(data.error));
      else one?.resolve(data.answer as never);
    });
    made.addEventListener("error", () => {
      for (const { reject } of waiting.values()) reject(new Error(NOT_STARTED));
      waiting.clear();
      known.clear();
      worker = null;
    });
    return made;
  };
  const ask = <T>(game: GameTables, asked: EngineQuestion, progress?: (share: number) => void): Promise<T> =>
    new Promise<T>((resolve, reject) => {
      waiting.set(++last, { resolve, reject, progress });
      worker ??= start();
      if (!known.has(game.fingerprint)) worker.postMessage(game);
      known.add(game.fingerprint);
      worker.postMessage({ id: last, game: game.fingerprint, ask: asked } satisfies EngineRequest);
    });
  return {
    solve: (game, theta = 0, progress) => ask(game, { kind: "solve", theta }, progress),
    advise: (game, situation) => ask(game, { kind: "advise", situation }),
    explain: (game, situation, progress) => ask(game, { kind: "explain", situation }, progress),
    outlook: (game, card, theta = 0) => ask(game, { kind: "outlook", card, theta }),
    review: (game, log) => ask(game, { kind: "review", log }),
    chance: (game, card, target) => ask(game, { kind: "chance", card, target }),
    winning: (game, card, wins) => ask(game, { kind: "winning", card, wins }),
    worth: (game, habits, progress) => ask(game, { kind: "worth", habits }, progress),
    leaks: (game, games, answers, progress) => ask(game, { kind: "leaks", games, answers }, progress),
    training: (game, habit, seed, limit) => ask(game, { kind: "training", habit, seed, limit }),
  };
}
