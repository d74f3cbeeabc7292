/**
 * A finished game in numbers, and many of them together.
 *
 * What decisions cost has no luck in it: the rating is the mean of it per game. Its uncertainty is that of a mean,
 *
 *     lost +- 1.96 * sd / sqrt(n)      (95%)
 */
import type { Review } from "../../engine/types";
import { scoreOf, turnOf, type Game } from "../game/game";
import type { LostBy, Summary } from "../storage/history";

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
  const { date = "", player = "" } = game.about;
  return {
    id: `${date} ${player}`.trim(),
    date,
    rules: game.rules.rules,
    score: scoreOf(game),
    start: found.start_value,
    lost: found.lost,
    decisions: found.decisions.length,
    lostBy: by,
  };
}

export interface Rating {
  games: number;
  /** Points lost per game, and how far off that may be; null for fewer than three games. */
  lost: number;
  within: number | null;
  perDecision: number;
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
  return {
    games: n,
    lost,
    within: n < 3 ? null : (1.96 * Math.sqrt(variance)) / Math.sqrt(n),
    perDecision: all.reduce((sum, one) => sum + one.lost, 0) / Math.max(1, mean((one) => one.decisions) * n),
    start: mean((one) => one.start),
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
