/** What games and boxes are called. */
import { t } from "./language";
import type { Rules } from "./rules";

/** A game without its switches. */
export const baseOf = (rules: string): string => rules.split("+")[0] ?? "";

/** What a game is called, without its switches. */
export const titleOf = (rules: string): string => t.games[baseOf(rules) as keyof typeof t.games];

/** What a box is called on the score sheets of its game. */
export const labelOf = (rules: Rules, category: string): string =>
  t.boxes[`${baseOf(rules.rules)}: ${category}`] ?? t.boxes[category] ?? category;
