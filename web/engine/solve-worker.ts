/**
 * A worker that solves a game once, from nothing, and says how long it took: for readers who want to see it done.
 *
 * The coach's own worker (`worker`) keeps what it has solved, and answers while it solves. Here there is neither.
 */
import { advise } from "./advise";
import { Solver, valueOf } from "./solve";
import type { GameTables } from "./tables";
import type { AdvisedAction } from "./types";

export interface SolveAsked {
  game: GameTables;
  /** A first throw that is asked about when the game is solved. */
  dice: number[];
}

export type SolveTold =
  { share: number } | { states: number; seconds: number; value: number; best: AdvisedAction } | { error: string };

const tell = (told: SolveTold): void => postMessage(told);

function solve({ game, dice }: SolveAsked): void {
  const began = performance.now();
  const steps = new Solver(game, 0).steps();
  for (;;) {
    const { done, value } = steps.next();
    if (!done) {
      tell({ share: value });
      continue;
    }
    const seconds = (performance.now() - began) / 1000;
    const asked = { set: 0, upper: 0, saved: 0, points: 0, dice, rerolls: game.rerolls, theta: 0 };
    const [best] = advise(value, asked, null).actions;
    if (best) tell({ states: game.states, seconds, value: valueOf(value, 0, 0), best });
    return;
  }
}

addEventListener("message", ({ data }: MessageEvent<SolveAsked>) => {
  try {
    solve(data);
  } catch (error) {
    tell({ error: error instanceof Error ? error.message : String(error) });
  }
});
