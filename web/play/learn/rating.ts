/**
 * A finished game in numbers, and many of them together.
 *
 * What decisions cost has no luck in it: the rating is the mean of it per game. Its uncertainty is that of a mean, and its level
 * that of players whose means are known, as in `yatzy.coach.level`:
 *
 *     lost +- t(n - 1) * sd / sqrt(n)      (95%)
 *
 * A decision is not obvious if its second best action loses as many points as `unclear` says.
 */
import levels from "../data/levels.json";
import type { Review } from "../../engine/types";
import { scoreOf, turnOf, type Game } from "../game/game";
import { levelOf } from "../game/opponents";
import type { LostBy, Summary } from "../storage/history";

const [LEAST_LEAD = 0, MOST_LEAD = 0] = levels.unclear;

const normal = levels.t95.at(-1) ?? 0;
/** Student's t of the 95% interval of a mean of n; of many, near enough from the normal distribution. */
export const studentOf = (n: number): number =>
  n < levels.t95.length + 1 ? (levels.t95[n - 2] ?? 0) : normal + levels.t_beyond / (n - 1);

export const DICE_PATTERNS = ["alike", "house", "three", "run", "pairs", "pair", "nothing"] as const;
export type DicePattern = (typeof DICE_PATTERNS)[number];

/** What dice look like. */
export function patternOf(dice: readonly number[]): DicePattern {
  const counts = [1, 2, 3, 4, 5, 6].map((face) => dice.filter((one) => one === face).length);
  const sorted = [...counts].sort((a, b) => b - a);
  const [most = 0, second = 0] = sorted;
  let [run, longest] = [0, 0];
  for (const n of counts) longest = Math.max(longest, (run = n ? run + 1 : 0));
  if (most >= 4) return "alike";
  if (most === 3) return second >= 2 ? "house" : "three";
  if (longest >= 4) return "run";
  if (most === 2) return second === 2 ? "pairs" : "pair";
  return "nothing";
}

const add = (to: Record<string, number>, key: string, more: number): void => {
  if (more) to[key] = (to[key] ?? 0) + more;
};

export function summaryOf(game: Game, found: Review): Summary {
  const turns = game.rules.categories.length;
  const by: LostBy = { throws: [0, 0, 0], stages: [0, 0, 0], boxes: {}, dice: {} };
  for (const one of found.decisions) {
    const left = Math.min(2, one.rerolls) as 0 | 1 | 2;
    const stage = Math.min(2, Math.floor((3 * (one.turn - 1)) / turns)) as 0 | 1 | 2;
    by.throws[left] += one.regret;
    by.stages[stage] += one.regret;
    add(by.boxes, turnOf(game, one.turn)?.category ?? "", one.regret);
    add(by.dice, patternOf(one.dice), one.regret);
  }
  const unclear = found.decisions.filter(({ lead = -1 }) => lead >= LEAST_LEAD && lead <= MOST_LEAD);
  const { date = "", player = "", hints } = game.about;
  return {
    id: `${date} ${player}`.trim(),
    date,
    rules: game.rules.rules,
    score: scoreOf(game),
    start: found.start_value,
    lost: found.lost,
    decisions: found.decisions.length,
    lostBy: by,
    unclear: { decisions: unclear.length, lost: unclear.reduce((sum, { regret }) => sum + regret, 0) },
    ...(hints && { hints }),
  };
}

export interface Rating {
  games: number;
  /** Points lost per game, and how far off that may be; null for a single game. */
  lost: number;
  within: number | null;
  /** Points lost per decision that is not obvious; null where none is known. */
  perUnclear: number | null;
  /** The number of the level that this is. */
  level: number;
  /** What perfect play would have averaged, and what is left of it. */
  start: number;
  lostBy: LostBy;
}

export function ratingOf(all: readonly Summary[]): Rating {
  const n = all.length;
  const mean = (of: (one: Summary) => number): number =>
    all.reduce((sum, one) => sum + of(one), 0) / Math.max(1, n);
  const lost = mean((one) => one.lost);
  const variance = all.reduce((sum, one) => sum + (one.lost - lost) ** 2, 0) / Math.max(1, n - 1);
  const by: LostBy = { throws: [0, 0, 0], stages: [0, 0, 0], boxes: {}, dice: {} };
  for (const { lostBy } of all) {
    ([0, 1, 2] as const).forEach((i) => {
      by.throws[i] += lostBy.throws[i] / n;
      by.stages[i] += lostBy.stages[i] / n;
    });
    for (const [box, cost] of Object.entries(lostBy.boxes)) add(by.boxes, box, cost / n);
    for (const [look, cost] of Object.entries(lostBy.dice)) add(by.dice, look, cost / n);
  }
  const start = mean((one) => one.start);
  const unclear = all.flatMap((one) => one.unclear ?? []);
  const decisions = unclear.reduce((sum, one) => sum + one.decisions, 0);
  return {
    games: n,
    lost,
    within: n < 2 ? null : (studentOf(n) * Math.sqrt(variance)) / Math.sqrt(n),
    perUnclear: decisions ? unclear.reduce((sum, one) => sum + one.lost, 0) / decisions : null,
    level: levelOf(lost, start),
    start,
    lostBy: by,
  };
}

/** Games in order of time in at most `most` groups of equal size: their mean losses, and how many games each has. */
export function trendOf(all: readonly Summary[], most: number): { lost: number; games: number }[] {
  const sorted = [...all].sort((a, b) => (a.date < b.date ? -1 : 1));
  const size = Math.max(1, Math.ceil(sorted.length / most));
  const groups = [];
  for (let i = 0; i < sorted.length; i += size) {
    const part = sorted.slice(i, i + size);
    groups.push({ lost: part.reduce((sum, one) => sum + one.lost, 0) / part.length, games: part.length });
  }
  return groups;
}
