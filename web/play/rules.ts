/**
 * The games of the page. All of their scoring is in tables that Python writes when the site is built; the one that most
 * people play is here at once, the others are loaded when they are chosen.
 */
import * as tables from "../engine/tables";
import type { Category, GameTables } from "../engine/tables";
import listed from "./games.json";
import { t } from "./language";
import scandinavian from "./scandinavian.json";

export type { Category };
export type Rules = GameTables;

/** A switch of a game, and what it says. */
export interface Switch {
  switch: string;
  sentence: string;
  not_with: string[];
  solved: boolean;
}

export interface Listed {
  rules: string;
  title: string;
  switches: Switch[];
  solved: boolean;
}

export const GAMES: Listed[] = listed;
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
export const isSolved = (rules: Rules): boolean => rules.values <= rules.most_values;

/** What these dice may be scored as, by box. */
export function scoresOf(rules: Rules, mask: number, dice: readonly number[]): Map<string, Scored> {
  const { category, points, extra, bits } = rules.outcomes;
  const ends = tables.allowed(rules, mask, tables.keepId(rules, dice));
  return new Map(
    ends.map((end) => [
      rules.categories[category[end] ?? 0]?.category ?? "",
      { points: points[end] ?? 0, extra: extra[end] ?? 0, bits: bits[end] ?? 0 },
    ]),
  );
}

/** What a box can score from a mask, whatever the dice: each amount once, the largest first. */
export function writableIn(rules: Rules, mask: number, name: string): Scored[] {
  const { category, points, extra, bits } = rules.outcomes;
  const box = rules.categories.findIndex((one) => one.category === name);
  if (box < 0 || !tables.isOpen(rules, mask, box)) return [];
  const found = new Map<string, Scored>();
  const rolls = rules.ways.keys();
  for (const roll of rolls)
    for (const end of tables.allowed(rules, mask, roll))
      if (category[end] === box)
        found.set(`${points[end]} ${extra[end]}`, {
          points: points[end] ?? 0,
          extra: extra[end] ?? 0,
          bits: bits[end] ?? 0,
        });
  return [...found.values()].sort((a, b) => b.points + b.extra - a.points - a.extra);
}

/** Are these dice scored otherwise than on an empty card? */
export function isJoker(rules: Rules, mask: number, dice: readonly number[]): boolean {
  const roll = tables.keepId(rules, dice);
  return tables.readingOf(rules, mask, roll) !== tables.readingOf(rules, 0, roll);
}

export const hasExtra = (rules: Rules): boolean => rules.outcomes.extra.some((points) => points > 0);
export const { filledNames } = tables;
