/**
 * A game as the page needs it, in the form of `GET /api/rules`. All scoring is in its tables: outcomes, readings (what a
 * roll may be scored as), and for special rolls, such as Yahtzee's jokers, which reading holds in a mask. A mask has a bit
 * for each filled box and, after these, one for each flag.
 */
import type { CategoryTold, Name, RulesTold } from "./contract";
import scandinavian from "./scandinavian.json";

export type Category = CategoryTold;
export type Rules = RulesTold;

/** What is played until a server has told of other games. */
export const SCANDINAVIAN = scandinavian as RulesTold;

/** What a box would bring: points written there, points beside it, and the bits that it sets. */
export interface Scored {
  points: number;
  extra: number;
  bits: number;
}

const rollIds = new WeakMap<Rules, Map<string, number>>();

function rollId(rules: Rules, dice: readonly number[]): number {
  let ids = rollIds.get(rules);
  if (!ids) rollIds.set(rules, (ids = new Map(rules.rolls.map((roll, id) => [roll, id]))));
  return ids.get([...dice].sort((a, b) => a - b).join(" ")) ?? -1;
}

/** Which reading a roll has: its own, or for special rolls the answer to questions about the mask. */
function readingOf(rules: Rules, mask: number, dice: readonly number[]): number {
  const roll = rollId(rules, dice);
  const special = rules.special.find((one) => one.roll === roll);
  if (!special) return roll;
  let at = 0;
  while (at >= 0) {
    const [bit = 0, clear = -1, set = -1] = special.questions[at] ?? [];
    at = (mask >> bit) & 1 ? set : clear;
  }
  return -1 - at;
}

const isFilled = (mask: number, category: number): boolean => ((mask >> category) & 1) === 1;

/** Is this box among those that may be filled in this turn, whatever the dice? */
export function isOpen(rules: Rules, mask: number, category: number): boolean {
  if (isFilled(mask, category)) return false;
  return !rules.forced_order || rules.categories.findIndex((_, i) => !isFilled(mask, i)) === category;
}

/** What these dice may be scored as, by box. */
export function scoresOf(rules: Rules, mask: number, dice: readonly number[]): Map<Name, Scored> {
  const found = new Map<Name, Scored>();
  const { points, extra, bits } = rules.outcomes;
  rules.readings[readingOf(rules, mask, dice)]?.forEach((end, i) => {
    const name = rules.categories[i]?.category;
    if (end < 0 || name === undefined || !isOpen(rules, mask, i)) return;
    found.set(name, { points: points[end] ?? 0, extra: extra[end] ?? 0, bits: bits[end] ?? 0 });
  });
  return found;
}

/** Are these dice scored otherwise than on an empty card? */
export const isJoker = (rules: Rules, mask: number, dice: readonly number[]): boolean =>
  readingOf(rules, mask, dice) !== readingOf(rules, 0, dice);

export const hasExtra = (rules: Rules): boolean => rules.outcomes.extra.some((points) => points > 0);

/** Names of the filled boxes of a mask; a star marks one whose flag is set. */
export function filledNames(rules: Rules, mask: number): Name[] {
  const n = rules.categories.length;
  return rules.categories
    .filter((_, i) => isFilled(mask, i))
    .map(({ category }) => {
      const flag = rules.flagged.indexOf(category);
      return flag >= 0 && isFilled(mask, n + flag) ? `${category}*` : category;
    });
}

/** Rules that were kept in this browser, if they have the form that the page relies on. */
export function readRules(found: unknown): Rules | null {
  const one = found as Partial<Rules> | null;
  const numbers = (list: unknown): list is number[] => Array.isArray(list) && list.every(Number.isInteger);
  const lists = (list: unknown): boolean => Array.isArray(list) && list.every(numbers);
  const texts = (list: unknown): boolean => Array.isArray(list) && list.every((text) => typeof text === "string");
  const fits =
    typeof one?.rules === "string" &&
    typeof one.title === "string" &&
    [one.dice, one.faces, one.rerolls, one.bonus, one.bonus_threshold].every(Number.isInteger) &&
    [one.saves_throws, one.forced_order, one.solved].every((flag) => typeof flag === "boolean") &&
    [one.rolls, one.flagged, one.switches].every(texts) &&
    lists(one.readings) &&
    numbers(one.outcomes?.points) &&
    numbers(one.outcomes.extra) &&
    numbers(one.outcomes.bits) &&
    Array.isArray(one.special) &&
    one.special.every((special) => Number.isInteger(special?.roll) && lists(special.questions)) &&
    Array.isArray(one.categories) &&
    one.categories.every((box) => typeof box?.category === "string" && typeof box.label === "string") &&
    typeof one.words?.loss?.fine === "number";
  return fits ? (one as Rules) : null;
}
