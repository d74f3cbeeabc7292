/**
 * The engine's answers to golden situations, compared with those of the library: `node golden.mjs GOLDEN TABLES`.
 *
 * Prints one JSON object: how many situations there were, the largest difference of values, and every disagreement.
 */
import { readFileSync } from "node:fs";
import { actionId } from "../engine/advise";
import { Engine } from "../engine/engine";
import * as tables from "../engine/tables";
import type { GameTables } from "../engine/tables";
import type { GameLog, Situation } from "../engine/types";
import newGame from "../play/data/new-game.json";

type Line = (number | number[])[];
interface Golden {
  advice: { rules: string; theta: number; situations: Line[] }[];
  targets: { rules: string; situations: Line[] }[];
  outlooks: { rules: string; theta: number; states: Record<string, never>[] }[];
  reviews: {
    rules: string;
    games: {
      log: GameLog;
      score: number;
      bonus: number;
      value_left: number;
      luck: number;
      lost: number;
      regrets: number[];
      replay: number;
      replay_value_left: number;
    }[];
  }[];
}

const [goldenPath = "", folder = ""] = process.argv.slice(2);
const golden = JSON.parse(readFileSync(goldenPath, "utf8")) as Golden;
const gameOf = (name: string): GameTables =>
  JSON.parse(readFileSync(`${folder}/${name}.json`, "utf8")) as GameTables;

/** Differences up to this are the price of float32: points, chances, points of a standard deviation. */
const TOLERANCE = { value: 2e-3, chance: 1e-5, sd: 0.05, rate: 5e-3 };
const found = {
  situations: 0,
  outlooks: 0,
  reviews: 0,
  value: 0,
  chance: 0,
  mean: 0,
  sd: 0,
  rate: 0,
  new_game: 0,
};
const wrong: string[] = [];
const milliseconds: Record<string, number[]> = {};

function compare(what: keyof typeof found, difference: number, allowed: number, where: string): void {
  found[what] = Math.max(found[what], difference);
  if (!(difference <= allowed)) wrong.push(`${where}: ${what} differs by ${difference}`);
}

async function timed<T>(what: string, act: () => Promise<T>): Promise<T> {
  const began = performance.now();
  const answer = await act();
  (milliseconds[what] ??= []).push(performance.now() - began);
  return answer;
}

/**
 * One engine for all games: each is solved once for each theta, and what an engine does when it has nothing else to do
 * (the chances of bonuses, which are not asked for here) never gets its turn.
 */
const engine = new Engine();

for (const { rules, theta, situations } of golden.advice) {
  const game = gameOf(rules);
  await engine.solve(game, theta);
  for (const line of situations) {
    const [set, upper, saved, roll, rerolls, value, best] = line as [
      number,
      number,
      number,
      number,
      number,
      number,
      number[],
    ];
    const asked: Situation = { set, upper, saved, dice: tables.facesOf(game, roll), rerolls, theta, points: 0 };
    const told = await timed("advise", () => engine.advise(game, asked));
    const where = `${rules} ${theta} ${JSON.stringify(line)}`;
    found.situations++;
    compare("value", Math.abs(told.value - value), TOLERANCE.value, where);
    const [first] = told.actions;
    if (!first || !best.includes(actionId(game, first.action)))
      wrong.push(`${where}: plays ${JSON.stringify(first?.action)}`);
  }
}
for (const { rules, situations } of golden.targets) {
  const game = gameOf(rules);
  for (const line of situations) {
    const [set, upper, saved, roll, rerolls, points, target, chance, best] = line as [
      ...number[],
      number[],
    ] as never as [...[number, number, number, number, number, number, number, number], number[]];
    const asked = { set, upper, saved, dice: tables.facesOf(game, roll), rerolls, theta: 0, points, target };
    const told = await timed("target", () => engine.advise(game, asked));
    const where = `${rules} ${JSON.stringify(line)}`;
    found.situations++;
    compare("chance", Math.abs((told.goal?.chance ?? NaN) - chance), TOLERANCE.chance, where);
    const [first] = told.actions;
    if (!first || !best.includes(actionId(game, first.action)))
      wrong.push(`${where}: plays ${JSON.stringify(first?.action)}`);
  }
}
for (const { rules, theta, states } of golden.outlooks) {
  const game = gameOf(rules);
  for (const state of states as unknown as Record<string, number>[]) {
    const { set = 0, upper = 0, saved = 0, mean = 0, sd = 0, bonus_rate = 0 } = state;
    const card = { set, upper, saved, points: 0 };
    const open = game.categories.length - tables.nFilled(game, set);
    const told = await timed(`outlook with ${open} open`, () => engine.outlook(game, card, theta));
    const where = `${rules} ${theta} ${JSON.stringify(state)}`;
    found.outlooks++;
    compare("mean", Math.abs((told?.mean ?? NaN) - mean), TOLERANCE.value, where);
    compare("sd", Math.abs((told?.sd ?? NaN) - sd), TOLERANCE.sd, where);
    compare("rate", Math.abs((told?.bonus_rate ?? NaN) - bonus_rate), TOLERANCE.rate, where);
    if (set || theta || game.fingerprint !== newGame.fingerprint) continue;
    // What the page has without asking.
    const differences = newGame.pmf.map((prob, score) => Math.abs(prob - (told?.pmf[score] ?? 0)));
    compare("new_game", Math.max(...differences), TOLERANCE.chance, where);
  }
}
for (const { rules, games } of golden.reviews) {
  const game = gameOf(rules);
  for (const { log, luck, lost, regrets, ...ends } of games) {
    const told = await timed("review", () => engine.review(game, log));
    const where = `${rules} review of ${log.turns.length} turns, seed ${log.seed ?? "unknown"}`;
    found.reviews++;
    // Every one of some forty decisions is as good as a value.
    compare("value", Math.abs(told.luck - luck) / regrets.length, TOLERANCE.value, where);
    compare("value", Math.abs(told.lost - lost) / regrets.length, TOLERANCE.value, where);
    told.decisions.forEach((one, i) =>
      compare("value", Math.abs(one.regret - (regrets[i] ?? NaN)), TOLERANCE.value, `${where} decision ${i}`),
    );
    compare("value", Math.abs(told.value_left - ends.value_left), TOLERANCE.value, where);
    compare("value", Math.abs(told.replay.value_left - ends.replay_value_left), TOLERANCE.value, where);
    const whole = [told.score, told.bonus, told.replay.score];
    if (`${whole}` !== `${[ends.score, ends.bonus, ends.replay]}`)
      wrong.push(
        `${where}: score, bonus and replay are ${whole}, not ${ends.score}, ${ends.bonus}, ${ends.replay}`,
      );
  }
}
const median = (numbers: number[]): number => numbers.sort((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? NaN;
const times = Object.fromEntries(Object.entries(milliseconds).map(([what, all]) => [what, median(all)]));
console.log(JSON.stringify({ ...found, wrong, milliseconds: times }));
process.exit();
