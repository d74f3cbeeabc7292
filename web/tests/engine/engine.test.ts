/** The engine without a library beside it: dice, levels, turns of long work, what is kept, and what is refused. */
import { expect, test } from "vitest";
import { leadLevel, lossLevel } from "../../engine/advise";
import constants from "../../engine/constants.json";
import { heldBy, randomDice, randomSeed, seededDice, seededThrow } from "../../engine/dice";
import { Engine } from "../../engine/engine";
import { Scheduler } from "../../engine/scheduler";
import { NO_STORAGE, type Kept } from "../../engine/storage";
import { facesOf, keepId, layersOf } from "../../engine/tables";
import { SCANDINAVIAN, readTest } from "../support";

const START = { set: 0, upper: 0, saved: 0, points: 0 };

test("points lost and ahead have levels", () => {
  const points = [0, constants.tie, 0.1, 0.5, 1.9, 2, 4.9, 5];
  expect(points.map(lossLevel)).toEqual([0, 0, 1, 2, 2, 3, 3, 4]);
  expect(points.map(leadLevel)).toEqual([0, 0, 1, 2, 2, 3, 3, 3]);
  expect(leadLevel(undefined)).toBeNull();
});

test("seeded dice are those of the library, for all seeds that a page takes", () => {
  const dice = (seed: number, game: number, turn: number, thrown: number): number[] =>
    seededDice({ seed, game, dice: 5, faces: 6, throws: () => 3 }, turn, thrown, 5);
  // yatzy.game.dice.SeededDice
  expect(dice(7, 0, 0, 0)).toEqual([1, 6, 6, 3, 2]);
  expect(dice(7, 3, 14, 2)).toEqual([5, 6, 2, 5, 2]);
  expect(dice(2 ** 53 - 1, 0, 0, 0)).toEqual([3, 2, 1, 5, 5]);
});

test("by die, each shows the same to everybody who throws it", () => {
  for (const { seed, dice, faces, turn, throw: thrown, shows } of JSON.parse(
    readTest("game/dice.json"),
  ) as Shown[]) {
    const from = { seed, game: 0, dice, faces, throws: () => 0, scheme: "by-die" };
    for (let mask = 0; mask < 2 ** dice; mask++) {
      const held = shows.map((_, place) => !((mask >> place) & 1));
      expect(seededThrow(from, [turn, thrown], held)).toEqual(shows.filter((_, place) => !held[place]));
    }
    expect(
      seededThrow(
        { ...from, scheme: undefined },
        [turn, thrown],
        shows.map((_, i) => i < 2),
      ),
    ).toEqual(shows.slice(0, -2));
  }
  expect(Number.isSafeInteger(randomSeed())).toBe(true);
});

/** A throw of `tests/game/dice.json`. */
interface Shown {
  seed: number;
  dice: number;
  faces: number;
  turn: number;
  throw: number;
  shows: number[];
}

test("random dice show every face, and a keep is found in them", () => {
  const dice = randomDice(600, 6);
  expect(dice.length).toBe(600);
  expect(new Set(dice)).toEqual(new Set([1, 2, 3, 4, 5, 6]));
  expect(heldBy([3, 1, 3, 3, 6], [3, 3])).toEqual([true, false, true, false, false]);
});

test("keeps have ids, whatever the order of the dice", () => {
  expect(facesOf(SCANDINAVIAN, keepId(SCANDINAVIAN, [6, 1, 3]))).toEqual([1, 3, 6]);
  expect(keepId(SCANDINAVIAN, [7])).toBe(-1);
  expect(layersOf(SCANDINAVIAN).map((sets) => sets.length)).toEqual([
    1, 15, 105, 455, 1365, 3003, 5005, 6435, 6435, 5005, 3003, 1365, 455, 105, 15, 1,
  ]);
});

const kept = new Map<string, Kept>();
const storage = {
  ...NO_STORAGE,
  tables: {
    get: async (key: string) => kept.get(key) ?? null,
    put: async (key: string, one: Kept) => void kept.set(key, one),
  },
};

test("a solved game is kept, and found again without solving", async () => {
  const shares: number[] = [];
  const first = await new Engine(storage).solve(SCANDINAVIAN, 0, (share) => shares.push(share));
  expect(first.value).toBeCloseTo(248.44, 2);
  expect(first.states).toBe(1_430_528);
  expect(first.seconds).toBeGreaterThan(0);
  expect(shares).toEqual([...shares].sort((a, b) => a - b));
  const again = await new Engine(storage).solve(SCANDINAVIAN);
  expect(again).toEqual({ ...first, seconds: null });
});

test("what was kept in another shape is solved anew", async () => {
  const broken = { rows: new Float32Array(3), refs: new Float64Array(1), stride: 3 };
  const other = { ...NO_STORAGE, tables: { get: async () => broken, put: async () => undefined } };
  const { value, seconds } = await new Engine(other).solve(SCANDINAVIAN);
  expect(value).toBeCloseTo(248.44, 2);
  expect(seconds).not.toBeNull();
});

test("questions about one game are answered from one solve; dice may be in any order", async () => {
  const engine = new Engine(storage);
  const ask = { ...START, rerolls: 2, theta: 0 };
  const { actions, value } = await engine.advise(SCANDINAVIAN, { ...ask, dice: [6, 2, 6, 2, 6] });
  expect(actions[0]?.action).toEqual({ keep: [6, 6, 6] });
  expect(actions[0]?.value).toBe(value);
  expect((await engine.advise(SCANDINAVIAN, { ...ask, dice: [2, 2, 6, 6, 6] })).actions).toEqual(actions);
  const regrets = actions.map(({ regret }) => regret);
  expect(regrets).toEqual([...regrets].sort((a, b) => a - b));
});

test("a game that is too large for a page is refused", async () => {
  const large = { ...SCANDINAVIAN, rules: "large", fingerprint: "large", values: constants.most_values + 1 };
  await expect(new Engine().solve(large)).rejects.toThrow("large: too large");
});

test("what is more urgent overtakes long work, and an error ends only its own", async () => {
  const scheduler = new Scheduler();
  const order: string[] = [];
  function* steps(name: string, n: number): Generator<number, string, void> {
    for (let i = 0; i < n; i++) {
      const until = performance.now() + 5;
      while (performance.now() < until);
      yield i / n;
    }
    order.push(name);
    return name;
  }
  const long = scheduler.run(4, () => steps("long", 20));
  const failing = scheduler.run(2, () => {
    throw new Error("no");
  });
  const urgent = scheduler.run(0, () => steps("urgent", 1));
  await expect(failing).rejects.toThrow("no");
  expect(await Promise.all([long, urgent])).toEqual(["long", "urgent"]);
  expect(order).toEqual(["urgent", "long"]);
});
