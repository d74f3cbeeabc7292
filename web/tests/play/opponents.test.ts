/** Opponents without a page: their chances are the library's, and so is who is as strong as somebody. */
import { expect, test } from "vitest";
import type { Advice, OpponentKind } from "../../engine/types";
import {
  OPPONENTS,
  actionChances,
  drawAction,
  isPlayerKind,
  knownMeans,
  levelOf,
  limitOf,
  meanOf,
  opponentFor,
} from "../../play/game/opponents";
import * as play from "../../play/game/game";
import { playTurn, seatPlayers, takeBack, type Table } from "../../play/game/table";
import en from "../../play/language/en";
import { ratingOf } from "../../play/learn/rating";
import type { Summary } from "../../play/storage/history";
import { readTest, SCANDINAVIAN } from "../support";

interface Chances {
  limit: number;
  behind: number[];
  chances: number[];
}

test("the chance of each action is the library's", () => {
  for (const { limit, behind, chances } of JSON.parse(readTest("policies/opponents.json")) as Chances[])
    actionChances(behind, limit).forEach((one, i) => expect(one).toBeCloseTo(chances[i]!, 12));
});

test("opponents have the names that the library gives them", () => {
  expect(OPPONENTS).toEqual(["level-1", "level-2", "level-3", "level-4", "level-5"]);
  expect(OPPONENTS.map(limitOf)).toEqual([10, 7, 4, 2.5, 1.5]);
  expect(limitOf("limit-3")).toBe(3);
  for (const kind of ["person", "perfect", "shadow", "level-5", "limit-0.5"])
    expect(isPlayerKind(kind)).toBe(true);
  for (const kind of ["level-6", "limit-", "limit-x", "limit-51", "limit-0", "", null, 3])
    expect(isPlayerKind(kind)).toBe(false);
});

test("levels and opponents of a player are the library's", () => {
  interface Level {
    rules: string;
    best: number;
    history: number[];
    unclear: number;
    lost_in_unclear: number;
    lost: number;
    within: number | null;
    lost_each: number | null;
    mean: number;
    word: string;
    opponent: string;
  }
  for (const one of JSON.parse(readTest("coach/level.json")) as Level[]) {
    const games = one.history.map((lost, i): Summary => ({
      id: `${i}`,
      date: "",
      rules: one.rules,
      score: 0,
      start: one.best,
      lost,
      decisions: 40,
      lostBy: { throws: [0, 0, 0], stages: [0, 0, 0], boxes: {}, dice: {} },
      unclear: i ? { decisions: 0, lost: 0 } : { decisions: one.unclear, lost: one.lost_in_unclear },
    }));
    const found = ratingOf(games);
    expect(found.lost).toBeCloseTo(one.lost, 9);
    for (const [mine, theirs] of [
      [found.within, one.within],
      [found.perUnclear, one.lost_each],
    ] as const)
      if (theirs === null) expect(mine).toBeNull();
      else expect(mine).toBeCloseTo(theirs, 9);
    expect(en.levels[found.level]).toBe(one.word);
    expect(opponentFor(knownMeans({ rules: one.rules }, one.best), one.lost)).toBe(one.opponent);
  }
});

test("each is a level of its own, and the strongest is near perfect play", () => {
  const known = knownMeans(SCANDINAVIAN);
  const means = OPPONENTS.map((kind) => meanOf(known, kind)!);
  expect(means).toEqual([...means].sort((a, b) => a - b));
  expect(means.map((mean) => en.levels[levelOf(known.best - mean, known.best)])).toEqual([
    "beginner",
    "casual player",
    "regular",
    "skilled player",
    "master",
  ]);
  expect(known.exact).toBe(true);
  expect(knownMeans({ rules: "yahtzee+no-joker" }, 240)).toMatchObject({
    best: 240,
    references: [],
    exact: false,
  });
});

/** Three choices with the last box open: Chance now, or some dice thrown again. */
const told = (regrets: number[]): Advice =>
  ({
    actions: regrets.map((regret, i) => ({
      action: i === 1 ? { score: 13, points: 20 } : { keep: [6, 6, 6, 6].slice(i) },
      value: 20 - regret,
      regret,
    })),
  }) as unknown as Advice;

test("a number draws an action, and none beyond the limit", () => {
  const { actions } = told([0, 1, 2, 2.1]);
  const chances = actionChances([0, 1, 2, 2.1], 2);
  const drawn = Array.from({ length: 1000 }, (_, i) => actions.indexOf(drawAction(actions, 2, (i + 0.5) / 1000)!));
  const count = (i: number): number => drawn.filter((one) => one === i).length / 1000;
  [0, 1, 2, 3].forEach((i) => expect(Math.abs(count(i) - chances[i]!)).toBeLessThan(0.0015));
  expect(count(3)).toBe(0);
});

test("an opponent plays a turn with dice of its own, and its log says who it was", async () => {
  const kind: OpponentKind = "level-2";
  const table = seatPlayers(
    SCANDINAVIAN,
    [
      { name: "Ada", kind: "person" },
      { name: "Bo", kind },
    ],
    null,
  );
  expect(table.seats.map(({ game }) => game.about.policy)).toEqual([undefined, kind]);
  const asked: number[] = [];
  const engine = {
    advise: (_: typeof SCANDINAVIAN, { dice, rerolls }: { dice: number[]; rerolls: number }) => {
      asked.push(rerolls);
      const keep = rerolls ? [{ action: { keep: dice.slice(0, 2) }, value: 1, regret: 0 }] : [];
      const score = { action: { score: 13, points: 0 }, value: -9, regret: rerolls ? 10 : 0 };
      return Promise.resolve({ actions: [...keep, score] } as unknown as Advice);
    },
    review: () => Promise.reject(new Error()),
  };
  const theirs: Table = { ...table, now: 1 };
  const played = await playTurn(theirs, engine);
  expect(asked).toEqual([2, 1, 0]);
  expect(played.turns[0]).toMatchObject({ category: "chance" });
  expect(play.fromLog(play.toLog(played), SCANDINAVIAN).about.policy).toBe(kind);
  // What was half thrown when the score before it is taken back is gone.
  const mine = play.score(play.throwDice(table.seats[0]!.game, [1, 2, 3, 4, 5]), 13);
  const half = play.throwDice(table.seats[1]!.game, [1, 1, 1, 1, 1]);
  const seats = [
    { ...table.seats[0]!, game: mine },
    { ...table.seats[1]!, game: half },
  ];
  const back = takeBack({ seats, now: 1 });
  expect(back.now).toBe(0);
  expect(back.seats.map(({ game }) => game.turns.length + game.throws.length)).toEqual([1, 0]);
});
