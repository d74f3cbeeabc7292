/**
 * Where a game begins that is taken over from paper: boxes with points, from turns that nobody knows. As
 * `yatzy.game.start`: a card is possible if its boxes can be filled in some order so that these points stand on it.
 */
import type { Start } from "./shared";
import * as tables from "./tables";
import type { GameTables } from "./tables";
import type { Card, GameLog } from "./types";

/** Points by box, by its id. */
export type BoxPoints = ReadonlyMap<number, number>;

const NOTHING: Card = { set: 0, upper: 0, saved: 0, points: 0 };

/** What a box may hold, the least first. */
export function totalsOf(game: GameTables, box: number): number[] {
  // A special roll has readings of its own, after those of the rolls.
  const used = game.readings.filter((_, reading) => !game.special.some(({ roll }) => roll === reading));
  const found = new Set(used.flatMap((ends) => game.outcomes.points[ends[box] ?? -1] ?? []));
  return [...found].sort((a, b) => a - b);
}

/** The sets that a card with these boxes may have, each with what may stand beside it. */
export function setsOf(game: GameTables, boxes: BoxPoints): Map<number, Set<number>> {
  const filled = [...boxes.keys()].reduce((set, box) => set | (1 << box), 0);
  if (!game.special.length) return new Map([[filled, new Set([0])]]);
  const { category, points, extra, bits } = game.outcomes;
  const fitting = (reading: number): number[] =>
    (game.readings[reading] ?? []).filter((end, box) => end >= 0 && boxes.get(box) === points[end]);
  const special = game.special.map(({ roll }) => roll);
  const usual = [...game.ways.keys()].filter((roll) => !special.includes(roll));
  const always = new Set(usual.flatMap(fitting));
  let layer = new Map([[0, new Set([0])]]);
  for (let n = 0; n < boxes.size; n++) {
    const following = new Map<number, Set<number>>();
    for (const [set, beside] of layer) {
      const jokers = special.flatMap((roll) => fitting(tables.readingOf(game, set, roll)));
      for (const end of new Set([...always, ...jokers])) {
        if (tables.isFilled(set, category[end] ?? 0)) continue;
        const next = set | (bits[end] ?? 0);
        const found = following.get(next) ?? new Set();
        for (const one of beside) found.add(one + (extra[end] ?? 0));
        following.set(next, found);
      }
    }
    layer = following;
  }
  return layer;
}

/** What may stand beside these boxes, the least first. */
export const extrasOf = (game: GameTables, boxes: BoxPoints): number[] =>
  [...new Set([...setsOf(game, boxes).values()].flatMap((one) => [...one]))].sort((a, b) => a - b);

/** The most throws that may have been saved with so many boxes filled. */
export const mostSaved = (game: GameTables, filled: number): number =>
  game.saves_throws ? game.rerolls * filled : 0;

/** Boxes by their ids; one that is not known has the id -1. */
export const boxesAt = (game: GameTables, { boxes }: Start): Map<number, number> =>
  new Map(
    Object.entries(boxes).map(([name, points]) => [
      game.categories.findIndex(({ category }) => category === name),
      points,
    ]),
  );

const isCount = (given: unknown, most: number): boolean =>
  Number.isInteger(given) && (given as number) >= 0 && (given as number) <= most;

/** The first field in which it is impossible; null if it is not. */
export function wrongField(game: GameTables, start: Start): string | null {
  if (!start?.boxes || typeof start.boxes !== "object") return "boxes";
  const boxes = boxesAt(game, start);
  for (const [name, points] of Object.entries(start.boxes)) {
    const box = game.categories.findIndex(({ category }) => category === name);
    if (box < 0 || !totalsOf(game, box).includes(points)) return `boxes.${name}`;
  }
  if (outOfOrder(game, boxes)) return "boxes";
  const { extra = 0, saved = 0, rerolls } = start;
  if (!extrasOf(game, boxes).includes(extra)) return "extra";
  if (!isCount(saved, mostSaved(game, boxes.size))) return "saved";
  if (rerolls === undefined) return null;
  return boxes.size === game.categories.length || !isCount(rerolls, game.rerolls + saved) ? "rerolls" : null;
}

/** Is a box left out that had to be filled before another? */
export function outOfOrder(game: GameTables, boxes: BoxPoints): boolean {
  const set = [...boxes.keys()].reduce((all, box) => all | (1 << box), 0);
  return [...boxes.keys()].some((box) => (set & (game.needs[box] ?? 0)) !== game.needs[box]);
}

const known = new WeakMap<Start, Card>();

/** The card of a start that is possible. */
export function cardAt(game: GameTables, start: Start | undefined): Card {
  if (!start) return NOTHING;
  let card = known.get(start);
  if (!card) {
    const boxes = boxesAt(game, start);
    const { extra = 0, saved = 0 } = start;
    const sets = [...setsOf(game, boxes)].flatMap(([set, beside]) => (beside.has(extra) ? [set] : []));
    const upper = game.categories.reduce((sum, one, box) => sum + (one.upper ? (boxes.get(box) ?? 0) : 0), 0);
    const points = [...boxes.values()].reduce((sum, one) => sum + one, extra);
    card = { set: Math.min(...sets), upper: Math.min(upper, game.bonus_threshold), saved, points };
    known.set(start, card);
  }
  return card;
}

/** How many boxes were filled before the first turn of a log. */
export const nBefore = ({ start }: Pick<GameLog, "start">): number =>
  start ? Object.keys(start.boxes).length : 0;

/** Rerolls left with the first roll of a turn, counted from 0, that begins with this card. */
export const rerollsAt = (game: GameTables, start: Start | undefined, turn: number, saved: number): number =>
  turn === 0 && start?.rerolls !== undefined ? start.rerolls : game.rerolls + saved;
