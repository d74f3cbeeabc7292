/** Parts and reasons: what each box brings adds up, whatever was worked out before, and every clause is true of it. */
import { beforeAll, describe, expect, test } from "vitest";
import { Engine } from "../../engine/engine";
import { Parts, nParts } from "../../engine/parts";
import { Solver, runToEnd, valueOf, type ValueTable } from "../../engine/solve";
import * as tables from "../../engine/tables";
import { rowOf } from "../../engine/turn";
import type { ExplainedAdvice, Situation } from "../../engine/types";
import { reasonOf, rivalOf } from "../../engine/why";
import { barsOf } from "../../play/view/why";
import { plainReason } from "../../play/view/reason";
import { SCANDINAVIAN, seeded } from "../support";

const game = SCANDINAVIAN;
const sum = (all: ArrayLike<number>): number => Array.from(all).reduce((total, one) => total + one, 0);

let table: ValueTable;
let whole: Parts;
beforeAll(() => {
  table = new Solver(game, 0).solve();
  whole = new Parts(table);
  runToEnd(whole.steps(0));
});

/** Situations with this many boxes open, all kinds of dice. */
function drawn(n: number, open: number, seed: number): Situation[] {
  const below = seeded(seed);
  const sets = tables.layersOf(game)[game.categories.length - open] ?? [];
  return Array.from({ length: n }, () => {
    const set = sets[below(sets.length)] ?? 0;
    const { low, high } = game.uppers[tables.upperSet(game, set)] ?? { low: 0, high: 0 };
    const dice = tables.facesOf(game, below(game.ways.length));
    return { set, upper: low + below(high - low + 1), saved: 0, points: 0, dice, rerolls: below(3), theta: 0 };
  });
}

describe("parts of states", () => {
  test("add up to the value", () => {
    for (const layer of tables.layersOf(game).slice(1))
      for (const set of layer.filter((_, i) => i % 97 === 0)) {
        const { low = 0, high = 0 } = game.uppers[tables.upperSet(game, set)] ?? {};
        for (const upper of [low, (low + high) >> 1, high]) {
          const parts = whole.of({ set, upper, saved: 0 });
          expect(sum(parts ?? [])).toBeCloseTo(valueOf(table, rowOf(game, set, 0), upper), 3);
        }
      }
  });

  test("are those of the whole game when they are worked out from here", () => {
    const set = 0b011_0101_1010_1010;
    const here = new Parts(table);
    expect(here.knows(set)).toBe(false);
    runToEnd(here.steps(set));
    expect(here.knows(set)).toBe(true);
    expect(here.knows(0)).toBe(false);
    expect(here.all).toBeNull();
    for (const next of [set | 1, set | 0b100, set | (1 << 14)])
      for (const upper of [0, 20, 63]) {
        const state = { set: next, upper, saved: 0 };
        expect(here.of(state)).toEqual(whole.of(state));
      }
  });

  test("that were kept are as good, and others are worked out anew", () => {
    const kept = whole.all ?? new Float32Array();
    expect(kept.byteLength).toBeLessThan(50e6);
    expect(new Parts(table, kept).knows(0)).toBe(true);
    expect(new Parts(table, kept.slice(1)).knows(0)).toBe(false);
  });

  test("two who work things out at once do not disturb each other", () => {
    const both = new Parts(table);
    const [first, second] = [both.steps(0b111_1100_0000_0000), both.steps(0b111_1000_0000_0001)];
    for (let done = 0; done < 2;) done = Number(first.next().done) + Number(second.next().done);
    const state = { set: 0b111_1100_0000_0011, upper: 5, saved: 0 };
    expect(both.of(state)).toEqual(whole.of(state));
  });
});

/** What a clause says is so: its part, its chances and its points are those of the numbers behind it. */
function check(asked: Situation, found: ExplainedAdvice, place: number): void {
  const { action, rival, lead, clauses } = reasonOf(game, asked, found, place);
  const [mine, other] = [found.parts[0] ?? [], found.parts[place] ?? []];
  const difference = mine.map((one, part) => one - (other[part] ?? 0));
  expect(lead).toBe(found.advice.actions[place]?.regret);
  if (!lead) return expect(clauses).toEqual([]);
  expect(clauses.some(({ part }) => part > 0)).toBe(true);
  for (const clause of clauses) {
    const { kind, boxes, part, points, average } = clause;
    if (kind === "bonus") expect(part).toBeCloseTo(difference[game.categories.length] ?? NaN, 9);
    else expect(part).toBeCloseTo(sum(boxes.map((box) => difference[box] ?? NaN)), 9);
    if (kind === "takes") expect([boxes, points]).toEqual([[action.score], Math.round(mine[boxes[0] ?? 0] ?? 0)]);
    if (kind === "leaves") expect([boxes, average]).toEqual([[rival?.score], mine[boxes[0] ?? 0]]);
  }
  // Nothing that is left out brings more than what is said first.
  const most = Math.max(...clauses.map(({ part }) => part));
  const said = new Set(clauses.flatMap(({ boxes }) => boxes));
  difference.forEach((one, part) => said.has(part) || expect(one).toBeLessThanOrEqual(most + 1e-9));
}

describe("reasons", () => {
  const engine = new Engine();

  test.each([1, 2, 4, 6, 8])("parts add up to what an action loses, %i boxes open", async (open) => {
    for (const asked of drawn(40, open, 7 + open)) {
      const found = await engine.explain(game, asked);
      const { actions } = found.advice;
      expect(found.parts.length).toBe(actions.length);
      actions.forEach(({ value }, place) => {
        expect(found.parts[place]?.length).toBe(nParts(game));
        expect(Math.abs(sum(found.parts[place] ?? []) - value)).toBeLessThan(1e-3);
        const lost = (actions[0]?.value ?? 0) - value;
        expect(Math.abs(sum(found.parts[0] ?? []) - sum(found.parts[place] ?? []) - lost)).toBeLessThan(1e-4);
        if (place) check(asked, found, place);
      });
    }
  });

  test("the best is compared with what a player asks about", async () => {
    // Full house now, or two pairs kept: everything but full house, twos and fours is filled.
    const all = (1 << game.categories.length) - 1;
    const boxes = ["twos", "full house", "three of a kind", "yatzy"].map((name) =>
      game.categories.findIndex(({ category }) => category === name),
    );
    const set = boxes.reduce((rest, box) => rest & ~(1 << box), all);
    const asked = { set, upper: 40, saved: 0, points: 0, dice: [2, 2, 2, 4, 4], rerolls: 1, theta: 0 };
    const found = await engine.explain(game, asked);
    const rival = rivalOf(game, asked, found, 0);
    const reason = reasonOf(game, asked, found, rival);
    expect(plainReason(game, reason)).toMatch(/^[A-Z2].*\.$/);
    expect(reason.action).toEqual(found.advice.actions[0]?.action);
    expect(reason.rival).toEqual(found.advice.actions[rival ?? 0]?.action);
  });

  test("a goal of chances is compared by it, and by what each box brings on the way", async () => {
    for (const one of drawn(10, 4, 3)) {
      const asked = { ...one, target: 60 };
      const found = await engine.explain(game, asked);
      const place = found.advice.actions.length - 1;
      const { clauses, lead } = reasonOf(game, asked, found, place);
      const [best, last] = [found.advice.actions[0]?.chance ?? 0, found.advice.actions[place]?.chance ?? 0];
      expect(lead).toBeCloseTo(best - last > 1e-6 ? 100 * (best - last) : 0, 9);
      if (lead) expect(clauses[0]).toMatchObject({ kind: "chance", chance: best, rival_chance: last });
    }
  });
});

test("bars add up as they are shown, and say all that is large", () => {
  const below = seeded(5);
  for (let n = 0; n < 300; n++) {
    const parts = Array.from({ length: 16 }, () => (below(2) ? 0 : (below(4000) - 1500) / 997));
    const { bars, sum: shown } = barsOf(parts);
    expect(sum(bars.map(({ points }) => points))).toBeCloseTo(shown, 9);
    expect(shown).toBeCloseTo(sum(parts), 0);
    expect(Math.abs(shown - sum(parts))).toBeLessThanOrEqual(0.05 + 1e-9);
    for (const { part, points } of bars)
      if (part >= 0) expect(Math.abs(points - (parts[part] ?? NaN))).toBeLessThan(0.1);
  }
});
