/**
 * Which player answers like this: habits fitted to answers, as `yatzy.profiles.fit` does it.
 *
 *     ln P(answers | theta, gamma, depth, beta) = sum over answers of -beta x - ln(sum over choices of exp(-beta x))
 *
 * with x the points that a choice looks behind the best. The quiz (`yatzy.profiles.quiz`) has x for every choice and
 * every player of a grid, so that this is all there is to do: no game is solved.
 */

import type { Habits } from "./habit-cost";

export interface Quiz {
  rules: string;
  thetas: number[];
  gammas: number[];
  depths: number[];
  betas: number[];
  steps_per_point: number;
  questions: {
    situation: string;
    choices: string[];
    tells: number;
    /** By theta, gamma, depth and choice, in steps. */
    behind: number[][][][];
  }[];
}

/** Means and standard deviations under the likeliest depth; of beta the factor that it is uncertain by. */
export interface Fitted extends Habits {
  spread: { theta: number; beta: number; gamma: number };
  /** How likely each depth is. */
  depths: number[];
  /** Of these all that is known is that they lie at an end of the scale, or beyond it. */
  atEnd: string[];
}

/** Choices by the number of their question; not all have to be answered, but one has to. */
export type Answers = ReadonlyMap<number, number>;

/** Of one end of a scale. */
const NEARLY_SURE = 0.9;

interface Player {
  theta: number;
  gamma: number;
  logBeta: number;
  depth: number;
  likelihood: number;
}

function logChance(behind: readonly number[], choice: number, beta: number, steps: number): number {
  const total = behind.reduce((sum, x) => sum + Math.exp((-beta * x) / steps), 0);
  return (-beta * (behind[choice] ?? NaN)) / steps - Math.log(total);
}

/** Every player of the grid, with the logarithm of how likely the answers are for him. */
function* players(quiz: Quiz, answers: Answers): Generator<Player> {
  for (const [i, theta] of quiz.thetas.entries())
    for (const [j, gamma] of quiz.gammas.entries())
      for (const depth of quiz.depths.keys())
        for (const beta of quiz.betas) {
          let likelihood = 0;
          for (const [number, choice] of answers) {
            const behind = quiz.questions[number]?.behind[i]?.[j]?.[depth] ?? [];
            likelihood += logChance(behind, choice, beta, quiz.steps_per_point);
          }
          yield { theta, gamma, logBeta: Math.log(beta), depth, likelihood };
        }
}

/** Mean and standard deviation of a number over players, by their weights. */
function moments(
  all: readonly Player[],
  weights: readonly number[],
  of: (one: Player) => number,
): [number, number] {
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const mean = all.reduce((sum, one, k) => sum + (weights[k] ?? 0) * of(one), 0) / total;
  const square = all.reduce((sum, one, k) => sum + (weights[k] ?? 0) * (of(one) - mean) ** 2, 0) / total;
  return [mean, Math.sqrt(square)];
}

export function fitHabits(quiz: Quiz, answers: Answers): Fitted {
  const all = [...players(quiz, answers)];
  const top = all.reduce((most, one) => Math.max(most, one.likelihood), -Infinity);
  const weights = all.map((one) => Math.exp(one.likelihood - top));
  const total = weights.reduce((sum, weight) => sum + weight, 0);
  const depths = quiz.depths.map(
    (_, depth) => all.reduce((sum, one, k) => sum + (one.depth === depth ? (weights[k] ?? 0) : 0), 0) / total,
  );
  const likeliest = depths.indexOf(Math.max(...depths));
  const under = weights.map((weight, k) => (all[k]?.depth === likeliest ? weight : 0));
  const [theta, ofTheta] = moments(all, under, (one) => one.theta);
  const [gamma, ofGamma] = moments(all, under, (one) => one.gamma);
  const [logBeta, ofBeta] = moments(all, under, (one) => one.logBeta);
  /** How likely it is that a number lies where the scale begins or ends. */
  const chance = (is: (one: Player) => boolean): number =>
    all.reduce((sum, one, k) => sum + (is(one) ? (under[k] ?? 0) : 0), 0) /
    under.reduce((sum, weight) => sum + weight, 0);
  const ends = (name: string, scale: readonly number[], of: (one: Player) => number): string[] =>
    scale.some((end) => chance((one) => of(one) === end) > NEARLY_SURE) ? [name] : [];
  return {
    atEnd: [
      ...ends("theta", [quiz.thetas[0] ?? 0, quiz.thetas.at(-1) ?? 0], (one) => one.theta),
      ...ends("beta", [quiz.betas[0] ?? 0, quiz.betas.at(-1) ?? 0].map(Math.log), (one) => one.logBeta),
      ...ends("gamma", [quiz.gammas[0] ?? 0], (one) => one.gamma),
    ],
    theta,
    beta: Math.exp(logBeta),
    gamma,
    depth: quiz.depths[likeliest] ?? 0,
    spread: { theta: ofTheta, beta: Math.exp(ofBeta), gamma: ofGamma },
    depths,
  };
}
