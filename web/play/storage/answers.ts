/** What was answered to questions about points, in this browser: decisions as good as those of games to find habits in. */
import { moveOf, moveText } from "../../engine/advise";
import type { Answer } from "../../engine/leak";
import type { Move, Situation } from "../../engine/types";
import { recall, remember } from "../../look/settings";
import type { Rules } from "../game/rules";

const MAX_ANSWERS = 300;

interface StoredAnswer {
  rules: string;
  set: number;
  upper: number;
  saved: number;
  dice: number[];
  rerolls: number;
  given: string;
}

function recallAll(): StoredAnswer[] {
  try {
    const found = JSON.parse(recall("answers") ?? "[]") as unknown;
    const isOne = (one: StoredAnswer | null): boolean =>
      !!one &&
      [one.set, one.upper, one.saved, one.rerolls].every((n) => Number.isInteger(n)) &&
      Array.isArray(one.dice) &&
      [one.rules, one.given].every((text) => typeof text === "string");
    return Array.isArray(found) ? (found as StoredAnswer[]).filter(isOne) : [];
  } catch {
    return [];
  }
}

export function keepAnswered(game: Rules, asked: Situation, given: Move): void {
  const { set, upper, saved, dice, rerolls } = asked;
  const one = { rules: game.rules, set, upper, saved, dice, rerolls, given: moveText(game, given) };
  remember("answers", JSON.stringify([...recallAll(), one].slice(-MAX_ANSWERS)));
}

export const recallAnswers = (game: Rules): Answer[] =>
  recallAll().flatMap(({ rules, given, ...asked }) => {
    const move = rules === game.rules ? moveOf(game, given) : null;
    return move ? [{ ...asked, given: move }] : [];
  });
