/** The engine's answers to golden situations (`make golden`) are those of the library. */
import { describe, expect, test } from "vitest";
import { actionId } from "../../engine/advise";
import { Engine } from "../../engine/engine";
import { facesOf } from "../../engine/tables";
import type * as lib from "../../engine/shared";
import type { Advice, GameLog, Leak, Situation } from "../../engine/types";
import { reasonOf } from "../../engine/why";
import newGame from "../../play/data/new-game.json";
import { plainReason } from "../../play/view/reason";
import { GAMES, gameOf, readTest } from "../support";

type Advised = [
  set: number,
  upper: number,
  saved: number,
  roll: number,
  rerolls: number,
  value: number,
  best: number[],
];
type Targeted = [...(Advised extends [...infer Start, number, number[]] ? Start : never), ...TargetEnd];
type TargetEnd = [points: number, target: number, chance: number, best: number[]];
interface Golden {
  advice: { rules: string; theta: number; situations: Advised[] }[];
  targets: { rules: string; situations: Targeted[] }[];
  reasons: { rules: string; theta: number; situations: Explained[] }[];
  outlooks: {
    rules: string;
    theta: number;
    states: Record<"set" | "upper" | "saved" | "mean" | "sd" | "bonus_rate", number>[];
  }[];
  reviews: { rules: string; games: Reviewed[] }[];
  leaks: {
    rules: string;
    games: GameLog[];
    answer: [set: number, upper: number, roll: number, rerolls: number, action: number];
    decisions: number;
    lost: number;
    habits: Leak[];
  }[];
}
interface Explained extends Pick<lib.Reason, "clauses" | "lead"> {
  at: [set: number, upper: number, roll: number, rerolls: number];
  rival: number;
  /** Of the best action and its rival. */
  now: number[][];
  parts: number[][];
  sentence: string;
}
interface Reviewed {
  log: GameLog;
  score: number;
  bonus: number;
  value_left: number;
  luck: number;
  lost: number;
  spared: number;
  regrets: number[];
  replay: number;
  replay_value_left: number;
}

/** Differences up to this are the price of float32: points, chances, points of a standard deviation, rates. */
const TOLERANCE = { value: 2e-3, part: 3e-4, chance: 1e-5, sd: 0.05, rate: 5e-3 };

const golden = JSON.parse(readTest("site/golden.json")) as Golden;

/**
 * One engine for all games: each is solved once for each theta, and what an engine does when it has nothing else to do
 * (the chances of bonuses, which are not asked for here) never gets its turn.
 */
const engine = new Engine();

/** Says where an answer is too far off. */
function near(told: number | undefined, wanted: number, tolerance: number, where: unknown): void {
  const off = Math.abs((told ?? NaN) - wanted);
  if (!(off <= tolerance)) expect.fail(`${JSON.stringify(where)}: ${told}, not ${wanted}`);
}

function playsOneOf(rules: string, { actions }: Advice, best: readonly number[], where: unknown): void {
  const [first] = actions;
  const played = first && actionId(gameOf(rules), first.action);
  if (played === undefined || !best.includes(played))
    expect.fail(`${JSON.stringify(where)}: plays ${JSON.stringify(first?.action)}`);
}

describe.skipIf(!GAMES)("golden situations", () => {
  test.each(golden.advice)("advice: $rules, risk $theta", async ({ rules, theta, situations }) => {
    const game = gameOf(rules);
    await engine.solve(game, theta);
    for (const one of situations) {
      const [set, upper, saved, roll, rerolls, value, best] = one;
      const asked: Situation = { set, upper, saved, dice: facesOf(game, roll), rerolls, theta, points: 0 };
      const told = await engine.advise(game, asked);
      near(told.value, value, TOLERANCE.value, one);
      playsOneOf(rules, told, best, one);
    }
  });

  test.each(golden.targets)("targets: $rules", async ({ rules, situations }) => {
    const game = gameOf(rules);
    for (const one of situations) {
      const [set, upper, saved, roll, rerolls, points, target, chance, best] = one;
      const asked = { set, upper, saved, dice: facesOf(game, roll), rerolls, theta: 0, points, target };
      const told = await engine.advise(game, asked);
      near(told.goal?.chance, chance, TOLERANCE.chance, one);
      playsOneOf(rules, told, best, one);
    }
  });

  test.each(golden.reasons)("reasons: $rules, risk $theta", async ({ rules, theta, situations }) => {
    const game = gameOf(rules);
    const names = game.categories.map(({ category }) => category);
    for (const wanted of situations) {
      const { at, rival, sentence } = wanted;
      const [set, upper, roll, rerolls] = at;
      const asked = { set, upper, saved: 0, dice: facesOf(game, roll), rerolls, theta, points: 0 };
      const found = await engine.explain(game, asked);
      const place = found.advice.actions.findIndex(({ action }) => actionId(game, action) === rival);
      for (const [i, one] of [0, place].entries()) {
        wanted.parts[i]?.forEach((part, j) => near(found.parts[one]?.[j], part, TOLERANCE.part, sentence));
        wanted.now[i]?.forEach((part, j) => near(found.now[one]?.[j], part, TOLERANCE.part, sentence));
      }
      const told = reasonOf(game, asked, found, place);
      const clauses = wanted.clauses.map((one) => ({
        ...one,
        boxes: one.boxes.map((name) => names.indexOf(name)),
      }));
      expect(told.clauses.map(({ kind, boxes }) => [kind, boxes])).toEqual(
        clauses.map(({ kind, boxes }) => [kind, boxes]),
      );
      told.clauses.forEach(({ part }, i) => near(part, clauses[i]?.part ?? NaN, TOLERANCE.part, sentence));
      told.clauses.forEach(({ kind, chance, rival_chance }, i) => {
        if (kind !== "spared") return;
        near(chance, clauses[i]?.chance ?? NaN, TOLERANCE.part, sentence);
        near(rival_chance, clauses[i]?.rival_chance ?? NaN, TOLERANCE.part, sentence);
      });
      expect(plainReason(game, { ...told, lead: wanted.lead, clauses })).toBe(sentence);
    }
  });

  test.each(golden.outlooks)("outlooks: $rules, risk $theta", async ({ rules, theta, states }) => {
    const game = gameOf(rules);
    for (const { set, upper, saved, mean, sd, bonus_rate } of states) {
      const told = await engine.outlook(game, { set, upper, saved, points: 0 }, theta);
      near(told?.mean, mean, TOLERANCE.value, set);
      near(told?.sd, sd, TOLERANCE.sd, set);
      near(told?.bonus_rate, bonus_rate, TOLERANCE.rate, set);
      if (set || theta || game.fingerprint !== newGame.fingerprint) continue;
      // What the page has without asking.
      newGame.pmf.forEach((prob, score) => near(told?.pmf[score] ?? 0, prob, TOLERANCE.chance, score));
    }
  });

  // A bug: reviews of unfinished games in which the bonus was reached paid it, and counted it ahead as well.
  test.each(golden.reviews)("reviews: $rules", async ({ rules, games }) => {
    for (const { log, regrets, ...wanted } of games) {
      const told = await engine.review(gameOf(rules), log);
      const where = `seed ${log.seed}, ${log.turns.length} turns`;
      // Every one of some forty decisions is as good as a value.
      near(told.luck / regrets.length, wanted.luck / regrets.length, TOLERANCE.value, where);
      near(told.lost / regrets.length, wanted.lost / regrets.length, TOLERANCE.value, where);
      near(told.spared / regrets.length, wanted.spared / regrets.length, TOLERANCE.value, where);
      expect(told.decisions.length).toBe(regrets.length);
      regrets.forEach((regret, i) => near(told.decisions[i]?.regret, regret, TOLERANCE.value, where));
      near(told.value_left, wanted.value_left, TOLERANCE.value, where);
      near(told.replay.value_left, wanted.replay_value_left, TOLERANCE.value, where);
      const { start_value, luck, lost, spared, score, value_left } = told;
      near(start_value + luck - lost + spared, score + value_left, 1e-6, where);
      expect([told.score, told.bonus, told.replay.score]).toEqual([wanted.score, wanted.bonus, wanted.replay]);
    }
  });

  test.each(golden.leaks)("leaks: $rules", async ({ rules, games, answer, decisions, lost, habits }) => {
    const game = gameOf(rules);
    const [set, upper, roll, rerolls, action] = answer;
    const boxes = game.categories.length;
    const given = action < boxes ? { score: action } : { keep: facesOf(game, action - boxes) };
    const asked = { set, upper, saved: 0, dice: facesOf(game, roll), rerolls, given };
    const told = await engine.leaks(game, games, [asked]);
    expect(told.decisions).toBe(decisions);
    near(told.lost, lost, 40 * TOLERANCE.value, rules);
    expect(told.habits.map(({ habit }) => habit).sort()).toEqual(habits.map(({ habit }) => habit).sort());
    for (const wanted of habits) {
      const found = told.habits.find(({ habit }) => habit === wanted.habit);
      expect([found?.habit, found?.tempted, found?.mistakes]).toEqual([
        wanted.habit,
        wanted.tempted,
        wanted.mistakes,
      ]);
      for (const key of ["lost", "usual", "within", "costs", "expected", "z", "lost_each"] as const)
        near(found?.[key] ?? NaN, wanted[key] ?? NaN, 0.02, [wanted.habit, key]);
    }
  });
});
