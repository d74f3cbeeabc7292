/** What games and boxes are called. */
import { t } from ".";
import type { Rules } from "../game/rules";

/** A game without its switches. */
export const baseOf = (rules: string): string => rules.split("+")[0] ?? "";

/** What a game is called, without its switches. */
export const titleOf = (rules: string): string => t.games[baseOf(rules) as keyof typeof t.games];

/** What a box is called on the score sheets of its game. */
export function labelOf(rules: Rules, box: number): string {
  const name = rules.categories[box]?.category ?? "";
  return t.boxes[`${baseOf(rules.rules)}: ${name}`] ?? t.boxes[name] ?? name;
}
