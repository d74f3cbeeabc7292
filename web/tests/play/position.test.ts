/** A position from paper: what stands on the cards, whose turn it is, and what cannot be. */
import { expect, test } from "vitest";
import * as play from "../../play/game/game";
import {
  EMPTY_CARD,
  firstOf,
  mostRerolls,
  positionOf,
  tableAt,
  turnsThatFit,
  wrongOn,
  type PaperCard,
} from "../../play/game/position";
import { boxOf } from "../../play/game/rules";
import { readTable, tableToJson } from "../../play/storage/format";
import { GAMES, gameOf, SCANDINAVIAN } from "../support";

const paper = (boxes: Record<string, number>, more: Partial<PaperCard> = {}, rules = SCANDINAVIAN): PaperCard => ({
  ...EMPTY_CARD,
  boxes: new Map(Object.entries(boxes).map(([name, points]) => [boxOf(rules, name), points])),
  ...more,
});
const person = (name: string) => ({ name, kind: "person" as const });
const NONE = { dice: [], rerolls: 2 };

test("a card alone: what stands there, the dice, and throws left", () => {
  const card = paper({ ones: 3, chance: 22, yatzy: 0 });
  const at = { players: [person("")], cards: [card], now: 0, dice: [3, 3, 3, 5, 6], rerolls: 1 };
  const table = tableAt(SCANDINAVIAN, at);
  const [{ game }] = table.seats as [(typeof table.seats)[number]];
  expect(game.start).toEqual({ boxes: { ones: 3, yatzy: 0, chance: 22 }, rerolls: 1 });
  expect([play.scoreOf(game), play.rerollsLeft(game), play.nFilled(game)]).toEqual([25, 1, 3]);
  expect(play.diceOnTable(game)).toEqual([3, 3, 3, 5, 6]);
  expect(positionOf(table)).toEqual(at);
  expect(game.about.seed).toBeUndefined();
  // Before the first throw it is a usual turn; with nothing on the card, a usual game.
  const before = tableAt(SCANDINAVIAN, { ...at, ...NONE }).seats[0]?.game;
  expect(before?.start).toEqual({ boxes: { ones: 3, yatzy: 0, chance: 22 } });
  expect(tableAt(SCANDINAVIAN, { ...at, cards: [EMPTY_CARD], ...NONE }).seats[0]?.game.start).toBeUndefined();
});

test("what cannot stand in a box is refused with what can", () => {
  expect(wrongOn(SCANDINAVIAN, paper({ ones: 3, fives: 20 }))).toBeNull();
  const fives = boxOf(SCANDINAVIAN, "fives");
  const allowed = [0, 5, 10, 15, 20, 25];
  for (const points of [12, 30, NaN])
    expect(wrongOn(SCANDINAVIAN, paper({ fives: points }))).toEqual({ field: "box", box: fives, allowed });
  expect(wrongOn(SCANDINAVIAN, paper({ ones: 1 }, { extra: 100 }))).toEqual({ field: "extra", allowed: [0] });
  expect(wrongOn(SCANDINAVIAN, paper({ ones: 1 }, { saved: 1 }))).toEqual({ field: "saved", allowed: [0] });
});

test("turns go round: whoever has played has one box more", () => {
  const cards = [1, 1, 0].map((n) => (n ? paper({ ones: 3 }) : EMPTY_CARD));
  expect(turnsThatFit(cards)).toEqual([2]);
  expect(firstOf(cards, 2)).toBe(0);
  expect(turnsThatFit([EMPTY_CARD, EMPTY_CARD])).toEqual([0, 1]);
  expect(turnsThatFit([paper({ ones: 3, twos: 4 }), EMPTY_CARD])).toEqual([]);
});

test("whoever begins the round sits first, and the table can be sent", async () => {
  const players = ["Ada", "Ben", "Cleo"].map(person);
  const cards = [EMPTY_CARD, paper({ ones: 3 }), EMPTY_CARD];
  const table = tableAt(SCANDINAVIAN, { players, cards, now: 2, dice: [1, 2, 3, 4, 5], rerolls: 0 });
  expect(table.seats.map(({ name }) => name)).toEqual(["Ben", "Cleo", "Ada"]);
  expect(table.now).toBe(1);
  expect(table.seats[1]?.game.start).toEqual({ boxes: {}, rerolls: 0 });
  expect(await readTable(JSON.parse(JSON.stringify(tableToJson(table))))).toEqual(table);
});

test.runIf(GAMES)("jokers, saved throws and a forced order", () => {
  const yahtzee = gameOf("yahtzee");
  const joker = (points: number, extra: number): PaperCard =>
    paper({ yahtzee: points, ones: 5 }, { extra }, yahtzee);
  expect(wrongOn(yahtzee, joker(50, 100))).toBeNull();
  expect(wrongOn(yahtzee, joker(50, 200))).toEqual({ field: "extra", allowed: [0, 100] });
  expect(wrongOn(yahtzee, joker(0, 100))).toEqual({ field: "extra", allowed: [0] });
  const saving = gameOf("scandinavian+saved-throws");
  const saved = (n: number): PaperCard => paper({ ones: 3, twos: 4 }, { saved: n }, saving);
  expect(wrongOn(saving, saved(4))).toBeNull();
  expect(wrongOn(saving, saved(5))).toEqual({ field: "saved", allowed: [0, 1, 2, 3, 4] });
  expect(mostRerolls(saving, saved(3))).toBe(5);
  const forced = gameOf("scandinavian+forced-order");
  expect(wrongOn(forced, paper({ twos: 4 }, {}, forced))).toEqual({ field: "boxes" });
  expect(wrongOn(forced, paper({ ones: 3, twos: 4 }, {}, forced))).toBeNull();
});

test.runIf(GAMES)("what is played from a position can be taken back to it, in every game", () => {
  for (const rules of ["scandinavian", "maxi", "yahtzee", "kniffel", "yacht"].map(gameOf)) {
    const [first] = rules.categories;
    const card = paper({ [first?.category ?? ""]: 0 }, {}, rules);
    const dice = new Array<number>(rules.dice).fill(2);
    const table = tableAt(rules, { players: [person("")], cards: [card], now: 0, dice, rerolls: 0 });
    const game = table.seats[0]?.game as play.Game;
    const scored = play.score(game, boxOf(rules, "twos"));
    expect(play.scoreOf(scored)).toBe(2 * rules.dice);
    expect(play.undo(scored).throws).toEqual(game.throws);
    expect(play.rerollsLeft(play.undo(scored))).toBe(0);
  }
});
