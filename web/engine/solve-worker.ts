/**
 * A worker that solves a game once, from nothing, and says how long it took: for readers who want to see it done.
 *
 * The coach's own worker (`worker`) keeps what it has solved, and answers while it solves. Here there is neither.
 */
import { advise } from "./advise";
import { Solver, valueOf } from "./solve";
import type { GameTables } from "./tables";
import type { AdvisedAction } from "./types";

export interface SolveRequest {
  game: GameTables;
  /** A first throw that is asked about when the game is solved. */
  dice: number[];
}

export type SolveMessage =
  { share: number } | { states: number; seconds: number; value: number; best: AdvisedAction } | { error: string };

const send = (told: SolveMessage): void => postMessage(told);

function solve({ game, dice }: SolveRequest): void {
  const began = performance.now();
  const steps = new Solver(game, 0).steps();
  for (;;) {
    const { done, value } = steps.next();
    if (!done) {
      send({ share: value });
      continue;
    }
    const seconds = (performance.now() - began) / 1000;
    const asked = { set: 0, upper: 0, saved: 0, points: 0, dice, rerolls: game.rerolls, theta: 0 };
    const [best] = advise(value, asked, null).actions;
    if (best) send({ states: game.states, seconds, value: valueOf(value, 0, 0), best });
    return;
  }
}

addEventListener("message", ({ data }: MessageEvent<SolveRequest>) => {
  try {
    solve(data);
  } catch (error) {
    send({ error: error instanceof Error ? error.message : String(error) });
  }
});
