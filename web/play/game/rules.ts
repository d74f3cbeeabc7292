/**
 * The games of the page. All of their scoring is in tables that Python writes when the site is built; the one that most
 * people play is here at once, the others are loaded when they are chosen.
 */
import constants from "../../engine/constants.json";
import * as tables from "../../engine/tables";
import type { Category, GameTables } from "../../engine/tables";
import listed from "../data/games.json";
import { t } from "../language";
import scandinavian from "../data/scandinavian.json";

export type { Category };
export type Rules = GameTables;

/** A switch of a game, and what it says. */
interface Switch {
  switch: string;
  sentence: string;
  not_with: string[];
  solved: boolean;
}

export interface CatalogueGame {
  rules: string;
  title: string;
  switches: Switch[];
  solved: boolean;
}

export const GAMES: CatalogueGame[] = listed;
export const SCANDINAVIAN = scandinavian as Rules;

/** Is there such a game: one of the list, with switches of its own that go together, in their order? */
function isName(name: string): boolean {
  const [base, ...on] = name.split("+");
  const switches = GAMES.find(({ rules }) => rules === base)?.switches ?? [];
  const found = switches.filter((one) => on.includes(one.switch));
  const apart = found.some((one) => one.not_with.some((other) => on.includes(other)));
  const known = GAMES.some(({ rules }) => rules === base);
  return known && !apart && [base, ...found.map((one) => one.switch)].join("+") === name;
}

/** The rules of a game by name, with its switches behind plus signs; throws an `Error` that says why there are none. */
export async function rulesOf(name: string): Promise<Rules> {
  if (name === SCANDINAVIAN.rules) return SCANDINAVIAN;
  if (!isName(name)) throw new Error(t.files.noGame(name));
  const answer = await fetch(`rules/${encodeURIComponent(name)}.json`).catch(() => null);
  if (!answer) throw new Error(t.files.noRules);
  if (!answer.ok) throw new Error(t.files.rulesMissing(name));
  return (await answer.json()) as Rules;
}

/** What a box would bring: points written there, points beside it, and the bits that it sets. */
export interface Scored {
  points: number;
  extra: number;
  bits: number;
}

/** Is there a coach for it in a page? */
export const isSolved = (rules: Rules): boolean => rules.values <= constants.most_values;

/** What these dice may be scored as, by box. */
export function scoresOf(rules: Rules, set: number, dice: readonly number[]): Map<number, Scored> {
  const ends = tables.allowed(rules, set, tables.keepId(rules, dice));
  return new Map(ends.map((end) => [rules.outcomes.category[end] ?? 0, scoredBy(rules, end)]));
}

const scoredBy = ({ outcomes: { points, extra, bits } }: Rules, end: number): Scored => ({
  points: points[end] ?? 0,
  extra: extra[end] ?? 0,
  bits: bits[end] ?? 0,
});

/** Is this box for such dice alone: does nothing else score there on an empty card? */
export const isOnlyFor = (rules: Rules, box: number, fits: (dice: readonly number[]) => boolean): boolean =>
  rules.ways.every(
    (_, roll) => !rules.outcomes.points[rules.readings[roll]?.[box] ?? -1] || fits(tables.facesOf(rules, roll)),
  );

const alikeBoxes = new WeakMap<Rules, number>();

/** The box that is for dice that are all alike; -1 if there is none. */
export function alikeBox(rules: Rules): number {
  let box = alikeBoxes.get(rules);
  if (box === undefined) {
    const isAlike = (dice: readonly number[]): boolean => new Set(dice).size === 1;
    box = rules.categories.findIndex((one, id) => !one.upper && isOnlyFor(rules, id, isAlike));
    alikeBoxes.set(rules, box);
  }
  return box;
}

/** The id of a box by its name in a log; -1 if there is none. */
export const boxOf = (rules: Rules, name: string): number =>
  rules.categories.findIndex(({ category }) => category === name);

/** What a box can score from a card, whatever the dice: each amount once, the largest first. */
export function possibleScoresIn(rules: Rules, set: number, box: number): Scored[] {
  if (box < 0 || !tables.isOpen(rules, set, box)) return [];
  const found = new Map<string, Scored>();
  for (const roll of rules.ways.keys())
    for (const end of tables.allowed(rules, set, roll)) {
      const one = scoredBy(rules, end);
      if (rules.outcomes.category[end] === box) found.set(`${one.points} ${one.extra}`, one);
    }
  return [...found.values()].sort((a, b) => b.points + b.extra - a.points - a.extra);
}

/** Are these dice scored otherwise than on an empty card? */
export function isJoker(rules: Rules, set: number, dice: readonly number[]): boolean {
  const roll = tables.keepId(rules, dice);
  return tables.readingOf(rules, set, roll) !== tables.readingOf(rules, 0, roll);
}

export const hasExtra = (rules: Rules): boolean => rules.outcomes.extra.some((points) => points > 0);
