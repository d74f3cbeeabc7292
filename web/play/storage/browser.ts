/** The table and the player's choices, kept in this browser between visits and nowhere else. */
import { forget, recall, remember } from "../../look/settings";
import type { Table } from "../game/table";
import { readTable, tableToJson } from "./format";

const CHOICES = 1;

const HINTS = ["off", "ask", "always"] as const;
export type Hints = (typeof HINTS)[number];
const DICE = ["random", "entered", "pad"] as const;
export type Dice = (typeof DICE)[number];

/** From how many points the coach may warn; 0 for never. And from how many it warns somebody who is new here. */
export const WARNINGS = [0, 0.1, 0.3, 0.5, 1, 2, 5] as const;
const MAX_WARN = Math.max(...WARNINGS);
const WARN_FROM = 0.5;

export interface Choices {
  hints: Hints;
  /** Thrown here; thrown on a real table and entered here; or scores alone are written. */
  dice: Dice;
  theta: number;
  target: number | null;
  /** At a table: advice is for winning, not for points. */
  toWin: boolean;
  /** Warn of what costs so many points or more; 0 for never. */
  warn: number;
  /** Records, firsts and five alike have their moment. */
  joy: boolean;
}

export function keepTable(table: Table): void {
  remember("game", JSON.stringify(tableToJson(table)));
}

/**
 * What was kept, or null if there is nothing that this version can read. What cannot be read is set aside, so that
 * the page starts and nothing is lost: `setAside` gives it back.
 */
export async function recallTable(): Promise<Table | null> {
  const text = recall("game");
  if (text === null) return null;
  try {
    return await readTable(JSON.parse(text));
  } catch {
    const texts = [...setAside(), text];
    // First, because storage may be full.
    forget("game");
    remember("set-aside", JSON.stringify(texts));
    return null;
  }
}

/** The texts of games that could not be read. */
export function setAside(): string[] {
  const kept = recall("set-aside");
  if (kept === null) return [];
  try {
    const texts = JSON.parse(kept) as unknown;
    if (Array.isArray(texts) && texts.every((one) => typeof one === "string")) return texts;
  } catch {
    // Not a list: it is the text itself.
  }
  return [kept];
}

export const forgetSetAside = (): void => forget("set-aside");

export function keepChoices(choices: Choices): void {
  remember("choices", JSON.stringify({ version: CHOICES, ...choices }));
}

export function recallChoices(): Choices {
  const standard: Choices = {
    hints: "ask",
    dice: "random",
    theta: 0,
    target: null,
    toWin: false,
    warn: WARN_FROM,
    joy: true,
  };
  try {
    const kept = JSON.parse(recall("choices") ?? "{}") as Omit<Choices, "toWin" | "joy"> &
      Record<"version" | "entered" | "toWin" | "joy", unknown>;
    const { version, hints, dice, entered, theta, target, toWin, warn, joy } = kept;
    if (version !== CHOICES) return standard;
    return {
      hints: HINTS.includes(hints) ? hints : standard.hints,
      // Before there were three ways, it was said whether dice are entered.
      dice: DICE.includes(dice) ? dice : entered === true ? "entered" : standard.dice,
      theta: typeof theta === "number" && Number.isFinite(theta) ? theta : 0,
      target: typeof target === "number" && Number.isInteger(target) ? target : null,
      toWin: toWin === true,
      // Who chose before there were warnings is not surprised by them.
      warn: typeof warn === "number" && warn >= 0 && warn <= MAX_WARN ? warn : 0,
      joy: joy !== false,
    };
  } catch {
    return standard;
  }
}

/** Ask the browser to keep what is here when space is short; most decide by themselves. */
export const askToLast = async (): Promise<boolean> =>
  (await isLasting()) || ((await navigator.storage?.persist?.().catch(() => false)) ?? false);

export const isLasting = async (): Promise<boolean> =>
  (await navigator.storage?.persisted?.().catch(() => false)) ?? false;
