/**
 * What a value says about more than the mean, by how it changes with the rules or with the risk.
 *
 * *The chance of the bonus.* The best value is a maximum over ways to play, each of which is worth a + bonus * P(bonus).
 * Where it has a slope, the slope is that of the best way:
 *
 *     P(bonus) = dV / dbonus  =  ( V(bonus + h) - V(bonus - h) ) / 2h
 *
 * *The spread of the score.* With CE(theta) the certainty equivalent under the utility exp(theta * points),
 *
 *     variance = ( CE(theta) - CE(-theta) ) / theta          for theta near 0.
 *
 * Both take two more solves, and nothing else. Near a tie the first lies between the chances of the ways that tie.
 */
import { Solver, valueOf, type Steps, type ValueTable } from "./solve";
import type { GameTables } from "./tables";

const STEP = 0.125;
const THETA = 0.01;

/** By row and upper total. */
export type ByState = (row: number, upper: number) => number;

/** A number for every state, from two tables. */
function* compare(first: Solver, second: Solver, told: (a: number, b: number) => number): Steps<ByState> {
  const a: ValueTable = yield* first.steps();
  const b: ValueTable = yield* second.steps();
  const { stride } = a;
  const found = new Float32Array(a.rows.length);
  for (let row = 0; row < a.refs.length; row++)
    for (let upper = 0; upper <= a.game.bonus_threshold; upper++)
      found[row * stride + upper] = told(valueOf(a, row, upper), valueOf(b, row, upper));
  return (row, upper) => found[row * stride + upper] ?? NaN;
}

/** The chance that the bonus is paid. */
export function* bonusChances(game: GameTables): Steps<ByState> {
  return yield* compare(
    new Solver({ ...game, bonus: game.bonus + STEP }, 0),
    new Solver({ ...game, bonus: game.bonus - STEP }, 0),
    (more, less) => Math.min(1, Math.max(0, (more - less) / (2 * STEP))),
  );
}

/** The standard deviation of the points to come. */
export function* spreads(game: GameTables): Steps<ByState> {
  return yield* compare(new Solver(game, THETA), new Solver(game, -THETA), (bold, careful) =>
    Math.sqrt(Math.max(0, (bold - careful) / THETA)),
  );
}
